//! CREATE, ALTER and DROP EXTENSION: what is built in may be asked for, anything else is refused by its name.
//!
//! Must not know: what an extension has.

use super::type_texts::{Naming, Place};
use crate::catalog::extension::{Extension, available};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::CREATE;
use crate::catalog::views::class_oid;
use crate::catalog::views::extensions::PLPGSQL_OID;
use crate::catalog::{
    Catalog, Change, ColumnDef, Index, IndexMethod, Kind, Object, Relation, Table, UserType,
};
use crate::parse::cursor::fold;
use crate::parse::{AlterExtensionStmt, CreateExtensionStmt, DropStmt, ExtensionAction, Name};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::inverted::Inverted;
use evenkeel_types::{Type, extension_of, lookup_functions, quote_ident};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::collections::HashSet;
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
        let Some(built_in) = available(name) else {
            return Err(SqlError::unsupported(format!("extension \"{name}\" is not available"))
                .with_detail("Only what is built in can be asked for: see pg_available_extensions."));
        };
        if let Some(version) = s.version.as_ref().filter(|v| **v != built_in.version) {
            let why = format!(
                "extension \"{name}\" has no installation script nor update path for version \"{version}\""
            );
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
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

    /// An extension that is there; `None`: the one that every database has.
    pub(super) fn find_extension(&self, name: &str) -> Result<Option<Arc<Extension>>, SqlError> {
        match self.catalog.extension_named(name) {
            Some(e) => Ok(Some(e.clone())),
            None if name == "plpgsql" => Ok(None),
            None => {
                let why = format!("extension \"{name}\" does not exist");
                Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why))
            }
        }
    }

    pub(crate) fn alter_extension(&mut self, s: &AlterExtensionStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let (name, found) = (&s.name, self.find_extension(&s.name)?);
        self.check_owns(found.as_ref().map_or(PLPGSQL_OID, |e| e.oid), "extension", name)?;
        match &s.action {
            ExtensionAction::Update(to) => {
                let has = available(name).map_or("", |a| a.version);
                if let Some(to) = to.as_ref().filter(|to| *to != has) {
                    let why = format!(
                        "extension \"{name}\" has no update path from version \"{has}\" to version \"{to}\""
                    );
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
                }
                let message = format!("version \"{has}\" of extension \"{name}\" is already installed");
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                Ok(())
            }
            ExtensionAction::SetSchema(schema) => {
                let to = self.new_name(&Name { schema: Some(schema.clone()), name: name.clone() })?.0;
                let Some(e) = found else {
                    let why = format!("extension \"{name}\" does not support SET SCHEMA");
                    return Err(SqlError::unsupported(why));
                };
                self.lock_name(0, &format!("extension {name}"))?;
                self.refresh_catalog();
                if self.find_extension(name)?.is_none_or(|now| now.oid != e.oid || now.schema == to) {
                    return Ok(());
                }
                self.begin_definition()?;
                self.record(Change::Put(Object::Extension(Arc::new(Extension {
                    schema: to,
                    ..(*e).clone()
                }))))
            }
        }
    }

    pub(super) fn drop_extensions(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        for name in &d.names {
            self.refresh_catalog();
            let Some(e) = self.catalog.extension_named(&name.name).cloned() else {
                if name.name == "plpgsql" {
                    return Err(SqlError::unsupported("DROP EXTENSION plpgsql is not supported"));
                }
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
            self.drop_uses(uses)?;
            self.record(Change::Remove(Kind::Extension, e.oid))?;
        }
        Ok(())
    }

    /// Takes away what rests on what goes.
    fn drop_uses(&mut self, uses: Vec<Use>) -> Result<(), SqlError> {
        let mut told = Vec::new();
        let (mut columns, mut texts, mut relations) = (Vec::new(), Vec::new(), Vec::new());
        for Use { object, what, .. } in uses {
            match what {
                What::Attribute => {
                    return Err(SqlError::unsupported(format!(
                        "DROP EXTENSION CASCADE of the type of {object} is not supported"
                    )));
                }
                What::Domain(t) => {
                    told.push(object);
                    if self.catalog.user_type(t.oid).is_some() {
                        self.drop_users_of_type(&t, true, &mut told)?;
                        self.begin_definition()?;
                        self.record(Change::Remove(Kind::Type, t.oid))?;
                    }
                    continue;
                }
                What::OfDomain => continue,
                What::Column(t, n) => columns.push((t, n)),
                What::Text(text) => texts.push(text),
                What::Relation(r) if relations.iter().any(|known: &Relation| known.oid() == r.oid()) => {
                    continue;
                }
                What::Relation(r) => relations.push(r),
            }
            told.push(object);
        }
        self.drop_view_list(&relations, true)?;
        self.drop_texts(&texts)?;
        for (t, n) in columns {
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
            self.refresh_catalog();
            let Some(mut changed) = self.catalog.table(t.oid).map(|t| (**t).clone()) else { continue };
            if !changed.columns[n].dropped {
                let name = changed.columns[n].name.clone();
                self.begin_definition()?;
                self.drop_column(&mut changed, &name, false, true)?;
            }
        }
        let mut seen = HashSet::new();
        told.retain(|object| seen.insert(object.clone()));
        self.tell_cascades(&told);
        Ok(())
    }

    /// The same with a schema, of those that are said to be in it.
    pub(super) fn drop_extensions_of(&mut self, schema: u32) -> Result<(), SqlError> {
        let those: Vec<_> = self.catalog.extensions().filter(|e| e.schema == schema).cloned().collect();
        for e in those {
            let uses = self.check_unused(&e.name, true)?;
            self.drop_uses(uses)?;
            self.record(Change::Remove(Kind::Extension, e.oid))?;
        }
        Ok(())
    }

    /// Refuses to take away what others rest on, unless that goes, too; gives what does.
    fn check_unused(&self, name: &str, cascade: bool) -> Result<Vec<Use>, SqlError> {
        let mut uses = Vec::new();
        let is_its = |ty: Type| ty.extension() == Some(name);
        for t in self.catalog.tables() {
            let columns = t.live_columns().filter(|(_, c)| is_its(c.ty) && c.domain.is_none());
            uses.extend(columns.map(|(n, c)| {
                let array = if c.ty.is_array() { "[]" } else { "" };
                // A materialized view goes as a whole, like others.
                let what = match &t.materialized {
                    Some(_) => What::Relation(Relation::Table(t.clone())),
                    None => What::Column(t.clone(), n),
                };
                let object = format!("column {} of table {}", quote_ident(&c.name), quote_ident(&t.name));
                Use { object, on: format!("type {name}{array}"), what }
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
                    let on = format!("operator class {class} for access method {}", method.name());
                    Some(Use { object: format!("index {}", quote_ident(&i.name)), on, what: index_of(t, i) })
                }));
            }
        }
        let own = Type::of_extension(name);
        let named = |text: &str| {
            own.is_some_and(|ty| Catalog::text_has_type(text, ty.oid()))
                || name == "hstore" && text.contains("hstore(")
        };
        let on = format!("type {name}");
        for t in self.catalog.tables() {
            let table = quote_ident(&t.name);
            // That of a column of the type goes with the column.
            let is_it = |c: &ColumnDef| !is_its(c.ty) && c.default.as_deref().is_some_and(named);
            let defaults = t.live_columns().filter(|(_, c)| is_it(c));
            uses.extend(defaults.map(|(n, c)| {
                let object = format!("default value for column {} of table {table}", quote_ident(&c.name));
                Use { object, on: on.clone(), what: text_of(t, Place::Column(n)) }
            }));
            uses.extend(t.checks.iter().filter(|c| named(&c.expr)).map(|c| {
                let object = format!("constraint {} on table {table}", quote_ident(&c.name));
                Use { object, on: on.clone(), what: text_of(t, Place::Check(c.oid)) }
            }));
            let names_it = |i: &Index| {
                let mut texts =
                    i.extra.expressions.iter().map(|e| &*e.text).chain(i.extra.predicate.as_deref());
                texts.any(named)
            };
            // As that of one does.
            let reads_one = |i: &Index| i.reads_any(|c| t.types.get(c).is_some_and(|ty| is_its(*ty)));
            let indexes = t.indexes.iter().filter(|i| names_it(i) && !reads_one(i));
            uses.extend(indexes.map(|i| Use {
                object: format!("index {}", quote_ident(&i.name)),
                on: on.clone(),
                what: index_of(t, i),
            }));
        }
        let of_views =
            self.catalog.views().filter(|v| v.columns.iter().any(|c| is_its(c.ty)) || named(&v.query.text));
        uses.extend(of_views.map(|v| Use {
            object: format!("view {}", quote_ident(&v.name)),
            on: on.clone(),
            what: What::Relation(Relation::View(v.clone())),
        }));
        for t in self.catalog.types().filter(|t| t.domain.as_ref().is_some_and(|d| is_its(d.ty))) {
            let object = format!("type {}", quote_ident(&t.name));
            uses.push(Use { object: object.clone(), on: on.clone(), what: What::Domain(t.clone()) });
            for (table, n) in self.users_of_type(t) {
                let (column, of) = (quote_ident(&table.columns[n].name), quote_ident(&table.name));
                let column = format!("column {column} of table {of}");
                uses.push(Use { object: column, on: object.clone(), what: What::OfDomain });
            }
        }
        for t in self.catalog.types() {
            let fields = t.attributes.iter().flat_map(|l| l.iter()).filter(|a| is_its(a.ty));
            uses.extend(fields.map(|a| {
                let (of, field) = (quote_ident(&t.name), quote_ident(&a.name));
                let object = format!("column {field} of composite type {of}");
                Use { object, on: on.clone(), what: What::Attribute }
            }));
        }
        let mut calls = self.calls_of(name);
        // Once is enough.
        calls.retain(|c| !uses.iter().any(|told| told.object == c.object));
        uses.extend(calls.extract_if(.., |c| !c.object.starts_with(OF_DEFAULT)));
        if cascade || uses.is_empty() && calls.is_empty() {
            uses.extend(calls);
            return Ok(uses);
        }
        uses.extend(calls);
        let why = format!("cannot drop extension {name} because other objects depend on it");
        let lines: Vec<String> = uses.iter().map(Use::told).collect();
        Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why)
            .with_detail(lines.join("\n"))
            .with_hint("Use DROP ... CASCADE to drop the dependent objects too."))
    }

    /// What calls functions of an extension, with the first of these.
    fn calls_of(&self, name: &str) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut look = |text: &str, object: &dyn Fn() -> String, what: &dyn Fn() -> What| {
            uses.extend(calls(text, name).take(1).map(|on| Use { object: object(), on, what: what() }));
        };
        for t in self.catalog.tables() {
            let of = self.told(&Relation::Table(t.clone()));
            for (n, c) in t.live_columns() {
                let Some(text) = &c.default else { continue };
                let before = if c.generated.is_some() { "" } else { OF_DEFAULT };
                look(text, &|| format!("{before}column {} of {of}", c.name), &|| {
                    text_of(t, Place::Column(n))
                });
            }
            for c in &t.checks {
                look(&c.expr, &|| format!("constraint {} on {of}", c.name), &|| {
                    text_of(t, Place::Check(c.oid))
                });
            }
            for i in &t.indexes {
                let texts = i.extra.expressions.iter().map(|e| &*e.text).chain(i.extra.predicate.as_deref());
                for text in texts {
                    look(text, &|| self.told(&Relation::Index(t.clone(), i.clone())), &|| index_of(t, i));
                }
            }
        }
        for (relation, query) in self.catalog.stored_queries() {
            look(&query.text, &|| self.told(&relation), &|| What::Relation(relation.clone()));
        }
        uses
    }
}

/// Before the column whose default something is.
const OF_DEFAULT: &str = "default value for ";

/// Something that rests on an extension.
struct Use {
    object: String,
    on: String,
    what: What,
}

/// What goes with an extension.
enum What {
    /// A column.
    Column(Arc<Table>, usize),
    /// A default, what computes a column, a check or an index.
    Text(Naming),
    /// A view.
    Relation(Relation),
    /// A domain.
    Domain(Arc<UserType>),
    /// A column of a domain, which goes with that.
    OfDomain,
    /// A column of a composite type.
    Attribute,
}

fn text_of(table: &Arc<Table>, place: Place) -> What {
    What::Text(Naming { table: table.clone(), place })
}

fn index_of(table: &Arc<Table>, index: &Index) -> What {
    text_of(table, Place::Index(index.oid))
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
