//! Subqueries in expressions. Those that read nothing of the enclosing levels run once, and what they gave is kept.
//!
//! Must not know: where the expression stands.

use super::eval::{compare, eval as eval_expr, holds};
use super::node::{self, State, buffer};
use super::rowset::RowSet;
use super::{Cx, Row};
use crate::plan::Hashed;
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use evenkeel_types::tagged::write_tagged;
use evenkeel_types::{Datum, lookup_aggregates};

/// What is kept of a subquery between evaluations.
#[derive(Default)]
pub struct SubState {
    running: Option<Box<(State, Vec<Datum>)>>,
    /// The value of one that never changes.
    value: Option<Datum>,
    /// The rows of one that never changes, for IN.
    rows: Option<Box<RowSet>>,
    /// Those of them that have a NULL.
    with_null: Vec<usize>,
    memo: Memo,
    /// What asking row by row has cost, of an EXISTS that has another way.
    spent: f64,
    /// Its rows are too many to be kept.
    is_too_large: bool,
}

/// What a subquery gave for what it read.
#[derive(Default)]
struct Memo {
    keys: RowSet,
    values: Large<Vec<Datum>>,
    hits: usize,
    misses: usize,
}

/// Misses after which a memory has to have been of use.
const MEMO_TRIAL: usize = 20_000;
/// Answers that are kept at most.
const MEMO_MAX: usize = 100_000;

impl Memo {
    /// Whether remembering is worth it.
    fn is_on(&self) -> bool {
        self.misses < MEMO_TRIAL || self.hits > self.misses / 16
    }
}

/// What the answer depends on; None: on nothing that can be told.
fn memo_key(number: usize, left: &[Datum], cx: &Cx<'_>) -> Option<Vec<Datum>> {
    let plan = cx.plan;
    if plan.subplan_volatile[number] || !cx.run.subqueries[number].memo.is_on() {
        return None;
    }
    let read = plan.subplan_reads[number].iter().map(|slot| &cx.run.outer[*slot]);
    Some(read.chain(left).map(exactly).collect())
}

/// What is equal to another value only if it is the same: 1.0 and 1.00 are equal, and have different answers.
pub(super) fn exactly(d: &Datum) -> Datum {
    match d {
        Datum::Null | Datum::Bool(_) | Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => d.clone(),
        Datum::Text(_) | Datum::Bytes(_) | Datum::Uuid(_) | Datum::Oid(_) | Datum::Enum(..) => d.clone(),
        Datum::Date(_) | Datum::Time(_) | Datum::Timestamp(_) | Datum::Timestamptz(_) => d.clone(),
        _ => {
            let mut bytes = Vec::new();
            write_tagged(d, &mut bytes);
            Datum::Bytes(bytes.into())
        }
    }
}

fn remember(number: usize, key: Vec<Datum>, value: &Datum, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let bytes = value.memory_bytes();
    let is_small = 8 * (bytes + super::row_bytes(&key)) < cx.run.memory.left_bytes();
    let memo = &mut cx.run.subqueries[number].memo;
    memo.misses += 1;
    if is_small && memo.values.len() < MEMO_MAX {
        cx.run.memory.grow(bytes)?;
        let (n, _) = memo.keys.insert(&key, &mut cx.run.memory)?;
        if n == memo.values.len() {
            make_room(&mut memo.values, 1)?;
            memo.values.push(value.clone());
        }
    }
    Ok(())
}

/// Puts aside what a subquery reads of its level.
fn put_aside(args: &[(usize, Expr)], row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for (slot, e) in args {
        let value = eval_expr(e, row, cx)?;
        cx.run.outer[*slot] = value;
    }
    Ok(())
}

/// Runs a subquery from its start; what it reads is put aside already.
fn start(number: usize, cx: &mut Cx<'_>) -> Result<Box<(State, Vec<Datum>)>, SqlError> {
    let query = &cx.plan.subplans[number];
    Ok(match cx.run.subqueries[number].running.take() {
        Some(mut running) => {
            node::reset(&query.root, &mut running.0, cx)?;
            running
        }
        None => Box::new((State::new(&query.root), buffer(query))),
    })
}

