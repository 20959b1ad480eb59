//! From syntax to bound queries: names, types, functions and operators are resolved here, once for each statement; `plan` decides how they are answered.
//!
//! Each query level has a [`Frame`] with the relations that its names may refer to. A name found in an enclosing frame becomes
//! `Expr::Outer(slot)`, and the level directly below the one that owns the column remembers to fill the slot before it runs.
//!
//! Invariants:
//! 1. No expression leaves the binder with type `Unknown` in a result column, and none with `Expr::Aggregate`.
//! 2. A parameter's type is fixed by its first use in a context that tells it (`params`); to who runs a statement without saying more, one that was never told is a text.
//!
//! Must not know: the executor, sessions.
//!
#![doc = include_str!("README.md")]

mod called;
mod collation;
mod compare;
mod cte;
pub(crate) mod deparse;
mod dml;
mod domain;
mod expr;
mod extension;
pub(crate) mod foreign;
mod from;
mod from_function;
mod func;
mod generated;
mod grouping;
pub mod index;
mod input_valid;
mod insert_list;
mod json_query;
mod json_table;
mod keys_only;
pub(crate) mod label;
pub(crate) mod literal;
mod merge;
mod misspelled;
mod named;
mod nondeterministic;
mod params;
mod place;
mod populate;
mod qualifier;
mod query;
mod renamed;
mod returning;
mod row;
mod row_collation;
mod sampled;
mod search_cycle;
mod select;
mod set_call;
mod several;
mod sql_json;
mod subscript;
mod surface;
pub(crate) mod system_column;
mod target;
mod true_type;
pub mod types;
pub(crate) mod updatable;
mod view;
mod view_function;
mod window;
mod within_group;

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{self, Class};
use crate::catalog::{Catalog, Relation, StoredQuery, Table};
use crate::parse::Name;
use crate::parse::cursor::{Of, fold, qualified};
use crate::plan::bound::{BoundCte, BoundQuery, BoundStatement, add_row_ids};
use crate::plan::build::{Builder, Parts};
use crate::plan::expr::{DomainChecks, Expr, is_money};
use crate::plan::fold;
use crate::plan::form::Forms;
use crate::plan::privileges::Needs;
use crate::plan::window::Windows;
use crate::plan::{AggCall, Column, CursorRows, LockNeed, Plan, PlanKind, SetCall, Target};
use cte::CteInfo;
use evenkeel_types::collation::is_collatable;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::user::Attributes;
use evenkeel_types::{CastContext, Collation, Datum, EvalCtx, Type, can_cast, cast, needs_cast};
pub(crate) use place::first_location;
use qualifier::Qualifier;
use sqlparser::ast::{self, Ident, ObjectName, ObjectNamePart};
use sqlparser::tokenizer::Location;
use std::collections::HashMap;
use std::sync::Arc;

/// Most entries of a row that a query makes, as PostgreSQL's `MaxTupleAttributeNumber`; a row description counts them in two bytes.
const MAX_ENTRIES: usize = 1664;

/// Fails if `what` has too many entries.
fn limit_entries(n: usize, what: &str) -> Result<(), SqlError> {
    if n > MAX_ENTRIES {
        let message = format!("{what} can have at most {MAX_ENTRIES} entries");
        return Err(SqlError::new(SqlState::TOO_MANY_COLUMNS, message));
    }
    Ok(())
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub expr: Expr,
    pub ty: Type,
    pub typmod: i32,
}

impl Typed {
    pub(crate) fn new(expr: Expr, ty: Type) -> Typed {
        Typed { expr, ty, typmod: -1 }
    }

    pub(crate) fn bool(expr: Expr) -> Typed {
        Typed::new(expr, Type::Bool)
    }
}

/// A column that names may refer to.
#[derive(Clone, Debug)]
pub(crate) struct ColInfo {
    pub name: String,
    pub ty: Type,
    pub typmod: i32,
    pub table_oid: u32,
    pub attnum: i16,
    /// Of a relation's own column: which of the statement's needs has to name it if it is read.
    pub need: Option<usize>,
    /// Its value: a place in the level's buffer, what a join with USING merges, or how a virtual generated column is computed.
    pub expr: Expr,
    /// Of a virtual generated column, the place of its row's id: it has no value where there is no row.
    pub row: Option<usize>,
    /// It is no part of `*`.
    pub is_hidden: bool,
}

