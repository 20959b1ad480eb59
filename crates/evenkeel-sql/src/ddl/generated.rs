//! Generated columns as definition statements see them: the clause, ALTER COLUMN … SET and DROP EXPRESSION, and what refuses them.
//!
//! Must not know: how their values are computed (`bind::generated`).

use super::column::wrong_state;
use super::depends;
use crate::bind::Binder;
use crate::catalog::locks::TableLockMode;
use crate::catalog::{FkAction, Generated, Table};
use crate::exec::build;
use crate::parse::definition::{BY_DEFAULT, VIRTUAL};
use crate::plan::expr::Expr;
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments};
use std::sync::Arc;

/// The kind and the expression of a clause (see `parse::definition`).
pub(super) fn clause(e: &ast::Expr) -> Result<(Generated, &ast::Expr), SqlError> {
    let ast::Expr::Function(f) = e else { return Ok((Generated::Stored, e)) };
    let marked = |mark: &str| matches!(&f.name.0[..], [p] if p.as_ident().is_some_and(|i| i.value == mark));
    if marked(BY_DEFAULT) {
        let why = "for a generated column, GENERATED ALWAYS must be specified";
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
    }
    match &f.args {
        FunctionArguments::List(list) if marked(VIRTUAL) => match &list.args[..] {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(e))] => Ok((Generated::Virtual, e)),
            _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \",\"")),
        },
        _ => Ok((Generated::Stored, e)),
    }
}

/// The text of an expression as it is stored, and shown: what is an operator stands in parentheses.
pub(super) fn stored_text(e: &ast::Expr) -> String {
    crate::parse::deparse::deparse(e)
}

fn of(table: &Table, columns: impl IntoIterator<Item = usize>, kind: Option<Generated>) -> bool {
    columns.into_iter().filter_map(|c| table.columns.get(c)).any(|c| match kind {
        Some(kind) => c.generated == Some(kind),
        None => c.generated.is_some(),
    })
}

/// Refuses what is made of values that lie in rows.
pub(super) fn refuse_index(
    table: &Table,
    columns: impl IntoIterator<Item = usize>,
    what: &str,
) -> Result<(), SqlError> {
    match of(table, columns, Some(Generated::Virtual)) {
        true => Err(SqlError::unsupported(format!("{what} on virtual generated columns are not supported"))),
        false => Ok(()),
    }
}

/// A foreign key must not set what is computed.
pub(super) fn check_foreign_key(
    table: &Table,
    columns: &[usize],
    on_update: FkAction,
    on_delete: FkAction,
) -> Result<(), SqlError> {
    refuse_index(table, columns.iter().copied(), "foreign key constraints")?;
    let sets = |a: FkAction| matches!(a, FkAction::SetNull | FkAction::SetDefault);
    let event = match (on_update, on_delete) {
        (FkAction::Cascade, _) => "UPDATE",
        (update, _) if sets(update) => "UPDATE",
        (_, delete) if sets(delete) => "DELETE",
        _ => return Ok(()),
    };
    if !of(table, columns.iter().copied(), None) {
        return Ok(());
    }
    let why = format!("invalid ON {event} action for foreign key constraint containing generated column");
    Err(SqlError::new(SqlState::SYNTAX_ERROR, why))
}

/// A generated column's default is its expression.
pub(super) fn refuse_default(table: &Table, n: usize, is_set: bool) -> Result<(), SqlError> {
    let c = &table.columns[n];
    let Some(kind) = c.generated else { return Ok(()) };
    let why = format!("column \"{}\" of relation \"{}\" is a generated column", c.name, table.name);
    let e = SqlError::new(SqlState::SYNTAX_ERROR, why);
    Err(match (is_set, kind) {
        (true, _) => e.with_hint("Use ALTER TABLE ... ALTER COLUMN ... SET EXPRESSION instead."),
        (false, Generated::Stored) => {
            e.with_hint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
        }
        (false, Generated::Virtual) => e,
    })
}

fn not_for_virtual(table: &Table, n: usize, what: &str) -> SqlError {
    let name = &table.columns[n].name;
    SqlError::unsupported(format!("ALTER TABLE / {what}")).with_detail(format!(
        "Column \"{name}\" of relation \"{}\" is a virtual generated column.",
        table.name
    ))
}

impl Session {
    /// How a generated column is computed, over a row of its table.
    pub(super) fn generation(&mut self, table: &Table, n: usize) -> Result<Expr, SqlError> {
        let table = Arc::new(table.clone());
        self.bind_to_compute(|b| b.check_generation(&table, n))
    }

    /// Fails if a column has NULLs.
    pub(super) fn check_no_nulls(&mut self, table: &Table, n: usize) -> Result<(), SqlError> {
        let value = {
            let eval = self.eval_ctx();
            let cx = self.definition_context(&eval);
            Binder::new(&cx, &[]).column_value(&Arc::new(table.clone()), n)?
        };
        self.with_bare_cx(|cx| build::check_not_null(table, n, &value, cx))
    }

