//! Roles, their memberships and settings, and default privileges.
//!
//! Must not know: sessions.

use super::{VirtualTable, opt, table, text, view, yes};
use crate::catalog::Catalog;
use crate::catalog::security::acl::{Acl, Class};
use crate::catalog::security::roles::{Role, RoleSettings};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_AUTHID,
    &PG_ROLES,
    &PG_SHADOW,
    &PG_USER,
    &PG_GROUP,
    &PG_AUTH_MEMBERS,
    &PG_DB_ROLE_SETTING,
    &PG_DEFAULT_ACL,
];

/// A list as an array of `aclitem`, as text.
pub fn acl_array(catalog: &Catalog, acl: Option<&Acl>) -> Datum {
    match acl {
        Some(acl) => {
            Datum::array(Type::Text, acl.texts(catalog.security()).into_iter().map(Datum::text).collect())
        }
        None => Datum::Null,
    }
}

/// The list of an object, as `pg_class.relacl` and the like have it.
pub fn acl_of(catalog: &Catalog, oid: u32) -> Datum {
    acl_array(catalog, catalog.security().shown_acl(oid).as_ref())
}

/// The owner of an object.
pub fn owner_of(catalog: &Catalog, oid: u32) -> Datum {
    Datum::Oid(catalog.security().owner(oid))
}

/// The name of the owner of an object.
pub fn owner_name(catalog: &Catalog, oid: u32) -> Datum {
    let s = catalog.security();
    opt(s.role(s.owner(oid)).map(|r| &r.name))
}

fn until(r: &Role) -> Datum {
    r.valid_until.map_or(Datum::Null, Datum::Timestamptz)
}

fn settings(list: &[(String, String)]) -> Datum {
    if list.is_empty() {
        return Datum::Null;
    }
    let item = |(name, value): &(String, String)| text(format!("{name}={value}"));
    Datum::array(Type::Text, list.iter().map(item).collect())
}

fn config_of(catalog: &Catalog, role: u32) -> Datum {
    catalog.security().settings_of(role).map_or(Datum::Null, |s| settings(&s.everywhere))
}

static PG_AUTHID: VirtualTable = table(
    1260,
    "pg_authid",
    &[
        ("oid", Type::Oid),
        ("rolname", Type::Name),
        ("rolsuper", Type::Bool),
        ("rolinherit", Type::Bool),
        ("rolcreaterole", Type::Bool),
        ("rolcreatedb", Type::Bool),
        ("rolcanlogin", Type::Bool),
        ("rolreplication", Type::Bool),
        ("rolbypassrls", Type::Bool),
        ("rolconnlimit", Type::Int4),
        ("rolpassword", Type::Text),
        ("rolvaliduntil", Type::Timestamptz),
    ],
    |catalog, _| {
        let row = |r: &Role| {
            vec![
                Datum::Oid(r.oid),
                text(&r.name),
                yes(r.superuser),
                yes(r.inherit),
                yes(r.create_role),
                yes(r.create_db),
                yes(r.can_login),
                yes(r.replication),
                yes(r.bypass_rls),
                Datum::Int4(r.connection_limit),
                opt(r.password.as_deref()),
                until(r),
            ]
        };
        Ok(catalog.security().roles().map(|r| row(r)).collect())
    },
);

static PG_ROLES: VirtualTable = view(
    12200,
    "pg_roles",
    &[
        ("rolname", Type::Name),
        ("rolsuper", Type::Bool),
        ("rolinherit", Type::Bool),
        ("rolcreaterole", Type::Bool),
        ("rolcreatedb", Type::Bool),
        ("rolcanlogin", Type::Bool),
        ("rolreplication", Type::Bool),
        ("rolconnlimit", Type::Int4),
        ("rolpassword", Type::Text),
        ("rolvaliduntil", Type::Timestamptz),
        ("rolbypassrls", Type::Bool),
        ("rolconfig", Type::TextArray),
        ("oid", Type::Oid),
    ],
    |catalog, _| {
        let row = |r: &Role| {
            vec![
                text(&r.name),
                yes(r.superuser),
                yes(r.inherit),
                yes(r.create_role),
                yes(r.create_db),
                yes(r.can_login),
                yes(r.replication),
                Datum::Int4(r.connection_limit),
                text("********"),
                until(r),
                yes(r.bypass_rls),
                config_of(catalog, r.oid),
                Datum::Oid(r.oid),
            ]
        };
        Ok(catalog.security().roles().map(|r| row(r)).collect())
    },
);

