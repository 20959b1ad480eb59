//! Undo in memory: what a transaction replaced, for its rollback and for snapshots that do not see it. Overflow goes to an unlogged scratch
//! file that is discarded at the next start.
//!
//! Invariants
//! 1. An entry is named by (transaction, sequence), never by an address. Sequences grow and are not used again, not even after a rollback to a
//!    savepoint: a reader with a stale name finds nothing and looks at the row again.
//! 2. `push` cannot fail: `prepare` has made room before any latch was taken.
//! 3. Memory for sealed chunks of all transactions stays below `undo_buffers`; spilled chunks below `undo_spill_limit`.

use super::reserve::Reserve;
use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Error, Lsn, Result, TreeId, TxnId};
use crate::btree::entry::Head;
use crate::io::{Access, Disk, File, OpenMode, read_exact_at, write_all_at};
use parking_lot::Mutex;
use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a chunk: the unit of spilling. The longest entry (an item and a key) fits with room to spare.
const CHUNK_BYTES: usize = 64 * 1024;
/// Room that `prepare` guarantees for one entry.
const ENTRY_BYTES_MAX: usize = 3 * crate::btree::MAX_ITEM_BYTES;
const NAME: &str = "undo.scratch";

/// What one change replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// An entry was made out of nothing.
    Insert {
        /// Its key.
        key: Vec<u8>,
    },
    /// An entry was overwritten, or marked deleted (`delete`: then it is to be purged one day).
    Change {
        /// Whether the change was a delete.
        delete: bool,
        /// Its key.
        key: Vec<u8>,
        /// The version head before.
        head: Head,
        /// The stored value before.
        value: Vec<u8>,
    },
    /// An overflow chain was begun.
    Chain {
        /// Its first block.
        head: u32,
    },
    /// The tree was created.
    Tree,
}

/// An entry with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndoEntry {
    /// Its sequence.
    pub seq: u32,
    /// The tree it concerns.
    pub tree: TreeId,
    /// LSN of the transaction's record before the one that it belongs to: where undo goes on.
    pub prev_lsn: Lsn,
    /// What to put back.
    pub entry: Entry,
}

/// Limits and the scratch file, shared by all transactions.
pub struct UndoSpace {
    disk: Arc<dyn Disk>,
    memory: AtomicU64,
    memory_limit: u64,
    spill: Mutex<Spill>,
    spill_limit: u64,
}

#[derive(Default)]
struct Spill {
    file: Option<Arc<dyn File>>,
    free: Vec<u32>,
    next: u32,
}

impl UndoSpace {
    /// Discards an old scratch file.
    pub fn new(disk: Arc<dyn Disk>, memory_limit: u64, spill_limit: u64) -> Result<UndoSpace> {
        if disk.exists(NAME).map_err(|e| Error::io("looking for the undo scratch file", e))? {
            disk.remove(NAME).map_err(|e| Error::io("removing the undo scratch file", e))?;
        }
        Ok(UndoSpace { disk, memory: AtomicU64::new(0), memory_limit, spill: Mutex::default(), spill_limit })
    }

