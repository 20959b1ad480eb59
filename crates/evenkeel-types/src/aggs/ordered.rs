//! Aggregates WITHIN GROUP: percentiles, the mode, and where a row that is not there would stand among others.
//!
//! Invariants
//! 1. A percentile keeps nothing but what it is made of: it is told beforehand how many rows there are.
//!
//! Must not know: how rows are put in order.

use crate::compare::equal;
use crate::datum::{ArrayDatum, Datum};
use crate::error::{SqlError, SqlState};
use crate::function::{AggFn, AggState, EvalCtx};
use crate::guard::build::make_room;
use crate::guard::check;
use crate::guard::discard::Large;
use crate::guard::stop::Watch;
use crate::text_float::general;
use crate::ty::Type as T;
use std::sync::Arc;

/// Comparisons, or results that one row is part of, between two looks whether the statement may go on.
const LOOK_EVERY: usize = 512;

/// What one result is made of.
struct Wanted {
    /// The result's place.
    to: usize,
    /// The rows, from 0: the second is the first or the next.
    first: u64,
    second: u64,
    /// How far it lies from the first to the second.
    part: f64,
}

/// `percentile_cont` and `percentile_disc`, of one fraction or an array of them.
struct Percentile {
    continuous: bool,
    element: T,
    /// The array of fractions: that of the results has its form.
    given: Option<Arc<ArrayDatum>>,
    /// In the order of their rows.
    wanted: Vec<Wanted>,
    results: Large<Vec<Datum>>,
    /// The first of the wanted that is not complete.
    next: usize,
    /// Rows that have come.
    at: u64,
}

impl Percentile {
    fn wanted(&self, to: usize, fraction: f64, rows: u64) -> Result<Wanted, SqlError> {
        check_fraction(fraction)?;
        if !self.continuous {
            // The first of which so large a part is not behind it.
            let row = ((fraction * rows as f64).ceil() as u64).clamp(1, rows.max(1)) - 1;
            return Ok(Wanted { to, first: row, second: row, part: 0.0 });
        }
        let place = fraction * rows.saturating_sub(1) as f64;
        let (first, second) = (place.floor() as u64, place.ceil() as u64);
        Ok(Wanted { to, first, second, part: place - place.floor() })
    }
}

fn check_fraction(fraction: f64) -> Result<(), SqlError> {
    if (0.0..=1.0).contains(&fraction) {
        return Ok(());
    }
    let why = format!("percentile value {} is not between 0 and 1", general(fraction));
    Err(SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, why))
}

/// A part of the way from one value to another.
fn between(low: &Datum, high: &Datum, part: f64) -> Result<Datum, SqlError> {
    match (low, high) {
        (Datum::Float8(low), Datum::Float8(high)) => Ok(Datum::Float8(low + part * (high - low))),
        (Datum::Interval(low), Datum::Interval(high)) => {
            Ok(Datum::Interval(high.sub(low)?.mul(part)?.add(low)?))
        }
        _ => Err(SqlError::internal("percentile of other types")),
    }
}

