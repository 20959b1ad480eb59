//! The data types: their identity, PostgreSQL OIDs, names and `pg_type` attributes, and type modifiers.
//!
//! Invariants:
//! 1. A type's position in `INFO` equals its discriminant (checked by a constant assertion).
//! 2. `element()` and `array_of()` are inverse where both are defined, except for the two vector types, which share their element
//!    type with an ordinary array.
//!
//! Must not know: values, casts, functions.

use crate::datetime::IntervalFields;
use crate::error::{SqlError, SqlState};
use crate::user;
use std::borrow::Cow;

/// A data type. The discriminants are in-memory only; what is stored and sent is the OID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // Each is the PostgreSQL type of the same name; see INFO.
pub enum Type {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,
    Varchar,
    Bpchar,
    /// The single-byte type `"char"` of the catalog.
    Char,
    Name,
    Bytea,
    Date,
    Timestamp,
    Timestamptz,
    Interval,
    Oid,
    Regclass,
    Regtype,
    Regproc,
    Regnamespace,
    Regrole,
    Regprocedure,
    Regoper,
    Regoperator,
    Regcollation,
    Xid,
    PgLsn,
    Uuid,
    Json,
    Jsonb,
    Time,
    Timetz,
    Inet,
    Cidr,
    Macaddr,
    Jsonpath,
    Bit,
    Varbit,
    Macaddr8,
    Xid8,
    Tid,
    PgSnapshot,
    TxidSnapshot,
    Money,
    /// Of the extension of that name.
    Citext,
    /// The same.
    Hstore,
    BoolArray,
    Int2Array,
    Int4Array,
    Int8Array,
    Float4Array,
    Float8Array,
    NumericArray,
    TextArray,
    VarcharArray,
    BpcharArray,
    CharArray,
    NameArray,
    ByteaArray,
    DateArray,
    TimestampArray,
    TimestamptzArray,
    IntervalArray,
    OidArray,
    RegclassArray,
    RegtypeArray,
    PgLsnArray,
    UuidArray,
    JsonArray,
    JsonbArray,
    TimeArray,
    TimetzArray,
    InetArray,
    CidrArray,
    MacaddrArray,
    JsonpathArray,
    BitArray,
    VarbitArray,
    Macaddr8Array,
    Xid8Array,
    TidArray,
    PgSnapshotArray,
    TxidSnapshotArray,
    MoneyArray,
    CitextArray,
    HstoreArray,
    Int2Vector,
    OidVector,
    /// An untyped literal or parameter.
    Unknown,
    Void,
    Record,
    /// Of records of no composite type.
    RecordArray,
    /// Pseudo-type of function arguments: anything, left as it is.
    Any,
    /// Pseudo-type of function arguments: anything; all `AnyElement` arguments are of one type.
    AnyElement,
    /// Pseudo-type of function arguments: an array of `AnyElement`.
    AnyArray,
    /// Pseudo-type of function arguments: any type but arrays, which the caller casts to text explicitly (`42 || 'x'`).
    AnyToText,
    /// Pseudo-type of function arguments: an enum; all of one type.
    AnyEnum,
    /// An enum that a user made, by its OID, which is even.
    Enum(u32),
    /// The array of one: its OID is the next.
    EnumArray(u32),
    /// A composite type that a user made, by its OID, which is even.
    Composite(u32),
    /// The array of one.
    CompositeArray(u32),
}

struct TypeInfo {
    ty: Type,
    oid: u32,
    pg_name: &'static str,
    sql_name: &'static str,
    len: i16,
    by_value: bool,
    category: u8,
    preferred: bool,
    element: Option<Type>,
    array: Option<Type>,
}

#[allow(clippy::too_many_arguments)] // One line of the table below.
const fn scalar(
    ty: Type,
    oid: u32,
    pg_name: &'static str,
    sql_name: &'static str,
    len: i16,
    category: u8,
    preferred: bool,
    array: Option<Type>,
) -> TypeInfo {
    // Eight bytes, but not as one number.
    let by_value = matches!(len, 1 | 2 | 4 | 8) && !matches!(ty, Type::Macaddr8);
    TypeInfo { ty, oid, pg_name, sql_name, len, by_value, category, preferred, element: None, array }
}

const fn array(ty: Type, oid: u32, pg_name: &'static str, sql_name: &'static str, element: Type) -> TypeInfo {
    TypeInfo {
        ty,
        oid,
        pg_name,
        sql_name,
        len: -1,
        by_value: false,
        category: b'A',
        preferred: false,
        element: Some(element),
        array: None,
    }
}

/// OID of `citext`, and before that of its array: PostgreSQL gives an extension's types any.
pub const CITEXT_OID: u32 = 16200;

/// The same of `hstore`.
pub const HSTORE_OID: u32 = 16202;

/// First OID of what users make.
const FIRST_USER_OID: u32 = 16384;

