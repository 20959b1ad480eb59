//! Type names in SQL text.
//!
//! Must not know: expressions.

use super::Typed;
use crate::catalog::views::type_io::names_alone;
use crate::catalog::{Catalog, NamedType, is_domain_array};
use crate::plan::expr::{Cast, Expr};
use evenkeel_types::datetime::IntervalFields;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Collation, Type, typmod_from_args};
use sqlparser::ast::{self, ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, TimezoneInfo};
use sqlparser::tokenizer::Location;

fn with_args(ty: Type, args: &[i64]) -> Result<(Type, i32), SqlError> {
    let typmod = if args.is_empty() { -1 } else { typmod_from_args(ty, args)? };
    Ok((ty, typmod))
}

fn length(l: &Option<CharacterLength>, default: &[i64]) -> Vec<i64> {
    match l {
        Some(CharacterLength::IntegerLength { length, .. }) => vec![*length as i64],
        _ => default.to_vec(),
    }
}

fn no_modifier(name: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, format!("type modifier is not allowed for type \"{name}\""))
}

fn float_precision(why: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("precision for type float {why}"))
}

fn number(n: &ExactNumberInfo) -> Vec<i64> {
    match n {
        ExactNumberInfo::None => vec![],
        ExactNumberInfo::Precision(p) => vec![*p as i64],
        ExactNumberInfo::PrecisionAndScale(p, s) => vec![*p as i64, *s],
    }
}

/// Where names of types are looked up besides PostgreSQL's own: a catalog, and a search path.
pub type Scope<'a> = Option<(&'a Catalog, &'a [u32])>;

/// Where a type is named that is none of PostgreSQL's own.
pub fn place_of(mut t: &DataType) -> Option<Location> {
    while let DataType::Array(ArrayElemTypeDef::SquareBracket(of, _) | ArrayElemTypeDef::Qualified(of, _)) = t
    {
        t = of;
    }
    match t {
        DataType::Custom(name, _) => Some(super::first_location(name)),
        _ => None,
    }
}

/// The type that a name denotes, and the domain if that is one.
pub fn named_type(t: &DataType, scope: Scope<'_>) -> Result<NamedType, SqlError> {
    if let (DataType::Custom(name, args), Some((catalog, path))) = (t, scope) {
        let (schema, ty_name) = super::split_name(name)?;
        let is_builtin =
            schema.as_deref().is_none_or(|s| s == "pg_catalog") && Type::from_name(&ty_name).is_some();
        let found = catalog.type_named(schema.as_deref(), &ty_name, path);
        if let Some(found) = found.filter(|f| f.domain.is_some() && !is_builtin) {
            return match args.is_empty() {
                true => Ok(found),
                false => Err(no_modifier(&ty_name)),
            };
        }
    }
    if let DataType::Array(ArrayElemTypeDef::SquareBracket(of, _) | ArrayElemTypeDef::Qualified(of, _)) = t {
        let of = named_type(of, scope).map_err(|mut e| {
            if e.code == SqlState::UNDEFINED_OBJECT && !e.message.contains("[]") {
                e.message = e.message.replacen("\" does not", "[]\" does not", 1);
            }
            e
        })?;
        if let Some(oid) = of.domain {
            return match of.ty.array_of() {
                _ if is_domain_array(oid) => Ok(of),
                Some(ty) => Ok(NamedType { ty, domain: Some(oid + 1), ..of }),
                None => {
                    let why = format!("arrays of domains over arrays are not supported: {t}");
                    Err(SqlError::unsupported(why))
                }
            };
        }
    }
    let (ty, typmod) = data_type(t, scope)?;
    Ok(NamedType { ty, typmod, domain: None })
}

/// With how many pairs of brackets a type is named, where these are more than one; else 0.
pub fn declared_dimensions(mut t: &DataType) -> u8 {
    let mut pairs = 0_u8;
    while let DataType::Array(ArrayElemTypeDef::SquareBracket(of, _) | ArrayElemTypeDef::Qualified(of, _)) = t
    {
        (t, pairs) = (of, pairs.saturating_add(1));
    }
    if pairs > 1 { pairs } else { 0 }
}

