//! Functions on regular expressions.

use super::{Eval, f, int_arg, part, str_arg};
use crate::chars::{byte_at, char_count};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::guard::build::{Text, make_room};
use crate::guard::discard::Large;
use crate::regexp::{Compiled, Flags, Groups, compiled};
use crate::ty::Type as T;
use std::ops::Range;
use std::sync::Arc;

fn flags(a: &[Datum], i: usize) -> Result<Flags, SqlError> {
    a.get(i).map_or(Ok(Flags::default()), |d| Flags::parse(d.as_str().unwrap_or("")))
}

fn no_global(f: Flags, function: &str) -> Result<Flags, SqlError> {
    if f.global {
        return Err(SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("{function} does not support the \"global\" option"),
        ));
    }
    Ok(f)
}

fn positive(name: &str, v: i64) -> Result<usize, SqlError> {
    usize::try_from(v).ok().filter(|v| *v > 0).ok_or_else(|| {
        SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"{name}\": {v}"),
        )
    })
}

/// Byte position of the 1-based character `start`; `None` beyond the end.
fn from_char(text: &str, start: usize) -> Option<usize> {
    let at = byte_at(text, start - 1);
    (at < text.len() || char_count(text) == start - 1).then_some(at)
}

/// A PostgreSQL replacement: `\1` to `\9` groups, `\&` the match, `\\` a backslash.
fn expand(template: &str, text: &str, c: &Groups, out: &mut Text) -> Result<(), SqlError> {
    let mut chars = template.chars().peekable();
    while let Some(ch) = chars.next() {
        if ch != '\\' {
            out.push(ch)?;
            continue;
        }
        match chars.peek().copied() {
            Some(d @ '1'..='9') => {
                chars.next();
                out.push_str(c.get(d as usize - '0' as usize).map_or("", |m| &text[m]))?;
            }
            Some('&') => {
                chars.next();
                out.push_str(c.get(0).map_or("", |m| &text[m]))?;
            }
            Some('\\') => {
                chars.next();
                out.push('\\')?;
            }
            _ => out.push('\\')?,
        }
    }
    Ok(())
}

/// Replaces match number `n` (0: every one) at or after a byte position.
fn replace_matches(
    text: &str,
    re: &Compiled,
    template: &str,
    from: usize,
    n: usize,
    ctx: &EvalCtx<'_>,
) -> Result<Arc<str>, SqlError> {
    let mut out = Text::default();
    let mut pace = Pace::default();
    let mut copied = 0;
    let mut seen = 0;
    let mut at = from;
    while at <= text.len() {
        let Some(c) = re.captures_at(text, at)? else { break };
        let Some(m) = c.get(0) else { break };
        seen += 1;
        pace.bytes(MATCH_BYTES + m.end - at)?;
        if n == 0 || seen == n {
            out.push_str(&text[copied..m.start])?;
            expand(template, text, &c, &mut out)?;
            copied = m.end;
            ctx.check_len(out.len() + text.len() - copied)?;
            if n != 0 {
                break;
            }
        }
        at = after(text, &m);
    }
    out.push_str(&text[copied..])?;
    out.finish()
}

pub(super) fn regexp_replace(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let f = flags(a, 3).map_err(|e| match a.get(3).and_then(Datum::as_str) {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => e.with_hint(
            "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.",
        ),
        _ => e,
    })?;
    let re = compiled(str_arg(a, 1), f)?;
    let n = usize::from(!f.global);
    Ok(Datum::from(replace_matches(str_arg(a, 0), &re, str_arg(a, 2), 0, n, ctx)?))
}

/// With a start, a match number and flags.
fn regexp_replace_at(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let f = flags(a, 5)?;
    let re = compiled(str_arg(a, 1), f)?;
    let text = str_arg(a, 0);
    let start = positive("start", int_arg(a, 3))?;
    let n = match a.get(4) {
        Some(_) if int_arg(a, 4) < 0 => positive("n", int_arg(a, 4))?,
        Some(_) => int_arg(a, 4) as usize,
        None => 1,
    };
    match from_char(text, start) {
        Some(from) => Ok(Datum::from(replace_matches(text, &re, str_arg(a, 2), from, n, ctx)?)),
        None => Ok(a[0].clone()),
    }
}

/// What finding a match costs, as bytes of text.
const MATCH_BYTES: usize = 64;

