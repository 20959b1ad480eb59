//! Values of foreign keys whose columns are not of the type of those that they refer to.
//!
//! They are compared in the referenced column's type, as in PostgreSQL: either its operators take the other one, or that one is converted.
//!
//! Invariants:
//! 1. Two values are alike by [`refers_to`] if and only if [`as_referenced`] of the one is the other.
//! 2. [`as_referencing`] gives all values that are alike with one: none, one, or it does not tell.
//!
//! Must not know: tables.

use super::keys::{KeyValue, key_value};
use super::rowset::same;
use evenkeel_types::cast::{date_to_timestamp, timestamp_to_date};
use evenkeel_types::compare::unpadded;
use evenkeel_types::error::SqlError;
use evenkeel_types::{CastContext, Datum, FormatOptions, Numeric, Type, can_cast, cast};

/// Whether a column of a type may refer to one of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// It may.
    Allowed,
    /// It may in PostgreSQL.
    Unsupported,
    /// It may not.
    Incompatible,
}

/// Whether a column of one type may refer to one of another.
pub fn may_refer(child: Type, parent: Type) -> Reference {
    use Type as T;
    let is_int = |t: T| matches!(t, T::Int2 | T::Int4 | T::Int8);
    let is_text = |t: T| matches!(t, T::Text | T::Varchar);
    let is_time = |t: T| matches!(t, T::Date | T::Timestamp | T::Timestamptz);
    let is_allowed = match (child, parent) {
        (T::Float4, T::Float8) | (T::Float8, T::Float4) => true,
        (T::Date, T::Timestamp) | (T::Timestamp, T::Date) => true,
        (T::Numeric, T::Float4 | T::Float8) => true,
        (T::Name, T::Text) | (T::Text, T::Name) => true,
        (a, T::Numeric | T::Float4 | T::Float8) if is_int(a) => true,
        (a, T::Bpchar) | (T::Bpchar, a) if is_text(a) => true,
        (a, b) => a == b || is_int(a) && is_int(b) || is_text(a) && is_text(b),
    };
    match is_allowed {
        true => Reference::Allowed,
        false if is_time(child) && is_time(parent) => Reference::Unsupported,
        false if can_cast(child, parent) == Some(CastContext::Implicit) => Reference::Unsupported,
        false => Reference::Incompatible,
    }
}

/// A value as one of the type of the column that it refers to; None: that has no such value.
pub fn as_referenced(d: Datum, ty: Type) -> Result<Option<Datum>, SqlError> {
    use Type as T;
    Ok(match (&d, ty, d.as_i64()) {
        (Datum::Oid(_), ..) => Some(d),
        (_, T::Numeric, Some(v)) => Some(Datum::Numeric(Numeric::from(v))),
        (_, T::Float8, Some(v)) => Some(Datum::Float8(v as f64)),
        (_, T::Float4, Some(v)) => Some(Datum::Float4(v as f32)),
        (Datum::Numeric(_), T::Float4 | T::Float8, _) => {
            Some(cast(d, T::Numeric, ty, -1, CastContext::Implicit, &FormatOptions::default())?)
        }
        (Datum::Float4(v), T::Float8, _) => Some(Datum::Float8(f64::from(*v))),
        (Datum::Float8(v), T::Float4, _) => single(*v),
        (Datum::Date(v), T::Timestamp, _) => date_to_timestamp(*v).ok().map(Datum::Timestamp),
        (Datum::Timestamp(v), T::Date, _) => day(*v),
        (Datum::Bpchar(s), T::Text | T::Varchar, _) => Some(Datum::text(unpadded(s))),
        (Datum::Text(s), T::Bpchar, _) => Some(Datum::Bpchar(s.clone())),
        _ => match key_value(d, ty) {
            KeyValue::Exact(d) => Some(d),
            _ => None,
        },
    })
}

/// A float that is one of half the bits, as that.
fn single(v: f64) -> Option<Datum> {
    (v.is_nan() || f64::from(v as f32) == v).then_some(Datum::Float4(v as f32))
}

/// A midnight as its day.
fn day(us: i64) -> Option<Datum> {
    let day = timestamp_to_date(us).ok()?;
    (date_to_timestamp(day).ok() == Some(us)).then_some(Datum::Date(day))
}

/// The values of a column that refer to a value.
pub enum Referencing {
    /// This one.
    One(Datum),
    /// There are none.
    None,
    /// There may be several.
    Several,
}

