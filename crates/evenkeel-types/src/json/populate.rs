//! Values of SQL types out of JSON: rows of composite types from objects, arrays from arrays, everything else from its text.
//!
//! Invariants
//! 1. What is null in JSON is NULL, whatever the type is; a string is what the type reads, of rows and arrays, too.
//! 2. Parts of a `json` keep the text that they had.
//!
//! Must not know: which functions ask.

use super::span::{Node, What};
use super::{Jsonb, Kind, deeper, output, read};
use crate::cast::{CastContext, cast};
use crate::datum::{ArrayDatum, Datum, Dim, MAX_DIMS, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;
use crate::guard::build::{kept, make_room};
use crate::ty::Type;
use crate::user::{self, Attribute};
use std::borrow::Cow;
use std::sync::Arc;

/// What a value is made of.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// A `jsonb`.
    Value(Jsonb<'a>),
    /// A part of a `json`'s text.
    Text(&'a Node<'a>),
}

/// What it is.
enum Is<'a> {
    Null,
    Str(Cow<'a, str>),
    Array(Vec<Given<'a>>),
    Object,
    Other,
}

impl<'a> Given<'a> {
    fn is(self) -> Result<Is<'a>, SqlError> {
        let mut items = Vec::new();
        Ok(match self {
            Given::Value(v) => match v.kind() {
                Kind::Null => Is::Null,
                Kind::Str(s) => Is::Str(s.into()),
                Kind::Array(of) => {
                    make_room(&mut items, of.len())?;
                    items.extend(of.iter().map(Given::Value));
                    Is::Array(items)
                }
                Kind::Object(_) => Is::Object,
                _ => Is::Other,
            },
            Given::Text(node) => match &node.what {
                What::Null => Is::Null,
                What::Str(_) => Is::Str(node.as_text()?.unwrap_or_default()),
                What::Array(of) => {
                    make_room(&mut items, of.len())?;
                    items.extend(of.iter().map(Given::Text));
                    Is::Array(items)
                }
                What::Object(_) => Is::Object,
                _ => Is::Other,
            },
        })
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        match self {
            Given::Value(v) => matches!(v.kind(), Kind::Object(_)),
            Given::Text(node) => matches!(node.what, What::Object(_)),
        }
    }

    /// The elements of an array.
    pub fn items(self) -> Result<Option<Vec<Given<'a>>>, SqlError> {
        Ok(if let Is::Array(items) = self.is()? { Some(items) } else { None })
    }

    /// The value of a key.
    fn find(self, key: &str) -> Option<Given<'a>> {
        match self {
            Given::Value(v) => match v.kind() {
                Kind::Object(pairs) => pairs.find(key).map(Given::Value),
                _ => None,
            },
            Given::Text(node) => node.field(key).map(Given::Text),
        }
    }

    fn text(self) -> Result<Cow<'a, str>, SqlError> {
        Ok(match self {
            Given::Value(v) => {
                let mut out = Vec::new();
                output::write(v, false, &mut out)?;
                Cow::Owned(String::from_utf8_lossy(&out).into_owned())
            }
            Given::Text(node) => node.text.into(),
        })
    }

    fn jsonb(self) -> Result<Datum, SqlError> {
        Ok(Datum::Jsonb(match self {
            Given::Value(v) => Arc::from(v.0),
            Given::Text(node) => read(node.text)?,
        }))
    }
}

/// A value of a type.
pub fn value(v: Given<'_>, ty: Type, typmod: i32, o: &FormatOptions) -> Result<Datum, SqlError> {
    part(v, (ty, typmod), "", None, o)
}

/// The value of a key, which was another before.
fn part(
    v: Given<'_>,
    (ty, typmod): (Type, i32),
    key: &str,
    before: Option<&Datum>,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    let text: Cow<'_, str> = match v.is()? {
        Is::Null => return Ok(Datum::Null),
        Is::Str(s) if ty != Type::Jsonb && ty != Type::Json => s,
        Is::Array(items) if !ty.is_vector() && ty.element().is_some() => {
            return array(items, (ty, typmod), key, o);
        }
        _ if !ty.is_vector() && ty.element().is_some() => return Err(no_array(key, &[])),
        _ => match ty {
            Type::Composite(oid) => {
                let before = if let Some(Datum::Record(r)) = before { Some(&**r) } else { None };
                return deeper(|| record(v, oid, before, o));
            }
            Type::Jsonb => return v.jsonb(),
            _ => v.text()?,
        },
    };
    if ty == Type::Json {
        return Ok(Datum::Json(kept(&text)?));
    }
    cast(Datum::text(&text), Type::Unknown, ty, typmod, CastContext::Assignment, o)
}

