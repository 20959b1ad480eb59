//! What one measurement is: method, depth, block size, tail policy, stream of commits, kind of file.
//!
//! It must not know how any of it is carried out.

use std::fmt;

use serde::Serialize;

use super::words::time;

/// How a log write is made durable. The first six are values of `wal_sync_method`; the others are never durable, and only
/// measured as what the durable ones are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// O_DIRECT + O_DSYNC: one call past the page cache.
    Direct,
    /// io_uring, O_DIRECT, each write with RWF_DSYNC.
    IoUring,
    /// O_DSYNC through the page cache.
    OpenDatasync,
    /// A write, then fdatasync.
    Fdatasync,
    /// O_SYNC through the page cache.
    OpenSync,
    /// A write, then fsync.
    Fsync,
    /// A write into the page cache, and nothing else.
    Unsynced,
    /// O_DIRECT alone: the device has the bytes, perhaps in a cache of its own.
    Unflushed,
}

impl Method {
    /// The methods that may be recommended; of two that measure alike, the earlier is taken.
    pub const DURABLE: [Method; 6] = [
        Method::Direct,
        Method::IoUring,
        Method::OpenDatasync,
        Method::Fdatasync,
        Method::OpenSync,
        Method::Fsync,
    ];

    /// As in `wal_sync_method`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Direct => "direct",
            Method::IoUring => "io_uring",
            Method::OpenDatasync => "open_datasync",
            Method::Fdatasync => "fdatasync",
            Method::OpenSync => "open_sync",
            Method::Fsync => "fsync",
            Method::Unsynced => "(no sync)",
            Method::Unflushed => "(no flush)",
        }
    }

    /// The engine has it: what it has not is measured for what it tells, and not recommended.
    pub fn is_offered(self) -> bool {
        evenkeel::Options::default().set("wal_sync_method", self.name()).is_ok()
    }

    /// The writes bypass the page cache.
    pub fn is_direct(self) -> bool {
        matches!(self, Method::Direct | Method::IoUring | Method::Unflushed)
    }
}

/// What happens to the half-filled block at the log's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tail {
    /// The next gang writes it again, in place. No two writes overlap in time.
    Rewrite,
    /// It is filled up with zeros when its gang is taken; the next gang begins in the next block.
    Pad,
    /// Its newer versions go to places further on, in turn, until it is full (S17).
    Alternate,
}

impl Tail {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Tail::Rewrite => "rewrite",
            Tail::Pad => "pad",
            Tail::Alternate => "alternate",
        }
    }
}

/// When a gang that could be written is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// As soon as a place in flight is free.
    AtOnce,
    /// So long after the last write ended, unless all who are expected have come: what the engine's flusher learns by itself, with one write at a time.
    Held {
        /// Microseconds.
        us: u32,
    },
    /// So long after it could be (`commit_delay`), if at least so many other clients there are (`commit_siblings`).
    Delayed {
        /// Microseconds.
        us: u32,
        /// Other clients.
        siblings: u32,
    },
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::AtOnce => write!(f, "at once"),
            Start::Held { us } => write!(f, "held {}", time(f64::from(*us))),
            Start::Delayed { us, .. } => write!(f, "delay {}", time(f64::from(*us))),
        }
    }
}

/// The file that is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// Filled with zeros and synced before; a write changes no metadata.
    ZeroFilled,
    /// Space obtained by fallocate, never written: each write also marks its extent as written.
    Fallocated,
    /// Empty at first: each write makes it longer.
    Growing,
}

impl Growth {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Growth::ZeroFilled => "zero-filled",
            Growth::Fallocated => "fallocated",
            Growth::Growing => "growing",
        }
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spec {
    /// How writes are made durable.
    pub method: Method,
    /// Writes in flight at most. 1 means that the committer writes by itself; more need writer threads, or io_uring.
    pub depth: u32,
    /// The unit of writing.
    pub block_bytes: u32,
    /// Treatment of the half-filled block.
    pub tail: Tail,
    /// When a gang is written.
    pub start: Start,
    /// What the file is.
    pub growth: Growth,
    /// Clients, each with at most one commit waiting.
    pub clients: u32,
    /// Log bytes of one commit.
    pub record_bytes: u32,
    /// One write carries every commit that waits (S14); otherwise one commit.
    pub ganged: bool,
    /// Pause of a client between two commits: even chances from 0 to this.
    pub think_us_max: u32,
}

impl Spec {
    /// Writes of whole blocks, always `depth` of them in flight: what the device can do.
    pub fn raw(method: Method, block_bytes: u32, depth: u32) -> Spec {
        Spec {
            method,
            depth,
            block_bytes,
            tail: Tail::Pad,
            start: Start::AtOnce,
            growth: Growth::ZeroFilled,
            clients: depth,
            record_bytes: block_bytes,
            ganged: false,
            think_us_max: 0,
        }
    }

    /// A stream of ganged commits. With several writes in flight the engine pads only where company is expected: a lone client's block is rewritten.
    pub fn stream(way: Way, block_bytes: u32, clients: u32, record_bytes: u32) -> Spec {
        Spec {
            method: way.method,
            depth: way.depth,
            block_bytes,
            tail: if way.tail == Tail::Pad && way.depth > 1 && clients == 1 {
                Tail::Rewrite
            } else {
                way.tail
            },
            start: way.start,
            growth: Growth::ZeroFilled,
            clients,
            record_bytes,
            ganged: true,
            think_us_max: THINK_US_MAX,
        }
    }
}

/// Longest pause of a client in a commit stream. Without pauses all clients would march in step and every gang would be full.
pub const THINK_US_MAX: u32 = 200;

/// A way to write the log: what a recommendation chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Way {
    /// How writes are made durable.
    pub method: Method,
    /// Writes in flight at most.
    pub depth: u32,
    /// Treatment of the half-filled block.
    pub tail: Tail,
    /// When a gang is written.
    pub start: Start,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, depth {}, {}", self.method.name(), self.depth, self.tail.name())?;
        match self.start {
            Start::AtOnce => Ok(()),
            start => write!(f, ", {start}"),
        }
    }
}

/// What the settings are to be best at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The median wait of a commit with few clients.
    #[default]
    Latency,
    /// Commits a second with many clients, and megabytes a second.
    Throughput,
    /// Log bytes: nothing is padded unless nothing else works.
    Space,
}

impl Objective {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Latency => "latency",
            Objective::Throughput => "throughput",
            Objective::Space => "space",
        }
    }
}
