//! Roles that a server's configuration names, and what it asks of roles before there is a session.
//!
//! Must not know: the wire protocol, how users prove who they are.

use crate::catalog::codec;
use crate::catalog::security::Stored;
use crate::catalog::security::roles::{BOOTSTRAP_OID, Role};
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{Change, Kind, Object};
use crate::instance::Instance;
use crate::session::privileges::refused;
use crate::session::{Session, SessionParams};
use evenkeel::Interrupt;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

/// A role as whoever lets users in has to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginRole {
    /// Its name.
    pub name: String,
    /// The verifier of its password; None: it has none, or it is no longer valid.
    pub verifier: Option<String>,
    /// It is no longer valid.
    pub is_expired: bool,
    /// LOGIN
    pub can_login: bool,
    /// SUPERUSER
    pub superuser: bool,
    /// REPLICATION, or a superuser.
    pub may_replicate: bool,
}

impl Instance {
    /// A role by name, as the door needs it; None: there is no such role.
    pub fn login_role(&self, name: &str) -> Result<Option<LoginRole>, SqlError> {
        let catalog = self.store.of_today(&self.store.first())?;
        let now = evenkeel_types::datetime::wall_clock_us();
        Ok(catalog.security().role_named(name).map(|r| LoginRole {
            name: r.name.clone(),
            verifier: r.password.clone().filter(|_| r.valid_until.is_none_or(|end| now <= end)),
            is_expired: r.password.is_some() && r.valid_until.is_some_and(|end| now > end),
            can_login: r.can_login,
            superuser: r.superuser,
            may_replicate: r.superuser || r.replication,
        }))
    }

    /// Whether a role is a member of another, directly or by others; superusers are by a grant only. False if one does not exist.
    pub fn is_member_of(&self, name: &str, of: &str) -> Result<bool, SqlError> {
        let catalog = self.store.of_today(&self.store.first())?;
        let s = catalog.security();
        Ok(match (s.role_named(name), s.role_named(of)) {
            (Some(role), Some(of)) => s.is_member_by_grant(role.oid, of.oid),
            _ => false,
        })
    }

    /// Whether a role has the privileges of another: as a superuser, or by what it inherits. False if one does not exist.
    pub fn has_privileges_of(&self, name: &str, of: &str) -> Result<bool, SqlError> {
        let catalog = self.store.of_today(&self.store.first())?;
        let s = catalog.security();
        Ok(match (s.role_named(name), s.role_named(of)) {
            (Some(role), Some(of)) => s.has_privileges_of(role.oid, of.oid),
            _ => false,
        })
    }

    /// Refuses a user that may not follow the log. One that is no role may if it stands in the configuration.
    pub fn check_may_replicate(&self, name: &str, is_configured: bool) -> Result<(), SqlError> {
        let refuse = |m: String| Err(SqlError::new(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, m));
        match self.login_role(name)? {
            None if is_configured => Ok(()),
            None => refuse(format!("role \"{name}\" does not exist")),
            Some(r) if !r.can_login => refuse(format!("role \"{name}\" is not permitted to log in")),
            Some(r) if r.may_replicate => Ok(()),
            Some(_) => Err(refused(
                "start WAL sender",
                "Only roles with the REPLICATION attribute may start a WAL sender process.",
            )),
        }
    }

    /// Takes over the users of a configuration, with their verifiers: one that is no role yet becomes a superuser, as all users were before there
    /// were roles; the verifier of one that is, is what the configuration says. The first time, `first` becomes a superuser too. Blocks for the disk.
    pub fn adopt_users(
        self: &Arc<Self>,
        users: &[(String, String)],
        first: Option<&str>,
    ) -> Result<(), SqlError> {
        if self.is_standby() {
            return Ok(()); // its roles are its primary's
        }
        let mut session = self.session(SessionParams {
            user: String::new(),
            database: String::new(),
            application_name: "users of the configuration".into(),
            client_addr: None,
            server_addr: None,
            client_port: None,
            system_user: None,
            configured: Default::default(),
            settings: Vec::new(),
            backend_pid: 0,
            interrupt: Interrupt::new(),
            statement_memory_bytes: 1 << 20,
            as_owner: true,
            log_origin: Default::default(),
        })?;
        session.defer_durability(); // nobody is told, and a server begins without its standbys
        let adopted = session.adopt(users, first);
        if adopted.is_err() {
            session.fail();
        }
        adopted.and(session.sync())
    }
}

impl Session {
    fn adopt(&mut self, users: &[(String, String)], first: Option<&str>) -> Result<(), SqlError> {
        let _entered = self.enter();
        self.ensure_txn()?;
        self.begin_definition()?;
        let key = codec::key(Kind::Role, BOOTSTRAP_OID);
        let is_first = self.engine()?.get(CATALOG_TREE, &key)?.is_none();
        if is_first {
            let bootstrap = Arc::new(self.security().bootstrap().clone());
            self.record(Change::Put(Object::Security(Stored::Role(bootstrap))))?;
        }
        let first = first.filter(|_| is_first).map(|name| (name.to_owned(), None));
        let named = users.iter().map(|(name, verifier)| (name.clone(), Some(verifier.clone())));
        for (name, verifier) in named.chain(first) {
            self.lock_name(super::role::ROLES, &name)?;
            let found = self.security().role_named(&name).cloned();
            let role = match found {
                Some(role) if verifier.is_none() || role.password == verifier => continue,
                Some(role) => Role { password: verifier, ..(*role).clone() },
                None => {
                    let oid = self.instance.store.new_oid()?;
                    Role { password: verifier, ..Role::new_superuser(oid, &name) }
                }
            };
            self.record(Change::Put(Object::Security(Stored::Role(Arc::new(role)))))?;
        }
        Ok(())
    }
}
