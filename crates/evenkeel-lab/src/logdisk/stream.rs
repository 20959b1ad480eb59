//! One measurement: clients that commit, gangs, writes in flight, releases in order.
//!
//! Duty: drive a [`Lane`] as the engine's flusher would (S14, S15) and count. Clients are simulated: each has at most one commit waiting,
//! and thinks between two.
//!
//! Invariants
//! 1. A commit is released when every write up to its own has ended: the durable end is that of the contiguous completed prefix.
//! 2. Writes in flight never overlap.
//! 3. Time ends it: no write starts after the box is full, those in flight are awaited.
//!
//! It must not know what the lane is.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use super::place::Placer;
use super::rig::{Done, Extent, FILE_BYTES, Lane};
use super::sample::Sample;
use super::spec::{Spec, Start};

/// Share of the time box whose commits are not counted.
const WARM_UP_SHARE: u64 = 20;
/// Ends of writes that are kept for finding a period.
const ENDS_MAX: usize = 1024;
/// Log bytes of one gang at most.
pub const GANG_BYTES_MAX: u64 = 2 << 20;

/// Why a measurement did not come to its end.
#[derive(Debug)]
pub enum Stopped {
    /// The user wants to stop.
    Interrupted,
    /// The disk says no.
    Io(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(e: io::Error) -> Stopped {
        Stopped::Io(e)
    }
}

struct Member {
    client: u32,
    /// When it began to wait.
    since_ns: u64,
}

struct Gang {
    token: u64,
    extent: Extent,
    started_ns: u64,
    ended_ns: Option<u64>,
    members: Vec<Member>,
    padding_bytes: u64,
    rewritten_bytes: u64,
}

struct Driver<'a> {
    lane: &'a mut dyn Lane,
    spec: &'a Spec,
    placer: Placer,
    rng: fastrand::Rng,
    /// Clients that think, by when they commit.
    thinking: BinaryHeap<Reverse<(u64, u32)>>,
    waiting: VecDeque<Member>,
    in_flight: VecDeque<Gang>,
    next_token: u64,
    /// Nothing before this is counted.
    counted_from_ns: u64,
    /// Writes that begin at first are not counted.
    warms_up: bool,
    /// When the newest released write became durable, and all before it.
    durable_ns: u64,
    /// From when time is counted: the release before the first that is counted.
    first_ns: Option<u64>,
    /// The latest release.
    released_ns: Option<u64>,
    /// Clients that may come until the next gang: those that the last write released, and those who waited then.
    expected: usize,
    /// Since when a gang could be written that has to wait.
    ready_ns: Option<u64>,
    sample: Sample,
}

/// When a measurement ends.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// After this time.
    pub box_ns: u64,
    /// Or after so many writes.
    pub writes: u64,
}

/// Runs the stream up to the limit, a little longer for what is in flight then.
pub fn measure(
    lane: &mut dyn Lane,
    spec: &Spec,
    limit: Limit,
    stop: &AtomicBool,
    seed: u64,
) -> Result<Sample, Stopped> {
    let begin = lane.now_ns();
    let mut driver = Driver {
        placer: Placer::new(spec.tail, u64::from(spec.block_bytes), FILE_BYTES),
        lane,
        spec,
        rng: fastrand::Rng::with_seed(seed),
        thinking: BinaryHeap::new(),
        waiting: VecDeque::new(),
        in_flight: VecDeque::new(),
        next_token: 0,
        counted_from_ns: begin + limit.box_ns / WARM_UP_SHARE,
        warms_up: limit.writes == u64::MAX,
        durable_ns: 0,
        first_ns: None,
        released_ns: None,
        expected: 0,
        ready_ns: None,
        sample: Sample::new(),
    };
    for client in 0..spec.clients {
        driver.think(client, begin);
    }
    driver.run(begin + limit.box_ns, limit.writes, stop)?;
    Ok(driver.sample)
}

