//! Texts with escapes, and texts that may be values.

use super::{Eval, f, part, stable, str_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::Text;
use crate::text_io::input_text;
use crate::ty::Type as T;

fn invalid_escape() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "invalid Unicode escape")
        .with_hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
}

fn invalid_pair() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "invalid Unicode surrogate pair")
}

/// `\XXXX` and its like as the characters that they mean.
fn unistr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    if !text.contains('\\') {
        return part(text);
    }
    let mut out = Text::with_capacity(text.len())?;
    let mut high: Option<u32> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = &rest[c.len_utf8()..];
        if c != '\\' || tail.starts_with('\\') {
            if high.is_some() {
                return Err(invalid_pair());
            }
            out.push(c)?;
            rest = if c == '\\' { &tail[1..] } else { tail };
            continue;
        }
        let (skip, digits) = match tail.as_bytes().first() {
            Some(b'u') => (1, 4),
            Some(b'U') => (1, 8),
            Some(b'+') => (1, 6),
            _ => (0, 4),
        };
        let hex = tail.get(skip..skip + digits).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = hex.and_then(|h| u32::from_str_radix(h, 16).ok()).ok_or_else(invalid_escape)?;
        rest = &tail[skip + digits..];
        if code == 0 || code > 0x10_FFFF {
            let message = format!("invalid Unicode code point: {code:04X}");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        match (high.take(), code) {
            (None, 0xD800..=0xDBFF) => high = Some(code),
            (Some(high), 0xDC00..=0xDFFF) => {
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00);
                out.push(char::from_u32(code).ok_or_else(invalid_pair)?)?;
            }
            (Some(_), _) => return Err(invalid_pair()),
            (None, code) => out.push(char::from_u32(code).ok_or_else(invalid_pair)?)?,
        }
    }
    if high.is_some() {
        return Err(invalid_pair());
    }
    Ok(Datum::from(out.finish()?))
}

/// A type with a modifier in parentheses, where nobody reads SQL.
fn with_modifier(name: &str) -> Result<Option<(T, i32)>, SqlError> {
    let parts = name.split_once('(').and_then(|(bare, args)| Some((bare, args.strip_suffix(')')?)));
    let Some((bare, args)) = parts else { return Ok(None) };
    let args: Option<Vec<i64>> = args.split(',').map(|a| a.trim().parse().ok()).collect();
    let (Some(ty), Some(args)) = (T::from_name(bare), args) else { return Ok(None) };
    crate::ty::typmod_from_args(ty, &args).map(|typmod| Some((ty, typmod)))
}

/// A type that is named, and its modifier.
pub(super) fn named_type(name: &str, ctx: &EvalCtx<'_>) -> Result<(T, i32), SqlError> {
    let missing = || {
        SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{}\" does not exist", name.to_lowercase()))
    };
    let builtin = T::from_name(name).map(|t| (t, -1));
    let found = match (builtin, &ctx.format.reg_names) {
        (None, Some(names)) => {
            let (ty, typmod, domain) = names.named_type(name)?;
            if domain.is_some() {
                return Err(SqlError::unsupported("values of domains are not looked at by their texts"));
            }
            Some((ty, typmod))
        }
        (None, None) => with_modifier(name)?,
        (found, _) => found,
    };
    found.filter(|(t, _)| !t.is_pseudo()).ok_or_else(missing)
}

/// What is wrong with a text as one of a value of the type that is named, if something is.
pub(crate) fn input_error(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<Option<SqlError>, SqlError> {
    let (text, name) = (str_arg(a, 0), str_arg(a, 1));
    let (ty, typmod) = named_type(name, ctx)?;
    match input_text(text, ty, typmod, ctx.format) {
        Ok(_) => Ok(None),
        // What the statement may not take, and its end, are no answers; nor is what is no matter of the text.
        Err(e) if matches!(e.code.class(), "53" | "54" | "57" | "XX") => Err(e),
        Err(e) if e.code == SqlState::UNSAFE_NEW_ENUM_VALUE_USAGE => Err(e),
        Err(e) => Ok(Some(e)),
    }
}

fn input_is_valid(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(input_error(a, ctx)?.is_none()))
}

pub(super) const TABLE: &[ScalarFn] = &[
    f("unistr", &[T::Text], T::Text, unistr),
    stable("pg_input_is_valid", &[T::Text, T::Text], T::Bool, input_is_valid),
];
