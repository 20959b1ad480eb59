//! Literals as values. Those of a statement that is kept are read once, when it is prepared: later they are what they were then, whatever the time zone, the date
//! style or the labels of a type have become.
//!
//! Must not know: where they are kept.

use super::types::{interval, is_without_length};
use super::{Binder, Typed, rank};
use crate::catalog::NamedType;
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum, Type, cast, input_text};
use parking_lot::Mutex;
use sqlparser::ast::{self, Expr as Ast, Value};
use sqlparser::tokenizer::Location;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Longest text that is kept with what it was read as.
const KEPT_BYTES_MAX: usize = 1000;

/// A literal's text, its type and modifier, and the kind of conversion.
type Literal = (Arc<str>, Type, i32, u8);

/// What literals of a statement were read as.
#[derive(Default)]
pub struct ReadLiterals {
    values: Mutex<HashMap<Literal, Datum>>,
    /// With which settings and definitions: their numbers.
    with: OnceLock<(u64, u64)>,
}

impl ReadLiterals {
    /// They are read with these from now on, if none were before.
    pub fn read_with(&self, settings: u64, definitions: u64) {
        let _ = self.with.set((settings, definitions));
    }

    /// Whether they were read with these, if any were.
    pub fn are_of(&self, settings: u64, definitions: u64) -> bool {
        self.with.get().is_none_or(|with| *with == (settings, definitions))
    }
}

/// Whether the same text may be another value of a type later. (What a name denotes is looked up again, as in PostgreSQL.)
fn may_change(ty: Type) -> bool {
    !matches!(ty.category(), b'S' | b'N' | b'B') || ty == Type::Money
}

impl Binder<'_> {
    /// A literal as a value of a type; None: it is read when the statement runs.
    pub(super) fn literal_as(
        &mut self,
        s: &Arc<str>,
        to: Type,
        typmod: i32,
        context: CastContext,
    ) -> Result<Option<Datum>, SqlError> {
        if to == Type::Unknown || to == Type::Any {
            return Ok(Some(Datum::Text(s.clone())));
        }
        let is_own = self.stored.is_none() && !self.is_stored && s.len() <= KEPT_BYTES_MAX;
        let known = self.literals.filter(|_| is_own && may_change(to));
        let Some(known) = known else { return self.read_literal(s, to, typmod, context) };
        let key = (s.clone(), to, typmod, rank(context));
        if let Some(value) = known.values.lock().get(&key) {
            return Ok(Some(value.clone()));
        }
        let value = self.read_literal(s, to, typmod, context)?;
        if let Some(value) = &value {
            known.values.lock().insert(key, value.clone());
        }
        Ok(value)
    }

    /// `type 'text'`
    pub(super) fn typed_literal(&mut self, t: &ast::TypedString) -> Result<Typed, SqlError> {
        if let Value::Placeholder(p) = &t.value.value {
            return Err(self.no_literal(p, t.value.span.start));
        }
        let NamedType { ty, typmod, domain } = self.data_type(&t.data_type)?;
        let typmod = if is_without_length(&t.data_type) { -1 } else { typmod };
        let literal = self.literal(&t.value.value, t.value.span.start)?;
        self.note_literal(&literal, t.value.span);
        let expr = self.coerce(literal, ty, typmod, CastContext::Explicit)?;
        Ok(Typed { expr: self.cast_value(expr, domain)?, ty, typmod })
    }

    /// What stands where a type's name asks for a literal.
    fn no_literal(&self, what: &str, place: Location) -> SqlError {
        self.at(SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{what}\"")), place)
    }

    pub(super) fn interval(&mut self, i: &ast::Interval) -> Result<Typed, SqlError> {
        let (text, span) = match &*i.value {
            Ast::Value(ast::ValueWithSpan {
                value:
                    Value::SingleQuotedString(s) | Value::EscapedStringLiteral(s) | Value::UnicodeStringLiteral(s),
                span,
            }) => (s, *span),
            Ast::Value(ast::ValueWithSpan { value: Value::Placeholder(p), span }) => {
                return Err(self.no_literal(p, span.start));
            }
            other => {
                return Err(SqlError::unsupported(format!("interval literal is not supported: {other}")));
            }
        };
        let digits = i.fractional_seconds_precision.or(i.leading_precision);
        let typmod = match (&i.leading_field, &i.last_field) {
            (Some(first), last) => {
                let last = last.as_ref().map(ToString::to_string);
                interval(&first.to_string(), last.as_deref(), digits)?
            }
            (None, _) => -1,
        };
        let literal = Typed::new(Expr::Const(Datum::text(text)), Type::Unknown);
        self.note_literal(&literal, span);
        let expr = self.coerce(literal, Type::Interval, typmod, CastContext::Explicit)?;
        Ok(Typed { expr, ty: Type::Interval, typmod })
    }

    fn read_literal(
        &mut self,
        s: &Arc<str>,
        to: Type,
        typmod: i32,
        context: CastContext,
    ) -> Result<Option<Datum>, SqlError> {
        self.needs.names_objects |= to.element().unwrap_or(to).is_reg();
        if let Type::Enum(oid) = to {
            return self.enum_literal(s, oid).map(Some);
        }
        if let Some(Type::Enum(oid)) = to.element() {
            return self.enum_array_literal(s, oid).map(Some);
        }
        if to == Type::Regclass {
            return self.regclass_literal(s).map(Some);
        }
        // An explicit cast of a literal cuts it to length; an assignment complains.
        // But for what an interval's fields make of a number without a unit.
        let read_as = if to == Type::Interval { typmod } else { -1 };
        self.capture_time(s, to, read_as)?;
        if is_time_dependent(s, to) {
            return Ok(None);
        }
        let plain = input_text(s, to, read_as, self.ctx.format).map_err(|e| self.at_literal(e, s))?;
        cast(plain, to, to, typmod, context, self.ctx.format).map(Some)
    }
}

/// `'now'` and the like mean another time at each execution.
fn is_time_dependent(s: &str, to: Type) -> bool {
    matches!(to, Type::Date | Type::Timestamp | Type::Timestamptz) && {
        let s = s.to_ascii_lowercase();
        ["now", "today", "tomorrow", "yesterday"].iter().any(|w| s.contains(w))
    }
}
