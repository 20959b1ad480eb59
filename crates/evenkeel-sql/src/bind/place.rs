//! Where in a statement's text an error is: what psql points at.
//!
//! Places are PostgreSQL's: an operator's error is at the operator, a function's at its name, that of a literal's value at the literal, that of any other expression where it begins.
//! The syntax tree does not tell of all of them; what it lacks is looked for among the tokens.
//!
//! Invariants:
//! 1. Nothing is looked for before there is an error. One that has a place keeps it, as it is that of a smaller part; one whose place cannot be told gets none of a larger part.
//! 2. A place is of what the client sent: what the catalog keeps has none, unless it stands in the statement that makes it.
//!
//! Must not know: what the errors are.

use super::expr::operator_name;
use super::{Binder, Frame, Typed};
use crate::parse::cursor::position_of;
use crate::parse::in_list::listed;
use crate::parse::rewrite::depth_of;
use crate::parse::tokenize;
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type, common_type, is_undetermined};
use sqlparser::ast::{self, Expr as Ast, ObjectName, ObjectNamePart, SetExpr, UnaryOperator};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};
use std::ops::Range;
use std::sync::Arc;

const UNKNOWN: Location = Location { line: 0, column: 0 };

/// What is being bound of the source.
#[derive(Clone)]
pub(super) enum Shown {
    /// All of it.
    Whole,
    /// A text that may stand there.
    Part(Arc<str>),
    /// What stands nowhere in it.
    Nothing,
}

/// Where a literal stands that has no type yet.
pub(super) struct Literal {
    pub text: Arc<str>,
    pub span: Span,
    /// It stands in what is to be kept.
    pub is_captured: bool,
    shown: Shown,
}

/// Where columns of a level are named, but in arguments of its aggregates.
#[derive(Default)]
pub(crate) struct Seen {
    /// With their places in the level's buffer.
    columns: Vec<(Location, usize)>,
    /// How many there were behind each output.
    outputs: Vec<usize>,
    /// Those that what is being looked at has named.
    here: Range<usize>,
}

impl Seen {
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// There are so many outputs now.
    pub(super) fn end_outputs(&mut self, outputs: usize) {
        self.outputs.resize(outputs, self.columns.len());
    }

    /// From here on an output is looked at.
    pub(super) fn look_at_output(&mut self, n: usize) {
        let end = |n: usize| self.outputs.get(n).copied();
        // Outputs of one item are noted together.
        let own = end(n).unwrap_or_default();
        let first = self.outputs.iter().rev().copied().find(|end| *end < own).unwrap_or_default();
        self.here = first..own;
    }

    /// From here on what has named these is looked at.
    pub(super) fn look_at(&mut self, columns: Range<usize>) {
        self.here = columns;
    }

    /// Where it names a column.
    pub(super) fn find(&self, column: usize) -> Location {
        let here = self.columns.get(self.here.clone()).unwrap_or_default();
        here.iter().find(|(_, c)| *c == column).map_or(UNKNOWN, |(at, _)| *at)
    }
}

impl Frame {
    /// Notes where a column is named.
    pub(super) fn note_seen(&mut self, at: Location, value: &Expr) {
        if let (Expr::Column(column), false) = (value, self.in_agg) {
            self.seen.columns.push((at, *column));
        }
    }
}

/// Where a name begins.
pub(crate) fn first_location(name: &ObjectName) -> Location {
    match name.0.first() {
        Some(ObjectNamePart::Identifier(i)) => i.span.start,
        _ => UNKNOWN,
    }
}

/// How to find where an expression begins: from a place back over these words, the last of them first.
struct Start {
    from: Location,
    words: Vec<&'static str>,
}

