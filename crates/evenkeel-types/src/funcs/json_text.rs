//! Functions on `json`, which stays the text that it was. The operators are the same functions.

use super::jsonb::{mistake, text_datum};
use super::{Eval, bool_arg, f, int_arg, str_arg, variadic};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::guard::build::{kept, make_room};
use crate::json::edit::index_of;
use crate::json::span::{Node, What, nodes};
use crate::json::{deeper, output};
use crate::ty::Type as T;

/// The text of the `json` argument `i`.
pub(crate) fn json_arg(a: &[Datum], i: usize) -> Result<&str, SqlError> {
    match a.get(i) {
        Some(Datum::Json(s)) => Ok(s),
        _ => Err(SqlError::internal("a json was expected")),
    }
}

/// A part of a text, to keep.
pub(crate) fn part(node: Option<&Node<'_>>) -> Eval {
    Ok(match node {
        Some(node) => Datum::Json(kept(node.text)?),
        None => Datum::Null,
    })
}

/// A part of a text as text.
pub(crate) fn part_text(node: Option<&Node<'_>>) -> Eval {
    match node.map(Node::as_text).transpose()?.flatten() {
        Some(text) => super::part(&text),
        None => Ok(Datum::Null),
    }
}

/// `json -> text`
pub fn object_field(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part(nodes(json_arg(a, 0)?)?.field(str_arg(a, 1)))
}

/// `json ->> text`
pub fn object_field_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part_text(nodes(json_arg(a, 0)?)?.field(str_arg(a, 1)))
}

/// `json -> integer`
pub fn array_element(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part(nodes(json_arg(a, 0)?)?.element(int_arg(a, 1)))
}

/// `json ->> integer`
pub fn array_element_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    part_text(nodes(json_arg(a, 0)?)?.element(int_arg(a, 1)))
}

fn at_path<'n, 'a>(node: &'n Node<'a>, steps: &[&str]) -> Option<&'n Node<'a>> {
    steps.iter().try_fold(node, |node, step| match &node.what {
        What::Object(_) => node.field(step),
        What::Array(_) => node.element(index_of(step)?.into()),
        _ => None,
    })
}

fn along(text: &str, steps: Option<Vec<&str>>, give: fn(Option<&Node<'_>>) -> Eval) -> Eval {
    match steps {
        Some(steps) => {
            let node = nodes(text)?;
            give(at_path(&node, &steps))
        }
        None => Ok(Datum::Null),
    }
}

/// `json #> text[]`
pub fn extract_path(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    along(json_arg(a, 0)?, a[1].as_array().and_then(super::jsonb::steps), part)
}

/// `json #>> text[]`
pub fn extract_path_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    along(json_arg(a, 0)?, a[1].as_array().and_then(super::jsonb::steps), part_text)
}

fn extract_listed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    along(json_arg(a, 0)?, a[1..].iter().map(Datum::as_str).collect(), part)
}

fn extract_listed_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    along(json_arg(a, 0)?, a[1..].iter().map(Datum::as_str).collect(), part_text)
}

fn type_of(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    // The first character says it; the rest was checked when it came in.
    let text = json_arg(a, 0)?.trim_start_matches([' ', '\t', '\n', '\r']);
    Ok(Datum::text(match text.as_bytes().first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }))
}

fn array_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match &nodes(json_arg(a, 0)?)?.what {
        What::Array(items) => Ok(Datum::Int4(items.len() as i32)),
        What::Object(_) => Err(mistake("cannot get array length of a non-array")),
        _ => Err(mistake("cannot get array length of a scalar")),
    }
}

/// Without what is null, and without blanks between tokens.
fn write_without_nulls(
    node: &Node<'_>,
    in_arrays: bool,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), SqlError> {
    let put = |bytes: &[u8], out: &mut Vec<u8>, pace: &mut Pace| {
        make_room(out, bytes.len())?;
        out.extend_from_slice(bytes);
        pace.bytes(bytes.len())
    };
    let mut first = true;
    let mut comma = |out: &mut Vec<u8>, pace: &mut Pace| {
        if std::mem::take(&mut first) { Ok(()) } else { put(b",", out, pace) }
    };
    match &node.what {
        What::Array(items) => {
            put(b"[", out, pace)?;
            for item in items.iter().filter(|i| !in_arrays || !matches!(i.what, What::Null)) {
                comma(out, pace)?;
                deeper(|| write_without_nulls(item, in_arrays, out, pace))?;
            }
            put(b"]", out, pace)
        }
        What::Object(pairs) => {
            put(b"{", out, pace)?;
            for (key, item) in pairs.iter().filter(|(_, v)| !matches!(v.what, What::Null)) {
                comma(out, pace)?;
                output::write_string(key, out)?;
                put(b":", out, pace)?;
                deeper(|| write_without_nulls(item, in_arrays, out, pace))?;
            }
            put(b"}", out, pace)
        }
        What::Str(is_escaped) => {
            output::write_string(&crate::json::lex::unescape(node.text, *is_escaped)?, out)
        }
        _ => put(node.text.as_bytes(), out, pace),
    }
}

fn strip_nulls(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let node = nodes(json_arg(a, 0)?)?;
    let mut out = Vec::new();
    write_without_nulls(&node, bool_arg(a, 1), &mut out, &mut Pace::default())?;
    match text_datum(out)? {
        Datum::Text(s) => Ok(Datum::Json(s)),
        other => Ok(other),
    }
}

const JT: &[T] = &[T::Json, T::Text];
const JI: &[T] = &[T::Json, T::Int4];

pub(super) const TABLE: &[ScalarFn] = &[
    f("json_object_field", JT, T::Json, object_field),
    f("json_object_field_text", JT, T::Text, object_field_text),
    f("json_array_element", JI, T::Json, array_element),
    f("json_array_element_text", JI, T::Text, array_element_text),
    variadic(f("json_extract_path", JT, T::Json, extract_listed)),
    variadic(f("json_extract_path_text", JT, T::Text, extract_listed_text)),
    f("json_typeof", &[T::Json], T::Text, type_of),
    f("json_array_length", &[T::Json], T::Int4, array_length),
    f("json_strip_nulls", &[T::Json], T::Json, strip_nulls),
    f("json_strip_nulls", &[T::Json, T::Bool], T::Json, strip_nulls),
];
