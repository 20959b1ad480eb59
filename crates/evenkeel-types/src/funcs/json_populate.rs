//! `jsonb_populate_record` and its like: rows of composite types from JSON. Behind their own arguments they get the OID of the type, which a row that is NULL does
//! not tell; where rows have no composite type, a row with its columns, or NULL if these are the row's own.
//!
//! Must not know: how a value becomes one of a type (`json::populate`).

use super::{Eval, lenient, stable};
use crate::datum::{Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;
use crate::function::{EvalCtx, ScalarFn};
use crate::json::Jsonb;
use crate::json::populate::{Given, fields, record};
use crate::json::span::{Node, nodes};
use crate::sets::{Rows, SetFn};
use crate::ty::Type as T;
use crate::user::Attribute;
use std::sync::Arc;

/// A document, to make values of.
enum Document<'a> {
    Value(Arc<[u8]>),
    Text(Node<'a>),
}

impl Document<'_> {
    fn of(d: &Datum) -> Result<Option<Document<'_>>, SqlError> {
        Ok(match d {
            Datum::Jsonb(b) => Some(Document::Value(b.clone())),
            Datum::Json(text) => Some(Document::Text(nodes(text)?)),
            _ => None,
        })
    }

    fn given(&self) -> Given<'_> {
        match self {
            Document::Value(b) => Given::Value(Jsonb(b)),
            Document::Text(node) => Given::Text(node),
        }
    }
}

/// The rows that a call makes.
enum Made {
    /// Of a composite type.
    Of(u32),
    /// With these columns.
    Columns(Vec<Attribute>),
}

impl Made {
    fn of(a: &[Datum], before: Option<&RecordDatum>, name: &str) -> Result<Made, SqlError> {
        Ok(match (&a[2], before) {
            (Datum::Oid(of), _) => Made::Of(*of),
            (Datum::Record(columns), _) => Made::Columns(columns_of(columns)),
            (_, Some(before)) if before.of != 0 => Made::Of(before.of),
            (_, Some(before)) => Made::Columns(columns_of(before)),
            (_, None) => {
                let why = format!("could not determine row type for result of {name}");
                let hint = "Provide a non-null record argument, or call the function in the FROM clause using a column definition list.";
                return Err(SqlError::unsupported(why).with_hint(hint));
            }
        })
    }

    fn row(&self, v: Given<'_>, before: Option<&RecordDatum>, o: &FormatOptions) -> Eval {
        let columns = match self {
            Made::Of(of) => return record(v, *of, before, o),
            Made::Columns(columns) => columns,
        };
        let values = fields(v, columns, before, o, &mut |_, _| Ok(()))?;
        let types = columns.iter().map(|c| c.ty).collect();
        let names = columns.iter().map(|c| c.name.clone()).collect();
        Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: Some(names), of: 0 })))
    }
}

fn one(a: &[Datum], ctx: &EvalCtx<'_>, name: &str) -> Eval {
    let before = if let Datum::Record(r) = &a[0] { Some(&**r) } else { None };
    let Some(json) = Document::of(&a[1])? else { return Ok(a[0].clone()) };
    Made::of(a, before, name)?.row(json.given(), before, ctx.format)
}

fn one_b(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    one(a, ctx, "jsonb_populate_record")
}

fn one_of_text(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    one(a, ctx, "json_populate_record")
}

fn many(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows, name: &str) -> Result<(), SqlError> {
    let before = if let Datum::Record(r) = &a[0] { Some(&**r) } else { None };
    let Some(json) = Document::of(&a[1])? else { return Ok(()) };
    let made = Made::of(a, before, name)?;
    each_object(json.given(), name, |v| out.push([made.row(v, before, ctx.format)?]))
}

/// The objects of an array; errors name the function.
fn each_object<'a>(
    json: Given<'a>,
    name: &str,
    mut take: impl FnMut(Given<'a>) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let refused = |why: String| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    let Some(items) = json.items()? else {
        return refused(match json.is_object() {
            _ if name.starts_with("jsonb") => format!("cannot call {name} on a non-array"),
            true => format!("cannot call {name} on an object"),
            false => format!("cannot call {name} on a scalar"),
        });
    };
    for v in items {
        if !v.is_object() {
            return refused(format!("argument of {name} must be an array of objects"));
        }
        take(v)?;
    }
    Ok(())
}

fn many_b(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "jsonb_populate_recordset")
}

fn many_of_text(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "json_populate_recordset")
}

/// The fields of a row, as columns.
fn columns_of(row: &RecordDatum) -> Vec<Attribute> {
    let name = |n: usize| {
        let own = row.names.as_ref().and_then(|names| names.get(n)).cloned();
        own.unwrap_or_else(|| format!("f{}", n + 1))
    };
    let column = |(n, ty): (usize, &T)| Attribute { name: name(n), ty: *ty, typmod: -1, domain: None };
    row.types.iter().enumerate().map(column).collect()
}

