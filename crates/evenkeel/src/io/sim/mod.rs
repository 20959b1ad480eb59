//! The simulated disk: files in memory that crash, tear, lose unsynced writes, return errors and run full.
//!
//! Duty: the disk as a whole, its copies, and what tests may do to it. The rules of the model are in the module's README,
//! and in `inode.rs` and `names.rs`; the calls of the engine come in through `files.rs`.
//!
//! Invariants:
//!
//! 1. The same calls on a disk of the same seed have the same results; a copy depends on the disk's state and
//!    the copy's seed only.
//! 2. A copy is independent: nothing done to one is seen by the other.
//! 3. No lock is held while a test's function runs, but the one that keeps it from running twice at a time.
//!
//! Must not know: pages, log records, or any other module of this crate.

mod call;
mod content;
mod files;
mod inode;
mod names;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use fastrand::Rng;
use parking_lot::{Mutex, RwLock};

use super::{Access, check_path};
use call::Slot;
pub use call::{Fault, SimCall, SimCallKind};
use inode::{Flush, Inode};
use names::{FileId, Names};

/// The longest file, in bytes; past it, EFBIG.
const FILE_BYTES_MAX: u64 = 1 << 40;

/// Called for each mutating call; see [`SimDisk::set_hook`].
pub type SimHook = Box<dyn FnMut(&SimCall, &SimDisk) + Send>;

/// Asked about each call; see [`SimDisk::set_fault`].
pub type SimFault = Box<dyn FnMut(&SimCall) -> Fault + Send>;

/// Called for each call before it has any effect; see [`SimDisk::set_gate`].
pub type SimGate = Arc<dyn Fn(&SimCall) + Send + Sync>;

/// The properties of a simulated disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimOptions {
    /// Decides what failed writes and syncs leave.
    pub seed: u64,
    /// Space for the files, in bytes; none for no limit.
    pub capacity_bytes: Option<u64>,
    /// How many overwritten contents of an unsynced chunk a power cut may bring back, besides the durable and the newest
    /// one: a device may write a block that is still to be overwritten, and then not get to the newer bytes. 0 for old or new only.
    pub versions_max: usize,
    /// Log writes are durable only after a sync: see [`super::File::log_needs_sync`].
    pub log_needs_sync: bool,
    /// Data files go through a page cache: see [`super::File::is_cached`].
    pub data_cached: bool,
    /// The longest write that is done wholly or not at all ([`super::File::write_atomic_at`]), in bytes: a power of two from 8192 on; 0 = there are none.
    pub atomic_unit_max_bytes: u32,
}

impl Default for SimOptions {
    fn default() -> SimOptions {
        SimOptions {
            seed: 0,
            capacity_bytes: None,
            versions_max: 2,
            log_needs_sync: false,
            data_cached: false,
            atomic_unit_max_bytes: 0,
        }
    }
}

/// What of the unsynced survives a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPolicy {
    /// Each sector, length and name by the seed's coin.
    Mixed,
    /// Nothing.
    LoseUnsynced,
    /// Everything.
    KeepAll,
}

/// What a disk has been asked for so far. Copies start at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimCounters {
    /// Calls of every kind.
    pub calls: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Syncs of files and directories. The one inside a log write does not count.
    pub syncs: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

/// A disk in memory. A clone is another handle to the same disk; [`SimDisk::crash_copy`] and [`SimDisk::kill_copy`]
/// make new disks.
#[derive(Clone)]
pub struct SimDisk {
    shared: Arc<Shared>,
}

struct Shared {
    options: SimOptions,
    state: Mutex<State>,
    hook: Slot<SimHook>,
    fault: Slot<SimFault>,
    gate: RwLock<Option<SimGate>>,
    deferred: Mutex<Deferred>,
}

/// Log writes in flight: written, not durable.
#[derive(Default)]
struct Deferred {
    on: bool,
    next: u64,
    writes: BTreeMap<u64, (FileId, Flush, SimCall)>,
}

#[derive(Clone)]
struct State {
    names: Names,
    files: BTreeMap<FileId, SimInode>,
    next_id: FileId,
    /// Files without a name that are kept for their handles or for what a crash may bring back.
    nameless: usize,
    capacity_bytes: Option<u64>,
    /// The lengths of all files that have a name.
    used_bytes: u64,
    counters: SimCounters,
    rng: Rng,
    locked: bool,
}

#[derive(Clone)]
struct SimInode {
    inode: Arc<Inode>,
    path: Arc<str>,
    named: bool,
    handles: usize,
}

