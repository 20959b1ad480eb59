//! Parts of texts, one a row.

use super::{Rows, SetFn, lenient, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::arrays::string_to_array;
use crate::funcs::citext::insensitive_pattern;
use crate::funcs::escapes::input_error;
use crate::funcs::regex;
use crate::function::EvalCtx;
use crate::ty::Type as T;

type Done = Result<(), SqlError>;

fn each(array: &Datum, out: &mut Rows) -> Done {
    array.as_array().map_or(Ok(()), |a| a.values.iter().try_for_each(|v| out.push([v.clone()])))
}

fn string_to_table(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    each(&string_to_array(a, ctx)?, out)
}

fn regexp_split_to_table(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    each(&regex::split(a, "regexp_split_to_table()")?, out)
}

fn regexp_matches(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    regex::all_matches(a, |groups| out.push([groups]))
}

fn regexp_split_any_letters(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    regexp_split_to_table(&insensitive_pattern(a), ctx, out)
}

fn regexp_matches_any_letters(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    regexp_matches(&insensitive_pattern(a), ctx, out)
}

/// What a text fails by as one of a value; NULLs if it does not.
fn input_error_info(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    let text = |t: Option<&str>| t.map_or(Datum::Null, Datum::text);
    match input_error(a, ctx)? {
        None => out.push([Datum::Null, Datum::Null, Datum::Null, Datum::Null]),
        Some(e) => out.push([
            text(Some(&e.message)),
            text(e.detail.as_deref()),
            text(e.hint.as_deref()),
            text(Some(e.code.as_str())),
        ]),
    }
}

const C2: &[T] = &[T::Citext, T::Citext];
const C3: &[T] = &[T::Citext, T::Citext, T::Text];
const S2: &[T] = &[T::Text, T::Text];
const S3: &[T] = &[T::Text, T::Text, T::Text];
const PARTS: &[(&str, T)] = &[("string_to_table", T::Text)];
const SPLIT: &[(&str, T)] = &[("regexp_split_to_table", T::Text)];
const MATCHES: &[(&str, T)] = &[("regexp_matches", T::TextArray)];

const INFO: &[(&str, T)] =
    &[("message", T::Text), ("detail", T::Text), ("hint", T::Text), ("sql_error_code", T::Text)];

pub(super) const TABLE: &[SetFn] = &[
    set("pg_input_error_info", S2, INFO, input_error_info),
    lenient(set("string_to_table", S2, PARTS, string_to_table)),
    lenient(set("string_to_table", S3, PARTS, string_to_table)),
    set("regexp_split_to_table", S2, SPLIT, regexp_split_to_table),
    set("regexp_split_to_table", S3, SPLIT, regexp_split_to_table),
    set("regexp_matches", S2, MATCHES, regexp_matches),
    set("regexp_matches", S3, MATCHES, regexp_matches),
    set("regexp_split_to_table", C2, SPLIT, regexp_split_any_letters),
    set("regexp_split_to_table", C3, SPLIT, regexp_split_any_letters),
    set("regexp_matches", C2, MATCHES, regexp_matches_any_letters),
    set("regexp_matches", C3, MATCHES, regexp_matches_any_letters),
];
