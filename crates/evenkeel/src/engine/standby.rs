//! A standby: a database that receives another server's log, replays it as it comes, and may take over (S25, decision 013).
//!
//! Invariants
//! 1. Nothing is replayed that is not durable here, and nothing is written in the log that it follows.
//! 2. Pages go home by its own rounds and under its own protection: of page images in the log it relies on none, as they are first changes since the *primary's* floors.
//! 3. A promotion counts once the control file says that this is a primary; before, whatever happens, the folder is a standby's, and after, the crash recovery of a primary
//!    brings it to the same end.
//! 4. Log that the primary had not archived is archived by whoever takes over, before its own, under a timeline that begins where the primary's log was left.
//!
//! Must not know: how the log comes here, who reads.

use super::database::Database;
use super::lives;
use super::opening::{Beginning, Opened, not_ours, open_folder};
use super::options::Options;
use super::protection::Protecting;
use super::reading::{Ground, Reading};
use super::recovering::Past;
use super::replaying::{Held, Shared, State, Told};
use super::settings::Id;
use super::slots::Slots;
use super::unfinished;
use crate::archive::{ArchiveState, History};
use crate::base::clock::wall_ms;
use crate::base::sync::{AtomicBool, AtomicUsize, Condvar, Instant, JoinHandle, Mutex, Ordering, RwLock};
use crate::base::{Error, Lsn, Result, duty};
use crate::checkpoint::Following;
use crate::control::{CONTROL_FILE, Control, Role, TornPageProtection};
use crate::io::{Disk, OsDisk};
use crate::recovery::Recovered;
use crate::store::UndoSpace;
use crate::store::gate::GateStats;
use crate::wal;
use crate::wal::Synchronous;
use crate::wal::receiving::Receiver;
use crate::wal::segment::{self, Geometry, Header};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A place in a log: LSNs are comparable only where the lives agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The life of the log; 0: none yet.
    pub life: u64,
    /// Where.
    pub lsn: Lsn,
}

/// An open standby. Dropped, it stops as if it had crashed: `close` first brings home what it has.
pub struct Standby {
    running: Running,
    disk: Arc<dyn Disk>,
    options: Options,
    rng: fastrand::Rng,
    undo: Arc<UndoSpace>,
    protecting: Protecting,
    /// Where, and in which life, its copy is whole.
    whole: Position,
    /// Last, and so dropped last: nobody else gets the folder while anything is left.
    lock: Box<dyn Send + Sync>,
}

/// The threads, which end when this is dropped.
struct Running {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Standby {
    /// Whether the folder holds a standby. Opens nothing, and takes no lock.
    pub fn is_one(dir: impl AsRef<Path>) -> Result<bool> {
        let dir = dir.as_ref();
        if !dir.join(CONTROL_FILE).exists() {
            return Ok(false);
        }
        let disk = OsDisk::new(dir, Options::default().os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        Ok(Control::open(&disk)?.1.role == Role::Standby)
    }

    /// Opens the standby in `dir`, and goes on where it was. `InvalidArgument`: it is none. Blocks for what a crash left in caches, not for the replay.
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Standby> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        let (disk, options) = options.with_place_of(dir).counting(Arc::new(disk));
        Standby::open_on(disk, options)
    }

