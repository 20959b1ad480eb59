//! Calls whose arguments stand behind words that sqlparser does not know there.
//!
//! * `TRIM(TRAILING FROM x)` becomes `TRIM(TRAILING x)`; with several arguments, `TRIM(TRAILING FROM x, y)`, `rtrim(x, y)`.
//! * `SUBSTRING(x FOR n FROM m)` becomes `SUBSTRING(x FROM m FOR n)`.
//! * `SUBSTRING(x SIMILAR p ESCAPE e)` becomes `SUBSTRING(x, p, e)`.
//!
//! Must not know: what they mean.

use super::cursor::is_word;
use super::rewrite::{closing, depth_of, word};
use sqlparser::tokenizer::{Token, TokenWithSpan};

const SIDES: [(&str, &str); 3] = [("leading", "ltrim"), ("trailing", "rtrim"), ("both", "btrim")];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let calls = |n: usize, w: &str| is(n, w) && tokens.get(n + 1).is_some_and(|t| t.token == Token::LParen);
    if !(0..tokens.len()).any(|n| calls(n, "trim") || calls(n, "substring")) {
        return tokens;
    }
    let tokens = from_before_for(tokens);
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let calls = |n: usize, w: &str| is(n, w) && tokens.get(n + 1).is_some_and(|t| t.token == Token::LParen);
    let mut out = Vec::with_capacity(tokens.len());
    // Tokens that commas stand for.
    let mut commas: Vec<usize> = Vec::new();
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        if calls(n, "trim") {
            let side = SIDES.into_iter().find(|(side, _)| is(n + 2, side));
            let from = n + 2 + usize::from(side.is_some());
            if is(from, "from") {
                if own(&tokens, n, |k| tokens[k].token == Token::Comma).is_some() {
                    out.extend([word(side.map_or("btrim", |s| s.1), t), tokens[n + 1].clone()]);
                } else {
                    out.extend_from_slice(&tokens[n..from]);
                }
                n = from + 1;
                continue;
            }
        }
        if calls(n, "substring") {
            let similar = own(&tokens, n, |k| is(k, "similar") && !is(k + 1, "to"));
            let escape = similar.and_then(|s| own(&tokens, n, |k| k > s + 1 && is(k, "escape")));
            commas.extend(similar.zip(escape).into_iter().flat_map(|(s, e)| [s, e]));
        }
        match commas.contains(&n) {
            true => out.push(TokenWithSpan { token: Token::Comma, span: t.span }),
            false => out.push(t.clone()),
        }
        n += 1;
    }
    out
}

/// Puts what stands behind FROM in SUBSTRING before what stands behind FOR.
fn from_before_for(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for n in 0..tokens.len() {
        let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
        if !is(n, "substring") || tokens.get(n + 1).is_none_or(|t| t.token != Token::LParen) {
            continue;
        }
        let Some(count) = own(&tokens, n, |k| is(k, "for")) else { continue };
        let Some(from) = own(&tokens, n, |k| k > count && is(k, "from") && !is(k - 1, "distinct")) else {
            continue;
        };
        let end = closing(&tokens, n + 1);
        tokens[count..end].rotate_left(from - count);
    }
    tokens
}

/// The first token among a call's arguments, but not in parentheses of theirs, that is one.
fn own(tokens: &[TokenWithSpan], call: usize, is_it: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0;
    (call + 2..closing(tokens, call + 1)).find(|k| {
        depth += depth_of(&tokens[*k].token);
        depth == 0 && is_it(*k)
    })
}
