//! Roots, exponentials, logarithms and powers of `numeric`.
//!
//! Result scales are PostgreSQL's (about 16 significant digits, no fewer digits than the inputs show, at most 1000). The values
//! are computed in binary fixed point: an integer that stands for `integer / 2^bits`, with `GUARD_BITS` more than the result shows, and
//! rounded once.

use num_bigint::{BigInt, Sign};

use super::arith::{div_round_big, infinity};
use super::{
    MAX_DISPLAY_SCALE, MAX_INTEGER_DIGITS, MAX_RESULT_SCALE, MAX_SCALE, MIN_SIG_DIGITS, Numeric, big_pow10,
    digit_count, division_by_zero, overflow,
};
use crate::error::{SqlError, SqlState};
use crate::guard::check;

/// Extra bits of intermediate results.
const GUARD_BITS: u64 = 96;
// The two constants as PostgreSQL spells them, since the result scales hang on their last digits.
#[allow(clippy::approx_constant)]
const LOG10_E: f64 = 0.434294481903252;
#[allow(clippy::approx_constant)]
const LN_10: f64 = 2.302585092994046;

fn bits_for_digits(digits: i64) -> u64 {
    (digits.max(0) as u64 * 3322) / 1000 + GUARD_BITS
}

/// `n / 2^bits` as a decimal of `scale` digits.
fn from_fixed(n: &BigInt, bits: u64, scale: u32) -> Result<Numeric, SqlError> {
    Numeric::from_big(div_round_big(&(n * big_pow10(scale)), &(BigInt::from(1) << bits)), scale)
}

/// A finite decimal in fixed point.
fn to_fixed(n: &Numeric, bits: u64) -> Result<BigInt, SqlError> {
    let (c, s) = n.parts()?;
    Ok((c << bits) / big_pow10(s))
}

/// `2 * atanh(z)` for `|z| < 1/2`, in fixed point.
fn two_atanh(z: &BigInt, bits: u64) -> Result<BigInt, SqlError> {
    let square = (z * z) >> bits;
    let mut power = z.clone();
    let mut sum = z.clone();
    let mut k = 3u32;
    while power.sign() != Sign::NoSign && power.bits() > 1 {
        check()?;
        power = (&power * &square) >> bits;
        sum += &power / k;
        k += 2;
    }
    Ok(sum << 1u32)
}

fn ln2_fixed(bits: u64) -> Result<BigInt, SqlError> {
    two_atanh(&((BigInt::from(1) << bits) / 3), bits)
}

/// Natural logarithm of a positive decimal, in fixed point.
fn ln_fixed(n: &Numeric, bits: u64) -> Result<BigInt, SqlError> {
    let (c, s) = n.parts()?;
    let denominator = big_pow10(s);
    // n = m * 2^k with m in [1/2, 2): the series in (m-1)/(m+1) then has |z| <= 1/3.
    let k = c.bits() as i64 - denominator.bits() as i64;
    let (num, den) = if k >= 0 { (c, denominator << k as u64) } else { (c << (-k) as u64, denominator) };
    let z = ((&num - &den) << bits) / (&num + &den);
    Ok(two_atanh(&z, bits)? + ln2_fixed(bits)? * k)
}

/// `e^x` for `x` in fixed point: the value is `mantissa / 2^bits * 2^exponent`.
fn exp_fixed(x: &BigInt, bits: u64) -> Result<(BigInt, i64), SqlError> {
    let halvings = (bits as f64).sqrt() as u64 / 2 + 4;
    let work = bits + 2 * halvings;
    let x = x << (work - bits);
    let ln2 = ln2_fixed(work)?;
    let k = div_round_big(&x, &ln2);
    let r = (x - &k * &ln2) >> halvings;
    let one = BigInt::from(1) << work;
    let mut term = one.clone();
    let mut sum = one;
    let mut i = 1u32;
    while term.sign() != Sign::NoSign && term.bits() > 1 {
        check()?;
        term = ((&term * &r) >> work) / i;
        sum += &term;
        i += 1;
    }
    for _ in 0..halvings {
        check()?;
        sum = (&sum * &sum) >> work;
    }
    Ok((sum >> (work - bits), i64::try_from(&k).unwrap_or(0)))
}

