//! Keys of inverted indexes (GIN): what a value is found by, and what an operator asks for.
//!
//! A key is a tag and, behind it, what the tag says; each says itself where it ends. Texts that are long, and paths, are hashed: what is found is
//! looked at again.
//!
//! Invariants:
//! 1. Keys lie on disk: tags and the hash never change.
//! 2. Of every value for which an operator is true, the keys meet what it asks for. There may be others for which they do, and the operator is not true.
//! 3. A value that has nothing to be found by has one key, which says so. NULL has none: no operator is true of it.
//!
//! Must not know: how entries are stored.

use crate::hstore::Hstore;
use crate::json::{Jsonb, Kind, deeper};
use crate::jsonpath::{Needs, Scalar};
use crate::trigram::{Trigram, of_pattern, trigrams};
use crate::{ArrayDatum, Datum, Type, encode_key};

/// Tags of keys.
mod tag {
    pub const NOTHING: u8 = 0;
    pub const ELEMENT: u8 = 1;
    pub const NAME: u8 = 2;
    pub const LONG_NAME: u8 = 3;
    pub const STRING: u8 = 4;
    pub const LONG_STRING: u8 = 5;
    pub const NUMBER: u8 = 6;
    pub const BOOL: u8 = 7;
    pub const NULL: u8 = 8;
    pub const PATH: u8 = 9;
    pub const TRIGRAM: u8 = 10;
    pub const PAIR: u8 = 11;
    pub const PAIR_OF_NULL: u8 = 12;
}

/// Longer texts of a `jsonb` are hashed.
const TEXT_BYTES_MAX: usize = 125;

/// How values are taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inverted {
    /// `array_ops`: elements of a type.
    Array(Type),
    /// `jsonb_ops`: names, strings and other values, wherever they are.
    Jsonb,
    /// `jsonb_path_ops`: values with the names that lead to them.
    JsonbPath,
    /// `gin_hstore_ops`: keys, and keys with their values.
    Hstore,
    /// `gin_trgm_ops` and `gist_trgm_ops`: trigrams of texts.
    Trigram,
    /// Of the extension `btree_gin`: values of a type as they are.
    Whole(Type),
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Values that have all of these keys.
    All(Vec<Vec<u8>>),
    /// Values that have any of them.
    Any(Vec<Vec<u8>>),
    /// All values.
    Everything,
    /// None.
    Nothing,
    /// Values that meet all of these.
    Both(Vec<Asked>),
    /// Values that meet any of them.
    Either(Vec<Asked>),
}

impl Inverted {
    /// Of a type, by its own class; None: it has none.
    pub fn of(ty: Type) -> Option<Inverted> {
        match ty {
            Type::Jsonb => Some(Inverted::Jsonb),
            Type::Hstore => Some(Inverted::Hstore),
            t if t.is_array() && t.is_ordered() => t.element().map(Inverted::Array),
            _ => None,
        }
    }

    /// Of a type that has no class of its own but by `btree_gin`; None: it has none.
    pub fn whole(ty: Type) -> Option<Inverted> {
        let has = ty.is_ordered()
            && !ty.is_array()
            && !ty.is_pseudo()
            && !matches!(
                ty,
                Type::Jsonb | Type::Citext | Type::Hstore | Type::PgLsn | Type::Xid | Type::Xid8 | Type::Tid
            )
            && !ty.is_reg();
        has.then_some(Inverted::Whole(ty))
    }

    /// Whether keys tell which values an operator is true of, the indexed one at its left.
    pub fn serves(self, operator: &str) -> bool {
        match self {
            Inverted::Array(_) => matches!(operator, "@>" | "<@" | "&&" | "="),
            Inverted::Jsonb => matches!(operator, "@>" | "?" | "?|" | "?&" | "@?" | "@@"),
            Inverted::Hstore => matches!(operator, "@>" | "?" | "?|" | "?&"),
            Inverted::JsonbPath => matches!(operator, "@>" | "@?" | "@@"),
            Inverted::Trigram => matches!(operator, "~~" | "~~*" | "="),
            Inverted::Whole(_) => operator == "=",
        }
    }

