//! Subqueries and common table expressions in EXPLAIN: beneath the node that runs them, and by their numbers in conditions.
//!
//! Must not know: how lines are shown, how subqueries are numbered.

use super::Printer;
use super::levels::{Numbered, computed, is_hashed, is_once, subqueries_in};
use super::lines::{Head, Line};
use crate::catalog::Table;
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::{Node, Op, PlanKind, Query};
use evenkeel_types::quote_ident;
use std::collections::HashMap;

/// What the places of the rows of ON CONFLICT are called: the one that is there, and the one that is not.
pub(super) fn conflict_names(table: &Table, alias: &str) -> HashMap<usize, String> {
    let mut names = HashMap::new();
    for (n, column) in table.columns.iter().enumerate() {
        let name = quote_ident(&column.name);
        names.insert(n, format!("{}.{name}", quote_ident(alias)));
        names.insert(table.columns.len() + 1 + n, format!("excluded.{name}"));
    }
    names
}

impl Printer<'_> {
    /// Notes what subqueries in expressions over the row at hand read of it; gives those that are run for each row.
    pub(super) fn note(&mut self, exprs: Vec<&Expr>) -> Vec<usize> {
        let (mut found, mut read) = (Vec::new(), Vec::new());
        for e in exprs {
            subqueries_in(e, &mut found);
            e.walk(&mut |e| {
                if let Expr::Subquery(_, _, args) = e {
                    read.extend(args.iter().map(|(slot, value)| (*slot, self.expr(value))));
                }
            });
        }
        self.outers.extend(read);
        let of_rows = found.into_iter().filter(|(_, once)| !once).map(|(n, _)| n);
        of_rows.flat_map(|n| [n].into_iter().chain(self.plan.hashed(n).map(|other| other.subplan))).collect()
    }

    /// The same of expressions over what a node gives, which is shown next.
    pub(super) fn note_over(&mut self, exprs: Vec<&Expr>, input: &Node) {
        let own = self.noted_over(exprs, input);
        self.waiting.extend(own);
    }

    fn noted_over(&mut self, exprs: Vec<&Expr>, input: &Node) -> Vec<usize> {
        if !exprs.iter().any(|e| e.any(|e| matches!(e, Expr::Subquery(..)))) {
            return Vec::new();
        }
        let outside = std::mem::take(&mut self.names);
        self.learn(input);
        let own = self.note(exprs);
        self.names = outside;
        own
    }

    /// The same of a node's own expressions.
    pub(super) fn note_node(&mut self, node: &Node) -> Vec<usize> {
        let mut exprs = Vec::new();
        node.own_exprs(&mut |e| exprs.push(e));
        match &node.op {
            // What is judged again is the same as what was judged.
            Op::Lock(_) => Vec::new(),
            Op::Project { input, .. } => self.noted_over(exprs, input),
            Op::Aggregate(a) => self.noted_over(exprs, &a.input),
            Op::NestedLoop(j) => {
                let own = self.note(exprs);
                let put: Vec<(usize, String)> = j.set.iter().map(|(slot, e)| (*slot, self.expr(e))).collect();
                self.outers.extend(put);
                own
            }
            _ => self.note(exprs),
        }
    }

    /// The same of what a change computes for the rows that it visits.
    pub(super) fn note_change(&mut self, kind: &PlanKind) {
        let exprs = computed(kind);
        match kind {
            PlanKind::Insert(i) => match &i.source {
                crate::plan::InsertSource::Query(q, _) => self.note_over(exprs, &q.root),
                crate::plan::InsertSource::Rows(_) => {
                    let own = self.note(exprs);
                    self.waiting.extend(own);
                }
            },
            PlanKind::Update(u) => self.note_over(exprs, &u.rows.input),
            PlanKind::Query(_) | PlanKind::Delete(_) | PlanKind::Merge(_) => {}
        }
    }

    /// What a change computes itself is over rows with these names; gives those that were there.
    pub(super) fn names_of_change(&mut self, kind: &PlanKind) -> HashMap<usize, String> {
        let outside = std::mem::take(&mut self.names);
        match kind {
            PlanKind::Insert(i) => {
                let table = self.plan.targets.get(i.target).map(|t| t.table.clone());
                let alias = self.levels.target(kind).cloned();
                if let (Some(table), Some(alias)) = (table, alias) {
                    self.names = conflict_names(&table, &alias);
                }
            }
            PlanKind::Update(u) => self.learn(&u.rows.input),
            PlanKind::Delete(d) => self.learn(&d.rows.input),
            PlanKind::Merge(m) => self.learn(&m.rows.input),
            PlanKind::Query(_) => {}
        }
        outside
    }

    /// Puts beneath a node, whose lines begin there, what its level runs once, before all else, and what it runs for its rows, behind it.
    pub(super) fn attach(&mut self, from: usize, depth: usize, level: Option<usize>, own: Vec<usize>) {
        let once = level.map(|key| self.levels.once(key).to_vec()).unwrap_or_default();
        if !once.is_empty() {
            let is_below = |l: &Line| matches!(l, Line::Node { .. } | Line::Title { .. });
            let details = self.out.iter().skip(from + 1).position(is_below);
            let below = details.map(|n| self.out.split_off(from + 1 + n)).unwrap_or_default();
            once.into_iter().for_each(|what| self.numbered(what, depth, true));
            self.out.extend(below);
        }
        own.into_iter().for_each(|n| self.numbered(Numbered::Subquery(n), depth, false));
    }

    fn numbered(&mut self, what: Numbered, depth: usize, once: bool) {
        let plan = self.plan;
        match what {
            Numbered::Subquery(n) => {
                let (Some(number), Some(q)) = (self.levels.number(n), plan.subplans.get(n)) else { return };
                if !self.shown.insert(n) {
                    return;
                }
                self.title(depth, format!("{} {number}", if once { "InitPlan" } else { "SubPlan" }), once);
                self.below_title(q, depth + 1);
            }
            Numbered::Cte(n) => {
                let Some(c) = plan.ctes.get(n) else { return };
                self.title(depth, format!("CTE {}", c.name), once);
                match (&c.change, &c.step) {
                    (Some(change), _) => self.kind(change, depth + 1, "->  "),
                    (None, None) => self.below_title(&c.query, depth + 1),
                    (None, Some(step)) => {
                        let (first, next) = (&c.query, &step.query);
                        let estimate = Some((first.root.cost + next.root.cost, first.root.rows * 10.0));
                        let head = Head::from("Recursive Union");
                        let depth = depth + 1;
                        self.out.push(Line::Node { depth, arrow: "->  ", head, estimate, actual: None });
                        self.below_title(first, depth + 1);
                        self.below_title(next, depth + 1);
                    }
                }
            }
        }
    }

    fn title(&mut self, depth: usize, name: String, once: bool) {
        self.out.push(Line::Title { depth, name, once });
    }

    /// The query of a numbered plan: nothing of what is around it is a part of it.
    fn below_title(&mut self, q: &Query, depth: usize) {
        let (waiting, filters) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.filters));
        let (above, given) = (self.above.take(), self.given.take());
        self.query(q, depth, "->  ");
        (self.waiting, self.filters, self.above, self.given) = (waiting, filters, above, given);
    }

    /// A subquery in an expression: its name, and what is done with its columns.
    pub(super) fn subquery(&self, n: usize, usage: &SubqueryUse, args: &[(usize, Expr)]) -> String {
        let number = self.levels.number(n).unwrap_or(n + 1);
        let once = is_once(usage, args);
        let hashed = if is_hashed(self.plan, n, usage, args) { "hashed " } else { "" };
        let name = format!("{hashed}{} {number}", if once { "InitPlan" } else { "SubPlan" });
        let compared = |op: CmpOp, left: &[Expr]| self.compared(op, left, &name);
        match usage {
            SubqueryUse::Scalar | SubqueryUse::Exists | SubqueryUse::Array(_) if once => {
                format!("({name}).col1")
            }
            SubqueryUse::Row(op, left) if once => compared(*op, left),
            SubqueryUse::Scalar => format!("({name})"),
            // As PostgreSQL wrote it before it chose when it plans.
            SubqueryUse::Exists => {
                match self.plan.hashed(n).and_then(|other| self.levels.number(other.subplan)) {
                    Some(other) => format!("(alternatives: {name} or hashed SubPlan {other})"),
                    None => format!("EXISTS({name})"),
                }
            }
            SubqueryUse::Array(_) => format!("ARRAY({name})"),
            SubqueryUse::Row(op, left) => format!("({})", compared(*op, left)),
            SubqueryUse::Any(op, left) => format!("(ANY {})", compared(*op, left)),
            // NOT IN.
            SubqueryUse::All(CmpOp::Ne, left) => format!("(NOT (ANY {}))", compared(CmpOp::Eq, left)),
            SubqueryUse::All(op, left) => format!("(ALL {})", compared(*op, left)),
        }
    }

    /// A row that is compared with that of a subquery.
    fn compared(&self, op: CmpOp, left: &[Expr], name: &str) -> String {
        let column = |n: usize| format!("({name}).col{}", n + 1);
        let pairs = left.iter().enumerate().map(|(n, e)| (self.expr(e), column(n)));
        match (op, left.len()) {
            (CmpOp::Eq | CmpOp::Ne, 2..) => {
                let each: Vec<String> = pairs.map(|(l, r)| format!("({l} {} {r})", op.name())).collect();
                format!("({})", each.join(if op == CmpOp::Eq { " AND " } else { " OR " }))
            }
            (_, 2..) => {
                let (left, right): (Vec<String>, Vec<String>) = pairs.unzip();
                format!("(ROW({}) {} ROW({}))", left.join(", "), op.name(), right.join(", "))
            }
            _ => pairs.map(|(l, r)| format!("({l} {} {r})", op.name())).collect(),
        }
    }
}
