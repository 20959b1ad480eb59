//! FROM and WHERE: join order, join methods, and where each condition is checked.
//!
//! What is joined is taken apart into units: relations that join in any order (inner joins), and such as join what is there by a
//! condition of their own (outer, semi and anti joins), which need what their condition reads. `order` finds the cheapest order. Each step
//! is a nested loop over an index, a hash join on equalities, or a plain nested loop. Conditions are checked as soon as everything that
//! they read is there. A FULL join is a unit as a whole.
//!
//! A unit whose rows only select (semi join) may also join like any other relation once its duplicates are gone.
//!
//! Must not know: names, the executor.

mod asked;
mod method;
mod problem;

use self::asked::Asked;
pub(super) use self::method::HASH_BUILD_COST;
use self::method::{HASH_PROBE_COST, Method, cost_by, is_kept, method};
use self::problem::{Condition, Problem, without_implied};
use super::access::{Indexed, Path, Request, first_of};
use super::bound::{Body, BoundQuery, FromTree, Level, Source, SourceKind};
use super::build::Builder;
use super::equal::Equalities;
use super::estimate::{Estimator, Known, of_two_times};
use super::expr::{Cast, CmpOp, Expr};
use super::relations::Relations;
use super::{Access, CteReading, Distinct, HashJoin, JoinKind, NestedLoop, Node, Op, Query, Scan, SortKey};
use crate::catalog::Table;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::{CastContext, Type};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Most relations of a join that is planned a second time, to be looked up.
const LOOKED_UP_MAX: usize = 6;

/// A bound FROM and WHERE clause.
pub struct FromInput<'a> {
    /// The relations, how they are combined, and WHERE.
    pub level: Level,
    /// Places of the buffer that anything reads.
    pub used: &'a [bool],
    /// Tables (by first place) whose row ids are needed.
    pub row_ids: &'a [usize],
    /// The wanted order.
    pub desired: &'a [SortKey],
    /// Only so many rows of that order will be read.
    pub limit_rows: Option<f64>,
}

struct Planner<'a> {
    builder: &'a Builder<'a>,
    sources: Vec<Option<Source>>,
    /// The plans of those that are subqueries,
    subqueries: Vec<Option<Query>>,
    /// and these as they were before, of which rows may be asked for.
    bound: Vec<Option<Box<BoundQuery>>>,
    places: Vec<Range<usize>>,
    /// What the indexes of each relation compute.
    indexed: Vec<Indexed>,
    /// Of each relation, those that it reads (LATERAL).
    lateral: Vec<Relations>,
    /// Relations around the part of FROM that is planned now, of which it reads a row: what depends on one is not kept for the next.
    outside: Relations,
    used: &'a [bool],
    row_ids: &'a [usize],
    limit_rows: Option<f64>,
    snapshot_version: u64,
    /// Common table expressions whose rows depend on enclosing levels.
    varying_ctes: BTreeSet<usize>,
    estimator: Estimator<'a>,
    watch: &'a Watch,
}

/// What a unit consists of.
enum What {
    /// A relation by number.
    Source(usize),
    /// A join, planned by itself.
    Node(Option<Box<Node>>),
}

/// A thing to join.
struct Unit {
    what: What,
    /// Inner: in any order, by the conditions of all. Otherwise: by its own.
    kind: JoinKind,
    /// The relations in it.
    relations: Relations,
    /// Units that must be there before.
    needs: Relations,
    /// Conditions that read it alone: of all, or of its own.
    local: Vec<Expr>,
    /// Its own conditions that read others too (not of inner units): by number among the conditions.
    own: Vec<usize>,
    /// Rows and cost, with its local conditions.
    rows: f64,
    cost: f64,
    /// Semi: rows without duplicates, and what tells them apart, if it may join like that.
    unique: Option<(f64, Vec<Expr>)>,
    /// A join whose rows are found by indexes for one row of what is there: its own conditions are in it.
    looked_up: Option<Box<Node>>,
    /// A join: the relations around it that it reads, by LATERAL or by conditions within it. It is computed anew for each row of theirs.
    outside: Relations,
    /// What of such a row is put aside for it.
    set: Vec<(usize, Expr)>,
}

impl Unit {
    fn new(what: What, kind: JoinKind, relations: Relations) -> Unit {
        let (needs, local, own) = (Relations::default(), Vec::new(), Vec::new());
        let (unique, looked_up) = (None, None);
        let (outside, set) = (Relations::default(), Vec::new());
        Unit {
            what,
            kind,
            relations,
            needs,
            local,
            own,
            rows: 1.0,
            cost: 0.0,
            unique,
            looked_up,
            outside,
            set,
        }
    }

