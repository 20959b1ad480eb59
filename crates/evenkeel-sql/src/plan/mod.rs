//! The plan of a statement: one representation, made once and run many times.
//!
//! A query level has one row buffer. Every relation of its FROM clause owns a range of it, fixed when names are resolved, so joins need
//! no renumbering: a scan writes its range, a join runs its sides over the same buffer. A node that makes a different row (projection,
//! aggregation, subquery) runs its input over a buffer of its own.
//!
//! Invariants:
//! 1. A base table with n columns owns n + 1 places: the last is the row id, filled where a scan says so.
//! 2. `Expr::Column` in a node's expressions refers to the buffer that its input writes.
//!
//! Must not know: the executor's state, sessions, SQL syntax.
//!
#![doc = include_str!("README.md")]

pub mod access;
mod any_of;
mod beginning;
pub mod bound;
pub mod build;
mod change;
mod cte;
mod equal;
pub mod estimate;
pub mod explain;
pub mod expr;
mod extremes;
mod fetching;
mod first;
mod flatten;
pub mod fold;
pub mod form;
mod given_order;
mod hashed;
pub mod implied;
mod inverted;
pub mod join;
pub mod json_query;
pub mod json_table;
mod late;
mod one_of;
mod order;
mod passed;
pub mod privileges;
mod project_set;
mod pull;
mod qual_cost;
pub mod recheck;
mod relations;
mod rests;
mod sample;
mod sort;
pub mod spelled;
mod together;
mod top;
mod unread;
mod visited;
pub mod window;
mod windows;

pub use change::{
    ChangedRows, ConflictUpdate, DeletePlan, FkCheck, InsertPlan, InsertSource, MergeAction, MergeClause,
    MergeMatch, MergePlan, OnConflict, Referencing, Returning, Target, UpdatePlan, ViewCheck,
};
pub use cte::{Cte, CteReading, CteStep};
pub use form::{FromKey, InvertedAsk, KeyColumn};
pub use rests::Rests;
pub use sample::{Method, Sample};
pub use sort::{Sort, SortKey};
pub use visited::{Access, Bound, Bounds, KeyList, KeyPart, Ranges};

use crate::catalog::locks::TableLockMode;
use crate::catalog::views::VirtualTable;
use crate::catalog::{Index, Table};
use evenkeel::{LockMode, WaitPolicy};
use evenkeel_types::error::SqlError;
use evenkeel_types::{AggFn, Collation, Type};
use expr::Expr;
pub use hashed::Hashed;
use recheck::Recheck;
use std::ops::Range;
use std::sync::Arc;

/// A result column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its modifier, -1 for none.
    pub typmod: i32,
    /// OID of the table that it comes from, or 0.
    pub table_oid: u32,
    /// Its number in that table, from 1, or 0.
    pub attnum: i16,
    /// What its texts are compared in.
    pub collation: Collation,
}

impl Column {
    /// One that comes from no table.
    pub fn of(name: String, ty: Type, typmod: i32) -> Column {
        Column { name, ty, typmod, table_oid: 0, attnum: 0, collation: Collation::default() }
    }

    /// As it is known outside of its statement: there the modifier of a record's type means nothing.
    pub(crate) fn outside(self) -> Column {
        let is_record = matches!(self.ty, Type::Record | Type::RecordArray);
        let typmod = if is_record { -1 } else { self.typmod };
        Column { typmod, ..self }
    }
}

/// A table lock that a statement takes before it runs.
#[derive(Clone, Debug)]
pub struct LockNeed {
    /// The table as planned.
    pub table: Arc<Table>,
    /// How.
    pub mode: TableLockMode,
}

/// What a cursor has beside its columns: which rows of which tables it stands on.
#[derive(Clone, Debug)]
pub struct CursorRows {
    /// For each further column, the table whose row it has the id of.
    pub tables: Arc<[u32]>,
    /// They are those that FOR UPDATE or the like locks.
    pub are_locked: bool,
    /// They are sorted or joined before the cursor gives them: it stands on none of them, unless they are locked.
    pub are_mixed: bool,
}

