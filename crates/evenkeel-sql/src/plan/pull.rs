//! Subqueries that become joins, and conditions that move into them: done on what is asked, before it is planned.
//!
//! | asked | becomes |
//! | --- | --- |
//! | EXISTS over a plain SELECT that reads the level | a semi join |
//! | NOT EXISTS over one | an anti join |
//! | `x IN (SELECT …)` | a semi join on `x` |
//! | a LEFT JOIN whose rows without a match WHERE refuses | an inner join |
//! | a condition of WHERE that reads a subquery in FROM alone | one of that subquery's |
//! | a condition of HAVING on what is grouped by | one of WHERE |
//! | a condition on a row number, a rank or a count over a window in a subquery | the end of each partition, where it cannot hold any more |
//! | an OR whose branches have conditions in common | these, and the OR of the rest |
//! | an OR over a join | also what each of its branches asks of one relation |
//! | a `date` compared with a `timestamp` that is known | compared with a `date` |
//! | an OR of many equalities of one thing | a list that it is in (`one_of`) |
//! | a common table expression that is read at one place | a subquery in FROM there |
//!
//! What equal columns have for a value is passed on before (`passed`). Subqueries in FROM that only join and filter are taken apart before (`flatten`).
//!
//! NOT IN stays what it is: it is no join where there are NULLs.
//!
//! Invariants
//! 1. Nothing volatile moves, and nothing moves into what has a LIMIT. What may fail moves like anything else, as in PostgreSQL.
//! 2. Whoever read a value put aside for the subquery reads the value itself afterwards, or is given it still.
//!
//! Must not know: access paths, join methods.

use super::bound::{
    Body, BoundCte, BoundQuery, BoundSelect, Distinct, FromTree, Grouping, Level, Reached, Source,
    SourceKind, lock_words,
};
use super::build::Builder;
use super::expr::{CmpOp, Expr, SubqueryUse};
use super::one_of::one_of;
use super::window::RunCondition;
use super::{JoinKind, SetOp};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};
use std::collections::BTreeSet;

