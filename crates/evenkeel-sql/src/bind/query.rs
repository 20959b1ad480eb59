//! Queries around their SELECTs: VALUES, UNION and its like, ORDER BY on their results, LIMIT.
//!
//! Must not know: select lists, access paths, the executor.

use super::cte::{Place, is_bare};
use super::select::lock_mode;
use super::{Binder, Frame, Hint, Typed, foreign, ident, limit_entries};
use crate::parse::limit_with_ties;
use crate::plan::bound::{
    Body, BoundQuery, BoundSelect, Distinct, FromTree, Level, Limits, OrderItem, OrderKey, Source,
    SourceKind, lock_words,
};
use crate::plan::expr::Expr;
use crate::plan::{Column, SetOp, SortKey};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Collation, Datum, Type, can_cast_in};
use sqlparser::ast::{
    self, Expr as Ast, LimitClause, OrderByKind, OrderBySort, SetExpr, SetOperator, SetQuantifier, Value,
    ValueWithSpan,
};

impl Binder<'_> {
    /// Binds a query into the current (fresh) frame.
    pub(crate) fn query(
        &mut self,
        q: &ast::Query,
        hint: Hint<'_>,
    ) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        if let Some(whole) = self.within_parentheses(q)? {
            let bound = self.query(&whole, hint)?;
            self.renote_query(&whole, q);
            return Ok(bound);
        }
        let ctes = self.ctes.len();
        self.with_clause(q.with.as_ref())?;
        let (left, piece) = (super::expr::STACK_LEFT_BYTES, super::expr::STACK_PIECE_BYTES);
        let mut result = stacker::maybe_grow(left, piece, || self.query_body(q, hint));
        if let Ok((bound, _)) = &mut result {
            bound.with.extend(self.cte_numbers(ctes));
            self.note_query(q);
        }
        self.ctes.truncate(ctes);
        result
    }

    /// A query in parentheses takes what is said around them as its own: `(SELECT a FROM t LIMIT 1) ORDER BY a` is ordered before it is cut.
    fn within_parentheses(&self, q: &ast::Query) -> Result<Option<ast::Query>, SqlError> {
        let SetExpr::Query(inner) = &*q.body else { return Ok(None) };
        if q.with.is_none() && is_bare(q) {
            return Ok(None);
        }
        let mut inner = &**inner;
        while let SetExpr::Query(within) = &*inner.body
            && inner.with.is_none()
            && is_bare(inner)
        {
            inner = within;
        }
        // What it takes itself comes first.
        let taken = self.within_parentheses(inner)?;
        let inner = taken.as_ref().unwrap_or(inner);
        let mut whole = inner.clone();
        let twice = |what: &str| {
            SqlError::new(SqlState::SYNTAX_ERROR, format!("multiple {what} clauses not allowed"))
        };
        if let Some(said) = &q.order_by {
            if whole.order_by.is_some() {
                let e = twice("ORDER BY");
                return Err(match &said.kind {
                    OrderByKind::Expressions(keys) => keys.iter().fold(e, |e, k| self.at_start(e, &k.expr)),
                    OrderByKind::All(_) => e,
                });
            }
            whole.order_by = Some(said.clone());
        }
        let (own, said) = (bounds_of(inner), bounds_of(q));
        if let (Some(_), Some(offset)) = (own.1, said.1) {
            return Err(self.at_word(twice("OFFSET"), "offset", &offset.value));
        }
        if (own.0.is_some() || whole.fetch.is_some()) && (said.0.is_some() || q.fetch.is_some()) {
            let word = if said.0.is_some() { "limit" } else { "fetch" };
            let count = said.0.or(q.fetch.as_ref().and_then(|f| f.quantity.as_ref()));
            return Err(count.into_iter().fold(twice("LIMIT"), |e, count| self.at_word(e, word, count)));
        }
        let (limit, offset) = (own.0.or(said.0).cloned(), own.1.or(said.1).cloned());
        if limit.is_some() || offset.is_some() {
            whole.limit_clause = Some(LimitClause::LimitOffset { limit, offset, limit_by: Vec::new() });
        } else if whole.limit_clause.is_none() {
            whole.limit_clause = q.limit_clause.clone();
        }
        whole.fetch = whole.fetch.or_else(|| q.fetch.clone());
        whole.locks.extend(q.locks.iter().cloned());
        match &q.with {
            Some(with) if whole.with.is_some() => {
                return Err(self.at(twice("WITH"), with.with_token.0.span.start));
            }
            Some(with) => whole.with = Some(with.clone()),
            None => {}
        }
        whole.settings = q.settings.clone();
        Ok(Some(whole))
    }

    fn query_body(&mut self, q: &ast::Query, hint: Hint<'_>) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        foreign::of_query(q)?;
        let bounds = match self.bounds(q) {
            Err(e) if e.code == SqlState::UNDEFINED_COLUMN => return Err(self.bound_by_variable(q, e, hint)),
            bounds => bounds?,
        };
        let keys: &[ast::OrderByExpr] = match q.order_by.as_ref().map(|o| &o.kind) {
            None => &[],
            Some(OrderByKind::Expressions(keys)) => keys,
            Some(OrderByKind::All(_)) => return Err(SqlError::unsupported("ORDER BY ALL is not supported")),
        };
        let with_ties = has_ties(q);
        if let SetExpr::Select(s) = &*q.body {
            if with_ties {
                let (query, columns) = self.select(s, keys, (None, None), &q.locks, hint)?;
                return Ok((limited_with_ties(query, bounds), columns));
            }
            return self.select(s, keys, bounds, &q.locks, hint);
        }
        if let Some(lock) = q.locks.first() {
            let strength = lock_words(lock_mode(lock));
            return Err(SqlError::unsupported(match &*q.body {
                SetExpr::Values(_) => format!("{strength} cannot be applied to VALUES"),
                _ => format!("{strength} is not allowed with UNION/INTERSECT/EXCEPT"),
            }));
        }
        let (query, columns) = self.set_expr(&q.body, hint)?;
        let mut order = Vec::new();
        {
            for k in keys {
                let (desc, nulls_first) = direction(k)?;
                let named = output_reference(&k.expr, &columns, |_, _| false);
                let Some(n) = named.map_err(|e| self.at_start(e, &k.expr))? else {
                    if let Ast::Identifier(i) = &k.expr {
                        let e = SqlError::new(
                            SqlState::UNDEFINED_COLUMN,
                            format!("column \"{}\" does not exist", ident(i)),
                        );
                        return Err(self.at(e, i.span.start));
                    }
                    let e = SqlError::unsupported("invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
                        .with_detail("Only result column names can be used, not expressions or functions.")
                        .with_hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.");
                    return Err(self.at_start(e, &k.expr));
                };
                let collation = self.column_order(&columns[n])?;
                order.push(SortKey { expr: Expr::Column(n), desc, nulls_first, collation });
            }
        }
        if order.is_empty() && bounds == (None, None) {
            return Ok((query, columns));
        }
        let query = match query {
            // What is in parentheses has had its turn.
            q if q.order.is_empty()
                && q.limits == (None, None)
                && q.output.is_none()
                && q.as_select().is_none() =>
            {
                q
            }
            q => {
                let visible = q.visible;
                BoundQuery::new(Body::Query(Box::new(q)), visible)
            }
        };
        let ties = if with_ties { order.clone() } else { Vec::new() };
        Ok((BoundQuery { order, limits: bounds, ties, ..query }, columns))
    }

    /// One side of a set operation, in a frame of its own.
    pub(super) fn side(&mut self, e: &SetExpr) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        self.frames.push(Frame::default());
        self.explicit.clear();
        let (left, piece) = (super::expr::STACK_LEFT_BYTES, super::expr::STACK_PIECE_BYTES);
        let result = stacker::maybe_grow(left, piece, || match e {
            SetExpr::Select(s) => self.select(s, &[], (None, None), &[], Hint::Keep),
            SetExpr::Query(q) => self.query(q, Hint::Keep),
            other => self.set_expr(other, Hint::Keep),
        });
        self.frames.pop();
        result
    }

    fn set_expr(&mut self, e: &SetExpr, hint: Hint<'_>) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        match e {
            SetExpr::Values(v) => self.values(v, hint),
            SetExpr::Query(q) => self.query(q, hint),
            SetExpr::Select(s) => self.select(s, &[], (None, None), &[], hint),
            SetExpr::SetOperation { left: left_body, op, set_quantifier, right: right_body } => {
                let (op, name) = match op {
                    SetOperator::Union => (SetOp::Union, "UNION"),
                    SetOperator::Intersect => (SetOp::Intersect, "INTERSECT"),
                    SetOperator::Except | SetOperator::Minus => (SetOp::Except, "EXCEPT"),
                };
                let all = match set_quantifier {
                    SetQuantifier::All => true,
                    SetQuantifier::None | SetQuantifier::Distinct => false,
                    _ => return Err(SqlError::unsupported("BY NAME is not supported")),
                };
                // Rows that are taken away, or must be on both sides, are not known before the recursion ends.
                let places = match (op, all) {
                    (SetOp::Union, _) | (SetOp::Intersect, false) => (None, None),
                    (SetOp::Intersect, true) => (Some(Place::Intersect), Some(Place::Intersect)),
                    (SetOp::Except, true) => (Some(Place::Except), Some(Place::Except)),
                    (SetOp::Except, false) => (None, Some(Place::Except)),
                };
                let (left, left_columns) = self.within(places.0, |b| b.side(left_body))?;
                let left_says = std::mem::take(&mut self.explicit);
                let (right, right_columns) = self.within(places.1, |b| b.side(right_body))?;
                let right_says = std::mem::take(&mut self.explicit);
                if left_columns.len() != right_columns.len() {
                    let why = format!("each {name} query must have the same number of columns");
                    return Err(self.at_output(SqlError::new(SqlState::SYNTAX_ERROR, why), right_body, 0));
                }
                let mut columns = Vec::new();
                for (n, (l, r)) in left_columns.iter().zip(&right_columns).enumerate() {
                    let pair = vec![as_value(n, l), as_value(n, r)];
                    let (_, mut ty, _) = if l.ty == Type::Unknown && r.ty == Type::Unknown {
                        (Vec::new(), Type::Text, -1)
                    } else {
                        self.unify(pair, name).map_err(|e| self.at_output(e, right_body, n))?
                    };
                    if let Hint::Types(types) = hint
                        && l.ty == Type::Unknown
                        && r.ty == Type::Unknown
                        && let Some(t) = types.get(n)
                    {
                        ty = *t;
                    }
                    let typmod = if l.ty == r.ty && l.typmod == r.typmod { l.typmod } else { -1 };
                    let is_compared = !all || op != SetOp::Union;
                    let says = |flags: &[bool]| flags.get(n).copied().unwrap_or(false);
                    let says = (says(&left_says), says(&right_says));
                    let collation = self.merged_collation(l, r, ty, is_compared, says)?;
                    let is_distinct_union = op == SetOp::Union && !all;
                    if is_compared && !is_distinct_union && !collation.is_deterministic() {
                        return Err(super::nondeterministic::unsupported(name));
                    }
                    columns.push(Column { collation, ..Column::of(l.name.clone(), ty, typmod) });
                }
                let sides = [(&**left_body, left, left_columns), (&**right_body, right, right_columns)];
                let sides = sides.map(|(body, side, own)| {
                    let side = self.converted(side, &own, &columns)?;
                    self.note_settled(body, &side, &own, &columns);
                    Ok::<_, SqlError>(Box::new(side))
                });
                let [left, right] = sides;
                let (left, right) = (left?, right?);
                if !all || op != SetOp::Union {
                    columns.iter().try_for_each(|c| super::compare::must_be_equal_or_not(c.ty))?;
                }
                let told_apart = self.distinct_collations(&columns);
                if op == SetOp::Union && !all && !told_apart.is_empty() {
                    // Of rows that such a collation does not tell apart the first stays.
                    let both = Body::SetOperation { op, all: true, left, right };
                    let both = BoundQuery::new(both, columns.len());
                    return Ok((distinct_of(both, told_apart), columns));
                }
                let query = BoundQuery::new(Body::SetOperation { op, all, left, right }, columns.len());
                Ok((query, columns))
            }
            _ => Err(SqlError::unsupported("INSERT, UPDATE and DELETE inside a query are not supported")),
        }
    }

    /// Converts a query's columns to other types.
    pub(crate) fn converted(
        &mut self,
        q: BoundQuery,
        from: &[Column],
        to: &[Column],
    ) -> Result<BoundQuery, SqlError> {
        if from.iter().zip(to).all(|(f, t)| f.ty == t.ty) {
            return Ok(q);
        }
        let (mut q, mut exprs) = (q, Vec::new());
        for (n, (f, t)) in from.iter().zip(to).enumerate() {
            let is_settled = f.ty == Type::Unknown && self.settle(&mut q, n, t.ty)?;
            let column = if is_settled { Typed::new(Expr::Column(n), t.ty) } else { as_value(n, f) };
            exprs.push(self.coerce(column, t.ty, -1, CastContext::Implicit)?);
        }
        if exprs.iter().enumerate().all(|(n, e)| matches!(e, Expr::Column(c) if *c == n)) {
            return Ok(q);
        }
        Ok(q.with_output(exprs.into()))
    }

    /// Makes parameters and literals that a column without a type is made of ones of a type; false: it is made of something else.
    fn settle(&mut self, q: &mut BoundQuery, n: usize, ty: Type) -> Result<bool, SqlError> {
        if q.output.is_some() {
            return Ok(false);
        }
        let places: Vec<&mut Expr> = match &mut q.body {
            Body::Select(s) => s.outs.get_mut(n).into_iter().collect(),
            Body::Query(q) => return self.settle(q, n, ty),
            Body::Values(_) | Body::SetOperation { .. } => return Ok(false),
        };
        if !places.iter().all(|e| matches!(e, Expr::Param(_) | Expr::Const(_))) {
            return Ok(false);
        }
        for e in places {
            let of_no_type = Typed::new(std::mem::replace(e, Expr::null()), Type::Unknown);
            *e = self.coerce(of_no_type, ty, -1, CastContext::Implicit)?;
        }
        Ok(true)
    }

    /// A row of VALUES is longer or shorter than the first.
    pub(super) fn unequal_lists(&self, row: &[Ast]) -> SqlError {
        let e = SqlError::new(SqlState::SYNTAX_ERROR, "VALUES lists must all be the same length");
        match row.first() {
            Some(first) => self.at_start(e, first),
            None => e,
        }
    }

    fn values(&mut self, v: &ast::Values, hint: Hint<'_>) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        foreign::of_values(v)?;
        let width = v.rows.first().map_or(0, |r| r.len());
        limit_entries(width, "target lists")?;
        let mut rows: Vec<Vec<Typed>> = Vec::with_capacity(v.rows.len());
        self.frame()?.place = "VALUES";
        for r in &v.rows {
            if r.len() != width {
                return Err(self.unequal_lists(r));
            }
            rows.push(r.iter().map(|e| self.expr(e)).collect::<Result<_, _>>()?);
        }
        let mut columns = Vec::new();
        let mut typed: Vec<Vec<Expr>> = vec![Vec::with_capacity(width); rows.len()];
        let mut rows: Vec<std::vec::IntoIter<Typed>> = rows.into_iter().map(Vec::into_iter).collect();
        for n in 0..width {
            let mut column: Vec<Typed> = rows.iter_mut().filter_map(Iterator::next).collect();
            let of_no_type: Vec<bool> = column.iter().map(|t| t.ty == Type::Unknown).collect();
            if let Hint::Types(types) = hint
                && let Some(ty) = types.get(n)
                && column.iter().any(|t| t.ty == Type::Unknown)
                && column.iter().all(|t| matches!(t.ty, Type::Unknown) || t.ty == *ty)
            {
                for t in &mut column {
                    let expr = self.coerce(t.clone(), *ty, -1, CastContext::Assignment)?;
                    *t = Typed::new(expr, *ty);
                }
            }
            let (exprs, ty, typmod) = self.unify(column, "VALUES")?;
            let collation = self.output_collation(&Expr::Coalesce(exprs.clone().into()), ty)?;
            for (at, e) in exprs.into_iter().enumerate() {
                if self.notes.is_some() && of_no_type[at] {
                    self.note_expr(&v.rows[at][n], &Typed::new(e.clone(), ty));
                }
                typed[at].push(e);
            }
            columns.push(Column { collation, ..Column::of(format!("column{}", n + 1), ty, typmod) });
        }
        let rows = typed.into_iter().map(Into::into).collect();
        Ok((BoundQuery::new(Body::Values(rows), width), columns))
    }

    fn bounds(&mut self, q: &ast::Query) -> Result<Limits, SqlError> {
        let (mut limit, mut offset) = (None, None);
        match &q.limit_clause {
            None => {}
            Some(LimitClause::LimitOffset { limit: l, offset: o, .. }) => {
                if let Some(l) = l {
                    limit = match limit_with_ties(l) {
                        Some(n) => self.count(n, "LIMIT")?.or_else(|| Some(Expr::null())),
                        None => self.count(l, "LIMIT")?,
                    };
                }
                if let Some(o) = o {
                    offset = self.count(&o.value, "OFFSET")?;
                }
            }
            Some(LimitClause::OffsetCommaLimit { .. }) => {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "LIMIT #,# syntax is not supported")
                    .with_hint("Use separate LIMIT and OFFSET clauses."));
            }
        }
        if has_ties(q) {
            let why = match q {
                q if q.order_by.is_none() => "WITH TIES cannot be specified without ORDER BY clause",
                q if q.locks.iter().any(|l| l.nonblock == Some(ast::NonBlock::SkipLocked)) => {
                    "SKIP LOCKED and WITH TIES options cannot be used together"
                }
                _ => "",
            };
            if !why.is_empty() {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
            }
        }
        if let Some(fetch) = &q.fetch {
            if fetch.percent {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"percent\""));
            }
            limit = match &fetch.quantity {
                // NULL is no limit, but of WITH TIES.
                Some(n) => self.count(n, "LIMIT")?.or_else(|| fetch.with_ties.then(Expr::null)),
                None => Some(Expr::Const(Datum::Int8(1))),
            };
        }
        Ok((limit, offset))
    }

    /// Why LIMIT or OFFSET is refused in which a column was not found: what is wrong before it, that the column is one of FROM, or that.
    fn bound_by_variable(&mut self, q: &ast::Query, missing: SqlError, hint: Hint<'_>) -> SqlError {
        let unbound = ast::Query { limit_clause: None, fetch: None, ..q.clone() };
        if let Err(e) = self.nested(|b| b.query_body(&unbound, hint)) {
            return e;
        }
        let SetExpr::Select(s) = &*q.body else { return missing };
        let offset = match &q.limit_clause {
            Some(LimitClause::LimitOffset { offset, .. }) => offset.as_ref().map(|o| &o.value),
            _ => None,
        };
        let limit = match &q.limit_clause {
            Some(LimitClause::LimitOffset { limit: Some(l), .. }) => Some(limit_with_ties(l).unwrap_or(l)),
            _ => q.fetch.as_ref().and_then(|f| f.quantity.as_ref()),
        };
        for (e, place) in [(limit, "LIMIT"), (offset, "OFFSET")] {
            let Some(e) = e else { continue };
            if self.count(e, place).is_ok() {
                continue;
            }
            let found = self.nested(|b| {
                b.from(&s.from)?;
                b.frame()?.place = place;
                b.expr(e)
            });
            return match found {
                Err(e) => e,
                Ok(_) => {
                    let why = format!("argument of {place} must not contain variables");
                    let e = SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why);
                    missing.position.map_or(e.clone(), |p| e.with_position(p))
                }
            };
        }
        missing
    }

    /// A constant, for LIMIT and its like.
    pub(crate) fn count(&mut self, e: &Ast, place: &'static str) -> Result<Option<Expr>, SqlError> {
        if matches!(e, Ast::Identifier(i) if i.quote_style.is_none() && i.value.eq_ignore_ascii_case("all")) {
            return Ok(None);
        }
        let (bound, outer) = self.nested(|b| {
            b.frame()?.place = place;
            let t = b.expr(e)?;
            if !can_cast_in(t.ty, Type::Int8, CastContext::Assignment) && t.ty != Type::Unknown {
                let why = format!("argument of {place} must be type bigint, not type {}", t.ty.sql_name());
                return Err(b.at_start(SqlError::new(SqlState::DATATYPE_MISMATCH, why), e));
            }
            b.coerce(t, Type::Int8, -1, CastContext::Assignment)
        })?;
        if !outer.is_empty() {
            return Err(SqlError::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                format!("argument of {place} must not contain variables"),
            ));
        }
        Ok(match bound {
            Expr::Const(Datum::Null) => None,
            other => Some(other),
        })
    }
}

