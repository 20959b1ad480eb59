//! MERGE: each row of the source, with the target's row if there is one.
//!
//! Under READ COMMITTED a row that somebody else has changed is joined again in its newest version: if it still matches, the clauses are looked
//! at anew, otherwise those for rows without a match are, as they are when it is gone.
//!
//! Must not know: SQL syntax, how rows are locked.

use super::Cx;
use super::change::{
    Emit, Writer, check_row, check_view, delete_row, generate, give, name, newest, update_row,
};
use super::eval::{eval, holds};
use super::recheck::holds_again;
use crate::plan::{MergeAction, MergePlan};
use evenkeel::{LockMode, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_row};

fn second_time() -> SqlError {
    SqlError::new(SqlState::CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time")
        .with_hint("Ensure that not more than one source row matches any one target row.")
}

/// Does what the first clause that fits says; whether that was something.
pub fn merge_row(
    p: &MergePlan,
    matched: &[Datum],
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<bool, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let own = p.at..p.at + width;
    let id_at = p.at + width;
    let mut fresh: Option<Vec<Datum>> = None;
    loop {
        let row = fresh.as_deref().unwrap_or(matched);
        let is_matched = !row[id_at].is_null();
        let mut fitting = None;
        for c in p.clauses.iter().filter(|c| c.is_matched == is_matched) {
            let fits = match &c.condition {
                Some(condition) => holds(condition, row, cx)?,
                None => true,
            };
            if fits {
                fitting = Some(&c.action);
                break;
            }
        }
        let Some(action) = fitting else { return Ok(false) };
        if let MergeAction::Insert(exprs) = action {
            let mut new = exprs.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
            new.push(Datum::Null);
            let mut row = row.to_vec();
            writer.insert(target, &mut new, cx)?;
            check_view(target, &p.view_checks, &new, cx)?;
            row[p.at..=id_at].clone_from_slice(&new);
            return done(p, "INSERT", &row, (None, Some(&new)), cx, emit);
        }
        if matches!(action, MergeAction::Nothing) {
            return Ok(false);
        }
        let row_name = name(target, row, p.at)?;
        let is_stale = fresh.is_none() && cx.run.is_outdated(row_name.0, row_name.1);
        let Writer { scratch, pending, .. } = writer;
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
                    update_row(target, indexes, *lock, &row[own.clone()], &new, scratch, pending, cx)?
                };
                (written, "UPDATE")
            }
            _ if is_stale => (newest(row_name, LockMode::Update, scratch, cx)?, "DELETE"),
            _ => (delete_row(target, &row[p.at..=id_at], scratch, pending, cx)?, "DELETE"),
        };
        match written {
            Write::Done => {
                cx.run.is_written(row_name.0, row_name.1);
                if verb == "UPDATE" {
                    check_view(target, &p.view_checks, &new, cx)?;
                }
                let mut row = row.to_vec();
                let old = row[p.at..=id_at].to_vec();
                row[p.at..=id_at].clone_from_slice(&new);
                let left = (verb == "UPDATE").then_some(&new[..]);
                return done(p, verb, &row, (Some(&old), left), cx, emit);
            }
            Write::SelfModified => return Err(second_time()),
            Write::Gone => {
                let mut again = matched.to_vec();
                again[p.at..=id_at].fill(Datum::Null);
                fresh = Some(again);
            }
            Write::Changed(stored) => {
                cx.run.add_outdated(row_name.0, row_name.1)?;
                let mut again = matched.to_vec();
                let mut columns = Vec::with_capacity(width);
                decode_row(&stored, &target.table.types, &mut columns)?;
                again[own.clone()].clone_from_slice(&columns);
                if !holds_again(&p.rows.recheck, matched, &mut again, cx)? {
                    return Ok(false);
                }
                fresh = Some(again);
            }
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
) -> Result<bool, SqlError> {
    if let Some(r) = &p.returning {
        cx.run.outer[p.action] = Datum::text(verb);
        give(r, row, versions, cx, emit)?;
    }
    Ok(true)
}
