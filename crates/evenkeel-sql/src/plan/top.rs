//! The first rows of a UNION ALL in some order: each side gives its own first ones, which an index may have in that order, and only these are sorted together.
//! PostgreSQL merges the sides instead (Merge Append), which reads a few rows less.
//!
//! Must not know: how rows are sorted.

use super::bound::{Body, BoundQuery, Level, Limits, OrderItem, OrderKey, SourceKind};
use super::expr::Expr;
use super::{SetOp, SortKey};
use evenkeel_types::Datum;

/// Has each side of a UNION ALL give no more rows than the whole, in its order.
pub(super) fn limit_sides(q: &mut BoundQuery) {
    let BoundQuery { body, order, limits, ties, .. } = q;
    let Body::SetOperation { op: SetOp::Union, all: true, left, right } = body else { return };
    if order.is_empty() || !ties.is_empty() {
        return;
    }
    let Some(most) = most_rows(limits) else { return };
    for side in [left, right] {
        limit_side(side, order, &most);
    }
}

/// Has the UNION ALL that is all that a level reads, a view's perhaps, give no more rows than the level gives of it.
pub(super) fn limit_source(level: &mut Level, outs: &[Expr], order: &[OrderKey], limits: &Limits) {
    let Level { sources, conjuncts, .. } = level;
    let [source] = &mut sources[..] else { return };
    let SourceKind::Query(query, _) = &mut source.kind else { return };
    let is_union = matches!(query.body, Body::SetOperation { op: SetOp::Union, all: true, .. });
    if !is_union
        || !is_whole(query)
        || query.output.is_some()
        || query.is_barrier
        || !conjuncts.is_empty()
        || order.is_empty()
    {
        return;
    }
    let (at, width) = (source.at, query.visible);
    let own = |o: &OrderKey| match o.expr(outs) {
        Expr::Column(c) if (at..at + width).contains(c) => {
            Some(SortKey { expr: Expr::Column(c - at), ..o.key(outs) })
        }
        _ => None,
    };
    let keys = order.iter().map(own).collect::<Option<Vec<_>>>();
    if let (Some(keys), Some(most)) = (keys, most_rows(limits)) {
        (query.order, query.limits) = (keys, (Some(most), None));
    }
}

fn limit_side(side: &mut BoundQuery, order: &[SortKey], most: &Expr) {
    if !is_whole(side) {
        return;
    }
    // Columns that are made into another type have no order before that.
    let output = side.output.as_deref();
    let place = |key: &SortKey| match (&key.expr, output) {
        (Expr::Column(n), None) => Some(*n),
        (Expr::Column(n), Some(made)) => made.get(*n).and_then(|e| match e {
            Expr::Column(of) => Some(*of),
            _ => None,
        }),
        _ => None,
    };
    let Some(places) = order.iter().map(place).collect::<Option<Vec<_>>>() else { return };
    match &mut side.body {
        Body::Select(s) => {
            let is_plain = s.order.is_empty() && s.set_calls.is_empty() && s.locks.is_empty();
            if !is_plain || s.outs.iter().any(Expr::calls_volatile) {
                return;
            }
            let own = |(n, k): (&usize, &SortKey)| OrderKey {
                item: OrderItem::Output(*n),
                desc: k.desc,
                nulls_first: k.nulls_first,
                collation: k.collation,
            };
            s.order = places.iter().zip(order).map(own).collect();
        }
        // Its own sides follow when it is built.
        Body::SetOperation { op: SetOp::Union, all: true, .. } => {
            let own = |(n, k): (&usize, &SortKey)| SortKey { expr: Expr::Column(*n), ..k.clone() };
            side.order = places.iter().zip(order).map(own).collect();
        }
        _ => return,
    }
    side.limits = (Some(most.clone()), None);
}

/// Whether a query gives all its rows, in any order.
fn is_whole(q: &BoundQuery) -> bool {
    q.order.is_empty() && q.limits.0.is_none() && q.limits.1.is_none() && q.ties.is_empty()
}

/// How many rows LIMIT and OFFSET read, where that can be said without computing anything twice.
fn most_rows((limit, offset): &Limits) -> Option<Expr> {
    let known = |e: &Expr| match e {
        Expr::Const(d) => d.as_i64().filter(|n| *n >= 0),
        _ => None,
    };
    match (limit.as_ref()?, offset) {
        (limit @ Expr::Param(..), None) => Some(limit.clone()),
        (limit, offset) => {
            let offset = offset.as_ref().map_or(Some(0), known)?;
            Some(Expr::Const(Datum::Int8(known(limit)?.checked_add(offset)?)))
        }
    }
}
