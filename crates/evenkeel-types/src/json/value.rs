//! Values that are being made, and their encoding.
//!
//! Must not know: SQL values.

use super::binary::{ARRAY, FALSE, Jsonb, NULL, NUMBER, OBJECT, STRING, TRUE};
use super::lex::{Token, unescape};
use super::parse::{Piece, Sink, parse};
use super::{MAX_DEPTH, deeper, too_deep};
use crate::error::{SqlError, SqlState};
use crate::guard::build::{kept_bytes, make_room};
use crate::guard::stop::Watch;
use crate::guard::{Pace, admit};
use crate::numeric::Numeric;
use std::borrow::Cow;
use std::sync::Arc;

/// The largest array or object, encoded.
const MAX_CONTAINER_BYTES: usize = 0x0FFF_FFFF;

/// A value that is being made.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Numeric),
    /// A string.
    Str(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object. Of pairs with one key the last counts.
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
    /// One that is encoded already.
    Encoded(Jsonb<'a>),
    /// The same, with its bytes.
    Kept(Arc<[u8]>),
}

/// Brings pairs in the order of their keys; of those with one key the last stays.
pub fn sort_pairs<T>(pairs: &mut Vec<(Cow<'_, str>, T)>) -> Result<(), SqlError> {
    /// Comparisons between two looks.
    const LOOK_EVERY: u32 = 4096;
    let order = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    if pairs.windows(2).all(|p| order(&p[0].0, &p[1].0).is_lt()) {
        return Ok(());
    }
    let watch = Watch::of_data(LOOK_EVERY);
    watch.run(|| {
        pairs.sort_by(|a, b| {
            watch.look();
            order(&a.0, &b.0)
        });
    })?;
    // Of equal ones the first stays where the list is cut down, so the last is put there before.
    pairs.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
    Ok(())
}

/// A value as it is kept.
pub fn encode(mut value: Value<'_>) -> Result<Arc<[u8]>, SqlError> {
    let mut sizes = Vec::new();
    let size = measure(&mut value, &mut sizes, &mut Pace::default(), 0)?;
    let mut out = Vec::new();
    make_room(&mut out, size)?;
    write(&value, &mut sizes.iter().copied(), &mut out, &mut Pace::default())?;
    debug_assert_eq!(out.len(), size);
    // What goes down to drop it needs stack, too.
    drop_deep(value);
    kept_bytes(&out)
}

fn drop_deep(value: Value<'_>) {
    deeper(|| match value {
        Value::Array(items) => items.into_iter().for_each(drop_deep),
        Value::Object(pairs) => pairs.into_iter().for_each(|(_, v)| drop_deep(v)),
        _ => {}
    });
}

fn width_of(largest: usize) -> usize {
    match largest {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

/// The encoded length; of arrays and objects also the length of their keys and values goes to `sizes`, those of the outer before those of the inner ones.
fn measure(
    value: &mut Value<'_>,
    sizes: &mut Vec<(usize, usize)>,
    pace: &mut Pace,
    depth: usize,
) -> Result<usize, SqlError> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    pace.step()?;
    let place = sizes.len();
    let (keys, values, count, what) = match value {
        Value::Null | Value::Bool(_) => return Ok(1),
        Value::Number(n) => {
            let mut bytes = Vec::with_capacity(24);
            n.write_stored(&mut bytes);
            return Ok(1 + bytes.len());
        }
        Value::Str(s) if s.len() > MAX_CONTAINER_BYTES => {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "string too long to represent as jsonb string",
            )
            .with_detail(format!(
                "Due to an implementation restriction, jsonb strings cannot exceed {MAX_CONTAINER_BYTES} bytes."
            )));
        }
        Value::Str(s) => return Ok(1 + s.len()),
        Value::Encoded(j) => return Ok(j.0.len()),
        Value::Kept(bytes) => return Ok(bytes.len()),
        Value::Array(items) => {
            make_room(sizes, 1)?;
            sizes.push((0, 0));
            let mut sum = 0;
            for item in items.iter_mut() {
                sum += deeper(|| measure(item, sizes, pace, depth + 1))?;
            }
            (0, sum, items.len(), "array")
        }
        Value::Object(pairs) => {
            sort_pairs(pairs)?;
            make_room(sizes, 1)?;
            sizes.push((0, 0));
            let (mut keys, mut sum) = (0, 0);
            for (key, item) in pairs.iter_mut() {
                keys += key.len();
                sum += deeper(|| measure(item, sizes, pace, depth + 1))?;
            }
            (keys, sum, pairs.len(), "object")
        }
    };
    if keys + values > MAX_CONTAINER_BYTES {
        return Err(SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("total size of jsonb {what} elements exceeds the maximum of {MAX_CONTAINER_BYTES} bytes"),
        ));
    }
    sizes[place] = (keys, values);
    let lists = if what == "object" { 2 } else { 1 };
    let width = width_of(keys.max(values).max(count));
    Ok(1 + width * (1 + lists * count) + keys + values)
}

