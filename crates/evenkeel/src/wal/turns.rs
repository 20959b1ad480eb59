//! Whose turn it is: the ganged flush without threads.
//!
//! Duty: who takes the next gang, which writes are in flight, how far the log is durable, and who is to be told.
//!
//! Invariants
//! 1. `flushed` is the end of the completed prefix of the flights taken so far. It never passes a flight that failed, nor one that is under way.
//! 2. At most one holds the turn, that is, is about to take a gang.
//! 3. At most `depth` flights are under way, and their blocks do not overlap: beside others a gang is taken only from the beginning of a block.
//! 4. What `flushed_records` says is the end of a record: of flights that end within one only what lies before counts for it.
//! 5. Nobody is forgotten: while a thread waits for what nobody has taken, somebody holds the turn, or a flight is under way whose end hands it on.
//!
//! Must not know: threads, clocks, disks.

use crate::base::Lsn;
use std::collections::VecDeque;

/// A gang on its way to the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flight {
    pub id: u64,
    pub from: Lsn,
    pub to: Lsn,
}

struct InFlight {
    flight: Flight,
    done: bool,
    /// Commits that it carries.
    commits: u64,
    /// It ends where a record does, as far as is known.
    ends_record: bool,
}

struct Waiter<W> {
    target: Lsn,
    /// It can take a turn: a thread, not a task.
    leads: bool,
    who: W,
}

/// What a request finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrival {
    /// Durable already.
    Durable,
    /// It has the turn now.
    Turn,
    /// It has to wait.
    Wait,
    /// A write at or before it failed.
    Failed,
}

/// Who goes on after the turn was given back or a flight has ended.
pub(super) struct Next<W> {
    /// Has the turn now.
    pub leader: Option<W>,
    /// Only tasks wait for what nobody has taken: somebody must flush for them.
    pub only_tasks: bool,
}

/// The queue at the flush.
pub(super) struct Turns<W> {
    block_bytes: u64,
    taking: bool,
    flights: VecDeque<InFlight>,
    queue: VecDeque<Waiter<W>>,
    taken: Lsn,
    flushed: Lsn,
    flushed_records: Lsn,
    /// Nothing from here on becomes durable any more.
    failed: Option<Lsn>,
    next_id: u64,
    /// Gangs that are still taken as if somebody were to come before their write ends.
    company: u8,
}

/// So many gangs after the last request that came while a write was in flight, another one is expected.
const COMPANY: u8 = 8;

impl<W> Turns<W> {
    pub fn new(start: Lsn, block_bytes: u64) -> Turns<W> {
        Turns {
            block_bytes,
            taking: false,
            flights: VecDeque::new(),
            queue: VecDeque::new(),
            taken: start,
            flushed: start,
            flushed_records: start,
            failed: None,
            next_id: 0,
            company: 0,
        }
    }

    pub fn flushed(&self) -> Lsn {
        self.flushed
    }

    /// As `flushed`, but the end of a record (4).
    pub fn flushed_records(&self) -> Lsn {
        self.flushed_records
    }

    /// The end of the last gang taken.
    pub fn taken(&self) -> Lsn {
        self.taken
    }

    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    pub fn is_taking(&self) -> bool {
        self.taking
    }

    /// The farthest target of a task that no flight carries.
    pub fn farthest_task(&self) -> Option<Lsn> {
        self.queue.iter().filter(|w| !w.leads && w.target > self.taken).map(|w| w.target).max()
    }

    /// Whether a gang could be taken now (invariants 2 and 3).
    fn is_free(&self, depth: usize) -> bool {
        !self.taking
            && self.failed.is_none()
            && self.flights.len() < depth
            && (self.flights.is_empty() || self.taken.0.is_multiple_of(self.block_bytes))
    }

    /// A request for durability up to `target`.
    pub fn arrive(&mut self, target: Lsn, depth: usize) -> Arrival {
        if self.flushed >= target {
            return Arrival::Durable;
        }
        if self.failed.is_some_and(|from| target > from) {
            return Arrival::Failed;
        }
        if target <= self.taken {
            return Arrival::Wait;
        }
        if !self.flights.is_empty() {
            self.company = COMPANY;
        }
        if !self.is_free(depth) {
            return Arrival::Wait;
        }
        self.taking = true;
        Arrival::Turn
    }

    /// Queues a request.
    pub fn wait(&mut self, target: Lsn, leads: bool, who: W) {
        self.queue.push_back(Waiter { target, leads, who });
    }

    /// Removes the tasks that `same` picks.
    pub fn forget(&mut self, mut same: impl FnMut(&W, Lsn) -> bool) {
        self.queue.retain(|w| w.leads || !same(&w.who, w.target));
    }

    /// Whether a gang that is taken now should leave a fresh block to the next one: somebody else is expected before its write ends.
    pub fn expects_company(&self) -> bool {
        self.company > 0 || !self.flights.is_empty()
    }