impl ColInfo {
    /// Its place in the level's buffer, if it is one.
    pub fn at(&self) -> Option<usize> {
        if let Expr::Column(at) = self.expr { Some(at) } else { None }
    }
}

/// A relation in a FROM clause.
#[derive(Clone, Debug)]
pub(crate) struct RelInfo {
    pub alias: String,
    /// The name of the relation behind the alias.
    pub name: String,
    /// Its OID, where it stands without an alias.
    pub relation: Option<u32>,
    /// The table or view whose rows these are.
    pub rows_of: Option<u32>,
    pub columns: Vec<ColInfo>,
    /// Its rows are values, not rows: what a function in FROM gives that returns no columns.
    pub is_value: bool,
    /// Its number in the statement.
    pub number: usize,
    /// Of functions in what is noted, how they are written.
    pub written: Option<deparse::Calls>,
    /// Of OLD and NEW in RETURNING, the place of the row's id, which is NULL if there is no such row.
    pub version: Option<usize>,
    /// Of a table, the place of the row's id.
    pub row_id: Option<usize>,
    /// An outer join may leave it without a row: then its row as a value is NULL.
    pub may_lack: bool,
    /// What it is called in what is kept, where its own name would mean another there.
    pub kept_as: Option<String>,
}

/// One query level.
#[derive(Default)]
pub(crate) struct Frame {
    pub rels: Vec<RelInfo>,
    /// Relations before a subquery in FROM that is bound without LATERAL, meanwhile.
    pub hidden: Vec<RelInfo>,
    /// What names without a qualifier may refer to, and `*` is made of, in its order: of columns that a join merges only one.
    pub names: Vec<ColInfo>,
    /// Names see from here on only (ON conditions): relations, and names without a qualifier.
    pub visible_from: (usize, usize),
    /// Relations from here on have names that differ.
    pub distinct_from: usize,
    /// The first so many relations are not for LATERAL (the target of an UPDATE or DELETE).
    pub not_lateral: usize,
    /// Nor are these for what is being bound, as an outer join may leave them without a row.
    pub barred: std::ops::Range<usize>,
    /// Width of the buffer so far.
    pub width: usize,
    /// Collations of columns in these places of the buffer, where they are not the database's.
    pub collations: HashMap<usize, Collation>,
    /// What this level reads of the one above it: (slot, value there).
    pub outer_refs: Vec<(usize, Expr)>,
    /// Expressions with a subquery whose value depends on nothing but what it reads of this level: one that is written again is the same.
    pub subqueries: Vec<(ast::Expr, Typed)>,
    pub aggs: Vec<AggCall>,
    /// GROUPING is called.
    pub asks_for_sets: bool,
    /// Keys of GROUP BY whose values are shown by aggregates, until they are what is compared: the numbers of both.
    pub shown_groups: Vec<(usize, usize)>,
    /// The level's grouping sets, once they are known: which keys each has.
    pub sets: Vec<Box<[usize]>>,
    pub aggs_allowed: bool,
    pub in_agg: bool,
    /// The level's windows, and calls over them.
    pub windows: Windows,
    /// Window functions may stand here.
    pub windows_allowed: bool,
    /// Its set-returning functions outside FROM.
    pub set_calls: Vec<SetCall>,
    /// They may stand here.
    pub sets_allowed: bool,
    /// But not in this, in which we are.
    pub without_sets: Option<&'static str>,
    /// In the arguments of one.
    pub in_window: bool,
    /// What the step of a recursion carries on of the row that it comes from: SEARCH and CYCLE go on with that.
    pub carried: Vec<ColInfo>,
    /// FOR UPDATE and the like of this level: they reach into subqueries in FROM.
    pub row_locks: Vec<ast::LockClause>,
    /// An expression of this level is being bound, in something that is noted.
    pub is_within: bool,
    /// Where aggregates or window functions are not allowed, how the error calls the place.
    pub place: &'static str,
    /// It is RETURNING of an INSERT.
    pub inserts: bool,
    /// Where its columns are named.
    pub seen: place::Seen,
}

