//! Functions in FROM as PostgreSQL writes them: alone, with the columns that are defined for them, and side by side; what calls are written with.
//!
//! Must not know: how expressions are written.

use super::expr::{Shape, Writer, shape};
use crate::bind::Typed;
use crate::plan::SetFunction;
use crate::plan::expr::Expr;
use crate::plan::spelled::spelled_text;
use evenkeel_types::{ScalarFn, Type, quote_ident};

/// What unnest is called, whose calls side by side are one of all arguments.
const UNNEST: &str = "unnest";

/// What stands without parentheses if it has no arguments.
pub(super) const WORDS: [&str; 10] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
];

/// Arguments as they are written: `max` of some types is given one more.
pub(super) fn shown<'e>(args: &'e [Expr], types: &[Type]) -> &'e [Expr] {
    &args[..types.len().min(args.len())]
}

/// Functions of one item of FROM: their texts, each with the columns that are defined for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Vec<(String, Vec<(String, String)>)>);

impl Calls {
    /// The names and types of the columns of what is one function.
    pub fn define(&mut self, columns: Vec<(String, String)>) {
        if let [(_, own)] = &mut self.0[..] {
            *own = columns;
        }
    }

    /// With others beside them.
    pub fn and(mut self, others: Calls) -> Calls {
        self.0.extend(others.0);
        self
    }

    /// As one text, and the types of the columns where these are to be defined behind the alias.
    pub fn laid_out(&self, with_ordinality: bool) -> (String, Vec<String>) {
        if let [(text, columns)] = &self.0[..]
            && (columns.is_empty() || !with_ordinality)
        {
            return (text.clone(), columns.iter().map(|c| c.1.clone()).collect());
        }
        let argument = |(text, columns): &(String, Vec<_>)| {
            let own = text.strip_prefix(UNNEST)?.strip_prefix('(')?.strip_suffix(')')?;
            columns.is_empty().then(|| own.to_owned())
        };
        let text = match self.0.iter().map(argument).collect::<Option<Vec<_>>>() {
            Some(arguments) => format!("UNNEST({})", arguments.join(", ")),
            None => {
                let one = |(text, columns): &(String, Vec<(String, String)>)| match columns.is_empty() {
                    true => text.clone(),
                    false => format!("{text} AS ({})", definitions(columns.iter().map(|c| (&c.0, &c.1)))),
                };
                format!("ROWS FROM({})", self.0.iter().map(one).collect::<Vec<_>>().join(", "))
            }
        };
        (text, Vec::new())
    }
}

/// A list of column definitions without its parentheses.
pub(super) fn definitions<'c>(columns: impl Iterator<Item = (&'c String, &'c String)>) -> String {
    columns.map(|(name, ty)| format!("{} {ty}", quote_ident(name))).collect::<Vec<_>>().join(", ")
}

impl Writer<'_, '_> {
    /// An expression in FROM: what does not look like a call is written as a cast to its own type.
    pub fn expression(&self, t: &Typed) -> Option<Calls> {
        let text = self.text(&t.expr, t.ty, 0)?;
        let is_call = match &t.expr {
            Expr::Coalesce(_) | Expr::Extreme(..) | Expr::NullIf(..) | Expr::JsonQuery(_) => true,
            Expr::Cast(_) => false,
            e => shape(e) == Shape::Call,
        };
        let text = match is_call {
            true => text,
            false => format!("CAST({text} AS {})", self.type_name(t.ty, t.typmod)?),
        };
        Some(Calls(vec![(text, Vec::new())]))
    }

    /// A function in FROM: of several arrays side by side each is one of its own.
    pub fn calls(&self, name: &str, f: &SetFunction) -> Option<Calls> {
        let texts = match f {
            SetFunction::Unnest(args) if name == UNNEST => {
                let one = |a: &Expr| Some(format!("{UNNEST}({})", self.text(a, Type::Text, 0)?));
                args.iter().map(one).collect::<Option<Vec<_>>>()?
            }
            f => vec![self.set_function(name, f)?],
        };
        Some(Calls(texts.into_iter().map(|t| (t, Vec::new())).collect()))
    }
}

impl Writer<'_, '_> {
    /// A call in the grammar's spelling, if that is how it was written.
    pub(super) fn spelled(&self, f: &'static ScalarFn, args: &[Expr], indent: usize) -> Option<String> {
        let texts = args.iter().zip(f.args).map(|(a, ty)| match a {
            // What becomes a text for the function is shown as it is.
            Expr::Cast(c) if (c.from, c.to) == (Type::Varchar, Type::Text) => {
                self.text(&c.expr, c.from, indent)
            }
            a => self.text(a, *ty, indent),
        });
        spelled_text(f, args, &texts.collect::<Option<Vec<_>>>()?)
    }

    /// `f(a, VARIADIC array)`
    pub fn called_with_array(&self, f: &ScalarFn, args: &[Expr], indent: usize) -> Option<String> {
        let (array, first) = args.split_last()?;
        let mut texts = Vec::with_capacity(args.len());
        for (a, ty) in first.iter().zip(f.args) {
            texts.push(self.text(a, *ty, indent)?);
        }
        texts.push(format!("VARIADIC {}", self.text(array, Type::Text, indent)?));
        Some(format!("{}({})", f.name, texts.join(", ")))
    }
}