    /// Opens a standby on any disk.
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Standby> {
        unfinished::refuse(&*disk)?;
        if !Control::exists(&*disk)? {
            return Err(Error::InvalidArgument(
                "the folder holds no standby: make one of a copy of the primary".into(),
            ));
        }
        let lock = disk.lock().map_err(not_ours)?;
        let protection = match options.protection() {
            TornPageProtection::FullPageWrites => TornPageProtection::DoubleWrite, // invariant 2
            other => other,
        };
        let o = open_folder(&disk, &options, Role::Standby, protection)?;
        let Opened { control, data, file_lock, rng, undo, pool, poison, protecting, life_end, .. } = o;
        let geometry = Geometry { segment_bytes: data.segment_bytes };
        let end = life_end.expect("a standby's log is never closed");
        // Of a copy of the files alone nothing was received yet.
        let has_log = data.log_needed < end.at;
        let receiver = Receiver::resume(disk.clone(), geometry, data.database_id, end.at, has_log)?;
        let (from, whole) = (data.clone(), Position { life: data.whole_life, lsn: data.whole_at });
        let slots = Slots::open(disk.clone())?;
        slots.begin_at(Lsn(receiver.oldest().load(Ordering::SeqCst)));
        slots.keep_for_readers(|| None);
        let held = Held::new(data.replayed_to_ms);
        let reading = Reading::new(&Ground {
            disk: &disk,
            options: &options,
            data: &data,
            end,
            pool: &pool,
            undo: &undo,
            poison: &poison,
            slots: &slots,
        })?;
        let told = if data.told == Lsn::ZERO { end.at } else { data.told };
        if let Some(reading) = &reading {
            reading.horizon().follow(told);
        }
        let shared = Arc::new(Shared {
            told: Mutex::new(Told { at: told, is_restricted: data.told != Lsn::ZERO }),
            options: options.clone(),
            pool,
            poison,
            state: Mutex::new(State { durable: end.at, ..State::default() }),
            changed: Condvar::new(),
            on_applied: RwLock::new(None),
            held: Mutex::new(held),
            rounds: Following::new(control, data),
            reading,
            log_stats: wal::Stats::default(),
            disk: disk.clone(),
            slots,
            pausing: AtomicBool::new(false),
            oldest: receiver.oldest().clone(),
            leaving: AtomicBool::new(false),
            watchers: AtomicUsize::new(0),
            lacking: AtomicBool::new(false),
            receiver: Mutex::new(receiver),
            archived: Mutex::new(None),
            archive_file: Mutex::new(ArchiveState::read(&*disk)?.filter(|state| state.timeline != 0)),
        });
        let woken = Arc::downgrade(&shared);
        shared.poison.on_set(move |_| {
            if let Some(shared) = woken.upgrade() {
                shared.changed.notify_all();
            }
        });
        shared.begin_held()?;
        let mut running = Running { shared, threads: Vec::new() };
        let theirs = disk.clone();
        running.spawn("replay", move |shared| shared.run_replay(&*theirs, &from, end))?;
        running.spawn("checkpointer", Shared::run_rounds)?;
        let lock = Box::new((lock, file_lock));
        Ok(Standby { running, disk, options, rng, undo, protecting, whole, lock })
    }

    /// Makes a standby of the copy of a folder whose database was shut down cleanly: it will go on where that one ended. `InvalidArgument`: it was not, or is one already. An
    /// error has changed nothing.
    pub fn adopt(disk: &dyn Disk) -> Result<()> {
        unfinished::refuse(disk)?;
        let refused =
            |why: &str| Err(Error::InvalidArgument(format!("no standby can be made of the folder: {why}")));
        if !Control::exists(disk)? {
            return refused("it holds no database");
        }
        let _lock = disk.lock().map_err(not_ours)?;
        let _file_lock = Control::lock(disk).map_err(not_ours)?;
        let (mut control, mut data) = Control::open(disk)?;
        if data.role == Role::Standby {
            return refused("it is one already");
        }
        if !data.clean || !data.complete {
            return refused(
                "its database was not shut down cleanly. Copy it again after a clean stop, or use a base backup",
            );
        }
        segment::check_closed(
            disk,
            Geometry { segment_bytes: data.segment_bytes },
            data.end,
            data.end_incarnation,
        )?;
        control.harden(&data)?;
        (data.role, data.clean) = (Role::Standby, false);
        (data.received, data.whole_at, data.whole_life) = (data.end, data.end, data.end_incarnation);
        data.told = Lsn(1); // whoever it was may have asked others before it told: who it follows says
        // All is at home: nothing that protects its pages is in the log (invariant 2).
        data.protection = TornPageProtection::DoubleWrite;
        (data.round, data.log_needed) = (Lsn::ZERO, data.end);
        data.redo.fill(data.end);
        control.write_both(&data)
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.running.shared
    }

