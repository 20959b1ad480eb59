//! Waves: decoded changes that wait together, by worker and page, and the pages that are to be read for them.
//!
//! A wave is the unit of everything behind the reader: its pages are read ahead in the order of the disk, and it is applied when they are there. The
//! changes of a page that are in one wave are applied at one go.
//!
//! Must not know: threads.

use super::options::RedoStats;
use crate::base::sync::{AtomicBool, AtomicUsize, Instant, Mutex, Ordering};
use crate::base::{Lsn, PageId};
use crate::pool::{Kept, RUN_PAGES};
use crate::wal::record::{Block, Image};
use std::ops::Range;
use std::sync::Arc;

/// Pages that one job reads, at most.
const JOB_PAGES: usize = 32;
/// Bits of the map that counts pages.
const SEEN_BITS: usize = 1 << 16;

const INIT: u8 = 1;
const IMAGE: u8 = 2;
const LZ4: u8 = 4;

/// A change of a page. Image and ops lie one behind the other in the wave's bytes.
#[derive(Clone)]
pub(super) struct Item {
    pub page: PageId,
    /// End of its record.
    pub end: Lsn,
    at: u32,
    image_len: u32,
    ops_len: u32,
    hole: (u16, u16),
    flags: u8,
}

impl Item {
    /// Whether it says all of the page.
    pub fn is_whole(&self) -> bool {
        self.flags & (INIT | IMAGE) != 0
    }

    pub fn image<'b>(&self, bytes: &'b [u8]) -> Option<Image<'b>> {
        let stored = &bytes[self.at as usize..][..self.image_len as usize];
        (self.flags & IMAGE != 0).then(|| Image::from_parts(self.hole, self.flags & LZ4 != 0, stored))
    }

    pub fn ops<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[(self.at + self.image_len) as usize..][..self.ops_len as usize]
    }
}

/// What a wave holds its changes in.
#[derive(Default)]
pub(super) struct Buffers {
    pub bytes: Vec<u8>,
    /// By worker, sorted by page once the wave is closed.
    pub batches: Vec<Vec<Item>>,
}

/// Buffers of waves that are gone, for those to come: they are megabytes, which would else be got from the system page by page for each wave.
type Spare = Arc<Mutex<Vec<Buffers>>>;

/// A wave that is being put together.
pub(super) struct Draft {
    buffers: Buffers,
    spare: Spare,
    /// A bit for each page, by hash: their number is `pages`, or a few more.
    seen: Box<[u64]>,
    pages: usize,
    from: Lsn,
    to: Lsn,
}

impl Buffers {
    fn new(workers: usize) -> Buffers {
        Buffers { bytes: Vec::new(), batches: (0..workers).map(|_| Vec::new()).collect() }
    }
}

impl Draft {
    pub fn new(workers: usize) -> Draft {
        Draft {
            buffers: Buffers::new(workers),
            spare: Spare::default(),
            seen: vec![0; SEEN_BITS / 64].into(),
            pages: 0,
            from: Lsn::MAX,
            to: Lsn::ZERO,
        }
    }

    /// Adds a change for a worker, of a record at `lsn` that ends at `end`.
    pub fn add(&mut self, worker: usize, lsn: Lsn, end: Lsn, block: &Block<'_>) {
        let at = self.buffers.bytes.len() as u32; // a wave's log is bounded far below that
        let (mut flags, mut hole, mut image_len) = (if block.init { INIT } else { 0 }, (0, 0), 0);
        if let Some(image) = &block.image {
            let (image_hole, lz4, stored) = image.parts();
            flags |= IMAGE | if lz4 { LZ4 } else { 0 };
            hole = image_hole;
            image_len = stored.len() as u32;
            self.buffers.bytes.extend_from_slice(stored);
        }
        self.buffers.bytes.extend_from_slice(block.ops);
        let ops_len = block.ops.len() as u32;
        self.buffers.batches[worker].push(Item {
            page: block.page,
            end,
            at,
            image_len,
            ops_len,
            hole,
            flags,
        });
        self.from = self.from.min(lsn);
        self.to = end;
        let bit = block.page.hash() as usize % SEEN_BITS;
        let word = &mut self.seen[bit / 64];
        self.pages += usize::from(*word & 1 << (bit % 64) == 0);
        *word |= 1 << (bit % 64);
    }

    pub fn is_empty(&self) -> bool {
        self.to == Lsn::ZERO
    }

