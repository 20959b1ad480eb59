//! `RETURNING WITH (OLD AS o, NEW AS n) a, …`, which sqlparser does not know: the names become items in front of the list.
//!
//! `RETURNING WITH (OLD AS o) a` becomes `RETURNING "<OLD"."o", a`: no real name begins with `<OLD` and is a qualifier.
//!
//! Must not know: what the names are for.

use super::cursor::{fold, is_word, syntax_error_at};
use super::rewrite::quoted;
use evenkeel_types::error::SqlError;
use sqlparser::ast::{Expr, SelectItem};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The kinds, as they are written, and what stands for them.
const KINDS: [(&str, &str); 2] = [("old", "<OLD"), ("new", "<NEW")];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let begins = |n: usize| {
        is(n, "returning") && is(n + 1, "with") && tokens.get(n + 2).is_some_and(|t| t.token == Token::LParen)
    };
    if !(0..tokens.len()).any(begins) {
        return Ok(tokens);
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        out.push(t.clone());
        n += 1;
        if !begins(n - 1) {
            continue;
        }
        n += 2;
        loop {
            let kind = KINDS.iter().find(|(w, _)| is(n, w));
            let (Some(kind), Some(like)) = (kind, tokens.get(n)) else {
                return Err(syntax_error_at(source, tokens.get(n)));
            };
            if !is(n + 1, "as") {
                return Err(syntax_error_at(source, tokens.get(n + 1)));
            }
            let name = match tokens.get(n + 2).map(|t| &t.token) {
                Some(Token::Word(w)) => fold(&w.value, w.quote_style.is_some()),
                _ => return Err(syntax_error_at(source, tokens.get(n + 2))),
            };
            let same = |token: Token| TokenWithSpan { token, span: like.span };
            let name = quoted(&name, &tokens[n + 2]);
            out.extend([quoted(kind.1, like), same(Token::Period), name, same(Token::Comma)]);
            n += 4;
            match tokens.get(n - 1).map(|t| &t.token) {
                Some(Token::Comma) => {}
                Some(Token::RParen) => break,
                _ => return Err(syntax_error_at(source, tokens.get(n - 1))),
            }
        }
    }
    Ok(out)
}

/// The name that an item in front of RETURNING's list gives to a version of the row: of the new one, or of the old one.
pub fn version_name(item: &SelectItem) -> Option<(bool, &sqlparser::ast::Ident)> {
    let SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) = item else { return None };
    let [kind, name] = &parts[..] else { return None };
    let number = KINDS.iter().position(|(_, mark)| kind.quote_style.is_some() && kind.value == *mark)?;
    Some((number == 1, name))
}
