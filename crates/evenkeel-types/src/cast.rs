//! Casts between types, and fitting values to type modifiers.
//!
//! The casts and their contexts are those of PostgreSQL's `pg_cast`; in addition everything casts to the string types on assignment
//! and from them explicitly, through its text form, and arrays cast as their elements do.
//!
//! Must not know: expressions, columns.

use crate::tid;
use std::sync::Arc;

use super::bits::{self, Bits};
use super::datetime::calendar::{
    DATE_INFINITY, DATE_NEG_INFINITY, Fields, TS_INFINITY, TS_NEG_INFINITY, US_PER_DAY, US_PER_SECOND,
    in_timestamp_range, is_finite_date, is_finite_ts,
};
use super::datetime::zone::{local_us, offset_of_local};
use super::datetime::{date_out_of_range, time, timestamp_out_of_range};
use super::datum::{ArrayDatum, Datum, Interval};
use super::format::FormatOptions;
use super::json;
use super::macaddr8;
use super::money;
use super::numeric::Numeric;
use super::text_io::{
    cut_name, fit_bpchar, fit_varchar, input_text, padded, prefix_bytes, round_time, round_timestamp, to_text,
};
use super::ty::{Type, typmod_length, typmod_numeric};
use crate::compare::unpadded;
use crate::error::{SqlError, SqlState};
use crate::guard::build::{kept, make_room};
use crate::guard::check;
use crate::guard::discard::Large;
use crate::hstore::{self, Hstore};

/// Where a cast is used; each later one allows all that the earlier ones do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CastContext {
    /// Anywhere in an expression, without being asked for.
    Implicit,
    /// Storing into a column.
    Assignment,
    /// `CAST(x AS t)`, `x::t`.
    Explicit,
}

