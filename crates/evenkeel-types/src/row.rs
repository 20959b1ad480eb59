//! The stored form of a row, and of a row id.
//!
//! | part | bytes | content |
//! |---|---|---|
//! | header | varint | `columns << 1 \| has_nulls`, columns = number of stored columns |
//! | null bitmap | ceil(columns / 8), only if has_nulls | bit i (LSB first) set: column i is NULL |
//! | values | each non-null column in order | below |
//!
//! | type | value |
//! |---|---|
//! | bool | 1 byte, 0 or 1 |
//! | int2; int4, date, oid and its like, float4; int8, float8, timestamp\[tz\], xid8, money | 2; 4; 8 bytes, little-endian |
//! | interval | 16 bytes: us, days, months |
//! | uuid; macaddr | its 16; 6 bytes |
//! | time; timetz | 8 bytes: us; the same and 4 bytes, seconds west |
//! | text-like, bytea, numeric, json, jsonb, inet, cidr, snapshots, arrays, record | varint length, then that many bytes |
//! | bpchar | varint length without the blanks at the end, plus their number times 2^32; then those bytes |
//!
//! Numbers have a fixed width although varints would be shorter: a row that is updated in place then keeps its length.
//!
//! Arrays: varint element OID, varint dimensions, for each a varint length and a zigzag varint lower bound, then for each element a
//! byte 0 (NULL) or 1 and the element's value. Records: varint fields, for each a varint type OID, a byte 0 or 1, and the value.
//!
//! Invariants:
//! 1. A row with fewer stored columns than the table has reads as NULL in the missing ones; one with more is corrupt.
//! 2. Any bytes give a row or an error `XX001`: never a panic, and never more memory than a small multiple of their length, but for the blanks of a
//!    `bpchar`, which are admitted before.
//!
//! Must not know: the catalog, keys.

use crate::tid;
use std::sync::Arc;

use super::datum::{ArrayDatum, Datum, Dim, Interval, MAX_DIMS, RecordDatum};
use super::inet::Inet;
use super::numeric::Numeric;
use super::text_io::with_blanks;
use super::ty::{MAX_CHARACTERS, Type};
use crate::compare::unpadded;
use crate::error::{SqlError, SqlState};
use crate::guard::build::{COPIED_AT_ONCE, kept, kept_bytes, text_of};
use crate::jsonpath::Path;
use crate::xact::XactSnapshot;

#[cold]
fn corrupt(what: &str) -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, format!("stored row is corrupt: {what}"))
}

pub(crate) type Read<T> = Result<T, SqlError>;

fn put_varint(mut v: u64, out: &mut Vec<u8>) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// How a type's value is laid out.
pub(crate) enum Width {
    Fixed(usize),
    Prefixed,
}

/// Of what has a length before it, and of what has its blanks in that besides.
const PREFIXED: u8 = 0;
const BLANKED: u8 = u8::MAX;

/// Bytes of a type's values, or one of those: one look into a table.
#[inline]
fn width_code(ty: Type) -> u8 {
    match ty {
        Type::Bool => 1,
        Type::Int2 => 2,
        Type::Int4
        | Type::Date
        | Type::Float4
        | Type::Oid
        | Type::Regclass
        | Type::Regtype
        | Type::Regproc
        | Type::Regnamespace
        | Type::Regrole
        | Type::Regprocedure
        | Type::Regoper
        | Type::Regoperator
        | Type::Regcollation
        | Type::Xid => 4,
        Type::Int8
        | Type::Float8
        | Type::Timestamp
        | Type::Timestamptz
        | Type::PgLsn
        | Type::Xid8
        | Type::Money
        | Type::Time => 8,
        Type::Enum(_) => 8,
        Type::Macaddr | Type::Tid => 6,
        Type::Macaddr8 => 8,
        Type::Timetz => 12,
        Type::Interval | Type::Uuid => 16,
        Type::Bpchar => BLANKED,
        _ => PREFIXED,
    }
}

