//! CREATE and DROP EXTENSION: what is built in may be asked for, anything else is refused by its name.
//!
//! Must not know: what an extension has.

use crate::catalog::extension::{Extension, available};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::CREATE;
use crate::catalog::views::class_oid;
use crate::catalog::{Catalog, Change, ColumnDef, Index, IndexMethod, Kind, Object, Relation};
use crate::parse::cursor::fold;
use crate::parse::{CreateExtensionStmt, DropStmt, Name};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::inverted::Inverted;
use evenkeel_types::{Type, extension_of, lookup_functions, quote_ident};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::sync::Arc;

impl Session {
    pub(crate) fn create_extension(&mut self, s: &CreateExtensionStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let name = &s.name;
        if self.catalog.extension_named(name).is_some() || name == "plpgsql" {
            let why = format!("extension \"{name}\" already exists");
            if s.if_not_exists {
                self.notice("NOTICE", SqlState::DUPLICATE_OBJECT, format!("{why}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
        }
        if available(name).is_none() {
            return Err(SqlError::unsupported(format!("extension \"{name}\" is not available"))
                .with_detail("Only what is built in can be asked for: see pg_available_extensions."));
        }
        self.check_may_in_database(CREATE)?;
        let schema = match &s.schema {
            Some(schema) => self.new_name(&Name { schema: Some(schema.clone()), name: name.clone() })?.0,
            None => self.creation_schema()?,
        };
        self.lock_name(0, &format!("extension {name}"))?;
        if self.catalog.extension_named(name).is_some() {
            return self.create_extension(s);
        }
        self.begin_definition()?;
        let oid = self.instance.store.new_oid()?;
        let made = Extension { oid, name: name.clone(), schema };
        self.record(Change::Put(Object::Extension(Arc::new(made))))?;
        self.set_comment((class_oid::EXTENSION, oid, 0), available(name).map(|a| a.comment))
    }

    pub(super) fn drop_extensions(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        for name in &d.names {
            self.refresh_catalog();
            let Some(e) = self.catalog.extension_named(&name.name).cloned() else {
                if d.if_exists {
                    let message = format!("extension \"{}\" does not exist, skipping", name.name);
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                    continue;
                }
                let why = format!("extension \"{}\" does not exist", name.name);
                return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
            };
            self.check_owns(e.oid, "extension", &e.name)?;
            self.lock_name(0, &format!("extension {}", e.name))?;
            self.refresh_catalog();
            let uses = self.check_unused(&e.name, d.cascade)?;
            self.begin_definition()?;
            self.drop_defaults(&uses)?;
            self.record(Change::Remove(Kind::Extension, e.oid))?;
        }
        Ok(())
    }

    /// Takes defaults away that rest on what goes.
    fn drop_defaults(&mut self, uses: &[Use]) -> Result<(), SqlError> {
        let told: Vec<String> = uses.iter().map(|u| u.object.clone()).collect();
        for (oid, n) in uses.iter().filter_map(|u| u.default) {
            let Some(t) = self.catalog.table(oid).cloned() else { continue };
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
            self.refresh_catalog();
            let Some(mut changed) = self.catalog.table(oid).map(|t| (**t).clone()) else { continue };
            changed.columns[n].default = None;
            self.begin_definition()?;
            self.put_table(changed)?;
        }
        self.tell_cascades(&told);
        Ok(())
    }

    /// The same with a schema, of those that are said to be in it.
    pub(super) fn drop_extensions_of(&mut self, schema: u32) -> Result<(), SqlError> {
        let those: Vec<_> = self.catalog.extensions().filter(|e| e.schema == schema).cloned().collect();
        for e in those {
            let uses = self.check_unused(&e.name, true)?;
            self.drop_defaults(&uses)?;
            self.record(Change::Remove(Kind::Extension, e.oid))?;
        }
        Ok(())
    }

    /// Refuses to take away what columns and indexes are made with; gives the defaults that go with it.
    fn check_unused(&self, name: &str, cascade: bool) -> Result<Vec<Use>, SqlError> {
        let mut uses = Vec::new();
        let is_its = |ty: Type| ty.extension() == Some(name);
        for t in self.catalog.tables() {
            let columns = t.live_columns().filter(|(_, c)| is_its(c.ty));
            uses.extend(columns.map(|(_, c)| {
                let array = if c.ty.is_array() { "[]" } else { "" };
                format!(
                    "column {} of table {} depends on type {name}{array}",
                    quote_ident(&c.name),
                    quote_ident(&t.name)
                )
            }));
            for i in &t.indexes {
                let is_whole = |n: usize| matches!(i.inverted(&t.types, n), Some(Inverted::Whole(_)));
                let method = i.extra.method;
                uses.extend((0..i.columns.len()).filter_map(|n| {
                    let class = match i.columns[n].class {
                        c if c.extension() == Some(name) => c.name().unwrap_or_default().to_owned(),
                        // That of a column goes with the column.
                        _ if i.expression(n).is_some_and(|e| e.ty == Type::Hstore && is_its(e.ty))
                            && !i.reads_any(|c| t.types.get(c).is_some_and(|ty| is_its(*ty))) =>
                        {
                            format!("{}_hstore_ops", method.name())
                        }
                        _ if name == "btree_gin" && method == IndexMethod::Gin && is_whole(n) => {
                            format!("{}_ops", i.key_type(&t.types, n).pg_name())
                        }
                        _ => return None,
                    };
                    let (index, method) = (quote_ident(&i.name), method.name());
                    Some(format!(
                        "index {index} depends on operator class {class} for access method {method}"
                    ))
                }));
            }
        }
        let own = Type::of_extension(name);
        let named = |text: &str| {
            own.is_some_and(|ty| Catalog::text_has_type(text, ty.oid()))
                || name == "hstore" && text.contains("hstore(")
        };
        for t in self.catalog.tables() {
            let table = quote_ident(&t.name);
            // That of a column of the type goes with the column.
            let is_it = |c: &ColumnDef| !is_its(c.ty) && c.default.as_deref().is_some_and(named);
            let defaults = t.live_columns().filter(|(_, c)| is_it(c));
            uses.extend(defaults.map(|(_, c)| {
                format!(
                    "default value for column {} of table {table} depends on type {name}",
                    quote_ident(&c.name)
                )
            }));
            uses.extend(t.checks.iter().filter(|c| named(&c.expr)).map(|c| {
                format!("constraint {} on table {table} depends on type {name}", quote_ident(&c.name))
            }));
            let names_it = |i: &Index| {
                let mut texts =
                    i.extra.expressions.iter().map(|e| &*e.text).chain(i.extra.predicate.as_deref());
                texts.any(named)
            };
            // As that of one does.
            let reads_one = |i: &Index| i.reads_any(|c| t.types.get(c).is_some_and(|ty| is_its(*ty)));
            let indexes = t.indexes.iter().filter(|i| names_it(i) && !reads_one(i));
            uses.extend(indexes.map(|i| format!("index {} depends on type {name}", quote_ident(&i.name))));
        }
        let of_views =
            self.catalog.views().filter(|v| v.columns.iter().any(|c| is_its(c.ty)) || named(&v.query.text));
        uses.extend(of_views.map(|v| format!("view {} depends on type {name}", quote_ident(&v.name))));
        let of_domains = self.catalog.types().filter(|t| t.domain.as_ref().is_some_and(|d| is_its(d.ty)));
        uses.extend(of_domains.map(|t| format!("type {} depends on type {name}", quote_ident(&t.name))));
        for t in self.catalog.types() {
            let fields = t.attributes.iter().flat_map(|l| l.iter()).filter(|a| is_its(a.ty));
            uses.extend(fields.map(|a| {
                let (of, field) = (quote_ident(&t.name), quote_ident(&a.name));
                format!("column {field} of composite type {of} depends on type {name}")
            }));
        }
        let mut calls = self.calls_of(name);
        // Once is enough.
        calls.retain(|c| !uses.iter().any(|told| told.starts_with(&format!("{} depends on ", c.object))));
        uses.extend(calls.iter().filter(|c| c.default.is_none()).map(Use::told));
        if uses.is_empty() && (calls.is_empty() || cascade) {
            return Ok(calls);
        }
        if cascade {
            return Err(SqlError::unsupported("DROP EXTENSION ... CASCADE is not supported"));
        }
        uses.extend(calls.iter().filter(|c| c.default.is_some()).map(Use::told));
        let why = format!("cannot drop extension {name} because other objects depend on it");
        Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why)
            .with_detail(uses.join("\n"))
            .with_hint("Use DROP ... CASCADE to drop the dependent objects too."))
    }

    /// What calls functions of an extension, with the first of these.
    fn calls_of(&self, name: &str) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut look = |text: &str, object: &dyn Fn() -> String, default: Option<(u32, usize)>| {
            uses.extend(calls(text, name).take(1).map(|on| Use { object: object(), on, default }));
        };
        for t in self.catalog.tables() {
            let of = self.told(&Relation::Table(t.clone()));
            for (n, c) in t.live_columns() {
                let Some(text) = &c.default else { continue };
                let (what, default) = match c.generated {
                    Some(_) => ("", None),
                    None => ("default value for ", Some((t.oid, n))),
                };
                look(text, &|| format!("{what}column {} of {of}", c.name), default);
            }
            for c in &t.checks {
                look(&c.expr, &|| format!("constraint {} on {of}", c.name), None);
            }
            for i in &t.indexes {
                let texts = i.extra.expressions.iter().map(|e| &*e.text).chain(i.extra.predicate.as_deref());
                for text in texts {
                    look(text, &|| self.told(&Relation::Index(t.clone(), i.clone())), None);
                }
            }
        }
        for (relation, query) in self.catalog.stored_queries() {
            look(&query.text, &|| self.told(&relation), None);
        }
        uses
    }
}

