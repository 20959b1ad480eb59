//! CREATE DOMAIN and ALTER DOMAIN.
//!
//! Must not know: what domains there are.

use super::cursor::{Cursor, Of};
use super::stmt::*;
use super::utility::unsupported;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Constraints that domains have not.
const REFUSED: [(&[&str], &str); 4] = [
    (&["unique"], "unique"),
    (&["primary", "key"], "primary key"),
    (&["references"], "foreign key"),
    (&["exclude"], "exclusion"),
];

/// Words that begin what may follow a type or an expression.
fn begins_clause(c: &Cursor<'_>, n: usize) -> bool {
    let after_is = n > 0 && (c.word_is(n - 1, "is") || c.word_is(n - 1, "not"));
    ["constraint", "check", "default", "collate", "unique", "primary", "references", "generated"]
        .iter()
        .any(|w| c.word_is(n, w))
        || (!after_is && (c.word_is(n, "null") || (c.word_is(n, "not") && c.word_is(n + 1, "null"))))
}

/// Tokens up to the next clause; `least`: so many belong to it in any case.
fn part<'a>(c: &mut Cursor<'a>, least: usize) -> Result<&'a [TokenWithSpan], SqlError> {
    let (rest, mut depth, mut n) = (c.rest(), 0usize, 0);
    while let Some(t) = rest.get(n) {
        match t.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket if depth == 0 => break,
            Token::RParen | Token::RBracket => depth -= 1,
            _ if depth == 0 && n >= least && begins_clause(c, n) => break,
            _ => {}
        }
        n += 1;
    }
    if n == 0 {
        return Err(c.syntax_error());
    }
    c.skip(n);
    Ok(&rest[..n])
}

/// An expression, as it is kept.
fn expression(c: &mut Cursor<'_>, tokens: &[TokenWithSpan]) -> Result<String, SqlError> {
    let tokens = super::of_expressions(tokens.to_vec(), c.source())?;
    let tokens = super::rewrite::rewrite(tokens, c.source())?;
    let e = super::with_parser(tokens, c.source(), |p| p.parse_expr())?;
    Ok(super::deparse::deparse(&e))
}

fn default(c: &mut Cursor<'_>) -> Result<String, SqlError> {
    let tokens = part(c, 1)?;
    expression(c, tokens)
}

/// A constraint: CHECK, NOT NULL or NULL, with its name.
fn constraint(c: &mut Cursor<'_>, is_new: bool) -> Result<Option<DomainConstraint>, SqlError> {
    let name = if c.take(&["constraint"]) { Some(c.ident()?) } else { None };
    let what = if c.take(&["not", "null"]) {
        DomainRule::NotNull
    } else if c.take(&["null"]) {
        DomainRule::Null
    } else if c.take(&["check"]) {
        c.expect_token(&Token::LParen)?;
        let mut tokens = part(c, usize::MAX)?.to_vec();
        // As PostgreSQL shows it.
        for t in &mut tokens {
            if let Token::Word(w) = &mut t.token
                && w.quote_style.is_none()
                && w.value.eq_ignore_ascii_case("value")
            {
                w.value = "VALUE".into();
            }
        }
        let e = expression(c, &tokens)?;
        c.expect_token(&Token::RParen)?;
        DomainRule::Check(e)
    } else {
        if is_new {
            refuse(c)?;
        }
        return if name.is_some() { Err(c.syntax_error()) } else { Ok(None) };
    };
    let not_valid = attributes(c, &what, is_new)?;
    Ok(Some(DomainConstraint { name, what, not_valid }))
}

/// Refuses constraints that domains have not.
fn refuse(c: &mut Cursor<'_>) -> Result<(), SqlError> {
    if let Some((_, what)) = REFUSED.iter().find(|r| c.take(r.0)) {
        let why = format!("{what} constraints not possible for domains");
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
    }
    match c.take(&["generated"]) {
        true => Err(SqlError::unsupported("specifying GENERATED not supported for domains")),
        false => Ok(()),
    }
}

