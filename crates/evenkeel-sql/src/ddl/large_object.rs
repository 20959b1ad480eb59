//! Owners, privileges and comments of large objects: they lie in rows beside their pages, not in the catalog, as there may be many.
//!
//! Invariants:
//! 1. A statement changes what is there when it runs, in every isolation.
//!
//! Must not know: how lists are changed.

use crate::catalog::large_objects::{self as large, CLASS_OID};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::Access;
use crate::catalog::security::acl::{Class, not_owner};
use crate::exec::large_object;
use crate::parse::Name;
use crate::parse::authority::RoleSpec;
use crate::session::Session;
use crate::session::privileges::no_role;
use evenkeel::TreeId;
use evenkeel_types::error::SqlError;

/// Objects that are looked at together.
const AT_ONCE: usize = 256;

impl Session {
    fn large_objects(&self) -> Option<TreeId> {
        self.catalog.large_objects().or_else(|| self.part.current().large_objects())
    }

    /// The number of an object that a statement names, which is there.
    pub(super) fn large_object_named(&mut self, name: &Name) -> Result<u32, SqlError> {
        let number = name.name.parse::<i64>().ok().map(|n| n as u32);
        let oid = number.ok_or_else(|| SqlError::internal("a large object without a number"))?;
        self.large_object(oid).map(|_| oid)
    }

    fn large_object(&mut self, oid: u32) -> Result<Access, SqlError> {
        let tree = self.large_objects().ok_or_else(|| large::missing(oid))?;
        let found = self.engine()?.within(None, |t| large::find(t, tree, oid))?;
        found.ok_or_else(|| large::missing(oid))
    }

    /// Owner and list of an object, which nobody else changes until the end of the transaction. Blocks for who does.
    pub(super) fn lock_large_object(&mut self, oid: u32) -> Result<Access, SqlError> {
        let tree = self.large_objects().ok_or_else(|| large::missing(oid))?;
        self.engine()?.within(None, |t| large::find_to_change(t, tree, oid))
    }

    pub(super) fn put_large_object(&mut self, access: &Access) -> Result<(), SqlError> {
        let tree = self.large_objects().ok_or_else(|| large::missing(access.oid))?;
        self.engine()?.within(None, |t| large::set_access(t, tree, access))
    }

    /// Refuses who is neither the owner of an object nor has the owner's privileges.
    pub(super) fn check_owns_large_object(&mut self, oid: u32) -> Result<(), SqlError> {
        let owner = self.large_object(oid)?.owner;
        if self.has_role(owner) {
            return Ok(());
        }
        Err(not_owner(Class::LargeObject.noun(), &oid.to_string()))
    }

    pub(super) fn alter_large_object_owner(
        &mut self,
        name: &Name,
        to: &RoleSpec,
    ) -> Result<&'static str, SqlError> {
        const TAG: &str = "ALTER LARGE OBJECT";
        let oid = self.large_object_named(name)?;
        let role = self.find_role(to)?;
        if self.large_object(oid)?.owner == role {
            return Ok(TAG);
        }
        self.check_owns_large_object(oid)?;
        self.check_may_give_to(role)?;
        self.give_large_object_to(oid, role)?;
        Ok(TAG)
    }

    /// Makes a role the owner of an object; what the old one granted is its now.
    pub(super) fn give_large_object_to(&mut self, oid: u32, role: u32) -> Result<(), SqlError> {
        if self.lock_role(role, TableLockMode::AccessShare)?.is_none() {
            return Err(no_role(&role.to_string()));
        }
        let mut access = self.lock_large_object(oid)?;
        let old = std::mem::replace(&mut access.owner, role);
        access.acl.iter_mut().for_each(|a| a.give_to(old, role));
        self.put_large_object(&access)
    }

    /// The objects of a database of which a role is the owner, or that it has privileges on, with whether it owns them.
    pub(super) fn large_objects_of_role(
        &mut self,
        tree: Option<TreeId>,
        role: u32,
    ) -> Result<Vec<(u32, bool)>, SqlError> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let (mut found, mut last) = (Vec::new(), None);
        loop {
            self.check_interrupt()?;
            let some = self.engine()?.within(None, |t| large::objects_after(t, tree, last, AT_ONCE))?;
            let Some(end) = some.last() else { return Ok(found) };
            last = Some(end.oid);
            for object in &some {
                let owns = object.owner == role;
                if owns || object.acl.iter().flat_map(|a| a.roles()).any(|r| r == role) {
                    found.push((object.oid, owns));
                }
            }
        }
    }

    /// The same in the session's database.
    pub(super) fn own_large_objects_of_role(&mut self, role: u32) -> Result<Vec<(u32, bool)>, SqlError> {
        self.large_objects_of_role(self.large_objects(), role)
    }

    /// Takes a role out of the lists of objects that are others'.
    pub(super) fn revoke_large_objects_of(&mut self, role: u32) -> Result<(), SqlError> {
        for (oid, owns) in self.own_large_objects_of_role(role)? {
            if owns {
                continue;
            }
            let mut access = self.lock_large_object(oid)?;
            let owner = access.owner;
            if let Some(list) = &mut access.acl {
                list.forget(self.security(), role, owner)?;
            }
            self.put_large_object(&access)?;
        }
        Ok(())
    }

    /// Drops the objects that a role owns.
    pub(super) fn drop_large_objects_of(&mut self, role: u32) -> Result<(), SqlError> {
        let Some(tree) = self.large_objects() else { return Ok(()) };
        for (oid, owns) in self.own_large_objects_of_role(role)? {
            if owns {
                large_object::remove(oid, tree, self.engine()?)?;
                if self.catalog.comments_on(oid).is_some() {
                    self.set_comment((CLASS_OID, oid, 0), None)?;
                }
            }
        }
        Ok(())
    }
}
