//! Queries as their names were resolved: what is asked, before anything is decided about how it is answered.
//!
//! Invariants
//! 1. A level's relations own ranges of one row buffer (see the module), in the order of FROM; expressions refer to places of it.
//! 2. `Expr::Outer` is a value that a level above puts aside; whoever uses a subquery says which: (slot, value there).
//! 3. Of a level with groups, what comes after the grouping refers to the row of keys and aggregates.
//!
//! Must not know: access paths, the executor, SQL syntax.

use super::expr::Expr;
use super::form::Forms;
use super::window::Windows;
use super::{
    AggCall, CursorRows, DeletePlan, InsertPlan, InsertSource, JoinKind, LockTarget, MergePlan, Sample,
    SetCall, SetFunction, SetOp, SortKey, UpdatePlan,
};
use crate::catalog::Table;
use crate::catalog::views::VirtualTable;
use evenkeel::LockMode;
use evenkeel_types::Collation;
use std::sync::Arc;

/// A query.
#[derive(Clone, Debug)]
pub struct BoundQuery {
    /// What it is made of.
    pub body: Body,
    /// ORDER BY over the body's columns (a SELECT has its own).
    pub order: Vec<SortKey>,
    /// LIMIT and OFFSET.
    pub limits: Limits,
    /// WITH TIES: what rows behind the limit must have as the last within it has, over the same columns as the order.
    pub ties: Vec<SortKey>,
    /// What its columns are made into; None: they are the body's.
    pub output: Option<Box<[Expr]>>,
    /// How many columns it gives.
    pub visible: usize,
    /// The common table expressions of its WITH clause, by their numbers: for whoever shows where they are.
    pub with: Vec<usize>,
    /// A view with security_barrier: what might tell of its rows is not asked of those that it does not show.
    pub is_barrier: bool,
}

/// A common table expression.
#[derive(Clone, Debug)]
pub struct BoundCte {
    /// Its name.
    pub name: String,
    /// Its query.
    pub query: BoundQuery,
    /// What a recursive one goes on with.
    pub step: Option<BoundStep>,
    /// MATERIALIZED, or NOT MATERIALIZED.
    pub is_materialized: Option<bool>,
    /// The change that it makes, instead of a query: its rows are what RETURNING gives.
    pub change: Option<Box<BoundStatement>>,
}

impl BoundCte {
    /// Its queries.
    pub fn queries(&self) -> impl Iterator<Item = &BoundQuery> {
        std::iter::once(&self.query).chain(self.step.iter().map(|s| &s.query))
    }
}

/// The recursive term of a common table expression.
#[derive(Clone, Debug)]
pub struct BoundStep {
    /// Its rows.
    pub query: BoundQuery,
    /// UNION ALL.
    pub all: bool,
    /// Where it is put aside which turn of the step it is.
    pub slot: usize,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum BoundStatement {
    /// SELECT, VALUES.
    Query(BoundQuery),
    /// INSERT.
    Insert(InsertPlan<BoundQuery>),
    /// UPDATE.
    Update(UpdatePlan<Visited>),
    /// DELETE.
    Delete(DeletePlan<Visited>),
    /// MERGE.
    Merge(MergePlan<Visited>),
}

impl BoundStatement {
    /// The query that is read for it, or the level.
    pub fn read(&self) -> (Option<&BoundQuery>, Option<&Level>) {
        match self {
            BoundStatement::Query(q) => (Some(q), None),
            BoundStatement::Insert(i) => match &i.source {
                InsertSource::Query(q, _) => (Some(q), None),
                InsertSource::Rows(_) => (None, None),
            },
            BoundStatement::Update(u) => (None, Some(&u.rows.level)),
            BoundStatement::Merge(m) => (None, Some(&m.rows.level)),
            BoundStatement::Delete(d) => (None, Some(&d.rows.level)),
        }
    }
}

/// The rows that an UPDATE or DELETE visits: its table first, then what that is joined with.
#[derive(Clone, Debug)]
pub struct Visited {
    /// Which.
    pub level: Level,
    /// Places of the row that are read behind WHERE.
    pub used: Vec<bool>,
}

/// LIMIT and OFFSET.
pub type Limits = (Option<Expr>, Option<Expr>);

/// What a query is made of.
#[derive(Clone, Debug)]
pub enum Body {
    /// SELECT.
    Select(Box<BoundSelect>),
    /// VALUES.
    Values(Vec<Box<[Expr]>>),
    /// UNION, INTERSECT, EXCEPT.
    SetOperation {
        /// Which.
        op: SetOp,
        /// ALL.
        all: bool,
        /// The left side.
        left: Box<BoundQuery>,
        /// The right side.
        right: Box<BoundQuery>,
    },
    /// A query in parentheses.
    Query(Box<BoundQuery>),
}

/// FROM and WHERE.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The relations.
    pub sources: Vec<Source>,
    /// How they are combined; None: there is no FROM clause.
    pub tree: Option<FromTree>,
    /// WHERE: what must all hold.
    pub conjuncts: Vec<Expr>,
    /// Width of the row buffer.
    pub width: usize,
}

