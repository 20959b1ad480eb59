//! One transaction's undo: what it replaced, for its rollback and for snapshots that do not see it.
//!
//! The newest entries are in an open buffer, older ones in chunks (`undo_space.rs`): entries, oldest first, then the places of some of them
//! (sequence u32, offset u32 each).
//!
//! Invariants
//! 1. An entry is named by (transaction, sequence), never by an address. Sequences grow and are not used again, not even after a rollback to a
//!    savepoint: a reader with a stale name finds nothing and looks at the row again.
//! 2. `push` cannot fail: `prepare` has made room before any latch was taken.
//! 3. An entry carries its sequence, so that only each [`STRIDE`]th entry's place is kept.

use super::reserve::Reserve;
use super::undo_entry::{EntryRef, UndoEntry, decode, span};
use super::undo_space::{CHUNK_BYTES, Chunk, Near, UndoSpace};
use crate::base::codec::u32_at;
use crate::base::sync::Mutex;
use crate::base::{Error, Lsn, Result, TreeId};
use std::sync::Arc;

/// Room that `prepare` guarantees for one entry.
const ENTRY_BYTES_MAX: usize = 3 * crate::btree::MAX_ITEM_BYTES;
/// Entries from one whose place is kept to the next.
const STRIDE: u32 = 32;
/// Bytes of a place.
const PLACE_BYTES: usize = 8;
/// What a transaction's first buffer is allocated with.
const FIRST_BYTES: usize = 1024;
/// Memory of a transaction besides its buffers: its state and its places in the manager's tables.
const TXN_BYTES: u64 = 640;

/// Places of each [`STRIDE`]th entry: (sequence, offset).
type Places = Vec<(u32, u32)>;

/// Entries that can still be added to, and taken back from.
#[derive(Default)]
struct Open {
    bytes: Vec<u8>,
    places: Places,
    entries: u32,
    /// (sequence, offset) of the newest.
    last: (u32, u32),
    /// While entries are taken back: those from the last kept place to the newest, without it, so that a stride is walked once.
    walked: Places,
}

/// Entries that were sealed.
#[derive(Clone)]
struct Sealed {
    chunk: Arc<Chunk>,
    first: u32,
    last: (u32, u32),
    entries: u32,
    /// Where the places begin.
    end: u32,
}

impl Open {
    fn is_full(&self) -> bool {
        self.bytes.len() + ENTRY_BYTES_MAX + (self.places.len() + 1) * PLACE_BYTES > CHUNK_BYTES
    }

    fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.places.capacity() * PLACE_BYTES) as u64
    }

    fn add(&mut self, seq: u32, at: u32) {
        if self.entries.is_multiple_of(STRIDE) {
            self.places.push((seq, at));
        }
        self.entries += 1;
        self.last = (seq, at);
        self.walked.clear();
    }

    /// Takes back the newest entry.
    fn remove_last(&mut self) -> Result<()> {
        self.bytes.truncate(self.last.1 as usize);
        self.entries -= 1;
        if self.places.last() == Some(&self.last) {
            self.places.pop();
        }
        if self.walked.is_empty()
            && let Some(&(_, mut at)) = self.places.last()
        {
            while (at as usize) < self.bytes.len() {
                let s = span(&self.bytes[at as usize..])?;
                self.walked.push((s.seq, at));
                at += s.len as u32;
            }
        }
        self.last = self.walked.pop().unwrap_or(self.last);
        Ok(())
    }

    fn seal(mut self, space: &Arc<UndoSpace>, counted: u64) -> Sealed {
        let end = self.bytes.len() as u32;
        for (seq, at) in &self.places {
            self.bytes.extend_from_slice(&seq.to_le_bytes());
            self.bytes.extend_from_slice(&at.to_le_bytes());
        }
        let first = self.places.first().map_or(0, |p| p.0);
        Sealed { chunk: space.seal(self.bytes, counted), first, last: self.last, entries: self.entries, end }
    }
}

impl Sealed {
    /// The places, out of the chunk's bytes.
    fn places(&self, bytes: &[u8]) -> Places {
        let of = |p: &[u8]| (u32_at(p, 0), u32_at(p, 4));
        bytes[self.end as usize..].chunks_exact(PLACE_BYTES).map(of).collect()
    }

    fn reopen(&self) -> Result<Open> {
        let bytes = self.chunk.bytes()?;
        let places = self.places(&bytes);
        let mut own = Vec::with_capacity(CHUNK_BYTES);
        own.extend_from_slice(&bytes[..self.end as usize]);
        Ok(Open { bytes: own, places, entries: self.entries, last: self.last, walked: Places::new() })
    }
}

