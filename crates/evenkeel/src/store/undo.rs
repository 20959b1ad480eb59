//! Undo in memory: what a transaction replaced, for its rollback and for snapshots that do not see it. Overflow goes to an unlogged scratch
//! file that is discarded at the next start.
//!
//! Invariants
//! 1. An entry is named by (transaction, sequence), never by an address. Sequences grow and are not used again, not even after a rollback to a
//!    savepoint: a reader with a stale name finds nothing and looks at the row again.
//! 2. `push` cannot fail: `prepare` has made room before any latch was taken.
//! 3. An entry carries its sequence, so that of every chunk only each [`STRIDE`]th entry's place is kept in memory, spilled or not.
//! 4. Memory for sealed chunks of all transactions stays below `undo_buffers`; spilled chunks below `undo_spill_limit`.

use super::reserve::Reserve;
use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Error, Lsn, Result, TreeId, TxnId};
use crate::btree::entry::Head;
use crate::io::{Access, Disk, File, OpenMode, read_exact_at, write_all_at};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a chunk: the unit of spilling. The longest entry (an item and a key) fits with room to spare.
const CHUNK_BYTES: usize = 64 * 1024;
/// Room that `prepare` guarantees for one entry.
const ENTRY_BYTES_MAX: usize = 3 * crate::btree::MAX_ITEM_BYTES;
/// Entries from one whose place is kept to the next.
const STRIDE: u32 = 32;
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
    /// (sequence, offset) of the first entry and of each `STRIDE`th after it.
    places: Vec<(u32, u32)>,
    entries: u32,
    /// (sequence, offset) of the newest.
    last: (u32, u32),
    bytes: Bytes,
}

impl Chunk {
    fn add(&mut self, seq: u32, at: u32) {
        if self.entries.is_multiple_of(STRIDE) {
            self.places.push((seq, at));
        }
        self.entries += 1;
        self.last = (seq, at);
    }

    /// Takes back the newest entry.
    fn remove_last(&mut self) -> Result<()> {
        let Bytes::Memory(bytes) = &mut self.bytes else { panic!("a spilled chunk does not change") };
        bytes.truncate(self.last.1 as usize);
        self.entries -= 1;
        if self.places.last() == Some(&self.last) {
            self.places.pop();
        }
        let Some(&(mut seq, mut at)) = self.places.last() else { return Ok(()) };
        loop {
            self.last = (seq, at);
            at += span(&bytes[at as usize..])?.1 as u32;
            if at as usize == bytes.len() {
                return Ok(());
            }
            seq = span(&bytes[at as usize..])?.0;
        }
    }

