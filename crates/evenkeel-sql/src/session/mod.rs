//! A session: statements in, rows out. This file has the public interface; each statement passes `prepare` → `bind` → `run`, and `sync`
//! ends its implicit transaction.
//!
//! Invariants:
//! 1. A plan runs only under the catalog version that it was made from: table locks are taken first, then the version is compared.
//! 2. `reply` covers everything that a reply may depend on: it is raised after each statement, also one that failed.
//! 3. A READ COMMITTED snapshot is taken after the catalog was looked at: an index in the plan is complete in the snapshot.
//!
//! Must not know: the wire protocol.
//!
#![doc = include_str!("README.md")]

mod activity;
mod address;
mod asked;
mod auto_explain;
pub(crate) mod background;
mod block;
mod constraints;
mod copy;
mod copy_to;
mod cursor;
mod custom;
mod deadlock;
mod defaults;
mod describe;
mod env;
mod explain;
mod explain_markup;
mod exported;
mod fastpath;
mod has_privilege;
mod identify;
mod layers;
mod lock_table;
pub(crate) mod lock_waits;
mod logged;
mod metered;
mod modes;
mod named;
mod notice;
pub(crate) mod notifier;
mod notify;
mod only;
mod path;
mod planned;
mod prepared;
pub(crate) mod privileges;
mod reg;
mod reply;
mod replying;
mod rollback;
mod set_one;
pub mod settings;
pub(crate) mod statements;
mod stored;
mod suspended;
mod tag;
pub(crate) mod temporary;
mod traced;
mod transaction;
mod unused;
mod upkeep;
mod utility;
mod wait_for;

use crate::bind::{BindContext, bind_to_prepare};
use crate::catalog::Catalog;
use crate::catalog::locks::HeldLocks;
use crate::catalog::store::Part;
use crate::exec::spill::{Budget, TempSpace};
use crate::instance::{Instance, SessionInfo};
use crate::parse::{Stmt, TxnStmt, parse_script};
use crate::plan::{Column, Plan};
use custom::PlanCacheMode;
use env::SessionEnv;
pub use env::examined::{is_guarded_setting, not_examined};
pub(crate) use env::is_system_schema;
use evenkeel::Interrupt;
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::{Deep, with_depth};
use evenkeel_types::guard::{self, Entered};
use evenkeel_types::{Datum, EvalCtx, FormatOptions, Type};
pub use logged::LogOrigin;
use named::NamedStatements;
pub use notifier::Notification;
use parking_lot::Mutex;
pub use planned::is_reshaped;
pub use prepared::Prepared;
pub use reply::Reply;
use settings::Settings;
use statements::Statements;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
pub use tag::CommandTag;
use transaction::Txn;
pub use utility::AnalyzeLimits;

pub use copy::CopyIn;
pub use defaults::Timeouts;
pub use layers::{Configured, Given};
use planned::PortalState;
use temporary::Temporary;

/// What clients are told, and SHOW says; `version()` names this server.
pub const SERVER_VERSION: &str = "18.0";

/// The largest plan that is kept with its statement.
const KEPT_PLAN_BYTES: usize = 4 << 20;

/// What a session is begun with.
pub struct SessionParams {
    /// The user that authenticated.
    pub user: String,
    /// The database asked for.
    pub database: String,
    /// application_name
    pub application_name: String,
    /// The client's address, if it came over TCP.
    pub client_addr: Option<String>,
    /// And its port there.
    pub client_port: Option<u16>,
    /// The address and port that it called.
    pub server_addr: Option<SocketAddr>,
    /// By which method it was authenticated, and as whom: `SYSTEM_USER`.
    pub system_user: Option<String>,
    /// What the configuration has every session begin with; a role's and a database's settings come before it.
    pub configured: Arc<Configured>,
    /// From the start-up packet and its options.
    pub settings: Vec<(String, String)>,
    /// The number that cancel requests name.
    pub backend_pid: i32,
    /// Cancels what the session runs. One of its own: locks and deadlock searches know the session by it.
    pub interrupt: Arc<Interrupt>,
    /// Bound of one statement's sorts, hashes and kept rows.
    pub statement_memory_bytes: usize,
    /// It is who owns the folder: any role may log in so, and a name that is no role's is the bootstrap role's.
    pub as_owner: bool,
    /// The connection's, for the log.
    pub log_origin: LogOrigin,
}

