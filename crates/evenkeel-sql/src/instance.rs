//! What all sessions of a database share: the engine, the catalog, table locks, and who is connected.
//!
//! Must not know: SQL text.

use crate::catalog::locks::LockManager;
use crate::catalog::store::{CatalogStore, Part};
use crate::catalog::views::ActivityRow;
use crate::catalog::wait_events::{self, Place, WaitEvent};
use crate::catalog::{Catalog, DATABASE_OID};
use crate::counted::StatementCounts;
use crate::exported::ExportedSnapshots;
use crate::kept_rows::KeptRows;
use crate::of_database::{Counts, Databases, OfDatabase, Totals, bump};
use crate::of_engine::OfEngine;
use crate::parse::AlterSystemStmt;
use crate::progress::Works;
use crate::served::Served;
use crate::session::background::pid_of_own;
use crate::session::lock_waits::{LockWatch, LogsWaits};
use crate::session::notifier::Notifier;
use crate::session::privileges::no_database;
use crate::session::{AnalyzeLimits, LogOrigin, Session, SessionParams};
use crate::spans::TellSpans;
use crate::status::{
    ConnectionShown, FileSettingShown, HbaShown, IdentShown, ReplayState, WalReceiver, WalSender,
};
use crate::tally::Tally;
use evenkeel::settings::{Context, Line, Mistake, Shown};
use evenkeel::{Database, Defines, Interrupt, Lsn, Standby, UpperWaits};
use evenkeel_types::error::{SqlError, SqlState};
use parking_lot::{Condvar, Mutex};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What SQL asks of the server that serves the database.
pub struct ServerHooks {
    /// Its settings as they are now.
    pub settings: Box<dyn Fn() -> Vec<Shown> + Send + Sync>,
    /// Ends the session with this number; false if there is none.
    pub terminate: Box<dyn Fn(i32) -> bool + Send + Sync>,
    /// Its replication connections.
    pub wal_senders: Box<dyn Fn() -> Vec<WalSender> + Send + Sync>,
    /// Its clients' connections.
    pub connections: Box<dyn Fn() -> Vec<ConnectionShown> + Send + Sync>,
    /// Files of its log, by their format.
    pub log_files: Box<dyn Fn() -> Vec<(&'static str, String)> + Send + Sync>,
    /// Has the log begin new files; false where it goes to none.
    pub rotate_log: Box<dyn Fn() -> bool + Send + Sync>,
    /// Lines of its `pg_hba.conf`.
    pub hba_rules: Box<dyn Fn() -> Vec<HbaShown> + Send + Sync>,
    /// Lines of its `pg_ident.conf`.
    pub ident_mappings: Box<dyn Fn() -> Vec<IdentShown> + Send + Sync>,
    /// Who traces statements.
    pub spans: Option<Box<dyn TellSpans>>,
}

/// What SQL asks of a standby.
pub struct StandbyHooks {
    /// The standby itself, until it ends or takes over.
    pub standby: Box<dyn Fn() -> Option<Arc<Standby>> + Send + Sync>,
    /// The connection to the primary, if there is one.
    pub receiver: Box<dyn Fn() -> Option<WalReceiver> + Send + Sync>,
    /// Takes over: returns when clients may write.
    pub promote: Box<dyn Fn() -> Result<(), SqlError> + Send + Sync>,
}

/// Carries out ALTER SYSTEM.
pub type Alter = dyn Fn(&AlterSystemStmt) -> Result<(), SqlError> + Send + Sync;

/// What SQL asks of whoever reads the configuration.
pub struct ConfigHooks {
    /// The folder of the database.
    pub folder: PathBuf,
    /// The configuration file, there or not.
    pub file: PathBuf,
    /// Changes what the file of ALTER SYSTEM says. An error has changed nothing.
    pub alter: Box<Alter>,
    /// Has all of it read anew, soon.
    pub reload: Box<dyn Fn() + Send + Sync>,
    /// Where settings in force were given.
    pub places: Box<dyn Fn() -> Arc<SettingPlaces> + Send + Sync>,
    /// Reads what the files say now.
    pub lines: Box<dyn Fn() -> Vec<FileSettingShown> + Send + Sync>,
}

/// Where settings of the engine and the server were given, by their names.
pub type SettingPlaces = HashMap<String, SettingPlace>;

/// Where a setting was given.
#[derive(Clone, Debug)]
pub struct SettingPlace {
    /// PostgreSQL's word.
    pub source: &'static str,
    /// The line of a file.
    pub line: Option<Line>,
    /// A file has another value by now, which takes a restart.
    pub pending_restart: bool,
}

impl Default for SettingPlace {
    fn default() -> SettingPlace {
        SettingPlace { source: "default", line: None, pending_restart: false }
    }
}

/// Where files are, under PostgreSQL's names.
fn paths(config: &ConfigHooks) -> impl Iterator<Item = Shown> {
    let folder = &config.folder;
    let shown = |(name, path, what): (&str, PathBuf, &str)| {
        let path = std::path::absolute(&path).unwrap_or(path).display().to_string();
        Shown {
            name: name.into(),
            value: path.clone(),
            setting: path.clone(),
            unit: None,
            description: format!("Shows {what}."),
            context: Context::Postmaster,
            kind: "string",
            source: "override",
            line: None,
            pending_restart: false,
            default: path.clone(),
            default_setting: path.clone(),
            reset_setting: path,
            bounds: None,
            choices: &[],
        }
    };
    [
        ("config_file", config.file.clone(), "the configuration file"),
        ("data_directory", folder.clone(), "the folder of the database"),
        ("hba_file", folder.join("pg_hba.conf"), "the file that says who may come in, if it is there"),
        ("ident_file", folder.join("pg_ident.conf"), "the file with the maps for it, if it is there"),
    ]
    .into_iter()
    .map(shown)
}

/// PostgreSQL's answer to who asks a primary for what a standby does.
pub(crate) fn not_in_recovery() -> SqlError {
    SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is not in progress")
        .with_hint("Recovery control functions can only be executed during recovery.")
}

/// A database with its SQL layer.
pub struct Instance {
    served: Arc<Served>,
    pub(crate) store: CatalogStore,
    pub(crate) locks: Arc<LockManager>,
    pub(crate) notifier: Notifier,
    pub(crate) exported: ExportedSnapshots,
    sessions: Mutex<BTreeMap<u64, Arc<SessionInfo>>>,
    pub(crate) doors: Doors,
    server: OnceLock<ServerHooks>,
    standby: OnceLock<StandbyHooks>,
    config: OnceLock<ConfigHooks>,
    /// Numbers of sessions with temporary objects.
    temp_numbers: Mutex<BTreeSet<u32>>,
    /// Rows of system tables.
    pub(crate) kept_rows: KeptRows,
    /// Where temporary files go.
    temp_folder: OnceLock<PathBuf>,
    pub(crate) started_us: i64,
    pub(crate) counts: StatementCounts,
    pub(crate) tally: Tally,
    /// Statements are timed though no session asks for it.
    watched: AtomicBool,
    pub(crate) lock_watch: LockWatch,
    databases: Mutex<Databases>,
    pub(crate) of_engine: OfEngine,
}

/// Databases that nobody may come into for the moment: they are copied, renamed or dropped.
///
/// Whoever begins a session puts it into the list of sessions while it holds the mutex, so that who has closed a door knows all who are inside.
#[derive(Default)]
pub(crate) struct Doors {
    /// How many hold each closed: those who copy it do so side by side.
    closed: Mutex<BTreeMap<u32, usize>>,
    opened: Condvar,
}

impl Doors {
    /// Closes a database, which others may have closed, too: that only one drops it is for its lock.
    pub fn close(&self, database: u32) {
        *self.closed.lock().entry(database).or_default() += 1;
    }

