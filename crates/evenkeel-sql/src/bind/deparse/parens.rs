//! Parentheses: PostgreSQL puts them around every operator that it writes, and for people around those that need them, as far as it counts on precedence (`isSimpleNode`).
//!
//! A text for people has marks around each operator, test, cast and subquery, and around what separates its parts by itself; once the whole expression is there, `settled` makes
//! parentheses of those that are needed, or nothing.
//!
//! Invariants
//! 1. Marks are balanced in each noted text, and never those of somebody's text (`marks`, 1).
//!
//! Must not know: how expressions are written.

use super::expr::{Shape, Writer, is_operator};
use super::marks;
use crate::plan::expr::Expr;

/// Which parentheses a text has.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Parentheses {
    #[default]
    All,
    /// All but those of AND within AND, and of OR within OR: nothing else is lost of what a text for people says.
    Chained,
    /// For people.
    Needed,
}

/// What stands between two marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `+` and `-` between two operands.
    Sum,
    /// `*`, `/` and `%`.
    Product,
    /// Any other operator.
    Operator,
    And,
    Or,
    Not,
    /// IS NULL, IS TRUE, IS DISTINCT FROM.
    Test,
    /// A subquery, whose own parentheses are there.
    Subquery,
    /// COLLATE, `= ANY (…)`: in parentheses wherever it is an operand.
    Other,
    /// A cast that is a function.
    Call,
    /// One that reads or relabels: as simple as what is cast.
    Relabel,
    /// A spelling of the grammar, which has parentheses of its own, and operands.
    Spelled,
    /// What separates its parts by itself.
    Separate,
    /// AND and OR that need no parentheses within their like alone.
    AndChain,
    OrChain,
}

const KINDS: [(Kind, char); 15] = [
    (Kind::Sum, '+'),
    (Kind::Product, '*'),
    (Kind::Operator, 'o'),
    (Kind::And, '&'),
    (Kind::Or, '|'),
    (Kind::Not, '!'),
    (Kind::Test, '?'),
    (Kind::Subquery, 'q'),
    (Kind::Other, 'x'),
    (Kind::Call, 'f'),
    (Kind::Relabel, ':'),
    (Kind::Spelled, 's'),
    (Kind::Separate, ','),
    (Kind::AndChain, 'A'),
    (Kind::OrChain, 'O'),
];

impl Kind {
    fn of_operator(name: &str) -> Kind {
        match name {
            "+" | "-" => Kind::Sum,
            "*" | "/" | "%" => Kind::Product,
            _ => Kind::Operator,
        }
    }

    /// Whether this needs no parentheses within that.
    fn is_simple(self, within: Kind, is_first: bool, has_complex: bool) -> bool {
        use Kind as K;
        let in_condition = matches!(within, K::And | K::Or | K::Not);
        match (self, within) {
            (K::AndChain | K::OrChain, _) => self == within,
            (_, K::Subquery | K::Separate) | (K::Call | K::Spelled | K::Separate, _) => true,
            (K::Relabel, _) => !has_complex,
            (K::Product, K::Sum) => true,
            (K::Sum, K::Sum) | (K::Product, K::Product) => is_first,
            (K::Sum | K::Product | K::Operator | K::Test | K::Subquery, _) => in_condition,
            (K::And | K::Not, K::And | K::Or) | (K::Or, K::Or) => true,
            _ => false,
        }
    }
}

/// One that is open.
struct Open {
    kind: Kind,
    from: usize,
    is_first: bool,
    /// Something in it has got parentheses.
    has_complex: bool,
}