/// The weakest context in which a cast is allowed; `None` if there is no such cast.
pub fn can_cast(from: Type, to: Type) -> Option<CastContext> {
    use CastContext::{Assignment as A, Explicit as E, Implicit as I};
    use Type as T;
    if from == to || from == T::Unknown {
        return Some(I);
    }
    let listed = match (from, to) {
        (T::Int2, T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Numeric) => Some(I),
        (T::Int4, T::Int8 | T::Float4 | T::Float8 | T::Numeric) => Some(I),
        (T::Int8, T::Float4 | T::Float8 | T::Numeric) => Some(I),
        (T::Float4, T::Float8) => Some(I),
        (T::Numeric, T::Float4 | T::Float8) => Some(I),
        (T::Int4, T::Int2) | (T::Int8, T::Int2 | T::Int4) => Some(A),
        (T::Float4 | T::Float8 | T::Numeric, T::Int2 | T::Int4 | T::Int8) => Some(A),
        (T::Float8, T::Float4) | (T::Float4 | T::Float8, T::Numeric) => Some(A),
        (T::Int4, T::Bool) | (T::Bool, T::Int4) => Some(E),
        (T::Int4, T::Char) | (T::Char, T::Int4) => Some(E),
        (T::Int2 | T::Int4 | T::Int8, T::Bytea) | (T::Bytea, T::Int2 | T::Int4 | T::Int8) => Some(E),
        (T::Int2 | T::Int4 | T::Int8, t) if t == T::Oid || t.is_reg() => Some(I),
        (T::Oid, T::Int8) => Some(I),
        (T::Oid, T::Int4) => Some(A),
        (T::Oid, t) if t.is_reg() => Some(I),
        (f, T::Oid) if f.is_reg() => Some(I),
        (T::Regproc, T::Regprocedure) | (T::Regprocedure, T::Regproc) => Some(I),
        (T::Regoper, T::Regoperator) | (T::Regoperator, T::Regoper) => Some(I),
        (f, T::Int4 | T::Int8) if f.is_reg() => Some(A),
        (T::Text | T::Varchar | T::Bpchar, T::Text | T::Varchar | T::Bpchar | T::Name) => Some(I),
        (T::Name, T::Text) | (T::Char, T::Text) => Some(I),
        (T::Name | T::Char, T::Varchar | T::Bpchar) => Some(A),
        (T::Text | T::Varchar | T::Bpchar, T::Char) => Some(A),
        (T::Citext, T::Text | T::Varchar) => Some(I),
        (T::Text | T::Varchar, T::Regclass) => Some(I),
        (T::Date, T::Timestamp | T::Timestamptz) | (T::Timestamp, T::Timestamptz) => Some(I),
        (T::Timestamp, T::Date) | (T::Timestamptz, T::Date | T::Timestamp) => Some(A),
        (T::Int2Vector, T::Int2Array) | (T::OidVector, T::OidArray) => Some(I),
        (T::Int2Array, T::Int2Vector) | (T::OidArray, T::OidVector) => Some(E),
        (T::RegclassArray | T::RegtypeArray, T::OidArray) => Some(I),
        (T::Time, T::Interval | T::Timetz) => Some(I),
        (T::Timetz | T::Interval | T::Timestamp | T::Timestamptz, T::Time) => Some(A),
        (T::Timestamptz, T::Timetz) => Some(A),
        (T::Xid8, T::Xid) => Some(E),
        (T::Money, T::Numeric) | (T::Numeric | T::Int4 | T::Int8, T::Money) => Some(A),
        (T::Macaddr, T::Macaddr8) | (T::Macaddr8, T::Macaddr) => Some(I),
        (T::Bit, T::Varbit) | (T::Varbit, T::Bit) => Some(I),
        (T::Int4 | T::Int8, T::Bit) | (T::Bit, T::Int4 | T::Int8) => Some(E),
        (T::Cidr, T::Inet) => Some(I),
        (T::Inet, T::Cidr) => Some(A),
        (T::Json, T::Jsonb) | (T::Jsonb, T::Json) => Some(A),
        (T::TextArray, T::Hstore) | (T::Hstore, T::Json | T::Jsonb) => Some(E),
        (T::Jsonb, T::Bool | T::Numeric | T::Int2 | T::Int4 | T::Int8 | T::Float4 | T::Float8) => Some(E),
        _ => None,
    };
    if listed.is_some() {
        return listed;
    }
    if let (Some(f), Some(t)) = (from.element(), to.element())
        && !to.is_vector()
        && let Some(c) = can_cast(f, t)
    {
        return Some(c);
    }
    match (from, to) {
        (T::Composite(_), T::Record) => return Some(I),
        // Of rows that are written as such a binder makes others; other rows do not tell what they are.
        (T::Record, T::Composite(_)) => return None,
        (T::Composite(_), T::Composite(_)) if from != to => return None,
        _ => {}
    }
    if from.is_polymorphic() || to.is_polymorphic() || to == T::Void {
        return None;
    }
    // Through the text form.
    if to.category() == b'S' {
        return Some(A);
    }
    (from.category() == b'S' && to != T::Record).then_some(E)
}

/// Whether a cast is allowed in a context.
pub fn can_cast_in(from: Type, to: Type, context: CastContext) -> bool {
    can_cast(from, to).is_some_and(|weakest| weakest <= context)
}

/// Whether `cast` with these arguments may change a value: if not, the caller can leave it out.
pub fn needs_cast(from: Type, to: Type, typmod: i32) -> bool {
    if from == to {
        return typmod >= 0;
    }
    let string = |t| matches!(t, Type::Text | Type::Varchar);
    let text_source = matches!(from, Type::Text | Type::Varchar | Type::Name | Type::Char | Type::Unknown);
    !(text_source && string(to) && typmod < 0)
}

#[cold]
fn cannot_cast(from: Type, to: Type) -> SqlError {
    SqlError::new(
        SqlState::CANNOT_COERCE,
        format!("cannot cast type {} to {}", from.sql_name(), to.sql_name()),
    )
}

/// "… out of range" for a type.
#[cold]
pub fn out_of_range(ty: Type) -> SqlError {
    let name = if ty == Type::Oid { "OID".into() } else { ty.sql_name() };
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("{name} out of range"))
}