/// A SELECT.
#[derive(Clone, Debug)]
pub struct BoundSelect {
    /// FROM and WHERE.
    pub level: Level,
    /// GROUP BY and aggregates.
    pub grouping: Option<Grouping>,
    /// Windows and what is computed over them.
    pub windows: Windows,
    /// The select list.
    pub outs: Vec<Expr>,
    /// Its set-returning functions, those of ORDER BY and GROUP BY, and those in their arguments, which have lower numbers.
    pub set_calls: Vec<SetCall>,
    /// ORDER BY.
    pub order: Vec<OrderKey>,
    /// DISTINCT.
    pub distinct: Distinct,
    /// FOR UPDATE and the like; which columns are decoded again is not known yet.
    pub locks: Vec<LockTarget>,
    /// Where the relations begin that FOR UPDATE and the like are for, subqueries and views too.
    pub reached: Reached,
    /// Of all its rows the first is read, if there is one.
    pub first_only: bool,
}

/// How a strength of row locks is written.
pub fn lock_words(mode: LockMode) -> &'static str {
    match mode {
        LockMode::KeyShare => "FOR KEY SHARE",
        LockMode::Share => "FOR SHARE",
        LockMode::NoKeyUpdate => "FOR NO KEY UPDATE",
        _ => "FOR UPDATE",
    }
}

/// Where relations begin that are to be locked, and how strongly.
pub type Reached = Vec<(usize, LockMode)>;

/// GROUP BY and aggregates.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// GROUP BY. Of grouping sets the last key stands for the number of the set, from 1.
    pub keys: Vec<Expr>,
    /// Grouping sets: which keys each has; none: all keys together.
    pub sets: Vec<Box<[usize]>>,
    /// The aggregates.
    pub calls: Vec<AggCall>,
    /// There is no GROUP BY: always one row.
    pub plain: bool,
    /// HAVING.
    pub having: Option<Expr>,
}

/// What DISTINCT looks at.
#[derive(Clone, Debug)]
pub enum Distinct {
    /// There is none.
    No,
    /// All columns, and the collations of those that are not compared by their bytes.
    All(Vec<(usize, Collation)>),
    /// DISTINCT ON.
    On(Vec<Expr>),
}

/// One ORDER BY item.
#[derive(Clone, Debug)]
pub struct OrderKey {
    /// What.
    pub item: OrderItem,
    /// DESC.
    pub desc: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
    /// Of texts, in which order they are.
    pub collation: Collation,
}

/// What an ORDER BY item is.
#[derive(Clone, Debug)]
pub enum OrderItem {
    /// A column of the select list.
    Output(usize),
    /// A value over the same row.
    Expr(Expr),
}

impl OrderKey {
    /// The value that is ordered by.
    pub fn expr<'a>(&'a self, outs: &'a [Expr]) -> &'a Expr {
        match &self.item {
            OrderItem::Output(n) => &outs[*n],
            OrderItem::Expr(e) => e,
        }
    }

