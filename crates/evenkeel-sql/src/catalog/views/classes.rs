//! Relations and their columns: `pg_namespace`, `pg_class`, `pg_attribute`, `pg_attrdef`, `pg_index`, `pg_sequence` and the views over them.
//!
//! Must not know: sessions.

use super::index_text::index_definition;
use super::opclass::class_of;
use super::roles::{acl_array, acl_of, owner_name, owner_of};
use super::{ViewContext, VirtualTable, opt, table, text, view, yes};
use crate::catalog::{Catalog, ColumnDef, ColumnSettings, EXPRESSION, Generated, Sequence, row_type_of};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, FormatOptions, Type, to_text};

/// OID of the access method `heap`.
pub const HEAP_AM_OID: u32 = 2;
/// OID of the access method `btree`.
pub const BTREE_AM_OID: u32 = 403;
/// OID of the default collation.
pub const DEFAULT_COLLATION_OID: u32 = 100;
/// OID of the "C" collation.
pub const C_COLLATION_OID: u32 = 950;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_NAMESPACE,
    &PG_CLASS,
    &PG_ATTRIBUTE,
    &PG_ATTRDEF,
    &PG_INDEX,
    &PG_SEQUENCE,
    &PG_TABLES,
    &PG_INDEXES,
    &PG_SEQUENCES,
];

static PG_NAMESPACE: VirtualTable = table(
    2615,
    "pg_namespace",
    &[("oid", Type::Oid), ("nspname", Type::Name), ("nspowner", Type::Oid), ("nspacl", Type::TextArray)],
    |catalog, _| {
        Ok(catalog
            .schemas()
            .map(|s| vec![Datum::Oid(s.oid), text(&s.name), owner_of(catalog, s.oid), acl_of(catalog, s.oid)])
            .collect())
    },
);

static PG_CLASS: VirtualTable = table(
    1259,
    "pg_class",
    &[
        ("oid", Type::Oid),
        ("relname", Type::Name),
        ("relnamespace", Type::Oid),
        ("reltype", Type::Oid),
        ("reloftype", Type::Oid),
        ("relowner", Type::Oid),
        ("relam", Type::Oid),
        ("relfilenode", Type::Oid),
        ("reltablespace", Type::Oid),
        ("relpages", Type::Int4),
        ("reltuples", Type::Float4),
        ("relallvisible", Type::Int4),
        ("relallfrozen", Type::Int4),
        ("reltoastrelid", Type::Oid),
        ("relhasindex", Type::Bool),
        ("relisshared", Type::Bool),
        ("relpersistence", Type::Char),
        ("relkind", Type::Char),
        ("relnatts", Type::Int2),
        ("relchecks", Type::Int2),
        ("relhasrules", Type::Bool),
        ("relhastriggers", Type::Bool),
        ("relhassubclass", Type::Bool),
        ("relrowsecurity", Type::Bool),
        ("relforcerowsecurity", Type::Bool),
        ("relispopulated", Type::Bool),
        ("relreplident", Type::Char),
        ("relispartition", Type::Bool),
        ("relrewrite", Type::Oid),
        ("relfrozenxid", Type::Xid),
        ("relminmxid", Type::Xid),
        ("relacl", Type::TextArray),
        ("reloptions", Type::TextArray),
        ("relpartbound", Type::Text),
    ],
    pg_class,
);

struct Class<'a> {
    oid: u32,
    /// The object whose owner it has.
    owned_as: u32,
    name: &'a str,
    schema: u32,
    am: u32,
    file: u64,
    pages: i64,
    tuples: f32,
    has_index: bool,
    persistence: &'static str,
    kind: &'static str,
    columns: usize,
    checks: usize,
    triggers: bool,
    options: Vec<Datum>,
}

/// Where `reltype` stands in a row of `pg_class`.
const RELTYPE: usize = 3;
/// And the kind and the oldest transaction.
const KIND: usize = 17;
const FROZEN: usize = 29;

