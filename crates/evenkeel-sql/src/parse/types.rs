//! CREATE TYPE and ALTER TYPE.
//!
//! Must not know: what types there are.

use super::cursor::{Cursor, Of};
use super::stmt::*;
use super::utility::unsupported;
use evenkeel_types::error::SqlError;
use sqlparser::ast::DataType;
use sqlparser::tokenizer::Token;

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name_of(Of::Other)?;
    if c.word_is(0, "as") && matches!(c.rest().get(1).map(|t| &t.token), Some(Token::LParen)) {
        c.skip(2);
        let mut list = Vec::new();
        if !c.take_token(&Token::RParen) {
            loop {
                let name = c.ident()?;
                let Some(ty) = data_type(c)? else { return Ok(unsupported(c, "COLLATE of an attribute")) };
                list.push((name, ty));
                if !c.take_token(&Token::Comma) {
                    break;
                }
            }
            c.expect_token(&Token::RParen)?;
        }
        return Ok(Stmt::Type(Box::new(TypeStmt { name, action: TypeAction::CreateRow(list) })));
    }
    if !c.take(&["as", "enum"]) {
        let kind = match (c.word_is(0, "as"), c.word_is(1, "range")) {
            (true, true) => "CREATE TYPE AS RANGE",
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

/// The type of an attribute; None: it has a collation that is not the bytes' order.
fn data_type(c: &mut Cursor<'_>) -> Result<Option<DataType>, SqlError> {
    let (rest, mut depth, mut n) = (c.rest(), 0usize, 0);
    while let Some(t) = rest.get(n) {
        match t.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::Comma if depth == 0 => break,
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            _ if depth == 0 && ["collate", "cascade", "restrict"].iter().any(|w| c.word_is(n, w)) => break,
            _ => {}
        }
        n += 1;
    }
    if n == 0 {
        return Err(c.syntax_error());
    }
    let tokens = rest[..n].to_vec();
    c.skip(n);
    let ty = super::with_parser(tokens, c.source(), |p| p.parse_data_type())?;
    if c.take(&["collate"]) {
        let collation = c.name_of(Of::Other)?;
        let is_of_system = collation.schema.as_deref().is_none_or(|s| s == "pg_catalog");
        if !is_of_system
            || !["default", "c", "posix", "ucs_basic"].contains(&collation.name.to_lowercase().as_str())
        {
            return Ok(None);
        }
    }
    Ok(Some(ty))
}

/// An action of ALTER TYPE on an attribute.
fn attribute_change(c: &mut Cursor<'_>) -> Result<Option<AttributeChange>, SqlError> {
    let change = if c.take(&["add", "attribute"]) {
        let name = c.ident()?;
        data_type(c)?.map(|ty| AttributeChange::Add(name, ty))
    } else if c.take(&["drop", "attribute"]) {
        let if_exists = c.take(&["if", "exists"]);
        Some(AttributeChange::Drop { name: c.ident()?, if_exists })
    } else if c.take(&["alter", "attribute"]) {
        let name = c.ident()?;
        let _ = c.take(&["set", "data"]);
        c.expect("type")?;
        data_type(c)?.map(|ty| AttributeChange::Type(name, ty))
    } else if c.take(&["rename", "attribute"]) {
        let from = c.ident()?;
        c.expect("to")?;
        Some(AttributeChange::Rename(from, c.ident()?))
    } else {
        None
    };
    // Typed tables, which CASCADE is for, are not there.
    let _ = c.take(&["cascade"]) || c.take(&["restrict"]);
    Ok(change)
}

pub(super) fn alter(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name_of(Of::Other)?;
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
        let mut changes = Vec::new();
        loop {
            match attribute_change(c)? {
                Some(change) => changes.push(change),
                None => return Ok(unsupported(c, "ALTER TYPE of this kind")),
            }
            let is_rename = matches!(changes.last(), Some(AttributeChange::Rename(..)));
            if is_rename || !c.take_token(&Token::Comma) {
                break;
            }
        }
        TypeAction::Attributes(changes)
    };
    Ok(Stmt::Type(Box::new(TypeStmt { name, action })))
}
