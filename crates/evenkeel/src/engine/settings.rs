//! The engine's settings. Names and units are PostgreSQL's where the meaning is the same.

use crate::archive::LEVEL_MAX;
use crate::base::sync::{AtomicU64, Ordering};
use crate::checkpoint::{Order, SyncPolicy};
use crate::control::TornPageProtection;
use crate::io::LogSync;
use crate::pool::CleanerPolicy;
use crate::settings::{Context, Def, GB, KB, Kind, MB, MIN, MS, Mistake, S, Value, Values};
use crate::wal::DEPTH_MAX;

/// Bytes, exactly; a bare number counts so many.
const fn bytes(unit: i64) -> Kind {
    Kind::Memory { unit, grain: 1 }
}

/// Microseconds; a bare number counts so many.
const fn time(unit: i64) -> Kind {
    Kind::Time { unit, grain: 1 }
}

/// Indexes into [`DEFS`], so that code names settings at compile time.
#[allow(missing_docs)] // the table below describes them
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Id {
    SharedBuffers,
    WalSegmentSize,
    WalBuffers,
    MaxWalSize,
    CheckpointTimeout,
    CheckpointCompletionTarget,
    CheckpointPartitions,
    CheckpointOrder,
    CheckpointFileBatches,
    CheckpointSync,
    CheckpointSyncDelay,
    CheckpointFsyncDelayRatio,
    CheckpointFsyncDelayThreshold,
    CheckpointFlushAfter,
    CheckpointFlushSlowdown,
    CheckpointForcedRate,
    LogCheckpoints,
    TornPageProtection,
    FullPageWrites,
    DoubleWriteSize,
    Fsync,
    DirectIo,
    BgwriterDelay,
    BgwriterMaxpages,
    BgwriterPolicy,
    BgwriterPercent,
    WalWriterDelay,
    WalWriterFlushAfter,
    WalSyncMethod,
    WalFlushDepth,
    CommitDelay,
    CommitSiblings,
    UndoBuffers,
    UndoSpillLimit,
    MaxLocks,
    MaxFilesPerProcess,
    ArchiveTimeout,
    ArchivePageImages,
    ArchiveCompressionLevel,
    ArchiveMaxLag,
    MaxSlotWalKeepSize,
    RecoveryPrefetch,
    RecoveryPrefetchThreads,
    RecoveryWorkers,
    RecoveryLookAhead,
    RollbackAfterOpen,
    HotStandby,
    HotStandbyFeedback,
    HotStandbyFeedbackMaxAge,
    RecoveryMinApplyDelay,
    ArchiveUrl,
}

