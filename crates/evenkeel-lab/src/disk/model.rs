//! When a modelled disk has done what it was asked: the interface of all models.
//!
//! Invariants
//! 1. A model reads no clock: time is told to it, and never goes back. The same requests at the same times end at the same times.
//!
//! It must not know of data, files, or who asks.

use super::kinds::{Kind, Way};
use super::rotating::Platters;
use super::still::Chips;

/// Nanoseconds since the model began.
pub type Nanos = u64;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Bytes from the disk.
    Read,
    /// Bytes to it; done when its cache has them.
    Write,
    /// All writes that were done before are on the platters.
    Flush,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The asker's; no two that are under way have the same.
    pub id: u64,
    /// What.
    pub op: Op,
    /// First byte.
    pub at: u64,
    /// Bytes.
    pub len: u64,
}

/// A request that is done, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The request's.
    pub id: u64,
    /// When.
    pub at: Nanos,
}

/// One disk's time.
#[derive(Debug)]
pub enum Model {
    /// Platters and an arm.
    Rotating(Box<Platters>),
    /// Nothing moves.
    Still(Chips),
}

impl Model {
    /// A disk of that kind at rest, `size` bytes large.
    pub fn new(kind: &Kind, size: u64) -> Model {
        match kind.way {
            Way::Rotating(numbers) => Model::Rotating(Box::new(Platters::new(numbers, size))),
            Way::Still(numbers) => Model::Still(Chips::new(numbers)),
        }
    }

    /// Takes a request.
    pub fn ask(&mut self, now: Nanos, request: Request) {
        match self {
            Model::Rotating(disk) => disk.ask(now, request),
            Model::Still(disk) => disk.ask(now, request),
        }
    }

    /// Goes on to `now`; what is done by then is added to `done`.
    pub fn advance(&mut self, now: Nanos, done: &mut Vec<Done>) {
        match self {
            Model::Rotating(disk) => disk.advance(now, done),
            Model::Still(disk) => disk.advance(now, done),
        }
    }

    /// When something happens next, unless something is asked for before.
    pub fn next(&self) -> Option<Nanos> {
        match self {
            Model::Rotating(disk) => disk.next(),
            Model::Still(disk) => disk.next(),
        }
    }
}

/// Nanoseconds of milliseconds.
pub(super) fn ms(milliseconds: f64) -> Nanos {
    (milliseconds * 1e6).round() as Nanos
}

/// Nanoseconds of microseconds.
pub(super) fn us(microseconds: f64) -> Nanos {
    (microseconds * 1e3).round() as Nanos
}

/// Nanoseconds that bytes take at megabytes (10^6) a second.
pub(super) fn transfer(bytes: u64, mb_per_s: f64) -> Nanos {
    (bytes as f64 * 1e3 / mb_per_s).round() as Nanos
}
