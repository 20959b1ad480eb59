//! Documents of queries as text: PostgreSQL's lines and indentation, and names that no two relations that see each other share.
//!
//! Must not know: syntax, bound expressions.

use super::calls::definitions;
use super::marks::{self, Piece};
use super::parens::settled;
use super::query::{BodyDoc, FromDoc, JoinDoc, QueryDoc, RelDoc, SelectDoc, What};
use crate::bind::expr::{STACK_LEFT_BYTES, STACK_PIECE_BYTES};
use crate::parse::spellings::joined;
use evenkeel_types::quote_ident;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// How far a query's clauses stand behind its beginning.
const STEP: i32 = 8;
/// How far a join stands behind FROM.
const JOIN: i32 = 4;
/// How far an item stands behind its clause.
const ITEM: i32 = 4;
/// From there on lines are indented less.
const LIMIT: i32 = 40;

/// A stored query's text.
pub(super) fn query(
    doc: &QueryDoc,
    subqueries: &HashMap<usize, QueryDoc>,
    names: &[String],
    is_pretty: bool,
) -> Option<String> {
    let mut l = Layout { is_pretty, ..Layout::new(subqueries) };
    l.query(doc, Some(names), true);
    (!l.failed).then_some(l.out)
}

/// An expression's text.
pub(super) fn expr(text: &str) -> Option<String> {
    let none = HashMap::new();
    let mut l = Layout::new(&none);
    l.text(text);
    (!l.failed).then_some(l.out)
}

struct Layout<'d> {
    out: String,
    indent: i32,
    /// Columns are written with their relations.
    is_qualified: bool,
    /// What relations are called, by their numbers.
    names: HashMap<usize, String>,
    /// The names that the present level sees.
    taken: HashSet<String>,
    subqueries: &'d HashMap<usize, QueryDoc>,
    failed: bool,
    /// For people: joins are in parentheses only where they need them.
    is_pretty: bool,
}

impl<'d> Layout<'d> {
    fn new(subqueries: &'d HashMap<usize, QueryDoc>) -> Layout<'d> {
        Layout {
            out: String::new(),
            indent: 0,
            is_qualified: false,
            names: HashMap::new(),
            taken: HashSet::new(),
            subqueries,
            failed: false,
            is_pretty: false,
        }
    }

    /// A word on a line of its own: the indentation changes before and after it, and is so much more for this line.
    fn keyword(&mut self, word: &str, before: i32, after: i32, more: i32) {
        self.indent += before;
        let spaces = match self.indent {
            n if n < LIMIT => n.max(0) + more,
            n => (LIMIT + (n - LIMIT) / (STEP / 2)) % LIMIT + more,
        };
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', usize::try_from(spaces).unwrap_or(0)));
        self.out.push_str(word);
        self.indent = (self.indent + after).max(0);
    }

    fn text(&mut self, text: &str) {
        for piece in marks::pieces(&settled(text)) {
            match piece {
                Piece::Plain(t) => {
                    self.failed |= marks::is_marked(t);
                    self.out.push_str(t);
                }
                Piece::Qualifier(n) => {
                    if self.is_qualified {
                        match self.names.get(&n) {
                            Some(name) => {
                                let _ = write!(self.out, "{}.", quote_ident(name));
                            }
                            None => self.failed = true,
                        }
                    }
                }
                Piece::Row(n) => match self.names.get(&n) {
                    Some(name) => {
                        let _ = write!(self.out, "{}.*", quote_ident(name));
                    }
                    None => self.failed = true,
                },
                Piece::Line(more) => {
                    let more = i32::try_from(more).unwrap_or(0);
                    self.keyword("", more, -more, 0);
                }
                Piece::Query(n, more) => {
                    let Some(doc) = self.subqueries.get(&n) else {
                        self.failed = true;
                        return;
                    };
                    let more = i32::try_from(more).unwrap_or(0);
                    self.indent += more;
                    self.inner(|l| l.query(doc, None, false));
                    self.indent -= more;
                }
            }
        }
    }

    /// A query within this one: there columns are always written with their relations.
    fn inner(&mut self, write: impl FnOnce(&mut Self)) {
        let before = (self.indent, self.is_qualified, self.taken.clone());
        self.is_qualified = true;
        write(self);
        (self.indent, self.is_qualified, self.taken) = before;
    }

    /// What is written, by itself.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.out);
        write(self);
        std::mem::replace(&mut self.out, before)
    }

