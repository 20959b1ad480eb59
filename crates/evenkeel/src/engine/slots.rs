//! Replication slots: who follows this log, and from where on it is kept for them (S25). The file `slots` in the database's folder, text so that people can read it:
//!
//! ```text
//! evenkeel slots 3
//! slot standby_b 00000000000fe3a8 00000000000fe100
//! slot standby_c 0000000000000000 0000000000000000 lost
//! owed
//! crc32c 0123abcd
//! ```
//!
//! A slot's name, from where on its follower may ask for log, and the place that its readers see all before of (`feedback.rs`; 0: there are none, or they want nothing). `lost`: the log that its
//! follower needs went. `owed`: what readers wanted was left where it is by a clean stop. Version 2 had no lost ones, version 1 neither places of readers nor what is owed.
//!
//! Invariants
//! 1. A slot is durable before anybody is told of it, and gone durably before its drop is told. Where that failed, the file is written anew until it says what is here. Temporary slots are not
//!    in the file: they go with the session that made them, and with the server.
//! 2. What the file says of a place lies at or before what the follower has: it may lag, as log is kept in vain then, and never the other way.
//! 3. That readers want something is durable before it counts; of the place the file may lag, as more is kept then. Until a follower that has gone, or that a start of this server has cut off, says anew what
//!    they want, what it said last is kept, for `hot_standby_feedback_max_age`.
//! 4. Log is kept from the lowest place on, but for slots that have fallen behind farther than they may: those are lost, say so, and keep nothing any more, until their follower has come
//!    to a place from which on the log is there.
//!
//! Must not know: how the log is sent, who followers are.

use super::feedback::Hold;
use crate::base::sync::{Instant, Mutex};
use crate::base::{Error, Lsn, Result};
use crate::io::{Disk, read_whole, replace_whole};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "slots";
const TITLE: &str = "evenkeel slots 3";
const TITLE_2: &str = "evenkeel slots 2";
const TITLE_1: &str = "evenkeel slots 1";
/// Longest file that is read.
const BYTES_MAX: u64 = 2 << 20;
/// So many slots fit into it, whatever they are called.
const SLOTS_MAX: usize = 10_000;
/// Longest name, as PostgreSQL has it.
const NAME_BYTES_MAX: usize = 63;

/// What a slot is, as a view shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// It goes with the session that made it.
    pub is_temporary: bool,
    /// From here on the log is kept for it; `None`: it has not asked for any yet, or is lost.
    pub restart: Option<Lsn>,
    /// A follower uses it at this moment, or it is a temporary one.
    pub is_active: bool,
    /// Whose session that is ([`Upstream::by`](super::upstream::Upstream::by)), if it says so.
    pub pid: Option<i32>,
    /// The log that it needs went: it fell behind farther than `max_slot_wal_keep_size`.
    pub is_lost: bool,
    /// Its readers see all before this place, and want what was there then; `None`: they want nothing, as far as is known.
    pub wanted_from: Option<Lsn>,
}

impl Slot {
    fn new(name: &str, restart: Option<Lsn>) -> Slot {
        Slot {
            name: name.into(),
            is_temporary: false,
            restart,
            is_active: false,
            pid: None,
            is_lost: false,
            wanted_from: None,
        }
    }

    /// `SlotInUse`: somebody else has it.
    fn check_free(&self, by: Option<i32>) -> Result<()> {
        let is_own = self.is_temporary && self.pid.is_some() && self.pid == by;
        if self.is_active && !is_own {
            return Err(Error::SlotInUse { name: self.name.clone(), pid: self.pid });
        }
        Ok(())
    }

    fn lose(&mut self) {
        let Some(at) = self.restart.take() else { return };
        if !std::mem::replace(&mut self.is_lost, true) {
            tracing::warn!(
                "replication slot \"{}\" has fallen behind farther than max_slot_wal_keep_size: the log from {at} on is not kept for it any longer",
                self.name
            );
        }
    }
}

struct State {
    slots: BTreeMap<String, Slot>,
    /// What is kept for readers whose follower is away, and since when.
    kept: BTreeMap<String, (Option<Hold>, Instant)>,
    /// What readers of followers without a slot want, while those are there.
    wishes: BTreeMap<u64, Lsn>,
    next_wish: u64,
    owed: bool,
    /// What the file has is older.
    is_behind: bool,
}

/// All slots of an open database.
pub struct Slots {
    disk: Arc<dyn Disk>,
    state: Mutex<State>,
}

