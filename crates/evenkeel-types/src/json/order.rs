//! Order, hashes and keys of encoded values.
//!
//! Null comes before strings, numbers, booleans, arrays and objects; longer arrays and objects come behind shorter ones, whatever is in them. The one exception is
//! PostgreSQL's: an empty array that is in nothing comes before everything.
//!
//! Invariants:
//! 1. memcmp of two keys is the order of their values.
//! 2. Values that compare equal hash alike.
//!
//! Must not know: descending keys, NULL.

use super::binary::{Jsonb, Kind};
use super::{MAX_DEPTH, deeper};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Parts of a key: what a value is.
const EMPTY_ARRAY: u8 = 0;
const NULL: u8 = 1;
const STRING: u8 = 2;
const NUMBER: u8 = 3;
const BOOL: u8 = 4;
const ARRAY: u8 = 5;
const OBJECT: u8 = 6;

fn rank(kind: &Kind<'_>) -> u8 {
    match kind {
        Kind::Null => NULL,
        Kind::Str(_) => STRING,
        Kind::Number(_) => NUMBER,
        Kind::Bool(_) => BOOL,
        Kind::Array(_) => ARRAY,
        Kind::Object(_) => OBJECT,
    }
}

fn is_empty_array(kind: &Kind<'_>) -> bool {
    matches!(kind, Kind::Array(items) if items.is_empty())
}

/// The order of two values.
pub fn compare(a: Jsonb<'_>, b: Jsonb<'_>) -> Ordering {
    let (a, b) = (a.kind(), b.kind());
    match (is_empty_array(&a), is_empty_array(&b)) {
        (false, false) => compare_kinds(&a, &b, 0),
        (x, y) => y.cmp(&x),
    }
}

fn compare_within(a: Jsonb<'_>, b: Jsonb<'_>, depth: usize) -> Ordering {
    if depth > MAX_DEPTH {
        return Ordering::Equal;
    }
    deeper(|| compare_kinds(&a.kind(), &b.kind(), depth))
}

fn compare_kinds(a: &Kind<'_>, b: &Kind<'_>, depth: usize) -> Ordering {
    match (a, b) {
        (Kind::Str(a), Kind::Str(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Kind::Number(a), Kind::Number(b)) => a.cmp(b),
        (Kind::Bool(a), Kind::Bool(b)) => a.cmp(b),
        (Kind::Array(a), Kind::Array(b)) => a.len().cmp(&b.len()).then_with(|| {
            let differ = |(a, b)| Some(compare_within(a, b, depth + 1)).filter(|o| o.is_ne());
            a.iter().zip(b.iter()).find_map(differ).unwrap_or(Ordering::Equal)
        }),
        (Kind::Object(a), Kind::Object(b)) => a.len().cmp(&b.len()).then_with(|| {
            for ((a_key, a), (b_key, b)) in a.iter().zip(b.iter()) {
                let order = a_key.as_bytes().cmp(b_key.as_bytes());
                let order = order.then_with(|| compare_within(a, b, depth + 1));
                if order.is_ne() {
                    return order;
                }
            }
            Ordering::Equal
        }),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

/// Feeds a value to a hasher. (2)
pub fn hash(value: Jsonb<'_>, state: &mut impl Hasher) {
    hash_within(value, state, 0);
}

fn hash_within(value: Jsonb<'_>, state: &mut impl Hasher, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let kind = value.kind();
    state.write_u8(rank(&kind));
    match kind {
        Kind::Null => {}
        Kind::Bool(b) => b.hash(state),
        Kind::Number(n) => n.hash(state),
        Kind::Str(s) => s.hash(state),
        Kind::Array(items) => items.iter().for_each(|v| deeper(|| hash_within(v, state, depth + 1))),
        Kind::Object(pairs) => pairs.iter().for_each(|(key, v)| {
            key.hash(state);
            deeper(|| hash_within(v, state, depth + 1));
        }),
    }
}

/// Appends the key of a value. (1) Strings and numbers are put there as keys of theirs are.
pub fn write_key(
    value: Jsonb<'_>,
    string: fn(&[u8], &mut Vec<u8>),
    number: fn(&crate::Numeric, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    if is_empty_array(&value.kind()) {
        return out.push(EMPTY_ARRAY);
    }
    key_within(value, string, number, out, 0);
}

fn key_within(
    value: Jsonb<'_>,
    string: fn(&[u8], &mut Vec<u8>),
    number: fn(&crate::Numeric, &mut Vec<u8>),
    out: &mut Vec<u8>,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    let kind = value.kind();
    out.push(rank(&kind));
    match kind {
        Kind::Null => {}
        Kind::Bool(b) => out.push(u8::from(b)),
        Kind::Number(n) => number(&n, out),
        Kind::Str(s) => string(s.as_bytes(), out),
        Kind::Array(items) => {
            out.extend_from_slice(&(items.len() as u32).to_be_bytes());
            items.iter().for_each(|v| deeper(|| key_within(v, string, number, out, depth + 1)));
        }
        Kind::Object(pairs) => {
            out.extend_from_slice(&(pairs.len() as u32).to_be_bytes());
            pairs.iter().for_each(|(key, v)| {
                string(key.as_bytes(), out);
                deeper(|| key_within(v, string, number, out, depth + 1));
            });
        }
    }
}
