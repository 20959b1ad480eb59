//! Transaction blocks: which statements must be in one, and which must not.
//!
//! Invariants:
//! 1. Several statements of one simple query are in a block, with BEGIN or without: what one of them has done is not there yet when the next one fails. So are those of a
//!    batch of the extended protocol behind its first one, up to Sync or the end of the transaction.
//!
//! Must not know: how transactions begin and end.

use super::{Portal, Session};
use crate::parse::{Stmt, TxnStmt};
use evenkeel_types::error::{SqlError, SqlState};

/// What makes a transaction block of a client's messages, without BEGIN (invariant 1).
#[derive(Default)]
pub(super) struct Block {
    /// The statements that run are several of one simple query, which came at this time.
    pub(super) script_us: Option<i64>,
    /// Of a batch a statement has run already.
    piped: bool,
    /// While a statement is at work: when it began, and with it the transactions that it begins.
    pub(super) running_us: Option<i64>,
}

impl Session {
    /// A statement of a batch is complete, and not committed.
    pub fn note_piped(&mut self, portal: &Portal) {
        self.block.piped = match &*portal.stmt.body.stmt {
            Stmt::Txn(t) => matches!(
                t,
                TxnStmt::SetTransaction(_) | TxnStmt::SetSnapshot { .. } | TxnStmt::SetCharacteristics(_)
            ),
            _ => true,
        };
    }

    /// Whether other statements are, or will be, part of the same transaction: after BEGIN, and of several statements in one simple query or batch.
    pub(super) fn is_in_block(&self) -> bool {
        self.block.script_us.is_some() || self.block.piped || self.txn.as_ref().is_some_and(|t| t.explicit)
    }

    /// Refuses statements that must not be part of a transaction block.
    pub(crate) fn refuse_in_block(&self, what: &str) -> Result<(), SqlError> {
        if self.is_in_block() {
            return Err(SqlError::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                format!("{what} cannot run inside a transaction block"),
            ));
        }
        Ok(())
    }

    pub(super) fn no_transaction(&mut self) {
        self.notice("WARNING", SqlState::NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress");
    }

    pub(super) fn warn_outside_block(&mut self) -> Result<(), SqlError> {
        if self.txn.is_none() && !self.is_in_block() {
            self.notice(
                "WARNING",
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION can only be used in transaction blocks",
            );
        }
        // Of a batch others may follow.
        self.ensure_txn().map(|_| ())
    }

    pub(super) fn need_block(&self, what: &str) -> Result<(), SqlError> {
        if self.txn.as_ref().is_some_and(|t| t.explicit) {
            return Ok(());
        }
        Err(SqlError::new(
            SqlState::NO_ACTIVE_SQL_TRANSACTION,
            format!("{what} can only be used in transaction blocks"),
        ))
    }
}
