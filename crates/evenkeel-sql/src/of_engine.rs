//! What the engine has counted, over its starts: `pg_stat_wal`, `pg_stat_io`, `pg_stat_bgwriter`, `pg_stat_checkpointer`, `pg_stat_archiver`.
//!
//! The engine counts from each start on; here is what is to be added, which a reset makes such that the sum is zero.
//!
//! Must not know: views, files.

use evenkeel::{ArchiveStats, Database, FileKind, FileStats, Stats};
use parking_lot::Mutex;

/// From the Unix epoch to PostgreSQL's.
const EPOCHS_APART_US: i64 = 946_684_800_000_000;

/// What is reset together, by `pg_stat_reset_shared`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // PostgreSQL's words.
pub enum Group {
    Archiver,
    Bgwriter,
    Checkpointer,
    Io,
    Wal,
}

impl Group {
    /// All of them, in their order.
    pub const ALL: [Group; 5] =
        [Group::Archiver, Group::Bgwriter, Group::Checkpointer, Group::Io, Group::Wal];

    /// PostgreSQL's name.
    pub fn name(self) -> &'static str {
        match self {
            Group::Archiver => "archiver",
            Group::Bgwriter => "bgwriter",
            Group::Checkpointer => "checkpointer",
            Group::Io => "io",
            Group::Wal => "wal",
        }
    }
}

struct Sources {
    stats: Stats,
    data: FileStats,
    archive: ArchiveStats,
}

macro_rules! figures {
    ($($group:ident $name:ident $of:expr,)*) => {
        /// Counters, each as often as it is reset by itself. Times in microseconds.
        #[allow(missing_docs)] // names say it
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Figures { $(pub $name: u64,)* }

        impl Figures {
            fn read(sources: &Sources) -> Figures {
                Figures { $($name: { let of: fn(&Sources) -> u64 = $of; of(sources) },)* }
            }

            /// Each with its name and group.
            pub fn each(&mut self, mut f: impl FnMut(&'static str, Group, &mut u64)) {
                $(f(stringify!($name), Group::$group, &mut self.$name);)*
            }

            /// Sums, which may be those of differences.
            fn plus(&self, other: &Figures) -> Figures {
                Figures { $($name: self.$name.wrapping_add(other.$name),)* }
            }
        }
    };
}

figures! {
    Archiver archived |s| s.archive.archived,
    Archiver archive_failed |s| s.archive.failed,
    Archiver archived_log_bytes |s| s.archive.log_bytes,
    Archiver archived_stored_bytes |s| s.archive.stored_bytes,
    Archiver archive_gaps |s| s.archive.gaps,
    Bgwriter buffers_clean |s| s.stats.buffers_clean,
    Bgwriter maxwritten_clean |s| s.stats.maxwritten_clean,
    Bgwriter buffers_alloc |s| s.stats.buffers_alloc,
    Bgwriter buffers_backend |s| s.stats.buffers_backend,
    Checkpointer rounds |s| s.stats.checkpoint_rounds,
    Checkpointer rounds_timed |s| s.stats.checkpoint_rounds_timed,
    Checkpointer rounds_requested |s| s.stats.checkpoint_rounds_requested,
    Checkpointer round_write_us |s| s.stats.checkpoint_write_time_us,
    Checkpointer round_sync_us |s| s.stats.checkpoint_sync_time_us,
    Checkpointer buffers_checkpoint |s| s.stats.buffers_checkpoint,
    Checkpointer round_write_calls |s| s.stats.checkpoint_write_calls,
    Checkpointer round_syncs |s| s.stats.checkpoint_syncs,
    Io io_wal_writes |s| s.stats.wal_writes,
    Io io_wal_bytes |s| s.stats.wal_bytes_written,
    Io io_wal_write_us |s| s.stats.wal_write_time_us,
    Io io_wal_syncs |s| s.stats.wal_syncs,
    Io io_wal_sync_us |s| s.stats.wal_sync_time_us,
    Io io_reads |s| s.stats.buffer_reads,
    Io io_read_us |s| s.data.reads_us.sum,
    Io io_hits |s| s.stats.buffer_hits,
    Io io_evictions |s| s.stats.buffer_evictions,
    Io io_backend |s| s.stats.buffers_backend,
    Io io_clean |s| s.stats.buffers_clean,
    Io io_checkpoint |s| s.stats.buffers_checkpoint,
    Io io_syncs |s| s.data.syncs_us.samples(),
    Io io_sync_us |s| s.data.syncs_us.sum,
    Wal wal_records |s| s.stats.wal_records,
    Wal wal_fpi |s| s.stats.wal_fpi,
    Wal wal_bytes |s| s.stats.wal_bytes,
    Wal wal_buffers_full |s| s.stats.wal_buffers_full,
    Wal wal_writes |s| s.stats.wal_writes,
    Wal wal_write_us |s| s.stats.wal_write_time_us,
    Wal wal_syncs |s| s.stats.wal_syncs,
    Wal wal_sync_us |s| s.stats.wal_sync_time_us,
}

/// What is told of the archive's last deeds: the object and when, microseconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastArchived {
    /// Archived.
    pub done: Option<(String, u64)>,
    /// Tried in vain.
    pub failed: Option<(String, u64)>,
}

