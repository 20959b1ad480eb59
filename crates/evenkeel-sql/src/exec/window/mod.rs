//! Window functions. The input comes ordered by partitions; of a partition only those rows are kept that some function may still ask for.
//!
//! A frame that only grows is aggregated as it grows. Of one that moves, rows are taken back where the aggregate can do that
//! (`AggState::remove`); else it is aggregated anew, as in PostgreSQL.
//!
//! Must not know: how the input was ordered.

mod frame;
mod spool;

use super::Cx;
use super::eval::holds;
use crate::plan::window::{Exclude, FrameBound, PlannedCall, WindowAgg, WindowFn};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{AggState, Datum};
use frame::Place;
use spool::Spool;

/// State of a window node.
pub struct WindowState {
    spool: Spool,
    place: Place,
    running: Vec<Running>,
    begun: bool,
}

/// What is known of one call.
#[derive(Default)]
struct Running {
    state: Option<Box<dyn AggState>>,
    /// Rows that the state has taken in.
    from: u64,
    to: u64,
    value: Option<Datum>,
    bytes: usize,
    /// `ntile`: how many there are to be, once that is known.
    tiles: Option<u64>,
}

impl WindowState {
    /// Before the first row.
    pub fn new(w: &WindowAgg) -> WindowState {
        let running = w.calls.iter().map(|_| Running::default()).collect();
        WindowState { spool: Spool::new(w), place: Place::default(), running, begun: false }
    }

    /// Begins again.
    pub fn reset(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.running.iter_mut().for_each(|r| r.clear(cx));
        self.place.reset();
        self.begun = false;
        self.spool.reset(w, cx)
    }

    /// The next row that is wanted, with the values of its functions.
    pub fn next(&mut self, w: &WindowAgg, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        while self.step(w, row, cx)? {
            let mut is_wanted = true;
            for condition in &w.run {
                is_wanted = is_wanted && holds(condition, row, cx)?;
            }
            if is_wanted {
                return Ok(true);
            }
            // The values only grow: no row behind this one is wanted.
            self.begun = false;
            if w.window.partition.is_empty() {
                self.spool.end(cx);
                return Ok(false);
            }
            self.spool.skip_rest(w, cx)?;
        }
        Ok(false)
    }

    fn step(&mut self, w: &WindowAgg, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let goes_on = self.begun && self.spool.has(self.place.at + 1, w, cx)?;
        if goes_on {
            self.place.advance(&mut self.spool, w)?;
        } else {
            self.running.iter_mut().for_each(|r| r.clear(cx));
            self.begun = self.spool.next_partition(w, cx)?;
            if !self.begun {
                return Ok(false);
            }
            self.place.begin(&mut self.spool, w)?;
        }
        self.place.find(&mut self.spool, w, cx)?;
        for (call, running) in w.calls.iter().zip(&mut self.running) {
            row[call.to] = value(call, running, &mut self.spool, &mut self.place, w, cx)?;
        }
        for (from, to) in &w.live {
            row[*to] = self.spool.read_of(self.place.at, &[*from])?[*from].clone();
        }
        let needed = self.needed(w);
        self.spool.drop_before(needed, cx);
        Ok(true)
    }

    /// The first row that may still be asked for.
    fn needed(&self, w: &WindowAgg) -> u64 {
        let p = &self.place;
        let of_frame = match (&w.window.frame.start, &w.window.frame.end) {
            (FrameBound::Start, end) if end.offset().is_none() => p.at,
            (FrameBound::Start, _) => p.at.min(p.tail),
            _ => p.at.min(p.head).min(p.tail),
        };
        let of_call = |(call, r): (&PlannedCall, &Running)| match call.f {
            WindowFn::Aggregate(_) => {
                let starts_anew = w.window.frame.exclude != Exclude::NoOthers || r.state.is_none();
                let keeps = p.head.min(if starts_anew { p.head } else { r.from });
                let grows = matches!(w.window.frame.start, FrameBound::Start) && !starts_anew;
                if grows { p.at.min(r.to) } else { keeps }
            }
            WindowFn::Neighbour(n) if call.args.len() == 1 => p.at.saturating_sub(u64::from(n < 0)),
            WindowFn::Neighbour(_) => 0,
            WindowFn::FirstValue | WindowFn::LastValue | WindowFn::NthValue => p.head.min(p.at),
            _ => p.at,
        };
        w.calls.iter().zip(&self.running).map(of_call).min().unwrap_or(p.at).min(of_frame)
    }
}

