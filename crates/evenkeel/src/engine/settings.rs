//! The table of settings: names, units, limits, descriptions; reading and printing values with units. Names and units are PostgreSQL's
//! where the meaning is the same.

use crate::archive::LEVEL_MAX;
use crate::base::{Error, Result};
use crate::checkpoint::{Order, SyncPolicy};
use crate::control::TornPageProtection;
use crate::io::{DATA_FILES_MAX, LogSync};
use crate::pool::CleanerPolicy;
use crate::wal::DEPTH_MAX;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `on`, `off`.
    Bool,
    /// A plain number.
    Count,
    /// Bytes; a bare number counts this many bytes.
    Bytes(u64),
    /// Microseconds; a bare number counts this many.
    Time(u64),
    /// Hundredths: `0.9`.
    Ratio,
    /// One of these names; the value is its index.
    Choice(&'static [&'static str]),
}

/// A row of the table.
pub struct Def {
    /// Name.
    pub name: &'static str,
    /// Unit.
    pub unit: Unit,
    /// Default, in base units (bytes, microseconds, hundredths, 0/1).
    pub default: u64,
    /// Smallest value.
    pub min: u64,
    /// Largest value.
    pub max: u64,
    /// May be changed while the database is open.
    pub live: bool,
    /// One sentence.
    pub description: &'static str,
}

const KB: u64 = 1024;
const MB: u64 = 1024 * KB;
const GB: u64 = 1024 * MB;
const MS: u64 = 1000;
const S: u64 = 1000 * MS;
const MIN: u64 = 60 * S;

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
    RecoveryPrefetch,
    RecoveryPrefetchThreads,
    RecoveryWorkers,
    RecoveryLookAhead,
}