impl Frame {
    /// Whether a relation of this name begins at this place.
    pub fn has_alias_at(&self, alias: &str, at: usize) -> bool {
        let begins = |c: &ColInfo| c.attnum > 0 && c.at() == Some(at + c.attnum as usize - 1);
        self.rels.iter().any(|r| r.alias == alias && r.columns.iter().any(begins))
    }
}

/// What becomes of result columns without a type.
#[derive(Clone, Copy)]
pub(crate) enum Hint<'a> {
    /// They are text.
    None,
    /// They take these types (the columns of an INSERT).
    Types(&'a [Type]),
    /// The caller converts them (sides of UNION).
    Keep,
}

/// Binds one statement.
pub struct Binder<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) search_path: &'a [u32],
    pub(crate) source: &'a str,
    shown: place::Shown,
    /// Literals without a type of their own, as far as they are bound.
    noted: Vec<place::Literal>,
    /// Where the error is that has come up has been asked for.
    is_placed: bool,
    pub(crate) ctx: &'a EvalCtx<'a>,
    /// Indexes younger than this version must not be read.
    pub(crate) snapshot_version: u64,
    pub(crate) params: Vec<Option<Type>>,
    /// How they are used.
    param_uses: Vec<params::Use>,
    /// Those that are texts only because nothing but ROW(…) has been said of them.
    row_texts: Vec<usize>,
    pub(crate) values: Option<&'a [Datum]>,
    /// What literals of the statement were read as.
    literals: Option<&'a literal::ReadLiterals>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) subplans: Vec<BoundQuery>,
    pub(crate) cte_plans: Vec<BoundCte>,
    pub(crate) ctes: Vec<CteInfo>,
    /// Those of a WITH that what is being bound of it cannot name, as they come later.
    later_ctes: Vec<String>,
    pub(crate) slots: usize,
    pub(crate) locks: Vec<LockNeed>,
    pub(crate) targets: Vec<Target>,
    /// What the indexes of tables compute, by the tables' OIDs.
    pub(crate) forms: HashMap<u32, Forms>,
    /// What is known of each: its constraints, and who refers to it.
    pub(crate) target_sides: Vec<(bool, bool)>,
    /// What whoever runs it must be allowed to do.
    pub(crate) needs: Needs,
    /// Whose privileges are needed for what is being bound: None: those of whoever runs it; a view's owner, for what its query reads.
    pub(crate) by: Option<u32>,
    /// Who runs it, if that is no superuser.
    pub(crate) role: Option<u32>,
    /// It is an expression of the catalog: what it reads is nobody's need.
    pub(crate) is_stored: bool,
    /// It is the expression of a generated column: such columns are none of its business.
    pub(crate) is_generation: bool,
    /// How many common table expressions and sources of INSERT are being bound: a change may stand in none of them.
    pub(crate) inner: usize,
    /// The slot of `merge_action()`, in RETURNING of MERGE.
    pub(crate) merge_action: Option<usize>,
    /// Depth of the deepest expression that came from the catalog.
    pub(crate) stored_depth: usize,
    /// The stored query that is being bound.
    stored: Option<Arc<StoredQuery>>,
    /// The views whose queries are being bound, each within the one before it.
    within_views: Vec<u32>,
    /// The statement is to be kept.
    capture: Option<view::Capture>,
    /// What is bound is to be written again.
    notes: Option<deparse::Notes>,
    /// Where columns are named, and their numbers, if that is wanted.
    named: Option<Vec<(Location, i16)>>,
    /// Relations in FROM clauses so far.
    relations: usize,
    /// What is behind a cursor's columns.
    cursor_rows: Option<CursorRows>,
    /// What values of domains must satisfy, by OID.
    domains: HashMap<u32, Arc<DomainChecks>>,
    /// What the columns of subqueries are compared in: of those that give one.
    subplan_collations: Vec<Collation>,
    /// Some collation that is not bytewise occurs.
    has_collations: bool,
    /// Some collation that is not deterministic does.
    has_nondeterministic: bool,
    /// Of the columns of the SELECT that was bound last: whether COLLATE says theirs.
    explicit: Vec<bool>,
    /// The fields of records of no composite type, and the table or view whose rows they are: within the statement the modifier of their type is a place here.
    records: Vec<(Attributes, Option<u32>)>,
}

