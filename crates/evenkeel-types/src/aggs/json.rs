//! Aggregates that collect values into JSON arrays and objects.

use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{AggFn, AggState, EvalCtx};
use crate::guard::build::{make_room, string_of};
use crate::json::{Value, encode, make, output};
use crate::ty::Type as T;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// What an aggregate does with NULL, and with keys that were there before.
#[derive(Clone, Copy)]
struct Rules {
    skips_null: bool,
    unique: bool,
}

const PLAIN: Rules = Rules { skips_null: false, unique: false };
const STRICT: Rules = Rules { skips_null: true, unique: false };
const UNIQUE: Rules = Rules { skips_null: false, unique: true };
const UNIQUE_STRICT: Rules = Rules { skips_null: true, unique: true };

fn duplicate(key: &str) -> SqlError {
    SqlError::new(
        SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE,
        format!("duplicate JSON object key value: {key}"),
    )
}

fn finished(text: Option<Vec<u8>>, end: &[u8]) -> Result<Datum, SqlError> {
    let Some(mut text) = text else { return Ok(Datum::Null) };
    text.extend_from_slice(end);
    match string_of(text)? {
        Ok(text) => Ok(Datum::Json(crate::guard::build::kept(&text)?)),
        Err(_) => Err(SqlError::internal("JSON that is no text")),
    }
}

/// `json_agg`
struct TextArray {
    ty: T,
    text: Option<Vec<u8>>,
    rules: Rules,
}

impl AggState for TextArray {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        let d = &args[0];
        if self.rules.skips_null && d.is_null() {
            // Without any others it is an empty array.
            self.text.get_or_insert_with(|| vec![b'[']);
            return Ok(());
        }
        let text = match &mut self.text {
            None => self.text.insert(vec![b'[']),
            Some(text) if text.len() == 1 => text,
            Some(text) => {
                make_room(text, 4)?;
                text.extend_from_slice(b", ");
                if make::is_structured(d) {
                    text.extend_from_slice(b"\n ");
                }
                text
            }
        };
        make::write(d, self.ty, false, ctx.format, text)?;
        ctx.check_len(text.len())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        finished(self.text.take(), b"]")
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.text.as_ref().map_or(0, Vec::capacity)
    }
}

/// `json_object_agg`
struct TextObject {
    types: [T; 2],
    text: Option<Vec<u8>>,
    rules: Rules,
    seen: HashSet<String>,
    seen_bytes: usize,
}

impl AggState for TextObject {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        if args[0].is_null() {
            return Err(SqlError::new(
                SqlState::NULL_VALUE_NOT_ALLOWED,
                "null value not allowed for object key",
            ));
        }
        let skipped = self.rules.skips_null && args[1].is_null();
        if skipped {
            self.text.get_or_insert_with(|| b"{ ".to_vec());
        }
        if skipped && !self.rules.unique {
            return Ok(());
        }
        let key = make::key(&args[0], self.types[0], ctx.format)?;
        if self.rules.unique {
            self.seen_bytes += key.len() + 64;
            if !self.seen.insert(key.clone()) {
                let mut quoted = Vec::new();
                output::write_string(&key, &mut quoted)?;
                return Err(duplicate(&String::from_utf8_lossy(&quoted)));
            }
        }
        if skipped {
            return Ok(());
        }
        let text = match &mut self.text {
            None => self.text.insert(b"{ ".to_vec()),
            Some(text) if text.len() == 2 => text,
            Some(text) => {
                make_room(text, 2)?;
                text.extend_from_slice(b", ");
                text
            }
        };
        output::write_string(&key, text)?;
        text.extend_from_slice(b" : ");
        make::write(&args[1], self.types[1], false, ctx.format, text)?;
        ctx.check_len(text.len())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        finished(self.text.take(), b" }")
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.seen_bytes + self.text.as_ref().map_or(0, Vec::capacity)
    }
}

/// `jsonb_agg` and `jsonb_object_agg`: the parts are encoded as they come.
struct Binary {
    types: Vec<T>,
    parts: Option<Vec<(String, Arc<[u8]>)>>,
    bytes: usize,
    rules: Rules,
    seen: HashSet<String>,
}

impl Binary {
    fn is_object(&self) -> bool {
        self.types.len() == 2
    }
}

