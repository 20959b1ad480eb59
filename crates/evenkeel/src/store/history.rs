//! Undo of small transactions that have committed while an older snapshot still needs what they replaced: many to a chunk, which is spilled as any other, so that
//! a small commit behind an old snapshot costs the bytes that it replaced and not a byte of memory for good.
//!
//! Chunk: for each transaction, by id, its id varint, flags u8 ([`OWES_PENDING`]), length of its entries varint, the entries that have a version of a row
//! (`undo_entry.rs`); then the places of each [`STRIDE`]th (id u64, offset u32); where these begin u32.
//!
//! Transactions come in the order of their commits, about: a chunk goes when every snapshot sees all of it. They are found by id: the directory says for each 256
//! ids which chunks have which of them. Ids follow commits closely, so a chunk of a few hundred transactions has two or three such lines.
//!
//! Invariants
//! 1. A transaction is here before the manager forgets it, and goes when no snapshot can ask for it: who sees neither looks at the row again.
//! 2. Nothing is read from the disk under the lock.
//!
//! Must not know: who sees what.

use super::undo_entry::{Entry, UndoEntry, decode, span};
use super::undo_space::{CHUNK_BYTES, Chunk, Near, UndoSpace};
use crate::base::codec::{Reader, put_varint, u32_at, u64_at};
use crate::base::sync::{AtomicBool, Mutex, Ordering};
use crate::base::{Result, TreeId, TxnId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A transaction with more undo than this keeps it by itself.
pub(super) const SMALL_BYTES_MAX: usize = CHUNK_BYTES / 2;
/// The transaction has rows in the pending tree.
const OWES_PENDING: u8 = 1;
/// Most bytes before a transaction's entries.
const HEAD_BYTES_MAX: usize = 16;
/// Transactions from one whose place is in the chunk to the next.
const STRIDE: usize = 16;
/// Bytes of a place.
const PLACE_BYTES: usize = 12;
/// Memory of an open chunk: its bytes, and the places of all its transactions.
const OPEN_BYTES: u64 = 2 * CHUNK_BYTES as u64;
/// Ids to a line of the directory.
const LINE_IDS: u64 = 256;
/// Memory of a line that names one chunk, about.
const LINE_BYTES: u64 = 96;

/// Which of a line's ids a chunk has.
type Ids = [u64; LINE_IDS as usize / 64];

/// What a line says of a chunk.
struct Line {
    number: u64,
    ids: Ids,
    /// Of a standby: each id's place in the line, and its commit.
    commits: Vec<(u8, u64)>,
}

/// Memory of an entry of `Line::commits`.
const COMMIT_BYTES: u64 = size_of::<(u8, u64)>() as u64;

/// Undo of finished transactions.
pub(super) struct History {
    space: Arc<UndoSpace>,
    inner: Mutex<Inner>,
    empty: AtomicBool,
    keeps_commits: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// Oldest first.
    sealed: VecDeque<Part>,
    /// Number of the first; the open one's follows on the last's.
    first: u64,
    open: Option<Open>,
    /// By id / `LINE_IDS`: numbers of chunks, and what they have.
    directory: BTreeMap<u64, Vec<Line>>,
}

/// What is known of a chunk.
struct Part {
    chunk: Arc<Chunk>,
    about: About,
}

#[derive(Default)]
struct About {
    /// Lines of the directory that name it.
    lines: Vec<u64>,
    /// The newest commit in it.
    newest: u64,
    /// Transactions in it after which there is something to purge.
    owing: usize,
}

#[derive(Default)]
struct Open {
    bytes: Vec<u8>,
    /// Where each transaction is.
    places: BTreeMap<u64, u32>,
    about: About,
}

/// What there is to purge after transactions that are gone from here.
pub(super) struct Owed {
    chunk: Arc<Chunk>,
    /// How many transactions.
    pub(super) transactions: usize,
}

/// A finished transaction that is moved here.
pub(super) struct Moved {
    pub(super) id: TxnId,
    /// Its place among the commits.
    pub(super) commit: u64,
    /// It marked rows deleted.
    pub(super) deletes: bool,
    /// It has rows in the pending tree.
    pub(super) pending: bool,
}

/// Transactions of a chunk, one after another.
struct Transactions<'b>(Reader<'b>);

