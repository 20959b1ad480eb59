//! What the current thread has used of the engine since it began: for whoever wants to know what a statement cost, by two looks at it.
//!
//! Invariants
//! 1. Only the thread itself counts for it: no shared memory is touched, so that a page found in the pool costs no more on many processors than on one.
//!
//! What other threads do for it, such as reading ahead, is not counted here.
//!
//! Must not know: who asks.

use std::cell::Cell;
use std::ops::{AddAssign, Sub};

/// Counts of pages and log records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Pages found in the buffer pool.
    pub hits: u64,
    /// Pages read from files.
    pub reads: u64,
    /// Clean pages that became dirty.
    pub dirtied: u64,
    /// Pages written because a frame was wanted.
    pub written: u64,
    /// Log records.
    pub records: u64,
    /// Full-page images in them.
    pub images: u64,
    /// Bytes of log.
    pub log_bytes: u64,
}

struct Cells {
    hits: Cell<u64>,
    reads: Cell<u64>,
    dirtied: Cell<u64>,
    written: Cell<u64>,
    records: Cell<u64>,
    images: Cell<u64>,
    log_bytes: Cell<u64>,
}

thread_local! {
    static USED: Cells = const {
        Cells {
            hits: Cell::new(0),
            reads: Cell::new(0),
            dirtied: Cell::new(0),
            written: Cell::new(0),
            records: Cell::new(0),
            images: Cell::new(0),
            log_bytes: Cell::new(0),
        }
    };
}

fn add(cell: &Cell<u64>, n: u64) {
    cell.set(cell.get().wrapping_add(n));
}

pub(crate) fn hit() {
    USED.with(|u| add(&u.hits, 1));
}

pub(crate) fn read() {
    USED.with(|u| add(&u.reads, 1));
}

pub(crate) fn dirtied() {
    USED.with(|u| add(&u.dirtied, 1));
}

pub(crate) fn written(pages: u64) {
    USED.with(|u| add(&u.written, pages));
}

pub(crate) fn logged(images: u64, bytes: u64) {
    USED.with(|u| {
        add(&u.records, 1);
        add(&u.images, images);
        add(&u.log_bytes, bytes);
    });
}

impl Usage {
    /// Of this thread, until now: pages found in the pool, and read.
    pub fn pages() -> (u64, u64) {
        USED.with(|u| (u.hits.get(), u.reads.get()))
    }

    /// Of this thread, until now.
    pub fn now() -> Usage {
        USED.with(|u| Usage {
            hits: u.hits.get(),
            reads: u.reads.get(),
            dirtied: u.dirtied.get(),
            written: u.written.get(),
            records: u.records.get(),
            images: u.images.get(),
            log_bytes: u.log_bytes.get(),
        })
    }
}

impl Sub for Usage {
    type Output = Usage;

    fn sub(self, earlier: Usage) -> Usage {
        Usage {
            hits: self.hits.wrapping_sub(earlier.hits),
            reads: self.reads.wrapping_sub(earlier.reads),
            dirtied: self.dirtied.wrapping_sub(earlier.dirtied),
            written: self.written.wrapping_sub(earlier.written),
            records: self.records.wrapping_sub(earlier.records),
            images: self.images.wrapping_sub(earlier.images),
            log_bytes: self.log_bytes.wrapping_sub(earlier.log_bytes),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Usage) {
        self.hits += more.hits;
        self.reads += more.reads;
        self.dirtied += more.dirtied;
        self.written += more.written;
        self.records += more.records;
        self.images += more.images;
        self.log_bytes += more.log_bytes;
    }
}
