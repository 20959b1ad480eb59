//! Functions on large objects. They read and write rows of the transaction, so the executor answers ([`ScalarFn::asks_transaction`]).

use super::{Eval, stable, volatile};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

fn of_executor(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Err(SqlError::internal("a large object is asked for outside of a transaction"))
}

const fn call(name: &'static str, args: &'static [T], ret: T) -> ScalarFn {
    volatile(name, args, ret, of_executor)
}

const fn asked(args: &'static [T]) -> ScalarFn {
    stable("has_largeobject_privilege", args, T::Bool, of_executor)
}

pub(super) const TABLE: &[ScalarFn] = &[
    call("lo_creat", &[T::Int4], T::Oid),
    call("lo_create", &[T::Oid], T::Oid),
    call("lo_open", &[T::Oid, T::Int4], T::Int4),
    call("lo_close", &[T::Int4], T::Int4),
    call("loread", &[T::Int4, T::Int4], T::Bytea),
    call("lowrite", &[T::Int4, T::Bytea], T::Int4),
    call("lo_lseek", &[T::Int4, T::Int4, T::Int4], T::Int4),
    call("lo_lseek64", &[T::Int4, T::Int8, T::Int4], T::Int8),
    call("lo_tell", &[T::Int4], T::Int4),
    call("lo_tell64", &[T::Int4], T::Int8),
    call("lo_truncate", &[T::Int4, T::Int4], T::Int4),
    call("lo_truncate64", &[T::Int4, T::Int8], T::Int4),
    call("lo_unlink", &[T::Oid], T::Int4),
    call("lo_from_bytea", &[T::Oid, T::Bytea], T::Oid),
    call("lo_get", &[T::Oid], T::Bytea),
    call("lo_get", &[T::Oid, T::Int8, T::Int4], T::Bytea),
    call("lo_put", &[T::Oid, T::Int8, T::Bytea], T::Void),
    call("lo_import", &[T::Text], T::Oid),
    call("lo_import", &[T::Text, T::Oid], T::Oid),
    call("lo_export", &[T::Oid, T::Text], T::Int4),
    asked(&[T::Oid, T::Text]),
    asked(&[T::Name, T::Oid, T::Text]),
    asked(&[T::Oid, T::Oid, T::Text]),
];
