//! Keys: values as bytes whose memcmp order is the SQL order.
//!
//! | part | bytes |
//! |---|---|
//! | marker | 0 NULL (nulls first), 1 a value, 2 NULL (nulls last) |
//! | bool, integers, date, timestamps, oid, pg_lsn, xid8, money | big-endian, sign bit flipped if signed |
//! | float4, float8 | IEEE bits: sign flipped if positive, all flipped if negative; -0 as 0, one NaN above all |
//! | numeric | class byte; then exponent (3 bytes, biased), base-100 digits + 1, 0; complemented if negative |
//! | text, bytea | the bytes, 0 as `00 FF`, ended by `00 00` |
//! | uuid, macaddr | its bytes |
//! | inet, cidr | how long its address is, the network, its bits, the address |
//! | time; timetz | as an integer; as one, by UTC, then the seconds west as another |
//! | jsonb | a byte for its kind; then a string, a number, a byte, or how many parts and the parts |
//! | hstore | keys and values as one text, how many pairs, where each key and value ends and whether it is NULL |
//! | interval | its length in microseconds, 16 bytes as an integer |
//! | arrays, records | elements as non-descending nulls-last keys, then 0 and the dimensions |
//!
//! For a descending column the bytes after the marker are complemented.
//!
//! Invariants:
//! 1. memcmp of two keys of one column is `compare` of their values (reversed if descending), nulls placed as asked.
//! 2. No key is a proper prefix of another one, so multi-column keys compare column by column, and the keys that begin with some
//!    columns' values are exactly those with that byte prefix.
//!
//! Must not know: which index a key is for.

use super::datum::{ArrayDatum, Datum};
use super::json;
use super::numeric::Numeric;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::tid;

const NULL_FIRST: u8 = 0;
const VALUE: u8 = 1;
const NULL_LAST: u8 = 2;

/// Appends the key of one column's value.
#[inline]
pub fn encode_key(d: &Datum, ty: Type, desc: bool, nulls_first: bool, out: &mut Vec<u8>) {
    debug_assert!(
        super::row::representation_fits(d, ty),
        "a value of representation {:?} was made a key of {ty:?}",
        d.natural_type()
    );
    match d {
        Datum::Null => return out.push(if nulls_first { NULL_FIRST } else { NULL_LAST }),
        // The commonest key by far: one append, no second pass.
        Datum::Int4(v) => {
            let [a, b, c, e] = ((*v as u32) ^ 0x8000_0000 ^ if desc { u32::MAX } else { 0 }).to_be_bytes();
            return out.extend_from_slice(&[VALUE, a, b, c, e]);
        }
        _ => {}
    }
    out.push(VALUE);
    let start = out.len();
    encode_value(d, out);
    if desc {
        out[start..].iter_mut().for_each(|b| *b = !*b);
    }
}

