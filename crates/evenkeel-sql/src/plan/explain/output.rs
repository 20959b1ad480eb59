//! What nodes give, for EXPLAIN VERBOSE.
//!
//! Must not know: how lines are shown.

use super::Printer;
use crate::plan::expr::Expr;
use crate::plan::{Node, Op, Plan, PlanKind};
use std::collections::{BTreeSet, HashMap};

/// How many relations a statement has.
pub(super) fn relations_of(plan: &Plan) -> usize {
    fn of_kind(kind: &PlanKind) -> usize {
        match kind {
            PlanKind::Query(q) => of_node(&q.root),
            PlanKind::Insert(i) => match &i.source {
                crate::plan::InsertSource::Query(q, _) => 1 + of_node(&q.root),
                crate::plan::InsertSource::Rows(_) => 1,
            },
            // What is changed is among the rows that are visited.
            PlanKind::Update(u) => of_node(&u.rows.input),
            PlanKind::Delete(d) => of_node(&d.rows.input),
            PlanKind::Merge(m) => of_node(&m.rows.input),
        }
    }
    fn of_node(node: &Node) -> usize {
        let is_one = matches!(
            node.op,
            Op::Scan(_)
                | Op::Virtual { .. }
                | Op::Function { .. }
                | Op::Subquery { .. }
                | Op::Cte { .. }
                | Op::Values { .. }
                | Op::Single
                | Op::Nothing
        );
        usize::from(is_one) + node.children().into_iter().map(of_node).sum::<usize>()
    }
    let ctes = plan.ctes.iter().map(|c| match &c.change {
        Some(change) => of_kind(change),
        None => of_node(&c.query.root) + c.step.as_ref().map_or(0, |s| of_node(&s.query.root)),
    });
    of_kind(&plan.kind) + plan.subplans.iter().map(|q| of_node(&q.root)).sum::<usize>() + ctes.sum::<usize>()
}

impl Printer<'_> {
    /// The names of what a node's row has, as they are in a list of what is given.
    pub(super) fn given_names(&mut self, node: &Node) -> HashMap<usize, String> {
        if let Some((exprs, input)) = list_below(node) {
            return self.given_by(exprs, input).into_iter().enumerate().collect();
        }
        let (names, before) = (std::mem::take(&mut self.names), self.is_prefixed);
        self.is_prefixed = self.relations > 1;
        self.learn(node);
        self.is_prefixed = before;
        std::mem::replace(&mut self.names, names)
    }

    /// A select list over what a node gives: it is given by what is shown next.
    pub(super) fn give(&mut self, exprs: &[Expr], input: &Node) {
        if self.catalog.is_none() {
            return;
        }
        if self.given.is_none() {
            self.given = Some(self.given_by(exprs, input));
        }
        self.wanted = columns(exprs.iter());
    }

    /// What a select list gives.
    fn given_by(&mut self, exprs: &[Expr], input: &Node) -> Vec<String> {
        let given = self.given_names(input);
        let names = std::mem::replace(&mut self.names, given);
        let is_window = matches!(input.op, Op::Window(_));
        let texts = exprs.iter().map(|e| match (self.expr(e), e) {
            (text, Expr::Column(_)) if is_window && text.contains(" OVER ") => {
                text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(&text).to_owned()
            }
            (text, _) => text,
        });
        let texts = texts.collect();
        self.names = names;
        texts
    }

    /// What a node gives.
    pub(super) fn output(&mut self, node: &Node) -> Option<Vec<String>> {
        self.catalog?;
        let given = match (self.given.take(), &node.op) {
            (Some(given), _) => given,
            (None, Op::Aggregate(a)) => {
                let before = std::mem::replace(&mut self.is_prefixed, self.relations > 1);
                let names = self.aggregate_names(a);
                self.is_prefixed = before;
                let keys = (0..a.keys.len() + a.calls.len()).filter_map(|n| names.get(&n).cloned());
                keys.collect()
            }
            (None, _) => {
                let names = self.given_names(node);
                self.wanted.iter().filter_map(|n| names.get(n).cloned()).collect()
            }
        };
        (!given.is_empty()).then_some(given)
    }

    /// Goes on with what is below a condition.
    pub(super) fn want_below(&mut self, condition: &Expr) {
        if self.catalog.is_some() {
            self.wanted_below.extend(columns(std::iter::once(condition)));
        }
    }

    /// Goes on with what is below a node: that reads what is wanted of it, and what it wants itself.
    pub(super) fn want(&mut self, node: &Node) {
        if self.catalog.is_none() {
            return;
        }
        let mut own = Vec::new();
        node.own_exprs(&mut |e| e.columns(&mut own));
        if matches!(node.op, Op::Aggregate(_) | Op::Project { .. }) {
            self.wanted.clear();
        }
        self.wanted.extend(own);
        self.wanted.append(&mut self.wanted_below);
    }

    /// A level of a statement begins, the first so many places of whose row are its columns.
    pub(super) fn want_first(&mut self, visible: usize) -> BTreeSet<usize> {
        std::mem::replace(&mut self.wanted, (0..visible).collect())
    }
}

/// The select list that makes the rows that a node hands on.
fn list_below(node: &Node) -> Option<(&[Expr], &Node)> {
    match &node.op {
        Op::Project { input, exprs, .. } => Some((exprs, input)),
        Op::Limit { input, .. } | Op::Filter { input, .. } | Op::Materialize { input, .. } => {
            list_below(input)
        }
        Op::Distinct(d) => list_below(&d.input),
        Op::Sort(s) => list_below(&s.input),
        Op::Lock(l) => list_below(&l.input),
        _ => None,
    }
}

fn columns<'a>(exprs: impl Iterator<Item = &'a Expr>) -> BTreeSet<usize> {
    let mut all = Vec::new();
    exprs.for_each(|e| e.columns(&mut all));
    all.into_iter().collect()
}
