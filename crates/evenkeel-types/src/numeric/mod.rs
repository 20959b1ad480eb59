//! `numeric`: exact decimal numbers with a display scale, plus NaN and the infinities.
//!
//! A finite value is `coefficient / 10^scale`. The scale is part of the value's text form (`1.50`), not of its magnitude. Coefficients
//! that fit an `i128` are held in place, so sums, products and comparisons of ordinary amounts allocate nothing; larger ones are
//! big integers behind an `Arc`.
//!
//! Invariants:
//! 1. A coefficient that fits an `i128` is never held as a big integer.
//! 2. `scale <= MAX_SCALE`, and a value has at most `MAX_INTEGER_DIGITS` digits before the decimal point.
//! 3. Equal values of different scale compare equal, hash alike and have the same key.
//!
//! Must not know: datums, types, formats other than its own text.

mod arith;
mod math;
mod text;
mod wire;

pub use arith::factorial;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use crate::error::{SqlError, SqlState};

/// Most digits after the decimal point.
pub const MAX_SCALE: u32 = 16383;
/// Most digits before the decimal point.
pub const MAX_INTEGER_DIGITS: u32 = 131_072;
/// Largest result scale that functions choose.
pub(super) const MAX_DISPLAY_SCALE: i64 = 1000;
/// Significant digits that inexact functions aim at.
pub(super) const MIN_SIG_DIGITS: i64 = 16;
/// Bound of the decimal weights that exp and power deal with.
pub(super) const MAX_RESULT_SCALE: i64 = 2000;

/// An `i128` of alignment 8, which keeps a `Numeric` (and so a `Datum`) at three words.
#[derive(Clone, Copy)]
#[repr(C, packed(8))]
struct Coef(i128);

#[derive(Clone)]
enum Repr {
    Small { scale: u16, coef: Coef },
    Big(Arc<BigValue>),
    NaN,
    PosInf,
    NegInf,
}

struct BigValue {
    coef: BigInt,
    scale: u16,
}

/// A `numeric` value.
#[derive(Clone)]
pub struct Numeric(Repr);

/// 10^0 to 10^38, all the powers that an `i128` holds.
pub(super) const POW10: [i128; 39] = {
    let mut table = [1i128; 39];
    let mut i = 1;
    while i < 39 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
};

pub(super) fn big_pow10(exponent: u32) -> BigInt {
    match POW10.get(exponent as usize) {
        Some(&p) => BigInt::from(p),
        None => BigInt::from(10).pow(exponent),
    }
}

/// Number of decimal digits of `|v|`; 0 for zero.
pub(super) fn digit_count(v: &BigInt) -> u32 {
    let bits = v.bits();
    if bits == 0 {
        return 0;
    }
    // 2^(bits-1) <= |v| < 2^bits leaves at most two candidates.
    let low = ((bits - 1) as f64 * std::f64::consts::LOG10_2) as u32;
    let mut digits = low.max(1);
    while big_pow10(digits).magnitude() <= v.magnitude() {
        digits += 1;
    }
    digits
}

#[cold]
pub(super) fn overflow() -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
}

#[cold]
pub(super) fn division_by_zero() -> SqlError {
    SqlError::new(SqlState::DIVISION_BY_ZERO, "division by zero")
}

impl Numeric {
    /// Not a number: equal to itself and greater than everything else.
    pub const NAN: Numeric = Numeric(Repr::NaN);
    /// Positive infinity.
    pub const INFINITY: Numeric = Numeric(Repr::PosInf);
    /// Negative infinity.
    pub const NEG_INFINITY: Numeric = Numeric(Repr::NegInf);
    /// Zero with no digits after the point.
    pub const ZERO: Numeric = Numeric(Repr::Small { scale: 0, coef: Coef(0) });
    /// One.
    pub const ONE: Numeric = Numeric(Repr::Small { scale: 0, coef: Coef(1) });

    /// `coefficient / 10^scale`. The scale must not exceed [`MAX_SCALE`].
    pub fn from_parts(coefficient: i128, scale: u32) -> Numeric {
        assert!(scale <= MAX_SCALE, "invariant 2");
        Numeric(Repr::Small { scale: scale as u16, coef: Coef(coefficient) })
    }

    /// `coefficient / 10^scale`, with an error if it does not fit the format (invariant 2).
    pub(super) fn from_big(coefficient: BigInt, scale: u32) -> Result<Numeric, SqlError> {
        if scale > MAX_SCALE {
            return Err(overflow());
        }
        if let Ok(small) = i128::try_from(&coefficient) {
            return Ok(Numeric::from_parts(small, scale));
        }
        // Only a coefficient that may have too many digits is counted.
        if coefficient.bits() > 435_000 && digit_count(&coefficient) > MAX_INTEGER_DIGITS + scale {
            return Err(overflow());
        }
        Ok(Numeric(Repr::Big(Arc::new(BigValue { coef: coefficient, scale: scale as u16 }))))
    }