    /// Which database it is a standby of.
    pub fn database_id(&self) -> u64 {
        self.shared().rounds.database_id()
    }

    /// Where the next record belongs.
    pub fn received(&self) -> Position {
        let receiver = self.shared().receiver.lock();
        Position { life: receiver.life(), lsn: receiver.position() }
    }

    /// How far this standby could take over with log that is durable up to `lsn`: of a copy that is not whole, nowhere. What it confirms counts for those who wait.
    pub fn promotable(&self, lsn: Lsn) -> Lsn {
        if lsn < self.whole.lsn { Lsn::ZERO } else { lsn }
    }

    /// The log that was received is durable up to here.
    pub fn durable(&self) -> Position {
        let receiver = self.shared().receiver.lock();
        Position { life: receiver.life(), lsn: receiver.durable() }
    }

    /// Everything before this was replayed. Of a standby that has just started it is zero.
    pub fn replayed(&self) -> Lsn {
        self.shared().state.lock().applied.as_ref().map_or(Lsn::ZERO, |a| a.at)
    }

    /// When the last commit that was replayed happened, milliseconds since the Unix epoch; `None`: none was since the start.
    pub fn last_commit_ms(&self) -> Option<u64> {
        let state = self.shared().state.lock();
        state.applied.as_ref().map(|a| a.last_commit_ms).filter(|ms| *ms > 0)
    }

    /// What follows is of the life of this header's segment. `InvalidArgument`: it does not follow on what was received. Other errors as of [`Standby::receive`].
    pub fn begin_life(&self, header: &Header) -> Result<()> {
        self.shared().poison.check()?;
        let at = self.received();
        if header.incarnation == at.life {
            let mut receiver = self.shared().receiver.lock();
            return receiver.begin_life(header).map_err(|e| self.not_received(&receiver, e));
        }
        self.check_branch(header, at.lsn)?;
        if header.begins_life() {
            self.leave_branch(header.prev_end)?;
        }
        let mut receiver = self.shared().receiver.lock();
        receiver.begin_life(header).map_err(|e| self.not_received(&receiver, e))?;
        if header.begins_life() {
            lives::note(&*self.disk, header.incarnation, header.prev_incarnation, header.prev_end);
        }
        // The life before was made durable to its end, and nothing lies between.
        self.shared().may_replay(receiver.durable());
        Ok(())
    }

    /// A copy becomes whole by the log of the life in which it ended: pages of it may have what another branch never had. What leaves that life before, or passes
    /// the place in another one, is refused.
    fn check_branch(&self, header: &Header, at: Lsn) -> Result<()> {
        let Position { life, lsn: whole_at } = self.whole;
        let leaves = header.prev_incarnation == life && header.prev_end < whole_at;
        let start = self.shared().receiver.lock().geometry().start_of(header.segment);
        let passes = header.incarnation != life && start >= whole_at;
        if life != 0 && at < whole_at && header.begins_life() && (leaves || passes) {
            return Err(other_branch(whole_at, life));
        }
        Ok(())
    }

    /// What the primary before could tell behind `fork` is none of what follows there; that is known first, also after a crash.
    fn leave_branch(&self, fork: Lsn) -> Result<()> {
        let shared = self.shared();
        let was = {
            let mut told = shared.told.lock();
            let was = told.at;
            told.at = was.min(fork);
            was
        };
        if let Some(reading) = &shared.reading {
            reading.horizon().branch_at(fork);
        }
        if was > fork { shared.confirm().map_err(|e| self.failed(e)) } else { Ok(()) }
    }

