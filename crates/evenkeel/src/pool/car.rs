//! CAR, clock with adaptive replacement (Bansal & Modha 2004): the lists alone. T1 holds pages used once, T2 those used again, each a clock with
//! reference bits; B1 and B2 remember what left them; `target` is T1's share of the frames, moved by ghost hits.
//!
//! A clock whose hand stands still while pages come in behind it is a queue: the hand is its head. Each queue is a ring, so that a frame has a
//! *slot* that stays while it waits, and the frames ahead of a hand are neighbours: a bitmap over slots is in eviction order.
//!
//! Invariants
//! 1. A frame is in at most one ring, in the slot that `Frames::slot` names. Rings have no holes.
//! 2. T1 + T2 <= c; T1 + B1 <= c and T1 + T2 + B1 + B2 <= 2c after an insertion (c = frames).
//! 3. A frame that is dirty, being written or pinned is never given as a victim.
//!
//! Departures from the paper: dirty frames near the hand are passed over (they keep their place), pinned ones go to the tail of their list,
//! as do those being written where there are too many to pass over;
//! frames may leave from the middle; and a hand that has passed `SWEEP_MAX` referenced frames takes the next clean one all the same.
//!
//! Must not know: page bytes, locks, I/O.

use super::ghosts::Ghosts;
use std::ops::Range;

/// Frames that one call looks at: bounds the time for which its caller holds the lock.
pub const SWEEP_CHUNK: usize = 128;
/// Referenced frames that one search spares.
pub const SWEEP_MAX: usize = 1024;
/// Dirty frames that a search passes over on a list before it gives up there.
pub const DIRTY_WINDOW: usize = 32;

/// One of the two lists; a ghost list has the name of the one whose pages it remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// Used once (ghosts: B1).
    T1 = 0,
    /// Used again (ghosts: B2).
    T2 = 1,
}

impl List {
    /// Both, in order.
    pub const BOTH: [List; 2] = [List::T1, List::T2];

    /// The other one.
    pub fn other(self) -> List {
        if self == List::T1 { List::T2 } else { List::T1 }
    }
}

/// A place in a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Which ring.
    pub list: List,
    /// Index in it.
    pub index: u32,
}

/// What keeps a frame from being given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hindrance {
    /// Nothing.
    None,
    /// It has to be written first.
    Dirty,
    /// It is being written.
    Writing,
    /// Somebody uses it.
    Pinned,
}

/// The frames, as the lists see them.
pub trait Frames {
    /// Used since the bit was cleared.
    fn referenced(&self, frame: u32) -> bool;
    /// Clears that bit.
    fn clear_reference(&self, frame: u32);
    /// What keeps the frame from being given up.
    fn hindrance(&self, frame: u32) -> Hindrance;
    /// The key of the page in it.
    fn key(&self, frame: u32) -> u64;
    /// The slot it was given last.
    fn slot(&self, frame: u32) -> Option<Slot>;
    /// It is in this slot now, or in none.
    fn set_slot(&self, frame: u32, slot: Option<Slot>);
}

/// A search for one victim, over several calls.
#[derive(Default, Debug)]
pub struct Sweep {
    /// Frames looked at.
    pub steps: usize,
    /// Referenced ones among them.
    pub spared: usize,
    /// Most dirty frames passed over on a list.
    pub dirty: usize,
    /// Pinned frames met on each list. The caller sets them to zero before it tries a list again.
    pub pinned: [usize; 2],
    exhausted: [bool; 2],
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Out of the lists now, its key among the ghosts.
    Victim(u32, List),
    /// Nothing clean is near the hands: this one is to be written.
    Dirty(u32),
    /// All that could be given up is pinned or being written at this moment.
    InUse,
    /// Nothing yet: call again.
    Again,
    /// The lists are empty.
    Empty,
}

struct Ring {
    slots: Box<[u32]>,
    head: usize,
    len: usize,
    /// Frames that the hand has left behind: the sequence number of the head.
    passed: u64,
}

impl Ring {
    fn new(capacity: usize) -> Ring {
        Ring { slots: vec![0; capacity].into(), head: 0, len: 0, passed: 0 }
    }

    fn index(&self, offset: usize) -> usize {
        debug_assert!(offset < self.slots.len());
        let i = self.head + offset;
        if i >= self.slots.len() { i - self.slots.len() } else { i }
    }
}

/// The lists.
pub struct Car {
    rings: [Ring; 2],
    ghosts: Ghosts,
    target: usize,
    window: usize,
}