/// What binding needs to know of the session.
pub struct BindContext<'a> {
    /// The catalog as the transaction sees it.
    pub catalog: &'a Catalog,
    /// Schemas to search, `pg_catalog` included.
    pub search_path: &'a [u32],
    /// For folding constants.
    pub eval: &'a EvalCtx<'a>,
    /// The text that positions refer to.
    pub source: &'a str,
    /// Indexes younger than this catalog version are left alone.
    pub snapshot_version: u64,
    /// Who runs it; None: a superuser.
    pub role: Option<u32>,
    /// Values that parameters of a known type have: the plan is for these.
    pub values: Option<&'a [Datum]>,
    /// What literals of the statement were read as.
    pub literals: Option<&'a literal::ReadLiterals>,
}

/// Binds and plans a statement that is to be run.
pub fn bind_statement(
    cx: &BindContext<'_>,
    stmt: &ast::Statement,
    param_types: &[Option<Type>],
) -> Result<Plan, SqlError> {
    let plan = bind_to_prepare(cx, stmt, param_types)?;
    plan.check_runs()?;
    Ok(plan)
}

/// The same of one that is prepared: constants that fail fail it when it is run, as PostgreSQL plans no earlier.
pub fn bind_to_prepare(
    cx: &BindContext<'_>,
    stmt: &ast::Statement,
    param_types: &[Option<Type>],
) -> Result<Plan, SqlError> {
    let mut b = Binder::new(cx, param_types);
    let (mut statement, mut columns) = b.statement(stmt)?;
    let (undetermined, param_domains) = (b.undetermined_param(), b.param_domains());
    if b.has_late_params() && undetermined.is_none() {
        b = Binder::new(cx, &b.params);
        (statement, columns) = b.statement(stmt)?;
    }
    let mut plan = b.into_plan(Some(statement), columns)?;
    (plan.undetermined, plan.param_domains) = (undetermined, param_domains);
    fold::check(&mut plan, cx.eval);
    Ok(plan)
}

/// The plan of a query that is kept for `of`, as `owner` may run it.
pub fn plan_of_stored(
    cx: &BindContext<'_>,
    query: &Arc<StoredQuery>,
    owner: u32,
    of: u32,
) -> Result<Plan, SqlError> {
    let mut plan = Binder::new(cx, &[]).stored_plan(query, owner, of)?;
    fold::check(&mut plan, cx.eval);
    Ok(plan)
}

