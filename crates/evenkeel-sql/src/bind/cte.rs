//! WITH: common table expressions, those that are recursive too.
//!
//! Under WITH RECURSIVE each of a clause's expressions may name all others: one that is named before it was bound is bound then.
//!
//! Invariants
//! 1. Of a recursive one the last term of its UNION alone reads it, once, where each row that it gave before counts by itself.
//!
//! Must not know: how they are run.

use super::query::as_value;
use super::search_cycle::{check_names, is_set_operation};
use super::{Binder, Hint, ident};
use crate::parse::search_cycle::{Clauses, clauses};
use crate::plan::Column;
use crate::plan::bound::{Body, BoundCte, BoundQuery, BoundStep};
use evenkeel_types::collation::is_collatable;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Collation, Type, format_type};
use sqlparser::ast::{self, SetExpr, SetOperator, SetQuantifier};
use std::ops::Range;
use std::sync::Arc;

/// A common table expression that names may refer to.
#[derive(Clone)]
pub(crate) struct CteInfo {
    name: String,
    state: CteState,
    /// How many levels there are where its WITH stands.
    depth: usize,
}

#[derive(Clone)]
enum CteState {
    /// It is bound when it is first named: its syntax, its clause's in the list of those in scope, how deep it stands, and within how many changes in WITH.
    Pending { cte: Arc<ast::Cte>, scope: Range<usize>, depth: usize, inner: usize },
    /// It is being bound.
    Open(Recursion),
    Bound {
        number: usize,
        /// None: a change without RETURNING.
        columns: Option<Vec<Column>>,
        /// So many of the last are those of SEARCH and CYCLE.
        added: usize,
    },
}

/// What is known of one that was bound: its number, its columns (None: a change without RETURNING), and how many of the last SEARCH and CYCLE add.
type Known = (usize, Option<Vec<Column>>, usize);

/// What is known of one that is being bound.
#[derive(Clone)]
struct Recursion {
    /// Once its first term is bound: its number, and its columns.
    first: Option<(usize, Vec<Column>)>,
    /// How many of these SEARCH and CYCLE add; then it has to be named at this level.
    added: usize,
    level: usize,
    place: Place,
    /// It was named by itself.
    used: bool,
    /// Where it is put aside which turn of its step it is.
    slot: usize,
}

/// Where a recursive expression is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Where it may be.
    Allowed,
    /// It is no UNION.
    NoUnion,
    FirstTerm,
    Subquery,
    OuterJoin,
    Intersect,
    Except,
    /// By another one that it names.
    Mutual,
}

/// A common table expression as FROM reads it.
pub(crate) struct FoundCte {
    pub number: usize,
    pub columns: Vec<Column>,
    /// What it gave last is read: where it is put aside which turn that is of.
    pub work: Option<usize>,
    /// So many of its last columns are no part of `*` here.
    pub hidden: usize,
}

/// What is said of those that name each other.
const MUTUAL: &str = "mutual recursion between WITH items is not implemented";

fn refused(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_RECURSION, message)
}

