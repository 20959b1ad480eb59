//! What the standard's constructors of JSON, and IS JSON, are made of. No name leads to these functions: the binder takes them, and knows them again by where they are.
//!
//! Must not know: clauses.

use super::json_build::{build_array, build_array_b, json_datum, null_key};
use super::jsonb::mistake;
use super::{Eval, bytes_arg, f, lenient, stable, variadic};
use crate::cast::{CastContext, cast};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::json::lex::unescape;
use crate::json::parse::{Check, Piece, Sink, parse};
use crate::json::{Value, encode, make, output};
use crate::ty::Type as T;
use std::borrow::Cow;
use std::collections::HashSet;

/// What a constructor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonConstructor {
    /// Of an object; else of an array.
    pub is_object: bool,
    /// Values that are NULL are left out.
    pub absent: bool,
    /// No key twice.
    pub unique: bool,
    /// It makes `jsonb`.
    pub binary: bool,
}

/// A key that an object has twice; the text form tells which.
fn duplicate(key: Option<&str>) -> SqlError {
    let mut why = String::from("duplicate JSON object key value");
    let mut quoted = Vec::new();
    if key.is_some_and(|key| output::write_string(key, &mut quoted).is_ok()) {
        why += &format!(": {}", String::from_utf8_lossy(&quoted));
    }
    SqlError::new(SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE, why)
}

fn object(a: &[Datum], ctx: &EvalCtx<'_>, absent: bool, unique: bool) -> Eval {
    let mut out = vec![b'{'];
    let mut seen = HashSet::new();
    for pair in a.chunks_exact(2) {
        if pair[0].is_null() {
            return Err(null_key());
        }
        let skipped = absent && pair[1].is_null();
        if skipped && !unique {
            continue;
        }
        let key = make::key(&pair[0], pair[0].natural_type(), ctx.format)?;
        if unique && !seen.insert(key.clone()) {
            return Err(duplicate(Some(&key)));
        }
        if skipped {
            continue;
        }
        if out.len() > 1 {
            out.extend_from_slice(b", ");
        }
        output::write_string(&key, &mut out)?;
        out.extend_from_slice(b" : ");
        make::write(&pair[1], pair[1].natural_type(), false, ctx.format, &mut out)?;
    }
    out.push(b'}');
    json_datum(out)
}

fn object_b(a: &[Datum], ctx: &EvalCtx<'_>, absent: bool, unique: bool) -> Eval {
    let mut pairs = Vec::with_capacity(a.len() / 2);
    let mut seen = HashSet::new();
    for (i, pair) in a.chunks_exact(2).enumerate() {
        if pair[0].is_null() {
            return Err(mistake(format!("argument {}: key must not be null", 2 * i + 1)));
        }
        let skipped = absent && pair[1].is_null();
        if skipped && !unique {
            continue;
        }
        let key = make::key(&pair[0], pair[0].natural_type(), ctx.format)?;
        if unique && !seen.insert(key.clone()) {
            return Err(duplicate(None));
        }
        if !skipped {
            pairs.push((Cow::Owned(key), make::value(&pair[1], pair[1].natural_type(), ctx.format)?));
        }
    }
    Ok(Datum::Jsonb(encode(Value::Object(pairs))?))
}

fn there(a: &[Datum]) -> Vec<Datum> {
    a.iter().filter(|d| !d.is_null()).cloned().collect()
}

const ANY: &[T] = &[T::Any];

macro_rules! constructors {
    ($($name:ident $shown:literal $ret:ident ($a:ident, $ctx:ident) $body:expr;)*) => {
        $(fn $name($a: &[Datum], $ctx: &EvalCtx<'_>) -> Eval {
            $body
        })*

        static CONSTRUCTORS: &[ScalarFn] = &[$(variadic(lenient(stable($shown, ANY, T::$ret, $name)))),*];
    };
}

// In the order of their places: of an object, absent, unique, binary, a bit each.
constructors! {
    array_plain "json_array" Json (a, ctx) build_array(a, ctx);
    array_plain_b "json_array" Jsonb (a, ctx) build_array_b(a, ctx);
    array_absent "json_array" Json (a, ctx) build_array(&there(a), ctx);
    array_absent_b "json_array" Jsonb (a, ctx) build_array_b(&there(a), ctx);
    object_plain "json_object" Json (a, ctx) object(a, ctx, false, false);
    object_plain_b "json_object" Jsonb (a, ctx) object_b(a, ctx, false, false);
    object_unique "json_object" Json (a, ctx) object(a, ctx, false, true);
    object_unique_b "json_object" Jsonb (a, ctx) object_b(a, ctx, false, true);
    object_absent "json_object" Json (a, ctx) object(a, ctx, true, false);
    object_absent_b "json_object" Jsonb (a, ctx) object_b(a, ctx, true, false);
    object_absent_unique "json_object" Json (a, ctx) object(a, ctx, true, true);
    object_absent_unique_b "json_object" Jsonb (a, ctx) object_b(a, ctx, true, true);
}