    /// Opens it again, once for each time that it was closed.
    pub fn open(&self, database: u32) {
        let mut closed = self.closed.lock();
        if let Some(holders) = closed.get_mut(&database) {
            *holders -= 1;
            if *holders == 0 {
                closed.remove(&database);
            }
        }
        self.opened.notify_all();
    }
}

/// What others may see of a session.
pub(crate) struct SessionInfo {
    pub owner: u64,
    pub pid: i32,
    pub interrupt: Arc<Interrupt>,
    pub started_us: i64,
    pub user: String,
    /// The role that logged in, by its OID: names are given away. 0 until it has.
    pub role: AtomicU32,
    pub database: String,
    /// Its OID.
    pub database_oid: u32,
    pub client_addr: Option<String>,
    pub client_port: Option<u16>,
    pub server_addr: Option<SocketAddr>,
    pub system_user: Option<String>,
    pub activity: Mutex<Activity>,
    /// Whoever has an id below this had ended when its snapshot was taken; 0: it has none.
    pub xmin: AtomicU64,
    pub log_origin: LogOrigin,
    /// `log_lock_waits`
    pub logs_waits: Mutex<Option<LogsWaits>>,
    /// What it tells of its progress.
    pub works: Arc<Works>,
    /// What it did.
    pub counts: Counts,
    /// Where it is.
    pub place: Place,
}

impl SessionInfo {
    /// The role that logged in.
    pub fn role(&self) -> u32 {
        self.role.load(Ordering::Relaxed)
    }

