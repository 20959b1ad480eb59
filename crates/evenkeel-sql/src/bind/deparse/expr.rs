//! Bound expressions as PostgreSQL writes those that it keeps: every operator in parentheses, constants and conversions with their types.
//!
//! What cannot be written so that it means the same makes the whole fail (`None`): whoever asked shows the text that was kept.
//!
//! Must not know: statements.

use super::super::expr::{STACK_LEFT_BYTES, STACK_PIECE_BYTES};
use super::super::grouping::GROUPING;
use super::super::{Binder, ColInfo, Frame};
use super::calls::{WORDS, shown};
use super::marks;
use super::parens::{Kind, in_parentheses, key};
use crate::catalog::Relation;
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::window::{Exclude, Frame as WindowFrame, FrameBound, FrameMode, Window, WindowFn};
use crate::plan::{AggCall, SetFunction, SortKey};
use evenkeel_types::funcs::{
    COMPOSITE_ROW, HSTORE_INTO_FIELDS, HSTORE_OF_ROW, NAMED_RECORD, populate, takes_array,
};
use evenkeel_types::user::Attributes;
use evenkeel_types::{
    Datum, ScalarFn, Type, format_type, lookup_functions, lookup_operators, quote_ident, to_text, unspelled,
};

/// How far WHEN stands behind CASE.
const CASE_INDENT: usize = 4;

/// What an expression is, where that decides about parentheses and names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Column,
    Const,
    /// It looks like a call.
    Call,
    Other,
}

pub(super) fn shape(e: &Expr) -> Shape {
    match e {
        Expr::Column(_) | Expr::Outer(_) | Expr::Operand(_) => Shape::Column,
        Expr::Const(_) => Shape::Const,
        Expr::Call(f, _) if !is_operator(f) => Shape::Call,
        Expr::ByCollation(e, _) => shape(e),
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_) => Shape::Call,
        Expr::Cast(c) if c.typmod >= 0 || is_computed(c.from, c.to) => Shape::Call,
        _ => Shape::Other,
    }
}

/// Whether PostgreSQL has a function for a conversion: for few from and to text, which is what both sides are written as.
fn is_computed(from: Type, to: Type) -> bool {
    use Type as T;
    let (is_from_text, is_to_text) = (from.category() == b'S', to.category() == b'S');
    match (from, to) {
        (T::Text | T::Varchar, T::Text | T::Varchar) => false,
        (T::Bool | T::Inet | T::Cidr | T::Bpchar, _) if is_to_text => true,
        _ => !is_from_text && !is_to_text,
    }
}

fn is_concrete(t: Type) -> bool {
    !t.is_polymorphic() && t != Type::Unknown
}

