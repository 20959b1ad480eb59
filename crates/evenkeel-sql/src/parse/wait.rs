//! WAIT FOR LSN, PostgreSQL 19's statement to read one's own writes on a standby.
//!
//! Must not know: how it is waited.

use super::cursor::Cursor;
use super::stmt::{Stmt, WaitForStmt, WaitMode};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// WAIT FOR LSN 'lsn' [WITH (MODE 'mode', TIMEOUT 'time', NO_THROW)]
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    c.expect("for")?;
    c.expect("lsn")?;
    let mut stmt =
        WaitForStmt { lsn: c.string()?, mode: WaitMode::StandbyReplay, timeout: None, no_throw: false };
    if c.take(&["with"]) {
        c.expect_token(&Token::LParen)?;
        let mut seen = Vec::new();
        loop {
            let option = c.ident()?;
            if seen.contains(&option) {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options"));
            }
            match option.as_str() {
                "mode" => stmt.mode = mode(&c.string()?)?,
                "timeout" => {
                    stmt.timeout = Some(match c.peek() {
                        Some(Token::Number(..)) => c.integer()?.to_string(),
                        _ => c.string()?,
                    });
                }
                "no_throw" => stmt.no_throw = true,
                other => {
                    let message = format!("option \"{other}\" not recognized");
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, message));
                }
            }
            seen.push(option);
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
        c.expect_token(&Token::RParen)?;
    }
    Ok(Stmt::WaitFor(stmt))
}

fn mode(word: &str) -> Result<WaitMode, SqlError> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "standby_replay" => WaitMode::StandbyReplay,
        "standby_write" => WaitMode::StandbyWrite,
        "standby_flush" => WaitMode::StandbyFlush,
        "primary_flush" => WaitMode::PrimaryFlush,
        _ => {
            let message = format!("unrecognized value for WAIT option \"mode\": \"{word}\"");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
    })
}
