//! What functions and system views may ask of the session.
//!
//! Must not know: statements.

pub(crate) mod examined;
mod exported;
mod large_objects;
mod locks;
mod prewarm;
mod sequences;
mod signals;
mod statistics;
mod views;
mod written;

use super::Notice;
use super::has_privilege::Asked;
use super::named::NamedStatements;
use super::notifier::{ListenAction, PendingNotify};
use super::notify::{check_notification, during_recovery};
use super::privileges::{Authority, not_set, refused};
use super::reg::{Names, is_visible, reg_name, reg_oid};
use super::set_one::{PendingSetting, SEED, SEED_SHOWN, shown_as};
use super::settings::Settings;
use crate::bind::deparse::Over;
use crate::catalog::advisory::{AdvisoryLocks, mode_of};
use crate::catalog::large_objects::CLASS_OID;
use crate::catalog::locks::{HeldLocks, Wait};
use crate::catalog::security::acl::{self, Class};
use crate::catalog::store::Part;
use crate::catalog::views::comments::OF_PUBLIC;
use crate::catalog::views::index_text::ForPeople;
use crate::catalog::views::{CursorRow, constraints, index_text, properties};
use crate::catalog::{Catalog, Changed, OWNER_OID, PG_CATALOG_OID, PUBLIC_OID, Relation};
use crate::counted::Which;
use crate::instance::{Instance, SessionInfo};
use crate::of_engine::Group;
use crate::parse::IsolationLevel;
use evenkeel::base::blocking;
use evenkeel::settings::Shown;
use evenkeel::{Basis, Lsn};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::random::Generator;
use evenkeel_types::guard::build::kept;
use evenkeel_types::quote_ident;
use evenkeel_types::{
    AclEntry, AdvisoryKey, AdvisoryMode, ArrayDatum, Datum, Env, ObjectIdentity, ObjectKind, PrivilegeTarget,
    RegNames, SizeKind, Type,
};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// 2000-01-01 UTC, milliseconds since the Unix epoch.
const EPOCH_MS: i64 = 946_684_800_000;

/// The options of `evenkeel_backup`: `name=value`, separated by commas.
fn backup_options(text: &str) -> Result<evenkeel::BackupOptions, SqlError> {
    let mut options = evenkeel::BackupOptions::default();
    let bad = |what: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, what);
    for option in text.split(',').map(str::trim).filter(|o| !o.is_empty()) {
        let (name, value) = option.split_once('=').map_or((option, "on"), |(n, v)| (n.trim(), v.trim()));
        let wrong = || bad(format!("invalid value for option \"{name}\" of a backup: \"{value}\""));
        let which = match value {
            "off" | "false" => None,
            "on" | "true" | "latest" => Some(evenkeel::Which::Latest),
            id => Some(evenkeel::Which::Id(id.into())),
        };
        match name {
            "incremental" => options.incremental = which,
            "resume" => options.resume = which,
            "checkpoint" => {
                options.fast_checkpoint = match value {
                    "fast" => true,
                    "spread" => false,
                    _ => return Err(wrong()),
                }
            }
            "rate" => options.rate_bytes_per_s = value.parse().map_err(|_| wrong())?,
            "level" => options.level = value.parse().map_err(|_| wrong())?,
            "archive_wait" => {
                options.archive_wait = Duration::from_secs(value.parse().map_err(|_| wrong())?);
            }
            _ => {
                return Err(bad(format!(
                    "a backup has no option \"{name}\": there are incremental, resume, checkpoint, rate (bytes a second), level, archive_wait (seconds)"
                )));
            }
        }
    }
    Ok(options)
}

