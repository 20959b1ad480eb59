//! INSERT … ON CONFLICT.
//!
//! Entries of unique indexes are written first: a duplicate in an arbiter is the conflict. The newest entry names the row even if the statement's snapshot
//! does not see it.
//!
//! Invariants:
//! 1. Who waits for an arbiter's key has written nothing of the row: as in PostgreSQL, others may insert its other keys meanwhile. So arbiters behind another unique index are
//!    looked at first, and everybody writes entries of unique indexes in the order of the table's list.
//! 2. Entries are looked at and never locked, and only who is writing one is waited for: whoever has the row may be about to take it away, and who does
//!    nothing keeps nobody from doing so.
//!
//! Must not know: SQL syntax.

use super::Cx;
use super::change::{Writer, check_row, entry_error, generate, update_row};
use super::eval::{eval, holds};
use super::keys::row_id_of;
use crate::plan::{ConflictUpdate, OnConflict, Target};
use evenkeel::{Locked, WaitPolicy, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_rowid};

/// How often a conflicting row may vanish before the statement gives up.
const MAX_TRIES: usize = 1000;

fn second_time() -> SqlError {
    SqlError::new(SqlState::CARDINALITY_VIOLATION, "ON CONFLICT DO UPDATE command cannot affect row a second time")
        .with_hint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

/// What became of a row.
pub enum Inserted {
    /// It is there.
    New,
    /// Another was updated, which was this.
    Instead(Vec<Datum>),
    /// Nothing.
    Nothing,
}

/// Inserts a row or does what the clause says (`row` is then the row that is there).
pub fn insert(
    c: &OnConflict,
    target: &Target,
    writer: &mut Writer,
    row: &mut Vec<Datum>,
    cx: &mut Cx<'_>,
) -> Result<Inserted, SqlError> {
    let table = target.table.clone();
    generate(target, row, cx)?;
    check_row(target, row, cx)?;
    for _ in 0..MAX_TRIES {
        let id = writer.new_row_id(&table, row, cx)?;
        let before = cx.txn.savepoint();
        let (mut conflict, mut refused) = (None, None);
        let (all, is_unique) = (0..table.indexes.len(), |n: &usize| table.indexes[*n].unique);
        let arbiter = |n: usize| is_unique(&n) && (c.arbiters.is_empty() || c.arbiters.contains(&n));
        let last = all.clone().rfind(|n| arbiter(*n)).unwrap_or(0);
        if (0..last).any(|n| is_unique(&n)) {
            conflict = conflict_there(target, &arbiter, (&row[..], id), writer, cx)?.map(|(n, _)| n);
        }
        let is_free = conflict.is_none();
        // Invariant 1; the others keep nobody waiting.
        let order = all.clone().filter(is_unique).chain(all.filter(|n| !is_unique(n)));
        for n in order.filter(|_| is_free) {
            let (index, entries) = (&table.indexes[n], &mut writer.scratch.entries);
            entries.find_new(index, target.forms.get(n), &table.types, row, id, cx)?;
            for key in entries.keys() {
                match cx.txn.insert(index.tree, key, &entries.value) {
                    Ok(()) => {}
                    Err(evenkeel::Error::DuplicateKey) if arbiter(n) => conflict = Some(n),
                    Err(evenkeel::Error::DuplicateKey) => refused = Some(n),
                    Err(e) => return Err(entry_error(e, target, n, row, cx)),
                }
            }
            if conflict.or(refused).is_some() {
                break;
            }
        }
        if let Some(refused) = refused {
            // By a row that has come since the look, perhaps, and has the key that decides as well.
            cx.txn.rollback_to(before)?;
            let by = conflict_there(target, &|n| n == refused, (&row[..], id), writer, cx)?;
            let there = conflict_there(target, &arbiter, (&row[..], id), writer, cx)?;
            conflict = match (by, there) {
                (Some((_, by)), Some((n, other))) if by == other => Some(n),
                (None, _) => continue,
                (Some((_, by)), _) => {
                    // Only a row that outlasts the look at the arbiters refuses: it may have gone between the two, and another taken its place.
                    let still = conflict_there(target, &|n| n == refused, (&row[..], id), writer, cx)?;
                    if still.is_some_and(|(_, still)| still == by) {
                        return Err(entry_error(evenkeel::Error::DuplicateKey, target, refused, row, cx));
                    }
                    continue;
                }
            };
        }
        let Some(n) = conflict else {
            writer.insert_stored(target, row, cx)?;
            return Ok(Inserted::New);
        };
        cx.txn.rollback_to(before)?;
        let tree = table.indexes[n].tree;
        let Some(key) = writer.scratch.entries.only().map(<[u8]>::to_vec) else { continue };
        let Some(update) = &c.update else {
            if !cx.is_snapshot_isolation {
                return Ok(Inserted::Nothing);
            }
            // As PostgreSQL: a row that the snapshot does not see in its newest version must not decide what happens.
            let Some(entry) = cx.txn.newest(tree, &key)? else { continue };
            cx.txn.check_newest(table.heap.tree, row_id_of(&entry), true)?;
            return Ok(Inserted::Nothing);
        };
        let Some(entry) = cx.txn.newest(tree, &key)? else { continue };
        match do_update(update, target, (n, &key, row_id_of(&entry)), writer, row, cx)? {
            Outcome::Updated(old) => return Ok(Inserted::Instead(old)),
            Outcome::Skipped => return Ok(Inserted::Nothing),
            Outcome::Again => {}
        }
    }
    Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, "could not serialize access due to concurrent update"))
}

