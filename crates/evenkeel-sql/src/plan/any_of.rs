//! An OR that is answered by several ranges of one or more indexes, whose rows are then visited once each.
//!
//! Each branch is looked for with what is asked of every row besides: `a = 1 AND (b = 2 OR b = 3)` is two keys of an index of `(a, b)`.
//!
//! Invariants:
//! 1. The ranges of a branch hold every row that satisfies it and the conditions beside the OR. All of them are asked of the rows again.
//! 2. A branch's range is narrower than what the other conditions alone would give: else all branches were the same range.
//!
//! Must not know: how ranges are read.

use super::access::{DESCENT_COST, ENTRY_PASSED_COST, Match, Path, Qual, Request};
use super::expr::Expr;
use super::{Access, Ranges};
use crate::catalog::{Index, IndexMethod};
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
    /// An OR of which indexes serve every branch: its rows in the table's order, and, if it is one index, in that one's.
    pub(super) fn any_of(&self, total: f64, rows: f64) -> Vec<Path> {
        let places = self.places(None);
        let mut best: Option<(f64, f64, f64, Vec<Ranges>)> = None;
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
            let descents_cost = found.descents * DESCENT_COST;
            let cost = descents_cost + fetched * places.in_order_cost(fetched);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, descents_cost, fetched, found.branches));
            }
        }
        let Some((_, descents_cost, fetched, branches)) = best else { return Vec::new() };
        let consumed = vec![false; self.quals.len()];
        let path = |access: Access, entry_cost: f64, (ordered, backward): (bool, bool)| Path {
            access,
            consumed: consumed.clone(),
            rows,
            cost: descents_cost + fetched * entry_cost,
            ordered,
            backward,
            batched: false,
        };
        let mut paths = Vec::new();
        if let Some((place, index)) = self.only_index(&branches) {
            let quals: Vec<Option<Qual<'a>>> = self.quals.iter().map(|q| self.analyse(q)).collect();
            let order = self.order_of(place, 0, &quals, &vec![true; quals.len()]);
            // Rows that are fetched in the index's order are so for the sake of that.
            if self.instead_of_rows(index).is_some() || order.0 && !self.desired.is_empty() {
                let branches = branches.clone().into();
                paths.push(path(
                    Access::Union { branches },
                    self.entry_cost(index) + ENTRY_PASSED_COST,
                    order,
                ));
            }
        }
        let order = (self.desired.is_empty(), false);
        paths.push(path(Access::Any { branches: branches.into() }, places.in_order_cost(fetched), order));
        paths
    }

    /// The one index that all ranges are of, and its place.
    fn only_index(&self, branches: &[Ranges]) -> Option<(usize, &'a Arc<Index>)> {
        let oid = branches.first()?.index.oid;
        let is_one =
            branches.iter().all(|b| b.index.oid == oid && b.index.extra.method == IndexMethod::Btree);
        self.indexes_of(false, &[]).find(|(_, index)| is_one && index.oid == oid)
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
                let rows = total * share;
                let cost = m.descents * DESCENT_COST + rows * self.places(Some(index)).in_order_cost(rows);
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
