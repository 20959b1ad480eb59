//! What sqlparser does not know of CREATE TABLE: `USING heap`, `WITH (toast.…)`, and behind a column's type `UNIQUE NULLS [NOT] DISTINCT`, `STORAGE external`, `COMPRESSION pglz`. It becomes a DEFAULT
//! of a name that no statement can hold.
//!
//! Must not know: what the words do.

use super::cursor::{fold, is_word};
use super::rewrite::{quoted, word};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What the texts begin with.
const MARK: char = '\u{1}';
/// Those of STORAGE and COMPRESSION, behind the mark.
const STORAGE: &str = "storage ";
const COMPRESSION: &str = "compression ";
/// What the storage parameters of large values' tables begin with, which are not there.
pub const TOAST: &str = "toast.";
const NOT_DISTINCT: &str = "not distinct";

/// What such a DEFAULT stands for.
#[derive(Debug, PartialEq, Eq)]
pub enum ColumnWord<'a> {
    /// Of the constraint before it.
    NullsNotDistinct,
    /// STORAGE
    Storage(&'a str),
    /// COMPRESSION
    Compression(&'a str),
}

/// What a DEFAULT of a name stands for; None: it is one.
pub fn column_word(text: &str) -> Option<ColumnWord<'_>> {
    let text = text.strip_prefix(MARK)?;
    if text == NOT_DISTINCT {
        return Some(ColumnWord::NullsNotDistinct);
    }
    let storage = text.strip_prefix(STORAGE).map(ColumnWord::Storage);
    storage.or_else(|| text.strip_prefix(COMPRESSION).map(ColumnWord::Compression))
}

/// Words behind which a name stands, or an action of ALTER TABLE.
const NAMES: [&str; 12] =
    ["column", "add", "exists", "set", "alter", "drop", "rename", "to", "only", "table", "by", "owner"];

/// Fails for `CREATE TABLE … USING` what is no way of keeping tables.
fn check_method(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let mut depth = 0;
    for (n, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ if depth > 0 => {}
            _ if is_word(Some(&t.token), "as") => break,
            _ if is_word(Some(&t.token), "using") => {
                let Some(Token::Word(w)) = tokens.get(n + 1).map(|t| &t.token) else { break };
                let name = fold(&w.value, w.quote_style.is_some());
                if name != "heap" {
                    let why = format!("access method \"{name}\" does not exist");
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Rewrites a definition of a table.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>, SqlError> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let is_table = is(0, "create")
        && (1..6).any(|n| is(n, "table"))
        && tokens.iter().any(|t| {
            ["storage", "compression", "nulls", "heap", "toast", "using"]
                .iter()
                .any(|w| is_word(Some(&t.token), w))
        });
    if !is_table {
        return Ok(tokens);
    }
    check_method(&tokens)?;
    Ok(respelled(tokens))
}

/// The same of what defines columns.
pub(super) fn respelled(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |n: usize, w: &str| is_word(tokens.get(n).map(|t| &t.token), w);
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut n = 0;
    while let Some(t) = tokens.get(n) {
        let behind_unique = n > 0 && is(n - 1, "unique") && is(n, "nulls");
        let distinct = if is(n + 1, "not") { n + 2 } else { n + 1 };
        // Of a table's constraint a list follows, or a name of ours that stands before it.
        let of_column = match tokens.get(distinct + 1).map(|t| &t.token) {
            Some(Token::LParen) => false,
            Some(Token::Word(w)) => w.quote_style.is_none(),
            _ => true,
        };
        if behind_unique && is(distinct, "distinct") && of_column {
            if distinct == n + 2 {
                out.extend([word("DEFAULT", t), quoted(&format!("{MARK}{NOT_DISTINCT}"), t)]);
            }
            n = distinct + 1;
            continue;
        }
        // The one way of keeping tables that there is.
        if n > 0 && is(n, "using") && is(n + 1, "heap") && !is(n - 1, "index") {
            n += 2;
            continue;
        }
        if is(n, "toast")
            && tokens.get(n + 1).is_some_and(|t| t.token == Token::Period)
            && let Some(Token::Word(name)) = tokens.get(n + 2).map(|t| &t.token)
        {
            out.push(quoted(&format!("{TOAST}{}", fold(&name.value, name.quote_style.is_some())), t));
            n += 3;
            continue;
        }
        let is_behind_type = n > 0
            && !matches!(tokens[n - 1].token, Token::LParen | Token::Comma | Token::Period)
            && !NAMES.iter().any(|w| is(n - 1, w));
        let what = if is(n, "storage") { Some(STORAGE) } else { is(n, "compression").then_some(COMPRESSION) };
        if let (true, Some(what), Some(Token::Word(name))) =
            (is_behind_type, what, tokens.get(n + 1).map(|t| &t.token))
        {
            let name = fold(&name.value, name.quote_style.is_some());
            out.extend([word("DEFAULT", t), quoted(&format!("{MARK}{what}{name}"), t)]);
            n += 2;
            continue;
        }
        out.push(t.clone());
        n += 1;
    }
    out
}
