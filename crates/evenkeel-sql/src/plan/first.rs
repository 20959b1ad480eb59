//! What a node costs of which only the first rows are read.
//!
//! Invariants
//! 1. That is never more than the whole costs.
//!
//! Must not know: how many rows are read, and why.

use super::join::HASH_BUILD_COST;
use super::{Node, Op};

/// What so many rows of a node cost.
pub(super) fn cost_of_first(node: &Node, rows: f64) -> f64 {
    let begin = before_first(node).min(node.cost);
    let part = (rows / node.rows.max(1.0)).clamp(0.0, 1.0);
    begin + (node.cost - begin) * part
}

/// What is done before the first row comes.
fn before_first(node: &Node) -> f64 {
    match &node.op {
        Op::Single | Op::Nothing | Op::Values { .. } | Op::Scan(_) | Op::Virtual { .. } => 0.0,
        Op::Filter { input, .. } | Op::Project { input, .. } | Op::Limit { input, .. } => before_first(input),
        Op::Lock(lock) => before_first(&lock.input),
        Op::Subquery { query, .. } => before_first(&query.root),
        Op::NestedLoop(j) => before_first(&j.outer) + before_first(&j.inner),
        Op::HashJoin(j) => {
            let ((kept, ..), (streamed, ..)) = j.sides();
            kept.cost + kept.rows * HASH_BUILD_COST + before_first(streamed)
        }
        // One group of rows is sorted at a time.
        Op::Sort(sort) if sort.presorted > 0 => before_first(&sort.input),
        _ => node.cost,
    }
}