    pub(super) fn drop_expression(
        &mut self,
        table: &mut Table,
        n: usize,
        if_exists: bool,
    ) -> Result<(), SqlError> {
        match table.columns[n].generated {
            Some(Generated::Stored) => {}
            Some(Generated::Virtual) => {
                let what = "DROP EXPRESSION is not supported for virtual generated columns";
                return Err(not_for_virtual(table, n, what));
            }
            None => {
                let e = wrong_state(table, n, "is not a generated column");
                if !if_exists {
                    return Err(e);
                }
                let message = format!("{}, skipping", e.message);
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                return Ok(());
            }
        }
        (table.columns[n].generated, table.columns[n].default) = (None, None);
        self.put_table(table.clone()).map(|_| ())
    }

    pub(super) fn set_expression(
        &mut self,
        table: &mut Table,
        n: usize,
        e: &ast::Expr,
    ) -> Result<(), SqlError> {
        let Some(kind) = table.columns[n].generated else {
            return Err(wrong_state(table, n, "is not a generated column"));
        };
        if kind == Generated::Virtual && !table.checks.is_empty() {
            let what = "SET EXPRESSION is not supported for virtual generated columns in tables with check constraints";
            return Err(not_for_virtual(table, n, what));
        }
        let old = Arc::new(table.clone());
        table.columns[n].default = Some(stored_text(e));
        let value = self.generation(table, n)?;
        if kind == Generated::Virtual {
            if table.columns[n].not_null {
                self.check_no_nulls(table, n)?;
            }
            return self.put_table(table.clone()).map(|_| ());
        }
        self.rewrite_column(&old, table, n, &value)?;
        self.check_computed(table, n)
    }

    /// Looks at the constraints of a column whose values have all been computed anew.
    pub(super) fn check_computed(&mut self, table: &Table, n: usize) -> Result<(), SqlError> {
        self.begin_definition()?;
        if table.columns[n].not_null {
            self.check_no_nulls(table, n)?;
        }
        let shared = Arc::new(table.clone());
        for c in &table.checks {
            // It is to make sense with the column's type, whether rows are asked or not.
            let condition = {
                let eval = self.eval_ctx();
                let cx = self.definition_context(&eval);
                Binder::new(&cx, &[]).check_condition(&c.expr, &shared)?
            };
            if !c.standing.validated || !c.standing.enforced {
                continue;
            }
            self.with_bare_cx(|cx| build::check_condition(table, &c.name, &condition, cx))?;
        }
        for k in 0..table.foreign_keys.len() {
            let key = &table.foreign_keys[k];
            if key.columns.contains(&n) && key.standing.validated && key.standing.enforced {
                self.check_rows_of_key(table, k, TableLockMode::ShareRowExclusive)?;
            }
        }
        Ok(())
    }

    /// The generated columns that are computed from a column.
    fn computed_from(&mut self, table: &Table, n: usize) -> Result<Vec<usize>, SqlError> {
        let mut found = Vec::new();
        let generated: Vec<usize> =
            table.live_columns().filter(|(_, c)| c.generated.is_some()).map(|(g, _)| g).collect();
        for g in generated {
            let mut read = Vec::new();
            self.generation(table, g)?.columns(&mut read);
            if read.contains(&n) {
                found.push(g);
            }
        }
        Ok(found)
    }

    /// Drops what is computed from a column that goes.
    pub(super) fn drop_computed(
        &mut self,
        table: &mut Table,
        n: usize,
        cascade: bool,
    ) -> Result<(), SqlError> {
        let names: Vec<String> =
            self.computed_from(table, n)?.iter().map(|g| table.columns[*g].name.clone()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> =
            names.iter().map(|c| format!("column {c} of table {}", table.name)).collect();
        if !cascade {
            let what = format!("{} of table {}", table.columns[n].name, table.name);
            return Err(depends("column", &what, &shown));
        }
        self.tell_cascades(&shown);
        for name in names {
            self.drop_column(table, &name, false, true)?;
            if let Some(now) = self.catalog.table(table.oid) {
                *table = (**now).clone();
            }
        }
        Ok(())
    }

    /// Refuses a new type for what others are computed from.
    pub(super) fn refuse_type(&mut self, table: &Table, n: usize, has_using: bool) -> Result<(), SqlError> {
        let name = table.columns[n].name.clone();
        if has_using && table.columns[n].generated.is_some() {
            let why = "cannot specify USING when altering type of generated column";
            return Err(SqlError::new(SqlState::INVALID_COLUMN_DEFINITION, why)
                .with_detail(format!("Column \"{name}\" is a generated column.")));
        }
        match self.computed_from(table, n)?.first() {
            None => Ok(()),
            Some(g) => {
                let by = &table.columns[*g].name;
                let why = "cannot alter type of a column used by a generated column";
                Err(SqlError::unsupported(why)
                    .with_detail(format!("Column \"{name}\" is used by generated column \"{by}\".")))
            }
        }
    }
}