/// How far a portal ran.
pub enum Progress {
    /// The row limit was reached: run again for more.
    Suspended,
    /// It is done.
    Done(CommandTag),
    /// It waits for COPY data.
    CopyIn(Box<CopyIn>),
    /// There was no statement.
    Empty,
    /// It waits for a row lock: run it again once the session's interrupt is nudged. Nothing was given to the sink.
    Waits,
}

/// Takes result rows.
pub trait RowSink {
    /// A row.
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError>;
    /// COPY TO begins, with that many columns, in text or in the binary format.
    fn copy_out_begin(&mut self, columns: usize, binary: bool) -> Result<(), SqlError>;
    /// COPY data: one line or row, with what comes before the first or after the last.
    fn copy_data(&mut self, bytes: &[u8]) -> Result<(), SqlError>;
}

/// A message beside the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `NOTICE`, `WARNING`, …
    pub severity: &'static str,
    /// Its SQLSTATE.
    pub code: SqlState,
    /// The message.
    pub message: String,
    /// Particulars.
    pub detail: Option<String>,
    /// A hint.
    pub hint: Option<String>,
}

/// A statement with its parameters, ready to run or running.
pub struct Portal {
    stmt: Arc<Prepared>,
    params: Vec<Datum>,
    plan: Option<Arc<Deep<Plan>>>,
    columns: Option<Arc<[Column]>>,
    /// Its rows go in the binary format where the protocol does not say.
    binary: bool,
    state: PortalState,
    /// What it has taken until now.
    spent: metered::Spent,
    explained: auto_explain::Explained,
}

impl Portal {
    /// Result columns; None: it returns no rows.
    pub fn columns(&self) -> Option<&[Column]> {
        self.columns.as_deref()
    }
}

/// A session.
pub struct Session {
    pub(crate) instance: Arc<Instance>,
    pub(crate) info: Arc<SessionInfo>,
    pub(crate) interrupt: Arc<Interrupt>,
    pub(crate) statement_memory_bytes: usize,
    /// What a statement may take, by the settings as they are.
    pub(crate) budget: Arc<Budget>,
    /// Statements may end with `Progress::Waits`.
    may_wait_outside: bool,
    defers_durability: bool,
    /// The statement that has ended so and is to go on.
    waiting: Option<Box<planned::Waiting>>,
    pub(crate) settings: Settings,
    /// As whom it acts.
    pub(crate) authority: privileges::Authority,
    /// What transactions begin with, read from the settings when they change.
    pub(crate) defaults: defaults::Defaults,
    metering: metered::Metering,
    logging: logged::Logging,
    auto_explain: auto_explain::AutoExplain,
    /// What an error is about which is told next.
    failed: Option<logged::Failed>,
    /// The statement that is at work.
    running: Option<Arc<str>>,
    /// Transactions that it has begun.
    transactions: u64,
    pub(crate) format: FormatOptions,
    pub(crate) env: SessionEnv,
    pub(crate) txn: Option<Txn>,
    /// Shared with what functions see.
    pub(crate) held: Arc<Mutex<HeldLocks>>,
    /// The committed catalog of its database.
    pub(crate) part: Arc<Part>,
    pub(crate) catalog: Arc<Catalog>,
    search_path: Vec<u32>,
    search_path_for: u64,
    pub(crate) temporary: Temporary,
    /// The first of the schemas that are searched, but for those that always are.
    creation_schema: Option<u32>,
    /// Plans made before the latest SET of something that they may depend on are stale.
    settings_epoch: u64,
    plan_cache_mode: PlanCacheMode,
    encoding: Encoding,
    statements: Statements,
    pub(crate) named: Arc<NamedStatements>,
    suspended: suspended::SuspendedList,
    cursors: cursor::Cursors,
    block: block::Block,
    /// The text of the statement without a plan that runs.
    pub(crate) source: Arc<str>,
    /// It may have notifications.
    is_listening: bool,
    pub(crate) notices: Vec<Notice>,
    reply: Reply,
    untold: metered::Untold,
    /// Statements that are traced and not answered yet.
    untold_spans: Vec<(std::time::Instant, crate::spans::StatementSpan)>,
}