fn put(n: usize, width: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(n as u32).to_le_bytes()[..width]);
}

fn write(
    value: &Value<'_>,
    sizes: &mut dyn Iterator<Item = (usize, usize)>,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), SqlError> {
    pace.step()?;
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Value::Number(n) => {
            out.push(NUMBER);
            n.write_stored(out);
        }
        Value::Str(s) => {
            out.push(STRING);
            pace.bytes(s.len())?;
            out.extend_from_slice(s.as_bytes());
        }
        Value::Encoded(Jsonb(bytes)) => {
            pace.bytes(bytes.len())?;
            out.extend_from_slice(bytes);
        }
        Value::Kept(bytes) => {
            pace.bytes(bytes.len())?;
            out.extend_from_slice(bytes);
        }
        Value::Array(items) => {
            let (_, values) = sizes.next().unwrap_or_default();
            let width = width_of(values.max(items.len()));
            out.push(ARRAY | (width as u8) << 4);
            put(items.len(), width, out);
            let ends = out.len();
            out.resize(ends + width * items.len(), 0);
            let data = out.len();
            for (i, item) in items.iter().enumerate() {
                deeper(|| write(item, sizes, out, pace))?;
                let end = (out.len() - data) as u32;
                out[ends + i * width..][..width].copy_from_slice(&end.to_le_bytes()[..width]);
            }
        }
        Value::Object(pairs) => {
            let (keys, values) = sizes.next().unwrap_or_default();
            let width = width_of(keys.max(values).max(pairs.len()));
            out.push(OBJECT | (width as u8) << 4);
            put(pairs.len(), width, out);
            let mut end = 0;
            for (key, _) in pairs {
                end += key.len();
                put(end, width, out);
            }
            let ends = out.len();
            out.resize(ends + width * pairs.len(), 0);
            pairs.iter().for_each(|(key, _)| out.extend_from_slice(key.as_bytes()));
            let data = out.len();
            for (i, (_, item)) in pairs.iter().enumerate() {
                deeper(|| write(item, sizes, out, pace))?;
                let end = (out.len() - data) as u32;
                out[ends + i * width..][..width].copy_from_slice(&end.to_le_bytes()[..width]);
            }
        }
    }
    Ok(())
}

/// Puts together what is read.
#[derive(Default)]
struct Builder<'a> {
    open: Vec<Open<'a>>,
    done: Option<Value<'a>>,
}

enum Open<'a> {
    Array(Vec<Value<'a>>),
    Object(Vec<(Cow<'a, str>, Value<'a>)>, Option<Cow<'a, str>>),
}

impl<'a> Builder<'a> {
    fn add(&mut self, value: Value<'a>) -> Result<(), SqlError> {
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::Array(items)) => {
                make_room(items, 1)?;
                items.push(value);
            }
            Some(Open::Object(pairs, key)) => {
                make_room(pairs, 1)?;
                pairs.push((key.take().unwrap_or_default(), value));
            }
        }
        Ok(())
    }
}

impl<'a> Sink<'a> for Builder<'a> {
    fn open(&mut self, is_object: bool, _: usize) -> Result<(), SqlError> {
        self.open.push(if is_object { Open::Object(Vec::new(), None) } else { Open::Array(Vec::new()) });
        Ok(())
    }

    fn key(&mut self, key: Piece<'a>) -> Result<(), SqlError> {
        if let Some(Open::Object(_, slot)) = self.open.last_mut() {
            *slot = Some(unescape(key.text, key.is_escaped)?);
        }
        Ok(())
    }

    fn scalar(&mut self, value: Piece<'a>) -> Result<(), SqlError> {
        let value = match value.token {
            Token::String => Value::Str(unescape(value.text, value.is_escaped)?),
            Token::Number => Value::Number(value.text.parse()?),
            Token::True => Value::Bool(true),
            Token::False => Value::Bool(false),
            _ => Value::Null,
        };
        self.add(value)
    }

    fn close(&mut self, _: usize) -> Result<(), SqlError> {
        let value = match self.open.pop() {
            Some(Open::Array(items)) => Value::Array(items),
            Some(Open::Object(pairs, _)) => Value::Object(pairs),
            None => return Err(SqlError::internal("a container of JSON ends that did not begin")),
        };
        self.add(value)
    }
}

impl Drop for Builder<'_> {
    /// After an error there may be deep ones in it.
    fn drop(&mut self) {
        self.done.take().into_iter().for_each(drop_deep);
        for open in self.open.drain(..) {
            match open {
                Open::Array(items) => items.into_iter().for_each(drop_deep),
                Open::Object(pairs, _) => pairs.into_iter().for_each(|(_, v)| drop_deep(v)),
            }
        }
    }
}

/// Reads a text as a `jsonb`.
pub fn read(text: &str) -> Result<Arc<[u8]>, SqlError> {
    admit(text.len())?;
    let mut builder = Builder::default();
    parse(text, true, &mut builder)?;
    let value = builder.done.take().ok_or_else(|| SqlError::internal("a JSON text without a value"))?;
    encode(value)
}
