//! What is settled before a plan runs: what nobody reads is not computed, and a constant call that fails fails the statement, whatever the rows would have been, as in PostgreSQL.
//!
//! Invariants
//! 1. Only what certainly has no effect is left out: nothing volatile, nothing that makes rows.
//!
//! Must not know: names, sessions.

use super::expr::{Expr, SubqueryUse};
use super::{InsertSource, Node, Op, Plan, PlanKind, Query, Returning};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, EvalCtx, Volatility};

/// Has a select list compute no column that is not `used`.
pub fn prune(exprs: &mut [Expr], used: &[bool]) {
    for (n, e) in exprs.iter_mut().enumerate() {
        if !used.get(n).copied().unwrap_or(false) && may_be_left_out(e) {
            *e = Expr::null();
        }
    }
}

/// Invariant 1. A subquery may have anything in it.
pub fn may_be_left_out(e: &Expr) -> bool {
    !e.calls_volatile() && !e.any(|e| matches!(e, Expr::Subquery(..) | Expr::Set(_)))
}

/// Fails as the first constant call of the plan does that fails.
pub fn check(plan: &Plan, cx: &EvalCtx<'_>) -> Result<(), SqlError> {
    let mut check = Check { subplans: &plan.subplans, cx, seen: vec![false; plan.subplans.len()] };
    plan.ctes.iter().flat_map(super::Cte::queries).try_for_each(|q| check.node(&q.root))?;
    let changes = plan.ctes.iter().filter_map(|c| c.change.as_deref());
    changes.chain([&plan.kind]).try_for_each(|k| check.kind(k))
}

impl Check<'_> {
    fn kind(&mut self, kind: &PlanKind) -> Result<(), SqlError> {
        let of_returning = |r: &Option<Returning>, c: &mut Check<'_>| {
            r.iter().flat_map(|r| r.exprs.iter()).try_for_each(|e| c.expr(e))
        };
        match kind {
            PlanKind::Query(q) => self.node(&q.root),
            PlanKind::Insert(i) => {
                match &i.source {
                    InsertSource::Rows(rows) => {
                        rows.iter().flat_map(|r| r.iter()).try_for_each(|e| self.expr(e))?
                    }
                    InsertSource::Query(q, exprs) => {
                        self.node(&q.root)?;
                        exprs.iter().try_for_each(|e| self.expr(e))?;
                    }
                }
                of_returning(&i.returning, self)
            }
            PlanKind::Update(u) => {
                self.node(&u.rows.input)?;
                u.set.iter().try_for_each(|(_, e)| self.expr(e))?;
                of_returning(&u.returning, self)
            }
            PlanKind::Merge(m) => {
                self.node(&m.rows.input)?;
                of_returning(&m.returning, self)
            }
            PlanKind::Delete(d) => {
                self.node(&d.rows.input)?;
                of_returning(&d.returning, self)
            }
        }
    }
}

/// Whether computing it before anything is known of rows fails, as [`check`] would.
pub fn fails(e: &Expr, cx: &EvalCtx<'_>) -> bool {
    let is_plain = !e.any(|e| matches!(e, Expr::Subquery(..)));
    is_plain && Check { subplans: &[], cx, seen: Vec::new() }.expr(e).is_err()
}

/// Whether a condition is false, or NULL, whatever the row: then nobody looks at rows. Fails as [`check`] does.
pub fn is_never(conjuncts: &[Expr], cx: &EvalCtx<'_>) -> Result<bool, SqlError> {
    let is_false = |e: &Expr| matches!(e, Expr::Const(Datum::Bool(false) | Datum::Null));
    let Some(at) = conjuncts.iter().position(is_false) else { return Ok(false) };
    let mut check = Check { subplans: &[], cx, seen: Vec::new() };
    let plain = |e: &&Expr| !e.any(|e| matches!(e, Expr::Subquery(..)));
    conjuncts[..at].iter().filter(plain).try_for_each(|e| check.expr(e))?;
    Ok(true)
}

