//! CREATE STATISTICS and ALTER STATISTICS.
//!
//! Must not know: what there is to have statistics of.

use super::cursor::{Cursor, Of};
use super::stmt::Name;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// CREATE STATISTICS or ALTER STATISTICS.
#[derive(Clone, Debug)]
pub enum StatisticsStmt {
    /// CREATE
    Create(CreateStatistics),
    /// ALTER; whether it may be missing.
    Alter {
        /// IF EXISTS
        if_exists: bool,
        /// Which.
        name: Name,
        /// What happens to it.
        action: StatisticsAction,
    },
}

/// CREATE STATISTICS.
#[derive(Clone, Debug)]
pub struct CreateStatistics {
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// None: it is named by its table and columns.
    pub name: Option<Name>,
    /// Kinds as they are written; none: all.
    pub kinds: Vec<String>,
    /// Columns; None: there are expressions among them.
    pub columns: Option<Vec<String>>,
    /// How many columns and expressions.
    pub count: usize,
    /// Of which table.
    pub table: Name,
}

/// What happens to one.
#[derive(Clone, Debug)]
pub enum StatisticsAction {
    /// RENAME TO
    Rename(String),
    /// SET SCHEMA
    SetSchema(String),
    /// SET STATISTICS; None: DEFAULT.
    Target(Option<i64>),
}

/// From its first word on; None: it is something else.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<StatisticsStmt>, SqlError> {
    if !c.word_is(1, "statistics") {
        return Ok(None);
    }
    let creates = c.word_is(0, "create");
    c.skip(2);
    Ok(Some(if creates { StatisticsStmt::Create(create(c)?) } else { alter(c)? }))
}

fn create(c: &mut Cursor<'_>) -> Result<CreateStatistics, SqlError> {
    let if_not_exists = c.take(&["if", "not", "exists"]);
    let is_named = if_not_exists || !(c.word_is(0, "on") || c.peek() == Some(&Token::LParen));
    let name = if is_named { Some(c.name_of(Of::Other)?) } else { None };
    let mut kinds = Vec::new();
    if c.take_token(&Token::LParen) {
        kinds.push(c.ident()?);
        while c.take_token(&Token::Comma) {
            kinds.push(c.ident()?);
        }
        c.expect_token(&Token::RParen)?;
    }
    c.expect("on")?;
    let (mut columns, mut count) = (Some(Vec::new()), 0);
    loop {
        let column = column(c)?;
        match (&mut columns, column) {
            (Some(all), Some(column)) => all.push(column),
            (all, _) => *all = None,
        }
        count += 1;
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect("from")?;
    let table = c.name()?;
    if c.peek() == Some(&Token::Comma) {
        return Err(SqlError::unsupported("only a single relation is allowed in CREATE STATISTICS"));
    }
    Ok(CreateStatistics { if_not_exists, name, kinds, columns, count, table })
}

/// A column; None: an expression, which is passed over.
fn column(c: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    if c.peek() != Some(&Token::LParen) && c.peek_nth(1) != Some(&Token::LParen) {
        return c.ident().map(Some);
    }
    let mut depth = 0usize;
    loop {
        match c.next() {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth = depth.saturating_sub(1),
            Some(_) => {}
            None => return Err(c.syntax_error()),
        }
        let is_over = depth == 0 && (c.peek() == Some(&Token::Comma) || c.word_is(0, "from"));
        if is_over {
            return Ok(None);
        }
    }
}

fn alter(c: &mut Cursor<'_>) -> Result<StatisticsStmt, SqlError> {
    let if_exists = c.take(&["if", "exists"]);
    let name = c.name_of(Of::Other)?;
    let action = if c.take(&["set", "statistics"]) {
        StatisticsAction::Target(if c.take(&["default"]) { None } else { Some(c.integer()?) })
    } else if if_exists {
        return Err(c.syntax_error());
    } else if c.take(&["rename", "to"]) {
        StatisticsAction::Rename(c.ident()?)
    } else {
        c.expect("set")?;
        c.expect("schema")?;
        StatisticsAction::SetSchema(c.ident()?)
    };
    Ok(StatisticsStmt::Alter { if_exists, name, action })
}

/// What is said of too many.
pub(crate) fn too_many_columns() -> SqlError {
    SqlError::new(SqlState::TOO_MANY_COLUMNS, "cannot have more than 8 columns in statistics")
}
