//! The background writer's step: chooses dirty pages by policy (S7 to S12) and writes them home, so that whoever needs a frame finds a clean one.
//!
//! The default follows the order in which frames will be given up, a lead ahead of both hands; the lead follows the speed of the hands. Dirty frames
//! are found in maps that lie in that order, so a step costs by the dirty frames in its lead.
//!
//! Invariants
//! 1. The lists' mutex is held for `CHUNK` frames at a time, never while a page is written.
//! 2. Choosing is a hint: a page is written only if it is still dirty then and nobody else writes it (`write_back`), and one that is in use
//!    is left alone.
//!
//! Must not know: settings, threads, rounds.

use super::car::List;
use super::frame::Frame;
use super::order::{Lists, Order};
use super::{Pool, WriteReason};
use crate::base::sync::counter::AtomicU64 as Counter;
use crate::base::sync::{AtomicBool, Condvar, Instant, Mutex, MutexGuard, Ordering};
use crate::base::{PageId, Result};
use std::time::Duration;

/// Frames looked at under one hold of the lists' mutex.
const CHUNK: usize = 64;
/// Pages that share a write to the double-write file: fewer than a search for a victim passes over while they are being written.
const SHARE_PAGES: usize = super::car::DIRTY_WINDOW / 4;
/// The lead over a hand, in steps' worth of its way.
const LEAD_STEPS: usize = 4;
/// The same for the short steps of `TwoSpeed`.
const SHORT_LEAD_STEPS: usize = 2;
/// A hand's way in a step is smoothed downwards only, by this share a step: fast to follow a burst, slow to forget it.
const DECAY: usize = 16;
/// The lead of a hand that rests, as a share of the pool and within bounds: for the beginning of a burst.
const REST_SHARE: usize = 32;
const REST_MIN: usize = 64;
const REST_MAX: usize = 1024;
/// Steps from one mini-checkpoint of `TwoSpeed` to the next.
const MINI_STEPS: u64 = 50;

/// Which dirty pages a step takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CleanerPolicy {
    /// The next dirty ones ahead of both hands (S10).
    DirtyChain,
    /// A percentage of all dirty ones, found by looking at every frame (S7).
    FullScan,
    /// Those among a percentage of the pool from the hands on (S8).
    LruPercent,
    /// From the hands on, as many as may be written (S9).
    LruPages,
    /// As `DirtyChain`, in T2 alone (S11).
    T2Only,
    /// As `DirtyChain` with a short lead, and now and then a percentage of all dirty ones, towards the ends (S12).
    TwoSpeed,
}

