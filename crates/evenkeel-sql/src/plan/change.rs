//! INSERT, UPDATE and DELETE, and what every change of a table must know.
//!
//! Must not know: how rows are written.

use super::expr::Expr;
use super::form::Forms;
use super::recheck::Recheck;
use super::{Node, Query};
use crate::catalog::{ForeignKey, Index, Table};
use evenkeel::LockMode;
use std::sync::Arc;

/// RETURNING: over the row of the table (and of FROM).
#[derive(Clone, Debug)]
pub struct Returning {
    /// The values.
    pub exprs: Box<[Expr]>,
    /// They read OLD or NEW, which stand behind so many places of the row: the table's row as it was and as it is, each with its row id, or NULLs.
    pub versions: Option<usize>,
}

/// WITH CHECK OPTION: what rows must satisfy that are written through a view.
#[derive(Clone, Debug)]
pub struct ViewCheck {
    /// The view's name.
    pub view: String,
    /// Over the table's row.
    pub condition: Expr,
}

/// What every change of a table must know.
#[derive(Debug)]
pub struct Target {
    /// The table.
    pub table: Arc<Table>,
    /// Of its indexes.
    pub forms: Forms,
    /// CHECK constraints over the table's row: (name, condition).
    pub checks: Vec<(String, Expr)>,
    /// Stored generated columns over the table's row.
    pub generated: Vec<(usize, Expr)>,
    /// Virtual generated columns that must not be NULL, likewise.
    pub not_null: Vec<(usize, Expr)>,
    /// Foreign keys of the table with what they refer to.
    pub foreign_keys: Vec<FkCheck>,
    /// Foreign keys of others (or of itself) that refer to this table.
    pub referencing: Vec<Referencing>,
}

/// A foreign key to check.
#[derive(Debug)]
pub struct FkCheck {
    /// The constraint.
    pub fk: ForeignKey,
    /// The referenced table.
    pub parent: Arc<Table>,
    /// Its unique index.
    pub index: Arc<Index>,
}

/// A foreign key that refers to the table.
#[derive(Debug)]
pub struct Referencing {
    /// The constraint.
    pub fk: ForeignKey,
    /// The table that has it.
    pub child: Arc<Table>,
    /// The target for CASCADE and its like: its number in the plan.
    pub target: Option<usize>,
    /// SET DEFAULT: values for the columns of the key.
    pub defaults: Vec<Expr>,
    /// SET NULL: the same, of which domains may fail.
    pub nulls: Vec<Expr>,
    /// ON UPDATE CASCADE: the same, over the referenced table's row.
    pub cascaded: Vec<Expr>,
}

/// INSERT; `Q`: the query whose rows it inserts.
#[derive(Clone, Debug)]
pub struct InsertPlan<Q = Query> {
    /// The table: its number among the plan's targets.
    pub target: usize,
    /// The rows.
    pub source: InsertSource<Q>,
    /// ON CONFLICT.
    pub conflict: Option<OnConflict>,
    /// What written rows must satisfy, by views that they are written through.
    pub view_checks: Box<[ViewCheck]>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// Where inserted rows come from.
#[derive(Clone, Debug)]
pub enum InsertSource<Q = Query> {
    /// VALUES: an expression for each column of the table.
    Rows(Vec<Box<[Expr]>>),
    /// A query, and an expression over its row for each column of the table.
    Query(Q, Box<[Expr]>),
}

/// ON CONFLICT.
#[derive(Clone, Debug)]
pub struct OnConflict {
    /// Indexes whose conflicts are handled (positions in the table's list); empty: any unique index.
    pub arbiters: Vec<usize>,
    /// DO UPDATE; None: DO NOTHING.
    pub update: Option<ConflictUpdate>,
}

/// DO UPDATE: over the existing row followed by the excluded row (each with a row id place).
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    /// SET.
    pub set: Box<[(usize, Expr)]>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// Strength of the lock that the change needs.
    pub lock: LockMode,
}

/// The rows that an UPDATE or DELETE visits.
#[derive(Debug)]
pub struct ChangedRows {
    /// Whence they come, with the row id.
    pub input: Node,
    /// Width of the input's buffer.
    pub width: usize,
    /// What a row changed meanwhile must still satisfy.
    pub recheck: Recheck,
}

