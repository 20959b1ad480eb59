//! The nodes of a query: state and `next` for each.
//!
//! Must not know: what the rows are for.

use super::aggregate::AggregateState;
use super::cte::CteState;
use super::distinct::DistinctState;
use super::eval::{eval, holds};
use super::hash::{self, HashState};
use super::large_object;
use super::limit::{LimitState, Limited};
use super::recheck::holds_again;
use super::scan::{self, ScanState};
use super::set_operation::{Operation, SetOpState};
use super::sets::{self, SetState};
use super::sort::{self, SortState};
use super::spill::{RowStore, StoreReader};
use super::window::WindowState;
use super::{Cx, Row, row_bytes};
use crate::catalog::Catalog;
use crate::catalog::views::{VirtualTable, narrow};
use crate::plan::explain::{Used, key_of};
use crate::plan::expr::{CmpOp, Expr};
use crate::plan::{JoinKind, LockRows, NestedLoop, Node, Op, Query, SetCall, SetFunction};
use evenkeel::{Locked, Usage};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::discard::Large;
use evenkeel_types::{Datum, encode_rowid};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The rows of a system view.
pub enum Given {
    /// None yet, or none of large objects any more.
    Not,
    /// Made for this statement.
    Own(Large<Vec<Row>>),
    /// Those that all sessions share.
    Kept(Arc<[Row]>),
}

impl Given {
    fn get(&self) -> &[Row] {
        match self {
            Given::Not => &[],
            Given::Own(rows) => rows,
            Given::Kept(rows) => rows,
        }
    }
}

/// The state of a node and of those below it.
pub enum State {
    /// `Single`: whether its row was given.
    Single(bool),
    /// `Nothing`.
    Nothing,
    /// `Values`: the next row.
    Values(usize),
    /// `Scan`
    Scan(ScanState),
    /// `Virtual`: its rows, and the next.
    Virtual(Given, usize),
    /// `Function`
    Function(Option<SetState>, i64),
    /// `Subquery`
    Subquery(Box<State>, Vec<Datum>),
    /// `Cte`
    Cte(Box<CteState>),
    /// `NestedLoop`
    Loop(Box<LoopState>),
    /// `HashJoin`
    Hash(Box<HashState>),
    /// `Materialize`: rows, and where it stands.
    Materialize(Box<State>, Option<RowStore>, StoreReader),
    /// `Filter`
    Filter(Box<State>),
    /// `Project`
    Project(Box<ProjectState>),
    /// `Aggregate`
    Aggregate(Box<AggregateState>),
    /// `Window`
    Window(Box<WindowState>),
    /// `Sort`
    Sort(Box<SortState>),
    /// `Distinct`
    Distinct(Box<DistinctState>),
    /// `Limit`
    Limit(Box<LimitState>),
    /// `Lock`: the row as it was matched, if newer versions stand in its place.
    Lock(Box<State>, Option<Row>),
    /// `SetOperation`
    SetOperation(Box<SetOpState>),
}

/// State of a nested loop.
pub struct LoopState {
    outer: State,
    inner: State,
    active: bool,
    matched: bool,
}

/// State of a projection.
pub struct ProjectState {
    input: State,
    buffer: Vec<Datum>,
    sets: Option<Vec<SetState>>,
}