/// Every engine setting.
#[rustfmt::skip]
pub const DEFS: [Def; 44] = [
    Def { name: "shared_buffers", unit: Unit::Bytes(8 * KB), default: 128 * MB, min: 512 * KB, max: 1 << 46, live: false,
        description: "Memory for data pages." },
    Def { name: "wal_segment_size", unit: Unit::Bytes(1), default: 16 * MB, min: 64 * KB, max: GB, live: false,
        description: "Size of log files; a power of two, fixed when the database is created." },
    Def { name: "wal_buffers", unit: Unit::Bytes(8 * KB), default: 16 * MB, min: 256 * KB, max: GB, live: false,
        description: "Memory for log that is not written yet." },
    Def { name: "max_wal_size", unit: Unit::Bytes(MB), default: GB, min: 128 * KB, max: 1 << 50, live: true,
        description: "Log kept for recovery, about: rounds are timed so that it suffices. A goal and no limit: what an open transaction has logged stays until it ends, as long as the disk has room." },
    Def { name: "checkpoint_timeout", unit: Unit::Time(S), default: 5 * MIN, min: S, max: 24 * 60 * MIN, live: true,
        description: "Time between the beginnings of two checkpoint cycles, at most." },
    Def { name: "checkpoint_completion_target", unit: Unit::Ratio, default: 90, min: 0, max: 100, live: true,
        description: "Share of a round's interval over which its writes are spread." },
    Def { name: "checkpoint_partitions", unit: Unit::Count, default: 16, min: 1, max: 64, live: false,
        description: "Partitions, each checkpointed in a round of its own (S1); a power of two; 1 is the classic checkpoint. Changes at a start after a clean shutdown." },
    Def { name: "checkpoint_order", unit: Unit::Choice(&Order::NAMES), default: 0, min: 0, max: 1, live: true,
        description: "Order of a round's writes: sorted (by file and block, neighbours in one write; S2) or buffer (as they lie in the pool; the classic order)." },
    Def { name: "checkpoint_file_batches", unit: Unit::Count, default: 1, min: 1, max: 1024, live: true,
        description: "Groups of about equal size in which files are written and synced (S3); 1: each file by itself." },
    Def { name: "checkpoint_sync", unit: Unit::Choice(&SyncPolicy::NAMES), default: 0, min: 0, max: 4, live: true,
        description: "When a round syncs files: end, per_file (some time after each file's last write; S3), phases (writes in the first half, syncs in the second; S4), paced (a pause after each slow sync; S19), joint (one schedule for both; S20)." },
    Def { name: "checkpoint_sync_delay", unit: Unit::Time(MS), default: S, min: 0, max: 60 * MIN, live: true,
        description: "With checkpoint_sync = per_file: time from a file's last write to its sync." },
    Def { name: "checkpoint_fsync_delay_ratio", unit: Unit::Ratio, default: 100, min: 0, max: 1000, live: true,
        description: "With checkpoint_sync = paced: the pause after a slow sync, as a multiple of its time (S19)." },
    Def { name: "checkpoint_fsync_delay_threshold", unit: Unit::Time(MS), default: S, min: 0, max: 60 * MIN, live: true,
        description: "With checkpoint_sync = paced: a sync that took longer than this is slow." },
    Def { name: "checkpoint_flush_after", unit: Unit::Bytes(8 * KB), default: 256 * KB, min: 0, max: GB, live: true,
        description: "With direct_io = off: bytes after which the system is asked to begin writing them out (S2); one page is S5; 0 turns it off." },
    Def { name: "checkpoint_flush_slowdown", unit: Unit::Count, default: 4, min: 0, max: 1000, live: true,
        description: "Checkpoint writes waiting in the drive may make log flushes so many times slower, at most; 0: as many as they do." },
    Def { name: "checkpoint_forced_rate", unit: Unit::Bytes(MB), default: 256 * MB, min: 0, max: 1 << 50, live: true,
        description: "Bytes of pages that a forced checkpoint (CHECKPOINT, a backup) writes a second, at most; 0: as fast as it can. A shutdown does not wait for it." },
    Def { name: "log_checkpoints", unit: Unit::Bool, default: 1, min: 0, max: 1, live: true,
        description: "Log a line for each round of a checkpoint." },
    Def { name: "torn_page_protection", unit: Unit::Choice(&TornPageProtection::NAMES), default: 0, min: 0, max: 3, live: false,
        description: "Against pages whose write is cut short: full_page_writes (the log carries a page's image with its first change after its partition's checkpoint began), double_write (pages go to a side file first), atomic (the device writes pages whole; refuses to start where it does not), off (throw-away data, or a file system that never tears)." },
    Def { name: "full_page_writes", unit: Unit::Bool, default: 1, min: 0, max: 1, live: false,
        description: "PostgreSQL's name: on is torn_page_protection = full_page_writes; off turns that into off, and leaves double_write and atomic, which log no images, as they are." },
    Def { name: "double_write_size", unit: Unit::Bytes(8 * KB), default: 32 * MB, min: 128 * KB, max: GB, live: false,
        description: "Size of the side file of torn_page_protection = double_write: pages written to it, less those whose files were synced since." },
    Def { name: "fsync", unit: Unit::Bool, default: 1, min: 0, max: 1, live: false,
        description: "Make log and data durable. off: for throw-away data only, a crash may destroy the database." },
    Def { name: "direct_io", unit: Unit::Bool, default: 1, min: 0, max: 1, live: false,
        description: "Bypass the operating system's cache for data files (O_DIRECT). For the log see wal_sync_method." },
    Def { name: "bgwriter_delay", unit: Unit::Time(MS), default: 20 * MS, min: MS, max: 10 * S, live: true,
        description: "Pause between steps of the background writer, which cleans pages ahead of eviction." },
    Def { name: "bgwriter_maxpages", unit: Unit::Count, default: 400, min: 0, max: 1 << 30, live: true,
        description: "Pages that the background writer writes in one step, at most; 0 turns it off." },
    Def { name: "bgwriter_policy", unit: Unit::Choice(&CleanerPolicy::NAMES), default: 0, min: 0, max: 5, live: true,
        description: "Which dirty pages the background writer writes: dirty_chain (those next to be given up, found by their bits), full_scan (bgwriter_percent of all dirty ones, looking at every buffer), lru_percent (those among bgwriter_percent of the buffers), lru_pages (the next bgwriter_maxpages), t2_only (as dirty_chain, of pages used more than once), two_speed (as dirty_chain with a short lead, and once in 50 steps bgwriter_percent of all dirty ones)." },
    Def { name: "bgwriter_percent", unit: Unit::Count, default: 2, min: 0, max: 100, live: true,
        description: "Percentage for the policies full_scan, lru_percent and two_speed of the background writer." },
    Def { name: "wal_writer_delay", unit: Unit::Time(MS), default: 200 * MS, min: MS, max: 10 * S, live: true,
        description: "Pause between flushes by the log writer; an asynchronous commit is lost in a crash within three times this." },
    Def { name: "wal_writer_flush_after", unit: Unit::Bytes(8 * KB), default: 256 * KB, min: 0, max: GB, live: true,
        description: "Unwritten log at which the log writer writes whole blocks ahead of the commit that will need them; 0 turns that off." },
    Def { name: "wal_sync_method", unit: Unit::Choice(&LogSync::NAMES), default: 4, min: 0, max: 5, live: false,
        description: "How log writes become durable: fdatasync, fsync (a call after the write), open_datasync, open_sync (O_DSYNC, O_SYNC), direct (O_DIRECT and O_DSYNC), io_uring (O_DIRECT, each write durable by itself). evenkeel logdisk measures which suits a disk." },
    Def { name: "wal_flush_depth", unit: Unit::Count, default: 1, min: 1, max: DEPTH_MAX, live: true,
        description: "Log writes in flight at a time. More than 1 costs log space for padding and pays where the disk serves writes side by side, as network volumes do." },
    Def { name: "commit_delay", unit: Unit::Time(1), default: 0, min: 0, max: 100 * MS, live: true,
        description: "Pause before a flush, so that more commits share it. Rarely of use: where waiting costs nothing, the flush waits by itself." },
    Def { name: "commit_siblings", unit: Unit::Count, default: 5, min: 0, max: 1000, live: true,
        description: "Open transactions, at least, for commit_delay to apply." },
    Def { name: "undo_buffers", unit: Unit::Bytes(8 * KB), default: 16 * MB, min: 128 * KB, max: 1 << 46, live: false,
        description: "Memory for the old versions that rollback and snapshots need; more goes to a scratch file, whose directory takes some 0.4 % of its size in memory." },
    Def { name: "undo_spill_limit", unit: Unit::Bytes(MB), default: 64 * GB, min: MB, max: 1 << 50, live: false,
        description: "Old versions in that scratch file that only snapshots need, at most: past it the oldest snapshot fails (72000). What open transactions need for their own rollback is limited by the disk." },
    Def { name: "max_locks", unit: Unit::Count, default: 1_000_000, min: 64, max: 1 << 32, live: false,
        description: "Explicit row locks and waits at one time, at most." },
    Def { name: "max_files_per_process", unit: Unit::Count, default: DATA_FILES_MAX as u64, min: 16, max: 1 << 30, live: false,
        description: "Data files open at a time, but never more than half of the descriptors that the process may have; of more files, those not used lately are closed meanwhile." },
    Def { name: "archive_timeout", unit: Unit::Time(S), default: MIN, min: 0, max: 24 * 60 * MIN, live: true,
        description: "The log segment being written is archived as far as it goes after so long; 0: only once it is full." },
    Def { name: "archive_page_images", unit: Unit::Choice(&["strip", "keep"]), default: 0, min: 0, max: 1, live: true,
        description: "Whether archived log has the page images. strip: without them it is a fraction of the size, and is replayed with torn_page_protection = double_write." },
    Def { name: "archive_compression_level", unit: Unit::Count, default: 3, min: 0, max: LEVEL_MAX, live: true,
        description: "Level of zstd compression of archived log; 0 is none." },
    Def { name: "archive_max_lag", unit: Unit::Bytes(MB), default: 16 * GB, min: 0, max: 1 << 50, live: true,
        description: "Log that may wait for an unreachable archive before writes are refused; 0: as much as the disk holds." },
    Def { name: "recovery_prefetch", unit: Unit::Bool, default: 1, min: 0, max: 1, live: false,
        description: "Recovery reads pages before their turn comes (S21, S26), but for those whose first change in the log says all of the page." },
    Def { name: "recovery_prefetch_threads", unit: Unit::Count, default: 16, min: 1, max: 256, live: false,
        description: "Pages that recovery reads ahead at a time, at most." },
    Def { name: "recovery_workers", unit: Unit::Count, default: 0, min: 0, max: 64, live: false,
        description: "Threads that redo the log, each the partitions that are its own; 0: as many as there are processors; 1: no further thread." },
    Def { name: "recovery_look_ahead", unit: Unit::Bytes(8 * KB), default: 32 * MB, min: 64 * KB, max: GB, live: false,
        description: "Changes that recovery decodes before their turn comes, at most, to read their pages ahead; these have at most a quarter of shared_buffers." },
];

