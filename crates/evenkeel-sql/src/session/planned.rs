//! Running statements that have a plan.
//!
//! A portal that is suspended goes on seeing what it saw when it began, see `suspended`.
//!
//! Must not know: SQL syntax.

use super::cursor::NamedPortal;
use super::notice::is_wanted;
use super::set_one::PendingSetting;
use super::suspended::{Rest, Suspended, reading};
use super::{CommandTag, Portal, Prepared, Progress, RowSink, Session};
use crate::catalog::large_objects::CLASS_OID;
use crate::catalog::locks::TableLockMode;
use crate::exec::change::{self, Change};
use crate::exec::node::{self, State, buffer};
use crate::exec::{Cx, Row, RunState, row_bytes};
use crate::plan::{Plan, PlanKind, Query};
use evenkeel::{Basis, Sight};
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::{Deep, with_depth};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Where a portal stands.
pub(crate) enum PortalState {
    /// Not begun.
    New,
    /// A query that is being read.
    Query(Box<Deep<QueryState>>),
    /// A query that was suspended.
    Suspended(Arc<Mutex<Suspended>>),
    /// Rows that were kept, to be given in pieces, and the tag.
    Kept(VecDeque<Row>, CommandTag),
    /// It is kept as a cursor.
    Named(NamedPortal),
    /// Finished.
    Done,
}

/// A running query.
pub(crate) struct QueryState {
    pub(super) state: State,
    pub(super) row: Vec<Datum>,
    pub(super) run: RunState,
}

/// What making a plan comes to.
type Made = Result<Arc<Deep<Plan>>, SqlError>;

/// A query that has begun.
pub(super) type Begun = Box<Deep<QueryState>>;

/// A change under way.
struct Running {
    plan: Arc<Deep<Plan>>,
    change: Change,
    run: RunState,
    /// What had been met before it began.
    since: Basis,
}

/// A change that waits for a row lock outside of the call, of the statement with this text, and its parameters.
pub(super) struct Waiting {
    running: Deep<Running>,
    text: Arc<str>,
    params: Vec<Datum>,
}

impl Session {
    /// A plan of whose columns the client is told before it runs: made anew once whoever changes definitions that it is made of is done, as PostgreSQL waits in Parse and
    /// Bind. Locks that nobody stands in the way of are taken when it runs: what is only prepared holds up nobody.
    pub(super) fn settled_plan(
        &mut self,
        stmt: &Prepared,
        make: &mut dyn FnMut(&mut Session) -> Made,
    ) -> Made {
        loop {
            let plan = make(self)?;
            let owner = self.info.owner;
            if !plan.locks.iter().any(|l| l.table.shared.lock.is_redefined(owner, l.mode)) {
                return Ok(plan);
            }
            // What waits within a statement that runs is shown already.
            let begins = self.running.is_none();
            if begins {
                self.begin_activity(&stmt.text, None);
                self.running = Some(stmt.text.clone());
            }
            let result = self.wait_for_definitions(&plan);
            if begins {
                self.running = None;
                self.end_activity();
            }
            result?;
        }
    }

    fn wait_for_definitions(&mut self, plan: &Plan) -> Result<(), SqlError> {
        self.ensure_txn()?;
        for l in &plan.locks {
            if l.table.shared.lock.is_redefined(self.info.owner, l.mode) {
                self.lock_object(&l.table.shared.lock, l.mode, &l.table.name, false)?;
            }
        }
        self.refresh_catalog();
        Ok(())
    }