/// UPDATE; `R`: the rows that it visits.
#[derive(Clone, Debug)]
pub struct UpdatePlan<R = ChangedRows> {
    /// The table: its number among the plan's targets.
    pub target: usize,
    /// The rows to change, with every column.
    pub rows: R,
    /// Where the table's columns begin in it.
    pub at: usize,
    /// SET.
    pub set: Box<[(usize, Expr)]>,
    /// Indexes (positions) that have a changed column.
    pub indexes: Box<[usize]>,
    /// Strength of the lock that the change needs.
    pub lock: LockMode,
    /// How many rows it changes depends on columns of unique indexes only: the answer need not wait for changes of others.
    pub counts_keys_only: bool,
    /// What written rows must satisfy, by views that they are written through.
    pub view_checks: Box<[ViewCheck]>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// DELETE; `R`: the rows that it visits.
#[derive(Clone, Debug)]
pub struct DeletePlan<R = ChangedRows> {
    /// The table: its number among the plan's targets.
    pub target: usize,
    /// The rows to delete, with the columns of indexes.
    pub rows: R,
    /// Where the table's columns begin in it.
    pub at: usize,
    /// The table's columns that are read.
    pub wanted: Box<[usize]>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// MERGE; `R`: the rows of its source, with the target's where they match.
#[derive(Clone, Debug)]
pub struct MergePlan<R = ChangedRows> {
    /// The table: its number among the plan's targets.
    pub target: usize,
    /// The rows: the table's with every column, NULL where none matches, and the source's.
    pub rows: R,
    /// Where the table's columns begin in it.
    pub at: usize,
    /// With BY SOURCE: a place that is NULL where no row of the source matches.
    pub source: Option<usize>,
    /// WHEN, in order: the first that fits a row counts.
    pub clauses: Box<[MergeClause]>,
    /// The slot where `merge_action()` finds what was done.
    pub action: usize,
    /// What written rows must satisfy, by views that they are written through.
    pub view_checks: Box<[ViewCheck]>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// Which rows a WHEN is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeMatch {
    /// MATCHED
    Matched,
    /// NOT MATCHED BY SOURCE: rows of the table that no row of the source matches.
    BySource,
    /// NOT MATCHED BY TARGET: rows of the source that match none of the table's.
    ByTarget,
}

/// WHEN.
#[derive(Clone, Debug)]
pub struct MergeClause {
    /// Which rows it is for.
    pub rows: MergeMatch,
    /// AND.
    pub condition: Option<Expr>,
    /// THEN.
    pub action: MergeAction,
}

/// What is done with a row.
#[derive(Clone, Debug)]
pub enum MergeAction {
    /// DO NOTHING
    Nothing,
    /// INSERT: an expression for each column of the table.
    Insert(Box<[Expr]>),
    /// UPDATE.
    Update {
        /// SET.
        set: Box<[(usize, Expr)]>,
        /// Indexes (positions) that have a changed column.
        indexes: Box<[usize]>,
        /// Strength of the lock that the change needs.
        lock: LockMode,
    },
    /// DELETE
    Delete,
}

impl MergeClause {
    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.condition.iter().for_each(&mut *f);
        match &self.action {
            MergeAction::Nothing | MergeAction::Delete => {}
            MergeAction::Insert(exprs) => exprs.iter().for_each(f),
            MergeAction::Update { set, .. } => set.iter().for_each(|(_, e)| f(e)),
        }
    }
}

impl<R> MergePlan<R> {
    /// With another kind of rows.
    pub fn try_map<S, E>(self, f: impl FnOnce(R) -> Result<S, E>) -> Result<MergePlan<S>, E> {
        let MergePlan { target, rows, at, source, clauses, action, view_checks, returning } = self;
        Ok(MergePlan { target, rows: f(rows)?, at, source, clauses, action, view_checks, returning })
    }
}

impl<Q> InsertPlan<Q> {
    /// With another kind of query.
    pub fn try_map<P, E>(self, f: impl FnOnce(Q) -> Result<P, E>) -> Result<InsertPlan<P>, E> {
        let InsertPlan { target, source, conflict, view_checks, returning } = self;
        let source = match source {
            InsertSource::Rows(rows) => InsertSource::Rows(rows),
            InsertSource::Query(q, exprs) => InsertSource::Query(f(q)?, exprs),
        };
        Ok(InsertPlan { target, source, conflict, view_checks, returning })
    }
}

impl<R> UpdatePlan<R> {
    /// With another kind of rows.
    pub fn try_map<S, E>(self, f: impl FnOnce(R) -> Result<S, E>) -> Result<UpdatePlan<S>, E> {
        Ok(UpdatePlan {
            rows: f(self.rows)?,
            target: self.target,
            at: self.at,
            set: self.set,
            indexes: self.indexes,
            lock: self.lock,
            counts_keys_only: self.counts_keys_only,
            view_checks: self.view_checks,
            returning: self.returning,
        })
    }
}

impl<R> DeletePlan<R> {
    /// With another kind of rows.
    pub fn try_map<S, E>(self, f: impl FnOnce(R) -> Result<S, E>) -> Result<DeletePlan<S>, E> {
        let DeletePlan { target, rows, at, wanted, returning } = self;
        Ok(DeletePlan { target, rows: f(rows)?, at, wanted, returning })
    }
}

impl ChangedRows {
    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.input.all_exprs(f);
        self.recheck.exprs(f);
    }
}