impl Car {
    /// Empty lists over `capacity` frames.
    pub fn new(capacity: usize) -> Car {
        assert!(capacity > 0 && capacity < 1 << 30, "frame numbers and slots have 30 bits");
        Car {
            rings: [Ring::new(capacity), Ring::new(capacity)],
            ghosts: Ghosts::new(capacity + 1),
            target: 0,
            window: DIRTY_WINDOW.min(capacity / 4).max(1),
        }
    }

    /// Frames in a list.
    pub fn len(&self, list: List) -> usize {
        self.rings[list as usize].len
    }

    /// Keys remembered of a list.
    pub fn ghosts(&self, list: List) -> usize {
        self.ghosts.len(list)
    }

    /// T1's target size.
    pub fn target(&self) -> usize {
        self.target
    }

    /// Frames that a list's hand has left behind since the beginning: the sequence number of its head. The frame at `offset` from the head has
    /// number `passed + offset`, and keeps it while it waits (except that a frame taken from behind it moves it by one).
    pub fn passed(&self, list: List) -> u64 {
        self.rings[list as usize].passed
    }

    /// The frame at a distance from a list's head.
    pub fn at(&self, list: List, offset: usize) -> u32 {
        let ring = &self.rings[list as usize];
        assert!(offset < ring.len);
        ring.slots[ring.index(offset)]
    }

    /// The slots at these distances from a list's head: one range or, around the ring's end, two.
    pub fn slots(&self, list: List, offsets: Range<usize>) -> [Range<usize>; 2] {
        let ring = &self.rings[list as usize];
        let (from, to, n) = (ring.head + offsets.start, ring.head + offsets.end, ring.slots.len());
        if offsets.is_empty() {
            [0..0, 0..0]
        } else if to <= n {
            [from..to, 0..0]
        } else if from >= n {
            [from - n..to - n, 0..0]
        } else {
            [from..n, 0..to - n]
        }
    }

    /// Distance of a slot from its list's head.
    pub fn offset(&self, list: List, slot: usize) -> usize {
        let ring = &self.rings[list as usize];
        if slot >= ring.head { slot - ring.head } else { slot + ring.slots.len() - ring.head }
    }

    /// A page that missed comes in: adapts the target, and says which list it joined. The frame is in no list before.
    pub fn insert<F: Frames + ?Sized>(&mut self, frames: &F, frame: u32, key: u64) -> List {
        let c = self.rings[0].slots.len();
        let (b1, b2) = (self.ghosts.len(List::T1), self.ghosts.len(List::T2));
        let list = match self.ghosts.find(key) {
            None => {
                let (t1, t2) = (self.len(List::T1), self.len(List::T2));
                if t1 + b1 >= c && b1 > 0 {
                    self.ghosts.drop_oldest(List::T1);
                } else if t1 + t2 + b1 + b2 >= 2 * c {
                    self.ghosts.drop_oldest(List::T2);
                }
                List::T1
            }
            Some(List::T1) => {
                self.target = (self.target + (b2 / b1).max(1)).min(c);
                List::T2
            }
            Some(List::T2) => {
                self.target = self.target.saturating_sub((b1 / b2).max(1));
                List::T2
            }
        };
        self.ghosts.remove(key);
        self.push(frames, list, frame);
        list
    }

    /// Searches for a frame to give up and takes it out. Bounded: looks at `SWEEP_CHUNK` frames.
    pub fn victim<F: Frames + ?Sized>(&mut self, frames: &F, sweep: &mut Sweep) -> Found {
        // At the head of each list: dirty ones passed over, and the first of them that nobody writes.
        let mut passed = [0; 2];
        let mut to_write = [None; 2];
        for _ in 0..SWEEP_CHUNK {
            let Some(mut list) = self.turn() else { return Found::Empty };
            for (l, passed) in List::BOTH.into_iter().zip(passed) {
                sweep.dirty = sweep.dirty.max(passed);
                let (len, l) = (self.len(l), l as usize);
                sweep.exhausted[l] = passed >= len.min(self.window) || passed + sweep.pinned[l] >= len;
            }
            if sweep.exhausted[list as usize] {
                if let Some(frame) = to_write[list as usize] {
                    return match self.clean_near_head(frames, list.other()) {
                        Some(offset) => self.demote(frames, list.other(), offset),
                        None => Found::Dirty(frame),
                    };
                }
                list = list.other();
                if sweep.exhausted[list as usize] {
                    if let Some(frame) = to_write[list as usize] {
                        return Found::Dirty(frame);
                    }
                    // All near the hands is being written, as by a round's batch: the search goes on behind it.
                    let more = |l: &List| passed[*l as usize] + sweep.pinned[*l as usize] < self.len(*l);
                    let Some(list) = List::BOTH.into_iter().filter(|l| passed[*l as usize] > 0).find(more)
                    else {
                        return Found::InUse;
                    };
                    sweep.steps += 1;
                    sweep.pinned[list as usize] += 1;
                    passed[list as usize] -= 1;
                    let frame = self.take(frames, list, 0);
                    self.push(frames, list, frame);
                    continue;
                }
            }
            let l = list as usize;
            sweep.steps += 1;
            let frame = self.at(list, passed[l]);
            let hindrance = frames.hindrance(frame);
            let tired = sweep.spared >= SWEEP_MAX && hindrance == Hindrance::None;
            if frames.referenced(frame) && !tired {
                frames.clear_reference(frame);
                sweep.spared += 1;
                self.take(frames, list, passed[l]);
                self.push(frames, List::T2, frame);
                continue;
            }
            match hindrance {
                Hindrance::None => return self.demote(frames, list, passed[l]),
                Hindrance::Pinned => {
                    sweep.pinned[l] += 1;
                    self.take(frames, list, passed[l]);
                    self.push(frames, list, frame);
                }
                Hindrance::Dirty => {
                    to_write[l].get_or_insert(frame);
                    passed[l] += 1;
                }
                Hindrance::Writing => passed[l] += 1,
            }
        }
        Found::Again
    }

