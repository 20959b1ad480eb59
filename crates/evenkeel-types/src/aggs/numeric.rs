//! `sum` and `avg`.

use super::skipped;
use crate::cast::{float_overflow, out_of_range};
use crate::datum::{Datum, Interval};
use crate::error::SqlError;
use crate::function::{AggFn, AggState, EvalCtx};
use crate::numeric::Numeric;
use crate::ty::Type as T;

/// Sum of integers; what it becomes at the end depends on the argument's type.
struct IntSum {
    sum: i128,
    count: i64,
    average: bool,
    wide: bool,
}

impl AggState for IntSum {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if let Some(v) = args.first().and_then(Datum::as_i64) {
            // 2^63 rows of 2^63 stay within 128 bits.
            self.sum += i128::from(v);
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        if self.count == 0 {
            return Ok(Datum::Null);
        }
        if self.average {
            return Ok(Datum::Numeric(Numeric::from_i128(self.sum).div(&Numeric::from(self.count))?));
        }
        if self.wide {
            return Ok(Datum::Numeric(Numeric::from_i128(self.sum)));
        }
        i64::try_from(self.sum).map(Datum::Int8).map_err(|_| out_of_range(T::Int8))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }

    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        if let Some(v) = args.first().and_then(Datum::as_i64) {
            self.sum -= i128::from(v);
            self.count -= 1;
        }
        Ok(true)
    }
}

struct NumericSum {
    sum: Numeric,
    /// Values that have the longest fraction: the sum has its scale from them.
    longest: i64,
    count: i64,
    average: bool,
}

impl AggState for NumericSum {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if let Some(Datum::Numeric(n)) = args.first() {
            if self.count == 0 || n.scale() > self.sum.scale() {
                self.longest = 0;
            }
            self.sum = self.sum.add(n)?;
            self.longest += i64::from(n.scale() == self.sum.scale());
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        if self.count == 0 {
            return Ok(Datum::Null);
        }
        if self.average {
            return Ok(Datum::Numeric(self.sum.div(&Numeric::from(self.count))?));
        }
        Ok(Datum::Numeric(self.sum.clone()))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.sum.heap_bytes()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }

    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        let Some(Datum::Numeric(n)) = args.first() else { return Ok(true) };
        let is_longest = n.scale() == self.sum.scale();
        if !self.sum.is_finite() || !n.is_finite() || is_longest && self.longest == 1 {
            return Ok(false);
        }
        self.longest -= i64::from(is_longest);
        self.sum = self.sum.sub(n)?;
        self.count -= 1;
        Ok(true)
    }
}

struct FloatSum {
    sum: f64,
    /// Of the differences from the average: PostgreSQL's averages keep it, and fail where it overflows.
    squares: f64,
    count: i64,
    average: bool,
    single: bool,
}

impl FloatSum {
    /// For a value with which the sum becomes `sum`.
    fn add_square(&mut self, v: f64, sum: f64) -> Result<(), SqlError> {
        if self.count == 0 {
            if !v.is_finite() {
                self.squares = f64::NAN;
            }
            return Ok(());
        }
        let (before, now) = (self.count as f64, (self.count + 1) as f64);
        let away = v * now - sum;
        self.squares += away * away / (now * before);
        if sum.is_infinite() || self.squares.is_infinite() {
            if !self.sum.is_infinite() && !v.is_infinite() {
                return Err(float_overflow());
            }
            self.squares = f64::NAN;
        }
        Ok(())
    }
}

impl AggState for FloatSum {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let v = match args.first() {
            Some(Datum::Float8(v)) => *v,
            Some(Datum::Float4(v)) => f64::from(*v),
            _ => return Ok(()),
        };
        let sum = if self.count == 0 && !self.average {
            // Nothing is added to the first, which may be -0.
            v
        } else if self.single && !self.average {
            // sum(real) adds in real.
            f64::from(self.sum as f32 + v as f32)
        } else {
            self.sum + v
        };
        if sum.is_infinite() && !self.sum.is_infinite() && !v.is_infinite() {
            return Err(float_overflow());
        }
        if self.average {
            self.add_square(v, sum)?;
        }
        self.sum = sum;
        self.count += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(match (self.count, self.average, self.single) {
            (0, ..) => Datum::Null,
            (n, true, _) => Datum::Float8(self.sum / n as f64),
            (_, false, true) => Datum::Float4(self.sum as f32),
            (_, false, false) => Datum::Float8(self.sum),
        })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

struct IntervalSum {
    sum: Interval,
    count: i64,
    average: bool,
}

impl AggState for IntervalSum {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if skipped(args) {
            return Ok(());
        }
        if let Some(Datum::Interval(v)) = args.first() {
            self.sum = if self.count == 0 { *v } else { self.sum.add(v)? };
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        if self.count == 0 {
            return Ok(Datum::Null);
        }
        Ok(Datum::Interval(if self.average { self.sum.div(self.count as f64)? } else { self.sum }))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }

    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        let Some(Datum::Interval(v)) = args.first() else { return Ok(true) };
        if !v.is_finite() || !self.sum.is_finite() {
            return Ok(false);
        }
        self.sum = self.sum.sub(v)?;
        self.count -= 1;
        Ok(true)
    }
}

