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
    /// A zone abbreviation: seconds east, and whether it is a daylight-saving one.
    Zone {
        offset: i64,
        dst: bool,
    },
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

/// Meaning of a lower-case word; `None` may still be the name of a zone.
pub fn word(w: &str) -> Option<Word> {
    match zone_abbreviation(w) {
        Some((offset, dst)) => Some(Word::Zone { offset, dst }),
        None => core_word(w),
    }
}

/// As [`word`], without the zone abbreviations.
pub fn core_word(w: &str) -> Option<Word> {
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

/// Offset in seconds east of a zone abbreviation of PostgreSQL's default set, and whether it is daylight-saving time.
pub fn zone_abbreviation(w: &str) -> Option<(i64, bool)> {
    const H: i64 = 3600;
    Some(match w {
        "z" | "zulu" | "utc" | "uct" | "ut" | "gmt" | "wet" => (0, false),
        "bst" | "west" => (H, true),
        "cet" | "met" | "mez" => (H, false),
        "cest" | "mest" | "mesz" | "cetdst" | "metdst" => (2 * H, true),
        "eet" | "ist" | "sast" => (2 * H, false),
        "eest" | "idt" | "eetdst" => (3 * H, true),
        "msk" | "eat" => (3 * H, false),
        "msd" => (4 * H, true),
        "pkt" => (5 * H, false),
        "npt" => (5 * H + 2700, false),
        "bdt" => (6 * H, false),
        "ict" => (7 * H, false),
        "hkt" | "pht" | "sgt" | "awst" => (8 * H, false),
        "jst" | "kst" => (9 * H, false),
        "acst" => (9 * H + 1800, false),
        "acdt" | "acsst" => (10 * H + 1800, true),
        "aest" | "chst" => (10 * H, false),
        "aedt" | "aesst" => (11 * H, true),
        "nzst" | "nzt" => (12 * H, false),
        "nzdt" => (13 * H, true),
        "art" => (-3 * H, false),
        "brt" => (-3 * H, false),
        "nst" => (-3 * H - 1800, false),
        "ndt" => (-2 * H - 1800, true),
        "ast" => (-4 * H, false),
        "adt" => (-3 * H, true),
        "est" => (-5 * H, false),
        "edt" => (-4 * H, true),
        "cst" => (-6 * H, false),
        "cdt" => (-5 * H, true),
        "mst" => (-7 * H, false),
        "mdt" => (-6 * H, true),
        "pst" => (-8 * H, false),
        "pdt" => (-7 * H, true),
        "akst" => (-9 * H, false),
        "akdt" => (-8 * H, true),
        "hst" | "ahst" => (-10 * H, false),
        _ => return None,
    })
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

/// A unit by any of PostgreSQL's names for it, lower case.
pub fn unit(w: &str) -> Option<Unit> {
    Some(match w {
        "us" | "usec" | "usecs" | "useconds" | "usecond" | "microsecond" | "microseconds" | "microsecon" => {
            Unit::Microsecond
        }
        "ms" | "msec" | "msecs" | "mseconds" | "msecond" | "millisecond" | "milliseconds" | "millisecon" => {
            Unit::Millisecond
        }
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
        "timezone_hour" | "timezone_h" => Unit::TimezoneHour,
        "timezone_minute" | "timezone_m" => Unit::TimezoneMinute,
        _ => return None,
    })
}
