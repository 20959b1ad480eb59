//! Plain subqueries in FROM, views above all, taken apart: their relations become the level's, so that joins are ordered, and indexes found, as if nobody had written
//! a subquery.
//!
//! Plain is what does nothing but join, filter and compute columns. What a column is made of stands wherever the column was read; conditions join the level's,
//! before them, or those of the join where the subquery stood.
//!
//! Invariants
//! 1. Where an outer join gives NULLs for the subquery's rows, each column that is read is NULL if all columns of its relations are.
//! 2. Nothing volatile is taken apart, and no subquery in an expression comes to be evaluated at two places.
//!
//! Several relations of LATERAL under an outer join stay a subquery: each row of the other side finds its own by an index, where the join of them all
//! would be made first.
//!
//! Rejected: to hand values of the level down into the subquery row by row, as LATERAL does: the join could not be a hash join any more.
//!
//! Must not know: access paths, join methods.

use super::JoinKind;
use super::Returning;
use super::bound::{BoundQuery, BoundSelect, Distinct, FromTree, OrderItem, Source, SourceKind, Visited};
use super::build::Builder;
use super::expr::Expr;
use super::pull::{is_strict, substituted};

/// Most relations that a level comes to have by a subquery of several: of so many the cheapest order is found (`order`).
const RELATIONS_MAX: usize = super::order::EXHAUSTIVE_MAX;

/// Where conditions go of a subquery that is taken apart.
#[derive(Clone, Copy, PartialEq)]
enum Conditions {
    /// Into the level's WHERE.
    Where,
    /// To the join that it stands under.
    On,
    /// Nowhere: neither says the same.
    Nowhere,
}

