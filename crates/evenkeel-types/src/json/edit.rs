//! Changes of encoded values, containment, and paths into them.
//!
//! Must not know: SQL values.

use super::binary::{Jsonb, Kind};
use super::order::compare;
use super::value::Value;
use super::{MAX_DEPTH, deeper, too_deep};
use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::make_room;
use std::borrow::Cow;

/// What is done where a path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Set, also where nothing is yet.
    Set,
    /// Set where something is.
    Replace,
    /// Insert before an element; never in the place of an object's value.
    InsertBefore,
    /// Insert behind an element.
    InsertAfter,
    /// Take away.
    Delete,
}

impl Action {
    fn creates(self) -> bool {
        matches!(self, Action::Set | Action::InsertBefore | Action::InsertAfter)
    }
}

fn mistake(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// An integer as a path has it.
pub fn index_of(text: &str) -> Option<i32> {
    // As strtol reads it: blanks before it, a sign.
    let t = text.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let digits = t.strip_prefix(['-', '+']).unwrap_or(t);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse().ok())?
}

/// What stands at a path, if something does.
pub fn at_path<'a>(value: Jsonb<'a>, path: &[&str]) -> Option<Jsonb<'a>> {
    path.iter().try_fold(value, |value, step| match value.kind() {
        Kind::Object(pairs) => pairs.find(step),
        Kind::Array(items) => items.at(index_of(step)?.into()),
        _ => None,
    })
}

/// What is done to a value at a path.
pub struct Change<'a, 'p> {
    /// The path; a step may be NULL.
    pub path: &'p [Option<&'a str>],
    /// The new value.
    pub value: Jsonb<'a>,
    /// What is done.
    pub action: Action,
}

impl<'a> Change<'a, '_> {
    /// A value with the change; the path has a step at least.
    pub fn apply(&self, value: Jsonb<'a>, level: usize) -> Result<Value<'a>, SqlError> {
        if level > MAX_DEPTH {
            return Err(too_deep());
        }
        // Nothing can be found in an empty value, so its path is not looked at; further inside it is.
        let is_empty = match value.kind() {
            Kind::Object(pairs) => pairs.is_empty(),
            Kind::Array(items) => items.is_empty(),
            _ => false,
        };
        if level == 0 && is_empty && !self.action.creates() {
            return Ok(Value::Encoded(value));
        }
        let Some(step) = self.path.get(level) else { return Ok(Value::Encoded(value)) };
        let Some(step) = step else {
            let message = format!("path element at position {} is null", level + 1);
            return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
        };
        match value.kind() {
            Kind::Object(pairs) => self.in_object(pairs, step, level),
            Kind::Array(items) => self.in_array(items, step, level),
            _ => Ok(Value::Encoded(value)),
        }
    }

    fn in_object(
        &self,
        pairs: super::binary::Pairs<'a>,
        step: &'a str,
        level: usize,
    ) -> Result<Value<'a>, SqlError> {
        let is_last = level + 1 == self.path.len();
        let (mut out, mut found, mut pace) = (Vec::with_capacity(pairs.len() + 1), false, Pace::default());
        for (key, value) in pairs.iter() {
            pace.step()?;
            if key != step {
                out.push((Cow::Borrowed(key), Value::Encoded(value)));
                continue;
            }
            found = true;
            match (is_last, self.action) {
                (false, _) => {
                    out.push((Cow::Borrowed(key), deeper(|| self.apply(value, level + 1))?));
                }
                (true, Action::Delete) => {}
                (true, Action::InsertBefore | Action::InsertAfter) => {
                    return Err(mistake("cannot replace existing key")
                        .with_hint("Try using the function jsonb_set to replace key value."));
                }
                (true, _) => out.push((Cow::Borrowed(key), Value::Encoded(self.value))),
            }
        }
        if is_last && !found && self.action.creates() {
            out.push((Cow::Borrowed(step), Value::Encoded(self.value)));
        }
        Ok(Value::Object(out))
    }

    fn in_array(
        &self,
        items: super::binary::Items<'a>,
        step: &str,
        level: usize,
    ) -> Result<Value<'a>, SqlError> {
        let Some(index) = index_of(step) else {
            let message = format!("path element at position {} is not an integer: \"{step}\"", level + 1);
            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message));
        };
        let is_last = level + 1 == self.path.len();
        let count = items.len() as i64;
        let index = if index < 0 { i64::from(index) + count } else { i64::from(index).min(count) };
        let (mut out, mut pace) = (Vec::with_capacity(items.len() + 1), Pace::default());
        let new = Value::Encoded(self.value);
        let creates = is_last && self.action.creates();
        if creates && (index < 0 || count == 0) {
            out.push(new.clone());
        }
        for (i, item) in items.iter().enumerate() {
            pace.step()?;
            let old = Value::Encoded(item);
            match (i as i64 == index, is_last, self.action) {
                (false, ..) => out.push(old),
                (true, false, _) => out.push(deeper(|| self.apply(item, level + 1))?),
                (true, true, Action::Delete) => {}
                (true, true, Action::Set | Action::Replace) => out.push(new.clone()),
                (true, true, Action::InsertBefore) => out.extend([new.clone(), old]),
                (true, true, Action::InsertAfter) => out.extend([old, new.clone()]),
            }
        }
        if creates && index >= count && count > 0 {
            out.push(new);
        }
        Ok(Value::Array(out))
    }
}

