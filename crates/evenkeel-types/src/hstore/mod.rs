//! Values of the extension `hstore`: texts by their keys.
//!
//! They are kept as PostgreSQL sends them: how many pairs there are, then of each the length of its key, the key, the length of its value (-1: NULL), and the value; numbers are
//! big-endian.
//!
//! Invariants
//! 1. They lie on disk: the form never changes.
//! 2. Keys are in the order of their lengths, then of their bytes, and each is there once; keys and values are texts.
//! 3. What comes from elsewhere is looked at before it becomes a value (`check`, `read_binary`).
//!
//! Must not know: functions, whether the extension was asked for.

mod text;

pub use text::{parse, write};

use crate::datum::{ArrayDatum, Datum};
use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::{kept, kept_bytes, make_room, text_of};
use crate::guard::stop::Watch;
use crate::json::output::write_string;
use crate::json::value::Value;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Longest key or value, bytes.
const PART_BYTES_MAX: usize = 0x3FFF_FFFF;
/// Most pairs that a binary form may say it has: as many as PostgreSQL takes.
const PAIRS_MAX: i32 = 26_843_545;
/// The length of a value that is NULL.
const NULL: u32 = u32::MAX;
/// Comparisons of a sort between two looks.
const LOOK_EVERY: u32 = 4096;

/// A key and its value.
pub type Pair<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

/// A value as it is kept.
#[derive(Clone, Copy)]
pub struct Hstore<'a>(pub &'a [u8]);

/// The pairs of one, in the order of their keys.
#[derive(Clone)]
pub struct Pairs<'a>(&'a [u8]);

fn number(from: &mut &[u8]) -> Option<u32> {
    let (head, rest) = from.split_first_chunk::<4>()?;
    *from = rest;
    Some(u32::from_be_bytes(*head))
}

fn part<'a>(len: u32, from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (head, rest) = from.split_at_checked(len as usize)?;
    *from = rest;
    Some(head)
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], Option<&'a [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let len = number(&mut self.0)?;
        let key = part(len, &mut self.0)?;
        match number(&mut self.0)? {
            NULL => Some((key, None)),
            len => Some((key, Some(part(len, &mut self.0)?))),
        }
    }
}

