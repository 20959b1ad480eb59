//! Rows of a view as other views make theirs of them: by the names of columns.
//!
//! A view that is defined over others, as most of PostgreSQL's `information_schema` is, reads their rows, so it shows whatever they come to show.
//!
//! Must not know: what any view is about.

use super::{ViewContext, VirtualTable, by_name};
use crate::catalog::Catalog;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::collections::HashMap;

/// All rows of a view.
pub(super) struct Source {
    at: HashMap<&'static str, usize>,
    rows: Vec<Vec<Datum>>,
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    source: &'a Source,
    row: &'a [Datum],
}

impl Source {
    /// The rows of a view of a schema.
    pub(super) fn of(
        schema: u32,
        name: &str,
        catalog: &Catalog,
        cx: &dyn ViewContext,
    ) -> Result<Source, SqlError> {
        let missing = || SqlError::internal(format!("the view {name} is not there"));
        let view = by_name(schema, name).ok_or_else(missing)?;
        let at = view.columns.iter().enumerate().map(|(n, c)| (c.0, n)).collect();
        Ok(Source { at, rows: (view.rows)(catalog, cx)? })
    }

    /// One after the other.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.rows.iter().map(|row| Line { source: self, row })
    }

    /// By the OIDs in a column.
    pub(super) fn by_oid(&self, column: &str) -> HashMap<u32, Line<'_>> {
        self.lines().map(|l| (l.oid(column), l)).collect()
    }
}

impl<'a> Line<'a> {
    /// The value of a column; null, if there is no such column.
    pub(super) fn get(self, column: &str) -> Datum {
        self.value(column).cloned().unwrap_or(Datum::Null)
    }

    fn value(self, column: &str) -> Option<&'a Datum> {
        self.row.get(*self.source.at.get(column)?)
    }

    /// An OID; 0 for none.
    pub(super) fn oid(self, column: &str) -> u32 {
        self.value(column).and_then(Datum::as_oid).unwrap_or(0)
    }

    /// A number; 0 for none.
    pub(super) fn int(self, column: &str) -> i64 {
        self.value(column).and_then(Datum::as_i64).unwrap_or(0)
    }

    /// Whether it is true.
    pub(super) fn is(self, column: &str) -> bool {
        self.value(column).and_then(Datum::as_bool).unwrap_or(false)
    }

    /// A text; empty for none.
    pub(super) fn str(self, column: &str) -> &'a str {
        self.value(column).and_then(Datum::as_str).unwrap_or("")
    }

    /// The values of an array.
    pub(super) fn array(self, column: &str) -> Option<&'a [Datum]> {
        self.value(column).and_then(Datum::as_array).map(|a| &a.values[..])
    }
}

/// A row of a view with the values of these columns, and nulls.
pub(super) fn row_of(view: &VirtualTable, values: Vec<(&str, Datum)>) -> Vec<Datum> {
    let mut row = vec![Datum::Null; view.columns.len()];
    for (name, value) in values {
        let place = view.columns.iter().position(|c| c.0 == name);
        debug_assert!(place.is_some(), "{} has no column {name}", view.name);
        if let Some(place) = place {
            row[place] = value;
        }
    }
    row
}

/// YES or NO, as `information_schema` has it.
pub(super) fn yes_no(yes: bool) -> Datum {
    Datum::text(if yes { "YES" } else { "NO" })
}
