//! Text of intervals: `1 day 02:00:00`, `P1DT2H`, `1-2 3 4:05:06`, in and out.

use super::calendar::{US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND};
use super::interval::DAYS_PER_MONTH;
use super::interval_fields::IntervalFields;
use super::interval_iso::iso8601;
use super::keywords::{self, Unit, Word};
use super::lexer::{Kind, tokens};
use super::output::{fraction, pad};
use super::parse::{Bad, split_time};
use crate::datum::Interval;
use crate::error::{SqlError, SqlState};
use crate::format::{FormatOptions, IntervalStyle};

fn error(bad: Bad, input: &str) -> SqlError {
    match bad {
        Bad::Total => super::interval_out_of_range(),
        Bad::Range | Bad::DayMonthRange => SqlError::new(
            SqlState::INTERVAL_FIELD_OVERFLOW,
            format!("interval field value out of range: \"{input}\""),
        ),
        _ => SqlError::new(
            SqlState::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type interval: \"{input}\""),
        ),
    }
}

/// Microseconds rounded to the nearest, halves towards zero.
fn whole_us(us: f64) -> i128 {
    let whole = us.trunc();
    let up = if (us - whole).abs() > 0.5 { us.signum() } else { 0.0 };
    (whole + up) as i128
}

/// The parts of an interval while it is read, wide enough that only the end needs a range check.
#[derive(Default)]
pub(super) struct Parts {
    /// Months that came from whole years and longer units.
    year_months: i128,
    months: i128,
    days: i128,
    us: i128,
}

impl Parts {
    /// Adds `whole + part` of a unit; fractions go down to smaller units.
    pub(super) fn add(&mut self, unit: Unit, whole: i64, part: f64) -> Result<(), Bad> {
        let w = i128::from(whole);
        let add_days = |p: &mut Parts, days: f64| {
            let whole_days = days.trunc();
            p.days += whole_days as i128;
            p.us += whole_us((days - whole_days) * US_PER_DAY as f64);
        };
        let time = |p: &mut Parts, unit_us: i64| {
            p.us += w * i128::from(unit_us) + whole_us(part * unit_us as f64);
        };
        let months = |p: &mut Parts, unit_months: i64| {
            p.year_months += w * i128::from(unit_months);
            p.months += (part * unit_months as f64).round_ties_even() as i128;
        };
        match unit {
            Unit::Microsecond => time(self, 1),
            Unit::Millisecond => time(self, 1000),
            Unit::Second => time(self, US_PER_SECOND),
            Unit::Minute => time(self, US_PER_MINUTE),
            Unit::Hour => time(self, US_PER_HOUR),
            Unit::Day => {
                self.days += w;
                add_days(self, part);
            }
            Unit::Week => {
                self.days += w * 7;
                add_days(self, part * 7.0);
            }
            Unit::Month => {
                self.months += w;
                add_days(self, part * DAYS_PER_MONTH as f64);
            }
            Unit::Year => months(self, 12),
            Unit::Decade => months(self, 120),
            Unit::Century => months(self, 1200),
            Unit::Millennium => months(self, 12_000),
            _ => return Err(Bad::Format),
        }
        self.check()
    }

    /// Refuses a field as soon as it is out of range, as whatever follows is not looked at then.
    fn check(&self) -> Result<(), Bad> {
        let fits = i32::try_from(self.months).is_ok()
            && i32::try_from(self.year_months / 12).is_ok()
            && i32::try_from(self.days).is_ok()
            && i64::try_from(self.us).is_ok();
        if fits { Ok(()) } else { Err(Bad::Range) }
    }

    pub(super) fn finish(&self, negate: bool) -> Result<Interval, Bad> {
        let s = if negate { -1 } else { 1 };
        let months = i32::try_from(s * self.months).map_err(|_| Bad::Range)?;
        let days = i32::try_from(s * self.days).map_err(|_| Bad::Range)?;
        let us = i64::try_from(s * self.us).map_err(|_| Bad::Range)?;
        i32::try_from(s * self.year_months / 12).map_err(|_| Bad::Range)?;
        // Each field fits, but the years may not as months.
        let months = i128::from(months) + s * self.year_months;
        let months = i32::try_from(months).map_err(|_| Bad::Total)?;
        Ok(Interval::new(months, days, us))
    }
}

