//! Stored queries and expressions written again, as PostgreSQL writes what it keeps: names resolved, `*` spelled out, constants and conversions with their types.
//!
//! While something stored is bound, the text of each of its expressions is noted, in which names of relations are open yet (`marks`); when a query is bound, a document
//! is made of its syntax and those texts (`query`). In the end the document is laid out (`layout`), when all names that a level sees are known.
//!
//! Invariants:
//! 1. Notes are kept by the addresses of syntax, which lives until its query's document is made.
//! 2. What is written means what was bound: what cannot be written so is not written at all, and what was written gives the same text when it is bound and written again.
//!
//! Must not know: how texts are kept.

mod calls;
mod domains;
mod expr;
mod json_constructor;
mod json_query;
mod json_table;
mod layout;
mod marks;
mod parens;
mod query;
mod rows;
mod sets;

pub(crate) use self::calls::Calls;
use self::expr::{Shape, Writer, shape};
use self::parens::Parentheses;
use self::query::{CteDoc, QueryDoc, SelectDoc};
use super::search_cycle::Added;
use super::{BindContext, Binder, Hint, Typed};
use crate::catalog::{NamedType, StoredQuery, Table};
use crate::parse::view::parse_query;
use crate::plan::SetFunction;
use crate::plan::expr::Expr;
use evenkeel_types::error::SqlError;
use evenkeel_types::{CastContext, Type};
use sqlparser::ast::{self, Expr as Ast};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Longer texts are not written again.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// An expression's text, and what it is.
#[derive(Clone)]
struct Note {
    text: String,
    shape: Shape,
    /// What it is called as a column.
    name: Option<String>,
}

/// What is noted while something stored is bound.
#[derive(Default)]
pub(crate) struct Notes {
    exprs: HashMap<usize, Note>,
    selects: HashMap<usize, SelectDoc>,
    queries: HashMap<usize, QueryDoc>,
    /// The columns of joins with NATURAL.
    natural: HashMap<usize, Vec<String>>,
    /// Subqueries in expressions, by their numbers.
    subqueries: HashMap<usize, QueryDoc>,
    /// Common table expressions that are waiting for their query.
    ctes: Vec<CteDoc>,
    /// The texts of the values of CYCLE, by common table expressions.
    marks: HashMap<usize, (String, String)>,
    /// The function in FROM that was bound last.
    function: Option<Calls>,
    bytes: usize,
    parentheses: Parentheses,
}

