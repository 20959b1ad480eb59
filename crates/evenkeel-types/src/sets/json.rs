//! The parts of arrays and objects of JSON, one a row.

use super::{Rows, SetFn};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::json_text::{json_arg, part, part_text};
use crate::funcs::jsonb::{jsonb_arg, kept, kept_text, mistake};
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

const J: &[T] = &[T::Json];
const JB: &[T] = &[T::Jsonb];

pub(super) const TABLE: &[SetFn] = &[
    SetFn { name: "json_each", args: J, columns: &[("key", T::Text), ("value", T::Json)], call: each },
    SetFn {
        name: "json_each_text",
        args: J,
        columns: &[("key", T::Text), ("value", T::Text)],
        call: each_text,
    },
    SetFn { name: "json_array_elements", args: J, columns: &[("value", T::Json)], call: elements },
    SetFn { name: "json_array_elements_text", args: J, columns: &[("value", T::Text)], call: elements_text },
    SetFn { name: "json_object_keys", args: J, columns: &[("json_object_keys", T::Text)], call: keys },
    SetFn { name: "jsonb_each", args: JB, columns: &[("key", T::Text), ("value", T::Jsonb)], call: each_b },
    SetFn {
        name: "jsonb_each_text",
        args: JB,
        columns: &[("key", T::Text), ("value", T::Text)],
        call: each_text_b,
    },
    SetFn { name: "jsonb_array_elements", args: JB, columns: &[("value", T::Jsonb)], call: elements_b },
    SetFn {
        name: "jsonb_array_elements_text",
        args: JB,
        columns: &[("value", T::Text)],
        call: elements_text_b,
    },
    SetFn { name: "jsonb_object_keys", args: JB, columns: &[("jsonb_object_keys", T::Text)], call: keys_b },
];
