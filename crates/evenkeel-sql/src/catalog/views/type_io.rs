//! What reads and writes the values of types, as `pg_type` and `pg_proc` name it, and types that are names alone: `cstring`, `trigger`, `internal`, handlers.
//!
//! Drivers tell arrays by `array_recv`, and enums by `enum_in`; tools list pseudo-types. Nothing here can be called, and no value is of those types.
//!
//! Invariants
//! 1. The functions have PostgreSQL's OIDs, which are below those of users' objects, and are in no table that calls are resolved with.
//!
//! Must not know: catalogs.

use evenkeel_types::{Type, Volatility};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A function of a type.
pub struct IoFunction {
    pub oid: u32,
    pub name: &'static str,
    /// OIDs of types, `internal` and `cstring` among them.
    pub args: Vec<u32>,
    pub ret: u32,
    pub volatile: Volatility,
    pub strict: bool,
}

/// OIDs of what `typinput`, `typoutput`, `typreceive`, `typsend`, `typmodin`, `typmodout`, `typanalyze` and `typsubscript` name.
pub type Io = [u32; 8];

/// A type that is a name alone.
pub struct NameAlone {
    pub oid: u32,
    pub name: &'static str,
    pub kind: &'static str,
    pub len: i16,
    pub category: &'static str,
    pub align: &'static str,
    pub storage: &'static str,
    pub element: u32,
    pub array: u32,
    pub io: Io,
}

struct Known {
    functions: Vec<IoFunction>,
    by_type: HashMap<u32, Io>,
    names: Vec<NameAlone>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| read(include_str!("type_io.txt")));

const TYPES_WITHOUT_IO: Io = [0; 8];

fn read(text: &'static str) -> Known {
    let mut known = Known { functions: Vec::new(), by_type: HashMap::new(), names: Vec::new() };
    let mut oids: HashMap<&'static str, u32> = HashMap::new();
    let number = |s: &str| s.parse::<u32>().unwrap_or(0);
    for line in text.lines() {
        let fields: Vec<&'static str> = line.split(' ').collect();
        let io = |names: &[&str], oids: &HashMap<&'static str, u32>| {
            let mut io = TYPES_WITHOUT_IO;
            io.iter_mut().zip(names).for_each(|(place, n)| *place = oids.get(n).copied().unwrap_or(0));
            io
        };
        match fields[..] {
            ["f", oid, name, args, ret, volatile, strict] => {
                oids.insert(name, number(oid));
                known.functions.push(IoFunction {
                    oid: number(oid),
                    name,
                    args: args.split(',').filter(|a| *a != "-").map(number).collect(),
                    ret: number(ret),
                    volatile: match volatile {
                        "i" => Volatility::Immutable,
                        "s" => Volatility::Stable,
                        _ => Volatility::Volatile,
                    },
                    strict: strict == "t",
                });
            }
            ["t", oid, _, ref names @ ..] => {
                known.by_type.insert(number(oid), io(names, &oids));
            }
            ["p", oid, name, kind, len, category, align, storage, element, array, ref names @ ..] => {
                known.names.push(NameAlone {
                    oid: number(oid),
                    name,
                    kind,
                    len: len.parse().unwrap_or(0),
                    category,
                    align,
                    storage,
                    element: number(element),
                    array: number(array),
                    io: io(names, &oids),
                });
            }
            _ => {}
        }
    }
    known
}

/// All functions, in the order of their OIDs.
pub fn functions() -> &'static [IoFunction] {
    &KNOWN.functions
}

/// A function by its OID.
pub fn function(oid: u32) -> Option<&'static IoFunction> {
    let at = KNOWN.functions.binary_search_by_key(&oid, |f| f.oid).ok()?;
    KNOWN.functions.get(at)
}

/// OID of the function of a name.
pub fn function_oid(name: &str) -> Option<u32> {
    KNOWN.functions.iter().find(|f| f.name == name).map(|f| f.oid)
}

fn named(names: [&str; 8]) -> Io {
    names.map(|n| function_oid(n).unwrap_or(0))
}

/// What reads and writes values of a type; of one of an extension it is not told.
pub fn of(t: Type) -> Io {
    match t {
        Type::Enum(_) => named(["enum_in", "enum_out", "enum_recv", "enum_send", "", "", "", ""]),
        Type::Composite(_) => {
            named(["record_in", "record_out", "record_recv", "record_send", "", "", "", ""])
        }
        t => match KNOWN.by_type.get(&t.oid()) {
            Some(io) => *io,
            None => t.element().map_or(TYPES_WITHOUT_IO, array_of),
        },
    }
}

fn array_of(element: Type) -> Io {
    let mut io = named([
        "array_in",
        "array_out",
        "array_recv",
        "array_send",
        "",
        "",
        "array_typanalyze",
        "array_subscript_handler",
    ]);
    io[4..6].copy_from_slice(&of(element)[4..6]);
    io
}

/// What a domain has instead of the type that it is over.
pub fn of_domain(over: Io) -> Io {
    let own = named(["domain_in", "", "domain_recv", "", "", "", "", ""]);
    [own[0], over[1], own[2], over[3], 0, 0, over[6], 0]
}

/// Types that are names alone.
pub fn names_alone() -> &'static [NameAlone] {
    &KNOWN.names
}

/// One of them by its OID, as `format_type` writes it.
pub fn name_alone(oid: u32) -> Option<String> {
    let found = KNOWN.names.iter().find(|n| n.oid == oid)?;
    Some(found.name.strip_prefix('_').map_or_else(|| found.name.to_owned(), |element| format!("{element}[]")))
}

/// OID of one of them.
pub fn oid_of_name_alone(name: &str) -> Option<u32> {
    KNOWN
        .names
        .iter()
        .find(|n| n.name == name || name_alone(n.oid).is_some_and(|shown| shown == name))
        .map(|n| n.oid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_found() {
        assert!(KNOWN.functions.windows(2).all(|f| f[0].oid < f[1].oid));
        assert_eq!(function(750).map(|f| f.name), Some("array_in"));
        assert_eq!(of(Type::Int4Array)[2], 2400);
        // anynonarray is shown as a name alone.
        let shown = Type::ALL.into_iter().filter(|t| !t.is_of_extension() && *t != Type::AnyToText);
        assert_eq!(shown.filter(|t| of(*t)[0] == 0).collect::<Vec<_>>(), []);
        assert_eq!(name_alone(1263).as_deref(), Some("cstring[]"));
    }
}
