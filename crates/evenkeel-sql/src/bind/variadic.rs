//! Calls whose last argument is VARIADIC: an array of the arguments that a function takes any number of.
//!
//! Must not know: statements.

use super::func::plain_args;
use super::{Binder, Typed};
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::SPREAD;
use evenkeel_types::{CastContext, Datum, ResolveError, Type, function_error, lookup_functions};
use sqlparser::ast::{Expr as Ast, FunctionArg};

impl Binder<'_> {
    pub(super) fn variadic_call(
        &mut self,
        name: &str,
        fixed: &[FunctionArg],
        array: &Ast,
    ) -> Result<Typed, SqlError> {
        let mut args = plain_args(fixed)?.into_iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
        let array = self.expr(array)?;
        let takes = |args: usize| move |f: &&evenkeel_types::ScalarFn| f.variadic && f.args.len() == args + 1;
        let Some(f) = lookup_functions(name).iter().find(takes(args.len())) else {
            let types: Vec<Type> = args.iter().chain([&array]).map(|a| a.ty).collect();
            return Err(function_error(name, &types, ResolveError::NotFound));
        };
        let array = match f.args.last() {
            Some(Type::Any) if !array.ty.is_array() => {
                let why = "VARIADIC argument must be an array";
                return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
            }
            Some(Type::Any) => array.expr,
            Some(ty) => self.coerce(array, ty.array_of().unwrap_or(*ty), -1, CastContext::Implicit)?,
            None => return Err(SqlError::internal(name)),
        };
        let mut exprs = vec![Expr::Const(Datum::text(f.name))];
        for (arg, ty) in args.drain(..).zip(f.args) {
            exprs.push(match ty {
                Type::Any => arg.expr,
                ty => self.coerce(arg, *ty, -1, CastContext::Implicit)?,
            });
        }
        exprs.push(array);
        if self.role.is_some() && !self.is_stored {
            self.needs.functions.insert(f.name);
        }
        Ok(Typed::new(Expr::Call(&SPREAD, exprs.into()), f.ret))
    }
}
