//! Statements on cursors: DECLARE, FETCH, MOVE, CLOSE.
//!
//! Must not know: how cursors are read.

use super::cursor::Cursor;
use super::stmt::{DeclareStmt, FetchStmt, Move, Stmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::Statement;
use sqlparser::tokenizer::Token;

fn bad(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_CURSOR_DEFINITION, message)
}

/// DECLARE name options CURSOR hold FOR query.
pub(super) fn declare(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let name = c.ident()?;
    let (mut binary, mut scroll, mut no_scroll, mut insensitive, mut asensitive) =
        (false, false, false, false, false);
    loop {
        match () {
            () if c.take(&["binary"]) => binary = true,
            () if c.take(&["no", "scroll"]) => no_scroll = true,
            () if c.take(&["scroll"]) => scroll = true,
            () if c.take(&["insensitive"]) => insensitive = true,
            () if c.take(&["asensitive"]) => asensitive = true,
            () => break,
        }
    }
    c.expect("cursor")?;
    let hold = c.take(&["with", "hold"]);
    if !hold {
        c.take(&["without", "hold"]);
    }
    c.expect("for")?;
    let is_query = ["select", "with", "values", "table"].iter().any(|w| c.word_is(0, w))
        || c.peek() == Some(&Token::LParen);
    if !is_query {
        return Err(c.syntax_error());
    }
    let stmt = super::parse_tokens(c.rest().to_vec(), c.source())?;
    let query = match &stmt {
        Stmt::Sql(s) => match &**s {
            Statement::Query(q) => q,
            _ => return Err(bad("DECLARE CURSOR must specify a SELECT statement")),
        },
        _ => return Err(c.syntax_error()),
    };
    if scroll && no_scroll {
        return Err(bad("cannot specify both SCROLL and NO SCROLL"));
    }
    if insensitive && asensitive {
        return Err(bad("cannot specify both ASENSITIVE and INSENSITIVE"));
    }
    if !query.locks.is_empty() {
        check_locks(locks_named(c), hold, scroll, insensitive)?;
    }
    let scroll = match (scroll, no_scroll || !query.locks.is_empty()) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    Ok(Stmt::Declare(Box::new(DeclareStmt { name, binary, scroll, hold, stmt })))
}

/// What locks rows is read once, forward, by its transaction.
fn check_locks(strength: &str, hold: bool, scroll: bool, insensitive: bool) -> Result<(), SqlError> {
    let refuse = |what: &str, whose: &str| {
        Err(SqlError::unsupported(format!("DECLARE {what} ... {strength} is not supported"))
            .with_detail(format!("{whose} cursors must be READ ONLY.")))
    };
    if hold {
        return refuse("CURSOR WITH HOLD", "Holdable");
    }
    if scroll {
        return refuse("SCROLL CURSOR", "Scrollable");
    }
    if insensitive {
        return Err(bad(&format!("DECLARE INSENSITIVE CURSOR ... {strength} is not valid"))
            .with_detail("Insensitive cursors must be READ ONLY."));
    }
    Ok(())
}

/// How the query spells its locks.
fn locks_named(c: &Cursor<'_>) -> &'static str {
    const ALL: [&[&str]; 3] = [&["for", "share"], &["for", "no", "key", "update"], &["for", "key", "share"]];
    let is_here = |n: usize, words: &[&str]| words.iter().enumerate().all(|(i, w)| c.word_is(n + i, w));
    let found = (0..c.rest().len()).find_map(|n| ALL.iter().position(|words| is_here(n, words)));
    match found {
        Some(0) => "FOR SHARE",
        Some(1) => "FOR NO KEY UPDATE",
        Some(_) => "FOR KEY SHARE",
        None => "FOR UPDATE",
    }
}

/// FETCH and MOVE.
pub(super) fn fetch(c: &mut Cursor<'_>, moves: bool) -> Result<Stmt, SqlError> {
    c.skip(1);
    // A cursor may be called like a direction.
    let is_name = c.rest().len() == 1;
    let direction = if is_name { Move::Forward(Some(1)) } else { direction(c)? };
    if !is_name && !c.take(&["from"]) {
        c.take(&["in"]);
    }
    let name = c.ident()?;
    Ok(Stmt::Fetch(FetchStmt { name, direction, moves }))
}

fn direction(c: &mut Cursor<'_>) -> Result<Move, SqlError> {
    let counts = |c: &Cursor<'_>| matches!(c.peek(), Some(Token::Number(..) | Token::Minus | Token::Plus));
    let number = |c: &mut Cursor<'_>| {
        c.take_token(&Token::Plus);
        c.integer().and_then(|n| i32::try_from(n).map(i64::from).map_err(|_| c.syntax_error_at_previous()))
    };
    // Some rows, all, or one.
    let count = |c: &mut Cursor<'_>| -> Result<Option<i64>, SqlError> {
        if counts(c) {
            return number(c).map(Some);
        }
        Ok(if c.take(&["all"]) { None } else { Some(1) })
    };
    Ok(match () {
        () if c.take(&["next"]) => Move::Forward(Some(1)),
        () if c.take(&["prior"]) => Move::Backward(Some(1)),
        () if c.take(&["first"]) => Move::Absolute(1),
        () if c.take(&["last"]) => Move::Absolute(-1),
        () if c.take(&["absolute"]) => Move::Absolute(number(c)?),
        () if c.take(&["relative"]) => Move::Relative(number(c)?),
        () if c.take(&["forward"]) => Move::Forward(count(c)?),
        () if c.take(&["backward"]) => Move::Backward(count(c)?),
        () => Move::Forward(count(c)?),
    })
}

/// CLOSE name, or ALL.
pub(super) fn close(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(1);
    let quoted = matches!(c.peek(), Some(Token::Word(w)) if w.quote_style.is_some());
    let name = c.ident()?;
    Ok(Stmt::Close((quoted || name != "all").then_some(name)))
}
