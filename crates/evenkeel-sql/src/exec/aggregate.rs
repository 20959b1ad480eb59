//! GROUP BY and aggregates, by hashing.
//!
//! Must not know: where rows come from.

use super::eval::{eval, holds};
use super::node::{self, State};
use super::rowset::RowSet;
use super::sort::sort_rows;
use super::{Cx, Row, row_bytes};
use crate::plan::{AggCall, Aggregate};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use evenkeel_types::{AggState, Datum};

/// One aggregate of one group.
struct Running {
    state: Box<dyn AggState>,
    /// DISTINCT: what was seen.
    seen: Option<RowSet>,
    /// ORDER BY: rows kept until the end, as (keys, arguments).
    ordered: Large<Vec<(Row, Row)>>,
    bytes: usize,
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
        }
    }

    /// Begins again.
    pub fn reset(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.groups.clear(&mut cx.run.memory);
        cx.run.memory.shrink(std::mem::take(&mut self.bytes));
        self.running = Large::default();
        self.done = false;
        self.at = 0;
        node::reset(&a.input, &mut self.input, cx)
    }

    fn open(a: &Aggregate) -> Vec<Running> {
        let one = |c: &AggCall| Running {
            state: (c.f.new)(&c.arg_types),
            seen: c.distinct.then(RowSet::default),
            ordered: Large::default(),
            bytes: 0,
        };
        a.calls.iter().map(one).collect()
    }

    fn consume(&mut self, a: &Aggregate, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        if a.plain {
            self.groups.insert(&[], &mut cx.run.memory)?;
            self.running.push(Self::open(a));
        }
        let mut key = Vec::with_capacity(a.keys.len());
        while node::next(&a.input, &mut self.input, &mut self.buffer, cx)? {
            let group = if a.plain {
                0
            } else {
                key.clear();
                for k in &a.keys {
                    key.push(eval(k, &self.buffer, cx)?);
                }
                let (group, new) = self.groups.insert(&key, &mut cx.run.memory)?;
                if new {
                    self.running.push(Self::open(a));
                    cx.run.memory.grow(a.calls.len() * 96)?;
                    self.bytes += a.calls.len() * 96;
                }
                group
            };
            for (call, running) in a.calls.iter().zip(&mut self.running[group]) {
                let before = running.bytes;
                add(call, running, &self.buffer, cx)?;
                self.bytes += running.bytes - before;
            }
        }
        self.done = true;
        Ok(())
    }

    /// The next group: keys, then aggregates.
    pub fn next(&mut self, a: &Aggregate, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        if !self.done {
            self.consume(a, cx)?;
        }
        let Some(running) = self.running.get_mut(self.at) else { return Ok(false) };
        let keys = &self.groups.rows()[self.at];
        self.at += 1;
        row[..keys.len()].clone_from_slice(keys);
        for (n, (call, r)) in a.calls.iter().zip(running).enumerate() {
            if !call.order.is_empty() {
                sort_rows(&call.order, &mut r.ordered)?;
                for (_, args) in r.ordered.iter() {
                    cx.check_interrupt()?;
                    r.state.update(args, &cx.eval)?;
                }
                r.ordered = Large::default();
            }
            row[keys.len() + n] = r.state.finish()?;
        }
        Ok(true)
    }
}

fn add(call: &AggCall, r: &mut Running, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if let Some(filter) = &call.filter
        && !holds(filter, row, cx)?
    {
        return Ok(());
    }
    if call.args.is_empty() {
        return r.state.update(&[], &cx.eval);
    }
    let plain = r.seen.is_none() && call.order.is_empty();
    if plain && let [arg] = &call.args[..] {
        let args = [eval(arg, row, cx)?];
        r.state.update(&args, &cx.eval)?;
        return account(r, cx);
    }
    let args = call.args.iter().map(|e| eval(e, row, cx)).collect::<Result<Row, _>>()?;
    if let Some(seen) = &mut r.seen
        && !seen.insert(&args, &mut cx.run.memory)?.1
    {
        return Ok(());
    }
    if call.order.is_empty() {
        r.state.update(&args, &cx.eval)?;
        return account(r, cx);
    }
    let keys = call.order.iter().map(|k| eval(&k.expr, row, cx)).collect::<Result<Row, _>>()?;
    let bytes = row_bytes(&keys) + row_bytes(&args) + 32;
    cx.run.memory.grow(bytes)?;
    r.bytes += bytes;
    make_room(&mut r.ordered, 1)?;
    r.ordered.push((keys, args));
    Ok(())
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