    /// Where the entry with this sequence is, in the chunk's bytes.
    fn find(&self, seq: u32, bytes: &[u8]) -> Result<Option<usize>> {
        let i = self.places.partition_point(|p| p.0 <= seq);
        let Some(&(_, at)) = i.checked_sub(1).map(|i| &self.places[i]) else { return Ok(None) };
        let mut at = at as usize;
        while at < bytes.len() {
            let (found, len) = span(&bytes[at..])?;
            if found >= seq {
                return Ok((found == seq).then_some(at));
            }
            at += len;
        }
        Ok(None)
    }
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
        log.chunks.push(Chunk { places: Vec::new(), entries: 0, last: (0, 0), bytes: Bytes::Memory(bytes) });
        Ok(())
    }

    /// Appends an entry after `prepare` and gives its sequence.
    pub fn push(&self, tree: TreeId, prev_lsn: Lsn, entry: &EntryRef<'_>) -> u32 {
        let mut log = self.log.lock();
        let seq = log.next_seq;
        log.next_seq += 1;
        let chunk = log.chunks.last_mut().expect("undo was prepared (invariant 2)");
        let Bytes::Memory(out) = &mut chunk.bytes else { panic!("undo was not prepared (invariant 2)") };
        let at = out.len() as u32;
        entry.encode(seq, tree, prev_lsn, out);
        assert!(out.len() <= CHUNK_BYTES, "an undo entry outgrew its chunk");
        chunk.add(seq, at);
        seq
    }

    /// Takes back the entry pushed last, whose change never happened.
    pub fn unpush(&self, seq: u32) {
        let mut log = self.log.lock();
        if let Some(chunk) = log.chunks.last_mut() {
            assert!(chunk.entries > 0 && chunk.last.0 == seq, "only the last entry can be taken back");
            chunk.remove_last().expect("undo in memory is whole");
        }
    }

    /// The entry with this sequence; `None` if it is gone.
    pub fn get(&self, seq: u32) -> Result<Option<UndoEntry>> {
        let log = self.log.lock();
        let i = log.chunks.partition_point(|c| c.places.first().is_some_and(|e| e.0 <= seq));
        let Some(chunk) = i.checked_sub(1).map(|i| &log.chunks[i]) else { return Ok(None) };
        if seq > chunk.last.0 {
            return Ok(None);
        }
        let bytes = self.bytes(chunk)?;
        chunk.find(seq, &bytes)?.map(|at| decode(&bytes[at..])).transpose()
    }

    /// The newest entry, if its sequence is at least `from`; it stays.
    pub fn last(&self, from: u32) -> Result<Option<UndoEntry>> {
        let mut log = self.log.lock();
        while log.chunks.last().is_some_and(|c| c.entries == 0) {
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
        let (seq, at) = chunk.last;
        match &chunk.bytes {
            Bytes::Memory(b) if seq >= from => decode(&b[at as usize..]).map(Some),
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
        let bytes = self.bytes(chunk)?;
        let mut entries = Vec::with_capacity(chunk.entries as usize);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            entries.push(decode(rest)?);
            rest = &rest[span(rest)?.1..];
        }
        Ok(Some(entries))
    }

    fn bytes<'c>(&self, chunk: &'c Chunk) -> Result<Cow<'c, [u8]>> {
        match &chunk.bytes {
            Bytes::Memory(b) => Ok(Cow::Borrowed(b)),
            Bytes::Spilled { slot, len } => self.space.read(*slot, *len).map(Cow::Owned),
        }
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
    fn encode(&self, seq: u32, tree: TreeId, prev_lsn: Lsn, out: &mut Vec<u8>) {
        let kind = match self {
            EntryRef::Insert(_) => 1,
            EntryRef::Change(false, ..) => 2,
            EntryRef::Change(true, ..) => 5,
            EntryRef::Chain(_) => 3,
            EntryRef::Tree => 4,
        };
        put_varint(out, u64::from(seq));
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

/// Sequence and length of the entry that these bytes begin with.
fn span(bytes: &[u8]) -> Result<(u32, usize)> {
    let mut r = Reader::new(bytes, "undo entry");
    let seq = r.varint()? as u32;
    let kind = r.u8()?;
    skip_varints(&mut r, 2)?;
    match kind {
        1 => _ = r.bytes()?,
        2 | 5 => {
            r.bytes()?;
            r.u8()?;
            skip_varints(&mut r, 2)?;
            r.bytes()?;
        }
        3 => skip_varints(&mut r, 1)?,
        4 => {}
        _ => return Err(r.bad("unknown kind")),
    }
    Ok((seq, bytes.len() - r.rest().len()))
}

fn skip_varints(r: &mut Reader<'_>, n: usize) -> Result<()> {
    (0..n).try_for_each(|_| r.varint().map(drop))
}

fn decode(bytes: &[u8]) -> Result<UndoEntry> {
    let mut r = Reader::new(bytes, "undo entry");
    let seq = r.varint()? as u32;
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
    fn entries_are_found_beside_gaps_that_a_rollback_left() {
        let log = UndoLog::new(space(1 << 20, 1 << 20));
        let mut seqs = Vec::new();
        for round in 0..20 {
            seqs.extend((0..37).map(|i| push(&log, i)));
            for _ in 0..round {
                let gone = seqs.pop().unwrap();
                assert_eq!(log.last(0).unwrap().unwrap().seq, gone);
                log.pop(gone);
                assert_eq!(log.get(gone).unwrap(), None);
            }
        }
        for seq in 0..=*seqs.last().unwrap() + 1 {
            assert_eq!(log.get(seq).unwrap().map(|e| e.seq), seqs.contains(&seq).then_some(seq));
        }
        let chunks = (0..).map_while(|n| log.chunk(n).unwrap()).flatten().map(|e| e.seq);
        assert_eq!(chunks.collect::<Vec<_>>(), seqs);
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
