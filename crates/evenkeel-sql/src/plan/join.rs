//! FROM and WHERE: join order, join methods, and where each condition is checked.
//!
//! Inner joins are flattened into units (a relation, or an outer join as a whole) and joined greedily: first the unit with the fewest
//! rows, then always the cheapest one connected to what is there. Each step is a nested loop over an index, a hash join on equalities,
//! or a plain nested loop. Conditions are checked as soon as everything that they read is there.
//!
//! Must not know: names, the executor.

use super::access::Request;
use super::bound::{Body, BoundQuery, FromTree, Level, Source, SourceKind};
use super::build::Builder;
use super::expr::{CmpOp, Expr};
use super::relations::Relations;
use super::{HashJoin, JoinKind, NestedLoop, Node, Op, Query, Scan, SortKey};
use crate::catalog::Table;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stop::Watch;
use std::ops::Range;
use std::sync::Arc;

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
    /// Only some rows of that order will be read.
    pub limited: bool,
}

struct Planner<'a> {
    sources: Vec<Option<Source>>,
    /// The plans of those that are subqueries.
    subqueries: Vec<Option<Query>>,
    places: Vec<Range<usize>>,
    /// Of each relation, those that it reads (LATERAL).
    lateral: Vec<Relations>,
    used: &'a [bool],
    row_ids: &'a [usize],
    desired: &'a [SortKey],
    limited: bool,
    snapshot_version: u64,
    ordered: bool,
    watch: &'a Watch,
}

/// A thing to join: a relation, or an outer join.
enum Unit {
    Source(usize),
    Left { left: Box<FromTree>, right: Box<FromTree>, on: Vec<Expr> },
    Full { left: Box<FromTree>, right: Box<FromTree>, on: Vec<Expr> },
}

/// A unit that waits to be joined, and what does not change meanwhile.
struct Candidate {
    unit: Unit,
    relations: Relations,
    /// Estimated, with the conditions that read it alone.
    rows: f64,
}

/// Plans FROM and WHERE; tells whether the wanted order comes for free.
pub fn plan_from(builder: &Builder<'_>, input: FromInput<'_>) -> Result<(Node, bool), SqlError> {
    let FromInput { mut level, used, row_ids, desired, limited } = input;
    let mut subqueries = Vec::with_capacity(level.sources.len());
    for source in &mut level.sources {
        let read = &used[source.at..source.at + source.width];
        subqueries.push(match &mut source.kind {
            SourceKind::Query(q, _) => {
                let q = std::mem::replace(&mut **q, BoundQuery::new(Body::Values(Vec::new()), 0));
                Some(builder.query_for(q, read)?)
            }
            _ => None,
        });
    }
    let watch = Watch::of_text(1);
    let places: Vec<Range<usize>> = level.sources.iter().map(|s| s.at..s.at + s.width).collect();
    let mut p = Planner {
        lateral: Vec::new(),
        places,
        used,
        row_ids,
        desired: if level.sources.len() == 1 { desired } else { &[] },
        limited,
        snapshot_version: builder.snapshot_version,
        sources: Vec::new(),
        subqueries,
        ordered: false,
        watch: &watch,
    };
    watch.run(|| p.level(level, !desired.is_empty()))
}