/// A planned statement.
#[derive(Debug)]
pub struct Plan {
    /// What it does.
    pub kind: PlanKind,
    /// Its result columns; None: it returns no rows.
    pub columns: Option<Arc<[Column]>>,
    /// Types of its parameters.
    pub param_types: Vec<Type>,
    /// The domains that they are told to be of, as far as some are.
    pub param_domains: Vec<Option<u32>>,
    /// What is wrong with their types, for whoever prepares it.
    pub undetermined: Option<SqlError>,
    /// Tables to lock.
    pub locks: Vec<LockNeed>,
    /// What whoever runs it must be allowed to do.
    pub needs: privileges::Needs,
    /// Its subqueries, by number; one that became a join has nothing to do here.
    pub subplans: Vec<Query>,
    /// The values put aside by enclosing levels that each subquery, or one in it, reads.
    pub subplan_reads: Vec<Box<[usize]>>,
    /// Which subqueries may give something else each time.
    pub subplan_volatile: Vec<bool>,
    /// WHERE of those whose EXISTS is like a join, over the row of their level (see `recheck`).
    pub subplan_where: Vec<Option<Expr>>,
    /// The other way of those that EXISTS asks.
    pub subplan_hashed: Vec<Option<Hashed>>,
    /// Its common table expressions, by number: each is run once and its rows are kept.
    pub ctes: Vec<Cte>,
    /// Tables that it changes, cascades included.
    pub targets: Vec<Target>,
    /// How many values levels put aside for one another.
    pub outer_slots: usize,
    /// The catalog version that it was made from.
    pub version: u64,
    /// It changes rows.
    pub writes: bool,
    /// Of a cursor: what its rows have behind their columns.
    pub cursor_rows: Option<CursorRows>,
    /// How deep its trees are at most.
    pub depth: usize,
    /// Why it cannot be run, whatever there is to read: a constant call fails.
    pub fails: Option<SqlError>,
    /// Why it cannot be run before others have done something: it reads a materialized view that has no rows yet.
    pub lacks: Option<SqlError>,
}

impl Plan {
    /// Fails if running it would. It may be described all the same.
    pub fn check_runs(&self) -> Result<(), SqlError> {
        self.fails.clone().map_or(Ok(()), Err)
    }

    /// Fails if it cannot be prepared. It may be run, by whoever says the types of its parameters.
    pub fn check_prepared(&self) -> Result<(), SqlError> {
        self.undetermined.clone().map_or(Ok(()), Err)
    }

    /// Fails if it cannot be run now. It may be described and explained all the same.
    pub fn check_ready(&self) -> Result<(), SqlError> {
        self.lacks.clone().map_or(Ok(()), Err)
    }

    /// One that does nothing.
    pub fn nothing(version: u64) -> Plan {
        Plan {
            kind: PlanKind::Query(Query::nothing()),
            columns: None,
            param_types: Vec::new(),
            param_domains: Vec::new(),
            undetermined: None,
            locks: Vec::new(),
            needs: privileges::Needs::default(),
            subplans: Vec::new(),
            subplan_reads: Vec::new(),
            subplan_volatile: Vec::new(),
            subplan_where: Vec::new(),
            subplan_hashed: Vec::new(),
            ctes: Vec::new(),
            targets: Vec::new(),
            outer_slots: 0,
            version,
            writes: false,
            cursor_rows: None,
            depth: 0,
            fails: None,
            lacks: None,
        }
    }

    /// What it changes first of all, for errors: the words of its command.
    pub fn verb(&self) -> &'static str {
        match &self.kind {
            PlanKind::Query(_) if !self.writes => "SELECT FOR UPDATE",
            kind => kind.verb(),
        }
    }

    /// Whether common table expressions change rows.
    pub fn has_changing_ctes(&self) -> bool {
        self.ctes.iter().any(|c| c.change.is_some())
    }
}

/// What a statement does.
#[derive(Debug)]
pub enum PlanKind {
    /// SELECT, VALUES.
    Query(Query),
    /// INSERT.
    Insert(Box<InsertPlan>),
    /// UPDATE.
    Update(Box<UpdatePlan>),
    /// DELETE.
    Delete(Box<DeletePlan>),
    /// MERGE.
    Merge(Box<MergePlan>),
}

