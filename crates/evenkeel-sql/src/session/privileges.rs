//! As whom a session acts, and what that role may do.
//!
//! Invariants:
//! 1. A superuser is asked nothing.
//! 2. A plan is checked when it is begun; that a role passed is remembered with the plan, which belongs to one version of the catalog.
//!
//! Must not know: SQL syntax.

use super::Session;
use super::settings::Settings;
use crate::bind::Binder;
use crate::catalog::locks::TableLockMode;
pub(crate) use crate::catalog::noun_of;
use crate::catalog::security::Security;
use crate::catalog::security::acl::{self, Class, Privileges, denied, not_owner};
use crate::catalog::security::roles::Role;
use crate::catalog::{Catalog, Relation};
use crate::instance::{Instance, SessionInfo};
use crate::parse::Name;
use crate::parse::authority::RoleSpec;
use crate::plan::Plan;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// As whom a session acts.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    /// Who logged in.
    pub login: u32,
    /// SESSION_USER
    pub session: u32,
    /// CURRENT_USER
    pub current: u32,
    /// Whether the current one is a superuser.
    pub is_superuser: bool,
    /// Who logged in was one then, as the client was told.
    began_as_superuser: bool,
    /// It acts as an object's owner for now, whatever the settings say.
    acts_for: Option<u32>,
    /// The settings that said so: a role that was renamed since stays the one it was.
    said: (String, String),
    /// Whom the settings have named: one that is named again when a transaction ends may have been renamed or dropped, and nobody else is acted as then, who logged in least of all.
    known: Vec<(String, u32)>,
}

impl Authority {
    /// Of a session that has just begun.
    pub(super) fn new(role: &Role) -> Authority {
        Authority {
            login: role.oid,
            session: role.oid,
            current: role.oid,
            is_superuser: role.superuser,
            began_as_superuser: role.superuser,
            acts_for: None,
            said: (role.name.clone(), "none".into()),
            known: vec![(role.name.clone(), role.oid)],
        }
    }

    /// He acts as who logged in, who was a superuser then, and is.
    pub(super) fn is_known_superuser(&self) -> bool {
        self.began_as_superuser && self.is_superuser && self.current == self.login
    }

    /// Who acts by what the settings say.
    fn read(&self, session: &str, role: &str, s: &Security) -> Authority {
        let mut next = self.clone();
        if session != self.said.0 {
            next.session = next.named(session, s);
        }
        if role == "none" {
            next.current = next.session;
        } else if role != self.said.1 || session != self.said.0 {
            next.current = next.named(role, s);
        }
        next.said = (session.to_owned(), role.to_owned());
        next.current = next.acts_for.unwrap_or(next.current);
        next.is_superuser = s.is_superuser(next.current);
        next
    }

    /// A setting names a role, which is looked up, be it the name that it had before.
    pub(super) fn is_said_anew(&mut self, setting: &str) {
        match setting {
            "role" => self.said.1.clear(),
            "session_authorization" => self.said = Default::default(),
            _ => {}
        }
    }

    /// The role that a setting names; nobody's number if there never was one.
    fn named(&mut self, name: &str, s: &Security) -> u32 {
        let known = self.known.iter().position(|k| k.0 == name);
        let Some(oid) = s.role_named(name).map(|r| r.oid) else {
            return known.map_or(0, |n| self.known[n].1);
        };
        match known {
            Some(n) => self.known[n].1 = oid,
            None => self.known.push((name.to_owned(), oid)),
        }
        oid
    }
}

/// `role "x" does not exist`
pub(crate) fn no_role(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))
}

/// `database "x" does not exist`
pub(crate) fn no_database(name: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_CATALOG_NAME, format!("database \"{name}\" does not exist"))
}

/// `permission denied to …` with its reason.
pub(crate) fn refused(what: &str, detail: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, format!("permission denied to {what}"))
        .with_detail(detail)
}

/// The role that logs in, if it may.
pub(crate) fn login(
    instance: &Instance,
    info: &SessionInfo,
    catalog: &Catalog,
    user: &str,
    database: &str,
    as_owner: bool,
) -> Result<Arc<Role>, SqlError> {
    let s = catalog.security();
    let refuse = |m: String| Err(SqlError::new(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, m));
    let role = match s.role_named(user) {
        Some(role) => role.clone(),
        None => return refuse(format!("role \"{user}\" does not exist")),
    };
    info.role.store(role.oid, Ordering::Relaxed);
    if as_owner {
        return Ok(role);
    }
    if !role.can_login {
        return refuse(format!("role \"{user}\" is not permitted to log in"));
    }
    if !role.superuser && role.connection_limit >= 0 {
        let sessions = instance.sessions_of(role.oid);
        if sessions > role.connection_limit as usize {
            let message = format!("too many connections for role \"{user}\"");
            return Err(SqlError::new(SqlState::TOO_MANY_CONNECTIONS, message));
        }
    }
    if let Some(d) = catalog.database_row(catalog.database) {
        if !d.allow_connections {
            let message = format!("database \"{database}\" is not currently accepting connections");
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
        }
        let sessions = || instance.sessions_in(d.oid);
        if !role.superuser && d.connection_limit >= 0 && sessions() > d.connection_limit as usize {
            let message = format!("too many connections for database \"{database}\"");
            return Err(SqlError::new(SqlState::TOO_MANY_CONNECTIONS, message));
        }
    }
    if s.mask(role.oid, catalog.database, Class::Database, acl::CONNECT) == 0 {
        let message = format!("permission denied for database \"{database}\"");
        return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message)
            .with_detail("User does not have CONNECT privilege."));
    }
    Ok(role)
}

