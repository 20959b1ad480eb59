//! Methods of items that are no dates or times.
//!
//! Must not know: functions and operators of SQL.

use super::item::Item;
use super::run::{Answer, Base, Done, Found, Run};
use super::{Id, Method, Timed};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::json::{Kind, Value, encode};
use crate::numeric::Numeric;
use crate::text_io::{input_text, parse_bool};
use crate::ty::{Type, typmod_from_args, typmod_numeric};
use std::borrow::Cow;

/// What ids of base objects are multiplied with.
const ID_STEP: i64 = 10_000_000_000;

impl<'a> Run<'a> {
    /// An argument that is none of a method's.
    pub(super) fn wrong_kind(&self, state: SqlState, method: &str, wanted: &str) -> Done {
        self.fail(state, || format!("jsonpath item method .{method}() can only be applied to {wanted}"))
    }

    /// An argument that a type does not have.
    fn invalid(&self, e: Option<SqlError>, argument: &str, method: &str, ty: &str) -> Done {
        if let Some(e) = e
            && matches!(e.code.class(), "53" | "54" | "57" | "XX")
        {
            return Err(e);
        }
        self.fail(SqlState::NON_NUMERIC_SQL_JSON_ITEM, || {
            format!("argument \"{argument}\" of jsonpath item method .{method}() is invalid for type {ty}")
        })
    }

    fn not_finite(&self, method: &str) -> Done {
        self.fail(SqlState::NON_NUMERIC_SQL_JSON_ITEM, || {
            format!("NaN or Infinity is not allowed for jsonpath item method .{method}()")
        })
    }

    pub(super) fn method(&mut self, id: Id, method: Method, at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        let name = method.name();
        let number = |run: &Self| {
            run.wrong_kind(SqlState::NON_NUMERIC_SQL_JSON_ITEM, name, "a string or numeric value")
        };
        match method {
            Method::Type => {
                let ty = match at.type_name() {
                    Cow::Borrowed(name) => Item::Str(Cow::Borrowed(name)),
                    Cow::Owned(name) => Item::Str(Cow::Owned(name)),
                };
                self.next(id, &ty, found)
            }
            Method::Size => {
                let size = match at {
                    Item::Container(part) => match part.jsonb().kind() {
                        Kind::Array(items) => Some(items.len() as i64),
                        _ => None,
                    },
                    _ => None,
                };
                match size {
                    Some(size) => self.next(id, &Item::Number(size.into()), found),
                    None if self.is_lax() => self.next(id, &Item::Number(1.into()), found),
                    None if self.ignores_structure() => Ok(Answer::Nothing),
                    None => self.wrong_kind(SqlState::SQL_JSON_ARRAY_NOT_FOUND, name, "an array"),
                }
            }
            Method::Abs | Method::Floor | Method::Ceiling => {
                let Item::Number(n) = at else {
                    return self.wrong_kind(SqlState::NON_NUMERIC_SQL_JSON_ITEM, name, "a numeric value");
                };
                let n = match method {
                    Method::Abs => n.abs(),
                    Method::Floor => n.floor()?,
                    _ => n.ceil()?,
                };
                self.next(id, &Item::Number(n), found)
            }
            Method::Double => {
                let (text, is_number) = match at {
                    Item::Number(n) => (Cow::Owned(n.to_string()), true),
                    Item::Str(s) => (s.clone(), false),
                    _ => return number(self),
                };
                let value = match input_text(&text, Type::Float8, -1, self.format) {
                    Ok(Datum::Float8(v)) => v,
                    Ok(_) => return self.invalid(None, &text, name, "double precision"),
                    Err(e) => return self.invalid(Some(e), &text, name, "double precision"),
                };
                if !value.is_finite() {
                    return self.not_finite(name);
                }
                if is_number {
                    return self.next(id, at, found);
                }
                self.next(id, &Item::Number(Numeric::from_f64(value)), found)
            }
            Method::Bigint | Method::Integer => {
                let ty = if method == Method::Bigint { Type::Int8 } else { Type::Int4 };
                let read = match at {
                    Item::Number(n) if ty == Type::Int8 => n.to_i64().map(Datum::Int8),
                    Item::Number(n) => n.to_i32().map(Datum::Int4),
                    Item::Str(s) => input_text(s, ty, -1, self.format),
                    _ => return number(self),
                };
                match read {
                    Ok(d) => self.next(id, &Item::Number(d.as_i64().unwrap_or(0).into()), found),
                    Err(e) => self.invalid(Some(e), &shown(at), name, &ty.sql_name()),
                }
            }
            Method::Boolean => {
                let value = match at {
                    Item::Bool(b) => *b,
                    Item::Number(n) => {
                        let text = n.to_string();
                        match input_text(&text, Type::Int4, -1, self.format) {
                            Ok(d) => d.as_i64() != Some(0),
                            Err(e) => return self.invalid(Some(e), &text, name, "boolean"),
                        }
                    }
                    // Blanks around it are none of it here.
                    Item::Str(s) => match parse_bool(s).filter(|_| s.trim() == s) {
                        Some(b) => b,
                        None => return self.invalid(None, s, name, "boolean"),
                    },
                    _ => {
                        let wanted = "a boolean, string, or numeric value";
                        return self.wrong_kind(SqlState::NON_NUMERIC_SQL_JSON_ITEM, name, wanted);
                    }
                };
                self.next(id, &Item::Bool(value), found)
            }
            Method::Number => match self.number(name, at)? {
                Ok(n) => self.next(id, &Item::Number(n), found),
                Err(answer) => Ok(answer),
            },
            Method::String => {
                let text = match at {
                    Item::Str(_) => return self.next(id, at, found),
                    Item::Number(n) => Cow::Owned(n.to_string()),
                    Item::Bool(b) => Cow::Borrowed(if *b { "true" } else { "false" }),
                    Item::Moment(d, west) => Cow::Owned(super::moment::text(d, *west)),
                    _ => {
                        let wanted = "a boolean, string, numeric, or datetime value";
                        return self.wrong_kind(SqlState::NON_NUMERIC_SQL_JSON_ITEM, name, wanted);
                    }
                };
                self.next(id, &Item::Str(text), found)
            }
            Method::KeyValue => self.key_value(id, at, found),
            Method::Date => self.timed_or_date(id, None::<Timed>, None, at, found),
        }
    }

