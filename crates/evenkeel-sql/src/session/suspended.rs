//! Portals that were suspended by a row limit, and go on in the snapshot that they began in.
//!
//! A cursor of the engine keeps its statement's snapshot; reads of single rows, which an index scan makes, take the current statement's. So such a
//! portal is read on demand for as long as no other statement begins in the session; before one does, the rest of its rows is put aside in memory
//! (bounded by its statement memory). A client that fetches in pieces and does nothing else meanwhile never pays for that.
//!
//! Invariants:
//! 1. A portal is `Live` only while the statement that it began is the session's latest, in the transaction that it began in.
//! 2. Putting rows aside fails the portal, not the statement that caused it.
//!
//! Must not know: SQL syntax.

use super::planned::QueryState;
use super::{Portal, Session};
use crate::exec::node;
use crate::exec::{Cx, Row, row_bytes};
use crate::parse::{Stmt, TxnStmt};
use crate::plan::{Plan, PlanKind, Query};
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// The rest of a query, shared by its portal and the session.
pub(crate) struct Suspended {
    pub plan: Arc<Deep<Plan>>,
    pub params: Vec<Datum>,
    pub rest: Rest,
}

/// Where the rest comes from.
pub(crate) enum Rest {
    /// It is still to be read (invariant 1).
    Live(Box<Deep<QueryState>>),
    /// It was put aside.
    Kept(VecDeque<Row>),
    /// It cannot be had.
    Failed(SqlError),
}

/// A session's suspended portals, some of which may be gone.
#[derive(Default)]
pub(crate) struct SuspendedList(Vec<Weak<Mutex<Suspended>>>);

impl SuspendedList {
    pub fn add(&mut self, portal: &Arc<Mutex<Suspended>>) {
        self.0.retain(|p| p.strong_count() > 0);
        self.0.push(Arc::downgrade(portal));
    }

    fn take(&mut self) -> Vec<Arc<Mutex<Suspended>>> {
        std::mem::take(&mut self.0).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Session {
    /// Before a portal begins its statement: others must not need the snapshot of theirs any more.
    pub(super) fn before_statement(&mut self, portal: &Portal) -> Result<(), SqlError> {
        if self.suspended.0.is_empty() || !matches!(portal.state, super::PortalState::New) {
            return Ok(());
        }
        if matches!(*portal.stmt.body.stmt, Stmt::Txn(TxnStmt::Commit { .. } | TxnStmt::Rollback { .. })) {
            return Ok(());
        }
        for shared in self.suspended.take() {
            let mut s = shared.lock();
            let Suspended { plan, params, rest } = &mut *s;
            let Rest::Live(st) = rest else { continue };
            let PlanKind::Query(q) = &plan.kind else { continue };
            let QueryState { state, row, run } = &mut ***st;
            *rest = match self.with_cx(plan, params, run, |cx| drain(q, state, row, cx)) {
                Ok(rows) => Rest::Kept(rows),
                Err(e) => Rest::Failed(e),
            };
        }
        Ok(())
    }

    /// The transaction has ended, and with it what suspended portals could still read.
    pub(super) fn end_suspended(&mut self) {
        for shared in self.suspended.take() {
            let mut s = shared.lock();
            if matches!(s.rest, Rest::Live(_)) {
                let message = "the portal's transaction has ended";
                s.rest = Rest::Failed(SqlError::new(SqlState::INVALID_CURSOR_STATE, message));
            }
        }
    }
}

fn drain(
    q: &Query,
    state: &mut node::State,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<VecDeque<Row>, SqlError> {
    let mut rest = VecDeque::new();
    while node::next(&q.root, state, row, cx)? {
        let kept: Row = row[..q.visible].into();
        cx.run.memory.grow(row_bytes(&kept))?;
        rest.push_back(kept);
    }
    Ok(rest)
}
