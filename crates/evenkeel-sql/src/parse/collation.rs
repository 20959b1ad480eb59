//! CREATE COLLATION and ALTER COLLATION.
//!
//! Must not know: what collations there are.

use super::cursor::{Cursor, Of};
use super::stmt::*;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let if_not_exists = c.take(&["if", "not", "exists"]);
    let name = c.name_of(Of::Other)?;
    let action = if c.take(&["from"]) {
        CollationAction::Copy { from: c.name_of(Of::Other)?, if_not_exists }
    } else {
        c.expect_token(&Token::LParen)?;
        let mut options = vec![option(c)?];
        while c.take_token(&Token::Comma) {
            options.push(option(c)?);
        }
        c.expect_token(&Token::RParen)?;
        CollationAction::Create { options, if_not_exists }
    };
    Ok(Stmt::Collation(Box::new(CollationStmt { name, action })))
}

/// `name = value`, or a name alone.
fn option(c: &mut Cursor<'_>) -> Result<(String, Option<String>), SqlError> {
    let name = c.ident()?;
    if !c.take_token(&Token::Eq) {
        return Ok((name, None));
    }
    let value = match c.peek() {
        Some(Token::Word(_)) => c.ident()?,
        Some(Token::Number(n, _)) => {
            c.skip(1);
            n.clone()
        }
        _ => c.string()?,
    };
    Ok((name, Some(value)))
}

pub(super) fn alter(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name_of(Of::Other)?;
    let action = if c.take(&["rename", "to"]) {
        CollationAction::Rename(c.ident()?)
    } else if c.take(&["set", "schema"]) {
        CollationAction::SetSchema(c.ident()?)
    } else if c.take(&["refresh", "version"]) {
        CollationAction::Refresh
    } else {
        return Err(c.syntax_error());
    };
    Ok(Stmt::Collation(Box::new(CollationStmt { name, action })))
}
