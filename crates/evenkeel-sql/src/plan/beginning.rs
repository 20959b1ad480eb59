//! What a text must begin with to satisfy LIKE, a regular expression or `^@`: bounds, in the order of bytes.
//!
//! Invariants
//! 1. Whatever satisfies the condition lies within the bounds; what lies within them need not satisfy it.
//!
//! Must not know: indexes.

use super::expr::Expr;
use evenkeel_types::{Datum, ScalarFn, Type};
use std::sync::Arc;

/// Bounds of the texts that begin with something.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// The least of them.
    pub low: Arc<str>,
    /// What they are less than, or, if they are all one, it (true).
    pub high: Option<(Arc<str>, bool)>,
}

impl Beginning {
    /// Of a call, with the text that it asks of.
    pub fn of<'e>(f: &ScalarFn, args: &'e [Expr]) -> Option<(&'e Expr, Beginning)> {
        let ([text, Expr::Const(Datum::Text(pattern))], [Type::Text, Type::Text]) = (args, f.args) else {
            return None;
        };
        let (beginning, is_whole) = match f.name {
            "~~" => of_like(pattern)?,
            "~" => (of_regexp(pattern)?, false),
            "^@" => (pattern.to_string(), false),
            _ => return None,
        };
        if beginning.is_empty() && !is_whole {
            return None;
        }
        let low: Arc<str> = beginning.as_str().into();
        let high = match is_whole {
            true => Some((low.clone(), true)),
            false => behind(&beginning).map(|high| (high.into(), false)),
        };
        Some((text, Beginning { low, high }))
    }
}

/// What a pattern of LIKE begins with, and whether that is all of it.
fn of_like(pattern: &str) -> Option<(String, bool)> {
    let mut beginning = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '%' | '_' => return Some((beginning, false)),
            '\\' => beginning.push(rest.next()?),
            c => beginning.push(c),
        }
    }
    Some((beginning, true))
}

/// What all that an anchored regular expression matches begins with.
fn of_regexp(pattern: &str) -> Option<String> {
    let anchored = pattern.strip_prefix('^').filter(|p| !p.contains('|'))?;
    let mut beginning = String::new();
    let mut rest = anchored.chars();
    while let Some(c) = rest.next() {
        match c {
            // What stands before these need not be there.
            '*' | '?' | '{' => {
                beginning.pop();
                break;
            }
            '\\' => match rest.next() {
                Some(c) if c.is_ascii_punctuation() => beginning.push(c),
                _ => break,
            },
            '.' | '[' | ']' | '(' | ')' | '+' | '}' | '^' | '$' => break,
            c => beginning.push(c),
        }
    }
    Some(beginning)
}

/// The least text behind all that begin with something.
fn behind(beginning: &str) -> Option<String> {
    let mut text = beginning.to_owned();
    while let Some(last) = text.pop() {
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            c => char::from_u32(c as u32 + 1),
        };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_with_what_all_texts_do() {
        for (pattern, expected) in [
            ("abc%", Some(("abc", false))),
            ("a_c", Some(("a", false))),
            ("%abc", Some(("", false))),
            ("abc", Some(("abc", true))),
            ("a\\%b%", Some(("a%b", false))),
            ("a\\", None),
        ] {
            assert_eq!(of_like(pattern), expected.map(|(b, w)| (b.to_owned(), w)), "{pattern}");
        }
        for (pattern, expected) in [
            ("^abc", Some("abc")),
            ("abc", None),
            ("^abc*", Some("ab")),
            ("^abc+", Some("abc")),
            ("^a?b", Some("")),
            ("^ab{0,1}", Some("a")),
            ("^a|b", None),
            ("^a\\.b", Some("a.b")),
            ("^a\\d", Some("a")),
            ("^a(b)?", Some("a")),
            ("^ab$", Some("ab")),
        ] {
            assert_eq!(of_regexp(pattern).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn what_lies_behind_is_the_least() {
        for (beginning, expected) in [
            ("abc", Some("abd")),
            ("a\u{7f}", Some("a\u{80}")),
            ("a\u{d7ff}", Some("a\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
        ] {
            assert_eq!(behind(beginning).as_deref(), expected);
        }
    }
}
