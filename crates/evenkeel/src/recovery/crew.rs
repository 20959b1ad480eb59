//! Who does what: waves on their way from the reader to the pages.
//!
//! ```text
//! reader (the caller) ── draft ──► wave ──► readers load its pages ──► each worker applies its batch ──► gone
//!                                  at most WAVES of these
//! ```
//!
//! Without threads, or with one worker, the caller applies a wave when there is no room for the next one: the same steps in the same order for each page.
//!
//! Invariants
//! 1. At most [`WAVES`] waves wait. Each has at most its share of the look-ahead and of a quarter of the pool, plus one record.
//! 2. A worker takes the waves in their order. So waves end in their order as well.
//! 3. A wave is applied when its pages were loaded, or could not be: then the worker meets the error.
//! 4. After `drain` no change waits and nobody reads: the barrier for changes of files.
//! 5. With readers in, a wave is applied when nobody reads, after its pages were loaded; and one at a time, a small one by the caller.
//!
//! Must not know: the log, what a change is.

use super::apply::Worker;
use super::follow::Readers;
use super::options::{RedoOptions, RedoStats};
use super::wave::{Draft, Wave, jobs, runs};
use crate::base::sync::{self, AtomicU64, Condvar, Instant, Mutex, Ordering, Scope, ScopedJoinHandle};
use crate::base::{Error, FileId, Lsn, PageId, Result};
use crate::pool::{CleanerOptions, CleanerPolicy, Kept, Pool};
use crate::wal::record::Block;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Waves on their way.
const WAVES: usize = 4;
/// What the look-ahead may have of the pool: a quarter.
const POOL_SHARE: usize = 4;
/// Threads that clean pages ahead of eviction.
const CLEANERS: usize = 2;
/// Pause of a cleaner that nobody calls.
const CLEANER_PAUSE: Duration = Duration::from_millis(5);
const CLEANER: CleanerOptions =
    CleanerOptions { policy: CleanerPolicy::DirtyChain, max_pages: 1024, percent: 0 };

/// Time that a disk takes for a page more in a read, about, microseconds: of one that seeks, where it matters.
const PAGE_US: f64 = 50.0;
/// Pages between two that are needed, which are read with them rather than skipped by another read: at first, and at most.
const GAP_PAGES: (u32, u32) = (3, 64);
/// Reads of a wave from which something can be learnt.
const READS_LEAST: usize = 8;
/// For so long readers may be held up by a wave, about; and the fewest changes that one has where there are more.
const HELD: Duration = Duration::from_micros(1000);
const ITEMS_LEAST: usize = 64;
/// A wave that takes less than this is applied by the caller: on a busy machine a worker that is woken waits for a processor, for milliseconds.
const ALONE: Duration = Duration::from_micros(500);
/// What a change takes, about, before it is known.
const ITEM: Duration = Duration::from_micros(1);
/// Fewer tell nothing of it.
const ITEMS_TELLING: usize = 16;
/// Changes of the first wave with readers in: from then on what a change takes is known.
const ITEMS_FIRST: usize = 512;

/// Pages to read for a wave.
struct Job<'p> {
    wave: Arc<Wave<'p>>,
    pages: Arc<[PageId]>,
    runs: Vec<Range<usize>>,
}

#[derive(Default)]
struct State<'p> {
    waves: VecDeque<Arc<Wave<'p>>>,
    /// Number of the first of them.
    first: u64,
    jobs: VecDeque<Job<'p>>,
    /// When the latest wave was loaded.
    loaded: Option<Instant>,
    /// What a read costs the disk beside the others in flight, microseconds; 0: not known.
    read_us: f64,
    /// Nothing follows.
    closed: bool,
    failed: Option<Error>,
}

#[derive(Default)]
struct Counts {
    prefetch: AtomicU64,
    reads: AtomicU64,
    hit: AtomicU64,
    io_depth: AtomicU64,
    io_depth_max: AtomicU64,
}

/// What the threads share.
struct Shared<'p> {
    pool: &'p Pool,
    workers: Vec<Mutex<Worker>>,
    state: Mutex<State<'p>>,
    /// A wave came, or is loaded; or it is over.
    work: Condvar,
    /// A job came; or it is over.
    job: Condvar,
    /// A wave has gone, or is loaded; or something failed.
    progress: Condvar,
    counts: Counts,
}

