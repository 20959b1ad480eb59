//! Function calls: special forms, aggregates, subqueries as values, and functions that return rows.
//!
//! Must not know: statements.

use super::called::function_name;
use super::cte::Place;
use super::named::{call_of, names_arguments, names_fields, with_arguments, with_rows};
use super::within_group::{needs_over, needs_within_group};
use super::{Binder, Frame, Typed, limit_entries};
use crate::parse::json_table::JSON_TABLE;
use crate::parse::variadic;
use crate::plan::expr::{Case, Expr, SubqueryUse};
use crate::plan::window::WindowFn;
use crate::plan::{AggCall, Column, SetFunction, SortKey};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{NAMED_RECORD, SERIES, of_array, populate, populate_set};
use evenkeel_types::user::Attribute;
use evenkeel_types::{
    CastContext, Datum, ResolveError, Type, can_cast_in, function_error, lookup_aggregates, lookup_functions,
    lookup_operators, lookup_sets, resolve, resolve_aggregate, resolve_operator, resolve_set,
};
use sqlparser::ast::{
    self, DuplicateTreatment, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments,
};

/// The plain arguments of a call.
pub(crate) fn plain_args(args: &[FunctionArg]) -> Result<Vec<&Ast>, SqlError> {
    args.iter()
        .map(|a| match a {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Ok(e),
            FunctionArg::Unnamed(_) => {
                Err(SqlError::new(SqlState::SYNTAX_ERROR, "* is not allowed as an argument here"))
            }
            _ => Err(SqlError::unsupported("named arguments are not supported")),
        })
        .collect()
}

/// Whether a call returns rows rather than a value.
pub(super) fn is_set_name(name: &str) -> bool {
    matches!(
        name,
        "generate_series" | "unnest" | "pg_partition_ancestors" | "generate_subscripts" | "aclexplode"
    ) || !lookup_sets(name).is_empty()
        || populate_set(name).is_some()
}

/// A column that a function in FROM returns: its name, type and modifier.
pub(crate) type Returned = (String, Type, i32);

/// The relation whose row an expression is.
pub(super) fn row_name(e: &Ast) -> Option<String> {
    match e {
        Ast::Identifier(i) => Some(super::ident(i)),
        Ast::CompoundIdentifier(parts) => match &parts[..] {
            [.., i, star] if super::expr::is_star(star) => Some(super::ident(i)),
            _ => None,
        },
        _ => None,
    }
}

/// What the functions that have the name of a type, and convert to it, take of a parameter that nothing tells the type of: one argument among all that there are in PostgreSQL.
fn taken_by(name: &str) -> Result<Type, ResolveError> {
    Ok(match name {
        "date" | "timestamp" | "timetz" => Type::Timestamptz,
        "interval" => Type::Time,
        "oid" => Type::Int8,
        "cidr" => Type::Inet,
        "macaddr" => Type::Macaddr8,
        "macaddr8" => Type::Macaddr,
        "regclass" | "text" => Type::Text,
        "name" => Type::Name,
        "varchar" => Type::Varchar,
        "bpchar" | "char" => Type::Bpchar,
        "bool" | "bytea" | "float4" | "float8" | "int2" | "int4" | "int8" | "money" | "numeric" | "time"
        | "timestamptz" => return Err(ResolveError::Ambiguous),
        _ => return Err(ResolveError::NotFound),
    })
}

