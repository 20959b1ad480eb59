//! ALTER TABLE, and parameters of ALTER INDEX: the actions that sqlparser lacks are parsed here, each of the others is handed to it by itself.
//!
//! Must not know: what the actions do.

use super::cursor::{Cursor, is_word, position_of};
use super::stmt::*;
use super::utility::unsupported;
use super::{column_words, definition, rewrite, rules};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// ALTER TABLE, from its first token on.
pub(super) fn table(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let if_exists = c.take(&["if", "exists"]);
    c.take(&["only"]); // no table has children
    let name = c.name()?;
    c.take_token(&Token::Mul);
    let mut actions = Vec::new();
    loop {
        // RENAME is a statement of its own.
        let renames = c.word_is(0, "rename");
        if renames && !actions.is_empty() {
            return Err(c.syntax_error());
        }
        let len = action_len(c.rest());
        let tokens = &c.rest()[..len];
        let mut own = Cursor::new(tokens, c.source());
        actions.push(match own_action(&mut own)? {
            Some(action) => {
                own.expect_end()?;
                action
            }
            None => TableAction::Sql(Box::new(sql_action(tokens, c)?)),
        });
        c.skip(len);
        if renames || !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect_end()?;
    Ok(Stmt::AlterTable(Box::new(AlterTableStmt { if_exists, name, actions })))
}

/// What may follow the name of an index, but for RENAME.
pub(super) fn index(c: &mut Cursor<'_>, if_exists: bool, name: Name) -> Result<Stmt, SqlError> {
    if c.take(&["set", "tablespace"]) {
        rules::only_tablespace(&c.ident()?)?;
        c.take(&["nowait"]);
        return Ok(Stmt::AlterIndex(Box::new(AlterIndexStmt {
            if_exists,
            name,
            action: IndexAction::Set(Vec::new()),
        })));
    }
    for (words, what) in [
        (&["attach", "partition"][..], "ALTER INDEX ... ATTACH PARTITION"),
        (&["depends"], "ALTER INDEX ... DEPENDS ON EXTENSION"),
        (&["no", "depends"], "ALTER INDEX ... NO DEPENDS ON EXTENSION"),
        (&["in", "tablespace"], "ALTER INDEX ALL IN TABLESPACE"),
    ] {
        if c.take(words) {
            return Ok(unsupported(c, what));
        }
    }
    let action = if c.take(&["alter"]) {
        c.take(&["column"]);
        let at = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
        let column = match c.peek() {
            Some(Token::Word(_)) => Err(c.ident()?),
            _ => Ok(c.integer()?),
        };
        if column.as_ref().is_ok_and(|n| !(1..=i64::from(i16::MAX)).contains(n)) {
            let why = format!("column number must be in range from 1 to {}", i16::MAX);
            let e = SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why);
            return Err(at.into_iter().fold(e, SqlError::with_position));
        }
        c.expect("set")?;
        c.expect("statistics")?;
        let target = if c.take(&["default"]) { None } else { Some(c.integer()?) };
        IndexAction::Statistics(column, target)
    } else if c.take(&["set"]) {
        IndexAction::Set(parameters(c)?)
    } else {
        c.expect("reset")?;
        IndexAction::Reset(parameters(c)?.into_iter().map(|(name, _)| name).collect())
    };
    Ok(Stmt::AlterIndex(Box::new(AlterIndexStmt { if_exists, name, action })))
}

/// Tokens up to the next comma that is not in parentheses.
fn action_len(tokens: &[TokenWithSpan]) -> usize {
    let mut depth = 0usize;
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::Comma if depth == 0 => return n,
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}

/// An action as sqlparser has it: of a table with a name of no matter, since an error's position is in the whole statement.
fn sql_action(tokens: &[TokenWithSpan], c: &Cursor<'_>) -> Result<ast::AlterTableOperation, SqlError> {
    if tokens.is_empty() {
        return Err(c.syntax_error());
    }
    super::clauses::check_action(tokens, c.source())?;
    let tokens = rewrite::collated_type(super::of_expressions(tokens.to_vec(), c.source())?);
    let adds = is_word(tokens.first().map(|t| &t.token), "add");
    let tokens = if adds { column_words::respelled(tokens) } else { tokens };
    let tokens = rewrite::rewrite(definition::rewrite(tokens), c.source())?;
    super::with_parser(tokens, c.source(), |p| p.parse_alter_table_operation())
}

