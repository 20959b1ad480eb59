//! JSON_TABLE in FROM: a call whose clauses are arguments with names that nothing else has, which sqlparser takes.
//!
//! `JSON_TABLE(j, '$[*]' AS p COLUMNS (o FOR ORDINALITY, a int PATH '$.a' NULL ON ERROR, NESTED PATH '$.n' COLUMNS (b text)))` becomes `"<JSON_TABLE"(j,
//! '$[*]', "<name>" => 'p', "<column>" => 'o', "<ordinality>" => '', "<column>" => 'a', "<type>" => CAST(NULL AS int), "<path>" => '$.a', "<behavior>" =>
//! 'null', "<on>" => 'error', "<nested>" => '$.n', "<column>" => 'b', "<type>" => CAST(NULL AS text), "<end>" => '')`.
//!
//! Invariants:
//! 1. Columns, and what is nested, stand in the order in which they are written; the columns of what is nested end with `<end>`.
//!
//! Must not know: what the clauses mean.

use super::cursor::{fold, is_word, syntax_error_at};
use super::json_query::{behavior, format, on, words, wrapper};
use super::rewrite::quoted;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::Pace;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The function that stands for it.
pub const JSON_TABLE: &str = "<JSON_TABLE";

/// What may stand behind a column's type.
const BEHIND_TYPES: [&str; 14] = [
    "path", "format", "exists", "with", "without", "keep", "omit", "default", "error", "null", "empty",
    "true", "unknown", "false",
];

struct Rewriter<'a> {
    tokens: &'a [TokenWithSpan],
    source: &'a str,
    out: Vec<TokenWithSpan>,
    /// Where each parenthesis ends.
    ends: Vec<usize>,
    pace: Pace,
}

/// Rewrites the tokens of one statement.
pub(super) fn rewrite(tokens: Vec<TokenWithSpan>, source: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    if !tokens.iter().any(|t| is_word(Some(&t.token), "json_table")) {
        return Ok(tokens);
    }
    let ends = ends(&tokens);
    let out = Vec::with_capacity(tokens.len() + 32);
    let mut r = Rewriter { tokens: &tokens, source, out, ends, pace: Pace::default() };
    r.copy(0, tokens.len())?;
    Ok(r.out)
}

/// Where each parenthesis or bracket ends; of what is none, or has no end, the end of all.
fn ends(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let (mut ends, mut open) = (vec![tokens.len(); tokens.len()], Vec::new());
    for (i, t) in tokens.iter().enumerate() {
        match t.token {
            Token::LParen | Token::LBracket => open.push(i),
            Token::RParen | Token::RBracket => {
                if let Some(from) = open.pop() {
                    ends[from] = i;
                }
            }
            _ => {}
        }
    }
    ends
}