fn order(a: &[u8], b: &[u8]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl<'a> Hstore<'a> {
    /// How many pairs there are.
    pub fn count(self) -> usize {
        number(&mut { self.0 }).unwrap_or(0) as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.count() == 0
    }

    /// The pairs.
    pub fn iter(self) -> Pairs<'a> {
        Pairs(self.0.get(4..).unwrap_or_default())
    }

    /// What a key has; `None`: there is no such key.
    pub fn find(self, key: &[u8]) -> Option<Option<&'a [u8]>> {
        let found = self.iter().find(|(own, _)| order(own, key).is_ge());
        found.filter(|(own, _)| *own == key).map(|(_, value)| value)
    }

    /// The value of a key; `None`: it is NULL, or not there.
    pub fn get(self, key: &[u8]) -> Option<&'a [u8]> {
        self.find(key).flatten()
    }

    /// Whether the keys of another are here, with the same values.
    pub fn contains(self, other: Hstore<'_>) -> bool {
        // Both are in order, so one way through them is enough.
        let mut own = self.iter();
        other.iter().all(|(key, value)| {
            own.find(|(k, _)| order(k, key).is_ge()).is_some_and(|(k, v)| k == key && v == value)
        })
    }

    /// The pairs, to make another one of.
    pub fn pairs(self) -> impl Iterator<Item = Pair<'a>> {
        self.iter().map(|(key, value)| (Cow::Borrowed(key), value.map(Cow::Borrowed)))
    }

    /// Keys and values, one behind the other.
    fn parts(self) -> impl Iterator<Item = &'a [u8]> {
        self.iter().flat_map(|(key, value)| [key, value.unwrap_or_default()])
    }

    /// Where each of them ends, and whether it is NULL.
    fn ends(self) -> impl Iterator<Item = (usize, bool)> {
        let parts = self.iter().flat_map(|(key, value)| [Some(key), value]);
        parts.scan(0, |end, part| {
            *end += part.map_or(0, <[u8]>::len);
            Some((*end, part.is_none()))
        })
    }

    /// PostgreSQL's order: of what is in them, then of how many pairs, then of where these end.
    pub fn compare(self, other: Hstore<'_>) -> Ordering {
        let (mut own, mut others) = (self.parts(), other.parts());
        let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
        loop {
            while a.is_empty() {
                let Some(next) = own.next() else { break };
                a = next;
            }
            while b.is_empty() {
                let Some(next) = others.next() else { break };
                b = next;
            }
            let n = a.len().min(b.len());
            if n == 0 {
                break;
            }
            let (x, y) = (a.split_at(n), b.split_at(n));
            match x.0.cmp(y.0) {
                Ordering::Equal => (a, b) = (x.1, y.1),
                other => return other,
            }
        }
        let by_length = (!a.is_empty()).cmp(&!b.is_empty());
        by_length.then(self.count().cmp(&other.count())).then_with(|| self.ends().cmp(other.ends()))
    }

    /// Bytes whose order is that of the values; `bytes` writes some so that none begins with another.
    pub fn write_key(self, bytes: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
        let all: Vec<u8> = self.parts().flatten().copied().collect();
        bytes(&all, out);
        out.extend_from_slice(&(self.count() as u32).to_be_bytes());
        for (end, is_null) in self.ends() {
            out.extend_from_slice(&((end as u64) << 1 | u64::from(is_null)).to_be_bytes());
        }
    }

    /// Appends it as a JSON object. If `loose`, what looks like a number or a boolean is one.
    pub fn write_json(self, loose: bool, out: &mut Vec<u8>) -> Result<(), SqlError> {
        out.push(b'{');
        for (n, (key, value)) in self.iter().enumerate() {
            if n > 0 {
                out.extend_from_slice(b", ");
            }
            write_string(as_text(key)?, out)?;
            out.extend_from_slice(b": ");
            match value {
                None => out.extend_from_slice(b"null"),
                Some(b"t") if loose => out.extend_from_slice(b"true"),
                Some(b"f") if loose => out.extend_from_slice(b"false"),
                Some(v) if loose && is_number(v) => {
                    make_room(out, v.len() + 16)?;
                    out.extend_from_slice(v);
                }
                Some(v) => write_string(as_text(v)?, out)?,
            }
        }
        out.push(b'}');
        Ok(())
    }

    /// The same as a `jsonb` that is being made.
    pub fn json(self, loose: bool) -> Result<Value<'a>, SqlError> {
        let (mut pairs, mut pace) = (Vec::new(), Pace::default());
        for (key, value) in self.iter() {
            pace.step()?;
            make_room(&mut pairs, 1)?;
            let value = match value {
                None => Value::Null,
                Some(b"t") if loose => Value::Bool(true),
                Some(b"f") if loose => Value::Bool(false),
                Some(v) if loose && is_number(v) => Value::Number(as_text(v)?.parse()?),
                Some(v) => Value::Str(as_text(v)?.into()),
            };
            pairs.push((Cow::Borrowed(as_text(key)?), value));
        }
        Ok(Value::Object(pairs))
    }
}

/// Whether JSON has such a number.
fn is_number(text: &[u8]) -> bool {
    let digits = |from: &[u8]| from.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

fn no_text() -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, "an hstore has a part that is not UTF-8")
}

/// A part as the text that it is. (2)
pub fn as_text(part: &[u8]) -> Result<&str, SqlError> {
    text_of(part)?.map_err(|_| no_text())
}

/// A part as a value of `text`; NULL if there is none.
pub fn datum(part: Option<&[u8]>) -> Result<Datum, SqlError> {
    Ok(match part {
        Some(part) => Datum::Text(kept(as_text(part)?)?),
        None => Datum::Null,
    })
}

/// Fails for a key or a value that is too long.
fn check_length(part: &[u8], what: &str) -> Result<(), SqlError> {
    if part.len() <= PART_BYTES_MAX {
        return Ok(());
    }
    let why = format!("string too long for hstore {what}");
    Err(SqlError::new(SqlState::STRING_DATA_RIGHT_TRUNCATION, why))
}

