//! Times on the command line, and as they are shown.
//!
//! It must not know what they are for.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Milliseconds since the Unix epoch: RFC 3339 and the forms that PostgreSQL's people write; without a zone, local time.
pub(crate) fn time_ms(text: &str) -> Result<u64, String> {
    let at = parse(text.trim()).ok_or(
        "expected a time such as '2026-11-21 16:00:00', '2026-11-21 16:00:00.250+01', '2026-11-21 16:00:00 Europe/Berlin' or 2026-11-21T15:00:00Z",
    )?;
    u64::try_from(at.as_millisecond()).map_err(|_| "the time lies before 1970".into())
}

fn parse(text: &str) -> Option<Timestamp> {
    // The name of a zone behind it is read over by the others.
    if text.contains('[') {
        return text.parse::<Zoned>().ok().map(|at| at.timestamp());
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let civil = |text: &str, zone: TimeZone| {
        // A time that only a zone's offset makes exact; without one this is a date, and a time of day or midnight.
        let at: DateTime = text.parse().ok()?;
        Some(at.to_zoned(zone).ok()?.timestamp())
    };
    if let Some(at) = civil(text, TimeZone::system()) {
        return Some(at);
    }
    let (time, zone) = text.rsplit_once(' ')?;
    if zone.starts_with(['+', '-']) {
        return format!("{time}{zone}").parse().ok();
    }
    let zone = if zone.eq_ignore_ascii_case("utc") { TimeZone::UTC } else { TimeZone::get(zone).ok()? };
    civil(time, zone)
}

/// A time as people here read it, with its offset.
pub(crate) fn local(ms: u64) -> String {
    let at = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.map_or_else(
        || format!("{ms} ms"),
        |at| at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S%.3f%:z").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_a_zone_are_exact() {
        assert_eq!(time_ms("1970-01-01T00:00:01.5Z"), Ok(1500));
        assert_eq!(time_ms("1970-01-01T01:00:00+01"), Ok(0));
        assert_eq!(time_ms("1970-01-01 01:00:00+01:00"), Ok(0));
        assert_eq!(time_ms("1970-01-01 01:00:00 +01"), Ok(0));
        assert_eq!(time_ms("1970-01-01 00:00:02 UTC"), Ok(2000));
        assert_eq!(time_ms("2026-07-01 02:00:00 Europe/Berlin"), time_ms("2026-07-01T00:00:00Z"));
        assert_eq!(time_ms("2026-07-01 02:00:00[Europe/Berlin]"), time_ms("2026-07-01T00:00:00Z"));
        assert!(time_ms("2026-07-01 02:00:00+05[Europe/Berlin]").is_err());
        assert!(time_ms("1969-12-31T00:00:00Z").is_err());
        for wrong in ["yesterday", "", "2026-13-01", "2026-11-21 16:00:00 Nowhere/AtAll"] {
            assert!(time_ms(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_without_a_zone_are_local() {
        assert!(time_ms("2026-11-21 16:00:00").is_ok());
        assert_eq!(time_ms("2026-11-21"), time_ms("2026-11-21T00:00:00"));
    }

    #[test]
    fn what_is_shown_reads_back() {
        assert_eq!(time_ms(&local(1_763_740_800_123)), Ok(1_763_740_800_123));
    }
}
