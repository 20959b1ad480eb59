//! One file of the simulated disk: what reads see, what is durable, and what a power cut may leave.
//!
//! Duty: the rules of the model for contents and lengths (the directory is in `names.rs`).
//!
//! Every change has a sequence number. A sector is *dirty* from the change that makes it differ from the durable content
//! to the flush that makes its newest bytes durable; changes of length wait in a list of their own.
//!
//! Invariants:
//!
//! 1. Past the length, `current` is zero; past `durable_len`, `durable` is.
//! 2. A sector that is neither dirty nor dropped is the same in both. *Dropped* is what a failed sync left in the cache as if it were clean: no later
//!    sync writes it, until it is written again.
//! 3. A flush makes durable what was written before it was *issued*, and never replaces newer durable bytes:
//!    a dirty sector's durable bytes are those from just before its `first` change.
//! 4. A truncation that is not durable is pending in `len_ops`, and no durable byte behind it is newer than it.
//!
//! Must not know: names, hooks, faults.

use std::collections::BTreeMap;
use std::io::IoSlice;
use std::ops::Range;
use std::sync::Arc;

use fastrand::Rng;

use super::super::SECTOR;
use super::CrashPolicy;
use super::content::{CHUNK, Chunk, Content};

const CHUNK_SECTORS: usize = CHUNK / SECTOR;

/// Atomic writes consist of such pieces, none of which is ever torn. A longer one may tear between two of them: that is less than devices
/// promise.
pub(super) const GRANULE: usize = 2 * CHUNK;

/// Chances, in 256ths, that a dirty sector is kept. One is drawn for each file and crash, so that whole and lost writes
/// are as common as torn ones.
const KEEP_CHANCES: [u16; 5] = [0, 64, 128, 192, 256];

#[derive(Clone, Debug, Default)]
pub(super) struct Inode {
    current: Content,
    len: u64,
    durable: Content,
    durable_len: u64,
    dirty: BTreeMap<usize, DirtyChunk>,
    /// Dropped sectors (invariant 2), a bit each, by chunk.
    dropped: BTreeMap<usize, u8>,
    len_ops: Vec<LenOp>,
    /// Number of the latest change.
    seq: u64,
    /// Changes of length up to here are durable.
    len_durable_seq: u64,
}

/// The sectors of a chunk that are dirty: those whose `last` is not 0.
#[derive(Clone, Debug, Default)]
struct DirtyChunk {
    /// The change that made the sector dirty (invariant 3).
    first: [u64; CHUNK_SECTORS],
    /// The newest change of the sector.
    last: [u64; CHUNK_SECTORS],
    /// Contents between the durable and the current one, oldest first, each with its newest change.
    versions: Vec<(u64, Option<Arc<Chunk>>)>,
    /// All changes since it was clean were atomic writes.
    atomic: bool,
}

impl DirtyChunk {
    fn newest(&self) -> u64 {
        self.last.into_iter().max().unwrap_or(0)
    }

    fn is_dirty(&self, sector: usize) -> bool {
        self.last[sector] != 0
    }
}

/// A change of length that is not durable.
#[derive(Clone, Copy, Debug)]
struct LenOp {
    seq: u64,
    len: u64,
    /// The file became shorter: bytes from `len` on are gone, even if it grows again.
    cut: bool,
}

/// A sync, or the durable part of a log write, between its issue and its completion.
#[derive(Debug)]
pub(super) struct Flush {
    /// Changes up to here are covered.
    upto: u64,
    len: u64,
    /// The bytes covered; all of the file if none.
    range: Option<Range<u64>>,
    /// The content at the issue, if changes may happen until completion.
    snapshot: Option<Content>,
}

impl Flush {
    /// Whether two flushes of ranges of one file have bytes in common.
    pub(super) fn overlaps(&self, other: &Flush) -> bool {
        match (&self.range, &other.range) {
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            _ => true,
        }
    }
}

