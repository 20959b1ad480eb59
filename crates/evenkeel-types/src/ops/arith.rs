//! Arithmetic and bitwise operators on numbers: overflow is `22003`, division by zero `22012`.

use super::op;
use crate::cast::{float_overflow, float_underflow, out_of_range};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarCall, ScalarFn};
use crate::numeric::Numeric;
use crate::ty::Type;

type Eval = Result<Datum, SqlError>;

#[cold]
pub(crate) fn division_by_zero() -> SqlError {
    SqlError::new(SqlState::DIVISION_BY_ZERO, "division by zero")
}

#[inline]
fn int(d: &Datum) -> i64 {
    match d {
        // First, because it is by far the commonest.
        Datum::Int4(v) => i64::from(*v),
        d => d.as_i64().unwrap_or(0),
    }
}

#[inline]
fn i2(v: i64) -> Eval {
    i16::try_from(v).map(Datum::Int2).map_err(|_| out_of_range(Type::Int2))
}

#[inline]
fn i4(v: i64) -> Eval {
    i32::try_from(v).map(Datum::Int4).map_err(|_| out_of_range(Type::Int4))
}

#[inline]
fn i8(v: Option<i64>) -> Eval {
    v.map(Datum::Int8).ok_or_else(|| out_of_range(Type::Int8))
}

macro_rules! int_ops {
    ($width:ident: $add:ident $sub:ident $mul:ident $div:ident $rem:ident $and:ident $or:ident $xor:ident) => {
        fn $add(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) + int(&a[1]))
        }
        fn $sub(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) - int(&a[1]))
        }
        fn $mul(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) * int(&a[1]))
        }
        fn $div(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            match int(&a[1]) {
                0 => Err(division_by_zero()),
                b => $width(int(&a[0]) / b),
            }
        }
        fn $rem(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            match int(&a[1]) {
                0 => Err(division_by_zero()),
                b => $width(int(&a[0]) % b),
            }
        }
        fn $and(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) & int(&a[1]))
        }
        fn $or(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) | int(&a[1]))
        }
        fn $xor(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            $width(int(&a[0]) ^ int(&a[1]))
        }
    };
}

// Narrow types are computed in 64 bits, where nothing of theirs overflows, and range-checked once.
int_ops!(i2: add2 sub2 mul2 div2 rem2 and2 or2 xor2);
int_ops!(i4: add4 sub4 mul4 div4 rem4 and4 or4 xor4);

fn add8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    i8(int(&a[0]).checked_add(int(&a[1])))
}
fn sub8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    i8(int(&a[0]).checked_sub(int(&a[1])))
}
fn mul8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    i8(int(&a[0]).checked_mul(int(&a[1])))
}
fn div8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match int(&a[1]) {
        0 => Err(division_by_zero()),
        b => i8(int(&a[0]).checked_div(b)),
    }
}
fn rem8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match int(&a[1]) {
        0 => Err(division_by_zero()),
        b => Ok(Datum::Int8(int(&a[0]).wrapping_rem(b))),
    }
}
fn and8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(int(&a[0]) & int(&a[1])))
}
fn or8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(int(&a[0]) | int(&a[1])))
}
fn xor8(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(int(&a[0]) ^ int(&a[1])))
}

fn negate(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match &a[0] {
        Datum::Int2(v) => i2(-i64::from(*v)),
        Datum::Int4(v) => i4(-i64::from(*v)),
        Datum::Int8(v) => i8(v.checked_neg()),
        Datum::Float4(v) => Ok(Datum::Float4(-v)),
        Datum::Float8(v) => Ok(Datum::Float8(-v)),
        Datum::Numeric(n) => Ok(Datum::Numeric(n.neg())),
        Datum::Interval(i) => Ok(Datum::Interval(i.neg()?)),
        _ => Err(SqlError::internal("negation of something that is no number")),
    }
}

fn identity(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(a[0].clone())
}

fn bit_not(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(match &a[0] {
        Datum::Int2(v) => Datum::Int2(!v),
        Datum::Int4(v) => Datum::Int4(!v),
        d => Datum::Int8(!int(d)),
    })
}

