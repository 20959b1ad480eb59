//! Portals and cursors that were suspended, and go on seeing what they saw when they began.
//!
//! Each keeps the sight of its statement, and is read within it, so that the statements in between are none of its business. Rows are read, and locked
//! where it says FOR UPDATE, when they are asked for.
//!
//! Invariants:
//! 1. A portal is `Live` only in the transaction that it began in, and only then it has a sight.
//! 2. Putting rows aside fails the portal, not the statement that caused it.
//! 3. Before definitions change all is put aside, in memory up to `work_mem` and in a temporary file beyond: a tree that is dropped has no cursor.
//!
//! Must not know: SQL syntax.

use super::planned::QueryState;
use super::{Portal, RowSink, Session};
use crate::exec::Cx;
use crate::exec::node;
use crate::exec::numbered::NumberedRows;
use crate::parse::Stmt;
use crate::plan::{Plan, PlanKind, Query};
use evenkeel::Sight;
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
    /// What its statement sees.
    sight: Option<Sight>,
}

impl Suspended {
    pub fn new(
        plan: Arc<Deep<Plan>>,
        params: Vec<Datum>,
        state: Box<Deep<QueryState>>,
        sight: Sight,
    ) -> Suspended {
        Suspended { plan, params, rest: Rest::Live(state), sight: Some(sight) }
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

    /// Whether there is one, of whatever kind.
    pub fn has_any(&self) -> bool {
        self.0.iter().any(|p| p.strong_count() > 0)
    }

    fn take(&mut self) -> Vec<Arc<Mutex<Suspended>>> {
        std::mem::take(&mut self.0).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Session {
    /// Before a portal begins its statement: what is suspended does not need the trees that it may drop (invariant 3).
    pub(super) fn before_statement(&mut self, portal: &Portal) -> Result<(), SqlError> {
        if self.suspended.0.is_empty() || !matches!(portal.state, super::PortalState::New) {
            return Ok(());
        }
        let defines = match &*portal.stmt.body.stmt {
            Stmt::Empty | Stmt::Txn(_) | Stmt::Set(_) | Stmt::Show(_) | Stmt::Reset(_) => false,
            Stmt::Fetch(_) | Stmt::Close(_) | Stmt::Prepare(_) | Stmt::Deallocate(_) => false,
            Stmt::Listen(_) | Stmt::Declare(_) | Stmt::Execute(..) | Stmt::Explain(_) | Stmt::Copy(_) => {
                false
            }
            _ => portal.plan.is_none(),
        };
        if !defines {
            return Ok(());
        }
        for shared in self.suspended.take() {
            let mut s = shared.lock();
            let Suspended { plan, params, rest, sight } = &mut *s;
            let Rest::Live(st) = rest else { continue };
            let PlanKind::Query(q) = &plan.kind else { continue };
            let QueryState { state, row, run } = &mut ***st;
            let sight = sight.take();
            let drained = self
                .with_cx(plan, params, run, |cx| reading(sight.as_ref(), cx, |cx| drain(q, state, row, cx)));
            *rest = match drained {
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
        let Suspended { plan, params, rest, sight } = s;
        match rest {
            Rest::Live(st) => self.read(plan, params, st, (max_rows, sight.as_ref()), sink),
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
                s.sight = None;
            }
        }
    }
}

/// Reads on within the sight of the statement that was suspended; None: it is the current one.
pub(super) fn reading<T>(
    sight: Option<&Sight>,
    cx: &mut Cx<'_>,
    read: impl FnOnce(&mut Cx<'_>) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    let Some(sight) = sight else { return read(cx) };
    cx.run.is_resumed = true;
    let interrupted = cx.txn.begin_inner(Some(sight));
    let result = read(cx);
    cx.txn.end_inner(interrupted);
    result
}

fn drain(
    q: &Query,
    state: &mut node::State,
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<NumberedRows, SqlError> {
    let mut rest = NumberedRows::default();
    while node::next(&q.root, state, row, cx)? {
        rest.push(row[..q.visible].into(), cx)?;
    }
    Ok(rest)
}
