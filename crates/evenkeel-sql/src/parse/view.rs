//! CREATE VIEW, CREATE MATERIALIZED VIEW and REFRESH, and queries that are kept as text.
//!
//! Must not know: what they read.

use super::cursor::Cursor;
use super::stmt::*;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::quote_ident;
use sqlparser::ast::{self, Statement};
use sqlparser::tokenizer::{Span, Token};

/// Whether a view is created.
pub(super) fn is_create(c: &Cursor<'_>) -> bool {
    let mut n = 1;
    while ["or", "replace", "temp", "temporary", "local", "global", "recursive", "materialized"]
        .iter()
        .any(|w| c.word_is(n, w))
    {
        n += 1;
    }
    c.word_is(n, "view")
}

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let or_replace = c.take(&["or", "replace"]);
    let _ = c.take(&["local"]) || c.take(&["global"]);
    let temporary = c.take(&["temp"]) || c.take(&["temporary"]);
    let materialized = !or_replace && !temporary && c.take(&["materialized"]);
    let recursive = !materialized && c.take(&["recursive"]);
    c.expect("view")?;
    let if_not_exists = materialized && c.take(&["if", "not", "exists"]);
    let name = c.name()?;
    let columns = c.optional_columns()?;
    if recursive && columns.is_empty() {
        return Err(c.syntax_error());
    }
    let mut options = Vec::new();
    if materialized && c.take(&["using"]) {
        let method = c.ident()?;
        if method != "heap" {
            let why = format!("access method \"{method}\" does not exist");
            return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
        }
    }
    if c.take(&["with"]) {
        options = super::alter_table::parameters(c)?;
    }
    if materialized && c.take(&["tablespace"]) {
        super::rules::only_tablespace(&c.ident()?)?;
    }
    c.expect("as")?;
    let mut rest = c.rest();
    let ends = |words: &[&str]| {
        rest.len() > words.len()
            && words.iter().rev().zip(rest.iter().rev()).all(|(w, t)| super::is_word(Some(&t.token), w))
    };
    let mut with_data = true;
    let mut check = None;
    if materialized {
        if ends(&["with", "no", "data"]) {
            (with_data, rest) = (false, &rest[..rest.len() - 3]);
        } else if ends(&["with", "data"]) {
            rest = &rest[..rest.len() - 2];
        }
    } else if ends(&["with", "check", "option"]) {
        (check, rest) = (Some("cascaded"), &rest[..rest.len() - 3]);
    } else if ends(&["with", "cascaded", "check", "option"]) {
        (check, rest) = (Some("cascaded"), &rest[..rest.len() - 4]);
    } else if ends(&["with", "local", "check", "option"]) {
        (check, rest) = (Some("local"), &rest[..rest.len() - 4]);
    }
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return Err(c.syntax_error()) };
    match super::parse_tokens(rest.to_vec(), c.source())? {
        Stmt::Sql(s) if matches!(*s, Statement::Query(_)) => {}
        Stmt::Sql(s) if matches!(*s, Statement::CreateTable(_)) => {
            let what = if materialized { "materialized views" } else { "views" };
            return Err(SqlError::unsupported(format!("{what} must not contain SELECT INTO")));
        }
        _ => return Err(super::syntax_error_at(c.source(), Some(first))),
    }
    let mut places = super::Places::new(c.source());
    let from = places.find(first.span.start);
    let mut query = c.source()[from..places.find(last.span.end)].to_owned();
    let mut offset = Some(c.source()[..from].chars().count());
    if recursive {
        let list = columns.iter().map(|c| quote_ident(c)).collect::<Vec<_>>().join(", ");
        let own = quote_ident(&name.name);
        query = format!("WITH RECURSIVE {own}({list}) AS ({query}\n) SELECT {list} FROM {own}");
        offset = None;
        if check.is_some() {
            return Err(SqlError::unsupported("WITH CHECK OPTION not supported on recursive views"));
        }
    }
    c.skip(usize::MAX / 2);
    Ok(Stmt::CreateView(Box::new(CreateViewStmt {
        temporary,
        materialized,
        or_replace,
        if_not_exists,
        name,
        columns,
        options,
        check,
        query,
        offset,
        with_data,
    })))
}

