//! `standard_conforming_strings = off`: a text in which backslashes in `'…'` are escapes, as one in which these are `E'…'`.
//!
//! Everything that keeps or shows a text has the latter, so places in it, as errors tell them, are those after the letters that were put in.
//!
//! Must not know: tokens, settings.

use evenkeel_types::error::SqlError;
use evenkeel_types::guard::Pace;

/// What a string was found to have first that PostgreSQL warns of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonstandard {
    /// `\'`
    Quote,
    /// `\\`
    Backslash,
    /// Another escape.
    Escape,
}

impl Nonstandard {
    /// What is said of it, and how else it can be written.
    pub fn warning(self) -> (&'static str, &'static str) {
        match self {
            Nonstandard::Quote => (
                "nonstandard use of \\' in a string literal",
                "Use '' to write quotes in strings, or use the escape string syntax (E'...').",
            ),
            Nonstandard::Backslash => (
                "nonstandard use of \\\\ in a string literal",
                "Use the escape string syntax for backslashes, e.g., E'\\\\'.",
            ),
            Nonstandard::Escape => (
                "nonstandard use of escape in a string literal",
                "Use the escape string syntax for escapes, e.g., E'\\r\\n'.",
            ),
        }
    }
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

struct Text<'a> {
    sql: &'a str,
    bytes: &'a [u8],
    out: String,
    /// Up to here it is in `out`.
    copied: usize,
    found: Vec<Nonstandard>,
}

/// The text with `E` before strings in which backslashes are escapes, and what is nonstandard in them. None: it has no backslash.
pub fn conforming(sql: &str) -> Result<Option<(String, Vec<Nonstandard>)>, SqlError> {
    // Only what may follow an `&` is refused without one.
    if !sql.contains(['\\', '&']) {
        return Ok(None);
    }
    let mut text = Text { sql, bytes: sql.as_bytes(), out: String::new(), copied: 0, found: Vec::new() };
    text.read()?;
    if text.copied == 0 {
        return Ok(None);
    }
    text.out.push_str(&sql[text.copied..]);
    Ok(Some((text.out, text.found)))
}