/// Conditions on rows, without what constants settle: of `$1 IS NULL OR a = $1` one side, if the value is known.
pub fn simplified(conjuncts: Vec<Expr>, cx: &EvalCtx<'_>) -> Vec<Expr> {
    let is_settled = |e: &Expr| {
        e.any(|e| match e {
            Expr::Cmp(_, pair) => [&pair.0, &pair.1].iter().any(|e| matches!(e, Expr::Const(_))),
            Expr::IsNull(e, _) => matches!(**e, Expr::Const(_)),
            Expr::And(list) | Expr::Or(list) => list.iter().any(|e| matches!(e, Expr::Const(_))),
            _ => false,
        })
    };
    let mut out = Vec::with_capacity(conjuncts.len());
    for e in conjuncts {
        let e = if is_settled(&e) { simple(e, true, cx) } else { e };
        if !matches!(e, Expr::Const(Datum::Bool(true))) {
            e.split_and(&mut out);
        }
    }
    out
}

/// A condition, simplified. `null_is_false`: nobody tells the two apart.
fn simple(e: Expr, null_is_false: bool, cx: &EvalCtx<'_>) -> Expr {
    stacker::maybe_grow(64 << 10, 1 << 20, || match e {
        Expr::And(list) => simple_list(list, false, null_is_false, cx),
        Expr::Or(list) => simple_list(list, true, null_is_false, cx),
        Expr::Not(e) => match simple(*e, false, cx) {
            Expr::Const(Datum::Bool(b)) => Expr::Const(Datum::Bool(!b)),
            Expr::Const(Datum::Null) => Expr::null(),
            e => Expr::Not(Box::new(e)),
        },
        Expr::IsNull(e, negated) => match *e {
            Expr::Const(d) if !matches!(d, Datum::Record(_)) => {
                Expr::Const(Datum::Bool(d.is_null() != negated))
            }
            e => Expr::IsNull(Box::new(e), negated),
        },
        Expr::Cmp(op, pair) => match *pair {
            (Expr::Const(Datum::Null), other) | (other, Expr::Const(Datum::Null))
                if may_be_left_out(&other) && !fails(&other, cx) =>
            {
                Expr::null()
            }
            (Expr::Const(a), Expr::Const(b))
                if !a.is_null() && !b.is_null() && evenkeel_types::must_compare(&a, &b).is_ok() =>
            {
                Expr::Const(Datum::Bool(op.holds(evenkeel_types::compare(&a, &b))))
            }
            pair => Expr::Cmp(op, Box::new(pair)),
        },
        e => e,
    })
}

/// Of AND and OR: what settles it (`with`) is all that is left, unless something before it fails; what cannot is left out.
fn simple_list(list: Box<[Expr]>, with: bool, null_is_false: bool, cx: &EvalCtx<'_>) -> Expr {
    let whole = |list: Vec<Expr>| if with { Expr::Or(list.into()) } else { Expr::And(list.into()) };
    let mut left: Vec<Expr> = list.into_vec().into_iter().map(|e| simple(e, null_is_false, cx)).collect();
    let is = |e: &Expr, b: bool| match e {
        Expr::Const(Datum::Bool(v)) => *v == b,
        Expr::Const(Datum::Null) => null_is_false && !b,
        _ => false,
    };
    if let Some(at) = left.iter().position(|e| is(e, with)) {
        let has_none = |e: &Expr| !e.any(|e| matches!(e, Expr::Subquery(..)));
        if left[..at].iter().any(|e| fails(e, cx)) || !left.iter().all(has_none) {
            return whole(left);
        }
        return Expr::Const(Datum::Bool(with));
    }
    left.retain(|e| !is(e, !with));
    match left.len() {
        0 => Expr::Const(Datum::Bool(!with)),
        1 => left.remove(0),
        _ => whole(left),
    }
}