/// Use of a slot; it ends when this is dropped.
pub struct SlotUse {
    slots: Arc<Slots>,
    name: String,
}

impl Drop for SlotUse {
    fn drop(&mut self) {
        if let Some(slot) = self.slots.state.lock().slots.get_mut(&self.name)
            && !slot.is_temporary
        {
            (slot.is_active, slot.pid) = (false, None);
        }
    }
}

/// A temporary slot: it goes when this is dropped.
pub struct TemporarySlot {
    slots: Arc<Slots>,
    name: String,
    pid: Option<i32>,
}

impl TemporarySlot {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TemporarySlot {
    fn drop(&mut self) {
        let mut state = self.slots.state.lock();
        // It may have been dropped by hand, and the name be somebody else's by now.
        if state.slots.get(&self.name).is_some_and(|s| s.is_temporary && s.pid == self.pid) {
            state.slots.remove(&self.name);
            state.kept.remove(&self.name);
        }
    }
}

impl SlotUse {
    /// The follower has everything before this, durably. Becomes durable by and by (invariant 2).
    pub fn confirm(&self, to: Lsn) {
        let mut state = self.slots.state.lock();
        let state = &mut *state;
        if let Some(slot) = state.slots.get_mut(&self.name)
            && slot.restart.is_none_or(|at| at < to)
        {
            slot.restart = Some(to);
            state.is_behind |= !slot.is_temporary;
        }
    }

    /// What the follower's readers want. The first time that they want something this blocks for the disk (invariant 3).
    pub fn wants(&self, from: Option<Lsn>) -> Result<()> {
        let mut state = self.slots.state.lock();
        let state = &mut *state;
        state.kept.remove(&self.name);
        let Some(slot) = state.slots.get_mut(&self.name) else { return Ok(()) };
        let before = std::mem::replace(&mut slot.wanted_from, from);
        if slot.is_temporary {
            return Ok(());
        }
        state.is_behind |= before != from; // also where it cannot be written now
        if before.is_none() && from.is_some() { self.slots.write(state) } else { Ok(()) }
    }

    /// The follower goes; what it has said is kept for its readers (invariant 3), here by `hold`, or, on a standby, by whom that one follows.
    pub fn leave(&self, hold: Option<Hold>) {
        let mut state = self.slots.state.lock();
        if state.slots.get(&self.name).is_some_and(|slot| slot.wanted_from.is_some()) {
            state.kept.insert(self.name.clone(), (hold, Instant::now()));
        }
    }
}

/// What the readers of a follower want, of whoever is asked by [`Slots::wanted_from`], until this is dropped.
pub(super) struct Wish {
    slots: Arc<Slots>,
    number: u64,
}

impl Wish {
    pub fn set(&self, from: Lsn) {
        self.slots.state.lock().wishes.insert(self.number, from);
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        self.slots.state.lock().wishes.remove(&self.number);
    }
}

fn no_such(name: &str) -> Error {
    Error::NoSuchSlot(name.into())
}

impl Slots {
    /// Reads them.
    pub fn open(disk: Arc<dyn Disk>) -> Result<Arc<Slots>> {
        let ctx = |e| Error::io("reading the file \"slots\"", e);
        let (slots, owed) = match read_whole(&*disk, NAME, BYTES_MAX).map_err(ctx)? {
            None => (BTreeMap::new(), false),
            Some(bytes) => parse(&bytes).ok_or_else(|| {
                Error::corrupt(
                    "the file \"slots\" in the database's folder is damaged. Remove it, and create the slots anew: until then no log is kept for standbys",
                )
            })?,
        };
        let state = State {
            slots,
            kept: BTreeMap::new(),
            wishes: BTreeMap::new(),
            next_wish: 0,
            owed,
            is_behind: false,
        };
        Ok(Arc::new(Slots { disk, state: Mutex::new(state) }))
    }

    /// A start: until the followers are back, all is kept that `hold` keeps.
    pub fn keep_for_readers(&self, hold: impl Fn() -> Option<Hold>) {
        let mut state = self.state.lock();
        let State { slots, kept, .. } = &mut *state;
        for slot in slots.values().filter(|s| s.wanted_from.is_some()) {
            kept.insert(slot.name.clone(), (hold(), Instant::now()));
        }
    }

    /// One more follower, who may have no slot.
    pub(super) fn wish(self: &Arc<Self>) -> Wish {
        let mut state = self.state.lock();
        state.next_wish += 1;
        Wish { slots: self.clone(), number: state.next_wish }
    }