impl CleanerPolicy {
    /// All of them, in the order of `NAMES`.
    pub const ALL: [CleanerPolicy; 6] =
        [Self::DirtyChain, Self::FullScan, Self::LruPercent, Self::LruPages, Self::T2Only, Self::TwoSpeed];
    /// Their names as a setting.
    pub const NAMES: [&'static str; 6] =
        ["dirty_chain", "full_scan", "lru_percent", "lru_pages", "t2_only", "two_speed"];

    /// Whether it keeps a lead over the hands, and so has use for being called early.
    pub fn follows_the_hands(self) -> bool {
        matches!(self, Self::DirtyChain | Self::T2Only | Self::TwoSpeed)
    }
}

/// How a step is to go.
#[derive(Clone, Copy, Debug)]
pub struct CleanerOptions {
    /// Which pages.
    pub policy: CleanerPolicy,
    /// How many, at most.
    pub max_pages: usize,
    /// Percentage, for the policies that have one.
    pub percent: usize,
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CleanerStep {
    /// Pages written.
    pub written: usize,
    /// Frames looked at.
    pub scanned: usize,
    /// There was more to write than `max_pages`.
    pub at_limit: bool,
}

/// A way through both lists: the sequence number (`Car::passed`) that is next in each.
type Cursor = [u64; 2];

/// What the cleaner remembers between steps.
#[derive(Default)]
pub(super) struct State {
    passed: Cursor,
    taken: u64,
    /// Way of each hand in a step, and frames taken in one; smoothed.
    ways: [usize; 2],
    takes: usize,
    steps: u64,
    mini: Option<Mini>,
}

/// A mini-checkpoint on its way.
struct Mini {
    at: Cursor,
    left: usize,
}

fn smooth(old: usize, now: usize) -> usize {
    if now >= old { now } else { old - (old - now).div_ceil(DECAY) }
}

/// The frames chosen in a step.
pub(super) struct Search<'a> {
    order: &'a Order,
    frames: &'a [Frame],
    max: usize,
    /// In the order in which they are to be written.
    pub(super) chosen: Vec<u32>,
    pub(super) scanned: usize,
    pub(super) at_limit: bool,
}

impl State {
    /// Chooses frames. `taken` frames were handed out since the beginning; `dirty` are dirty.
    pub(super) fn choose<'a>(
        &mut self,
        order: &'a Order,
        frames: &'a [Frame],
        options: CleanerOptions,
        taken: u64,
        dirty: usize,
    ) -> Search<'a> {
        let max = options.max_pages;
        let mut s = Search { order, frames, max, chosen: Vec::new(), scanned: 0, at_limit: false };
        let reach = self.reach(order, frames.len(), taken, options.policy);
        self.steps += 1;
        // (The older policies look even when there is nothing to find: that is what they cost.)
        if max == 0 || (dirty == 0 && options.policy.follows_the_hands()) {
            self.mini = None;
            return s;
        }
        let share = |of: usize| (of * options.percent).div_ceil(100);
        match options.policy {
            CleanerPolicy::DirtyChain => _ = s.chain([0; 2], reach, false),
            CleanerPolicy::T2Only => _ = s.chain([0; 2], [0, reach[1]], false),
            CleanerPolicy::FullScan => {
                s.max = usize::MAX;
                s.walk(usize::MAX);
                let wanted = share(s.chosen.len());
                s.at_limit = wanted > max;
                s.chosen.truncate(wanted.min(max));
            }
            CleanerPolicy::LruPercent => s.walk(share(frames.len())),
            CleanerPolicy::LruPages => s.walk(usize::MAX),
            CleanerPolicy::TwoSpeed => {
                s.chain([0; 2], reach, false);
                if self.mini.is_none() && self.steps.is_multiple_of(MINI_STEPS) {
                    self.mini = Some(Mini { at: [0; 2], left: share(dirty) });
                }
                if let Some(mini) = &mut self.mini {
                    let before = s.chosen.len();
                    s.max = max.min(before + mini.left);
                    mini.at = s.chain(mini.at, [usize::MAX; 2], true);
                    mini.left -= s.chosen.len() - before;
                    if mini.left == 0 || s.chosen.len() < s.max {
                        self.mini = None;
                    }
                }
            }
        }
        s
    }

    /// How far ahead of each hand to clean.
    fn reach(&mut self, order: &Order, frames: usize, taken: u64, policy: CleanerPolicy) -> [usize; 2] {
        let passed = List::BOTH.map({
            let lists = order.lock();
            move |l| lists.car.passed(l)
        });
        self.ways = std::array::from_fn(|l| smooth(self.ways[l], (passed[l] - self.passed[l]) as usize));
        self.takes = smooth(self.takes, (taken - self.taken) as usize);
        (self.passed, self.taken) = (passed, taken);
        let steps = if policy == CleanerPolicy::TwoSpeed { SHORT_LEAD_STEPS } else { LEAD_STEPS };
        // Unused frames come first: while they last for longer than the lead, nothing is given up.
        let rest = (frames / REST_SHARE).clamp(REST_MIN.min(frames / 4), REST_MAX);
        if order.unused() > rest.max(steps * self.takes) {
            return [0; 2];
        }
        // A hand that rests may be the one whose turn comes.
        self.ways.map(|way| rest.max(steps * way).max(self.takes))
    }
}

