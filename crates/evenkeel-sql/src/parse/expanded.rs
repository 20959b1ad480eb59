//! Token rewriting of `information_schema._pg_expandarray`, which gives rows of an array's values (x) and their numbers (n): there are no values of rows here,
//! and JDBC's driver asks for keys and indexes with it.
//!
//! * `(information_schema._pg_expandarray(a)).n` becomes `generate_series(1, cardinality(a))`, and `.x` becomes `unnest(a)`; in one list both go on together.
//! * `information_schema._pg_expandarray(a) AS name` becomes `unnest(a) AS name`, and `(name).x`, qualified or not, becomes the name alone.
//! * Any other use stays as it is, and is refused.
//!
//! Must not know: what arrays are.

use super::cursor::is_word;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

const FUNCTION: &str = "_pg_expandarray";

fn is(tokens: &[TokenWithSpan], at: usize, w: &str) -> bool {
    is_word(tokens.get(at).map(|t| &t.token), w)
}

fn at(tokens: &[TokenWithSpan], n: usize) -> Option<&Token> {
    tokens.get(n).map(|t| &t.token)
}

/// How many tokens a call of the function takes that begins here, without its argument's; where the argument is.
fn call(tokens: &[TokenWithSpan], start: usize) -> Option<(usize, std::ops::Range<usize>)> {
    let known = is(tokens, start, "information_schema")
        && at(tokens, start + 1) == Some(&Token::Period)
        && is(tokens, start + 2, FUNCTION)
        && at(tokens, start + 3) == Some(&Token::LParen);
    if !known {
        return None;
    }
    let mut depth = 0usize;
    for (n, t) in tokens.iter().enumerate().skip(start + 3) {
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((n + 1, start + 4..n));
        }
    }
    None
}

/// `x` or `n`, behind a parenthesis and a period.
fn field(tokens: &[TokenWithSpan], close: usize) -> Option<&'static str> {
    let behind = at(tokens, close) == Some(&Token::RParen) && at(tokens, close + 1) == Some(&Token::Period);
    ["x", "n"].into_iter().find(|f| behind && is(tokens, close + 2, f))
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|t| is_word(Some(&t.token), FUNCTION)) {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut names: Vec<String> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let like = &tokens[i];
        let same = |token: Token| TokenWithSpan { token, span: like.span };
        let word = |text: &str| {
            same(Token::Word(Word { value: text.to_owned(), quote_style: None, keyword: Keyword::NoKeyword }))
        };
        if like.token == Token::LParen
            && let Some((end, argument)) = call(&tokens, i + 1)
            && let Some(field) = field(&tokens, end)
        {
            let argument = &tokens[argument];
            if field == "x" {
                out.extend([word("unnest"), same(Token::LParen)]);
            } else {
                out.extend([word("generate_series"), same(Token::LParen)]);
                out.extend([same(Token::Number("1".into(), false)), same(Token::Comma)]);
                out.extend([word("cardinality"), same(Token::LParen)]);
            }
            out.extend_from_slice(argument);
            out.extend((0..if field == "x" { 1 } else { 2 }).map(|_| same(Token::RParen)));
            i = end + 3;
            continue;
        }
        if let Some((end, argument)) = call(&tokens, i)
            && is(&tokens, end, "as")
            && let Some(Token::Word(name)) = at(&tokens, end + 1)
        {
            names.push(name.value.to_lowercase());
            out.extend([word("unnest"), same(Token::LParen)]);
            out.extend_from_slice(&tokens[argument]);
            out.push(same(Token::RParen));
            i = end;
            continue;
        }
        out.push(like.clone());
        i += 1;
    }
    values_alone(out, &names)
}

/// `(name).x` and `(qualifier.name).x` without the field.
fn values_alone(tokens: Vec<TokenWithSpan>, names: &[String]) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        let qualified = at(&tokens, i + 2) == Some(&Token::Period);
        let name = if qualified { i + 3 } else { i + 1 };
        if tokens[i].token == Token::LParen
            && names.iter().any(|n| is(&tokens, name, n))
            && field(&tokens, name + 1) == Some("x")
        {
            out.extend_from_slice(&tokens[i + 1..=name]);
            i = name + 4;
            continue;
        }
        out.push(tokens[i].clone());
        i += 1;
    }
    out
}
