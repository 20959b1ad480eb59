//! COPY, whose options sqlparser knows only in part.
//!
//! Must not know: how rows are read or written; which options go together (`copy_options.rs`).

use super::copy_options::{Raw, check};
use super::cursor::{Cursor, fold, is_word, position_of};
use super::rewrite::closed;
use super::stmt::{CopyRelation, CopyStmt, Forced, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// After the word COPY.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    let mut raw = Raw::default();
    // Its place before the table, from before PostgreSQL 7.3.
    let is_named_binary = matches!(c.peek_nth(1), Some(Token::LParen | Token::Period))
        || c.word_is(1, "from")
        || c.word_is(1, "to");
    if c.word_is(0, "binary") && !is_named_binary {
        c.skip(1);
        raw.set_format("binary")?;
    }
    let relation = relation(c)?;
    let to = if c.take(&["from"]) {
        false
    } else {
        c.expect("to")?;
        true
    };
    if !to && matches!(relation, CopyRelation::Query(_)) {
        return Err(c.syntax_error_at_previous());
    }
    if c.take(&["program"]) || matches!(c.peek(), Some(Token::SingleQuotedString(_))) {
        return Err(SqlError::unsupported("COPY with a file or a program on the server is not supported")
            .with_hint("Use COPY ... FROM STDIN or TO STDOUT; psql's \\copy does."));
    }
    if !c.take(&["stdin"]) && !c.take(&["stdout"]) {
        return Err(c.syntax_error());
    }
    if c.word_is(0, "delimiters") || (c.word_is(0, "using") && c.word_is(1, "delimiters")) {
        c.take(&["using"]);
        c.skip(1);
        raw.set("delimiter", |r| &mut r.delimiter, c.string()?)?;
    }
    c.take(&["with"]);
    if c.peek() == Some(&Token::LParen) {
        option_list(c, &mut raw, to)?;
    } else {
        older_options(c, &mut raw)?;
    }
    let mut condition = None;
    if c.word_is(0, "where") {
        if to {
            let place = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
            let e = SqlError::new(SqlState::SYNTAX_ERROR, "WHERE clause not allowed with COPY TO");
            return Err(match place {
                Some(p) => e.with_position(p),
                None => e,
            });
        }
        c.skip(1);
        let text = c.rest_text().ok_or_else(|| c.syntax_error())?;
        super::parse_expression(&text)?;
        condition = Some(text);
        c.skip(usize::MAX / 2);
    }
    c.expect_end()?;
    Ok(Stmt::Copy(Box::new(CopyStmt { relation, to, options: check(raw, to)?, condition })))
}

fn relation(c: &mut Cursor<'_>) -> Result<CopyRelation, SqlError> {
    if c.peek() != Some(&Token::LParen) {
        let name = c.name()?;
        return Ok(CopyRelation::Table(name, c.optional_columns()?));
    }
    let Some(close) = closed(c.rest(), 0) else {
        c.skip(usize::MAX / 2);
        return Err(c.syntax_error());
    };
    let inside = &c.rest()[1..close];
    let begins = ["select", "values", "with", "insert", "update", "delete", "merge", "table"];
    let first = inside.first();
    // It does not nest; looked at first, so that a chain of them is not copied again and again.
    if !begins.iter().any(|w| is_word(first.map(|t| &t.token), w))
        && first.is_none_or(|t| t.token != Token::LParen)
    {
        c.skip(1);
        return Err(c.syntax_error());
    }
    let stmt = super::parse_tokens(inside.to_vec(), c.source())?;
    c.skip(close + 1);
    match stmt {
        Stmt::Sql(s) => Ok(CopyRelation::Query(s)),
        _ => Err(SqlError::unsupported("COPY query must be a SELECT, INSERT, UPDATE or DELETE")),
    }
}

/// A word or a string.
fn text(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    match c.peek() {
        Some(Token::Word(_)) => c.ident(),
        _ => c.string(),
    }
}

/// A word, a string, a number or nothing.
fn optional_text(c: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    Ok(match c.peek() {
        Some(Token::Comma | Token::RParen) | None => None,
        Some(Token::Number(..) | Token::Minus) => Some(c.integer()?.to_string()),
        _ => Some(text(c)?),
    })
}

fn needs(c: &mut Cursor<'_>, name: &str) -> Result<String, SqlError> {
    optional_text(c)?
        .ok_or_else(|| SqlError::new(SqlState::SYNTAX_ERROR, format!("{name} requires a parameter")))
}

fn boolean(c: &mut Cursor<'_>, name: &str) -> Result<bool, SqlError> {
    match optional_text(c)?.map(|t| t.to_ascii_lowercase()).as_deref() {
        None | Some("true" | "on" | "1") => Ok(true),
        Some("false" | "off" | "0") => Ok(false),
        _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("{name} requires a Boolean value"))),
    }
}

