//! GROUP BY and aggregates, by hashing, or group after group where their rows come together. Rows of groups for which there is no room wait in temporary files, divided by their hash, until the groups that
//! are there have been given; so do rows for DISTINCT that may be new, until their group has all others.
//!
//! Invariants
//! 1. A row that DISTINCT lets wait is none that has been seen, and is asked again whether it is.
//!
//! Must not know: where rows come from.

use super::eval::{eval, holds, sort_value, value_of};
use super::in_order::InOrder;
use super::node::{self, State};
use super::rowset::{RowSet, hash_row, same_row};
use super::sort::compare_keys;
use super::spill::{LEVELS_MAX, Partitions, TempFile, TempReader};
use super::{Cx, Row};
use crate::plan::expr::Expr;
use crate::plan::{AggCall, Aggregate};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::discard::Large;
use evenkeel_types::{AggState, Datum};
use std::sync::Arc;

/// One aggregate of one group.
struct Running {
    state: Box<dyn AggState>,
    /// DISTINCT: what was seen.
    seen: Option<RowSet>,
    kept: Kept,
    bytes: usize,
}

impl Running {
    /// Memory that it takes.
    fn held(&self) -> usize {
        self.bytes + self.seen.as_ref().map_or(0, RowSet::bytes)
    }
}

/// What DISTINCT lets wait: an aggregate's arguments, and what they are ordered by.
struct Late {
    args: Row,
    keys: Row,
}

/// What is kept besides an aggregate's state.
enum Kept {
    Nothing,
    /// ORDER BY: all rows.
    Rows(Box<InOrder>),
    /// The row that others are put beside.
    Hypothetical(Row),
}

/// State of an aggregation.
pub struct AggregateState {
    input: State,
    buffer: Vec<Datum>,
    groups: RowSet,
    running: Large<Vec<Vec<Running>>>,
    bytes: usize,
    done: bool,
    at: usize,
    /// Places of the input's row that anything reads, once that is asked.
    places: Option<Box<[usize]>>,
    /// Rows of DISTINCT that wait: group, aggregate, arguments, keys.
    late: Option<Partitions>,
    /// Rows that wait.
    parts: Option<Partitions>,
    waiting: Vec<(Arc<TempFile>, u32)>,
    /// The part that is read, and how often it was divided; None: the input.
    reader: Option<(TempReader, u32)>,
    /// The grouping set for which a row has waited.
    set: Option<usize>,
    /// For each aggregate the first that wants the same rows in the same order: these are kept and sorted once.
    first_alike: Box<[usize]>,
    /// Some aggregate is of different rows.
    has_distinct: bool,
    /// Groups come one after the other: the key of the row in the buffer, with which the next begins.
    begun: Option<Row>,
    /// And there are no more rows.
    ended: bool,
}

