//! `min` and `max` of a table: the first row in an order answers one, so an index may. Where several are asked for, each is asked for by itself.
//!
//! Must not know: access paths.

use super::bound::{Body, BoundQuery, BoundSelect, FromTree, Grouping, Level, Source, SourceKind};
use super::expr::{CmpOp, Expr};
use super::pull::is_movable;
use super::{AggCall, JoinKind, SortKey};
use crate::catalog::IndexMethod;
use evenkeel_types::{Collation, Type};

/// Calls that are taken apart at most.
const CALLS_MAX: usize = 8;

/// The key of `min(key)` or `max(key)`, if that is all that is asked of one table: the first row in its order answers it.
pub(super) fn only_extreme(g: &Grouping, level: &Level) -> Option<SortKey> {
    match (&g.calls[..], g.plain, &level.sources[..]) {
        ([call], true, [Source { kind: SourceKind::Table(..), .. }]) => extreme(call),
        _ => None,
    }
}

/// The key of a call of `min` or `max`.
fn extreme(call: &AggCall) -> Option<SortKey> {
    let (arg, collation) = match &call.args[..] {
        [arg @ Expr::Column(_)] => (arg, Collation::default()),
        [Expr::CollationKey(arg, collation, _)] if matches!(arg.bare(), Expr::Column(_)) => {
            (arg.bare(), *collation)
        }
        _ => return None,
    };
    let desc = match call.f.name {
        "min" => false,
        "max" => true,
        _ => return None,
    };
    // IS NOT NULL, which passes over the others, is about a row's fields.
    let is_row = call.f.args == [Type::Record];
    let is_bare = call.filter.is_none() && call.order.is_empty() && !is_row;
    is_bare.then(|| SortKey { expr: arg.clone(), desc, nulls_first: desc, collation })
}

/// Makes a subquery of each of several calls, if all of them are extremes that indexes give of one table.
pub(super) fn take_apart(s: &mut BoundSelect) {
    let BoundSelect { level, grouping: Some(g), locks, .. } = s else { return };
    let [Source { kind: SourceKind::Table(table, _), at, sample: None, .. }] = &level.sources[..] else {
        return;
    };
    let mut read = Vec::new();
    level.conjuncts.iter().for_each(|e| e.columns(&mut read));
    let fixed: Vec<usize> = level.conjuncts.iter().filter_map(fixed_column).map(|place| place - at).collect();
    let is_given = |place: usize| {
        table.indexes.iter().any(|i| {
            let is_usable = i.is_valid() && i.is_plain() && i.extra.method == IndexMethod::Btree;
            let of_index = || i.columns.iter().map(|c| c.column);
            // Behind columns that have one value; and WHERE asks of nothing else.
            let before: Vec<usize> =
                of_index().take_while(|c| fixed.contains(c) && c + at != place).collect();
            let is_next = i.columns.get(before.len()).is_some_and(|c| c.column + at == place);
            is_usable && is_next && read.iter().all(|p| *p == place || before.contains(&(p - at)))
        })
    };
    let leads =
        |call: &AggCall| matches!(extreme(call).map(|key| key.expr), Some(Expr::Column(p)) if is_given(p));
    let is_it = g.plain
        && (2..=CALLS_MAX).contains(&g.calls.len())
        && locks.is_empty()
        && level.conjuncts.iter().all(is_movable)
        && g.calls.iter().all(leads);
    if !is_it {
        return;
    }
    let Some(Grouping { calls, having, .. }) = s.grouping.take() else { return };
    let whole = std::mem::take(&mut s.level);
    for (n, call) in calls.into_iter().enumerate() {
        let grouping =
            Grouping { keys: Vec::new(), sets: Vec::new(), calls: vec![call], plain: true, having: None };
        let one =
            BoundSelect { grouping: Some(grouping), ..BoundSelect::of(whole.clone(), vec![Expr::Column(0)]) };
        let query = BoundQuery::new(Body::Select(Box::new(one)), 1);
        let kind = SourceKind::Query(Box::new(query), format!("minmax_{}", n + 1));
        s.level.sources.push(Source { at: n, width: 1, ..Source::new(kind, Vec::new()) });
        let own = FromTree::Source(n);
        s.level.tree = Some(match s.level.tree.take() {
            None => own,
            Some(left) => FromTree::Join {
                kind: JoinKind::Inner,
                left: Box::new(left),
                right: Box::new(own),
                on: Vec::new(),
            },
        });
        s.level.width += 1;
    }
    having.into_iter().for_each(|e| e.split_and(&mut s.level.conjuncts));
}

/// The column that a condition gives one value.
fn fixed_column(e: &Expr) -> Option<usize> {
    let Expr::Cmp(CmpOp::Eq, pair) = e else { return None };
    match &**pair {
        (Expr::Column(c), v) | (v, Expr::Column(c)) if v.is_row_independent() => Some(*c),
        _ => None,
    }
}
