//! `ROLLUP ((a).x, (a + b) * 2)`: of an item that begins with a parenthesis, sqlparser takes what is within for all of it. Such items get parentheses of their own.
//!
//! `GROUPING SETS (a, GROUPING SETS ((), b))`: sqlparser knows no sets within sets. The inner ones become a call, `"<SETS"("<NONE", b)`. `GROUP BY ALL a` loses its ALL, which says nothing.
//!
//! Must not know: what is grouped.

use super::cursor::is_word;
use super::rewrite::quoted;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What grouping sets within others are called.
pub const INNER_SETS: &str = "<SETS";
/// What the set of nothing is called there.
pub const NO_KEYS: &str = "<NONE";

/// An open parenthesis.
#[derive(Default)]
struct Open {
    /// It holds grouping sets, of which one begins at this token.
    item: Option<usize>,
    /// Where the parenthesis ends that the item begins with.
    leading_end: Option<usize>,
    /// It is the one that an item begins with.
    leads: bool,
}

/// Whether the parenthesis here holds grouping sets.
fn holds_sets(tokens: &[TokenWithSpan], n: usize) -> bool {
    let is = |back: usize, w: &str| n >= back && is_word(tokens.get(n - back).map(|t| &t.token), w);
    let is_inner = n >= 1 && matches!(&tokens[n - 1].token, Token::Word(w) if w.value == INNER_SETS);
    is_inner || is(1, "rollup") || is(1, "cube") || is(1, "sets") && is(2, "grouping")
}

/// Inner grouping sets become calls.
fn inner_sets(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    // Of each open parenthesis: it holds sets, and inner ones.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(t) = tokens.next() {
        let (in_sets, in_inner) = open.last().copied().unwrap_or_default();
        match t.token {
            Token::LParen if in_inner && tokens.peek().is_some_and(|t| t.token == Token::RParen) => {
                out.push(quoted(NO_KEYS, &t));
                tokens.next();
                continue;
            }
            Token::LParen => {
                let is = |back: usize, w: &str| {
                    out.len() >= back && is_word(Some(&out[out.len() - back].token), w)
                };
                let are_sets = is(1, "sets") && is(2, "grouping");
                if are_sets && (in_sets || in_inner) {
                    out.truncate(out.len() - 2);
                    out.push(quoted(INNER_SETS, &t));
                }
                open.push((are_sets, are_sets && (in_sets || in_inner)));
            }
            Token::RParen => _ = open.pop(),
            _ => {}
        }
        out.push(t);
    }
    out
}

/// GROUP BY ALL without ALL.
fn without_all(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let is_end = |n: usize| {
        tokens.get(n).is_none_or(|t| matches!(t.token, Token::RParen | Token::SemiColon))
            || ["having", "window", "order", "limit", "union"].iter().any(|w| is(n, w))
    };
    let said: Vec<usize> = (2..tokens.len())
        .filter(|n| is(*n, "all") && is(n - 1, "by") && is(n - 2, "group") && !is_end(n + 1))
        .collect();
    said.into_iter().rev().for_each(|n| _ = tokens.remove(n));
    tokens
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = without_all(tokens);
    if !tokens.iter().any(|t| ["rollup", "cube", "sets"].iter().any(|w| is_word(Some(&t.token), w))) {
        return tokens;
    }
    let tokens = inner_sets(tokens);
    // The items that are to be put in parentheses: where each begins and ends.
    let (mut open, mut begins, mut ends): (Vec<Open>, Vec<usize>, Vec<usize>) = Default::default();
    let mut ended = |of: &Open, n: usize| {
        if let (Some(item), Some(end)) = (of.item, of.leading_end)
            && end + 1 < n
        {
            begins.push(item);
            ends.push(n);
        }
    };
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen => {
                let leads = open.last().is_some_and(|o| o.item == Some(n));
                let item = holds_sets(&tokens, n).then_some(n + 1);
                open.push(Open { item, leading_end: None, leads });
            }
            Token::RParen => {
                let Some(closed) = open.pop() else { continue };
                ended(&closed, n);
                if closed.leads
                    && let Some(around) = open.last_mut()
                {
                    around.leading_end = Some(n);
                }
            }
            Token::Comma => {
                if let Some(o) = open.last_mut().filter(|o| o.item.is_some()) {
                    ended(o, n);
                    (o.item, o.leading_end) = (Some(n + 1), None);
                }
            }
            _ => {}
        }
    }
    if begins.is_empty() {
        return tokens;
    }
    begins.sort_unstable();
    ends.sort_unstable();
    let mut out = Vec::with_capacity(tokens.len() + 2 * begins.len());
    let (mut begins, mut ends) = (begins.into_iter().peekable(), ends.into_iter().peekable());
    for (n, t) in tokens.into_iter().enumerate() {
        let span = t.span;
        let same = |token: Token| TokenWithSpan { token, span };
        while ends.next_if_eq(&n).is_some() {
            out.push(same(Token::RParen));
        }
        while begins.next_if_eq(&n).is_some() {
            out.push(same(Token::LParen));
        }
        out.push(t);
    }
    out
}
