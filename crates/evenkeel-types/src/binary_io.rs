//! Binary form of values, as PostgreSQL's `*send` and `*recv` functions define it (all big-endian).
//!
//! Invariants:
//! 1. What `output_binary` gives, `input_binary` reads back to an equal value.
//! 2. Any bytes give a value or an error (`22P03`, `08P01`, `22021`, `22001`, `22008`): never a panic, and never more memory than a
//!    small multiple of their length.

use crate::tid;
use std::sync::Arc;

use super::bits;
use super::datetime::calendar::{in_date_range, in_timestamp_range};
use super::datetime::{self, is_finite_date, is_finite_ts};
use super::datum::{ArrayDatum, Datum, Dim, Interval, MAX_DIMS, RecordDatum};
use super::format::FormatOptions;
use super::inet::Inet;
use super::json;
use super::jsonpath::Path;
use super::numeric::Numeric;
use super::text_io::{cut_name, fit_bpchar, fit_varchar, round_time, round_timestamp};
use super::ty::{Type, typmod_numeric};
use crate::error::{SqlError, SqlState};
use crate::guard::build::{kept, kept_bytes, text_of};
use crate::user;
use crate::xact::XactSnapshot;

/// What stands before the text of a `jsonb`.
const JSONB_VERSION: u8 = 1;
/// And of `jsonpath`.
const JSONPATH_VERSION: u8 = 1;