impl Search<'_> {
    /// Takes dirty frames from `from` on, up to `reach` frames ahead of each hand, nearest first. `hot`: referenced ones too, which the hands would
    /// spare. Gives where it stopped.
    fn chain(&mut self, from: Cursor, reach: [usize; 2], hot: bool) -> Cursor {
        let mut at = from;
        let mut end = None;
        loop {
            let lists = self.order.lock();
            let end = end.get_or_insert_with(|| {
                List::BOTH.map(|l| lists.car.passed(l) + lists.car.len(l).min(reach[l as usize]) as u64)
            });
            let mut next = List::BOTH.map(|l| self.next_dirty(&lists, l, &mut at, end));
            for _ in 0..CHUNK {
                // In shares of the lead: the lists' hands move at different speeds.
                let list = match next {
                    [None, None] => return at,
                    [Some(_), None] => List::T1,
                    [None, Some(_)] => List::T2,
                    [Some(a), Some(b)] if a as u128 * reach[1] as u128 <= b as u128 * reach[0] as u128 => {
                        List::T1
                    }
                    _ => List::T2,
                };
                let l = list as usize;
                let offset = next[l].expect("chosen among those that are there");
                self.scanned += 1;
                if !self.consider(lists.car.at(list, offset), hot) {
                    return at;
                }
                at[l] = lists.car.passed(list) + offset as u64 + 1;
                next[l] = self.next_dirty(&lists, list, &mut at, end);
            }
            MutexGuard::unlock_fair(lists);
        }
    }

    /// Distance from the hand of the next frame, at or after the cursor and before `end`, whose dirty bit is set.
    fn next_dirty(&self, lists: &Lists, list: List, at: &mut Cursor, end: &Cursor) -> Option<usize> {
        let (l, passed) = (list as usize, lists.car.passed(list));
        at[l] = at[l].max(passed); // the hand may have overtaken it
        let (from, to) = ((at[l] - passed) as usize, end[l].saturating_sub(passed) as usize);
        let to = to.min(lists.car.len(list));
        if from >= to {
            return None;
        }
        let bits = self.order.dirty(list);
        let slot = lists.car.slots(list, from..to).into_iter().find_map(|range| bits.next_in(range));
        slot.map(|s| lists.car.offset(list, s))
    }

    /// Looks at up to `limit` frames from the hands on, both lists alike, and takes what is dirty.
    fn walk(&mut self, limit: usize) {
        let mut at = [0; 2];
        let mut end: Option<Cursor> = None;
        loop {
            let lists = self.order.lock();
            let end =
                end.get_or_insert_with(|| List::BOTH.map(|l| lists.car.passed(l) + lists.car.len(l) as u64));
            for _ in 0..CHUNK / 2 {
                let mut any = false;
                for list in List::BOTH {
                    let (l, passed) = (list as usize, lists.car.passed(list));
                    at[l] = at[l].max(passed);
                    let offset = (at[l] - passed) as usize;
                    if at[l] >= end[l] || offset >= lists.car.len(list) {
                        continue;
                    }
                    if self.scanned >= limit {
                        return;
                    }
                    any = true;
                    at[l] += 1;
                    self.scanned += 1;
                    if !self.consider(lists.car.at(list, offset), true) {
                        return;
                    }
                }
                if !any {
                    return;
                }
            }
            MutexGuard::unlock_fair(lists);
        }
    }

    /// Takes a frame if it is to be written; false if that would be one too many.
    fn consider(&mut self, frame: u32, hot: bool) -> bool {
        let f = &self.frames[frame as usize];
        let due = f.dirty.load(Ordering::Relaxed)
            && (hot || !f.referenced.load(Ordering::Relaxed))
            && f.pins.load(Ordering::Relaxed) == 0
            && !f.writing.load(Ordering::Relaxed);
        if due && self.chosen.len() == self.max {
            self.at_limit = true;
            return false;
        }
        if due {
            self.chosen.push(frame);
        }
        true
    }
}

/// The cleaner of a pool.
#[derive(Default)]
pub(super) struct Cleaner {
    state: Mutex<State>,
    called: Mutex<bool>,
    call: Condvar,
    released: AtomicBool,
}