/// What the crew did, once all is applied.
pub(super) struct Done {
    pub stats: RedoStats,
    /// A change that met no page, and that nothing has explained.
    pub missing: Option<PageId>,
    /// The newest change that a page had already, and which page.
    pub newest: Option<(Lsn, PageId)>,
}

/// The caller's side.
pub(super) struct Crew<'s, 'p> {
    shared: &'s Shared<'p>,
    /// Workers are threads.
    threaded: bool,
    prefetch: bool,
    /// Threads that load pages; 0: the caller does.
    readers: usize,
    wave_bytes: u64,
    wave_pages: usize,
    draft: Draft,
    /// Pages of the latest waves.
    recent: VecDeque<Arc<[PageId]>>,
    stats: RedoStats,
    /// Of a standby.
    reading: Option<&'s dyn Readers>,
    /// Changes that a wave may have with readers in.
    items_max: usize,
    /// What a change takes the caller, seconds.
    item_s: f64,
}

/// Runs `f` with a crew at work on the pool; all that it was given has been applied when this returns.
pub(super) fn with_crew<'p, R>(
    pool: &'p Pool,
    options: &RedoOptions,
    reading: Option<&dyn Readers>,
    f: impl FnOnce(&mut Crew<'_, 'p>) -> Result<R>,
) -> Result<(R, Done)> {
    let workers = options.workers.max(1);
    let shared = Shared {
        pool,
        workers: (0..workers)
            .map(|_| Mutex::new(Worker { rewrite: options.rewrite, ..Worker::default() }))
            .collect(),
        state: Mutex::default(),
        work: Condvar::new(),
        job: Condvar::new(),
        progress: Condvar::new(),
        counts: Counts::default(),
    };
    let threaded = options.threads && workers > 1;
    let readers = if options.threads && options.prefetch { options.prefetch_threads.max(1) } else { 0 };
    let mut crew = Crew {
        shared: &shared,
        threaded,
        prefetch: options.prefetch,
        readers,
        wave_bytes: (options.look_ahead_bytes / WAVES as u64).max(1),
        wave_pages: (pool.frame_count() / POOL_SHARE / WAVES).max(1),
        draft: Draft::new(workers),
        recent: VecDeque::new(),
        stats: RedoStats { workers: workers as u64, ..RedoStats::default() },
        reading,
        items_max: ITEMS_FIRST,
        item_s: ITEM.as_secs_f64(),
    };
    let result = sync::scope(|scope| {
        // However this ends, the threads end.
        let _over = Over(&shared);
        if options.threads {
            let workers = if threaded { workers } else { 0 };
            start(scope, &shared, workers, readers)
                .map_err(|e| Error::io("starting a thread of the recovery", e))?;
        }
        let result = f(&mut crew).and_then(|result| crew.drain().map(|()| result));
        result.inspect_err(|e| shared.fail(e.clone()))
    })?;
    let mut stats = crew.stats;
    let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
    let c = &shared.counts;
    (stats.prefetch, stats.reads, stats.hit) = (n(&c.prefetch), n(&c.reads), n(&c.hit));
    stats.io_depth_max = n(&c.io_depth_max);
    stats.blocks = shared.workers.iter().map(|w| w.lock().blocks).sum();
    let missing = shared.workers.iter().find_map(|w| w.lock().missing.first());
    let newest = shared.workers.iter().filter_map(|w| w.lock().newest).max();
    Ok((result, Done { stats, missing, newest }))
}

fn start<'scope, 'p>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<'p>,
    workers: usize,
    readers: usize,
) -> std::io::Result<()>
where
    'p: 'scope,
{
    let spawn = |name: String,
                 run: Box<dyn FnOnce() + Send + 'scope>|
     -> std::io::Result<ScopedJoinHandle<'scope, ()>> {
        sync::Builder::new().name(name).spawn_scoped(scope, run)
    };
    for w in 0..workers {
        spawn(format!("redo-{w}"), Box::new(move || shared.run_worker(w)))?;
    }
    for r in 0..readers {
        spawn(format!("redo-read-{r}"), Box::new(move || shared.run_reader()))?;
    }
    for c in 0..CLEANERS {
        spawn(format!("redo-clean-{c}"), Box::new(move || shared.run_cleaner()))?;
    }
    Ok(())
}

