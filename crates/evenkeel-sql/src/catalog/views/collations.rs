//! `pg_collation`.
//!
//! Must not know: how texts are compared.

use super::{VirtualTable, table, text, yes};
use crate::catalog::{Catalog, OWNER_OID, PG_CATALOG_OID, UserCollation};
use evenkeel_types::collation::{VERSION, all_predefined, predefined_locale, predefined_provider};
use evenkeel_types::{Datum, Type};

/// The number of the encoding.
const UTF8: i32 = 6;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_COLLATION];

static PG_COLLATION: VirtualTable = table(
    3456,
    "pg_collation",
    &[
        ("oid", Type::Oid),
        ("collname", Type::Name),
        ("collnamespace", Type::Oid),
        ("collowner", Type::Oid),
        ("collprovider", Type::Char),
        ("collisdeterministic", Type::Bool),
        ("collencoding", Type::Int4),
        ("collcollate", Type::Text),
        ("collctype", Type::Text),
        ("colllocale", Type::Text),
        ("colliculocale", Type::Text),
        ("collicurules", Type::Text),
        ("collversion", Type::Text),
    ],
    |catalog, _| {
        let all = std::iter::once(("default".to_owned(), 100)).chain(all_predefined());
        let all = all.map(|(name, oid)| predefined(oid, &name));
        Ok(all.chain(catalog.collations().map(|c| of_user(catalog, c))).collect())
    },
);

/// The row of one that a user made.
fn of_user(catalog: &Catalog, c: &UserCollation) -> Vec<Datum> {
    let is_libc = c.provider == 'c';
    let only = |is: bool, value: &str| if is { text(value) } else { Datum::Null };
    vec![
        Datum::Oid(c.oid),
        text(&c.name),
        Datum::Oid(c.schema),
        Datum::Oid(catalog.security().owner(c.oid)),
        text(c.provider.to_string()),
        yes(c.is_deterministic),
        Datum::Int4(if c.provider == 'i' { -1 } else { UTF8 }),
        only(is_libc, &c.locale),
        only(is_libc, &c.ctype),
        only(!is_libc, &c.locale),
        only(c.provider == 'i', &c.locale),
        Datum::Null,
        c.version.as_ref().map_or(Datum::Null, text),
    ]
}

/// The row of a predefined collation.
fn predefined(oid: u32, name: &str) -> Vec<Datum> {
    let provider = predefined_provider(oid);
    let locale = match (provider, name) {
        ('d', _) => None,
        (_, "ucs_basic") => Some("C"),
        (_, "pg_c_utf8") => Some("C.UTF-8"),
        (_, "pg_unicode_fast") => Some("PG_UNICODE_FAST"),
        ('i', _) => predefined_locale(oid),
        (_, name) => Some(name),
    };
    let locale = locale.map_or(Datum::Null, text);
    let (by_libc, of_own) = if provider == 'c' { (locale, Datum::Null) } else { (Datum::Null, locale) };
    let version = match (provider, predefined_locale(oid)) {
        (_, Some(_)) => text(VERSION),
        ('b', _) => text("1"),
        _ => Datum::Null,
    };
    // Those of the C library are for one encoding, but for what is in all.
    let encoding =
        if provider == 'b' || name.contains('.') || name.contains('_') && provider == 'c' { 6 } else { -1 };
    vec![
        Datum::Oid(oid),
        text(name),
        Datum::Oid(PG_CATALOG_OID),
        Datum::Oid(OWNER_OID),
        text(provider.to_string()),
        yes(true),
        Datum::Int4(if name == "ucs_basic" { 6 } else { encoding }),
        by_libc.clone(),
        by_libc,
        of_own.clone(),
        // As it was called before version 17.
        if provider == 'i' { of_own } else { Datum::Null },
        Datum::Null,
        version,
    ]
}