impl Binder<'_> {
    /// Binds a WITH clause; its names stay until they are cut off.
    pub(crate) fn with_clause(&mut self, with: Option<&ast::With>) -> Result<(), SqlError> {
        let Some(with) = with else { return Ok(()) };
        let before = self.ctes.len();
        let names: Vec<String> = with.cte_tables.iter().map(|c| ident(&c.alias.name)).collect();
        if let Some(twice) = names.iter().enumerate().find(|(n, name)| names[..*n].contains(name)) {
            let why = format!("WITH query name \"{}\" specified more than once", twice.1);
            let at = with.cte_tables[twice.0].alias.name.span.start;
            return Err(self.at(SqlError::new(SqlState::DUPLICATE_ALIAS, why), at));
        }
        with.cte_tables.iter().try_for_each(|c| self.names_alone(Some(&c.alias)))?;
        let depth = self.frames.len();
        if !with.recursive {
            let outer = self.later_ctes.len();
            self.later_ctes.extend(names.iter().rev().cloned());
            for (cte, name) in with.cte_tables.iter().zip(names) {
                let (number, columns) = self.plain_cte(cte)?;
                self.later_ctes.pop();
                debug_assert!(self.later_ctes.len() >= outer);
                if clauses_of(cte)?.is_some() {
                    return Err(not_recursive());
                }
                self.note_cte(cte);
                let state = CteState::Bound { number, columns, added: 0 };
                self.ctes.push(CteInfo { name, state, depth });
            }
            return Ok(());
        }
        let scope = before..before + names.len();
        for (cte, name) in with.cte_tables.iter().zip(names) {
            let (cte, scope, inner) = (Arc::new(cte.clone()), scope.clone(), self.inner);
            let state = CteState::Pending { cte, scope, depth, inner };
            self.ctes.push(CteInfo { name, state, depth });
        }
        for (at, cte) in scope.zip(&with.cte_tables) {
            self.bind_pending(at).map_err(|e| match e.message == MUTUAL {
                true => self.at(e, cte.alias.name.span.start),
                false => e,
            })?;
        }
        Ok(())
    }

    /// A relation is not there, but a common table expression of its name that cannot be named here.
    pub(super) fn of_later_cte(&self, e: SqlError, name: &str) -> SqlError {
        if !self.later_ctes.iter().any(|n| n == name) {
            return e;
        }
        e.with_detail(format!(
            "There is a WITH item named \"{name}\", but it cannot be referenced from this part of the query."
        ))
        .with_hint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
    }

    /// The numbers of those in scope that came last, the first so many left out.
    pub(super) fn cte_numbers(&self, from: usize) -> impl Iterator<Item = usize> {
        self.ctes.iter().skip(from).filter_map(|c| match &c.state {
            CteState::Bound { number, .. } => Some(*number),
            CteState::Open(_) | CteState::Pending { .. } => None,
        })
    }

    /// Whether there is a common table expression of a name in scope.
    pub(super) fn has_cte(&self, name: &str) -> bool {
        self.ctes.iter().any(|c| c.name == name)
    }

    /// The common table expression of a name, if there is one in scope.
    pub(super) fn cte_named(&mut self, name: &str) -> Result<Option<FoundCte>, SqlError> {
        let Some(at) = self.ctes.iter().rposition(|c| c.name == name) else { return Ok(None) };
        self.bind_pending(at)?;
        let level = self.frames.len();
        let is_deeper = level > self.ctes[at].depth;
        match &mut self.ctes[at].state {
            CteState::Bound { number, columns: Some(columns), added } => {
                let (number, columns, hidden) =
                    (*number, columns.clone(), if is_deeper { *added } else { 0 });
                Ok(Some(FoundCte { number, columns, work: None, hidden }))
            }
            CteState::Bound { columns: None, .. } => {
                let why = format!("WITH query \"{name}\" does not have a RETURNING clause");
                Err(SqlError::unsupported(why))
            }
            CteState::Open(r) => {
                let reference = format!("recursive reference to query \"{name}\" must not appear");
                match (r.place, &r.first) {
                    (Place::Allowed, Some((number, columns))) => {
                        if std::mem::replace(&mut r.used, true) {
                            return Err(refused(format!("{reference} more than once")));
                        }
                        if r.added > 0 && r.level != level {
                            return Err(SqlError::unsupported(format!(
                                "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"{name}\" must be at the top level of its right-hand SELECT"
                            )));
                        }
                        let (number, columns) = (*number, columns.clone());
                        Ok(Some(FoundCte { number, columns, work: Some(r.slot), hidden: r.added }))
                    }
                    (Place::Subquery, _) => Err(refused(format!("{reference} within a subquery"))),
                    (Place::OuterJoin, _) => Err(refused(format!("{reference} within an outer join"))),
                    (Place::Intersect, _) => Err(refused(format!("{reference} within INTERSECT"))),
                    (Place::Except, _) => Err(refused(format!("{reference} within EXCEPT"))),
                    (Place::FirstTerm, _) => {
                        Err(refused(format!("{reference} within its non-recursive term")))
                    }
                    (Place::Mutual, _) => Err(SqlError::unsupported(MUTUAL)),
                    (Place::NoUnion | Place::Allowed, _) => Err(refused(format!(
                        "recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term"
                    ))),
                }
            }
            CteState::Pending { .. } => Err(SqlError::internal("a WITH query that is not bound")),
        }
    }

    /// Binds something at a place where a recursive expression may not be named.
    pub(super) fn within<T>(
        &mut self,
        place: Option<Place>,
        bind: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let Some(place) = place.filter(|_| !self.ctes.is_empty()) else { return bind(self) };
        let mut changed = Vec::new();
        for (n, c) in self.ctes.iter_mut().enumerate() {
            if let CteState::Open(r) = &mut c.state
                && r.place == Place::Allowed
            {
                r.place = place;
                changed.push(n);
            }
        }
        let result = bind(self);
        for n in changed {
            if let Some(CteInfo { state: CteState::Open(r), .. }) = self.ctes.get_mut(n) {
                r.place = Place::Allowed;
            }
        }
        result
    }

    /// Binds one under WITH RECURSIVE, unless that is done or under way.
    fn bind_pending(&mut self, at: usize) -> Result<(), SqlError> {
        let CteState::Pending { cte, scope, depth, inner } = self.ctes[at].state.clone() else {
            return Ok(());
        };
        // Others of the clause that are being bound and name this one, which names them, go round in a circle.
        let mut opened = Vec::new();
        for (n, c) in self.ctes.iter_mut().enumerate().take(scope.end).skip(scope.start) {
            if let CteState::Open(r) = &mut c.state {
                opened.push((n, r.place));
                r.place = Place::Mutual;
            }
        }
        let tail = self.ctes.split_off(scope.end);
        // The levels that a change in WITH has are its own.
        let around = if self.inner > inner { 0 } else { depth.min(self.frames.len()) };
        let frames = self.frames.split_off(around);
        let slot = self.slots;
        self.slots += 1;
        let open = Recursion { first: None, added: 0, level: 0, place: Place::NoUnion, used: false, slot };
        self.ctes[at].state = CteState::Open(open);
        // It stands where its clause does, whoever names it first.
        let inner = std::mem::replace(&mut self.inner, inner);
        let result = self.recursive_cte(at, &cte);
        self.inner = inner;
        self.note_cte(&cte);
        self.frames.truncate(around);
        self.frames.extend(frames);
        self.ctes.truncate(scope.end);
        self.ctes.extend(tail);
        let (number, columns, added) = result?;
        self.ctes[at].state = CteState::Bound { number, columns, added };
        for (n, place) in opened {
            if let CteState::Open(r) = &mut self.ctes[n].state {
                r.place = place;
            }
        }
        Ok(())
    }

    /// Whether what is bound changes rows in a WITH clause.
    pub(crate) fn has_changes(&self) -> bool {
        self.cte_plans.iter().any(|c| c.change.is_some())
    }

    /// An error is of what a recursive query says of its order or its bounds.
    fn at_clause(&self, e: SqlError, q: &ast::Query) -> SqlError {
        let of_order = q.order_by.as_ref().and_then(|o| match &o.kind {
            ast::OrderByKind::Expressions(keys) => keys.first().map(|k| &k.expr),
            ast::OrderByKind::All(_) => None,
        });
        let of_bounds = || match q.limit_clause.as_ref()? {
            ast::LimitClause::LimitOffset { limit, offset, .. } => {
                offset.as_ref().map(|o| &o.value).or(limit.as_ref())
            }
            ast::LimitClause::OffsetCommaLimit { .. } => None,
        };
        of_order.or_else(of_bounds).map_or(e.clone(), |of| self.at_start(e, of))
    }

    /// INSERT, UPDATE and DELETE in a WITH clause.
    fn changing_cte(
        &mut self,
        cte: &ast::Cte,
        statement: &ast::Statement,
    ) -> Result<(usize, Option<Vec<Column>>), SqlError> {
        if self.inner > 0 || self.frames.len() > 1 {
            let why = "WITH clause containing a data-modifying statement must be at the top level";
            return Err(self.at(SqlError::unsupported(why), cte.alias.name.span.start));
        }
        let frames = std::mem::take(&mut self.frames);
        let known = self.ctes.len();
        self.inner += 1;
        let bound = self.with_clause(cte.query.with.as_ref()).and_then(|()| self.statement(statement));
        self.inner -= 1;
        self.ctes.truncate(known);
        self.frames = frames;
        let (change, mut columns) = bound?;
        if let Some(columns) = &mut columns {
            rename(&cte.alias, columns).map_err(|e| self.at(e, cte.alias.name.span.start))?;
        }
        let query = BoundQuery::new(Body::Values(Vec::new()), columns.as_ref().map_or(0, Vec::len));
        let (name, change) = (ident(&cte.alias.name), Some(Box::new(change)));
        self.cte_plans.push(BoundCte { name, query, step: None, is_materialized: None, change });
        Ok((self.cte_plans.len() - 1, columns))
    }

    fn plain_cte(&mut self, cte: &ast::Cte) -> Result<(usize, Option<Vec<Column>>), SqlError> {
        if let SetExpr::Insert(s) | SetExpr::Update(s) | SetExpr::Delete(s) | SetExpr::Merge(s) =
            &*cte.query.body
        {
            return self.changing_cte(cte, s);
        }
        self.inner += 1;
        let bound = self.plain_query(cte);
        self.inner -= 1;
        bound.map(|(number, columns)| (number, Some(columns)))
    }

    fn plain_query(&mut self, cte: &ast::Cte) -> Result<(usize, Vec<Column>), SqlError> {
        let ((query, mut columns), _) = self.nested(|b| b.query(&cte.query, Hint::None))?;
        rename(&cte.alias, &mut columns).map_err(|e| self.at(e, cte.alias.name.span.start))?;
        let (name, is_materialized) = (ident(&cte.alias.name), is_materialized(cte));
        self.cte_plans.push(BoundCte { name, query, step: None, is_materialized, change: None });
        Ok((self.cte_plans.len() - 1, columns))
    }

    /// One under WITH RECURSIVE: perhaps it names itself.
    fn recursive_cte(&mut self, at: usize, cte: &ast::Cte) -> Result<Known, SqlError> {
        let said = clauses_of(cte)?;
        let q = &*cte.query;
        let name = &self.ctes[at].name;
        let is_change = matches!(
            &*q.body,
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        );
        if is_change && mentions(q, name) && reads(q, name) {
            let why = format!("recursive query \"{name}\" must not contain data-modifying statements");
            return Err(refused(why));
        }
        let body = union_of(&q.body).filter(|_| mentions(q, &self.ctes[at].name));
        let Some((left, right, quantifier)) = body else {
            let (number, columns) = self.plain_cte(cte)?;
            return if said.is_some() { Err(not_recursive()) } else { Ok((number, columns, 0)) };
        };
        self.inner += 1;
        let bound = self.union_cte(at, cte, (left, right, quantifier), said.as_ref());
        self.inner -= 1;
        bound.map(|(number, columns, added)| (number, Some(columns), added))
    }

    /// A UNION that names itself.
    fn union_cte(
        &mut self,
        at: usize,
        cte: &ast::Cte,
        (left, right, quantifier): (&SetExpr, &SetExpr, SetQuantifier),
        said: Option<&Clauses>,
    ) -> Result<(usize, Vec<Column>, usize), SqlError> {
        let q = &*cte.query;
        let all = quantifier == SetQuantifier::All;
        let known = self.ctes.len();
        self.with_clause(q.with.as_ref())?;
        let ((first, columns), _) = self.with_place(at, Place::FirstTerm, |b| {
            b.nested(|b| b.side(left).and_then(|(q, c)| b.typed_side(q, c)))
        })?;
        let mut named = columns.clone();
        rename(&cte.alias, &mut named).map_err(|e| self.at(e, cte.alias.name.span.start))?;
        let added = match said {
            None => None,
            Some(said) => {
                let must_be = |which: &str, code| {
                    let why = format!(
                        "with a SEARCH or CYCLE clause, the {which} side of the UNION must be a SELECT"
                    );
                    Err(SqlError::new(code, why))
                };
                if is_set_operation(left) {
                    return must_be("left", SqlState::FEATURE_NOT_SUPPORTED);
                }
                if is_set_operation(right) {
                    return must_be("right", SqlState::SYNTAX_ERROR);
                }
                let added = self.added(said, &named)?;
                self.note_marks(cte, &added);
                named.extend_from_slice(&added.columns);
                Some(added)
            }
        };
        let carried = added.as_ref().map_or(0, |a| a.columns.len());
        let nothing = BoundQuery::new(Body::Values(Vec::new()), 0);
        let number = self.cte_plans.len();
        let (name, is_materialized) = (ident(&cte.alias.name), is_materialized(cte));
        self.cte_plans.push(BoundCte { name, query: nothing, step: None, is_materialized, change: None });
        // The step is a level below this one, and its terms are each one below that.
        let level = self.frames.len() + 2;
        if let CteState::Open(r) = &mut self.ctes[at].state {
            r.first = Some((number, named.clone()));
            (r.added, r.level) = (carried, level);
        }
        let bound = self.with_place(at, Place::Allowed, |b| b.nested(|b| b.side(right)));
        let used = |r: &Recursion| r.used.then_some(r.slot);
        let slot = if let CteState::Open(r) = &self.ctes[at].state { used(r) } else { None };
        let ((step, step_columns), _) = bound?;
        let Some(slot) = slot else {
            if said.is_some() {
                return Err(not_recursive());
            }
            // A UNION like any other; it may be ordered.
            self.ctes.truncate(known);
            let place = self.cte_plans.len();
            let (last, columns) = self.plain_query(cte)?;
            debug_assert!(place <= last);
            let plain = self.cte_plans[last].clone();
            self.cte_plans[number] = plain;
            self.cte_plans.truncate(last);
            return Ok((number, columns, 0));
        };
        check_clauses(q).map_err(|e| self.at_clause(e, q))?;
        if let Some(said) = said {
            check_names(said, &named[..columns.len()])?;
        }
        let name = &self.ctes[at].name;
        if columns.len() + carried != step_columns.len() {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                "each UNION query must have the same number of columns",
            ));
        }
        let name = name.clone();
        for (n, (l, r)) in columns.iter().zip(&step_columns).enumerate() {
            // A table's rows stay what they are to the step, which has been bound.
            let (ty, typmod) = match r.ty {
                Type::Composite(oid) if l.ty == Type::Record && self.is_row_of(l.typmod, oid)? => {
                    (l.ty, l.typmod)
                }
                _ => {
                    let pair = vec![as_value(n, l), as_value(n, r)];
                    let (_, ty, _) = self.unify(pair, "UNION").map_err(|e| self.at_output(e, right, n))?;
                    (ty, if l.ty == r.ty && l.typmod == r.typmod { l.typmod } else { -1 })
                }
            };
            if ty != l.ty || l.typmod != typmod {
                let (own, overall) = (format_type(l.ty, l.typmod), format_type(ty, typmod));
                let e = SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!(
                        "recursive query \"{name}\" column {} has type {own} in non-recursive term but type {overall} overall",
                        n + 1
                    ),
                )
                .with_hint("Cast the output of the non-recursive term to the correct type.");
                return Err(self.at_output(e, left, n));
            }
            let overall = self.merged_collation(l, r, ty, !all, (false, false))?;
            if overall.oid != l.collation.oid && is_collatable(ty) {
                let shown = |c: Collation| self.catalog.collation_name(c.oid);
                let (own, overall) = (shown(l.collation), shown(overall));
                let why = format!(
                    "recursive query \"{name}\" column {} has collation \"{own}\" in non-recursive term but collation \"{overall}\" overall",
                    n + 1
                );
                let hint = "Use the COLLATE clause to set the collation of the non-recursive term.";
                return Err(SqlError::new(SqlState::COLLATION_MISMATCH, why).with_hint(hint));
            }
        }
        if !all && columns.iter().any(|c| !c.collation.is_deterministic()) {
            return Err(super::nondeterministic::unsupported("recursive UNION"));
        }
        if !all && columns.iter().any(|c| !is_hashable(c.ty)) {
            return Err(SqlError::unsupported("could not implement recursive UNION")
                .with_detail("All column datatypes must be hashable."));
        }
        let wanted: Vec<Column> = columns.iter().chain(&named[columns.len()..]).cloned().collect();
        let step = self.converted(step, &step_columns, &wanted)?;
        let (first, query) = match &added {
            Some(added) => (added.first(first), added.step(self, step)?),
            None => (first, step),
        };
        self.cte_plans[number].query = first;
        self.cte_plans[number].step = Some(BoundStep { query, all, slot });
        self.ctes.truncate(known);
        Ok((number, named, carried))
    }

    fn with_place<T>(
        &mut self,
        at: usize,
        place: Place,
        bind: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        if let CteState::Open(r) = &mut self.ctes[at].state {
            r.place = place;
        }
        bind(self)
    }

    /// The first term decides: what has no type yet is text.
    fn typed_side(
        &mut self,
        q: BoundQuery,
        columns: Vec<Column>,
    ) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        let of = |c: &Column| if c.ty == Type::Unknown { Type::Text } else { c.ty };
        let typed: Vec<Column> = columns.iter().map(|c| Column { ty: of(c), ..c.clone() }).collect();
        let q = self.converted(q, &columns, &typed)?;
        Ok((q, typed))
    }
}

