//! Order, equality and hashing of values of one type.
//!
//! Invariants:
//! 1. `compare` is the order of `key::encode_key` (the tests compare the two).
//! 2. Values that compare equal hash alike.
//! 3. Text is compared bytewise (the "C" collation); trailing blanks of `bpchar` are not stored, so they do not count.
//! 4. NULL, where it occurs (inside arrays and records), sorts after everything else; NaN is the largest number.
//!
//! Mixed integer or float types compare by value; other mixtures compare by representation, which the binder never asks for.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::bits::Bits;
use super::datum::{ArrayDatum, Datum, RecordDatum};
use super::hstore::Hstore;
use super::json;
use super::ty::Type;
use crate::error::{SqlError, SqlState};

/// Order of floats with NaN equal to itself and above everything, and the two zeros equal.
pub fn compare_f64(a: f64, b: f64) -> Ordering {
    match a.partial_cmp(&b) {
        Some(o) => o,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

/// What counts of a `bpchar` when it is compared.
pub fn unpadded(s: &str) -> &str {
    s.trim_end_matches(' ')
}

/// The characters of a `citext` as they count. Their order is that of their bytes.
fn small(s: &str) -> impl Iterator<Item = char> + '_ {
    s.chars().flat_map(char::to_lowercase)
}

/// Microseconds since midnight of a `timetz` by the clocks of UTC.
pub(crate) fn utc_us(us: i64, west: i32) -> i64 {
    us.wrapping_add(i64::from(west) * 1_000_000)
}

/// SQL order of two non-null values of one type.
pub fn compare(a: &Datum, b: &Datum) -> Ordering {
    use Datum as D;
    match (a, b) {
        (D::Int4(a), D::Int4(b)) => a.cmp(b),
        (D::Int8(a), D::Int8(b)) => a.cmp(b),
        (D::Text(a), D::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (D::Bpchar(a), D::Bpchar(b)) => unpadded(a).as_bytes().cmp(unpadded(b).as_bytes()),
        (D::Citext(a), D::Citext(b)) => small(a).cmp(small(b)),
        (D::Int2(a), D::Int2(b)) => a.cmp(b),
        (D::Bool(a), D::Bool(b)) => a.cmp(b),
        (D::Numeric(a), D::Numeric(b)) => a.cmp(b),
        (D::Float8(a), D::Float8(b)) => compare_f64(*a, *b),
        (D::Float4(a), D::Float4(b)) => compare_f64(f64::from(*a), f64::from(*b)),
        (D::Date(a), D::Date(b)) => a.cmp(b),
        (D::Timestamp(a), D::Timestamp(b)) | (D::Timestamptz(a), D::Timestamptz(b)) => a.cmp(b),
        (D::Interval(a), D::Interval(b)) => a.span_us().cmp(&b.span_us()),
        (D::Oid(a), D::Oid(b)) => a.cmp(b),
        (D::Lsn(a), D::Lsn(b)) => a.cmp(b),
        (D::Enum(_, a), D::Enum(_, b)) => a.cmp(b),
        (D::Uuid(a), D::Uuid(b)) => a.cmp(b),
        (D::Jsonb(a), D::Jsonb(b)) => json::order::compare(json::Jsonb(a), json::Jsonb(b)),
        (D::Hstore(a), D::Hstore(b)) => Hstore(a).compare(Hstore(b)),
        (D::Time(a), D::Time(b)) => a.cmp(b),
        (D::Timetz(a, x), D::Timetz(b, y)) => utc_us(*a, *x).cmp(&utc_us(*b, *y)).then(x.cmp(y)),
        (D::Inet(a), D::Inet(b)) => a.cmp(b),
        (D::Macaddr(a), D::Macaddr(b)) => a.cmp(b),
        (D::Macaddr8(a), D::Macaddr8(b)) => a.cmp(b),
        (D::Xid8(a), D::Xid8(b)) => a.cmp(b),
        (D::Money(a), D::Money(b)) => a.cmp(b),
        (D::Tid(a), D::Tid(b)) => a.cmp(b),
        (D::Snapshot(a), D::Snapshot(b)) => (a.xmin, a.xmax, &a.xip).cmp(&(b.xmin, b.xmax, &b.xip)),
        (D::Bits(a), D::Bits(b)) => Bits::kept(a).order(&Bits::kept(b)),
        (D::Json(a), D::Json(b)) => a.as_bytes().cmp(b.as_bytes()),
        (D::Jsonpath(a), D::Jsonpath(b)) => a.stored().cmp(&b.stored()),
        (D::Bytes(a), D::Bytes(b)) => a.cmp(b),
        (D::Array(a), D::Array(b)) => compare_arrays(a, b),
        (D::Record(a), D::Record(b)) => compare_lists(&a.values, &b.values),
        (D::Float4(a), D::Float8(b)) => compare_f64(f64::from(*a), *b),
        (D::Float8(a), D::Float4(b)) => compare_f64(*a, f64::from(*b)),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

/// Refuses to compare rows that are no alike: fields of different types before the first that differ, or more of them in one.
#[inline]
pub fn must_compare(a: &Datum, b: &Datum) -> Result<(), SqlError> {
    match (a, b) {
        (Datum::Record(a), Datum::Record(b)) if a.types != b.types => must_be_alike(a, b),
        _ => Ok(()),
    }
}

#[cold]
fn must_be_alike(a: &RecordDatum, b: &RecordDatum) -> Result<(), SqlError> {
    let wrong = |why: String| Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
    let known = |ty: Type| if ty == Type::Unknown { Type::Text } else { ty };
    for (n, (x, y)) in a.values.iter().zip(&b.values).enumerate() {
        let (of_x, of_y) = (known(a.types[n]), known(b.types[n]));
        if of_x != of_y {
            let (x, y) = (of_x.sql_name(), of_y.sql_name());
            return wrong(format!(
                "cannot compare dissimilar column types {x} and {y} at record column {}",
                n + 1
            ));
        }
        if compare_nullable(x, y).is_ne() {
            return Ok(());
        }
    }
    match a.values.len() == b.values.len() {
        true => Ok(()),
        false => wrong("cannot compare record types with different numbers of columns".to_owned()),
    }
}

/// As [`compare`], with NULL above everything: the order inside arrays and records.
pub fn compare_nullable(a: &Datum, b: &Datum) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b),
        (x, y) => x.cmp(&y),
    }
}

fn compare_lists(a: &[Datum], b: &[Datum]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        match compare_nullable(x, y) {
            Ordering::Equal => {}
            o => return o,
        }
    }
    a.len().cmp(&b.len())
}