/// Casts a value and fits it to the modifier of the target type (-1: none). With `from == to` it only fits. NULL stays NULL.
///
/// An explicit cast cuts an overlong string; any other context refuses it with `22001`.
pub fn cast(
    d: Datum,
    from: Type,
    to: Type,
    typmod: i32,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    if d.is_null() {
        return Ok(d);
    }
    if from == to {
        return if typmod < 0 { Ok(d) } else { fit(d, to, typmod, context, o) };
    }
    if from == Type::Unknown {
        return match &d {
            Datum::Text(s) => read_literal(s, to, typmod, context, o),
            _ => Err(cannot_cast(from, to)),
        };
    }
    let converted = convert(d, from, to, typmod, context, o)?;
    if typmod < 0 { Ok(converted) } else { fit(converted, to, typmod, context, o) }
}

/// The integer of a type that has these bytes, the highest first; those that are not there are zero.
fn integer_of(bytes: &[u8], to: Type) -> Result<Datum, SqlError> {
    let width = usize::try_from(to.len()).unwrap_or(0);
    if bytes.len() > width {
        return Err(out_of_range(to));
    }
    let value = bytes.iter().fold(0u64, |v, b| v << 8 | u64::from(*b));
    Ok(match to {
        Type::Int2 => Datum::Int2(value as i16),
        Type::Int4 => Datum::Int4(value as i32),
        _ => Datum::Int8(value as i64),
    })
}

/// Text to any type. The modifier is applied afterwards, so that an explicit cast cuts a long string as it does for other sources;
/// intervals alone take theirs while reading.
fn read_literal(
    s: &str,
    to: Type,
    typmod: i32,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    if typmod < 0 || to == Type::Interval {
        return input_text(s, to, typmod, o);
    }
    // A char(n) must not lose its length before it is cut.
    let plain = if to == Type::Bpchar { Type::Text } else { to };
    fit(input_text(s, plain, -1, o)?, to, typmod, context, o)
}