impl<'a> Rewriter<'a> {
    fn at(&self, i: usize) -> Option<&'a Token> {
        self.tokens.get(i).map(|t| &t.token)
    }

    fn is(&self, i: usize, word: &str) -> bool {
        is_word(self.at(i), word)
    }

    fn words(&self, i: usize, list: &[&str]) -> bool {
        words(self.tokens, i, list)
    }

    fn wrong(&self, i: usize) -> SqlError {
        syntax_error_at(self.source, self.tokens.get(i))
    }

    /// What is not supported, at this place.
    fn unsupported(&self, i: usize, why: &str) -> SqlError {
        let e = SqlError::unsupported(why);
        match self.wrong(i).position {
            Some(p) => e.with_position(p),
            None => e,
        }
    }

    fn put(&mut self, i: usize, token: Token) {
        let span = self.tokens.get(i).or(self.tokens.last()).map(|t| t.span);
        if let Some(span) = span {
            self.out.push(TokenWithSpan { token, span });
        }
    }

    fn put_word(&mut self, i: usize, keyword: Keyword, text: &str) {
        self.put(i, Token::Word(Word { value: text.to_owned(), quote_style: None, keyword }));
    }

    /// `, "<name>" =>`
    fn begin(&mut self, i: usize, name: &str) {
        self.put(i, Token::Comma);
        if let Some(like) = self.tokens.get(i).or(self.tokens.last()) {
            self.out.push(quoted(&format!("<{name}>"), like));
        }
        self.put(i, Token::RArrow);
    }

    /// `, "<name>" => 'value'`
    fn said(&mut self, i: usize, name: &str, value: &str) {
        self.begin(i, name);
        self.put(i, Token::SingleQuotedString(value.to_owned()));
    }

    /// Where what begins here ends: before `end`, at something of the same level.
    fn end_of(&self, from: usize, end: usize, is_end: impl Fn(usize) -> bool) -> usize {
        let mut i = from;
        while i < end && !is_end(i) {
            let opens = matches!(self.at(i), Some(Token::LParen | Token::LBracket));
            i = if opens { self.ends[i] + 1 } else { i + 1 };
        }
        i.min(end)
    }

    fn is_comma(&self, i: usize) -> bool {
        self.at(i) == Some(&Token::Comma)
    }

    fn is_string(&self, i: usize) -> bool {
        matches!(
            self.at(i),
            Some(
                Token::SingleQuotedString(_)
                    | Token::EscapedStringLiteral(_)
                    | Token::UnicodeStringLiteral(_)
                    | Token::DollarQuotedString(_)
            )
        )
    }

    /// COLUMNS and its parenthesis.
    fn is_columns(&self, i: usize) -> bool {
        self.is(i, "columns") && self.at(i + 1) == Some(&Token::LParen)
    }

    /// Whether JSON_TABLE begins here: the word may be somebody's name as well.
    fn is_table(&self, i: usize) -> bool {
        if !self.is(i, "json_table") || self.at(i + 1) != Some(&Token::LParen) || i == 0 {
            return false;
        }
        let in_from = ["from", "join", "lateral"].iter().any(|w| self.is(i - 1, w));
        let may_be = self.is(i - 1, "using") || matches!(self.at(i - 1), Some(Token::Comma | Token::LParen));
        let close = self.ends[i + 1];
        in_from || may_be && self.end_of(i + 2, close, |i| self.is_columns(i)) < close
    }

    /// Copies tokens, and rewrites each JSON_TABLE among them.
    fn copy(&mut self, from: usize, to: usize) -> Result<(), SqlError> {
        let mut i = from;
        while i < to {
            self.pace.step()?;
            if self.is_table(i) {
                i = self.table(i)?;
                continue;
            }
            self.out.push(self.tokens[i].clone());
            i += 1;
        }
        Ok(())
    }

    /// An expression that is JSON, perhaps with FORMAT JSON behind it: how many tokens that is.
    fn json(&mut self, from: usize, to: usize) -> Result<usize, SqlError> {
        for begins in [to.saturating_sub(4), to.saturating_sub(2)] {
            let taken = if begins > from { format(self.tokens, begins)? } else { 0 };
            if taken > 0 && begins + taken == to {
                self.copy(from, begins)?;
                return Ok(taken);
            }
        }
        self.copy(from, to)?;
        Ok(0)
    }

    /// A name behind AS, if there is one; where it ends.
    fn name(&mut self, i: usize, clause: &str) -> Result<usize, SqlError> {
        if !self.is(i, "as") {
            return Ok(i);
        }
        let Some(Token::Word(name)) = self.at(i + 1) else { return Err(self.wrong(i + 1)) };
        let name = fold(&name.value, name.quote_style.is_some());
        self.said(i + 1, clause, &name);
        Ok(i + 2)
    }

    fn table(&mut self, i: usize) -> Result<usize, SqlError> {
        let close = self.ends[i + 1];
        if close == self.tokens.len() {
            return Err(self.wrong(close));
        }
        if self.words(close + 1, &["with", "ordinality"]) {
            return Err(self.wrong(close + 1));
        }
        self.out.push(quoted(JSON_TABLE, &self.tokens[i]));
        self.put(i + 1, Token::LParen);
        let from = i + 2;
        let end = self.end_of(from, close, |i| self.is_comma(i));
        if end == from || end == close {
            return Err(self.wrong(end));
        }
        let format = self.json(from, end)?;
        if format > 0 {
            self.said(end, "input", if format > 2 { "encoding" } else { "json" });
        }
        self.put(end, Token::Comma);
        let path = end + 1;
        let ends_path = |i: usize| self.is(i, "as") || self.is(i, "passing") || self.is_columns(i);
        let mut at = self.end_of(path, close, ends_path);
        if at == path || at == close {
            return Err(self.wrong(at));
        }
        if at != path + 1 || !self.is_string(path) {
            let why = "only string constants are supported in JSON_TABLE path specification";
            return Err(self.unsupported(path, why));
        }
        self.out.push(self.tokens[path].clone());
        at = self.name(at, "name")?;
        if self.is(at, "passing") {
            at = self.passing(at + 1, close)?;
        }
        if !self.is_columns(at) {
            return Err(self.wrong(at));
        }
        at = self.columns(at + 1)?;
        let says_default = self.is(at, "default");
        let on_error = match behavior(self.tokens, at) {
            Some((name, taken)) if !says_default => (name, at + taken),
            _ => ("default", self.end_of(at, close, |i| on(self.tokens, i).is_some())),
        };
        if (says_default || on_error.1 > at) && on(self.tokens, on_error.1) == Some("error") {
            self.said(at, "on error", on_error.0);
            at = on_error.1 + 2;
        }
        if at != close {
            return Err(self.wrong(at));
        }
        self.put(close, Token::RParen);
        Ok(close + 1)
    }

    /// Values for variables; where they end.
    fn passing(&mut self, from: usize, close: usize) -> Result<usize, SqlError> {
        let mut at = from;
        loop {
            let end = self.end_of(at, close, |i| self.is(i, "as") || self.is_comma(i) || self.is_columns(i));
            if end == at || !self.is(end, "as") {
                return Err(self.wrong(end));
            }
            self.begin(at, "passing");
            self.json(at, end)?;
            at = self.name(end, "as")?;
            if !self.is_comma(at) {
                return Ok(at);
            }
            at += 1;
        }
    }

    /// The columns in the parenthesis that begins here; where it has ended.
    fn columns(&mut self, open: usize) -> Result<usize, SqlError> {
        let (mut at, end) = (open + 1, self.ends[open]);
        loop {
            at = match self.nested(at) {
                Some(path) => {
                    self.begin(path, "nested");
                    self.out.push(self.tokens[path].clone());
                    let columns = self.name(path + 1, "name")?;
                    if !self.is_columns(columns) {
                        return Err(self.wrong(columns));
                    }
                    self.columns(columns + 1)?
                }
                None => self.column(at, end)?,
            };
            if at == end {
                break;
            }
            if !self.is_comma(at) {
                return Err(self.wrong(at));
            }
            at += 1;
        }
        self.said(end, "end", "");
        Ok(end + 1)
    }

    /// Where the path of NESTED stands, if that begins here.
    fn nested(&self, i: usize) -> Option<usize> {
        let path = if self.is(i + 1, "path") { i + 2 } else { i + 1 };
        (self.is(i, "nested") && self.is_string(path)).then_some(path)
    }

    /// A column; where it ends.
    fn column(&mut self, from: usize, end: usize) -> Result<usize, SqlError> {
        let Some(Token::Word(name)) = self.at(from).filter(|_| from < end) else {
            return Err(self.wrong(from));
        };
        self.said(from, "column", &fold(&name.value, name.quote_style.is_some()));
        let mut at = from + 1;
        if self.words(at, &["for", "ordinality"]) {
            self.said(at, "ordinality", "");
            return Ok(at + 2);
        }
        if self.is(at, "setof") {
            return Err(SqlError::unsupported(
                "returning SETOF types is not supported in SQL/JSON functions",
            ));
        }
        let is_behind = |i: usize| {
            // Of a time with or without time zone.
            let is_zone = self.is(i + 1, "time");
            self.is_comma(i) || !is_zone && BEHIND_TYPES.iter().any(|w| self.is(i, w))
        };
        let behind = self.end_of(at, end, is_behind);
        if behind == at {
            return Err(self.wrong(at));
        }
        self.begin(at, "type");
        self.put_word(at, Keyword::CAST, "CAST");
        self.put(at, Token::LParen);
        self.put_word(at, Keyword::NULL, "NULL");
        self.put_word(at, Keyword::AS, "AS");
        self.out.extend_from_slice(&self.tokens[at..behind]);
        self.put(at, Token::RParen);
        at = behind;
        let exists = self.is(at, "exists");
        if exists {
            self.said(at, "exists", "");
            at += 1;
        } else {
            let taken = format(self.tokens, at)?;
            if taken > 0 {
                self.said(at, "format", if taken > 2 { "encoding" } else { "json" });
            }
            at += taken;
        }
        if self.is(at, "path") {
            if !self.is_string(at + 1) {
                return Err(self.wrong(at + 1));
            }
            self.begin(at, "path");
            self.out.push(self.tokens[at + 1].clone());
            at += 2;
        }
        if !exists && let Some((name, taken)) = wrapper(self.tokens, at) {
            self.said(at, "wrapper", name);
            at += taken;
        }
        if !exists && (self.words(at, &["keep", "quotes"]) || self.words(at, &["omit", "quotes"])) {
            let what = if self.is(at, "keep") { "keep" } else { "omit" };
            self.said(at, "quotes", what);
            at += if self.words(at + 2, &["on", "scalar", "string"]) { 5 } else { 2 };
        }
        self.behaviors(at, end, exists)
    }

    /// ON EMPTY and ON ERROR; where they end.
    fn behaviors(&mut self, from: usize, end: usize, exists: bool) -> Result<usize, SqlError> {
        let mut at = from;
        let mut may_be: &[&str] = if exists { &["error"] } else { &["empty", "error"] };
        while !may_be.is_empty() {
            let ends_at = if self.is(at, "default") {
                self.end_of(at + 1, end, |i| self.is_comma(i) || on(self.tokens, i).is_some())
            } else {
                behavior(self.tokens, at).map_or(at, |(_, taken)| at + taken)
            };
            if ends_at == at {
                break;
            }
            let Some(which) = on(self.tokens, ends_at) else { return Err(self.wrong(ends_at)) };
            let Some(place) = may_be.iter().position(|w| *w == which) else {
                return Err(self.wrong(if exists { ends_at + 1 } else { at }));
            };
            match behavior(self.tokens, at) {
                Some((name, _)) if !self.is(at, "default") => self.said(at, "behavior", name),
                _ if ends_at == at + 1 => return Err(self.wrong(ends_at)),
                _ => {
                    self.begin(at, "default");
                    self.copy(at + 1, ends_at)?;
                }
            }
            self.said(ends_at, "on", which);
            may_be = &may_be[place + 1..];
            at = ends_at + 2;
        }
        Ok(at)
    }
}
