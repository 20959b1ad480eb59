//! Columns that are equal: what conditions say of two, they say of all that are equal to these.
//!
//! Invariants
//! 1. What is added follows from what is there; what is left out follows from what stays.
//!
//! Must not know: join order, methods.

use super::bound::OrderKey;
use super::expr::{CmpOp, Expr};
use super::pull::is_movable;
use std::collections::{HashMap, HashSet};

/// Classes of columns that are equal, and what follows from it.
#[derive(Default)]
pub struct Equalities {
    /// The class of a condition, by its number.
    pub of_condition: HashMap<usize, usize>,
}

/// Columns of a class up to which what follows for each pair is written down.
const CLASS_MAX: usize = 12;

/// Leaves out of an order what has one value in all rows, since a condition says so.
pub(super) fn drop_settled(order: &mut Vec<OrderKey>, outs: &[Expr], conditions: &[Expr]) {
    let is_value = |e: &Expr| is_movable(e) && !e.any(|e| matches!(e, Expr::Column(_)));
    let settles = |condition: &Expr, key: &Expr| match condition {
        Expr::Cmp(CmpOp::Eq, pair) => {
            pair.0 == *key && is_value(&pair.1) || pair.1 == *key && is_value(&pair.0)
        }
        _ => false,
    };
    // What is equal in a collation may have another order in one that tells more apart.
    let is_settled = |k: &OrderKey| {
        k.collation.is_bytewise()
            && is_movable(k.expr(outs))
            && conditions.iter().any(|c| settles(c, k.expr(outs)))
    };
    order.retain(|k| !is_settled(k));
}

