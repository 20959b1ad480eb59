//! What looks like a call without being one, as an item of FROM: `FROM current_date d`, `FROM coalesce(a, b) x`, `FROM CAST(x AS int)`.
//!
//! It becomes the argument of a function, `"<EXPRESSION"(current_date) d`, which sqlparser takes there.
//!
//! Must not know: what the expressions mean.

use super::cursor::{is_word, syntax_error_at};
use super::rewrite::{closed, quoted};
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The function that stands around such an expression.
pub const EXPRESSION: &str = "<EXPRESSION";

/// Without an argument.
const ALONE: [&str; 8] = [
    "current_date",
    "current_role",
    "current_user",
    "session_user",
    "system_user",
    "user",
    "current_catalog",
    "current_schema",
];
/// With a precision, if one is there.
const TIMES: [&str; 4] = ["current_time", "current_timestamp", "localtime", "localtimestamp"];
/// With arguments in parentheses.
const CALLS: [&str; 20] = [
    "cast",
    "coalesce",
    "extract",
    "greatest",
    "json",
    "json_array",
    "json_exists",
    "json_object",
    "json_query",
    "json_scalar",
    "json_serialize",
    "json_value",
    "least",
    "merge_action",
    "normalize",
    "nullif",
    "overlay",
    "position",
    "substring",
    "trim",
];
/// Types that are no functions by these names.
const TYPES: [&str; 21] = [
    "bigint",
    "bit",
    "boolean",
    "char",
    "character",
    "dec",
    "decimal",
    "float",
    "int",
    "integer",
    "interval",
    "national",
    "nchar",
    "numeric",
    "precision",
    "real",
    "row",
    "smallint",
    "time",
    "timestamp",
    "varchar",
];
/// Behind FROM: there its list has ended.
const ENDS: [&str; 16] = [
    "where",
    "group",
    "having",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "union",
    "intersect",
    "except",
    "returning",
    "set",
    "when",
    "values",
];

/// What is known of a parenthesis.
#[derive(Clone, Copy, Default)]
struct Level {
    /// A statement stands in it, so FROM begins a list.
    is_query: bool,
    /// DELETE or MERGE, where USING does.
    uses: bool,
    in_from: bool,
}

fn is(tokens: &[TokenWithSpan], n: usize, words: &[&str]) -> bool {
    words.iter().any(|w| is_word(tokens.get(n).map(|t| &t.token), w))
}

fn has(tokens: &[TokenWithSpan], n: usize, token: &Token) -> bool {
    tokens.get(n).is_some_and(|t| t.token == *token)
}

/// How many tokens the expression has that begins here, if one does.
fn length(tokens: &[TokenWithSpan], n: usize) -> Option<usize> {
    let has_list = has(tokens, n + 1, &Token::LParen);
    if is(tokens, n, &ALONE) {
        return (!has_list && !has(tokens, n + 1, &Token::Period)).then_some(1);
    }
    if is(tokens, n, &TIMES) {
        let is_precision = matches!(tokens.get(n + 2).map(|t| &t.token), Some(Token::Number(..)));
        return match has_list {
            false => Some(1),
            true => (is_precision && has(tokens, n + 3, &Token::RParen)).then_some(4),
        };
    }
    if !has_list || !is(tokens, n, &CALLS) {
        return None;
    }
    closed(tokens, n + 1).map(|close| close + 1 - n)
}

/// Fails for the name of a type before parentheses: it is no function.
fn check_type(tokens: &[TokenWithSpan], n: usize, source: &str) -> Result<(), SqlError> {
    let is_called = is(tokens, n, &TYPES) && has(tokens, n + 1, &Token::LParen);
    if is_called { Err(syntax_error_at(source, tokens.get(n + 1))) } else { Ok(()) }
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let concerned = |n: usize| {
        is(&tokens, n, &ALONE)
            || is(&tokens, n, &TIMES)
            || is(&tokens, n, &CALLS)
            || is(&tokens, n, &TYPES) && has(&tokens, n + 1, &Token::LParen)
    };
    if !(0..tokens.len()).any(concerned) {
        return Ok(tokens);
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let (mut levels, mut level, mut ends) = (Vec::new(), Level::default(), Vec::new());
    // An item of FROM may begin here.
    let mut begins = false;
    for (n, t) in tokens.iter().enumerate() {
        let same = |token: Token| TokenWithSpan { token, span: t.span };
        while ends.last() == Some(&n) {
            ends.pop();
            out.push(same(Token::RParen));
        }
        let word = |words: &[&str]| is(&tokens, n, words);
        if begins {
            check_type(&tokens, n, source)?;
        }
        if begins && let Some(len) = length(&tokens, n) {
            out.extend([quoted(EXPRESSION, t), same(Token::LParen)]);
            ends.push(n + len);
        }
        let was_begin = std::mem::take(&mut begins);
        match t.token {
            Token::LParen => {
                levels.push(level);
                let is_rows = n >= 2 && is(&tokens, n - 1, &["from"]) && is(&tokens, n - 2, &["rows"]);
                level = Level { in_from: was_begin || is_rows, ..Level::default() };
                begins = level.in_from;
            }
            Token::RParen => level = levels.pop().unwrap_or_default(),
            Token::Comma | Token::SemiColon => begins = level.in_from,
            Token::Word(_) if word(&["select", "update", "delete", "merge"]) => {
                level = Level { is_query: true, uses: word(&["delete", "merge"]), in_from: false };
            }
            Token::Word(_) if word(&["from"]) => {
                let is_distinct =
                    n >= 2 && is(&tokens, n - 1, &["distinct"]) && is(&tokens, n - 2, &["is", "not"]);
                level.in_from |=
                    level.is_query && !is_distinct && !(n >= 1 && is(&tokens, n - 1, &["delete"]));
                begins = level.in_from && !is_distinct;
            }
            Token::Word(_) if level.uses && word(&["using"]) => (level.in_from, begins) = (true, true),
            Token::Word(_) if word(&["join"]) => begins = level.in_from,
            Token::Word(_) if word(&["lateral"]) => begins = was_begin,
            Token::Word(_) if word(&ENDS) => level.in_from = false,
            _ => {}
        }
        out.push(t.clone());
    }
    if let Some(last) = tokens.last() {
        out.extend(ends.iter().map(|_| TokenWithSpan { token: Token::RParen, span: last.span }));
    }
    Ok(out)
}