/// One of the actions that sqlparser lacks.
fn own_action(c: &mut Cursor<'_>) -> Result<Option<TableAction>, SqlError> {
    if c.take(&["alter", "constraint"]) {
        let name = c.ident()?;
        return Ok(Some(alter_constraint(c, name)?));
    }
    if c.word_is(0, "add") {
        return add_not_null(c);
    }
    if c.word_is(0, "alter") && !c.word_is(1, "constraint") {
        c.skip(1);
        c.take(&["column"]);
        let Ok(column) = c.ident() else { return Ok(None) };
        return Ok(own_column_action(c)?.map(|a| TableAction::Column(column, a)));
    }
    if c.word_is(0, "set") && matches!(c.peek_nth(1), Some(Token::LParen)) {
        c.skip(1);
        return Ok(Some(TableAction::Set(parameters(c)?)));
    }
    if c.take(&["reset"]) {
        let names = parameters(c)?.into_iter().map(|(name, _)| name).collect();
        return Ok(Some(TableAction::Reset(names)));
    }
    if c.take(&["cluster", "on"]) {
        return Ok(Some(TableAction::ClusterOn(Some(c.ident()?))));
    }
    if c.take(&["set", "without", "cluster"]) {
        return Ok(Some(TableAction::ClusterOn(None)));
    }
    // Where it is already.
    if c.take(&["set", "tablespace"]) {
        rules::only_tablespace(&c.ident()?)?;
        return Ok(Some(TableAction::Nothing));
    }
    if c.word_is(0, "set") && c.word_is(1, "access") && (c.word_is(3, "heap") || c.word_is(3, "default")) {
        c.skip(4);
        return Ok(Some(TableAction::Nothing));
    }
    let named: [(&[&str], &str); 7] = [
        (&["inherit"], "INHERIT"),
        (&["no", "inherit"], "NO INHERIT"),
        (&["attach", "partition"], "ATTACH PARTITION"),
        (&["detach", "partition"], "DETACH PARTITION"),
        (&["set", "access", "method"], "SET ACCESS METHOD"),
        (&["of"], "OF"),
        (&["not", "of"], "NOT OF"),
    ];
    for (words, name) in named {
        if c.take(words) {
            c.skip(usize::MAX / 2);
            return Ok(Some(TableAction::Unsupported(name)));
        }
    }
    if c.take(&["set", "without", "oids"]) {
        return Ok(Some(TableAction::Nothing));
    }
    Ok(None)
}

/// What follows ALTER CONSTRAINT name.
fn alter_constraint(c: &mut Cursor<'_>, name: String) -> Result<TableAction, SqlError> {
    let (mut deferrable, mut initially_deferred, mut enforced, mut inherit) = (None, None, None, None);
    let first = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
    let at = |e: SqlError, place: Option<usize>| place.into_iter().fold(e, SqlError::with_position);
    while !c.at_end() {
        let place = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
        if c.take(&["not", "valid"]) {
            let why = "constraints cannot be altered to be NOT VALID";
            return Err(at(SqlError::unsupported(why), first));
        }
        if c.take(&["not", "deferrable"]) {
            deferrable = Some(false);
        } else if c.take(&["deferrable"]) {
            deferrable = Some(true);
        } else if c.take(&["initially", "deferred"]) {
            initially_deferred = Some(true);
        } else if c.take(&["initially", "immediate"]) {
            initially_deferred = Some(false);
        } else if c.take(&["not", "enforced"]) {
            enforced = Some(false);
        } else if c.take(&["enforced"]) {
            enforced = Some(true);
        } else if c.take(&["inherit"]) {
            inherit = Some(true);
        } else if c.take(&["no", "inherit"]) {
            inherit = Some(false);
        } else {
            return Err(c.syntax_error());
        }
        if deferrable == Some(false) && initially_deferred == Some(true) {
            let why = "constraint declared INITIALLY DEFERRED must be DEFERRABLE";
            return Err(at(SqlError::new(SqlState::SYNTAX_ERROR, why), place));
        }
    }
    Ok(TableAction::Constraint { name, deferrable, initially_deferred, enforced, inherit })
}

/// ADD [CONSTRAINT name] NOT NULL column.
fn add_not_null(c: &mut Cursor<'_>) -> Result<Option<TableAction>, SqlError> {
    let is_named = c.word_is(1, "constraint");
    let at = if is_named { 3 } else { 1 };
    if !c.word_is(at, "not") || !c.word_is(at + 1, "null") {
        return Ok(None);
    }
    c.skip(1);
    let name = if c.take(&["constraint"]) { Some(c.ident()?) } else { None };
    c.skip(2);
    let column = c.ident()?;
    let (mut no_inherit, mut not_valid) = (false, false);
    while !c.at_end() {
        if c.take(&["no", "inherit"]) {
            no_inherit = true;
        } else if c.take(&["not", "valid"]) {
            not_valid = true;
        } else {
            return Err(c.syntax_error());
        }
    }
    Ok(Some(TableAction::AddNotNull { name, column, no_inherit, not_valid }))
}

