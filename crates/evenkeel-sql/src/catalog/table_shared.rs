//! What all versions of a table share: its lock, its statistics, and what is counted of it.
//!
//! Must not know: definitions.

use super::locks::ObjectLock;
use super::statistics::TableStatistics;
use super::uses::TableUses;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// What all versions of a table share.
#[derive(Default)]
pub struct TableShared {
    /// The table's lock.
    pub lock: Arc<ObjectLock>,
    /// What ANALYZE found; None: it never ran.
    statistics: RwLock<Option<Arc<TableStatistics>>>,
    /// What has changed.
    pub changes: TableChanges,
    /// How it is read.
    pub uses: TableUses,
    /// When and how often it was analyzed and vacuumed.
    pub kept: Upkeep,
}

/// Rows that statements of this process have changed, whether or not their transactions committed.
#[derive(Default)]
pub struct TableChanges {
    /// Inserted.
    pub inserted: AtomicU64,
    /// Updated.
    pub updated: AtomicU64,
    /// Deleted.
    pub deleted: AtomicU64,
    /// Changed since the last ANALYZE.
    pub since_analyze: AtomicU64,
    /// Inserted less deleted since the last ANALYZE.
    pub growth: AtomicI64,
}

impl TableChanges {
    /// Counts a statement's.
    pub fn add(&self, inserted: u64, updated: u64, deleted: u64) {
        for (counter, n) in [(&self.inserted, inserted), (&self.updated, updated), (&self.deleted, deleted)] {
            if n > 0 {
                counter.fetch_add(n, Ordering::Relaxed);
            }
        }
        self.since_analyze.fetch_add(inserted + updated + deleted, Ordering::Relaxed);
        if inserted != deleted {
            self.growth.fetch_add(inserted as i64 - deleted as i64, Ordering::Relaxed);
        }
    }
}

impl TableShared {
    /// A table never analyzed.
    pub fn new() -> Arc<TableShared> {
        Arc::default()
    }

    /// What ANALYZE found last.
    pub fn statistics(&self) -> Option<Arc<TableStatistics>> {
        self.statistics.read().clone()
    }

    /// New statistics, of the table as it is now.
    pub fn set_statistics(&self, statistics: TableStatistics) {
        *self.statistics.write() = Some(Arc::new(statistics));
        self.changes.since_analyze.store(0, Ordering::Relaxed);
        self.changes.growth.store(0, Ordering::Relaxed);
    }

    /// Rows as counted by ANALYZE and changed since.
    pub fn live_rows(&self) -> Option<f64> {
        let growth = self.changes.growth.load(Ordering::Relaxed) as f64;
        self.statistics.read().as_ref().map(|s| (s.rows + growth).max(0.0))
    }
}

/// One kind of upkeep: how often, and when last, in microseconds since 2000-01-01 UTC.
#[derive(Default)]
pub struct Done {
    /// How often.
    pub times: AtomicU64,
    /// When last; 0: never.
    pub last_us: AtomicI64,
}

impl Done {
    /// It was done.
    pub fn note(&self, now_us: i64) {
        self.times.fetch_add(1, Ordering::Relaxed);
        self.last_us.store(now_us, Ordering::Relaxed);
    }

    fn reset(&self) {
        self.times.store(0, Ordering::Relaxed);
        self.last_us.store(0, Ordering::Relaxed);
    }
}

/// Upkeep of a table since the start.
#[derive(Default)]
pub struct Upkeep {
    /// ANALYZE,
    pub analyzed: Done,
    /// the same by the server itself,
    pub autoanalyzed: Done,
    /// and VACUUM.
    pub vacuumed: Done,
}

impl TableShared {
    /// Counts from here on. What the planner and the server's own ANALYZE go by stays.
    pub fn reset_counts(&self) {
        let c = &self.changes;
        [&c.inserted, &c.updated, &c.deleted].iter().for_each(|n| n.store(0, Ordering::Relaxed));
        [&self.kept.analyzed, &self.kept.autoanalyzed, &self.kept.vacuumed].iter().for_each(|d| d.reset());
        self.uses.reset();
    }
}