impl SimDisk {
    /// An empty disk.
    pub fn new(options: SimOptions) -> SimDisk {
        let state = State {
            names: Names::default(),
            files: BTreeMap::new(),
            next_id: 1,
            nameless: 0,
            capacity_bytes: options.capacity_bytes,
            used_bytes: 0,
            counters: SimCounters::default(),
            rng: Rng::with_seed(options.seed),
            locked: false,
        };
        SimDisk::with_state(options, state)
    }

    fn with_state(options: SimOptions, state: State) -> SimDisk {
        let (hook, fault) = (Slot::default(), Slot::default());
        let (gate, deferred) = (RwLock::default(), Mutex::default());
        SimDisk {
            shared: Arc::new(Shared { options, state: Mutex::new(state), hook, fault, gate, deferred }),
        }
    }

    /// A disk as a power cut now may leave this one, by the seed: see [`CrashPolicy::Mixed`]. Everything on it is durable;
    /// it is unlocked and has no hook and no fault function. Calls in flight count as unsynced.
    pub fn crash_copy(&self, seed: u64) -> SimDisk {
        self.crash_copy_with(CrashPolicy::Mixed, seed)
    }

    /// As [`SimDisk::crash_copy`], by a policy.
    pub fn crash_copy_with(&self, policy: CrashPolicy, seed: u64) -> SimDisk {
        let mut rng = Rng::with_seed(seed);
        let state = self.shared.state.lock();
        let names = state.names.crashed(policy, &mut rng);
        let mut files = BTreeMap::new();
        let mut used_bytes = 0;
        for (path, id) in names.files() {
            let old = &state.files[&id].inode;
            let inode =
                if old.is_clean() { Arc::clone(old) } else { Arc::new(old.crashed(policy, &mut rng)) };
            used_bytes += inode.len();
            files.insert(id, SimInode { inode, path: Arc::clone(path), named: true, handles: 0 });
        }
        let state = State {
            names,
            files,
            next_id: state.next_id,
            nameless: 0,
            capacity_bytes: state.capacity_bytes,
            used_bytes,
            counters: SimCounters::default(),
            rng,
            locked: false,
        };
        SimDisk::with_state(SimOptions { seed, ..self.shared.options }, state)
    }

    /// A disk as the next process finds it when this one is killed now: everything written is there, but what was not durable
    /// is still not. Unlocked, without hook and fault function. Calls in flight have had their volatile effect.
    pub fn kill_copy(&self) -> SimDisk {
        let mut state = self.shared.state.lock().clone();
        state.counters = SimCounters::default();
        state.locked = false;
        state.files.values_mut().for_each(|file| file.handles = 0);
        state.collect();
        SimDisk::with_state(self.shared.options, state)
    }

    /// Sets the function that is called in every mutating call after its volatile effect and before its durability: in a write
    /// through [`Access::Log`] the sectors are written but not durable, in a sync nothing is durable yet. Calls that fail
    /// without effect are left out.
    ///
    /// The function may copy the disk and use the copies. Calls to the disk from inside it do not call it again. Other threads'
    /// mutating calls wait while it runs, so it must not wait for them. It should use the handle it is given: one it captured
    /// would keep the disk alive for ever.
    pub fn set_hook(&self, hook: Option<SimHook>) {
        self.shared.hook.set(hook);
    }

    /// Sets the function that is asked what becomes of each call, before it has any effect.
    pub fn set_fault(&self, fault: Option<SimFault>) {
        self.shared.fault.set(fault);
    }

    /// Sets a function that each call passes before it has any effect. It may block, to hold one thread's call back while other threads' calls go
    /// on: nothing is locked while it runs, and it may run in several threads at a time.
    pub fn set_gate(&self, gate: Option<SimGate>) {
        *self.shared.gate.write() = gate;
    }

    /// Whether log writes from here on return before they are durable, as if several threads had one each in flight. Each gets a number, in
    /// order; it becomes durable by [`SimDisk::complete_log_write`], in any order.
    pub fn defer_log_writes(&self, on: bool) {
        self.shared.deferred.lock().on = on;
    }

    /// The numbers of the log writes in flight.
    pub fn deferred_log_writes(&self) -> Vec<u64> {
        self.shared.deferred.lock().writes.keys().copied().collect()
    }

