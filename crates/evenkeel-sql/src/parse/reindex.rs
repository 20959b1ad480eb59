//! REINDEX.
//!
//! Must not know: what it does.

use super::cursor::Cursor;
use super::rules::only_tablespace;
use super::stmt::{ReindexStmt, Reindexed, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

pub(super) fn reindex(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let (mut concurrently, mut verbose) = (false, false);
    if c.take_token(&Token::LParen) {
        loop {
            let option = c.ident()?;
            match option.as_str() {
                "concurrently" => concurrently = c.optional_bool()?,
                "verbose" => verbose = c.optional_bool()?,
                "tablespace" => only_tablespace(&c.ident()?)?,
                other => {
                    let what = format!("unrecognized REINDEX option \"{other}\"");
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, what));
                }
            }
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
        if !c.take_token(&Token::RParen) {
            return Err(c.syntax_error());
        }
    }
    let what = match c.ident()?.as_str() {
        "index" => Reindexed::Index,
        "table" => Reindexed::Table,
        "schema" => Reindexed::Schema,
        "database" => Reindexed::Database,
        "system" => Reindexed::System,
        _ => return Err(c.syntax_error_at_previous()),
    };
    concurrently |= c.take(&["concurrently"]);
    let may_lack_name = matches!(what, Reindexed::Database | Reindexed::System);
    let name = if may_lack_name && c.at_end() { None } else { Some(c.name()?) };
    Ok(Stmt::Reindex(ReindexStmt { what, name, concurrently, verbose }))
}
