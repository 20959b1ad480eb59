//! From what is asked to how it is answered: a bound statement becomes a tree of nodes, level by level, the innermost first.
//!
//! The stages of a SELECT, in the order of its plan: FROM and WHERE (`join`), grouping, HAVING, ORDER BY, row locks, the select list,
//! DISTINCT, LIMIT. ORDER BY runs before the select list, over the level's own row, unless DISTINCT or a function that returns rows
//! forces it behind; so rows locked and found changed are projected anew.
//!
//! Must not know: names, SQL syntax, the executor.

use super::bound::{
    Body, BoundCte, BoundQuery, BoundSelect, BoundStatement, Distinct, Grouping, Level, Limits, OrderItem,
    OrderKey, Source, SourceKind, Visited,
};
use super::estimate::Estimator;
use super::expr::Expr;
use super::extremes::only_extreme;
use super::hashed::{Hashed, Waiting};
use super::join::{FromInput, Joined, plan_from};
use super::project_set::SetCalls;
use super::pull::refuse_nullable;
use super::recheck::Recheck;
use super::sort::sort_cost;
use super::together::Together;
use super::window::Windows;
use super::windows::{Above, WindowSteps};
use super::{
    Aggregate, ChangedRows, Cte, CteStep, LockRows, LockTarget, Node, Op, PlanKind, Query, SetFunction,
    SetOp, Sort, SortKey, fold,
};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Collation, Datum, EvalCtx, guard};
use std::cell::{Cell, RefCell};

/// Stack that one level may need, and what is added when less is left.
const STACK_LEFT_BYTES: usize = 256 << 10;
const STACK_PIECE_BYTES: usize = 2 << 20;

/// How often parts of a statement are planned once more, with all of FROM below them: planning must not take longer than running.
const PLANNED_AGAIN_MAX: usize = 100;

/// What building a statement needs to know.
pub struct Builder<'a> {
    /// For folding constants.
    pub eval: &'a EvalCtx<'a>,
    /// Indexes younger than this catalog version are left alone.
    pub snapshot_version: u64,
    /// The statement's subqueries, by number.
    pub subqueries: &'a [BoundQuery],
    /// Its common table expressions, by number.
    pub ctes: &'a [BoundCte],
    /// Which of them are read where they stand.
    pub inlined: Vec<bool>,
    /// Rows expected of those that are planned.
    pub cte_rows: RefCell<Vec<f64>>,
    /// How often a part was planned once more.
    planned_again: Cell<usize>,
    /// Places for values that are put aside.
    slots: Cell<usize>,
}

impl<'a> Builder<'a> {
    /// For a statement with so many places for values that are put aside.
    pub fn new(
        eval: &'a EvalCtx<'a>,
        snapshot_version: u64,
        subqueries: &'a [BoundQuery],
        ctes: &'a [BoundCte],
        statement: Option<&BoundStatement>,
        slots: usize,
    ) -> Builder<'a> {
        let mut inlined = Vec::new();
        if !ctes.is_empty() {
            let mut queries: Vec<&BoundQuery> = subqueries.iter().collect();
            let mut levels = Vec::new();
            let changes = ctes.iter().filter_map(|c| c.change.as_deref());
            for (query, level) in statement.into_iter().chain(changes).map(BoundStatement::read) {
                queries.extend(query);
                levels.extend(level);
            }
            inlined = Builder::inlined(ctes, &queries, &levels);
        }
        let (cte_rows, planned_again) = (RefCell::default(), Cell::default());
        let slots = Cell::new(slots);
        Builder { eval, snapshot_version, subqueries, ctes, inlined, cte_rows, planned_again, slots }
    }

    /// One more place for a value that is put aside.
    pub(super) fn new_slot(&self) -> usize {
        self.slots.replace(self.slots.get() + 1)
    }

    /// Places for values that are put aside.
    pub fn slots(&self) -> usize {
        self.slots.get()
    }
}

/// A statement's subqueries and common table expressions, planned.
pub struct Parts {
    /// What the statement does.
    pub kind: PlanKind,
    /// Subqueries, by number; nothing for those that became joins.
    pub subplans: Vec<Query>,
    /// WHERE of those whose EXISTS is like a join, over the row of their level as it was planned.
    pub subplan_where: Vec<Option<Expr>>,
    /// The other way of those that EXISTS asks; its rows are those of a subplan behind the numbered ones.
    pub subplan_hashed: Vec<Option<Hashed>>,
    /// Common table expressions, by number; nothing for those that are read where they stand.
    pub ctes: Vec<Cte>,
}