impl Builder<'_> {
    /// Takes apart what can be of a SELECT's FROM clause.
    pub(super) fn flatten(&self, s: &mut BoundSelect) {
        if s.level.tree.is_none() || !s.locks.is_empty() || !s.reached.is_empty() || !s.set_calls.is_empty() {
            return;
        }
        self.inline(&mut s.level);
        let mut n = 0;
        while n < s.level.sources.len() {
            if !self.take_apart(s, n) {
                n += 1;
            }
        }
    }

    /// The same of what an UPDATE or DELETE joins its table with, which stays the first of the relations. `set` and RETURNING read the joined row.
    pub(super) fn flatten_change(
        &self,
        rows: &mut Visited,
        mut set: Vec<&mut Expr>,
        mut returning: Option<&mut Returning>,
    ) {
        let is_query = |s: &Source| matches!(s.kind, SourceKind::Query(..) | SourceKind::Cte { .. });
        if !rows.level.sources.iter().any(is_query) {
            return;
        }
        // OLD and NEW stand behind the joined row, which becomes wider: meanwhile they are where nothing else is.
        const AWAY: usize = usize::MAX / 2;
        let width = rows.level.width;
        let moved = |e: &mut Expr, from: usize, by: &dyn Fn(usize) -> usize| {
            *e = std::mem::replace(e, Expr::null()).map(&mut |e| match e {
                Expr::Column(c) if c >= from => Expr::Column(by(c)),
                other => other,
            });
        };
        for e in returning.iter_mut().flat_map(|r| r.exprs.iter_mut()) {
            moved(e, width, &|c| c - width + AWAY);
        }
        let mut exprs: Vec<&mut Expr> = set.iter_mut().map(|e| &mut **e).collect();
        exprs.extend(returning.iter_mut().flat_map(|r| r.exprs.iter_mut()));
        let outs = exprs.iter_mut().map(|e| std::mem::replace(&mut **e, Expr::null())).collect();
        let mut select = BoundSelect::of(std::mem::take(&mut rows.level), outs);
        self.flatten(&mut select);
        rows.level = select.level;
        rows.used.truncate(rows.level.sources.first().map_or(0, |s| s.width));
        rows.used.resize(rows.level.width, false);
        let mut outs = select.outs;
        outs.iter().for_each(|e| {
            e.walk(&mut |e| {
                if let Expr::Column(c) = e
                    && *c < AWAY
                {
                    rows.used[*c] = true;
                }
            });
        });
        outs.iter_mut().for_each(|e| moved(e, AWAY, &|c| c - AWAY + rows.level.width));
        exprs.into_iter().zip(outs).for_each(|(e, out)| *e = out);
        if let Some(versions) = returning.and_then(|r| r.versions.as_mut()) {
            *versions = rows.level.width;
        }
    }

    /// Takes one relation apart, if it is a plain subquery. Its own relations are the last ones then.
    fn take_apart(&self, s: &mut BoundSelect, n: usize) -> bool {
        let source = &s.level.sources[n];
        let SourceKind::Query(query, _) = &source.kind else { return false };
        let Some(inner) = plain(query) else { return false };
        let count = s.level.sources.len() - 1 + inner.level.sources.len();
        let is_one = inner.level.sources.len() == 1;
        if !is_one && count > RELATIONS_MAX || self.is_query_volatile(query) {
            return false;
        }
        let (is_nullable, conditions) = match s.level.tree.as_ref().and_then(|t| stands(t, n)) {
            Some(found) => found,
            None => return false,
        };
        if conditions == Conditions::Nowhere && !inner.level.conjuncts.is_empty() {
            return false;
        }
        let (at, width, by, args) = (source.at, source.width, s.level.width, source.set.clone());
        // What an outer join takes as a whole is not looked up row by row, as LATERAL is.
        if is_nullable && !args.is_empty() && !is_one {
            return false;
        }
        let own = by..by + inner.level.width;
        let outs: Vec<Expr> = match &query.output {
            Some(output) => output.iter().map(|e| substituted(e.clone(), 0, &inner.outs)).collect(),
            None => inner.outs.clone(),
        };
        let values: Vec<Expr> = outs.into_iter().map(|e| self.moved(e, by, &args)).collect();
        if width > values.len() {
            return false;
        }
        let mut reads = vec![0; width];
        over_level(s, &mut |e| {
            e.walk(&mut |e| {
                if let Expr::Column(c) = e
                    && (at..at + width).contains(c)
                {
                    reads[c - at] += 1;
                }
            });
        });
        let has_subquery = |e: &Expr| e.any(|e| matches!(e, Expr::Subquery(..)));
        let may_stand = |(value, reads): (&Expr, &i32)| match *reads {
            0 => true,
            // Invariants 1 and 2.
            n => {
                (!is_nullable || is_strict(value, &|p| own.contains(&p))) && (n == 1 || !has_subquery(value))
            }
        };
        // What a relation reads of others is put aside with a row of these: a constant of none.
        let put_aside = s.level.sources.iter().flat_map(|s| &s.set);
        let is_lost = |(_, e): &(usize, Expr)| {
            e.any(|e| matches!(e, Expr::Column(c) if (at..at + width).contains(c) && !reads_row(&values[c - at])))
        };
        if put_aside.clone().any(is_lost) {
            return false;
        }
        if !values.iter().zip(&reads).all(may_stand)
            || s.level.sources.iter().any(|s| reads_place(s, at, width))
        {
            return false;
        }
        let Some(mut sources) = self.moved_sources(inner, by, &args) else { return false };
        let mut on: Vec<Expr> =
            inner.level.conjuncts.iter().map(|e| self.moved(e.clone(), by, &args)).collect();
        let first = s.level.sources.len() - 1;
        let tree = inner.level.tree.clone();
        let mut tree = tree.map(|t| super::pull::moved_tree(t, first, &|e| self.moved(e, by, &args)));
        s.level.width += inner.level.width;
        s.level.sources.remove(n);
        s.level.sources.append(&mut sources);
        if conditions == Conditions::Where {
            on.append(&mut s.level.conjuncts);
            s.level.conjuncts = std::mem::take(&mut on);
        }
        if let Some(of_level) = &mut s.level.tree {
            put(of_level, n, &mut tree, &mut on);
        }
        map_over_level(s, &mut |e| {
            e.map(&mut |e| match e {
                Expr::Column(c) if (at..at + width).contains(&c) => values[c - at].clone(),
                other => other,
            })
        });
        true
    }

    /// The relations of a subquery as ones of the level: what they read of relations around the subquery is said beside them.
    fn moved_sources(&self, inner: &BoundSelect, by: usize, args: &[(usize, Expr)]) -> Option<Vec<Source>> {
        let mut all = Vec::with_capacity(inner.level.sources.len());
        for source in &inner.level.sources {
            let read = match &source.kind {
                SourceKind::Query(q, _) => self.reads(q),
                SourceKind::Cte { number, .. } => {
                    let read = self.cte_reads(*number);
                    if args.iter().any(|(slot, _)| read.contains(slot)) {
                        return None;
                    }
                    read
                }
                SourceKind::Function { function, .. } => outer_slots(function.exprs()),
                SourceKind::Rows(rows) => outer_slots(rows.iter().flat_map(|r| r.iter())),
                SourceKind::Table(..) | SourceKind::Virtual(_) => Default::default(),
            };
            let sampled = source.sample.iter().flat_map(|s| s.exprs());
            if !args.is_empty() && sampled.into_iter().any(Expr::reads_outer) {
                return None;
            }
            let mut set: Vec<(usize, Expr)> =
                source.set.iter().map(|(slot, e)| (*slot, self.moved(e.clone(), by, args))).collect();
            let missing = args
                .iter()
                .filter(|(slot, _)| read.contains(slot) && source.set.iter().all(|(own, _)| own != slot));
            for (slot, e) in missing {
                if !reads_row(e) {
                    return None;
                }
                set.push((*slot, e.clone()));
            }
            all.push(Source { set, at: source.at + by, ..source.clone() });
        }
        Some(all)
    }
}

