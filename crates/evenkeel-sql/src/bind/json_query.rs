//! JSON_EXISTS, JSON_VALUE and JSON_QUERY: what `parse/json_query.rs` made of their clauses.
//!
//! Must not know: statements, how they are computed.

use super::{Binder, Typed};
use crate::catalog::NamedType;
use crate::plan::expr::{Cast, Expr};
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum, Type};
use sqlparser::ast::{self, Expr as Ast, FunctionArg, FunctionArgExpr};

fn syntax(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// The parts of a call: the names of their clauses, if they are one's, and their values.
pub(super) fn parts(args: &[FunctionArg]) -> Option<Vec<Part<'_>>> {
    args.iter().map(part).collect()
}

/// See [`parts`].
pub(super) type Part<'a> = (Option<&'a str>, &'a Ast);

/// A part of a call: the name of its clause, if it is one's, and its value.
fn part(arg: &FunctionArg) -> Option<Part<'_>> {
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
pub(super) fn word(e: &Ast) -> &str {
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
fn check_behavior(q: &JsonQuery, on: &str, b: &Behavior) -> Result<(), SqlError> {
    use Behavior as B;
    let (takes, list, columns) = match q.kind {
        JsonQueryKind::Exists => (
            matches!(b, B::Error | B::True | B::False | B::Unknown) && on == "ERROR",
            "ERROR, TRUE, FALSE, or UNKNOWN",
            "EXISTS",
        ),
        JsonQueryKind::Value => {
            (matches!(b, B::Error | B::Null | B::Default(_)), "ERROR, NULL, or DEFAULT expression", "scalar")
        }
        JsonQueryKind::Query => (
            matches!(b, B::Error | B::Null | B::EmptyArray | B::EmptyObject | B::Default(_)),
            "ERROR, NULL, EMPTY ARRAY, EMPTY OBJECT, or DEFAULT expression",
            "formatted",
        ),
    };
    if takes {
        return Ok(());
    }
    let (what, whose) = match &q.column {
        Some(column) => (format!(" for column \"{column}\""), format!("{columns} columns")),
        None => (String::new(), format!("{}()", q.kind.name())),
    };
    let detail = format!("Only {list} is allowed in ON {on} for {whose}.");
    Err(syntax(format!("invalid ON {on} behavior{what}")).with_detail(detail))
}

/// Which kind of wrapper a clause says.
pub(super) fn wrapper(said: &str) -> Wrapper {
    match said {
        "with" => Wrapper::Unconditional,
        "conditional" => Wrapper::Conditional,
        _ => Wrapper::Without,
    }
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

impl JsonQuery {
    /// KEEP or OMIT QUOTES, if it is said.
    pub(super) fn set_quotes(&mut self, keeps: Option<bool>) -> Result<(), SqlError> {
        if keeps == Some(false) && self.wrapper != Wrapper::Without {
            return Err(syntax("SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used"));
        }
        self.keeps_quotes = keeps.unwrap_or(true);
        Ok(())
    }
}

/// How an encoding is spelled that JSON is said to be in.
pub(super) const ENCODING: &str = "UTF8";

/// FORMAT JSON behind what is looked into: it is taken out of the parts.
pub(super) fn input<'a>(parts: &mut Vec<Part<'a>>) -> Option<&'a str> {
    let is_said = parts.get(1).is_some_and(|p| p.0 == Some("<input>"));
    is_said.then(|| word(parts.remove(1).1))
}

