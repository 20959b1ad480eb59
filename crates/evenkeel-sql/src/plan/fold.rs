//! What is settled before a plan runs: what nobody reads is not computed, and a constant call that fails fails the statement, whatever the rows would have been, as in PostgreSQL.
//!
//! Invariants
//! 1. Only what certainly has no effect is left out: nothing volatile, nothing that makes rows.
//!
//! Must not know: names, sessions.

use super::expr::{CmpOp, Expr, SubqueryUse};
use super::{InsertSource, Node, Op, Plan, PlanKind, Query, Returning, Scan};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, EvalCtx, Type, Volatility};

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

/// Notes why the plan cannot be run: the first of its constant calls that fails, and the materialized view that has no rows yet.
pub fn check(plan: &mut Plan, cx: &EvalCtx<'_>) {
    let seen = vec![false; plan.subplans.len()];
    let mut check = Check { subplans: &plan.subplans, cx, seen, unpopulated: None };
    let mut look = || {
        plan.ctes.iter().flat_map(super::Cte::queries).try_for_each(|q| check.node(&q.root))?;
        let changes = plan.ctes.iter().filter_map(|c| c.change.as_deref());
        changes.chain([&plan.kind]).try_for_each(|k| check.kind(k))
    };
    let fails = look().err();
    (plan.fails, plan.lacks) = (fails, check.unpopulated);
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
    is_plain && Check::of_values(cx).expr(e).is_err()
}

/// Whether a condition is false, or NULL, whatever the row: then nobody looks at rows. Fails as [`check`] does.
pub fn is_never(conjuncts: &[Expr], cx: &EvalCtx<'_>) -> Result<bool, SqlError> {
    let is_false = |e: &Expr| matches!(e, Expr::Const(Datum::Bool(false)));
    // NULL settles nothing for what stands behind it.
    let at = match conjuncts.iter().position(is_false) {
        Some(at) => at,
        None if conjuncts.iter().any(|e| matches!(e, Expr::Const(Datum::Null))) => conjuncts.len(),
        None => return Ok(false),
    };
    let mut check = Check::of_values(cx);
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

/// Nothing is known of what is nested deeper: it is asked anew on each level.
const KNOWN_DEPTH_MAX: usize = 40;

/// What an expression is for every row, as far as literals tell: as PostgreSQL simplifies it.
fn known(e: &Expr, cx: &EvalCtx<'_>) -> Option<Datum> {
    Known { cx, is_now: false }.of(e, KNOWN_DEPTH_MAX)
}

/// What an expression would be now, if it is a time: `now() - interval '1 day'`. Only estimates may rest on it.
pub fn estimated(e: &Expr, cx: &EvalCtx<'_>) -> Option<Datum> {
    Known { cx, is_now: true }.of(e, KNOWN_DEPTH_MAX)
}

struct Known<'a> {
    cx: &'a EvalCtx<'a>,
    /// Also what is so only now, and in this session: times.
    is_now: bool,
}

fn is_time(ty: Type) -> bool {
    matches!(
        ty,
        Type::Date | Type::Timestamp | Type::Timestamptz | Type::Time | Type::Timetz | Type::Interval
    )
}