fn reads_row(e: &Expr) -> bool {
    e.any(|e| matches!(e, Expr::Column(_)))
}

/// The values put aside that some expressions read themselves, or give to their subqueries.
fn outer_slots<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> std::collections::BTreeSet<usize> {
    let mut slots = std::collections::BTreeSet::new();
    for e in exprs {
        e.walk(&mut |e| {
            if let Expr::Outer(slot) = e {
                slots.insert(*slot);
            }
        });
    }
    slots
}

/// The SELECT that a query is, if it only joins, filters and computes.
fn plain(query: &BoundQuery) -> Option<&BoundSelect> {
    let s = query.as_select().filter(|_| !query.is_barrier)?;
    let is_plain = s.grouping.is_none()
        && s.windows.calls.is_empty()
        && matches!(s.distinct, Distinct::No)
        && s.locks.is_empty()
        && s.reached.is_empty()
        && s.set_calls.is_empty()
        && s.order.is_empty();
    (is_plain && query.order.is_empty() && query.ties.is_empty() && s.level.tree.is_some()).then_some(s)
}

/// Whether a relation's own expressions read some columns of the level.
fn reads_place(s: &Source, at: usize, width: usize) -> bool {
    let is_it = |e: &Expr| e.any(|e| matches!(e, Expr::Column(c) if (at..at + width).contains(c)));
    let own = match &s.kind {
        SourceKind::Function { function, .. } => function.exprs().into_iter().any(is_it),
        SourceKind::Rows(rows) => rows.iter().flat_map(|r| r.iter()).any(is_it),
        _ => false,
    };
    own || s.sample.iter().flat_map(|s| s.exprs()).any(is_it)
}

