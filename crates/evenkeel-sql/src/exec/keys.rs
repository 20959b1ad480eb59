//! Keys of index entries.
//!
//! | part | content |
//! | --- | --- |
//! | columns | `encode_key` of each index column, or of its sort key if its collation is not bytewise, in order: byte order is the index's order, and no key is a prefix of another's column |
//! | suffix | the row id, unless the index is unique and no column is NULL (or NULLs are not distinct) |
//! | value | the row id, and behind it the INCLUDE columns, as a stored row |
//!
//! An inverted index (GIN) has several entries of a row: see `inverted`.
//!
//! A row of which the index's predicate is not true has no entry, and none has one in an index that is not used.
//!
//! Must not know: when entries are written.

use super::Cx;
use super::eval::{eval, holds};
use super::inverted::column_prefix;
use crate::catalog::{EXPRESSION, Index, IndexColumn, IndexState};
use crate::plan::form::IndexForm;
use evenkeel_types::cast::{
    date_to_timestamp, date_to_timestamptz, timestamp_to_date, timestamp_to_timestamptz,
    timestamptz_to_timestamp,
};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, FormatOptions, Type, encode_key, encode_row, encode_rowid};

/// Most bytes of INCLUDE columns in an entry.
const INCLUDED_BYTES_MAX: usize = 8000;

/// The entries of one row in one index.
#[derive(Default, Debug)]
pub struct RowEntries {
    keys: Vec<u8>,
    ends: Vec<usize>,
    /// What all of them lead to.
    pub value: Vec<u8>,
    /// Their keys are unique by themselves: meeting a live entry is a violation.
    pub is_unique: bool,
}

impl RowEntries {
    /// Their keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|n| self.key(n))
    }

    fn key(&self, n: usize) -> &[u8] {
        let from = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.keys[from..self.ends[n]]
    }

    /// The key of the entry of an index that has one of a row at most.
    pub fn only(&self) -> Option<&[u8]> {
        (!self.ends.is_empty()).then(|| self.key(0))
    }

    /// Whether there is an entry with a key.
    pub fn has(&self, key: &[u8]) -> bool {
        self.keys().any(|k| k == key)
    }

    /// Whether the same entries are there, leading to the same.
    pub fn is_same(&self, other: &RowEntries) -> bool {
        self.ends == other.ends && self.keys == other.keys && self.value == other.value
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.ends.clear();
        self.value.clear();
        self.is_unique = false;
    }

    /// Finds the entries that a new row, or a new version of one, is to have.
    pub fn find_new(
        &mut self,
        index: &Index,
        form: Option<&IndexForm>,
        types: &[Type],
        row: &[Datum],
        row_id: u64,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        if index.takes_entries() {
            return self.find(index, form, types, row, row_id, cx);
        }
        self.clear();
        Ok(())
    }

    /// Finds the entries of a row.
    pub fn find(
        &mut self,
        index: &Index,
        form: Option<&IndexForm>,
        types: &[Type],
        row: &[Datum],
        row_id: u64,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        self.clear();
        if index.state == IndexState::Unused {
            return Ok(());
        }
        if let Some(condition) = form.and_then(|f| f.predicate.as_ref())
            && !holds(condition, row, cx)?
        {
            return Ok(());
        }
        encode_rowid(row_id, &mut self.value);
        if index.extra.method.is_inverted() {
            return self.find_inverted(index, form, types, row, cx);
        }
        let mut has_null = false;
        let mut expressions = form.iter().flat_map(|f| f.expressions.iter());
        for (n, c) in index.columns.iter().enumerate() {
            if c.column == EXPRESSION {
                let Some(e) = expressions.next() else { return Err(unbound(index)) };
                let value = eval(e, row, cx)?;
                has_null |= value.is_null();
                encode_column(c, &value, index.key_type(types, n), &mut self.keys);
            } else {
                has_null |= row[c.column].is_null();
                encode_column(c, &row[c.column], types[c.column], &mut self.keys);
            }
        }
        self.is_unique = index.unique && (!has_null || index.nulls_not_distinct);
        if !self.is_unique {
            self.keys.extend_from_slice(&self.value);
        }
        self.ends.push(self.keys.len());
        let include = &index.extra.include;
        if !include.is_empty() {
            let values: Vec<Datum> = include.iter().map(|c| row[*c].clone()).collect();
            let types: Vec<Type> = include.iter().map(|c| types[*c]).collect();
            encode_row(&values, &types, &mut self.value);
            if self.value.len() > INCLUDED_BYTES_MAX {
                return Err(too_long(self.value.len(), INCLUDED_BYTES_MAX, index));
            }
        }
        Ok(())
    }
}

impl RowEntries {
    /// Those of an inverted index: each key is the column's number, a key of what is in its value, and the row id.
    fn find_inverted(
        &mut self,
        index: &Index,
        form: Option<&IndexForm>,
        types: &[Type],
        row: &[Datum],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        self.is_unique = false;
        for (n, value) in key_values(index, form, row, cx)?.iter().enumerate() {
            let Some(class) = index.inverted(types, n) else { return Err(unbound(index)) };
            for key in class.keys(value) {
                self.keys.push(column_prefix(n));
                self.keys.extend_from_slice(&key);
                self.keys.extend_from_slice(&self.value);
                self.ends.push(self.keys.len());
            }
        }
        Ok(())
    }
}

fn unbound(index: &Index) -> SqlError {
    SqlError::internal(format!("the expressions of index \"{}\" are not bound", index.name))
}