fn compare_arrays(a: &ArrayDatum, b: &ArrayDatum) -> Ordering {
    compare_lists(&a.values, &b.values).then_with(|| a.dims.len().cmp(&b.dims.len())).then_with(|| {
        for (x, y) in a.dims.iter().zip(&b.dims) {
            let o = x.len.cmp(&y.len).then(x.lower.cmp(&y.lower));
            if o != Ordering::Equal {
                return o;
            }
        }
        Ordering::Equal
    })
}

fn rank(d: &Datum) -> u8 {
    match d {
        Datum::Bool(_) => 0,
        Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) | Datum::Oid(_) => 1,
        Datum::Numeric(_) => 2,
        Datum::Float4(_) | Datum::Float8(_) => 3,
        Datum::Text(_) | Datum::Bpchar(_) | Datum::Citext(_) => 4,
        Datum::Bytes(_) => 5,
        Datum::Date(_) => 6,
        Datum::Timestamp(_) => 7,
        Datum::Timestamptz(_) => 8,
        Datum::Interval(_) => 9,
        Datum::Array(_) => 10,
        Datum::Record(_) => 11,
        Datum::Lsn(_) => 12,
        Datum::Uuid(_) => 13,
        Datum::Json(_) => 14,
        Datum::Jsonb(_) => 15,
        Datum::Jsonpath(_) => 22,
        Datum::Bits(_) => 23,
        Datum::Enum(..) => 21,
        Datum::Time(_) => 16,
        Datum::Timetz(..) => 17,
        Datum::Inet(_) => 18,
        Datum::Macaddr(_) => 19,
        Datum::Macaddr8(_) => 24,
        Datum::Xid8(_) => 25,
        Datum::Tid(_) => 28,
        Datum::Money(_) => 29,
        Datum::Snapshot(_) => 26,
        Datum::Hstore(_) => 27,
        Datum::Null => 20,
    }
}

