//! Functions and operators with the types that they take, as `regprocedure`, `regoper` and `regoperator` read and show them.
//!
//! Must not know: how names are written and read.

use super::type_io;
use super::types::{
    AGGREGATES, FIRST_AGGREGATE_OID, FIRST_OPERATOR_OID, FUNCTIONS, function_at, function_name, oid_at,
    shown_oid, type_name,
};
use evenkeel_types::{ScalarFn, Type, all_operators};
use std::sync::LazyLock;

static OPERATORS: LazyLock<Vec<&'static ScalarFn>> = LazyLock::new(all_operators);

fn takes(args: &[Type], types: &[u32]) -> bool {
    args.len() == types.len() && args.iter().zip(types).all(|(a, t)| shown_oid(*a) == *t)
}

/// OID of the function of a name that takes types.
pub fn function(name: &str, types: &[u32]) -> Option<u32> {
    let scalar = || FUNCTIONS.iter().position(|f| f.name == name && takes(f.args, types));
    let aggregate = || AGGREGATES.iter().position(|f| f.name == name && takes(f.args, types));
    let io = || type_io::functions().iter().find(|f| f.name == name && f.args == types);
    scalar()
        .map(oid_at)
        .or_else(|| aggregate().map(|n| FIRST_AGGREGATE_OID + n as u32))
        .or_else(|| io().map(|f| f.oid))
}

/// A function's name, and the types that it takes.
pub fn of_function(oid: u32) -> Option<(&'static str, Vec<u32>)> {
    let types: Vec<u32> = match (oid.checked_sub(FIRST_AGGREGATE_OID), function_at(oid)) {
        (Some(n), _) => AGGREGATES.get(n as usize)?.args.iter().map(|t| shown_oid(*t)).collect(),
        (None, Some(f)) => f.args.iter().map(|t| shown_oid(*t)).collect(),
        (None, None) => type_io::function(oid)?.args.clone(),
    };
    Some((function_name(oid)?, types))
}

/// A function as `regprocedure` shows it.
pub fn shown_function(oid: u32) -> Option<String> {
    let (name, types) = of_function(oid)?;
    let schema = if name.starts_with("_pg_") { "information_schema." } else { "" };
    let types: Vec<String> = types.into_iter().map(type_name).collect();
    Some(format!("{schema}{name}({})", types.join(",")))
}

/// Types on the left and on the right of an operator; 0: none.
fn sides(f: &ScalarFn) -> Option<[u32; 2]> {
    match f.args {
        [right] => Some([0, shown_oid(*right)]),
        [left, right, ..] => Some([shown_oid(*left), shown_oid(*right)]),
        [] => None,
    }
}

/// OIDs of the operators of a name.
pub fn operators(name: &str) -> Vec<u32> {
    let all = OPERATORS.iter().enumerate().filter(|(_, f)| f.name == name);
    all.map(|(n, _)| FIRST_OPERATOR_OID + n as u32).collect()
}

/// OID of the operator of a name between types; 0: nothing is on its left.
pub fn operator(name: &str, types: [u32; 2]) -> Option<u32> {
    let is_it = |f: &&ScalarFn| f.name == name && sides(f) == Some(types);
    OPERATORS.iter().position(is_it).map(|n| FIRST_OPERATOR_OID + n as u32)
}

fn by_oid(oid: u32) -> Option<&'static ScalarFn> {
    OPERATORS.get(oid.checked_sub(FIRST_OPERATOR_OID)? as usize).copied()
}

/// An operator as `regoper` shows it: with its schema where its name is that of several.
pub fn shown_name(oid: u32) -> Option<String> {
    let name = by_oid(oid)?.name;
    Some(if operators(name).len() > 1 { format!("pg_catalog.{name}") } else { name.to_owned() })
}

/// An operator as `regoperator` shows it.
pub fn shown_operator(oid: u32) -> Option<String> {
    let f = by_oid(oid)?;
    let [left, right] = sides(f)?.map(|t| if t == 0 { "NONE".to_owned() } else { type_name(t) });
    Some(format!("{}({left},{right})", f.name))
}