/// Shifts take the count modulo the width, as the hardware does that PostgreSQL leaves them to.
fn shift_left(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = int(&a[1]) as u32;
    Ok(match &a[0] {
        Datum::Int2(v) => Datum::Int2(i32::from(*v).wrapping_shl(n) as i16),
        Datum::Int4(v) => Datum::Int4(v.wrapping_shl(n)),
        d => Datum::Int8(int(d).wrapping_shl(n)),
    })
}

fn shift_right(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = int(&a[1]) as u32;
    Ok(match &a[0] {
        Datum::Int2(v) => Datum::Int2(i32::from(*v).wrapping_shr(n) as i16),
        Datum::Int4(v) => Datum::Int4(v.wrapping_shr(n)),
        d => Datum::Int8(int(d).wrapping_shr(n)),
    })
}

fn f8(d: &Datum) -> f64 {
    match d {
        Datum::Float8(v) => *v,
        Datum::Float4(v) => f64::from(*v),
        _ => f64::NAN,
    }
}

fn f4(d: &Datum) -> f32 {
    match d {
        Datum::Float4(v) => *v,
        _ => f32::NAN,
    }
}

/// The result of an operation on floats, with an error if it is infinite or (where that cannot be right) zero though the operands
/// were not.
pub fn checked_f64(v: f64, infinite_operand: bool, zero_allowed: bool) -> Result<f64, SqlError> {
    if v.is_infinite() && !infinite_operand {
        return Err(float_overflow());
    }
    if v == 0.0 && !zero_allowed {
        return Err(float_underflow());
    }
    Ok(v)
}

macro_rules! float_ops {
    ($get:ident $variant:ident: $add:ident $sub:ident $mul:ident $div:ident) => {
        fn $add(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let (x, y) = ($get(&a[0]), $get(&a[1]));
            let r = x + y;
            checked_f64(f64::from(r), x.is_infinite() || y.is_infinite(), true)?;
            Ok(Datum::$variant(r))
        }
        fn $sub(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let (x, y) = ($get(&a[0]), $get(&a[1]));
            let r = x - y;
            checked_f64(f64::from(r), x.is_infinite() || y.is_infinite(), true)?;
            Ok(Datum::$variant(r))
        }
        fn $mul(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let (x, y) = ($get(&a[0]), $get(&a[1]));
            let r = x * y;
            checked_f64(f64::from(r), x.is_infinite() || y.is_infinite(), x == 0.0 || y == 0.0)?;
            Ok(Datum::$variant(r))
        }
        fn $div(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let (x, y) = ($get(&a[0]), $get(&a[1]));
            if y == 0.0 && !x.is_nan() {
                return Err(division_by_zero());
            }
            let r = x / y;
            checked_f64(f64::from(r), x.is_infinite(), x == 0.0 || y.is_infinite())?;
            Ok(Datum::$variant(r))
        }
    };
}

float_ops!(f8 Float8: add_f8 sub_f8 mul_f8 div_f8);
float_ops!(f4 Float4: add_f4 sub_f4 mul_f4 div_f4);

fn num(a: &[Datum], i: usize) -> Result<&Numeric, SqlError> {
    match &a[i] {
        Datum::Numeric(n) => Ok(n),
        _ => Err(SqlError::internal("a numeric was expected")),
    }
}

fn add_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(num(a, 0)?.add(num(a, 1)?)?))
}
fn sub_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(num(a, 0)?.sub(num(a, 1)?)?))
}
fn mul_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(num(a, 0)?.mul(num(a, 1)?)?))
}
fn div_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(num(a, 0)?.div(num(a, 1)?)?))
}
fn rem_n(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(num(a, 0)?.rem(num(a, 1)?)?))
}

type FiveCalls = [ScalarCall; 5];
const NAMES: [&str; 5] = ["+", "-", "*", "/", "%"];
const BITS: [&str; 3] = ["&", "|", "#"];

