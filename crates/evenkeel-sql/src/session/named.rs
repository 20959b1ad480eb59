//! Prepared statements with names: one name space for PREPARE and for the protocol's Parse.
//!
//! Invariant: their texts together are within the session's statement memory.
//!
//! Must not know: the wire protocol.

use super::{Portal, PortalState, Prepared, Progress, RowSink, Session};
use crate::bind::types::named_type;
use crate::catalog::NamedType;
use crate::catalog::views::PreparedRow;
use crate::parse::{PrepareStmt, Stmt};
use crate::session::CommandTag;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{Datum, Type};
use parking_lot::Mutex;
use sqlparser::ast;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counted for each statement beside its text, bytes.
const STATEMENT_BYTES: usize = 1024;

struct Named {
    stmt: Arc<Prepared>,
    /// The types that PREPARE names; none: the protocol prepared it.
    types: Option<Box<[NamedType]>>,
    prepared_us: i64,
}

/// All of a session's. `pg_prepared_statements` reads them while a statement runs.
#[derive(Default)]
pub(crate) struct NamedStatements(Mutex<BTreeMap<String, Named>>);

impl NamedStatements {
    pub(super) fn get(&self, name: &str) -> Option<Arc<Prepared>> {
        self.0.lock().get(name).map(|n| n.stmt.clone())
    }

    pub(super) fn find(&self, name: &str) -> Result<Arc<Prepared>, SqlError> {
        self.get(name).ok_or_else(|| {
            SqlError::new(
                SqlState::INVALID_SQL_STATEMENT_NAME,
                format!("prepared statement \"{name}\" does not exist"),
            )
        })
    }

    /// The domain that PREPARE gives a parameter.
    fn domain(&self, name: &str, parameter: usize) -> Option<NamedType> {
        let all = self.0.lock();
        let types = all.get(name)?.types.as_ref()?;
        types.get(parameter).filter(|t| t.domain.is_some()).cloned()
    }

    fn check_free(&self, name: &str) -> Result<(), SqlError> {
        if self.0.lock().contains_key(name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_PREPARED_STATEMENT,
                format!("prepared statement \"{name}\" already exists"),
            ));
        }
        Ok(())
    }

    fn add(
        &self,
        name: &str,
        stmt: Arc<Prepared>,
        types: Option<Box<[NamedType]>>,
        limit: usize,
    ) -> Result<(), SqlError> {
        self.check_free(name)?;
        let mut all = self.0.lock();
        let bytes = |s: &Prepared| s.body.bytes + STATEMENT_BYTES;
        if all.values().map(|n| bytes(&n.stmt)).sum::<usize>() + bytes(&stmt) > limit {
            return Err(SqlError::new(
                SqlState::OUT_OF_MEMORY,
                "prepared statements of this session take too much memory",
            ));
        }
        let prepared_us = evenkeel_types::datetime::wall_clock_us();
        all.insert(name.to_owned(), Named { stmt, types, prepared_us });
        Ok(())
    }

    pub(super) fn remove(&self, name: &str) {
        self.0.lock().remove(name);
    }

    pub(super) fn clear(&self) {
        self.0.lock().clear();
    }

    pub(super) fn rows(&self) -> Vec<PreparedRow> {
        let row = |(name, n): (&String, &Named)| {
            let plans = *n.stmt.body.plans.lock();
            let mut param_types = n.stmt.param_oids();
            for (oid, said) in param_types.iter_mut().zip(n.types.iter().flatten()) {
                *oid = said.oid();
            }
            PreparedRow {
                name: name.clone(),
                text: n.stmt.sent().to_string(),
                param_types,
                columns: n.stmt.columns().map(|c| c.iter().map(|c| (c.ty, c.table_oid, c.attnum)).collect()),
                from_sql: n.types.is_some(),
                prepared_us: n.prepared_us,
                generic_plans: plans.generic as i64,
                custom_plans: plans.custom as i64,
            }
        };
        self.0.lock().iter().map(row).collect()
    }
}

fn no_select() -> SqlError {
    SqlError::new(SqlState::WRONG_OBJECT_TYPE, "prepared statement is not a SELECT")
}

