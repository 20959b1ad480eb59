//! What extensions have: casts, functions, operators, types, classes.
//!
//! Must not know: what they do.

use super::class_oid::TYPE;
use super::opclass::{OF_HSTORE, OF_TRIGRAMS};
use super::types::{AGGREGATES, FIRST_AGGREGATE_OID, FIRST_OPERATOR_OID, FUNCTIONS, function_at, oid_at};
use evenkeel_types::{ScalarFn, Type, all_operators, funcs};

const PROC: u32 = 1255;
const CAST: u32 = 2605;
const OPERATOR: u32 = 2617;

/// The extension that a function is of.
pub fn extension_of_function(oid: u32) -> Option<&'static str> {
    let f = function_at(oid)?;
    let of_type = || f.args.iter().chain([&f.ret]).find_map(|t| t.extension());
    funcs::extension_of(f).or_else(|| evenkeel_types::extension_of(f.name)).or_else(of_type)
}

/// The members of an extension: the catalog's OID, and theirs.
pub fn members(extension: &str) -> Vec<(u32, u32)> {
    let is_type = |t: &Type| t.extension() == Some(extension);
    let is_its = |f: &ScalarFn| {
        funcs::extension_of(f) == Some(extension) || f.args.iter().chain([&f.ret]).any(is_type)
    };
    let mut found: Vec<(u32, u32)> = match extension {
        "hstore" => OF_HSTORE.to_vec(),
        "pg_trgm" => OF_TRIGRAMS.to_vec(),
        name => Type::of_extension(name).map(|ty| (TYPE, ty.oid())).into_iter().collect(),
    };
    found.extend(Type::of_extension(extension).and_then(Type::array_of).map(|ty| (TYPE, ty.oid())));
    for (n, f) in FUNCTIONS.iter().enumerate() {
        if is_its(f) || evenkeel_types::extension_of(f.name) == Some(extension) {
            found.push((PROC, oid_at(n)));
        }
    }
    for (n, a) in AGGREGATES.iter().enumerate() {
        if a.args.iter().chain([&a.ret]).any(is_type) {
            found.push((PROC, FIRST_AGGREGATE_OID + n as u32));
        }
    }
    for (n, f) in all_operators().into_iter().enumerate() {
        if is_its(f) {
            found.push((OPERATOR, FIRST_OPERATOR_OID + n as u32));
        }
    }
    let is_oid = |oid: &u32| Type::from_oid(*oid).is_some_and(|t| is_type(&t));
    found.extend(super::casts::of_extensions().filter(|c| c.1.iter().any(is_oid)).map(|c| (CAST, c.0)));
    found
}