    /// Its state, and what it waits for, locks aside. While its reply waits it is at work, whatever comes next.
    pub fn state(&self, a: &Activity) -> (&'static str, Option<&'static WaitEvent>) {
        match self.place.reply_wait() {
            Some(wait) => ("active", Some(wait)),
            None => (a.state, self.place.wait(a.state.starts_with("idle"))),
        }
    }

    /// What it did until now.
    fn totals(&self, now_us: i64) -> Totals {
        let mut totals = self.counts.totals();
        if self.pid != 0 {
            totals.session_us = (now_us - self.started_us).max(0) as u64;
        }
        totals
    }
}

/// The changing part.
pub(crate) struct Activity {
    pub application_name: String,
    pub state: &'static str,
    pub query: Arc<str>,
    pub query_id: Option<i64>,
    pub query_start: Option<i64>,
    pub xact_start: Option<i64>,
    pub state_change: i64,
}

impl Instance {
    /// Opens the SQL layer of a database; makes the catalog if the database is empty. The database may be a standby's that was opened with [`Instance::definitions`].
    pub fn open(db: Database) -> Result<Arc<Instance>, SqlError> {
        let served = Arc::new(Served::new(db));
        let store = CatalogStore::of_served(served.clone())?;
        // It only tidies: a full disk, say, must not keep the database from opening.
        if !served.is_standby()
            && let Err(e) = store.remove_left_values()
        {
            tracing::warn!(error = %e, "could not remove the old values of restarted sequences; the next start tries again");
        }
        let locks = Arc::new(LockManager::default());
        served.get().set_upper_waits(locks.clone());
        let instance = Arc::new(Instance {
            served,
            store,
            locks,
            notifier: Notifier::default(),
            exported: ExportedSnapshots::default(),
            sessions: Mutex::default(),
            doors: Doors::default(),
            server: OnceLock::new(),
            standby: OnceLock::new(),
            config: OnceLock::new(),
            temp_numbers: Mutex::default(),
            kept_rows: KeptRows::default(),
            temp_folder: OnceLock::new(),
            started_us: evenkeel_types::datetime::wall_clock_us(),
            counts: StatementCounts::new(evenkeel_types::datetime::wall_clock_us()),
            tally: Tally::new(),
            watched: AtomicBool::new(false),
            lock_watch: LockWatch::default(),
            databases: Mutex::default(),
            of_engine: OfEngine::new(evenkeel_types::datetime::wall_clock_us()),
        });
        if !instance.is_standby()
            && let Err(e) = instance.drop_left_temporary()
        {
            tracing::warn!(error = %e, "could not drop what sessions left of their temporary objects; the next start tries again");
        }
        Ok(instance)
    }