fn class_row(catalog: &Catalog, c: Class<'_>) -> Vec<Datum> {
    let options = if c.options.is_empty() { Datum::Null } else { Datum::array(Type::Text, c.options) };
    vec![
        Datum::Oid(c.oid),
        text(c.name),
        Datum::Oid(c.schema),
        Datum::Oid(if matches!(c.kind, "r" | "v" | "m") { row_type_of(c.oid) } else { 0 }),
        Datum::Oid(catalog.table(c.oid).map_or(0, |t| t.marks.of_type)),
        owner_of(catalog, c.owned_as),
        Datum::Oid(c.am),
        Datum::Oid(c.file as u32),
        Datum::Oid(0),
        Datum::Int4(c.pages.clamp(0, i64::from(i32::MAX)) as i32),
        Datum::Float4(c.tuples),
        Datum::Int4(0),
        Datum::Int4(0),
        Datum::Oid(0),
        yes(c.has_index),
        yes(false),
        text(c.persistence),
        text(c.kind),
        Datum::Int2(c.columns as i16),
        Datum::Int2(c.checks as i16),
        yes(catalog.view(c.oid).is_some() || c.kind == "m"),
        yes(c.triggers),
        yes(false),
        yes(false),
        yes(false),
        yes(catalog.table(c.oid).and_then(|t| t.materialized.as_ref()).is_none_or(|m| m.is_populated)),
        text(match catalog.table(c.oid) {
            Some(t) => t.marks.replica_identity.letter(),
            None => "n",
        }),
        yes(false),
        Datum::Oid(0),
        Datum::Oid(0),
        Datum::Oid(0),
        if matches!(c.kind, "i" | "c") { Datum::Null } else { acl_of(catalog, c.oid) },
        options,
        Datum::Null,
    ]
}

fn pages(cx: &dyn ViewContext, tree: evenkeel::TreeId) -> i64 {
    cx.database().tree_size_bytes(tree).map_or(0, |b| (b / 8192) as i64)
}

