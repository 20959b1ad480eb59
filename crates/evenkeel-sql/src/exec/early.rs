//! What of a scan's condition is asked of rows as they are stored, before they are copied and decoded.
//!
//! Invariants:
//! 1. What is asked early is part of the condition, and what stands before it there cannot fail: a row that is passed over would have been refused without an error.
//!
//! Must not know: how rows are read.

use super::Cx;
use crate::plan::Scan;
use crate::plan::expr::{CmpOp, Expr};
use evenkeel_types::row_test::{Asked, Orders, RowTest};
use evenkeel_types::{Datum, Type};

/// What a scan asks of stored rows, if there is something.
pub fn test(scan: &Scan, row: &[Datum], cx: &Cx<'_>) -> Option<RowTest> {
    let mut early = Early { scan, row, cx, asked: Vec::new() };
    let conditions = scan.filter.as_ref().map_or(&[][..], |filter| match filter {
        Expr::And(list) => list,
        other => std::slice::from_ref(other),
    });
    for condition in conditions {
        if !early.add(condition) {
            break;
        }
    }
    let asked = early.asked;
    if asked.is_empty() { None } else { RowTest::new(&scan.table.types, asked) }
}

/// What is asked early, gathered.
struct Early<'a> {
    scan: &'a Scan,
    row: &'a [Datum],
    cx: &'a Cx<'a>,
    /// Of columns of the table.
    asked: Vec<(usize, Asked)>,
}

impl<'a> Early<'a> {
    /// False: the condition may fail, and what follows it is not asked (invariant 1).
    fn add(&mut self, condition: &'a Expr) -> bool {
        match condition {
            Expr::And(list) => return list.iter().all(|c| self.add(c)),
            Expr::Cmp(op, pair) => {
                let (column, op, with) = match (self.column_of(&pair.0), self.column_of(&pair.1)) {
                    (Some(column), None) => (column, *op, &pair.1),
                    (None, Some(column)) => (column, op.flipped(), &pair.0),
                    _ => return self.cannot_fail(condition),
                };
                match self.value_of(with) {
                    None | Some(Datum::Record(_)) => return false,
                    Some(Datum::Null) => {}
                    Some(with) => self.asked.push((column, Asked::Order(orders(op), with.clone()))),
                }
                return true;
            }
            Expr::InList(e, list, false) => {
                let values = list.iter().map(|e| self.value_of(e)).collect();
                self.add_list(e, values);
            }
            Expr::AnyArray(CmpOp::Eq, pair, true) => {
                if let Some(Datum::Array(array)) = self.value_of(&pair.1) {
                    self.add_list(&pair.0, Some(array.values.iter().collect()));
                }
            }
            _ => {}
        }
        self.cannot_fail(condition)
    }

    /// A list that a column's value has to be in: NULL is equal to nothing.
    fn add_list(&mut self, of: &Expr, list: Option<Vec<&Datum>>) {
        let (Some(column), Some(list)) = (self.column_of(of), list) else { return };
        let values = list.into_iter().filter(|d| !d.is_null()).cloned().collect();
        self.asked.push((column, Asked::OneOf(values)));
    }

    /// A value that a whole scan has.
    fn value_of(&self, e: &'a Expr) -> Option<&'a Datum> {
        match e {
            Expr::Const(d) => Some(d),
            Expr::Param(n) => self.cx.params.get(*n),
            Expr::Outer(n) => self.cx.run.outer.get(*n),
            // Of another relation, which was filled before.
            Expr::Column(n) if !self.is_own(*n) => self.row.get(*n),
            _ => None,
        }
    }

    /// Whether a condition gives an answer whatever the row is.
    fn cannot_fail(&self, e: &Expr) -> bool {
        match e {
            Expr::And(list) | Expr::Or(list) => list.iter().all(|e| self.cannot_fail(e)),
            Expr::Not(e) => self.cannot_fail(e),
            Expr::IsNull(of, _) => is_plain(of),
            Expr::Cmp(_, pair) => {
                self.is_simple(&pair.0) && is_plain(&pair.1) || is_plain(&pair.0) && self.is_simple(&pair.1)
            }
            Expr::InList(e, list, _) => self.is_simple(e) && list.iter().all(is_plain),
            Expr::AnyArray(_, pair, _) => self.is_simple(&pair.0) && is_plain(&pair.1),
            _ => false,
        }
    }

    /// Whether it is a value, not of a type whose comparisons may fail: rows may have fields of different types.
    fn is_simple(&self, e: &Expr) -> bool {
        let is_row = |ty: Type| matches!(ty.element().unwrap_or(ty), Type::Record | Type::Composite(_));
        self.column_of(e).is_some_and(|column| !is_row(self.scan.table.types[column]))
    }

    /// Whether a place is one of the table's, or the row's id.
    fn is_own(&self, place: usize) -> bool {
        (self.scan.at..=self.scan.at + self.scan.table.types.len()).contains(&place)
    }

    fn column_of(&self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Column(n) => {
                n.checked_sub(self.scan.at).filter(|column| *column < self.scan.table.types.len())
            }
            Expr::Cast(c) if c.is_relabeling() => self.column_of(&c.expr),
            _ => None,
        }
    }
}

fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Cast(c) if c.is_relabeling() => is_plain(&c.expr),
        e => matches!(e, Expr::Column(_) | Expr::Const(_) | Expr::Param(_) | Expr::Outer(_)),
    }
}

fn orders(op: CmpOp) -> Orders {
    use std::cmp::Ordering::{Equal, Greater, Less};
    [Less, Equal, Greater].map(|order| op.holds(order))
}