impl Builder<'_> {
    /// Makes joins of a level's subqueries where they can be.
    pub(super) fn pull_up(&self, level: &mut Level) {
        if level.tree.is_none() {
            return;
        }
        self.inline(level);
        for condition in std::mem::take(&mut level.conjuncts) {
            factored(condition.map(&mut |e| one_of(narrowed(e))), &mut level.conjuncts);
        }
        restrict_relations(level);
        reduce_outer_joins(level);
        self.join_subqueries(level);
        // Subqueries that became joins brought what they read.
        self.inline(level);
        super::passed::pass_values(level);
        push_down(level);
    }

    /// Conditions on subqueries that can be joins become joins; true if one did.
    fn join_subqueries(&self, level: &mut Level) -> bool {
        let before = level.sources.len();
        let mut kept = Vec::with_capacity(level.conjuncts.len());
        for condition in std::mem::take(&mut level.conjuncts) {
            if !self.joined(level, &condition) {
                kept.push(condition);
            }
        }
        level.conjuncts = kept;
        level.sources.len() > before
    }

    /// Common table expressions that are read where they stand are subqueries of the level.
    pub(super) fn inline(&self, level: &mut Level) {
        for source in &mut level.sources {
            if let SourceKind::Cte { number, name, work: None } = &source.kind
                && self.inlined[*number]
            {
                source.kind = SourceKind::Query(Box::new(self.ctes[*number].query.clone()), name.clone());
            }
        }
    }

    /// Whether a condition became a join.
    fn joined(&self, level: &mut Level, condition: &Expr) -> bool {
        let (subquery, kind) = match condition {
            Expr::Not(e) => (&**e, JoinKind::Anti),
            e => (e, JoinKind::Semi),
        };
        let Expr::Subquery(number, usage, args) = subquery else { return false };
        let left: &[Expr] = match (&**usage, kind) {
            (SubqueryUse::Exists, _) => &[],
            (SubqueryUse::Any(CmpOp::Eq, left), JoinKind::Semi) => left,
            _ => return false,
        };
        let query = &self.subqueries[*number];
        if left.iter().any(|e| !is_movable(e)) {
            return false;
        }
        let reads_level = |e: &Expr| e.any(|e| matches!(e, Expr::Column(c) if *c < level.width));
        if !left.is_empty() && !left.iter().all(reads_level) {
            return false;
        }
        match joinable(query) {
            Some(_) if query.is_volatile() => false,
            Some(select) => {
                let mut select = select.clone();
                self.flatten(&mut select);
                // Its own subqueries, too, if they read nothing of this level.
                let mut nested = select.clone();
                self.join_subqueries(&mut nested.level)
                    && self.join_select(level, &nested, query, left, args, kind)
                    || self.join_select(level, &select, query, left, args, kind)
            }
            // Whatever it is, it is a relation, which is read once: so are the rows that a queue's reader takes for itself (LIMIT … FOR UPDATE SKIP LOCKED).
            None if !left.is_empty() && args.is_empty() => {
                let at = level.width;
                let on =
                    left.iter().enumerate().map(|(n, l)| equal(l.clone(), Expr::Column(at + n))).collect();
                let kind_of = SourceKind::Query(Box::new(query.clone()), "ANY_subquery".to_owned());
                let source = Source { at, width: query.visible, ..Source::new(kind_of, Vec::new()) };
                level.width += query.visible;
                level.sources.push(source);
                let right = FromTree::Source(level.sources.len() - 1);
                add_join(level, kind, right, on);
                true
            }
            None => false,
        }
    }

    /// Joins the relations of a plain SELECT.
    fn join_select(
        &self,
        level: &mut Level,
        select: &BoundSelect,
        query: &BoundQuery,
        left: &[Expr],
        args: &[(usize, Expr)],
        kind: JoinKind,
    ) -> bool {
        let is_arg = |slot: usize| args.iter().any(|(s, _)| *s == slot);
        // What stands in FROM could not read the level any more.
        let reads_args = |s: &Source| match &s.kind {
            _ if s.sample.as_ref().is_some_and(|s| s.exprs().any(Expr::reads_outer)) => true,
            SourceKind::Query(q, _) => self.reads(q).iter().any(|slot| is_arg(*slot)),
            SourceKind::Cte { number, .. } => self.cte_reads(*number).iter().any(|slot| is_arg(*slot)),
            SourceKind::Function { function, .. } => function.exprs().iter().any(|e| e.reads_outer()),
            SourceKind::Rows(rows) => rows.iter().any(|r| r.iter().any(Expr::reads_outer)),
            _ => false,
        };
        let Some(tree) = &select.level.tree else { return false };
        // The joins of the subquery are planned by themselves.
        let mut reads_level = select.level.sources.iter().any(reads_args);
        tree.conditions(&mut |e| reads_level |= e.reads_outer());
        if reads_level {
            return false;
        }
        let (at, first) = (level.width, level.sources.len());
        let moved = |e: &Expr| self.moved(e.clone(), at, args);
        let mut on: Vec<Expr> = select.level.conjuncts.iter().map(moved).collect();
        let is_correlated = on.iter().any(|e| e.any(|e| matches!(e, Expr::Column(c) if *c < at)));
        if left.is_empty() && !is_correlated {
            return false; // it is looked at once
        }
        let outs = select.outs.clone();
        for (n, l) in left.iter().enumerate() {
            let own = match &query.output {
                Some(output) => substituted(output[n].clone(), 0, &outs),
                None => outs[n].clone(),
            };
            on.push(equal(l.clone(), moved(&own)));
        }
        for source in &select.level.sources {
            let set = source.set.iter().map(|(slot, e)| (*slot, moved(e))).collect();
            level.sources.push(Source { set, at: source.at + at, ..source.clone() });
        }
        level.width += select.level.width;
        let right = moved_tree(tree.clone(), first, &|e| moved(&e));
        add_join(level, kind, right, on);
        true
    }

    /// An expression of a subquery as one of the level around it.
    pub(super) fn moved(&self, e: Expr, by: usize, args: &[(usize, Expr)]) -> Expr {
        let value = |slot: usize| args.iter().find(|(s, _)| *s == slot).map(|(_, e)| e.clone());
        e.map(&mut |e| match e {
            Expr::Column(c) => Expr::Column(c + by),
            Expr::Outer(slot) => value(slot).unwrap_or(Expr::Outer(slot)),
            Expr::Subquery(n, usage, own) => {
                // Its own subqueries may read the same values: they are put aside for them now (invariant 2).
                let read = self.reads(&self.subqueries[n]);
                let missing =
                    args.iter().filter(|(s, _)| read.contains(s) && own.iter().all(|(o, _)| o != s));
                let all = own.iter().chain(missing).cloned().collect();
                Expr::Subquery(n, usage, all)
            }
            other => other,
        })
    }

    /// Which common table expressions are read at one place only, and may be read anew there, or nowhere.
    pub(super) fn inlined(ctes: &[BoundCte], queries: &[&BoundQuery], levels: &[&Level]) -> Vec<bool> {
        let mut readers = vec![0; ctes.len()];
        let mut count = |s: &Source| {
            if let SourceKind::Cte { number, .. } = s.kind {
                readers[number] += 1;
            }
        };
        let of_ctes = ctes.iter().flat_map(BoundCte::queries);
        queries.iter().copied().chain(of_ctes).for_each(|q| q.each_source(&mut count));
        levels.iter().for_each(|l| l.each_source(&mut count));
        let may = |(c, readers): (&BoundCte, &i32)| match c.is_materialized {
            _ if c.step.is_some() || c.change.is_some() => false,
            // What nobody reads is not even planned.
            _ if *readers == 0 => true,
            Some(materialized) => !materialized && !c.query.is_volatile(),
            None => *readers == 1 && !c.query.is_volatile(),
        };
        ctes.iter().zip(&readers).map(may).collect()
    }

    /// Whether a subquery, or one in it, may give something else each time.
    pub fn is_volatile(&self, number: usize) -> bool {
        self.is_query_volatile(&self.subqueries[number])
    }

    /// The same of any query.
    pub(super) fn is_query_volatile(&self, query: &BoundQuery) -> bool {
        let mut found = query.is_volatile();
        query.exprs(&mut |e| {
            e.walk(&mut |e| {
                if let Expr::Subquery(n, ..) = e {
                    found |= self.is_volatile(*n);
                }
            })
        });
        found
    }

    /// The values put aside by levels above that a query reads.
    pub fn reads(&self, query: &BoundQuery) -> BTreeSet<usize> {
        let mut r = Reads::default();
        self.reads_of(query, &mut r);
        &r.read - &r.given
    }

    /// The same for a common table expression.
    pub fn cte_reads(&self, number: usize) -> BTreeSet<usize> {
        let mut r = Reads::default();
        self.cte_reads_of(number, &mut r);
        &r.read - &r.given
    }

    fn cte_reads_of(&self, number: usize, r: &mut Reads) {
        if r.ctes.insert(number) {
            r.given.extend(self.ctes[number].step.iter().map(|s| s.slot));
            self.ctes[number].queries().for_each(|q| self.reads_of(q, r));
        }
    }

    fn reads_of(&self, query: &BoundQuery, r: &mut Reads) {
        let mut ctes = Vec::new();
        query.each_source(&mut |s| {
            r.given.extend(s.set.iter().map(|(slot, _)| *slot));
            match s.kind {
                // Its rows are those of one turn, which is put aside.
                SourceKind::Cte { work: Some(slot), .. } => _ = r.read.insert(slot),
                SourceKind::Cte { number, .. } => ctes.push(number),
                _ => {}
            }
        });
        ctes.into_iter().for_each(|n| self.cte_reads_of(n, r));
        let mut below = Vec::new();
        query.exprs(&mut |e| {
            e.walk(&mut |e| match e {
                Expr::Outer(slot) => _ = r.read.insert(*slot),
                Expr::Subquery(n, _, args) => {
                    r.given.extend(args.iter().map(|(slot, _)| *slot));
                    below.push(*n);
                }
                _ => {}
            })
        });
        for n in below {
            self.reads_of(&self.subqueries[n], r);
        }
    }
}