fn pg_class(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Vec<Vec<Datum>>, SqlError> {
    let mut rows = Vec::new();
    for t in catalog.tables() {
        let tuples = t.shared.statistics().map_or(-1.0, |s| s.rows as f32);
        let persistence = catalog.persistence(t);
        rows.push(class_row(
            catalog,
            Class {
                oid: t.oid,
                owned_as: t.oid,
                name: &t.name,
                schema: t.schema,
                am: HEAP_AM_OID,
                file: t.heap.tree.0,
                pages: pages(cx, t.heap.tree),
                tuples,
                has_index: !t.indexes.is_empty(),
                persistence,
                kind: if t.materialized.is_some() { "m" } else { "r" },
                columns: t.columns.len(),
                checks: t.checks.len(),
                triggers: !t.foreign_keys.is_empty() || catalog.referencing_tables(t.oid).next().is_some(),
                options: t.options.iter().map(text).collect(),
            },
        ));
        for i in &t.indexes {
            rows.push(class_row(
                catalog,
                Class {
                    oid: i.oid,
                    owned_as: t.oid,
                    name: &i.name,
                    schema: t.schema,
                    am: i.extra.method.oid(),
                    file: i.tree.0,
                    pages: pages(cx, i.tree),
                    tuples,
                    has_index: false,
                    persistence,
                    kind: "i",
                    columns: i.columns.len() + i.extra.include.len(),
                    checks: 0,
                    triggers: false,
                    options: i.extra.options.iter().map(text).collect(),
                },
            ));
        }
    }
    for v in catalog.views() {
        rows.push(class_row(
            catalog,
            Class {
                oid: v.oid,
                owned_as: v.oid,
                name: &v.name,
                schema: v.schema,
                am: 0,
                file: 0,
                pages: 0,
                tuples: -1.0,
                has_index: false,
                persistence: if catalog.is_temporary(v.schema) { "t" } else { "p" },
                kind: "v",
                columns: v.columns.len(),
                checks: 0,
                triggers: false,
                options: v.options.iter().map(text).collect(),
            },
        ));
    }
    for (t, oid) in catalog.types().filter_map(|t| Some((t, t.class_oid()?))) {
        let mut row = class_row(
            catalog,
            Class {
                oid,
                owned_as: t.oid,
                name: &t.name,
                schema: t.schema,
                am: 0,
                file: 0,
                pages: 0,
                tuples: -1.0,
                has_index: false,
                persistence: "p",
                kind: "c",
                columns: t.attributes.as_ref().map_or(0, |a| a.len()),
                checks: 0,
                triggers: false,
                options: Vec::new(),
            },
        );
        row[RELTYPE] = Datum::Oid(t.oid);
        rows.push(row);
    }
    for s in catalog.sequences() {
        rows.push(class_row(
            catalog,
            Class {
                oid: s.oid,
                owned_as: s.oid,
                name: &s.name,
                schema: s.schema,
                am: 0,
                file: u64::from(s.oid),
                pages: 1,
                tuples: 1.0,
                has_index: false,
                persistence: match s.owned_by.and_then(|(table, ..)| catalog.table(table)) {
                    // It is as its table is.
                    Some(table) => catalog.persistence(table),
                    None if catalog.is_temporary(s.schema) => "t",
                    None => "p",
                },
                kind: "S",
                columns: 3,
                checks: 0,
                triggers: false,
                options: Vec::new(),
            },
        ));
    }
    for v in super::all().iter().filter(|v| catalog.lists(v.oid)) {
        rows.push(class_row(
            catalog,
            Class {
                oid: v.oid,
                owned_as: v.oid,
                name: v.name,
                schema: v.schema,
                am: if v.is_view { 0 } else { HEAP_AM_OID },
                file: 0,
                pages: 0,
                tuples: -1.0,
                has_index: false,
                persistence: "p",
                kind: if v.is_view { "v" } else { "r" },
                columns: v.columns.len(),
                checks: 0,
                triggers: false,
                options: Vec::new(),
            },
        ));
    }
    // Nothing has to be frozen: rows that are older than all that is open have no transaction's id.
    let frozen = Datum::Oid(cx.database().transaction_ids().0 as u32);
    for row in rows.iter_mut().filter(|r| matches!(&r[KIND], Datum::Text(k) if matches!(&**k, "r" | "m"))) {
        (row[FROZEN], row[FROZEN + 1]) = (frozen.clone(), Datum::Oid(1));
    }
    Ok(rows)
}

static PG_ATTRIBUTE: VirtualTable = table(
    1249,
    "pg_attribute",
    &[
        ("attrelid", Type::Oid),
        ("attname", Type::Name),
        ("atttypid", Type::Oid),
        ("attlen", Type::Int2),
        ("attnum", Type::Int2),
        ("atttypmod", Type::Int4),
        ("attndims", Type::Int2),
        ("attbyval", Type::Bool),
        ("attalign", Type::Char),
        ("attstorage", Type::Char),
        ("attcompression", Type::Char),
        ("attnotnull", Type::Bool),
        ("atthasdef", Type::Bool),
        ("atthasmissing", Type::Bool),
        ("attidentity", Type::Char),
        ("attgenerated", Type::Char),
        ("attisdropped", Type::Bool),
        ("attislocal", Type::Bool),
        ("attinhcount", Type::Int2),
        ("attcollation", Type::Oid),
        ("attstattarget", Type::Int2),
        ("attacl", Type::TextArray),
        ("attoptions", Type::TextArray),
        ("attfdwoptions", Type::TextArray),
        ("attmissingval", Type::TextArray),
    ],
    pg_attribute,
);

/// The list of a column, by its position.
fn column_acl(catalog: &Catalog, relation: u32, column: usize) -> Datum {
    let access = catalog.security().access(relation);
    acl_array(catalog, access.and_then(|a| a.columns.get(&(column as i16 + 1))))
}

/// The collation of a type.
pub fn collation(ty: Type) -> u32 {
    match ty {
        Type::Text
        | Type::Varchar
        | Type::Bpchar
        | Type::TextArray
        | Type::VarcharArray
        | Type::BpcharArray
        | Type::Citext
        | Type::CitextArray => DEFAULT_COLLATION_OID,
        Type::Name | Type::NameArray => C_COLLATION_OID,
        _ => 0,
    }
}

/// How values of a type are aligned and stored, as `pg_type` says.
pub fn align_and_storage(ty: Type) -> (&'static str, &'static str) {
    let align = match ty {
        Type::Bool | Type::Char | Type::Name | Type::Uuid | Type::Unknown => "c",
        Type::Int2 | Type::Tid => "s",
        Type::Int8 | Type::Float8 | Type::Timestamp | Type::Timestamptz | Type::Interval => "d",
        Type::PgLsn | Type::Xid8 | Type::Money | Type::PgSnapshot | Type::TxidSnapshot => "d",
        Type::Time | Type::Timetz | Type::Composite(_) | Type::Record | Type::AnyArray => "d",
        t if t.element().is_some_and(|e| align_and_storage(e).0 == "d") => "d",
        _ => "i",
    };
    let storage = match ty {
        Type::Numeric | Type::Inet | Type::Cidr => "m",
        t if t.len() == -1 && !matches!(t, Type::Int2Vector | Type::OidVector) => "x",
        _ => "p",
    };
    (align, storage)
}

struct Attribute<'a> {
    relation: u32,
    name: &'a str,
    ty: Type,
    typmod: i32,
    number: usize,
    not_null: bool,
    has_default: bool,
    identity: &'static str,
    dropped: bool,
    generated: &'static str,
    settings: ColumnSettings,
    domain: Option<u32>,
    acl: Datum,
}

