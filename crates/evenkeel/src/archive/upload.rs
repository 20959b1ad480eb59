//! Storing the objects of a backup: compressed and put beside the copying, by a few threads, and again where a store fails.
//!
//! Invariants
//! 1. An object counts as stored when its creation was answered, or it was found with the very same bytes; and the store says that it has their length.
//! 2. At most [`WORKERS`] + 1 chunks are in memory beside the one that is being copied.
//!
//! Must not know: what pages mean, when a backup ends.

use super::chunk::Chunk;
use super::manifest::{BackupChunk, chunk_name};
use super::owner::failed;
use super::store::{ArchiveStore, StoreError};
use crate::base::poison::panic_text;
use crate::base::sync::{AtomicU64, Condvar, Mutex, Ordering};
use crate::base::{Error, FileId, Result};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Threads that compress and put.
pub const WORKERS: usize = 2;
/// Attempts of a call to the store, and the first and the longest wait between them.
const ATTEMPTS: u32 = 8;
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// How often whoever waits for room looks whether it should go on waiting.
const LOOK: Duration = Duration::from_millis(100);
/// Added to a worker's nice value: clients come first on the processors.
const NICE: i32 = 10;

/// Sleeps; an error ends whatever is being tried.
pub type Pause<'a> = &'a (dyn Fn(Duration) -> Result<()> + Sync);

/// Calls the store until it does not fail, so often.
pub fn again<T>(pause: Pause<'_>, mut call: impl FnMut() -> std::result::Result<T, StoreError>) -> Result<T> {
    let mut attempt = 0;
    loop {
        match call() {
            Ok(done) => return Ok(done),
            Err(e @ StoreError::Failed { .. }) if attempt + 1 < ATTEMPTS => {
                tracing::warn!("backup: {e}; it will be tried again");
                pause(BACK_OFF.0.saturating_mul(1 << attempt).min(BACK_OFF.1))?;
                attempt += 1;
            }
            Err(e) => return Err(failed(e)),
        }
    }
}

/// Creates an object (invariant 1). `Corrupt`: there is another of this name.
pub fn put(store: &dyn ArchiveStore, name: &str, bytes: &[u8], pause: Pause<'_>) -> Result<()> {
    let other = || Error::corrupt(format!("the archive has another object \"{name}\" than was put there"));
    let same = again(pause, || match store.create(name, bytes) {
        Ok(()) => Ok(true),
        // An attempt whose answer was lost, or somebody else's.
        Err(StoreError::Exists(_)) => match store.get(name)? {
            Some((there, _)) => Ok(there == bytes),
            // An attempt that was given up is still under way: stores say then that there is one.
            None => Err(StoreError::Failed {
                what: "putting",
                name: name.into(),
                why: "it is said to be there, and is not".into(),
            }),
        },
        Err(e) => Err(e),
    })?;
    let stored = again(pause, || store.len_bytes(name))?;
    if same && stored == Some(bytes.len() as u64) { Ok(()) } else { Err(other()) }
}

/// Stores the chunks of one backup.
pub struct Uploader<'a> {
    store: &'a dyn ArchiveStore,
    id: &'a str,
    level: u64,
    rate: u64,
    pause: Pause<'a>,
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Bytes stored so far.
    pub stored_bytes: AtomicU64,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Chunk>,
    /// Workers at it.
    busy: usize,
    closed: bool,
    done: Vec<(FileId, BackupChunk)>,
    failure: Option<Error>,
}

impl<'a> Uploader<'a> {
    /// For the backup `id`, whose pages come at `rate` bytes a second; 0: as fast as it goes.
    pub fn new(
        store: &'a dyn ArchiveStore,
        id: &'a str,
        level: u64,
        rate: u64,
        pause: Pause<'a>,
    ) -> Uploader<'a> {
        Uploader {
            store,
            id,
            level,
            rate,
            pause,
            queue: Mutex::default(),
            changed: Condvar::new(),
            stored_bytes: AtomicU64::new(0),
        }
    }

    /// Takes chunks until `close`: a worker's life.
    pub fn work(&self) {
        let _ = rustix::process::nice(NICE);
        let mut queue = self.queue.lock();
        loop {
            if let Some(chunk) = queue.waiting.pop_front() {
                queue.busy += 1;
                drop(queue);
                self.changed.notify_all();
                // A panic fails this backup, and nobody waits for the chunk for ever.
                let done =
                    catch_unwind(AssertUnwindSafe(|| self.store_now(&chunk))).unwrap_or_else(|panic| {
                        Err(Error::io(
                            "storing a chunk",
                            std::io::Error::other(panic_text(&*panic).to_owned()),
                        ))
                    });
                queue = self.queue.lock();
                queue.busy -= 1;
                match done {
                    Ok(done) => queue.done.push((chunk.file(), done)),
                    Err(e) => queue.failure = Some(queue.failure.take().unwrap_or(e)),
                }
                self.changed.notify_all();
            } else if queue.closed {
                return;
            } else {
                self.changed.wait(&mut queue);
            }
        }
    }

    /// Hands a chunk to the workers when one is free; `look` is called now and then meanwhile, and may end it.
    pub fn hand_over(&self, chunk: Chunk, look: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut queue = self.queue.lock();
        while queue.failure.is_none() && !queue.waiting.is_empty() {
            let timed_out = self.changed.wait_for(&mut queue, LOOK).timed_out();
            if timed_out {
                drop(queue);
                look()?;
                queue = self.queue.lock();
            }
        }
        if let Some(e) = &queue.failure {
            return Err(e.clone());
        }
        queue.waiting.push_back(chunk);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits until everything handed over is stored.
    pub fn finish(&self, look: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut queue = self.queue.lock();
        while queue.failure.is_none() && (queue.busy > 0 || !queue.waiting.is_empty()) {
            if self.changed.wait_for(&mut queue, LOOK).timed_out() {
                drop(queue);
                look()?;
                queue = self.queue.lock();
            }
        }
        queue.failure.clone().map_or(Ok(()), Err)
    }

    /// The workers end; what nobody has begun with is dropped.
    pub fn close(&self) {
        let mut queue = self.queue.lock();
        queue.closed = true;
        queue.waiting.clear();
        self.changed.notify_all();
    }

    /// What has been stored, in no order.
    pub fn take_done(&self) -> Vec<(FileId, BackupChunk)> {
        std::mem::take(&mut self.queue.lock().done)
    }

    /// Leaves the processor to others between steps, so long that all workers together keep up with the pages that come: a worker at it for all of a chunk is felt by
    /// clients, as the scheduler lets them wait for the end of its time slice.
    fn rest(&self, bytes: usize) -> Result<()> {
        if self.rate == 0 {
            return Ok(());
        }
        (self.pause)(Duration::from_secs_f64(bytes as f64 / self.rate as f64))
    }

    /// Compresses and stores one chunk in this thread.
    pub fn store_now(&self, chunk: &Chunk) -> Result<BackupChunk> {
        let mut meta = BackupChunk {
            first: chunk.first(),
            blocks: chunk.blocks(),
            pages: chunk.pages(),
            bytes: 0,
            crc32c: 0,
        };
        if !chunk.is_same() {
            let bytes = chunk.encode(self.level, &mut |bytes| self.rest(bytes))?;
            let name = chunk_name(self.id, chunk.file().0, chunk.first());
            put(self.store, &name, &bytes, self.pause)?;
            meta.bytes = bytes.len() as u64;
            meta.crc32c = crc32c::crc32c(&bytes);
            self.stored_bytes.fetch_add(meta.bytes, Ordering::Relaxed);
        }
        Ok(meta)
    }
}