impl Binder<'_> {
    /// A call by the name of a type whose argument has none: of a literal that is a cast, of a parameter the call of a function.
    pub(super) fn cast_by_name(&mut self, name: &str, args: Vec<Typed>, to: Type) -> Result<Typed, SqlError> {
        let Some(mut arg) = args.into_iter().next() else { return Err(SqlError::internal("an argument")) };
        if matches!(arg.expr, Expr::Param(_)) {
            let from = taken_by(name).map_err(|e| function_error(name, &[Type::Unknown], e))?;
            arg = Typed::new(self.coerce(arg, from, -1, CastContext::Implicit)?, from);
        }
        Ok(Typed::new(self.coerce(arg, to, -1, CastContext::Explicit)?, to))
    }

    /// `ARRAY(SELECT …)`; `unlike`: what is said of more columns than one.
    pub(super) fn array_of_rows(&mut self, q: &ast::Query, unlike: &str) -> Result<Typed, SqlError> {
        let (number, args, columns) = self.subquery(q)?;
        let [column] = &columns[..] else {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, unlike));
        };
        let made = if column.ty.is_array() { Some(column.ty) } else { column.ty.array_of() };
        let array = made.ok_or_else(|| {
            SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("could not find array type for data type {}", column.ty.sql_name()),
            )
        })?;
        let expr = Expr::Subquery(number, Box::new(SubqueryUse::Array(column.ty)), args);
        let typmod = self.kept_record((column.ty, column.typmod), array);
        Ok(Typed { expr, ty: array, typmod })
    }

    pub(crate) fn function(&mut self, f: &ast::Function) -> Result<Typed, SqlError> {
        super::foreign::of_call(f)?;
        if let Some(f) = with_rows(f) {
            return self.function(&f);
        }
        let (name, strange) = function_name(&f.name, self.catalog)?;
        if let Some(schema) = strange {
            let args = match &f.args {
                FunctionArguments::List(list) => &list.args[..],
                _ => &[],
            };
            return self.function_of_schema(&schema, &name, args);
        }
        if (name.starts_with("json") || name.starts_with('<') || name == JSON_TABLE)
            && f.within_group.is_empty()
            && let Some(made) = self.json_constructor(&name, f)?
        {
            return Ok(made);
        }
        self.check_list(f, &name)?;
        if let Some(over) = &f.over {
            return self.window_call(&name, f, over);
        }
        if !f.within_group.is_empty() {
            return self.within_group(&name, f);
        }
        if self.lacks_within_group(&name, f)? {
            return Err(needs_within_group(&name));
        }
        if WindowFn::from_name(&name).is_some() {
            return Err(needs_over(&name));
        }
        let list = match &f.args {
            FunctionArguments::None => {
                return self.special(&name, &[]).and_then(|s| match s {
                    Some(t) => Ok(t),
                    None => self.call(&name, Vec::new()),
                });
            }
            FunctionArguments::Subquery(q) if name == "array" => {
                return self.array_of_rows(q, "subquery must return only one column");
            }
            FunctionArguments::Subquery(q) => {
                let arg = self.expr(&Ast::Subquery(q.clone()))?;
                return self.call(&name, vec![arg]);
            }
            FunctionArguments::List(l) => l,
        };
        if let Some(array) = list.args.last().and_then(variadic::array_of) {
            return self.called_with_array(&name, f, list, array);
        }
        if list.duplicate_treatment.is_some()
            && matches!(&list.args[..], [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)])
        {
            return Err(self.at_star(f));
        }
        if !lookup_aggregates(&name).is_empty() && lookup_functions(&name).is_empty() {
            return self.aggregate(|b| b.aggregate_call(&name, f, list));
        }
        let of_aggregates = [
            (list.duplicate_treatment == Some(DuplicateTreatment::Distinct), "DISTINCT"),
            (list.clauses.iter().any(|c| matches!(c, ast::FunctionArgumentClause::OrderBy(_))), "ORDER BY"),
            (f.filter.is_some(), "FILTER"),
        ];
        if let Some((_, what)) = of_aggregates.iter().find(|(is_said, _)| *is_said) {
            let why = format!("{what} specified, but {name} is not an aggregate function");
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        }
        if matches!(&list.args[..], [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]) {
            return Err(function_error(&name, &[], ResolveError::NotFound));
        }
        if names_arguments(&list.args) {
            let args = self.in_order(&name, &list.args)?;
            return self.function(&with_arguments(f, args));
        }
        let args = plain_args(&list.args)?;
        if let Some(t) = self.special(&name, &args)? {
            return Ok(t);
        }
        if is_set_name(&name) {
            return self.set_call(&name, &args);
        }
        // `name(t)` may be a column of `t`, where it is no function.
        let root = if let ([root], [_]) = (&args[..], &f.name.0[..]) { Some(*root) } else { None };
        let args = args.into_iter().map(|a| self.argument(&name, a)).collect::<Result<Vec<_>, _>>()?;
        let row =
            args.first().filter(|a| root.is_some() && matches!(a.ty, Type::Record | Type::Composite(_)));
        match (row.cloned(), root) {
            (Some(row), Some(root)) => match self.call(&name, args) {
                Err(e) if e.code == SqlState::UNDEFINED_FUNCTION => {
                    self.own_field(root, row, &name).map_err(|_| e)
                }
                called => called,
            },
            _ => self.call(&name, args),
        }
    }

    /// `f(a, VARIADIC array)`
    fn called_with_array(
        &mut self,
        name: &str,
        f: &ast::Function,
        list: &ast::FunctionArgumentList,
        array: &Ast,
    ) -> Result<Typed, SqlError> {
        let first = &list.args[..list.args.len() - 1];
        let Some(of) = of_array(name) else {
            // To any other function it is an argument like others; what is no function has none.
            let location = match list.args.last() {
                Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Function(v)))) => v.name.0.first(),
                _ => None,
            };
            if matches!(name, "coalesce" | "greatest" | "least" | "nullif" | "row" | "grouping") {
                let e = SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"variadic\"");
                let at = location.and_then(|p| p.as_ident()).map(|i| i.span.start);
                return Err(at.map_or(e.clone(), |at| self.at(e, at)));
            }
            let mut args = first.to_vec();
            args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(array.clone())));
            let list = ast::FunctionArgumentList { args, ..list.clone() };
            return self.function(&ast::Function { args: FunctionArguments::List(list), ..f.clone() });
        };
        let mut args =
            plain_args(first)?.into_iter().map(|a| self.argument(name, a)).collect::<Result<Vec<_>, _>>()?;
        args.push(self.argument(name, array)?);
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        let unknown = || function_error(name, &types, ResolveError::NotFound);
        if types.len() != of.args.len() {
            return Err(unknown());
        }
        let mut exprs = Vec::with_capacity(args.len());
        for (arg, wanted) in args.into_iter().zip(of.args) {
            exprs.push(match wanted {
                Type::Any if arg.ty.is_array() => arg.expr,
                Type::Any => {
                    let why = "VARIADIC argument must be an array";
                    return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
                }
                ty if !can_cast_in(arg.ty, *ty, CastContext::Implicit) => return Err(unknown()),
                ty => self.coerce(arg, *ty, -1, CastContext::Implicit)?,
            });
        }
        if self.role.is_some() {
            self.needs.functions.insert(of.name);
        }
        // An array that is written out is as many arguments, if these are what the function takes.
        if of.args.last() == Some(&Type::TextArray)
            && let Some(f) = lookup_functions(name).iter().find(|f| f.variadic)
            && let Some(Expr::Array(Type::Text, elements)) = exprs.last()
            && !elements.is_empty()
        {
            let elements = elements.clone();
            exprs.pop();
            exprs.extend(elements);
            return Ok(Typed::new(Expr::Call(f, exprs.into()), of.ret));
        }
        Ok(Typed::new(Expr::Call(of, exprs.into()), of.ret))
    }

    /// An argument of a function. Where JSON is made of a row, its fields have their names.
    fn argument(&mut self, function: &str, e: &Ast) -> Result<Typed, SqlError> {
        let t = self.expr(e)?;
        Ok(if names_fields(function) { self.with_names(t) } else { t })
    }

    /// A record with the names of its fields, as far as they are known, and of records in it.
    pub(super) fn with_names(&self, t: Typed) -> Typed {
        let known = self.record_known(t.typmod).filter(|_| t.ty == Type::Record);
        let Some((fields, _)) = known else { return t };
        let expr = match t.expr {
            Expr::Row(types, values) => {
                let inner = |(expr, f): (Expr, &Attribute)| {
                    self.with_names(Typed { expr, ty: f.ty, typmod: f.typmod }).expr
                };
                Expr::Row(types, values.into_vec().into_iter().zip(fields.iter()).map(inner).collect())
            }
            e => e,
        };
        let names = fields.iter().map(|f| Datum::text(&f.name)).collect();
        let names = Expr::Const(Datum::array(Type::Text, names));
        Typed { expr: Expr::Call(&NAMED_RECORD, [expr, names].into()), ..t }
    }

    /// COALESCE and its like, whose arguments are not evaluated as a function's are.
    fn special(&mut self, name: &str, args: &[&Ast]) -> Result<Option<Typed>, SqlError> {
        let bind_all = |b: &mut Self| args.iter().map(|a| b.expr(a)).collect::<Result<Vec<_>, _>>();
        Ok(Some(match (name, args.len()) {
            ("merge_action", 0) => return self.merge_action_call().map(Some),
            ("grouping", 1..) => return self.grouping_call(args).map(Some),
            ("coalesce", 1..) => {
                let items = self.without_sets("COALESCE", bind_all)?;
                let types: Vec<Type> = items.iter().map(|i| i.ty).collect();
                let made = self.unify(items, "COALESCE");
                let (exprs, ty, typmod) =
                    made.map_err(|e| self.at_unlike(e, &types, args.iter().copied()))?;
                Typed { expr: Expr::Coalesce(exprs.into()), ty, typmod }
            }
            ("greatest" | "least", 1..) => {
                let items = bind_all(self)?;
                let types: Vec<Type> = items.iter().map(|i| i.ty).collect();
                let made = self.unify(items, &name.to_uppercase());
                let (exprs, ty, typmod) =
                    made.map_err(|e| self.at_unlike(e, &types, args.iter().copied()))?;
                super::compare::must_be_comparable(ty)?;
                let all: Vec<(&Expr, Type)> = exprs.iter().map(|e| (e, ty)).collect();
                let collation = self.common_collation(&all)?;
                let exprs = exprs.into_iter().map(|e| e.in_order_of(collation)).collect();
                Typed { expr: Expr::Extreme(name == "greatest", exprs), ty, typmod }
            }
            // What they ask is the type, which a value that is NULL does not tell.
            ("enum_first" | "enum_last" | "enum_range", n @ (1 | 2)) => {
                let mut items = bind_all(self)?;
                let Some(ty @ Type::Enum(oid)) = items.iter().map(|i| i.ty).find(|t| t.user_oid().is_some())
                else {
                    return self.call(name, items).map(Some);
                };
                let of_type = Typed::new(Expr::Const(Datum::Enum(oid, 0)), ty);
                if n == 1 {
                    items[0] = of_type;
                } else {
                    items.insert(0, of_type);
                }
                return self.call(name, items).map(Some);
            }
            (n, 1) if super::from_function::needs_definitions(n) => {
                let why = format!("could not determine row type for result of {n}");
                let hint = "Provide a non-null record argument, or call the function in the FROM clause using a column definition list.";
                return Err(SqlError::unsupported(why).with_hint(hint));
            }
            ("jsonb_populate_record" | "json_populate_record", 2) => {
                let items = bind_all(self)?;
                let Some(f) = populate(name) else { return Ok(None) };
                self.populated_row(f, items)?
            }
            ("pg_input_is_valid", 2) => {
                let items = bind_all(self)?;
                match self.input_is_valid(&items)? {
                    Some(made) => made,
                    None => self.call(name, items)?,
                }
            }
            ("jsonb_populate_record_valid", 2) => {
                let items = bind_all(self)?;
                self.populated_is_valid(items)?
            }
            ("populate_record", 2) if self.has_hstore() => {
                let items = bind_all(self)?;
                self.populated_record(items)?
            }
            ("pg_collation_for", 1) => {
                let item = self.argument(name, args[0])?;
                self.collation_for(item)?
            }
            ("hstore", 1) if self.has_hstore() => {
                let item = self.argument(name, args[0])?;
                match self.hstore_of(item)? {
                    Ok(made) => made,
                    Err(item) => return self.call(name, vec![item]).map(Some),
                }
            }
            ("normalize", 2) => {
                // The form is a word of the grammar, whatever columns are called.
                let form = match args[1] {
                    Ast::Identifier(i) if i.quote_style.is_none() => i.value.to_uppercase(),
                    _ => String::new(),
                };
                let mut items = vec![self.expr(args[0])?];
                items.push(match form.as_str() {
                    "NFC" | "NFD" | "NFKC" | "NFKD" => Typed::new(Expr::Const(Datum::from(form)), Type::Text),
                    _ => self.expr(args[1])?,
                });
                return self.call(name, items).map(Some);
            }
            ("_pg_truetypid" | "_pg_truetypmod", 2) => return self.true_type(name, args),
            ("nullif", 2) => {
                let mut items = bind_all(self)?;
                let (b, mut a) = (items.pop(), items.pop());
                let (Some(a), Some(b)) = (a.take(), b) else { return Ok(None) };
                self.null_if(a, b)?
            }
            ("row", n) => {
                limit_entries(n, "ROW expressions")?;
                let items = self.row_values(args.iter().copied())?;
                self.row(items)?
            }
            ("user" | "current_role", 0) => self.call("current_user", Vec::new())?,
            _ => return Ok(None),
        }))
    }

    /// A call of an aggregate: of its level's it becomes one.
    pub(super) fn aggregate(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<(AggCall, Type, i32), SqlError>,
    ) -> Result<Typed, SqlError> {
        let known: Vec<usize> = self.frames.iter().map(|f| f.outer_refs.len()).collect();
        let frame = self.frame()?;
        let was_in_agg = std::mem::replace(&mut frame.in_agg, true);
        let call = bind(self);
        self.frame()?.in_agg = was_in_agg;
        let (mut call, ty, typmod) = call?;
        let here = self.frames.len() - 1;
        let level =
            self.level_of(call.args.iter().chain(&call.filter).chain(call.order.iter().map(|k| &k.expr)));
        self.check_levels_within(&call, level, here)?;
        let level = level.unwrap_or(here);
        if self.level_of(call.direct()).is_some_and(|of| of > level) {
            let why = "outer-level aggregate cannot contain a lower-level variable in its direct arguments";
            return Err(SqlError::new(SqlState::GROUPING_ERROR, why));
        }
        self.lift(level, &known, |lift| {
            let moved = |e: &mut Expr, lift: &mut dyn FnMut(Expr) -> Expr| {
                *e = std::mem::replace(e, Expr::null()).map(lift);
            };
            call.args.iter_mut().for_each(|e| moved(e, lift));
            call.filter.iter_mut().for_each(|e| moved(e, lift));
            call.order.iter_mut().for_each(|k| moved(&mut k.expr, lift));
            call.direct_mut().iter_mut().for_each(|e| moved(e, lift));
        });
        // One of an enclosing level in one of the same.
        let mut is_nested = call.direct().iter().any(|e| e.any(|e| matches!(e, Expr::Aggregate(_))));
        call.exprs(&mut |e| is_nested |= e.any(|e| matches!(e, Expr::Aggregate(_))));
        let frame = &mut self.frames[level];
        if frame.in_agg && !is_nested && frame.place == "FILTER" {
            let why = "aggregate functions are not allowed in FILTER";
            return Err(SqlError::new(SqlState::GROUPING_ERROR, why));
        }
        if frame.in_agg || is_nested {
            return Err(SqlError::new(SqlState::GROUPING_ERROR, "aggregate function calls cannot be nested"));
        }
        if !frame.aggs_allowed {
            let place = frame.place;
            return Err(SqlError::new(
                SqlState::GROUPING_ERROR,
                format!("aggregate functions are not allowed in {place}"),
            ));
        }
        // What gives something else each time is computed for each.
        let mut is_volatile = false;
        call.exprs(&mut |e| is_volatile |= e.calls_volatile());
        let same = frame.aggs.iter().filter(|_| !is_volatile).position(|a| {
            std::ptr::eq(a.f, call.f)
                && a.args == call.args
                && a.distinct == call.distinct
                && a.filter == call.filter
                && a.order == call.order
                && a.within == call.within
        });
        let number = same.unwrap_or_else(|| {
            frame.aggs.push(call);
            frame.aggs.len() - 1
        });
        Ok(Typed { expr: self.outer_reference(level, Expr::Aggregate(number)), ty, typmod })
    }

    /// What is an enclosing level's has its arguments there as they are, and here its value is read: `change` has what it reads of that level made so. `known` says how
    /// much each level read before.
    pub(super) fn lift(
        &mut self,
        level: usize,
        known: &[usize],
        change: impl FnOnce(&mut dyn FnMut(Expr) -> Expr),
    ) {
        if level + 1 >= self.frames.len() {
            return;
        }
        let here = &mut self.frames[level + 1].outer_refs;
        let refs = here.clone();
        here.truncate(known[level + 1]);
        change(&mut |e: Expr| match e {
            Expr::Outer(slot) => {
                refs.iter().find(|(s, _)| *s == slot).map_or(Expr::Outer(slot), |(_, e)| e.clone())
            }
            e => e,
        });
    }

    /// An aggregate is also of the level of what subqueries in its arguments read, which is then an enclosing one.
    fn check_levels_within(&self, call: &AggCall, level: Option<usize>, here: usize) -> Result<(), SqlError> {
        let mut waiting = Vec::new();
        let find = |e: &Expr, waiting: &mut Vec<usize>| {
            e.walk(&mut |e| {
                if let Expr::Subquery(n, ..) = e {
                    waiting.push(*n);
                }
            });
        };
        call.exprs(&mut |e| find(e, &mut waiting));
        let (mut slots, mut next) = (Vec::new(), 0);
        while let Some(n) = waiting.get(next).copied() {
            next += 1;
            let Some(query) = self.subplans.get(n) else { continue };
            query.exprs(&mut |e| {
                find(e, &mut waiting);
                e.walk(&mut |e| {
                    if let Expr::Outer(slot) = e {
                        slots.push(*slot);
                    }
                });
            });
        }
        let mut deepest = None;
        for slot in slots {
            let owned = (0..here).rev().find_map(|n| {
                let (_, e) = self.frames[n + 1].outer_refs.iter().find(|(s, _)| *s == slot)?;
                Some((n, matches!(e, Expr::Aggregate(_))))
            });
            deepest = deepest.max(owned);
        }
        match deepest {
            Some((of, true)) if level.is_none_or(|level| of >= level) => {
                Err(SqlError::new(SqlState::GROUPING_ERROR, "aggregate function calls cannot be nested"))
            }
            Some((of, false)) if level.is_none_or(|level| of > level) => Err(SqlError::unsupported(
                "an aggregate of an outer query over a subquery of its own is not supported",
            )),
            _ => Ok(()),
        }
    }

    /// The innermost level that expressions read of; `None`: they read nothing.
    pub(super) fn level_of<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Option<usize> {
        let here = self.frames.len() - 1;
        let mut level = None;
        let mut look = |e: &Expr| match e {
            Expr::Column(_) | Expr::Aggregate(_) => level = Some(here),
            Expr::Outer(slot) => {
                let owns = |n: &usize| self.frames[n + 1].outer_refs.iter().any(|(s, _)| s == slot);
                level = level.max((0..here).rev().find(owns));
            }
            _ => {}
        };
        exprs.into_iter().for_each(|e| e.walk(&mut look));
        level
    }

    fn aggregate_call(
        &mut self,
        name: &str,
        f: &ast::Function,
        list: &ast::FunctionArgumentList,
    ) -> Result<(AggCall, Type, i32), SqlError> {
        let star = matches!(&list.args[..], [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]);
        let args = if star {
            Vec::new()
        } else {
            plain_args(&list.args)?
                .into_iter()
                .map(|a| self.argument(name, a))
                .collect::<Result<Vec<_>, _>>()?
        };
        if star && name != "count" {
            return Err(SqlError::new(
                SqlState::UNDEFINED_FUNCTION,
                format!("function {name}() does not exist"),
            ));
        }
        if args.is_empty() && !star && name == "count" {
            let why = "count(*) must be used to call a parameterless aggregate function";
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        let resolved = resolve_aggregate(lookup_aggregates(name), &types)
            .map_err(|e| function_error(name, &types, e))?;
        let kept = args.first().filter(|_| !gives_records(name));
        let typmod = kept.map_or(-1, |a| self.kept_record((a.ty, a.typmod), resolved.ret));
        let mut exprs = Vec::new();
        let mut arg_types = Vec::new();
        for (n, (arg, ty)) in args.into_iter().zip(&resolved.args).enumerate() {
            let is_any = resolved.f.args.get(n) == Some(&Type::Any) && self.takes_any(&arg);
            let ty = match ty {
                Type::Any if arg.ty == Type::Unknown => Type::Text,
                Type::Any => arg.ty,
                ty => *ty,
            };
            let e = if is_any { arg.expr } else { self.coerce(arg, ty, -1, CastContext::Explicit)? };
            self.aggregated(name, e, ty, &mut exprs)?;
            arg_types.push(ty);
        }
        let (mut order, mut ordered_by) = (Vec::new(), Vec::new());
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(keys) => {
                    for k in keys {
                        let e = self.expr(&k.expr)?;
                        let desc = matches!(k.options.sort, Some(ast::OrderBySort::Desc));
                        let ty = if e.ty == Type::Unknown { Type::Text } else { e.ty };
                        super::compare::must_be_ordered(ty).map_err(|e| self.at_start(e, &k.expr))?;
                        let expr = self.coerce(e, ty, -1, CastContext::Implicit)?;
                        let nulls_first = k.options.nulls_first.unwrap_or(desc);
                        let collation = self.ordering_collation(&expr, ty)?;
                        let key = SortKey { expr, desc, nulls_first, collation };
                        // What is ordered already is not ordered again.
                        if !order.iter().any(|k: &SortKey| k.expr == key.expr) {
                            order.push(key);
                            ordered_by.push(&k.expr);
                        }
                    }
                }
                other => {
                    return Err(SqlError::unsupported(format!("{other} in an aggregate is not supported")));
                }
            }
        }
        let filter = f.filter.as_ref().map(|e| self.filter_condition(e)).transpose()?;
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        if distinct {
            arg_types.iter().try_for_each(|ty| super::compare::must_be_equal_or_not(*ty))?;
            exprs.iter().zip(&arg_types).try_for_each(|(e, ty)| self.check_grouped(e, *ty))?;
            for (e, ty) in exprs.iter_mut().zip(&arg_types) {
                match self.equality_collation(&[(e, *ty)])? {
                    // It tells nothing of the values themselves.
                    Some(c) if resolved.f.name == "count" => *e = e.clone().in_order_of(c),
                    Some(_) => return Err(super::nondeterministic::unsupported("DISTINCT in aggregates")),
                    None => {}
                }
            }
        }
        if distinct && exprs.is_empty() {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                "DISTINCT specified, but count(*) takes no argument",
            ));
        }
        // Of a varchar that became a text for the call, too.
        let is_argument = |k: &SortKey| {
            exprs.iter().any(|e| {
                *e == k.expr || matches!(e, Expr::Cast(c) if c.from == Type::Varchar && c.expr == k.expr)
            })
        };
        if let Some(n) = order.iter().position(|k| distinct && !is_argument(k)) {
            let why = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list";
            let e = SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why);
            return Err(self.at_start(e, ordered_by[n]));
        }
        let is_order_implied = distinct && order.is_empty() && keeps_order(resolved.f.name);
        if is_order_implied {
            order = self.order_of_distinct(&exprs, &arg_types)?;
        }
        let (f, args, order) = (resolved.f, exprs.into(), order.into());
        let call = AggCall { f, arg_types, args, distinct, filter, order, is_order_implied, within: None };
        Ok((call, resolved.ret, typmod))
    }

    /// The order in which DISTINCT gives an aggregate its rows: PostgreSQL sorts them, and who asks for an array of distinct values relies on that.
    fn order_of_distinct(&self, args: &[Expr], types: &[Type]) -> Result<Vec<SortKey>, SqlError> {
        let mut order = Vec::new();
        for (e, ty) in args.iter().zip(types) {
            if !matches!(e, Expr::Const(_)) && ty.is_ordered() {
                let collation = self.ordering_collation(e, *ty)?;
                order.push(SortKey { expr: e.clone(), desc: false, nulls_first: false, collation });
            }
        }
        Ok(order)
    }

    /// A subquery used in an expression: its number, what it reads of this level, its columns.
    #[allow(clippy::type_complexity)]
    pub(crate) fn subquery(
        &mut self,
        q: &ast::Query,
    ) -> Result<(usize, Box<[(usize, Expr)]>, Vec<Column>), SqlError> {
        let (query, columns, outer) = self.within(Some(Place::Subquery), |b| b.nested_query(q))?;
        self.subplans.push(query);
        self.subplan_collations.push(columns.first().map_or_else(Default::default, |c| c.collation));
        self.note_subquery(q, self.subplans.len() - 1);
        Ok((self.subplans.len() - 1, outer.into(), columns))
    }

    /// Binds something one level down; returns what it reads of this level.
    pub(crate) fn nested<T>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<(T, Vec<(usize, Expr)>), SqlError> {
        self.frames.push(Frame::default());
        let result = bind(self);
        let frame = self.frames.pop().ok_or_else(|| SqlError::internal("no query level"))?;
        Ok((result?, frame.outer_refs))
    }

    #[allow(clippy::type_complexity)]
    fn nested_query(
        &mut self,
        q: &ast::Query,
    ) -> Result<(crate::plan::bound::BoundQuery, Vec<Column>, Vec<(usize, Expr)>), SqlError> {
        let ((query, columns), outer) = self.nested(|b| b.query(q, super::Hint::None))?;
        Ok((query, columns, outer))
    }

    /// A function in FROM or, returning rows, in a select list, and its columns.
    pub(crate) fn set_function(
        &mut self,
        name: &str,
        args: &[&Ast],
    ) -> Result<(SetFunction, Vec<Returned>), SqlError> {
        if let Some((last, first)) = args.split_last()
            && let Ast::Function(call) = last
            && let Some(array) = variadic::array_in(call)
        {
            let mut args = first.to_vec();
            if is_set_name(name) {
                // To these it is an argument like others.
                args.push(array);
                return self.set_function(name, &args);
            }
            args.push(last);
            let t = self.function(&call_of(name, &args))?;
            return Ok((SetFunction::Scalar(t.expr), vec![(name.to_owned(), t.ty, t.typmod)]));
        }
        let bound = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
        let made = self.rows_function(name, bound)?;
        self.note_function(name, &made.0);
        Ok(made)
    }

    fn rows_function(
        &mut self,
        name: &str,
        bound: Vec<Typed>,
    ) -> Result<(SetFunction, Vec<Returned>), SqlError> {
        match (name, bound.len()) {
            ("generate_series", 4) => {
                let types: Vec<Type> = bound.iter().map(|b| b.ty).collect();
                let zoned = [Type::Timestamptz, Type::Timestamptz, Type::Interval, Type::Text];
                let add = resolve(lookup_functions("date_add"), &zoned[1..]).map(|r| r.f);
                let fits = |(b, want): (&Typed, &Type)| {
                    b.ty == Type::Unknown || can_cast_in(b.ty, *want, CastContext::Implicit)
                };
                let (Ok(add), true) = (add, bound.iter().zip(&zoned).all(fits)) else {
                    return Err(function_error(name, &types, evenkeel_types::ResolveError::NotFound));
                };
                let mut exprs = Vec::new();
                for (b, to) in bound.into_iter().zip(zoned) {
                    exprs.push(self.coerce(b, to, -1, CastContext::Implicit)?);
                }
                let columns = vec![(name.into(), Type::Timestamptz, -1)];
                Ok((SetFunction::TimeSeries { args: exprs.into(), add }, columns))
            }
            ("generate_series", 2 | 3) => {
                let types: Vec<Type> = bound.iter().map(|b| b.ty).collect();
                let meant = resolve(&SERIES, &types).map_err(|e| function_error(name, &types, e))?.f;
                let mut exprs = Vec::new();
                for (b, to) in bound.into_iter().zip(meant.args) {
                    exprs.push(self.coerce(b, *to, -1, CastContext::Implicit)?);
                }
                let (args, ty): (Box<[Expr]>, Type) = (exprs.into(), meant.ret);
                let columns = vec![(name.into(), ty, -1)];
                if !matches!(ty, Type::Timestamp | Type::Timestamptz) {
                    return Ok((SetFunction::Series { ty, args }, columns));
                }
                let add = resolve_operator(lookup_operators("+"), &[ty, Type::Interval])
                    .map_err(|e| function_error(name, &types, e))?;
                Ok((SetFunction::TimeSeries { args, add: add.f }, columns))
            }
            ("unnest", 1..) => {
                let (mut exprs, mut columns) = (Vec::new(), Vec::new());
                for b in bound {
                    let Some(element) = b.ty.element() else {
                        // Of an array, or of a text search vector.
                        let e = if b.ty == Type::Unknown {
                            ResolveError::Ambiguous
                        } else {
                            ResolveError::NotFound
                        };
                        return Err(function_error(name, &[b.ty], e));
                    };
                    columns.push((name.to_owned(), element, self.kept_record((b.ty, b.typmod), element)));
                    exprs.push(b.expr);
                }
                Ok((SetFunction::Unnest(exprs.into()), columns))
            }
            ("jsonb_populate_recordset" | "json_populate_recordset", 2) => {
                let Some(f) = populate_set(name) else { return Err(SqlError::internal(name)) };
                self.populated_rows(f, bound)
            }
            ("aclexplode", 1) => {
                const COLUMNS: [(&str, &str, Type); 4] = [
                    ("evenkeel_acl_grantors", "grantor", Type::Oid),
                    ("evenkeel_acl_grantees", "grantee", Type::Oid),
                    ("evenkeel_acl_privilege_types", "privilege_type", Type::Text),
                    ("evenkeel_acl_is_grantable", "is_grantable", Type::Bool),
                ];
                let (mut exprs, mut columns) = (Vec::new(), Vec::new());
                for (function, column, ty) in COLUMNS {
                    exprs.push(self.call(function, bound.clone())?.expr);
                    columns.push((column.to_owned(), ty, -1));
                }
                Ok((SetFunction::Unnest(exprs.into()), columns))
            }
            ("pg_partition_ancestors", 1) => {
                let Some(b) = bound.into_iter().next() else { return Err(SqlError::internal("arguments")) };
                let oid = self.coerce(b, Type::Regclass, -1, CastContext::Explicit)?;
                Ok((SetFunction::Ancestors(oid), vec![("relid".into(), Type::Regclass, -1)]))
            }
            ("generate_subscripts", 2 | 3) => {
                let mut bound = bound;
                let reversed = bound.get(2).cloned();
                let types: Vec<Type> = bound.iter().map(|b| b.ty).collect();
                bound.truncate(2);
                let low = self.call("array_lower", bound.clone())?.expr;
                let high = self.call("array_upper", bound)?.expr;
                let args: Box<[Expr]> = match reversed {
                    None => [low, high].into(),
                    Some(r) if matches!(r.ty, Type::Bool | Type::Unknown) => {
                        let is = self.coerce(r, Type::Bool, -1, CastContext::Implicit)?;
                        let by = |yes: Expr, no: Expr, otherwise: Expr| {
                            let branches = vec![(is.clone(), yes), (Expr::Not(Box::new(is.clone())), no)];
                            Expr::Case(Box::new(Case { operand: None, branches, otherwise }))
                        };
                        let step = |n| Expr::Const(Datum::Int4(n));
                        [
                            by(high.clone(), low.clone(), Expr::null()),
                            by(low, high, Expr::null()),
                            by(step(-1), step(1), Expr::null()),
                        ]
                        .into()
                    }
                    Some(_) => return Err(function_error(name, &types, ResolveError::NotFound)),
                };
                Ok((SetFunction::Series { ty: Type::Int4, args }, vec![(name.into(), Type::Int4, -1)]))
            }
            _ if !lookup_sets(name).is_empty() => {
                let types: Vec<Type> = bound.iter().map(|b| b.ty).collect();
                let (f, wanted) =
                    resolve_set(lookup_sets(name), &types).map_err(|e| function_error(name, &types, e))?;
                if f.args.contains(&Type::Hstore) && !self.has_hstore() {
                    return Err(function_error(name, &types, ResolveError::NotFound));
                }
                if self.role.is_some() {
                    self.needs.functions.insert(f.name);
                }
                let mut exprs = Vec::new();
                for (b, ty) in bound.into_iter().zip(wanted) {
                    exprs.push(self.coerce(b, ty, -1, CastContext::Explicit)?);
                }
                let columns = f.columns.iter().map(|(name, ty)| ((*name).to_owned(), *ty, -1)).collect();
                Ok((SetFunction::Rows { f, args: exprs.into(), checks: None }, columns))
            }
            ("jsonb_populate_record" | "json_populate_record", 2) => {
                let Some(f) = populate(name) else { return Err(SqlError::internal(name)) };
                let row = self.populated_row(f, bound)?;
                Ok((SetFunction::Scalar(row.expr), vec![(name.to_owned(), row.ty, row.typmod)]))
            }
            ("populate_record", 2) if self.has_hstore() => {
                let t = self.populated_record(bound)?;
                if t.ty == Type::Record {
                    let why = "populate_record of a row of no composite type is not supported in FROM";
                    return Err(SqlError::unsupported(why));
                }
                Ok((SetFunction::Scalar(t.expr), vec![(name.to_owned(), t.ty, t.typmod)]))
            }
            _ => {
                let t = self.call(name, bound)?;
                Ok((SetFunction::Scalar(t.expr), vec![(name.to_owned(), t.ty, t.typmod)]))
            }
        }
    }
}

/// Whether an aggregate's result is a record whatever rows it is given: PostgreSQL has `max(record)`.
pub(super) fn gives_records(name: &str) -> bool {
    matches!(name, "min" | "max")
}

/// Whether an aggregate's result tells in which order it was given its rows.
fn keeps_order(name: &str) -> bool {
    name.ends_with("_agg") || name.starts_with("json") && name.contains("_agg")
}
