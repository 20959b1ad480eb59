//! `parse_ident`: a qualified name taken apart, with what is wrong with it.
//!
//! Must not know: what names stand for.

use super::{Eval, bool_arg, f, names_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn parse_ident(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = names_arg(a, 0)?;
    let is_strict = a.len() < 2 || bool_arg(a, 1);
    let invalid = || {
        let what = format!("string is not a valid identifier: \"{text}\"");
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, what)
    };
    let skip = |s: &'_ str| s.len() - s.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']).len();
    let mut rest = &text[skip(text)..];
    let (mut parts, mut is_after_dot) = (Vec::new(), false);
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut tail = quoted;
            loop {
                let Some(end) = tail.find('"') else {
                    return Err(invalid().with_detail("String has unclosed double quotes."));
                };
                name.push_str(&tail[..end]);
                tail = &tail[end + 1..];
                match tail.strip_prefix('"') {
                    Some(more) => {
                        name.push('"');
                        tail = more;
                    }
                    None => break,
                }
            }
            if name.is_empty() {
                return Err(invalid().with_detail("Quoted identifier must not be empty."));
            }
            parts.push(Datum::from(name));
            rest = tail;
        } else if rest.starts_with(starts_name) {
            let goes_on = |c: char| starts_name(c) || c.is_ascii_digit() || c == '$';
            let end = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
            parts.push(Datum::from(rest[..end].to_ascii_lowercase()));
            rest = &rest[end..];
        } else {
            return Err(match rest.starts_with('.') {
                true => invalid().with_detail("No valid identifier before \".\"."),
                false if is_after_dot => invalid().with_detail("No valid identifier after \".\"."),
                false => invalid(),
            });
        }
        rest = &rest[skip(rest)..];
        match rest.strip_prefix('.') {
            Some(more) => {
                is_after_dot = true;
                rest = &more[skip(more)..];
            }
            None if rest.is_empty() || !is_strict => break,
            None => return Err(invalid()),
        }
    }
    Ok(Datum::array(T::Text, parts))
}

pub(super) static TABLE: &[ScalarFn] = &[
    f("parse_ident", &[T::Text], T::TextArray, parse_ident),
    f("parse_ident", &[T::Text, T::Bool], T::TextArray, parse_ident),
];