impl AggregateState {
    /// Before the first row.
    pub fn new(a: &Aggregate) -> AggregateState {
        AggregateState {
            input: State::new(&a.input),
            buffer: vec![Datum::Null; a.width],
            groups: RowSet::default(),
            running: Large::default(),
            bytes: 0,
            done: false,
            at: 0,
            places: None,
            late: None,
            parts: None,
            waiting: Vec::new(),
            reader: None,
            set: None,
            first_alike: first_alike(a),
            has_distinct: a.calls.iter().any(is_of_distinct),
            begun: None,
            ended: false,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.forget(cx);
        (self.late, self.parts, self.reader) = (None, None, None);
        (self.begun, self.ended) = (None, false);
        self.waiting.clear();
        node::reset(&a.input, &mut self.input, cx)
    }

    fn forget(&mut self, cx: &mut Cx<'_>) {
        self.groups.clear(&mut cx.run.memory);
        cx.run.memory.shrink(std::mem::take(&mut self.bytes));
        self.running = Large::default();
        self.done = false;
        self.at = 0;
    }

    /// Brings the next row into the buffer.
    fn read(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        self.set = None;
        let Some((reader, _)) = &mut self.reader else {
            return node::next(&a.input, &mut self.input, &mut self.buffer, cx);
        };
        cx.check_interrupt()?;
        let mut values = Vec::new();
        if !reader.next(&mut values)? {
            return Ok(false);
        }
        if !a.sets.is_empty() {
            self.set = values.pop().and_then(|n| n.as_i64()).map(|n| n as usize);
        }
        self.places.iter().flatten().zip(values).for_each(|(p, v)| self.buffer[*p] = v);
        Ok(true)
    }

    /// Begins the next part; false: there is none.
    fn next_part(&mut self, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let level = self.level();
        if let Some(parts) = self.parts.take() {
            let before = self.waiting.len();
            self.waiting.extend(parts.finish()?.into_iter().flatten().map(|f| (f, level)));
            cx.run.tell(|did| did.put_aside(self.waiting[before..].iter().map(|(f, _)| f.bytes())));
        }
        let Some((file, level)) = self.waiting.pop() else { return Ok(false) };
        self.forget(cx);
        self.reader = Some((TempReader::new(file), level));
        Ok(true)
    }

    /// Whether what is there takes all that one hash table may take.
    fn is_full(&self, cx: &Cx<'_>) -> bool {
        self.groups.bytes() + self.bytes > cx.run.budget.hash_mem_bytes
    }

    /// How often rows that go to files now will have been divided.
    fn level(&self) -> u32 {
        self.reader.as_ref().map_or(0, |r| r.1 + 1)
    }

    /// Lets the row in the buffer wait if its group is not there and there is no room for more.
    fn waits(
        &mut self,
        a: &Aggregate,
        key: &[Datum],
        set: Option<usize>,
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        let level = self.level();
        let is_full = self.is_full(cx) && level < LEVELS_MAX;
        if !is_full || self.groups.rows().is_empty() || self.groups.find(key).is_some() {
            return Ok(false);
        }
        let places = self.places.get_or_insert_with(|| places(a));
        let mut values: Vec<Datum> = places.iter().map(|p| self.buffer[*p].clone()).collect();
        values.extend(set.map(|n| Datum::Int4(n as i32)));
        let parts = self.parts.get_or_insert_with(|| Partitions::new(level));
        parts.push(hash_row(key), &values, &[], &cx.run.budget)?;
        Ok(true)
    }

    /// The aggregates of a group before its first row.
    fn open(a: &Aggregate, key: &[Datum], cx: &mut Cx<'_>) -> Result<Vec<Running>, SqlError> {
        let mut one = |c: &AggCall| -> Result<Running, SqlError> {
            let kept = match &c.within {
                Some(w) if w.is_hypothetical => Kept::Hypothetical(values(&w.direct, key, cx)?),
                _ if c.order.is_empty() => Kept::Nothing,
                _ => Kept::Rows(Box::default()),
            };
            let seen = is_of_distinct(c).then(RowSet::default);
            Ok(Running { state: (c.f.new)(&c.arg_types), seen, kept, bytes: 0 })
        };
        a.calls.iter().map(&mut one).collect()
    }

    fn consume(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        if a.plain {
            self.groups.insert(&[], &mut cx.run.memory)?;
            self.running.push(Self::open(a, &[], cx)?);
        }
        if self.reader.is_none() {
            // What is grouped by nothing is one group, even of no rows.
            for n in (0..a.sets.len()).filter(|n| a.sets[*n].is_empty()) {
                let key = key_of_set(a, n, &[]);
                self.group(a, &key, cx)?;
            }
        }
        let mut key = Vec::with_capacity(a.keys.len());
        while self.read(a, cx)? {
            if a.plain {
                self.add_to(0, a, cx)?;
                continue;
            }
            key.clear();
            // Of grouping sets the last key is their number.
            for k in &a.keys[..a.keys.len() - usize::from(!a.sets.is_empty())] {
                key.push(eval(k, &self.buffer, cx)?);
            }
            if a.sets.is_empty() {
                if !self.waits(a, &key, None, cx)? {
                    let group = self.group(a, &key, cx)?;
                    self.add_to(group, a, cx)?;
                }
                continue;
            }
            let sets = self.set.map_or(0..a.sets.len(), |n| n..n + 1);
            for n in sets {
                let key = key_of_set(a, n, &key);
                if !self.waits(a, &key, Some(n), cx)? {
                    let group = self.group(a, &key, cx)?;
                    self.add_to(group, a, cx)?;
                }
            }
        }
        self.take_late(a, cx)?;
        cx.run.tell(|did| did.holds(self.groups.bytes() + self.bytes));
        self.done = true;
        Ok(())
    }

    /// Takes the rows of the next group, which come one after the other; false: there is none.
    fn take_group(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        self.forget(cx);
        let key = match self.begun.take() {
            Some(key) => key,
            None if !self.ended && self.read(a, cx)? => values(&a.keys, &self.buffer, cx)?,
            None => return Ok(false),
        };
        let group = self.group(a, &key, cx)?;
        self.add_to(group, a, cx)?;
        loop {
            self.ended = !self.read(a, cx)?;
            if self.ended {
                break;
            }
            let next = values(&a.keys, &self.buffer, cx)?;
            if !same_row(&key, &next) {
                self.begun = Some(next);
                break;
            }
            self.add_to(group, a, cx)?;
        }
        self.take_late(a, cx)?;
        Ok(true)
    }

    /// Gives the groups what DISTINCT has let wait.
    fn take_late(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let Some(parts) = self.late.take() else { return Ok(()) };
        let files = |parts: Partitions, level: u32| -> Result<Vec<(Arc<TempFile>, u32)>, SqlError> {
            Ok(parts.finish()?.into_iter().flatten().map(|f| (f, level)).collect())
        };
        let mut waiting = files(parts, 0)?;
        cx.run.tell(|did| did.disk_bytes += waiting.iter().map(|(f, _)| f.bytes()).sum::<u64>());
        let mut values = Vec::new();
        while let Some((file, level)) = waiting.pop() {
            let (mut reader, mut set, mut more) = (TempReader::new(file), RowSet::default(), None);
            while reader.next(&mut values)? {
                cx.check_interrupt()?;
                let place = |n: usize| values.get(n).and_then(Datum::as_i64).map(|n| n as usize);
                let strange = || SqlError::internal("a row of no aggregate");
                let (group, n) = place(0).zip(place(1)).ok_or_else(strange)?;
                let call = a.calls.get(n).ok_or_else(strange)?;
                let r = self.running.get_mut(group).and_then(|of| of.get_mut(n)).ok_or_else(strange)?;
                let (named, keys) = values.split_at(2 + call.args.len());
                let args = &named[2..];
                if r.seen.as_ref().is_some_and(|s| s.find(args).is_some()) || set.find(named).is_some() {
                    continue; // invariant 1
                }
                if set.bytes() > cx.run.budget.hash_mem_bytes && level < LEVELS_MAX {
                    let parts = more.get_or_insert_with(|| Partitions::new(level + 1));
                    parts.push(hash_row(named), named, keys, &cx.run.budget)?;
                    continue;
                }
                set.insert(named, &mut cx.run.memory)?;
                let before = r.held();
                take(call, r, args.into(), keys.into(), cx)?;
                self.bytes = self.bytes + r.held() - before;
            }
            set.clear(&mut cx.run.memory);
            if let Some(parts) = more {
                waiting.extend(files(parts, level + 1)?);
            }
        }
        Ok(())
    }

    /// The group of a key.
    fn group(&mut self, a: &Aggregate, key: &[Datum], cx: &mut Cx<'_>) -> Result<usize, SqlError> {
        let (group, new) = self.groups.insert(key, &mut cx.run.memory)?;
        if new {
            self.running.push(Self::open(a, key, cx)?);
            cx.run.memory.grow(a.calls.len() * 96)?;
            self.bytes += a.calls.len() * 96;
        }
        Ok(group)
    }

    /// The row in the buffer belongs to a group.
    fn add_to(&mut self, group: usize, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        for n in 0..a.calls.len() {
            if self.first_alike[n] != n {
                continue;
            }
            let is_full = self.has_distinct && self.is_full(cx);
            let running = &mut self.running[group][n];
            let before = running.held();
            let late = add(&a.calls[n], running, &self.buffer, is_full, cx)?;
            self.bytes = self.bytes + running.held() - before;
            if let Some(Late { args, keys }) = late {
                let name = [Datum::Int8(group as i64), Datum::Int4(n as i32)];
                let named: Vec<Datum> = name.into_iter().chain(args.into_vec()).collect();
                let parts = self.late.get_or_insert_with(|| Partitions::new(0));
                parts.push(hash_row(&named), &named, &keys, &cx.run.budget)?;
            }
        }
        Ok(())
    }

    /// The next group: keys, then aggregates.
    pub fn next(&mut self, a: &Aggregate, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        if a.comes_together {
            if !self.take_group(a, cx)? {
                return Ok(false);
            }
        } else if !self.done {
            self.consume(a, cx)?;
        }
        while self.at >= self.running.len() {
            if !self.next_part(cx)? {
                return Ok(false);
            }
            self.consume(a, cx)?;
        }
        let Some(running) = self.running.get_mut(self.at) else { return Ok(false) };
        let keys = &self.groups.rows()[self.at];
        self.at += 1;
        row[..keys.len()].clone_from_slice(keys);
        for (n, call) in a.calls.iter().enumerate() {
            if let Kept::Rows(mut rows) = std::mem::replace(&mut running[n].kept, Kept::Nothing)
                && self.first_alike[n] == n
            {
                let alike = running.iter_mut().enumerate().filter(|(m, _)| self.first_alike[*m] == n);
                let mut states: Vec<&mut dyn AggState> = Vec::with_capacity(1);
                for (m, r) in alike {
                    if call.within.is_some() {
                        let direct = values(a.calls[m].direct(), keys, cx)?;
                        r.state.begin(&direct, rows.count())?;
                    }
                    states.push(&mut *r.state);
                }
                rows.give(&call.order, is_of_keys(call), &mut states, cx)?;
                self.bytes -= std::mem::replace(&mut running[n].bytes, 0);
            }
            row[keys.len() + n] = running[n].state.finish()?;
        }
        Ok(true)
    }
}

/// The key of a row's group in a grouping set: what the set has not is NULL.
fn key_of_set(a: &Aggregate, set: usize, key: &[Datum]) -> Vec<Datum> {
    let mut own = vec![Datum::Null; a.keys.len()];
    if !key.is_empty() {
        a.sets[set].iter().for_each(|n| own[*n] = key[*n].clone());
    }
    if let Some(last) = own.last_mut() {
        *last = Datum::Int4(set as i32 + 1);
    }
    own
}

/// Places of the input's row that an aggregation reads.
fn places(a: &Aggregate) -> Box<[usize]> {
    let mut read = Vec::new();
    a.keys.iter().for_each(|k| k.columns(&mut read));
    a.calls.iter().for_each(|c| c.exprs(&mut |e| e.columns(&mut read)));
    read.sort_unstable();
    read.dedup();
    read.into()
}

fn values(exprs: &[Expr], row: &[Datum], cx: &mut Cx<'_>) -> Result<Row, SqlError> {
    exprs.iter().map(|e| eval(e, row, cx)).collect()
}

/// Whether an aggregate takes each row once.
fn is_of_distinct(call: &AggCall) -> bool {
    call.distinct || call.f.is_of_distinct()
}

/// For each aggregate the first that wants the same rows in the same order: WITHIN GROUP, whose direct arguments alone are others.
fn first_alike(a: &Aggregate) -> Box<[usize]> {
    let may_differ = |e: &Expr| e.calls_volatile() || e.any(|e| matches!(e, Expr::Subquery(..)));
    let is_shared = |c: &AggCall| {
        let is_set = c.within.as_ref().is_some_and(|w| !w.is_hypothetical);
        let mut is_same = is_set && !is_of_distinct(c);
        c.exprs(&mut |e| is_same &= !may_differ(e));
        is_same
    };
    let are_alike =
        |c: &AggCall, d: &AggCall| is_shared(c) && is_shared(d) && c.order == d.order && c.filter == d.filter;
    let first = |n: usize| a.calls[..n].iter().position(|c| are_alike(c, &a.calls[n])).unwrap_or(n);
    (0..a.calls.len()).map(first).collect()
}

/// Whether an aggregate is given what its rows are ordered by: not where that are sort keys, which stand for texts.
fn is_of_keys(call: &AggCall) -> bool {
    call.within.is_some() && call.order.iter().all(|k| k.collation.is_bytewise())
}

fn keys_of(call: &AggCall, row: &[Datum], cx: &mut Cx<'_>) -> Result<Row, SqlError> {
    call.order.iter().map(|k| sort_value(k, row, cx)).collect()
}

/// Adds a row of the input to an aggregate; what DISTINCT lets wait, because all is full.
fn add(
    call: &AggCall,
    r: &mut Running,
    row: &[Datum],
    is_full: bool,
    cx: &mut Cx<'_>,
) -> Result<Option<Late>, SqlError> {
    if let Some(filter) = &call.filter
        && !holds(filter, row, cx)?
    {
        return Ok(None);
    }
    if call.within.is_some() {
        return add_within(call, r, row, cx).map(|()| None);
    }
    if call.args.is_empty() {
        return r.state.update(&[], &cx.eval).map(|()| None);
    }
    let plain = r.seen.is_none() && call.order.is_empty();
    if plain && let [arg] = &call.args[..] {
        let args = [value_of(arg, row, cx)?];
        r.state.update(&args, &cx.eval)?;
        return account(r, cx).map(|()| None);
    }
    let args = call.args.iter().map(|e| eval(e, row, cx)).collect::<Result<Row, _>>()?;
    if let Some(seen) = &mut r.seen {
        let is_seen = match is_full {
            true => seen.find(&args).is_some(),
            false => !seen.insert(&args, &mut cx.run.memory)?.1,
        };
        if is_seen {
            return Ok(None);
        }
    }
    let keys = keys_of(call, row, cx)?;
    if is_full && r.seen.is_some() {
        return Ok(Some(Late { args, keys }));
    }
    take(call, r, args, keys, cx).map(|()| None)
}

/// Gives an aggregate a row, or keeps it, where these are ordered, until its group is given.
fn take(call: &AggCall, r: &mut Running, args: Row, keys: Row, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if call.order.is_empty() {
        r.state.update(&args, &cx.eval)?;
        return account(r, cx);
    }
    let Kept::Rows(rows) = &mut r.kept else { return Err(SqlError::internal("no rows are kept")) };
    rows.push(&call.order, keys, args, cx)?;
    r.bytes = rows.bytes();
    Ok(())
}

/// A row for an aggregate with WITHIN GROUP.
fn add_within(call: &AggCall, r: &mut Running, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let keys = keys_of(call, row, cx)?;
    match &mut r.kept {
        Kept::Hypothetical(beside) => {
            let place = compare_keys(&call.order, &keys, beside) as i32;
            // Only those before it are counted, where they have to be different.
            if let Some(seen) = &mut r.seen
                && (place >= 0 || !seen.insert(&keys, &mut cx.run.memory)?.1)
            {
                return Ok(());
            }
            r.state.update(&[Datum::Int4(place)], &cx.eval)
        }
        Kept::Rows(rows) if !keys.iter().any(Datum::is_null) => {
            let args = match is_of_keys(call) {
                true => Row::default(),
                false => call.order.iter().map(|k| eval(&k.expr, row, cx)).collect::<Result<_, _>>()?,
            };
            rows.push(&call.order, keys, args, cx)?;
            r.bytes = rows.bytes();
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Counts what the aggregate's own state has grown by.
fn account(r: &mut Running, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let now = r.state.memory_bytes();
    if now > r.bytes {
        cx.run.memory.grow(now - r.bytes)?;
        r.bytes = now;
    }
    Ok(())
}
