//! The standard's constructors of JSON, and IS JSON, as PostgreSQL writes them.
//!
//! Must not know: statements.

use super::expr::Writer;
use crate::plan::expr::{Cast, Expr};
use evenkeel_types::funcs::{
    FORMAT_JSON, IS_JSON, JSON_PARSE, JSON_SCALAR, JSON_SERIALIZE, JSON_UNIQUE, JsonConstructor,
};
use evenkeel_types::{Datum, ScalarFn, Type, quote_literal};

/// How the encoding is spelled where a statement names it.
const NAMED_ENCODING: &str = "UTF8";

impl Writer<'_, '_> {
    /// A call of one of these; `None`: it is another function's.
    pub(super) fn json_constructed(
        &self,
        f: &ScalarFn,
        args: &[Expr],
        indent: usize,
    ) -> Option<Option<String>> {
        if let Some(kind) = JsonConstructor::of(f) {
            return Some(self.json_made(kind, args, indent));
        }
        let is = |known: &ScalarFn| std::ptr::eq(f, known);
        let first = || match args.first()? {
            Expr::Cast(c) if c.to == Type::Json && c.from.category() == b'S' => {
                self.json_part(&c.expr, indent)
            }
            e => self.json_part(e, indent),
        };
        Some(if is(&FORMAT_JSON) {
            // As an argument of something else.
            self.text(args.first()?, Type::Text, indent).map(|text| format!("({text})::json"))
        } else if is(&JSON_UNIQUE) {
            self.json_part(args.first()?, indent).map(|text| format!("JSON({text} WITH UNIQUE KEYS)"))
        } else if is(&JSON_PARSE) {
            self.json_part(args.first()?, indent).map(|text| format!("JSON({text})"))
        } else if is(&JSON_SCALAR) {
            first().map(|text| format!("JSON_SCALAR({text})"))
        } else if is(&JSON_SERIALIZE) {
            first().map(|text| format!("JSON_SERIALIZE({text} RETURNING text)"))
        } else if is(&IS_JSON) {
            self.is_json(args, indent)
        } else {
            return None;
        })
    }

    /// A constructor's result as another type: RETURNING says so.
    pub(super) fn json_returned(&self, c: &Cast, indent: usize) -> Option<String> {
        let Expr::Call(f, args) = &c.expr else { return None };
        let kind = JsonConstructor::of(f).filter(|kind| !kind.binary && c.typmod < 0)?;
        let text = self.json_made(kind, args, indent)?;
        let stem = text.strip_suffix("json)")?;
        Some(format!("{stem}{})", self.type_name(c.to, -1)?))
    }

    /// A value, with FORMAT JSON behind it where that was said.
    fn json_part(&self, e: &Expr, indent: usize) -> Option<String> {
        if let Expr::Call(f, args) = e
            && std::ptr::eq(*f, &FORMAT_JSON)
        {
            return match args.first()? {
                Expr::Call(f, args) if f.name == "convert_from" => {
                    let [bytes, Expr::Const(Datum::Text(name))] = &args[..] else { return None };
                    let encoding = if **name == *NAMED_ENCODING { " ENCODING UTF8" } else { "" };
                    Some(format!("{} FORMAT JSON{encoding}", self.text(bytes, Type::Bytea, indent)?))
                }
                text => Some(format!("{} FORMAT JSON", self.text(text, Type::Text, indent)?)),
            };
        }
        let want = match e {
            Expr::Const(d) => d.natural_type(),
            _ => Type::Text,
        };
        self.text(e, want, indent)
    }

    fn json_made(&self, kind: JsonConstructor, args: &[Expr], indent: usize) -> Option<String> {
        let part = |(n, e): (usize, &Expr)| match e {
            // A key that is written has no type.
            Expr::Const(Datum::Text(key)) if kind.is_object && n % 2 == 0 => Some(quote_literal(key)),
            e => self.json_part(e, indent),
        };
        let parts = args.iter().enumerate().map(part).collect::<Option<Vec<_>>>()?;
        let pairs: Vec<String> = match kind.is_object {
            true => parts.chunks_exact(2).map(|pair| pair.join(" : ")).collect(),
            false => parts,
        };
        let null = match (kind.is_object, kind.absent) {
            (true, true) => " ABSENT ON NULL",
            (false, false) => " NULL ON NULL",
            _ => "",
        };
        let name = if kind.is_object { "JSON_OBJECT" } else { "JSON_ARRAY" };
        let unique = if kind.unique { " WITH UNIQUE KEYS" } else { "" };
        let ty = if kind.binary { "jsonb" } else { "json" };
        Some(format!("{name}({}{null}{unique} RETURNING {ty})", pairs.join(", ")))
    }

    fn is_json(&self, args: &[Expr], indent: usize) -> Option<String> {
        let [value, Expr::Const(Datum::Text(shape))] = args else { return None };
        let (shape, unique) = match shape.strip_suffix("UNIQUE") {
            Some(shape) => (shape.trim_end(), " WITH UNIQUE KEYS"),
            None => (&**shape, ""),
        };
        let space = if shape.is_empty() { "" } else { " " };
        Some(format!("({} IS JSON{space}{shape}{unique})", self.json_part(value, indent)?))
    }
}
