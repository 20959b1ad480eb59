//! `f(a, VARIADIC b)`, which sqlparser does not know: the array becomes the argument of a function, `f(a, "<VARIADIC"(b))`.
//!
//! Must not know: functions.

use super::cursor::is_word;
use super::rewrite::quoted;
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The function that stands around the array.
const VARIADIC: &str = "<VARIADIC";

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let begins = |n: usize| {
        n > 0 && is_word(at(n), "variadic") && matches!(at(n - 1), Some(Token::LParen | Token::Comma))
    };
    if !(0..tokens.len()).any(begins) {
        return tokens;
    }
    let mut closes = vec![false; tokens.len()];
    let mut opens = vec![false; tokens.len()];
    for n in (0..tokens.len()).filter(|n| begins(*n)) {
        let (mut depth, mut end) = (0usize, None);
        for i in n + 1..tokens.len() {
            match at(i) {
                Some(Token::LParen | Token::LBracket) => depth += 1,
                Some(Token::RParen) if depth == 0 => {
                    end = Some(i);
                    break;
                }
                Some(Token::Comma) if depth == 0 => break,
                Some(Token::RParen | Token::RBracket) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        // The elements of an array that is written out are arguments like others.
        let is_written = is_word(at(n + 1), "array")
            && at(n + 2) == Some(&Token::LBracket)
            && end.is_some_and(|end| {
                at(end - 1) == Some(&Token::RBracket)
                    && !tokens[n + 3..end - 1].iter().any(|t| t.token == Token::RBracket)
            });
        if let Some(end) = end.filter(|end| *end > n + 1 && !is_written) {
            (opens[n], closes[end]) = (true, true);
        }
    }
    let mut out = Vec::with_capacity(tokens.len() + 4);
    for (n, t) in tokens.into_iter().enumerate() {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        if closes[n] {
            out.push(same(Token::RParen));
        }
        if opens[n] {
            out.extend([quoted(VARIADIC, &t), same(Token::LParen)]);
        } else {
            out.push(t);
        }
    }
    out
}

/// The arguments before the array, and the array, of a call that has one.
pub fn split(f: &ast::Function) -> Option<(&[FunctionArg], &Expr)> {
    let FunctionArguments::List(list) = &f.args else { return None };
    let (FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(last))), fixed) =
        list.args.split_last()?
    else {
        return None;
    };
    match (&last.name.0[..], &last.args) {
        ([ObjectNamePart::Identifier(name)], FunctionArguments::List(inner)) if name.value == VARIADIC => {
            match &inner.args[..] {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(array))] => Some((fixed, array)),
                _ => None,
            }
        }
        _ => None,
    }
}
