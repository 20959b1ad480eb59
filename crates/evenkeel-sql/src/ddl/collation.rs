//! CREATE, ALTER and DROP COLLATION.
//!
//! The lock on a collation's name is the collation's: whoever makes a column of it holds it shared, whoever changes or drops it alone.
//!
//! Must not know: how texts are compared.

use super::database_locale::builtin_name;
use super::depends;
use crate::bind::first_location;
use crate::bind::split_name;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{CREATE, Class};
use crate::catalog::{
    Catalog, Change, ColumnDef, Domain, FIRST_USER_OID, Kind, Object, Relation, Table, UserCollation, noun_of,
};
use crate::parse::{CollationAction, CollationStmt, DropStmt, Name};
use crate::session::Session;
use evenkeel_types::collation::{
    DEFAULT_OID, VERSION, predefined_locale, predefined_name, predefined_provider,
};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::locale_name::standard_locale;
use evenkeel_types::quote_ident;
use sqlparser::ast;
use std::sync::Arc;

/// Locks of collations' names are in a space of their own.
const NAMES: &str = "collation ";
/// The provider's names, and their letters.
const PROVIDERS: [(&str, char); 3] = [("builtin", 'b'), ("icu", 'i'), ("libc", 'c')];
/// What may be said of a new one.
const OPTIONS: [&str; 7] =
    ["locale", "lc_collate", "lc_ctype", "provider", "deterministic", "rules", "version"];

fn invalid(why: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why.into())
}

fn redundant() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options")
}

/// What the options say.
#[derive(Default)]
struct Said<'s>(Vec<(&'s str, Option<&'s str>)>);

impl<'s> Said<'s> {
    fn of(options: &'s [(String, Option<String>)]) -> Result<Said<'s>, SqlError> {
        let mut said = Said::default();
        for (name, value) in options {
            if !OPTIONS.contains(&name.as_str()) {
                let why = format!("collation attribute \"{name}\" not recognized");
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
            }
            if said.has(name) {
                return Err(redundant());
            }
            said.0.push((name, value.as_deref()));
        }
        if said.has("locale") && (said.has("lc_collate") || said.has("lc_ctype")) {
            let why = "LOCALE cannot be specified together with LC_COLLATE or LC_CTYPE.";
            return Err(redundant().with_detail(why));
        }
        Ok(said)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|o| o.0 == name)
    }

    fn text(&self, name: &str) -> Result<Option<&'s str>, SqlError> {
        match self.0.iter().find(|o| o.0 == name) {
            None => Ok(None),
            Some((_, Some(value))) => Ok(Some(value)),
            Some((name, None)) => {
                Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("{name} requires a parameter")))
            }
        }
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, SqlError> {
        let Some((_, value)) = self.0.iter().find(|o| o.0 == name) else { return Ok(None) };
        match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "1") => Ok(Some(true)),
            Some("false" | "off" | "0") => Ok(Some(false)),
            Some(_) => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("{name} requires a Boolean value"))),
        }
    }
}

/// The version of the rules that a collation has; None: those of bytes, which do not change.
fn version_of(c: &UserCollation) -> Result<Option<String>, SqlError> {
    Ok(match (c.provider, c.collation()?.is_bytewise()) {
        ('b', _) => Some("1".into()),
        (_, true) => None,
        (_, false) => Some(VERSION.into()),
    })
}

impl Session {
    pub(crate) fn collation_statement(&mut self, s: &CollationStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        match &s.action {
            CollationAction::Create { options, if_not_exists } => {
                let (schema, name) = self.new_name(&s.name)?;
                let made = self.collation_of(&Said::of(options)?)?;
                self.put_new(UserCollation { schema, name, ..made }, *if_not_exists)
            }
            CollationAction::Copy { from, if_not_exists } => {
                let (schema, name) = self.new_name(&s.name)?;
                let oid = self.find_collation(from)?;
                let made = match self.catalog.user_collation(oid) {
                    Some(c) => (**c).clone(),
                    None => copied(oid)?,
                };
                self.put_new(UserCollation { schema, name, ..made }, *if_not_exists)
            }
            action => self.alter_collation(&s.name, action),
        }
    }

