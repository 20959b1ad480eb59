//! Sorting: in memory up to `work_mem`, and by sorted runs in temporary files beyond. With LIMIT only the best rows are kept.
//!
//! Rows that come sorted by the first keys are sorted a group at a time, so that whoever wants a few reads little; with LIMIT only the best of each. If a group is too large for memory, it is
//! sorted with all that follows, which gives the same.
//!
//! Invariants
//! 1. Rows with equal keys stay in the order in which they came.
//! 2. What is given while the input has rows left does not get into the input's buffer.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::eval::sort_value;
use super::limit::count;
use super::node::{self, State};
use super::sortable::{Sortable, bytes_of};
use super::spill::{Budget, TempFile, TempReader};
use crate::plan::{Sort, SortKey};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, compare};
use std::cmp::Ordering;
use std::sync::Arc;

/// State of a sort.
pub struct SortState {
    input: State,
    sorted: Option<Sorted>,
    at: usize,
    bytes: usize,
    /// The row that came from files.
    read: Vec<Datum>,
    groups: Groups,
}

/// Of rows that come in groups.
#[derive(Default)]
struct Groups {
    /// Invariant 2.
    buffer: Vec<Datum>,
    /// The first row of the next group.
    ahead: Option<Taken>,
    /// Nothing more comes.
    has_ended: bool,
    /// How many rows are wanted still; the outer `None`: it is not known yet.
    wanted: Option<Option<usize>>,
}

/// The keys of a row, what is kept of it, and the memory that they take once they are kept.
#[derive(Default)]
struct Taken {
    keys: Vec<Datum>,
    kept: Vec<Datum>,
    bytes: usize,
}

/// Rows in order.
enum Sorted {
    Memory(Sortable),
    Files(Merge),
}

impl SortState {
    /// Over an input.
    pub fn new(input: State) -> SortState {
        SortState { input, sorted: None, at: 0, bytes: 0, read: Vec::new(), groups: Groups::default() }
    }
}