    /// The least number that no session has, for temporary objects.
    pub(crate) fn take_temp_number(&self) -> u32 {
        let mut taken = self.temp_numbers.lock();
        let free = (1..).find(|n| !taken.contains(n)).unwrap_or(u32::MAX);
        taken.insert(free);
        free
    }

    /// Gives one back.
    pub(crate) fn give_temp_number(&self, number: u32) {
        self.temp_numbers.lock().remove(&number);
    }

    /// Which rows of the engine are definitions: for the options that a standby is opened with.
    pub fn definitions() -> Defines {
        Arc::new(crate::catalog::store::is_definition)
    }

    /// The engine.
    pub fn database(&self) -> &Database {
        self.served.get()
    }

    /// Whether the database is a standby's, which is read.
    pub fn is_standby(&self) -> bool {
        self.served.is_standby()
    }

    /// The standby has taken over: from now on this database is served. Sessions go on; transactions that are open fail.
    pub fn promote(&self, db: Database) -> Result<(), SqlError> {
        db.set_upper_waits(self.locks.clone());
        self.store.promote(db)
    }

    /// Names the folder for temporary files of statements, which have no names; the system's, if it is not called. Only the first call counts.
    pub fn set_temp_folder(&self, folder: PathBuf) {
        let _ = self.temp_folder.set(folder);
    }

    pub(crate) fn temp_folder(&self) -> PathBuf {
        self.temp_folder.get().cloned().unwrap_or_else(std::env::temp_dir)
    }

    /// The names of databases in which a table has changed enough to be analyzed; on a standby that is for its primary to do.
    pub fn changed_databases(&self, limits: AnalyzeLimits) -> Vec<String> {
        if self.is_standby() {
            return Vec::new();
        }
        let has_changed = |current: &Catalog| {
            current.tables().any(|t| limits.are_passed(t) && !current.is_temporary(t.schema))
        };
        let all = self.store.parts().into_iter().map(|p| p.current());
        all.filter(|c| has_changed(c)).map(|c| c.database_name().to_owned()).collect()
    }

    /// Has all statements timed from now on, whatever sessions count.
    pub fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Who traces statements.
    pub(crate) fn spans(&self) -> Option<&dyn TellSpans> {
        self.server.get()?.spans.as_deref()
    }

    /// Changes how many statements are counted apart (`pg_stat_statements.max`).
    pub fn set_counted_max(&self, max: usize) {
        self.counts.set_max(max);
    }

    /// The catalogs of all databases as they are now.
    pub(crate) fn catalogs(&self) -> Result<Vec<Arc<Catalog>>, SqlError> {
        self.store.parts().iter().map(|p| self.store.of_today(p)).collect()
    }

    /// The names of all databases, also of those that take no connections.
    pub fn databases(&self) -> Result<Vec<String>, SqlError> {
        let catalog = self.store.of_today(&self.store.first())?;
        Ok(catalog.databases().map(|d| d.name.clone()).collect())
    }

    /// Names the server. Only the first call counts.
    pub fn set_server(&self, hooks: ServerHooks) {
        let _ = self.server.set(hooks);
    }

    /// Names the standby. Only the first call counts.
    pub fn set_standby(&self, hooks: StandbyHooks) {
        let _ = self.standby.set(hooks);
    }

    /// Names whoever reads the configuration. Only the first call counts.
    pub fn set_config(&self, hooks: ConfigHooks) {
        let _ = self.config.set(hooks);
    }

    fn config(&self) -> Result<&ConfigHooks, SqlError> {
        self.config.get().ok_or_else(|| {
            SqlError::unsupported(
                "no server reads settings here: the program that opened the database has them",
            )
        })
    }

    pub(crate) fn alter_system(&self, change: &AlterSystemStmt) -> Result<(), SqlError> {
        (self.config()?.alter)(change)
    }

    pub(crate) fn reload(&self) -> Result<(), SqlError> {
        (self.config()?.reload)();
        Ok(())
    }