    /// Takes the locks that a plan needs; the plan that is current once they are held.
    fn lock_plan(&mut self, portal: &mut Portal) -> Result<Arc<Deep<Plan>>, SqlError> {
        self.ensure_txn()?;
        let mut plan = portal.plan.clone().ok_or_else(|| SqlError::internal("portal without a plan"))?;
        loop {
            for need in &plan.locks {
                self.lock_object(&need.table.shared.lock, need.mode, &need.table.name, false)?;
            }
            self.refresh_catalog();
            if plan.version == self.catalog.version {
                break;
            }
            if !portal.stmt.values.is_empty() && self.current_plan(&portal.stmt).is_none() {
                portal.stmt = self.as_spelled(&portal.stmt)?;
                portal.params = Vec::new();
            }
            let fresh = self.plan(&portal.stmt)?;
            if !super::same_shape(fresh.columns.as_deref(), plan.columns.as_deref()) {
                return Err(reshaped());
            }
            fresh.check_runs()?;
            plan = fresh;
        }
        // Temporary tables are nobody's but the session's, and may be written all the same.
        let locks_rows = plan
            .locks
            .iter()
            .any(|n| n.mode >= TableLockMode::RowShare && !self.catalog.is_temporary(n.table.schema));
        let writes = plan.writes
            && (locks_rows || plan.targets.iter().any(|t| !self.catalog.is_temporary(t.table.schema)));
        if (writes || locks_rows) && self.txn.as_ref().is_some_and(|t| t.read_only) {
            return Err(read_only(plan.verb()));
        }
        plan.check_ready()?;
        Ok(plan)
    }

