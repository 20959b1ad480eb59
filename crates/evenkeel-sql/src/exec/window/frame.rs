//! Which rows of the partition a window function sees from the current one. All bounds move forward only, so a partition takes time in
//! proportion to its rows.
//!
//! Must not know: functions.

use super::spool::Spool;
use crate::exec::eval::eval;
use crate::exec::rowset::same;
use crate::exec::{Cx, Row};
use crate::plan::SortKey;
use crate::plan::window::{Exclude, Frame, FrameBound, FrameMode, WindowAgg};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, ScalarFn, Type, compare, lookup_operators, resolve_operator};

/// Offsets of a frame, once they are known.
struct Offsets {
    start: Datum,
    end: Datum,
}

/// Where the current row's peers and its frame are.
#[derive(Default)]
pub struct Place {
    /// The current row.
    pub at: u64,
    /// The first of its peers.
    pub group_start: u64,
    /// Groups of peers before it.
    pub group: u64,
    group_key: Row,
    /// Behind the last of its peers, as far as that is known.
    scanned: u64,
    group_end: Option<u64>,
    /// The frame: from `head` to before `tail`.
    pub head: u64,
    pub tail: u64,
    head_group: u64,
    tail_group: u64,
    offsets: Option<Offsets>,
}

fn order_key(spool: &mut Spool, n: u64, w: &WindowAgg) -> Result<Row, SqlError> {
    let row = spool.get(n)?;
    Ok(w.order_at.iter().zip(&w.window.order).map(|(p, k)| compared(&row[*p], k)).collect())
}

/// What tells peers apart: values, unless texts are equal that have other bytes.
fn compared(d: &Datum, key: &SortKey) -> Datum {
    if key.collation.is_deterministic() { d.clone() } else { key.collation.sort_key(d.clone()) }
}

fn is_peer(spool: &mut Spool, n: u64, key: &Row, w: &WindowAgg) -> Result<bool, SqlError> {
    let row = spool.get(n)?;
    let is_same = |((p, known), key): ((&usize, &Datum), &SortKey)| match key.collation.is_deterministic() {
        true => same(&row[*p], known),
        false => same(&compared(&row[*p], key), known),
    };
    Ok(w.order_at.iter().zip(key).zip(&w.window.order).all(is_same))
}

