//! Foreign keys.
//!
//! A referencing row locks the referenced row's *index entry* with KEY SHARE: an update that keeps the key does not touch the entry and
//! so never waits, a delete or a change of the key does, and FOR UPDATE, which locks the entry as well. A referenced row that goes looks for referencing rows at the end of the
//! statement, and finds every committed one: whoever inserted it held the entry's lock.
//!
//! Invariants:
//! 1. Nothing is decided from the statement's snapshot alone: parents by a lock (newest committed version), children by a fresh
//!    snapshot; under REPEATABLE READ also by a transaction of its own that sees what committed since: such rows forbid, but are not changed. Parents
//!    that a REPEATABLE READ snapshot does not see are none. (A new constraint's parents: the table is locked, and the snapshot younger than that.)
//! 2. A child that others are changing is waited for, and judged by what it has become.
//! 3. FOR UPDATE holds neither the row nor an entry while it waits for those who have come to refer to it (`lock_with_keys`). A delete or a change of the key looks before it takes
//!    the row (`wait_for_references`): only who comes between the two can still meet it in a deadlock.
//!
//! Must not know: SQL syntax.

use super::Cx;
use super::change::{Scratch, delete_row, key_text, schema_name, tell, update_row, values_text};
use super::deferred::{Checker, Event, EventLog, What};
use super::eval::eval;
use super::keys::{encode_column, row_id_of};
use super::referenced::{self, as_referenced, as_referencing, refers_to};
use super::told::may_tell;
use super::unique::unique_key;
use crate::catalog::{Changed, FkAction, ForeignKey, Index, Table};
use crate::plan::{FkCheck, LockTarget, Referencing, Target};
use evenkeel::{Direction, KeyRange, LockMode, Locked, Transaction, TreeId, TxnOptions, WaitPolicy, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_rowid, encode_row, encode_rowid};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Parent keys that the statement has locked already: (constraint, key).
pub type LockedParents = HashSet<(u32, Vec<u8>)>;

/// How many of them are remembered.
const MAX_REMEMBERED: usize = 4096;

struct ParentGone {
    target: usize,
    referencing: usize,
    /// What was referred to.
    values: Box<[Datum]>,
    /// The whole row as it is now.
    new: Option<Box<[Datum]>>,
}

/// Checks that wait for the end of the statement.
#[derive(Default)]
pub struct Pending {
    /// Rows that refer to rows of their own table, or to rows that were not there: (target, constraint, values of the whole row).
    children: Vec<(usize, usize, Box<[Datum]>)>,
    parents: VecDeque<ParentGone>,
    /// Keys of deferrable unique constraints, and the constraints' tables.
    uniques: EventLog,
    unique_tables: HashMap<u32, u32>,
}