impl Inode {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.len_ops.is_empty() && self.dropped.is_empty()
    }

    pub(super) fn dirty_sectors(&self) -> usize {
        let count = |chunk: &DirtyChunk| chunk.last.iter().filter(|last| **last != 0).count();
        self.dirty.values().map(count).sum()
    }

    /// Copies bytes out, up to the end of the file; returns how many.
    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> usize {
        let count = self.len.saturating_sub(offset).min(buf.len() as u64) as usize;
        self.current.read(offset, &mut buf[..count]);
        count
    }

    /// Writes the first `count` bytes of the slices, remembering up to `versions_max` overwritten contents of a dirty chunk.
    pub(super) fn write(&mut self, bufs: &[IoSlice<'_>], count: usize, offset: u64, versions_max: usize) {
        self.write_as(false, bufs, count, offset, versions_max);
    }

    /// As `write`; each granule of it survives a crash wholly or not at all. The range consists of granules.
    pub(super) fn write_atomic(&mut self, buf: &[u8], offset: u64, versions_max: usize) {
        debug_assert!(offset.is_multiple_of(GRANULE as u64) && buf.len().is_multiple_of(GRANULE));
        self.write_as(true, &[IoSlice::new(buf)], buf.len(), offset, versions_max);
    }

    fn write_as(
        &mut self,
        atomic: bool,
        bufs: &[IoSlice<'_>],
        count: usize,
        offset: u64,
        versions_max: usize,
    ) {
        self.seq += 1;
        let mut at = offset;
        let mut left = count;
        for buf in bufs {
            let mut bytes = &buf[..buf.len().min(left)];
            left -= bytes.len();
            while !bytes.is_empty() {
                let (chunk, within) = ((at / CHUNK as u64) as usize, (at % CHUNK as u64) as usize);
                let (part, rest) = bytes.split_at(bytes.len().min(CHUNK - within));
                let end = within + part.len();
                self.touch(chunk, within / SECTOR..end.div_ceil(SECTOR), versions_max, atomic);
                if part.len() == CHUNK {
                    self.current.replace(chunk, part);
                } else {
                    self.current.chunk_mut(chunk)[within..end].copy_from_slice(part);
                }
                at += part.len() as u64;
                bytes = rest;
            }
        }
        self.grow(at);
    }

    /// Makes the file at least `len` bytes long.
    pub(super) fn allocate(&mut self, len: u64) {
        self.seq += 1;
        self.grow(len);
    }

    pub(super) fn truncate(&mut self, len: u64, versions_max: usize) {
        self.seq += 1;
        if len >= self.len {
            self.grow(len);
            return;
        }
        // What is cut off becomes zero as if written; on a crash it follows the fate of the truncation.
        let first = (len / CHUNK as u64) as usize;
        let mut chunks: Vec<usize> = self.current.present_from(first).collect();
        chunks.extend(self.dirty.range(first..).map(|(chunk, _)| *chunk));
        for chunk in chunks {
            let start = if chunk == first { (len % CHUNK as u64) as usize / SECTOR } else { 0 };
            self.touch(chunk, start..CHUNK_SECTORS, versions_max, false);
        }
        self.current.zero_from(len);
        self.len_ops.push(LenOp { seq: self.seq, len, cut: true });
        self.len = len;
    }

    /// Overwrites bytes, durable and current, as a failing medium would.
    pub(super) fn damage(&mut self, offset: u64, bytes: &[u8]) {
        for (at, byte) in (offset..self.len).zip(bytes) {
            let (chunk, within) = ((at / CHUNK as u64) as usize, (at % CHUNK as u64) as usize);
            self.current.chunk_mut(chunk)[within] = *byte;
            if at < self.durable_len {
                self.durable.chunk_mut(chunk)[within] = *byte;
            }
        }
    }

    fn grow(&mut self, len: u64) {
        if len <= self.len {
            return;
        }
        self.len = len;
        let op = LenOp { seq: self.seq, len, cut: false };
        match self.len_ops.last_mut() {
            Some(last) if !last.cut => *last = op,
            _ => self.len_ops.push(op),
        }
    }

    /// Marks sectors as changed now. Called before the change.
    fn touch(&mut self, chunk: usize, sectors: Range<usize>, versions_max: usize, atomic: bool) {
        let dirty = self.dirty.entry(chunk).or_default();
        let newest = dirty.newest();
        dirty.atomic = atomic && (newest == 0 || dirty.atomic);
        if versions_max > 0 && newest != 0 && newest != self.seq {
            if dirty.versions.len() >= versions_max {
                dirty.versions.remove(0);
            }
            dirty.versions.push((newest, self.current.get(chunk).cloned()));
        }
        for sector in sectors {
            if let Some(dropped) = self.dropped.get_mut(&chunk) {
                *dropped &= !(1 << sector);
            }
            if !dirty.is_dirty(sector) {
                dirty.first[sector] = self.seq;
            }
            dirty.last[sector] = self.seq;
        }
        self.dropped.retain(|_, mask| *mask != 0);
    }
}

/// Becoming durable.
impl Inode {
    /// Issues a flush of a range, or of the whole file. `snapshot` if the file may change before it completes.
    pub(super) fn begin_flush(&self, range: Option<Range<u64>>, snapshot: bool) -> Flush {
        let snapshot = snapshot.then(|| self.current.clone());
        Flush { upto: self.seq, len: self.len, range, snapshot }
    }

    /// What the flush covers is durable from here on.
    pub(super) fn complete_flush(&mut self, flush: &Flush) {
        match &flush.range {
            None if self.seq == flush.upto && self.dropped.is_empty() => {
                self.durable = self.current.clone();
                self.dirty.clear();
                self.commit_len(flush);
            }
            None => {
                self.flush_sectors(flush, 0..u64::MAX);
                self.commit_len(flush);
            }
            Some(range) => {
                let needs_len = range.end > self.durable_len
                    || self.len_ops.iter().any(|op| op.cut && op.seq <= flush.upto && op.len < range.end);
                if needs_len {
                    self.commit_cuts(flush.upto);
                    self.commit_len(flush);
                }
                self.flush_sectors(flush, range.clone());
            }
        }
    }

    /// A sync that fails: an arbitrary part of it has become durable.
    pub(super) fn fail_flush(&mut self, rng: &mut Rng) {
        let mut coin = false;
        let mut chunks = Vec::new();
        for &chunk in self.dirty.keys() {
            let thrown = rng.bool();
            if !self.is_atomic(chunk) || (chunk * CHUNK).is_multiple_of(GRANULE) {
                coin = thrown;
            }
            if coin {
                chunks.push(chunk);
            }
        }
        for chunk in chunks {
            let start = (chunk * CHUNK) as u64;
            let end = (start + CHUNK as u64).min(self.len);
            if start < end {
                let flush = self.begin_flush(Some(start..end), false);
                self.complete_flush(&flush);
            }
        }
    }

    /// A sync that fails, after which the cache takes what did not become durable for clean.
    pub(super) fn fail_flush_dropping(&mut self, rng: &mut Rng) {
        self.fail_flush(rng);
        for (chunk, dirty) in std::mem::take(&mut self.dirty) {
            let mask =
                (0..CHUNK_SECTORS).filter(|s| dirty.is_dirty(*s)).fold(0, |mask, sector| mask | 1 << sector);
            *self.dropped.entry(chunk).or_default() |= mask;
        }
    }

    fn commit_len(&mut self, flush: &Flush) {
        if flush.upto >= self.len_durable_seq {
            self.len_durable_seq = flush.upto;
            self.durable_len = flush.len;
            self.len_ops.retain(|op| op.seq > flush.upto);
        }
    }

    /// Applies pending truncations to the durable content.
    fn commit_cuts(&mut self, upto: u64) {
        for op in self.len_ops.iter().filter(|op| op.cut && op.seq <= upto) {
            self.durable.zero_from(op.len);
            let first = (op.len / CHUNK as u64) as usize;
            for (chunk, dirty) in self.dirty.range_mut(first..) {
                dirty.versions.retain(|(newest, _)| *newest >= op.seq);
                for sector in 0..CHUNK_SECTORS {
                    let start = (chunk * CHUNK + sector * SECTOR) as u64;
                    if start < op.len || !dirty.is_dirty(sector) {
                        continue;
                    }
                    if dirty.last[sector] <= op.seq {
                        dirty.last[sector] = 0;
                    } else {
                        dirty.first[sector] = dirty.first[sector].max(op.seq + 1);
                    }
                }
            }
        }
        self.dirty.retain(|_, dirty| dirty.newest() != 0);
    }

    /// Makes the dirty sectors of a byte range durable as of the flush (invariant 3).
    fn flush_sectors(&mut self, flush: &Flush, range: Range<u64>) {
        let chunk_of = |byte: u64| (byte / CHUNK as u64) as usize;
        let mut clean = Vec::new();
        for (&chunk, dirty) in self.dirty.range_mut(chunk_of(range.start)..=chunk_of(range.end - 1)) {
            // Sectors to take from the snapshot, and from the current content, which is the same bytes but newer.
            let (mut from_snapshot, mut from_current) = (0u8, 0u8);
            for sector in 0..CHUNK_SECTORS {
                let start = (chunk * CHUNK + sector * SECTOR) as u64;
                let inside = start < range.end && start + SECTOR as u64 > range.start;
                if !inside || !dirty.is_dirty(sector) || dirty.first[sector] > flush.upto {
                    continue;
                }
                if dirty.last[sector] <= flush.upto {
                    from_current |= 1 << sector;
                    dirty.last[sector] = 0;
                } else {
                    from_snapshot |= 1 << sector;
                    dirty.first[sector] = flush.upto + 1;
                }
            }
            dirty.versions.retain(|(newest, _)| *newest > flush.upto);
            let current = self.current.get(chunk);
            if dirty.newest() == 0 {
                clean.push(chunk);
                if !self.dropped.contains_key(&chunk) {
                    self.durable.set(chunk, current.cloned());
                    continue;
                }
            }
            copy_sectors(&mut self.durable, chunk, current, from_current);
            if from_snapshot != 0 {
                let snapshot = flush.snapshot.as_ref().expect("no change without a snapshot");
                copy_sectors(&mut self.durable, chunk, snapshot.get(chunk), from_snapshot);
            }
        }
        for chunk in clean {
            self.dirty.remove(&chunk);
        }
    }
}

/// What a power cut leaves.
impl Inode {
    /// Whether the granule that a dirty chunk is part of is kept or lost as a whole.
    fn is_atomic(&self, chunk: usize) -> bool {
        let first = chunk - chunk % (GRANULE / CHUNK);
        (first..first + GRANULE / CHUNK).all(|c| self.dirty.get(&c).is_some_and(|d| d.atomic))
    }

    /// One possible state after a power cut, all of it durable.
    pub(super) fn crashed(&self, policy: CrashPolicy, rng: &mut Rng) -> Inode {
        let survivors = match policy {
            CrashPolicy::Mixed => rng.usize(..=self.len_ops.len()),
            CrashPolicy::KeepAll => self.len_ops.len(),
            CrashPolicy::LoseUnsynced => 0,
        };
        let (kept_ops, lost_ops) = self.len_ops.split_at(survivors);

        let mut content = self.durable.clone();
        let (mut len_before, mut len) = (self.durable_len, self.durable_len);
        for op in kept_ops {
            if op.cut {
                content.zero_from(op.len);
            }
            (len_before, len) = (len, op.len);
        }
        if policy == CrashPolicy::Mixed && len > len_before && rng.bool() {
            // Growth need not have reached its end.
            let (low, high) = (len_before / CHUNK as u64, len / CHUNK as u64);
            len = (rng.u64(low..=high) * CHUNK as u64).max(len_before);
        }

        let chance = match policy {
            CrashPolicy::Mixed => KEEP_CHANCES[rng.usize(..KEEP_CHANCES.len())],
            CrashPolicy::KeepAll => 256,
            CrashPolicy::LoseUnsynced => 0,
        };
        let any_cut = self.len_ops.iter().any(|op| op.cut);
        // Of the granule that is being looked at: its current content, that of a version, or else the durable one.
        let (mut whole_current, mut whole_version) = (false, None);
        for (&chunk, dirty) in &self.dirty {
            let coins = rng.u64(..).to_le_bytes();
            if self.is_atomic(chunk) {
                if (chunk * CHUNK).is_multiple_of(GRANULE) {
                    whole_current = u16::from(coins[0]) < chance;
                    let count = dirty.versions.len();
                    let older = policy == CrashPolicy::Mixed && count > 0 && rng.bool();
                    whole_version = older.then(|| rng.usize(..count));
                }
                if whole_current {
                    content.set(chunk, self.current.get(chunk).cloned());
                } else if let Some(version) = whole_version {
                    content.set(chunk, dirty.versions[version].1.clone());
                }
                continue;
            }
            // By source: sectors from the current content, and from each version.
            let mut from_current = 0u8;
            let mut from_version = Vec::new();
            for sector in (0..CHUNK_SECTORS).filter(|sector| dirty.is_dirty(*sector)) {
                let keep = u16::from(coins[sector]) < chance;
                let (mut not_before, mut before) = (dirty.first[sector], u64::MAX);
                if any_cut {
                    let start = (chunk * CHUNK + sector * SECTOR) as u64;
                    let reaching = |op: &&LenOp| op.cut && op.len <= start;
                    not_before = kept_ops.iter().filter(reaching).fold(not_before, |seq, op| seq.max(op.seq));
                    before = lost_ops.iter().filter(reaching).fold(before, |seq, op| seq.min(op.seq));
                }
                if keep && before == u64::MAX {
                    from_current |= 1 << sector;
                    continue;
                }
                let allowed = |version: &(u64, _)| version.0 >= not_before && version.0 < before;
                let first = dirty.versions.iter().position(allowed);
                let last = dirty.versions.iter().rposition(allowed);
                let (Some(first), Some(last)) = (first, last) else { continue };
                if keep {
                    from_version.push((sector, last));
                } else if policy == CrashPolicy::Mixed && rng.bool() {
                    from_version.push((sector, rng.usize(first..=last)));
                }
            }
            let all = |sector| !dirty.is_dirty(sector) || from_current & (1 << sector) != 0;
            if (0..CHUNK_SECTORS).all(all) && !self.dropped.contains_key(&chunk) {
                content.set(chunk, self.current.get(chunk).cloned());
                continue;
            }
            copy_sectors(&mut content, chunk, self.current.get(chunk), from_current);
            for (sector, version) in from_version {
                copy_sectors(&mut content, chunk, dirty.versions[version].1.as_ref(), 1 << sector);
            }
        }
        content.zero_from(len);
        Inode { current: content.clone(), len, durable: content, durable_len: len, ..Inode::default() }
    }
}

/// Copies the sectors of a mask into a chunk of a content. An absent source is zeros.
fn copy_sectors(to: &mut Content, chunk: usize, from: Option<&Arc<Chunk>>, mask: u8) {
    if mask == 0 || (from.is_none() && to.get(chunk).is_none()) {
        return;
    }
    let bytes = to.chunk_mut(chunk);
    for sector in (0..CHUNK_SECTORS).filter(|sector| mask & (1 << sector) != 0) {
        let range = sector * SECTOR..(sector + 1) * SECTOR;
        match from {
            Some(from) => bytes[range.clone()].copy_from_slice(&from[range]),
            None => bytes[range].fill(0),
        }
    }
}
