//! What sqlparser does not know of MERGE: a join behind USING gets parentheses, and `INSERT DEFAULT VALUES` becomes `INSERT VALUES (DEFAULT)`, as the columns
//! that are left out have their defaults anyway. `INSERT (a) OVERRIDING SYSTEM VALUE` becomes `INSERT ("<OVERRIDING system", a)`.
//!
//! Must not know: what is merged.

use super::cursor::is_word;
use super::rewrite::quoted;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Columns by these names, which stand for none, are what OVERRIDING says.
pub const OVERRIDING: [&str; 2] = ["<OVERRIDING system", "<OVERRIDING user"];

/// Marks the INSERT that ends here by a column.
fn mark_overriding(out: &mut Vec<TokenWithSpan>, like: &TokenWithSpan, mark: &str) -> bool {
    let is = |n: usize, w: &str| is_word(out.get(n).map(|t| &t.token), w);
    let Some(insert) = (1..out.len()).rev().find(|n| is(n - 1, "then") && is(*n, "insert")) else {
        return false;
    };
    let same = |token: Token| TokenWithSpan { token, span: like.span };
    let column = quoted(mark, like);
    match out.get(insert + 1).map(|t| &t.token) {
        None => out.extend([same(Token::LParen), column, same(Token::RParen)]),
        Some(Token::LParen) => drop(out.splice(insert + 2..insert + 2, [column, same(Token::Comma)])),
        _ => return false,
    }
    true
}

/// Rewrites a statement that merges, if there is need.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let (mut depth, mut depths) = (0usize, Vec::with_capacity(tokens.len()));
    for t in &tokens {
        if t.token == Token::RParen {
            depth = depth.saturating_sub(1);
        }
        depths.push(depth);
        if t.token == Token::LParen {
            depth += 1;
        }
    }
    // Behind which token a parenthesis opens, and before which it closes.
    let (mut opens, mut closes) = (Vec::new(), Vec::new());
    for n in (0..tokens.len()).filter(|n| is(*n, "merge")) {
        let mut own = (n + 1..tokens.len()).take_while(|m| depths[*m] >= depths[n]);
        let mut here = own.by_ref().filter(|m| depths[*m] == depths[n]);
        let Some(using) = here.by_ref().find(|m| is(*m, "using")) else { continue };
        let is_when = |m: &usize| is(*m, "when") && (is(m + 1, "matched") || is(m + 1, "not"));
        let source: Vec<usize> = here.take_while(|m| !is_when(m)).collect();
        let Some(on) = source.iter().rev().find(|m| is(**m, "on")) else { continue };
        if source.iter().any(|m| m < on && is(*m, "join")) {
            opens.push(using);
            closes.push(*on);
        }
    }
    let mut out = Vec::with_capacity(tokens.len() + 2 * opens.len());
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        if closes.contains(&n) {
            out.push(same(Token::RParen));
        }
        let whose = ["system", "user"].iter().position(|w| is(n + 1, w));
        if let (true, Some(whose), true) = (is(n, "overriding"), whose, is(n + 2, "value"))
            && mark_overriding(&mut out, t, OVERRIDING[whose])
        {
            n += 3;
            continue;
        }
        out.push(t.clone());
        if opens.contains(&n) {
            out.push(same(Token::LParen));
        }
        let is_default = n > 0 && is(n - 1, "then") && is(n, "insert") && is(n + 1, "default");
        if is_default && is(n + 2, "values") {
            out.push(tokens[n + 2].clone());
            out.extend([same(Token::LParen), tokens[n + 1].clone(), same(Token::RParen)]);
            n += 2;
        }
        n += 1;
    }
    out
}