impl Start {
    fn of(mut e: &Ast) -> Start {
        let mut words = Vec::new();
        let from = loop {
            e = match listed(e) {
                Ast::Identifier(i) | Ast::Prefixed { prefix: i, .. } => break i.span.start,
                Ast::CompoundIdentifier(parts) => break parts.first().map_or(UNKNOWN, |i| i.span.start),
                Ast::QualifiedWildcard(name, _) => break first_location(name),
                Ast::Value(v) => break v.span.start,
                Ast::TypedString(t) => break t.value.span.start,
                Ast::Function(f) => break first_location(&f.name),
                Ast::Case { case_token, .. } => break case_token.0.span.start,
                Ast::BinaryOp { left: x, .. }
                | Ast::AnyOp { left: x, .. }
                | Ast::AllOp { left: x, .. }
                | Ast::IsNull(x)
                | Ast::IsNotNull(x)
                | Ast::IsTrue(x)
                | Ast::IsNotTrue(x)
                | Ast::IsFalse(x)
                | Ast::IsNotFalse(x)
                | Ast::IsUnknown(x)
                | Ast::IsNotUnknown(x)
                | Ast::IsDistinctFrom(x, _)
                | Ast::IsNotDistinctFrom(x, _)
                | Ast::IsJson { expr: x, .. }
                | Ast::IsNormalized { expr: x, .. }
                | Ast::InList { expr: x, .. }
                | Ast::InSubquery { expr: x, .. }
                | Ast::Between { expr: x, .. }
                | Ast::Like { expr: x, .. }
                | Ast::ILike { expr: x, .. }
                | Ast::SimilarTo { expr: x, .. }
                | Ast::AtTimeZone { timestamp: x, .. }
                | Ast::Collate { expr: x, .. }
                | Ast::CompoundFieldAccess { root: x, .. }
                | Ast::Cast { kind: ast::CastKind::DoubleColon, expr: x, .. }
                | Ast::Nested(x) => x,
                Ast::Cast { kind: ast::CastKind::Cast, expr: x, .. } => before(&mut words, "cast", x),
                Ast::Extract { expr: x, .. } => before(&mut words, "extract", x),
                Ast::Position { expr: x, .. } => before(&mut words, "position", x),
                Ast::Substring { expr: x, shorthand: false, .. } => before(&mut words, "substring", x),
                Ast::Overlay { expr: x, .. } => before(&mut words, "overlay", x),
                Ast::Trim { expr, trim_what: x, .. } => {
                    before(&mut words, "trim", x.as_deref().unwrap_or(expr))
                }
                Ast::Interval(i) => before(&mut words, "interval", &i.value),
                Ast::UnaryOp { op, expr: x } => match sign(op) {
                    Some(sign) => before(&mut words, sign, x),
                    None => break UNKNOWN,
                },
                Ast::Array(a) => match a.elem.first() {
                    Some(x) => {
                        if a.named {
                            words.push("array");
                        }
                        before(&mut words, "[", x)
                    }
                    None => break UNKNOWN,
                },
                Ast::Tuple(items) => match items.first() {
                    Some(x) => before(&mut words, "(", x),
                    None => break UNKNOWN,
                },
                Ast::Exists { subquery, .. } => {
                    words.push("exists");
                    break start_of_query(subquery);
                }
                Ast::Subquery(q) => {
                    words.push("(");
                    break start_of_query(q);
                }
                _ => break UNKNOWN,
            }
        };
        Start { from, words }
    }
}

fn before<'e>(words: &mut Vec<&'static str>, word: &'static str, then: &'e Ast) -> &'e Ast {
    words.push(word);
    then
}

fn sign(op: &UnaryOperator) -> Option<&'static str> {
    Some(match op {
        UnaryOperator::Not => "not",
        UnaryOperator::Minus => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::BitwiseNot => "~",
        UnaryOperator::PGAbs => "@",
        UnaryOperator::PGSquareRoot => "|/",
        UnaryOperator::PGCubeRoot => "||/",
        _ => return None,
    })
}

fn start_of_query(q: &ast::Query) -> Location {
    if let Some(with) = &q.with {
        return with.with_token.0.span.start;
    }
    let mut body = &*q.body;
    loop {
        body = match body {
            SetExpr::Select(s) => return s.select_token.0.span.start,
            SetExpr::SetOperation { left, .. } => left,
            _ => return UNKNOWN,
        }
    }
}

/// The tokens of a text, to look among.
struct Tokens(Vec<TokenWithSpan>);

impl Tokens {
    /// The number of the token that stands at a place.
    fn at(&self, place: Location) -> Option<usize> {
        let order = |t: &TokenWithSpan| (t.span.start.line, t.span.start.column);
        self.0.binary_search_by_key(&(place.line, place.column), order).ok()
    }

    /// The last token before one that is this word or sign.
    fn before(&self, n: usize, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        (0..n).rev().find(|n| {
            let text = match &self.0[*n].token {
                Token::Word(w) if w.quote_style.is_some() => return false,
                token => token.to_string(),
            };
            is_it(&text.to_ascii_lowercase())
        })
    }