/// The first of the indexes that decide in which somebody's row has the key already, and the row's id. Whoever is about to write or delete one is waited for.
fn conflict_there(
    target: &Target,
    arbiter: &dyn Fn(usize) -> bool,
    (row, id): (&[Datum], u64),
    writer: &mut Writer,
    cx: &mut Cx<'_>,
) -> Result<Option<(usize, Vec<u8>)>, SqlError> {
    let table = &*target.table;
    for n in (0..table.indexes.len()).filter(|n| arbiter(*n)) {
        let (index, entries) = (&table.indexes[n], &mut writer.scratch.entries);
        entries.find_new(index, target.forms.get(n), &table.types, row, id, cx)?;
        let Some(key) = entries.only() else { continue };
        if let Some(value) = cx.txn.newest(index.tree, key)? {
            return Ok(Some((n, row_id_of(&value).to_vec())));
        }
    }
    Ok(None)
}

enum Outcome {
    /// The row was this.
    Updated(Vec<Datum>),
    Skipped,
    Again,
}

fn do_update(
    u: &ConflictUpdate,
    target: &Target,
    (n, key, row_id): (usize, &[u8], &[u8]),
    writer: &mut Writer,
    row: &mut Vec<Datum>,
    cx: &mut Cx<'_>,
) -> Result<Outcome, SqlError> {
    let table = &target.table;
    let width = table.columns.len();
    let before = cx.txn.savepoint();
    let mut is_current = false;
    let mut stored = match cx.txn.lock(table.heap.tree, row_id, u.lock, WaitPolicy::Block)? {
        Locked::Current(r) => {
            is_current = true;
            r
        }
        Locked::Changed(r) => {
            // It may have got another key since its entry was looked at.
            let mut now = Vec::with_capacity(width);
            table.decode_row(&r, &mut now)?;
            let (entries, id) = (&mut writer.scratch.entries, decode_rowid(row_id)?);
            entries.find(&table.indexes[n], target.forms.get(n), &table.types, &now, id, cx)?;
            if entries.only() != Some(key) {
                cx.txn.rollback_to(before)?;
                return Ok(Outcome::Again);
            }
            cx.run.add_outdated(table.heap.tree, id)?;
            r
        }
        Locked::Gone | Locked::Skipped => {
            cx.txn.rollback_to(before)?;
            return Ok(Outcome::Again);
        }
    };
    for _ in 0..MAX_TRIES {
        // The existing row, its id, then the excluded row and a place for its id.
        let mut both = Vec::with_capacity(2 * width + 2);
        table.decode_row(&stored, &mut both)?;
        both.push(Datum::Int8(decode_rowid(row_id)? as i64));
        both.extend_from_slice(&row[..width]);
        both.push(Datum::Null);
        if let Some(condition) = &u.condition
            && !holds(condition, &both, cx)?
        {
            cx.run.tell(|did| did.removed += 1);
            // Nor is a row left alone that this statement has put there.
            let is_own = is_current && cx.txn.get(table.heap.tree, row_id)?.as_ref() != Some(&stored);
            return if is_own { Err(second_time()) } else { Ok(Outcome::Skipped) };
        }
        let mut new: Vec<Datum> = both[..=width].to_vec();
        for (column, e) in &u.set {
            new[*column] = eval(e, &both, cx)?;
        }
        generate(target, &mut new, cx)?;
        let is_changed = |column: usize| {
            u.set.iter().any(|(s, _)| *s == column) || target.generated.iter().any(|(g, _)| *g == column)
        };
        let indexes: Vec<usize> =
            (0..table.indexes.len()).filter(|n| table.indexes[*n].reads_any(is_changed)).collect();
        let old = &both[..width];
        let Writer { scratch, pending, .. } = writer;
        match update_row(target, &indexes, u.lock, old, &new, scratch, pending, cx)? {
            Write::Done => {
                cx.run.is_written(table.heap.tree, decode_rowid(row_id)?);
                *row = new;
                both.truncate(width + 1);
                return Ok(Outcome::Updated(both));
            }
            Write::SelfModified => return Err(second_time()),
            Write::Gone => return Ok(Outcome::Again),
            Write::Changed(newer) => {
                cx.run.add_outdated(table.heap.tree, decode_rowid(row_id)?)?;
                (stored, is_current) = (newer, false);
            }
        }
    }
    Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, "could not serialize access due to concurrent update"))
}
