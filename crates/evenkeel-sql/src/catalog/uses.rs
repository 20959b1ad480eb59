//! How tables and indexes are read: `pg_stat_user_tables`, `pg_stat_user_indexes`.
//!
//! Invariants:
//! 1. A scan adds once, when it ends or is given up, and a look-up by key once, to a line of memory that threads share only where there are more of them than lines.
//!    Memory is allocated by the first to read a table or an index, and never again.
//! 2. Nothing here waits; sums taken meanwhile may lack the latest.
//!
//! Must not know: scans, views.

use crate::tally::{PARTS, part_of_thread};
use evenkeel::Usage;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

#[repr(align(128))]
#[derive(Default)]
struct Line {
    scans: AtomicU64,
    read: AtomicU64,
    fetched: AtomicU64,
    last_us: AtomicI64,
    hits: AtomicU64,
    reads: AtomicU64,
}

/// What was read of a table as a whole, or through an index.
#[derive(Default)]
pub struct Uses([Line; PARTS]);

/// A sum of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// How often it was read.
    pub scans: u64,
    /// Rows of the table, or entries of the index, that were read.
    pub read: u64,
    /// Rows that were fetched for entries.
    pub fetched: u64,
    /// When it was read last, microseconds since 2000-01-01 UTC; 0: never.
    pub last_us: i64,
    /// Its pages that were looked at.
    pub pages: Pages,
}

/// Pages that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// In the pool,
    pub hits: u64,
    /// or read from files.
    pub reads: u64,
}

impl Pages {
    /// All that this thread has looked at: what `since` begins with.
    pub fn now() -> Pages {
        let (hits, reads) = Usage::pages();
        Pages { hits, reads }
    }

    /// Those that this thread has looked at since then.
    pub fn since(self) -> Pages {
        let now = Pages::now();
        Pages { hits: now.hits.wrapping_sub(self.hits), reads: now.reads.wrapping_sub(self.reads) }
    }

    /// And these.
    pub fn add(&mut self, more: Pages) {
        self.hits += more.hits;
        self.reads += more.reads;
    }

    /// None.
    pub fn is_none(&self) -> bool {
        self.hits == 0 && self.reads == 0
    }
}

impl Uses {
    /// Adds. (1)
    pub fn add(&self, used: Used) {
        let line = &self.0[part_of_thread()];
        for (count, n) in [
            (&line.scans, used.scans),
            (&line.read, used.read),
            (&line.fetched, used.fetched),
            (&line.hits, used.pages.hits),
            (&line.reads, used.pages.reads),
        ] {
            if n > 0 {
                count.fetch_add(n, Ordering::Relaxed);
            }
        }
        if used.scans > 0 {
            line.last_us.store(used.last_us, Ordering::Relaxed);
        }
    }

    /// Adds pages that were looked at otherwise.
    pub fn add_pages(&self, pages: Pages) {
        if !pages.is_none() {
            self.add(Used { pages, ..Used::default() });
        }
    }

    /// All of it.
    pub fn sum(&self) -> Used {
        let mut sum = Used::default();
        for line in &self.0 {
            sum.scans += line.scans.load(Ordering::Relaxed);
            sum.read += line.read.load(Ordering::Relaxed);
            sum.fetched += line.fetched.load(Ordering::Relaxed);
            sum.pages.hits += line.hits.load(Ordering::Relaxed);
            sum.pages.reads += line.reads.load(Ordering::Relaxed);
            sum.last_us = sum.last_us.max(line.last_us.load(Ordering::Relaxed));
        }
        sum
    }

    fn reset(&self) {
        for line in &self.0 {
            let counts = [&line.scans, &line.read, &line.fetched, &line.hits, &line.reads];
            counts.iter().for_each(|c| c.store(0, Ordering::Relaxed));
            line.last_us.store(0, Ordering::Relaxed);
        }
    }
}

struct OfIndex {
    oid: u32,
    uses: Uses,
    next: OnceLock<Box<OfIndex>>,
}

/// What was read of a table and of each of its indexes.
#[derive(Default)]
pub struct TableUses {
    table: OnceLock<Box<Uses>>,
    indexes: OnceLock<Box<OfIndex>>,
}

impl TableUses {
    /// Of the table as a whole; rows that were fetched for several indexes together too.
    pub fn table(&self) -> &Uses {
        self.table.get_or_init(Box::default)
    }

    /// Of an index.
    pub fn index(&self, oid: u32) -> &Uses {
        let new = || Box::new(OfIndex { oid, uses: Uses::default(), next: OnceLock::new() });
        let mut at = self.indexes.get_or_init(new);
        while at.oid != oid {
            at = at.next.get_or_init(new);
        }
        &at.uses
    }

    /// The sum of what was read of the table as a whole.
    pub fn of_table(&self) -> Used {
        self.table.get().map_or_else(Used::default, |u| u.sum())
    }

    /// And through an index.
    pub fn of_index(&self, oid: u32) -> Used {
        self.all().find(|i| i.oid == oid).map_or_else(Used::default, |i| i.uses.sum())
    }

    fn all(&self) -> impl Iterator<Item = &OfIndex> {
        std::iter::successors(self.indexes.get(), |i| i.next.get()).map(|i| &**i)
    }

    /// The indexes that were read, with their sums.
    pub fn of_indexes(&self) -> Vec<(u32, Used)> {
        self.all().map(|i| (i.oid, i.uses.sum())).collect()
    }

    /// Begins again.
    pub fn reset(&self) {
        self.table.get().into_iter().for_each(|u| u.reset());
        self.all().for_each(|i| i.uses.reset());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_counted_apart() {
        let uses = TableUses::default();
        let pages = Pages { hits: 2, reads: 1 };
        let used = |n| Used { scans: 1, read: n, fetched: n, last_us: 7, pages };
        let of_table = Used { scans: 1, read: 5, fetched: 0, last_us: 3, pages: Pages::default() };
        uses.table().add(of_table);
        for (oid, n) in [(10, 1), (11, 2), (10, 3)] {
            uses.index(oid).add(used(n));
        }
        assert_eq!(uses.of_table(), of_table);
        let both = Pages { hits: 4, reads: 2 };
        assert_eq!(uses.of_index(10), Used { scans: 2, read: 4, fetched: 4, last_us: 7, pages: both });
        assert_eq!(uses.of_index(11), used(2));
        assert_eq!(uses.of_index(12), Used::default());
        uses.reset();
        assert_eq!(uses.of_index(10), Used::default());
    }
}