impl State {
    /// The state of a node before its first row.
    pub fn new(node: &Node) -> State {
        let boxed = |n: &Node| Box::new(State::new(n));
        match &node.op {
            Op::Single => State::Single(false),
            Op::Nothing => State::Nothing,
            Op::Values { .. } => State::Values(0),
            Op::Scan(_) => State::Scan(ScanState::default()),
            Op::Virtual { .. } => State::Virtual(Given::Not, 0),
            Op::Function { .. } => State::Function(None, 0),
            Op::Subquery { query, .. } => State::Subquery(boxed(&query.root), buffer(query)),
            Op::Cte { .. } => State::Cte(Box::default()),
            Op::NestedLoop(j) => State::Loop(Box::new(LoopState {
                outer: State::new(&j.outer),
                inner: State::new(&j.inner),
                active: false,
                matched: false,
            })),
            Op::HashJoin(j) => State::Hash(Box::new(HashState::new(j))),
            Op::Materialize { input, .. } => State::Materialize(boxed(input), None, StoreReader::default()),
            Op::Filter { input, .. } => State::Filter(boxed(input)),
            Op::Project { input, width, .. } => State::Project(Box::new(ProjectState {
                input: State::new(input),
                buffer: vec![Datum::Null; *width],
                sets: None,
            })),
            Op::Aggregate(a) => State::Aggregate(Box::new(AggregateState::new(a))),
            Op::Window(w) => State::Window(Box::new(WindowState::new(w))),
            Op::Sort(s) => State::Sort(Box::new(SortState::new(State::new(&s.input)))),
            Op::Distinct(d) => State::Distinct(Box::new(DistinctState::new(d))),
            Op::Limit { input, .. } => State::Limit(Box::new(LimitState::new(input))),
            Op::Lock(l) => State::Lock(boxed(&l.input), None),
            Op::SetOperation { left, right, .. } => {
                State::SetOperation(Box::new(SetOpState::new(left, right)))
            }
        }
    }
}

/// An empty row buffer.
pub fn buffer(query: &Query) -> Vec<Datum> {
    vec![Datum::Null; query.width]
}

/// The row of a query's level, below its select list, after `next` gave the row `own`.
pub fn level_row<'a>(st: &'a State, own: &'a [Datum]) -> &'a [Datum] {
    match st {
        State::Project(p) => &p.buffer,
        _ => own,
    }
}

fn mismatch() -> SqlError {
    SqlError::internal("executor state does not belong to its node")
}

/// Begins a node again: values put aside for it may have changed.
pub fn reset(node: &Node, st: &mut State, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if let Some(m) = cx.run.measured.as_mut().and_then(|all| all.of_begun(key_of(node))) {
        m.is_running = false;
    }
    match (&node.op, st) {
        (Op::Single, State::Single(done)) => *done = false,
        (Op::Nothing, _) => {}
        (Op::Values { .. }, State::Values(n)) => *n = 0,
        (Op::Scan(_), State::Scan(s)) => s.reset(),
        (Op::Virtual { table, .. }, State::Virtual(rows, n)) => {
            *n = 0;
            if large_object::has_rows_of(table.oid) {
                *rows = Given::Not;
            }
        }
        (Op::Function { .. }, State::Function(s, _)) => *s = None,
        (Op::Subquery { query, .. }, State::Subquery(s, _)) => reset(&query.root, s, cx)?,
        (Op::Cte { reading, .. }, State::Cte(s)) => s.reset(*reading),
        (Op::NestedLoop(j), State::Loop(s)) => {
            reset(&j.outer, &mut s.outer, cx)?;
            reset(&j.inner, &mut s.inner, cx)?;
            s.active = false;
        }
        (Op::HashJoin(j), State::Hash(s)) => s.reset(j, cx)?,
        (Op::Materialize { input, varies, .. }, State::Materialize(s, rows, reader)) => {
            reader.rewind();
            if *varies {
                if let Some(mut rows) = rows.take() {
                    rows.clear(cx);
                    *reader = StoreReader::default();
                }
                reset(input, s, cx)?;
            }
        }
        (Op::Filter { input, .. }, State::Filter(s)) => reset(input, s, cx)?,
        (Op::Project { input, .. }, State::Project(s)) => {
            s.sets = None;
            reset(input, &mut s.input, cx)?;
        }
        (Op::Aggregate(a), State::Aggregate(s)) => s.reset(a, cx)?,
        (Op::Window(w), State::Window(s)) => s.reset(w, cx)?,
        (Op::Sort(p), State::Sort(s)) => sort::reset(p, s, cx)?,
        (Op::Distinct(d), State::Distinct(s)) => s.reset(d, cx)?,
        (Op::Limit { input, .. }, State::Limit(s)) => s.reset(input, cx)?,
        (Op::Lock(l), State::Lock(s, matched)) => {
            *matched = None;
            reset(&l.input, s, cx)?;
        }
        (Op::SetOperation { left, right, .. }, State::SetOperation(s)) => s.reset(left, right, cx)?,
        _ => return Err(mismatch()),
    }
    Ok(())
}

