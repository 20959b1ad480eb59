//! String functions: case, padding, trimming, searching, splitting, joining.
//!
//! Lengths and positions count characters; the case functions follow Unicode.

use super::{Eval, bytes_arg, f, int_arg, lenient, part, stable, str_arg, variadic};
use crate::chars::{Trim, byte_at, find};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::{Text, kept_bytes};
use crate::guard::{PACE_BYTES, Pace};
use crate::text_io::{char_count, to_text};
use crate::ty::Type as T;
use std::collections::HashMap;

fn length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(char_count(str_arg(a, 0)) as i32))
}

/// Without the blanks at the end.
fn length_unpadded(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(char_count(crate::compare::unpadded(str_arg(a, 0))) as i32))
}

fn octet_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(a[0].as_str().map_or(bytes_arg(a, 0).len(), str::len) as i32))
}

fn bit_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bytes = a[0].as_str().map_or(bytes_arg(a, 0).len(), str::len);
    i32::try_from(bytes * 8).map(Datum::Int4).map_err(|_| crate::cast::out_of_range(T::Int4))
}

/// A character in small letters: one that would become several (İ) becomes what it is by itself.
fn small(mapper: icu_casemap::CaseMapperBorrowed<'static>, c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { mapper.simple_lowercase(c) }
}

/// The same in large ones: ß stays.
fn large(mapper: icu_casemap::CaseMapperBorrowed<'static>, c: char) -> char {
    if c.is_ascii() { c.to_ascii_uppercase() } else { mapper.simple_uppercase(c) }
}

fn mapped(text: &str, f: impl FnMut(char) -> char) -> Eval {
    let mut out = Text::with_capacity(text.len())?;
    out.extend(text.chars().map(f))?;
    Ok(Datum::from(out.finish()?))
}

fn lower(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mapper = icu_casemap::CaseMapper::new();
    mapped(str_arg(a, 0), |c| small(mapper, c))
}

fn upper(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mapper = icu_casemap::CaseMapper::new();
    mapped(str_arg(a, 0), |c| large(mapper, c))
}

fn casefold(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mapper = icu_casemap::CaseMapper::new();
    mapped(str_arg(a, 0), |c| mapper.simple_fold(c))
}

fn initcap(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mapper = icu_casemap::CaseMapper::new();
    let mut inside = false;
    mapped(str_arg(a, 0), |c| {
        let now = if inside { small(mapper, c) } else { large(mapper, c) };
        inside = c.is_alphabetic() || c.is_ascii_digit();
        now
    })
}

fn position(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    place(str_arg(a, 0), str_arg(a, 1))
}

/// Which character of a text a part of it begins with, counted from 1; 0 if it is none.
pub(super) fn place(text: &str, part: &str) -> Eval {
    Ok(Datum::Int4(find(text, part, 0)?.map_or(0, |at| char_count(&text[..at]) as i32 + 1)))
}

fn replace(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (text, from, to) = (str_arg(a, 0), str_arg(a, 1), str_arg(a, 2));
    if from.is_empty() {
        return Ok(a[0].clone());
    }
    let mut out = Text::default();
    let mut copied = 0;
    let mut pace = Pace::default();
    while let Some(at) = find(text, from, copied)? {
        pace.bytes(at - copied + 1)?;
        out.push_str(&text[copied..at])?;
        out.push_str(to)?;
        ctx.check_len(out.len())?;
        copied = at + from.len();
    }
    if copied == 0 {
        return Ok(a[0].clone());
    }
    out.push_str(&text[copied..])?;
    ctx.check_len(out.len())?;
    Ok(Datum::from(out.finish()?))
}

fn repeat(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    let count = usize::try_from(int_arg(a, 1)).unwrap_or(0);
    let len = text.len().saturating_mul(count);
    ctx.check_len(len)?;
    let mut out = Text::with_capacity(len)?;
    // Short texts by the thousand at a time.
    let block = text.repeat((PACE_BYTES / text.len().max(1)).clamp(1, count.max(1)));
    let mut left = len;
    while left > 0 {
        let n = left.min(block.len());
        out.push_str(&block[..n])?;
        left -= n;
    }
    Ok(Datum::from(out.finish()?))
}

fn reverse(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let text = str_arg(a, 0);
    let mut out = Text::with_capacity(text.len())?;
    out.extend(text.chars().rev())?;
    Ok(Datum::from(out.finish()?))
}

fn left(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, n) = (str_arg(a, 0), int_arg(a, 1));
    let keep = if n >= 0 { n } else { (char_count(text) as i64 + n).max(0) };
    part(&text[..byte_at(text, keep as usize)])
}

fn right(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, n) = (str_arg(a, 0), int_arg(a, 1));
    let skip = if n >= 0 { (char_count(text) as i64 - n).max(0) } else { -n };
    part(&text[byte_at(text, skip as usize)..])
}

