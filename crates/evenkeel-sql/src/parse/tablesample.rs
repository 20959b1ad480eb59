//! TABLESAMPLE, which sqlparser knows with constants alone: `t TABLESAMPLE system (x) REPEATABLE (s)` becomes `t WITH ("<TABLESAMPLE"."system"(x), "<REPEATABLE"(s))`, hints of
//! a table as other databases have them.
//!
//! Must not know: which methods there are.

use super::cursor::{is_word, syntax_error_at};
use super::rewrite::{closed, quoted, word};
use evenkeel_types::error::SqlError;
use sqlparser::ast::{Expr, Function};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The schema that a method stands in.
pub const SAMPLED: &str = "<TABLESAMPLE";
/// The function that stands for REPEATABLE.
pub const REPEATABLE: &str = "<REPEATABLE";

/// What is said behind a table: the method's name and arguments, and those of REPEATABLE. None: hints of another database.
pub fn of_hints(hints: &[Expr]) -> Option<(&Function, Option<&Function>)> {
    let call = |e: &Expr, mark: &str| match e {
        Expr::Function(f) => {
            let first = f.name.0.first().and_then(|p| p.as_ident());
            first.is_some_and(|i| i.value == mark)
        }
        _ => false,
    };
    match hints {
        [Expr::Function(f)] if call(&hints[0], SAMPLED) => Some((f, None)),
        [Expr::Function(f), Expr::Function(seed)]
            if call(&hints[0], SAMPLED) && call(&hints[1], REPEATABLE) =>
        {
            Some((f, Some(seed)))
        }
        _ => None,
    }
}

/// Where the name of the method ends, if the word here begins a sample: it may be the name of a function or of a column, too.
fn method_end(tokens: &[TokenWithSpan], n: usize) -> Option<usize> {
    let at = |n: usize| tokens.get(n).map(|t| &t.token);
    let is_name = n == 0 || at(n - 1) == Some(&Token::Period) || is_word(at(n - 1), "as");
    if is_name || !is_word(at(n), "tablesample") || !matches!(at(n + 1), Some(Token::Word(_))) {
        return None;
    }
    let mut end = n + 2;
    while at(end) == Some(&Token::Period) && matches!(at(end + 1), Some(Token::Word(_))) {
        end += 2;
    }
    (at(end) == Some(&Token::LParen)).then_some(end)
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    if !(0..tokens.len()).any(|n| method_end(&tokens, n).is_some()) {
        return Ok(tokens);
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        let Some(open) = method_end(&tokens, n) else {
            out.push(t.clone());
            n += 1;
            continue;
        };
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        let unfinished = || syntax_error_at(source, None);
        let end = closed(&tokens, open).ok_or_else(unfinished)?;
        if end == open + 1 {
            return Err(syntax_error_at(source, tokens.get(end)));
        }
        let mut with = word("WITH", t);
        if let (Token::Word(with), Token::Word(said)) = (&mut with.token, &t.token) {
            // For what is said of it where it cannot stand.
            with.value.clone_from(&said.value);
        }
        out.extend([with, same(Token::LParen), quoted(SAMPLED, t), same(Token::Period)]);
        out.extend_from_slice(&tokens[n + 1..=end]);
        n = end + 1;
        let repeatable = tokens.get(n).filter(|t| is_word(Some(&t.token), "repeatable"));
        if let Some(word) = repeatable {
            if tokens.get(n + 1).is_none_or(|t| t.token != Token::LParen) {
                return Err(syntax_error_at(source, tokens.get(n + 1)));
            }
            let end = closed(&tokens, n + 1).ok_or_else(unfinished)?;
            let mut depth = 0;
            let mut is_odd = |t: &TokenWithSpan| {
                depth += match t.token {
                    Token::LParen | Token::LBracket => 1,
                    Token::RParen | Token::RBracket => -1,
                    _ => 0,
                };
                depth == 1 && t.token == Token::Comma
            };
            // It has one value.
            let comma = (n + 1..end).find(|n| is_odd(&tokens[*n]));
            if let Some(odd) = comma.or((end == n + 2).then_some(end)) {
                return Err(syntax_error_at(source, tokens.get(odd)));
            }
            out.extend([same(Token::Comma), quoted(REPEATABLE, word)]);
            out.extend_from_slice(&tokens[n + 1..=end]);
            n = end + 1;
        }
        out.push(same(Token::RParen));
    }
    Ok(out)
}