    /// The number of a number or a string; or an error that does not count.
    fn number(&mut self, method: &str, at: &Item<'a>) -> Result<Result<Numeric, Answer>, SqlError> {
        let n = match at {
            Item::Number(n) => n.clone(),
            Item::Str(s) => match input_text(s, Type::Numeric, -1, self.format) {
                Ok(Datum::Numeric(n)) => n,
                Ok(_) => return self.invalid(None, s, method, "numeric").map(Err),
                Err(e) => return self.invalid(Some(e), s, method, "numeric").map(Err),
            },
            _ => {
                let wanted = "a string or numeric value";
                return self.wrong_kind(SqlState::NON_NUMERIC_SQL_JSON_ITEM, method, wanted).map(Err);
            }
        };
        if n.is_finite() { Ok(Ok(n)) } else { self.not_finite(method).map(Err) }
    }

    pub(super) fn decimal(
        &mut self,
        id: Id,
        precision: Option<&Numeric>,
        scale: Option<&Numeric>,
        at: &Item<'a>,
        found: Found<'_, 'a>,
    ) -> Done {
        let mut n = match self.number("decimal", at)? {
            Ok(n) => n,
            Err(answer) => return Ok(answer),
        };
        if let Some(precision) = precision {
            let mut digits = [0, 0];
            for (i, (given, name)) in [(Some(precision), "precision"), (scale, "scale")].iter().enumerate() {
                let Some(given) = given else { continue };
                let Ok(v) = given.to_i32() else {
                    return self.fail(SqlState::NON_NUMERIC_SQL_JSON_ITEM, || {
                        format!("{name} of jsonpath item method .decimal() is out of range for type integer")
                    });
                };
                digits[i] = v.into();
            }
            let typmod = typmod_from_args(Type::Numeric, &digits)?;
            let (precision, scale) = typmod_numeric(typmod).unwrap_or_default();
            n = match n.apply_precision(precision, scale) {
                Ok(n) => n,
                Err(e) => return self.invalid(Some(e), &shown(at), "decimal", "numeric"),
            };
        }
        self.next(id, &Item::Number(n), found)
    }

    fn key_value(&mut self, id: Id, at: &Item<'a>, mut found: Found<'_, 'a>) -> Done {
        let part = match at {
            Item::Container(part) if !at.is_array() => part,
            _ => return self.wrong_kind(SqlState::SQL_JSON_OBJECT_NOT_FOUND, "keyvalue", "an object"),
        };
        let Kind::Object(pairs) = part.jsonb().kind() else { return Ok(Answer::Nothing) };
        let place = part.offset().wrapping_sub(self.base.from) as i64;
        let number = place.wrapping_add(self.base.id.wrapping_mul(ID_STEP));
        let mut answer = Answer::Nothing;
        for (key, value) in pairs.iter() {
            self.pace.step()?;
            if self.is_enough(id, &found) {
                return Ok(Answer::Found);
            }
            let made = encode(Value::Object(vec![
                ("key".into(), Value::Str(key.into())),
                ("value".into(), Value::Encoded(value)),
                ("id".into(), Value::Number(number.into())),
            ]))?;
            let outer = std::mem::replace(&mut self.base, Base { from: 0, id: self.last_id });
            self.last_id += 1;
            let result = self.next(id, &Item::made(made), found.as_deref_mut());
            self.base = outer;
            answer = result?;
            if answer == Answer::Failed || (answer == Answer::Found && found.is_none()) {
                break;
            }
        }
        Ok(answer)
    }
}

/// A number or a string as errors show it.
fn shown(at: &Item<'_>) -> String {
    match at {
        Item::Number(n) => n.to_string(),
        Item::Str(s) => s.to_string(),
        _ => String::new(),
    }
}