/// A setting as shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Name.
    pub name: String,
    /// Value with its unit.
    pub value: String,
    /// Default with its unit.
    pub default: String,
    /// Unit of a bare number, empty if none.
    pub unit: String,
    /// One sentence.
    pub description: String,
    /// May be changed while the database is open.
    pub changeable_at_run_time: bool,
}

impl Def {
    /// The definition with this name.
    pub fn find(name: &str) -> Result<usize> {
        DEFS.iter()
            .position(|d| d.name == name)
            .ok_or_else(|| Error::InvalidArgument(format!("unrecognized configuration parameter \"{name}\"")))
    }

    /// Reads a value.
    pub fn parse(&self, text: &str) -> Result<u64> {
        let text = text.trim();
        let bad = |why: &str| {
            Error::InvalidArgument(format!(
                "invalid value for parameter \"{}\": \"{text}\" ({why})",
                self.name
            ))
        };
        let value = match self.unit {
            Unit::Bool => match text.to_ascii_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => 1,
                "off" | "false" | "no" | "0" => 0,
                _ => return Err(bad("expected on or off")),
            },
            Unit::Ratio => {
                let v: f64 = text.parse().map_err(|_| bad("expected a number"))?;
                if !(0.0..=1e6).contains(&v) {
                    return Err(bad("expected a number of 0 or more"));
                }
                (v * 100.0).round() as u64
            }
            Unit::Count => text.parse().map_err(|_| bad("expected a whole number"))?,
            Unit::Choice(names) => match names.iter().position(|n| n.eq_ignore_ascii_case(text)) {
                Some(i) => i as u64,
                None => return Err(bad(&format!("expected one of {}", names.join(", ")))),
            },
            Unit::Bytes(bare) => {
                with_unit(text, bare, &[("B", 1), ("kB", KB), ("MB", MB), ("GB", GB), ("TB", 1024 * GB)])
                    .ok_or_else(|| bad("expected a number with one of the units B, kB, MB, GB, TB"))?
            }
            Unit::Time(bare) => with_unit(
                text,
                bare,
                &[("us", 1), ("ms", MS), ("s", S), ("min", MIN), ("h", 60 * MIN), ("d", 24 * 60 * MIN)],
            )
            .ok_or_else(|| bad("expected a number with one of the units us, ms, s, min, h, d"))?,
        };
        if value < self.min || value > self.max {
            return Err(bad(&format!("allowed are {} to {}", self.print(self.min), self.print(self.max))));
        }
        let power = matches!(self.name, "checkpoint_partitions" | "wal_segment_size");
        if power && !value.is_power_of_two() {
            return Err(bad("expected a power of two"));
        }
        Ok(value)
    }

    /// Prints a value with the largest unit that divides it.
    pub fn print(&self, value: u64) -> String {
        let pick = |units: &[(&str, u64)]| {
            let (name, size) =
                units.iter().rev().find(|(_, s)| value != 0 && value.is_multiple_of(*s)).unwrap_or(&units[0]);
            format!("{}{name}", value / size)
        };
        match self.unit {
            Unit::Bool => if value != 0 { "on" } else { "off" }.into(),
            Unit::Count => value.to_string(),
            Unit::Choice(names) => names.get(value as usize).copied().unwrap_or_default().into(),
            Unit::Ratio => format!("{}", value as f64 / 100.0),
            Unit::Bytes(_) => pick(&[("B", 1), ("kB", KB), ("MB", MB), ("GB", GB)]),
            Unit::Time(_) => {
                pick(&[("us", 1), ("ms", MS), ("s", S), ("min", MIN), ("h", 60 * MIN), ("d", 24 * 60 * MIN)])
            }
        }
    }

    /// The setting with a value, for display.
    pub fn shown(&self, value: u64) -> Setting {
        Setting {
            name: self.name.into(),
            value: self.print(value),
            default: self.print(self.default),
            unit: self.bare_unit().into(),
            description: self.description.into(),
            changeable_at_run_time: self.live,
        }
    }

    /// Name of the unit of a bare number.
    pub fn bare_unit(&self) -> &'static str {
        match self.unit {
            Unit::Bytes(MB) => "MB",
            Unit::Bytes(1) => "B",
            Unit::Bytes(_) => "8kB",
            Unit::Time(1) => "us",
            Unit::Time(MS) => "ms",
            Unit::Time(_) => "s",
            _ => "",
        }
    }
}