/// How a relation stands in a tree of joins: whether one of them may give NULLs for its rows, and where conditions on it may go. None: where nobody reads it.
fn stands(tree: &FromTree, n: usize) -> Option<(bool, Conditions)> {
    let mut found = None;
    look(tree, n, false, Conditions::Where, &mut found);
    found
}

fn look(
    tree: &FromTree,
    n: usize,
    is_nullable: bool,
    conditions: Conditions,
    found: &mut Option<(bool, Conditions)>,
) {
    match tree {
        FromTree::Source(m) if *m == n => *found = Some((is_nullable, conditions)),
        FromTree::Source(_) => {}
        FromTree::Join { kind, left, right, .. } => {
            let kept = if is_nullable { Conditions::Nowhere } else { Conditions::Where };
            match kind {
                JoinKind::Inner => {
                    let conditions = if is_nullable { Conditions::On } else { Conditions::Where };
                    look(left, n, is_nullable, conditions, found);
                    look(right, n, is_nullable, conditions, found);
                }
                JoinKind::Left => {
                    look(left, n, is_nullable, kept, found);
                    look(right, n, true, Conditions::On, found);
                }
                JoinKind::Full => {
                    look(left, n, true, Conditions::Nowhere, found);
                    look(right, n, true, Conditions::Nowhere, found);
                }
                JoinKind::Semi | JoinKind::Anti => look(left, n, is_nullable, kept, found),
            }
        }
    }
}

/// Puts a tree where a relation stood, whose number goes, and conditions to the join above it. Returns whether it stood here.
fn put(tree: &mut FromTree, n: usize, new: &mut Option<FromTree>, on: &mut Vec<Expr>) -> bool {
    match tree {
        FromTree::Source(m) if *m == n => {
            if let Some(new) = new.take() {
                *tree = new;
            }
            true
        }
        FromTree::Source(m) => {
            *m -= usize::from(*m > n);
            false
        }
        FromTree::Join { left, right, on: own, .. } => {
            let is_left = put(left, n, new, on);
            let is_right = put(right, n, new, on);
            if is_left || is_right {
                let mut all = std::mem::take(on);
                all.append(own);
                *own = all;
            }
            is_left || is_right
        }
    }
}

/// Visits what is evaluated over the row of a SELECT's level.
pub(super) fn over_level(s: &BoundSelect, f: &mut dyn FnMut(&Expr)) {
    s.level.own_exprs(&mut |e| f(e));
    match &s.grouping {
        Some(g) => {
            g.keys.iter().for_each(&mut *f);
            g.calls.iter().for_each(|c| c.exprs(&mut |e| f(e)));
        }
        None => s.upper_exprs(&mut |e| f(e)),
    }
}

/// Changes all of it.
fn map_over_level(s: &mut BoundSelect, f: &mut dyn FnMut(Expr) -> Expr) {
    let mut put = |e: &mut Expr| *e = f(std::mem::replace(e, Expr::null()));
    s.level.sources.iter_mut().flat_map(|s| &mut s.set).for_each(|(_, e)| put(e));
    s.level.conjuncts.iter_mut().for_each(&mut put);
    if let Some(tree) = &mut s.level.tree {
        tree.conditions_mut(&mut put);
    }
    if let Some(g) = &mut s.grouping {
        g.keys.iter_mut().for_each(&mut put);
        for call in &mut g.calls {
            call.args.iter_mut().chain(&mut call.filter).for_each(&mut put);
            call.order.iter_mut().for_each(|k| put(&mut k.expr));
        }
        return;
    }
    s.outs.iter_mut().for_each(&mut put);
    for key in &mut s.order {
        if let OrderItem::Expr(e) = &mut key.item {
            put(e);
        }
    }
    if let Distinct::On(exprs) = &mut s.distinct {
        exprs.iter_mut().for_each(&mut put);
    }
    let mut map = |e: Expr| Ok::<Expr, std::convert::Infallible>(f(e));
    let Ok(()) = s.windows.try_map(&mut map);
}