/// Ends the threads when it is dropped, in a panic as well.
struct Over<'s, 'p>(&'s Shared<'p>);

impl Drop for Over<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.closed = true;
        if std::thread::panicking() {
            state.failed.get_or_insert(Error::corrupt("a thread of the recovery panicked"));
        }
        self.0.wake_all();
    }
}

impl<'p> Shared<'p> {
    fn wake_all(&self) {
        self.work.notify_all();
        self.job.notify_all();
        self.progress.notify_all();
    }

    fn fail(&self, e: Error) {
        self.state.lock().failed.get_or_insert(e);
        self.wake_all();
    }

    fn run_worker(&self, w: usize) {
        let mut next = 0;
        let over = Alarm(self);
        while let Some((number, wave)) = self.take_wave(next) {
            if let Err(e) = self.apply(w, &wave) {
                self.fail(e);
                break;
            }
            self.applied(&wave);
            next = number + 1;
        }
        std::mem::forget(over);
    }

    /// The wave of this number, or the first that is left after those that the caller applied, with its number, once it is loaded; `None` when it is over.
    fn take_wave(&self, next: u64) -> Option<(u64, Arc<Wave<'p>>)> {
        let mut state = self.state.lock();
        loop {
            let number = next.max(state.first);
            let wave = state.waves.get((number - state.first) as usize);
            match wave {
                _ if state.failed.is_some() => return None,
                Some(wave) if wave.may_be_applied() => return Some((number, wave.clone())),
                None if state.closed => return None,
                _ => self.work.wait(&mut state),
            }
        }
    }

    fn apply(&self, w: usize, wave: &Wave<'_>) -> Result<()> {
        self.workers[w].lock().apply(self.pool, &wave.buffers.batches[w], &wave.buffers.bytes)
    }

    /// A worker is done with a wave.
    fn applied(&self, wave: &Arc<Wave<'p>>) {
        if wave.batches_left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let mut state = self.state.lock();
        let gone = state.waves.pop_front();
        state.first += 1;
        debug_assert!(gone.is_some_and(|g| Arc::ptr_eq(&g, wave))); // invariant 2
        self.progress.notify_all();
    }

    fn run_reader(&self) {
        let over = Alarm(self);
        loop {
            let mut state = self.state.lock();
            let job = loop {
                if state.failed.is_some() {
                    break None;
                }
                match state.jobs.pop_front() {
                    Some(job) => break Some(job),
                    None if state.closed => break None,
                    None => self.job.wait(&mut state),
                }
            };
            drop(state);
            let Some(job) = job else { break };
            self.read(job);
        }
        std::mem::forget(over);
    }

    fn read(&self, job: Job<'p>) {
        let mut kept = Kept::new(self.pool);
        let c = &self.counts;
        for run in job.runs {
            let depth = c.io_depth.fetch_add(1, Ordering::Relaxed) + 1;
            c.io_depth_max.fetch_max(depth, Ordering::Relaxed);
            let done = self.pool.prefetch_run(&job.pages[run], &mut kept);
            c.io_depth.fetch_sub(1, Ordering::Relaxed);
            c.hit.fetch_add(done.hits, Ordering::Relaxed);
            c.prefetch.fetch_add(done.pages, Ordering::Relaxed);
            c.reads.fetch_add(done.reads, Ordering::Relaxed);
        }
        job.wave.keep(kept);
        if job.wave.reads_left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let mut state = self.state.lock(); // whoever is about to wait for it has looked by now, or will see it
            let now = Instant::now();
            let began = state.loaded.map_or(job.wave.began, |before| before.max(job.wave.began));
            state.loaded = Some(now);
            if job.wave.reads >= READS_LEAST {
                // Without what was transferred: else reading more between the pages would make more of it seem worth while.
                let transfer_us = job.wave.span as f64 * PAGE_US;
                let us = (now - began.min(now)).as_secs_f64() * 1e6 - transfer_us;
                let us = (us / job.wave.reads as f64).max(1.0);
                state.read_us = if state.read_us == 0.0 { us } else { (state.read_us + us) / 2.0 };
            }
            drop(state);
            self.work.notify_all();
            self.progress.notify_all();
        }
    }

    fn run_cleaner(&self) {
        let over = Alarm(self);
        loop {
            let state = self.state.lock();
            if state.closed || state.failed.is_some() {
                break;
            }
            drop(state);
            // Pages that cannot be written poison the engine: whoever needs a frame will say so.
            if self.pool.clean(CLEANER).is_err() {
                break;
            }
            self.pool.wait_for_call(Some(CLEANER_PAUSE));
        }
        std::mem::forget(over);
    }
}

