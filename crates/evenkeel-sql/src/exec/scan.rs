//! Reading a table: in full, by key, or through a range of an index.
//!
//! Invariants:
//! 1. Index entries and rows are versions of one snapshot: an entry that is visible has its row, and its key the row's values. One that has not is corruption.
//!    So an index that has all that is asked for answers alone.
//! 2. Key values may read places of the buffer that other relations filled before (index joins).
//!
//! Must not know: plans above the scan.

use super::Cx;
use super::eval::holds;
use super::keys::row_id_of;
use super::neighbors::Neighbors;
use super::ranges::{below, leading, prefixes, range_of, union};
use super::sample::Drawing;
use crate::catalog::uses::{Pages, Used};
use crate::catalog::{Index, TableShared};
use crate::plan::{Access, FromKey, Method, Scan};
use evenkeel::{Cursor, Direction, KeyRange};
use evenkeel_types::collation::text_of;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::make_room;
use evenkeel_types::row_test::RowTest;
use evenkeel_types::{Datum, Type, decode_key, decode_row, decode_rowid, encode_rowid, pass_key};
use std::borrow::Cow;
use std::sync::Arc;

/// Where a scan stands.
#[derive(Default)]
pub struct ScanState {
    stage: Stage,
    cursor: Option<Cursor>,
    /// Keys still to visit (IN lists), or ids of rows (OR), last first.
    prefixes: Vec<Vec<u8>>,
    /// Ranges still to visit, last first.
    ranges: Vec<KeyRange>,
    /// The statement's memory that these were counted with when it began; given back when it begins again.
    prefix_bytes: usize,
    key: Vec<u8>,
    /// Rows that the cursor has found and that are still to be fetched, last first.
    ids: Vec<u64>,
    /// How many were found at a time, the last time; what they take was counted.
    batch_rows: usize,
    /// Of a sample.
    sampling: Option<Box<Sampling>>,
    /// What is asked of rows as they are stored.
    test: Option<Box<RowTest>>,
    /// What is read, until it is counted.
    reading: Option<Box<Reading>>,
}

/// What a sample is drawn by.
struct Sampling {
    /// Its own seed, which it keeps when it begins again.
    own_seed: u64,
    drawing: Drawing,
}

/// What a scan has read, however often it began; counted once, when the statement drops it.
struct Reading {
    table: Arc<TableShared>,
    index: Option<u32>,
    used: Used,
    /// Pages of the table, of a scan of an index.
    fetched_pages: Pages,
    /// How often each time it begins counts.
    scans: u64,
    /// Rows that are fetched.
    neighbors: Neighbors,
}

impl Drop for Reading {
    fn drop(&mut self) {
        let uses = &self.table.uses;
        self.index.map_or_else(|| uses.table(), |oid| uses.index(oid)).add(self.used);
        if !self.fetched_pages.is_none() {
            uses.table().add_pages(self.fetched_pages);
        }
    }
}

/// Rows that are fetched at a time, in the order of the table: at first, and how many times more the next time, as far as `work_mem` goes.
const BATCH_ROWS: usize = 65_536;
const BATCH_GROWTH: usize = 4;

#[derive(Default, PartialEq, Clone, Copy)]
enum Stage {
    #[default]
    Start,
    Reading,
    Done,
}

impl ScanState {
    /// Begins again.
    pub fn reset(&mut self) {
        self.stage = Stage::Start;
        self.cursor = None;
        self.prefixes.clear();
        self.ranges.clear();
        self.ids.clear();
    }

    fn hold(&mut self, bytes: usize, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        cx.run.memory.grow(bytes)?;
        self.prefix_bytes += bytes;
        Ok(())
    }
}

fn index_of(scan: &Scan) -> Option<&Index> {
    scan.access.index().map(|i| &**i)
}

