//! Operator classes and families: `pg_opclass`, `pg_opfamily`, with PostgreSQL's OIDs.
//!
//! Must not know: how keys are encoded.

use super::{VirtualTable, table, text, yes};
use crate::catalog::IndexMethod::{self, Btree, Gin, Gist, Hash};
use crate::catalog::{Catalog, Index, OWNER_OID, PG_CATALOG_OID};
use evenkeel_types::ty::HSTORE_OID;
use evenkeel_types::{Datum, Type, Type as T};
use std::collections::BTreeSet;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_OPCLASS, &PG_OPFAMILY];

/// Method, OID, name, type, whether it is the type's own, family and its name, and the type of keys if that is another.
type Class = (IndexMethod, u32, &'static str, Type, bool, u32, &'static str, u32);

#[rustfmt::skip]
static CLASSES: &[Class] = &[
    (Btree, 1978, "int4_ops", T::Int4, true, 1976, "integer_ops", 0),
    (Btree, 1979, "int2_ops", T::Int2, true, 1976, "integer_ops", 0),
    (Btree, 1981, "oid_ops", T::Oid, true, 1989, "oid_ops", 0),
    (Btree, 3122, "date_ops", T::Date, true, 434, "datetime_ops", 0),
    (Btree, 3123, "float8_ops", T::Float8, true, 1970, "float_ops", 0),
    (Btree, 3124, "int8_ops", T::Int8, true, 1976, "integer_ops", 0),
    (Btree, 3125, "numeric_ops", T::Numeric, true, 1988, "numeric_ops", 0),
    (Btree, 3126, "text_ops", T::Text, true, 1994, "text_ops", 0),
    (Btree, 3127, "timestamptz_ops", T::Timestamptz, true, 434, "datetime_ops", 0),
    (Btree, 3128, "timestamp_ops", T::Timestamp, true, 434, "datetime_ops", 0),
    (Btree, 4217, "text_pattern_ops", T::Text, false, 2095, "text_pattern_ops", 0),
    (Btree, 4218, "varchar_pattern_ops", T::Text, false, 2095, "text_pattern_ops", 0),
    (Btree, 4219, "bpchar_pattern_ops", T::Bpchar, false, 2097, "bpchar_pattern_ops", 0),
    (Btree, 10000, "array_ops", T::AnyArray, true, 397, "array_ops", 0),
    (Btree, 10003, "bool_ops", T::Bool, true, 424, "bool_ops", 0),
    (Btree, 10004, "bpchar_ops", T::Bpchar, true, 426, "bpchar_ops", 0),
    (Btree, 10006, "bytea_ops", T::Bytea, true, 428, "bytea_ops", 0),
    (Btree, 10007, "char_ops", T::Char, true, 429, "char_ops", 0),
    (Btree, 10009, "cidr_ops", T::Inet, false, 1974, "network_ops", 0),
    (Btree, 10012, "float4_ops", T::Float4, true, 1970, "float_ops", 0),
    (Btree, 10015, "inet_ops", T::Inet, true, 1974, "network_ops", 0),
    (Btree, 10022, "interval_ops", T::Interval, true, 1982, "interval_ops", 0),
    (Btree, 10026, "macaddr8_ops", T::Macaddr8, true, 3371, "macaddr8_ops", 0),
    (Btree, 10002, "bit_ops", T::Bit, true, 423, "bit_ops", 0),
    (Btree, 10043, "varbit_ops", T::Varbit, true, 2002, "varbit_ops", 0),
    (Btree, 10024, "macaddr_ops", T::Macaddr, true, 1984, "macaddr_ops", 0),
    (Btree, 10028, "name_ops", T::Name, true, 1994, "text_ops", 2275),
    (Btree, 10032, "oidvector_ops", T::OidVector, true, 1991, "oidvector_ops", 0),
    (Btree, 10034, "record_ops", T::Record, true, 2994, "record_ops", 0),
    (Btree, 10038, "time_ops", T::Time, true, 1996, "time_ops", 0),
    (Btree, 10041, "timetz_ops", T::Timetz, true, 2000, "timetz_ops", 0),
    (Btree, 10044, "varchar_ops", T::Text, false, 1994, "text_ops", 0),
    (Btree, 10065, "uuid_ops", T::Uuid, true, 2968, "uuid_ops", 0),
    (Btree, 10067, "pg_lsn_ops", T::PgLsn, true, 3253, "pg_lsn_ops", 0),
    (Btree, 10050, "tid_ops", T::Tid, true, 2789, "tid_ops", 0),
    (Btree, 10047, "money_ops", T::Money, true, 2099, "money_ops", 0),
    (Btree, 10053, "xid8_ops", T::Xid8, true, 5067, "xid8_ops", 0),
    (Btree, 10069, "enum_ops", T::AnyEnum, true, 3522, "enum_ops", 0),
    (Btree, 10088, "jsonb_ops", T::Jsonb, true, 4033, "jsonb_ops", 0),
    (Hash, 10001, "array_ops", T::AnyArray, true, 627, "array_ops", 0),
    (Hash, 10005, "bpchar_ops", T::Bpchar, true, 427, "bpchar_ops", 0),
    (Hash, 10008, "char_ops", T::Char, true, 431, "char_ops", 0),
    (Hash, 10010, "cidr_ops", T::Inet, false, 1975, "network_ops", 0),
    (Hash, 10011, "date_ops", T::Date, true, 435, "date_ops", 0),
    (Hash, 10013, "float4_ops", T::Float4, true, 1971, "float_ops", 0),
    (Hash, 10014, "float8_ops", T::Float8, true, 1971, "float_ops", 0),
    (Hash, 10016, "inet_ops", T::Inet, true, 1975, "network_ops", 0),
    (Hash, 10019, "int2_ops", T::Int2, true, 1977, "integer_ops", 0),
    (Hash, 10020, "int4_ops", T::Int4, true, 1977, "integer_ops", 0),
    (Hash, 10021, "int8_ops", T::Int8, true, 1977, "integer_ops", 0),
    (Hash, 10023, "interval_ops", T::Interval, true, 1983, "interval_ops", 0),
    (Hash, 10027, "macaddr8_ops", T::Macaddr8, true, 3372, "macaddr8_ops", 0),
    (Hash, 10025, "macaddr_ops", T::Macaddr, true, 1985, "macaddr_ops", 0),
    (Hash, 10029, "name_ops", T::Name, true, 1995, "text_ops", 0),
    (Hash, 10030, "numeric_ops", T::Numeric, true, 1998, "numeric_ops", 0),
    (Hash, 10031, "oid_ops", T::Oid, true, 1990, "oid_ops", 0),
    (Hash, 10033, "oidvector_ops", T::OidVector, true, 1992, "oidvector_ops", 0),
    (Hash, 10037, "text_ops", T::Text, true, 1995, "text_ops", 0),
    (Hash, 10039, "time_ops", T::Time, true, 1997, "time_ops", 0),
    (Hash, 10040, "timestamptz_ops", T::Timestamptz, true, 1999, "timestamptz_ops", 0),
    (Hash, 10042, "timetz_ops", T::Timetz, true, 2001, "timetz_ops", 0),
    (Hash, 10045, "varchar_ops", T::Text, false, 1995, "text_ops", 0),
    (Hash, 10046, "timestamp_ops", T::Timestamp, true, 2040, "timestamp_ops", 0),
    (Hash, 10048, "bool_ops", T::Bool, true, 2222, "bool_ops", 0),
    (Hash, 10049, "bytea_ops", T::Bytea, true, 2223, "bytea_ops", 0),
    (Hash, 10055, "tid_ops", T::Tid, true, 2227, "tid_ops", 0),
    (Hash, 10052, "xid8_ops", T::Xid8, true, 5032, "xid8_ops", 0),
    (Hash, 10056, "text_pattern_ops", T::Text, false, 2229, "text_pattern_ops", 0),
    (Hash, 10057, "varchar_pattern_ops", T::Text, false, 2229, "text_pattern_ops", 0),
    (Hash, 10058, "bpchar_pattern_ops", T::Bpchar, false, 2231, "bpchar_pattern_ops", 0),
    (Hash, 10066, "uuid_ops", T::Uuid, true, 2969, "uuid_ops", 0),
    (Hash, 10068, "pg_lsn_ops", T::PgLsn, true, 3254, "pg_lsn_ops", 0),
    (Hash, 10070, "enum_ops", T::AnyEnum, true, 3523, "enum_ops", 0),
    (Hash, 10089, "jsonb_ops", T::Jsonb, true, 4034, "jsonb_ops", 0),
    (Gin, 10064, "array_ops", T::AnyArray, true, 2745, "array_ops", 2283),
    (Gin, 10090, "jsonb_ops", T::Jsonb, true, 4036, "jsonb_ops", 25),
    (Gin, 10091, "jsonb_path_ops", T::Jsonb, false, 4037, "jsonb_path_ops", 23),
    (Btree, 13604, "btree_hstore_ops", T::Hstore, true, 13605, "btree_hstore_ops", 0),
    (Hash, 13606, "hash_hstore_ops", T::Hstore, true, 13607, "hash_hstore_ops", 0),
    (Gin, 13608, "gin_hstore_ops", T::Hstore, true, 13609, "gin_hstore_ops", 25),
    (Gin, 13600, "gin_trgm_ops", T::Text, false, 13602, "gin_trgm_ops", 23),
    (Gist, 13601, "gist_trgm_ops", T::Text, false, 13603, "gist_trgm_ops", 0),
];

