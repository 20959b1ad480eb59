//! Aggregates WITHIN GROUP: ordered-set aggregates, and hypothetical-set aggregates, whose names window functions have too.
//!
//! Must not know: how rows are put in order.

use super::compare::must_be_ordered;
use super::func::plain_args;
use super::query::direction;
use super::{Binder, Typed};
use crate::plan::expr::Expr;
use crate::plan::window::WindowFn;
use crate::plan::{AggCall, SortKey, WithinGroup};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{
    AggFn, AggKind, CastContext, ResolveError, Type, function_error, lookup_aggregates, lookup_functions,
    resolve_aggregate,
};
use sqlparser::ast::{
    self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
};

/// The error for a window function without a window.
pub(super) fn needs_over(name: &str) -> SqlError {
    wrong(format!("window function {name} requires an OVER clause"))
}

/// The error for an ordered-set aggregate without an order.
pub(super) fn needs_within_group(name: &str) -> SqlError {
    wrong(format!("WITHIN GROUP is required for ordered-set aggregate {name}"))
}

fn wrong(why: String) -> SqlError {
    SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
}

fn kind(name: &str) -> AggKind {
    lookup_aggregates(name).first().map_or(AggKind::Normal, AggFn::kind)
}

/// A call, but for what its rows are ordered and filtered by.
struct Resolved {
    f: &'static AggFn,
    /// Types of the direct arguments, then of what rows are ordered by.
    types: Vec<Type>,
    direct: Vec<Expr>,
    ordered: Vec<Expr>,
    ret: Type,
}