    /// A log write in flight is durable from here on. The hook is called before. Copies of a disk have no writes in flight. Panics if there is no
    /// such write.
    pub fn complete_log_write(&self, number: u64) {
        let (id, flush, call) =
            self.shared.deferred.lock().writes.remove(&number).expect("a log write in flight");
        self.shared.hook.run(|hook| hook(&call, self));
        let mut state = self.shared.state.lock();
        // A file that nobody can reach any more has nothing left to make durable.
        if state.files.contains_key(&id) {
            state.change(id, |inode| inode.complete_flush(&flush));
        }
    }

    /// Limits the space for the files, counted by their lengths. Past it allocations and growing writes fail with ENOSPC
    /// (a write that can go on for some sectors is cut short). Growing by a truncation takes space, but is not refused.
    pub fn set_capacity(&self, bytes: u64) {
        self.shared.state.lock().capacity_bytes = Some(bytes);
    }

    /// The lengths of all files together, in bytes.
    pub fn used_bytes(&self) -> u64 {
        self.shared.state.lock().used_bytes
    }

    /// Calls so far: the index of the next one.
    pub fn calls(&self) -> u64 {
        self.counters().calls
    }

    /// What the disk has been asked for so far.
    pub fn counters(&self) -> SimCounters {
        self.shared.state.lock().counters
    }

    /// Sectors that a power cut now may lose, in files that have a name.
    pub fn dirty_sectors(&self) -> usize {
        let state = self.shared.state.lock();
        state.files.values().filter(|file| file.named).map(|file| file.inode.dirty_sectors()).sum()
    }

    /// The whole content of a file, without a call being counted.
    pub fn contents(&self, path: &str) -> io::Result<Vec<u8>> {
        let state = self.shared.state.lock();
        let inode = &state.files[&state.names.file(path)?].inode;
        let mut bytes = vec![0; inode.len() as usize];
        inode.read(0, &mut bytes);
        Ok(bytes)
    }

    /// Overwrites bytes of a file as a failing medium would: at once, durably, without a call. Stops at the end of the file.
    pub fn damage(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        check_path(path)?;
        let mut state = self.shared.state.lock();
        let id = state.names.file(path)?;
        state.change(id, |inode| inode.damage(offset, bytes));
        Ok(())
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SimDisk");
        debug.field("seed", &self.shared.options.seed);
        if let Some(state) = self.shared.state.try_lock() {
            debug.field("files", &state.files.len()).field("calls", &state.counters.calls);
        }
        debug.finish_non_exhaustive()
    }
}

impl State {
    /// Changes a file, keeping account of the space.
    fn change<R>(&mut self, id: FileId, change: impl FnOnce(&mut Inode) -> R) -> R {
        let file = self.files.get_mut(&id).expect("an open or named file exists");
        let before = file.inode.len();
        let result = change(Arc::make_mut(&mut file.inode));
        if file.named {
            self.used_bytes = self.used_bytes - before + file.inode.len();
        }
        result
    }

    fn file(&self, id: FileId) -> &SimInode {
        &self.files[&id]
    }

    /// How many of the bytes `offset .. offset + len` fit, were they written: all that do not grow the file, and of the
    /// others what the capacity allows, up to a sector boundary.
    fn fitting(&self, id: FileId, offset: u64, len: u64) -> u64 {
        let file = self.file(id);
        let Some(capacity) = self.capacity_bytes.filter(|_| file.named) else { return len };
        let end_max = file.inode.len() + capacity.saturating_sub(self.used_bytes);
        if offset + len <= end_max {
            return len;
        }
        (end_max - end_max % super::SECTOR as u64).max(file.inode.len()).saturating_sub(offset)
    }

    /// A file has lost its name.
    fn unname(&mut self, id: FileId) {
        let file = self.files.get_mut(&id).expect("a named file exists");
        file.named = false;
        self.used_bytes -= file.inode.len();
        self.nameless += 1;
    }

    /// Forgets files that nobody can reach any more.
    fn collect(&mut self) {
        if self.nameless == 0 {
            return;
        }
        let reachable = self.names.reachable();
        self.files.retain(|id, file| file.named || file.handles > 0 || reachable.contains(id));
        self.nameless = self.files.values().filter(|file| !file.named).count();
    }

    /// Numbers a call.
    fn describe(&mut self, kind: SimCallKind, path: &Arc<str>, access: Option<Access>) -> SimCall {
        let index = self.counters.calls;
        self.counters.calls += 1;
        SimCall { index, kind, path: Arc::clone(path), to: None, access, offset: 0, len: 0 }
    }
}

#[cfg(test)]
mod atomic_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