impl<'b> Transactions<'b> {
    fn of(bytes: &'b [u8]) -> Transactions<'b> {
        Transactions(Reader::new(bytes, "undo of finished transactions"))
    }

    fn next(&mut self) -> Result<Option<(TxnId, u8, &'b [u8])>> {
        if self.0.rest().is_empty() {
            return Ok(None);
        }
        Ok(Some((TxnId(self.0.varint()?), self.0.u8()?, self.0.bytes()?)))
    }

    /// Bytes of the first.
    fn first_len(mut self) -> usize {
        let all = self.0.rest().len();
        self.next().expect("undo in memory is whole");
        all - self.0.rest().len()
    }

    /// The entry of one of them.
    fn find(mut self, txn: TxnId, seq: u32) -> Result<Option<UndoEntry>> {
        while let Some((id, _, mut entries)) = self.next()? {
            while id == txn && !entries.is_empty() {
                let s = span(entries)?;
                if s.seq == seq {
                    return decode(entries).map(Some);
                }
                entries = &entries[s.len..];
            }
            if id >= txn {
                break;
            }
        }
        Ok(None)
    }
}

/// A sealed chunk's transactions and their places.
fn split(chunk: &[u8]) -> (&[u8], &[u8]) {
    let end = chunk.len() - 4;
    let at = u32_at(chunk, end) as usize;
    (&chunk[..at], &chunk[at..end])
}

/// Whether a chunk with this many transactions has room for so many bytes more, and what comes behind them.
fn is_full(bytes: usize, transactions: usize, more: usize) -> bool {
    bytes + more + HEAD_BYTES_MAX + (transactions / STRIDE + 1) * PLACE_BYTES + 4 > CHUNK_BYTES
}

impl History {
    pub(super) fn new(space: Arc<UndoSpace>) -> History {
        History {
            space,
            inner: Mutex::default(),
            empty: AtomicBool::new(true),
            keeps_commits: AtomicBool::new(false),
        }
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.empty.load(Ordering::Relaxed)
    }

    /// Takes over a transaction's undo: `entries`, of which those stay that have a version of a row. False: nobody will ask for any of it, and it is not kept.
    pub(super) fn add(&self, txn: &Moved, entries: &[u8]) -> bool {
        let mut versions = Vec::with_capacity(entries.len());
        let mut rest = entries;
        while !rest.is_empty() {
            let s = span(rest).expect("undo in memory is whole");
            if s.has_version {
                versions.extend_from_slice(&rest[..s.len]);
            }
            rest = &rest[s.len..];
        }
        if versions.is_empty() && !txn.pending {
            return false; // nobody will ask
        }
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        if inner.open.as_ref().is_some_and(|o| is_full(o.bytes.len(), o.places.len(), versions.len())) {
            inner.seal(&self.space);
        }
        let number = inner.first + inner.sealed.len() as u64;
        let open = inner.open.get_or_insert_with(|| {
            self.space.took(OPEN_BYTES);
            Open { bytes: Vec::with_capacity(CHUNK_BYTES), ..Open::default() }
        });
        open.places.insert(txn.id.0, open.bytes.len() as u32);
        put_varint(&mut open.bytes, txn.id.0);
        open.bytes.push(if txn.pending { OWES_PENDING } else { 0 });
        put_varint(&mut open.bytes, versions.len() as u64);
        open.bytes.extend_from_slice(&versions);
        open.about.newest = open.about.newest.max(txn.commit);
        open.about.owing += usize::from(txn.pending || txn.deletes);
        let (line, bit) = (txn.id.0 / LINE_IDS, txn.id.0 % LINE_IDS);
        let chunks = inner.directory.entry(line).or_default();
        if chunks.last().is_none_or(|c| c.number != number) {
            chunks.push(Line { number, ids: Ids::default(), commits: Vec::new() });
            open.about.lines.push(line);
            self.space.took(LINE_BYTES);
        }
        let own = chunks.last_mut().expect("just seen to");
        own.ids[bit as usize / 64] |= 1 << (bit % 64);
        if self.keeps_commits.load(Ordering::Relaxed) {
            own.commits.push((bit as u8, txn.commit));
            self.space.took(COMMIT_BYTES);
        }
        self.empty.store(false, Ordering::Relaxed);
        true
    }

    /// Whether a transaction is here.
    pub(super) fn has(&self, txn: TxnId) -> bool {
        !self.is_empty() && self.inner.lock().number(txn).is_some()
    }