fn attribute_row(a: Attribute<'_>) -> Vec<Datum> {
    let (align, storage) = align_and_storage(a.ty);
    let set = a.settings;
    let options = match set.options.is_empty() {
        true => Datum::Null,
        false => Datum::array(Type::Text, set.options.iter().map(text).collect()),
    };
    let name = if a.dropped { format!("........pg.dropped.{}........", a.number) } else { a.name.to_owned() };
    vec![
        Datum::Oid(a.relation),
        text(name),
        Datum::Oid(if a.dropped { 0 } else { a.domain.unwrap_or(a.ty.oid()) }),
        Datum::Int2(a.ty.len()),
        Datum::Int2(a.number as i16),
        // A domain has its own.
        Datum::Int4(if a.domain.is_some() { -1 } else { a.typmod }),
        Datum::Int2(i16::from(set.dimensions).max(i16::from(a.ty.element().is_some()))),
        yes(a.ty.by_value()),
        text(align),
        if set.storage == 0 { text(storage) } else { text(char::from(set.storage).to_string()) },
        if set.compression == 0 { text("") } else { text(char::from(set.compression).to_string()) },
        yes(a.not_null),
        yes(a.has_default),
        yes(false),
        text(a.identity),
        text(a.generated),
        yes(a.dropped),
        yes(true),
        Datum::Int2(0),
        Datum::Oid(if set.collation == 0 { collation(a.ty) } else { set.collation }),
        set.statistics.map_or(Datum::Null, |s| Datum::Int2(s as i16)),
        a.acl,
        options,
        Datum::Null,
        Datum::Null,
    ]
}

/// Says in a row what the table's rows may be without.
fn say_missing(
    row: &mut [Datum],
    value: &Datum,
    c: &ColumnDef,
    format: &FormatOptions,
) -> Result<(), SqlError> {
    const HAS_MISSING: usize = 13;
    row[HAS_MISSING] = yes(true);
    if let Some(last) = row.last_mut() {
        let value = to_text(value, c.ty, c.typmod, format)?;
        *last = Datum::array(Type::Text, vec![text(value)]);
    }
    Ok(())
}

/// The system columns that any query may ask a table for, with their numbers.
const SYSTEM_COLUMNS: [(&str, Type, i16); 3] =
    [("ctid", Type::Tid, -1), ("xmin", Type::Xid, -2), ("tableoid", Type::Oid, -6)];

fn system_column_row(relation: u32, (name, ty, number): (&str, Type, i16)) -> Vec<Datum> {
    const NUMBER: usize = 4;
    let mut row = attribute_row(Attribute {
        relation,
        name,
        ty,
        typmod: -1,
        number: 0,
        not_null: true,
        has_default: false,
        identity: "",
        dropped: false,
        generated: "",
        settings: ColumnSettings::default(),
        domain: None,
        acl: Datum::Null,
    });
    row[NUMBER] = Datum::Int2(number);
    row
}

