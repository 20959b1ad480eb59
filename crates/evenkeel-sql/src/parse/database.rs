//! CREATE, ALTER and DROP DATABASE, but for what ALTER DATABASE has in common with other statements (`roles`).
//!
//! Must not know: what options mean.

use super::cursor::Cursor;
use super::stmt::Stmt;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

/// A statement on databases.
#[derive(Clone, Debug)]
pub enum DatabaseStmt {
    /// CREATE DATABASE.
    Create {
        /// Its name.
        name: String,
        /// What is said of it.
        options: Vec<DatabaseOption>,
    },
    /// ALTER DATABASE … WITH.
    Alter {
        /// Its name.
        name: String,
        /// What is said of it.
        options: Vec<DatabaseOption>,
    },
    /// ALTER DATABASE … RENAME TO.
    Rename {
        /// Its name.
        name: String,
        /// The new one.
        new_name: String,
    },
    /// ALTER DATABASE … REFRESH COLLATION VERSION.
    RefreshCollation {
        /// Its name.
        name: String,
    },
    /// DROP DATABASE.
    Drop {
        /// Its name.
        name: String,
        /// IF EXISTS
        if_exists: bool,
        /// FORCE
        force: bool,
    },
}

impl DatabaseStmt {
    /// The command's tag.
    pub fn tag(&self) -> &'static str {
        match self {
            DatabaseStmt::Create { .. } => "CREATE DATABASE",
            DatabaseStmt::Drop { .. } => "DROP DATABASE",
            _ => "ALTER DATABASE",
        }
    }
}

/// An option: its name in small letters, and what is said; None: DEFAULT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOption {
    /// `connection_limit` for CONNECTION LIMIT.
    pub name: String,
    /// As it is written, without quotes.
    pub value: Option<String>,
}

/// Parses the statement if it is one of these.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    if !c.word_is(1, "database") {
        return Ok(None);
    }
    let stmt = if c.take(&["create"]) {
        c.skip(1);
        DatabaseStmt::Create { name: c.ident()?, options: options(c)? }
    } else if c.take(&["drop"]) {
        c.skip(1);
        let if_exists = c.take(&["if", "exists"]);
        let name = c.ident()?;
        let mut force = false;
        let with = c.take(&["with"]);
        if with || c.peek() == Some(&Token::LParen) {
            c.expect_token(&Token::LParen)?;
            loop {
                c.expect("force")?;
                force = true;
                if !c.take_token(&Token::Comma) {
                    break;
                }
            }
            c.expect_token(&Token::RParen)?;
        }
        DatabaseStmt::Drop { name, if_exists, force }
    } else if c.word_is(0, "alter") {
        let sets = c.word_is(3, "set") && !c.word_is(4, "tablespace");
        if sets || c.word_is(3, "reset") || c.word_is(3, "owner") {
            return Ok(None);
        }
        c.skip(2);
        let name = c.ident()?;
        if c.take(&["rename", "to"]) {
            DatabaseStmt::Rename { name, new_name: c.ident()? }
        } else if c.take(&["refresh", "collation", "version"]) {
            DatabaseStmt::RefreshCollation { name }
        } else {
            c.take(&["set"]);
            DatabaseStmt::Alter { name, options: options(c)? }
        }
    } else {
        return Ok(None);
    };
    c.expect_end()?;
    Ok(Some(Stmt::Database(Box::new(stmt))))
}

/// `[WITH] name [=] value …`
fn options(c: &mut Cursor<'_>) -> Result<Vec<DatabaseOption>, SqlError> {
    c.take(&["with"]);
    let mut all = Vec::new();
    while !c.at_end() {
        let name = if c.take(&["connection", "limit"]) { "connection_limit".to_owned() } else { c.ident()? };
        c.take_token(&Token::Eq);
        let value = if c.take(&["default"]) { None } else { Some(value(c)?) };
        all.push(DatabaseOption { name, value });
    }
    Ok(all)
}

fn value(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    match c.peek() {
        Some(Token::Word(_)) => c.ident(),
        Some(Token::Number(..) | Token::Minus) => Ok(c.integer()?.to_string()),
        _ => c.string(),
    }
}