impl Planner<'_> {
    fn level(&mut self, level: Level, is_ordered: bool) -> (Node, bool) {
        self.lateral = level.sources.iter().map(|s| self.mask(s.set.iter().map(|(_, e)| e))).collect();
        self.sources = level.sources.into_iter().map(Some).collect();
        let mut conjuncts = level.conjuncts;
        let Some(tree) = level.tree else {
            return (Node::new(Op::Single, 1.0, 0.0).filtered(Expr::all(conjuncts)), true);
        };
        // Conditions with subqueries come last: they are the expensive ones.
        conjuncts.sort_by_key(|c| c.any(|e| matches!(e, Expr::Subquery(..))));
        let node = self.tree(tree, conjuncts);
        let ordered = self.ordered && is_ordered && self.sources.len() == 1;
        (node, ordered || !is_ordered)
    }

    fn estimated_rows(&self, n: usize) -> f64 {
        match (&self.subqueries[n], &self.sources[n]) {
            (Some(q), _) => q.root.rows,
            (None, Some(s)) => s.kind.estimated_rows(),
            (None, None) => 1.0,
        }
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

    fn flatten(tree: FromTree, units: &mut Vec<Unit>, conjuncts: &mut Vec<Expr>) {
        match tree {
            FromTree::Source(n) => units.push(Unit::Source(n)),
            FromTree::Join { kind: JoinKind::Inner, left, right, on } => {
                Self::flatten(*left, units, conjuncts);
                Self::flatten(*right, units, conjuncts);
                conjuncts.extend(on);
            }
            FromTree::Join { kind: JoinKind::Left, left, right, on } => {
                units.push(Unit::Left { left, right, on })
            }
            FromTree::Join { kind: JoinKind::Full, left, right, on } => {
                units.push(Unit::Full { left, right, on })
            }
        }
    }

    fn unit_mask(unit: &Unit) -> Relations {
        match unit {
            Unit::Source(n) => Relations::one(*n),
            Unit::Left { left, right, .. } | Unit::Full { left, right, .. } => {
                let mut mask = Self::tree_mask(left);
                mask.extend(&Self::tree_mask(right));
                mask
            }
        }
    }

    /// Plans a tree of joins with conditions that may be checked anywhere in it.
    fn tree(&mut self, tree: FromTree, mut conjuncts: Vec<Expr>) -> Node {
        let mut units = Vec::new();
        Self::flatten(tree, &mut units, &mut conjuncts);
        let mut pending: Vec<(Relations, Expr)> =
            conjuncts.into_iter().map(|c| (self.mask([&c]), c)).collect();
        let mut waiting: Vec<Option<Candidate>> =
            units.into_iter().map(|u| Some(self.candidate(u, &pending))).collect();
        let mut joined = Relations::default();
        let mut node: Option<Node> = None;
        while let Some(next) = self.next_unit(&waiting, &pending, &joined) {
            self.watch.look();
            let Some(Candidate { unit, relations, .. }) = waiting[next].take() else { break };
            let mut usable = Vec::new();
            pending.retain(|(m, c)| {
                let here = m.is_within(&[&joined, &relations]);
                if here {
                    usable.push(c.clone());
                }
                !here
            });
            node = Some(match node {
                None => self.first(unit, usable),
                Some(outer) => self.join(JoinKind::Inner, outer, unit, usable),
            });
            joined.extend(&relations);
        }
        let rest: Vec<Expr> = pending.into_iter().map(|(_, c)| c).collect();
        node.unwrap_or_else(|| Node::new(Op::Single, 1.0, 0.0)).filtered(Expr::all(rest))
    }

    fn candidate(&self, unit: Unit, pending: &[(Relations, Expr)]) -> Candidate {
        self.watch.look();
        let relations = Self::unit_mask(&unit);
        let local = pending.iter().filter(|(m, _)| !m.is_empty() && m.is_within(&[&relations]));
        let equalities =
            local.clone().filter(|(_, c)| matches!(c, Expr::Cmp(CmpOp::Eq, _) | Expr::InList(..))).count();
        let rows = match &unit {
            Unit::Source(n) => self.estimated_rows(*n),
            Unit::Left { .. } | Unit::Full { .. } => 1000.0,
        };
        let rows = rows * 0.01f64.powi(equalities as i32) * 0.5f64.powi((local.count() - equalities) as i32);
        Candidate { unit, relations, rows }
    }

    /// Which of those that wait is joined next: one whose LATERAL references are there, rather one that an equality connects with what is there, rather
    /// one with few rows.
    fn next_unit(
        &self,
        waiting: &[Option<Candidate>],
        pending: &[(Relations, Expr)],
        joined: &Relations,
    ) -> Option<usize> {
        let half_there: Vec<&Relations> = pending
            .iter()
            .filter(|(m, c)| matches!(c, Expr::Cmp(CmpOp::Eq, _)) && m.meets(joined))
            .map(|(m, _)| m)
            .collect();
        let score = |c: &Candidate| {
            let own = &c.relations;
            let blocked = own.numbers().any(|n| !self.lateral[n].is_within(&[own, joined]));
            let connected = half_there.iter().any(|m| m.meets(own) && m.is_within(&[own, joined]));
            (blocked, !connected && !joined.is_empty(), c.rows)
        };
        let mut best: Option<(usize, (bool, bool, f64))> = None;
        for (n, c) in waiting.iter().enumerate() {
            let Some(score) = c.as_ref().map(score) else { continue };
            if best.as_ref().is_none_or(|(_, least)| score < *least) {
                best = Some((n, score));
            }
        }
        best.map(|(n, _)| n)
    }

    fn first(&mut self, unit: Unit, quals: Vec<Expr>) -> Node {
        match unit {
            Unit::Source(n) => self.leaf(n, quals),
            Unit::Left { left, right, on } => self.left_join(*left, *right, on, quals),
            Unit::Full { left, right, on } => self.full_join(*left, *right, on, quals),
        }
    }

    /// Both sides are planned as they are; conditions of WHERE come after.
    fn full_join(&mut self, left: FromTree, right: FromTree, on: Vec<Expr>, quals: Vec<Expr>) -> Node {
        let (left_mask, right_mask) = (Self::tree_mask(&left), Self::tree_mask(&right));
        let (outer_at, inner_at) = (self.range(&left_mask), self.range(&right_mask));
        let (outer, inner) = (self.tree(left, Vec::new()), self.tree(right, Vec::new()));
        let (mut outer_keys, mut inner_keys, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for q in on {
            match self.equality(&q, &right_mask) {
                Some((o, i)) => {
                    outer_keys.push(o);
                    inner_keys.push(i);
                }
                None => rest.push(q),
            }
        }
        let rows = outer.rows + inner.rows;
        let cost = outer.cost + inner.cost + rows * 0.01;
        let inner_varies = inner.reads_outer();
        let join = HashJoin {
            kind: JoinKind::Full,
            outer,
            inner,
            outer_keys: outer_keys.into(),
            inner_keys: inner_keys.into(),
            condition: Expr::all(rest),
            inner_at,
            outer_at,
            inner_varies,
        };
        Node::new(Op::HashJoin(Box::new(join)), rows, cost).filtered(Expr::all(quals))
    }

    fn left_join(&mut self, left: FromTree, right: FromTree, on: Vec<Expr>, quals: Vec<Expr>) -> Node {
        let left_mask = Self::tree_mask(&left);
        let (pushed, above): (Vec<Expr>, Vec<Expr>) = quals.into_iter().partition(|q| {
            let m = self.mask([q]);
            !m.is_empty() && m.is_within(&[&left_mask])
        });
        let outer = self.tree(left, pushed);
        let unit = match right {
            FromTree::Source(n) => Unit::Source(n),
            FromTree::Join { kind: JoinKind::Left, left, right, on } => Unit::Left { left, right, on },
            FromTree::Join { kind: JoinKind::Full, left, right, on } => Unit::Full { left, right, on },
            inner => {
                // An inner join on the nullable side is planned as a whole.
                let mask = Self::tree_mask(&inner);
                let (local, across): (Vec<Expr>, Vec<Expr>) = on.into_iter().partition(|q| {
                    let m = self.mask([q]);
                    !m.is_empty() && m.is_within(&[&mask])
                });
                let range = self.range(&mask);
                let node = self.tree(inner, local);
                return self
                    .combine(JoinKind::Left, outer, node, range, &mask, Vec::new(), across)
                    .filtered(Expr::all(above));
            }
        };
        self.join(JoinKind::Left, outer, unit, on).filtered(Expr::all(above))
    }

    /// The places of some relations: they are next to each other in FROM, hence in the buffer.
    fn range(&self, mask: &Relations) -> Range<usize> {
        let own = mask.numbers().map(|n| self.places[n].clone());
        own.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    fn join(&mut self, kind: JoinKind, outer: Node, unit: Unit, quals: Vec<Expr>) -> Node {
        let mask = Self::unit_mask(&unit);
        let range = self.range(&mask);
        let (local, across): (Vec<Expr>, Vec<Expr>) = quals.into_iter().partition(|q| {
            let m = self.mask([q]);
            !m.is_empty() && m.is_within(&[&mask])
        });
        let mut set = Vec::new();
        for s in mask.numbers().filter_map(|n| self.sources[n].as_ref()) {
            set.extend(s.set.iter().cloned());
        }
        if let Unit::Source(n) = unit
            && let Some(Source { kind: SourceKind::Table(table, _), at, .. }) = &self.sources[n]
        {
            // Try an index with values of the outer side.
            let all: Vec<Expr> = local.iter().chain(&across).cloned().collect();
            let (table, at) = (table.clone(), *at);
            let path = self.request(&table, at, &all, &[]).choose();
            let uses_outer = path.consumed[local.len()..].iter().any(|c| *c);
            let alone = self.request(&table, at, &local, &[]).choose();
            let hashable = across.iter().any(|q| self.equality(q, &mask).is_some());
            let looped = outer.rows * path.cost;
            let other = if hashable { alone.cost + alone.rows * 0.01 } else { outer.rows * alone.cost };
            if uses_outer && looped <= other {
                let rows = (outer.rows * path.rows).max(1.0);
                let cost = outer.cost + looped;
                let inner = self.scan(n, all, Some(path));
                let join =
                    NestedLoop { kind, outer, inner, set: set.into(), condition: None, inner_at: range };
                return Node::new(Op::NestedLoop(Box::new(join)), rows, cost);
            }
        }
        let inner = match unit {
            Unit::Source(n) => self.leaf(n, local),
            Unit::Left { left, right, on } => self.left_join(*left, *right, on, local),
            Unit::Full { left, right, on } => self.full_join(*left, *right, on, local),
        };
        self.combine(kind, outer, inner, range, &mask, set, across)
    }

    #[allow(clippy::too_many_arguments)] // Both sides and what is between them.
    fn combine(
        &mut self,
        kind: JoinKind,
        outer: Node,
        inner: Node,
        range: Range<usize>,
        mask: &Relations,
        set: Vec<(usize, Expr)>,
        across: Vec<Expr>,
    ) -> Node {
        let rows = (outer.rows * inner.rows * 0.1f64.powi(across.len() as i32))
            .max(outer.rows.min(inner.rows))
            .max(1.0);
        if set.is_empty() {
            let (mut outer_keys, mut inner_keys, mut rest) = (Vec::new(), Vec::new(), Vec::new());
            for q in across {
                match self.equality(&q, mask) {
                    Some((o, i)) => {
                        outer_keys.push(o);
                        inner_keys.push(i);
                    }
                    None => rest.push(q),
                }
            }
            if !outer_keys.is_empty() {
                let cost = outer.cost + inner.cost + (outer.rows + inner.rows) * 0.01;
                let inner_varies = inner.reads_outer();
                let join = HashJoin {
                    kind,
                    outer,
                    inner,
                    outer_keys: outer_keys.into(),
                    inner_keys: inner_keys.into(),
                    condition: Expr::all(rest),
                    inner_at: range,
                    outer_at: 0..0,
                    inner_varies,
                };
                return Node::new(Op::HashJoin(Box::new(join)), rows, cost);
            }
            let cheap = matches!(inner.op, Op::Scan(_) | Op::Virtual { .. } | Op::Cte { .. });
            let inner = if cheap { inner } else { materialize(inner, range.clone()) };
            let cost = outer.cost + outer.rows * inner.cost;
            let condition = Expr::all(rest);
            let join = NestedLoop { kind, outer, inner, set: Box::new([]), condition, inner_at: range };
            return Node::new(Op::NestedLoop(Box::new(join)), rows, cost);
        }
        let cost = outer.cost + outer.rows * inner.cost;
        let join =
            NestedLoop { kind, outer, inner, set: set.into(), condition: Expr::all(across), inner_at: range };
        Node::new(Op::NestedLoop(Box::new(join)), rows, cost)
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

    fn request<'b>(
        &'b self,
        table: &'b Arc<Table>,
        at: usize,
        quals: &'b [Expr],
        desired: &'b [SortKey],
    ) -> Request<'b> {
        Request { table, at, quals, desired, limited: self.limited, snapshot_version: self.snapshot_version }
    }

    fn scan(&mut self, n: usize, quals: Vec<Expr>, path: Option<super::access::Path>) -> Node {
        let Some(Source { kind: SourceKind::Table(table, alias), at, .. }) = self.sources[n].take() else {
            return Node::new(Op::Nothing, 0.0, 0.0);
        };
        let path = path.unwrap_or_else(|| self.request(&table, at, &quals, self.desired).choose());
        self.ordered = path.ordered;
        let filter = quals.into_iter().zip(&path.consumed).filter(|(_, c)| !**c).map(|(q, _)| q).collect();
        let wanted = (0..table.columns.len()).filter(|c| self.used[at + c]).collect();
        let scan = Scan {
            table,
            alias,
            at,
            wanted,
            row_id: self.row_ids.contains(&at),
            access: path.access,
            backward: path.backward,
            filter: Expr::all(filter),
        };
        Node::new(Op::Scan(Box::new(scan)), path.rows, path.cost)
    }

    /// A relation with conditions that read it alone (or nothing).
    fn leaf(&mut self, n: usize, quals: Vec<Expr>) -> Node {
        if matches!(&self.sources[n], Some(Source { kind: SourceKind::Table(..), .. })) {
            return self.scan(n, quals, None);
        }
        let rows = self.estimated_rows(n);
        let Some(source) = self.sources[n].take() else { return Node::new(Op::Nothing, 0.0, 0.0) };
        let at = source.at;
        let node = match source.kind {
            SourceKind::Table(..) => Node::new(Op::Nothing, 0.0, 0.0),
            SourceKind::Virtual(table) => Node::new(Op::Virtual { table, at }, rows, rows * 0.01),
            SourceKind::Query(_, name) => match self.subqueries[n].take() {
                Some(query) => {
                    let (rows, cost) = (query.root.rows, query.root.cost);
                    Node::new(Op::Subquery { query: Box::new(query), at, name }, rows, cost)
                }
                None => Node::new(Op::Nothing, 0.0, 0.0),
            },
            SourceKind::Cte { number, width, name } => {
                Node::new(Op::Cte { number, at, width, name }, rows, rows * 0.01)
            }
            SourceKind::Function { function, ordinality } => {
                Node::new(Op::Function { function, at, ordinality }, rows, rows * 0.01)
            }
            SourceKind::Rows(list) => Node::new(Op::Values { at, rows: list }, rows, rows * 0.01),
        };
        node.filtered(Expr::all(quals))
    }
}

fn materialize(input: Node, range: Range<usize>) -> Node {
    let (rows, cost) = (input.rows, input.cost);
    let varies = input.reads_outer();
    Node::new(Op::Materialize { input: Box::new(input), range, varies }, rows, cost.min(rows * 0.0025))
}