/// Composite types have OIDs from here on, so that an OID alone tells what its values are like.
pub const FIRST_COMPOSITE_OID: u32 = 1 << 30;

/// The last part of a name, without its quotes.
fn unquoted(name: Cow<'static, str>) -> Cow<'static, str> {
    let parts = crate::split_qualified(&name);
    match parts.and_then(|mut p| p.pop()) {
        Some(last) => last.into(),
        None => name,
    }
}

use Type as T;

static INFO: [TypeInfo; 103] = [
    scalar(T::Bool, 16, "bool", "boolean", 1, b'B', true, Some(T::BoolArray)),
    scalar(T::Int2, 21, "int2", "smallint", 2, b'N', false, Some(T::Int2Array)),
    scalar(T::Int4, 23, "int4", "integer", 4, b'N', false, Some(T::Int4Array)),
    scalar(T::Int8, 20, "int8", "bigint", 8, b'N', false, Some(T::Int8Array)),
    scalar(T::Float4, 700, "float4", "real", 4, b'N', false, Some(T::Float4Array)),
    scalar(T::Float8, 701, "float8", "double precision", 8, b'N', true, Some(T::Float8Array)),
    scalar(T::Numeric, 1700, "numeric", "numeric", -1, b'N', false, Some(T::NumericArray)),
    scalar(T::Text, 25, "text", "text", -1, b'S', true, Some(T::TextArray)),
    scalar(T::Varchar, 1043, "varchar", "character varying", -1, b'S', false, Some(T::VarcharArray)),
    scalar(T::Bpchar, 1042, "bpchar", "character", -1, b'S', false, Some(T::BpcharArray)),
    scalar(T::Char, 18, "char", "\"char\"", 1, b'Z', false, Some(T::CharArray)),
    scalar(T::Name, 19, "name", "name", 64, b'S', false, Some(T::NameArray)),
    scalar(T::Bytea, 17, "bytea", "bytea", -1, b'U', false, Some(T::ByteaArray)),
    scalar(T::Date, 1082, "date", "date", 4, b'D', false, Some(T::DateArray)),
    scalar(
        T::Timestamp,
        1114,
        "timestamp",
        "timestamp without time zone",
        8,
        b'D',
        false,
        Some(T::TimestampArray),
    ),
    scalar(
        T::Timestamptz,
        1184,
        "timestamptz",
        "timestamp with time zone",
        8,
        b'D',
        true,
        Some(T::TimestamptzArray),
    ),
    scalar(T::Interval, 1186, "interval", "interval", 16, b'T', true, Some(T::IntervalArray)),
    scalar(T::Oid, 26, "oid", "oid", 4, b'N', true, Some(T::OidArray)),
    scalar(T::Regclass, 2205, "regclass", "regclass", 4, b'N', false, Some(T::RegclassArray)),
    scalar(T::Regtype, 2206, "regtype", "regtype", 4, b'N', false, Some(T::RegtypeArray)),
    scalar(T::Regproc, 24, "regproc", "regproc", 4, b'N', false, None),
    scalar(T::Regnamespace, 4089, "regnamespace", "regnamespace", 4, b'N', false, None),
    scalar(T::Regrole, 4096, "regrole", "regrole", 4, b'N', false, None),
    scalar(T::Regprocedure, 2202, "regprocedure", "regprocedure", 4, b'N', false, None),
    scalar(T::Regoper, 2203, "regoper", "regoper", 4, b'N', false, None),
    scalar(T::Regoperator, 2204, "regoperator", "regoperator", 4, b'N', false, None),
    scalar(T::Regcollation, 4191, "regcollation", "regcollation", 4, b'N', false, None),
    scalar(T::Xid, 28, "xid", "xid", 4, b'U', false, None),
    scalar(T::PgLsn, 3220, "pg_lsn", "pg_lsn", 8, b'U', false, Some(T::PgLsnArray)),
    scalar(T::Uuid, 2950, "uuid", "uuid", 16, b'U', false, Some(T::UuidArray)),
    scalar(T::Json, 114, "json", "json", -1, b'U', false, Some(T::JsonArray)),
    scalar(T::Jsonb, 3802, "jsonb", "jsonb", -1, b'U', false, Some(T::JsonbArray)),
    scalar(T::Time, 1083, "time", "time without time zone", 8, b'D', false, Some(T::TimeArray)),
    scalar(T::Timetz, 1266, "timetz", "time with time zone", 12, b'D', false, Some(T::TimetzArray)),
    scalar(T::Inet, 869, "inet", "inet", -1, b'I', true, Some(T::InetArray)),
    scalar(T::Cidr, 650, "cidr", "cidr", -1, b'I', false, Some(T::CidrArray)),
    scalar(T::Macaddr, 829, "macaddr", "macaddr", 6, b'U', false, Some(T::MacaddrArray)),
    scalar(T::Jsonpath, 4072, "jsonpath", "jsonpath", -1, b'U', false, Some(T::JsonpathArray)),
    scalar(T::Bit, 1560, "bit", "bit", -1, b'V', false, Some(T::BitArray)),
    scalar(T::Varbit, 1562, "varbit", "bit varying", -1, b'V', true, Some(T::VarbitArray)),
    scalar(T::Macaddr8, 774, "macaddr8", "macaddr8", 8, b'U', false, Some(T::Macaddr8Array)),
    scalar(T::Xid8, 5069, "xid8", "xid8", 8, b'U', false, Some(T::Xid8Array)),
    scalar(T::Tid, 27, "tid", "tid", 6, b'U', false, Some(T::TidArray)),
    scalar(T::PgSnapshot, 5038, "pg_snapshot", "pg_snapshot", -1, b'U', false, Some(T::PgSnapshotArray)),
    scalar(
        T::TxidSnapshot,
        2970,
        "txid_snapshot",
        "txid_snapshot",
        -1,
        b'U',
        false,
        Some(T::TxidSnapshotArray),
    ),
    scalar(T::Money, 790, "money", "money", 8, b'N', false, Some(T::MoneyArray)),
    scalar(T::Citext, CITEXT_OID, "citext", "citext", -1, b'S', false, Some(T::CitextArray)),
    scalar(T::Hstore, HSTORE_OID, "hstore", "hstore", -1, b'U', false, Some(T::HstoreArray)),
    array(T::BoolArray, 1000, "_bool", "boolean[]", T::Bool),
    array(T::Int2Array, 1005, "_int2", "smallint[]", T::Int2),
    array(T::Int4Array, 1007, "_int4", "integer[]", T::Int4),
    array(T::Int8Array, 1016, "_int8", "bigint[]", T::Int8),
    array(T::Float4Array, 1021, "_float4", "real[]", T::Float4),
    array(T::Float8Array, 1022, "_float8", "double precision[]", T::Float8),
    array(T::NumericArray, 1231, "_numeric", "numeric[]", T::Numeric),
    array(T::TextArray, 1009, "_text", "text[]", T::Text),
    array(T::VarcharArray, 1015, "_varchar", "character varying[]", T::Varchar),
    array(T::BpcharArray, 1014, "_bpchar", "character[]", T::Bpchar),
    array(T::CharArray, 1002, "_char", "\"char\"[]", T::Char),
    array(T::NameArray, 1003, "_name", "name[]", T::Name),
    array(T::ByteaArray, 1001, "_bytea", "bytea[]", T::Bytea),
    array(T::DateArray, 1182, "_date", "date[]", T::Date),
    array(T::TimestampArray, 1115, "_timestamp", "timestamp without time zone[]", T::Timestamp),
    array(T::TimestamptzArray, 1185, "_timestamptz", "timestamp with time zone[]", T::Timestamptz),
    array(T::IntervalArray, 1187, "_interval", "interval[]", T::Interval),
    array(T::OidArray, 1028, "_oid", "oid[]", T::Oid),
    array(T::RegclassArray, 2210, "_regclass", "regclass[]", T::Regclass),
    array(T::RegtypeArray, 2211, "_regtype", "regtype[]", T::Regtype),
    array(T::PgLsnArray, 3221, "_pg_lsn", "pg_lsn[]", T::PgLsn),
    array(T::UuidArray, 2951, "_uuid", "uuid[]", T::Uuid),
    array(T::JsonArray, 199, "_json", "json[]", T::Json),
    array(T::JsonbArray, 3807, "_jsonb", "jsonb[]", T::Jsonb),
    array(T::TimeArray, 1183, "_time", "time without time zone[]", T::Time),
    array(T::TimetzArray, 1270, "_timetz", "time with time zone[]", T::Timetz),
    array(T::InetArray, 1041, "_inet", "inet[]", T::Inet),
    array(T::CidrArray, 651, "_cidr", "cidr[]", T::Cidr),
    array(T::MacaddrArray, 1040, "_macaddr", "macaddr[]", T::Macaddr),
    array(T::JsonpathArray, 4073, "_jsonpath", "jsonpath[]", T::Jsonpath),
    array(T::BitArray, 1561, "_bit", "bit[]", T::Bit),
    array(T::VarbitArray, 1563, "_varbit", "bit varying[]", T::Varbit),
    array(T::Macaddr8Array, 775, "_macaddr8", "macaddr8[]", T::Macaddr8),
    array(T::Xid8Array, 271, "_xid8", "xid8[]", T::Xid8),
    array(T::TidArray, 1010, "_tid", "tid[]", T::Tid),
    array(T::PgSnapshotArray, 5039, "_pg_snapshot", "pg_snapshot[]", T::PgSnapshot),
    array(T::TxidSnapshotArray, 2949, "_txid_snapshot", "txid_snapshot[]", T::TxidSnapshot),
    array(T::MoneyArray, 791, "_money", "money[]", T::Money),
    array(T::CitextArray, CITEXT_OID + 1, "_citext", "citext[]", T::Citext),
    array(T::HstoreArray, HSTORE_OID + 1, "_hstore", "hstore[]", T::Hstore),
    array(T::Int2Vector, 22, "int2vector", "int2vector", T::Int2),
    array(T::OidVector, 30, "oidvector", "oidvector", T::Oid),
    scalar(T::Unknown, 705, "unknown", "unknown", -2, b'X', false, None),
    scalar(T::Void, 2278, "void", "void", 4, b'P', false, None),
    scalar(T::Record, 2249, "record", "record", -1, b'P', false, Some(T::RecordArray)),
    TypeInfo { category: b'P', ..array(T::RecordArray, 2287, "_record", "record[]", T::Record) },
    scalar(T::Any, 2276, "any", "\"any\"", 4, b'P', false, None),
    scalar(T::AnyElement, 2283, "anyelement", "anyelement", 4, b'P', false, None),
    scalar(T::AnyArray, 2277, "anyarray", "anyarray", -1, b'P', false, None),
    scalar(T::AnyToText, 2776, "anynonarray", "anynonarray", 4, b'P', false, None),
    scalar(T::AnyEnum, 3500, "anyenum", "anyenum", 4, b'P', false, None),
    // How all enums are; they have OIDs and names of their own.
    scalar(T::Enum(0), u32::MAX, "enum", "enum", 4, b'E', false, None),
    array(T::EnumArray(0), u32::MAX - 1, "_enum", "enum[]", T::Enum(0)),
    // And how all composite types are.
    scalar(T::Composite(0), u32::MAX - 2, "record", "record", -1, b'C', false, None),
    array(T::CompositeArray(0), u32::MAX - 3, "_record", "record[]", T::Composite(0)),
];

const _: () = {
    let mut i = 0;
    while i < INFO_TYPES.len() {
        assert!(INFO_TYPES[i].index() == i, "invariant 1");
        i += 1;
    }
};

// A constant cannot read a static, so the order is checked on this copy of the first column.
const INFO_TYPES: [Type; 99] = Type::ALL;

impl Type {
    /// Every type, in the order of the discriminants.
    #[rustfmt::skip]
    pub const ALL: [Type; 99] = [
        T::Bool, T::Int2, T::Int4, T::Int8, T::Float4, T::Float8, T::Numeric, T::Text, T::Varchar, T::Bpchar, T::Char, T::Name,
        T::Bytea, T::Date, T::Timestamp, T::Timestamptz, T::Interval, T::Oid, T::Regclass, T::Regtype, T::Regproc,
        T::Regnamespace, T::Regrole, T::Regprocedure, T::Regoper, T::Regoperator, T::Regcollation,
        T::Xid, T::PgLsn, T::Uuid, T::Json, T::Jsonb, T::Time, T::Timetz, T::Inet, T::Cidr, T::Macaddr, T::Jsonpath, T::Bit, T::Varbit, T::Macaddr8, T::Xid8, T::Tid, T::PgSnapshot, T::TxidSnapshot, T::Money, T::Citext, T::Hstore, T::BoolArray, T::Int2Array, T::Int4Array, T::Int8Array, T::Float4Array,
        T::Float8Array, T::NumericArray, T::TextArray, T::VarcharArray, T::BpcharArray, T::CharArray, T::NameArray,
        T::ByteaArray, T::DateArray, T::TimestampArray, T::TimestamptzArray, T::IntervalArray, T::OidArray, T::RegclassArray,
        T::RegtypeArray, T::PgLsnArray, T::UuidArray, T::JsonArray, T::JsonbArray, T::TimeArray, T::TimetzArray, T::InetArray, T::CidrArray, T::MacaddrArray, T::JsonpathArray, T::BitArray, T::VarbitArray, T::Macaddr8Array, T::Xid8Array, T::TidArray, T::PgSnapshotArray, T::TxidSnapshotArray, T::MoneyArray, T::CitextArray, T::HstoreArray, T::Int2Vector, T::OidVector, T::Unknown, T::Void, T::Record, T::RecordArray, T::Any, T::AnyElement, T::AnyArray,
        T::AnyToText, T::AnyEnum,
    ];

    /// Its place in `INFO`; users' types have those behind the last.
    #[rustfmt::skip]
    const fn index(self) -> usize {
        match self {
            T::Bool => 0, T::Int2 => 1, T::Int4 => 2, T::Int8 => 3, T::Float4 => 4, T::Float8 => 5, T::Numeric => 6, T::Text => 7, T::Varchar => 8, T::Bpchar => 9, T::Char => 10, T::Name => 11, T::Bytea => 12, T::Date => 13, T::Timestamp => 14, T::Timestamptz => 15, T::Interval => 16, T::Oid => 17, T::Regclass => 18, T::Regtype => 19, T::Regproc => 20, T::Regnamespace => 21, T::Regrole => 22, T::Regprocedure => 23, T::Regoper => 24, T::Regoperator => 25, T::Regcollation => 26, T::Xid => 27, T::PgLsn => 28, T::Uuid => 29, T::Json => 30, T::Jsonb => 31, T::Time => 32, T::Timetz => 33, T::Inet => 34, T::Cidr => 35, T::Macaddr => 36, T::Jsonpath => 37, T::Bit => 38, T::Varbit => 39, T::Macaddr8 => 40, T::Xid8 => 41, T::Tid => 42, T::PgSnapshot => 43, T::TxidSnapshot => 44, T::Money => 45, T::Citext => 46, T::Hstore => 47, T::BoolArray => 48, T::Int2Array => 49, T::Int4Array => 50, T::Int8Array => 51, T::Float4Array => 52, T::Float8Array => 53, T::NumericArray => 54, T::TextArray => 55, T::VarcharArray => 56, T::BpcharArray => 57, T::CharArray => 58, T::NameArray => 59, T::ByteaArray => 60, T::DateArray => 61, T::TimestampArray => 62, T::TimestamptzArray => 63, T::IntervalArray => 64, T::OidArray => 65, T::RegclassArray => 66, T::RegtypeArray => 67, T::PgLsnArray => 68, T::UuidArray => 69, T::JsonArray => 70, T::JsonbArray => 71, T::TimeArray => 72, T::TimetzArray => 73, T::InetArray => 74, T::CidrArray => 75, T::MacaddrArray => 76, T::JsonpathArray => 77, T::BitArray => 78, T::VarbitArray => 79, T::Macaddr8Array => 80, T::Xid8Array => 81, T::TidArray => 82, T::PgSnapshotArray => 83, T::TxidSnapshotArray => 84, T::MoneyArray => 85, T::CitextArray => 86, T::HstoreArray => 87, T::Int2Vector => 88, T::OidVector => 89, T::Unknown => 90, T::Void => 91, T::Record => 92, T::RecordArray => 93, T::Any => 94, T::AnyElement => 95, T::AnyArray => 96, T::AnyToText => 97, T::AnyEnum => 98,
            T::Enum(_) => 99, T::EnumArray(_) => 100, T::Composite(_) => 101, T::CompositeArray(_) => 102,
        }
    }

    fn info(self) -> &'static TypeInfo {
        let info = &INFO[self.index()];
        debug_assert!(info.ty == self || self.user_oid().is_some(), "invariant 1");
        info
    }

    /// The OID, if a user made the type or the one that it is an array of.
    pub fn user_oid(self) -> Option<u32> {
        match self {
            T::Enum(oid) | T::EnumArray(oid) | T::Composite(oid) | T::CompositeArray(oid) => Some(oid),
            _ => None,
        }
    }

    /// A type that is there for whoever asked for its extension: a catalog knows where its name is.
    pub fn is_of_extension(self) -> bool {
        self.extension().is_some()
    }

    /// The extension that it is of.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            T::Citext | T::CitextArray => Some("citext"),
            T::Hstore | T::HstoreArray => Some("hstore"),
            _ => None,
        }
    }

    /// A type of an extension by its name.
    pub fn of_extension(name: &str) -> Option<Type> {
        INFO.iter().find(|i| i.pg_name == name).map(|i| i.ty).filter(|t| t.is_of_extension())
    }

    /// The OID that kept texts name a type by: of what users made, and of extensions.
    pub fn kept_oid(self) -> Option<u32> {
        if self.is_of_extension() { Some(self.oid() & !1) } else { self.user_oid() }
    }

    /// The type of an OID in something that is stored, where users' types may stand too.
    pub fn from_stored_oid(oid: u32) -> Option<Type> {
        Type::from_oid(oid).or(match oid {
            ..FIRST_USER_OID => None,
            FIRST_COMPOSITE_OID.. if oid.is_multiple_of(2) => Some(T::Composite(oid)),
            FIRST_COMPOSITE_OID.. => Some(T::CompositeArray(oid - 1)),
            _ if oid.is_multiple_of(2) => Some(T::Enum(oid)),
            _ => Some(T::EnumArray(oid - 1)),
        })
    }

    /// `pg_type.oid`.
    pub fn oid(self) -> u32 {
        match self {
            T::Enum(oid) | T::Composite(oid) => oid,
            T::EnumArray(oid) | T::CompositeArray(oid) => oid + 1,
            _ => self.info().oid,
        }
    }

    /// The type of an OID.
    pub fn from_oid(oid: u32) -> Option<Type> {
        INFO.iter().find(|i| i.oid == oid && i.ty.user_oid().is_none()).map(|i| i.ty)
    }

    /// The type of a name as written in SQL without modifiers: `int4`, `integer`, `character varying`, `_text`, `integer[]`.
    /// The name is matched without regard to case and may carry the schema `pg_catalog`.
    pub fn from_name(name: &str) -> Option<Type> {
        let name = name.trim();
        let lower = name.to_ascii_lowercase();
        let bare = lower.strip_prefix("pg_catalog.").unwrap_or(&lower);
        if bare == "\"char\"" {
            return Some(T::Char);
        }
        if let Some(element) = bare.strip_suffix("[]") {
            let mut element = element;
            while let Some(shorter) = element.strip_suffix("[]") {
                element = shorter;
            }
            return Type::from_name(element.trim_end())?.array_of();
        }
        let bare = bare.strip_prefix('"').and_then(|b| b.strip_suffix('"')).unwrap_or(bare);
        Some(match bare {
            "boolean" => T::Bool,
            "smallint" => T::Int2,
            "integer" | "int" => T::Int4,
            "bigint" => T::Int8,
            "real" => T::Float4,
            "float" | "double precision" => T::Float8,
            "decimal" | "dec" => T::Numeric,
            "character varying" | "char varying" => T::Varchar,
            "bit varying" => T::Varbit,
            // Unquoted, the keyword CHAR is character(1); only the quoted name is the catalog's single byte.
            "char" | "character" => T::Bpchar,
            "time without time zone" => T::Time,
            "time with time zone" => T::Timetz,
            "timestamp without time zone" => T::Timestamp,
            "timestamp with time zone" => T::Timestamptz,
            "_char" => T::CharArray,
            other => {
                INFO.iter().find(|i| i.pg_name == other).map(|i| i.ty).filter(|t| !t.is_of_extension())?
            }
        })
    }

    /// `pg_type.typname`: `int4`, `_text`.
    pub fn pg_name(self) -> Cow<'static, str> {
        match self {
            T::Enum(oid) | T::Composite(oid) => unquoted(user::name(oid)),
            T::EnumArray(oid) | T::CompositeArray(oid) => format!("_{}", unquoted(user::name(oid))).into(),
            _ => self.info().pg_name.into(),
        }
    }

    /// The name that error messages and `format_type` use: `integer`, `text[]`.
    pub fn sql_name(self) -> Cow<'static, str> {
        match self {
            T::Enum(oid) | T::Composite(oid) => user::name(oid),
            T::EnumArray(oid) | T::CompositeArray(oid) => format!("{}[]", user::name(oid)).into(),
            T::Citext => user::name_of_extension(CITEXT_OID, "citext"),
            T::Hstore => user::name_of_extension(HSTORE_OID, "hstore"),
            T::CitextArray => format!("{}[]", T::Citext.sql_name()).into(),
            T::HstoreArray => format!("{}[]", T::Hstore.sql_name()).into(),
            _ => self.info().sql_name.into(),
        }
    }

    /// `pg_type.typlen`.
    #[allow(clippy::len_without_is_empty)] // PostgreSQL's name for the attribute.
    pub fn len(self) -> i16 {
        self.info().len
    }

    /// `pg_type.typbyval`.
    pub fn by_value(self) -> bool {
        self.info().by_value
    }

    /// `pg_type.typcategory`.
    pub fn category(self) -> u8 {
        self.info().category
    }

    /// `pg_type.typispreferred`.
    pub fn is_preferred(self) -> bool {
        self.info().preferred
    }

    /// The element type of an array or vector type.
    pub fn element(self) -> Option<Type> {
        match self {
            T::EnumArray(oid) => Some(T::Enum(oid)),
            T::CompositeArray(oid) => Some(T::Composite(oid)),
            _ => self.info().element,
        }
    }

    /// The array type over this type.
    pub fn array_of(self) -> Option<Type> {
        match self {
            T::Enum(oid) => Some(T::EnumArray(oid)),
            T::Composite(oid) => Some(T::CompositeArray(oid)),
            _ => self.info().array,
        }
    }

    /// An array or vector.
    pub fn is_array(self) -> bool {
        self.info().element.is_some()
    }

    /// `int2vector` or `oidvector`.
    pub fn is_vector(self) -> bool {
        matches!(self, T::Int2Vector | T::OidVector)
    }

    /// A pseudo-type that only function signatures and expressions have: no column can.
    pub fn is_pseudo(self) -> bool {
        matches!(self.category(), b'P' | b'X')
    }

    /// A pseudo-type of function signatures that stands for many types.
    pub fn is_polymorphic(self) -> bool {
        matches!(self, T::Any | T::AnyElement | T::AnyArray | T::AnyToText | T::AnyEnum)
    }

    /// Whether there are operators that say of two values if they are equal, and which is the greater.
    pub fn is_ordered(self) -> bool {
        !matches!(self.element().unwrap_or(self), T::Json | T::Jsonpath | T::PgSnapshot | T::TxidSnapshot)
    }

    /// Rows: `record`, and what users made of that kind.
    pub fn is_row(self) -> bool {
        matches!(self, T::Record | T::Composite(_))
    }

    /// Values are represented as [`super::Datum::Text`].
    pub fn is_text_like(self) -> bool {
        matches!(self, T::Text | T::Varchar | T::Bpchar | T::Char | T::Name | T::Unknown)
    }

    /// Values are represented as [`super::Datum::Oid`].
    pub fn is_oid_like(self) -> bool {
        self.is_reg() || matches!(self, T::Oid | T::Xid)
    }

    /// One of the `reg*` types: an OID shown as the name of what it denotes.
    pub fn is_reg(self) -> bool {
        matches!(
            self,
            T::Regclass
                | T::Regtype
                | T::Regproc
                | T::Regnamespace
                | T::Regrole
                | T::Regprocedure
                | T::Regoper
                | T::Regoperator
                | T::Regcollation
        )
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sql_name())
    }
}