/// A value in which what is at a path is another: what the path lacks is made, arrays filled up with nulls, as assignments to subscripts do.
pub fn assigned<'a>(
    value: Jsonb<'a>,
    path: &[&'a str],
    new: Jsonb<'a>,
    level: usize,
) -> Result<Value<'a>, SqlError> {
    if level > MAX_DEPTH {
        return Err(too_deep());
    }
    let Some(step) = path.get(level) else { return Ok(Value::Encoded(new)) };
    let mut pace = Pace::default();
    match value.kind() {
        Kind::Object(pairs) => {
            let (mut out, mut found) = (Vec::with_capacity(pairs.len() + 1), false);
            for (key, old) in pairs.iter() {
                pace.step()?;
                let is_it = key == *step;
                found |= is_it;
                let of_key =
                    if is_it { deeper(|| assigned(old, path, new, level + 1))? } else { Value::Encoded(old) };
                out.push((Cow::Borrowed(key), of_key));
            }
            if !found {
                out.push((Cow::Borrowed(*step), made_at(&path[level + 1..], new)?));
            }
            Ok(Value::Object(out))
        }
        Kind::Array(items) => {
            let not_integer = || {
                let message = format!("path element at position {} is not an integer: \"{step}\"", level + 1);
                SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message)
            };
            let index = i64::from(index_of(step).ok_or_else(not_integer)?);
            let count = items.len() as i64;
            let at = if index < 0 { index + count } else { index };
            let Ok(at) = usize::try_from(at) else {
                return Err(mistake(format!(
                    "path element at position {} is out of range: {index}",
                    level + 1
                )));
            };
            let mut out = Vec::with_capacity(items.len() + 1);
            for (n, old) in items.iter().enumerate() {
                pace.step()?;
                let is_it = n == at;
                out.push(if is_it {
                    deeper(|| assigned(old, path, new, level + 1))?
                } else {
                    Value::Encoded(old)
                });
            }
            if at >= items.len() {
                push_nulls(&mut out, at - items.len())?;
                out.push(made_at(&path[level + 1..], new)?);
            }
            Ok(Value::Array(out))
        }
        _ => Err(mistake("cannot replace existing key")
            .with_detail("The path assumes key is a composite object, but it is a scalar value.")),
    }
}

/// The objects and arrays of a path, around a value.
fn made_at<'a>(path: &[&'a str], new: Jsonb<'a>) -> Result<Value<'a>, SqlError> {
    if path.len() > MAX_DEPTH {
        return Err(too_deep());
    }
    path.iter().rev().try_fold(Value::Encoded(new), |inner, step| match index_of(step) {
        Some(n) => {
            let mut items = Vec::new();
            push_nulls(&mut items, usize::try_from(n).unwrap_or(0))?;
            items.push(inner);
            Ok(Value::Array(items))
        }
        None => Ok(Value::Object(vec![(Cow::Borrowed(*step), inner)])),
    })
}

fn push_nulls(out: &mut Vec<Value<'_>>, count: usize) -> Result<(), SqlError> {
    let mut pace = Pace::default();
    make_room(out, count + 1)?;
    for _ in 0..count {
        pace.step()?;
        out.push(Value::Null);
    }
    Ok(())
}

/// `||`: objects are merged, anything else becomes one array.
pub fn concatenated<'a>(a: Jsonb<'a>, b: Jsonb<'a>) -> Result<Value<'a>, SqlError> {
    let mut pace = Pace::default();
    if let (Kind::Object(x), Kind::Object(y)) = (a.kind(), b.kind()) {
        let mut out = Vec::with_capacity(x.len() + y.len());
        for (key, value) in x.iter().chain(y.iter()) {
            pace.step()?;
            out.push((Cow::Borrowed(key), Value::Encoded(value)));
        }
        return Ok(Value::Object(out));
    }
    let mut out = Vec::new();
    for side in [a, b] {
        match side.kind() {
            Kind::Array(items) => {
                for item in items.iter() {
                    pace.step()?;
                    out.push(Value::Encoded(item));
                }
            }
            _ => out.push(Value::Encoded(side)),
        }
    }
    Ok(Value::Array(out))
}