    /// An item behind a comma or a word: on a line of its own, unless it is the first, or begins one itself.
    fn item(&mut self, item: &str, is_first: bool) {
        if item.starts_with('\n') {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        } else if !is_first {
            self.keyword("", -STEP, STEP, ITEM);
        }
        self.out.push_str(item);
    }

    /// A query, whose columns are called so; whether names of columns matter.
    fn query(&mut self, q: &QueryDoc, names: Option<&[String]>, are_named: bool) {
        let (left, piece) = (STACK_LEFT_BYTES, STACK_PIECE_BYTES);
        stacker::maybe_grow(left, piece, || self.parts(q, names, are_named));
    }

    fn parts(&mut self, q: &QueryDoc, names: Option<&[String]>, are_named: bool) {
        // All that FROM has is known by name to what is within.
        if let BodyDoc::Select(s) = &q.body {
            self.name_relations(s);
        }
        if !q.with.is_empty() {
            self.with(q);
        }
        match &q.body {
            BodyDoc::Set { .. } => self.set(&q.body, names, are_named),
            body => self.body(body, names, are_named),
        }
        if !q.order.is_empty() {
            self.keyword(" ORDER BY ", -STEP, STEP, 1);
            self.list(&q.order);
        }
        if let Some(o) = &q.offset {
            self.keyword(" OFFSET ", -STEP, STEP, 0);
            self.text(o);
        }
        if let Some(l) = &q.limit {
            match q.with_ties {
                true => {
                    self.keyword(" FETCH FIRST ", -STEP, STEP, 0);
                    self.out.push('(');
                    self.text(l);
                    self.out.push_str(") ROWS WITH TIES");
                }
                false => {
                    self.keyword(" LIMIT ", -STEP, STEP, 0);
                    self.text(l);
                }
            }
        }
    }