const KINDS: [JsonConstructor; 12] = {
    let mut kinds = [JsonConstructor { is_object: false, absent: false, unique: false, binary: false }; 12];
    let mut n = 0;
    while n < kinds.len() {
        let bits = if n < 4 { n } else { n - 4 };
        kinds[n] = JsonConstructor {
            is_object: n >= 4,
            absent: if n < 4 { bits & 2 != 0 } else { bits & 4 != 0 },
            unique: n >= 4 && bits & 2 != 0,
            binary: bits & 1 != 0,
        };
        n += 1;
    }
    kinds
};

impl JsonConstructor {
    /// Its function, of keys and values in turn, or of values.
    pub fn function(self) -> Option<&'static ScalarFn> {
        KINDS.iter().position(|k| *k == self).and_then(|n| CONSTRUCTORS.get(n))
    }

    /// What a function is, if it is one of these.
    pub fn of(f: &ScalarFn) -> Option<JsonConstructor> {
        CONSTRUCTORS.iter().position(|c| std::ptr::eq(c, f)).map(|n| KINDS[n])
    }
}

fn formatted(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    cast(a[0].clone(), T::Text, T::Json, -1, CastContext::Explicit, ctx.format)
}

/// A text FORMAT JSON.
pub static FORMAT_JSON: ScalarFn = f("format_json", &[T::Text], T::Json, formatted);

fn parsed_unique(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let json = formatted(a, ctx)?;
    if let Datum::Json(text) = &json {
        parse(text, true, &mut Unique::default())?;
    }
    Ok(json)
}

/// JSON (…) of a text.
pub static JSON_PARSE: ScalarFn = f("json", &[T::Text], T::Json, formatted);

/// JSON (… WITH UNIQUE KEYS) of a text.
pub static JSON_UNIQUE: ScalarFn = f("json", &[T::Text], T::Json, parsed_unique);

fn scalar(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let mut out = Vec::new();
    make::write(&a[0], a[0].natural_type(), false, ctx.format, &mut out)?;
    json_datum(out)
}

/// JSON_SCALAR
pub static JSON_SCALAR: ScalarFn = stable("json_scalar", &[T::Any], T::Json, scalar);

fn serialized(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    cast(a[0].clone(), T::Json, T::Text, -1, CastContext::Explicit, ctx.format)
}

/// JSON_SERIALIZE to a text.
pub static JSON_SERIALIZE: ScalarFn = f("json_serialize", &[T::Json], T::Text, serialized);

/// Fails by a key that an object has twice.
#[derive(Default)]
struct Unique {
    open: Vec<HashSet<String>>,
    pace: Pace,
}

impl<'a> Sink<'a> for Unique {
    fn open(&mut self, _: bool, _: usize) -> Result<(), SqlError> {
        self.open.push(HashSet::new());
        Ok(())
    }

    fn key(&mut self, key: Piece<'a>) -> Result<(), SqlError> {
        self.pace.bytes(key.text.len())?;
        crate::guard::admit(key.text.len())?;
        let key = unescape(key.text, key.is_escaped)?.into_owned();
        let is_new = self.open.last_mut().is_none_or(|keys| keys.insert(key));
        if is_new { Ok(()) } else { Err(duplicate(None)) }
    }

    fn close(&mut self, _: usize) -> Result<(), SqlError> {
        self.open.pop();
        Ok(())
    }
}

/// Whether a text that begins so has the shape that IS JSON asks for.
fn has_shape(shape: &str, first: Option<u8>) -> bool {
    match shape {
        "ARRAY" => first == Some(b'['),
        "OBJECT" => first == Some(b'{'),
        "SCALAR" => !matches!(first, Some(b'[' | b'{')),
        _ => true,
    }
}

/// Whether a value is JSON of a shape: `SCALAR`, or `OBJECT UNIQUE`.
fn is_json(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let wanted = a[1].as_str().unwrap_or("");
    let (shape, unique) = match wanted.strip_suffix("UNIQUE") {
        Some(shape) => (shape.trim_end(), true),
        None => (wanted, false),
    };
    let text = match &a[0] {
        Datum::Bytes(_) => std::str::from_utf8(bytes_arg(a, 0)).map(Cow::Borrowed).unwrap_or_default(),
        Datum::Jsonb(b) => {
            let mut out = Vec::new();
            output::write(crate::json::Jsonb(b), false, &mut out)?;
            Cow::Owned(String::from_utf8(out).unwrap_or_default())
        }
        Datum::Json(t) => Cow::Borrowed(&**t),
        d => Cow::Borrowed(d.as_str().unwrap_or("")),
    };
    let first = text.bytes().find(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    let parsed = match (has_shape(shape, first), unique) {
        (false, _) => return Ok(Datum::Bool(false)),
        (true, true) => parse(&text, false, &mut Unique::default()),
        (true, false) => parse(&text, false, &mut Check),
    };
    match parsed {
        Ok(()) => Ok(Datum::Bool(true)),
        // What the statement may not take, and its end, are no answers.
        Err(e) if matches!(e.code.class(), "53" | "54" | "57" | "XX") => Err(e),
        Err(_) => Ok(Datum::Bool(false)),
    }
}

/// IS JSON of a value, with what shape it is to have.
pub static IS_JSON: ScalarFn = f("is_json", &[T::Any, T::Text], T::Bool, is_json);