/// An entry is too long for an index.
pub fn too_long(len: usize, max: usize, index: &Index) -> SqlError {
    SqlError::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        format!("index row size {len} exceeds maximum {max} for index \"{}\"", index.name),
    )
}

/// The values of an index's columns, of one row.
pub fn key_values(
    index: &Index,
    form: Option<&IndexForm>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Vec<Datum>, SqlError> {
    let mut expressions = form.iter().flat_map(|f| f.expressions.iter());
    let value = |c: &IndexColumn| match c.column {
        EXPRESSION => match expressions.next() {
            Some(e) => eval(e, row, cx),
            None => Err(unbound(index)),
        },
        column => Ok(row[column].clone()),
    };
    index.columns.iter().map(value).collect()
}

/// The row id at the front of an entry's value.
#[inline]
pub fn row_id_of(value: &[u8]) -> &[u8] {
    let len = value.first().map_or(0, |b| b.leading_ones() as usize + 1);
    value.get(..len).unwrap_or(value)
}

/// Appends the key of a column's value. Where that is ordered by a collation that is not bytewise, `d` may be its sort key already.
#[inline]
pub fn encode_column(c: &IndexColumn, d: &Datum, ty: Type, out: &mut Vec<u8>) {
    if c.collation.is_bytewise() || matches!(d, Datum::Bytes(_)) {
        let ty = if c.collation.is_bytewise() { ty } else { Type::Bytea };
        return encode_key(d, ty, c.desc, c.nulls_first, out);
    }
    let key = c.collation.sort_key(d.clone());
    encode_key(&key, key.natural_type(), c.desc, c.nulls_first, out);
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

/// A value as an index column of another type sees it.
pub enum KeyValue {
    /// It can be a value of the column.
    Exact(Datum),
    /// A day or a moment beside a column of another type of these: see [`key_of_time`].
    OfTime(Datum),
    /// A bound that lets no less pass than the value does, which is none of the column.
    Near(Datum),
    /// NULL: nothing equals it.
    Null,
    /// Less than every value of the column.
    Below,
    /// Greater than every value of the column.
    Above,
}

/// Converts a key value to the column's type: integer widths may differ, and days and moments.
pub fn key_value(d: Datum, ty: Type) -> KeyValue {
    let (min, max) = match (&d, ty) {
        (Datum::Null, _) => return KeyValue::Null,
        (Datum::Int4(_) | Datum::Int8(_), Type::Int2) => (i64::from(i16::MIN), i64::from(i16::MAX)),
        (Datum::Int2(_) | Datum::Int8(_), Type::Int4) => (i64::from(i32::MIN), i64::from(i32::MAX)),
        (Datum::Int2(_) | Datum::Int4(_), Type::Int8) => (i64::MIN, i64::MAX),
        (Datum::Date(_), Type::Timestamp | Type::Timestamptz)
        | (Datum::Timestamp(_), Type::Date | Type::Timestamptz)
        | (Datum::Timestamptz(_), Type::Date | Type::Timestamp) => return KeyValue::OfTime(d),
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

const DAY_US: i64 = 86_400_000_000;

/// A day or a moment as a key of a column of another type of these, as a lower or an upper bound, or as what is to be equal. The two are compared as PostgreSQL's
/// operators of two types do: what leaves the column's range is beyond all of its values but infinity, and clocks of a place are put back, so that of two
/// moments in order the local times may be in the other one, within a day.
pub fn key_of_time(d: Datum, ty: Type, is_low: Option<bool>, format: &FormatOptions) -> KeyValue {
    use KeyValue::{Exact, Near};
    let back_us = if is_low == Some(true) { -DAY_US } else { DAY_US };
    let far = |is_late: bool, of: fn(i64) -> Datum| Near(of(if is_late { i64::MAX } else { i64::MIN }));
    match (&d, ty) {
        (Datum::Date(v), Type::Timestamp) => date_to_timestamp(*v)
            .map_or_else(|_| far(*v > 0, Datum::Timestamp), |us| Exact(Datum::Timestamp(us))),
        (Datum::Date(v), Type::Timestamptz) => date_to_timestamptz(*v, format)
            .map_or_else(|_| far(*v > 0, Datum::Timestamptz), |us| Exact(Datum::Timestamptz(us))),
        (Datum::Timestamp(v), Type::Timestamptz) => timestamp_to_timestamptz(*v, format)
            .map_or_else(|_| far(*v > 0, Datum::Timestamptz), |us| Exact(Datum::Timestamptz(us))),
        (Datum::Timestamp(v), Type::Date) => match timestamp_to_date(*v) {
            Ok(day) if date_to_timestamp(day).ok() == Some(*v) => Exact(Datum::Date(day)),
            Ok(day) => Near(Datum::Date(day)),
            Err(_) => Exact(d),
        },
        (Datum::Timestamptz(i64::MAX), Type::Date) => Exact(Datum::Date(i32::MAX)),
        (Datum::Timestamptz(i64::MIN), Type::Date) => Exact(Datum::Date(i32::MIN)),
        (Datum::Timestamptz(v), Type::Date | Type::Timestamp) => {
            let local = timestamptz_to_timestamp(*v, format).map(|us| us.saturating_add(back_us));
            match (local, ty) {
                (Ok(us), Type::Timestamp) => Near(Datum::Timestamp(us)),
                (Ok(us), _) => Near(Datum::Date(us.div_euclid(DAY_US) as i32)),
                (Err(_), Type::Timestamp) => far(*v > 0, Datum::Timestamp),
                (Err(_), _) => Near(Datum::Date(if *v > 0 { i32::MAX } else { i32::MIN })),
            }
        }
        _ => Exact(d),
    }
}
