//! SEARCH and CYCLE of a recursive query: the columns that they add, and what these are in each term.
//!
//! As in PostgreSQL both terms become queries in FROM. Beside the columns of the first one stands where its rows begin; beside those of the step, which carries
//! on what the row had that it comes from, where its rows are. Rows that come from one that was there before are not kept.
//!
//! Must not know: how a recursion is run.

use super::compare::must_be_equal_or_not;
use super::{Binder, Typed};
use crate::parse::parse_expression;
use crate::parse::search_cycle::{Clauses, Cycle};
use crate::plan::Column;
use crate::plan::bound::{Body, BoundQuery, BoundSelect, FromTree, Level, Source, SourceKind};
use crate::plan::expr::{Case, CmpOp, Expr};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use sqlparser::ast::SetExpr;

/// What the row is called that a step gives.
const STEP: &str = "*TROCRN*";

fn syntax(message: String) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// The values that a row has which came again, or did not.
struct Marks {
    value: Expr,
    otherwise: Expr,
    ty: Type,
    typmod: i32,
}

/// What the clauses add to a query.
pub(super) struct Added {
    /// The query's own columns.
    own: Vec<Column>,
    /// Whether it is by breadth, and what it is ordered by.
    search: Option<(bool, Vec<usize>)>,
    cycle: Option<(Vec<usize>, Marks)>,
    /// The columns that are added.
    pub columns: Vec<Column>,
}

fn column(name: &str, ty: Type, typmod: i32) -> Column {
    Column::of(name.to_owned(), ty, typmod)
}

/// The places of columns by their names, which are there once each.
fn places(names: &[String], own: &[Column], what: &str) -> Result<Vec<usize>, SqlError> {
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let Some(at) = own.iter().position(|c| c.name == *name) else {
            return Err(syntax(format!("{what} column \"{name}\" not in WITH query column list")));
        };
        if places.contains(&at) {
            let why = format!("{what} column \"{name}\" specified more than once");
            return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
        }
        places.push(at);
    }
    Ok(places)
}

/// Whether a term of a UNION is a set operation, be it in parentheses that it does not need.
pub(super) fn is_set_operation(e: &SetExpr) -> bool {
    match e {
        SetExpr::SetOperation { .. } => true,
        SetExpr::Query(q) => {
            q.with.is_none()
                && q.order_by.is_none()
                && q.limit_clause.is_none()
                && q.fetch.is_none()
                && q.locks.is_empty()
                && is_set_operation(&q.body)
        }
        _ => false,
    }
}

impl Binder<'_> {
    /// What clauses add to a query with these columns.
    pub(super) fn added(&mut self, clauses: &Clauses, own: &[Column]) -> Result<Added, SqlError> {
        let mut added = Added { own: own.to_vec(), search: None, cycle: None, columns: Vec::new() };
        if let Some(s) = &clauses.search {
            let ty = if s.is_breadth { Type::Record } else { Type::RecordArray };
            added.columns.push(column(&s.sequence, ty, -1));
            added.search = Some((s.is_breadth, places(&s.columns, own, "search")?));
        }
        if let Some(c) = &clauses.cycle {
            let by = places(&c.columns, own, "cycle")?;
            let marks = self.marks(c)?;
            added.columns.push(column(&c.mark, marks.ty, marks.typmod));
            added.columns.push(column(&c.path, Type::RecordArray, -1));
            added.cycle = Some((by, marks));
        }
        Ok(added)
    }

    fn marks(&mut self, cycle: &Cycle) -> Result<Marks, SqlError> {
        let Some((value, otherwise)) = &cycle.values else {
            let is = |b: bool| Expr::Const(Datum::Bool(b));
            return Ok(Marks { value: is(true), otherwise: is(false), ty: Type::Bool, typmod: -1 });
        };
        // Places in their texts are none in that of the statement.
        let capture = self.capture.take();
        let bound = [value, otherwise].into_iter().map(|text| {
            let e = parse_expression(text)?;
            Ok(self.unshown(|b| b.nested(|b| b.expr(&e)))?.0)
        });
        let bound = bound.collect::<Result<Vec<Typed>, SqlError>>();
        self.capture = capture;
        let (mut both, ty, typmod) = self.unify(bound?, "CYCLE")?;
        must_be_equal_or_not(ty)?;
        match (both.pop(), both.pop()) {
            (Some(otherwise), Some(value)) => Ok(Marks { value, otherwise, ty, typmod }),
            _ => Err(SqlError::internal("CYCLE")),
        }
    }

    /// The texts of the values that a cycle is marked with, but for the usual ones.
    pub(super) fn mark_texts(&self, added: &Added) -> Option<(String, String)> {
        let (_, marks) = added.cycle.as_ref()?;
        let is = |e: &Expr, value: bool| matches!(e, Expr::Const(Datum::Bool(b)) if *b == value);
        if is(&marks.value, true) && is(&marks.otherwise, false) {
            return None;
        }
        self.constant_texts([&marks.value, &marks.otherwise], marks.ty)
    }
}