/// Reads an interval in PostgreSQL's, SQL's or ISO 8601's form.
pub fn parse_interval(s: &str, fields: IntervalFields, o: &FormatOptions) -> Result<Interval, SqlError> {
    match words(s, fields, o) {
        Err(Bad::Format) => iso8601(s),
        other => other,
    }
    .map_err(|b| error(b, s))
}

fn words(input: &str, fields: IntervalFields, o: &FormatOptions) -> Result<Interval, Bad> {
    let tokens = tokens(input).ok_or(Bad::Format)?;
    let mut parts = Parts::default();
    let mut seen: Vec<Unit> = Vec::new();
    // Units stand after their numbers, so the tokens are read backwards.
    let mut unit: Option<Unit> = None;
    let mut unit_pending = false;
    let mut ago = false;
    let mut infinite = None;
    let sql_sign = o.intervalstyle == IntervalStyle::SqlStandard
        && tokens.first().is_some_and(|t| t.kind == Kind::Signed && t.text.starts_with('-'))
        && tokens.iter().skip(1).all(|t| !matches!(t.kind, Kind::Signed));
    let mut take = |u: Unit| -> Result<(), Bad> {
        if seen.contains(&u) {
            return Err(Bad::Format);
        }
        seen.push(u);
        Ok(())
    };
    for (i, token) in tokens.iter().enumerate().rev() {
        let text = token.text.as_str();
        let negative = text.starts_with('-') || (sql_sign && i > 0 && token.kind != Kind::Text);
        let body = text.trim_start_matches(['+', '-']);
        match token.kind {
            Kind::Time | Kind::Signed if body.contains(':') => {
                let (h, m, sec, us) = match split_time(body, fields.is_minute_to_second()) {
                    // With a sign it might have been a number, so what is no time is no range error either.
                    Err(_) if token.kind == Kind::Signed => return Err(Bad::Format),
                    other => other?,
                };
                let total = (i128::from(h) * 3600 + i128::from(m) * 60 + i128::from(sec)) * 1_000_000
                    + i128::from(us);
                // A time replaces what fractions of larger units have left so far.
                parts.us = if negative { -total } else { total };
                parts.check()?;
                for u in [Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond, Unit::Microsecond] {
                    take(u)?;
                }
                unit = Some(Unit::Day);
                unit_pending = false;
            }
            Kind::Number | Kind::Signed | Kind::Date => {
                unit_pending = false;
                let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let sign = if negative { -1 } else { 1 };
                let whole: i64 = match digits {
                    0 => 0,
                    _ => body[..digits]
                        .parse::<i128>()
                        .ok()
                        .and_then(|w| i64::try_from(sign * w).ok())
                        .ok_or(Bad::Range)?,
                };
                match body.as_bytes().get(digits) {
                    Some(b'-') => {
                        // years-months
                        let months = &body[digits + 1..];
                        if !months.bytes().all(|b| b.is_ascii_digit()) {
                            return Err(Bad::Format);
                        }
                        let months: i64 =
                            if months.is_empty() { 0 } else { months.parse().map_err(|_| Bad::Range)? };
                        if months >= 12 {
                            return Err(Bad::Range);
                        }
                        let total = whole.checked_mul(12);
                        let total =
                            total.and_then(|y| y.checked_add(if negative { -months } else { months }));
                        parts.add(Unit::Month, total.ok_or(Bad::Range)?, 0.0)?;
                        take(Unit::Month)?;
                        // What stands before would be a day count, as after a time.
                        unit = Some(Unit::Month);
                    }
                    next => {
                        let part = match next {
                            None => 0.0,
                            Some(b'.') if body[digits + 1..].bytes().all(|b| b.is_ascii_digit()) => {
                                if digits == 0 && body.len() == 1 {
                                    return Err(Bad::Format);
                                }
                                format!("0{}", &body[digits..]).parse::<f64>().map_err(|_| Bad::Format)?
                            }
                            _ => return Err(Bad::Format),
                        };
                        let u = unit.unwrap_or(fields.last());
                        parts.add(u, whole, if negative { -part } else { part })?;
                        take(u)?;
                        if u == Unit::Second && part != 0.0 {
                            // Seconds with a fraction say milliseconds and microseconds too.
                            take(Unit::Millisecond)?;
                            take(Unit::Microsecond)?;
                        }
                        if u == Unit::Hour {
                            // A number before hours counts days.
                            unit = Some(Unit::Day);
                        }
                    }
                }
            }
            Kind::Time => return Err(Bad::Format),
            Kind::Text | Kind::SignedText => {
                if unit_pending {
                    return Err(Bad::Format);
                }
                if text == "ago" {
                    if i + 1 != tokens.len() {
                        return Err(Bad::Format);
                    }
                    ago = true;
                    // No unit: a bare number before it means nothing.
                    unit = Some(Unit::Epoch);
                    continue;
                }
                // In an interval `m` is minutes and `mon` months; `at` and its like mean nothing.
                if let Some(u) = keywords::unit(text) {
                    unit = Some(u);
                    unit_pending = true;
                    continue;
                }
                match keywords::word(text) {
                    // "ago" does not turn these.
                    Some(Word::Infinity) if tokens.len() == 1 => {
                        infinite = Some(Interval::INFINITY);
                    }
                    Some(Word::NegInfinity) if tokens.len() == 1 => {
                        infinite = Some(Interval::NEG_INFINITY);
                    }
                    Some(Word::Ignore) => continue,
                    _ => return Err(Bad::Format),
                }
            }
        }
    }
    if let Some(i) = infinite {
        return Ok(i);
    }
    if seen.is_empty() || unit_pending {
        return Err(Bad::Format);
    }
    parts.finish(ago)
}