    /// The keys of a value, in order, each once. (3)
    pub fn keys(self, value: &Datum) -> Vec<Vec<u8>> {
        let mut keys = match (self, value) {
            (_, Datum::Null) => return Vec::new(),
            (Inverted::Array(ty), Datum::Array(a)) => elements(a, ty, true),
            (Inverted::Jsonb, Datum::Jsonb(b)) => parts(Jsonb(b)),
            (Inverted::JsonbPath, Datum::Jsonb(b)) => paths(Jsonb(b)),
            (Inverted::Hstore, Datum::Hstore(b)) => {
                Hstore(b).iter().flat_map(|(key, value)| [hstore_key(key), pair(key, value)]).collect()
            }
            (Inverted::Trigram, value) => trigram_keys(&of_text(value)),
            (Inverted::Whole(ty), value) => vec![whole(value, ty)],
            _ => Vec::new(),
        };
        if keys.is_empty() {
            keys.push(vec![tag::NOTHING]);
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// What an operator asks for with a value at its right. (2)
    pub fn asked(self, operator: &str, value: &Datum) -> Asked {
        let all = |keys: Vec<Vec<u8>>| if keys.is_empty() { Asked::Everything } else { Asked::All(keys) };
        let any = |keys: Vec<Vec<u8>>| if keys.is_empty() { Asked::Nothing } else { Asked::Any(keys) };
        match (self, operator, value) {
            (_, _, Datum::Null) => Asked::Nothing,
            (Inverted::Array(ty), "@>", Datum::Array(a)) => match a.values.iter().any(Datum::is_null) {
                true => Asked::Nothing,
                false => all(elements(a, ty, false)),
            },
            (Inverted::Array(ty), "<@", Datum::Array(a)) => {
                let mut keys = elements(a, ty, false);
                keys.push(vec![tag::NOTHING]);
                Asked::Any(keys)
            }
            (Inverted::Array(ty), "&&", Datum::Array(a)) => any(elements(a, ty, false)),
            (Inverted::Array(_), "=", Datum::Array(_)) => Asked::All(self.keys(value)),
            (Inverted::Jsonb, "@>", Datum::Jsonb(b)) => all(parts(Jsonb(b))),
            (Inverted::JsonbPath, "@>", Datum::Jsonb(b)) => all(paths(Jsonb(b))),
            (Inverted::Jsonb | Inverted::JsonbPath, "@?", Datum::Jsonpath(p)) => {
                self.needed(&p.needs_to_exist())
            }
            (Inverted::Jsonb | Inverted::JsonbPath, "@@", Datum::Jsonpath(p)) => {
                self.needed(&p.needs_to_match())
            }
            (Inverted::Trigram, "=", value) => all(trigram_keys(&of_text(value))),
            (Inverted::Trigram, _, value) => {
                all(trigram_keys(&value.as_str().map_or_else(Vec::new, of_pattern)))
            }
            (Inverted::Whole(ty), "=", value) => Asked::All(vec![whole(value, ty)]),
            (Inverted::Hstore, "@>", Datum::Hstore(b)) => {
                all(Hstore(b).iter().map(|(key, value)| pair(key, value)).collect())
            }
            (Inverted::Jsonb | Inverted::Hstore, "?", Datum::Text(s)) => Asked::All(vec![name(s)]),
            (Inverted::Jsonb | Inverted::Hstore, "?|" | "?&", Datum::Array(a)) => {
                let names = a.values.iter().filter_map(|d| match d {
                    Datum::Text(s) => Some(name(s)),
                    _ => None,
                });
                if operator == "?|" { any(names.collect()) } else { all(names.collect()) }
            }
            _ => Asked::Everything,
        }
    }
}

impl Inverted {
    /// What a path asks for. (2)
    fn needed(self, needs: &Needs<'_>) -> Asked {
        match (self, needs) {
            (_, Needs::All(list)) => {
                let list = list.iter().map(|n| deeper(|| self.needed(n)));
                let list: Vec<Asked> = list.filter(|a| *a != Asked::Everything).collect();
                if list.is_empty() { Asked::Everything } else { Asked::Both(list) }
            }
            (_, Needs::Any(list)) => {
                let list: Vec<Asked> = list.iter().map(|n| deeper(|| self.needed(n))).collect();
                if list.contains(&Asked::Everything) { Asked::Everything } else { Asked::Either(list) }
            }
            (Inverted::Jsonb, Needs::Name(key)) => Asked::All(vec![name(key)]),
            // A string has another key where it is an element.
            (Inverted::Jsonb, Needs::Scalar(_, Scalar::Str(s))) => {
                Asked::Any(vec![name(s), scalar(&Kind::Str(s))])
            }
            (Inverted::Jsonb, Needs::Scalar(_, value)) => Asked::All(vec![scalar(&value.kind())]),
            (Inverted::JsonbPath, Needs::Scalar(Some(names), value)) => {
                let path = names.iter().fold(START, |path, key| member(path, key));
                Asked::All(vec![at_path(path, &value.kind())])
            }
            _ => Asked::Everything,
        }
    }
}

impl<'a> Scalar<'a> {
    fn kind(&self) -> Kind<'a> {
        match self {
            Scalar::Null => Kind::Null,
            Scalar::Bool(b) => Kind::Bool(*b),
            Scalar::Number(n) => Kind::Number((*n).clone()),
            Scalar::Str(s) => Kind::Str(s),
        }
    }
}

/// The trigrams of a text. What cannot be told in time is as if it had none, which asks for less. (2)
fn of_text(value: &Datum) -> Vec<Trigram> {
    value.as_str().and_then(|s| trigrams(s).ok()).unwrap_or_default()
}

fn trigram_keys(trigrams: &[Trigram]) -> Vec<Vec<u8>> {
    let key = |t: &Trigram| {
        let text: String = t.iter().collect();
        [&[tag::TRIGRAM], text.as_bytes()].concat()
    };
    trigrams.iter().map(key).collect()
}

fn whole(value: &Datum, ty: Type) -> Vec<u8> {
    let mut key = vec![tag::ELEMENT];
    encode_key(value, ty, false, false, &mut key);
    key
}

fn elements(a: &ArrayDatum, ty: Type, with_nulls: bool) -> Vec<Vec<u8>> {
    let key = |d: &Datum| {
        let mut key = vec![tag::ELEMENT];
        encode_key(d, ty, false, false, &mut key);
        key
    };
    a.values.iter().filter(|d| with_nulls || !d.is_null()).map(key).collect()
}

fn text(s: &str, short: u8, long: u8) -> Vec<u8> {
    if s.len() > TEXT_BYTES_MAX {
        let mut key = vec![long];
        key.extend(hash(START, s.as_bytes()).to_be_bytes());
        return key;
    }
    let mut key = vec![short];
    encode_key(&Datum::text(s), Type::Text, false, false, &mut key);
    key
}

/// A name in an object, or a string in an array: `?` asks for either.
fn name(s: &str) -> Vec<u8> {
    text(s, tag::NAME, tag::LONG_NAME)
}

/// A key of an `hstore`, as `name` has it.
fn hstore_key(key: &[u8]) -> Vec<u8> {
    name(std::str::from_utf8(key).unwrap_or_default())
}

/// The hash of a key with its value.
fn pair(key: &[u8], value: Option<&[u8]>) -> Vec<u8> {
    // A byte that no text has keeps them apart.
    let of_key = hash(hash(START, key), &[0xFF]);
    let mut out = vec![if value.is_some() { tag::PAIR } else { tag::PAIR_OF_NULL }];
    out.extend(hash(of_key, value.unwrap_or_default()).to_be_bytes());
    out
}

/// A value that holds no others.
fn scalar(kind: &Kind<'_>) -> Vec<u8> {
    match kind {
        Kind::Str(s) => text(s, tag::STRING, tag::LONG_STRING),
        Kind::Number(n) => {
            let mut key = vec![tag::NUMBER];
            encode_key(&Datum::Numeric(n.clone()), Type::Numeric, false, false, &mut key);
            key
        }
        Kind::Bool(b) => vec![tag::BOOL, u8::from(*b)],
        _ => vec![tag::NULL],
    }
}

/// Names and values, wherever they are.
fn parts(value: Jsonb<'_>) -> Vec<Vec<u8>> {
    let (mut keys, mut left) = (Vec::new(), vec![(value, true)]);
    while let Some((value, is_element)) = left.pop() {
        match value.kind() {
            Kind::Object(pairs) => {
                for (key, value) in pairs.iter() {
                    keys.push(name(key));
                    left.push((value, false));
                }
            }
            Kind::Array(items) => left.extend(items.iter().map(|item| (item, true))),
            Kind::Str(s) if is_element => keys.push(name(s)),
            kind => keys.push(scalar(&kind)),
        }
    }
    keys
}

/// Values with the names that lead to them.
fn paths(value: Jsonb<'_>) -> Vec<Vec<u8>> {
    let (mut keys, mut left) = (Vec::new(), vec![(value, START)]);
    while let Some((value, path)) = left.pop() {
        match value.kind() {
            Kind::Object(pairs) => {
                left.extend(pairs.iter().map(|(key, value)| (value, member(path, key))));
            }
            Kind::Array(items) => left.extend(items.iter().map(|item| (item, path))),
            kind => keys.push(at_path(path, &kind)),
        }
    }
    keys
}

/// The hash of a path to a member.
fn member(path: u64, key: &str) -> u64 {
    // A byte that no text has keeps names apart.
    hash(hash(path, key.as_bytes()), &[0xFF])
}

/// The key of a scalar at a path.
fn at_path(path: u64, kind: &Kind<'_>) -> Vec<u8> {
    let mut key = vec![tag::PATH];
    key.extend(hash(path, &scalar(kind)).to_be_bytes());
    key
}

/// FNV-1a, of 64 bits. (1)
const START: u64 = 0xcbf2_9ce4_8422_2325;

fn hash(from: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(from, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}
