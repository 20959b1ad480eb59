//! `ROWS FROM (f(x), g(y) AS (a int))` and `f(x) AS (a int, b text)`, which sqlparser does not know.
//!
//! The first becomes a function of its functions, `"<ROWS"(f(x), "<AS"(g(y), 'a', NULL::int))`, the second gets an alias that stands for none,
//! `f(x) AS "<RECORD" (a int, b text)`.
//!
//! Must not know: what functions return.

use super::cursor::{fold, is_word, syntax_error_at};
use super::rewrite::quoted;
use evenkeel_types::error::SqlError;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The function that stands for ROWS FROM.
pub const ROWS_FROM: &str = "<ROWS";
/// In its arguments, the function that stands for a list of column definitions behind a call.
pub const DEFINED: &str = "<AS";
/// An alias that is none.
pub const NO_ALIAS: &str = "<RECORD";

/// What may begin a query, which may stand in parentheses behind AS, too.
const QUERIES: [&str; 8] = ["select", "with", "values", "table", "insert", "update", "delete", "merge"];

fn is(tokens: &[TokenWithSpan], n: usize, w: &str) -> bool {
    is_word(tokens.get(n).map(|t| &t.token), w)
}

fn has(tokens: &[TokenWithSpan], n: usize, token: &Token) -> bool {
    tokens.get(n).is_some_and(|t| t.token == *token)
}

/// Whether ROWS FROM stands here: the first word may be a column, too, before the FROM of its query.
fn begins_rows(tokens: &[TokenWithSpan], n: usize) -> bool {
    let before = n > 0
        && (["from", "join", "lateral", "using"].iter().any(|w| is(tokens, n - 1, w))
            || has(tokens, n - 1, &Token::Comma)
            || has(tokens, n - 1, &Token::LParen));
    let mut name = n + 3;
    while has(tokens, name + 1, &Token::Period) {
        name += 2;
    }
    let is_call = matches!(tokens.get(name).map(|t| &t.token), Some(Token::Word(_)))
        && !QUERIES.iter().any(|q| is(tokens, name, q))
        && has(tokens, name + 1, &Token::LParen);
    before
        && is(tokens, n, "rows")
        && is(tokens, n + 1, "from")
        && has(tokens, n + 2, &Token::LParen)
        && is_call
}

/// Whether a list of column definitions stands behind the call that ends here, without an alias.
fn has_definitions(tokens: &[TokenWithSpan], n: usize) -> bool {
    let is_name = match tokens.get(n + 3).map(|t| &t.token) {
        Some(Token::Word(w)) => w.quote_style.is_some() || !QUERIES.iter().any(|q| is(tokens, n + 3, q)),
        _ => false,
    };
    has(tokens, n, &Token::RParen)
        && is(tokens, n + 1, "as")
        && has(tokens, n + 2, &Token::LParen)
        && is_name
        && matches!(tokens.get(n + 4).map(|t| &t.token), Some(Token::Word(_)))
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let concerned = |n: usize| begins_rows(&tokens, n) || has_definitions(&tokens, n);
    if !(0..tokens.len()).any(concerned) {
        return Ok(tokens);
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 8);
    // How deep in parentheses the ROWS FROM are that are open, and where in the output the current item of each begins.
    let (mut open, mut depth, mut n): (Vec<(usize, usize)>, usize, usize) = (Vec::new(), 0, 0);
    while let Some(t) = tokens.get(n) {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        if begins_rows(&tokens, n) {
            out.extend([quoted(ROWS_FROM, t), same(Token::LParen)]);
            depth += 1;
            open.push((depth, out.len()));
            n += 3;
            continue;
        }
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => {
                open.pop_if(|o| o.0 == depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        out.push(t.clone());
        n += 1;
        let item = open.last().filter(|o| o.0 == depth).map(|o| o.1);
        if t.token == Token::Comma
            && item.is_some()
            && let Some(last) = open.last_mut()
        {
            last.1 = out.len();
            continue;
        }
        if !has_definitions(&tokens, n - 1) {
            continue;
        }
        let Some(item) = item else {
            out.extend([tokens[n].clone(), quoted(NO_ALIAS, t)]);
            n += 1;
            continue;
        };
        let head = [quoted(DEFINED, t), same(Token::LParen)];
        out.splice(item..item, head);
        n = definitions(&tokens, n + 2, source, &mut out)?;
        out.push(same(Token::RParen));
    }
    Ok(out)
}

/// Column definitions up to their parenthesis as arguments; where what follows begins.
fn definitions(
    tokens: &[TokenWithSpan],
    mut n: usize,
    source: &str,
    out: &mut Vec<TokenWithSpan>,
) -> Result<usize, SqlError> {
    loop {
        let Some(TokenWithSpan { token: Token::Word(name), span }) = tokens.get(n) else {
            return Err(syntax_error_at(source, tokens.get(n)));
        };
        let name = fold(&name.value, name.quote_style.is_some());
        let null = Word { value: "NULL".into(), quote_style: None, keyword: Keyword::NULL };
        let same = |token: Token| TokenWithSpan { token, span: *span };
        out.extend([
            same(Token::Comma),
            same(Token::SingleQuotedString(name)),
            same(Token::Comma),
            same(Token::Word(null)),
            same(Token::DoubleColon),
        ]);
        n += 1;
        let (from, mut depth) = (n, 0usize);
        loop {
            let Some(t) = tokens.get(n) else { return Err(syntax_error_at(source, None)) };
            match t.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RBracket => depth = depth.saturating_sub(1),
                Token::RParen if depth > 0 => depth -= 1,
                Token::RParen | Token::Comma if depth == 0 => break,
                _ => {}
            }
            n += 1;
        }
        if n == from {
            return Err(syntax_error_at(source, tokens.get(n)));
        }
        out.extend_from_slice(&tokens[from..n]);
        n += 1;
        if has(tokens, n - 1, &Token::RParen) {
            return Ok(n);
        }
    }
}
