//! What a statement says where its grammar has a place for it, and what PostgreSQL refuses there with more than a syntax error.
//!
//! * SETOF before the type of a column.
//! * Expressions, collations, operator classes and orders of the columns that INCLUDE of an index names.
//! * DISTINCT without a list; a precision of the current time that is no number.
//!
//! Invariant: nothing is refused that PostgreSQL takes.
//!
//! Must not know: the catalog.

use super::cursor::{fold, is_word, syntax_error_at};
use super::rewrite::{BEHIND_LIST, closing, depth_of};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The current time, to a precision if one is there.
const TIMES: [&str; 4] = ["current_time", "current_timestamp", "localtime", "localtimestamp"];
struct Words<'t> {
    tokens: &'t [TokenWithSpan],
    source: &'t str,
}

/// Looks at the tokens of a statement.
pub(super) fn check(tokens: &[TokenWithSpan], source: &str) -> Result<(), SqlError> {
    let w = Words { tokens, source };
    w.selected()?;
    w.precise()?;
    w.grouped()?;
    if w.is(0, "create") && (1..4).any(|n| w.is(n, "index")) {
        return w.included();
    }
    match (w.is(0, "create"), w.is(0, "alter") && w.is(1, "table")) {
        (true, _) if (1..5).any(|n| w.is(n, "table") || w.is(n, "type")) => w.sets_in_columns(),
        (_, true) => w.sets_added(),
        _ => Ok(()),
    }
}

impl Words<'_> {
    fn at(&self, n: usize) -> Option<&Token> {
        self.tokens.get(n).map(|t| &t.token)
    }

    fn is(&self, n: usize, word: &str) -> bool {
        is_word(self.at(n), word)
    }

    fn syntax_error<T>(&self, n: usize) -> Result<T, SqlError> {
        Err(syntax_error_at(self.source, self.tokens.get(n)))
    }

    /// A list stands behind DISTINCT.
    fn selected(&self) -> Result<(), SqlError> {
        let is_bare = |n: &usize| {
            self.is(*n, "distinct")
                && *n > 0
                && self.is(n - 1, "select")
                && (*n < 2 || self.at(n - 2) != Some(&Token::Period))
                && (matches!(self.at(n + 1), Some(Token::RParen)) || self.is_behind_list(n + 1))
        };
        (1..self.tokens.len()).find(is_bare).map_or(Ok(()), |n| self.syntax_error(n + 1))
    }

    /// Keys stand behind GROUP BY ALL.
    fn grouped(&self) -> Result<(), SqlError> {
        let is_bare = |n: &usize| {
            self.is(*n, "group")
                && self.is(n + 1, "by")
                && ["all", "distinct"].iter().any(|w| self.is(n + 2, w))
                && (matches!(self.at(n + 3), None | Some(Token::RParen)) || self.is_behind_list(n + 3))
        };
        (0..self.tokens.len()).find(is_bare).map_or(Ok(()), |n| self.syntax_error(n + 3))
    }

    /// Whether a select list has ended before a token.
    fn is_behind_list(&self, n: usize) -> bool {
        self.is(n, "from") || BEHIND_LIST.iter().any(|w| self.is(n, w))
    }

    /// One number alone says how precise the current time is.
    fn precise(&self) -> Result<(), SqlError> {
        for n in 0..self.tokens.len() {
            let is_time = self.at(n + 1) == Some(&Token::LParen)
                && TIMES.iter().any(|w| self.is(n, w))
                && (n == 0 || !matches!(self.at(n - 1), Some(Token::Period)));
            if !is_time {
                continue;
            }
            match self.at(n + 2) {
                Some(Token::Number(digits, _)) if digits.bytes().all(|b| b.is_ascii_digit()) => {}
                _ => return self.syntax_error(n + 2),
            }
            if self.at(n + 3) != Some(&Token::RParen) {
                return self.syntax_error(n + 3);
            }
        }
        Ok(())
    }

    /// INCLUDE names columns, and nothing else of them.
    fn included(&self) -> Result<(), SqlError> {
        let opens = |n: &usize| {
            self.is(*n, "include")
                && self.at(n + 1) == Some(&Token::LParen)
                && n.checked_sub(1).and_then(|before| self.at(before)) == Some(&Token::RParen)
        };
        let Some(open) = (0..self.tokens.len()).find(opens) else { return Ok(()) };
        let (end, mut depth) = (closing(self.tokens, open + 1), 0);
        for n in open + 1..end {
            depth += depth_of(&self.tokens[n].token);
            let begins = n == open + 1 || depth == 1 && self.tokens[n].token == Token::Comma;
            if !begins {
                continue;
            }
            let unfit = |what: &str| {
                let why = format!("including column does not support {what}");
                Err(SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why))
            };
            match (self.at(n + 1), self.at(n + 2)) {
                (Some(Token::LParen), _) | (Some(Token::Word(_)), Some(Token::LParen)) => {
                    return Err(SqlError::unsupported("expressions are not supported in included columns"));
                }
                (Some(Token::Word(_)), Some(Token::Word(w))) => {
                    return match &*fold(&w.value, w.quote_style.is_some()) {
                        "collate" => unfit("a collation"),
                        "asc" | "desc" => unfit("ASC/DESC options"),
                        "nulls" => unfit("NULLS FIRST/LAST options"),
                        _ => unfit("an operator class"),
                    };
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn no_set(&self, name: usize) -> Result<(), SqlError> {
        match (self.at(name), self.at(name + 2)) {
            // A constraint may be called so.
            _ if self.is(name, "constraint") => Ok(()),
            (Some(Token::Word(w)), Some(Token::Word(_))) if self.is(name + 1, "setof") => {
                let column = fold(&w.value, w.quote_style.is_some());
                let why = format!("column \"{column}\" cannot be declared SETOF");
                Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why))
            }
            _ => Ok(()),
        }
    }

    /// No column of what is made is a set.
    fn sets_in_columns(&self) -> Result<(), SqlError> {
        let Some(open) = self.tokens.iter().position(|t| t.token == Token::LParen) else { return Ok(()) };
        let mut depth = 0;
        for n in open..closing(self.tokens, open) {
            depth += depth_of(&self.tokens[n].token);
            if n == open || depth == 1 && self.tokens[n].token == Token::Comma {
                self.no_set(n + 1)?;
            }
        }
        Ok(())
    }

    /// Nor one that ADD adds.
    fn sets_added(&self) -> Result<(), SqlError> {
        for n in (0..self.tokens.len()).filter(|n| self.is(*n, "add")) {
            self.no_set(if self.is(n + 1, "column") { n + 2 } else { n + 1 })?;
        }
        Ok(())
    }
}