/// What a query reads that levels above put aside, found so far.
#[derive(Default)]
struct Reads {
    read: BTreeSet<usize>,
    /// What is put aside within it.
    given: BTreeSet<usize>,
    /// Common table expressions that were looked into.
    ctes: BTreeSet<usize>,
}

/// Conditions of an OR that are compared, or looked at for each relation, before it is left as it is: planning must not take longer than running.
const COMPARED_MAX: usize = 100_000;

/// Takes out of an OR what all of its branches ask.
fn factored(condition: Expr, into: &mut Vec<Expr>) {
    let Expr::Or(list) = condition else { return into.push(condition) };
    let mut branches: Vec<Vec<Expr>> = Vec::with_capacity(list.len());
    for e in list {
        let mut parts = Vec::new();
        e.split_and(&mut parts);
        branches.push(parts);
    }
    let Some((first, others)) = branches.split_first() else { return };
    if first.len() * others.iter().map(Vec::len).sum::<usize>() > COMPARED_MAX {
        return into.push(Expr::Or(branches.into_iter().filter_map(Expr::all).collect()));
    }
    let is_common = |e: &&Expr| is_movable(e) && others.iter().all(|b| b.contains(e));
    let common: Vec<Expr> = first.iter().filter(is_common).cloned().collect();
    let rest =
        branches.into_iter().map(|b| Expr::all(b.into_iter().filter(|e| !common.contains(e)).collect()));
    // A branch that asks nothing more is true with them.
    if let Some(rest) = rest.collect::<Option<Vec<Expr>>>() {
        into.push(one_of(Expr::Or(rest.into())));
    }
    into.extend(common);
}

