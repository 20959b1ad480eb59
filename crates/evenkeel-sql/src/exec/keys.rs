//! Keys of index entries.
//!
//! | part | content |
//! | --- | --- |
//! | columns | `encode_key` of each index column, in order: byte order is the index's order, and no key is a prefix of another's column |
//! | suffix | the row id, unless the index is unique and no column is NULL (or NULLs are not distinct) |
//! | value | the row id |
//!
//! Must not know: when entries are written.

use crate::catalog::Index;
use evenkeel_types::{Datum, Type, encode_key, encode_rowid};

/// Appends the key of a row's entry. `true`: the key is unique by itself, and meeting a live entry is a violation.
pub fn entry_key(index: &Index, types: &[Type], row: &[Datum], row_id: u64, out: &mut Vec<u8>) -> bool {
    let mut null = false;
    for c in &index.columns {
        null |= row[c.column].is_null();
        encode_key(&row[c.column], types[c.column], c.desc, c.nulls_first, out);
    }
    let unique = index.unique && (!null || index.nulls_not_distinct);
    if !unique {
        encode_rowid(row_id, out);
    }
    unique
}

/// The smallest key that does not begin with `prefix`, if there is one.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.last_mut() {
        if *last == u8::MAX {
            end.pop();
        } else {
            *last += 1;
            return Some(end);
        }
    }
    None
}

/// A value as an index column of another integer width sees it.
pub enum KeyValue {
    /// It can be a value of the column.
    Exact(Datum),
    /// NULL: nothing equals it.
    Null,
    /// Less than every value of the column.
    Below,
    /// Greater than every value of the column.
    Above,
}

/// Converts a key value to the column's type: only integer widths may differ.
pub fn key_value(d: Datum, ty: Type) -> KeyValue {
    let (min, max) = match (&d, ty) {
        (Datum::Null, _) => return KeyValue::Null,
        (Datum::Int4(_) | Datum::Int8(_), Type::Int2) => (i64::from(i16::MIN), i64::from(i16::MAX)),
        (Datum::Int2(_) | Datum::Int8(_), Type::Int4) => (i64::from(i32::MIN), i64::from(i32::MAX)),
        (Datum::Int2(_) | Datum::Int4(_), Type::Int8) => (i64::MIN, i64::MAX),
        _ => return KeyValue::Exact(d),
    };
    match d.as_i64() {
        None => KeyValue::Null,
        Some(v) if v < min => KeyValue::Below,
        Some(v) if v > max => KeyValue::Above,
        Some(v) => KeyValue::Exact(match ty {
            Type::Int2 => Datum::Int2(v as i16),
            Type::Int4 => Datum::Int4(v as i32),
            _ => Datum::Int8(v),
        }),
    }
}
