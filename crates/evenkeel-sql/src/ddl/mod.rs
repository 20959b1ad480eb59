//! Definition statements: what they share, and schemas. Tables, constraints, indexes and sequences have files of their own.
//!
//! A definition statement locks the tables concerned, begins its statement (so its snapshot is younger than the lock, in every isolation: `begin_definition`),
//! changes trees and catalog rows in the session's transaction, and notes the change for the session's own view of the catalog.
//!
//! Must not know: how the catalog is stored.
//!
#![doc = include_str!("README.md")]

pub mod adopt;
mod alter;
mod alter_object;
mod cluster;
mod collation;
mod column;
mod comment;
mod composite;
mod concurrently;
mod constraint;
mod create;
mod database;
mod database_locale;
mod default;
mod domain;
mod drop;
mod drop_other;
mod drop_sequence;
mod exclusion;
mod extended;
mod extension;
mod generated;
mod grant;
mod index;
mod large_object;
mod like;
mod marks;
mod membership;
mod owner;
mod parameters;
mod place;
mod refresh;
mod reindex;
mod role;
mod schema;
mod sequence;
mod standing;
mod type_texts;
mod typed_table;
mod types;
mod view;

use crate::bind::{Binder, foreign, split_relation};
use crate::catalog::locks::{ObjectLock, TableLockMode};
use crate::catalog::security::acl::{CREATE, Class, Privileges};
use crate::catalog::store::write_change;
use crate::catalog::{Catalog, Change, Object, Table};
use crate::exec::{Cx, RunState};
use crate::parse::Name;
use crate::plan::{Plan, Target};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use sqlparser::ast;
use std::sync::Arc;

impl Session {
    /// Runs a definition statement; returns its tag. `given`: parameters of the query that a table is created from, with their types.
    pub(crate) fn definition(
        &mut self,
        s: &ast::Statement,
        given: (&[Type], &[Datum]),
    ) -> Result<String, SqlError> {
        use ast::Statement as S;
        let (what, result) = match s {
            S::CreateTable(c) => {
                self.check_writable("CREATE TABLE")?;
                match &c.query {
                    Some(q) => return self.create_table_as(c, q, given),
                    None => ("CREATE TABLE", self.create_table(c)),
                }
            }
            S::CreateIndex(c) => {
                self.check_writable("CREATE INDEX")?;
                ("CREATE INDEX", self.create_index(c))
            }
            S::CreateSchema { schema_name, if_not_exists, .. } => {
                foreign::of_create_schema(s)?;
                self.check_writable("CREATE SCHEMA")?;
                ("CREATE SCHEMA", self.create_schema(schema_name, *if_not_exists))
            }
            other => {
                let text = other.to_string();
                let verb: Vec<&str> = text.split_whitespace().take(2).collect();
                return Err(SqlError::unsupported(format!("{} is not supported", verb.join(" "))));
            }
        };
        result?;
        Ok(what.to_owned())
    }

    /// Writes a change into the catalog and into the session's view of it.
    pub(crate) fn record(&mut self, change: Change) -> Result<(), SqlError> {
        let beside = self.with_change(&change)?;
        let mut changes = self.comments_after(&change);
        changes.push(change);
        changes.extend(beside);
        for change in changes {
            let catalog = self.catalog.clone();
            write_change(self.engine()?, &catalog, &change)?;
            if let Some(t) = &mut self.txn {
                t.changes.push(change);
            }
        }
        self.refresh_catalog();
        Ok(())
    }

    /// The lock of a name in a schema of this database, or among the roles.
    pub(crate) fn name_lock(&self, schema: u32, name: &str) -> Arc<ObjectLock> {
        let is_shared = schema == role::ROLES || schema == database::DATABASES;
        let database = if is_shared { 0 } else { self.catalog.database };
        self.instance.locks.name_lock(database, schema, name)
    }

    /// Refuses who has not a privilege on the database of the session.
    pub(super) fn check_may_in_database(&self, privilege: Privileges) -> Result<(), SqlError> {
        let database = self.catalog.database;
        self.check_may(database, Class::Database, self.catalog.database_name(), privilege)
    }

    pub(crate) fn put_table(&mut self, mut table: Table) -> Result<Arc<Table>, SqlError> {
        self.name_not_nulls(&mut table)?;
        let table = Arc::new(table);
        self.record(Change::Put(Object::Table(table.clone())))?;
        Ok(table)
    }

