//! Rows against what their table says of them: NOT NULL, CHECK, stored generated columns, foreign keys, the labels of enums.
//!
//! Invariants:
//! 1. Only what a row had to satisfy when it was written and has to still is looked at: constraints that are valid and enforced, conditions whose value depends on nothing but the row.
//!
//! Must not know: indexes, but for those that foreign keys refer to.

use crate::bind::Binder;
use crate::catalog::{Catalog, ForeignKey, Generated, Table};
use crate::exec::Cx;
use crate::exec::eval::eval;
use crate::exec::foreign::parent_key;
use crate::plan::expr::Expr;
use evenkeel::Transaction;
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type, Volatility, encode_row, quote_ident};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the rows of a table have to satisfy, bound.
pub(super) struct Rules {
    /// Columns that are NOT NULL, and their values.
    not_nulls: Vec<(String, Expr)>,
    /// CHECK constraints.
    checks: Vec<(String, Expr)>,
    /// Stored generated columns: place, name, type, how they are computed.
    generated: Vec<(usize, String, Type, Expr)>,
    /// Foreign keys with the tables that they refer to.
    keys: Vec<(ForeignKey, Arc<Table>)>,
    /// Columns of enums, and the numbers that their labels have.
    enums: Vec<(usize, String, BTreeSet<u64>)>,
}

/// Whether the value of an expression depends on the row alone.
fn is_settled(e: &Expr) -> bool {
    !e.any(|e| match e {
        Expr::Call(f, _) | Expr::AnyCall(f, ..) => f.volatile != Volatility::Immutable,
        Expr::Cast(c) => c.depends_on_settings(),
        Expr::JsonQuery(q) => q.depends_on_settings(),
        Expr::Subquery(..) => true,
        _ => false,
    })
}

impl Rules {
    pub fn bind(table: &Arc<Table>, catalog: &Catalog, binder: &mut Binder<'_>) -> Result<Rules, SqlError> {
        let is_valid = |column: usize| table.not_nulls.iter().all(|n| n.column != column || n.validated);
        let mut not_nulls = Vec::new();
        for (n, c) in table.live_columns().filter(|(n, c)| c.not_null && is_valid(*n)) {
            not_nulls.push((quote_ident(&c.name), binder.column_value(table, n)?));
        }
        let mut checks = Vec::new();
        for c in table.checks.iter().filter(|c| c.standing.enforced && c.standing.validated) {
            checks.push((quote_ident(&c.name), binder.check_condition(&c.expr, table)?));
        }
        checks.retain(|(_, e)| is_settled(e));
        let mut generated = Vec::new();
        for (n, c) in table.live_columns().filter(|(_, c)| c.generated == Some(Generated::Stored)) {
            generated.push((n, quote_ident(&c.name), c.ty, binder.generation(table, n)?));
        }
        let valid = table.foreign_keys.iter().filter(|f| f.standing.enforced && f.standing.validated);
        let keys = valid.filter_map(|f| Some((f.clone(), catalog.table(f.parent)?.clone()))).collect();
        let labels = |ty: Type| match ty {
            Type::Enum(oid) => {
                catalog.user_type(oid).map(|t| t.labels.iter().map(|l| l.0).collect::<BTreeSet<u64>>())
            }
            _ => None,
        };
        let enums = table.live_columns().filter_map(|(n, c)| Some((n, quote_ident(&c.name), labels(c.ty)?)));
        Ok(Rules { not_nulls, checks, generated, keys, enums: enums.collect() })
    }

    /// Tells what is wrong with a row.
    pub fn check(
        &self,
        row: &[Datum],
        id: u64,
        txn: &mut Transaction,
        cx: &mut Cx<'_>,
        tell: &mut dyn FnMut(String),
    ) -> Result<(), SqlError> {
        for (column, value) in &self.not_nulls {
            match eval(value, row, cx) {
                Ok(Datum::Null) => tell(format!("column {column} of row {id} is NULL")),
                Ok(_) => {}
                Err(e) => tell(format!("column {column} of row {id}: {}", e.message)),
            }
        }
        for (name, condition) in &self.checks {
            match eval(condition, row, cx) {
                Ok(Datum::Bool(false)) => tell(format!("row {id} violates check constraint {name}")),
                Ok(_) => {}
                Err(e) => tell(format!("check constraint {name} of row {id}: {}", e.message)),
            }
        }
        for (place, column, ty, value) in &self.generated {
            let same = eval(value, row, cx).map(|value| stored(&value, *ty) == stored(&row[*place], *ty));
            match same {
                Ok(true) => {}
                Ok(false) => tell(format!("column {column} of row {id} is not what it is generated as")),
                Err(e) => tell(format!("column {column} of row {id}: {}", e.message)),
            }
        }
        for (key, parent) in &self.keys {
            if !has_parent(key, parent, row, txn)? {
                tell(format!("row {id} violates foreign key constraint {}", quote_ident(&key.name)));
            }
        }
        for (place, column, labels) in &self.enums {
            if let Datum::Enum(_, number) = &row[*place]
                && !labels.contains(number)
            {
                tell(format!("column {column} of row {id} has a value without a label"));
            }
        }
        Ok(())
    }
}

fn stored(value: &Datum, ty: Type) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_row(std::slice::from_ref(value), &[ty], &mut bytes);
    bytes
}

/// Whether the row that a row refers to is there, if it refers to one.
fn has_parent(
    key: &ForeignKey,
    parent: &Table,
    row: &[Datum],
    txn: &mut Transaction,
) -> Result<bool, SqlError> {
    let nulls = key.columns.iter().filter(|c| row[**c].is_null()).count();
    if nulls > 0 {
        return Ok(nulls == key.columns.len() || !key.match_full);
    }
    let Some(index) = parent.indexes.iter().find(|i| i.oid == key.parent_index) else {
        return Ok(true); // that is told of the definitions
    };
    if index.check_collations().is_err() {
        return Ok(true); // nobody can look into it until it is made again
    }
    match parent_key(key, parent, index, |n| row[key.columns[n]].clone())? {
        Some(entry) => Ok(txn.get(index.tree, &entry)?.is_some()),
        None => Ok(false),
    }
}