fn pg_attribute(catalog: &Catalog, cx: &dyn ViewContext) -> Result<Vec<Vec<Datum>>, SqlError> {
    let mut rows = Vec::new();
    for t in catalog.tables() {
        rows.extend(SYSTEM_COLUMNS.map(|c| system_column_row(t.oid, c)));
        for (n, c) in t.columns.iter().enumerate() {
            rows.push(attribute_row(Attribute {
                relation: t.oid,
                name: &c.name,
                ty: c.ty,
                typmod: c.typmod,
                number: n + 1,
                not_null: c.not_null,
                has_default: c.default.is_some() && c.identity.is_none(),
                identity: match c.identity {
                    None => "",
                    Some(crate::catalog::Identity::Always) => "a",
                    Some(crate::catalog::Identity::ByDefault) => "d",
                },
                dropped: c.dropped,
                generated: match c.generated {
                    None => "",
                    Some(Generated::Stored) => "s",
                    Some(Generated::Virtual) => "v",
                },
                settings: c.settings.clone(),
                domain: c.domain,
                acl: column_acl(catalog, t.oid, n),
            }));
            let value = t.missing.value(n);
            if let Some(row) = rows.last_mut().filter(|_| !value.is_null()) {
                say_missing(row, &value, c, &cx.format())?;
            }
        }
        for i in &t.indexes {
            let numbers = i.columns.iter().map(|c| c.column).chain(i.extra.include.iter().copied());
            let names = i.column_names(&t.columns);
            for ((n, column), name) in numbers.enumerate().zip(&names) {
                let (ty, typmod, statistics) = match (t.columns.get(column), i.expression(n)) {
                    (Some(c), _) => (c.ty, c.typmod, None),
                    (None, Some(e)) => (e.ty, -1, e.statistics),
                    (None, None) => continue,
                };
                rows.push(attribute_row(Attribute {
                    relation: i.oid,
                    name,
                    ty,
                    typmod,
                    number: n + 1,
                    not_null: false,
                    has_default: false,
                    identity: "",
                    dropped: false,
                    generated: "",
                    settings: ColumnSettings { statistics, ..ColumnSettings::default() },
                    domain: None,
                    acl: Datum::Null,
                }));
            }
        }
    }
    for (t, class) in catalog.types().filter_map(|t| Some((t, t.class_oid()?))) {
        for (n, a) in t.attributes.iter().flat_map(|l| l.iter()).enumerate() {
            rows.push(attribute_row(Attribute {
                relation: class,
                name: &a.name,
                ty: a.ty,
                typmod: a.typmod,
                number: n + 1,
                not_null: false,
                has_default: false,
                identity: "",
                dropped: false,
                generated: "",
                settings: ColumnSettings::default(),
                domain: a.domain,
                acl: Datum::Null,
            }));
        }
    }
    let plain = |relation: u32, number: usize, name: &str, ty: Type| {
        attribute_row(Attribute {
            relation,
            name,
            ty,
            typmod: -1,
            number,
            not_null: false,
            has_default: false,
            identity: "",
            dropped: false,
            generated: "",
            settings: ColumnSettings::default(),
            domain: None,
            acl: column_acl(catalog, relation, number - 1),
        })
    };
    for s in catalog.sequences() {
        for (n, (name, ty)) in
            [("last_value", Type::Int8), ("log_cnt", Type::Int8), ("is_called", Type::Bool)]
                .into_iter()
                .enumerate()
        {
            rows.push(plain(s.oid, n + 1, name, ty));
        }
    }
    for v in catalog.views() {
        for (n, c) in v.columns.iter().enumerate() {
            rows.push(attribute_row(Attribute {
                relation: v.oid,
                name: &c.name,
                ty: c.ty,
                typmod: c.typmod,
                number: n + 1,
                not_null: false,
                has_default: c.default.is_some(),
                identity: "",
                dropped: false,
                generated: "",
                settings: ColumnSettings { collation: c.collation, ..ColumnSettings::default() },
                domain: c.domain,
                acl: column_acl(catalog, v.oid, n),
            }));
        }
    }
    for v in super::all().iter().filter(|v| catalog.lists(v.oid)) {
        for (n, (name, ty)) in v.columns.iter().enumerate() {
            rows.push(plain(v.oid, n + 1, name, *ty));
        }
    }
    Ok(rows)
}

