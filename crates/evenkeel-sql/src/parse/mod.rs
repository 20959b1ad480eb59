//! From SQL text to statements: tokens, a small pre-parser for what sqlparser cannot parse, then sqlparser.
//!
//! Invariants:
//! 1. The depth of a tree is bounded (54001) before it is built (`depth`), and it is built, kept and dropped with stack for that depth; parentheses are
//!    bounded besides by the parser's own limit.
//! 2. Time and memory grow linearly with the text, and it can be stopped at any place. Every syntax error is 42601 with a position in the whole string that was sent.
//!
//! Must not know: the catalog, sessions, plans.
//!
#![doc = include_str!("README.md")]

mod alter;
mod alter_table;
pub mod authority;
mod clauses;
mod cluster;
mod collation;
mod column_words;
mod comment;
pub mod conforming;
mod copy;
mod copy_options;
pub(crate) mod cursor;
pub mod database;
pub mod definition;
pub mod deparse;
mod depth;
mod dialect;
mod domain;
mod drop_other;
mod escapes;
pub mod executed;
mod explain;
mod extended;
mod extension;
pub mod from_expression;
mod grant;
pub mod grouping;
pub mod in_list;
mod inheritance;
pub mod json_constructor;
mod json_query;
pub mod json_table;
mod keywords;
pub(crate) mod lex;
mod listen;
mod literal_rows;
pub(crate) mod long_names;
pub mod merge;
pub(crate) mod normal;
mod number;
mod overriding;
mod portal;
pub(crate) mod precisions;
mod reindex;
mod reserved;
mod returning;
pub(crate) mod rewrite;
pub use column_words::{ColumnWord, TOAST, column_word};
pub use returning::version_name;
pub use rewrite::subscript_text;
mod roles;
pub mod rows_from;
mod rules;
pub use rules::{DISTINCT_SETS, cache_and_name, inference_texts, limit_with_ties};
mod schema_elements;
pub mod search_cycle;
mod sequence;
pub(crate) mod shape;
pub mod spellings;
pub mod stmt;
pub mod tablesample;
pub mod typed_table;
mod types;
mod unlike;
mod utility;
mod vacuum;
pub mod variadic;
pub mod view;
mod wait;
mod word_arguments;
mod xml;

pub use database::{DatabaseOption, DatabaseStmt};
pub use drop_other::{DropOtherStmt, Other};
pub(crate) use extended::too_many_columns;
pub use extended::{CreateStatistics, StatisticsAction, StatisticsStmt};
pub use stmt::*;

use cursor::{Cursor, END_OF_INPUT, is_word, syntax_error_at};
use dialect::Stoppable;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::stack::{Deep, with_depth};
use evenkeel_types::guard::{self, Pace};
use lex::Places;
pub(crate) use lex::tokenize;
use sqlparser::ast::helpers::stmt_create_table::CreateTableBuilder;
use sqlparser::ast::{Expr, ObjectName, SelectInto, SetExpr, Statement};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

/// The longest text accepted in one message, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;
/// Nesting of parentheses and subqueries.
const MAX_NESTING: usize = 600;

/// One statement of a script.
pub struct Parsed {
    /// The statement.
    pub stmt: Deep<Stmt>,
    /// How it is spelled, without the semicolon.
    pub text: String,
}

/// Parses a string of statements separated by semicolons. Empty statements between them are dropped; a string without any statement
/// gives one [`Stmt::Empty`].
pub fn parse_script(sql: &str) -> Result<Vec<Parsed>, SqlError> {
    check_length(sql)?;
    let mut places = Places::new(sql);
    let mut statements = Vec::new();
    let mut tokens = tokenize(sql)?;
    let mut end = tokens.pop_if(|t| t.token == Token::SemiColon);
    if tokens.iter().any(|t| t.token == Token::SemiColon) {
        let (mut part, mut pace) = (Vec::new(), Pace::default());
        for token in tokens.into_iter().chain(end.take()) {
            if token.token == Token::SemiColon {
                parse_part(std::mem::take(&mut part), Some(&token), sql, &mut places, &mut statements)?;
            } else {
                make_room(&mut part, 1)?;
                pace.step()?;
                part.push(token);
            }
        }
        tokens = part;
    }
    parse_part(tokens, end.as_ref(), sql, &mut places, &mut statements)?;
    if statements.is_empty() {
        statements.push(Parsed { stmt: Deep::new(0, Stmt::Empty), text: String::new() });
    }
    Ok(statements)
}