/// Bytes by which PostgreSQL's string and numeric modifiers are offset (the size of its varlena header).
const VARHDRSZ: i32 = 4;
/// Longest `varchar(n)` and `char(n)`, in characters.
pub(crate) const MAX_CHARACTERS: i64 = 10_485_760;
/// Longest `bit(n)` and `bit varying(n)`.
const MAX_DECLARED_BITS: i64 = 83_886_080;
/// Largest precision of a declared `numeric`.
const NUMERIC_MAX_PRECISION: i64 = 1000;
/// Bounds of a declared `numeric` scale.
const NUMERIC_MAX_TYPE_SCALE: i64 = 1000;

/// The type modifier for the arguments in parentheses after a type name; no arguments give -1, except for `character`, where the
/// caller passes `[1]` if the keyword stood without a length.
pub fn typmod_from_args(ty: Type, args: &[i64]) -> Result<i32, SqlError> {
    if args.is_empty() {
        return Ok(-1);
    }
    let invalid = |m: String| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, m));
    let single = || {
        if args.len() == 1 {
            Ok(args[0])
        } else {
            Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "invalid type modifier"))
        }
    };
    match ty.element().unwrap_or(ty) {
        T::Varchar | T::Bpchar => {
            let name = if ty.element().unwrap_or(ty) == T::Varchar { "varchar" } else { "char" };
            let n = single()?;
            if n < 1 {
                return invalid(format!("length for type {name} must be at least 1"));
            }
            if n > MAX_CHARACTERS {
                return invalid(format!("length for type {name} cannot exceed {MAX_CHARACTERS}"));
            }
            Ok(n as i32 + VARHDRSZ)
        }
        T::Numeric => {
            let (precision, scale) = match *args {
                [p] => (p, 0),
                [p, s] => (p, s),
                _ => return invalid("invalid NUMERIC type modifier".into()),
            };
            if !(1..=NUMERIC_MAX_PRECISION).contains(&precision) {
                return invalid(format!(
                    "NUMERIC precision {precision} must be between 1 and {NUMERIC_MAX_PRECISION}"
                ));
            }
            if !(-NUMERIC_MAX_TYPE_SCALE..=NUMERIC_MAX_TYPE_SCALE).contains(&scale) {
                return invalid(format!(
                    "NUMERIC scale {scale} must be between {} and {NUMERIC_MAX_TYPE_SCALE}",
                    -NUMERIC_MAX_TYPE_SCALE
                ));
            }
            Ok((((precision as i32) << 16) | ((scale as i32) & 0x7ff)) + VARHDRSZ)
        }
        T::Timestamp | T::Timestamptz => {
            let precision = single()?;
            let zone = if ty.element().unwrap_or(ty) == T::Timestamptz { " WITH TIME ZONE" } else { "" };
            if precision < 0 {
                return invalid(format!("TIMESTAMP({precision}){zone} precision must not be negative"));
            }
            // PostgreSQL lowers it with a warning.
            Ok(precision.min(6) as i32)
        }
        T::Time | T::Timetz => {
            let precision = single()?;
            let zone = if ty.element().unwrap_or(ty) == T::Timetz { " WITH TIME ZONE" } else { "" };
            if precision < 0 {
                return invalid(format!("TIME({precision}){zone} precision must not be negative"));
            }
            Ok(precision.min(6) as i32)
        }
        T::Bit | T::Varbit => {
            let name = ty.element().unwrap_or(ty).pg_name();
            let n = single()?;
            if n < 1 {
                return invalid(format!("length for type {name} must be at least 1"));
            }
            if n > MAX_DECLARED_BITS {
                return invalid(format!("length for type {name} cannot exceed {MAX_DECLARED_BITS}"));
            }
            Ok(n as i32)
        }
        T::Interval => {
            let precision = single()?;
            if precision < 0 {
                return invalid(format!("INTERVAL({precision}) precision must not be negative"));
            }
            Ok(IntervalFields::ALL.typmod(Some(precision.min(6) as u32)))
        }
        other => Err(SqlError::new(
            SqlState::SYNTAX_ERROR,
            format!("type modifier is not allowed for type \"{}\"", other.pg_name()),
        )),
    }
}

