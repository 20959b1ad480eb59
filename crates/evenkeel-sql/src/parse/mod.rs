//! From SQL text to statements: tokens, a small pre-parser for what sqlparser cannot parse, then sqlparser.
//!
//! Invariants:
//! 1. Nesting is bounded (54001) before any tree is built: parentheses by the parser's own limit, and chains of operators, which
//!    build left-deep trees without recursion in the parser, by [`MAX_CHAIN`].
//! 2. Every syntax error is 42601 with a position in the whole string that was sent.
//!
//! Must not know: the catalog, sessions, plans.
//!
#![doc = include_str!("README.md")]

mod copy;
pub(crate) mod cursor;
mod rewrite;
pub mod stmt;
mod utility;

pub use stmt::*;

use crate::error::{SqlError, SqlState};
use cursor::{Cursor, END_OF_INPUT, is_word, position_of, syntax_error_at};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

/// The longest text accepted in one message, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;
/// The most tokens accepted in one message.
pub const MAX_TOKENS: usize = 4 << 20;
/// Nesting of parentheses and subqueries.
const MAX_NESTING: usize = 100;
/// Weight of the operators in one expression: AND and OR, which are flattened, weigh 1, others [`OPERATOR_WEIGHT`].
const MAX_CHAIN: usize = 1500;
const OPERATOR_WEIGHT: usize = 5;

/// One statement of a script.
pub struct Parsed {
    /// The statement.
    pub stmt: Stmt,
    /// How it is spelled, without the semicolon.
    pub text: String,
}

/// Parses a string of statements separated by semicolons. Empty statements between them are dropped; a string without any statement
/// gives one [`Stmt::Empty`].
pub fn parse_script(sql: &str) -> Result<Vec<Parsed>, SqlError> {
    let tokens = tokenize(sql)?;
    let mut statements = Vec::new();
    let mut end = 0;
    for part in tokens.split(|t| t.token == Token::SemiColon) {
        end += part.len() + 1;
        if let (Some(first), Some(last)) = (part.first(), part.last()) {
            let text = slice(sql, first.span.start, last.span.end).to_owned();
            let stmt = parse_tokens(part, sql).map_err(|e| {
                // A statement that breaks off does so at its semicolon, if it has one.
                if e.message == END_OF_INPUT { syntax_error_at(sql, tokens.get(end - 1)) } else { e }
            })?;
            statements.push(Parsed { stmt, text });
        }
    }
    if statements.is_empty() {
        statements.push(Parsed { stmt: Stmt::Empty, text: String::new() });
    }
    Ok(statements)
}

/// Parses an expression on its own: defaults and checks are stored as text.
pub fn parse_expression(sql: &str) -> Result<sqlparser::ast::Expr, SqlError> {
    let tokens = tokenize(sql)?;
    with_parser(&tokens, sql, |p| p.parse_expr())
}

fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    if sql.len() > MAX_TEXT_BYTES {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("statement is too long: {} bytes, maximum {MAX_TEXT_BYTES}", sql.len()),
        ));
    }
    if sql.len() > MAX_TOKENS && marks_outside_quotes(sql) > MAX_TOKENS {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("statement has more than {MAX_TOKENS} words and symbols"),
        ));
    }
    let raw = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().map_err(|e| {
        let message = if e.message.starts_with("Unterminated string") {
            let start = position_of(sql, e.location).unwrap_or(1);
            let shown: String = sql.chars().skip(start.saturating_sub(1)).collect();
            format!("unterminated quoted string at or near \"{shown}\"")
        } else if e.message.starts_with("Expected close delimiter '\"'") {
            "unterminated quoted identifier".to_owned()
        } else if e.message.contains("multi-line comment") {
            "unterminated /* comment".to_owned()
        } else {
            format!("syntax error: {}", e.message)
        };
        let error = SqlError::new(SqlState::SYNTAX_ERROR, message);
        match position_of(sql, e.location) {
            Some(p) => error.with_position(p),
            None => error,
        }
    })?;
    // Blanks go; string literals that only a line break separates are one literal.
    let mut tokens: Vec<TokenWithSpan> = Vec::with_capacity(raw.len() / 2 + 1);
    let mut line_break = false;
    for t in raw {
        match &t.token {
            Token::Whitespace(w) => {
                line_break |= matches!(w, Whitespace::Newline | Whitespace::SingleLineComment { .. });
                continue;
            }
            Token::SingleQuotedString(s) if line_break => {
                if let Some(TokenWithSpan { token: Token::SingleQuotedString(before), span }) =
                    tokens.last_mut()
                {
                    before.push_str(s);
                    span.end = t.span.end;
                    continue;
                }
                tokens.push(t);
            }
            Token::SingleQuotedString(_)
                if matches!(
                    tokens.last(),
                    Some(TokenWithSpan { token: Token::SingleQuotedString(_), .. })
                ) =>
            {
                return Err(syntax_error_at(sql, Some(&t)));
            }
            Token::EOF => {}
            _ => tokens.push(t),
        }
        line_break = false;
    }
    check_chains(&tokens)?; // invariant 1
    Ok(tokens)
}

