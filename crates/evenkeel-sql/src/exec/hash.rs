//! Hash joins. What does not fit into `work_mem` times `hash_mem_multiplier` is divided by its hash, both sides alike, and joined part by part.
//!
//! Invariants
//! 1. Rows that could match are in the same part, whatever side they are of; NULL keys match nothing, but may have to be given.
//!
//! Must not know: what sides are made of.

use super::Cx;
use super::chains::{CHAIN_BYTES, Chains};
use super::eval::{eval, holds};
use super::node::{self, State};
use super::rowset::{hash_row, same_row};
use super::spill::{LEVELS_MAX, Partitions, TempFile, TempReader};
use crate::plan::{HashJoin, JoinKind};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use std::sync::Arc;

/// State of a hash join.
pub struct HashState {
    kept: State,
    streamed: State,
    table: Option<Table>,
    bytes: usize,
    /// The streamed row's keys, their hash, and the row that is kept which may match next.
    keys: Vec<Datum>,
    hash: u64,
    candidate: Option<u32>,
    active: bool,
    matched: bool,
    /// All is decoded of the streamed row.
    is_whole: bool,
    /// Which of the rows that are kept have matched, where that is asked, and where the search for those that have not stands.
    used: Vec<bool>,
    unmatched_at: Option<usize>,
    parts: Option<Box<Parts>>,
}

/// The rows that are kept, by hash.
struct Table {
    /// Keys and values of a row, one row after the other.
    values: Large<Vec<Datum>>,
    keys: usize,
    width: usize,
    chains: Chains,
    rows: usize,
}

impl Table {
    /// Of a join.
    fn new(j: &HashJoin) -> Table {
        let ((_, keys, places), _) = j.sides();
        let width = keys.len() + if only_asked(j) { 0 } else { places.len() };
        Table { values: Large::default(), keys: keys.len(), width, chains: Chains::default(), rows: 0 }
    }

    /// Keys and values of a row.
    fn row(&self, n: usize) -> (&[Datum], &[Datum]) {
        self.values[n * self.width..(n + 1) * self.width].split_at(self.keys)
    }
}

/// Rows of a part, if there are any.
type PartFile = Option<Arc<TempFile>>;

/// Rows that are kept and rows that are streamed, and how often they were divided.
type Part = (PartFile, PartFile, u32);

/// A join in parts.
struct Parts {
    /// Parts that wait.
    waiting: Vec<Part>,
    /// The streamed rows of the part that is being joined.
    reader: Option<TempReader>,
    read: Vec<Datum>,
}