impl Session {
    pub(crate) fn new(
        instance: Arc<Instance>,
        info: Arc<SessionInfo>,
        p: SessionParams,
        part: Arc<Part>,
        catalog: Arc<Catalog>,
    ) -> Result<Session, SqlError> {
        let role = privileges::login(&instance, &info, &catalog, &p.user, &p.database, p.as_owner)?;
        let mut settings = asked::settings(&p, &role, &catalog, &instance)?;
        settings.report("is_superuser", if role.superuser { "on" } else { "off" });
        let authority = privileges::Authority::new(&role);
        let named = Arc::new(NamedStatements::default());
        let held = Arc::new(Mutex::new(HeldLocks::new(info.owner)));
        let env = SessionEnv::new(
            instance.clone(),
            info.clone(),
            (part.clone(), catalog.clone()),
            named.clone(),
            held.clone(),
        );
        let mut session = Session {
            held,
            interrupt: p.interrupt,
            statement_memory_bytes: p.statement_memory_bytes,
            budget: Arc::new(Budget::of_memory(p.statement_memory_bytes)),
            may_wait_outside: false,
            defers_durability: false,
            waiting: None,
            format: settings.format_options(),
            defaults: defaults::Defaults::read(&settings),
            metering: metered::Metering::default(),
            logging: logged::Logging::default(),
            auto_explain: Default::default(),
            failed: None,
            running: None,
            transactions: 0,
            settings,
            authority,
            env,
            txn: None,
            part,
            catalog,
            search_path: Vec::new(),
            search_path_for: u64::MAX,
            temporary: Temporary::default(),
            creation_schema: None,
            settings_epoch: 0,
            plan_cache_mode: PlanCacheMode::default(),
            encoding: Encoding::UTF8,
            statements: Statements::default(),
            named,
            suspended: Default::default(),
            cursors: cursor::Cursors::new(),
            block: block::Block::default(),
            source: Arc::default(),
            is_listening: false,
            notices: Vec::new(),
            reply: Reply::default(),
            untold: Default::default(),
            untold_spans: Vec::new(),
            instance,
            info,
        };
        session.env.set_memory(session.statement_memory_bytes);
        session.settings_changed();
        session.settings.take_changes();
        Ok(session)
    }

    /// Parses and plans one statement. Parameter types: 0 is inferred.
    pub fn prepare(&mut self, sql: &str, param_types: &[u32]) -> Result<Arc<Prepared>, SqlError> {
        let result = self.conforming(sql).and_then(|sql| self.prepare_text(&sql, param_types));
        if result.is_err() {
            self.show_failed(&sql.into());
            let is_read = result.as_ref().is_err_and(|e| e.code != SqlState::SYNTAX_ERROR);
            self.set_failed_text(sql, is_read.then_some(sql));
        }
        result
    }

