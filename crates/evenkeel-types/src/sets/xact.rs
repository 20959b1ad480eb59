//! Functions that return rows about snapshots.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type;

fn at_work(a: &[Datum], out: &mut Rows, made: fn(u64) -> Datum) -> Result<(), SqlError> {
    match &a[0] {
        Datum::Snapshot(s) => s.xip.iter().try_for_each(|id| out.push([made(*id)])),
        _ => Ok(()),
    }
}

fn xip(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    at_work(a, out, Datum::Xid8)
}

fn txid_xip(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    at_work(a, out, |id| Datum::Int8(id as i64))
}

pub(super) static TABLE: &[SetFn] = &[
    set("pg_snapshot_xip", &[Type::PgSnapshot], &[("pg_snapshot_xip", Type::Xid8)], xip),
    set("txid_snapshot_xip", &[Type::TxidSnapshot], &[("txid_snapshot_xip", Type::Int8)], txid_xip),
];
