//! Advisory locks: their functions, which differ in who keeps the lock, in its strength, and in whether they wait.
//!
//! Must not know: how locks are kept.

use super::{Eval, volatile};
use crate::datum::Datum;
use crate::function::{AdvisoryKey, AdvisoryMode, EvalCtx, ScalarFn};
use crate::ty::Type as T;

/// PostgreSQL's split of one big key, and of two small ones.
fn key(a: &[Datum]) -> AdvisoryKey {
    match a {
        [Datum::Int8(k), ..] => {
            AdvisoryKey { database: 0, class: (*k >> 32) as u32, object: *k as u32, part: 1 }
        }
        [Datum::Int4(class), Datum::Int4(object), ..] => {
            AdvisoryKey { database: 0, class: *class as u32, object: *object as u32, part: 2 }
        }
        _ => AdvisoryKey::default(),
    }
}

macro_rules! locks {
    ($($lock:ident $attempt:ident $shared:literal $of_transaction:literal;)*) => {
        $(fn $lock(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            let mode = AdvisoryMode { shared: $shared, of_transaction: $of_transaction };
            ctx.env.advisory_lock(key(a), mode, true)?;
            Ok(Datum::text(""))
        }
        fn $attempt(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
            let mode = AdvisoryMode { shared: $shared, of_transaction: $of_transaction };
            Ok(Datum::Bool(ctx.env.advisory_lock(key(a), mode, false)?))
        })*
    };
}

locks! {
    lock try_lock false false;
    lock_shared try_lock_shared true false;
    xact_lock try_xact_lock false true;
    xact_lock_shared try_xact_lock_shared true true;
}

fn unlock(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.advisory_unlock(key(a), false)))
}

fn unlock_shared(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(ctx.env.advisory_unlock(key(a), true)))
}

fn unlock_all(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.env.advisory_unlock_all();
    Ok(Datum::text(""))
}

const BIG: &[T] = &[T::Int8];
const TWO: &[T] = &[T::Int4, T::Int4];

pub(super) static TABLE: &[ScalarFn] = &[
    volatile("pg_advisory_lock", BIG, T::Void, lock),
    volatile("pg_advisory_lock", TWO, T::Void, lock),
    volatile("pg_advisory_lock_shared", BIG, T::Void, lock_shared),
    volatile("pg_advisory_lock_shared", TWO, T::Void, lock_shared),
    volatile("pg_advisory_xact_lock", BIG, T::Void, xact_lock),
    volatile("pg_advisory_xact_lock", TWO, T::Void, xact_lock),
    volatile("pg_advisory_xact_lock_shared", BIG, T::Void, xact_lock_shared),
    volatile("pg_advisory_xact_lock_shared", TWO, T::Void, xact_lock_shared),
    volatile("pg_try_advisory_lock", BIG, T::Bool, try_lock),
    volatile("pg_try_advisory_lock", TWO, T::Bool, try_lock),
    volatile("pg_try_advisory_lock_shared", BIG, T::Bool, try_lock_shared),
    volatile("pg_try_advisory_lock_shared", TWO, T::Bool, try_lock_shared),
    volatile("pg_try_advisory_xact_lock", BIG, T::Bool, try_xact_lock),
    volatile("pg_try_advisory_xact_lock", TWO, T::Bool, try_xact_lock),
    volatile("pg_try_advisory_xact_lock_shared", BIG, T::Bool, try_xact_lock_shared),
    volatile("pg_try_advisory_xact_lock_shared", TWO, T::Bool, try_xact_lock_shared),
    volatile("pg_advisory_unlock", BIG, T::Bool, unlock),
    volatile("pg_advisory_unlock", TWO, T::Bool, unlock),
    volatile("pg_advisory_unlock_shared", BIG, T::Bool, unlock_shared),
    volatile("pg_advisory_unlock_shared", TWO, T::Bool, unlock_shared),
    volatile("pg_advisory_unlock_all", &[], T::Void, unlock_all),
];
