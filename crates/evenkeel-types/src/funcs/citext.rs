//! Functions and operators of the extension `citext`: those of `text` that find something find it in any letters.
//!
//! Must not know: whether the extension was asked for.

use super::{Eval, f, int_arg, part, regex, str_arg};
use crate::chars::lower;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarCall, ScalarFn};
use crate::like::like_text;
use crate::ops::op;
use crate::ty::Type as T;

fn small(d: &[Datum], n: usize) -> Datum {
    Datum::from(lower(str_arg(d, n)))
}

fn text(d: &[Datum], n: usize) -> Datum {
    Datum::text(str_arg(d, n))
}

fn like(a: &[Datum]) -> Result<bool, SqlError> {
    like_text(&lower(str_arg(a, 0)), &lower(str_arg(a, 1)))
}

fn is_like(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    like(a).map(Datum::Bool)
}

fn is_not_like(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!like(a)?))
}

fn matches(a: &[Datum]) -> Result<bool, SqlError> {
    let flags = crate::regexp::Flags { case_insensitive: true, ..Default::default() };
    crate::regexp::compiled(str_arg(a, 1), flags)?.is_match(str_arg(a, 0))
}

fn is_match(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    matches(a).map(Datum::Bool)
}

fn is_no_match(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!matches(a)?))
}

/// The arguments of a function of `text`, with flags that say that letters may be any, unless they say the contrary.
fn insensitive(a: &[Datum], before: usize) -> Vec<Datum> {
    let mut flags = str_arg(a, before).to_owned();
    if !flags.contains('c') {
        flags.push('i');
    }
    (0..before).map(|n| text(a, n)).chain([Datum::from(flags)]).collect()
}

fn regexp_match(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    regex::regexp_match(&insensitive(a, 2), ctx)
}

fn regexp_replace(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    regex::regexp_replace(&insensitive(a, 3), ctx)
}

fn regexp_split_to_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    regex::split(&insensitive(a, 2), "regexp_split_to_array()")
}

/// For the functions that return rows.
pub(crate) fn insensitive_pattern(a: &[Datum]) -> Vec<Datum> {
    insensitive(a, 2)
}

/// A text as a pattern that finds it, as PostgreSQL's function makes it.
fn pattern_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn replace(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let pattern = Datum::from(pattern_of(str_arg(a, 1)));
    regex::regexp_replace(&[text(a, 0), pattern, text(a, 2), Datum::text("gi")], ctx)
}

/// (SQL) `(regexp_split_to_array($1, pattern of $2, 'i'))[$3]`
fn split_part(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let pattern = Datum::from(pattern_of(str_arg(a, 1)));
    let parts = regex::split(&[text(a, 0), pattern, Datum::text("i")], "regexp_split_to_array()")?;
    let n = usize::try_from(int_arg(a, 2) - 1).ok();
    let found = parts.as_array().zip(n).and_then(|(p, n)| p.values.get(n).cloned());
    Ok(found.unwrap_or(Datum::Null))
}

fn strpos(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    super::strings::place(&lower(str_arg(a, 0)), &lower(str_arg(a, 1)))
}

fn translate(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let to = text(a, 2);
    let once = super::strings::translate(&[text(a, 0), small(a, 1), to.clone()], ctx)?;
    let great: String = str_arg(a, 1).chars().flat_map(char::to_uppercase).collect();
    super::strings::translate(&[once, Datum::from(great), to], ctx)
}

fn compare(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(crate::compare::compare(&a[0], &a[1]) as i32))
}

fn larger(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(a[usize::from(crate::compare::compare(&a[0], &a[1]).is_lt())].clone())
}

fn smaller(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(a[usize::from(crate::compare::compare(&a[0], &a[1]).is_gt())].clone())
}

/// `citext(inet)` and `citext(boolean)` are casts; of `bpchar` too.
fn of_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match part(str_arg(a, 0))? {
        Datum::Text(s) => Ok(Datum::Citext(s)),
        other => Ok(other),
    }
}

const C: T = T::Citext;
const CC: &[T] = &[C, C];
const CT: &[T] = &[C, T::Text];
const CCT: &[T] = &[C, C, T::Text];

pub(super) const TABLE: &[ScalarFn] = &[
    f("regexp_match", CC, T::TextArray, regexp_match),
    f("regexp_match", CCT, T::TextArray, regexp_match),
    f("regexp_replace", CCT, T::Text, regexp_replace),
    f("regexp_replace", &[C, C, T::Text, T::Text], T::Text, regexp_replace),
    f("regexp_split_to_array", CC, T::TextArray, regexp_split_to_array),
    f("regexp_split_to_array", CCT, T::TextArray, regexp_split_to_array),
    f("strpos", CC, T::Int4, strpos),
    f("replace", &[C, C, C], T::Text, replace),
    f("split_part", &[C, C, T::Int4], T::Text, split_part),
    f("translate", CCT, T::Text, translate),
    f("citext_cmp", CC, T::Int4, compare),
    f("citext_larger", CC, C, larger),
    f("citext_smaller", CC, C, smaller),
    f("citext", &[T::Bpchar], C, of_text),
];

const FINDING: &[(&str, ScalarCall)] = &[
    ("~~", is_like),
    ("!~~", is_not_like),
    ("~~*", is_like),
    ("!~~*", is_not_like),
    ("~", is_match),
    ("!~", is_no_match),
    ("~*", is_match),
    ("!~*", is_no_match),
];

pub(crate) fn operators() -> Vec<ScalarFn> {
    let each = |(name, call): &(&'static str, ScalarCall)| {
        [op(name, CC, T::Bool, *call), op(name, CT, T::Bool, *call)]
    };
    FINDING.iter().flat_map(each).collect()
}