/// A column of a query as a value beside it: of a record the fields stay known.
pub(super) fn as_value(n: usize, c: &Column) -> Typed {
    let typmod = if c.ty == Type::Record { c.typmod } else { -1 };
    Typed { expr: Expr::Column(n), ty: c.ty, typmod }
}

fn bounds_of(q: &ast::Query) -> (Option<&Ast>, Option<&ast::Offset>) {
    match &q.limit_clause {
        Some(LimitClause::LimitOffset { limit, offset, .. }) => (limit.as_ref(), offset.as_ref()),
        _ => (None, None),
    }
}

/// Whether FETCH says WITH TIES.
fn has_ties(q: &ast::Query) -> bool {
    q.fetch.as_ref().is_some_and(|f| f.with_ties)
        || matches!(&q.limit_clause, Some(LimitClause::LimitOffset { limit: Some(l), .. }) if limit_with_ties(l).is_some())
}

/// A SELECT with its rows up to a limit, and those that are like the last: what it is ordered by has to be among its columns.
fn limited_with_ties(mut query: BoundQuery, limits: Limits) -> BoundQuery {
    let visible = query.visible;
    let Body::Select(s) = &mut query.body else { return query };
    let mut ties = Vec::new();
    for key in &mut s.order {
        let place = match &key.item {
            OrderItem::Output(n) => *n,
            OrderItem::Expr(e) => {
                s.outs.push(e.clone());
                s.outs.len() - 1
            }
        };
        key.item = OrderItem::Output(place);
        let OrderKey { desc, nulls_first, collation, .. } = *key;
        ties.push(SortKey { expr: Expr::Column(place), desc, nulls_first, collation });
    }
    query.visible = s.outs.len();
    let width = query.visible;
    let mut whole = BoundQuery::new(Body::Query(Box::new(query)), width);
    (whole.limits, whole.ties) = (limits, ties);
    match width == visible {
        true => whole,
        false => whole.with_output((0..visible).map(Expr::Column).collect()),
    }
}

