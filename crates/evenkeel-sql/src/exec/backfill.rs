//! Filling an index while its table is read and written.
//!
//! It is filled from below with the rows of a moment, as one is that nobody writes meanwhile; then of the rows that have been changed since, which the table's tree tells, it loses what they
//! have no more (`take_away`), and, once every writer writes it, gets what they have (`add`).
//!
//! Where that moment has been given up, since what it needs took too much room, the index is filled anew, row by row, by ordinary inserts:
//! every writer knows it already and writes its rows' entries; what lacks them are rows that were there before. They are visited in the order of
//! their ids, some in each transaction. Of each the entry is written first, and then it is looked whether the row is still what it was made of: who changes
//! a row does so before he changes its entries, so he either was seen by that look, or comes to the entries later and finds this one. Rows of which
//! somebody else is in the way are left for a second round, one at a time under their lock.
//!
//! Locking each row first was the other way: whoever asks for rows with NOWAIT or SKIP LOCKED would have met those locks.
//!
//! Invariants:
//! 1. What is committed are entries of rows as they are at the commit: of a row that was not settled, its entries are taken back before.
//! 2. Who waits for another transaction holds no row and has written no entry that is not committed.
//!
//! Must not know: sessions, when transactions begin and end.

use super::Cx;
use super::build::{Entries, build_error};
use super::keys::{RowEntries, row_id_of, too_long};
use crate::catalog::{Index, Table};
use crate::plan::form::IndexForm;
use crate::progress::Work;
use evenkeel::{Direction, Error, KeyRange, LockMode, Locked, Moment, TreeId, WaitPolicy};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, decode_rowid, encode_rowid};
use std::ops::Bound;
use std::time::Duration;

/// Rows of a transaction, at most.
const ROWS_AT_ONCE: usize = 256;

/// Bytes of entries of a transaction, before the last row.
const BYTES_AT_ONCE: usize = 1 << 20;

/// Rows that are left at a time, at most.
const LEFT_MAX: usize = 1 << 16;

/// An index that is being filled.
pub(crate) struct Backfill {
    /// Rows up to this one have been visited.
    last: Bound<Vec<u8>>,
    /// The last row that was there when all writers knew the index.
    end: Vec<u8>,
    /// Rows to visit once more.
    left: Vec<u64>,
    visited: u64,
}

/// What is to be done in the next transaction.
pub(crate) enum Next {
    /// Visit more rows.
    Visit,
    /// Visit those that are left.
    Left,
    /// Nothing: all rows have their entries.
    Done,
}

/// How visiting a single row has ended.
pub(crate) enum Visited {
    /// It has its entries.
    Done,
    /// This row, or entry, is another transaction's: it is to be waited for, in a transaction of its own, before the row is visited again.
    WaitFor(TreeId, Vec<u8>),
}

/// What is visited.
#[derive(Clone, Copy)]
pub(crate) struct Filled<'a> {
    pub table: &'a Table,
    pub index: &'a Index,
    pub form: Option<&'a IndexForm>,
}

impl Filled<'_> {
    /// The table's columns that entries are made of.
    fn wanted(&self) -> Vec<usize> {
        let mut wanted: Vec<usize> = self.index.read_columns().collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The entries of a row, none if it is not there.
    fn entries(&self, id: u64, stored: Option<&[u8]>, cx: &mut Cx<'_>) -> Result<RowEntries, SqlError> {
        let mut of_row = RowEntries::default();
        if let Some(stored) = stored {
            let types = &self.table.types;
            let mut row = vec![Datum::Null; self.table.columns.len()];
            self.table.decode_columns(stored, &self.wanted(), &mut row)?;
            of_row.find(self.index, self.form, types, &row, id, cx)?;
        }
        Ok(of_row)
    }

    fn duplicate(&self, id: &[u8], cx: &mut Cx<'_>) -> SqlError {
        build_error(Error::DuplicateKey, self.table, self.index, self.form, id, cx)
    }

    fn other_error(&self, e: Error) -> SqlError {
        match e {
            Error::KeyTooLong { len, max } => too_long(len, max, self.index),
            e => e.into(),
        }
    }
}

impl Backfill {
    /// Of all rows that the statement sees.
    pub fn new(table: &Table, cx: &mut Cx<'_>) -> Result<Backfill, SqlError> {
        let end = last_row(table, cx)?;
        Ok(Backfill { last: Bound::Unbounded, end, left: Vec::new(), visited: 0 })
    }

    pub fn next(&self) -> Next {
        let is_at_end = match &self.last {
            Bound::Included(last) | Bound::Excluded(last) => *last >= self.end,
            Bound::Unbounded => self.end.is_empty(),
        };
        match self.left.len() {
            0 if is_at_end => Next::Done,
            left if is_at_end || left >= LEFT_MAX => Next::Left,
            _ => Next::Visit,
        }
    }

    /// Takes one of the rows that are left.
    pub fn take_left(&mut self) -> Option<u64> {
        self.left.pop()
    }