pub(super) fn is_operator(f: &ScalarFn) -> bool {
    !f.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Writes expressions of one level.
pub(super) struct Writer<'b, 'a> {
    pub binder: &'b Binder<'a>,
    /// The level, from the outermost.
    pub depth: usize,
}

impl Writer<'_, '_> {
    fn frame(&self) -> Option<&Frame> {
        self.binder.frames.get(self.depth)
    }

    /// A value that an enclosing level puts aside, for the level below it and all within that: where it comes from.
    pub(super) fn slot(&self, slot: usize) -> Option<(Self, &Expr)> {
        (1..=self.depth).rev().find_map(|below| {
            let (_, e) = self.binder.frames.get(below)?.outer_refs.iter().find(|(s, _)| *s == slot)?;
            Some((Writer { binder: self.binder, depth: below - 1 }, e))
        })
    }

    /// A type's name.
    pub fn type_name(&self, ty: Type, typmod: i32) -> Option<String> {
        match ty.kept_oid() {
            None => Some(format_type(ty, typmod)),
            Some(oid) => {
                let name = self.binder.catalog.type_name(oid, self.binder.search_path)?;
                Some(if ty.is_array() { format!("{name}[]") } else { name })
            }
        }
    }

    /// The attributes of the composite type that an expression is of, or of the record that a column is.
    fn attributes_of(&self, e: &Expr) -> Option<Attributes> {
        if let Expr::Outer(slot) = e {
            let (outer, e) = self.slot(*slot)?;
            return outer.attributes_of(e);
        }
        if let (Expr::Column(_), Some((_, c))) = (e, self.column(e))
            && c.ty == Type::Record
        {
            return self.binder.record_known(c.typmod).map(|known| known.0.clone());
        }
        let Type::Composite(oid) = self.type_of(e)? else { return None };
        self.binder.catalog.user_type(oid)?.attributes.clone()
    }

    /// The type of an expression, as far as it tells.
    pub(super) fn type_of(&self, e: &Expr) -> Option<Type> {
        let of_list = |l: &[Expr]| l.iter().find_map(|e| self.type_of(e));
        Some(match e {
            Expr::Const(Datum::Null | Datum::Text(_)) => return None,
            Expr::Const(d) => d.natural_type(),
            Expr::Column(_) => self.column(e).map(|c| c.1).or_else(|| self.domain_value(e))?.ty,
            Expr::Outer(slot) => {
                let (outer, e) = self.slot(*slot)?;
                return outer.type_of(e);
            }
            Expr::Call(f, args) if std::ptr::eq(*f, &COMPOSITE_ROW) => match args.last()? {
                Expr::Const(Datum::Oid(oid)) => Type::Composite(*oid),
                _ => return None,
            },
            Expr::Call(f, args) if populate(f.name).is_some() => match args.last()? {
                Expr::Const(Datum::Oid(oid)) => Type::Composite(*oid),
                _ => return None,
            },
            Expr::Operand(ty) => *ty,
            Expr::Call(f, _) if is_concrete(f.ret) => f.ret,
            Expr::Field(field) => self.attributes_of(&field.of)?.get(field.at)?.ty,
            Expr::Subscript(array, _) => self.type_of(array)?.element()?,
            Expr::Set(n) => match &self.frame()?.set_calls.get(*n)?.function {
                SetFunction::Series { ty, .. } => *ty,
                SetFunction::Unnest(args) => self.type_of(args.first()?)?.element()?,
                _ => return None,
            },
            Expr::Cast(c) => c.to,
            Expr::Collate(e, _) | Expr::CollationKey(e, ..) | Expr::ByCollation(e, _) => {
                return self.type_of(e);
            }
            Expr::JsonQuery(q) => q.ty,
            Expr::Coalesce(l) | Expr::Extreme(_, l) => return of_list(l),
            Expr::Case(c) => {
                return self
                    .type_of(&c.otherwise)
                    .or_else(|| c.branches.iter().find_map(|b| self.type_of(&b.1)));
            }
            Expr::Cmp(..)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Not(_)
            | Expr::IsNull(..)
            | Expr::IsBool(..) => Type::Bool,
            Expr::Array(element, _) => element.array_of()?,
            _ => return None,
        })
    }

    /// The relation's column that an expression is.
    pub(super) fn column(&self, e: &Expr) -> Option<(usize, &ColInfo)> {
        let mut named = self.frame()?.rels.iter().filter(|r| !r.alias.is_empty());
        named.find_map(|r| {
            let c = r.columns.iter().find(|c| c.expr == *e)?;
            Some((r.number, c))
        })
    }

    /// The value that a domain's constraint is about.
    fn domain_value(&self, e: &Expr) -> Option<&ColInfo> {
        let frame = self.frame()?;
        frame.names.iter().find(|c| frame.rels.is_empty() && c.expr == *e)
    }

    /// A column's name as it is now: its relation may have renamed it.
    fn column_name(&self, c: &ColInfo) -> String {
        let known = || {
            let stored = self.binder.stored.as_ref()?;
            let read = stored.reads.iter().find(|r| r.oid == c.table_oid)?;
            let n = usize::try_from(c.attnum).ok()?.checked_sub(1)?;
            let (_, then) = read.columns.iter().find(|x| x.0 == n)?;
            if *then != c.name {
                return None;
            }
            Some(match self.binder.catalog.relation(c.table_oid)? {
                Relation::Table(t) => t.columns.get(n)?.name.clone(),
                Relation::View(v) => v.columns.get(n)?.name.clone(),
                _ => return None,
            })
        };
        known().unwrap_or_else(|| c.name.clone())
    }

    /// The modifier of a column's type.
    pub fn modifier_of(&self, column: &Expr) -> Option<i32> {
        Some(self.column(column)?.1.typmod)
    }

    /// What a column is called in a select list, if an expression is one.
    pub fn plain_name(&self, e: &Expr) -> Option<String> {
        match e {
            Expr::Column(_) => Some(self.column_name(self.column(e)?.1)),
            Expr::Outer(slot) => {
                let (outer, e) = self.slot(*slot)?;
                outer.plain_name(e)
            }
            e => self.merged(e).map(str::to_owned),
        }
    }

    /// The column that a join with USING makes of two.
    fn merged(&self, e: &Expr) -> Option<&str> {
        if !matches!(e, Expr::Coalesce(_)) {
            return None;
        }
        let found = self.frame()?.names.iter().find(|c| c.attnum == 0 && c.expr == *e)?;
        Some(&found.name)
    }

    pub(super) fn list(&self, list: &[Expr], want: Type, indent: usize) -> Option<String> {
        let texts: Option<Vec<String>> = list.iter().map(|e| self.text(e, want, indent)).collect();
        Some(texts?.join(", "))
    }

    fn constant(&self, d: &Datum, want: Type) -> Option<String> {
        let is_text = want.category() == b'S' && want != Type::Bpchar || want == Type::Char;
        let text_type = if is_text { want } else { Type::Text };
        let quoted = |s: &str| format!("'{}'", s.replace('\'', "''"));
        let text = match d {
            Datum::Null if is_concrete(want) && want != Type::Unknown => {
                format!("NULL::{}", self.type_name(want, -1)?)
            }
            Datum::Null => "NULL::text".into(),
            Datum::Bpchar(s) => format!("{}::bpchar", quoted(s)),
            Datum::Text(s) => format!("{}::{}", quoted(s), self.type_name(text_type, -1)?),
            Datum::Bool(b) => b.to_string(),
            Datum::Bits(_) => {
                let ty = if want == Type::Varbit { want } else { Type::Bit };
                let digits = to_text(d, ty, -1, self.binder.ctx.format).ok()?;
                format!("'{digits}'::{}", self.type_name(ty, -1)?)
            }
            // It stands for its type.
            Datum::Enum(oid, 0) => format!("NULL::{}", self.type_name(Type::Enum(*oid), -1)?),
            Datum::Enum(oid, value) => {
                let t = self.binder.catalog.user_type(*oid)?;
                let label = &t.labels.iter().find(|l| l.0 == *value)?.1;
                format!("{}::{}", quoted(label), self.type_name(Type::Enum(*oid), -1)?)
            }
            d => {
                let ty = d.natural_type();
                // One that is kept as an OID has a name.
                let is_named = matches!(d, Datum::Oid(_)) && is_concrete(want);
                let is_network = matches!((d, want), (Datum::Inet(_), Type::Cidr));
                let ty = if is_named || is_network { want } else { ty };
                let text = to_text(d, ty, -1, self.binder.ctx.format).ok()?;
                let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
                let fits = text.parse::<i32>().is_ok();
                match d {
                    Datum::Int4(_) if is_plain => text,
                    Datum::Int2(_) | Datum::Int8(_) | Datum::Float4(_) | Datum::Float8(_)
                        if is_plain && (fits || text.contains('.')) =>
                    {
                        self.cast_text(&text, &self.type_name(ty, -1)?, true)
                    }
                    Datum::Numeric(_) if is_plain && text.contains('.') => text,
                    Datum::Numeric(_) if is_plain && fits => self.cast_text(&text, "numeric", true),
                    Datum::Numeric(_) if fits => {
                        self.cast_text(&format!("'{text}'::integer"), "numeric", true)
                    }
                    _ => format!("{}::{}", quoted(&text), self.type_name(ty, -1)?),
                }
            }
        };
        Some(text)
    }

    /// An operand beside another: of an integer it is enough to be one.
    fn operand(&self, e: &Expr, other: &Expr, want: Type, indent: usize) -> Option<String> {
        match (e, other) {
            (_, Expr::Const(_)) => self.based(e, want, indent),
            (Expr::Const(Datum::Int8(n)), _) => match i32::try_from(*n) {
                Ok(n) => self.constant(&Datum::Int4(n), Type::Int4),
                Err(_) => self.based(e, want, indent),
            },
            (Expr::Const(Datum::Int2(n)), _) => self.constant(&Datum::Int4((*n).into()), Type::Int4),
            _ => self.based(e, want, indent),
        }
    }

    /// An operand of another operator. There is one of two sizes of integers, which gives the larger one, for some.
    fn factor(&self, name: &str, e: &Expr, other: &Expr, want: Type, indent: usize) -> Option<String> {
        let is_mixed = matches!(name, "+" | "-" | "*" | "/") && self.type_of(other) == Some(Type::Int8);
        match e {
            Expr::Const(Datum::Int8(_)) if is_mixed => self.operand(e, other, want, indent),
            e => self.based(e, want, indent),
        }
    }

    fn pair(&self, pair: &(Expr, Expr), indent: usize) -> Option<(String, String)> {
        let want = self.type_of(&pair.0).or_else(|| self.type_of(&pair.1)).unwrap_or(Type::Text);
        if want == Type::Varchar {
            return Some((self.as_text(&pair.0, indent)?, self.as_text(&pair.1, indent)?));
        }
        Some((self.operand(&pair.0, &pair.1, want, indent)?, self.operand(&pair.1, &pair.0, want, indent)?))
    }

    /// A value of varchar where it is compared: that has no operators of its own, it is compared as text.
    fn as_text(&self, e: &Expr, indent: usize) -> Option<String> {
        match e {
            Expr::Const(_) => self.text(e, Type::Text, indent),
            e => Some(self.cast_text(&self.text(e, Type::Varchar, indent)?, "text", false)),
        }
    }

    /// The text of a value that is wanted as this type.
    pub fn text(&self, e: &Expr, want: Type, indent: usize) -> Option<String> {
        let text =
            stacker::maybe_grow(STACK_LEFT_BYTES, STACK_PIECE_BYTES, || self.written(e, want, indent))?;
        Some(self.own_of(e, text))
    }

    fn written(&self, e: &Expr, want: Type, indent: usize) -> Option<String> {
        if let Some(name) = self.merged(e) {
            return Some(quote_ident(name));
        }
        Some(match e {
            Expr::Const(d) => self.constant(d, want)?,
            Expr::Column(_) if self.domain_value(e).is_some() => "VALUE".into(),
            Expr::Column(_) => {
                let (number, c) = self.column(e)?;
                format!("{}{}", marks::qualifier(number), quote_ident(&self.column_name(c)))
            }
            Expr::Outer(slot) => {
                let (outer, e) = self.slot(*slot)?;
                outer.text(e, want, indent)?
            }
            // It is said once, before the conditions.
            Expr::Operand(_) => return None,
            Expr::Call(f, args) => self.call(f, args, indent)?,
            Expr::Cmp(op, p) => {
                let (a, b) = self.pair(p, indent)?;
                self.operation(&a, &self.operator_of(op.name(), p), &b)
            }
            Expr::And(l) => self.links(l, " AND ", indent)?,
            Expr::Or(l) => self.links(l, " OR ", indent)?,
            Expr::Not(e) => self.grouped(Kind::Not, &format!("NOT {}", self.text(e, Type::Bool, indent)?)),
            Expr::IsNull(e, not) => {
                let not = if *not { "NOT " } else { "" };
                let text = self.text(e, Type::Text, indent)?;
                self.grouped(Kind::Test, &format!("{text} IS {not}NULL"))
            }
            Expr::IsBool(e, value, not) => {
                let not = if *not { "NOT " } else { "" };
                let word = if *value { "TRUE" } else { "FALSE" };
                let text = self.text(e, Type::Bool, indent)?;
                self.grouped(Kind::Test, &format!("{text} IS {not}{word}"))
            }
            Expr::Distinct(p, not) if matches!(p.1, Expr::Const(Datum::Null)) && self.is_row(&p.0) => {
                let not = if *not { "NOT " } else { "" };
                let text = self.text(&p.0, Type::Record, indent)?;
                self.grouped(Kind::Test, &format!("{text} IS {not}DISTINCT FROM NULL"))
            }
            Expr::Distinct(p, not) => {
                let (a, b) = self.pair(p, indent)?;
                let text = self.grouped(Kind::Test, &format!("{a} IS DISTINCT FROM {b}"));
                if *not { self.grouped(Kind::Not, &format!("NOT {text}")) } else { text }
            }
            Expr::Cast(c) => {
                if let Some(text) = self.json_returned(c, indent) {
                    return Some(text);
                }
                let name = self.type_name(c.to, c.typmod)?;
                match &c.expr {
                    // One that has a type is read when it is computed: what `now` means differs.
                    Expr::Const(Datum::Text(s)) if c.typmod < 0 && c.from == Type::Unknown => {
                        format!("'{}'::{name}", s.replace('\'', "''"))
                    }
                    Expr::Const(Datum::Null) => format!("NULL::{name}"),
                    e => self.cast_text(&self.text(e, c.from, indent)?, &name, is_computed(c.from, c.to)),
                }
            }
            Expr::Case(c) => {
                if let Some(text) = self.whole_row_if_there(e) {
                    return Some(text);
                }
                let want = self.type_of(e).unwrap_or(want);
                let inner = indent + CASE_INDENT;
                let mut text = format!("{}CASE", marks::line(indent));
                if let Some(operand) = &c.operand {
                    text.push_str(&format!(" {}", self.text(operand, c.operand_type()?, inner)?));
                }
                let thens = c.branches.iter().map(|b| &b.1).chain([&c.otherwise]).collect::<Vec<_>>();
                let mut thens = self.choices(&thens, want, inner)?;
                let otherwise = thens.pop()?;
                for ((when, _), then) in c.branches.iter().zip(thens) {
                    let when = match c.operand {
                        None => self.text(when, Type::Bool, inner)?,
                        Some(_) => {
                            let (operand, value) = c.compared(when)?;
                            match self.type_of(value).or_else(|| self.type_of(operand))? {
                                Type::Varchar => self.as_text(value, inner)?,
                                ty => self.text(value, ty, inner)?,
                            }
                        }
                    };
                    text.push_str(&format!("{}WHEN {when} THEN {then}", marks::line(inner)));
                }
                text.push_str(&format!("{}ELSE {otherwise}", marks::line(inner)));
                text.push_str(&marks::line(indent));
                text + "END"
            }
            Expr::Coalesce(l) => {
                let want = self.type_of(e).unwrap_or(want);
                format!("COALESCE({})", self.choice_list(l, want, indent)?)
            }
            Expr::Extreme(greatest, l) => {
                let want = self.type_of(e).unwrap_or(want);
                let name = if *greatest { "GREATEST" } else { "LEAST" };
                format!("{name}({})", self.choice_list(l, want, indent)?)
            }
            Expr::JsonQuery(q) => self.json_query(q, indent)?,
            Expr::NullIf(p, _) => {
                let (a, b) = self.pair(p, indent)?;
                format!("NULLIF({a}, {b})")
            }
            Expr::InList(x, l, not) => self.in_list(x, l, *not, indent)?,
            Expr::AnyArray(op, p, any) => self.quantified(op.name(), p, *any, indent)?,
            Expr::AnyCall(f, p, any) => self.quantified(f.name, p, *any, indent)?,
            Expr::Array(element, l) => {
                // Of arrays in an array the type is that of the inner ones.
                match l.is_empty() {
                    true => format!("ARRAY[]::{}", self.type_name(element.array_of()?, -1)?),
                    false => format!("ARRAY[{}]", self.list(l, *element, indent)?),
                }
            }
            Expr::Subscript(e, l) => {
                let base = self.base(e, indent)?;
                let list: Option<Vec<String>> =
                    l.iter().map(|i| Some(format!("[{}]", self.text(i, Type::Int4, indent)?))).collect();
                format!("{base}{}", list?.concat())
            }
            Expr::Slice(e, bounds) => {
                let mut text = self.base(e, indent)?;
                for (low, high) in bounds {
                    let bound = |b: &Option<Expr>| match b {
                        Some(b) => self.text(b, Type::Int4, indent),
                        None => Some(String::new()),
                    };
                    text.push_str(&format!("[{}:{}]", bound(low)?, bound(high)?));
                }
                text
            }
            Expr::Row(_, l) => match self.whole_row(l) {
                Some(text) => text,
                None => format!("ROW({})", self.list(l, Type::Text, indent)?),
            },
            Expr::Subquery(n, usage, _) => self.subquery(*n, usage, indent)?,
            Expr::Aggregate(n) => self.aggregate(self.frame()?.aggs.get(*n)?, indent)?,
            Expr::Set(n) => {
                let call = self.frame()?.set_calls.get(*n)?;
                self.set_function(&call.name, &call.function)?
            }
            Expr::Window(n) => {
                let windows = &self.frame()?.windows;
                let call = windows.calls.get(*n)?;
                let args = shown(&call.args, &call.arg_types);
                let declared = if let WindowFn::Aggregate(f) = call.f { f.args } else { &[] };
                let mut text = self.called_as(call.f.name(), args, (&call.arg_types, declared), indent)?;
                if let (WindowFn::Aggregate(_), true) = (call.f, args.is_empty()) {
                    text = format!("{}(*)", call.f.name());
                }
                if let Some(f) = &call.filter {
                    text.push_str(&format!(" FILTER (WHERE {})", self.text(f, Type::Bool, indent)?));
                }
                let window = windows.list.get(call.window)?;
                match &window.name {
                    Some(name) => text + " OVER " + &quote_ident(name),
                    None => text + " OVER " + &self.window(window, indent)?,
                }
            }
            Expr::Field(field) => {
                let (row, n) = (&field.of, field.at);
                let attributes = self.attributes_of(row)?;
                let name = &attributes.get(n)?.name;
                let of = self.text(row, Type::Record, indent)?;
                let is_part = matches!(row, Expr::Field(_) | Expr::Subscript(..));
                format!("{}.{}", if is_part { of } else { format!("({of})") }, quote_ident(name))
            }
            Expr::Collate(e, c) => {
                let name = self.binder.catalog.shown_collation(c.oid, self.binder.search_path);
                let text = self.text(e, want, indent)?;
                self.grouped(Kind::Other, &format!("{text} COLLATE {name}"))
            }
            Expr::CollationKey(e, ..) | Expr::ByCollation(e, _) => self.text(e, want, indent)?,
            Expr::Domain(d) if d.checks.place.1.is_empty() => {
                let (inner, name) = (self.text(&d.expr, want, indent)?, &d.checks.name);
                match (&d.expr, inner.rsplit_once("::")) {
                    (Expr::Const(Datum::Null), _) => format!("NULL::{name}"),
                    (Expr::Const(Datum::Array(_)), Some((literal, _))) => format!("{literal}::{name}"),
                    _ => self.cast_text(&inner, name, false),
                }
            }
            Expr::Param(_) | Expr::Domain(_) => return None,
        })
    }

    /// IN: of several that read nothing of this level PostgreSQL makes an array; the others are compared one after the other.
    fn in_list(&self, x: &Expr, l: &[Expr], not: bool, indent: usize) -> Option<String> {
        let reads = |e: &&Expr| {
            e.any(|e| matches!(e, Expr::Column(_) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_)))
        };
        let (others, fixed): (Vec<&Expr>, Vec<&Expr>) = l.iter().partition(reads);
        if fixed.len() < 2 {
            return self.singles(x, &l.iter().collect::<Vec<_>>(), None, not, indent);
        }
        let want = self.type_of(x).or_else(|| l.iter().find_map(|e| self.type_of(e))).unwrap_or(Type::Text);
        let op = if not { ("<>", "ALL") } else { ("=", "ANY") };
        // PostgreSQL has an array of varchar here, cast as a whole; read again, it casts each element: this stays as it is.
        let one = |e: &&Expr| match want {
            Type::Varchar => self.as_text(e, indent),
            want => self.operand(e, x, want, indent),
        };
        let list = fixed.iter().map(one).collect::<Option<Vec<_>>>()?.join(", ");
        let array = |list: &str| self.own(Kind::Separate, format!("ARRAY[{list}]"));
        let first = match want {
            Type::Varchar => {
                let x = self.as_text(x, indent)?;
                self.grouped(Kind::Other, &format!("{x} {} {} ({})", op.0, op.1, array(&list)))
            }
            want => {
                let sign = self.operator_name(op.0, [Some(want); 2]);
                let x = self.based(x, want, indent)?;
                self.grouped(Kind::Other, &format!("{x} {sign} {} ({})", op.1, array(&list)))
            }
        };
        self.singles(x, &others, Some(first), not, indent)
    }

    /// Comparisons one after the other, behind what stands before them.
    fn singles(
        &self,
        x: &Expr,
        l: &[&Expr],
        before: Option<String>,
        not: bool,
        indent: usize,
    ) -> Option<String> {
        let (op, word) = if not { (CmpOp::Ne, " AND ") } else { (CmpOp::Eq, " OR ") };
        let want = self.type_of(x).or_else(|| l.iter().find_map(|e| self.type_of(e))).unwrap_or(Type::Text);
        let side = |e: &Expr, other: &Expr| match want {
            Type::Varchar => self.as_text(e, indent),
            want => self.operand(e, other, want, indent),
        };
        let sign = self.operator_name(op.name(), [Some(want); 2]);
        let one = |e: &&Expr| Some(self.operation(&side(x, e)?, &sign, &side(e, x)?));
        let mut texts: Vec<String> = before.into_iter().collect();
        texts.extend(l.iter().map(one).collect::<Option<Vec<_>>>()?);
        let kind = if not { Kind::And } else { Kind::Or };
        Some(if texts.len() == 1 { texts.concat() } else { self.grouped(kind, &texts.join(word)) })
    }

    /// What is subscripted.
    fn base(&self, e: &Expr, indent: usize) -> Option<String> {
        let text = self.text(e, Type::Text, indent)?;
        let is_part = shape(e) == Shape::Column || matches!(e, Expr::Field(_));
        Some(if is_part { text } else { format!("({text})") })
    }

    fn is_row(&self, e: &Expr) -> bool {
        matches!(e, Expr::Row(..)) || matches!(self.type_of(e), Some(Type::Composite(_)))
    }

    fn links(&self, l: &[Expr], word: &str, indent: usize) -> Option<String> {
        // Whoever reads it makes one list of a list that begins with one of the same kind.
        let mut l = l;
        let mut rest: Vec<&[Expr]> = Vec::new();
        while let Some(first) = l.first() {
            let inner = match first {
                Expr::And(inner) if word == " AND " => inner,
                Expr::Or(inner) if word == " OR " => inner,
                _ => break,
            };
            rest.push(&l[1..]);
            l = inner;
        }
        let all = l.iter().chain(rest.into_iter().rev().flatten());
        let texts: Option<Vec<String>> = all.map(|e| self.text(e, Type::Bool, indent)).collect();
        let kind = if word == " AND " { Kind::And } else { Kind::Or };
        Some(self.grouped(kind, &texts?.join(word)))
    }

    fn quantified(&self, op: &str, p: &(Expr, Expr), any: bool, indent: usize) -> Option<String> {
        let array = self.type_of(&p.1);
        let want = self.type_of(&p.0).or(array.and_then(Type::element)).unwrap_or(Type::Text);
        let of = array.or_else(|| want.array_of()).unwrap_or(Type::Text);
        let (left, right) = (self.based(&p.0, want, indent)?, self.text(&p.1, of, indent)?);
        let op = self.operator_of(op, p);
        let word = if any { "ANY" } else { "ALL" };
        Some(self.grouped(Kind::Other, &format!("{left} {op} {word} ({right})")))
    }

    /// A function by its name, with the schema that it is said to be in if that is not searched.
    pub(super) fn function_name(&self, name: &str) -> String {
        let catalog = self.binder.catalog;
        let extension = evenkeel_types::extension_of(name).and_then(|e| {
            let made = catalog.extensions().find(|x| x.name == e)?;
            if self.binder.search_path.contains(&made.schema) {
                return None;
            }
            Some(format!("{}.", quote_ident(&catalog.schema(made.schema)?.name)))
        });
        format!("{}{}", extension.unwrap_or_default(), quote_ident(name))
    }

    /// An operator by its name, with the schema of its extension if that is not searched.
    fn operator_name(&self, name: &str, operands: [Option<Type>; 2]) -> String {
        // Arrays have operators that are nobody's.
        let of_extension = operands.iter().flatten().filter(|t| **t != Type::HstoreArray);
        let of_extension = of_extension.filter_map(|t| t.extension()).next();
        let extension = match (of_extension, name) {
            (Some(extension), _) => extension,
            (_, "%" | "<%" | "%>" | "<<%" | "%>>" | "<->" | "<<->" | "<->>" | "<<<->" | "<->>>")
                if operands == [Some(Type::Text); 2] =>
            {
                "pg_trgm"
            }
            _ => return name.to_owned(),
        };
        let catalog = self.binder.catalog;
        let schema = catalog
            .extensions()
            .find(|e| e.name == extension && !self.binder.search_path.contains(&e.schema))
            .and_then(|e| catalog.schema(e.schema));
        match schema {
            Some(s) => format!("OPERATOR({}.{name})", quote_ident(&s.name)),
            None => name.to_owned(),
        }
    }

    /// The same, where it is known by its operands alone.
    fn operator_of(&self, name: &str, p: &(Expr, Expr)) -> String {
        self.operator_name(name, [self.type_of(&p.0), self.type_of(&p.1)])
    }

    pub(super) fn called(&self, name: &str, args: &[Expr], types: &[Type], indent: usize) -> Option<String> {
        self.called_as(name, args, (types, types), indent)
    }

    /// The same of a function whose arguments are of types, as it is declared with others.
    fn called_as(
        &self,
        name: &str,
        args: &[Expr],
        (types, declared): (&[Type], &[Type]),
        indent: usize,
    ) -> Option<String> {
        let mut texts = Vec::with_capacity(args.len());
        for (n, a) in args.iter().enumerate() {
            let of = |types: &[Type]| types.get(n).or(types.last()).copied().filter(|t| is_concrete(*t));
            let want = of(types).unwrap_or(Type::Text);
            let is_any = of(declared).is_none();
            texts.push(if is_any { self.text(a, want, indent)? } else { self.based(a, want, indent)? });
        }
        Some(format!("{}({})", self.function_name(name), texts.join(", ")))
    }

    /// Of a row that is NULL its type is told by what stands behind the arguments.
    pub(super) fn populated(&self, name: &str, args: &[Expr], types: &[Type]) -> Option<String> {
        let [row, json, Expr::Const(Datum::Oid(oid))] = args else { return None };
        let row = match row {
            Expr::Const(Datum::Null) => format!("NULL::{}", self.type_name(Type::Composite(*oid), -1)?),
            row => self.text(row, Type::Composite(*oid), 0)?,
        };
        Some(format!("{}({row}, {})", self.function_name(name), self.text(json, types[1], 0)?))
    }

    fn call(&self, f: &'static ScalarFn, args: &[Expr], indent: usize) -> Option<String> {
        if std::ptr::eq(f, &NAMED_RECORD) {
            let row = args.first()?;
            return if let Expr::Row(_, l) = row { self.whole_row(l) } else { self.whole_row_if_there(row) };
        }
        if populate(f.name).is_some_and(|p| std::ptr::eq(p, f)) {
            return self.populated(f.name, args, f.args);
        }
        if let Some(text) = self.json_constructed(f, args, indent) {
            return text;
        }
        if std::ptr::eq(f, &COMPOSITE_ROW) {
            return self.row_of_type(args, indent);
        }
        let own = |of: &'static ScalarFn, count: usize| std::ptr::eq(f, of).then_some(count);
        if let Some(count) = own(&HSTORE_INTO_FIELDS, 2).or(own(&HSTORE_OF_ROW, 1)) {
            return self.called(f.name, &args[..count], f.args, indent);
        }
        if std::ptr::eq(f, &GROUPING) {
            return Some(format!("GROUPING({})", self.list(args, Type::Text, indent)?));
        }
        if is_operator(f) {
            let known = lookup_operators(f.name).iter().any(|o| std::ptr::eq(o, f));
            return match args {
                [a, b] if known => {
                    let want = |n: usize| {
                        let own = f.args.get(n).copied()?;
                        if is_concrete(own) {
                            return Some(own);
                        }
                        // NULL beside an array, or beside what becomes part of one.
                        let other = self.type_of(if n == 0 { b } else { a })?;
                        match (own, *f.args.get(1 - n)?) {
                            (Type::AnyArray, Type::AnyElement) => other.array_of(),
                            (Type::AnyElement, Type::AnyArray) => other.element(),
                            (a, b) if a == b => Some(other),
                            _ => None,
                        }
                    };
                    let (x, y) = (want(0).unwrap_or(Type::Text), want(1).unwrap_or(Type::Text));
                    let a_text = self.factor(f.name, a, b, x, indent)?;
                    let name = self.operator_name(f.name, [want(0), want(1)]);
                    Some(self.operation(&a_text, &name, &self.factor(f.name, b, a, y, indent)?))
                }
                [a] if known => {
                    let name = self.operator_name(f.name, [None, Some(f.args[0])]);
                    let text = self.based(a, f.args[0], indent)?;
                    Some(self.grouped(Kind::Operator, &format!("{name} {text}")))
                }
                _ => None,
            };
        }
        if let Some(text) = self.spelled(f, args, indent) {
            return Some(text);
        }
        let f = unspelled(f);
        if !lookup_functions(f.name).iter().any(|o| std::ptr::eq(o, f)) {
            return if takes_array(f) { self.called_with_array(f, args, indent) } else { None };
        }
        match (f.name, args) {
            ("extract", [Expr::Const(Datum::Text(field)), of]) => {
                Some(format!("EXTRACT({field} FROM {})", self.text(of, f.args[1], indent)?))
            }
            ("enum_first" | "enum_last" | "enum_range", [Expr::Const(Datum::Enum(_, 0)), bounds @ ..])
                if bounds.len() > 1 =>
            {
                self.called(f.name, bounds, &[], indent)
            }
            (name, []) if WORDS.contains(&name) => Some(name.to_uppercase()),
            (name, [precision]) if WORDS.contains(&name) => {
                Some(format!("{}({})", name.to_uppercase(), self.text(precision, Type::Int4, indent)?))
            }
            // The last arguments of these are an array to PostgreSQL.
            (
                "json_extract_path"
                | "json_extract_path_text"
                | "jsonb_extract_path"
                | "jsonb_extract_path_text",
                [of, path @ ..],
            ) if !path.is_empty() => {
                let (of, path) = (self.text(of, f.args[0], indent)?, self.list(path, Type::Text, indent)?);
                Some(format!("{}({of}, VARIADIC ARRAY[{path}])", f.name))
            }
            _ => self.called(f.name, args, f.args, indent),
        }
    }

    fn subquery(&self, n: usize, usage: &SubqueryUse, indent: usize) -> Option<String> {
        let query = marks::query(n, indent);
        if let SubqueryUse::All(CmpOp::Ne, left) = usage {
            let any = self.subquery(n, &SubqueryUse::Any(CmpOp::Eq, left.clone()), indent)?;
            return Some(self.grouped(Kind::Not, &format!("NOT {any}")));
        }
        let text = match usage {
            SubqueryUse::Exists => format!("(EXISTS ({query}))"),
            SubqueryUse::Scalar => format!("({query})"),
            SubqueryUse::Array(_) => format!("ARRAY({query})"),
            SubqueryUse::Any(op, left) | SubqueryUse::All(op, left) | SubqueryUse::Row(op, left) => {
                let one = |e: &Expr| match self.type_of(e) {
                    Some(Type::Varchar) => self.as_text(e, indent),
                    _ => self.text(e, Type::Text, indent),
                };
                let text = left.iter().map(one).collect::<Option<Vec<_>>>()?.join(", ");
                let left = if left.len() > 1 { format!("ROW({text})") } else { text };
                // PostgreSQL writes a row on this side of IN without the word.
                let left = left.replacen("ROW(", "(", usize::from(left.starts_with("ROW(")));
                match usage {
                    SubqueryUse::Any(CmpOp::Eq, _) => format!("({left} IN ({query}))"),
                    SubqueryUse::Any(..) => format!("({left} {} ANY ({query}))", op.name()),
                    SubqueryUse::All(..) => format!("({left} {} ALL ({query}))", op.name()),
                    _ => format!("({left} {} ({query}))", op.name()),
                }
            }
        };
        Some(self.own(Kind::Subquery, text))
    }

    fn aggregate(&self, call: &AggCall, indent: usize) -> Option<String> {
        let name = self.function_name(call.f.name);
        let mut text = match call.args.is_empty() {
            _ if call.within.is_some() => {
                self.called(call.f.name, call.direct(), &call.arg_types, indent)? + " WITHIN GROUP ("
            }
            true => format!("{name}(*"),
            false => {
                let args = shown(&call.args, &call.arg_types);
                let types = (&call.arg_types[..], call.f.args);
                let called = self.called_as(call.f.name, args, types, indent)?;
                let args = called.strip_prefix(&format!("{name}("))?.strip_suffix(')')?;
                format!("{name}({}{args}", if call.distinct { "DISTINCT " } else { "" })
            }
        };
        if !call.order.is_empty() && !call.is_order_implied {
            let blank = if text.ends_with('(') { "" } else { " " };
            text.push_str(&format!("{blank}ORDER BY {}", self.keys(&call.order, indent)?));
        }
        text.push(')');
        if let Some(f) = &call.filter {
            text.push_str(&format!(" FILTER (WHERE {})", self.text(f, Type::Bool, indent)?));
        }
        Some(text)
    }

    /// What rows are ordered by, within calls and windows.
    fn keys(&self, keys: &[SortKey], indent: usize) -> Option<String> {
        let one = |k: &SortKey| {
            let text = self.text(&k.expr, Type::Text, indent)?;
            Some(key(&in_parentheses(text, shape(&k.expr), self.is_pretty()), k.desc, k.nulls_first))
        };
        Some(keys.iter().map(one).collect::<Option<Vec<_>>>()?.join(", "))
    }

    /// A window in its parentheses.
    pub fn window(&self, w: &Window, indent: usize) -> Option<String> {
        let mut parts = Vec::new();
        if !w.partition.is_empty() {
            let pretty = self.is_pretty();
            let one = |e: &Expr| Some(in_parentheses(self.text(e, Type::Text, indent)?, shape(e), pretty));
            let list: Option<Vec<String>> = w.partition.iter().map(one).collect();
            parts.push(format!("PARTITION BY {}", list?.join(", ")));
        }
        if !w.order.is_empty() {
            parts.push(format!("ORDER BY {}", self.keys(&w.order, indent)?));
        }
        if w.frame.is_written {
            parts.push(self.window_frame(&w.frame, indent)?);
        }
        Some(format!("({})", parts.join(" ")))
    }

    fn window_frame(&self, f: &WindowFrame, indent: usize) -> Option<String> {
        let mode = match f.mode {
            FrameMode::Rows => "ROWS",
            FrameMode::Range => "RANGE",
            FrameMode::Groups => "GROUPS",
        };
        let offset = |e: &Expr| match e {
            Expr::Const(Datum::Int8(n)) if *n >= 0 => Some(n.to_string()),
            e => self.text(e, Type::Int8, indent),
        };
        let bound = |b: &FrameBound| {
            Some(match b {
                FrameBound::Start => "UNBOUNDED PRECEDING".into(),
                FrameBound::End => "UNBOUNDED FOLLOWING".into(),
                FrameBound::Current => "CURRENT ROW".into(),
                FrameBound::Before(e) => format!("{} PRECEDING", offset(e)?),
                FrameBound::After(e) => format!("{} FOLLOWING", offset(e)?),
            })
        };
        let start: String = bound(&f.start)?;
        let mut text = match f.has_between {
            true => format!("{mode} BETWEEN {start} AND {}", bound(&f.end)?),
            false => format!("{mode} {start}"),
        };
        text.push_str(match f.exclude {
            Exclude::NoOthers => "",
            Exclude::CurrentRow => " EXCLUDE CURRENT ROW",
            Exclude::Group => " EXCLUDE GROUP",
            Exclude::Ties => " EXCLUDE TIES",
        });
        Some(text)
    }
}
