//! Parts of strings and byte strings: substring, overlay, and single bytes and bits.

use super::{Eval, bytes_arg, f, int_arg, lenient, part, str_arg};
use crate::cast::out_of_range;
use crate::chars::{byte_at, char_count};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::{Text, kept_bytes};
use crate::like::like_escape;
use crate::regexp::{self, Flags};
use crate::ty::Type as T;
use std::sync::Arc;

/// First position (from 0) and count of a substring, clipped to what exists; positions in SQL begin at 1 and may lie before the
/// string. `None` for "to the end".
pub(super) fn clip(start: i64, count: Option<i64>) -> Result<(usize, Option<usize>), SqlError> {
    let Some(count) = count else {
        return Ok(((start - 1).max(0) as usize, None));
    };
    if count < 0 {
        return Err(SqlError::new(SqlState::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    let end = (start + count).max(1);
    let first = start.max(1);
    Ok(((first - 1) as usize, Some((end - first).max(0) as usize)))
}

fn substring(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    let (skip, take) = clip(int_arg(a, 1), (a.len() > 2).then(|| int_arg(a, 2)))?;
    let rest = &text[byte_at(text, skip)..];
    part(&rest[..take.map_or(rest.len(), |n| byte_at(rest, n))])
}

fn substring_bytes(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bytes = bytes_arg(a, 0);
    let (skip, take) = clip(int_arg(a, 1), (a.len() > 2).then(|| int_arg(a, 2)))?;
    let rest = &bytes[skip.min(bytes.len())..];
    Ok(Datum::Bytes(kept_bytes(&rest[..take.unwrap_or(rest.len()).min(rest.len())])?))
}

fn substring_regex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let re = regexp::compiled(str_arg(a, 1), Flags::default())?;
    let Some(found) = re.captures_at(str_arg(a, 0), 0)? else {
        return Ok(Datum::Null);
    };
    // The first group if there is one, else the whole match.
    let wanted = if re.groups() > 1 { found.get(1) } else { found.get(0) };
    wanted.map_or(Ok(Datum::Null), |m| part(&str_arg(a, 0)[m]))
}

/// The same, each repetition as short as it can be.
fn lazy(regex: &str) -> String {
    let (mut out, mut is_escaped, mut in_class, mut opens) = (String::new(), false, false, false);
    for c in regex.chars() {
        out.push(c);
        let is_repeat = !is_escaped && !in_class && !opens && matches!(c, '*' | '+' | '?' | '}');
        if is_repeat {
            out.push('?');
        }
        in_class = !is_escaped && if in_class { c != ']' } else { c == '[' } || is_escaped && in_class;
        opens = !is_escaped && !in_class && c == '(';
        is_escaped = !is_escaped && c == '\\';
    }
    out
}

fn substring_similar(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, pattern, escape) = (str_arg(a, 0), str_arg(a, 1), str_arg(a, 2));
    let regex = match &regexp::similar_parts(pattern, Some(escape))?[..] {
        [before, middle] => format!("^(?:{})({middle})$", lazy(before)),
        // The first part takes as little as it can.
        [before, middle, after] => format!("^(?:{})({middle})(?:{after})$", lazy(before)),
        parts => format!("^({})$", parts.concat()),
    };
    let re = regexp::compiled(&regex, Flags::default())?;
    re.captures_at(text, 0)?.and_then(|c| c.get(1)).map_or(Ok(Datum::Null), |m| part(&text[m]))
}

fn overlay(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (text, new) = (str_arg(a, 0), str_arg(a, 1));
    let start = int_arg(a, 2);
    let count = if a.len() > 3 { int_arg(a, 3) } else { char_count(new) as i64 };
    if start <= 0 {
        return Err(SqlError::new(SqlState::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    let resume = i32::try_from(start + count).map_err(|_| out_of_range(T::Int4))?.max(1).into();
    let place = |n: i64| byte_at(text, (n - 1) as usize);
    let (head, tail) = (&text[..place(start)], &text[place(resume)..]);
    let len = head.len() + new.len() + tail.len();
    ctx.check_len(len)?;
    let mut out = Text::with_capacity(len)?;
    [head, new, tail].into_iter().try_for_each(|s| out.push_str(s))?;
    Ok(Datum::from(out.finish()?))
}

pub(super) fn index_error(i: i64, max: usize) -> SqlError {
    SqlError::new(
        SqlState::ARRAY_SUBSCRIPT_ERROR,
        format!("index {i} out of valid range, 0..{}", max as i64 - 1),
    )
}

fn get_byte(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (bytes, i) = (bytes_arg(a, 0), int_arg(a, 1));
    let b = usize::try_from(i).ok().and_then(|i| bytes.get(i)).ok_or_else(|| index_error(i, bytes.len()))?;
    Ok(Datum::Int4(i32::from(*b)))
}

fn set_byte(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (bytes, i) = (bytes_arg(a, 0), int_arg(a, 1));
    let at =
        usize::try_from(i).ok().filter(|i| *i < bytes.len()).ok_or_else(|| index_error(i, bytes.len()))?;
    let mut out = kept_bytes(bytes)?;
    Arc::get_mut(&mut out).expect("nobody else has it yet")[at] = int_arg(a, 2) as u8;
    Ok(Datum::Bytes(out))
}

fn get_bit(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (bytes, i) = (bytes_arg(a, 0), int_arg(a, 1));
    let b = usize::try_from(i / 8)
        .ok()
        .filter(|_| i >= 0)
        .and_then(|n| bytes.get(n))
        .ok_or_else(|| index_error(i, bytes.len() * 8))?;
    Ok(Datum::Int4(i32::from(b >> (i % 8) & 1)))
}

fn like_escape_fn(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(like_escape(str_arg(a, 0), str_arg(a, 1))?))
}

fn similar_to_escape(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let escape = a.get(1).map(|e| e.as_str().ok_or(()));
    match escape {
        Some(Err(())) => Ok(Datum::Null),
        Some(Ok(e)) => Ok(Datum::from(regexp::similar_to(str_arg(a, 0), Some(e))?)),
        None => Ok(Datum::from(regexp::similar_to(str_arg(a, 0), None)?)),
    }
}

/// As before there was `similar_to_escape`: an escape that is NULL is the backslash.
fn similar_escape(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if a[1].is_null() { similar_to_escape(&a[..1], ctx) } else { similar_to_escape(a, ctx) }
}

const SII: &[T] = &[T::Text, T::Int4, T::Int4];
const SI: &[T] = &[T::Text, T::Int4];
const SS: &[T] = &[T::Text, T::Text];

pub(super) static TABLE: &[ScalarFn] = &[
    f("substring", SI, T::Text, substring),
    f("substring", SII, T::Text, substring),
    f("substring", SS, T::Text, substring_regex),
    f("substring", &[T::Text, T::Text, T::Text], T::Text, substring_similar),
    f("substring", &[T::Bytea, T::Int4], T::Bytea, substring_bytes),
    f("substring", &[T::Bytea, T::Int4, T::Int4], T::Bytea, substring_bytes),
    f("substr", SI, T::Text, substring),
    f("substr", SII, T::Text, substring),
    f("substr", &[T::Bytea, T::Int4], T::Bytea, substring_bytes),
    f("substr", &[T::Bytea, T::Int4, T::Int4], T::Bytea, substring_bytes),
    f("overlay", &[T::Text, T::Text, T::Int4], T::Text, overlay),
    f("overlay", &[T::Text, T::Text, T::Int4, T::Int4], T::Text, overlay),
    f("get_byte", &[T::Bytea, T::Int4], T::Int4, get_byte),
    f("set_byte", &[T::Bytea, T::Int4, T::Int4], T::Bytea, set_byte),
    f("get_bit", &[T::Bytea, T::Int8], T::Int4, get_bit),
    f("like_escape", SS, T::Text, like_escape_fn),
    f("similar_to_escape", &[T::Text], T::Text, similar_to_escape),
    f("similar_to_escape", SS, T::Text, similar_to_escape),
    lenient(f("similar_escape", SS, T::Text, similar_escape)),
];