    /// Refuses columns that others have added since the transaction's snapshot was taken, with values for the rows that it has: there they have none, not even those that
    /// must.
    fn check_snapshot_has(&self, plan: &Plan) -> Result<(), SqlError> {
        let Some((txn, version)) = self.txn.as_ref().and_then(|t| Some((t, t.kept_version()?))) else {
            return Ok(());
        };
        for need in &plan.needs.relations {
            let Some(table) = self.catalog.table(need.relation) else { continue };
            let column = |n: &i16| table.columns.get(usize::try_from(*n - 1).ok()?);
            let younger = need.selected.iter().filter_map(column).find(|c| c.since_version > version);
            if let Some(column) = younger.filter(|_| !txn.has_changed(table.oid)) {
                let why = "could not serialize access due to concurrent update";
                let detail = format!(
                    "Column \"{}\" of table \"{}\" is younger than the transaction's snapshot.",
                    column.name, table.name
                );
                return Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, why).with_detail(detail));
            }
        }
        Ok(())
    }

    /// Makes the context and runs something in it.
    pub(crate) fn with_cx<T>(
        &mut self,
        plan: &Plan,
        params: &[Datum],
        run: &mut RunState,
        f: impl FnOnce(&mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.ensure_txn()?;
        let Session {
            txn,
            env,
            format,
            interrupt,
            instance,
            info,
            catalog,
            statement_memory_bytes,
            notices,
            settings,
            defaults,
            authority,
            ..
        } = self;
        let txn = txn.as_mut().ok_or_else(|| SqlError::internal("no transaction"))?;
        let (is_snapshot_isolation, snapshot_version) = (txn.is_in_kept_snapshot(), txn.kept_version());
        env.note_subtransaction(txn.is_in_subtransaction());
        let (txn_timestamp, stmt_timestamp) = (txn.started_us, txn.statement_us);
        let engine = txn.engine.as_mut().ok_or_else(|| SqlError::internal("transaction has failed"))?;
        env.set_transaction_id(engine.id());
        let mut cx = Cx {
            txn: engine,
            db: instance.database(),
            plan,
            params,
            eval: evenkeel_types::EvalCtx {
                format,
                txn_timestamp,
                stmt_timestamp,
                max_value_bytes: *statement_memory_bytes,
                env,
            },
            run,
            deferred: &mut txn.deferred,
            interrupt,
            is_snapshot_isolation,
            is_replica: defaults.is_replica,
            snapshot_version,
            catalog,
            role: (!authority.is_superuser).then_some(authority.current),
            views: env,
        };
        let result = with_depth(plan.depth, || f(&mut cx));
        info.counts.add_rows(std::mem::take(&mut cx.run.rows));
        cx.run.changed.drain(..).for_each(|(oid, changed)| env.note_changed(oid, changed));
        let given = std::mem::take(&mut cx.run.given_statistics);
        notices.extend(env.take_notices().into_iter().filter(|n| is_wanted(settings, n.severity)));
        if env.has_settings() {
            for PendingSetting { name, value, is_default, local } in self.env.take_settings() {
                self.set_one(&name, Some(&*value).filter(|_| !is_default), local)?;
            }
            self.settings_changed();
        }
        self.drop_comments_of_unlinked()?;
        if result.is_ok() {
            self.take_statistics(given)?;
        }
        result
    }

    /// What is said of a large object goes with it.
    fn drop_comments_of_unlinked(&mut self) -> Result<(), SqlError> {
        for oid in self.env.take_unlinked() {
            self.set_comment((CLASS_OID, oid, 0), None)?;
        }
        Ok(())
    }

    /// Locks the tables of a portal's plan and begins its statement; the plan as it is now.
    fn begin_planned(&mut self, portal: &mut Portal) -> Result<Arc<Deep<Plan>>, SqlError> {
        let plan = loop {
            let plan = self.lock_plan(portal)?;
            self.begin_statement()?;
            if self.is_catalog_of_snapshot() {
                break plan;
            }
            self.check_interrupt()?;
            self.take_catalog_of_snapshot()?;
        };
        if plan.locks.is_empty() {
            // It reads no table: a function that takes an hour, such as a backup, is to hold up nothing.
            self.engine()?.release_snapshot();
            self.info.xmin.store(0, Ordering::Relaxed);
        }
        self.check_needs(&plan)?;
        self.check_snapshot_has(&plan)?;
        portal.plan = Some(plan.clone());
        Ok(plan)
    }

    /// Begins a query that is read later.
    pub(super) fn start_query(&mut self, portal: &mut Portal) -> Result<(Arc<Deep<Plan>>, Begun), SqlError> {
        let plan = self.begin_planned(portal)?;
        let PlanKind::Query(q) = &plan.kind else { return Err(SqlError::internal("not a query")) };
        let state = query_state(&plan, q, RunState::new(&plan, &self.budget));
        Ok((plan, Box::new(state)))
    }

    pub(super) fn run_planned(
        &mut self,
        portal: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        if matches!(portal.state, PortalState::New) {
            if !self.wait_is_over()? {
                return Ok(Progress::Waits);
            }
            if let Some(waiting) = self.waiting.take() {
                let Waiting { running, text, params } = *waiting;
                if text != portal.stmt.text {
                    return Err(SqlError::internal("another statement goes on after a wait"));
                }
                portal.params = params;
                return self.run_change(portal, running.into_inner(), sink);
            }
            let plan = self.begin_planned(portal)?;
            let mut run = self.begin_run(&plan, &mut portal.explained);
            match &plan.kind {
                // What is read to its end at once needs no place in the portal.
                PlanKind::Query(q) if !plan.writes && max_rows == 0 => {
                    portal.state = PortalState::Done;
                    let mut st = query_state(&plan, q, run);
                    let (_, given) = self.read(&plan, &portal.params, &mut st, (0, None), sink)?;
                    portal.explained.ran(&plan, &mut st.run, given);
                    return Ok(done("SELECT", given));
                }
                PlanKind::Query(q) if !plan.writes => {
                    portal.state = PortalState::Query(Box::new(query_state(&plan, q, run)));
                }
                kind => {
                    if max_rows == 0 || plan.columns.is_none() {
                        let (change, since) = (Change::new(&plan, None)?, self.engine()?.observed());
                        let running = Running { plan, change, run, since };
                        return self.run_change(portal, running, sink);
                    }
                    portal.state = PortalState::Done;
                    let mut kept = Keeping::new(self.statement_memory_bytes);
                    let count = self.with_cx(&plan, &portal.params, &mut run, |cx| {
                        change::run(cx, &mut |row| kept.row(row))
                    })?;
                    portal.explained.ran(&plan, &mut run, kept.rows.len() as u64);
                    portal.state = PortalState::Kept(kept.rows, CommandTag::counted(verb(kind), count));
                }
            }
        }
        let plan = portal.plan.clone().ok_or_else(|| SqlError::internal("portal without a plan"))?;
        match &mut portal.state {
            PortalState::New => Err(SqlError::internal("portal was not begun")),
            PortalState::Named(_) => Err(SqlError::internal("a named portal is run as a cursor")),
            PortalState::Done => Ok(done(verb(&plan.kind), 0)),
            PortalState::Kept(rows, tag) => give(rows, tag, max_rows, sink),
            PortalState::Query(st) => {
                let (finished, given) = self.read(&plan, &portal.params, st, (max_rows, None), sink)?;
                if finished {
                    portal.explained.ran(&plan, &mut st.run, given);
                    portal.state = PortalState::Done;
                    return Ok(done("SELECT", given));
                }
                if let PortalState::Query(st) = std::mem::replace(&mut portal.state, PortalState::Done) {
                    let sight = self.engine()?.sight()?;
                    let suspended = Suspended::new(plan, std::mem::take(&mut portal.params), st, sight);
                    portal.state = PortalState::Suspended(self.suspended.share(suspended));
                }
                Ok(Progress::Suspended)
            }
            PortalState::Suspended(shared) => {
                let shared = shared.clone();
                let mut s = shared.lock();
                let (finished, given) = self.read_suspended(&mut s, max_rows, sink)?;
                if !finished {
                    return Ok(Progress::Suspended);
                }
                if let Suspended { plan, rest: Rest::Live(st), .. } = &mut *s {
                    portal.explained.ran(plan, &mut st.run, given);
                }
                portal.state = PortalState::Done;
                Ok(done("SELECT", given))
            }
        }
    }

    /// Runs a change to its end, or to where it has to wait outside.
    fn run_change(
        &mut self,
        portal: &mut Portal,
        mut running: Running,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let outside = self.may_wait_outside;
        let Running { plan, change, run, since } = &mut running;
        let counts_keys_only =
            matches!(&plan.kind, PlanKind::Update(p) if p.counts_keys_only) && !plan.has_changing_ctes();
        let mut returned = 0;
        let result = self.with_cx(plan, &portal.params, run, |cx| {
            let count = change.run(outside, cx, &mut |row| {
                returned += 1;
                sink.row(row)
            })?;
            if counts_keys_only {
                cx.txn.told_keys_only(*since);
            }
            Ok(count)
        });
        if result.is_err() && self.is_waiting_outside() {
            let (text, params) = (portal.stmt.text.clone(), portal.params.clone());
            let running = Deep::new(running.plan.depth(), running);
            self.waiting = Some(Box::new(Waiting { running, text, params }));
            return Ok(Progress::Waits);
        }
        portal.state = PortalState::Done;
        portal.explained.ran(&running.plan, &mut running.run, returned);
        Ok(done(verb(&running.plan.kind), result?))
    }

    /// Reads on, within a sight if another statement has begun since: whether the query is at its end, and how many rows it gave.
    pub(super) fn read(
        &mut self,
        plan: &Plan,
        params: &[Datum],
        st: &mut QueryState,
        (max_rows, sight): (u64, Option<&Sight>),
        sink: &mut dyn RowSink,
    ) -> Result<(bool, u64), SqlError> {
        let PlanKind::Query(q) = &plan.kind else { return Err(SqlError::internal("not a query")) };
        let QueryState { state, row, run } = st;
        let mut given = 0;
        let mut read = |cx: &mut Cx<'_>| {
            while max_rows == 0 || given < max_rows {
                if !node::next(&q.root, state, row, cx)? {
                    return Ok((true, given));
                }
                sink.row(&row[..q.visible])?;
                given += 1;
            }
            Ok((false, given))
        };
        self.with_cx(plan, params, run, |cx| reading(sight, cx, &mut read))
    }

    /// Runs a query to its end.
    pub(crate) fn run_query(
        &mut self,
        plan: &Plan,
        q: &Query,
        emit: &mut dyn FnMut(&[Datum]) -> Result<(), SqlError>,
    ) -> Result<u64, SqlError> {
        let mut run = RunState::new(plan, &self.budget);
        let mut state = State::new(&q.root);
        let mut row = buffer(q);
        self.with_cx(plan, &[], &mut run, |cx| {
            let mut count = 0;
            while node::next(&q.root, &mut state, &mut row, cx)? {
                emit(&row[..q.visible])?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// Locks a plan's tables and begins its statement, for statements that run a plan of their own making. False: definitions have changed while it waited for
    /// the locks, or before it had its snapshot, and it is to be planned anew.
    #[must_use = "what it reads may be gone"]
    pub(crate) fn start_plan(&mut self, plan: &Plan) -> Result<bool, SqlError> {
        self.ensure_txn()?;
        for need in &plan.locks {
            self.lock_object(&need.table.shared.lock, need.mode, &need.table.name, false)?;
        }
        self.refresh_catalog();
        if plan.version != self.catalog.version {
            self.check_interrupt()?;
            return Ok(false);
        }
        self.check_needs(plan)?;
        self.check_snapshot_has(plan)?;
        self.begin_statement()?;
        if self.is_catalog_of_snapshot() {
            return Ok(true);
        }
        // The primary's definitions have changed between the two, on a standby.
        self.check_interrupt()?;
        self.take_catalog_of_snapshot()?;
        Ok(false)
    }

    pub(crate) fn check_interrupt(&self) -> Result<(), SqlError> {
        if self.interrupt.is_canceled() { Err(evenkeel::Error::Canceled.into()) } else { Ok(()) }
    }
}

fn query_state(plan: &Deep<Plan>, q: &Query, run: RunState) -> Deep<QueryState> {
    Deep::new(plan.depth(), QueryState { state: State::new(&q.root), row: buffer(q), run })
}

/// Rows on their way to be kept.
pub(super) struct Keeping {
    pub(super) rows: VecDeque<Row>,
    bytes: usize,
    limit_bytes: usize,
}

impl Keeping {
    pub(super) fn new(limit_bytes: usize) -> Keeping {
        Keeping { rows: VecDeque::new(), bytes: 0, limit_bytes }
    }
}

impl RowSink for Keeping {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        self.bytes += row_bytes(row);
        if self.bytes > self.limit_bytes {
            let why = "It gives more rows than the statement's memory holds, and not all at once.";
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory").with_detail(why));
        }
        self.rows.push_back(row.into());
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Err(SqlError::internal("a portal copies"))
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Err(SqlError::internal("a portal copies"))
    }
}

/// Gives kept rows, up to a limit. The tag, once there are fewer, counts those of the last piece, as PostgreSQL's does.
pub(super) fn give(
    rows: &mut VecDeque<Row>,
    tag: &CommandTag,
    max_rows: u64,
    sink: &mut dyn RowSink,
) -> Result<Progress, SqlError> {
    let mut given = 0;
    while max_rows == 0 || given < max_rows {
        let Some(row) = rows.pop_front() else { return Ok(Progress::Done(tag.of_rows(given))) };
        sink.row(&row)?;
        given += 1;
    }
    Ok(Progress::Suspended)
}

/// The first words of a change's tag.
fn verb(kind: &PlanKind) -> &'static str {
    match kind {
        PlanKind::Insert(_) => "INSERT 0",
        other => other.verb(),
    }
}

pub(super) fn done(verb: &'static str, count: u64) -> Progress {
    Progress::Done(CommandTag::counted(verb, count))
}

/// A statement gives other columns than when it was bound.
pub(super) fn reshaped() -> SqlError {
    SqlError::unsupported("cached plan must not change result type")
}

/// Whether a statement has failed, before it gave anything, as it waited for definitions and gives other columns by now. Who has not told its client of the columns
/// binds it once more, and runs that.
pub fn is_reshaped(e: &SqlError) -> bool {
    let reshaped = reshaped();
    e.code == reshaped.code && e.message == reshaped.message
}

/// The error of a write in a read-only transaction.
pub(crate) fn read_only(what: &str) -> SqlError {
    SqlError::new(
        SqlState::READ_ONLY_SQL_TRANSACTION,
        format!("cannot execute {what} in a read-only transaction"),
    )
}
