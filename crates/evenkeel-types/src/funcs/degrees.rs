//! Trigonometry in degrees, exact where the answer is; the error and gamma functions.
//!
//! Must not know: other types than double precision.

use super::math::input_out_of_range;
use super::{Eval, f, float_arg};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::ops::checked_f64;
use crate::ty::Type as T;

const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Sine from 0 to 30, so that that of 30 is a half.
fn sin_0_to_30(x: f64) -> f64 {
    (x * DEGREE).sin() / (30.0 * DEGREE).sin() / 2.0
}

/// Cosine from 0 to 60, so that that of 60 is a half.
fn cos_0_to_60(x: f64) -> f64 {
    1.0 - (1.0 - (x * DEGREE).cos()) / (1.0 - (60.0 * DEGREE).cos()) / 2.0
}

/// Sine from 0 to 90.
fn sin_quadrant(x: f64) -> f64 {
    if x <= 30.0 { sin_0_to_30(x) } else { cos_0_to_60(90.0 - x) }
}

/// Cosine from 0 to 90.
fn cos_quadrant(x: f64) -> f64 {
    if x <= 60.0 { cos_0_to_60(x) } else { sin_0_to_30(90.0 - x) }
}

fn asin_quadrant(x: f64) -> f64 {
    match x <= 0.5 {
        true => x.asin() / 0.5f64.asin() * 30.0,
        false => 90.0 - x.acos() / 0.5f64.acos() * 60.0,
    }
}

fn acos_quadrant(x: f64) -> f64 {
    match x <= 0.5 {
        true => 90.0 - x.asin() / 0.5f64.asin() * 30.0,
        false => x.acos() / 0.5f64.acos() * 60.0,
    }
}

/// An angle in the first quadrant, and the signs that sine and cosine have.
fn folded(angle: f64) -> Result<(f64, f64, f64), SqlError> {
    if angle.is_infinite() {
        return Err(input_out_of_range());
    }
    let (mut x, mut sin, mut cos) = (angle % 360.0, 1.0, 1.0);
    if x < 0.0 {
        (x, sin) = (-x, -sin);
    }
    if x > 180.0 {
        (x, sin) = (360.0 - x, -sin);
    }
    if x > 90.0 {
        (x, cos) = (180.0 - x, -cos);
    }
    Ok((x, sin, cos))
}

/// Zero without a sign.
fn plain(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v }
}

/// A value within -1 and 1.
fn of_unit(v: f64) -> Result<f64, SqlError> {
    if (-1.0..=1.0).contains(&v) { Ok(v) } else { Err(input_out_of_range()) }
}

/// A value of the gamma function and its logarithm, or that there is none.
fn gamma_of(v: f64) -> Result<f64, SqlError> {
    if v == f64::INFINITY {
        return Ok(v);
    }
    // At its poles, and below all numbers, it is infinite or nothing.
    let r = libm::tgamma(v);
    let r = if r.is_nan() { f64::INFINITY } else { r };
    checked_f64(r, false, false)
}

macro_rules! float_functions {
    ($($name:ident($v:ident) $body:expr;)*) => {
        $(fn $name(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let $v = float_arg(a, 0);
            if $v.is_nan() {
                return Ok(Datum::Float8($v));
            }
            Ok(Datum::Float8($body))
        })*
    };
}

float_functions! {
    sind(v) { let (x, sin, _) = folded(v)?; sin * sin_quadrant(x) };
    cosd(v) { let (x, _, cos) = folded(v)?; cos * cos_quadrant(x) };
    tand(v) {
        let (x, sin, cos) = folded(v)?;
        let unit = sin_quadrant(45.0) / cos_quadrant(45.0);
        plain(sin * cos * (sin_quadrant(x) / cos_quadrant(x) / unit))
    };
    cotd(v) {
        let (x, sin, cos) = folded(v)?;
        let unit = cos_quadrant(45.0) / sin_quadrant(45.0);
        plain(sin * cos * (cos_quadrant(x) / sin_quadrant(x) / unit))
    };
    asind(v) { let v = of_unit(v)?; if v >= 0.0 { asin_quadrant(v) } else { -asin_quadrant(-v) } };
    acosd(v) { let v = of_unit(v)?; if v >= 0.0 { acos_quadrant(v) } else { 90.0 + asin_quadrant(-v) } };
    atand(v) v.atan() / 1.0f64.atan() * 45.0;
    erf(v) libm::erf(v);
    erfc(v) libm::erfc(v);
    gamma(v) gamma_of(v)?;
    lgamma(v) checked_f64(libm::lgamma(v), v.is_infinite(), true)?;
}

fn atan2d(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(float_arg(a, 0).atan2(float_arg(a, 1)) / 1.0f64.atan() * 45.0))
}

const F8: &[T] = &[T::Float8];

pub(super) static TABLE: &[ScalarFn] = &[
    f("sind", F8, T::Float8, sind),
    f("cosd", F8, T::Float8, cosd),
    f("tand", F8, T::Float8, tand),
    f("cotd", F8, T::Float8, cotd),
    f("asind", F8, T::Float8, asind),
    f("acosd", F8, T::Float8, acosd),
    f("atand", F8, T::Float8, atand),
    f("atan2d", &[T::Float8, T::Float8], T::Float8, atan2d),
    f("erf", F8, T::Float8, erf),
    f("erfc", F8, T::Float8, erfc),
    f("gamma", F8, T::Float8, gamma),
    f("lgamma", F8, T::Float8, lgamma),
];
