//! Types, functions and operators: `pg_type`, `pg_proc`, `pg_aggregate`, `pg_operator`, `pg_am`, `pg_language`,
//! `pg_collation`, from the tables that the binder itself resolves names with.
//!
//! Functions and operators have no fixed OIDs here: they are numbered in the order of their tables, from [`FIRST_FUNCTION_OID`]. Those on large objects have
//! PostgreSQL's: drivers call them by OID, and some of them know none above 2^31.
//!
//! Must not know: sessions.

use super::classes::{BTREE_AM_OID, HEAP_AM_OID, align_and_storage, collation};
use super::{VirtualTable, table, text, type_io, yes};
use crate::catalog::{
    Catalog, Domain, INFORMATION_SCHEMA_OID, IndexMethod, OWNER_OID, PG_CATALOG_OID, row_type_of,
};
use evenkeel_types::funcs::extension_of;
use evenkeel_types::{
    AggFn, AggKind, Datum, ScalarFn, Type, Volatility, all_aggregates, all_functions, all_operators,
    format_type,
};
use std::sync::LazyLock;

/// The first OID of built-in functions: far above what user objects reach.
pub const FIRST_FUNCTION_OID: u32 = 3_000_000_000;
pub(super) const FIRST_AGGREGATE_OID: u32 = 3_100_000_000;
pub(super) const FIRST_OPERATOR_OID: u32 = 3_200_000_000;
const INTERNAL_LANGUAGE_OID: u32 = 12;

pub(super) static FUNCTIONS: LazyLock<Vec<&'static ScalarFn>> = LazyLock::new(all_functions);
pub(super) static AGGREGATES: LazyLock<Vec<&'static AggFn>> = LazyLock::new(all_aggregates);

/// PostgreSQL's OIDs of functions on large objects, by name and number of arguments.
const LARGE_OBJECT_OIDS: [(&str, usize, u32); 20] = [
    ("lo_creat", 1, 957),
    ("lo_create", 1, 715),
    ("lo_open", 2, 952),
    ("lo_close", 1, 953),
    ("loread", 2, 954),
    ("lowrite", 2, 955),
    ("lo_lseek", 3, 956),
    ("lo_lseek64", 3, 3170),
    ("lo_tell", 1, 958),
    ("lo_tell64", 1, 3171),
    ("lo_truncate", 2, 1004),
    ("lo_truncate64", 2, 3172),
    ("lo_unlink", 1, 964),
    ("lo_from_bytea", 2, 3457),
    ("lo_get", 1, 3458),
    ("lo_get", 3, 3459),
    ("lo_put", 3, 3460),
    ("lo_import", 1, 764),
    ("lo_import", 2, 767),
    ("lo_export", 2, 765),
];

/// OID of a function by its place among all.
pub(super) fn oid_at(place: usize) -> u32 {
    let is_it =
        |f: &&ScalarFn, (name, args, _): &(&str, usize, u32)| f.name == *name && f.args.len() == *args;
    let fixed = FUNCTIONS.get(place).and_then(|f| LARGE_OBJECT_OIDS.iter().find(|fixed| is_it(f, fixed)));
    fixed.map_or(FIRST_FUNCTION_OID + place as u32, |(.., oid)| *oid)
}

/// A function by OID: no aggregate, and none that reads or writes values of a type.
pub fn function_at(oid: u32) -> Option<&'static ScalarFn> {
    if let Some(place) = oid.checked_sub(FIRST_FUNCTION_OID) {
        return FUNCTIONS.get(place as usize).copied();
    }
    let (name, args, _) = LARGE_OBJECT_OIDS.iter().find(|(.., fixed)| *fixed == oid)?;
    FUNCTIONS.iter().find(|f| f.name == *name && f.args.len() == *args).copied()
}

/// OID of the first function of a name.
pub fn function_oid(name: &str) -> Option<u32> {
    if let Some(n) = FUNCTIONS.iter().position(|f| f.name == name) {
        return Some(oid_at(n));
    }
    let aggregate = AGGREGATES.iter().position(|f| f.name == name).map(|n| FIRST_AGGREGATE_OID + n as u32);
    aggregate.or_else(|| type_io::function_oid(name))
}