    /// The standby that is read here; `None`: it is a primary, or is about to be one.
    fn standby(&self) -> Option<Arc<Standby>> {
        self.standby.get().filter(|_| self.is_standby()).and_then(|hooks| (hooks.standby)())
    }

    /// How far the replay is; `None` on a primary.
    pub(crate) fn replay(&self) -> Option<ReplayState> {
        if !self.is_standby() {
            return None;
        }
        Some(self.standby().map_or_else(ReplayState::default, |standby| ReplayState::of(&standby)))
    }

    /// Creates a replication slot, here. Blocks for the disk.
    pub(crate) fn create_slot(&self, name: &str, reserve: bool) -> Result<Option<Lsn>, SqlError> {
        match (self.is_standby(), self.standby()) {
            (false, _) => Ok(self.database().upstream().create_slot(name, reserve)?),
            (true, Some(standby)) => Ok(standby.upstream().create_slot(name, reserve)?),
            (true, None) => Err(evenkeel::Error::Closed.into()),
        }
    }

    /// The connection to the primary, of a standby that has one.
    pub(crate) fn receiver(&self) -> Option<WalReceiver> {
        self.standby.get().filter(|_| self.is_standby()).and_then(|hooks| (hooks.receiver)())
    }

    /// Blocks until all before a place was replayed, or the time is over, on a standby; whether it was.
    pub(crate) fn wait_replayed(&self, lsn: Lsn, within: Duration) -> bool {
        self.standby().is_some_and(|standby| standby.wait_replayed(lsn, within).unwrap_or(false))
    }

    /// CHECKPOINT; on a standby all that was replayed is brought home. Blocks for the disk.
    pub(crate) fn checkpoint(&self, interrupt: &Interrupt) -> Result<(), SqlError> {
        match self.standby() {
            Some(standby) => Ok(standby.checkpoint()?),
            None => Ok(self.database().checkpoint_unless(interrupt)?),
        }
    }

    /// Has the replay pause, or go on, if that is asked; whether it is to pause, and whether it does.
    pub(crate) fn replay_pause(&self, pauses: Option<bool>) -> Result<(bool, bool), SqlError> {
        let standby = self.standby().ok_or_else(not_in_recovery)?;
        if let Some(pauses) = pauses {
            standby.pause_replay(pauses);
        }
        Ok(standby.replay_pause())
    }

    /// Takes over. Blocks until it has.
    pub(crate) fn take_over(&self) -> Result<(), SqlError> {
        match self.standby.get().filter(|_| self.is_standby()) {
            Some(hooks) => (hooks.promote)(),
            None => Err(not_in_recovery()),
        }
    }

    /// Ends a session.
    pub(crate) fn terminate(&self, pid: i32) -> bool {
        self.server.get().is_some_and(|s| (s.terminate)(pid))
    }

    /// Whether the server has a connection of this number, be it a session or not.
    pub(crate) fn is_connected(&self, pid: i32) -> bool {
        self.ask_server(|s| (s.connections)()).iter().any(|c| c.pid == pid)
            || self.wal_senders().iter().any(|w| w.pid == pid)
    }

    /// Replication connections.
    pub(crate) fn wal_senders(&self) -> Vec<WalSender> {
        self.server.get().map_or_else(Vec::new, |s| (s.wal_senders)())
    }

    /// What the configuration's files say, if there are any.
    pub(crate) fn file_settings(&self) -> Vec<FileSettingShown> {
        self.config.get().map_or_else(Vec::new, |c| (c.lines)())
    }

    /// What the server tells, if there is one.
    pub(crate) fn ask_server<T>(&self, ask: impl FnOnce(&ServerHooks) -> Vec<T>) -> Vec<T> {
        self.server.get().map_or_else(Vec::new, ask)
    }

