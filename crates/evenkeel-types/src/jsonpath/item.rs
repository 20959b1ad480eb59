//! What paths are evaluated to.
//!
//! A container is a part of a whole that is lent, or that evaluation made and shares; so its place in the whole is known, which `.keyvalue()` tells.
//!
//! Must not know: paths.

use super::moment;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::json::{Jsonb, Kind, Value, read};
use crate::numeric::Numeric;
use crate::ty::Type;
use std::borrow::Cow;
use std::sync::Arc;

/// An item.
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Numeric),
    /// A string.
    Str(Cow<'a, str>),
    /// A date, time or timestamp, and how many seconds its zone is west of UTC.
    Moment(Datum, i32),
    /// An array or an object.
    Container(Part<'a>),
}

/// Where a container is.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    whole: Whole<'a>,
    from: usize,
    len: usize,
}

#[derive(Clone, Debug)]
enum Whole<'a> {
    Lent(&'a [u8]),
    Made(Arc<[u8]>),
}

impl<'a> Part<'a> {
    /// The container.
    pub fn jsonb(&self) -> Jsonb<'_> {
        let all: &[u8] = match &self.whole {
            Whole::Lent(all) => all,
            Whole::Made(all) => all,
        };
        Jsonb(all.get(self.from..self.from + self.len).unwrap_or(&[]))
    }

    /// How far from the begin of its whole it is.
    pub fn offset(&self) -> usize {
        self.from
    }

    /// Something in it as an item of its own.
    pub fn item(&self, inner: Jsonb<'_>) -> Item<'a> {
        let all: &[u8] = match &self.whole {
            Whole::Lent(all) => all,
            Whole::Made(all) => all,
        };
        // It lies within; what is damaged may not.
        let from = (inner.0.as_ptr() as usize).wrapping_sub(all.as_ptr() as usize);
        let len = inner.0.len();
        if from.checked_add(len).is_none_or(|end| end > all.len()) {
            return Item::Null;
        }
        match (&self.whole, inner.kind()) {
            (_, Kind::Null) => Item::Null,
            (_, Kind::Bool(b)) => Item::Bool(b),
            (_, Kind::Number(n)) => Item::Number(n),
            (Whole::Lent(all), Kind::Str(_)) => Item::of(Jsonb(&all[from..from + len])),
            (_, Kind::Str(s)) => Item::Str(Cow::Owned(s.to_owned())),
            (whole, _) => Item::Container(Part { whole: whole.clone(), from, len }),
        }
    }
}

impl<'a> Item<'a> {
    /// A value.
    pub fn of(value: Jsonb<'a>) -> Item<'a> {
        match value.kind() {
            Kind::Null => Item::Null,
            Kind::Bool(b) => Item::Bool(b),
            Kind::Number(n) => Item::Number(n),
            Kind::Str(s) => Item::Str(Cow::Borrowed(s)),
            _ => Item::Container(Part { whole: Whole::Lent(value.0), from: 0, len: value.0.len() }),
        }
    }

    /// A value that was made.
    pub fn made(value: Arc<[u8]>) -> Item<'a> {
        match Jsonb(&value).kind() {
            Kind::Null => Item::Null,
            Kind::Bool(b) => Item::Bool(b),
            Kind::Number(n) => Item::Number(n),
            Kind::Str(s) => Item::Str(Cow::Owned(s.to_owned())),
            _ => {
                let len = value.len();
                Item::Container(Part { whole: Whole::Made(value), from: 0, len })
            }
        }
    }

    /// A value of SQL, as PASSING gives it.
    pub fn of_datum(d: &'a Datum, ty: Type) -> Result<Item<'a>, SqlError> {
        Ok(match d {
            Datum::Null => Item::Null,
            Datum::Bool(b) => Item::Bool(*b),
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => Item::Number(d.as_i64().unwrap_or(0).into()),
            Datum::Float4(v) => Item::Number(Numeric::from_f32(*v)),
            Datum::Float8(v) => Item::Number(Numeric::from_f64(*v)),
            Datum::Numeric(n) => Item::Number(n.clone()),
            Datum::Text(s) if matches!(ty, Type::Text | Type::Varchar) => Item::Str(Cow::Borrowed(s)),
            Datum::Date(_)
            | Datum::Time(_)
            | Datum::Timetz(..)
            | Datum::Timestamp(_)
            | Datum::Timestamptz(_) => Item::Moment(d.clone(), 0),
            Datum::Jsonb(b) => Item::of(Jsonb(b)),
            Datum::Json(s) => Item::made(read(s)?),
            _ => {
                let message = format!("could not convert value of type {} to jsonpath", ty.sql_name());
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
            }
        })
    }

    /// As JSON, to be encoded.
    pub fn value(&self) -> Value<'_> {
        match self {
            Item::Null => Value::Null,
            Item::Bool(b) => Value::Bool(*b),
            Item::Number(n) => Value::Number(n.clone()),
            Item::Str(s) => Value::Str(Cow::Borrowed(s)),
            Item::Moment(d, west) => Value::Str(Cow::Owned(moment::text(d, *west))),
            Item::Container(part) => Value::Encoded(part.jsonb()),
        }
    }

    /// The elements, if it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Item::Container(part) if matches!(part.jsonb().kind(), Kind::Array(_)))
    }

    /// `.type()`
    pub fn type_name(&self) -> Cow<'static, str> {
        match self {
            Item::Null => "null".into(),
            Item::Bool(_) => "boolean".into(),
            Item::Number(_) => "number".into(),
            Item::Str(_) => "string".into(),
            Item::Moment(d, _) => d.natural_type().sql_name(),
            Item::Container(part) => part.jsonb().type_name().into(),
        }
    }
}