/// Name of a function.
pub fn function_name(oid: u32) -> Option<&'static str> {
    if let Some(f) = type_io::function(oid) {
        return Some(f.name);
    }
    if let Some(n) = oid.checked_sub(FIRST_AGGREGATE_OID) {
        return AGGREGATES.get(n as usize).map(|f| f.name);
    }
    function_at(oid).map(|f| f.name)
}

/// What a function takes, as `pg_get_function_arguments` writes it.
pub fn function_arguments(oid: u32) -> Option<String> {
    let name = |t: Type| format_type(if t == Type::AnyToText { Type::Any } else { t }, -1);
    if let Some(f) = type_io::function(oid) {
        return Some(f.args.iter().map(|t| type_name(*t)).collect::<Vec<_>>().join(", "));
    }
    if let Some(n) = oid.checked_sub(FIRST_AGGREGATE_OID).filter(|_| oid < FIRST_OPERATOR_OID) {
        let a = AGGREGATES.get(n as usize)?;
        let mut types: Vec<String> = a.args.iter().map(|t| name(*t)).collect();
        return Some(match a.kind() {
            AggKind::Normal => types.join(", "),
            AggKind::OrderedSet => {
                let ordered = types.pop()?;
                let blank = if types.is_empty() { "" } else { " " };
                format!("{}{blank}ORDER BY {ordered}", types.join(", "))
            }
            AggKind::Hypothetical => "VARIADIC \"any\" ORDER BY VARIADIC \"any\"".to_owned(),
        });
    }
    let f = function_at(oid)?;
    let last = f.args.len().saturating_sub(1);
    let one = |(n, t): (usize, &Type)| match t {
        t if !f.variadic || n < last => name(*t),
        t => format!("VARIADIC {}", name(t.array_of().unwrap_or(*t))),
    };
    Some(f.args.iter().enumerate().map(one).collect::<Vec<_>>().join(", "))
}

/// A type by its OID, be it a name alone.
pub(super) fn type_name(oid: u32) -> String {
    let alone = || type_io::name_alone(oid).unwrap_or_else(|| "???".into());
    Type::from_oid(oid).filter(|t| *t != Type::AnyToText).map_or_else(alone, |t| format_type(t, -1))
}

/// What a function gives, as `pg_get_function_result` writes it.
pub fn function_result(oid: u32) -> Option<String> {
    if let Some(f) = type_io::function(oid) {
        return Some(type_name(f.ret));
    }
    let ret = match oid.checked_sub(FIRST_AGGREGATE_OID) {
        Some(n) => AGGREGATES.get(n as usize)?.ret,
        None => function_at(oid)?.ret,
    };
    Some(format_type(ret, -1))
}

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_TYPE,
    &PG_ENUM,
    &PG_PROC,
    &PG_AGGREGATE,
    &PG_OPERATOR,
    &super::casts::PG_CAST,
    &PG_AM,
    &PG_LANGUAGE,
];

/// PostgreSQL's OID of a type as arguments and results are catalogued.
pub(super) fn shown_oid(t: Type) -> u32 {
    match t {
        Type::AnyToText => Type::Any.oid(),
        t => t.oid(),
    }
}

