//! Operators on strings and byte strings: concatenation, LIKE, regular expressions.

use super::op;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::{Text, joined_bytes};
use crate::like::{like_bytes, like_text};
use crate::regexp::{self, Flags};
use crate::ty::Type as T;
use std::sync::Arc;

type Eval = Result<Datum, SqlError>;

fn s(d: &Datum) -> &str {
    d.as_str().unwrap_or("")
}

fn concat(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (x, y) = (s(&a[0]), s(&a[1]));
    ctx.check_len(x.len() + y.len())?;
    let mut out = Text::with_capacity(x.len() + y.len())?;
    out.push_str(x)?;
    out.push_str(y)?;
    Ok(Datum::from(out.finish()?))
}

fn concat_bytes(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (x, y) = (a[0].as_bytes().unwrap_or(&[]), a[1].as_bytes().unwrap_or(&[]));
    ctx.check_len(x.len() + y.len())?;
    Ok(Datum::Bytes(joined_bytes([x, y])?))
}

fn like(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(like_text(s(&a[0]), s(&a[1]))?))
}

fn not_like(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!like_text(s(&a[0]), s(&a[1]))?))
}

fn like_bytea(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(like_bytes(a[0].as_bytes().unwrap_or(&[]), a[1].as_bytes().unwrap_or(&[]))?))
}

fn not_like_bytea(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!like_bytes(a[0].as_bytes().unwrap_or(&[]), a[1].as_bytes().unwrap_or(&[]))?))
}

/// In small letters.
fn lower(text: &str) -> Result<Arc<str>, SqlError> {
    let mut out = Text::with_capacity(text.len())?;
    out.extend(text.chars().flat_map(char::to_lowercase))?;
    out.finish()
}

fn ilike(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(like_text(&lower(s(&a[0]))?, &lower(s(&a[1]))?)?))
}

fn not_ilike(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!like_text(&lower(s(&a[0]))?, &lower(s(&a[1]))?)?))
}

fn matches(a: &[Datum], case_insensitive: bool) -> Result<bool, SqlError> {
    let flags = Flags { case_insensitive, ..Flags::default() };
    regexp::compiled(s(&a[1]), flags)?.is_match(s(&a[0]))
}

fn regex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(matches(a, false)?))
}

fn not_regex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!matches(a, false)?))
}

fn iregex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(matches(a, true)?))
}

fn not_iregex(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(!matches(a, true)?))
}

fn starts_with(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(s(&a[0]).starts_with(s(&a[1]))))
}

fn pattern_lt(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(s(&a[0]).as_bytes() < s(&a[1]).as_bytes()))
}

fn pattern_le(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(s(&a[0]).as_bytes() <= s(&a[1]).as_bytes()))
}

fn pattern_ge(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(s(&a[0]).as_bytes() >= s(&a[1]).as_bytes()))
}

fn pattern_gt(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(s(&a[0]).as_bytes() > s(&a[1]).as_bytes()))
}

const TT: &[T] = &[T::Text, T::Text];
/// The blanks of a `bpchar` count where it is matched, and nowhere else.
const CT: &[T] = &[T::Bpchar, T::Text];
const BB: &[T] = &[T::Bytea, T::Bytea];
const NT: &[T] = &[T::Name, T::Text];

/// The functions that operators are of, by their names.
pub(crate) static CALLED: &[ScalarFn] = &[
    op("like", TT, T::Bool, like),
    op("like", BB, T::Bool, like_bytea),
    op("notlike", TT, T::Bool, not_like),
    op("notlike", BB, T::Bool, not_like_bytea),
    op("textlike", TT, T::Bool, like),
    op("textnlike", TT, T::Bool, not_like),
    op("texticlike", TT, T::Bool, ilike),
    op("texticnlike", TT, T::Bool, not_ilike),
    op("textregexeq", TT, T::Bool, regex),
    op("textregexne", TT, T::Bool, not_regex),
    op("texticregexeq", TT, T::Bool, iregex),
    op("texticregexne", TT, T::Bool, not_iregex),
    op("bpcharlike", CT, T::Bool, like),
    op("bpcharnlike", CT, T::Bool, not_like),
    op("bpchariclike", CT, T::Bool, ilike),
    op("bpcharicnlike", CT, T::Bool, not_ilike),
    op("bpcharregexeq", CT, T::Bool, regex),
    op("bpcharregexne", CT, T::Bool, not_regex),
    op("bpcharicregexeq", CT, T::Bool, iregex),
    op("bpcharicregexne", CT, T::Bool, not_iregex),
    op("namelike", NT, T::Bool, like),
    op("namenlike", NT, T::Bool, not_like),
    op("nameiclike", NT, T::Bool, ilike),
    op("nameicnlike", NT, T::Bool, not_ilike),
    op("nameregexeq", NT, T::Bool, regex),
    op("nameregexne", NT, T::Bool, not_regex),
    op("nameicregexeq", NT, T::Bool, iregex),
    op("nameicregexne", NT, T::Bool, not_iregex),
    op("bytealike", BB, T::Bool, like_bytea),
    op("byteanlike", BB, T::Bool, not_like_bytea),
    op("textcat", TT, T::Text, concat),
    op("byteacat", BB, T::Bytea, concat_bytes),
    op("textanycat", &[T::Text, T::AnyToText], T::Text, concat),
    op("anytextcat", &[T::AnyToText, T::Text], T::Text, concat),
];

pub(super) static TABLE: &[ScalarFn] = &[
    op("||", TT, T::Text, concat),
    op("||", &[T::AnyToText, T::Text], T::Text, concat),
    op("||", &[T::Text, T::AnyToText], T::Text, concat),
    op("||", BB, T::Bytea, concat_bytes),
    // Those of text_pattern_ops: by bytes, whatever the collation.
    op("~<~", TT, T::Bool, pattern_lt),
    op("~<=~", TT, T::Bool, pattern_le),
    op("~>=~", TT, T::Bool, pattern_ge),
    op("~>~", TT, T::Bool, pattern_gt),
    op("~~", TT, T::Bool, like),
    op("!~~", TT, T::Bool, not_like),
    op("~~", BB, T::Bool, like_bytea),
    op("!~~", BB, T::Bool, not_like_bytea),
    op("~~*", TT, T::Bool, ilike),
    op("!~~*", TT, T::Bool, not_ilike),
    op("~", TT, T::Bool, regex),
    op("!~", TT, T::Bool, not_regex),
    op("~*", TT, T::Bool, iregex),
    op("!~*", TT, T::Bool, not_iregex),
    op("~~", CT, T::Bool, like),
    op("!~~", CT, T::Bool, not_like),
    op("~~*", CT, T::Bool, ilike),
    op("!~~*", CT, T::Bool, not_ilike),
    op("~", CT, T::Bool, regex),
    op("!~", CT, T::Bool, not_regex),
    op("~*", CT, T::Bool, iregex),
    op("!~*", CT, T::Bool, not_iregex),
    op("^@", TT, T::Bool, starts_with),
];