/// Whether PostgreSQL has a hash function for a type, by which alone it would find rows that were there before.
fn is_hashable(ty: Type) -> bool {
    !matches!(ty.element().unwrap_or(ty), Type::Bit | Type::Varbit | Type::Money)
}

fn not_recursive() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "WITH query is not recursive")
}

/// SEARCH and CYCLE, for which a name stands where the parser knows FROM.
pub(in crate::bind) fn clauses_of(cte: &ast::Cte) -> Result<Option<Clauses>, SqlError> {
    let Some(name) = &cte.from else { return Ok(None) };
    let wrong = || SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"FROM\"");
    clauses(name).map(Some).ok_or_else(wrong)
}

fn is_materialized(cte: &ast::Cte) -> Option<bool> {
    cte.materialized.as_ref().map(|m| *m == ast::CteAsMaterialized::Materialized)
}

/// The terms of a query that is a UNION.
fn union_of(body: &SetExpr) -> Option<(&SetExpr, &SetExpr, SetQuantifier)> {
    match body {
        SetExpr::SetOperation { op: SetOperator::Union, set_quantifier, left, right } => {
            Some((left, right, *set_quantifier))
        }
        SetExpr::Query(q) if q.with.is_none() && is_bare(q) => union_of(&q.body),
        _ => None,
    }
}