/// Appends the binary form of a non-null value (nothing for NULL).
pub fn output_binary(d: &Datum, ty: Type, typmod: i32, o: &FormatOptions, out: &mut Vec<u8>) {
    match d {
        Datum::Null => {}
        Datum::Bool(v) => out.push(u8::from(*v)),
        Datum::Int2(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Int4(v) | Datum::Date(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Int8(v) | Datum::Timestamp(v) | Datum::Timestamptz(v) | Datum::Money(v) => {
            out.extend_from_slice(&v.to_be_bytes())
        }
        Datum::Oid(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Lsn(v) => out.extend_from_slice(&v.to_be_bytes()),
        // A value that is there has a label.
        Datum::Enum(oid, v) => {
            let label = user::enum_label(*v, *oid, o.reg_names.as_ref()).unwrap_or_default();
            out.extend_from_slice(label.as_bytes());
        }
        Datum::Uuid(v) => out.extend_from_slice(v),
        Datum::Time(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Timetz(us, west) => {
            out.extend_from_slice(&us.to_be_bytes());
            out.extend_from_slice(&west.to_be_bytes());
        }
        Datum::Macaddr(v) => out.extend_from_slice(v),
        Datum::Macaddr8(v) => out.extend_from_slice(v),
        Datum::Inet(v) => v.write_binary(ty == Type::Cidr, out),
        Datum::Tid(v) => out.extend_from_slice(&tid::bytes(*v)),
        Datum::Xid8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Snapshot(s) => s.write_binary(out),
        Datum::Json(s) => out.extend_from_slice(s.as_bytes()),
        Datum::Jsonb(b) => {
            out.push(JSONB_VERSION);
            // What was taken in can be written; a statement that is stopped here fails by what comes next.
            let _ = json::output::write(json::Jsonb(b), false, out);
        }
        Datum::Bits(b) => {
            let bits = bits::Bits::kept(b);
            out.extend_from_slice(&(bits.len as u32).to_be_bytes());
            out.extend_from_slice(bits.bytes);
        }
        Datum::Hstore(b) => out.extend_from_slice(b),
        Datum::Jsonpath(p) => {
            out.push(JSONPATH_VERSION);
            let _ = p.write(out);
        }
        Datum::Float4(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Float8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Numeric(n) => n.write_binary(out),
        Datum::Text(s) if ty == Type::Char => out.push(s.chars().next().map_or(0, |c| c as u32 as u8)),
        Datum::Text(s) | Datum::Bpchar(s) | Datum::Citext(s) => out.extend_from_slice(s.as_bytes()),
        Datum::Bytes(b) => out.extend_from_slice(b),
        Datum::Interval(i) => {
            out.extend_from_slice(&i.us.to_be_bytes());
            out.extend_from_slice(&i.days.to_be_bytes());
            out.extend_from_slice(&i.months.to_be_bytes());
        }
        Datum::Array(a) => {
            let element = ty.element().unwrap_or(a.element);
            out.extend_from_slice(&(a.dims.len() as i32).to_be_bytes());
            out.extend_from_slice(&i32::from(a.values.iter().any(Datum::is_null)).to_be_bytes());
            out.extend_from_slice(&element.oid().to_be_bytes());
            for dim in &a.dims {
                out.extend_from_slice(&dim.len.to_be_bytes());
                out.extend_from_slice(&dim.lower.to_be_bytes());
            }
            for v in &a.values {
                output_field(v, element, typmod, o, out);
            }
        }
        Datum::Record(r) => {
            out.extend_from_slice(&(r.values.len() as i32).to_be_bytes());
            let of = Some(r.of).filter(|of| *of != 0);
            let attributes = of.and_then(|of| user::attributes(of, o.reg_names.as_ref()).ok());
            for (n, (v, ty)) in r.values.iter().zip(&r.types).enumerate() {
                let domain = attributes.as_ref().and_then(|a| a.get(n)?.domain);
                out.extend_from_slice(&domain.unwrap_or(ty.oid()).to_be_bytes());
                output_field(v, *ty, -1, o, out);
            }
        }
    }
}

/// A length (-1 for NULL) and the value.
fn output_field(v: &Datum, ty: Type, typmod: i32, o: &FormatOptions, out: &mut Vec<u8>) {
    if v.is_null() {
        return out.extend_from_slice(&(-1i32).to_be_bytes());
    }
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    output_binary(v, ty, typmod, o, out);
    let len = (out.len() - at - 4) as i32;
    out[at..at + 4].copy_from_slice(&len.to_be_bytes());
}

#[cold]
fn invalid(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, message)
}

#[cold]
fn short() -> SqlError {
    SqlError::new(SqlState::PROTOCOL_VIOLATION, "insufficient data left in message")
}

fn fixed<const N: usize>(b: &[u8]) -> Result<[u8; N], SqlError> {
    if b.len() < N {
        return Err(short());
    }
    b.try_into().map_err(|_| invalid("incorrect binary data format"))
}

pub(crate) fn utf8(b: &[u8]) -> Result<&str, SqlError> {
    let bad = |at: usize, len: usize| {
        let bytes: Vec<String> =
            b[at..(at + len).min(b.len())].iter().map(|c| format!("0x{c:02x}")).collect();
        SqlError::new(
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            format!("invalid byte sequence for encoding \"UTF8\": {}", bytes.join(" ")),
        )
    };
    if let Some(at) = memchr::memchr(0, b) {
        return Err(bad(at, 1));
    }
    // As many bytes are shown as the first says that there are.
    let announced = |first: u8| match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    text_of(b)?.map_err(|e| bad(e.valid_up_to, announced(b[e.valid_up_to])))
}

/// Reads a value from its binary form and fits it to the type modifier.
pub fn input_binary(b: &[u8], ty: Type, typmod: i32, o: &FormatOptions) -> Result<Datum, SqlError> {
    read(b, ty, typmod, o, 0)
}

/// Deepest nesting of arrays and records.
const MAX_DEPTH: u32 = 256;

fn read(b: &[u8], ty: Type, typmod: i32, o: &FormatOptions, depth: u32) -> Result<Datum, SqlError> {
    Ok(match ty {
        Type::Int4 => Datum::Int4(i32::from_be_bytes(fixed(b)?)),
        Type::Int8 => Datum::Int8(i64::from_be_bytes(fixed(b)?)),
        Type::Int2 => Datum::Int2(i16::from_be_bytes(fixed(b)?)),
        Type::Bool => Datum::Bool(fixed::<1>(b)?[0] != 0),
        Type::Float4 => Datum::Float4(f32::from_be_bytes(fixed(b)?)),
        Type::Float8 => Datum::Float8(f64::from_be_bytes(fixed(b)?)),
        Type::Numeric => {
            let n = Numeric::read_binary(b)?;
            Datum::Numeric(match typmod_numeric(typmod) {
                Some((p, s)) => n.apply_precision(p, s)?,
                None => n,
            })
        }
        Type::Text | Type::Unknown => Datum::Text(kept(utf8(b)?)?),
        Type::Citext => Datum::Citext(kept(utf8(b)?)?),
        Type::Varchar => Datum::Text(kept(fit_varchar(utf8(b)?, typmod)?)?),
        Type::Bpchar => Datum::Bpchar(fit_bpchar(utf8(b)?, typmod)?),
        Type::Name => Datum::text(cut_name(utf8(b)?)),
        Type::Char => match fixed::<1>(b)?[0] {
            0 => Datum::text(""),
            c => Datum::text(char::from(c).to_string()),
        },
        Type::Bytea => Datum::Bytes(kept_bytes(b)?),
        Type::Date => {
            let v = i32::from_be_bytes(fixed(b)?);
            if is_finite_date(v) && !in_date_range(i64::from(v)) {
                return Err(datetime::date_out_of_range());
            }
            Datum::Date(v)
        }
        Type::Timestamp => Datum::Timestamp(timestamp(b, ty, typmod)?),
        Type::Timestamptz => Datum::Timestamptz(timestamp(b, ty, typmod)?),
        Type::Interval => {
            let b: [u8; 16] = fixed(b)?;
            let word = |i: usize| i32::from_be_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
            let us = i64::from(word(0)) << 32 | i64::from(word(4) as u32);
            Datum::Interval(Interval { us, days: word(8), months: word(12) }.adjusted(typmod)?)
        }
        t if t.is_oid_like() => Datum::Oid(u32::from_be_bytes(fixed(b)?)),
        Type::PgLsn => Datum::Lsn(u64::from_be_bytes(fixed(b)?)),
        Type::Uuid => Datum::Uuid(fixed(b)?),
        Type::Time => Datum::Time(round_time(time_of_day(i64::from_be_bytes(fixed(b)?))?, ty, typmod)),
        Type::Timetz => {
            let (us, west) = b.split_at_checked(8).ok_or_else(short)?;
            let (us, west) = (i64::from_be_bytes(fixed(us)?), i32::from_be_bytes(fixed(west)?));
            if !datetime::time::is_zone(west) {
                let m = "time zone displacement out of range";
                return Err(SqlError::new(SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE, m));
            }
            Datum::Timetz(round_time(time_of_day(us)?, ty, typmod), west)
        }
        Type::Macaddr => Datum::Macaddr(fixed(b)?),
        Type::Macaddr8 if b.len() == 6 => Datum::Macaddr8(crate::macaddr8::widened(fixed(b)?)),
        Type::Macaddr8 => Datum::Macaddr8(fixed(b)?),
        Type::Inet | Type::Cidr => Datum::Inet(Inet::read_binary(b, ty == Type::Cidr)?),
        Type::Tid => Datum::Tid(tid::of_bytes(fixed(b)?)),
        Type::Money => Datum::Money(i64::from_be_bytes(fixed(b)?)),
        Type::Xid8 => Datum::Xid8(u64::from_be_bytes(fixed(b)?)),
        Type::PgSnapshot | Type::TxidSnapshot => Datum::Snapshot(Arc::new(XactSnapshot::read_binary(b)?)),
        Type::Json => {
            let text = utf8(b)?;
            json::parse::check(text)?;
            Datum::Json(kept(text)?)
        }
        Type::Jsonb => match b.split_first() {
            Some((&JSONB_VERSION, text)) => Datum::Jsonb(json::read(utf8(text)?)?),
            Some((version, _)) => {
                return Err(SqlError::internal(format!("unsupported jsonb version number {version}")));
            }
            None => return Err(short()),
        },
        Type::Hstore => crate::hstore::read_binary(b, short)?,
        Type::Bit | Type::Varbit => {
            let (len, bytes) = b.split_first_chunk::<4>().ok_or_else(short)?;
            let len = u32::from_be_bytes(*len) as usize;
            if len > bits::MAX_BITS || len.div_ceil(8) != bytes.len() {
                let m = "invalid length in external bit string";
                return Err(SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, m));
            }
            bits::fit(bits::made(len, bytes.to_vec())?, ty, typmod, false)?
        }
        Type::Jsonpath => match b.split_first() {
            Some((&JSONPATH_VERSION, text)) => Datum::Jsonpath(Arc::new(Path::parse(utf8(text)?)?)),
            Some((version, _)) => {
                return Err(SqlError::internal(format!("unsupported jsonpath version number: {version}")));
            }
            None => return Err(short()),
        },
        Type::Enum(oid) => Datum::Enum(oid, user::enum_value(utf8(b)?, oid, o.reg_names.as_ref())?),
        t if t.is_array() => read_array(b, ty, typmod, o, depth)?,
        Type::Record => read_record(b, None, o, depth)?,
        Type::Composite(of) => read_record(b, Some(of), o, depth)?,
        Type::Void => Datum::Null,
        other => {
            return Err(SqlError::new(
                SqlState::UNDEFINED_FUNCTION,
                format!("no binary input function available for type {}", other.sql_name()),
            ));
        }
    })
}

fn time_of_day(us: i64) -> Result<i64, SqlError> {
    if !(0..=datetime::calendar::US_PER_DAY).contains(&us) {
        return Err(SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "time out of range"));
    }
    Ok(us)
}

fn timestamp(b: &[u8], ty: Type, typmod: i32) -> Result<i64, SqlError> {
    let v = i64::from_be_bytes(fixed(b)?);
    if is_finite_ts(v) && !in_timestamp_range(v) {
        return Err(datetime::timestamp_out_of_range());
    }
    round_timestamp(v, ty, typmod)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], SqlError> {
        let (head, rest) = self.0.split_at_checked(n).ok_or_else(short)?;
        self.0 = rest;
        Ok(head)
    }

    fn i32(&mut self) -> Result<i32, SqlError> {
        Ok(i32::from_be_bytes(fixed(self.take(4)?)?))
    }

    fn field(&mut self, ty: Type, typmod: i32, o: &FormatOptions, depth: u32) -> Result<Datum, SqlError> {
        match self.i32()? {
            -1 => Ok(Datum::Null),
            n => read(self.take(usize::try_from(n).map_err(|_| short())?)?, ty, typmod, o, depth + 1),
        }
    }

    fn end(&self) -> Result<(), SqlError> {
        if self.0.is_empty() { Ok(()) } else { Err(invalid("incorrect binary data format")) }
    }
}

fn read_array(b: &[u8], ty: Type, typmod: i32, o: &FormatOptions, depth: u32) -> Result<Datum, SqlError> {
    if depth > MAX_DEPTH {
        return Err(invalid("values are nested too deeply"));
    }
    let expected = ty.element().ok_or_else(|| SqlError::internal("an array type has no element type"))?;
    let mut r = Reader(b);
    let n = r.i32()?;
    if n < 0 {
        return Err(invalid(format!("invalid number of dimensions: {n}")));
    }
    if n as usize > MAX_DIMS {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})"),
        ));
    }
    let flags = r.i32()?;
    if flags != 0 && flags != 1 {
        return Err(invalid("invalid array flags"));
    }
    let oid = r.i32()? as u32;
    let base = || o.reg_names.as_ref().and_then(|names| names.base_of_domain(oid));
    if oid != expected.oid() && base() != Some(expected.oid()) {
        return Err(invalid(format!(
            "binary data has array element type {oid} ({}) instead of expected {} ({})",
            Type::from_stored_oid(oid).map_or("???".into(), Type::sql_name),
            expected.oid(),
            expected.sql_name()
        )));
    }
    let mut dims = Vec::with_capacity(n as usize);
    let mut count = 1u64;
    for _ in 0..n {
        let (len, lower) = (r.i32()?, r.i32()?);
        if len < 0 || lower.checked_add(len).is_none() {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "array size exceeds the maximum allowed",
            ));
        }
        dims.push(Dim { len, lower });
        // Each element has a length word, which bounds what a hostile size can cost.
        count = count.saturating_mul(len as u64);
        if count > r.0.len() as u64 / 4 {
            return Err(short());
        }
    }
    if n == 0 {
        count = 0;
    }
    let mut values = Vec::with_capacity(count as usize);
    for _ in 0..count {
        values.push(r.field(expected, typmod, o, depth)?);
    }
    r.end()?;
    if matches!(ty, Type::Int2Vector | Type::OidVector) {
        if dims.len() > 1 || values.iter().any(Datum::is_null) {
            return Err(invalid(format!("invalid {} data", ty.sql_name())));
        }
        return Ok(Datum::vector(expected, values));
    }
    if count == 0 {
        dims.clear();
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element: expected, dims, values: values.into() })))
}

