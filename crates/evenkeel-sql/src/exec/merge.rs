//! MERGE: each row of the source, with the target's row if there is one, and each row of the target that the source has none for.
//!
//! Under READ COMMITTED a row that somebody else has changed is joined again in its newest version: if it still matches, the clauses are looked
//! at anew. If it does not, or is gone, the row of the source is one without a match. Where rows of the table without a match matter too, the row that no
//! longer matches is first one of these. One of these that has changed stays one: it is not joined again.
//!
//! Must not know: SQL syntax, how rows are locked.

use super::Cx;
use super::change::{
    Emit, Writer, check_row, check_view, delete_row, generate, give, name, newest, update_row,
};
use super::eval::{eval, holds};
use super::recheck::holds_again;
use crate::plan::{MergeAction, MergeMatch, MergePlan};
use evenkeel::{LockMode, Write};
use evenkeel_types::Datum;
use evenkeel_types::error::{SqlError, SqlState};

fn second_time() -> SqlError {
    SqlError::new(SqlState::CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time")
        .with_hint("Ensure that not more than one source row matches any one target row.")
}

/// What came of a row.
enum Outcome {
    /// All is done; whether that was something.
    Done(bool),
    /// Its row of the table is not there any more.
    Gone,
    /// Somebody else has changed that to this.
    Changed(Vec<u8>),
}

/// Which clauses are for a row.
fn rows_of(p: &MergePlan, row: &[Datum], id_at: usize) -> MergeMatch {
    match p.source {
        _ if row[id_at].is_null() => MergeMatch::ByTarget,
        Some(at) if row[at].is_null() => MergeMatch::BySource,
        _ => MergeMatch::Matched,
    }
}

/// Does what the clauses say of a row; how many rows that changed.
pub fn merge_row(
    p: &MergePlan,
    matched: &[Datum],
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<u64, SqlError> {
    let table = cx.plan.targets[p.target].table.clone();
    let width = table.columns.len();
    let own = p.at..p.at + width;
    let id_at = p.at + width;
    let without_own = || {
        let mut row = matched.to_vec();
        row[p.at..=id_at].fill(Datum::Null);
        row
    };
    let mut fresh: Option<Vec<Datum>> = None;
    // The row of the source is still to be looked at, as one without a match.
    let mut is_split = false;
    let mut count = 0;
    loop {
        let row = fresh.as_deref().unwrap_or(matched);
        let rows = rows_of(p, row, id_at);
        let outcome = act(p, (rows, row), fresh.is_none(), writer, cx, emit)?;
        let is_done = match outcome {
            Outcome::Done(is_something) => {
                count += u64::from(is_something);
                true
            }
            Outcome::Gone if rows == MergeMatch::BySource => true,
            Outcome::Gone => false,
            Outcome::Changed(stored) => {
                let mut again = row.to_vec();
                let mut columns = Vec::with_capacity(width);
                table.decode_row(&stored, &mut columns)?;
                again[own.clone()].clone_from_slice(&columns);
                if rows == MergeMatch::Matched {
                    if !holds_again(&p.rows.recheck, matched, &mut again, cx)? {
                        return Ok(count);
                    }
                    is_split = rows_of(p, &again, id_at) == MergeMatch::BySource;
                    if let (true, Some(at)) = (is_split, p.source) {
                        // As PostgreSQL: RETURNING still has what it was matched with.
                        again[..p.at].clone_from_slice(&matched[..p.at]);
                        again[id_at + 1..].clone_from_slice(&matched[id_at + 1..]);
                        again[at] = Datum::Null;
                    }
                }
                fresh = Some(again);
                continue;
            }
        };
        if is_done && !std::mem::take(&mut is_split) {
            return Ok(count);
        }
        is_split = false;
        fresh = Some(without_own());
    }
}

/// Does what the first clause says that fits a row; `is_first`: it is as it was found.
fn act(
    p: &MergePlan,
    (rows, row): (MergeMatch, &[Datum]),
    is_first: bool,
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<Outcome, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let id_at = p.at + width;
    let mut fitting = None;
    for c in p.clauses.iter().filter(|c| c.rows == rows) {
        let fits = match &c.condition {
            Some(condition) => holds(condition, row, cx)?,
            None => true,
        };
        if fits {
            fitting = Some(&c.action);
            break;
        }
    }
    let action = match fitting {
        None | Some(MergeAction::Nothing) => return Ok(Outcome::Done(false)),
        Some(action) => action,
    };
    if let MergeAction::Insert(exprs) = action {
        let mut new = exprs.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
        new.push(Datum::Null);
        let mut row = row.to_vec();
        writer.insert(target, &mut new, cx)?;
        writer.changed.inserted += 1;
        cx.run.tell(|did| did.inserted += 1);
        check_view(target, &p.view_checks, &new, cx)?;
        row[p.at..=id_at].clone_from_slice(&new);
        return done(p, "INSERT", &row, (None, Some(&new)), cx, emit);
    }
    let row_name = name(target, row, p.at)?;
    let is_stale = is_first && cx.run.is_outdated(row_name.0, row_name.1);
    let Writer { scratch, pending, changed, later } = writer;
    let mut new = row[p.at..=id_at].to_vec();
    let (written, verb) = match action {
        MergeAction::Update { set, indexes, lock } => {
            for (column, e) in set {
                new[*column] = eval(e, row, cx)?;
            }
            generate(target, &mut new, cx)?;
            let written = if is_stale {
                check_row(target, &new, cx)?;
                newest(row_name, *lock, scratch, cx)?
            } else {
                update_row(target, indexes, *lock, &row[p.at..id_at], &new, scratch, pending, cx)?
            };
            (written, "UPDATE")
        }
        _ if is_stale => (newest(row_name, LockMode::Update, scratch, cx)?, "DELETE"),
        _ => (delete_row(target, &row[p.at..=id_at], scratch, (pending, Some(later)), cx)?, "DELETE"),
    };
    match written {
        Write::Done => {
            cx.run.is_written(row_name.0, row_name.1);
            if verb == "UPDATE" {
                changed.updated += 1;
                changed.hot_updated += scratch.hot;
                cx.run.tell(|did| did.updated += 1);
                check_view(target, &p.view_checks, &new, cx)?;
            } else {
                changed.deleted += 1;
                cx.run.tell(|did| did.deleted += 1);
            }
            let mut row = row.to_vec();
            let old = row[p.at..=id_at].to_vec();
            row[p.at..=id_at].clone_from_slice(&new);
            let left = (verb == "UPDATE").then_some(&new[..]);
            done(p, verb, &row, (Some(&old), left), cx, emit)
        }
        Write::SelfModified => Err(second_time()),
        Write::Gone => Ok(Outcome::Gone),
        Write::Changed(stored) => {
            cx.run.add_outdated(row_name.0, row_name.1)?;
            Ok(Outcome::Changed(stored))
        }
    }
}

fn done(
    p: &MergePlan,
    verb: &str,
    row: &[Datum],
    versions: (Option<&[Datum]>, Option<&[Datum]>),
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<Outcome, SqlError> {
    if let Some(r) = &p.returning {
        cx.run.outer[p.action] = Datum::text(verb);
        give(r, row, versions, cx, emit)?;
    }
    Ok(Outcome::Done(true))
}
