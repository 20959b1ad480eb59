//! What a worker does: step sessions, wait for the log, watch the sockets; and the watch over those who take long.
//!
//! It must not know what a session is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use evenkeel::Lsn;
use evenkeel::base::blocking;
use evenkeel_types::guard::memory;
use rustix::event::Timespec;
use rustix::event::epoll::{self, EventFlags};
use tracing::error;

use super::{
    CROWD, Condition, EVENTS, How, IDLE_MAX, Parked, QUIET_TICKS, State, TICK, Turns, WAKE, Work, Workers,
};
use crate::session::{News, Step};

impl Workers {
    /// A worker's life.
    pub(super) fn work(self: &Arc<Workers>, me: u64, parked: &Parked) {
        blocking::set_hook(Some(Box::new({
            let workers = self.clone();
            move || workers.detach(me)
        })));
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            match self.next(me, parked) {
                Work::Step(id, session, how) => self.step(me, id, session, how),
                Work::Flush(target) => self.flush(me, target),
                Work::Poll { alone } => self.poll(&mut events, alone),
                Work::Quit => break,
            }
        }
        blocking::set_hook(None);
        memory::settle_thread();
    }

    /// Blocks until there is something to do.
    fn next(self: &Arc<Workers>, me: u64, parked: &Parked) -> Work {
        let mut guard = self.state.lock();
        loop {
            let s = &mut *guard;
            if s.workers.get_mut(&me).is_some_and(|w| std::mem::take(&mut w.errand))
                && let Some(work) = s.begin_flush(me, self.log.flush_depth(), false)
            {
                return work;
            }
            if s.attach(me, self.limit) {
                if let Some(work) = self.take_work(s, me) {
                    return work;
                }
                s.detach(me);
            }
            if s.stopped && s.sessions.is_empty() {
                s.workers.remove(&me);
                return Work::Quit;
            }
            s.idle.push(me);
            drop(guard);
            let called = parked.wait(IDLE_MAX);
            guard = self.state.lock();
            guard.idle.retain(|id| *id != me);
            if !called && !parked.take_call() && guard.workers.len() > 1 {
                guard.workers.remove(&me);
                return Work::Quit;
            }
        }
    }

    fn take_work(self: &Arc<Workers>, s: &mut State, me: u64) -> Option<Work> {
        if s.is_flush_due(self.log.flush_depth()) {
            let alone = s.stepped <= s.owed.len() && s.ready.is_empty();
            // Who is ready may hold what others wait for: the wait for the log is an idle worker's then.
            let other = if s.ready.is_empty() { None } else { s.idle.pop() };
            let Some(other) = other.and_then(|id| s.workers.get_mut(&id)) else {
                return s.begin_flush(me, self.log.flush_depth(), alone);
            };
            s.flush_called = true;
            other.errand = true;
            other.parked.call();
        }
        if let Some(id) = s.ready.pop_front() {
            self.ready.store(s.ready.len(), Ordering::Release);
            let epoch = s.epoch;
            let entry = s.sessions.get_mut(&id)?;
            entry.condition = Condition::Running;
            let session = entry.session.take()?;
            if entry.epoch != epoch {
                entry.epoch = epoch;
                s.stepped += 1;
            }
            let how = if std::mem::take(&mut entry.log_failed) {
                How::AfterLogFailed
            } else {
                How::With(entry.news.take().unwrap_or_default())
            };
            if s.ready.len() > CROWD * s.attached && s.attached < self.limit {
                self.call(s);
            }
            if s.watch_sleeps {
                s.watch_sleeps = false;
                self.watch.notify_all();
            }
            return Some(Work::Step(id, session, how));
        }
        if s.poller.is_none() && !s.stopped {
            s.poller = Some(me);
            let alone = s.attached == 1 && s.flushes.is_empty();
            return Some(Work::Poll { alone });
        }
        None
    }

    /// The worker is about to wait: another goes on.
    fn detach(self: &Arc<Workers>, me: u64) {
        let mut s = self.state.lock();
        if !s.workers.get(&me).is_some_and(|w| w.stays) && s.detach(me) {
            self.call_for_work(&mut s);
        }
    }

    fn step(self: &Arc<Workers>, me: u64, id: u64, mut session: Box<dyn Turns>, how: How) {
        let step = match how {
            How::With(news) => session.step(news),
            How::AfterLogFailed => session.step_after_failure(),
        };
        // Statements and results went with the turn.
        memory::trim();
        let mut s = self.state.lock();
        if let Step::End(end) = step {
            s.sessions.remove(&id);
            if s.detach(me) {
                self.call_for_work(&mut s);
            }
            drop(s);
            if catch_unwind(AssertUnwindSafe(|| session.end(end))).is_err() {
                error!("the end of a session panicked");
            }
            memory::trim();
            return;
        }
        let Some(entry) = s.sessions.get_mut(&id) else { return };
        entry.session = Some(session);
        match step {
            Step::Durable(lsn) => {
                entry.condition = Condition::Owed;
                s.owed.push((lsn, id));
            }
            Step::Input | Step::Nudge if entry.news.is_none() => entry.condition = Condition::Waiting,
            _ => {
                entry.condition = Condition::Ready;
                self.push_ready(&mut s, id);
            }
        }
        if !s.is_attached(me) {
            // It may find no place again.
            self.call_for_work(&mut s);
        }
    }

    /// Waits for the log on behalf of everybody.
    fn flush(self: &Arc<Workers>, me: u64, target: Lsn) {
        let durable = self.log.wait_durable(target);
        let reached = self.log.durable_lsn();
        let mut guard = self.state.lock();
        let s = &mut *guard;
        if let Some(i) = s.flushes.iter().position(|flush| *flush == target) {
            s.flushes.swap_remove(i);
        }
        if let Some(worker) = s.workers.get_mut(&me) {
            worker.stays = false;
        }
        let mut owed = std::mem::take(&mut s.owed);
        owed.retain(|&(lsn, id)| {
            if durable && lsn > reached {
                return true;
            }
            if let Some(entry) = s.sessions.get_mut(&id) {
                entry.condition = Condition::Ready;
                entry.log_failed = !durable;
                self.push_ready(s, id);
            }
            false
        });
        s.owed = owed;
        if !s.is_attached(me) {
            self.call_for_work(s);
        }
    }

    /// Watches the sockets until something is ready; awake for a while, if all wait for their clients. (4)
    fn poll(&self, events: &mut Vec<epoll::Event>, alone: bool) {
        let attempt = |events: &mut Vec<epoll::Event>| {
            let found = self.wait_events(events, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
            (found > 0 || self.ready.load(Ordering::Acquire) > 0).then_some(())
        };
        let sleep = |events: &mut Vec<epoll::Event>| {
            let mut s = self.state.lock();
            if s.stopped || !s.ready.is_empty() || s.is_flush_due(self.log.flush_depth()) {
                return;
            }
            s.poller_sleeps = true;
            drop(s);
            self.wait_events(events, None);
        };
        if alone {
            self.patience.lock().wait(events, attempt, sleep);
        } else {
            sleep(events);
        }
        let mut s = self.state.lock();
        s.poller = None;
        s.poller_sleeps = false;
        let mut gone = Vec::new();
        for event in events.iter() {
            let data = event.data;
            match data.u64() {
                WAKE => {
                    let _ = rustix::io::read(&self.wake, &mut [0; 8]);
                }
                id => {
                    let ends = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
                    let (flags, input) = (event.flags, true);
                    let hangup = flags.intersects(ends);
                    self.mark_ready(&mut s, id, News { input, hangup });
                    if hangup && let Some(entry) = s.sessions.get(&id).filter(|e| e.session.is_none()) {
                        gone.extend(entry.hangup.clone());
                    }
                }
            }
        }
        drop(s);
        // A statement that is running has nobody to run for.
        for hook in gone {
            hook();
        }
    }

    fn wait_events(&self, events: &mut Vec<epoll::Event>, timeout: Option<&Timespec>) -> usize {
        events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(events), timeout) {
            Ok(n) => n,
            Err(rustix::io::Errno::INTR) => 0,
            Err(e) => {
                error!(error = %e, "cannot wait for the clients");
                std::thread::sleep(TICK);
                0
            }
        }
    }

    /// Looks for workers that take long. (3)
    pub(super) fn watch(self: &Arc<Workers>) {
        let mut guard = self.state.lock();
        let mut quiet = 0;
        loop {
            let s = &mut *guard;
            if s.stopped && s.sessions.is_empty() {
                return;
            }
            if quiet > QUIET_TICKS {
                s.watch_sleeps = true;
                self.watch.wait(&mut guard);
                quiet = 0;
                continue;
            }
            self.watch.wait_for(&mut guard, TICK);
            let s = &mut *guard;
            quiet += 1;
            let mut stuck = Vec::new();
            for (&id, worker) in &mut s.workers {
                if worker.turns != worker.seen {
                    quiet = 0;
                    worker.seen = worker.turns;
                } else if worker.attached && s.poller != Some(id) {
                    quiet = 0;
                    stuck.push(id);
                }
            }
            for id in stuck {
                s.detach(id);
            }
            if !s.ready.is_empty() || s.is_flush_due(self.log.flush_depth()) || s.poller.is_none() {
                self.call_for_work(s);
            }
        }
    }
}