/// Where a piece of syntax is.
fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl Binder<'_> {
    /// Binds an expression and, unless it is part of another of its level, notes what it is.
    pub(super) fn noted_expr(
        &mut self,
        e: &Ast,
        bind: impl FnOnce(&mut Self) -> Result<Typed, SqlError>,
    ) -> Result<Typed, SqlError> {
        let was_within = match self.frames.last_mut() {
            Some(frame) => std::mem::replace(&mut frame.is_within, true),
            None => true,
        };
        let bound = bind(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.is_within = was_within;
        }
        let bound = bound?;
        if !was_within {
            self.note_expr(e, &bound);
        }
        Ok(bound)
    }

    /// Notes what an expression is.
    pub(super) fn note_expr(&mut self, e: &Ast, t: &Typed) {
        let is_wanted =
            self.notes.as_ref().is_some_and(|n| n.bytes < MAX_TEXT_BYTES) && !self.frames.is_empty();
        if !is_wanted {
            return;
        }
        let writer = Writer { binder: self, depth: self.frames.len() - 1 };
        let want = if t.ty == Type::Unknown { Type::Text } else { t.ty };
        let note = writer.text(&t.expr, want, 0).map(|text| match modified(&writer, &text, t) {
            Some(text) => Note { text, shape: Shape::Other, name: None },
            None => Note { text, shape: shape(&t.expr), name: writer.plain_name(&t.expr) },
        });
        self.note(address(e), note);
    }

    fn note(&mut self, at: usize, note: Option<Note>) {
        let Some(notes) = &mut self.notes else { return };
        match note {
            Some(note) => {
                notes.bytes += note.text.len();
                notes.exprs.insert(at, note);
            }
            None => drop(notes.exprs.remove(&at)),
        }
    }

    /// Notes a function that returns rows: the one that was bound last.
    pub(super) fn note_function(&mut self, name: &str, f: &SetFunction) {
        if self.notes.is_none() || self.frames.is_empty() {
            return;
        }
        let calls = Writer { binder: self, depth: self.frames.len() - 1 }.calls(name, f);
        if let Some(notes) = &mut self.notes {
            notes.function = calls;
        }
    }

    /// Notes an expression that stands in FROM as if it were a function.
    pub(super) fn note_expression(&mut self, t: &Typed) {
        if self.notes.is_none() || self.frames.is_empty() {
            return;
        }
        let calls = Writer { binder: self, depth: self.frames.len() - 1 }.expression(t);
        if let Some(notes) = &mut self.notes {
            notes.function = calls;
        }
    }

    /// The function that was noted last stands in FROM: its text.
    pub(super) fn noted_function(&mut self) -> Option<Calls> {
        self.notes.as_mut()?.function.take()
    }

    /// How a type of a column definition is written.
    pub(super) fn written_type(&self, named: &NamedType) -> Option<String> {
        if self.notes.is_none() || self.frames.is_empty() {
            return None;
        }
        match named.domain {
            Some(oid) => self.catalog.type_name(oid, self.search_path),
            None => Writer { binder: self, depth: self.frames.len() - 1 }.type_name(named.ty, named.typmod),
        }
    }

    /// Notes which columns a join with NATURAL has in common.
    pub(super) fn note_natural(&mut self, join: &ast::Join, columns: &[String]) {
        if let Some(notes) = &mut self.notes {
            notes.natural.insert(address(join), columns.to_vec());
        }
    }

    /// Notes how the values are written that mark a cycle.
    pub(super) fn note_marks(&mut self, cte: &ast::Cte, added: &Added) {
        if self.notes.is_none() {
            return;
        }
        let texts = self.mark_texts(added);
        if let (Some(notes), Some(texts)) = (&mut self.notes, texts) {
            notes.marks.insert(address(cte), texts);
        }
    }

    /// Constants of a type, as they are written.
    pub(super) fn constant_texts(&self, both: [&Expr; 2], ty: Type) -> Option<(String, String)> {
        let writer = Writer { binder: self, depth: 0 };
        Some((writer.text(both[0], ty, 0)?, writer.text(both[1], ty, 0)?))
    }

    /// A query that was just bound is a subquery of this number.
    pub(super) fn note_subquery(&mut self, q: &ast::Query, number: usize) {
        let Some(notes) = &mut self.notes else { return };
        if let Some(doc) = notes.queries.remove(&address(q)) {
            notes.subqueries.insert(number, doc);
        }
    }
}

/// A constant of a type with a modifier, and a column without its own: neither is told by the expression.
fn modified(writer: &Writer<'_, '_>, text: &str, t: &Typed) -> Option<String> {
    let name = writer.type_name(t.ty, t.typmod)?;
    match &t.expr {
        Expr::Const(_) if t.typmod >= 0 && writer.type_name(t.ty, -1)? != name => {
            let text = &*parens::settled(text);
            let literal = text.rsplit_once("::").map_or(text, |(literal, _)| literal);
            let literal = match literal.strip_suffix('\'') {
                // It is filled up again.
                Some(padded) if t.ty == Type::Bpchar => &format!("{}'", padded.trim_end_matches(' ')),
                _ => literal,
            };
            Some(format!("{literal}::{name}"))
        }
        Expr::Column(_) if t.typmod == -1 => {
            let own = writer.modifier_of(&t.expr).filter(|m| *m != -1)?;
            (writer.type_name(t.ty, own)? != name).then(|| writer.cast_text(text, &name, false))
        }
        _ => None,
    }
}

/// Binds something and notes it.
fn noted<'a, T>(
    cx: &BindContext<'a>,
    parentheses: Parentheses,
    bind: impl FnOnce(&mut Binder<'a>) -> Option<T>,
) -> Option<(T, Notes)> {
    let mut b = Binder::new(cx, &[]);
    b.notes = Some(Notes { parentheses, ..Notes::default() });
    b.is_generation = true;
    let result = bind(&mut b)?;
    Some((result, b.notes?))
}

fn query_once(
    cx: &BindContext<'_>,
    stored: &Arc<StoredQuery>,
    names: &[String],
    parentheses: Parentheses,
) -> Option<String> {
    let query = parse_query(&stored.text).ok()?;
    let ((), mut notes) = noted(cx, parentheses, |b| {
        b.in_stored(stored, None, 0, |b| b.nested(|b| b.query(&query, Hint::None)).map(drop)).ok()
    })?;
    let doc = notes.queries.remove(&address(&*query))?;
    layout::query(&doc, &notes.subqueries, names, parentheses == Parentheses::Needed)
}

