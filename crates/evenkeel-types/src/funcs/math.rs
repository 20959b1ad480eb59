//! Mathematical functions.

use super::{Eval, f, float_arg, int_arg, numeric_arg};
use crate::cast::out_of_range;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::numeric::{Numeric, factorial};
use crate::ops::checked_f64;
use crate::ty::Type as T;

/// `abs`, also the operator `@`.
pub fn abs(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(match &a[0] {
        Datum::Int2(v) => Datum::Int2(v.checked_abs().ok_or_else(|| out_of_range(T::Int2))?),
        Datum::Int4(v) => Datum::Int4(v.checked_abs().ok_or_else(|| out_of_range(T::Int4))?),
        Datum::Int8(v) => Datum::Int8(v.checked_abs().ok_or_else(|| out_of_range(T::Int8))?),
        Datum::Float4(v) => Datum::Float4(v.abs()),
        Datum::Float8(v) => Datum::Float8(v.abs()),
        _ => Datum::Numeric(numeric_arg(a, 0)?.abs()),
    })
}

fn sign_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    Ok(Datum::Float8(if v > 0.0 {
        1.0
    } else if v < 0.0 {
        -1.0
    } else {
        0.0
    }))
}

fn sign_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = numeric_arg(a, 0)?;
    Ok(Datum::Numeric(if n.is_nan() { Numeric::NAN } else { Numeric::from(n.signum()) }))
}

fn ceil_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).ceil()))
}

fn floor_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).floor()))
}

fn round_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).round_ties_even()))
}

fn trunc_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).trunc()))
}

fn ceil_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.ceil()?))
}

fn floor_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.floor()?))
}

fn round_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let scale = if a.len() > 1 { int_arg(a, 1) } else { 0 };
    Ok(Datum::Numeric(numeric_arg(a, 0)?.round(scale)?))
}

fn trunc_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let scale = if a.len() > 1 { int_arg(a, 1) } else { 0 };
    Ok(Datum::Numeric(numeric_arg(a, 0)?.trunc(scale)?))
}

fn division_by_zero() -> SqlError {
    SqlError::new(SqlState::DIVISION_BY_ZERO, "division by zero")
}

fn mod_int(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (int_arg(a, 0), int_arg(a, 1));
    if y == 0 {
        return Err(division_by_zero());
    }
    let r = x.wrapping_rem(y);
    Ok(match &a[0] {
        Datum::Int2(_) => Datum::Int2(r as i16),
        Datum::Int4(_) => Datum::Int4(r as i32),
        _ => Datum::Int8(r),
    })
}

fn mod_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.rem(numeric_arg(a, 1)?)?))
}

fn div_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.div_trunc(numeric_arg(a, 1)?)?))
}

fn power_error(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message)
}

/// `power`, also `^`, on floats.
pub fn power_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (float_arg(a, 0), float_arg(a, 1));
    if x == 0.0 && y < 0.0 {
        return Err(power_error("zero raised to a negative power is undefined"));
    }
    if x < 0.0 && y.is_finite() && y.floor() != y {
        return Err(power_error("a negative number raised to a non-integer power yields a complex result"));
    }
    let r = x.powf(y);
    let infinite = x.is_infinite() || y.is_infinite();
    Ok(Datum::Float8(checked_f64(r, infinite, x == 0.0 || infinite)?))
}

/// `power`, also `^`, on numerics.
pub fn power_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.pow(numeric_arg(a, 1)?)?))
}

/// `sqrt`, also `|/`, on floats.
pub fn sqrt_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    if v < 0.0 {
        return Err(power_error("cannot take square root of a negative number"));
    }
    Ok(Datum::Float8(v.sqrt()))
}

fn sqrt_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.sqrt()?))
}

/// `cbrt`, also `||/`.
pub fn cbrt(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).cbrt()))
}

fn exp_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    Ok(Datum::Float8(checked_f64(v.exp(), v.is_infinite(), v.is_infinite())?))
}

fn exp_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.exp()?))
}