pub(super) fn table() -> Vec<ScalarFn> {
    const T2: FiveCalls = [add2, sub2, mul2, div2, rem2];
    const T4: FiveCalls = [add4, sub4, mul4, div4, rem4];
    const T8: FiveCalls = [add8, sub8, mul8, div8, rem8];
    /// Operand types; the result is the wider one.
    const INTS: &[([Type; 2], Type, FiveCalls)] = &[
        ([Type::Int2, Type::Int2], Type::Int2, T2),
        ([Type::Int4, Type::Int4], Type::Int4, T4),
        ([Type::Int8, Type::Int8], Type::Int8, T8),
        ([Type::Int2, Type::Int4], Type::Int4, T4),
        ([Type::Int4, Type::Int2], Type::Int4, T4),
        ([Type::Int2, Type::Int8], Type::Int8, T8),
        ([Type::Int8, Type::Int2], Type::Int8, T8),
        ([Type::Int4, Type::Int8], Type::Int8, T8),
        ([Type::Int8, Type::Int4], Type::Int8, T8),
    ];
    const BIT_CALLS: [[ScalarCall; 3]; 3] = [[and2, or2, xor2], [and4, or4, xor4], [and8, or8, xor8]];
    const FLOATS: &[([Type; 2], Type, [ScalarCall; 4])] = &[
        ([Type::Float8, Type::Float8], Type::Float8, [add_f8, sub_f8, mul_f8, div_f8]),
        ([Type::Float4, Type::Float8], Type::Float8, [add_f8, sub_f8, mul_f8, div_f8]),
        ([Type::Float8, Type::Float4], Type::Float8, [add_f8, sub_f8, mul_f8, div_f8]),
        ([Type::Float4, Type::Float4], Type::Float4, [add_f4, sub_f4, mul_f4, div_f4]),
    ];
    const NUMERIC: FiveCalls = [add_n, sub_n, mul_n, div_n, rem_n];
    const SIGNED: &[[Type; 1]] = &[
        [Type::Int2],
        [Type::Int4],
        [Type::Int8],
        [Type::Float4],
        [Type::Float8],
        [Type::Numeric],
        [Type::Interval],
    ];
    const SHIFTS: &[[Type; 2]] =
        &[[Type::Int2, Type::Int4], [Type::Int4, Type::Int4], [Type::Int8, Type::Int4]];

    let mut table = Vec::new();
    for (types, ret, calls) in INTS {
        for (name, call) in NAMES.iter().zip(calls) {
            // There is no % between different widths; the narrower operand is widened.
            if *name != "%" || types[0] == types[1] {
                table.push(op(name, types, *ret, *call));
            }
        }
    }
    for ((types, ret, _), calls) in INTS.iter().zip(BIT_CALLS) {
        for (name, call) in BITS.iter().zip(calls) {
            table.push(op(name, types, *ret, call));
        }
        table.push(op("~", &types[..1], *ret, bit_not));
    }
    for types in SHIFTS {
        table.push(op("<<", types, types[0], shift_left));
        table.push(op(">>", types, types[0], shift_right));
    }
    for (types, ret, calls) in FLOATS {
        for (name, call) in NAMES.iter().zip(calls) {
            table.push(op(name, types, *ret, *call));
        }
    }
    for (name, call) in NAMES.iter().zip(NUMERIC) {
        table.push(op(name, &[Type::Numeric, Type::Numeric], Type::Numeric, call));
    }
    for types in SIGNED {
        table.push(op("-", types, types[0], negate));
        if types[0] != Type::Interval {
            table.push(op("+", types, types[0], identity));
            table.push(op("@", types, types[0], crate::funcs::math::abs));
        }
    }
    use crate::funcs::math;
    table.push(op("^", &[Type::Float8, Type::Float8], Type::Float8, math::power_f8));
    table.push(op("^", &[Type::Numeric, Type::Numeric], Type::Numeric, math::power_n));
    table.push(op("|/", &[Type::Float8], Type::Float8, math::sqrt_f8));
    table.push(op("||/", &[Type::Float8], Type::Float8, math::cbrt));
    table
}
