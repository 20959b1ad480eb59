//! How a joined row is judged again when rows of it turned out to have newer versions than the statement sees: the plan's part of PostgreSQL's
//! EvalPlanQual. The newer versions stand in the row buffer beside those of the other relations as they were matched, and the joins and the
//! condition are evaluated over that one combination: no other row takes part.
//!
//! Subqueries that PostgreSQL turns into joins take part like any other joined relation: the row that they found is kept. So `x IN (subquery)`
//! holds again only for the same `x`, EXISTS only for the row found before, and NOT EXISTS, which found none, always.
//!
//! Must not know: how rows are read.

use super::JoinKind;
use super::bound::{FromTree, Source};
use super::expr::{CmpOp, Expr, SubqueryUse};
use std::ops::Range;

/// What a combination of rows must satisfy.
#[derive(Debug, Default)]
pub struct Recheck {
    /// The joins; None: there is but one relation.
    pub joins: Option<Rejoin>,
    /// WHERE, apart from what follows.
    pub condition: Option<Expr>,
    /// Values that must be what they were.
    pub same: Box<[Expr]>,
    /// Subqueries whose EXISTS found a row, which must do again.
    pub found: Box<[Expr]>,
}

/// One combination of rows, joined again.
#[derive(Debug)]
pub enum Rejoin {
    /// The row of a relation: its places.
    Row(Range<usize>),
    /// A join.
    Join {
        /// Which side must be there.
        kind: JoinKind,
        /// The left side.
        left: Box<Rejoin>,
        /// The right side.
        right: Box<Rejoin>,
        /// What the pair must satisfy.
        on: Option<Expr>,
        /// The places of both sides.
        at: (Vec<Range<usize>>, Vec<Range<usize>>),
    },
}

impl Rejoin {
    fn new(tree: &FromTree, sources: &[Source]) -> Rejoin {
        match tree {
            FromTree::Source(n) => Rejoin::Row(sources[*n].at..sources[*n].at + sources[*n].width),
            FromTree::Join { kind, left, right, on } => {
                let (left, right) = (Rejoin::new(left, sources), Rejoin::new(right, sources));
                let at = (left.at(), right.at());
                Rejoin::Join {
                    kind: *kind,
                    left: Box::new(left),
                    right: Box::new(right),
                    on: Expr::all(on.clone()),
                    at,
                }
            }
        }
    }

    /// Its places. Those of one side need not be next to each other (`flatten`).
    fn at(&self) -> Vec<Range<usize>> {
        match self {
            Rejoin::Row(at) => vec![at.clone()],
            Rejoin::Join { at: (l, r), .. } => l.iter().chain(r).cloned().collect(),
        }
    }

    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        if let Rejoin::Join { left, right, on, .. } = self {
            left.exprs(f);
            right.exprs(f);
            on.iter().for_each(f);
        }
    }
}

impl Recheck {
    /// For a bound FROM and WHERE. `is_joined` tells of a subquery whether PostgreSQL would make a join of its EXISTS.
    pub fn new(
        tree: Option<&FromTree>,
        sources: &[Source],
        conjuncts: &[Expr],
        is_joined: impl Fn(usize) -> bool,
    ) -> Recheck {
        let (mut condition, mut same, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let exists = |e: &Expr| match e {
            Expr::Subquery(n, usage, args) => {
                matches!(**usage, SubqueryUse::Exists) && !args.is_empty() && is_joined(*n)
            }
            _ => false,
        };
        for c in conjuncts {
            if let Expr::Not(e) = c
                && exists(e)
            {
                continue;
            }
            if exists(c) {
                found.push(c.clone());
                continue;
            }
            if let Expr::Subquery(_, usage, args) = c
                && let SubqueryUse::Any(CmpOp::Eq, left) = &**usage
                && left.iter().any(|e| e.any(|e| matches!(e, Expr::Column(_))))
            {
                same.extend(left.iter().cloned());
                if args.is_empty() {
                    continue;
                }
            }
            condition.push(c.clone());
        }
        Recheck {
            joins: tree.filter(|t| matches!(t, FromTree::Join { .. })).map(|t| Rejoin::new(t, sources)),
            condition: Expr::all(condition),
            same: same.into(),
            found: found.into(),
        }
    }

    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.joins.iter().for_each(|j| j.exprs(f));
        self.condition.iter().chain(&self.same).chain(&self.found).for_each(f);
    }
}