    /// Settings that are not the session's: the engine's and the server's.
    pub(crate) fn outer_settings(&self) -> Vec<Shown> {
        let mut rows = self.server.get().map_or_else(Vec::new, |s| (s.settings)());
        rows.extend(self.database().settings());
        if let Some(config) = self.config.get() {
            let places = (config.places)();
            for row in &mut rows {
                if let Some(place) = places.get(&row.name) {
                    (row.source, row.pending_restart) = (place.source, place.pending_restart);
                    row.line.clone_from(&place.line);
                }
            }
            rows.extend(paths(config));
        }
        // PostgreSQL's name for whether there is an archive.
        if let Some(mut mode) = rows.iter().find(|s| s.name == "archive_url").cloned() {
            mode.value = if mode.value.is_empty() { "off" } else { "on" }.to_owned();
            (mode.name, mode.setting) = ("archive_mode".to_owned(), mode.value.clone());
            (mode.default, mode.default_setting) = ("off".to_owned(), "off".to_owned());
            mode.reset_setting.clone_from(&mode.setting);
            (mode.kind, mode.choices) = ("enum", &["always", "on", "off"]);
            mode.description = "Shows whether the log is archived (archive_url).".to_owned();
            rows.push(mode);
        }
        rows
    }

    /// Refuses a session what is none of its settings: it is the server's or the engine's, or there is none of this name. With a dot, clients make their own.
    pub(crate) fn check_settable(&self, name: &str) -> Result<(), Mistake> {
        match self.outer_settings().into_iter().find(|s| s.name == name) {
            Some(s) => Err(Mistake::Fixed { name: s.name, context: s.context }),
            None if name.contains('.') => Ok(()),
            None => Err(Mistake::Unknown { name: name.into() }),
        }
    }

    /// Begins a session. It ends when it is dropped.
    pub fn session(self: &Arc<Self>, mut params: SessionParams) -> Result<Session, SqlError> {
        let first = self.store.of_today(&self.store.first())?;
        if !params.as_owner && first.security().role_named(&params.user).is_none() {
            let message = format!("role \"{}\" does not exist", params.user);
            return Err(SqlError::new(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message));
        }
        if params.as_owner && params.database.is_empty() {
            params.database = first.database_row(DATABASE_OID).map_or(String::new(), |d| d.name.clone());
        }
        let (part, info) = self.come_in(&params)?;
        let owner = info.owner;
        let session =
            self.store.of_today(&part).and_then(|catalog| self.begin_session(part, info, params, catalog));
        if session.is_err() {
            self.leave(owner);
        }
        session
    }

    fn begin_session(
        self: &Arc<Self>,
        part: Arc<Part>,
        info: Arc<SessionInfo>,
        mut params: SessionParams,
        catalog: Arc<Catalog>,
    ) -> Result<Session, SqlError> {
        if params.as_owner && catalog.security().role_named(&params.user).is_none() {
            params.user = catalog.security().bootstrap().name.clone();
        }
        Session::new(self.clone(), info, params, part, catalog)
    }

    /// Enters a session into the list: from now on its database stays. Waits while nobody may come in.
    fn come_in(&self, params: &SessionParams) -> Result<(Arc<Part>, Arc<SessionInfo>), SqlError> {
        let mut closed = self.doors.closed.lock();
        let part = loop {
            let first = self.store.of_today(&self.store.first())?;
            let row = first.database_named(&params.database).ok_or_else(|| no_database(&params.database))?;
            if !closed.contains_key(&row.oid) {
                break match self.is_standby() {
                    true => self.store.part_of_standby(row.oid),
                    false => self.store.part(row.oid).ok_or_else(|| no_database(&params.database))?,
                };
            }
            self.doors.opened.wait(&mut closed);
        };
        let now = evenkeel_types::datetime::wall_clock_us();
        let info = Arc::new(SessionInfo {
            owner: params.interrupt.id(),
            pid: params.backend_pid,
            interrupt: params.interrupt.clone(),
            started_us: params.log_origin.began_us,
            user: params.user.clone(),
            role: AtomicU32::new(0),
            database: params.database.clone(),
            database_oid: part.database(),
            client_addr: params.client_addr.clone(),
            server_addr: params.server_addr,
            client_port: params.client_port,
            system_user: params.system_user.clone(),
            activity: Mutex::new(Activity {
                application_name: params.application_name.clone(),
                state: "idle",
                query: Arc::from(""),
                query_id: None,
                query_start: None,
                xact_start: None,
                state_change: now,
            }),
            xmin: AtomicU64::new(0),
            log_origin: params.log_origin.clone(),
            logs_waits: Mutex::default(),
            works: Arc::default(),
            counts: Counts::default(),
            place: Place::default(),
        });
        bump(&info.counts.sessions, u64::from(info.pid != 0));
        match self.sessions.lock().entry(info.owner) {
            Entry::Occupied(_) => return Err(SqlError::internal("the interrupt belongs to another session")),
            Entry::Vacant(e) => e.insert(info.clone()),
        };
        Ok((part, info))
    }