/// What every branch of an OR asks of one relation is asked of it by itself, too: so it can be found by an index, or left out of a join.
fn restrict_relations(level: &mut Level) {
    let Level { tree: Some(tree), conjuncts, sources, .. } = level else { return };
    let branches: usize = conjuncts.iter().map(|c| if let Expr::Or(list) = c { list.len() } else { 0 }).sum();
    if sources.len() < 2 || branches == 0 || branches * sources.len() > COMPARED_MAX {
        return;
    }
    let mut reachable = Vec::new();
    not_nullable(tree, &mut reachable);
    let mut found = Vec::new();
    for n in reachable {
        let own = sources[n].at..sources[n].at + sources[n].width;
        let reads_it_alone = |e: &Expr| {
            let mut columns = Vec::new();
            e.columns(&mut columns);
            !columns.is_empty() && columns.iter().all(|c| own.contains(c)) && is_movable(e)
        };
        for condition in conjuncts.iter() {
            let Expr::Or(list) = condition else { continue };
            if reads_it_alone(condition) {
                continue;
            }
            let of_branch = |e: &Expr| {
                let mut parts = Vec::new();
                e.clone().split_and(&mut parts);
                parts.retain(reads_it_alone);
                Expr::all(parts)
            };
            if let Some(branches) = list.iter().map(of_branch).collect::<Option<Vec<Expr>>>() {
                found.push(Expr::Or(branches.into()));
            }
        }
    }
    conjuncts.extend(found);
}

const DAY_US: i64 = 86_400_000_000;

