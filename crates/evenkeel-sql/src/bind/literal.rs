//! Literals as values. Those of a statement that is kept are read once, when it is prepared: later they are what they were then, whatever the time zone, the date
//! style or the labels of a type have become.
//!
//! Must not know: where they are kept.

use super::{Binder, rank};
use evenkeel_types::error::SqlError;
use evenkeel_types::{CastContext, Datum, Type, cast, input_text};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Longest text that is kept with what it was read as.
const KEPT_BYTES_MAX: usize = 1000;

/// A literal's text, its type and modifier, and the kind of conversion.
type Literal = (Arc<str>, Type, i32, u8);

/// What literals of a statement were read as.
#[derive(Default)]
pub struct ReadLiterals(Mutex<HashMap<Literal, Datum>>);

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
        if let Some(value) = known.0.lock().get(&key) {
            return Ok(Some(value.clone()));
        }
        let value = self.read_literal(s, to, typmod, context)?;
        if let Some(value) = &value {
            known.0.lock().insert(key, value.clone());
        }
        Ok(value)
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
