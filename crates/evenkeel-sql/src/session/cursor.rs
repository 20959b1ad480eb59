//! Cursors: DECLARE, FETCH, MOVE, CLOSE, and the protocol's named portals, which share their names.
//!
//! A cursor is a portal that is read on demand. One that may be read backward keeps what was read, in memory up to `work_mem` and in a temporary
//! file beyond; one that is held is read to its end when its transaction commits, and is these rows from then on.
//!
//! Invariants:
//! 1. A cursor sees what its DECLARE saw: it has begun then, and `suspended` keeps it from statements that follow.
//! 2. Positions are PostgreSQL's: `position` counts rows up to the current one, and `at_end` is one step further.
//! 3. One whose reading has failed is never read again.
//!
//! Must not know: SQL syntax, the wire protocol.

use super::suspended::Suspended;
use super::{CommandTag, Portal, PortalState, Prepared, Progress, RowSink, Session};
use crate::catalog::views::{CursorRow, Standing};
use crate::exec::Memory;
use crate::exec::numbered::NumberedRows;
use crate::exec::spill::Budget;
use crate::parse::{DeclareStmt, FetchStmt, Move, Stmt};
use crate::plan::{Column, CursorRows, Node, Op, PlanKind};
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use sqlparser::ast::Statement;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Cursors of a session at a time.
const CURSORS_MAX: usize = 1024;
/// Rows that are read at one go, to be kept.
const CHUNK_ROWS: u64 = 256;

/// Rows that were read.
struct Kept {
    rows: NumberedRows,
    /// The position before the first of them.
    after: u64,
    memory: Memory,
    budget: Arc<Budget>,
}

impl Kept {
    fn new(after: u64, budget: &Arc<Budget>) -> Kept {
        let memory = Memory::of(budget.statement_bytes);
        Kept { rows: NumberedRows::default(), after, memory, budget: budget.clone() }
    }

    /// The position of the last.
    fn end(&self) -> u64 {
        self.after + self.rows.len()
    }
}

impl RowSink for Kept {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        self.rows.push_to(row.into(), &mut self.memory, &self.budget)
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
}

/// Counts rows on their way, if they go anywhere.
struct Counting<'a> {
    sink: Option<&'a mut dyn RowSink>,
    rows: u64,
}

impl RowSink for Counting<'_> {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        self.rows += 1;
        self.sink.as_mut().map_or(Ok(()), |s| s.row(row))
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
}

/// Notes what rows have behind their columns, and passes on the columns.
struct Noting<'a> {
    sink: Option<&'a mut dyn RowSink>,
    behind: usize,
    ids: Option<Vec<Option<u64>>>,
}

impl RowSink for Noting<'_> {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        let (columns, ids) = row.split_at(row.len().saturating_sub(self.behind));
        self.ids = Some(ids.iter().map(|d| d.as_i64().map(|id| id as u64)).collect());
        self.sink.as_mut().map_or(Ok(()), |s| s.row(columns))
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Err(SqlError::internal("a cursor copies"))
    }
}

/// A cursor, or a portal of the protocol that has a name.
pub(super) struct SqlCursor {
    text: Arc<str>,
    /// What it reads.
    stmt: Arc<Prepared>,
    columns: Option<Arc<[Column]>>,
    binary: bool,
    scroll: bool,
    hold: bool,
    created_us: i64,
    /// Where more rows come from; None: there are no more.
    source: Option<Portal>,
    /// Of one that may go backward or has been held.
    kept: Option<Kept>,
    position: u64,
    at_start: bool,
    at_end: bool,
    failed: bool,
    /// It ends with this transaction, unless it is held.
    of_txn: bool,
    /// The tables that it is of.
    reads: Box<[u32]>,
    /// In how many savepoints it was made.
    depth: usize,
    /// What its rows have behind their columns: ids of the rows that they are of.
    behind: Option<CursorRows>,
    /// Those of the row that it stands on.
    current: Option<Vec<Option<u64>>>,
    /// The protocol's portal knows by it whether the cursor is still there.
    alive: Arc<()>,
}

