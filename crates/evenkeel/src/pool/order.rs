//! The order in which frames are given up, shared by all threads: the lists under their mutex, the unused frames, the dirty maps in list order, and
//! the age below which another touch is the same use.
//!
//! Invariants
//! 1. A frame that is `FREE` is among the unused ones, or in a list or claimed, and then whoever freed or claimed it will hand it over
//!    (`release`, `give_back`).
//! 2. The mutex is held for a bounded number of steps, and nothing is waited for under it: no latch, no table shard, no I/O.
//! 3. The dirty maps are hints: each bit of a frame that is dirty and waits in a list is set, except for an instant; a bit may stay set
//!    behind a frame that is clean or has moved. What must be complete, for checkpoints, is the dirty maps by partition.
//!
//! Must not know: page bytes, files, the log.

use super::car::{Car, Found, Frames, Hindrance, List, Slot, Sweep};
use super::dirty_bits::DirtyBits;
use super::frame::{FREE, Frame, OWNED};
use crate::base::sync::Ordering::{self, AcqRel, Acquire, Relaxed, SeqCst};
use crate::base::sync::{AtomicU32, Mutex, MutexGuard};

/// Longest correlation window, in pages that came in.
const WINDOW_MAX: usize = 128;
/// The window's share of T1.
const WINDOW_SHARE: usize = 4;
/// Unused frames looked at for one that nobody pins any more.
const UNUSED_TRIES: usize = 8;

/// Place of a frame in no list.
const OUT: u32 = u32::MAX;
/// Place of a frame among the unused ones.
const UNUSED: u32 = u32::MAX - 1;
const T2_BIT: u32 = 1 << 30;

fn unpack(place: u32) -> Option<Slot> {
    (place < 2 * T2_BIT).then_some(Slot {
        list: if place & T2_BIT == 0 { List::T1 } else { List::T2 },
        index: place & (T2_BIT - 1),
    })
}

fn pack(slot: Option<Slot>) -> u32 {
    slot.map_or(OUT, |s| s.index | if s.list == List::T2 { T2_BIT } else { 0 })
}

/// What is under the mutex.
pub(super) struct Lists {
    pub(super) car: Car,
    /// Frames that were used and are not any more.
    freed: Vec<u32>,
    /// Frames from here on were never used.
    unused_from: u32,
}

/// The order.
pub(super) struct Order {
    lists: Mutex<Lists>,
    dirty: [DirtyBits; 2],
    /// Pages that came in, modulo 2^32.
    came_in: AtomicU32,
    /// Touches of a page within so many arrivals after its own are one use with it.
    window: AtomicU32,
    // By frame, and not in `Frame`: two frames' states fill a cache line, and a hit reads no more than that.
    /// Its slot in the lists, packed.
    places: Box<[AtomicU32]>,
    /// When its page came in, in pages that came in.
    arrivals: Box<[AtomicU32]>,
}

/// The frames as the lists see them.
pub(super) struct View<'a> {
    pub(super) frames: &'a [Frame],
    pub(super) order: &'a Order,
}

impl View<'_> {
    fn frame(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize]
    }
}

impl Frames for View<'_> {
    fn referenced(&self, frame: u32) -> bool {
        self.frame(frame).referenced.load(Relaxed)
    }

    fn clear_reference(&self, frame: u32) {
        self.frame(frame).referenced.store(false, Relaxed);
    }

    fn hindrance(&self, frame: u32) -> Hindrance {
        let f = self.frame(frame);
        // A write-back pins as well.
        if f.writing.load(Acquire) {
            Hindrance::Writing
        } else if f.pins.load(Acquire) != 0 {
            Hindrance::Pinned
        } else if f.dirty.load(Acquire) {
            Hindrance::Dirty
        } else {
            Hindrance::None
        }
    }

    fn key(&self, frame: u32) -> u64 {
        self.frame(frame).id().hash()
    }

    fn slot(&self, frame: u32) -> Option<Slot> {
        unpack(self.order.place(frame).load(Relaxed))
    }

    fn set_slot(&self, frame: u32, slot: Option<Slot>) {
        let f = self.frame(frame);
        if let Some(old) = unpack(self.order.place(frame).swap(pack(slot), SeqCst)) {
            self.order.dirty[old.list as usize].clear(old.index as usize);
        }
        // Whoever marks the frame dirty meanwhile sees the new place, or is seen here.
        if let Some(new) = slot {
            self.order.sync_bit(f, new);
        }
    }
}

