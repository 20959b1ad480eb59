//! Tokens of a path.
//!
//! As in PostgreSQL the longest token counts, so that `1ab` is a name. An error names the text of the token that stands where it is found; behind a name that
//! is the blank which ended it, or nothing.
//!
//! Must not know: the grammar.

use crate::error::{SqlError, SqlState};
use crate::guard::Pace;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    End,
    /// Anything of one character.
    Char(char),
    And,
    Or,
    /// `**`
    Any,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    /// A name or a word of the language.
    Word(String),
    Str(String),
    Variable(String),
    /// Digits with a point or an exponent.
    Number(String),
    /// An integer, in any base.
    Int(String),
}

impl Token {
    /// Whether it is a word of the language. `null`, `true` and `false` are written small.
    pub fn is(&self, word: &str) -> bool {
        match self {
            Token::Word(w) if matches!(word, "null" | "true" | "false") => w == word,
            Token::Word(w) => w.eq_ignore_ascii_case(word),
            _ => false,
        }
    }
}

/// Reads tokens.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// What errors at the last token show.
    near: &'a str,
    pace: Pace,
}

fn is_special(c: char) -> bool {
    matches!(
        c,
        '?' | '%' | '$' | '.' | '[' | ']' | '{' | '}' | '(' | ')' | '|' | '&' | '!' | '=' | '<' | '>' | '@'
    ) || matches!(c, '#' | ',' | '*' | ':' | '-' | '+' | '/')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn is_other(c: char) -> bool {
    !is_special(c) && !is_blank(c) && c != '\\' && c != '"'
}

/// Digits with single underscores between them; how many bytes.
fn digits(s: &str, is_digit: fn(char) -> bool) -> Result<usize, SqlError> {
    let (mut end, mut pace) = (0, Pace::default());
    let mut chars = s.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        pace.step()?;
        match c {
            '_' if i > 0 && chars.peek().is_some_and(|(_, next)| is_digit(*next)) => {}
            c if is_digit(c) => end = i + 1,
            _ => break,
        }
    }
    Ok(end)
}

/// How many bytes of a text lie before the first character of a kind.
fn before(s: &str, is_end: fn(char) -> bool) -> Result<usize, SqlError> {
    let mut pace = Pace::default();
    for (i, c) in s.char_indices() {
        pace.step()?;
        if is_end(c) {
            return Ok(i);
        }
    }
    Ok(s.len())
}

fn is_decimal(c: char) -> bool {
    c.is_ascii_digit()
}

/// An integer in another base than ten; 0: it is none.
fn based(s: &str) -> Result<usize, SqlError> {
    let is_digit: fn(char) -> bool = match s.as_bytes().get(..2) {
        Some(b"0x" | b"0X") => |c| c.is_ascii_hexdigit(),
        Some(b"0o" | b"0O") => |c| matches!(c, '0'..='7'),
        Some(b"0b" | b"0B") => |c| matches!(c, '0' | '1'),
        _ => return Ok(0),
    };
    Ok(match digits(&s[2..], is_digit)? {
        0 => 0,
        n => n + 2,
    })
}

