//! `x AT LOCAL`, which sqlparser does not know: it becomes `x AT TIME ZONE "<LOCAL"`.
//!
//! Must not know: what times are.

use super::cursor::is_word;
use super::rewrite::{quoted, word};
use sqlparser::ast::Expr;
use sqlparser::tokenizer::TokenWithSpan;

/// What stands for the session's zone.
const LOCAL: &str = "<LOCAL";

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_concerned = |pair: &[TokenWithSpan]| {
        is_word(Some(&pair[0].token), "at") && is_word(Some(&pair[1].token), "local")
    };
    if !tokens.windows(2).any(is_concerned) {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 4);
    for t in tokens {
        let is_local = is_word(Some(&t.token), "local");
        match out.last() {
            Some(at) if is_local && is_word(Some(&at.token), "at") => {
                out.extend([word("TIME", &t), word("ZONE", &t), quoted(LOCAL, &t)]);
            }
            _ => out.push(t),
        }
    }
    out
}

/// The zone, if it is not the session's, and what is there.
pub fn arguments<'a>(zone: &'a Expr, time: &'a Expr) -> Vec<&'a Expr> {
    match zone {
        Expr::Identifier(name) if name.value == LOCAL => vec![time],
        _ => vec![zone, time],
    }
}
