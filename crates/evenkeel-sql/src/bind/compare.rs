//! Comparisons: of values, of rows, with lists, arrays and subqueries.
//!
//! Invariants
//! 1. What an operator of two types compares is brought to one type here, so that the executor compares values of one.
//!
//! Must not know: FROM clauses, statements.

use super::expr::{copy, is_int, one_column, operator_name, row_items};
use super::{Binder, Typed};
use crate::parse::in_list::listed;
use crate::plan::bound::{Body, BoundQuery};
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::fold;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;
use evenkeel_types::{
    CastContext, Datum, Type, common_type, lookup_operators, operator_error, resolve_operator,
};
use sqlparser::ast::{self, BinaryOperator, Expr as Ast};

/// Columns of rows that are compared by order: each is a level of the tree.
const ORDERED_ROW_MAX: usize = 200;

/// Fails for a type whose values are not compared.
pub(super) fn must_be_equal_or_not(ty: Type) -> Result<(), SqlError> {
    if ty.is_ordered() {
        return Ok(());
    }
    let message = format!("could not identify an equality operator for type {}", ty.sql_name());
    Err(SqlError::new(SqlState::UNDEFINED_FUNCTION, message))
}

/// Fails for a type whose values are not compared, as GREATEST does.
pub(super) fn must_be_comparable(ty: Type) -> Result<(), SqlError> {
    if ty.is_ordered() && ty != Type::Xid {
        return Ok(());
    }
    let message = format!("could not identify a comparison function for type {}", ty.sql_name());
    Err(SqlError::new(SqlState::UNDEFINED_FUNCTION, message))
}

/// Types whose values are equal or not, and no more: numbers of transactions come around. The other operators of `hstore` have names of their own.
fn has_equality_alone(ty: Type) -> bool {
    matches!(ty, Type::Hstore | Type::Xid)
}

/// Whether two values of a type are compared by an operator of this name.
fn has_operator(op: CmpOp, ty: Type) -> bool {
    ty.is_ordered() && (!has_equality_alone(ty) || matches!(op, CmpOp::Eq | CmpOp::Ne))
}

/// Fails for arrays whose elements are not compared.
fn check_elements(op: CmpOp, ty: Type) -> Result<(), SqlError> {
    match ty.element() {
        Some(element) if matches!(op, CmpOp::Eq | CmpOp::Ne) => must_be_equal_or_not(element),
        Some(element) => must_be_comparable(element),
        None => Ok(()),
    }
}

/// Fails for a type whose values have no order.
pub(super) fn must_be_ordered(ty: Type) -> Result<(), SqlError> {
    if ty.is_ordered() && ty != Type::Xid {
        return Ok(());
    }
    let message = format!("could not identify an ordering operator for type {}", ty.sql_name());
    Err(SqlError::new(SqlState::UNDEFINED_FUNCTION, message)
        .with_hint("Use an explicit ordering operator or modify the query."))
}

