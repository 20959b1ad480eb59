//! What evaluating a condition costs, so that those of one filter are asked in PostgreSQL's order: the cheaper one first, of equally cheap ones the one that is
//! written first. A guard that is written behind what it guards holds there, and so it does here.
//!
//! Must not know: rows, selectivity.

use super::bound::FromTree;
use super::expr::Expr;
use evenkeel_types::Type;

/// What an operator or a function costs.
const CALL: u64 = 2;
/// What a value costs that is written as a text and read again.
const BY_TEXT: u64 = 2 * CALL;
/// Elements of an array that is not known.
const ELEMENTS: u64 = 10;
/// A subquery costs more than anything else.
const SUBQUERY: u64 = 1 << 32;

/// Puts conditions in the order in which they are evaluated.
pub(super) fn in_order(conditions: &mut [Expr]) {
    if conditions.len() > 1 {
        conditions.sort_by_cached_key(cost);
    }
}

/// The same of what a tree of joins asks of each pair.
pub(super) fn in_order_of(tree: &mut FromTree) {
    if let FromTree::Join { left, right, on, .. } = tree {
        in_order(on);
        in_order_of(left);
        in_order_of(right);
    }
}

fn cost(e: &Expr) -> u64 {
    let mut all = 0u64;
    e.walk(&mut |e| all = all.saturating_add(own(e)));
    all
}

/// What it costs besides its parts.
fn own(e: &Expr) -> u64 {
    match e {
        Expr::Call(..) | Expr::ByCollation(..) | Expr::Cmp(..) | Expr::Distinct(..) | Expr::NullIf(..) => {
            CALL
        }
        Expr::Extreme(..) | Expr::JsonQuery(_) => CALL,
        Expr::InList(_, list, _) => list.len() as u64 * CALL / 2,
        Expr::AnyArray(_, pair, _) | Expr::AnyCall(_, pair, _) => match &pair.1 {
            Expr::Array(_, list) => list.len() as u64 * CALL / 2,
            Expr::Const(d) => d.as_array().map_or(ELEMENTS, |a| a.values.len() as u64) * CALL / 2,
            _ => ELEMENTS * CALL / 2,
        },
        Expr::Cast(c) => {
            let is_text = |ty: Type| ty.category() == b'S' || matches!(ty, Type::Unknown);
            match (is_text(c.from), is_text(c.to)) {
                _ if c.from == c.to => 0,
                (true, true) => 0,
                (false, false) => CALL,
                _ => BY_TEXT,
            }
        }
        Expr::Subquery(..) => SUBQUERY,
        _ => 0,
    }
}