/// The value of a subquery.
pub fn eval(
    number: usize,
    usage: &SubqueryUse,
    args: &[(usize, Expr)],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let plan = cx.plan;
    let query = &plan.subplans[number];
    let fixed = args.is_empty() && plan.subplan_reads[number].is_empty();
    if fixed && let Some(value) = &cx.run.subqueries[number].value {
        return Ok(value.clone());
    }
    if let (true, SubqueryUse::Any(CmpOp::Eq, left) | SubqueryUse::All(CmpOp::Ne, left)) = (fixed, usage) {
        let found = probe(number, left, row, cx)?;
        let negated = matches!(usage, SubqueryUse::All(..));
        return Ok(found.map_or(Datum::Null, |f| Datum::Bool(f != negated)));
    }
    put_aside(args, row, cx)?;
    let left = match usage {
        SubqueryUse::Any(_, left) | SubqueryUse::All(_, left) | SubqueryUse::Row(_, left) => {
            left.iter().map(|e| eval_expr(e, row, cx)).collect::<Result<Row, _>>()?
        }
        _ => Row::default(),
    };
    let other = plan.hashed(number).filter(|_| matches!(usage, SubqueryUse::Exists));
    if let Some(other) = other
        && let Some(found) = looked_up(other, cx)?
    {
        return Ok(Datum::Bool(found));
    }
    let key = if fixed { None } else { memo_key(number, &left, cx) };
    if let Some(key) = &key {
        let memo = &mut cx.run.subqueries[number].memo;
        if let Some(n) = memo.keys.find(key) {
            memo.hits += 1;
            return Ok(memo.values[n].clone());
        }
    }
    if let Some(other) = other
        && goes_over(number, other, cx)?
        && let Some(found) = looked_up(other, cx)?
    {
        return Ok(Datum::Bool(found));
    }
    let mut running = start(number, cx)?;
    let (st, own) = &mut *running;
    let root = &query.root;
    let value = match usage {
        SubqueryUse::Exists => Datum::Bool(node::next(root, st, own, cx)?),
        SubqueryUse::Scalar => {
            if node::next(root, st, own, cx)? {
                let value = own[0].clone();
                if node::next(root, st, own, cx)? {
                    return Err(more_than_one());
                }
                value
            } else {
                Datum::Null
            }
        }
        SubqueryUse::Row(op, _) => {
            let found = if node::next(root, st, own, cx)? {
                let found = compare_rows(*op, &left, own);
                if node::next(root, st, own, cx)? {
                    return Err(more_than_one());
                }
                found
            } else {
                None
            };
            found.map_or(Datum::Null, Datum::Bool)
        }
        SubqueryUse::Array(inner) if inner.is_array() => {
            // Arrays become the inner dimensions, as array_agg has them.
            let Some(aggregate) = lookup_aggregates("array_agg").first() else {
                return Err(SqlError::internal("there is no array_agg"));
            };
            let (mut all, mut is_empty, mut bytes) = ((aggregate.new)(&[*inner]), true, 0);
            while node::next(root, st, own, cx)? {
                bytes += own[0].memory_bytes();
                cx.run.memory.grow(own[0].memory_bytes())?;
                all.update(&own[..1], &cx.eval)?;
                is_empty = false;
            }
            // It is the value's now, as that of any other.
            cx.run.memory.shrink(bytes);
            match inner.element().filter(|_| is_empty) {
                Some(element) => Datum::array(element, Vec::new()),
                None => all.finish()?,
            }
        }
        SubqueryUse::Array(element) => {
            let (mut values, mut bytes): (Large<Vec<Datum>>, usize) = Default::default();
            while node::next(root, st, own, cx)? {
                bytes += own[0].memory_bytes();
                cx.run.memory.grow(own[0].memory_bytes())?;
                make_room(&mut values, 1)?;
                values.push(own[0].clone());
            }
            cx.run.memory.shrink(bytes);
            Datum::array(*element, values.into_inner())
        }
        SubqueryUse::Any(op, _) | SubqueryUse::All(op, _) => {
            let any = matches!(usage, SubqueryUse::Any(..));
            let mut null = false;
            let mut result = None;
            while node::next(root, st, own, cx)? {
                match compare_rows(*op, &left, own) {
                    Some(b) if b == any => {
                        result = Some(any);
                        break;
                    }
                    None => null = true,
                    _ => {}
                }
            }
            result.map_or(if null { Datum::Null } else { Datum::Bool(!any) }, Datum::Bool)
        }
    };
    cx.run.subqueries[number].running = Some(running);
    if let Some(key) = key {
        remember(number, key, &value, cx)?;
    }
    // The others depend on their left side.
    if fixed && matches!(usage, SubqueryUse::Exists | SubqueryUse::Scalar | SubqueryUse::Array(_)) {
        cx.run.subqueries[number].value = Some(value.clone());
    }
    Ok(value)
}

/// What EXISTS gives by its other way, once it has gone over to that.
fn looked_up(other: &Hashed, cx: &mut Cx<'_>) -> Result<Option<bool>, SqlError> {
    if cx.run.subqueries[other.subplan].rows.is_none() {
        return Ok(None);
    }
    let mut key = Vec::with_capacity(other.keys.len());
    for e in &other.keys {
        let value = eval_expr(e, &[], cx)?;
        if value.is_null() {
            return Ok(Some(false));
        }
        key.push(value);
    }
    let rows = &cx.run.subqueries[other.subplan].rows;
    Ok(rows.as_ref().map(|rows| rows.find(&key).is_some()))
}