/// Appends an interval in the session's style.
pub fn write_interval(v: &Interval, o: &FormatOptions, out: &mut Vec<u8>) {
    if *v == Interval::INFINITY {
        return out.extend_from_slice(b"infinity");
    }
    if *v == Interval::NEG_INFINITY {
        return out.extend_from_slice(b"-infinity");
    }
    let p = Split::of(v);
    match o.intervalstyle {
        IntervalStyle::Postgres => p.postgres(out),
        IntervalStyle::PostgresVerbose => p.verbose(out),
        IntervalStyle::Iso8601 => p.iso(out),
        IntervalStyle::SqlStandard => p.sql(out),
    }
}

/// An interval by its units; each may have its own sign, those of the time share one.
pub(super) struct Split {
    pub years: i64,
    pub months: i64,
    pub days: i64,
    pub hours: i64,
    pub minutes: i64,
    pub seconds: i64,
    pub us: i64,
}

impl Split {
    pub(super) fn of(v: &Interval) -> Split {
        Split {
            years: i64::from(v.months / 12),
            months: i64::from(v.months % 12),
            days: i64::from(v.days),
            hours: v.us / US_PER_HOUR,
            minutes: v.us / US_PER_MINUTE % 60,
            seconds: v.us / US_PER_SECOND % 60,
            us: v.us % US_PER_SECOND,
        }
    }

    fn time_is_zero(&self) -> bool {
        self.hours == 0 && self.minutes == 0 && self.seconds == 0 && self.us == 0
    }

    fn time_is_negative(&self) -> bool {
        self.hours < 0 || self.minutes < 0 || self.seconds < 0 || self.us < 0
    }

    fn clock(&self, width: usize, out: &mut Vec<u8>) {
        pad(out, self.hours.abs(), width);
        out.push(b':');
        pad(out, self.minutes.abs(), 2);
        out.push(b':');
        pad(out, self.seconds.abs(), 2);
        fraction(out, self.us.abs());
    }

