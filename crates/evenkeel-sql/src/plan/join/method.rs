//! How one more unit is joined to the rows that are there, and what that costs, in the units of `access`.
//!
//! Must not know: the order of units, nodes.

use super::{Unit, What};

/// Keeping a row in a hash table, asking it for one, and looking at a pair of rows, in the units of `access`.
pub(in crate::plan) const HASH_BUILD_COST: f64 = 0.03;
pub(super) const HASH_PROBE_COST: f64 = 0.015;
pub(super) const PAIR_COST: f64 = 0.004;

/// How a step is carried out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    /// For each row the unit is looked up by an index.
    LookUp,
    /// The unit is kept in a hash table, or what is there is, and the unit's rows look it up.
    Hash { keeps_outer: bool },
    /// For each row the unit is read, from memory.
    Loop,
    /// For each row the unit is computed anew: it reads the row.
    Anew,
}

/// Rows of a table up to which a loop keeps them; of more it reads them anew, so that memory is not what limits it.
const KEPT_ROWS_MAX: f64 = 20_000.0;

/// Whether a loop over so many rows keeps the unit's rows.
pub(super) fn is_kept(unit: &Unit, rows: f64) -> bool {
    let is_node = matches!(unit.what, What::Node(_));
    is_node || (rows > 1.0 && unit.rows <= KEPT_ROWS_MAX)
}

/// What joining a unit to so many rows costs by a method, if only a part of them is asked for.
pub(super) fn cost_by(method: Method, unit: &Unit, rows: f64, look_up_cost: f64, part: f64) -> f64 {
    let asked = rows * part;
    match method {
        Method::Anew => asked * unit.cost.max(0.01),
        Method::LookUp => asked * look_up_cost,
        Method::Hash { keeps_outer: false } => {
            unit.cost + unit.rows * HASH_BUILD_COST + asked * HASH_PROBE_COST
        }
        Method::Hash { keeps_outer: true } => {
            unit.cost + rows * HASH_BUILD_COST + unit.rows * HASH_PROBE_COST
        }
        Method::Loop if is_kept(unit, rows) => unit.cost + asked * unit.rows * PAIR_COST,
        Method::Loop => asked * unit.cost,
    }
}

/// The cheapest way to join a unit to so many rows, of which a part is asked for; `in_order`: these have to stay in their order.
pub(super) fn method(
    unit: &Unit,
    (rows, part): (f64, f64),
    look_up_cost: Option<f64>,
    has_keys: bool,
    is_lateral: bool,
    in_order: bool,
) -> (Method, f64) {
    let cost = |method| cost_by(method, unit, rows, look_up_cost.unwrap_or(0.0), part);
    if is_lateral {
        return (Method::Anew, cost(Method::Anew));
    }
    // Where there are keys a loop over all pairs never gains much, and loses all if the estimate was wrong.
    // What goes to files loses its order, so a hash table has to be small where that counts.
    let may_hash = has_keys && (!in_order || unit.rows <= KEPT_ROWS_MAX);
    let mut best = if may_hash { Method::Hash { keeps_outer: false } } else { Method::Loop };
    let mut best_cost = cost(best);
    let mut try_also = |method, is_cheaper: fn(&f64, &f64) -> bool| {
        let other = cost(method);
        if is_cheaper(&other, &best_cost) {
            (best, best_cost) = (method, other);
        }
    };
    // That reads all rows that are there before it gives one.
    if may_hash && !in_order && part >= 1.0 {
        try_also(Method::Hash { keeps_outer: true }, f64::lt);
    }
    if look_up_cost.is_some() {
        try_also(Method::LookUp, f64::le);
    }
    (best, best_cost)
}