    /// How many sessions are in a database.
    pub(crate) fn sessions_in(&self, database: u32) -> usize {
        self.sessions.lock().values().filter(|s| s.database_oid == database).count()
    }

    /// Numbers of the sessions in a database, 0 those of the server's own.
    pub(crate) fn pids_in(&self, database: u32) -> Vec<i32> {
        self.sessions.lock().values().filter(|s| s.database_oid == database).map(|s| s.pid).collect()
    }

    /// Cancels what the server itself runs in a database.
    pub(crate) fn cancel_own_in(&self, database: u32) {
        for s in self.sessions.lock().values().filter(|s| s.database_oid == database && s.pid == 0) {
            s.interrupt.cancel();
        }
    }

    /// Whether a client's statement is at work besides one session's.
    pub(crate) fn others_work(&self, owner: u64) -> bool {
        let works =
            |s: &&Arc<SessionInfo>| s.owner != owner && s.pid != 0 && s.activity.lock().state == "active";
        self.sessions.lock().values().any(|s| works(&s))
    }

    /// The role that logged in to the session with a number.
    pub(crate) fn role_of(&self, pid: i32) -> Option<u32> {
        self.sessions.lock().values().find(|s| s.pid == pid).map(|s| s.role())
    }

    /// How many sessions a role has.
    pub(crate) fn sessions_of(&self, role: u32) -> usize {
        self.sessions.lock().values().filter(|s| s.role() == role).count()
    }

    pub(crate) fn leave(&self, owner: u64) {
        let mut databases = self.databases.lock();
        if let Some(info) = self.sessions.lock().remove(&owner) {
            let now = evenkeel_types::datetime::wall_clock_us();
            databases.entry(info.database_oid).or_default().gone.add(&info.totals(now));
        }
        drop(databases);
        self.notifier.leave(owner);
    }

    fn all_totals(&self, databases: &Databases, database: u32) -> Totals {
        let now = evenkeel_types::datetime::wall_clock_us();
        let mut all = databases.get(&database).map_or_else(Totals::default, |d| d.gone);
        for s in self.sessions.lock().values().filter(|s| s.database_oid == database) {
            all.add(&s.totals(now));
        }
        all
    }

    /// What was done in a database since the start, or since it was reset, and when that was.
    pub(crate) fn database_totals(&self, database: u32) -> (Totals, Option<i64>) {
        let databases = self.databases.lock();
        let all = self.all_totals(&databases, database);
        let of = databases.get(&database).copied().unwrap_or_default();
        (of.since_reset(&all), of.reset_us)
    }

    /// What was counted of a database before the start.
    pub(crate) fn take_up_database(&self, database: u32, before: OfDatabase) {
        self.databases.lock().insert(database, before);
    }

    /// `pg_stat_reset`
    pub(crate) fn reset_database_totals(&self, database: u32) {
        let mut databases = self.databases.lock();
        let all = self.all_totals(&databases, database);
        databases.entry(database).or_default().reset(all, evenkeel_types::datetime::wall_clock_us());
    }

    /// Cancels what a session runs.
    pub(crate) fn cancel(&self, pid: i32) -> bool {
        let sessions = self.sessions.lock();
        let found = sessions.values().find(|s| s.pid == pid);
        if let Some(s) = found {
            s.interrupt.cancel();
        }
        found.is_some()
    }