    /// Locks a name in a schema against others who would create it too.
    pub(crate) fn lock_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.ensure_txn()?;
        let lock = self.name_lock(schema, name);
        self.lock_object(&lock, TableLockMode::AccessExclusive, name, false)?;
        self.refresh_catalog();
        Ok(())
    }

    /// The same of something that is to be made; false: it is there. What may be there already (`if_not_exists`) and is keeps nobody waiting, and leaves no lock: whoever
    /// says the same meanwhile need not wait for this transaction.
    pub(super) fn lock_new_name(
        &mut self,
        schema: u32,
        name: &str,
        if_not_exists: bool,
        is_there: &dyn Fn(&Catalog) -> bool,
    ) -> Result<bool, SqlError> {
        self.refresh_catalog();
        if if_not_exists && is_there(&self.catalog) {
            return Ok(false);
        }
        let before = self.held.lock().mark();
        self.lock_name(schema, name)?;
        let is_there = is_there(&self.catalog);
        if is_there && if_not_exists {
            self.held.lock().release_since(&before);
        }
        Ok(!is_there)
    }

    /// The same of a relation; false: it is there, may be, and the client was told.
    pub(super) fn lock_new_relation(
        &mut self,
        schema: u32,
        name: &str,
        if_not_exists: bool,
    ) -> Result<bool, SqlError> {
        let is_there = |c: &Catalog| c.relation_in(schema, name).is_some();
        if self.lock_new_name(schema, name, if_not_exists, &is_there)? {
            return Ok(true);
        }
        if !if_not_exists {
            return Err(exists(name));
        }
        self.already_exists(name);
        Ok(false)
    }

    /// Locks a table and returns it as it is once the lock is held.
    pub(crate) fn lock_table(&mut self, name: &Name, mode: TableLockMode) -> Result<Arc<Table>, SqlError> {
        self.ensure_txn()?;
        loop {
            let table = self.find_table(name)?;
            self.lock_object(&table.shared.lock, mode, &table.name, false)?;
            let now = self.find_table(name)?;
            if now.oid == table.oid {
                return Ok(now);
            }
        }
    }

    /// The schema and name that a new object gets.
    pub(super) fn new_name(&mut self, name: &Name) -> Result<(u32, String), SqlError> {
        let is_temp = match name.schema.as_deref() {
            None => self.temporary.is_first,
            Some(s) => s == "pg_temp",
        };
        if is_temp {
            return Ok((self.temp_schema()?, name.name.clone()));
        }
        let schema = match &name.schema {
            None => self.creation_schema()?,
            Some(s) => {
                let schema = self.catalog.schema_named(s).ok_or_else(|| {
                    SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{s}\" does not exist"))
                })?;
                if schema.is_temporary() && self.own_temp_schema() != Some(schema.oid) {
                    let why = "cannot create relations in temporary schemas of other sessions";
                    return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
                }
                schema.oid
            }
        };
        if crate::session::is_system_schema(schema) {
            return Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to create \"{name}\"").replace('"', "\""),
            )
            .with_detail("System catalog modifications are currently disallowed."));
        }
        if !self.may(schema, Class::Schema, CREATE) {
            let schema = self.catalog.schema(schema).map_or(String::new(), |s| s.name.clone());
            return Err(crate::catalog::security::acl::denied("schema", &schema));
        }
        self.keep_schema(schema)?;
        Ok((schema, name.name.clone()))
    }

    /// Has a schema stay until the transaction ends, which makes something in it. Blocks for whoever is about to drop it.
    fn keep_schema(&mut self, schema: u32) -> Result<(), SqlError> {
        let named = |s: &Session| s.catalog.schema(schema).map(|s| s.name.clone());
        let Some(name) = named(self) else { return Ok(()) };
        let lock = self.name_lock(0, &name);
        self.ensure_txn()?;
        self.lock_object(&lock, TableLockMode::AccessShare, &name, false)?;
        self.refresh_catalog();
        match named(self) {
            Some(_) => Ok(()),
            None => {
                let why = format!("schema \"{name}\" does not exist");
                Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, why))
            }
        }
    }

    /// The same of a temporary one.
    pub(super) fn new_temp_name(&mut self, name: &Name) -> Result<(u32, String), SqlError> {
        self.refresh_catalog();
        let named = name.schema.as_deref().filter(|s| *s != "pg_temp");
        let own = self.own_temp_schema().and_then(|s| self.catalog.schema(s)).map(|s| s.name.as_str());
        if named.is_some() && named != own {
            let why = "cannot create temporary relation in non-temporary schema";
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        Ok((self.temp_schema()?, name.name.clone()))
    }

    /// Runs something with the context of an executor that has no plan.
    pub(crate) fn with_bare_cx<T>(
        &mut self,
        f: impl FnOnce(&mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let plan = Plan::nothing(self.catalog.version);
        let mut run = RunState::new(&plan, &self.budget);
        self.with_cx(&plan, &[], &mut run, f)
    }

    /// A table whose rows are written as they come: nothing is checked or computed of them, only its indexes know them.
    fn bare_target(&self, table: &Arc<Table>) -> Result<Target, SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        Ok(Target {
            table: table.clone(),
            forms: Binder::new(&cx, &[]).forms(table)?,
            checks: Vec::new(),
            generated: Vec::new(),
            not_null: Vec::new(),
            foreign_keys: Vec::new(),
            referencing: Vec::new(),
        })
    }

    /// Refuses a table for the rows of a query that is there already: before it is asked who may make it.
    fn check_is_new(&mut self, c: &ast::CreateTable) -> Result<(), SqlError> {
        self.refresh_catalog();
        let is_there = self.is_there(&c.name, c.temporary)?;
        if is_there && !c.if_not_exists { Err(exists(&name_of(&c.name)?.name)) } else { Ok(()) }
    }

    /// Whether what EXPLAIN would create is there already: fails, or says so.
    pub(crate) fn explained_is_there(&mut self, c: &crate::parse::Created) -> Result<bool, SqlError> {
        if !self.is_there(&c.name, c.temporary)? {
            return Ok(false);
        }
        let name = name_of(&c.name)?.name;
        if !c.if_not_exists {
            return Err(exists(&name));
        }
        self.already_exists(&name);
        Ok(true)
    }

    fn is_there(&mut self, name: &ast::ObjectName, temporary: bool) -> Result<bool, SqlError> {
        let name = name_of(name)?;
        let schema = match &name.schema {
            _ if temporary => self.own_temp_schema(),
            Some(s) => self.catalog.schema_named(s).map(|s| s.oid),
            None => self.creation_schema().ok(),
        };
        Ok(schema.is_some_and(|s| self.catalog.relation_in(s, &name.name).is_some()))
    }

    pub(super) fn already_exists(&mut self, name: &str) {
        self.notice(
            "NOTICE",
            SqlState::DUPLICATE_TABLE,
            format!("relation \"{name}\" already exists, skipping"),
        );
    }
}

