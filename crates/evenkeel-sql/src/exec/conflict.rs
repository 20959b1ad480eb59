//! INSERT … ON CONFLICT.
//!
//! The entries of the arbiter indexes are written first: a duplicate there is the conflict. For DO UPDATE the entry is locked, which
//! gives the newest committed row even if the statement's snapshot does not see it, and then the row.
//!
//! Must not know: SQL syntax.

use super::Cx;
use super::change::{Writer, check_row, entry_error, generate, update_row};
use super::eval::{eval, holds};
use super::keys::row_id_of;
use crate::plan::{ConflictUpdate, OnConflict, Target};
use evenkeel::{LockMode, Locked, WaitPolicy, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_row, decode_rowid};

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
        let mut conflict = None;
        let arbiter =
            |n: usize| table.indexes[n].unique && (c.arbiters.is_empty() || c.arbiters.contains(&n));
        let order = (0..table.indexes.len())
            .filter(|n| arbiter(*n))
            .chain((0..table.indexes.len()).filter(|n| !arbiter(*n)));
        for n in order {
            let (index, entries) = (&table.indexes[n], &mut writer.scratch.entries);
            entries.find_new(index, target.forms.get(n), &table.types, row, id, cx)?;
            for key in entries.keys() {
                match cx.txn.insert(index.tree, key, &entries.value) {
                    Ok(()) => {}
                    Err(evenkeel::Error::DuplicateKey) if arbiter(n) => conflict = Some(n),
                    Err(e) => return Err(entry_error(e, target, n, row, cx)),
                }
            }
            if conflict.is_some() {
                break;
            }
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
            let before = cx.txn.savepoint();
            match cx.txn.lock(tree, &key, LockMode::KeyShare, WaitPolicy::Block)? {
                Locked::Current(value) | Locked::Changed(value) => {
                    cx.txn.check_newest(table.heap.tree, row_id_of(&value), true)?
                }
                Locked::Gone | Locked::Skipped => continue,
            }
            cx.txn.rollback_to(before)?;
            return Ok(Inserted::Nothing);
        };
        // Lock the entry, then the row that it leads to.
        let entry = match cx.txn.lock(tree, &key, LockMode::KeyShare, WaitPolicy::Block)? {
            Locked::Current(value) | Locked::Changed(value) => value,
            Locked::Gone | Locked::Skipped => continue,
        };
        match do_update(update, target, row_id_of(&entry), writer, row, cx)? {
            Outcome::Updated(old) => return Ok(Inserted::Instead(old)),
            Outcome::Skipped => return Ok(Inserted::Nothing),
            Outcome::Again => {}
        }
    }
    Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, "could not serialize access due to concurrent update"))
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
    row_id: &[u8],
    writer: &mut Writer,
    row: &mut Vec<Datum>,
    cx: &mut Cx<'_>,
) -> Result<Outcome, SqlError> {
    let table = &target.table;
    let width = table.columns.len();
    let mut stored = match cx.txn.lock(table.heap.tree, row_id, u.lock, WaitPolicy::Block)? {
        Locked::Current(r) | Locked::Changed(r) => r,
        Locked::Gone | Locked::Skipped => return Ok(Outcome::Again),
    };
    for _ in 0..MAX_TRIES {
        // The existing row, its id, then the excluded row and a place for its id.
        let mut both = Vec::with_capacity(2 * width + 2);
        decode_row(&stored, &table.types, &mut both)?;
        both.push(Datum::Int8(decode_rowid(row_id)? as i64));
        both.extend_from_slice(&row[..width]);
        both.push(Datum::Null);
        if let Some(condition) = &u.condition
            && !holds(condition, &both, cx)?
        {
            return Ok(Outcome::Skipped);
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
                *row = new;
                both.truncate(width + 1);
                return Ok(Outcome::Updated(both));
            }
            Write::SelfModified => return Err(second_time()),
            Write::Gone => return Ok(Outcome::Again),
            Write::Changed(newer) => stored = newer,
        }
    }
    Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, "could not serialize access due to concurrent update"))
}