/// The number of the row behind a row's peers.
fn behind_peers(from: u64, spool: &mut Spool, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<u64, SqlError> {
    let key = order_key(spool, from, w)?;
    let mut n = from + 1;
    while spool.has(n, w, cx)? && is_peer(spool, n, &key, w)? {
        n += 1;
    }
    Ok(n)
}

impl Place {
    /// Goes to the first row of a partition.
    pub fn begin(&mut self, spool: &mut Spool, w: &WindowAgg) -> Result<(), SqlError> {
        let offsets = self.offsets.take();
        *self = Place { group_key: order_key(spool, 0, w)?, scanned: 1, offsets, ..Place::default() };
        Ok(())
    }

    /// Forgets the offsets, too.
    pub fn reset(&mut self) {
        *self = Place::default();
    }

    /// Goes to the next row, which is there.
    pub fn advance(&mut self, spool: &mut Spool, w: &WindowAgg) -> Result<(), SqlError> {
        self.at += 1;
        if !is_peer(spool, self.at, &self.group_key, w)? {
            self.group_key = order_key(spool, self.at, w)?;
            self.group += 1;
            (self.group_start, self.scanned, self.group_end) = (self.at, self.at + 1, None);
        }
        Ok(())
    }

    /// The number of the row behind the current one's peers.
    pub fn group_end(&mut self, spool: &mut Spool, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<u64, SqlError> {
        if let Some(end) = self.group_end {
            return Ok(end);
        }
        self.scanned = self.scanned.max(self.at + 1);
        while spool.has(self.scanned, w, cx)? && is_peer(spool, self.scanned, &self.group_key, w)? {
            self.scanned += 1;
        }
        self.group_end = Some(self.scanned);
        Ok(self.scanned)
    }

    /// Finds the frame of the current row.
    pub fn find(&mut self, spool: &mut Spool, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let frame = &w.window.frame;
        if self.offsets.is_none() {
            self.offsets = Some(offsets(frame, cx)?);
        }
        self.head = match (&frame.start, frame.mode) {
            (FrameBound::Start, _) => 0,
            (FrameBound::Current, FrameMode::Rows) => self.at,
            (FrameBound::Current, _) => self.group_start,
            (FrameBound::End, _) => spool.total(w, cx)?,
            (bound, FrameMode::Rows) => self.moved(self.at, bound, true),
            (bound, FrameMode::Range) => self.range_head(bound, spool, w, cx)?,
            (bound, FrameMode::Groups) => {
                let wanted = self.moved(self.group, bound, true);
                let mut head = self.head;
                while self.head_group < wanted && spool.has(head, w, cx)? {
                    head = behind_peers(head, spool, w, cx)?;
                    self.head_group += 1;
                }
                head
            }
        };
        self.tail = match (&frame.end, frame.mode) {
            (FrameBound::End, _) => spool.total(w, cx)?,
            (FrameBound::Current, FrameMode::Rows) => self.at + 1,
            (FrameBound::Current, _) => self.group_end(spool, w, cx)?,
            (FrameBound::Start, _) => 0,
            (bound, FrameMode::Rows) => {
                let end = match bound {
                    FrameBound::Before(_) => (self.at + 1).saturating_sub(self.offset(false)),
                    _ => self.at.saturating_add(self.offset(false)).saturating_add(1),
                };
                if spool.has(end - u64::from(end > 0), w, cx)? { end } else { spool.total(w, cx)? }
            }
            (bound, FrameMode::Range) => self.range_tail(bound, spool, w, cx)?,
            (bound, FrameMode::Groups) => {
                let offset = self.offset(false);
                let wanted = match bound {
                    FrameBound::Before(_) => (self.group + 1).saturating_sub(offset),
                    _ => self.group.saturating_add(offset).saturating_add(1),
                };
                let mut tail = self.tail;
                while self.tail_group < wanted && spool.has(tail, w, cx)? {
                    tail = behind_peers(tail, spool, w, cx)?;
                    self.tail_group += 1;
                }
                tail
            }
        };
        Ok(())
    }

    fn offset(&self, of_start: bool) -> u64 {
        let offset = self.offsets.as_ref().map(|o| if of_start { &o.start } else { &o.end });
        offset.and_then(Datum::as_i64).unwrap_or(0) as u64
    }

    fn moved(&self, from: u64, bound: &FrameBound, of_start: bool) -> u64 {
        let offset = self.offset(of_start);
        match bound {
            FrameBound::Before(_) => from.saturating_sub(offset),
            _ => from.saturating_add(offset),
        }
    }

    fn range_head(
        &self,
        bound: &FrameBound,
        spool: &mut Spool,
        w: &WindowAgg,
        cx: &mut Cx<'_>,
    ) -> Result<u64, SqlError> {
        let (Some(key), Some(o)) = (w.window.order.first(), &self.offsets) else { return Ok(0) };
        let sub = matches!(bound, FrameBound::Before(_)) != key.desc;
        let place = w.order_at[0];
        let mut head = self.head;
        while spool.has(head, w, cx)? {
            let current = self.group_key[0].clone();
            let value = spool.get(head)?[place].clone();
            let is_in = match (value.is_null(), current.is_null()) {
                (false, false) => in_range(&value, &current, &o.start, sub, key.desc, cx)?,
                // What stands first of NULLs and others is before the frame of what stands last.
                (v, c) if key.nulls_first => !v || c,
                (v, c) => v || !c,
            };
            if is_in {
                break;
            }
            head += 1;
        }
        Ok(head)
    }

    fn range_tail(
        &self,
        bound: &FrameBound,
        spool: &mut Spool,
        w: &WindowAgg,
        cx: &mut Cx<'_>,
    ) -> Result<u64, SqlError> {
        let (Some(key), Some(o)) = (w.window.order.first(), &self.offsets) else { return Ok(0) };
        let sub = matches!(bound, FrameBound::Before(_)) != key.desc;
        let place = w.order_at[0];
        let mut tail = self.tail;
        while spool.has(tail, w, cx)? {
            let current = self.group_key[0].clone();
            let value = spool.get(tail)?[place].clone();
            let is_in = match (value.is_null(), current.is_null()) {
                (false, false) => in_range(&value, &current, &o.end, sub, !key.desc, cx)?,
                (v, c) if key.nulls_first => v || !c,
                (v, c) => !v || c,
            };
            if !is_in {
                break;
            }
            tail += 1;
        }
        Ok(tail)
    }

    /// The frame without what it excludes: up to three stretches, in order; those that are empty have no rows.
    pub fn stretches(
        &mut self,
        spool: &mut Spool,
        w: &WindowAgg,
        cx: &mut Cx<'_>,
    ) -> Result<[(u64, u64); 3], SqlError> {
        let (head, tail, at) = (self.head, self.tail.max(self.head), self.at);
        let within = |from: u64, to: u64| (from.clamp(head, tail), to.clamp(head, tail));
        Ok(match w.window.frame.exclude {
            Exclude::NoOthers => [(head, tail), (tail, tail), (tail, tail)],
            Exclude::CurrentRow => [within(head, at), within(at + 1, tail), (tail, tail)],
            Exclude::Group => {
                let end = self.group_end(spool, w, cx)?;
                [within(head, self.group_start), within(end, tail), (tail, tail)]
            }
            Exclude::Ties => {
                let end = self.group_end(spool, w, cx)?;
                [within(head, self.group_start), within(at, at + 1), within(end, tail)]
            }
        })
    }
}

fn wrong_size() -> SqlError {
    SqlError::new(
        SqlState::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
        "invalid preceding or following size in window function",
    )
}

fn offsets(frame: &Frame, cx: &mut Cx<'_>) -> Result<Offsets, SqlError> {
    let mut one = |bound: &FrameBound, name: &str| -> Result<Datum, SqlError> {
        let Some(e) = bound.offset() else { return Ok(Datum::Null) };
        let value = eval(e, &[], cx)?;
        if value.is_null() {
            let message = format!("frame {name} offset must not be null");
            return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
        }
        if frame.mode != FrameMode::Range && value.as_i64().is_some_and(|n| n < 0) {
            let message = format!("frame {name} offset must not be negative");
            return Err(SqlError::new(SqlState::INVALID_PRECEDING_OR_FOLLOWING_SIZE, message));
        }
        Ok(value)
    };
    Ok(Offsets { start: one(&frame.start, "starting")?, end: one(&frame.end, "ending")? })
}

/// Whether a value is at least (`less`: at most) another one moved up (`sub`: down) by an offset.
fn in_range(
    value: &Datum,
    base: &Datum,
    offset: &Datum,
    sub: bool,
    less: bool,
    cx: &Cx<'_>,
) -> Result<bool, SqlError> {
    let decide = |o: std::cmp::Ordering| if less { o.is_le() } else { o.is_ge() };
    if let (Some(v), Some(b), Some(o)) = (value.as_i64(), base.as_i64(), offset.as_i64()) {
        if o < 0 {
            return Err(wrong_size());
        }
        let o = if sub { -i128::from(o) } else { i128::from(o) };
        return Ok(decide(i128::from(v).cmp(&(i128::from(b) + o))));
    }
    let float = |d: &Datum| match d {
        Datum::Float8(v) => Some(*v),
        Datum::Float4(v) => Some(f64::from(*v)),
        _ => None,
    };
    if let (Some(v), Some(b), Some(o)) = (float(value), float(base), float(offset)) {
        if o.is_nan() || o < 0.0 {
            return Err(wrong_size());
        }
        if v.is_nan() || b.is_nan() {
            return Ok(if v.is_nan() { b.is_nan() || !less } else { less });
        }
        if o.is_infinite() && b.is_infinite() && (if sub { b > 0.0 } else { b < 0.0 }) {
            return Ok(true);
        }
        let sum = if sub { b - o } else { b + o };
        return Ok(if less { v <= sum } else { v >= sum });
    }
    if let (Datum::Numeric(v), Datum::Numeric(b), Datum::Numeric(o)) = (value, base, offset) {
        if o.is_nan() || o.signum() < 0 {
            return Err(wrong_size());
        }
        if v.is_nan() || b.is_nan() {
            return Ok(if v.is_nan() { b.is_nan() || !less } else { less });
        }
        if o.is_infinite() && b.is_infinite() && (b.signum() > 0) == sub {
            return Ok(true);
        }
        let sum = if sub { b.sub(o)? } else { b.add(o)? };
        return Ok(decide(compare(value, &Datum::Numeric(sum))));
    }
    let Datum::Interval(o) = offset else { return Err(SqlError::internal("the offset of a frame")) };
    // Times do not go round midnight here, and months and days are nothing to them.
    if let Datum::Time(_) | Datum::Timetz(..) = base {
        let o = o.us;
        if o < 0 {
            return Err(wrong_size());
        }
        const FAR_US: i64 = i64::MAX / 4;
        let moved = |of: i64| {
            if sub { Some((of - o).max(-FAR_US)) } else { of.checked_add(o).map(|t| t.min(FAR_US)) }
        };
        let sum = match base {
            Datum::Timetz(of, zone) => moved(*of).map(|us| Datum::Timetz(us, *zone)),
            Datum::Time(of) => moved(*of).map(Datum::Time),
            _ => None,
        };
        return Ok(sum.map_or(less, |sum| decide(compare(value, &sum))));
    }
    if o.span_us() < 0 {
        return Err(wrong_size());
    }
    let ty = base.natural_type();
    let infinite = |d: &Datum, is_late: bool| match d {
        Datum::Date(n) => *n == if is_late { i32::MAX } else { i32::MIN },
        Datum::Timestamp(n) | Datum::Timestamptz(n) => *n == if is_late { i64::MAX } else { i64::MIN },
        Datum::Interval(i) => !i.is_finite() && (i.span_us() > 0) == is_late,
        _ => false,
    };
    if !o.is_finite() && infinite(base, sub) {
        return Ok(true);
    }
    let sum = (operator(if sub { "-" } else { "+" }, ty)?.call)(&[base.clone(), offset.clone()], &cx.eval)?;
    // A date is compared as the timestamp of its beginning.
    let value = match value {
        Datum::Date(_) => {
            let none = Datum::Interval(evenkeel_types::Interval::default());
            (operator("+", ty)?.call)(&[value.clone(), none], &cx.eval)?
        }
        other => other.clone(),
    };
    Ok(decide(compare(&value, &sum)))
}

fn operator(name: &str, ty: Type) -> Result<&'static ScalarFn, SqlError> {
    resolve_operator(lookup_operators(name), &[ty, Type::Interval])
        .map(|r| r.f)
        .map_err(|_| SqlError::internal("the offset of a frame"))
}