/// Where the entry with this sequence is, if it is among `bytes`.
fn find(seq: u32, places: &Places, bytes: &[u8]) -> Result<Option<usize>> {
    let i = places.partition_point(|p| p.0 <= seq);
    let Some(&(_, at)) = i.checked_sub(1).map(|i| &places[i]) else { return Ok(None) };
    let mut at = at as usize;
    while at < bytes.len() {
        let s = span(&bytes[at..])?;
        if s.seq >= seq {
            return Ok((s.seq == seq).then_some(at));
        }
        at += s.len;
    }
    Ok(None)
}

#[derive(Default)]
struct Log {
    sealed: Vec<Sealed>,
    open: Option<Open>,
    next_seq: u32,
    /// Memory counted for the transaction and its open buffer.
    counted: u64,
}

impl Log {
    /// Counts what the open buffer has grown or shrunk by.
    fn count(&mut self, space: &UndoSpace) {
        let now = TXN_BYTES + self.open.as_ref().map_or(0, Open::memory);
        if now > self.counted {
            space.took(now - self.counted);
        } else if now < self.counted {
            space.gave(self.counted - now);
        }
        self.counted = now;
    }

    /// The open buffer becomes a chunk, if there is anything in it.
    fn seal(&mut self, space: &Arc<UndoSpace>) {
        let Some(open) = self.open.take() else { return };
        if open.entries > 0 {
            self.sealed.push(open.seal(space, self.counted - TXN_BYTES));
            self.counted = TXN_BYTES;
        }
        self.count(space);
    }
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
        let log = Mutex::new(Log { next_seq: 1, ..Log::default() });
        UndoLog { space, log, reserve: Reserve::default() }
    }

    /// The sequence that the next entry will have.
    pub fn next_seq(&self) -> u32 {
        self.log.lock().next_seq
    }

    /// Makes sure that the next `push` has room (invariant 2). No latch may be held. When memory is short and cannot be spilled, an error, before anything changed.
    pub fn prepare(&self) -> Result<()> {
        let mut log = self.log.lock();
        if log.next_seq >= u32::MAX - 8 {
            return Err(Error::InvalidArgument("a transaction may make at most 4 billion changes".into()));
        }
        if log.open.as_ref().is_some_and(|o| !o.is_full()) {
            return Ok(());
        }
        let is_first = log.open.is_none() && log.sealed.is_empty();
        match self.space.spill() {
            Err(e) if !is_first => return Err(e),
            _ => {} // a small transaction needs little
        }
        log.seal(&self.space);
        let bytes = Vec::with_capacity(if is_first { FIRST_BYTES } else { CHUNK_BYTES });
        log.open = Some(Open { bytes, ..Open::default() });
        log.count(&self.space);
        Ok(())
    }

    /// Appends an entry after `prepare` and gives its sequence.
    pub fn push(&self, tree: TreeId, prev_lsn: Lsn, entry: &EntryRef<'_>) -> u32 {
        let mut log = self.log.lock();
        let seq = log.next_seq;
        log.next_seq += 1;
        let open = log.open.as_mut().expect("undo was prepared (invariant 2)");
        let before = open.bytes.capacity();
        let at = open.bytes.len() as u32;
        entry.encode(seq, tree, prev_lsn, &mut open.bytes);
        assert!(open.bytes.len() <= CHUNK_BYTES, "an undo entry outgrew its chunk");
        open.add(seq, at);
        if open.bytes.capacity() != before {
            log.count(&self.space);
        }
        seq
    }

    /// Takes back the entry pushed last, whose change never happened or was undone.
    pub fn pop(&self, seq: u32) {
        let mut log = self.log.lock();
        if let Some(open) = &mut log.open {
            assert!(open.entries > 0 && open.last.0 == seq, "only the last entry can be taken back");
            open.remove_last().expect("undo in memory is whole");
        }
    }

    /// The entry with this sequence; `None` if it is gone. Blocks for the disk if it was spilled.
    pub(super) fn get(&self, seq: u32, near: &mut Near) -> Result<Option<UndoEntry>> {
        let sealed = {
            let log = self.log.lock();
            if let Some(open) = &log.open
                && open.places.first().is_some_and(|p| p.0 <= seq)
            {
                let at = if seq <= open.last.0 { find(seq, &open.places, &open.bytes)? } else { None };
                return at.map(|at| decode(&open.bytes[at..])).transpose();
            }
            let i = log.sealed.partition_point(|s| s.first <= seq);
            match i.checked_sub(1).map(|i| &log.sealed[i]) {
                Some(s) if seq <= s.last.0 => s.clone(),
                _ => return Ok(None),
            }
        };
        let bytes = near.bytes(&sealed.chunk)?;
        let entries = &bytes[..sealed.end as usize];
        find(seq, &sealed.places(&bytes), entries)?.map(|at| decode(&entries[at..])).transpose()
    }

    /// The newest entry, if its sequence is at least `from`; it stays. Blocks for the disk if it was spilled.
    pub fn last(&self, from: u32) -> Result<Option<UndoEntry>> {
        let mut log = self.log.lock();
        if log.open.as_ref().is_none_or(|o| o.entries == 0)
            && let Some(newest) = log.sealed.last()
        {
            // Rolling back: the whole chunk comes back, its entries follow one by one.
            log.open = Some(newest.reopen()?);
            log.sealed.pop();
            log.count(&self.space);
        }
        match &log.open {
            Some(o) if o.entries > 0 && o.last.0 >= from => decode(&o.bytes[o.last.1 as usize..]).map(Some),
            _ => Ok(None),
        }
    }

    /// The entries of the chunk with this number, oldest first; `None` behind the last. For a transaction that has ended.
    pub fn chunk(&self, number: usize) -> Result<Option<Vec<UndoEntry>>> {
        let sealed = {
            let log = self.log.lock();
            match (log.sealed.get(number), &log.open) {
                (Some(s), _) => s.clone(),
                (None, Some(open)) if number == log.sealed.len() => return decode_all(&open.bytes).map(Some),
                (None, _) => return Ok(None),
            }
        };
        decode_all(&sealed.chunk.bytes()?[..sealed.end as usize]).map(Some)
    }

    /// If the transaction has little undo: calls `f` with all of it.
    pub(super) fn with_small<R>(&self, max: usize, f: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let log = self.log.lock();
        match &log.open {
            _ if !log.sealed.is_empty() => None,
            Some(open) if open.bytes.len() > max => None,
            Some(open) => Some(f(&open.bytes)),
            None => Some(f(&[])),
        }
    }

    /// Nothing is added any more: all of it may be spilled.
    pub(super) fn seal(&self) {
        self.log.lock().seal(&self.space);
    }

    /// Says whether only snapshots need it: its transaction has committed, and nothing is to be purged after it.
    pub(super) fn keep_for_snapshots(&self, kept: bool) {
        self.log.lock().sealed.iter().for_each(|s| s.chunk.keep_for_snapshots(kept));
    }
}

