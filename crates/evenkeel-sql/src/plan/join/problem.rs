//! The units of a level as a problem for `order`: what each step costs, by which conditions, and how it is carried out.
//!
//! Must not know: how nodes are made.

use super::method::{HASH_BUILD_COST, PAIR_COST, method};
use super::{Planner, Unit, What, joined_rows};
use crate::plan::JoinKind;
use crate::plan::SortKey;
use crate::plan::bound::{Source, SourceKind};
use crate::plan::expr::Expr;
use crate::plan::order::{self, Order, Step, Steps};
use crate::plan::relations::Relations;
use crate::plan::sort::sort_cost;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A condition that reads several units.
pub(super) struct Condition {
    pub expr: Expr,
    pub units: Relations,
    pub share: f64,
    /// The unit whose own it is.
    pub owner: Option<usize>,
    /// The columns that it says are equal are of this class: of several such conditions for one column of a unit, one is enough.
    pub class: Option<usize>,
}

/// Of conditions that join a unit, those without which something would be missing.
pub(super) fn without_implied<'c>(
    conditions: impl Iterator<Item = (usize, &'c Condition)>,
    is_own: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut seen: Vec<(usize, usize)> = Vec::new();
    let is_new = |c: &Condition| {
        let (Some(class), Expr::Cmp(_, pair)) = (c.class, &c.expr) else { return true };
        let (Expr::Column(a), Expr::Column(b)) = &**pair else { return true };
        let key = (class, if is_own(*a) { *a } else { *b });
        let new = !seen.contains(&key);
        seen.push(key);
        new
    };
    let mut is_new = is_new;
    conditions.filter(|(_, c)| is_new(c)).map(|(n, _)| n).collect()
}

/// A unit, and conditions that it is looked up by.
pub(super) type LookUp = (usize, Vec<usize>);

/// The units of a level and what combines them.
pub(super) struct Problem<'p, 'a> {
    pub planner: &'p Planner<'a>,
    pub units: Vec<Unit>,
    pub conditions: Vec<Condition>,
    /// The conditions that read a unit, by its number.
    pub of_unit: Vec<Vec<usize>>,
    /// What looking up a unit by some of the conditions costs; None: it cannot be.
    pub looked_up: RefCell<HashMap<LookUp, Option<f64>>>,
    /// The order of the first unit's rows is to be kept.
    pub in_order: Cell<bool>,
    /// The part of the joined rows that is read.
    pub part: Cell<f64>,
}

impl Problem<'_, '_> {
    /// Rows and cost of a unit by itself.
    pub fn estimate(&mut self, n: usize) {
        let (unit, p) = (&self.units[n], self.planner);
        let share = p.estimator.all(&unit.local);
        let (rows, cost) = match &unit.what {
            What::Source(s) => match &p.sources[*s] {
                Some(Source { kind: SourceKind::Table(table, _), at, .. }) => {
                    let path = p.request(*s, table, *at, &unit.local, &[], None).choose();
                    (path.rows, path.cost)
                }
                _ => {
                    let rows = p.estimator.relations[*s].rows;
                    let cost = p.subqueries[*s].as_ref().map_or(rows * 0.01, |q| q.root.cost);
                    ((rows * share).max(1.0), cost)
                }
            },
            What::Node(node) => node.as_ref().map_or((0.0, 0.0), |n| ((n.rows * share).max(1.0), n.cost)),
        };
        let mut unique = None;
        if unit.kind == JoinKind::Semi && !p.is_lateral(unit) {
            let split = |c: &usize| p.equality(&self.conditions[*c].expr, &unit.relations).map(|k| k.1);
            unique = unit.own.iter().map(split).collect::<Option<Vec<Expr>>>();
        }
        let unique = unique.map(|keys| (p.estimator.groups(&keys, rows), keys));
        let unit = &mut self.units[n];
        (unit.rows, unit.cost, unit.unique) = (rows, cost, unique);
    }

    /// The cheapest order, and whether its rows come as desired. All orders lead to the same rows, so of a few all steps that give rows as they come cost a part.
    pub fn solve(&self, desired: &[SortKey], limit_rows: Option<f64>) -> Option<(Order, bool)> {
        let watch = self.planner.watch;
        let plain = order::cheapest(self, None, watch)?;
        let part = limit_rows.map_or(1.0, |n| (n / plain.rows).min(1.0));
        self.part.set(part);
        let begin = self.ordered_first(desired);
        self.in_order.set(begin.is_some());
        let other = match begin {
            Some((unit, step)) => order::cheapest(self, Some((unit, step.of_part(part))), watch),
            None if desired.is_empty() && part < 1.0 => order::cheapest(self, None, watch),
            None => None,
        };
        let sort = if begin.is_some() { sort_cost(plain.rows) } else { 0.0 };
        match other.filter(|o| o.cost < plain.cost + sort) {
            Some(found) => Some((found, begin.is_some())),
            None => {
                self.part.set(1.0);
                Some((plain, false))
            }
        }
    }