/// Begins again.
pub fn reset(sort: &Sort, st: &mut SortState, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    st.sorted = None;
    st.at = 0;
    st.groups = Groups::default();
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

/// A run of sorted rows: their keys, then what is kept of them.
struct Run {
    reader: TempReader,
    head: Vec<Datum>,
}

/// Merges sorted runs.
pub(super) struct Merge {
    runs: Vec<Run>,
    /// Runs that have rows left, as a heap: the least head first.
    heap: Vec<usize>,
    keys: Box<[SortKey]>,
}

impl Merge {
    /// Of runs that are sorted by their first values.
    pub fn new(keys: &[SortKey], files: Vec<Arc<TempFile>>) -> Result<Merge, SqlError> {
        let mut merge = Merge { runs: Vec::with_capacity(files.len()), heap: Vec::new(), keys: keys.into() };
        for file in files {
            let mut run = Run { reader: TempReader::new(file), head: Vec::new() };
            if run.reader.next(&mut run.head)? {
                merge.heap.push(merge.runs.len());
            }
            merge.runs.push(run);
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(at);
        }
        Ok(merge)
    }

    /// Whether one run's head comes before another's; of equal ones the earlier run's (invariant 1).
    fn is_before(&self, a: usize, b: usize) -> bool {
        let n = self.keys.len();
        let order = compare_keys(&self.keys, &self.runs[a].head[..n], &self.runs[b].head[..n]);
        order.then(a.cmp(&b)).is_lt()
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.is_before(self.heap[child], self.heap[least]) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    /// The next row's keys and the rest, in place of what `row` had; false at the end.
    pub fn next(&mut self, row: &mut Vec<Datum>) -> Result<bool, SqlError> {
        let Some(run) = self.heap.first().copied() else { return Ok(false) };
        std::mem::swap(row, &mut self.runs[run].head);
        let Run { reader, head } = &mut self.runs[run];
        if !reader.next(head)? {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(true)
    }
}

/// Writes rows in order as a run, and keeps them no longer.
pub(super) fn spilled(keys: &[SortKey], rows: &mut Sortable, cx: &Cx<'_>) -> Result<Arc<TempFile>, SqlError> {
    rows.sort(keys)?;
    let mut file = TempFile::create(&cx.run.budget)?;
    for (key, kept) in rows.iter() {
        file.push(key, kept)?;
    }
    *rows = Sortable::default();
    file.finish()
}

/// Merges runs until so few are left that they can be merged at one go.
pub(super) fn few_runs(
    keys: &[SortKey],
    mut runs: Vec<Arc<TempFile>>,
    budget: &Budget,
    cx: &Cx<'_>,
) -> Result<Vec<Arc<TempFile>>, SqlError> {
    let at_once = budget.merged_at_once();
    while runs.len() > at_once {
        let mut merged = Vec::with_capacity(runs.len() / at_once + 1);
        let mut row = Vec::new();
        let mut left = runs.into_iter();
        loop {
            let some: Vec<_> = left.by_ref().take(at_once).collect();
            if some.is_empty() {
                break;
            }
            let mut merge = Merge::new(keys, some)?;
            let mut file = TempFile::create(budget)?;
            while merge.next(&mut row)? {
                cx.check_interrupt()?;
                file.push(&row, &[])?;
            }
            merged.push(file.finish()?);
        }
        runs = merged;
    }
    Ok(runs)
}

impl Taken {
    /// Takes the keys of a row.
    fn take_keys(&mut self, sort: &Sort, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.keys.clear();
        for k in &sort.keys {
            self.keys.push(sort_value(k, row, cx)?);
        }
        Ok(())
    }

    /// Takes what else is kept of it.
    fn take_rest(&mut self, sort: &Sort, row: &[Datum]) {
        self.kept.clear();
        match &sort.live {
            Some(live) => self.kept.extend(live.iter().map(|n| row[*n].clone())),
            None => self.kept.extend_from_slice(&row[..sort.width]),
        }
        self.bytes = bytes_of(&self.keys, &self.kept);
    }
}

/// Sorts the next group.
fn fill_group(sort: &Sort, st: &mut SortState, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let work_mem_bytes = cx.run.budget.work_mem_bytes;
    let mut rows = Sortable::default();
    let mut taken = st.groups.ahead.take().unwrap_or_default();
    let bytes = taken.bytes;
    // The last group goes, which had the row that was ahead besides.
    st.sorted = None;
    cx.run.memory.shrink(st.bytes - bytes);
    (st.bytes, st.at) = (bytes, 0);
    if bytes > 0 {
        rows.push(&sort.keys, &mut taken.keys, &mut taken.kept)?;
    }
    let mut buffer = std::mem::take(&mut st.groups.buffer);
    buffer.resize(sort.width, Datum::Null);
    let wanted = match st.groups.wanted {
        Some(wanted) => wanted,
        None => self::wanted(sort, cx)?,
    };
    let mut best = Best { wanted, last: None };
    loop {
        if !node::next(&sort.input, &mut st.input, &mut buffer, cx)? {
            st.groups.has_ended = true;
            break;
        }
        taken.take_keys(sort, &buffer, cx)?;
        let n = sort.presorted;
        let is_next = rows
            .get(0)
            .is_some_and(|(first, _)| compare_keys(&sort.keys[..n], &first[..n], &taken.keys[..n]).is_ne());
        if !is_next && best.is_none(sort, &taken.keys) {
            continue;
        }
        node::complete(&sort.input, &st.input, &mut buffer)?;
        taken.take_rest(sort, &buffer);
        cx.run.memory.grow(taken.bytes)?;
        st.bytes += taken.bytes;
        if is_next {
            st.groups.ahead = Some(taken);
            break;
        }
        rows.push(&sort.keys, &mut taken.keys, &mut taken.kept)?;
        best.keep(sort, &mut rows, &mut st.bytes, cx)?;
        if st.bytes > work_mem_bytes && rows.len() > 1 {
            st.groups.has_ended = true;
            return fill(sort, st, rows, &mut buffer, cx);
        }
    }
    st.groups.buffer = buffer;
    cx.run.tell(|did| {
        did.holds(st.bytes);
        (did.groups, did.groups_bytes) = (did.groups + 1, did.groups_bytes + st.bytes);
    });
    rows.sort(&sort.keys)?;
    st.groups.wanted = Some(wanted.map(|n| n.saturating_sub(rows.len())));
    st.sorted = Some(Sorted::Memory(rows));
    Ok(())
}

/// How many rows are wanted: LIMIT and OFFSET.
fn wanted(sort: &Sort, cx: &mut Cx<'_>) -> Result<Option<usize>, SqlError> {
    let Some((limit, offset)) = &sort.top else { return Ok(None) };
    let n = count(limit.as_ref(), "LIMIT", cx)?;
    let skip = count(offset.as_ref(), "OFFSET", cx)?.unwrap_or(0);
    Ok(n.and_then(|n| usize::try_from(n.saturating_add(skip)).ok()))
}

/// Telling the best rows apart while they come, so that no others are kept.
struct Best {
    /// So many; None: all.
    wanted: Option<usize>,
    /// Of the best that were told apart already, the last: what does not come before it is none of them.
    last: Option<Vec<Datum>>,
}

impl Best {
    /// Whether a row with these keys is none of them.
    fn is_none(&self, sort: &Sort, keys: &[Datum]) -> bool {
        self.last.as_ref().is_some_and(|last| compare_keys(&sort.keys, keys, last).is_ge())
    }

    /// Keeps the best, once there are many, or no more room.
    fn keep(
        &mut self,
        sort: &Sort,
        rows: &mut Sortable,
        held: &mut usize,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let Some(wanted) = self.wanted else { return Ok(()) };
        let most = wanted.saturating_mul(2).saturating_add(1024);
        let is_full = *held > cx.run.budget.work_mem_bytes && rows.len() > wanted;
        if rows.len() < most && !is_full {
            return Ok(());
        }
        cx.run.tell(|did| {
            did.holds(*held);
            did.kept_best = true;
        });
        rows.sort(&sort.keys)?;
        let bytes = rows.keep_first(wanted)?;
        *held -= bytes;
        cx.run.memory.shrink(bytes);
        self.last = wanted.checked_sub(1).and_then(|n| rows.get(n)).map(|(key, _)| key.to_vec());
        Ok(())
    }
}

/// Sorts some rows and all that come.
fn fill(
    sort: &Sort,
    st: &mut SortState,
    mut rows: Sortable,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    let mut best = Best { wanted: wanted(sort, cx)?, last: None };
    let work_mem_bytes = cx.run.budget.work_mem_bytes;
    let mut runs = Vec::new();
    let mut taken = Taken::default();
    while node::next(&sort.input, &mut st.input, row, cx)? {
        taken.take_keys(sort, row, cx)?;
        if best.is_none(sort, &taken.keys) {
            continue;
        }
        node::complete(&sort.input, &st.input, row)?;
        taken.take_rest(sort, row);
        cx.run.memory.grow(taken.bytes)?;
        st.bytes += taken.bytes;
        rows.push(&sort.keys, &mut taken.keys, &mut taken.kept)?;
        best.keep(sort, &mut rows, &mut st.bytes, cx)?;
        if st.bytes > work_mem_bytes && rows.len() > 1 {
            cx.run.tell(|did| did.holds(st.bytes));
            runs.push(spilled(&sort.keys, &mut rows, cx)?);
            cx.run.memory.shrink(std::mem::take(&mut st.bytes));
            best = Best { wanted: None, last: None }; // of each run its best would have to be told apart: all are kept
        }
    }
    cx.run.tell(|did| did.holds(st.bytes));
    if runs.is_empty() {
        rows.sort(&sort.keys)?;
        st.sorted = Some(Sorted::Memory(rows));
        return Ok(());
    }
    if !rows.is_empty() {
        runs.push(spilled(&sort.keys, &mut rows, cx)?);
        cx.run.memory.shrink(std::mem::take(&mut st.bytes));
    }
    let runs = few_runs(&sort.keys, runs, &cx.run.budget, cx)?;
    cx.run.tell(|did| did.disk_bytes = runs.iter().map(|r| r.bytes()).sum());
    st.sorted = Some(Sorted::Files(Merge::new(&sort.keys, runs)?));
    Ok(())
}

/// The next row in order.
pub fn next(sort: &Sort, st: &mut SortState, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let is_through = match &st.sorted {
        None => true,
        Some(Sorted::Memory(rows)) => sort.presorted > 0 && st.at >= rows.len(),
        Some(Sorted::Files(_)) => false,
    };
    if is_through && sort.presorted == 0 {
        fill(sort, st, Sortable::default(), row, cx)?;
    } else if is_through && (!st.groups.has_ended || st.groups.ahead.is_some()) {
        fill_group(sort, st, cx)?;
    }
    let SortState { sorted, at, read, .. } = st;
    let kept: &[Datum] = match sorted {
        Some(Sorted::Memory(rows)) => match rows.get(*at) {
            Some((_, kept)) => kept,
            None => return Ok(false),
        },
        Some(Sorted::Files(merge)) => match merge.next(read)? {
            true => &read[sort.keys.len()..],
            false => return Ok(false),
        },
        None => return Ok(false),
    };
    *at += 1;
    match &sort.live {
        Some(live) => live.iter().zip(kept).for_each(|(n, d)| row[*n] = d.clone()),
        None => row[..sort.width].clone_from_slice(kept),
    }
    Ok(true)
}
