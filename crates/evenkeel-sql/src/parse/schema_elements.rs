//! CREATE SCHEMA with what is to be in it: `CREATE SCHEMA s CREATE TABLE t (…) CREATE VIEW v AS … GRANT …`.
//!
//! Must not know: what may be in a schema.

use super::cursor::{is_word, syntax_error_at};
use super::stmt::{CreateSchemaStmt, Stmt};
use evenkeel_types::error::SqlError;
use sqlparser::ast::Statement;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Where what is to be in a schema begins: no word outside of parentheses is CREATE or GRANT but those. None: there is nothing.
fn starts(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (n, t) in tokens.iter().enumerate().skip(3) {
        match &t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            token if depth == 0 && ["create", "grant"].iter().any(|w| is_word(Some(token), w)) => {
                found.push(n)
            }
            _ => {}
        }
    }
    found
}

/// The statement, if it is one with something in it.
pub(super) fn parse(tokens: &[TokenWithSpan], source: &str) -> Result<Option<Stmt>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    if !is(0, "create") || !is(1, "schema") {
        return Ok(None);
    }
    let starts = starts(tokens);
    let Some(first) = starts.first() else { return Ok(None) };
    let Stmt::Sql(schema) = super::parse_tokens(tokens[..*first].to_vec(), source)? else {
        return Err(syntax_error_at(source, tokens.get(*first)));
    };
    if let Statement::CreateSchema { if_not_exists: true, .. } = &*schema {
        let why = "CREATE SCHEMA IF NOT EXISTS cannot include schema elements";
        return Err(SqlError::unsupported(why));
    }
    let mut elements = Vec::with_capacity(starts.len());
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(tokens.len());
        let element = super::parse_tokens(tokens[*start..end].to_vec(), source)?;
        if matches!(&element, Stmt::Sql(s) if matches!(**s, Statement::CreateSchema { .. })) {
            return Err(syntax_error_at(source, tokens.get(start + 1)));
        }
        elements.push(element);
    }
    Ok(Some(Stmt::CreateSchema(Box::new(CreateSchemaStmt { schema, elements }))))
}
