//! Arithmetic and order of intervals, and of timestamps with intervals.
//!
//! Invariants:
//! 1. The infinite intervals have all three fields at MAX or all at MIN, and no finite interval does.
//! 2. Order takes a month as 30 days and a day as 24 hours, so different intervals may compare equal.

use jiff::tz::TimeZone;

use super::calendar::{
    Fields, TS_INFINITY, TS_NEG_INFINITY, US_PER_DAY, US_PER_SECOND, days_in_month, in_timestamp_range,
    is_finite_ts,
};
use super::zone::{local_us, offset_of_local};
use super::{interval_out_of_range, timestamp_out_of_range};
use crate::datum::Interval;
use crate::error::{SqlError, SqlState};

/// Days that a month counts for where months must become days.
pub const DAYS_PER_MONTH: i64 = 30;

impl Interval {
    /// Longer than every finite interval.
    pub const INFINITY: Interval = Interval { months: i32::MAX, days: i32::MAX, us: i64::MAX };
    /// Shorter than every finite interval.
    pub const NEG_INFINITY: Interval = Interval { months: i32::MIN, days: i32::MIN, us: i64::MIN };

    /// An interval of its three parts.
    pub fn new(months: i32, days: i32, us: i64) -> Interval {
        Interval { months, days, us }
    }

    /// Whether the interval is not infinite.
    pub fn is_finite(&self) -> bool {
        *self != Interval::INFINITY && *self != Interval::NEG_INFINITY
    }

    /// Total length in microseconds by which intervals are compared (invariant 2).
    pub fn span_us(&self) -> i128 {
        (i128::from(self.months) * i128::from(DAYS_PER_MONTH) + i128::from(self.days))
            * i128::from(US_PER_DAY)
            + i128::from(self.us)
    }

    /// `-self`
    pub fn neg(&self) -> Result<Interval, SqlError> {
        if *self == Interval::INFINITY {
            return Ok(Interval::NEG_INFINITY);
        }
        if *self == Interval::NEG_INFINITY {
            return Ok(Interval::INFINITY);
        }
        let negated = || {
            Some(Interval::new(self.months.checked_neg()?, self.days.checked_neg()?, self.us.checked_neg()?))
        };
        finite(negated())
    }

    /// `self + other`
    pub fn add(&self, other: &Interval) -> Result<Interval, SqlError> {
        match (self.is_finite(), other.is_finite()) {
            (true, true) => {}
            (false, false) if self != other => return Err(interval_out_of_range()),
            (false, _) => return Ok(*self),
            (true, false) => return Ok(*other),
        }
        let sum = || {
            Some(Interval::new(
                self.months.checked_add(other.months)?,
                self.days.checked_add(other.days)?,
                self.us.checked_add(other.us)?,
            ))
        };
        finite(sum())
    }

    /// `self - other`
    pub fn sub(&self, other: &Interval) -> Result<Interval, SqlError> {
        if self.is_finite() && other.is_finite() {
            let difference = || {
                Some(Interval::new(
                    self.months.checked_sub(other.months)?,
                    self.days.checked_sub(other.days)?,
                    self.us.checked_sub(other.us)?,
                ))
            };
            return finite(difference());
        }
        self.add(&other.neg()?)
    }

    /// `self * factor`: fractions of months become days (of 30 to a month), fractions of days become time.
    pub fn mul(&self, factor: f64) -> Result<Interval, SqlError> {
        if factor.is_nan() {
            return Err(interval_out_of_range());
        }
        if !self.is_finite() || factor.is_infinite() {
            let sign = self.span_us().signum() as f64 * factor;
            return match sign {
                s if s > 0.0 => Ok(Interval::INFINITY),
                s if s < 0.0 => Ok(Interval::NEG_INFINITY),
                _ => Err(interval_out_of_range()),
            };
        }
        self.scale(|v| v * factor)
    }

    /// `self / divisor`
    pub fn div(&self, divisor: f64) -> Result<Interval, SqlError> {
        if divisor == 0.0 {
            return Err(SqlError::new(SqlState::DIVISION_BY_ZERO, "division by zero"));
        }
        if divisor.is_nan() {
            return Err(interval_out_of_range());
        }
        if !self.is_finite() {
            if divisor.is_infinite() {
                return Err(interval_out_of_range());
            }
            return if divisor < 0.0 { self.neg() } else { Ok(*self) };
        }
        self.scale(|v| v / divisor)
    }