    /// Bytes of undo in memory.
    pub fn memory_bytes(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// Bytes of undo in the scratch file.
    pub fn spilled_bytes(&self) -> u64 {
        let s = self.spill.lock();
        (u64::from(s.next) - s.free.len() as u64) * CHUNK_BYTES as u64
    }

    fn write(&self, bytes: &[u8]) -> Result<u32> {
        let (slot, file) = {
            let mut s = self.spill.lock();
            if s.file.is_none() {
                let f = self.disk.open(NAME, OpenMode::CreateIfMissing, Access::Buffered);
                s.file = Some(f.map_err(|e| Error::io("creating the undo scratch file", e))?);
            }
            let file = s.file.clone().expect("just opened");
            let slot = match s.free.pop() {
                Some(slot) => slot,
                None if (u64::from(s.next) + 1) * CHUNK_BYTES as u64 <= self.spill_limit => {
                    s.next += 1;
                    s.next - 1
                }
                None => return Err(Error::OutOfSpace { what: "undo: undo_spill_limit is reached".into() }),
            };
            (slot, file)
        };
        write_all_at(&*file, &mut [IoSlice::new(bytes)], u64::from(slot) * CHUNK_BYTES as u64).map_err(
            |e| {
                self.spill.lock().free.push(slot);
                Error::io("writing the undo scratch file", e)
            },
        )?;
        Ok(slot)
    }

    fn read(&self, slot: u32, len: usize) -> Result<Vec<u8>> {
        let file = self.spill.lock().file.clone().expect("a spilled chunk has a file");
        let mut out = vec![0; len];
        read_exact_at(&*file, &mut out, u64::from(slot) * CHUNK_BYTES as u64)
            .map_err(|e| Error::io("reading the undo scratch file", e))?;
        Ok(out)
    }
}

enum Bytes {
    Memory(Vec<u8>),
    Spilled { slot: u32, len: usize },
}

struct Chunk {
    /// (sequence, offset) of its entries, ascending.
    entries: Vec<(u32, u32)>,
    bytes: Bytes,
}

#[derive(Default)]
struct Log {
    chunks: Vec<Chunk>,
    next_seq: u32,
}

/// One transaction's undo.
pub struct UndoLog {
    space: Arc<UndoSpace>,
    log: Mutex<Log>,
    /// Log space for undoing it.
    pub(super) reserve: Reserve,
}

impl UndoLog {
    /// Empty; sequences start at 1.
    pub fn new(space: Arc<UndoSpace>) -> UndoLog {
        UndoLog {
            space,
            log: Mutex::new(Log { chunks: Vec::new(), next_seq: 1 }),
            reserve: Reserve::default(),
        }
    }

    /// The sequence that the next entry will have.
    pub fn next_seq(&self) -> u32 {
        self.log.lock().next_seq
    }

    /// Makes sure that the next `push` has room (invariant 2), spilling if memory is short. No latch may be held.
    pub fn prepare(&self) -> Result<()> {
        let mut log = self.log.lock();
        if log.next_seq >= u32::MAX - 8 {
            return Err(Error::InvalidArgument("a transaction may make at most 4 billion changes".into()));
        }
        let full = match log.chunks.last() {
            Some(Chunk { bytes: Bytes::Memory(b), .. }) => b.len() + ENTRY_BYTES_MAX > CHUNK_BYTES,
            _ => true,
        };
        if !full {
            return Ok(());
        }
        if self.space.memory_bytes() + CHUNK_BYTES as u64 > self.space.memory_limit {
            // The oldest of this transaction's chunks that is still in memory.
            if let Some(chunk) = log.chunks.iter_mut().find(|c| matches!(c.bytes, Bytes::Memory(_)))
                && let Bytes::Memory(b) = &chunk.bytes
            {
                let (slot, len) = (self.space.write(b)?, b.len());
                chunk.bytes = Bytes::Spilled { slot, len };
                self.space.memory.fetch_sub(CHUNK_BYTES as u64, Ordering::Relaxed);
            }
        }
        self.space.memory.fetch_add(CHUNK_BYTES as u64, Ordering::Relaxed);
        let small = log.chunks.is_empty();
        let bytes = Vec::with_capacity(if small { 1024 } else { CHUNK_BYTES });
        log.chunks.push(Chunk { entries: Vec::new(), bytes: Bytes::Memory(bytes) });
        Ok(())
    }

    /// Appends an entry after `prepare` and gives its sequence.
    pub fn push(&self, tree: TreeId, prev_lsn: Lsn, entry: &EntryRef<'_>) -> u32 {
        let mut log = self.log.lock();
        let seq = log.next_seq;
        log.next_seq += 1;
        let Some(Chunk { entries, bytes: Bytes::Memory(out) }) = log.chunks.last_mut() else {
            panic!("undo was not prepared (invariant 2)");
        };
        entries.push((seq, out.len() as u32));
        entry.encode(tree, prev_lsn, out);
        assert!(out.len() <= CHUNK_BYTES, "an undo entry outgrew its chunk");
        seq
    }

