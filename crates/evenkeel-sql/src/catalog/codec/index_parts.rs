//! What few indexes have: that they are not valid, and expressions in other orders than the database's or with statistics targets.
//!
//! Must not know: what else there is of a table.

use super::{Reader, Writer, corrupt, part, unknown};
use crate::catalog::{Index, IndexExpression, IndexState, Table};
use evenkeel_types::collation::DEFAULT_OID;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// Which indexes are not valid.
pub(super) fn encode_states(w: &mut Writer, t: &Table) {
    let odd: Vec<_> = t.indexes.iter().filter(|i| !i.is_valid()).collect();
    if odd.is_empty() {
        return;
    }
    w.part(part::INDEX_STATES, |w| {
        w.len(odd.len());
        for i in &odd {
            w.u32(i.oid);
            w.u8(i.state as u8);
        }
    });
}

/// The same back.
pub(super) fn decode_states(r: &mut Reader<'_>, indexes: &mut [Arc<Index>]) -> Result<(), SqlError> {
    for (oid, state) in r.list(|r| Ok((r.u32()?, r.u8()?)))? {
        let states = [IndexState::Partial, IndexState::Deletes, IndexState::Unused];
        let state = states.into_iter().find(|s| *s as u8 == state).ok_or_else(unknown)?;
        if let Some(i) = indexes.iter_mut().find(|i| i.oid == oid) {
            Arc::make_mut(i).state = state;
        }
    }
    Ok(())
}

/// A figure of some expressions of indexes: the index, which of its expressions, the figure.
fn encode_of_expressions(
    w: &mut Writer,
    t: &Table,
    what: u8,
    figure: impl Fn(&IndexExpression) -> Option<u32>,
) {
    let of = |i: &'_ Arc<Index>| {
        let all = i.extra.expressions.iter().enumerate();
        all.filter_map(|(n, e)| Some((i.oid, n, figure(e)?))).collect::<Vec<_>>()
    };
    let all: Vec<_> = t.indexes.iter().flat_map(of).collect();
    if all.is_empty() {
        return;
    }
    w.part(what, |w| {
        w.len(all.len());
        for (index, n, figure) in all {
            w.u32(index);
            w.len(n);
            w.u32(figure);
        }
    });
}

/// The same back.
fn decode_of_expressions(
    r: &mut Reader<'_>,
    indexes: &mut [Arc<Index>],
    take: impl Fn(&mut IndexExpression, u32),
) -> Result<(), SqlError> {
    for (oid, n, figure) in r.list(|r| Ok((r.u32()?, r.u32()? as usize, r.u32()?)))? {
        if let Some(i) = indexes.iter_mut().find(|i| i.oid == oid) {
            let expressions = &mut Arc::make_mut(i).extra.expressions;
            take(expressions.get_mut(n).ok_or_else(corrupt)?, figure);
        }
    }
    Ok(())
}

/// The collations of expressions.
pub(super) fn encode_expression_collations(w: &mut Writer, t: &Table) {
    let odd = |e: &IndexExpression| Some(e.collation).filter(|c| *c != DEFAULT_OID);
    encode_of_expressions(w, t, part::EXPRESSION_COLLATIONS, odd);
}

/// The same back.
pub(super) fn decode_expression_collations(
    r: &mut Reader<'_>,
    indexes: &mut [Arc<Index>],
) -> Result<(), SqlError> {
    decode_of_expressions(r, indexes, |e, collation| e.collation = collation)
}

/// The statistics targets of expressions.
pub(super) fn encode_expression_targets(w: &mut Writer, t: &Table) {
    encode_of_expressions(w, t, part::EXPRESSION_TARGETS, |e| e.statistics.map(u32::from));
}

/// The same back.
pub(super) fn decode_expression_targets(
    r: &mut Reader<'_>,
    indexes: &mut [Arc<Index>],
) -> Result<(), SqlError> {
    decode_of_expressions(r, indexes, |e, target| e.statistics = u16::try_from(target).ok())
}
