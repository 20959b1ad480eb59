//! Tokens of JSON text, and what is wrong with a text, in PostgreSQL's words.
//!
//! Must not know: what the tokens make.

use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use std::borrow::Cow;

/// A kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // They are what they are called.
pub enum Token {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Comma,
    Colon,
    String,
    Number,
    True,
    False,
    Null,
    End,
}

/// A place where another token was wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    End,
    Value,
    String,
    ArrayNext,
    ObjectFirst,
    ObjectNext,
    Colon,
}

/// Reads tokens one after the other.
pub struct Lexer<'a> {
    input: &'a str,
    /// Whether strings must be such that their escapes have a meaning: what `jsonb` keeps.
    checks_escapes: bool,
    /// The present token.
    pub(super) token: Token,
    /// Where it begins.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// It is a string with a backslash in it.
    pub(super) is_escaped: bool,
    line: usize,
    line_start: usize,
    pace: Pace,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

fn hex4(b: &[u8]) -> Option<u32> {
    let digits = b.get(..4)?;
    digits.iter().try_fold(0, |n, d| Some(n << 4 | char::from(*d).to_digit(16)?))
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a str, checks_escapes: bool) -> Lexer<'a> {
        Lexer {
            input,
            checks_escapes,
            token: Token::End,
            start: 0,
            end: 0,
            is_escaped: false,
            line: 1,
            line_start: 0,
            pace: Pace::default(),
        }
    }

    /// Takes the next token.
    pub(super) fn advance(&mut self) -> Result<(), SqlError> {
        let b = self.input.as_bytes();
        let mut at = self.end;
        while let Some(c @ (b' ' | b'\t' | b'\n' | b'\r')) = b.get(at) {
            at += 1;
            if *c == b'\n' {
                self.line += 1;
                self.line_start = at;
            }
        }
        self.pace.bytes(at - self.end + 16)?;
        self.start = at;
        let Some(&c) = b.get(at) else {
            self.token = Token::End;
            self.end = at;
            return Ok(());
        };
        // Until it is known to be another.
        self.token = Token::Null;
        let single = match c {
            b'{' => Token::ObjectStart,
            b'}' => Token::ObjectEnd,
            b'[' => Token::ArrayStart,
            b']' => Token::ArrayEnd,
            b',' => Token::Comma,
            b':' => Token::Colon,
            b'"' => return self.string(),
            b'-' | b'0'..=b'9' => return self.number(),
            _ => return self.word(),
        };
        self.token = single;
        self.end = at + 1;
        Ok(())
    }

    fn word(&mut self) -> Result<(), SqlError> {
        let b = self.input.as_bytes();
        let len = b[self.start..].iter().take_while(|c| is_word(**c)).count();
        self.end = self.start + len.max(1);
        self.token = match &b[self.start..self.start + len] {
            b"true" => Token::True,
            b"false" => Token::False,
            b"null" => Token::Null,
            _ => return Err(self.invalid_token()),
        };
        Ok(())
    }

    fn number(&mut self) -> Result<(), SqlError> {
        let b = self.input.as_bytes();
        let digits = |at: usize| at + b[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let mut at = self.start + usize::from(b[self.start] == b'-');
        let mut wrong = false;
        match b.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = digits(at),
            _ => wrong = true,
        }
        if b.get(at) == Some(&b'.') {
            let end = digits(at + 1);
            wrong |= end == at + 1;
            at = end;
        }
        if let Some(b'e' | b'E') = b.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = b.get(at) {
                at += 1;
            }
            let end = digits(at);
            wrong |= end == at;
            at = end;
        }
        while b.get(at).is_some_and(|c| is_word(*c)) {
            at += 1;
            wrong = true;
        }
        self.pace.bytes(at - self.start)?;
        self.end = at;
        if wrong {
            return Err(self.invalid_token());
        }
        self.token = Token::Number;
        Ok(())
    }

    fn string(&mut self) -> Result<(), SqlError> {
        let b = self.input.as_bytes();
        let mut at = self.start + 1;
        let mut high = false;
        self.is_escaped = false;
        loop {
            let Some(&c) = b.get(at) else {
                self.end = b.len();
                return Err(self.invalid_token());
            };
            match c {
                b'"' if high => {
                    self.end = at + 1;
                    return Err(self.wrong("Unicode low surrogate must follow a high surrogate."));
                }
                b'"' => break,
                b'\\' => {
                    self.is_escaped = true;
                    at = self.escape(at + 1, &mut high)?;
                }
                0..=0x1f if !high => {
                    self.end = at;
                    return Err(self.wrong(format!("Character with value 0x{c:02x} must be escaped.")));
                }
                _ if high => {
                    self.end = self.char_end(at);
                    return Err(self.wrong("Unicode low surrogate must follow a high surrogate."));
                }
                _ => {
                    let plain = b[at..].iter().position(|c| matches!(c, b'"' | b'\\' | 0..=0x1f));
                    let len = plain.unwrap_or(b.len() - at);
                    self.pace.bytes(len)?;
                    at += len;
                }
            }
        }
        self.end = at + 1;
        self.token = Token::String;
        Ok(())
    }

    /// What follows a backslash; `high`: the character before was the first half of a surrogate pair.
    fn escape(&mut self, at: usize, high: &mut bool) -> Result<usize, SqlError> {
        let b = self.input.as_bytes();
        let Some(&c) = b.get(at) else {
            self.end = b.len();
            return Err(self.invalid_token());
        };
        if c == b'u' {
            for i in 1..=4 {
                match b.get(at + i) {
                    None => {
                        self.end = b.len();
                        return Err(self.invalid_token());
                    }
                    Some(d) if !d.is_ascii_hexdigit() => {
                        self.end = self.char_end(at + i);
                        return Err(self.wrong("\"\\u\" must be followed by four hexadecimal digits."));
                    }
                    Some(_) => {}
                }
            }
            if self.checks_escapes {
                let unit = hex4(&b[at + 1..]).unwrap_or(0);
                self.end = at + 5;
                match (unit, *high) {
                    (0xD800..=0xDBFF, true) => {
                        return Err(self.wrong("Unicode high surrogate must not follow a high surrogate."));
                    }
                    (0xD800..=0xDBFF, false) => *high = true,
                    (0xDC00..=0xDFFF, true) => *high = false,
                    (0xDC00..=0xDFFF, false) | (_, true) => {
                        return Err(self.wrong("Unicode low surrogate must follow a high surrogate."));
                    }
                    (0, _) => {
                        let e = SqlError::new(
                            SqlState::UNTRANSLATABLE_CHARACTER,
                            "unsupported Unicode escape sequence",
                        );
                        return Err(self.explained(e.with_detail("\\u0000 cannot be converted to text.")));
                    }
                    _ => {}
                }
            }
            return Ok(at + 5);
        }
        if *high {
            self.end = self.char_end(at);
            return Err(self.wrong("Unicode low surrogate must follow a high surrogate."));
        }
        if !b"\"\\/bfnrt".contains(&c) {
            self.start = at;
            self.end = self.char_end(at);
            let shown = self.text().to_owned();
            return Err(self.wrong(format!("Escape sequence \"\\{shown}\" is invalid.")));
        }
        Ok(at + 1)
    }

    fn char_end(&self, at: usize) -> usize {
        at + self.input[at..].chars().next().map_or(0, char::len_utf8)
    }

    /// The token's text.
    pub(super) fn text(&self) -> &'a str {
        &self.input[self.start..self.end]
    }

    #[cold]
    fn invalid_token(&self) -> SqlError {
        self.wrong(format!("Token \"{}\" is invalid.", self.text()))
    }

    /// Another token was wanted.
    #[cold]
    pub(super) fn unexpected(&self, wanted: Wanted) -> SqlError {
        if self.token == Token::End {
            return self.wrong("The input string ended unexpectedly.");
        }
        let expected = match wanted {
            Wanted::End => "end of input",
            Wanted::Value => "JSON value",
            Wanted::String => "string",
            Wanted::ArrayNext => "\",\" or \"]\"",
            Wanted::ObjectFirst => "string or \"}\"",
            Wanted::ObjectNext => "\",\" or \"}\"",
            Wanted::Colon => "\":\"",
        };
        self.wrong(format!("Expected {expected}, but found \"{}\".", self.text()))
    }

    #[cold]
    fn wrong(&self, detail: impl Into<String>) -> SqlError {
        let e = SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json");
        self.explained(e.with_detail(detail))
    }

    /// With the line, as far as the token, as the error's context.
    fn explained(&self, e: SqlError) -> SqlError {
        /// Bytes of the line that are shown.
        const SHOWN_BYTES: usize = 50;
        const ALMOST_ALL_BYTES: usize = 3;
        let mut from = self.line_start;
        while self.end - from >= SHOWN_BYTES {
            from = self.char_end(from);
        }
        if from - self.line_start <= ALMOST_ALL_BYTES {
            from = self.line_start;
        }
        let before = if from > self.line_start { "..." } else { "" };
        let next = self.input.as_bytes().get(self.end);
        let goes_on = self.token != Token::End && next.is_some_and(|c| !matches!(c, b'\n' | b'\r'));
        let after = if goes_on { "..." } else { "" };
        let line = &self.input[from..self.end];
        e.with_context(format!("JSON data, line {}: {before}{line}{after}", self.line))
    }
}

/// What a string token says, without its quotes; its escapes were checked.
pub fn unescape(quoted: &str, is_escaped: bool) -> Result<Cow<'_, str>, SqlError> {
    let body = &quoted[1..quoted.len() - 1];
    if !is_escaped {
        return Ok(Cow::Borrowed(body));
    }
    crate::guard::admit(body.len())?;
    let mut out = String::with_capacity(body.len());
    let mut pace = Pace::default();
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        pace.bytes(at + 16)?;
        let b = &rest.as_bytes()[at + 1..];
        let (c, taken) = match b.first() {
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'u') => {
                let unit = hex4(&b[1..]).unwrap_or(0);
                if (0xD800..0xDC00).contains(&unit) {
                    let low = b.get(7..).and_then(hex4).unwrap_or(0xDC00);
                    let code = 0x10000 + ((unit - 0xD800) << 10 | low.wrapping_sub(0xDC00) & 0x3FF);
                    (char::from_u32(code).unwrap_or('\u{FFFD}'), 11)
                } else {
                    (char::from_u32(unit).unwrap_or('\u{FFFD}'), 5)
                }
            }
            Some(c) => (char::from(*c), 1),
            None => break,
        };
        out.push(c);
        rest = &rest[at + 1 + taken..];
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}
