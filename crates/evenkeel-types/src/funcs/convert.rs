//! Quoting, formatting, encodings and digests.

use super::{Eval, bytes_arg, f, lenient, stable, str_arg, variadic};
use crate::chars::char_count;
use crate::datum::Datum;
use crate::digest::md5_hex;
use crate::encoding::Encoding;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::{Text, kept, kept_bytes};
use crate::guard::{PACE_BYTES, Pace, admit};
use crate::quote::{is_bare, quote_ident, quote_literal};
use crate::text_io::{decode_hex, to_text};
use crate::ty::Type as T;
use std::sync::Arc;

fn quote_ident_fn(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    quoted(str_arg(a, 0), 'I')
}

/// In quotes, as an identifier or a literal is.
fn quoted(text: &str, kind: char) -> Eval {
    if text.len() <= PACE_BYTES {
        return Ok(Datum::from(if kind == 'I' { quote_ident(text) } else { quote_literal(text) }));
    }
    // The same, where the statement may be stopped.
    if kind == 'I' && is_bare(text) {
        return Ok(Datum::Text(kept(text)?));
    }
    let quote = if kind == 'I' { '"' } else { '\'' };
    let escapes = kind != 'I' && text.contains('\\');
    let mut out = Text::with_capacity(text.len() + 3)?;
    if escapes {
        out.push('E')?;
    }
    out.push(quote)?;
    for c in text.chars() {
        if c == quote || (escapes && c == '\\') {
            out.push(c)?;
        }
        out.push(c)?;
    }
    out.push(quote)?;
    Ok(Datum::from(out.finish()?))
}

fn quote_literal_fn(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    quoted(str_arg(a, 0), 'L')
}

fn quote_nullable(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() { Ok(Datum::text("NULL")) } else { quoted(str_arg(a, 0), 'L') }
}

fn format_error(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// `format('%s %I %L', …)` with positions and widths.
fn format(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Datum::Text(pattern) = &a[0] else { return Ok(Datum::Null) };
    let mut out = Text::default();
    let mut chars = pattern.chars().peekable();
    let mut next_arg = 1usize;
    let unterminated =
        || format_error("unterminated format() type specifier").with_hint("For a single \"%\" use \"%%\".");
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c)?;
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%')?;
            continue;
        }
        let number =
            |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| -> Result<Option<usize>, SqlError> {
                let mut v: Option<usize> = None;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                    chars.next();
                    let n = v.unwrap_or(0).saturating_mul(10).saturating_add(d as usize);
                    if n > i32::MAX as usize {
                        return Err(SqlError::new(
                            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                            "number is out of range",
                        ));
                    }
                    v = Some(n);
                }
                Ok(v)
            };
        let mut position = None;
        let mut width: i64 = 0;
        let mut left = false;
        let first = number(&mut chars)?;
        if let Some(n) = first {
            if chars.peek() == Some(&'$') {
                chars.next();
                if n == 0 {
                    return Err(format_error(
                        "format specifies argument 0, but arguments are numbered from 1",
                    ));
                }
                position = Some(n);
            } else {
                width = n as i64;
            }
        }
        if first.is_none() || position.is_some() {
            while chars.peek() == Some(&'-') {
                chars.next();
                left = true;
            }
            if chars.peek() == Some(&'*') {
                chars.next();
                let at = match number(&mut chars)? {
                    Some(n) if chars.peek() == Some(&'$') => {
                        chars.next();
                        next_arg = n + 1;
                        n
                    }
                    _ => {
                        next_arg += 1;
                        next_arg - 1
                    }
                };
                let d = a.get(at).ok_or_else(|| format_error("too few arguments for format()"))?;
                width = match d {
                    Datum::Null => 0,
                    Datum::Text(s) => match crate::text_io::input_text(s, T::Int4, -1, ctx.format)? {
                        Datum::Int4(width) => i64::from(width),
                        _ => 0,
                    },
                    d => d.as_i64().unwrap_or(0),
                };
            } else if let Some(n) = number(&mut chars)? {
                width = n as i64;
            }
        }
        let kind = chars.next().ok_or_else(unterminated)?;
        if !matches!(kind, 's' | 'I' | 'L') {
            return Err(format_error(&format!("unrecognized format() type specifier \"{kind}\""))
                .with_hint("For a single \"%\" use \"%%\"."));
        }
        let at = position.unwrap_or(next_arg);
        next_arg = at + 1;
        let d = a.get(at).ok_or_else(|| format_error("too few arguments for format()"))?;
        let text = match (kind, d) {
            ('I', Datum::Null) => {
                return Err(SqlError::new(
                    SqlState::NULL_VALUE_NOT_ALLOWED,
                    "null values cannot be formatted as an SQL identifier",
                ));
            }
            ('L', Datum::Null) => "NULL".to_string(),
            (_, Datum::Null) => String::new(),
            (_, d) => {
                let shown = to_text(d, d.natural_type(), -1, ctx.format)?;
                if kind != 's' {
                    admit(shown.len().saturating_mul(6))?;
                }
                match kind {
                    'I' => quote_ident(&shown),
                    'L' => quote_literal(&shown),
                    _ => shown,
                }
            }
        };
        let blanks = (width.unsigned_abs() as usize).saturating_sub(char_count(&text));
        ctx.check_len(out.len().saturating_add(text.len()).saturating_add(blanks))?;
        if left || width < 0 {
            out.push_str(&text)?;
            out.extend(std::iter::repeat_n(' ', blanks))?;
        } else {
            out.extend(std::iter::repeat_n(' ', blanks))?;
            out.push_str(&text)?;
        }
    }
    Ok(Datum::from(out.finish()?))
}

