//! Where names lead to functions, operators and aggregates.
//!
//! The tables of the modules under `funcs`, `ops` and `aggs` are joined by name once, on first use.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::function::{AggFn, ScalarFn};
use super::sets::{self, SetFn};
use super::ty::Type;
use super::{aggs, funcs, ops};

type ByName<T> = HashMap<&'static str, Vec<T>>;

fn index<T: Copy>(tables: &[&[T]], name: impl Fn(&T) -> &'static str) -> ByName<T> {
    let mut by_name: ByName<T> = HashMap::new();
    for entry in tables.iter().copied().flatten() {
        by_name.entry(name(entry)).or_default().push(*entry);
    }
    by_name
}

fn functions() -> &'static ByName<ScalarFn> {
    static INDEX: OnceLock<ByName<ScalarFn>> = OnceLock::new();
    INDEX.get_or_init(|| index(&funcs::tables(), |f| f.name))
}

fn operators() -> &'static ByName<ScalarFn> {
    static INDEX: OnceLock<ByName<ScalarFn>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let tables = ops::tables();
        index(&tables.iter().map(Vec::as_slice).collect::<Vec<_>>(), |f| f.name)
    })
}

fn aggregates() -> &'static ByName<AggFn> {
    static INDEX: OnceLock<ByName<AggFn>> = OnceLock::new();
    INDEX.get_or_init(|| index(&[&aggs::table()], |f| f.name))
}

/// All functions of a name (lower case, without schema); empty if there are none.
pub fn lookup_functions(name: &str) -> &'static [ScalarFn] {
    functions().get(name).map_or(&[], Vec::as_slice)
}

/// The extension that a function is of in PostgreSQL: there its name is in that extension's schema.
pub fn extension_of(function: &str) -> Option<&'static str> {
    match function {
        "digest" | "hmac" | "gen_random_bytes" => Some("pgcrypto"),
        "pg_stat_statements_reset" => Some("pg_stat_statements"),
        "pg_prewarm" => Some("pg_prewarm"),
        "uuid_nil" => Some("uuid-ossp"),
        "unaccent" => Some("unaccent"),
        "similarity"
        | "word_similarity"
        | "strict_word_similarity"
        | "show_trgm"
        | "show_limit"
        | "set_limit" => Some("pg_trgm"),
        f if funcs::hstore::has_name(f) => Some("hstore"),
        f if sets().get(f).is_some_and(|s| s[0].args.contains(&Type::Hstore)) => Some("hstore"),
        f if f.starts_with("uuid_generate_") || f.starts_with("uuid_ns_") => Some("uuid-ossp"),
        _ => None,
    }
}

/// The extension that has a function which is not had here.
pub fn extension_lacking(function: &str) -> Option<&'static str> {
    const OF_PGCRYPTO: [&str; 19] = [
        "armor",
        "crypt",
        "dearmor",
        "decrypt",
        "decrypt_iv",
        "encrypt",
        "encrypt_iv",
        "fips_mode",
        "gen_salt",
        "pgp_armor_headers",
        "pgp_key_id",
        "pgp_pub_decrypt",
        "pgp_pub_decrypt_bytea",
        "pgp_pub_encrypt",
        "pgp_pub_encrypt_bytea",
        "pgp_sym_decrypt",
        "pgp_sym_decrypt_bytea",
        "pgp_sym_encrypt",
        "pgp_sym_encrypt_bytea",
    ];
    OF_PGCRYPTO.contains(&function).then_some("pgcrypto")
}

/// Those without the ones of `hstore`: an untyped literal may be one of its values, so they count only where the extension is. They stand behind all others.
pub fn lookup_own_operators(op: &str) -> &'static [ScalarFn] {
    let all = lookup_operators(op);
    let own = all.iter().position(|f| f.args.contains(&Type::Hstore));
    &all[..own.unwrap_or(all.len())]
}

/// All operators of a name, prefix ones (one argument) and binary ones.
pub fn lookup_operators(op: &str) -> &'static [ScalarFn] {
    operators().get(op).map_or(&[], Vec::as_slice)
}

/// All aggregates of a name.
pub fn lookup_aggregates(name: &str) -> &'static [AggFn] {
    aggregates().get(name).map_or(&[], Vec::as_slice)
}

fn sets() -> &'static ByName<SetFn> {
    static INDEX: OnceLock<ByName<SetFn>> = OnceLock::new();
    INDEX.get_or_init(|| index(&sets::tables(), |f| f.name))
}

/// All functions of a name that return rows.
pub fn lookup_sets(name: &str) -> &'static [SetFn] {
    sets().get(name).map_or(&[], Vec::as_slice)
}

/// Every function that returns rows, in order of name.
pub fn all_sets() -> Vec<&'static SetFn> {
    let mut all: Vec<&SetFn> = sets().values().flatten().collect();
    all.sort_by_key(|f| (f.name, f.args));
    all
}

/// Every function, in order of name: what `pg_proc` lists.
pub fn all_functions() -> Vec<&'static ScalarFn> {
    let mut all: Vec<&ScalarFn> = functions().values().flatten().collect();
    all.sort_by_key(|f| (f.name, f.args));
    all
}

/// Every operator, in order of name: what `pg_operator` lists.
pub fn all_operators() -> Vec<&'static ScalarFn> {
    let mut all: Vec<&ScalarFn> = operators().values().flatten().collect();
    all.sort_by_key(|f| (f.name, f.args));
    all
}

/// Every aggregate, in order of name.
pub fn all_aggregates() -> Vec<&'static AggFn> {
    let mut all: Vec<&AggFn> = aggregates().values().flatten().collect();
    all.sort_by_key(|f| (f.name, f.args));
    all
}