fn log_domain(v: f64) -> Result<(), SqlError> {
    let message = if v == 0.0 {
        "cannot take logarithm of zero"
    } else if v < 0.0 {
        "cannot take logarithm of a negative number"
    } else {
        return Ok(());
    };
    Err(SqlError::new(SqlState::INVALID_ARGUMENT_FOR_LOG, message))
}

fn ln_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    log_domain(v)?;
    Ok(Datum::Float8(v.ln()))
}

fn log_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    log_domain(v)?;
    Ok(Datum::Float8(v.log10()))
}

fn ln_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.ln()?))
}

fn log_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(if a.len() > 1 {
        numeric_arg(a, 1)?.log(numeric_arg(a, 0)?)?
    } else {
        numeric_arg(a, 0)?.log(&Numeric::from(10))?
    }))
}

macro_rules! float_functions {
    ($($name:ident($v:ident) $body:expr;)*) => {
        $(fn $name(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let $v = float_arg(a, 0);
            Ok(Datum::Float8($body))
        })*
    };
}

pub(super) fn input_out_of_range() -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range")
}

/// A value that must lie within -1 and 1 (NaN passes).
fn unit_domain(v: f64) -> Result<f64, SqlError> {
    if v.abs() > 1.0 { Err(input_out_of_range()) } else { Ok(v) }
}

fn finite_domain(v: f64) -> Result<f64, SqlError> {
    if v.is_infinite() { Err(input_out_of_range()) } else { Ok(v) }
}

/// Beyond it a number's square is all that counts beside 1; below its inverse nothing of it does.
const SQUARE_ALONE: f64 = (1u64 << 28) as f64;

// The inverse hyperbolic functions as C's library computes them: the standard library's lose digits near their zeros.

fn inverse_sinh(v: f64) -> f64 {
    let x = v.abs();
    let y = if !v.is_finite() || x < 1.0 / SQUARE_ALONE {
        x
    } else if x > SQUARE_ALONE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x + 1.0 / ((x * x + 1.0).sqrt() + x)).ln()
    } else {
        let square = x * x;
        (x + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    y.copysign(v)
}

/// Of what is at least 1.
fn inverse_cosh(x: f64) -> f64 {
    if x > SQUARE_ALONE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let t = x - 1.0;
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

/// Of what is within -1 and 1.
fn inverse_tanh(v: f64) -> f64 {
    let x = v.abs();
    let y = if x < 1.0 / SQUARE_ALONE {
        x
    } else if x < 0.5 {
        let twice = x + x;
        0.5 * (twice + twice * x / (1.0 - x)).ln_1p()
    } else {
        0.5 * ((x + x) / (1.0 - x)).ln_1p()
    };
    y.copysign(v)
}

float_functions! {
    sin(v) finite_domain(v)?.sin();
    cos(v) finite_domain(v)?.cos();
    tan(v) finite_domain(v)?.tan();
    cot(v) 1.0 / finite_domain(v)?.tan();
    asin(v) unit_domain(v)?.asin();
    acos(v) unit_domain(v)?.acos();
    atan(v) v.atan();
    sinh(v) v.sinh();
    cosh(v) v.cosh();
    tanh(v) v.tanh();
    asinh(v) inverse_sinh(v);
    acosh(v) if v < 1.0 { return Err(input_out_of_range()) } else { inverse_cosh(v) };
    atanh(v) inverse_tanh(unit_domain(v)?);
    degrees(v) checked_f64(v / (std::f64::consts::PI / 180.0), v.is_infinite(), v == 0.0)?;
    radians(v) v * (std::f64::consts::PI / 180.0);
}

fn atan2(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).atan2(float_arg(a, 1))))
}

fn pi(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(std::f64::consts::PI))
}

