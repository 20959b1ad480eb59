//! Who may do what: roles, their memberships, and the owners and privileges of objects.
//!
//! An object's owner and its lists lie in a row of their own under the object's OID; one that has none is the bootstrap role's, with the
//! privileges that PostgreSQL gives by default. So the rows of objects do not change with their privileges, and those that were stored before
//! there were roles read as they should.
//!
//! Invariants:
//! 1. The bootstrap role and the predefined ones are always there.
//! 2. Memberships make no circle.
//!
//! Must not know: statements, sessions.

pub mod acl;
mod codec;
pub mod roles;

use super::shared_map::OidMap;
use super::{DATABASE_OID, FIRST_USER_OID, INFORMATION_SCHEMA_OID, Kind, PG_CATALOG_OID, PUBLIC_OID, views};
use acl::{Acl, AclItem, Class, PUBLIC, Privileges};
pub(in crate::catalog) use codec::{decode, encode};
use roles::{
    BOOTSTRAP_OID, DATABASE_OWNER_OID, Membership, PREDEFINED, PREDEFINED_MEMBERS, Role, RoleSettings,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The owner and privileges of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The object's OID.
    pub oid: u32,
    /// Its owner.
    pub owner: u32,
    /// Its list; None: as its kind of object has by default.
    pub acl: Option<Acl>,
    /// The lists of its columns, by number.
    pub columns: BTreeMap<i16, Acl>,
}

/// What objects to come are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultAcl {
    /// Its OID.
    pub oid: u32,
    /// Of objects that this role makes.
    pub role: u32,
    /// In this schema; 0: in all.
    pub schema: u32,
    /// Of this kind.
    pub class: Class,
    /// What they have; in a schema, what they have besides.
    pub acl: Acl,
}

impl DefaultAcl {
    /// The list that says nothing new, in the order of lists that are stored.
    pub fn base(&self) -> Acl {
        let mut base = if self.schema == 0 { self.class.default_acl(self.role) } else { Acl::default() };
        base.sort();
        base
    }
}

/// What is stored here.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A role.
    Role(Arc<Role>),
    /// A membership.
    Membership(Arc<Membership>),
    /// Settings of a role.
    Settings(Arc<RoleSettings>),
    /// Owner and privileges of an object.
    Access(Arc<Access>),
    /// Default privileges.
    DefaultAcl(Arc<DefaultAcl>),
}

impl Stored {
    /// Its kind and OID: together its key.
    pub fn key(&self) -> (Kind, u32) {
        match self {
            Stored::Role(r) => (Kind::Role, r.oid),
            Stored::Membership(m) => (Kind::Membership, m.oid),
            Stored::Settings(s) => (Kind::RoleSettings, s.role),
            Stored::Access(a) => (Kind::Access, a.oid),
            Stored::DefaultAcl(d) => (Kind::DefaultAcl, d.oid),
        }
    }
}

/// Which memberships count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Any,
    Inherit,
    Set,
}

/// System views that not everybody may read.
const PRIVATE: [&str; 9] = [
    "pg_authid",
    "pg_shadow",
    "pg_statistic",
    "pg_statistic_ext_data",
    "pg_user_mapping",
    "pg_largeobject",
    "pg_file_settings",
    "pg_hba_file_rules",
    "pg_ident_file_mappings",
];

/// The list that a system view begins with: who watches the server reads evenkeel's own, everybody most of the others.
fn acl_of_view(v: &views::VirtualTable) -> Acl {
    let mut acl = Class::Table.default_acl(BOOTSTRAP_OID);
    let grantee = match v.name {
        name if PRIVATE.contains(&name) => return acl,
        name if name.starts_with("evenkeel_") => roles::MONITOR_OID,
        _ => PUBLIC,
    };
    acl.0.push(AclItem { grantee, grantor: BOOTSTRAP_OID, privileges: acl::SELECT });
    acl
}

