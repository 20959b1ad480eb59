//! A subquery in FROM that is asked for one row of what it joins: the values that it is joined by become conditions within it, where an index may serve them, and it is computed anew for each such row. So a
//! view of a UNION ALL, or one that groups, is not computed for all keys where few are wanted.
//!
//! Rejected: to ask what has a LIMIT or DISTINCT ON, or is volatile: it would give other rows.
//!
//! Must not know: the order of units.

use super::{Planner, Unit, What};
use crate::plan::Query;
use crate::plan::bound::{BoundQuery, Source, SourceKind};
use crate::plan::build::Builder;
use crate::plan::expr::{CmpOp, Expr};
use crate::plan::pull::{accept, accepts, is_movable, relative};

/// So many times cheaper than the whole has asking to be: there may be more rows that ask than was estimated.
const CHEAPER_BY: f64 = 20.0;
/// What beginning a subquery anew takes.
const BEGIN_COST: f64 = 0.3;
/// A subquery that costs less is computed for all.
const FROM_COST: f64 = 20.0;

/// A subquery with conditions in it on values that are put aside for it.
pub(super) struct Asked {
    pub query: Query,
    /// The values: (slot, value).
    pub set: Vec<(usize, Expr)>,
    /// Conditions that are left.
    pub rest: Vec<Expr>,
}

impl Asked {
    /// What asking once costs.
    pub fn cost(&self) -> f64 {
        self.query.root.cost + BEGIN_COST
    }
}

impl Builder<'_> {
    /// Whether a subquery may be computed for some rows instead of all.
    pub(super) fn is_askable(&self, q: &BoundQuery) -> bool {
        q.limits == (None, None) && !self.is_query_volatile(q)
    }
}

impl Planner<'_> {
    /// A unit that is a subquery, asked by conditions that read others; `None`: it cannot be, or it would gain nothing.
    pub(super) fn asked(&self, unit: &Unit, quals: &[&Expr]) -> Option<Asked> {
        let What::Source(n) = unit.what else { return None };
        let Some(Source { kind: SourceKind::Query(..), at, width, .. }) = &self.sources[n] else {
            return None;
        };
        let whole_cost = self.subqueries[n].as_ref()?.root.cost;
        let before = self.bound[n].as_ref().filter(|_| whole_cost >= FROM_COST && !self.is_lateral(unit))?;
        let (mut query, mut set, mut rest) = ((**before).clone(), Vec::new(), Vec::new());
        for q in quals {
            let Some((value, own)) =
                self.equality(q, &unit.relations).filter(|(v, o)| is_movable(v) && is_movable(o))
            else {
                rest.push((*q).clone());
                continue;
            };
            let slot = self.builder.new_slot();
            let own = own.map(&mut |e| relative(e, *at));
            let condition = Expr::Cmp(CmpOp::Eq, Box::new((own, Expr::Outer(slot))));
            if accepts(&query, &condition) {
                accept(&mut query, condition);
                set.push((slot, value));
            } else {
                rest.push((*q).clone());
            }
        }
        if set.is_empty() || !self.builder.may_plan_again() {
            return None;
        }
        let query = self.builder.query_for(query, &self.used[*at..at + width]).ok()?;
        let asked = Asked { query, set, rest };
        (asked.cost() * CHEAPER_BY < whole_cost).then_some(asked)
    }
}