    /// Ten thousand times the value, rounded down, as far as that fits: in the order of values.
    pub fn order_head(&self) -> i64 {
        const PLACES: u32 = 4;
        let within = |v: i128| v.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        let beyond = |is_negative: bool| if is_negative { i64::MIN } else { i64::MAX };
        match &self.0 {
            Repr::NaN | Repr::PosInf => i64::MAX,
            Repr::NegInf => i64::MIN,
            Repr::Small { scale, coef } => {
                let (scale, v) = (u32::from(*scale), coef.0);
                match scale.checked_sub(PLACES) {
                    None => v.checked_mul(POW10[(PLACES - scale) as usize]).map_or(beyond(v < 0), within),
                    Some(more) => match POW10.get(more as usize) {
                        Some(by) => within(v.div_euclid(*by)),
                        None => {
                            if v < 0 {
                                -1
                            } else {
                                0
                            }
                        }
                    },
                }
            }
            Repr::Big(v) => {
                let (by, scale) = (big_pow10(PLACES), u32::from(v.scale));
                let (scaled, unit) = (&v.coef * by, big_pow10(scale));
                let towards_zero = &scaled / &unit;
                let is_whole = &towards_zero * unit == scaled;
                let is_negative = scaled.sign() == num_bigint::Sign::Minus;
                i64::try_from(&towards_zero)
                    .ok()
                    .and_then(|v| v.checked_sub(i64::from(is_negative && !is_whole)))
                    .unwrap_or(beyond(is_negative))
            }
        }
    }

    /// The coefficient if it is held in place, and the scale.
    #[inline]
    pub(super) fn small(&self) -> Option<(i128, u32)> {
        match &self.0 {
            Repr::Small { scale, coef } => Some((coef.0, u32::from(*scale))),
            _ => None,
        }
    }

    /// The coefficient and the scale of a finite value.
    pub(super) fn big(&self) -> Option<(BigInt, u32)> {
        match &self.0 {
            Repr::Small { scale, coef } => Some((BigInt::from(coef.0), u32::from(*scale))),
            Repr::Big(b) => Some((b.coef.clone(), u32::from(b.scale))),
            _ => None,
        }
    }

    /// Digits shown after the decimal point (0 for the special values).
    pub fn scale(&self) -> u32 {
        match &self.0 {
            Repr::Small { scale, .. } => u32::from(*scale),
            Repr::Big(b) => u32::from(b.scale),
            _ => 0,
        }
    }

    /// Whether this is NaN.
    pub fn is_nan(&self) -> bool {
        matches!(self.0, Repr::NaN)
    }

    /// Whether this is one of the infinities.
    pub fn is_infinite(&self) -> bool {
        matches!(self.0, Repr::PosInf | Repr::NegInf)
    }

    /// Neither NaN nor infinite.
    pub fn is_finite(&self) -> bool {
        matches!(self.0, Repr::Small { .. } | Repr::Big(_))
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        matches!(&self.0, Repr::Small { coef, .. } if { coef.0 } == 0)
    }