impl Driver<'_> {
    fn run(&mut self, end_ns: u64, writes: u64, stop: &AtomicBool) -> Result<(), Stopped> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Stopped::Interrupted);
            }
            let now = self.lane.now_ns();
            if now >= end_ns || self.next_token >= writes {
                break;
            }
            self.arrive(now, false);
            if self.start_gang()? {
                continue;
            }
            if let Some(deadline) = self.held_until(now) {
                let next = self.thinking.peek().map_or(u64::MAX, |Reverse((at, _))| *at);
                self.lane.wait(Some(deadline.min(next).min(end_ns)))?;
                continue;
            }
            // Either the device has to end something first, or a client to come; with a free place a client may be first.
            let next = self.thinking.peek().map(|Reverse((at, _))| *at);
            let idle = self.in_flight.is_empty();
            let blocked = !self.waiting.is_empty() || self.in_flight.len() >= self.spec.depth as usize;
            let until = if blocked { None } else { next.map(|at| at.min(end_ns)) };
            if let Some(done) = self.lane.wait(until)? {
                self.end_write(done);
            }
            if idle {
                // Whoever came while nothing was written waited for our own sleep to end, not for the disk.
                let now = self.lane.now_ns();
                self.arrive(now, true);
            }
        }
        while !self.in_flight.is_empty() {
            if let Some(done) = self.lane.wait(None)? {
                self.end_write(done);
            }
        }
        Ok(())
    }

    fn think(&mut self, client: u32, from_ns: u64) {
        let pause_us = self.rng.u32(0..=self.spec.think_us_max);
        self.thinking.push(Reverse((from_ns + u64::from(pause_us) * 1000, client)));
    }

    /// Clients whose pause is over wait from then on.
    fn arrive(&mut self, now: u64, from_now: bool) {
        while let Some(&Reverse((at, client))) = self.thinking.peek() {
            if at > now {
                break;
            }
            self.thinking.pop();
            self.waiting.push_back(Member { client, since_ns: if from_now { now } else { at } });
        }
    }

    /// Until when a gang that could be written waits for company. Only with nothing in flight.
    fn held_until(&mut self, now: u64) -> Option<u64> {
        if self.waiting.is_empty() || !self.in_flight.is_empty() {
            return None;
        }
        let deadline = match self.spec.start {
            Start::AtOnce => return None,
            Start::Held { .. } if self.waiting.len() >= self.expected => return None,
            Start::Held { us } => self.durable_ns + u64::from(us) * 1000,
            Start::Delayed { siblings, .. } if self.spec.clients <= siblings => return None,
            // The first who came has the turn from the last write's end, or from his own coming.
            Start::Delayed { us, .. } => {
                let since = self.waiting.front().map_or(now, |m| m.since_ns).max(self.durable_ns);
                *self.ready_ns.get_or_insert(since) + u64::from(us) * 1000
            }
        };
        (deadline > now).then_some(deadline)
    }

    /// Starts a write if anybody waits, nothing holds it back, there is room in flight, and its blocks are not being written (invariant 2).
    fn start_gang(&mut self) -> Result<bool, Stopped> {
        if self.waiting.is_empty() || self.in_flight.len() >= self.spec.depth as usize {
            return Ok(false);
        }
        let now = self.lane.now_ns();
        if self.held_until(now).is_some() {
            return Ok(false);
        }
        self.ready_ns = None;
        let record = u64::from(self.spec.record_bytes);
        let members = if self.spec.ganged {
            self.waiting.len().min((GANG_BYTES_MAX / record).max(1) as usize)
        } else {
            1
        };
        let mut placer = self.placer;
        let placed = placer.place(members as u64 * record);
        let conflict = self.in_flight.iter().any(|g| g.extent.overlaps(&placed.extent));
        if conflict || placed.from_start && !self.in_flight.is_empty() {
            return Ok(false);
        }
        if placed.from_start {
            self.lane.rewind()?;
        }
        self.placer = placer;
        let token = self.next_token;
        self.next_token += 1;
        self.in_flight.push_back(Gang {
            token,
            extent: placed.extent,
            started_ns: self.lane.now_ns(),
            ended_ns: None,
            members: self.waiting.drain(..members).collect(),
            padding_bytes: placed.padding_bytes,
            rewritten_bytes: placed.rewritten_bytes,
        });
        self.lane.start(token, placed.extent)?;
        Ok(true)
    }

    fn end_write(&mut self, done: Done) {
        let gang = self.in_flight.iter_mut().find(|g| g.token == done.token);
        let gang = gang.expect("a write that ends was started");
        assert!(gang.ended_ns.is_none(), "a write ends once");
        gang.ended_ns = Some(done.at_ns);
        while self.in_flight.front().is_some_and(|g| g.ended_ns.is_some()) {
            if let Some(gang) = self.in_flight.pop_front() {
                // Threads report in another order than their writes ended in.
                self.durable_ns = self.durable_ns.max(gang.ended_ns.unwrap_or(done.at_ns));
                self.release(&gang);
            }
        }
    }

    /// Acknowledges a gang whose predecessors are durable (invariant 1).
    fn release(&mut self, gang: &Gang) {
        let now = self.durable_ns;
        let ended_ns = gang.ended_ns.unwrap_or(now);
        if gang.token == 0 && (now >= self.counted_from_ns || !self.warms_up) {
            // So slow a disk that the first write took all the time to warm up, or so few writes: every one counts.
            self.counted_from_ns = 0;
        }
        // The first gang of a stream is whoever came first.
        let begins = gang.token == 0 && self.spec.ganged && self.spec.clients > 1;
        if gang.started_ns >= self.counted_from_ns && !begins {
            let s = &mut self.sample;
            // From one release to the next: so a gang that is held back is not counted without the time before its start.
            let from = self.released_ns.unwrap_or(gang.started_ns);
            s.elapsed_ns = now - *self.first_ns.get_or_insert(from);
            s.writes += 1;
            s.commits += gang.members.len() as u64;
            s.record_bytes += gang.members.len() as u64 * u64::from(self.spec.record_bytes);
            s.written_bytes += gang.extent.len;
            s.padding_bytes += gang.padding_bytes;
            s.rewritten_bytes += gang.rewritten_bytes;
            s.write.record(ended_ns - gang.started_ns);
            for member in &gang.members {
                s.commit.record(now - member.since_ns);
            }
            if s.write_ends_ns.len() < ENDS_MAX {
                s.write_ends_ns.push(ended_ns);
            }
        }
        self.released_ns = Some(now);
        self.expected = gang.members.len() + self.waiting.len();
        for member in &gang.members {
            self.think(member.client, now);
        }
    }
}