/// A stored query as PostgreSQL would write it, its columns under these names; None: it cannot be written so.
pub(crate) fn query(cx: &BindContext<'_>, stored: &Arc<StoredQuery>, names: &[String]) -> Option<String> {
    let text = query_once(cx, stored, names, Parentheses::All)?;
    (written_again(cx, &text, names, Parentheses::All)? == text).then_some(text)
}

/// The text of a text, to see that it means the same (2).
fn written_again(
    cx: &BindContext<'_>,
    text: &str,
    names: &[String],
    parentheses: Parentheses,
) -> Option<String> {
    let again = StoredQuery { text: text.to_owned(), reads: Vec::new(), keys: BTreeSet::new() };
    query_once(cx, &Arc::new(again), names, parentheses)
}

/// The same for people.
pub(crate) fn pretty_query(
    cx: &BindContext<'_>,
    stored: &Arc<StoredQuery>,
    names: &[String],
) -> Option<String> {
    query(cx, stored, names)?;
    let pretty = query_once(cx, stored, names, Parentheses::Needed)?;
    let same = query_once(cx, stored, names, Parentheses::Chained)?;
    (written_again(cx, &pretty, names, Parentheses::Chained)? == same).then_some(pretty)
}

/// What an expression is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A value, which becomes one of this type where it is used.
    Value(Type),
    /// A condition.
    Condition,
}

/// What an expression may name.
#[derive(Clone, Copy)]
pub(crate) enum Over<'t> {
    /// Nothing.
    Nothing,
    /// The columns of a table.
    Row(&'t Arc<Table>),
    /// VALUE, of this type and modifier.
    Domain(Type, i32),
}

/// Whether an expression is a string literal with a type.
fn of_string(e: &Ast) -> bool {
    let is_string =
        |of: &Ast| matches!(of, Ast::Value(v) if matches!(v.value, ast::Value::SingleQuotedString(_)));
    match e {
        Ast::Cast { expr, .. } => is_string(expr),
        e => matches!(e, Ast::TypedString(_)),
    }
}

/// `(1)::bigint` is what a cast of a number is written as; of a string it is `'1'::bigint`.
fn quoted_number(text: String) -> String {
    match text.strip_prefix('(').and_then(|t| t.split_once(")::")) {
        Some((number, ty)) if number.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
            format!("'{number}'::{ty}")
        }
        _ => text,
    }
}

fn expr_once(
    cx: &BindContext<'_>,
    text: &str,
    over: Over<'_>,
    for_: Purpose,
    parentheses: Parentheses,
) -> Option<String> {
    let (written, _) = noted(cx, parentheses, |b| {
        let mut written = None;
        let e = crate::parse::parse_expression(text).ok()?;
        b.nested(|b| {
            b.frame()?.place = "check constraints";
            match over {
                Over::Nothing => {}
                Over::Row(t) => drop(b.add_target(t, &t.name, &mut Vec::new())?),
                Over::Domain(ty, typmod) => b.add_domain_value(ty, typmod)?,
            }
            let t = b.expr(&e)?;
            let (expr, ty) = match for_ {
                Purpose::Value(ty) if t.ty == Type::Unknown => {
                    (b.coerce(t, ty, -1, CastContext::Assignment)?, ty)
                }
                Purpose::Condition => (b.coerce(t, Type::Bool, -1, CastContext::Implicit)?, Type::Bool),
                Purpose::Value(_) => (t.expr, t.ty),
            };
            written = Writer { binder: b, depth: b.frames.len() - 1 }.text(&expr, ty, 0);
            if of_string(&e) {
                written = written.take().map(quoted_number);
            }
            Ok(())
        })
        .ok()?;
        written
    })?;
    layout::expr(&written)
}

/// A stored expression as PostgreSQL would write it; None: it cannot be written so.
pub(crate) fn expression(cx: &BindContext<'_>, text: &str, over: Over<'_>, for_: Purpose) -> Option<String> {
    // Types and labels have their names outside of what is kept.
    let all = |text: &str| expr_once(cx, text, over, for_, Parentheses::All);
    let written = all(&cx.catalog.shown_types(text, cx.search_path))?;
    // Invariant 2.
    (all(&written)? == written).then_some(written)
}

/// The same of what is written so, for people.
pub(crate) fn pretty_expression(cx: &BindContext<'_>, written: &str, over: Over<'_>) -> Option<String> {
    let once = |text: &str, parentheses| expr_once(cx, text, over, Purpose::Value(Type::Text), parentheses);
    let pretty = once(written, Parentheses::Needed)?;
    (once(&pretty, Parentheses::Chained)? == once(written, Parentheses::Chained)?).then_some(pretty)
}