/// Refuses a role that who logged in, and acts as the second, may not become by SET ROLE or SET SESSION AUTHORIZATION.
fn check_becomes(
    s: &Security,
    (login, session): (u32, u32),
    name: &str,
    value: &str,
) -> Result<(), SqlError> {
    let Some(role) = s.role_named(value) else {
        let message = format!("role \"{value}\" does not exist");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    };
    let (allowed, what) = if name == "role" {
        (s.can_set(session, role.oid), "set role")
    } else {
        (role.oid == login || s.is_superuser(login), "set session authorization")
    };
    if allowed {
        return Ok(());
    }
    let message = format!("permission denied to {what} \"{value}\"");
    Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message))
}

pub(super) fn not_set(name: &str) -> SqlError {
    let message = format!("permission denied to set parameter \"{name}\"");
    SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message)
}

/// Refuses a setting that a client asks for with its first message, as SET would.
pub(super) fn check_asked_setting(
    s: &Security,
    role: &Role,
    name: &str,
    value: &str,
) -> Result<(), SqlError> {
    if !role.superuser && Settings::is_superusers(name) {
        return Err(not_set(name));
    }
    check_first_setting(s, role, name, value)
}

/// Refuses a setting that a session is to begin with if it makes another role of who logs in.
pub(super) fn check_first_setting(
    s: &Security,
    role: &Role,
    name: &str,
    value: &str,
) -> Result<(), SqlError> {
    match &*name.to_ascii_lowercase() {
        "role" if value != "none" => check_becomes(s, (role.oid, role.oid), "role", value),
        // It would be forgotten as whom the session came in.
        "session_authorization" if value != role.name => {
            let message = "parameter \"session_authorization\" cannot be set when a session begins";
            Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message))
        }
        _ => Ok(()),
    }
}

impl Session {
    /// Roles and privileges as the session sees them.
    pub(crate) fn security(&self) -> &Security {
        self.catalog.security()
    }

    /// The current role.
    pub(crate) fn current_role(&self) -> u32 {
        self.authority.current
    }

    /// Reads from settings and catalog as whom the session acts.
    pub(super) fn read_authority(&mut self) {
        let session = self.settings.get("session_authorization").unwrap_or("");
        let role = self.settings.get("role").unwrap_or("none");
        let next = self.authority.read(session, role, self.catalog.security());
        if next.is_superuser != self.authority.is_superuser {
            self.settings.report("is_superuser", if next.is_superuser { "on" } else { "off" });
        }
        self.authority = next;
    }

    /// Refuses SET ROLE and SET SESSION AUTHORIZATION to what the session may not be.
    pub(crate) fn check_authority_setting(&self, name: &str, value: Option<&str>) -> Result<(), SqlError> {
        if !self.authority.is_superuser && Settings::is_superusers(name) {
            return Err(not_set(name));
        }
        let (Some(value), "role" | "session_authorization") = (value, name) else { return Ok(()) };
        if name == "role" && value == "none" {
            return Ok(());
        }
        check_becomes(self.security(), (self.authority.login, self.authority.session), name, value)
    }

    /// A role that a statement names, but PUBLIC.
    pub(crate) fn find_role(&self, spec: &RoleSpec) -> Result<u32, SqlError> {
        match spec {
            RoleSpec::Name(name) => {
                self.security().role_named(name).map(|r| r.oid).ok_or_else(|| no_role(name))
            }
            RoleSpec::Current(_) => Ok(self.authority.current),
            RoleSpec::Session => Ok(self.authority.session),
            RoleSpec::Public => Err(no_role("public")),
        }
    }

    /// A role's name.
    pub(crate) fn role_name(&self, oid: u32) -> String {
        self.security().role(oid).map_or_else(|| oid.to_string(), |r| r.name.clone())
    }

    /// Whether the current role has a privilege on an object.
    pub(crate) fn may(&self, oid: u32, class: Class, privilege: Privileges) -> bool {
        self.authority.is_superuser
            || self.security().mask(self.authority.current, oid, class, privilege) == privilege
    }

    /// Refuses who lacks a privilege on an object.
    pub(crate) fn check_may(
        &self,
        oid: u32,
        class: Class,
        name: &str,
        privilege: Privileges,
    ) -> Result<(), SqlError> {
        if self.may(oid, class, privilege) { Ok(()) } else { Err(denied(class.noun(), name)) }
    }