fn gcd_int(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (mut x, mut y) = (int_arg(a, 0).unsigned_abs(), int_arg(a, 1).unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    narrow(a, i128::from(x))
}

fn lcm_int(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (x, y) = (i128::from(int_arg(a, 0)), i128::from(int_arg(a, 1)));
    if x == 0 || y == 0 {
        return narrow(a, 0);
    }
    let g = i128::from(gcd_int(&[Datum::Int8(x as i64), Datum::Int8(y as i64)], ctx)?.as_i64().unwrap_or(1));
    narrow(a, (x / g * y).abs())
}

/// A result in the width of the first argument.
fn narrow(a: &[Datum], v: i128) -> Eval {
    if matches!(a[0], Datum::Int4(_)) {
        i32::try_from(v).map(Datum::Int4).map_err(|_| out_of_range(T::Int4))
    } else {
        i64::try_from(v).map(Datum::Int8).map_err(|_| out_of_range(T::Int8))
    }
}

fn gcd_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.gcd(numeric_arg(a, 1)?)?))
}

fn lcm_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.lcm(numeric_arg(a, 1)?)?))
}

fn factorial_fn(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(factorial(int_arg(a, 0))?))
}

fn scale(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = numeric_arg(a, 0)?;
    Ok(if n.is_finite() { Datum::Int4(n.scale() as i32) } else { Datum::Null })
}

fn min_scale(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = numeric_arg(a, 0)?;
    Ok(if n.is_finite() { Datum::Int4(n.min_scale() as i32) } else { Datum::Null })
}

fn trim_scale(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(numeric_arg(a, 0)?.trim_scale()))
}

fn bucket_error(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_ARGUMENT_FOR_WIDTH_BUCKET, message)
}

fn width_bucket_f8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (v, low, high, count) = (float_arg(a, 0), float_arg(a, 1), float_arg(a, 2), int_arg(a, 3));
    if count <= 0 {
        return Err(bucket_error("count must be greater than zero"));
    }
    if v.is_nan() || low.is_nan() || high.is_nan() {
        return Err(bucket_error("operand, lower bound, and upper bound cannot be NaN"));
    }
    if low.is_infinite() || high.is_infinite() {
        return Err(bucket_error("lower and upper bounds must be finite"));
    }
    if low == high {
        return Err(bucket_error("lower bound cannot equal upper bound"));
    }
    // What lies so far apart that the distance is no number is halved; what rounds up to the end is before it.
    let within = |from: f64, to: f64| {
        let part = match (to - from).is_infinite() {
            true => (v / 2.0 - from / 2.0) / (to / 2.0 - from / 2.0),
            false => (v - from) / (to - from),
        };
        ((count as f64 * part) as i64).min(count - 1) + 1
    };
    let bucket = match low < high {
        true if v < low => 0,
        true if v >= high => count + 1,
        false if v > low => 0,
        false if v <= high => count + 1,
        _ => within(low, high),
    };
    i32::try_from(bucket).map(Datum::Int4).map_err(|_| out_of_range(T::Int4))
}

fn width_bucket_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (v, low, high) = (numeric_arg(a, 0)?, numeric_arg(a, 1)?, numeric_arg(a, 2)?);
    let count = int_arg(a, 3);
    if count <= 0 {
        return Err(bucket_error("count must be greater than zero"));
    }
    if v.is_nan() || low.is_nan() || high.is_nan() {
        return Err(bucket_error("operand, lower bound, and upper bound cannot be NaN"));
    }
    if low.is_infinite() || high.is_infinite() {
        return Err(bucket_error("lower and upper bounds must be finite"));
    }
    if low == high {
        return Err(bucket_error("lower bound cannot equal upper bound"));
    }
    let ascending = low < high;
    let (below, above) = if ascending { (v < low, v >= high) } else { (v > low, v <= high) };
    let bucket = if below {
        0
    } else if above {
        count + 1
    } else {
        v.sub(low)?.mul(&Numeric::from(count))?.div_trunc(&high.sub(low)?)?.to_i64()? + 1
    };
    i32::try_from(bucket).map(Datum::Int4).map_err(|_| out_of_range(T::Int4))
}

const F8: &[T] = &[T::Float8];
const F88: &[T] = &[T::Float8, T::Float8];
const N: &[T] = &[T::Numeric];
const NN: &[T] = &[T::Numeric, T::Numeric];
const NI: &[T] = &[T::Numeric, T::Int4];