/// Decodes what a scan has left to whoever reads its rows, of the one that it gave last.
pub fn complete(node: &Node, st: &State, row: &mut [Datum]) -> Result<(), SqlError> {
    match (&node.op, st) {
        (Op::Scan(s), State::Scan(st)) if s.is_late => scan::complete(s, st, row),
        _ => Ok(()),
    }
}

/// The next row of a node, into its places of the buffer; false at the end.
pub fn next(node: &Node, st: &mut State, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    cx.check_interrupt()?;
    if cx.run.measured.is_some() {
        return measured(node, st, row, cx);
    }
    step(node, st, row, cx)
}

/// What this thread and this session used until now.
pub fn used(cx: &Cx<'_>) -> Used {
    let temp = &cx.run.budget.temp;
    Used {
        engine: Usage::now(),
        temp_read_bytes: temp.read_bytes.load(Ordering::Relaxed),
        temp_written_bytes: temp.written_bytes.load(Ordering::Relaxed),
    }
}

/// As `step`, for EXPLAIN ANALYZE.
#[cold]
fn measured(node: &Node, st: &mut State, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let above = cx.run.measured.as_mut().map(|all| all.run(key_of(node)));
    let (begun, before) = (Instant::now(), used(cx));
    let result = step(node, st, row, cx);
    let (nanos, used) = (begun.elapsed().as_nanos() as u64, used(cx) - before);
    if let (Some(all), Some(above)) = (&mut cx.run.measured, above) {
        all.run(above);
        let m = all.of(key_of(node));
        if !m.is_running {
            (m.is_running, m.has_given) = (true, false);
            m.loops += 1;
        }
        m.nanos += nanos;
        m.used += used;
        if !m.has_given {
            m.first_nanos += nanos;
        }
        match result {
            Ok(true) => (m.rows, m.has_given) = (m.rows + 1, true),
            _ => m.is_running = false,
        }
    }
    result
}

