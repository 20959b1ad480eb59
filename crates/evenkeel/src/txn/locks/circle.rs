//! The search for deadlocks: who waits for whom, in rows and in the layer above.
//!
//! Invariants: those of the lock table, 2 above all.
//!
//! It must not know: how locks are granted, but for a queue whose order dissolves a circle.

use super::{Holder, Inner, LockTable, Object, Party, Purpose, RowKey, Waiter};
use crate::base::TxnId;
use crate::base::deadlock::{self, AwaitedRow, Circle};
use std::collections::HashMap;

impl LockTable {
    /// The circle for which `start`, which waits, has to give up. If it goes through a place in a queue, changing places may dissolve it.
    pub(super) fn deadlock(&self, inner: &mut Inner, start: Party) -> Option<Circle> {
        let cycle = inner.cycle(start)?;
        for (n, party) in cycle.iter().enumerate() {
            let next = cycle[(n + 1) % cycle.len()];
            let (Party::Txn(waiter), Party::Txn(ahead)) = (*party, next) else { continue };
            let Some((row, from, to)) = inner.soft_edge(waiter, ahead) else { continue };
            inner.move_waiter(&row, from, to);
            let queue = inner.objects.get(&row).into_iter().flat_map(|o| &o.queue);
            let others: Vec<Party> = queue.map(|w| Party::Txn(w.txn)).chain([start]).collect();
            if others.into_iter().all(|p| inner.cycle(p).is_none()) {
                self.grant(inner, &row);
                return None;
            }
            inner.move_waiter(&row, to, from);
        }
        Some(inner.described(&cycle))
    }
}

impl Inner {
    /// A circle as an error tells of it.
    fn described(&self, cycle: &[Party]) -> Circle {
        let party = |(n, party): (usize, &Party)| {
            let session_of = |txn| self.waits.session_of.get(txn).copied();
            let (txn, session) = match party {
                Party::Txn(txn) => (Some(txn), session_of(txn)),
                Party::Session(session) => (None, Some(*session)),
            };
            let row = txn.and_then(|txn| {
                let row = self.waits.rows.get(txn)?;
                let w = self.objects.get(row)?.queue.iter().find(|w| w.txn == *txn)?;
                let (next, mut is_queued) = (cycle[(n + 1) % cycle.len()], true);
                self.row_blockers(*txn, |by, queued| is_queued &= queued || Party::Txn(by) != next);
                Some(AwaitedRow { tree: row.tree, key: row.key.clone(), mode: w.mode, is_queued })
            });
            deadlock::Party { txn: txn.map(|t| t.0), session, row }
        };
        Circle(cycle.iter().enumerate().map(party).collect())
    }

    /// If `waiter` waits for `ahead` only because that stands before it in a queue: the row, and the places of both.
    fn soft_edge(&self, waiter: TxnId, ahead: TxnId) -> Option<(RowKey, usize, usize)> {
        let row = self.waits.rows.get(&waiter)?;
        let o = self.objects.get(row)?;
        let place = |txn| o.queue.iter().position(|w| w.txn == txn);
        let (from, to) = (place(waiter)?, place(ahead)?);
        let mode = o.queue[from].mode;
        let is_against = |h: &Holder| h.txn == ahead && h.stands_against(waiter, mode, Purpose::Hold);
        let is_hard = o.queue[from].purpose != Purpose::Hold || o.holders.iter().any(is_against);
        (!is_hard && to < from).then(|| (row.clone(), from, to))
    }

    fn move_waiter(&mut self, row: &RowKey, from: usize, to: usize) {
        if let Some(o) = self.objects.get_mut(row)
            && let Some(w) = o.queue.remove(from)
        {
            o.queue.insert(to, w);
        }
    }

    /// The parties that wait for one another in a circle from `start`, which waits, if there is one.
    fn cycle(&self, start: Party) -> Option<Vec<Party>> {
        if let Party::Txn(txn) = start
            && self.waits.upper.is_empty()
            && !self.is_waited_for(txn)
        {
            return None; // the usual case, and a long queue is searched for nothing
        }
        let (mut came_from, mut todo) = (HashMap::new(), vec![start]);
        let mut blockers = Vec::new();
        while let Some(party) = todo.pop() {
            self.blockers(party, &mut blockers);
            for blocker in blockers.drain(..) {
                if blocker == start {
                    let mut path = vec![party];
                    while let Some(before) = came_from.get(path.last()?) {
                        path.push(*before);
                    }
                    path.reverse();
                    return Some(path);
                }
                if let std::collections::hash_map::Entry::Vacant(e) = came_from.entry(blocker) {
                    e.insert(party);
                    todo.push(blocker);
                }
            }
        }
        None
    }

    /// Whether anybody may wait for `txn`: for a row that it holds, or behind it in a queue.
    fn is_waited_for(&self, txn: TxnId) -> bool {
        let held = self.held.get(&txn);
        let explicit = held.into_iter().flat_map(|h| h.explicit.iter().map(|(row, _)| row));
        let mut rows = explicit.chain(held.into_iter().flat_map(|h| &h.implicit));
        let is_last = |o: &Object| o.queue.back().is_some_and(|w| w.txn == txn);
        let queued = self.waits.rows.get(&txn).and_then(|row| self.objects.get(row));
        rows.any(|row| self.objects.get(row).is_some_and(|o| o.queue.iter().any(|w| w.txn != txn)))
            || queued.is_some_and(|o| !is_last(o))
    }

    /// Whom a party waits for: a row here, or a lock of the layer above.
    fn blockers(&self, party: Party, found: &mut Vec<Party>) {
        let session = match party {
            Party::Txn(txn) => {
                self.row_blockers(txn, |txn, _| found.push(Party::Txn(txn)));
                self.waits.session_of.get(&txn).copied()
            }
            Party::Session(session) => Some(session),
        };
        if let (Some(s), Some(upper)) = (session.filter(|s| self.waits.upper.contains(s)), &self.upper) {
            let parties = upper.blockers(s).into_iter();
            found.extend(
                parties.map(|s| self.waits.txn_of.get(&s).map_or(Party::Session(s), |t| Party::Txn(*t))),
            );
        }
    }

    /// Tells whom a transaction waits for if it waits for a row, and whether only as it came later.
    pub(super) fn row_blockers(&self, txn: TxnId, mut tell: impl FnMut(TxnId, bool)) {
        let Some(row) = self.waits.rows.get(&txn) else { return };
        let Some(o) = self.objects.get(row) else { return };
        let Some(at) = o.queue.iter().position(|w| w.txn == txn) else { return };
        let Waiter { mode, purpose, .. } = o.queue[at];
        let holders = o.holders.iter().filter(|h| h.stands_against(txn, mode, purpose)).map(|h| h.txn);
        let is_ahead =
            |w: &&Waiter| purpose == Purpose::Hold && w.purpose == Purpose::Hold && w.mode.conflicts(mode);
        let ahead = o.queue.iter().take(at).filter(is_ahead).map(|w| w.txn);
        holders.for_each(|txn| tell(txn, false));
        ahead.for_each(|txn| tell(txn, true));
    }
}
