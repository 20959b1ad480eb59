//! GRANT role TO role, and REVOKE.
//!
//! Invariants:
//! 1. Whoever granted a membership has the admin option on the role, or is the bootstrap role: what rests on an admin option goes with it.
//!
//! Must not know: how roles are made.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::dependent_privileges;
use crate::catalog::security::roles::{BOOTSTRAP_OID, DATABASE_OWNER_OID, Membership};
use crate::catalog::{Change, Kind};
use crate::parse::authority::{GrantRole, MembershipOptions, RoleSpec};
use crate::session::Session;
use crate::session::privileges::{no_role, refused};
use evenkeel_types::error::{SqlError, SqlState};

impl Session {
    pub(super) fn grant_roles(&mut self, g: &GrantRole) -> Result<(), SqlError> {
        let grantor = g.grantor.as_ref().map(|s| self.find_role(s)).transpose()?;
        let mut members = Vec::new();
        for m in &g.members {
            members.push(self.find_role(m)?);
        }
        for name in &g.roles {
            let role = self.find_role(&RoleSpec::Name(name.clone()))?;
            self.check_may_grant(role, g.is_grant)?;
            if g.is_grant {
                let grantor = self.grantor_of(role, grantor, true)?;
                self.add_members(role, &members, g.options, Some(grantor))?;
            } else {
                self.remove_members(role, &members, g.options, grantor, g.cascade)?;
            }
        }
        Ok(())
    }

    /// Refuses who may not grant a role.
    pub(super) fn check_may_grant(&self, role: u32, is_grant: bool) -> Result<(), SqlError> {
        let (verb, name) = (if is_grant { "grant" } else { "revoke" }, self.role_name(role));
        if role == DATABASE_OWNER_OID {
            let message = format!("role \"{name}\" cannot have explicit members");
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
        }
        if self.authority.is_superuser {
            return Ok(());
        }
        let what = format!("{verb} role \"{name}\"");
        if self.security().is_superuser(role) {
            return Err(refused(
                &what,
                format!(
                    "Only roles with the SUPERUSER attribute may {verb} roles with the SUPERUSER attribute."
                ),
            ));
        }
        if !self.security().is_admin(self.current_role(), role) {
            return Err(refused(
                &what,
                format!("Only roles with the ADMIN option on role \"{name}\" may {verb} this role."),
            ));
        }
        Ok(())
    }

    /// Who grants a role: the one named, if it may, or the nearest that may.
    fn grantor_of(&self, role: u32, named: Option<u32>, is_grant: bool) -> Result<u32, SqlError> {
        let (s, own) = (self.security(), self.current_role());
        let Some(grantor) = named else {
            if self.authority.is_superuser {
                return Ok(BOOTSTRAP_OID);
            }
            return s.best_admin(own, role).ok_or_else(|| SqlError::internal("no possible grantors"));
        };
        let name = self.role_name(grantor);
        if !s.has_privileges_of(own, grantor) {
            let (what, tail) = if is_grant {
                (format!("grant privileges as role \"{name}\""), "grant privileges as this role")
            } else {
                (
                    format!("revoke privileges granted by role \"{name}\""),
                    "revoke privileges granted by this role",
                )
            };
            return Err(refused(&what, format!("Only roles with privileges of role \"{name}\" may {tail}.")));
        }
        if is_grant && grantor != BOOTSTRAP_OID && s.best_admin(grantor, role) != Some(grantor) {
            return Err(refused(
                &format!("grant privileges as role \"{name}\""),
                format!("The grantor must have the ADMIN option on role \"{}\".", self.role_name(role)),
            ));
        }
        Ok(grantor)
    }