    fn scale(&self, f: impl Fn(f64) -> f64) -> Result<Interval, SqlError> {
        // Round to microseconds to undo the error of the division, as PostgreSQL does.
        let tsround = |v: f64| (v * 1e6).round_ties_even() / 1e6;
        let whole = |v: f64| -> Option<i32> {
            (v >= f64::from(i32::MIN) && v <= f64::from(i32::MAX)).then_some(v as i32)
        };
        let compute = || {
            let exact_months = f(f64::from(self.months));
            let exact_days = f(f64::from(self.days));
            let months = whole(exact_months)?;
            let mut days = whole(exact_days)?;
            let month_rest = tsround((exact_months - f64::from(months)) * DAYS_PER_MONTH as f64);
            let mut seconds =
                tsround((exact_days - f64::from(days) + month_rest - month_rest.trunc()) * 86_400.0);
            // What came from months may add up to whole days.
            if seconds.abs() >= 86_400.0 {
                days = days.checked_add((seconds / 86_400.0) as i32)?;
                seconds -= (seconds / 86_400.0).trunc() * 86_400.0;
            }
            days = days.checked_add(whole(month_rest.trunc())?)?;
            let us = (f(self.us as f64) + seconds * 1e6).round_ties_even();
            (us >= i64::MIN as f64 && us < i64::MAX as f64).then(|| Interval::new(months, days, us as i64))
        };
        finite(compute())
    }

    /// Whole days of the time become days.
    pub fn justify_hours(&self) -> Result<Interval, SqlError> {
        if !self.is_finite() {
            return Ok(*self);
        }
        let whole = self.us / US_PER_DAY;
        let mut r = Interval::new(self.months, 0, self.us - whole * US_PER_DAY);
        r.days = checked_i32(i64::from(self.days) + whole)?;
        if r.days > 0 && r.us < 0 {
            r.us += US_PER_DAY;
            r.days -= 1;
        } else if r.days < 0 && r.us > 0 {
            r.us -= US_PER_DAY;
            r.days += 1;
        }
        Ok(r)
    }

    /// Whole months of thirty days become months.
    pub fn justify_days(&self) -> Result<Interval, SqlError> {
        if !self.is_finite() {
            return Ok(*self);
        }
        let whole = i64::from(self.days) / DAYS_PER_MONTH;
        let mut r = Interval::new(0, (i64::from(self.days) - whole * DAYS_PER_MONTH) as i32, self.us);
        r.months = checked_i32(i64::from(self.months) + whole)?;
        if r.months > 0 && r.days < 0 {
            r.days += DAYS_PER_MONTH as i32;
            r.months -= 1;
        } else if r.months < 0 && r.days > 0 {
            r.days -= DAYS_PER_MONTH as i32;
            r.months += 1;
        }
        Ok(r)
    }

    /// Both, with one sign throughout.
    pub fn justify_interval(&self) -> Result<Interval, SqlError> {
        if !self.is_finite() {
            return Ok(*self);
        }
        // What is too many days may still be months.
        let whole_days = i64::from(self.days) + self.us / US_PER_DAY;
        let mut months = i64::from(self.months) + whole_days / DAYS_PER_MONTH;
        let (mut days, mut us) = (whole_days % DAYS_PER_MONTH, self.us % US_PER_DAY);
        if months > 0 && (days < 0 || (days == 0 && us < 0)) {
            days += DAYS_PER_MONTH;
            months -= 1;
        } else if months < 0 && (days > 0 || (days == 0 && us > 0)) {
            days -= DAYS_PER_MONTH;
            months += 1;
        }
        if days > 0 && us < 0 {
            us += US_PER_DAY;
            days -= 1;
        } else if days < 0 && us > 0 {
            us -= US_PER_DAY;
            days += 1;
        }
        Ok(Interval::new(checked_i32(months)?, checked_i32(days)?, us))
    }

    /// Rounds the time to a number of fraction digits.
    pub fn round_fraction(&self, digits: u32) -> Result<Interval, SqlError> {
        if !self.is_finite() {
            return Ok(*self);
        }
        let us = round_us(self.us, digits).ok_or_else(interval_out_of_range)?;
        Ok(Interval { us, ..*self })
    }
}

fn checked_i32(v: i64) -> Result<i32, SqlError> {
    i32::try_from(v).map_err(|_| interval_out_of_range())
}

fn finite(v: Option<Interval>) -> Result<Interval, SqlError> {
    match v {
        Some(i) if i.is_finite() => Ok(i), // invariant 1
        _ => Err(interval_out_of_range()),
    }
}

/// Rounds microseconds half away from zero to a number of fraction digits of a second.
pub fn round_us(us: i64, digits: u32) -> Option<i64> {
    let unit = 10i64.pow(6 - digits.min(6));
    if unit == 1 {
        return Some(us);
    }
    let half = unit / 2;
    let rounded = if us >= 0 { us.checked_add(half)? / unit } else { us.checked_sub(half)? / unit };
    Some(rounded * unit)
}

/// Adds months to local fields; a day past the end of the new month becomes its last.
fn add_months(f: &mut Fields, months: i64) {
    let total = f.year * 12 + f.month - 1 + months;
    f.year = total.div_euclid(12);
    f.month = total.rem_euclid(12) + 1;
    f.day = f.day.min(days_in_month(f.year, f.month));
}