impl<'a> Binder<'a> {
    /// A binder for one statement.
    pub fn new(cx: &BindContext<'a>, param_types: &[Option<Type>]) -> Binder<'a> {
        Binder {
            catalog: cx.catalog,
            search_path: cx.search_path,
            source: cx.source,
            shown: place::Shown::Whole,
            noted: Vec::new(),
            is_placed: false,
            ctx: cx.eval,
            snapshot_version: cx.snapshot_version,
            params: param_types.to_vec(),
            param_uses: Vec::new(),
            row_texts: Vec::new(),
            values: cx.values,
            literals: cx.literals,
            frames: Vec::new(),
            subplans: Vec::new(),
            cte_plans: Vec::new(),
            ctes: Vec::new(),
            later_ctes: Vec::new(),
            slots: 0,
            locks: Vec::new(),
            targets: Vec::new(),
            forms: HashMap::new(),
            target_sides: Vec::new(),
            needs: Needs::default(),
            by: None,
            role: cx.role,
            is_stored: false,
            is_generation: false,
            inner: 0,
            merge_action: None,
            stored_depth: 0,
            stored: None,
            within_views: Vec::new(),
            capture: None,
            named: None,
            notes: None,
            relations: 0,
            cursor_rows: None,
            domains: HashMap::new(),
            subplan_collations: Vec::new(),
            has_collations: false,
            has_nondeterministic: false,
            explicit: Vec::new(),
            records: Vec::new(),
        }
    }

    /// The plan of a statement, or one that does nothing by itself, with the targets, subqueries and locks gathered so far.
    pub fn into_plan(
        self,
        statement: Option<BoundStatement>,
        columns: Option<Vec<Column>>,
    ) -> Result<Plan, SqlError> {
        let tables = self.locks.iter().map(|l| &l.table).chain(self.targets.iter().map(|t| &t.table));
        tables.flat_map(|t| &t.indexes).try_for_each(|i| i.check_collations())?;
        let builder = Builder::new(
            self.ctx,
            self.snapshot_version,
            &self.subplans,
            &self.cte_plans,
            statement.as_ref(),
            self.slots,
        );
        let Parts { kind, subplans, subplan_where, subplan_hashed, ctes } = builder.parts(statement)?;
        let reads = |q: &BoundQuery| builder.reads(q).into_iter().collect();
        let are_mixed = matches!(&kind, PlanKind::Query(q) if self.cursor_rows.is_some() && q.root.mixes());
        Ok(Plan {
            writes: !matches!(kind, PlanKind::Query(_)) || ctes.iter().any(|c| c.change.is_some()),
            kind,
            subplan_reads: self.subplans.iter().map(reads).collect(),
            subplan_volatile: (0..self.subplans.len()).map(|n| builder.is_volatile(n)).collect(),
            columns: columns.map(|list| list.into_iter().map(Column::outside).collect()),
            param_types: self.params.iter().map(|t| t.unwrap_or(Type::Text)).collect(),
            locks: self.locks,
            needs: self.needs,
            subplans,
            subplan_where,
            subplan_hashed,
            ctes,
            targets: self.targets,
            outer_slots: builder.slots(),
            depth: self.stored_depth,
            param_domains: Vec::new(),
            undetermined: None,
            fails: None,
            lacks: None,
            cursor_rows: self.cursor_rows.map(|rows| CursorRows { are_mixed, ..rows }),
            version: self.catalog.version,
        })
    }

    pub(crate) fn statement(
        &mut self,
        stmt: &ast::Statement,
    ) -> Result<(BoundStatement, Option<Vec<Column>>), SqlError> {
        match stmt {
            ast::Statement::Query(q) => {
                // INSERT, UPDATE and DELETE with a WITH clause arrive wrapped in a query.
                match &*q.body {
                    ast::SetExpr::Insert(s)
                    | ast::SetExpr::Update(s)
                    | ast::SetExpr::Delete(s)
                    | ast::SetExpr::Merge(s) => {
                        self.with_clause(q.with.as_ref())?;
                        self.statement(s)
                    }
                    _ => {
                        let ((mut query, columns), _) = self.nested(|b| b.query(q, Hint::None))?;
                        if q.settings.is_some() {
                            self.cursor_rows = add_row_ids(&mut query);
                        }
                        Ok((BoundStatement::Query(query), Some(columns)))
                    }
                }
            }
            ast::Statement::Insert(i) => self.insert(i),
            ast::Statement::Update(u) => self.update(u),
            ast::Statement::Delete(d) => self.delete(d),
            ast::Statement::Merge(m) => self.merge(m),
            other => {
                let text = other.to_string();
                let verb: Vec<&str> = text.split_whitespace().take(2).collect();
                Err(SqlError::unsupported(format!("{} is not supported", verb.join(" "))))
            }
        }
    }

    pub(crate) fn frame(&mut self) -> Result<&mut Frame, SqlError> {
        self.frames.last_mut().ok_or_else(|| SqlError::internal("no query level"))
    }

    /// A table for a statement, with the lock that it needs.
    pub(crate) fn lock_table(&mut self, table: &Arc<Table>, mode: TableLockMode) {
        if let Some(need) = self.locks.iter_mut().find(|n| n.table.oid == table.oid) {
            need.mode = need.mode.max(mode);
        } else {
            self.locks.push(LockNeed { table: table.clone(), mode });
        }
    }

    /// Finds a relation by name.
    pub(crate) fn relation(&self, name: &ObjectName) -> Result<Relation, SqlError> {
        let (schema, table) = split_relation(name).map_err(|e| self.at(e, first_location(name)))?;
        if let Some(schema) = &schema {
            self.check_schema_usage(schema).map_err(|e| self.at(e, first_location(name)))?;
        }
        let found = self.catalog.resolve(schema.as_deref(), &table, self.search_path)?;
        if let Some(Relation::Table(t)) = &found
            && self.catalog.is_temporary(t.schema)
            && !self.search_path.contains(&t.schema)
        {
            return Err(SqlError::unsupported("cannot access temporary tables of other sessions"));
        }
        found.ok_or_else(|| {
            let shown = match schema {
                Some(s) => format!("{s}.{table}"),
                None => table,
            };
            let e = SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{shown}\" does not exist"));
            let e = if name.0.len() == 1 { self.of_later_cte(e, &shown) } else { e };
            self.at(e, first_location(name))
        })
    }

    /// Refuses a schema that whoever runs the statement may not look into.
    fn check_schema_usage(&self, name: &str) -> Result<(), SqlError> {
        let (Some(role), Some(schema)) = (self.by.or(self.role), self.catalog.schema_named(name)) else {
            return Ok(());
        };
        match self.catalog.security().mask(role, schema.oid, Class::Schema, acl::USAGE) {
            0 => Err(acl::denied("schema", name)),
            _ => Ok(()),
        }
    }

    /// Notes that columns are read.
    pub(crate) fn reads<'c>(&mut self, columns: impl IntoIterator<Item = &'c ColInfo>) {
        for c in columns {
            if let Some(need) = c.need {
                self.needs.relations[need].selected.insert(c.attnum);
            }
        }
    }

    /// The plan of a query that is kept, as `owner` may run it.
    fn stored_plan(mut self, q: &Arc<StoredQuery>, owner: u32, of: u32) -> Result<Plan, SqlError> {
        let query = crate::parse::view::parse_query(&q.text)?;
        self.stored_depth = query.depth();
        let (query, columns) = self.in_stored(q, Some(owner), of, |b| {
            b.nested(|b| b.query(&query, Hint::None)).map(|(bound, _)| bound)
        })?;
        self.into_plan(Some(BoundStatement::Query(query)), Some(columns))
    }

    /// Resolves a column name.
    pub(crate) fn column(
        &mut self,
        qualifier: Option<Qualifier<'_>>,
        name: &str,
        at: Location,
    ) -> Result<Typed, SqlError> {
        for depth in (0..self.frames.len()).rev() {
            let frame = &self.frames[depth];
            let visible = &frame.rels[frame.visible_from.0.min(frame.rels.len())..];
            let rel = match qualifier {
                Some(q) => q.of(visible).map_err(|e| self.at(e, at))?,
                None => None,
            };
            let columns = match (qualifier, rel) {
                (None, _) => &frame.names[frame.visible_from.1.min(frame.names.len())..],
                (Some(_), Some(rel)) => &rel.columns[..],
                (Some(_), None) => continue,
            };
            let mut hits = columns.iter().filter(|c| c.name == name);
            let found = hits.next();
            if hits.next().is_some() {
                let why = format!("column reference \"{name}\" is ambiguous");
                return Err(self.at(SqlError::new(SqlState::AMBIGUOUS_COLUMN, why), at));
            }
            if let Some(c) = found {
                let (expr, ty, typmod) = (c.expr.clone(), c.ty, c.typmod);
                if let Some(need) = c.need {
                    self.needs.relations[need].selected.insert(c.attnum);
                }
                if let Some(named) = &mut self.named {
                    named.push((at, c.attnum));
                }
                self.check_lateral(depth, &expr, at)?;
                self.frames[depth].note_seen(at, &expr);
                let expr = self.outer_reference(depth, expr);
                return Ok(Typed { expr, ty, typmod });
            }
            let is_qualified = rel.is_some();
            if let Some(found) = self.system_column(depth, qualifier, name, at)? {
                return Ok(found);
            }
            let frame = &self.frames[depth];
            let visible = &frame.rels[frame.visible_from.0.min(frame.rels.len())..];
            if qualifier.is_none()
                && let Some(rel) = visible.iter().find(|r| r.alias == name)
            {
                if rel.is_value
                    && let Some(c) = rel.columns.first()
                {
                    let (expr, ty, typmod) = (c.expr.clone(), c.ty, c.typmod);
                    self.check_lateral(depth, &expr, at)?;
                    return Ok(Typed { expr: self.outer_reference(depth, expr), ty, typmod });
                }
                let rel = rel.clone();
                self.note_row(at);
                return Ok(self.row_of(depth, rel));
            }
            if is_qualified {
                break;
            }
        }
        let e = match qualifier {
            Some(q) if !self.can_be_named(q.name) => self.no_alias(q.name),
            q => self.missing_column(q.map(|q| q.name), name),
        };
        Err(self.at(e, at))
    }

    /// The target of an UPDATE is no part of the FROM clause beside it.
    fn check_lateral(&self, depth: usize, expr: &Expr, at: Location) -> Result<(), SqlError> {
        let frame = &self.frames[depth];
        let barred = frame.rels.get(frame.barred.clone()).unwrap_or_default();
        if let Some(rel) = barred.iter().find(|r| r.columns.iter().any(|c| c.expr == *expr)) {
            let e = SqlError::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                format!("invalid reference to FROM-clause entry for table \"{}\"", rel.alias),
            )
            .with_detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
            return Err(self.at(e, at));
        }
        let refused = &frame.rels[..frame.not_lateral.min(frame.rels.len())];
        let Some(rel) = refused.iter().find(|r| r.columns.iter().any(|c| c.expr == *expr)) else {
            return Ok(());
        };
        let e = SqlError::new(
            SqlState::INVALID_COLUMN_REFERENCE,
            format!("invalid reference to FROM-clause entry for table \"{}\"", rel.alias),
        )
        .with_hint(format!(
            "There is an entry for table \"{}\", but it cannot be referenced from this part of the query.",
            rel.alias
        ));
        Err(self.at(e, at))
    }

    /// Turns a column of the frame at `depth` into what the innermost frame can read.
    pub(crate) fn outer_reference(&mut self, depth: usize, expr: Expr) -> Expr {
        if depth + 1 == self.frames.len() {
            return expr;
        }
        let below = &mut self.frames[depth + 1];
        if let Some((slot, _)) = below.outer_refs.iter().find(|(_, e)| *e == expr) {
            return Expr::Outer(*slot);
        }
        let slot = self.slots;
        self.slots += 1;
        below.outer_refs.push((slot, expr));
        Expr::Outer(slot)
    }

    /// Converts to a type as the context allows.
    pub(crate) fn coerce(
        &mut self,
        t: Typed,
        to: Type,
        typmod: i32,
        context: CastContext,
    ) -> Result<Expr, SqlError> {
        let is_it = t.ty == to && !matches!(t.expr, Expr::Param(_));
        let made = self.coerced(t, to, typmod, context)?;
        if is_it || !matches!(to, Type::Composite(_) | Type::CompositeArray(_)) {
            return Ok(made);
        }
        self.value_of(made, to)
    }

    fn coerced(&mut self, t: Typed, to: Type, typmod: i32, context: CastContext) -> Result<Expr, SqlError> {
        if t.ty == Type::Unknown {
            match t.expr {
                Expr::Param(n) => {
                    self.set_param(n, to);
                    let from = self.params.get(n).copied().flatten().unwrap_or(Type::Text);
                    let typed = Typed::new(Expr::Param(n), from);
                    return if from == Type::Unknown {
                        Ok(typed.expr)
                    } else {
                        self.coerce(typed, to, typmod, context)
                    };
                }
                // COLLATE stands around what the constant becomes, if that has a collation.
                Expr::Collate(e, collation) => {
                    let made = self.coerce(Typed::new(*e, Type::Unknown), to, typmod, context)?;
                    let has_one = is_collatable(to) || to == Type::Unknown;
                    return Ok(if has_one { Expr::Collate(Box::new(made), collation) } else { made });
                }
                Expr::Const(Datum::Null) => return Ok(Expr::null()),
                Expr::Const(Datum::Text(ref s)) => {
                    if let Some(value) = self.literal_as(s, to, typmod, context)? {
                        return Ok(Expr::Const(value));
                    }
                }
                _ => {}
            }
        }
        if t.ty == to && !needs_cast(t.ty, to, typmod) {
            return Ok(t.expr);
        }
        if let (Type::Composite(oid), Type::Record) = (to, t.ty)
            && let Expr::Row(types, values) = t.expr
        {
            return self.composite(&types, values, oid, context);
        }
        if let (Type::Composite(oid), Type::Record) = (to, t.ty)
            && self.is_row_of(t.typmod, oid)?
        {
            return Ok(row::row_as(t.expr, oid));
        }
        if t.ty == to && t.typmod == typmod {
            return Ok(t.expr);
        }
        if let (Type::Record, Type::Composite(_)) | (Type::RecordArray, Type::CompositeArray(_)) = (to, t.ty)
        {
            return Ok(t.expr);
        }
        if t.ty != to && t.ty != Type::Unknown {
            let allowed = can_cast(t.ty, to).is_some_and(|weakest| rank(weakest) <= rank(context));
            if !allowed {
                let from = self.row_of_table(&t).map_or_else(|| t.ty.sql_name(), Into::into);
                let why = format!("cannot cast type {from} to {}", to.sql_name());
                return Err(SqlError::new(SqlState::CANNOT_COERCE, why));
            }
        }
        // A text that is kept is read when it is computed.
        let is_kept = self.notes.is_some() && t.ty.category() == b'S' && to.category() != b'S';
        if let Expr::Const(d) = &t.expr
            && t.ty != Type::Unknown
            && !is_kept
            && !matches!(to, Type::Regclass | Type::Regtype | Type::Regproc)
            && !depends_on_settings(t.ty, to)
        {
            // What fails does so when all of the statement is understood.
            if let Ok(value) = cast(d.clone(), t.ty, to, typmod, context, self.ctx.format) {
                return Ok(Expr::Const(value));
            }
        }
        Ok(Expr::Cast(Box::new(crate::plan::expr::Cast { expr: t.expr, from: t.ty, to, typmod, context })))
    }

    /// To boolean, as WHERE and its like need.
    pub(crate) fn condition(&mut self, e: &ast::Expr, place: &str) -> Result<Expr, SqlError> {
        let t = self.expr(e)?;
        let why = match () {
            () if t.ty != Type::Bool && t.ty != Type::Unknown => {
                format!("argument of {place} must be type boolean, not type {}", t.ty.sql_name())
            }
            () if t.expr.any(|e| matches!(e, Expr::Set(_))) => {
                format!("argument of {place} must not return a set")
            }
            () => return self.coerce(t, Type::Bool, -1, CastContext::Implicit),
        };
        Err(self.at_start(SqlError::new(SqlState::DATATYPE_MISMATCH, why), e))
    }
}

