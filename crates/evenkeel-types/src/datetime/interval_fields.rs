//! `interval day to second(3)`: what an interval's modifier says, and what becomes of a value that is stored so.
//!
//! Must not know: how intervals are written.

use super::calendar::{US_PER_HOUR, US_PER_MINUTE};
use super::keywords::Unit;
use crate::datum::Interval;
use crate::error::SqlError;
use crate::ty::{Type, typmod_fraction_digits};

/// The fields that an interval is declared with, as in PostgreSQL's modifiers: a bit each. `interval day to second` has four of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntervalFields(i32);

impl IntervalFields {
    /// All: nothing is declared.
    pub const ALL: IntervalFields = IntervalFields(0x7fff);
    const MONTH: i32 = 1 << 1;
    const YEAR: i32 = 1 << 2;
    const DAY: i32 = 1 << 3;
    const HOUR: i32 = 1 << 10;
    const MINUTE: i32 = 1 << 11;
    const SECOND: i32 = 1 << 12;
    const NAMED: [(&str, i32); 6] = [
        ("year", IntervalFields::YEAR),
        ("month", IntervalFields::MONTH),
        ("day", IntervalFields::DAY),
        ("hour", IntervalFields::HOUR),
        ("minute", IntervalFields::MINUTE),
        ("second", IntervalFields::SECOND),
    ];

    /// From one field to a smaller one; `None`: no such interval can be declared.
    pub fn named(first: &str, last: Option<&str>) -> Option<IntervalFields> {
        let place = |name: &str| IntervalFields::NAMED.iter().position(|(n, _)| n.eq_ignore_ascii_case(name));
        let from = place(first)?;
        let to = last.map_or(Some(from), place)?;
        // Years and months do not mix with what has no fixed length in them.
        let is_one_kind = (from <= 1) == (to <= 1);
        let is_range = last.is_none() || from < to;
        (is_one_kind && is_range).then(|| {
            IntervalFields(IntervalFields::NAMED[from..=to].iter().fold(0, |all, (_, bit)| all | bit))
        })
    }

    /// Those of a modifier.
    pub fn of_typmod(typmod: i32) -> IntervalFields {
        if typmod < 0 { IntervalFields::ALL } else { IntervalFields((typmod >> 16) & 0x7fff) }
    }

    /// The modifier with these, and so many digits of a second.
    pub fn typmod(self, digits: Option<u32>) -> i32 {
        match digits {
            None if self == IntervalFields::ALL => -1,
            None => self.0 << 16 | 0xffff,
            Some(digits) => self.0 << 16 | digits as i32,
        }
    }

    /// As they are declared: ` day to second`; empty if all.
    pub fn declared(self) -> String {
        let mut given = IntervalFields::NAMED.iter().filter(|(_, bit)| self.0 & bit != 0);
        match (self == IntervalFields::ALL, given.next(), given.next_back()) {
            (false, Some((first, _)), Some((last, _))) => format!(" {first} to {last}"),
            (false, Some((only, _)), None) => format!(" {only}"),
            _ => String::new(),
        }
    }

    /// Whether seconds are the last.
    pub fn has_seconds(self) -> bool {
        self.0 & IntervalFields::SECOND != 0
    }

    /// Of `1:02` the minutes and seconds are meant, and not hours.
    pub fn is_minute_to_second(self) -> bool {
        self.0 == IntervalFields::MINUTE | IntervalFields::SECOND
    }

    /// The unit of a number that has none.
    pub fn last(self) -> Unit {
        match self.0 {
            bits if bits == IntervalFields::ALL.0 || bits & IntervalFields::SECOND != 0 => Unit::Second,
            bits if bits & IntervalFields::MINUTE != 0 => Unit::Minute,
            bits if bits & IntervalFields::HOUR != 0 => Unit::Hour,
            bits if bits & IntervalFields::DAY != 0 => Unit::Day,
            bits if bits & IntervalFields::MONTH != 0 => Unit::Month,
            _ => Unit::Year,
        }
    }
}

impl Interval {
    /// Fitted to a modifier: what is smaller than its last field goes, and seconds are rounded.
    pub fn adjusted(&self, typmod: i32) -> Result<Interval, SqlError> {
        if typmod < 0 || !self.is_finite() {
            return Ok(*self);
        }
        let Interval { months, days, us } = *self;
        let whole = |unit: i64| Interval { months, days, us: us / unit * unit };
        let cut = match IntervalFields::of_typmod(typmod).last() {
            Unit::Year => Interval { months: months / 12 * 12, days: 0, us: 0 },
            Unit::Month => Interval { months, days: 0, us: 0 },
            Unit::Day => Interval { months, days, us: 0 },
            Unit::Hour => whole(US_PER_HOUR),
            Unit::Minute => whole(US_PER_MINUTE),
            _ => *self,
        };
        match typmod_fraction_digits(Type::Interval, typmod) {
            Some(digits) => cut.round_fraction(digits),
            None => Ok(cut),
        }
    }
}