pub(super) static TABLE: &[ScalarFn] = &[
    f("abs", &[T::Int2], T::Int2, abs),
    f("abs", &[T::Int4], T::Int4, abs),
    f("abs", &[T::Int8], T::Int8, abs),
    f("abs", &[T::Float4], T::Float4, abs),
    f("abs", F8, T::Float8, abs),
    f("abs", N, T::Numeric, abs),
    f("sign", F8, T::Float8, sign_f8),
    f("sign", N, T::Numeric, sign_n),
    f("ceil", F8, T::Float8, ceil_f8),
    f("ceil", N, T::Numeric, ceil_n),
    f("ceiling", F8, T::Float8, ceil_f8),
    f("ceiling", N, T::Numeric, ceil_n),
    f("floor", F8, T::Float8, floor_f8),
    f("floor", N, T::Numeric, floor_n),
    f("round", F8, T::Float8, round_f8),
    f("round", N, T::Numeric, round_n),
    f("round", NI, T::Numeric, round_n),
    f("trunc", F8, T::Float8, trunc_f8),
    f("trunc", N, T::Numeric, trunc_n),
    f("trunc", NI, T::Numeric, trunc_n),
    f("mod", &[T::Int2, T::Int2], T::Int2, mod_int),
    f("mod", &[T::Int4, T::Int4], T::Int4, mod_int),
    f("mod", &[T::Int8, T::Int8], T::Int8, mod_int),
    f("mod", NN, T::Numeric, mod_n),
    f("div", NN, T::Numeric, div_n),
    f("power", F88, T::Float8, power_f8),
    f("power", NN, T::Numeric, power_n),
    f("pow", F88, T::Float8, power_f8),
    f("pow", NN, T::Numeric, power_n),
    f("sqrt", F8, T::Float8, sqrt_f8),
    f("sqrt", N, T::Numeric, sqrt_n),
    f("cbrt", F8, T::Float8, cbrt),
    f("exp", F8, T::Float8, exp_f8),
    f("exp", N, T::Numeric, exp_n),
    f("ln", F8, T::Float8, ln_f8),
    f("ln", N, T::Numeric, ln_n),
    f("log", F8, T::Float8, log_f8),
    f("log", N, T::Numeric, log_n),
    f("log", NN, T::Numeric, log_n),
    f("log10", F8, T::Float8, log_f8),
    f("log10", N, T::Numeric, log_n),
    f("sin", F8, T::Float8, sin),
    f("cos", F8, T::Float8, cos),
    f("tan", F8, T::Float8, tan),
    f("cot", F8, T::Float8, cot),
    f("asin", F8, T::Float8, asin),
    f("acos", F8, T::Float8, acos),
    f("atan", F8, T::Float8, atan),
    f("atan2", F88, T::Float8, atan2),
    f("sinh", F8, T::Float8, sinh),
    f("cosh", F8, T::Float8, cosh),
    f("tanh", F8, T::Float8, tanh),
    f("asinh", F8, T::Float8, asinh),
    f("acosh", F8, T::Float8, acosh),
    f("atanh", F8, T::Float8, atanh),
    f("degrees", F8, T::Float8, degrees),
    f("radians", F8, T::Float8, radians),
    f("pi", &[], T::Float8, pi),
    f("gcd", &[T::Int4, T::Int4], T::Int4, gcd_int),
    f("gcd", &[T::Int8, T::Int8], T::Int8, gcd_int),
    f("gcd", NN, T::Numeric, gcd_n),
    f("lcm", &[T::Int4, T::Int4], T::Int4, lcm_int),
    f("lcm", &[T::Int8, T::Int8], T::Int8, lcm_int),
    f("lcm", NN, T::Numeric, lcm_n),
    f("factorial", &[T::Int8], T::Numeric, factorial_fn),
    f("scale", N, T::Int4, scale),
    f("min_scale", N, T::Int4, min_scale),
    f("trim_scale", N, T::Numeric, trim_scale),
    f("width_bucket", &[T::Float8, T::Float8, T::Float8, T::Int4], T::Int4, width_bucket_f8),
    f("width_bucket", &[T::Numeric, T::Numeric, T::Numeric, T::Int4], T::Int4, width_bucket_n),
];
