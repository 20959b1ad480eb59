//! ALTER TABLE … VALIDATE CONSTRAINT and ALTER CONSTRAINT, constraints made of indexes, and NOT NULL constraints.
//!
//! Must not know: how rows are checked (`exec::build`).

use super::alter::{no_constraint, refuse_identity};
use super::constraint::Rows;
use super::{choose_name, exists};
use crate::bind::{Binder, ident};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{Catalog, NotNull, Table, Timing};
use crate::exec::build;
use crate::plan::FkCheck;
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::sync::Arc;

/// Refuses a primary key over NOT NULL that does not hold of all rows, or of heirs.
pub(super) fn refuse_weak_not_null(table: &Table, column: usize) -> Result<(), SqlError> {
    let Some(has) = table.not_nulls.iter().find(|n| n.column == column) else { return Ok(()) };
    let (mark, hint) = match (has.validated, has.no_inherit) {
        (true, false) => return Ok(()),
        (_, true) => {
            let how =
                "make the existing constraint inheritable using ALTER TABLE ... ALTER CONSTRAINT ... INHERIT";
            ("NO INHERIT", how)
        }
        (false, _) => ("NOT VALID", "validate it using ALTER TABLE ... VALIDATE CONSTRAINT"),
    };
    let name = &table.columns[column].name;
    let why = format!("cannot create primary key on column \"{name}\"");
    Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why)
        .with_detail(format!(
            "The constraint \"{}\" on column \"{name}\" of table \"{}\", marked {mark}, is incompatible with a primary key.",
            has.name, table.name
        ))
        .with_hint(format!("You might need to {hint}.")))
}