    fn prepare_text(&mut self, sql: &str, param_types: &[u32]) -> Result<Arc<Prepared>, SqlError> {
        let _entered = self.enter();
        self.tell_of_cut(sql);
        if let Some(statement) = self.parsed_before(sql, param_types) {
            self.check_failed(&statement.body.stmt)?;
            return Ok(statement);
        }
        let mut parsed = parse_script(sql)?;
        if parsed.len() > 1 {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                "cannot insert multiple commands into a prepared statement",
            ));
        }
        let Some(p) = parsed.pop() else { return Err(SqlError::internal("no statement")) };
        let mut declared = Vec::with_capacity(param_types.len());
        for oid in param_types {
            declared.push(match oid {
                0 | 705 => None,
                oid => Some(self.type_of_oid(*oid).ok_or_else(|| {
                    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type with OID {oid} is not supported"))
                })?),
            });
        }
        let text: Arc<str> = p.text.into();
        let statement = self.prepare_stmt(p.stmt, text, sql.into(), declared)?;
        self.keep_parsed(param_types, &statement);
        Ok(statement)
    }

    pub(crate) fn prepare_stmt(
        &mut self,
        stmt: Deep<Stmt>,
        text: Arc<str>,
        source: Arc<str>,
        declared: Vec<Option<Type>>,
    ) -> Result<Arc<Prepared>, SqlError> {
        self.check_failed(&stmt)?;
        let mut prepared = Prepared::new(stmt, text, source, declared);
        let mut domains = Vec::new();
        let (param_types, columns) = if self.is_planned(&prepared.body.stmt) {
            let depth = prepared.body.stmt.depth();
            let plan = self.settled_plan(&prepared, &mut |s| with_depth(depth, || s.plan(&prepared)))?;
            plan.check_prepared()?;
            domains.clone_from(&plan.param_domains);
            (plan.param_types.clone(), plan.columns.as_deref().map(<[Column]>::to_vec))
        } else if let Some(query) = prepared::query_of(&prepared.body.stmt) {
            // Its parameters are its query's.
            let (depth, body) = (prepared.body.stmt.depth(), &prepared.body);
            let (text, source, declared) =
                (prepared.text.clone(), body.source.clone(), body.declared.clone());
            let query = self.prepare_stmt(Deep::new(depth, query), text, source, declared)?;
            (query.param_types().to_vec(), None)
        } else if let Some(types) = self.explained_types(&prepared)? {
            (types, self.utility_columns(&prepared.body.stmt)?)
        } else {
            (Vec::new(), self.utility_columns(&prepared.body.stmt)?)
        };
        let bytes = guard::own_bytes().max(prepared.body.source.len());
        if let Some(body) = Arc::get_mut(&mut prepared.body) {
            (body.param_types, body.columns, body.bytes) = (param_types, columns, bytes);
            body.param_domains = domains;
        }
        Ok(Arc::new(prepared))
    }

    /// Gives a statement its parameters, which are of [`Prepared::param_types`].
    pub fn bind(&mut self, stmt: &Arc<Prepared>, params: Vec<Datum>) -> Result<Portal, SqlError> {
        let _entered = self.enter();
        let result = with_depth(stmt.body.stmt.depth(), || self.bind_on_stack(stmt, params));
        if result.is_err() {
            self.show_failed(stmt.sent());
            self.set_failed(stmt.sent(), Some(&stmt.text));
        }
        result
    }

    fn bind_on_stack(&mut self, stmt: &Arc<Prepared>, mut params: Vec<Datum>) -> Result<Portal, SqlError> {
        let mut stmt = stmt.clone();
        self.check_failed(&stmt.body.stmt)?;
        if !stmt.values.is_empty() {
            match self.current_plan(&stmt) {
                Some(_) => params = stmt.values.clone(),
                None => stmt = self.as_spelled(&stmt)?,
            }
        }
        let (plan, columns) = if self.is_planned(&stmt.body.stmt) {
            statements::check_types(&params, &stmt.body.param_types)?;
            let plan = match stmt.values.is_empty() {
                true => self.settled_plan(&stmt, &mut |s| s.plan_for(&stmt, &params))?,
                // Of one that was found by its shape, the parameters would be others.
                false => self.plan_for(&stmt, &params)?,
            };
            if let Some(described) = &stmt.body.columns
                && !same_shape(plan.columns.as_deref(), Some(described))
            {
                return Err(planned::reshaped());
            }
            statements::check_given(&params, &plan.param_types, stmt.body.declared.is_empty())?;
            let columns = plan.columns.clone();
            (Some(plan), columns)
        } else {
            if matches!(&*stmt.body.stmt, Stmt::Explain(_)) || !stmt.body.param_types.is_empty() {
                let is_simple = stmt.body.declared.is_empty();
                statements::check_given(&params, &stmt.body.param_types, is_simple)?;
            }
            let columns = match &stmt.body.columns {
                Some(c) => Some(c.clone()),
                None => self.utility_columns(&stmt.body.stmt)?,
            };
            (None, columns.map(Into::into))
        };
        let binary = match &*stmt.body.stmt {
            Stmt::Fetch(f) => self.cursor_shape(&f.name).is_some_and(|(_, binary)| binary),
            _ => false,
        };
        Ok(Portal {
            stmt,
            params,
            plan,
            columns,
            binary,
            state: PortalState::New,
            spent: Default::default(),
            explained: Default::default(),
        })
    }

    /// Runs a portal: up to `max_rows` rows, or all if that is 0. What the sink got may be told to others once this returns.
    pub fn run(
        &mut self,
        portal: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let _entered = self.enter();
        self.check_failed(&portal.stmt.body.stmt)?;
        self.before_statement(portal)?;
        if self.waiting.is_none() {
            let number = self.number_of(&portal.stmt);
            // Of several statements of a simple query, the whole query.
            let stmt = &portal.stmt;
            let shown = if self.block.script_us.is_some() { &stmt.body.source } else { &stmt.text };
            self.begin_activity(shown, number);
        } else {
            self.info.place.enter_thread();
        }
        self.running = Some(portal.stmt.text.clone());
        let meter = self.begin_meter(portal);
        let depth = portal.plan.as_ref().map_or(0, |p| p.depth()).max(portal.stmt.body.stmt.depth());
        let mut result = with_depth(depth, || match *portal.stmt.body.stmt {
            Stmt::Empty => Ok(Progress::Empty),
            _ if matches!(portal.state, PortalState::Named(_)) => self.run_named(portal, max_rows, sink),
            _ if portal.plan.is_some() => self.run_planned(portal, max_rows, sink),
            _ => self.run_utility(portal, max_rows, sink),
        });
        self.end_definition();
        self.source = Arc::default();
        let tells_of_definitions = result.is_err() || self.tells_of_definitions(portal);
        self.observe(tells_of_definitions);
        if let Some(meter) = meter {
            self.end_meter(portal, meter, &mut result);
        }
        if result.is_err() {
            self.set_failed(portal.stmt.sent(), Some(&portal.stmt.text));
        }
        if matches!(result, Ok(Progress::Waits)) {
            self.info.place.leave_thread();
        } else {
            self.end_activity();
        }
        self.running = None;
        self.until_told(result).map_err(|e| self.as_reported(e))
    }

    /// From here on, until it is dropped, what the thread does is this session's.
    pub(crate) fn enter(&self) -> Entered {
        if let Some(names) = &self.format.reg_names {
            evenkeel_types::user::name_types_by(names);
        }
        guard::enter(&self.interrupt, self.statement_memory_bytes)
    }

    /// Whether statements that follow may end with `Progress::Waits`, to be run again.
    pub fn set_may_wait_outside(&mut self, yes: bool) {
        self.may_wait_outside = yes;
    }

    /// An error was reported: the implicit transaction rolls back, an explicit one is failed.
    pub fn fail(&mut self) {
        self.observe(true);
        self.fail_transaction();
        self.end_activity();
        self.end_wait();
    }

    /// The end of a query string, or Sync: the implicit transaction commits, and is as safe as `synchronous_commit` says when this returns.
    pub fn sync(&mut self) -> Result<(), SqlError> {
        let _entered = (!self.cursors.is_empty()).then(|| self.enter());
        self.info.place.enter_thread();
        let began = self.begin_commit();
        let result = self.end_implicit();
        self.end_commit(began, result.is_ok());
        self.block = block::Block::default();
        self.end_activity();
        self.until_told(result).map_err(|e| self.as_reported(e))
    }

    /// `I`, `T` or `E`.
    pub fn transaction_status(&self) -> u8 {
        match &self.txn {
            Some(t) if t.explicit && t.failed => b'E',
            Some(t) if t.explicit => b'T',
            _ => b'I',
        }
    }

    /// Settings changed since last asked that the client must be told of.
    pub fn take_parameter_changes(&mut self) -> Vec<(String, String)> {
        self.settings.take_changes()
    }

    /// Messages since last asked.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// In which the client writes, and is written to.
    pub fn client_encoding(&self) -> Encoding {
        self.encoding
    }

    /// What the client is told at start-up.
    pub fn initial_parameters(&mut self) -> Vec<(String, String)> {
        let mut all = self.settings.reported();
        let is_told = |name: &str| all.iter().any(|(told, _)| told.eq_ignore_ascii_case(name));
        self.raise_reply(self.env.kept_basis(&self.settings, is_told));
        all.push(("server_version".into(), SERVER_VERSION.into()));
        let is_superuser = if self.authority.is_superuser { "on" } else { "off" };
        all.push(("is_superuser".into(), is_superuser.into()));
        all
    }

    /// How values are printed.
    pub fn format_options(&self) -> FormatOptions {
        self.format.clone()
    }

    /// The session's time limits as they are now.
    pub fn timeouts(&self) -> Timeouts {
        self.defaults.timeouts
    }

    /// A failed transaction takes nothing but its end.
    fn check_failed(&self, stmt: &Stmt) -> Result<(), SqlError> {
        let ends = matches!(
            stmt,
            Stmt::Txn(TxnStmt::Commit { .. } | TxnStmt::Rollback { .. } | TxnStmt::RollbackTo(_))
                | Stmt::Empty
        );
        if ends { Ok(()) } else { self.check_not_failed() }
    }

    /// Brings the session's view of the catalog up to date.
    pub(crate) fn refresh_catalog(&mut self) {
        self.settings.set_hot_standby(self.instance.is_standby());
        if self.instance.is_standby() {
            return self.refresh_catalog_of_standby();
        }
        let version = self.instance.store.version(&self.part);
        let current = match &mut self.txn {
            Some(t) if !t.changes.is_empty() => {
                if t.merged_from != version || t.merged_changes != t.changes.len() {
                    let base = self.part.current();
                    let own = self.instance.store.new_version();
                    // The view has the earlier ones, unless somebody else's came between or some were undone.
                    let merged = 1..=t.changes.len();
                    let (onto, from) = match t.merged_changes {
                        n if t.merged_from == base.version && merged.contains(&n) => (&self.catalog, n),
                        _ => (&base, 0),
                    };
                    self.catalog = Arc::new(onto.with_changes(&t.changes[from..], own));
                    t.merged_from = base.version;
                    t.merged_changes = t.changes.len();
                }
                return self.catalog_changed();
            }
            _ => self.catalog.version == version,
        };
        if !current {
            self.catalog = self.part.current();
            self.catalog_changed();
        } else if self.search_path_for != self.catalog.version {
            self.catalog_changed();
        }
    }

    /// A snapshot that is kept has its catalog. An error leaves the one that the session has: what is run in a snapshot that has another fails
    /// (`is_catalog_of_snapshot`).
    fn refresh_catalog_of_standby(&mut self) {
        let kept = match &mut self.txn {
            Some(t) if t.keeps_snapshot() => t.engine.as_mut().filter(|e| e.definitions().is_some()),
            _ => None,
        };
        let found = match kept {
            Some(e) if e.definitions() == Some(self.catalog.version - 1) => return,
            Some(engine) => self.instance.store.of_snapshot(&self.part, engine),
            None if self.catalog.version == self.instance.store.version(&self.part) => return,
            None => self.instance.store.of_now(&self.part),
        };
        match found {
            Ok(catalog) => {
                self.catalog = catalog;
                self.catalog_changed();
            }
            Err(e) => tracing::debug!(error = %e, "the catalog was not read"),
        }
    }

    /// An error as the client is told of it. A standby that takes over ends what reads it; the session goes on.
    fn as_reported(&self, mut e: SqlError) -> SqlError {
        self.tell_of_deadlock(&mut e);
        if e.code != SqlState::ADMIN_SHUTDOWN || !self.txn.as_ref().is_some_and(|t| t.of_standby) {
            return e;
        }
        SqlError::new(SqlState::SERIALIZATION_FAILURE, "canceling statement because the standby takes over")
            .with_hint("Run the transaction again.")
    }

    /// Reads the catalog of the snapshot that the statement has. An error: it cannot be had, so that the statement cannot run.
    pub(crate) fn take_catalog_of_snapshot(&mut self) -> Result<(), SqlError> {
        if let Some(engine) = self.txn.as_mut().and_then(|t| t.engine.as_mut()) {
            self.catalog = self.instance.store.of_snapshot(&self.part, engine)?;
            self.catalog_changed();
        }
        Ok(())
    }

    /// Whether the session's catalog is that of the snapshot which the statement has just taken. On a primary table locks see to it.
    pub(crate) fn is_catalog_of_snapshot(&self) -> bool {
        let snapshot = self.txn.as_ref().and_then(|t| t.engine.as_ref()).and_then(|e| e.definitions());
        !self.instance.is_standby() || snapshot.is_none_or(|n| n + 1 == self.catalog.version)
    }

    /// A setting changed: formats and the search path follow.
    pub(crate) fn settings_changed(&mut self) {
        let now_us = self.format.now_us;
        self.format = self.settings.format_options();
        self.format.now_us = now_us;
        self.format.reg_names = Some(self.env.names());
        self.defaults = defaults::Defaults::read(&self.settings);
        if let Some(engine) = self.txn.as_mut().and_then(|t| t.engine.as_mut()) {
            engine.set_lock_timeout(self.defaults.lock_timeout);
            engine.set_durability(self.defaults.durability);
        }
        self.metering = metered::Metering::read(&self.settings);
        self.logging = logged::Logging::read(&self.settings);
        self.auto_explain = auto_explain::AutoExplain::read(&self.settings);
        self.set_logs_waits();
        self.budget = self.read_budget();
        self.search_path_for = u64::MAX;
        self.settings_epoch += 1;
        self.encoding =
            self.settings.get("client_encoding").and_then(Encoding::named).unwrap_or(Encoding::UTF8);
        self.plan_cache_mode = PlanCacheMode::of(self.settings.get("plan_cache_mode").unwrap_or("auto"));
        self.refresh_catalog();
        self.catalog_changed();
        let name = self.settings.get("application_name").unwrap_or("").to_owned();
        self.info.activity.lock().application_name = name;
    }

    fn read_budget(&self) -> Arc<Budget> {
        let size = |name: &str| u64::try_from(self.settings.bytes(name)).ok();
        let work_mem_bytes = size("work_mem").unwrap_or(0) as usize;
        let multiplier = self.settings.number("hash_mem_multiplier") as usize;
        let (limit_bytes, log_from_bytes) = (size("temp_file_limit"), size("log_temp_files"));
        let before = &self.budget.temp;
        let folder = self.instance.temp_folder();
        // What files of now take goes on being counted.
        let is_same = before.folder == folder
            && before.limit_bytes == limit_bytes
            && before.large.as_ref().map(|l| l.from_bytes) == log_from_bytes;
        let temp = if is_same {
            before.clone()
        } else {
            // And what was read and written, which a statement that changes the settings is in the midst of.
            let large = log_from_bytes.map(|from_bytes| self.large_files(from_bytes, &folder));
            let new = TempSpace::new(folder, limit_bytes, large);
            let now = |count: &AtomicU64| count.load(Ordering::Relaxed).into();
            let (used_bytes, written_bytes) = (now(&before.used_bytes), now(&before.written_bytes));
            Arc::new(TempSpace { used_bytes, written_bytes, read_bytes: now(&before.read_bytes), ..new })
        };
        let hash_mem_bytes = work_mem_bytes.saturating_mul(multiplier) / 100;
        Arc::new(Budget {
            statement_bytes: self.statement_memory_bytes,
            work_mem_bytes,
            hash_mem_bytes,
            maintenance_bytes: size("maintenance_work_mem").unwrap_or(0) as usize,
            temp,
        })
    }

    /// Context for binding a statement.
    pub(crate) fn bind_context<'a>(&'a self, eval: &'a EvalCtx<'a>, source: &'a str) -> BindContext<'a> {
        BindContext {
            catalog: &self.catalog,
            search_path: &self.search_path,
            eval,
            source,
            snapshot_version: self.snapshot_version(),
            role: (!self.authority.is_superuser).then_some(self.authority.current),
            values: None,
            literals: None,
        }
    }

    /// Context for binding what belongs to a definition: no snapshot is older than its indexes.
    pub(crate) fn definition_context<'a>(&'a self, eval: &'a EvalCtx<'a>) -> BindContext<'a> {
        BindContext { snapshot_version: u64::MAX, ..self.bind_context(eval, &self.source) }
    }

    /// Context of evaluation outside a running statement.
    pub(crate) fn eval_ctx(&self) -> EvalCtx<'_> {
        let (txn_timestamp, stmt_timestamp) = match &self.txn {
            Some(t) => (t.started_us, t.statement_us),
            None => {
                let now = evenkeel_types::datetime::wall_clock_us();
                (now, now)
            }
        };
        EvalCtx {
            format: &self.format,
            txn_timestamp,
            stmt_timestamp,
            max_value_bytes: self.statement_memory_bytes,
            env: &self.env,
        }
    }

    /// Whether a statement has a plan.
    fn is_planned(&self, stmt: &Stmt) -> bool {
        use sqlparser::ast::Statement as S;
        match stmt {
            Stmt::Sql(s) => {
                matches!(**s, S::Query(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_))
            }
            _ => false,
        }
    }

    /// A statement's plan for the current catalog.
    pub(crate) fn plan(&mut self, stmt: &Prepared) -> Result<Arc<Deep<Plan>>, SqlError> {
        if let Some(plan) = self.current_plan(stmt) {
            return Ok(plan);
        }
        let (general, epoch) = (self.snapshot_version() >= self.catalog.version, self.settings_epoch);
        let (plan, bytes) = self.make_plan(stmt, None)?;
        // One that holds large constants is made anew each time: they are not to stay.
        if general && bytes <= KEPT_PLAN_BYTES {
            *stmt.body.plan.lock() = Some((epoch, plan.clone()));
        }
        Ok(plan)
    }

    /// Makes a plan, for any parameters or for these; with what it takes to keep it, in bytes.
    fn make_plan(
        &mut self,
        prepared: &Prepared,
        values: Option<&[Datum]>,
    ) -> Result<(Arc<Deep<Plan>>, usize), SqlError> {
        let stmt = &*prepared.body;
        let snapshot_version = self.snapshot_version();
        let Stmt::Sql(tree) = &*stmt.stmt else { return Err(SqlError::internal("statement without a plan")) };
        let eval = self.eval_ctx();
        let of_session = self.bind_context(&eval, &stmt.source);
        let cx = BindContext { snapshot_version, values, literals: Some(&stmt.literals), ..of_session };
        stmt.literals.read_with(self.settings_epoch, self.catalog.version);
        // Types found at first stay: the client has been told of them.
        let mut declared = stmt.declared.clone();
        for (n, ty) in stmt.param_types.iter().enumerate() {
            match declared.get_mut(n) {
                Some(d) => *d = Some(*ty),
                None => declared.push(Some(*ty)),
            }
        }
        let before = guard::own_bytes();
        let began = self.counts_planning().then(std::time::Instant::now);
        let mut plan = bind_to_prepare(&cx, tree, &declared)?;
        if let Some(began) = began {
            self.count_planning(prepared, began.elapsed());
        }
        plan.depth += stmt.stmt.depth();
        let bytes = guard::own_bytes().saturating_sub(before);
        Ok((Arc::new(Deep::new(plan.depth, plan).made_of(bytes)), bytes))
    }

    /// The plan that a statement has already, if it is what making it now would give.
    fn current_plan(&mut self, stmt: &Prepared) -> Option<Arc<Deep<Plan>>> {
        self.refresh_catalog();
        let plan = match &*stmt.body.plan.lock() {
            Some((at, plan))
                if plan.version == self.catalog.version
                    && *at == self.settings_epoch
                    && self.snapshot_version() >= plan.version =>
            {
                plan.clone()
            }
            _ => return None,
        };
        self.tell_of_plan(&plan);
        Some(plan)
    }

    /// Whether a statement that has come before is what it would be now: its plan, and the values of its literals. (One that was executed since has been planned anew, and keeps those.)
    fn is_as_new(&mut self, stmt: &Prepared) -> bool {
        self.current_plan(stmt).is_some()
            && stmt.body.literals.are_of(self.settings_epoch, self.catalog.version)
    }

    /// What is read from now on is read by the definitions of now.
    pub fn refresh(&mut self) {
        let _entered = self.enter();
        self.refresh_catalog();
    }

    /// Indexes made after this catalog version are not complete in the transaction's snapshot.
    pub(crate) fn snapshot_version(&self) -> u64 {
        self.txn.as_ref().and_then(Txn::kept_version).unwrap_or(u64::MAX)
    }

    /// Forgets cached statements.
    pub(crate) fn clear_cache(&mut self) {
        self.statements.clear();
    }
}

/// Whether two results look the same to a client that was told of one of them.
pub(crate) fn same_shape(a: Option<&[Column]>, b: Option<&[Column]>) -> bool {
    let shape = |c: Option<&[Column]>| -> Option<Vec<(String, Type, i32)>> {
        c.map(|c| c.iter().map(|c| (c.name.clone(), c.ty, c.typmod)).collect())
    };
    a == b || shape(a) == shape(b)
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave_temporary();
        self.log_no_waits();
        self.instance.leave(self.info.owner);
    }
}