fn forced(c: &mut Cursor<'_>, name: &str) -> Result<Forced, SqlError> {
    if c.take_token(&Token::Mul) {
        return Ok(Forced::All);
    }
    let columns = c.optional_columns()?;
    if columns.is_empty() {
        return Err(SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("argument to option \"{name}\" must be a list of column names"),
        ));
    }
    Ok(Forced::Columns(columns))
}

fn option_list(c: &mut Cursor<'_>, raw: &mut Raw, to: bool) -> Result<(), SqlError> {
    c.expect_token(&Token::LParen)?;
    loop {
        let at = c.rest().first().map(|t| t.span.start);
        let name = c.ident()?;
        let one = match name.as_str() {
            "format" => needs(c, "format").and_then(|f| raw.set_format(&f)),
            "freeze" => boolean(c, "freeze").and_then(|v| raw.set("freeze", |r| &mut r.freeze, v)),
            "header" => optional_text(c).and_then(|t| raw.set_header(t.as_deref())),
            "delimiter" => needs(c, &name).and_then(|v| raw.set(&name, |r| &mut r.delimiter, v)),
            "null" => needs(c, &name).and_then(|v| raw.set(&name, |r| &mut r.null, v)),
            "default" => needs(c, &name).and_then(|v| raw.set(&name, |r| &mut r.default, v)),
            "quote" => needs(c, &name).and_then(|v| raw.set(&name, |r| &mut r.quote, v)),
            "escape" => needs(c, &name).and_then(|v| raw.set(&name, |r| &mut r.escape, v)),
            "encoding" => needs(c, &name).and_then(|v| raw.set_encoding(v)),
            "force_quote" => forced(c, &name).and_then(|v| raw.set(&name, |r| &mut r.force_quote, v)),
            "force_not_null" => forced(c, &name).and_then(|v| raw.set(&name, |r| &mut r.force_not_null, v)),
            "force_null" => forced(c, &name).and_then(|v| raw.set(&name, |r| &mut r.force_null, v)),
            "convert_selectively" => Err(SqlError::unsupported("COPY CONVERT_SELECTIVELY is not supported")),
            "on_error" => optional_text(c).and_then(|t| raw.set_on_error(t, to)),
            "log_verbosity" => optional_text(c).and_then(|t| raw.set_verbosity(t)),
            "reject_limit" => needs(c, &name).and_then(|t| raw.set_reject_limit(&t)),
            other => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("option \"{other}\" not recognized"))),
        };
        one.map_err(|e| match at.and_then(|at| position_of(c.source(), at)) {
            // What PostgreSQL points at.
            Some(p)
                if e.position.is_none()
                    && ["not recognized", "redundant", "argument to option", "cannot be used"]
                        .iter()
                        .any(|part| e.message.contains(part)) =>
            {
                e.with_position(p)
            }
            _ => e,
        })?;
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect_token(&Token::RParen)
}

/// Options without brackets.
fn older_options(c: &mut Cursor<'_>, raw: &mut Raw) -> Result<(), SqlError> {
    while let Some(Token::Word(w)) = c.peek()
        && w.quote_style.is_none()
        && !c.word_is(0, "where")
    {
        let name = fold(&w.value, false);
        let string = |c: &mut Cursor<'_>| {
            c.skip(1);
            c.take(&["as"]);
            c.string()
        };
        match name.as_str() {
            "binary" | "csv" => {
                c.skip(1);
                raw.set_format(&name)?;
            }
            "freeze" => {
                c.skip(1);
                raw.set("freeze", |r| &mut r.freeze, true)?;
            }
            "header" => {
                c.skip(1);
                raw.set_header(None)?;
            }
            "delimiter" => raw.set("delimiter", |r| &mut r.delimiter, string(c)?)?,
            "null" => raw.set("null", |r| &mut r.null, string(c)?)?,
            "quote" => raw.set("quote", |r| &mut r.quote, string(c)?)?,
            "escape" => raw.set("escape", |r| &mut r.escape, string(c)?)?,
            "encoding" => {
                c.skip(1);
                raw.set_encoding(c.string()?)?;
            }
            "force" => {
                c.skip(1);
                if c.take(&["quote"]) {
                    let columns = older_columns(c)?;
                    raw.set("force_quote", |r| &mut r.force_quote, columns)?;
                } else if c.take(&["not", "null"]) {
                    let columns = older_columns(c)?;
                    raw.set("force_not_null", |r| &mut r.force_not_null, columns)?;
                } else if c.take(&["null"]) {
                    let columns = older_columns(c)?;
                    raw.set("force_null", |r| &mut r.force_null, columns)?;
                } else {
                    return Err(c.syntax_error());
                }
            }
            _ => return Err(c.syntax_error()),
        }
    }
    Ok(())
}

fn older_columns(c: &mut Cursor<'_>) -> Result<Forced, SqlError> {
    if c.take_token(&Token::Mul) {
        return Ok(Forced::All);
    }
    let mut columns = vec![c.ident()?];
    while c.take_token(&Token::Comma) {
        columns.push(c.ident()?);
    }
    Ok(Forced::Columns(columns))
}