    fn postgres(&self, out: &mut Vec<u8>) {
        let mut first = true;
        let mut before_negative = false;
        for (v, name) in [(self.years, "year"), (self.months, "mon"), (self.days, "day")] {
            if v == 0 {
                continue;
            }
            let plural = if v == 1 { "" } else { "s" };
            // After a negative field a positive one shows its sign.
            let plus = if before_negative && v > 0 { "+" } else { "" };
            let space = if first { "" } else { " " };
            out.extend_from_slice(format!("{space}{plus}{v} {name}{plural}").as_bytes());
            first = false;
            before_negative = v < 0;
        }
        if first || !self.time_is_zero() {
            if !first {
                out.push(b' ');
            }
            if self.time_is_negative() {
                out.push(b'-');
            } else if before_negative {
                out.push(b'+');
            }
            self.clock(2, out);
        }
    }

    fn verbose(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"@");
        let mut first = true;
        // The sign of the first field is that of the whole, shown as "ago".
        let mut before = false;
        let units = [
            (self.years, "year"),
            (self.months, "mon"),
            (self.days, "day"),
            (self.hours, "hour"),
            (self.minutes, "min"),
        ];
        for (v, name) in units {
            if v == 0 {
                continue;
            }
            let shown = if first {
                before = v < 0;
                v.abs()
            } else if before {
                -v
            } else {
                v
            };
            out.extend_from_slice(format!(" {shown} {name}{}", if shown == 1 { "" } else { "s" }).as_bytes());
            first = false;
        }
        if self.seconds != 0 || self.us != 0 {
            let negative = self.seconds < 0 || self.us < 0;
            if first {
                before = negative;
                first = false;
                out.push(b' ');
            } else {
                out.push(b' ');
                if negative != before {
                    out.push(b'-');
                }
            }
            pad(out, self.seconds.abs(), 1);
            fraction(out, self.us.abs());
            let one = self.seconds.abs() == 1 && self.us == 0;
            out.extend_from_slice(if one { b" sec" } else { b" secs" });
        }
        if first {
            out.extend_from_slice(b" 0");
        }
        if before {
            out.extend_from_slice(b" ago");
        }
    }

    fn iso(&self, out: &mut Vec<u8>) {
        if self.years == 0 && self.months == 0 && self.days == 0 && self.time_is_zero() {
            return out.extend_from_slice(b"PT0S");
        }
        out.push(b'P');
        let field = |v: i64, designator: char, out: &mut Vec<u8>| {
            if v != 0 {
                out.extend_from_slice(format!("{v}{designator}").as_bytes());
            }
        };
        field(self.years, 'Y', out);
        field(self.months, 'M', out);
        field(self.days, 'D', out);
        if self.time_is_zero() {
            return;
        }
        out.push(b'T');
        field(self.hours, 'H', out);
        field(self.minutes, 'M', out);
        if self.seconds != 0 || self.us != 0 {
            if self.seconds < 0 || self.us < 0 {
                out.push(b'-');
            }
            pad(out, self.seconds.abs(), 1);
            fraction(out, self.us.abs());
            out.push(b'S');
        }
    }

    fn sql(&self, out: &mut Vec<u8>) {
        let fields = [self.years, self.months, self.days, self.hours, self.minutes, self.seconds, self.us];
        let negative = fields.iter().any(|v| *v < 0);
        let positive = fields.iter().any(|v| *v > 0);
        let year_month = self.years != 0 || self.months != 0;
        let day = self.days != 0;
        let time = !self.time_is_zero();
        let standard = !(negative && positive) && !(year_month && (day || time));
        if !negative && !positive {
            return out.push(b'0');
        }
        if standard {
            if negative {
                out.push(b'-');
            }
            if year_month {
                return out
                    .extend_from_slice(format!("{}-{}", self.years.abs(), self.months.abs()).as_bytes());
            }
            if day {
                out.extend_from_slice(format!("{} ", self.days.abs()).as_bytes());
            }
            return self.clock(1, out);
        }
        // Mixed signs or both year-month and day-time: every part gets its own sign.
        let sign = |v: bool| if v { '-' } else { '+' };
        let ym = sign(self.years < 0 || self.months < 0);
        let d = sign(self.days < 0);
        out.extend_from_slice(
            format!("{ym}{}-{} {d}{} ", self.years.abs(), self.months.abs(), self.days.abs()).as_bytes(),
        );
        out.push(sign(self.time_is_negative()) as u8);
        self.clock(1, out);
    }
}