    fn start(&self, of: &Ast) -> Option<usize> {
        let Start { from, words } = Start::of(of);
        let mut at = self.at(from)?;
        for word in words.iter().rev() {
            at = self.before(at, |text| text == *word)?;
        }
        Some(at)
    }

    /// Where a window's definition begins behind a name, or where its frame's bound stands: the first, or the last.
    fn window(&self, name: Location, bound: Option<bool>) -> Option<usize> {
        let from = self.at(name)?;
        let is = |n: usize, words: &[&str]| {
            matches!(self.0.get(n).map(|t| &t.token), Some(Token::Word(w)) if w.quote_style.is_none()
                && words.iter().any(|word| w.value.eq_ignore_ascii_case(word)))
        };
        // At the depth of parentheses where one begins: the first word of some.
        let next = |from: usize, words: &[&str]| {
            let mut depth = 0i32;
            (from..self.0.len()).find(|n| {
                depth += depth_of(&self.0[*n].token);
                depth == 0 && is(*n, words)
            })
        };
        let open = next(from, &["over", "as"])? + 1;
        if self.0.get(open).map(|t| &t.token) != Some(&Token::LParen) {
            return None;
        }
        let Some(is_last) = bound else { return Some(open) };
        let frame = next(open + 1, &["rows", "range", "groups"])?;
        match is(frame + 1, &["between"]) {
            true if is_last => next(frame + 2, &["and"]).map(|and| and + 1),
            true => Some(frame + 2),
            false => Some(frame + 1),
        }
    }

    /// The operator before an operand; that of NOT LIKE and its like is NOT.
    fn operator(&self, names: &[&str], operand: usize) -> Option<usize> {
        let at = self.before(operand, |text| names.contains(&text))?;
        let is_word = names.iter().any(|n| n.starts_with(|c: char| c.is_ascii_alphabetic()));
        let before = at.checked_sub(1).filter(|_| is_word);
        let is_not = |n: &usize| matches!(&self.0[*n].token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case("not"));
        Some(before.filter(is_not).unwrap_or(at))
    }

    /// `::` of a cast.
    fn colons(&self, operand: &Ast) -> Option<usize> {
        // How many parentheses are closed before it, and how many casts of the operand itself come first.
        let (mut e, mut closed, mut casts) = (operand, 0i32, 0);
        loop {
            e = match e {
                Ast::Nested(x) => {
                    closed += 1;
                    x
                }
                Ast::Cast { kind: ast::CastKind::DoubleColon, expr, .. } => {
                    casts += i32::from(closed == 0);
                    expr
                }
                Ast::Case { end_token, .. } if closed == 0 => {
                    let end = self.at(end_token.0.span.start)?;
                    return self.nth_colons(end, 0, casts);
                }
                _ => break,
            }
        }
        self.nth_colons(self.start(e)?, closed, casts)
    }

    fn nth_colons(&self, from: usize, mut depth: i32, mut before: i32) -> Option<usize> {
        for n in from..self.0.len() {
            match self.0[n].token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                Token::DoubleColon if depth == 0 && before == 0 => return Some(n),
                Token::DoubleColon if depth == 0 => before -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }

    /// Where an error is that an expression itself makes.
    fn fault(&self, of: &Ast) -> Option<usize> {
        let behind = |names: &[&str], right: &Ast| self.operator(names, self.start(right)?);
        match listed(of) {
            Ast::BinaryOp { op, right, .. }
            | Ast::AnyOp { compare_op: op, right, .. }
            | Ast::AllOp { compare_op: op, right, .. } => behind(&[&*operator_name(op)?], right),
            Ast::InList { list, .. } => behind(&["in"], listed(list.first()?)),
            Ast::InSubquery { subquery, .. } => self.operator(&["in"], self.at(start_of_query(subquery))?),
            Ast::Between { low, .. } => behind(&["between"], low),
            Ast::Like { pattern, .. } => behind(&["like", "~~", "!~~"], pattern),
            Ast::ILike { pattern, .. } => behind(&["ilike", "~~*", "!~~*"], pattern),
            Ast::SimilarTo { pattern, .. } => behind(&["similar"], pattern),
            Ast::IsDistinctFrom(_, right) | Ast::IsNotDistinctFrom(_, right) => {
                self.before(self.start(right)?, |text| text == "is")
            }
            Ast::AtTimeZone { time_zone, .. } => self.before(self.start(time_zone)?, |text| text == "at"),
            Ast::Collate { collation, .. } => {
                self.before(self.at(first_location(collation))?, |text| text == "collate")
            }
            Ast::Cast { kind: ast::CastKind::DoubleColon, expr, .. } => self.colons(expr),
            e => self.start(e),
        }
    }
}

impl Binder<'_> {
    /// An error is at this place, unless it has one already.
    pub(crate) fn at(&self, e: SqlError, location: Location) -> SqlError {
        self.within_shown(e, &self.shown, location)
    }

