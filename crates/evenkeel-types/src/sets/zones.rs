//! Functions that return time zones and their abbreviations.
//!
//! Must not know: how moments are read and shown.

use super::{Rows, SetFn, set};
use crate::datetime::abbreviation::{self, Shown};
use crate::datetime::calendar::US_PER_SECOND;
use crate::datetime::zone;
use crate::datum::{Datum, Interval};
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type as T;
use jiff::tz::TimeZone;

fn offset(seconds: i64) -> Datum {
    Datum::Interval(Interval { us: seconds * US_PER_SECOND, ..Interval::default() })
}

/// A row of `pg_timezone_abbrevs`.
fn abbreviation((name, seconds, is_dst): Shown) -> [Datum; 3] {
    [Datum::text(name), offset(seconds), Datum::Bool(is_dst)]
}

/// The rows of `pg_timezone_abbrevs` for the session's zone at an instant.
pub fn timezone_abbreviations(session: &TimeZone, us: i64) -> Vec<[Datum; 3]> {
    abbreviation::shown(session, us).into_iter().map(abbreviation).collect()
}

/// The rows of `pg_timezone_names` at an instant.
pub fn timezone_names(us: i64) -> Vec<[Datum; 4]> {
    let row = |(name, tz): (String, TimeZone)| {
        let (seconds, is_dst) = (zone::offset_at(&tz, us), zone::is_dst_at(&tz, us));
        [Datum::text(name), Datum::text(zone::abbreviation_at(&tz, us)), offset(seconds), Datum::Bool(is_dst)]
    };
    zone::zones().into_iter().map(row).collect()
}

fn names(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    timezone_names(ctx.txn_timestamp).into_iter().try_for_each(|row| out.push(row))
}

fn of_zone(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let all = abbreviation::of_zone(&ctx.format.timezone, ctx.txn_timestamp);
    all.into_iter().try_for_each(|a| out.push(abbreviation(a)))
}

fn known(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    abbreviation::known(ctx.txn_timestamp).into_iter().try_for_each(|a| out.push(abbreviation(a)))
}

const ABBREVIATION: &[(&str, T)] = &[("abbrev", T::Text), ("utc_offset", T::Interval), ("is_dst", T::Bool)];

pub(super) static TABLE: &[SetFn] = &[
    set("pg_timezone_abbrevs_zone", &[], ABBREVIATION, of_zone),
    set("pg_timezone_abbrevs_abbrevs", &[], ABBREVIATION, known),
    set(
        "pg_timezone_names",
        &[],
        &[("name", T::Text), ("abbrev", T::Text), ("utc_offset", T::Interval), ("is_dst", T::Bool)],
        names,
    ),
];