/// Whether a value of one type is one of another as it is.
fn is_as_it_is(own: T, asked: T) -> bool {
    own == asked || matches!((own, asked), (T::Varchar, T::Text) | (T::Text, T::Varchar) | (T::Cidr, T::Inet))
}

/// Whether rows of some columns are of those that are asked for, of which some are of domains.
fn must_match(own: &[Attribute], asked: &[Attribute], domains: &[(usize, String)]) -> Result<(), SqlError> {
    let refused = |detail: String| {
        let why = "function return row and query-specified return row do not match";
        Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why).with_detail(detail))
    };
    let (count, wanted) = (own.len(), asked.len());
    if count != wanted {
        let what = if count == 1 { "attribute" } else { "attributes" };
        return refused(format!("Returned row contains {count} {what}, but query expects {wanted}."));
    }
    let domain = |n: usize| domains.iter().find(|d| d.0 == n).map(|d| &d.1);
    let mut pairs = own.iter().zip(asked).enumerate();
    match pairs.find(|(n, (own, asked))| domain(*n).is_some() || !is_as_it_is(own.ty, asked.ty)) {
        None => Ok(()),
        Some((n, (own, asked))) => {
            let wanted = domain(n).cloned().unwrap_or_else(|| asked.ty.sql_name().into_owned());
            let (is, n) = (own.ty.sql_name(), n + 1);
            refused(format!("Returned type {is} at ordinal position {n}, but query expects {wanted}."))
        }
    }
}

/// The values of a record that is asked for with these columns, of which some are of domains.
pub fn record_as(
    record: &Datum,
    asked: &[Attribute],
    domains: &[(usize, String)],
) -> Result<Vec<Datum>, SqlError> {
    let Datum::Record(r) = record else { return Ok(vec![Datum::Null; asked.len()]) };
    must_match(&columns_of(r), asked, domains)?;
    Ok(r.values.clone())
}

/// `json_to_record` and its like: rows of some columns from JSON and, if there is one, the row that they were before, whose own columns they then have.
/// Values that come from JSON, or are not in it, are checked by the numbers of their columns.
pub fn json_records(
    name: &str,
    a: &[Datum],
    (columns, domains): (&[Attribute], &[(usize, String)]),
    o: &FormatOptions,
    check: &mut dyn FnMut(usize, &Datum) -> Result<(), SqlError>,
    out: &mut Rows,
) -> Result<(), SqlError> {
    let before = if let Some(Datum::Record(r)) = a.get(1) { Some(&**r) } else { None };
    let own = before.map(columns_of);
    let shown = own.as_deref().unwrap_or(columns);
    let is_set = name.ends_with("set");
    let json = Document::of(&a[0])?;
    match &json {
        None if is_set => return Ok(()),
        Some(json) if is_set => {
            each_object(json.given(), name, |v| out.push_all(fields(v, shown, before, o, check)?))?;
        }
        Some(json) => out.push_all(fields(json.given(), shown, before, o, check)?)?,
        // As it was before.
        None => {
            let was = |n: usize| before.and_then(|b| b.values.get(n)).cloned().unwrap_or(Datum::Null);
            out.push_all((0..shown.len()).map(was).collect())?;
        }
    }
    match &own {
        Some(own) => must_match(own, columns, domains),
        None => Ok(()),
    }
}

const OF_JSONB: &[T] = &[T::AnyElement, T::Jsonb, T::Any];
const OF_JSON: &[T] = &[T::AnyElement, T::Json, T::Any];
const ROW: &[(&str, T)] = &[("row", T::Record)];

const OF_HSTORE: &[T] = &[T::AnyElement, T::Hstore, T::Oid];

static POPULATE: [ScalarFn; 3] = [
    lenient(stable("jsonb_populate_record", OF_JSONB, T::AnyElement, one_b)),
    lenient(stable("json_populate_record", OF_JSON, T::AnyElement, one_of_text)),
    lenient(stable("populate_record", OF_HSTORE, T::AnyElement, super::hstore::populate_record)),
];

static POPULATE_SETS: [SetFn; 2] = [
    SetFn { name: "jsonb_populate_recordset", args: OF_JSONB, columns: ROW, strict: false, call: many_b },
    SetFn { name: "json_populate_recordset", args: OF_JSON, columns: ROW, strict: false, call: many_of_text },
];

/// The function of a name. No other way leads to it: whoever calls it knows the type.
pub fn populate(name: &str) -> Option<&'static ScalarFn> {
    POPULATE.iter().find(|f| f.name == name)
}

/// The same of functions that return sets.
pub fn populate_set(name: &str) -> Option<&'static SetFn> {
    POPULATE_SETS.iter().find(|f| f.name == name)
}
