//! Functions that return rows made of what catalogs keep.
//!
//! Must not know: catalogs.

use super::{Rows, SetFn, lenient, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::place_in_log;
use crate::function::{EvalCtx, ObjectIdentity};
use crate::ty::Type;

/// `name=value` of each option.
fn options(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Datum::Array(list) = &a[0] else { return Ok(()) };
    for option in list.values.iter().filter_map(Datum::as_str) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Datum::text(value)),
            None => (option, Datum::Null),
        };
        out.push([Datum::text(name), value])?;
    }
    Ok(())
}

/// The elements of an array with their numbers, from 1.
fn expand(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Datum::Array(list) = &a[0] else { return Ok(()) };
    (1..).zip(list.values.iter()).try_for_each(|(n, v)| out.push([v.clone(), Datum::Int4(n)]))
}

/// The state of a sequence.
fn sequence(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    if a[0].as_oid().is_some_and(|oid| !ctx.env.may_tell_sequence(oid, false)) {
        return out.push([Datum::Null, Datum::Null]);
    }
    let [value, is_called] = &crate::funcs::SEQUENCE_ROW;
    out.push([(value.call)(a, ctx)?, (is_called.call)(a, ctx)?])
}

/// What a sequence is declared as. NULL is one row of them.
fn sequence_parameters(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Some(oid) = a[0].as_oid() else { return out.push_all(vec![Datum::Null; 7]) };
    let ([start, min, max, increment, cache], cycle, ty) = ctx.env.sequence_parameters(oid)?;
    let [start, min, max, increment, cache] = [start, min, max, increment, cache].map(Datum::Int8);
    out.push([start, min, max, increment, Datum::Bool(cycle), cache, Datum::Oid(ty.oid())])
}

/// Where an object is, by its kind and names.
fn object_address(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let [kind, Datum::Array(names), Datum::Array(args)] = a else {
        return out.push_all(vec![Datum::Null; 3]);
    };
    let Some(kind) = kind.as_str() else { return out.push_all(vec![Datum::Null; 3]) };
    let (class, oid, part) = ctx.env.object_address(kind, names, args)?;
    out.push([Datum::Oid(class), Datum::Oid(oid), Datum::Int4(part)])
}

/// What an object is.
fn identify(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let found = identity(a, ctx)?;
    let [schema, name, identity] = [found.schema, found.name, found.identity].map(Datum::from);
    out.push([Datum::from(found.kind), schema, name, identity])
}

/// The same as `pg_get_object_address` takes it.
fn identify_as_address(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let found = identity(a, ctx)?;
    let list = |names: &[String]| match found.identity {
        Some(_) => Datum::array(Type::Text, names.iter().map(Datum::text).collect()),
        None => Datum::Null,
    };
    let (names, args) = (list(&found.names), list(&found.args));
    out.push([Datum::from(found.kind), names, args])
}

fn identity(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<ObjectIdentity, SqlError> {
    let oid = |n: usize| a[n].as_oid().unwrap_or(0);
    let part = a[2].as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or(0);
    ctx.env.identify_object(oid(0), oid(1), part)
}

const ADDRESS: &[Type] = &[Type::Oid, Type::Oid, Type::Int4];

/// The log file that has a place, and where in it that is.
fn walfile_name_offset(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let found = place_in_log(&a[0], "pg_walfile_name_offset", ctx)?;
    let offset = found.as_ref().map(|f| f.1 as i32);
    out.push([found.map(|f| f.0).into(), offset.into()])
}

const NUMBER: (&str, Type) = ("n", Type::Int4);

const fn expanding(args: &'static [Type], columns: &'static [(&'static str, Type)]) -> SetFn {
    set("_pg_expandarray", args, columns, expand)
}

pub(super) const TABLE: &[SetFn] = &[
    set(
        "pg_options_to_table",
        &[Type::TextArray],
        &[("option_name", Type::Text), ("option_value", Type::Text)],
        options,
    ),
    set(
        "pg_get_sequence_data",
        &[Type::Regclass],
        &[("last_value", Type::Int8), ("is_called", Type::Bool)],
        sequence,
    ),
    lenient(set(
        "pg_sequence_parameters",
        &[Type::Oid],
        &[
            ("start_value", Type::Int8),
            ("minimum_value", Type::Int8),
            ("maximum_value", Type::Int8),
            ("increment", Type::Int8),
            ("cycle_option", Type::Bool),
            ("cache_size", Type::Int8),
            ("data_type", Type::Oid),
        ],
        sequence_parameters,
    )),
    lenient(set(
        "pg_walfile_name_offset",
        &[Type::PgLsn],
        &[("file_name", Type::Text), ("file_offset", Type::Int4)],
        walfile_name_offset,
    )),
    lenient(set(
        "pg_get_object_address",
        &[Type::Text, Type::TextArray, Type::TextArray],
        &[("classid", Type::Oid), ("objid", Type::Oid), ("objsubid", Type::Int4)],
        object_address,
    )),
    set(
        "pg_identify_object",
        ADDRESS,
        &[("type", Type::Text), ("schema", Type::Text), ("name", Type::Text), ("identity", Type::Text)],
        identify,
    ),
    set(
        "pg_identify_object_as_address",
        ADDRESS,
        &[("type", Type::Text), ("object_names", Type::TextArray), ("object_args", Type::TextArray)],
        identify_as_address,
    ),
    expanding(&[Type::Int2Vector], &[("x", Type::Int2), NUMBER]),
    expanding(&[Type::OidVector], &[("x", Type::Oid), NUMBER]),
    // For any array in PostgreSQL: these are what catalogs have, and what is written by hand.
    expanding(&[Type::Int2Array], &[("x", Type::Int2), NUMBER]),
    expanding(&[Type::Int4Array], &[("x", Type::Int4), NUMBER]),
    expanding(&[Type::Int8Array], &[("x", Type::Int8), NUMBER]),
    expanding(&[Type::OidArray], &[("x", Type::Oid), NUMBER]),
    expanding(&[Type::NameArray], &[("x", Type::Name), NUMBER]),
    expanding(&[Type::TextArray], &[("x", Type::Text), NUMBER]),
];