/// All that is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineTotals {
    /// The counters.
    pub figures: Figures,
    /// Since when they count, by groups, microseconds since 2000-01-01 UTC.
    pub since_us: [i64; Group::ALL.len()],
    /// See there.
    pub last: LastArchived,
}

impl EngineTotals {
    /// Since when the counters of a group count.
    pub fn since(&self, group: Group) -> i64 {
        self.since_us[group as usize]
    }
}

/// What is to be added to what the engine counts.
pub struct OfEngine(Mutex<EngineTotals>);

impl OfEngine {
    /// Nothing: it counts since the start.
    pub fn new(now_us: i64) -> OfEngine {
        OfEngine(Mutex::new(EngineTotals { since_us: [now_us; Group::ALL.len()], ..EngineTotals::default() }))
    }

    /// What is shown now.
    pub fn totals(&self, db: &Database) -> EngineTotals {
        let archive = db.archive_stats().unwrap_or_default();
        let added = self.0.lock();
        let counts_from = added.since(Group::Archiver).saturating_add(EPOCHS_APART_US);
        let named = |name: &Option<String>, at: u64| {
            name.clone().filter(|_| at as i64 >= counts_from).map(|n| (n, at))
        };
        let last = LastArchived {
            done: named(&archive.last_archived, archive.last_archived_us),
            failed: named(&archive.last_failed, archive.last_failed_us),
        };
        let sources = Sources { stats: db.stats(), data: db.io_stats()[FileKind::Data as usize], archive };
        EngineTotals {
            figures: Figures::read(&sources).plus(&added.figures),
            since_us: added.since_us,
            last: LastArchived {
                done: last.done.or_else(|| added.last.done.clone()),
                failed: last.failed.or_else(|| added.last.failed.clone()),
            },
        }
    }

    /// Those of a group count from now on.
    pub fn reset(&self, db: &Database, which: Group, now_us: i64) {
        let mut shown = self.totals(db).figures;
        let mut added = self.0.lock();
        let mut counted = Vec::new();
        shown.each(|_, _, n| counted.push(*n));
        let mut counted = counted.into_iter();
        added.figures.each(|_, group, n| {
            let shown = counted.next().unwrap_or(0);
            if group == which {
                *n = n.wrapping_sub(shown);
            }
        });
        added.since_us[which as usize] = now_us;
        if which == Group::Archiver {
            added.last = LastArchived::default();
        }
    }

    /// What was shown before the start is added from now on.
    pub fn take_up(&self, shown: EngineTotals) {
        *self.0.lock() = shown;
    }
}