#[inline]
pub(crate) fn width(ty: Type) -> Width {
    match width_code(ty) {
        PREFIXED | BLANKED => Width::Prefixed,
        bytes => Width::Fixed(usize::from(bytes)),
    }
}

/// Appends the stored form of a row. Each value must be NULL or of its type's representation.
pub fn encode_row(values: &[Datum], types: &[Type], out: &mut Vec<u8>) {
    assert_eq!(values.len(), types.len(), "a row has a value for each column");
    let has_nulls = values.iter().any(Datum::is_null);
    put_varint((values.len() as u64) << 1 | u64::from(has_nulls), out);
    if has_nulls {
        for chunk in values.chunks(8) {
            let bits = chunk.iter().enumerate().fold(0u8, |b, (i, v)| b | u8::from(v.is_null()) << i);
            out.push(bits);
        }
    }
    for (value, ty) in values.iter().zip(types) {
        if !value.is_null() {
            put_value(value, *ty, out);
        }
    }
}

fn put_value(d: &Datum, ty: Type, out: &mut Vec<u8>) {
    match d {
        Datum::Null => {}
        Datum::Bool(v) => out.push(u8::from(*v)),
        Datum::Int2(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Int4(v) | Datum::Date(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Int8(v) | Datum::Timestamp(v) | Datum::Timestamptz(v) | Datum::Money(v) => {
            out.extend_from_slice(&v.to_le_bytes())
        }
        Datum::Float4(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Float8(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Oid(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Enum(_, v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Lsn(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Uuid(v) => out.extend_from_slice(v),
        Datum::Macaddr(v) => out.extend_from_slice(v),
        Datum::Macaddr8(v) => out.extend_from_slice(v),
        Datum::Inet(v) => {
            put_varint(v.address().len() as u64 + 1, out);
            out.push(v.bits);
            out.extend_from_slice(v.address());
        }
        Datum::Tid(v) => out.extend_from_slice(&tid::bytes(*v)),
        Datum::Xid8(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Snapshot(s) => {
            put_varint(s.binary_len() as u64, out);
            s.write_binary(out);
        }
        Datum::Time(v) => out.extend_from_slice(&v.to_le_bytes()),
        Datum::Timetz(us, west) => {
            out.extend_from_slice(&us.to_le_bytes());
            out.extend_from_slice(&west.to_le_bytes());
        }
        Datum::Interval(i) => {
            out.extend_from_slice(&i.us.to_le_bytes());
            out.extend_from_slice(&i.days.to_le_bytes());
            out.extend_from_slice(&i.months.to_le_bytes());
        }
        Datum::Bpchar(s) => {
            let text = unpadded(s);
            put_varint(text.len() as u64 | ((s.len() - text.len()) as u64) << 32, out);
            out.extend_from_slice(text.as_bytes());
        }
        Datum::Text(s) | Datum::Citext(s) | Datum::Json(s) => {
            put_varint(s.len() as u64, out);
            out.extend_from_slice(s.as_bytes());
        }
        Datum::Bytes(b) | Datum::Jsonb(b) | Datum::Bits(b) | Datum::Hstore(b) => {
            put_varint(b.len() as u64, out);
            out.extend_from_slice(b);
        }
        Datum::Jsonpath(p) => {
            let text = p.stored();
            put_varint(text.len() as u64, out);
            out.extend_from_slice(&text);
        }
        Datum::Numeric(_) | Datum::Array(_) | Datum::Record(_) => {
            let mut body = Vec::with_capacity(24);
            put_composite(d, ty, &mut body);
            put_varint(body.len() as u64, out);
            out.extend_from_slice(&body);
        }
    }
    debug_assert!(
        representation_fits(d, ty),
        "a value of representation {:?} was stored as {ty:?}",
        d.natural_type()
    );
}

fn put_composite(d: &Datum, ty: Type, out: &mut Vec<u8>) {
    let element = |v: &Datum, ty: Type, out: &mut Vec<u8>| {
        assert!(representation_fits(v, ty), "a {:?} was to be stored as {ty:?}", v.natural_type());
        out.push(u8::from(!v.is_null()));
        put_value(v, ty, out);
    };
    match d {
        Datum::Numeric(n) => n.write_stored(out),
        Datum::Array(a) => {
            // The column knows best: an array made of NULLs alone may not know what it is one of.
            let of = ty.element().unwrap_or(a.element);
            put_varint(u64::from(of.oid()), out);
            put_varint(a.dims.len() as u64, out);
            for dim in &a.dims {
                put_varint(dim.len as u64, out);
                let lower = i64::from(dim.lower);
                put_varint((lower << 1 ^ lower >> 63) as u64, out);
            }
            a.values.iter().for_each(|v| element(v, of, out));
        }
        Datum::Record(r) => {
            put_varint(r.values.len() as u64, out);
            for (v, ty) in r.values.iter().zip(&r.types) {
                put_varint(u64::from(ty.oid()), out);
                element(v, *ty, out);
            }
        }
        _ => {}
    }
}

/// Whether a value is represented as its type's values are.
pub fn representation_fits(d: &Datum, ty: Type) -> bool {
    match d {
        Datum::Null => true,
        Datum::Text(_) => ty.is_text_like() && ty != Type::Bpchar,
        Datum::Oid(_) => ty.is_oid_like(),
        Datum::Array(_) => ty.is_array(),
        Datum::Record(_) => ty.is_row(),
        Datum::Inet(_) => matches!(ty, Type::Inet | Type::Cidr),
        Datum::Snapshot(_) => matches!(ty, Type::PgSnapshot | Type::TxidSnapshot),
        Datum::Bits(_) => matches!(ty, Type::Bit | Type::Varbit),
        other => other.natural_type() == ty,
    }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        match self.bytes.split_at_checked(n) {
            Some((head, rest)) => {
                self.bytes = rest;
                Ok(head)
            }
            None => Err(corrupt("it ends inside a value")),
        }
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        match self.bytes.split_first_chunk::<N>() {
            Some((head, rest)) => {
                self.bytes = rest;
                Ok(*head)
            }
            None => Err(corrupt("it ends inside a value")),
        }
    }

    #[inline]
    fn varint(&mut self) -> Read<u64> {
        match self.bytes.split_first() {
            Some((&b, rest)) if b < 0x80 => {
                self.bytes = rest;
                Ok(u64::from(b))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Read<u64> {
        let mut v = 0u64;
        for shift in (0..64).step_by(7) {
            let Some((&b, rest)) = self.bytes.split_first() else {
                return Err(corrupt("it ends inside a length"));
            };
            self.bytes = rest;
            v |= u64::from(b & 0x7F) << shift;
            if b < 0x80 {
                return Ok(v);
            }
        }
        Err(corrupt("a length is too long"))
    }

    #[inline]
    pub(crate) fn prefixed(&mut self) -> Read<&'a [u8]> {
        let n = self.varint()?;
        self.take(usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// A `bpchar` without its blanks, and how many there are.
    #[inline]
    pub(crate) fn blanked(&mut self) -> Read<(&'a [u8], usize)> {
        let n = self.varint()?;
        let blanks = (n >> 32) as usize;
        if blanks > MAX_CHARACTERS as usize {
            return Err(corrupt("too many blanks"));
        }
        Ok((self.take(n as u32 as usize)?, blanks))
    }

    #[inline]
    pub(crate) fn skip(&mut self, ty: Type) -> Read<()> {
        match width_code(ty) {
            PREFIXED => self.prefixed()?,
            BLANKED => self.blanked()?.0,
            bytes => self.take(usize::from(bytes))?,
        };
        Ok(())
    }

    #[inline]
    pub(crate) fn value(&mut self, ty: Type, depth: u32) -> Read<Datum> {
        Ok(match ty {
            Type::Int4 => Datum::Int4(i32::from_le_bytes(self.array()?)),
            Type::Int8 => Datum::Int8(i64::from_le_bytes(self.array()?)),
            Type::Bpchar => {
                let (bytes, blanks) = self.blanked()?;
                let s = text_of(bytes)?.map_err(|_| corrupt("text is not UTF-8"))?;
                Datum::Bpchar(with_blanks(s, blanks)?)
            }
            Type::Text | Type::Varchar | Type::Char | Type::Name | Type::Unknown => {
                let s = text_of(self.prefixed()?)?.map_err(|_| corrupt("text is not UTF-8"))?;
                // Most are small, and cost no look.
                Datum::Text(if s.len() > COPIED_AT_ONCE { kept(s)? } else { Arc::from(s) })
            }
            Type::Bool => match self.array::<1>()? {
                [0] => Datum::Bool(false),
                [1] => Datum::Bool(true),
                _ => return Err(corrupt("a boolean is neither")),
            },
            Type::Int2 => Datum::Int2(i16::from_le_bytes(self.array()?)),
            Type::Float4 => Datum::Float4(f32::from_le_bytes(self.array()?)),
            Type::Float8 => Datum::Float8(f64::from_le_bytes(self.array()?)),
            Type::Date => Datum::Date(i32::from_le_bytes(self.array()?)),
            Type::Timestamp => Datum::Timestamp(i64::from_le_bytes(self.array()?)),
            Type::Timestamptz => Datum::Timestamptz(i64::from_le_bytes(self.array()?)),
            Type::PgLsn => Datum::Lsn(u64::from_le_bytes(self.array()?)),
            Type::Enum(oid) => Datum::Enum(oid, u64::from_le_bytes(self.array()?)),
            Type::Uuid => Datum::Uuid(self.array()?),
            Type::Macaddr => Datum::Macaddr(self.array()?),
            Type::Macaddr8 => Datum::Macaddr8(self.array()?),
            Type::Inet | Type::Cidr => {
                let stored = self.prefixed()?.split_first();
                let read = stored.and_then(|(bits, address)| Inet::new(address, *bits));
                Datum::Inet(read.ok_or_else(|| corrupt("an address is malformed"))?)
            }
            Type::Tid => Datum::Tid(tid::of_bytes(self.array()?)),
            Type::Money => Datum::Money(i64::from_le_bytes(self.array()?)),
            Type::Xid8 => Datum::Xid8(u64::from_le_bytes(self.array()?)),
            Type::PgSnapshot | Type::TxidSnapshot => {
                let read = XactSnapshot::read_binary(self.prefixed()?).map_err(|e| match e.code {
                    SqlState::INVALID_BINARY_REPRESENTATION => corrupt("a snapshot is malformed"),
                    _ => e,
                });
                Datum::Snapshot(Arc::new(read?))
            }
            Type::Time => Datum::Time(i64::from_le_bytes(self.array()?)),
            Type::Timetz => {
                let us = i64::from_le_bytes(self.array()?);
                Datum::Timetz(us, i32::from_le_bytes(self.array()?))
            }
            Type::Json | Type::Citext => {
                let s = text_of(self.prefixed()?)?.map_err(|_| corrupt("text is not UTF-8"))?;
                if ty == Type::Json { Datum::Json(kept(s)?) } else { Datum::Citext(kept(s)?) }
            }
            Type::Jsonb => Datum::Jsonb(kept_bytes(self.prefixed()?)?),
            Type::Hstore => {
                let stored = self.prefixed()?;
                if !crate::hstore::check(stored)? {
                    return Err(corrupt("an hstore is malformed"));
                }
                Datum::Hstore(kept_bytes(stored)?)
            }
            Type::Bit | Type::Varbit => {
                let stored = self.prefixed()?;
                if stored.first().is_none_or(|unused| *unused >= 8 || (stored.len() == 1 && *unused > 0)) {
                    return Err(corrupt("a string of bits is malformed"));
                }
                Datum::Bits(kept_bytes(stored)?)
            }
            Type::Jsonpath => {
                let text = text_of(self.prefixed()?)?.map_err(|_| corrupt("text is not UTF-8"))?;
                Datum::Jsonpath(Arc::new(Path::parse(text)?))
            }
            Type::Interval => {
                let us = i64::from_le_bytes(self.array()?);
                let days = i32::from_le_bytes(self.array()?);
                Datum::Interval(Interval { us, days, months: i32::from_le_bytes(self.array()?) })
            }
            Type::Numeric => Datum::Numeric(
                Numeric::read_stored(self.prefixed()?).ok_or_else(|| corrupt("a numeric is malformed"))?,
            ),
            Type::Bytea => {
                let b = self.prefixed()?;
                Datum::Bytes(if b.len() > COPIED_AT_ONCE { kept_bytes(b)? } else { Arc::from(b) })
            }
            t if t.is_oid_like() => Datum::Oid(u32::from_le_bytes(self.array()?)),
            t if t.is_array() => {
                let mut body = Reader { bytes: self.prefixed()? };
                body.array_value(depth)?
            }
            Type::Record => {
                let mut body = Reader { bytes: self.prefixed()? };
                body.record_value(depth, 0)?
            }
            Type::Composite(of) => {
                let mut body = Reader { bytes: self.prefixed()? };
                body.record_value(depth, of)?
            }
            _ => return Err(corrupt("a column has a pseudo-type")),
        })
    }

    fn element(&mut self, ty: Type, depth: u32) -> Read<Datum> {
        match self.array::<1>()? {
            [0] => Ok(Datum::Null),
            [1] => self.value(ty, depth + 1),
            _ => Err(corrupt("an element is neither null nor a value")),
        }
    }

    fn type_oid(&mut self) -> Read<Type> {
        u32::try_from(self.varint()?)
            .ok()
            .and_then(Type::from_stored_oid)
            .ok_or_else(|| corrupt("an element's type is unknown"))
    }

    fn array_value(&mut self, depth: u32) -> Read<Datum> {
        if depth > MAX_DEPTH {
            return Err(corrupt("values are nested too deeply"));
        }
        let element = self.type_oid()?;
        let n = self.varint()?;
        if n > MAX_DIMS as u64 {
            return Err(corrupt("an array has too many dimensions"));
        }
        let mut dims = Vec::with_capacity(n as usize);
        let mut count = 1u64;
        for _ in 0..n {
            let len = self.varint()?;
            let z = self.varint()?;
            let lower = (z >> 1) as i64 ^ -((z & 1) as i64);
            // Every element takes a byte at least, which bounds what a corrupt length can cost.
            count = count.saturating_mul(len);
            if count > self.bytes.len() as u64 {
                return Err(corrupt("an array has more elements than bytes"));
            }
            let lower = i32::try_from(lower).map_err(|_| corrupt("an array bound is out of range"))?;
            dims.push(Dim { len: len as i32, lower });
        }
        if n == 0 {
            count = 0;
        }
        let mut values = Vec::with_capacity(count as usize);
        for _ in 0..count {
            values.push(self.element(element, depth)?);
        }
        self.end()?;
        Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values: values.into() })))
    }

    fn record_value(&mut self, depth: u32, of: u32) -> Read<Datum> {
        if depth > MAX_DEPTH {
            return Err(corrupt("values are nested too deeply"));
        }
        let n = self.varint()?;
        if n > self.bytes.len() as u64 {
            return Err(corrupt("a record has more fields than bytes"));
        }
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let ty = self.type_oid()?;
            types.push(ty);
            values.push(self.element(ty, depth)?);
        }
        self.end()?;
        Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: None, of })))
    }

    fn end(&self) -> Read<()> {
        if self.bytes.is_empty() { Ok(()) } else { Err(corrupt("there are bytes after the last value")) }
    }
}

/// Deepest nesting of arrays and records in a stored value.
const MAX_DEPTH: u32 = 256;

/// Header of a row: number of stored columns, null bitmap (empty if there are no nulls), and the values.
#[inline]
pub(crate) fn header<'a>(bytes: &'a [u8], types: &[Type]) -> Read<(usize, &'a [u8], Reader<'a>)> {
    let mut r = Reader { bytes };
    let h = r.varint()?;
    let stored = h >> 1;
    if stored > types.len() as u64 {
        return Err(corrupt("it has more columns than its table")); // invariant 1
    }
    let stored = stored as usize;
    let bitmap = if h & 1 == 1 { r.take(stored.div_ceil(8))? } else { &[] };
    Ok((stored, bitmap, r))
}

#[inline]
pub(crate) fn is_null(bitmap: &[u8], column: usize) -> bool {
    bitmap.get(column / 8).is_some_and(|b| b >> (column % 8) & 1 == 1)
}

/// The values of columns in rows that were stored before their table had them: NULL, if nothing is said of a column.
#[derive(Clone, Debug, Default)]
pub struct Missing(Vec<(usize, Datum)>);

impl Missing {
    /// Says what rows without a column have there.
    pub fn set(&mut self, column: usize, value: Datum) {
        self.0.retain(|(c, _)| *c != column);
        if !value.is_null() {
            self.0.push((column, value));
        }
    }

    /// The value of a column in a row that is without it.
    #[cold]
    pub fn value(&self, column: usize) -> Datum {
        self.0.iter().find(|(c, _)| *c == column).map_or(Datum::Null, |(_, v)| v.clone())
    }

    /// The columns of which something is said, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Datum)> {
        self.0.iter().map(|(c, v)| (*c, v))
    }

    /// Forgets all: every row has been stored anew.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

static NOTHING_MISSING: Missing = Missing(Vec::new());

/// Reads a whole row into `out`, which is cleared first and then has one value for each of `types`; columns behind the stored ones are NULL.
pub fn decode_row(bytes: &[u8], types: &[Type], out: &mut Vec<Datum>) -> Result<(), SqlError> {
    decode_table_row(bytes, types, &NOTHING_MISSING, out)
}

/// Reads a whole row of a table, like [`decode_row`].
pub fn decode_table_row(
    bytes: &[u8],
    types: &[Type],
    missing: &Missing,
    out: &mut Vec<Datum>,
) -> Result<(), SqlError> {
    out.clear();
    let (stored, bitmap, mut r) = header(bytes, types)?;
    out.reserve(types.len());
    for (i, ty) in types.iter().enumerate() {
        out.push(match i {
            i if i >= stored => missing.value(i),
            i if is_null(bitmap, i) => Datum::Null,
            _ => r.value(*ty, 0)?,
        });
    }
    r.end()
}

/// Reads some columns of a table's row. `wanted` are column numbers in ascending order; `out` is indexed by column number, must be as long as
/// `types`, and only the wanted entries are written.
pub fn decode_columns(
    bytes: &[u8],
    types: &[Type],
    missing: &Missing,
    wanted: &[usize],
    out: &mut [Datum],
) -> Result<(), SqlError> {
    debug_assert!(wanted.is_sorted() && out.len() >= types.len());
    let (stored, bitmap, mut r) = header(bytes, types)?;
    let mut at = 0;
    for &w in wanted {
        let Some(slot) = out.get_mut(w) else {
            return Err(SqlError::internal("a wanted column is out of range"));
        };
        if w >= stored {
            *slot = missing.value(w);
            continue;
        }
        if is_null(bitmap, w) {
            *slot = Datum::Null;
            continue;
        }
        while at < w {
            if !is_null(bitmap, at) {
                r.skip(types[at])?;
            }
            at += 1;
        }
        *slot = r.value(types[w], 0)?;
        at = w + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array that was made of NULLs may name another type.
    #[test]
    fn an_array_is_stored_as_what_its_column_is() {
        let dims = vec![Dim { len: 2, lower: 1 }];
        let values = vec![Datum::Null, Datum::Int4(4)].into();
        let array = Datum::Array(Arc::new(ArrayDatum { element: Type::Text, dims, values }));
        let mut stored = Vec::new();
        encode_row(&[array], &[Type::Int4Array], &mut stored);
        let mut row = Vec::new();
        decode_row(&stored, &[Type::Int4Array], &mut row).unwrap();
        let Datum::Array(back) = &row[0] else { panic!("{row:?}") };
        assert_eq!((back.element, back.values[1].as_i64()), (Type::Int4, Some(4)));
    }
}