/// One statement of a script, which ends with a semicolon or the text.
fn parse_part(
    mut tokens: Vec<TokenWithSpan>,
    end: Option<&TokenWithSpan>,
    sql: &str,
    places: &mut Places<'_>,
    statements: &mut Vec<Parsed>,
) -> Result<(), SqlError> {
    guard::check_text()?;
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Ok(()) };
    let from = places.find(first.span.start);
    let text = sql[from..places.find(last.span.end)].to_owned();
    let rows = literal_rows::take(&mut tokens)?;
    let depth = depth::of_statement(&tokens)?; // invariant 1
    let mut stmt = with_depth(depth, || parse_tokens(tokens, sql)).map_err(|e| {
        // A statement that breaks off does so at its semicolon, if it has one.
        if e.message == END_OF_INPUT { syntax_error_at(sql, end) } else { e }
    })?;
    if !rows.is_empty() && !literal_rows::put(rows, &mut stmt) {
        return Err(SqlError::internal("rows of no INSERT"));
    }
    statements.push(Parsed { stmt: Deep::new(depth, stmt).made_of(text.len()), text });
    Ok(())
}

/// Parses an expression on its own: defaults and checks are stored as text.
pub fn parse_expression(sql: &str) -> Result<Deep<sqlparser::ast::Expr>, SqlError> {
    check_length(sql)?;
    let tokens = tokenize(sql)?;
    let depth = depth::of_statement(&tokens)?;
    let tokens = of_expressions(tokens, sql)?;
    with_depth(depth, || with_parser(tokens, sql, |p| p.parse_expr())).map(|e| Deep::new(depth, e))
}

/// Rewrites what sqlparser lacks of expressions, wherever these stand that are no part of a whole statement of its own.
fn of_expressions(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let tokens = variadic::rewrite(word_arguments::rewrite(spellings::rewrite(tokens)), source)?;
    let tokens = json_table::rewrite(in_list::rewrite(tokens), source)?;
    json_query::rewrite(json_constructor::rewrite(tokens, source)?, source)
}

/// Parses a type on its own, with its modifier: what `regtype` and `to_regtypemod` are given.
pub fn parse_type(name: &str) -> Result<sqlparser::ast::DataType, SqlError> {
    let cast = parse_expression(&format!("CAST(NULL AS {name})"))?;
    match &*cast {
        // Anything else is a name that closes the parenthesis.
        Expr::Cast { expr, data_type, format: None, .. } if matches!(&**expr, Expr::Value(_)) => {
            Ok(data_type.clone())
        }
        _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("invalid type name \"{name}\""))),
    }
}

fn check_length(sql: &str) -> Result<(), SqlError> {
    if sql.len() > MAX_TEXT_BYTES {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("statement is too long: {} bytes, maximum {MAX_TEXT_BYTES}", sql.len()),
        ));
    }
    Ok(())
}