impl Builder<'_> {
    /// Rows that are expected of a relation before it is planned.
    pub fn estimated_rows(&self, kind: &SourceKind) -> f64 {
        match kind {
            SourceKind::Table(t, _) => t.estimated_rows(),
            SourceKind::Virtual(_) => 500.0,
            SourceKind::Query(..) => 1000.0,
            SourceKind::Cte { number, .. } => self.cte_rows.borrow().get(*number).copied().unwrap_or(100.0),
            SourceKind::Function { function: SetFunction::Scalar(_), .. } => 1.0,
            SourceKind::Function { .. } => 100.0,
            SourceKind::Rows(r) => r.len() as f64,
        }
    }

    /// A statement with all that it needs; without one, all subqueries.
    pub fn parts(&self, statement: Option<BoundStatement>) -> Result<Parts, SqlError> {
        let nothing = Query::nothing;
        let mut ctes = Vec::with_capacity(self.ctes.len());
        for (n, cte) in self.ctes.iter().enumerate() {
            let is_read = cte.change.is_none() && !self.inlined[n];
            let query = if is_read { self.query(cte.query.clone())? } else { nothing() };
            let change = match &cte.change {
                Some(s) => Some(Box::new(self.statement((**s).clone())?)),
                None => None,
            };
            let growth = if cte.step.is_some() { 10.0 } else { 1.0 };
            self.cte_rows.borrow_mut().push(query.root.rows * growth);
            let step = match &cte.step {
                Some(s) => Some(CteStep { query: self.query(s.query.clone())?, all: s.all, slot: s.slot }),
                None => None,
            };
            ctes.push(Cte {
                name: cte.name.clone(),
                query,
                step,
                change,
                reads: self.cte_reads(n).into_iter().collect(),
            });
        }
        let mut waiting = Waiting::default();
        let mut find = |e: &Expr| waiting.find(e);
        ctes.iter().flat_map(Cte::queries).for_each(|q| q.root.all_exprs(&mut find));
        ctes.iter().filter_map(|c| c.change.as_ref()).for_each(|c| c.exprs(&mut find));
        let kind = match statement {
            Some(s) => {
                let kind = self.statement(s)?;
                kind.exprs(&mut find);
                kind
            }
            None => {
                waiting.numbers.extend(0..self.subqueries.len());
                PlanKind::Query(nothing())
            }
        };
        let mut subplans: Vec<Option<Query>> = self.subqueries.iter().map(|_| None).collect();
        let mut subplan_where = vec![None; self.subqueries.len()];
        while let Some(n) = waiting.numbers.pop() {
            if subplans[n].is_some() {
                continue;
            }
            let subquery = &self.subqueries[n];
            let (query, condition) = match joined_where(subquery) {
                Some(_) => self.query_and_where(subquery.clone())?,
                None => (self.query(subquery.clone())?, None),
            };
            query.root.all_exprs(&mut |e| waiting.find(e));
            condition.iter().for_each(|e| waiting.find(e));
            (subplans[n], subplan_where[n]) = (Some(query), condition);
        }
        let mut subplans: Vec<Query> = subplans.into_iter().map(|q| q.unwrap_or_else(nothing)).collect();
        let subplan_hashed = self.hashed_ways(&waiting.of_exists, &mut subplans)?;
        Ok(Parts { kind, subplans, subplan_where, subplan_hashed, ctes })
    }

    /// A whole statement.
    fn statement(&self, s: BoundStatement) -> Result<PlanKind, SqlError> {
        Ok(match s {
            BoundStatement::Query(q) => PlanKind::Query(self.query(q)?),
            BoundStatement::Insert(i) => PlanKind::Insert(Box::new(i.try_map(|q| self.query(q))?)),
            BoundStatement::Update(mut u) => {
                let set = u.set.iter_mut().map(|(_, e)| e).collect();
                self.flatten_change(&mut u.rows, set, u.returning.as_mut());
                PlanKind::Update(Box::new(u.try_map(|v| self.visited(v))?))
            }
            BoundStatement::Merge(m) => PlanKind::Merge(Box::new(m.try_map(|v| self.visited(v))?)),
            BoundStatement::Delete(mut d) => {
                self.flatten_change(&mut d.rows, Vec::new(), d.returning.as_mut());
                PlanKind::Delete(Box::new(d.try_map(|v| self.visited(v))?))
            }
        })
    }

    /// The rows that an UPDATE or DELETE visits.
    fn visited(&self, v: Visited) -> Result<ChangedRows, SqlError> {
        let Visited { mut level, mut used } = v;
        level.conjuncts = fold::simplified(level.conjuncts, self.eval);
        let recheck = self.recheck(&level);
        self.pull_up(&mut level);
        let width = level.width;
        used.resize(width, false);
        mark_level(&level, &mut used);
        recheck.exprs(&mut |e| mark(e, &mut used));
        let input = FromInput { level, used: &used, row_ids: &[0], desired: &[], limit_rows: None };
        Ok(ChangedRows { input: plan_from(self, input)?.node, width, recheck })
    }

    /// What rows that were changed meanwhile must still satisfy.
    fn recheck(&self, level: &Level) -> Recheck {
        let is_joined = |n: usize| self.subqueries.get(n).is_some_and(|q| joined_where(q).is_some());
        Recheck::new(level.tree.as_ref(), &level.sources, &level.conjuncts, is_joined)
    }

    /// A query, and all of FROM below it.
    pub fn query(&self, q: BoundQuery) -> Result<Query, SqlError> {
        stacker::maybe_grow(STACK_LEFT_BYTES, STACK_PIECE_BYTES, || self.built(q, None, None))
    }

    /// A subquery, and its WHERE over the row of its level, which has what that reads.
    fn query_and_where(&self, q: BoundQuery) -> Result<(Query, Option<Expr>), SqlError> {
        let mut condition = None;
        let query = stacker::maybe_grow(STACK_LEFT_BYTES, STACK_PIECE_BYTES, || {
            self.built(q, None, Some(&mut condition))
        })?;
        Ok((query, condition))
    }

    /// A query of whose columns only some are read.
    pub fn query_for(&self, q: BoundQuery, used: &[bool]) -> Result<Query, SqlError> {
        stacker::maybe_grow(STACK_LEFT_BYTES, STACK_PIECE_BYTES, || self.built(q, Some(used), None))
    }

    fn built(
        &self,
        mut q: BoundQuery,
        used: Option<&[bool]>,
        condition: Option<&mut Option<Expr>>,
    ) -> Result<Query, SqlError> {
        guard::check_text()?;
        super::top::limit_sides(&mut q);
        let BoundQuery { body, order, limits, ties, output, visible, mut with, is_barrier: _ } = q;
        let own_order = !order.is_empty();
        // With an ORDER BY of its own the body is not limited.
        let (inner, outer) = if own_order { ((None, None), limits) } else { (limits, (None, None)) };
        let body_used = if output.is_none() && !own_order { used } else { None };
        let mut query = match body {
            Body::Select(s) => self.select(*s, inner, body_used, condition)?,
            Body::Values(rows) => {
                let (width, count) = (rows.first().map_or(0, |r| r.len()), rows.len() as f64);
                let root = Node::new(Op::Values { at: 0, rows }, count, count * 0.0025);
                Query { root: limited(root, inner), width, visible: width, with: Vec::new() }
            }
            Body::SetOperation { op, all, left, right } => {
                let (left, right) = (cut(self.query(*left)?), cut(self.query(*right)?));
                let width = left.visible;
                let rows = if op == SetOp::Union { left.root.rows + right.root.rows } else { left.root.rows };
                let cost = left.root.cost + right.root.cost;
                let is_distinct_union = op == SetOp::Union && !all;
                let all = all || is_distinct_union;
                let op = Op::SetOperation { op, all, left: Box::new(left), right: Box::new(right), width };
                let mut root = Node::new(op, rows, cost);
                if is_distinct_union {
                    root = distinct_rows(root, (0..width).map(Expr::Column).collect(), width, false);
                }
                Query { root: limited(root, inner), width, visible: width, with: Vec::new() }
            }
            Body::Query(q) => {
                let query = self.query(*q)?;
                // Its order is the body's.
                let ties = if own_order { Vec::new() } else { ties.clone() };
                Query { root: limited_with_ties(query.root, inner, ties), ..query }
            }
        };
        query.with.append(&mut with);
        if own_order {
            let top = if ties.is_empty() { Some(&outer) } else { None };
            let root = sorted(query.root, query.width, order, None, top);
            query.root = limited_with_ties(root, outer, ties);
        }
        if let Some(mut exprs) = output {
            if let Some(used) = used {
                fold::prune(&mut exprs, used);
            }
            query.root = project(query.root, query.width, exprs);
            (query.width, query.visible) = (visible, visible);
        }
        Ok(query)
    }

    /// `condition`: where to put WHERE as it is planned, subqueries in FROM having been taken apart; what it reads is in the level's row then, also if a part
    /// of it was moved below.
    fn select(
        &self,
        mut s: BoundSelect,
        limits: Limits,
        used: Option<&[bool]>,
        mut condition: Option<&mut Option<Expr>>,
    ) -> Result<Query, SqlError> {
        self.flatten(&mut s);
        super::unread::drop_joins(&mut s);
        super::pull::filter_before_grouping(&mut s);
        super::extremes::take_apart(&mut s);
        if let Some(condition) = &mut condition {
            **condition = Expr::all(s.level.conjuncts.clone());
        }
        let BoundSelect {
            mut level,
            grouping,
            mut windows,
            mut outs,
            mut order,
            mut distinct,
            mut locks,
            reached,
            set_calls,
            first_only,
        } = s;
        let mut set_calls = SetCalls::new(set_calls);
        let is_distinct = !matches!(distinct, Distinct::No);
        if let Some(needed) = used
            && !is_distinct
        {
            self.drop_unread(&mut outs, &mut order, needed);
        }
        let recheck = if locks.is_empty() { Recheck::default() } else { self.recheck(&level) };
        level.conjuncts = fold::simplified(level.conjuncts, self.eval);
        let is_never = fold::is_never(&level.conjuncts, self.eval)?;
        self.pull_up(&mut level);
        if grouping.is_none() && !is_distinct {
            super::equal::drop_settled(&mut order, &outs, &level.conjuncts);
        }
        if grouping.is_none()
            && windows.calls.is_empty()
            && set_calls.is_empty()
            && !is_distinct
            && locks.is_empty()
        {
            super::top::limit_source(&mut level, &outs, &order, &limits);
        }
        refuse_nullable(&level, &reached)?;
        let extreme = grouping.as_ref().and_then(|g| only_extreme(g, &level));
        if let Some(key) = &extreme {
            level.conjuncts.push(Expr::IsNull(Box::new(key.expr.clone()), true));
        }
        let mut read = vec![false; level.width];
        let keys = grouping.as_ref().map_or(&[][..], |g| &g.keys);
        let own_width = grouping.as_ref().map_or(level.width, |g| g.keys.len() + g.calls.len());
        let early = calls_of_windows(&windows, &set_calls);
        if grouping.is_none() {
            windows.exprs(&mut |e| mark(e, &mut read));
            for n in &early {
                set_calls.calls()[*n].function.exprs().into_iter().for_each(|e| mark(e, &mut read));
            }
        }
        let below = own_width + early.len();
        let places = set_calls.places(&early, own_width);
        let mut above = Above {
            outs: &mut outs,
            set_calls: set_calls.calls_mut(),
            order: &mut order,
            distinct: &mut distinct,
        };
        let has_windows = !windows.calls.is_empty();
        read_early(&places, &mut windows, &mut above);
        let steps = has_windows.then(|| WindowSteps::new(windows, below, keys, &mut above));
        mark_level(&level, &mut read);
        recheck.exprs(&mut |e| mark(e, &mut read));
        condition.iter().flat_map(|c| c.iter()).for_each(|e| mark(e, &mut read));
        {
            let mut mark = |e: &Expr| mark(e, &mut read);
            match &grouping {
                Some(g) => {
                    g.keys.iter().for_each(&mut mark);
                    set_calls.arguments(&g.keys, &mut mark);
                    g.calls.iter().for_each(|c| c.exprs(&mut mark));
                }
                None => {
                    let on = if let Distinct::On(exprs) = &distinct { &exprs[..] } else { &[] };
                    let above = || outs.iter().chain(order.iter().map(|k| k.expr(&outs))).chain(on);
                    above().for_each(&mut mark);
                    set_calls.arguments(above(), &mut mark);
                }
            }
        }
        for t in &mut locks {
            t.wanted = (0..t.table.columns.len()).filter(|c| read[t.at + c]).collect();
        }
        let row_ids: Vec<usize> = locks.iter().map(|t| t.at).collect();
        // DISTINCT and what is ordered by a set-returning function: ORDER BY comes after the select list.
        let has_set = |k: &OrderKey| k.expr(&outs).any(|e| matches!(e, Expr::Set(_)));
        // What gives something else each time is computed once, and its rows are sorted by what it gave.
        let is_chosen =
            |k: &OrderKey| matches!(&k.item, OrderItem::Output(n) if self.is_chosen_anew(&outs[*n]));
        let sorts_late =
            is_distinct || order.iter().any(has_set) || locks.is_empty() && order.iter().any(is_chosen);
        let desired: Vec<SortKey> = if extreme.is_some() {
            extreme.clone().into_iter().collect()
        } else if !early.is_empty() {
            Vec::new()
        } else if let (None, Some(steps)) = (&grouping, &steps) {
            steps.first_order()
        } else if grouping.is_some() || sorts_late {
            Vec::new()
        } else {
            order.iter().map(|o| o.key(&outs)).collect()
        };
        let mut width = level.width;
        let few = match extreme {
            Some(_) => Some(1.0),
            None if first_only => Some(1.0),
            None if has_windows => steps.as_ref().filter(|_| grouping.is_none()).and_then(|s| {
                let keys: Vec<SortKey> = order.iter().map(|o| o.key(&outs)).collect();
                let of_run = s.most_rows().and_then(|(most, _)| limit_rows(&(Some(most.clone()), None)));
                let is_read_as_it_comes = set_calls.is_empty() && !sorts_late && s.streams_by(&keys);
                of_run.or_else(|| limit_rows(&limits).filter(|_| is_read_as_it_comes))
            }),
            None if !set_calls.is_empty() || grouping.is_some() || sorts_late => None,
            None => limit_rows(&limits),
        };
        let may_come_in_groups = extreme.is_none()
            && early.is_empty()
            && grouping.is_none()
            && !sorts_late
            && locks.is_empty()
            && desired.first().is_some_and(|key| is_of_table(&level, &key.expr));
        let is_plain = steps.is_none() && set_calls.is_empty() && locks.is_empty() && extreme.is_none();
        let wanted = match &grouping {
            _ if !is_plain || order.iter().any(is_chosen) => None,
            Some(g) if !is_distinct => Together::of_groups(g, &outs, &order, limit_rows(&limits)),
            Some(_) => None,
            None => Together::of_distinct(&distinct, &outs, &order, limit_rows(&limits)),
        };
        let together = wanted.filter(|w| w.keys.first().is_some_and(|key| is_of_table(&level, &key.expr)));
        let input = FromInput { level, used: &read, row_ids: &row_ids, desired: &desired, limit_rows: few };
        let base = self.base(input, may_come_in_groups, together)?;
        let Base { mut node, mut is_sorted, mut presorted, comes_together, estimator } = base;
        if is_never {
            (node, is_sorted) = (Node::new(Op::Nothing, 0.0, 0.0), true);
        }
        let was_grouped = grouping.is_some();
        if let Some(mut g) = grouping {
            let live = |c: usize| read[c];
            (node, width) = set_calls.computed(node, width, &g.keys, &live);
            g.keys = g.keys.into_iter().map(|k| set_calls.read(k)).collect();
            if extreme.is_some() && is_sorted && !is_never {
                node = limited(node, (Some(Expr::Const(Datum::Int8(1))), None));
            }
            (node, width) = grouped(node, width, g, &estimator, comes_together);
            is_sorted = order.is_empty() || comes_together;
        }
        if !early.is_empty() {
            (node, width) = set_calls.compute(node, width, &early);
            is_sorted = false;
        }
        if let Some(steps) = steps {
            let mut above = Above {
                outs: &mut outs,
                set_calls: set_calls.calls_mut(),
                order: &mut order,
                distinct: &mut distinct,
            };
            width = steps.width;
            let comes_by = match is_sorted && !was_grouped {
                true => steps.first_order().len(),
                false => std::mem::take(&mut presorted),
            };
            let (computed, by) = steps.build(node, comes_by, below, &mut above);
            node = computed;
            is_sorted = order.iter().zip(&by).filter(|(o, k)| o.key(&outs) == **k).count() == order.len();
        }
        if sorts_late {
            let of = (node, width, comes_together);
            return Ok(project_then_sort(of, outs, set_calls, order, distinct, limits));
        }
        if !order.is_empty() && !is_sorted {
            let keys: Vec<SortKey> = order.iter().map(|o| o.key(&outs)).collect();
            let live = locks.is_empty().then(|| live_places(&outs, &set_calls));
            let top = if locks.is_empty() && set_calls.is_empty() { Some(&limits) } else { None };
            node = sorted_in_groups((node, presorted), width, keys, live, top);
        }
        if !locks.is_empty() {
            node = locked(node, locks, recheck);
        }
        let visible = outs.len();
        let root = limited(set_calls.project(node, width, outs), limits);
        Ok(Query { root, width: visible, visible, with: Vec::new() })
    }
}