    /// As a key over the row of the select list's level.
    pub fn key(&self, outs: &[Expr]) -> SortKey {
        let OrderKey { desc, nulls_first, collation, .. } = *self;
        SortKey { expr: self.expr(outs).clone(), desc, nulls_first, collation }
    }
}

/// What a relation is.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// A table and its name in the statement.
    Table(Arc<Table>, String),
    /// A system view.
    Virtual(&'static VirtualTable),
    /// A subquery.
    Query(Box<BoundQuery>, String),
    /// A common table expression.
    Cte {
        /// Its number in the statement.
        number: usize,
        /// Its name.
        name: String,
        /// Of a recursive one, the rows that it gave last: where it is put aside which turn of its step they are of.
        work: Option<usize>,
    },
    /// A function.
    Function {
        /// Which.
        function: SetFunction,
        /// WITH ORDINALITY.
        ordinality: bool,
    },
    /// Constant rows.
    Rows(Vec<Box<[Expr]>>),
}

/// A relation of a FROM clause.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// What it reads of relations before it (LATERAL): (slot, value).
    pub set: Vec<(usize, Expr)>,
    /// Its first place in the buffer.
    pub at: usize,
    /// Its places.
    pub width: usize,
    /// Of a table: what its indexes compute.
    pub forms: Forms,
    /// WHERE CURRENT OF: only the row that this cursor stands on.
    pub current_of: Option<Arc<str>>,
    /// Of a table: TABLESAMPLE.
    pub sample: Option<Box<Sample>>,
    /// Of a subquery, a common table expression or a function: what the statement calls it.
    pub called: Option<Arc<Called>>,
}

/// What a relation and its columns are called.
#[derive(Debug)]
pub struct Called {
    /// The relation.
    pub alias: String,
    /// Its columns, by their places in it.
    pub columns: Vec<String>,
}

impl Source {
    /// A source; its place is set when it joins the frame.
    pub fn new(kind: SourceKind, set: Vec<(usize, Expr)>) -> Source {
        Source {
            kind,
            set,
            at: 0,
            width: 0,
            forms: Forms::default(),
            current_of: None,
            sample: None,
            called: None,
        }
    }
}

/// How relations are combined.
#[derive(Clone, Debug)]
pub enum FromTree {
    /// A relation by number.
    Source(usize),
    /// A join.
    Join {
        /// Which rows it gives.
        kind: JoinKind,
        /// The left side.
        left: Box<FromTree>,
        /// The right side, which gives NULLs in a left join.
        right: Box<FromTree>,
        /// What a pair must satisfy.
        on: Vec<Expr>,
    },
}

impl FromTree {
    /// Visits all join conditions.
    pub fn conditions<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        if let FromTree::Join { left, right, on, .. } = self {
            left.conditions(f);
            right.conditions(f);
            on.iter().for_each(f);
        }
    }

    /// The same, to change them.
    pub fn conditions_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        if let FromTree::Join { left, right, on, .. } = self {
            left.conditions_mut(f);
            right.conditions_mut(f);
            on.iter_mut().for_each(f);
        }
    }
}

impl Level {
    /// Visits its expressions, those of subqueries in FROM left out: what they read of this level is said beside them.
    pub fn own_exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        for source in &self.sources {
            source.set.iter().for_each(|(_, e)| f(e));
            source.sample.iter().flat_map(|s| s.exprs()).for_each(&mut *f);
            match &source.kind {
                SourceKind::Function { function, .. } => function.exprs().into_iter().for_each(&mut *f),
                SourceKind::Rows(rows) => rows.iter().flat_map(|r| r.iter()).for_each(&mut *f),
                _ => {}
            }
        }
        if let Some(tree) = &self.tree {
            tree.conditions(f);
        }
        self.conjuncts.iter().for_each(f);
    }
}