    /// The holder of the turn takes everything up to `to` and gives the turn back. None after a failure. `commits`: how many that is; `ends_record`: a record ends there.
    pub fn take(&mut self, to: Lsn, commits: u64, ends_record: bool) -> Option<Flight> {
        assert!(self.taking && to >= self.taken, "invariant 2");
        self.taking = false;
        if self.failed.is_some() {
            return None;
        }
        let flight = Flight { id: self.next_id, from: self.taken, to };
        self.flights.push_back(InFlight { flight, done: false, commits, ends_record });
        self.next_id += 1;
        self.taken = to;
        self.company = self.company.saturating_sub(1);
        Some(flight)
    }

    /// The holder of the turn cannot take a gang: nothing more becomes durable.
    pub fn give_up_turn(&mut self) {
        self.taking = false;
        self.fail();
    }

    /// Nothing more is taken: what no flight carries never becomes durable.
    pub fn fail(&mut self) {
        self.failed = Some(self.failed.map_or(self.taken, |from| from.min(self.taken)));
    }

    /// A flight has ended. `gang` is told the commits of each flight that is durable now.
    pub fn finish(&mut self, id: u64, ok: bool, mut gang: impl FnMut(u64)) {
        let Some(f) = self.flights.iter_mut().find(|f| f.flight.id == id) else {
            unreachable!("a flight ends once")
        };
        f.done = ok;
        if !ok {
            let from = f.flight.from;
            self.failed = Some(self.failed.map_or(from, |earlier| earlier.min(from)));
            // Not waited for any more; `failed` keeps what follows from counting (invariant 1).
            self.flights.retain(|f| f.flight.id != id);
        }
        while let Some(front) = self.flights.front() {
            if !front.done || self.failed.is_some_and(|from| front.flight.to > from) {
                break;
            }
            self.flushed = front.flight.to;
            if front.ends_record {
                self.flushed_records = front.flight.to;
            }
            gang(front.commits);
            self.flights.pop_front();
        }
    }

    /// Takes out those whose wait is over, in order of arrival: durable, or never going to be.
    pub fn released(&mut self) -> Vec<W> {
        let (flushed, failed) = (self.flushed, self.failed);
        let is_over = |target: Lsn| target <= flushed || failed.is_some_and(|from| target > from);
        if !self.queue.iter().any(|w| is_over(w.target)) {
            return Vec::new();
        }
        let (over, rest) =
            std::mem::take(&mut self.queue).into_iter().partition::<VecDeque<_>, _>(|w| is_over(w.target));
        self.queue = rest;
        over.into_iter().map(|w| w.who).collect()
    }