impl Builder<'_> {
    /// Whether FROM and WHERE may be planned once more, in another order; a statement has so many tries.
    pub(super) fn may_plan_again(&self) -> bool {
        let before = self.planned_again.get();
        self.planned_again.set((before + 1).min(PLANNED_AGAIN_MAX));
        before < PLANNED_AGAIN_MAX
    }

    /// FROM and WHERE as they are wanted, or in an order of which more comes for free, where that is cheaper: in groups of rows that are sorted by the first of the
    /// wanted keys, or, for who groups them, group after group.
    fn base(
        &self,
        input: FromInput<'_>,
        may_come_in_groups: bool,
        together: Option<Together>,
    ) -> Result<Base<'_>, SqlError> {
        let FromInput { level, used, row_ids, desired, limit_rows } = input;
        let few = limit_rows.filter(|_| may_come_in_groups && desired.len() > 1);
        let again = (few.is_some() || together.is_some()).then(|| level.clone());
        let input = FromInput { level, used, row_ids, desired, limit_rows };
        let Joined { mut node, is_sorted, estimator } = plan_from(self, input)?;
        let (mut presorted, mut comes_together) = (0, false);
        if let (Some(few), Some(level), false) = (few, &again, is_sorted) {
            let input = FromInput { level: level.clone(), used, row_ids, desired, limit_rows: None };
            if let Some((by, found)) = self.in_groups(input, few, (&node, &estimator))? {
                (presorted, node) = (by, found);
            }
        }
        if let (Some(wanted), Some(level)) = (together, again)
            && let Some(found) = self.together(level, (used, row_ids), &wanted, (&node, &estimator))?
        {
            (node, comes_together) = (found, true);
        }
        Ok(Base { node, is_sorted, presorted, comes_together, estimator })
    }

    /// FROM and WHERE whose rows come sorted by the first of the wanted keys, so that of a few rows in order only the groups that have them are read: if that is
    /// cheaper than to sort all, as they were planned.
    fn in_groups(
        &self,
        input: FromInput<'_>,
        few: f64,
        (sorted_later, estimator): (&Node, &Estimator<'_>),
    ) -> Result<Option<(usize, Node)>, SqlError> {
        let rows = sorted_later.rows;
        let FromInput { level, used, row_ids, desired, .. } = input;
        for by in (1..desired.len()).rev() {
            if !self.may_plan_again() {
                return Ok(None);
            }
            let keys: Vec<Expr> = desired[..by].iter().map(|k| k.expr.clone()).collect();
            let of_group = rows / estimator.groups(&keys, rows).max(1.0);
            let read = (few + of_group).min(rows);
            let (level, desired) = (level.clone(), &desired[..by]);
            let input = FromInput { level, used, row_ids, desired, limit_rows: Some(read) };
            let found = plan_from(self, input)?;
            if found.is_sorted {
                let cost = super::access::first_of(found.node.cost, rows / read) + sort_cost(read);
                let is_better = cost < sorted_later.cost + sort_cost(rows);
                return Ok(is_better.then_some((by, found.node)));
            }
        }
        Ok(None)
    }
}