/// What stands behind a constraint; whether NOT VALID does.
fn attributes(c: &mut Cursor<'_>, what: &DomainRule, is_new: bool) -> Result<bool, SqlError> {
    let is_check = matches!(what, DomainRule::Check(_));
    let kind = if is_check { "CHECK" } else { "NOT NULL" };
    let wrong = |why: &str| Err(SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why));
    let marked = |how: &str| Err(SqlError::unsupported(format!("{kind} constraints cannot be marked {how}")));
    let mut not_valid = false;
    loop {
        if !is_new && c.take(&["not", "valid"]) {
            if !is_check {
                return marked("NOT VALID");
            }
            not_valid = true;
        } else if c.take(&["no", "inherit"]) {
            match (is_new, is_check) {
                (true, true) => return wrong("check constraints for domains cannot be marked NO INHERIT"),
                (true, false) => {
                    return wrong("not-null constraints for domains cannot be marked NO INHERIT");
                }
                (false, false) => return marked("NO INHERIT"),
                (false, true) => {}
            }
        } else if let Some(how) = ["ENFORCED", "NOT ENFORCED"]
            .into_iter()
            .find(|how| c.take(&how.to_lowercase().split(' ').collect::<Vec<_>>()))
        {
            match is_new {
                true => return wrong("specifying constraint enforceability not supported for domains"),
                false => return marked(how),
            }
        } else if c.take(&["deferrable"]) || c.take(&["initially", "deferred"]) {
            match is_new {
                true => return Err(no_deferring()),
                false => return marked("DEFERRABLE"),
            }
        } else if c.take(&["not", "deferrable"]) || c.take(&["initially", "immediate"]) {
            if is_new {
                return Err(no_deferring());
            }
        } else {
            return Ok(not_valid);
        }
    }
}

fn no_deferring() -> SqlError {
    SqlError::unsupported("specifying constraint deferrability not supported for domains")
}

pub(super) fn create(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name_of(Of::Other)?;
    let _ = c.take(&["as"]);
    let tokens = part(c, 1)?.to_vec();
    let ty = super::with_parser(tokens, c.source(), |p| p.parse_data_type())?;
    let (mut collation, mut default, mut constraints) = (None, None, Vec::new());
    loop {
        if c.take(&["collate"]) {
            if collation.replace(c.name_of(Of::Other)?).is_some() {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "multiple COLLATE clauses not allowed"));
            }
        } else if c.take(&["default"]) {
            if default.replace(self::default(c)?).is_some() {
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, "multiple default expressions"));
            }
        } else if let Some(found) = constraint(c, true)? {
            constraints.push(found);
        } else {
            break;
        }
    }
    Ok(Stmt::Domain(Box::new(DomainStmt {
        name,
        action: DomainAction::Create(NewDomain { ty, collation, default, constraints }),
    })))
}

pub(super) fn alter(c: &mut Cursor<'_>) -> Result<Stmt, SqlError> {
    c.skip(2);
    let name = c.name_of(Of::Other)?;
    let action = if c.take(&["set", "default"]) {
        DomainAction::Default(Some(default(c)?))
    } else if c.take(&["drop", "default"]) {
        DomainAction::Default(None)
    } else if c.take(&["set", "not", "null"]) {
        DomainAction::NotNull(true)
    } else if c.take(&["drop", "not", "null"]) {
        DomainAction::NotNull(false)
    } else if c.take(&["add"]) {
        match constraint(c, false)? {
            Some(found) => DomainAction::Add(found),
            None => return Err(c.syntax_error()),
        }
    } else if c.take(&["drop", "constraint"]) {
        let if_exists = c.take(&["if", "exists"]);
        let constraint = c.ident()?;
        let _ = c.take(&["cascade"]) || c.take(&["restrict"]);
        DomainAction::Drop { constraint, if_exists }
    } else if c.take(&["rename", "constraint"]) {
        let from = c.ident()?;
        c.expect("to")?;
        DomainAction::RenameConstraint(from, c.ident()?)
    } else if c.take(&["validate", "constraint"]) {
        DomainAction::Validate(c.ident()?)
    } else if c.take(&["rename", "to"]) {
        let to = c.ident()?;
        return Ok(Stmt::Type(Box::new(TypeStmt { name, action: TypeAction::Rename(to) })));
    } else if c.take(&["set", "schema"]) {
        let to = c.ident()?;
        return Ok(Stmt::Type(Box::new(TypeStmt { name, action: TypeAction::SetSchema(to) })));
    } else {
        return Ok(unsupported(c, "ALTER DOMAIN of this kind"));
    };
    Ok(Stmt::Domain(Box::new(DomainStmt { name, action })))
}
