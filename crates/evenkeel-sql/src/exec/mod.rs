//! The executor: plans are run by pulling rows.
//!
//! A state tree mirrors the plan tree; `node::next` is given both, the context and the row buffer. A portal keeps the state between
//! runs; the plan itself is never changed.
//!
//! Invariants:
//! 1. A state is used with the node that it was made for.
//! 2. Everything that grows with the data is counted against the statement's memory (`Memory`); past it the statement fails with 53200. Sorts, hash tables
//!    and rows that are kept go to temporary files (`spill`) long before, at `work_mem`.
//!
//! Must not know: SQL syntax, sessions.
//!
#![doc = include_str!("README.md")]

pub mod aggregate;
pub mod analyze;
pub(crate) mod backfill;
pub mod build;
mod chains;
pub mod change;
pub mod conflict;
pub mod copy;
pub mod copy_binary;
pub mod copy_out;
pub mod cte;
pub mod deferred;
mod distinct;
mod early;
mod entries;
pub mod eval;
pub mod fill;
pub mod foreign;
mod hash;
mod in_order;
pub mod inverted;
mod json_query;
mod json_table;
pub mod keys;
pub(crate) mod large_object;
mod later;
pub mod limit;
mod lists;
mod merge;
mod neighbors;
pub mod node;
pub mod numbered;
mod ranges;
pub mod recheck;
pub mod referenced;
pub mod rowset;
mod sample;
pub mod scan;
mod seen;
pub mod set_operation;
pub mod sets;
pub mod sort;
mod sortable;
pub mod spill;
pub mod statistics;
pub mod subquery;
mod told;
pub mod unique;
pub mod window;
mod xact;

use crate::catalog::views::ViewContext;
use crate::catalog::{Catalog, Changed};
use crate::of_database::RowCounts;
use crate::plan::Plan;
use crate::plan::explain::{Did, Measurements};
use evenkeel::{Database, Interrupt, Transaction, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;
use evenkeel_types::{Datum, EvalCtx};
use spill::Budget;
use std::collections::HashSet;
use std::sync::Arc;

/// A row kept in memory.
pub type Row = Box<[Datum]>;

/// What running a statement needs.
pub struct Cx<'a> {
    /// The transaction.
    pub txn: &'a mut Transaction,
    /// The database.
    pub db: &'a Database,
    /// The statement.
    pub plan: &'a Plan,
    /// Its parameters.
    pub params: &'a [Datum],
    /// For functions.
    pub eval: EvalCtx<'a>,
    /// What is kept between runs.
    pub run: &'a mut RunState,
    /// The transaction's checks that are put off to its end.
    pub deferred: &'a mut deferred::Deferred,
    /// Cancels the statement.
    pub interrupt: &'a Interrupt,
    /// REPEATABLE READ: one snapshot for the whole transaction.
    pub is_snapshot_isolation: bool,
    /// `session_replication_role = replica`: rows come from elsewhere, where foreign keys were looked at.
    pub is_replica: bool,
    /// The catalog's version when the transaction's snapshot was taken, if it keeps one.
    pub snapshot_version: Option<u64>,
    /// The catalog as the transaction sees it.
    pub catalog: &'a Catalog,
    /// The role that runs the statement, unless it is a superuser, who may read everything.
    pub role: Option<u32>,
    /// For system views.
    pub views: &'a dyn ViewContext,
}

impl Cx<'_> {
    /// Fails if the statement was canceled, or has to give way.
    #[inline]
    pub fn check_interrupt(&self) -> Result<(), SqlError> {
        if self.interrupt.is_canceled() {
            return Err(evenkeel::Error::Canceled.into());
        }
        if guard::memory::is_tight() { guard::check() } else { Ok(()) }
    }
}

/// What a statement keeps between runs, besides its state tree.
pub struct RunState {
    /// Values that levels put aside for one another.
    pub outer: Vec<Datum>,
    /// What the conditions of the CASE compare that is evaluated now.
    pub operand: Datum,
    /// Long lists that values are looked for in.
    lists: lists::Lists,
    /// Subqueries.
    pub subqueries: Vec<subquery::SubState>,
    /// Rows of common table expressions.
    pub ctes: Vec<cte::CteRun>,
    /// Of a statement with several changes: what is left to do of those that are made, with the number of the table.
    pub unfinished: Vec<(usize, change::Writer)>,
    /// The statement's memory.
    pub memory: Memory,
    /// What its nodes may take.
    pub budget: Arc<Budget>,
    /// Rows that were met, until the session counts them.
    pub rows: RowCounts,
    /// What was done to the rows of tables, by their OIDs, until the session takes it.
    pub changed: smallvec::SmallVec<[(u32, Changed); 1]>,
    /// Statistics that were given, until the session takes them.
    pub given_statistics: Vec<statistics::Given>,
    /// EXPLAIN ANALYZE: what nodes do.
    pub measured: Option<Box<Measurements>>,
    /// Keys of referenced rows that this statement has locked already.
    pub locked_parents: foreign::LockedParents,
    /// Rows that the statement has locked in a newer version than it sees, and has not written.
    outdated: HashSet<(TreeId, u64)>,
    /// Later statements of the transaction have run since it began.
    pub is_resumed: bool,
}

impl RunState {
    /// For a plan.
    pub fn new(plan: &Plan, budget: &Arc<Budget>) -> RunState {
        RunState {
            outer: vec![Datum::Null; plan.outer_slots],
            operand: Datum::Null,
            lists: Default::default(),
            subqueries: plan.subplans.iter().map(|_| subquery::SubState::default()).collect(),
            ctes: plan.ctes.iter().map(|_| cte::CteRun::default()).collect(),
            unfinished: Vec::new(),
            memory: Memory { used_bytes: 0, limit_bytes: budget.statement_bytes },
            budget: budget.clone(),
            rows: RowCounts::default(),
            changed: Default::default(),
            given_statistics: Vec::new(),
            measured: None,
            locked_parents: Default::default(),
            outdated: HashSet::new(),
            is_resumed: false,
        }
    }

    /// For EXPLAIN ANALYZE: what the node that runs does.
    #[inline]
    pub fn tell(&mut self, what: impl FnOnce(&mut Did)) {
        if let Some(all) = &mut self.measured {
            what(all.running());
        }
    }
}

/// Counts a statement's memory.
pub struct Memory {
    used_bytes: usize,
    limit_bytes: usize,
}

impl Memory {
    /// Of what may take so much.
    pub fn of(limit_bytes: usize) -> Memory {
        Memory { used_bytes: 0, limit_bytes }
    }

    /// Takes some.
    pub fn grow(&mut self, bytes: usize) -> Result<(), SqlError> {
        self.used_bytes += bytes;
        if self.used_bytes > self.limit_bytes {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory").with_detail(format!(
                "The statement needs more than its limit of {} kB for sorting, hashing or keeping rows.",
                self.limit_bytes >> 10
            )));
        }
        Ok(())
    }

    /// Gives some back.
    pub fn shrink(&mut self, bytes: usize) {
        self.used_bytes = self.used_bytes.saturating_sub(bytes);
    }

    /// What is left.
    pub fn left_bytes(&self) -> usize {
        self.limit_bytes.saturating_sub(self.used_bytes)
    }
}

/// Memory that a row occupies.
pub fn row_bytes(row: &[Datum]) -> usize {
    16 + row.iter().map(Datum::memory_bytes).sum::<usize>()
}