fn convert(
    d: Datum,
    from: Type,
    to: Type,
    typmod: i32,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    use Type as T;
    if let (Some(bits), T::Int4 | T::Int8) = (Bits::of(&d), to) {
        let width = if to == T::Int4 { 32 } else { 64 };
        let v = bits.to_integer(width).ok_or_else(|| out_of_range(to))?;
        return Ok(if to == T::Int4 { Datum::Int4(v as i32) } else { Datum::Int8(v) });
    }
    match (&d, to) {
        (Datum::Bytes(bytes), T::Int2 | T::Int4 | T::Int8) => return integer_of(bytes, to),
        (Datum::Int2(v), T::Bytea) => return Ok(Datum::Bytes(Arc::from(&v.to_be_bytes()[..]))),
        (Datum::Int4(v), T::Bytea) => return Ok(Datum::Bytes(Arc::from(&v.to_be_bytes()[..]))),
        (Datum::Int8(v), T::Bytea) => return Ok(Datum::Bytes(Arc::from(&v.to_be_bytes()[..]))),
        _ => {}
    }
    if let Datum::Citext(s) = d {
        return cast(Datum::Text(s), T::Text, to, typmod, context, o);
    }
    if let Datum::Jsonb(b) = &d
        && to.category() != b'S'
    {
        return of_jsonb(json::Jsonb(b), to, context, o);
    }
    Ok(match to {
        T::Int2 => match to_i64(&d, T::Int2) {
            Some(v) => Datum::Int2(i16::try_from(v?).map_err(|_| out_of_range(to))?),
            None => return other(d, from, to, typmod, o),
        },
        T::Int4 => match (&d, from) {
            (Datum::Bool(b), _) => Datum::Int4(i32::from(*b)),
            (Datum::Text(s), T::Char) => {
                Datum::Int4(i32::from(s.chars().next().map_or(0, |c| c as u32 as u8 as i8)))
            }
            // OIDs wrap.
            (Datum::Oid(v), _) => Datum::Int4(*v as i32),
            _ => match to_i64(&d, T::Int4) {
                Some(v) => Datum::Int4(i32::try_from(v?).map_err(|_| out_of_range(to))?),
                None => return other(d, from, to, typmod, o),
            },
        },
        T::Int8 => match to_i64(&d, T::Int8) {
            Some(v) => Datum::Int8(v?),
            None => return other(d, from, to, typmod, o),
        },
        T::Float8 => match &d {
            Datum::Float4(v) => Datum::Float8(f64::from(*v)),
            Datum::Numeric(n) => Datum::Float8(numeric_to_f64(n)?),
            Datum::Text(_) | Datum::Bpchar(_) => return other(d, from, to, typmod, o),
            _ => Datum::Float8(d.as_i64().ok_or_else(|| cannot_cast(from, to))? as f64),
        },
        T::Float4 => match &d {
            Datum::Float8(v) => Datum::Float4(f64_to_f32(*v)?),
            Datum::Numeric(n) => Datum::Float4(numeric_to_f32(n)?),
            Datum::Text(_) | Datum::Bpchar(_) => return other(d, from, to, typmod, o),
            _ => Datum::Float4(d.as_i64().ok_or_else(|| cannot_cast(from, to))? as f32),
        },
        T::Numeric => match &d {
            Datum::Float8(v) => Datum::Numeric(Numeric::from_f64(*v)),
            Datum::Float4(v) => Datum::Numeric(Numeric::from_f32(*v)),
            Datum::Money(v) => Datum::Numeric(money::to_numeric(*v)),
            Datum::Text(_) | Datum::Bpchar(_) => return other(d, from, to, typmod, o),
            _ => Datum::Numeric(Numeric::from(d.as_i64().ok_or_else(|| cannot_cast(from, to))?)),
        },
        T::Bool => match &d {
            Datum::Int4(v) => Datum::Bool(*v != 0),
            _ => return other(d, from, to, typmod, o),
        },
        T::Text | T::Varchar | T::Name | T::Char if from == T::Bpchar => {
            let text = Datum::Text(kept(unpadded(d.as_str().unwrap_or("")))?);
            if matches!(to, T::Text | T::Varchar) {
                text
            } else {
                return convert(text, T::Text, to, typmod, context, o);
            }
        }
        T::Text | T::Varchar if from.is_text_like() => d,
        T::Citext => match convert(d, from, T::Text, -1, context, o)? {
            Datum::Text(s) => Datum::Citext(s),
            _ => return Err(cannot_cast(from, to)),
        },
        T::Bpchar if from.is_text_like() => Datum::Bpchar(kept(d.as_str().unwrap_or(""))?),
        T::Name if from.is_text_like() => Datum::text(cut_name(d.as_str().unwrap_or(""))),
        T::Char => match &d {
            Datum::Int4(v) => match i8::try_from(*v) {
                Ok(0) => Datum::text(""),
                Ok(v) => Datum::text(char::from(v as u8).to_string()),
                Err(_) => return Err(out_of_range(T::Char)),
            },
            _ => return other(d, from, to, typmod, o),
        },
        T::Text | T::Varchar | T::Bpchar if from == T::Bool => {
            let word = if d.as_bool() == Some(true) { "true" } else { "false" };
            if to == T::Bpchar { Datum::Bpchar(word.into()) } else { Datum::text(word) }
        }
        T::Oid => match &d {
            Datum::Oid(_) => d,
            Datum::Int2(v) => Datum::Oid(i32::from(*v) as u32),
            Datum::Int4(v) => Datum::Oid(*v as u32),
            Datum::Int8(v) => Datum::Oid(u32::try_from(*v).map_err(|_| out_of_range(T::Oid))?),
            _ => return other(d, from, to, typmod, o),
        },
        t if t.is_reg() && !from.is_text_like() => match d {
            Datum::Oid(_) => d,
            _ => convert(d, from, T::Oid, -1, context, o)?,
        },
        T::Date => match &d {
            Datum::Timestamp(v) => Datum::Date(timestamp_to_date(*v)?),
            Datum::Timestamptz(v) if is_finite_ts(*v) => {
                Datum::Date(timestamp_to_date(local_us(&o.timezone, *v))?)
            }
            Datum::Timestamptz(v) => Datum::Date(timestamp_to_date(*v)?),
            _ => return other(d, from, to, typmod, o),
        },
        T::Timestamp => match &d {
            Datum::Date(v) => Datum::Timestamp(date_to_timestamp(*v)?),
            Datum::Timestamptz(v) => Datum::Timestamp(timestamptz_to_timestamp(*v, o)?),
            _ => return other(d, from, to, typmod, o),
        },
        T::Timestamptz => match &d {
            Datum::Date(v) => Datum::Timestamptz(date_to_timestamptz(*v, o)?),
            Datum::Timestamp(v) => Datum::Timestamptz(timestamp_to_timestamptz(*v, o)?),
            _ => return other(d, from, to, typmod, o),
        },
        t if t.is_array() => match &d {
            Datum::Array(a) => cast_array(a, from, to, typmod, context, o)?,
            _ => return other(d, from, to, typmod, o),
        },
        T::Time => match time::to_time(&d, o)? {
            Some(us) => us,
            None => return other(d, from, to, typmod, o),
        },
        T::Timetz => match time::to_timetz(&d, o) {
            Some(d) => d,
            None => return other(d, from, to, typmod, o),
        },
        T::Interval => match &d {
            Datum::Time(us) => Datum::Interval(Interval::new(0, 0, *us)),
            _ => return other(d, from, to, typmod, o),
        },
        T::Inet | T::Cidr => match &d {
            Datum::Inet(v) => Datum::Inet(if to == T::Cidr { v.network() } else { *v }),
            _ => return other(d, from, to, typmod, o),
        },
        T::Xid => match &d {
            // Its epoch is lost.
            Datum::Xid8(v) => Datum::Oid(*v as u32),
            _ => return other(d, from, to, typmod, o),
        },
        // Of the number of a row, which only the binder has.
        T::Tid => match d.as_i64().and_then(tid::of_row) {
            Some(v) => Datum::Tid(v),
            None => return other(d, from, to, typmod, o),
        },
        T::Money => match (&d, d.as_i64()) {
            (Datum::Numeric(n), _) => Datum::Money(money::of_numeric(n)?),
            (_, Some(v)) => Datum::Money(money::of_integer(v)?),
            _ => return other(d, from, to, typmod, o),
        },
        T::Macaddr8 => match &d {
            Datum::Macaddr(v) => Datum::Macaddr8(macaddr8::widened(*v)),
            _ => return other(d, from, to, typmod, o),
        },
        T::Macaddr => match &d {
            Datum::Macaddr8(v) => Datum::Macaddr(macaddr8::narrowed(v)?),
            _ => return other(d, from, to, typmod, o),
        },
        T::Bit | T::Varbit => match (&d, d.as_i64()) {
            (Datum::Bits(_), _) => d,
            // Without a length it is one bit.
            (_, Some(v)) => bits::of_integer(v, usize::try_from(typmod).unwrap_or(1).max(1))?,
            // Text is read at any length; the cast cuts it afterwards.
            _ => return other(d, from, to, -1, o),
        },
        T::Text | T::Varchar | T::Bpchar if from == T::Inet => return other(d, T::Cidr, to, typmod, o),
        T::Hstore => match &d {
            Datum::Array(a) => hstore::of_array(a)?,
            _ => return other(d, from, to, typmod, o),
        },
        T::Json => match &d {
            Datum::Hstore(b) => hstore::to_json(Hstore(b), false)?,
            _ => return other(d, from, to, typmod, o),
        },
        T::Jsonb => match &d {
            Datum::Json(s) => Datum::Jsonb(json::read(s)?),
            Datum::Hstore(b) => Datum::Jsonb(json::encode(Hstore(b).json(false)?)?),
            _ => return other(d, from, to, typmod, o),
        },
        _ => return other(d, from, to, typmod, o),
    })
}