/// The name of a class, or of a family, and its method's.
pub fn named(is_family: bool, oid: u32) -> Option<(&'static str, &'static str)> {
    let found = CLASSES.iter().find(|c| if is_family { c.5 == oid } else { c.1 == oid })?;
    Some((if is_family { found.6 } else { found.2 }, found.0.name()))
}

/// OID of an access method.
pub fn oid_of_method(name: &str) -> Option<u32> {
    let all = [Btree, Hash, Gin, Gist, IndexMethod::Brin];
    all.iter().find(|m| m.name() == name).map(|m| m.oid()).or((name == "heap").then_some(2))
}

/// The name of an access method.
pub fn method_named(oid: u32) -> Option<&'static str> {
    let all = [Btree, Hash, Gin, Gist, IndexMethod::Brin];
    all.iter().find(|m| m.oid() == oid).map(|m| m.name()).or((oid == 2).then_some("heap"))
}

/// The classes and families that pg_trgm brings: the catalog's OID, and theirs.
pub const OF_TRIGRAMS: [(u32, u32); 4] = [(2616, 13600), (2616, 13601), (2753, 13602), (2753, 13603)];

/// The same of hstore, with its type.
pub const OF_HSTORE: [(u32, u32); 7] = [
    (super::class_oid::TYPE, HSTORE_OID),
    (2616, 13604),
    (2616, 13606),
    (2616, 13608),
    (2753, 13605),
    (2753, 13607),
    (2753, 13609),
];