/// FROM and WHERE, and how their rows come.
struct Base<'e> {
    node: Node,
    /// In the wanted order.
    is_sorted: bool,
    /// Sorted by so many of the wanted keys.
    presorted: usize,
    /// Rows of a group come one after the other.
    comes_together: bool,
    estimator: Estimator<'e>,
}

/// The places that a select list reads.
fn live_places(outs: &[Expr], set_calls: &SetCalls) -> Box<[usize]> {
    let mut live = Vec::new();
    outs.iter().for_each(|o| o.columns(&mut live));
    set_calls.arguments(outs, &mut |e| e.columns(&mut live));
    live.sort_unstable();
    live.dedup();
    live.into_boxed_slice()
}

/// The set-returning functions that windows are divided and ordered by, be there calls over them or not.
fn calls_of_windows(windows: &Windows, calls: &SetCalls) -> Vec<usize> {
    let mut keys = Vec::new();
    windows.exprs(&mut |e| keys.push(e));
    calls.needed(keys)
}

/// Has windows, and all above them, read as columns what is computed before.
fn read_early(places: &[(usize, usize)], windows: &mut Windows, above: &mut Above<'_>) {
    if places.is_empty() {
        return;
    }
    let read = |e: Expr| {
        e.map(&mut |e| match e {
            Expr::Set(n) => match places.iter().find(|p| p.0 == n) {
                Some((_, at)) => Expr::Column(*at),
                None => Expr::Set(n),
            },
            e => e,
        })
    };
    windows.map(&mut |e| read(e));
    above.map(&mut |e| read(e), places);
}

