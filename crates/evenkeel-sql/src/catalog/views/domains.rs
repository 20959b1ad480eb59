//! Domains as information_schema has them.
//!
//! Must not know: how values of a domain are checked.

use super::seen::Seen;
use super::{VirtualTable, limits, opt, text};
use crate::catalog::{Catalog, Domain, INFORMATION_SCHEMA_OID, UserType};
use evenkeel_types::{Datum, Type, typmod_length, typmod_numeric};
use std::sync::Arc;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&DOMAINS, &DOMAIN_CONSTRAINTS, &COLUMN_DOMAIN_USAGE];

const fn view(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: super::Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: INFORMATION_SCHEMA_OID, name, columns, is_view: true, rows }
}

fn domains(catalog: &Catalog) -> impl Iterator<Item = (&Arc<UserType>, &Domain)> {
    catalog.types().filter_map(|t| Some((t, t.domain.as_deref()?)))
}

fn schema(catalog: &Catalog, oid: u32) -> Datum {
    opt(catalog.schema(oid).map(|s| &s.name))
}

/// Name and schema of the domain of a column.
pub(super) fn named(catalog: &Catalog, domain: Option<u32>) -> (Datum, Datum) {
    match domain.and_then(|d| catalog.user_type(d)) {
        Some(t) => (schema(catalog, t.schema), text(&t.name)),
        None => (Datum::Null, Datum::Null),
    }
}

static DOMAINS: VirtualTable = view(
    13043,
    "domains",
    &[
        ("domain_catalog", Type::Name),
        ("domain_schema", Type::Name),
        ("domain_name", Type::Name),
        ("data_type", Type::Text),
        ("character_maximum_length", Type::Int4),
        ("character_octet_length", Type::Int4),
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("numeric_precision", Type::Int4),
        ("numeric_precision_radix", Type::Int4),
        ("numeric_scale", Type::Int4),
        ("datetime_precision", Type::Int4),
        ("interval_type", Type::Text),
        ("interval_precision", Type::Int4),
        ("domain_default", Type::Text),
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("scope_catalog", Type::Name),
        ("scope_schema", Type::Name),
        ("scope_name", Type::Name),
        ("maximum_cardinality", Type::Int4),
        ("dtd_identifier", Type::Name),
    ],
    |catalog, cx| {
        let int = |n: Option<i64>| n.map_or(Datum::Null, |n| Datum::Int4(n as i32));
        let row = |(t, d): (&Arc<UserType>, &Domain)| {
            let length = match d.ty {
                Type::Varchar | Type::Bpchar => typmod_length(d.typmod).map(|l| l as i64),
                _ => None,
            };
            let octets = match d.ty {
                Type::Text => Some(1 << 30),
                Type::Varchar | Type::Bpchar => Some(length.map_or(1 << 30, |l| l * 4)),
                _ => None,
            };
            let (precision, radix, scale) = match d.ty {
                Type::Int2 => (Some(16), Some(2), Some(0)),
                Type::Int4 => (Some(32), Some(2), Some(0)),
                Type::Int8 => (Some(64), Some(2), Some(0)),
                Type::Float4 => (Some(24), Some(2), None),
                Type::Float8 => (Some(53), Some(2), None),
                Type::Numeric => match typmod_numeric(d.typmod) {
                    Some((p, s)) => (Some(i64::from(p)), Some(10), Some(limits::scale(s))),
                    None => (None, Some(10), None),
                },
                _ => (None, None, None),
            };
            let base = d.over.or(d.ty.user_oid()).and_then(|oid| catalog.user_type(oid));
            let is_array = d.over.is_none() && d.ty.is_array();
            let data_type = match (is_array, base) {
                (true, _) => "ARRAY".to_owned(),
                (false, Some(_)) => "USER-DEFINED".to_owned(),
                (false, None) => d.ty.sql_name().into_owned(),
            };
            let null = || Datum::Null;
            vec![
                text(cx.database_name()),
                schema(catalog, t.schema),
                text(&t.name),
                text(data_type),
                int(length),
                int(octets),
                null(),
                null(),
                null(),
                null(),
                null(),
                null(),
                int(precision),
                int(radix),
                int(scale),
                int(limits::seconds(d.ty, d.typmod)),
                limits::interval_type(d.ty, d.typmod),
                null(),
                opt(d.default.as_deref().map(|d| cx.shown_value(d, 0))),
                text(cx.database_name()),
                base.map_or_else(|| text("pg_catalog"), |b| schema(catalog, b.schema)),
                match base {
                    Some(b) if is_array => text(format!("_{}", b.name)),
                    Some(b) => text(&b.name),
                    None => text(d.ty.pg_name()),
                },
                null(),
                null(),
                null(),
                null(),
                text("1"),
            ]
        };
        Ok(domains(catalog).map(row).collect())
    },
);

static DOMAIN_CONSTRAINTS: VirtualTable = view(
    13044,
    "domain_constraints",
    &[
        ("constraint_catalog", Type::Name),
        ("constraint_schema", Type::Name),
        ("constraint_name", Type::Name),
        ("domain_catalog", Type::Name),
        ("domain_schema", Type::Name),
        ("domain_name", Type::Name),
        ("is_deferrable", Type::Text),
        ("initially_deferred", Type::Text),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        for (t, d) in domains(catalog) {
            let names = d.checks.iter().map(|c| &c.name).chain(d.not_null.iter().map(|n| &n.1));
            rows.extend(names.map(|name| {
                vec![
                    text(cx.database_name()),
                    schema(catalog, t.schema),
                    text(name),
                    text(cx.database_name()),
                    schema(catalog, t.schema),
                    text(&t.name),
                    text("NO"),
                    text("NO"),
                ]
            }));
        }
        Ok(rows)
    },
);

static COLUMN_DOMAIN_USAGE: VirtualTable = view(
    13045,
    "column_domain_usage",
    &[
        ("domain_catalog", Type::Name),
        ("domain_schema", Type::Name),
        ("domain_name", Type::Name),
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        let seen = Seen::of(catalog, cx);
        let mut add = |domain: Option<u32>, place: u32, table: &str, column: &str| {
            let Some(t) = domain.and_then(|d| catalog.user_type(d)).filter(|t| seen.owns(t.oid)) else {
                return;
            };
            rows.push(vec![
                text(cx.database_name()),
                schema(catalog, t.schema),
                text(&t.name),
                text(cx.database_name()),
                schema(catalog, place),
                text(table),
                text(column),
            ]);
        };
        for t in catalog.tables().filter(|t| t.materialized.is_none()) {
            t.live_columns().for_each(|(_, c)| add(c.domain, t.schema, &t.name, &c.name));
        }
        for v in catalog.views() {
            v.columns.iter().for_each(|c| add(c.domain, v.schema, &v.name, &c.name));
        }
        Ok(rows)
    },
);