/// The session as functions see it.
pub(crate) struct SessionEnv {
    instance: Arc<Instance>,
    info: Arc<SessionInfo>,
    names: Arc<Names>,
    /// The committed catalog of its database.
    part: Arc<Part>,
    catalog: Arc<Catalog>,
    /// SESSION_USER and CURRENT_USER.
    roles: (u32, u32),
    path: Vec<u32>,
    /// So many of its schemas are searched first without being named.
    pub(super) implicit: usize,
    settings: Vec<(String, String)>,
    rows: RefCell<Vec<Shown>>,
    pending: RefCell<Vec<PendingSetting>>,
    txn: Cell<(IsolationLevel, bool, bool)>,
    txn_id: Cell<Option<u64>>,
    statement_us: Cell<i64>,
    sequences: RefCell<HashMap<u32, i64>>,
    last_sequence: Cell<Option<u32>>,
    random: Cell<Generator>,
    /// What sequence values rest on that were drawn here.
    drawn: Cell<Basis>,
    /// What those rest on that it looked at.
    looked_at: Cell<Basis>,
    /// What those settings rest on that are kept for its role and database.
    kept: Basis,
    named: Arc<NamedStatements>,
    advisory: RefCell<AdvisoryLocks>,
    /// The session's, and here for those of sequences.
    held: Arc<Mutex<HeldLocks>>,
    lock_timeout: Cell<Option<Duration>>,
    cursors: RefCell<Vec<CursorRow>>,
    large_objects: large_objects::LargeObjects,
    exported: exported::OwnExports,
    pending_notify: RefCell<PendingNotify>,
    memory_bytes: Cell<usize>,
    /// What functions have to say beside their results.
    notices: RefCell<Vec<Notice>>,
    /// What the transaction did to the rows of tables.
    changed: RefCell<Vec<(u32, Changed)>>,
}

impl SessionEnv {
    pub(crate) fn new(
        instance: Arc<Instance>,
        info: Arc<SessionInfo>,
        (part, catalog): (Arc<Part>, Arc<Catalog>),
        named: Arc<NamedStatements>,
        held: Arc<Mutex<HeldLocks>>,
    ) -> SessionEnv {
        let names = Arc::new(Names {
            catalog: Mutex::new((catalog.clone(), Vec::new(), OWNER_OID)),
            committed: Mutex::new(None),
            database: catalog.database_name().to_owned(),
        });
        let kept = catalog.basis;
        let advisory = AdvisoryLocks::new(info.owner, instance.locks.clone()).into();
        let exported = exported::OwnExports::new(instance.clone());
        SessionEnv {
            instance,
            info,
            names,
            part,
            catalog,
            roles: (OWNER_OID, OWNER_OID),
            path: Vec::new(),
            implicit: 0,
            settings: Vec::new(),
            rows: RefCell::default(),
            pending: RefCell::default(),
            txn: Cell::new((IsolationLevel::ReadCommitted, false, false)),
            txn_id: Cell::new(None),
            statement_us: Cell::new(0),
            sequences: RefCell::default(),
            last_sequence: Cell::new(None),
            random: Cell::default(),
            drawn: Cell::new(Basis::NONE),
            looked_at: Cell::new(Basis::NONE),
            kept,
            named,
            advisory,
            held,
            lock_timeout: Cell::new(None),
            cursors: RefCell::default(),
            large_objects: Default::default(),
            exported,
            pending_notify: RefCell::default(),
            memory_bytes: Cell::new(0),
            notices: RefCell::default(),
            changed: RefCell::default(),
        }
    }

    pub(crate) fn names(&self) -> Arc<dyn RegNames> {
        self.names.clone()
    }

    /// The catalog, the search path or a setting changed.
    pub(crate) fn update(
        &mut self,
        catalog: Arc<Catalog>,
        path: &[u32],
        settings: &Settings,
        authority: &Authority,
    ) {
        self.roles = (authority.session, authority.current);
        *self.names.catalog.lock() = (catalog.clone(), path.to_vec(), authority.current);
        self.catalog = catalog;
        self.path = path.to_vec();
        self.lock_timeout.set(settings.duration("lock_timeout"));
        let rows = settings.rows();
        self.settings = rows.iter().map(|r| (r.name.to_ascii_lowercase(), r.value.clone())).collect();
        *self.rows.borrow_mut() = rows;
    }

    /// What was there before the transaction's own definitions; None: it has made none.
    pub(crate) fn set_committed(&self, catalog: Option<Arc<Catalog>>) {
        *self.names.committed.lock() = catalog;
    }

    pub(crate) fn set_transaction(&self, isolation: IsolationLevel, read_only: bool, deferrable: bool) {
        self.txn.set((isolation, read_only, deferrable));
    }

    /// The transaction did this to the rows of a table.
    pub(crate) fn note_changed(&self, table: u32, more: Changed) {
        let mut all = self.changed.borrow_mut();
        match all.iter_mut().find(|(oid, _)| *oid == table) {
            Some((_, changed)) => changed.add(more),
            None => all.push((table, more)),
        }
    }