static PG_TYPE: VirtualTable = table(
    1247,
    "pg_type",
    &[
        ("oid", Type::Oid),
        ("typname", Type::Name),
        ("typnamespace", Type::Oid),
        ("typowner", Type::Oid),
        ("typlen", Type::Int2),
        ("typbyval", Type::Bool),
        ("typtype", Type::Char),
        ("typcategory", Type::Char),
        ("typispreferred", Type::Bool),
        ("typisdefined", Type::Bool),
        ("typdelim", Type::Char),
        ("typrelid", Type::Oid),
        ("typsubscript", Type::Regproc),
        ("typelem", Type::Oid),
        ("typarray", Type::Oid),
        ("typinput", Type::Regproc),
        ("typoutput", Type::Regproc),
        ("typreceive", Type::Regproc),
        ("typsend", Type::Regproc),
        ("typmodin", Type::Regproc),
        ("typmodout", Type::Regproc),
        ("typanalyze", Type::Regproc),
        ("typalign", Type::Char),
        ("typstorage", Type::Char),
        ("typnotnull", Type::Bool),
        ("typbasetype", Type::Oid),
        ("typtypmod", Type::Int4),
        ("typndims", Type::Int4),
        ("typcollation", Type::Oid),
        ("typdefaultbin", Type::Text),
        ("typdefault", Type::Text),
        ("typacl", Type::TextArray),
    ],
    |catalog, cx| {
        let builtin =
            Type::ALL.into_iter().filter(|t| *t != Type::AnyToText).filter(|t| is_there(catalog, *t));
        let mut rows: Vec<Vec<Datum>> = builtin
            .map(|t| {
                let kind = if t.is_pseudo() { "p" } else { "b" };
                let schema = catalog.schema_of_type(t).unwrap_or(PG_CATALOG_OID);
                let shown = Shown { name: &t.pg_name(), schema, kind };
                type_row(t, shown, Datum::Oid(OWNER_OID), Datum::Null)
            })
            .collect();
        rows.extend(type_io::names_alone().iter().map(row_alone));
        for t in catalog.types() {
            let owner = super::roles::owner_of(catalog, t.oid);
            let acl = super::roles::acl_of(catalog, t.oid);
            let shown = Shown { name: &t.name, schema: t.schema, kind: t.kind() };
            let mut row = type_row(t.ty(), shown, owner.clone(), acl);
            if let Some(d) = &t.domain {
                of_domain(&mut row, t.oid, d, d.default.as_deref().map(|d| cx.shown_value(d, 0)));
                rows.push(row);
                if let Some(array) = t.named_array() {
                    let name = format!("_{}", t.name);
                    let shown = Shown { name: &name, schema: t.schema, kind: "b" };
                    let mut row = type_row(array.ty, shown, owner, Datum::Null);
                    row[place("oid")] = Datum::Oid(array.oid());
                    row[place("typelem")] = Datum::Oid(t.oid);
                    rows.push(row);
                }
                continue;
            }
            if let Some(class) = t.class_oid() {
                row[place("typrelid")] = Datum::Oid(class);
            }
            rows.push(row);
            let name = format!("_{}", t.name);
            let shown = Shown { name: &name, schema: t.schema, kind: "b" };
            if let Some(array) = t.ty().array_of() {
                rows.push(type_row(array, shown, owner, Datum::Null));
            }
        }
        let tables = catalog.tables().map(|t| (t.oid, t.schema, &*t.name));
        let views = catalog.views().map(|v| (v.oid, v.schema, &*v.name));
        let own = super::all().iter().map(|v| (v.oid, v.schema, v.name));
        for (oid, schema, name) in own.chain(tables).chain(views) {
            rows.extend(rows_of_relation(oid, schema, name, super::roles::owner_of(catalog, oid)));
        }
        Ok(rows)
    },
);

/// Where a column of `pg_type` stands.
fn place(name: &str) -> usize {
    PG_TYPE.columns.iter().position(|c| c.0 == name).unwrap_or(0)
}

/// Makes the row of a domain of that of the type that it is over.
fn of_domain(row: &mut [Datum], oid: u32, d: &Domain, default: Option<String>) {
    let mut set = |name: &str, value: Datum| row[place(name)] = value;
    set("oid", Datum::Oid(oid));
    set("typelem", Datum::Oid(0));
    set("typarray", Datum::Oid(if d.ty.array_of().is_some() { oid + 1 } else { 0 }));
    set("typispreferred", yes(false));
    set("typnotnull", yes(d.not_null.is_some()));
    set("typbasetype", Datum::Oid(d.over.unwrap_or(d.ty.oid())));
    set("typtypmod", Datum::Int4(if d.over.is_some() { -1 } else { d.typmod }));
    set("typndims", Datum::Int4(i32::from(d.ty.is_array())));
    if d.collation != 0 {
        set("typcollation", Datum::Oid(d.collation));
    }
    if let Some(default) = default {
        set("typdefaultbin", text(&default));
        set("typdefault", text(default));
    }
    set_io(row, type_io::of_domain(type_io::of(d.ty)));
}

/// What a type is called, where, and which letter says what it is.
struct Shown<'a> {
    name: &'a str,
    schema: u32,
    kind: &'static str,
}