/// Of `money`: it fails where the sum so far is out of range, as PostgreSQL's does.
struct MoneySum {
    sum: i64,
    count: i64,
}

impl AggState for MoneySum {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if let Some(Datum::Money(v)) = args.first() {
            self.sum = self.sum.checked_add(*v).ok_or_else(|| out_of_range(T::Money))?;
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        Ok(if self.count == 0 { Datum::Null } else { Datum::Money(self.sum) })
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }

    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        if let Some(Datum::Money(v)) = args.first() {
            self.sum = self.sum.checked_sub(*v).ok_or_else(|| out_of_range(T::Money))?;
            self.count -= 1;
        }
        Ok(true)
    }
}

fn money_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(MoneySum { sum: 0, count: 0 })
}

fn int_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(IntSum { sum: 0, count: 0, average: false, wide: false })
}

fn wide_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(IntSum { sum: 0, count: 0, average: false, wide: true })
}

fn int_avg(_: &[T]) -> Box<dyn AggState> {
    Box::new(IntSum { sum: 0, count: 0, average: true, wide: true })
}

fn numeric_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(NumericSum { sum: Numeric::ZERO, longest: 0, count: 0, average: false })
}

fn numeric_avg(_: &[T]) -> Box<dyn AggState> {
    Box::new(NumericSum { sum: Numeric::ZERO, longest: 0, count: 0, average: true })
}

fn float_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(FloatSum { sum: 0.0, squares: 0.0, count: 0, average: false, single: false })
}

fn real_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(FloatSum { sum: 0.0, squares: 0.0, count: 0, average: false, single: true })
}

fn float_avg(_: &[T]) -> Box<dyn AggState> {
    Box::new(FloatSum { sum: 0.0, squares: 0.0, count: 0, average: true, single: false })
}

fn interval_sum(_: &[T]) -> Box<dyn AggState> {
    Box::new(IntervalSum { sum: Interval::default(), count: 0, average: false })
}

fn interval_avg(_: &[T]) -> Box<dyn AggState> {
    Box::new(IntervalSum { sum: Interval::default(), count: 0, average: true })
}

pub(super) const TABLE: &[AggFn] = &[
    AggFn { name: "sum", args: &[T::Int2], ret: T::Int8, new: int_sum },
    AggFn { name: "sum", args: &[T::Int4], ret: T::Int8, new: int_sum },
    AggFn { name: "sum", args: &[T::Int8], ret: T::Numeric, new: wide_sum },
    AggFn { name: "sum", args: &[T::Numeric], ret: T::Numeric, new: numeric_sum },
    AggFn { name: "sum", args: &[T::Float4], ret: T::Float4, new: real_sum },
    AggFn { name: "sum", args: &[T::Float8], ret: T::Float8, new: float_sum },
    AggFn { name: "sum", args: &[T::Interval], ret: T::Interval, new: interval_sum },
    AggFn { name: "sum", args: &[T::Money], ret: T::Money, new: money_sum },
    AggFn { name: "avg", args: &[T::Int2], ret: T::Numeric, new: int_avg },
    AggFn { name: "avg", args: &[T::Int4], ret: T::Numeric, new: int_avg },
    AggFn { name: "avg", args: &[T::Int8], ret: T::Numeric, new: int_avg },
    AggFn { name: "avg", args: &[T::Numeric], ret: T::Numeric, new: numeric_avg },
    AggFn { name: "avg", args: &[T::Float4], ret: T::Float8, new: float_avg },
    AggFn { name: "avg", args: &[T::Float8], ret: T::Float8, new: float_avg },
    AggFn { name: "avg", args: &[T::Interval], ret: T::Interval, new: interval_avg },
];