    /// Takes back the entry pushed last, whose change never happened.
    pub fn unpush(&self, seq: u32) {
        let mut log = self.log.lock();
        if let Some(Chunk { entries, bytes: Bytes::Memory(b) }) = log.chunks.last_mut() {
            let (last, at) = entries.pop().expect("an entry was pushed");
            assert_eq!(last, seq, "only the last entry can be taken back");
            b.truncate(at as usize);
        }
    }

    /// The entry with this sequence; `None` if it is gone.
    pub fn get(&self, seq: u32) -> Result<Option<UndoEntry>> {
        let log = self.log.lock();
        let i = log.chunks.partition_point(|c| c.entries.first().is_some_and(|e| e.0 <= seq));
        let Some(chunk) = i.checked_sub(1).map(|i| &log.chunks[i]) else { return Ok(None) };
        let Ok(at) = chunk.entries.binary_search_by_key(&seq, |e| e.0) else { return Ok(None) };
        let from = chunk.entries[at].1 as usize;
        match &chunk.bytes {
            Bytes::Memory(b) => decode(seq, &b[from..]).map(Some),
            Bytes::Spilled { slot, len } => decode(seq, &self.space.read(*slot, *len)?[from..]).map(Some),
        }
    }

    /// The newest entry, if its sequence is at least `from`; it stays.
    pub fn last(&self, from: u32) -> Result<Option<UndoEntry>> {
        let mut log = self.log.lock();
        while log.chunks.last().is_some_and(|c| c.entries.is_empty()) {
            let chunk = log.chunks.pop().expect("there is a last");
            self.release(&chunk);
        }
        let Some(chunk) = log.chunks.last_mut() else { return Ok(None) };
        if let Bytes::Spilled { slot, len } = chunk.bytes {
            // Rolling back: bring the whole chunk back, its entries follow one by one.
            chunk.bytes = Bytes::Memory(self.space.read(slot, len)?);
            self.space.spill.lock().free.push(slot);
            self.space.memory.fetch_add(CHUNK_BYTES as u64, Ordering::Relaxed);
        }
        let (seq, at) = *chunk.entries.last().expect("empty chunks were dropped");
        match &chunk.bytes {
            Bytes::Memory(b) if seq >= from => decode(seq, &b[at as usize..]).map(Some),
            _ => Ok(None),
        }
    }

    /// Removes the newest entry, which was undone.
    pub fn pop(&self, seq: u32) {
        self.unpush(seq);
    }

    /// The entries of the chunk with this number, oldest first; `None` behind the last.
    pub fn chunk(&self, number: usize) -> Result<Option<Vec<UndoEntry>>> {
        let log = self.log.lock();
        let Some(chunk) = log.chunks.get(number) else { return Ok(None) };
        let spilled;
        let bytes = match &chunk.bytes {
            Bytes::Memory(b) => b,
            Bytes::Spilled { slot, len } => {
                spilled = self.space.read(*slot, *len)?;
                &spilled
            }
        };
        chunk
            .entries
            .iter()
            .map(|(seq, at)| decode(*seq, &bytes[*at as usize..]))
            .collect::<Result<_>>()
            .map(Some)
    }

    fn release(&self, chunk: &Chunk) {
        match chunk.bytes {
            Bytes::Memory(_) => {
                self.space.memory.fetch_sub(CHUNK_BYTES as u64, Ordering::Relaxed);
            }
            Bytes::Spilled { slot, .. } => self.space.spill.lock().free.push(slot),
        }
    }
}

impl Drop for UndoLog {
    fn drop(&mut self) {
        let chunks = std::mem::take(&mut self.log.lock().chunks);
        chunks.iter().for_each(|c| self.release(c));
    }
}

/// An entry to be pushed, borrowed.
pub enum EntryRef<'a> {
    /// See [`Entry::Insert`].
    Insert(&'a [u8]),
    /// See [`Entry::Change`]: delete, key, head, value.
    Change(bool, &'a [u8], Head, &'a [u8]),
    /// See [`Entry::Chain`].
    Chain(u32),
    /// See [`Entry::Tree`].
    Tree,
}

impl EntryRef<'_> {
    fn encode(&self, tree: TreeId, prev_lsn: Lsn, out: &mut Vec<u8>) {
        let kind = match self {
            EntryRef::Insert(_) => 1,
            EntryRef::Change(false, ..) => 2,
            EntryRef::Change(true, ..) => 5,
            EntryRef::Chain(_) => 3,
            EntryRef::Tree => 4,
        };
        out.push(kind);
        put_varint(out, tree.0);
        put_varint(out, prev_lsn.0);
        match self {
            EntryRef::Insert(key) => put_bytes(out, key),
            EntryRef::Change(_, key, head, value) => {
                put_bytes(out, key);
                out.push(head.flags);
                put_varint(out, head.txn.0);
                put_varint(out, u64::from(head.seq));
                put_bytes(out, value);
            }
            EntryRef::Chain(block) => put_varint(out, u64::from(*block)),
            EntryRef::Tree => {}
        }
    }
}

