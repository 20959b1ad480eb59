//! The time of a disk with platters and one arm.
//!
//! A write is done when the drive's cache has it; a read when the arm has been there, unless the cache or what was read ahead has it. Between reads, or when a
//! flush waits or the cache is half full, the arm takes what the cache holds to the platters; of all places near it, always the one that it reaches first.
//!
//! Invariants
//! 1. The arm does one thing at a time.
//! 2. A flush is done when everything is on the platters that was in the cache when it began; those that arrive meanwhile share the next one.
//! 3. While a flush is under way, reads that came behind it wait: as of a SATA drive, whose flush is no queued command.
//! 4. No read waits more than [`PATIENCE_MS`] for nearer ones.
//!
//! It must not know of data.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::dirty::Dirty;
use super::kinds::Rotating;
use super::model::{Done, Nanos, Op, Request, ms, transfer, us};

/// Of a range that is written, the arm takes at most so much before it looks again.
const STROKE_BYTES: u64 = 1 << 20;
/// Then a read goes first.
const PATIENCE_MS: f64 = 2000.0;

/// Its time.
#[derive(Debug)]
pub struct Platters {
    numbers: Rotating,
    turn: Nanos,
    track_bytes: u64,
    tracks: u64,
    next_track: Nanos,
    /// Where the head stands, as of `free_at`.
    place: u64,
    free_at: Nanos,
    busy: Option<Busy>,
    reads: Vec<Waiting>,
    /// Writes for which the cache has no room.
    crowd: VecDeque<Request>,
    dirty: Dirty,
    /// What was written since the flush under way began.
    after: Dirty,
    flushing: Vec<u64>,
    flushing_next: Vec<u64>,
    ahead: Option<Ahead>,
    /// Done at a known time without the arm.
    bus: BinaryHeap<Reverse<(Nanos, u64)>>,
    /// Number of the next request, and of the flush under way.
    order: u64,
    flush_order: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    request: Request,
    since: Nanos,
    order: u64,
}

/// What the arm is at; `free_at` is its end.
#[derive(Clone, Copy, Debug)]
enum Busy {
    Reading(u64),
    Writing(u64),
}

/// What the drive read on by itself, from `from` on, since then; and no further than `until`.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    from: u64,
    since: Nanos,
    /// The end of what the host took of it: so far ahead of this it goes.
    taken: u64,
    until: Option<u64>,
}

impl Platters {
    pub(super) fn new(numbers: Rotating, size: u64) -> Platters {
        let turn_ms = 60_000.0 / f64::from(numbers.turns_per_minute);
        // A track and the way to the next take a turn and a bit: what is sustained counts both.
        let track = numbers.sustained_mb * 1e3 * (turn_ms + numbers.next_track_ms);
        let track_bytes = (track as u64).clamp(512, size.max(512));
        Platters {
            numbers,
            turn: ms(turn_ms),
            track_bytes,
            tracks: size.div_ceil(track_bytes).max(1),
            next_track: ms(numbers.next_track_ms),
            place: 0,
            free_at: 0,
            busy: None,
            reads: Vec::new(),
            crowd: VecDeque::new(),
            dirty: Dirty::default(),
            after: Dirty::default(),
            flushing: Vec::new(),
            flushing_next: Vec::new(),
            ahead: None,
            bus: BinaryHeap::new(),
            order: 0,
            flush_order: 0,
        }
    }

    pub(super) fn ask(&mut self, now: Nanos, request: Request) {
        self.order += 1;
        match request.op {
            Op::Read => {
                let end = request.at + request.len;
                if self.dirty.covers(request.at, end) || self.after.covers(request.at, end) {
                    self.by_bus(now, &request);
                } else if let Some(at) = self.read_ahead(now, &request) {
                    self.bus.push(Reverse((at, request.id)));
                } else {
                    self.reads.push(Waiting { request, since: now, order: self.order });
                }
            }
            Op::Write => {
                self.crowd.push_back(request);
                self.let_in(now);
            }
            Op::Flush if self.flushing.is_empty() => {
                self.flushing.push(request.id);
                self.flush_order = self.order;
            }
            Op::Flush => self.flushing_next.push(request.id),
        }
        self.settle(now);
        if self.busy.is_none() {
            self.begin(now);
        }
    }