impl Running {
    fn clear(&mut self, cx: &mut Cx<'_>) {
        cx.run.memory.shrink(self.bytes);
        *self = Running::default();
    }

    /// Counts what the state has grown by.
    fn account(&mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let now = self.state.as_ref().map_or(0, |s| s.memory_bytes());
        if now > self.bytes {
            cx.run.memory.grow(now - self.bytes)?;
        } else {
            cx.run.memory.shrink(self.bytes - now);
        }
        self.bytes = now;
        Ok(())
    }

    /// Takes rows in.
    fn add(
        &mut self,
        call: &PlannedCall,
        (from, to): (u64, u64),
        spool: &mut Spool,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let mut args = Vec::with_capacity(call.args.len());
        for n in from..to {
            cx.check_interrupt()?;
            if arguments(call, n, spool, &mut args)? {
                state.update(&args, &cx.eval)?;
            }
        }
        self.account(cx)
    }

    /// Takes rows back that were taken in first; false: that cannot be.
    fn take_back(
        &mut self,
        call: &PlannedCall,
        to: u64,
        spool: &mut Spool,
        cx: &Cx<'_>,
    ) -> Result<bool, SqlError> {
        let Some(state) = &mut self.state else { return Ok(false) };
        let mut args = Vec::with_capacity(call.args.len());
        while self.from < to {
            cx.check_interrupt()?;
            if arguments(call, self.from, spool, &mut args)? && !state.remove(&args)? {
                return Ok(false);
            }
            self.from += 1;
        }
        Ok(true)
    }
}

/// The arguments of a call in a row; false: its FILTER leaves the row out.
fn arguments(call: &PlannedCall, n: u64, spool: &mut Spool, args: &mut Vec<Datum>) -> Result<bool, SqlError> {
    args.clear();
    if let Some(f) = call.filter
        && !matches!(spool.read_of(n, &[f])?[f], Datum::Bool(true))
    {
        return Ok(false);
    }
    let record = spool.read_of(n, &call.args)?;
    args.extend(call.args.iter().map(|p| record[*p].clone()));
    Ok(true)
}

fn aggregate(
    call: &PlannedCall,
    r: &mut Running,
    spool: &mut Spool,
    p: &mut Place,
    w: &WindowAgg,
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let WindowFn::Aggregate(f) = call.f else { return Err(SqlError::internal("no aggregate")) };
    let is_whole = w.window.frame.exclude == Exclude::NoOthers;
    let (head, tail) = (p.head, p.tail.max(p.head));
    if is_whole
        && let Some(value) = &r.value
        && (r.from, r.to) == (head, tail)
    {
        return Ok(value.clone());
    }
    let goes_on = is_whole
        && r.state.is_some()
        && head < r.to
        && tail >= r.to
        && (head == r.from || head > r.from && r.take_back(call, head, spool, cx)?);
    if !goes_on {
        r.state = Some((f.new)(&call.arg_types));
        (r.from, r.to) = (head, head);
    }
    if is_whole {
        r.add(call, (r.to, tail), spool, cx)?;
    } else {
        for stretch in p.stretches(spool, w, cx)? {
            r.add(call, stretch, spool, cx)?;
        }
    }
    r.to = tail;
    let Some(state) = &mut r.state else { return Err(SqlError::internal("no aggregate")) };
    let value = match state.current()? {
        Some(value) => value,
        None => {
            let value = state.finish()?;
            r.state = None;
            value
        }
    };
    r.account(cx)?;
    r.value = Some(value.clone());
    Ok(value)
}

