//! How rounds are run: order, batches, syncs, pace. Every checkpointer of threads A and D is a choice of these values.
//!
//! Must not know: where the values come from.

use std::time::Duration;

/// In which order a round writes its pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By file and block, neighbours in one write (S2).
    Sorted,
    /// As they lie in the pool, each by itself: the classic order.
    Buffer,
}

impl Order {
    /// All, in the order of [`Order::NAMES`].
    pub const ALL: [Order; 2] = [Order::Sorted, Order::Buffer];
    /// Their names.
    pub const NAMES: [&str; 2] = ["sorted", "buffer"];
}

/// When a round syncs the files that it wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncPolicy {
    /// After the last write, one after the other.
    End,
    /// Each file some time after its own last write (S3).
    PerFile,
    /// Writes in the first half of the round's time, syncs spread over the second (S4).
    Phases,
    /// After the last write, with a pause after each sync that took long (S19).
    Paced,
    /// Writes and syncs on one linear schedule; the syncs' share of it is what they took of the last round (S20).
    Joint,
}

impl SyncPolicy {
    /// All, in the order of [`SyncPolicy::NAMES`].
    pub const ALL: [SyncPolicy; 5] =
        [SyncPolicy::End, SyncPolicy::PerFile, SyncPolicy::Phases, SyncPolicy::Paced, SyncPolicy::Joint];
    /// Their names.
    pub const NAMES: [&str; 5] = ["end", "per_file", "phases", "paced", "joint"];
}

/// How fast a round goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Speed {
    /// Without a pause.
    AtOnce,
    /// Quick, but not above so many bytes of pages a second.
    Rate(u64),
    /// Spread over a time and an amount of log, whichever comes first.
    Paced {
        /// Time from a round's start to the next one's.
        interval: Duration,
        /// Log bytes from a round's start to the next one's.
        log_bytes: u64,
        /// Share of both that the writes are spread over, from 0 to 1.
        target: f64,
    },
}

/// How one round is to be run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoundOptions {
    /// Order of the writes.
    pub order: Order,
    /// File batches (S3): files are written, and synced, in so many groups of about equal size.
    pub file_batches: usize,
    /// When to sync.
    pub sync: SyncPolicy,
    /// For [`SyncPolicy::PerFile`]: from a file's last write to its sync.
    pub sync_delay: Duration,
    /// For [`SyncPolicy::Paced`]: the pause after a sync, as a multiple of what it took.
    pub fsync_delay_ratio: f64,
    /// For [`SyncPolicy::Paced`]: syncs that took no longer than this are followed by no pause.
    pub fsync_delay_threshold: Duration,
    /// Bytes written after which the system is asked to begin writing them out, for buffered files (S2; one page: S5). 0: it is not.
    pub flush_after: u64,
    /// Log flushes may become so many times slower through pages that wait in the drive's cache. 0: whatever they become.
    pub flush_slowdown: f64,
    /// The pace.
    pub speed: Speed,
}

impl RoundOptions {
    /// Sorted, synced at the end, no pauses: what a step in a simulation does.
    pub const AT_ONCE: RoundOptions = RoundOptions {
        order: Order::Sorted,
        file_batches: 1,
        sync: SyncPolicy::End,
        sync_delay: Duration::ZERO,
        fsync_delay_ratio: 0.0,
        fsync_delay_threshold: Duration::ZERO,
        flush_after: 0,
        flush_slowdown: 0.0,
        speed: Speed::AtOnce,
    };
}

/// Why a round is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Its time has come.
    Time,
    /// So much was logged.
    Log,
    /// Somebody asked: CHECKPOINT, a shutdown, a backup.
    Request,
}
