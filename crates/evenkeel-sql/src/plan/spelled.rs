//! Calls in the spelling that SQL's grammar has for a function, as PostgreSQL shows those that were written so.
//!
//! Must not know: how arguments are shown.

use super::expr::Expr;
use evenkeel_types::{Datum, ScalarFn, Type, spelled, unspelled};

/// A call with its arguments' texts, if it was spelled or cannot be written otherwise.
pub fn spelled_text(f: &'static ScalarFn, args: &[Expr], texts: &[String]) -> Option<String> {
    let form = |n: usize| match args.get(n) {
        Some(Expr::Const(Datum::Text(form))) => Some(form),
        _ => None,
    };
    match (f.name, texts) {
        ("normalize", [x]) => return Some(format!("NORMALIZE({x})")),
        ("normalize", [x, _]) => return Some(format!("NORMALIZE({x}, {})", form(1)?)),
        ("is_normalized", [x]) => return Some(format!("({x} IS NORMALIZED)")),
        ("is_normalized", [x, _]) => return Some(format!("({x} IS {} NORMALIZED)", form(1)?)),
        _ => {}
    }
    if std::ptr::eq(unspelled(f), f) {
        return None;
    }
    debug_assert!(std::ptr::eq(spelled(f), f));
    let trim = |side: &str| match texts {
        [x] => Some(format!("TRIM({side} FROM {x})")),
        [x, characters] => Some(format!("TRIM({side} {characters} FROM {x})")),
        _ => None,
    };
    match (f.name, texts) {
        ("btrim", _) => trim("BOTH"),
        ("ltrim", _) => trim("LEADING"),
        ("rtrim", _) => trim("TRAILING"),
        ("position", [x, part]) => Some(format!("POSITION(({part}) IN ({x}))")),
        ("overlay", [x, new, from]) => Some(format!("OVERLAY({x} PLACING {new} FROM {from})")),
        ("overlay", [x, new, from, len]) => Some(format!("OVERLAY({x} PLACING {new} FROM {from} FOR {len})")),
        ("substring", [x, pattern, escape]) if f.args.get(2) == Some(&Type::Text) => {
            Some(format!("SUBSTRING({x} SIMILAR {pattern} ESCAPE {escape})"))
        }
        ("substring", [x, from]) if f.args.get(1) != Some(&Type::Text) => {
            Some(format!("SUBSTRING({x} FROM {from})"))
        }
        ("substring", [x, from, len]) => Some(format!("SUBSTRING({x} FROM {from} FOR {len})")),
        ("timezone", [time]) => Some(format!("({time} AT LOCAL)")),
        ("timezone", [zone, time]) => Some(format!("({time} AT TIME ZONE {zone})")),
        _ => None,
    }
}
