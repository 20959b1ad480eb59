//! The rows of a long `INSERT … VALUES` that hold nothing but literals.
//!
//! A statement that loads a table has tens of thousands of them. They are taken out of its tokens before these are looked at and rewritten, for which there is nothing in them, and
//! made into expressions here; the first row stays, so that the parser sees the statement that it is.
//!
//! Invariants:
//! 1. What is taken is what the parser would make of it: its places too.
//! 2. What is not surely such a row stays, and so does what stands behind it: errors are the parser's.
//!
//! Must not know: tables.

use super::cursor::is_word;
use super::stmt::Stmt;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::Pace;
use evenkeel_types::guard::build::make_room;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{Expr, Ident, Parens, SetExpr, Statement, UnaryOperator, Value};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

/// So many rows are worth it.
const ROWS_MIN: usize = 8;

/// Rows of VALUES.
pub(super) type Rows = Vec<Parens<Vec<Expr>>>;

/// Takes the rows out of a statement's tokens.
pub(super) fn take(tokens: &mut Vec<TokenWithSpan>) -> Result<Rows, SqlError> {
    let Some((from, to, width)) = place(tokens)? else { return Ok(Vec::new()) };
    let behind = tokens.split_off(to);
    let taken = tokens.split_off(from);
    make_room(tokens, behind.len())?;
    tokens.extend(behind);
    rows(taken, width)
}