/// The type that a name denotes, with its modifier: of a domain what that is over.
pub fn data_type(t: &DataType, scope: Scope<'_>) -> Result<(Type, i32), SqlError> {
    use DataType as D;
    match t {
        D::Character(l) | D::Char(l) => with_args(Type::Bpchar, &length(l, &[1])),
        D::CharacterVarying(l) | D::CharVarying(l) | D::Varchar(l) => {
            with_args(Type::Varchar, &length(l, &[]))
        }
        D::Bit(n) => with_args(Type::Bit, &[n.map_or(1, |n| n as i64)]),
        D::BitVarying(n) | D::VarBit(n) => {
            with_args(Type::Varbit, &n.map(|n| n as i64).into_iter().collect::<Vec<_>>())
        }
        D::Numeric(n) | D::Decimal(n) | D::Dec(n) => with_args(Type::Numeric, &number(n)),
        D::Float(n) => Ok(match n {
            ExactNumberInfo::Precision(0) => return Err(float_precision("must be at least 1 bit")),
            ExactNumberInfo::Precision(54..) => return Err(float_precision("must be less than 54 bits")),
            ExactNumberInfo::Precision(p) if *p <= 24 => (Type::Float4, -1),
            ExactNumberInfo::PrecisionAndScale(..) => return Err(super::foreign::too_many(",")),
            _ => (Type::Float8, -1),
        }),
        // Integers by these names have no length.
        D::SmallInt(Some(_)) | D::Int(Some(_)) | D::Integer(Some(_)) | D::BigInt(Some(_)) => {
            Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"(\""))
        }
        D::Int2(Some(_)) => Err(no_modifier("int2")),
        D::Int4(Some(_)) => Err(no_modifier("int4")),
        D::Int8(Some(_)) => Err(no_modifier("int8")),
        D::Double(_) => Err(SqlError::new(SqlState::UNDEFINED_OBJECT, "type \"double\" does not exist")),
        D::SmallInt(_) | D::Int2(_) => Ok((Type::Int2, -1)),
        D::Int(_) | D::Int4(_) | D::Integer(_) => Ok((Type::Int4, -1)),
        D::BigInt(_) | D::Int8(_) => Ok((Type::Int8, -1)),
        D::Float4 | D::Real => Ok((Type::Float4, -1)),
        D::Float8 | D::DoublePrecision => Ok((Type::Float8, -1)),
        D::Bool | D::Boolean => Ok((Type::Bool, -1)),
        D::Date => Ok((Type::Date, -1)),
        D::Timestamp(p, tz) => {
            let ty = match tz {
                TimezoneInfo::WithTimeZone | TimezoneInfo::Tz => Type::Timestamptz,
                _ => Type::Timestamp,
            };
            with_args(ty, &p.map(|p| p as i64).into_iter().collect::<Vec<_>>())
        }
        D::Interval { fields: None, precision } => {
            with_args(Type::Interval, &precision.map(|p| p as i64).into_iter().collect::<Vec<_>>())
        }
        D::Interval { fields: Some(fields), precision } => {
            let text = fields.to_string().to_lowercase();
            let (first, last) = match text.split_once(" to ") {
                Some((first, last)) => (first, Some(last)),
                None => (&text[..], None),
            };
            interval(first, last, *precision).map(|typmod| (Type::Interval, typmod))
        }
        D::Text => Ok((Type::Text, -1)),
        D::Time(p, tz) => {
            let ty = match tz {
                TimezoneInfo::WithTimeZone | TimezoneInfo::Tz => Type::Timetz,
                _ => Type::Time,
            };
            with_args(ty, &p.map(|p| p as i64).into_iter().collect::<Vec<_>>())
        }
        D::JSON => Ok((Type::Json, -1)),
        D::JSONB => Ok((Type::Jsonb, -1)),
        D::Uuid => Ok((Type::Uuid, -1)),
        D::Bytea => Ok((Type::Bytea, -1)),
        D::Regclass => Ok((Type::Regclass, -1)),
        D::Array(ArrayElemTypeDef::SquareBracket(inner, _) | ArrayElemTypeDef::Qualified(inner, _)) => {
            if let D::Array(_) = &**inner {
                return data_type(inner, scope);
            }
            let NamedType { ty: element, typmod, .. } = named_type(inner, scope)?;
            match element.array_of() {
                Some(a) => Ok((a, typmod)),
                None => Err(unknown(&t.to_string())),
            }
        }
        D::Custom(name, args) => {
            let (schema, ty_name) = super::split_name(name)?;
            if let Some(over) = of_information_schema(schema.as_deref(), &ty_name).filter(|_| args.is_empty())
            {
                return Ok(over);
            }
            // pg_catalog comes first, unless the path says otherwise.
            let is_builtin = |n: &str| Type::from_name(n).is_some() || n == "nchar";
            if schema.as_deref().is_some_and(|s| s != "pg_catalog")
                || (schema.is_none() && !is_builtin(&ty_name))
            {
                let found = scope.and_then(|(c, path)| c.type_named(schema.as_deref(), &ty_name, path));
                return match found {
                    Some(found) if found.domain.is_some() => Ok((found.ty, found.typmod)),
                    Some(NamedType { ty, .. }) => {
                        with_args(ty, &args.iter().filter_map(|a| a.parse().ok()).collect::<Vec<_>>())
                    }
                    None if schema
                        .as_ref()
                        .is_some_and(|s| scope.is_some_and(|(c, _)| c.schema_named(s).is_none())) =>
                    {
                        let why = format!("schema \"{}\" does not exist", schema.unwrap_or_default());
                        Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, why))
                    }
                    None => Err(unknown(&match &schema {
                        Some(s) => format!("{s}.{ty_name}"),
                        None => ty_name,
                    })),
                };
            }
            if ty_name == "nchar" {
                let args: Vec<i64> = args.iter().filter_map(|a| a.parse().ok()).collect();
                return with_args(Type::Bpchar, if args.is_empty() { &[1] } else { &args });
            }
            // "char" is a type of its own; without quotes the parser does not come here.
            let is_char = matches!(name.0.last(), Some(ast::ObjectNamePart::Identifier(i)) if i.quote_style.is_some() && i.value == "char");
            let ty = if is_char { Some(Type::Char) } else { Type::from_name(&ty_name) };
            let ty = ty.ok_or_else(|| unknown(&ty_name))?;
            let args: Vec<i64> = args.iter().filter_map(|a| a.parse().ok()).collect();
            with_args(ty, &args)
        }
        other => {
            let name = other.to_string().to_lowercase();
            Type::from_name(&name).map(|ty| (ty, -1)).ok_or_else(|| unknown(&name))
        }
    }
}

