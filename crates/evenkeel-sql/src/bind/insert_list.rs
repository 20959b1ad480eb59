//! What the list of an INSERT names: columns, and parts of columns (`p.x`, `a[1]`).
//!
//! Invariants
//! 1. A column of which parts are named is NULL but for these, whatever its default is.

use super::surface::Surface;
use super::{Binder, Typed, first_location, ident, split_name};
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use sqlparser::tokenizer::Location;

/// The columns that are named, of a column's parts once for each.
pub(super) struct InsertList {
    pub columns: Vec<usize>,
    /// Which part of each, if it is not all of it.
    paths: Vec<Vec<String>>,
    /// Where they are named.
    pub places: Vec<Location>,
    /// There is a list.
    pub is_explicit: bool,
    /// Of a view that has a column of its table twice: the first value that would be the second one of that column.
    twice: Option<usize>,
}

/// The first of columns of a view that is the same of its table as another one before it.
fn first_again(columns: &[usize], surface: &Surface) -> Option<usize> {
    if !surface.is_view() {
        return None;
    }
    let mut met: Vec<(usize, usize)> = Vec::new();
    columns.iter().position(|column| {
        let Some(base) = surface.base_of(*column) else { return false };
        let is_again = met.iter().any(|(b, c)| *b == base && c != column);
        met.push((base, *column));
        is_again
    })
}

impl Binder<'_> {
    /// The columns that an INSERT names, or all.
    pub(super) fn insert_list(
        &self,
        names: &[ast::ObjectName],
        surface: &Surface,
    ) -> Result<InsertList, SqlError> {
        if names.is_empty() {
            let columns = surface.positions();
            let paths = vec![Vec::new(); columns.len()];
            let twice = first_again(&columns, surface);
            return Ok(InsertList { columns, paths, places: Vec::new(), is_explicit: false, twice });
        }
        let mut list = InsertList {
            columns: Vec::new(),
            paths: Vec::new(),
            places: Vec::new(),
            is_explicit: true,
            twice: None,
        };
        for name in names {
            let mut path = super::row::path(name);
            let first = match path.is_empty() {
                true => split_name(name)?.1,
                false => path.remove(0),
            };
            let column = surface.find_column(&first).map_err(|e| match name.0.first() {
                Some(ast::ObjectNamePart::Identifier(i)) if ident(i) == first => self.at(e, i.span.start),
                _ => e,
            })?;
            let mut before = list.columns.iter().zip(&list.paths).filter(|(c, _)| **c == column);
            if before.any(|(_, p)| p.is_empty() || path.is_empty()) {
                let why = format!("column \"{}\" specified more than once", surface.column_name(column));
                return Err(self.at(SqlError::new(SqlState::DUPLICATE_COLUMN, why), first_location(name)));
            }
            list.places.push(first_location(name));
            list.columns.push(column);
            list.paths.push(path);
        }
        list.twice = first_again(&list.columns, surface);
        Ok(list)
    }

    /// Whether an INSERT has as many values, `n`, as it may.
    pub(super) fn check_count(&self, q: &ast::Query, n: usize, list: &InsertList) -> Result<(), SqlError> {
        let wrong = |why: &str| SqlError::new(SqlState::SYNTAX_ERROR, why);
        let columns = list.columns.len();
        if n > columns {
            let e = wrong("INSERT has more expressions than target columns");
            return Err(self.at_output(e, &q.body, columns));
        }
        if n < columns && list.is_explicit {
            return Err(self.at(wrong("INSERT has more target columns than expressions"), list.places[n]));
        }
        Ok(())
    }

    /// Puts value `n` into a row of the table.
    pub(super) fn insert_value(
        &mut self,
        value: Typed,
        surface: &Surface,
        list: &InsertList,
        n: usize,
        row: &mut [Expr],
        base: usize,
    ) -> Result<(), SqlError> {
        let (column, path) = (list.columns[n], &list.paths[n]);
        if list.twice == Some(n) {
            let name = &surface.table.columns[base].name;
            let why = format!("multiple assignments to same column \"{name}\"");
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
        }
        if path.is_empty() {
            row[base] = self.assign_to(value, surface, column, base)?;
            return Ok(());
        }
        let c = &surface.table.columns[base];
        let is_first = !list.columns[..n].contains(&column);
        let before = std::mem::replace(&mut row[base], Expr::null());
        let before = if is_first { Expr::null() } else { before };
        let name = surface.column_name(column);
        row[base] = self.with_part(before, (c.ty, c.typmod, c.domain), name, path, value)?;
        Ok(())
    }

    /// A part of a column has no default.
    pub(super) fn no_default_of_part(&self, list: &InsertList, n: usize) -> Result<(), SqlError> {
        let Some(first) = list.paths[n].first() else { return Ok(()) };
        let is_element = crate::parse::subscript_text(first).is_some();
        let what = if is_element { "an array element" } else { "a subfield" };
        Err(SqlError::unsupported(format!("cannot set {what} to DEFAULT")))
    }
}
