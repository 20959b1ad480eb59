//! What `pg_stat_activity` shows of a session: what it does, and since when.
//!
//! Must not know: who looks.

use super::Session;
use crate::of_database::bump;
use evenkeel::Transaction;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Session {
    /// A statement is run, or goes on.
    pub(super) fn begin_activity(&mut self, text: &Arc<str>, number: Option<i64>) {
        let now = evenkeel_types::datetime::wall_clock_us();
        self.info.place.enter_thread();
        let mut a = self.info.activity.lock();
        if a.state.starts_with("idle in") {
            bump(&self.info.counts.idle_in_transaction_us, (now - a.state_change).max(0) as u64);
        }
        a.state = "active";
        a.query = text.clone();
        a.query_id = number;
        a.query_start = Some(now);
        a.state_change = now;
        let began = self.statement_began(now);
        // One that begins none has one of its own, as everything has in PostgreSQL.
        a.xact_start.get_or_insert(began);
        drop(a);
        self.block.running_us = Some(began);
        if let Some(t) = &mut self.txn {
            t.statement_us = began;
        } else {
            self.env.set_statement_us(began);
        }
    }

    /// A statement that does not come to run: it is the last one that came, all the same.
    pub(super) fn show_failed(&mut self, text: &Arc<str>) {
        let now = evenkeel_types::datetime::wall_clock_us();
        let mut a = self.info.activity.lock();
        (a.query, a.query_id, a.query_start) = (text.clone(), None, Some(now));
    }

    /// When a statement that runs now has begun, as `statement_timestamp()` tells it, and a transaction that it begins: several of one simple query with the first of them.
    pub(super) fn statement_began(&self, now_us: i64) -> i64 {
        self.block.script_us.unwrap_or(now_us)
    }

    /// The reply to what it has done has waited so long for log or standbys: until then it was no idler.
    pub(super) fn note_waited(&self, waited: Duration) {
        let mut a = self.info.activity.lock();
        if a.state != "active" {
            a.state_change = evenkeel_types::datetime::wall_clock_us();
            bump(&self.info.counts.active_us, waited.as_micros() as u64);
        }
    }

    /// It is done, or waits for its client.
    pub(super) fn end_activity(&mut self) {
        self.info.place.leave_thread();
        self.block.running_us = None;
        let state = match &self.txn {
            None => "idle",
            Some(t) if !t.explicit => "active",
            Some(t) if t.failed => "idle in transaction (aborted)",
            Some(_) => "idle in transaction",
        };
        let started = self.txn.as_ref().map(|t| t.started_us);
        let engine = self.txn.as_ref().and_then(|t| t.engine.as_ref());
        let oldest = engine.and_then(Transaction::snapshot_oldest).unwrap_or(0);
        self.info.xmin.store(oldest, Ordering::Relaxed);
        let mut a = self.info.activity.lock();
        if a.state != state {
            let now = evenkeel_types::datetime::wall_clock_us();
            if a.state == "active" {
                bump(&self.info.counts.active_us, (now - a.state_change).max(0) as u64);
            }
            (a.state, a.state_change) = (state, now);
        }
        a.xact_start = started;
    }
}
