//! Values in a form that says what they are, for files that only the process reads that wrote them.
//!
//! A byte says the representation, then come its bytes; lengths are varints. Nothing of it outlives the process, so it may change at any time.
//!
//! Must not know: what the files are for.

use crate::datum::{ArrayDatum, Dim, Interval, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::inet::Inet;
use crate::jsonpath::Path;
use crate::numeric::Numeric;
use crate::xact::XactSnapshot;
use crate::{Datum, Type};
use std::sync::Arc;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT2: u8 = 3;
const INT4: u8 = 4;
const INT8: u8 = 5;
const FLOAT4: u8 = 6;
const FLOAT8: u8 = 7;
const NUMERIC: u8 = 8;
const TEXT: u8 = 9;
const BPCHAR: u8 = 10;
const BYTES: u8 = 11;
const DATE: u8 = 12;
const TIMESTAMP: u8 = 13;
const TIMESTAMPTZ: u8 = 14;
const INTERVAL: u8 = 15;
const OID: u8 = 16;
const LSN: u8 = 17;
const ARRAY: u8 = 18;
const RECORD: u8 = 19;
const UUID: u8 = 20;
const JSON: u8 = 21;
const JSONB: u8 = 22;
const TIME: u8 = 23;
const TIMETZ: u8 = 24;
const INET: u8 = 25;
const MACADDR: u8 = 26;
const ENUM: u8 = 27;
const CITEXT: u8 = 28;
const JSONPATH: u8 = 29;
const BITS: u8 = 30;
const MACADDR8: u8 = 31;
const XID8: u8 = 32;
const SNAPSHOT: u8 = 33;
const HSTORE: u8 = 34;
const TID: u8 = 40;
const MONEY: u8 = 41;

fn put_len(mut n: usize, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn put_bytes(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    put_len(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn put_fixed<const N: usize>(tag: u8, bytes: [u8; N], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&bytes);
}

/// Appends a value.
pub fn write_tagged(d: &Datum, out: &mut Vec<u8>) {
    match d {
        Datum::Null => out.push(NULL),
        Datum::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Datum::Int2(v) => put_fixed(INT2, v.to_le_bytes(), out),
        Datum::Int4(v) => put_fixed(INT4, v.to_le_bytes(), out),
        Datum::Int8(v) => put_fixed(INT8, v.to_le_bytes(), out),
        Datum::Float4(v) => put_fixed(FLOAT4, v.to_bits().to_le_bytes(), out),
        Datum::Float8(v) => put_fixed(FLOAT8, v.to_bits().to_le_bytes(), out),
        Datum::Numeric(n) => {
            let mut bytes = Vec::with_capacity(16);
            n.write_stored(&mut bytes);
            put_bytes(NUMERIC, &bytes, out);
        }
        Datum::Text(s) => put_bytes(TEXT, s.as_bytes(), out),
        Datum::Bpchar(s) => put_bytes(BPCHAR, s.as_bytes(), out),
        Datum::Citext(s) => put_bytes(CITEXT, s.as_bytes(), out),
        Datum::Bytes(b) => put_bytes(BYTES, b, out),
        Datum::Date(v) => put_fixed(DATE, v.to_le_bytes(), out),
        Datum::Timestamp(v) => put_fixed(TIMESTAMP, v.to_le_bytes(), out),
        Datum::Timestamptz(v) => put_fixed(TIMESTAMPTZ, v.to_le_bytes(), out),
        Datum::Interval(i) => {
            put_fixed(INTERVAL, i.months.to_le_bytes(), out);
            out.extend_from_slice(&i.days.to_le_bytes());
            out.extend_from_slice(&i.us.to_le_bytes());
        }
        Datum::Oid(v) => put_fixed(OID, v.to_le_bytes(), out),
        Datum::Lsn(v) => put_fixed(LSN, v.to_le_bytes(), out),
        Datum::Enum(oid, v) => {
            put_fixed(ENUM, oid.to_le_bytes(), out);
            out.extend_from_slice(&v.to_le_bytes());
        }
        Datum::Uuid(v) => put_fixed(UUID, *v, out),
        Datum::Time(v) => put_fixed(TIME, v.to_le_bytes(), out),
        Datum::Timetz(us, west) => {
            put_fixed(TIMETZ, us.to_le_bytes(), out);
            out.extend_from_slice(&west.to_le_bytes());
        }
        Datum::Inet(v) => {
            put_bytes(INET, v.address(), out);
            out.push(v.bits);
        }
        Datum::Macaddr(v) => put_fixed(MACADDR, *v, out),
        Datum::Macaddr8(v) => put_fixed(MACADDR8, *v, out),
        Datum::Tid(v) => put_fixed(TID, v.to_le_bytes(), out),
        Datum::Money(v) => put_fixed(MONEY, v.to_le_bytes(), out),
        Datum::Xid8(v) => put_fixed(XID8, v.to_le_bytes(), out),
        Datum::Snapshot(s) => {
            out.push(SNAPSHOT);
            put_len(s.binary_len(), out);
            s.write_binary(out);
        }
        Datum::Json(s) => put_bytes(JSON, s.as_bytes(), out),
        Datum::Jsonb(b) => put_bytes(JSONB, b, out),
        Datum::Bits(b) => put_bytes(BITS, b, out),
        Datum::Hstore(b) => put_bytes(HSTORE, b, out),
        Datum::Jsonpath(p) => put_bytes(JSONPATH, &p.stored(), out),
        Datum::Array(a) => {
            put_fixed(ARRAY, a.element.oid().to_le_bytes(), out);
            put_len(a.dims.len(), out);
            for dim in &a.dims {
                out.extend_from_slice(&dim.len.to_le_bytes());
                out.extend_from_slice(&dim.lower.to_le_bytes());
            }
            put_len(a.values.len(), out);
            a.values.iter().for_each(|v| write_tagged(v, out));
        }
        Datum::Record(r) => {
            put_fixed(RECORD, r.of.to_le_bytes(), out);
            put_len(r.values.len(), out);
            for (ty, value) in r.types.iter().zip(&r.values) {
                out.extend_from_slice(&ty.oid().to_le_bytes());
                write_tagged(value, out);
            }
            let names = r.names.as_deref().unwrap_or(&[]);
            put_len(names.len(), out);
            for name in names {
                put_len(name.len(), out);
                out.extend_from_slice(name.as_bytes());
            }
        }
    }
}

fn damaged() -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, "a temporary file is damaged")
}

fn take<'a>(n: usize, from: &mut &'a [u8]) -> Result<&'a [u8], SqlError> {
    let (head, tail) = from.split_at_checked(n).ok_or_else(damaged)?;
    *from = tail;
    Ok(head)
}