    /// Gives the turn to the first thread that waits for what nobody has taken, if it can be given (invariant 5).
    pub fn hand_on(&mut self, depth: usize) -> Next<W> {
        let taken = self.taken;
        if !self.is_free(depth) || !self.queue.iter().any(|w| w.target > taken) {
            return Next { leader: None, only_tasks: false };
        }
        let first = self.queue.iter().position(|w| w.leads && w.target > taken);
        let leader = first.and_then(|i| self.queue.remove(i)).map(|w| w.who);
        self.taking = leader.is_some();
        let only_tasks = leader.is_none();
        Next { leader, only_tasks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: u64 = 4096;

    fn turns() -> Turns<&'static str> {
        Turns::new(Lsn(0), B)
    }

    fn take(t: &mut Turns<&'static str>, depth: usize, to: u64) -> Flight {
        assert_eq!(t.arrive(Lsn(to), depth), Arrival::Turn);
        t.take(Lsn(to), 1, true).unwrap()
    }

    #[test]
    fn a_write_that_ends_within_a_record_does_not_count_for_the_end_of_records() {
        let mut t = turns();
        let first = take(&mut t, 1, 100);
        t.finish(first.id, true, |_| {});
        assert_eq!(t.arrive(Lsn(B), 1), Arrival::Turn);
        let blocks = t.take(Lsn(B), 0, false).unwrap();
        t.finish(blocks.id, true, |_| {});
        assert_eq!((t.flushed(), t.flushed_records()), (Lsn(B), Lsn(100)));
        let last = take(&mut t, 1, B + 50);
        t.finish(last.id, true, |_| {});
        assert_eq!((t.flushed(), t.flushed_records()), (Lsn(B + 50), Lsn(B + 50)));
    }

    #[test]
    fn who_comes_during_a_write_shares_the_next_one() {
        let mut t = turns();
        let first = take(&mut t, 1, 100);
        for (target, who) in [(200, "a"), (300, "b"), (100, "rider")] {
            assert_eq!(t.arrive(Lsn(target), 1), Arrival::Wait);
            t.wait(Lsn(target), true, who);
        }
        let mut gangs = Vec::new();
        t.finish(first.id, true, |n| gangs.push(n));
        assert_eq!((t.released(), t.hand_on(1).leader), (vec!["rider"], Some("a")));
        let second = t.take(Lsn(300), 2, true).unwrap();
        t.finish(second.id, true, |n| gangs.push(n));
        assert_eq!((t.released(), t.flushed()), (vec!["b"], Lsn(300)));
        assert_eq!(gangs, [1, 2]);
    }

    #[test]
    fn writes_in_flight_never_share_a_block() {
        let mut t = turns();
        let first = take(&mut t, 4, B);
        let second = take(&mut t, 4, B + 10);
        assert_eq!(t.arrive(Lsn(B + 20), 4), Arrival::Wait, "the second left a block open");
        t.wait(Lsn(B + 20), true, "next");
        t.finish(first.id, true, |_| ());
        assert!(t.hand_on(4).leader.is_none());
        t.finish(second.id, true, |_| ());
        assert_eq!(t.hand_on(4).leader, Some("next"));
    }

    #[test]
    fn no_more_than_depth_are_in_flight() {
        let mut t = turns();
        let flights: Vec<Flight> = (1..=4).map(|i| take(&mut t, 4, i * B)).collect();
        assert_eq!(t.arrive(Lsn(5 * B), 4), Arrival::Wait);
        t.wait(Lsn(5 * B), true, "fifth");
        t.finish(flights[2].id, true, |_| ());
        assert!(t.hand_on(4).leader.is_none(), "out of order: the prefix did not move");
        t.finish(flights[0].id, true, |_| ());
        assert_eq!((t.flushed(), t.hand_on(4).leader), (Lsn(B), Some("fifth")));
    }

    #[test]
    fn durable_is_the_completed_prefix_in_whatever_order_writes_end() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1]] {
            let mut t = turns();
            let flights: Vec<Flight> = (1..=3).map(|i| take(&mut t, 8, i * B)).collect();
            let mut done = [false; 3];
            for i in order {
                t.finish(flights[i].id, true, |_| ());
                done[i] = true;
                let prefix = done.iter().take_while(|d| **d).count() as u64;
                assert_eq!(t.flushed(), Lsn(prefix * B), "{order:?}");
            }
        }
    }

    #[test]
    fn nothing_after_a_failed_write_is_ever_durable() {
        let mut t = turns();
        let f: Vec<Flight> = (1..=4).map(|i| take(&mut t, 8, i * B)).collect();
        for (i, who) in ["first", "second", "third", "fourth"].into_iter().enumerate() {
            t.wait(f[i].to, true, who);
        }
        t.finish(f[3].id, true, |_| ());
        t.finish(f[1].id, false, |_| ());
        assert_eq!(t.released(), ["second", "third", "fourth"]);
        assert_eq!(t.arrive(Lsn(9 * B), 8), Arrival::Failed);
        t.finish(f[2].id, true, |_| ());
        assert_eq!(t.flushed(), Lsn(0));
        t.finish(f[0].id, true, |_| ());
        assert_eq!((t.flushed(), t.released()), (f[0].to, vec!["first"]), "what lies before it is");
        assert_eq!(t.arrive(f[1].to, 8), Arrival::Failed);
    }

    #[test]
    fn once_all_has_failed_only_flights_under_way_are_waited_for() {
        let mut t = turns();
        let first = take(&mut t, 1, 100);
        for (target, who) in [(100, "rider"), (200, "next")] {
            t.wait(Lsn(target), true, who);
        }
        t.fail();
        assert_eq!((t.released(), t.arrive(Lsn(200), 1)), (vec!["next"], Arrival::Failed));
        t.finish(first.id, true, |_| ());
        assert_eq!((t.released(), t.flushed()), (vec!["rider"], Lsn(100)));
    }

    #[test]
    fn company_is_expected_for_a_while_after_somebody_came() {
        let mut t = turns();
        let alone = take(&mut t, 4, 10);
        assert!(t.expects_company(), "a write is in flight");
        t.finish(alone.id, true, |_| ());
        assert!(!t.expects_company());
        let other = take(&mut t, 4, 20);
        assert_eq!(t.arrive(Lsn(30), 4), Arrival::Wait);
        t.finish(other.id, true, |_| ());
        assert!(t.expects_company());
        for i in 0..u64::from(COMPANY) {
            let f = take(&mut t, 4, 100 + i);
            t.finish(f.id, true, |_| ());
        }
        assert!(!t.expects_company());
    }

    #[test]
    fn tasks_alone_need_somebody_to_flush_for_them() {
        let mut t = turns();
        let f = take(&mut t, 1, 10);
        t.wait(Lsn(20), false, "task");
        t.finish(f.id, true, |_| ());
        let next = t.hand_on(1);
        assert!(next.leader.is_none() && next.only_tasks && !t.is_taking());
        assert_eq!(t.farthest_task(), Some(Lsn(20)));
    }

    /// Whoever comes then is not made to wait for a gang that nobody takes.
    #[test]
    fn a_turn_that_was_given_up_fails_who_waits_behind_it() {
        let mut t = turns();
        assert_eq!(t.arrive(Lsn(100), 1), Arrival::Turn);
        t.wait(Lsn(200), true, "behind");
        t.give_up_turn();
        assert_eq!(t.released(), vec!["behind"]);
        assert_eq!(t.flushed(), Lsn(0));
        assert_eq!(t.arrive(Lsn(300), 1), Arrival::Failed);
    }
}