fn infinite_sum(t: i64, i: &Interval) -> Option<Result<i64, SqlError>> {
    let toward = match *i {
        Interval::INFINITY => TS_INFINITY,
        Interval::NEG_INFINITY => TS_NEG_INFINITY,
        _ => return (!is_finite_ts(t)).then_some(Ok(t)),
    };
    Some(if !is_finite_ts(t) && t != toward { Err(timestamp_out_of_range()) } else { Ok(toward) })
}

/// `timestamp + interval`: months first, then days, then time.
pub fn timestamp_add(t: i64, i: &Interval) -> Result<i64, SqlError> {
    if let Some(sum) = infinite_sum(t, i) {
        return sum;
    }
    let mut t = t;
    if i.months != 0 {
        let mut f = Fields::of(t);
        add_months(&mut f, i64::from(i.months));
        t = f.timestamp().ok_or_else(timestamp_out_of_range)?;
    }
    if i.days != 0 {
        // From one end of the calendar to the other are more microseconds than an i64 has.
        t = i64::try_from(i128::from(i.days) * i128::from(US_PER_DAY) + i128::from(t))
            .ok()
            .filter(|t| in_timestamp_range(*t))
            .ok_or_else(timestamp_out_of_range)?;
    }
    t.checked_add(i.us).filter(|t| in_timestamp_range(*t)).ok_or_else(timestamp_out_of_range)
}

/// `timestamptz + interval`: months and days in local time of the zone, the rest in elapsed time.
pub fn timestamptz_add(t: i64, i: &Interval, tz: &TimeZone) -> Result<i64, SqlError> {
    if let Some(sum) = infinite_sum(t, i) {
        return sum;
    }
    // In between it is a time of the zone as well: one that the clock leaves out has moved on before the days are counted.
    let settled = |f: &Fields| {
        let local = f.days().checked_mul(US_PER_DAY).and_then(|d| d.checked_add(f.time_us()));
        let local = local.ok_or_else(timestamp_out_of_range)?;
        let t = local - offset_of_local(tz, f) * US_PER_SECOND;
        if in_timestamp_range(t) { Ok(t) } else { Err(timestamp_out_of_range()) }
    };
    let mut t = t;
    if i.months != 0 {
        let mut f = Fields::of(local_us(tz, t));
        add_months(&mut f, i64::from(i.months));
        t = settled(&f)?;
    }
    if i.days != 0 {
        let before = Fields::of(local_us(tz, t));
        let mut f = Fields::of_days(before.days() + i64::from(i.days));
        f.set_time(before.time_us());
        t = settled(&f)?;
    }
    t.checked_add(i.us).filter(|t| in_timestamp_range(*t)).ok_or_else(timestamp_out_of_range)
}

/// `timestamp - timestamp`: days and time.
pub fn timestamp_diff(a: i64, b: i64) -> Result<Interval, SqlError> {
    if !is_finite_ts(a) || !is_finite_ts(b) {
        return match (a, b) {
            (TS_INFINITY, TS_INFINITY) | (TS_NEG_INFINITY, TS_NEG_INFINITY) => Err(interval_out_of_range()),
            (TS_INFINITY, _) | (_, TS_NEG_INFINITY) => Ok(Interval::INFINITY),
            _ => Ok(Interval::NEG_INFINITY),
        };
    }
    let us = a.checked_sub(b).ok_or_else(interval_out_of_range)?;
    Interval::new(0, 0, us).justify_hours()
}

/// `age(a, b)`: the difference in years, months, days and time, symbolically as people count. The fields are local ones.
pub fn age(a: i64, b: i64) -> Result<Interval, SqlError> {
    if !is_finite_ts(a) || !is_finite_ts(b) {
        return timestamp_diff(a, b);
    }
    let (fa, fb) = (Fields::of(a), Fields::of(b));
    let negative = a < b;
    let s = if negative { -1 } else { 1 };
    let mut us = s * (fa.us - fb.us);
    let mut second = s * (fa.second - fb.second);
    let mut minute = s * (fa.minute - fb.minute);
    let mut hour = s * (fa.hour - fb.hour);
    let mut day = s * (fa.day - fb.day);
    let mut month = s * (fa.month - fb.month);
    let mut year = s * (fa.year - fb.year);
    let borrow = |low: &mut i64, high: &mut i64, unit: i64| {
        while *low < 0 {
            *low += unit;
            *high -= 1;
        }
    };
    borrow(&mut us, &mut second, US_PER_SECOND);
    borrow(&mut second, &mut minute, 60);
    borrow(&mut minute, &mut hour, 60);
    borrow(&mut hour, &mut day, 24);
    while day < 0 {
        // Days are borrowed from the month that the earlier date is in.
        let earlier = if negative { &fa } else { &fb };
        day += days_in_month(earlier.year, earlier.month);
        month -= 1;
    }
    borrow(&mut month, &mut year, 12);
    let time = ((hour * 60 + minute) * 60 + second) * US_PER_SECOND + us;
    Ok(Interval::new(checked_i32(s * (year * 12 + month))?, checked_i32(s * day)?, s * time))
}
