//! Functions and operators on addresses of networks.

use super::{Eval, f, int_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarCall, ScalarFn};
use crate::inet::Inet;
use crate::ops::op;
use crate::ty::Type as T;

fn arg(a: &[Datum], i: usize) -> Result<&Inet, SqlError> {
    match a.get(i) {
        Some(Datum::Inet(v)) => Ok(v),
        _ => Err(SqlError::internal("an address was expected")),
    }
}

fn mistake(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> Eval {
    let mut out = Vec::new();
    write(&mut out);
    Ok(Datum::text(String::from_utf8_lossy(&out)))
}

fn host(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = *arg(a, 0)?;
    text(|out| v.write_host(out))
}

fn shown(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = *arg(a, 0)?;
    text(|out| v.write(true, out))
}

fn abbrev(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = *arg(a, 0)?;
    text(|out| v.write(false, out))
}

/// Of a `cidr`: without the numbers that are behind the network.
fn abbrev_cidr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let v = *arg(a, 0)?;
    if v.is_v6() {
        return text(|out| v.write(true, out));
    }
    let kept = usize::from(v.bits).div_ceil(8).max(1);
    let numbers: Vec<String> = v.address()[..kept].iter().map(u8::to_string).collect();
    Ok(Datum::text(format!("{}/{}", numbers.join("."), v.bits)))
}

fn family(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(if arg(a, 0)?.is_v6() { 6 } else { 4 }))
}

fn masklen(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(arg(a, 0)?.bits.into()))
}

fn network(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Inet(arg(a, 0)?.network()))
}

fn broadcast(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Inet(arg(a, 0)?.mapped(|byte, mask| byte | !mask)))
}

fn whole(v: Inet) -> Eval {
    Ok(Datum::Inet(v.with_bits(v.width())))
}

fn netmask(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    whole(arg(a, 0)?.mapped(|_, mask| mask))
}

fn hostmask(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    whole(arg(a, 0)?.mapped(|_, mask| !mask))
}

fn with_bits(a: &[Datum]) -> Result<Inet, SqlError> {
    let (v, bits) = (arg(a, 0)?, int_arg(a, 1));
    let bits = if bits == -1 { i64::from(v.width()) } else { bits };
    match u8::try_from(bits).ok().filter(|b| *b <= v.width()) {
        Some(bits) => Ok(v.with_bits(bits)),
        None => Err(mistake(format!("invalid mask length: {bits}"))),
    }
}

fn set_masklen(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Inet(with_bits(a)?))
}

fn set_masklen_cidr(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Inet(with_bits(a)?.network()))
}

fn same_family(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(arg(a, 0)?.is_v6() == arg(a, 1)?.is_v6()))
}

fn merge(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (arg(a, 0)?, arg(a, 1)?);
    if x.is_v6() != y.is_v6() {
        return Err(mistake("cannot merge addresses from different families"));
    }
    let most = x.bits.min(y.bits);
    let bits = (0..=most).rev().find(|bits| x.agrees(y, *bits)).unwrap_or(0);
    Ok(Datum::Inet(x.with_bits(bits).network()))
}

/// Whether the second's network is the first's or within it; `strictly`: is smaller.
fn within(inner: &Inet, outer: &Inet, strictly: bool) -> bool {
    let fits = if strictly { inner.bits > outer.bits } else { inner.bits >= outer.bits };
    fits && inner.agrees(outer, outer.bits)
}

fn sub(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(within(arg(a, 0)?, arg(a, 1)?, true)))
}

fn sub_eq(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(within(arg(a, 0)?, arg(a, 1)?, false)))
}

fn sup(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(within(arg(a, 1)?, arg(a, 0)?, true)))
}

fn sup_eq(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(within(arg(a, 1)?, arg(a, 0)?, false)))
}

fn overlaps(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (arg(a, 0)?, arg(a, 1)?);
    Ok(Datum::Bool(x.agrees(y, x.bits.min(y.bits))))
}

fn not(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Inet(arg(a, 0)?.mapped(|byte, _| !byte)))
}

fn combined(a: &[Datum], what: &str, f: fn(u8, u8) -> u8) -> Eval {
    let (x, y) = (arg(a, 0)?, arg(a, 1)?);
    if x.is_v6() != y.is_v6() {
        return Err(mistake(format!("cannot {what} inet values of different sizes")));
    }
    let bytes: Vec<u8> = x.address().iter().zip(y.address()).map(|(x, y)| f(*x, *y)).collect();
    Ok(Inet::new(&bytes, x.bits.max(y.bits)).map_or(Datum::Null, Datum::Inet))
}

