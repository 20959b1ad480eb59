//! The proleptic Gregorian calendar, and the split of a timestamp into its fields.
//!
//! Invariants:
//! 1. `days_from_civil` and `civil_from_days` are inverse over the whole range of `date`.
//! 2. `Fields` years are astronomical: 0 is 1 BC.

/// Microseconds of a second.
pub const US_PER_SECOND: i64 = 1_000_000;
/// Microseconds of a minute.
pub const US_PER_MINUTE: i64 = 60 * US_PER_SECOND;
/// Microseconds of an hour.
pub const US_PER_HOUR: i64 = 60 * US_PER_MINUTE;
/// Microseconds of a day of 24 hours.
pub const US_PER_DAY: i64 = 24 * US_PER_HOUR;

/// `date` infinity.
pub const DATE_INFINITY: i32 = i32::MAX;
/// `date` -infinity.
pub const DATE_NEG_INFINITY: i32 = i32::MIN;
/// `timestamp` infinity.
pub const TS_INFINITY: i64 = i64::MAX;
/// `timestamp` -infinity.
pub const TS_NEG_INFINITY: i64 = i64::MIN;

/// First finite timestamp: 4714-11-24 00:00 BC.
pub const MIN_TIMESTAMP: i64 = -211_813_488_000_000_000;
/// First instant after the last finite timestamp: 294277-01-01 00:00.
pub const END_TIMESTAMP: i64 = 9_223_371_331_200_000_000;
/// First finite date: 4714-11-24 BC, Julian day 0.
pub const MIN_DATE: i64 = -2_451_545;
/// Day after the last finite date: 5874898-01-01.
pub const END_DATE: i64 = 2_145_031_949;

/// Julian day of 2000-01-01.
pub const EPOCH_JULIAN: i64 = 2_451_545;
/// Days from 1970-01-01 to 2000-01-01.
pub const UNIX_EPOCH_DAYS: i64 = -10_957;
/// 1970-01-01 00:00 in microseconds.
pub const UNIX_EPOCH_US: i64 = UNIX_EPOCH_DAYS * US_PER_DAY;

/// A point in local time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Astronomical year.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 24.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 60.
    pub second: i64,
    /// 0 to 999999 (1000000 only just after parsing).
    pub us: i64,
}

/// Whether a date is not infinite.
#[inline]
pub fn is_finite_date(d: i32) -> bool {
    d != DATE_INFINITY && d != DATE_NEG_INFINITY
}

/// Whether a timestamp is not infinite.
#[inline]
pub fn is_finite_ts(t: i64) -> bool {
    t != TS_INFINITY && t != TS_NEG_INFINITY
}

/// Days since 2000-01-01 of a civil date; month 1..=12, any day number.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years run from March, so that the leap day is the last of its year; eras are 400 years of 146097 days.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 730_425
}

/// Year, month and day of a number of days since 2000-01-01.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 730_425;
    let era = z.div_euclid(146_097);
    let day_of_era = z - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let mp = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Days of a month.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether an astronomical year has a 29 February.
pub fn is_leap_year(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

/// Day of the week of a number of days since 2000-01-01: 0 is Sunday.
pub fn day_of_week(days: i64) -> i64 {
    (days + 6).rem_euclid(7)
}

/// Day of the year, from 1.
pub fn day_of_year(f: &Fields) -> i64 {
    days_from_civil(f.year, f.month, f.day) - days_from_civil(f.year, 1, 1) + 1
}

/// ISO 8601 year (astronomical) and week of a number of days since 2000-01-01.
pub fn iso_week(days: i64) -> (i64, i64) {
    // The week belongs to the year that its Thursday is in.
    let thursday = days - (day_of_week(days) + 6) % 7 + 3;
    let (year, _, _) = civil_from_days(thursday);
    let week = (thursday - days_from_civil(year, 1, 1)) / 7 + 1;
    (year, week)
}

/// First day (a Monday) of an ISO week, in days since 2000-01-01.
pub fn iso_week_start(year: i64, week: i64) -> i64 {
    let fourth = days_from_civil(year, 1, 4);
    fourth - (day_of_week(fourth) + 6) % 7 + (week - 1) * 7
}

impl Fields {
    /// The fields of a finite timestamp.
    pub fn of(us: i64) -> Fields {
        let days = us.div_euclid(US_PER_DAY);
        let mut f = Fields::of_days(days);
        f.set_time(us.rem_euclid(US_PER_DAY));
        f
    }

    /// Midnight of a day.
    pub fn of_days(days: i64) -> Fields {
        let (year, month, day) = civil_from_days(days);
        Fields { year, month, day, ..Fields::default() }
    }

    /// Sets the time of day from microseconds since midnight.
    pub fn set_time(&mut self, us: i64) {
        self.hour = us / US_PER_HOUR;
        self.minute = us / US_PER_MINUTE % 60;
        self.second = us / US_PER_SECOND % 60;
        self.us = us % US_PER_SECOND;
    }

    /// Days since 2000-01-01.
    pub fn days(&self) -> i64 {
        days_from_civil(self.year, self.month, self.day)
    }

    /// Microseconds since midnight.
    pub fn time_us(&self) -> i64 {
        ((self.hour * 60 + self.minute) * 60 + self.second) * US_PER_SECOND + self.us
    }

    /// The timestamp, or `None` outside the range of `timestamp`.
    pub fn timestamp(&self) -> Option<i64> {
        let us = self.days().checked_mul(US_PER_DAY)?.checked_add(self.time_us())?;
        in_timestamp_range(us).then_some(us)
    }
}

/// Whether a number of microseconds is a finite timestamp.
pub fn in_timestamp_range(us: i64) -> bool {
    (MIN_TIMESTAMP..END_TIMESTAMP).contains(&us)
}

/// Whether a number of days is a finite date.
pub fn in_date_range(days: i64) -> bool {
    (MIN_DATE..END_DATE).contains(&days)
}

/// The wall clock, in microseconds since 2000-01-01 UTC.
pub fn wall_clock_us() -> i64 {
    evenkeel::base::clock::wall_us() as i64 + UNIX_EPOCH_US
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_dates_and_day_numbers_are_inverse() {
        for days in (MIN_DATE..END_DATE).step_by(99_991) {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days); // invariant 1
            assert!((1..=12).contains(&m) && d >= 1 && d <= days_in_month(y, m));
        }
    }

    #[test]
    fn known_days() {
        assert_eq!(days_from_civil(2000, 1, 1), 0);
        assert_eq!(days_from_civil(1970, 1, 1), UNIX_EPOCH_DAYS);
        assert_eq!(days_from_civil(-4713, 11, 24), MIN_DATE);
        assert_eq!(days_from_civil(5_874_898, 1, 1), END_DATE);
        assert_eq!(day_of_week(0), 6); // a Saturday
        assert_eq!(iso_week(days_from_civil(2021, 1, 3)), (2020, 53));
        assert_eq!(civil_from_days(iso_week_start(2020, 53)), (2020, 12, 28));
    }
}