impl HashState {
    /// Before the first row.
    pub fn new(j: &HashJoin) -> HashState {
        let ((kept, ..), (streamed, ..)) = j.sides();
        HashState {
            kept: State::new(kept),
            streamed: State::new(streamed),
            table: None,
            bytes: 0,
            keys: Vec::new(),
            hash: 0,
            candidate: None,
            active: false,
            matched: false,
            is_whole: true,
            used: Vec::new(),
            unmatched_at: None,
            parts: None,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, j: &HashJoin, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let ((kept, ..), (streamed, ..)) = j.sides();
        node::reset(streamed, &mut self.streamed, cx)?;
        self.active = false;
        self.used.fill(false);
        self.unmatched_at = None;
        if j.kept_varies || self.parts.is_some() {
            node::reset(kept, &mut self.kept, cx)?;
            self.forget(j, cx);
            self.table = None;
            self.parts = None;
        }
        Ok(())
    }

    /// For EXPLAIN ANALYZE: the hash table has all that it will have.
    fn tell(&self, cx: &mut Cx<'_>) {
        let buckets = self.table.as_ref().map_or(0, |t| t.chains.buckets());
        cx.run.tell(|did| {
            did.holds(self.bytes);
            did.buckets = did.buckets.max(buckets);
        });
    }

    /// Empties the hash table.
    fn forget(&mut self, j: &HashJoin, cx: &mut Cx<'_>) {
        self.table = Some(Table::new(j));
        self.used.clear();
        cx.run.memory.shrink(std::mem::take(&mut self.bytes));
    }

    /// Keeps a row, keys and values of which are taken, unless one that is alike is enough.
    fn keep(
        &mut self,
        j: &HashJoin,
        (keys, values): (&mut Vec<Datum>, &mut Vec<Datum>),
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let table = self.table.get_or_insert_with(|| Table::new(j));
        if keys.len() + values.len() != table.width {
            return Err(SqlError::internal("a row of a hash join has another width"));
        }
        let hash = hash_row(keys);
        // Whether there is a match may be all that is asked.
        let is_asked = only_asked(j);
        if is_asked && table.chains.of(hash).any(|n| same_row(table.row(n).0, keys)) {
            return Ok(());
        }
        let all = keys.iter().chain(values.iter());
        let bytes = CHAIN_BYTES + all.map(Datum::memory_bytes).sum::<usize>();
        cx.run.memory.grow(bytes)?;
        self.bytes += bytes;
        make_room(&mut table.values, table.width)?;
        if is_asked {
            table.chains.add(hash)?
        } else {
            table.chains.put(hash)?
        };
        table.values.append(keys);
        table.values.append(values);
        table.rows += 1;
        Ok(())
    }

    /// All rows of the table, or of the part, are there.
    fn complete(&mut self, j: &HashJoin, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        if let Some(table) = &mut self.table {
            table.chains.link()?;
        }
        self.start_marks(j);
        self.tell(cx);
        Ok(())
    }

    fn start_marks(&mut self, j: &HashJoin) {
        let marks = j.gives_unmatched_kept() || j.keeps_outer && j.kind == JoinKind::Semi;
        self.used = vec![false; if marks { self.table.as_ref().map_or(0, |t| t.rows) } else { 0 }];
    }
}

fn only_asked(j: &HashJoin) -> bool {
    !j.keeps_outer && j.condition.is_none() && matches!(j.kind, JoinKind::Semi | JoinKind::Anti)
}

/// Streamed rows without a match are given.
fn gives_unmatched_streamed(j: &HashJoin) -> bool {
    matches!(j.kind, JoinKind::Left | JoinKind::Full | JoinKind::Anti) && !j.keeps_outer
}

/// No row is kept, and a streamed one is given with a kept one only: reading on would be for nothing.
fn is_in_vain(j: &HashJoin, st: &HashState) -> bool {
    st.table.as_ref().is_some_and(|table| table.rows == 0) && !gives_unmatched_streamed(j)
}

/// Reads the side that is kept; divides both sides if it is too large. `has_row`: a streamed row stands in the buffer.
fn build(
    j: &HashJoin,
    st: &mut HashState,
    has_row: bool,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    // Only the places of the side that is kept are written here.
    let ((node, keys_of, places), _) = j.sides();
    let budget = cx.run.budget.clone();
    let mut parts: Option<Partitions> = None;
    st.table = Some(Table::new(j));
    let (mut keys, mut kept) = (Vec::with_capacity(keys_of.len()), Vec::with_capacity(places.len()));
    while node::next(node, &mut st.kept, row, cx)? {
        keys.clear();
        for k in keys_of {
            keys.push(eval(k, row, cx)?);
        }
        if keys.iter().any(Datum::is_null) && !j.gives_unmatched_kept() {
            continue;
        }
        kept.clear();
        if !only_asked(j) {
            kept.extend(places.iter().map(|p| row[*p].clone()));
        }
        if let Some(parts) = &mut parts {
            parts.push(hash_row(&keys), &keys, &kept, &budget)?;
            continue;
        }
        st.keep(j, (&mut keys, &mut kept), cx)?;
        if st.bytes > budget.hash_mem_bytes && !j.in_order {
            let into = parts.insert(Partitions::new(0));
            if let Some(table) = &st.table {
                for n in 0..table.rows {
                    cx.check_interrupt()?;
                    let (keys, kept) = table.row(n);
                    into.push(hash_row(keys), keys, kept, &budget)?;
                }
            }
            st.tell(cx);
            st.forget(j, cx);
        }
    }
    st.complete(j, cx)?;
    if let Some(kept) = parts {
        let streamed = divided(j, st, has_row, row, cx)?;
        let waiting: Vec<Part> = kept.finish()?.into_iter().zip(streamed).map(|(k, s)| (k, s, 0)).collect();
        cx.run.tell(|did| did.batches += waiting.len() as u64 - 1);
        st.parts = Some(Box::new(Parts { waiting, reader: None, read: Vec::new() }));
    }
    Ok(())
}

/// Divides the streamed side.
fn divided(
    j: &HashJoin,
    st: &mut HashState,
    mut has_row: bool,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<Vec<PartFile>, SqlError> {
    let (_, (node, keys_of, places)) = j.sides();
    let budget = cx.run.budget.clone();
    let mut parts = Partitions::new(0);
    let (mut keys, mut values) = (Vec::with_capacity(keys_of.len()), Vec::with_capacity(places.len()));
    while std::mem::take(&mut has_row) || node::next(node, &mut st.streamed, row, cx)? {
        node::complete(node, &st.streamed, row)?;
        keys.clear();
        for k in keys_of {
            keys.push(eval(k, row, cx)?);
        }
        if keys.iter().any(Datum::is_null) && !gives_unmatched_streamed(j) {
            continue;
        }
        values.clear();
        values.extend(places.iter().map(|p| row[*p].clone()));
        parts.push(hash_row(&keys), &keys, &values, &budget)?;
    }
    parts.finish()
}

/// The next streamed row and its keys; false: there is none left, of this part.
fn advance(j: &HashJoin, st: &mut HashState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let (_, (streamed, keys_of, places)) = j.sides();
    if let Some(parts) = &mut st.parts {
        let Parts { reader: Some(reader), read, .. } = &mut **parts else { return Ok(false) };
        st.is_whole = true;
        cx.check_interrupt()?;
        if !reader.next(read)? {
            return Ok(false);
        }
        let mut values = read.drain(..);
        st.keys.clear();
        st.keys.extend(values.by_ref().take(keys_of.len()));
        places.iter().zip(values).for_each(|(p, v)| row[*p] = v);
        return Ok(true);
    }
    if is_in_vain(j, st) || !node::next(streamed, &mut st.streamed, row, cx)? {
        return Ok(false);
    }
    st.is_whole = false;
    if st.table.is_none() {
        build(j, st, true, row, cx)?;
        if st.parts.is_some() || is_in_vain(j, st) {
            return Ok(false);
        }
    }
    st.keys.clear();
    for k in keys_of {
        let key = eval(k, row, cx)?;
        st.keys.push(key);
    }
    Ok(true)
}

/// Brings the next part into memory; false: there is none.
fn next_part(j: &HashJoin, st: &mut HashState, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let n = j.sides().0.1.len();
    let budget = cx.run.budget.clone();
    loop {
        let Some(parts) = &mut st.parts else { return Ok(false) };
        let Some((kept, streamed, level)) = parts.waiting.pop() else { return Ok(false) };
        let is_of_use = match (&kept, &streamed) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => j.gives_unmatched_kept(),
            (None, Some(_)) => gives_unmatched_streamed(j),
            (None, None) => false,
        };
        if !is_of_use {
            continue;
        }
        st.forget(j, cx);
        st.unmatched_at = None;
        let (mut keys, mut read) = (Vec::new(), Vec::new());
        let mut too_large = false;
        if let Some(kept) = &kept {
            let mut reader = TempReader::new(kept.clone());
            while reader.next(&mut read)? {
                cx.check_interrupt()?;
                keys.clear();
                keys.extend(read.drain(..n.min(read.len())));
                st.keep(j, (&mut keys, &mut read), cx)?;
                if st.bytes > budget.hash_mem_bytes && level + 1 < LEVELS_MAX && kept.rows() > 1 {
                    too_large = true;
                    break;
                }
            }
        }
        if too_large {
            st.forget(j, cx);
            let divide = |file: PartFile| -> Result<Vec<PartFile>, SqlError> {
                let mut parts = Partitions::new(level + 1);
                if let Some(file) = file {
                    let (mut reader, mut read) = (TempReader::new(file), Vec::new());
                    while reader.next(&mut read)? {
                        let (keys, rest) = read.split_at(n);
                        parts.push(hash_row(keys), keys, rest, &budget)?;
                    }
                }
                parts.finish()
            };
            let (kept, streamed) = (divide(kept)?, divide(streamed)?);
            cx.run.tell(|did| did.batches += kept.len() as u64 - 1);
            if let Some(parts) = &mut st.parts {
                parts.waiting.extend(kept.into_iter().zip(streamed).map(|(k, s)| (k, s, level + 1)));
            }
            continue;
        }
        st.complete(j, cx)?;
        if let Some(parts) = &mut st.parts {
            parts.reader = streamed.map(TempReader::new);
        }
        return Ok(true);
    }
}

/// Puts a row that was kept into its places.
fn put(row: &mut [Datum], places: &[usize], kept: &[Datum]) {
    for (place, value) in places.iter().zip(kept) {
        row[*place].clone_from(value);
    }
}

/// The next row.
pub fn next(j: &HashJoin, st: &mut HashState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let ((_, _, kept_places), (streamed, ..)) = j.sides();
    'streamed: loop {
        if !st.active {
            if st.unmatched_at.is_some() || !advance(j, st, row, cx)? {
                if j.gives_unmatched_kept() {
                    if st.table.is_none() {
                        build(j, st, false, row, cx)?;
                    }
                    if next_unmatched(j, st, row) {
                        return Ok(true);
                    }
                }
                if !next_part(j, st, cx)? {
                    return Ok(false);
                }
                continue;
            }
            st.candidate = None;
            if !st.keys.iter().any(Datum::is_null)
                && let Some(table) = &st.table
            {
                st.hash = hash_row(&st.keys);
                st.candidate = table.chains.first(st.hash);
            }
            st.active = true;
            st.matched = false;
        }
        while let (Some(n), Some(table)) = (st.candidate, &st.table) {
            st.candidate = table.chains.after(n, st.hash);
            cx.check_interrupt()?;
            let (keys, kept) = table.row(n as usize);
            if !same_row(keys, &st.keys) {
                continue;
            }
            if !std::mem::replace(&mut st.is_whole, true) {
                node::complete(streamed, &st.streamed, row)?;
            }
            put(row, kept_places, kept);
            let fits = match &j.condition {
                None => true,
                Some(c) => holds(c, row, cx)?,
            };
            if !fits {
                cx.run.tell(|did| did.removed_by_join += 1);
                continue;
            }
            st.matched = true;
            let was_used = st.used.get_mut(n as usize).is_some_and(|used| std::mem::replace(used, true));
            match (j.kind, j.keeps_outer) {
                (JoinKind::Semi, false) => st.active = false,
                (JoinKind::Anti, false) => {
                    st.active = false;
                    continue 'streamed;
                }
                (JoinKind::Semi, true) if was_used => continue,
                (JoinKind::Anti, true) => continue,
                _ => {}
            }
            return Ok(true);
        }
        st.active = false;
        if gives_unmatched_streamed(j) && !st.matched {
            if !std::mem::replace(&mut st.is_whole, true) {
                node::complete(streamed, &st.streamed, row)?;
            }
            kept_places.iter().for_each(|p| row[*p] = Datum::Null);
            return Ok(true);
        }
    }
}

/// The next row that is kept and that nothing matched.
fn next_unmatched(j: &HashJoin, st: &mut HashState, row: &mut [Datum]) -> bool {
    let ((_, _, kept_places), (_, _, streamed_places)) = j.sides();
    let from = st.unmatched_at.unwrap_or(0);
    let Some(n) = (from..st.used.len()).find(|n| !st.used[*n]) else {
        st.unmatched_at = Some(st.used.len());
        return false;
    };
    st.unmatched_at = Some(n + 1);
    streamed_places.iter().for_each(|p| row[*p] = Datum::Null);
    if let Some(table) = &st.table {
        put(row, kept_places, table.row(n).1);
    }
    true
}