    /// From now on says of whom it takes in which commit it was: for a standby.
    pub(super) fn keep_commits(&self) {
        self.keeps_commits.store(true, Ordering::Relaxed);
    }

    /// The number of a transaction's commit, if it is here and was taken in with it.
    pub(super) fn commit_of(&self, txn: TxnId) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let (line, bit) = (txn.0 / LINE_IDS, (txn.0 % LINE_IDS) as u8);
        let inner = self.inner.lock();
        let mut commits = inner.directory.get(&line)?.iter().flat_map(|c| &c.commits);
        commits.find(|(at, _)| *at == bit).map(|(_, commit)| *commit)
    }

    /// An entry of a transaction that is here; else `None`. Blocks for the disk if it was spilled.
    pub(super) fn get(&self, txn: TxnId, seq: u32, near: &mut Near) -> Result<Option<UndoEntry>> {
        let chunk = {
            let inner = self.inner.lock();
            let Some(number) = inner.number(txn) else { return Ok(None) };
            match (inner.sealed.get((number - inner.first) as usize), &inner.open) {
                (Some(part), _) => part.chunk.clone(),
                (None, Some(open)) => {
                    let at = open.places[&txn.0] as usize;
                    return Transactions::of(&open.bytes[at..]).find(txn, seq);
                }
                (None, None) => unreachable!("the directory names chunks that are there"),
            }
        };
        let bytes = near.bytes(&chunk)?;
        let (transactions, places) = split(&bytes);
        let places: Vec<&[u8]> = places.chunks_exact(PLACE_BYTES).collect();
        let i = places.partition_point(|p| u64_at(p, 0) <= txn.0);
        let Some(place) = i.checked_sub(1).map(|i| places[i]) else { return Ok(None) };
        Transactions::of(&transactions[u32_at(place, 8) as usize..]).find(txn, seq)
    }

    /// Lets go of what was replaced up to this commit, which every snapshot sees. Gives what there is to purge after it, oldest first.
    pub(super) fn let_go(&self, seen: u64) -> Vec<Owed> {
        let mut inner = self.inner.lock();
        if inner.open.as_ref().is_some_and(|o| o.about.newest <= seen) {
            inner.seal(&self.space);
        }
        let mut owed = Vec::new();
        while inner.sealed.front().is_some_and(|p| p.about.newest <= seen) {
            let Part { chunk, about } = inner.sealed.pop_front().expect("just looked at");
            let number = inner.first;
            inner.first += 1;
            for line in &about.lines {
                let chunks = inner.directory.get_mut(line).expect("the directory has every line");
                chunks.retain(|c| {
                    let stays = c.number != number;
                    if !stays {
                        self.space.gave(COMMIT_BYTES * c.commits.len() as u64);
                    }
                    stays
                });
                if chunks.is_empty() {
                    inner.directory.remove(line);
                }
            }
            self.space.gave(LINE_BYTES * about.lines.len() as u64);
            if about.owing > 0 {
                chunk.keep_for_snapshots(false);
                owed.push(Owed { chunk, transactions: about.owing });
            }
        }
        self.empty.store(inner.sealed.is_empty() && inner.open.is_none(), Ordering::Relaxed);
        owed
    }
}

impl Inner {
    /// The chunk that a transaction is in.
    fn number(&self, txn: TxnId) -> Option<u64> {
        let (line, bit) = (txn.0 / LINE_IDS, txn.0 % LINE_IDS);
        let has = |ids: &Ids| ids[bit as usize / 64] & (1 << (bit % 64)) != 0;
        self.directory.get(&line)?.iter().find(|c| has(&c.ids)).map(|c| c.number)
    }

    fn seal(&mut self, space: &Arc<UndoSpace>) {
        let Some(mut open) = self.open.take() else { return };
        open.about.lines.shrink_to_fit();
        let (mut bytes, mut places) = (Vec::with_capacity(CHUNK_BYTES), Vec::new());
        for (i, (id, from)) in open.places.iter().enumerate() {
            if i % STRIDE == 0 {
                places.extend_from_slice(&id.to_le_bytes());
                places.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            }
            let rest = &open.bytes[*from as usize..];
            bytes.extend_from_slice(&rest[..Transactions::of(rest).first_len()]);
        }
        let end = bytes.len() as u32;
        bytes.extend_from_slice(&places);
        bytes.extend_from_slice(&end.to_le_bytes());
        let chunk = space.seal(bytes, OPEN_BYTES);
        chunk.keep_for_snapshots(true);
        self.sealed.push_back(Part { chunk, about: open.about });
    }
}

