//! Calls to the simulated disk as tests see them.
//!
//! Duty: the description of a call, the faults a test may answer with, and the slot that holds a test's function.
//!
//! Invariant 1: a test's function never runs twice at a time, and not again inside itself.
//!
//! Must not know: what calls do.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::ReentrantMutex;

use super::super::Access;

/// What a call asks of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimCallKind {
    /// Opening a file that exists (or does not, where it should).
    Open,
    /// Opening a file that this call creates.
    Create,
    /// Reading bytes.
    Read,
    /// Writing bytes.
    Write,
    /// Syncing a file.
    Sync,
    /// Asking for a file's length.
    Len,
    /// Obtaining space.
    Allocate,
    /// Setting a length, given in [`SimCall::len`].
    Truncate,
    /// Removing a file.
    Remove,
    /// Renaming a file, to [`SimCall::to`].
    Rename,
    /// Asking whether a name exists.
    Exists,
    /// Listing a directory.
    List,
    /// Creating a directory.
    CreateDir,
    /// Syncing a directory.
    SyncDir,
}

impl SimCallKind {
    /// Whether the call changes what the disk holds or what of it is durable.
    pub fn is_mutating(self) -> bool {
        use SimCallKind::*;
        matches!(self, Create | Write | Sync | Allocate | Truncate | Remove | Rename | CreateDir | SyncDir)
    }
}

/// One call to a simulated disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimCall {
    /// The calls to this disk before this one, of every kind.
    pub index: u64,
    /// What it asks for.
    pub kind: SimCallKind,
    /// The file or directory; a file's present name, or its last one.
    pub path: Arc<str>,
    /// The new name, for a rename.
    pub to: Option<Arc<str>>,
    /// How the file is open, if the call is on an open file.
    pub access: Option<Access>,
    /// The first byte; 0 where that means nothing.
    pub offset: u64,
    /// The bytes asked for, or the new length of a truncation; 0 where that means nothing.
    pub len: u64,
}

/// What a test makes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the call does its work.
    #[default]
    None,
    /// It fails with EIO. A write has left an arbitrary part of its sectors; a sync has made an arbitrary part durable.
    Eio,
    /// It fails with ENOSPC, without effect.
    Enospc,
    /// A read or write ends after this many bytes. Other calls do their work.
    Short(usize),
    /// A sync fails with EIO, and what it has not made durable counts as clean from then on: reads see it, no later sync writes it, a power cut takes it. So do
    /// page caches. Other calls fail as by `Eio`.
    EioDropped,
    /// A write or a sync of a file is confirmed and has not happened. Other calls do their work.
    Lost,
    /// A write is confirmed and has happened at this offset of the file instead. Other calls do their work.
    Misdirected(u64),
}

/// A place for a test's function.
pub(super) struct Slot<F> {
    /// So that a disk without one pays nothing.
    occupied: AtomicBool,
    cell: ReentrantMutex<Cell<F>>,
}

struct Cell<F> {
    running: RefCell<Option<F>>,
    /// Set from inside the function itself; takes effect when it returns.
    replacement: RefCell<Option<Option<F>>>,
}

impl<F> Default for Slot<F> {
    fn default() -> Slot<F> {
        let cell = Cell { running: RefCell::new(None), replacement: RefCell::new(None) };
        Slot { occupied: AtomicBool::new(false), cell: ReentrantMutex::new(cell) }
    }
}

impl<F> Slot<F> {
    pub(super) fn is_occupied(&self) -> bool {
        self.occupied.load(Ordering::Acquire)
    }

    pub(super) fn set(&self, function: Option<F>) {
        let cell = self.cell.lock();
        self.occupied.store(function.is_some(), Ordering::Release);
        let Ok(mut running) = cell.running.try_borrow_mut() else {
            *cell.replacement.borrow_mut() = Some(function);
            return;
        };
        let old = std::mem::replace(&mut *running, function);
        drop(running);
        // After the borrow has ended, as dropping what a test captured may call back.
        drop(old);
    }

    /// Runs the function; none if there is none, or if this call comes from inside it.
    pub(super) fn run<R>(&self, call: impl FnOnce(&mut F) -> R) -> Option<R> {
        if !self.is_occupied() {
            return None;
        }
        let cell = self.cell.lock();
        let result = call(cell.running.try_borrow_mut().ok()?.as_mut()?);
        if let Some(function) = cell.replacement.take() {
            self.set(function);
        }
        Some(result)
    }
}