/// Refuses names of columns that are there already; whoever named one in the query has met that before.
pub(super) fn check_names(clauses: &Clauses, own: &[Column]) -> Result<(), SqlError> {
    let is_taken = |what: &str, name: &String| match own.iter().any(|c| c.name == *name) {
        true => Err(syntax(format!("{what} column name \"{name}\" already used in WITH query column list"))),
        false => Ok(()),
    };
    let are_same = |what: &str, a: &String, b: &String| match a == b {
        true => Err(syntax(format!("{what} are the same"))),
        false => Ok(()),
    };
    if let Some(s) = &clauses.search {
        is_taken("search sequence", &s.sequence)?;
    }
    let Some(c) = &clauses.cycle else { return Ok(()) };
    is_taken("cycle mark", &c.mark)?;
    is_taken("cycle path", &c.path)?;
    are_same("cycle mark column name and cycle path column name", &c.mark, &c.path)?;
    let Some(s) = &clauses.search else { return Ok(()) };
    are_same("search sequence column name and cycle mark column name", &s.sequence, &c.mark)?;
    are_same("search sequence column name and cycle path column name", &s.sequence, &c.path)
}

impl Added {
    fn column(&self, at: usize) -> Typed {
        let all = self.own.get(at).or_else(|| self.columns.get(at - self.own.len()));
        let (ty, typmod) = all.map_or((Type::Unknown, -1), |c| (c.ty, c.typmod));
        Typed { expr: Expr::Column(at), ty, typmod }
    }

    fn row(&self, first: Option<Expr>, by: &[usize]) -> Expr {
        let own = by.iter().map(|n| self.own[*n].ty);
        let types = first.iter().map(|_| Type::Int8).chain(own).collect();
        Expr::Row(types, first.into_iter().chain(by.iter().map(|n| Expr::Column(*n))).collect())
    }

    /// The first term with the columns that are added.
    pub fn first(&self, query: BoundQuery) -> BoundQuery {
        let list = |row: Expr| Expr::Array(Type::Record, [row].into());
        let mut outs: Vec<Expr> = (0..self.own.len()).map(Expr::Column).collect();
        match &self.search {
            Some((true, by)) => outs.push(self.row(Some(Expr::Const(Datum::Int8(0))), by)),
            Some((false, by)) => outs.push(list(self.row(None, by))),
            None => {}
        }
        if let Some((by, marks)) = &self.cycle {
            outs.push(marks.otherwise.clone());
            outs.push(list(self.row(None, by)));
        }
        query.with_output(outs.into())
    }

    /// The step, behind whose own columns stand those of the row that it comes from, with the columns that are added.
    pub fn step(&self, b: &mut Binder<'_>, query: BoundQuery) -> Result<BoundQuery, SqlError> {
        let width = self.own.len() + self.columns.len();
        let mut outs: Vec<Expr> = (0..self.own.len()).map(Expr::Column).collect();
        let longer = |b: &mut Binder<'_>, at: usize, by: &[usize]| {
            let more = Typed::new(Expr::Array(Type::Record, [self.row(None, by)].into()), Type::RecordArray);
            Ok::<Expr, SqlError>(b.operator("||", Some(self.column(at)), more)?.expr)
        };
        let (mut at, mut conjuncts) = (self.own.len(), Vec::new());
        if let Some((is_breadth, by)) = &self.search {
            outs.push(if *is_breadth {
                let depth = Typed::new(Expr::field(Expr::Column(at), 0, "*DEPTH*"), Type::Int8);
                let one = Typed::new(Expr::Const(Datum::Int8(1)), Type::Int8);
                self.row(Some(b.operator("+", Some(depth), one)?.expr), by)
            } else {
                longer(b, at, by)?
            });
            at += 1;
        }
        if let Some((by, marks)) = &self.cycle {
            let (row, path) = (self.row(None, by), Expr::Column(at + 1));
            let is_there = Expr::AnyArray(CmpOp::Eq, Box::new((row, path)), true);
            let branches = vec![(is_there, marks.value.clone())];
            let case = Case { operand: None, branches, otherwise: marks.otherwise.clone() };
            outs.push(Expr::Case(Box::new(case)));
            outs.push(longer(b, at + 1, by)?);
            let value = Typed { expr: marks.value.clone(), ty: marks.ty, typmod: marks.typmod };
            conjuncts.push(b.compare(CmpOp::Ne, self.column(at), value)?);
        }
        if conjuncts.is_empty() {
            return Ok(query.with_output(outs.into()));
        }
        let mut source = Source::new(SourceKind::Query(Box::new(query), STEP.to_owned()), Vec::new());
        source.width = width;
        let level = Level { sources: vec![source], tree: Some(FromTree::Source(0)), conjuncts, width };
        let visible = outs.len();
        let select = BoundSelect::of(level, outs);
        Ok(BoundQuery::new(Body::Select(Box::new(select)), visible))
    }
}