impl Order {
    /// All of `frames` frames unused.
    pub(super) fn new(frames: usize) -> Order {
        Order {
            lists: Mutex::new(Lists { car: Car::new(frames), freed: Vec::new(), unused_from: 0 }),
            dirty: [DirtyBits::new(frames), DirtyBits::new(frames)],
            came_in: AtomicU32::new(0),
            window: AtomicU32::new(0),
            places: (0..frames).map(|_| AtomicU32::new(OUT)).collect(),
            arrivals: (0..frames).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock()
    }

    pub(super) fn dirty(&self, list: List) -> &DirtyBits {
        &self.dirty[list as usize]
    }

    /// Whether a touch counts as another use of the page: touches soon after it came in belong to the use for which it came (a scan that
    /// takes a leaf in several bites, a row that is read and then updated).
    pub(super) fn is_another_use(&self, frame: u32) -> bool {
        let age = self.came_in.load(Relaxed).wrapping_sub(self.arrivals[frame as usize].load(Relaxed));
        age >= self.window.load(Relaxed)
    }

    /// The frame's dirty flag has changed.
    pub(super) fn note_dirty(&self, frames: &[Frame], frame: u32) {
        let f = &frames[frame as usize];
        loop {
            let place = self.place(frame).load(SeqCst);
            if let Some(slot) = unpack(place) {
                self.sync_bit(f, slot);
            }
            // Else it has moved; the bit may have come too late for its new place, and stays behind at the old one (invariant 3).
            if self.place(frame).load(SeqCst) == place {
                return;
            }
        }
    }

    fn sync_bit(&self, f: &Frame, slot: Slot) {
        let bits = &self.dirty[slot.list as usize];
        if !f.dirty.load(SeqCst) {
            bits.clear(slot.index as usize);
            if !f.dirty.load(SeqCst) {
                return;
            }
        }
        bits.set(slot.index as usize);
    }

    /// An unused frame, now `OWNED`, or else what a search for a victim found. Bounded.
    pub(super) fn take(&self, frames: &[Frame], sweep: &mut Sweep) -> Result<u32, Found> {
        let mut lists = self.lock();
        match self.take_unused(&mut lists, frames) {
            Some(frame) => Ok(frame),
            None => Err(lists.car.victim(&View { frames, order: self }, sweep)),
        }
    }

    fn take_unused(&self, lists: &mut Lists, frames: &[Frame]) -> Option<u32> {
        let at = (0..lists.freed.len())
            .rev()
            .take(UNUSED_TRIES)
            // Who waited for a load that failed, or came just before a page was dropped, still holds a pin for an instant.
            .find(|i| frames[lists.freed[*i] as usize].pins.load(Acquire) == 0);
        let frame = match at {
            Some(i) => lists.freed.swap_remove(i),
            None if (lists.unused_from as usize) < self.places.len() => {
                lists.unused_from += 1;
                lists.unused_from - 1
            }
            None => return None,
        };
        let f = &frames[frame as usize];
        self.place(frame).store(OUT, SeqCst);
        let taken = f.state.compare_exchange(FREE, OWNED, AcqRel, Relaxed);
        assert!(taken.is_ok(), "order invariant 1: an unused frame is free");
        Some(frame)
    }

    /// Unused frames.
    pub(super) fn unused(&self) -> usize {
        let lists = self.lock();
        lists.freed.len() + self.places.len() - lists.unused_from as usize
    }

    /// A page is about to come in (`insert` follows): until then, touches by others are the same use.
    pub(super) fn arrives(&self, frame: u32) {
        self.arrivals[frame as usize].store(self.came_in.load(Relaxed), Relaxed);
    }

    /// A frame with a page that came in joins the lists.
    pub(super) fn insert(&self, frames: &[Frame], frame: u32) {
        let (view, f) = (View { frames, order: self }, &frames[frame as usize]);
        let mut lists = self.lock();
        let t1 = lists.car.len(List::T1);
        lists.car.insert(&view, frame, f.id().hash());
        let now = self.came_in.load(Relaxed).wrapping_add(1);
        self.came_in.store(now, Relaxed);
        self.window.store((t1 / WINDOW_SHARE).min(WINDOW_MAX) as u32, Relaxed);
        self.arrivals[frame as usize].store(now, Relaxed);
    }

    /// A victim could not be given up: somebody uses it again, or it has been dropped.
    pub(super) fn give_back(&self, frames: &[Frame], list: List, frame: u32) {
        let (view, f) = (View { frames, order: self }, &frames[frame as usize]);
        let mut lists = self.lock();
        if f.state.load(Acquire) == FREE {
            self.add_unused(&mut lists, frame);
        } else {
            lists.car.give_back(&view, list, frame);
        }
    }

    /// A frame has become `FREE`: it joins the unused ones, unless somebody has claimed it, who will see to that.
    pub(super) fn release(&self, frames: &[Frame], frame: u32) {
        let (view, f) = (View { frames, order: self }, &frames[frame as usize]);
        let mut lists = self.lock();
        // It may have been taken and used again since.
        if f.state.load(Acquire) == FREE && unpack(self.place(frame).load(Relaxed)).is_some() {
            lists.car.remove(&view, frame);
            self.add_unused(&mut lists, frame);
        }
    }

    /// An owned frame that never came to hold a page is unused again.
    pub(super) fn put_unused(&self, frames: &[Frame], frame: u32) {
        let f = &frames[frame as usize];
        let mut lists = self.lock();
        f.state.store(FREE, Ordering::Release);
        self.add_unused(&mut lists, frame);
    }

    fn add_unused(&self, lists: &mut Lists, frame: u32) {
        let was = self.place(frame).swap(UNUSED, SeqCst);
        debug_assert_eq!(was, OUT, "order invariant 1");
        lists.freed.push(frame);
    }

    fn place(&self, frame: u32) -> &AtomicU32 {
        &self.places[frame as usize]
    }
}