/// The declared length in characters of a `varchar(n)` or `char(n)` modifier.
pub fn typmod_length(typmod: i32) -> Option<usize> {
    usize::try_from(typmod - VARHDRSZ).ok()
}

/// Precision and scale of a `numeric(p,s)` modifier.
pub fn typmod_numeric(typmod: i32) -> Option<(i32, i32)> {
    if typmod < VARHDRSZ {
        return None;
    }
    let m = typmod - VARHDRSZ;
    // The scale is an 11-bit two's complement field.
    Some(((m >> 16) & 0xffff, ((m & 0x7ff) ^ 1024) - 1024))
}

/// Digits of a second that a `timestamp(p)` or `interval(p)` modifier keeps.
pub fn typmod_fraction_digits(ty: Type, typmod: i32) -> Option<u32> {
    if typmod < 0 {
        return None;
    }
    let digits = if ty == T::Interval { typmod & 0xffff } else { typmod };
    (digits <= 6).then_some(digits as u32)
}

/// The SQL spelling of a type and its modifier, as `format_type` gives it: `character varying(10)`, `numeric(8,2)`, `timestamp(3)
/// without time zone`, `integer[]`.
pub fn format_type(ty: Type, typmod: i32) -> String {
    if let (Some(element), b'A') = (ty.element(), ty.category())
        && !matches!(ty, T::Int2Vector | T::OidVector)
    {
        return format!("{}[]", format_type(element, typmod));
    }
    match ty {
        T::Varchar | T::Bpchar => match typmod_length(typmod) {
            Some(n) => format!("{}({n})", ty.sql_name()),
            // Without a length it is a type of its own that no SQL keyword names.
            None if ty == T::Bpchar => "bpchar".into(),
            None => ty.sql_name().into(),
        },
        T::Bit | T::Varbit if typmod >= 0 => format!("{}({typmod})", ty.sql_name()),
        // The word alone is bit(1).
        T::Bit => "\"bit\"".into(),
        T::Numeric => match typmod_numeric(typmod) {
            Some((p, s)) => format!("numeric({p},{s})"),
            None => "numeric".into(),
        },
        T::Timestamp | T::Timestamptz => match typmod_fraction_digits(ty, typmod) {
            Some(p) => {
                format!("timestamp({p}) {} time zone", if ty == T::Timestamp { "without" } else { "with" })
            }
            None => ty.sql_name().into(),
        },
        T::Time | T::Timetz => match typmod_fraction_digits(ty, typmod) {
            Some(p) => format!("time({p}) {} time zone", if ty == T::Time { "without" } else { "with" }),
            None => ty.sql_name().into(),
        },
        T::Interval => {
            let fields = IntervalFields::of_typmod(typmod).declared();
            match typmod_fraction_digits(ty, typmod) {
                Some(p) => format!("interval{fields}({p})"),
                None => format!("interval{fields}"),
            }
        }
        _ => ty.sql_name().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_consistent() {
        for (i, info) in INFO.iter().enumerate() {
            assert_eq!(info.ty.index(), i);
            if info.ty.user_oid().is_some() {
                continue;
            }
            assert_eq!(Type::from_oid(info.oid), Some(info.ty));
            if let Some(array) = info.array {
                assert_eq!(array.element(), Some(info.ty)); // invariant 2
            }
        }
    }

    #[test]
    fn names_of_every_spelling_resolve() {
        for (name, ty) in [
            ("INT", T::Int4),
            ("pg_catalog.int8", T::Int8),
            ("character varying", T::Varchar),
            ("\"char\"", T::Char),
            ("char", T::Bpchar),
            ("text[]", T::TextArray),
            ("integer[][]", T::Int4Array),
            ("_oid", T::OidArray),
            ("double precision", T::Float8),
        ] {
            assert_eq!(Type::from_name(name), Some(ty), "{name}");
        }
        assert_eq!(Type::from_name("no_such_type"), None);
    }

    #[test]
    fn modifiers_survive_formatting() {
        let fmt = |ty, args: &[i64]| format_type(ty, typmod_from_args(ty, args).unwrap());
        assert_eq!(fmt(T::Varchar, &[10]), "character varying(10)");
        assert_eq!(fmt(T::Bpchar, &[1]), "character(1)");
        assert_eq!(fmt(T::Numeric, &[8, 2]), "numeric(8,2)");
        assert_eq!(fmt(T::Numeric, &[5, -3]), "numeric(5,-3)");
        assert_eq!(fmt(T::Timestamp, &[3]), "timestamp(3) without time zone");
        assert_eq!(fmt(T::VarcharArray, &[4]), "character varying(4)[]");
        assert!(typmod_from_args(T::Int4, &[3]).is_err());
        assert!(typmod_from_args(T::Varchar, &[0]).is_err());
    }
}
