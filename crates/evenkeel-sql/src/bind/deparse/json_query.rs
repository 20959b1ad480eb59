//! JSON_EXISTS, JSON_VALUE and JSON_QUERY as PostgreSQL writes them.
//!
//! Must not know: statements.

use super::super::json_query::ENCODING;
use super::expr::Writer;
use crate::plan::expr::Expr;
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind};
use evenkeel_types::{Datum, Type, quote_ident, quote_literal, to_text};

impl Writer<'_, '_> {
    pub(super) fn behavior(&self, b: &Behavior, q: &JsonQuery, indent: usize) -> Option<String> {
        Some(match b {
            Behavior::Default(e) => format!("DEFAULT {}", self.text(e, q.ty, indent)?),
            other => other.name().into(),
        })
    }

    /// The type that is returned.
    pub(super) fn returned_name(&self, q: &JsonQuery) -> Option<String> {
        match q.domain {
            Some(oid) => self.binder.catalog.type_name(oid, self.binder.search_path),
            None => self.type_name(q.ty, q.typmod),
        }
    }

    /// What is looked into. What became JSON of a text is written as the text.
    pub(super) fn json_context(&self, e: &Expr, indent: usize) -> Option<String> {
        match e {
            Expr::Cast(c) if c.to == Type::Jsonb => match &c.expr {
                Expr::Call(f, args) if f.name == "convert_from" => {
                    let [bytes, Expr::Const(Datum::Text(name))] = &args[..] else { return None };
                    let encoding = if **name == *ENCODING { " ENCODING UTF8" } else { "" };
                    Some(format!("{} FORMAT JSON{encoding}", self.text(bytes, Type::Bytea, indent)?))
                }
                of => self.text(of, c.from, indent),
            },
            e => self.text(e, Type::Jsonb, indent),
        }
    }

    /// The call with its clauses.
    pub(super) fn json_query(&self, q: &JsonQuery, indent: usize) -> Option<String> {
        let context = self.json_context(&q.context, indent)?;
        let path = match &q.path {
            Expr::Const(d @ Datum::Jsonpath(_)) => {
                quote_literal(&to_text(d, Type::Jsonpath, -1, &Default::default()).ok()?)
            }
            e => self.text(e, Type::Jsonpath, indent)?,
        };
        let mut text = format!("{}({context}, {path}", q.kind.name());
        for (i, (name, ty, e)) in q.passing.iter().enumerate() {
            let before = if i == 0 { " PASSING" } else { "," };
            text += &format!("{before} {} AS {}", self.text(e, *ty, indent)?, quote_ident(name));
        }
        text += &q.returning_text(&self.returned_name(q)?);
        let usual = if q.kind == JsonQueryKind::Exists { Behavior::False } else { Behavior::Null };
        if q.on_empty != Behavior::Null {
            text += &format!(" {} ON EMPTY", self.behavior(&q.on_empty, q, indent)?);
        }
        if q.on_error != usual {
            text += &format!(" {} ON ERROR", self.behavior(&q.on_error, q, indent)?);
        }
        Some(text + ")")
    }
}