    /// The lowest place of those that some follower's readers see all before of; `None`: nobody wants anything.
    pub fn wanted_from(&self) -> Option<Lsn> {
        let state = self.state.lock();
        let of_slots = state.slots.values().filter_map(|slot| slot.wanted_from);
        of_slots.chain(state.wishes.values().copied()).min()
    }

    /// Whether some follower's readers may not see all before this place.
    pub fn readers_want_before(&self, at: Lsn) -> bool {
        self.state.lock().slots.values().any(|s| s.wanted_from.is_some_and(|from| from < at))
    }

    /// Keeps nothing any longer for readers of followers that have been away for so long.
    pub fn give_up_readers(&self, after: Duration) {
        let mut state = self.state.lock();
        let State { slots, kept, is_behind, .. } = &mut *state;
        kept.retain(|name, (_, since)| {
            let is_kept = since.elapsed() < after;
            if !is_kept && let Some(slot) = slots.get_mut(name) {
                slot.wanted_from = None;
                *is_behind = true;
            }
            is_kept
        });
    }

    /// Whether a clean stop has left something that readers wanted.
    pub fn is_owed(&self) -> bool {
        self.state.lock().owed
    }

    /// Notes that, durably. Blocks for the disk.
    pub fn note_owed(&self, owed: bool) -> Result<()> {
        let mut state = self.state.lock();
        let is_noted = std::mem::replace(&mut state.owed, owed) == owed && !state.is_behind;
        if is_noted { Ok(()) } else { self.write(&mut state) }
    }

    /// Creates one that keeps log from `restart` on, if that is given. `InvalidArgument`: the name is none, or there are too many.
    pub fn create(&self, name: &str, restart: Option<Lsn>) -> Result<()> {
        let mut state = self.state.lock();
        self.add(&mut state, Slot::new(name, restart))?;
        self.write(&mut state).inspect_err(|_| {
            state.slots.remove(name);
            self.write_what_is(&mut state);
        })
    }

    /// As [`Slots::create`], of one that goes with what this gives. In memory only.
    pub fn create_temporary(
        self: &Arc<Self>,
        name: &str,
        restart: Option<Lsn>,
        pid: Option<i32>,
    ) -> Result<TemporarySlot> {
        let slot = Slot { is_temporary: true, is_active: true, pid, ..Slot::new(name, restart) };
        self.add(&mut self.state.lock(), slot)?;
        Ok(TemporarySlot { slots: self.clone(), name: name.into(), pid })
    }

    fn add(&self, state: &mut State, slot: Slot) -> Result<()> {
        let name = &slot.name;
        let is_fine = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_fine) {
            return Err(Error::InvalidArgument(format!(
                "\"{name}\" is no name for a replication slot: 1 to {NAME_BYTES_MAX} small letters, digits and underscores are"
            )));
        }
        if state.slots.contains_key(name) {
            return Err(Error::SlotExists(name.clone()));
        }
        if state.slots.len() >= SLOTS_MAX {
            return Err(Error::InvalidArgument(format!(
                "there are {SLOTS_MAX} replication slots already, as many as there can be: drop one that nobody needs"
            )));
        }
        state.slots.insert(name.clone(), slot);
        Ok(())
    }

    /// Drops one, for this session. `SlotInUse`: somebody else has it.
    pub fn drop_slot(&self, name: &str, by: Option<i32>) -> Result<()> {
        let mut state = self.state.lock();
        let slot = state.slots.get(name).ok_or_else(|| no_such(name))?;
        slot.check_free(by)?;
        let slot = state.slots.remove(name).expect("just seen");
        let kept = state.kept.remove(name);
        if slot.is_temporary {
            return Ok(());
        }
        self.write(&mut state).inspect_err(|_| {
            state.slots.insert(name.into(), slot);
            state.kept.extend(kept.map(|kept| (name.into(), kept)));
            self.write_what_is(&mut state);
        })
    }

    /// Begins to use one, for this session.
    pub fn take(self: &Arc<Self>, name: &str, by: Option<i32>) -> Result<SlotUse> {
        let mut state = self.state.lock();
        let slot = state.slots.get_mut(name).ok_or_else(|| no_such(name))?;
        slot.check_free(by)?;
        (slot.is_active, slot.pid) = (true, by);
        Ok(SlotUse { slots: self.clone(), name: name.into() })
    }

    /// All, by name.
    pub fn list(&self) -> Vec<Slot> {
        self.state.lock().slots.values().cloned().collect()
    }

