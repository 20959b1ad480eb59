//! COPY, whose options sqlparser knows only in part (`WITH (FREEZE ON)` among others).
//!
//! Must not know: how rows are read or written.

use super::cursor::{Cursor, is_word};
use super::stmt::{CopyFormat, CopyOptions, CopyRelation, CopyStmt, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

#[derive(Default)]
struct Raw {
    freeze: bool,
    csv: bool,
    delimiter: Option<String>,
    null: Option<String>,
    header: bool,
    quote: Option<String>,
    escape: Option<String>,
    force_quote: Vec<String>,
    force_quote_all: bool,
    force_not_null: Vec<String>,
    force_null: Vec<String>,
}

/// After the word COPY.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    let relation = if c.peek() == Some(&Token::LParen) {
        let (mut depth, mut len) = (0usize, 0usize);
        for t in c.rest() {
            len += 1;
            match t.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        if depth != 0 {
            c.skip(usize::MAX / 2);
            return Err(c.syntax_error());
        }
        let inside = &c.rest()[1..len - 1];
        let unfit = || SqlError::unsupported("COPY query must be a SELECT, INSERT, UPDATE or DELETE");
        // It does not nest; looked at first, so that a chain of them is not copied again and again.
        if is_word(inside.first().map(|t| &t.token), "copy") {
            return Err(unfit());
        }
        let stmt = super::parse_tokens(inside.to_vec(), c.source())?;
        c.skip(len);
        match stmt {
            Stmt::Sql(s) => CopyRelation::Query(s),
            _ => return Err(unfit()),
        }
    } else {
        let name = c.name()?;
        CopyRelation::Table(name, c.optional_columns()?)
    };
    let to = if c.take(&["from"]) {
        false
    } else {
        c.expect("to")?;
        true
    };
    if !to && matches!(relation, CopyRelation::Query(_)) {
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, "COPY FROM needs a table, not a query"));
    }
    if c.take(&["program"]) || matches!(c.peek(), Some(Token::SingleQuotedString(_))) {
        return Err(SqlError::unsupported("COPY with a file or a program on the server is not supported")
            .with_hint("Use COPY ... FROM STDIN or TO STDOUT; psql's \\copy does."));
    }
    if !c.take(&["stdin"]) && !c.take(&["stdout"]) {
        return Err(c.syntax_error());
    }
    let mut raw = Raw::default();
    let with = c.take(&["with"]);
    if c.peek() == Some(&Token::LParen) {
        option_list(c, &mut raw)?;
    } else if !c.at_end() || with {
        legacy_options(c, &mut raw)?;
    }
    if c.take(&["where"]) {
        return Err(SqlError::unsupported("COPY FROM ... WHERE is not supported"));
    }
    c.expect_end()?;
    if to && raw.freeze {
        let message = "COPY FREEZE cannot be used with COPY TO";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    }
    Ok(Stmt::Copy(Box::new(CopyStmt { relation, to, options: check(raw)? })))
}

fn value(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    match c.peek() {
        Some(Token::Word(_)) => c.ident(),
        _ => c.string(),
    }
}

fn columns_or_star(c: &mut Cursor<'_>) -> Result<Option<Vec<String>>, SqlError> {
    if c.take_token(&Token::Mul) { Ok(None) } else { c.optional_columns().map(Some) }
}

fn format_of(name: &str, raw: &mut Raw) -> Result<(), SqlError> {
    match name {
        "text" => raw.csv = false,
        "csv" => raw.csv = true,
        "binary" => return Err(SqlError::unsupported("COPY format \"binary\" is not supported")),
        _ => {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("COPY format \"{name}\" not recognized"),
            ));
        }
    }
    Ok(())
}