/// Functions that not everybody may call, as PostgreSQL has it, and those of evenkeel that change or stop something.
fn is_private_function(name: &str) -> bool {
    const NAMES: [&str; 25] = [
        "lo_export",
        "lo_import",
        "pg_backup_start",
        "pg_backup_stop",
        "pg_config",
        "pg_create_restore_point",
        "pg_current_logfile",
        "pg_hba_file_rules",
        "pg_ls_dir",
        "pg_ls_logdir",
        "pg_ls_tmpdir",
        "pg_ls_waldir",
        "pg_promote",
        "pg_read_binary_file",
        "pg_read_file",
        "pg_reload_conf",
        "pg_rotate_logfile",
        "pg_stat_file",
        "pg_stat_reset",
        "pg_stat_reset_shared",
        "pg_stat_reset_single_table_counters",
        "pg_stat_statements_reset",
        "pg_switch_wal",
        "pg_wal_replay_pause",
        "pg_wal_replay_resume",
    ];
    name.starts_with("evenkeel_") && !name.starts_with("evenkeel_acl_") || NAMES.contains(&name)
}

/// Private functions that who watches the server may call, as PostgreSQL has it.
const WATCHING: [&str; 4] = ["pg_current_logfile", "pg_ls_logdir", "pg_ls_tmpdir", "pg_ls_waldir"];

fn private_function_acl(name: &str) -> Acl {
    let item = |grantee| AclItem { grantee, grantor: BOOTSTRAP_OID, privileges: acl::EXECUTE };
    let watcher = WATCHING.contains(&name).then(|| item(roles::MONITOR_OID));
    Acl([item(BOOTSTRAP_OID)].into_iter().chain(watcher).collect())
}

/// Roles and privileges of one version of the catalog.
#[derive(Clone)]
pub struct Security {
    roles: OidMap<Arc<Role>>,
    memberships: OidMap<Arc<Membership>>,
    /// Memberships by their member.
    member_of: OidMap<Vec<Arc<Membership>>>,
    settings: OidMap<Arc<RoleSettings>>,
    access: OidMap<Arc<Access>>,
    defaults: OidMap<Arc<DefaultAcl>>,
    /// Whose owner is the one member of `pg_database_owner`.
    database: u32,
}

impl Default for Security {
    fn default() -> Security {
        let mut s = Security {
            roles: OidMap::default(),
            memberships: OidMap::default(),
            member_of: OidMap::default(),
            settings: OidMap::default(),
            access: OidMap::default(),
            defaults: OidMap::default(),
            database: DATABASE_OID,
        };
        s.put(Stored::Role(Arc::new(Role::new_superuser(BOOTSTRAP_OID, roles::BOOTSTRAP_NAME))));
        for (oid, name) in PREDEFINED {
            s.put(Stored::Role(Arc::new(Role::new(oid, name))));
        }
        for (oid, role, member) in PREDEFINED_MEMBERS {
            let grantor = BOOTSTRAP_OID;
            let m = Membership { oid, role, member, grantor, admin: false, inherit: true, set: true };
            s.put(Stored::Membership(Arc::new(m)));
        }
        s
    }
}

impl Security {
    /// Of which database it is.
    pub(in crate::catalog) fn set_database(&mut self, database: u32) {
        self.database = database;
    }

    /// Puts what is new or changed.
    pub fn put(&mut self, stored: Stored) {
        match stored {
            Stored::Role(r) => _ = self.roles.insert(r.oid, r),
            Stored::Membership(m) => {
                self.remove(Kind::Membership, m.oid);
                self.member_of.entry(m.member, Vec::new).push(m.clone());
                self.memberships.insert(m.oid, m);
            }
            Stored::Settings(s) => _ = self.settings.insert(s.role, s),
            Stored::Access(a) => _ = self.access.insert(a.oid, a),
            Stored::DefaultAcl(d) => _ = self.defaults.insert(d.oid, d),
        }
    }

    /// Takes out what is dropped.
    pub fn remove(&mut self, kind: Kind, oid: u32) {
        match kind {
            Kind::Role => _ = self.roles.remove(oid),
            Kind::Membership => {
                if let Some(m) = self.memberships.remove(oid) {
                    self.member_of.entry(m.member, Vec::new).retain(|other| other.oid != oid);
                }
            }
            Kind::RoleSettings => _ = self.settings.remove(oid),
            Kind::Access => _ = self.access.remove(oid),
            Kind::DefaultAcl => _ = self.defaults.remove(oid),
            _ => {}
        }
    }

    /// A role by OID.
    pub fn role(&self, oid: u32) -> Option<&Arc<Role>> {
        self.roles.get(oid)
    }

