//! Judging a joined row again whose rows have newer versions: the executor's part of PostgreSQL's EvalPlanQual.
//!
//! A statement under READ COMMITTED keeps its snapshot. A row that it is to change or lock, and that somebody else has changed since, comes back from
//! the engine locked and new. Whatever else belongs to the match stays as it was matched, the new version is put in its place in a copy of the row
//! buffer (the joins below still need the buffer as they filled it), and the copy is judged.
//!
//! Invariants:
//! 1. Every match of a row whose newer version was met is judged with that version: `RunState::outdated` names such rows, as long as this statement
//!    has not written them.
//!
//! Must not know: SQL syntax, how rows are locked.

use super::eval::{eval, holds};
use super::rowset::same;
use super::{Cx, RunState};
use crate::plan::JoinKind;
use crate::plan::expr::Expr;
use crate::plan::recheck::{Recheck, Rejoin};
use evenkeel::TreeId;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::ops::Range;

/// Memory that a row's name occupies in `RunState::outdated`.
const NAME_BYTES: usize = 48;

impl RunState {
    /// A newer version of the row was met (invariant 1).
    pub fn add_outdated(&mut self, tree: TreeId, id: u64) -> Result<(), SqlError> {
        if self.outdated.insert((tree, id)) {
            self.memory.grow(NAME_BYTES)?;
        }
        Ok(())
    }

    /// The statement has written the row: whoever comes to it again finds it changed by itself.
    #[inline]
    pub fn is_written(&mut self, tree: TreeId, id: u64) {
        if !self.outdated.is_empty() && self.outdated.remove(&(tree, id)) {
            self.memory.shrink(NAME_BYTES);
        }
    }

    /// Whether the statement's snapshot has an older version of the row than the one that is locked.
    #[inline]
    pub fn is_outdated(&self, tree: TreeId, id: u64) -> bool {
        !self.outdated.is_empty() && self.outdated.contains(&(tree, id))
    }
}

/// Whether the rows that were `matched` still belong together now that `row` holds newer versions of some. Sides of outer joins that no longer
/// match become NULL.
pub fn holds_again(
    r: &Recheck,
    matched: &[Datum],
    row: &mut [Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    if let Some(joins) = &r.joins
        && !rejoin(joins, false, row, cx)?
    {
        return Ok(false);
    }
    for e in &r.same {
        if !same(&eval(e, matched, cx)?, &eval(e, row, cx)?) {
            return Ok(false);
        }
    }
    if let Some(condition) = &r.condition
        && !holds(condition, row, cx)?
    {
        return Ok(false);
    }
    for found in &r.found {
        if let Expr::Subquery(number, _, args) = found
            && !super::subquery::finds_again(*number, args, matched, row, cx)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a side of the joins has its row. Where it may be missing (`nullable`) it is, as a whole, if everything read of it is NULL: whether a single
/// relation of it is there cannot be told by its own columns, of which perhaps none is read.
fn rejoin(r: &Rejoin, nullable: bool, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let is_there = |at: &Range<usize>| row[at.clone()].iter().any(|d| !d.is_null());
    let (kind, left, right, on, at) = match r {
        Rejoin::Row(at) => return Ok(!nullable || is_there(at)),
        Rejoin::Join { kind, left, right, on, at } => (*kind, left, right, on, at),
    };
    if nullable && !at.0.iter().chain(&at.1).any(is_there) {
        return Ok(false);
    }
    let has_left = rejoin(left, kind == JoinKind::Full, row, cx)?;
    if !has_left && kind != JoinKind::Full {
        return Ok(false);
    }
    let has_right = rejoin(right, kind != JoinKind::Inner, row, cx)?;
    let is_pair = has_left
        && has_right
        && match on {
            Some(c) => holds(c, row, cx)?,
            None => true,
        };
    if is_pair || kind == JoinKind::Inner {
        return Ok(is_pair);
    }
    // Of two rows that no longer match, the left one comes first.
    for places in if has_left { &at.1 } else { &at.0 } {
        row[places.clone()].fill(Datum::Null);
    }
    Ok(true)
}