fn and(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    combined(a, "AND", |x, y| x & y)
}

fn or(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    combined(a, "OR", |x, y| x | y)
}

fn number(v: &Inet) -> u128 {
    v.address().iter().fold(0, |n, b| n << 8 | u128::from(*b))
}

fn out_of_range() -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "result is out of range")
}

fn moved(v: &Inet, by: i128) -> Eval {
    let n = if by < 0 { number(v).checked_sub(by.unsigned_abs()) } else { number(v).checked_add(by as u128) };
    let n = n.filter(|n| v.is_v6() || *n <= u128::from(u32::MAX)).ok_or_else(out_of_range)?;
    let bytes = n.to_be_bytes();
    Ok(Inet::new(&bytes[16 - v.address().len()..], v.bits).map_or(Datum::Null, Datum::Inet))
}

fn plus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(arg(a, 0)?, int_arg(a, 1).into())
}

fn plus_reversed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(arg(a, 1)?, int_arg(a, 0).into())
}

fn minus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(arg(a, 0)?, -i128::from(int_arg(a, 1)))
}

fn between(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (arg(a, 0)?, arg(a, 1)?);
    if x.is_v6() != y.is_v6() {
        return Err(mistake("cannot subtract inet values of different sizes"));
    }
    let (x, y) = (number(x), number(y));
    let size = i128::try_from(x.abs_diff(y)).map_err(|_| out_of_range())?;
    let signed = if x < y { -size } else { size };
    i64::try_from(signed).map(Datum::Int8).map_err(|_| out_of_range())
}

fn mac(a: &[Datum], i: usize) -> [u8; 6] {
    match a.get(i) {
        Some(Datum::Macaddr(v)) => *v,
        _ => [0; 6],
    }
}

fn mac_trunc(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let [x, y, z, ..] = mac(a, 0);
    Ok(Datum::Macaddr([x, y, z, 0, 0, 0]))
}

fn mac_not(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Macaddr(mac(a, 0).map(|b| !b)))
}

fn mac_and(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (mac(a, 0), mac(a, 1));
    Ok(Datum::Macaddr(std::array::from_fn(|i| x[i] & y[i])))
}

fn mac_or(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (mac(a, 0), mac(a, 1));
    Ok(Datum::Macaddr(std::array::from_fn(|i| x[i] | y[i])))
}

const I: &[T] = &[T::Inet];
const C: &[T] = &[T::Cidr];
const II: &[T] = &[T::Inet, T::Inet];
const M: &[T] = &[T::Macaddr];
const MM: &[T] = &[T::Macaddr, T::Macaddr];

pub(super) const TABLE: &[ScalarFn] = &[
    f("host", I, T::Text, host),
    f("text", I, T::Text, shown),
    f("abbrev", I, T::Text, abbrev),
    f("abbrev", C, T::Text, abbrev_cidr),
    f("family", I, T::Int4, family),
    f("masklen", I, T::Int4, masklen),
    f("network", I, T::Cidr, network),
    f("broadcast", I, T::Inet, broadcast),
    f("netmask", I, T::Inet, netmask),
    f("hostmask", I, T::Inet, hostmask),
    f("set_masklen", &[T::Inet, T::Int4], T::Inet, set_masklen),
    f("set_masklen", &[T::Cidr, T::Int4], T::Cidr, set_masklen_cidr),
    f("inet_same_family", II, T::Bool, same_family),
    f("inet_merge", II, T::Cidr, merge),
    f("trunc", M, T::Macaddr, mac_trunc),
];

const fn test(name: &'static str, call: ScalarCall) -> ScalarFn {
    op(name, II, T::Bool, call)
}

/// The operators.
pub static OPERATORS: &[ScalarFn] = &[
    test("<<", sub),
    test("<<=", sub_eq),
    test(">>", sup),
    test(">>=", sup_eq),
    test("&&", overlaps),
    op("~", I, T::Inet, not),
    op("&", II, T::Inet, and),
    op("|", II, T::Inet, or),
    op("+", &[T::Inet, T::Int8], T::Inet, plus),
    op("+", &[T::Int8, T::Inet], T::Inet, plus_reversed),
    op("-", &[T::Inet, T::Int8], T::Inet, minus),
    op("-", II, T::Int8, between),
    op("~", M, T::Macaddr, mac_not),
    op("&", MM, T::Macaddr, mac_and),
    op("|", MM, T::Macaddr, mac_or),
];