fn md5(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bytes = a[0].as_str().map_or_else(|| bytes_arg(a, 0), str::as_bytes);
    Ok(Datum::from(md5_hex(bytes)?))
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Characters of a line of base64.
const BASE64_LINE: usize = 76;

fn base64(bytes: &[u8]) -> Result<Arc<str>, SqlError> {
    let mut out = Text::with_capacity(bytes.len() / 3 * 4 + bytes.len() / 57 + 4)?;
    let mut column = 0;
    for chunk in bytes.chunks(3) {
        let v = chunk.iter().fold(0u32, |v, b| v << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(BASE64[(v >> (18 - 6 * i) & 63) as usize]))?;
            } else {
                out.push('=')?;
            }
        }
        column += 4;
        // A line ends as soon as it is full.
        if column == BASE64_LINE && chunk.len() == 3 {
            out.push('\n')?;
            column = 0;
        }
    }
    out.finish()
}

fn unbase64(text: &str) -> Result<Vec<u8>, SqlError> {
    let invalid = |m: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, m);
    admit(text.len() / 4 * 3)?;
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    // From the first padding on, every four characters give as few bytes.
    let (mut v, mut n, mut given) = (0u32, 0, 3);
    let mut pace = Pace::default();
    for c in text.chars() {
        pace.bytes(1)?;
        if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        let digit = match c {
            '=' => {
                if given == 3 {
                    if n < 2 {
                        return Err(invalid("unexpected \"=\" while decoding base64 sequence".into()));
                    }
                    given = n - 1;
                }
                0
            }
            c => match BASE64.iter().position(|b| char::from(*b) == c) {
                Some(i) => i as u32,
                None => {
                    return Err(invalid(format!(
                        "invalid symbol \"{c}\" found while decoding base64 sequence"
                    )));
                }
            },
        };
        v = v << 6 | digit;
        n += 1;
        if n == 4 {
            out.extend_from_slice(&v.to_be_bytes()[1..=given]);
            (v, n) = (0, 0);
        }
    }
    if n != 0 {
        return Err(invalid("invalid base64 end sequence".into())
            .with_hint("Input data is missing padding, is truncated, or is otherwise corrupted."));
    }
    Ok(out)
}

fn encoding_error(name: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("unrecognized encoding: \"{name}\""))
}

fn encode(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let bytes = bytes_arg(a, 0);
    ctx.check_len(bytes.len().saturating_mul(4))?;
    let text = match str_arg(a, 1).to_ascii_lowercase().as_str() {
        "hex" => {
            let mut out = Text::with_capacity(bytes.len() * 2)?;
            let digit = |b: u8| char::from(b"0123456789abcdef"[usize::from(b & 15)]);
            out.extend(bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]))?;
            out.finish()?
        }
        "base64" => base64(bytes)?,
        "escape" => {
            let mut out = Text::default();
            for &b in bytes {
                match b {
                    b'\\' => out.push_str("\\\\")?,
                    0 | 0x80.. => out.push_str(&format!("\\{b:03o}"))?,
                    b => out.push(char::from(b))?,
                }
            }
            out.finish()?
        }
        _ => return Err(encoding_error(str_arg(a, 1))),
    };
    Ok(Datum::from(text))
}