/// What a condition is for every row, as far as literals tell.
fn known(e: &Expr) -> Option<Datum> {
    match e {
        Expr::Const(d) => Some(d.clone()),
        Expr::Cmp(op, pair) => match &**pair {
            (Expr::Const(Datum::Null), Expr::Const(_)) | (Expr::Const(_), Expr::Const(Datum::Null)) => {
                Some(Datum::Null)
            }
            (Expr::Const(a), Expr::Const(b)) => {
                evenkeel_types::must_compare(a, b).ok()?;
                Some(Datum::Bool(op.holds(evenkeel_types::compare(a, b))))
            }
            _ => None,
        },
        Expr::Not(e) => match known(e)? {
            Datum::Bool(b) => Some(Datum::Bool(!b)),
            other => Some(other),
        },
        _ => None,
    }
}

struct Check<'a> {
    subplans: &'a [Query],
    cx: &'a EvalCtx<'a>,
    /// Subqueries that were looked at.
    seen: Vec<bool>,
}

impl Check<'_> {
    fn node(&mut self, node: &Node) -> Result<(), SqlError> {
        let mut done = Ok(());
        node.own_exprs(&mut |e| {
            if done.is_ok() {
                done = self.expr(e);
            }
        });
        done?;
        stacker::maybe_grow(64 << 10, 1 << 20, || node.children().into_iter().try_for_each(|n| self.node(n)))
    }

    /// The arguments that PostgreSQL simplifies, in its order: of AND, OR, CASE and COALESCE none behind the one that settles it.
    fn expr(&mut self, e: &Expr) -> Result<(), SqlError> {
        let settles = |e: &Expr, with: bool| matches!(known(e), Some(Datum::Bool(b)) if b == with);
        match e {
            Expr::And(list) | Expr::Or(list) => {
                let with = matches!(e, Expr::Or(_));
                for e in list {
                    self.expr(e)?;
                    if settles(e, with) {
                        break;
                    }
                }
                Ok(())
            }
            Expr::Coalesce(list) => {
                for e in list {
                    self.expr(e)?;
                    if matches!(e, Expr::Const(d) if !d.is_null()) {
                        break;
                    }
                }
                Ok(())
            }
            Expr::Case(case) => {
                case.operand.iter().try_for_each(|e| self.expr(e))?;
                for (test, result) in &case.branches {
                    self.expr(test)?;
                    if matches!(known(test), Some(Datum::Bool(false) | Datum::Null)) {
                        continue;
                    }
                    self.expr(result)?;
                    if settles(test, true) {
                        return Ok(());
                    }
                }
                self.expr(&case.otherwise)
            }
            Expr::Call(f, args) => {
                args.iter().try_for_each(|e| self.expr(e))?;
                let constant = |e: &Expr| if let Expr::Const(d) = e { Some(d.clone()) } else { None };
                match args.iter().map(constant).collect::<Option<Vec<_>>>() {
                    // What a subquery in FROM gave may have been put in here: NULL is no argument of a strict function.
                    Some(values) if f.strict && values.iter().any(Datum::is_null) => Ok(()),
                    Some(values) if f.volatile == Volatility::Immutable => {
                        (f.call)(&values, self.cx).map(drop)
                    }
                    _ => Ok(()),
                }
            }
            Expr::Cast(c) => {
                self.expr(&c.expr)?;
                match &c.expr {
                    Expr::Const(d) if !d.is_null() && !c.depends_on_settings() => {
                        evenkeel_types::cast(d.clone(), c.from, c.to, c.typmod, c.context, self.cx.format)
                            .map(drop)
                    }
                    _ => Ok(()),
                }
            }
            Expr::Subquery(n, usage, _) => {
                self.children(e)?;
                if std::mem::replace(&mut self.seen[*n], true) {
                    return Ok(());
                }
                let subplans = self.subplans;
                match &**usage {
                    // What EXISTS selects is not looked at.
                    SubqueryUse::Exists => match &subplans[*n].root.op {
                        Op::Project { input, .. } => self.node(input),
                        _ => self.node(&subplans[*n].root),
                    },
                    _ => self.node(&subplans[*n].root),
                }
            }
            _ => self.children(e),
        }
    }

    fn children(&mut self, e: &Expr) -> Result<(), SqlError> {
        let mut done = Ok(());
        e.each_child(&mut |e| {
            if done.is_ok() {
                done = stacker::maybe_grow(64 << 10, 1 << 20, || self.expr(e));
            }
        });
        done
    }
}
