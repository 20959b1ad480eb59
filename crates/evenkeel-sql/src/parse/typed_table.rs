//! `CREATE TABLE t OF p (a WITH OPTIONS NOT NULL, PRIMARY KEY (a))`, which sqlparser lacks, becomes `CREATE TABLE t ("<OF" "p", a "<OPTIONS" NOT NULL, PRIMARY KEY (a))`: what
//! it takes from the type looks like a column, and what has only options like a column of a type that has no name.
//!
//! Must not know: types.

use super::cursor::{fold, is_word};
use super::rewrite::quoted;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The name of what stands for the type's columns.
pub const OF: &str = "<OF";
/// The type of a column that has options alone.
pub const OPTIONS: &str = "<OPTIONS";

/// Rewrites the tokens of CREATE TABLE.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let Some(mut name) = (1..5).find(|n| is(*n, "table")).map(|n| n + 1) else { return tokens };
    if is(name, "if") && is(name + 1, "not") && is(name + 2, "exists") {
        name += 3;
    }
    let end_of_name = |mut n: usize| {
        while at(n + 1) == Some(&Token::Period) {
            n += 2;
        }
        n + 1
    };
    let of = end_of_name(name);
    let is_name = |n: usize| matches!(at(n), Some(Token::Word(_)));
    if !is_name(name) || !is(of, "of") || !is_name(of + 1) {
        return tokens;
    }
    let end = end_of_name(of + 1);
    let like = &tokens[of];
    let same = |token: Token| TokenWithSpan { token, span: like.span };
    let mut out = tokens[..of].to_vec();
    out.extend([same(Token::LParen), quoted(OF, like)]);
    // In quotes, so that no name is taken for one of a type with words of its own.
    out.extend(tokens[of + 1..end].iter().map(|t| match &t.token {
        Token::Word(w) => quoted(&fold(&w.value, w.quote_style.is_some()), t),
        _ => t.clone(),
    }));
    if at(end) != Some(&Token::LParen) {
        out.push(same(Token::RParen));
        out.extend_from_slice(&tokens[end..]);
        return out;
    }
    out.push(same(Token::Comma));
    const CONSTRAINTS: [&str; 6] = ["constraint", "primary", "unique", "check", "foreign", "exclude"];
    let (mut depth, mut n) = (1usize, end + 1);
    while let Some(t) = tokens.get(n) {
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.push(t.clone());
        let begins = matches!(tokens[n - 1].token, Token::LParen | Token::Comma) && depth == 1;
        let is_column = begins && is_name(n) && !CONSTRAINTS.iter().any(|w| is(n, w));
        n += 1;
        if is_column {
            out.push(quoted(OPTIONS, t));
            if is(n, "with") && is(n + 1, "options") {
                n += 2;
            }
        }
    }
    out
}