fn decode(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    let bytes = match str_arg(a, 1).to_ascii_lowercase().as_str() {
        "hex" => decode_hex(text)?,
        "base64" => unbase64(text)?,
        "escape" => {
            // The same escapes as bytea input, which begins with no \x here.
            let body = if text.starts_with("\\x") { return Err(bad_bytea()) } else { text };
            return crate::text_io::input_text(body, T::Bytea, -1, &Default::default());
        }
        _ => return Err(encoding_error(str_arg(a, 1))),
    };
    Ok(Datum::Bytes(kept_bytes(&bytes)?))
}

fn bad_bytea() -> SqlError {
    SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea")
}

/// The encoding of argument `n`; `which`: what PostgreSQL calls it.
fn encoding_arg(a: &[Datum], n: usize, which: &str) -> Result<Encoding, SqlError> {
    let name = str_arg(a, n);
    Encoding::named(name).ok_or_else(|| {
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("invalid {which} encoding name \"{name}\""))
    })
}

fn convert_from(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let text = encoding_arg(a, 1, "source")?.decode(bytes_arg(a, 0))?;
    crate::binary_io::input_binary(&text, T::Text, -1, ctx.format)
}

fn convert_to(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bytes = encoding_arg(a, 1, "destination")?.encode(str_arg(a, 0))?;
    Ok(Datum::Bytes(kept_bytes(&bytes)?))
}

/// From one encoding to another.
fn convert(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (from, to) = (encoding_arg(a, 1, "source")?, encoding_arg(a, 2, "destination")?);
    let text = from.decode(bytes_arg(a, 0))?;
    let bytes = to.encode(crate::binary_io::utf8(&text)?)?;
    Ok(Datum::Bytes(kept_bytes(&bytes)?))
}

/// Of bytes in an encoding.
fn length_of_encoded(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let name = str_arg(a, 1);
    let encoding = Encoding::named(name).ok_or_else(|| {
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("invalid encoding name \"{name}\""))
    })?;
    let text = encoding.decode(bytes_arg(a, 0))?;
    Ok(Datum::Int4(char_count(crate::binary_io::utf8(&text)?) as i32))
}

pub(super) static TABLE: &[ScalarFn] = &[
    f("quote_ident", &[T::Text], T::Text, quote_ident_fn),
    f("quote_literal", &[T::Text], T::Text, quote_literal_fn),
    f("quote_literal", &[T::AnyToText], T::Text, quote_literal_fn),
    lenient(f("quote_nullable", &[T::Text], T::Text, quote_nullable)),
    lenient(f("quote_nullable", &[T::AnyToText], T::Text, quote_nullable)),
    lenient(stable("format", &[T::Text], T::Text, format)),
    variadic(lenient(stable("format", &[T::Text, T::Any], T::Text, format))),
    f("md5", &[T::Text], T::Text, md5),
    f("md5", &[T::Bytea], T::Text, md5),
    f("encode", &[T::Bytea, T::Text], T::Text, encode),
    f("decode", &[T::Text, T::Text], T::Bytea, decode),
    stable("convert_from", &[T::Bytea, T::Name], T::Text, convert_from),
    stable("convert", &[T::Bytea, T::Name, T::Name], T::Bytea, convert),
    stable("length", &[T::Bytea, T::Name], T::Int4, length_of_encoded),
    stable("convert_to", &[T::Text, T::Name], T::Bytea, convert_to),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_quoted_as_short_ones_are() {
        for piece in ["abc", "a'b", "a\\b", "a\"b", "ä'\\\""] {
            let long = piece.repeat(PACE_BYTES / piece.len() + 1);
            assert_eq!(quoted(&long, 'L').unwrap().as_str(), Some(&*quote_literal(&long)), "{piece}");
            assert_eq!(quoted(&long, 'I').unwrap().as_str(), Some(&*quote_ident(&long)), "{piece}");
        }
    }
}