impl Level {
    /// Visits its relations, and those of subqueries in FROM.
    pub fn each_source<'a>(&'a self, f: &mut dyn FnMut(&'a Source)) {
        for source in &self.sources {
            f(source);
            if let SourceKind::Query(q, _) = &source.kind {
                q.each_source(f);
            }
        }
    }
}

impl BoundSelect {
    /// What does nothing but join, filter and compute.
    pub fn of(level: Level, outs: Vec<Expr>) -> BoundSelect {
        BoundSelect {
            level,
            grouping: None,
            windows: Windows::default(),
            outs,
            set_calls: Vec::new(),
            order: Vec::new(),
            distinct: Distinct::No,
            locks: Vec::new(),
            reached: Reached::default(),
            first_only: false,
        }
    }

    /// WHERE, if EXISTS over it is like a join: PostgreSQL makes it one if only its WHERE reads the enclosing level.
    pub fn joined_where(&self) -> Option<Expr> {
        let is_plain = self.grouping.is_none()
            && self.windows.calls.is_empty()
            && matches!(self.distinct, Distinct::No)
            && self.set_calls.is_empty()
            && self.locks.is_empty()
            && self.order.is_empty();
        let mut reads_outer = false;
        let tree = self.level.tree.as_ref()?;
        tree.conditions(&mut |e| reads_outer |= e.reads_outer());
        if !is_plain || reads_outer {
            return None;
        }
        Expr::all(self.level.conjuncts.clone()).filter(Expr::reads_outer)
    }

    /// Visits the expressions behind FROM and WHERE.
    pub(super) fn upper_exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.outs.iter().for_each(&mut *f);
        self.set_calls.iter().flat_map(|c| c.function.exprs()).for_each(&mut *f);
        for key in &self.order {
            if let OrderItem::Expr(e) = &key.item {
                f(e);
            }
        }
        if let Distinct::On(exprs) = &self.distinct {
            exprs.iter().for_each(&mut *f);
        }
        self.windows.exprs(f);
        if let Some(g) = &self.grouping {
            g.keys.iter().chain(&g.having).for_each(&mut *f);
            for call in &g.calls {
                call.exprs(f);
                call.direct().iter().for_each(&mut *f);
            }
        }
    }
}

impl BoundQuery {
    /// A select list without FROM.
    pub fn list(outs: Vec<Expr>, set_calls: Vec<SetCall>) -> BoundQuery {
        let visible = outs.len();
        let select = BoundSelect { set_calls, ..BoundSelect::of(Level::default(), outs) };
        BoundQuery::new(Body::Select(Box::new(select)), visible)
    }

    /// A query that is nothing but its body.
    pub fn new(body: Body, visible: usize) -> BoundQuery {
        let (order, ties, with) = (Vec::new(), Vec::new(), Vec::new());
        BoundQuery { body, order, limits: (None, None), ties, output: None, visible, with, is_barrier: false }
    }

    /// With other columns, made from those that it has.
    pub fn with_output(self, exprs: Box<[Expr]>) -> BoundQuery {
        let visible = exprs.len();
        match self.output {
            None => BoundQuery { output: Some(exprs), visible, ..self },
            Some(_) => {
                let mut outer = BoundQuery::new(Body::Query(Box::new(self)), visible);
                outer.output = Some(exprs);
                outer
            }
        }
    }

    /// The SELECT that it is, if nothing is done to its rows.
    pub fn as_select(&self) -> Option<&BoundSelect> {
        match &self.body {
            Body::Select(s) if self.limits == (None, None) => Some(s),
            _ => None,
        }
    }

    /// It is asked for the existence of a row alone: what a plain SELECT gives, and in which order, is not computed, as in PostgreSQL.
    pub fn forget_outputs(&mut self) {
        let is_whole = self.limits == (None, None) && self.output.is_none();
        // Groups of which nothing is computed are there where rows are.
        let only_divides =
            |g: &Grouping| !g.plain && g.calls.is_empty() && g.having.is_none() && g.sets.is_empty();
        if let Body::Select(s) = &mut self.body
            && is_whole
            && s.grouping.as_ref().is_none_or(only_divides)
            && s.windows.calls.is_empty()
            && s.set_calls.is_empty()
            && s.locks.is_empty()
            && !matches!(s.distinct, Distinct::On(_))
        {
            s.outs.fill_with(Expr::null);
            s.order.clear();
            s.grouping = None;
            s.first_only = true;
        }
    }

