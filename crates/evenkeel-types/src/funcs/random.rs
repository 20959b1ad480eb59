//! Random numbers: a generator to a session, PostgreSQL's, so that a seed gives what it gives there.
//!
//! Good for samples, useless for secrets.

use super::{Eval, float_arg, int_arg, numeric_arg, volatile};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::numeric::Numeric;
use crate::ty::Type as T;
use std::cell::Cell;

/// Values of a digit of what numerics are made of.
const BASE: u64 = 10_000;
/// Decimal digits of one of these.
const DIGITS: usize = 4;
/// Of so many of them a number of 64 bits is made.
const GROUP: usize = 4;

/// The state of a generator (xoroshiro128**); none until something is asked of it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Generator(Option<[u64; 2]>);

thread_local! {
    static OF_THREAD: Cell<Generator> = const { Cell::new(Generator(None)) };
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Generator {
    /// What a seed gives.
    fn seeded(mut seed: u64) -> Generator {
        Generator(Some([split_mix(&mut seed), split_mix(&mut seed)]))
    }

    /// What `setseed()` gives of a number from -1 to 1.
    pub fn of_seed(v: f64) -> Generator {
        Generator::seeded((((1u64 << 52) - 1) as f64 * v) as i64 as u64)
    }

    /// From the process's random hash keys and the clock.
    fn unforeseen() -> Generator {
        use std::hash::{BuildHasher, Hasher};
        let mut h = std::collections::hash_map::RandomState::new().build_hasher();
        h.write_i64(crate::datetime::wall_clock_us());
        Generator::seeded(h.finish())
    }

    fn next(&mut self) -> u64 {
        let Generator(Some([s0, s1])) = self else {
            *self = Generator::unforeseen();
            return self.next();
        };
        let mixed = *s0 ^ *s1;
        let value = s0.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        *s0 = s0.rotate_left(24) ^ mixed ^ (mixed << 16);
        *s1 = mixed.rotate_left(37);
        value
    }

    /// From 0 to `most`.
    fn below(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        loop {
            let value = self.next() >> most.leading_zeros();
            if value <= most {
                return value;
            }
        }
    }

    /// From 0 to less than 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 12) as f64 / (1u64 << 52) as f64
    }

    /// Of the standard normal distribution, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (u1, u2) = (1.0 - self.unit(), 1.0 - self.unit());
        (-2.0 * u1.ln()).sqrt() * (2.0 * std::f64::consts::PI * u2).sin()
    }
}

/// What the session's generator gives; without a session, the thread's.
fn drawn<R>(ctx: &EvalCtx<'_>, draw: impl FnOnce(&mut Generator) -> R) -> R {
    let with = |cell: &Cell<Generator>| {
        let mut generator = cell.get();
        let r = draw(&mut generator);
        cell.set(generator);
        r
    };
    match ctx.env.generator() {
        Some(cell) => with(cell),
        None => OF_THREAD.with(with),
    }
}

/// From 0 to `most`.
pub(super) fn random_below(ctx: &EvalCtx<'_>, most: u64) -> u64 {
    drawn(ctx, |g| g.below(most))
}

fn random(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float8(drawn(ctx, Generator::unit)))
}

fn random_normal(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (mean, deviation) =
        (a.first().map_or(0.0, |_| float_arg(a, 0)), a.get(1).map_or(1.0, |_| float_arg(a, 1)));
    Ok(Datum::Float8(deviation * drawn(ctx, Generator::normal) + mean))
}

fn bad_bounds(why: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}

const IN_WRONG_ORDER: &str = "lower bound must be less than or equal to upper bound";

fn random_between(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (low, high) = (int_arg(a, 0), int_arg(a, 1));
    if low > high {
        return Err(bad_bounds(IN_WRONG_ORDER));
    }
    let v = low.wrapping_add(random_below(ctx, high.wrapping_sub(low) as u64) as i64);
    Ok(if matches!(a[0], Datum::Int4(_)) { Datum::Int4(v as i32) } else { Datum::Int8(v) })
}

