//! The parts of arrays and objects of JSON, one a row.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::json_text::{json_arg, part, part_text};
use crate::funcs::jsonb::{jsonb_arg, kept, kept_text, mistake};
use crate::funcs::jsonpath::{Call, jsonb_of};
use crate::function::EvalCtx;
use crate::json::Kind;
use crate::json::binary::{Items, Pairs};
use crate::json::span::{Node, What, nodes};
use crate::ty::Type as T;

type Done = Result<(), SqlError>;

fn pairs<'a>(a: &'a [Datum], name: &str) -> Result<Pairs<'a>, SqlError> {
    match jsonb_arg(a, 0)?.kind() {
        Kind::Object(pairs) => Ok(pairs),
        _ => Err(mistake(format!("cannot call {name} on a non-object"))),
    }
}

fn items<'a>(a: &'a [Datum]) -> Result<Items<'a>, SqlError> {
    match jsonb_arg(a, 0)?.kind() {
        Kind::Array(items) => Ok(items),
        Kind::Object(_) => Err(mistake("cannot extract elements from an object")),
        _ => Err(mistake("cannot extract elements from a scalar")),
    }
}

fn each_b(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    pairs(a, "jsonb_each")?.iter().try_for_each(|(key, v)| out.push([Datum::text(key), kept(Some(v))?]))
}

fn each_text_b(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    let pairs = pairs(a, "jsonb_each_text")?;
    pairs.iter().try_for_each(|(key, v)| out.push([Datum::text(key), kept_text(Some(v))?]))
}

fn elements_b(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    items(a)?.iter().try_for_each(|v| out.push([kept(Some(v))?]))
}

fn elements_text_b(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    items(a)?.iter().try_for_each(|v| out.push([kept_text(Some(v))?]))
}

fn keys_b(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    match jsonb_arg(a, 0)?.kind() {
        Kind::Object(pairs) => pairs.iter().try_for_each(|(key, _)| out.push([Datum::text(key)])),
        Kind::Array(_) => Err(mistake("cannot call jsonb_object_keys on an array")),
        _ => Err(mistake("cannot call jsonb_object_keys on a scalar")),
    }
}

fn each_of(a: &[Datum], out: &mut Rows, give: fn(Option<&Node<'_>>) -> Result<Datum, SqlError>) -> Done {
    match &nodes(json_arg(a, 0)?)?.what {
        What::Object(pairs) => {
            pairs.iter().try_for_each(|(key, v)| out.push([Datum::text(key), give(Some(v))?]))
        }
        What::Array(_) => Err(mistake("cannot deconstruct an array as an object")),
        _ => Err(mistake("cannot deconstruct a scalar")),
    }
}

fn each(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    each_of(a, out, part)
}

fn each_text(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    each_of(a, out, part_text)
}

fn elements_of(
    a: &[Datum],
    out: &mut Rows,
    name: &str,
    give: fn(Option<&Node<'_>>) -> Result<Datum, SqlError>,
) -> Done {
    match &nodes(json_arg(a, 0)?)?.what {
        What::Array(items) => items.iter().try_for_each(|v| out.push([give(Some(v))?])),
        What::Object(_) => Err(mistake(format!("cannot call {name} on a non-array"))),
        _ => Err(mistake(format!("cannot call {name} on a scalar"))),
    }
}

fn elements(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    elements_of(a, out, "json_array_elements", part)
}

fn elements_text(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    elements_of(a, out, "json_array_elements_text", part_text)
}

fn keys(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Done {
    match &nodes(json_arg(a, 0)?)?.what {
        What::Object(pairs) => pairs.iter().try_for_each(|(key, _)| out.push([Datum::text(key)])),
        What::Array(_) => Err(mistake("cannot call json_object_keys on an array")),
        _ => Err(mistake("cannot call json_object_keys on a scalar")),
    }
}

fn path_query(a: &[Datum], zoned: bool, ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    Call::of(a)?.query(zoned, ctx)?.iter().try_for_each(|item| out.push([jsonb_of(item)?]))
}

fn path_query_plain(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    path_query(a, false, ctx, out)
}

fn path_query_tz(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Done {
    path_query(a, true, ctx, out)
}

const J: &[T] = &[T::Json];
const PATH: &[T] = &[T::Jsonb, T::Jsonpath];
const PATH_VARS: &[T] = &[T::Jsonb, T::Jsonpath, T::Jsonb];
const PATH_SILENT: &[T] = &[T::Jsonb, T::Jsonpath, T::Jsonb, T::Bool];
const QUERY: &[(&str, T)] = &[("jsonb_path_query", T::Jsonb)];
const QUERY_TZ: &[(&str, T)] = &[("jsonb_path_query_tz", T::Jsonb)];
const JB: &[T] = &[T::Jsonb];

pub(super) const TABLE: &[SetFn] = &[
    set("json_each", J, &[("key", T::Text), ("value", T::Json)], each),
    set("json_each_text", J, &[("key", T::Text), ("value", T::Text)], each_text),
    set("json_array_elements", J, &[("value", T::Json)], elements),
    set("json_array_elements_text", J, &[("value", T::Text)], elements_text),
    set("json_object_keys", J, &[("json_object_keys", T::Text)], keys),
    set("jsonb_path_query", PATH, QUERY, path_query_plain),
    set("jsonb_path_query", PATH_VARS, QUERY, path_query_plain),
    set("jsonb_path_query", PATH_SILENT, QUERY, path_query_plain),
    set("jsonb_path_query_tz", PATH, QUERY_TZ, path_query_tz),
    set("jsonb_path_query_tz", PATH_VARS, QUERY_TZ, path_query_tz),
    set("jsonb_path_query_tz", PATH_SILENT, QUERY_TZ, path_query_tz),
    set("jsonb_each", JB, &[("key", T::Text), ("value", T::Jsonb)], each_b),
    set("jsonb_each_text", JB, &[("key", T::Text), ("value", T::Text)], each_text_b),
    set("jsonb_array_elements", JB, &[("value", T::Jsonb)], elements_b),
    set("jsonb_array_elements_text", JB, &[("value", T::Text)], elements_text_b),
    set("jsonb_object_keys", JB, &[("jsonb_object_keys", T::Text)], keys_b),
];