    fn list(&mut self, list: &[String]) {
        for (n, t) in list.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.text(t);
        }
    }

    fn with(&mut self, q: &QueryDoc) {
        self.indent += STEP;
        self.out.push_str(if q.is_recursive { " WITH RECURSIVE " } else { " WITH " });
        for (n, cte) in q.with.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&quote_ident(&cte.name));
            if !cte.columns.is_empty() {
                let _ = write!(self.out, "({})", idents(&cte.columns));
            }
            self.out.push_str(match cte.is_materialized {
                None => " AS (",
                Some(true) => " AS MATERIALIZED (",
                Some(false) => " AS NOT MATERIALIZED (",
            });
            self.keyword("", 0, 0, 0);
            self.inner(|l| l.query(&cte.query, None, true));
            self.keyword("", 0, 0, 0);
            self.out.push(')');
            self.out.push_str(&cte.clauses);
        }
        self.indent -= STEP;
        self.keyword("", 0, 0, 0);
    }

    fn body(&mut self, body: &BodyDoc, names: Option<&[String]>, are_named: bool) {
        match body {
            BodyDoc::Select(s) => self.select(s, names, are_named),
            BodyDoc::Values(rows) => {
                self.indent += STEP;
                self.out.push_str(" VALUES ");
                for (n, row) in rows.iter().enumerate() {
                    self.out.push_str(if n > 0 { ", (" } else { "(" });
                    for (n, t) in row.iter().enumerate() {
                        if n > 0 {
                            self.out.push(',');
                        }
                        self.text(t);
                    }
                    self.out.push(')');
                }
            }
            BodyDoc::Query(q) => self.query(q, names, are_named),
            BodyDoc::Set { .. } => self.set(body, names, are_named),
        }
    }

    /// A side of a set operation, or the whole.
    fn set(&mut self, body: &BodyDoc, names: Option<&[String]>, are_named: bool) {
        let BodyDoc::Set { op, left, right } = body else { return };
        let is_set = |q: &QueryDoc| matches!(q.body, BodyDoc::Set { .. }) && is_bare(q);
        let same = matches!(&left.body, BodyDoc::Set { op: inner, .. } if inner == op);
        let needs = is_set(left) && !same;
        let step = if needs { STEP } else { 0 };
        if needs {
            self.out.push('(');
            self.keyword("", step, 0, 0);
        }
        self.side(left, names, are_named);
        if needs {
            self.keyword(") ", -step, 0, 0);
        } else {
            self.keyword("", 0, 0, 0);
        }
        self.out.push_str(op);
        let needs = is_set(right);
        let step = if needs { STEP } else { 0 };
        if needs {
            self.out.push('(');
        }
        self.keyword("", step, 0, 0);
        self.side(right, names, false);
        self.indent -= step;
        if needs {
            self.keyword(")", 0, 0, 0);
        }
    }

    fn side(&mut self, q: &QueryDoc, names: Option<&[String]>, are_named: bool) {
        if matches!(q.body, BodyDoc::Set { .. }) && is_bare(q) {
            self.set(&q.body, names, are_named);
            return;
        }
        let in_parentheses = !is_bare(q);
        if in_parentheses {
            self.out.push('(');
        }
        self.inner(|l| l.query(q, names, are_named));
        if in_parentheses {
            self.out.push(')');
        }
    }

    /// Gives a level's relations names.
    fn name_relations(&mut self, s: &SelectDoc) {
        let mut count = 0;
        for item in &s.from {
            self.name_item(item, &mut count);
        }
        self.is_qualified |= count != 1;
    }

    fn name_item(&mut self, item: &FromDoc, count: &mut usize) {
        *count += 1;
        match item {
            FromDoc::Relation(r) => self.name(r.number, &r.name),
            FromDoc::Join(j) => {
                self.name_item(&j.left, count);
                self.name_item(&j.right, count);
                if let Some((number, name, _)) = &j.alias {
                    self.name(*number, name);
                }
            }
        }
    }

    fn name(&mut self, number: usize, name: &str) {
        let mut own = name.to_owned();
        let mut n = 0;
        while !self.taken.insert(own.clone()) {
            n += 1;
            own = format!("{name}_{n}");
        }
        self.names.insert(number, own);
    }

    fn select(&mut self, s: &SelectDoc, names: Option<&[String]>, are_named: bool) {
        self.indent += STEP;
        self.out.push_str(" SELECT");
        match &s.distinct {
            None => {}
            Some(on) if on.is_empty() => self.out.push_str(" DISTINCT"),
            Some(on) => {
                self.out.push_str(" DISTINCT ON (");
                self.list(on);
                self.out.push(')');
            }
        }
        for (n, o) in s.outs.iter().enumerate() {
            self.out.push_str(if n == 0 { " " } else { ", " });
            let name = names.and_then(|l| l.get(n)).unwrap_or(&o.name);
            let own = o.own_name.as_deref().or(if are_named { None } else { Some("?column?") });
            let mut item = self.apart(|l| l.text(&o.text));
            if own != Some(name) {
                let _ = write!(item, " AS {}", quote_ident(name));
            }
            self.item(&item, n == 0);
        }
        for (n, item) in s.from.iter().enumerate() {
            match n {
                0 => self.keyword(" FROM ", -STEP, STEP, 2),
                _ => self.out.push_str(", "),
            }
            let item = self.apart(|l| l.part_of_from(item));
            self.item(&item, n == 0);
        }
        if let Some(c) = &s.condition {
            self.keyword(" WHERE ", -STEP, STEP, 1);
            self.text(c);
        }
        if !s.groups.is_empty() {
            self.keyword(" GROUP BY ", -STEP, STEP, 1);
            if s.are_distinct {
                self.out.push_str("DISTINCT ");
            }
            self.list(&s.groups);
        }
        if let Some(h) = &s.having {
            self.keyword(" HAVING ", -STEP, STEP, 0);
            self.text(h);
        }
        for (n, (name, window)) in s.windows.iter().enumerate() {
            match n {
                0 => self.keyword(" WINDOW ", -STEP, STEP, 1),
                _ => self.out.push_str(", "),
            }
            let _ = write!(self.out, "{} AS ", quote_ident(name));
            self.text(window);
        }
    }

    fn part_of_from(&mut self, item: &FromDoc) {
        match item {
            FromDoc::Relation(r) => self.relation(r),
            FromDoc::Join(j) => self.join(j),
        }
    }

    fn relation(&mut self, r: &RelDoc) {
        if r.is_lateral {
            self.out.push_str("LATERAL ");
        }
        let known = self.names.get(&r.number).cloned().unwrap_or_default();
        let own = match &r.what {
            What::Named(shown, own) => {
                self.out.push_str(shown);
                Some(own)
            }
            What::Query(q) => {
                self.out.push('(');
                self.inner(|l| l.query(q, None, true));
                self.out.push(')');
                None
            }
            What::Table(text) => {
                self.text(text);
                Some(&known)
            }
            What::Function(text, with_ordinality, _) => {
                self.text(text);
                if *with_ordinality {
                    self.out.push_str(" WITH ORDINALITY");
                }
                None
            }
        };
        if r.has_alias || own != Some(&known) {
            let _ = write!(self.out, " {}", quote_ident(&known));
        }
        match &r.what {
            What::Function(_, _, types) if !types.is_empty() => {
                let _ = write!(self.out, "({})", definitions(r.columns.iter().zip(types)));
            }
            _ if r.columns.is_empty() => {}
            _ => {
                let _ = write!(self.out, "({})", idents(&r.columns));
            }
        }
        self.text(&r.sample);
    }

    fn join(&mut self, j: &JoinDoc) {
        let (open, close) = if self.is_pretty && j.alias.is_none() { ("", "") } else { ("(", ")") };
        // A join on the right side.
        let is_nested = self.is_pretty && matches!(&j.right, FromDoc::Join(j) if j.alias.is_none());
        self.out.push_str(open);
        self.part_of_from(&j.left);
        self.keyword(j.words, -STEP, STEP, JOIN);
        self.out.push_str(if is_nested { "(" } else { "" });
        self.part_of_from(&j.right);
        self.out.push_str(if is_nested { ")" } else { "" });
        match &j.on {
            Some(on) => {
                let (open, close) = if self.is_pretty { ("", "") } else { ("(", ")") };
                self.out.push_str(" ON ");
                self.out.push_str(open);
                self.text(on);
                self.out.push_str(close);
            }
            None if !j.using.is_empty() => {
                let (names, alias) = joined(j.using.clone());
                let _ = write!(self.out, " USING ({})", idents(&names));
                if let Some(alias) = alias {
                    let _ = write!(self.out, " AS {}", quote_ident(&alias));
                }
            }
            None if j.words != " CROSS JOIN " => self.out.push_str(" ON TRUE"),
            None => {}
        }
        self.out.push_str(close);
        if let Some((number, _, columns)) = &j.alias {
            let name = self.names.get(number).cloned().unwrap_or_default();
            let _ = write!(self.out, " {}", quote_ident(&name));
            if !columns.is_empty() {
                let _ = write!(self.out, "({})", idents(columns));
            }
        }
    }
}

/// Whether a query is nothing but its body.
fn is_bare(q: &QueryDoc) -> bool {
    q.with.is_empty() && q.order.is_empty() && q.offset.is_none() && q.limit.is_none()
}

fn idents(names: &[String]) -> String {
    names.iter().map(|n| quote_ident(n)).collect::<Vec<_>>().join(", ")
}
