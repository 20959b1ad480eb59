//! CREATE, ALTER and DROP ROLE, and the settings that are kept with roles.
//!
//! Must not know: privileges on objects.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::Stored;
pub(super) use crate::catalog::security::roles::NAMES_OF_ROLES as ROLES;
use crate::catalog::security::roles::{BOOTSTRAP_OID, INFINITY_US, Membership, Role, RoleSettings};
use crate::catalog::{Change, Kind, Object};
use crate::parse::authority::{AuthorityStmt, MembershipOptions, RoleOptions, RoleSpec, SettingChange};
use crate::session::Session;
use crate::session::privileges::{no_database, no_role, refused};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type, input_text};
use std::sync::Arc;

/// The name space of what belongs to an object, among locks of names: the OID of `pg_shdepend`.
pub(super) const ACCESSES: u32 = 1214;
/// The same of what is said of an object: the OID of `pg_description`.
pub(super) const COMMENTS: u32 = 2609;

impl Session {
    /// Runs a statement on roles, owners or privileges; returns its tag.
    pub(crate) fn authority_statement(&mut self, s: &AuthorityStmt) -> Result<&'static str, SqlError> {
        self.check_writable(s.tag())?;
        self.ensure_txn()?;
        self.refresh_catalog();
        match s {
            AuthorityStmt::CreateRole { name, is_user, options } => {
                self.create_role(name, *is_user, options)?
            }
            AuthorityStmt::AlterRole { role, options } => self.alter_role(role, options)?,
            AuthorityStmt::AlterGroup { group, add, members } => self.alter_group(group, *add, members)?,
            AuthorityStmt::RenameRole { name, new_name } => self.rename_role(name, new_name)?,
            AuthorityStmt::RoleSetting { role, database, change } => {
                self.role_setting(role.as_ref(), database.as_deref(), change)?;
            }
            AuthorityStmt::DatabaseSetting { database, change } => {
                let oid = self.database_oid(database)?;
                self.check_owns(oid, "database", database)?;
                self.change_setting(0, Some(oid), change)?;
            }
            AuthorityStmt::DropRole { roles, if_exists } => self.drop_roles(roles, *if_exists)?,
            AuthorityStmt::GrantRole(g) => self.grant_roles(g)?,
            AuthorityStmt::Grant(g) => self.grant(g)?,
            AuthorityStmt::DefaultPrivileges { roles, schemas, grant } => {
                self.default_privileges(roles, schemas, grant)?;
            }
            AuthorityStmt::Owner { kind, name, if_exists, to } => {
                return self.alter_owner(*kind, name, *if_exists, to);
            }
            AuthorityStmt::Reassign { from, to } => self.reassign_owned(from, to)?,
            AuthorityStmt::DropOwned { by, cascade } => self.drop_owned(by, *cascade)?,
        }
        Ok(s.tag())
    }

    /// Locks a role: exclusively whoever changes it, shared whoever relies on it. None: it is gone.
    pub(super) fn lock_role(
        &mut self,
        role: u32,
        mode: TableLockMode,
    ) -> Result<Option<Arc<Role>>, SqlError> {
        let name = role.to_string();
        let lock = self.name_lock(ROLES, &name);
        self.lock_object(&lock, mode, &name, false)?;
        self.refresh_catalog();
        Ok(self.security().role(role).cloned())
    }

    /// Writes what is new or changed.
    pub(super) fn put_security(&mut self, stored: Stored) -> Result<(), SqlError> {
        self.record(Change::Put(Object::Security(stored)))
    }

    fn attributes(&self) -> Result<Arc<Role>, SqlError> {
        let role = self.current_role();
        self.security().role(role).cloned().ok_or_else(|| no_role(&role.to_string()))
    }

    fn has_create_role(&self) -> Result<bool, SqlError> {
        let own = self.attributes()?;
        Ok(own.superuser || own.create_role)
    }

    fn check_new_name(&self, name: &str) -> Result<(), SqlError> {
        check_reserved(name)?;
        if self.security().role_named(name).is_some() {
            let message = format!("role \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(())
    }

    fn create_role(&mut self, name: &str, is_user: bool, o: &RoleOptions) -> Result<(), SqlError> {
        let own = self.attributes()?;
        if !own.superuser {
            if !own.create_role {
                return Err(only("create role", "CREATEROLE", "may create roles."));
            }
            let lacks = [
                (o.superuser, false, "SUPERUSER"),
                (o.create_db, own.create_db, "CREATEDB"),
                (o.replication, own.replication, "REPLICATION"),
                (o.bypass_rls, own.bypass_rls, "BYPASSRLS"),
            ];
            if let Some((.., word)) = lacks.iter().find(|(wanted, has, _)| *wanted == Some(true) && !has) {
                let tail = format!("may create roles with the {word} attribute.");
                return Err(only("create role", word, &tail));
            }
        }
        check_limit(o)?;
        self.lock_name(ROLES, name)?;
        self.check_new_name(name)?;
        let mut role = Role { can_login: is_user, ..Role::new(0, name) };
        self.apply_options(&mut role, o)?;
        self.begin_definition()?;
        role.oid = self.instance.store.new_oid()?;
        let oid = role.oid;
        self.put_security(Stored::Role(Arc::new(role)))?;
        let as_bootstrap = Some(BOOTSTRAP_OID);
        if !own.superuser {
            // Whoever makes a role administers it.
            let options = MembershipOptions { admin: Some(true), inherit: Some(false), set: Some(false) };
            self.add_members(oid, &[own.oid], options, as_bootstrap)?;
        }
        for spec in &o.in_roles {
            let group = self.find_role(spec)?;
            self.check_may_grant(group, true)?;
            self.add_members(group, &[oid], MembershipOptions::default(), None)?;
        }
        let members = self.find_roles(&o.members)?;
        self.add_members(oid, &members, MembershipOptions::default(), None)?;
        let admins = self.find_roles(&o.admins)?;
        let options = MembershipOptions { admin: Some(true), ..MembershipOptions::default() };
        self.add_members(oid, &admins, options, None)
    }

    /// Changes a role as options say.
    fn apply_options(&mut self, role: &mut Role, o: &RoleOptions) -> Result<(), SqlError> {
        let flags = [
            (&mut role.superuser, o.superuser),
            (&mut role.inherit, o.inherit),
            (&mut role.create_role, o.create_role),
            (&mut role.create_db, o.create_db),
            (&mut role.can_login, o.can_login),
            (&mut role.replication, o.replication),
            (&mut role.bypass_rls, o.bypass_rls),
        ];
        for (slot, value) in flags {
            *slot = value.unwrap_or(*slot);
        }
        if let Some(n) = o.connection_limit {
            role.connection_limit = n as i32;
        }
        match &o.password {
            None => {}
            Some(None) => role.password = None,
            Some(Some(text)) if text.is_empty() => {
                role.password = None;
                let message = "empty string is not a valid password, clearing password";
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
            }
            Some(Some(text)) => role.password = Some(self.verifier(text)?),
        }
        if let Some(text) = &o.valid_until {
            role.valid_until = match input_text(text, Type::Timestamptz, -1, &self.format)? {
                Datum::Timestamptz(us) => Some(if us == i64::MAX { INFINITY_US } else { us }),
                _ => None,
            };
        }
        Ok(())
    }

    /// What is stored of a password.
    fn verifier(&mut self, password: &str) -> Result<String, SqlError> {
        let is_md5 = password.len() == 35
            && password.starts_with("md5")
            && password[3..].bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if is_md5 {
            return Err(SqlError::unsupported("passwords encrypted by MD5 are not supported")
                .with_hint("Give the password itself, or its SCRAM-SHA-256 verifier."));
        }
        if is_verifier(password) {
            return Ok(password.to_owned());
        }
        Ok(postgres_protocol::password::scram_sha_256(password.as_bytes()))
    }

    fn alter_role(&mut self, spec: &RoleSpec, o: &RoleOptions) -> Result<(), SqlError> {
        if let RoleSpec::Name(name) = spec {
            check_reserved(name).map_err(|e| e.with_detail("Cannot alter reserved roles."))?;
        }
        check_limit(o)?;
        let oid = self.find_role(spec)?;
        let Some(role) = self.lock_role(oid, TableLockMode::AccessExclusive)? else {
            return Err(no_role(&oid.to_string()));
        };
        let own = self.attributes()?;
        if !own.superuser && (role.superuser || o.superuser.is_some()) {
            let tail = if role.superuser {
                "may alter roles with the SUPERUSER attribute."
            } else {
                "may change the SUPERUSER attribute."
            };
            return Err(only("alter role", "SUPERUSER", tail));
        }
        if !(own.superuser || own.create_role && self.security().is_admin(own.oid, oid)) {
            let harmless = [o.inherit, o.create_role, o.create_db, o.can_login, o.replication, o.bypass_rls]
                .iter()
                .all(Option::is_none)
                && o.connection_limit.is_none()
                && o.valid_until.is_none()
                && o.members.is_empty();
            if harmless && o.password.is_some() && oid != own.oid {
                return Err(refused(
                    "alter role",
                    "To change another role's password, the current user must have the CREATEROLE attribute and the ADMIN option on the role.",
                ));
            }
            if !harmless {
                return Err(refused(
                    "alter role",
                    format!(
                        "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{}\" may alter this role.",
                        role.name
                    ),
                ));
            }
        } else if !own.superuser {
            let lacks = [
                (o.create_db, own.create_db, "CREATEDB"),
                (o.replication, own.replication, "REPLICATION"),
                (o.bypass_rls, own.bypass_rls, "BYPASSRLS"),
            ];
            if let Some((.., word)) = lacks.iter().find(|(wanted, has, _)| wanted.is_some() && !has) {
                return Err(only("alter role", word, &format!("may change the {word} attribute.")));
            }
        }
        if oid == BOOTSTRAP_OID && o.superuser == Some(false) {
            return Err(SqlError::unsupported("permission denied to alter role")
                .with_detail("The bootstrap superuser must have the SUPERUSER attribute."));
        }
        let mut changed = (*role).clone();
        self.apply_options(&mut changed, o)?;
        self.begin_definition()?;
        self.put_security(Stored::Role(Arc::new(changed)))?;
        let members = self.find_roles(&o.members)?;
        self.add_members(oid, &members, MembershipOptions::default(), None)
    }

    fn alter_group(&mut self, group: &RoleSpec, add: bool, members: &[RoleSpec]) -> Result<(), SqlError> {
        let oid = self.find_role(group)?;
        let members = self.find_roles(members)?;
        self.check_may_grant(oid, add)?;
        if add {
            return self.add_members(oid, &members, MembershipOptions::default(), None);
        }
        self.remove_members(oid, &members, MembershipOptions::default(), None, false)
    }

    fn rename_role(&mut self, name: &str, new_name: &str) -> Result<(), SqlError> {
        let oid = self.find_role(&RoleSpec::Name(name.to_owned()))?;
        if oid == self.authority.session {
            return Err(SqlError::unsupported("session user cannot be renamed"));
        }
        if oid == self.current_role() {
            return Err(SqlError::unsupported("current user cannot be renamed"));
        }
        check_reserved(name)?;
        check_reserved(new_name)?;
        self.lock_name(ROLES, new_name)?;
        let Some(role) = self.lock_role(oid, TableLockMode::AccessExclusive)? else {
            return Err(no_role(name));
        };
        self.check_new_name(new_name)?;
        let own = self.attributes()?;
        if role.superuser && !own.superuser {
            return Err(only("rename role", "SUPERUSER", "may rename roles with the SUPERUSER attribute."));
        }
        if !(own.superuser || own.create_role && self.security().is_admin(own.oid, oid)) {
            return Err(refused(
                "rename role",
                format!(
                    "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may rename this role."
                ),
            ));
        }
        self.begin_definition()?;
        self.put_security(Stored::Role(Arc::new(Role { name: new_name.to_owned(), ..(*role).clone() })))
    }

    fn drop_roles(&mut self, specs: &[RoleSpec], if_exists: bool) -> Result<(), SqlError> {
        if !self.has_create_role()? {
            return Err(refused(
                "drop role",
                "Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.",
            ));
        }
        let mut dropped = Vec::new();
        for spec in specs {
            let RoleSpec::Name(name) = spec else {
                let message = "cannot use special role specifier in DROP ROLE";
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
            };
            let Some(oid) = self.security().role_named(name).map(|r| r.oid) else {
                if !if_exists {
                    return Err(no_role(name));
                }
                let message = format!("role \"{name}\" does not exist, skipping");
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                continue;
            };
            let in_use = |what: &str| Err(SqlError::new(SqlState::OBJECT_IN_USE, what));
            if oid == self.current_role() {
                return in_use("current user cannot be dropped");
            }
            if oid == self.authority.session || oid == self.authority.login {
                return in_use("session user cannot be dropped");
            }
            let Some(role) = self.lock_role(oid, TableLockMode::AccessExclusive)? else { continue };
            let own = self.attributes()?;
            if role.superuser && !own.superuser {
                return Err(only("drop role", "SUPERUSER", "may drop roles with the SUPERUSER attribute."));
            }
            if !self.security().is_admin(own.oid, oid) {
                return Err(refused(
                    "drop role",
                    format!(
                        "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may drop this role."
                    ),
                ));
            }
            if oid < crate::catalog::FIRST_USER_OID {
                let message =
                    format!("cannot drop role {name} because it is required by the database system");
                return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message));
            }
            dropped.push(role);
        }
        self.begin_definition()?;
        for role in &dropped {
            let gone: Vec<u32> = self
                .security()
                .memberships()
                .filter(|m| m.role == role.oid || m.member == role.oid)
                .map(|m| m.oid)
                .collect();
            for m in gone {
                self.record(Change::Remove(Kind::Membership, m))?;
            }
        }
        for role in &dropped {
            let depends = self.dependents_of_role(role.oid)?;
            if !depends.is_empty() {
                let message =
                    format!("role \"{}\" cannot be dropped because some objects depend on it", role.name);
                return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message)
                    .with_detail(depends.join("\n")));
            }
            if self.security().settings_of(role.oid).is_some() {
                self.record(Change::Remove(Kind::RoleSettings, role.oid))?;
            }
            self.record(Change::Remove(Kind::Role, role.oid))?;
        }
        Ok(())
    }

    fn role_setting(
        &mut self,
        spec: Option<&RoleSpec>,
        database: Option<&str>,
        change: &SettingChange,
    ) -> Result<(), SqlError> {
        let database = database.map(|name| self.database_oid(name)).transpose()?;
        let own = self.attributes()?;
        let oid = match spec {
            Some(spec) => {
                let oid = self.find_role(spec)?;
                if let RoleSpec::Name(name) = spec {
                    check_reserved(name)?;
                }
                let Some(role) = self.lock_role(oid, TableLockMode::AccessExclusive)? else {
                    return Err(no_role(&oid.to_string()));
                };
                if role.superuser && !own.superuser {
                    return Err(only(
                        "alter role",
                        "SUPERUSER",
                        "may alter roles with the SUPERUSER attribute.",
                    ));
                }
                if oid != own.oid
                    && !own.superuser
                    && !(own.create_role && self.security().is_admin(own.oid, oid))
                {
                    return Err(refused(
                        "alter role",
                        format!(
                            "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{}\" may alter this role.",
                            role.name
                        ),
                    ));
                }
                oid
            }
            None if own.superuser => 0,
            None => {
                return Err(only("alter setting", "SUPERUSER", "may alter settings globally."));
            }
        };
        self.change_setting(oid, database, change)
    }

    fn change_setting(
        &mut self,
        role: u32,
        database: Option<u32>,
        change: &SettingChange,
    ) -> Result<(), SqlError> {
        if let SettingChange::Set(name, _) | SettingChange::Reset(name) | SettingChange::FromCurrent(name) =
            change
        {
            self.check_authority_setting(name, None)?;
        }
        self.lock_name(ACCESSES, &format!("setting {role}"))?;
        let mut kept = match self.security().settings_of(role) {
            Some(s) => (**s).clone(),
            None => RoleSettings { role, ..RoleSettings::default() },
        };
        let list = match database {
            Some(database) => kept.within.entry(database).or_default(),
            None => &mut kept.everywhere,
        };
        let value = |name: &str, value: &str| -> Result<(String, String), SqlError> {
            Ok((name.to_owned(), self.settings.check_value(name, value)?))
        };
        match change {
            // What may not be set may not be reset either.
            SettingChange::ResetAll => list.retain(|(n, _)| self.check_authority_setting(n, None).is_err()),
            SettingChange::Reset(name) | SettingChange::Set(name, None) => {
                if self.settings.get(name).is_none() && !name.contains('.') {
                    let message = format!("unrecognized configuration parameter \"{name}\"");
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, message));
                }
                list.retain(|(n, _)| n != name);
            }
            SettingChange::Set(name, Some(v)) => put_setting(list, value(name, v)?),
            SettingChange::FromCurrent(name) => {
                let now = self.settings.get(name).unwrap_or("").to_owned();
                put_setting(list, value(name, &now)?);
            }
        }
        self.begin_definition()?;
        kept.within.retain(|_, list| !list.is_empty());
        if kept.is_empty() {
            if self.security().settings_of(role).is_some() {
                self.record(Change::Remove(Kind::RoleSettings, role))?;
            }
            return Ok(());
        }
        self.put_security(Stored::Settings(Arc::new(kept)))
    }

    /// Roles that a statement names.
    pub(super) fn find_roles(&self, specs: &[RoleSpec]) -> Result<Vec<u32>, SqlError> {
        specs.iter().map(|s| self.find_role(s)).collect()
    }

    /// The database of a name.
    pub(super) fn database_oid(&self, name: &str) -> Result<u32, SqlError> {
        self.catalog.database_named(name).map(|d| d.oid).ok_or_else(|| no_database(name))
    }

    /// A membership, new or changed.
    pub(super) fn put_membership(&mut self, m: Membership) -> Result<(), SqlError> {
        self.put_security(Stored::Membership(Arc::new(m)))
    }
}

