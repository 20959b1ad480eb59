//! CREATE TYPE and ALTER TYPE.
//!
//! Must not know: what types there are.

use super::cursor::Cursor;
use super::stmt::*;
use super::utility::unsupported;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name()?;
    if !c.take(&["as", "enum"]) {
        let kind = match (c.word_is(0, "as"), c.word_is(1, "range")) {
            (true, true) => "CREATE TYPE AS RANGE",
            (true, false) => "CREATE TYPE of rows",
            _ => "CREATE TYPE of this kind",
        };
        return Ok(unsupported(c, kind));
    }
    c.expect_token(&Token::LParen)?;
    let mut labels = Vec::new();
    if !c.take_token(&Token::RParen) {
        labels.push(c.string()?);
        while c.take_token(&Token::Comma) {
            labels.push(c.string()?);
        }
        c.expect_token(&Token::RParen)?;
    }
    Ok(Stmt::Type(Box::new(TypeStmt { name, action: TypeAction::CreateEnum(labels) })))
}

pub(super) fn alter(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name()?;
    let action = if c.take(&["add", "value"]) {
        let if_not_exists = c.take(&["if", "not", "exists"]);
        let label = c.string()?;
        let place = if c.take(&["before"]) {
            Some((true, c.string()?))
        } else if c.take(&["after"]) {
            Some((false, c.string()?))
        } else {
            None
        };
        TypeAction::AddValue { label, if_not_exists, place }
    } else if c.take(&["rename", "value"]) {
        let from = c.string()?;
        c.expect("to")?;
        TypeAction::RenameValue(from, c.string()?)
    } else if c.take(&["rename", "to"]) {
        TypeAction::Rename(c.ident()?)
    } else if c.take(&["set", "schema"]) {
        TypeAction::SetSchema(c.ident()?)
    } else {
        return Ok(unsupported(c, "ALTER TYPE of this kind"));
    };
    Ok(Stmt::Type(Box::new(TypeStmt { name, action })))
}
