//! Text to tokens, piece by piece.
//!
//! sqlparser's tokenizer takes a whole text at once, and what it gives takes a hundred times the text's memory at worst. So it is given pieces: a text is cut between
//! tokens, and between two pieces the statement may be stopped, or have taken too much. Long strings, dollar quotes and comments are taken here, at the speed of a
//! search; so are numbers that sqlparser would cut elsewhere (`number`), and strings and names with escapes (`escapes`).
//!
//! Invariants:
//! 1. A text without long strings, without signs and comments directly behind operators, and without numbers that sqlparser does not know, that is shorter than a piece is tokenized by sqlparser alone: what is cut here is cut as it would be there.
//! 2. Spans name places in the whole text.
//!
//! Must not know: what the tokens mean.

use super::cursor::{position_of, syntax_error_at};
use super::escapes;
use super::keywords;
use super::number::{self, Cut};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use sqlparser::ast::DollarQuotedString;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer, Whitespace, Word};

/// Bytes of text to a token, spaces counted, where they are close.
const TOKEN_BYTES: usize = 3;

/// A piece is cut once it has this many bytes.
const PIECE_BYTES: usize = 32 << 10;
/// Strings and comments from this length on are taken here.
const LONG_BYTES: usize = 4 << 10;
/// How much of a text that does not end is shown.
const SHOWN_CHARS: usize = 2000;

/// The tokens of a text, without blanks; string literals that only a line break separates are one.
pub(crate) fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut lexer = Lexer::new(sql);
    while lexer.at < sql.len() {
        guard::check_text()?;
        lexer.piece()?;
    }
    let mut tokens = lexer.tokens.into_inner();
    keywords::settle(&mut tokens);
    Ok(tokens)
}

struct Lexer<'a> {
    sql: &'a str,
    /// Up to here there are tokens.
    at: usize,
    here: Location,
    tokens: Large<Vec<TokenWithSpan>>,
    line_break: bool,
    /// A block comment came since the last token: a string does not go on behind it.
    comment: bool,
}

/// What begins at a place.
enum Long {
    /// `'…'`, ending there.
    Quoted(usize),
    /// `E'…'`
    Escaped(usize),
    /// `U&'…'`
    Unicode(usize),
    /// `U&"…"`
    UnicodeName(usize),
    /// `B'…'` and `X'…'`
    Bits(usize),
    /// `$tag$…$tag$`: the tag's length, the end.
    Dollar(usize, usize),
    /// A comment, and whether it ends a line.
    Comment(usize, bool),
    /// A number, ending there, as sqlparser understands it.
    Number(usize, String),
    /// What is no number: why, and where it ends.
    Wrong(&'static str, usize),
}

/// Where a number ends, if nothing has to be done about it.
fn plain_end(cut: Cut) -> Result<usize, Long> {
    match cut {
        Cut::Plain(end) => Ok(end),
        Cut::Respelled(end, text) => Err(Long::Number(end, text)),
        Cut::Wrong(why, end) => Err(Long::Wrong(why, end)),
    }
}

pub(super) fn is_word_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 128
}

/// The end of what a quote at `from` begins, behind the closing quote; `None`: it is not closed.
pub(super) fn end_of_quoted(bytes: &[u8], from: usize, quote: u8, escapes: bool) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if escapes => at += 2,
            b if b == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// What is between quotes, in which quotes are doubled.
fn unquoted(inside: &str) -> String {
    if inside.contains('\'') { inside.replace("''", "'") } else { inside.to_owned() }
}

/// The end of a comment, which may contain others.
pub(super) fn end_of_comment(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from + 2, 1usize);
    while depth > 0 {
        match (*bytes.get(at)?, bytes.get(at + 1)) {
            (b'*', Some(b'/')) => (at, depth) = (at + 2, depth - 1),
            (b'/', Some(b'*')) => (at, depth) = (at + 2, depth + 1),
            _ => at += 1,
        }
    }
    Some(at)
}

/// Where a string that ended goes on, behind a line break.
pub(super) fn continued(sql: &str, end: usize) -> Option<usize> {
    let blanks = sql[end..].bytes().take_while(u8::is_ascii_whitespace).count();
    let goes_on = sql.as_bytes().get(end + blanks) == Some(&b'\'');
    (goes_on && sql[end..end + blanks].contains(['\n', '\r'])).then_some(end + blanks)
}