    /// Visits some rows, as the statement sees them; the transaction is to be committed then.
    pub fn visit(&mut self, f: Filled<'_>, work: &Work, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let Filled { table, index, form } = f;
        let wanted = f.wanted();
        let (mut entries, mut of_row) = (Entries::default(), RowEntries::default());
        let mut row = vec![Datum::Null; table.columns.len()];
        let range = KeyRange { start: self.last.clone(), end: Bound::Included(self.end.clone()) };
        let mut cursor = cx.txn.cursor(table.heap.tree, range, Direction::Forward)?;
        let mut rows = 0;
        loop {
            cx.check_interrupt()?;
            let Some((id, stored)) = cursor.next(cx.txn)? else {
                self.last = Bound::Excluded(self.end.clone());
                break;
            };
            table.decode_columns(stored, &wanted, &mut row)?;
            of_row.find(index, form, &table.types, &row, decode_rowid(id)?, cx)?;
            of_row.keys().for_each(|key| entries.push(key, &of_row.value));
            rows += 1;
            if rows == ROWS_AT_ONCE || entries.held_bytes() >= BYTES_AT_ONCE {
                self.last = Bound::Excluded(id.to_vec());
                break;
            }
        }
        drop(cursor);
        cx.run.rows.returned += rows as u64;
        self.left.extend(write(entries, f, cx)?);
        self.visited += rows as u64;
        work.done_now(self.visited);
        Ok(())
    }
}

/// Writes entries of rows as the statement saw them. Gives the rows that have to be visited alone: nobody is waited for.
fn write(mut entries: Entries, f: Filled<'_>, cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
    let (heap, index) = (f.table.heap.tree, f.index.tree);
    entries.sort()?;
    cx.txn.set_lock_timeout(Some(Duration::ZERO));
    let (mut written, mut unsettled) = (Vec::new(), Vec::new());
    for n in 0.. {
        let Some((key, value)) = entries.get(n) else { break };
        match cx.txn.insert(index, key, value) {
            Ok(()) => written.push(n),
            Err(Error::DuplicateKey) => {
                let known = cx.txn.get(index, key)?;
                if known.is_none_or(|v| row_id_of(&v) != row_id_of(value)) {
                    unsettled.push(row_id_of(value).to_vec());
                }
            }
            Err(Error::LockNotAvailable) => unsettled.push(row_id_of(value).to_vec()),
            Err(e) => return Err(f.other_error(e)),
        }
    }
    for n in &written {
        if let Some((_, value)) = entries.get(*n)
            && !cx.txn.is_unchanged(heap, row_id_of(value))?
        {
            unsettled.push(row_id_of(value).to_vec());
        }
    }
    unsettled.sort_unstable();
    unsettled.dedup();
    if !unsettled.is_empty() {
        cx.txn.begin_statement(); // to see what was written
        for n in written {
            let Some((key, value)) = entries.get(n) else { continue };
            if unsettled.binary_search_by(|id| id[..].cmp(row_id_of(value))).is_ok() {
                cx.txn.remove(index, key)?; // invariant 1
            }
        }
    }
    unsettled.iter().map(|id| decode_rowid(id)).collect()
}

/// Rows that have been changed since an index was filled as they were at a moment: what it has of them is not what it should have.
pub(crate) struct Changed {
    moment: Moment,
    /// Where to look on; None: all have been found.
    at: Option<Bound<Vec<u8>>>,
    /// The last row that there was then, or when this began.
    end: Vec<u8>,
    rows: Vec<u64>,
}

impl Changed {
    /// Up to the last row that there was at the moment or that the statement sees.
    pub fn since(moment: &Moment, table: &Table, cx: &mut Cx<'_>) -> Result<Changed, SqlError> {
        let now = last_row(table, cx)?;
        cx.txn.begin_statement_at(moment);
        let end = last_row(table, cx)?.max(now);
        cx.txn.begin_statement();
        Ok(Changed { moment: moment.clone(), at: Some(Bound::Unbounded), end, rows: Vec::new() })
    }

    /// The next of them; none is left if there are none.
    pub fn next(&mut self, table: &Table, cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
        while self.rows.is_empty() && self.at.is_some() {
            let (tree, end) = (table.heap.tree, &self.end[..]);
            let found = cx.txn.changed_since(tree, &self.moment, &mut self.at, end, LEFT_MAX)?;
            self.rows = found.iter().map(|id| decode_rowid(id)).collect::<Result<_, _>>()?;
        }
        Ok(self.rows.split_off(self.rows.len().saturating_sub(ROWS_AT_ONCE)))
    }
}

/// The last row that the statement sees; empty: there is none.
fn last_row(table: &Table, cx: &mut Cx<'_>) -> Result<Vec<u8>, SqlError> {
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Backward)?;
    Ok(cursor.next(cx.txn)?.map(|(id, _)| id.to_vec()).unwrap_or_default())
}

