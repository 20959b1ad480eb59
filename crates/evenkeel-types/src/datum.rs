//! `Datum`: one SQL value in memory, and the parts it is made of.
//!
//! Representation. A datum is 24 bytes and cloning one never copies payload: `text` and `bytea` are reference-counted (`Arc<str>`,
//! `Arc<[u8]>`), because the executor clones values far more often than it makes them (projection, sort keys, group keys, RETURNING)
//! while numbers, dates and intervals are held in place and allocate nothing.
//!
//! Invariants:
//! 1. `Datum::Bpchar` has the blanks that make up its declared length; comparisons, hashes and keys do not see them, and whatever becomes text loses them.
//! 2. `Datum::Text` holds no NUL character: it cannot be made by input, and keys rely on it only through escaping.
//! 3. `Datum::Char`-typed values are `Text` of at most one character in U+0001..=U+00FF (empty for the zero byte).
//! 4. `Date` and `Timestamp[tz]` use the type's MAX and MIN for infinity and -infinity.
//!
//! Must not know: text or binary formats, functions.

use std::sync::Arc;

use super::inet::Inet;
use super::numeric::Numeric;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::guard::discard::Large;
use crate::jsonpath::Path;
use crate::xact::XactSnapshot;

/// One SQL value. Which SQL type it is of is known from the expression or column; several types share a representation.
#[derive(Clone, Debug, Default)]
pub enum Datum {
    /// NULL of any type.
    #[default]
    Null,
    /// `boolean`
    Bool(bool),
    /// `smallint`
    Int2(i16),
    /// `integer`
    Int4(i32),
    /// `bigint`
    Int8(i64),
    /// `real`
    Float4(f32),
    /// `double precision`
    Float8(f64),
    /// `numeric`
    Numeric(Numeric),
    /// `text`, `varchar`, `"char"` (invariant 3), `name`, `unknown`
    Text(Arc<str>),
    /// `bpchar` (invariant 1)
    Bpchar(Arc<str>),
    /// `citext`: compared, hashed and ordered in small letters.
    Citext(Arc<str>),
    /// `bytea`
    Bytes(Arc<[u8]>),
    /// Days since 2000-01-01.
    Date(i32),
    /// Microseconds since 2000-01-01 00:00, in no particular zone.
    Timestamp(i64),
    /// Microseconds since 2000-01-01 00:00 UTC.
    Timestamptz(i64),
    /// `interval`
    Interval(Interval),
    /// `oid`, `xid`, and the `reg*` types
    Oid(u32),
    /// `pg_lsn`: a place in the log.
    Lsn(u64),
    /// A value of an enum: the type's OID, and a number by which its values are in order.
    Enum(u32, u64),
    /// `uuid`
    Uuid([u8; 16]),
    /// Microseconds since midnight.
    Time(i64),
    /// The same, and how many seconds its zone is west of UTC.
    Timetz(i64, i32),
    /// `inet` and `cidr`
    Inet(Inet),
    /// `macaddr`
    Macaddr([u8; 6]),
    /// `macaddr8`
    Macaddr8([u8; 8]),
    /// `money`: its cents.
    Money(i64),
    /// `xid8`
    Xid8(u64),
    /// `tid`: the block, and behind it in 16 bits the place in it.
    Tid(u64),
    /// `pg_snapshot` and `txid_snapshot`
    Snapshot(Arc<XactSnapshot>),
    /// `json`: its text.
    Json(Arc<str>),
    /// `jsonb`, as `json/binary.rs` says.
    Jsonb(Arc<[u8]>),
    /// `hstore`, as `hstore/mod.rs` says.
    Hstore(Arc<[u8]>),
    /// `bit` and `bit varying`, as `bits.rs` says.
    Bits(Arc<[u8]>),
    /// `jsonpath`
    Jsonpath(Arc<Path>),
    /// Arrays, `int2vector`, `oidvector`
    Array(Arc<ArrayDatum>),
    /// A row value.
    Record(Arc<RecordDatum>),
}

/// A span of time in the three units that do not convert into each other exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Months.
    pub months: i32,
    /// Days.
    pub days: i32,
    /// Microseconds.
    pub us: i64,
}

/// An array of any number of dimensions.
#[derive(Clone, Debug)]
pub struct ArrayDatum {
    /// Type of the elements.
    pub element: Type,
    /// Length and lower bound of each dimension, outermost first; empty for an empty array.
    pub dims: Vec<Dim>,
    /// The elements in row-major order: as many as the product of the lengths.
    pub values: Large<Vec<Datum>>,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Number of elements along the dimension.
    pub len: i32,
    /// Subscript of the first.
    pub lower: i32,
}