    pub(super) fn advance(&mut self, now: Nanos, done: &mut Vec<Done>) {
        loop {
            let bus = self.bus.peek().map(|first| first.0.0);
            let arm = self.busy.map(|_| self.free_at);
            match (bus, arm) {
                (Some(at), arm) if at <= now && arm.is_none_or(|a| at <= a) => {
                    if let Some(Reverse((at, id))) = self.bus.pop() {
                        done.push(Done { id, at });
                    }
                }
                (_, Some(at)) if at <= now => self.end(at, done),
                _ => return,
            }
        }
    }

    pub(super) fn next(&self) -> Option<Nanos> {
        let bus = self.bus.peek().map(|first| first.0.0);
        let arm = self.busy.map(|_| self.free_at);
        [bus, arm].into_iter().flatten().min()
    }

    /// Done by the cache.
    fn by_bus(&mut self, now: Nanos, request: &Request) {
        let at = now + us(self.numbers.command_us) + transfer(request.len, self.numbers.bus_mb);
        self.bus.push(Reverse((at, request.id)));
    }

    /// Writes go into the cache in their order, as far as there is room.
    fn let_in(&mut self, now: Nanos) {
        while let Some(&request) = self.crowd.front() {
            let held = self.dirty.bytes() + self.after.bytes();
            if held > 0 && held + request.len > self.numbers.cache_bytes {
                return;
            }
            self.crowd.pop_front();
            let cache = if self.flushing.is_empty() { &mut self.dirty } else { &mut self.after };
            cache.add(request.at, request.at + request.len);
            if let Some(ahead) = self.ahead
                && request.at < ahead.taken + self.numbers.ahead_bytes
                && request.at + request.len > ahead.from
            {
                self.ahead = None; // it is old now
            }
            self.by_bus(now, &request);
        }
    }

    /// When what was read ahead has all of it, if it does or is about to.
    fn read_ahead(&mut self, now: Nanos, request: &Request) -> Option<Nanos> {
        let ahead = self.ahead?;
        let end = request.at + request.len;
        let last = ahead.until.unwrap_or(ahead.taken + self.numbers.ahead_bytes);
        if request.at < ahead.from || end > last {
            return None;
        }
        self.ahead = Some(Ahead { taken: ahead.taken.max(end), ..ahead });
        let there = ahead.since + self.passing(ahead.from, end - ahead.from);
        let by_bus = now + us(self.numbers.command_us) + transfer(request.len, self.numbers.bus_mb);
        Some(by_bus.max(there))
    }

    fn track(&self, place: u64) -> u64 {
        place / self.track_bytes
    }

    /// The head passes over so many bytes: turns, and a step for each new track.
    fn passing(&self, at: u64, len: u64) -> Nanos {
        let steps = self.track(at + len) - self.track(at);
        let turning = len as f64 / self.track_bytes as f64 * self.turn as f64;
        turning as Nanos + steps * self.next_track
    }

    /// The arm's way, without waiting for the platter.
    fn seek(&self, from: u64, to: u64) -> Nanos {
        let distance = self.track(from).abs_diff(self.track(to));
        if distance == 0 {
            return 0;
        }
        let share = (distance as f64 / self.tracks as f64).min(1.0);
        ms(self.numbers.next_track_ms
            + (self.numbers.full_stroke_ms - self.numbers.next_track_ms) * share.sqrt())
    }

    /// Until the head is where `to` begins, when it starts at `now`.
    fn reach(&self, now: Nanos, to: u64) -> Nanos {
        if to == self.place && now == self.free_at {
            return 0; // it just came by
        }
        let there = now + self.seek(self.place, to);
        let on_track = (to % self.track_bytes) as f64 / self.track_bytes as f64 * self.turn as f64;
        // Tracks begin later by as much as the step to them takes: whoever reads on loses no turn.
        let begins = on_track as Nanos + self.track(to) * self.next_track;
        let wait = (begins % self.turn + self.turn - there % self.turn) % self.turn;
        there - now + wait
    }