/// A session's cursors.
pub(super) type Cursors = BTreeMap<String, Box<SqlCursor>>;

/// What the protocol has of a portal that is kept as a cursor.
pub(crate) struct NamedPortal {
    name: String,
    alive: Weak<()>,
}

impl Portal {
    /// Whether SQL finds it by its name.
    pub fn is_cursor(&self) -> bool {
        matches!(self.state, PortalState::Named(_))
    }

    /// Whether it has run to its end, and gives no rows of which there could be none left: it does not run twice.
    pub fn is_spent(&self) -> bool {
        matches!(self.state, PortalState::Done) && self.columns.is_none()
    }

    /// Whether it can still be run: a named one may have been closed by SQL.
    pub fn is_open(&self) -> bool {
        match &self.state {
            PortalState::Named(named) => named.alive.strong_count() > 0,
            _ => true,
        }
    }

    /// Whether the simple protocol gets its rows in the binary format: it is a FETCH from a BINARY cursor.
    pub fn is_binary(&self) -> bool {
        self.binary
    }
}

/// Whether PostgreSQL would read such a plan backward without being asked for SCROLL.
fn reads_backward(node: &Node) -> bool {
    match &node.op {
        Op::Scan(s) => !s.batched,
        Op::Values { .. } | Op::Virtual { .. } | Op::Function { .. } | Op::Cte { .. } => true,
        Op::Materialize { .. } => true,
        Op::Sort(s) => s.presorted == 0,
        Op::Subquery { query, .. } => reads_backward(&query.root),
        Op::Project { input, sets, .. } => sets.is_empty() && reads_backward(input),
        Op::Filter { input, .. } | Op::Limit { input, .. } => reads_backward(input),
        _ => false,
    }
}

pub(super) fn missing(name: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_CURSOR_NAME, format!("cursor \"{name}\" does not exist"))
}