#[inline]
fn step(node: &Node, st: &mut State, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    match (&node.op, st) {
        (Op::Scan(s), State::Scan(st)) => scan::next(s, st, row, cx),
        (Op::Project { input, exprs, sets, .. }, State::Project(st)) if sets.is_empty() => {
            if !next(input, &mut st.input, &mut st.buffer, cx)? {
                return Ok(false);
            }
            for (n, e) in exprs.iter().enumerate() {
                row[n] = eval(e, &st.buffer, cx)?;
            }
            Ok(true)
        }
        (Op::Filter { input, condition }, State::Filter(st)) => {
            if let (Op::Virtual { table, at }, State::Virtual(rows @ Given::Not, _)) = (&input.op, &mut **st)
            {
                *rows = rows_asked_for(table, *at, condition, row, cx)?;
            }
            while next(input, st, row, cx)? {
                if holds(condition, row, cx)? {
                    return Ok(true);
                }
                cx.run.tell(|did| did.removed += 1);
            }
            Ok(false)
        }
        (Op::Single, State::Single(done)) => Ok(!std::mem::replace(done, true)),
        (Op::Nothing, _) => Ok(false),
        (Op::Values { at, rows }, State::Values(n)) => {
            let Some(exprs) = rows.get(*n) else { return Ok(false) };
            *n += 1;
            for (i, e) in exprs.iter().enumerate() {
                row[at + i] = eval(e, row, cx)?;
            }
            Ok(true)
        }
        (Op::Virtual { table, at }, State::Virtual(rows, n)) => {
            if large_object::has_rows_of(table.oid) {
                return next_of_large_objects(table.oid, rows, n, row, *at, cx);
            }
            if let Given::Not = rows {
                *rows = rows_of_view(table, cx)?;
            }
            Ok(give(rows.get(), n, row, *at))
        }
        (Op::Function { function, at, ordinality }, State::Function(st, count)) => {
            next_of_function((function, *at, *ordinality), (st, count), row, cx)
        }
        (Op::Subquery { query, at, .. }, State::Subquery(st, own)) => {
            if !next(&query.root, st, own, cx)? {
                return Ok(false);
            }
            row[*at..at + query.visible].clone_from_slice(&own[..query.visible]);
            Ok(true)
        }
        (Op::Cte { number, at, reading, .. }, State::Cte(st)) => {
            st.next(*number, *reading, &mut row[*at..], cx)
        }
        (Op::NestedLoop(j), State::Loop(st)) => next_loop(j, st, row, cx),
        (Op::HashJoin(j), State::Hash(st)) => hash::next(j, st, row, cx),
        (Op::Materialize { input, places, .. }, State::Materialize(st, rows, reader)) => {
            if rows.is_none() {
                let kept = rows.insert(kept_rows((input, places), st, row, cx)?);
                cx.run.tell(|did| kept.tell(did));
            }
            let Some(rows) = rows else { return Ok(false) };
            give_kept(rows, reader, places, row)
        }
        (Op::Project { input, exprs, sets, .. }, State::Project(st)) => {
            next_of_sets((input, exprs, sets), st, row, cx)
        }
        (Op::Aggregate(a), State::Aggregate(st)) => st.next(a, row, cx),
        (Op::Window(w), State::Window(st)) => st.next(w, row, cx),
        (Op::Sort(s), State::Sort(st)) => sort::next(s, st, row, cx),
        (Op::Distinct(d), State::Distinct(st)) => st.next(d, row, cx),
        (Op::Limit { input, limit, offset, ties }, State::Limit(st)) => {
            st.next(&Limited { input, limit: limit.as_ref(), offset: offset.as_ref(), ties }, row, cx)
        }
        (Op::Lock(l), State::Lock(st, matched)) => loop {
            // The joins below go on from the row as they filled it.
            if let Some(m) = matched.take() {
                row.clone_from_slice(&m);
            }
            if !next(&l.input, st, row, cx)? {
                return Ok(false);
            }
            if lock_row(l, row, matched, cx)? {
                return Ok(true);
            }
        },
        (Op::SetOperation { op, all, left, right, width }, State::SetOperation(st)) => {
            st.next(Operation { op: *op, all: *all, left, right, width: *width }, row, cx)
        }
        _ => Err(mismatch()),
    }
}

/// The rows of a system view.
fn rows_of_view(view: &'static VirtualTable, cx: &mut Cx<'_>) -> Result<Given, SqlError> {
    if let Some(kept) = cx.views.kept_rows(cx.catalog, view)? {
        return Ok(Given::Kept(kept));
    }
    made_rows(view, cx.catalog, cx)
}

