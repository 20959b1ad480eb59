//! Where clauses end: what sqlparser takes of other databases' grammars behind UPDATE, DELETE and JOIN is refused here, before it drops it.
//!
//! * UPDATE and DELETE end with RETURNING: no ORDER BY, no LIMIT; and DELETE names its table behind FROM alone.
//! * A join that is neither CROSS nor NATURAL has ON or USING. One whose operand is a join itself, `a JOIN b JOIN c ON … ON …`, gets parentheses around that:
//!   sqlparser looks for none of the conditions behind the first.
//!
//! Invariant: nothing is refused that PostgreSQL takes. What is not surely understood is left to the parser and to `bind`, which looks at what the parser made.
//!
//! Must not know: what the statements mean.

use super::cursor::{is_word, syntax_error_at};
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What a statement changes, as far as it is clear that it is one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Verb {
    #[default]
    Other,
    /// UPDATE, before its SET.
    Update,
    /// UPDATE behind its SET.
    Updated,
    Delete,
}

/// A join that waits for its condition.
struct Open {
    /// Where its operand begins, in what is written.
    operand: usize,
    /// Whether that is a join itself.
    is_nested: bool,
}

/// What is open at one depth of parentheses and brackets.
#[derive(Default)]
struct Level {
    verb: Verb,
    has_with: bool,
    in_from: bool,
    joins: Vec<Open>,
}

/// Words that end a FROM clause.
const ENDS_FROM: [&str; 13] = [
    "where",
    "group",
    "having",
    "window",
    "union",
    "intersect",
    "except",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "returning",
];

/// Rewrites the tokens of a statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    if !(0..tokens.len()).any(|n| is(n, "join") || is(n, "update") || is(n, "delete")) {
        return Ok(tokens);
    }
    let error_at = |n: usize| syntax_error_at(source, tokens.get(n));
    let (mut level, mut outer) = (Level::default(), Vec::new());
    // Where parentheses are put around an operand: before the token that is written so far.
    let mut put: Vec<(usize, Token)> = Vec::new();
    for (n, t) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| &tokens[n].token);
        match &t.token {
            Token::LParen | Token::LBracket => {
                let continues = level.in_from
                    && t.token == Token::LParen
                    && (matches!(before, Some(Token::LParen | Token::Comma))
                        || is_any(before, &["from", "join", "using"]));
                outer.push(std::mem::replace(&mut level, Level { in_from: continues, ..Level::default() }));
            }
            Token::RParen | Token::RBracket => {
                if !level.joins.is_empty() {
                    return Err(error_at(n));
                }
                level = outer.pop().unwrap_or_default();
            }
            Token::Comma if !level.joins.is_empty() => return Err(error_at(n)),
            Token::Word(w) if w.quote_style.is_none() => {
                // The name of something.
                if before == Some(&Token::Period) || is_word(before, "as") {
                    continue;
                }
                let word = w.value.to_ascii_lowercase();
                let begins = before.is_none() || level.has_with && before == Some(&Token::RParen);
                match &*word {
                    "with" if matches!(before, None | Some(Token::LParen)) => level.has_with = true,
                    "update" if is(n + 1, "or") && (begins || n > 1 && is(n - 2, "as")) => {
                        return Err(error_at(n + 1));
                    }
                    "update" if begins || before == Some(&Token::LParen) => level.verb = Verb::Update,
                    "set" if level.verb == Verb::Update => level.verb = Verb::Updated,
                    "delete" if is(n + 1, "from") && (begins || before == Some(&Token::LParen)) => {
                        level.verb = Verb::Delete;
                    }
                    "delete" if begins => return Err(error_at(n + 1)),
                    "limit" | "order" if matches!(level.verb, Verb::Updated | Verb::Delete) => {
                        return Err(error_at(n));
                    }
                    "from" if !is_word(before, "distinct") => level.in_from = true,
                    // The statement that WITH is of.
                    "select" | "values" | "insert" | "merge" | "table" => {
                        (level.in_from, level.has_with) = (false, false);
                    }
                    "join" if level.in_from => {
                        let open = level.joins.last_mut().filter(|open| !open.is_nested);
                        if let Some(open) = open {
                            open.is_nested = true;
                            put.push((open.operand, Token::LParen));
                        }
                        if has_condition(&tokens[..n]) {
                            level.joins.push(Open { operand: n + 1, is_nested: false });
                        }
                    }
                    "on" | "using" if !level.joins.is_empty() => {
                        if level.joins.pop().is_some_and(|open| open.is_nested) {
                            put.push((n, Token::RParen));
                        }
                    }
                    "using" if level.verb == Verb::Delete => level.in_from = true,
                    word if ENDS_FROM.contains(&word) && !is_word(before, "within") => {
                        if !level.joins.is_empty() {
                            return Err(error_at(n));
                        }
                        level.in_from = false;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if !level.joins.is_empty() {
        return Err(syntax_error_at(source, None));
    }
    if put.is_empty() {
        return Ok(tokens);
    }
    put.sort_by_key(|(n, _)| *n);
    let mut put = put.into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len() + put.len());
    for (n, t) in tokens.into_iter().enumerate() {
        while let Some((_, token)) = put.next_if(|(at, _)| *at == n) {
            out.push(TokenWithSpan { token, span: t.span });
        }
        out.push(t);
    }
    Ok(out)
}

fn is_any(token: Option<&Token>, words: &[&str]) -> bool {
    words.iter().any(|w| is_word(token, w))
}

/// Whether a join has a condition of its own, by what stands before JOIN.
fn has_condition(before: &[TokenWithSpan]) -> bool {
    let is = |t: Option<&TokenWithSpan>, words: &[&str]| is_any(t.map(|t| &t.token), words);
    let mut words = before.iter().rev().peekable();
    words.next_if(|t| is(Some(t), &["outer"]));
    words.next_if(|t| is(Some(t), &["left", "right", "full", "inner"]));
    !is(words.peek().copied(), &["natural", "cross"])
}
