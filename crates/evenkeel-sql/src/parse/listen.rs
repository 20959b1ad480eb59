//! LISTEN, UNLISTEN, NOTIFY.
//!
//! Must not know: what they do.

use super::cursor::Cursor;
use super::stmt::{ListenStmt, Stmt};
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

pub(super) fn parse(c: &mut Cursor<'_>, word: &str) -> Result<Stmt, SqlError> {
    c.skip(1);
    Ok(Stmt::Listen(match word {
        "unlisten" if c.take_token(&Token::Mul) => ListenStmt::Unlisten(None),
        "unlisten" => ListenStmt::Unlisten(Some(c.ident()?)),
        "listen" => ListenStmt::Listen(c.ident()?),
        _ => {
            let channel = c.ident()?;
            let payload = if c.take_token(&Token::Comma) { c.string()? } else { String::new() };
            ListenStmt::Notify(channel, payload)
        }
    }))
}