fn put_setting(list: &mut Vec<(String, String)>, (name, value): (String, String)) {
    match list.iter_mut().find(|(n, _)| *n == name) {
        Some(slot) => slot.1 = value,
        None => list.push((name, value)),
    }
}

/// `SCRAM-SHA-256$iterations:salt$stored key:server key`
fn is_verifier(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("SCRAM-SHA-256$") else { return false };
    let parts: Vec<&str> = rest.split(['$', ':']).collect();
    parts.len() == 4
        && parts[0].parse::<u32>().is_ok_and(|n| n > 0)
        && parts[1..].iter().all(|p| {
            !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        })
        && parts[2..].iter().all(|p| p.len() == 44)
}

/// `permission denied to …`, for only roles with an attribute may do so.
fn only(what: &str, attribute: &str, tail: &str) -> SqlError {
    refused(what, format!("Only roles with the {attribute} attribute {tail}"))
}

fn check_limit(o: &RoleOptions) -> Result<(), SqlError> {
    match o.connection_limit {
        Some(n) if !(-1..=i64::from(i32::MAX)).contains(&n) => {
            let message = format!("invalid connection limit: {n}");
            Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
        _ => Ok(()),
    }
}

/// Names that begin with `pg_` are the system's.
fn check_reserved(name: &str) -> Result<(), SqlError> {
    if !name.starts_with("pg_") {
        return Ok(());
    }
    let message = format!("role name \"{name}\" is reserved");
    Err(SqlError::new(SqlState::RESERVED_NAME, message)
        .with_detail("Role names starting with \"pg_\" are reserved."))
}