/// Every engine setting.
#[rustfmt::skip]
pub const DEFS: [Def; 51] = [
    Def { name: "shared_buffers", kind: bytes(8 * KB), default: "128MB", min: 512 * KB, max: 1 << 46, context: Context::Postmaster,
        description: "Memory for data pages." },
    Def { name: "wal_segment_size", kind: bytes(1), default: "16MB", min: 64 * KB, max: GB, context: Context::Postmaster,
        description: "Size of log files; a power of two, fixed when the database is created." },
    Def { name: "wal_buffers", kind: bytes(8 * KB), default: "16MB", min: 256 * KB, max: GB, context: Context::Postmaster,
        description: "Memory for log that is not written yet." },
    Def { name: "max_wal_size", kind: bytes(MB), default: "1GB", min: 128 * KB, max: 1 << 50, context: Context::Sighup,
        description: "Log kept for recovery, about: rounds are timed so that it suffices. A goal and no limit: what an open transaction has logged stays until it ends, as long as the disk has room." },
    Def { name: "checkpoint_timeout", kind: time(S), default: "5min", min: S, max: 24 * 60 * MIN, context: Context::Sighup,
        description: "Time between the beginnings of two checkpoint cycles, at most." },
    Def { name: "checkpoint_completion_target", kind: Kind::Ratio, default: "0.9", min: 0, max: 100, context: Context::Sighup,
        description: "Share of a round's interval over which its writes are spread." },
    Def { name: "checkpoint_partitions", kind: Kind::Integer, default: "16", min: 1, max: 64, context: Context::Postmaster,
        description: "Partitions, each checkpointed in a round of its own (S1); a power of two; 1 is the classic checkpoint. Changes at a start after a clean shutdown." },
    Def { name: "checkpoint_order", kind: Kind::Choice(&Order::NAMES), default: "sorted", min: 0, max: 1, context: Context::Sighup,
        description: "Order of a round's writes: sorted (by file and block, neighbours in one write; S2) or buffer (as they lie in the pool; the classic order)." },
    Def { name: "checkpoint_file_batches", kind: Kind::Integer, default: "1", min: 1, max: 1024, context: Context::Sighup,
        description: "Groups of about equal size in which files are written and synced (S3); 1: each file by itself." },
    Def { name: "checkpoint_sync", kind: Kind::Choice(&SyncPolicy::NAMES), default: "end", min: 0, max: 4, context: Context::Sighup,
        description: "When a round syncs files: end, per_file (some time after each file's last write; S3), phases (writes in the first half, syncs in the second; S4), paced (a pause after each slow sync; S19), joint (one schedule for both; S20)." },
    Def { name: "checkpoint_sync_delay", kind: time(MS), default: "1s", min: 0, max: 60 * MIN, context: Context::Sighup,
        description: "With checkpoint_sync = per_file: time from a file's last write to its sync." },
    Def { name: "checkpoint_fsync_delay_ratio", kind: Kind::Ratio, default: "1", min: 0, max: 1000, context: Context::Sighup,
        description: "With checkpoint_sync = paced: the pause after a slow sync, as a multiple of its time (S19)." },
    Def { name: "checkpoint_fsync_delay_threshold", kind: time(MS), default: "1s", min: 0, max: 60 * MIN, context: Context::Sighup,
        description: "With checkpoint_sync = paced: a sync that took longer than this is slow." },
    Def { name: "checkpoint_flush_after", kind: bytes(8 * KB), default: "256kB", min: 0, max: GB, context: Context::Sighup,
        description: "With direct_io = off: bytes after which the system is asked to begin writing them out (S2); one page is S5; 0 turns it off." },
    Def { name: "checkpoint_flush_slowdown", kind: Kind::Integer, default: "4", min: 0, max: 1000, context: Context::Sighup,
        description: "Checkpoint writes waiting in the drive may make log flushes so many times slower, at most; 0: as many as they do." },
    Def { name: "checkpoint_forced_rate", kind: bytes(MB), default: "256MB", min: 0, max: 1 << 50, context: Context::Sighup,
        description: "Bytes of pages that a forced checkpoint (CHECKPOINT, a backup) writes a second, at most; 0: as fast as it can. A shutdown does not wait for it." },
    Def { name: "log_checkpoints", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Sighup,
        description: "Log a line for each round of a checkpoint." },
    Def { name: "torn_page_protection", kind: Kind::Choice(&TornPageProtection::NAMES), default: "full_page_writes", min: 0, max: 3, context: Context::Postmaster,
        description: "Against pages whose write is cut short: full_page_writes (the log carries a page's image with its first change after its partition's checkpoint began), double_write (pages go to a side file first), atomic (the device writes pages whole; refuses to start where it does not), off (throw-away data, or a file system that never tears)." },
    Def { name: "full_page_writes", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "PostgreSQL's name: on is torn_page_protection = full_page_writes; off turns that into off, and leaves double_write and atomic, which log no images, as they are." },
    Def { name: "double_write_size", kind: bytes(8 * KB), default: "32MB", min: 128 * KB, max: GB, context: Context::Postmaster,
        description: "Size of the side file of torn_page_protection = double_write: pages written to it, less those whose files were synced since." },
    Def { name: "fsync", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "Make log and data durable. off: for throw-away data only, a crash may destroy the database." },
    Def { name: "direct_io", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "Bypass the operating system's cache for data files (O_DIRECT). For the log see wal_sync_method." },
    Def { name: "bgwriter_delay", kind: time(MS), default: "20ms", min: MS, max: 10 * S, context: Context::Sighup,
        description: "Pause between steps of the background writer, which cleans pages ahead of eviction." },
    Def { name: "bgwriter_maxpages", kind: Kind::Integer, default: "400", min: 0, max: 1 << 30, context: Context::Sighup,
        description: "Pages that the background writer writes in one step, at most; 0 turns it off." },
    Def { name: "bgwriter_policy", kind: Kind::Choice(&CleanerPolicy::NAMES), default: "dirty_chain", min: 0, max: 5, context: Context::Sighup,
        description: "Which dirty pages the background writer writes: dirty_chain (those next to be given up, found by their bits), full_scan (bgwriter_percent of all dirty ones, looking at every buffer), lru_percent (those among bgwriter_percent of the buffers), lru_pages (the next bgwriter_maxpages), t2_only (as dirty_chain, of pages used more than once), two_speed (as dirty_chain with a short lead, and once in 50 steps bgwriter_percent of all dirty ones)." },
    Def { name: "bgwriter_percent", kind: Kind::Integer, default: "2", min: 0, max: 100, context: Context::Sighup,
        description: "Percentage for the policies full_scan, lru_percent and two_speed of the background writer." },
    Def { name: "wal_writer_delay", kind: time(MS), default: "200ms", min: MS, max: 10 * S, context: Context::Sighup,
        description: "Pause between flushes by the log writer; an asynchronous commit is lost in a crash within three times this." },
    Def { name: "wal_writer_flush_after", kind: bytes(8 * KB), default: "256kB", min: 0, max: GB, context: Context::Sighup,
        description: "Unwritten log at which the log writer writes whole blocks ahead of the commit that will need them; 0 turns that off." },
    Def { name: "wal_sync_method", kind: Kind::Choice(&LogSync::NAMES), default: "direct", min: 0, max: 5, context: Context::Postmaster,
        description: "How log writes become durable: fdatasync, fsync (a call after the write), open_datasync, open_sync (O_DSYNC, O_SYNC), direct (O_DIRECT and O_DSYNC), io_uring (O_DIRECT, each write durable by itself). evenkeel logdisk measures which suits a disk." },
    Def { name: "wal_flush_depth", kind: Kind::Integer, default: "1", min: 1, max: DEPTH_MAX as i64, context: Context::Sighup,
        description: "Log writes in flight at a time. More than 1 costs log space for padding and pays where the disk serves writes side by side, as network volumes do." },
    Def { name: "commit_delay", kind: time(1), default: "0", min: 0, max: 100 * MS, context: Context::Sighup,
        description: "Pause before a flush, so that more commits share it. Rarely of use: where waiting costs nothing, the flush waits by itself." },
    Def { name: "commit_siblings", kind: Kind::Integer, default: "5", min: 0, max: 1000, context: Context::Sighup,
        description: "Open transactions, at least, for commit_delay to apply." },
    Def { name: "undo_buffers", kind: bytes(8 * KB), default: "16MB", min: 128 * KB, max: 1 << 46, context: Context::Postmaster,
        description: "Memory for the old versions that rollback and snapshots need; more goes to a scratch file, whose directory takes some 0.4 % of its size in memory." },
    Def { name: "undo_spill_limit", kind: bytes(MB), default: "64GB", min: MB, max: 1 << 50, context: Context::Postmaster,
        description: "Old versions in that scratch file that only snapshots need, at most: past it the oldest snapshot fails (72000). What open transactions need for their own rollback is limited by the disk." },
    Def { name: "max_locks", kind: Kind::Integer, default: "1000000", min: 64, max: 1 << 32, context: Context::Postmaster,
        description: "Explicit row locks and waits at one time, at most." },
    Def { name: "max_files_per_process", kind: Kind::Integer, default: "1000", min: 16, max: 1 << 30, context: Context::Postmaster,
        description: "Data files open at a time, but never more than half of the descriptors that the process may have; of more files, those not used lately are closed meanwhile." },
    Def { name: "archive_timeout", kind: time(S), default: "1min", min: 0, max: 24 * 60 * MIN, context: Context::Sighup,
        description: "The log segment being written is archived as far as it goes after so long; 0: only once it is full." },
    Def { name: "archive_page_images", kind: Kind::Choice(&["strip", "keep"]), default: "strip", min: 0, max: 1, context: Context::Sighup,
        description: "Whether archived log has the page images. strip: without them it is a fraction of the size, and is replayed with torn_page_protection = double_write." },
    Def { name: "archive_compression_level", kind: Kind::Integer, default: "3", min: 0, max: LEVEL_MAX as i64, context: Context::Sighup,
        description: "Level of zstd compression of archived log; 0 is none." },
    Def { name: "archive_max_lag", kind: bytes(MB), default: "16GB", min: 0, max: 1 << 50, context: Context::Sighup,
        description: "Log that may wait for an unreachable archive before writes are refused; 0: as much as the disk holds." },
    Def { name: "max_slot_wal_keep_size", kind: bytes(MB), default: "16GB", min: 0, max: 1 << 50, context: Context::Sighup,
        description: "Log that is kept for replication slots, at most: a slot that falls behind farther is lost, and its standby takes what it lacks from the archive; 0: as much as the disk holds." },
    Def { name: "recovery_prefetch", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "Recovery reads pages before their turn comes (S21, S26), but for those whose first change in the log says all of the page." },
    Def { name: "recovery_prefetch_threads", kind: Kind::Integer, default: "16", min: 1, max: 256, context: Context::Postmaster,
        description: "Pages that recovery reads ahead at a time, at most." },
    Def { name: "recovery_workers", kind: Kind::Integer, default: "0", min: 0, max: 64, context: Context::Postmaster,
        description: "Threads that redo the log, each the partitions that are its own; 0: as many as there are processors; 1: no further thread." },
    Def { name: "recovery_look_ahead", kind: bytes(8 * KB), default: "32MB", min: 64 * KB, max: GB, context: Context::Postmaster,
        description: "Changes that recovery decodes before their turn comes, at most, to read their pages ahead; these have at most a quarter of shared_buffers." },
    Def { name: "rollback_after_open", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "After a crash, transactions that it cut short are rolled back while others are at work: their rows are seen as they were before, and stay locked until then. off: the start waits for it." },
    Def { name: "hot_standby", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "A standby can be read: its replay keeps what was before for those who read, and lets them in between waves of changes." },
    Def { name: "hot_standby_feedback", kind: Kind::Bool, default: "on", min: 0, max: 1, context: Context::Postmaster,
        description: "A standby tells the server that it follows what its readers want, so that it is not taken away under them." },
    Def { name: "hot_standby_feedback_max_age", kind: time(S), default: "10min", min: 0, max: 24 * 60 * MIN, context: Context::Postmaster,
        description: "Readers of a standby whose snapshot is older do not keep the server that it follows from taking away what they want: they end with \"snapshot too old\" where it does. There: a standby that is away is waited for so long." },
    Def { name: "recovery_min_apply_delay", kind: time(MS), default: "0", min: 0, max: 24 * 60 * MIN, context: Context::Postmaster,
        description: "A standby replays a commit no sooner than so long after it happened, by the clocks of both servers. A promotion waits for nothing." },
    Def { name: "archive_url", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Postmaster,
        description: "Where finished log is archived: file:///path, s3://bucket/path, gs://…, az://…; empty: nowhere." },
];

