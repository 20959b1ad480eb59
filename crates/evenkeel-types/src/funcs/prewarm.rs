//! `pg_prewarm`.
//!
//! Must not know: how blocks come into the buffers.

use super::{Eval, lenient, oid_arg, volatile};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

/// The modes are PostgreSQL's; whichever is asked for, blocks come into the buffers: the system's cache has no part in it here.
fn pg_prewarm(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let invalid = |why: &str| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    let null =
        |what: &str| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("{what} cannot be null")));
    if a[0].is_null() {
        return null("relation");
    }
    match a.get(1).map(Datum::as_str) {
        None | Some(Some("prefetch" | "read" | "buffer")) => {}
        Some(None) => return null("prewarm type"),
        Some(_) => {
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "invalid prewarm type")
                .with_hint("Valid prewarm types are \"prefetch\", \"read\", and \"buffer\"."));
        }
    }
    match a.get(2).map(Datum::as_str) {
        None | Some(Some("main")) => {}
        Some(None) => return null("relation fork"),
        Some(_) => return invalid("fork \"main\" is the only one that relations have"),
    }
    let block = |n: usize| if let Some(Datum::Int8(b)) = a.get(n) { Some(*b) } else { None };
    let oid = oid_arg(a, 0);
    match ctx.env.prewarm(oid, block(3), block(4))? {
        Some(blocks) => Ok(Datum::Int8(blocks)),
        None => {
            let name = ctx.env.reg_name(T::Regclass, oid).unwrap_or_else(|| oid.to_string());
            let why = format!("relation \"{name}\" does not have storage");
            Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why))
        }
    }
}

const ARGS: &[T] = &[T::Regclass, T::Text, T::Text, T::Int8, T::Int8];

/// The last four have defaults.
pub(super) static TABLE: &[ScalarFn] = &[
    lenient(volatile("pg_prewarm", &[T::Regclass], T::Int8, pg_prewarm)),
    lenient(volatile("pg_prewarm", &[T::Regclass, T::Text], T::Int8, pg_prewarm)),
    lenient(volatile("pg_prewarm", &[T::Regclass, T::Text, T::Text], T::Int8, pg_prewarm)),
    lenient(volatile("pg_prewarm", &[T::Regclass, T::Text, T::Text, T::Int8], T::Int8, pg_prewarm)),
    lenient(volatile("pg_prewarm", ARGS, T::Int8, pg_prewarm)),
];