/// Most dimensions an array has.
pub const MAX_DIMS: usize = 6;
/// Most elements an array has: what fits PostgreSQL's allocation limit.
pub const MAX_ARRAY_ELEMENTS: usize = 134_217_727;

/// A row value with the types of its fields.
#[derive(Clone, Debug)]
pub struct RecordDatum {
    /// Field types, as many as values.
    pub types: Vec<Type>,
    /// Field values.
    pub values: Vec<Datum>,
    /// Names of the fields, where they are known: JSON is made with them.
    pub names: Option<Arc<[String]>>,
    /// The composite type, by its OID, whose row it is; 0: of none.
    pub of: u32,
}

/// The dimensions of an array of so many arrays, each of which has the inner ones.
pub fn outer_dims(count: usize, inner: &[Dim]) -> Result<Vec<Dim>, SqlError> {
    let n = inner.len() + 1;
    if n > MAX_DIMS {
        let why = format!("number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})");
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
    }
    Ok(std::iter::once(Dim { len: count as i32, lower: 1 }).chain(inner.iter().copied()).collect())
}

impl RecordDatum {
    /// A row of no type of its own, whose fields have no names.
    pub fn new(types: Vec<Type>, values: Vec<Datum>) -> RecordDatum {
        RecordDatum { types, values, names: None, of: 0 }
    }
}

impl ArrayDatum {
    /// A one-dimensional array with subscripts from 1 (no dimensions if empty).
    pub fn one_dim(element: Type, values: Vec<Datum>) -> ArrayDatum {
        let dims =
            if values.is_empty() { Vec::new() } else { vec![Dim { len: values.len() as i32, lower: 1 }] };
        ArrayDatum { element, dims, values: values.into() }
    }

    /// A vector (`int2vector`, `oidvector`): one dimension with subscripts from 0, present even if empty.
    pub fn vector(element: Type, values: Vec<Datum>) -> ArrayDatum {
        ArrayDatum { element, dims: vec![Dim { len: values.len() as i32, lower: 0 }], values: values.into() }
    }

    /// The element at the given subscripts, one for each dimension; `None` outside the bounds.
    pub fn get(&self, subscripts: &[i32]) -> Option<&Datum> {
        if subscripts.len() != self.dims.len() || self.dims.is_empty() {
            return None;
        }
        let mut offset = 0usize;
        for (dim, &s) in self.dims.iter().zip(subscripts) {
            let i = i64::from(s) - i64::from(dim.lower);
            if i < 0 || i >= i64::from(dim.len) {
                return None;
            }
            offset = offset * dim.len as usize + i as usize;
        }
        self.values.get(offset)
    }
}

impl Datum {
    /// A text-like value.
    pub fn text(s: impl AsRef<str>) -> Datum {
        Datum::Text(Arc::from(s.as_ref()))
    }

    /// A `bytea`.
    pub fn bytes(b: impl AsRef<[u8]>) -> Datum {
        Datum::Bytes(Arc::from(b.as_ref()))
    }

    /// A one-dimensional array.
    pub fn array(element: Type, values: Vec<Datum>) -> Datum {
        Datum::Array(Arc::new(ArrayDatum::one_dim(element, values)))
    }

    /// An `int2vector` or `oidvector` by its element type.
    pub fn vector(element: Type, values: Vec<Datum>) -> Datum {
        Datum::Array(Arc::new(ArrayDatum::vector(element, values)))
    }

