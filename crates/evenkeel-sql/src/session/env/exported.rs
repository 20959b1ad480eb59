//! The snapshots that the session's transaction has exported.
//!
//! Must not know: who takes them.

use super::SessionEnv;
use crate::exported::Exported;
use crate::instance::Instance;
use evenkeel::Moment;
use evenkeel_types::error::{SqlError, SqlState};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Their names; they go with it.
pub(super) struct OwnExports {
    instance: Arc<Instance>,
    names: RefCell<Vec<String>>,
    /// The number of the transaction that has exported them.
    transaction: Cell<u32>,
    in_subtransaction: Cell<bool>,
}

impl OwnExports {
    pub fn new(instance: Arc<Instance>) -> OwnExports {
        let (names, transaction, in_subtransaction) = Default::default();
        OwnExports { instance, names, transaction, in_subtransaction }
    }

    fn end(&self) {
        let names = self.names.take();
        if !names.is_empty() {
            self.instance.exported.remove(&names);
        }
    }
}

impl Drop for OwnExports {
    fn drop(&mut self) {
        self.end();
    }
}

impl SessionEnv {
    /// Gives others what a statement sees; the name that it has among them.
    pub(super) fn export(&self, moment: Moment, version: u64) -> Result<String, SqlError> {
        let own = &self.exported;
        if own.in_subtransaction.get() {
            return Err(SqlError::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "cannot export a snapshot from a subtransaction",
            ));
        }
        let mut names = own.names.borrow_mut();
        if names.is_empty() {
            own.transaction.set(self.instance.exported.new_transaction());
        }
        let name = format!("{:08X}-{:08X}-{}", self.info.pid, own.transaction.get(), names.len() + 1);
        let (isolation, read_only, _) = self.txn.get();
        let exported = Exported {
            database: self.info.database_oid,
            pid: self.info.pid,
            isolation,
            read_only,
            of_standby: self.instance.is_standby(),
            version,
            moment: Some(moment),
        };
        self.instance.exported.put(name.clone(), exported);
        names.push(name.clone());
        Ok(name)
    }

    /// The statement that begins is one of a subtransaction, or not.
    pub(crate) fn note_subtransaction(&self, yes: bool) {
        self.exported.in_subtransaction.set(yes);
    }

    /// The transaction has failed: nobody can begin with what it saw, as long as it has not ended either.
    pub(crate) fn give_up_exported(&self) {
        let names = self.exported.names.borrow();
        if !names.is_empty() {
            self.instance.exported.give_up(&names);
        }
    }

    /// The transaction has ended.
    pub(crate) fn end_exported(&self) {
        self.exported.end();
    }
}