/// The key under which the parent's index has the referenced row; None: some value is NULL or cannot occur there.
pub(crate) fn parent_key(
    fk: &ForeignKey,
    parent: &Table,
    index: &Index,
    values: impl Fn(usize) -> Datum,
) -> Result<Option<Vec<u8>>, SqlError> {
    let mut key = Vec::new();
    for c in &index.columns {
        let Some(n) = fk.parent_columns.iter().position(|p| *p == c.column) else { return Ok(None) };
        let (value, ty) = (values(n), parent.types[c.column]);
        if value.is_null() {
            return Ok(None);
        }
        match as_referenced(value, ty)? {
            Some(d) => encode_column(c, &d, ty, &mut key),
            None => return Ok(None),
        }
    }
    Ok(Some(key))
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
        if cx.is_replica {
            return Ok(());
        }
        if cx.deferred.is_put_off(fk.fk.oid, fk.fk.timing) {
            if fk.fk.columns.iter().any(|c| !row[*c].is_null()) {
                let id = row[table.columns.len()].as_i64().unwrap_or(0) as u64;
                let event = Event { constraint: fk.fk.oid, what: What::Child, about: rowid(id) };
                cx.deferred.add(table.oid, event, &cx.run.budget)?;
            }
            return Ok(());
        }
        if !has_parent_to_check(fk, table, row, cx)? {
            return Ok(());
        }
        // The parent may be written later in this statement, if it is a row of the same table. One that is missing, or that somebody else has changed, is
        // looked for again at the end: until then other rows may fail for other reasons, which come first in PostgreSQL.
        if fk.parent.oid != table.oid {
            match check_parent(fk, table, row, cx) {
                Err(e)
                    if [SqlState::FOREIGN_KEY_VIOLATION, SqlState::SERIALIZATION_FAILURE]
                        .contains(&e.code) => {}
                other => return other,
            }
        }
        let target = cx.plan.targets.iter().position(|t| t.table.oid == table.oid);
        let number = target.and_then(|t| {
            cx.plan.targets[t].foreign_keys.iter().position(|f| f.fk.oid == fk.fk.oid).map(|n| (t, n))
        });
        let (t, n) = number.ok_or_else(|| SqlError::internal("foreign key of another statement"))?;
        cx.run.memory.grow(super::row_bytes(row))?;
        self.children.push((t, n, row.into()));
        Ok(())
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
        if cx.is_replica || r.fk.parent_columns.iter().any(|c| old[*c].is_null()) {
            return Ok(());
        }
        let action = if new.is_some() { r.fk.on_update } else { r.fk.on_delete };
        if action == FkAction::NoAction && cx.deferred.is_put_off(r.fk.oid, r.fk.timing) {
            let (mut values, mut types, mut about) = (Vec::new(), Vec::new(), Vec::new());
            for c in &r.fk.parent_columns {
                values.push(old[*c].clone());
                types.push(target.table.types[*c]);
            }
            encode_row(&values, &types, &mut about);
            let event = Event { constraint: r.fk.oid, what: What::Parent, about: about.into() };
            return cx.deferred.add(target.table.oid, event, &cx.run.budget);
        }
        let t = cx.plan.targets.iter().position(|t| t.table.oid == target.table.oid);
        let n = target.referencing.iter().position(|x| x.fk.oid == r.fk.oid);
        let (Some(target), Some(referencing)) = (t, n) else {
            return Err(SqlError::internal("unknown foreign key"));
        };
        let values: Box<[Datum]> = r.fk.parent_columns.iter().map(|c| old[*c].clone()).collect();
        cx.run.memory.grow(gone_bytes(&values, new))?;
        self.parents.push_back(ParentGone { target, referencing, values, new: new.map(Into::into) });
        Ok(())
    }

    /// A row has got a key of a deferrable unique constraint.
    pub fn unique(
        &mut self,
        table: &Table,
        index: &Index,
        row: &[Datum],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let (Some(constraint), Some(about)) = (index.constraint, unique_key(index, &table.types, row)) else {
            return Ok(());
        };
        let event = Event { constraint, what: What::Unique, about };
        if cx.deferred.is_put_off(constraint, index.timing) {
            return cx.deferred.add(table.oid, event, &cx.run.budget);
        }
        self.unique_tables.insert(constraint, table.oid);
        self.uniques.push(event, &cx.run.budget)
    }

    /// The end of the statement.
    pub fn check(&mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        if !self.uniques.is_empty() {
            let mut checker = Checker::default();
            let tables = &self.unique_tables;
            std::mem::take(&mut self.uniques).for_each(
                &mut |_, event| match tables.get(&event.constraint) {
                    Some(table) => checker.check(*table, event, cx),
                    None => Ok(()),
                },
            )?;
        }
        if self.children.is_empty() && self.parents.is_empty() {
            return Ok(());
        }
        let plan = cx.plan;
        while let Some(gone) = self.parents.pop_front() {
            cx.check_interrupt()?;
            cx.txn.begin_statement();
            let target = &plan.targets[gone.target];
            self.parent_gone(target, &target.referencing[gone.referencing], &gone, cx)?;
            cx.run.memory.shrink(gone_bytes(&gone.values, gone.new.as_deref()));
        }
        if !self.children.is_empty() {
            cx.txn.begin_statement();
        }
        for (t, n, row) in std::mem::take(&mut self.children) {
            let target = &plan.targets[t];
            let fk = &target.foreign_keys[n];
            // Another part of the statement, or what it set off, may have changed the row since, and looked at that.
            if plan.has_changing_ctes() && !still_has(&fk.fk, &target.table, &row, cx)? {
                continue;
            }
            check_parent(fk, &target.table, &row, cx)?;
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
        let values = &gone.values[..];
        let action = if gone.new.is_some() { r.fk.on_update } else { r.fk.on_delete };
        if action == FkAction::NoAction && key_is_taken(parent, &r.fk, values, cx)? {
            return Ok(());
        }
        let Some(child_target) = r
            .target
            .map(|t| &cx.plan.targets[t])
            .filter(|_| !matches!(action, FkAction::NoAction | FkAction::Restrict))
        else {
            return check_unreferenced(parent, &r.child, &r.fk, values, action == FkAction::Restrict, cx);
        };
        let (children, _) = find_children(&r.child, &r.fk, values, false, cx)?;
        let mut scratch = Scratch::default();
        for child in children {
            self.change_child(r, child_target, action, values, gone, child, &mut scratch, cx)?;
        }
        scratch.tell_pages(&r.child);
        // Who referred to the default refers to it still, and who had it set may: that must not be what went.
        if action == FkAction::SetDefault {
            cx.txn.begin_statement();
            if !key_is_taken(parent, &r.fk, values, cx)? {
                return check_unreferenced(parent, &r.child, &r.fk, values, false, cx);
            }
        }
        Ok(())
    }

    /// Carries out CASCADE, SET NULL or SET DEFAULT on a referencing row, in its newest version if that still refers to the parent.
    #[allow(clippy::too_many_arguments)] // The parent's side and the child's.
    fn change_child(
        &mut self,
        r: &Referencing,
        target: &Target,
        action: FkAction,
        values: &[Datum],
        gone: &ParentGone,
        mut old: Vec<Datum>,
        scratch: &mut Scratch,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let width = r.child.columns.len();
        let is_key =
            |i: &std::sync::Arc<Index>| i.is_key() && i.key_columns().any(|c| r.fk.columns.contains(&c));
        let lock = if r.child.indexes.iter().any(is_key) { LockMode::Update } else { LockMode::NoKeyUpdate };
        loop {
            let written = match action {
                FkAction::Cascade if gone.new.is_none() => {
                    delete_row(target, &old, scratch, (self, None), cx)?
                }
                _ => {
                    let mut row = old.clone();
                    let set = r.fk.set_columns(gone.new.is_none());
                    for (n, c) in r.fk.columns.iter().enumerate() {
                        let (value, from) = match (action, &gone.new) {
                            (FkAction::Cascade, Some(new)) => (r.cascaded.get(n), &new[..]),
                            _ if !set.contains(c) => continue,
                            (FkAction::SetDefault, _) => (r.defaults.get(n), &[][..]),
                            _ => (r.nulls.get(n), &[][..]),
                        };
                        row[*c] = match value {
                            Some(e) => eval(e, from, cx)?,
                            None => Datum::Null,
                        };
                    }
                    super::change::generate(target, &mut row, cx)?;
                    let all: Vec<usize> = (0..r.child.indexes.len()).collect();
                    update_row(target, &all, lock, &old[..width], &row, scratch, self, cx)?
                }
            };
            let stored = match written {
                Write::Changed(stored) => stored,
                Write::Done => {
                    let deletes = action == FkAction::Cascade && gone.new.is_none();
                    let changed = match deletes {
                        true => Changed { deleted: 1, ..Changed::default() },
                        false => Changed { updated: 1, hot_updated: scratch.hot, ..Changed::default() },
                    };
                    tell(changed, &r.child, cx);
                    return Ok(());
                }
                Write::Gone | Write::SelfModified => return Ok(()),
            };
            let id = old.split_off(width);
            old.clear();
            r.child.decode_row(&stored, &mut old)?;
            if !refers(&r.fk, values, &old) {
                return Ok(());
            }
            old.extend(id);
        }
    }
}

