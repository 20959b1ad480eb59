//! Outer joins that nobody reads: a LEFT JOIN with a table of which each row finds one row at most, and whose columns nothing asks for, adds nothing and
//! takes nothing away. Views that join more than a query reads of them have such.
//!
//! Invariants
//! 1. A unique index makes sure of the one row: its columns are all compared for equality with something else, as they are.
//!
//! Must not know: access paths, join methods.

use super::JoinKind;
use super::bound::{BoundSelect, FromTree, Source, SourceKind};
use super::expr::{CmpOp, Expr};
use super::flatten::over_level;

/// Leaves out such joins of a SELECT.
pub(super) fn drop_joins(s: &mut BoundSelect) {
    let has_any = s.level.tree.as_ref().is_some_and(has_candidate);
    if !has_any || !s.locks.is_empty() || !s.reached.is_empty() {
        return;
    }
    loop {
        let mut reads = vec![0; s.level.width];
        let mut count = |e: &Expr| count_reads(e, &mut reads);
        over_level(s, &mut count);
        // Keys of groups may be sets of rows.
        s.set_calls.iter().flat_map(|c| c.function.exprs()).for_each(&mut count);
        let Some(tree) = &mut s.level.tree else { return };
        if !drop_one(tree, &reads, &s.level.sources) {
            return;
        }
    }
}

fn has_candidate(tree: &FromTree) -> bool {
    let FromTree::Join { kind, left, right, .. } = tree else { return false };
    let is_one = *kind == JoinKind::Left && matches!(**right, FromTree::Source(_));
    is_one || has_candidate(left) || has_candidate(right)
}

fn count_reads(e: &Expr, reads: &mut [usize]) {
    e.walk(&mut |e| {
        if let Expr::Column(c) = e
            && let Some(n) = reads.get_mut(*c)
        {
            *n += 1;
        }
    });
}

fn drop_one(tree: &mut FromTree, reads: &[usize], sources: &[Source]) -> bool {
    let FromTree::Join { kind, left, right, on } = tree else { return false };
    if *kind == JoinKind::Left
        && let FromTree::Source(n) = **right
        && is_unread(&sources[n], on, reads)
    {
        let left = std::mem::replace(&mut **left, FromTree::Source(n));
        *tree = left;
        return true;
    }
    drop_one(left, reads, sources) || drop_one(right, reads, sources)
}

fn is_unread(source: &Source, on: &[Expr], reads: &[usize]) -> bool {
    let SourceKind::Table(table, _) = &source.kind else { return false };
    if source.sample.is_some() || source.current_of.is_some() {
        return false;
    }
    let own = source.at..source.at + source.width;
    let mut own_reads = vec![0; reads.len()];
    on.iter().for_each(|e| count_reads(e, &mut own_reads));
    let may_fail_or_change = |e: &Expr| e.calls_volatile() || e.any(|e| matches!(e, Expr::Subquery(..)));
    if own.clone().any(|p| reads[p] != own_reads[p]) || on.iter().any(may_fail_or_change) {
        return false;
    }
    let reads_own = |e: &Expr| e.any(|e| matches!(e, Expr::Column(c) if own.contains(c)));
    let is_compared = |column: usize| {
        let is_it = |e: &Expr| *e == Expr::Column(source.at + column);
        on.iter().any(|e| match e {
            Expr::Cmp(CmpOp::Eq, pair) => {
                is_it(&pair.0) && !reads_own(&pair.1) || is_it(&pair.1) && !reads_own(&pair.0)
            }
            _ => false,
        })
    };
    // Invariant 1.
    table
        .indexes
        .iter()
        .any(|i| i.unique && i.is_valid() && i.is_plain() && i.columns.iter().all(|c| is_compared(c.column)))
}