    /// The unit that can give its rows as desired: no join changes their order.
    fn ordered_first(&self, desired: &[SortKey]) -> Option<(usize, Step)> {
        let mut read = Vec::new();
        desired.first()?.expr.columns(&mut read);
        let place = *read.first()?;
        let p = self.planner;
        let at = self.units.iter().position(|u| {
            matches!(u.what, What::Source(n) if p.places[n].contains(&place)) && u.kind == JoinKind::Inner
        })?;
        let unit = &self.units[at];
        let What::Source(n) = unit.what else { return None };
        let Some(Source { kind: SourceKind::Table(table, _), at: first, .. }) = &p.sources[n] else {
            return None;
        };
        let path = p.request(n, table, *first, &unit.local, desired, p.limit_rows).choose();
        path.ordered.then_some((at, Step { rows: path.rows, cost: path.cost, is_unique: false }))
    }

    /// Whether a unit's first rows come before all have been found.
    fn comes_at_once(&self, unit: &Unit) -> bool {
        let What::Source(n) = unit.what else { return false };
        !matches!(&self.planner.sources[n], Some(Source { kind: SourceKind::Query(..), .. }))
    }

    /// Conditions that join a unit to those that are there.
    fn between(&self, there: &Relations, unit: usize) -> Vec<usize> {
        let own = Relations::one(unit);
        let relations = &self.units[unit].relations;
        let own_place = |place: usize| relations.numbers().any(|n| self.planner.places[n].contains(&place));
        let all = self.of_unit[unit].iter().map(|n| (*n, &self.conditions[*n]));
        let between = all.filter(|(_, c)| c.units.is_within(&[there, &own]));
        without_implied(between, own_place)
    }

    fn look_up_cost(&self, unit: usize, conditions: &[usize]) -> Option<f64> {
        if let Some(cost) = self.units[unit].looked_up_cost() {
            return Some(cost);
        }
        let key = (unit, conditions.to_vec());
        if let Some(known) = self.looked_up.borrow().get(&key) {
            return *known;
        }
        let quals: Vec<&Expr> = conditions.iter().map(|c| &self.conditions[*c].expr).collect();
        let asked = || self.planner.asked(&self.units[unit], &quals).map(|a| a.cost());
        let found = self.planner.look_up(&self.units[unit], &quals).map(|(_, p)| p.cost).or_else(asked);
        self.looked_up.borrow_mut().insert(key, found);
        found
    }

    /// Joining a unit by some conditions.
    fn step(&self, rows: f64, at: usize, by: &[usize], above: f64, is_unique: bool) -> Step {
        let unit = &self.units[at];
        let kind = if is_unique { JoinKind::Inner } else { unit.kind };
        let own_rows = unit.unique.as_ref().filter(|_| is_unique).map_or(unit.rows, |u| u.0);
        let share: f64 = by.iter().map(|c| self.conditions[*c].share).product();
        let has_keys = by.iter().any(|c| self.planner.has_key(&self.conditions[*c].expr, &unit.relations));
        let look_up = if is_unique { None } else { self.look_up_cost(at, by) };
        let (part, is_lateral) = (self.part.get(), self.planner.is_lateral(unit));
        let (_, cost) = method(unit, (rows, part), look_up, has_keys, is_lateral, self.in_order.get());
        let joined = joined_rows(kind, rows, own_rows, share);
        let distinct = if is_unique { unit.rows * HASH_BUILD_COST } else { 0.0 };
        let pairs = joined * part * PAIR_COST;
        Step { rows: (joined * above).max(1.0), cost: cost + distinct + pairs, is_unique }
    }
}

impl Steps for Problem<'_, '_> {
    fn len(&self) -> usize {
        self.units.len()
    }

    fn first(&self, at: usize) -> Option<Step> {
        let unit = &self.units[at];
        match &unit.unique {
            Some((rows, _)) => {
                let cost = unit.cost + unit.rows * HASH_BUILD_COST;
                Some(Step { rows: *rows, cost, is_unique: true })
            }
            None if unit.kind == JoinKind::Inner && unit.needs.is_empty() => {
                let step = Step { rows: unit.rows, cost: unit.cost, is_unique: false };
                Some(if self.comes_at_once(unit) { step.of_part(self.part.get()) } else { step })
            }
            None => None,
        }
    }

    fn next(&self, there: &Relations, rows: f64, at: usize) -> Option<Step> {
        let unit = &self.units[at];
        let may = unit.needs.is_within(&[there]);
        let all: Vec<usize> = self.between(there, at);
        let as_unique = || self.step(rows, at, &all, 1.0, true);
        if unit.kind == JoinKind::Inner {
            return may.then(|| self.step(rows, at, &all, 1.0, false));
        }
        let by_own = may.then(|| {
            let (own, others): (Vec<usize>, Vec<usize>) =
                all.iter().partition(|c| self.conditions[**c].owner == Some(at));
            let above = others.iter().map(|c| self.conditions[*c].share).product();
            self.step(rows, at, &own, above, false)
        });
        match (by_own, unit.unique.is_some().then(as_unique)) {
            (Some(a), Some(b)) => Some(if b.cost < a.cost { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}
