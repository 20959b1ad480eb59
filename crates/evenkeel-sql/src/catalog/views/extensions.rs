//! `pg_extension`, `pg_available_extensions`, `pg_available_extension_versions`.
//!
//! Must not know: what an extension has.

use super::roles::owner_of;
use super::{VirtualTable, opt, table, text, view, yes};
use crate::catalog::extension::{AVAILABLE, available};
use crate::catalog::{OWNER_OID, PG_CATALOG_OID};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] =
    &[&PG_EXTENSION, &PG_AVAILABLE_EXTENSIONS, &PG_AVAILABLE_EXTENSION_VERSIONS];

/// OID of `plpgsql`, which every database has.
pub const PLPGSQL_OID: u32 = 13500;

static PG_EXTENSION: VirtualTable = table(
    3079,
    "pg_extension",
    &[
        ("oid", Type::Oid),
        ("extname", Type::Name),
        ("extowner", Type::Oid),
        ("extnamespace", Type::Oid),
        ("extrelocatable", Type::Bool),
        ("extversion", Type::Text),
        ("extconfig", Type::OidArray),
        ("extcondition", Type::TextArray),
    ],
    |catalog, _| {
        let row = |oid: u32, name: &str, owner: Datum, schema: u32| {
            let version = available(name).map(|a| a.version);
            vec![
                Datum::Oid(oid),
                text(name),
                owner,
                Datum::Oid(schema),
                yes(schema != PG_CATALOG_OID),
                opt(version),
                Datum::Null,
                Datum::Null,
            ]
        };
        let always = row(PLPGSQL_OID, "plpgsql", Datum::Oid(OWNER_OID), PG_CATALOG_OID);
        let made = catalog.extensions().map(|e| row(e.oid, &e.name, owner_of(catalog, e.oid), e.schema));
        Ok([always].into_iter().chain(made).collect())
    },
);

static PG_AVAILABLE_EXTENSIONS: VirtualTable = view(
    12105,
    "pg_available_extensions",
    &[
        ("name", Type::Name),
        ("default_version", Type::Text),
        ("installed_version", Type::Text),
        ("comment", Type::Text),
    ],
    |catalog, _| {
        let row = |a: &crate::catalog::extension::Available| {
            let is_there = a.name == "plpgsql" || catalog.extension_named(a.name).is_some();
            let installed = if is_there { text(a.version) } else { Datum::Null };
            vec![text(a.name), text(a.version), installed, text(a.comment)]
        };
        Ok(AVAILABLE.iter().map(row).collect())
    },
);

// Each is there in one version. Who may create objects in the database may have them, as PostgreSQL's trusted ones.
static PG_AVAILABLE_EXTENSION_VERSIONS: VirtualTable = view(
    12464,
    "pg_available_extension_versions",
    &[
        ("name", Type::Name),
        ("version", Type::Text),
        ("installed", Type::Bool),
        ("superuser", Type::Bool),
        ("trusted", Type::Bool),
        ("relocatable", Type::Bool),
        ("schema", Type::Name),
        ("requires", Type::NameArray),
        ("comment", Type::Text),
    ],
    |catalog, _| {
        let row = |a: &crate::catalog::extension::Available| {
            let always = a.name == "plpgsql";
            vec![
                text(a.name),
                text(a.version),
                yes(always || catalog.extension_named(a.name).is_some()),
                yes(true),
                yes(true),
                yes(!always),
                if always { text("pg_catalog") } else { Datum::Null },
                Datum::Null,
                text(a.comment),
            ]
        };
        Ok(AVAILABLE.iter().map(row).collect())
    },
);
