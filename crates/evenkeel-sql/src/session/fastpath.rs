//! The protocol's call of one function by its OID: the same as a query that selects it.
//!
//! Must not know: messages.

use super::{Prepared, Session};
use crate::catalog::views::types::{function_at, function_name, schema_of_function};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use std::sync::Arc;

impl Session {
    /// Refuses to do anything more in a transaction that has failed.
    pub(super) fn check_not_failed(&self) -> Result<(), SqlError> {
        if !self.txn.as_ref().is_some_and(|t| t.failed) {
            return Ok(());
        }
        Err(SqlError::new(
            SqlState::IN_FAILED_SQL_TRANSACTION,
            "current transaction is aborted, commands ignored until end of transaction block",
        ))
    }

    /// The query that calls a function with parameters of the types that it takes. Refuses what PostgreSQL does not call so either.
    pub fn function_call(&mut self, oid: u32) -> Result<Arc<Prepared>, SqlError> {
        self.check_not_failed()?;
        self.refresh_catalog();
        let found = function_at(oid).and_then(|f| {
            let schema = self.catalog.schema(schema_of_function(&self.catalog, f)?)?;
            Some((f, quote_ident(&schema.name)))
        });
        let Some((f, schema)) = found else {
            return Err(match function_name(oid) {
                Some(name) if function_at(oid).is_none() => {
                    SqlError::unsupported(format!("cannot call function \"{name}\" via fastpath interface"))
                }
                _ => SqlError::new(
                    SqlState::UNDEFINED_FUNCTION,
                    format!("function with OID {oid} does not exist"),
                ),
            });
        };
        if let Some(ty) = f.args.iter().find(|t| t.is_pseudo()) {
            let message = format!("cannot accept a value of type {}", ty.sql_name());
            return Err(SqlError::unsupported(message));
        }
        let (mut types, mut list) = (Vec::new(), Vec::new());
        for (n, ty) in f.args.iter().enumerate() {
            let is_list = f.variadic && n + 1 == f.args.len();
            let ty = if is_list { ty.array_of().unwrap_or(*ty) } else { *ty };
            types.push(ty.oid());
            list.push(format!("{}${}", if is_list { "VARIADIC " } else { "" }, n + 1));
        }
        self.prepare(&format!("SELECT {schema}.{}({})", quote_ident(f.name), list.join(", ")), &types)
    }
}
