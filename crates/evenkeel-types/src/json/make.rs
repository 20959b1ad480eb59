//! JSON of SQL values.
//!
//! Must not know: which function asks.

use super::binary::Jsonb;
use super::output::{self, write_string};
use super::value::{Value, read};
use crate::datum::{ArrayDatum, Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::format::{DateStyle, FormatOptions};
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::hstore::Hstore;
use crate::text_io::to_text;
use crate::ty::Type;
use crate::user::Attributes;
use std::borrow::Cow;

/// How a type's values become JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bool,
    Number,
    Moment,
    Json,
    Jsonb,
    Array,
    Record,
    Other,
}

fn form(d: &Datum) -> Form {
    match d {
        Datum::Bool(_) => Form::Bool,
        Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => Form::Number,
        Datum::Float4(_) | Datum::Float8(_) | Datum::Numeric(_) => Form::Number,
        Datum::Date(_) | Datum::Timestamp(_) | Datum::Timestamptz(_) => Form::Moment,
        // There is a cast to `json`.
        Datum::Json(_) | Datum::Hstore(_) => Form::Json,
        Datum::Jsonb(_) => Form::Jsonb,
        Datum::Array(_) => Form::Array,
        Datum::Record(_) => Form::Record,
        _ => Form::Other,
    }
}

/// Whether it is an array or a row.
pub fn is_structured(d: &Datum) -> bool {
    matches!(form(d), Form::Array | Form::Record)
}

/// A date or time as XML Schema writes it, whatever the session's style is.
fn moment(d: &Datum, o: &FormatOptions) -> Result<String, SqlError> {
    let iso;
    let o = if o.datestyle == DateStyle::Iso {
        o
    } else {
        iso = FormatOptions { datestyle: DateStyle::Iso, ..o.clone() };
        &iso
    };
    let mut text = to_text(d, d.natural_type(), -1, o)?;
    if matches!(d, Datum::Date(_)) {
        return Ok(text);
    }
    if let Some(at) = text.find(' ') {
        text.replace_range(at..=at, "T");
        // An offset of whole hours has its minutes, too.
        let zone =
            text[at..].rfind(['+', '-']).map(|z| z + at).filter(|_| matches!(d, Datum::Timestamptz(_)));
        if let Some(zone) = zone {
            let end = text[zone..].find(' ').map_or(text.len(), |e| zone + e);
            if end - zone == 3 {
                text.insert_str(end, ":00");
            }
        }
    }
    Ok(text)
}

/// The text of a number, and whether JSON has such a number.
fn number(d: &Datum, o: &FormatOptions) -> Result<(String, bool), SqlError> {
    let text = to_text(d, d.natural_type(), -1, o)?;
    let is_number = text.ends_with(|c: char| c.is_ascii_digit());
    Ok((text, is_number))
}

/// Appends a value as JSON text. With `lines`, each element of an array and field of a row is on a line of its own.
pub fn write(d: &Datum, ty: Type, lines: bool, o: &FormatOptions, out: &mut Vec<u8>) -> Result<(), SqlError> {
    match d {
        Datum::Null => put(b"null", out),
        Datum::Bool(b) => put(if *b { b"true" } else { b"false" }, out),
        Datum::Json(s) => put(s.as_bytes(), out),
        Datum::Jsonb(b) => output::write(Jsonb(b), false, out),
        Datum::Hstore(b) => Hstore(b).write_json(false, out),
        Datum::Array(a) => write_array(a, lines, o, out),
        Datum::Record(r) => write_record(r, lines, o, out),
        d => match form(d) {
            Form::Number => match number(d, o)? {
                (text, true) => put(text.as_bytes(), out),
                (text, false) => write_string(&text, out),
            },
            Form::Moment => write_string(&moment(d, o)?, out),
            _ => match d.as_str() {
                Some(s) => write_string(s, out),
                None => write_string(&to_text(d, ty, -1, o)?, out),
            },
        },
    }
}

