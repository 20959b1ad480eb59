//! Foreign keys.
//!
//! A referencing row locks the referenced row's *index entry* with KEY SHARE: an update that keeps the key does not touch the entry and
//! so never waits, a delete or a change of the key does. A referenced row that goes looks for referencing rows at the end of the
//! statement, and finds every committed one: whoever inserted it held the entry's lock.
//!
//! Invariants:
//! 1. Nothing is decided from the statement's snapshot alone: parents by a lock (newest committed version), children by a fresh
//!    snapshot; under REPEATABLE READ also by a transaction of its own that sees what committed since.
//!
//! Must not know: SQL syntax.

use super::Cx;
use super::change::{Scratch, delete_row, key_text, schema_name, update_row};
use super::eval::eval;
use super::keys::{KeyValue, key_value};
use crate::catalog::{FkAction, ForeignKey, Index, Table};
use crate::error::{SqlError, SqlState};
use crate::plan::{FkCheck, Referencing, Target};
use crate::types::{Datum, decode_row, decode_rowid, encode_key};
use evenkeel::{Direction, KeyRange, LockMode, Locked, Transaction, TxnOptions, WaitPolicy, Write};
use std::collections::{HashSet, VecDeque};

/// Parent keys that the statement has locked already: (constraint, key).
pub type LockedParents = HashSet<(u32, Vec<u8>)>;

/// How many of them are remembered.
const MAX_REMEMBERED: usize = 4096;
/// Cascades within one statement, one after another.
const MAX_CASCADES: usize = 1_000_000;

struct ParentGone {
    target: usize,
    referencing: usize,
    old: Box<[Datum]>,
    new: Option<Box<[Datum]>>,
}

/// Checks that wait for the end of the statement.
#[derive(Default)]
pub struct Pending {
    /// Rows that refer to rows of their own table: (target, constraint, values of the whole row).
    children: Vec<(usize, usize, Box<[Datum]>)>,
    parents: VecDeque<ParentGone>,
}

/// The key under which the parent's index has the referenced row; None: some value is NULL or cannot occur there.
fn parent_key(
    fk: &ForeignKey,
    parent: &Table,
    index: &Index,
    values: impl Fn(usize) -> Datum,
) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    for c in &index.columns {
        let n = fk.parent_columns.iter().position(|p| *p == c.column)?;
        let ty = parent.types[c.column];
        match key_value(values(n), ty) {
            KeyValue::Exact(d) => encode_key(&d, ty, c.desc, c.nulls_first, &mut key),
            _ => return None,
        }
    }
    Some(key)
}

impl Pending {
    /// A row was written that refers to another.
    pub fn child(
        &mut self,
        fk: &FkCheck,
        table: &Table,
        row: &[Datum],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let nulls = fk.fk.columns.iter().filter(|c| row[**c].is_null()).count();
        if nulls == fk.fk.columns.len() || (nulls > 0 && !fk.fk.match_full) {
            return Ok(());
        }
        if nulls > 0 {
            return Err(child_error(fk, table, cx)
                .with_detail("MATCH FULL does not allow mixing of null and nonnull key values."));
        }
        if fk.parent.oid == table.oid {
            // The parent may be written later in this statement.
            let target = cx.plan.targets.iter().position(|t| t.table.oid == table.oid);
            let number = target.and_then(|t| {
                cx.plan.targets[t].foreign_keys.iter().position(|f| f.fk.oid == fk.fk.oid).map(|n| (t, n))
            });
            let (t, n) = number.ok_or_else(|| SqlError::internal("foreign key of another statement"))?;
            cx.run.memory.grow(super::row_bytes(row))?;
            self.children.push((t, n, row.into()));
            return Ok(());
        }
        check_parent(fk, table, row, cx)
    }

    /// A referenced row was deleted, or its key was changed.
    pub fn parent(
        &mut self,
        target: &Target,
        r: &Referencing,
        old: &[Datum],
        new: Option<&[Datum]>,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        if r.fk.parent_columns.iter().any(|c| old[*c].is_null()) {
            return Ok(());
        }
        let t = cx.plan.targets.iter().position(|t| t.table.oid == target.table.oid);
        let n = target.referencing.iter().position(|x| x.fk.oid == r.fk.oid);
        let (Some(target), Some(referencing)) = (t, n) else {
            return Err(SqlError::internal("unknown foreign key"));
        };
        cx.run.memory.grow(super::row_bytes(old) * 2)?;
        self.parents.push_back(ParentGone { target, referencing, old: old.into(), new: new.map(Into::into) });
        Ok(())
    }

