//! Exact arithmetic on `numeric`, rounding, and conversion to the binary number types.
//!
//! Result scales are PostgreSQL's: the larger one for + - and %, the sum for *, `select_div_scale` for /.
//! Rounding is half away from zero everywhere.

use num_bigint::BigInt;
use num_bigint::Sign;

use super::{
    MAX_DISPLAY_SCALE, MAX_INTEGER_DIGITS, MAX_SCALE, MIN_SIG_DIGITS, Numeric, POW10, Repr, big_pow10,
    division_by_zero, overflow,
};
use crate::error::{SqlError, SqlState};

/// `a / b` rounded half away from zero.
fn div_round_small(a: i128, b: i128) -> i128 {
    let (q, r) = (a / b, a % b);
    // |r| < |b| <= 2^127, so the comparison is done by subtraction.
    let (r, m) = (r.unsigned_abs(), b.unsigned_abs());
    if r >= m - r { q + if (a < 0) == (b < 0) { 1 } else { -1 } } else { q }
}

pub(super) fn div_round_big(a: &BigInt, b: &BigInt) -> BigInt {
    let (q, r) = (a / b, a % b);
    if BigInt::from(r.magnitude().clone()) * 2 >= BigInt::from(b.magnitude().clone()) {
        if (a.sign() == Sign::Minus) == (b.sign() == Sign::Minus) { q + 1 } else { q - 1 }
    } else {
        q
    }
}

impl Numeric {
    /// `-self`
    pub fn neg(&self) -> Numeric {
        match &self.0 {
            Repr::NaN => Numeric::NAN,
            Repr::PosInf => Numeric::NEG_INFINITY,
            Repr::NegInf => Numeric::INFINITY,
            Repr::Small { scale, coef } => match { coef.0 }.checked_neg() {
                Some(v) => Numeric::from_parts(v, u32::from(*scale)),
                None => self.neg_big(),
            },
            Repr::Big(_) => self.neg_big(),
        }
    }

    fn neg_big(&self) -> Numeric {
        match self.big() {
            // The magnitude does not change, so it fits as it did.
            Some((c, s)) => Numeric::from_big(-c, s).unwrap_or(Numeric::NAN),
            None => Numeric::NAN,
        }
    }