/// The values of a column of a type that refer to a value.
pub fn as_referencing(d: &Datum, ty: Type) -> Referencing {
    use Type as T;
    let is_int = matches!(ty, T::Int2 | T::Int4 | T::Int8);
    let of = |found: Option<Datum>| found.map_or(Referencing::None, Referencing::One);
    match (d, ty) {
        (Datum::Numeric(n), _) if is_int => match n.trunc(0) {
            Ok(whole) if n.is_finite() && whole == *n => of(whole.to_i64().ok().and_then(|v| int(v, ty))),
            Ok(_) => Referencing::None,
            Err(_) => Referencing::Several,
        },
        // Beyond, several integers are one float.
        (Datum::Float8(v), _) if is_int => of_float(*v, ty, (1u64 << f64::MANTISSA_DIGITS) as f64),
        (Datum::Float4(v), _) if is_int => {
            of_float(f64::from(*v), ty, f64::from(1u32 << f32::MANTISSA_DIGITS))
        }
        (Datum::Float4(_) | Datum::Float8(_), T::Numeric) => Referencing::Several,
        (Datum::Float8(v), T::Float4) => of(single(*v)),
        (Datum::Float4(v), T::Float8) => Referencing::One(Datum::Float8(f64::from(*v))),
        (Datum::Timestamp(v), T::Date) => of(day(*v)),
        (Datum::Date(v), T::Timestamp) => of(date_to_timestamp(*v).ok().map(Datum::Timestamp)),
        (Datum::Text(s), T::Bpchar) => of((!s.ends_with(' ')).then(|| Datum::Bpchar(s.clone()))),
        // Those with any number of blanks.
        (Datum::Bpchar(_), T::Text | T::Varchar) => Referencing::Several,
        _ => match key_value(d.clone(), ty) {
            KeyValue::Exact(d) => Referencing::One(d),
            _ => Referencing::None,
        },
    }
}

fn int(v: i64, ty: Type) -> Option<Datum> {
    match (Datum::Int8(v), ty) {
        (d, Type::Int8) => Some(d),
        (d, ty) => match key_value(d, ty) {
            KeyValue::Exact(d) => Some(d),
            _ => None,
        },
    }
}

fn of_float(v: f64, ty: Type, exact_below: f64) -> Referencing {
    match v {
        v if v.fract() != 0.0 => Referencing::None, // nor is it of infinity, or of what is no number
        v if v.abs() < exact_below => int(v as i64, ty).map_or(Referencing::None, Referencing::One),
        _ => Referencing::Several,
    }
}

/// Whether a value of a referencing column refers to one of the column that is referred to.
pub fn refers_to(child: &Datum, parent: &Datum) -> bool {
    if std::mem::discriminant(child) == std::mem::discriminant(parent) {
        return same(child, parent);
    }
    matches!(as_referenced(child.clone(), parent.natural_type()), Ok(Some(d)) if same(&d, parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Invariants 1 and 2, of values near the limits.
    #[test]
    fn what_refers_is_found() {
        let numeric = |s: &str| Datum::Numeric(s.parse().unwrap());
        let ints =
            [0, 1, -1, 32_767, 32_768, 1 << 24, (1 << 24) + 1, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN];
        let mut children: Vec<(Datum, Type)> = Vec::new();
        for v in ints {
            children.push((Datum::Int8(v), Type::Int8));
            children.extend(i32::try_from(v).map(|v| (Datum::Int4(v), Type::Int4)));
            children.extend(i16::try_from(v).map(|v| (Datum::Int2(v), Type::Int2)));
        }
        for v in [0.0, 1.0, 0.5, 0.1, 16_777_216.0, 1e300, f64::INFINITY] {
            children.push((Datum::Float8(v), Type::Float8));
            children.push((Datum::Float4(v as f32), Type::Float4));
        }
        for s in ["0", "0.00", "1", "0.1", "0.5", "9007199254740993", "1e40"] {
            children.push((numeric(s), Type::Numeric));
        }
        for us in [0, 1, 86_400_000_000, -86_400_000_000] {
            children.push((Datum::Timestamp(us), Type::Timestamp));
        }
        [0, 1, -1, i32::MAX, i32::MIN].into_iter().for_each(|v| children.push((Datum::Date(v), Type::Date)));
        for s in ["", "a", "a ", "ab"] {
            children.push((Datum::text(s), Type::Text));
            children.push((Datum::Bpchar(s.into()), Type::Bpchar));
        }
        let mut pairs = 0;
        for (child, a) in &children {
            for (parent, b) in &children {
                if may_refer(*a, *b) != Reference::Allowed {
                    continue;
                }
                pairs += 1;
                let refers = refers_to(child, parent);
                let made = as_referenced(child.clone(), *b).ok().flatten();
                assert_eq!(refers, made.is_some_and(|d| same(&d, parent)), "{child:?} {parent:?}");
                match as_referencing(parent, *a) {
                    Referencing::One(d) => assert_eq!(refers, same(&d, child), "{child:?} {parent:?}"),
                    Referencing::None => assert!(!refers, "{child:?} {parent:?}"),
                    Referencing::Several => {}
                }
            }
        }
        assert!(pairs > 500);
    }
}
