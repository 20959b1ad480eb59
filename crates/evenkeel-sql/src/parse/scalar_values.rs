//! `(VALUES (1))` as a value, which sqlparser takes for a call of a function: it becomes `(SELECT column1 FROM (VALUES (1)) "?column?")`. (A star would be
//! another one in the text of a view.)
//!
//! Must not know: how many rows and columns there are.

use super::cursor::is_word;
use super::rewrite::{quoted, word};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Words that an expression follows.
const BEFORE: [&str; 20] = [
    "select",
    "where",
    "and",
    "or",
    "not",
    "when",
    "then",
    "else",
    "by",
    "on",
    "having",
    "array",
    "between",
    "limit",
    "offset",
    "distinct",
    "case",
    "like",
    "from",
    "returning",
];
/// Words that begin lists, of relations or of values.
const CLAUSES: [&str; 11] =
    ["select", "from", "where", "by", "values", "set", "returning", "on", "having", "into", "using"];

/// Words that parentheses follow which are no call's.
const NO_CALLS: [&str; 15] = [
    "from",
    "join",
    "lateral",
    "in",
    "exists",
    "any",
    "some",
    "all",
    "as",
    "into",
    "using",
    "union",
    "intersect",
    "except",
    "materialized",
];

/// Whether an expression stands at a place.
fn is_value(tokens: &[TokenWithSpan], n: usize) -> bool {
    let Some(before) = n.checked_sub(1).and_then(|n| tokens.get(n)) else { return false };
    match &before.token {
        Token::Word(_) if is_word(Some(&before.token), "from") => {
            n >= 2 && is_word(Some(&tokens[n - 2].token), "distinct")
        }
        Token::Word(_) => BEFORE.iter().any(|w| is_word(Some(&before.token), w)),
        // The first of a call, or of a row.
        Token::LParen => match n.checked_sub(2).and_then(|n| tokens.get(n)).map(|t| &t.token) {
            t @ Some(Token::Word(_)) => !NO_CALLS.iter().any(|w| is_word(t, w)),
            _ => false,
        },
        Token::RParen | Token::SemiColon | Token::LBracket | Token::RBracket => false,
        Token::Comma => {
            let mut depth = 0usize;
            for t in tokens[..n - 1].iter().rev() {
                match &t.token {
                    Token::RParen => depth += 1,
                    // Of a call, or of a row.
                    Token::LParen if depth == 0 => return true,
                    Token::LParen => depth -= 1,
                    t if depth == 0 => {
                        if let Some(w) = CLAUSES.iter().find(|w| is_word(Some(t), w)) {
                            return !matches!(*w, "from" | "using" | "into" | "values");
                        }
                    }
                    _ => {}
                }
            }
            false
        }
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => false,
        _ => true,
    }
}

/// Whether a row, whose parenthesis opens here, has one value.
fn is_single(tokens: &[TokenWithSpan], open: usize) -> bool {
    let mut depth = 0usize;
    for t in &tokens[open..] {
        match t.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket if depth == 1 => return true,
            Token::RParen | Token::RBracket => depth -= 1,
            Token::Comma if depth == 1 => return false,
            _ => {}
        }
    }
    false
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let begins = |n: usize| {
        at(n) == Some(&Token::LParen)
            && is_word(at(n + 1), "values")
            && at(n + 2) == Some(&Token::LParen)
            && is_value(&tokens, n)
    };
    let (mut open, mut depth) = (Vec::new(), 0usize);
    if !(0..tokens.len()).any(begins) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    for (n, t) in tokens.iter().enumerate() {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => {
                if open.pop_if(|o| *o == depth).is_some() {
                    out.extend([same(Token::RParen), quoted("?column?", t)]);
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        out.push(t.clone());
        if begins(n) {
            open.push(depth);
            let all = if is_single(&tokens, n + 2) { quoted("column1", t) } else { same(Token::Mul) };
            out.extend([word("SELECT", t), all, word("FROM", t), same(Token::LParen)]);
        }
    }
    out
}
