//! Statements on roles, owners and privileges, as parsed.
//!
//! Must not know: the catalog's roles, what the statements do.

use super::stmt::Name;
use crate::catalog::security::acl::Class;

/// How a statement names a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleSpec {
    /// By its name.
    Name(String),
    /// CURRENT_ROLE, CURRENT_USER: the word.
    Current(&'static str),
    /// SESSION_USER
    Session,
    /// PUBLIC
    Public,
}

/// What CREATE and ALTER ROLE say; None: nothing.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)] // SQL's words.
pub struct RoleOptions {
    pub superuser: Option<bool>,
    pub inherit: Option<bool>,
    pub create_role: Option<bool>,
    pub create_db: Option<bool>,
    pub can_login: Option<bool>,
    pub replication: Option<bool>,
    pub bypass_rls: Option<bool>,
    pub connection_limit: Option<i64>,
    /// `Some(None)`: PASSWORD NULL.
    pub password: Option<Option<String>>,
    pub valid_until: Option<String>,
    /// IN ROLE
    pub in_roles: Vec<RoleSpec>,
    /// ROLE, USER
    pub members: Vec<RoleSpec>,
    /// ADMIN
    pub admins: Vec<RoleSpec>,
}

/// A change of a setting that is kept with a role or a database.
#[derive(Clone, Debug)]
pub enum SettingChange {
    /// SET name = value; None: DEFAULT.
    Set(String, Option<String>),
    /// SET name FROM CURRENT
    FromCurrent(String),
    /// RESET name
    Reset(String),
    /// RESET ALL
    ResetAll,
}

/// The options of a membership, as far as they are named.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)] // SQL's words.
pub struct MembershipOptions {
    pub admin: Option<bool>,
    pub inherit: Option<bool>,
    pub set: Option<bool>,
}

/// GRANT role TO role, REVOKE role FROM role.
#[derive(Clone, Debug)]
pub struct GrantRole {
    /// GRANT rather than REVOKE.
    pub is_grant: bool,
    /// The roles.
    pub roles: Vec<String>,
    /// Their members.
    pub members: Vec<RoleSpec>,
    /// With GRANT: their values. With REVOKE: those named are taken; none: the membership is.
    pub options: MembershipOptions,
    /// GRANTED BY
    pub grantor: Option<RoleSpec>,
    /// CASCADE
    pub cascade: bool,
}

/// What GRANT and REVOKE are on.
#[derive(Clone, Debug)]
pub struct GrantOn {
    /// Of which kind.
    pub class: Class,
    /// FUNCTION, PROCEDURE, DOMAIN and so on, as written.
    pub word: String,
    /// Which; with `all_in`: the schemas.
    pub names: Vec<Name>,
    /// Of functions: the types of their arguments, where they are told.
    pub arguments: Vec<Option<Vec<String>>>,
    /// ALL … IN SCHEMA
    pub all_in: bool,
}

/// A privilege with the columns that it is limited to.
pub type NamedColumns = (String, Vec<String>);

/// GRANT and REVOKE on objects.
#[derive(Clone, Debug)]
pub struct Grant {
    /// GRANT rather than REVOKE.
    pub is_grant: bool,
    /// WITH GRANT OPTION, GRANT OPTION FOR
    pub option: bool,
    /// Privileges in upper case with their columns; None: ALL.
    pub privileges: Option<Vec<NamedColumns>>,
    /// On what. ALTER DEFAULT PRIVILEGES names the kind only.
    pub on: GrantOn,
    /// To or from whom.
    pub grantees: Vec<RoleSpec>,
    /// GRANTED BY
    pub grantor: Option<RoleSpec>,
    /// CASCADE
    pub cascade: bool,
}

/// Kinds of objects whose owner is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // SQL's names.
pub enum OwnedKind {
    Table,
    View,
    MaterializedView,
    Sequence,
    Index,
    Schema,
    Database,
    Type,
    Domain,
    Collation,
    LargeObject,
    /// What does not exist here: the error says so.
    Other(&'static str),
}

/// A statement on roles, owners or privileges.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Named as in SQL.
pub enum AuthorityStmt {
    CreateRole {
        name: String,
        is_user: bool,
        options: RoleOptions,
    },
    AlterRole {
        role: RoleSpec,
        options: RoleOptions,
    },
    AlterGroup {
        group: RoleSpec,
        add: bool,
        members: Vec<RoleSpec>,
    },
    RenameRole {
        name: String,
        new_name: String,
    },
    /// `role`: None is ALL.
    RoleSetting {
        role: Option<RoleSpec>,
        database: Option<String>,
        change: SettingChange,
    },
    DatabaseSetting {
        database: String,
        change: SettingChange,
    },
    DropRole {
        roles: Vec<RoleSpec>,
        if_exists: bool,
    },
    GrantRole(GrantRole),
    Grant(Grant),
    DefaultPrivileges {
        roles: Vec<RoleSpec>,
        schemas: Vec<String>,
        grant: Grant,
    },
    Owner {
        kind: OwnedKind,
        name: Name,
        if_exists: bool,
        to: RoleSpec,
    },
    Reassign {
        from: Vec<RoleSpec>,
        to: RoleSpec,
    },
    DropOwned {
        by: Vec<RoleSpec>,
        cascade: bool,
    },
}

impl AuthorityStmt {
    /// The command's tag.
    pub fn tag(&self) -> &'static str {
        match self {
            AuthorityStmt::CreateRole { .. } => "CREATE ROLE",
            AuthorityStmt::AlterRole { .. }
            | AuthorityStmt::AlterGroup { .. }
            | AuthorityStmt::RenameRole { .. }
            | AuthorityStmt::RoleSetting { .. } => "ALTER ROLE",
            AuthorityStmt::DatabaseSetting { .. } => "ALTER DATABASE",
            AuthorityStmt::DropRole { .. } => "DROP ROLE",
            AuthorityStmt::GrantRole(g) => {
                if g.is_grant {
                    "GRANT ROLE"
                } else {
                    "REVOKE ROLE"
                }
            }
            AuthorityStmt::Grant(g) => {
                if g.is_grant {
                    "GRANT"
                } else {
                    "REVOKE"
                }
            }
            AuthorityStmt::DefaultPrivileges { .. } => "ALTER DEFAULT PRIVILEGES",
            AuthorityStmt::Owner { kind, .. } => match kind {
                OwnedKind::Table => "ALTER TABLE",
                OwnedKind::View => "ALTER VIEW",
                OwnedKind::MaterializedView => "ALTER MATERIALIZED VIEW",
                OwnedKind::Sequence => "ALTER SEQUENCE",
                OwnedKind::Index => "ALTER INDEX",
                OwnedKind::Schema => "ALTER SCHEMA",
                OwnedKind::Database => "ALTER DATABASE",
                OwnedKind::Type => "ALTER TYPE",
                OwnedKind::Domain => "ALTER DOMAIN",
                OwnedKind::Collation => "ALTER COLLATION",
                OwnedKind::LargeObject => "ALTER LARGE OBJECT",
                OwnedKind::Other(_) => "ALTER",
            },
            AuthorityStmt::Reassign { .. } => "REASSIGN OWNED",
            AuthorityStmt::DropOwned { .. } => "DROP OWNED",
        }
    }
}