/// OID of a column's default: of the relation's and the column's place, out of the range of all others.
pub fn attrdef_oid(relation: u32, column: usize) -> u32 {
    1 << 30 | (relation << 11 & 0x3FFF_F800) | (column as u32 & 0x7FF)
}

static PG_ATTRDEF: VirtualTable = table(
    2604,
    "pg_attrdef",
    &[("oid", Type::Oid), ("adrelid", Type::Oid), ("adnum", Type::Int2), ("adbin", Type::Text)],
    |catalog, _| {
        let mut rows = Vec::new();
        for t in catalog.tables() {
            for (n, c) in t.live_columns().filter(|(_, c)| c.identity.is_none()) {
                if let Some(default) = &c.default {
                    rows.push(vec![
                        Datum::Oid(attrdef_oid(t.oid, n)),
                        Datum::Oid(t.oid),
                        Datum::Int2(n as i16 + 1),
                        text(default),
                    ]);
                }
            }
        }
        for v in catalog.views() {
            for (n, c) in v.columns.iter().enumerate() {
                if let Some(default) = &c.default {
                    let oid = Datum::Oid(attrdef_oid(v.oid, n));
                    rows.push(vec![oid, Datum::Oid(v.oid), Datum::Int2(n as i16 + 1), text(default)]);
                }
            }
        }
        Ok(rows)
    },
);

static PG_INDEX: VirtualTable = table(
    2610,
    "pg_index",
    &[
        ("indexrelid", Type::Oid),
        ("indrelid", Type::Oid),
        ("indnatts", Type::Int2),
        ("indnkeyatts", Type::Int2),
        ("indisunique", Type::Bool),
        ("indnullsnotdistinct", Type::Bool),
        ("indisprimary", Type::Bool),
        ("indisexclusion", Type::Bool),
        ("indimmediate", Type::Bool),
        ("indisclustered", Type::Bool),
        ("indisvalid", Type::Bool),
        ("indcheckxmin", Type::Bool),
        ("indisready", Type::Bool),
        ("indislive", Type::Bool),
        ("indisreplident", Type::Bool),
        ("indkey", Type::Int2Vector),
        ("indcollation", Type::OidVector),
        ("indclass", Type::OidVector),
        ("indoption", Type::Int2Vector),
        ("indexprs", Type::Text),
        ("indpred", Type::Text),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        for t in catalog.tables() {
            for i in &t.indexes {
                let i = &*cx.shown_index(t, i);
                // An expression's number is 0.
                let number = |c: usize| Datum::Int2(if c == EXPRESSION { 0 } else { c as i16 + 1 });
                let columns = i.columns.iter().map(|c| c.column).chain(i.extra.include.iter().copied());
                let options =
                    i.columns.iter().map(|c| Datum::Int2(i16::from(c.desc) | i16::from(c.nulls_first) << 1));
                let oids = |f: &dyn Fn(usize) -> u32| {
                    Datum::vector(Type::Oid, (0..i.columns.len()).map(|n| Datum::Oid(f(n))).collect())
                };
                let expressions: Vec<&str> = i.extra.expressions.iter().map(|e| e.text.as_str()).collect();
                rows.push(vec![
                    Datum::Oid(i.oid),
                    Datum::Oid(t.oid),
                    Datum::Int2((i.columns.len() + i.extra.include.len()) as i16),
                    Datum::Int2(i.columns.len() as i16),
                    yes(i.is_declared_unique()),
                    yes(i.nulls_not_distinct),
                    yes(i.primary),
                    yes(i.exclusion),
                    yes(!i.timing.deferrable),
                    yes(t.marks.clustered_on == Some(i.oid)),
                    yes(i.is_valid()),
                    yes(false),
                    yes(i.takes_entries()),
                    yes(true),
                    yes(t.is_replica_identity(i.oid)),
                    Datum::vector(Type::Int2, columns.map(number).collect()),
                    oids(&|n| match collation(i.key_type(&t.types, n)) {
                        0 => 0,
                        _ => i.collation_oid(t, n),
                    }),
                    oids(&|n| class_of(i, n, &t.types)),
                    Datum::vector(Type::Int2, options.collect()),
                    opt((!expressions.is_empty()).then(|| expressions.join(", "))),
                    opt(i.extra.predicate.as_ref()),
                ]);
            }
        }
        Ok(rows)
    },
);