/// A row of a composite type from an object; fields that it does not name are as they were before.
pub fn record(
    v: Given<'_>,
    of: u32,
    before: Option<&RecordDatum>,
    o: &FormatOptions,
) -> Result<Datum, SqlError> {
    let attributes = user::attributes(of, o.reg_names.as_ref())?;
    let values = fields(v, &attributes, before, o, &mut |_, _| Ok(()))?;
    let types = attributes.iter().map(|a| a.ty).collect();
    Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: None, of })))
}

/// The values of a row of some attributes from an object, likewise. Each is checked, by its number, once it is there.
pub fn fields(
    v: Given<'_>,
    attributes: &[Attribute],
    before: Option<&RecordDatum>,
    o: &FormatOptions,
    check: &mut dyn FnMut(usize, &Datum) -> Result<(), SqlError>,
) -> Result<Vec<Datum>, SqlError> {
    if !v.is_object() {
        let what = if v.items()?.is_some() { "an array" } else { "a scalar" };
        let why = format!("cannot call populate_composite on {what}");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    }
    let mut values = Vec::new();
    make_room(&mut values, attributes.len())?;
    for (n, a) in attributes.iter().enumerate() {
        let before = before.and_then(|b| b.values.get(n));
        values.push(match v.find(&a.name) {
            Some(v) => part(v, (a.ty, a.typmod), &a.name, before, o)?,
            None => before.cloned().unwrap_or(Datum::Null),
        });
        check(n, &values[n])?;
    }
    Ok(values)
}

fn no_array(key: &str, places: &[usize]) -> SqlError {
    let e = SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "expected JSON array");
    let place: String = places.iter().map(|n| format!("[{n}]")).collect();
    match (key, &*place) {
        ("", "") => e,
        ("", place) => e.with_hint(format!("See the array element {place}.")),
        (key, "") => e.with_hint(format!("See the value of key \"{key}\".")),
        (key, place) => e.with_hint(format!("See the array element {place} of key \"{key}\".")),
    }
}

/// An array that is being read: how many dimensions it has is known from its first element that is no array.
struct Reading<'a> {
    element: Type,
    typmod: i32,
    key: &'a str,
    options: &'a FormatOptions,
    depth: Option<usize>,
    lengths: Vec<Option<usize>>,
    values: Vec<Datum>,
}

fn array(
    items: Vec<Given<'_>>,
    (ty, typmod): (Type, i32),
    key: &str,
    options: &FormatOptions,
) -> Result<Datum, SqlError> {
    let Some(element) = ty.element() else { return Err(no_array(key, &[])) };
    let (lengths, values) = (Vec::new(), Vec::new());
    let mut reading = Reading { element, typmod, key, options, depth: None, lengths, values };
    reading.dimension(items, &mut Vec::new())?;
    let mut dims: Vec<Dim> =
        reading.lengths.iter().map(|l| Dim { len: l.unwrap_or(0) as i32, lower: 1 }).collect();
    if reading.values.is_empty() {
        dims.clear();
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values: reading.values.into() })))
}

impl Reading<'_> {
    /// The elements of one array, and of the arrays in it; `places` are those of the arrays that it is in.
    fn dimension(&mut self, items: Vec<Given<'_>>, places: &mut Vec<usize>) -> Result<(), SqlError> {
        let n = places.len() + 1;
        if n > MAX_DIMS {
            let why = format!("number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})");
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        if self.lengths.len() < n {
            self.lengths.push(None);
        }
        let count = items.len();
        for (place, v) in items.into_iter().enumerate() {
            let inner = v.items()?;
            if inner.is_none() && self.depth.is_none() {
                self.depth = Some(n);
            }
            if self.depth.is_some_and(|depth| n >= depth) {
                make_room(&mut self.values, 1)?;
                self.values.push(value(v, self.element, self.typmod, self.options)?);
            } else {
                places.push(place);
                let inner = inner.ok_or_else(|| no_array(self.key, places))?;
                self.dimension(inner, places)?;
                places.pop();
            }
        }
        self.depth.get_or_insert(n);
        let length = &mut self.lengths[n - 1];
        if *length.get_or_insert(count) != count {
            let why = "malformed JSON array";
            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why)
                .with_detail("Multidimensional arrays must have sub-arrays with matching dimensions."));
        }
        Ok(())
    }
}