    /// `|self|`
    pub fn abs(&self) -> Numeric {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// `self + other`
    pub fn add(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if let (Some((a, sa)), Some((b, sb))) = (self.small(), other.small()) {
            let sum = if sa == sb {
                a.checked_add(b)
            } else if sa < sb {
                scale_up(a, sb - sa).and_then(|a| a.checked_add(b))
            } else {
                scale_up(b, sa - sb).and_then(|b| a.checked_add(b))
            };
            if let Some(v) = sum {
                return Ok(Numeric::from_parts(v, sa.max(sb)));
            }
        }
        match (self.big(), other.big()) {
            (Some((a, sa)), Some((b, sb))) => {
                let s = sa.max(sb);
                Numeric::from_big(a * big_pow10(s - sa) + b * big_pow10(s - sb), s)
            }
            _ => Ok(match (&self.0, &other.0) {
                (Repr::NaN, _) | (_, Repr::NaN) => Numeric::NAN,
                (Repr::PosInf, Repr::NegInf) | (Repr::NegInf, Repr::PosInf) => Numeric::NAN,
                (Repr::PosInf | Repr::NegInf, _) => self.clone(),
                _ => other.clone(),
            }),
        }
    }

    /// `self - other`
    pub fn sub(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if let (Some((a, sa)), Some((b, sb))) = (self.small(), other.small())
            && sa == sb
            && let Some(v) = a.checked_sub(b)
        {
            return Ok(Numeric::from_parts(v, sa));
        }
        self.add(&other.neg())
    }

    /// `self * other`
    pub fn mul(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if let (Some((a, sa)), Some((b, sb))) = (self.small(), other.small())
            && sa + sb <= MAX_SCALE
            && let Some(v) = a.checked_mul(b)
        {
            return Ok(Numeric::from_parts(v, sa + sb));
        }
        match (self.big(), other.big()) {
            (Some((a, sa)), Some((b, sb))) => {
                let product = a * b;
                let s = sa + sb;
                if s > MAX_SCALE {
                    return Numeric::from_big(div_round_big(&product, &big_pow10(s - MAX_SCALE)), MAX_SCALE);
                }
                Numeric::from_big(product, s)
            }
            _ => Ok(match (&self.0, &other.0) {
                (Repr::NaN, _) | (_, Repr::NaN) => Numeric::NAN,
                _ => match self.signum() * other.signum() {
                    0 => Numeric::NAN,
                    s => infinity(s),
                },
            }),
        }
    }

    /// `self / other`, with the result scale of [`Numeric::select_div_scale`].
    pub fn div(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if let Some(special) = self.div_special(other)? {
            return Ok(special);
        }
        self.div_at_scale(other, self.select_div_scale(other))
    }

    /// The quotient cut towards zero, scale 0.
    pub fn div_trunc(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if let Some(special) = self.div_special(other)? {
            return Ok(special);
        }
        let ((a, sa), (b, sb)) = (self.parts()?, other.parts()?);
        let s = sa.max(sb);
        Numeric::from_big((a * big_pow10(s - sa)) / (b * big_pow10(s - sb)), 0)
    }

    fn div_special(&self, other: &Numeric) -> Result<Option<Numeric>, SqlError> {
        if self.is_nan() || other.is_nan() {
            return Ok(Some(Numeric::NAN));
        }
        if self.is_infinite() {
            if other.is_infinite() {
                return Ok(Some(Numeric::NAN));
            }
            return match self.signum() * other.signum() {
                0 => Err(division_by_zero()),
                s => Ok(Some(infinity(s))),
            };
        }
        if other.is_infinite() {
            return Ok(Some(Numeric::ZERO));
        }
        if other.is_zero() { Err(division_by_zero()) } else { Ok(None) }
    }

    /// The quotient of finite values, `other` not zero, rounded to a scale.
    pub(super) fn div_at_scale(&self, other: &Numeric, rscale: u32) -> Result<Numeric, SqlError> {
        let shift = i64::from(rscale) + i64::from(other.scale()) - i64::from(self.scale());
        if let (Some((a, _)), Some((b, _))) = (self.small(), other.small())
            && (0..=38).contains(&shift)
            && let Some(a) = scale_up(a, shift as u32)
        {
            return Ok(Numeric::from_parts(div_round_small(a, b), rscale));
        }
        let ((a, _), (b, _)) = (self.parts()?, other.parts()?);
        let q = if shift >= 0 {
            div_round_big(&(a * big_pow10(shift as u32)), &b)
        } else {
            div_round_big(&a, &(b * big_pow10(-shift as u32)))
        };
        Numeric::from_big(q, rscale)
    }

    /// PostgreSQL's scale of a quotient: at least 16 significant digits, and no less than either input shows.
    pub(super) fn select_div_scale(&self, other: &Numeric) -> u32 {
        let ((w1, d1), (w2, d2)) = (self.base10000_head(), other.base10000_head());
        let mut qweight = w1 - w2;
        if d1 <= d2 {
            qweight -= 1;
        }
        let rscale = MIN_SIG_DIGITS - qweight * 4;
        rscale.max(i64::from(self.scale())).max(i64::from(other.scale())).clamp(0, MAX_DISPLAY_SCALE) as u32
    }

    /// `self % other`: the remainder of the quotient cut towards zero.
    pub fn rem(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if self.is_nan() || other.is_nan() {
            return Ok(Numeric::NAN);
        }
        if other.is_zero() {
            return Err(division_by_zero());
        }
        if self.is_infinite() {
            return Ok(Numeric::NAN);
        }
        if other.is_infinite() {
            return Ok(self.clone());
        }
        let ((a, sa), (b, sb)) = (self.parts()?, other.parts()?);
        let s = sa.max(sb);
        Numeric::from_big((a * big_pow10(s - sa)) % (b * big_pow10(s - sb)), s)
    }

    pub(super) fn parts(&self) -> Result<(BigInt, u32), SqlError> {
        self.big().ok_or_else(|| SqlError::internal("arithmetic on a special numeric value"))
    }

    /// Rounds to `scale` digits after the point (negative: before it). The result shows exactly that many digits, at least 0.
    pub fn round(&self, scale: i64) -> Result<Numeric, SqlError> {
        self.to_scale(scale.clamp(-i64::from(MAX_INTEGER_DIGITS) - 1, i64::from(MAX_SCALE)), true)
    }

    /// As [`Numeric::round`], cutting towards zero.
    pub fn trunc(&self, scale: i64) -> Result<Numeric, SqlError> {
        self.to_scale(scale.clamp(-i64::from(MAX_INTEGER_DIGITS) - 1, i64::from(MAX_SCALE)), false)
    }

    pub(super) fn to_scale(&self, scale: i64, round: bool) -> Result<Numeric, SqlError> {
        if !self.is_finite() {
            return Ok(self.clone());
        }
        let have = i64::from(self.scale());
        let shown = scale.max(0);
        if scale >= have {
            let up = (scale - have) as u32;
            if let Some((c, _)) = self.small()
                && let Some(v) = scale_up(c, up)
                && shown <= i64::from(MAX_SCALE)
            {
                return Ok(Numeric::from_parts(v, shown as u32));
            }
            let (c, _) = self.parts()?;
            return Numeric::from_big(c * big_pow10(up), shown as u32);
        }
        let drop = (have - scale) as u32;
        if drop > self.digits() {
            return Ok(Numeric::from_parts(0, shown as u32));
        }
        let restore = (shown - scale) as u32; // digits before the point that became zero
        if let Some((c, _)) = self.small() {
            let cut = match POW10.get(drop as usize) {
                Some(&p) if round => div_round_small(c, p),
                Some(&p) => c / p,
                // Half of 10^39 is more than an i128 holds: what is cut rounds to nothing.
                None => 0,
            };
            if let Some(v) = scale_up(cut, restore) {
                return Ok(Numeric::from_parts(v, shown as u32));
            }
        }
        let (c, _) = self.parts()?;
        let p = big_pow10(drop);
        let cut = if round { div_round_big(&c, &p) } else { c / p };
        Numeric::from_big(cut * big_pow10(restore), shown as u32)
    }

    /// Smallest integer not below.
    pub fn ceil(&self) -> Result<Numeric, SqlError> {
        let t = self.to_scale(0, false)?;
        if t < *self { t.add(&Numeric::ONE) } else { Ok(t) }
    }

    /// Largest integer not above.
    pub fn floor(&self) -> Result<Numeric, SqlError> {
        let t = self.to_scale(0, false)?;
        if t > *self { t.sub(&Numeric::ONE) } else { Ok(t) }
    }

    /// The same value with no trailing zeros after the point.
    pub fn trim_scale(&self) -> Numeric {
        let min = self.min_scale();
        self.to_scale(i64::from(min), false).unwrap_or_else(|_| self.clone())
    }

    /// Fewest digits after the point that show the value exactly.
    pub fn min_scale(&self) -> u32 {
        let (_, digits, exponent) = self.normal_form();
        (digits.len() as i64 - exponent).max(0) as u32
    }

    /// Fits the value to a declared `numeric(precision, scale)`: rounds, or errors with `22003`.
    pub fn apply_precision(&self, precision: i32, scale: i32) -> Result<Numeric, SqlError> {
        let error = |detail: String| {
            Err(SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
                .with_detail(detail))
        };
        if self.is_nan() {
            return Ok(Numeric::NAN);
        }
        if self.is_infinite() {
            return error(format!(
                "A field with precision {precision}, scale {scale} cannot hold an infinite value."
            ));
        }
        let rounded = self.to_scale(i64::from(scale), true)?;
        let max_digits = i64::from(precision) - i64::from(scale);
        let integer_digits = i64::from(rounded.digits()) - i64::from(rounded.scale());
        if !rounded.is_zero() && integer_digits > max_digits {
            let bound = if max_digits == 0 { "1".to_string() } else { format!("10^{max_digits}") };
            return error(format!(
                "A field with precision {precision}, scale {scale} must round to an absolute value less than {bound}."
            ));
        }
        Ok(rounded)
    }

    /// The nearest integer of a type called `name` in messages.
    fn to_integer(&self, name: &str) -> Result<i128, SqlError> {
        let special = |what| {
            Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, format!("cannot convert {what} to {name}")))
        };
        if self.is_nan() {
            return special("NaN");
        }
        if self.is_infinite() {
            return special("infinity");
        }
        let rounded = self.to_scale(0, true)?;
        // What needs a big integer is out of range of every integer type.
        Ok(rounded.small().map_or(i128::MAX, |(c, _)| c))
    }

    /// Rounded to `bigint`.
    pub fn to_i64(&self) -> Result<i64, SqlError> {
        i64::try_from(self.to_integer("bigint")?).map_err(|_| out_of_range("bigint"))
    }

    /// Rounded to `integer`.
    pub fn to_i32(&self) -> Result<i32, SqlError> {
        i32::try_from(self.to_integer("integer")?).map_err(|_| out_of_range("integer"))
    }

    /// Rounded to `smallint`.
    pub fn to_i16(&self) -> Result<i16, SqlError> {
        i16::try_from(self.to_integer("smallint")?).map_err(|_| out_of_range("smallint"))
    }

    /// The nearest `double precision`; infinite if out of its range.
    pub fn to_f64_lossy(&self) -> f64 {
        match &self.0 {
            Repr::NaN => f64::NAN,
            Repr::PosInf => f64::INFINITY,
            Repr::NegInf => f64::NEG_INFINITY,
            Repr::Small { scale, coef } if { coef.0 }.unsigned_abs() < 1 << 53 && *scale <= 22 => {
                // Both operands are exact, so the one division rounds correctly.
                (coef.0) as f64 / 10f64.powi(i32::from(*scale))
            }
            _ => self.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// What a float shows in `digits` significant digits, as PostgreSQL converts floats.
    pub(super) fn from_float(v: f64, digits: usize) -> Numeric {
        if v.is_nan() {
            return Numeric::NAN;
        }
        if v.is_infinite() {
            return infinity(if v > 0.0 { 1 } else { -1 });
        }
        let text = format!("{:.*e}", digits - 1, v);
        match text.parse::<Numeric>() {
            // %g drops trailing zeros after the point.
            Ok(n) => n.trim_scale(),
            Err(_) => Numeric::NAN,
        }
    }

    /// A `double precision` with its 15 dependable digits.
    pub fn from_f64(v: f64) -> Numeric {
        Numeric::from_float(v, 15)
    }

    /// A `real` with its 6 dependable digits.
    pub fn from_f32(v: f32) -> Numeric {
        Numeric::from_float(f64::from(v), 6)
    }

    /// Any `i128`, for sums of integers.
    pub fn from_i128(v: i128) -> Numeric {
        Numeric::from_parts(v, 0)
    }

    /// Greatest common divisor.
    pub fn gcd(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if !self.is_finite() || !other.is_finite() {
            return Ok(Numeric::NAN);
        }
        let (mut a, mut b) = (self.abs(), other.abs());
        let scale = i64::from(a.scale().max(b.scale()));
        while !b.is_zero() {
            crate::guard::check()?;
            let r = a.rem(&b)?;
            a = b;
            b = r;
        }
        a.to_scale(scale, false)
    }

    /// Least common multiple.
    pub fn lcm(&self, other: &Numeric) -> Result<Numeric, SqlError> {
        if !self.is_finite() || !other.is_finite() {
            return Ok(Numeric::NAN);
        }
        let scale = i64::from(self.scale().max(other.scale()));
        if self.is_zero() || other.is_zero() {
            return Numeric::ZERO.to_scale(scale, false);
        }
        let g = self.gcd(other)?;
        self.div_trunc(&g)?.mul(other)?.abs().to_scale(scale, false)
    }
}

pub(super) fn infinity(sign: i32) -> Numeric {
    if sign >= 0 { Numeric::INFINITY } else { Numeric::NEG_INFINITY }
}

#[cold]
fn out_of_range(name: &str) -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("{name} out of range"))
}

#[inline]
fn scale_up(v: i128, digits: u32) -> Option<i128> {
    if digits == 0 || v == 0 {
        return Some(v);
    }
    v.checked_mul(*POW10.get(digits as usize)?)
}

/// `n!`
pub fn factorial(n: i64) -> Result<Numeric, SqlError> {
    if n < 0 {
        return Err(SqlError::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            "factorial of a negative number is undefined",
        ));
    }
    // 32178! is the first that does not fit the format.
    if n > 32177 {
        return Err(overflow());
    }
    let mut product = BigInt::from(1);
    for i in 2..=n {
        crate::guard::check()?;
        product *= i;
    }
    Numeric::from_big(product, 0)
}