    /// Takes whole records that stand at `from`; not durable before [`Standby::sync`]. `InvalidArgument`: they do not follow, or are damaged. Nothing has changed then,
    /// nor after any other error that leaves the standby at work, such as of a full disk: they may be sent again.
    pub fn receive(&self, from: Lsn, records: &[u8]) -> Result<()> {
        self.shared().poison.check()?;
        let Position { life, lsn: whole_at } = self.whole;
        let mut receiver = self.shared().receiver.lock();
        let makes_whole = from < whole_at && from.0 + records.len() as u64 >= whole_at.0;
        if makes_whole && life != 0 && receiver.life() != life {
            return Err(other_branch(whole_at, life));
        }
        receiver.write(from, records).map_err(|e| self.not_received(&receiver, e))
    }

    /// What was refused, or found no place, harms nobody; anything else leaves unknown bytes.
    fn not_received(&self, receiver: &Receiver, e: Error) -> Error {
        if receiver.has_failed() {
            return self.failed(e);
        }
        if matches!(e, Error::OutOfSpace { .. }) {
            self.shared().note_lack();
        }
        e
    }

    fn failed(&self, e: Error) -> Error {
        self.shared().poison.set(format!("receiving the log failed: {e}"))
    }

    /// Makes durable what was received, and has it replayed. Gives how far that is. Blocks for the disk.
    pub fn sync(&self) -> Result<Position> {
        self.shared().poison.check()?;
        let mut receiver = self.shared().receiver.lock();
        let lsn = receiver.sync().map_err(|e| self.failed(e))?;
        self.shared().may_replay(lsn);
        Ok(Position { life: receiver.life(), lsn })
    }

    /// The primary may tell all before `at` ([`Horizon::told`](crate::wal::Horizon::told)): readers here may, too. `is_restricted`: it asks for more than its own disk, so nothing is to be told
    /// on its own. The first time that it says so, this blocks for the disk: it has to be known after a crash as well.
    pub fn may_tell(&self, at: Lsn, is_restricted: bool) -> Result<()> {
        let shared = self.shared();
        shared.poison.check()?;
        let has_changed = {
            let mut told = shared.told.lock();
            told.at = told.at.max(at);
            std::mem::replace(&mut told.is_restricted, is_restricted) != is_restricted
        };
        shared.tell_watchers();
        if has_changed {
            shared.confirm().map_err(|e| self.failed(e))?;
        }
        if let Some(reading) = &shared.reading {
            reading.horizon().follow(at);
        }
        Ok(())
    }

    /// So much of the log its primary has archived. What it has not is kept here, for whoever takes over, up to `max_slot_wal_keep_size`. Where the archive is another one than before, this blocks for
    /// the disk: it has to be known after a crash.
    pub fn primary_has_archived(&self, archived: Option<ArchiveState>) -> Result<()> {
        let shared = self.shared();
        *shared.archived.lock() = Some(archived);
        let timeline = |state: Option<ArchiveState>| state.map(|s| s.timeline);
        let written = *shared.archive_file.lock();
        if timeline(archived) != timeline(written) {
            shared.note_archived()?;
        }
        Ok(())
    }

    /// Brings home all that was replayed, so that the next start begins there. Blocks for the disk.
    pub fn checkpoint(&self) -> Result<()> {
        self.shared().poison.check()?;
        // Of a copy that is not whole no redo point can move.
        if self.is_whole() { self.shared().bring_all_home() } else { Ok(()) }
    }

    /// Has the replay pause, or go on. It pauses at the next commit, or where the log ends; a promotion ends it.
    pub fn pause_replay(&self, pauses: bool) {
        self.shared().pause(pauses);
    }

    /// Whether the replay is to pause, and whether it does.
    pub fn replay_pause(&self) -> (bool, bool) {
        let state = self.shared().state.lock();
        (self.shared().pausing.load(Ordering::Relaxed), state.is_paused)
    }

    /// Blocks until everything before `lsn` was replayed, or `within` is over; whether it was.
    pub fn wait_replayed(&self, lsn: Lsn, within: Duration) -> Result<bool> {
        let until = Instant::now() + within;
        let mut state = self.shared().state.lock();
        loop {
            self.shared().poison.check()?;
            if state.applied.as_ref().is_some_and(|a| a.at >= lsn) {
                return Ok(true);
            }
            if self.shared().changed.wait_until(&mut state, until).timed_out() {
                return Ok(false);
            }
        }
    }