    /// A victim that could not be given up after all goes back, as if just used.
    pub fn give_back<F: Frames + ?Sized>(&mut self, frames: &F, list: List, frame: u32) {
        self.ghosts.remove(frames.key(frame));
        self.push(frames, list, frame);
    }

    /// A frame leaves its list from wherever it is: the one at the head takes its place there.
    pub fn remove<F: Frames + ?Sized>(&mut self, frames: &F, frame: u32) {
        let Some(Slot { list, index }) = frames.slot(frame) else { return };
        let offset = self.offset(list, index as usize);
        assert_eq!(self.at(list, offset), frame, "car invariant 1");
        let head = self.at(list, 0);
        self.take(frames, list, 0);
        if offset > 0 {
            frames.set_slot(frame, None);
            self.place(frames, list, index as usize, head);
        }
    }

    /// The list whose turn it is to give up a frame.
    fn turn(&self) -> Option<List> {
        match (self.len(List::T1), self.len(List::T2)) {
            (0, 0) => None,
            (0, _) => Some(List::T2),
            (_, 0) => Some(List::T1),
            (t1, _) => Some(if t1 >= self.target.max(1) { List::T1 } else { List::T2 }),
        }
    }

    /// Distance of the first frame near a list's head that may go without being written.
    fn clean_near_head<F: Frames + ?Sized>(&self, frames: &F, list: List) -> Option<usize> {
        (0..self.len(list).min(self.window)).find(|offset| {
            let frame = self.at(list, *offset);
            !frames.referenced(frame) && frames.hindrance(frame) == Hindrance::None
        })
    }

    fn demote<F: Frames + ?Sized>(&mut self, frames: &F, list: List, offset: usize) -> Found {
        let frame = self.take(frames, list, offset);
        self.ghosts.push(list, frames.key(frame));
        Found::Victim(frame, list)
    }

    /// Takes out the frame at a (small) distance from the head; those before it move up by one.
    fn take<F: Frames + ?Sized>(&mut self, frames: &F, list: List, offset: usize) -> u32 {
        let frame = self.at(list, offset);
        frames.set_slot(frame, None);
        for o in (0..offset).rev() {
            let (mover, to) = (self.at(list, o), self.rings[list as usize].index(o + 1));
            self.place(frames, list, to, mover);
        }
        let ring = &mut self.rings[list as usize];
        ring.head = ring.index(1 % ring.slots.len());
        ring.len -= 1;
        ring.passed += 1;
        frame
    }

    fn push<F: Frames + ?Sized>(&mut self, frames: &F, list: List, frame: u32) {
        debug_assert_eq!(frames.slot(frame), None, "car invariant 1");
        let ring = &mut self.rings[list as usize];
        assert!(ring.len < ring.slots.len(), "car invariant 2");
        ring.len += 1;
        let index = ring.index(ring.len - 1);
        self.place(frames, list, index, frame);
    }

    fn place<F: Frames + ?Sized>(&mut self, frames: &F, list: List, index: usize, frame: u32) {
        self.rings[list as usize].slots[index] = frame;
        frames.set_slot(frame, Some(Slot { list, index: index as u32 }));
    }

    #[cfg(test)]
    pub(super) fn ghost_keys(&self, list: List) -> Vec<u64> {
        self.ghosts.keys(list)
    }
}