/// A `jsonb` that is a number or a boolean as one.
fn of_jsonb(
    value: json::Jsonb<'_>,
    to: Type,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    let what = match (value.kind(), to) {
        (_, Type::Json) => {
            let mut out = Vec::new();
            json::output::write(value, false, &mut out)?;
            return Ok(Datum::Json(kept(&String::from_utf8_lossy(&out))?));
        }
        (json::Kind::Null, _) => return Ok(Datum::Null),
        (json::Kind::Bool(b), Type::Bool) => return Ok(Datum::Bool(b)),
        (json::Kind::Number(n), _) if to != Type::Bool => {
            return cast(Datum::Numeric(n), Type::Numeric, to, -1, context, o);
        }
        (json::Kind::Array(_), _) => "array",
        (json::Kind::Object(_), _) => "object",
        (json::Kind::Number(_), _) => "numeric",
        (json::Kind::Bool(_), _) => "boolean",
        (json::Kind::Str(_), _) => "string",
    };
    let message = format!("cannot cast jsonb {what} to type {}", to.sql_name());
    Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message))
}

/// The casts that go through text.
fn other(d: Datum, from: Type, to: Type, typmod: i32, o: &FormatOptions) -> Result<Datum, SqlError> {
    if from.category() == b'S' || from == Type::Char {
        return match &d {
            Datum::Text(s) | Datum::Bpchar(s) => input_text(s, to, typmod, o),
            _ => Err(cannot_cast(from, to)),
        };
    }
    if to.category() == b'S' {
        return match to_text(&d, from, -1, o)? {
            s if to == Type::Name => Ok(Datum::text(cut_name(&s))),
            s if to == Type::Bpchar => Ok(Datum::Bpchar(kept(&s)?)),
            s => Ok(Datum::Text(kept(&s)?)),
        };
    }
    Err(cannot_cast(from, to))
}