/// The rows of a relation's row type and of its array.
fn rows_of_relation(oid: u32, schema: u32, name: &str, owner: Datum) -> [Vec<Datum>; 2] {
    let of = row_type_of(oid);
    let mut row =
        type_row(Type::Composite(of), Shown { name, schema, kind: "c" }, owner.clone(), Datum::Null);
    row[place("typrelid")] = Datum::Oid(oid);
    let name = &format!("_{name}");
    [row, type_row(Type::CompositeArray(of), Shown { name, schema, kind: "b" }, owner, Datum::Null)]
}

/// The row of a type that is a name alone.
fn row_alone(n: &type_io::NameAlone) -> Vec<Datum> {
    let shown = Shown { name: n.name, schema: PG_CATALOG_OID, kind: n.kind };
    let mut row = type_row(Type::Void, shown, Datum::Oid(OWNER_OID), Datum::Null);
    let mut set = |name: &str, value: Datum| row[place(name)] = value;
    set("oid", Datum::Oid(n.oid));
    set("typlen", Datum::Int2(n.len));
    set("typbyval", yes(n.len > 0));
    set("typcategory", text(n.category));
    set("typelem", Datum::Oid(n.element));
    set("typarray", Datum::Oid(n.array));
    set("typalign", text(n.align));
    set("typstorage", text(n.storage));
    set_io(&mut row, n.io);
    row
}

/// Puts in what reads and writes values.
fn set_io(row: &mut [Datum], io: type_io::Io) {
    const NAMES: [&str; 8] = [
        "typinput",
        "typoutput",
        "typreceive",
        "typsend",
        "typmodin",
        "typmodout",
        "typanalyze",
        "typsubscript",
    ];
    for (name, oid) in NAMES.into_iter().zip(io) {
        row[place(name)] = Datum::Oid(oid);
    }
}

fn type_row(t: Type, shown: Shown<'_>, owner: Datum, acl: Datum) -> Vec<Datum> {
    let (align, storage) = align_and_storage(t);
    let none = || Datum::Oid(0);
    let mut row = vec![
        Datum::Oid(t.oid()),
        text(shown.name),
        Datum::Oid(shown.schema),
        owner,
        Datum::Int2(t.len()),
        yes(t.by_value()),
        text(shown.kind),
        text((t.category() as char).to_string()),
        yes(t.is_preferred()),
        yes(true),
        text(","),
        none(),
        none(),
        Datum::Oid(t.element().map_or(0, Type::oid)),
        Datum::Oid(t.array_of().map_or(0, Type::oid)),
        none(),
        none(),
        none(),
        none(),
        none(),
        none(),
        none(),
        text(align),
        text(storage),
        yes(false),
        none(),
        Datum::Int4(-1),
        Datum::Int4(0),
        Datum::Oid(collation(t)),
        Datum::Null,
        Datum::Null,
        acl,
    ];
    set_io(&mut row, type_io::of(t));
    row
}

/// OID of a label of an enum: from the type's and the label's place, out of the range of all others.
fn label_oid(ty: u32, place: usize) -> u32 {
    3 << 30 | (ty << 8 & 0x3FFF_FF00) | (place as u32 & 0xFF)
}

static PG_ENUM: VirtualTable = table(
    3501,
    "pg_enum",
    &[
        ("oid", Type::Oid),
        ("enumtypid", Type::Oid),
        ("enumsortorder", Type::Float4),
        ("enumlabel", Type::Name),
    ],
    |catalog, _| {
        let mut rows = Vec::new();
        for t in catalog.types() {
            for (n, (value, label)) in t.labels.iter().enumerate() {
                rows.push(vec![
                    Datum::Oid(label_oid(t.oid, n)),
                    Datum::Oid(t.oid),
                    Datum::Float4(crate::catalog::order_of(*value)),
                    text(label),
                ]);
            }
        }
        Ok(rows)
    },
);

/// What is a function here and a word of SQL's grammar in PostgreSQL, which has no row of it.
const WORDS: [&str; 8] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
    "user",
];