impl Session {
    /// Looks at all rows for a constraint that has not been valid.
    ///
    /// Rows are written meanwhile, in both tables of a foreign key. Whoever wrote without heeding the constraint had ended before it was there: its making waited for
    /// that. So those rows are in the snapshot, which is younger than the lock, and all others are looked at by who writes them.
    pub(super) fn validate_constraint(&mut self, table: &mut Table, name: &str) -> Result<(), SqlError> {
        let not_enforced = || {
            SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "cannot validate NOT ENFORCED constraint",
            )
        };
        if let Some(n) = table.foreign_keys.iter().position(|f| f.name == name) {
            if !table.foreign_keys[n].standing.enforced {
                return Err(not_enforced());
            }
            if !table.foreign_keys[n].standing.validated {
                self.check_rows_of_key(table, n, TableLockMode::RowShare)?;
                table.foreign_keys[n].standing.validated = true;
            }
        } else if let Some(n) = table.checks.iter().position(|c| c.name == name) {
            if !table.checks[n].standing.enforced {
                return Err(not_enforced());
            }
            if !table.checks[n].standing.validated {
                let shared = Arc::new(table.clone());
                let condition = {
                    let eval = self.eval_ctx();
                    let cx = self.definition_context(&eval);
                    Binder::new(&cx, &[]).check_condition(&table.checks[n].expr, &shared)?
                };
                self.with_bare_cx(|cx| build::check_condition(&shared, name, &condition, cx))?;
                table.checks[n].standing.validated = true;
            }
        } else if let Some(n) = table.not_nulls.iter().position(|c| c.name == name) {
            if !table.not_nulls[n].validated {
                let column = table.not_nulls[n].column;
                self.check_no_nulls(table, column)?;
                table.not_nulls[n].validated = true;
            }
        } else if Catalog::constraint_exists(table, name) {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("cannot validate constraint \"{name}\" of relation \"{}\"", table.name),
            )
            .with_detail("This operation is not supported for this type of constraint."));
        } else {
            return Err(no_constraint(name, table));
        }
        self.put_table(table.clone()).map(|_| ())
    }

    /// Fails if a row refers to nothing by a foreign key (by its place). `mode`: of the lock of the referenced table.
    pub(super) fn check_rows_of_key(
        &mut self,
        table: &Table,
        n: usize,
        mode: TableLockMode,
    ) -> Result<(), SqlError> {
        let fk = table.foreign_keys[n].clone();
        let Some(parent) = self.catalog.table(fk.parent).cloned() else { return Ok(()) };
        self.lock_object(&parent.shared.lock, mode, &parent.name, false)?;
        self.refresh_catalog();
        let Some(parent) = self.catalog.table(fk.parent).cloned() else { return Ok(()) };
        let Some(index) = parent.indexes.iter().find(|i| i.oid == fk.parent_index).cloned() else {
            return Ok(());
        };
        // Younger than the lock of the referenced table.
        self.begin_definition()?;
        let check = FkCheck { fk, parent, index };
        self.with_bare_cx(|cx| build::check_foreign_key(table, &check, cx))
    }

    /// ALTER CONSTRAINT … INHERIT: of a NOT NULL constraint, whether tables inherit it, of which there are none.
    pub(super) fn alter_inheritance(
        &mut self,
        table: &mut Table,
        name: &str,
        inherit: bool,
    ) -> Result<(), SqlError> {
        let Some(constraint) = table.not_nulls.iter_mut().find(|n| n.name == name) else {
            if !Catalog::constraint_exists(table, name) {
                return Err(no_constraint(name, table));
            }
            let table = &table.name;
            let why = format!("constraint \"{name}\" of relation \"{table}\" is not a not-null constraint");
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        };
        constraint.no_inherit = !inherit;
        self.put_table(table.clone()).map(|_| ())
    }

    /// ALTER CONSTRAINT: when a foreign key is checked, and whether.
    pub(super) fn alter_constraint(
        &mut self,
        table: &mut Table,
        name: &str,
        timing: Option<Timing>,
        enforced: Option<bool>,
    ) -> Result<(), SqlError> {
        let Some(n) = table.foreign_keys.iter().position(|f| f.name == name) else {
            if !Catalog::constraint_exists(table, name) {
                return Err(no_constraint(name, table));
            }
            let what =
                if enforced.is_some() { "alter enforceability of constraint" } else { "alter constraint" };
            let message = match enforced.is_some() {
                true => format!("cannot {what} \"{name}\" of relation \"{}\"", table.name),
                false => format!(
                    "constraint \"{name}\" of relation \"{}\" is not a foreign key constraint",
                    table.name
                ),
            };
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message));
        };
        if let Some(timing) = timing {
            table.foreign_keys[n].timing = timing;
        }
        match enforced {
            Some(false) => {
                table.foreign_keys[n].standing.enforced = false;
                table.foreign_keys[n].standing.validated = false;
            }
            Some(true) if !table.foreign_keys[n].standing.enforced => {
                self.check_rows_of_key(table, n, TableLockMode::ShareRowExclusive)?;
                table.foreign_keys[n].standing = crate::catalog::Standing::FULL;
            }
            _ => {}
        }
        self.put_table(table.clone()).map(|_| ())
    }

    /// ADD CONSTRAINT … USING INDEX.
    pub(super) fn add_using_index(
        &mut self,
        table: &mut Table,
        u: &ast::ConstraintUsingIndex,
        primary: bool,
        rows: Rows,
    ) -> Result<(), SqlError> {
        let timing = super::constraint::index_timing(&u.characteristics)?;
        let index_name = ident(&u.index_name);
        let Some(n) = table.indexes.iter().position(|i| i.name == index_name) else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("index \"{index_name}\" does not exist"),
            ));
        };
        let index = table.indexes[n].clone();
        if index.constraint.is_some() {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("index \"{index_name}\" is already associated with a constraint"),
            ));
        }
        if !index.is_valid() {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("index \"{index_name}\" is not valid"),
            ));
        }
        let detail = "Cannot create a primary key or unique constraint using such an index.";
        let unfit = |what: &str| {
            SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("\"{index_name}\" {what}")).with_detail(detail)
        };
        if !index.unique {
            return Err(unfit("is not a unique index"));
        }
        if index.extra.predicate.is_some() {
            return Err(unfit("is a partial index"));
        }
        if !index.extra.expressions.is_empty() {
            let message = format!("index \"{index_name}\" contains expressions");
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message).with_detail(detail));
        }
        if primary && index.nulls_not_distinct {
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                "primary keys cannot use NULLS NOT DISTINCT indexes",
            ));
        }
        if index.columns.iter().any(|c| c.desc || c.nulls_first || c.class != Default::default()) {
            let message =
                format!("index \"{index_name}\" column number {} does not have default sorting behavior", {
                    let odd = |c: &crate::catalog::IndexColumn| {
                        c.desc || c.nulls_first || c.class != Default::default()
                    };
                    index.columns.iter().position(odd).unwrap_or(0) + 1
                });
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message).with_detail(detail));
        }
        if primary {
            if table.primary_key().is_some() {
                return Err(super::constraint::second_primary_key(table));
            }
            for c in &index.columns {
                refuse_weak_not_null(table, c.column)?;
                if rows != Rows::None && !table.columns[c.column].not_null {
                    self.check_no_nulls(table, c.column)?;
                }
                table.columns[c.column].not_null = true;
            }
        }
        let name = self.constraint_name(table, u.name.as_ref())?.unwrap_or_else(|| index_name.clone());
        if name != index_name {
            self.lock_name(table.schema, &name)?;
            if self.catalog.relation_in(table.schema, &name).is_some() {
                return Err(exists(&name));
            }
            self.notice(
                "NOTICE",
                SqlState::SUCCESSFUL_COMPLETION,
                format!(
                    "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"{index_name}\" to \"{name}\""
                ),
            );
        }
        let mut changed = (*index).clone();
        changed.name = name;
        changed.primary = primary;
        changed.constraint = Some(self.instance.store.new_oid()?);
        if timing.deferrable {
            // Its entries are others.
            (changed.timing, changed.unique) = (timing, false);
            let old = changed.tree;
            changed = self.build_index(table, changed)?;
            self.engine()?.drop_tree(old)?;
        }
        table.indexes[n] = Arc::new(changed);
        self.put_table(table.clone()).map(|_| ())
    }

    /// Keeps the name that a NOT NULL constraint is given.
    pub(super) fn name_not_null(
        &mut self,
        table: &mut Table,
        column: usize,
        name: Option<&ast::Ident>,
    ) -> Result<(), SqlError> {
        if let (Some(own), Some(name)) = (table.not_nulls.iter().find(|n| n.column == column), name) {
            let name = ident(name);
            if own.name == name {
                return Ok(());
            }
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                format!("conflicting not-null constraint names \"{}\" and \"{name}\"", own.name),
            ));
        }
        if let Some(name) = self.constraint_name(table, name)? {
            let oid = self.instance.store.new_oid()?;
            table.not_nulls.push(NotNull { oid, name, column, validated: true, no_inherit: false });
        }
        Ok(())
    }

    /// ADD NOT NULL, and SET NOT NULL.
    pub(super) fn add_not_null(
        &mut self,
        table: &mut Table,
        column: usize,
        name: Option<&str>,
        no_inherit: bool,
        validated: bool,
    ) -> Result<(), SqlError> {
        if let Some(n) = table.not_nulls.iter().position(|n| n.column == column) {
            let has = table.not_nulls[n].clone();
            if let Some(name) = name.filter(|name| *name != has.name) {
                return Err(SqlError::new(
                    SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    format!(
                        "cannot create not-null constraint \"{name}\" on column \"{}\" of table \"{}\"",
                        table.columns[column].name, table.name
                    ),
                )
                .with_detail(format!(
                    "A not-null constraint named \"{}\" already exists for this column.",
                    has.name
                )));
            }
            if validated && !has.validated {
                return self.validate_constraint(table, &has.name);
            }
            return Ok(());
        }
        if validated {
            self.check_no_nulls(table, column)?;
        }
        table.columns[column].not_null = true;
        if name.is_some_and(|n| Catalog::constraint_exists(table, n)) {
            let ident = name.map(|n| ast::Ident::with_quote('"', n));
            self.constraint_name(table, ident.as_ref())?; // it fails
        }
        let taken = |n: &str| Catalog::constraint_exists(table, n);
        let name = match name {
            Some(n) => n.to_owned(),
            None => choose_name(&table.name, &table.columns[column].name, "not_null", &taken),
        };
        let oid = self.instance.store.new_oid()?;
        table.not_nulls.push(NotNull { oid, name, column, validated, no_inherit });
        self.put_table(table.clone()).map(|_| ())
    }

    /// A column may be NULL again.
    pub(super) fn drop_not_null(&mut self, table: &mut Table, n: usize) -> Result<(), SqlError> {
        if table.primary_key().is_some_and(|p| p.columns.iter().any(|c| c.column == n)) {
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!("column \"{}\" is in a primary key", table.columns[n].name),
            ));
        }
        refuse_identity(table, n)?;
        table.columns[n].not_null = false;
        Ok(())
    }

    /// Gives each column that is NOT NULL a constraint, and takes those of others away.
    pub(super) fn name_not_nulls(&mut self, table: &mut Table) -> Result<(), SqlError> {
        self.name_not_nulls_beside(table, &[])
    }

    /// The same, where others will have these names.
    pub(super) fn name_not_nulls_beside(
        &mut self,
        table: &mut Table,
        others: &[String],
    ) -> Result<(), SqlError> {
        let is_of_column =
            |n: &NotNull| table.columns.get(n.column).is_some_and(|c| c.not_null && !c.dropped);
        let kept = table.not_nulls.iter().filter(|n| is_of_column(n)).cloned().collect();
        table.not_nulls = kept;
        for column in 0..table.columns.len() {
            let c = &table.columns[column];
            if !c.not_null || c.dropped || table.not_nulls.iter().any(|n| n.column == column) {
                continue;
            }
            let taken =
                |n: &str| Catalog::constraint_exists(table, n) || others.iter().any(|other| other == n);
            let name = choose_name(&table.name, &c.name, "not_null", &taken);
            let oid = self.instance.store.new_oid()?;
            table.not_nulls.push(NotNull { oid, name, column, validated: true, no_inherit: false });
        }
        Ok(())
    }
}