impl Equalities {
    /// Finds classes, and adds to the conditions what follows: equalities of every pair of columns, or, where one is a value, of all with it. Those of one relation
    /// are among them: where one of two conditions joins it, nothing else says that the other holds.
    pub fn close(conditions: &mut Vec<Expr>, relation: impl Fn(usize) -> Option<usize>) -> Equalities {
        let pair = |e: &Expr| match e {
            Expr::Cmp(CmpOp::Eq, p) => match &**p {
                (Expr::Column(a), Expr::Column(b)) if relation(*a) != relation(*b) => Some((*a, *b)),
                _ => None,
            },
            _ => None,
        };
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (a, b) in conditions.iter().filter_map(pair) {
            let find = |classes: &[Vec<usize>], p: usize| classes.iter().position(|c| c.contains(&p));
            match (find(&classes, a), find(&classes, b)) {
                (None, None) => classes.push(vec![a, b]),
                (Some(n), None) => classes[n].push(b),
                (None, Some(n)) => classes[n].push(a),
                (Some(n), Some(m)) if n != m => {
                    let other = classes.swap_remove(n.max(m));
                    classes[n.min(m)].extend(other);
                }
                _ => {}
            }
        }
        let columns = |e: &Expr| match e {
            Expr::Cmp(CmpOp::Eq, p) => match &**p {
                (Expr::Column(a), Expr::Column(b)) => Some((*a, *b)),
                _ => None,
            },
            _ => None,
        };
        let said: HashSet<(usize, usize)> = conditions.iter().filter_map(columns).collect();
        let mut found = Equalities::default();
        for members in classes.iter().filter(|m| m.len() <= CLASS_MAX) {
            let value_of = |e: &Expr| match e {
                Expr::Cmp(CmpOp::Eq, p) => match &**p {
                    (Expr::Column(c), v) | (v, Expr::Column(c))
                        if v.is_row_independent() && members.contains(c) =>
                    {
                        Some((*c, v.clone()))
                    }
                    _ => None,
                },
                _ => None,
            };
            let values: Vec<(usize, Expr)> = conditions.iter().filter_map(value_of).collect();
            let is_member = |e: &Expr| pair(e).is_some_and(|(a, _)| members.contains(&a));
            if let Some((_, value)) = values.first() {
                // All are this value: that they are equal says nothing more. One that is said to be another has to be this one as well, so that no row satisfies both.
                conditions.retain(|e| !is_member(e));
                let is_said = |m: &usize| values.iter().any(|(c, v)| c == m && v == value);
                let others = members.iter().filter(|m| !is_said(m));
                let same = |c: &usize| Expr::Cmp(CmpOp::Eq, Box::new((Expr::Column(*c), value.clone())));
                conditions.extend(others.map(same));
                continue;
            }
            for (n, a) in members.iter().enumerate() {
                for b in &members[n + 1..] {
                    let is_said = said.contains(&(*a, *b)) || said.contains(&(*b, *a));
                    if !is_said {
                        conditions.push(Expr::Cmp(CmpOp::Eq, Box::new((Expr::Column(*a), Expr::Column(*b)))));
                    }
                }
            }
        }
        for (n, e) in conditions.iter().enumerate() {
            if let Some((a, _)) = pair(e)
                && let Some(class) = classes.iter().position(|c| c.len() <= CLASS_MAX && c.contains(&a))
            {
                found.of_condition.insert(n, class);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_types::Datum;

    fn equal(a: Expr, b: Expr) -> Expr {
        Expr::Cmp(CmpOp::Eq, Box::new((a, b)))
    }

    /// Places 0 to 9 are one relation's, 10 to 19 another's, and so on.
    fn closed(pairs: &[(usize, usize)], values: &[(usize, i32)]) -> (Vec<Expr>, Equalities) {
        let of_pair = |(a, b): &(usize, usize)| equal(Expr::Column(*a), Expr::Column(*b));
        let of_value = |(a, v): &(usize, i32)| equal(Expr::Const(Datum::Int4(*v)), Expr::Column(*a));
        let mut all: Vec<Expr> = pairs.iter().map(of_pair).chain(values.iter().map(of_value)).collect();
        let found = Equalities::close(&mut all, |place| Some(place / 10));
        (all, found)
    }

    #[test]
    fn what_is_equal_to_the_same_is_equal() {
        let (all, found) = closed(&[(0, 10), (10, 20), (31, 41)], &[]);
        assert_eq!(all.len(), 4);
        assert_eq!(all[3], equal(Expr::Column(0), Expr::Column(20)));
        assert_eq!(found.of_condition[&3], found.of_condition[&0]);
        assert_ne!(found.of_condition[&2], found.of_condition[&0]);
        // Two columns of one relation are equal as well.
        let (all, _) = closed(&[(0, 10), (10, 1)], &[]);
        assert_eq!(all[2..], [equal(Expr::Column(0), Expr::Column(1))]);
        let (all, _) = closed(&[(0, 10), (10, 1), (0, 1)], &[]);
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn a_value_is_that_of_all() {
        let (all, found) = closed(&[(0, 10), (20, 10)], &[(10, 7)]);
        assert!(found.of_condition.is_empty());
        assert_eq!(all.len(), 3, "{all:?}");
        for place in [0, 20] {
            assert!(all.contains(&equal(Expr::Column(place), Expr::Const(Datum::Int4(7)))), "{all:?}");
        }
    }

    #[test]
    fn columns_that_are_equal_are_not_two_values() {
        for (values, expected) in
            [(&[(0, 3), (10, 5)][..], 3), (&[(0, 3), (10, 3)], 2), (&[(10, 5), (20, 3), (0, 3)], 5)]
        {
            let (all, _) = closed(&[(0, 10), (20, 10)][..values.len() - 1], values);
            assert_eq!(all.len(), expected, "{all:?}");
            // Whatever one is, all are.
            let first = values[0].1;
            for place in values.iter().map(|v| v.0) {
                let said = |a, b| all.contains(&equal(a, b));
                let (column, value) = (Expr::Column(place), Expr::Const(Datum::Int4(first)));
                assert!(said(column.clone(), value.clone()) || said(value, column), "{place} in {all:?}");
            }
        }
    }
}