impl PlanKind {
    /// The command.
    pub fn verb(&self) -> &'static str {
        match self {
            PlanKind::Query(_) => "SELECT",
            PlanKind::Insert(_) => "INSERT",
            PlanKind::Update(_) => "UPDATE",
            PlanKind::Delete(_) => "DELETE",
            PlanKind::Merge(_) => "MERGE",
        }
    }

    /// Visits its expressions, but those that come from definitions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        let no_checks: &[ViewCheck] = &[];
        let (checks, returning) = match self {
            PlanKind::Query(q) => {
                q.root.all_exprs(f);
                (no_checks, &None)
            }
            PlanKind::Insert(i) => {
                match &i.source {
                    InsertSource::Rows(rows) => rows.iter().flat_map(|r| r.iter()).for_each(&mut *f),
                    InsertSource::Query(q, exprs) => {
                        q.root.all_exprs(f);
                        exprs.iter().for_each(&mut *f);
                    }
                }
                if let Some(u) = i.conflict.as_ref().and_then(|c| c.update.as_ref()) {
                    u.set.iter().for_each(|(_, e)| f(e));
                    u.condition.iter().for_each(&mut *f);
                }
                (&*i.view_checks, &i.returning)
            }
            PlanKind::Update(u) => {
                u.rows.exprs(f);
                u.set.iter().for_each(|(_, e)| f(e));
                (&*u.view_checks, &u.returning)
            }
            PlanKind::Delete(d) => {
                d.rows.exprs(f);
                (no_checks, &d.returning)
            }
            PlanKind::Merge(m) => {
                m.rows.exprs(f);
                m.clauses.iter().for_each(|c| c.exprs(f));
                (&*m.view_checks, &m.returning)
            }
        };
        checks.iter().for_each(|c| f(&c.condition));
        returning.iter().flat_map(|r| r.exprs.iter()).for_each(f);
    }
}

/// A query: a tree of nodes and the shape of its rows.
#[derive(Debug)]
pub struct Query {
    /// The tree.
    pub root: Node,
    /// Width of the buffer that the root writes.
    pub width: usize,
    /// How many of its first columns are results (others served ORDER BY).
    pub visible: usize,
    /// The common table expressions of its WITH clause, as far as anybody needs to know.
    pub with: Vec<usize>,
}

impl Query {
    /// One that gives nothing.
    pub fn nothing() -> Query {
        Query { root: Node::new(Op::Nothing, 0.0, 0.0), width: 0, visible: 0, with: Vec::new() }
    }
}

/// A node with the planner's estimates.
#[derive(Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Rows expected.
    pub rows: f64,
    /// Cost in page reads, roughly.
    pub cost: f64,
    /// Of a subquery in FROM and its like: its first place, and what the statement calls it.
    pub called: Option<(usize, Arc<bound::Called>)>,
}