/// Parses the tokens of one statement.
fn parse_tokens(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Stmt, SqlError> {
    guard::check_text()?;
    reserved::check(&tokens, source)?;
    unlike::check(&tokens, source)?;
    if let Some(stmt) = schema_elements::parse(&tokens, source)? {
        return Ok(stmt);
    }
    let mut cursor = Cursor::new(&tokens, source);
    if let Some(stmt) = database::parse(&mut cursor)? {
        return Ok(stmt);
    }
    const OF_ROLES: [&str; 6] = ["create", "alter", "drop", "grant", "revoke", "reassign"];
    if OF_ROLES.iter().any(|w| cursor.word_is(0, w))
        && let Some(stmt) = roles::parse(&mut cursor)?
    {
        return Ok(stmt);
    }
    if ["create", "alter"].iter().any(|w| cursor.word_is(0, w))
        && let Some(stmt) = extended::parse(&mut cursor)?
    {
        cursor.expect_end()?;
        return Ok(Stmt::Statistics(Box::new(stmt)));
    }
    if let Some(stmt) = utility::parse(&mut cursor)? {
        return Ok(stmt);
    }
    const KNOWN: [&str; 10] =
        ["select", "with", "values", "insert", "update", "delete", "merge", "create", "alter", "table"];
    let is_first = |w: &&str| cursor.word_is(0, w);
    if !KNOWN.iter().any(is_first) && cursor.peek() != Some(&Token::LParen) {
        return Err(syntax_error_at(source, tokens.first()));
    }
    let tokens = clauses::rewrite(tokens, source)?;
    let first_is = |words: &[&str]| words.iter().any(|w| is_word(tokens.first().map(|t| &t.token), w));
    let words = |n: usize, list: &[&str]| {
        list.iter().enumerate().all(|(i, w)| is_word(tokens.get(n + i).map(|t| &t.token), w))
    };
    xml::refuse(&tokens)?;
    let mut current = Vec::new();
    if first_is(&["update", "delete", "with"]) {
        current.extend((0..tokens.len()).filter(|n| words(*n, &["where", "current", "of"])));
    }
    let is_table = first_is(&["create"]) && tokens.iter().take(5).any(|t| is_word(Some(&t.token), "table"));
    let tokens = rewrite::current_of(tokens, &current, source)?;
    let tokens =
        if is_table { definition::rewrite(typed_table::rewrite(executed::rewrite(tokens))) } else { tokens };
    let tokens = word_arguments::rewrite(spellings::rewrite(inheritance::rewrite(tokens)));
    let tokens = variadic::rewrite(tokens, source)?;
    let tokens = tablesample::rewrite(tokens, source)?;
    let tokens = search_cycle::rewrite(tokens, source)?;
    let tokens = in_list::rewrite(from_expression::rewrite(tokens, source)?);
    let tokens = json_table::rewrite(tokens, source)?;
    let tokens = json_query::rewrite(json_constructor::rewrite(tokens, source)?, source)?;
    let tokens = returning::rewrite(tokens, source)?;
    let tokens = rows_from::rewrite(tokens, source)?;
    let tokens = rewrite::rewrite(grouping::rewrite(tokens), source)?;
    let statement = with_parser(tokens, source, |p| p.parse_statement())?;
    Ok(Stmt::Sql(Box::new(select_into(statement))))
}

/// What INTO names: of a set operation it stands in the first query.
fn take_into(body: &mut SetExpr) -> Option<SelectInto> {
    match body {
        SetExpr::Select(select) => select.into.take(),
        SetExpr::SetOperation { left, .. } => take_into(left),
        SetExpr::Query(q) => take_into(&mut q.body),
        _ => None,
    }
}

/// `SELECT … INTO t` is `CREATE TABLE t AS SELECT …`.
fn select_into(statement: Statement) -> Statement {
    let Statement::Query(mut query) = statement else { return statement };
    let into = take_into(&mut query.body);
    let Some(into) = into else { return Statement::Query(query) };
    let name = match &into.targets[..] {
        [Expr::Identifier(name)] => Some(vec![name.clone()]),
        [Expr::CompoundIdentifier(names)] => Some(names.clone()),
        _ => None,
    };
    match (name, &mut *query.body) {
        (Some(name), _) => {
            let table = CreateTableBuilder::new(ObjectName::from(name));
            Statement::CreateTable(
                table.temporary(into.temporary).unlogged(into.unlogged).query(Some(query)).build(),
            )
        }
        (None, SetExpr::Select(select)) => {
            select.into = Some(into); // the binder refuses it
            Statement::Query(query)
        }
        (None, _) => Statement::Query(query),
    }
}

/// Runs sqlparser over tokens that must all be consumed.
fn with_parser<T>(
    tokens: Vec<TokenWithSpan>,
    source: &str,
    parse: impl FnOnce(&mut Parser<'_>) -> Result<T, ParserError>,
) -> Result<T, SqlError> {
    let dialect = Stoppable::new();
    let parsed = dialect.run(|| {
        let mut parser =
            Parser::new(&dialect).with_recursion_limit(MAX_NESTING).with_tokens_with_locations(tokens);
        match parse(&mut parser) {
            Ok(tree) => {
                let left = parser.peek_token();
                if left.token == Token::EOF {
                    Ok(Ok(tree))
                } else {
                    Err(syntax_error_at(source, Some(&left)))
                }
            }
            Err(ParserError::RecursionLimitExceeded) => Err(guard::too_deep()),
            Err(ParserError::TokenizerError(m)) => {
                Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error: {m}")))
            }
            Err(ParserError::ParserError(message)) => {
                let next = parser.peek_token();
                Ok(Err((message, next, parser.into_tokens())))
            }
        }
    })??;
    parsed.map_err(|(message, next, tokens)| {
        let at = location_of(&message);
        error_in_from(&tokens, at, source).unwrap_or_else(|| translate(&message, &next, &tokens, source))
    })
}

/// Where sqlparser stopped.
fn location_of(message: &str) -> Option<Location> {
    let i = message.rfind(" at Line: ")?;
    let (line, column) = message[i + 10..].split_once(", Column: ")?;
    Some(Location { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? })
}

/// The error of a subquery in FROM, if one has one: sqlparser tries a join in its place then, and tells of its first word, `stopped`.
fn error_in_from(tokens: &[TokenWithSpan], stopped: Option<Location>, source: &str) -> Option<SqlError> {
    let is = |n: usize, words: &[&str]| words.iter().any(|w| is_word(tokens.get(n).map(|t| &t.token), w));
    let mut n = 1;
    while n < tokens.len() {
        let begins = tokens[n].token == Token::LParen
            && (is(n - 1, &["from", "join", "lateral", "using"]) || tokens[n - 1].token == Token::Comma)
            && is(n + 1, &["select", "with"]);
        let end = if begins { rewrite::closing(tokens, n) } else { n };
        let is_within = |at: Location| tokens[n].span.start <= at && at <= tokens[end].span.end;
        if begins && end < tokens.len() && stopped.is_none_or(is_within) {
            let query = |p: &mut Parser<'_>| {
                p.parse_query()?;
                p.expect_token(&Token::RParen).map(|_| ())
            };
            // What stands in it is looked at likewise.
            if let Err(e) = with_parser(tokens[n + 1..=end].to_vec(), source, query) {
                return Some(e);
            }
        }
        n = end + 1;
    }
    None
}

/// Turns sqlparser's `Expected: x, found: y at Line: 1, Column: 8` into PostgreSQL's wording. `next`: what it would have read next, which is wrong where it does not say.
fn translate(message: &str, next: &TokenWithSpan, tokens: &[TokenWithSpan], source: &str) -> SqlError {
    let location = location_of(message);
    if message.contains("found: EOF") {
        return syntax_error_at(source, None);
    }
    match location.and_then(|l| tokens.iter().find(|t| t.span.start == l)) {
        Some(token) => syntax_error_at(source, Some(token)),
        None if location.is_none() && next.token == Token::EOF => syntax_error_at(source, None),
        None if location.is_none() => syntax_error_at(source, Some(next)),
        None => SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error: {message}")),
    }
}
