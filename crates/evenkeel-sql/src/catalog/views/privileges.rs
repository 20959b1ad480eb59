//! `information_schema`: roles that are enabled, and privileges on tables, columns and sequences.
//!
//! Must not know: sessions.

use super::{ViewContext, VirtualTable, opt, text};
use crate::catalog::security::acl::{self, Acl, AclItem, Class, PUBLIC, Privileges, names_of};
use crate::catalog::{Catalog, INFORMATION_SCHEMA_OID, PG_CATALOG_OID, PUBLIC_OID};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};
use std::collections::BTreeMap;

/// The tables of this file.
static PG_INIT_PRIVS: VirtualTable = super::table(
    3394,
    "pg_init_privs",
    &[
        ("objoid", Type::Oid),
        ("classoid", Type::Oid),
        ("objsubid", Type::Int4),
        ("privtype", Type::Char),
        ("initprivs", Type::TextArray),
    ],
    |catalog, _| {
        // As it is where nobody has granted anything.
        let first = crate::catalog::security::Security::default();
        let relations = super::all().iter().map(|v| (v.oid, super::class_oid::RELATION));
        let schemas = [PG_CATALOG_OID, PUBLIC_OID, INFORMATION_SCHEMA_OID];
        let objects = relations.chain(schemas.map(|oid| (oid, super::class_oid::NAMESPACE)));
        let row = |(oid, class): (u32, u32)| {
            let acl = first.shown_acl(oid)?;
            let list = super::roles::acl_array(catalog, Some(&acl));
            Some(vec![Datum::Oid(oid), Datum::Oid(class), Datum::Int4(0), text("i"), list])
        };
        Ok(objects.filter_map(row).collect())
    },
);

pub static TABLES: &[&VirtualTable] = &[
    &PG_INIT_PRIVS,
    &ENABLED_ROLES,
    &APPLICABLE_ROLES,
    &ADMINISTRABLE_ROLES,
    &TABLE_PRIVILEGES,
    &ROLE_TABLE_GRANTS,
    &COLUMN_PRIVILEGES,
    &ROLE_COLUMN_GRANTS,
    &USAGE_PRIVILEGES,
    &ROLE_USAGE_GRANTS,
];

const fn view(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: super::Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: INFORMATION_SCHEMA_OID, name, columns, is_view: true, rows }
}

fn yes_no(yes: bool) -> Datum {
    text(if yes { "YES" } else { "NO" })
}

fn role_name(catalog: &Catalog, oid: u32) -> Datum {
    if oid == PUBLIC {
        return text("PUBLIC");
    }
    opt(catalog.security().role(oid).map(|r| &r.name))
}

static ENABLED_ROLES: VirtualTable =
    view(13020, "enabled_roles", &[("role_name", Type::Name)], |catalog, cx| {
        let s = catalog.security();
        let enabled = s.roles().filter(|r| s.has_privileges_of(cx.role(), r.oid));
        Ok(enabled.map(|r| vec![text(&r.name)]).collect())
    });

const APPLICABLE: &[(&str, Type)] =
    &[("grantee", Type::Name), ("role_name", Type::Name), ("is_grantable", Type::Text)];

fn applicable(catalog: &Catalog, cx: &dyn ViewContext, only_admin: bool) -> Vec<Vec<Datum>> {
    let s = catalog.security();
    let mut found: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    for m in s.memberships() {
        if s.has_privileges_of(cx.role(), m.member) && (m.admin || !only_admin) {
            *found.entry((m.member, m.role)).or_default() |= m.admin;
        }
    }
    let row =
        |((member, role), admin)| vec![role_name(catalog, member), role_name(catalog, role), yes_no(admin)];
    found.into_iter().map(row).collect()
}

static APPLICABLE_ROLES: VirtualTable =
    view(13021, "applicable_roles", APPLICABLE, |catalog, cx| Ok(applicable(catalog, cx, false)));