static PG_SEQUENCE: VirtualTable = table(
    2224,
    "pg_sequence",
    &[
        ("seqrelid", Type::Oid),
        ("seqtypid", Type::Oid),
        ("seqstart", Type::Int8),
        ("seqincrement", Type::Int8),
        ("seqmax", Type::Int8),
        ("seqmin", Type::Int8),
        ("seqcache", Type::Int8),
        ("seqcycle", Type::Bool),
    ],
    |catalog, _| {
        let row = |s: &std::sync::Arc<Sequence>| {
            vec![
                Datum::Oid(s.oid),
                Datum::Oid(s.ty.oid()),
                Datum::Int8(s.start),
                Datum::Int8(s.increment),
                Datum::Int8(s.max),
                Datum::Int8(s.min),
                Datum::Int8(s.cache),
                yes(s.cycle),
            ]
        };
        Ok(catalog.sequences().map(row).collect())
    },
);

fn schema_name(catalog: &Catalog, oid: u32) -> Datum {
    opt(catalog.schema(oid).map(|s| &s.name))
}

static PG_TABLES: VirtualTable = view(
    12001,
    "pg_tables",
    &[
        ("schemaname", Type::Name),
        ("tablename", Type::Name),
        ("tableowner", Type::Name),
        ("tablespace", Type::Name),
        ("hasindexes", Type::Bool),
        ("hasrules", Type::Bool),
        ("hastriggers", Type::Bool),
        ("rowsecurity", Type::Bool),
    ],
    |catalog, _| {
        let row = |oid: u32, schema: u32, name: &str, indexes: bool| {
            vec![
                schema_name(catalog, schema),
                text(name),
                owner_name(catalog, oid),
                Datum::Null,
                yes(indexes),
                yes(false),
                yes(false),
                yes(false),
            ]
        };
        let tables = catalog.tables().filter(|t| t.materialized.is_none());
        let mut rows: Vec<_> = tables.map(|t| row(t.oid, t.schema, &t.name, !t.indexes.is_empty())).collect();
        rows.extend(super::all().iter().filter(|v| !v.is_view).map(|v| row(v.oid, v.schema, v.name, false)));
        Ok(rows)
    },
);

static PG_INDEXES: VirtualTable = view(
    12002,
    "pg_indexes",
    &[
        ("schemaname", Type::Name),
        ("tablename", Type::Name),
        ("indexname", Type::Name),
        ("tablespace", Type::Name),
        ("indexdef", Type::Text),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        for t in catalog.tables() {
            for i in &t.indexes {
                rows.push(vec![
                    schema_name(catalog, t.schema),
                    text(&t.name),
                    text(&i.name),
                    Datum::Null,
                    text(index_definition(catalog, t, &cx.shown_index(t, i), None, cx.search_path())),
                ]);
            }
        }
        Ok(rows)
    },
);

static PG_SEQUENCES: VirtualTable = view(
    12003,
    "pg_sequences",
    &[
        ("schemaname", Type::Name),
        ("sequencename", Type::Name),
        ("sequenceowner", Type::Name),
        ("data_type", Type::Regtype),
        ("start_value", Type::Int8),
        ("min_value", Type::Int8),
        ("max_value", Type::Int8),
        ("increment_by", Type::Int8),
        ("cycle", Type::Bool),
        ("cache_size", Type::Int8),
        ("last_value", Type::Int8),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        for s in catalog.sequences() {
            let (last, is_called) = cx.sequence_state(s.oid)?;
            rows.push(vec![
                schema_name(catalog, s.schema),
                text(&s.name),
                owner_name(catalog, s.oid),
                Datum::Oid(s.ty.oid()),
                Datum::Int8(s.start),
                Datum::Int8(s.min),
                Datum::Int8(s.max),
                Datum::Int8(s.increment),
                yes(s.cycle),
                Datum::Int8(s.cache),
                if is_called && cx.may_tell_sequence(s.oid) { Datum::Int8(last) } else { Datum::Null },
            ]);
        }
        Ok(rows)
    },
);