    /// Visits its expressions, and those of subqueries in FROM.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match &self.body {
            Body::Select(s) => {
                s.level.own_exprs(f);
                for source in &s.level.sources {
                    if let SourceKind::Query(q, _) = &source.kind {
                        q.exprs(f);
                    }
                }
                s.upper_exprs(f);
            }
            Body::Values(rows) => rows.iter().flat_map(|r| r.iter()).for_each(&mut *f),
            Body::SetOperation { left, right, .. } => {
                left.exprs(f);
                right.exprs(f);
            }
            Body::Query(q) => q.exprs(f),
        }
        self.order.iter().for_each(|k| f(&k.expr));
        self.limits.0.iter().chain(&self.limits.1).for_each(&mut *f);
        self.output.iter().flat_map(|o| o.iter()).for_each(f);
    }

    /// Visits the relations of its FROM clauses, but not those of subqueries in expressions.
    pub fn each_source<'a>(&'a self, f: &mut dyn FnMut(&'a Source)) {
        match &self.body {
            Body::Select(s) => s.level.each_source(f),
            Body::Values(_) => {}
            Body::SetOperation { left, right, .. } => {
                left.each_source(f);
                right.each_source(f);
            }
            Body::Query(q) => q.each_source(f),
        }
    }

    fn locks_rows(&self) -> bool {
        match &self.body {
            Body::Select(s) => {
                let below = |s: &Source| matches!(&s.kind, SourceKind::Query(q, _) if q.locks_rows());
                !s.locks.is_empty() || s.level.sources.iter().any(below)
            }
            Body::Values(_) => false,
            Body::SetOperation { left, right, .. } => left.locks_rows() || right.locks_rows(),
            Body::Query(q) => q.locks_rows(),
        }
    }

    /// Whether it may give something else each time, for what it does itself: subqueries in its expressions are others.
    pub fn is_volatile(&self) -> bool {
        let mut found = self.locks_rows();
        self.exprs(&mut |e| found |= e.calls_volatile());
        found
    }
}

/// Has a cursor's query give the ids of the rows that it stands on, behind its columns; None: its rows are no rows of tables.
pub fn add_row_ids(query: &mut BoundQuery) -> Option<CursorRows> {
    if query.output.is_some() || !query.ties.is_empty() || !query.order.is_empty() {
        return None;
    }
    let Body::Select(s) = &mut query.body else { return None };
    let is_plain = s.grouping.is_none()
        && s.windows.calls.is_empty()
        && matches!(s.distinct, Distinct::No)
        && s.set_calls.is_empty();
    let rows: Vec<(u32, usize)> = match &mut s.level.sources[..] {
        _ if !is_plain => return None,
        _ if !s.locks.is_empty() => {
            s.locks.iter().map(|l| (l.table.oid, l.at + l.table.columns.len())).collect()
        }
        [Source { kind: SourceKind::Table(t, _), at, .. }] => vec![(t.oid, *at + t.columns.len())],
        // A subquery or a view gives the id of its row behind its columns.
        [Source { kind: SourceKind::Query(q, _), at, width, .. }] if s.level.width == *at + *width => {
            let below = add_row_ids(q).filter(|below| !below.are_locked)?;
            *width = q.visible;
            s.level.width = *at + q.visible;
            below.tables.iter().map(|oid| (*oid, s.level.width - 1)).collect()
        }
        _ => return None,
    };
    s.outs.extend(rows.iter().map(|(_, at)| Expr::Column(*at)));
    query.visible = s.outs.len();
    Some(CursorRows {
        tables: rows.iter().map(|r| r.0).collect(),
        are_locked: !s.locks.is_empty(),
        are_mixed: false,
    })
}