/// Between two numerics, with as many digits as the longer has behind the point.
fn random_numeric(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (low, high) = (numeric_arg(a, 0)?, numeric_arg(a, 1)?);
    for (bound, name) in [(low, "lower"), (high, "upper")] {
        match bound {
            n if n.is_nan() => return Err(bad_bounds(&format!("{name} bound cannot be NaN"))),
            n if n.is_infinite() => return Err(bad_bounds(&format!("{name} bound cannot be infinity"))),
            _ => {}
        }
    }
    let span = high.sub(low)?;
    if span.signum() < 0 {
        return Err(bad_bounds(IN_WRONG_ORDER));
    }
    let scale = low.scale().max(high.scale()) as usize;
    if span.signum() == 0 {
        return Ok(Datum::Numeric(low.round(scale as i64)?));
    }
    let mut wire = Vec::new();
    span.write_binary(&mut wire);
    let part =
        |n: usize| wire.get(n * 2..n * 2 + 2).map_or(0, |b| u64::from(u16::from_be_bytes([b[0], b[1]])));
    let digits: Vec<u64> = (0..part(0) as usize).map(|n| part(n + 4)).collect();
    let weight = part(1) as u16 as i16;
    let drawn_span =
        Span { digits, len: (i64::from(weight) + 1 + scale.div_ceil(DIGITS) as i64).max(1) as usize, scale };
    loop {
        crate::guard::check()?;
        let digits = drawn(ctx, |g| drawn_span.draw(g));
        let mut wire = Vec::with_capacity(8 + 2 * digits.len());
        for head in [digits.len() as u16, weight as u16, 0, scale as u16] {
            wire.extend_from_slice(&head.to_be_bytes());
        }
        digits.iter().for_each(|d| wire.extend_from_slice(&(*d as u16).to_be_bytes()));
        let n = Numeric::read_binary(&wire)?;
        if n <= span {
            return Ok(Datum::Numeric(n.add(low)?));
        }
    }
}

/// What a numeric is drawn from: its digits are those of the span, most significant first.
struct Span {
    digits: Vec<u64>,
    len: usize,
    scale: usize,
}

impl Span {
    /// Digits that are a little too many sometimes.
    fn draw(&self, g: &mut Generator) -> Vec<u64> {
        let pow = 10u64.pow((self.scale.div_ceil(DIGITS) * DIGITS - self.scale) as u32);
        let head = self.len.min(GROUP);
        let digit = |n: usize| self.digits.get(n).copied().unwrap_or(0);
        let first = (0..head).fold(0, |all, n| all * BASE + digit(n));
        let mut value = match head == self.len {
            true => g.below(first / pow) * pow,
            false => g.below(first),
        };
        let mut out = vec![0; self.len];
        for n in (0..head).rev() {
            (out[n], value) = (value % BASE, value / BASE);
        }
        let whole = self.len - usize::from(pow != 1);
        let mut n = head;
        while n + GROUP <= whole {
            let value = g.below(BASE.pow(GROUP as u32) - 1);
            for (k, slot) in out[n..n + GROUP].iter_mut().enumerate() {
                *slot = value / BASE.pow(k as u32) % BASE;
            }
            n += GROUP;
        }
        for slot in &mut out[n.min(whole)..whole] {
            *slot = g.below(BASE - 1);
        }
        if n.max(whole) < self.len && head < self.len {
            out[self.len - 1] = g.below(BASE / pow - 1) * pow;
        }
        out
    }
}

fn setseed(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let v = float_arg(a, 0);
    if !(-1.0..=1.0).contains(&v) {
        let why = format!("setseed parameter {v} is out of allowed range [-1,1]");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    }
    drawn(ctx, |g| *g = Generator::of_seed(v));
    Ok(Datum::text(""))
}

const F8: T = T::Float8;

pub(super) static TABLE: &[ScalarFn] = &[
    volatile("random", &[], F8, random),
    volatile("random", &[T::Int4, T::Int4], T::Int4, random_between),
    volatile("random", &[T::Int8, T::Int8], T::Int8, random_between),
    volatile("random", &[T::Numeric, T::Numeric], T::Numeric, random_numeric),
    volatile("random_normal", &[], F8, random_normal),
    volatile("random_normal", &[F8], F8, random_normal),
    volatile("random_normal", &[F8, F8], F8, random_normal),
    volatile("setseed", &[F8], T::Void, setseed),
];