/// The integer nearest to a number of any type; `None` if the value is no number.
fn to_i64(d: &Datum, ty: Type) -> Option<Result<i64, SqlError>> {
    Some(match d {
        Datum::Numeric(n) => match ty {
            // So that the message names the type.
            Type::Int2 => n.to_i16().map(i64::from),
            Type::Int4 => n.to_i32().map(i64::from),
            _ => n.to_i64(),
        },
        Datum::Float8(v) => float_to_i64(*v, ty),
        Datum::Float4(v) => float_to_i64(f64::from(*v), ty),
        _ => Ok(d.as_i64()?),
    })
}

fn float_to_i64(v: f64, ty: Type) -> Result<i64, SqlError> {
    let v = v.round_ties_even();
    // The upper bound is the first float beyond; NaN fails both comparisons.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&v) {
        Ok(v as i64)
    } else {
        Err(out_of_range(ty))
    }
}

fn numeric_to_f64(n: &Numeric) -> Result<f64, SqlError> {
    let v = n.to_f64_lossy();
    if n.is_finite() && (v.is_infinite() || (v == 0.0 && !n.is_zero())) {
        return super::text_float::parse_f64(&n.to_string());
    }
    Ok(v)
}

fn numeric_to_f32(n: &Numeric) -> Result<f32, SqlError> {
    if n.is_finite() { super::text_float::parse_f32(&n.to_string()) } else { Ok(n.to_f64_lossy() as f32) }
}

/// "value out of range: overflow"
#[cold]
pub fn float_overflow() -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow")
}

/// "value out of range: underflow"
#[cold]
pub fn float_underflow() -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow")
}

fn f64_to_f32(v: f64) -> Result<f32, SqlError> {
    let r = v as f32;
    if r.is_infinite() && !v.is_infinite() {
        return Err(float_overflow());
    }
    if r == 0.0 && v != 0.0 {
        return Err(float_underflow());
    }
    Ok(r)
}

/// The day of a timestamp.
pub fn timestamp_to_date(us: i64) -> Result<i32, SqlError> {
    match us {
        TS_INFINITY => Ok(DATE_INFINITY),
        TS_NEG_INFINITY => Ok(DATE_NEG_INFINITY),
        _ => Ok(us.div_euclid(US_PER_DAY) as i32),
    }
}

/// Midnight of a day.
pub fn date_to_timestamp(days: i32) -> Result<i64, SqlError> {
    match days {
        DATE_INFINITY => Ok(TS_INFINITY),
        DATE_NEG_INFINITY => Ok(TS_NEG_INFINITY),
        _ => {
            let us = i64::from(days).checked_mul(US_PER_DAY).filter(|us| in_timestamp_range(*us));
            us.ok_or_else(|| {
                SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "date out of range for timestamp")
            })
        }
    }
}

/// Midnight of a day in the session's zone.
pub fn date_to_timestamptz(days: i32, o: &FormatOptions) -> Result<i64, SqlError> {
    if !is_finite_date(days) {
        return date_to_timestamp(days);
    }
    let local = date_to_timestamp(days)?;
    timestamp_to_timestamptz(local, o)
}