/// REFRESH MATERIALIZED VIEW.
pub(super) fn refresh(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    c.expect("materialized")?;
    c.expect("view")?;
    let concurrently = c.take(&["concurrently"]);
    let name = c.name()?;
    let mut with_data = true;
    if c.take(&["with", "no", "data"]) {
        with_data = false;
    } else {
        c.take(&["with", "data"]);
    }
    if concurrently && !with_data {
        return Err(SqlError::new(
            SqlState::SYNTAX_ERROR,
            "CONCURRENTLY and WITH NO DATA options cannot be used together",
        ));
    }
    Ok(Stmt::RefreshView(RefreshStmt { name, concurrently, with_data }))
}

/// A query that is kept as text.
pub fn parse_query(text: &str) -> Result<Deep<ast::Query>, SqlError> {
    let wrong = || SqlError::internal("a stored query is none");
    let mut parsed = super::parse_script(text)?;
    let one = parsed.pop().filter(|_| parsed.is_empty()).ok_or_else(wrong)?;
    let depth = one.stmt.depth();
    match &*one.stmt {
        Stmt::Sql(s) => match &**s {
            Statement::Query(q) => Ok(Deep::new(depth, (**q).clone())),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// A text with pieces of it replaced: their places and what comes there, in any order.
pub fn edited(text: &str, edits: &[(Span, String)]) -> String {
    let mut edits: Vec<&(Span, String)> = edits.iter().collect();
    edits.sort_by_key(|e| (e.0.start.line, e.0.start.column));
    // What was bound twice is told of twice.
    edits.dedup_by_key(|e| (e.0.start.line, e.0.start.column));
    let mut places = super::Places::new(text);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (span, to) in edits {
        let (from, end) = (places.find(span.start), places.find(span.end));
        if from < at {
            continue;
        }
        out.push_str(&text[at..from]);
        out.push_str(to);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// The places where a stored text names what it reads: their span, the number, and whether an alias follows.
pub fn marks(text: &str, mark: &str) -> Vec<(Span, usize, bool)> {
    let Ok(tokens) = super::tokenize(text) else { return Vec::new() };
    let quoted = |n: usize| match tokens.get(n).map(|t| &t.token) {
        Some(Token::Word(w)) if w.quote_style.is_some() => Some(w.value.as_str()),
        _ => None,
    };
    let mut found = Vec::new();
    for n in 0..tokens.len() {
        let is_mark = quoted(n) == Some(mark) && tokens.get(n + 1).is_some_and(|t| t.token == Token::Period);
        let Some(number) = quoted(n + 2).filter(|_| is_mark).and_then(|v| v.parse().ok()) else { continue };
        let span = Span { start: tokens[n].span.start, end: tokens[n + 2].span.end };
        let has_alias = match tokens.get(n + 3).map(|t| &t.token) {
            Some(Token::Word(w)) => w.quote_style.is_some() || is_alias(&w.value),
            _ => false,
        };
        found.push((span, number, has_alias));
    }
    found
}

/// Whether a word behind a relation is its alias, or AS before it.
fn is_alias(word: &str) -> bool {
    const FOLLOW: [&str; 26] = [
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "fetch",
        "for",
        "union",
        "intersect",
        "except",
        "window",
        "join",
        "inner",
        "left",
        "right",
        "full",
        "cross",
        "natural",
        "on",
        "using",
        "lateral",
        "tablesample",
        "with",
        "set",
        "returning",
    ];
    !FOLLOW.iter().any(|w| word.eq_ignore_ascii_case(w))
}
