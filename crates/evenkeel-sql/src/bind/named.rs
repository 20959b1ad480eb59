//! Calls that name their arguments: `make_interval(hours => 3)` becomes the call that has them all in order, with what was left out.
//!
//! Must not know: statements, what the functions do.

use super::Binder;
use crate::parse::parse_expression;
use evenkeel_types::arguments::{Argument, argument_lists};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, Expr as Ast, FunctionArg, FunctionArgExpr};
use std::borrow::Cow;

fn syntax(why: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, why)
}

/// An argument with its name, if it has one.
fn split(arg: &FunctionArg) -> Result<(Option<String>, &Ast), SqlError> {
    let (name, value) = match arg {
        FunctionArg::Unnamed(value) => (None, value),
        FunctionArg::Named { name, arg, .. } => (Some(super::ident(name)), arg),
        FunctionArg::ExprNamed { name: Ast::Identifier(name), arg, .. } => (Some(super::ident(name)), arg),
        FunctionArg::ExprNamed { name, .. } => {
            return Err(syntax(format!("{name} cannot be the name of an argument")));
        }
    };
    match value {
        FunctionArgExpr::Expr(e) => Ok((name, e)),
        _ => Err(syntax("* is not allowed as an argument here")),
    }
}

/// Whether a call names arguments.
pub(super) fn names_arguments(args: &[FunctionArg]) -> bool {
    args.iter().any(|a| !matches!(a, FunctionArg::Unnamed(_)))
}

impl Binder<'_> {
    /// All arguments of a call that names some, in the function's order.
    pub(super) fn in_order(&mut self, function: &str, args: &[FunctionArg]) -> Result<Vec<Ast>, SqlError> {
        let args = args.iter().map(split).collect::<Result<Vec<_>, _>>()?;
        let positional = args.iter().take_while(|(name, _)| name.is_none()).count();
        for (n, (name, _)) in args.iter().enumerate().skip(positional) {
            let Some(name) = name else {
                return Err(syntax("positional argument cannot follow named argument"));
            };
            if args[..n].iter().any(|(other, _)| other.as_ref() == Some(name)) {
                return Err(syntax(format!("argument name \"{name}\" used more than once")));
            }
        }
        let fits = |list: &&[Argument]| {
            let place = |name: &str| list.iter().position(|(n, _)| *n == name);
            let named = |n: usize| args.iter().any(|(name, _)| name.as_deref() == Some(list[n].0));
            positional <= list.len()
                && args.iter().flat_map(|(name, _)| name).all(|n| place(n).is_some_and(|n| n >= positional))
                && (positional..list.len()).all(|n| named(n) || list[n].1.is_some())
        };
        let Some(list) = argument_lists(function).find(fits) else {
            return Err(self.no_such_call(function, &args));
        };
        let mut ordered: Vec<Ast> = args[..positional].iter().map(|(_, e)| (*e).clone()).collect();
        for (name, left_out) in &list[positional..] {
            let given = args.iter().find(|(n, _)| n.as_deref() == Some(name));
            ordered.push(match (given, left_out) {
                (Some((_, e)), _) => (*e).clone(),
                (None, Some(text)) => (*parse_expression(text)?).clone(),
                (None, None) => return Err(self.no_such_call(function, &args)),
            });
        }
        Ok(ordered)
    }

    /// The arguments of a call in the function's order, whether they are named or not.
    pub(super) fn ordered<'a>(
        &mut self,
        function: &str,
        args: &'a [FunctionArg],
    ) -> Result<Vec<Cow<'a, Ast>>, SqlError> {
        if names_arguments(args) {
            return Ok(self.in_order(function, args)?.into_iter().map(Cow::Owned).collect());
        }
        let one = |a: &'a FunctionArg| match a {
            FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) => {
                Ok(Cow::Owned(row_argument(name)))
            }
            a => super::func::plain_args(std::slice::from_ref(a)).map(|a| Cow::Borrowed(a[0])),
        };
        args.iter().map(one).collect()
    }

    fn no_such_call(&mut self, function: &str, args: &[(Option<String>, &Ast)]) -> SqlError {
        let mut shown = Vec::new();
        for (name, e) in args {
            let ty = match self.expr(e) {
                Ok(t) => t.ty.sql_name(),
                Err(e) => return e,
            };
            shown.push(match name {
                Some(name) => format!("{name} => {ty}"),
                None => ty.to_string(),
            });
        }
        let why = format!("function {function}({}) does not exist", shown.join(", "));
        SqlError::new(SqlState::UNDEFINED_FUNCTION, why).with_hint(
            "No function matches the given name and argument types. You might need to add explicit type casts.",
        )
    }
}

/// The same call with arguments by their places.
pub(super) fn with_arguments(f: &ast::Function, args: Vec<Ast>) -> ast::Function {
    let mut call = f.clone();
    if let ast::FunctionArguments::List(list) = &mut call.args {
        list.args = args.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e))).collect();
    }
    call
}

/// A call with these arguments.
pub(super) fn call_of(name: &str, args: &[&Ast]) -> ast::Function {
    let args = args.iter().map(|a| FunctionArg::Unnamed(FunctionArgExpr::Expr((*a).clone()))).collect();
    let list = ast::FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() };
    ast::Function {
        name: vec![ast::Ident::with_quote('"', name)].into(),
        uses_odbc_syntax: false,
        parameters: ast::FunctionArguments::None,
        args: ast::FunctionArguments::List(list),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

/// The row that `a.*` is as an argument.
fn row_argument(name: &ast::ObjectName) -> Ast {
    let mut parts: Vec<ast::Ident> = name.0.iter().filter_map(|p| p.as_ident().cloned()).collect();
    parts.push(ast::Ident::new("*"));
    Ast::CompoundIdentifier(parts)
}

/// A call in which `a.*` stands as an argument: there it is the row, not its columns.
pub(super) fn with_rows(f: &ast::Function) -> Option<ast::Function> {
    let ast::FunctionArguments::List(list) = &f.args else { return None };
    let is_row = |a: &FunctionArg| matches!(a, FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(_)));
    if !list.args.iter().any(is_row) {
        return None;
    }
    let mut list = list.clone();
    for a in &mut list.args {
        let FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) = a else { continue };
        *a = FunctionArg::Unnamed(FunctionArgExpr::Expr(row_argument(name)));
    }
    Some(ast::Function { args: ast::FunctionArguments::List(list), ..f.clone() })
}

/// Whether a function is told the names of the fields of rows.
pub(super) fn names_fields(function: &str) -> bool {
    function.starts_with("json")
        || matches!(function, "to_json" | "to_jsonb" | "row_to_json" | "hstore" | "array_agg")
}
