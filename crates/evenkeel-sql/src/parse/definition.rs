//! Token rewriting of table definitions before sqlparser: what it lacks of constraints travels where no real text stands.
//!
//! * `CONSTRAINT x NOT NULL a` of a table becomes `CONSTRAINT x CHECK ("<NOT NULL" = a)`.
//! * `FOREIGN KEY (a, b) … ON DELETE SET NULL (b)` becomes `FOREIGN KEY "<b" (a, b) … ON DELETE SET NULL`: MySQL's name of the key's index.
//! * `LIKE t INCLUDING ALL` among the columns becomes `"<LIKE" t DEFAULT 'including all'`, as if it were a column of type `t`.
//! * NOT VALID and NO INHERIT of NOT NULL mean nothing in CREATE TABLE, where there are no rows and no children, and are left out.
//!
//! Must not know: what the definitions mean.

use super::cursor::{fold, is_word};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The name that stands for a NOT NULL constraint of a table.
pub const NOT_NULL: &str = "<NOT NULL";
/// The name of what stands for LIKE.
pub const LIKE: &str = "<LIKE";

fn word(text: &str, quote: Option<char>, keyword: Keyword, like: &TokenWithSpan) -> TokenWithSpan {
    let word = Word { value: text.to_owned(), quote_style: quote, keyword };
    TokenWithSpan { token: Token::Word(word), span: like.span }
}

fn is(tokens: &[TokenWithSpan], at: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(n, w)| is_word(tokens.get(at + n).map(|t| &t.token), w))
}

/// Whether a token begins an element of a list in parentheses, or follows the name of a constraint that does.
fn begins_element(out: &[TokenWithSpan]) -> bool {
    let begins = |n: usize| {
        n == 0 || matches!(out[n - 1].token, Token::LParen | Token::Comma) || is(out, n - 1, &["add"])
    };
    begins(out.len()) || (out.len() >= 2 && is(out, out.len() - 2, &["constraint"]) && begins(out.len() - 2))
}

/// Rewrites the tokens of CREATE TABLE or of an action of ALTER TABLE.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let concerned = (0..tokens.len()).any(|n| {
        is(&tokens, n, &["not", "null"])
            || is(&tokens, n, &["set", "null"])
            || is(&tokens, n, &["set", "default"])
            || is(&tokens, n, &["like"])
            || is(&tokens, n, &["not", "valid"])
    });
    if !concerned {
        return tokens;
    }
    let is_create = is(&tokens, 0, &["create"]);
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 16);
    // Where the last FOREIGN KEY of a table's constraint ends.
    let mut key_at = None;
    let mut depth = 0usize;
    let mut n = 0;
    while let Some(token) = tokens.get(n) {
        let same = |t: Token| TokenWithSpan { token: t, span: token.span };
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Elements of a table stand in its parentheses; an action of ALTER TABLE is one.
        let is_level = depth == usize::from(is_create);
        if is_level
            && is(&tokens, n, &["not", "null"])
            && begins_element(&out)
            && let Some(column) = tokens.get(n + 2)
        {
            out.extend([
                word("CHECK", None, Keyword::CHECK, token),
                same(Token::LParen),
                word(NOT_NULL, Some('"'), Keyword::NoKeyword, token),
                same(Token::Eq),
                column.clone(),
                same(Token::RParen),
            ]);
            n += 3;
            continue;
        }
        if is_level && is_create && is(&tokens, n, &["like"]) && begins_element(&out) {
            out.push(word(LIKE, Some('"'), Keyword::NoKeyword, token));
            n += 1;
            while let Some(t) = tokens.get(n).filter(|t| matches!(t.token, Token::Word(_) | Token::Period)) {
                if is(&tokens, n, &["including"]) || is(&tokens, n, &["excluding"]) {
                    break;
                }
                // In quotes, so that no name is taken for one of a type.
                match &t.token {
                    Token::Word(w) => {
                        let name = fold(&w.value, w.quote_style.is_some());
                        out.push(word(&name, Some('"'), Keyword::NoKeyword, t));
                    }
                    _ => out.push(t.clone()),
                }
                n += 1;
            }
            let mut options = Vec::new();
            while let Some(Token::Word(w)) = tokens.get(n).map(|t| &t.token) {
                options.push(w.value.to_ascii_lowercase());
                n += 1;
            }
            out.push(word("DEFAULT", None, Keyword::DEFAULT, token));
            out.push(same(Token::SingleQuotedString(options.join(" "))));
            continue;
        }
        if is_create && is(&tokens, n, &["not", "valid"]) && is_level {
            n += 2;
            continue;
        }
        if is_create
            && is(&tokens, n, &["no", "inherit"])
            && is_level
            && out.len() >= 2
            && is(&out, out.len() - 2, &["not", "null"])
        {
            n += 2;
            continue;
        }
        if is(&tokens, n, &["foreign", "key"]) {
            out.extend_from_slice(&tokens[n..n + 2]);
            key_at = Some(out.len());
            n += 2;
            continue;
        }
        let sets = is(&tokens, n, &["set", "null"]) || is(&tokens, n, &["set", "default"]);
        if sets
            && out.last().is_some_and(|t| is_word(Some(&t.token), "delete"))
            && let (Some(at), Some(Token::LParen)) = (key_at, tokens.get(n + 2).map(|t| &t.token))
            && let Some(len) = tokens[n + 3..].iter().position(|t| t.token == Token::RParen)
        {
            let names: Vec<String> = tokens[n + 3..n + 3 + len]
                .iter()
                .filter_map(|t| match &t.token {
                    Token::Word(w) => Some(fold(&w.value, w.quote_style.is_some())),
                    _ => None,
                })
                .collect();
            out.extend_from_slice(&tokens[n..n + 2]);
            out.insert(at, word(&format!("<{}", names.join("\0")), Some('"'), Keyword::NoKeyword, token));
            key_at = None;
            n += 4 + len;
            continue;
        }
        out.push(token.clone());
        n += 1;
    }
    out
}
