//! JSON_EXISTS, JSON_VALUE and JSON_QUERY as bound expressions.
//!
//! Must not know: how they are written, or computed.

use super::expr::{DomainChecks, Expr};
use evenkeel_types::{Datum, Type};
use std::sync::Arc;

/// Which of them it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named as they are.
pub enum JsonQueryKind {
    Exists,
    Value,
    Query,
}

impl JsonQueryKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            JsonQueryKind::Exists => "JSON_EXISTS",
            JsonQueryKind::Value => "JSON_VALUE",
            JsonQueryKind::Query => "JSON_QUERY",
        }
    }
}

/// When several items are made an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named as the clause says it.
pub enum Wrapper {
    Without,
    Conditional,
    Unconditional,
}

/// What is given where nothing is found, or an error is.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // Named as the clause says it.
pub enum Behavior {
    Error,
    Null,
    True,
    False,
    Unknown,
    EmptyArray,
    EmptyObject,
    Default(Expr),
}

/// One of the functions with its clauses.
#[derive(Clone, Debug)]
pub struct JsonQuery {
    /// Which.
    pub kind: JsonQueryKind,
    /// The `jsonb` that is looked into.
    pub context: Expr,
    /// The `jsonpath`.
    pub path: Expr,
    /// Variables: names, types, values.
    pub passing: Vec<(String, Type, Expr)>,
    /// The column of JSON_TABLE that it is, if it is one.
    pub column: Option<Box<str>>,
    /// The type of the result.
    pub ty: Type,
    /// Its modifier.
    pub typmod: i32,
    /// The domain that it is of, if it is of one.
    pub domain: Option<u32>,
    /// What that wants of it.
    pub checks: Option<Arc<DomainChecks>>,
    /// WRAPPER
    pub wrapper: Wrapper,
    /// Strings keep their quotation marks.
    pub keeps_quotes: bool,
    /// ON EMPTY
    pub on_empty: Behavior,
    /// ON ERROR
    pub on_error: Behavior,
}

impl Behavior {
    /// As it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Behavior::Error => "ERROR",
            Behavior::Null => "NULL",
            Behavior::True => "TRUE",
            Behavior::False => "FALSE",
            Behavior::Unknown => "UNKNOWN",
            Behavior::EmptyArray => "EMPTY ARRAY",
            Behavior::EmptyObject => "EMPTY OBJECT",
            Behavior::Default(_) => "DEFAULT",
        }
    }

    fn expr(&self) -> Option<&Expr> {
        match self {
            Behavior::Default(e) => Some(e),
            _ => None,
        }
    }

    fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Behavior::Default(e) => Some(e),
            _ => None,
        }
    }
}

impl JsonQuery {
    /// Its value may depend on the time zone or the date style: it has to do with moments, or nobody knows with what.
    pub fn depends_on_settings(&self) -> bool {
        let is_moment = |ty: Type| {
            matches!(
                ty,
                Type::Date | Type::Time | Type::Timetz | Type::Timestamp | Type::Timestamptz | Type::Interval
            ) || ty.is_reg()
        };
        let is_plain = matches!(&self.path, Expr::Const(Datum::Jsonpath(p)) if !p.has_moments());
        !is_plain || is_moment(self.ty) || self.passing.iter().any(|(_, ty, _)| is_moment(*ty))
    }

    /// What messages call it.
    pub fn place(&self) -> String {
        match &self.column {
            Some(column) => format!("for column \"{column}\""),
            None => format!("in {}", self.kind.name()),
        }
    }

    /// The expressions behind DEFAULT.
    pub fn defaults(&self) -> impl Iterator<Item = &Expr> {
        [&self.on_empty, &self.on_error].into_iter().filter_map(Behavior::expr)
    }

    /// The expressions behind DEFAULT, to be changed.
    pub fn defaults_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        [&mut self.on_empty, &mut self.on_error].into_iter().filter_map(Behavior::expr_mut)
    }

    /// RETURNING and what stands behind it, of a type of that name.
    pub fn returning_text(&self, ty: &str) -> String {
        let returning =
            if self.kind == JsonQueryKind::Exists { String::new() } else { format!(" RETURNING {ty}") };
        returning + &self.wrapper_text()
    }

    /// WRAPPER and QUOTES.
    pub fn wrapper_text(&self) -> String {
        let mut text = String::new();
        if self.kind == JsonQueryKind::Query {
            text += match self.wrapper {
                Wrapper::Without => " WITHOUT WRAPPER",
                Wrapper::Conditional => " WITH CONDITIONAL WRAPPER",
                Wrapper::Unconditional => " WITH UNCONDITIONAL WRAPPER",
            };
            text += if self.keeps_quotes { " KEEP QUOTES" } else { " OMIT QUOTES" };
        }
        text
    }

    /// Visits the expressions in it.
    pub fn each(&self, f: &mut dyn FnMut(&Expr)) {
        f(&self.context);
        f(&self.path);
        self.passing.iter().for_each(|(_, _, e)| f(e));
        self.defaults().for_each(f);
    }

    /// The same with other expressions.
    pub fn try_map<E>(self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<JsonQuery, E> {
        let behavior = |b: Behavior, f: &mut dyn FnMut(Expr) -> Result<Expr, E>| match b {
            Behavior::Default(e) => f(e).map(Behavior::Default),
            other => Ok(other),
        };
        Ok(JsonQuery {
            context: f(self.context)?,
            path: f(self.path)?,
            passing: self
                .passing
                .into_iter()
                .map(|(name, ty, e)| Ok((name, ty, f(e)?)))
                .collect::<Result<_, E>>()?,
            on_empty: behavior(self.on_empty, f)?,
            on_error: behavior(self.on_error, f)?,
            ..self
        })
    }
}

impl PartialEq for JsonQuery {
    fn eq(&self, other: &JsonQuery) -> bool {
        let same_checks = match (&self.checks, &other.checks) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same_checks
            && (self.kind, self.ty, self.typmod) == (other.kind, other.ty, other.typmod)
            && (&self.column, self.domain) == (&other.column, other.domain)
            && (self.wrapper, self.keeps_quotes) == (other.wrapper, other.keeps_quotes)
            && self.context == other.context
            && self.path == other.path
            && self.passing == other.passing
            && self.on_empty == other.on_empty
            && self.on_error == other.on_error
    }
}