    /// Bytes of changes that wait, and pages that they are about. Not the distance in the log: of a stripped one most is holes.
    pub fn size(&self) -> (u64, usize) {
        let items: usize = self.buffers.batches.iter().map(Vec::len).sum();
        ((self.buffers.bytes.len() + items * size_of::<Item>()) as u64, self.pages)
    }

    /// Changes that wait.
    pub fn items(&self) -> usize {
        self.buffers.batches.iter().map(Vec::len).sum()
    }

    /// From its first record to the end of its last.
    fn log_bytes(&self) -> u64 {
        self.to.0.saturating_sub(self.from.0)
    }

    /// The wave, and the pages that are to be read for it. `earlier`: pages of the waves before, which are there or on their way.
    pub fn close<'p>(
        &mut self,
        kept: Kept<'p>,
        earlier: &[Arc<[PageId]>],
        stats: &mut RedoStats,
    ) -> (Wave<'p>, Vec<PageId>) {
        let workers = self.buffers.batches.len();
        let mut pages = Vec::with_capacity(self.pages);
        let mut load = Vec::new();
        for batch in &mut self.buffers.batches {
            batch.sort_by_key(|i| i.page); // stable: in log order within a page
            for group in batch.chunk_by(|a, b| a.page == b.page) {
                pages.push(group[0].page);
                stats.skip_rep += group.len() as u64 - 1;
                match group[0].flags {
                    f if f & IMAGE != 0 => stats.skip_fpw += 1,
                    f if f & INIT != 0 => stats.skip_init += 1,
                    _ => load.push(group[0].page),
                }
            }
        }
        if workers > 1 {
            pages.sort();
            load.sort();
        }
        for known in earlier {
            let before = load.len();
            let mut at = 0;
            load.retain(|id| {
                while known.get(at).is_some_and(|k| k < id) {
                    at += 1;
                }
                known.get(at) != Some(id)
            });
            stats.skip_rep += (before - load.len()) as u64;
        }
        let log_bytes = self.log_bytes();
        let next = self.spare.lock().pop().unwrap_or_else(|| Buffers::new(workers));
        let wave = Wave {
            buffers: std::mem::replace(&mut self.buffers, next),
            spare: self.spare.clone(),
            log_bytes,
            pages: pages.into(),
            reads_left: AtomicUsize::new(0),
            reads: 0,
            span: 0,
            began: Instant::now(),
            batches_left: AtomicUsize::new(workers),
            is_held: AtomicBool::new(false),
            kept: Mutex::new(kept),
        };
        self.seen.fill(0);
        (self.pages, self.from, self.to) = (0, Lsn::MAX, Lsn::ZERO);
        (wave, load)
    }
}

/// Changes that wait together.
pub(super) struct Wave<'p> {
    pub buffers: Buffers,
    spare: Spare,
    pub log_bytes: u64,
    /// The pages it changes, ascending.
    pub pages: Arc<[PageId]>,
    /// Jobs that still read pages for it.
    pub reads_left: AtomicUsize,
    /// Its reads, and when they could begin.
    pub reads: usize,
    /// Pages that they bring, those between the needed ones included.
    pub span: usize,
    pub began: Instant,
    /// Workers that have not applied their batch.
    pub batches_left: AtomicUsize,
    /// Nobody may apply it yet.
    pub is_held: AtomicBool,
    /// Its pages stay in the pool as long as it lives.
    kept: Mutex<Kept<'p>>,
}

impl<'p> Wave<'p> {
    pub fn is_loaded(&self) -> bool {
        self.reads_left.load(Ordering::Acquire) == 0
    }

    pub fn may_be_applied(&self) -> bool {
        self.is_loaded() && !self.is_held.load(Ordering::Acquire)
    }

    pub fn keep(&self, kept: Kept<'p>) {
        self.kept.lock().append(kept);
    }
}

impl Drop for Wave<'_> {
    fn drop(&mut self) {
        let mut buffers = std::mem::take(&mut self.buffers);
        buffers.bytes.clear();
        buffers.batches.iter_mut().for_each(Vec::clear);
        self.spare.lock().push(buffers);
    }
}

/// Cuts ascending pages into runs of one file, near each other: up to `gap` pages between two that are needed are read with them, rather than skipped by
/// another read.
pub(super) fn runs(pages: &[PageId], gap: u32) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for i in 1..=pages.len() {
        let goes_on = i < pages.len() && {
            let (first, last, next) = (pages[start], pages[i - 1], pages[i]);
            next.file == last.file
                && next.block.0 - last.block.0 <= gap + 1
                && ((next.block.0 - first.block.0) as usize) < RUN_PAGES
        };
        if !goes_on {
            runs.push(start..i);
            start = i;
        }
    }
    runs
}