/// The tag of a dollar quote that begins here, both dollars included.
pub(super) fn dollar_tag(sql: &str, from: usize) -> Option<&str> {
    let rest = &sql[from + 1..];
    let len = rest.bytes().take_while(|b| is_word_part(*b) && *b != b'$').count();
    let is_tag = rest.as_bytes().get(len) == Some(&b'$') && !rest.as_bytes()[0].is_ascii_digit();
    is_tag.then(|| &sql[from..from + len + 2])
}

fn is_operator_part(b: u8) -> bool {
    b"+-*/<>=~!@#%^&|`?".contains(&b)
}

/// How long the operator is that these bytes begin, and how long all of what looks like one: a sign at its end is the operand's, unless there is something
/// before it that no operator of SQL has; a comment ends it.
fn operator(bytes: &[u8]) -> (usize, usize) {
    let mut all = bytes.iter().take_while(|b| is_operator_part(**b)).count();
    let begins_comment = |n: &usize| matches!(bytes[*n..all], [b'-', b'-', ..] | [b'/', b'*', ..]);
    all = (1..all).find(begins_comment).unwrap_or(all);
    let mut len = all;
    if !bytes[..all].iter().any(|b| b"~!@#^&|`?%".contains(b)) {
        while len > 1 && matches!(bytes[len - 1], b'+' | b'-') {
            len -= 1;
        }
    }
    (len, all)
}