fn put(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), SqlError> {
    make_room(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Separates two parts.
fn separate(lines: bool) -> &'static [u8] {
    if lines { b",\n " } else { b"," }
}

fn write_array(a: &ArrayDatum, lines: bool, o: &FormatOptions, out: &mut Vec<u8>) -> Result<(), SqlError> {
    if a.dims.is_empty() {
        return put(b"[]", out);
    }
    let mut values = a.values.iter();
    let lens: Vec<usize> = a.dims.iter().map(|d| d.len as usize).collect();
    write_dimension(&lens, &mut values, a.element, lines, o, out)
}

fn write_dimension(
    lens: &[usize],
    values: &mut std::slice::Iter<'_, Datum>,
    element: Type,
    lines: bool,
    o: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let mut pace = Pace::default();
    put(b"[", out)?;
    for i in 0..lens[0] {
        pace.step()?;
        if i > 0 {
            put(separate(lines), out)?;
        }
        match &lens[1..] {
            [] => write(values.next().unwrap_or(&Datum::Null), element, false, o, out)?,
            inner => write_dimension(inner, values, element, false, o, out)?,
        }
    }
    put(b"]", out)
}

/// The name of a field of a row.
pub(crate) fn field_name<'a>(r: &'a RecordDatum, i: usize, attributes: Option<&Attributes>) -> Cow<'a, str> {
    match (r.names.as_ref().and_then(|n| n.get(i)), attributes.and_then(|a| a.get(i))) {
        (Some(name), _) => Cow::Borrowed(name),
        (None, Some(attribute)) => Cow::Owned(attribute.name.clone()),
        (None, None) => Cow::Owned(format!("f{}", i + 1)),
    }
}

/// Of a row of a composite type, what its fields are called.
pub(crate) fn attributes_of(r: &RecordDatum, o: &FormatOptions) -> Option<Attributes> {
    if r.of == 0 { None } else { o.reg_names.as_ref()?.attributes(r.of) }
}

fn write_record(r: &RecordDatum, lines: bool, o: &FormatOptions, out: &mut Vec<u8>) -> Result<(), SqlError> {
    put(b"{", out)?;
    let attributes = attributes_of(r, o);
    for (i, (v, ty)) in r.values.iter().zip(&r.types).enumerate() {
        if i > 0 {
            put(separate(lines), out)?;
        }
        write_string(&field_name(r, i, attributes.as_ref()), out)?;
        put(b":", out)?;
        super::deeper(|| write(v, *ty, false, o, out))?;
    }
    put(b"}", out)
}

/// A value as a `jsonb` that is being made.
pub fn value<'a>(d: &'a Datum, ty: Type, o: &FormatOptions) -> Result<Value<'a>, SqlError> {
    Ok(match d {
        Datum::Null => Value::Null,
        Datum::Bool(b) => Value::Bool(*b),
        Datum::Jsonb(b) => Value::Encoded(Jsonb(b)),
        Datum::Json(s) => Value::Kept(read(s)?),
        Datum::Hstore(b) => Hstore(b).json(false)?,
        Datum::Array(a) => {
            let lens: Vec<usize> = a.dims.iter().map(|d| d.len as usize).collect();
            match &lens[..] {
                [] => Value::Array(Vec::new()),
                lens => dimension(lens, &mut a.values.iter(), a.element, o)?,
            }
        }
        Datum::Record(r) => {
            let mut pairs = Vec::with_capacity(r.values.len());
            let attributes = attributes_of(r, o);
            for (i, (v, ty)) in r.values.iter().zip(&r.types).enumerate() {
                pairs.push((field_name(r, i, attributes.as_ref()), super::deeper(|| value(v, *ty, o))?));
            }
            Value::Object(pairs)
        }
        Datum::Numeric(n) if n.is_finite() => Value::Number(n.clone()),
        d => match form(d) {
            Form::Number => match number(d, o)? {
                (text, true) => Value::Number(text.parse()?),
                (text, false) => Value::Str(text.into()),
            },
            Form::Moment => Value::Str(moment(d, o)?.into()),
            _ => match d.as_str() {
                Some(s) => Value::Str(s.into()),
                None => Value::Str(to_text(d, ty, -1, o)?.into()),
            },
        },
    })
}

fn dimension<'a>(
    lens: &[usize],
    values: &mut std::slice::Iter<'a, Datum>,
    element: Type,
    o: &FormatOptions,
) -> Result<Value<'a>, SqlError> {
    let (mut items, mut pace) = (Vec::new(), Pace::default());
    for _ in 0..lens[0] {
        pace.step()?;
        make_room(&mut items, 1)?;
        items.push(match &lens[1..] {
            [] => values.next().map_or(Ok(Value::Null), |v| value(v, element, o))?,
            inner => dimension(inner, values, element, o)?,
        });
    }
    Ok(Value::Array(items))
}

/// A value as the key of an object.
pub fn key(d: &Datum, ty: Type, o: &FormatOptions) -> Result<String, SqlError> {
    match form(d) {
        Form::Array | Form::Record | Form::Json | Form::Jsonb => Err(SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            "key value must be scalar, not array, composite, or json",
        )),
        Form::Bool => Ok(if d.as_bool() == Some(true) { "true" } else { "false" }.into()),
        Form::Moment => moment(d, o),
        _ => match d.as_str() {
            Some(s) => Ok(s.to_owned()),
            None => to_text(d, ty, -1, o),
        },
    }
}