fn decode_all(mut bytes: &[u8]) -> Result<Vec<UndoEntry>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        entries.push(decode(bytes)?);
        bytes = &bytes[span(bytes)?.len..];
    }
    Ok(entries)
}

impl Drop for UndoLog {
    fn drop(&mut self) {
        self.space.gave(self.log.get_mut().counted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btree::entry::Head;
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
            let e = log.get(*seq, &mut Near::default()).unwrap().unwrap();
            assert_eq!((e.seq, e.prev_lsn.0), (*seq, i as u64));
        }
        for seq in seqs.iter().rev() {
            assert_eq!(log.last(0).unwrap().unwrap().seq, *seq);
            log.pop(*seq);
            assert!(log.get(*seq, &mut Near::default()).unwrap().is_none());
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
                assert_eq!(log.get(gone, &mut Near::default()).unwrap(), None);
            }
        }
        for seq in 0..=*seqs.last().unwrap() + 1 {
            assert_eq!(
                log.get(seq, &mut Near::default()).unwrap().map(|e| e.seq),
                seqs.contains(&seq).then_some(seq)
            );
        }
        let chunks = (0..).map_while(|n| log.chunk(n).unwrap()).flatten().map(|e| e.seq);
        assert_eq!(chunks.collect::<Vec<_>>(), seqs);
    }

    #[test]
    fn a_transaction_spills_past_the_limit_but_not_for_snapshots() {
        let space = space(CHUNK_BYTES as u64, 2 * CHUNK_BYTES as u64);
        let log = UndoLog::new(space.clone());
        (0..1000).for_each(|i| _ = push(&log, i));
        assert!(space.spilled_bytes() > 10 * CHUNK_BYTES as u64 && !space.snapshots_keep_too_much());
        log.keep_for_snapshots(true);
        assert!(space.snapshots_keep_too_much(), "it has committed");
        log.keep_for_snapshots(false);
        assert!(!space.snapshots_keep_too_much());
        log.keep_for_snapshots(true);
        drop(log);
        assert!(!space.snapshots_keep_too_much());
        space.trim();
        assert_eq!((space.memory_bytes(), space.spilled_bytes()), (0, 0));
    }

    #[test]
    fn memory_that_cannot_be_spilled_is_an_error_before_anything_changed() {
        let disk = SimDisk::new(SimOptions::default());
        disk.set_capacity(0);
        let space = Arc::new(UndoSpace::new(Arc::new(disk), CHUNK_BYTES as u64, 1 << 30).unwrap());
        let log = UndoLog::new(space.clone());
        let mut n = 0;
        let err = loop {
            match log.prepare() {
                Ok(()) => n = log.push(TreeId(1), Lsn(0), &EntryRef::Insert(&[7; 1000])),
                Err(e) => break e,
            }
        };
        assert!(matches!(err, Error::OutOfSpace { .. }), "{err}");
        assert!((50..260).contains(&n), "{n}");
        assert_eq!(log.last(0).unwrap().unwrap().seq, n);
        assert!(space.memory_bytes() < 4 * CHUNK_BYTES as u64);
    }
}