fn decode(seq: u32, bytes: &[u8]) -> Result<UndoEntry> {
    let mut r = Reader::new(bytes, "undo entry");
    let kind = r.u8()?;
    let tree = TreeId(r.varint()?);
    let prev_lsn = Lsn(r.varint()?);
    let entry = match kind {
        1 => Entry::Insert { key: r.bytes()?.to_vec() },
        2 | 5 => {
            let key = r.bytes()?.to_vec();
            let flags = r.u8()?;
            let head = Head { flags, txn: TxnId(r.varint()?), seq: r.varint()? as u32 };
            Entry::Change { delete: kind == 5, key, head, value: r.bytes()?.to_vec() }
        }
        3 => Entry::Chain { head: r.varint()? as u32 },
        4 => Entry::Tree,
        _ => return Err(r.bad("unknown kind")),
    };
    Ok(UndoEntry { seq, tree, prev_lsn, entry })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{SimDisk, SimOptions};

    fn space(memory: u64, spill: u64) -> Arc<UndoSpace> {
        let disk = SimDisk::new(SimOptions::default());
        Arc::new(UndoSpace::new(Arc::new(disk), memory, spill).unwrap())
    }

    fn push(log: &UndoLog, i: u32) -> u32 {
        log.prepare().unwrap();
        log.push(
            TreeId(9),
            Lsn(u64::from(i)),
            &EntryRef::Change(false, b"key", Head::default(), &[i as u8; 1000]),
        )
    }

    #[test]
    fn entries_come_back_by_sequence_from_memory_and_from_the_scratch_file() {
        let space = space(2 * CHUNK_BYTES as u64, 1 << 30);
        let log = UndoLog::new(space.clone());
        let seqs: Vec<u32> = (0..1000).map(|i| push(&log, i)).collect();
        assert!(space.spilled_bytes() > 0);
        for (i, seq) in seqs.iter().enumerate() {
            let e = log.get(*seq).unwrap().unwrap();
            assert_eq!((e.seq, e.prev_lsn.0), (*seq, i as u64));
        }
        for seq in seqs.iter().rev() {
            assert_eq!(log.last(0).unwrap().unwrap().seq, *seq);
            log.pop(*seq);
            assert!(log.get(*seq).unwrap().is_none());
        }
        assert!(log.last(0).unwrap().is_none());
        drop(log);
        assert_eq!((space.memory_bytes(), space.spilled_bytes()), (0, 0));
    }

    #[test]
    fn a_sequence_is_not_used_again_after_it_was_undone() {
        let log = UndoLog::new(space(1 << 20, 1 << 20));
        let first = push(&log, 1);
        log.pop(first);
        assert!(push(&log, 2) > first);
    }

    #[test]
    fn the_spill_limit_is_an_error_before_anything_changed() {
        let log = UndoLog::new(space(CHUNK_BYTES as u64, 2 * CHUNK_BYTES as u64));
        let mut n = 0;
        let err = loop {
            match log.prepare() {
                Ok(()) => {
                    log.push(TreeId(1), Lsn(0), &EntryRef::Insert(&[7; 1000]));
                    n += 1;
                }
                Err(e) => break e,
            }
        };
        assert!(matches!(err, Error::OutOfSpace { .. }));
        assert!((120..260).contains(&n), "{n}");
        assert_eq!(log.last(0).unwrap().unwrap().seq, n);
    }
}
