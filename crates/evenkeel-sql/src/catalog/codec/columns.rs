//! What few columns have: each kind is a part of the table's row, a figure, or a value, for each column that has it.
//!
//! Invariants:
//! 1. A part that no column has a figure for is not written.
//!
//! Must not know: what the figures mean.

use super::{Reader, Writer, part};
use crate::catalog::{ColumnDef, Table};
use evenkeel_types::error::SqlError;

type Figure = fn(&ColumnDef) -> Option<u32>;

const KINDS: [(u8, Figure); 3] = [
    (part::COLLATIONS, |c| Some(c.settings.collation).filter(|oid| *oid != 0)),
    (part::DIMENSIONS, |c| Some(u32::from(c.settings.dimensions)).filter(|n| *n != 0)),
    (part::DOMAINS, |c| c.domain),
];

/// Appends the figures of a table's columns.
pub(super) fn encode(w: &mut Writer, t: &Table) {
    if t.missing.iter().next().is_some() {
        w.part(part::MISSING, |w| {
            w.len(t.missing.iter().count());
            for (n, value) in t.missing.iter() {
                w.len(n);
                w.datum(value, t.types[n]);
            }
        });
    }
    for (kind, figure) in KINDS {
        let all: Vec<_> =
            t.columns.iter().enumerate().filter_map(|(n, c)| figure(c).map(|f| (n, f))).collect();
        if all.is_empty() {
            continue;
        }
        w.part(kind, |w| {
            w.len(all.len());
            for (n, figure) in &all {
                w.len(*n);
                w.u32(*figure);
            }
        });
    }
}

/// Gives a table what rows may be without.
pub(super) fn take_missing(t: &mut Table, r: &mut Reader<'_>) -> Result<(), SqlError> {
    let types = &t.types;
    let all = r.list(|r| {
        let n = super::column(r, types.len())?;
        Ok((n, r.datum(types[n])?))
    })?;
    all.into_iter().for_each(|(n, value)| t.missing.set(n, value));
    Ok(())
}

/// Gives columns the figures of a kind.
pub(super) fn take(columns: &mut [ColumnDef], kind: u8, figures: Vec<(usize, u32)>) {
    for (n, figure) in figures {
        let column = &mut columns[n];
        match kind {
            part::COLLATIONS => column.settings.collation = figure,
            part::DIMENSIONS => column.settings.dimensions = figure as u8,
            _ => column.domain = Some(figure),
        }
    }
}