/// Whether nothing but WITH is said around a query's body.
pub(super) fn is_bare(q: &ast::Query) -> bool {
    q.order_by.is_none() && q.limit_clause.is_none() && q.fetch.is_none() && q.locks.is_empty()
}

fn check_clauses(q: &ast::Query) -> Result<(), SqlError> {
    let has_offset = |l: &ast::LimitClause| match l {
        ast::LimitClause::LimitOffset { offset, .. } => offset.is_some(),
        ast::LimitClause::OffsetCommaLimit { .. } => true,
    };
    let what = match q {
        q if q.order_by.is_some() => "ORDER BY",
        q if q.limit_clause.as_ref().is_some_and(has_offset) => "OFFSET",
        q if q.limit_clause.is_some() || q.fetch.is_some() => "LIMIT",
        q if !q.locks.is_empty() => "FOR UPDATE/SHARE",
        _ => return Ok(()),
    };
    Err(SqlError::unsupported(format!("{what} in a recursive query is not implemented")))
}

/// Whether a query may name a relation: its text is searched for the word.
fn mentions(q: &ast::Query, name: &str) -> bool {
    let text = q.to_string().to_lowercase();
    let name = name.to_lowercase();
    text.match_indices(&name).any(|(at, _)| {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    })
}

/// Whether FROM of a change's source names a relation, as far as its text tells: a change that writes a table of the name does not.
fn reads(q: &ast::Query, name: &str) -> bool {
    let text = q.to_string().to_lowercase();
    ["from ", "join ", "using "].iter().any(|w| text.contains(&format!("{w}{}", name.to_lowercase())))
        && !text.contains(&format!("delete from {}", name.to_lowercase()))
}

/// Gives columns the names that the alias lists.
fn rename(alias: &ast::TableAlias, columns: &mut [Column]) -> Result<(), SqlError> {
    if alias.columns.len() > columns.len() {
        return Err(SqlError::new(
            SqlState::INVALID_COLUMN_REFERENCE,
            format!(
                "WITH query \"{}\" has {} columns available but {} columns specified",
                ident(&alias.name),
                columns.len(),
                alias.columns.len()
            ),
        ));
    }
    for (c, rename) in columns.iter_mut().zip(&alias.columns) {
        c.name = ident(&rename.name);
    }
    Ok(())
}