/// Decodes a stored row into its places, if it satisfies the condition: what that does not read only then, since most of what a scan passes is not asked for, and
/// its texts would be copied for nothing.
#[inline]
fn take(
    scan: &Scan,
    stored: &[u8],
    row_id: &[u8],
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let width = scan.table.types.len();
    let own = scan.at..scan.at + width + 1;
    if scan.row_id {
        row[scan.at + width] = Datum::Int8(decode_rowid(row_id)? as i64);
    }
    if !scan.tested.is_empty() {
        scan.table.decode_columns(stored, &scan.tested, &mut row[own.clone()])?;
    }
    if !passes(scan, row, cx)? {
        return Ok(false);
    }
    if !scan.is_late && !scan.wanted.is_empty() {
        scan.table.decode_columns(stored, &scan.wanted, &mut row[own])?;
    }
    Ok(true)
}

/// Decodes what is left to whoever reads the rows of the one that was given last.
pub fn complete(scan: &Scan, st: &ScanState, row: &mut [Datum]) -> Result<(), SqlError> {
    let current = st.cursor.as_ref().filter(|_| scan.is_late).and_then(Cursor::row);
    let Some((_, stored)) = current else { return Ok(()) };
    let own = scan.at..scan.at + scan.table.types.len();
    scan.table.decode_columns(stored, &scan.wanted, &mut row[own])
}

fn dangling(scan: &Scan) -> SqlError {
    let index = match &scan.access {
        Access::Any { branches } => branches.first().map_or("", |b| &b.index.name),
        _ => index_of(scan).map_or("", |i| &i.name),
    };
    SqlError::new(
        SqlState::INDEX_CORRUPTED,
        format!("index \"{index}\" has an entry without a row in table \"{}\"", scan.table.name),
    )
}