/// What a node does. `at`: its first place in the buffer; `width`: how wide the input's own buffer is.
#[derive(Debug)]
#[allow(missing_docs)] // The fields are explained with their variants.
pub enum Op {
    /// One row without columns.
    Single,
    /// Nothing.
    Nothing,
    /// Constant rows.
    Values { at: usize, rows: Vec<Box<[Expr]>> },
    /// A table, read in full or through an index.
    Scan(Box<Scan>),
    /// A system view.
    Virtual { table: &'static VirtualTable, at: usize },
    /// A function that returns rows.
    Function { function: SetFunction, at: usize, ordinality: bool },
    /// A subquery in FROM.
    Subquery { query: Box<Query>, at: usize, name: String },
    /// A common table expression.
    Cte { number: usize, at: usize, name: String, reading: CteReading },
    /// For each row of the outer side the inner side is run again.
    NestedLoop(Box<NestedLoop>),
    /// The inner side is kept in a hash table.
    HashJoin(Box<HashJoin>),
    /// Rows kept in memory, to be read again: of these places.
    Materialize { input: Box<Node>, places: Box<[Range<usize>]>, varies: bool },
    /// Rows that satisfy a condition.
    Filter { input: Box<Node>, condition: Expr },
    /// A new row from each row. Set-returning functions make several.
    Project { input: Box<Node>, width: usize, exprs: Box<[Expr]>, sets: Box<[(usize, SetCall)]> },
    /// Groups and aggregates: keys, then aggregates.
    Aggregate(Box<Aggregate>),
    /// Functions over a window, beside the input's row.
    Window(Box<window::WindowAgg>),
    /// Ordered rows.
    Sort(Box<Sort>),
    /// The first rows of each distinct combination.
    Distinct(Box<Distinct>),
    /// Some rows; with those behind them that have the same `ties` as the last.
    Limit { input: Box<Node>, limit: Option<Expr>, offset: Option<Expr>, ties: Box<[Expr]> },
    /// Row locks.
    Lock(Box<LockRows>),
    /// UNION, INTERSECT, EXCEPT.
    SetOperation { op: SetOp, all: bool, left: Box<Query>, right: Box<Query>, width: usize },
}

/// How a table is read.
#[derive(Debug)]
pub struct Scan {
    /// The table.
    pub table: Arc<Table>,
    /// Its name in the statement.
    pub alias: String,
    /// Where its columns begin in the buffer.
    pub at: usize,
    /// Columns that are decoded first: those that the condition reads.
    pub tested: Box<[usize]>,
    /// The other columns to decode, of rows that satisfy it.
    pub wanted: Box<[usize]>,
    /// Those are left to whoever reads the rows: many of which it does not take.
    pub is_late: bool,
    /// Whether to fill in the row id.
    pub row_id: bool,
    /// Through which index.
    pub access: Access,
    /// Last to first.
    pub backward: bool,
    /// Of a range of an index: rows are fetched in the order of the table, many at a time, for their order does not matter.
    pub batched: bool,
    /// All that is wanted is in the index, and rows are not fetched.
    pub from_key: Option<FromKey>,
    /// A condition on the rows.
    pub filter: Option<Expr>,
}

/// How the rows of two sides are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinKind {
    /// Those that match.
    Inner,
    /// Also outer rows without a match, with NULLs.
    Left,
    /// Also rows of either side without a match.
    Full,
    /// Outer rows with a match, each once.
    Semi,
    /// Outer rows without a match.
    Anti,
}

/// A nested loop.
#[derive(Debug)]
pub struct NestedLoop {
    /// Inner or left.
    pub kind: JoinKind,
    /// The outer side.
    pub outer: Node,
    /// The inner side.
    pub inner: Node,
    /// Values of the outer row that the inner side reads: (slot, value).
    pub set: Box<[(usize, Expr)]>,
    /// What a pair must satisfy.
    pub condition: Option<Expr>,
    /// The inner side's places in the buffer.
    pub inner_at: Box<[Range<usize>]>,
}

/// A hash join.
#[derive(Debug)]
pub struct HashJoin {
    /// Which rows it gives.
    pub kind: JoinKind,
    /// The outer side.
    pub outer: Node,
    /// The inner side.
    pub inner: Node,
    /// Keys of the outer row.
    pub outer_keys: Box<[Expr]>,
    /// Keys of the inner row.
    pub inner_keys: Box<[Expr]>,
    /// What else a pair must satisfy.
    pub condition: Option<Expr>,
    /// The inner side's places in the buffer that anything reads.
    pub inner_places: Box<[usize]>,
    /// The outer side's, where its rows are kept or may be missing.
    pub outer_places: Box<[usize]>,
    /// The outer side is kept in the hash table, and the inner one streamed; else the other way round.
    pub keeps_outer: bool,
    /// Rows have to come in the order of the streamed side: nothing goes to files.
    pub in_order: bool,
    /// The side that is kept reads values put aside by others, so it is read again after each reset.
    pub kept_varies: bool,
}

/// One side of a hash join: its rows, their keys and places.
pub type HashSide<'a> = (&'a Node, &'a [Expr], &'a [usize]);