fn value(
    call: &PlannedCall,
    r: &mut Running,
    spool: &mut Spool,
    p: &mut Place,
    w: &WindowAgg,
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let own = |spool: &mut Spool, n: usize| -> Result<Datum, SqlError> {
        Ok(spool.read_of(p.at, &[call.args[n]])?[call.args[n]].clone())
    };
    Ok(match call.f {
        WindowFn::Aggregate(_) => return aggregate(call, r, spool, p, w, cx),
        WindowFn::RowNumber => Datum::Int8(p.at as i64 + 1),
        WindowFn::Rank => Datum::Int8(p.group_start as i64 + 1),
        WindowFn::DenseRank => Datum::Int8(p.group as i64 + 1),
        WindowFn::PercentRank => {
            let others = spool.total(w, cx)? - 1;
            Datum::Float8(if others == 0 { 0.0 } else { p.group_start as f64 / others as f64 })
        }
        WindowFn::CumeDist => {
            let total = spool.total(w, cx)?;
            Datum::Float8(p.group_end(spool, w, cx)? as f64 / total as f64)
        }
        WindowFn::Ntile => {
            let tiles = match r.tiles {
                Some(tiles) => tiles,
                None => {
                    let Some(n) = own(spool, 0)?.as_i64() else { return Ok(Datum::Null) };
                    if n <= 0 {
                        return Err(SqlError::new(
                            SqlState::INVALID_ARGUMENT_FOR_NTILE,
                            "argument of ntile must be greater than zero",
                        ));
                    }
                    *r.tiles.insert(n as u64)
                }
            };
            let total = spool.total(w, cx)?;
            // The first ones have one row more.
            let (size, larger) = (total / tiles, total % tiles);
            let of_larger = larger * (size + 1);
            let tile = match p.at < of_larger {
                true => p.at / (size + 1),
                false => larger + (p.at - of_larger) / size.max(1),
            };
            Datum::Int4(tile as i32 + 1)
        }
        WindowFn::Neighbour(sign) => {
            let offset = if call.args.len() > 1 { own(spool, 1)? } else { Datum::Int4(1) };
            let Some(offset) = offset.as_i64() else { return Ok(Datum::Null) };
            let wanted = u64::try_from(p.at as i64 + i64::from(sign) * offset).ok();
            match wanted {
                Some(n) if spool.has(n, w, cx)? => spool.read_of(n, &call.args[..1])?[call.args[0]].clone(),
                _ if call.args.len() > 2 => own(spool, 2)?,
                _ => Datum::Null,
            }
        }
        WindowFn::FirstValue | WindowFn::LastValue | WindowFn::NthValue => {
            let wanted = match call.f {
                WindowFn::NthValue => {
                    let Some(n) = own(spool, 1)?.as_i64() else { return Ok(Datum::Null) };
                    if n <= 0 {
                        return Err(SqlError::new(
                            SqlState::INVALID_ARGUMENT_FOR_NTH_VALUE,
                            "argument of nth_value must be greater than zero",
                        ));
                    }
                    n as u64 - 1
                }
                _ => 0,
            };
            let stretches = p.stretches(spool, w, cx)?;
            let found = if matches!(call.f, WindowFn::LastValue) {
                stretches.iter().rev().find(|(from, to)| from < to).map(|(_, to)| to - 1)
            } else {
                let mut left = wanted;
                let mut find = |&(from, to): &(u64, u64)| {
                    let len = to - from;
                    if left < len {
                        return Some(from + left);
                    }
                    left -= len;
                    None
                };
                stretches.iter().find_map(&mut find)
            };
            match found {
                Some(n) => spool.read_of(n, &call.args[..1])?[call.args[0]].clone(),
                None => Datum::Null,
            }
        }
    })
}