/// What the cleaner did since the pool was opened.
#[derive(Default, Debug)]
pub struct CleanerStats {
    /// Steps.
    pub steps: Counter,
    /// Frames looked at.
    pub scanned: Counter,
    /// Steps that stopped because they had written as many pages as they may.
    pub maxwritten: Counter,
    /// Time of all steps, writes included, microseconds.
    pub time_us: Counter,
    /// Calls by backends that found dirty frames near the hands.
    pub calls: Counter,
}

impl Pool {
    /// The cleaner's step. Blocks for the log and the disk. An error means that the engine is poisoned.
    ///
    /// Several may run at a time: they choose one after the other, and where they have chosen the same pages, each is written by whoever comes to
    /// it first, the others going on to the next.
    pub fn clean(&self, options: CleanerOptions) -> Result<CleanerStep> {
        let mut state = self.cleaner.state.lock();
        let start = Instant::now();
        let taken = self.stats.allocations.load(Ordering::Relaxed);
        let dirty = (0..self.partitions.get()).map(|p| self.dirty_frames(p)).sum::<u64>() as usize;
        let search = state.choose(&self.order, &self.frames, options, taken, dirty);
        drop(state);
        let pages: Vec<PageId> = search.chosen.iter().map(|f| self.frames[*f as usize].id()).collect();
        let written = self.write_chosen(&pages)?;
        let stats = &self.stats.cleaner;
        for (counter, n) in [
            (&stats.steps, 1),
            (&stats.scanned, search.scanned as u64),
            (&stats.maxwritten, u64::from(search.at_limit)),
            (&stats.time_us, start.elapsed().as_micros() as u64),
        ] {
            counter.fetch_add(n, Ordering::Relaxed);
        }
        Ok(CleanerStep { written, scanned: search.scanned, at_limit: search.at_limit })
    }

    /// Writes the chosen pages; gives how many of them still had to be. One by one, so that each is there for the taking as soon as it can be; but where a
    /// durable write to the side file comes first, several share it.
    fn write_chosen(&self, pages: &[PageId]) -> Result<usize> {
        let at_a_time = if self.batches_across_runs() { SHARE_PAGES } else { 1 };
        let mut written = 0;
        for chunk in pages.chunks(at_a_time) {
            let mut batch = chunk.to_vec();
            batch.sort_unstable();
            batch.dedup(); // a frame may hold another page by now
            written += self.write_batch(&batch, WriteReason::Cleaner)?;
        }
        Ok(written)
    }

    /// Ends a `wait_for_call`, or the next one at once.
    pub(super) fn call_cleaner(&self) {
        self.stats.cleaner.calls.fetch_add(1, Ordering::Relaxed);
        *self.cleaner.called.lock() = true;
        self.cleaner.call.notify_one();
    }

    /// Ends every `wait_for_call`, now and from now on.
    pub fn release_cleaners(&self) {
        let mut called = self.cleaner.called.lock();
        self.cleaner.released.store(true, Ordering::Relaxed);
        *called = true;
        self.cleaner.call.notify_all();
    }

    /// A cleaner's pause: until its delay is over, if it has one, or a backend calls; true for a call.
    pub fn wait_for_call(&self, delay: Option<Duration>) -> bool {
        let mut called = self.cleaner.called.lock();
        if !*called {
            match delay {
                Some(delay) => _ = self.cleaner.call.wait_for(&mut called, delay),
                None => self.cleaner.call.wait(&mut called),
            }
        }
        std::mem::replace(&mut called, self.cleaner.released.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_takes_is_followed_up_at_once_and_down_by_and_by() {
        assert_eq!((smooth(0, 90), smooth(90, 100)), (90, 100));
        let mut at = 1000;
        for step in 0..200 {
            let next = smooth(at, 10);
            assert!(next < at || at == 10, "step {step}: {at}, then {next}");
            at = next;
        }
        assert_eq!(at, 10);
        assert_eq!(smooth(1000, 10), 1000 - 62, "a sixteenth of the way, rounded up");
    }
}
