//! Token rewriting before sqlparser: syntax of PostgreSQL's that it lacks is spelled in a way that it has.
//!
//! `FOR NO KEY UPDATE OF a, b` becomes `FOR UPDATE OF "<NO KEY UPDATE"."a"."b"`: the strength travels as the first part of the name,
//! where no real name can stand (see [`LOCK_MARK`]). `TABLE t` becomes `SELECT * FROM t`.
//!
//! Must not know: what the statements mean.

use super::cursor::is_word;
use crate::error::SqlError;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// First character of the marker part in a lock clause's name.
pub(crate) const LOCK_MARK: char = '<';

fn word(text: &str, like: &TokenWithSpan) -> TokenWithSpan {
    let keyword = match text {
        "UPDATE" => Keyword::UPDATE,
        "FOR" => Keyword::FOR,
        "OF" => Keyword::OF,
        "SELECT" => Keyword::SELECT,
        "FROM" => Keyword::FROM,
        _ => Keyword::NoKeyword,
    };
    TokenWithSpan { token: Token::Word(Word { value: text.to_owned(), quote_style: None, keyword }), span: like.span }
}

fn quoted(text: &str, like: &TokenWithSpan) -> TokenWithSpan {
    let word = Word { value: text.to_owned(), quote_style: Some('"'), keyword: Keyword::NoKeyword };
    TokenWithSpan { token: Token::Word(word), span: like.span }
}

/// Rewrites the tokens of one statement.
pub(super) fn rewrite(tokens: &[TokenWithSpan], _source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let at = |i: usize| tokens.get(i).map(|t| &t.token);
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        if is_word(at(i), "for") {
            let strengths: [(&[&str], &str); 4] = [
                (&["no", "key", "update"], "<NO KEY UPDATE"),
                (&["key", "share"], "<KEY SHARE"),
                (&["update"], "<UPDATE"),
                (&["share"], "<SHARE"),
            ];
            let found = strengths.iter().find(|(words, _)| words.iter().enumerate().all(|(n, w)| is_word(at(i + 1 + n), w)));
            if let Some((words, mark)) = found {
                i += 1 + words.len();
                out.extend([word("FOR", token), word("UPDATE", token), word("OF", token), quoted(mark, token)]);
                if is_word(at(i), "of") {
                    i += 1;
                    while let Some(Token::Word(w)) = at(i) {
                        out.push(TokenWithSpan { token: Token::Period, span: token.span });
                        out.push(quoted(&super::cursor::fold(&w.value, w.quote_style.is_some()), &tokens[i]));
                        i += 1;
                        if at(i) != Some(&Token::Comma) {
                            break;
                        }
                        i += 1;
                    }
                }
                continue;
            }
        }
        let starts_query = i == 0 || matches!(at(i - 1), Some(Token::LParen)) || is_word(at(i - 1), "as");
        if starts_query && is_word(at(i), "table") && matches!(at(i + 1), Some(Token::Word(_))) {
            out.push(word("SELECT", token));
            out.push(TokenWithSpan { token: Token::Mul, span: token.span });
            out.push(word("FROM", token));
            i += 1;
            continue;
        }
        out.push(token.clone());
        i += 1;
    }
    Ok(out)
}
