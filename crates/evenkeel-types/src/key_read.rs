//! Values out of keys, for indexes that have all that a statement asks for.
//!
//! A key is made for its order: of some types it has less than the value did. A numeric loses its scale, `-0` its sign, `char(n)` and intervals what makes equal ones differ; such values are read from the row.
//!
//! Invariants:
//! 1. What [`decode_key`] gives of a type that [`key_has`] is the value that the key was made of.
//! 2. No bytes make it panic.
//!
//! Must not know: which index a key is of.

use super::datum::Datum;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::tid;

/// Whether a column's value can be read from its key.
pub fn key_has(ty: Type) -> bool {
    use Type as T;
    match ty {
        T::Bool | T::Int2 | T::Int4 | T::Int8 | T::Date | T::Timestamp | T::Timestamptz => true,
        T::Text
        | T::Varchar
        | T::Name
        | T::Bytea
        | T::PgLsn
        | T::Xid8
        | T::Money
        | T::Tid
        | T::Uuid
        | T::Macaddr
        | T::Macaddr8
        | T::Time => true,
        T::Enum(_) => true,
        ty => ty.is_oid_like(),
    }
}

/// Whether a column's key can be passed over, to get at what follows it.
pub fn key_passes(ty: Type) -> bool {
    key_has(ty)
        || matches!(
            ty,
            Type::Float4 | Type::Float8 | Type::Bpchar | Type::Citext | Type::Interval | Type::Timetz
        )
}

#[cold]
fn corrupt() -> SqlError {
    SqlError::new(SqlState::INDEX_CORRUPTED, "an index entry's key is not one of its columns")
}

fn fixed<const N: usize>(key: &mut &[u8], desc: bool) -> Result<[u8; N], SqlError> {
    let Some((head, rest)) = key.split_first_chunk::<N>() else { return Err(corrupt()) };
    *key = rest;
    Ok(if desc { head.map(|b| !b) } else { *head })
}

/// The marker; true if a value follows.
fn is_value(key: &mut &[u8]) -> Result<bool, SqlError> {
    match fixed::<1>(key, false)?[0] {
        0 | 2 => Ok(false),
        1 => Ok(true),
        _ => Err(corrupt()),
    }
}

/// Bytes up to the end mark, as they are in the key, and whether some are escaped.
fn bytes<'k>(key: &mut &'k [u8], desc: bool) -> Result<(&'k [u8], bool), SqlError> {
    let (zero, escaped) = if desc { (0xFF, 0) } else { (0, 0xFF) };
    let (mut at, mut has_escapes) = (0, false);
    loop {
        at += memchr::memchr(zero, &key[at..]).ok_or_else(corrupt)?;
        match key.get(at + 1) {
            Some(b) if *b == zero => break,
            Some(b) if *b == escaped => has_escapes = true,
            _ => return Err(corrupt()),
        }
        at += 2;
    }
    let (head, rest) = key.split_at(at);
    *key = &rest[2..];
    Ok((head, has_escapes))
}

fn plain(stored: &[u8], desc: bool, has_escapes: bool) -> Vec<u8> {
    let mut out: Vec<u8> = stored.iter().map(|b| if desc { !b } else { *b }).collect();
    if has_escapes {
        let mut after_zero = false;
        out.retain(|b| {
            let keeps = !after_zero;
            after_zero = keeps && *b == 0;
            keeps
        });
    }
    out
}

/// Takes one column's value from the front of a key.
///
/// # Errors
/// XX002 if the bytes are no key of that type. Types that [`key_has`] not are an internal error.
#[inline]
pub fn decode_key(ty: Type, desc: bool, key: &mut &[u8]) -> Result<Datum, SqlError> {
    use Type as T;
    if !is_value(key)? {
        return Ok(Datum::Null);
    }
    Ok(match ty {
        T::Int4 => Datum::Int4((u32::from_be_bytes(fixed(key, desc)?) ^ 1 << 31) as i32),
        T::Int8 => Datum::Int8((u64::from_be_bytes(fixed(key, desc)?) ^ 1 << 63) as i64),
        T::Bool => match fixed::<1>(key, desc)?[0] {
            0 => Datum::Bool(false),
            1 => Datum::Bool(true),
            _ => return Err(corrupt()),
        },
        T::Int2 => Datum::Int2((u16::from_be_bytes(fixed(key, desc)?) ^ 1 << 15) as i16),
        T::Date => Datum::Date((u32::from_be_bytes(fixed(key, desc)?) ^ 1 << 31) as i32),
        T::Timestamp => Datum::Timestamp((u64::from_be_bytes(fixed(key, desc)?) ^ 1 << 63) as i64),
        T::Money => Datum::Money((u64::from_be_bytes(fixed(key, desc)?) ^ 1 << 63) as i64),
        T::Timestamptz => Datum::Timestamptz((u64::from_be_bytes(fixed(key, desc)?) ^ 1 << 63) as i64),
        T::PgLsn => Datum::Lsn(u64::from_be_bytes(fixed(key, desc)?)),
        T::Enum(oid) => Datum::Enum(oid, u64::from_be_bytes(fixed(key, desc)?)),
        T::Tid => Datum::Tid(tid::of_bytes(fixed(key, desc)?)),
        T::Xid8 => Datum::Xid8(u64::from_be_bytes(fixed(key, desc)?)),
        T::Uuid => Datum::Uuid(fixed(key, desc)?),
        T::Macaddr => Datum::Macaddr(fixed(key, desc)?),
        T::Macaddr8 => Datum::Macaddr8(fixed(key, desc)?),
        T::Time => Datum::Time((u64::from_be_bytes(fixed(key, desc)?) ^ 1 << 63) as i64),
        T::Text | T::Varchar | T::Name => {
            let (stored, has_escapes) = bytes(key, desc)?;
            if !desc && !has_escapes {
                Datum::text(std::str::from_utf8(stored).map_err(|_| corrupt())?)
            } else {
                Datum::text(String::from_utf8(plain(stored, desc, has_escapes)).map_err(|_| corrupt())?)
            }
        }
        T::Bytea => {
            let (stored, has_escapes) = bytes(key, desc)?;
            Datum::Bytes(plain(stored, desc, has_escapes).into())
        }
        ty if ty.is_oid_like() => Datum::Oid(u32::from_be_bytes(fixed(key, desc)?)),
        _ => return Err(SqlError::internal("a value that its key does not have")),
    })
}

/// Passes over one column at the front of a key; errors as [`decode_key`].
#[inline]
pub fn pass_key(ty: Type, desc: bool, key: &mut &[u8]) -> Result<(), SqlError> {
    use Type as T;
    if !is_value(key)? {
        return Ok(());
    }
    let len = match ty {
        T::Text | T::Varchar | T::Name | T::Bytea | T::Bpchar | T::Citext => {
            return bytes(key, desc).map(drop);
        }
        T::Bool => 1,
        T::Int2 => 2,
        T::Int4 | T::Float4 | T::Date => 4,
        T::Int8
        | T::Float8
        | T::Timestamp
        | T::Timestamptz
        | T::PgLsn
        | T::Xid8
        | T::Money
        | T::Time
        | T::Macaddr8
        | T::Enum(_) => 8,
        T::Macaddr | T::Tid => 6,
        T::Timetz => 12,
        T::Interval | T::Uuid => 16,
        ty if ty.is_oid_like() => 4,
        _ => return Err(SqlError::internal("a key that cannot be passed over")),
    };
    *key = key.get(len..).ok_or_else(corrupt)?;
    Ok(())
}