/// A value of pairs in any order; of those with one key the first counts.
pub fn made(mut pairs: Vec<Pair<'_>>) -> Result<Datum, SqlError> {
    if !pairs.windows(2).all(|p| order(&p[0].0, &p[1].0).is_lt()) {
        let watch = Watch::of_data(LOOK_EVERY);
        watch.run(|| {
            pairs.sort_by(|a, b| {
                watch.look();
                order(&a.0, &b.0)
            });
        })?;
        pairs.dedup_by(|later, first| later.0 == first.0);
    }
    let (mut out, mut pace) = (Vec::new(), Pace::default());
    out.extend_from_slice(&(pairs.len() as u32).to_be_bytes());
    for (key, value) in &pairs {
        check_length(key, "key")?;
        let bytes = value.as_deref().unwrap_or_default();
        check_length(bytes, "value")?;
        make_room(&mut out, 8 + key.len() + bytes.len())?;
        out.extend_from_slice(&(key.len() as u32).to_be_bytes());
        out.extend_from_slice(key);
        out.extend_from_slice(&value.as_ref().map_or(NULL, |v| v.len() as u32).to_be_bytes());
        out.extend_from_slice(bytes);
        pace.bytes(16 + key.len() + bytes.len())?;
    }
    if out.len() > crate::MAX_VALUE_BYTES {
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "hstore is too large"));
    }
    Ok(Datum::Hstore(kept_bytes(&out)?))
}

/// A value of an array of keys and values in turn, or of pairs.
pub fn of_array(array: &ArrayDatum) -> Result<Datum, SqlError> {
    let wrong = |why: &str| Err(SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why));
    match &array.dims[..] {
        [] => {}
        [one] if one.len % 2 == 0 => {}
        [_] => return wrong("array must have even number of elements"),
        [_, two] if two.len == 2 => {}
        [_, _] => return wrong("array must have two columns"),
        _ => return wrong("wrong number of array subscripts"),
    }
    fn part(d: &Datum) -> Option<Cow<'_, [u8]>> {
        d.as_str().map(|s| Cow::Borrowed(s.as_bytes()))
    }
    let (mut pairs, mut pace) = (Vec::new(), Pace::default());
    for pair in array.values.chunks_exact(2) {
        pace.step()?;
        make_room(&mut pairs, 1)?;
        pairs.push((part(&pair[0]).ok_or_else(null_key)?, part(&pair[1])));
    }
    made(pairs)
}

/// As a value of `json`.
pub fn to_json(value: Hstore<'_>, loose: bool) -> Result<Datum, SqlError> {
    let mut out = Vec::new();
    value.write_json(loose, &mut out)?;
    Ok(Datum::Json(kept(as_text(&out)?)?))
}

/// Whether stored bytes are a value (2); an error only if the statement must not go on.
pub fn check(stored: &[u8]) -> Result<bool, SqlError> {
    let value = Hstore(stored);
    let (mut left, mut count, mut pace) = (value.iter(), 0, Pace::default());
    let mut before: Option<&[u8]> = None;
    for (key, part) in left.by_ref() {
        pace.step()?;
        let is_text = text_of(key)?.is_ok() && part.map_or(Ok(true), |v| text_of(v).map(|t| t.is_ok()))?;
        if !is_text || before.is_some_and(|b| order(b, key).is_ge()) {
            return Ok(false);
        }
        (before, count) = (Some(key), count + 1);
    }
    Ok(stored.len() >= 4 && left.0.is_empty() && count == value.count())
}

fn text_part<'a>(len: u32, b: &mut &'a [u8], short: fn() -> SqlError) -> Result<Cow<'a, [u8]>, SqlError> {
    let part = part(len, b).ok_or_else(short)?;
    crate::binary_io::utf8(part)?;
    Ok(Cow::Borrowed(part))
}

/// Reads what a client sends, in any order.
pub fn read_binary(mut b: &[u8], short: fn() -> SqlError) -> Result<Datum, SqlError> {
    let count = number(&mut b).ok_or_else(short)? as i32;
    if !(0..=PAIRS_MAX).contains(&count) {
        let why = format!("number of pairs ({count}) exceeds the maximum allowed ({PAIRS_MAX})");
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
    }
    let (mut pairs, mut pace) = (Vec::new(), Pace::default());
    for _ in 0..count {
        pace.step()?;
        let len = number(&mut b).ok_or_else(short)?;
        if (len as i32) < 0 {
            return Err(null_key());
        }
        let key = text_part(len, &mut b, short)?;
        let value = match number(&mut b).ok_or_else(short)? {
            len if (len as i32) < 0 => None,
            len => Some(text_part(len, &mut b, short)?),
        };
        make_room(&mut pairs, 1)?;
        pairs.push((key, value));
    }
    if !b.is_empty() {
        let why = "incorrect binary data format";
        return Err(SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, why));
    }
    made(pairs)
}

/// 22004, of a key that is NULL.
pub fn null_key() -> SqlError {
    SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "null value not allowed for hstore key")
}
