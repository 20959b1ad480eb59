//! Digests and random bytes: `sha256` and its like, what is built in of pgcrypto, and the functions of uuid-ossp.

use super::{Eval, bytes_arg, f, str_arg, volatile};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;
use crate::uuid;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::sync::atomic::{AtomicU16, Ordering};

/// Most bytes that are made at once, as pgcrypto's.
const RANDOM_MAX: i64 = 1024;
/// 100 nanoseconds from 1582-10-15, when the calendar of uuids begins, to 1970.
const TICKS_TO_1970: u64 = 0x01B2_1DD2_1381_4000;

fn bytes(v: Vec<u8>) -> Eval {
    Ok(Datum::Bytes(v.into()))
}

fn data(a: &[Datum], n: usize) -> &[u8] {
    match &a[n] {
        Datum::Text(_) => str_arg(a, n).as_bytes(),
        _ => bytes_arg(a, n),
    }
}

fn sha<D: Digest>(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    bytes(D::digest(bytes_arg(a, 0)).to_vec())
}

fn digest(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let d = data(a, 0);
    bytes(match str_arg(a, 1).to_ascii_lowercase().as_str() {
        "md5" => Md5::digest(d).to_vec(),
        "sha1" => Sha1::digest(d).to_vec(),
        "sha224" => Sha224::digest(d).to_vec(),
        "sha256" => Sha256::digest(d).to_vec(),
        "sha384" => Sha384::digest(d).to_vec(),
        "sha512" => Sha512::digest(d).to_vec(),
        _ => return Err(no_algorithm(str_arg(a, 1))),
    })
}

fn no_algorithm(name: &str) -> SqlError {
    let why = format!("Cannot use \"{name}\": No such hash algorithm");
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}

fn mac<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Eval {
    // These take keys of any length.
    let Ok(mut m) = <M as KeyInit>::new_from_slice(key) else { return Err(SqlError::internal("a key")) };
    m.update(data);
    bytes(m.finalize().into_bytes().to_vec())
}

fn hmac_fn(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (d, key) = (data(a, 0), data(a, 1));
    match str_arg(a, 2).to_ascii_lowercase().as_str() {
        "md5" => mac::<Hmac<Md5>>(key, d),
        "sha1" => mac::<Hmac<Sha1>>(key, d),
        "sha224" => mac::<Hmac<Sha224>>(key, d),
        "sha256" => mac::<Hmac<Sha256>>(key, d),
        "sha384" => mac::<Hmac<Sha384>>(key, d),
        "sha512" => mac::<Hmac<Sha512>>(key, d),
        _ => Err(no_algorithm(str_arg(a, 2))),
    }
}

fn random(buffer: &mut [u8]) -> Result<(), SqlError> {
    getrandom::fill(buffer).map_err(|e| {
        SqlError::new(SqlState::INTERNAL_ERROR, format!("could not generate random values: {e}"))
    })
}

fn gen_random_bytes(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let n = a[0].as_i64().unwrap_or(0);
    if !(1..=RANDOM_MAX).contains(&n) {
        return Err(SqlError::new(SqlState::EXTERNAL_ROUTINE_INVOCATION_EXCEPTION, "Length not in range"));
    }
    let mut buffer = vec![0; n as usize];
    random(&mut buffer)?;
    bytes(buffer)
}

/// One of version 1: 100 nanoseconds since 1582, a clock sequence, and random bytes where a network card's address could stand.
fn version_1(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    static SEQUENCE: AtomicU16 = AtomicU16::new(0);
    let ticks = evenkeel::base::clock::wall_ns() / 100 + TICKS_TO_1970;
    let mut node = [0; 6];
    random(&mut node)?;
    node[0] |= 1; // it is no card's
    let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
    let mut b = [0; 16];
    b[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    b[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    b[6..8].copy_from_slice(&((ticks >> 48) as u16).to_be_bytes());
    b[8..10].copy_from_slice(&sequence.to_be_bytes());
    b[10..].copy_from_slice(&node);
    Ok(Datum::Uuid(uuid::with_version(b, 1)))
}

fn named<D: Digest>(a: &[Datum], version: u8) -> Eval {
    let Datum::Uuid(space) = &a[0] else { return Err(SqlError::internal("a uuid")) };
    let mut d = D::new();
    d.update(space);
    d.update(str_arg(a, 1).as_bytes());
    let hash = d.finalize();
    let mut b = [0; 16];
    b.copy_from_slice(&hash[..16]);
    Ok(Datum::Uuid(uuid::with_version(b, version)))
}

fn version_3(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    named::<Md5>(a, 3)
}

fn version_5(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    named::<Sha1>(a, 5)
}

/// The name spaces of RFC 9562 differ in one byte.
const fn space(byte: u8) -> [u8; 16] {
    [0x6b, 0xa7, 0xb8, byte, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8]
}

fn nil(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid([0; 16]))
}

fn ns_dns(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid(space(0x10)))
}

fn ns_url(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid(space(0x11)))
}

fn ns_oid(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid(space(0x12)))
}

fn ns_x500(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Uuid(space(0x14)))
}

fn version_4(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut b = [0; 16];
    random(&mut b)?;
    Ok(Datum::Uuid(uuid::with_version(b, 4)))
}

/// The functions of this file.
pub const TABLE: &[ScalarFn] = &[
    f("sha224", &[T::Bytea], T::Bytea, sha::<Sha224>),
    f("sha256", &[T::Bytea], T::Bytea, sha::<Sha256>),
    f("sha384", &[T::Bytea], T::Bytea, sha::<Sha384>),
    f("sha512", &[T::Bytea], T::Bytea, sha::<Sha512>),
    f("digest", &[T::Text, T::Text], T::Bytea, digest),
    f("digest", &[T::Bytea, T::Text], T::Bytea, digest),
    f("hmac", &[T::Text, T::Text, T::Text], T::Bytea, hmac_fn),
    f("hmac", &[T::Bytea, T::Bytea, T::Text], T::Bytea, hmac_fn),
    volatile("gen_random_bytes", &[T::Int4], T::Bytea, gen_random_bytes),
    volatile("uuid_generate_v1", &[], T::Uuid, version_1),
    volatile("uuid_generate_v1mc", &[], T::Uuid, version_1),
    f("uuid_generate_v3", &[T::Uuid, T::Text], T::Uuid, version_3),
    volatile("uuid_generate_v4", &[], T::Uuid, version_4),
    f("uuid_generate_v5", &[T::Uuid, T::Text], T::Uuid, version_5),
    f("uuid_nil", &[], T::Uuid, nil),
    f("uuid_ns_dns", &[], T::Uuid, ns_dns),
    f("uuid_ns_url", &[], T::Uuid, ns_url),
    f("uuid_ns_oid", &[], T::Uuid, ns_oid),
    f("uuid_ns_x500", &[], T::Uuid, ns_x500),
];