fn encode_value(d: &Datum, out: &mut Vec<u8>) {
    match d {
        Datum::Null => {}
        Datum::Bool(v) => out.push(u8::from(*v)),
        Datum::Int2(v) => out.extend_from_slice(&((*v as u16) ^ 0x8000).to_be_bytes()),
        Datum::Int4(v) | Datum::Date(v) => out.extend_from_slice(&((*v as u32) ^ 1 << 31).to_be_bytes()),
        Datum::Int8(v) | Datum::Timestamp(v) | Datum::Timestamptz(v) | Datum::Money(v) => {
            out.extend_from_slice(&((*v as u64) ^ 1 << 63).to_be_bytes());
        }
        Datum::Oid(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Enum(_, v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Lsn(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Xid8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Datum::Tid(v) => out.extend_from_slice(&tid::bytes(*v)),
        Datum::Snapshot(s) => {
            // In order, as a list of numbers that is longer is greater.
            for id in [s.xmin, s.xmax].iter().chain(&s.xip) {
                out.push(VALUE);
                out.extend_from_slice(&id.to_be_bytes());
            }
            out.push(0);
        }
        Datum::Uuid(v) => out.extend_from_slice(v),
        Datum::Macaddr(v) => out.extend_from_slice(v),
        Datum::Macaddr8(v) => out.extend_from_slice(v),
        Datum::Inet(v) => {
            out.push(v.address().len() as u8);
            out.extend_from_slice(v.network().address());
            out.push(v.bits);
            out.extend_from_slice(v.address());
        }
        Datum::Time(v) => out.extend_from_slice(&((*v as u64) ^ 1 << 63).to_be_bytes()),
        Datum::Timetz(us, west) => {
            let utc = crate::compare::utc_us(*us, *west);
            out.extend_from_slice(&((utc as u64) ^ 1 << 63).to_be_bytes());
            out.extend_from_slice(&((*west as u32) ^ 1 << 31).to_be_bytes());
        }
        Datum::Json(s) => encode_bytes(s.as_bytes(), out),
        Datum::Bits(b) => {
            let bits = crate::bits::Bits::kept(b);
            encode_bytes(bits.bytes, out);
            out.extend_from_slice(&(bits.len as u32).to_be_bytes());
        }
        Datum::Jsonpath(p) => encode_bytes(&p.stored(), out),
        Datum::Jsonb(b) => json::order::write_key(json::Jsonb(b), encode_bytes, encode_numeric, out),
        Datum::Hstore(b) => super::hstore::Hstore(b).write_key(encode_bytes, out),
        Datum::Float4(v) => {
            let v = if v.is_nan() { f32::NAN.abs() } else { *v + 0.0 };
            let bits = v.to_bits();
            let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        Datum::Float8(v) => {
            let v = if v.is_nan() { f64::NAN.abs() } else { *v + 0.0 };
            let bits = v.to_bits();
            let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        Datum::Numeric(n) => encode_numeric(n, out),
        Datum::Text(s) => encode_bytes(s.as_bytes(), out),
        Datum::Citext(s) => encode_bytes(crate::chars::lower(s).as_bytes(), out),
        Datum::Bpchar(s) => encode_bytes(crate::compare::unpadded(s).as_bytes(), out),
        Datum::Bytes(b) => encode_bytes(b, out),
        Datum::Interval(i) => out.extend_from_slice(&((i.span_us() as u128) ^ 1 << 127).to_be_bytes()),
        Datum::Array(a) => encode_array(a, out),
        Datum::Record(r) => {
            r.values.iter().for_each(|v| encode_element(v, out));
            out.push(0);
        }
    }
}

fn encode_element(v: &Datum, out: &mut Vec<u8>) {
    if v.is_null() {
        out.push(NULL_LAST);
    } else {
        out.push(VALUE);
        encode_value(v, out);
    }
}

fn encode_array(a: &ArrayDatum, out: &mut Vec<u8>) {
    a.values.iter().for_each(|v| encode_element(v, out));
    // The end sorts before any further element, as a shorter array does.
    out.push(0);
    out.push(a.dims.len() as u8);
    for dim in &a.dims {
        out.extend_from_slice(&((dim.len as u32) ^ 1 << 31).to_be_bytes());
        out.extend_from_slice(&((dim.lower as u32) ^ 1 << 31).to_be_bytes());
    }
}

fn encode_bytes(b: &[u8], out: &mut Vec<u8>) {
    out.reserve(b.len() + 2);
    if b.contains(&0) {
        for &c in b {
            out.push(c);
            if c == 0 {
                out.push(0xFF);
            }
        }
    } else {
        out.extend_from_slice(b);
    }
    out.extend_from_slice(&[0, 0]);
}

fn encode_numeric(n: &Numeric, out: &mut Vec<u8>) {
    const NEG_INF: u8 = 0;
    const NEGATIVE: u8 = 1;
    const ZERO: u8 = 2;
    const POSITIVE: u8 = 3;
    const INF: u8 = 4;
    const NAN: u8 = 5;
    /// Added to the base-100 exponent, which lies within ±66 000.
    const BIAS: i64 = 1 << 23;
    if n.is_nan() {
        return out.push(NAN);
    }
    if n.is_infinite() {
        return out.push(if n.signum() < 0 { NEG_INF } else { INF });
    }
    if n.is_zero() {
        return out.push(ZERO);
    }
    let (negative, digits, exponent) = n.normal_form();
    out.push(if negative { NEGATIVE } else { POSITIVE });
    let start = out.len();
    // 0.DIGITS * 10^exponent: with an odd exponent the first pair is a single digit.
    let odd = exponent.rem_euclid(2) == 1;
    let hundreds = (exponent + i64::from(odd)).div_euclid(2) + BIAS;
    out.extend_from_slice(&(hundreds as u32).to_be_bytes()[1..]);
    let mut i = 0;
    if odd {
        out.push(digits[0] - b'0' + 1);
        i = 1;
    }
    while i < digits.len() {
        let low = digits.get(i + 1).map_or(0, |d| d - b'0');
        out.push((digits[i] - b'0') * 10 + low + 1);
        i += 2;
    }
    out.push(0);
    if negative {
        out[start..].iter_mut().for_each(|b| *b = !*b);
    }
}

/// Appends a row id: 1 to 9 bytes, the number of leading one-bits of the first saying how many follow; memcmp order is numeric order.
pub fn encode_rowid(id: u64, out: &mut Vec<u8>) {
    let bits = 64 - id.leading_zeros();
    // n extra bytes leave 7 - n bits in the first, up to 7 bytes; 8 extra bytes hold any id.
    let extra = (bits.max(1).div_ceil(7) - 1).min(8) as usize;
    if extra == 8 {
        out.push(0xFF);
        return out.extend_from_slice(&id.to_be_bytes());
    }
    let prefix = !(0xFFu16 >> extra) as u8;
    let bytes = id.to_be_bytes();
    out.push(prefix | bytes[7 - extra]);
    out.extend_from_slice(&bytes[8 - extra..]);
}

/// Reads a row id that takes all of `bytes`.
pub fn decode_rowid(bytes: &[u8]) -> Result<u64, SqlError> {
    let corrupt = || SqlError::new(SqlState::DATA_CORRUPTED, "a row id is corrupt");
    let (&first, rest) = bytes.split_first().ok_or_else(corrupt)?;
    let extra = first.leading_ones() as usize;
    if rest.len() != extra {
        return Err(corrupt());
    }
    let head = if extra >= 7 { 0 } else { u64::from(first & (0x7F >> extra)) };
    let id = rest.iter().fold(head, |v, b| v << 8 | u64::from(*b));
    Ok(id)
}