const USER_COLUMNS: &[(&str, Type)] = &[
    ("usename", Type::Name),
    ("usesysid", Type::Oid),
    ("usecreatedb", Type::Bool),
    ("usesuper", Type::Bool),
    ("userepl", Type::Bool),
    ("usebypassrls", Type::Bool),
    ("passwd", Type::Text),
    ("valuntil", Type::Timestamptz),
    ("useconfig", Type::TextArray),
];

fn users(catalog: &Catalog, shows_passwords: bool) -> Vec<Vec<Datum>> {
    let row = |r: &Role| {
        let password = if shows_passwords { opt(r.password.as_deref()) } else { text("********") };
        vec![
            text(&r.name),
            Datum::Oid(r.oid),
            yes(r.create_db),
            yes(r.superuser),
            yes(r.replication),
            yes(r.bypass_rls),
            password,
            until(r),
            config_of(catalog, r.oid),
        ]
    };
    catalog.security().roles().filter(|r| r.can_login).map(|r| row(r)).collect()
}

static PG_SHADOW: VirtualTable =
    view(12208, "pg_shadow", USER_COLUMNS, |catalog, _| Ok(users(catalog, true)));

static PG_USER: VirtualTable = view(12201, "pg_user", USER_COLUMNS, |catalog, _| Ok(users(catalog, false)));

static PG_GROUP: VirtualTable = view(
    12202,
    "pg_group",
    &[("groname", Type::Name), ("grosysid", Type::Oid), ("grolist", Type::OidArray)],
    |catalog, _| {
        let s = catalog.security();
        let row = |r: &Role| {
            let members = s.memberships().filter(|m| m.role == r.oid).map(|m| Datum::Oid(m.member)).collect();
            vec![text(&r.name), Datum::Oid(r.oid), Datum::array(Type::Oid, members)]
        };
        Ok(s.roles().filter(|r| !r.can_login).map(|r| row(r)).collect())
    },
);

static PG_AUTH_MEMBERS: VirtualTable = table(
    1261,
    "pg_auth_members",
    &[
        ("oid", Type::Oid),
        ("roleid", Type::Oid),
        ("member", Type::Oid),
        ("grantor", Type::Oid),
        ("admin_option", Type::Bool),
        ("inherit_option", Type::Bool),
        ("set_option", Type::Bool),
    ],
    |catalog, _| {
        let rows = catalog.security().memberships().map(|m| {
            vec![
                Datum::Oid(m.oid),
                Datum::Oid(m.role),
                Datum::Oid(m.member),
                Datum::Oid(m.grantor),
                yes(m.admin),
                yes(m.inherit),
                yes(m.set),
            ]
        });
        Ok(rows.collect())
    },
);

static PG_DB_ROLE_SETTING: VirtualTable = table(
    2964,
    "pg_db_role_setting",
    &[("setdatabase", Type::Oid), ("setrole", Type::Oid), ("setconfig", Type::TextArray)],
    |catalog, _| {
        let mut rows = Vec::new();
        let all: Vec<&RoleSettings> = catalog.security().all_settings().map(|s| &**s).collect();
        for s in all {
            for (database, list) in
                [(0, &s.everywhere)].into_iter().chain(s.within.iter().map(|(d, l)| (*d, l)))
            {
                if !list.is_empty() {
                    rows.push(vec![Datum::Oid(database), Datum::Oid(s.role), settings(list)]);
                }
            }
        }
        Ok(rows)
    },
);

/// The letter of a kind of objects.
fn letter(class: Class) -> &'static str {
    match class {
        Class::Sequence => "S",
        Class::Function => "f",
        Class::Type => "T",
        Class::Schema => "n",
        Class::LargeObject => "L",
        _ => "r",
    }
}

static PG_DEFAULT_ACL: VirtualTable = table(
    826,
    "pg_default_acl",
    &[
        ("oid", Type::Oid),
        ("defaclrole", Type::Oid),
        ("defaclnamespace", Type::Oid),
        ("defaclobjtype", Type::Char),
        ("defaclacl", Type::TextArray),
    ],
    |catalog, _| {
        let rows = catalog.security().default_acls().map(|d| {
            vec![
                Datum::Oid(d.oid),
                Datum::Oid(d.role),
                Datum::Oid(d.schema),
                text(letter(d.class)),
                acl_array(catalog, Some(&d.acl)),
            ]
        });
        Ok(rows.collect())
    },
);