impl<'a> Lexer<'a> {
    fn new(sql: &'a str) -> Lexer<'a> {
        let here = Location { line: 1, column: 1 };
        Lexer { sql, at: 0, here, tokens: Large::default(), line_break: false, comment: false }
    }

    /// Where the next piece ends, and what begins there if that is long.
    fn cut(&self) -> (usize, Option<Long>) {
        let bytes = self.sql.as_bytes();
        let mut at = self.at;
        let long = |from: usize, end: usize| end - from >= LONG_BYTES;
        // To sqlparser a comment goes on with the operator before it.
        let is_taken =
            |from: usize, end: usize| long(from, end) || from > self.at && is_operator_part(bytes[from - 1]);
        let follows_unicode = |at: usize| {
            at >= self.at + 2
                && matches!(bytes[at - 2..at], [b'u' | b'U', b'&'])
                && (at < self.at + 3 || !is_word_part(bytes[at - 3]))
        };
        let begins_number = |at: usize, in_word: bool| match bytes[at] {
            b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            _ => !in_word,
        };
        while let Some(&b) = bytes.get(at) {
            let in_word = at > self.at && is_word_part(bytes[at - 1]);
            let end = match b {
                b'\'' => {
                    let before = at.checked_sub(1).map(|i| bytes[i]);
                    let prefixed = at > self.at && (in_word || before == Some(b'&'));
                    let alone = at < self.at + 2 || !is_word_part(bytes[at - 2]);
                    let escapes = prefixed && matches!(before, Some(b'e' | b'E')) && alone;
                    let are_bits = prefixed && matches!(before, Some(b'b' | b'B' | b'x' | b'X')) && alone;
                    match end_of_quoted(bytes, at, b'\'', escapes) {
                        Some(end) if escapes => return (at - 1, Some(Long::Escaped(end))),
                        Some(end) if follows_unicode(at) => return (at - 2, Some(Long::Unicode(end))),
                        Some(end) if are_bits && long(at, end) => return (at - 1, Some(Long::Bits(end))),
                        Some(end) if !prefixed && long(at, end) => return (at, Some(Long::Quoted(end))),
                        Some(end) => end,
                        None => return (bytes.len(), None),
                    }
                }
                b'"' => match end_of_quoted(bytes, at, b'"', false) {
                    Some(end) if follows_unicode(at) => return (at - 2, Some(Long::UnicodeName(end))),
                    end => end.unwrap_or(bytes.len()),
                },
                b'0'..=b'9' | b'.' if begins_number(at, in_word) => {
                    match plain_end(number::number(self.sql, at)) {
                        Ok(end) => end,
                        Err(long) => return (at, Some(long)),
                    }
                }
                b'$' if !in_word => match dollar_tag(self.sql, at) {
                    None => match number::parameter(self.sql, at).map(plain_end) {
                        None => at + 1,
                        Some(Ok(end)) => end,
                        Some(Err(long)) => return (at, Some(long)),
                    },
                    Some(tag) => match self.sql[at + tag.len()..].find(tag) {
                        Some(n) => {
                            let end = at + 2 * tag.len() + n;
                            if long(at, end) {
                                return (at, Some(Long::Dollar(tag.len(), end)));
                            }
                            end
                        }
                        None => return (bytes.len(), None),
                    },
                },
                b'-' if bytes.get(at + 1) == Some(&b'-') => {
                    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                    if is_taken(at, end) {
                        return (at, Some(Long::Comment(end, true)));
                    }
                    end
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => match end_of_comment(bytes, at) {
                    Some(end) if is_taken(at, end) => return (at, Some(Long::Comment(end, false))),
                    Some(end) => end,
                    None => return (bytes.len(), None),
                },
                b if is_operator_part(b) => match operator(&bytes[at..]) {
                    (len, all) if len < all => return (at + len, None),
                    (_, all) => at + all,
                },
                b' ' | b'\n' | b'\t' | b',' | b';' if at - self.at >= PIECE_BYTES => return (at, None),
                _ => at + 1,
            };
            at = end;
        }
        (bytes.len(), None)
    }

    fn piece(&mut self) -> Result<(), SqlError> {
        let (end, long) = self.cut();
        if end > self.at {
            let offset = self.here;
            let raw = self.with_tokenizer(&self.sql[self.at..end])?;
            make_room(&mut self.tokens, raw.len())?;
            for mut t in raw {
                t.span.start = shift(t.span.start, offset);
                t.span.end = shift(t.span.end, offset);
                self.push(t)?;
            }
            self.advance(end);
        }
        let Some(long) = long else { return Ok(()) };
        let (start, from) = (self.here, self.at);
        let token = match long {
            Long::Quoted(end) => {
                self.advance(end);
                Token::SingleQuotedString(unquoted(&self.sql[from + 1..end - 1]))
            }
            Long::Bits(end) => {
                self.advance(end);
                let digits = unquoted(&self.sql[from + 2..end - 1]);
                match self.sql.as_bytes()[from] {
                    b'b' | b'B' => Token::SingleQuotedByteStringLiteral(digits),
                    _ => Token::HexStringLiteral(digits),
                }
            }
            Long::Escaped(end) => self.escaped(end)?,
            Long::Unicode(end) => self.unicode(end, '\'')?,
            Long::UnicodeName(end) => self.unicode(end, '"')?,
            Long::Dollar(tag, end) => {
                self.advance(end);
                let name = &self.sql[from + 1..from + tag - 1];
                let value = self.sql[from + tag..end - tag].to_owned();
                Token::DollarQuotedString(DollarQuotedString {
                    value,
                    tag: (!name.is_empty()).then(|| name.to_owned()),
                })
            }
            Long::Number(end, text) => {
                self.advance(end);
                Token::Number(text, false)
            }
            Long::Wrong(why, end) => {
                let shown: String = self.sql[from..end].chars().take(SHOWN_CHARS).collect();
                let message = format!("{why} at or near \"{shown}\"");
                let error = SqlError::new(SqlState::SYNTAX_ERROR, message);
                return Err(match position_of(self.sql, start) {
                    Some(p) => error.with_position(p),
                    None => error,
                });
            }
            Long::Comment(end, line) => {
                self.line_break |= line;
                self.comment |= !line;
                self.advance(end);
                return Ok(());
            }
        };
        self.push(TokenWithSpan { token, span: Span { start, end: self.here } })
    }

    /// An E string whose first part ends at a place: a line break continues it.
    fn escaped(&mut self, mut end: usize) -> Result<Token, SqlError> {
        let mut bytes = Vec::new();
        escapes::escaped(self.sql, self.at + 2, end - 1, &mut bytes)?;
        while let Some(next) = continued(self.sql, end) {
            end = self.end_of_part(next, b'\'', true)?;
            escapes::escaped(self.sql, next + 1, end - 1, &mut bytes)?;
        }
        let value = escapes::text_of(bytes)?;
        self.advance(end);
        Ok(Token::EscapedStringLiteral(value))
    }

    /// `U&'…'` or `U&"…"`, and what UESCAPE says.
    fn unicode(&mut self, mut end: usize, quote: char) -> Result<Token, SqlError> {
        let (from, twice) = (self.at, format!("{quote}{quote}"));
        let mut text = self.sql[from + 3..end - 1].replace(&twice, &quote.to_string());
        while quote == '\''
            && let Some(next) = continued(self.sql, end)
        {
            end = self.end_of_part(next, b'\'', false)?;
            text.push_str(&self.sql[next + 1..end - 1].replace("''", "'"));
        }
        let is_name = quote == '"';
        if is_name && text.is_empty() {
            let why = format!("zero-length delimited identifier at or near \"{}\"", &self.sql[from..end]);
            return Err(escapes::error_at(self.sql, from, SqlError::new(SqlState::SYNTAX_ERROR, why)));
        }
        let blank = |at: usize| at + self.sql[at..].bytes().take_while(u8::is_ascii_whitespace).count();
        let word = blank(end);
        const UESCAPE: &str = "uescape";
        let said = self.sql.get(word..word + UESCAPE.len()).is_some_and(|w| w.eq_ignore_ascii_case(UESCAPE))
            && !self.sql.as_bytes().get(word + UESCAPE.len()).copied().is_some_and(is_word_part);
        let mut escape = '\\';
        if said {
            let at = blank(word + UESCAPE.len());
            let close = match self.sql.as_bytes().get(at) {
                Some(b'\'') => end_of_quoted(self.sql.as_bytes(), at, b'\'', false),
                _ => None,
            };
            let wrong = |why: &str, shown: &str| {
                let why = format!("{why} at or near \"{shown}\"");
                escapes::error_at(self.sql, at, SqlError::new(SqlState::SYNTAX_ERROR, why))
            };
            let Some(close) = close else {
                let why = "UESCAPE must be followed by a simple string literal";
                return Err(match self.sql[at..].chars().next() {
                    Some(c) => wrong(why, &c.to_string()),
                    None => SqlError::new(SqlState::SYNTAX_ERROR, format!("{why} at end of input")),
                });
            };
            escape = escapes::is_escape(&self.sql[at + 1..close - 1])
                .ok_or_else(|| wrong("invalid Unicode escape character", &self.sql[at..close]))?;
            end = close;
        }
        let value = escapes::unicode(&text, escape).map_err(|e| escapes::error_at(self.sql, from, e))?;
        self.advance(end);
        Ok(match is_name {
            true => Token::Word(Word { value, quote_style: Some('"'), keyword: Keyword::NoKeyword }),
            false => Token::UnicodeStringLiteral(value),
        })
    }

    fn end_of_part(&self, from: usize, quote: u8, escapes: bool) -> Result<usize, SqlError> {
        end_of_quoted(self.sql.as_bytes(), from, quote, escapes).ok_or_else(|| {
            let shown: String = self.sql[self.at..].chars().take(SHOWN_CHARS).collect();
            let why = format!("unterminated quoted string at or near \"{shown}\"");
            escapes::error_at(self.sql, self.at, SqlError::new(SqlState::SYNTAX_ERROR, why))
        })
    }

    fn with_tokenizer(&self, piece: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
        // Once is enough: growing is most of what a short statement's tokens cost.
        let mut tokens = Vec::with_capacity(piece.len() / TOKEN_BYTES + 4);
        let mut tokenizer = Tokenizer::new(&PostgreSqlDialect {}, piece);
        tokenizer.tokenize_with_location_into_buf(&mut tokens).map(|()| tokens).map_err(|e| {
            let at = shift(e.location, self.here);
            let message = if e.message.starts_with("Unterminated string")
                || e.message.starts_with("Unterminated encoded string")
            {
                let start = position_of(self.sql, at).unwrap_or(1);
                let shown: String =
                    self.sql.chars().skip(start.saturating_sub(1)).take(SHOWN_CHARS).collect();
                format!("unterminated quoted string at or near \"{shown}\"")
            } else if e.message.starts_with("Expected close delimiter '\"'") {
                let start = position_of(self.sql, at).unwrap_or(1);
                let shown: String =
                    self.sql.chars().skip(start.saturating_sub(1)).take(SHOWN_CHARS).collect();
                format!("unterminated quoted identifier at or near \"{shown}\"")
            } else if e.message.contains("multi-line comment") {
                "unterminated /* comment".to_owned()
            } else {
                format!("syntax error: {}", e.message)
            };
            let error = SqlError::new(SqlState::SYNTAX_ERROR, message);
            match position_of(self.sql, at) {
                Some(p) => error.with_position(p),
                None => error,
            }
        })
    }

    fn push(&mut self, mut t: TokenWithSpan) -> Result<(), SqlError> {
        let line_break = std::mem::take(&mut self.line_break);
        let comment = std::mem::take(&mut self.comment);
        match &mut t.token {
            Token::Word(w) if keywords::is_foreign(w.keyword) => w.keyword = Keyword::NoKeyword,
            Token::Word(w) if w.value.is_empty() => {
                let why = "zero-length delimited identifier at or near \"\"\"\"";
                let e = SqlError::new(SqlState::SYNTAX_ERROR, why);
                return Err(match position_of(self.sql, t.span.start) {
                    Some(p) => e.with_position(p),
                    None => e,
                });
            }
            _ => {}
        }
        match &t.token {
            Token::Whitespace(w) => {
                self.line_break =
                    line_break | matches!(w, Whitespace::Newline | Whitespace::SingleLineComment { .. });
                self.comment = comment | matches!(w, Whitespace::MultiLineComment(_));
            }
            Token::SingleQuotedString(s) => {
                // Bits and national strings go on as well, with what is no string of theirs itself.
                if let Some(TokenWithSpan {
                    token:
                        Token::SingleQuotedString(before)
                        | Token::SingleQuotedByteStringLiteral(before)
                        | Token::HexStringLiteral(before)
                        | Token::NationalStringLiteral(before),
                    span,
                }) = self.tokens.last_mut()
                {
                    if !line_break || comment {
                        return Err(syntax_error_at(self.sql, Some(&t)));
                    }
                    before.push_str(s);
                    span.end = t.span.end;
                } else {
                    make_room(&mut self.tokens, 1)?;
                    self.tokens.push(t);
                }
            }
            // Between the name and the value of an argument both are the same.
            Token::Assignment => {
                make_room(&mut self.tokens, 1)?;
                self.tokens.push(TokenWithSpan { token: Token::RArrow, span: t.span });
            }
            Token::EOF => (self.line_break, self.comment) = (line_break, comment),
            _ => {
                make_room(&mut self.tokens, 1)?;
                self.tokens.push(t);
            }
        }
        Ok(())
    }

    /// Goes on to a place of the text.
    fn advance(&mut self, to: usize) {
        for b in self.sql.as_bytes()[self.at..to].iter() {
            if *b == b'\n' {
                self.here = Location { line: self.here.line + 1, column: 1 };
            } else if *b & 0xC0 != 0x80 {
                self.here.column += 1;
            }
        }
        self.at = to;
    }
}

/// A location in a piece, in the text where the piece begins at `offset`.
fn shift(mut l: Location, offset: Location) -> Location {
    if l.line == 1 {
        l.column += offset.column - 1;
    }
    if l.line > 0 {
        l.line += offset.line - 1;
    }
    l
}

/// Finds the bytes of locations that come in order.
pub(super) struct Places<'a> {
    rest: std::str::CharIndices<'a>,
    at: usize,
    here: Location,
}

impl<'a> Places<'a> {
    pub(super) fn new(sql: &'a str) -> Places<'a> {
        Places { rest: sql.char_indices(), at: 0, here: Location { line: 1, column: 1 } }
    }

    /// The byte at a location that is not before the one asked for last.
    pub(super) fn find(&mut self, l: Location) -> usize {
        while (self.here.line, self.here.column) < (l.line, l.column) {
            let Some((_, c)) = self.rest.next() else { break };
            self.here = match c {
                '\n' => Location { line: self.here.line + 1, column: 1 },
                _ => Location { line: self.here.line, column: self.here.column + 1 },
            };
            self.at = self.rest.offset();
        }
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sqlparser's own answer, filtered alike.
    fn plainly(sql: &str) -> Vec<TokenWithSpan> {
        let raw = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().unwrap();
        let mut lexer = Lexer::new(sql);
        raw.into_iter().for_each(|t| lexer.push(t).unwrap());
        lexer.tokens.into_inner()
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let long = "ä'' b\n".repeat(2000);
        let texts = [
            format!("select '{long}', e'{}\\'', $$ {} $$,\n $x$ {} $x$ -- {}\n, 'a'\n'{long}'", "\\n\\x41q".repeat(9000), long, long, "c".repeat(5000)),
            format!("select /* {long} /* ' */ */ \"a''{long}\", U&'\\0041', 'x' from t where a$b$c = $1 and 'it''s'"),
            "insert into t values (1, 'it''s', e'\\'', $$'$$, \"q\"\"r\", x'ff', 1.5e3, a->>'b');\n -- it's\n".repeat(2000),
            format!("select b'{0}', X'{0}', B'1', x'f', ab, '{0}'", "01".repeat(3000)),
            "select a+--comment\nb, '--', $a$ $b$ $a$, \"d\" /* nested /* ' */ */ ; ".repeat(1500),
        ];
        for sql in texts {
            assert!(tokenize(&sql).unwrap() == plainly(&sql), "{}", &sql[..60]);
        }
    }

    #[test]
    fn places_are_found_in_order() {
        let sql = "aä\nb;\n c";
        let mut places = Places::new(sql);
        let at = |line, column| Location { line, column };
        assert_eq!(
            [at(1, 1), at(1, 3), at(2, 2), at(3, 2), at(3, 3)].map(|l| places.find(l)),
            [0, 3, 5, 8, 9]
        );
    }
}