/// What is done with rows that have been changed since a moment.
pub(crate) enum Pass<'m> {
    /// They lose the entries that they had then and have no more. Every writer takes entries away with his rows, and adds none: one that goes although its
    /// row has come to have it again is added later.
    TakeAway(&'m Moment),
    /// They get their entries. Every writer writes them.
    Add,
}

impl Pass<'_> {
    /// Visits some rows; the transaction is to be committed then. Gives those that have to be visited alone: nobody is waited for.
    pub fn visit(&self, rows: &[u64], f: Filled<'_>, cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
        let (mut left, mut entries) = (Vec::new(), Entries::default());
        for &id in rows {
            cx.check_interrupt()?;
            match self {
                Pass::TakeAway(moment) => {
                    if let Visited::WaitFor(..) = take_away(id, moment, f, cx)? {
                        left.push(id);
                    }
                }
                Pass::Add => {
                    let stored = cx.txn.get(f.table.heap.tree, &key_of(id))?;
                    let of_row = f.entries(id, stored.as_deref(), cx)?;
                    of_row.keys().for_each(|key| entries.push(key, &of_row.value));
                }
            }
        }
        left.extend(write(entries, f, cx)?);
        Ok(left)
    }

    /// Visits a single row. Blocks for whoever has locked it.
    pub fn visit_alone(&self, id: u64, f: Filled<'_>, cx: &mut Cx<'_>) -> Result<Visited, SqlError> {
        match self {
            Pass::TakeAway(moment) => take_away(id, moment, f, cx),
            Pass::Add => add(id, f, cx),
        }
    }
}

fn key_of(id: u64) -> Vec<u8> {
    let mut key = Vec::new();
    encode_rowid(id, &mut key);
    key
}

/// Takes a row's entries away that it had at a moment and has no more.
fn take_away(id: u64, moment: &Moment, f: Filled<'_>, cx: &mut Cx<'_>) -> Result<Visited, SqlError> {
    let (heap, index, row) = (f.table.heap.tree, f.index.tree, key_of(id));
    cx.txn.begin_statement_at(moment);
    let before = cx.txn.get(heap, &row)?;
    cx.txn.begin_statement();
    let now = cx.txn.get(heap, &row)?;
    let (before, now) = (f.entries(id, before.as_deref(), cx)?, f.entries(id, now.as_deref(), cx)?);
    cx.txn.set_lock_timeout(Some(Duration::ZERO));
    let stays = |key: &&[u8]| now.has(key) && now.value == before.value;
    for key in before.keys().filter(|key| !stays(key)) {
        let is_own = |v: &Vec<u8>| row_id_of(v) == row;
        if !cx.txn.get(index, key)?.as_ref().is_some_and(is_own) {
            continue; // gone with what took it away
        }
        match cx.txn.delete(index, key) {
            Ok(_) => {}
            Err(Error::LockNotAvailable) => return Ok(Visited::WaitFor(index, key.to_vec())),
            Err(e) => return Err(e.into()),
        }
    }
    Ok(Visited::Done)
}

/// Gives a row its entries, under its lock.
fn add(id: u64, f: Filled<'_>, cx: &mut Cx<'_>) -> Result<Visited, SqlError> {
    let (heap, index, row) = (f.table.heap.tree, f.index.tree, key_of(id));
    let stored = match cx.txn.lock(heap, &row, LockMode::Share, WaitPolicy::Block)? {
        Locked::Current(stored) | Locked::Changed(stored) => stored,
        Locked::Gone | Locked::Skipped => return Ok(Visited::Done),
    };
    let of_row = f.entries(id, Some(&stored), cx)?;
    cx.txn.set_lock_timeout(Some(Duration::ZERO));
    cx.txn.begin_statement();
    for key in of_row.keys() {
        match cx.txn.insert(index, key, &of_row.value) {
            Ok(()) => {}
            Err(Error::LockNotAvailable) => {
                return Ok(Visited::WaitFor(index, key.to_vec())); // invariant 2
            }
            Err(Error::DuplicateKey) => match cx.txn.get(index, key)? {
                Some(value) if row_id_of(&value) == row => {}
                Some(value) if cx.txn.is_unchanged(heap, row_id_of(&value))? => {
                    return Err(f.duplicate(&row, cx));
                }
                // Whose it is may be about to lose it.
                Some(value) => return Ok(Visited::WaitFor(heap, row_id_of(&value).to_vec())),
                None => return Ok(Visited::WaitFor(index, key.to_vec())),
            },
            Err(e) => return Err(f.other_error(e)),
        }
    }
    Ok(Visited::Done)
}

/// Waits until nobody is about to write a row or an entry, or take it away.
pub(crate) fn wait_for(tree: TreeId, key: &[u8], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    match cx.txn.check_newest(tree, key, true) {
        // What is there now is for the next visit to see.
        Ok(()) | Err(Error::SerializationFailure) => Ok(()),
        Err(e) => Err(e.into()),
    }
}