static ADMINISTRABLE_ROLES: VirtualTable =
    view(13022, "administrable_role_authorizations", APPLICABLE, |catalog, cx| {
        Ok(applicable(catalog, cx, true))
    });

/// What one privilege of a list is, as the views show it.
struct Shown<'a> {
    grantor: Datum,
    grantee: Datum,
    privilege: &'a str,
    is_grantable: Datum,
}

/// The privileges of a list that the current role is to see: its own and, unless only those, everybody's.
fn shown<'a>(
    catalog: &'a Catalog,
    cx: &'a dyn ViewContext,
    owner: u32,
    acl: &'a Acl,
    of: Privileges,
    only_own: bool,
) -> impl Iterator<Item = Shown<'a>> {
    let s = catalog.security();
    let role = cx.role();
    let enabled = move |r: u32| r != PUBLIC && s.has_privileges_of(role, r);
    let seen =
        move |i: &&AclItem| enabled(i.grantor) || enabled(i.grantee) || i.grantee == PUBLIC && !only_own;
    acl.0.iter().filter(seen).flat_map(move |i| {
        names_of(i.privileges & of).map(move |(bit, privilege)| {
            let owns = i.grantee != PUBLIC && s.has_privileges_of(i.grantee, owner);
            Shown {
                grantor: role_name(catalog, i.grantor),
                grantee: role_name(catalog, i.grantee),
                privilege,
                is_grantable: yes_no(owns || i.privileges & acl::options_for(bit) != 0),
            }
        })
    })
}

/// A relation that is no sequence: OID, schema, name and columns by number.
type Listed<'a> = (u32, u32, &'a str, Vec<(i16, &'a str)>);

fn relations(catalog: &Catalog) -> Vec<Listed<'_>> {
    let mut all: Vec<Listed<'_>> = Vec::new();
    for t in catalog.tables().filter(|t| t.materialized.is_none()) {
        let columns = t.live_columns().map(|(n, c)| (n as i16 + 1, &*c.name)).collect();
        all.push((t.oid, t.schema, &t.name, columns));
    }
    for v in catalog.views() {
        let columns = v.columns.iter().enumerate().map(|(n, c)| (n as i16 + 1, &*c.name)).collect();
        all.push((v.oid, v.schema, &v.name, columns));
    }
    for v in super::all() {
        let columns = v.columns.iter().enumerate().map(|(n, c)| (n as i16 + 1, c.0)).collect();
        all.push((v.oid, v.schema, v.name, columns));
    }
    all
}

const TABLE_COLUMNS: &[(&str, Type)] = &[
    ("grantor", Type::Name),
    ("grantee", Type::Name),
    ("table_catalog", Type::Name),
    ("table_schema", Type::Name),
    ("table_name", Type::Name),
    ("privilege_type", Type::Text),
    ("is_grantable", Type::Text),
    ("with_hierarchy", Type::Text),
];

fn schema_name(catalog: &Catalog, oid: u32) -> Datum {
    opt(catalog.schema(oid).map(|s| &s.name))
}

fn table_rows(catalog: &Catalog, cx: &dyn ViewContext, only_own: bool) -> Result<Vec<Vec<Datum>>, SqlError> {
    let s = catalog.security();
    let mut rows = Vec::new();
    for (oid, schema, name, _) in relations(catalog) {
        let acl = s.acl(oid, Class::Table);
        let of = Class::Table.all() & !acl::MAINTAIN;
        rows.extend(shown(catalog, cx, s.owner(oid), &acl, of, only_own).map(|p| {
            vec![
                p.grantor,
                p.grantee,
                text(cx.database_name()),
                schema_name(catalog, schema),
                text(name),
                text(p.privilege),
                p.is_grantable,
                yes_no(p.privilege == "SELECT"),
            ]
        }));
    }
    Ok(rows)
}

static TABLE_PRIVILEGES: VirtualTable =
    view(13023, "table_privileges", TABLE_COLUMNS, |catalog, cx| table_rows(catalog, cx, false));

