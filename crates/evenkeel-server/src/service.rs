//! The seam between the protocol and SQL: what a server needs of whoever executes statements.
//!
//! Duty: two traits, and their implementation for `evenkeel-sql`. Being generic over them costs nothing at run time; it lets
//! the protocol be tested and measured without an engine.
//!
//! It must not know the protocol.

use std::sync::{Arc, OnceLock};

use std::task::Waker;

use evenkeel::{ArchiveStore, Basis, Database, Level, Lsn, Standby, Synchronous, Upstream, Waiting};
use evenkeel_sql::{
    AnalyzeLimits, Column, CommandTag, CopyIn, CountedStatement, Instance, Notice, Notification, Observed,
    Portal, Prepared, Progress, ReplayState, Reply, ReplyWait, RowSink, ServerHooks, Session, SessionParams,
    SqlError, SqlState, Timeouts, WalReceiver,
};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::{Datum, FormatOptions, Type};
use parking_lot::Mutex;

use crate::errors::error;

/// Shared by all sessions of a server.
pub trait Service: Send + Sync + 'static {
    /// One client's.
    type Session: SqlSession;
    /// Starts a session. Fails on an unknown or bad setting.
    fn session(&self, params: SessionParams) -> Result<Self::Session, SqlError>;
    /// Why no session can be had at this moment. Asked before a password is: libpq goes on to the next of several hosts only if it is told so early.
    fn is_away(&self) -> Option<SqlError> {
        None
    }
    /// The verifier of a user's password, if it has one and may log in with it.
    fn verifier(&self, _user: &str) -> Result<Option<String>, SqlError> {
        Ok(None)
    }
    /// Why a user has none, for the log.
    fn why_no_password(&self, user: &str) -> Option<String> {
        Some(format!("Role \"{user}\" does not exist."))
    }
    /// Whether a user is a member of a role, directly or by others.
    fn is_member(&self, _user: &str, _role: &str) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// Refuses a user that may not follow the log; one that is no role may if it stands in the configuration.
    fn check_may_replicate(&self, _user: &str, _is_configured: bool) -> Result<(), SqlError> {
        Ok(())
    }
    /// Whether a user is a superuser.
    fn is_superuser(&self, _user: &str) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// Whether a user has the privileges of a role.
    fn has_privileges_of(&self, _user: &str, _role: &str) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// Whether a user sees the settings that not everybody sees.
    fn may_examine(&self, _user: &str) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// Whether a user may see what the server does: a superuser, or a member of `pg_monitor`, that may log in.
    fn may_monitor(&self, _user: &str) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// What the server does now; None: nothing that can be told. Does not wait.
    fn observe(&self) -> Option<Observed> {
        None
    }
    /// Of a standby of which nothing else can be told yet: its replay, and its connection to the primary.
    fn observe_standby(&self) -> Option<(ReplayState, Option<WalReceiver>)> {
        None
    }
    /// All statements that are counted.
    fn statements(&self) -> Vec<CountedStatement> {
        Vec::new()
    }
    /// Where backups are, if there is an archive.
    fn archive_store(&self) -> Option<Arc<dyn ArchiveStore>> {
        None
    }
    /// Blocks until everything up to `lsn` is durable.
    fn wait_durable(&self, lsn: Lsn) -> Result<(), SqlError>;
    /// Everything before this is durable.
    fn durable_lsn(&self) -> Lsn;
    /// Something that a reply rests on whose log is durable here, and that may not be told yet: standbys are asked.
    fn untold(&self, _reply: &Reply) -> Result<Option<(Basis, Level)>, SqlError> {
        Ok(None)
    }
    /// Has a task woken once it may be told. `None`: it may be already, or never will be.
    fn wake_when_told(&self, _basis: Basis, _level: Level, _waker: &Waker) -> Option<Waiting> {
        None
    }
    /// Blocks until it may be told; false: it was canceled.
    fn wait_told(
        &self,
        _basis: Basis,
        _level: Level,
        _canceled: &dyn Fn() -> bool,
    ) -> Result<bool, SqlError> {
        Ok(true)
    }
    /// Standbys that are asked from now on.
    fn set_synchronous(&self, _whom: Option<Synchronous>) {}
    /// So many threads that wait for it at a time are worth having: writes of the log that may be in flight.
    fn flush_depth(&self) -> usize {
        1
    }
    /// Not older than anything that a statement may have met so far: what to wait for while one still runs.
    fn newest(&self) -> Basis;
    /// Whose log and files replication connections get; None: nobody's, for now or at all.
    fn followed(&self) -> Option<Followed> {
        None
    }
    /// Of a standby: takes over. Blocks.
    fn promote(&self) -> Result<(), SqlError> {
        Err(error(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is not in progress"))
    }
    /// Is told that a part of the server has ended that nobody else replaces: sessions may never be answered again.
    fn fail(&self, why: String) {
        tracing::error!("{why}");
    }
    /// The names of databases in which a table has changed enough to be analyzed.
    fn changed_databases(&self, _limits: AnalyzeLimits) -> Vec<String> {
        Vec::new()
    }
    /// Is told of the server, once, at the start.
    fn set_server(&self, _hooks: ServerHooks) {}
}

/// Executes one client's statements, on one thread at a time.
pub trait SqlSession: Send {
    /// A prepared statement.
    type Statement: Clone + Send;
    /// A statement with its parameters, being run.
    type Portal: Send;
    /// A COPY that waits for the client's data.
    type CopyIn: Send;

    /// Analyzes the tables that have changed enough, but those that are locked; returns how many. Blocks for the disk.
    fn analyze_changed(&mut self, _limits: AnalyzeLimits) -> Result<usize, SqlError> {
        Ok(0)
    }
    /// Splits a simple-query string into statements.
    fn parse_script(&mut self, sql: &str) -> Result<Vec<Self::Statement>, SqlError>;
    /// Prepares one statement; a type of 0 is inferred.
    fn prepare(&mut self, sql: &str, types: &[u32]) -> Result<Self::Statement, SqlError>;
    /// A statement that calls a function by its OID.
    fn function_call(&mut self, oid: u32) -> Result<Self::Statement, SqlError> {
        Err(error(SqlState::UNDEFINED_FUNCTION, format!("function with OID {oid} does not exist")))
    }
    /// The types of a statement's parameters.
    fn parameter_types(statement: &Self::Statement) -> &[Type];
    /// What clients are told of these types.
    fn parameter_oids(statement: &Self::Statement) -> Vec<u32>;
    /// A prepared statement by its name, whichever way it was prepared.
    fn named(&self, _name: &str) -> Option<Self::Statement> {
        None
    }
    /// Gives a statement that the protocol prepared its name, so that SQL can execute and deallocate it.
    fn keep_named(&mut self, _name: &str, _statement: &Self::Statement) -> Result<(), SqlError> {
        Ok(())
    }
    /// Forgets a named statement, if there is one.
    fn drop_named(&mut self, _name: &str) {}
    /// The columns of its result; None when it returns no rows.
    fn columns(statement: &Self::Statement) -> Option<&[Column]>;
    /// Gives a statement its parameters.
    fn bind(&mut self, statement: &Self::Statement, params: Vec<Datum>) -> Result<Self::Portal, SqlError>;
    /// Gives a portal a name, by which SQL finds it as well.
    fn name_portal(&mut self, _name: &str, portal: Self::Portal) -> Result<Self::Portal, SqlError> {
        Ok(portal)
    }
    /// Forgets a named portal, if there is one.
    fn drop_portal(&mut self, _name: &str) {}
    /// Columns of a cursor that SQL has declared, and whether it is a BINARY one.
    fn cursor_shape(&self, _name: &str) -> Option<(Vec<Column>, bool)> {
        None
    }
    /// Such a cursor as a portal.
    fn cursor_portal(&self, _name: &str) -> Option<Self::Portal> {
        None
    }
    /// Whether it can still be run: SQL may have closed it.
    fn is_portal_open(_portal: &Self::Portal) -> bool {
        true
    }
    /// Whether it has run, and gives no rows: it does not run twice.
    fn is_portal_spent(_portal: &Self::Portal) -> bool {
        false
    }
    /// Whether it outlives an error: it is a cursor that was made before the last savepoint.
    fn is_portal_kept(_portal: &Self::Portal) -> bool {
        false
    }
    /// Whether the simple protocol gets its rows in the binary format.
    fn is_portal_binary(_portal: &Self::Portal) -> bool {
        false
    }
    /// Values that come are read by the definitions of now.
    fn refresh(&mut self) {}
    /// The columns of its result; None when it returns no rows.
    fn portal_columns(portal: &Self::Portal) -> Option<&[Column]>;
    /// It tells of the server alone, which may be told at once where anything may: an answer that does not leave in parts waits for nothing.
    fn tells_of_server(&self, _portal: &Self::Portal) -> bool {
        false
    }
    /// Runs up to `max_rows` rows (0: all) into `sink`.
    fn run(
        &mut self,
        portal: &mut Self::Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Outcome<Self::CopyIn>, SqlError>;
    /// A portal of a batch is complete: what follows before the batch's end is of one transaction with it.
    fn note_piped(&mut self, _portal: &Self::Portal) {}
    /// Before a message: takes over what has become of the configuration; whether that is anything.
    fn take_configuration(&mut self) -> bool {
        false
    }
    /// Whether statements that follow may end with `Outcome::Waits`.
    fn set_may_wait_outside(&mut self, _yes: bool) {}
    /// The number of columns that a COPY takes, and whether in the binary format.
    fn copy_in_shape(copy: &Self::CopyIn) -> (usize, bool);
    /// More of a COPY's input, cut anywhere.
    fn copy_in_data(&mut self, copy: &mut Self::CopyIn, data: &[u8]) -> Result<(), SqlError>;
    /// The end of it.
    fn copy_in_finish(&mut self, copy: Self::CopyIn) -> Result<CommandTag, SqlError>;
    /// The client is told of an error: the log is, too.
    fn log_error(&mut self, _e: &SqlError) {}
    /// Its client went without a word.
    fn abandon(&mut self) {}
    /// An error was reported to the client: an implicit transaction rolls back, an explicit one has failed.
    fn fail(&mut self);
    /// The error that a client is told of, to be counted.
    fn count_error(&self, _error: &SqlError) {}
    /// The end of a simple query or of a batch: commits an implicit transaction.
    fn sync(&mut self) -> Result<(), SqlError>;
    /// `I`, `T` or `E`.
    fn transaction_status(&self) -> u8;
    /// No reply may leave before this may be told.
    fn reply(&self) -> Reply;
    /// The reply is ready, and waits.
    fn reply_waits(&mut self, _wait: ReplyWait) {}
    /// The reply may leave, and is about to.
    fn reply_leaves(&mut self) {}
    /// The reply has left, or will not.
    fn replied(&mut self) {}
    /// What standbys have to have done with what is told from now on.
    fn reply_level(&self) -> Level {
        Level::default()
    }
    /// Settings to report that changed since the last call.
    fn take_parameter_changes(&mut self) -> Vec<(String, String)>;
    /// Notices since the last call.
    fn take_notices(&mut self) -> Vec<Notice>;
    /// There may be notifications.
    fn is_listening(&self) -> bool {
        false
    }
    /// Notifications since the last call: none within a transaction.
    fn take_notifications(&mut self) -> Vec<Notification> {
        Vec::new()
    }
    /// Settings to report at the start.
    fn initial_parameters(&mut self) -> Vec<(String, String)>;
    /// In which the client writes, and is written to.
    fn client_encoding(&self) -> Encoding {
        Encoding::UTF8
    }
    /// How values are written in text.
    fn format_options(&self) -> FormatOptions;
    /// The session's time limits as they are now.
    fn timeouts(&self) -> Timeouts;
}

/// How far a run came.
pub enum Outcome<C> {
    /// The row limit was reached.
    Suspended,
    /// The statement is complete.
    Done(CommandTag),
    /// The client's data is wanted.
    CopyIn(C),
    /// There was no statement.
    Empty,
    /// It waits for a lock, and is to be run again when the interrupt is nudged. Nothing was given to the sink.
    Waits,
}

/// Takes over from the primary: returns when the database is open. `Err`: it goes on as a standby.
pub type Promote = Arc<dyn Fn() -> Result<(), SqlError> + Send + Sync>;

/// Gives the standby, while it is one.
pub type GetStandby = dyn Fn() -> Option<Arc<Standby>> + Send + Sync;

/// Gives a standby's connection to the primary, while there is one.
pub type GetReceiver = dyn Fn() -> Option<WalReceiver> + Send + Sync;

/// Who is followed and copied. A standby is held open by it.
pub enum Followed {
    /// A primary.
    Primary(Database),
    /// A standby that hands on what it receives.
    Standby(Arc<Standby>),
}

impl Followed {
    /// What is followed of it.
    pub fn upstream(&self) -> Upstream<'_> {
        match self {
            Followed::Primary(database) => database.upstream(),
            Followed::Standby(standby) => standby.upstream(),
        }
    }
}

/// `evenkeel-sql` as a [`Service`]. Of a standby it lets nobody in before that can be read.
pub struct SqlService {
    instance: OnceLock<Arc<Instance>>,
    /// What the instance is told of the server once there is one.
    hooks: Mutex<Option<ServerHooks>>,
    promote: Option<Promote>,
    standby: Option<Box<GetStandby>>,
    receiver: Option<Box<GetReceiver>>,
}

impl SqlService {
    /// Of a database that is open.
    pub fn new(instance: Arc<Instance>) -> SqlService {
        SqlService {
            instance: OnceLock::from(instance),
            hooks: Mutex::new(None),
            promote: None,
            standby: None,
            receiver: None,
        }
    }

    /// Of a standby, which is given until it ends or takes over; `receiver`: its connection to the primary.
    pub fn of_standby(promote: Promote, standby: Box<GetStandby>, receiver: Box<GetReceiver>) -> SqlService {
        let (promote, standby, receiver) = (Some(promote), Some(standby), Some(receiver));
        SqlService { instance: OnceLock::new(), hooks: Mutex::new(None), promote, standby, receiver }
    }

    /// A standby can be read, or has taken over: sessions are let in.
    pub fn open(&self, instance: Arc<Instance>) {
        let mut hooks = self.hooks.lock();
        if let Some(hooks) = hooks.take() {
            instance.set_server(hooks);
        }
        let _ = self.instance.set(instance);
    }

    fn instance(&self) -> Option<&Arc<Instance>> {
        self.instance.get()
    }
}

fn cannot_be_read() -> SqlError {
    let mut e =
        error(SqlState::CANNOT_CONNECT_NOW, "the database system is a standby that cannot be read yet");
    e.hint = Some(
        "It can be once it has replayed the log that its pages may have, unless hot_standby is off. It takes over by: evenkeel promote".into(),
    );
    e
}

impl Service for SqlService {
    type Session = Session;

    fn session(&self, params: SessionParams) -> Result<Session, SqlError> {
        let Some(instance) = self.instance() else { return Err(cannot_be_read()) };
        let mut session = instance.session(params)?;
        session.defer_durability();
        Ok(session)
    }

    fn is_away(&self) -> Option<SqlError> {
        self.instance().is_none().then(cannot_be_read)
    }

    fn verifier(&self, user: &str) -> Result<Option<String>, SqlError> {
        let Some(instance) = self.instance() else { return Ok(None) };
        Ok(instance.login_role(user)?.and_then(|role| role.verifier))
    }

    fn why_no_password(&self, user: &str) -> Option<String> {
        let role = self.instance()?.login_role(user).ok()?;
        match role {
            None => Some(format!("Role \"{user}\" does not exist.")),
            Some(role) if role.is_expired => Some(format!("User \"{user}\" has an expired password.")),
            Some(role) if role.verifier.is_none() => {
                Some(format!("User \"{user}\" has no password assigned."))
            }
            Some(_) => None,
        }
    }

    fn is_member(&self, user: &str, role: &str) -> Result<bool, SqlError> {
        self.instance().map_or(Ok(false), |i| i.is_member_of(user, role))
    }

    fn check_may_replicate(&self, user: &str, is_configured: bool) -> Result<(), SqlError> {
        self.instance().map_or(Ok(()), |i| i.check_may_replicate(user, is_configured))
    }

    fn is_superuser(&self, user: &str) -> Result<bool, SqlError> {
        let role = self.instance().map_or(Ok(None), |i| i.login_role(user))?;
        Ok(role.is_some_and(|role| role.superuser))
    }

    fn has_privileges_of(&self, user: &str, role: &str) -> Result<bool, SqlError> {
        self.instance().map_or(Ok(false), |i| i.has_privileges_of(user, role))
    }

    fn may_examine(&self, user: &str) -> Result<bool, SqlError> {
        self.has_privileges_of(user, "pg_read_all_settings")
    }

    fn may_monitor(&self, user: &str) -> Result<bool, SqlError> {
        let Some(instance) = self.instance() else { return Ok(false) };
        let role = instance.login_role(user)?.filter(|role| role.can_login);
        Ok(match role {
            Some(_) => instance.has_privileges_of(user, "pg_monitor")?,
            None => false,
        })
    }

    fn observe(&self) -> Option<Observed> {
        let instance = self.instance()?;
        instance.watch();
        Some(instance.observe())
    }

    fn observe_standby(&self) -> Option<(ReplayState, Option<WalReceiver>)> {
        let standby = self.standby.as_ref().filter(|_| self.instance().is_none())?()?;
        Some((ReplayState::of(&standby), self.receiver.as_ref().and_then(|receiver| receiver())))
    }

    fn statements(&self) -> Vec<CountedStatement> {
        self.instance().map_or_else(Vec::new, |i| i.statements())
    }

    fn archive_store(&self) -> Option<Arc<dyn ArchiveStore>> {
        self.instance().and_then(|i| i.database().archive_store())
    }

    fn wait_durable(&self, lsn: Lsn) -> Result<(), SqlError> {
        Ok(self.instance().map_or(Ok(()), |i| i.database().wait_durable(lsn))?)
    }

    fn durable_lsn(&self) -> Lsn {
        self.instance().map_or(Lsn::ZERO, |i| i.database().durable_lsn())
    }

    fn flush_depth(&self) -> usize {
        self.instance().map_or(1, |i| i.database().wal_flush_depth())
    }

    fn followed(&self) -> Option<Followed> {
        match self.instance().filter(|i| !i.is_standby()) {
            Some(primary) => Some(Followed::Primary(primary.database().clone())),
            None => self.standby.as_ref().and_then(|standby| standby()).map(Followed::Standby),
        }
    }

    fn promote(&self) -> Result<(), SqlError> {
        match &self.promote {
            Some(promote) if self.instance().is_none_or(|i| i.is_standby()) => promote(),
            _ => Err(error(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is not in progress")),
        }
    }

    fn fail(&self, why: String) {
        match self.instance() {
            Some(i) => _ = i.database().poison(why),
            None => tracing::error!("{why}"),
        }
    }

    fn set_server(&self, hooks: ServerHooks) {
        let mut kept = self.hooks.lock();
        match self.instance() {
            Some(instance) => instance.set_server(hooks),
            None => *kept = Some(hooks),
        }
    }

    fn newest(&self) -> Basis {
        self.instance().map_or(Basis::NONE, |i| i.database().newest())
    }

    fn untold(&self, reply: &Reply) -> Result<Option<(Basis, Level)>, SqlError> {
        Ok(self.instance().map_or(Ok(None), |i| reply.untold(i.database()))?)
    }

    fn wake_when_told(&self, basis: Basis, level: Level, waker: &Waker) -> Option<Waiting> {
        self.instance().and_then(|i| i.database().wake_when_told(basis, level, waker))
    }

    fn wait_told(
        &self,
        basis: Basis,
        level: Level,
        is_canceled: &dyn Fn() -> bool,
    ) -> Result<bool, SqlError> {
        match self.instance().map_or(Ok(()), |i| i.database().wait_told(basis, level, is_canceled)) {
            Ok(()) => Ok(true),
            Err(evenkeel::Error::Canceled) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    fn changed_databases(&self, limits: AnalyzeLimits) -> Vec<String> {
        self.instance().map_or_else(Vec::new, |i| i.changed_databases(limits))
    }

    fn set_synchronous(&self, whom: Option<Synchronous>) {
        if let Some(i) = self.instance() {
            i.database().set_synchronous(whom);
        }
    }
}

impl SqlSession for Session {
    type Statement = Arc<Prepared>;
    type Portal = Portal;
    type CopyIn = Box<CopyIn>;

    fn analyze_changed(&mut self, limits: AnalyzeLimits) -> Result<usize, SqlError> {
        Session::analyze_changed(self, limits)
    }

    fn parse_script(&mut self, sql: &str) -> Result<Vec<Arc<Prepared>>, SqlError> {
        Session::parse_script(self, sql)
    }

    fn prepare(&mut self, sql: &str, types: &[u32]) -> Result<Arc<Prepared>, SqlError> {
        Session::prepare(self, sql, types)
    }

    fn function_call(&mut self, oid: u32) -> Result<Arc<Prepared>, SqlError> {
        Session::function_call(self, oid)
    }

    fn parameter_types(statement: &Arc<Prepared>) -> &[Type] {
        statement.param_types()
    }

    fn parameter_oids(statement: &Arc<Prepared>) -> Vec<u32> {
        statement.param_oids()
    }

    fn named(&self, name: &str) -> Option<Arc<Prepared>> {
        Session::named(self, name)
    }

    fn keep_named(&mut self, name: &str, statement: &Arc<Prepared>) -> Result<(), SqlError> {
        Session::keep_named(self, name, statement)
    }

    fn drop_named(&mut self, name: &str) {
        Session::drop_named(self, name);
    }

    fn columns(statement: &Arc<Prepared>) -> Option<&[Column]> {
        statement.columns()
    }

    fn bind(&mut self, statement: &Arc<Prepared>, params: Vec<Datum>) -> Result<Portal, SqlError> {
        Session::bind(self, statement, params)
    }

    fn name_portal(&mut self, name: &str, portal: Portal) -> Result<Portal, SqlError> {
        Session::name_portal(self, name, portal)
    }

    fn drop_portal(&mut self, name: &str) {
        Session::drop_portal(self, name);
    }

    fn is_listening(&self) -> bool {
        Session::is_listening(self)
    }

    fn take_notifications(&mut self) -> Vec<Notification> {
        Session::take_notifications(self)
    }

    fn cursor_shape(&self, name: &str) -> Option<(Vec<Column>, bool)> {
        Session::cursor_shape(self, name)
    }

    fn cursor_portal(&self, name: &str) -> Option<Portal> {
        Session::cursor_portal(self, name)
    }

    fn is_portal_open(portal: &Portal) -> bool {
        portal.is_open()
    }

    fn is_portal_kept(portal: &Portal) -> bool {
        portal.is_cursor() && portal.is_open()
    }

    fn is_portal_spent(portal: &Portal) -> bool {
        portal.is_spent()
    }

    fn is_portal_binary(portal: &Portal) -> bool {
        portal.is_binary()
    }

    fn portal_columns(portal: &Portal) -> Option<&[Column]> {
        portal.columns()
    }

    fn run(
        &mut self,
        portal: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Outcome<Box<CopyIn>>, SqlError> {
        Ok(match Session::run(self, portal, max_rows, sink)? {
            Progress::Suspended => Outcome::Suspended,
            Progress::Done(tag) => Outcome::Done(tag),
            Progress::CopyIn(copy) => Outcome::CopyIn(copy),
            Progress::Empty => Outcome::Empty,
            Progress::Waits => Outcome::Waits,
        })
    }

    fn refresh(&mut self) {
        Session::refresh(self);
    }

    fn tells_of_server(&self, portal: &Portal) -> bool {
        Session::tells_of_server(self, portal)
    }

    fn note_piped(&mut self, portal: &Portal) {
        Session::note_piped(self, portal);
    }

    fn take_configuration(&mut self) -> bool {
        Session::take_configuration(self)
    }

    fn set_may_wait_outside(&mut self, yes: bool) {
        Session::set_may_wait_outside(self, yes);
    }

    #[allow(clippy::borrowed_box)] // As the trait has it.
    fn copy_in_shape(copy: &Box<CopyIn>) -> (usize, bool) {
        (copy.columns(), copy.is_binary())
    }

    fn copy_in_data(&mut self, copy: &mut Box<CopyIn>, data: &[u8]) -> Result<(), SqlError> {
        Session::copy_in_data(self, copy, data)
    }

    fn copy_in_finish(&mut self, copy: Box<CopyIn>) -> Result<CommandTag, SqlError> {
        Session::copy_in_finish(self, copy)
    }

    fn abandon(&mut self) {
        Session::count_abandoned(self);
    }

    fn log_error(&mut self, e: &SqlError) {
        Session::log_error(self, e);
    }

    fn fail(&mut self) {
        Session::fail(self);
    }

    fn count_error(&self, error: &SqlError) {
        Session::count_error(self, error);
    }

    fn sync(&mut self) -> Result<(), SqlError> {
        Session::sync(self)
    }

    fn transaction_status(&self) -> u8 {
        Session::transaction_status(self)
    }

    fn reply(&self) -> Reply {
        *Session::reply(self)
    }

    fn reply_waits(&mut self, wait: ReplyWait) {
        Session::reply_waits(self, wait);
    }

    fn reply_leaves(&mut self) {
        Session::reply_leaves(self);
    }

    fn replied(&mut self) {
        Session::replied(self);
    }

    fn reply_level(&self) -> Level {
        Session::reply_level(self)
    }

    fn take_parameter_changes(&mut self) -> Vec<(String, String)> {
        Session::take_parameter_changes(self)
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        Session::take_notices(self)
    }

    fn initial_parameters(&mut self) -> Vec<(String, String)> {
        Session::initial_parameters(self)
    }

    fn client_encoding(&self) -> Encoding {
        Session::client_encoding(self)
    }

    fn format_options(&self) -> FormatOptions {
        Session::format_options(self)
    }

    fn timeouts(&self) -> Timeouts {
        Session::timeouts(self)
    }
}
