//! Statements that were parsed, and what stays with them: types, plans, and where they are counted.
//!
//! Must not know: how they are planned and run.

use super::custom::Plans;
use crate::bind::literal::ReadLiterals;
use crate::counted::Entry;
use crate::parse::Stmt;
use crate::parse::executed::executed;
use crate::plan::{Column, Plan};
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{Datum, Type};
use parking_lot::Mutex;
use sqlparser::ast::Statement;
use std::sync::{Arc, OnceLock};

/// A parsed statement, planned when needed.
pub struct Prepared {
    /// How it is spelled.
    pub(crate) text: Arc<str>,
    /// Of one that was found by its shape: the values of its literals, which the body has as parameters.
    pub(super) values: Vec<Datum>,
    pub(crate) body: Arc<Body>,
}

/// What statements share that differ in literals only.
pub(crate) struct Body {
    /// The string that positions of errors point into.
    pub source: Arc<str>,
    pub stmt: Deep<Stmt>,
    pub(super) declared: Vec<Option<Type>>,
    pub(super) param_types: Vec<Type>,
    pub(super) param_domains: Vec<Option<u32>>,
    pub(super) columns: Option<Vec<Column>>,
    /// What it takes to keep it.
    pub(super) bytes: usize,
    /// What its literals were read as at first.
    pub(super) literals: ReadLiterals,
    pub(super) plan: Mutex<Option<(u64, Arc<Deep<Plan>>)>>,
    pub(super) plans: Mutex<Plans>,
    /// What all statements with its normal text have, once somebody has asked.
    pub(super) number: OnceLock<i64>,
    /// Where its executions were counted last.
    pub(super) counted: Mutex<Option<Arc<Entry>>>,
}

/// The query that a statement runs, where its parameters are those of the statement: a cursor's, and that of which a table is created.
pub(super) fn query_of(stmt: &Stmt) -> Option<Stmt> {
    match stmt {
        Stmt::Declare(d) => Some(d.stmt.clone()),
        Stmt::Sql(s) => match &**s {
            Statement::CreateTable(c) => {
                let query = c.query.as_ref().filter(|q| executed(q).is_none())?;
                Some(Stmt::Sql(Box::new(Statement::Query(query.clone()))))
            }
            _ => None,
        },
        _ => None,
    }
}

impl Prepared {
    pub(super) fn new(
        stmt: Deep<Stmt>,
        text: Arc<str>,
        source: Arc<str>,
        declared: Vec<Option<Type>>,
    ) -> Prepared {
        let body = Body {
            source,
            stmt,
            declared,
            param_types: Vec::new(),
            param_domains: Vec::new(),
            columns: None,
            bytes: 0,
            literals: ReadLiterals::default(),
            plan: Mutex::new(None),
            plans: Mutex::default(),
            number: OnceLock::new(),
            counted: Mutex::default(),
        };
        Prepared { text, values: Vec::new(), body: Arc::new(body) }
    }

    /// Types of the parameters.
    pub fn param_types(&self) -> &[Type] {
        &self.body.param_types
    }

    /// What clients are told that the parameters are of: of a domain, where their values become ones of it at once.
    pub fn param_oids(&self) -> Vec<u32> {
        let domains = self.body.param_domains.iter().copied().chain(std::iter::repeat(None));
        self.param_types().iter().zip(domains).map(|(ty, domain)| domain.unwrap_or(ty.oid())).collect()
    }

    /// Result columns; None: it returns no rows.
    pub fn columns(&self) -> Option<&[Column]> {
        self.body.columns.as_deref()
    }

    /// What the client sent: a string of several statements is one.
    pub(super) fn sent(&self) -> &Arc<str> {
        // The source of a shape has none of the literals.
        if self.values.is_empty() { &self.body.source } else { &self.text }
    }

    /// No statement at all.
    pub fn is_empty(&self) -> bool {
        matches!(*self.body.stmt, Stmt::Empty)
    }
}
