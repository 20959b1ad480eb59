//! Which rows of a table a scan visits: all, or those that an index has for some keys, lists of keys, and bounds.
//!
//! Invariants:
//! 1. Lists, bounds and keys read no column of the table itself; columns of relations that are joined earlier stand in the same buffer.
//! 2. Several lists have so many combinations at most as `access` lets through, as far as it knows: arrays that come with an execution may be longer than it takes them to
//!    be, and a column have more values than ANALYZE has told; a scan that finds more of them takes longer, and is right.
//!
//! Must not know: how a way is chosen, cursors.

use super::expr::Expr;
use super::{InvertedAsk, Sample};
use crate::catalog::Index;
use evenkeel_types::{Datum, Type};
use std::sync::Arc;

/// Which rows of a table are visited.
#[derive(Debug)]
#[allow(missing_docs)] // The fields are explained with their variants.
pub enum Access {
    /// All.
    All,
    /// The one that a cursor stands on.
    Current(Arc<str>),
    /// Those that are drawn.
    Sample(Box<Sample>),
    /// One at most: every column of a unique index is given.
    Point { index: Arc<Index>, keys: Box<[KeyPart]> },
    /// Those under some leading columns of an index, and within bounds of the next.
    Range { index: Arc<Index>, keys: Box<[KeyPart]>, bounds: Option<Bounds> },
    /// Those that an inverted index has for all that is asked of it.
    Inverted { index: Arc<Index>, asks: Box<[InvertedAsk]> },
    /// Those in any of several ranges of one or more indexes, each once.
    Any { branches: Box<[Ranges]> },
    /// The same of one index, in its order.
    Union { branches: Box<[Ranges]> },
    /// Those in several ranges of an index, in its order; or one at most for each key (`point`): every column of a unique index is given.
    Multi { ranges: Ranges, point: bool },
}

/// A value that an index column must have.
#[derive(Debug, Clone)]
pub struct KeyPart {
    /// The value; it reads no column of the table itself.
    pub expr: Expr,
    /// The index column's type.
    pub ty: Type,
    /// What is NULL is asked for (IS NULL).
    pub is_null: bool,
}

/// The values of an IN list, or those that a column has.
#[derive(Debug, Clone)]
pub enum KeyList {
    /// Written out.
    Exprs(Box<[Expr]>),
    /// An array.
    Array(Expr),
    /// Whatever the column has, within bounds: few different values, which are looked for one by one (PostgreSQL: skip scan).
    Each(Option<Bounds>),
}

impl KeyList {
    /// How many values it has, if that is known before it is computed.
    pub fn known_len(&self) -> Option<usize> {
        match self {
            KeyList::Exprs(list) | KeyList::Array(Expr::Array(_, list)) => Some(list.len()),
            KeyList::Array(Expr::Const(Datum::Array(a))) => Some(a.values.len()),
            KeyList::Array(_) | KeyList::Each(_) => None,
        }
    }

    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            KeyList::Exprs(list) => list.iter().for_each(f),
            KeyList::Array(e) => f(e),
            KeyList::Each(bounds) => bounds.iter().for_each(|b| b.exprs(f)),
        }
    }
}

impl Access {
    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Access::All | Access::Current(_) => {}
            Access::Sample(s) => s.exprs().for_each(f),
            Access::Point { keys, .. } => keys.iter().for_each(|k| f(&k.expr)),
            Access::Range { keys, bounds, .. } => {
                keys.iter().for_each(|k| f(&k.expr));
                bounds.iter().for_each(|b| b.exprs(f));
            }
            Access::Any { branches } | Access::Union { branches } => branches.iter().for_each(|b| b.exprs(f)),
            Access::Multi { ranges, .. } => ranges.exprs(f),
            Access::Inverted { asks, .. } => asks.iter().for_each(|a| f(&a.value)),
        }
    }
}

/// Ranges of an index: those under some leading columns, some of which take each value of a list in turn, each value of one with each of the others; and within bounds
/// of the next.
#[derive(Debug, Clone)]
pub struct Ranges {
    /// Which index.
    pub index: Arc<Index>,
    /// Values of its leading columns; NULL where there is a list.
    pub keys: Box<[KeyPart]>,
    /// Lists, and of which of the columns.
    pub lists: Box<[(usize, KeyList)]>,
    /// Bounds of what follows them.
    pub bounds: Option<Bounds>,
}

impl Ranges {
    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.keys.iter().for_each(|k| f(&k.expr));
        self.lists.iter().for_each(|(_, list)| list.exprs(f));
        self.bounds.iter().for_each(|b| b.exprs(f));
    }
}

/// Bounds of the index columns that follow those with one value: all of them hold, and the first of the columns is not NULL.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// From below.
    pub low: Vec<Bound>,
    /// From above.
    pub high: Vec<Bound>,
}

/// A bound of one column or, compared as a row, of several.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The values; their columns have the same direction.
    pub parts: Box<[KeyPart]>,
    /// Whether what equals them is within.
    pub inclusive: bool,
}

impl Bounds {
    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        let parts = self.low.iter().chain(&self.high).flat_map(|b| b.parts.iter());
        parts.for_each(|p| f(&p.expr));
    }
}
