//! Operator classes.
//!
//! Must not know: how keys are made.

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
}

impl OpClass {
    /// All that are not a type's own.
    const NAMED: [(OpClass, &str); 4] = [
        (OpClass::TextPattern, "text_pattern_ops"),
        (OpClass::VarcharPattern, "varchar_pattern_ops"),
        (OpClass::BpcharPattern, "bpchar_pattern_ops"),
        (OpClass::JsonbPath, "jsonb_path_ops"),
    ];

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
            "uuid_ops" => |t| t == T::Uuid,
            "inet_ops" => |t| matches!(t, T::Inet | T::Cidr),
            "cidr_ops" => |t| t == T::Cidr,
            "macaddr_ops" => |t| t == T::Macaddr,
            "time_ops" => |t| t == T::Time,
            "timetz_ops" => |t| t == T::Timetz,
            "jsonb_ops" => |t| t == T::Jsonb,
            "array_ops" => |t| t.element().is_some(),
            "oid_ops" => {
                |t| matches!(t, T::Oid | T::Regclass | T::Regtype | T::Regproc | T::Regnamespace | T::Regrole)
            }
            _ => return None,
        };
        let class = Self::NAMED.iter().find(|c| c.1 == name).map_or(OpClass::Own, |c| c.0);
        Some((class, of))
    }

    /// Of inverted indexes, by its name.
    pub fn inverted(name: &str) -> Option<(OpClass, TakesType)> {
        match name {
            "array_ops" => Some((OpClass::Own, |t| t.is_array())),
            "jsonb_ops" => Some((OpClass::Own, |t| t == Type::Jsonb)),
            "jsonb_path_ops" => Some((OpClass::JsonbPath, |t| t == Type::Jsonb)),
            _ => None,
        }
    }

    /// Its name, unless it is the type's own.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMED.iter().find(|c| c.0 == self).map(|c| c.1)
    }
}