    /// Refuses a name in a schema that the current role may not look into.
    pub(crate) fn check_schema_of(&self, name: &Name) -> Result<(), SqlError> {
        match name.schema.as_ref().and_then(|s| self.catalog.schema_named(s)) {
            Some(schema) => self.check_may(schema.oid, Class::Schema, &schema.name, acl::USAGE),
            None => Ok(()),
        }
    }

    /// The refusal of a name that says a schema which is not there.
    pub(crate) fn missing_schema(&self, name: &Name) -> Option<SqlError> {
        self.catalog.missing_schema(name.schema.as_deref(), self.search_path())
    }

    /// Refuses who is not the owner of an object.
    pub(crate) fn check_owns(&self, oid: u32, noun: &str, name: &str) -> Result<(), SqlError> {
        if self.owns(oid) { Ok(()) } else { Err(not_owner(noun, name)) }
    }

    /// Whether the current role owns an object.
    pub(crate) fn owns(&self, oid: u32) -> bool {
        self.authority.is_superuser || self.security().owns(self.authority.current, oid)
    }

    /// Refuses who owns neither a relation nor its schema: it may be dropped by either.
    pub(crate) fn check_owns_or_schema(&self, relation: &Relation) -> Result<(), SqlError> {
        if self.owns(relation.schema()) { Ok(()) } else { self.check_owns_relation(relation) }
    }

    /// Refuses who does not own a relation.
    pub(crate) fn check_owns_relation(&self, relation: &Relation) -> Result<(), SqlError> {
        let oid = match relation {
            Relation::Index(t, _) => t.oid,
            other => other.oid(),
        };
        self.check_owns(oid, noun_of(relation), relation.name())
    }

    /// Refuses who is no superuser.
    pub(crate) fn check_superuser(&self, what: &str) -> Result<(), SqlError> {
        if self.authority.is_superuser {
            return Ok(());
        }
        Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, format!("permission denied to {what}")))
    }

    /// Binds an expression that is computed at once: whoever has it computed may call what it calls.
    pub(crate) fn bind_to_compute<T>(
        &self,
        bind: impl FnOnce(&mut Binder<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        let mut b = Binder::new(&cx, &[]);
        let bound = bind(&mut b)?;
        if !self.authority.is_superuser {
            b.needs.check_functions(&self.catalog, self.authority.current)?;
        }
        Ok(bound)
    }

    /// Acts as an object's owner: what the object computes has no more rights than he has, whoever has it computed.
    pub(crate) fn as_owner<T>(
        &mut self,
        owner: u32,
        act: impl FnOnce(&mut Session) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let is_superuser = self.security().is_superuser(owner);
        let was = self.authority.clone();
        self.authority = Authority { current: owner, is_superuser, acts_for: Some(owner), ..was.clone() };
        self.env.update(self.catalog.clone(), &self.search_path, &self.settings, &self.authority);
        let done = act(self);
        self.authority = was;
        self.read_authority();
        self.env.update(self.catalog.clone(), &self.search_path, &self.settings, &self.authority);
        done
    }

    /// Refuses a plan that needs what the current role may not (invariant 2).
    pub(super) fn check_needs(&self, plan: &Plan) -> Result<(), SqlError> {
        match self.authority.is_superuser {
            true => plan.needs.check_others(&self.catalog),
            false => plan.needs.check(&self.catalog, self.authority.current),
        }
    }

    /// Refuses who may not lock a table or view: the stronger the lock, the more it takes.
    pub(super) fn check_may_lock(
        &self,
        oid: u32,
        noun: &str,
        name: &str,
        role: u32,
        mode: TableLockMode,
    ) -> Result<(), SqlError> {
        let mut enough = acl::UPDATE | acl::DELETE | acl::TRUNCATE | acl::MAINTAIN;
        if mode <= TableLockMode::RowExclusive {
            enough |= acl::INSERT;
        }
        if mode == TableLockMode::AccessShare {
            enough |= acl::SELECT;
        }
        match self.security().mask(role, oid, Class::Table, enough) {
            0 => Err(denied(noun, name)),
            _ => Ok(()),
        }
    }

    /// Whether the current role may vacuum or analyze a table; warns if not.
    pub(crate) fn may_maintain(&mut self, oid: u32, name: &str, what: &str) -> bool {
        let may = self.may(oid, Class::Table, acl::MAINTAIN) || self.owns(self.catalog.database);
        if !may {
            let verb = what.to_ascii_lowercase();
            let message = format!("permission denied to {verb} \"{name}\", skipping it");
            self.notice("WARNING", SqlState::WARNING, message);
        }
        may
    }

    /// Whether the current role has the privileges of a role.
    pub(crate) fn has_role(&self, role: u32) -> bool {
        self.authority.is_superuser || self.security().has_privileges_of(self.authority.current, role)
    }
}