/// What the domains of information_schema are over: its views have columns of these types.
fn of_information_schema(schema: Option<&str>, name: &str) -> Option<(Type, i32)> {
    if schema != Some("information_schema") {
        return None;
    }
    Some(match name {
        "cardinal_number" => (Type::Int4, -1),
        "character_data" => (Type::Varchar, -1),
        "sql_identifier" => (Type::Name, -1),
        "time_stamp" => (Type::Timestamptz, 2),
        "yes_or_no" => (Type::Varchar, 3 + 4),
        _ => return None,
    })
}

/// Refuses COLLATE of what has no collation.
pub(super) fn collatable(t: Typed) -> Result<Typed, SqlError> {
    let ty = t.ty.element().unwrap_or(t.ty);
    let is_text = ty == Type::Unknown || (ty.category() == b'S' && ty != Type::Char);
    if is_text {
        return Ok(t);
    }
    let why = format!("collations are not supported by type {}", t.ty.sql_name());
    Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why))
}

/// A collation by its name.
///
/// # Errors
/// 42704 if there is none.
pub(crate) fn check_collation(
    catalog: &Catalog,
    search_path: &[u32],
    name: &ast::ObjectName,
) -> Result<Collation, SqlError> {
    let (schema, name) = super::split_name(name)?;
    if let Some(found) = catalog.collation_named(schema.as_deref(), &name, search_path) {
        return Ok(found);
    }
    if let Some(e) = catalog.missing_schema(schema.as_deref(), search_path) {
        return Err(e);
    }
    let name = schema.map_or_else(|| name.clone(), |s| format!("{s}.{name}"));
    let why = format!("collation \"{name}\" for encoding \"UTF8\" does not exist");
    Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why))
}

/// The modifier of `interval day to second(3)`.
pub(super) fn interval(first: &str, last: Option<&str>, digits: Option<u64>) -> Result<i32, SqlError> {
    let fields = IntervalFields::named(first, last).filter(|f| digits.is_none() || f.has_seconds());
    match fields {
        Some(fields) => Ok(fields.typmod(digits.map(|d| d.min(6) as u32))),
        None => Err(SqlError::new(SqlState::SYNTAX_ERROR, "invalid fields of an interval")),
    }
}

fn unknown(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))
}

/// There is no type of a column's type's name, though it may be one of those that are names alone.
pub fn of_pseudo(e: SqlError, column: &str, t: &DataType) -> SqlError {
    let name = match t {
        DataType::Custom(name, _) => match super::split_name(name) {
            Ok((None, name)) => name,
            _ => return e,
        },
        other => other.to_string().to_lowercase(),
    };
    if e.code != SqlState::UNDEFINED_OBJECT || !names_alone().iter().any(|n| n.name == name) {
        return e;
    }
    let why = format!("column \"{column}\" has pseudo-type {name}");
    SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why)
}

/// Refuses a column whose type has no values that could be kept.
pub fn check_pseudo(column: &str, ty: Type) -> Result<(), SqlError> {
    use Type::{Any, AnyArray, AnyElement, AnyToText, Record, RecordArray, Unknown, Void};
    if matches!(ty, Unknown | Void | Record | RecordArray | Any | AnyElement | AnyArray | AnyToText) {
        let why = format!("column \"{column}\" has pseudo-type {}", ty.sql_name());
        return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
    }
    Ok(())
}

/// The text of a value, as its output function gives it.
pub(super) fn as_text(t: Typed) -> Expr {
    let (to, context) = (Type::Text, CastContext::Explicit);
    Expr::Cast(Box::new(Cast { expr: t.expr, from: t.ty, to, typmod: -1, context }))
}

/// `bit` and `char` without a length: in front of a literal they have none, elsewhere it is 1.
pub(super) fn is_without_length(t: &DataType) -> bool {
    matches!(t, DataType::Bit(None) | DataType::Char(None) | DataType::Character(None))
}
