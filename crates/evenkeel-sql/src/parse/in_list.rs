//! `x IN ((SELECT 1), 2)`: sqlparser takes a list whose first item begins with a query in parentheses for a query.
//!
//! That item becomes the argument of a function, `x IN ("<ITEM"((SELECT 1)), 2)`.
//!
//! Must not know: what is compared.

use super::cursor::is_word;
use super::rewrite::quoted;
use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The function that stands around the item.
const ITEM: &str = "<ITEM";
/// What goes on with a query that begins in parentheses.
const OF_QUERIES: [&str; 9] =
    ["union", "intersect", "except", "order", "limit", "offset", "fetch", "for", "as"];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is_concerned = |n: usize| {
        is_word(at(n), "in") && at(n + 1) == Some(&Token::LParen) && at(n + 2) == Some(&Token::LParen)
    };
    if !(0..tokens.len()).any(is_concerned) {
        return tokens;
    }
    // Where each parenthesis is closed, and the comma before its next item.
    let (mut open, mut close, mut comma) = (Vec::new(), vec![None; tokens.len()], vec![None; tokens.len()]);
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen | Token::LBracket => open.push(n),
            Token::RParen | Token::RBracket => {
                if let Some(o) = open.pop() {
                    close[o] = Some(n);
                }
            }
            Token::Comma => {
                if let Some(o) = open.last() {
                    comma[*o].get_or_insert(n);
                }
            }
            _ => {}
        }
    }
    let begins_query = |mut n: usize| {
        while at(n) == Some(&Token::LParen) {
            n += 1;
        }
        ["select", "values", "with", "table"].iter().any(|w| is_word(at(n), w))
    };
    let (mut before, mut after) = (vec![false; tokens.len()], vec![false; tokens.len()]);
    for n in (0..tokens.len()).filter(|n| is_concerned(*n)) {
        let (Some(end), Some(inner)) = (close[n + 1], close[n + 2]) else { continue };
        let goes_on = OF_QUERIES.iter().any(|w| is_word(at(inner + 1), w));
        if begins_query(n + 2) && inner + 1 < end && !goes_on {
            (before[n + 2], after[comma[n + 1].unwrap_or(end)]) = (true, true);
        }
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    for (n, t) in tokens.into_iter().enumerate() {
        let span = t.span;
        let same = |token: Token| TokenWithSpan { token, span };
        if after[n] {
            out.push(same(Token::RParen));
        }
        if before[n] {
            out.extend([quoted(ITEM, &t), same(Token::LParen)]);
        }
        out.push(t);
    }
    out
}

/// An item without the function around it.
pub fn listed(e: &Expr) -> &Expr {
    let Expr::Function(f) = e else { return e };
    let [ObjectNamePart::Identifier(name)] = &f.name.0[..] else { return e };
    match &f.args {
        FunctionArguments::List(list) if name.value == ITEM => match &list.args[..] {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => inner,
            _ => e,
        },
        _ => e,
    }
}