    /// Makes roles members of a role. A grantor that is given is not asked whether it may grant.
    pub(super) fn add_members(
        &mut self,
        role: u32,
        members: &[u32],
        options: MembershipOptions,
        grantor: Option<u32>,
    ) -> Result<(), SqlError> {
        if members.is_empty() {
            return Ok(());
        }
        let Some(_) = self.lock_role(role, TableLockMode::AccessExclusive)? else {
            return Err(no_role(&role.to_string()));
        };
        let grantor = match grantor {
            Some(grantor) => grantor,
            None => self.grantor_of(role, None, true)?,
        };
        for member in members {
            let Some(_) = self.lock_role(*member, TableLockMode::AccessShare)? else {
                return Err(no_role(&member.to_string()));
            };
            let bad = |m: String| Err(SqlError::new(SqlState::INVALID_GRANT_OPERATION, m));
            if *member == DATABASE_OWNER_OID {
                return bad("role \"pg_database_owner\" cannot be a member of any role".into());
            }
            if self.security().is_member_by_grant(role, *member) {
                let (role, member) = (self.role_name(role), self.role_name(*member));
                return bad(format!("role \"{role}\" is a member of role \"{member}\""));
            }
        }
        if options.admin == Some(true) && grantor != BOOTSTRAP_OID {
            self.check_admin_circle(role, members, grantor)?;
        }
        self.begin_definition()?;
        for member in members {
            let found = self
                .security()
                .memberships()
                .find(|m| m.role == role && m.member == *member && m.grantor == grantor)
                .cloned();
            let Some(before) = found else {
                let inherits = self.security().role(*member).is_some_and(|r| r.inherit);
                let m = Membership {
                    oid: self.instance.store.new_oid()?,
                    role,
                    member: *member,
                    grantor,
                    admin: options.admin.unwrap_or(false),
                    inherit: options.inherit.unwrap_or(inherits),
                    set: options.set.unwrap_or(true),
                };
                self.put_membership(m)?;
                continue;
            };
            let now = Membership {
                admin: options.admin.unwrap_or(before.admin),
                inherit: options.inherit.unwrap_or(before.inherit),
                set: options.set.unwrap_or(before.set),
                ..(*before).clone()
            };
            if now == *before {
                let message = format!(
                    "role \"{}\" has already been granted membership in role \"{}\" by role \"{}\"",
                    self.role_name(*member),
                    self.role_name(role),
                    self.role_name(grantor)
                );
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                continue;
            }
            if before.admin && !now.admin {
                self.revoke_admin_below(role, *member, false)?;
            }
            self.put_membership(now)?;
        }
        Ok(())
    }

    /// The admin option must not come back to whom the grantor has it from.
    fn check_admin_circle(&self, role: u32, members: &[u32], grantor: u32) -> Result<(), SqlError> {
        let all: Vec<_> = self.security().memberships().filter(|m| m.role == role && m.admin).collect();
        // Whoever has it still once the new members are left out.
        let mut holders = vec![BOOTSTRAP_OID];
        let mut next = 0;
        while next < holders.len() {
            let from = holders[next];
            next += 1;
            for m in all.iter().filter(|m| m.grantor == from) {
                if !members.contains(&m.member) && !holders.contains(&m.member) {
                    holders.push(m.member);
                }
            }
        }
        if holders.contains(&grantor) {
            return Ok(());
        }
        let message = "ADMIN option cannot be granted back to your own grantor";
        Err(SqlError::new(SqlState::INVALID_GRANT_OPERATION, message))
    }

    /// Ends memberships, or takes their options.
    pub(super) fn remove_members(
        &mut self,
        role: u32,
        members: &[u32],
        options: MembershipOptions,
        grantor: Option<u32>,
        cascade: bool,
    ) -> Result<(), SqlError> {
        let Some(_) = self.lock_role(role, TableLockMode::AccessExclusive)? else {
            return Err(no_role(&role.to_string()));
        };
        let grantor = self.grantor_of(role, grantor, false)?;
        self.begin_definition()?;
        for member in members {
            let found = self
                .security()
                .memberships()
                .find(|m| m.role == role && m.member == *member && m.grantor == grantor)
                .cloned();
            let Some(before) = found else {
                let message = format!(
                    "role \"{}\" has not been granted membership in role \"{}\" by role \"{}\"",
                    self.role_name(*member),
                    self.role_name(role),
                    self.role_name(grantor)
                );
                self.notice("WARNING", SqlState::WARNING, message);
                continue;
            };
            let whole = options.admin.is_none() && options.inherit.is_none() && options.set.is_none();
            let mut now = (*before).clone();
            now.admin &= options.admin.is_none();
            now.inherit &= options.inherit.is_none();
            now.set &= options.set.is_none();
            if whole {
                self.record(Change::Remove(Kind::Membership, before.oid))?;
            } else {
                self.put_membership(now.clone())?;
            }
            if before.admin && (whole || !now.admin) {
                self.revoke_admin_below(role, *member, cascade)?;
            }
        }
        Ok(())
    }

    /// Ends what a role granted by an admin option that it has no longer (invariant 1).
    fn revoke_admin_below(&mut self, role: u32, holder: u32, cascade: bool) -> Result<(), SqlError> {
        let mut lost = vec![holder];
        while let Some(holder) = lost.pop() {
            if self.security().memberships().any(|m| m.role == role && m.member == holder && m.admin) {
                continue; // from somebody else
            }
            let below: Vec<_> = self
                .security()
                .memberships()
                .filter(|m| m.role == role && m.grantor == holder)
                .cloned()
                .collect();
            for m in below {
                if !cascade {
                    return Err(dependent_privileges());
                }
                self.record(Change::Remove(Kind::Membership, m.oid))?;
                if m.admin {
                    lost.push(m.member);
                }
            }
        }
        Ok(())
    }
}
