//! TABLESAMPLE behind a table of FROM.
//!
//! Must not know: how a sample is drawn (`exec::sample`).

use super::{Binder, ident, split_name};
use crate::parse::cursor::position_of;
use crate::parse::tablesample::of_hints;
use crate::plan::bound::{FromTree, Source, SourceKind};
use crate::plan::expr::Expr;
use crate::plan::{Method, Sample};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Type, can_cast_in};
use sqlparser::ast::{
    Expr as Ast, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, Spanned, TableAlias,
};

impl Binder<'_> {
    /// A table with what says which of its rows are looked at.
    pub(super) fn sampled(
        &mut self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
        hints: &[Ast],
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let Some((method, seed)) = of_hints(hints) else { return Err(self.misplaced_sample(hints)) };
        let tree = self.named(name, alias, sources)?;
        let at = name.span().start;
        match sources.last().map(|s| &s.kind) {
            Some(SourceKind::Table(..)) => {}
            Some(SourceKind::Virtual(v)) if !v.is_view => {
                return Err(SqlError::unsupported("TABLESAMPLE of system catalogs is not supported"));
            }
            _ => {
                let why = "TABLESAMPLE clause can only be applied to tables and materialized views";
                return Err(self.at(SqlError::unsupported(why), at));
            }
        }
        let (shown, which) = self.method(method)?;
        let args = args_of(method);
        if args.len() != 1 {
            let message = format!("tablesample method {shown} requires 1 argument, not {}", args.len());
            let at = method_span(method);
            return Err(self.at(SqlError::new(SqlState::INVALID_TABLESAMPLE_ARGUMENT, message), at));
        }
        let percent = self.sample_value(args[0], Type::Float4, "TABLESAMPLE", sources)?;
        let seed = match seed.map(args_of).as_deref() {
            None => None,
            Some([seed]) => Some(self.sample_value(seed, Type::Float8, "REPEATABLE", sources)?),
            Some(_) => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \",\"")),
        };
        if let Some(source) = sources.last_mut() {
            source.sample = Some(Box::new(Sample { method: which, percent, seed }));
        }
        Ok(tree)
    }

    /// The error of a sample of what cannot have one, and of hints that other databases have.
    pub(super) fn misplaced_sample(&self, hints: &[Ast]) -> SqlError {
        let near =
            |word: &str| SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{word}\""));
        let Some((method, _)) = of_hints(hints) else { return near("with") };
        let start = method.name.span().start;
        let at = position_of(self.source, start).map_or(0, |n| n - 1);
        let said: String = self.source.chars().skip(at).take("tablesample".len()).collect();
        self.at(near(&said), start)
    }

    fn method(&self, f: &Function) -> Result<(String, Method), SqlError> {
        // The first part is the mark.
        let parts: Vec<String> = f.name.0.iter().skip(1).filter_map(|p| p.as_ident()).map(ident).collect();
        let found = match &parts[..] {
            [name] => Some(name),
            [schema, name] if schema == "pg_catalog" => Some(name),
            _ => None,
        };
        match found.map(String::as_str) {
            Some("bernoulli") => Ok(("bernoulli".into(), Method::Bernoulli)),
            Some("system") => Ok(("system".into(), Method::System)),
            _ => {
                let message = format!("tablesample method {} does not exist", parts.join("."));
                Err(self.at(SqlError::new(SqlState::UNDEFINED_OBJECT, message), method_span(f)))
            }
        }
    }

    /// A value of it, which sees nothing of what stands beside the table.
    fn sample_value(
        &mut self,
        e: &Ast,
        ty: Type,
        clause: &str,
        sources: &mut [Source],
    ) -> Result<Expr, SqlError> {
        let frame = self.frame()?;
        let hidden = (std::mem::take(&mut frame.rels), std::mem::take(&mut frame.names));
        let result = self.nested(|b| {
            b.frame()?.place = "functions in FROM";
            let bound = b.expr(e)?;
            if bound.ty != Type::Unknown && !can_cast_in(bound.ty, ty, CastContext::Assignment) {
                let message = format!(
                    "argument of {clause} must be type {}, not type {}",
                    ty.sql_name(),
                    bound.ty.sql_name()
                );
                let error = SqlError::new(SqlState::DATATYPE_MISMATCH, message);
                return Err(b.at(error, e.span().start));
            }
            let is_literal = bound.ty == Type::Unknown;
            let made = b.coerce(bound, ty, -1, CastContext::Assignment);
            made.map_err(|error| if is_literal { b.at(error, e.span().start) } else { error })
        });
        let frame = self.frame()?;
        (frame.rels, frame.names) = hidden;
        let (value, set) = result?;
        if let Some(source) = sources.last_mut() {
            source.set.extend(set);
        }
        Ok(value)
    }
}

fn method_span(f: &Function) -> sqlparser::tokenizer::Location {
    f.name.0.get(1).map_or_else(|| f.name.span().start, |p| p.span().start)
}

/// What a call's parentheses have.
pub(super) fn args_of(f: &Function) -> Vec<&Ast> {
    let FunctionArguments::List(list) = &f.args else { return Vec::new() };
    let value = |a| match a {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref e)) => Some(e),
        _ => None,
    };
    list.args.iter().filter_map(value).collect()
}

/// The method's name as it is shown.
pub(super) fn method_name(f: &Function) -> Option<String> {
    let name = ObjectName(f.name.0.iter().skip(1).cloned().collect());
    split_name(&name).ok().map(|n| n.1)
}