/// A number that is in the order of values of one type, as far as it tells them apart: where that of `a` is less, `a` is; where they are equal, nothing is said. It spares sorts most comparisons.
pub fn order_head(d: &Datum) -> u64 {
    use Datum as D;
    let signed = |v: i64| v as u64 ^ 1 << 63;
    let head_of = |bytes: &[u8]| {
        let mut head = [0; 8];
        let shown = bytes.len().min(8);
        head[..shown].copy_from_slice(&bytes[..shown]);
        u64::from_be_bytes(head)
    };
    let float = |v: f64| match v {
        v if v.is_nan() => u64::MAX,
        0.0 => 1 << 63, // both zeros
        v if v < 0.0 => !v.to_bits(),
        v => v.to_bits() | 1 << 63,
    };
    match d {
        D::Int2(_) | D::Int4(_) | D::Int8(_) | D::Oid(_) => signed(d.as_i64().unwrap_or(0)),
        D::Date(v) => signed(i64::from(*v)),
        D::Timestamp(v) | D::Timestamptz(v) | D::Time(v) | D::Money(v) => signed(*v),
        D::Float4(v) => float(f64::from(*v)),
        D::Float8(v) => float(*v),
        D::Numeric(v) => signed(v.order_head()),
        D::Text(v) => head_of(v.as_bytes()),
        D::Bpchar(v) => head_of(unpadded(v).as_bytes()),
        D::Bytes(v) => head_of(v),
        D::Uuid(v) => head_of(v),
        D::Enum(_, v) | D::Lsn(v) => *v,
        D::Bool(v) => u64::from(*v),
        _ => 0,
    }
}

/// Whether two non-null values of one type are equal.
#[inline]
pub fn equal(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Int4(a), Datum::Int4(b)) => a == b,
        (Datum::Int8(a), Datum::Int8(b)) => a == b,
        (Datum::Text(a), Datum::Text(b)) => a == b,
        _ => compare(a, b) == Ordering::Equal,
    }
}

/// Equality for GROUP BY, DISTINCT and hash tables: NULL equals NULL.
pub fn not_distinct(a: &Datum, b: &Datum) -> bool {
    match (a.is_null(), b.is_null()) {
        (false, false) => equal(a, b),
        (x, y) => x == y,
    }
}

/// Feeds a value to a hasher (invariant 2; NULL hashes too).
pub fn hash<H: Hasher>(d: &Datum, state: &mut H) {
    use Datum as D;
    match d {
        D::Null => state.write_u8(0),
        D::Bool(b) => b.hash(state),
        // Integers of all widths hash by value, since they compare by value.
        D::Int2(_) | D::Int4(_) | D::Int8(_) | D::Oid(_) => state.write_i64(d.as_i64().unwrap_or(0)),
        D::Float4(v) => hash_f64(f64::from(*v), state),
        D::Float8(v) => hash_f64(*v, state),
        D::Numeric(n) => n.hash(state),
        D::Text(s) => s.hash(state),
        D::Bpchar(s) => unpadded(s).hash(state),
        D::Citext(s) => small(s).for_each(|c| state.write_u32(u32::from(c))),
        D::Bytes(b) => b.hash(state),
        D::Date(v) => state.write_i32(*v),
        D::Timestamp(v) | D::Timestamptz(v) => state.write_i64(*v),
        D::Lsn(v) | D::Xid8(v) | D::Tid(v) | D::Enum(_, v) => state.write_u64(*v),
        D::Uuid(v) => state.write(v),
        D::Time(v) | D::Money(v) => state.write_i64(*v),
        D::Timetz(us, west) => {
            state.write_i64(*us);
            state.write_i32(*west);
        }
        D::Inet(v) => v.hash(state),
        D::Macaddr(v) => state.write(v),
        D::Macaddr8(v) => state.write(v),
        D::Json(s) => s.hash(state),
        D::Jsonpath(p) => p.stored().hash(state),
        D::Bits(b) | D::Hstore(b) => b.hash(state),
        D::Snapshot(s) => (s.xmin, s.xmax, &s.xip).hash(state),
        D::Jsonb(b) => json::order::hash(json::Jsonb(b), state),
        D::Interval(i) => i.span_us().hash(state),
        D::Array(a) => {
            state.write_usize(a.values.len());
            a.values.iter().for_each(|v| hash(v, state));
        }
        D::Record(r) => {
            state.write_usize(r.values.len());
            r.values.iter().for_each(|v| hash(v, state));
        }
    }
}