impl HashJoin {
    /// The side that is kept, and the one that is streamed.
    pub fn sides(&self) -> (HashSide<'_>, HashSide<'_>) {
        let outer = (&self.outer, &self.outer_keys[..], &self.outer_places[..]);
        let inner = (&self.inner, &self.inner_keys[..], &self.inner_places[..]);
        if self.keeps_outer { (outer, inner) } else { (inner, outer) }
    }

    /// Rows that are kept are given although nothing matched them.
    pub fn gives_unmatched_kept(&self) -> bool {
        match self.kind {
            JoinKind::Full => true,
            JoinKind::Left | JoinKind::Anti => self.keeps_outer,
            JoinKind::Inner | JoinKind::Semi => false,
        }
    }
}

/// DISTINCT.
#[derive(Debug)]
pub struct Distinct {
    /// The rows.
    pub input: Node,
    /// What tells them apart.
    pub keys: Box<[Expr]>,
    /// Rows that are alike come one after the other.
    pub sorted: bool,
    /// Places of a row.
    pub places: Box<[usize]>,
}

/// Aggregation.
#[derive(Debug)]
pub struct Aggregate {
    /// The rows.
    pub input: Node,
    /// Width of the input's buffer.
    pub width: usize,
    /// GROUP BY. Of grouping sets the last key stands for the number of the set, from 1.
    pub keys: Box<[Expr]>,
    /// Grouping sets: which keys each has, the others being NULL; none: all keys together.
    pub sets: Box<[Box<[usize]>]>,
    /// Aggregates.
    pub calls: Box<[AggCall]>,
    /// Without GROUP BY there is always one row.
    pub plain: bool,
    /// The rows of a group come one after the other.
    pub comes_together: bool,
}

/// One aggregate.
#[derive(Debug, Clone)]
pub struct AggCall {
    /// The function.
    pub f: &'static AggFn,
    /// Types of its arguments.
    pub arg_types: Vec<Type>,
    /// Its arguments.
    pub args: Box<[Expr]>,
    /// DISTINCT.
    pub distinct: bool,
    /// FILTER.
    pub filter: Option<Expr>,
    /// ORDER BY inside the call, or of WITHIN GROUP.
    pub order: Box<[SortKey]>,
    /// Nobody wrote that order: it is DISTINCT's, of an aggregate whose result has one.
    pub is_order_implied: bool,
    /// WITHIN GROUP. Such a call has no other arguments than these and what it is ordered by.
    pub within: Option<Box<WithinGroup>>,
}

/// What an ordered-set aggregate is given besides its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct WithinGroup {
    /// Its direct arguments: once grouped, they are over the row of keys.
    pub direct: Box<[Expr]>,
    /// They are a row, beside which each of the others is put.
    pub is_hypothetical: bool,
}

impl AggCall {
    /// Visits its expressions over the rows that it is given.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.args.iter().chain(&self.filter).for_each(&mut *f);
        self.order.iter().for_each(|k| f(&k.expr));
    }

    /// Its direct arguments, which are over the row of keys.
    pub fn direct(&self) -> &[Expr] {
        self.within.as_ref().map_or(&[], |w| &w.direct)
    }

    /// The same, to be changed.
    pub fn direct_mut(&mut self) -> &mut [Expr] {
        self.within.as_mut().map_or(&mut [], |w| &mut w.direct)
    }
}

/// Row locks of FOR UPDATE and its like.
#[derive(Debug)]
pub struct LockRows {
    /// The rows.
    pub input: Node,
    /// The tables whose rows are locked.
    pub targets: Box<[LockTarget]>,
    /// What a row changed meanwhile must still satisfy.
    pub recheck: Recheck,
}

/// One table of FOR UPDATE.
#[derive(Debug, Clone)]
pub struct LockTarget {
    /// The table.
    pub table: Arc<Table>,
    /// Where its columns begin in the buffer.
    pub at: usize,
    /// Columns to decode again.
    pub wanted: Box<[usize]>,
    /// How strong.
    pub mode: LockMode,
    /// FOR UPDATE: the indexes whose entries those lock who refer to a row.
    pub keys: Box<[Arc<Index>]>,
    /// NOWAIT, SKIP LOCKED.
    pub wait: WaitPolicy,
}