impl Binder<'_> {
    /// A call of one of the functions.
    pub(super) fn json_query(
        &mut self,
        kind: JsonQueryKind,
        args: &[FunctionArg],
    ) -> Result<Typed, SqlError> {
        let mut parts = parts(args);
        let input = parts.as_mut().and_then(input);
        let Some([(None, context), (None, path), clauses @ ..]) = parts.as_deref() else {
            return Err(syntax("syntax error at or near \")\""));
        };
        let context = self.json_context(context, input)?;
        let path = self.json_path(path)?;
        let named = |ty| NamedType { ty, typmod: -1, domain: None };
        let (mut returning, mut has_format, mut has_encoding) = (None, false, false);
        let mut q = JsonQuery {
            kind,
            context,
            path,
            passing: Vec::new(),
            column: None,
            ty: Type::Bool,
            typmod: -1,
            domain: None,
            checks: None,
            wrapper: Wrapper::Without,
            keeps_quotes: true,
            on_empty: Behavior::Null,
            on_error: if kind == JsonQueryKind::Exists { Behavior::False } else { Behavior::Null },
        };
        let (mut passed, mut quotes) = (None, None);
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
                "<format>" => (has_format, has_encoding) = (true, word(e) == "encoding"),
                "<wrapper>" => q.wrapper = wrapper(word(e)),
                "<quotes>" => quotes = Some(word(e) == "keep"),
                "<behavior>" | "<default>" | "<on>" => {}
                other => return Err(syntax(format!("syntax error at or near \"{other}\""))),
            }
        }
        let has_others = q.wrapper != Wrapper::Without || quotes.is_some() || returning.is_some();
        if kind == JsonQueryKind::Exists && has_others {
            return Err(syntax("syntax error at or near \")\""));
        }
        if kind == JsonQueryKind::Value && (q.wrapper != Wrapper::Without || quotes.is_some()) {
            return Err(syntax("syntax error at or near \"WRAPPER\""));
        }
        q.set_quotes(quotes)?;
        if has_format && kind == JsonQueryKind::Value {
            return Err(syntax("cannot specify FORMAT JSON in RETURNING clause of JSON_VALUE()"));
        }
        let returned = returning.unwrap_or(named(match kind {
            JsonQueryKind::Exists => Type::Bool,
            JsonQueryKind::Value => Type::Text,
            JsonQueryKind::Query => Type::Jsonb,
        }));
        if has_encoding && returned.ty != Type::Bytea {
            return Err(SqlError::unsupported("cannot set JSON encoding for non-bytea output types"));
        }
        self.json_returning(&mut q, returned)?;
        self.json_behaviors(&mut q, clauses)?;
        let (ty, typmod) = (q.ty, q.typmod);
        Ok(Typed { expr: Expr::JsonQuery(Box::new(q)), ty, typmod })
    }

    /// ON EMPTY and ON ERROR, of something whose type is known.
    pub(super) fn json_behaviors(&mut self, q: &mut JsonQuery, clauses: &[Part<'_>]) -> Result<(), SqlError> {
        let (mut behaves, mut default, mut said) = (None, None, Vec::new());
        for (name, e) in clauses {
            match name.unwrap_or("") {
                "<behavior>" => behaves = behavior(word(e)),
                "<default>" => {
                    default = Some(*e);
                    behaves = Some(Behavior::Default(Expr::null()));
                }
                "<on>" => {
                    let Some(b) = behaves.take() else {
                        return Err(syntax("syntax error at or near \"ON\""));
                    };
                    let is_error = word(e) == "error";
                    check_behavior(q, if is_error { "ERROR" } else { "EMPTY" }, &b)?;
                    said.push((is_error, b, default.take()));
                }
                _ => {}
            }
        }
        if behaves.is_some() {
            return Err(syntax("syntax error at or near \")\""));
        }
        for (is_error, mut b, default) in said {
            if let (Behavior::Default(value), Some(e)) = (&mut b, default) {
                let t = self.expr(e)?;
                check_default(&t.expr)?;
                // JSON becomes a value of the type as what is found does.
                *value = if t.ty == Type::Jsonb && !matches!(q.ty, Type::Json | Type::Jsonb) {
                    t.expr
                } else {
                    let context = if q.typmod > 0 { CastContext::Assignment } else { CastContext::Explicit };
                    self.coerce(t, q.ty, q.typmod, context)?
                };
            }
            *(if is_error { &mut q.on_error } else { &mut q.on_empty }) = b;
        }
        Ok(())
    }

    /// What is looked into, as a `jsonb`.
    pub(super) fn json_context(&mut self, e: &Ast, format: Option<&str>) -> Result<Expr, SqlError> {
        let mut t = self.expr(e)?;
        if format == Some("encoding") && t.ty != Type::Bytea {
            let why = "JSON ENCODING clause is only allowed for bytea input type";
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        if let (Type::Bytea, Some(format)) = (t.ty, format) {
            // How the encoding is spelled tells whoever writes it again whether it was.
            let name = if format == "encoding" { ENCODING } else { "utf8" };
            let name = Typed::new(Expr::Const(Datum::text(name)), Type::Unknown);
            t = self.call("convert_from", vec![t, name])?;
        }
        let is_text = t.ty.category() == b'S';
        if !is_text && !matches!(t.ty, Type::Unknown | Type::Json | Type::Jsonb) {
            let why = format!("cannot cast type {} to jsonb", t.ty.sql_name());
            return Err(SqlError::new(SqlState::CANNOT_COERCE, why));
        }
        // What is to be written again says what it was made of.
        if self.notes.is_some() && t.ty != Type::Jsonb && matches!(t.expr, Expr::Const(_)) {
            let from = if t.ty == Type::Unknown { Type::Text } else { t.ty };
            let (to, context) = (Type::Jsonb, CastContext::Explicit);
            return Ok(Expr::Cast(Box::new(Cast { expr: t.expr, from, to, typmod: -1, context })));
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
    pub(super) fn json_passed(&mut self, e: &Ast) -> Result<(Type, Expr), SqlError> {
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

    pub(super) fn json_returning(&mut self, q: &mut JsonQuery, named: NamedType) -> Result<(), SqlError> {
        let NamedType { ty, typmod, domain } = named;
        if ty.is_pseudo() {
            let why = "returning pseudo-types is not supported in SQL/JSON functions";
            return Err(SqlError::unsupported(why));
        }
        (q.ty, q.typmod, q.domain) = (ty, typmod, domain);
        q.checks = match domain {
            Some(oid) => self.domain_checks(oid)?,
            None => self.checks_within(ty)?,
        };
        Ok(())
    }
}