fn with_unit(text: &str, bare: u64, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim());
    let scale = if unit.is_empty() { bare } else { units.iter().find(|(n, _)| *n == unit)?.1 };
    if let Ok(n) = number.parse::<u64>() {
        return n.checked_mul(scale);
    }
    let n: f64 = number.parse().ok()?;
    let v = n * scale as f64;
    (v.is_finite() && v < 1e18).then_some(v.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, text: &str) -> Result<u64> {
        DEFS[Def::find(name)?].parse(text)
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
        assert_eq!(DEFS[Id::RecoveryLookAhead as usize].name, "recovery_look_ahead");
    }

    #[test]
    fn values_read_as_postgresql_reads_them() {
        assert_eq!(parse("shared_buffers", "256MB").unwrap(), 256 * MB);
        assert_eq!(parse("shared_buffers", "1000").unwrap(), 8000 * KB);
        assert_eq!(parse("max_wal_size", "2GB").unwrap(), 2 * GB);
        assert_eq!(parse("checkpoint_timeout", "30").unwrap(), 30 * S);
        assert_eq!(parse("checkpoint_timeout", "1.5 min").unwrap(), 90 * S);
        assert_eq!(parse("full_page_writes", "off").unwrap(), 0);
        assert_eq!(parse("checkpoint_completion_target", "0.5").unwrap(), 50);
        assert_eq!(parse("wal_sync_method", "open_sync").unwrap(), 3);
        assert_eq!(parse("commit_delay", "250").unwrap(), 250);
    }

    #[test]
    fn mistakes_name_the_setting() {
        for (name, value) in [
            ("shared_buffers", "lots"),
            ("checkpoint_partitions", "3"),
            ("fsync", "maybe"),
            ("checkpoint_timeout", "5 parsec"),
            ("wal_sync_method", "hope"),
            ("wal_flush_depth", "0"),
        ] {
            let e = parse(name, value).unwrap_err().to_string();
            assert!(e.contains(name) && e.contains(value), "{e}");
        }
        assert!(parse("no_such", "1").unwrap_err().to_string().contains("no_such"));
    }

    #[test]
    fn what_is_printed_reads_back() {
        for d in &DEFS {
            assert_eq!(d.parse(&d.print(d.default)).unwrap(), d.default, "{}", d.name);
        }
    }
}
