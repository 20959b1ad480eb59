//! An OR that is answered by several ranges of one or more indexes, whose rows are then visited once each.
//!
//! Each branch is looked for with what is asked of every row besides: `a = 1 AND (b = 2 OR b = 3)` is two keys of an index of `(a, b)`.
//!
//! Invariants:
//! 1. The ranges of a branch hold every row that satisfies it and the conditions beside the OR. All of them are asked of the rows again.
//! 2. A branch's range is narrower than what the other conditions alone would give: else all branches were the same range.
//!
//! Must not know: how ranges are read.

use super::access::{DESCENT_COST, FETCH_COST, Match, Path, Qual, Request};
use super::expr::Expr;
use super::{Access, Ranges};
use crate::catalog::Index;
use std::sync::Arc;

/// Ranges of one OR: more are not looked at, so that planning does not take longer than running.
const BRANCHES_MAX: usize = 50_000;

/// What was found for the branches looked at so far.
struct Found<'a> {
    branches: Vec<Ranges>,
    /// The part of the table's rows that their ranges hold, and going down trees for them.
    share: f64,
    descents: f64,
    /// Conditions beside the OR,
    beside: Vec<&'a Expr>,
    /// and these as indexes know them; behind them for a while a branch's own.
    quals: Vec<Option<Qual<'a>>>,
}

impl<'a> Request<'a> {
    /// An OR of which an index serves every branch.
    pub(super) fn any_of(&self, total: f64, rows: f64) -> Option<Path> {
        let mut best: Option<(f64, Vec<Ranges>)> = None;
        for (n, q) in self.quals.iter().enumerate() {
            let Expr::Or(list) = q else { continue };
            if list.len() > BRANCHES_MAX {
                continue;
            }
            let others = self.quals.iter().enumerate().filter(|(other, _)| *other != n);
            let beside: Vec<&Expr> = others.map(|(_, q)| q).collect();
            let quals = beside.iter().map(|q| self.analyse(q)).collect();
            let mut found = Found { branches: Vec::new(), share: 0.0, descents: 0.0, beside, quals };
            if !list.iter().all(|e| self.branches(e, total, &mut found)) {
                continue;
            }
            let fetched = (total * found.share.min(1.0)).max(1.0);
            let cost = found.descents * DESCENT_COST + fetched * FETCH_COST;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, found.branches));
            }
        }
        let (cost, branches) = best?;
        let access = Access::Any { branches: branches.into() };
        let consumed = vec![false; self.quals.len()];
        let ordered = self.desired.is_empty();
        Some(Path { access, consumed, rows, cost, ordered, backward: false, batched: false })
    }

    /// Adds the ranges that hold what satisfies one branch of an OR.
    fn branches(&self, e: &'a Expr, total: f64, found: &mut Found<'a>) -> bool {
        let parts: &[Expr] = match e {
            Expr::And(list) => list,
            Expr::Or(list) => return list.iter().all(|e| self.branches(e, total, found)),
            one => std::slice::from_ref(one),
        };
        let beside = found.beside.len();
        found.quals.truncate(beside);
        found.quals.extend(parts.iter().map(|q| self.analyse(q)));
        let mut best: Option<(f64, f64, &Arc<Index>, Match)> = None;
        for (place, index) in self.indexes(parts) {
            for skips in [false, true] {
                let Some(m) = self.narrowed(place, index, &found.quals, skips) else { continue };
                if !m.used[beside..].contains(&true) {
                    continue; // invariant 2
                }
                let all = found.beside.iter().copied().chain(parts);
                let narrowing = all.zip(&m.used).filter(|(_, used)| **used).map(|(q, _)| q);
                let share = self.estimator.all(narrowing);
                let cost = m.descents * DESCENT_COST + total * share * FETCH_COST;
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, share, index, m));
                }
            }
        }
        let Some((_, share, index, m)) = best else { return false };
        found.share += share;
        found.descents += m.descents;
        let (index, keys, lists) = (index.clone(), m.keys.into(), m.lists.into());
        found.branches.push(Ranges { index, keys, lists, bounds: m.bounds });
        found.branches.len() <= BRANCHES_MAX
    }
}
