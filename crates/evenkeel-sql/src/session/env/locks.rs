//! What `pg_locks` shows.
//!
//! A wait for a row is shown as PostgreSQL has it, so that queries find who stands in whose way: everybody holds the id of its transaction; who waits for a row waits for
//! the id of who holds it; who waits behind others waits for the tuple, which the first of them holds.
//!
//! Must not know: how locks are kept.

use crate::catalog::Catalog;
use crate::catalog::locks::{TableLockMode, modes_of};
use crate::catalog::views::{LockRow, LockedObject};
use crate::instance::Instance;
use crate::session::lock_waits::tuple_lock;
use evenkeel_types::{datetime, decode_rowid};
use std::sync::Arc;
use std::time::Instant;

/// Since when somebody waits, as clocks show it.
fn shown_since(since: Instant) -> i64 {
    datetime::wall_clock_us() - i64::try_from(since.elapsed().as_micros()).unwrap_or(0)
}

/// Tables and numbers, and who waits for them.
pub(super) fn of_objects(instance: &Instance, catalog: &Catalog) -> Vec<LockRow> {
    let mut rows = Vec::new();
    let mut add = |object, owner, mode: TableLockMode, since: Option<Instant>| {
        let pid = instance.pid_of(owner);
        rows.push(LockRow { object, pid, mode: mode.catalog_name(), waits_since: since.map(shown_since) });
    };
    let waits = instance.locks.waits();
    for t in catalog.tables() {
        let table = LockedObject::Relation(t.oid);
        for (owner, mask) in t.shared.lock.holders() {
            modes_of(mask).for_each(|m| add(table, owner, m, None));
        }
        for (owner, w) in waits.iter().filter(|(_, w)| Arc::ptr_eq(&w.lock, &t.shared.lock)) {
            add(table, *owner, w.mode, Some(w.since));
        }
    }
    for (key, owner, mask) in instance.locks.advisory.holders() {
        modes_of(mask).for_each(|m| add(LockedObject::Advisory(key), owner, m, None));
    }
    for (owner, w) in &waits {
        if let Some(key) = w.advisory {
            add(LockedObject::Advisory(key), *owner, w.mode, Some(w.since));
        }
    }
    rows
}

/// Ids of transactions, and who waits for rows.
pub(super) fn of_rows(instance: &Instance, rows: &mut Vec<LockRow>) {
    let mut add = |object, pid, mode: TableLockMode, waits_since| {
        rows.push(LockRow { object, pid, mode: mode.catalog_name(), waits_since });
    };
    for (id, pid) in instance.each_session(|s| (s.interrupt.transaction(), s.pid)) {
        if let Some(id) = id {
            add(LockedObject::Transaction(id), pid, TableLockMode::Exclusive, None);
        }
    }
    for w in instance.database().row_waits() {
        let (pid, since) = (instance.pid_of(w.session), Some(shown_since(w.since)));
        let number = decode_rowid(&w.key).ok();
        let tuple =
            instance.table_of_tree(w.tree).zip(number).map(|((t, d), n)| LockedObject::Tuple(t, d, n));
        if let Some(tuple) = tuple {
            add(tuple, pid, tuple_lock(w.mode), since.filter(|_| !w.ahead.is_empty()));
        }
        if w.ahead.is_empty() || tuple.is_none() {
            for holder in w.holders.iter().chain(&w.ahead).take(1) {
                add(LockedObject::Transaction(holder.0), pid, TableLockMode::Share, since);
            }
        }
    }
}