/// Memory that a row takes which went.
fn gone_bytes(values: &[Datum], new: Option<&[Datum]>) -> usize {
    size_of::<ParentGone>() + super::row_bytes(values) + new.map_or(0, super::row_bytes)
}

/// Whether a row that was written has the values of a foreign key still.
fn still_has(fk: &ForeignKey, table: &Table, row: &[Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let key = rowid(row.get(table.columns.len()).and_then(Datum::as_i64).unwrap_or(0) as u64);
    let Some(stored) = cx.txn.get(table.heap.tree, &key)? else { return Ok(false) };
    let mut now = Vec::with_capacity(table.columns.len());
    table.decode_row(&stored, &mut now)?;
    Ok(fk.columns.iter().all(|c| super::rowset::same(&row[*c], &now[*c])))
}

fn rowid(id: u64) -> Box<[u8]> {
    let mut key = Vec::with_capacity(9);
    encode_rowid(id, &mut key);
    key.into()
}

/// Whether a row refers to another at all; fails if it does so by half.
pub(super) fn has_parent_to_check(
    fk: &FkCheck,
    table: &Table,
    row: &[Datum],
    cx: &Cx<'_>,
) -> Result<bool, SqlError> {
    let nulls = fk.fk.columns.iter().filter(|c| row[**c].is_null()).count();
    if nulls == fk.fk.columns.len() || (nulls > 0 && !fk.fk.match_full) {
        return Ok(false);
    }
    if nulls > 0 {
        return Err(child_error(fk, table, cx)
            .with_detail("MATCH FULL does not allow mixing of null and nonnull key values."));
    }
    Ok(true)
}

/// Whether another row has the key meanwhile that referencing rows may have.
pub(super) fn key_is_taken(
    parent: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let index = parent.indexes.iter().find(|i| i.oid == fk.parent_index);
    let Some(index) = index else { return Ok(false) };
    match parent_key(fk, parent, index, |n| values[n].clone())? {
        Some(key) => Ok(cx.txn.get(index.tree, &key)?.is_some()),
        None => Ok(false),
    }
}

/// Fails if rows refer to a key that is gone.
pub(super) fn check_unreferenced(
    parent: &Table,
    child: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    restricts: bool,
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    loop {
        let (children, is_certain) = find_children(child, fk, values, true, cx)?;
        let Some(found) = children.first() else { return Ok(()) };
        if is_certain || still_refers(child, fk, values, found, cx)? {
            break;
        }
        // Its end, for which we waited, is seen by the next snapshot.
        cx.txn.begin_statement();
    }
    let (code, setting, still) = match restricts {
        true => (SqlState::RESTRICT_VIOLATION, "RESTRICT setting of ", ""),
        false => (SqlState::FOREIGN_KEY_VIOLATION, "", "still "),
    };
    Err(SqlError::new(
        code,
        format!(
            "update or delete on table \"{}\" violates {setting}foreign key constraint \"{}\" on table \"{}\"",
            parent.name, fk.name, child.name
        ),
    )
    .with_detail(match may_tell(parent, fk.parent_columns.iter().copied(), cx) {
        true => {
            let key = values_text(parent, &fk.parent_columns, values, cx);
            format!("Key {key} is {still}referenced from table \"{}\".", child.name)
        }
        false => format!("Key is {still}referenced from table \"{}\".", child.name),
    })
    .with_table(schema_name(child, cx), &child.name)
    .with_constraint(&fk.name))
}

/// Whether a referencing row has these values.
fn refers(fk: &ForeignKey, values: &[Datum], row: &[Datum]) -> bool {
    fk.columns.iter().zip(values).all(|(c, v)| !row[*c].is_null() && refers_to(&row[*c], v))
}

/// Whether a row that was found still refers to the parent once whoever is deleting it has decided.
fn still_refers(
    child: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<bool, SqlError> {
    let mut key = Vec::with_capacity(9);
    encode_rowid(row[child.columns.len()].as_i64().unwrap_or(0) as u64, &mut key);
    Ok(match cx.txn.lock(child.heap.tree, &key, LockMode::KeyShare, WaitPolicy::Block)? {
        Locked::Current(_) => true,
        Locked::Changed(stored) => {
            let mut newest = Vec::with_capacity(child.columns.len());
            child.decode_row(&stored, &mut newest)?;
            refers(fk, values, &newest)
        }
        Locked::Gone | Locked::Skipped => false,
    })
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
    let key = parent_key(&fk.fk, &fk.parent, &fk.index, |n| row[fk.fk.columns[n]].clone())?;
    let found = match key {
        None => false,
        Some(key) => {
            let mark = (fk.fk.oid, key);
            if cx.run.locked_parents.contains(&mark) {
                return Ok(());
            }
            // One snapshot for the whole transaction: a parent that it does not see is none.
            // An index may be younger than the snapshot, and its entries than the rows: those are refused as changed since.
            let is_younger = cx.snapshot_version.is_some_and(|v| fk.index.since_version > v);
            let seen =
                !cx.is_snapshot_isolation || is_younger || cx.txn.get(fk.index.tree, &mark.1)?.is_some();
            let found = seen && {
                let locked = cx.txn.lock(fk.index.tree, &mark.1, LockMode::KeyShare, WaitPolicy::Block)?;
                matches!(locked, Locked::Current(_) | Locked::Changed(_)) // invariant 1
            };
            if found && cx.run.locked_parents.len() < MAX_REMEMBERED {
                cx.run.locked_parents.insert(mark);
            }
            found
        }
    };
    if found { Ok(()) } else { Err(parent_missing(fk, table, row, cx)) }
}

/// Invariant 3. Locks a row for FOR UPDATE, and its entries against those who would come to refer to it. Who waits for one of them holds none of the others: whoever is waited for may
/// want them, as it counts in the row what it has made refer to it.
pub(super) fn lock_with_keys(
    t: &LockTarget,
    row_id: &[u8],
    named: &dyn Fn(evenkeel::Error) -> SqlError,
    cx: &mut Cx<'_>,
) -> Result<Locked, SqlError> {
    let before = cx.txn.savepoint();
    loop {
        let locked = cx.txn.lock(t.table.heap.tree, row_id, t.mode, t.wait).map_err(named)?;
        let (Locked::Current(stored) | Locked::Changed(stored)) = &locked else { return Ok(locked) };
        let Some((tree, entry)) = entry_in_use(t, stored, cx)? else { return Ok(locked) };
        cx.txn.rollback_to(before)?;
        match t.wait {
            WaitPolicy::SkipLocked => return Ok(Locked::Skipped),
            WaitPolicy::NoWait => return Err(named(evenkeel::Error::LockNotAvailable)),
            WaitPolicy::Block => cx.txn.wait_for_holders(tree, &entry, LockMode::Update).map_err(named)?,
        }
    }
}

/// Waits for those who have come to refer to a row that is to go or to get another key, and holds nothing meanwhile, nor afterwards while it waits for the row: whoever has that may come to
/// refer to it. The entry's own change keeps away those who come later.
pub(super) fn wait_for_references(target: &Target, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if target.referencing.is_empty() {
        return Ok(());
    }
    let is_referred = |i: &&Arc<Index>| target.referencing.iter().any(|r| r.fk.parent_index == i.oid);
    for index in target.table.indexes.iter().filter(is_referred) {
        if let Some(key) = entry_of(index, &target.table, row, cx) {
            cx.txn.wait_for_holders(index.tree, &key, LockMode::Update)?;
        }
    }
    Ok(())
}

/// A row's key in an index that others refer to; None: nobody can refer to it.
fn entry_of(index: &Index, table: &Table, row: &[Datum], cx: &Cx<'_>) -> Option<Vec<u8>> {
    // One that is younger than the snapshot has entries that are younger than rows.
    if cx.snapshot_version.is_some_and(|v| index.since_version > v)
        || index.columns.iter().any(|c| row[c.column].is_null())
    {
        return None;
    }
    let mut key = Vec::new();
    for c in &index.columns {
        encode_column(c, &row[c.column], table.types[c.column], &mut key);
    }
    Some(key)
}

/// Locks a row's entries; the first that somebody else has locked, with its index.
fn entry_in_use(
    t: &LockTarget,
    stored: &[u8],
    cx: &mut Cx<'_>,
) -> Result<Option<(TreeId, Vec<u8>)>, SqlError> {
    let mut row = Vec::with_capacity(t.table.types.len());
    t.table.decode_row(stored, &mut row)?;
    for index in &t.keys {
        let Some(key) = entry_of(index, &t.table, &row, cx) else { continue };
        if matches!(cx.txn.lock(index.tree, &key, LockMode::Update, WaitPolicy::SkipLocked)?, Locked::Skipped)
        {
            return Ok(Some((index.tree, key)));
        }
    }
    Ok(None)
}

/// Fails if there is no referenced row, as the statement sees it. Only for who keeps all writers away from the referenced table, by a lock of it that is older than
/// the statement's snapshot: nothing has to be locked row by row then.
pub fn check_parent_of_locked_table(
    fk: &FkCheck,
    table: &Table,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    let key = parent_key(&fk.fk, &fk.parent, &fk.index, |n| row[fk.fk.columns[n]].clone())?;
    match key {
        Some(key) if cx.txn.get(fk.index.tree, &key)?.is_some() => Ok(()),
        _ => Err(parent_missing(fk, table, row, cx)),
    }
}

fn parent_missing(fk: &FkCheck, table: &Table, row: &[Datum], cx: &Cx<'_>) -> SqlError {
    let detail = match may_tell(table, fk.fk.columns.iter().copied(), cx) {
        true => {
            let key = key_text(table, &fk.fk.columns, row, cx);
            format!("Key {key} is not present in table \"{}\".", fk.parent.name)
        }
        false => format!("Key is not present in table \"{}\".", fk.parent.name),
    };
    child_error(fk, table, cx).with_detail(detail)
}

/// Rows of the child that refer to the given values, with their row ids; only the first if that is enough. True: nobody is deleting it.
fn find_children(
    child: &Table,
    fk: &ForeignKey,
    values: &[Datum],
    first_only: bool,
    cx: &mut Cx<'_>,
) -> Result<(Vec<Vec<Datum>>, bool), SqlError> {
    let is_old = cx.is_snapshot_isolation;
    let mut found = scan_children(child, fk, values, first_only && !is_old, is_old, cx.txn, cx.interrupt)?;
    if is_old {
        // Rows may have come to refer to the parent, or ceased to, since the snapshot. Such forbid what they would forbid anybody, but cannot be changed.
        let mut latest = cx.db.begin(TxnOptions { read_only: true, ..TxnOptions::default() });
        latest.begin_statement();
        let newer = scan_children(child, fk, values, false, false, &mut latest, cx.interrupt)?;
        let mut current = Vec::with_capacity(found.len());
        for row in found {
            if is_newest(child, &row, cx)? {
                current.push(row);
            }
        }
        found = current;
        for row in newer {
            if is_newest(child, &row, cx)? {
                continue; // as this transaction sees it, by which it was judged
            }
            if first_only {
                return Ok((vec![row], true));
            }
            return Err(evenkeel::Error::SerializationFailure.into());
        }
    }
    for row in &found {
        cx.run.memory.grow(super::row_bytes(row))?;
    }
    found.shrink_to_fit();
    Ok((found, false))
}

/// Whether the transaction sees the newest committed version of a row, or has written it.
fn is_newest(child: &Table, row: &[Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    let mut key = Vec::with_capacity(9);
    encode_rowid(row[child.columns.len()].as_i64().unwrap_or(0) as u64, &mut key);
    match cx.txn.check_newest(child.heap.tree, &key, false) {
        Ok(()) => Ok(true),
        Err(evenkeel::Error::SerializationFailure) => Ok(false),
        Err(e) => Err(e.into()),
    }
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
    let mut wanted = Vec::with_capacity(values.len());
    let mut is_told = true;
    for (c, v) in fk.columns.iter().zip(values) {
        match as_referencing(v, child.types[*c]) {
            referenced::Referencing::One(d) => wanted.push(d),
            referenced::Referencing::None => return Ok(Vec::new()),
            referenced::Referencing::Several => is_told = false,
        }
    }
    // A snapshot may be older than an index. An index whose leading columns are the key's, in any order.
    let usable = child.indexes.iter().filter(|_| is_told).find(|i| {
        (i.since_version == 0 || !old_indexes_only)
            && i.is_valid()
            && i.is_plain()
            && i.columns.len() >= fk.columns.len()
            && i.columns[..fk.columns.len()].iter().all(|c| fk.columns.contains(&c.column))
    });
    let mut found = Vec::new();
    let mut take = |row_id: &[u8], stored: &[u8]| -> Result<bool, SqlError> {
        let mut row = Vec::with_capacity(child.columns.len() + 1);
        child.decode_row(stored, &mut row)?;
        let same = refers(fk, values, &row);
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
                encode_column(c, &wanted[n], child.types[c.column], &mut prefix);
            }
            let mut cursor = txn.cursor(index.tree, KeyRange::prefix(&prefix), Direction::Forward)?;
            while let Some((_, id)) = cursor.next(txn)? {
                let id = row_id_of(id).to_vec();
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