/// The rows of a system catalog for the relation that a condition names; none yet, if it names none.
fn rows_asked_for(
    view: &'static VirtualTable,
    at: usize,
    condition: &Expr,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Given, SqlError> {
    let parts = match condition {
        Expr::And(list) => &list[..],
        one => std::slice::from_ref(one),
    };
    for part in parts {
        let Expr::Cmp(CmpOp::Eq, pair) = part else { continue };
        let (column, value) = match &**pair {
            (Expr::Column(c), value) | (value, Expr::Column(c)) => (c.wrapping_sub(at), value),
            _ => continue,
        };
        let is_fixed = matches!(value, Expr::Const(_) | Expr::Param(_));
        if !is_fixed || !narrow::can_be_asked(view, column) {
            continue;
        }
        let value = eval(value, row, cx)?;
        let Some(relations) = narrow::relations_of(view, column, &value, cx.catalog) else { continue };
        return made_rows(view, &cx.catalog.narrowed(&relations), cx);
    }
    Ok(Given::Not)
}

fn made_rows(view: &'static VirtualTable, catalog: &Catalog, cx: &mut Cx<'_>) -> Result<Given, SqlError> {
    let made: Vec<Row> = (view.rows)(catalog, cx.views)?.into_iter().map(Into::into).collect();
    cx.run.memory.grow(made.iter().map(|r| row_bytes(r)).sum())?;
    Ok(Given::Own(made.into()))
}

fn next_of_function(
    (function, at, ordinality): (&SetFunction, usize, bool),
    (st, count): (&mut Option<SetState>, &mut i64),
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let set = match st {
        Some(s) => s,
        None => {
            *count = 0;
            st.insert(sets::open(function, row, cx)?)
        }
    };
    let Some(values) = sets::next(set, cx)? else { return Ok(false) };
    *count += 1;
    let mut place = at;
    for v in values {
        row[place] = v;
        place += 1;
    }
    if ordinality {
        row[place] = Datum::Int8(*count);
    }
    Ok(true)
}

/// All rows of an input, of these places.
fn kept_rows(
    (input, places): (&Node, &[Range<usize>]),
    st: &mut State,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<RowStore, SqlError> {
    let mut kept = RowStore::default();
    while next(input, st, row, cx)? {
        match places {
            [one] => kept.push(&row[one.clone()], cx)?,
            several => {
                let own = several.iter().flat_map(|r| &row[r.clone()]);
                kept.push(&own.cloned().collect::<Vec<_>>(), cx)?;
            }
        }
    }
    kept.finish()?;
    Ok(kept)
}

/// Puts the next of them into its places.
fn give_kept(
    rows: &mut RowStore,
    reader: &mut StoreReader,
    places: &[Range<usize>],
    row: &mut [Datum],
) -> Result<bool, SqlError> {
    if let [one] = places {
        return reader.next(rows, &mut row[one.clone()]);
    }
    let mut own = vec![Datum::Null; places.iter().map(|r| r.len()).sum()];
    let found = reader.next(rows, &mut own)?;
    let mut own = own.into_iter();
    for place in places.iter().flat_map(|r| r.clone()).filter(|_| found) {
        row[place] = own.next().unwrap_or(Datum::Null);
    }
    Ok(found)
}

/// The next row of a select list with functions that return sets.
fn next_of_sets(
    (input, exprs, calls): (&Node, &[Expr], &[(usize, SetCall)]),
    st: &mut ProjectState,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    loop {
        if st.sets.is_none() {
            if !next(input, &mut st.input, &mut st.buffer, cx)? {
                return Ok(false);
            }
            let opened = calls.iter().map(|(_, c)| sets::open(&c.function, &st.buffer, cx));
            st.sets = Some(opened.collect::<Result<_, _>>()?);
        }
        let mut any = false;
        for (n, e) in exprs.iter().enumerate() {
            row[n] = eval(e, &st.buffer, cx)?;
        }
        for ((n, call), set) in calls.iter().zip(st.sets.iter_mut().flatten()) {
            match sets::next_value(call, set, cx)? {
                Some(value) => {
                    row[*n] = value;
                    any = true;
                }
                None => row[*n] = Datum::Null,
            }
        }
        if any {
            return Ok(true);
        }
        st.sets = None;
    }
}

/// Copies the next kept row into its places.
fn give(rows: &[Row], n: &mut usize, row: &mut [Datum], at: usize) -> bool {
    let Some(r) = rows.get(*n) else { return false };
    *n += 1;
    row[at..at + r.len()].clone_from_slice(r);
    true
}

/// Gives the next row of what is read some rows at a time.
fn next_of_large_objects(
    view: u32,
    rows: &mut Given,
    n: &mut usize,
    row: &mut [Datum],
    at: usize,
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    if *n == rows.get().len() {
        cx.check_interrupt()?;
        let next = large_object::next_rows(view, rows.get().last(), cx)?;
        if next.is_empty() {
            return Ok(false);
        }
        (*rows, *n) = (Given::Own(next.into()), 0);
    }
    Ok(give(rows.get(), n, row, at))
}

fn set_null(row: &mut [Datum], places: &[Range<usize>]) {
    places.iter().for_each(|r| row[r.clone()].fill(Datum::Null));
}

fn next_loop(
    j: &NestedLoop,
    st: &mut LoopState,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    loop {
        if !st.active {
            if !next(&j.outer, &mut st.outer, row, cx)? {
                return Ok(false);
            }
            for (slot, e) in &j.set {
                cx.run.outer[*slot] = eval(e, row, cx)?;
            }
            reset(&j.inner, &mut st.inner, cx)?;
            st.active = true;
            st.matched = false;
        }
        if next(&j.inner, &mut st.inner, row, cx)? {
            let fits = match &j.condition {
                None => true,
                Some(c) => holds(c, row, cx)?,
            };
            if fits {
                st.matched = true;
                match j.kind {
                    JoinKind::Semi => st.active = false,
                    JoinKind::Anti => {
                        st.active = false;
                        continue;
                    }
                    _ => {}
                }
                return Ok(true);
            }
            cx.run.tell(|did| did.removed_by_join += 1);
        } else {
            st.active = false;
            if !st.matched && matches!(j.kind, JoinKind::Left | JoinKind::Anti) {
                set_null(row, &j.inner_at);
                return Ok(true);
            }
        }
    }
}

/// Locks the rows behind a result row; false: it is no longer one. Newer versions are put into the row, which is then kept in `matched` as it was.
fn lock_row(
    l: &LockRows,
    row: &mut [Datum],
    matched: &mut Option<Row>,
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    for t in &l.targets {
        let (tree, width) = (t.table.heap.tree, t.table.types.len());
        // NULL: the row of an outer join that is not there.
        let Some(id) = row[t.at + width].as_i64().map(|id| id as u64) else { continue };
        let mut key = Vec::with_capacity(9);
        encode_rowid(id, &mut key);
        let named = |e: evenkeel::Error| match e {
            evenkeel::Error::LockNotAvailable if t.wait == evenkeel::WaitPolicy::NoWait => SqlError::new(
                SqlState::LOCK_NOT_AVAILABLE,
                format!("could not obtain lock on row in relation \"{}\"", t.table.name),
            ),
            other => other.into(),
        };
        let locked = match t.keys.is_empty() {
            true => cx.txn.lock(tree, &key, t.mode, t.wait).map_err(named)?,
            false => super::foreign::lock_with_keys(t, &key, &named, cx)?,
        };
        let newer = match locked {
            Locked::Current(stored) if cx.run.is_outdated(tree, id) => stored,
            // A row that another part of the statement has written is none of this one's, nor one that a later statement has.
            Locked::Current(stored) if cx.plan.has_changing_ctes() || cx.run.is_resumed => {
                match cx.txn.get(tree, &key)? == Some(stored) {
                    true => continue,
                    false => return Ok(false),
                }
            }
            Locked::Current(_) => continue,
            Locked::Changed(stored) => {
                cx.run.add_outdated(tree, id)?;
                stored
            }
            Locked::Gone | Locked::Skipped => return Ok(false),
        };
        matched.get_or_insert_with(|| (&*row).into());
        t.table.decode_columns(&newer, &t.wanted, &mut row[t.at..t.at + width])?;
    }
    match matched {
        Some(m) => holds_again(&l.recheck, m, row, cx),
        None => Ok(true),
    }
}