static PG_PROC: VirtualTable = table(
    1255,
    "pg_proc",
    &[
        ("oid", Type::Oid),
        ("proname", Type::Name),
        ("pronamespace", Type::Oid),
        ("proowner", Type::Oid),
        ("prolang", Type::Oid),
        ("procost", Type::Float4),
        ("prorows", Type::Float4),
        ("provariadic", Type::Oid),
        ("prosupport", Type::Regproc),
        ("prokind", Type::Char),
        ("prosecdef", Type::Bool),
        ("proleakproof", Type::Bool),
        ("proisstrict", Type::Bool),
        ("proretset", Type::Bool),
        ("provolatile", Type::Char),
        ("proparallel", Type::Char),
        ("pronargs", Type::Int2),
        ("pronargdefaults", Type::Int2),
        ("prorettype", Type::Oid),
        ("proargtypes", Type::OidVector),
        ("proallargtypes", Type::OidArray),
        ("proargmodes", Type::CharArray),
        ("proargnames", Type::TextArray),
        ("proargdefaults", Type::Text),
        ("protrftypes", Type::OidArray),
        ("prosrc", Type::Text),
        ("probin", Type::Text),
        ("prosqlbody", Type::Text),
        ("proconfig", Type::TextArray),
        ("proacl", Type::TextArray),
    ],
    |catalog, _| {
        let mut rows = Vec::new();
        for f in type_io::functions() {
            let mut row = proc_row(f.oid, f.name, "f", f.strict, letter_of(f.volatile), &[], Type::Void);
            row[ARGUMENTS_AT] = Datum::Int2(f.args.len() as i16);
            row[RESULT_AT] = Datum::Oid(f.ret);
            row[TYPES_AT] = Datum::vector(Type::Oid, f.args.iter().map(|t| Datum::Oid(*t)).collect());
            rows.push(row);
        }
        for (n, f) in FUNCTIONS.iter().enumerate() {
            if schema_of_function(catalog, f).is_none() || WORDS.contains(&f.name) {
                continue;
            }
            let oid = oid_at(n);
            let mut row = proc_row(oid, f.name, "f", f.strict, letter_of(f.volatile), f.args, f.ret);
            // Those of extensions are in no schema of theirs: pg_dump would take them for somebody's own.
            if f.name.starts_with("_pg_") {
                row[SCHEMA_AT] = Datum::Oid(INFORMATION_SCHEMA_OID);
            }
            rows.push(row);
        }
        for (n, a) in AGGREGATES.iter().enumerate().filter(|(_, a)| is_there(catalog, a.ret)) {
            let mut row = proc_row(FIRST_AGGREGATE_OID + n as u32, a.name, "a", false, "i", a.args, a.ret);
            if a.kind() == AggKind::Hypothetical {
                // Its arguments are VARIADIC "any".
                row[VARIADIC_AT] = Datum::Oid(Type::Any.oid());
                row[ALL_TYPES_AT] = Datum::array(Type::Oid, vec![Datum::Oid(Type::Any.oid())]);
                row[MODES_AT] = Datum::array(Type::Char, vec![text("v")]);
            }
            rows.push(row);
        }
        Ok(rows)
    },
);

/// The schema of a function or operator; one of an extension that nobody asked for has none.
pub fn schema_of_function(catalog: &Catalog, f: &ScalarFn) -> Option<u32> {
    let installed = |name| catalog.extension_named(name).map(|e| e.schema);
    if !f.args.iter().chain([&f.ret]).all(|t| is_there(catalog, *t)) {
        return None;
    }
    match extension_of(f) {
        Some(name) => installed(name),
        None if f.name.starts_with("_pg_") => Some(INFORMATION_SCHEMA_OID),
        // Those that can be called without it, too.
        None => Some(evenkeel_types::extension_of(f.name).and_then(installed).unwrap_or(PG_CATALOG_OID)),
    }
}

/// Whether a type is built in, or its extension is there.
fn is_there(catalog: &Catalog, ty: Type) -> bool {
    !ty.is_of_extension() || catalog.schema_of_type(ty).is_some()
}

fn letter_of(volatile: Volatility) -> &'static str {
    match volatile {
        Volatility::Immutable => "i",
        Volatility::Stable => "s",
        Volatility::Volatile => "v",
    }
}