/// A `date` compared with a `timestamp` that is known, compared with a `date`: so an index can find it.
fn narrowed(e: Expr) -> Expr {
    let Expr::Call(f, args) = &e else { return e };
    let (Some(op), [left, right]) = (CmpOp::from_name(f.name), &args[..]) else { return e };
    let (op, column, us) = match (f.args, left, right) {
        ([Type::Date, Type::Timestamp], column, Expr::Const(Datum::Timestamp(us))) => (op, column, *us),
        ([Type::Timestamp, Type::Date], Expr::Const(Datum::Timestamp(us)), column) => {
            (op.flipped(), column, *us)
        }
        _ => return e,
    };
    if us == i64::MAX || us == i64::MIN {
        return e; // infinity
    }
    let is_day = us.rem_euclid(DAY_US) == 0;
    let day = i32::try_from(us.div_euclid(DAY_US));
    let Ok(day) = day else { return e };
    let op = match op {
        CmpOp::Lt if is_day => CmpOp::Lt,
        CmpOp::Lt | CmpOp::Le => CmpOp::Le,
        CmpOp::Ge if is_day => CmpOp::Ge,
        CmpOp::Ge | CmpOp::Gt => CmpOp::Gt,
        CmpOp::Eq | CmpOp::Ne if is_day => op,
        CmpOp::Eq | CmpOp::Ne => return e,
    };
    Expr::Cmp(op, Box::new((column.clone(), Expr::Const(Datum::Date(day)))))
}

pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    Expr::Cmp(CmpOp::Eq, Box::new((a, b)))
}

fn add_join(level: &mut Level, kind: JoinKind, right: FromTree, on: Vec<Expr>) {
    if let Some(left) = level.tree.take() {
        level.tree = Some(FromTree::Join { kind, left: Box::new(left), right: Box::new(right), on });
    }
}

/// The SELECT whose relations may be joined in the place of a query.
fn joinable(query: &BoundQuery) -> Option<&BoundSelect> {
    let s = query.as_select()?;
    let is_plain = s.grouping.is_none()
        && s.windows.calls.is_empty()
        && !matches!(s.distinct, Distinct::On(_))
        && s.locks.is_empty()
        && s.set_calls.is_empty();
    (is_plain && query.order.is_empty() && s.level.tree.is_some()).then_some(s)
}

/// Whether an expression may be evaluated elsewhere.
pub(super) fn is_movable(e: &Expr) -> bool {
    !e.calls_volatile()
        && !e.any(|e| matches!(e, Expr::Subquery(..) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_)))
}

pub(super) fn moved_tree(tree: FromTree, by: usize, moved: &dyn Fn(Expr) -> Expr) -> FromTree {
    match tree {
        FromTree::Source(n) => FromTree::Source(n + by),
        FromTree::Join { kind, left, right, on } => FromTree::Join {
            kind,
            left: Box::new(moved_tree(*left, by, moved)),
            right: Box::new(moved_tree(*right, by, moved)),
            on: on.into_iter().map(moved).collect(),
        },
    }
}

/// An expression over columns from `at` on, over what they are.
pub(super) fn substituted(e: Expr, at: usize, values: &[Expr]) -> Expr {
    e.map(&mut |e| match e {
        Expr::Column(c) => values[c - at].clone(),
        other => other,
    })
}

/// Whether an expression is NULL where all of some places are.
pub(super) fn is_strict(e: &Expr, places: &dyn Fn(usize) -> bool) -> bool {
    match e {
        Expr::Column(c) => places(*c),
        Expr::Cast(c) => is_strict(&c.expr, places),
        Expr::Call(f, args) => f.strict && args.iter().any(|e| is_strict(e, places)),
        Expr::Cmp(_, pair) => is_strict(&pair.0, places) || is_strict(&pair.1, places),
        Expr::Not(e) => is_strict(e, places),
        _ => false,
    }
}

