//! Whether conditions of a query let only rows pass of which an index's predicate is true.
//!
//! What is known: equal conditions; parts of AND and OR; comparisons of one value with constants; lists of constants; IS NOT NULL, from any condition
//! that NULL does not satisfy; and the forms in which a boolean is asked for. What is not known is not implied.
//!
//! Invariants:
//! 1. "Implied" is said only if the predicate is true, not NULL, of every row of which the conditions are true.
//!
//! Must not know: indexes.

use super::expr::{CmpOp, Expr};
use evenkeel_types::Datum;

/// Whether a predicate is true wherever all of the conditions are.
pub fn follows(predicate: &Expr, conditions: &[Expr]) -> bool {
    match predicate {
        Expr::And(parts) => parts.iter().all(|p| follows(p, conditions)),
        _ => {
            let by_part = |p: &Expr| conditions.iter().any(|c| implies(c, p));
            by_part(predicate)
                || matches!(predicate, Expr::Or(parts) if parts.iter().any(|p| follows(p, conditions)))
        }
    }
}

/// Whether one condition implies another.
pub fn implies(condition: &Expr, predicate: &Expr) -> bool {
    if condition == predicate {
        return true;
    }
    match condition {
        Expr::And(parts) if parts.iter().any(|c| implies(c, predicate)) => return true,
        Expr::Or(parts) if parts.iter().all(|c| implies(c, predicate)) => return true,
        _ => {}
    }
    match predicate {
        Expr::And(parts) => parts.iter().all(|p| implies(condition, p)),
        Expr::Or(parts) => parts.iter().any(|p| implies(condition, p)),
        Expr::IsNull(e, true) => refuses_null(condition, e),
        _ => by_boolean(condition, predicate) || by_constants(condition, predicate),
    }
}

/// `b`, `b = true`, `b IS TRUE` and their contraries, as the boolean and what it is to be.
fn boolean(e: &Expr) -> Option<(&Expr, bool)> {
    match e {
        Expr::Not(inner) => {
            boolean(inner).filter(|_| !matches!(**inner, Expr::IsBool(..))).map(|(e, v)| (e, !v))
        }
        Expr::IsBool(e, value, false) => Some((e, *value)),
        Expr::Cmp(CmpOp::Eq, pair) => match &**pair {
            (e, Expr::Const(Datum::Bool(v))) | (Expr::Const(Datum::Bool(v)), e) => Some((e, *v)),
            _ => None,
        },
        Expr::Column(_) | Expr::Call(..) => Some((e, true)),
        _ => None,
    }
}

fn by_boolean(condition: &Expr, predicate: &Expr) -> bool {
    matches!((boolean(condition), boolean(predicate)), (Some(a), Some(b)) if a == b)
}

/// A value compared with constants: `x op c`, `x IN (…)`, `x = ANY (…)`.
fn comparison(e: &Expr) -> Option<(&Expr, CmpOp, Vec<&Datum>)> {
    fn constant(e: &Expr) -> Option<&Datum> {
        match e {
            Expr::Const(d) if !d.is_null() => Some(d),
            _ => None,
        }
    }
    match e {
        Expr::Cmp(op, pair) => match (constant(&pair.0), constant(&pair.1)) {
            (None, Some(d)) => Some((&pair.0, *op, vec![d])),
            (Some(d), None) => Some((&pair.1, op.flipped(), vec![d])),
            _ => None,
        },
        Expr::InList(x, list, false) => {
            // A NULL in the list lets nothing more pass.
            let is_constant = |e: &Expr| matches!(e, Expr::Const(_));
            list.iter()
                .all(is_constant)
                .then(|| (&**x, CmpOp::Eq, list.iter().filter_map(constant).collect()))
        }
        Expr::AnyArray(CmpOp::Eq, pair, true) => match &pair.1 {
            Expr::Const(Datum::Array(a)) => {
                Some((&pair.0, CmpOp::Eq, a.values.iter().filter(|d| !d.is_null()).collect()))
            }
            Expr::Array(_, list) if list.iter().all(|e| matches!(e, Expr::Const(_))) => {
                Some((&pair.0, CmpOp::Eq, list.iter().filter_map(constant).collect()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn by_constants(condition: &Expr, predicate: &Expr) -> bool {
    let (Some((x, has, values)), Some((y, wants, wanted))) = (comparison(condition), comparison(predicate))
    else {
        return false;
    };
    x == y && values.iter().all(|v| wanted.iter().any(|w| one_implies((has, v), (wants, w))))
}

fn comparable(a: &Datum, b: &Datum) -> bool {
    let is_int = |d: &Datum| matches!(d, Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_));
    a.natural_type() == b.natural_type() || is_int(a) && is_int(b)
}

fn ordering(a: &Datum, b: &Datum) -> std::cmp::Ordering {
    match (a.as_i64(), b.as_i64()) {
        (Some(x), Some(y)) if a.natural_type() != b.natural_type() => x.cmp(&y),
        _ => evenkeel_types::compare(a, b),
    }
}

/// Whether `x has v` implies `x wants w`.
fn one_implies((has, v): (CmpOp, &Datum), (wants, w): (CmpOp, &Datum)) -> bool {
    if !comparable(v, w) {
        return false;
    }
    let o = ordering(v, w);
    match (has, wants) {
        (CmpOp::Eq, _) => wants.holds(o),
        (CmpOp::Ne, CmpOp::Ne) => o.is_eq(),
        (CmpOp::Gt, CmpOp::Gt | CmpOp::Ge | CmpOp::Ne) => o.is_ge(),
        (CmpOp::Ge, CmpOp::Ge) => o.is_ge(),
        (CmpOp::Ge, CmpOp::Gt | CmpOp::Ne) => o.is_gt(),
        (CmpOp::Lt, CmpOp::Lt | CmpOp::Le | CmpOp::Ne) => o.is_le(),
        (CmpOp::Le, CmpOp::Le) => o.is_le(),
        (CmpOp::Le, CmpOp::Lt | CmpOp::Ne) => o.is_lt(),
        _ => false,
    }
}

/// Whether a condition is not true where a value is NULL.
fn refuses_null(condition: &Expr, value: &Expr) -> bool {
    match condition {
        Expr::Cmp(_, pair) => is_null_with(&pair.0, value) || is_null_with(&pair.1, value),
        Expr::InList(e, ..) => is_null_with(e, value),
        Expr::AnyArray(_, pair, true) | Expr::AnyCall(_, pair, true) => is_null_with(&pair.0, value),
        Expr::IsBool(e, _, false) | Expr::IsNull(e, true) => is_null_with(e, value),
        Expr::Not(e) => match &**e {
            // Of an empty array NULL is not an element either.
            Expr::AnyArray(..) | Expr::AnyCall(..) => false,
            Expr::And(_) | Expr::Or(_) | Expr::IsBool(..) | Expr::IsNull(..) | Expr::Distinct(..) => false,
            e => refuses_null(e, value),
        },
        e => is_null_with(e, value),
    }
}

/// Whether an expression is certainly NULL where a value in it is.
fn is_null_with(e: &Expr, value: &Expr) -> bool {
    if e == value {
        return true;
    }
    match e {
        Expr::Call(f, args) => f.strict && args.iter().any(|a| is_null_with(a, value)),
        Expr::Cast(c) => is_null_with(&c.expr, value),
        Expr::Cmp(_, pair) => is_null_with(&pair.0, value) || is_null_with(&pair.1, value),
        _ => false,
    }
}