fn read_record(b: &[u8], of: Option<u32>, o: &FormatOptions, depth: u32) -> Result<Datum, SqlError> {
    if depth > MAX_DEPTH {
        return Err(invalid("values are nested too deeply"));
    }
    let attributes = of.map(|of| user::attributes(of, o.reg_names.as_ref())).transpose()?;
    let mut r = Reader(b);
    let n = r.i32()?;
    let mismatch = |message: String| SqlError::new(SqlState::DATATYPE_MISMATCH, message);
    if let Some(attributes) = &attributes
        && attributes.len() as i64 != i64::from(n)
    {
        return Err(mismatch(format!("wrong number of columns: {n}, expected {}", attributes.len())));
    }
    if n < 0 || n as usize > r.0.len() / 8 {
        return Err(invalid("wrong number of columns"));
    }
    let (mut types, mut values) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let oid = r.i32()? as u32;
        let mut ty = Type::from_stored_oid(oid).ok_or_else(|| invalid(format!("unknown type {oid}")))?;
        let attribute = attributes.as_ref().map(|a| &a[types.len()]);
        if let Some(a) = attribute {
            let expected = a.domain.unwrap_or(a.ty.oid());
            if oid != expected {
                return Err(mismatch(format!(
                    "binary data has type {oid} ({}) instead of expected {expected} ({}) in record column {}",
                    ty.sql_name(),
                    a.domain.map_or_else(|| a.ty.sql_name(), user::name),
                    types.len() + 1
                )));
            }
            ty = a.ty;
        }
        types.push(ty);
        values.push(r.field(ty, attribute.map_or(-1, |a| a.typmod), o, depth)?);
    }
    r.end()?;
    Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: None, of: of.unwrap_or(0) })))
}