    /// The database, to be read: it refuses whatever would change it. What readers find is told to them as far as [`Standby::may_tell`] has said. `None`: not yet, or `hot_standby` is off. It ends with the standby, and with its promotion.
    pub fn database(&self) -> Option<Database> {
        self.shared().reading.as_ref()?.database()
    }

    /// Whether [`Standby::database`] will be there once enough is replayed.
    pub(super) fn may_be_read(&self) -> bool {
        self.shared().reading.as_ref().is_some_and(|reading| !reading.is_broken())
    }

    /// Data files that were found to be gone or cut short since the start, each told with what helps. They are looked at once the standby can be read, by and by.
    pub fn wrong_files(&self) -> Vec<String> {
        self.shared().reading.as_ref().map_or_else(Vec::new, Reading::wrong_files)
    }

    /// What whom it follows is to be told for the readers here, and for those of whoever follows this one (`Feedback::heard`); `None`: nothing.
    pub fn feedback(&self) -> Option<Lsn> {
        let shared = self.shared();
        if !shared.options.is_on(Id::HotStandbyFeedback) {
            return None;
        }
        let own = shared.reading.as_ref().and_then(Reading::wanted_from);
        own.into_iter().chain(shared.slots.wanted_from()).min()
    }

    /// How readers were held up by waves of changes, and how many snapshots were given up because replay took away what they needed.
    pub fn read_stats(&self) -> (GateStats, u64) {
        self.shared().reading.as_ref().map_or_else(Default::default, Reading::stats)
    }

    /// Has `tell` called whenever more was applied, by the thread that did: it must be quick, and not call back. Only the latest counts.
    pub fn on_applied(&self, tell: Arc<dyn Fn() + Send + Sync>) {
        *self.shared().on_applied.write() = Some(tell);
    }

    /// Has `tell` called once it stops, or now if it has.
    pub fn on_poison(&self, tell: impl FnOnce(&Error) + Send + 'static) {
        self.shared().poison.on_set(tell);
    }

    /// Why it stopped, if it has.
    pub fn poisoned(&self) -> Option<Error> {
        self.shared().poison.check().err()
    }

    /// Everything is of one moment: of a standby that was made of a copy, the log up to the copy's end was replayed.
    pub fn is_whole(&self) -> bool {
        self.shared().state.lock().applied.is_some()
    }

    /// Brings everything home and stops, so that the next start has nothing to replay. Blocks.
    pub fn close(self) -> Result<()> {
        self.sync()?;
        // Of a copy that is not whole no redo point can move.
        if self.is_whole() { self.shared().bring_all_home() } else { self.shared().confirm() }
    }

    /// Under which epoch the log that is here was written ([`Options::with_epoch`]).
    pub fn epoch(&self) -> u64 {
        self.shared().receiver.lock().epoch()
    }

    /// What comes next is sent by whoever writes under this epoch. `Superseded`: a later one was promised.
    pub fn hear(&self, epoch: u64) -> Result<()> {
        self.shared().receiver.lock().hear(epoch)
    }

    /// From now on takes nothing from whoever writes under an earlier epoch, until it is closed: whoever makes a promise that outlives this keeps it somewhere durable *before* it tells anybody the
    /// position that this gives, and repeats it at each start. Gives under which epoch the log here was written, and how far it is durable, which is all that such a writer will ever have been told.
    /// Of a copy that is not whole the position is zero. Blocks for the disk.
    pub fn promise(&self, epoch: u64) -> Result<(u64, Lsn)> {
        self.shared().receiver.lock().promise(epoch);
        let durable = self.sync()?.lsn;
        Ok((self.epoch(), self.promotable(durable)))
    }