/// Says so if its thread panics.
struct Alarm<'s, 'p>(&'s Shared<'p>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        self.0.fail(Error::corrupt("a thread of the recovery panicked"));
    }
}

impl<'p> Crew<'_, 'p> {
    /// A change of a page, of the record at `lsn` that ends at `end`. It is applied later, after all that came before for its page.
    pub fn add(&mut self, partition: usize, lsn: Lsn, end: Lsn, block: &Block<'_>) {
        self.draft.add(partition % self.shared.workers.len(), lsn, end, block);
    }

    /// Whether `submit` is due.
    pub fn is_full(&self) -> bool {
        let (log_bytes, pages) = self.draft.size();
        log_bytes >= self.wave_bytes
            || pages >= self.wave_pages
            || (self.has_readers() && self.draft.items() >= self.items_max)
    }

    /// Whether readers are in: then whatever was submitted is applied.
    pub fn has_readers(&self) -> bool {
        self.reading.is_some_and(Readers::are_in)
    }

    /// Sends what was added on its way, or, with readers in, applies it. Waits for room.
    pub fn submit(&mut self) -> Result<()> {
        if self.has_readers() { self.drain() } else { self.send(false).map(drop) }
    }

    /// A wave that is `held` waits until it is let go; its pages are loaded in any case.
    fn send(&mut self, held: bool) -> Result<Option<Arc<Wave<'p>>>> {
        if self.draft.is_empty() {
            return Ok(None);
        }
        self.make_room(WAVES - 1)?;
        let kept = Kept::new(self.shared.pool);
        let (mut wave, mut load) = self.draft.close(kept, self.recent.make_contiguous(), &mut self.stats);
        // A record may name more pages than a small pool has to spare: they are pinned, and others need frames as well.
        load.truncate(self.wave_pages);
        let prefetch = self.prefetch || held;
        wave.is_held.store(held, Ordering::Release);
        if prefetch {
            // Mostly all of them, once the pool has what the log changes: sixteen threads woken for nothing cost a tenth of the redo.
            let mut kept = Kept::new(self.shared.pool);
            let hits = self.shared.pool.keep_present(&mut load, &mut kept);
            self.shared.counts.hit.fetch_add(hits, Ordering::Relaxed);
            wave.keep(kept);
        }
        let runs = if prefetch { runs(&load, self.gap_pages()) } else { Vec::new() };
        wave.reads = runs.len();
        wave.span = runs.iter().map(|r| (load[r.end - 1].block.0 - load[r.start].block.0) as usize + 1).sum();
        let wave = Arc::new(wave);
        self.recent.push_back(wave.pages.clone());
        if self.recent.len() >= WAVES {
            self.recent.pop_front();
        }
        let mut to_read = Vec::new();
        if prefetch {
            let pages: Arc<[PageId]> = load.into();
            let job = |runs| Job { wave: wave.clone(), pages: pages.clone(), runs };
            to_read.extend(jobs(runs, pages.len(), self.readers).into_iter().map(job));
            wave.reads_left.store(to_read.len(), Ordering::Release);
        }
        if self.readers == 0 {
            to_read.drain(..).for_each(|job| self.shared.read(job));
        }
        let jobs = to_read.len();
        let mut state = self.shared.state.lock();
        state.waves.push_back(wave.clone());
        state.jobs.extend(to_read);
        let (mut log_bytes, mut pages) = (0, 0);
        for wave in &state.waves {
            log_bytes += wave.log_bytes;
            pages += wave.pages.len() as u64;
        }
        drop(state);
        self.stats.wal_distance_max = self.stats.wal_distance_max.max(log_bytes);
        self.stats.block_distance_max = self.stats.block_distance_max.max(pages);
        if !held {
            self.shared.work.notify_all();
        }
        for _ in 0..jobs.min(self.readers) {
            self.shared.job.notify_one();
        }
        Ok(Some(wave))
    }

    /// A read costs the way to the data, and what lies between two pages costs its transfer: on a disk that seeks, whole stretches are worth reading for a few
    /// of their pages.
    fn gap_pages(&self) -> u32 {
        let (first, most) = GAP_PAGES;
        match self.shared.state.lock().read_us {
            us if us > 0.0 && self.readers > 0 => ((us / PAGE_US) as u32).min(most),
            _ => first,
        }
    }

    /// Applies everything that was added (invariant 4).
    pub fn drain(&mut self) -> Result<()> {
        match self.reading.filter(|r| r.are_in()) {
            Some(readers) => self.apply_between(readers)?,
            None => {
                self.send(false)?;
                self.make_room(0)?;
                self.reading.map_or(Ok(()), |r| r.apply(&mut || Ok(())))?;
            }
        }
        self.recent.clear();
        Ok(())
    }

    /// Applies what was added while nobody reads (invariant 5).
    fn apply_between(&mut self, readers: &dyn Readers) -> Result<()> {
        let items = self.draft.items();
        let wave = self.send(true)?;
        if let Some(wave) = &wave {
            self.wait_loaded(wave)?;
        }
        let mut took = Duration::ZERO;
        let alone = items as f64 * self.item_s <= ALONE.as_secs_f64();
        readers.apply(&mut || {
            let began = Instant::now();
            if let Some(wave) = wave.as_ref().filter(|_| alone) {
                let done = self.apply_here(wave);
                took = began.elapsed();
                return done;
            }
            if let Some(wave) = &wave {
                let state = self.shared.state.lock(); // whoever is about to wait for it has looked by now, or will see it
                wave.is_held.store(false, Ordering::Release);
                drop(state);
                self.shared.work.notify_all();
            }
            let done = self.make_room(0);
            took = began.elapsed();
            done
        })?;
        if alone && items >= ITEMS_TELLING {
            // One that lost its processor says little of what changes take.
            let item_s = (took.as_secs_f64() / items as f64).min(self.item_s * 2.0);
            self.item_s += (item_s - self.item_s) / 8.0;
        }
        if took > HELD + HELD / 2 {
            self.items_max = (items.min(self.items_max) / 2).max(ITEMS_LEAST);
        } else if took < HELD / 2 && items >= self.items_max {
            self.items_max += self.items_max / 4;
        }
        Ok(())
    }

    /// Applies a wave that nobody else takes, and all before which is applied: the shares in another order each time, as it must not matter.
    fn apply_here(&self, wave: &Arc<Wave<'p>>) -> Result<()> {
        let number = self.shared.state.lock().first as usize;
        let workers = self.shared.workers.len();
        for w in 0..workers {
            self.shared.apply((number + w) % workers, wave)?;
            self.shared.applied(wave);
        }
        Ok(())
    }

    fn wait_loaded(&self, wave: &Wave<'p>) -> Result<()> {
        let shared = self.shared;
        let mut state = shared.state.lock();
        while !wave.is_loaded() {
            if let Some(e) = &state.failed {
                return Err(e.clone());
            }
            shared.progress.wait(&mut state);
        }
        Ok(())
    }

    /// The file was cut to `from` blocks: changes of blocks behind them needed no page. After `drain`.
    pub fn explain(&self, file: FileId, from: u32) {
        self.shared.workers.iter().for_each(|w| w.lock().missing.explain(file, from));
    }

    /// Waits until at most `left` waves wait, or applies them.
    fn make_room(&mut self, left: usize) -> Result<()> {
        let shared = self.shared;
        let mut state = shared.state.lock();
        loop {
            if let Some(e) = &state.failed {
                return Err(e.clone());
            }
            if state.waves.len() <= left {
                return Ok(());
            }
            let front = state.waves[0].clone();
            if self.threaded || !front.is_loaded() {
                shared.progress.wait(&mut state);
                continue;
            }
            drop(state);
            self.apply_here(&front)?;
            drop(front);
            if self.readers == 0 {
                shared.pool.clean(CLEANER)?;
            }
            state = shared.state.lock();
        }
    }
}