/// Whether what an expression reads first is of a table, whose index may give its order.
fn is_of_table(level: &Level, e: &Expr) -> bool {
    let mut read = Vec::new();
    e.columns(&mut read);
    let is_it = |s: &Source| {
        let own = s.at..s.at + s.width;
        matches!(s.kind, SourceKind::Table(..)) && read.first().is_some_and(|place| own.contains(place))
    };
    level.sources.iter().any(is_it)
}

/// WHERE of a subquery whose EXISTS is like a join.
fn joined_where(q: &BoundQuery) -> Option<Expr> {
    q.as_select().and_then(BoundSelect::joined_where)
}

fn mark(e: &Expr, used: &mut [bool]) {
    e.walk(&mut |e| {
        if let Expr::Column(c) = e
            && let Some(u) = used.get_mut(*c)
        {
            *u = true;
        }
    });
}

/// What FROM and WHERE read of their own relations.
fn mark_level(level: &Level, used: &mut [bool]) {
    level.own_exprs(&mut |e| mark(e, used));
}

impl Builder<'_> {
    /// Whether an expression may give something else each time that it is computed.
    fn is_chosen_anew(&self, e: &Expr) -> bool {
        e.calls_volatile() || e.any(|e| matches!(e, Expr::Subquery(n, ..) if self.is_volatile(*n)))
    }

    /// Has a select list compute nothing that nobody reads.
    fn drop_unread(&self, outs: &mut [Expr], order: &mut [OrderKey], needed: &[bool]) {
        let has_effects = |e: &Expr| match e {
            Expr::Set(_) => true,
            Expr::Subquery(n, ..) => self.is_volatile(*n),
            _ => false,
        };
        for (n, out) in outs.iter_mut().enumerate() {
            let is_needed = needed.get(n).copied().unwrap_or(false);
            if is_needed || out.calls_volatile() || out.any(has_effects) {
                continue;
            }
            for key in order.iter_mut() {
                if matches!(key.item, OrderItem::Output(o) if o == n) {
                    key.item = OrderItem::Expr(out.clone());
                }
            }
            *out = Expr::null();
        }
    }
}