    /// The end of the statement.
    pub fn check(&mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        if self.children.is_empty() && self.parents.is_empty() {
            return Ok(());
        }
        let plan = cx.plan;
        let mut cascades = 0;
        while let Some(gone) = self.parents.pop_front() {
            cx.check_interrupt()?;
            cx.txn.begin_statement();
            let target = &plan.targets[gone.target];
            self.parent_gone(target, &target.referencing[gone.referencing], &gone, cx)?;
            cascades += 1;
            if cascades > MAX_CASCADES {
                return Err(SqlError::new(
                    SqlState::PROGRAM_LIMIT_EXCEEDED,
                    "too many cascaded changes in one statement",
                ));
            }
        }
        if !self.children.is_empty() {
            cx.txn.begin_statement();
        }
        for (t, n, row) in std::mem::take(&mut self.children) {
            let target = &plan.targets[t];
            check_parent(&target.foreign_keys[n], &target.table, &row, cx)?;
        }
        Ok(())
    }

    fn parent_gone(
        &mut self,
        target: &Target,
        r: &Referencing,
        gone: &ParentGone,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let parent = &*target.table;
        let values: Vec<Datum> = r.fk.parent_columns.iter().map(|c| gone.old[*c].clone()).collect();
        let action = if gone.new.is_some() { r.fk.on_update } else { r.fk.on_delete };
        if action == FkAction::NoAction {
            // Another row may have taken the key meanwhile.
            let index = parent.indexes.iter().find(|i| i.oid == r.fk.parent_index);
            if let Some(index) = index
                && let Some(key) = parent_key(&r.fk, parent, index, |n| values[n].clone())
                && cx.txn.get(index.tree, &key)?.is_some()
            {
                return Ok(());
            }
        }
        let refuse = matches!(action, FkAction::NoAction | FkAction::Restrict);
        let children = find_children(&r.child, &r.fk, &values, refuse, cx)?;
        if children.is_empty() {
            return Ok(());
        }
        let Some(child_target) = r.target.map(|t| &cx.plan.targets[t]).filter(|_| !refuse) else {
            return Err(SqlError::new(
                SqlState::FOREIGN_KEY_VIOLATION,
                format!(
                    "update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"",
                    parent.name, r.fk.name, r.child.name
                ),
            )
            .with_detail(format!(
                "Key {} is still referenced from table \"{}\".",
                key_text(parent, &r.fk.parent_columns, &gone.old, cx),
                r.child.name
            ))
            .with_table(schema_name(&r.child, cx), &r.child.name)
            .with_constraint(&r.fk.name));
        };
        let mut scratch = Scratch::default();
        for mut row in children {
            // A row changed meanwhile by others no longer refers to the parent, or waits for our lock on it.
            let written = match action {
                FkAction::Cascade if gone.new.is_none() => {
                    delete_row(child_target, &row, &mut scratch, self, cx)?
                }
                _ => {
                    let old = row.clone();
                    for (n, c) in r.fk.columns.iter().enumerate() {
                        row[*c] = match (action, &gone.new) {
                            (FkAction::Cascade, Some(new)) => new[r.fk.parent_columns[n]].clone(),
                            (FkAction::SetDefault, _) => match r.defaults.get(n) {
                                Some(e) => eval(e, &[], cx)?,
                                None => Datum::Null,
                            },
                            _ => Datum::Null,
                        };
                    }
                    let all: Vec<usize> = (0..r.child.indexes.len()).collect();
                    let lock = LockMode::Update;
                    let width = r.child.columns.len();
                    update_row(child_target, &all, lock, &old[..width], &row, &mut scratch, self, cx)?
                }
            };
            if matches!(written, Write::Changed(_)) {
                return Err(evenkeel::Error::SerializationFailure.into());
            }
        }
        Ok(())
    }
}

fn child_error(fk: &FkCheck, table: &Table, cx: &Cx<'_>) -> SqlError {
    SqlError::new(
        SqlState::FOREIGN_KEY_VIOLATION,
        format!(
            "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
            table.name, fk.fk.name
        ),
    )
    .with_table(schema_name(table, cx), &table.name)
    .with_constraint(&fk.fk.name)
}

