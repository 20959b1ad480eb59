//! What functions ask of the transaction: its id, what the statement sees, what became of another.
//!
//! Must not know: how ids and snapshots are written.

use super::Cx;
use evenkeel::{TransactionStatus, TreeId};
use evenkeel_types::xact::XactSnapshot;
use evenkeel_types::{AsksTransaction, Datum, ScalarFn, SqlError, SqlState, Type, encode_rowid};
use std::sync::Arc;

/// Answers a function; `args` are its arguments.
pub(super) fn ask(
    what: AsksTransaction,
    f: &ScalarFn,
    args: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let id = |v: u64| match f.ret {
        Type::Xid8 => Datum::Xid8(v),
        // Its lower half, as PostgreSQL's rows have it.
        Type::Xid => Datum::Oid(v as u32),
        _ => Datum::Int8(v as i64),
    };
    match what {
        AsksTransaction::LargeObject => super::large_object::ask(f, args, cx),
        AsksTransaction::Statistics => super::statistics::ask(f, args, cx),
        AsksTransaction::Id if cx.eval.env.is_in_recovery() => Err(SqlError::new(
            SqlState::READ_ONLY_SQL_TRANSACTION,
            "cannot execute pg_current_xact_id() during recovery", // by any of its names
        )),
        AsksTransaction::Id => Ok(id(cx.txn.assign_id()?)),
        AsksTransaction::IdIfAssigned => Ok(cx.txn.id().map_or(Datum::Null, id)),
        AsksTransaction::WriterOfRow => {
            let [Datum::Int8(tree), Datum::Int8(row)] = args else {
                return Err(SqlError::internal("a row's place"));
            };
            let mut key = Vec::new();
            encode_rowid(*row as u64, &mut key);
            let tree = TreeId(*tree as u64);
            let is_newest = cx.run.is_outdated(tree, *row as u64);
            Ok(cx.txn.writer_of(tree, &key, is_newest)?.map_or(Datum::Null, id))
        }
        AsksTransaction::Snapshot => {
            let ids = cx.txn.snapshot_ids()?.ok_or_else(not_known_yet)?;
            let (xmin, xmax) = (ids.oldest(), ids.end);
            Ok(Datum::Snapshot(Arc::new(XactSnapshot { xmin, xmax, xip: ids.active.into() })))
        }
        AsksTransaction::Export => {
            let moment = cx.txn.moment()?;
            let version = cx.snapshot_version.unwrap_or(cx.catalog.version);
            Ok(Datum::text(cx.views.export_snapshot(moment, version)?))
        }
        AsksTransaction::Status => {
            let asked = match &args[0] {
                Datum::Xid8(v) => *v,
                Datum::Int8(v) => *v as u64,
                _ => return Ok(Datum::Null),
            };
            Ok(match cx.txn.status_of(asked)? {
                None => Datum::Null,
                Some(TransactionStatus::Active) => Datum::text("in progress"),
                Some(TransactionStatus::Committed) => Datum::text("committed"),
                Some(TransactionStatus::RolledBack) => Datum::text("aborted"),
                Some(TransactionStatus::NotYet) => {
                    let message = format!("transaction ID {asked} is in the future");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
                }
            })
        }
    }
}

/// The log that a standby has met since its start does not say which ids are still to come.
fn not_known_yet() -> SqlError {
    SqlError::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "the standby does not know yet which transactions are at work",
    )
    .with_hint("Its log says so with the primary's next checkpoint.")
}
