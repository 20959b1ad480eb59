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
        let twice = c.at_current(SqlError::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options"));
        let was_there = if c.take(&["increment"]) {
            c.take(&["by"]);
            o.increment.replace(integer(c)?).is_some()
        } else if c.take(&["minvalue"]) {
            o.min.replace(Some(integer(c)?)).is_some()
        } else if c.take(&["maxvalue"]) {
            o.max.replace(Some(integer(c)?)).is_some()
        } else if c.take(&["no", "minvalue"]) {
            o.min.replace(None).is_some()
        } else if c.take(&["no", "maxvalue"]) {
            o.max.replace(None).is_some()
        } else if c.take(&["start"]) {
            c.take(&["with"]);
            o.start.replace(integer(c)?).is_some()
        } else if c.take(&["restart"]) {
            let said = c.take(&["with"]) || matches!(c.peek(), Some(Token::Number(..) | Token::Minus));
            o.restart.replace(if said { Some(integer(c)?) } else { None }).is_some()
        } else if c.take(&["cache"]) {
            o.cache.replace(integer(c)?).is_some()
        } else if c.take(&["no", "cycle"]) {
            o.cycle.replace(false).is_some()
        } else if c.take(&["cycle"]) {
            o.cycle.replace(true).is_some()
        } else if c.take(&["sequence", "name"]) {
            o.sequence_name.replace(c.name()?).is_some()
        } else if c.take(&["as"]) {
            o.data_type.replace(c.ident()?).is_some()
        } else if c.take(&["owned", "by"]) {
            let owner = if c.take(&["none"]) { None } else { Some(owner(c)?) };
            o.owned_by.replace(owner).is_some()
        } else {
            return Ok(o);
        };
        if was_there {
            return Err(twice);
        }
    }
}

/// The column that a sequence is of.
fn owner(c: &mut Cursor<'_>) -> Result<(Name, String), SqlError> {
    c.column()?.ok_or_else(|| {
        SqlError::new(SqlState::SYNTAX_ERROR, "invalid OWNED BY option")
            .with_hint("Specify OWNED BY table.column or OWNED BY NONE.")
    })
}
