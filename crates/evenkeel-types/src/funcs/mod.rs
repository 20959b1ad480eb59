//! Scalar functions, as tables. Each file holds one family; helpers to take arguments apart are here.

mod advisory;
mod array_order;
pub mod arrays;
mod assign;
pub(crate) mod bits;
mod bytes;
mod catalog;
pub(crate) mod citext;
mod convert;
mod crypto;
mod database_figures;
mod datetime;
mod degrees;
mod enums;
pub(crate) mod escapes;
pub(crate) mod files;
mod hashing;
pub(crate) mod hstore;
pub mod inet;
mod information;
mod json_build;
mod json_construct;
mod json_populate;
pub mod json_text;
pub mod jsonb;
pub mod jsonpath;
mod large_objects;
pub(crate) mod macaddr8;
pub mod math;
pub(crate) mod money;
mod normalize;
mod numeric_format;
mod of_array;
mod parse_ident;
mod prewarm;
mod privileges;
pub mod random;
pub(crate) mod regex;
mod restyle;
mod send;
mod session;
mod setting_flags;
pub use assign::PART_ASSIGN;
pub use hstore::{HSTORE_INTO_FIELDS, HSTORE_OF_ROW};
pub use json_build::{COMPOSITE_ROW, NAMED_RECORD};
pub use json_construct::{
    FORMAT_JSON, IS_JSON, JSON_PARSE, JSON_SCALAR, JSON_SERIALIZE, JSON_UNIQUE, JsonConstructor,
};
pub use json_populate::{json_records, populate, populate_set, record_as};
pub use of_array::{of_array, takes_array};
pub(crate) use session::place_in_log;
pub use session::{NEWEST_TRANSACTION, NEXT_OF_IDENTITY, SEQUENCE_ROW, SERIES};
pub use xact::{WRITER, WRITER_OF_ROW};
mod statistics;
mod storage;
mod strings;
mod substring;
mod time;
mod to_number;
pub(crate) mod trigram;
mod unaccent;
mod uuid;
mod xact;

use super::datum::Datum;
use super::function::{ScalarCall, ScalarFn, Volatility};
use super::numeric::Numeric;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::guard::build::kept;

/// What a function body returns.
pub(super) type Eval = Result<Datum, SqlError>;

/// A strict, immutable function.
pub(super) const fn f(name: &'static str, args: &'static [Type], ret: Type, call: ScalarCall) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: true, volatile: Volatility::Immutable, call }
}

/// A strict function that is constant within a statement.
pub(super) const fn stable(
    name: &'static str,
    args: &'static [Type],
    ret: Type,
    call: ScalarCall,
) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: true, volatile: Volatility::Stable, call }
}

/// A strict function that may differ at each call.
pub(super) const fn volatile(
    name: &'static str,
    args: &'static [Type],
    ret: Type,
    call: ScalarCall,
) -> ScalarFn {
    ScalarFn { name, args, variadic: false, ret, strict: true, volatile: Volatility::Volatile, call }
}

/// The same of another volatility.
pub(super) const fn with_volatility(mut entry: ScalarFn, volatile: Volatility) -> ScalarFn {
    entry.volatile = volatile;
    entry
}

/// The same, but called for NULL arguments too.
pub(super) const fn lenient(mut entry: ScalarFn) -> ScalarFn {
    entry.strict = false;
    entry
}

/// The same with its last argument repeating.
pub(super) const fn variadic(mut entry: ScalarFn) -> ScalarFn {
    entry.variadic = true;
    entry
}

pub(super) fn tables() -> Vec<&'static [ScalarFn]> {
    vec![
        math::TABLE,
        degrees::TABLE,
        bytes::TABLE,
        hashing::TABLE,
        prewarm::TABLE,
        large_objects::TABLE,
        files::TABLE,
        statistics::TABLE,
        storage::TABLE,
        database_figures::TABLE,
        database_figures::SESSIONS,
        random::TABLE,
        send::TABLE,
        strings::TABLE,
        substring::TABLE,
        super::ops::CALLED,
        normalize::TABLE,
        parse_ident::TABLE,
        convert::TABLE,
        crypto::TABLE,
        numeric_format::TABLE,
        regex::TABLE,
        datetime::TABLE,
        arrays::TABLE,
        session::TABLE,
        setting_flags::TABLE,
        advisory::TABLE,
        catalog::TABLE,
        information::TABLE,
        privileges::TABLE,
        uuid::TABLE,
        xact::TABLE,
        array_order::TABLE,
        enums::TABLE,
        escapes::TABLE,
        inet::TABLE,
        bits::TABLE,
        macaddr8::TABLE,
        money::TABLE,
        time::TABLE,
        jsonb::TABLE,
        jsonpath::TABLE,
        json_text::TABLE,
        json_build::TABLE,
        citext::TABLE,
        hstore::TABLE,
        trigram::TABLE,
        unaccent::TABLE,
    ]
}

/// The extension that has a function or an operator which others do not see, unless their types are the extension's.
pub fn extension_of(f: &ScalarFn) -> Option<&'static str> {
    match f {
        f if hstore::has(f) => Some("hstore"),
        f if trigram::has(f) => Some("pg_trgm"),
        f if unaccent::has(f) => Some("unaccent"),
        _ => None,
    }
}

/// A part of an argument, to keep.
pub(super) fn part(text: &str) -> Eval {
    Ok(Datum::Text(kept(text)?))
}

/// The string argument `i`; the binder has seen to its type.
#[inline]
pub(super) fn str_arg(a: &[Datum], i: usize) -> &str {
    a.get(i).and_then(Datum::as_str).unwrap_or("")
}

/// The longest text that is taken for names, bytes.
const NAMES_BYTES_MAX: usize = 64 << 10;

/// The string argument `i`, which is names and no more.
pub(super) fn names_arg(a: &[Datum], i: usize) -> Result<&str, SqlError> {
    let names = str_arg(a, i);
    if names.len() > NAMES_BYTES_MAX {
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "name is too long")
            .with_detail(format!("It has {} bytes; {NAMES_BYTES_MAX} are allowed.", names.len())));
    }
    Ok(names)
}

/// The integer argument `i`, of any width.
#[inline]
pub(super) fn int_arg(a: &[Datum], i: usize) -> i64 {
    a.get(i).and_then(Datum::as_i64).unwrap_or(0)
}

/// The OID argument `i`.
#[inline]
pub(super) fn oid_arg(a: &[Datum], i: usize) -> u32 {
    a.get(i).and_then(Datum::as_oid).unwrap_or(0)
}

/// The boolean argument `i`.
#[inline]
pub(super) fn bool_arg(a: &[Datum], i: usize) -> bool {
    a.get(i).and_then(Datum::as_bool).unwrap_or(false)
}

/// The float argument `i`.
#[inline]
pub(super) fn float_arg(a: &[Datum], i: usize) -> f64 {
    match a.get(i) {
        Some(Datum::Float8(v)) => *v,
        Some(Datum::Float4(v)) => f64::from(*v),
        _ => f64::NAN,
    }
}

/// The numeric argument `i`.
#[inline]
pub(super) fn numeric_arg(a: &[Datum], i: usize) -> Result<&Numeric, SqlError> {
    match a.get(i) {
        Some(Datum::Numeric(n)) => Ok(n),
        _ => Err(SqlError::internal("a numeric argument was expected")),
    }
}

/// The bytes of the `bytea` argument `i`.
#[inline]
pub(super) fn bytes_arg(a: &[Datum], i: usize) -> &[u8] {
    a.get(i).and_then(Datum::as_bytes).unwrap_or(&[])
}