impl Owed {
    /// Calls `deleted` with each entry that was marked deleted (its writer, tree, key, sequence), and `pending` with each transaction that has rows in the pending
    /// tree. Blocks for the disk if it was spilled.
    pub(super) fn each(
        &self,
        mut deleted: impl FnMut(TxnId, TreeId, &[u8], u32) -> Result<()>,
        mut pending: impl FnMut(TxnId) -> Result<()>,
    ) -> Result<()> {
        let bytes = self.chunk.bytes()?;
        let mut all = Transactions::of(split(&bytes).0);
        while let Some((id, flags, mut entries)) = all.next()? {
            while !entries.is_empty() {
                let e = decode(entries)?;
                entries = &entries[span(entries)?.len..];
                if let Entry::Change { delete: true, key, .. } = e.entry {
                    deleted(id, e.tree, &key, e.seq)?;
                }
            }
            if flags & OWES_PENDING != 0 {
                pending(id)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Lsn;
    use crate::btree::entry::Head;
    use crate::io::{SimDisk, SimOptions};
    use crate::store::undo_entry::{EntryRef, Old};

    const COUNT: u64 = 20_000;

    fn filled(space: &Arc<UndoSpace>) -> History {
        let history = History::new(space.clone());
        for i in 0..COUNT {
            // Some ids are far from where their commit is.
            let id = if i % 1000 == 7 { COUNT * 2 + i * 17 } else { i + 1 };
            let mut entries = Vec::new();
            EntryRef::Insert(b"nobody asks").encode(1, TreeId(9), Lsn(1), &mut entries);
            let change = EntryRef::Change(i % 10 == 0, b"key", Head::default(), &i.to_le_bytes());
            change.encode(2, TreeId(9), Lsn(2), &mut entries);
            let txn = Moved { id: TxnId(id), commit: i + 1, deletes: i % 10 == 0, pending: i % 20 == 0 };
            history.add(&txn, &entries);
            space.spill().unwrap();
        }
        history
    }

    #[test]
    fn versions_are_found_by_id_and_go_with_their_commits() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let limit = 3 * CHUNK_BYTES as u64;
        let space = Arc::new(UndoSpace::new(disk, limit, 1 << 30).unwrap());
        let history = filled(&space);
        assert!(space.spilled_bytes() > 4 * CHUNK_BYTES as u64);
        assert!(space.memory_bytes() < limit + CHUNK_BYTES as u64, "{}", space.memory_bytes());
        let value = |id: u64| history.get(TxnId(id), 2, &mut Near::default()).unwrap().map(|e| e.entry);
        for i in (0..COUNT).step_by(37).chain((7..COUNT).step_by(1000)) {
            let id = if i % 1000 == 7 { COUNT * 2 + i * 17 } else { i + 1 };
            assert!(
                matches!(value(id), Some(Entry::Change { old, .. }) if old == Old::Value(i.to_le_bytes().into())),
                "{id}"
            );
            assert!(
                history.has(TxnId(id)) && history.get(TxnId(id), 1, &mut Near::default()).unwrap().is_none()
            );
        }
        assert!(value(8).is_none() && !history.has(TxnId(8)));
        let (mut deleted, mut pending) = (0, 0);
        let mut count = |owed: Vec<Owed>| {
            for o in owed {
                let one_deleted = |_, _, _: &[u8], _| {
                    deleted += 1;
                    Ok(())
                };
                let one_pending = |_| {
                    pending += 1;
                    Ok(())
                };
                o.each(one_deleted, one_pending).unwrap();
            }
        };
        count(history.let_go(COUNT / 2));
        assert!(value(COUNT).is_some() && value(1).is_none());
        assert!(value(COUNT / 2 + 100).is_some(), "a chunk stays as long as somebody needs a part of it");
        count(history.let_go(COUNT)); // exactly the newest: also what is not sealed yet
        assert_eq!((deleted, pending), (COUNT / 10, COUNT / 20));
        assert!(history.is_empty() && !history.has(TxnId(5)));
        drop(history);
        assert_eq!((space.memory_bytes(), space.spilled_bytes()), (0, 0));
    }
}