    /// What it did.
    pub(crate) fn changed(&self) -> Vec<(u32, Changed)> {
        self.changed.borrow().clone()
    }

    /// The same, which is forgotten.
    pub(crate) fn take_changed(&self) -> Vec<(u32, Changed)> {
        std::mem::take(&mut *self.changed.borrow_mut())
    }

    /// Nothing was done yet.
    pub(crate) fn begin_changed(&self) {
        self.changed.borrow_mut().clear();
    }

    pub(crate) fn set_transaction_id(&self, id: Option<u64>) {
        self.txn_id.set(id);
    }

    pub(crate) fn set_statement_us(&self, us: i64) {
        self.statement_us.set(us);
    }

    /// The transaction's advisory locks, to go back to.
    pub(crate) fn advisory_mark(&self) -> usize {
        self.advisory.borrow().mark()
    }

    /// Gives up the advisory locks that the transaction took since then; 0: all.
    pub(crate) fn release_advisory(&self, mark: usize) {
        self.advisory.borrow_mut().release_since(mark);
    }

    pub(crate) fn set_cursors(&self, rows: Vec<CursorRow>) {
        *self.cursors.borrow_mut() = rows;
    }

    /// What is pending of notifications and may take, in bytes.
    pub(crate) fn set_memory(&self, bytes: usize) {
        self.memory_bytes.set(bytes);
    }

    pub(crate) fn act(&self, action: ListenAction) {
        self.pending_notify.borrow_mut().act(action);
    }

    pub(crate) fn pending_notify(&self) -> std::cell::RefMut<'_, PendingNotify> {
        self.pending_notify.borrow_mut()
    }

    pub(crate) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.notices.borrow_mut())
    }

    pub(crate) fn has_settings(&self) -> bool {
        !self.pending.borrow().is_empty()
    }

    pub(crate) fn take_settings(&self) -> Vec<PendingSetting> {
        std::mem::take(&mut *self.pending.borrow_mut())
    }

    /// Forgets sequence values (DISCARD).
    pub(crate) fn forget_sequences(&self) {
        self.sequences.borrow_mut().clear();
        self.last_sequence.set(None);
    }

    /// Refuses who may not use replication slots.
    fn check_replication(&self) -> Result<(), SqlError> {
        let s = self.catalog.security();
        let own = self.roles.1;
        if s.is_superuser(own) || s.role(own).is_some_and(|r| r.replication) {
            return Ok(());
        }
        let why = "Only roles with the REPLICATION attribute may use replication slots.";
        Err(refused("use replication slots", why))
    }

    /// Whether a session with this number was there; else it is told.
    fn signaled(&self, pid: i32, was_there: bool) -> bool {
        if !was_there {
            self.warn(format!("PID {pid} is not a PostgreSQL backend process"));
        }
        was_there
    }

    fn warn(&self, message: String) {
        self.notices.borrow_mut().push(Notice {
            severity: "WARNING",
            code: SqlState::WARNING,
            message,
            detail: None,
            hint: None,
        });
    }

    fn check_writable(&self, what: &str) -> Result<(), SqlError> {
        if self.txn.get().1 { Err(super::planned::read_only(what)) } else { Ok(()) }
    }

    /// What the session's transaction says of a setting that belongs to it.
    pub(crate) fn transaction_setting(&self, name: &str) -> Option<String> {
        let (isolation, read_only, deferrable) = self.txn.get();
        match name {
            "transaction_isolation" => Some(isolation.name().into()),
            "transaction_read_only" => Some(if read_only { "on" } else { "off" }.into()),
            "transaction_deferrable" => Some(if deferrable { "on" } else { "off" }.into()),
            _ => None,
        }
    }
}

impl Env for SessionEnv {
    fn generator(&self) -> Option<&Cell<Generator>> {
        Some(&self.random)
    }
    fn current_database(&self) -> String {
        self.catalog.database_name().to_owned()
    }

    fn current_user(&self) -> String {
        self.role_name(self.roles.1).unwrap_or_else(|| self.roles.1.to_string())
    }

    fn session_user(&self) -> String {
        self.role_name(self.roles.0).unwrap_or_else(|| self.roles.0.to_string())
    }

