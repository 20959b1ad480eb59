//! Functions that give statistics of tables. They are rows of the transaction, so the executor answers ([`ScalarFn::asks_transaction`]).

use super::{Eval, lenient, variadic, volatile};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

fn of_executor(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Err(SqlError::internal("statistics are given outside of a transaction"))
}

const fn given(name: &'static str) -> ScalarFn {
    variadic(lenient(volatile(name, &[T::Any], T::Bool, of_executor)))
}

const fn cleared(name: &'static str, args: &'static [T]) -> ScalarFn {
    lenient(volatile(name, args, T::Void, of_executor))
}

pub(super) const TABLE: &[ScalarFn] = &[
    given("pg_restore_relation_stats"),
    given("pg_restore_attribute_stats"),
    cleared("pg_clear_relation_stats", &[T::Text, T::Text]),
    cleared("pg_clear_attribute_stats", &[T::Text, T::Text, T::Text, T::Bool]),
];
