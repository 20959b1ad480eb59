//! What is where in a JSON text: for `json`, whose parts are given as they were written.
//!
//! Must not know: functions.

use super::deeper;
use super::lex::{Token, unescape};
use super::parse::{Piece, Sink, parse};
use crate::error::SqlError;
use crate::guard::build::make_room;
use std::borrow::Cow;

/// A value within a text.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its text.
    pub text: &'a str,
    /// What it is.
    pub what: What<'a>,
}

/// What a value is.
#[derive(Debug)]
pub enum What<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string, with escapes or not.
    Str(bool),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object; keys may occur more than once.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl Drop for Node<'_> {
    fn drop(&mut self) {
        match &mut self.what {
            What::Array(items) if !items.is_empty() => deeper(|| items.clear()),
            What::Object(pairs) if !pairs.is_empty() => deeper(|| pairs.clear()),
            _ => {}
        }
    }
}

struct Builder<'a> {
    input: &'a str,
    open: Vec<(usize, What<'a>, Option<Cow<'a, str>>)>,
    done: Option<Node<'a>>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, node: Node<'a>) -> Result<(), SqlError> {
        match self.open.last_mut() {
            Some((_, What::Array(items), _)) => {
                make_room(items, 1)?;
                items.push(node);
            }
            Some((_, What::Object(pairs), key)) => {
                make_room(pairs, 1)?;
                pairs.push((key.take().unwrap_or_default(), node));
            }
            _ => self.done = Some(node),
        }
        Ok(())
    }
}

impl<'a> Sink<'a> for Builder<'a> {
    fn open(&mut self, is_object: bool, start: usize) -> Result<(), SqlError> {
        let what = if is_object { What::Object(Vec::new()) } else { What::Array(Vec::new()) };
        self.open.push((start, what, None));
        Ok(())
    }

    fn key(&mut self, key: Piece<'a>) -> Result<(), SqlError> {
        if let Some((_, _, slot)) = self.open.last_mut() {
            *slot = Some(unescape(key.text, key.is_escaped)?);
        }
        Ok(())
    }

    fn scalar(&mut self, value: Piece<'a>) -> Result<(), SqlError> {
        let what = match value.token {
            Token::String => What::Str(value.is_escaped),
            Token::Number => What::Number,
            Token::True | Token::False => What::Bool,
            _ => What::Null,
        };
        self.add(Node { text: value.text, what })
    }

    fn close(&mut self, end: usize) -> Result<(), SqlError> {
        match self.open.pop() {
            Some((start, what, _)) => self.add(Node { text: &self.input[start..end], what }),
            None => Err(SqlError::internal("a container of JSON ends that did not begin")),
        }
    }
}

/// Takes a text apart.
pub fn nodes(text: &str) -> Result<Node<'_>, SqlError> {
    let mut builder = Builder { input: text, open: Vec::new(), done: None };
    parse(text, true, &mut builder)?;
    builder.done.take().ok_or_else(|| SqlError::internal("a JSON text without a value"))
}

impl<'a> Node<'a> {
    /// The value of a key: the last one's.
    pub fn field(&self, key: &str) -> Option<&Node<'a>> {
        match &self.what {
            What::Object(pairs) => pairs.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// An element of an array, counted from its end if the number is negative.
    pub fn element(&self, i: i64) -> Option<&Node<'a>> {
        let What::Array(items) = &self.what else { return None };
        let i = if i < 0 { i.checked_add(items.len() as i64)? } else { i };
        items.get(usize::try_from(i).ok()?)
    }

    /// As text: a string as it is, anything else as JSON; nothing for null.
    pub fn as_text(&self) -> Result<Option<Cow<'a, str>>, SqlError> {
        match &self.what {
            What::Null => Ok(None),
            What::Str(is_escaped) => unescape(self.text, *is_escaped).map(Some),
            _ => Ok(Some(Cow::Borrowed(self.text))),
        }
    }

    /// `json_typeof`
    pub fn type_name(&self) -> &'static str {
        match &self.what {
            What::Null => "null",
            What::Bool => "boolean",
            What::Number => "number",
            What::Str(_) => "string",
            What::Array(_) => "array",
            What::Object(_) => "object",
        }
    }
}
