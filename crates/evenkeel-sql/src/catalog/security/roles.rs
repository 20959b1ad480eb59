//! Roles and their memberships: what is stored, and what follows from it.
//!
//! Must not know: privileges on objects.

use std::collections::BTreeMap;

/// The role that a database begins with: a superuser that cannot be dropped.
pub const BOOTSTRAP_OID: u32 = 10;
/// The name space of roles among locks of names: the OID of `pg_authid`.
pub const NAMES_OF_ROLES: u32 = 1260;
/// `pg_database_owner`: its one member is the owner of the database.
pub const DATABASE_OWNER_OID: u32 = 6171;
/// The first bootstrap role's name.
pub const BOOTSTRAP_NAME: &str = "postgres";
/// When a role without an end ends.
pub const INFINITY_US: i64 = i64::MAX;

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// SUPERUSER
    pub superuser: bool,
    /// INHERIT: what new memberships do.
    pub inherit: bool,
    /// CREATEROLE
    pub create_role: bool,
    /// CREATEDB
    pub create_db: bool,
    /// LOGIN
    pub can_login: bool,
    /// REPLICATION
    pub replication: bool,
    /// BYPASSRLS
    pub bypass_rls: bool,
    /// CONNECTION LIMIT, -1 for none.
    pub connection_limit: i32,
    /// The verifier of its password.
    pub password: Option<String>,
    /// VALID UNTIL, of its password: microseconds since 2000-01-01 UTC.
    pub valid_until: Option<i64>,
}

impl Role {
    /// As CREATE ROLE makes it if nothing is said.
    pub fn new(oid: u32, name: &str) -> Role {
        Role {
            oid,
            name: name.to_owned(),
            superuser: false,
            inherit: true,
            create_role: false,
            create_db: false,
            can_login: false,
            replication: false,
            bypass_rls: false,
            connection_limit: -1,
            password: None,
            valid_until: None,
        }
    }

    /// A superuser that may log in.
    pub fn new_superuser(oid: u32, name: &str) -> Role {
        Role {
            superuser: true,
            create_role: true,
            create_db: true,
            can_login: true,
            replication: true,
            bypass_rls: true,
            ..Role::new(oid, name)
        }
    }
}

/// That a role is a member of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Its OID.
    pub oid: u32,
    /// The role.
    pub role: u32,
    /// Its member.
    pub member: u32,
    /// Who granted it.
    pub grantor: u32,
    /// ADMIN OPTION
    pub admin: bool,
    /// INHERIT OPTION
    pub inherit: bool,
    /// SET OPTION
    pub set: bool,
}

/// Settings that sessions of a role begin with (role 0: of all).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleSettings {
    /// The role.
    pub role: u32,
    /// In all databases: names and values.
    pub everywhere: Vec<(String, String)>,
    /// In one, by its OID.
    pub within: BTreeMap<u32, Vec<(String, String)>>,
}

impl RoleSettings {
    /// Those of sessions in a database, and whether of sessions there alone; the ones that count for more last.
    pub fn of_sessions(&self, database: u32) -> impl Iterator<Item = (&(String, String), bool)> {
        let within = self.within.get(&database).into_iter().flatten();
        self.everywhere.iter().map(|s| (s, false)).chain(within.map(|s| (s, true)))
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.within.values().all(Vec::is_empty)
    }
}

/// Roles that are always there, with PostgreSQL's OIDs.
pub const PREDEFINED: [(u32, &str); 16] = [
    (DATABASE_OWNER_OID, "pg_database_owner"),
    (6181, "pg_read_all_data"),
    (6182, "pg_write_all_data"),
    (3373, "pg_monitor"),
    (READ_ALL_SETTINGS_OID, "pg_read_all_settings"),
    (3375, "pg_read_all_stats"),
    (3377, "pg_stat_scan_tables"),
    (4569, "pg_read_server_files"),
    (4570, "pg_write_server_files"),
    (4571, "pg_execute_server_program"),
    (4200, "pg_signal_backend"),
    (4544, "pg_checkpoint"),
    (6337, "pg_maintain"),
    (4550, "pg_use_reserved_connections"),
    (6304, "pg_create_subscription"),
    (6392, "pg_signal_autovacuum_worker"),
];

/// `pg_read_all_data`
pub const READ_ALL_DATA_OID: u32 = 6181;
/// `pg_write_all_data`
pub const WRITE_ALL_DATA_OID: u32 = 6182;
/// `pg_monitor`
pub const MONITOR_OID: u32 = 3373;
/// `pg_read_all_settings`
pub const READ_ALL_SETTINGS_OID: u32 = 3374;
/// `pg_read_all_stats`
pub const READ_ALL_STATS_OID: u32 = 3375;
/// `pg_signal_backend`
pub const SIGNAL_BACKEND_OID: u32 = 4200;
/// `pg_checkpoint`
pub const CHECKPOINT_OID: u32 = 4544;
/// `pg_maintain`
pub const MAINTAIN_OID: u32 = 6337;

/// What predefined roles are members of: (OID, role, member).
pub const PREDEFINED_MEMBERS: [(u32, u32, u32); 3] =
    [(10308, 3374, 3373), (10309, 3375, 3373), (10310, 3377, 3373)];
