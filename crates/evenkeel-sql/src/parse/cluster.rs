//! CLUSTER.
//!
//! Must not know: what it does.

use super::cursor::{Cursor, position_of};
use super::stmt::{ClusterStmt, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

pub(super) fn cluster(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let mut verbose = false;
    if c.take_token(&Token::LParen) {
        loop {
            let at = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
            let option = c.ident()?;
            if option != "verbose" {
                let why = format!("unrecognized CLUSTER option \"{option}\"");
                let e = SqlError::new(SqlState::SYNTAX_ERROR, why);
                return Err(at.into_iter().fold(e, SqlError::with_position));
            }
            verbose = c.optional_bool()?;
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
        c.expect_token(&Token::RParen)?;
    } else {
        verbose |= c.take(&["verbose"]);
    }
    if c.at_end() {
        return Ok(Stmt::Cluster(ClusterStmt { table: None, index: None, verbose }));
    }
    let name = c.name()?;
    // As it was written before there was USING.
    if name.schema.is_none() && c.take(&["on"]) {
        return Ok(Stmt::Cluster(ClusterStmt { table: Some(c.name()?), index: Some(name.name), verbose }));
    }
    let index = if c.take(&["using"]) { Some(c.ident()?) } else { None };
    Ok(Stmt::Cluster(ClusterStmt { table: Some(name), index, verbose }))
}
