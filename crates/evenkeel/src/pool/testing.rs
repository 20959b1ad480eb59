//! A pool's bookkeeping without its memory, for benches and tests: frames, lists and dirty maps of any size.
//!
//! Must not know: files, the log.

use super::cleaner::{CleanerOptions, State};
use super::frame::{FREE, Frame, OWNED, VALID};
use super::order::Order;
use crate::base::PageId;
use std::sync::atomic::Ordering::Relaxed;

pub use super::car::{Car, Found, Frames, Hindrance, List, Slot, Sweep};

/// The bookkeeping.
pub struct Metadata {
    frames: Vec<Frame>,
    order: Order,
    state: State,
    taken: u64,
    dirty: usize,
}

impl Metadata {
    /// All of `frames` frames unused.
    pub fn new(frames: usize) -> Metadata {
        Metadata {
            frames: (0..frames).map(|_| Frame::default()).collect(),
            order: Order::new(frames),
            state: State::default(),
            taken: 0,
            dirty: 0,
        }
    }

    /// A page comes in, in place of another one if need be, which is taken as written. Gives its frame.
    pub fn come_in(&mut self, id: PageId) -> u32 {
        self.taken += 1;
        let mut sweep = Sweep::default();
        let frame = loop {
            match self.order.take(&self.frames, &mut sweep) {
                Ok(frame) => break frame,
                Err(Found::Victim(frame, _)) => break frame,
                Err(Found::Dirty(frame)) => self.clean(frame),
                Err(_) => {}
            }
        };
        let f = &self.frames[frame as usize];
        debug_assert!(matches!(f.state.load(Relaxed), FREE | OWNED | VALID));
        f.set_id(id);
        f.referenced.store(false, Relaxed);
        f.state.store(VALID, Relaxed);
        self.order.insert(&self.frames, frame);
        frame
    }

    /// The page in a frame is used again.
    pub fn touch(&self, frame: u32) {
        self.frames[frame as usize].referenced.store(true, Relaxed);
    }

    /// Pages that are dirty.
    pub fn dirty(&self) -> usize {
        self.dirty
    }

    /// The page in a frame is changed; false if it was dirty already.
    pub fn change(&mut self, frame: u32) -> bool {
        let f = &self.frames[frame as usize];
        let was = f.dirty.swap(true, Relaxed);
        if !was {
            self.dirty += 1;
            self.order.note_dirty(&self.frames, frame);
        }
        !was
    }

    /// The page in a frame is written.
    pub fn clean(&mut self, frame: u32) {
        let f = &self.frames[frame as usize];
        if f.dirty.swap(false, Relaxed) {
            self.dirty -= 1;
            self.order.note_dirty(&self.frames, frame);
        }
    }

    /// What the cleaner's step would write, in order, and how many frames it looks at for that. Nothing is written.
    pub fn choose(&mut self, options: CleanerOptions) -> (Vec<u32>, usize) {
        let s = self.state.choose(&self.order, &self.frames, options, self.taken, self.dirty);
        (s.chosen, s.scanned)
    }

    /// Frames in a list, those next to be given up first.
    pub fn list(&self, list: List) -> Vec<u32> {
        let lists = self.order.lock();
        (0..lists.car.len(list)).map(|o| lists.car.at(list, o)).collect()
    }
}