/// Shares runs out to jobs for so many readers.
pub(super) fn jobs(runs: Vec<Range<usize>>, pages: usize, readers: usize) -> Vec<Vec<Range<usize>>> {
    let at_a_time = (pages / (readers.max(1) * 4)).clamp(1, JOB_PAGES);
    let mut jobs: Vec<Vec<Range<usize>>> = Vec::new();
    let mut room = 0;
    for run in runs {
        if room == 0 {
            jobs.push(Vec::new());
            room = at_a_time;
        }
        room = room.saturating_sub(run.len());
        jobs.last_mut().expect("just made").push(run);
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;

    fn page(file: u64, block: u32) -> PageId {
        PageId::new(FileId(file), block)
    }

    #[test]
    fn neighbours_are_read_together_and_files_apart() {
        let pages = [page(1, 0), page(1, 1), page(1, 5), page(1, 10), page(2, 11), page(2, 12)];
        assert_eq!(runs(&pages, 3), [0..3, 3..4, 4..6]);
        assert_eq!(runs(&pages, 0), [0..2, 2..3, 3..4, 4..6]);
        assert_eq!(runs(&pages, 30), [0..4, 4..6]);
        let long: Vec<PageId> = (0..300).map(|b| page(3, b)).collect();
        let lens: Vec<usize> = runs(&long, 3).iter().map(ExactSizeIterator::len).collect();
        assert_eq!(lens, [128, 128, 44]);
        assert!(runs(&[], 3).is_empty());
    }

    #[test]
    fn a_page_counts_once_however_often_it_is_changed() {
        use crate::wal::record::{Record, put_block, put_change_head};
        let mut draft = Draft::new(1);
        let mut sizes = Vec::new();
        for block in [1, 2, 1, 3, 2] {
            let mut body = Vec::new();
            put_change_head(&mut body, None, b"", 1);
            put_block(&mut body, page(17, block), true, false, false, None, &[0x82, 3, b'a', b'b']);
            let record = Record::decode(&body, Lsn(100), Lsn(120)).unwrap();
            draft.add(0, record.lsn, record.end, &record.blocks[0]);
            sizes.push(draft.size().1);
        }
        assert_eq!(sizes, [1, 2, 2, 3, 3]);
    }

    #[test]
    fn pages_whose_first_change_says_all_of_them_are_not_read() {
        use crate::base::{PartitionCount, Poison};
        use crate::io::{SimDisk, SimOptions};
        use crate::pool::{Files, Pool};
        use crate::wal::record::{Record, put_block, put_change_head};
        let files = Arc::new(Files::new(Arc::new(SimDisk::new(SimOptions::default()))));
        let pool = Pool::new(64, PartitionCount::new(1).unwrap(), files, Arc::new(Poison::default()));
        let mut draft = Draft::new(1);
        // Of a page that is initialised later its bytes before matter, of one that was first they do not.
        for (block, init) in [(1, true), (2, false), (1, false), (2, true), (3, false)] {
            let mut body = Vec::new();
            put_change_head(&mut body, None, b"", 1);
            put_block(&mut body, page(17, block), true, false, init, None, &[0x82, 3, b'a', b'b']);
            let record = Record::decode(&body, Lsn(100), Lsn(120)).unwrap();
            draft.add(0, record.lsn, record.end, &record.blocks[0]);
        }
        let mut stats = RedoStats::default();
        let (wave, load) = draft.close(Kept::new(&pool), &[], &mut stats);
        assert_eq!(load, [page(17, 2), page(17, 3)]);
        assert_eq!((stats.skip_init, stats.skip_fpw, stats.skip_rep), (1, 0, 2));
        assert_eq!(&wave.pages[..], [page(17, 1), page(17, 2), page(17, 3)]);
    }

    #[test]
    fn every_run_is_in_one_job() {
        let pages: Vec<PageId> = (0..200).map(|b| page(3, b * 9)).collect();
        let jobs = jobs(runs(&pages, 3), pages.len(), 4);
        let all: Vec<usize> = jobs.iter().flatten().flat_map(Clone::clone).collect();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
        assert!(jobs.len() >= 12, "work for every reader: {}", jobs.len());
    }
}