impl AggState for Percentile {
    fn begin(&mut self, direct: &[Datum], rows: u64) -> Result<(), SqlError> {
        match direct.first() {
            // Of no rows the fractions are not looked at, if they are an array.
            Some(Datum::Array(fractions)) if rows > 0 => {
                self.given = Some(fractions.clone());
                make_room(&mut self.results, fractions.values.len())?;
                make_room(&mut self.wanted, fractions.values.len())?;
                for (to, fraction) in fractions.values.iter().enumerate() {
                    self.results.push(Datum::Null);
                    if let Datum::Float8(fraction) = fraction {
                        let wanted = self.wanted(to, *fraction, rows)?;
                        self.wanted.push(wanted);
                    }
                }
                let watch = Watch::of_data(LOOK_EVERY as u32);
                watch.run(|| {
                    self.wanted.sort_by(|a, b| {
                        watch.look();
                        (a.first, a.second).cmp(&(b.first, b.second))
                    });
                })
            }
            Some(Datum::Float8(fraction)) => {
                let wanted = self.wanted(0, *fraction, rows)?;
                if rows > 0 {
                    self.results.push(Datum::Null);
                    self.wanted.push(wanted);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(value) = args.first() else { return Ok(()) };
        let at = self.at;
        self.at += 1;
        let mut n = self.next;
        while let Some(w) = self.wanted.get(n).filter(|w| w.first <= at) {
            let result = &mut self.results[w.to];
            if w.first == at {
                *result = value.clone();
            } else if w.second == at {
                *result = between(result, value, w.part)?;
            }
            n += 1;
            if n.is_multiple_of(LOOK_EVERY) {
                check()?;
            }
        }
        while self.wanted.get(self.next).is_some_and(|w| w.second <= at) {
            self.next += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        let mut results = std::mem::take(&mut self.results);
        Ok(match self.given.take() {
            Some(given) => Datum::Array(Arc::new(ArrayDatum {
                element: self.element,
                dims: given.dims.clone(),
                values: results,
            })),
            None => results.pop().unwrap_or_default(),
        })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.wanted.capacity() * size_of::<Wanted>()
            + self.results.capacity() * size_of::<Datum>()
    }
}

fn percentile(args: &[T], continuous: bool) -> Box<dyn AggState> {
    Box::new(Percentile {
        continuous,
        element: args.last().copied().unwrap_or(T::Float8),
        given: None,
        wanted: Vec::new(),
        results: Large::default(),
        next: 0,
        at: 0,
    })
}

/// `mode`: the value that is there most often; of several the first in order.
struct Mode {
    best: Datum,
    most: u64,
    last: Datum,
    count: u64,
}

impl AggState for Mode {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let Some(value) = args.first() else { return Ok(()) };
        if self.count == 0 || !equal(value, &self.last) {
            self.last = value.clone();
            self.count = 0;
        }
        self.count += 1;
        if self.count > self.most {
            self.most = self.count;
            self.best = self.last.clone();
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(std::mem::take(&mut self.best))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.best.memory_bytes() + self.last.memory_bytes()
    }
}

fn mode(_: &[T]) -> Box<dyn AggState> {
    Box::new(Mode { best: Datum::Null, most: 0, last: Datum::Null, count: 0 })
}

/// What is told of the place of the row that is not there.
#[derive(Clone, Copy)]
enum Place {
    Rank,
    PercentRank,
    CumeDist,
}

/// `rank` and its like. `dense_rank` is the rank among rows that are all different.
struct Hypothetical {
    want: Place,
    before: i64,
    peers: i64,
    rows: i64,
}

impl AggState for Hypothetical {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        self.rows += 1;
        match args.first().and_then(Datum::as_i64) {
            Some(..0) => self.before += 1,
            Some(0) => self.peers += 1,
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(match self.want {
            Place::Rank => Datum::Int8(self.before + 1),
            Place::PercentRank if self.rows == 0 => Datum::Float8(0.0),
            Place::PercentRank => Datum::Float8(self.before as f64 / self.rows as f64),
            Place::CumeDist => Datum::Float8((self.before + self.peers + 1) as f64 / (self.rows + 1) as f64),
        })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }
}

fn place(want: Place) -> Box<dyn AggState> {
    Box::new(Hypothetical { want, before: 0, peers: 0, rows: 0 })
}

fn cont(args: &[T]) -> Box<dyn AggState> {
    percentile(args, true)
}

fn disc(args: &[T]) -> Box<dyn AggState> {
    percentile(args, false)
}

fn rank(_: &[T]) -> Box<dyn AggState> {
    place(Place::Rank)
}

pub(super) const TABLE: &[AggFn] = &[
    AggFn { name: "percentile_cont", args: &[T::Float8, T::Float8], ret: T::Float8, new: cont },
    AggFn { name: "percentile_cont", args: &[T::Float8, T::Interval], ret: T::Interval, new: cont },
    AggFn { name: "percentile_cont", args: &[T::Float8Array, T::Float8], ret: T::Float8Array, new: cont },
    AggFn { name: "percentile_cont", args: &[T::Float8Array, T::Interval], ret: T::IntervalArray, new: cont },
    AggFn { name: "percentile_disc", args: &[T::Float8, T::AnyElement], ret: T::AnyElement, new: disc },
    AggFn { name: "percentile_disc", args: &[T::Float8Array, T::AnyElement], ret: T::AnyArray, new: disc },
    AggFn { name: "mode", args: &[T::AnyElement], ret: T::AnyElement, new: mode },
    AggFn { name: "rank", args: &[T::Any], ret: T::Int8, new: rank },
    AggFn { name: "dense_rank", args: &[T::Any], ret: T::Int8, new: rank },
    AggFn { name: "percent_rank", args: &[T::Any], ret: T::Float8, new: |_| place(Place::PercentRank) },
    AggFn { name: "cume_dist", args: &[T::Any], ret: T::Float8, new: |_| place(Place::CumeDist) },
];
