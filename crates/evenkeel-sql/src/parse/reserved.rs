//! Reserved words are no names: PostgreSQL's grammar takes them as such in double quotes, behind a period and behind AS in a select list alone.
//!
//! Looked at are the places where a name is made or a column is given one, by the words around them: names of objects behind CREATE, RENAME TO and ADD, columns in CREATE TABLE,
//! INSERT and SET, common table expressions, prepared statements, cursors, savepoints and channels. What is called in FROM is looked at by the parser itself (`dialect`).
//!
//! Invariant: nothing is refused that PostgreSQL takes.
//!
//! Must not know: what the statements mean.

use super::cursor::{is_word, syntax_error_at};
use super::rewrite::depth_of;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Words that are names nowhere, in their order.
#[rustfmt::skip]
const RESERVED: [&str; 78] = [
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "both", "case", "cast", "check", "collate", "column",
    "constraint", "create", "current_catalog", "current_date", "current_role", "current_time", "current_timestamp", "current_user",
    "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch", "for", "foreign", "from", "grant",
    "group", "having", "in", "initially", "intersect", "into", "lateral", "leading", "limit", "localtime", "localtimestamp", "not",
    "null", "offset", "on", "only", "or", "order", "placing", "primary", "references", "returning", "select", "session_user", "some",
    "symmetric", "system_user", "table", "then", "to", "trailing", "true", "union", "unique", "user", "using", "variadic", "when",
    "where", "window", "with",
];
/// Words that are names of functions, types and roles, and of nothing else, in their order.
#[rustfmt::skip]
const OF_FUNCTIONS: [&str; 23] = [
    "authorization", "binary", "collation", "concurrently", "cross", "current_schema", "freeze", "full", "ilike", "inner", "is",
    "isnull", "join", "left", "like", "natural", "notnull", "outer", "overlaps", "right", "similar", "tablesample", "verbose",
];

/// Whether a word in small letters is no name of a relation or a column.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok() || OF_FUNCTIONS.binary_search(&word).is_ok()
}

/// Whether a token is no name of a relation or a column though it is a word.
pub(super) fn is_no_name(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Word(w)) if w.quote_style.is_none() && is_reserved(&w.value.to_ascii_lowercase()))
}

/// What is made by CREATE under a name of its own.
const MADE: [&str; 10] =
    ["table", "view", "index", "sequence", "schema", "type", "domain", "database", "extension", "collation"];
/// What a column of a table or what ADD adds begins with if that is no column.
const ELEMENTS: [&str; 7] = ["constraint", "check", "unique", "primary", "foreign", "exclude", "like"];

struct Words<'t> {
    tokens: &'t [TokenWithSpan],
    source: &'t str,
}

/// Refuses a reserved word where a statement gives something a name.
pub(super) fn check(tokens: &[TokenWithSpan], source: &str) -> Result<(), SqlError> {
    let w = Words { tokens, source };
    let first = match w.at(0) {
        Some(Token::Word(first)) if first.quote_style.is_none() => first.value.to_ascii_lowercase(),
        _ => return Ok(()),
    };
    match &*first {
        "create" => w.created()?,
        "alter" => w.altered()?,
        "prepare" | "declare" | "savepoint" | "listen" | "notify" | "set" => w.name(1)?,
        "show" if !w.is(1, "all") => w.name(1)?,
        _ => {}
    }
    w.common_tables()?;
    w.uncalled()?;
    w.assigned()
}