/// A local time of the session's zone as an instant.
pub fn timestamp_to_timestamptz(us: i64, o: &FormatOptions) -> Result<i64, SqlError> {
    if !is_finite_ts(us) {
        return Ok(us);
    }
    let utc = us - offset_of_local(&o.timezone, &Fields::of(us)) * US_PER_SECOND;
    if in_timestamp_range(utc) { Ok(utc) } else { Err(timestamp_out_of_range()) }
}

/// An instant as a local time of the session's zone.
pub fn timestamptz_to_timestamp(us: i64, o: &FormatOptions) -> Result<i64, SqlError> {
    if !is_finite_ts(us) {
        return Ok(us);
    }
    let local = local_us(&o.timezone, us);
    if in_timestamp_range(local) { Ok(local) } else { Err(timestamp_out_of_range()) }
}

/// A number of days as a date, or an error.
pub fn checked_date(days: i64) -> Result<Datum, SqlError> {
    if super::datetime::calendar::in_date_range(days) {
        Ok(Datum::Date(days as i32))
    } else {
        Err(date_out_of_range())
    }
}

fn cast_each(
    a: &ArrayDatum,
    from: Type,
    to: Type,
    typmod: i32,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Vec<Datum>, SqlError> {
    let mut values: Large<Vec<Datum>> = Large::default();
    make_room(&mut values, a.values.len())?;
    for v in &a.values {
        check()?;
        values.push(cast(v.clone(), from, to, typmod, context, o)?);
    }
    Ok(values.into_inner())
}

fn cast_array(
    a: &ArrayDatum,
    from: Type,
    to: Type,
    typmod: i32,
    context: CastContext,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    let (Some(from), Some(element)) = (from.element(), to.element()) else {
        return Err(cannot_cast(from, to));
    };
    let values = cast_each(a, from, element, typmod, context, o)?;
    if matches!(to, Type::Int2Vector | Type::OidVector) {
        return Ok(Datum::vector(element, values));
    }
    let dims = if values.is_empty() { Vec::new() } else { a.dims.clone() };
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values: values.into() })))
}

/// Fits a value of a type to that type's modifier.
fn fit(d: Datum, ty: Type, typmod: i32, context: CastContext, o: &FormatOptions) -> Result<Datum, SqlError> {
    Ok(match (&d, ty) {
        (Datum::Text(s), Type::Varchar) => {
            let fitted = match (context, typmod_length(typmod)) {
                (CastContext::Explicit, Some(n)) => prefix_bytes(s, n).map_or(&**s, |cut| &s[..cut]),
                _ => fit_varchar(s, typmod)?,
            };
            if fitted.len() == s.len() { d } else { Datum::Text(kept(fitted)?) }
        }
        (Datum::Text(s) | Datum::Bpchar(s), Type::Bpchar) => match (context, typmod_length(typmod)) {
            (CastContext::Explicit, Some(n)) => {
                Datum::Bpchar(padded(prefix_bytes(s, n).map_or(&**s, |cut| &s[..cut]), n)?)
            }
            _ => Datum::Bpchar(fit_bpchar(s, typmod)?),
        },
        (Datum::Numeric(n), Type::Numeric) => match typmod_numeric(typmod) {
            Some((p, s)) => Datum::Numeric(n.apply_precision(p, s)?),
            None => d,
        },
        (Datum::Timestamp(v), _) => Datum::Timestamp(round_timestamp(*v, ty, typmod)?),
        (Datum::Timestamptz(v), _) => Datum::Timestamptz(round_timestamp(*v, ty, typmod)?),
        (Datum::Time(v), _) => Datum::Time(round_time(*v, ty, typmod)),
        (Datum::Timetz(v, west), _) => Datum::Timetz(round_time(*v, ty, typmod), *west),
        (Datum::Interval(i), _) => Datum::Interval(i.adjusted(typmod)?),
        (Datum::Bits(_), _) => bits::fit(d, ty, typmod, context == CastContext::Explicit)?,
        (Datum::Array(a), _) if typmod >= 0 => {
            let Some(element) = ty.element() else { return Ok(d) };
            let values = cast_each(a, element, element, typmod, context, o)?;
            Datum::Array(Arc::new(ArrayDatum { element, dims: a.dims.clone(), values: values.into() }))
        }
        _ => d,
    })
}
