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
use super::{Access, Branch, KeyPart};
use crate::catalog::{Index, IndexMethod};
use std::sync::Arc;

/// Ranges of one OR: more are not looked at, so that planning does not take longer than running.
const BRANCHES_MAX: usize = 50_000;

/// What was found for the branches looked at so far.
struct Found<'a> {
    branches: Vec<Branch>,
    /// The part of the table's rows that their ranges hold.
    share: f64,
    /// Conditions beside the OR,
    beside: Vec<&'a Expr>,
    /// and these as indexes know them; behind them for a while a branch's own.
    quals: Vec<Option<Qual<'a>>>,
}

impl<'a> Request<'a> {
    /// An OR of which an index serves every branch.
    pub(super) fn any_of(&self, total: f64, rows: f64) -> Option<Path> {
        let mut best: Option<(f64, Vec<Branch>)> = None;
        for (n, q) in self.quals.iter().enumerate() {
            let Expr::Or(list) = q else { continue };
            if list.len() > BRANCHES_MAX {
                continue;
            }
            let others = self.quals.iter().enumerate().filter(|(other, _)| *other != n);
            let beside: Vec<&Expr> = others.map(|(_, q)| q).collect();
            let quals = beside.iter().map(|q| self.analyse(q)).collect();
            let mut found = Found { branches: Vec::new(), share: 0.0, beside, quals };
            if !list.iter().all(|e| self.branches(e, &mut found)) {
                continue;
            }
            let fetched = (total * found.share.min(1.0)).max(1.0);
            let cost = found.branches.len() as f64 * DESCENT_COST + fetched * FETCH_COST;
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
    fn branches(&self, e: &'a Expr, found: &mut Found<'a>) -> bool {
        let parts: &[Expr] = match e {
            Expr::And(list) => list,
            Expr::Or(list) => return list.iter().all(|e| self.branches(e, found)),
            one => std::slice::from_ref(one),
        };
        let beside = found.beside.len();
        found.quals.truncate(beside);
        found.quals.extend(parts.iter().map(|q| self.analyse(q)));
        let mut best: Option<(f64, &Arc<Index>, Match)> = None;
        for (place, index) in self.indexes(parts) {
            let m = self.matched(place, index, &found.quals, false);
            if index.extra.method == IndexMethod::Hash && m.keys.len() < index.columns.len() {
                continue;
            }
            let is_narrowed = m.used[beside..].contains(&true); // invariant 2
            if !is_narrowed || m.lists.iter().any(|(_, list)| list.values().is_none()) {
                continue;
            }
            let all = found.beside.iter().copied().chain(parts);
            let narrowing = all.zip(&m.used).filter(|(_, used)| **used).map(|(q, _)| q);
            let share = self.estimator.all(narrowing);
            if best.as_ref().is_none_or(|(least, ..)| share < *least) {
                best = Some((share, index, m));
            }
        }
        let Some((share, index, m)) = best else { return false };
        found.share += share;
        // Each value of a list with each of the others.
        let mut all: Vec<Vec<KeyPart>> = vec![m.keys];
        for (at, list) in m.lists {
            let Some(values) = list.values() else { return false };
            let with = |keys: &Vec<KeyPart>, value: &Expr| {
                let mut keys = keys.clone();
                keys[at].expr = value.clone();
                keys
            };
            all = all.iter().flat_map(|keys| values.iter().map(|v| with(keys, v))).collect();
        }
        let branch =
            |keys: Vec<KeyPart>| Branch { index: index.clone(), keys: keys.into(), bounds: m.bounds.clone() };
        found.branches.extend(all.into_iter().map(branch));
        found.branches.len() <= BRANCHES_MAX
    }
}