/// Puts them behind the first row of the statement; `false`: it is another one.
pub(super) fn put(rows: Rows, stmt: &mut Stmt) -> bool {
    match stmt {
        Stmt::Explain(e) => put(rows, &mut e.stmt),
        Stmt::Sql(s) => match &mut **s {
            Statement::Insert(i) => match i.source.as_mut().map(|q| &mut *q.body) {
                Some(SetExpr::Values(v)) if !v.rows.is_empty() => {
                    v.rows.splice(1..1, rows);
                    true
                }
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// From where to where the rows stand, the comma before them included, and how many values the first row has.
fn place(tokens: &[TokenWithSpan]) -> Result<Option<(usize, usize, usize)>, SqlError> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is = |n: usize, w: &str| is_word(at(n), w);
    if !is(0, "insert") && !is(0, "explain") {
        return Ok(None);
    }
    let mut pace = Pace::default();
    let (mut depth, mut has_into, mut values) = (0, false, None);
    for (n, t) in tokens.iter().enumerate() {
        pace.step()?;
        depth += super::rewrite::depth_of(&t.token);
        if depth != 0 {
            continue;
        }
        // What comes first decides: a query has no rows that could be put into the statement.
        if ["select", "with", "table", "on"].iter().any(|w| is(n, w)) {
            return Ok(None);
        }
        has_into |= is(n, "into") && n > 0 && is(n - 1, "insert");
        if is(n, "values") && has_into && !is(n - 1, "into") && at(n + 1) == Some(&Token::LParen) {
            values = Some(n + 1);
            break;
        }
    }
    let Some(open) = values else { return Ok(None) };
    let first = super::rewrite::closing(tokens, open);
    let (mut end, mut count, mut width) = (first + 1, 0, 0);
    while at(end) == Some(&Token::Comma)
        && let Some((next, values)) = literal_row(tokens, end + 1)
    {
        pace.step()?;
        (end, count, width) = (next, count + 1, values);
    }
    let ends = matches!(at(end), None | Some(Token::Comma)) || is(end, "on") || is(end, "returning");
    Ok((ends && count >= ROWS_MIN).then_some((first + 1, end, width)))
}

/// Where a row of literals ends that begins here, and how many there are.
fn literal_row(tokens: &[TokenWithSpan], mut n: usize) -> Option<(usize, usize)> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let mut count = 0;
    if at(n) != Some(&Token::LParen) {
        return None;
    }
    loop {
        let is_literal = match at(n + 1)? {
            Token::Minus => {
                n += 1;
                matches!(at(n + 1)?, Token::Number(..))
            }
            Token::Number(..) | Token::Placeholder(_) => true,
            Token::SingleQuotedString(_) | Token::EscapedStringLiteral(_) => true,
            word => ["null", "true", "false", "default"].iter().any(|w| is_word(Some(word), w)),
        };
        count += 1;
        n += 2;
        match at(n)? {
            Token::Comma if is_literal => {}
            Token::RParen if is_literal => return Some((n + 1, count)),
            _ => return None,
        }
    }
}

/// Makes rows of their tokens.
fn rows(tokens: Vec<TokenWithSpan>, width: usize) -> Result<Rows, SqlError> {
    let mut rows: Rows = Vec::new();
    let (mut row, mut opening, mut minus) = (Vec::new(), Span::empty(), false);
    let mut pace = Pace::default();
    for TokenWithSpan { token, span } in tokens {
        let value = match token {
            Token::LParen => {
                (row, opening) = (Vec::with_capacity(width), span);
                continue;
            }
            Token::RParen => {
                pace.step()?;
                make_room(&mut rows, 1)?;
                let token = |token, span| AttachedToken(TokenWithSpan { token, span });
                rows.push(Parens {
                    opening_token: token(Token::LParen, opening),
                    content: std::mem::take(&mut row),
                    closing_token: token(Token::RParen, span),
                });
                continue;
            }
            Token::Minus => {
                minus = true;
                continue;
            }
            Token::Number(n, long) => Value::Number(n, long),
            Token::Placeholder(p) => Value::Placeholder(p),
            Token::SingleQuotedString(s) => Value::SingleQuotedString(s),
            Token::EscapedStringLiteral(s) => Value::EscapedStringLiteral(s),
            Token::Word(w) => match w.value.as_bytes().first() {
                Some(b'n' | b'N') => Value::Null,
                Some(b't' | b'T') => Value::Boolean(true),
                Some(b'f' | b'F') => Value::Boolean(false),
                _ => {
                    row.push(Expr::Identifier(Ident { value: w.value, quote_style: None, span }));
                    continue;
                }
            },
            _ => continue, // a comma
        };
        let value = Expr::Value(value.with_span(span));
        row.push(match std::mem::take(&mut minus) {
            true => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(value) },
            false => value,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::super::{parse_tokens, tokenize};
    use super::{put, take};

    /// What is taken out makes the same tree as what is parsed, places and all. (1)
    #[test]
    fn literals_are_what_the_parser_makes_of_them() {
        let row = "(1, -2.5e3, 'a''b', E'c\\n', null, NULL, true, False, default, $1, 0x1f, 'x'\n'y')";
        let rows = [row; 12].join(",\n ");
        let other = row.replace("-2.5e3", "7 + 1");
        for (sql, taken) in [
            (format!("insert into t (a, b) values {other}, {rows}"), 12),
            (format!("insert into t values {other}, {rows}, {other}, {rows} returning *"), 12),
            (format!("insert into t as values values {rows} on conflict (a) do update set b = 1"), 11),
            (format!("explain (costs off) insert into t overriding user value values {rows}"), 11),
            ("insert into t values (1), (2), (3), (4), (5), (6)".to_owned(), 0),
            (format!("insert into t values {rows} union values {rows}"), 0),
            (format!("insert into t values {rows} order by 1"), 0),
            (format!("insert into t select * from (values {rows}) v"), 0),
            (format!("values {rows}"), 0),
        ] {
            let mut tokens = tokenize(&sql).unwrap();
            let parsed = parse_tokens(tokens.clone(), &sql).unwrap();
            let rows = take(&mut tokens).unwrap();
            assert_eq!(rows.len(), taken, "{sql}");
            let mut stmt = parse_tokens(tokens, &sql).unwrap();
            assert!(taken == 0 || put(rows, &mut stmt), "{sql}");
            assert_eq!(format!("{stmt:?}"), format!("{parsed:?}"), "{sql}");
        }
    }
}