    fn system_user(&self) -> Option<String> {
        self.info.system_user.clone()
    }

    fn current_schemas(&self, implicit: bool) -> Vec<String> {
        let from = if implicit { 0 } else { self.implicit };
        self.path.iter().skip(from).filter_map(|s| Some(self.catalog.schema(*s)?.name.clone())).collect()
    }

    fn my_temp_schema(&self) -> u32 {
        self.path.iter().copied().find(|s| self.catalog.is_temporary(*s)).unwrap_or(0)
    }

    fn is_other_temp_schema(&self, oid: u32) -> bool {
        self.catalog.is_temporary(oid) && !self.path.contains(&oid)
    }

    fn backend_pid(&self) -> i32 {
        self.info.pid
    }

    fn client_addr(&self) -> Option<String> {
        self.info.client_addr.clone()
    }

    fn ports(&self) -> Option<(u16, u16)> {
        Some((self.info.client_port?, self.info.server_addr?.port()))
    }

    fn server_addr(&self) -> Option<String> {
        Some(self.info.server_addr?.ip().to_canonical().to_string())
    }

    fn check_may_examine(&self, name: &str) -> Result<(), SqlError> {
        SessionEnv::check_may_examine(self, name)
    }

    fn setting(&self, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        if let Some(v) = self.transaction_setting(&name) {
            return Some(v);
        }
        if let Some(p) = self.pending.borrow().iter().rev().find(|p| p.name == name) {
            return Some(p.value.to_string());
        }
        if let Some((_, v)) = self.settings.iter().find(|(n, _)| *n == name) {
            self.looks_at_setting(|row| row.eq_ignore_ascii_case(&name));
            return Some(v.clone());
        }
        self.instance.outer_settings().into_iter().find(|s| s.name == name).map(|s| s.value)
    }

    fn set_setting(&self, name: &str, value: Option<&str>, local: bool) -> Result<Arc<str>, SqlError> {
        let name = name.to_ascii_lowercase();
        let is_own = |r: &Shown| r.name.eq_ignore_ascii_case(&name);
        let default = self.rows.borrow().iter().find(|r| is_own(r)).map(|r| r.default.clone());
        if default.is_none() && name != SEED {
            self.instance.check_settable(&name)?;
        }
        // Functions of this statement ask for it already.
        if Settings::is_superusers(&name) && !self.catalog.security().is_superuser(self.roles.1) {
            return Err(not_set(&name));
        }
        let said = value.unwrap_or(default.as_deref().unwrap_or_default());
        let now = kept(&shown_as(&name, said, &self.settings, &self.pending.borrow()))?;
        let told = if name == SEED { SEED_SHOWN.into() } else { now.clone() };
        let mut pending = self.pending.borrow_mut();
        let change = PendingSetting { name, value: now, is_default: value.is_none(), local };
        match pending.last_mut().filter(|p| p.name == change.name && p.local == local) {
            // Of what one statement says again and again the last counts.
            Some(last) => *last = change,
            None => pending.push(change),
        }
        Ok(told)
    }