/// An upper bound of the number of tokens that is cheap to know.
fn marks_outside_quotes(sql: &str) -> usize {
    let (mut quoted, mut marks, mut in_word) = (false, 0, false);
    for b in sql.bytes() {
        if b == b'\'' {
            quoted = !quoted;
        }
        let word = b.is_ascii_alphanumeric() || b == b'_' || b >= 128;
        let inside = quoted || (word && in_word);
        if !inside {
            marks += 1;
        }
        in_word = word;
    }
    marks
}

fn check_chains(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let mut open = vec![0usize];
    for t in tokens {
        match &t.token {
            Token::LParen | Token::LBracket => open.push(0),
            Token::RParen | Token::RBracket if open.len() > 1 => {
                open.pop();
            }
            Token::Comma | Token::SemiColon => {
                if let Some(last) = open.last_mut() {
                    *last = 0;
                }
            }
            Token::Word(w) if w.quote_style.is_some() => {}
            Token::Word(w) => {
                use sqlparser::keywords::Keyword as K;
                // AND and OR are flattened where they are bound, but their tree is as deep as they are many.
                let flat = matches!(w.keyword, K::AND | K::OR);
                let deepens = matches!(
                    w.keyword,
                    K::NOT
                        | K::UNION
                        | K::INTERSECT
                        | K::EXCEPT
                        | K::JOIN
                        | K::CASE
                        | K::IS
                        | K::IN
                        | K::LIKE
                        | K::ILIKE
                        | K::BETWEEN
                        | K::COLLATE
                        | K::AT
                        | K::SELECT
                );
                if let Some(last) = open.last_mut() {
                    *last += usize::from(flat) + OPERATOR_WEIGHT * usize::from(deepens);
                }
            }
            Token::Number(..) | Token::SingleQuotedString(_) | Token::Period | Token::Placeholder(_) => {}
            _ => {
                if let Some(last) = open.last_mut() {
                    *last += OPERATOR_WEIGHT;
                }
            }
        }
        if open.len() > MAX_CHAIN || open.last().is_some_and(|n| *n > MAX_CHAIN) {
            return Err(too_complex());
        }
    }
    Ok(())
}

fn too_complex() -> SqlError {
    SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .with_hint("The statement nests expressions too deeply, or chains too many operators.")
}

/// Parses the tokens of one statement.
fn parse_tokens(tokens: &[TokenWithSpan], source: &str) -> Result<Stmt, SqlError> {
    let mut cursor = Cursor::new(tokens, source);
    if let Some(stmt) = utility::parse(&mut cursor)? {
        return Ok(stmt);
    }
    let first_is = |words: &[&str]| words.iter().any(|w| is_word(tokens.first().map(|t| &t.token), w));
    let known =
        first_is(&["select", "with", "values", "insert", "update", "delete", "create", "alter", "table"])
            || tokens.first().is_some_and(|t| t.token == Token::LParen);
    if !known {
        return Err(syntax_error_at(source, tokens.first()));
    }
    let tokens = rewrite::rewrite(tokens, source)?;
    with_parser(&tokens, source, |p| p.parse_statement()).map(|s| Stmt::Sql(Box::new(s)))
}

/// Runs sqlparser over tokens that must all be consumed.
fn with_parser<T>(
    tokens: &[TokenWithSpan],
    source: &str,
    parse: impl FnOnce(&mut Parser<'_>) -> Result<T, ParserError>,
) -> Result<T, SqlError> {
    let dialect = PostgreSqlDialect {};
    let mut parser =
        Parser::new(&dialect).with_recursion_limit(MAX_NESTING).with_tokens_with_locations(tokens.to_vec());
    let result = parse(&mut parser);
    match result {
        Ok(tree) => {
            let left = parser.peek_token();
            if left.token == Token::EOF { Ok(tree) } else { Err(syntax_error_at(source, Some(&left))) }
        }
        Err(ParserError::RecursionLimitExceeded) => Err(too_complex()),
        Err(ParserError::TokenizerError(m)) => {
            Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error: {m}")))
        }
        Err(ParserError::ParserError(message)) => Err(translate(&message, tokens, source)),
    }
}

/// Turns sqlparser's `Expected: x, found: y at Line: 1, Column: 8` into PostgreSQL's wording.
fn translate(message: &str, tokens: &[TokenWithSpan], source: &str) -> SqlError {
    let location = message.rfind(" at Line: ").and_then(|i| {
        let (line, column) = message[i + 10..].split_once(", Column: ")?;
        Some(Location { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? })
    });
    if message.contains("found: EOF") {
        return syntax_error_at(source, None);
    }
    match location.and_then(|l| tokens.iter().find(|t| t.span.start == l)) {
        Some(token) => syntax_error_at(source, Some(token)),
        None => SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error: {message}")),
    }
}

/// The source between two locations.
fn slice(source: &str, from: Location, to: Location) -> &str {
    let (mut line, mut column) = (1u64, 1u64);
    let (mut start, mut end) = (None, source.len());
    for (i, c) in source.char_indices() {
        if line == from.line && column == from.column {
            start = Some(i);
        }
        if line == to.line && column == to.column {
            end = i;
            break;
        }
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    source.get(start.unwrap_or(0)..end).unwrap_or(source)
}
