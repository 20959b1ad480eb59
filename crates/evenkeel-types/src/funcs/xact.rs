//! Functions on transaction ids and snapshots. What they ask of the transaction itself the executor answers ([`ScalarFn::asks_transaction`]).

use super::{Eval, f, stable, volatile};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;
use crate::xact::XactSnapshot;

fn snapshot(d: &Datum) -> Result<&XactSnapshot, SqlError> {
    match d {
        Datum::Snapshot(s) => Ok(s),
        _ => Err(SqlError::internal("a snapshot")),
    }
}

fn id(d: &Datum) -> u64 {
    match d {
        Datum::Xid8(v) => *v,
        d => d.as_i64().unwrap_or(0) as u64,
    }
}

fn of_executor(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Err(SqlError::internal("a transaction is asked outside of one"))
}

fn xmin(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Xid8(snapshot(&a[0])?.xmin))
}

fn xmax(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Xid8(snapshot(&a[0])?.xmax))
}

fn txid_xmin(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(snapshot(&a[0])?.xmin as i64))
}

fn txid_xmax(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(snapshot(&a[0])?.xmax as i64))
}

fn visible(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(snapshot(&a[1])?.sees(id(&a[0]))))
}

/// What rows of tables have as `xmin`: the transaction that wrote it, of the row with a number in a tree.
pub static WRITER_OF_ROW: ScalarFn =
    stable("evenkeel_writer_of_row", &[T::Int8, T::Int8], T::Xid, of_executor);

/// The transaction itself, for rows that it writes.
pub static WRITER: ScalarFn = stable("evenkeel_writer", &[], T::Xid, of_executor);

const SNAPSHOT: &[T] = &[T::PgSnapshot];
const TXID_SNAPSHOT: &[T] = &[T::TxidSnapshot];

pub(super) const TABLE: &[ScalarFn] = &[
    stable("pg_current_xact_id", &[], T::Xid8, of_executor),
    stable("pg_current_xact_id_if_assigned", &[], T::Xid8, of_executor),
    stable("pg_current_snapshot", &[], T::PgSnapshot, of_executor),
    volatile("pg_export_snapshot", &[], T::Text, of_executor),
    f("pg_snapshot_xmin", SNAPSHOT, T::Xid8, xmin),
    f("pg_snapshot_xmax", SNAPSHOT, T::Xid8, xmax),
    f("pg_visible_in_snapshot", &[T::Xid8, T::PgSnapshot], T::Bool, visible),
    volatile("pg_xact_status", &[T::Xid8], T::Text, of_executor),
    stable("txid_current", &[], T::Int8, of_executor),
    stable("txid_current_if_assigned", &[], T::Int8, of_executor),
    stable("txid_current_snapshot", &[], T::TxidSnapshot, of_executor),
    f("txid_snapshot_xmin", TXID_SNAPSHOT, T::Int8, txid_xmin),
    f("txid_snapshot_xmax", TXID_SNAPSHOT, T::Int8, txid_xmax),
    f("txid_visible_in_snapshot", &[T::Int8, T::TxidSnapshot], T::Bool, visible),
    volatile("txid_status", &[T::Int8], T::Text, of_executor),
];