/// Set operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum SetOp {
    Union,
    Intersect,
    Except,
}

/// Functions that return rows.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // The fields are explained with their variants.
pub enum SetFunction {
    /// `generate_series` of integers; the type is the result's.
    Series { ty: Type, args: Box<[Expr]> },
    /// `generate_series` of timestamps with an interval step, evaluated by `+` and comparison.
    TimeSeries { args: Box<[Expr]>, add: &'static evenkeel_types::ScalarFn },
    /// `unnest` of arrays side by side.
    Unnest(Box<[Expr]>),
    /// One of the types' own.
    Rows {
        f: &'static evenkeel_types::SetFn,
        args: Box<[Expr]>,
        /// What each row must satisfy.
        checks: Option<Arc<expr::DomainChecks>>,
    },
    /// `pg_partition_ancestors`
    Ancestors(Expr),
    /// Any other function: one row.
    Scalar(Expr),
    /// In FROM: of the columns of another function some are of composite types, and so many of their fields stand for each.
    Spread(Box<SetFunction>, Box<[Option<usize>]>),
    /// `json_to_record` and its like: rows of the columns that are asked for, of JSON and the row that they were before. Some are of domains.
    Records {
        name: &'static str,
        args: Box<[Expr]>,
        fields: evenkeel_types::user::Attributes,
        domains: Box<[(usize, Arc<expr::DomainChecks>)]>,
        /// What those of domains are called.
        called: Box<[(usize, String)]>,
    },
    /// In FROM: another's records, which must have the columns that are asked for; some are of domains.
    Defined { of: Box<SetFunction>, fields: evenkeel_types::user::Attributes, called: Box<[(usize, String)]> },
    /// JSON_TABLE
    JsonTable(Arc<json_table::JsonTable>),
    /// In FROM: several side by side, with so many columns each.
    Together(Box<[(SetFunction, usize)]>),
}

/// A call of a set-returning function in a select list, each of whose rows is one value.
#[derive(Debug, Clone)]
pub struct SetCall {
    /// How it is called.
    pub name: String,
    /// What returns the rows.
    pub function: SetFunction,
    /// What its columns are, if it has several: a row is a record of them.
    pub record: Option<RecordColumns>,
}

/// Names and types of a record's fields.
pub type RecordColumns = (Arc<[String]>, Box<[Type]>);

impl Node {
    /// A node with estimates.
    pub fn new(op: Op, rows: f64, cost: f64) -> Node {
        Node { op, rows: rows.max(0.0), cost, called: None }
    }

    /// With a condition on top, if there is one.
    pub fn filtered(self, condition: Option<Expr>) -> Node {
        match condition {
            None => self,
            Some(condition) => {
                let (rows, cost) = ((self.rows / 3.0).max(1.0), self.cost + self.rows * 0.0025);
                Node::new(Op::Filter { input: Box::new(self), condition }, rows, cost)
            }
        }
    }

    /// Whether it or anything below it sorts or joins rows.
    pub fn mixes(&self) -> bool {
        matches!(self.op, Op::Sort(_) | Op::NestedLoop(_) | Op::HashJoin(_))
            || self.children().into_iter().any(Node::mixes)
    }

