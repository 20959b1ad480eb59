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
    /// Updated so that no index had to be changed.
    pub hot_updated: AtomicU64,
    /// Inserted since the last VACUUM.
    pub inserted_since_vacuum: AtomicU64,
    /// Changed since the last ANALYZE.
    pub since_analyze: AtomicU64,
    /// Inserted less deleted since the last ANALYZE.
    pub growth: AtomicI64,
}

/// Rows of a table that a statement has changed, by what it did to them: MERGE does all, INSERT updates where there is a conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Inserted,
    pub inserted: u64,
    /// updated,
    pub updated: u64,
    /// of these such that no index had to be changed,
    pub hot_updated: u64,
    /// and deleted.
    pub deleted: u64,
}

impl Changed {
    /// Without these.
    pub fn less(&mut self, some: Changed) {
        self.inserted = self.inserted.saturating_sub(some.inserted);
        self.updated = self.updated.saturating_sub(some.updated);
        self.hot_updated = self.hot_updated.saturating_sub(some.hot_updated);
        self.deleted = self.deleted.saturating_sub(some.deleted);
    }

    /// And these.
    pub fn add(&mut self, more: Changed) {
        self.inserted += more.inserted;
        self.updated += more.updated;
        self.hot_updated += more.hot_updated;
        self.deleted += more.deleted;
    }

    /// By how many rows the table has grown.
    fn growth(&self) -> i64 {
        self.inserted as i64 - self.deleted as i64
    }
}

impl TableChanges {
    /// It was rolled back: the rows are as many as before. What was done counts all the same, as in PostgreSQL.
    pub fn roll_back(&self, changed: Changed) {
        self.growth.fetch_sub(changed.growth(), Ordering::Relaxed);
    }

    fn all(&self) -> [&AtomicU64; 6] {
        [
            &self.inserted,
            &self.updated,
            &self.deleted,
            &self.hot_updated,
            &self.inserted_since_vacuum,
            &self.since_analyze,
        ]
    }

    /// Counts a statement's.
    pub fn add(&self, changed: Changed) {
        let Changed { inserted, updated, hot_updated, deleted } = changed;
        for (counter, n) in [
            (&self.inserted, inserted),
            (&self.updated, updated),
            (&self.hot_updated, hot_updated),
            (&self.deleted, deleted),
            (&self.inserted_since_vacuum, inserted),
        ] {
            if n > 0 {
                counter.fetch_add(n, Ordering::Relaxed);
            }
        }
        self.since_analyze.fetch_add(inserted + updated + deleted, Ordering::Relaxed);
        if inserted != deleted {
            self.growth.fetch_add(changed.growth(), Ordering::Relaxed);
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

    /// Statistics are changed by hand; `are_rows`: how many rows there are is among it.
    pub fn change_statistics(&self, are_rows: bool, change: impl FnOnce(&mut TableStatistics)) {
        let mut kept = self.statistics.write();
        let mut changed = kept.as_ref().map_or_else(TableStatistics::unknown, |s| (**s).clone());
        change(&mut changed);
        *kept = Some(Arc::new(changed));
        if are_rows {
            self.changes.growth.store(0, Ordering::Relaxed);
        }
    }

    /// It was emptied by a transaction that has then done the rest to it.
    pub fn emptied(&self, since: Changed) {
        let before = self.statistics.read().as_ref().map_or(0.0, |s| s.rows.max(0.0));
        self.changes.growth.store(since.growth() - before as i64, Ordering::Relaxed);
        self.changes.inserted_since_vacuum.store(since.inserted, Ordering::Relaxed);
    }

    /// Rows as counted by ANALYZE and changed since.
    pub fn live_rows(&self) -> Option<f64> {
        let growth = self.changes.growth.load(Ordering::Relaxed) as f64;
        self.statistics.read().as_ref().filter(|s| s.rows >= 0.0).map(|s| (s.rows + growth).max(0.0))
    }
}

/// One kind of upkeep: how often, and when last, in microseconds since 2000-01-01 UTC.
#[derive(Default)]
pub struct Done {
    /// How often.
    pub times: AtomicU64,
    /// How long it took, all in all.
    pub us: AtomicU64,
    /// When last; 0: never.
    pub last_us: AtomicI64,
}

impl Done {
    /// It was done, in so many microseconds.
    pub fn note(&self, now_us: i64, us: u64) {
        self.times.fetch_add(1, Ordering::Relaxed);
        self.us.fetch_add(us, Ordering::Relaxed);
        self.last_us.store(now_us, Ordering::Relaxed);
    }

    fn reset(&self) {
        self.times.store(0, Ordering::Relaxed);
        self.us.store(0, Ordering::Relaxed);
        self.last_us.store(0, Ordering::Relaxed);
    }
}

/// Upkeep of a table.
#[derive(Default)]
pub struct Upkeep {
    /// ANALYZE,
    pub analyzed: Done,
    /// the same by the server itself,
    pub autoanalyzed: Done,
    /// and VACUUM.
    pub vacuumed: Done,
}

impl Upkeep {
    fn all(&self) -> [&Done; 3] {
        [&self.analyzed, &self.autoanalyzed, &self.vacuumed]
    }
}

impl TableShared {
    /// Counts from here on. What the planner and the server's own ANALYZE go by stays.
    pub fn reset_counts(&self) {
        let c = &self.changes;
        let counters = [&c.inserted, &c.updated, &c.deleted, &c.hot_updated, &c.inserted_since_vacuum];
        counters.iter().for_each(|n| n.store(0, Ordering::Relaxed));
        self.kept.all().iter().for_each(|d| d.reset());
        self.uses.reset();
    }

    /// What is kept over a clean stop, in an order that [`TableShared::take_up`] knows; how it is read is apart.
    pub fn to_keep(&self) -> Vec<i64> {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed).min(i64::MAX as u64) as i64;
        let mut all: Vec<i64> = self.changes.all().map(n).to_vec();
        all.push(self.changes.growth.load(Ordering::Relaxed));
        for d in self.kept.all() {
            all.extend([n(&d.times), n(&d.us), d.last_us.load(Ordering::Relaxed)]);
        }
        all
    }

    /// Goes on from there; false: these are other numbers.
    pub fn take_up(&self, kept: &[i64]) -> bool {
        let changes = self.changes.all();
        if kept.len() != changes.len() + 1 + 3 * self.kept.all().len() {
            return false;
        }
        let set = |a: &AtomicU64, n: i64| a.store(n.max(0) as u64, Ordering::Relaxed);
        let (of_changes, rest) = kept.split_at(changes.len());
        changes.iter().zip(of_changes).for_each(|(a, n)| set(a, *n));
        self.changes.growth.store(rest[0], Ordering::Relaxed);
        for (d, n) in self.kept.all().iter().zip(rest[1..].chunks(3)) {
            set(&d.times, n[0]);
            set(&d.us, n[1]);
            d.last_us.store(n[2], Ordering::Relaxed);
        }
        true
    }
}