    /// As [`Standby::promote`], under this epoch, and asking these standbys before anything is told.
    pub fn promote_in(mut self, epoch: u64, whom: Option<Synchronous>) -> Result<Database> {
        self.options = self.options.clone().with_epoch(epoch).with_synchronous(whom);
        self.promote()
    }

    /// Takes over: replays what was received, begins a life of the log of its own behind it, and rolls back what had not committed. Blocks for the replay. An error
    /// before the decision is written down leaves a standby, one after it a primary that is to be started.
    pub fn promote(self) -> Result<Database> {
        self.sync()?;
        self.shared().state.lock().hurry = true;
        self.shared().changed.notify_all();
        let archive_store = self.options.archive_store()?;
        let Standby { running, disk, options, mut rng, undo, protecting, lock, .. } = self;
        let (shared, recovered) = running.end();
        if let Some(reading) = &shared.reading {
            reading.forget();
        }
        let recovered = recovered?;
        shared.slots.save()?;
        let archived = shared.note_archived()?;
        let epoch = shared.receiver.lock().epoch();
        let (mut control, mut data) = shared.rounds.into_control();
        if !recovered.reached {
            return Err(not_whole(recovered.end, data.whole_at));
        }
        // From here on the log is archived under a timeline of its own (invariant 4).
        if let Some(archived) = archived {
            let (end, life, name) = (recovered.end, recovered.incarnation, rng.u64(1..));
            let why = "took over".into();
            History::new(data.database_id, archived.timeline, end, life, name, why, wall_ms())
                .write_file(&*disk)?;
            let last = Geometry { segment_bytes: data.segment_bytes }.segment_of(end);
            ArchiveState { timeline: 0, next: archived.next.min(last), of: 0 }.write(&*disk)?;
        }
        (data.role, data.epoch) = (Role::Primary, epoch);
        (data.received, data.whole_at, data.told) = (Lsn::ZERO, Lsn::ZERO, Lsn::ZERO);
        (data.whole_life, data.replayed_to_ms) = (0, 0);
        control.write_both(&data)?; // invariant 3
        tracing::info!("promoted: the log that was received ends at {}", recovered.end);
        let life = Beginning {
            disk: &disk,
            options,
            lock,
            rng,
            undo,
            pool: shared.pool,
            poison: shared.poison,
            protecting,
            past: Past { control, data, recovered, clean: false },
            archive_store,
            are_files_known: false,
        };
        Database::begin_life(life, &&*disk)
    }
}

fn other_branch(whole_at: Lsn, life: u64) -> Error {
    Error::InvalidArgument(format!(
        "the standby's copy needs the log up to {whole_at} of life {life:016x}, which the log that was sent has left before: its pages may have changes that never came about there. Make another copy"
    ))
}

fn not_whole(at: Lsn, whole_at: Lsn) -> Error {
    Error::InvalidArgument(format!(
        "the standby's copy is not whole yet: its log was received up to {at}, and is needed up to {whole_at}. Let it follow, or make another copy"
    ))
}

impl Running {
    fn spawn(&mut self, name: &str, run: impl FnOnce(&Shared) + Send + 'static) -> Result<()> {
        let (shared, wanted, told) = (self.shared.clone(), self.shared.clone(), self.shared.clone());
        let thread = duty::spawn(
            name,
            move || run(&shared),
            move || !wanted.state.lock().stopping && !wanted.poison.is_set(),
            move |why| _ = told.poison.set(why),
        );
        self.threads.push(thread.map_err(|e| Error::io("starting a thread", e))?);
        Ok(())
    }

    /// Ends the threads. Gives what they had, and what the replay came to.
    fn end(mut self) -> (Shared, Result<Recovered>) {
        self.stop();
        let shared = self.shared.clone();
        drop(self);
        let Some(shared) = Arc::into_inner(shared) else { unreachable!("its threads have ended") };
        let ended = shared.state.lock().ended.take();
        (shared, ended.expect("the replay says what it came to"))
    }

    fn stop(&mut self) {
        if let Some(reading) = &self.shared.reading {
            reading.end();
        }
        self.shared.state.lock().stopping = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}
