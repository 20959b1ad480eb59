//! What the answer of a plan rests on, besides the rows that it reads.
//!
//! Whoever is told an answer is told of the definitions by which it was made: that a table is there, that none of the name is. These may be lost with a failover, and are
//! told once they cannot (`wal/horizon.rs`). What a server says of itself – who is connected, who follows, what its settings are – is lost by none, and is what is looked at while all else waits.
//!
//! Invariants
//! 1. Whatever is not known here rests on definitions.
//! 2. What rests on the server alone names no relation but the views of its own state, no user's type, and no function that looks at definitions: also a view over these is a definition,
//!    and stands among the needs of the plan when nothing else is left of it.
//!
//! Must not know: how names are searched for, and what whoever runs the plan may see; that is for the session.

use super::expr::Expr;
use super::{Node, Op, Plan, PlanKind, Query};
use crate::catalog::views;
use evenkeel_types::{Datum, ScalarFn, Type, Volatility};

/// What an answer rests on:
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rests {
    /// Constants, and functions that look at no definitions: `SELECT 1`, by which clients find out whether a server answers.
    Nothing,
    /// The state of this server.
    Server,
    /// Definitions.
    Definitions,
}

/// Functions that look at nothing that anybody may be kept from.
const OF_NOTHING: [&str; 6] = [
    "pg_is_in_recovery",
    "pg_last_wal_receive_lsn",
    "pg_last_wal_replay_lsn",
    "pg_current_wal_lsn",
    "version",
    "now",
];

/// Functions that look at the server's state or change it, or at a session's settings, and at no definitions but privileges.
const OF_SERVER: [&str; 25] = [
    "+",
    "-",
    "age",
    "clock_timestamp",
    "current_setting",
    "date_part",
    "date_trunc",
    "extract",
    "pg_backend_pid",
    "pg_cancel_backend",
    "pg_conf_load_time",
    "pg_create_physical_replication_slot",
    "pg_current_wal_flush_lsn",
    "pg_current_wal_insert_lsn",
    "pg_drop_replication_slot",
    "pg_get_wal_replay_pause_state",
    "pg_is_wal_replay_paused",
    "pg_last_xact_replay_timestamp",
    "pg_postmaster_start_time",
    "pg_reload_conf",
    "pg_terminate_backend",
    "pg_wal_lsn_diff",
    "statement_timestamp",
    "to_char",
    "transaction_timestamp",
];

impl Plan {
    /// What its answer rests on.
    pub fn rests(&self) -> Rests {
        let PlanKind::Query(query) = &self.kind else { return Rests::Definitions };
        let columns = self.columns.iter().flat_map(|all| all.iter()).map(|c| c.ty);
        if self.needs.names_objects || !columns.chain(self.param_types.iter().copied()).all(is_plain) {
            return Rests::Definitions;
        }
        if is_constant(query) {
            return Rests::Nothing;
        }
        let needs = &self.needs.relations;
        let of_server = needs.iter().all(|n| n.by.is_none() && views::is_of_server(n.relation))
            && self.ctes.is_empty()
            && self.locks.is_empty()
            && self.targets.is_empty()
            && !self.writes
            && self.subplans.iter().chain([query]).all(|q| is_of_server(&q.root));
        if of_server { Rests::Server } else { Rests::Definitions }
    }
}

fn is_constant(query: &Query) -> bool {
    let Op::Project { input, exprs, .. } = &query.root.op else { return false };
    let looks = |e: &Expr| match e {
        Expr::Call(f, _) => !OF_NOTHING.contains(&f.name),
        e => !matches!(e, Expr::Const(_) | Expr::Param(_)),
    };
    matches!(input.op, Op::Single) && !exprs.iter().any(|e| e.any(looks))
}

fn is_of_server(node: &Node) -> bool {
    let known = match &node.op {
        Op::Virtual { table, .. } => views::is_of_server(table.oid),
        Op::Project { sets, .. } => sets.is_empty(),
        Op::Sort(s) => s.keys.iter().all(|k| k.collation.is_bytewise()),
        Op::Single
        | Op::Nothing
        | Op::Values { .. }
        | Op::Subquery { .. }
        | Op::NestedLoop(_)
        | Op::HashJoin(_)
        | Op::Materialize { .. }
        | Op::Filter { .. }
        | Op::Aggregate(_)
        | Op::Distinct(_)
        | Op::Limit { .. }
        | Op::SetOperation { .. } => true,
        Op::Scan(_) | Op::Function { .. } | Op::Cte { .. } | Op::Window(_) | Op::Lock(_) => false,
    };
    let mut all = known;
    node.own_exprs(&mut |e| all &= !e.any(|e| !looks_at_no_definitions(e)));
    all && stacker::maybe_grow(64 << 10, 1 << 20, || node.children().into_iter().all(is_of_server))
}

/// Of the expression itself, not of those below it.
fn looks_at_no_definitions(e: &Expr) -> bool {
    let calls = |f: &ScalarFn| {
        f.volatile == Volatility::Immutable || OF_NOTHING.contains(&f.name) || OF_SERVER.contains(&f.name)
    };
    match e {
        Expr::Const(d) => !matches!(d, Datum::Enum(..)),
        Expr::Call(f, _) | Expr::AnyCall(f, ..) => calls(f),
        Expr::Cast(c) => is_plain(c.from) && is_plain(c.to),
        Expr::NullIf(_, cast) => cast.is_none_or(|(from, to)| is_plain(from) && is_plain(to)),
        Expr::Array(ty, _) | Expr::Operand(ty) => is_plain(*ty),
        Expr::Param(_)
        | Expr::Column(_)
        | Expr::Outer(_)
        | Expr::Cmp(..)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Not(_)
        | Expr::IsNull(..)
        | Expr::IsBool(..)
        | Expr::Distinct(..)
        | Expr::Case(_)
        | Expr::Coalesce(_)
        | Expr::Extreme(..)
        | Expr::InList(..)
        | Expr::AnyArray(..)
        | Expr::Subscript(..)
        | Expr::Slice(..)
        | Expr::Subquery(..) => true,
        _ => false,
    }
}

/// Its values are read and written without any definition: no user made it, and none of them is an object's name.
fn is_plain(ty: Type) -> bool {
    let of = ty.element().unwrap_or(ty);
    of.user_oid().is_none() && !of.is_reg() && !of.is_of_extension() && !matches!(of, Type::Record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_name_objects_are_not_plain() {
        for ty in [Type::Int4, Type::TextArray, Type::Timestamptz, Type::PgLsn, Type::Void] {
            assert!(is_plain(ty), "{ty:?}");
        }
        for ty in [Type::Regclass, Type::RegclassArray, Type::Enum(20_000), Type::Composite(1 << 30)] {
            assert!(!is_plain(ty), "{ty:?}");
        }
    }
}