/// The values of an open database, which many threads read while somebody changes one.
pub(super) struct Live {
    /// Texts stay as they were at the start.
    started: Values,
    numbers: Vec<AtomicU64>,
}

impl Live {
    pub(super) fn new(started: Values) -> Live {
        let number = |place| match started.get(place) {
            Value::Number(n) => *n,
            Value::Text(_) => 0,
        };
        Live { numbers: (0..DEFS.len()).map(|place| AtomicU64::new(number(place) as u64)).collect(), started }
    }

    /// A number.
    pub(super) fn number(&self, id: Id) -> u64 {
        self.numbers[id as usize].load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, place: usize, value: Value) {
        match value {
            Value::Number(n) => self.numbers[place].store(n as u64, Ordering::Relaxed),
            Value::Text(_) => unreachable!("texts are not changed while a database is open"),
        }
    }

    /// All of them.
    pub(super) fn current(&self) -> Values {
        let mut values = self.started.clone();
        for (place, n) in self.numbers.iter().enumerate() {
            if let Value::Number(_) = values.get(place) {
                values.set(place, Value::Number(n.load(Ordering::Relaxed) as i64));
            }
        }
        values
    }
}

/// Reads a value of the setting at a place.
pub fn parse(place: usize, text: &str) -> Result<Value, Mistake> {
    let d = &DEFS[place];
    let value = d.parse(text)?;
    let power = matches!(d.name, "checkpoint_partitions" | "wal_segment_size");
    match &value {
        Value::Number(n) if power && !(*n as u64).is_power_of_two() => Err(Mistake::Value {
            message: format!("invalid value for parameter \"{}\": \"{text}\"", d.name),
            hint: Some("It must be a power of two.".into()),
        }),
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::find;

    fn parsed(name: &str, text: &str) -> Result<i64, String> {
        match parse(find(DEFS.as_slice(), name).map_err(|e| e.to_string())?, text) {
            Ok(Value::Number(n)) => Ok(n),
            Ok(Value::Text(text)) => Err(text),
            Err(e) => Err(e.to_string()),
        }
    }

    #[test]
    fn the_ids_name_their_rows() {
        assert_eq!(DEFS[Id::SharedBuffers as usize].name, "shared_buffers");
        assert_eq!(DEFS[Id::DirectIo as usize].name, "direct_io");
        assert_eq!(DEFS[Id::BgwriterPercent as usize].name, "bgwriter_percent");
        assert_eq!(DEFS[Id::MaxLocks as usize].name, "max_locks");
        assert_eq!(DEFS[Id::MaxFilesPerProcess as usize].name, "max_files_per_process");
        assert_eq!(DEFS[Id::ArchiveTimeout as usize].name, "archive_timeout");
        assert_eq!(DEFS[Id::ArchiveMaxLag as usize].name, "archive_max_lag");
        assert_eq!(DEFS[Id::ArchiveUrl as usize].name, "archive_url");
    }

    #[test]
    fn defaults_that_others_know_by_number_are_theirs() {
        let default = |id: Id| DEFS[id as usize].default_value();
        assert_eq!(default(Id::MaxFilesPerProcess), Value::Number(crate::io::DATA_FILES_MAX as i64));
    }

    #[test]
    fn values_read_as_postgresql_reads_them() {
        assert_eq!(parsed("shared_buffers", "256MB"), Ok(256 * MB));
        assert_eq!(parsed("shared_buffers", "1000"), Ok(8000 * KB));
        assert_eq!(parsed("max_wal_size", "2GB"), Ok(2 * GB));
        assert_eq!(parsed("checkpoint_timeout", "30"), Ok(30 * S));
        assert_eq!(parsed("checkpoint_timeout", "1.5 min"), Ok(90 * S));
        assert_eq!(parsed("full_page_writes", "off"), Ok(0));
        assert_eq!(parsed("checkpoint_completion_target", "0.5"), Ok(50));
        assert_eq!(parsed("wal_sync_method", "open_sync"), Ok(3));
        assert_eq!(parsed("commit_delay", "250"), Ok(250));
    }

    #[test]
    fn mistakes_name_the_setting() {
        for (name, value) in [
            ("shared_buffers", "lots"),
            ("checkpoint_partitions", "3"),
            ("checkpoint_timeout", "5 parsec"),
            ("wal_sync_method", "hope"),
            ("wal_flush_depth", "0"),
        ] {
            let e = parsed(name, value).unwrap_err();
            assert!(e.contains(name) && e.contains(value), "{e}");
        }
        assert!(parsed("fsync", "maybe").unwrap_err().contains("fsync"));
        assert!(parsed("no_such", "1").unwrap_err().contains("no_such"));
    }

    #[test]
    fn what_is_printed_reads_back() {
        for (place, d) in DEFS.iter().enumerate() {
            let value = d.default_value();
            assert_eq!(parse(place, &d.print(&value)), Ok(value), "{}", d.name);
        }
    }
}