    /// A collation as options say it, without a name.
    fn collation_of(&mut self, said: &Said<'_>) -> Result<UserCollation, SqlError> {
        let provider = match said.text("provider")? {
            None => 'c',
            Some(p) => PROVIDERS
                .iter()
                .find(|known| known.0.eq_ignore_ascii_case(p))
                .map(|known| known.1)
                .ok_or_else(|| invalid(format!("unrecognized collation provider: {p}")))?,
        };
        let is_deterministic = said.flag("deterministic")?.unwrap_or(true);
        let locale = said.text("locale")?;
        let is_libc = provider == 'c';
        let missing = |option: &str| invalid(format!("parameter \"{option}\" must be specified"));
        let or_locale = |own: Option<&str>, option: &str| -> Result<String, SqlError> {
            own.or(locale).map(str::to_owned).ok_or_else(|| missing(option))
        };
        let (mut locale, ctype) = match is_libc {
            true => (
                or_locale(said.text("lc_collate")?, "lc_collate")?,
                or_locale(said.text("lc_ctype")?, "lc_ctype")?,
            ),
            false => (or_locale(None, "locale")?, String::new()),
        };
        if provider == 'b' {
            locale = builtin_name(&locale)?.to_owned();
        }
        if provider == 'i'
            && let Some(standard) = standard_locale(&locale).filter(|s| *s != locale)
        {
            let why = format!("using standard form \"{standard}\" for ICU locale \"{locale}\"");
            self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, why);
            locale = standard;
        }
        if !is_deterministic && provider != 'i' {
            let why = "nondeterministic collations not supported with this provider";
            return Err(SqlError::unsupported(why));
        }
        if said.has("rules") {
            return Err(match provider {
                'i' => SqlError::unsupported("rules of a collation are not supported"),
                _ => invalid("ICU rules cannot be specified unless locale provider is ICU"),
            });
        }
        let (oid, schema, name) = (0, 0, String::new());
        let mut made =
            UserCollation { oid, schema, name, provider, locale, ctype, is_deterministic, version: None };
        made.version = match said.text("version")? {
            Some(version) => made.collation().map(|_| Some(version.to_owned()))?,
            None => version_of(&made)?,
        };
        Ok(made)
    }

    fn put_new(&mut self, mut made: UserCollation, if_not_exists: bool) -> Result<(), SqlError> {
        self.lock_collation_name(made.schema, &made.name, TableLockMode::AccessExclusive)?;
        if self.catalog.collation_in(made.schema, &made.name).is_some() {
            let why = match made.provider {
                'i' => format!("collation \"{}\" already exists", made.name),
                _ => format!("collation \"{}\" for encoding \"UTF8\" already exists", made.name),
            };
            if if_not_exists {
                self.notice("NOTICE", SqlState::DUPLICATE_OBJECT, format!("{why}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
        }
        self.begin_definition()?;
        made.oid = self.instance.store.new_oid()?;
        self.record(Change::Put(Object::Collation(Arc::new(made))))
    }

    fn lock_collation_name(&mut self, schema: u32, name: &str, mode: TableLockMode) -> Result<(), SqlError> {
        self.ensure_txn()?;
        let lock = self.name_lock(schema, &format!("{NAMES}{name}"));
        self.lock_object(&lock, mode, name, false)?;
        self.refresh_catalog();
        Ok(())
    }

    /// Keeps a collation as it is until the end of the transaction: something new has it.
    pub(super) fn share_collation(&mut self, oid: u32) -> Result<(), SqlError> {
        let Some(c) = self.catalog.user_collation(oid).cloned() else { return Ok(()) };
        self.lock_collation_name(c.schema, &c.name, TableLockMode::AccessShare)?;
        match self.catalog.user_collation(oid) {
            Some(_) => Ok(()),
            None => Err(missing(&quote_ident(&c.name))),
        }
    }

    /// OID of a collation that a statement names.
    pub(super) fn find_collation(&self, name: &Name) -> Result<u32, SqlError> {
        self.check_schema_of(name)?;
        let found = self.catalog.collation_oid(name.schema.as_deref(), &name.name, self.search_path());
        found.ok_or_else(|| self.missing_schema(name).unwrap_or_else(|| missing(&name.to_string())))
    }

    /// OID of the collation that a column is declared with; 0: the database's.
    pub(super) fn column_collation_oid(&mut self, name: &ast::ObjectName) -> Result<u32, SqlError> {
        let place = first_location(name);
        let (schema, name) = split_name(name)?;
        self.shared_collation(&Name { schema, name }).map_err(|e| match e.code {
            SqlState::UNDEFINED_OBJECT | SqlState::INVALID_SCHEMA_NAME => {
                self.at_word_before(e, "collate", place)
            }
            _ => e,
        })
    }

    /// The same of a domain.
    pub(super) fn shared_collation(&mut self, name: &Name) -> Result<u32, SqlError> {
        let oid = self.find_collation(name)?;
        self.share_collation(oid)?;
        Ok(if oid == DEFAULT_OID { 0 } else { oid })
    }

    /// One that may be changed, and is not used by others meanwhile.
    fn own_collation(&mut self, name: &Name) -> Result<UserCollation, SqlError> {
        let oid = self.find_collation(name)?;
        self.check_owns(oid, "collation", &name.name)?;
        if oid < FIRST_USER_OID {
            return Err(SqlError::unsupported("collations of the system are not changed"));
        }
        let gone = || missing(&name.to_string());
        let c = self.catalog.user_collation(oid).cloned().ok_or_else(gone)?;
        self.lock_collation_name(c.schema, &c.name, TableLockMode::AccessExclusive)?;
        self.catalog.user_collation(oid).map(|c| (**c).clone()).ok_or_else(gone)
    }

    fn alter_collation(&mut self, name: &Name, action: &CollationAction) -> Result<(), SqlError> {
        let mut c = self.own_collation(name)?;
        let schema_name = |s: &Session, oid| s.catalog.schema(oid).map_or(String::new(), |s| s.name.clone());
        match action {
            CollationAction::Refresh => {
                let now = version_of(&c)?;
                let why = if now == c.version {
                    "version has not changed".to_owned()
                } else {
                    let of = |v: &Option<String>| v.clone().unwrap_or_default();
                    format!("changing version from {} to {}", of(&c.version), of(&now))
                };
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, why);
                c.version = now;
            }
            CollationAction::Rename(to) => {
                self.check_may(c.schema, Class::Schema, &schema_name(self, c.schema), CREATE)?;
                c.name.clone_from(to);
                self.check_free(&c)?;
            }
            CollationAction::SetSchema(to) => {
                let name = Name { schema: Some(to.clone()), name: c.name.clone() };
                let (schema, _) = self.new_name(&name)?;
                if schema == c.schema {
                    return Ok(());
                }
                c.schema = schema;
                self.check_free(&c)?;
            }
            CollationAction::Create { .. } | CollationAction::Copy { .. } => {
                return Err(SqlError::internal("CREATE COLLATION"));
            }
        }
        self.begin_definition()?;
        self.record(Change::Put(Object::Collation(Arc::new(c))))
    }

    /// Locks a collation's new name, which nobody may have.
    fn check_free(&mut self, c: &UserCollation) -> Result<(), SqlError> {
        self.lock_collation_name(c.schema, &c.name, TableLockMode::AccessExclusive)?;
        if self.catalog.collation_in(c.schema, &c.name).is_none() {
            return Ok(());
        }
        let encoding = if c.provider == 'i' { "" } else { " for encoding \"UTF8\"" };
        let schema = self.catalog.schema(c.schema).map_or("", |s| &s.name);
        let why = format!("collation \"{}\"{encoding} already exists in schema \"{schema}\"", c.name);
        Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why))
    }

    pub(super) fn drop_collations(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        let mut cascaded = Vec::new();
        for name in &d.names {
            self.refresh_catalog();
            let oid = match self.find_collation(name) {
                Ok(oid) => oid,
                Err(e) if d.if_exists => {
                    let what = match e.code {
                        SqlState::INVALID_SCHEMA_NAME => e.message.clone(),
                        _ => format!("collation \"{}\" does not exist", name.name),
                    };
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, format!("{what}, skipping"));
                    continue;
                }
                Err(e) => return Err(e),
            };
            if oid < FIRST_USER_OID {
                let why = format!(
                    "cannot drop collation {} because it is required by the database system",
                    quote_ident(&name.name)
                );
                return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why));
            }
            let schema = self.catalog.user_collation(oid).map_or(0, |c| c.schema);
            if !self.owns(schema) {
                self.check_owns(oid, "collation", &name.name)?;
            }
            self.drop_collation(oid, d.cascade, &mut cascaded)?;
        }
        self.tell_cascades(&cascaded);
        Ok(())
    }

    /// Drops one, and with CASCADE what has it.
    pub(super) fn drop_collation(
        &mut self,
        oid: u32,
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        let Some(c) = self.catalog.user_collation(oid).cloned() else { return Ok(()) };
        self.lock_collation_name(c.schema, &c.name, TableLockMode::AccessExclusive)?;
        let users = self.users_of_collation(oid);
        let readers = self.readers_of_columns(&users);
        if !users.is_empty() && !cascade {
            let shown = self.catalog.shown_collation(oid, self.search_path());
            let names: Vec<String> = users.iter().map(|u| u.to_string()).collect();
            let mut e = depends("collation", &shown, &names);
            for (reader, column) in &readers {
                let line =
                    format!("\n{} {} depends on {column}", noun_of(reader), quote_ident(reader.name()));
                e.detail.get_or_insert_default().push_str(&line);
            }
            return Err(e);
        }
        cascaded.extend(users.iter().map(|u| u.to_string()));
        cascaded.extend(readers.iter().map(|(r, _)| format!("{} {}", noun_of(r), quote_ident(r.name()))));
        if let Some(User::Other(_, what)) = users.iter().find(|u| matches!(u, User::Other(..))) {
            let why = format!("DROP COLLATION CASCADE of the collation of {what} is not supported");
            return Err(SqlError::unsupported(why));
        }
        let views: Vec<Relation> =
            users.iter().filter_map(User::view).chain(readers.into_iter().map(|r| r.0)).collect();
        self.drop_view_list(&views, true)?;
        for user in users {
            let (table, column, index) = match user {
                User::Column(table, column) => (table, Some(column), None),
                User::Index(table, index) => (table, None, Some(index)),
                User::View(_) | User::Other(..) => continue,
            };
            self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
            self.refresh_catalog();
            let Some(now) = self.catalog.table(table.oid).cloned() else { continue };
            let mut changed = (*now).clone();
            self.begin_definition()?;
            if let Some(column) = column {
                self.drop_column(&mut changed, &column, false, true)?;
            } else if let Some(index) = now.indexes.iter().find(|i| Some(i.oid) == index) {
                let schema = self.catalog.schema(table.schema).map(|s| s.name.clone());
                self.drop_index(&Name { schema, name: index.name.clone() }, true, false, false)?;
            }
        }
        self.begin_definition()?;
        self.record(Change::Remove(Kind::Collation, oid))
    }

    /// The views that read columns among what has a collation, and have not it themselves, each with such a column.
    fn readers_of_columns(&self, users: &[User]) -> Vec<(Relation, String)> {
        let own = |r: &Relation| users.iter().filter_map(User::view).any(|v| v.oid() == r.oid());
        let mut readers: Vec<(Relation, String)> = Vec::new();
        for user in users {
            let User::Column(t, name) = user else { continue };
            let Some(n) = t.column(name) else { continue };
            for r in self.readers_of_column(t.oid, n) {
                if !own(&r) && readers.iter().all(|(known, _)| known.oid() != r.oid()) {
                    readers.push((r, user.to_string()));
                }
            }
        }
        readers
    }

    /// What has a collation.
    fn users_of_collation(&self, oid: u32) -> Vec<User> {
        let named = |text: &str| Catalog::text_has_collation(text, oid);
        let mut users = Vec::new();
        for t in self.catalog.tables() {
            let of = t.live_columns().filter(|(_, c)| c.settings.collation == oid);
            let own: Vec<usize> = of.map(|(n, _)| n).collect();
            users.extend(own.iter().map(|n| User::Column(t.clone(), t.columns[*n].name.clone())));
            for i in &t.indexes {
                let mut texts =
                    i.extra.expressions.iter().map(|e| &*e.text).chain(i.extra.predicate.as_deref());
                let is_its = i.columns.iter().any(|c| c.collation.oid == oid) || texts.any(named);
                // With its column it goes anyway.
                if is_its && !own.iter().any(|n| i.reads_any(|c| c == *n)) {
                    users.push(User::Index(t.clone(), i.oid));
                }
            }
            let table = quote_ident(&t.name);
            let reads_own = |columns: &[usize]| columns.iter().any(|c| own.contains(c));
            let checks = t.checks.iter().filter(|c| named(&c.expr) && !reads_own(&c.columns));
            users.extend(checks.map(|c| {
                User::Other(c.oid, format!("constraint {} on table {table}", quote_ident(&c.name)))
            }));
            let is_default =
                |n: usize, c: &ColumnDef| c.default.as_deref().is_some_and(named) && !own.contains(&n);
            let defaults = t.live_columns().filter(|(n, c)| is_default(*n, c));
            users.extend(defaults.map(|(_, c)| {
                User::Other(
                    t.oid,
                    format!("default value for column {} of table {table}", quote_ident(&c.name)),
                )
            }));
        }
        for (relation, query) in self.catalog.stored_queries() {
            let is_column =
                matches!(&relation, Relation::View(v) if v.columns.iter().any(|c| c.collation == oid));
            if is_column || named(&query.text) {
                users.push(User::View(relation));
            }
        }
        for t in self.catalog.types() {
            let texts = |d: &Domain| d.checks.iter().map(|c| &*c.expr).chain(d.default.as_deref()).any(named);
            if t.domain.as_ref().is_some_and(|d| d.collation == oid || texts(d)) {
                users.push(User::Other(t.oid, format!("type {}", quote_ident(&t.name))));
            }
        }
        users.sort_by_key(User::oid);
        users
    }
}

