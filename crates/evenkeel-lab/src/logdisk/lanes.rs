//! Lanes of the operating system without io_uring: the caller writes, or writer threads do.
//!
//! Invariants
//! 1. A write is reported once, after the system confirmed it.
//! 2. Threads end when their lane is dropped, after the writes given to them.
//!
//! It must not know which method is best.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel::io::AlignedBuf;
use rustix::fs::FallocateFlags;

use super::files::TempFile;
use super::rig::{Done, Extent, FILE_BYTES, Lane};
use super::spec::{Growth, Method};

/// Nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Begins at 0.
    pub fn new() -> Clock {
        Clock(Instant::now())
    }

    /// The time.
    pub fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    /// Blocks the thread.
    pub fn sleep_until(&self, at_ns: u64) {
        std::thread::sleep(Duration::from_nanos(at_ns.saturating_sub(self.now_ns())));
    }
}

/// The file under a lane.
pub struct Medium {
    file: Arc<File>,
    growth: Growth,
    /// Removed with the lane, unless it is the one that all zero-filled lanes share.
    _own: Option<TempFile>,
}

impl Medium {
    /// An open file; `own` goes when the lane goes.
    pub fn new(file: File, growth: Growth, own: Option<TempFile>) -> Medium {
        Medium { file: Arc::new(file), growth, _own: own }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the file what it was at first.
    pub fn rewind(&self) -> io::Result<()> {
        if self.growth == Growth::ZeroFilled {
            return Ok(());
        }
        self.file.set_len(0)?;
        if self.growth == Growth::Fallocated {
            rustix::fs::fallocate(&self.file, FallocateFlags::empty(), 0, FILE_BYTES)?;
        }
        self.file.sync_all()
    }
}

/// Makes the bytes of every write new: a device that finds duplicates must not gain by it.
pub fn stamp(buf: &mut [u8], token: u64) {
    for sector in buf.chunks_mut(512) {
        let n = sector.len().min(8);
        sector[..n].copy_from_slice(&token.to_le_bytes()[..n]);
    }
}

/// A buffer of bytes that do not compress.
pub fn filled(bytes: u64) -> AlignedBuf {
    let mut buf = AlignedBuf::new(bytes as usize);
    fastrand::Rng::with_seed(bytes).fill(&mut buf);
    buf
}

/// One write, durable by the given method (whose flags the file was opened with).
fn write_durably(file: &File, method: Method, buf: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(buf, offset)?;
    match method {
        Method::Fdatasync => file.sync_data(),
        Method::Fsync => file.sync_all(),
        Method::Direct | Method::IoUring | Method::OpenDatasync | Method::OpenSync => Ok(()),
        Method::Unsynced | Method::Unflushed => Ok(()),
    }
}

/// Depth 1: whoever starts a write makes it.
pub struct CallerLane {
    medium: Medium,
    method: Method,
    clock: Clock,
    buf: AlignedBuf,
    done: Option<Done>,
}

impl CallerLane {
    /// A lane for writes up to `write_bytes_max`.
    pub fn new(medium: Medium, method: Method, write_bytes_max: u64) -> CallerLane {
        CallerLane { medium, method, clock: Clock::new(), buf: filled(write_bytes_max), done: None }
    }
}

impl Lane for CallerLane {
    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn start(&mut self, token: u64, extent: Extent) -> io::Result<()> {
        let buf = &mut self.buf[..extent.len as usize];
        stamp(buf, token);
        write_durably(self.medium.file(), self.method, buf, extent.offset)?;
        self.done = Some(Done { token, at_ns: self.clock.now_ns() });
        Ok(())
    }

    fn wait(&mut self, until_ns: Option<u64>) -> io::Result<Option<Done>> {
        if self.done.is_none()
            && let Some(until) = until_ns
        {
            self.clock.sleep_until(until);
        }
        Ok(self.done.take())
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.medium.rewind()
    }
}

struct Job {
    token: u64,
    extent: Extent,
}

#[derive(Default)]
struct Jobs {
    queue: VecDeque<Job>,
    closed: bool,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        // Nothing panics while it is held.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; None when closed.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.lock();
        loop {
            if let Some(job) = jobs.queue.pop_front() {
                return Some(job);
            }
            if jobs.closed {
                return None;
            }
            jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// As many writer threads as writes may be in flight.
pub struct ThreadLane {
    medium: Medium,
    clock: Clock,
    queue: Arc<Queue>,
    results: Receiver<io::Result<Done>>,
    in_flight: usize,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadLane {
    /// Starts the threads.
    pub fn new(medium: Medium, method: Method, depth: u32, write_bytes_max: u64) -> io::Result<ThreadLane> {
        let clock = Clock::new();
        let queue = Arc::new(Queue::default());
        let (sender, results) = channel();
        let mut lane = ThreadLane { medium, clock, queue, results, in_flight: 0, threads: Vec::new() };
        for n in 0..depth {
            let (file, queue, sender) =
                (Arc::clone(&lane.medium.file), Arc::clone(&lane.queue), sender.clone());
            let mut buf = filled(write_bytes_max);
            let thread = std::thread::Builder::new()
                .name(format!("log writer {n}"))
                .spawn(move || write_jobs(&file, method, &queue, &sender, &mut buf, clock))?;
            lane.threads.push(thread);
        }
        Ok(lane)
    }

    fn taken(&mut self, result: io::Result<Done>) -> io::Result<Option<Done>> {
        self.in_flight -= 1;
        result.map(Some)
    }
}

fn write_jobs(
    file: &File,
    method: Method,
    queue: &Queue,
    sender: &Sender<io::Result<Done>>,
    buf: &mut AlignedBuf,
    clock: Clock,
) {
    while let Some(Job { token, extent }) = queue.next() {
        let buf = &mut buf[..extent.len as usize];
        stamp(buf, token);
        let result = write_durably(file, method, buf, extent.offset);
        if sender.send(result.map(|()| Done { token, at_ns: clock.now_ns() })).is_err() {
            return;
        }
    }
}

impl Lane for ThreadLane {
    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn start(&mut self, token: u64, extent: Extent) -> io::Result<()> {
        self.in_flight += 1;
        self.queue.lock().queue.push_back(Job { token, extent });
        self.queue.changed.notify_one();
        Ok(())
    }

    fn wait(&mut self, until_ns: Option<u64>) -> io::Result<Option<Done>> {
        let gone = || io::Error::other("the writer threads ended early");
        match (self.in_flight, until_ns) {
            (0, None) => Ok(None),
            (0, Some(until)) => {
                self.clock.sleep_until(until);
                Ok(None)
            }
            (_, None) => {
                let result = self.results.recv().map_err(|_| gone())?;
                self.taken(result)
            }
            (_, Some(until)) => {
                let left = Duration::from_nanos(until.saturating_sub(self.clock.now_ns()));
                match self.results.recv_timeout(left) {
                    Ok(result) => self.taken(result),
                    Err(RecvTimeoutError::Timeout) => Ok(None),
                    Err(RecvTimeoutError::Disconnected) => Err(gone()),
                }
            }
        }
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.medium.rewind()
    }
}

impl Drop for ThreadLane {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A writer that panicked has said so itself.
            let _ = thread.join();
        }
    }
}