/// Casts whose result depends on the time zone must not be folded into a plan that outlives it.
fn depends_on_settings(from: Type, to: Type) -> bool {
    let is_read = from.category() == b'S' && matches!(to, Type::Date | Type::Timestamp | Type::Interval);
    is_read || from == Type::Timestamptz || to == Type::Timestamptz || is_money(from) || is_money(to)
}

fn rank(c: CastContext) -> u8 {
    match c {
        CastContext::Implicit => 0,
        CastContext::Assignment => 1,
        CastContext::Explicit => 2,
    }
}

/// Folds an identifier.
pub(crate) fn ident(i: &Ident) -> String {
    fold(&i.value, i.quote_style.is_some())
}

/// (schema, name) of a possibly qualified name; a database in front is the session's.
pub(crate) fn split_name(name: &ObjectName) -> Result<(Option<String>, String), SqlError> {
    split_name_of(name, Of::Other)
}

/// The same of a relation's name, as errors tell it.
pub(crate) fn split_relation(name: &ObjectName) -> Result<(Option<String>, String), SqlError> {
    split_name_of(name, Of::Relation)
}

fn split_name_of(name: &ObjectName, of: Of) -> Result<(Option<String>, String), SqlError> {
    let mut parts: Vec<String> = Vec::with_capacity(2);
    for part in &name.0 {
        match part {
            ObjectNamePart::Identifier(i) => parts.push(ident(i)),
            ObjectNamePart::Function(_) => return Err(SqlError::unsupported("such names are not supported")),
        }
    }
    let Name { schema, name } = qualified(parts, of)?;
    Ok((schema, name))
}

impl Binder<'_> {
    /// A parameter of EXECUTE.
    pub fn execute_parameter(&mut self, e: &ast::Expr, ty: Type) -> Result<Expr, SqlError> {
        let (t, _) = self.nested(|b| {
            b.frame()?.place = "EXECUTE parameters";
            b.expr(e)
        })?;
        if t.expr.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in EXECUTE parameter"));
        }
        self.coerce(t, ty, -1, CastContext::Assignment)
    }

    /// An expression without columns, converted to a type.
    pub fn value(&mut self, e: &ast::Expr, ty: Type, context: CastContext) -> Result<Expr, SqlError> {
        let (t, _) = self.nested(|b| b.expr(e))?;
        self.coerce(t, ty, -1, context)
    }
}