    /// The arm begins with what is best now, if there is anything.
    fn begin(&mut self, now: Nanos) {
        let is_flushing = !self.flushing.is_empty();
        let cost = |to: u64| self.reach(now, to);
        let may_read = |w: &Waiting| !is_flushing || w.order < self.flush_order;
        let waited = |w: &Waiting| now.saturating_sub(w.since) > ms(PATIENCE_MS);
        let read = self.reads.iter().enumerate().filter(|(_, w)| may_read(w)).take(self.numbers.queue);
        let read =
            read.min_by_key(|(_, w)| (!waited(w), if waited(w) { w.since } else { cost(w.request.at) }));
        let read = read.map(|(n, w)| (n, cost(w.request.at), waited(w)));
        let must_write =
            is_flushing || !self.crowd.is_empty() || self.dirty.bytes() > self.numbers.cache_bytes / 2;
        let write = if read.is_none() || must_write {
            let near = self.dirty.near(self.place, self.numbers.queue);
            near.map(|(at, end)| (cost(at), at, end)).min()
        } else {
            None
        };
        let writes_first = match (&read, &write) {
            (Some((_, _, true)), _) | (_, None) => false,
            (None, Some(_)) => true,
            (Some((_, to_read, _)), Some((to_write, ..))) => to_write < to_read,
        };
        if let Some((way, at, end)) = write.filter(|_| writes_first) {
            let end = end.min(at + STROKE_BYTES);
            self.dirty.remove(at, end);
            self.hold(now);
            self.busy = Some(Busy::Writing(end));
            self.free_at = now + way + self.passing(at, end - at);
        } else if let Some((n, way, _)) = read {
            let request = self.reads.remove(n).request;
            self.hold(now);
            self.busy = Some(Busy::Reading(request.id));
            self.free_at = now + us(self.numbers.command_us) + way + self.passing(request.at, request.len);
            self.place = request.at + request.len;
            return;
        }
        if let Some(Busy::Writing(end)) = self.busy {
            self.place = end;
        }
    }

    /// The arm goes elsewhere: reading ahead ends here.
    fn hold(&mut self, now: Nanos) {
        let Some(ahead) = self.ahead.filter(|a| a.until.is_none()) else { return };
        let passed = now.saturating_sub(ahead.since) as f64 / self.turn as f64 * self.track_bytes as f64;
        let until = (ahead.from + passed as u64).min(ahead.taken + self.numbers.ahead_bytes);
        self.ahead = Some(Ahead { until: Some(until), ..ahead });
    }

    /// The arm is through with what it was at.
    fn end(&mut self, at: Nanos, done: &mut Vec<Done>) {
        match self.busy.take() {
            Some(Busy::Reading(id)) => {
                done.push(Done { id, at });
                self.ahead = Some(Ahead { from: self.place, since: at, taken: self.place, until: None });
                self.serve_from_ahead(at);
            }
            Some(Busy::Writing(_)) => self.let_in(at),
            None => {}
        }
        self.settle(at);
        self.begin(at);
    }

    /// Reads that wait, and that the drive is about to pass anyway.
    fn serve_from_ahead(&mut self, now: Nanos) {
        let mut left = Vec::new();
        for waiting in std::mem::take(&mut self.reads) {
            match self.read_ahead(now, &waiting.request) {
                // A little only: the arm is needed elsewhere.
                Some(at) if at <= now + self.turn && self.flushing.is_empty() && self.dirty.is_empty() => {
                    self.bus.push(Reverse((at, waiting.request.id)));
                }
                _ => left.push(waiting),
            }
        }
        self.reads = left;
    }

    /// Ends flushes that have nothing left to wait for.
    fn settle(&mut self, at: Nanos) {
        while !self.flushing.is_empty()
            && self.dirty.is_empty()
            && !matches!(self.busy, Some(Busy::Writing(_)))
        {
            self.flushed(at);
        }
    }

    /// The flush that was under way is done (invariant 2).
    fn flushed(&mut self, now: Nanos) {
        let at = now + us(self.numbers.command_us);
        for id in std::mem::replace(&mut self.flushing, std::mem::take(&mut self.flushing_next)) {
            self.bus.push(Reverse((at, id)));
        }
        self.flush_order = self.order;
        self.dirty.take_all(&mut self.after);
        self.let_in(now);
    }
}
