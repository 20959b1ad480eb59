//! Common table expressions as they are run.
//!
//! Must not know: names in scope.

use super::{PlanKind, Query};

/// A common table expression.
#[derive(Debug)]
pub struct Cte {
    /// Its name.
    pub name: String,
    /// Its rows; of one that is recursive the first.
    pub query: Query,
    /// What a recursive one goes on with.
    pub step: Option<CteStep>,
    /// The change that it makes, instead of a query: its rows are what RETURNING gives.
    pub change: Option<Box<PlanKind>>,
    /// Values put aside by enclosing levels that it reads.
    pub reads: Box<[usize]>,
}

impl Cte {
    /// Its queries.
    pub fn queries(&self) -> impl Iterator<Item = &Query> {
        std::iter::once(&self.query).chain(self.step.iter().map(|s| &s.query))
    }
}

/// The recursive term: run again and again over the rows that it gave last.
#[derive(Debug)]
pub struct CteStep {
    /// Its rows.
    pub query: Query,
    /// UNION ALL: rows that were there before are given again.
    pub all: bool,
    /// Where it is put aside which turn of the step it is: what is made of the rows that were given last is of one turn.
    pub slot: usize,
}

/// Which rows a scan of a common table expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CteReading {
    /// All of them, the same at any time.
    Kept,
    /// All of them; what it reads of enclosing levels may have changed.
    Anew,
    /// Those that a recursive one gave last.
    Work,
}
