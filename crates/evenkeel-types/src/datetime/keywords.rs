//! The words of date, time and interval input.

/// What a word in a date or timestamp means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// `am`, `pm`
    AmPm {
        pm: bool,
    },
    /// `ad`, `bc`
    Era {
        bc: bool,
    },
    /// A month, 1 to 12.
    Month(i64),
    /// A day of the week: accepted and ignored.
    Weekday,
    /// `at`, `on`
    Ignore,
    /// `dst`: an hour more.
    DstModifier,
    /// `allballs`: midnight UTC.
    AllBalls,
    Now,
    Today,
    Tomorrow,
    Yesterday,
    Epoch,
    Infinity,
    NegInfinity,
    /// `j`, `jd`, `julian`: a Julian day follows.
    Julian,
    /// `t`: a time follows.
    IsoTime,
    /// A word of intervals that has no meaning here.
    OtherUnit,
}

/// Meaning of a lower-case word; `None` may still be the name of a zone, or the abbreviation of one.
pub fn word(w: &str) -> Option<Word> {
    Some(match w {
        "am" => Word::AmPm { pm: false },
        "pm" => Word::AmPm { pm: true },
        "ad" => Word::Era { bc: false },
        "bc" => Word::Era { bc: true },
        "at" | "on" => Word::Ignore,
        "dst" => Word::DstModifier,
        "allballs" => Word::AllBalls,
        "now" => Word::Now,
        "today" => Word::Today,
        "tomorrow" => Word::Tomorrow,
        "yesterday" => Word::Yesterday,
        "epoch" => Word::Epoch,
        "infinity" | "+infinity" => Word::Infinity,
        "-infinity" => Word::NegInfinity,
        "j" | "jd" | "julian" => Word::Julian,
        "t" => Word::IsoTime,
        "d" | "h" | "m" | "mm" | "s" | "y" | "dow" | "doy" | "isodow" | "isoyear" => Word::OtherUnit,
        _ => {
            if let Some(m) = month(w) {
                return Some(Word::Month(m));
            }
            if is_weekday(w) {
                return Some(Word::Weekday);
            }
            return None;
        }
    })
}

/// Number of a month by its English name or abbreviation.
pub fn month(w: &str) -> Option<i64> {
    Some(match w {
        "jan" | "january" => 1,
        "feb" | "february" => 2,
        "mar" | "march" => 3,
        "apr" | "april" => 4,
        "may" => 5,
        "jun" | "june" => 6,
        "jul" | "july" => 7,
        "aug" | "august" => 8,
        "sep" | "sept" | "september" => 9,
        "oct" | "october" => 10,
        "nov" | "november" => 11,
        "dec" | "december" => 12,
        _ => return None,
    })
}

fn is_weekday(w: &str) -> bool {
    matches!(
        w,
        "sun"
            | "sunday"
            | "mon"
            | "monday"
            | "tue"
            | "tues"
            | "tuesday"
            | "wed"
            | "weds"
            | "wednesday"
            | "thu"
            | "thur"
            | "thurs"
            | "thursday"
            | "fri"
            | "friday"
            | "sat"
            | "saturday"
    )
}

/// A unit of time: of intervals, of `extract` and of `date_trunc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Dow,
    IsoDow,
    Doy,
    IsoYear,
    Julian,
    Epoch,
    Timezone,
    TimezoneHour,
    TimezoneMinute,
}

/// What counts of a unit's name.
const UNIT_BYTES_MAX: usize = 10;

/// A unit by any of PostgreSQL's names for it, lower case.
pub fn unit(w: &str) -> Option<Unit> {
    Some(match w.get(..UNIT_BYTES_MAX).unwrap_or(w) {
        "us" | "usec" | "usecs" | "useconds" | "usecond" | "microsecon" => Unit::Microsecond,
        "ms" | "msec" | "msecs" | "mseconds" | "msecond" | "millisecon" => Unit::Millisecond,
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
        "d" | "day" | "days" => Unit::Day,
        "w" | "week" | "weeks" => Unit::Week,
        "mon" | "mons" | "month" | "months" => Unit::Month,
        "qtr" | "quarter" | "quarters" => Unit::Quarter,
        "y" | "yr" | "yrs" | "year" | "years" => Unit::Year,
        "dec" | "decs" | "decade" | "decades" => Unit::Decade,
        "c" | "cent" | "century" | "centuries" => Unit::Century,
        "mil" | "mils" | "millennium" | "millennia" => Unit::Millennium,
        "dow" => Unit::Dow,
        "isodow" => Unit::IsoDow,
        "doy" => Unit::Doy,
        "isoyear" => Unit::IsoYear,
        "j" | "jd" | "julian" => Unit::Julian,
        "epoch" => Unit::Epoch,
        "timezone" => Unit::Timezone,
        "timezone_h" => Unit::TimezoneHour,
        "timezone_m" => Unit::TimezoneMinute,
        _ => return None,
    })
}