impl Binder<'_> {
    /// Whether a call without WITHIN GROUP is one of what needs it.
    pub(super) fn lacks_within_group(&mut self, name: &str, f: &ast::Function) -> Result<bool, SqlError> {
        let kind = kind(name);
        if kind == AggKind::Normal {
            return Ok(false);
        }
        let FunctionArguments::List(list) = &f.args else { return Ok(false) };
        if kind == AggKind::Hypothetical {
            return Ok(!list.args.is_empty());
        }
        let args = plain_args(&list.args)?;
        let types = args.into_iter().map(|a| Ok(self.expr(a)?.ty)).collect::<Result<Vec<_>, SqlError>>()?;
        match resolve_aggregate(lookup_aggregates(name), &types) {
            Ok(_) => Ok(true),
            Err(e) => Err(function_error(name, &types, e)),
        }
    }

    /// A call with WITHIN GROUP, and perhaps OVER.
    pub(super) fn within_group(&mut self, name: &str, f: &ast::Function) -> Result<Typed, SqlError> {
        let FunctionArguments::List(list) = &f.args else {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"WITHIN\""));
        };
        let refused = |why: &str| Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
        if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
            return refused("cannot use DISTINCT with WITHIN GROUP");
        }
        match list.clauses.first() {
            None => {}
            Some(FunctionArgumentClause::OrderBy(_)) => {
                return refused("cannot use multiple ORDER BY clauses with WITHIN GROUP");
            }
            Some(other) => {
                return Err(SqlError::unsupported(format!("{other} in an aggregate is not supported")));
            }
        }
        if matches!(name, "coalesce" | "greatest" | "least" | "nullif" | "row" | "grouping" | "merge_action")
        {
            return refused("syntax error at or near \"within\"");
        }
        if kind(name) == AggKind::Normal {
            return Err(self.not_of_a_group(name, f, list)?);
        }
        self.aggregate(|b| b.within_group_call(name, f, list))
    }

    /// Why something that is no such aggregate cannot have WITHIN GROUP, if it exists: what is ordered by is looked up as arguments are.
    fn not_of_a_group(
        &mut self,
        name: &str,
        f: &ast::Function,
        list: &ast::FunctionArgumentList,
    ) -> Result<SqlError, SqlError> {
        let (mut args, ordered) = self.within_group_arguments(list, f)?;
        args.extend(ordered);
        if let Some(window) = WindowFn::from_name(name) {
            self.own_arguments(window, name, args)?;
            return Ok(match f.over {
                Some(_) => wrong(format!("window function {name} cannot have WITHIN GROUP")),
                None => needs_over(name),
            });
        }
        if lookup_aggregates(name).is_empty() || !lookup_functions(name).is_empty() {
            self.call(name, args)?;
            return Ok(wrong(format!("WITHIN GROUP specified, but {name} is not an aggregate function")));
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        resolve_aggregate(lookup_aggregates(name), &types).map_err(|e| function_error(name, &types, e))?;
        Ok(wrong(format!("{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP")))
    }

    /// The direct arguments, and what rows are ordered by.
    fn within_group_arguments(
        &mut self,
        list: &ast::FunctionArgumentList,
        f: &ast::Function,
    ) -> Result<(Vec<Typed>, Vec<Typed>), SqlError> {
        let direct = match &list.args[..] {
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => Vec::new(),
            args => plain_args(args)?.into_iter().map(|a| self.expr(a)).collect::<Result<_, _>>()?,
        };
        let ordered = f.within_group.iter().map(|k| self.expr(&k.expr)).collect::<Result<_, _>>()?;
        Ok((direct, ordered))
    }

    fn within_group_call(
        &mut self,
        name: &str,
        f: &ast::Function,
        list: &ast::FunctionArgumentList,
    ) -> Result<(AggCall, Type, i32), SqlError> {
        let (direct, ordered) = self.within_group_arguments(list, f)?;
        let types: Vec<Type> = direct.iter().chain(&ordered).map(|a| a.ty).collect();
        let is_hypothetical = kind(name) == AggKind::Hypothetical;
        if !is_hypothetical {
            resolve_aggregate(lookup_aggregates(name), &types)
                .map_err(|e| function_error(name, &types, e))?;
        }
        if f.over.is_some() {
            let why = format!("OVER is not supported for ordered-set aggregate {name}");
            return Err(SqlError::unsupported(why));
        }
        let made = match is_hypothetical {
            true => self.hypothetical_set(name, direct, ordered, &types)?,
            false => self.ordered_set(name, direct, ordered, &types)?,
        };
        let mut order = Vec::with_capacity(made.ordered.len());
        let (count, mut direct) = (made.direct.len(), made.direct);
        for ((expr, ty), key) in made.ordered.into_iter().zip(&made.types[count..]).zip(&f.within_group) {
            must_be_ordered(*ty)?;
            let (desc, nulls_first) = direction(key)?;
            let collation = self.ordering_collation(&expr, *ty)?;
            if is_hypothetical && let Some(beside) = direct.get_mut(order.len()) {
                *beside = std::mem::replace(beside, Expr::null()).in_order_of(collation);
            }
            order.push(SortKey { expr, desc, nulls_first, collation });
        }
        let filter = f.filter.as_ref().map(|e| self.filter_condition(e)).transpose()?;
        let within = WithinGroup { direct: direct.into(), is_hypothetical };
        let call = AggCall {
            f: made.f,
            arg_types: made.types,
            args: Box::new([]),
            distinct: false,
            filter,
            order: order.into(),
            is_order_implied: false,
            within: Some(Box::new(within)),
        };
        Ok((call, made.ret, -1))
    }

    fn ordered_set(
        &mut self,
        name: &str,
        direct: Vec<Typed>,
        ordered: Vec<Typed>,
        types: &[Type],
    ) -> Result<Resolved, SqlError> {
        let resolved =
            resolve_aggregate(lookup_aggregates(name), types).map_err(|e| function_error(name, types, e))?;
        let wanted = resolved.f.args.len() - 1;
        let count = direct.len();
        if count != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            return Err(function_error(name, types, ResolveError::NotFound).with_hint(format!(
                "There is an ordered-set aggregate {name}, but it requires {wanted} direct argument{plural}, not {count}."
            )));
        }
        let is_unknown = ordered.iter().any(|o| o.ty == Type::Unknown);
        if is_unknown && resolved.f.args.contains(&Type::AnyElement) {
            let why = "could not determine polymorphic type because input has type unknown";
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        if let (Type::AnyArray, Some(inner)) = (resolved.f.ret, resolved.args.last().filter(|t| t.is_array()))
        {
            let why = format!("could not find array type for data type {}", inner.sql_name());
            return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
        }
        let mut exprs = Vec::with_capacity(types.len());
        for (arg, ty) in direct.into_iter().chain(ordered).zip(&resolved.args) {
            exprs.push(self.coerce(arg, *ty, -1, CastContext::Implicit)?);
        }
        let ordered = exprs.split_off(wanted);
        Ok(Resolved { f: resolved.f, types: resolved.args, direct: exprs, ordered, ret: resolved.ret })
    }

    fn hypothetical_set(
        &mut self,
        name: &str,
        direct: Vec<Typed>,
        ordered: Vec<Typed>,
        types: &[Type],
    ) -> Result<Resolved, SqlError> {
        let missing = || function_error(name, types, ResolveError::NotFound);
        let Some(f) = lookup_aggregates(name).first() else { return Err(missing()) };
        let (given, wanted) = (direct.len(), ordered.len());
        if given != wanted {
            return Err(missing().with_hint(format!(
                "To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments (here {given}) must match the number of ordering columns (here {wanted})."
            )));
        }
        let mut made = Resolved { f, types: Vec::new(), direct: Vec::new(), ordered: Vec::new(), ret: f.ret };
        for (direct, ordered) in direct.into_iter().zip(ordered) {
            // The order's type is preferred: it is the one of many values.
            let (mut pair, ty, _) = self.unify(vec![ordered, direct], "WITHIN GROUP")?;
            made.types.push(ty);
            made.direct.extend(pair.pop());
            made.ordered.extend(pair.pop());
        }
        made.types.extend_from_within(..);
        Ok(made)
    }
}
