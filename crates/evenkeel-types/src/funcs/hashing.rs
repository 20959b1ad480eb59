//! The functions by which PostgreSQL hashes keys, `hashtext` and its like: applications lock by them (`pg_advisory_lock(hashtext(…))`) and
//! spread rows by them, so that the numbers are the same as there, on a little-endian machine.
//!
//! The algorithm is Bob Jenkins' lookup3 as PostgreSQL's `hash_bytes` has it, with its start value. Those of types whose inner form
//! differs from PostgreSQL's (`numeric`, arrays, ranges, records) are not there.
//!
//! Must not know: what hash tables here use.

use super::{Eval, bytes_arg, f, str_arg};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::ty::Type as T;

/// The state: three words.
type Words = [u32; 3];

fn begin(len: usize, seed: u64) -> Words {
    let start = 0x9e37_79b9_u32.wrapping_add(len as u32).wrapping_add(3_923_095);
    let mut words = [start; 3];
    if seed != 0 {
        words[0] = words[0].wrapping_add((seed >> 32) as u32);
        words[1] = words[1].wrapping_add(seed as u32);
        mix(&mut words);
    }
    words
}

fn mix([a, b, c]: &mut Words) {
    for shift in [(4, 6, 8), (16, 19, 4)] {
        *a = a.wrapping_sub(*c) ^ c.rotate_left(shift.0);
        *c = c.wrapping_add(*b);
        *b = b.wrapping_sub(*a) ^ a.rotate_left(shift.1);
        *a = a.wrapping_add(*c);
        *c = c.wrapping_sub(*b) ^ b.rotate_left(shift.2);
        *b = b.wrapping_add(*a);
    }
}

/// The hash, and 64 bits of it.
fn end([mut a, mut b, mut c]: Words) -> (u32, u64) {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    (c, u64::from(b) << 32 | u64::from(c))
}

/// Of bytes.
fn of_bytes(bytes: &[u8], seed: u64) -> Result<(u32, u64), crate::error::SqlError> {
    let word = |b: &[u8]| b.iter().rev().fold(0_u32, |w, b| w << 8 | u32::from(*b));
    let mut words = begin(bytes.len(), seed);
    let (whole, rest) = bytes.as_chunks::<12>();
    let mut pace = Pace::default();
    for chunk in whole {
        pace.bytes(chunk.len())?;
        for (w, part) in words.iter_mut().zip(chunk.chunks(4)) {
            *w = w.wrapping_add(word(part));
        }
        mix(&mut words);
    }
    for (n, part) in rest.chunks(4).enumerate() {
        // The third word's lowest byte is the length's.
        let part = if n == 2 { word(part) << 8 } else { word(part) };
        words[n] = words[n].wrapping_add(part);
    }
    Ok(end(words))
}

/// Of a word.
fn of_word(word: u32, seed: u64) -> (u32, u64) {
    let mut words = begin(4, seed);
    words[0] = words[0].wrapping_add(word);
    end(words)
}

/// Of a double: both zeros are one, and all that is not a number.
fn of_float(v: f64, seed: u64) -> Result<(u32, u64), crate::error::SqlError> {
    match v {
        0.0 => Ok((0, seed)),
        v if v.is_nan() => of_bytes(&f64::NAN.to_le_bytes(), seed),
        v => of_bytes(&v.to_le_bytes(), seed),
    }
}

fn hashed(d: &Datum, seed: u64) -> Result<(u32, u64), crate::error::SqlError> {
    Ok(match d {
        Datum::Int2(v) => of_word(i32::from(*v) as u32, seed),
        Datum::Int4(v) => of_word(*v as u32, seed),
        // So that it hashes as a smaller one of the same value.
        Datum::Int8(v) | Datum::Time(v) => long(*v, seed),
        Datum::Timestamp(v) | Datum::Timestamptz(v) => long(*v, seed),
        Datum::Date(v) => of_word(*v as u32, seed),
        Datum::Oid(v) => of_word(*v, seed),
        Datum::Bool(v) => of_word(u32::from(*v), seed),
        Datum::Float4(v) => of_float(f64::from(*v), seed)?,
        Datum::Float8(v) => of_float(*v, seed)?,
        Datum::Uuid(v) => of_bytes(v, seed)?,
        Datum::Bytes(_) => of_bytes(bytes_arg(std::slice::from_ref(d), 0), seed)?,
        Datum::Bpchar(s) => of_bytes(s.trim_end_matches(' ').as_bytes(), seed)?,
        d => of_bytes(str_arg(std::slice::from_ref(d), 0).as_bytes(), seed)?,
    })
}

fn long(v: i64, seed: u64) -> (u32, u64) {
    let high = (v >> 32) as u32;
    of_word(v as u32 ^ if v >= 0 { high } else { !high }, seed)
}

fn hash(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(hashed(&a[0], 0)?.0 as i32))
}

fn hash_extended(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let seed = if let Datum::Int8(seed) = &a[1] { *seed as u64 } else { 0 };
    Ok(Datum::Int8(hashed(&a[0], seed)?.1 as i64))
}

macro_rules! functions {
    ($($name:literal $extended:literal $ty:ident;)*) => {
        pub(super) static TABLE: &[ScalarFn] = &[$(
            f($name, &[T::$ty], T::Int4, hash),
            f($extended, &[T::$ty, T::Int8], T::Int8, hash_extended),
        )*];
    };
}

functions! {
    "hashtext" "hashtextextended" Text;
    "hashname" "hashnameextended" Name;
    "hashbpchar" "hashbpcharextended" Bpchar;
    "hashbytea" "hashbyteaextended" Bytea;
    "hashint2" "hashint2extended" Int2;
    "hashint4" "hashint4extended" Int4;
    "hashint8" "hashint8extended" Int8;
    "hashoid" "hashoidextended" Oid;
    "hashbool" "hashboolextended" Bool;
    "hashdate" "hashdateextended" Date;
    "hashfloat4" "hashfloat4extended" Float4;
    "hashfloat8" "hashfloat8extended" Float8;
    "uuid_hash" "uuid_hash_extended" Uuid;
    "time_hash" "time_hash_extended" Time;
    "timestamp_hash" "timestamp_hash_extended" Timestamp;
    "timestamptz_hash" "timestamptz_hash_extended" Timestamptz;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that PostgreSQL 18 gave.
    #[test]
    fn the_numbers_are_postgresqls() {
        let text = |s: &str, seed| of_bytes(s.as_bytes(), seed).unwrap();
        assert_eq!(text("b", 0).0 as i32, -68_821_088);
        assert_eq!(of_word(1, 0).0 as i32, -1_905_060_026);
    }
}
