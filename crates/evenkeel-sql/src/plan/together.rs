//! GROUP BY and DISTINCT of rows that come together: an index gives them in an order in which a group has ended before the next begins, so that a LIMIT ends the
//! reading, and nothing is hashed or sorted.
//!
//! Must not know: how rows are read, what is computed of groups.

use super::Node;
use super::access::first_of;
use super::bound::{Distinct, Grouping, Level, OrderKey};
use super::build::Builder;
use super::estimate::Estimator;
use super::expr::Expr;
use super::join::{FromInput, plan_from};
use super::sort::{SortKey, sort_cost};
use evenkeel_types::Collation;
use evenkeel_types::error::SqlError;

/// What comparing a row with those that are there costs, where they are hashed.
const HASHED_ROW_COST: f64 = 0.005;

/// An order in which groups come one after the other.
pub(super) struct Together {
    pub keys: Vec<SortKey>,
    /// What tells groups apart.
    of: Vec<Expr>,
    /// So many of them are wanted.
    few: Option<f64>,
    /// Otherwise the rows are sorted.
    sorts: bool,
}

impl Together {
    /// That of GROUP BY for an ORDER BY of what is grouped by, where few groups are wanted of all that there are.
    pub fn of_groups(g: &Grouping, outs: &[Expr], order: &[OrderKey], few: Option<f64>) -> Option<Together> {
        few?;
        if g.plain || !g.sets.is_empty() || g.having.is_some() {
            return None;
        }
        let own = |key: SortKey| match key.expr {
            Expr::Column(n) => Some(SortKey { expr: g.keys.get(n)?.clone(), ..key }),
            _ => None,
        };
        let keys = order.iter().map(|o| own(o.key(outs))).collect::<Option<Vec<_>>>()?;
        Together::new(keys, g.keys.clone(), few, false)
    }

    /// That of DISTINCT, and of what it is ordered by: of a few rows, or where all would be sorted.
    pub fn of_distinct(
        distinct: &Distinct,
        outs: &[Expr],
        order: &[OrderKey],
        few: Option<f64>,
    ) -> Option<Together> {
        let keys = order.iter().map(|o| o.key(outs)).collect::<Vec<_>>();
        match distinct {
            Distinct::All(collations) if few.is_some() && collations.is_empty() => {
                Together::new(keys, outs.to_vec(), few, false)
            }
            Distinct::On(list) if few.is_some() || !order.is_empty() => {
                Together::new(keys, list.clone(), few, !order.is_empty())
            }
            _ => None,
        }
    }

    /// `keys` with what they lack, in the direction in which they go.
    fn new(mut keys: Vec<SortKey>, of: Vec<Expr>, few: Option<f64>, sorts: bool) -> Option<Together> {
        if of.iter().any(|e| matches!(e, Expr::ByCollation(..))) {
            return None;
        }
        let (desc, nulls_first) = keys.last().map_or((false, false), |k| (k.desc, k.nulls_first));
        for expr in &of {
            if !keys.iter().any(|k| k.expr == *expr) {
                let (expr, collation) = (expr.clone(), Collation::default());
                keys.push(SortKey { expr, desc, nulls_first, collation });
            }
        }
        Some(Together { keys, of, few, sorts })
    }
}

impl Builder<'_> {
    /// FROM and WHERE in such an order, if an index gives it and that is cheaper than to take the rows as they were planned.
    pub(super) fn together(
        &self,
        level: Level,
        (used, row_ids): (&[bool], &[usize]),
        wanted: &Together,
        (otherwise, estimator): (&Node, &Estimator<'_>),
    ) -> Result<Option<Node>, SqlError> {
        if !self.may_plan_again() {
            return Ok(None);
        }
        let rows = otherwise.rows.max(1.0);
        let groups = estimator.groups(&wanted.of, rows);
        let read = wanted.few.map_or(rows, |few| (rows * few / groups).min(rows)).max(1.0);
        let input = FromInput { level, used, row_ids, desired: &wanted.keys, limit_rows: Some(read) };
        let found = plan_from(self, input)?;
        let work = if wanted.sorts { sort_cost(rows) } else { rows * HASHED_ROW_COST };
        let is_better = first_of(found.node.cost, rows / read) < otherwise.cost + work;
        Ok((found.is_sorted && is_better).then_some(found.node))
    }
}
