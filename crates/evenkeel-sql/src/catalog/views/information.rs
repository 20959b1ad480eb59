//! `information_schema`: tables, columns and schemata.
//!
//! Must not know: sessions.

use super::classes;
use super::seen::Seen;
use super::{Rows, VirtualTable, limits, opt, text};
use crate::catalog::{Catalog, INFORMATION_SCHEMA_OID, Sequence, domain_itself, is_domain_array};
use evenkeel_types::{Datum, Type, typmod_length, typmod_numeric};
use std::collections::HashMap;

pub(super) const fn view(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: INFORMATION_SCHEMA_OID, name, columns, is_view: true, rows }
}

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&SCHEMATA, &IS_TABLES, &COLUMNS, &SEQUENCES];

pub(super) fn schema(catalog: &Catalog, oid: u32) -> Datum {
    opt(catalog.schema(oid).map(|s| &s.name))
}

static SCHEMATA: VirtualTable = view(
    13001,
    "schemata",
    &[
        ("catalog_name", Type::Name),
        ("schema_name", Type::Name),
        ("schema_owner", Type::Name),
        ("default_character_set_catalog", Type::Name),
        ("default_character_set_schema", Type::Name),
        ("default_character_set_name", Type::Name),
        ("sql_path", Type::Text),
    ],
    |catalog, cx| {
        let seen = Seen::of(catalog, cx);
        Ok(catalog
            .schemas()
            .filter(|s| seen.schema(s.oid))
            .map(|s| {
                let mut row =
                    vec![text(cx.database_name()), text(&s.name), super::roles::owner_name(catalog, s.oid)];
                row.extend((0..4).map(|_| Datum::Null));
                row
            })
            .collect())
    },
);

static IS_TABLES: VirtualTable = view(
    13002,
    "tables",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("table_type", Type::Text),
        ("self_referencing_column_name", Type::Name),
        ("reference_generation", Type::Text),
        ("user_defined_type_catalog", Type::Name),
        ("user_defined_type_schema", Type::Name),
        ("user_defined_type_name", Type::Name),
        ("is_insertable_into", Type::Text),
        ("is_typed", Type::Text),
        ("commit_action", Type::Text),
    ],
    |catalog, cx| {
        let row = |schema_oid: u32, name: &str, kind: &str, insertable: bool| {
            let is_temporary = kind == "BASE TABLE" && catalog.is_temporary(schema_oid);
            let kind = if is_temporary { "LOCAL TEMPORARY" } else { kind };
            let mut row = vec![text(cx.database_name()), schema(catalog, schema_oid), text(name), text(kind)];
            row.extend((0..5).map(|_| Datum::Null));
            row.extend([text(if insertable { "YES" } else { "NO" }), text("NO"), Datum::Null]);
            row
        };
        let is_shown = |s: u32| !catalog.is_temporary(s) || cx.search_path().contains(&s);
        let seen = Seen::of(catalog, cx);
        let tables = catalog.tables().filter(|t| t.materialized.is_none() && is_shown(t.schema));
        let tables = tables.filter(|t| seen.relation(t.oid));
        let mut rows: Vec<_> = tables.map(|t| row(t.schema, &t.name, "BASE TABLE", true)).collect();
        let views = catalog.views().filter(|v| seen.relation(v.oid));
        rows.extend(views.map(|v| row(v.schema, &v.name, "VIEW", cx.is_updatable(catalog, v).0)));
        let system = |v: &&&VirtualTable| match v.is_view {
            true => row(v.schema, v.name, "VIEW", false),
            false => row(v.schema, v.name, "BASE TABLE", true),
        };
        rows.extend(super::all().iter().filter(|v| seen.relation(v.oid)).map(|v| system(&v)));
        Ok(rows)
    },
);

