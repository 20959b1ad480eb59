//! Expressions that a table keeps, when one of its columns gets another name, or itself.
//!
//! A name means a column only to whoever binds it: beside it, it may be a type's, a field's of a row, a unit of time, a word of the grammar. So the places
//! are those at which the binder found the column, and what comes out is bound again: it means the same, or nothing is renamed.
//!
//! Must not know: what the expressions are for.

use super::Binder;
use crate::catalog::Table;
use crate::parse;
use crate::plan::expr::Expr;
use evenkeel_types::error::SqlError;
use evenkeel_types::quote_ident;
use sqlparser::tokenizer::{Location, Span, Token};
use std::sync::Arc;

/// In the place of a column's number: the whole row, by the table's name.
const WHOLE_ROW: i16 = i16::MIN;

impl Binder<'_> {
    /// The text of a kept expression over a row of a table that is called `to` from now on.
    pub fn of_renamed(&mut self, text: &str, table: &Arc<Table>, to: &str) -> Result<String, SqlError> {
        let text = self.unqualified(text, table)?;
        let (before, places) = self.named_in(&text, table)?;
        let rows = places.into_iter().filter(|(_, n)| *n == WHOLE_ROW).map(|p| p.0);
        let tokens = parse::tokenize(&text)?;
        let span = |at: Location| tokens.iter().find(|t| t.span.start == at).map(|t| t.span);
        let mut edits: Vec<(Span, String)> = rows.filter_map(span).map(|s| (s, quote_ident(to))).collect();
        edits.dedup_by_key(|e| (e.0.start.line, e.0.start.column));
        if edits.is_empty() {
            return Ok(text);
        }
        let text = parse::view::edited(&text, &edits);
        let after = Arc::new(Table { name: to.to_owned(), ..Table::clone(table) });
        if self.named_in(&text, &after)?.0 != before {
            return Err(SqlError::internal(format!("the table cannot be renamed in {text}")));
        }
        Ok(text)
    }

    /// The text of a kept expression over a table's row, one of whose columns is called `to` from now on.
    pub fn renamed(
        &mut self,
        text: &str,
        table: &Arc<Table>,
        (column, to): (usize, &str),
    ) -> Result<String, SqlError> {
        let (before, places) = self.named_in(text, table)?;
        let number = column as i16 + 1;
        let tokens = parse::tokenize(text)?;
        let place = |at: Location| {
            // Behind a qualifier.
            let mut n = tokens.iter().position(|t| t.span.start == at)?;
            while tokens.get(n + 1).is_some_and(|t| t.token == Token::Period) {
                n += 2;
            }
            tokens.get(n).map(|t| t.span)
        };
        let spans = places.into_iter().filter(|(_, n)| *n == number).filter_map(|(at, _)| place(at));
        let mut edits: Vec<(Span, String)> = spans.map(|span| (span, quote_ident(to))).collect();
        edits.dedup_by_key(|e| (e.0.start.line, e.0.start.column));
        let text = parse::view::edited(text, &edits);
        let mut after = Table::clone(table);
        after.columns[column].name = to.to_owned();
        if self.named_in(&text, &Arc::new(after))?.0 != before {
            return Err(SqlError::internal(format!("the column cannot be renamed in {text}")));
        }
        Ok(text)
    }

    /// The text of an expression over a table's row without the table's name before its columns: it means the same whatever the table is called, and wherever it is.
    pub fn unqualified(&mut self, text: &str, table: &Arc<Table>) -> Result<String, SqlError> {
        if !text.contains('.') {
            return Ok(text.to_owned());
        }
        let (before, places) = self.named_in(text, table)?;
        let tokens = parse::tokenize(text)?;
        let edit = |(at, number): (Location, i16)| {
            let first = tokens.iter().position(|t| t.span.start == at)?;
            let mut last = first;
            while tokens.get(last + 1).is_some_and(|t| t.token == Token::Period) {
                last += 2;
            }
            // Others are within a domain's own check, and not of this text.
            let column = table.columns.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
            let span = Span { start: at, end: tokens.get(last)?.span.end };
            (last > first).then(|| (span, quote_ident(&column.name)))
        };
        let mut edits: Vec<(Span, String)> = places.into_iter().filter_map(edit).collect();
        edits.dedup_by_key(|e| (e.0.start.line, e.0.start.column));
        let without = parse::view::edited(text, &edits);
        let is_same = self.named_in(&without, table).is_ok_and(|(after, _)| after == before);
        Ok(if is_same { without } else { text.to_owned() })
    }

    /// Whether a kept expression over a row of a table names the row as a whole.
    pub fn names_row(&mut self, text: &str, table: &Arc<Table>) -> Result<bool, SqlError> {
        let (bound, names_row) = self.noting_rows(|b| b.stored_in(text, Some(table), "kept expressions"));
        bound.map(|_| names_row)
    }

    /// Whether a whole row is named in what is bound.
    pub(crate) fn noting_rows<T>(&mut self, bind: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let was = self.named.replace(Vec::new());
        let bound = bind(self);
        let places = std::mem::replace(&mut self.named, was).unwrap_or_default();
        (bound, places.iter().any(|p| p.1 == WHOLE_ROW))
    }

    /// A whole row is named here.
    pub(super) fn note_row(&mut self, at: Location) {
        self.named.iter_mut().for_each(|places| places.push((at, WHOLE_ROW)));
    }

    /// What an expression over a row means, and where it names columns.
    fn named_in(&mut self, text: &str, table: &Arc<Table>) -> Result<(Expr, Vec<(Location, i16)>), SqlError> {
        let was = std::mem::replace(&mut self.is_generation, true);
        self.named = Some(Vec::new());
        let bound = self.stored_in(text, Some(table), "kept expressions");
        self.is_generation = was;
        let places = self.named.take().unwrap_or_default();
        Ok((bound?.expr, places))
    }
}