    /// What it costs to find its rows for one row of what is there.
    fn looked_up_cost(&self) -> Option<f64> {
        let node = self.looked_up.as_ref()?;
        // The first match is enough.
        let is_first = matches!(self.kind, JoinKind::Semi | JoinKind::Anti);
        Some(if is_first { first_of(node.cost, node.rows) } else { node.cost })
    }
}

/// Whether nothing of a join is kept from one row of what is around it to the next.
fn is_by_indexes(node: &Node) -> bool {
    match &node.op {
        Op::Scan(_) | Op::Nothing => true,
        Op::Filter { input, .. } => is_by_indexes(input),
        Op::NestedLoop(j) => is_by_indexes(&j.outer) && is_by_indexes(&j.inner),
        _ => false,
    }
}

/// FROM and WHERE, planned.
pub struct Joined<'a> {
    /// What gives the rows.
    pub node: Node,
    /// The wanted order comes for free.
    pub is_sorted: bool,
    /// What is known of their values.
    pub estimator: Estimator<'a>,
}

/// Plans FROM and WHERE.
pub fn plan_from<'a>(builder: &'a Builder<'_>, input: FromInput<'_>) -> Result<Joined<'a>, SqlError> {
    let FromInput { mut level, used, row_ids, desired, limit_rows } = input;
    let mut subqueries = Vec::with_capacity(level.sources.len());
    let mut bound = Vec::with_capacity(level.sources.len());
    let is_join = level.sources.len() > 1;
    for source in &mut level.sources {
        let read = &used[source.at..source.at + source.width];
        bound.push(match &source.kind {
            SourceKind::Query(q, _) if is_join && builder.is_askable(q) => Some(q.clone()),
            _ => None,
        });
        subqueries.push(match &mut source.kind {
            SourceKind::Query(q, _) => {
                let q = std::mem::replace(&mut **q, BoundQuery::new(Body::Values(Vec::new()), 0));
                Some(builder.query_for(q, read)?)
            }
            _ => None,
        });
    }
    let known = |(s, q): (&Source, &Option<Query>)| match (&s.kind, q) {
        (SourceKind::Table(t, _), _) => Known::of_table(t, s.at),
        (kind, q) => Known {
            at: s.at..s.at + s.width,
            rows: q.as_ref().map_or_else(|| builder.estimated_rows(kind), |q| q.root.rows),
            table: None,
            statistics: None,
            unique: Vec::new(),
        },
    };
    let cte = |s: &Source| match s.kind {
        SourceKind::Cte { number, .. } if !builder.cte_reads(number).is_empty() => Some(number),
        _ => None,
    };
    let varying_ctes = level.sources.iter().filter_map(cte).collect();
    let relations = level.sources.iter().zip(&subqueries).map(known).collect();
    let estimator = Estimator { relations, eval: Some(builder.eval) };
    let watch = Watch::of_text(1);
    let mut p = Planner {
        builder,
        lateral: Vec::new(),
        outside: Relations::default(),
        places: level.sources.iter().map(|s| s.at..s.at + s.width).collect(),
        indexed: level.sources.iter().map(Indexed::of).collect(),
        used,
        row_ids,
        limit_rows,
        snapshot_version: builder.snapshot_version,
        varying_ctes,
        sources: Vec::new(),
        subqueries,
        bound,
        estimator,
        watch: &watch,
    };
    let (node, is_sorted) = watch.run(|| p.level(level, desired))?;
    let relations = p.estimator.relations;
    Ok(Joined { node, is_sorted, estimator: Estimator { relations, eval: Some(builder.eval) } })
}

/// The sides of an equality that a hash join can use: outer, inner.
type Keys = (Vec<Expr>, Vec<Expr>);