static COLUMNS: VirtualTable = view(
    13003,
    "columns",
    &[
        ("table_catalog", Type::Name),
        ("table_schema", Type::Name),
        ("table_name", Type::Name),
        ("column_name", Type::Name),
        ("ordinal_position", Type::Int4),
        ("column_default", Type::Text),
        ("is_nullable", Type::Text),
        ("data_type", Type::Text),
        ("character_maximum_length", Type::Int4),
        ("character_octet_length", Type::Int4),
        ("numeric_precision", Type::Int4),
        ("numeric_precision_radix", Type::Int4),
        ("numeric_scale", Type::Int4),
        ("datetime_precision", Type::Int4),
        ("interval_type", Type::Text),
        ("interval_precision", Type::Int4),
        ("character_set_catalog", Type::Name),
        ("character_set_schema", Type::Name),
        ("character_set_name", Type::Name),
        ("collation_catalog", Type::Name),
        ("collation_schema", Type::Name),
        ("collation_name", Type::Name),
        ("domain_catalog", Type::Name),
        ("domain_schema", Type::Name),
        ("domain_name", Type::Name),
        ("udt_catalog", Type::Name),
        ("udt_schema", Type::Name),
        ("udt_name", Type::Name),
        ("scope_catalog", Type::Name),
        ("scope_schema", Type::Name),
        ("scope_name", Type::Name),
        ("maximum_cardinality", Type::Int4),
        ("dtd_identifier", Type::Name),
        ("is_self_referencing", Type::Text),
        ("is_identity", Type::Text),
        ("identity_generation", Type::Text),
        ("identity_start", Type::Text),
        ("identity_increment", Type::Text),
        ("identity_maximum", Type::Text),
        ("identity_minimum", Type::Text),
        ("identity_cycle", Type::Text),
        ("is_generated", Type::Text),
        ("generation_expression", Type::Text),
        ("is_updatable", Type::Text),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        let mut push = |schema_oid: u32, table: &str, n: usize, c: Shown<'_>| {
            let length = match c.ty {
                Type::Varchar | Type::Bpchar => typmod_length(c.typmod),
                Type::Bit | Type::Varbit => usize::try_from(c.typmod).ok(),
                _ => None,
            };
            let octets = match c.ty {
                Type::Text | Type::Varchar | Type::Bpchar => Some(length.map_or(1 << 30, |l| l * 4)),
                _ => None,
            };
            let int = |n: Option<i64>| n.map_or(Datum::Null, |n| Datum::Int4(n as i32));
            let (precision, radix, scale) = match c.ty {
                Type::Int2 => (Some(16), Some(2), Some(0)),
                Type::Int4 => (Some(32), Some(2), Some(0)),
                Type::Int8 => (Some(64), Some(2), Some(0)),
                Type::Float4 => (Some(24), Some(2), None),
                Type::Float8 => (Some(53), Some(2), None),
                Type::Numeric => match typmod_numeric(c.typmod) {
                    Some((p, s)) => (Some(i64::from(p)), Some(10), Some(limits::scale(s))),
                    None => (None, Some(10), None),
                },
                _ => (None, None, None),
            };
            // A domain over a domain is of no type of PostgreSQL's own.
            let over = c.domain.and_then(|d| catalog.domain(d)?.1.over).and_then(|o| catalog.user_type(o));
            let own = c.ty.user_oid().and_then(|oid| catalog.user_type(oid));
            let of_array = c.domain.filter(|d| is_domain_array(*d)).map(domain_itself);
            let of_array = of_array.and_then(|d| catalog.user_type(d));
            let udt = of_array.or(over).or(own);
            let data_type = if over.is_some() && of_array.is_none() {
                "USER-DEFINED".to_owned()
            } else if c.ty.is_array() {
                "ARRAY".to_owned()
            } else {
                if c.ty.kept_oid().is_some() {
                    "USER-DEFINED".to_owned()
                } else {
                    c.ty.sql_name().into_owned()
                }
            };
            let (domain_schema, domain_name) = super::domains::named(catalog, c.domain);
            let number =
                |of: fn(&Sequence) -> i64| c.sequence.map_or(Datum::Null, |s| text(of(s).to_string()));
            let mut row = vec![
                text(cx.database_name()),
                schema(catalog, schema_oid),
                text(table),
                text(c.name),
                Datum::Int4(n as i32 + 1),
                opt(c.default),
                text(if c.not_null || is_never_null(catalog, c.domain) { "NO" } else { "YES" }),
                text(data_type),
                int(length.map(|l| l as i64)),
                int(octets.map(|l| l as i64)),
                int(precision),
                int(radix),
                int(scale),
                int(limits::seconds(c.ty, c.typmod)),
                limits::interval_type(c.ty, c.typmod),
            ];
            // Precisions of intervals and character sets are not there.
            row.extend((0..4).map(|_| Datum::Null));
            row.extend(limits::collation(catalog, cx, c.collation));
            row.extend([
                if c.domain.is_some_and(|d| !is_domain_array(d)) {
                    text(cx.database_name())
                } else {
                    Datum::Null
                },
                domain_schema,
                domain_name,
                text(cx.database_name()),
                match udt {
                    Some(t) => schema(catalog, t.schema),
                    None => match catalog.schema_of_type(c.ty) {
                        Some(of_extension) => schema(catalog, of_extension),
                        None => text("pg_catalog"),
                    },
                },
                match udt {
                    Some(t) if of_array.is_some() || over.is_none() && c.ty.is_array() => {
                        text(format!("_{}", t.name))
                    }
                    Some(t) => text(&t.name),
                    None => text(c.ty.pg_name()),
                },
            ]);
            row.extend((0..4).map(|_| Datum::Null));
            row.extend([
                text((n + 1).to_string()),
                text("NO"),
                text(if c.identity.is_some() { "YES" } else { "NO" }),
                opt(c.identity),
                number(|s| s.start),
                number(|s| s.increment),
                number(|s| s.max),
                number(|s| s.min),
                text(if c.sequence.is_some_and(|s| s.cycle) { "YES" } else { "NO" }),
                text(if c.generation.is_some() { "ALWAYS" } else { "NEVER" }),
                opt(c.generation),
                text(if c.is_updatable { "YES" } else { "NO" }),
            ]);
            rows.push(row);
        };
        let sequences: HashMap<(u32, usize), &Sequence> = catalog
            .sequences()
            .filter_map(|s| s.owned_by.filter(|o| o.2).map(|(table, column, _)| ((table, column), &**s)))
            .collect();
        let seen = Seen::of(catalog, cx);
        for v in catalog.views() {
            for (n, c) in v.columns.iter().enumerate().filter(|(n, _)| seen.column(v.oid, *n)) {
                let shown = Shown {
                    name: &c.name,
                    ty: c.ty,
                    typmod: c.typmod,
                    not_null: false,
                    default: c.default.as_deref(),
                    identity: None,
                    sequence: None,
                    generation: None,
                    is_updatable: cx.is_column_updatable(catalog, v, n),
                    domain: c.domain,
                    collation: classes::collation(c.ty),
                };
                push(v.schema, &v.name, n, shown);
            }
        }
        let is_shown = |s: u32| !catalog.is_temporary(s) || cx.search_path().contains(&s);
        for t in catalog.tables().filter(|t| t.materialized.is_none() && is_shown(t.schema)) {
            for (n, c) in t.live_columns().filter(|(n, _)| seen.column(t.oid, *n)) {
                let identity = c.identity.map(|i| match i {
                    crate::catalog::Identity::Always => "ALWAYS",
                    crate::catalog::Identity::ByDefault => "BY DEFAULT",
                });
                let is_generated = c.generated.is_some();
                let default = c.default.as_deref().filter(|_| identity.is_none() && !is_generated);
                let default = default.map(|d| cx.shown_value(d, t.oid));
                let generation = c.default.as_deref().filter(|_| is_generated);
                let generation = generation.map(|g| cx.shown_value(g, t.oid));
                let shown = Shown {
                    name: &c.name,
                    ty: c.ty,
                    typmod: c.typmod,
                    not_null: c.not_null,
                    default: default.as_deref(),
                    identity,
                    sequence: sequences.get(&(t.oid, n)).copied(),
                    generation: generation.as_deref(),
                    is_updatable: true,
                    domain: c.domain,
                    collation: match c.settings.collation {
                        0 => classes::collation(c.ty),
                        own => own,
                    },
                };
                push(t.schema, &t.name, n, shown);
            }
        }
        for v in super::all().iter().filter(|v| seen.relation(v.oid)) {
            for (n, (name, ty)) in v.columns.iter().enumerate() {
                let (not_null, default, identity, sequence, generation) = (false, None, None, None, None);
                let (typmod, is_updatable, domain) = (-1, !v.is_view, None);
                let ty = *ty;
                let shown = Shown {
                    name,
                    ty,
                    typmod,
                    not_null,
                    default,
                    identity,
                    sequence,
                    generation,
                    is_updatable,
                    domain,
                    collation: classes::collation(ty),
                };
                push(v.schema, v.name, n, shown);
            }
        }
        Ok(rows)
    },
);