    /// -1, 0 or 1; NaN gives 0.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small { coef, .. } => { coef.0 }.signum() as i32,
            Repr::Big(b) => {
                if b.coef.sign() == Sign::Minus {
                    -1
                } else {
                    1
                }
            }
            Repr::NaN => 0,
            Repr::PosInf => 1,
            Repr::NegInf => -1,
        }
    }

    /// Memory on the heap, in bytes.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Big(b) => size_of::<BigValue>() + 16 + (b.coef.bits() / 8) as usize,
            _ => 0,
        }
    }

    /// Digits of the coefficient; 0 for zero and for the special values.
    pub(super) fn digits(&self) -> u32 {
        match &self.0 {
            Repr::Small { coef, .. } => {
                let m = { coef.0 }.unsigned_abs();
                if m == 0 { 0 } else { m.ilog10() + 1 }
            }
            Repr::Big(b) => digit_count(&b.coef),
            _ => 0,
        }
    }

    /// Weight of the first base-10000 digit, and that digit: what PostgreSQL bases result scales on. (0, 0) for zero.
    pub(super) fn base10000_head(&self) -> (i64, i64) {
        let digits = self.digits();
        if digits == 0 {
            return (0, 0);
        }
        let exponent = i64::from(digits) - 1 - i64::from(self.scale());
        let weight = exponent.div_euclid(4);
        let keep = (exponent - weight * 4 + 1) as u32; // 1 to 4 leading digits
        let head = self.leading_digits(keep);
        (weight, head)
    }

    /// The first `count` (at most 18) decimal digits of the coefficient as a number, padded with zeros if it has fewer.
    pub(super) fn leading_digits(&self, count: u32) -> i64 {
        let digits = self.digits();
        match &self.0 {
            Repr::Small { coef, .. } => {
                let m = { coef.0 }.unsigned_abs();
                let m = if digits > count {
                    m / POW10[(digits - count) as usize].unsigned_abs()
                } else {
                    m * POW10[(count - digits) as usize].unsigned_abs()
                };
                m as i64
            }
            Repr::Big(b) => {
                let m = BigInt::from(b.coef.magnitude().clone()) / big_pow10(digits - count);
                i64::try_from(&m).unwrap_or(i64::MAX)
            }
            _ => 0,
        }
    }

    /// Rank among the special values and finite ones: -inf, finite, +inf, NaN.
    fn rank(&self) -> i32 {
        match &self.0 {
            Repr::NegInf => 0,
            Repr::Small { .. } | Repr::Big(_) => 1,
            Repr::PosInf => 2,
            Repr::NaN => 3,
        }
    }

    /// Sign, decimal digits without leading and trailing zeros, and the power of ten `e` such that the value is `0.DIGITS * 10^e`.
    /// What keys are made of; zero has no digits. The value must be finite.
    pub(super) fn normal_form(&self) -> (bool, Vec<u8>, i64) {
        let (negative, text) = match &self.0 {
            Repr::Small { coef, .. } => {
                let mut buffer = [0u8; 39];
                let mut at = buffer.len();
                let mut m = { coef.0 }.unsigned_abs();
                while m != 0 {
                    at -= 1;
                    buffer[at] = b'0' + (m % 10) as u8;
                    m /= 10;
                }
                ({ coef.0 } < 0, buffer[at..].to_vec())
            }
            Repr::Big(b) => (b.coef.sign() == Sign::Minus, b.coef.magnitude().to_str_radix(10).into_bytes()),
            _ => (false, Vec::new()),
        };
        let exponent = text.len() as i64 - i64::from(self.scale());
        let mut digits = text;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() { (false, digits, 0) } else { (negative, digits, exponent) }
    }
}

impl PartialEq for Numeric {
    fn eq(&self, other: &Numeric) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Numeric {}

impl PartialOrd for Numeric {
    fn partial_cmp(&self, other: &Numeric) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Numeric {
    /// SQL order: NaN is the largest value and equal to itself.
    fn cmp(&self, other: &Numeric) -> Ordering {
        if let (Some((a, sa)), Some((b, sb))) = (self.small(), other.small()) {
            if sa == sb {
                return a.cmp(&b);
            }
            if a.signum() != b.signum() {
                return a.signum().cmp(&b.signum());
            }
            // Bring the coefficient of smaller scale up; if that overflows, its magnitude is the greater one, as the other fits.
            let (short, long, shift, swapped) =
                if sa < sb { (a, b, sb - sa, false) } else { (b, a, sa - sb, true) };
            let order = match POW10.get(shift as usize).and_then(|p| short.checked_mul(*p)) {
                Some(scaled) => scaled.cmp(&long),
                None if short == 0 => 0.cmp(&long),
                None => short.signum().cmp(&0),
            };
            return if swapped { order.reverse() } else { order };
        }
        match (self.big(), other.big()) {
            (Some((a, sa)), Some((b, sb))) => match sa.cmp(&sb) {
                Ordering::Equal => a.cmp(&b),
                Ordering::Less => (a * big_pow10(sb - sa)).cmp(&b),
                Ordering::Greater => a.cmp(&(b * big_pow10(sa - sb))),
            },
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Hash for Numeric {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some((mut coefficient, scale)) = self.small() {
            // The same canonical form as the general case below, without making digits.
            let mut exponent = -i64::from(scale);
            if coefficient == 0 {
                exponent = 0;
            }
            while coefficient != 0 && coefficient % 10 == 0 {
                coefficient /= 10;
                exponent += 1;
            }
            coefficient.hash(state);
            exponent.hash(state);
            return;
        }
        match &self.0 {
            Repr::Big(b) => {
                let (negative, digits, exponent) = self.normal_form();
                let shift = exponent - digits.len() as i64;
                match std::str::from_utf8(&digits).ok().and_then(|d| d.parse::<i128>().ok()) {
                    Some(v) => (if negative { -v } else { v }).hash(state),
                    None => b.coef.sign().hash(state),
                }
                shift.hash(state);
            }
            _ => self.rank().hash(state),
        }
    }
}

impl std::fmt::Debug for Numeric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl From<i64> for Numeric {
    fn from(v: i64) -> Numeric {
        Numeric::from_parts(i128::from(v), 0)
    }
}

impl From<u64> for Numeric {
    fn from(v: u64) -> Numeric {
        Numeric::from_parts(i128::from(v), 0)
    }
}

impl From<i32> for Numeric {
    fn from(v: i32) -> Numeric {
        Numeric::from_parts(i128::from(v), 0)
    }
}

const _: () = assert!(size_of::<Numeric>() == 24);