/// What a number is, and how long: `Err` says that it is none.
enum Numeral {
    Int(usize),
    Number(usize),
    Wrong(&'static str, usize),
}

/// The number that a text begins with.
fn numeral(s: &str) -> Result<Option<Numeral>, SqlError> {
    let integer = match s.as_bytes().first() {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits(s, is_decimal)?,
        _ => 0,
    };
    let point = if s[integer..].starts_with('.') {
        let fraction = digits(&s[integer + 1..], is_decimal)?;
        if integer == 0 && fraction == 0 { 0 } else { integer + 1 + fraction }
    } else {
        0
    };
    let mantissa = integer.max(point);
    if mantissa == 0 {
        return Ok(None);
    }
    let (mut real, mut broken) = (0, 0);
    if s[mantissa..].starts_with(['e', 'E']) {
        let sign = usize::from(s[mantissa + 1..].starts_with(['+', '-']));
        match digits(&s[mantissa + 1 + sign..], is_decimal)? {
            0 if sign == 1 => broken = mantissa + 2,
            0 => {}
            n => real = mantissa + 1 + sign + n,
        }
    }
    let longest = real.max(mantissa);
    let junk = s[longest..].chars().next().filter(|c| is_other(*c)).map_or(0, |c| longest + c.len_utf8());
    let base = based(s)?;
    if base > junk && base > broken && base > longest {
        return Ok(Some(Numeral::Int(base)));
    }
    Ok(Some(if broken > junk.max(longest) {
        Numeral::Wrong("invalid numeric literal", broken)
    } else if junk > 0 {
        Numeral::Wrong("trailing junk after numeric literal", junk)
    } else if real > 0 || point > 0 {
        Numeral::Number(longest)
    } else {
        Numeral::Int(longest)
    }))
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, near: "", pace: Pace::default() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + bytes];
        self.at += bytes;
        taken
    }

    /// An error at the last token.
    pub fn error(&self, what: &str) -> SqlError {
        self.error_near(what, self.near)
    }

    fn error_near(&self, what: &str, near: &str) -> SqlError {
        let where_ = match near {
            "" => "at end of jsonpath input".to_owned(),
            near => format!("at or near \"{near}\" of jsonpath input"),
        };
        SqlError::new(SqlState::SYNTAX_ERROR, format!("{what} {where_}"))
    }

    fn skip(&mut self) -> Result<(), SqlError> {
        loop {
            let rest = self.rest();
            let blanks = before(rest, |c| !is_blank(c))?;
            self.at += blanks;
            self.pace.bytes(blanks)?;
            let trimmed = self.rest();
            let Some(comment) = trimmed.strip_prefix("/*") else { return Ok(()) };
            match comment.find("*/") {
                Some(n) => self.at += n + 4,
                None => return Err(self.error_near("unexpected end of comment", "")),
            }
        }
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Token, SqlError> {
        self.skip()?;
        let from = self.at;
        let rest = self.rest();
        self.near = "";
        let Some(c) = rest.chars().next() else { return Ok(Token::End) };
        let plain = [
            ("&&", Token::And),
            ("||", Token::Or),
            ("**", Token::Any),
            ("<=", Token::LessOrEqual),
            ("==", Token::Equal),
            ("<>", Token::NotEqual),
            ("!=", Token::NotEqual),
            (">=", Token::GreaterOrEqual),
        ];
        if let Some((text, token)) = plain.into_iter().find(|(text, _)| rest.starts_with(text)) {
            self.near = self.take(text.len());
            return Ok(token);
        }
        let name = before(rest, |c| !is_other(c))?;
        if let Some(found) = numeral(rest)? {
            let (len, is_wrong) = match found {
                Numeral::Int(n) | Numeral::Number(n) => (n, None),
                Numeral::Wrong(what, n) => (n, Some(what)),
            };
            // A longer name is a name.
            if len >= name {
                self.near = self.take(len);
                return match (found, is_wrong) {
                    (_, Some(what)) => Err(self.error(what)),
                    (Numeral::Int(_), _) => Ok(Token::Int(self.near.to_owned())),
                    _ => Ok(Token::Number(self.near.to_owned())),
                };
            }
        }
        match c {
            '$' => {
                self.at += 1;
                let name = before(self.rest(), |c| !is_other(c))?;
                if name > 0 {
                    let taken = self.take(name);
                    self.near = &self.text[from..self.at];
                    return Ok(Token::Variable(taken.to_owned()));
                }
                if self.peek() == Some('"') {
                    self.at += 1;
                    return self.quoted().map(Token::Variable);
                }
                self.near = &self.text[from..self.at];
                Ok(Token::Char('$'))
            }
            '"' => {
                self.at += 1;
                self.quoted().map(Token::Str)
            }
            c if is_special(c) => {
                self.near = self.take(1);
                Ok(Token::Char(c))
            }
            _ => self.word().map(Token::Word),
        }
    }

    /// A name, up to what ends it.
    fn word(&mut self) -> Result<String, SqlError> {
        let mut name = String::new();
        loop {
            let rest = self.rest();
            let plain = before(rest, |c| !is_other(c))?;
            self.pace.bytes(plain)?;
            name.push_str(self.take(plain));
            if self.peek() == Some('\\') {
                self.escape(&mut name)?;
            } else {
                break;
            }
        }
        let rest = self.rest();
        let blanks = before(rest, |c| !is_blank(c))?;
        self.near = &rest[..blanks];
        Ok(name)
    }

    /// A string behind its first quotation mark.
    fn quoted(&mut self) -> Result<String, SqlError> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = before(rest, |c| matches!(c, '"' | '\\'))?;
            self.pace.bytes(plain)?;
            text.push_str(self.take(plain));
            match self.peek() {
                Some('"') => {
                    self.near = self.take(1);
                    return Ok(text);
                }
                Some(_) => self.escape(&mut text)?,
                None => return Err(self.error_near("unterminated quoted string", "")),
            }
        }
    }

    /// What begins with a backslash.
    fn escape(&mut self, out: &mut String) -> Result<(), SqlError> {
        self.pace.step()?;
        let rest = self.rest();
        let mut chars = rest[1..].chars();
        let Some(c) = chars.next() else {
            return Err(self.error_near("unexpected end after backslash", "\\"));
        };
        let plain = match c {
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'x' => {
                let hex = rest[2..].bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                if hex < 2 {
                    return Err(self.error_near("invalid hexadecimal character sequence", &rest[..2 + hex]));
                }
                let code = u32::from_str_radix(&rest[2..4], 16).unwrap_or(0);
                self.at += 4;
                return push_code(code, out);
            }
            'u' => return self.unicode(out),
            c => c,
        };
        self.at += 1 + c.len_utf8();
        out.push(plain);
        Ok(())
    }

    /// One `\u` after another: halves of a character come in pairs.
    fn unicode(&mut self, out: &mut String) -> Result<(), SqlError> {
        let mut high = None;
        let from = self.at;
        while let Some(body) = self.rest().strip_prefix("\\u") {
            self.pace.step()?;
            let hex = |s: &str, most: usize| s.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
            let (digits, used, len) = match body.strip_prefix('{') {
                Some(inner) => {
                    let n = hex(inner, 6);
                    let closed = n > 0 && inner[n..].starts_with('}');
                    (if closed { &inner[..n] } else { "" }, n + 1, n + 2)
                }
                None => {
                    let n = hex(body, 4);
                    (if n == 4 { &body[..4] } else { "" }, n, n)
                }
            };
            if digits.is_empty() {
                let near = &self.text[from..self.at + 2 + used];
                return Err(self.error_near("invalid Unicode escape sequence", near));
            }
            self.at += 2 + len;
            let code = u32::from_str_radix(digits, 16).unwrap_or(0);
            match (code, high.take()) {
                (0xD800..0xDC00, None) => high = Some((code & 0x3FF) << 10),
                (0xD800..0xDC00, Some(_)) => {
                    return Err(surrogate("Unicode high surrogate must not follow a high surrogate."));
                }
                (0xDC00..0xE000, Some(high)) => push_code(0x10000 + high + (code & 0x3FF), out)?,
                (0xDC00..0xE000, None) | (_, Some(_)) => {
                    return Err(surrogate("Unicode low surrogate must follow a high surrogate."));
                }
                (code, None) => push_code(code, out)?,
            }
        }
        match high {
            Some(_) => Err(surrogate("Unicode low surrogate must follow a high surrogate.")),
            None => Ok(()),
        }
    }
}

fn surrogate(detail: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type jsonpath")
        .with_detail(detail)
}

fn push_code(code: u32, out: &mut String) -> Result<(), SqlError> {
    match char::from_u32(code) {
        Some('\0') => {
            Err(SqlError::new(SqlState::UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                .with_detail("\\u0000 cannot be converted to text."))
        }
        Some(c) => {
            out.push(c);
            Ok(())
        }
        None => Err(SqlError::new(SqlState::SYNTAX_ERROR, "invalid Unicode code point")),
    }
}