    /// What is made of each session that there is.
    pub(crate) fn each_session<T>(&self, f: impl FnMut(&Arc<SessionInfo>) -> T) -> Vec<T> {
        self.sessions.lock().values().map(f).collect()
    }

    /// Sessions that wait for a lock now, by the numbers of their interrupts, each with the numbers of those that it waits for, as far as they are known.
    pub(crate) fn blocked(&self) -> Vec<(u64, Vec<i32>)> {
        let rows = self.database().row_waits();
        let tables = if self.locks.waiters() > 0 { self.locks.waits() } else { HashMap::new() };
        if rows.is_empty() && tables.is_empty() {
            return Vec::new();
        }
        let known = self.each_session(|s| (s.owner, s.interrupt.transaction(), s.pid));
        let mut blocked: BTreeMap<u64, Vec<i32>> = BTreeMap::new();
        for w in rows {
            let stands = |txn: &Option<u64>| {
                txn.is_some_and(|txn| w.holders.iter().chain(&w.ahead).any(|t| t.0 == txn))
            };
            let by = known.iter().filter(|(_, txn, _)| stands(txn));
            blocked.entry(w.session).or_default().extend(by.map(|(_, _, pid)| *pid));
        }
        for owner in tables.into_keys() {
            let owners = self.locks.blockers(owner);
            let by = known.iter().filter(|(by, _, _)| owners.contains(by));
            blocked.entry(owner).or_default().extend(by.map(|(_, _, pid)| *pid));
        }
        for by in blocked.values_mut() {
            by.sort_unstable();
            by.dedup();
        }
        blocked.into_iter().collect()
    }

    /// `pg_blocking_pids`
    pub(crate) fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        let owner = |owner: &u64| self.sessions.lock().get(owner).is_some_and(|s| s.pid == pid);
        self.blocked().into_iter().find(|(o, _)| owner(o)).map_or_else(Vec::new, |(_, by)| by)
    }

    pub(crate) fn activity(&self) -> Vec<ActivityRow> {
        let (rows, tables) = (self.database().lock_waiting_sessions(), self.locks.waits());
        let of_session = |s: &Arc<SessionInfo>| {
            let lock = if rows.contains(&s.owner) {
                Some(&wait_events::TRANSACTION)
            } else {
                tables.get(&s.owner).map(|w| w.event())
            };
            let a = s.activity.lock();
            let (state, wait) = s.state(&a);
            let is_client = s.pid != 0;
            ActivityRow {
                pid: if is_client { s.pid } else { pid_of_own(s.owner) },
                user: if is_client { s.user.clone() } else { String::new() },
                role: if is_client { s.role() } else { 0 },
                database: s.database.clone(),
                database_oid: s.database_oid,
                application_name: if is_client { a.application_name.clone() } else { String::new() },
                client_addr: s.client_addr.clone(),
                client_port: is_client.then(|| s.client_port.map_or(-1, i32::from)),
                backend_start: Some(s.started_us),
                xact_start: a.xact_start,
                query_start: a.query_start,
                state_change: Some(a.state_change),
                state: if is_client { state } else { "active" },
                transaction: s.interrupt.transaction(),
                xmin: Some(s.xmin.load(Ordering::Relaxed)).filter(|id| *id != 0),
                wait: lock.or(wait.filter(|_| is_client || a.state == "active")),
                query: a.query.to_string(),
                query_id: a.query_id,
                backend_type: match is_client {
                    true => "client backend",
                    false if a.application_name == "autovacuum" => "autovacuum worker",
                    false => "background worker",
                },
            }
        };
        let mut all: Vec<ActivityRow> = self.sessions.lock().values().map(of_session).collect();
        all.extend(self.background());
        all
    }

    /// The session number of a lock owner.
    pub(crate) fn pid_of(&self, owner: u64) -> i32 {
        self.sessions.lock().get(&owner).map_or(0, |s| s.pid)
    }
}
