//! JSON_EXISTS, JSON_VALUE and JSON_QUERY: what `parse/json_query.rs` made of their clauses.
//!
//! Must not know: statements, how they are computed.

use super::{Binder, Typed};
use crate::catalog::NamedType;
use crate::plan::expr::Expr;
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Type};
use sqlparser::ast::{self, Expr as Ast, FunctionArg, FunctionArgExpr};

fn syntax(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// A part of a call: the name of its clause, if it is one's, and its value.
fn part(arg: &FunctionArg) -> Option<(Option<&str>, &Ast)> {
    let (name, value) = match arg {
        FunctionArg::Unnamed(value) => (None, value),
        FunctionArg::Named { name, arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { name: Ast::Identifier(name), arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { .. } => return None,
    };
    match value {
        FunctionArgExpr::Expr(e) => Some((name.map(|n| n.value.as_str()), e)),
        _ => None,
    }
}

/// The word that a clause says.
fn word(e: &Ast) -> &str {
    match e {
        Ast::Value(ast::ValueWithSpan { value: ast::Value::SingleQuotedString(s), .. }) => s,
        _ => "",
    }
}

fn behavior(said: &str) -> Option<Behavior> {
    Some(match said {
        "error" => Behavior::Error,
        "null" => Behavior::Null,
        "true" => Behavior::True,
        "false" => Behavior::False,
        "unknown" => Behavior::Unknown,
        "empty array" => Behavior::EmptyArray,
        "empty object" => Behavior::EmptyObject,
        _ => return None,
    })
}

/// Whether a function takes a behavior, and which it does.
fn check_behavior(kind: JsonQueryKind, on: &str, b: &Behavior) -> Result<(), SqlError> {
    use Behavior as B;
    let (takes, list, verb) = match kind {
        JsonQueryKind::Exists => (
            matches!(b, B::Error | B::True | B::False | B::Unknown) && on == "ERROR",
            "ERROR, TRUE, FALSE, or UNKNOWN",
            "is",
        ),
        JsonQueryKind::Value => {
            (matches!(b, B::Error | B::Null | B::Default(_)), "ERROR, NULL, or DEFAULT expression", "is")
        }
        JsonQueryKind::Query => (
            matches!(b, B::Error | B::Null | B::EmptyArray | B::EmptyObject | B::Default(_)),
            "ERROR, NULL, EMPTY ARRAY, EMPTY OBJECT, or DEFAULT expression",
            "is",
        ),
    };
    if takes {
        return Ok(());
    }
    let detail = format!("Only {list} {verb} allowed in ON {on} for {}().", kind.name());
    Err(syntax(format!("invalid ON {on} behavior")).with_detail(detail))
}

/// Refuses what DEFAULT does not take.
fn check_default(e: &Expr) -> Result<(), SqlError> {
    let refused = |why| Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
    if e.any(|e| matches!(e, Expr::Subquery(..) | Expr::Aggregate(_) | Expr::Window(_) | Expr::JsonQuery(_)))
    {
        return refused(
            "can only specify a constant, non-aggregate function, or operator expression for DEFAULT",
        );
    }
    if e.any(|e| matches!(e, Expr::Column(_) | Expr::Outer(_))) {
        return refused("DEFAULT expression must not contain column references");
    }
    Ok(())
}

impl Binder<'_> {
    /// A call of one of the functions.
    pub(super) fn json_query(
        &mut self,
        kind: JsonQueryKind,
        args: &[FunctionArg],
    ) -> Result<Typed, SqlError> {
        let parts: Option<Vec<_>> = args.iter().map(part).collect();
        let Some([(None, context), (None, path), clauses @ ..]) = parts.as_deref() else {
            return Err(syntax("syntax error at or near \")\""));
        };
        let context = self.json_context(context)?;
        let path = self.json_path(path)?;
        let named = |ty| NamedType { ty, typmod: -1, domain: None };
        let (mut returning, mut has_format) = (None, false);
        let mut q = JsonQuery {
            kind,
            context,
            path,
            passing: Vec::new(),
            ty: Type::Bool,
            typmod: -1,
            checks: None,
            wrapper: Wrapper::Without,
            keeps_quotes: true,
            on_empty: Behavior::Null,
            on_error: if kind == JsonQueryKind::Exists { Behavior::False } else { Behavior::Null },
        };
        let (mut passed, mut behaves, mut quotes) = (None, None, None);
        let mut defaults = Vec::new();
        for (name, e) in clauses {
            match name.unwrap_or("") {
                "<passing>" => passed = Some(self.json_passed(e)?),
                "<as>" => {
                    if let Some((ty, value)) = passed.take() {
                        q.passing.push((word(e).to_owned(), ty, value));
                    }
                }
                "<returning>" => match e {
                    Ast::Cast { data_type, .. } => returning = Some(self.data_type(data_type)?),
                    _ => return Err(syntax("syntax error at or near \"RETURNING\"")),
                },
                "<format>" => has_format = true,
                "<wrapper>" => {
                    q.wrapper = match word(e) {
                        "with" => Wrapper::Unconditional,
                        "conditional" => Wrapper::Conditional,
                        _ => Wrapper::Without,
                    };
                }
                "<quotes>" => quotes = Some(word(e) == "keep"),
                "<behavior>" => behaves = behavior(word(e)),
                "<default>" => {
                    defaults.push(*e);
                    behaves = Some(Behavior::Default(Expr::null()));
                }
                "<on>" => {
                    let Some(b) = behaves.take() else {
                        return Err(syntax("syntax error at or near \"ON\""));
                    };
                    let is_error = word(e) == "error";
                    check_behavior(kind, if is_error { "ERROR" } else { "EMPTY" }, &b)?;
                    *(if is_error { &mut q.on_error } else { &mut q.on_empty }) = b;
                }
                other => return Err(syntax(format!("syntax error at or near \"{other}\""))),
            }
        }
        let has_others = q.wrapper != Wrapper::Without || quotes.is_some() || returning.is_some();
        if behaves.is_some() || (kind == JsonQueryKind::Exists && has_others) {
            return Err(syntax("syntax error at or near \")\""));
        }
        if kind == JsonQueryKind::Value && (q.wrapper != Wrapper::Without || quotes.is_some()) {
            return Err(syntax("syntax error at or near \"WRAPPER\""));
        }
        if quotes == Some(false) && q.wrapper != Wrapper::Without {
            return Err(syntax("SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used"));
        }
        q.keeps_quotes = quotes.unwrap_or(true);
        if has_format && kind == JsonQueryKind::Value {
            return Err(syntax("cannot specify FORMAT JSON in RETURNING clause of JSON_VALUE()"));
        }
        let returned = returning.unwrap_or(named(match kind {
            JsonQueryKind::Exists => Type::Bool,
            JsonQueryKind::Value => Type::Text,
            JsonQueryKind::Query => Type::Jsonb,
        }));
        self.json_returning(&mut q, returned)?;
        // In the order in which they stand.
        let mut defaults = defaults.into_iter();
        let empty_is_first =
            clauses.iter().find(|c| c.0 == Some("<on>")).is_some_and(|c| word(c.1) == "empty");
        let (ty, typmod) = (q.ty, q.typmod);
        let ordered = if empty_is_first {
            [&mut q.on_empty, &mut q.on_error]
        } else {
            [&mut q.on_error, &mut q.on_empty]
        };
        for b in ordered {
            if let (Behavior::Default(value), Some(e)) = (b, defaults.next()) {
                let t = self.expr(e)?;
                check_default(&t.expr)?;
                *value = self.coerce(t, ty, typmod, CastContext::Explicit)?;
            }
        }
        Ok(Typed { expr: Expr::JsonQuery(Box::new(q)), ty, typmod })
    }

    /// What is looked into, as a `jsonb`.
    fn json_context(&mut self, e: &Ast) -> Result<Expr, SqlError> {
        let t = self.expr(e)?;
        let is_text = t.ty.category() == b'S';
        if !is_text && !matches!(t.ty, Type::Unknown | Type::Json | Type::Jsonb) {
            let why = format!("cannot cast type {} to jsonb", t.ty.sql_name());
            return Err(SqlError::new(SqlState::CANNOT_COERCE, why));
        }
        self.coerce(t, Type::Jsonb, -1, CastContext::Explicit)
    }

    fn json_path(&mut self, e: &Ast) -> Result<Expr, SqlError> {
        let t = self.expr(e)?;
        if !matches!(t.ty, Type::Unknown | Type::Jsonpath) && t.ty.category() != b'S' {
            let ty = t.ty.sql_name();
            let why = format!("JSON path expression must be of type jsonpath, not of type {ty}");
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        self.coerce(t, Type::Jsonpath, -1, CastContext::Explicit)
    }

    /// A value for a variable: of a type that paths know, else what JSON is made of it.
    fn json_passed(&mut self, e: &Ast) -> Result<(Type, Expr), SqlError> {
        use Type as T;
        let t = self.expr(e)?;
        if t.ty == T::Unknown {
            return Ok((T::Text, self.coerce(t, T::Text, -1, CastContext::Implicit)?));
        }
        let is_known = matches!(
            t.ty,
            T::Bool | T::Numeric | T::Int2 | T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Text | T::Varchar
        ) || matches!(
            t.ty,
            T::Date | T::Time | T::Timetz | T::Timestamp | T::Timestamptz | T::Json | T::Jsonb
        );
        let t = if is_known { t } else { self.call("to_jsonb", vec![t])? };
        Ok((t.ty, t.expr))
    }

    fn json_returning(&mut self, q: &mut JsonQuery, named: NamedType) -> Result<(), SqlError> {
        let NamedType { ty, typmod, domain } = named;
        if ty.is_pseudo() {
            let why = "returning pseudo-types is not supported in SQL/JSON functions";
            return Err(SqlError::unsupported(why));
        }
        (q.ty, q.typmod) = (ty, typmod);
        if let Expr::Domain(d) = self.named_value(Expr::null(), domain)? {
            q.checks = Some(d.checks);
        }
        Ok(())
    }
}