pub(super) fn direction(k: &ast::OrderByExpr) -> Result<(bool, bool), SqlError> {
    let desc = match &k.options.sort {
        None | Some(OrderBySort::Asc) => false,
        Some(OrderBySort::Desc) => true,
        Some(OrderBySort::Using(name)) => match name.to_string().as_str() {
            "<" => false,
            ">" => true,
            other => return Err(SqlError::unsupported(format!("ORDER BY USING {other} is not supported"))),
        },
    };
    Ok((desc, k.options.nulls_first.unwrap_or(desc)))
}

pub(super) fn position(e: &Ast) -> Option<i64> {
    match e {
        Ast::Value(ValueWithSpan { value: Value::Number(n, _), .. }) => n.parse().ok(),
        Ast::Nested(e) => position(e),
        Ast::UnaryOp { op: ast::UnaryOperator::Minus, expr } => position(expr).map(|n: i64| -n),
        _ => None,
    }
}

/// A name of several outputs that differ.
pub(super) fn ambiguous(place: &str, name: &str) -> SqlError {
    SqlError::new(SqlState::AMBIGUOUS_COLUMN, format!("{place} \"{name}\" is ambiguous"))
}

pub(super) fn bad_position(place: &str, n: i64) -> SqlError {
    SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, format!("{place} position {n} is not in select list"))
}