/// Locks the referenced row's entry; fails if there is none.
pub fn check_parent(fk: &FkCheck, table: &Table, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let key = parent_key(&fk.fk, &fk.parent, &fk.index, |n| row[fk.fk.columns[n]].clone());
    let found = match key {
        None => false,
        Some(key) => {
            let mark = (fk.fk.oid, key);
            if cx.run.locked_parents.contains(&mark) {
                return Ok(());
            }
            let locked = cx.txn.lock(fk.index.tree, &mark.1, LockMode::KeyShare, WaitPolicy::Block)?;
            let found = matches!(locked, Locked::Current(_) | Locked::Changed(_)); // invariant 1
            if found && cx.run.locked_parents.len() < MAX_REMEMBERED {
                cx.run.locked_parents.insert(mark);
            }
            found
        }
    };
    if found {
        return Ok(());
    }
    let detail = format!(
        "Key {} is not present in table \"{}\".",
        key_text(table, &fk.fk.columns, row, cx),
        fk.parent.name
    );
    Err(child_error(fk, table, cx).with_detail(detail))
}

/// Rows of the child that refer to the given values, with their row ids; only the first if that is enough.
fn find_children(
    child: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    first_only: bool,
    cx: &mut Cx<'_>,
) -> Result<Vec<Vec<Datum>>, SqlError> {
    let old_only = cx.is_snapshot_isolation;
    let mut found = scan_children(child, fk, values, first_only, old_only, cx.txn, cx.interrupt)?;
    if found.is_empty() && cx.is_snapshot_isolation {
        // Rows committed since the snapshot refer to the parent too: this transaction cannot know of them, so it fails.
        let mut latest = cx.db.begin(TxnOptions { read_only: true, ..TxnOptions::default() });
        latest.begin_statement();
        for row in scan_children(child, fk, values, false, false, &mut latest, cx.interrupt)? {
            let id = row[child.columns.len()].as_i64().unwrap_or(0) as u64;
            let mut key = Vec::new();
            crate::types::encode_rowid(id, &mut key);
            if cx.txn.get(child.heap.tree, &key)?.is_none()
                && let Locked::Current(_) | Locked::Changed(_) =
                    cx.txn.lock(child.heap.tree, &key, LockMode::KeyShare, WaitPolicy::NoWait)?
            {
                return Err(evenkeel::Error::SerializationFailure.into());
            }
        }
    }
    for row in &found {
        cx.run.memory.grow(super::row_bytes(row))?;
    }
    found.shrink_to_fit();
    Ok(found)
}

fn scan_children(
    child: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    first_only: bool,
    old_indexes_only: bool,
    txn: &mut Transaction,
    interrupt: &evenkeel::Interrupt,
) -> Result<Vec<Vec<Datum>>, SqlError> {
    // A snapshot may be older than an index. An index whose leading columns are the key's, in any order.
    let usable = child.indexes.iter().find(|i| {
        (i.since_version == 0 || !old_indexes_only)
            && i.columns.len() >= fk.columns.len()
            && i.columns[..fk.columns.len()].iter().all(|c| fk.columns.contains(&c.column))
    });
    let mut found = Vec::new();
    let mut take = |row_id: &[u8], stored: &[u8]| -> Result<bool, SqlError> {
        let mut row = Vec::with_capacity(child.columns.len() + 1);
        decode_row(stored, &child.types, &mut row)?;
        let same = fk
            .columns
            .iter()
            .zip(values)
            .all(|(c, v)| !row[*c].is_null() && super::rowset::same(&row[*c], v));
        if same {
            row.push(Datum::Int8(decode_rowid(row_id)? as i64));
            found.push(row);
        }
        Ok(same && first_only)
    };
    match usable {
        Some(index) => {
            let mut prefix = Vec::new();
            for c in &index.columns[..fk.columns.len()] {
                let n = fk.columns.iter().position(|f| *f == c.column).unwrap_or(0);
                match key_value(values[n].clone(), child.types[c.column]) {
                    KeyValue::Exact(d) => {
                        encode_key(&d, child.types[c.column], c.desc, c.nulls_first, &mut prefix)
                    }
                    _ => return Ok(Vec::new()),
                }
            }
            let mut cursor = txn.cursor(index.tree, KeyRange::prefix(&prefix), Direction::Forward)?;
            while let Some((_, id)) = cursor.next(txn)? {
                let id = id.to_vec();
                if let Some(stored) = txn.get(child.heap.tree, &id)?
                    && take(&id, &stored)?
                {
                    break;
                }
            }
        }
        None => {
            let mut cursor = txn.cursor(child.heap.tree, KeyRange::all(), Direction::Forward)?;
            while let Some((id, stored)) = cursor.next(txn)? {
                if interrupt.is_canceled() {
                    return Err(evenkeel::Error::Canceled.into());
                }
                if take(id, stored)? {
                    break;
                }
            }
        }
    }
    Ok(found)
}