struct Shown<'a> {
    name: &'a str,
    ty: Type,
    typmod: i32,
    not_null: bool,
    default: Option<&'a str>,
    identity: Option<&'static str>,
    /// Of an identity column.
    sequence: Option<&'a Sequence>,
    generation: Option<&'a str>,
    is_updatable: bool,
    domain: Option<u32>,
    collation: u32,
}

/// Whether a domain's values are never NULL.
fn is_never_null(catalog: &Catalog, domain: Option<u32>) -> bool {
    let of = domain.filter(|d| !is_domain_array(*d)).and_then(|d| catalog.domain(d));
    of.is_some_and(|(_, d)| d.not_null.is_some())
}

static SEQUENCES: VirtualTable = view(
    13006,
    "sequences",
    &[
        ("sequence_catalog", Type::Name),
        ("sequence_schema", Type::Name),
        ("sequence_name", Type::Name),
        ("data_type", Type::Text),
        ("numeric_precision", Type::Int4),
        ("numeric_precision_radix", Type::Int4),
        ("numeric_scale", Type::Int4),
        ("start_value", Type::Text),
        ("minimum_value", Type::Text),
        ("maximum_value", Type::Text),
        ("increment", Type::Text),
        ("cycle_option", Type::Text),
    ],
    |catalog, cx| {
        let seen = Seen::of(catalog, cx);
        Ok(catalog
            .sequences()
            .filter(|s| seen.sequence(s.oid))
            // Those of identity columns are a part of these.
            .filter(|s| s.owned_by.is_none_or(|(_, _, identity)| !identity))
            .map(|s| {
                vec![
                    text(cx.database_name()),
                    schema(catalog, s.schema),
                    text(&s.name),
                    text(s.ty.sql_name()),
                    Datum::Int4(i32::from(s.ty.len()) * 8),
                    Datum::Int4(2),
                    Datum::Int4(0),
                    text(s.start.to_string()),
                    text(s.min.to_string()),
                    text(s.max.to_string()),
                    text(s.increment.to_string()),
                    text(if s.cycle { "YES" } else { "NO" }),
                ]
            })
            .collect())
    },
);
