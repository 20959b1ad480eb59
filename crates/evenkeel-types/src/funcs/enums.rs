//! Functions of enums. Whoever calls them replaces a first argument that only tells the type by any value of it, since NULL has none.

use super::{Eval, f, lenient, with_volatility};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn, Volatility};
use crate::ty::Type as T;
use crate::user::check_committed;

fn values(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<(u32, Vec<u64>), SqlError> {
    let Some(Datum::Enum(oid, _)) = a.first() else {
        return Err(SqlError::internal("could not determine actual enum type"));
    };
    Ok((*oid, ctx.format.reg_names.as_ref().map(|n| n.enum_values(*oid)).unwrap_or_default()))
}

fn made(value: Option<&u64>, oid: u32, ctx: &EvalCtx<'_>) -> Eval {
    let Some(value) = value else { return Ok(Datum::Null) };
    check_committed(*value, oid, ctx.format.reg_names.as_ref())?;
    Ok(Datum::Enum(oid, *value))
}

fn enum_first(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (oid, all) = values(a, ctx)?;
    made(all.first(), oid, ctx)
}

fn enum_last(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (oid, all) = values(a, ctx)?;
    made(all.last(), oid, ctx)
}

fn enum_range(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (oid, all) = values(a, ctx)?;
    let bound = |n: usize| match a.get(n) {
        Some(Datum::Enum(_, v)) => Some(*v),
        _ => None,
    };
    let within = |v: &u64| bound(1).is_none_or(|b| *v >= b) && bound(2).is_none_or(|b| *v <= b);
    let values = all.iter().filter(|v| within(v)).map(|v| made(Some(v), oid, ctx));
    Ok(Datum::array(T::Enum(oid), values.collect::<Result<_, _>>()?))
}

const E1: &[T] = &[T::AnyEnum];
const E3: &[T] = &[T::AnyEnum, T::AnyEnum, T::AnyEnum];

/// The functions of this file.
pub const TABLE: &[ScalarFn] = &[
    with_volatility(f("enum_first", E1, T::AnyEnum, enum_first), Volatility::Stable),
    with_volatility(f("enum_last", E1, T::AnyEnum, enum_last), Volatility::Stable),
    with_volatility(f("enum_range", E1, T::AnyArray, enum_range), Volatility::Stable),
    // With a first argument that tells the type.
    with_volatility(lenient(f("enum_range", E3, T::AnyArray, enum_range)), Volatility::Stable),
];