/// Places of `pronamespace`, `provariadic`, `pronargs`, `prorettype`, `proargtypes`, `proallargtypes` and `proargmodes` in a row.
const SCHEMA_AT: usize = 2;
const VARIADIC_AT: usize = 7;
const ARGUMENTS_AT: usize = 16;
const RESULT_AT: usize = 18;
const TYPES_AT: usize = 19;
const ALL_TYPES_AT: usize = 20;
const MODES_AT: usize = 21;

fn proc_row(
    oid: u32,
    name: &str,
    kind: &str,
    strict: bool,
    volatile: &str,
    args: &[Type],
    ret: Type,
) -> Vec<Datum> {
    let types = args.iter().map(|t| Datum::Oid(shown_oid(*t))).collect();
    vec![
        Datum::Oid(oid),
        text(name),
        Datum::Oid(PG_CATALOG_OID),
        Datum::Oid(OWNER_OID),
        Datum::Oid(INTERNAL_LANGUAGE_OID),
        Datum::Float4(1.0),
        Datum::Float4(0.0),
        Datum::Oid(0),
        Datum::Oid(0),
        text(kind),
        yes(false),
        yes(false),
        yes(strict),
        yes(false),
        text(volatile),
        text("s"),
        Datum::Int2(args.len() as i16),
        Datum::Int2(0),
        Datum::Oid(shown_oid(ret)),
        Datum::vector(Type::Oid, types),
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
        text(name),
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
    ]
}

static PG_AGGREGATE: VirtualTable = table(
    2600,
    "pg_aggregate",
    &[
        ("aggfnoid", Type::Regproc),
        ("aggkind", Type::Char),
        ("aggnumdirectargs", Type::Int2),
        ("aggtransfn", Type::Regproc),
        ("aggfinalfn", Type::Regproc),
        ("aggcombinefn", Type::Regproc),
        ("aggserialfn", Type::Regproc),
        ("aggdeserialfn", Type::Regproc),
        ("aggmtransfn", Type::Regproc),
        ("aggminvtransfn", Type::Regproc),
        ("aggmfinalfn", Type::Regproc),
        ("aggfinalextra", Type::Bool),
        ("aggmfinalextra", Type::Bool),
        ("aggfinalmodify", Type::Char),
        ("aggmfinalmodify", Type::Char),
        ("aggsortop", Type::Oid),
        ("aggtranstype", Type::Oid),
        ("aggtransspace", Type::Int4),
        ("aggmtranstype", Type::Oid),
        ("aggmtransspace", Type::Int4),
        ("agginitval", Type::Text),
        ("aggminitval", Type::Text),
    ],
    |_, _| {
        // They are no functions of their own that make an aggregate here.
        let none = || Datum::Oid(0);
        let row = |(n, a): (usize, &&AggFn)| {
            // Those that need all rows in order: whether others may go on from their state, and how many arguments are no rows.
            let (kind, modifies, direct) = match a.kind() {
                AggKind::Normal => ("n", "r", 0),
                AggKind::OrderedSet => ("o", "s", a.args.len() - 1),
                AggKind::Hypothetical => ("h", "w", 1),
            };
            let mut row =
                vec![Datum::Oid(FIRST_AGGREGATE_OID + n as u32), text(kind), Datum::Int2(direct as i16)];
            row.extend((0..8).map(|_| none()));
            row.extend([yes(false), yes(false), text(modifies), text(modifies), none(), none()]);
            row.extend([Datum::Int4(0), none(), Datum::Int4(0), Datum::Null, Datum::Null]);
            row
        };
        Ok(AGGREGATES.iter().enumerate().map(row).collect())
    },
);

/// The operator that compares values of a type for equality; 0: there is none in the list.
pub(super) fn equality_oid(ty: Type) -> u32 {
    let ty = if matches!(ty, Type::Varchar) { Type::Text } else { ty };
    let is_it = |f: &&ScalarFn| f.name == "=" && matches!(f.args, [l, r] if *l == ty && *r == ty);
    all_operators().iter().position(is_it).map_or(0, |n| FIRST_OPERATOR_OID + n as u32)
}

