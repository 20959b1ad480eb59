//! Where in a definition's text an error is.
//!
//! Invariant: places are of what the client sent, as `self.source` has it; an error that has a place keeps it.
//!
//! Must not know: what the errors are.

use crate::bind::{Binder, ident};
use crate::parse::cursor::{is_word, position_of};
use crate::parse::tokenize;
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{ColumnDef, ColumnOption, Expr};
use sqlparser::tokenizer::Location;

/// Whether an error is of a default as a whole, rather than of some part of it.
fn is_of_all(value: &Expr, e: &SqlError) -> bool {
    match value {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => e.message.contains("column reference"),
        Expr::Subquery(_) => e.message.contains("subquery"),
        Expr::Function(_) => {
            e.message.contains("not allowed in DEFAULT") && value.to_string().matches('(').count() == 1
        }
        _ => false,
    }
}

impl Session {
    /// An error is in the default of a column.
    pub(super) fn at_default(&self, e: SqlError, columns: &[ColumnDef], name: &str) -> SqlError {
        let of_column = columns.iter().filter(|c| ident(&c.name) == name).flat_map(|c| &c.options);
        let value = of_column.into_iter().find_map(|o| match &o.option {
            ColumnOption::Default(value) => Some(value),
            _ => None,
        });
        match value.filter(|v| is_of_all(v, &e)) {
            Some(value) => {
                let eval = self.eval_ctx();
                Binder::new(&self.definition_context(&eval), &[]).at_start(e, value)
            }
            None => e,
        }
    }

    /// An error is of the last clause of a column that says its value.
    pub(super) fn at_last_value(&self, e: SqlError, column: &ColumnDef) -> SqlError {
        let clause = column.options.iter().rev().find_map(|o| match &o.option {
            ColumnOption::Default(value) => Some(("default", value)),
            ColumnOption::Generated { generation_expr: Some(value), .. } => Some(("generated", value)),
            _ => None,
        });
        match clause {
            Some((word, value)) => {
                let eval = self.eval_ctx();
                Binder::new(&self.definition_context(&eval), &[]).at_word(e, word, value)
            }
            None => e,
        }
    }

    /// An error is of a column's type, which stands behind its name.
    pub(super) fn at_type(&self, e: SqlError, column: &ColumnDef) -> SqlError {
        let is_of_modifier =
            e.code == SqlState::INVALID_PARAMETER_VALUE && !e.message.starts_with("precision for type float");
        let tokens = if is_of_modifier { tokenize(&self.source).unwrap_or_default() } else { Vec::new() };
        match tokens.iter().find(|t| t.span.start >= column.name.span.end) {
            Some(t) => self.at(e, t.span.start),
            None => e,
        }
    }

    /// An error is at this place.
    pub(super) fn at(&self, e: SqlError, place: Location) -> SqlError {
        match position_of(&self.source, place) {
            Some(position) => e.with_position(position),
            None => e,
        }
    }

    /// An error is at the last of these words.
    pub(super) fn at_last_word(&self, e: SqlError, word: &str) -> SqlError {
        self.at_word_before(e, word, Location { line: u64::MAX, column: 0 })
    }

    /// An error is behind the first of these words.
    pub(super) fn at_behind_word(&self, e: SqlError, word: &str) -> SqlError {
        let tokens = tokenize(&self.source).unwrap_or_default();
        match tokens.windows(2).find(|pair| is_word(Some(&pair[0].token), word)) {
            Some(pair) => self.at(e, pair[1].span.start),
            None => e,
        }
    }

    /// An error is at the last of these words before a place.
    pub(super) fn at_word_before(&self, e: SqlError, word: &str, place: Location) -> SqlError {
        let tokens = tokenize(&self.source).unwrap_or_default();
        let before = tokens.iter().rev().skip_while(|t| t.span.start >= place);
        match before.into_iter().find(|t| is_word(Some(&t.token), word)) {
            Some(t) => self.at(e, t.span.start),
            None => e,
        }
    }
}