fn grouped(
    input: Node,
    width: usize,
    g: Grouping,
    estimator: &Estimator<'_>,
    comes_together: bool,
) -> (Node, usize) {
    let rows = if g.plain { 1.0 } else { estimator.groups(&g.keys, input.rows) };
    let cost = input.cost + input.rows * 0.005 * (1 + g.calls.len()) as f64;
    let new_width = g.keys.len() + g.calls.len();
    let aggregate = Aggregate {
        input,
        width,
        keys: g.keys.into(),
        sets: g.sets.into(),
        calls: g.calls.into(),
        plain: g.plain,
        comes_together,
    };
    let mut having = Vec::new();
    g.having.into_iter().for_each(|e| e.split_and(&mut having));
    super::qual_cost::in_order(&mut having);
    (Node::new(Op::Aggregate(Box::new(aggregate)), rows, cost).filtered(Expr::all(having)), new_width)
}

fn locked(input: Node, targets: Vec<LockTarget>, recheck: Recheck) -> Node {
    let (rows, cost) = (input.rows, input.cost + input.rows * 0.01);
    Node::new(Op::Lock(Box::new(LockRows { input, targets: targets.into(), recheck })), rows, cost)
}

/// ORDER BY after the select list, of rows that may come together and in order.
fn project_then_sort(
    (mut node, width, comes_together): (Node, usize, bool),
    outs: Vec<Expr>,
    set_calls: SetCalls,
    order: Vec<OrderKey>,
    distinct: Distinct,
    limits: Limits,
) -> Query {
    let visible = outs.len();
    let mut exprs = outs;
    let mut keys = Vec::new();
    for o in order {
        let place = match o.item {
            OrderItem::Output(n) => n,
            OrderItem::Expr(e) => {
                exprs.push(e);
                exprs.len() - 1
            }
        };
        let OrderKey { desc, nulls_first, collation, .. } = o;
        keys.push(SortKey { expr: Expr::Column(place), desc, nulls_first, collation });
    }
    let mut on: Vec<Expr> = Vec::new();
    let mut all = None;
    if let Distinct::All(collations) = &distinct {
        let by = |n: usize| collations.iter().find(|c| c.0 == n).map_or_else(Default::default, |c| c.1);
        all = Some((0..visible).map(|n| Expr::Column(n).in_order_of(by(n))).collect());
    }
    if let Distinct::On(list) = distinct {
        for e in list {
            let place = exprs.iter().position(|x| *x == e).unwrap_or_else(|| {
                exprs.push(e);
                exprs.len() - 1
            });
            on.push(Expr::Column(place));
        }
    }
    let out_width = exprs.len();
    node = set_calls.project(node, width, exprs);
    if let Some(keys) = all {
        node = distinct_rows(node, keys, out_width, comes_together);
    }
    let is_on = !on.is_empty();
    let is_sorted = !keys.is_empty();
    if is_sorted {
        // The keys lead the order, as was checked; with those that it lacks rows that are alike are together.
        for e in &on {
            if !keys.iter().any(|k| k.expr == *e) {
                let (expr, collation) = (e.clone(), Collation::default());
                keys.push(SortKey { expr, desc: false, nulls_first: false, collation });
            }
        }
    }
    if !keys.is_empty() && !comes_together {
        node = sorted(node, out_width, keys, None, if is_on { None } else { Some(&limits) });
    }
    if is_on {
        node = distinct_rows(node, on.into(), out_width, is_sorted || comes_together);
    }
    Query { root: limited(node, limits), width: out_width, visible, with: Vec::new() }
}

