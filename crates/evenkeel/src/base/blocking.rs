//! Telling whoever runs many sessions on few threads that this thread is about to wait, and whoever looks at the sessions, or at background duties, what it waits for.
//!
//! Duty: a server that serves sessions by turns must not lose a core while one of them waits for a row lock, the log or the disk. The
//! engine says so just before it waits; the server lets another thread go on in its place. Where nobody asked to be told it costs a look at
//! thread-local variables and two relaxed stores.
//!
//! Invariants
//! 1. A number below [`THREADS_MAX`] is one thread's at a time; what is noted under it is what that thread waits for, or nothing.
//! 2. Waits nest: at the end of one the one around it is noted again.
//!
//! Rejected: noting it in the session that waits. The engine does not know sessions, and to tell it one for each statement costs a counted
//! reference, a number costs a store.
//!
//! Must not know: who is told, who looks.

use super::sync::counter::{AtomicU8, Ordering};
use std::cell::RefCell;

/// Threads that can be looked at, at a time: what others wait for is not shown.
pub const THREADS_MAX: usize = 1024;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Wait {
    /// A page of a table or index is read.
    DataRead = 1,
    /// Pages are read ahead.
    DataPrefetch,
    /// Pages are on their way to the disk, and must have arrived.
    WriteBack,
    /// All buffers are in use.
    BufferPin,
    /// The double-write file is full of pages that are not known to be safe at home.
    DoubleWriteSpace,
    /// The log is to be durable.
    LogFlush,
    /// Others copy their records into the log's buffer.
    LogInsert,
    /// A row that another transaction changed or locked.
    RowLock,
    /// A lock of a table, or of a number that applications chose.
    TableLock,
    /// A page is read for a backup.
    BackupRead,
    /// The log is archived, a backup is made, a slot is written, a standby takes over.
    Command,
    /// Replay, on a standby, or a flush, up to a place that a client named.
    Replay,
    /// A time that a client named.
    Sleep,
    /// A client does not read what it is sent.
    ClientWrite,
    /// Data files are to be durable.
    DataSync,
    /// A paced round of checkpoints rests.
    RoundPause,
    /// The checkpointer has nothing to do,
    CheckpointerIdle,
    /// nor the background writer,
    BackgroundWriterIdle,
    /// who makes durable what nobody waits for,
    LogWriterIdle,
    /// the archiver,
    ArchiverIdle,
    /// or who takes away what no snapshot sees any more.
    PurgeIdle,
}

impl Wait {
    /// All of them.
    pub const ALL: [Wait; 21] = [
        Wait::DataRead,
        Wait::DataPrefetch,
        Wait::WriteBack,
        Wait::BufferPin,
        Wait::DoubleWriteSpace,
        Wait::LogFlush,
        Wait::LogInsert,
        Wait::RowLock,
        Wait::TableLock,
        Wait::BackupRead,
        Wait::Command,
        Wait::Replay,
        Wait::Sleep,
        Wait::ClientWrite,
        Wait::DataSync,
        Wait::RoundPause,
        Wait::CheckpointerIdle,
        Wait::BackgroundWriterIdle,
        Wait::LogWriterIdle,
        Wait::ArchiverIdle,
        Wait::PurgeIdle,
    ];
}

static TAKEN: [AtomicU8; THREADS_MAX] = [const { AtomicU8::new(0) }; THREADS_MAX];
static WAITS: [AtomicU8; THREADS_MAX] = [const { AtomicU8::new(0) }; THREADS_MAX];

/// A thread's number, given back at its end.
struct Number(Option<u16>);

impl Number {
    fn take() -> Number {
        let free = |n: &usize| TAKEN[*n].swap(1, Ordering::AcqRel) == 0;
        Number((0..THREADS_MAX).find(free).map(|n| n as u16))
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if let Some(n) = self.0 {
            WAITS[usize::from(n)].store(0, Ordering::Relaxed);
            TAKEN[usize::from(n)].store(0, Ordering::Release);
        }
    }
}

thread_local! {
    static HOOK: RefCell<Option<Box<dyn Fn()>>> = const { RefCell::new(None) };
    static NUMBER: Number = Number::take();
}

/// From now on `hook` is called on this thread before each wait that may take long: for locks, log flushes, page reads, space in a buffer. It
/// must not block for long itself, nor call the engine or this module. None: nobody is told any more.
pub fn set_hook(hook: Option<Box<dyn Fn()>>) {
    HOOK.with_borrow_mut(|h| *h = hook);
}

/// This thread's number, while it lives; none if there are too many.
pub fn thread_number() -> Option<u16> {
    NUMBER.try_with(|n| n.0).ok().flatten()
}

/// What the thread with this number waits for at this moment.
pub fn wait_of(number: u16) -> Option<Wait> {
    let noted = WAITS.get(usize::from(number))?.load(Ordering::Relaxed);
    Wait::ALL.into_iter().find(|w| *w as u8 == noted)
}

/// Called before a wait, which ends when the value is dropped.
#[must_use = "the wait ends when it is dropped"]
pub fn wait(what: Wait) -> Waiting {
    HOOK.with_borrow(|hook| {
        if let Some(hook) = hook {
            hook();
        }
    });
    let number = thread_number();
    let before = number.map_or(0, |n| WAITS[usize::from(n)].swap(what as u8, Ordering::Relaxed));
    Waiting { number, before }
}

/// A wait of this thread, until it is dropped.
#[derive(Debug)]
pub struct Waiting {
    number: Option<u16>,
    before: u8,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(n) = self.number {
            WAITS[usize::from(n)].store(self.before, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn the_hook_is_called_on_its_thread_only() {
        let calls = Rc::new(Cell::new(0));
        let counted = calls.clone();
        set_hook(Some(Box::new(move || counted.set(counted.get() + 1))));
        drop(wait(Wait::Sleep));
        std::thread::spawn(|| drop(wait(Wait::Sleep))).join().unwrap();
        assert_eq!(calls.get(), 1);
        set_hook(None);
        drop(wait(Wait::Sleep));
        assert_eq!(calls.get(), 1);
    }

    #[test]
    fn what_a_thread_waits_for_is_seen_from_others_and_nests() {
        let number = thread_number().unwrap();
        let seen = || std::thread::spawn(move || wait_of(number)).join().unwrap();
        assert_eq!(seen(), None);
        let outer = wait(Wait::RowLock);
        assert_eq!(seen(), Some(Wait::RowLock));
        let inner = wait(Wait::LogFlush);
        assert_eq!(seen(), Some(Wait::LogFlush));
        drop(inner);
        assert_eq!(seen(), Some(Wait::RowLock));
        drop(outer);
        assert_eq!(seen(), None);
        assert!(Wait::ALL.iter().enumerate().all(|(i, w)| *w as usize == i + 1));
        assert_eq!(wait_of(u16::MAX), None);
    }

    #[test]
    fn no_two_threads_have_a_number_at_a_time() {
        let all = std::sync::Barrier::new(9);
        std::thread::scope(|s| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    s.spawn(|| {
                        let number = thread_number().unwrap();
                        all.wait();
                        number
                    })
                })
                .collect();
            let own = thread_number().unwrap();
            all.wait();
            let mut numbers: Vec<u16> = threads.into_iter().map(|t| t.join().unwrap()).collect();
            numbers.push(own);
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), 9);
        });
    }
}