    /// The bootstrap role (invariant 1).
    pub fn bootstrap(&self) -> &Role {
        self.roles.get(BOOTSTRAP_OID).expect("invariant 1")
    }

    /// A role by name.
    pub fn role_named(&self, name: &str) -> Option<&Arc<Role>> {
        self.roles.values().find(|r| r.name == name)
    }

    /// All roles, in the order of their OIDs.
    pub fn roles(&self) -> impl Iterator<Item = &Arc<Role>> {
        self.roles.values()
    }

    /// All memberships.
    pub fn memberships(&self) -> impl Iterator<Item = &Arc<Membership>> {
        self.memberships.values()
    }

    /// All default privileges.
    pub fn default_acls(&self) -> impl Iterator<Item = &Arc<DefaultAcl>> {
        self.defaults.values()
    }

    /// All objects with an owner or a list of their own.
    pub fn accesses(&self) -> impl Iterator<Item = &Arc<Access>> {
        self.access.values()
    }

    /// All settings of roles.
    pub fn all_settings(&self) -> impl Iterator<Item = &Arc<RoleSettings>> {
        self.settings.values()
    }

    /// The settings of a role, or of all (0).
    pub fn settings_of(&self, role: u32) -> Option<&Arc<RoleSettings>> {
        self.settings.get(role)
    }

    /// Whether a role is a superuser.
    pub fn is_superuser(&self, role: u32) -> bool {
        role == BOOTSTRAP_OID || self.role(role).is_some_and(|r| r.superuser)
    }

    /// A role and all that it is a member of, the nearest first.
    fn reached(&self, role: u32, way: Way) -> Vec<u32> {
        let mut found = vec![role];
        let mut next = 0;
        while next < found.len() {
            let member = found[next];
            next += 1;
            for m in self.member_of.get(member).into_iter().flatten() {
                let counts = match way {
                    Way::Any => true,
                    Way::Inherit => m.inherit,
                    Way::Set => m.set,
                };
                if counts && !found.contains(&m.role) {
                    found.push(m.role);
                }
            }
            if member == self.owner(self.database) && !found.contains(&DATABASE_OWNER_OID) {
                found.push(DATABASE_OWNER_OID);
            }
        }
        found
    }

    /// A role and those whose privileges it has without SET ROLE.
    pub fn inherited(&self, role: u32) -> Vec<u32> {
        self.reached(role, Way::Inherit)
    }

    /// Whether `role` has the privileges of `other`.
    pub fn has_privileges_of(&self, role: u32, other: u32) -> bool {
        role == other || self.is_superuser(role) || self.reached(role, Way::Inherit).contains(&other)
    }

    /// Whether `role` may become `other`.
    pub fn can_set(&self, role: u32, other: u32) -> bool {
        role == other || self.is_superuser(role) || self.reached(role, Way::Set).contains(&other)
    }

    /// Whether `role` is a member of `other` in any way, or a superuser.
    pub fn is_member(&self, role: u32, other: u32) -> bool {
        role == other || self.is_superuser(role) || self.is_member_by_grant(role, other)
    }

    /// Whether `role` is a member of `other` in any way; superusers are members of nothing by that alone.
    pub fn is_member_by_grant(&self, role: u32, other: u32) -> bool {
        self.reached(role, Way::Any).contains(&other)
    }

    /// Whether `role` may grant `other`.
    pub fn is_admin(&self, role: u32, other: u32) -> bool {
        let all = self.reached(role, Way::Any);
        self.is_superuser(role) || all.into_iter().any(|r| self.is_direct_admin(r, other))
    }

    /// Who of the roles that `role` is a member of has the admin option on `other`, the nearest.
    pub fn best_admin(&self, role: u32, other: u32) -> Option<u32> {
        if role == other {
            return None;
        }
        self.reached(role, Way::Inherit).into_iter().find(|r| self.is_direct_admin(*r, other))
    }

    fn is_direct_admin(&self, role: u32, other: u32) -> bool {
        self.member_of.get(role).into_iter().flatten().any(|m| m.role == other && m.admin)
    }

    /// Owner and lists of an object, if it has a row.
    pub fn access(&self, oid: u32) -> Option<&Arc<Access>> {
        self.access.get(oid)
    }