impl Session {
    fn check_cursor_name(&self, name: &str) -> Result<(), SqlError> {
        if name.is_empty() {
            return Err(SqlError::new(
                SqlState::INVALID_CURSOR_NAME,
                "invalid cursor name: must not be empty",
            ));
        }
        if self.cursors.contains_key(name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_CURSOR,
                format!("cursor \"{name}\" already exists"),
            ));
        }
        if self.cursors.len() >= CURSORS_MAX {
            return Err(SqlError::new(
                SqlState::CONFIGURATION_LIMIT_EXCEEDED,
                "too many open cursors in this session",
            )
            .with_detail(format!("There may be {CURSORS_MAX}.")));
        }
        Ok(())
    }

    fn add_cursor(&mut self, name: &str, text: Arc<str>, portal: Portal, d: Option<&DeclareStmt>) {
        let scroll = match (d.map(|d| d.scroll), portal.plan.as_ref().map(|p| &p.kind)) {
            (Some(Some(scroll)), _) => scroll,
            (Some(None), Some(PlanKind::Query(q))) => reads_backward(&q.root),
            _ => false,
        };
        let cursor = SqlCursor {
            text,
            stmt: portal.stmt.clone(),
            columns: portal.columns.clone(),
            binary: d.is_some_and(|d| d.binary),
            scroll,
            hold: d.is_some_and(|d| d.hold),
            created_us: self.txn.as_ref().map_or(0, |t| t.statement_us),
            kept: scroll.then(|| Kept::new(0, &self.budget)),
            position: 0,
            at_start: true,
            at_end: false,
            failed: false,
            of_txn: true,
            reads: portal.plan.iter().flat_map(|p| p.locks.iter().map(|l| l.table.oid)).collect(),
            depth: self.savepoints(),
            behind: portal.plan.as_ref().and_then(|p| p.cursor_rows.clone()),
            current: None,
            alive: Arc::new(()),
            source: Some(portal),
        };
        self.cursors.insert(name.to_owned(), Box::new(cursor));
        self.show_cursors();
    }

    /// Whether a cursor of the transaction is of a table, be there more rows of it or not.
    pub(super) fn is_read_by_cursor(&self, table: u32) -> bool {
        self.cursors.values().any(|c| c.of_txn && c.reads.contains(&table))
    }

    /// What `pg_cursors` has.
    fn show_cursors(&self) {
        let row = |name: &str, c: &SqlCursor| CursorRow {
            name: name.to_owned(),
            text: c.text.to_string(),
            holdable: c.hold,
            binary: c.binary,
            scrollable: c.scroll,
            created_us: c.created_us,
            stands: Standing {
                is_held: !c.of_txn,
                tables: c.behind.as_ref().filter(|b| b.are_locked || !b.are_mixed).map(|b| b.tables.clone()),
                are_locked: c.behind.as_ref().is_some_and(|b| b.are_locked),
                ids: c.current.clone(),
            },
        };
        self.env.set_cursors(self.cursors.iter().map(|(name, c)| row(name, c)).collect());
    }

    /// DECLARE: it begins, and nothing is read.
    pub(super) fn declare_cursor(
        &mut self,
        d: &DeclareStmt,
        of: &Prepared,
        params: Vec<Datum>,
    ) -> Result<Progress, SqlError> {
        if !d.hold && !self.is_in_block() {
            self.need_block("DECLARE CURSOR")?;
        }
        self.check_cursor_name(&d.name)?;
        let declared = match of.param_types() {
            [] => of.body.declared.clone(),
            types => types.iter().map(|t| Some(*t)).collect(),
        };
        let mut query = d.stmt.clone();
        if let Stmt::Sql(s) = &mut query
            && let Statement::Query(q) = &mut **s
        {
            // The binder has it give the ids of its rows.
            q.settings = Some(Vec::new());
        }
        let query = Deep::new(of.body.stmt.depth(), query);
        let stmt = self.prepare_stmt(query, of.text.clone(), of.body.source.clone(), declared)?;
        let mut portal = self.bind(&stmt, params)?;
        if portal.plan.as_ref().is_some_and(|p| p.writes) {
            return Err(SqlError::unsupported(
                "DECLARE CURSOR must not contain data-modifying statements in WITH",
            ));
        }
        let (plan, state) = self.start_query(&mut portal)?;
        let sight = self.engine()?.sight()?;
        let suspended = Suspended::new(plan, std::mem::take(&mut portal.params), state, sight);
        portal.state = PortalState::Suspended(self.suspended.share(suspended));
        self.add_cursor(&d.name, of.body.source.clone(), portal, Some(d));
        Ok(Progress::Done(CommandTag::of("DECLARE CURSOR")))
    }

    /// Gives a portal of the protocol a name, by which SQL finds it as well.
    pub fn name_portal(&mut self, name: &str, portal: Portal) -> Result<Portal, SqlError> {
        self.check_cursor_name(name)?;
        if !portal.plan.as_ref().is_some_and(|p| matches!(p.kind, PlanKind::Query(_)) && !p.writes) {
            return Ok(portal);
        }
        let (text, plan) = (portal.stmt.body.source.clone(), portal.plan.clone());
        self.add_cursor(name, text, portal, None);
        let named = self.cursor_portal(name).ok_or_else(|| missing(name))?;
        Ok(Portal { plan, ..named })
    }

    /// Forgets a portal of the protocol; one that does not exist is no error.
    pub fn drop_portal(&mut self, name: &str) {
        if self.cursors.remove(name).is_some() {
            self.show_cursors();
        }
    }

    /// A cursor as a portal of the protocol. None: there is none.
    pub fn cursor_portal(&self, name: &str) -> Option<Portal> {
        let c = self.cursors.get(name)?;
        let named = NamedPortal { name: name.to_owned(), alive: Arc::downgrade(&c.alive) };
        Some(Portal {
            stmt: c.stmt.clone(),
            params: Vec::new(),
            plan: None,
            columns: c.columns.clone(),
            binary: c.binary,
            state: PortalState::Named(named),
            spent: Default::default(),
            explained: Default::default(),
        })
    }

    /// Columns of a cursor, and whether it is a BINARY one. None: there is none.
    pub fn cursor_shape(&self, name: &str) -> Option<(Vec<Column>, bool)> {
        let c = self.cursors.get(name)?;
        Some((c.columns.as_deref()?.to_vec(), c.binary))
    }

    pub(super) fn fetch(&mut self, f: &FetchStmt, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        let sink = if f.moves { None } else { Some(sink) };
        let count = self.with_cursor(&f.name, |s, c| s.fetch_from(c, f.direction, sink))?;
        let verb = if f.moves { "MOVE" } else { "FETCH" };
        Ok(Progress::Done(CommandTag::counted(verb, count)))
    }

    /// Runs the protocol's portal: forward.
    pub(super) fn run_named(
        &mut self,
        portal: &Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let PortalState::Named(named) = &portal.state else {
            return Err(SqlError::internal("a portal has no name"));
        };
        if named.alive.strong_count() == 0 {
            let message = format!("portal \"{}\" does not exist", named.name);
            return Err(SqlError::new(SqlState::INVALID_CURSOR_NAME, message));
        }
        let count = (max_rows > 0).then_some(max_rows);
        let (given, at_end) = self.with_cursor(&named.name, |s, c| {
            let given = s.select(c, true, count, Some(sink))?;
            Ok((given, c.at_end))
        })?;
        if at_end {
            Ok(Progress::Done(CommandTag::counted("SELECT", given)))
        } else {
            Ok(Progress::Suspended)
        }
    }

    /// Does something with a cursor, which is not among the others meanwhile.
    fn with_cursor<T>(
        &mut self,
        name: &str,
        f: impl FnOnce(&mut Session, &mut SqlCursor) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut c = self.cursors.remove(name).ok_or_else(|| missing(name))?;
        let result = if c.failed {
            let message = format!("portal \"{name}\" cannot be run");
            Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message))
        } else {
            f(self, &mut c)
        };
        c.failed |= result.is_err(); // invariant 3
        let shows_rows = c.behind.is_some();
        if c.at_start || c.at_end {
            c.current = None;
        }
        self.cursors.insert(name.to_owned(), c);
        if shows_rows {
            self.show_cursors();
        }
        result
    }

    /// As PostgreSQL's `DoPortalRunFetch`; the number of rows.
    fn fetch_from(
        &mut self,
        c: &mut SqlCursor,
        direction: Move,
        mut sink: Option<&mut dyn RowSink>,
    ) -> Result<u64, SqlError> {
        let (mut forward, mut count) = match direction {
            Move::Forward(Some(n)) if n < 0 => (false, Some(n.unsigned_abs())),
            Move::Backward(Some(n)) if n < 0 => (true, Some(n.unsigned_abs())),
            Move::Forward(n) => (true, n.map(i64::unsigned_abs)),
            Move::Backward(n) => (false, n.map(i64::unsigned_abs)),
            Move::Absolute(n) if n > 0 => {
                let n = n.unsigned_abs();
                if n - 1 <= c.position / 2 {
                    rewind(c)?;
                    self.skip(c, true, n - 1)?;
                } else {
                    let at = c.position + u64::from(c.at_end);
                    if n <= at {
                        self.skip(c, false, at - n + 1)?;
                    } else {
                        self.skip(c, true, n - at - 1)?;
                    }
                }
                return self.select(c, true, Some(1), sink);
            }
            Move::Absolute(n) if n < 0 => {
                self.select(c, true, None, None)?;
                self.skip(c, false, n.unsigned_abs() - 1)?;
                return self.select(c, false, Some(1), sink);
            }
            Move::Absolute(_) => {
                rewind(c)?;
                return Ok(0);
            }
            Move::Relative(n) if n != 0 => {
                self.skip(c, n > 0, n.unsigned_abs() - 1)?;
                return self.select(c, n > 0, Some(1), sink);
            }
            Move::Relative(_) => (true, Some(0)),
        };
        if count == Some(0) {
            let on_row = !c.at_start && !c.at_end;
            if sink.is_none() || !on_row {
                return Ok(u64::from(on_row));
            }
            // The current row is read again.
            self.skip(c, false, 1)?;
            (forward, count) = (true, Some(1));
        }
        if !forward && count.is_none() && sink.is_none() {
            let passed = c.position - u64::from(c.position > 0 && !c.at_end);
            rewind(c)?;
            return Ok(passed);
        }
        self.select(c, forward, count, sink.take())
    }

    fn skip(&mut self, c: &mut SqlCursor, forward: bool, count: u64) -> Result<(), SqlError> {
        if count > 0 { self.select(c, forward, Some(count), None).map(|_| ()) } else { Ok(()) }
    }

    /// Moves over some rows, or all (None), and gives them to the sink if there is one. As PostgreSQL's `PortalRunSelect`.
    fn select(
        &mut self,
        c: &mut SqlCursor,
        forward: bool,
        count: Option<u64>,
        sink: Option<&mut dyn RowSink>,
    ) -> Result<u64, SqlError> {
        let Some(behind) = &c.behind else { return self.select_rows(c, forward, count, sink) };
        let mut noting = Noting { sink, behind: behind.tables.len(), ids: None };
        let given = self.select_rows(c, forward, count, Some(&mut noting))?;
        if noting.ids.is_some() {
            c.current = noting.ids;
        }
        Ok(given)
    }

    /// The same, with what the rows have behind their columns.
    fn select_rows(
        &mut self,
        c: &mut SqlCursor,
        forward: bool,
        count: Option<u64>,
        sink: Option<&mut dyn RowSink>,
    ) -> Result<u64, SqlError> {
        if !forward {
            return backward(c, count, sink);
        }
        if c.at_end || count == Some(0) {
            return Ok(0);
        }
        let result = if c.kept.is_some() {
            self.forward_over_kept(c, count, sink)
        } else {
            let mut counting = Counting { sink, rows: 0 };
            self.read_source(c, count, &mut counting).map(|()| counting.rows)
        };
        let given = result?;
        c.at_start &= given == 0;
        c.at_end = count.is_none_or(|n| given < n);
        c.position += given;
        Ok(given)
    }

    fn forward_over_kept(
        &mut self,
        c: &mut SqlCursor,
        count: Option<u64>,
        mut sink: Option<&mut dyn RowSink>,
    ) -> Result<u64, SqlError> {
        let mut given = 0;
        while count.is_none_or(|n| given < n) {
            let Some(kept) = c.kept.as_mut() else { break };
            let at = c.position + given;
            if at < kept.end() {
                if let Some(sink) = &mut sink {
                    sink.row(kept.rows.get(at - kept.after)?)?;
                    if self.interrupt.is_canceled() {
                        return Err(evenkeel::Error::Canceled.into());
                    }
                }
                given += 1;
                continue;
            }
            if c.source.is_none() {
                break;
            }
            let wanted = count.map_or(CHUNK_ROWS, |n| (n - given).min(CHUNK_ROWS));
            self.keep_more(c, Some(wanted))?;
        }
        Ok(given)
    }

    /// Reads some rows, or all, into those that are kept.
    fn keep_more(&mut self, c: &mut SqlCursor, count: Option<u64>) -> Result<(), SqlError> {
        let Some(mut kept) = c.kept.take() else { return Ok(()) };
        let result = self.read_source(c, count, &mut kept);
        c.kept = Some(kept);
        result
    }

    fn read_source(
        &mut self,
        c: &mut SqlCursor,
        count: Option<u64>,
        sink: &mut dyn RowSink,
    ) -> Result<(), SqlError> {
        let Some(mut portal) = c.source.take() else { return Ok(()) };
        self.before_statement(&portal)?;
        if let Progress::Suspended = self.run_planned(&mut portal, count.unwrap_or(0), sink)? {
            c.source = Some(portal);
        }
        Ok(())
    }

    pub(super) fn close_cursor(&mut self, name: Option<&str>) -> Result<Progress, SqlError> {
        let tag = match name {
            Some(name) => {
                self.cursors.remove(name).ok_or_else(|| missing(name))?;
                "CLOSE CURSOR"
            }
            None => {
                self.cursors.clear();
                "CLOSE CURSOR ALL"
            }
        };
        self.show_cursors();
        Ok(Progress::Done(CommandTag::of(tag)))
    }

    /// The transaction is about to commit: what is held is read to its end.
    pub(super) fn hold_cursors(&mut self) -> Result<(), SqlError> {
        let held = self.cursors.iter().filter(|(_, c)| c.of_txn && c.hold);
        let names: Vec<String> = held.map(|(name, _)| name.clone()).collect();
        for name in names {
            self.with_cursor(&name, |s, c| {
                if c.kept.is_none() {
                    c.kept = Some(Kept::new(c.position, &s.budget));
                }
                s.keep_more(c, None)
            })?;
        }
        Ok(())
    }

    /// The transaction is about to end: cursors read no tables any more. Those that are held have their rows.
    pub(super) fn leave_cursors(&mut self) {
        self.cursors.values_mut().for_each(|c| c.reads = Default::default());
    }

    /// The transaction has ended.
    pub(super) fn end_cursors(&mut self, committed: bool) {
        if self.cursors.is_empty() {
            return;
        }
        self.cursors.retain(|_, c| !c.of_txn || (committed && c.hold));
        self.cursors.values_mut().for_each(|c| c.of_txn = false);
        self.show_cursors();
    }

    /// Back to the savepoint with this number: what was made behind it goes.
    pub(super) fn end_cursors_behind(&mut self, savepoint: usize) {
        if self.cursors.is_empty() {
            return;
        }
        self.cursors.retain(|_, c| !c.of_txn || c.depth <= savepoint);
        self.show_cursors();
    }

    /// Savepoints from this one on are no more: what was made in them is the transaction's.
    pub(super) fn merge_cursors(&mut self, savepoint: usize) {
        self.cursors.values_mut().for_each(|c| c.depth = c.depth.min(savepoint));
    }
}