fn fixed<const N: usize>(from: &mut &[u8]) -> Result<[u8; N], SqlError> {
    take(N, from)?.try_into().map_err(|_| damaged())
}

fn len(from: &mut &[u8]) -> Result<usize, SqlError> {
    let mut n = 0;
    for shift in (0..63).step_by(7) {
        let [byte] = fixed(from)?;
        n |= ((byte & 0x7f) as usize) << shift;
        if byte < 0x80 {
            return Ok(n);
        }
    }
    Err(damaged())
}

fn text(from: &mut &[u8]) -> Result<Arc<str>, SqlError> {
    let n = len(from)?;
    Ok(Arc::from(std::str::from_utf8(take(n, from)?).map_err(|_| damaged())?))
}

fn ty(from: &mut &[u8]) -> Result<Type, SqlError> {
    Type::from_stored_oid(u32::from_le_bytes(fixed(from)?)).ok_or_else(damaged)
}

/// Reads a value from the front.
pub fn read_tagged(from: &mut &[u8]) -> Result<Datum, SqlError> {
    let [tag] = fixed(from)?;
    Ok(match tag {
        NULL => Datum::Null,
        FALSE => Datum::Bool(false),
        TRUE => Datum::Bool(true),
        INT2 => Datum::Int2(i16::from_le_bytes(fixed(from)?)),
        INT4 => Datum::Int4(i32::from_le_bytes(fixed(from)?)),
        INT8 => Datum::Int8(i64::from_le_bytes(fixed(from)?)),
        FLOAT4 => Datum::Float4(f32::from_bits(u32::from_le_bytes(fixed(from)?))),
        FLOAT8 => Datum::Float8(f64::from_bits(u64::from_le_bytes(fixed(from)?))),
        NUMERIC => {
            let n = len(from)?;
            Datum::Numeric(Numeric::read_stored(take(n, from)?).ok_or_else(damaged)?)
        }
        TEXT => Datum::Text(text(from)?),
        BPCHAR => Datum::Bpchar(text(from)?),
        CITEXT => Datum::Citext(text(from)?),
        BYTES => {
            let n = len(from)?;
            Datum::Bytes(Arc::from(take(n, from)?))
        }
        DATE => Datum::Date(i32::from_le_bytes(fixed(from)?)),
        TIMESTAMP => Datum::Timestamp(i64::from_le_bytes(fixed(from)?)),
        TIMESTAMPTZ => Datum::Timestamptz(i64::from_le_bytes(fixed(from)?)),
        INTERVAL => Datum::Interval(Interval {
            months: i32::from_le_bytes(fixed(from)?),
            days: i32::from_le_bytes(fixed(from)?),
            us: i64::from_le_bytes(fixed(from)?),
        }),
        OID => Datum::Oid(u32::from_le_bytes(fixed(from)?)),
        LSN => Datum::Lsn(u64::from_le_bytes(fixed(from)?)),
        ENUM => {
            let oid = u32::from_le_bytes(fixed(from)?);
            Datum::Enum(oid, u64::from_le_bytes(fixed(from)?))
        }
        UUID => Datum::Uuid(fixed(from)?),
        TIME => Datum::Time(i64::from_le_bytes(fixed(from)?)),
        TIMETZ => {
            let us = i64::from_le_bytes(fixed(from)?);
            Datum::Timetz(us, i32::from_le_bytes(fixed(from)?))
        }
        INET => {
            let n = len(from)?;
            let (address, [bits]) = (take(n, from)?, fixed(from)?);
            Datum::Inet(Inet::new(address, bits).ok_or_else(damaged)?)
        }
        MACADDR => Datum::Macaddr(fixed(from)?),
        MACADDR8 => Datum::Macaddr8(fixed(from)?),
        TID => Datum::Tid(u64::from_le_bytes(fixed(from)?)),
        MONEY => Datum::Money(i64::from_le_bytes(fixed(from)?)),
        XID8 => Datum::Xid8(u64::from_le_bytes(fixed(from)?)),
        SNAPSHOT => {
            let n = len(from)?;
            Datum::Snapshot(Arc::new(XactSnapshot::read_binary(take(n, from)?)?))
        }
        JSON => Datum::Json(text(from)?),
        JSONB => {
            let n = len(from)?;
            Datum::Jsonb(Arc::from(take(n, from)?))
        }
        BITS => {
            let n = len(from)?;
            Datum::Bits(Arc::from(take(n, from)?))
        }
        HSTORE => {
            let n = len(from)?;
            let bytes = take(n, from)?;
            if !crate::hstore::check(bytes)? {
                return Err(damaged());
            }
            Datum::Hstore(Arc::from(bytes))
        }
        JSONPATH => Datum::Jsonpath(Arc::new(Path::parse(&text(from)?)?)),
        ARRAY => {
            let element = ty(from)?;
            let mut dims = Vec::new();
            for _ in 0..len(from)? {
                let (len, lower) = (i32::from_le_bytes(fixed(from)?), i32::from_le_bytes(fixed(from)?));
                dims.push(Dim { len, lower });
            }
            let mut values = Vec::new();
            for _ in 0..len(from)? {
                values.push(read_tagged(from)?);
            }
            Datum::Array(Arc::new(ArrayDatum { element, dims, values: values.into() }))
        }
        RECORD => {
            let of = u32::from_le_bytes(fixed(from)?);
            let (mut types, mut values) = (Vec::new(), Vec::new());
            for _ in 0..len(from)? {
                types.push(ty(from)?);
                values.push(read_tagged(from)?);
            }
            let mut names = Vec::new();
            for _ in 0..len(from)? {
                names.push(text(from)?.as_ref().to_owned());
            }
            let names = (!names.is_empty()).then(|| names.into());
            Datum::Record(Arc::new(RecordDatum { types, values, names, of }))
        }
        _ => return Err(damaged()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormatOptions, input_text};

    #[test]
    fn every_kind_of_value_comes_back() {
        let options = FormatOptions::default();
        let of = |s: &str, ty| input_text(s, ty, -1, &options).unwrap();
        let mut values = vec![
            Datum::Null,
            Datum::Bool(true),
            Datum::Bool(false),
            Datum::Int2(-3),
            Datum::Int4(i32::MIN),
            Datum::Int8(i64::MAX),
            Datum::Float4(f32::NAN),
            Datum::Float8(-0.0),
            Datum::Date(i32::MAX),
            Datum::Timestamp(i64::MIN),
            Datum::Timestamptz(5),
            Datum::Oid(7),
            Datum::Lsn(u64::MAX),
            Datum::Xid8(u64::MAX - 1),
            Datum::Tid(65537),
            Datum::Money(i64::MIN),
            of("4:9:5,7", Type::PgSnapshot),
            Datum::Uuid([0xA5; 16]),
            Datum::Macaddr([1, 2, 3, 4, 5, 6]),
            Datum::Macaddr8([1, 2, 3, 4, 5, 6, 7, 8]),
            of("1.2.3.4/8", Type::Inet),
            of("fe80::/16", Type::Cidr),
            Datum::Time(7),
            Datum::Timetz(86_400_000_000, -57_599),
            of("[1, {\"a\": null}]", Type::Json),
            of("[1, {\"a\": null}]", Type::Jsonb),
            of("1011", Type::Varbit),
            of("a=>1, bb=>NULL", Type::Hstore),
            of("strict $.a[*] ? (@ > 1)", Type::Jsonpath),
            Datum::text("é".repeat(200)),
            Datum::Bytes(Arc::from(&[0, 255][..])),
            of("  ab  ", Type::Bpchar),
            of("1 mon -2 days 00:00:03.5", Type::Interval),
            of("{{1,2},{3,NULL}}", Type::Int4Array),
            of("{}", Type::TextArray),
        ];
        for n in ["0", "0.00", "-12345678901234567890.123", "NaN", "Infinity", "-Infinity", "1e100"] {
            values.push(of(n, Type::Numeric));
        }
        let types = vec![Type::Int4, Type::Text];
        let fields = vec![Datum::Int4(1), Datum::text("x")];
        values.push(Datum::Record(Arc::new(RecordDatum {
            types,
            values: fields,
            names: Some(vec!["a".to_owned(), String::new()].into()),
            of: 0,
        })));
        let mut bytes = Vec::new();
        values.iter().for_each(|v| write_tagged(v, &mut bytes));
        let mut rest = &bytes[..];
        for v in &values {
            assert_eq!(format!("{v:?}"), format!("{:?}", read_tagged(&mut rest).unwrap()));
        }
        assert!(rest.is_empty());
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..50_000 {
            let mut damaged = bytes.clone();
            let n = rng.usize(0..damaged.len());
            damaged[n] ^= rng.u8(1..);
            let mut rest = &damaged[rng.usize(0..damaged.len())..];
            while !rest.is_empty() && read_tagged(&mut rest).is_ok() {} // never panics
        }
    }
}