fn pad(a: &[Datum], ctx: &EvalCtx<'_>, at_left: bool) -> Eval {
    let text = str_arg(a, 0);
    let want = usize::try_from(int_arg(a, 1)).unwrap_or(0);
    let fill = if a.len() > 2 { str_arg(a, 2) } else { " " };
    let have = char_count(text);
    if want <= have || fill.is_empty() {
        return part(&text[..byte_at(text, want)]);
    }
    let widest = fill.chars().map(char::len_utf8).max().unwrap_or(1);
    ctx.check_len(text.len().saturating_add((want - have).saturating_mul(widest)))?;
    let mut out = Text::default();
    if !at_left {
        out.push_str(text)?;
    }
    out.extend(fill.chars().cycle().take(want - have))?;
    if at_left {
        out.push_str(text)?;
    }
    Ok(Datum::from(out.finish()?))
}

fn lpad(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    pad(a, ctx, true)
}

fn rpad(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    pad(a, ctx, false)
}

fn trim_set(a: &[Datum]) -> Result<Trim, SqlError> {
    Trim::of(if a.len() > 1 { str_arg(a, 1) } else { " " })
}

fn ltrim(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part(trim_set(a)?.start(str_arg(a, 0))?)
}

fn rtrim(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part(trim_set(a)?.end(str_arg(a, 0))?)
}

fn btrim(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let set = trim_set(a)?;
    part(set.end(set.start(str_arg(a, 0))?)?)
}

fn btrim_bytes(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (bytes, set) = (bytes_arg(a, 0), bytes_arg(a, 1));
    let mut trimmed = [false; 256];
    set.iter().for_each(|b| trimmed[usize::from(*b)] = true);
    let is_left = |b: &u8| !trimmed[usize::from(*b)];
    let start = bytes.iter().position(is_left).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_left).map_or(start, |i| i + 1);
    Ok(Datum::Bytes(kept_bytes(&bytes[start..end])?))
}

/// The text form of an argument of any type, as its output function gives it.
fn shown(d: &Datum, ctx: &EvalCtx<'_>) -> Result<String, SqlError> {
    to_text(d, d.natural_type(), -1, ctx.format)
}

fn concat(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    join("", a, ctx)
}

fn concat_ws(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    match &a[0] {
        Datum::Text(separator) => join(separator, &a[1..], ctx),
        _ => Ok(Datum::Null),
    }
}

/// Joins what is not NULL.
fn join(separator: &str, values: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let mut out = Text::default();
    for (i, v) in values.iter().filter(|v| !v.is_null()).enumerate() {
        if i > 0 {
            out.push_str(separator)?;
        }
        match v {
            Datum::Text(s) => {
                ctx.check_len(out.len() + s.len())?;
                out.push_str(s)?;
            }
            other => out.push_str(&shown(other, ctx)?)?,
        }
        ctx.check_len(out.len())?;
    }
    Ok(Datum::from(out.finish()?))
}

fn ascii(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(str_arg(a, 0).chars().next().map_or(0, |c| c as i32)))
}

fn chr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = int_arg(a, 0);
    if v == 0 {
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "null character not permitted"));
    }
    if v < 0 {
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "character number must be positive"));
    }
    match u32::try_from(v).ok().filter(|v| *v <= 0x10_FFFF) {
        Some(code) => match char::from_u32(code) {
            Some(c) => Ok(Datum::text(c.to_string())),
            None => Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("requested character not valid for encoding: {v}"),
            )),
        },
        None => Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("requested character too large for encoding: {v}"),
        )),
    }
}

fn split_part(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, separator, n) = (str_arg(a, 0), str_arg(a, 1), int_arg(a, 2));
    if n == 0 {
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "field position must not be zero"));
    }
    if text.is_empty() || separator.is_empty() {
        let whole = n == 1 || n == -1;
        return if whole { Ok(a[0].clone()) } else { Ok(Datum::text("")) };
    }
    let mut pace = Pace::default();
    let skipped = if n > 0 {
        n - 1
    } else {
        let (mut parts, mut at) = (1, 0);
        while let Some(found) = find(text, separator, at)? {
            pace.step()?;
            (parts, at) = (parts + 1, found + separator.len());
        }
        parts + n
    };
    if skipped < 0 {
        return Ok(Datum::text(""));
    }
    let mut at = 0;
    for _ in 0..skipped {
        pace.step()?;
        match find(text, separator, at)? {
            Some(found) => at = found + separator.len(),
            None => return Ok(Datum::text("")),
        }
    }
    part(&text[at..find(text, separator, at)?.unwrap_or(text.len())])
}

fn to_base(v: u64, base: u32) -> String {
    match base {
        16 => format!("{v:x}"),
        8 => format!("{v:o}"),
        _ => format!("{v:b}"),
    }
}