fn check_scroll(c: &SqlCursor) -> Result<(), SqlError> {
    if c.scroll {
        return Ok(());
    }
    Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
        .with_hint("Declare it with SCROLL option to enable backward scan."))
}

fn rewind(c: &mut SqlCursor) -> Result<(), SqlError> {
    if c.at_start && !c.at_end {
        return Ok(());
    }
    check_scroll(c)?;
    (c.at_start, c.at_end, c.position) = (true, false, 0);
    Ok(())
}

fn backward(
    c: &mut SqlCursor,
    count: Option<u64>,
    mut sink: Option<&mut dyn RowSink>,
) -> Result<u64, SqlError> {
    check_scroll(c)?;
    if c.at_start || count == Some(0) {
        return Ok(0);
    }
    let at = c.position + u64::from(c.at_end); // invariant 2
    let before = at.saturating_sub(1);
    let given = count.map_or(before, |n| n.min(before));
    if let (Some(sink), Some(kept)) = (&mut sink, &mut c.kept) {
        for n in 1..=given {
            sink.row(kept.rows.get(at - n - 1 - kept.after)?)?;
        }
    }
    if given > 0 && c.at_end {
        c.at_end = false;
        c.position += 1;
    }
    if count.is_none_or(|n| given < n) {
        (c.at_start, c.position) = (true, 0);
    } else {
        c.position -= given;
    }
    Ok(given)
}