/// An output column by number or by its name; of several with that name the first, if they are the same.
pub(super) fn output_reference(
    e: &Ast,
    columns: &[Column],
    are_same: impl Fn(usize, usize) -> bool,
) -> Result<Option<usize>, SqlError> {
    if let Some(n) = position(e) {
        return match usize::try_from(n) {
            Ok(i) if (1..=columns.len()).contains(&i) => Ok(Some(i - 1)),
            _ => Err(bad_position("ORDER BY", n)),
        };
    }
    if let Ast::Identifier(i) = e {
        let name = ident(i);
        let mut found = columns.iter().enumerate().filter(|(_, c)| c.name == name).map(|(n, _)| n);
        let first = found.next();
        if first.is_some_and(|first| found.any(|n| !are_same(first, n))) {
            return Err(ambiguous("ORDER BY", &name));
        }
        return Ok(first);
    }
    Ok(None)
}

/// `SELECT DISTINCT * FROM (query)`, some of whose columns are compared in collations.
fn distinct_of(query: BoundQuery, collations: Vec<(usize, Collation)>) -> BoundQuery {
    let width = query.visible;
    let kind = SourceKind::Query(Box::new(query), "*SELECT*".to_owned());
    let source = Source { width, ..Source::new(kind, Vec::new()) };
    let tree = Some(FromTree::Source(0));
    let level = Level { sources: vec![source], tree, conjuncts: Vec::new(), width };
    let mut select = BoundSelect::of(level, (0..width).map(Expr::Column).collect());
    select.distinct = Distinct::All(collations);
    BoundQuery::new(Body::Select(Box::new(select)), width)
}