    /// From where on the log is to be kept: the lowest place of those that have not fallen behind `floor`, which are lost (invariant 4).
    pub fn keep_from(&self, floor: Lsn) -> Lsn {
        let mut lowest = Lsn::MAX;
        let mut state = self.state.lock();
        let State { slots, is_behind, .. } = &mut *state;
        for slot in slots.values_mut() {
            let Some(at) = slot.restart else { continue };
            if at >= floor {
                // Its follower may have got on by the archive.
                *is_behind |= std::mem::replace(&mut slot.is_lost, false);
                lowest = lowest.min(at);
            } else {
                slot.lose();
                *is_behind |= !slot.is_temporary;
            }
        }
        lowest
    }

    /// A start finds the log from `oldest` on only. The file's places may lag (invariant 2): a follower that has what is gone needs what is there, and of one that needs more this
    /// is not known, if it was not written down that it is lost.
    pub fn begin_at(&self, oldest: Lsn) {
        let mut state = self.state.lock();
        let State { slots, is_behind, .. } = &mut *state;
        for at in slots.values_mut().filter_map(|s| s.restart.as_mut()).filter(|at| **at < oldest) {
            *at = oldest;
            *is_behind = true;
        }
    }

    /// Writes down what has changed by itself. Blocks for the disk.
    pub fn save(&self) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_behind { self.write(&mut state) } else { Ok(()) }
    }

    fn write(&self, state: &mut State) -> Result<()> {
        let mut body = format!("{TITLE}\n");
        state.is_behind = true;
        for slot in state.slots.values().filter(|s| !s.is_temporary) {
            let at = slot.restart.unwrap_or(Lsn::ZERO);
            let wanted = slot.wanted_from.unwrap_or(Lsn::ZERO);
            let lost = if slot.is_lost { " lost" } else { "" };
            body.push_str(&format!("slot {} {:016x} {:016x}{lost}\n", slot.name, at.0, wanted.0));
        }
        if state.owed {
            body.push_str("owed\n");
        }
        let text = format!("{body}crc32c {:08x}\n", crc32c::crc32c(body.as_bytes()));
        replace_whole(&*self.disk, NAME, text.as_bytes())
            .map_err(|e| Error::io("writing the file \"slots\"", e))?;
        state.is_behind = false;
        Ok(())
    }

    /// A write has failed, and what it was for was taken back: the file may have it. If it cannot be written now, `save` will.
    fn write_what_is(&self, state: &mut State) {
        self.write(state).unwrap_or_else(|e| tracing::warn!("{e}; it will be tried again"));
    }
}