/// What has a collation.
enum User {
    Column(Arc<Table>, String),
    Index(Arc<Table>, u32),
    View(Relation),
    Other(u32, String),
}

impl User {
    fn oid(&self) -> u32 {
        match self {
            User::Column(t, _) => t.oid,
            User::Index(_, oid) | User::Other(oid, _) => *oid,
            User::View(v) => v.oid(),
        }
    }

    fn view(&self) -> Option<Relation> {
        match self {
            User::View(v) => Some(v.clone()),
            _ => None,
        }
    }
}

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            User::Column(t, c) => write!(f, "column {} of table {}", quote_ident(c), quote_ident(&t.name)),
            User::Index(t, oid) => {
                let name = t.indexes.iter().find(|i| i.oid == *oid).map_or("?", |i| &i.name);
                write!(f, "index {}", quote_ident(name))
            }
            User::View(v) => write!(f, "{} {}", noun_of(v), quote_ident(v.name())),
            User::Other(_, what) => f.write_str(what),
        }
    }
}

fn missing(name: &str) -> SqlError {
    let why = format!("collation \"{name}\" for encoding \"UTF8\" does not exist");
    SqlError::new(SqlState::UNDEFINED_OBJECT, why)
}

/// What a predefined one is, without a name.
fn copied(oid: u32) -> Result<UserCollation, SqlError> {
    let own = predefined_name(oid).unwrap_or_default().to_owned();
    let provider = predefined_provider(oid);
    let locale = match provider {
        'd' => return Err(invalid("collation \"default\" cannot be copied")),
        'i' => predefined_locale(oid).unwrap_or_default().to_owned(),
        'b' => match own.as_str() {
            "pg_c_utf8" => "C.UTF-8".into(),
            "pg_unicode_fast" => "PG_UNICODE_FAST".into(),
            _ => "C".into(),
        },
        _ => own,
    };
    let ctype = if provider == 'c' { locale.clone() } else { String::new() };
    let (schema, name, is_deterministic) = (0, String::new(), true);
    let made =
        UserCollation { oid: 0, schema, name, provider, locale, ctype, is_deterministic, version: None };
    Ok(UserCollation { version: version_of(&made)?, ..made })
}