/// Something that rests on a function of an extension.
struct Use {
    object: String,
    on: String,
    /// It is the default of this table's column.
    default: Option<(u32, usize)>,
}

impl Use {
    fn told(&self) -> String {
        format!("{} depends on {}", self.object, self.on)
    }
}

/// The functions of an extension that a stored text calls, each once; of several with a name that one which takes as many arguments.
fn calls(text: &str, extension: &str) -> impl Iterator<Item = String> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize().unwrap_or_default();
    let tokens: Vec<Token> = tokens.into_iter().filter(|t| !matches!(t, Token::Whitespace(_))).collect();
    let mut found = Vec::new();
    for (n, pair) in tokens.windows(2).enumerate() {
        let [Token::Word(w), Token::LParen] = pair else { continue };
        let name = fold(&w.value, w.quote_style.is_some());
        if extension_of(&name) != Some(extension) {
            continue;
        }
        let count = arguments(&tokens[n + 1..]);
        let all = lookup_functions(&name);
        let types = all.iter().find(|f| f.args.len() == count).or(all.first()).map(|f| f.args);
        let types: Vec<_> = types.iter().flat_map(|a| a.iter()).map(|t| t.sql_name()).collect();
        let told = format!("function {name}({})", types.join(","));
        if !found.contains(&told) {
            found.push(told);
        }
    }
    found.into_iter()
}

/// How many arguments stand in the parentheses that begin here.
fn arguments(tokens: &[Token]) -> usize {
    let (mut depth, mut count) = (0, usize::from(tokens.get(1) != Some(&Token::RParen)));
    for t in tokens {
        match t {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket => depth -= 1,
            Token::Comma if depth == 1 => count += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    count
}