/// `mantissa / 2^bits * 2^exponent` as a decimal of `scale` digits.
fn from_exp(mantissa: BigInt, exponent: i64, bits: u64, scale: u32) -> Result<Numeric, SqlError> {
    let shift = bits as i64 - exponent;
    if shift <= 0 {
        Numeric::from_big((mantissa << (-shift) as u64) * big_pow10(scale), scale)
    } else {
        from_fixed(&mantissa, shift as u64, scale)
    }
}

/// Decimal weight of `ln(n)`, as PostgreSQL estimates it to choose result scales.
fn estimate_ln_weight(n: &Numeric) -> i64 {
    if n.signum() <= 0 {
        return 0;
    }
    if *n >= Numeric::from_parts(9, 1) && *n <= Numeric::from_parts(11, 1) {
        let Ok(x) = n.sub(&Numeric::ONE) else { return 0 };
        if x.is_zero() {
            return 0;
        }
        let (weight, head) = x.base10000_head();
        return weight * 4 + (head as f64).log10() as i64;
    }
    let (weight, head) = n.base10000_head();
    let keep = head.ilog10() + 1;
    let (mut digits, mut dweight) = (head as f64, weight * 4);
    if n.digits() > keep && i64::from(n.digits()) > i64::from(keep) {
        digits = n.leading_digits(keep + 4) as f64;
        dweight -= 4;
    }
    let ln = digits.ln() + dweight as f64 * LN_10;
    ln.abs().log10() as i64
}

fn clamp_scale(scale: i64, inputs: &[&Numeric]) -> u32 {
    let shown = inputs.iter().map(|n| i64::from(n.scale())).max().unwrap_or(0);
    scale.max(shown).clamp(0, MAX_DISPLAY_SCALE) as u32
}

fn power_error(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message)
}

impl Numeric {
    /// Square root.
    pub fn sqrt(&self) -> Result<Numeric, SqlError> {
        if self.signum() < 0 {
            return Err(power_error("cannot take square root of a negative number"));
        }
        if !self.is_finite() {
            return Ok(self.clone());
        }
        let (weight, _) = self.base10000_head();
        let sweight = (weight + 1) * 2 - 1;
        self.sqrt_at_scale(clamp_scale(MIN_SIG_DIGITS - sweight, &[self]))
    }

    /// Square root of a finite value that is not negative, correctly rounded to a scale.
    pub fn sqrt_at_scale(&self, scale: u32) -> Result<Numeric, SqlError> {
        let (c, s) = self.parts()?;
        let shift = 2 * i64::from(scale) - i64::from(s);
        let n = if shift >= 0 { c * big_pow10(shift as u32) } else { c / big_pow10(-shift as u32) };
        let root = n.sqrt();
        let rest = &n - &root * &root;
        // sqrt(n) >= root + 1/2 exactly when n - root^2 > root.
        let rounded = if rest > root { root + 1 } else { root };
        Numeric::from_big(rounded, scale)
    }

    /// `e^self`
    pub fn exp(&self) -> Result<Numeric, SqlError> {
        if !self.is_finite() {
            return Ok(if *self == Numeric::NEG_INFINITY { Numeric::ZERO } else { self.clone() });
        }
        let x = self.to_f64_lossy();
        let weight = (x * LOG10_E).clamp(-(MAX_RESULT_SCALE as f64), MAX_RESULT_SCALE as f64);
        let scale = clamp_scale(MIN_SIG_DIGITS - weight as i64, &[self]);
        if x.abs() >= (MAX_RESULT_SCALE * 3) as f64 {
            return if x > 0.0 { Err(overflow()) } else { Ok(Numeric::from_parts(0, scale)) };
        }
        let bits = bits_for_digits(i64::from(scale) + (x * LOG10_E).max(0.0) as i64 + 8);
        let (m, e) = exp_fixed(&to_fixed(self, bits)?, bits)?;
        from_exp(m, e, bits, scale)
    }

    fn check_log_argument(&self) -> Result<(), SqlError> {
        let message = match self.signum() {
            _ if self.is_nan() => return Ok(()),
            0 => "cannot take logarithm of zero",
            s if s < 0 => "cannot take logarithm of a negative number",
            _ => return Ok(()),
        };
        Err(SqlError::new(SqlState::INVALID_ARGUMENT_FOR_LOG, message))
    }

    /// Natural logarithm.
    pub fn ln(&self) -> Result<Numeric, SqlError> {
        self.check_log_argument()?;
        if !self.is_finite() {
            return Ok(self.clone());
        }
        let scale = clamp_scale(MIN_SIG_DIGITS - estimate_ln_weight(self), &[self]);
        let bits = bits_for_digits(i64::from(scale) + 8);
        from_fixed(&ln_fixed(self, bits)?, bits, scale)
    }