/// Whether a condition is never true where all of some places are NULL.
fn refuses_nulls(e: &Expr, places: &dyn Fn(usize) -> bool) -> bool {
    match e {
        Expr::And(list) => list.iter().any(|e| refuses_nulls(e, places)),
        Expr::Or(list) => list.iter().all(|e| refuses_nulls(e, places)),
        Expr::IsNull(e, true) | Expr::InList(e, _, _) => is_strict(e, places),
        Expr::IsBool(e, true, false) => refuses_nulls(e, places),
        Expr::AnyArray(_, pair, true) => is_strict(&pair.0, places),
        e => is_strict(e, places),
    }
}

/// Outer joins of which nothing is left without a match.
fn reduce_outer_joins(level: &mut Level) {
    let Level { tree: Some(tree), conjuncts, sources, .. } = level else { return };
    reduce(tree, conjuncts, sources);
}

fn reduce(tree: &mut FromTree, conditions: &[Expr], sources: &[Source]) {
    let FromTree::Join { kind, left, right, on } = tree else { return };
    if *kind == JoinKind::Left {
        let mut own = Vec::new();
        relations(right, &mut own);
        let is_own = |place: usize| {
            own.iter().any(|n| (sources[*n].at..sources[*n].at + sources[*n].width).contains(&place))
        };
        if conditions.iter().any(|c| refuses_nulls(c, &is_own)) {
            *kind = JoinKind::Inner;
        }
    }
    match kind {
        JoinKind::Inner => {
            let all: Vec<Expr> = conditions.iter().chain(on.iter()).cloned().collect();
            reduce(left, &all, sources);
            reduce(right, &all, sources);
        }
        JoinKind::Left | JoinKind::Semi | JoinKind::Anti => {
            reduce(left, conditions, sources);
            // Pairs that do not match are no pairs.
            reduce(right, &on.clone(), sources);
        }
        JoinKind::Full => {
            reduce(left, &[], sources);
            reduce(right, &[], sources);
        }
    }
}

fn relations(tree: &FromTree, into: &mut Vec<usize>) {
    match tree {
        FromTree::Source(n) => into.push(*n),
        FromTree::Join { left, right, .. } => {
            relations(left, into);
            relations(right, into);
        }
    }
}

/// Moves conditions of WHERE into the subqueries in FROM that they read alone.
fn push_down(level: &mut Level) {
    let Level { tree: Some(tree), conjuncts, sources, .. } = level else { return };
    push_down_right(tree, sources);
    // A relation on the side of an outer join that gives NULLs has more rows than those that WHERE sees.
    let mut reachable = Vec::new();
    not_nullable(tree, &mut reachable);
    for n in reachable {
        let (at, width) = (sources[n].at, sources[n].width);
        let SourceKind::Query(query, _) = &mut sources[n].kind else { continue };
        let reads_it_alone = |e: &Expr| {
            let mut columns = Vec::new();
            e.columns(&mut columns);
            !columns.is_empty() && columns.iter().all(|c| (at..at + width).contains(c))
        };
        let mut kept = Vec::with_capacity(conjuncts.len());
        for condition in std::mem::take(conjuncts) {
            let moves = reads_it_alone(&condition) && is_movable(&condition);
            let own = if moves { condition.clone().map(&mut |e| relative(e, at)) } else { Expr::null() };
            if !(moves && accepts(query, &own)) {
                if moves {
                    end_early(query, &own);
                }
                kept.push(condition);
                continue;
            }
            accept(query, own);
        }
        *conjuncts = kept;
    }
}

/// Moves conditions of ON into the subqueries right of an outer join, or of one that only selects, that they read alone.
fn push_down_right(tree: &mut FromTree, sources: &mut [Source]) {
    let FromTree::Join { kind, left, right, on } = tree else { return };
    push_down_right(left, sources);
    push_down_right(right, sources);
    let (JoinKind::Left | JoinKind::Semi | JoinKind::Anti, FromTree::Source(n)) = (*kind, &**right) else {
        return;
    };
    let (at, width) = (sources[*n].at, sources[*n].width);
    let SourceKind::Query(query, _) = &mut sources[*n].kind else { return };
    on.retain(|condition| {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let reads_it_alone = !columns.is_empty() && columns.iter().all(|c| (at..at + width).contains(c));
        if !reads_it_alone || !is_movable(condition) {
            return true;
        }
        let own = condition.clone().map(&mut |e| relative(e, at));
        let moves = accepts(query, &own);
        if moves {
            accept(query, own);
        }
        !moves
    });
}

