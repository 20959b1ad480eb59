//! Expressions as text.
//!
//! Must not know: nodes of plans.

use super::Printer;
use crate::catalog::Catalog;
use crate::catalog::collation::collation_text;
use crate::plan::Plan;
use crate::plan::expr::{Case, Expr};
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind};
use crate::plan::spelled::spelled_text;
use evenkeel_types::bits::Bits;
use evenkeel_types::funcs::WRITER_OF_ROW;
use evenkeel_types::{ArrayDatum, Datum, FormatOptions, Type, format_type, quote_ident, to_text};
use std::sync::Arc;

/// An expression over the columns of a table, as PostgreSQL writes what it keeps of one: constants have their types.
pub fn sql_text(e: &Expr, columns: &[String], format: &FormatOptions) -> String {
    let plan = Plan::nothing(0);
    let mut p = Printer::new(&plan, format);
    p.names = columns.iter().cloned().enumerate().collect();
    p.is_typed = true;
    p.expr(e)
}

impl Printer<'_> {
    pub(super) fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn case(&self, c: &Case) -> String {
        let operand = c.operand.as_ref().map_or_else(String::new, |o| format!("{} ", self.expr(o)));
        let branch = |(when, then): &(Expr, Expr)| {
            let when = c.compared(when).map_or(when, |(_, value)| value);
            format!("WHEN {} THEN {} ", self.expr(when), self.expr(then))
        };
        let branches: String = c.branches.iter().map(branch).collect();
        let of = c.branches.iter().find_map(|(_, then)| match then {
            Expr::Const(d) if !matches!(d, Datum::Null) => Some(d.natural_type()),
            _ => None,
        });
        let otherwise = match (&c.otherwise, of) {
            (Expr::Const(Datum::Null), Some(of)) => format!("NULL::{}", of.sql_name()),
            (e, _) => self.expr(e),
        };
        format!("CASE {operand}{branches}ELSE {otherwise} END")
    }

    /// What a list is looked for in, as an array.
    pub(super) fn values_of_list(&self, list: &[Expr]) -> String {
        let of = list.first().and_then(|e| match e {
            Expr::Const(d) if !matches!(d, Datum::Null) => Some(d.natural_type()),
            _ => None,
        });
        match of.and_then(|of| self.array_constant(of, list)) {
            Some(constant) => constant,
            None => format!("ARRAY[{}]", self.list(list)),
        }
    }

    /// An array of constants, as one; None: not all are.
    fn array_constant(&self, of: Type, list: &[Expr]) -> Option<String> {
        let constant = |e: &Expr| match e {
            Expr::Const(d) if matches!(d, Datum::Null) || d.natural_type() == of => Some(d.clone()),
            _ => None,
        };
        let values: Vec<Datum> = list.iter().map(constant).collect::<Option<_>>()?;
        let ty = of.array_of().filter(|_| !self.is_typed && !of.is_array())?;
        let array = ArrayDatum::one_dim(of, values);
        let text = to_text(&Datum::Array(Arc::new(array)), ty, -1, self.format).ok()?;
        Some(format!("'{}'::{}", text.replace('\'', "''"), ty.sql_name()))
    }

    pub(super) fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(d) => match d {
                Datum::Null => "NULL".into(),
                Datum::Bits(b) => {
                    let mut digits = Vec::new();
                    let _ = Bits::kept(b).write(&mut digits);
                    format!("'{}'::\"bit\"", String::from_utf8_lossy(&digits))
                }
                Datum::Bpchar(s) => format!("'{}'::bpchar", s.replace('\'', "''")),
                Datum::Enum(oid, value) if self.is_typed => Catalog::kept_literal(*oid, *value),
                Datum::Citext(s) if self.is_typed => {
                    let name = Catalog::kept_type_name(evenkeel_types::Type::Citext.oid());
                    format!("'{}'::{name}", s.replace('\'', "''"))
                }
                Datum::Hstore(_) => {
                    let ty = evenkeel_types::Type::Hstore;
                    let text = to_text(d, ty, -1, self.format).unwrap_or_default().replace('\'', "''");
                    match self.is_typed {
                        true => format!("'{text}'::{}", Catalog::kept_type_name(ty.oid())),
                        false => format!("'{text}'::{}", ty.sql_name()),
                    }
                }
                Datum::Text(s) => format!("'{}'::text", s.replace('\'', "''")),
                Datum::Bool(b) => b.to_string(),
                d => {
                    let text = to_text(d, d.natural_type(), -1, self.format).unwrap_or_default();
                    match d {
                        Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) if text.starts_with('-') => {
                            format!("'{text}'::{}", d.natural_type().sql_name())
                        }
                        Datum::Numeric(_) if self.is_typed && !text.contains('.') => {
                            format!("({text})::numeric")
                        }
                        Datum::Numeric(_) if text.starts_with('-') || !text.contains('.') => {
                            format!("'{text}'::numeric")
                        }
                        Datum::Float4(_) | Datum::Float8(_) if self.is_typed && !text.starts_with('-') => {
                            format!("({text})::{}", d.natural_type().sql_name())
                        }
                        Datum::Int2(_)
                        | Datum::Int4(_)
                        | Datum::Int8(_)
                        | Datum::Numeric(_)
                        | Datum::Oid(_) => text,
                        d => format!("'{text}'::{}", d.natural_type().sql_name()),
                    }
                }
            },
            Expr::Param(n) => format!("${}", n + 1),
            Expr::Outer(n) => self.outers.get(n).cloned().unwrap_or_else(|| format!("${n}")),
            Expr::Operand(_) => "CASE operand".into(),
            Expr::Column(n) => self.names.get(n).cloned().unwrap_or_else(|| format!("column{}", n + 1)),
            Expr::Call(f, args) if self.is_typed && f.name == "extract" && args.len() == 2 => {
                let of = self.expr(&args[1]);
                match &args[0] {
                    Expr::Const(Datum::Text(field)) => format!("EXTRACT({field} FROM {of})"),
                    field => format!("extract({}, {of})", self.expr(field)),
                }
            }
            Expr::Call(f, _) if f.name == WRITER_OF_ROW.name => "xmin".into(),
            Expr::Call(f, args) => {
                let operator = !f.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                match (operator, &args[..]) {
                    (true, [a, b]) => format!("({} {} {})", self.expr(a), f.name, self.expr(b)),
                    (true, [a]) => format!("({} {})", f.name, self.expr(a)),
                    _ => {
                        let texts: Vec<String> = args.iter().map(|e| self.expr(e)).collect();
                        let plain = || format!("{}({})", quote_ident(f.name), texts.join(", "));
                        spelled_text(f, args, &texts).unwrap_or_else(plain)
                    }
                }
            }
            Expr::Cmp(op, p) => {
                format!("({} {} {})", self.expr(&p.0), op.name(), self.expr(&p.1))
            }
            Expr::And(l) => {
                format!("({})", l.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(" AND "))
            }
            Expr::Or(l) => {
                format!("({})", l.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(" OR "))
            }
            Expr::Not(e) => format!("(NOT {})", self.expr(e)),
            Expr::IsNull(e, n) => {
                format!("({} IS {}NULL)", self.expr(e), if *n { "NOT " } else { "" })
            }
            Expr::IsBool(e, v, n) => {
                let word = if *v { "TRUE" } else { "FALSE" };
                format!("({} IS {}{word})", self.expr(e), if *n { "NOT " } else { "" })
            }
            Expr::Distinct(p, n) => {
                let not = if *n { "NOT " } else { "" };
                format!("({} IS {not}DISTINCT FROM {})", self.expr(&p.0), self.expr(&p.1))
            }
            Expr::Cast(c) if self.is_typed && c.to.kept_oid().is_some() => {
                let name = Catalog::kept_type_name(c.to.kept_oid().unwrap_or_default());
                let array = if c.to.is_array() { "[]" } else { "" };
                format!("({})::{name}{array}", self.expr(&c.expr))
            }
            Expr::CollationKey(e, ..) | Expr::ByCollation(e, _) => self.expr(e),
            Expr::Collate(e, c) => {
                format!("({} COLLATE {})", self.expr(e), collation_text(*c))
            }
            Expr::Domain(d) => format!("({})::{}", self.expr(&d.expr), d.checks.name),
            Expr::Cast(c) => {
                format!("({})::{}", self.expr(&c.expr), evenkeel_types::format_type(c.to, c.typmod))
            }
            Expr::Case(c) if self.is_typed => {
                let mut s = "\nCASE".to_owned();
                if let Some(operand) = &c.operand {
                    s.push_str(&format!(" {}", self.expr(operand)));
                }
                for (when, then) in &c.branches {
                    let when = c.compared(when).map_or(when, |(_, value)| value);
                    let (when, then) = (self.expr(when), self.expr(then));
                    s.push_str(&format!("\n    WHEN {when} THEN {then}"));
                }
                s + &format!("\n    ELSE {}\nEND", self.expr(&c.otherwise))
            }
            Expr::Case(c) => self.case(c),
            Expr::Coalesce(l) => format!("COALESCE({})", self.list(l)),
            Expr::JsonQuery(q) => self.json_query(q),
            Expr::NullIf(p, _) => format!("NULLIF({}, {})", self.expr(&p.0), self.expr(&p.1)),
            Expr::Extreme(g, l) => format!("{}({})", if *g { "GREATEST" } else { "LEAST" }, self.list(l)),
            Expr::InList(e, l, n) => {
                let op = if *n { "<> ALL" } else { "= ANY" };
                let list = self.values_of_list(l);
                format!("({} {op} ({list}))", self.expr(e))
            }
            Expr::AnyArray(op, p, any) => {
                let word = if *any { "ANY" } else { "ALL" };
                format!("({} {} {word} ({}))", self.expr(&p.0), op.name(), self.expr(&p.1))
            }
            Expr::AnyCall(f, p, any) => {
                let word = if *any { "ANY" } else { "ALL" };
                format!("({} {} {word} ({}))", self.expr(&p.0), f.name, self.expr(&p.1))
            }
            Expr::Array(of, l) => match self.array_constant(*of, l) {
                Some(constant) => constant,
                None => format!("ARRAY[{}]", self.list(l)),
            },
            Expr::Subscript(e, l) => format!("{}[{}]", self.expr(e), self.list(l)),
            Expr::Slice(e, _) => format!("{}[:]", self.expr(e)),
            Expr::Field(field) => {
                let of = self.expr(&field.of);
                let of = if matches!(field.of, Expr::Field(_)) { of } else { format!("({of})") };
                format!("{of}.{}", quote_ident(&field.name))
            }
            Expr::Row(_, l) => format!("ROW({})", self.list(l)),
            Expr::Subquery(n, usage, args) => self.subquery(*n, usage, args),
            Expr::Aggregate(n) => format!("aggregate{}", n + 1),
            Expr::Window(n) => format!("window{}", n + 1),
            Expr::Set(n) => format!("set{}", n + 1),
        }
    }
}