static ROLE_TABLE_GRANTS: VirtualTable =
    view(13024, "role_table_grants", TABLE_COLUMNS, |catalog, cx| table_rows(catalog, cx, true));

const COLUMN_COLUMNS: &[(&str, Type)] = &[
    ("grantor", Type::Name),
    ("grantee", Type::Name),
    ("table_catalog", Type::Name),
    ("table_schema", Type::Name),
    ("table_name", Type::Name),
    ("column_name", Type::Name),
    ("privilege_type", Type::Text),
    ("is_grantable", Type::Text),
];

fn column_rows(catalog: &Catalog, cx: &dyn ViewContext, only_own: bool) -> Result<Vec<Vec<Datum>>, SqlError> {
    let s = catalog.security();
    let mut rows: Vec<Vec<Datum>> = Vec::new();
    for (oid, schema, name, columns) in relations(catalog) {
        let owner = s.owner(oid);
        let whole = s.acl(oid, Class::Table);
        for (number, column) in columns {
            // On the whole and on the column: told once.
            let mut acl = whole.clone();
            for item in s.access(oid).and_then(|a| a.columns.get(&number)).iter().flat_map(|a| &a.0) {
                match acl.0.iter_mut().find(|i| i.grantee == item.grantee && i.grantor == item.grantor) {
                    Some(same) => same.privileges |= item.privileges,
                    None => acl.0.push(*item),
                }
            }
            rows.extend(shown(catalog, cx, owner, &acl, acl::ALL_COLUMN, only_own).map(|p| {
                vec![
                    p.grantor,
                    p.grantee,
                    text(cx.database_name()),
                    schema_name(catalog, schema),
                    text(name),
                    text(column),
                    text(p.privilege),
                    p.is_grantable,
                ]
            }));
        }
    }
    Ok(rows)
}

static COLUMN_PRIVILEGES: VirtualTable =
    view(13025, "column_privileges", COLUMN_COLUMNS, |catalog, cx| column_rows(catalog, cx, false));

static ROLE_COLUMN_GRANTS: VirtualTable =
    view(13026, "role_column_grants", COLUMN_COLUMNS, |catalog, cx| column_rows(catalog, cx, true));

const USAGE_COLUMNS: &[(&str, Type)] = &[
    ("grantor", Type::Name),
    ("grantee", Type::Name),
    ("object_catalog", Type::Name),
    ("object_schema", Type::Name),
    ("object_name", Type::Name),
    ("object_type", Type::Text),
    ("privilege_type", Type::Text),
    ("is_grantable", Type::Text),
];

fn usage_rows(catalog: &Catalog, cx: &dyn ViewContext, only_own: bool) -> Result<Vec<Vec<Datum>>, SqlError> {
    let s = catalog.security();
    let mut rows = Vec::new();
    let mut add = |oid: u32, schema: u32, name: &str, class: Class, kind: &str| {
        let acl = s.acl(oid, class);
        rows.extend(shown(catalog, cx, s.owner(oid), &acl, acl::USAGE, only_own).map(|p| {
            vec![
                p.grantor,
                p.grantee,
                text(cx.database_name()),
                schema_name(catalog, schema),
                text(name),
                text(kind),
                text(p.privilege),
                p.is_grantable,
            ]
        }));
    };
    for t in catalog.types().filter(|t| t.domain.is_some()) {
        add(t.oid, t.schema, &t.name, Class::Type, "DOMAIN");
    }
    for q in catalog.sequences() {
        add(q.oid, q.schema, &q.name, Class::Sequence, "SEQUENCE");
    }
    Ok(rows)
}

static USAGE_PRIVILEGES: VirtualTable =
    view(13027, "usage_privileges", USAGE_COLUMNS, |catalog, cx| usage_rows(catalog, cx, false));

static ROLE_USAGE_GRANTS: VirtualTable =
    view(13028, "role_usage_grants", USAGE_COLUMNS, |catalog, cx| usage_rows(catalog, cx, true));