/// The slots, and whether something is owed.
fn parse(bytes: &[u8]) -> Option<(BTreeMap<String, Slot>, bool)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (body, crc) = text.rsplit_once("crc32c ")?;
    if crc32c::crc32c(body.as_bytes()) != u32::from_str_radix(crc.trim(), 16).ok()? {
        return None;
    }
    let mut lines = body.lines();
    let title = lines.next()?;
    if ![TITLE, TITLE_2, TITLE_1].contains(&title) {
        return None;
    }
    let place = |word: &str| {
        let lsn = Lsn(u64::from_str_radix(word, 16).ok()?);
        Some((lsn != Lsn::ZERO).then_some(lsn))
    };
    let slot = |line: &str| {
        let mut words = line.strip_prefix("slot ")?.split(' ');
        let name = words.next()?.to_owned();
        let mut slot = Slot::new(&name, place(words.next()?)?);
        if title != TITLE_1 {
            slot.wanted_from = place(words.next()?)?;
        }
        slot.is_lost = match words.next() {
            None => false,
            Some(word) if title == TITLE && word == "lost" => true,
            Some(_) => return None,
        };
        words.next().is_none().then_some((name, slot))
    };
    let (owed, slots): (Vec<&str>, Vec<&str>) = lines.partition(|line| *line == "owed");
    Some((slots.into_iter().map(slot).collect::<Option<_>>()?, !owed.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Fault, SimCallKind, SimDisk, SimOptions};

    #[test]
    fn slots_outlive_a_restart_and_lag_at_most() {
        let disk = SimDisk::new(SimOptions::default());
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        slots.create("b", Some(Lsn(500))).unwrap();
        slots.create("a_1", None).unwrap();
        let user = slots.take("b", None).unwrap();
        user.confirm(Lsn(900));
        user.confirm(Lsn(800));
        let again = |disk: &SimDisk| Slots::open(Arc::new(disk.clone())).unwrap().list();
        let seen = again(&disk.crash_copy(1));
        let places: Vec<_> = seen.iter().map(|s| (&s.name[..], s.restart, s.is_active)).collect();
        assert_eq!(places, [("a_1", None, false), ("b", Some(Lsn(500)), false)]);
        slots.save().unwrap();
        assert_eq!(again(&disk.crash_copy(2))[1].restart, Some(Lsn(900)));
        assert_eq!(slots.keep_from(Lsn::ZERO), Lsn(900));
        // That readers want something is there at once, and that it was left.
        user.wants(Some(Lsn(700))).unwrap();
        user.wants(Some(Lsn(800))).unwrap();
        slots.note_owed(true).unwrap();
        assert_eq!(again(&disk.crash_copy(4))[1].wanted_from, Some(Lsn(800)));
        assert!(Slots::open(Arc::new(disk.crash_copy(5))).unwrap().is_owed());
        assert!(slots.readers_want_before(Lsn(801)) && !slots.readers_want_before(Lsn(800)));
        assert!(matches!(slots.take("b", None), Err(Error::SlotInUse { pid: None, .. })));
        assert!(matches!(slots.drop_slot("b", None), Err(Error::SlotInUse { pid: None, .. })));
        drop(user);
        assert_eq!((slots.keep_from(Lsn(901)), slots.list()[1].is_lost), (Lsn::MAX, true));
        slots.drop_slot("b", None).unwrap();
        assert_eq!(again(&disk.crash_copy(3)).len(), 1);
    }

    #[test]
    fn what_is_no_name_or_not_there_is_refused() {
        let slots = Slots::open(Arc::new(SimDisk::new(SimOptions::default()))).unwrap();
        for name in ["", "A", "a b", "ä", &"x".repeat(64)] {
            assert!(matches!(slots.create(name, None), Err(Error::InvalidArgument(_))), "{name}");
        }
        slots.create("a", None).unwrap();
        assert!(matches!(slots.create("a", None), Err(Error::SlotExists(_))));
        assert!(matches!(slots.take("b", None), Err(Error::NoSuchSlot(_))));
        assert!(matches!(slots.drop_slot("b", None), Err(Error::NoSuchSlot(_))));
    }

    #[test]
    fn as_many_as_there_can_be_are_read_again() {
        let disk = SimDisk::new(SimOptions::default());
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        {
            let mut state = slots.state.lock();
            for n in 0..SLOTS_MAX {
                let (name, far) = (format!("{n:063}"), Some(Lsn((1 << 62) - 1)));
                let slot = Slot { wanted_from: far, is_lost: true, ..Slot::new(&name, far) };
                state.slots.insert(name, slot);
            }
            slots.write(&mut state).unwrap();
        }
        assert!(matches!(slots.create("one_more", None), Err(Error::InvalidArgument(_))));
        assert_eq!(Slots::open(Arc::new(disk)).unwrap().list().len(), SLOTS_MAX);
    }

    #[test]
    fn temporary_slots_are_their_sessions_and_in_memory_only() {
        let disk = SimDisk::new(SimOptions::default());
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        slots.create("a", None).unwrap();
        let temporary = slots.create_temporary("t", Some(Lsn(500)), Some(7)).unwrap();
        let seen = slots.list();
        assert!(seen[1].is_temporary && seen[1].is_active && seen[1].pid == Some(7), "{seen:?}");
        assert_eq!(slots.keep_from(Lsn::ZERO), Lsn(500));
        for by in [None, Some(8)] {
            assert!(matches!(slots.take("t", by), Err(Error::SlotInUse { pid: Some(7), .. })));
            assert!(matches!(slots.drop_slot("t", by), Err(Error::SlotInUse { pid: Some(7), .. })));
        }
        // Its own session uses it; that leaves it what it is, and nothing in the file.
        let user = slots.take("t", Some(7)).unwrap();
        user.confirm(Lsn(600));
        user.wants(Some(Lsn(550))).unwrap();
        user.leave(None);
        drop(user);
        assert!(slots.list()[1].is_active);
        slots.create("b", None).unwrap();
        let names = |slots: &Slots| slots.list().into_iter().map(|s| s.name).collect::<Vec<_>>();
        assert_eq!(names(&Slots::open(Arc::new(disk.kill_copy())).unwrap()), ["a", "b"]);
        drop(temporary);
        assert_eq!(names(&slots), ["a", "b"]);
        assert!(slots.state.lock().kept.is_empty());
        // Dropped by hand, the name may be somebody else's when the session ends.
        let temporary = slots.create_temporary("t", None, Some(7)).unwrap();
        slots.drop_slot("t", Some(7)).unwrap();
        let other = slots.create_temporary("t", None, Some(8)).unwrap();
        drop(temporary);
        assert_eq!(names(&slots), ["a", "b", "t"]);
        drop(other);
    }

    /// Whatever limit a later start has: what was lost keeps nothing, until its follower has come on by other ways.
    #[test]
    fn what_was_lost_stays_lost() {
        let disk = SimDisk::new(SimOptions::default());
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        slots.create("a", Some(Lsn(500))).unwrap();
        assert_eq!(slots.keep_from(Lsn(501)), Lsn::MAX);
        assert_eq!(slots.keep_from(Lsn::ZERO), Lsn::MAX);
        slots.save().unwrap();
        let disk = disk.crash_copy(1);
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        assert_eq!((slots.keep_from(Lsn::ZERO), slots.list()[0].is_lost), (Lsn::MAX, true));
        let user = slots.take("a", None).unwrap();
        user.confirm(Lsn(600));
        assert_eq!((slots.keep_from(Lsn(601)), slots.list()[0].is_lost), (Lsn::MAX, true));
        user.confirm(Lsn(700));
        assert_eq!((slots.keep_from(Lsn(601)), slots.list()[0].is_lost), (Lsn(700), false));
        slots.save().unwrap();
        // A crash may come before the file has the place that a follower came to, and the log before it has gone: what is there is kept.
        let slots = Slots::open(Arc::new(disk.clone())).unwrap();
        slots.begin_at(Lsn(800));
        assert_eq!((slots.keep_from(Lsn::ZERO), slots.list()[0].is_lost), (Lsn(800), false));
    }

    /// What was told to have failed is so after a restart, at the latest once the file can be written again.
    #[test]
    fn what_could_not_be_written_down_has_not_happened() {
        for (kind, lasting) in [SimCallKind::Sync, SimCallKind::Rename, SimCallKind::SyncDir]
            .into_iter()
            .flat_map(|kind| [(kind, false), (kind, true)])
        {
            let disk = SimDisk::new(SimOptions::default());
            let slots = Slots::open(Arc::new(disk.clone())).unwrap();
            slots.create("keeps", Some(Lsn(5))).unwrap();
            let fails = |f: &dyn Fn() -> Result<()>| {
                let mut left = if lasting { usize::MAX } else { 1 };
                disk.set_fault(Some(Box::new(move |call| {
                    let fails = call.kind == kind && left > 0;
                    left -= usize::from(fails);
                    if fails { Fault::Eio } else { Fault::None }
                })));
                assert!(f().is_err(), "{kind:?}");
                disk.set_fault(None);
                if lasting {
                    slots.save().unwrap();
                }
                for seed in 0..8 {
                    let seen = Slots::open(Arc::new(disk.crash_copy(seed))).unwrap().list();
                    assert_eq!(seen, slots.list(), "{kind:?}");
                }
            };
            fails(&|| slots.create("new", Some(Lsn(5))));
            fails(&|| slots.drop_slot("keeps", None));
            assert_eq!(slots.list().len(), 1);
            fails(&|| slots.note_owed(true));
            slots.note_owed(true).unwrap();
            assert!(Slots::open(Arc::new(disk.crash_copy(9))).unwrap().is_owed());
        }
    }

    #[test]
    fn a_damaged_file_is_told() {
        let disk = SimDisk::new(SimOptions::default());
        Slots::open(Arc::new(disk.clone())).unwrap().create("a", Some(Lsn(5))).unwrap();
        let mut bytes = disk.contents(NAME).unwrap();
        for i in 0..bytes.len() - 1 {
            bytes[i] ^= 1;
            assert!(parse(&bytes).is_none(), "{i}");
            bytes[i] ^= 1;
        }
        assert_eq!(parse(&bytes).unwrap().0["a"].restart, Some(Lsn(5)));
        for before in [
            "evenkeel slots 1\nslot a 0000000000000005\n",
            "evenkeel slots 2\nslot a 0000000000000005 0000000000000000\n",
        ] {
            let before = format!("{before}crc32c {:08x}\n", crc32c::crc32c(before.as_bytes()));
            assert_eq!(parse(before.as_bytes()).unwrap().0["a"].restart, Some(Lsn(5)));
        }
    }
}
