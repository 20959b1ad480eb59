//! The boundary between measuring and what is measured: a [`Rig`] opens [`Lane`]s, a lane writes and has a clock.
//!
//! The operating system's is in `os.rs`; the tests have models of disks whose clock stands still while they compute.
//!
//! It must not know what is measured, or why.

use std::io;

use serde::Serialize;

use super::spec::{Growth, Method};

/// A contiguous run of bytes of the file, in whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
}

impl Extent {
    /// Some byte belongs to both.
    pub fn overlaps(&self, other: &Extent) -> bool {
        self.offset < other.offset + other.len && other.offset < self.offset + self.len
    }
}

/// A write that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it was started with.
    pub token: u64,
    /// When, on the lane's clock.
    pub at_ns: u64,
}

/// An open file with up to a fixed number of writes in flight.
pub trait Lane {
    /// The lane's clock; never goes back.
    fn now_ns(&self) -> u64;

    /// Starts a write that is durable when it ends (unless the method is a baseline). The caller keeps at most the lane's depth in
    /// flight. May return only when the write has ended; [`Lane::wait`] reports it all the same.
    fn start(&mut self, token: u64, extent: Extent) -> io::Result<()>;

    /// Waits until a write has ended or the time has come. With neither writes in flight nor a time it returns at once.
    fn wait(&mut self, until_ns: Option<u64>) -> io::Result<Option<Done>>;

    /// Makes the file what it was at first. Nothing may be in flight.
    fn rewind(&mut self) -> io::Result<()>;
}

/// What a lane is to be.
#[derive(Clone, Copy, Debug)]
pub struct LaneSpec {
    /// How writes are made durable.
    pub method: Method,
    /// Writes in flight at most.
    pub depth: u32,
    /// The longest write.
    pub write_bytes_max: u64,
    /// What the file is.
    pub growth: Growth,
}

/// Why there is no lane.
#[derive(Debug)]
pub enum Refusal {
    /// This method or kind of file does not exist here; others may.
    Unavailable(String),
    /// Nothing can be measured.
    Failed(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(e: io::Error) -> Refusal {
        Refusal::Failed(e)
    }
}

/// A disk to measure.
pub trait Rig {
    /// What is known without measuring.
    fn facts(&self) -> Facts;

    /// Time since the rig was made, preparations included.
    fn now_ns(&self) -> u64;

    /// Share of the processors' time (0 to 1) that other programs used since the rig was made, if that is known.
    fn others_busy(&self) -> Option<f64>;

    /// Opens a file of [`FILE_BYTES`].
    fn open(&mut self, spec: LaneSpec) -> Result<Box<dyn Lane>, Refusal>;
}

/// Size of the test file. Two are needed at one time.
pub const FILE_BYTES: u64 = 24 << 20;

/// What the system says of the disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// The folder.
    pub folder: String,
    /// Name of the file system.
    pub filesystem: Option<String>,
    /// How it is mounted: options separated by commas.
    pub options: Option<String>,
    /// The block device.
    pub device: Option<String>,
    /// It is part of a virtual machine, or a file: what it says of rotation means nothing.
    pub virtual_device: bool,
    /// It says that it rotates.
    pub rotational: Option<bool>,
    /// It says that it has a cache that loses its contents with the power.
    pub volatile_cache: Option<bool>,
}
