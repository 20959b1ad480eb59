//! What of a scan's condition is asked of rows as they are stored, before they are copied and decoded.
//!
//! Invariants:
//! 1. What is asked early is part of the condition, and what stands before it there cannot fail: a row that is passed over would have been refused without an error.
//!
//! Must not know: how rows are read.

use super::Cx;
use crate::plan::Scan;
use crate::plan::expr::{CmpOp, Expr};
use evenkeel_types::Datum;
use evenkeel_types::row_test::{Orders, RowTest};

/// A comparison of a column of the table with a value that a whole scan has.
type Asked = (usize, Orders, Datum);

/// What a scan asks of stored rows, if there is something.
pub fn test(scan: &Scan, row: &[Datum], cx: &Cx<'_>) -> Option<RowTest> {
    let mut asked = Vec::new();
    let conditions = scan.filter.as_ref().map_or(&[][..], |filter| match filter {
        Expr::And(list) => list,
        other => std::slice::from_ref(other),
    });
    for condition in conditions {
        if !add(condition, scan, row, cx, &mut asked) {
            break;
        }
    }
    if asked.is_empty() { None } else { RowTest::new(&scan.table.types, asked) }
}

/// False: the condition may fail, and what follows it is not asked (invariant 1).
fn add(condition: &Expr, scan: &Scan, row: &[Datum], cx: &Cx<'_>, asked: &mut Vec<Asked>) -> bool {
    match condition {
        Expr::And(list) => list.iter().all(|c| add(c, scan, row, cx, asked)),
        Expr::IsNull(of, _) => is_plain(of),
        Expr::Cmp(op, pair) => {
            let (column, op, with) = match (column_of(&pair.0, scan), column_of(&pair.1, scan)) {
                (Some(column), None) => (column, *op, &pair.1),
                (None, Some(column)) => (column, op.flipped(), &pair.0),
                // Rows may be of different types, and fail.
                _ => return false,
            };
            let with = match with {
                Expr::Const(d) => Some(d),
                Expr::Param(n) => cx.params.get(*n),
                Expr::Outer(n) => cx.run.outer.get(*n),
                // Of another relation, which was filled before.
                Expr::Column(n) if *n != scan.at + scan.table.types.len() => row.get(*n),
                _ => None,
            };
            match with {
                None | Some(Datum::Record(_)) => false,
                Some(Datum::Null) => true,
                Some(with) => {
                    asked.push((column, orders(op), with.clone()));
                    true
                }
            }
        }
        _ => false,
    }
}

fn is_plain(e: &Expr) -> bool {
    matches!(e, Expr::Column(_) | Expr::Const(_) | Expr::Param(_) | Expr::Outer(_))
}

fn column_of(e: &Expr, scan: &Scan) -> Option<usize> {
    match e {
        Expr::Column(n) => n.checked_sub(scan.at).filter(|column| *column < scan.table.types.len()),
        Expr::Cast(c) if c.is_relabeling() => column_of(&c.expr, scan),
        _ => None,
    }
}

fn orders(op: CmpOp) -> Orders {
    use std::cmp::Ordering::{Equal, Greater, Less};
    [Less, Equal, Greater].map(|order| op.holds(order))
}