/// Visits the matches that do not overlap, an empty one beside another match left out.
fn each_match(
    re: &Compiled,
    text: &str,
    mut f: impl FnMut(Range<usize>) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let mut pace = Pace::default();
    let (mut at, mut last_end) = (0, None);
    while at <= text.len() {
        let Some(m) = re.find_at(text, at)? else { break };
        pace.bytes(MATCH_BYTES + m.end - at)?;
        at = after(text, &m);
        if m.is_empty() && last_end == Some(m.end) {
            continue;
        }
        last_end = Some(m.end);
        f(m)?;
    }
    Ok(())
}

/// Where to go on: after an empty match at the next character.
fn after(text: &str, m: &Range<usize>) -> usize {
    match m.is_empty() {
        false => m.end,
        true => text[m.end..].chars().next().map_or(text.len() + 1, |ch| m.end + ch.len_utf8()),
    }
}

fn groups(re: &Compiled, text: &str, c: &Groups) -> Eval {
    let value = |i: usize| c.get(i).map_or(Ok(Datum::Null), |m| part(&text[m]));
    let wanted = if re.groups() > 1 { 1..re.groups() } else { 0..1 };
    Ok(Datum::array(T::Text, wanted.map(value).collect::<Result<_, _>>()?))
}

pub(super) fn regexp_match(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let f = flags(a, 2)?;
    if f.global {
        return Err(no_global(f, "regexp_match()")
            .unwrap_err()
            .with_hint("Use the regexp_matches function instead."));
    }
    let (re, text) = (compiled(str_arg(a, 1), f)?, str_arg(a, 0));
    re.captures_at(text, 0)?.map_or(Ok(Datum::Null), |c| groups(&re, text, &c))
}

fn regexp_like(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let f = no_global(flags(a, 2)?, "regexp_like()")?;
    Ok(Datum::Bool(compiled(str_arg(a, 1), f)?.is_match(str_arg(a, 0))?))
}

fn regexp_count(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let f = no_global(flags(a, 3)?, "regexp_count()")?;
    let re = compiled(str_arg(a, 1), f)?;
    let start = if a.len() > 2 { positive("start", int_arg(a, 2))? } else { 1 };
    let text = str_arg(a, 0);
    // What is before the start is seen by anchors; an empty match behind another one counts.
    let (mut at, mut n) = (from_char(text, start).unwrap_or(text.len() + 1), 0);
    let mut pace = Pace::default();
    while at <= text.len() {
        let Some(m) = re.find_at(text, at)? else { break };
        pace.bytes(MATCH_BYTES + m.end - at)?;
        at = after(text, &m);
        n += 1;
    }
    Ok(Datum::Int4(n))
}

/// The `n`-th match at or after a character, and the group asked for.
fn nth_match(
    a: &[Datum],
    flag_arg: usize,
    group_arg: usize,
    name: &str,
) -> Result<Option<Range<usize>>, SqlError> {
    let text = str_arg(a, 0);
    let f = no_global(flags(a, flag_arg)?, name)?;
    let re = compiled(str_arg(a, 1), f)?;
    let start = if a.len() > 2 { positive("start", int_arg(a, 2))? } else { 1 };
    let n = if a.len() > 3 { positive("n", int_arg(a, 3))? } else { 1 };
    let group = if a.len() > group_arg { int_arg(a, group_arg) } else { 0 };
    let group = usize::try_from(group).map_err(|_| {
        SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"subexpr\": {group}"),
        )
    })?;
    let Some(from) = from_char(text, start) else { return Ok(None) };
    let mut at = from;
    let mut left = n;
    let mut pace = Pace::default();
    while at <= text.len() {
        let Some(c) = re.captures_at(text, at)? else { return Ok(None) };
        let Some(m) = c.get(0) else { return Ok(None) };
        left -= 1;
        pace.bytes(MATCH_BYTES + m.end - at)?;
        if left == 0 {
            return Ok(c.get(group));
        }
        at = after(text, &m);
    }
    Ok(None)
}

fn regexp_substr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    nth_match(a, 4, 5, "regexp_substr()")?.map_or(Ok(Datum::Null), |m| part(&str_arg(a, 0)[m]))
}

fn regexp_instr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let end = match a.get(4).and_then(Datum::as_i64) {
        None | Some(0) => false,
        Some(1) => true,
        Some(n) => {
            let why = format!("invalid value for parameter \"endoption\": {n}");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
        }
    };
    let text = str_arg(a, 0);
    Ok(Datum::Int4(nth_match(a, 5, 6, "regexp_instr()")?.map_or(0, |m| {
        let byte = if end { m.end } else { m.start };
        char_count(&text[..byte]) as i32 + 1
    })))
}