/// The schema of a class or of a family, by its name: those of an extension that is not there have none.
fn schema_of(catalog: &Catalog, name: &str) -> Option<u32> {
    match name {
        "btree_hstore_ops" | "hash_hstore_ops" | "gin_hstore_ops" => {
            catalog.extension_named("hstore").map(|e| e.schema)
        }
        "gin_trgm_ops" | "gist_trgm_ops" => catalog.extension_named("pg_trgm").map(|e| e.schema),
        _ => Some(PG_CATALOG_OID),
    }
}

/// The OID of the class of an index's column.
pub fn class_of(index: &Index, n: usize, types: &[Type]) -> u32 {
    let ty = match index.key_type(types, n) {
        T::Varchar => T::Text,
        T::Cidr => T::Inet,
        t if t.is_reg() => T::Oid,
        t if t.is_array() => T::AnyArray,
        T::Enum(_) => T::AnyEnum,
        T::Composite(_) => T::Record,
        t => t,
    };
    let name = index.columns[n].class.name();
    let is_it = |c: &&Class| {
        let named = name.map_or(c.4, |name| c.2 == name);
        c.0 == index.extra.method && named && (c.3 == ty || name.is_some())
    };
    CLASSES.iter().find(is_it).map_or(0, |c| c.1)
}

static PG_OPCLASS: VirtualTable = table(
    2616,
    "pg_opclass",
    &[
        ("oid", T::Oid),
        ("opcmethod", T::Oid),
        ("opcname", T::Name),
        ("opcnamespace", T::Oid),
        ("opcowner", T::Oid),
        ("opcfamily", T::Oid),
        ("opcintype", T::Oid),
        ("opcdefault", T::Bool),
        ("opckeytype", T::Oid),
    ],
    |catalog, _| {
        let row = |(method, oid, name, ty, default, family, _, key): &Class| {
            Some(vec![
                Datum::Oid(*oid),
                Datum::Oid(method.oid()),
                text(name),
                Datum::Oid(schema_of(catalog, name)?),
                Datum::Oid(OWNER_OID),
                Datum::Oid(*family),
                Datum::Oid(ty.oid()),
                yes(*default),
                Datum::Oid(*key),
            ])
        };
        Ok(CLASSES.iter().filter_map(row).collect())
    },
);

static PG_OPFAMILY: VirtualTable = table(
    2753,
    "pg_opfamily",
    &[
        ("oid", T::Oid),
        ("opfmethod", T::Oid),
        ("opfname", T::Name),
        ("opfnamespace", T::Oid),
        ("opfowner", T::Oid),
    ],
    |catalog, _| {
        let families: BTreeSet<(u32, u32, &str)> = CLASSES.iter().map(|c| (c.5, c.0.oid(), c.6)).collect();
        let row = |(oid, method, name): (u32, u32, &str)| {
            Some(vec![
                Datum::Oid(oid),
                Datum::Oid(method),
                text(name),
                Datum::Oid(schema_of(catalog, name)?),
                Datum::Oid(OWNER_OID),
            ])
        };
        Ok(families.into_iter().filter_map(row).collect())
    },
);