    fn sleep_us(&self, us: u64) -> Result<(), SqlError> {
        let end = std::time::Instant::now() + std::time::Duration::from_micros(us);
        let _waiting = blocking::wait(blocking::Wait::Sleep);
        loop {
            if self.info.interrupt.is_canceled() {
                return Err(evenkeel::Error::Canceled.into());
            }
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(std::time::Duration::from_millis(10)));
        }
    }

    fn advisory_lock(&self, key: AdvisoryKey, mode: AdvisoryMode, wait: bool) -> Result<bool, SqlError> {
        let key = AdvisoryKey { database: self.info.database_oid, ..key };
        let how = Wait {
            nowait: false,
            timeout: self.lock_timeout.get(),
            interrupt: &self.info.interrupt,
            what: "",
            database: self.instance.database(),
            txn: self.txn_id.get(),
            advisory: Some(key),
        };
        self.advisory.borrow_mut().take(key, mode, wait.then_some(&how))
    }

    fn advisory_unlock(&self, key: AdvisoryKey, shared: bool) -> bool {
        let key = AdvisoryKey { database: self.info.database_oid, ..key };
        let given_up = self.advisory.borrow_mut().give_up(key, shared);
        if !given_up {
            self.warn(format!("you don't own a lock of type {}", mode_of(shared).catalog_name()));
        }
        given_up
    }

    fn notify(&self, channel: &str, payload: &str) -> Result<(), SqlError> {
        if self.instance.is_standby() {
            return Err(during_recovery("NOTIFY"));
        }
        check_notification(channel, payload)?;
        self.pending_notify.borrow_mut().notify(channel, payload, self.memory_bytes.get())
    }

    fn listening_channels(&self) -> Vec<String> {
        self.instance.notifier.channels(self.info.owner)
    }

    fn notification_queue_usage(&self) -> f64 {
        self.instance.notifier.usage()
    }

    fn advisory_unlock_all(&self) {
        self.advisory.borrow_mut().give_up_session();
    }

    fn create_restore_point(&self, name: &str) -> Result<Lsn, SqlError> {
        Ok(self.instance.database().mark(name)?)
    }

    fn create_slot(&self, name: &str, reserve: bool) -> Result<Option<Lsn>, SqlError> {
        self.check_replication()?;
        let _waiting = blocking::wait(blocking::Wait::Command);
        self.instance.create_slot(name, reserve)
    }

    fn drop_slot(&self, name: &str) -> Result<(), SqlError> {
        self.check_replication()?;
        let _waiting = blocking::wait(blocking::Wait::Command);
        Ok(self.instance.database().drop_slot(name)?)
    }

    fn switch_wal(&self) -> Result<Lsn, SqlError> {
        let _waiting = blocking::wait(blocking::Wait::Command);
        Ok(self.instance.database().archive_log(&self.info.interrupt)?)
    }

    fn backup(&self, label: &str, options: &str) -> Result<String, SqlError> {
        let pid = self.info.pid;
        let options = evenkeel::BackupOptions { label: label.into(), pid, ..backup_options(options)? };
        let _waiting = blocking::wait(blocking::Wait::Command);
        let interrupt = &self.info.interrupt;
        let made = self.instance.database().backup(&options, &mut |_| match interrupt.is_canceled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        Ok(made?.id)
    }

    fn is_in_recovery(&self) -> bool {
        self.instance.is_standby()
    }

    fn promote(&self) -> Result<(), SqlError> {
        let _waiting = blocking::wait(blocking::Wait::Command);
        self.instance.take_over()
    }

    fn rotate_log(&self) -> bool {
        self.instance.ask_server(|s| vec![(s.rotate_log)()]).contains(&true)
    }

    fn log_files(&self) -> Vec<(&'static str, String)> {
        self.instance.ask_server(|s| (s.log_files)())
    }

    fn reload(&self) -> Result<(), SqlError> {
        self.instance.reload()
    }

    fn cancel_backend(&self, pid: i32) -> Result<bool, SqlError> {
        self.check_signal(pid, "cancel query", "cancel", "queries")?;
        Ok(self.signaled(pid, self.instance.cancel(pid)))
    }

    fn reset_statement_counts(
        &self,
        (role, database): (u32, u32),
        statement: i64,
        extremes_only: bool,
    ) -> Result<i64, SqlError> {
        let now_us = evenkeel_types::datetime::wall_clock_us();
        self.instance.counts.reset(Which { role, database, statement }, extremes_only, now_us);
        Ok(now_us)
    }

    fn reset_database_counts(&self) -> Result<(), SqlError> {
        self.catalog.tables().for_each(|t| t.shared.reset_counts());
        self.instance.reset_database_totals(self.catalog.database);
        Ok(())
    }

    fn reset_counts_of(&self, relation: u32) {
        let of_index = || self.catalog.tables().find(|t| t.indexes.iter().any(|i| i.oid == relation));
        if let Some(t) = self.catalog.table(relation).or_else(of_index) {
            t.shared.reset_counts();
        }
    }

    fn reset_shared_counts(&self, target: Option<&str>) -> Result<bool, SqlError> {
        let now_us = evenkeel_types::datetime::wall_clock_us();
        let reset = |g| self.instance.of_engine.reset(self.instance.database(), g, now_us);
        match target {
            None => Group::ALL.into_iter().for_each(reset),
            Some("recovery_prefetch" | "slru") => {} // of the start, and not there
            Some(name) => match Group::ALL.into_iter().find(|g| g.name() == name) {
                Some(group) => reset(group),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn terminate_backend(&self, pid: i32) -> Result<bool, SqlError> {
        self.check_signal(pid, "terminate process", "terminate", "processes")?;
        Ok(self.signaled(pid, self.instance.terminate(pid)))
    }

    fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        self.instance.blocking_pids(pid)
    }

    fn start_times_us(&self) -> (i64, i64) {
        (self.instance.started_us, self.instance.started_us)
    }

    fn reg_oid(&self, ty: Type, name: &str) -> Result<Option<u32>, SqlError> {
        match reg_oid(&self.catalog, &self.path, self.roles.1, ty, name) {
            // A missing schema is a missing object to the to_reg* functions.
            Err(e) if matches!(e.code, SqlState::INVALID_SCHEMA_NAME | SqlState::AMBIGUOUS_FUNCTION) => {
                Ok(None)
            }
            Err(e) if ty == Type::Regtype && e.code == SqlState::UNDEFINED_OBJECT => Ok(None),
            // So is what is no name at all.
            Err(e) if matches!(e.code, SqlState::INVALID_NAME | SqlState::INVALID_TEXT_REPRESENTATION) => {
                Ok(None)
            }
            other => other,
        }
    }

    fn reg_name(&self, ty: Type, oid: u32) -> Option<String> {
        reg_name(&self.catalog, &self.path, ty, oid)
    }

    fn role_name(&self, oid: u32) -> Option<String> {
        self.catalog.security().role(oid).map(|r| r.name.clone())
    }

    fn is_visible(&self, kind: ObjectKind, oid: u32) -> Option<bool> {
        is_visible(&self.catalog, &self.path, kind, oid)
    }

    fn function_arguments(&self, oid: u32) -> Option<String> {
        crate::catalog::views::types::function_arguments(oid)
    }

    fn function_result(&self, oid: u32) -> Option<String> {
        crate::catalog::views::types::function_result(oid)
    }

    fn acl_default(&self, kind: &str, owner: u32) -> Option<Vec<String>> {
        let class = match kind {
            "c" => Class::Column,
            "r" => Class::Table,
            "s" => Class::Sequence,
            "d" => Class::Database,
            "f" => Class::Function,
            "l" => Class::Language,
            "L" => Class::LargeObject,
            "n" => Class::Schema,
            "p" => Class::Parameter,
            "t" => Class::Tablespace,
            "F" => Class::ForeignWrapper,
            "S" => Class::ForeignServer,
            "T" => Class::Type,
            _ => return None,
        };
        Some(class.default_acl(owner).texts(self.catalog.security()))
    }

    fn acl_item(&self, text: &str) -> Result<AclEntry, SqlError> {
        let item = acl::AclItem::parse(text, self.catalog.security())?;
        let privileges = acl::names_of(item.privileges)
            .map(|(bit, name)| (name, item.privileges & acl::options_for(bit) != 0))
            .collect();
        Ok(AclEntry { grantor: item.grantor, grantee: item.grantee, privileges })
    }

    fn acl_text(
        &self,
        grantee: u32,
        grantor: u32,
        privileges: &str,
        grantable: bool,
    ) -> Result<String, SqlError> {
        let mut all = 0;
        for one in privileges.split(',') {
            let name = one.trim().to_ascii_uppercase();
            all |= acl::privilege_named(&name).ok_or_else(|| {
                let message = format!("unrecognized privilege type: \"{}\"", one.trim());
                SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
            })?;
        }
        let options = if grantable { acl::options_for(all) } else { 0 };
        let item = acl::AclItem { grantee, grantor, privileges: all | options };
        Ok(item.text(self.catalog.security()))
    }

    fn has_privilege(
        &self,
        role: Option<&str>,
        target: &PrivilegeTarget,
        privilege: &str,
    ) -> Result<Option<bool>, SqlError> {
        let asked = Asked { catalog: &self.catalog, path: &self.path, current: self.roles.1 };
        asked.has(role, target, privilege)
    }

    fn index_def(&self, oid: u32, column: i32, pretty: bool) -> Option<String> {
        let Relation::Index(t, i) = self.catalog.relation(oid)? else { return None };
        let i = self.index_written(&t, &i);
        let for_people = |text: &str| self.for_people(text, Some(Over::Row(&t)));
        let pretty: ForPeople<'_> = if pretty { Some(&for_people) } else { None };
        if column == 0 {
            return Some(index_text::index_definition(&self.catalog, &t, &i, pretty, &self.path));
        }
        let n = usize::try_from(column).ok()?.checked_sub(1)?;
        if n < i.columns.len() {
            return Some(index_text::index_key(&t, &i, n, pretty));
        }
        let c = i.extra.include.get(n - i.columns.len())?;
        Some(quote_ident(&t.columns[*c].name))
    }

    fn method_property(&self, method: u32, property: &str) -> Option<bool> {
        properties::of_method(method, property)
    }

    fn index_property(&self, index: u32, column: Option<i32>, property: &str) -> Option<bool> {
        let Relation::Index(_, i) = self.catalog.relation(index)? else { return None };
        properties::of_index(&i, column, property)
    }

    fn index_position(&self, index: u32, column: i16) -> Option<i32> {
        let Relation::Index(_, i) = self.catalog.relation(index)? else { return None };
        let column = usize::try_from(column - 1).ok()?;
        let mut keys = i.columns.iter().map(|c| c.column).chain(i.extra.include.iter().copied());
        keys.position(|c| c == column).map(|n| n as i32 + 1)
    }

    fn updatable(&self, relation: u32, column: Option<i16>) -> i32 {
        let columns = column.map(|c| [usize::try_from(c - 1).unwrap_or(usize::MAX)]);
        crate::bind::updatable::events(&self.catalog, relation, columns.as_ref().map(|c| &c[..]))
    }

    fn view_def(&self, oid: u32, pretty: bool) -> Option<String> {
        self.view_written(oid, pretty)
    }

    fn describe_object(&self, class: u32, oid: u32, part: i32) -> Result<Option<String>, SqlError> {
        super::describe::describe(&self.catalog, &self.path, (class, oid, part))
    }

    fn object_address(
        &self,
        kind: &str,
        names: &ArrayDatum,
        args: &ArrayDatum,
    ) -> Result<(u32, u32, i32), SqlError> {
        self.address_of(kind, names, args)
    }

    fn identify_object(&self, class: u32, oid: u32, part: i32) -> Result<ObjectIdentity, SqlError> {
        super::identify::identify(&self.catalog, (class, oid, part))
    }

    fn statistics_def(&self, oid: u32) -> Option<String> {
        self.catalog.extended_statistics_of(oid).map(|(t, s)| s.definition(&self.catalog, t, &self.path))
    }

    fn statistics_columns(&self, oid: u32) -> Option<String> {
        self.catalog.extended_statistics_of(oid).map(|(table, s)| s.column_list(table))
    }

    fn constraint_def(&self, oid: u32, pretty: bool) -> Option<String> {
        let text = self.check_of(oid).or_else(|| self.exclusion_of(oid));
        let text = text.or_else(|| constraints::definition(&self.catalog, oid, &self.path))?;
        Some(if pretty { self.check_for_people(oid, text) } else { text })
    }

    fn expression(&self, stored: &str, relation: u32, pretty: bool) -> Option<String> {
        let text = self.value_written(stored, relation);
        let table = || self.catalog.table(relation);
        Some(if pretty { self.for_people(&text, table().map(Over::Row)) } else { text })
    }

    fn comment(&self, oid: u32, catalog: Option<&str>, part: i32) -> Option<String> {
        // Of a composite type's attribute: it is kept with the type.
        let oid = self.catalog.composite_of_class(oid).map_or(oid, |t| t.oid);
        let Some(comments) = self.catalog.comments_on(oid) else {
            let is_asked = part == 0 && catalog.is_none_or(|c| c == "pg_namespace");
            let is_public = oid == PUBLIC_OID && self.catalog.schema(oid).is_some();
            return (is_asked && is_public).then(|| OF_PUBLIC.to_owned());
        };
        let class = match catalog {
            Some(name) => Some(crate::catalog::views::by_name(PG_CATALOG_OID, name)?.oid),
            None => None,
        };
        let mut found =
            comments.texts.iter().filter(|((c, p), _)| class.is_none_or(|x| x == *c) && *p == part);
        found.next().map(|(_, text)| text.clone())
    }

    fn relation_size_bytes(&self, oid: u32, kind: SizeKind) -> Result<Option<i64>, SqlError> {
        let size =
            |tree| -> Result<i64, SqlError> { Ok(self.instance.database().tree_size_bytes(tree)? as i64) };
        Ok(match self.catalog.relation(oid) {
            Some(Relation::Table(t)) => {
                let main = size(t.heap.tree)?;
                let mut indexes = 0;
                for i in &t.indexes {
                    indexes += size(i.tree)?;
                }
                Some(match kind {
                    SizeKind::Main | SizeKind::Table => main,
                    SizeKind::Indexes => indexes,
                    SizeKind::Total => main + indexes,
                })
            }
            Some(Relation::Index(_, i)) => Some(if kind == SizeKind::Indexes { 0 } else { size(i.tree)? }),
            Some(Relation::Virtual(v)) if v.oid == CLASS_OID && kind != SizeKind::Indexes => {
                Some(self.part.current().large_objects().map_or(Ok(0), size)?)
            }
            Some(_) => Some(0),
            None => None,
        })
    }

    fn prewarm(&self, oid: u32, first: Option<i64>, last: Option<i64>) -> Result<Option<i64>, SqlError> {
        self.prewarmed(oid, first, last)
    }

    fn database_size_bytes(&self, name: &str) -> Result<Option<i64>, SqlError> {
        let Some(oid) = self.catalog.database_named(name).map(|d| d.oid) else { return Ok(None) };
        let store = &self.instance.store;
        let part = match store.part(oid) {
            Some(part) => part,
            // Nobody has been in it yet on this standby.
            None if self.instance.is_standby() => store.part_of_standby(oid),
            // Dropped meanwhile.
            None => return Ok(None),
        };
        let catalog = store.of_today(&part)?;
        let size = |tree| self.instance.database().tree_size_bytes(tree);
        let mut total = 0;
        for t in catalog.tables() {
            total += size(t.heap.tree)?;
            for i in &t.indexes {
                total += size(i.tree)?;
            }
        }
        total += catalog.large_objects().map_or(Ok(0), size)?;
        Ok(Some(total as i64))
    }

    fn database_name(&self, oid: u32) -> Option<String> {
        self.catalog.database_row(oid).map(|d| d.name.clone())
    }

    fn sequence_next(&self, oid: u32, for_identity: bool) -> Result<i64, SqlError> {
        self.next_of(oid, for_identity)
    }

    fn may_tell_sequence(&self, oid: u32, or_uses: bool) -> bool {
        self.may_tell(oid, or_uses)
    }

    fn sequence_current(&self, oid: Option<u32>) -> Result<i64, SqlError> {
        self.current_of(oid)
    }

    fn sequence_state(&self, oid: u32) -> Result<(i64, bool), SqlError> {
        self.state_of(oid)
    }

    fn sequence_set(&self, oid: u32, value: i64, is_called: bool) -> Result<i64, SqlError> {
        self.set_value_of(oid, value, is_called)
    }

    fn serial_sequence(&self, table: &str, column: &str) -> Result<Option<String>, SqlError> {
        self.sequence_of(table, column)
    }

    fn sequence_parameters(&self, oid: u32) -> Result<([i64; 5], bool, Type), SqlError> {
        self.parameters_of(oid)
    }

    fn replay_pause(&self, pauses: Option<bool>) -> Result<(bool, bool), SqlError> {
        self.instance.replay_pause(pauses)
    }

    fn log_file_of(&self, lsn: u64) -> Result<(String, u64), SqlError> {
        let (database, lsn) = (self.instance.database(), evenkeel::Lsn(lsn));
        Ok((database.log_file_of(lsn), database.log_offset_of(lsn)))
    }

    fn log_segments(&self) -> Result<(Vec<evenkeel_types::LogFile>, u64), SqlError> {
        let (files, bytes) = self.instance.database().log_files()?;
        let file = |(name, at): (String, Option<i64>)| (name, at.map(|us| us - EPOCH_MS * 1000));
        Ok((files.into_iter().map(file).collect(), bytes))
    }

    fn statistic(&self, name: &str, oid: u32) -> Option<Datum> {
        self.figure(name, oid)
    }
}

/// Whether a schema may be changed by users.
pub(crate) fn is_system_schema(oid: u32) -> bool {
    oid == PG_CATALOG_OID || oid == crate::catalog::INFORMATION_SCHEMA_OID
}