/// `-` of keys: without the pairs of an object that have them, without the strings of an array that are them.
pub fn without_keys<'a>(value: Jsonb<'a>, keys: &[&str]) -> Result<Value<'a>, SqlError> {
    let mut pace = Pace::default();
    match value.kind() {
        Kind::Object(pairs) => {
            let mut out = Vec::with_capacity(pairs.len());
            for (key, value) in pairs.iter() {
                pace.bytes(16 * (keys.len() + 1))?;
                if !keys.contains(&key) {
                    out.push((Cow::Borrowed(key), Value::Encoded(value)));
                }
            }
            Ok(Value::Object(out))
        }
        Kind::Array(items) => {
            let mut out = Vec::with_capacity(items.len());
            for item in items.iter() {
                pace.bytes(16 * (keys.len() + 1))?;
                if !matches!(item.kind(), Kind::Str(s) if keys.contains(&s)) {
                    out.push(Value::Encoded(item));
                }
            }
            Ok(Value::Array(out))
        }
        _ => Err(mistake("cannot delete from scalar")),
    }
}

/// `-` of a number: without that element.
pub fn without_element(value: Jsonb<'_>, index: i64) -> Result<Value<'_>, SqlError> {
    match value.kind() {
        Kind::Object(_) => Err(mistake("cannot delete from object using integer index")),
        Kind::Array(items) => {
            let index = if index < 0 { index + items.len() as i64 } else { index };
            let kept = items.iter().enumerate().filter(|(i, _)| *i as i64 != index);
            Ok(Value::Array(kept.map(|(_, item)| Value::Encoded(item)).collect()))
        }
        _ => Err(mistake("cannot delete from scalar")),
    }
}

/// Without the pairs whose value is null; with `in_arrays` also without the elements that are.
pub fn without_nulls(value: Jsonb<'_>, in_arrays: bool, depth: usize) -> Result<Value<'_>, SqlError> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    let mut pace = Pace::default();
    Ok(match value.kind() {
        Kind::Object(pairs) => {
            let mut out = Vec::new();
            for (key, item) in pairs.iter() {
                pace.step()?;
                if !matches!(item.kind(), Kind::Null) {
                    let item = deeper(|| without_nulls(item, in_arrays, depth + 1))?;
                    out.push((Cow::Borrowed(key), item));
                }
            }
            Value::Object(out)
        }
        Kind::Array(items) => {
            let mut out = Vec::new();
            for item in items.iter() {
                pace.step()?;
                if !(in_arrays && matches!(item.kind(), Kind::Null)) {
                    out.push(deeper(|| without_nulls(item, in_arrays, depth + 1))?);
                }
            }
            Value::Array(out)
        }
        _ => Value::Encoded(value),
    })
}

/// `?`: is it a key of the object, a string of the array, or the string?
pub fn has_key(value: Jsonb<'_>, key: &str) -> bool {
    match value.kind() {
        Kind::Object(pairs) => pairs.find(key).is_some(),
        Kind::Array(items) => items.iter().any(|item| matches!(item.kind(), Kind::Str(s) if s == key)),
        Kind::Str(s) => s == key,
        _ => false,
    }
}

/// `@>`
pub fn contains(a: Jsonb<'_>, b: Jsonb<'_>) -> Result<bool, SqlError> {
    match (a.kind(), b.kind()) {
        // An array contains what it has as an element; that is so only here, not further down.
        (Kind::Array(items), _) if !b.is_container() => {
            Ok(items.iter().any(|item| !item.is_container() && compare(item, b).is_eq()))
        }
        _ => contains_within(a, b, &mut Pace::default(), 0),
    }
}

fn contains_within(a: Jsonb<'_>, b: Jsonb<'_>, pace: &mut Pace, depth: usize) -> Result<bool, SqlError> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    pace.step()?;
    match (a.kind(), b.kind()) {
        (Kind::Object(x), Kind::Object(y)) => {
            if x.len() < y.len() {
                return Ok(false);
            }
            for (key, wanted) in y.iter() {
                match x.find(key) {
                    Some(there) if deeper(|| contains_within(there, wanted, pace, depth + 1))? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Kind::Array(x), Kind::Array(y)) => {
            for wanted in y.iter() {
                let mut found = false;
                for there in x.iter() {
                    pace.step()?;
                    if there.is_container() == wanted.is_container()
                        && deeper(|| contains_within(there, wanted, pace, depth + 1))?
                    {
                        found = true;
                        break;
                    }
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ if a.is_container() || b.is_container() => Ok(false),
        _ => Ok(compare(a, b).is_eq()),
    }
}
