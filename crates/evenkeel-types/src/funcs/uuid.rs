//! Functions that make uuids and take them apart.

use super::{Eval, f, volatile};
use crate::datetime::interval::timestamptz_add;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;
use crate::uuid;
use std::sync::atomic::{AtomicU64, Ordering};

/// Microseconds from 1970-01-01 to 2000-01-01.
const US_TO_2000: i64 = 946_684_800_000_000;

fn random<const N: usize>() -> Result<[u8; N], SqlError> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(e) => {
            Err(SqlError::new(SqlState::INTERNAL_ERROR, format!("could not generate random values: {e}")))
        }
    }
}

fn version_4(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid(uuid::with_version(random()?, 4)))
}

/// Nanoseconds since 1970. Each call gives more than the one before by what the fraction of a uuid of version 7 can tell apart.
fn ascending_ns() -> u64 {
    const STEP_NS: u64 = 1_000_000 / (1 << 12) + 1;
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = evenkeel::base::clock::wall_ns();
    let next = |last: u64| now.max(last + STEP_NS);
    LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last))).map_or(now, next)
}

fn version_7(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let ns = ascending_ns();
    Ok(Datum::Uuid(uuid::version_7(ns / 1_000_000, (ns % 1_000_000) as u32, random()?)))
}

/// As of a time that lies so far from now.
fn version_7_shifted(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Datum::Interval(by) = &a[0] else { return Err(SqlError::internal("an interval was expected")) };
    let ns = ascending_ns();
    let now = (ns / 1000) as i64 - US_TO_2000;
    let us = timestamptz_add(now, by, &ctx.format.timezone)?.wrapping_add(US_TO_2000);
    let within_ms = us.wrapping_rem(1000) * 1000 + (ns % 1000) as i64;
    Ok(Datum::Uuid(uuid::version_7(us.wrapping_div(1000) as u64, within_ms as u32, random()?)))
}

fn of(a: &[Datum]) -> Result<&[u8; 16], SqlError> {
    match &a[0] {
        Datum::Uuid(v) => Ok(v),
        _ => Err(SqlError::internal("a uuid was expected")),
    }
}

fn extract_version(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(uuid::version(of(a)?).map_or(Datum::Null, |v| Datum::Int2(i16::from(v))))
}

fn extract_timestamp(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(uuid::timestamp_us(of(a)?).map_or(Datum::Null, Datum::Timestamptz))
}

pub(super) const TABLE: &[ScalarFn] = &[
    volatile("gen_random_uuid", &[], T::Uuid, version_4),
    volatile("uuidv4", &[], T::Uuid, version_4),
    volatile("uuidv7", &[], T::Uuid, version_7),
    volatile("uuidv7", &[T::Interval], T::Uuid, version_7_shifted),
    f("uuid_extract_version", &[T::Uuid], T::Int2, extract_version),
    f("uuid_extract_timestamp", &[T::Uuid], T::Timestamptz, extract_timestamp),
];