/// Whether users may have a schema of this name.
fn check_schema_name(name: &str) -> Result<(), SqlError> {
    if !name.starts_with("pg_") {
        return Ok(());
    }
    Err(SqlError::new(SqlState::RESERVED_NAME, format!("unacceptable schema name \"{name}\""))
        .with_detail("The prefix \"pg_\" is reserved for system schemas."))
}

/// `relation "x" already exists`
pub(crate) fn exists(name: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_TABLE, format!("relation \"{name}\" already exists"))
}

/// `cannot drop … because other objects depend on it`
pub(crate) fn depends(kind: &str, name: &str, dependents: &[String]) -> SqlError {
    let lines: Vec<String> = dependents.iter().map(|d| format!("{d} depends on {kind} {name}")).collect();
    SqlError::new(
        SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        format!("cannot drop {kind} {name} because other objects depend on it"),
    )
    .with_detail(lines.join("\n"))
    .with_hint("Use DROP ... CASCADE to drop the dependent objects too.")
}

/// The same of several that are dropped at once.
pub(super) fn several_depended_on() -> SqlError {
    let mut e = depends("", "", &[]);
    e.message = "cannot drop desired object(s) because other objects depend on them".into();
    e
}

/// A possibly qualified name.
pub(super) fn name_of(n: &ast::ObjectName) -> Result<Name, SqlError> {
    let (schema, name) = split_relation(n)?;
    Ok(Name { schema, name })
}

/// `a_b_suffix`, cut to 63 bytes, with a number if it is taken.
pub(super) fn choose_name(first: &str, second: &str, suffix: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut pass = 0;
    loop {
        let tail = if pass == 0 { suffix.to_owned() } else { format!("{suffix}{pass}") };
        let room = 63 - tail.len() - 1 - usize::from(!second.is_empty());
        let (mut a, mut b) = (first.to_owned(), second.to_owned());
        while a.len() + b.len() > room {
            if a.len() > b.len() {
                a.pop()
            } else {
                b.pop()
            };
        }
        let name = if b.is_empty() { format!("{a}_{tail}") } else { format!("{a}_{b}_{tail}") };
        if !taken(&name) {
            return name;
        }
        pass += 1;
    }
}