impl Session {
    /// A prepared statement by its name.
    pub fn named(&self, name: &str) -> Option<Arc<Prepared>> {
        self.named.get(name)
    }

    /// Gives a statement from [`Session::prepare`] a name, by which EXECUTE and DEALLOCATE find it.
    pub fn keep_named(&mut self, name: &str, stmt: &Arc<Prepared>) -> Result<(), SqlError> {
        self.named.add(name, stmt.clone(), None, self.statement_memory_bytes)
    }

    /// Forgets a name; one that does not exist is no error.
    pub fn drop_named(&mut self, name: &str) {
        self.named.remove(name);
    }

    pub(super) fn prepare_named(&mut self, p: &PrepareStmt, of: &Prepared) -> Result<Progress, SqlError> {
        self.named.check_free(&p.name)?;
        let (mut declared, mut types) = (Vec::new(), Vec::new());
        for t in &p.types {
            let named = named_type(t, Some((&self.catalog, self.search_path())))?;
            declared.push(Some(named.ty));
            types.push(named);
        }
        let stmt = self.prepare_stmt(
            Deep::new(of.body.stmt.depth(), p.stmt.clone()),
            of.text.clone(),
            of.body.source.clone(),
            declared,
        )?;
        self.named.add(&p.name, stmt, Some(types.into()), self.statement_memory_bytes)?;
        Ok(Progress::Done(CommandTag::of("PREPARE")))
    }

    /// What EXECUTE runs: the statement, and its parameters.
    pub(super) fn execution(
        &mut self,
        name: &str,
        args: &[ast::Expr],
    ) -> Result<(Arc<Prepared>, Vec<Datum>), SqlError> {
        let stmt = self.named.find(name)?;
        let types = stmt.param_types().to_vec();
        // One without parameters takes no notice of them.
        if types.len() != args.len() && !types.is_empty() {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                format!("wrong number of parameters for prepared statement \"{name}\""),
            )
            .with_detail(format!("Expected {} parameters but got {}.", types.len(), args.len())));
        }
        // One that the protocol prepared may be anything; a chain of EXECUTEs could be endless.
        if matches!(*stmt.body.stmt, Stmt::Execute(..) | Stmt::Copy(_)) {
            return Err(SqlError::unsupported("EXECUTE of this kind of statement is not supported"));
        }
        let mut params = Vec::new();
        for (n, (arg, ty)) in args.iter().zip(&types).enumerate() {
            let domain = self.named.domain(name, n);
            let of = domain.unwrap_or(NamedType { ty: *ty, typmod: -1, domain: None });
            params.push(self.constant(arg, of)?);
        }
        Ok((stmt, params))
    }

    /// The query that CREATE TABLE … AS EXECUTE runs, the types of its parameters, and their values.
    #[allow(clippy::type_complexity)]
    pub(crate) fn executed_query(
        &mut self,
        name: &str,
        args: &[ast::Expr],
    ) -> Result<(ast::Statement, Vec<Option<Type>>, Vec<Datum>), SqlError> {
        let (stmt, params) = self.execution(name, args)?;
        let query = match &*stmt.body.stmt {
            Stmt::Sql(s) => match &**s {
                ast::Statement::Query(q) => q.clone(),
                _ => return Err(no_select()),
            },
            _ => return Err(no_select()),
        };
        let params = if stmt.values.is_empty() { params } else { stmt.values.clone() };
        let types = stmt.param_types().iter().map(|t| Some(*t)).collect();
        Ok((ast::Statement::Query(query), types, params))
    }

    pub(super) fn execute_named(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        outer: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        if matches!(outer.state, PortalState::New) && self.waiting.is_some() {
            // It goes on in its snapshot: to compute the arguments once more would take another.
            outer.stmt = self.named.find(name)?;
            return self.run_planned(outer, max_rows, sink);
        }
        if matches!(outer.state, PortalState::New) {
            let (stmt, params) = self.execution(name, args)?;
            let inner = self.bind(&stmt, params)?;
            outer.plan = inner.plan;
            outer.params = inner.params;
            outer.stmt = inner.stmt;
        }
        match outer.plan {
            Some(_) => self.run_planned(outer, max_rows, sink),
            None => self.run_utility(outer, max_rows, sink),
        }
    }
}