    /// Nodes directly below that run over this node's buffer or their own.
    pub fn children(&self) -> Vec<&Node> {
        match &self.op {
            Op::Single
            | Op::Nothing
            | Op::Values { .. }
            | Op::Scan(_)
            | Op::Virtual { .. }
            | Op::Function { .. }
            | Op::Cte { .. } => Vec::new(),
            Op::Subquery { query, .. } => vec![&query.root],
            Op::NestedLoop(j) => vec![&j.outer, &j.inner],
            Op::HashJoin(j) => vec![&j.outer, &j.inner],
            Op::Materialize { input, .. }
            | Op::Filter { input, .. }
            | Op::Project { input, .. }
            | Op::Limit { input, .. } => vec![input],
            Op::Aggregate(a) => vec![&a.input],
            Op::Window(w) => vec![&w.input],
            Op::Distinct(d) => vec![&d.input],
            Op::Sort(s) => vec![&s.input],
            Op::Lock(l) => vec![&l.input],
            Op::SetOperation { left, right, .. } => vec![&left.root, &right.root],
        }
    }
}

impl Node {
    /// Visits the expressions of this node (not those of its children).
    pub fn own_exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match &self.op {
            Op::Single | Op::Nothing | Op::Virtual { .. } | Op::Subquery { .. } | Op::Cte { .. } => {}
            Op::Materialize { .. } | Op::SetOperation { .. } => {}
            Op::Values { rows, .. } => rows.iter().flat_map(|r| r.iter()).for_each(f),
            Op::Scan(s) => {
                s.access.exprs(f);
                s.filter.iter().for_each(f);
            }
            Op::Function { function, .. } => function.exprs().into_iter().for_each(f),
            Op::NestedLoop(j) => {
                j.set.iter().for_each(|(_, e)| f(e));
                j.condition.iter().for_each(f);
            }
            Op::HashJoin(j) => j.outer_keys.iter().chain(j.inner_keys.iter()).chain(&j.condition).for_each(f),
            Op::Filter { condition, .. } => f(condition),
            Op::Project { exprs, sets, .. } => {
                exprs.iter().for_each(&mut *f);
                sets.iter().flat_map(|(_, s)| s.function.exprs()).for_each(f);
            }
            Op::Aggregate(a) => {
                a.keys.iter().for_each(&mut *f);
                for call in &a.calls {
                    call.exprs(f);
                    call.direct().iter().for_each(&mut *f);
                }
            }
            Op::Window(w) => w.exprs(f),
            Op::Sort(s) => {
                s.keys.iter().for_each(|k| f(&k.expr));
                if let Some((limit, offset)) = &s.top {
                    limit.iter().chain(offset).for_each(&mut *f);
                }
            }
            Op::Distinct(d) => d.keys.iter().for_each(f),
            Op::Limit { limit, offset, ties, .. } => limit.iter().chain(offset).chain(ties).for_each(f),
            Op::Lock(l) => l.recheck.exprs(f),
        }
    }

    /// Visits the expressions of this node and of all below it.
    pub fn all_exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.own_exprs(f);
        stacker::maybe_grow(64 << 10, 1 << 20, || self.children().into_iter().for_each(|n| n.all_exprs(f)));
    }

    /// Whether the node or anything below it reads values that an enclosing level puts aside: its rows may then differ at each run.
    pub fn reads_outer(&self) -> bool {
        let mut found = false;
        found |= matches!(&self.op, Op::Cte { reading, .. } if *reading != CteReading::Kept);
        self.own_exprs(&mut |e| found |= e.any(|e| matches!(e, Expr::Outer(_) | Expr::Subquery(..))));
        found || self.children().into_iter().any(Node::reads_outer)
    }
}

impl SetFunction {
    /// Its arguments, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            SetFunction::Series { args, .. }
            | SetFunction::TimeSeries { args, .. }
            | SetFunction::Rows { args, .. }
            | SetFunction::Records { args, .. }
            | SetFunction::Unnest(args) => args.iter_mut().collect(),
            SetFunction::Ancestors(e) | SetFunction::Scalar(e) => vec![e],
            SetFunction::Spread(of, _) | SetFunction::Defined { of, .. } => of.exprs_mut(),
            SetFunction::JsonTable(t) => Arc::make_mut(t).exprs_mut(),
            SetFunction::Together(all) => all.iter_mut().flat_map(|f| f.0.exprs_mut()).collect(),
        }
    }

    /// Its arguments.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            SetFunction::Series { args, .. }
            | SetFunction::TimeSeries { args, .. }
            | SetFunction::Rows { args, .. }
            | SetFunction::Records { args, .. }
            | SetFunction::Unnest(args) => args.iter().collect(),
            SetFunction::Ancestors(e) | SetFunction::Scalar(e) => vec![e],
            SetFunction::Spread(of, _) | SetFunction::Defined { of, .. } => of.exprs(),
            SetFunction::JsonTable(t) => t.exprs(),
            SetFunction::Together(all) => all.iter().flat_map(|f| f.0.exprs()).collect(),
        }
    }
}