/// Whether an EXISTS goes over to its other way, since asking row by row has cost as much: its rows are kept from now on, if there is room for them.
fn goes_over(number: usize, other: &Hashed, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let (plan, subplan) = (cx.plan, other.subplan);
    let sub = &mut cx.run.subqueries[number];
    sub.spent += plan.subplans[number].root.cost;
    if sub.is_too_large || sub.spent <= plan.subplans[subplan].root.cost {
        return Ok(false);
    }
    let query = &cx.plan.subplans[subplan];
    let mut running = start(subplan, cx)?;
    let (st, own) = &mut *running;
    let mut rows = RowSet::default();
    while node::next(&query.root, st, own, cx)? {
        let values = &own[..query.visible];
        // What has a NULL is equal to nothing.
        if values.iter().any(Datum::is_null) {
            continue;
        }
        rows.insert(values, &mut cx.run.memory)?;
        if rows.bytes() > cx.run.budget.hash_mem_bytes {
            rows.clear(&mut cx.run.memory);
            node::reset(&query.root, st, cx)?;
            cx.run.subqueries[number].is_too_large = true;
            return Ok(false);
        }
    }
    cx.run.subqueries[subplan].rows = Some(Box::new(rows));
    Ok(true)
}

/// Whether a row that EXISTS finds for the row that was `matched` would be found for `row` too.
pub fn finds_again(
    number: usize,
    args: &[(usize, Expr)],
    matched: &[Datum],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let plan = cx.plan;
    let root = &plan.subplans[number].root;
    let Some(condition) = &plan.subplan_where[number] else {
        return Err(SqlError::internal("a subquery that is no join"));
    };
    let values = |row: &[Datum], cx: &mut Cx<'_>| -> Result<Vec<Datum>, SqlError> {
        args.iter().map(|(_, e)| eval_expr(e, row, cx)).collect()
    };
    let put = |values: &[Datum], cx: &mut Cx<'_>| {
        for ((slot, _), v) in args.iter().zip(values) {
            cx.run.outer[*slot] = v.clone();
        }
    };
    let (old, new) = (values(matched, cx)?, values(row, cx)?);
    put_aside(args, matched, cx)?;
    let mut running = start(number, cx)?;
    let (st, own) = &mut *running;
    let mut found = false;
    while !found && node::next(root, st, own, cx)? {
        put(&new, cx);
        found = holds(condition, node::level_row(st, own), cx)?;
        put(&old, cx);
    }
    cx.run.subqueries[number].running = Some(running);
    Ok(found)
}

fn more_than_one() -> SqlError {
    let why = "more than one row returned by a subquery used as an expression";
    SqlError::new(SqlState::CARDINALITY_VIOLATION, why)
}

/// `(a, b) = (c, d)` or another comparison, of the first values that differ; None is NULL.
fn compare_rows(op: CmpOp, left: &[Datum], right: &[Datum]) -> Option<bool> {
    if let [l] = left {
        return compare(op, l, right.first()?);
    }
    let mut null = false;
    for (l, r) in left.iter().zip(right) {
        let is_ordered = !matches!(op, CmpOp::Eq | CmpOp::Ne);
        match compare(CmpOp::Eq, l, r) {
            None if is_ordered => return None,
            Some(false) if is_ordered => return compare(op, l, r),
            Some(false) => return Some(op == CmpOp::Ne),
            None => null = true,
            _ => {}
        }
    }
    if null { None } else { Some(matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge)) }
}

/// `left IN (rows that never change)`.
fn probe(number: usize, left: &[Expr], row: &[Datum], cx: &mut Cx<'_>) -> Result<Option<bool>, SqlError> {
    let query = &cx.plan.subplans[number];
    if cx.run.subqueries[number].rows.is_none() {
        let mut running = start(number, cx)?;
        let (st, own) = &mut *running;
        let mut rows = RowSet::default();
        let mut with_null = Vec::new();
        while node::next(&query.root, st, own, cx)? {
            let values = &own[..query.visible];
            let (n, is_new) = rows.insert(values, &mut cx.run.memory)?;
            if is_new && values.iter().any(Datum::is_null) {
                cx.run.memory.grow(size_of::<usize>())?;
                make_room(&mut with_null, 1)?;
                with_null.push(n);
            }
        }
        let sub = &mut cx.run.subqueries[number];
        sub.rows = Some(Box::new(rows));
        sub.with_null = with_null;
    }
    let left = left.iter().map(|e| eval_expr(e, row, cx)).collect::<Result<Row, _>>()?;
    let sub = &cx.run.subqueries[number];
    let Some(rows) = &sub.rows else { return Ok(None) };
    if rows.rows().is_empty() {
        return Ok(Some(false));
    }
    // With a NULL in it, it is equal to none; otherwise only rows with one may be equal to it and are not found.
    let is_null = left.iter().any(Datum::is_null);
    if !is_null && rows.find(&left).is_some() {
        return Ok(Some(true));
    }
    let may_be = |r: &Row| compare_rows(CmpOp::Eq, &left, r).is_none();
    let null = match is_null {
        true => rows.rows().iter().any(may_be),
        false => sub.with_null.iter().any(|n| may_be(&rows.rows()[*n])),
    };
    Ok(if null { None } else { Some(false) })
}