impl AggState for Binary {
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
        const PART_BYTES: usize = 64;
        let (key, value) = match args {
            [key, value] => (Some(key), value),
            args => (None, &args[0]),
        };
        if key.is_some_and(Datum::is_null) {
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "field name must not be null"));
        }
        let skipped = self.rules.skips_null && value.is_null();
        if skipped {
            self.parts.get_or_insert_default();
        }
        if skipped && !self.rules.unique {
            return Ok(());
        }
        let key = match key {
            Some(key) => make::key(key, self.types[0], ctx.format)?,
            None => String::new(),
        };
        if self.rules.unique {
            self.bytes += key.len() + PART_BYTES;
            if !self.seen.insert(key.clone()) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_JSON_OBJECT_KEY_VALUE,
                    "duplicate JSON object key value",
                ));
            }
        }
        if skipped {
            return Ok(());
        }
        let ty = self.types.last().copied().unwrap_or(T::Text);
        let encoded = encode(make::value(value, ty, ctx.format)?)?;
        self.bytes += key.len() + encoded.len() + PART_BYTES;
        let parts = self.parts.get_or_insert_default();
        make_room(parts, 1)?;
        parts.push((key, encoded));
        ctx.check_len(self.bytes)
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        let Some(parts) = self.parts.take() else { return Ok(Datum::Null) };
        let parts = parts.into_iter();
        let value = if self.is_object() {
            Value::Object(parts.map(|(key, v)| (Cow::Owned(key), Value::Kept(v))).collect())
        } else {
            Value::Array(parts.map(|(_, v)| Value::Kept(v)).collect())
        };
        Ok(Datum::Jsonb(encode(value)?))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes
    }
}

fn array(args: &[T], rules: Rules) -> Box<dyn AggState> {
    Box::new(TextArray { ty: args.first().copied().unwrap_or(T::Text), text: None, rules })
}

fn object(args: &[T], rules: Rules) -> Box<dyn AggState> {
    let ty = |i: usize| args.get(i).copied().unwrap_or(T::Text);
    let types = [ty(0), ty(1)];
    Box::new(TextObject { types, text: None, rules, seen: HashSet::new(), seen_bytes: 0 })
}

fn binary(args: &[T], rules: Rules) -> Box<dyn AggState> {
    Box::new(Binary { types: args.to_vec(), parts: None, bytes: 0, rules, seen: HashSet::new() })
}

const ONE: &[T] = &[T::AnyElement];
const PAIR: &[T] = &[T::Any, T::Any];

pub(super) const TABLE: &[AggFn] = &[
    AggFn { name: "json_agg", args: ONE, ret: T::Json, new: |a| array(a, PLAIN) },
    AggFn { name: "json_agg_strict", args: ONE, ret: T::Json, new: |a| array(a, STRICT) },
    AggFn { name: "jsonb_agg", args: ONE, ret: T::Jsonb, new: |a| binary(a, PLAIN) },
    AggFn { name: "jsonb_agg_strict", args: ONE, ret: T::Jsonb, new: |a| binary(a, STRICT) },
    AggFn { name: "json_object_agg", args: PAIR, ret: T::Json, new: |a| object(a, PLAIN) },
    AggFn { name: "json_object_agg_strict", args: PAIR, ret: T::Json, new: |a| object(a, STRICT) },
    AggFn { name: "json_object_agg_unique", args: PAIR, ret: T::Json, new: |a| object(a, UNIQUE) },
    AggFn {
        name: "json_object_agg_unique_strict",
        args: PAIR,
        ret: T::Json,
        new: |a| object(a, UNIQUE_STRICT),
    },
    AggFn { name: "jsonb_object_agg", args: PAIR, ret: T::Jsonb, new: |a| binary(a, PLAIN) },
    AggFn { name: "jsonb_object_agg_strict", args: PAIR, ret: T::Jsonb, new: |a| binary(a, STRICT) },
    AggFn { name: "jsonb_object_agg_unique", args: PAIR, ret: T::Jsonb, new: |a| binary(a, UNIQUE) },
    AggFn {
        name: "jsonb_object_agg_unique_strict",
        args: PAIR,
        ret: T::Jsonb,
        new: |a| binary(a, UNIQUE_STRICT),
    },
];