fn regexp_split_to_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    split(a, "regexp_split_to_array()")
}

/// The groups of the first match, or of all with the flag `g`.
pub(crate) fn all_matches(
    a: &[Datum],
    mut each: impl FnMut(Datum) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let f = flags(a, 2)?;
    let (re, text) = (compiled(str_arg(a, 1), f)?, str_arg(a, 0));
    let (mut at, mut pace) = (0, Pace::default());
    while at <= text.len() {
        let Some(c) = re.captures_at(text, at)? else { break };
        let Some(m) = c.get(0) else { break };
        pace.bytes(MATCH_BYTES + m.end - at)?;
        each(groups(&re, text, &c)?)?;
        if !f.global {
            break;
        }
        at = after(text, &m);
    }
    Ok(())
}

/// The parts of a text between matches.
pub(crate) fn split(a: &[Datum], name: &str) -> Eval {
    let f = no_global(flags(a, 2)?, name)?;
    let re = compiled(str_arg(a, 1), f)?;
    let text = str_arg(a, 0);
    let mut parts: Large<Vec<Datum>> = Large::default();
    let mut last = 0;
    each_match(&re, text, |m| {
        // An empty match at either end or right after a match splits nothing.
        if m.is_empty() && (m.start == last || m.end == text.len()) {
            if m.start == last && m.start > 0 && m.start < text.len() {
                return Ok(());
            }
            if m.start == 0 || m.end == text.len() {
                return Ok(());
            }
        }
        make_room(&mut parts, 1)?;
        parts.push(part(&text[last..m.start])?);
        last = m.end;
        Ok(())
    })?;
    parts.push(part(&text[last..])?);
    Ok(Datum::array(T::Text, parts.into_inner()))
}

const S2: &[T] = &[T::Text, T::Text];
const S3: &[T] = &[T::Text, T::Text, T::Text];
const S4: &[T] = &[T::Text, T::Text, T::Text, T::Text];

pub(super) static TABLE: &[ScalarFn] = &[
    f("regexp_replace", S3, T::Text, regexp_replace),
    f("regexp_replace", S4, T::Text, regexp_replace),
    f("regexp_replace", &[T::Text, T::Text, T::Text, T::Int4], T::Text, regexp_replace_at),
    f("regexp_replace", &[T::Text, T::Text, T::Text, T::Int4, T::Int4], T::Text, regexp_replace_at),
    f("regexp_replace", &[T::Text, T::Text, T::Text, T::Int4, T::Int4, T::Text], T::Text, regexp_replace_at),
    f("regexp_match", S2, T::TextArray, regexp_match),
    f("regexp_match", S3, T::TextArray, regexp_match),
    f("regexp_like", S2, T::Bool, regexp_like),
    f("regexp_like", S3, T::Bool, regexp_like),
    f("regexp_count", S2, T::Int4, regexp_count),
    f("regexp_count", &[T::Text, T::Text, T::Int4], T::Int4, regexp_count),
    f("regexp_count", &[T::Text, T::Text, T::Int4, T::Text], T::Int4, regexp_count),
    f("regexp_substr", S2, T::Text, regexp_substr),
    f("regexp_substr", &[T::Text, T::Text, T::Int4], T::Text, regexp_substr),
    f("regexp_substr", &[T::Text, T::Text, T::Int4, T::Int4], T::Text, regexp_substr),
    f("regexp_substr", &[T::Text, T::Text, T::Int4, T::Int4, T::Text], T::Text, regexp_substr),
    f("regexp_substr", &[T::Text, T::Text, T::Int4, T::Int4, T::Text, T::Int4], T::Text, regexp_substr),
    f("regexp_instr", S2, T::Int4, regexp_instr),
    f("regexp_instr", &[T::Text, T::Text, T::Int4], T::Int4, regexp_instr),
    f("regexp_instr", &[T::Text, T::Text, T::Int4, T::Int4], T::Int4, regexp_instr),
    f("regexp_instr", &[T::Text, T::Text, T::Int4, T::Int4, T::Int4], T::Int4, regexp_instr),
    f("regexp_instr", &[T::Text, T::Text, T::Int4, T::Int4, T::Int4, T::Text], T::Int4, regexp_instr),
    f(
        "regexp_instr",
        &[T::Text, T::Text, T::Int4, T::Int4, T::Int4, T::Text, T::Int4],
        T::Int4,
        regexp_instr,
    ),
    f("regexp_split_to_array", S2, T::TextArray, regexp_split_to_array),
    f("regexp_split_to_array", S3, T::TextArray, regexp_split_to_array),
];