fn hash_f64<H: Hasher>(v: f64, state: &mut H) {
    let canonical = if v.is_nan() {
        f64::NAN
    } else if v == 0.0 {
        0.0
    } else {
        v
    };
    state.write_u64(canonical.to_bits());
}

/// A list of values as a key of hash maps: equal and hashed as GROUP BY does.
#[derive(Clone, Debug)]
pub struct DatumKey(pub Vec<Datum>);

impl PartialEq for DatumKey {
    fn eq(&self, other: &DatumKey) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| not_distinct(a, b))
    }
}

impl Eq for DatumKey {}

impl Hash for DatumKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|d| hash(d, state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Numeric;
    use std::sync::Arc;

    #[test]
    fn heads_are_in_the_order_of_values() {
        let numbers = [
            "NaN",
            "Infinity",
            "-Infinity",
            "0",
            "-0.00001",
            "0.00001",
            "0.00011",
            "0.0001",
            "1",
            "1.0",
            "0.99999999999999999999999999",
            "-1.0001",
            "922337203685477.5807",
            "922337203685477.5808",
            "922337203685478",
            "-922337203685477.5808",
            "-922337203685477.58081",
            "170141183460469231731687303715884105727",
            "-170141183460469231731687303715884105727",
            "1e200",
            "-1e200",
            "1e-60",
            "-1e-60",
            "12345.678900000000000000000000000000000000000000001",
            "12345.6789",
            "-12345.67890000000000000000000000000000000000000001",
        ];
        let numbers: Vec<Numeric> = numbers.iter().map(|n| n.parse().unwrap()).collect();
        let floats = [
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
            -0.0,
            1.5,
            -1.5,
            5e-324,
            -5e-324,
            f64::MAX,
            f64::MIN,
        ];
        let texts =
            ["", "a", "a ", "a\0", "ab", "abcdefgh", "abcdefgh\0", "abcdefghi", "b", "\u{1F600}", " "];
        let ints = [i64::MIN, i64::MIN + 1, -1, 0, 1, 7, i64::from(i32::MAX), i64::MAX];
        let all: Vec<Vec<Datum>> = vec![
            numbers.into_iter().map(Datum::Numeric).collect(),
            floats.into_iter().flat_map(|v| [Datum::Float8(v), Datum::Float4(v as f32)]).collect(),
            texts.iter().map(|t| Datum::Text(Arc::from(*t))).collect(),
            texts.iter().map(|t| Datum::Bpchar(Arc::from(format!("{t:<12}")))).collect(),
            texts.iter().map(|t| Datum::Bytes(Arc::from(t.as_bytes()))).collect(),
            ints.iter()
                .flat_map(|v| [Datum::Int8(*v), Datum::Int4(*v as i32), Datum::Int2(*v as i16)])
                .collect(),
            ints.iter().map(|v| Datum::Timestamp(*v)).collect(),
            ints.iter().map(|v| Datum::Date(*v as i32)).collect(),
            ints.iter().map(|v| Datum::Enum(5, *v as u64)).collect(),
            ints.iter().map(|v| Datum::Uuid(u128::to_be_bytes((*v as u128) << 40))).collect(),
            vec![Datum::Bool(false), Datum::Bool(true)],
            vec![Datum::Citext(Arc::from("B")), Datum::Citext(Arc::from("a"))],
        ];
        for (a, b) in all.iter().flat_map(|of| of.iter().flat_map(move |a| of.iter().map(move |b| (a, b)))) {
            let (heads, order) = (order_head(a).cmp(&order_head(b)), compare(a, b));
            assert!(heads.is_eq() || heads == order, "{a:?} {b:?}: {heads:?}, {order:?}");
        }
    }
}