static PG_OPERATOR: VirtualTable = table(
    2617,
    "pg_operator",
    &[
        ("oid", Type::Oid),
        ("oprname", Type::Name),
        ("oprnamespace", Type::Oid),
        ("oprowner", Type::Oid),
        ("oprkind", Type::Char),
        ("oprcanmerge", Type::Bool),
        ("oprcanhash", Type::Bool),
        ("oprleft", Type::Oid),
        ("oprright", Type::Oid),
        ("oprresult", Type::Oid),
        ("oprcom", Type::Oid),
        ("oprnegate", Type::Oid),
        ("oprcode", Type::Regproc),
        ("oprrest", Type::Regproc),
        ("oprjoin", Type::Regproc),
    ],
    |catalog, _| {
        let mut rows = Vec::new();
        for (n, f) in all_operators().into_iter().enumerate() {
            if schema_of_function(catalog, f).is_none() {
                continue;
            }
            let (left, right) = match f.args {
                [right] => (0, shown_oid(*right)),
                [left, right, ..] => (shown_oid(*left), shown_oid(*right)),
                [] => continue,
            };
            rows.push(vec![
                Datum::Oid(FIRST_OPERATOR_OID + n as u32),
                text(f.name),
                Datum::Oid(PG_CATALOG_OID),
                Datum::Oid(OWNER_OID),
                text(if left == 0 { "l" } else { "b" }),
                yes(f.name == "="),
                yes(f.name == "="),
                Datum::Oid(left),
                Datum::Oid(right),
                Datum::Oid(shown_oid(f.ret)),
                Datum::Oid(0),
                Datum::Oid(0),
                Datum::Oid(0),
                Datum::Oid(0),
                Datum::Oid(0),
            ]);
        }
        Ok(rows)
    },
);

static PG_AM: VirtualTable = table(
    2601,
    "pg_am",
    &[("oid", Type::Oid), ("amname", Type::Name), ("amhandler", Type::Regproc), ("amtype", Type::Char)],
    |_, _| {
        Ok(vec![
            vec![Datum::Oid(HEAP_AM_OID), text("heap"), Datum::Oid(0), text("t")],
            vec![Datum::Oid(BTREE_AM_OID), text("btree"), Datum::Oid(0), text("i")],
            vec![Datum::Oid(IndexMethod::Hash.oid()), text("hash"), Datum::Oid(0), text("i")],
            vec![Datum::Oid(IndexMethod::Gin.oid()), text("gin"), Datum::Oid(0), text("i")],
            vec![Datum::Oid(IndexMethod::Gist.oid()), text("gist"), Datum::Oid(0), text("i")],
            vec![Datum::Oid(IndexMethod::Brin.oid()), text("brin"), Datum::Oid(0), text("i")],
        ])
    },
);

static PG_LANGUAGE: VirtualTable = table(
    2612,
    "pg_language",
    &[
        ("oid", Type::Oid),
        ("lanname", Type::Name),
        ("lanowner", Type::Oid),
        ("lanispl", Type::Bool),
        ("lanpltrusted", Type::Bool),
        ("lanplcallfoid", Type::Oid),
        ("laninline", Type::Oid),
        ("lanvalidator", Type::Oid),
        ("lanacl", Type::TextArray),
    ],
    |_, _| {
        Ok(vec![vec![
            Datum::Oid(INTERNAL_LANGUAGE_OID),
            text("internal"),
            Datum::Oid(OWNER_OID),
            yes(false),
            yes(false),
            Datum::Oid(0),
            Datum::Oid(0),
            Datum::Oid(0),
            Datum::Null,
        ]])
    },
);

/// OID of a language.
pub fn oid_of_language(name: &str) -> Option<u32> {
    (name == "internal").then_some(INTERNAL_LANGUAGE_OID)
}

/// The name of a language.
pub fn language_named(oid: u32) -> Option<&'static str> {
    (oid == INTERNAL_LANGUAGE_OID).then_some("internal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_on_large_objects_have_postgresql_s_oids() {
        for (name, args, oid) in LARGE_OBJECT_OIDS {
            assert_eq!(function_at(oid).map(|f| (f.name, f.args.len())), Some((name, args)));
        }
        for (n, f) in FUNCTIONS.iter().enumerate() {
            assert_eq!(function_at(oid_at(n)).map(|f| (f.name, f.args)), Some((f.name, f.args)));
        }
    }
}