pub(super) fn relative(e: Expr, at: usize) -> Expr {
    match e {
        Expr::Column(c) => Expr::Column(c - at),
        other => other,
    }
}

/// Refuses FOR UPDATE and the like of relations of which an outer join may lack rows, now that it is known which those are.
pub(super) fn refuse_nullable(level: &Level, reached: &Reached) -> Result<(), SqlError> {
    let Some(tree) = level.tree.as_ref().filter(|_| !reached.is_empty()) else { return Ok(()) };
    let mut whole = Vec::new();
    not_nullable(tree, &mut whole);
    match reached.iter().find(|(at, _)| !whole.iter().any(|n| level.sources[*n].at == *at)) {
        Some((_, mode)) => Err(SqlError::unsupported(format!(
            "{} cannot be applied to the nullable side of an outer join",
            lock_words(*mode)
        ))),
        None => Ok(()),
    }
}

pub(super) fn not_nullable(tree: &FromTree, into: &mut Vec<usize>) {
    match tree {
        FromTree::Source(n) => into.push(*n),
        FromTree::Join { kind: JoinKind::Inner, left, right, .. } => {
            not_nullable(left, into);
            not_nullable(right, into);
        }
        FromTree::Join { kind: JoinKind::Full, .. } => {}
        FromTree::Join { left, .. } => not_nullable(left, into),
    }
}

/// Whether a condition over a query's columns may become one of the query's own.
pub(super) fn accepts(query: &BoundQuery, condition: &Expr) -> bool {
    if query.limits != (None, None) {
        return false;
    }
    if let Some(output) = &query.output {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        if !columns.iter().all(|c| is_movable(&output[*c])) {
            return false;
        }
    }
    let inner = match &query.output {
        Some(output) => substituted(condition.clone(), 0, output),
        None => condition.clone(),
    };
    if query.is_barrier && !tells_nothing(query, &inner) {
        return false;
    }
    match &query.body {
        Body::Select(s) => {
            let mut columns = Vec::new();
            inner.columns(&mut columns);
            let outs_move = columns.iter().all(|c| is_movable(&s.outs[*c]));
            let has_sets = !s.set_calls.is_empty();
            let keeps_rows = match &s.distinct {
                Distinct::No => true,
                // What is alike to it may not be to the condition.
                Distinct::All(collations) => collations.is_empty(),
                // Of rows that are alike one is kept.
                Distinct::On(keys) => columns.iter().all(|c| keys.contains(&s.outs[*c])),
            };
            // A partition is kept or not as a whole if the condition reads what divides them.
            let of_partitions = s.windows.calls.iter().all(|call| {
                columns.iter().all(|c| s.windows.list[call.window].partition.contains(&s.outs[*c]))
            });
            let groups = match &s.grouping {
                None => true,
                // A group is kept or not as a whole if the condition reads its keys alone.
                Some(g) => {
                    let is_key = |c: &usize| reads_keys_alone(g, &s.outs[*c]);
                    !g.plain && g.sets.is_empty() && columns.iter().all(is_key)
                }
            };
            !has_sets && outs_move && keeps_rows && groups && of_partitions
        }
        Body::SetOperation { op, left, right, .. } => {
            // What EXCEPT takes away does not matter where nothing is to be taken from.
            accepts(left, &inner) && (*op == SetOp::Except || accepts(right, &inner))
        }
        Body::Values(_) => false,
        Body::Query(q) => accepts(q, &inner),
    }
}

/// Whether an expression over groups reads nothing but keys that may be computed elsewhere.
fn reads_keys_alone(g: &Grouping, e: &Expr) -> bool {
    let mut read = Vec::new();
    e.columns(&mut read);
    read.iter().all(|p| *p < g.keys.len() && is_movable(&g.keys[*p]))
}