/// The bits of an integer at its own width, as an unsigned number.
fn bits(d: &Datum) -> u64 {
    match d {
        Datum::Int4(v) => u64::from(*v as u32),
        other => other.as_i64().unwrap_or(0) as u64,
    }
}

fn to_hex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(to_base(bits(&a[0]), 16)))
}

fn to_oct(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(to_base(bits(&a[0]), 8)))
}

fn to_bin(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(to_base(bits(&a[0]), 2)))
}

pub(super) fn translate(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut to = str_arg(a, 2).chars();
    // The first of several counterparts counts.
    let mut by_char = HashMap::new();
    let mut pace = Pace::default();
    for c in str_arg(a, 1).chars() {
        pace.step()?;
        let counterpart = to.next();
        by_char.entry(c).or_insert(counterpart);
    }
    let mut out = Text::default();
    // Characters without a counterpart are dropped.
    out.extend(str_arg(a, 0).chars().filter_map(|c| by_char.get(&c).copied().unwrap_or(Some(c))))?;
    Ok(Datum::from(out.finish()?))
}

fn starts_with(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(str_arg(a, 0).starts_with(str_arg(a, 1))))
}

fn num_nulls(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(a.iter().filter(|d| d.is_null()).count() as i32))
}

fn num_nonnulls(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(a.iter().filter(|d| !d.is_null()).count() as i32))
}

const S: &[T] = &[T::Text];
const SS: &[T] = &[T::Text, T::Text];
const SI: &[T] = &[T::Text, T::Int4];
const SIS: &[T] = &[T::Text, T::Int4, T::Text];
const B: &[T] = &[T::Bytea];

pub(super) static TABLE: &[ScalarFn] = &[
    f("length", S, T::Int4, length),
    f("length", &[T::Bpchar], T::Int4, length_unpadded),
    f("length", B, T::Int4, octet_length),
    f("char_length", S, T::Int4, length),
    f("char_length", &[T::Bpchar], T::Int4, length_unpadded),
    f("character_length", S, T::Int4, length),
    f("character_length", &[T::Bpchar], T::Int4, length_unpadded),
    f("octet_length", S, T::Int4, octet_length),
    f("octet_length", &[T::Bpchar], T::Int4, octet_length),
    f("octet_length", B, T::Int4, octet_length),
    f("bit_length", S, T::Int4, bit_length),
    f("bit_length", B, T::Int4, bit_length),
    f("lower", S, T::Text, lower),
    f("upper", S, T::Text, upper),
    f("initcap", S, T::Text, initcap),
    f("casefold", S, T::Text, casefold),
    f("position", SS, T::Int4, position),
    f("strpos", SS, T::Int4, position),
    f("replace", &[T::Text, T::Text, T::Text], T::Text, replace),
    f("repeat", SI, T::Text, repeat),
    f("reverse", S, T::Text, reverse),
    f("left", SI, T::Text, left),
    f("right", SI, T::Text, right),
    f("lpad", SI, T::Text, lpad),
    f("lpad", SIS, T::Text, lpad),
    f("rpad", SI, T::Text, rpad),
    f("rpad", SIS, T::Text, rpad),
    f("ltrim", S, T::Text, ltrim),
    f("ltrim", SS, T::Text, ltrim),
    f("rtrim", S, T::Text, rtrim),
    f("rtrim", SS, T::Text, rtrim),
    f("btrim", S, T::Text, btrim),
    f("btrim", SS, T::Text, btrim),
    f("btrim", &[T::Bytea, T::Bytea], T::Bytea, btrim_bytes),
    variadic(lenient(stable("concat", &[T::Any], T::Text, concat))),
    variadic(lenient(stable("concat_ws", &[T::Text, T::Any], T::Text, concat_ws))),
    f("ascii", S, T::Int4, ascii),
    f("chr", &[T::Int4], T::Text, chr),
    f("split_part", &[T::Text, T::Text, T::Int4], T::Text, split_part),
    f("to_hex", &[T::Int4], T::Text, to_hex),
    f("to_hex", &[T::Int8], T::Text, to_hex),
    f("to_oct", &[T::Int4], T::Text, to_oct),
    f("to_oct", &[T::Int8], T::Text, to_oct),
    f("to_bin", &[T::Int4], T::Text, to_bin),
    f("to_bin", &[T::Int8], T::Text, to_bin),
    f("translate", &[T::Text, T::Text, T::Text], T::Text, translate),
    f("starts_with", SS, T::Bool, starts_with),
    variadic(lenient(f("num_nulls", &[T::Any], T::Int4, num_nulls))),
    variadic(lenient(f("num_nonnulls", &[T::Any], T::Int4, num_nonnulls))),
];
