//! `ONLY t`, `ONLY (t)` and `t *`, which tell a table's children apart: no table has any, so the words are left out.
//!
//! Must not know: tables.

use super::cursor::is_word;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What stands before the name of a table.
const BEFORE: [&str; 8] = ["from", "join", "update", "using", "table", "into", "only", "on"];
/// The same of one with a star.
const BEFORE_STAR: [&str; 5] = ["from", "join", "update", "table", "only"];
/// What may stand behind it, and begins no operand.
const BEHIND: [&str; 24] = [
    "as",
    "where",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "on",
    "using",
    "set",
    "group",
    "having",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "union",
    "intersect",
    "except",
    "returning",
];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let has_star = |pair: &[TokenWithSpan]| matches!(pair, [a, b] if matches!(a.token, Token::Word(_)) && b.token == Token::Mul);
    if !tokens.iter().any(|t| is_word(Some(&t.token), "only")) && !tokens.windows(2).any(has_star) {
        return tokens;
    }
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let behind = |n: usize, words: &[&str]| n > 0 && words.iter().any(|w| is_word(at(n - 1), w));
    let mut left_out = vec![false; tokens.len()];
    for n in 0..tokens.len() {
        let begins = behind(n, &BEFORE) || (n > 0 && matches!(at(n - 1), Some(Token::Comma | Token::LParen)));
        let is_insert = behind(n, &["into"]) && !behind(n - 1, &["merge"]);
        if is_word(at(n), "only") && begins && !is_insert {
            match (at(n + 1), end_of_name(&tokens, n + 2)) {
                (Some(Token::Word(_)), _) => left_out[n] = true,
                (Some(Token::LParen), Some(end)) if at(end) == Some(&Token::RParen) => {
                    (left_out[n], left_out[n + 1], left_out[end]) = (true, true, true);
                }
                _ => {}
            }
        }
        // `a, b *` is a product unless nothing can be its other side.
        let ends = match at(n + 1) {
            None | Some(Token::Comma | Token::RParen | Token::SemiColon) => true,
            t => BEHIND.iter().any(|w| is_word(t, w)),
        };
        let is_alias = matches!(at(n + 1), Some(Token::Word(_)));
        if at(n) == Some(&Token::Mul)
            && (ends || is_alias)
            && n > 0
            && matches!(at(n - 1), Some(Token::Word(_)))
        {
            let mut first = n - 1;
            while first >= 2 && at(first - 1) == Some(&Token::Period) {
                first -= 2;
            }
            // In a list it follows another one.
            let follows = first >= 2 && at(first - 1) == Some(&Token::Comma) && left_out[first - 2];
            left_out[n] = if ends {
                behind(first, &BEFORE_STAR) || follows
            } else {
                behind(first, &["from", "join"]) && is_clause(&tokens, first - 1)
            };
        }
    }
    let mut kept = left_out.into_iter().map(|out| !out);
    let mut tokens = tokens;
    tokens.retain(|_| kept.next().unwrap_or(true));
    tokens
}

/// Whether FROM or JOIN here begins a clause, and is no part of an expression such as `extract(year FROM a * b)` or `x IS DISTINCT FROM a * b`.
fn is_clause(tokens: &[TokenWithSpan], n: usize) -> bool {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    if is_word(at(n), "join") {
        return true;
    }
    if n == 0 || is_word(at(n - 1), "distinct") {
        return false;
    }
    let mut depth = 0usize;
    for n in (0..n).rev() {
        match at(n) {
            Some(Token::RParen) => depth += 1,
            Some(Token::LParen) if depth == 0 => return false,
            Some(Token::LParen) => depth -= 1,
            t if depth == 0 && ["select", "delete", "update"].iter().any(|w| is_word(t, w)) => return true,
            _ => {}
        }
    }
    false
}

/// Where a name of a table that begins somewhere ends, be it qualified.
fn end_of_name(tokens: &[TokenWithSpan], mut at: usize) -> Option<usize> {
    loop {
        let Some(Token::Word(_)) = tokens.get(at).map(|t| &t.token) else { return None };
        match tokens.get(at + 1).map(|t| &t.token) {
            Some(Token::Period) => at += 2,
            _ => return Some(at + 1),
        }
    }
}