/// A group is kept or not as a whole if the condition reads its keys alone: so it is asked of the rows.
pub(super) fn filter_before_grouping(s: &mut BoundSelect) {
    let Some(g) = s.grouping.as_mut().filter(|g| !g.plain && g.sets.is_empty()) else { return };
    let Some(having) = g.having.take_if(|_| s.level.tree.is_some()) else { return };
    let (mut all, mut kept) = (Vec::new(), Vec::new());
    having.split_and(&mut all);
    for condition in all {
        if is_movable(&condition) && reads_keys_alone(g, &condition) {
            s.level.conjuncts.push(substituted(condition, 0, &g.keys));
        } else {
            kept.push(condition);
        }
    }
    g.having = Expr::all(kept);
}

/// Whether a condition, over what a query's body gives, tells nothing of rows.
fn tells_nothing(query: &BoundQuery, condition: &Expr) -> bool {
    match &query.body {
        Body::Select(s) => substituted(condition.clone(), 0, &s.outs).is_leakproof(),
        _ => condition.is_leakproof(),
    }
}

/// Has a query's windows compute nothing behind the last row of which a condition may hold, if that is one on a value that only grows. The condition stays.
fn end_early(query: &mut BoundQuery, condition: &Expr) {
    if query.limits != (None, None) || !query.ties.is_empty() {
        return;
    }
    let inner = match &query.output {
        Some(output) => substituted(condition.clone(), 0, output),
        None => condition.clone(),
    };
    let s = match &mut query.body {
        Body::Select(s) => s,
        Body::Query(q) => return end_early(q, &inner),
        _ => return,
    };
    let Expr::Cmp(op, sides) = &inner else { return };
    let (column, op, most) = match (&**sides, op) {
        ((Expr::Column(c), most), CmpOp::Lt | CmpOp::Le) => (*c, *op, most),
        ((Expr::Column(c), most), CmpOp::Eq) => (*c, CmpOp::Le, most),
        ((most, Expr::Column(c)), CmpOp::Gt) => (*c, CmpOp::Lt, most),
        ((most, Expr::Column(c)), CmpOp::Ge | CmpOp::Eq) => (*c, CmpOp::Le, most),
        _ => return,
    };
    let Some(Expr::Window(call)) = s.outs.get(column).cloned() else { return };
    let of_call = &s.windows.calls[call];
    let is_whole = matches!(s.distinct, Distinct::No)
        && s.set_calls.is_empty()
        && s.locks.is_empty()
        && !s.outs.iter().any(Expr::calls_volatile)
        && s.level.tree.is_some();
    if is_whole
        && of_call.only_grows(&s.windows.list[of_call.window])
        && !most.any(|e| matches!(e, Expr::Column(_)))
    {
        let run = RunCondition { call, op, most: most.clone() };
        if !s.windows.run.contains(&run) {
            s.windows.run.push(run);
        }
    }
}

/// Makes a condition one of the query's own, which accepts it.
pub(super) fn accept(query: &mut BoundQuery, condition: Expr) {
    let inner = match &query.output {
        Some(output) => substituted(condition, 0, output),
        None => condition,
    };
    match &mut query.body {
        Body::Select(s) => {
            let outs: Vec<Expr> = s.outs.clone();
            let over_row = substituted(inner, 0, &outs);
            let over_level = match &s.grouping {
                Some(g) => substituted(over_row, 0, &g.keys),
                None => over_row,
            };
            if !matches!(over_level, Expr::Const(Datum::Bool(true))) {
                over_level.split_and(&mut s.level.conjuncts);
            }
        }
        Body::SetOperation { op, left, right, .. } => {
            if *op != SetOp::Except {
                accept(right, inner.clone());
            }
            accept(left, inner);
        }
        Body::Query(q) => accept(q, inner),
        Body::Values(_) => {}
    }
}