fn distinct_rows(input: Node, keys: Box<[Expr]>, width: usize, sorted: bool) -> Node {
    let (rows, cost) = ((input.rows / 2.0).max(1.0), input.cost + input.rows * 0.005);
    let distinct = super::Distinct { input, keys, sorted, places: (0..width).collect() };
    Node::new(Op::Distinct(Box::new(distinct)), rows, cost)
}

/// Without the columns that served ORDER BY.
fn cut(q: Query) -> Query {
    if q.width == q.visible {
        return q;
    }
    let exprs = (0..q.visible).map(Expr::Column).collect();
    let Query { root, width, visible, with } = q;
    Query { root: project(root, width, exprs), width: visible, visible, with }
}

pub(super) fn project(input: Node, width: usize, exprs: Box<[Expr]>) -> Node {
    let as_is = exprs.len() == width
        && exprs.iter().enumerate().all(|(n, e)| matches!(e, Expr::Column(c) if *c == n));
    if as_is {
        return input;
    }
    let (rows, cost) = (input.rows, input.cost + input.rows * 0.0025);
    Node::new(Op::Project { input: Box::new(input), width, exprs, sets: Box::new([]) }, rows, cost)
}

pub(super) fn sorted(
    mut input: Node,
    width: usize,
    keys: Vec<SortKey>,
    live: Option<Box<[usize]>>,
    limits: Option<&Limits>,
) -> Node {
    let (rows, cost) = (input.rows, input.cost + sort_cost(input.rows));
    let top = limits.filter(|b| b.0.is_some()).cloned();
    if top.is_some() {
        input.defer(keys.iter().map(|k| &k.expr));
    }
    Node::new(
        Op::Sort(Box::new(Sort { input, width, keys: keys.into(), live, top, presorted: 0 })),
        rows,
        cost,
    )
}

