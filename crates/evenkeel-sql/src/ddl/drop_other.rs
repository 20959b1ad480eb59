//! DROP of what there is nothing of: functions that users made, triggers, rules, policies, publications and the like.
//!
//! Must not know: how the statements are written.

use crate::bind::types::named_type;
use crate::catalog::views::members::extension_of_function;
use crate::catalog::views::{signatures, types};
use crate::parse::{DropOtherStmt, Name, Other, parse_type};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};

/// What is built in of kinds that have names: it can be there, and cannot go.
const BUILT_IN: [(&str, &str); 12] = [
    ("access method", "btree"),
    ("access method", "hash"),
    ("access method", "gin"),
    ("access method", "gist"),
    ("access method", "brin"),
    ("access method", "heap"),
    ("language", "plpgsql"),
    ("language", "internal"),
    ("language", "sql"),
    ("language", "c"),
    ("text search configuration", "simple"),
    ("text search dictionary", "simple"),
];
/// Words that types' names of SQL begin with; PostgreSQL tells these as what they are in its catalog.
const OF_SQL: [&str; 20] = [
    "int",
    "integer",
    "smallint",
    "bigint",
    "real",
    "float",
    "double",
    "decimal",
    "dec",
    "numeric",
    "boolean",
    "bit",
    "character",
    "char",
    "varchar",
    "nchar",
    "national",
    "timestamp",
    "time",
    "interval",
];

impl Session {
    pub(crate) fn drop_other(&mut self, d: &DropOtherStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        for o in &d.objects {
            if let Other::Named(name) = o
                && d.noun == "statistics object"
                && self.drop_statistics(name)?
            {
                continue;
            }
            let missing = match o {
                Other::Named(name) => self.missing_named(d, name)?,
                Other::Called(name, args) => self.missing_called(d, name, args.as_deref())?,
                Other::OfTable(name, table) => self.missing_of_table(d, name, table)?,
            };
            if !d.if_exists {
                return Err(missing);
            }
            let message = format!("{}, skipping", missing.message);
            self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
        }
        Ok(())
    }

    fn missing_named(&self, d: &DropOtherStmt, name: &Name) -> Result<SqlError, SqlError> {
        if let Some(e) = self.missing_schema(name) {
            return Ok(e);
        }
        if BUILT_IN.contains(&(d.noun, &*name.name)) {
            return Err(SqlError::unsupported(format!("{} is not supported", d.tag)));
        }
        let shown = name.to_string();
        if d.noun == "foreign table"
            && let Some(found) =
                self.catalog.resolve(name.schema.as_deref(), &name.name, self.search_path())?
        {
            let why = format!("\"{}\" is not a foreign table", found.name());
            return Err(
                SqlError::new(SqlState::WRONG_OBJECT_TYPE, why).with_hint(super::drop::drop_hint(&found))
            );
        }
        let state = match d.noun {
            "foreign table" => SqlState::UNDEFINED_TABLE,
            _ => SqlState::UNDEFINED_OBJECT,
        };
        Ok(SqlError::new(state, format!("{} \"{shown}\" does not exist", d.noun)))
    }

    fn missing_of_table(&self, d: &DropOtherStmt, name: &str, table: &Name) -> Result<SqlError, SqlError> {
        if let Some(e) = self.missing_schema(table) {
            return Ok(e);
        }
        let found = self.catalog.resolve(table.schema.as_deref(), &table.name, self.search_path())?;
        let Some(found) = found else {
            let message = format!("relation \"{table}\" does not exist");
            return Ok(SqlError::new(SqlState::UNDEFINED_TABLE, message));
        };
        // With IF EXISTS, and for rules, the noun is another.
        let noun = if d.if_exists || d.noun == "rule" { "relation" } else { "table" };
        let message = format!("{} \"{name}\" for {noun} \"{}\" does not exist", d.noun, found.name());
        Ok(SqlError::new(SqlState::UNDEFINED_OBJECT, message))
    }

    fn missing_called(
        &self,
        d: &DropOtherStmt,
        name: &Name,
        args: Option<&[String]>,
    ) -> Result<SqlError, SqlError> {
        if let Some(e) = self.missing_schema(name) {
            return Ok(e);
        }
        let (mut oids, mut shown, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for text in args.unwrap_or_default() {
            match self.argument(text) {
                Ok((oid, name, said)) => {
                    oids.push(oid);
                    shown.push(name);
                    told.push(said);
                }
                Err(e) if matches!(e.code, SqlState::UNDEFINED_OBJECT | SqlState::INVALID_SCHEMA_NAME) => {
                    return Ok(e);
                }
                Err(e) => return Err(e),
            }
        }
        let in_catalog = name.schema.as_deref().is_none_or(|s| s == "pg_catalog");
        let found = match args {
            Some(_) => signatures::function(&name.name, &oids),
            None => types::function_oid(&name.name),
        };
        if let Some(oid) = found.filter(|_| in_catalog) {
            let shown = signatures::shown_function(oid).unwrap_or_else(|| name.name.clone());
            let e = |why: String| {
                let state = SqlState::DEPENDENT_OBJECTS_STILL_EXIST;
                SqlError::new(state, format!("cannot drop function {shown} because {why}"))
            };
            return Err(match extension_of_function(oid) {
                Some(of) if self.catalog.extension_named(of).is_some() => {
                    e(format!("extension {of} requires it"))
                        .with_hint(format!("You can drop extension {of} instead."))
                }
                _ => e("it is required by the database system".into()),
            });
        }
        let message = match (args, d.if_exists) {
            (None, false) => {
                let kind = if d.noun == "aggregate" { "aggregate" } else { d.noun };
                format!("could not find a {kind} named \"{name}\"")
            }
            (_, true) => format!("{} {name}({}) does not exist", d.noun, told.join(",")),
            (Some([]), false) if d.noun == "aggregate" => format!("aggregate {name}(*) does not exist"),
            (_, false) => format!("{} {name}({}) does not exist", d.noun, shown.join(", ")),
        };
        Ok(SqlError::new(SqlState::UNDEFINED_FUNCTION, message))
    }

    /// The type of an argument, which may have a name before it: its OID, how it is shown, and how it is told where something is missing.
    fn argument(&self, text: &str) -> Result<(u32, String, String), SqlError> {
        let find = |text: &str| {
            let named = named_type(&parse_type(text)?, Some((&self.catalog, self.search_path())))?;
            let oid = named.domain.unwrap_or_else(|| named.ty.oid());
            let first = text.split([' ', '(', '[']).next().unwrap_or(text);
            let is_of_sql = OF_SQL.iter().any(|w| first.eq_ignore_ascii_case(w));
            let element = named.ty.element().unwrap_or(named.ty);
            let brackets = if named.ty.element().is_some() { "[]" } else { "" };
            let told = match is_of_sql {
                true => format!("pg_catalog.{}{brackets}", element.pg_name()),
                false => text.to_owned(),
            };
            Ok::<_, SqlError>((oid, named.ty.sql_name().into_owned(), told))
        };
        let whole = find(text);
        match (&whole, text.split_once(' ')) {
            (Err(e), Some((_, rest))) if e.code == SqlState::SYNTAX_ERROR => find(rest),
            (Err(_), Some((_, rest))) => find(rest).or(whole),
            _ => whole,
        }
    }
}
