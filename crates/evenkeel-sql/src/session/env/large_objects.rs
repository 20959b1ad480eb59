//! Large objects as functions see them: what the transaction has open, and where new ones go.
//!
//! Must not know: how they are read and written.

use super::SessionEnv;
use crate::catalog::large_objects::Descriptors;
use crate::catalog::locks::{TableLockMode, Wait};
use crate::catalog::security::roles::NAMES_OF_ROLES;
use crate::session::privileges::no_role;
use evenkeel_types::error::SqlError;
use std::cell::{Cell, RefCell};

/// What a session keeps of them.
#[derive(Default)]
pub(crate) struct LargeObjects {
    pub open: RefCell<Descriptors>,
    /// Those that are unlinked, until their comments are.
    pub unlinked: Cell<Vec<u32>>,
}

impl SessionEnv {
    /// Keeps a role from being dropped until the transaction ends: it gets something.
    pub(super) fn hold_role(&self, role: u32) -> Result<(), SqlError> {
        if role < crate::catalog::FIRST_USER_OID {
            return Ok(());
        }
        let name = role.to_string();
        let wait = Wait {
            nowait: false,
            timeout: self.lock_timeout.get(),
            interrupt: &self.info.interrupt,
            what: &name,
            database: self.instance.database(),
            txn: self.txn_id.get(),
            advisory: None,
        };
        let lock = self.instance.locks.name_lock(0, NAMES_OF_ROLES, &name);
        self.held.lock().take(&self.instance.locks, &lock, TableLockMode::AccessShare, &wait)?;
        match self.part.current().security().role(role).or(self.catalog.security().role(role)) {
            Some(_) => Ok(()),
            None => Err(no_role(&name)),
        }
    }

    /// A place among the open ones, to go back to.
    pub(crate) fn large_objects_mark(&self) -> u64 {
        self.large_objects.open.borrow().mark()
    }

    /// Closes those that were opened since then.
    pub(crate) fn close_large_objects(&self, since: u64) {
        self.large_objects.open.borrow_mut().go_back(since);
    }

    /// The transaction has ended.
    pub(crate) fn end_large_objects(&self) {
        self.large_objects.open.borrow_mut().end();
        self.large_objects.unlinked.take();
    }

    /// Those that were unlinked since it was asked last.
    pub(crate) fn take_unlinked(&self) -> Vec<u32> {
        self.large_objects.unlinked.take()
    }
}
