//! The time of a disk in which nothing moves: latencies, and budgets of requests and bytes.
//!
//! Invariants
//! 1. A budget is never overdrawn: requests enter one after another, as far apart as the rate of requests or bytes demands.
//! 2. A flush is done after all writes that came before it.
//!
//! It must not know of data.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::kinds::Still;
use super::model::{Done, Nanos, Op, Request, transfer, us};

/// Its time.
#[derive(Debug)]
pub struct Chips {
    numbers: Still,
    /// When the next read, and the next write, may enter.
    read_gate: Nanos,
    write_gate: Nanos,
    /// When the last write so far is done, and the last flush.
    writes_done: Nanos,
    flushes_done: Nanos,
    is_dirty: bool,
    under_way: BinaryHeap<Reverse<(Nanos, u64)>>,
}

/// A flush when there is nothing to flush.
const IDLE_FLUSH_US: f64 = 10.0;

impl Chips {
    pub(super) fn new(numbers: Still) -> Chips {
        Chips {
            numbers,
            read_gate: 0,
            write_gate: 0,
            writes_done: 0,
            flushes_done: 0,
            is_dirty: false,
            under_way: BinaryHeap::new(),
        }
    }

    pub(super) fn ask(&mut self, now: Nanos, request: Request) {
        let n = self.numbers;
        let units = request.len.div_ceil(n.unit_bytes).max(1) as f64;
        // Only where requests are counted in units does a large one count as several; a chip's limit is of small ones, and bytes have their own.
        let requests = if n.shared { units } else { 1.0 };
        let at = match request.op {
            Op::Read => {
                let share = transfer(request.len, n.read_mb);
                let gap = share.max((requests * 1e9 / n.reads_per_s) as Nanos);
                let begin = now.max(self.read_gate);
                self.read_gate = begin + gap;
                if n.shared {
                    self.write_gate = self.read_gate;
                }
                begin + us(n.read_us) + share
            }
            Op::Write => {
                let share = transfer(request.len, n.write_mb);
                let gap = share.max((requests * 1e9 / n.writes_per_s) as Nanos);
                let begin = now.max(self.write_gate);
                self.write_gate = begin + gap;
                if n.shared {
                    self.read_gate = self.write_gate;
                }
                self.is_dirty = true;
                let done = begin + us(n.write_us) + share;
                self.writes_done = self.writes_done.max(done);
                done
            }
            Op::Flush => {
                let cost = if std::mem::take(&mut self.is_dirty) { n.flush_us } else { IDLE_FLUSH_US };
                self.flushes_done = now.max(self.writes_done).max(self.flushes_done) + us(cost);
                self.flushes_done
            }
        };
        self.under_way.push(Reverse((at, request.id)));
    }

    pub(super) fn advance(&mut self, now: Nanos, done: &mut Vec<Done>) {
        while let Some(&Reverse((at, id))) = self.under_way.peek().filter(|first| first.0.0 <= now) {
            self.under_way.pop();
            done.push(Done { id, at });
        }
    }

    pub(super) fn next(&self) -> Option<Nanos> {
        self.under_way.peek().map(|first| first.0.0)
    }
}