    /// The owner of an object.
    pub fn owner(&self, oid: u32) -> u32 {
        match self.access.get(oid) {
            Some(a) => a.owner,
            None if oid == PUBLIC_OID => DATABASE_OWNER_OID,
            None => BOOTSTRAP_OID,
        }
    }

    /// The list of an object as it is shown: None if it is the default.
    pub fn shown_acl(&self, oid: u32) -> Option<Acl> {
        let item = |grantee, grantor, privileges| AclItem { grantee, grantor, privileges };
        if let Some(a) = self.access.get(oid) {
            return a.acl.clone();
        }
        if oid < FIRST_USER_OID
            && let Some(v) = views::by_oid(oid)
        {
            return Some(acl_of_view(v));
        }
        // As a new database has them.
        let owner = match oid {
            PUBLIC_OID => DATABASE_OWNER_OID,
            PG_CATALOG_OID | INFORMATION_SCHEMA_OID => BOOTSTRAP_OID,
            _ => return None,
        };
        Some(Acl(vec![item(owner, owner, acl::USAGE | acl::CREATE), item(PUBLIC, owner, acl::USAGE)]))
    }

    /// The list of an object.
    pub fn acl(&self, oid: u32, class: Class) -> Acl {
        if class == Class::Function
            && self.access.get(oid).is_none()
            && let Some(name) = views::types::function_name(oid).filter(|name| is_private_function(name))
        {
            return private_function_acl(name);
        }
        self.shown_acl(oid).unwrap_or_else(|| class.default_acl(self.owner(oid)))
    }

    /// A role that is no superuser may call a function on which nothing was granted or revoked.
    pub fn may_call_by_default(&self, role: u32, name: &str) -> bool {
        !is_private_function(name)
            || WATCHING.contains(&name) && self.has_privileges_of(role, roles::MONITOR_OID)
    }

    /// What of `mask` a role has on an object.
    pub fn mask(&self, role: u32, oid: u32, class: Class, mask: Privileges) -> Privileges {
        if self.is_superuser(role) {
            return mask;
        }
        let owner = self.owner(oid);
        let has = self.acl(oid, class).mask(self, role, owner, mask);
        has | self.predefined_mask(role, class, mask & !has)
    }

    /// What of `mask` a role has by predefined roles.
    fn predefined_mask(&self, role: u32, class: Class, mask: Privileges) -> Privileges {
        let by = |privileges: Privileges, of| {
            if mask & privileges != 0 && self.has_privileges_of(role, of) { mask & privileges } else { 0 }
        };
        match class {
            Class::Table | Class::Sequence => {
                by(acl::SELECT, roles::READ_ALL_DATA_OID)
                    | by(acl::INSERT | acl::UPDATE | acl::DELETE, roles::WRITE_ALL_DATA_OID)
                    | by(acl::MAINTAIN, roles::MAINTAIN_OID)
            }
            Class::Schema => {
                by(acl::USAGE, roles::READ_ALL_DATA_OID) | by(acl::USAGE, roles::WRITE_ALL_DATA_OID)
            }
            _ => 0,
        }
    }

    /// Whether a role is the owner of an object, or has the privileges of the owner.
    pub fn owns(&self, role: u32, oid: u32) -> bool {
        self.has_privileges_of(role, self.owner(oid))
    }

    /// The list that a new object gets, if it is not the default: `class` is a table, sequence, function, type or schema.
    pub fn new_acl(&self, owner: u32, schema: u32, class: Class) -> Option<Acl> {
        let find = |schema| {
            self.defaults
                .values()
                .find(|d| d.role == owner && d.schema == schema && d.class == class)
                .map(|d| d.acl.clone())
        };
        let global = find(0);
        let local = if schema == 0 { None } else { find(schema) };
        if global.is_none() && local.is_none() {
            return None;
        }
        let default = class.default_acl(owner);
        let mut acl = global.unwrap_or_else(|| default.clone());
        for item in local.into_iter().flat_map(|l| l.0) {
            match acl.0.iter_mut().find(|i| i.grantee == item.grantee && i.grantor == item.grantor) {
                Some(same) => same.privileges |= item.privileges,
                None => acl.0.push(item),
            }
        }
        acl.sort();
        let is_default = acl.0.len() == default.0.len() && acl.0.iter().all(|i| default.0.contains(i));
        (!is_default).then_some(acl)
    }
}
