//! Sorting in memory. With LIMIT only the best rows are kept.
//!
//! Must not know: where rows come from.

use super::eval::eval;
use super::node::{self, State, count};
use super::{Cx, Row, row_bytes};
use crate::plan::{Sort, SortKey};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::admit;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::{Datum, compare};
use std::cmp::Ordering;

/// State of a sort.
pub struct SortState {
    input: State,
    rows: Option<Large<Vec<(Row, Row)>>>,
    at: usize,
    bytes: usize,
}

impl SortState {
    /// Over an input.
    pub fn new(input: State) -> SortState {
        SortState { input, rows: None, at: 0, bytes: 0 }
    }
}

/// Begins again.
pub fn reset(sort: &Sort, st: &mut SortState, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    st.rows = None;
    st.at = 0;
    cx.run.memory.shrink(std::mem::take(&mut st.bytes));
    node::reset(&sort.input, &mut st.input, cx)
}

/// The order of two key rows.
pub fn compare_keys(keys: &[SortKey], a: &[Datum], b: &[Datum]) -> Ordering {
    for ((k, a), b) in keys.iter().zip(a).zip(b) {
        let o = match (a.is_null(), b.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if k.nulls_first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, true) => {
                if k.nulls_first {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (false, false) => {
                let o = compare(a, b);
                if k.desc { o.reverse() } else { o }
            }
        };
        if o.is_ne() {
            return o;
        }
    }
    Ordering::Equal
}

/// Comparisons between two looks whether the statement may go on.
const COMPARISONS: u32 = 512;

/// Sorts rows by their keys.
pub fn sort_rows(keys: &[SortKey], rows: &mut [(Row, Row)]) -> Result<(), SqlError> {
    // The sort takes room for half of them.
    admit(size_of_val(rows) / 2)?;
    let watch = Watch::of_data(COMPARISONS);
    watch.run(|| {
        rows.sort_by(|a, b| {
            watch.look();
            compare_keys(keys, &a.0, &b.0)
        });
    })
}

fn fill(sort: &Sort, st: &mut SortState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let top = match &sort.top {
        Some((limit, offset)) => {
            let n = count(limit.as_ref(), "LIMIT", cx)?;
            let skip = count(offset.as_ref(), "OFFSET", cx)?.unwrap_or(0);
            n.and_then(|n| usize::try_from(n.saturating_add(skip)).ok())
        }
        None => None,
    };
    let mut rows: Large<Vec<(Row, Row)>> = Large::default();
    while node::next(&sort.input, &mut st.input, row, cx)? {
        let key = sort.keys.iter().map(|k| eval(&k.expr, row, cx)).collect::<Result<Row, _>>()?;
        let kept: Row = match &sort.live {
            Some(live) => live.iter().map(|n| row[*n].clone()).collect(),
            None => row[..sort.width].into(),
        };
        let bytes = row_bytes(&key) + row_bytes(&kept) + 32;
        cx.run.memory.grow(bytes)?;
        st.bytes += bytes;
        make_room(&mut rows, 1)?;
        rows.push((key, kept));
        if let Some(top) = top
            && rows.len() >= top.saturating_mul(2).saturating_add(1024)
        {
            sort_rows(&sort.keys, &mut rows)?;
            for (k, r) in rows.drain(top..) {
                let bytes = row_bytes(&k) + row_bytes(&r) + 32;
                st.bytes -= bytes;
                cx.run.memory.shrink(bytes);
            }
        }
    }
    sort_rows(&sort.keys, &mut rows)?;
    st.rows = Some(rows);
    Ok(())
}

/// The next row in order.
pub fn next(sort: &Sort, st: &mut SortState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    if st.rows.is_none() {
        fill(sort, st, row, cx)?;
    }
    let Some((_, kept)) = st.rows.as_ref().and_then(|r| r.get(st.at)) else { return Ok(false) };
    st.at += 1;
    match &sort.live {
        Some(live) => live.iter().zip(kept).for_each(|(n, d)| row[*n] = d.clone()),
        None => row[..sort.width].clone_from_slice(kept),
    }
    Ok(true)
}
