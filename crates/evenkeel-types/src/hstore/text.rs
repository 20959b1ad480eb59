//! The text form of `hstore`: `"a"=>"1", "b"=>NULL`.
//!
//! Must not know: how values are kept.

use super::{Hstore, Pair, made};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::make_room;
use std::borrow::Cow;

fn write_part(part: &[u8], out: &mut Vec<u8>, pace: &mut Pace) -> Result<(), SqlError> {
    pace.bytes(part.len() + 16)?;
    make_room(out, 2 * part.len() + 8)?;
    out.push(b'"');
    for b in part {
        if matches!(b, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*b);
    }
    out.push(b'"');
    Ok(())
}

/// Appends it.
pub fn write(value: Hstore<'_>, out: &mut Vec<u8>) -> Result<(), SqlError> {
    let mut pace = Pace::default();
    for (n, (key, value)) in value.iter().enumerate() {
        if n > 0 {
            out.extend_from_slice(b", ");
        }
        write_part(key, out, &mut pace)?;
        out.extend_from_slice(b"=>");
        match value {
            Some(value) => write_part(value, out, &mut pace)?,
            None => out.extend_from_slice(b"NULL"),
        }
    }
    Ok(())
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    pace: Pace,
}

/// Blanks, as a scanner of SQL knows them.
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

/// Reads it.
pub fn parse(s: &str) -> Result<Datum, SqlError> {
    crate::text_io::check_text(s)?;
    let mut parser = Parser { text: s, at: 0, pace: Pace::default() };
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    while let Some((key, _)) = parser.part(false)? {
        parser.expect_arrow()?;
        let (value, is_quoted) = parser.part(true)?.ok_or_else(ended)?;
        let is_null = !is_quoted && value.eq_ignore_ascii_case(b"null");
        make_room(&mut pairs, 1)?;
        pairs.push((Cow::Owned(key), (!is_null).then_some(Cow::Owned(value))));
        parser.skip_spaces();
        match parser.next() {
            None => break,
            Some(b',') => parser.at += 1,
            Some(_) => return Err(parser.wrong()),
        }
    }
    made(pairs)
}

fn ended() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in hstore: unexpected end of string")
}

impl Parser<'_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self) -> SqlError {
        let near: String = self.text[self.at..].chars().take(1).collect();
        let why = format!("syntax error in hstore, near \"{near}\" at position {}", self.at);
        SqlError::new(SqlState::SYNTAX_ERROR, why)
    }

    fn skip_spaces(&mut self) {
        while self.next().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn expect_arrow(&mut self) -> Result<(), SqlError> {
        self.skip_spaces();
        for wanted in *b"=>" {
            match self.next() {
                None => return Err(ended()),
                Some(b) if b == wanted => self.at += 1,
                Some(_) => return Err(self.wrong()),
            }
        }
        Ok(())
    }

    /// A key or a value, and whether it began with a quote; none if there is nothing but blanks. What a key ends at is `=`, what a value does a comma.
    fn part(&mut self, is_value: bool) -> Result<Option<(Vec<u8>, bool)>, SqlError> {
        self.skip_spaces();
        let end = if is_value { b',' } else { b'=' };
        let is_quoted = match self.next() {
            None => return Ok(None),
            Some(b'=') if !is_value => return Err(self.wrong()),
            Some(b) => b == b'"',
        };
        self.at += usize::from(is_quoted);
        let (mut part, from) = (Vec::new(), self.at);
        loop {
            self.pace.bytes(1)?;
            let b = match self.next() {
                None if is_quoted => return Err(ended()),
                None => break,
                Some(b'"') if is_quoted => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.next().ok_or_else(ended)?
                }
                // A value may begin with anything.
                Some(b) if !is_quoted && (b == end && self.at > from || is_space(b)) => break,
                Some(b) => b,
            };
            make_room(&mut part, 1)?;
            part.push(b);
            self.at += 1;
        }
        Ok(Some((part, is_quoted)))
    }
}
