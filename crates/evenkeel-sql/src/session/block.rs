//! Transaction blocks: which statements must be in one, and which must not.
//!
//! Invariants:
//! 1. Several statements of one simple query are in a block, with BEGIN or without: what one of them has done is not there yet when the next one fails.
//!
//! Must not know: how transactions begin and end.

use super::Session;
use evenkeel_types::error::{SqlError, SqlState};

impl Session {
    /// Whether other statements are, or will be, part of the same transaction: after BEGIN, and of several statements in one simple query.
    pub(super) fn is_in_block(&self) -> bool {
        self.script_us.is_some() || self.txn.as_ref().is_some_and(|t| t.explicit)
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
        if self.txn.is_none() && self.script_us.is_some() {
            self.ensure_txn()?;
        } else if self.txn.is_none() {
            self.notice(
                "WARNING",
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION can only be used in transaction blocks",
            );
        }
        Ok(())
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