/// What follows ALTER COLUMN name.
fn own_column_action(c: &mut Cursor<'_>) -> Result<Option<ColumnAction>, SqlError> {
    if c.take(&["drop", "identity"]) {
        return Ok(Some(ColumnAction::DropIdentity { if_exists: c.take(&["if", "exists"]) }));
    }
    if c.take(&["drop", "expression"]) {
        return Ok(Some(ColumnAction::DropExpression { if_exists: c.take(&["if", "exists"]) }));
    }
    if c.take(&["add", "generated"]) {
        let always = identity_kind(c)?;
        c.expect("as")?;
        c.expect("identity")?;
        let mut options = SequenceOptions::default();
        if c.take_token(&Token::LParen) {
            options = super::sequence::options(c)?;
            c.expect_token(&Token::RParen)?;
        }
        return Ok(Some(ColumnAction::AddIdentity { always, options: Box::new(options) }));
    }
    if c.take(&["set", "expression", "as"]) {
        let tokens = c.rest();
        if tokens.first().map(|t| &t.token) != Some(&Token::LParen) {
            return Err(c.syntax_error());
        }
        let tokens = rewrite::rewrite(super::of_expressions(tokens.to_vec(), c.source())?, c.source())?;
        let value = super::with_parser(tokens, c.source(), |p| p.parse_expr())?;
        c.skip(usize::MAX / 2);
        return Ok(Some(ColumnAction::SetExpression(Box::new(value))));
    }
    if c.take(&["set", "statistics"]) {
        let target = if c.take(&["default"]) { None } else { Some(c.integer()?) };
        return Ok(Some(ColumnAction::Statistics(target)));
    }
    if c.take(&["set", "storage"]) {
        return Ok(Some(ColumnAction::Storage(c.ident()?)));
    }
    if c.take(&["set", "compression"]) {
        return Ok(Some(ColumnAction::Compression(c.ident()?)));
    }
    if (c.word_is(0, "set") || c.word_is(0, "reset")) && matches!(c.peek_nth(1), Some(Token::LParen)) {
        c.skip(1);
        return Ok(Some(ColumnAction::Options(parameters(c)?)));
    }
    let of_identity = [
        "generated",
        "increment",
        "minvalue",
        "maxvalue",
        "no",
        "start",
        "restart",
        "cache",
        "cycle",
        "sequence",
    ];
    let begins =
        c.word_is(0, "restart") || (c.word_is(0, "set") && of_identity.iter().any(|w| c.word_is(1, w)));
    if !begins {
        return Ok(None);
    }
    // Each stands behind a SET of its own, but for RESTART.
    let (mut always, mut options) = (None, Vec::new());
    while !c.at_end() {
        if c.take(&["set", "generated"]) {
            always = Some(identity_kind(c)?);
        } else if !c.take(&["set"]) {
            options.push(c.rest()[0].clone());
            c.skip(1);
        }
    }
    let mut own = Cursor::new(&options, c.source());
    let options = Box::new(super::sequence::options(&mut own)?);
    own.expect_end()?;
    Ok(Some(ColumnAction::SetIdentity { always, options }))
}

fn identity_kind(c: &mut Cursor<'_>) -> Result<bool, SqlError> {
    if c.take(&["by", "default"]) {
        return Ok(false);
    }
    c.expect("always")?;
    Ok(true)
}

/// `(name = value, …)`.
pub(super) fn parameters(c: &mut Cursor<'_>) -> Result<Vec<(String, Option<String>)>, SqlError> {
    c.expect_token(&Token::LParen)?;
    let mut list = Vec::new();
    loop {
        let mut name = c.ident()?;
        if c.take_token(&Token::Period) {
            name = format!("{name}.{}", c.ident()?);
        }
        let value = if c.take_token(&Token::Eq) {
            let sign = if c.take_token(&Token::Minus) { "-" } else { "" };
            Some(match c.peek() {
                Some(Token::Number(n, _)) => {
                    c.skip(1);
                    format!("{sign}{n}")
                }
                Some(Token::Word(w)) => {
                    c.skip(1);
                    w.value.to_lowercase()
                }
                _ => c.string()?,
            })
        } else {
            None
        };
        list.push((name, value));
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.expect_token(&Token::RParen)?;
    Ok(list)
}
