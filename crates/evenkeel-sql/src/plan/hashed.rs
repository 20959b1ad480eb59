//! EXISTS that stays a subquery: its other way. It is asked row by row, which an index may serve; or its rows are read once, without the equalities with what is put
//! aside for it, and looked up by these in a hash table. Which of the two costs less depends on how many rows will ask: the executor begins with the first, and goes over
//! to the second once it has spent what that costs (`exec/subquery.rs`). PostgreSQL chooses by estimates when it plans (AlternativeSubPlan).
//!
//! Invariants
//! 1. The other way reads nothing that is put aside: its rows are the same however often it is asked.
//! 2. Both give the same answer for the same values.
//!
//! Must not know: how rows are kept.

use super::bound::{Body, BoundQuery};
use super::build::Builder;
use super::expr::{CmpOp, Expr, SubqueryUse};
use super::pull::is_movable;
use super::{Plan, Query};
use evenkeel_types::error::SqlError;
use std::collections::BTreeSet;

/// The other way of an EXISTS.
#[derive(Debug)]
pub struct Hashed {
    /// The number of the subplan that gives the rows.
    pub subplan: usize,
    /// What is looked up in them: values over what is put aside.
    pub keys: Box<[Expr]>,
}

impl Plan {
    /// The other way of a subquery that EXISTS asks.
    pub fn hashed(&self, subquery: usize) -> Option<&Hashed> {
        self.subplan_hashed.get(subquery)?.as_ref()
    }
}

/// Subqueries that are left in expressions.
#[derive(Default)]
pub(super) struct Waiting {
    /// Their numbers.
    pub numbers: Vec<usize>,
    /// Those that EXISTS asks anew for each row.
    pub of_exists: BTreeSet<usize>,
}

impl Waiting {
    /// Adds those of an expression.
    pub fn find(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let Expr::Subquery(n, usage, args) = e {
                self.numbers.push(*n);
                if matches!(**usage, SubqueryUse::Exists) && !args.is_empty() {
                    self.of_exists.insert(*n);
                }
            }
        })
    }
}

impl Builder<'_> {
    /// The other ways of some subqueries, whose rows are those of further subplans.
    pub(super) fn hashed_ways(
        &self,
        of_exists: &BTreeSet<usize>,
        subplans: &mut Vec<Query>,
    ) -> Result<Vec<Option<Hashed>>, SqlError> {
        let mut ways: Vec<_> = self.subqueries.iter().map(|_| None).collect();
        for n in of_exists {
            let Some((query, keys)) = self.rows_of_exists(*n) else { continue };
            let query = self.query(query)?;
            // Subqueries within were planned for the first way.
            let mut within = Waiting::default();
            query.root.all_exprs(&mut |e| within.find(e));
            if within.numbers.is_empty() {
                ways[*n] = Some(Hashed { subplan: subplans.len(), keys });
                subplans.push(query);
            }
        }
        Ok(ways)
    }

    /// The rows of a subquery that EXISTS asks, as such of their values as are asked for, and by what they are.
    fn rows_of_exists(&self, subquery: usize) -> Option<(BoundQuery, Box<[Expr]>)> {
        let asked = &self.subqueries[subquery];
        asked.as_select()?.joined_where()?;
        if asked.limits != (None, None) || !asked.with.is_empty() || self.is_volatile(subquery) {
            return None;
        }
        let mut query = asked.clone();
        let Body::Select(select) = &mut query.body else { return None };
        let (mut keys, mut own, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for condition in std::mem::take(&mut select.level.conjuncts) {
            match sides(&condition) {
                Some((value, column)) => {
                    keys.push(value.clone());
                    own.push(column.clone());
                }
                None => others.push(condition),
            }
        }
        if keys.is_empty() {
            return None;
        }
        (select.level.conjuncts, select.outs, select.first_only) = (others, own, false);
        query.visible = keys.len();
        // Invariant 1.
        self.reads(&query).is_empty().then(|| (query, keys.into()))
    }
}

/// The sides of an equality of what is put aside with what a level has.
fn sides(condition: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Cmp(CmpOp::Eq, pair) = condition else { return None };
    let reads_columns = |e: &Expr| e.any(|e| matches!(e, Expr::Column(_)));
    let is_value = |e: &Expr| e.reads_outer() && !reads_columns(e) && is_movable(e);
    let is_own = |e: &Expr| !e.reads_outer() && reads_columns(e) && is_movable(e);
    let (a, b) = &**pair;
    match () {
        () if is_value(a) && is_own(b) => Some((a, b)),
        () if is_value(b) && is_own(a) => Some((b, a)),
        () => None,
    }
}
