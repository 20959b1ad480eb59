//! Portals and cursors that were suspended, and go on in the snapshot that they began in.
//!
//! A cursor of the engine keeps its statement's snapshot; reads of single rows, which an index scan makes, take the current statement's. So such a
//! portal is read on demand for as long as no other statement begins in the session; before one does, the rest of its rows is put aside, in memory up
//! to `work_mem` and in a temporary file beyond. What reads one table from end to end is read by one row instead, which gives it the engine's cursor, and
//! goes on. A client that fetches in pieces and does nothing else meanwhile never pays for that.
//!
//! Invariants:
//! 1. A portal is `Live` only while the statement that it began is the session's latest, in the transaction that it began in; or it has its cursor.
//! 2. Putting rows aside fails the portal, not the statement that caused it.
//! 3. Before definitions change all is put aside: a tree that is dropped has no cursor.
//!
//! Must not know: SQL syntax.

use super::planned::{QueryState, is_streaming};
use super::{Portal, RowSink, Session};
use crate::exec::node;
use crate::exec::numbered::NumberedRows;
use crate::exec::{Cx, Row};
use crate::parse::Stmt;
use crate::plan::{Plan, PlanKind, Query};
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// The rest of a query, shared by its portal and the session.
pub(crate) struct Suspended {
    pub plan: Arc<Deep<Plan>>,
    pub params: Vec<Datum>,
    pub rest: Rest,
    /// The row that it was read by to get its cursor, which it has.
    pub ahead: Option<Row>,
    pub has_cursor: bool,
}

impl Suspended {
    pub fn new(plan: Arc<Deep<Plan>>, params: Vec<Datum>, rest: Rest) -> Suspended {
        Suspended { plan, params, rest, ahead: None, has_cursor: false }
    }
}

/// Where the rest comes from.
pub(crate) enum Rest {
    /// It is still to be read (invariant 1).
    Live(Box<Deep<QueryState>>),
    /// It was put aside; so many of it were given.
    Kept(Box<NumberedRows>, u64),
    /// It cannot be had.
    Failed(SqlError),
}

/// A session's suspended portals, some of which may be gone.
#[derive(Default)]
pub(crate) struct SuspendedList(Vec<Weak<Mutex<Suspended>>>);

impl SuspendedList {
    pub fn share(&mut self, portal: Suspended) -> Arc<Mutex<Suspended>> {
        self.0.retain(|p| p.strong_count() > 0);
        let shared = Arc::new(Mutex::new(portal));
        self.0.push(Arc::downgrade(&shared));
        shared
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
        let all = match &*portal.stmt.body.stmt {
            // None of these reads anything, or they read on.
            Stmt::Empty | Stmt::Txn(_) | Stmt::Set(_) | Stmt::Show(_) | Stmt::Reset(_) => return Ok(()),
            Stmt::Fetch(_) | Stmt::Close(_) | Stmt::Prepare(_) | Stmt::Deallocate(_) => return Ok(()),
            Stmt::Listen(_) => return Ok(()),
            Stmt::Declare(_) | Stmt::Execute(..) | Stmt::Explain(_) | Stmt::Copy(_) => false,
            _ => portal.plan.is_none(), // invariant 3
        };
        for shared in self.suspended.take() {
            let mut s = shared.lock();
            let Suspended { plan, params, rest, ahead, has_cursor } = &mut *s;
            let Rest::Live(st) = rest else { continue };
            let PlanKind::Query(q) = &plan.kind else { continue };
            let goes_on = !all && is_streaming(&q.root);
            if goes_on && *has_cursor {
                self.suspended.0.push(Arc::downgrade(&shared));
                continue;
            }
            let QueryState { state, row, run } = &mut ***st;
            if goes_on {
                let first = self.with_cx(plan, params, run, |cx| {
                    let found = node::next(&q.root, state, row, cx)?;
                    Ok(found.then(|| Row::from(&row[..q.visible])))
                });
                match first {
                    Ok(Some(first)) => (*ahead, *has_cursor) = (Some(first), true),
                    Ok(None) => *rest = Rest::Kept(Box::default(), 0),
                    Err(e) => *rest = Rest::Failed(e),
                }
                self.suspended.0.push(Arc::downgrade(&shared));
                continue;
            }
            let ahead = ahead.take();
            *rest = match self.with_cx(plan, params, run, |cx| drain(q, state, row, ahead, cx)) {
                Ok(rows) => Rest::Kept(Box::new(rows), 0),
                Err(e) => Rest::Failed(e), // invariant 2
            };
        }
        Ok(())
    }

    /// Reads on: whether it is at its end, and how many rows it gave.
    pub(super) fn read_suspended(
        &mut self,
        s: &mut Suspended,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<(bool, u64), SqlError> {
        let Suspended { plan, params, rest, ahead, .. } = s;
        match rest {
            Rest::Live(st) => {
                let mut given = 0;
                if let Some(row) = ahead.take() {
                    sink.row(&row)?;
                    given = 1;
                }
                if max_rows > 0 && given == max_rows {
                    return Ok((false, given));
                }
                let (finished, more) = self.read(plan, params, st, max_rows.saturating_sub(given), sink)?;
                Ok((finished, given + more))
            }
            Rest::Kept(rows, at) => {
                let mut given = 0;
                while (max_rows == 0 || given < max_rows) && *at < rows.len() {
                    sink.row(rows.get(*at)?)?;
                    *at += 1;
                    given += 1;
                }
                Ok((*at == rows.len() && (max_rows == 0 || given < max_rows), given))
            }
            Rest::Failed(e) => Err(e.clone()),
        }
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
    ahead: Option<Row>,
    cx: &mut Cx<'_>,
) -> Result<NumberedRows, SqlError> {
    let mut rest = NumberedRows::default();
    if let Some(row) = ahead {
        rest.push(row, cx)?;
    }
    while node::next(&q.root, state, row, cx)? {
        rest.push(row[..q.visible].into(), cx)?;
    }
    Ok(rest)
}
