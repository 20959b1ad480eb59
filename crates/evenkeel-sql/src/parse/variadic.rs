//! `f(a, VARIADIC x)`: sqlparser has no word for it, so it becomes `f(a, "<VARIADIC"(x))`, a call of what no name stands for.
//!
//! Must not know: functions.

use super::cursor::{is_word, syntax_error_at};
use super::rewrite::quoted;
use evenkeel_types::error::SqlError;
use sqlparser::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What stands for VARIADIC.
pub const VARIADIC: &str = "<VARIADIC";

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let begins = |n: &usize| {
        *n > 0
            && is(*n, "variadic")
            && matches!(tokens[n - 1].token, Token::LParen | Token::Comma)
            && tokens.get(n + 1).is_some_and(|t| t.token != Token::RParen)
    };
    let places: Vec<usize> = (0..tokens.len()).filter(begins).collect();
    if places.is_empty() {
        return Ok(tokens);
    }
    // Where each argument ends: with the list, or before the list's order.
    let mut ends = Vec::with_capacity(places.len());
    for from in &places {
        let mut depth = 0usize;
        for (n, t) in tokens.iter().enumerate().skip(from + 1) {
            match t.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket if depth > 0 => depth -= 1,
                Token::Comma if depth == 0 => return Err(syntax_error_at(source, Some(t))),
                Token::RParen => {
                    ends.push(n);
                    break;
                }
                _ if depth == 0 && is(n, "order") && is(n + 1, "by") => {
                    ends.push(n);
                    break;
                }
                _ => {}
            }
        }
    }
    ends.sort_unstable();
    let (mut places, mut ends) = (places.into_iter().peekable(), ends.into_iter().peekable());
    let mut out = Vec::with_capacity(tokens.len() + 4);
    for (n, t) in tokens.iter().enumerate() {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        while ends.next_if_eq(&n).is_some() {
            out.push(same(Token::RParen));
        }
        match places.next_if_eq(&n) {
            Some(_) => out.extend([quoted(VARIADIC, t), same(Token::LParen)]),
            None => out.push(t.clone()),
        }
    }
    Ok(out)
}

/// The array of an argument that is one in place of several.
pub fn array_of(arg: &FunctionArg) -> Option<&Expr> {
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(f))) = arg else { return None };
    array_in(f)
}

/// The same of the call that stands for VARIADIC.
pub fn array_in(f: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &f.args else { return None };
    match (&f.name.0[..], &list.args[..]) {
        ([name], [FunctionArg::Unnamed(FunctionArgExpr::Expr(e))])
            if name.as_ident().is_some_and(|i| i.value == VARIADIC) =>
        {
            Some(e)
        }
        _ => None,
    }
}
