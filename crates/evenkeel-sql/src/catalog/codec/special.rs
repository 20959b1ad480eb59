//! What is special about constraints: when they are checked, whether they hold, which columns they are about.
//!
//! Must not know: what else there is of a table.

use crate::catalog::{Standing, Table, Timing};
use std::sync::Arc;

/// What is special about a constraint, as bits.
pub(super) mod flag {
    pub const DEFERRABLE: u8 = 1;
    pub const INITIALLY_DEFERRED: u8 = 2;
    pub const NOT_VALID: u8 = 4;
    pub const NOT_ENFORCED: u8 = 8;
    pub const NO_INHERIT: u8 = 16;
}

pub(super) fn bit(is: bool, flag: u8) -> u8 {
    if is { flag } else { 0 }
}

fn timing_flags(t: Timing) -> u8 {
    bit(t.deferrable, flag::DEFERRABLE) | bit(t.initially_deferred, flag::INITIALLY_DEFERRED)
}

fn standing_flags(s: Standing) -> u8 {
    bit(!s.enforced, flag::NOT_ENFORCED) | bit(!s.validated, flag::NOT_VALID)
}

fn timing_of(flags: u8) -> Timing {
    Timing {
        deferrable: flags & flag::DEFERRABLE != 0,
        initially_deferred: flags & flag::INITIALLY_DEFERRED != 0,
    }
}

fn standing_of(flags: u8) -> Standing {
    Standing { enforced: flags & flag::NOT_ENFORCED == 0, validated: flags & flag::NOT_VALID == 0 }
}

/// Constraints with flags or columns: OID, flags, columns that a CHECK reads or that ON DELETE sets.
pub(super) fn special_constraints(t: &Table) -> Vec<(u32, u8, &[usize])> {
    let indexes = t.indexes.iter().map(|i| (i.constraint.unwrap_or(0), timing_flags(i.timing), &[][..]));
    let checks = t
        .checks
        .iter()
        .map(|c| (c.oid, standing_flags(c.standing) | bit(c.no_inherit, flag::NO_INHERIT), &c.columns[..]));
    let keys = t
        .foreign_keys
        .iter()
        .map(|f| (f.oid, timing_flags(f.timing) | standing_flags(f.standing), &f.delete_columns[..]));
    indexes
        .chain(checks)
        .chain(keys)
        .filter(|(_, flags, columns)| *flags != 0 || !columns.is_empty())
        .collect()
}

/// Brings what `special_constraints` gave back to its constraint.
pub(super) fn set_special(t: &mut Table, oid: u32, flags: u8, columns: Vec<usize>) {
    if let Some(i) = t.indexes.iter_mut().find(|i| i.constraint == Some(oid)) {
        let i = Arc::make_mut(i);
        i.timing = timing_of(flags);
        i.unique &= !i.timing.deferrable;
    } else if let Some(c) = t.checks.iter_mut().find(|c| c.oid == oid) {
        (c.standing, c.no_inherit) = (standing_of(flags), flags & flag::NO_INHERIT != 0);
        c.columns = columns;
    } else if let Some(f) = t.foreign_keys.iter_mut().find(|f| f.oid == oid) {
        (f.timing, f.standing, f.delete_columns) = (timing_of(flags), standing_of(flags), columns);
    }
}