impl Text<'_> {
    fn read(&mut self) -> Result<(), SqlError> {
        let (mut at, mut pace) = (0, Pace::default());
        // The beginning of the name or number that ends here.
        let mut word = 0;
        while let Some(&b) = self.bytes.get(at) {
            pace.step()?;
            let next = self.bytes.get(at + 1).copied().unwrap_or(0);
            at = match b {
                b'\'' => self.string(word, at)?,
                b'"' => self.closing(at + 1, b'"', false),
                b'-' if next == b'-' => self.line(at),
                b'/' if next == b'*' => self.comment(at),
                b'$' if word == at => self.dollars(at),
                _ if is_name(b) => {
                    at += 1;
                    continue;
                }
                _ => at + 1,
            };
            word = at;
        }
        Ok(())
    }

    /// Behind the quote that ends what begins at a place.
    fn closing(&self, mut at: usize, quote: u8, escapes: bool) -> usize {
        while let Some(&b) = self.bytes.get(at) {
            at += match b {
                b'\\' if escapes => 2,
                _ if b == quote && self.bytes.get(at + 1) == Some(&quote) => 2,
                _ if b == quote => return at + 1,
                _ => 1,
            };
        }
        self.bytes.len()
    }

    /// A string, with what goes on with it behind line breaks.
    fn string(&mut self, word: usize, quote: usize) -> Result<usize, SqlError> {
        let prefix = &self.bytes[word..quote];
        let before = &self.sql[..quote];
        if prefix.is_empty() && before.ends_with('&') && self.is_unicode(quote) {
            let why = "unsafe use of string constant with Unicode escapes";
            let error = SqlError::unsupported(why).with_detail(
                "String constants with Unicode escapes cannot be used when \"standard_conforming_strings\" is off.",
            );
            return Err(super::escapes::error_at(self.sql, quote - 2, error));
        }
        let (plain, escapes) = match prefix {
            [b'e' | b'E'] => (None, true),
            [b'b' | b'B' | b'x' | b'X'] => (None, false),
            // Of the national character set.
            [b'n' | b'N'] => (Some(word), true),
            _ => (Some(quote), true),
        };
        let mut end = quote;
        let mut nonstandard = None;
        loop {
            let from = end + 1;
            end = self.closing(from, b'\'', escapes);
            let inside = self.bytes.get(from..end).unwrap_or_default();
            if let (None, Some(n)) = (nonstandard, inside.iter().position(|b| *b == b'\\')) {
                nonstandard = Some(match inside.get(n + 1) {
                    Some(b'\'') => Nonstandard::Quote,
                    Some(b'\\') => Nonstandard::Backslash,
                    _ => Nonstandard::Escape,
                });
            }
            match self.continued(end) {
                Some(next) => end = next,
                None => break,
            }
        }
        if let (Some(place), Some(nonstandard)) = (plain, nonstandard) {
            self.out.push_str(&self.sql[self.copied..place]);
            self.out.push('E');
            self.copied = quote;
            self.found.push(nonstandard);
        }
        Ok(end)
    }

    /// Whether `U&` stands before a quote.
    fn is_unicode(&self, quote: usize) -> bool {
        let Some(u) = quote.checked_sub(2) else { return false };
        let is_start = u.checked_sub(1).is_none_or(|b| !is_name(self.bytes[b]));
        matches!(self.bytes[u], b'u' | b'U') && is_start
    }

    /// The quote with which a string goes on: behind blanks with a line break among them.
    fn continued(&self, mut at: usize) -> Option<usize> {
        let mut has_break = false;
        while let Some(b) = self.bytes.get(at) {
            match b {
                b'\n' | b'\r' => has_break = true,
                b' ' | b'\t' | 0x0b | 0x0c => {}
                b'-' if has_break && self.bytes.get(at + 1) == Some(&b'-') => {
                    at = self.line(at);
                    continue;
                }
                b'\'' if has_break => return Some(at),
                _ => return None,
            }
            at += 1;
        }
        None
    }

    fn line(&self, at: usize) -> usize {
        self.sql[at..].find(['\n', '\r']).map_or(self.bytes.len(), |n| at + n)
    }

    fn comment(&self, mut at: usize) -> usize {
        let mut depth = 0;
        loop {
            match self.bytes.get(at..at + 2) {
                Some(b"/*") => (depth, at) = (depth + 1, at + 2),
                Some(b"*/") if depth == 1 => return at + 2,
                Some(b"*/") => (depth, at) = (depth - 1, at + 2),
                Some(_) => at += 1,
                None => return self.bytes.len(),
            }
        }
    }

    /// `$tag$…$tag$`, or a parameter.
    fn dollars(&self, at: usize) -> usize {
        let tag_end = self.bytes[at + 1..].iter().position(|b| *b == b'$' || !is_name(*b));
        let Some(n) = tag_end.filter(|n| self.bytes[at + 1 + n] == b'$') else { return at + 1 };
        if self.bytes[at + 1].is_ascii_digit() {
            return at + 1;
        }
        let behind = at + n + 2;
        let tag = &self.sql[at..behind];
        self.sql[behind..].find(tag).map_or(self.bytes.len(), |end| behind + end + tag.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Nonstandard, conforming};

    fn of(sql: &str) -> String {
        conforming(sql).unwrap().map_or(sql.to_owned(), |c| c.0)
    }

    #[test]
    fn strings_with_backslashes_get_their_letter() {
        for (sql, expected) in [
            (r"select 'a\\b', 'c'", r"select E'a\\b', 'c'"),
            (r"select 'a\'b', x'41'", r"select E'a\'b', x'41'"),
            (r"select E'\\', e'\'\n'", r"select E'\\', e'\'\n'"),
            (r"select n'\\', case'\\'", r"select E'\\', caseE'\\'"),
            ("select 'a'\n  'b\\n'", "select E'a'\n  'b\\n'"),
            ("select 'a'\n -- '\n 'b\\n', '\\t'", "select E'a'\n -- '\n 'b\\n', E'\\t'"),
            (r#"select "a'\", '\\'"#, r#"select "a'\", E'\\'"#),
            ("-- '\\\nselect '\\\\'", "-- '\\\nselect E'\\\\'"),
            (r"/* ' /* \ */ ' */ select '\\'", r"/* ' /* \ */ ' */ select E'\\'"),
            (
                r"select $$'\\'$$, $a$ '\$$' $a$, a$b, $1, '\\'",
                r"select $$'\\'$$, $a$ '\$$' $a$, a$b, $1, E'\\'",
            ),
            (r"select b'1\', '\\ü'", r"select b'1\', E'\\ü'"),
            (r"select 'a''\\''", r"select E'a''\\''"),
            (r"select 'open\", r"select E'open\"),
            (r"select 1 & '\\1'", r"select 1 & E'\\1'"),
        ] {
            assert_eq!(of(sql), expected);
        }
    }

    #[test]
    fn what_is_nonstandard_is_told_once_of_each_string() {
        let found = conforming(r"select 'a\'\\', '\\\n', '\n', 'a'").unwrap().unwrap().1;
        assert_eq!(found, [Nonstandard::Quote, Nonstandard::Backslash, Nonstandard::Escape]);
        assert!(conforming("select 'a'").unwrap().is_none());
    }

    #[test]
    fn unicode_escapes_are_refused() {
        assert_eq!(conforming(r"select U&'\0041'").unwrap_err().code, "0A000");
        assert_eq!(conforming(r"select u&'a'").unwrap_err().code, "0A000");
        assert!(conforming(r#"select U&"\0041""#).unwrap().is_none());
    }
}