    /// Logarithm to a base.
    pub fn log(&self, base: &Numeric) -> Result<Numeric, SqlError> {
        if base.is_nan() || self.is_nan() {
            return Ok(Numeric::NAN);
        }
        // With an infinite one, negative ones are refused before zeros.
        let is_finite = base.is_finite() && self.is_finite();
        let mut both = [base, self];
        both.sort_by_key(|n| !is_finite && n.is_zero());
        both.iter().try_for_each(|n| n.check_log_argument())?;
        if base.is_infinite() {
            return Ok(if self.is_infinite() { Numeric::NAN } else { Numeric::ZERO });
        }
        if self.is_infinite() {
            return Ok(Numeric::INFINITY);
        }
        let (base_weight, num_weight) = (estimate_ln_weight(base), estimate_ln_weight(self));
        let scale = clamp_scale(MIN_SIG_DIGITS - (num_weight - base_weight), &[base, self]);
        let bits = bits_for_digits(i64::from(scale) + num_weight.abs() + 2 * base_weight.abs() + 16);
        let (num, den) = (ln_fixed(self, bits)?, ln_fixed(base, bits)?);
        if den.sign() == Sign::NoSign {
            return Err(division_by_zero());
        }
        from_fixed(&((num << bits) / den), bits, scale)
    }

    /// `self ^ exponent`
    pub fn pow(&self, exponent: &Numeric) -> Result<Numeric, SqlError> {
        if !self.is_finite() || !exponent.is_finite() {
            return self.pow_special(exponent);
        }
        let integral = exponent.to_scale(0, false)? == *exponent;
        if self.is_zero() && exponent.signum() < 0 {
            return Err(power_error("zero raised to a negative power is undefined"));
        }
        if self.signum() < 0 && !integral {
            return Err(power_error(
                "a negative number raised to a non-integer power yields a complex result",
            ));
        }
        if integral && let Ok(n) = exponent.to_i32() {
            return self.pow_int(i64::from(n), exponent.scale());
        }
        if self.is_zero() {
            return Ok(Numeric::from_parts(0, MIN_SIG_DIGITS as u32));
        }
        // The sign of a negative base to an integral exponent depends on whether that is odd.
        let odd = integral && !exponent.rem(&Numeric::from(2))?.is_zero();
        let base = self.abs();
        let estimate = {
            // To about eight digits, as PostgreSQL estimates it: the result scale depends on it.
            let scale = (8 - estimate_ln_weight(&base)).clamp(0, i64::from(MAX_SCALE));
            let bits = bits_for_digits(scale + 8);
            let ln = from_fixed(&ln_fixed(&base, bits)?, bits, scale as u32)?;
            ln.mul(exponent)?.to_scale(scale, true)?.to_f64_lossy()
        };
        if estimate.abs() > MAX_RESULT_SCALE as f64 * 3.01 {
            return if estimate > 0.0 {
                Err(overflow())
            } else {
                Ok(Numeric::from_parts(0, MAX_DISPLAY_SCALE as u32))
            };
        }
        let weight = estimate * LOG10_E;
        let scale = clamp_scale(MIN_SIG_DIGITS - weight as i64, &[self, exponent]);
        let integer_digits = i64::from(exponent.digits()) - i64::from(exponent.scale());
        let bits = bits_for_digits(i64::from(scale) + weight.max(0.0) as i64 + integer_digits.max(0) + 16);
        let (c, s) = exponent.parts()?;
        let product = (ln_fixed(&base, bits)? * c) / big_pow10(s);
        let (m, e) = exp_fixed(&product, bits)?;
        let result = from_exp(m, e, bits, scale)?;
        Ok(if self.signum() < 0 && odd { result.neg() } else { result })
    }

