//! Temporary objects: a schema of the session's own, `pg_temp_N`, that is made with the first of them and dropped with the session.
//!
//! Invariants:
//! 1. Nobody else has the number N while the session lives; what is in a schema of that number when it is taken was left by a crash, and is dropped.
//! 2. The schema is on the session's search path and on nobody else's: that is what `pg_temp` stands for.
//! 3. Temporary objects are logged like others. What ON COMMIT says is known to the session alone.
//!
//! Must not know: how tables are made and dropped.

use super::Session;
use crate::catalog::security::acl::{Class, TEMPORARY};
use crate::catalog::{Change, Object, Schema, Table};
use crate::instance::Instance;
use evenkeel_types::error::{SqlError, SqlState};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happens to a temporary table at the end of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnCommit {
    /// DELETE ROWS
    DeleteRows,
    /// DROP
    Drop,
}

/// What a session knows of its temporary objects.
#[derive(Default)]
pub(crate) struct Temporary {
    /// N.
    number: Option<u32>,
    /// The schema, if it was not rolled back.
    schema: Option<u32>,
    on_commit: BTreeMap<u32, OnCommit>,
    /// `search_path` begins with `pg_temp`: what is created goes there.
    pub is_first: bool,
}

impl Session {
    /// The schema of temporary objects, if there is one.
    pub(crate) fn own_temp_schema(&self) -> Option<u32> {
        self.temporary.schema.filter(|s| self.catalog.schema(*s).is_some())
    }

    /// The schema of temporary objects, to put one into.
    pub(crate) fn temp_schema(&mut self) -> Result<u32, SqlError> {
        if !self.may(self.catalog.database, Class::Database, TEMPORARY) {
            let why = format!(
                "permission denied to create temporary tables in database \"{}\"",
                self.catalog.database_name()
            );
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why));
        }
        if let Some(schema) = self.own_temp_schema() {
            return Ok(schema);
        }
        let number = match self.temporary.number {
            Some(n) => n,
            None => *self.temporary.number.insert(self.instance.take_temp_number()),
        };
        let name = format!("pg_temp_{number}");
        self.ensure_txn()?;
        self.begin_statement()?;
        if let Some(left) = self.catalog.schema_named(&name).map(|s| s.oid) {
            self.drop_temp_schema(left)?;
        }
        let oid = self.instance.store.new_oid()?;
        self.temporary.schema = Some(oid);
        self.record(Change::Put(Object::Schema(Arc::new(Schema { oid, name }))))?;
        Ok(oid)
    }

    /// Notes what a table's ON COMMIT says.
    pub(crate) fn set_on_commit(&mut self, table: u32, action: OnCommit) {
        self.temporary.on_commit.insert(table, action);
    }

    /// Does what ON COMMIT says, before the transaction ends.
    pub(super) fn do_on_commit(&mut self) -> Result<(), SqlError> {
        if self.temporary.on_commit.is_empty() || self.txn.as_ref().is_none_or(|t| t.failed) {
            return Ok(());
        }
        self.refresh_catalog();
        let is_emptied = |oid: u32| matches!(self.temporary.on_commit.get(&oid), Some(OnCommit::DeleteRows));
        for parent in self.temporary.on_commit.keys().filter(|oid| is_emptied(**oid)) {
            let stays = |child: &&Arc<Table>| !is_emptied(child.oid);
            if let Some(child) = self.catalog.referencing_tables(*parent).find(stays) {
                let name = self.catalog.table(*parent).map_or("?", |t| &t.name);
                let why = "unsupported ON COMMIT and foreign key combination";
                return Err(SqlError::unsupported(why).with_detail(format!(
                    "Table \"{}\" references \"{name}\", but they do not have the same ON COMMIT setting.",
                    child.name
                )));
            }
        }
        let (mut dropped, mut emptied) = (Vec::new(), Vec::new());
        for (oid, action) in &self.temporary.on_commit {
            let Some(table) = self.catalog.table(*oid) else { continue };
            match action {
                OnCommit::Drop => dropped.push(table.clone()),
                OnCommit::DeleteRows if self.instance.database().max_key(table.heap.tree)?.is_some() => {
                    emptied.push(table.clone());
                }
                OnCommit::DeleteRows => {}
            }
        }
        if !emptied.is_empty() {
            self.begin_statement()?;
            for table in emptied {
                let mut changed = (*table).clone();
                self.empty(&mut changed)?;
                self.put_table(changed)?;
            }
        }
        self.drop_temp_tables(&dropped)
    }

    /// Forgets what ON COMMIT says of tables that are gone, once a transaction has ended.
    pub(super) fn forget_on_commit(&mut self) {
        let current = self.part.current();
        self.temporary.on_commit.retain(|oid, _| current.table(*oid).is_some());
    }

    /// DISCARD TEMP.
    pub(super) fn discard_temporary(&mut self) -> Result<(), SqlError> {
        match self.own_temp_schema() {
            Some(schema) => self.drop_temp_objects(schema),
            None => Ok(()),
        }
    }

    /// The end of the session: its temporary objects go.
    pub(super) fn leave_temporary(&mut self) {
        let Some(number) = self.temporary.number else { return };
        self.rollback();
        self.interrupt.clear();
        self.refresh_catalog();
        if let Some(schema) = self.own_temp_schema() {
            let dropped = self.drop_temp_schema(schema).and_then(|()| self.end_implicit());
            if let Err(e) = dropped {
                // Whoever gets the number next, or the next start, tries again.
                tracing::warn!(error = %e, "temporary objects of a session were not dropped");
                self.rollback();
            }
        }
        self.instance.give_temp_number(number);
    }

    /// Drops what sessions before a crash have left.
    fn drop_left_temporary(&mut self) -> Result<(), SqlError> {
        self.refresh_catalog();
        let left: Vec<u32> = self.catalog.schemas().filter(|s| s.is_temporary()).map(|s| s.oid).collect();
        for schema in left {
            self.drop_temp_schema(schema)?;
        }
        self.end_implicit()
    }

    /// Refuses a table for the temporary objects of another session: their rows are that session's business.
    pub(crate) fn is_of_another_session(&self, table: &Table) -> bool {
        self.catalog.is_temporary(table.schema) && self.own_temp_schema() != Some(table.schema)
    }
}

impl Instance {
    /// Drops what sessions before a crash have left. Before the first session.
    pub(crate) fn drop_left_temporary(self: &Arc<Self>) -> Result<(), SqlError> {
        for part in self.store.parts() {
            let current = part.current();
            if !current.schemas().any(|s| s.is_temporary()) {
                continue;
            }
            self.drop_left_temporary_in(current.database_name().to_owned())?;
        }
        Ok(())
    }

    fn drop_left_temporary_in(self: &Arc<Self>, database: String) -> Result<(), SqlError> {
        let mut session = self.session(super::SessionParams {
            user: String::new(),
            database,
            application_name: "temporary objects".into(),
            client_addr: None,
            server_addr: None,
            client_port: None,
            system_user: None,
            configured: Default::default(),
            settings: Vec::new(),
            backend_pid: 0,
            interrupt: evenkeel::Interrupt::new(),
            statement_memory_bytes: 1 << 20,
            as_owner: true,
            log_origin: Default::default(),
        })?;
        session.defer_durability(); // nobody is told, and a server begins without its standbys
        session.drop_left_temporary()
    }
}