    /// Whether the value is NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    /// The boolean, or `None` for NULL (and for what is no boolean).
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Datum::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Any of the integer types, widened.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Datum::Int4(v) => Some(i64::from(*v)),
            Datum::Int8(v) => Some(*v),
            Datum::Int2(v) => Some(i64::from(*v)),
            Datum::Oid(v) => Some(i64::from(*v)),
            _ => None,
        }
    }

    /// The characters of a text-like value.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Datum::Text(s) | Datum::Bpchar(s) | Datum::Citext(s) => Some(s),
            _ => None,
        }
    }

    /// The bytes of a `bytea`.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Datum::Bytes(b) => Some(b),
            _ => None,
        }
    }

    /// The OID of an `oid` or `reg*` value.
    pub fn as_oid(&self) -> Option<u32> {
        match self {
            Datum::Oid(v) => Some(*v),
            _ => None,
        }
    }

    /// The array.
    pub fn as_array(&self) -> Option<&ArrayDatum> {
        match self {
            Datum::Array(a) => Some(a),
            _ => None,
        }
    }

    /// The most natural type of the representation; `Unknown` for NULL.
    pub fn natural_type(&self) -> Type {
        match self {
            Datum::Null => Type::Unknown,
            Datum::Bool(_) => Type::Bool,
            Datum::Int2(_) => Type::Int2,
            Datum::Int4(_) => Type::Int4,
            Datum::Int8(_) => Type::Int8,
            Datum::Float4(_) => Type::Float4,
            Datum::Float8(_) => Type::Float8,
            Datum::Numeric(_) => Type::Numeric,
            Datum::Text(_) => Type::Text,
            Datum::Bpchar(_) => Type::Bpchar,
            Datum::Citext(_) => Type::Citext,
            Datum::Bytes(_) => Type::Bytea,
            Datum::Date(_) => Type::Date,
            Datum::Timestamp(_) => Type::Timestamp,
            Datum::Timestamptz(_) => Type::Timestamptz,
            Datum::Interval(_) => Type::Interval,
            Datum::Oid(_) => Type::Oid,
            Datum::Lsn(_) => Type::PgLsn,
            Datum::Enum(oid, _) => Type::Enum(*oid),
            Datum::Uuid(_) => Type::Uuid,
            Datum::Time(_) => Type::Time,
            Datum::Timetz(..) => Type::Timetz,
            Datum::Inet(_) => Type::Inet,
            Datum::Macaddr(_) => Type::Macaddr,
            Datum::Macaddr8(_) => Type::Macaddr8,
            Datum::Money(_) => Type::Money,
            Datum::Xid8(_) => Type::Xid8,
            Datum::Tid(_) => Type::Tid,
            Datum::Snapshot(_) => Type::PgSnapshot,
            Datum::Json(_) => Type::Json,
            Datum::Jsonb(_) => Type::Jsonb,
            Datum::Hstore(_) => Type::Hstore,
            Datum::Jsonpath(_) => Type::Jsonpath,
            Datum::Bits(_) => Type::Bit,
            Datum::Array(a) => a.element.array_of().unwrap_or(Type::TextArray),
            Datum::Record(r) if r.of != 0 => Type::Composite(r.of),
            Datum::Record(_) => Type::Record,
        }
    }

    /// Memory the value holds, in bytes, for statement memory limits; shared payload is counted for each holder.
    pub fn memory_bytes(&self) -> usize {
        const HEAP_HEADER_BYTES: usize = 16;
        let payload = match self {
            Datum::Text(s) | Datum::Bpchar(s) | Datum::Citext(s) | Datum::Json(s) => {
                s.len() + HEAP_HEADER_BYTES
            }
            Datum::Bytes(b) | Datum::Jsonb(b) | Datum::Bits(b) | Datum::Hstore(b) => {
                b.len() + HEAP_HEADER_BYTES
            }
            Datum::Numeric(n) => n.heap_bytes(),
            Datum::Jsonpath(p) => p.memory_bytes(),
            Datum::Snapshot(s) => HEAP_HEADER_BYTES + size_of::<XactSnapshot>() + size_of_val(&*s.xip),
            Datum::Array(a) => {
                HEAP_HEADER_BYTES
                    + size_of::<ArrayDatum>()
                    + a.values.iter().map(Datum::memory_bytes).sum::<usize>()
            }
            Datum::Record(r) => {
                HEAP_HEADER_BYTES
                    + size_of::<RecordDatum>()
                    + r.values.iter().map(Datum::memory_bytes).sum::<usize>()
            }
            _ => 0,
        };
        size_of::<Datum>() + payload
    }
}

impl From<bool> for Datum {
    fn from(v: bool) -> Datum {
        Datum::Bool(v)
    }
}

impl From<i32> for Datum {
    fn from(v: i32) -> Datum {
        Datum::Int4(v)
    }
}

impl From<i64> for Datum {
    fn from(v: i64) -> Datum {
        Datum::Int8(v)
    }
}

impl From<&str> for Datum {
    fn from(v: &str) -> Datum {
        Datum::text(v)
    }
}

impl From<Arc<str>> for Datum {
    fn from(v: Arc<str>) -> Datum {
        Datum::Text(v)
    }
}

impl From<String> for Datum {
    fn from(v: String) -> Datum {
        Datum::Text(Arc::from(v))
    }
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(v: Option<T>) -> Datum {
        v.map_or(Datum::Null, Into::into)
    }
}

const _: () = assert!(size_of::<Datum>() == 24, "a datum is three words");
