//! CREATE SEQUENCE and the options of sequences.
//!
//! Must not know: what the options do.

use super::cursor::Cursor;
use super::stmt::*;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let _ = c.take(&["local"]) || c.take(&["global"]);
    let temporary = c.take(&["temp"]) || c.take(&["temporary"]);
    c.take(&["unlogged"]);
    c.expect("sequence")?;
    let if_not_exists = c.take(&["if", "not", "exists"]);
    let name = c.name()?;
    let options = options(c)?;
    Ok(Stmt::CreateSequence(Box::new(CreateSequenceStmt { temporary, name, if_not_exists, options })))
}

/// Sequence options in any order, as pg_dump writes them.
pub(super) fn options(c: &mut Cursor<'_>) -> Result<SequenceOptions, SqlError> {
    let mut o = SequenceOptions::default();
    let integer = |c: &mut Cursor<'_>| {
        let text = match c.peek_nth(usize::from(c.peek() == Some(&Token::Minus))) {
            Some(Token::Number(n, _)) if n.bytes().all(|b| b.is_ascii_digit()) => n.clone(),
            _ => return Err(c.syntax_error()),
        };
        c.integer().map_err(|_| {
            SqlError::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("value \"{text}\" is out of range for type bigint"),
            )
        })
    };
    loop {
        if c.take(&["increment"]) {
            c.take(&["by"]);
            o.increment = Some(integer(c)?);
        } else if c.take(&["minvalue"]) {
            o.min = Some(Some(integer(c)?));
        } else if c.take(&["maxvalue"]) {
            o.max = Some(Some(integer(c)?));
        } else if c.take(&["no", "minvalue"]) {
            o.min = Some(None);
        } else if c.take(&["no", "maxvalue"]) {
            o.max = Some(None);
        } else if c.take(&["start"]) {
            c.take(&["with"]);
            o.start = Some(integer(c)?);
        } else if c.take(&["restart"]) {
            let said = c.take(&["with"]) || matches!(c.peek(), Some(Token::Number(..) | Token::Minus));
            o.restart = Some(if said { Some(integer(c)?) } else { None });
        } else if c.take(&["cache"]) {
            o.cache = Some(integer(c)?);
        } else if c.take(&["no", "cycle"]) {
            o.cycle = Some(false);
        } else if c.take(&["cycle"]) {
            o.cycle = Some(true);
        } else if c.take(&["sequence", "name"]) {
            o.sequence_name = Some(c.name()?);
        } else if c.take(&["as"]) {
            o.data_type = Some(c.ident()?);
        } else if c.take(&["owned", "by"]) {
            if c.take(&["none"]) {
                o.owned_by = Some(None);
            } else {
                o.owned_by = Some(Some(c.column()?.ok_or_else(|| c.syntax_error())?));
            }
        } else {
            return Ok(o);
        }
    }
}
