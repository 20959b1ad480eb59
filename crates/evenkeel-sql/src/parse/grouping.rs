//! `ROLLUP ((a).x, (a + b) * 2)`: of an item that begins with a parenthesis, sqlparser takes what is within for all of it. Such items get parentheses of their own.
//!
//! Must not know: what is grouped.

use super::cursor::is_word;
use sqlparser::tokenizer::{Token, TokenWithSpan};

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
    is(1, "rollup") || is(1, "cube") || is(1, "sets") && is(2, "grouping")
}

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|t| ["rollup", "cube", "sets"].iter().any(|w| is_word(Some(&t.token), w))) {
        return tokens;
    }
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
