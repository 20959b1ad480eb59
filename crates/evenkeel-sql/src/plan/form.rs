//! The expressions and the predicate of a table's indexes, bound; and what is read of an index instead of rows.
//!
//! Must not know: how entries are written, which index serves a query.

use super::Access;
use super::expr::Expr;
use crate::catalog::Index;
use evenkeel_types::Type;
use evenkeel_types::inverted::Inverted;
use std::sync::Arc;

/// What an index computes of a row; places are columns of the table.
#[derive(Clone, Debug, Default)]
pub struct IndexForm {
    /// Its expressions, in the order of its columns.
    pub expressions: Box<[Expr]>,
    /// Only rows of which it is true have entries.
    pub predicate: Option<Expr>,
}

/// Of every index of a table, in order; empty if all are made of columns alone.
pub type Forms = Arc<[IndexForm]>;

/// What is read of an index instead of the rows.
#[derive(Debug)]
pub struct FromKey {
    /// Its columns up to the last that is wanted.
    pub columns: Box<[KeyColumn]>,
    /// The types of its INCLUDE columns, if one of them is wanted.
    pub included: Box<[Type]>,
    /// Which of them go to which places of the table.
    pub to: Box<[(usize, usize)]>,
}

/// A column of an index that is read instead of the row.
#[derive(Debug)]
pub struct KeyColumn {
    /// Its type.
    pub ty: Type,
    /// DESC.
    pub desc: bool,
    /// Its key is a sort key, of a text.
    pub is_sort_key: bool,
    /// Its place in the table, if it is wanted.
    pub to: Option<usize>,
}

/// What a condition asks of an inverted index.
#[derive(Clone, Debug)]
pub struct InvertedAsk {
    /// Of which of its columns.
    pub column: usize,
    /// How values of that are taken apart.
    pub class: Inverted,
    /// The operator, with the column at its left.
    pub operator: &'static str,
    /// The value at its right.
    pub value: Expr,
}

impl Access {
    /// The index that is read, if it is one.
    pub fn index(&self) -> Option<&Arc<Index>> {
        match self {
            Access::All | Access::Current(_) | Access::Sample(_) | Access::Any { .. } => None,
            Access::Point { index, .. } | Access::Range { index, .. } | Access::Inverted { index, .. } => {
                Some(index)
            }
            Access::Multi { ranges, .. } => Some(&ranges.index),
            Access::Union { branches } => branches.first().map(|b| &b.index),
        }
    }
}
