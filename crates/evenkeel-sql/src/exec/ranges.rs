//! The ranges of an index that a scan visits: keys, lists, each value that a column has, bounds.
//!
//! Invariants:
//! 1. Ranges of one scan come in the index's order, and do not overlap.
//!
//! Must not know: how rows are read, and what for.

use super::Cx;
use super::eval::eval;
use super::keys::{KeyValue, after_prefix, encode_column, key_of_time, key_value};
use crate::catalog::{Index, IndexColumn};
use crate::plan::{Bounds, KeyList, KeyPart, Ranges};
use evenkeel::{Direction, KeyRange};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::{Datum, Type, pass_key};

/// Appends the encoded values of leading index columns; false: no entry can match.
pub(super) fn leading(
    index: &Index,
    keys: &[KeyPart],
    from: usize,
    row: &[Datum],
    cx: &mut Cx<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, SqlError> {
    for (n, part) in keys.iter().enumerate().skip(from) {
        let column = index.columns[n];
        match key_value(eval(&part.expr, row, cx)?, part.ty) {
            KeyValue::Exact(d) => encode_column(&column, &d, part.ty, out),
            KeyValue::OfTime(d) => match key_of_time(d, part.ty, None, cx.eval.format) {
                KeyValue::Exact(d) => encode_column(&column, &d, part.ty, out),
                _ => return Ok(false),
            },
            KeyValue::Null if part.is_null => encode_column(&column, &Datum::Null, part.ty, out),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The end of a range that begins with `prefix`.
fn end_of(prefix: &[u8]) -> std::ops::Bound<Vec<u8>> {
    after_prefix(prefix).map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded)
}

/// The key range of some leading values with bounds on what follows them; None: empty.
pub(super) fn range_of(
    index: &Index,
    keys: &[KeyPart],
    bounds: Option<&Bounds>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Option<KeyRange>, SqlError> {
    let mut prefix = Vec::new();
    if !leading(index, keys, 0, row, cx, &mut prefix)? {
        return Ok(None);
    }
    match bounds {
        None => Ok(Some(KeyRange::prefix(&prefix))),
        Some(bounds) => within(index, prefix, keys.len(), bounds, row, cx),
    }
}

/// The range of the keys that begin as the first `fixed` columns are, with bounds on what follows them; None: empty.
fn within(
    index: &Index,
    prefix: Vec<u8>,
    fixed: usize,
    b: &Bounds,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Option<KeyRange>, SqlError> {
    use std::ops::Bound::{Excluded, Included};
    let mut range = KeyRange { start: Included(prefix.clone()), end: end_of(&prefix) };
    let first = index.columns[fixed];
    let (mut has_start, mut has_end) = (false, false);
    for (bound, is_low) in b.low.iter().map(|b| (b, true)).chain(b.high.iter().map(|b| (b, false))) {
        let mut key = prefix.clone();
        let mut inclusive = bound.inclusive;
        for (n, part) in bound.parts.iter().enumerate() {
            let column = index.columns[fixed + n];
            let value = match key_value(eval(&part.expr, row, cx)?, part.ty) {
                KeyValue::OfTime(d) => key_of_time(d, part.ty, Some(is_low), cx.eval.format),
                other => other,
            };
            match value {
                KeyValue::Exact(d) => encode_column(&column, &d, part.ty, &mut key),
                KeyValue::Null if n == 0 => return Ok(None),
                KeyValue::Below if n == 0 && !is_low => return Ok(None),
                KeyValue::Above if n == 0 && is_low => return Ok(None),
                KeyValue::Near(d) => {
                    encode_column(&column, &d, part.ty, &mut key);
                    inclusive = true;
                    break;
                }
                // The values so far decide, or nothing does; the filter looks at the rest.
                _ => {
                    inclusive = true;
                    break;
                }
            }
        }
        if key.len() == prefix.len() {
            continue;
        }
        // A descending column stores large values first.
        if is_low != first.desc {
            has_start = true;
            let start = match inclusive {
                true => Some(key),
                false => after_prefix(&key),
            };
            let Some(start) = start else { return Ok(None) };
            if !matches!(&range.start, Included(before) if *before >= start) {
                range.start = Included(start);
            }
        } else {
            has_end = true;
            let end = if inclusive { after_prefix(&key) } else { Some(key) };
            let is_nearer = |end: &Vec<u8>| !matches!(&range.end, Excluded(before) if before <= end);
            if let Some(end) = end.filter(is_nearer) {
                range.end = Excluded(end);
            }
        }
    }
    // What is NULL is within no bounds.
    if !(if first.nulls_first { has_start } else { has_end }) {
        let mut null = prefix;
        encode_column(&first, &Datum::Null, Type::Unknown, &mut null);
        match first.nulls_first {
            true => match after_prefix(&null) {
                Some(start) => range.start = Included(start),
                None => return Ok(None),
            },
            false => range.end = Excluded(null),
        }
    }
    Ok(Some(range))
}

/// What the keys begin with that are visited, before bounds: in the index's order, each once (invariant 1). What they take is counted, and added to `held`.
pub(super) fn prefixes(
    ranges: &Ranges,
    row: &[Datum],
    held: &mut usize,
    cx: &mut Cx<'_>,
) -> Result<Vec<Vec<u8>>, SqlError> {
    let Ranges { index, keys, lists, .. } = ranges;
    let (mut found, mut from) = (vec![Vec::new()], 0);
    for (at, list) in lists {
        let mut head = Vec::new();
        if !leading(index, &keys[..*at], from, row, cx, &mut head)? {
            return Ok(Vec::new());
        }
        let values = match list {
            KeyList::Each(_) => Vec::new(),
            list => keys_of(list, keys[*at].ty, index.columns[*at], row, cx)?,
        };
        let mut longer = Found { keys: Vec::new(), held };
        for prefix in &found {
            let prefix = [&prefix[..], &head].concat();
            if let KeyList::Each(bounds) = list {
                each_value((index, *at), (keys[*at].ty, bounds.as_ref()), prefix, row, cx, &mut longer)?;
                continue;
            }
            for value in &values {
                longer.add([&prefix[..], value].concat(), cx)?;
            }
        }
        (found, from) = (longer.keys, at + 1);
    }
    let mut rest = Vec::new();
    if !leading(index, keys, from, row, cx, &mut rest)? {
        return Ok(Vec::new());
    }
    found.iter_mut().for_each(|p| p.extend_from_slice(&rest));
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The range of what begins as it is said, within the bounds; None: empty.
pub(super) fn below(
    ranges: &Ranges,
    prefix: Vec<u8>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Option<KeyRange>, SqlError> {
    match &ranges.bounds {
        Some(bounds) => within(&ranges.index, prefix, ranges.keys.len(), bounds, row, cx),
        None => Ok(Some(KeyRange::prefix(&prefix))),
    }
}

/// What lies in any of several ranges of one index, in its order (invariant 1).
pub(super) fn union(
    branches: &[Ranges],
    row: &[Datum],
    held: &mut usize,
    cx: &mut Cx<'_>,
) -> Result<Vec<KeyRange>, SqlError> {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    // None: to the end.
    let mut all: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
    for b in branches {
        for prefix in prefixes(b, row, held, cx)? {
            let Some(KeyRange { start, end }) = below(b, prefix, row, cx)? else { continue };
            let (Included(start) | Excluded(start)) = start else {
                return Ok(vec![KeyRange::all()]);
            };
            let end = match end {
                Excluded(end) | Included(end) => Some(end),
                Unbounded => None,
            };
            make_room(&mut all, 1)?;
            all.push((start, end));
        }
    }
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let mut found: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::with_capacity(all.len());
    for (start, end) in all {
        let Some((_, last)) = found.last_mut().filter(|(_, e)| e.as_ref().is_none_or(|e| *e >= start)) else {
            found.push((start, end));
            continue;
        };
        if last.is_some() && (end.is_none() || end > *last) {
            *last = end;
        }
    }
    let range = |(start, end): (_, Option<_>)| KeyRange {
        start: Included(start),
        end: end.map_or(Unbounded, Excluded),
    };
    Ok(found.into_iter().map(range).collect())
}

/// Keys that were found, and what they take of the statement's memory.
struct Found<'h> {
    keys: Vec<Vec<u8>>,
    held: &'h mut usize,
}

impl Found<'_> {
    fn add(&mut self, key: Vec<u8>, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let bytes = key.len() + 24;
        cx.run.memory.grow(bytes)?;
        *self.held += bytes;
        make_room(&mut self.keys, 1)?;
        self.keys.push(key);
        Ok(())
    }
}

/// The values of a list, as a column of an index has them.
fn keys_of(
    list: &KeyList,
    ty: Type,
    column: IndexColumn,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Vec<Vec<u8>>, SqlError> {
    let values = match list {
        KeyList::Exprs(list) => list.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?,
        KeyList::Array(e) => match eval(e, row, cx)?.as_array() {
            Some(a) => a.values.to_vec(),
            None => Vec::new(),
        },
        KeyList::Each(_) => unreachable!("they are read of the index"),
    };
    let mut keys = Vec::with_capacity(values.len());
    for value in values {
        let KeyValue::Exact(d) = key_value(value, ty) else { continue };
        let mut key = Vec::new();
        encode_column(&column, &d, ty, &mut key);
        keys.push(key);
    }
    Ok(keys)
}

/// The beginnings of keys, each once, that have a column more than `prefix`: one look-up finds the next.
fn each_value(
    (index, at): (&Index, usize),
    (ty, bounds): (Type, Option<&Bounds>),
    prefix: Vec<u8>,
    row: &[Datum],
    cx: &mut Cx<'_>,
    found: &mut Found<'_>,
) -> Result<(), SqlError> {
    use std::ops::Bound::Included;
    let fixed = prefix.len();
    let mut range = match bounds {
        Some(bounds) => within(index, prefix, at, bounds, row, cx)?,
        None => Some(KeyRange::prefix(&prefix)),
    };
    while let Some(rest) = range.take() {
        cx.check_interrupt()?;
        cx.run.tell(|did| did.searches += 1);
        let mut cursor = cx.txn.cursor(index.tree, rest.clone(), Direction::Forward)?;
        let Some((key, _)) = cursor.next(cx.txn)? else { return Ok(()) };
        let mut behind = key.get(fixed..).unwrap_or_default();
        pass_key(ty, index.columns[at].desc, &mut behind)?;
        let value = key[..key.len() - behind.len()].to_vec();
        range = after_prefix(&value).map(|next| KeyRange { start: Included(next), end: rest.end });
        found.add(value, cx)?;
    }
    Ok(())
}
