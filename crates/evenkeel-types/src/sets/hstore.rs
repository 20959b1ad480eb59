//! The keys and values of an `hstore`, one a row.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::hstore::{Hstore, Pairs, datum};
use crate::ty::Type as T;

type Done = Result<(), SqlError>;

fn pairs(a: &[Datum]) -> Result<Pairs<'_>, SqlError> {
    match a.first() {
        Some(Datum::Hstore(b)) => Ok(Hstore(b).iter()),
        _ => Err(SqlError::internal("an hstore was expected")),
    }
}

fn skeys(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    pairs(a)?.try_for_each(|(key, _)| out.push([datum(Some(key))?]))
}

fn svals(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    pairs(a)?.try_for_each(|(_, value)| out.push([datum(value)?]))
}

fn each(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    pairs(a)?.try_for_each(|(key, value)| out.push([datum(Some(key))?, datum(value)?]))
}

const H: &[T] = &[T::Hstore];

pub(super) const TABLE: &[SetFn] = &[
    set("skeys", H, &[("skeys", T::Text)], skeys),
    set("svals", H, &[("svals", T::Text)], svals),
    set("each", H, &[("key", T::Text), ("value", T::Text)], each),
];