impl Known<'_> {
    fn of(&self, e: &Expr, depth: usize) -> Option<Datum> {
        let depth = depth.checked_sub(1)?;
        let of = |e: &Expr| self.of(e, depth);
        let both = |pair: &(Expr, Expr)| Some((of(&pair.0)?, of(&pair.1)?));
        let truth = |b: Option<bool>| b.map_or(Datum::Null, Datum::Bool);
        match e {
            Expr::Const(d) => Some(d.clone()),
            Expr::Collate(e, _) => of(e),
            Expr::CollationKey(_, _, key) => key.clone(),
            Expr::Cmp(op, pair) => both(pair).and_then(|(a, b)| compared(*op, &a, &b)),
            Expr::Distinct(pair, negated) => {
                let (a, b) = both(pair)?;
                let is_same = match (a.is_null(), b.is_null()) {
                    (false, false) => matches!(compared(CmpOp::Eq, &a, &b)?, Datum::Bool(true)),
                    (a, b) => a && b,
                };
                Some(Datum::Bool(is_same == *negated))
            }
            Expr::Not(e) => match of(e)? {
                Datum::Bool(b) => Some(Datum::Bool(!b)),
                other => Some(other),
            },
            Expr::And(list) => self.connected(list, false, depth),
            Expr::Or(list) => self.connected(list, true, depth),
            Expr::IsNull(e, negated) => match of(e)? {
                Datum::Record(_) => None,
                d => Some(Datum::Bool(d.is_null() != *negated)),
            },
            Expr::IsBool(e, value, negated) => {
                let is_so = matches!(of(e)?, Datum::Bool(b) if b == *value);
                Some(Datum::Bool(is_so != *negated))
            }
            Expr::Coalesce(list) => {
                for e in list {
                    let value = of(e)?;
                    if !value.is_null() {
                        return Some(value);
                    }
                }
                Some(Datum::Null)
            }
            Expr::NullIf(pair, None) => {
                let (a, b) = both(pair)?;
                let is_equal = matches!(compared(CmpOp::Eq, &a, &b)?, Datum::Bool(true));
                Some(if is_equal { Datum::Null } else { a })
            }
            Expr::Extreme(greatest, list) => {
                let mut best: Option<Datum> = None;
                for value in list.iter().map(of) {
                    let value = value?;
                    let Some(before) = best.as_ref().filter(|_| !value.is_null()) else {
                        best = best.or((!value.is_null()).then_some(value));
                        continue;
                    };
                    evenkeel_types::must_compare(&value, before).ok()?;
                    let order = evenkeel_types::compare(&value, before);
                    if if *greatest { order.is_gt() } else { order.is_lt() } {
                        best = Some(value);
                    }
                }
                Some(best.unwrap_or(Datum::Null))
            }
            Expr::InList(e, list, negated) => {
                let e = of(e)?;
                let each = list.iter().map(|one| compared(CmpOp::Eq, &e, &of(one)?));
                let found = any(each, true)?;
                Some(truth(found.map(|b| b != *negated)))
            }
            Expr::AnyArray(op, pair, is_any) => {
                let (e, list) = both(pair)?;
                let Datum::Array(list) = &list else { return list.is_null().then_some(Datum::Null) };
                let each = list.values.iter().map(|one| compared(*op, &e, one));
                Some(truth(any(each, *is_any)?))
            }
            Expr::Array(ty, list) if list.len() <= ARRAY_MAX => {
                let values = list.iter().map(of).collect::<Option<Vec<_>>>()?;
                values.iter().all(|v| !matches!(v, Datum::Array(_))).then(|| Datum::array(*ty, values))
            }
            Expr::Case(case) if case.operand.is_none() => {
                for (test, result) in &case.branches {
                    match of(test)? {
                        Datum::Bool(true) => return of(result),
                        _ => continue,
                    }
                }
                of(&case.otherwise)
            }
            Expr::Call(f, args)
                if f.volatile == Volatility::Immutable
                    || self.is_now
                        && f.volatile == Volatility::Stable
                        && is_time(f.ret)
                        && f.asks_transaction().is_none() =>
            {
                let values = args.iter().map(of).collect::<Option<Vec<_>>>()?;
                match f.strict && values.iter().any(Datum::is_null) {
                    true => Some(Datum::Null),
                    false => (f.call)(&values, self.cx).ok(),
                }
            }
            Expr::Cast(c) if !c.depends_on_settings() || self.is_now && is_time(c.to) => {
                let value = of(&c.expr)?;
                evenkeel_types::cast(value, c.from, c.to, c.typmod, c.context, self.cx.format).ok()
            }
            _ => None,
        }
    }

    /// AND or OR: what settles it (`with`) does, whatever is not known besides.
    fn connected(&self, list: &[Expr], with: bool, depth: usize) -> Option<Datum> {
        let (mut is_known, mut is_null) = (true, false);
        for e in list {
            match self.of(e, depth) {
                Some(Datum::Bool(b)) if b == with => return Some(Datum::Bool(with)),
                Some(Datum::Null) => is_null = true,
                Some(_) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(if is_null { Datum::Null } else { Datum::Bool(!with) })
    }
}

/// Elements of an array that is made to know what it is.
const ARRAY_MAX: usize = 100;

/// A comparison, if the two can be compared.
fn compared(op: CmpOp, a: &Datum, b: &Datum) -> Option<Datum> {
    if a.is_null() || b.is_null() {
        return Some(Datum::Null);
    }
    evenkeel_types::must_compare(a, b).ok()?;
    Some(Datum::Bool(op.holds(evenkeel_types::compare(a, b))))
}

/// Whether any is (`with`), or all are: unknown, or NULL, or which.
fn any(each: impl Iterator<Item = Option<Datum>>, with: bool) -> Option<Option<bool>> {
    let (mut is_known, mut is_null) = (true, false);
    for one in each {
        match one {
            Some(Datum::Bool(b)) if b == with => return Some(Some(with)),
            Some(Datum::Null) => is_null = true,
            Some(_) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(if is_null { None } else { Some(!with) })
}

struct Check<'a> {
    subplans: &'a [Query],
    cx: &'a EvalCtx<'a>,
    /// Subqueries that were looked at.
    seen: Vec<bool>,
    /// What is said of the first materialized view that is read and has no rows yet.
    unpopulated: Option<SqlError>,
}

impl<'a> Check<'a> {
    /// Of expressions without subqueries.
    fn of_values(cx: &'a EvalCtx<'a>) -> Check<'a> {
        Check { subplans: &[], cx, seen: Vec::new(), unpopulated: None }
    }
}

impl Check<'_> {
    fn node(&mut self, node: &Node) -> Result<(), SqlError> {
        let reads_nothing = |s: &Scan| {
            let never = |f| matches!(known(f, self.cx), Some(Datum::Bool(false) | Datum::Null));
            s.filter.as_ref().is_some_and(never)
        };
        if let Op::Scan(s) = &node.op
            && self.unpopulated.is_none()
            && !reads_nothing(s)
            && s.table.materialized.as_ref().is_some_and(|m| !m.is_populated)
        {
            let why = format!("materialized view \"{}\" has not been populated", s.table.name);
            let e = SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why);
            self.unpopulated = Some(e.with_hint("Use the REFRESH MATERIALIZED VIEW command."));
        }
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
        let cx = self.cx;
        let settles = |e: &Expr, with: bool| matches!(known(e, cx), Some(Datum::Bool(b)) if b == with);
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
                    if known(e, cx).is_some_and(|d| !d.is_null()) {
                        break;
                    }
                }
                Ok(())
            }
            Expr::Case(case) => {
                case.operand.iter().try_for_each(|e| self.expr(e))?;
                for (test, result) in &case.branches {
                    self.expr(test)?;
                    if matches!(known(test, cx), Some(Datum::Bool(false) | Datum::Null)) {
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