impl Words<'_> {
    fn at(&self, n: usize) -> Option<&Token> {
        self.tokens.get(n).map(|t| &t.token)
    }

    fn is(&self, n: usize, word: &str) -> bool {
        is_word(self.at(n), word)
    }

    fn is_any(&self, n: usize, words: &[&str]) -> bool {
        words.iter().any(|w| self.is(n, w))
    }

    /// What is no function although it looks like one without arguments has no parentheses.
    fn uncalled(&self) -> Result<(), SqlError> {
        const UNCALLED: [&str; 7] = [
            "current_date",
            "current_role",
            "current_user",
            "session_user",
            "system_user",
            "user",
            "current_catalog",
        ];
        // Who a role is, or what is made.
        const BEFORE: [&str; 9] =
            ["to", "from", "by", "for", "role", "authorization", "create", "as", "mapping"];
        let is_called = |n: usize| {
            self.at(n + 1) == Some(&Token::LParen)
                && self.is_any(n, &UNCALLED)
                && n > 0
                && self.at(n - 1) != Some(&Token::Period)
                && !self.is_any(n - 1, &BEFORE)
        };
        match (0..self.tokens.len()).find(|n| is_called(*n)) {
            Some(n) => Err(syntax_error_at(self.source, self.tokens.get(n + 1))),
            None => Ok(()),
        }
    }

    /// A name stands here, and no reserved word.
    fn name(&self, n: usize) -> Result<(), SqlError> {
        if is_no_name(self.at(n)) { Err(syntax_error_at(self.source, self.tokens.get(n))) } else { Ok(()) }
    }

    /// Behind these words, if they are there.
    fn behind(&self, mut n: usize, words: &[&str]) -> usize {
        if words.iter().enumerate().all(|(k, w)| self.is(n + k, w)) {
            n += words.len();
        }
        n
    }

    /// Where the name ends that begins here.
    fn end_of_name(&self, mut n: usize) -> usize {
        while self.at(n + 1) == Some(&Token::Period) {
            n += 2;
        }
        n + 1
    }

    fn created(&self) -> Result<(), SqlError> {
        // Roles may be called as functions may.
        let role = matches!(self.at(2), Some(Token::Word(w)) if w.quote_style.is_none() && RESERVED.binary_search(&&*w.value.to_ascii_lowercase()).is_ok());
        if self.is_any(1, &["role", "user", "group"]) && role {
            return Err(syntax_error_at(self.source, self.tokens.get(2)));
        }
        let Some(what) = (1..6).find(|n| self.is_any(*n, &MADE)) else { return Ok(()) };
        // Words that say what kind of it.
        const KINDS: [&str; 11] = [
            "or",
            "replace",
            "temp",
            "temporary",
            "local",
            "global",
            "unlogged",
            "unique",
            "recursive",
            "materialized",
            "foreign",
        ];
        if !(1..what).all(|n| self.is_any(n, &KINDS)) {
            return Ok(());
        }
        let mut at = what + 1;
        if self.is(what, "index") {
            at = self.behind(at, &["concurrently"]);
        }
        at = self.behind(at, &["if", "not", "exists"]);
        let is_without = self.is(what, "index") && self.is(at, "on")
            || self.is(what, "schema") && self.is(at, "authorization")
            || self.is(what, "collation") && self.is(at, "from");
        if !is_without {
            self.name(at)?;
        }
        if !self.is(what, "table") {
            return Ok(());
        }
        let open = self.end_of_name(at);
        let has_query = (open..self.tokens.len()).any(|n| self.is(n, "as"));
        match self.at(open) {
            Some(Token::LParen) => self.elements(open),
            Some(_) if has_query || self.is_any(open, &["of", "partition"]) => Ok(()),
            // Nothing else says of what the table is.
            Some(_) if !self.is_any(open, &["with", "using", "on", "tablespace"]) => {
                Err(syntax_error_at(self.source, self.tokens.get(open)))
            }
            _ => Err(syntax_error_at(self.source, None)),
        }
    }

    /// The columns and constraints of a table.
    fn elements(&self, open: usize) -> Result<(), SqlError> {
        let mut depth = 0;
        for n in open..self.tokens.len() {
            depth += depth_of(&self.tokens[n].token);
            if depth == 0 {
                break;
            }
            let begins = n == open || self.tokens[n].token == Token::Comma;
            if depth == 1 && begins && !self.is_any(n + 1, &ELEMENTS) && !self.is_unnamed_not_null(n + 1) {
                self.name(n + 1)?;
            }
            if depth == 1 && self.is(n, "constraint") {
                self.name(n + 1)?;
            }
        }
        Ok(())
    }

    /// `NOT NULL a` as a table's constraint.
    fn is_unnamed_not_null(&self, n: usize) -> bool {
        self.is(n, "not") && self.is(n + 1, "null")
    }

    fn altered(&self) -> Result<(), SqlError> {
        let mut depth = 0;
        // Where the first action of ALTER TABLE begins.
        let table = self.behind(self.behind(2, &["if", "exists"]), &["only"]);
        let action = if self.is(1, "table") { self.end_of_name(table) } else { usize::MAX };
        for n in 1..self.tokens.len() {
            depth += depth_of(&self.tokens[n].token);
            if depth != 0 {
                continue;
            }
            if self.is(n, "to") && (1..n).any(|k| self.is(k, "rename")) && n + 2 == self.tokens.len() {
                self.name(n + 1)?;
            }
            let begins = n == action || n > action && self.tokens[n - 1].token == Token::Comma;
            if self.is(n, "add") && begins {
                if self.is(n + 1, "constraint") {
                    self.name(n + 2)?;
                    continue;
                }
                let at = self.behind(self.behind(n + 1, &["column"]), &["if", "not", "exists"]);
                if !self.is_any(at, &ELEMENTS) && !self.is_unnamed_not_null(at) {
                    self.name(at)?;
                }
            }
        }
        Ok(())
    }

    /// Names of common table expressions.
    fn common_tables(&self) -> Result<(), SqlError> {
        for n in 1..self.tokens.len() {
            let is_first = self.is_any(n - 1, &["with", "recursive"]);
            if !(is_first || self.tokens[n - 1].token == Token::Comma) || !self.is(n + 1, "as") {
                continue;
            }
            let at = self.behind(n + 2, &["not"]);
            let at = self.behind(at, &["materialized"]);
            let is_query = self.at(at) == Some(&Token::LParen)
                && self.is_any(at + 1, &["select", "with", "values", "insert", "update", "delete", "merge"]);
            if is_query {
                self.name(n)?;
            }
        }
        Ok(())
    }

    /// The columns that INSERT and SET assign to.
    fn assigned(&self) -> Result<(), SqlError> {
        let mut depth = 0;
        // Of the assignments behind SET, how deep they stand.
        let mut set = None;
        for (n, t) in self.tokens.iter().enumerate() {
            depth += depth_of(&t.token);
            if self.is(n, "into") && n > 0 && self.is(n - 1, "insert") {
                let mut open = self.end_of_name(n + 1);
                if self.is(open, "as") {
                    open += 2;
                }
                if self.at(open) == Some(&Token::LParen)
                    && !self.is_any(open + 1, &["select", "with", "values", "table"])
                {
                    self.columns(open)?;
                }
            }
            if self.is(n, "set") && n > 1 && !matches!(self.at(n - 1), Some(Token::Period)) {
                set = Some(depth);
            }
            if set.is_some_and(|at| depth < at)
                || set == Some(depth) && self.is_any(n, &["where", "from", "returning", "when"])
            {
                set = None;
            }
            let begins = self.is(n, "set") || t.token == Token::Comma;
            if set == Some(depth) && begins && self.at(n + 2) == Some(&Token::Eq) {
                self.name(n + 1)?;
            }
        }
        Ok(())
    }

    /// The columns of a list in parentheses.
    fn columns(&self, open: usize) -> Result<(), SqlError> {
        let mut depth = 0;
        for n in open..self.tokens.len() {
            depth += depth_of(&self.tokens[n].token);
            if depth == 0 {
                break;
            }
            if depth == 1 && (n == open || self.tokens[n].token == Token::Comma) {
                self.name(n + 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_searched() {
        assert!(RESERVED.is_sorted() && OF_FUNCTIONS.is_sorted());
    }
}