impl Planner<'_> {
    fn level(&mut self, level: Level, desired: &[SortKey]) -> (Node, bool) {
        self.lateral = level.sources.iter().map(|s| self.mask(s.set.iter().map(|(_, e)| e))).collect();
        self.sources = level.sources.into_iter().map(Some).collect();
        let mut conjuncts = level.conjuncts;
        super::qual_cost::in_order(&mut conjuncts);
        let Some(mut tree) = level.tree else {
            return (Node::new(Op::Single, 1.0, 0.0).filtered(Expr::all(conjuncts)), true);
        };
        super::qual_cost::in_order_of(&mut tree);
        self.tree(tree, conjuncts, desired, self.limit_rows)
    }

    /// What some expressions read.
    fn mask<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Relations {
        let mut columns = Vec::new();
        exprs.into_iter().for_each(|e| e.columns(&mut columns));
        let mut mask = Relations::default();
        for c in columns {
            if let Some(n) = self.places.iter().position(|p| p.contains(&c)) {
                mask.insert(n);
            }
        }
        mask
    }

    fn tree_mask(tree: &FromTree) -> Relations {
        match tree {
            FromTree::Source(n) => Relations::one(*n),
            FromTree::Join { left, right, .. } => {
                let mut mask = Self::tree_mask(left);
                mask.extend(&Self::tree_mask(right));
                mask
            }
        }
    }

    /// Takes a tree apart: units with their own conditions, and the conditions of all.
    fn flatten(&mut self, tree: FromTree, units: &mut Vec<(Unit, Vec<Expr>)>, conjuncts: &mut Vec<Expr>) {
        match tree {
            FromTree::Source(n) => {
                units.push((Unit::new(What::Source(n), JoinKind::Inner, Relations::one(n)), Vec::new()))
            }
            FromTree::Join { kind: JoinKind::Inner, left, right, on } => {
                self.flatten(*left, units, conjuncts);
                self.flatten(*right, units, conjuncts);
                conjuncts.extend(on);
            }
            FromTree::Join { kind: JoinKind::Full, .. } => {
                let relations = Self::tree_mask(&tree);
                let unit = self.part(tree, JoinKind::Inner, relations, |p, tree| match tree {
                    FromTree::Join { left, right, on, .. } => p.full_join(*left, *right, on),
                    FromTree::Source(_) => Node::new(Op::Nothing, 0.0, 0.0),
                });
                units.push((unit, Vec::new()));
            }
            FromTree::Join { kind, left, right, on } => {
                self.flatten(*left, units, conjuncts);
                let relations = Self::tree_mask(&right);
                let (unit, on) = match *right {
                    FromTree::Source(n) => (Unit::new(What::Source(n), kind, relations), on),
                    // What a join on this side is restricted to is its own.
                    join => {
                        let (local, across) = self.local(on, &relations);
                        let looked_up = self.looked_up(&join, &local, &across, &relations);
                        let unit =
                            self.part(join, kind, relations, |p, join| p.tree(join, local, &[], None).0);
                        (Unit { looked_up, ..unit }, across)
                    }
                };
                units.push((unit, on));
            }
        }
    }

    /// A join that is planned by itself.
    fn part(
        &mut self,
        tree: FromTree,
        kind: JoinKind,
        relations: Relations,
        plan: impl FnOnce(&mut Self, FromTree) -> Node,
    ) -> Unit {
        let mut outside = Relations::default();
        tree.conditions(&mut |e| outside.extend(&self.mask([e])));
        let mut set = Vec::new();
        for n in relations.numbers() {
            outside.extend(&self.lateral[n]);
            // What reads this join's relations as well is put aside within it.
            if !self.lateral[n].meets(&relations) {
                set.extend(self.sources[n].iter().flat_map(|s| s.set.iter().cloned()));
            }
        }
        relations.numbers().for_each(|n| outside.remove(n));
        let around = std::mem::replace(&mut self.outside, outside.clone());
        let node = plan(self, tree);
        self.outside = around;
        Unit { outside, set, ..Unit::new(What::Node(Some(Box::new(node))), kind, relations) }
    }

    /// Whether a node's rows depend on rows or values around the part that is planned.
    fn varies(&self, node: &Node) -> bool {
        let mut found = node.reads_outer();
        if !self.outside.is_empty() {
            node.all_exprs(&mut |e| found |= self.mask([e]).meets(&self.outside));
        }
        found
    }

    /// A join of tables as it is made anew for one row of what it joins, whose columns are values to it: if that takes nothing but indexes, and nothing is kept that
    /// would be of the row before.
    fn looked_up(
        &mut self,
        tree: &FromTree,
        local: &[Expr],
        across: &[Expr],
        relations: &Relations,
    ) -> Option<Box<Node>> {
        let is_table =
            |n: usize| matches!(&self.sources[n], Some(Source { kind: SourceKind::Table(..), .. }));
        let is_simple = |e: &Expr| !e.calls_volatile() && !e.any(|e| matches!(e, Expr::Subquery(..)));
        if across.is_empty()
            || relations.numbers().count() > LOOKED_UP_MAX
            || !relations.numbers().all(is_table)
            || !local.iter().chain(across).all(is_simple)
        {
            return None;
        }
        let kept: Vec<(usize, Option<Source>)> =
            relations.numbers().map(|n| (n, self.sources[n].clone())).collect();
        let node = self.tree(tree.clone(), [local, across].concat(), &[], None).0;
        for (n, source) in kept {
            self.sources[n] = source;
        }
        is_by_indexes(&node).then(|| Box::new(node))
    }

    /// Conditions that read some relations alone, and the others.
    fn local(&self, conditions: Vec<Expr>, relations: &Relations) -> (Vec<Expr>, Vec<Expr>) {
        conditions.into_iter().partition(|q| {
            let m = self.mask([q]);
            !m.is_empty() && m.is_within(&[relations])
        })
    }

    /// Plans a tree of joins with conditions that may be checked anywhere in it; tells whether its rows come as desired.
    fn tree(
        &mut self,
        tree: FromTree,
        mut conjuncts: Vec<Expr>,
        desired: &[SortKey],
        limit_rows: Option<f64>,
    ) -> (Node, bool) {
        let mut parts = Vec::new();
        self.flatten(tree, &mut parts, &mut conjuncts);
        if let [(Unit { what: What::Source(n), .. }, _)] = parts[..] {
            return self.leaf(n, conjuncts, desired);
        }
        let problem = self.problem(parts, conjuncts);
        let Some((order, mut ordered)) = problem.solve(desired, limit_rows) else {
            return (Node::new(Op::Nothing, 0.0, 0.0), desired.is_empty());
        };
        let part = problem.part.get();
        let Problem { units, conditions, .. } = problem;
        let mut rest: Vec<Option<Condition>> = conditions.into_iter().map(Some).collect();
        let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
        let (mut there, mut joined) = (Relations::default(), Relations::default());
        let mut node: Option<Node> = None;
        for (at, is_unique) in order.units {
            let Some(unit) = units[at].take() else { continue };
            there.insert(at);
            let is_own = |c: &Condition| c.owner == Some(at);
            let own_place = |place: usize| unit.relations.numbers().any(|n| self.places[n].contains(&place));
            let mut take = |wanted: &dyn Fn(&Condition) -> bool| -> Vec<Expr> {
                let fits = |c: &mut Option<Condition>| {
                    // What reads no relation and gives something else each time is asked of each row of all.
                    let is_last = |c: &Condition| c.units.is_empty() && c.expr.calls_volatile();
                    if c.as_ref().is_some_and(|c| c.units.is_within(&[&there]) && wanted(c) && !is_last(c)) {
                        c.take()
                    } else {
                        None
                    }
                };
                let taken: Vec<Condition> = rest.iter_mut().filter_map(fits).collect();
                let kept = without_implied(taken.iter().enumerate(), own_place);
                let mut taken: Vec<Option<Expr>> = taken.into_iter().map(|c| Some(c.expr)).collect();
                kept.into_iter().filter_map(|n| taken[n].take()).collect()
            };
            let joins_by_own = unit.kind != JoinKind::Inner && !is_unique;
            let (quals, above) = if joins_by_own {
                (take(&is_own), take(&|c| !is_own(c)))
            } else {
                (take(&|_| true), Vec::new())
            };
            let relations = unit.relations.clone();
            let next = match node {
                None => {
                    // Conditions that read no relation have come to it, which may have changed what is cheapest.
                    let desired = if ordered { desired } else { &[] };
                    let (node, is_so) = self.first(unit, quals, desired, is_unique);
                    ordered &= is_so;
                    node
                }
                Some(outer) => self.join((outer, &joined), unit, quals, is_unique, (ordered, part)),
            };
            joined.extend(&relations);
            node = Some(next.filtered(Expr::all(above)));
        }
        let rest: Vec<Expr> = rest.into_iter().flatten().map(|c| c.expr).collect();
        let node = node.unwrap_or_else(|| Node::new(Op::Single, 1.0, 0.0)).filtered(Expr::all(rest));
        (node, ordered || desired.is_empty())
    }

    /// The share of a unit's rows that an OR lets pass by what each branch asks of them alone, which is asked of them before they are joined.
    fn asked_already(&self, e: &Expr, is_of_unit: impl Fn(&Expr) -> bool) -> Option<f64> {
        let Expr::Or(list) = e else { return None };
        let of_branch = |e: &Expr| {
            let mut parts = Vec::new();
            e.clone().split_and(&mut parts);
            parts.retain(&is_of_unit);
            Expr::all(parts)
        };
        let branches = list.iter().map(of_branch).collect::<Option<Vec<Expr>>>()?;
        Some(self.estimator.one(&Expr::Or(branches.into()))).filter(|share| *share > 0.0)
    }

    fn problem(&self, parts: Vec<(Unit, Vec<Expr>)>, conjuncts: Vec<Expr>) -> Problem<'_, '_> {
        let unit_of = |relation: usize| parts.iter().position(|(u, _)| u.relations.contains(relation));
        let units_of = |relations: &Relations| {
            let mut units = Relations::default();
            relations.numbers().filter_map(unit_of).for_each(|u| units.insert(u));
            units
        };
        let mut conjuncts = conjuncts;
        let relation = |place: usize| self.places.iter().position(|p| p.contains(&place));
        let equalities = Equalities::close(&mut conjuncts, relation);
        let masks: Vec<Relations> = conjuncts.iter().map(|c| units_of(&self.mask([c]))).collect();
        let asked = |(c, mask): (&Expr, &Relations)| -> f64 {
            let inner = mask.numbers().filter(|n| parts[*n].0.kind == JoinKind::Inner);
            let is_of = |e: &Expr, n: usize| units_of(&self.mask([e])) == Relations::one(n);
            inner.filter_map(|n| self.asked_already(c, |e| is_of(e, n))).product()
        };
        let asked: Vec<f64> = conjuncts.iter().zip(&masks).map(asked).collect();
        let own_masks: Vec<Vec<Relations>> =
            parts.iter().map(|(_, own)| own.iter().map(|c| units_of(&self.mask([c]))).collect()).collect();
        let lateral: Vec<Relations> = parts
            .iter()
            .map(|(u, _)| {
                let mut read = u.outside.clone();
                u.relations.numbers().for_each(|n| read.extend(&self.lateral[n]));
                units_of(&read)
            })
            .collect();
        let (mut units, mut conditions) = (Vec::with_capacity(parts.len()), Vec::new());
        for (n, (mut unit, own)) in parts.into_iter().enumerate() {
            for (expr, mask) in own.into_iter().zip(&own_masks[n]) {
                unit.needs.extend(mask);
                let mut units = mask.clone();
                units.insert(n);
                if units == Relations::one(n) {
                    unit.local.push(expr);
                } else {
                    unit.own.push(conditions.len());
                    let share = self.estimator.one(&expr);
                    conditions.push(Condition { expr, units, share, owner: Some(n), class: None });
                }
            }
            unit.needs.extend(&lateral[n]);
            unit.needs.remove(n);
            units.push(unit);
        }
        let nobody = Relations::default();
        for (at, ((expr, mask), asked)) in conjuncts.into_iter().zip(masks).zip(asked).enumerate() {
            let class = equalities.of_condition.get(&at).copied();
            let only = if mask.numbers().nth(1).is_none() { mask.numbers().next() } else { None };
            match only {
                Some(n) if units[n].kind == JoinKind::Inner => units[n].local.push(expr),
                _ => {
                    let share = if mask == nobody { 1.0 } else { self.estimator.one(&expr) };
                    let share = (share / asked).min(1.0);
                    conditions.push(Condition { expr, units: mask, share, owner: None, class });
                }
            }
        }
        let mut of_unit = vec![Vec::new(); units.len()];
        for (n, c) in conditions.iter().enumerate() {
            c.units.numbers().for_each(|u| of_unit[u].push(n));
        }
        let looked_up = RefCell::default();
        let mut problem = Problem {
            planner: self,
            units,
            conditions,
            of_unit,
            looked_up,
            in_order: Cell::new(false),
            part: Cell::new(1.0),
        };
        for n in 0..problem.units.len() {
            // What follows from others came behind them.
            super::qual_cost::in_order(&mut problem.units[n].local);
            problem.estimate(n);
        }
        problem
    }

    /// The unit that all others join; tells whether its rows come as desired.
    fn first(&mut self, unit: Unit, quals: Vec<Expr>, desired: &[SortKey], is_unique: bool) -> (Node, bool) {
        let conditions = unit.local.into_iter().chain(quals).collect();
        let relations = unit.relations;
        let (node, ordered) = self.alone(unit.what, conditions, desired);
        (self.without_duplicates(node, &relations, unit.unique.filter(|_| is_unique)), ordered)
    }

    /// A unit by itself; tells whether its rows come as desired.
    fn alone(&mut self, what: What, conditions: Vec<Expr>, desired: &[SortKey]) -> (Node, bool) {
        match what {
            What::Source(n) => self.leaf(n, conditions, desired),
            What::Node(Some(node)) => (node.filtered(Expr::all(conditions)), desired.is_empty()),
            What::Node(None) => (Node::new(Op::Nothing, 0.0, 0.0), desired.is_empty()),
        }
    }

    fn without_duplicates(
        &self,
        input: Node,
        relations: &Relations,
        unique: Option<(f64, Vec<Expr>)>,
    ) -> Node {
        let Some((rows, keys)) = unique else { return input };
        let cost = input.cost + input.rows * HASH_BUILD_COST;
        let distinct =
            Distinct { input, keys: keys.into(), sorted: false, places: self.read_places(relations) };
        Node::new(Op::Distinct(Box::new(distinct)), rows, cost)
    }

    /// What it takes to look a table up by conditions that read other relations.
    fn look_up(&self, unit: &Unit, quals: &[&Expr]) -> Option<(Vec<Expr>, Path)> {
        let What::Source(n) = unit.what else { return None };
        let Some(Source { kind: SourceKind::Table(table, _), at, .. }) = &self.sources[n] else {
            return None;
        };
        if quals.is_empty() {
            return None;
        }
        let all: Vec<Expr> = unit.local.iter().chain(quals.iter().copied()).cloned().collect();
        let mut path = self.request(n, table, *at, &all, &[], None).choose();
        if matches!(unit.kind, JoinKind::Semi | JoinKind::Anti) {
            path.cost = first_of(path.cost, path.rows); // the first match is enough
        }
        reads_others(&path.access, &self.places[n]).then_some((all, path))
    }

    /// Whether a unit reads rows of others (LATERAL).
    fn is_lateral(&self, unit: &Unit) -> bool {
        !unit.outside.is_empty()
            || unit.relations.numbers().any(|n| !self.lateral[n].is_within(&[&unit.relations]))
    }

    fn join(
        &mut self,
        (mut outer, there): (Node, &Relations),
        mut unit: Unit,
        quals: Vec<Expr>,
        is_unique: bool,
        (in_order, part): (bool, f64),
    ) -> Node {
        let kind = if is_unique { JoinKind::Inner } else { unit.kind };
        let inner_at = self.ranges(&unit.relations);
        let shares: f64 = quals.iter().map(|q| self.estimator.one(q)).product();
        let own_rows = unit.unique.as_ref().filter(|_| is_unique).map_or(unit.rows, |u| u.0);
        let rows = joined_rows(kind, outer.rows, own_rows, shares);
        let mut set = std::mem::take(&mut unit.set);
        for n in unit.relations.numbers().filter(|n| !self.lateral[*n].is_within(&[&unit.relations])) {
            set.extend(self.sources[n].iter().flat_map(|s| s.set.iter().cloned()));
        }
        let asking: Vec<&Expr> = if is_unique { Vec::new() } else { quals.iter().collect() };
        let look_up = self.look_up(&unit, &asking);
        let asked_for = self.asked(&unit, &asking);
        let has_keys = quals.iter().any(|q| self.has_key(q, &unit.relations));
        let look_up_cost = match is_unique {
            true => None,
            false => unit
                .looked_up_cost()
                .or(look_up.as_ref().map(|(_, path)| path.cost))
                .or(asked_for.as_ref().map(Asked::cost)),
        };
        let asked = (outer.rows, part);
        let (method, _) = method(&unit, asked, look_up_cost, has_keys, self.is_lateral(&unit), in_order);
        let cost = outer.cost + cost_by(method, &unit, outer.rows, look_up_cost.unwrap_or(0.0), 1.0);
        if method == Method::LookUp
            && let Some(inner) = unit.looked_up.take()
        {
            let join = NestedLoop { kind, outer, inner: *inner, set: set.into(), condition: None, inner_at };
            return Node::new(Op::NestedLoop(Box::new(join)), rows, cost);
        }
        if let (Method::LookUp, Some((all, path)), What::Source(n)) = (method, look_up, &unit.what) {
            let inner = self.scan(*n, all, path);
            let join = NestedLoop { kind, outer, inner, set: set.into(), condition: None, inner_at };
            return Node::new(Op::NestedLoop(Box::new(join)), rows, cost);
        }
        if let (Method::LookUp, Some(asked), What::Source(n)) = (method, asked_for, &unit.what) {
            let rows_of_one = asked.query.root.rows;
            set.extend(asked.set);
            self.subqueries[*n] = Some(asked.query);
            let filter = unit.local.into_iter().chain(asked.rest).collect();
            let inner = Node { rows: rows_of_one, ..self.leaf(*n, filter, &[]).0 };
            let join = NestedLoop { kind, outer, inner, set: set.into(), condition: None, inner_at };
            return Node::new(Op::NestedLoop(Box::new(join)), rows, cost);
        }
        let relations = unit.relations.clone();
        let is_kept = is_kept(&unit, outer.rows);
        let inner = self.alone(unit.what, unit.local, &[]).0;
        let mut inner = self.without_duplicates(inner, &relations, unit.unique.filter(|_| is_unique));
        if let Method::Hash { keeps_outer } = method {
            let ((outer_keys, inner_keys), rest) = self.split_keys(quals, &relations);
            let kept_varies = self.varies(if keeps_outer { &outer } else { &inner });
            match keeps_outer {
                true => inner.defer(inner_keys.iter()),
                false => outer.defer(outer_keys.iter()),
            }
            let join = HashJoin {
                kind,
                outer,
                inner,
                outer_keys: outer_keys.into(),
                inner_keys: inner_keys.into(),
                condition: Expr::all(rest),
                inner_places: self.read_places(&relations),
                outer_places: self.read_places(there),
                keeps_outer,
                in_order,
                kept_varies,
            };
            return Node::new(Op::HashJoin(Box::new(join)), rows, cost);
        }
        let is_read_anew = method == Method::Anew
            || matches!(inner.op, Op::Virtual { .. } | Op::Cte { .. })
            || !is_kept && matches!(inner.op, Op::Scan(_));
        let inner = if is_read_anew { inner } else { self.materialize(inner, inner_at.clone()) };
        let condition = Expr::all(quals);
        let join = NestedLoop { kind, outer, inner, set: set.into(), condition, inner_at };
        Node::new(Op::NestedLoop(Box::new(join)), rows, cost)
    }

    /// Conditions that a hash join can use as keys, and the others.
    fn split_keys(&self, conditions: Vec<Expr>, inner: &Relations) -> (Keys, Vec<Expr>) {
        let (mut keys, mut rest): (Keys, Vec<Expr>) = Default::default();
        for q in conditions {
            let found = self.equality(&q, inner);
            let is_all = found.is_some();
            if let Some((o, i)) = found.or_else(|| self.equal_days(&q, inner)) {
                keys.0.push(o);
                keys.1.push(i);
            }
            if !is_all {
                rest.push(q);
            }
        }
        (keys, rest)
    }

    /// Whether a hash join can use a condition.
    fn has_key(&self, q: &Expr, inner: &Relations) -> bool {
        self.equality(q, inner).or_else(|| self.equal_days(q, inner)).is_some()
    }

    /// What a day that is equal to a moment has in common with it: the day. They need not be equal for that.
    fn equal_days(&self, q: &Expr, inner: &Relations) -> Option<(Expr, Expr)> {
        let (Expr::Call(f, _), (CmpOp::Eq, a, b)) = (q, of_two_times(q)?) else { return None };
        let day = |e: &Expr, from: Type| {
            let (to, context) = (Type::Date, CastContext::Explicit);
            Expr::Cast(Box::new(Cast { expr: e.clone(), from, to, typmod: -1, context }))
        };
        let pair = match f.args {
            [Type::Date, of_b] => (a.clone(), day(b, *of_b)),
            [of_a, Type::Date] => (day(a, *of_a), b.clone()),
            _ => return None,
        };
        self.equality(&Expr::Cmp(CmpOp::Eq, Box::new(pair)), inner)
    }

    /// Splits `a = b` into the outer and the inner key.
    fn equality(&self, q: &Expr, inner: &Relations) -> Option<(Expr, Expr)> {
        let Expr::Cmp(CmpOp::Eq, pair) = q else { return None };
        let (a, b) = (self.mask([&pair.0]), self.mask([&pair.1]));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        if !a.meets(inner) && b.is_within(&[inner]) {
            return Some((pair.0.clone(), pair.1.clone()));
        }
        if !b.meets(inner) && a.is_within(&[inner]) {
            return Some((pair.1.clone(), pair.0.clone()));
        }
        None
    }

    /// Whether a table's row ids are asked for: by who changes or locks its rows, or by an expression that wants to know whether there is a row.
    fn has_row_id(&self, table: &Table, at: usize) -> bool {
        self.row_ids.contains(&at) || self.used[at + table.columns.len()]
    }

    fn request<'b>(
        &'b self,
        n: usize,
        table: &'b Arc<Table>,
        at: usize,
        quals: &'b [Expr],
        desired: &'b [SortKey],
        limit_rows: Option<f64>,
    ) -> Request<'b> {
        let (used, estimator, snapshot_version) = (self.used, &self.estimator, self.snapshot_version);
        let (row_id, indexed) = (self.has_row_id(table, at), &self.indexed[n]);
        Request { table, indexed, at, quals, desired, limit_rows, estimator, snapshot_version, used, row_id }
    }

    fn scan(&mut self, n: usize, quals: Vec<Expr>, path: Path) -> Node {
        let Some(Source { kind: SourceKind::Table(table, alias), at, .. }) = self.sources[n].take() else {
            return Node::new(Op::Nothing, 0.0, 0.0);
        };
        let request = self.request(n, &table, at, &[], &[], None);
        let from_key = path.access.index().and_then(|index| request.instead_of_rows(index));
        let filter = quals.into_iter().zip(&path.consumed).filter(|(_, c)| !**c).map(|(q, _)| q).collect();
        let wanted = (0..table.columns.len()).filter(|c| self.used[at + c]).collect();
        let row_id = self.has_row_id(&table, at);
        let mut scan = Scan {
            table,
            alias,
            at,
            tested: Box::default(),
            wanted,
            is_late: false,
            row_id,
            access: path.access,
            backward: path.backward,
            batched: path.batched,
            from_key,
            filter: Expr::all(filter),
        };
        scan.test_first();
        Node::new(Op::Scan(Box::new(scan)), path.rows, path.cost)
    }

    /// A relation with conditions that read it alone (or nothing); tells whether its rows come as desired.
    fn leaf(&mut self, n: usize, quals: Vec<Expr>, desired: &[SortKey]) -> (Node, bool) {
        if let Some(Source { kind: SourceKind::Table(table, _), at, .. }) = &self.sources[n] {
            let path = self.request(n, table, *at, &quals, desired, self.limit_rows).choose();
            let ordered = path.ordered;
            return (self.scan(n, quals, path), ordered);
        }
        let rows = self.estimator.relations[n].rows;
        let share = self.estimator.all(&quals);
        let Some(source) = self.sources[n].take() else { return (Node::new(Op::Nothing, 0.0, 0.0), true) };
        let (at, called) = (source.at, source.called);
        let mut node = match source.kind {
            SourceKind::Table(..) => Node::new(Op::Nothing, 0.0, 0.0),
            SourceKind::Virtual(table) => Node::new(Op::Virtual { table, at }, rows, rows * 0.01),
            SourceKind::Query(_, name) => match self.subqueries[n].take() {
                Some(query) => {
                    let (rows, cost) = (query.root.rows, query.root.cost);
                    Node::new(Op::Subquery { query: Box::new(query), at, name }, rows, cost)
                }
                None => Node::new(Op::Nothing, 0.0, 0.0),
            },
            SourceKind::Cte { number, name, work } => {
                let reading = match work {
                    Some(_) => CteReading::Work,
                    None if self.varying_ctes.contains(&number) => CteReading::Anew,
                    None => CteReading::Kept,
                };
                Node::new(Op::Cte { number, at, name, reading }, rows, rows * 0.01)
            }
            SourceKind::Function { function, ordinality } => {
                Node::new(Op::Function { function, at, ordinality }, rows, rows * 0.01)
            }
            SourceKind::Rows(list) => Node::new(Op::Values { at, rows: list }, rows, rows * 0.01),
        };
        node.called = called.map(|c| (at, c));
        let mut node = node.filtered(Expr::all(quals));
        node.rows = (rows * share).max(1.0);
        (node, desired.is_empty())
    }

    /// Both sides are planned as they are.
    fn full_join(&mut self, left: FromTree, right: FromTree, on: Vec<Expr>) -> Node {
        let (left_mask, right_mask) = (Self::tree_mask(&left), Self::tree_mask(&right));
        let (outer_places, inner_places) = (self.read_places(&left_mask), self.read_places(&right_mask));
        let outer = self.tree(left, Vec::new(), &[], None).0;
        let inner = self.tree(right, Vec::new(), &[], None).0;
        let ((outer_keys, inner_keys), rest) = self.split_keys(on, &right_mask);
        let rows = outer.rows + inner.rows;
        let cost = outer.cost + inner.cost + inner.rows * HASH_BUILD_COST + outer.rows * HASH_PROBE_COST;
        let kept_varies = self.varies(&inner);
        let join = HashJoin {
            kind: JoinKind::Full,
            outer,
            inner,
            outer_keys: outer_keys.into(),
            inner_keys: inner_keys.into(),
            condition: Expr::all(rest),
            inner_places,
            outer_places,
            keeps_outer: false,
            in_order: false,
            kept_varies,
        };
        Node::new(Op::HashJoin(Box::new(join)), rows, cost)
    }

    fn materialize(&self, input: Node, places: Box<[Range<usize>]>) -> Node {
        let (rows, cost) = (input.rows, input.cost);
        let varies = self.varies(&input);
        Node::new(Op::Materialize { input: Box::new(input), places, varies }, rows, cost.min(rows * 0.0025))
    }

    /// The places of some relations that anything reads.
    fn read_places(&self, mask: &Relations) -> Box<[usize]> {
        let is_row_id = |n: usize, place: usize| {
            place + 1 == self.places[n].end && self.row_ids.contains(&self.places[n].start)
        };
        let of = |n: usize| self.places[n].clone().filter(move |p| self.used[*p] || is_row_id(n, *p));
        mask.numbers().flat_map(of).collect()
    }

    /// The places of some relations. Those of one that was taken apart do not lie beside those that it was written beside.
    fn ranges(&self, mask: &Relations) -> Box<[Range<usize>]> {
        let mut all: Vec<Range<usize>> = mask.numbers().map(|n| self.places[n].clone()).collect();
        all.sort_by_key(|r| r.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for r in all {
            match merged.last_mut() {
                Some(last) if last.end == r.start => last.end = r.end,
                _ => merged.push(r),
            }
        }
        merged.into()
    }
}

/// Rows of a join, and what of them conditions let pass.
fn joined_rows(kind: JoinKind, outer: f64, inner: f64, share: f64) -> f64 {
    let matches = inner * share;
    let rows = match kind {
        JoinKind::Inner => outer * matches,
        JoinKind::Left => outer * matches.max(1.0),
        JoinKind::Full => outer * matches + outer + inner,
        JoinKind::Semi => outer * matches.min(1.0),
        JoinKind::Anti => outer * (1.0 - matches.min(0.95)),
    };
    rows.max(1.0)
}

/// Whether an access reads places of other relations.
fn reads_others(access: &Access, own: &Range<usize>) -> bool {
    let mut found = false;
    access.exprs(&mut |e| found |= e.any(|e| matches!(e, Expr::Column(c) if !own.contains(c))));
    found
}
