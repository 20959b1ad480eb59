//! CREATE, ALTER and DROP DATABASE.
//!
//! A new database is a copy of its template: the rows of the template's catalog under the new database's mark, with the same OIDs, and a copy of each tree. While it is made
//! nobody may come into the template; while one is dropped nobody may come in there.
//!
//! Must not know: how sessions begin.

use super::Session;
use super::database_locale::SaidLocale;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::Stored;
use crate::catalog::store::{CATALOG_TREE, copy_value};
use crate::catalog::{
    Change, DATABASE_OID, DatabaseRow, FIRST_USER_OID, Heap, Index, Kind, Object, TEMPLATE1_OID, Table, codec,
};
use crate::instance::Instance;
use crate::parse::authority::RoleSpec;
use crate::parse::{DatabaseOption, DatabaseStmt};
use crate::session::privileges::{no_database, no_role};
use evenkeel::{Direction, KeyRange, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where names of databases are locked.
pub(super) const DATABASES: u32 = 1262;
/// How long others have to leave a database that is to be copied or dropped, as in PostgreSQL.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);
/// Rows that are copied at a time.
const COPIED_ROWS: usize = 1000;

/// What a statement says of a database.
#[derive(Default)]
struct Said {
    owner: Option<String>,
    template: Option<String>,
    allow_connections: Option<bool>,
    is_template: Option<bool>,
    connection_limit: Option<i32>,
    locale: SaidLocale,
}

/// Keeps others from coming in. Until it is dropped.
struct ClosedDoor {
    instance: Arc<Instance>,
    database: u32,
}

impl Drop for ClosedDoor {
    fn drop(&mut self) {
        self.instance.doors.open(self.database);
    }
}

impl Session {
    /// Runs a statement on databases; returns its tag.
    pub(crate) fn database_statement(&mut self, s: &DatabaseStmt) -> Result<&'static str, SqlError> {
        self.check_writable(s.tag())?;
        if matches!(s, DatabaseStmt::Create { .. } | DatabaseStmt::Drop { .. }) {
            self.refuse_in_block(s.tag())?;
            self.commit_implicit()?;
        }
        self.ensure_txn()?;
        self.refresh_catalog();
        match s {
            DatabaseStmt::Create { name, options } => self.create_database(name, options)?,
            DatabaseStmt::Alter { name, options } => self.alter_database(name, options)?,
            DatabaseStmt::Rename { name, new_name } => self.rename_database(name, new_name)?,
            DatabaseStmt::RefreshCollation { name } => {
                let oid = self.database_oid(name)?;
                self.check_owns(oid, "database", name)?;
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, "version has not changed");
            }
            DatabaseStmt::Drop { name, if_exists, force } => self.drop_database(name, *if_exists, *force)?,
        }
        Ok(s.tag())
    }

    fn may_create_databases(&self) -> bool {
        self.authority.is_superuser || self.security().role(self.current_role()).is_some_and(|r| r.create_db)
    }

    fn create_database(&mut self, name: &str, options: &[DatabaseOption]) -> Result<(), SqlError> {
        let said = self.options_of_database(options, true)?;
        let owner = match &said.owner {
            Some(owner) => self.find_role(&RoleSpec::Name(owner.clone()))?,
            None => self.current_role(),
        };
        if !self.may_create_databases() {
            let message = "permission denied to create database";
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
        }
        self.check_may_give_to(owner)?;
        let template = said.template.clone().unwrap_or_else(|| "template1".into());
        self.lock_database(name, TableLockMode::AccessExclusive)?;
        self.lock_database(&template, TableLockMode::Share)?;
        let Some(from) = self.catalog.database_named(&template).cloned() else {
            let message = format!("template database \"{template}\" does not exist");
            return Err(SqlError::new(SqlState::INVALID_CATALOG_NAME, message));
        };
        if !from.is_template && !self.owns(from.oid) {
            let message = format!("permission denied to copy database \"{template}\"");
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
        }
        self.check_is_new_database(name)?;
        let locale = said.locale.of_copy(&from)?;
        let door = self.close_database(&from, false)?;
        self.begin_definition()?;
        let oid = self.instance.store.new_oid()?;
        if owner >= crate::catalog::FIRST_USER_OID
            && self.lock_role(owner, TableLockMode::AccessShare)?.is_none()
        {
            return Err(no_role(&owner.to_string()));
        }
        self.copy_catalog(from.oid, oid)?;
        let row = DatabaseRow {
            allow_connections: said.allow_connections.unwrap_or(true),
            is_template: said.is_template.unwrap_or(false),
            connection_limit: said.connection_limit.unwrap_or(-1),
            locale,
            ..DatabaseRow::new(oid, name)
        };
        self.record(Change::Put(Object::Database(Arc::new(row))))?;
        self.give_to(oid, owner)?;
        self.end_of_database_change(door)
    }

    /// Commits, and has the databases known that there are then.
    fn end_of_database_change(&mut self, door: ClosedDoor) -> Result<(), SqlError> {
        self.commit_implicit()?;
        self.instance.store.follow_databases(self.part.current().basis)?;
        drop(door);
        Ok(())
    }

    fn check_is_new_database(&self, name: &str) -> Result<(), SqlError> {
        if self.catalog.database_named(name).is_none() {
            return Ok(());
        }
        Err(SqlError::new(SqlState::DUPLICATE_DATABASE, format!("database \"{name}\" already exists")))
    }

    /// Locks a database by name: exclusively whoever makes, changes or drops it.
    fn lock_database(&mut self, name: &str, mode: TableLockMode) -> Result<(), SqlError> {
        let lock = self.name_lock(DATABASES, name);
        self.lock_object(&lock, mode, name, false)?;
        self.refresh_catalog();
        Ok(())
    }

    /// Keeps others out of a database, once all but this session have left it; with `force` they are made to.
    fn close_database(&mut self, row: &DatabaseRow, force: bool) -> Result<ClosedDoor, SqlError> {
        let accessed = |n: usize| {
            let what =
                if force || row.oid != self.catalog.database && !row.is_template { "" } else { "source " };
            let message = format!("{what}database \"{}\" is being accessed by other users", row.name);
            let sessions = if n == 1 { "is 1 other session" } else { "are {n} other sessions" };
            SqlError::new(SqlState::OBJECT_IN_USE, message)
                .with_detail(format!("There {sessions} using the database.").replace("{n}", &n.to_string()))
        };
        self.instance.doors.close(row.oid);
        let door = ClosedDoor { instance: self.instance.clone(), database: row.oid };
        let until = Instant::now() + LEAVE_WITHIN;
        let mut told = false;
        loop {
            let own = usize::from(self.catalog.database == row.oid);
            let others = self.instance.sessions_in(row.oid).saturating_sub(own);
            if others == 0 {
                return Ok(door);
            }
            if !told {
                self.instance.cancel_own_in(row.oid);
                if force {
                    let pids = self.instance.pids_in(row.oid);
                    pids.iter().try_for_each(|pid| {
                        self.env.check_signal(*pid, "terminate process", "terminate", "processes")
                    })?;
                    pids.into_iter()
                        .filter(|p| *p != self.info.pid)
                        .for_each(|p| _ = self.instance.terminate(p));
                }
                told = true;
            }
            if Instant::now() >= until {
                return Err(accessed(others));
            }
            if self.interrupt.is_canceled() {
                return Err(evenkeel::Error::Canceled.into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes a copy of a database's definitions and rows under another's mark.
    fn copy_catalog(&mut self, from: u32, to: u32) -> Result<(), SqlError> {
        let part = self.instance.store.part(from).ok_or_else(|| no_database(&from.to_string()))?;
        let source = part.current();
        let mut temporary = BTreeSet::new();
        for s in source.schemas().filter(|s| s.is_temporary()) {
            temporary.insert((Kind::Schema, s.oid));
            let of = |schema: u32| schema == s.oid;
            temporary.extend(source.tables().filter(|t| of(t.schema)).map(|t| (Kind::Table, t.oid)));
            temporary.extend(source.sequences().filter(|x| of(x.schema)).map(|x| (Kind::Sequence, x.oid)));
            temporary.extend(source.views().filter(|x| of(x.schema)).map(|x| (Kind::View, x.oid)));
        }
        let range = match from {
            DATABASE_OID => KeyRange::all(),
            other => KeyRange::prefix(&codec::keys_of(other)),
        };
        let mut rows = Vec::new();
        let engine = self.engine()?;
        let mut cursor = engine.cursor(CATALOG_TREE, range, Direction::Forward)?;
        while let Some((key, value)) = cursor.next(engine)? {
            let Some((database, kind, oid)) = codec::read_key(key) else { continue };
            if let Some(kind) = (database == from).then(|| codec::copied_kind(kind)).flatten() {
                rows.push((kind, oid, value.to_vec()));
            }
        }
        drop(cursor);
        for (kind, oid, mut value) in rows {
            if temporary.contains(&(kind, oid)) {
                continue;
            }
            if kind != Kind::Statistics {
                let change = Change::Put(codec::decode(kind, oid, &value)?);
                if change.is_shared(&source) {
                    continue;
                }
                match change {
                    Change::Put(Object::Table(t)) => value = codec::encode(&self.copy_table(&t)?),
                    Change::Put(Object::Sequence(s)) => {
                        let mut copy = (*s).clone();
                        copy.values = self.instance.store.new_oid()?;
                        copy.lock = Arc::default();
                        if let Some(original) = source.sequence(oid) {
                            let state = self.instance.store.sequence_state(original)?;
                            copy_value(self.engine()?, &copy, state)?;
                        }
                        value = codec::encode(&Object::Sequence(Arc::new(copy)));
                    }
                    Change::Put(Object::LargeObjects(tree)) => {
                        value = codec::encode(&Object::LargeObjects(self.copy_tree(tree)?));
                    }
                    _ => {}
                }
            }
            self.engine()?.put(CATALOG_TREE, &codec::key_in(to, kind, oid), &value)?;
        }
        Ok(())
    }

    /// The table with trees of its own.
    fn copy_table(&mut self, table: &Table) -> Result<Object, SqlError> {
        let mut copy = table.clone();
        copy.heap = Heap::new(self.copy_tree(table.heap.tree)?);
        for index in &mut copy.indexes {
            let tree = self.copy_tree(index.tree)?;
            *index = Arc::new(Index { tree, ..(**index).clone() });
        }
        Ok(Object::Table(Arc::new(copy)))
    }

    fn copy_tree(&mut self, from: TreeId) -> Result<TreeId, SqlError> {
        let engine = self.engine()?;
        let to = engine.create_tree()?;
        let mut cursor = engine.cursor(from, KeyRange::all(), Direction::Forward)?;
        let mut rows = Vec::new();
        loop {
            while rows.len() < COPIED_ROWS
                && let Some((key, value)) = cursor.next(engine)?
            {
                rows.push((key.to_vec(), value.to_vec()));
            }
            if rows.is_empty() {
                return Ok(to);
            }
            for (key, value) in rows.drain(..) {
                engine.put(to, &key, &value)?;
            }
        }
    }

    fn alter_database(&mut self, name: &str, options: &[DatabaseOption]) -> Result<(), SqlError> {
        let said = self.options_of_database(options, false)?;
        self.lock_database(name, TableLockMode::AccessExclusive)?;
        let row = self.catalog.database_named(name).cloned().ok_or_else(|| no_database(name))?;
        self.check_owns(row.oid, "database", name)?;
        if said.allow_connections == Some(false) && row.oid == self.catalog.database {
            let message = "cannot disallow connections for current database";
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        self.begin_definition()?;
        let changed = DatabaseRow {
            allow_connections: said.allow_connections.unwrap_or(row.allow_connections),
            is_template: said.is_template.unwrap_or(row.is_template),
            connection_limit: said.connection_limit.unwrap_or(row.connection_limit),
            ..(*row).clone()
        };
        if changed == *row {
            return Ok(());
        }
        self.record(Change::Put(Object::Database(Arc::new(changed))))
    }

    fn rename_database(&mut self, name: &str, new_name: &str) -> Result<(), SqlError> {
        for name in [name.min(new_name), name.max(new_name)] {
            self.lock_database(name, TableLockMode::AccessExclusive)?;
        }
        let row = self.catalog.database_named(name).cloned().ok_or_else(|| no_database(name))?;
        self.check_owns(row.oid, "database", name)?;
        if !self.may_create_databases() {
            let message = "permission denied to rename database";
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
        }
        self.check_is_new_database(new_name)?;
        if row.oid == self.catalog.database {
            return Err(SqlError::unsupported("current database cannot be renamed"));
        }
        let door = self.close_database(&row, false)?;
        self.begin_definition()?;
        let renamed = DatabaseRow { name: new_name.to_owned(), ..(*row).clone() };
        self.record(Change::Put(Object::Database(Arc::new(renamed))))?;
        drop(door);
        Ok(())
    }

    fn drop_database(&mut self, name: &str, if_exists: bool, force: bool) -> Result<(), SqlError> {
        self.lock_database(name, TableLockMode::AccessExclusive)?;
        let Some(row) = self.catalog.database_named(name).cloned() else {
            if !if_exists {
                return Err(no_database(name));
            }
            let message = format!("database \"{name}\" does not exist, skipping");
            self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
            return Ok(());
        };
        self.check_owns(row.oid, "database", name)?;
        if row.is_template {
            let message = "cannot drop a template database";
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        if row.oid == self.catalog.database {
            let message = "cannot drop the currently open database";
            return Err(SqlError::new(SqlState::OBJECT_IN_USE, message));
        }
        if row.oid == DATABASE_OID || row.oid == TEMPLATE1_OID {
            // Invariant 1 of `catalog/database.rs`.
            return Err(SqlError::unsupported(format!("dropping the database \"{name}\" is not supported")));
        }
        let door = self.close_database(&row, force)?;
        let part = self.instance.store.part(row.oid).ok_or_else(|| no_database(name))?.current();
        self.begin_definition()?;
        let engine = self.engine()?;
        for t in part.tables() {
            engine.drop_tree(t.heap.tree)?;
            for i in &t.indexes {
                engine.drop_tree(i.tree)?;
            }
        }
        if let Some(tree) = part.large_objects() {
            engine.drop_tree(tree)?;
        }
        for s in part.sequences() {
            engine.remove(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values))?;
        }
        let mut keys = Vec::new();
        let mut cursor =
            engine.cursor(CATALOG_TREE, KeyRange::prefix(&codec::keys_of(row.oid)), Direction::Forward)?;
        while let Some((key, _)) = cursor.next(engine)? {
            keys.push(key.to_vec());
        }
        drop(cursor);
        for key in keys {
            engine.remove(CATALOG_TREE, &key)?;
        }
        let settings: Vec<_> =
            self.security().all_settings().filter(|s| s.within.contains_key(&row.oid)).cloned().collect();
        for s in settings {
            let mut left = (*s).clone();
            left.within.remove(&row.oid);
            match left.is_empty() {
                true => self.record(Change::Remove(Kind::RoleSettings, left.role))?,
                false => self.put_security(Stored::Settings(Arc::new(left)))?,
            }
        }
        if self.security().access(row.oid).is_some() {
            self.record(Change::Remove(Kind::Access, row.oid))?;
        }
        self.record(Change::Remove(Kind::Database, row.oid))?;
        self.end_of_database_change(door)
    }

    fn options_of_database(&self, options: &[DatabaseOption], is_new: bool) -> Result<Said, SqlError> {
        let mut said = Said::default();
        let mut seen = BTreeSet::new();
        for DatabaseOption { name, value } in options {
            let refuse = |code, message: String| Err(SqlError::new(code, message));
            if !seen.insert(name.as_str()) {
                return refuse(SqlState::SYNTAX_ERROR, "conflicting or redundant options".into());
            }
            let text = value.as_deref();
            match name.as_str() {
                "owner" if is_new => said.owner = value.clone(),
                "template" if is_new => said.template = value.clone(),
                "allow_connections" => said.allow_connections = text.map(|t| boolean(name, t)).transpose()?,
                "is_template" => said.is_template = text.map(|t| boolean(name, t)).transpose()?,
                "connection_limit" => {
                    let Some(text) = text else { continue };
                    match text.parse::<i32>() {
                        Ok(n) if n >= -1 => said.connection_limit = Some(n),
                        _ => {
                            let message = format!("invalid connection limit: {text}");
                            return refuse(SqlState::INVALID_PARAMETER_VALUE, message);
                        }
                    }
                }
                "tablespace" => match text {
                    None | Some("pg_default") => {}
                    Some(other) => {
                        let message = format!("tablespace \"{other}\" does not exist");
                        return refuse(SqlState::UNDEFINED_OBJECT, message);
                    }
                },
                "encoding" if is_new => {
                    let plain = |t: &str| t.to_ascii_lowercase().replace(['-', '_'], "");
                    match text.map(plain).as_deref() {
                        None | Some("utf8" | "unicode" | "6") => {}
                        _ => {
                            let shown = text.unwrap_or_default();
                            let code = shown.parse::<u32>().ok();
                            if code.is_some_and(|code| code > ENCODING_MAX) {
                                let message = format!("{shown} is not a valid encoding code");
                                return refuse(SqlState::UNDEFINED_OBJECT, message);
                            }
                            if code.is_none() && evenkeel_types::encoding::Encoding::named(shown).is_none() {
                                let message = format!("{shown} is not a valid encoding name");
                                return refuse(SqlState::UNDEFINED_OBJECT, message);
                            }
                            return Err(SqlError::unsupported(format!(
                                "encoding \"{shown}\" is not supported for databases: they are in UTF8"
                            )));
                        }
                    }
                }
                "locale" if is_new => said.locale.locale = value.clone(),
                "lc_collate" if is_new => said.locale.collate = value.clone(),
                "lc_ctype" if is_new => said.locale.ctype = value.clone(),
                "builtin_locale" if is_new => said.locale.builtin_locale = value.clone(),
                "icu_locale" if is_new => said.locale.icu_locale = value.clone(),
                "icu_rules" if is_new => said.locale.has_icu_rules = text.is_some(),
                "locale_provider" if is_new => {
                    said.locale.provider = match text.map(str::to_ascii_lowercase).as_deref() {
                        None => None,
                        Some("libc") => Some('c'),
                        Some("builtin") => Some('b'),
                        Some("icu") => Some('i'),
                        Some(other) => {
                            let message = format!("unrecognized locale provider: {other}");
                            return refuse(SqlState::INVALID_OBJECT_DEFINITION, message);
                        }
                    }
                }
                "strategy" if is_new => match text.map(str::to_ascii_lowercase).as_deref() {
                    None | Some("wal_log" | "file_copy") => {}
                    Some(other) => {
                        let message = format!("invalid create database strategy \"{other}\"");
                        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
                            .with_hint("Valid strategies are \"wal_log\" and \"file_copy\"."));
                    }
                },
                "oid"
                    if is_new
                        && text.and_then(|t| t.parse().ok()).is_some_and(|oid: u32| oid < FIRST_USER_OID) =>
                {
                    let message = format!("OIDs less than {FIRST_USER_OID} are reserved for system objects");
                    return refuse(SqlState::INVALID_PARAMETER_VALUE, message);
                }
                "collation_version" | "oid" if is_new => {}
                other => return refuse(SqlState::SYNTAX_ERROR, format!("option \"{other}\" not recognized")),
            }
        }
        Ok(said)
    }
}

/// The last code of an encoding.
const ENCODING_MAX: u32 = 41;

fn boolean(option: &str, text: &str) -> Result<bool, SqlError> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("{option} requires a Boolean value"))),
    }
}
