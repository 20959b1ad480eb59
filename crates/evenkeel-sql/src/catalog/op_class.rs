//! Operator classes.
//!
//! Must not know: how keys are made.

use super::IndexMethod;
use evenkeel_types::Type;

/// Whether something takes values of a type.
pub type TakesType = fn(Type) -> bool;

/// An operator class of a B-tree. All of a type order alike, as texts are compared by their bytes: it is kept to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpClass {
    /// The type's own.
    #[default]
    Own,
    /// `text_pattern_ops`
    TextPattern,
    /// `varchar_pattern_ops`
    VarcharPattern,
    /// `bpchar_pattern_ops`
    BpcharPattern,
    /// `jsonb_path_ops`, of inverted indexes.
    JsonbPath,
    /// `gin_trgm_ops`, of the extension `pg_trgm`.
    GinTrigrams,
    /// `gist_trgm_ops`, the same.
    GistTrigrams,
}

impl OpClass {
    /// All that are not a type's own.
    const NAMED: [(OpClass, &str); 6] = [
        (OpClass::TextPattern, "text_pattern_ops"),
        (OpClass::VarcharPattern, "varchar_pattern_ops"),
        (OpClass::BpcharPattern, "bpchar_pattern_ops"),
        (OpClass::JsonbPath, "jsonb_path_ops"),
        (OpClass::GinTrigrams, "gin_trgm_ops"),
        (OpClass::GistTrigrams, "gist_trgm_ops"),
    ];

    /// It orders by bytes, whatever the collation.
    pub fn is_bytewise(self) -> bool {
        !matches!(self, OpClass::Own)
    }

    /// The extension that has it, if it is one's.
    pub fn extension(self) -> Option<&'static str> {
        matches!(self, OpClass::GinTrigrams | OpClass::GistTrigrams).then_some("pg_trgm")
    }

    /// By its name; nothing if there is none. With the types that it takes.
    pub fn named(name: &str) -> Option<(OpClass, TakesType)> {
        use Type as T;
        let is_text = |t: Type| matches!(t, T::Text | T::Varchar);
        let of: TakesType = match name {
            "text_ops" | "varchar_ops" | "text_pattern_ops" | "varchar_pattern_ops" => is_text,
            "bpchar_ops" | "bpchar_pattern_ops" => |t| t == T::Bpchar,
            "int2_ops" => |t| t == T::Int2,
            "int4_ops" => |t| t == T::Int4,
            "int8_ops" => |t| t == T::Int8,
            "float4_ops" => |t| t == T::Float4,
            "float8_ops" => |t| t == T::Float8,
            "numeric_ops" => |t| t == T::Numeric,
            "bool_ops" => |t| t == T::Bool,
            "char_ops" => |t| t == T::Char,
            "name_ops" => |t| t == T::Name,
            "bytea_ops" => |t| t == T::Bytea,
            "date_ops" => |t| t == T::Date,
            "timestamp_ops" => |t| t == T::Timestamp,
            "timestamptz_ops" => |t| t == T::Timestamptz,
            "interval_ops" => |t| t == T::Interval,
            "pg_lsn_ops" => |t| t == T::PgLsn,
            "tid_ops" => |t| t == T::Tid,
            "money_ops" => |t| t == T::Money,
            "xid8_ops" => |t| t == T::Xid8,
            "uuid_ops" => |t| t == T::Uuid,
            "inet_ops" => |t| matches!(t, T::Inet | T::Cidr),
            "cidr_ops" => |t| t == T::Cidr,
            "macaddr8_ops" => |t| t == T::Macaddr8,
            "bit_ops" => |t| t == T::Bit,
            "varbit_ops" => |t| t == T::Varbit,
            "macaddr_ops" => |t| t == T::Macaddr,
            "time_ops" => |t| t == T::Time,
            "timetz_ops" => |t| t == T::Timetz,
            "jsonb_ops" => |t| t == T::Jsonb,
            "citext_ops" => |t| t == T::Citext,
            "btree_hstore_ops" | "hash_hstore_ops" => |t| t == T::Hstore,
            "array_ops" => |t| t.element().is_some(),
            "enum_ops" => |t| matches!(t, T::Enum(_)),
            "oid_ops" => |t| t == T::Oid || t.is_reg(),
            _ => return None,
        };
        let class = Self::NAMED.iter().find(|c| c.1 == name).map_or(OpClass::Own, |c| c.0);
        Some((class, of))
    }

    /// Of indexes of ranges of blocks (BRIN), by its name: `int4_minmax_ops` and its like.
    pub fn minmax(name: &str) -> Option<(OpClass, TakesType)> {
        match name.strip_suffix("_minmax_ops")? {
            "array" | "bool" | "cidr" | "citext" | "jsonb" | "money" | "varchar" | "xid8" => None,
            ty => Self::named(&format!("{ty}_ops")).filter(|c| c.0 == OpClass::Own),
        }
    }

    /// Of inverted indexes, by its name.
    pub fn inverted(method: IndexMethod, name: &str) -> Option<(OpClass, TakesType)> {
        let is_text: TakesType = |t| matches!(t, Type::Text | Type::Varchar);
        match name {
            "gist_trgm_ops" if method == IndexMethod::Gist => return Some((OpClass::GistTrigrams, is_text)),
            _ if method == IndexMethod::Gist => return None,
            "gin_trgm_ops" => return Some((OpClass::GinTrigrams, is_text)),
            _ => {}
        }
        match name {
            "array_ops" => Some((OpClass::Own, |t| t.is_array())),
            "jsonb_ops" => Some((OpClass::Own, |t| t == Type::Jsonb)),
            "jsonb_path_ops" => Some((OpClass::JsonbPath, |t| t == Type::Jsonb)),
            "gin_hstore_ops" => Some((OpClass::Own, |t| t == Type::Hstore)),
            _ => None,
        }
    }

    /// Its name, unless it is the type's own.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMED.iter().find(|c| c.0 == self).map(|c| c.1)
    }
}