/// As `sorted`, of rows that come sorted by the first so many keys.
pub(super) fn sorted_in_groups(
    (input, presorted): (Node, usize),
    width: usize,
    keys: Vec<SortKey>,
    live: Option<Box<[usize]>>,
    limits: Option<&Limits>,
) -> Node {
    debug_assert!(presorted == 0 || presorted < keys.len(), "rows that are sorted are not sorted again");
    let mut node = sorted(input, width, keys, live, limits);
    if let Op::Sort(sort) = &mut node.op {
        sort.presorted = presorted;
    }
    node
}

fn limited(input: Node, limits: Limits) -> Node {
    limited_with_ties(input, limits, Vec::new())
}

fn limited_with_ties(mut input: Node, (limit, offset): Limits, ties: Vec<SortKey>) -> Node {
    if limit.is_none() && offset.is_none() {
        return input;
    }
    // Of what is passed over no columns are passed on.
    if offset.is_some()
        && ties.is_empty()
        && let Op::Project { exprs, sets, .. } = &input.op
        && sets.is_empty()
        && exprs.iter().all(|e| matches!(e, Expr::Column(_)))
        && let Op::Project { input, width, exprs, .. } = input.op
    {
        return project(limited(*input, (limit, offset)), width, exprs);
    }
    let rows = match &limit {
        Some(Expr::Const(d)) => d.as_i64().map_or(input.rows, |n| input.rows.min(n as f64)),
        _ => input.rows,
    };
    let limits = (limit, offset);
    let cost = limit_rows(&limits).map_or(input.cost, |n| super::first::cost_of_first(&input, n));
    let (limit, offset) = limits;
    let told_apart = |k: SortKey| match k.collation.is_deterministic() {
        true => k.expr,
        false => k.expr.in_order_of(k.collation),
    };
    let ties = ties.into_iter().map(told_apart).collect();
    if offset.is_some() {
        // What is passed over need not be read.
        input.defer(std::iter::empty());
    }
    Node::new(Op::Limit { input: Box::new(input), limit, offset, ties }, rows, cost)
}

/// How many rows LIMIT and OFFSET read.
fn limit_rows((limit, offset): &Limits) -> Option<f64> {
    let known = |e: &Expr| if let Expr::Const(d) = e { d.as_i64().map(|n| n as f64) } else { None };
    let limit = limit.as_ref().map(|e| known(e).unwrap_or(100.0))?;
    Some(limit + offset.as_ref().and_then(known).unwrap_or(0.0))
}