    fn within_shown(&self, e: SqlError, shown: &Shown, location: Location) -> SqlError {
        if e.position.is_some() {
            return e;
        }
        let Some(part) = self.shown_part(shown) else { return e };
        match position_of(&self.source[part.clone()], location) {
            Some(p) => e.with_position(self.source[..part.start].chars().count() + p),
            None => e,
        }
    }

    /// Where it is, if it is there once.
    fn shown_part(&self, shown: &Shown) -> Option<Range<usize>> {
        match shown {
            _ if self.source.is_empty() => None,
            Shown::Whole => Some(0..self.source.len()),
            Shown::Part(text) => {
                let from = self.source.find(&**text)?;
                let end = from + text.len();
                (!text.is_empty() && !self.source[end..].contains(&**text)).then_some(from..end)
            }
            Shown::Nothing => None,
        }
    }

    fn tokens(&self) -> Option<Tokens> {
        tokenize(&self.source[self.shown_part(&self.shown)?]).ok().map(Tokens)
    }

    fn found(&self, e: SqlError, find: impl FnOnce(&Tokens) -> Option<usize>) -> SqlError {
        if self.is_placed || e.position.is_some() || !is_of_syntax(&e) {
            return e;
        }
        match self.tokens().and_then(|t| find(&t).map(|n| t.0[n].span.start)) {
            Some(place) => self.at(e, place),
            None => e,
        }
    }

    /// An error is of what has this name.
    pub(super) fn at_name(&self, e: SqlError, name: &ObjectName) -> SqlError {
        if is_of_syntax(&e) && !self.is_placed { self.at(e, first_location(name)) } else { e }
    }

    /// An error is where an expression begins.
    pub(crate) fn at_start(&self, e: SqlError, of: &Ast) -> SqlError {
        self.found(e, |tokens| tokens.start(of))
    }