/// Reads the row of an index entry, whose value begins with its row id; gives the pages that were looked at, and whether it satisfies the condition.
fn fetch(
    scan: &Scan,
    value: &[u8],
    reading: Option<&mut Reading>,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<(Pages, bool), SqlError> {
    let (row_id, before) = (row_id_of(value), Pages::now());
    let tree = scan.table.heap.tree;
    let stored = match reading {
        Some(r) => r.neighbors.read(tree, row_id, cx)?,
        None => cx.txn.get(tree, row_id)?.map(Cow::Owned),
    };
    match stored {
        Some(stored) => {
            cx.run.rows.fetched += 1;
            let pages = before.since();
            Ok((pages, take(scan, &stored, row_id, row, cx)?))
        }
        None => Err(dangling(scan)), // invariant 1
    }
}

/// Fills what is wanted from an entry.
#[inline]
fn fill_from_entry(
    scan: &Scan,
    from: &FromKey,
    mut key: &[u8],
    value: &[u8],
    row: &mut [Datum],
) -> Result<(), SqlError> {
    for c in &from.columns {
        match c.to {
            Some(place) if c.is_sort_key => {
                row[scan.at + place] = text_of(decode_key(Type::Bytea, c.desc, &mut key)?)?;
            }
            Some(place) => row[scan.at + place] = decode_key(c.ty, c.desc, &mut key)?,
            None => pass_key(c.ty, c.desc, &mut key)?,
        }
    }
    if !from.included.is_empty() {
        let mut values = Vec::with_capacity(from.included.len());
        decode_row(&value[row_id_of(value).len()..], &from.included, &mut values)?;
        for (n, place) in &from.to {
            row[scan.at + place] = std::mem::replace(&mut values[*n], Datum::Null);
        }
    }
    Ok(())
}

fn passes(scan: &Scan, row: &[Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    match &scan.filter {
        None => Ok(true),
        Some(f) => {
            let passes = holds(f, row, cx)?;
            if !passes {
                cx.run.tell(|did| did.removed += 1);
            }
            Ok(passes)
        }
    }
}

/// A row by its key. Without a scan that it is of it is counted at once.
fn point(
    scan: &Scan,
    key: &[u8],
    row: &mut [Datum],
    mut of: Option<&mut Reading>,
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let Some(index) = index_of(scan) else { return Ok(false) };
    cx.run.tell(|did| did.searches += 1);
    let before = Pages::now();
    let value = cx.txn.get(index.tree, key)?;
    let pages = before.since();
    let (read, fetched) = (u64::from(value.is_some()), u64::from(value.is_some() && scan.from_key.is_none()));
    match &mut of {
        None => {
            let used = Used { scans: 1, read, fetched, last_us: cx.eval.stmt_timestamp, pages };
            scan.table.shared.uses.index(index.oid).add(used);
        }
        Some(r) => {
            r.used.read += read;
            r.used.fetched += fetched;
            r.used.pages.add(pages);
        }
    }
    let Some(value) = value else { return Ok(false) };
    cx.run.rows.returned += 1;
    if let Some(from) = &scan.from_key {
        fill_from_entry(scan, from, key, &value, row)?;
        return passes(scan, row, cx);
    }
    let (pages, takes) = fetch(scan, &value, of.as_deref_mut(), row, cx)?;
    match of {
        Some(r) => r.fetched_pages.add(pages),
        None => scan.table.shared.uses.table().add_pages(pages),
    }
    Ok(takes)
}

/// The next row.
pub fn next(scan: &Scan, st: &mut ScanState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    if st.stage == Stage::Done {
        return Ok(false);
    }
    if let Access::Point { index, keys } = &scan.access {
        st.stage = Stage::Done;
        st.key.clear();
        let mut key = std::mem::take(&mut st.key);
        let found = leading(index, keys, 0, row, cx, &mut key)? && point(scan, &key, row, None, cx)?;
        st.key = key;
        return Ok(found);
    }
    if let Access::Current(cursor) = &scan.access {
        st.stage = Stage::Done;
        let Some(id) = cx.views.current_row(cursor, &scan.table)? else { return Ok(false) };
        st.key.clear();
        encode_rowid(id, &mut st.key);
        let Some(stored) = cx.txn.get(scan.table.heap.tree, &st.key)? else { return Ok(false) };
        return take(scan, &stored, &st.key, row, cx);
    }
    if st.stage == Stage::Start {
        st.stage = Stage::Reading;
        match &mut st.reading {
            Some(r) => r.used.scans += r.scans,
            none => *none = reading(scan, cx).map(Box::new),
        }
        start(scan, st, row, cx)?;
    }
    loop {
        cx.check_interrupt()?;
        if st.cursor.is_none()
            && let Some(sampling) = &mut st.sampling
            && let Some(range) = sampling.drawing.next_block(cx)?
        {
            st.cursor = Some(open(scan, range, cx)?);
        }
        if st.cursor.is_none()
            && let Some(range) = st.ranges.pop()
        {
            cx.run.tell(|did| did.searches += 1);
            st.cursor = Some(open(scan, range, cx)?);
        }
        if st.cursor.is_none() {
            let Some(prefix) = st.prefixes.pop() else {
                st.stage = Stage::Done;
                return Ok(false);
            };
            if matches!(&scan.access, Access::Any { .. } | Access::Inverted { .. }) {
                let (pages, takes) = fetch(scan, &prefix, st.reading.as_deref_mut(), row, cx)?;
                st.fetched(pages);
                if takes {
                    return Ok(true);
                }
                continue;
            }
            if matches!(&scan.access, Access::Multi { point: true, .. }) {
                if point(scan, &prefix, row, st.reading.as_deref_mut(), cx)? {
                    return Ok(true);
                }
                continue;
            }
            cx.run.tell(|did| did.searches += 1);
            let range = match &scan.access {
                Access::Multi { ranges, .. } => below(ranges, prefix, row, cx)?,
                _ => Some(KeyRange::prefix(&prefix)),
            };
            let Some(range) = range else { continue };
            st.cursor = Some(open(scan, range, cx)?);
        }
        let Some(cursor) = &mut st.cursor else { continue };
        if scan.batched {
            if st.ids.is_empty() {
                let most = (cx.run.budget.work_mem_bytes / size_of::<u64>()).max(1024);
                let rows = (st.batch_rows * BATCH_GROWTH).clamp(BATCH_ROWS.min(most), most);
                cx.run.memory.grow((rows - st.batch_rows.min(rows)) * size_of::<u64>())?;
                st.batch_rows = rows.max(st.batch_rows);
                let before = Pages::now();
                while st.ids.len() < rows
                    && let Some((_, value)) = cursor.next(cx.txn)?
                {
                    cx.check_interrupt()?;
                    st.ids.push(decode_rowid(row_id_of(value))?);
                }
                cx.run.rows.returned += st.ids.len() as u64;
                if let Some(r) = &mut st.reading {
                    r.used.read += st.ids.len() as u64;
                    r.used.pages.add(before.since());
                }
                st.ids.sort_unstable_by(|a, b| b.cmp(a));
            }
            if let Some(id) = st.ids.pop() {
                st.key.clear();
                encode_rowid(id, &mut st.key);
                let (pages, takes) = fetch(scan, &st.key, st.reading.as_deref_mut(), row, cx)?;
                st.fetched(pages);
                if takes {
                    return Ok(true);
                }
                continue;
            }
        }
        let before = Pages::now();
        let found = match &st.test {
            None => cursor.next(cx.txn)?.is_some(),
            Some(test) => {
                let is_there = cursor.next_passing(cx.txn, &|stored| test.may_pass(stored))?.is_some();
                let passed_over = cursor.take_passed_over();
                cx.run.rows.returned += passed_over;
                cx.run.tell(|did| did.removed += passed_over);
                if let Some(r) = &mut st.reading {
                    r.used.read += passed_over;
                }
                is_there
            }
        };
        let pages = before.since();
        if let (false, Some(r)) = (pages.is_none(), &mut st.reading) {
            r.used.pages.add(pages);
        }
        match cursor.row().filter(|_| found) {
            None => {
                st.cursor = None;
                if st.prefixes.is_empty() && st.ranges.is_empty() && st.sampling.is_none() {
                    st.stage = Stage::Done;
                    return Ok(false);
                }
            }
            Some((key, value)) => {
                cx.run.rows.returned += 1;
                let is_whole = matches!(scan.access, Access::All | Access::Sample(_));
                let is_fetched = scan.from_key.is_none() && !is_whole;
                if let Some(r) = &mut st.reading {
                    r.used.read += 1;
                    r.used.fetched += u64::from(is_fetched);
                }
                if let Some(sampling) = &st.sampling
                    && !sampling.drawing.draws(key)?
                {
                    continue;
                }
                let takes = if let Some(from) = &scan.from_key {
                    fill_from_entry(scan, from, key, value, row)?;
                    passes(scan, row, cx)?
                } else if is_whole {
                    take(scan, value, key, row, cx)?
                } else {
                    st.key.clear();
                    st.key.extend_from_slice(row_id_of(value));
                    let (pages, takes) = fetch(scan, &st.key, st.reading.as_deref_mut(), row, cx)?;
                    if let Some(r) = &mut st.reading {
                        r.fetched_pages.add(pages);
                    }
                    takes
                };
                if takes {
                    return Ok(true);
                }
            }
        }
    }
}

impl ScanState {
    fn fetched(&mut self, pages: Pages) {
        if let Some(r) = &mut self.reading {
            r.used.fetched += 1;
            r.fetched_pages.add(pages);
        }
    }
}

/// What is to be counted of a scan that begins; look-ups by key are counted one by one.
fn reading(scan: &Scan, cx: &Cx<'_>) -> Option<Reading> {
    let (index, scans) = match &scan.access {
        Access::All | Access::Sample(_) => (None, 1),
        Access::Range { index, .. } => (Some(index.oid), 1),
        Access::Multi { ranges, .. } => (Some(ranges.index.oid), 1),
        Access::Union { branches } => (branches.first().map(|b| b.index.oid), 1),
        Access::Point { .. } | Access::Current(_) => return None,
        // Its indexes are counted when they are read.
        Access::Any { .. } | Access::Inverted { .. } => (None, 0),
    };
    let used = Used { scans, last_us: cx.eval.stmt_timestamp, ..Used::default() };
    let table = scan.table.shared.clone();
    let (fetched_pages, neighbors) = (Pages::default(), Neighbors::default());
    Some(Reading { table, index, used, fetched_pages, scans, neighbors })
}

fn open(scan: &Scan, range: KeyRange, cx: &mut Cx<'_>) -> Result<Cursor, SqlError> {
    let tree = index_of(scan).map_or(scan.table.heap.tree, |i| i.tree);
    let direction = if scan.backward { Direction::Backward } else { Direction::Forward };
    Ok(cx.txn.cursor(tree, range, direction)?)
}

fn start(scan: &Scan, st: &mut ScanState, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    cx.run.memory.shrink(std::mem::take(&mut st.prefix_bytes));
    match &scan.access {
        Access::All => {
            st.cursor = Some(open(scan, KeyRange::all(), cx)?);
            st.test = super::early::test(scan, row, cx).map(Box::new);
        }
        Access::Point { .. } | Access::Current(_) => {}
        Access::Sample(sample) => {
            let own_seed = st.sampling.as_ref().map_or_else(|| fastrand::u64(..), |s| s.own_seed);
            let drawing = Drawing::begin(sample, scan.table.heap.tree, own_seed, row, cx)?;
            if sample.method == Method::Bernoulli {
                st.cursor = Some(open(scan, KeyRange::all(), cx)?);
            }
            st.sampling = Some(Box::new(Sampling { own_seed, drawing }));
        }
        Access::Range { index, keys, bounds } => {
            if let Some(range) = range_of(index, keys, bounds.as_ref(), row, cx)? {
                cx.run.tell(|did| did.searches += 1);
                st.cursor = Some(open(scan, range, cx)?);
            }
        }
        Access::Inverted { index, asks } => {
            let before = Pages::now();
            cx.run.tell(|did| did.searches += 1);
            let left = cx.run.memory.left_bytes();
            let rows = super::inverted::find(index, asks, row, cx)?;
            // What was found is counted as it is kept.
            cx.run.memory.shrink(left.saturating_sub(cx.run.memory.left_bytes()));
            let pages = before.since();
            let read = rows.len() as u64;
            cx.run.rows.returned += read;
            scan.table.shared.uses.index(index.oid).add(Used {
                scans: 1,
                read,
                fetched: 0,
                last_us: cx.eval.stmt_timestamp,
                pages,
            });
            st.hold(rows.len() * 32, cx)?;
            make_room(&mut st.prefixes, rows.len())?;
            for id in rows.iter().rev() {
                let mut key = Vec::new();
                encode_rowid(*id, &mut key);
                st.prefixes.push(key);
            }
        }
        Access::Any { branches } => {
            for b in branches {
                let pages = Pages::now();
                let before = st.prefixes.len();
                for prefix in prefixes(b, row, &mut st.prefix_bytes, cx)? {
                    let Some(range) = below(b, prefix, row, cx)? else { continue };
                    let mut cursor = cx.txn.cursor(b.index.tree, range, Direction::Forward)?;
                    while let Some((_, value)) = cursor.next(cx.txn)? {
                        cx.check_interrupt()?;
                        let id = row_id_of(value);
                        st.hold(id.len() + 24, cx)?;
                        make_room(&mut st.prefixes, 1)?;
                        st.prefixes.push(id.to_vec());
                    }
                }
                let read = (st.prefixes.len() - before) as u64;
                cx.run.rows.returned += read;
                let (last_us, pages) = (cx.eval.stmt_timestamp, pages.since());
                let used = Used { scans: 1, read, fetched: 0, last_us, pages };
                scan.table.shared.uses.index(b.index.oid).add(used);
            }
            // In the order of the table, each once.
            st.prefixes.sort_unstable_by(|a, b| b.cmp(a));
            st.prefixes.dedup();
        }
        Access::Union { branches } => {
            st.ranges = union(branches, row, &mut st.prefix_bytes, cx)?;
            if !scan.backward {
                st.ranges.reverse();
            }
        }
        Access::Multi { ranges, .. } => {
            st.prefixes = prefixes(ranges, row, &mut st.prefix_bytes, cx)?;
            // The last is the first to be read.
            if !scan.backward {
                st.prefixes.reverse();
            }
        }
    }
    Ok(())
}
