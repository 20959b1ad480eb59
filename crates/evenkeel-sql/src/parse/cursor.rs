//! A cursor over the tokens of one statement, for the statements that are parsed here rather than by sqlparser.
//!
//! Must not know: statements.

use super::stmt::Name;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::user::is_database;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

/// Where in the source text a token stands.
pub(crate) fn position_of(source: &str, at: Location) -> Option<usize> {
    if at.line == 0 {
        return None;
    }
    let (mut line, mut column) = (1u64, 1u64);
    for (chars, c) in source.chars().enumerate() {
        if line == at.line && column == at.column {
            return Some(chars + 1);
        }
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    (line == at.line).then(|| source.chars().count() + 1)
}

/// Reads tokens left to right.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    tokens: &'a [TokenWithSpan],
    at: usize,
    source: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tokens: &'a [TokenWithSpan], source: &'a str) -> Self {
        Cursor { tokens, at: 0, source }
    }

    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    pub(crate) fn rest(&self) -> &'a [TokenWithSpan] {
        &self.tokens[self.at..]
    }

    /// How the rest is spelled; None: there is none.
    pub(crate) fn rest_text(&self) -> Option<String> {
        let (first, last) = (self.rest().first()?, self.rest().last()?);
        let mut places = super::Places::new(self.source);
        let from = places.find(first.span.start);
        Some(self.source[from..places.find(last.span.end)].to_owned())
    }

    pub(crate) fn skip(&mut self, n: usize) {
        self.at = (self.at + n).min(self.tokens.len());
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|t| &t.token)
    }

    pub(crate) fn peek_nth(&self, n: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + n).map(|t| &t.token)
    }

    pub(crate) fn next(&mut self) -> Option<&'a Token> {
        let t = self.peek();
        self.at += 1;
        t
    }

    /// A syntax error at the current token.
    pub(crate) fn syntax_error(&self) -> SqlError {
        syntax_error_at(self.source, self.tokens.get(self.at))
    }

    /// Another error at the current token.
    pub(crate) fn at_current(&self, e: SqlError) -> SqlError {
        let place = self.tokens.get(self.at).and_then(|t| position_of(self.source, t.span.start));
        place.map_or(e.clone(), |p| e.with_position(p))
    }

    /// At the token that was taken last.
    pub(crate) fn syntax_error_at_previous(&self) -> SqlError {
        syntax_error_at(self.source, self.tokens.get(self.at.saturating_sub(1)))
    }

    pub(crate) fn word_is(&self, n: usize, keyword: &str) -> bool {
        is_word(self.peek_nth(n), keyword)
    }

    /// CASCADE, or RESTRICT, which is meant where neither stands.
    pub(super) fn cascade(&mut self) -> bool {
        let cascade = self.take(&["cascade"]);
        if !cascade {
            self.take(&["restrict"]);
        }
        cascade
    }

    /// Takes the keywords if they all come next.
    pub(crate) fn take(&mut self, keywords: &[&str]) -> bool {
        let all = keywords.iter().enumerate().all(|(n, k)| self.word_is(n, k));
        if all {
            self.at += keywords.len();
        }
        all
    }

    pub(crate) fn expect(&mut self, keyword: &str) -> Result<(), SqlError> {
        if self.take(&[keyword]) { Ok(()) } else { Err(self.syntax_error()) }
    }

    pub(crate) fn take_token(&mut self, token: &Token) -> bool {
        let hit = self.peek() == Some(token);
        self.at += usize::from(hit);
        hit
    }

    pub(crate) fn expect_token(&mut self, token: &Token) -> Result<(), SqlError> {
        if self.take_token(token) { Ok(()) } else { Err(self.syntax_error()) }
    }

    pub(crate) fn expect_end(&self) -> Result<(), SqlError> {
        if self.at_end() { Ok(()) } else { Err(self.syntax_error()) }
    }

    /// An identifier, folded.
    pub(crate) fn ident(&mut self) -> Result<String, SqlError> {
        match self.peek() {
            Some(Token::Word(w)) => {
                self.at += 1;
                Ok(fold(&w.value, w.quote_style.is_some()))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// A relation's name: `a`, `a.b` or `database.a.b`.
    pub(crate) fn name(&mut self) -> Result<Name, SqlError> {
        self.name_of(Of::Relation)
    }

    /// The name of something: `a`, `a.b` or `database.a.b`.
    pub(crate) fn name_of(&mut self, of: Of) -> Result<Name, SqlError> {
        qualified(self.parts()?, of)
    }

    /// `name.column`.
    pub(crate) fn column(&mut self) -> Result<Option<(Name, String)>, SqlError> {
        let mut parts = self.parts()?;
        let column = parts.pop().filter(|_| !parts.is_empty());
        column.map(|column| Ok((qualified(parts, Of::Relation)?, column))).transpose()
    }

    fn parts(&mut self) -> Result<Vec<String>, SqlError> {
        let mut parts = vec![self.ident()?];
        while self.take_token(&Token::Period) {
            parts.push(self.ident()?);
        }
        Ok(parts)
    }

    /// `a, b, c`.
    pub(crate) fn names(&mut self) -> Result<Vec<Name>, SqlError> {
        self.names_of(Of::Relation)
    }

    pub(crate) fn names_of(&mut self, of: Of) -> Result<Vec<Name>, SqlError> {
        let mut names = vec![self.name_of(of)?];
        while self.take_token(&Token::Comma) {
            names.push(self.name_of(of)?);
        }
        Ok(names)
    }

    /// `(a, b)`, or nothing.
    pub(crate) fn optional_columns(&mut self) -> Result<Vec<String>, SqlError> {
        let mut columns = Vec::new();
        if self.take_token(&Token::LParen) {
            columns.push(self.ident()?);
            while self.take_token(&Token::Comma) {
                columns.push(self.ident()?);
            }
            self.expect_token(&Token::RParen)?;
        }
        Ok(columns)
    }

    /// The content of a string literal.
    pub(crate) fn string(&mut self) -> Result<String, SqlError> {
        let text = match self.peek() {
            Some(
                Token::SingleQuotedString(s)
                | Token::EscapedStringLiteral(s)
                | Token::UnicodeStringLiteral(s),
            ) => s.clone(),
            Some(Token::DollarQuotedString(d)) => d.value.clone(),
            _ => return Err(self.syntax_error()),
        };
        self.at += 1;
        Ok(text)
    }

    /// A signed whole number.
    pub(crate) fn integer(&mut self) -> Result<i64, SqlError> {
        let negative = self.take_token(&Token::Minus);
        let number = match self.peek() {
            Some(Token::Number(n, _)) => n.clone(),
            _ => return Err(self.syntax_error()),
        };
        let value =
            if negative { format!("-{number}") } else { number }.parse().map_err(|_| self.syntax_error())?;
        self.at += 1;
        Ok(value)
    }

    /// ON, OFF, TRUE, FALSE, 0, 1 or nothing (true).
    pub(crate) fn optional_bool(&mut self) -> Result<bool, SqlError> {
        let word = match self.peek() {
            Some(Token::Word(w)) => w.value.to_ascii_lowercase(),
            Some(Token::Number(n, _)) => n.clone(),
            Some(Token::SingleQuotedString(s)) => s.to_ascii_lowercase(),
            _ => return Ok(true),
        };
        let value = match word.as_str() {
            "on" | "true" | "1" | "match" => true,
            "off" | "false" | "0" => false,
            _ => return Err(self.syntax_error()),
        };
        self.at += 1;
        Ok(value)
    }
}

/// What has a name, for errors: relations are told in quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Relation,
    Other,
}

/// A name of up to three parts, of which the first of three is the session's database.
pub(crate) fn qualified(mut parts: Vec<String>, of: Of) -> Result<Name, SqlError> {
    if parts.len() > 3 {
        let why = format!("improper qualified name (too many dotted names): {}", parts.join("."));
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
    }
    if let [database, _, _] = &parts[..]
        && !is_database(database)
    {
        return Err(of_another_database(&parts.join("."), of));
    }
    let name = parts.pop().ok_or_else(|| SqlError::internal("empty name"))?;
    Ok(Name { schema: parts.pop(), name })
}

pub(crate) fn of_another_database(name: &str, of: Of) -> SqlError {
    let quote = if of == Of::Relation { "\"" } else { "" };
    SqlError::unsupported(format!("cross-database references are not implemented: {quote}{name}{quote}"))
}

/// PostgreSQL's folding of identifiers, and its limit of 63 bytes.
pub(crate) fn fold(value: &str, quoted: bool) -> String {
    let mut name = if quoted { value.to_owned() } else { value.to_ascii_lowercase() };
    if name.len() > 63 {
        let mut end = 63;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
    }
    name
}

pub(crate) fn is_word(token: Option<&Token>, keyword: &str) -> bool {
    matches!(token, Some(Token::Word(w)) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(keyword))
}

/// The message when the input breaks off.
pub(crate) const END_OF_INPUT: &str = "syntax error at end of input";

/// `syntax error at or near "x"`.
pub(crate) fn syntax_error_at(source: &str, token: Option<&TokenWithSpan>) -> SqlError {
    match token {
        Some(t) if t.token != Token::EOF => {
            let e = SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{}\"", t.token));
            match position_of(source, t.span.start) {
                Some(p) => e.with_position(p),
                None => e,
            }
        }
        _ => SqlError::new(SqlState::SYNTAX_ERROR, END_OF_INPUT).with_position(source.chars().count() + 1),
    }
}