impl Printer<'_> {
    /// A call of JSON_VALUE and its like, with its clauses.
    fn json_query(&self, q: &JsonQuery) -> String {
        let path = match &q.path {
            Expr::Const(d @ Datum::Jsonpath(_)) => {
                let text = to_text(d, Type::Jsonpath, -1, self.format).unwrap_or_default();
                format!("'{}'", text.replace('\'', "''"))
            }
            e => self.expr(e),
        };
        let mut text = format!("{}({}, {path}", q.kind.name(), self.expr(&q.context));
        for (i, (name, _, e)) in q.passing.iter().enumerate() {
            let before = if i == 0 { " PASSING" } else { "," };
            text += &format!("{before} {} AS {}", self.expr(e), quote_ident(name));
        }
        text += &q.returning_text(&format_type(q.ty, q.typmod));
        for (b, usual, on) in [
            (&q.on_empty, "NULL", "EMPTY"),
            (&q.on_error, if q.kind == JsonQueryKind::Exists { "FALSE" } else { "NULL" }, "ERROR"),
        ] {
            match b {
                Behavior::Default(e) => {
                    text += &format!(" DEFAULT {} ON {on}", self.expr(e));
                }
                b if b.name() != usual => text += &format!(" {} ON {on}", b.name()),
                _ => {}
            }
        }
        text + ")"
    }
}