    fn pow_int(&self, n: i64, exponent_scale: u32) -> Result<Numeric, SqlError> {
        // log10 of the base from its first sixteen digits or so, in PostgreSQL's grouping.
        let estimate = if self.is_zero() {
            0.0
        } else {
            let (weight, head) = self.base10000_head();
            let keep = (head.ilog10() + 1 + 12).min(18);
            let f = self.leading_digits(keep) as f64;
            n as f64 * (f.log10() + (weight * 4 - 12) as f64)
        };
        if estimate > f64::from(MAX_INTEGER_DIGITS) {
            return Err(overflow());
        }
        if estimate + 1.0 < -(MAX_DISPLAY_SCALE as f64) {
            return Ok(Numeric::from_parts(0, MAX_DISPLAY_SCALE as u32));
        }
        let scale = (MIN_SIG_DIGITS - estimate as i64)
            .max(i64::from(self.scale()))
            .max(i64::from(exponent_scale))
            .clamp(0, MAX_DISPLAY_SCALE);
        match n {
            0 => return Numeric::ONE.to_scale(scale, true),
            1 => return self.to_scale(scale, true),
            -1 if self.is_zero() => return Err(division_by_zero()),
            -1 => return Numeric::ONE.div_at_scale(self, scale as u32),
            2 => return self.mul(self)?.to_scale(scale, true),
            _ => {}
        }
        if self.is_zero() {
            return if n < 0 { Err(division_by_zero()) } else { Ok(Numeric::from_parts(0, scale as u32)) };
        }
        // Significant digits of the result, and enough more that the errors of all multiplications stay below them.
        let keep = (scale + estimate as i64 + 24 + i64::from(n.unsigned_abs().ilog10())).max(24) as u32;
        let (c, s) = self.parts()?;
        let mut base = Scaled { coefficient: c, exponent: -i64::from(s) };
        let mut result = Scaled { coefficient: BigInt::from(1), exponent: 0 };
        let mut left = n.unsigned_abs();
        while left > 0 {
            check()?;
            if left & 1 == 1 {
                result = result.mul(&base, keep);
            }
            left >>= 1;
            if left > 0 {
                base = base.mul(&base, keep);
            }
        }
        if n < 0 {
            let digits = digit_count(&result.coefficient) + keep;
            result = Scaled {
                coefficient: big_pow10(digits) / &result.coefficient,
                exponent: -i64::from(digits) - result.exponent,
            };
        }
        let shift = result.exponent + scale;
        let coefficient = if shift >= 0 {
            result.coefficient * big_pow10(shift as u32)
        } else {
            div_round_big(&result.coefficient, &big_pow10((-shift).min(400_000) as u32))
        };
        Numeric::from_big(coefficient, scale as u32)
    }

    fn pow_special(&self, exponent: &Numeric) -> Result<Numeric, SqlError> {
        // As POSIX pow(): 1^anything and anything^0 are 1, even of NaN.
        if self.is_nan() || exponent.is_nan() {
            if exponent.is_zero() || *self == Numeric::ONE {
                return Ok(Numeric::ONE);
            }
            return Ok(Numeric::NAN);
        }
        if self.is_zero() && exponent.signum() < 0 {
            return Err(power_error("zero raised to a negative power is undefined"));
        }
        if exponent.is_finite() && self.signum() < 0 && exponent.to_scale(0, false)? != *exponent {
            return Err(power_error(
                "a negative number raised to a non-integer power yields a complex result",
            ));
        }
        if *self == Numeric::ONE || exponent.is_zero() {
            return Ok(Numeric::ONE);
        }
        if self.is_zero() {
            return Ok(Numeric::ZERO);
        }
        if exponent.is_infinite() {
            let magnitude = self.abs();
            if magnitude == Numeric::ONE {
                return Ok(Numeric::ONE);
            }
            let grows = (magnitude > Numeric::ONE) == (exponent.signum() > 0);
            return Ok(if grows { Numeric::INFINITY } else { Numeric::ZERO });
        }
        // The base is infinite, the exponent is not.
        if exponent.signum() < 0 {
            return Ok(Numeric::ZERO);
        }
        let odd = !exponent.rem(&Numeric::from(2))?.is_zero();
        Ok(infinity(if self.signum() < 0 && odd { -1 } else { 1 }))
    }
}

/// `coefficient * 10^exponent`, cut to a number of digits as it grows.
struct Scaled {
    coefficient: BigInt,
    exponent: i64,
}

impl Scaled {
    fn mul(&self, other: &Scaled, keep_digits: u32) -> Scaled {
        let product = &self.coefficient * &other.coefficient;
        let exponent = self.exponent + other.exponent;
        let digits = digit_count(&product);
        if digits <= keep_digits {
            return Scaled { coefficient: product, exponent };
        }
        let drop = digits - keep_digits;
        Scaled { coefficient: product / big_pow10(drop), exponent: exponent + i64::from(drop) }
    }
}