/// A text with its parentheses.
pub(super) fn settled(text: &str) -> String {
    if !text.contains(marks::OPEN) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Open> = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            marks::OPEN => {
                let letter = chars.next().unwrap_or(',');
                let kind = KINDS.iter().find(|k| k.1 == letter).map_or(Kind::Separate, |k| k.0);
                let is_first = open.last().is_some_and(|o: &Open| o.from == out.len());
                open.push(Open { kind, from: out.len(), is_first, has_complex: false });
            }
            marks::CLOSE => {
                let Some(closed) = open.pop() else { continue };
                let is_chain = matches!(closed.kind, Kind::AndChain | Kind::OrChain);
                let Some(outer) = open.last_mut() else {
                    if is_chain {
                        out.insert(closed.from, '(');
                        out.push(')');
                    }
                    continue;
                };
                if !closed.kind.is_simple(outer.kind, closed.is_first, closed.has_complex) {
                    out.insert(closed.from, '(');
                    out.push(')');
                    outer.has_complex = true;
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// What an expression is whose parts commas, brackets or words separate.
fn own_kind(e: &Expr) -> Option<Kind> {
    match e {
        Expr::Call(f, _) if matches!(f.name, "timezone" | "is_normalized") => Some(Kind::Spelled),
        Expr::Call(f, _) => (!is_operator(f)).then_some(Kind::Separate),
        Expr::Aggregate(_)
        | Expr::Window(_)
        | Expr::Set(_)
        | Expr::Case(_)
        | Expr::Coalesce(_)
        | Expr::Extreme(..)
        | Expr::JsonQuery(_)
        | Expr::NullIf(..)
        | Expr::Array(..)
        | Expr::Row(..)
        | Expr::Subscript(..)
        | Expr::Slice(..)
        | Expr::Field(_) => Some(Kind::Separate),
        _ => None,
    }
}

/// Something that is ordered or grouped by: what looks like a call stands in parentheses, for people all that is no column, and a number, which would be taken for a column's, has its type.
pub(super) fn in_parentheses(text: String, shape: Shape, is_pretty: bool) -> String {
    let is_cast = text.starts_with(marks::OPEN);
    match (shape, text.as_bytes().first()) {
        (Shape::Call, _) | (Shape::Const, Some(b'(')) => format!("({text})"),
        (Shape::Other, _) if is_pretty => format!("({text})"),
        (Shape::Const, _) if is_cast => format!("({text})"),
        (Shape::Const, Some(b'0'..=b'9')) if text.contains('.') => format!("{text}::numeric"),
        (Shape::Const, Some(b'0'..=b'9')) => format!("{text}::integer"),
        (Shape::Const, Some(b't' | b'f')) => format!("{text}::boolean"),
        _ => text,
    }
}

/// A key with its direction, where that is not the usual one.
pub(super) fn key(text: &str, desc: bool, nulls_first: bool) -> String {
    let suffix = [["", " NULLS FIRST"], [" DESC NULLS LAST", " DESC"]][usize::from(desc)];
    format!("{text}{}", suffix[usize::from(nulls_first)])
}

impl Writer<'_, '_> {
    fn parentheses(&self) -> Parentheses {
        self.binder.notes.as_ref().map_or(Parentheses::All, |n| n.parentheses)
    }

    pub(super) fn is_pretty(&self) -> bool {
        self.parentheses() == Parentheses::Needed
    }

    fn marked(kind: Kind, text: &str) -> String {
        let letter = KINDS.iter().find(|k| k.0 == kind).map_or(',', |k| k.1);
        format!("{}{letter}{text}{}", marks::OPEN, marks::CLOSE)
    }

    /// Something in parentheses, as far as it needs them.
    pub(super) fn grouped(&self, kind: Kind, text: &str) -> String {
        match (self.parentheses(), kind) {
            (Parentheses::Needed, _) => Self::marked(kind, text),
            (Parentheses::Chained, Kind::And) => Self::marked(Kind::AndChain, text),
            (Parentheses::Chained, Kind::Or) => Self::marked(Kind::OrChain, text),
            _ => format!("({text})"),
        }
    }

    /// An operator with its operands.
    pub(super) fn operation(&self, left: &str, name: &str, right: &str) -> String {
        self.grouped(Kind::of_operator(name), &format!("{left} {name} {right}"))
    }

    /// A cast.
    pub(super) fn cast_text(&self, text: &str, name: &str, is_call: bool) -> String {
        match self.is_pretty() {
            true => {
                Self::marked(if is_call { Kind::Call } else { Kind::Relabel }, &format!("{text}::{name}"))
            }
            false => format!("({text})::{name}"),
        }
    }

    /// The same of an expression that is such a one.
    pub(super) fn own_of(&self, e: &Expr, text: String) -> String {
        match own_kind(e) {
            Some(kind) => self.own(kind, text),
            None => text,
        }
    }

    /// What has its parentheses already, or separates its parts.
    pub(super) fn own(&self, kind: Kind, text: String) -> String {
        let needs_none = kind == Kind::Separate && !text.contains(marks::OPEN);
        if needs_none || !self.is_pretty() { text } else { Self::marked(kind, &text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_there_where_they_are_needed() {
        let of = |kind, text: &str| Writer::marked(kind, text);
        let sum = |text: &str| of(Kind::Sum, text);
        let cases = [
            (sum("a + b"), "a + b"),
            (sum(&format!("{} - c", sum("a - b"))), "a - b - c"),
            (sum(&format!("a - {}", sum("b - c"))), "a - (b - c)"),
            (of(Kind::Product, &format!("{} * 2", sum("a + 1"))), "(a + 1) * 2"),
            (sum(&format!("{} + 1", of(Kind::Product, "a * 2"))), "a * 2 + 1"),
            (of(Kind::Separate, &format!("f({}, b)", sum("a + 1"))), "f(a + 1, b)"),
            (of(Kind::Relabel, &format!("{}::text", sum("a + 1"))), "(a + 1)::text"),
            (
                sum(&format!("{} + 1", of(Kind::Relabel, &format!("{}::int", sum("a + 1"))))),
                "((a + 1)::int) + 1",
            ),
            (of(Kind::Not, &format!("NOT {}", of(Kind::And, "a AND b"))), "NOT (a AND b)"),
            (of(Kind::Or, &format!("{} OR c", of(Kind::And, "a AND b"))), "a AND b OR c"),
            (of(Kind::And, &format!("{} AND c", of(Kind::Or, "a OR b"))), "(a OR b) AND c"),
        ];
        for (text, want) in cases {
            assert_eq!(settled(&text), want);
        }
    }
}