    /// The list of a call's arguments is empty, and must not be.
    pub(super) fn at_closing(&self, f: &ast::Function) -> SqlError {
        let e = SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \")\"");
        self.found(e, |tokens| Some(tokens.at(first_location(&f.name))? + 2))
    }

    /// A subscript or a field has nothing before it that it could be of.
    pub(super) fn at_access(&self, access: &ast::AccessExpr) -> SqlError {
        let (sign, within) = match access {
            ast::AccessExpr::Dot(of) => (".", Some(of)),
            ast::AccessExpr::Subscript(ast::Subscript::Index { index }) => ("[", Some(index)),
            ast::AccessExpr::Subscript(ast::Subscript::Slice { lower_bound, upper_bound, .. }) => {
                ("[", lower_bound.as_ref().or(upper_bound.as_ref()))
            }
        };
        let e = SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{sign}\""));
        within.map_or(e.clone(), |within| self.at_word(e, sign, within))
    }

    /// `DISTINCT *` in a call.
    pub(super) fn at_star(&self, f: &ast::Function) -> SqlError {
        let e = SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"*\"");
        self.found(e, |tokens| {
            let from = tokens.at(first_location(&f.name))?;
            (from..tokens.0.len()).find(|n| tokens.0[*n].token == Token::Mul)
        })
    }

    /// An error of a window whose definition stands behind a name: a function's, or its own in the WINDOW clause.
    pub(super) fn at_window(&self, e: SqlError, name: Location) -> SqlError {
        if !matches!(e.code, SqlState::WINDOWING_ERROR | SqlState::UNDEFINED_OBJECT) {
            return e;
        }
        let says = |words: &str| e.message.contains(words);
        let bound = match () {
            () if says("frame start cannot be") || says("cannot end with current row") => Some(false),
            () if says("frame end cannot be") || says("cannot have preceding rows") => Some(true),
            () => None,
        };
        self.found(e.clone(), |tokens| tokens.window(name, bound))
    }

    /// An error is at a word before an expression.
    pub(crate) fn at_word(&self, e: SqlError, word: &str, of: &Ast) -> SqlError {
        self.found(e, |tokens| tokens.before(tokens.start(of)?, |text| text == word))
    }

    /// An error is at ON CONFLICT, before an expression of it.
    pub(super) fn at_conflict(&self, e: SqlError, of: &Ast) -> SqlError {
        self.found(e, |tokens| tokens.before(tokens.start(of)?, |text| text == "conflict")?.checked_sub(1))
    }

    /// An error is of an expression itself, be it of its operator.
    pub(super) fn at_fault(&mut self, e: SqlError, of: &Ast) -> SqlError {
        if self.is_placed || e.position.is_some() {
            return e;
        }
        let of = match e.code == SqlState::COLLATION_MISMATCH && e.hint.is_none() {
            true => last_collation(of).unwrap_or(of),
            false => of,
        };
        let e = self.found(e, |tokens| tokens.fault(of));
        self.is_placed = true; // Invariant 1.
        e
    }

    /// Values of these expressions are of no common type: the error is at the first that does not go with those before.
    pub(super) fn at_unlike<'e>(
        &self,
        e: SqlError,
        types: &[Type],
        of: impl IntoIterator<Item = &'e Ast>,
    ) -> SqlError {
        let Err((_, other)) = common_type(types) else { return e };
        match types.iter().zip(of).find(|(t, _)| **t == other) {
            Some((_, of)) => self.at_start(e, of),
            None => e,
        }
    }

    /// An error is in an output of a query.
    pub(super) fn at_output(&self, e: SqlError, of: &SetExpr, n: usize) -> SqlError {
        match of {
            SetExpr::Select(s) => match s.projection.get(n) {
                Some(ast::SelectItem::UnnamedExpr(of) | ast::SelectItem::ExprWithAlias { expr: of, .. }) => {
                    self.at_start(e, of)
                }
                _ => e,
            },
            SetExpr::Query(q) => self.at_output(e, &q.body, n),
            SetExpr::Values(v) => match v.rows.first().and_then(|r| r.get(n)) {
                Some(of) => self.at_start(e, of),
                None => e,
            },
            _ => e,
        }
    }

    /// Binds a text of our own, which stands nowhere in the statement.
    pub(super) fn unshown<T>(&mut self, bind: impl FnOnce(&mut Self) -> T) -> T {
        let shown = std::mem::replace(&mut self.shown, Shown::Nothing);
        let result = bind(self);
        self.shown = shown;
        result
    }

    /// Notes where a literal stands.
    pub(super) fn note_literal(&mut self, t: &Typed, span: Span) {
        if let (Type::Unknown, Expr::Const(Datum::Text(s))) = (t.ty, &t.expr)
            && span.start.line != 0
        {
            let (text, is_captured) = (s.clone(), self.capture.is_some() && self.stored.is_none());
            self.noted.push(Literal { text, span, is_captured, shown: self.shown.clone() });
        }
    }

    /// An error is in the value of a literal.
    pub(super) fn at_literal(&self, e: SqlError, s: &Arc<str>) -> SqlError {
        match self.noted.iter().find(|l| Arc::ptr_eq(&l.text, s)) {
            Some(l) => self.within_shown(e, &l.shown, l.span.start),
            None => e,
        }
    }
}

/// The last of several COLLATE that disagree, as far as operators are between them.
fn last_collation(e: &Ast) -> Option<&Ast> {
    match e {
        Ast::Collate { .. } => Some(e),
        Ast::Nested(inner) => last_collation(inner),
        Ast::BinaryOp { left, right, .. } => last_collation(right).or_else(|| last_collation(left)),
        _ => None,
    }
}

/// Whether an error is of what the statement says, rather than of who runs it and on what.
fn is_of_syntax(e: &SqlError) -> bool {
    let class = &e.code.as_str()[..2];
    class == "42" && e.code != SqlState::INSUFFICIENT_PRIVILEGE && !is_undetermined(e)
        || matches!(e.code, SqlState::FEATURE_NOT_SUPPORTED | SqlState::INVALID_SCHEMA_NAME)
}