impl Binder<'_> {
    /// `(start, end or length) OVERLAPS (…)`: a function of the four.
    pub(super) fn overlaps(&mut self, left: &Ast, right: &Ast) -> Result<Typed, SqlError> {
        let mut args = Vec::with_capacity(4);
        for (side, period) in [("left", left), ("right", right)] {
            let Some(items) = row_items(period).filter(|items| items.len() == 2) else {
                let why = format!("wrong number of parameters on {side} side of OVERLAPS expression");
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
            };
            for item in items.iter() {
                args.push(self.expr(item)?);
            }
        }
        self.call("overlaps", args)
    }

    /// A comparison.
    pub(crate) fn compare(&mut self, op: CmpOp, l: Typed, r: Typed) -> Result<Expr, SqlError> {
        // Comparisons are strict.
        let cx = self.ctx;
        let is_kept = self.notes.is_some();
        let null = |a: &Expr, b: &Expr| {
            !is_kept
                && [a, b].iter().any(|e| matches!(e, Expr::Const(Datum::Null)))
                && ![a, b].iter().any(|e| fold::fails(e, cx))
        };
        if (is_int(l.ty) && is_int(r.ty))
            || (l.ty == r.ty && has_operator(op, l.ty) && !matches!(l.ty, Type::Unknown | Type::Record))
        {
            if null(&l.expr, &r.expr) {
                return Ok(Expr::null());
            }
            let pair = self.collated(op, (l.expr, l.ty), (r.expr, r.ty))?;
            return Ok(Expr::Cmp(op, Box::new(pair)));
        }
        if l.ty.is_row() && r.ty.is_row() {
            // Those that are written as rows on both sides come here as pairs: these are values, in which NULL equals NULL.
            let are_alike = matches!((&l.expr, &r.expr), (Expr::Row(a, _), Expr::Row(b, _)) if a == b);
            return if are_alike {
                let pair = self.collated(op, (l.expr, l.ty), (r.expr, r.ty))?;
                Ok(Expr::Cmp(op, Box::new(pair)))
            } else {
                self.as_rows(op, l, r)
            };
        }
        let resolved = resolve_operator(lookup_operators(op.name()), &[l.ty, r.ty])
            .map_err(|e| operator_error(op.name(), Some(l.ty), r.ty, e))?;
        let (a, b) = (resolved.args[0], resolved.args[1]);
        check_elements(op, a)?;
        let left = self.coerce(l, a, -1, CastContext::Explicit)?;
        let right = self.coerce(r, b, -1, CastContext::Explicit)?;
        if null(&left, &right) {
            return Ok(Expr::null());
        }
        if a == b || (is_int(a) && is_int(b)) {
            let pair = self.collated(op, (left, a), (right, b))?;
            return Ok(Expr::Cmp(op, Box::new(pair)));
        }
        // A name beside a text.
        let collation = self.common_collation(&[(&left, a), (&right, b)])?;
        let is_equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        if collation.is_bytewise() || is_equality && collation.is_deterministic() {
            return Ok(Expr::Call(resolved.f, [left, right].into()));
        }
        Ok(Expr::Cmp(op, Box::new((left.in_order_of(collation), right.in_order_of(collation)))))
    }

    /// A comparison of rows, field by field if they are made here.
    pub(super) fn as_rows(&mut self, op: CmpOp, l: Typed, r: Typed) -> Result<Expr, SqlError> {
        match (l.expr, r.expr) {
            (Expr::Row(lt, l), Expr::Row(rt, r)) if l.len() == r.len() => {
                let typed = |t: &[Type], e: Box<[Expr]>| {
                    t.iter().zip(e.into_vec()).map(|(t, e)| Typed::new(e, *t)).collect::<Vec<_>>()
                };
                self.compare_pairs(op, typed(&lt, l).into_iter().zip(typed(&rt, r)).collect())
            }
            (Expr::Row(..), Expr::Row(..)) => Err(unequal_rows()),
            (left, right) => {
                let pair = self.collated(op, (left, l.ty), (right, r.ty))?;
                Ok(Expr::Cmp(op, Box::new(pair)))
            }
        }
    }

    /// A comparison of values of one type, whatever PostgreSQL's operator takes.
    pub(super) fn compare_alike(&mut self, op: CmpOp, l: Typed, r: Typed) -> Result<(Expr, Expr), SqlError> {
        let known = |t: Type| t.is_ordered() && !matches!(t, Type::Unknown | Type::Record);
        let (l, r) = if known(l.ty) && known(r.ty) && l.ty != r.ty && !(is_int(l.ty) && is_int(r.ty)) {
            let (a, b) = self.operator_types(op, l.ty, r.ty)?;
            let both = common_type(&[a, b]).unwrap_or(a);
            let left = self.coerce(l, both, -1, CastContext::Explicit)?;
            (Typed::new(left, both), Typed::new(self.coerce(r, both, -1, CastContext::Explicit)?, both))
        } else {
            (l, r)
        };
        if known(l.ty) && known(r.ty) || l.ty.is_row() && r.ty.is_row() {
            return Ok((l.expr, r.expr));
        }
        let (a, b) = self.operator_types(op, l.ty, r.ty)?;
        let left = self.coerce(l, a, -1, CastContext::Explicit)?;
        Ok((left, self.coerce(r, b, -1, CastContext::Explicit)?))
    }

    /// The types of a comparison's operator.
    pub(super) fn operator_types(&self, op: CmpOp, l: Type, r: Type) -> Result<(Type, Type), SqlError> {
        let resolved = resolve_operator(lookup_operators(op.name()), &[l, r])
            .map_err(|e| operator_error(op.name(), Some(l), r, e))?;
        Ok((resolved.args[0], resolved.args[1]))
    }

    /// NULLIF: of the type that the left side of `=` has.
    pub(super) fn null_if(&mut self, l: Typed, r: Typed) -> Result<Typed, SqlError> {
        // Of those that are compared as another type the value is of that.
        let known = |t: Type| !matches!(t, Type::Unknown | Type::Record | Type::Cidr | Type::Varchar);
        self.check_told_apart(&[(&l.expr, l.ty), (&r.expr, r.ty)])?;
        let alike = l.ty == r.ty || (is_int(l.ty) && is_int(r.ty));
        if alike && known(l.ty) || l.ty == Type::Record {
            let (ty, typmod) = (l.ty, l.typmod);
            let pair = self.compare_alike(CmpOp::Eq, l, r)?;
            if self.equality_collation(&[(&pair.0, ty), (&pair.1, ty)])?.is_some() {
                return Err(super::nondeterministic::unsupported("NULLIF"));
            }
            return Ok(Typed { expr: Expr::NullIf(Box::new(pair), None), ty, typmod });
        }
        let (a, b) = self.operator_types(CmpOp::Eq, l.ty, r.ty)?;
        let both = common_type(&[a, b]).unwrap_or(a);
        let typmod = if a == l.ty { l.typmod } else { -1 };
        let value = self.coerce(l, a, -1, CastContext::Explicit)?;
        let other = self.coerce(r, b, -1, CastContext::Explicit)?;
        let other = self.coerce(Typed::new(other, b), both, -1, CastContext::Explicit)?;
        if self.equality_collation(&[(&value, a), (&other, both)])?.is_some() {
            return Err(super::nondeterministic::unsupported("NULLIF"));
        }
        let cast = (a != both).then_some((a, both));
        Ok(Typed { expr: Expr::NullIf(Box::new((value, other)), cast), ty: a, typmod })
    }

    pub(super) fn compare_rows(
        &mut self,
        op: CmpOp,
        left: &[&Ast],
        right: &[&Ast],
    ) -> Result<Typed, SqlError> {
        if left.len() != right.len() {
            return Err(unequal_rows());
        }
        if left.is_empty() {
            return Err(SqlError::unsupported("cannot compare rows of zero length"));
        }
        let mut pairs = Vec::new();
        for (l, r) in left.iter().zip(right) {
            pairs.push((self.expr(l)?, self.expr(r)?));
        }
        self.compare_pairs(op, pairs).map(Typed::bool)
    }

    pub(super) fn compare_pairs(&mut self, op: CmpOp, pairs: Vec<(Typed, Typed)>) -> Result<Expr, SqlError> {
        match op {
            CmpOp::Eq | CmpOp::Ne => {
                let all = pairs
                    .into_iter()
                    .map(|(l, r)| self.compare(op, l, r))
                    .collect::<Result<Box<[Expr]>, _>>()?;
                Ok(if op == CmpOp::Eq { Expr::And(all) } else { Expr::Or(all) })
            }
            _ if pairs.len() > ORDERED_ROW_MAX => Err(guard::too_deep()),
            _ => {
                // (a, b) < (c, d): a < c OR (a = c AND b < d)
                let strict = match op {
                    CmpOp::Le => CmpOp::Lt,
                    CmpOp::Ge => CmpOp::Gt,
                    other => other,
                };
                let mut result: Option<Expr> = None;
                for (l, r) in pairs.into_iter().rev() {
                    result = Some(match result {
                        None => self.compare(op, l, r)?,
                        Some(rest) => {
                            let less = self.compare(strict, copy(&l)?, copy(&r)?)?;
                            let same = self.compare(CmpOp::Eq, l, r)?;
                            Expr::Or([less, Expr::And([same, rest].into())].into())
                        }
                    });
                }
                result.ok_or_else(|| SqlError::internal("empty row"))
            }
        }
    }

    pub(super) fn distinct_from(&mut self, a: &Ast, b: &Ast, negated: bool) -> Result<Typed, SqlError> {
        if let (Some(left), Some(right)) = (row_items(a), row_items(b)) {
            if left.len() != right.len() {
                return Err(unequal_rows());
            }
            let mut differ = Vec::with_capacity(left.len());
            for (a, b) in left.into_iter().zip(right) {
                differ.push(self.distinct_from(a, b, false)?.expr);
            }
            let differ = Expr::Or(differ.into());
            return Ok(Typed::bool(if negated { Expr::Not(Box::new(differ)) } else { differ }));
        }
        let (l, r) = (self.expr(a)?, self.expr(b)?);
        // Beside a plain NULL no operator is needed. What IS NULL says of a row is something else.
        let is_single = |t: &Typed| !matches!(t.ty, Type::Unknown | Type::Record | Type::Composite(_));
        let tested = match (is_plain_null(a), is_plain_null(b)) {
            (_, true) if is_single(&l) => Some(&l),
            (true, _) if is_single(&r) => Some(&r),
            _ => None,
        };
        if let Some(t) = tested {
            return Ok(Typed::bool(Expr::IsNull(Box::new(t.expr.clone()), !negated)));
        }
        self.check_told_apart(&[(&l.expr, l.ty), (&r.expr, r.ty)])?;
        let (lt, rt) = (l.ty, r.ty);
        let (l, r) = self.compare_alike(CmpOp::Eq, l, r)?;
        let pair = self.equal_pair((l, lt), (r, rt))?;
        Ok(Typed::bool(Expr::Distinct(Box::new(pair), negated)))
    }

    pub(super) fn in_list(&mut self, e: &Ast, list: &[Ast], negated: bool) -> Result<Typed, SqlError> {
        let list = || list.iter().map(listed);
        if let Some(left) = row_items(e) {
            let mut any = Vec::new();
            for item in list() {
                let Some(right) = row_items(item) else { return Err(one_column()) };
                any.push(self.compare_rows(CmpOp::Eq, &left, &right)?.expr);
            }
            let found = Expr::Or(any.into());
            return Ok(Typed::bool(if negated { Expr::Not(Box::new(found)) } else { found }));
        }
        let x = self.expr(e)?;
        let items = list().map(|i| self.expr(i)).collect::<Result<Vec<_>, _>>()?;
        let simple =
            items.iter().all(|i| i.ty == x.ty || i.ty == Type::Unknown || (is_int(i.ty) && is_int(x.ty)));
        if !simple || x.ty == Type::Unknown || x.ty == Type::Record || !x.ty.is_ordered() {
            return Ok(Typed::bool(self.in_mixed_list(x, items, negated)?));
        }
        self.check_told_apart(&[(&x.expr, x.ty)])?;
        let mut exprs = Vec::with_capacity(items.len());
        for i in items {
            if !matches!(i.expr, Expr::Const(_)) {
                self.check_told_apart(&[(&x.expr, x.ty), (&i.expr, i.ty)])?;
            }
            exprs.push(if i.ty == Type::Unknown {
                self.coerce(i, x.ty, -1, CastContext::Implicit)?
            } else {
                i.expr
            });
        }
        let (x, exprs) = self.equal_list(x.expr, x.ty, exprs)?;
        Ok(Typed::bool(Expr::InList(Box::new(x), exprs.into(), negated)))
    }

    /// A value beside a list of several types. Of items that read no column of this level PostgreSQL makes an array, of the type that suits all, with which the
    /// value is compared at once; with each of the others it is compared by itself.
    fn in_mixed_list(&mut self, x: Typed, items: Vec<Typed>, negated: bool) -> Result<Expr, SqlError> {
        let op = if negated { CmpOp::Ne } else { CmpOp::Eq };
        let is_fixed = |t: &Typed| {
            !t.expr
                .any(|e| matches!(e, Expr::Column(_) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_)))
        };
        let fixed: Vec<Type> = items.iter().filter(|i| is_fixed(i)).map(|i| i.ty).collect();
        let of_all: Vec<Type> = std::iter::once(x.ty).chain(fixed.iter().copied()).collect();
        let common = if fixed.len() > 1 { common_type(&of_all).ok() } else { None };
        let common = common.filter(|t| *t != Type::Record);
        // What the operator takes on both sides; one of two types is asked for each item.
        let alike = match common {
            Some(ty) if ty.is_ordered() => {
                let (a, b) = self.operator_types(CmpOp::Eq, x.ty, ty)?;
                (a == b && a.is_ordered() && !a.is_row()).then_some((a, ty))
            }
            _ => None,
        };
        let (mut array, mut any) = (Vec::new(), Vec::new());
        for i in items {
            match (common, alike) {
                (_, Some((own, ty))) if is_fixed(&i) => {
                    let i = Typed::new(self.coerce(i, ty, -1, CastContext::Implicit)?, ty);
                    array.push(self.coerce(i, own, -1, CastContext::Explicit)?);
                }
                (Some(ty), None) if i.ty != ty && is_fixed(&i) => {
                    let i = Typed::new(self.coerce(i, ty, -1, CastContext::Implicit)?, ty);
                    any.push(self.compare(op, copy(&x)?, i)?);
                }
                _ => any.push(self.compare(op, copy(&x)?, i)?),
            }
        }
        if let Some((own, _)) = alike {
            let x = self.coerce(x, own, -1, CastContext::Explicit)?;
            self.check_told_apart(&[(&x, own)])?;
            array.iter().try_for_each(|i| self.check_told_apart(&[(&x, own), (i, own)]))?;
            let (x, list) = self.equal_list(x, own, array)?;
            any.insert(0, Expr::InList(Box::new(x), list.into(), negated));
        }
        Ok(match any.len() {
            1 => any.remove(0),
            _ if negated => Expr::And(any.into()),
            _ => Expr::Or(any.into()),
        })
    }

    pub(super) fn between(
        &mut self,
        x: &Typed,
        low: Typed,
        high: Typed,
        negated: bool,
    ) -> Result<Expr, SqlError> {
        let (low_op, high_op) = if negated { (CmpOp::Lt, CmpOp::Gt) } else { (CmpOp::Ge, CmpOp::Le) };
        let mut compare = |op, bound: Typed| match (&x.expr, &bound.expr) {
            (Expr::Row(..), Expr::Row(..)) => self.as_rows(op, copy(x)?, bound),
            _ => self.compare(op, copy(x)?, bound),
        };
        let both = [compare(low_op, low)?, compare(high_op, high)?].into();
        Ok(if negated { Expr::Or(both) } else { Expr::And(both) })
    }

    /// An expression with a subquery. Written again at the same level it is the same one, as in GROUP BY.
    pub(super) fn with_subquery(&mut self, e: &Ast) -> Result<Typed, SqlError> {
        // In ON conditions names may mean something else.
        let frame = self.frame()?;
        let is_known_place = frame.visible_from == (0, 0);
        if let Some((_, t)) = frame.subqueries.iter().find(|(known, _)| is_known_place && known == e) {
            return Ok(t.clone());
        }
        let before = self.subplans.len();
        let value = match e {
            Ast::Exists { subquery, negated } => {
                let (number, args, _) = self.subquery(subquery)?;
                self.subplans[number].forget_outputs();
                let e = Expr::Subquery(number, Box::new(SubqueryUse::Exists), args);
                Typed::bool(if *negated { Expr::Not(Box::new(e)) } else { e })
            }
            Ast::Subquery(q) => {
                let (number, args, columns) = self.subquery(q)?;
                let [column] = &columns[..] else { return Err(one_column()) };
                let expr = Expr::Subquery(number, Box::new(SubqueryUse::Scalar), args);
                Typed { expr, ty: column.ty, typmod: column.typmod }
            }
            Ast::InSubquery { expr, subquery, negated } => {
                let (op, any) = if *negated { (CmpOp::Ne, false) } else { (CmpOp::Eq, true) };
                self.quantified_subquery(expr, op, subquery, any)?
            }
            Ast::AnyOp { left, compare_op, right, .. } => self.quantified(left, compare_op, right, true)?,
            Ast::AllOp { left, compare_op, right } => self.quantified(left, compare_op, right, false)?,
            Ast::Function(f) => self.function(f)?,
            other => return Err(SqlError::unsupported(format!("expression is not supported: {other}"))),
        };
        let is_fixed = !self.subplans[before..].iter().any(BoundQuery::is_volatile);
        if is_fixed && is_known_place && self.subplans.len() > before {
            self.frame()?.subqueries.push((e.clone(), value.clone()));
        }
        Ok(value)
    }

    /// `(a, b) = (SELECT …)`
    pub(super) fn compare_row_with_query(
        &mut self,
        op: CmpOp,
        left: &Ast,
        right: &ast::Query,
    ) -> Result<Typed, SqlError> {
        self.row_and_subquery(left, op, right, SubqueryUse::Row)
    }

    pub(super) fn quantified(
        &mut self,
        left: &Ast,
        op: &BinaryOperator,
        right: &Ast,
        any: bool,
    ) -> Result<Typed, SqlError> {
        let name = operator_name(op)
            .ok_or_else(|| SqlError::unsupported(format!("operator {op} is not supported")))?;
        self.quantified_op(left, &name, right, any)
    }

    pub(super) fn quantified_op(
        &mut self,
        left: &Ast,
        name: &str,
        right: &Ast,
        any: bool,
    ) -> Result<Typed, SqlError> {
        let mut inner = right;
        while let Ast::Nested(n) = inner {
            inner = n;
        }
        let of_query = if let Ast::Subquery(q) = inner { Some(q) } else { None };
        if let (Some(q), Some(cmp)) = (of_query, CmpOp::from_name(name)) {
            return self.quantified_subquery(left, cmp, q, any);
        }
        let l = self.expr(left)?;
        let r = match of_query {
            // The rows of another operator are looked at as those of an array.
            Some(q) => self.array_of_rows(q, "subquery has too many columns")?,
            None => self.expr(right)?,
        };
        let (l, array_ty) = match (l.ty, r.ty.element()) {
            // An untyped array takes the left side's type.
            (lt, _) if r.ty == Type::Unknown => {
                let element = match lt {
                    // Their operators are those of others.
                    Type::Unknown | Type::Varchar => Type::Text,
                    Type::Cidr => Type::Inet,
                    lt => lt,
                };
                let array = element.array_of().ok_or_else(array_needed)?;
                (l, array)
            }
            (_, Some(_)) => (l, r.ty),
            _ => return Err(array_needed()),
        };
        let element = array_ty.element().ok_or_else(array_needed)?;
        let array = self.coerce(r, array_ty, -1, CastContext::Implicit)?;
        let probe = Typed::new(Expr::Column(usize::MAX), element);
        if let Some(cmp) = CmpOp::from_name(name) {
            // Resolve the comparison against an element, then see what it wanted of each side.
            let (l, element_side) = self.compare_alike(cmp, l, probe)?;
            let array = match element_side {
                Expr::Cast(c) => {
                    let wanted = c.to.array_of().ok_or_else(array_needed)?;
                    self.coerce(Typed::new(array, array_ty), wanted, -1, CastContext::Explicit)?
                }
                _ => array,
            };
            let pair = self.collated(cmp, (l, element), (array, array_ty))?;
            return Ok(Typed::bool(Expr::AnyArray(cmp, Box::new(pair), any)));
        }
        let resolved = resolve_operator(self.operators(name), &[l.ty, element])
            .map_err(|e| operator_error(name, Some(l.ty), element, e))?;
        let left = self.coerce(l, resolved.args[0], -1, CastContext::Explicit)?;
        let sides = [(&left, resolved.args[0]), (&array, array_ty)];
        self.check_searches(resolved.f, &sides)?;
        self.check_like_of_many(resolved.f, &sides)?;
        let wanted = resolved.args[1].array_of().unwrap_or(array_ty);
        let array = self.coerce(Typed::new(array, array_ty), wanted, -1, CastContext::Explicit)?;
        Ok(Typed::bool(Expr::AnyCall(resolved.f, Box::new((left, array)), any)))
    }

    pub(super) fn quantified_subquery(
        &mut self,
        left: &Ast,
        op: CmpOp,
        q: &ast::Query,
        any: bool,
    ) -> Result<Typed, SqlError> {
        let usage = if any { SubqueryUse::Any } else { SubqueryUse::All };
        self.row_and_subquery(left, op, q, usage)
    }

    /// A row beside those of a subquery.
    fn row_and_subquery(
        &mut self,
        left: &Ast,
        op: CmpOp,
        q: &ast::Query,
        usage: fn(CmpOp, Box<[Expr]>) -> SubqueryUse,
    ) -> Result<Typed, SqlError> {
        let left: Vec<Typed> = match row_items(left) {
            Some(items) => items.into_iter().map(|i| self.expr(i)).collect::<Result<_, _>>()?,
            None => vec![self.expr(left)?],
        };
        let (number, args, columns) = self.subquery(q)?;
        if columns.len() != left.len() {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                if columns.len() > left.len() {
                    "subquery has too many columns"
                } else {
                    "subquery has too few columns"
                },
            ));
        }
        let mut bound = Vec::new();
        for (n, (l, c)) in left.into_iter().zip(&columns).enumerate() {
            let column = Typed::new(Expr::Column(n), c.ty);
            let (l, r) = self.compare_alike(CmpOp::Eq, l, column)?;
            // Its values are compared as what they are ordered by.
            let collation = self.collation_beside(op, &l, c)?;
            let (l, r) = (l.in_order_of(collation), r.in_order_of(collation));
            if !matches!(r, Expr::Column(_)) {
                // The subquery's column must be converted: its values are, as they are read.
                convert_column(&mut self.subplans[number], n, r);
            }
            bound.push(l);
        }
        if bound.iter().any(|l| l.any(|e| matches!(e, Expr::Set(_)))) {
            let why = "row comparison operator must not return a set";
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        Ok(Typed::bool(Expr::Subquery(number, Box::new(usage(op, bound.into())), args)))
    }
}

/// Has one column of a subquery converted.
fn convert_column(q: &mut BoundQuery, column: usize, conversion: Expr) {
    let same = |n| if n == column { conversion.clone() } else { Expr::Column(n) };
    let exprs = (0..q.visible).map(same).collect();
    with_output(q, exprs);
}

/// Has a query give this alone, made from its columns.
pub(super) fn with_output(q: &mut BoundQuery, exprs: Box<[Expr]>) {
    let inner = std::mem::replace(q, BoundQuery::new(Body::Values(Vec::new()), 0));
    *q = inner.with_output(exprs);
}

fn unequal_rows() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "unequal number of entries in row expressions")
}

fn array_needed() -> SqlError {
    SqlError::new(SqlState::WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side")
}

/// Whether NULL is written, without a type.
fn is_plain_null(e: &Ast) -> bool {
    match e {
        Ast::Nested(inner) => is_plain_null(inner),
        Ast::Value(v) => matches!(v.value, ast::Value::Null),
        _ => false,
    }
}