fn option_list(c: &mut Cursor<'_>, raw: &mut Raw) -> Result<(), SqlError> {
    c.expect_token(&Token::LParen)?;
    loop {
        let name = c.ident()?;
        match name.as_str() {
            "format" => {
                let format = value(c)?.to_lowercase();
                format_of(&format, raw)?;
            }
            "freeze" => raw.freeze = c.optional_bool()?,
            "header" => raw.header = c.optional_bool()?,
            "delimiter" => raw.delimiter = Some(c.string()?),
            "null" => raw.null = Some(c.string()?),
            "quote" => raw.quote = Some(c.string()?),
            "escape" => raw.escape = Some(c.string()?),
            "encoding" => check_encoding(&value(c)?)?,
            "force_quote" => match columns_or_star(c)? {
                Some(columns) => raw.force_quote = columns,
                None => raw.force_quote_all = true,
            },
            "force_not_null" => raw.force_not_null = columns_or_star(c)?.unwrap_or_default(),
            "force_null" => raw.force_null = columns_or_star(c)?.unwrap_or_default(),
            other => {
                return Err(SqlError::new(
                    SqlState::SYNTAX_ERROR,
                    format!("option \"{other}\" not recognized"),
                ));
            }
        }
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect_token(&Token::RParen)
}

fn legacy_options(c: &mut Cursor<'_>, raw: &mut Raw) -> Result<(), SqlError> {
    while !c.at_end() && !c.word_is(0, "where") {
        let name = c.ident()?;
        match name.as_str() {
            "binary" => format_of("binary", raw)?,
            "csv" => raw.csv = true,
            "freeze" => raw.freeze = true,
            "header" => raw.header = true,
            "delimiter" | "delimiters" => {
                c.take(&["as"]);
                raw.delimiter = Some(c.string()?);
            }
            "null" => {
                c.take(&["as"]);
                raw.null = Some(c.string()?);
            }
            "quote" => {
                c.take(&["as"]);
                raw.quote = Some(c.string()?);
            }
            "escape" => {
                c.take(&["as"]);
                raw.escape = Some(c.string()?);
            }
            "encoding" => check_encoding(&c.string()?)?,
            _ => return Err(c.syntax_error()),
        }
    }
    Ok(())
}

fn check_encoding(name: &str) -> Result<(), SqlError> {
    if matches!(name.to_ascii_lowercase().replace(['-', '_'], "").as_str(), "utf8" | "unicode" | "sqlascii") {
        return Ok(());
    }
    Err(SqlError::unsupported(format!("encoding \"{name}\" is not supported; only UTF8 is")))
}

fn one_byte(what: &str, text: Option<String>, default: u8) -> Result<u8, SqlError> {
    match text.as_deref().map(str::as_bytes) {
        None => Ok(default),
        Some([b]) if *b < 128 => Ok(*b),
        Some(_) => Err(SqlError::unsupported(format!("COPY {what} must be a single one-byte character"))),
    }
}

fn check(raw: Raw) -> Result<CopyOptions, SqlError> {
    let bad = |message: &str| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    if !raw.csv {
        if raw.quote.is_some() {
            return bad("COPY QUOTE requires CSV mode");
        }
        if raw.escape.is_some() {
            return bad("COPY ESCAPE requires CSV mode");
        }
    }
    let delimiter = one_byte("delimiter", raw.delimiter, if raw.csv { b',' } else { b'\t' })?;
    if matches!(delimiter, b'\n' | b'\r') {
        return bad("COPY delimiter cannot be newline or carriage return");
    }
    if !raw.csv
        && (delimiter.is_ascii_lowercase() || delimiter.is_ascii_digit() || matches!(delimiter, b'\\' | b'.'))
    {
        return bad(&format!("COPY delimiter cannot be \"{}\"", delimiter as char));
    }
    let null = raw.null.unwrap_or_else(|| if raw.csv { String::new() } else { "\\N".into() });
    if null.contains(['\n', '\r']) {
        return bad("COPY null representation cannot use newline or carriage return");
    }
    let quote = one_byte("quote", raw.quote, b'"')?;
    let escape = one_byte("escape", raw.escape, quote)?;
    if raw.csv && quote == delimiter {
        return bad("COPY delimiter and quote must be different");
    }
    Ok(CopyOptions {
        freeze: raw.freeze,
        format: if raw.csv { CopyFormat::Csv } else { CopyFormat::Text },
        delimiter,
        null,
        header: raw.header,
        quote,
        escape,
        force_quote: raw.force_quote,
        force_quote_all: raw.force_quote_all,
        force_not_null: raw.force_not_null,
        force_null: raw.force_null,
    })
}
