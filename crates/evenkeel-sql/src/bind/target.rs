//! What every change of a table must know: its constraints, and who refers to it.
//!
//! Must not know: which statement changes it.

use super::{Binder, Typed};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{FkAction, ForeignKey, Generated, Table};
use crate::plan::expr::Expr;
use crate::plan::{FkCheck, Referencing, Target};
use evenkeel_types::error::SqlError;
use evenkeel_types::{CastContext, Type};
use std::sync::Arc;

impl Binder<'_> {
    /// What changes of a table must know: its number among the statement's targets.
    pub(super) fn target(
        &mut self,
        table: &Arc<Table>,
        as_child: bool,
        as_parent: bool,
    ) -> Result<usize, SqlError> {
        // Two parts of a statement may want different things of one table.
        let known = self.targets.iter().position(|t| t.table.oid == table.oid);
        let number = known.unwrap_or(self.targets.len());
        let was = self.target_sides.get(number).copied().unwrap_or_default();
        let (as_child, as_parent) = (as_child && !was.0, as_parent && !was.1);
        if known.is_some() {
            if !as_child && !as_parent {
                return Ok(number);
            }
            self.target_sides[number] = (was.0 || as_child, was.1 || as_parent);
            return self.fill_target(number, table, as_child, as_parent);
        }
        self.lock_table(table, TableLockMode::RowExclusive);
        let forms = self.forms(table)?;
        self.target_sides.push((as_child, as_parent));
        self.targets.push(Target {
            table: table.clone(),
            forms,
            checks: Vec::new(),
            generated: Vec::new(),
            not_null: Vec::new(),
            foreign_keys: Vec::new(),
            referencing: Vec::new(),
        });
        self.fill_target(number, table, as_child, as_parent)
    }

    /// Whether others refer to rows by columns that a statement changes: only then are they looked at, and their tables locked.
    pub(super) fn touches_referred(&self, table: &Table, changed: &[usize]) -> bool {
        let refers = |f: &ForeignKey| f.parent == table.oid && f.standing.enforced;
        let touches = |f: &ForeignKey| f.parent_columns.iter().any(|c| changed.contains(c));
        let mut children = self.catalog.referencing_tables(table.oid);
        children.any(|child| child.foreign_keys.iter().any(|f| refers(f) && touches(f)))
    }

    fn fill_target(
        &mut self,
        number: usize,
        table: &Arc<Table>,
        as_child: bool,
        as_parent: bool,
    ) -> Result<usize, SqlError> {
        let (mut checks, mut foreign_keys, mut referencing) = (Vec::new(), Vec::new(), Vec::new());
        let looks_at = |f: &&ForeignKey| f.standing.enforced && !table.marks.triggers_off;
        if as_child {
            self.targets[number].generated = self.generated_columns(table, Generated::Stored, |_| true)?;
            self.targets[number].not_null =
                self.generated_columns(table, Generated::Virtual, |c| c.not_null)?;
            // As in PostgreSQL, the first by name fails.
            let mut own: Vec<_> = table.checks.iter().filter(|c| c.standing.enforced).collect();
            own.sort_by(|a, b| a.name.cmp(&b.name));
            for c in own {
                let t = self.stored(&c.expr, Some(table))?;
                checks.push((c.name.clone(), self.coerce(t, Type::Bool, -1, CastContext::Implicit)?));
            }
            for fk in table.foreign_keys.iter().filter(looks_at) {
                let Some(parent) = self.catalog.table(fk.parent).cloned() else { continue };
                let Some(index) = parent.indexes.iter().find(|i| i.oid == fk.parent_index).cloned() else {
                    continue;
                };
                self.lock_table(&parent, TableLockMode::RowShare);
                foreign_keys.push(FkCheck { fk: fk.clone(), parent, index });
            }
        }
        if as_parent {
            let children: Vec<Arc<Table>> = self.catalog.referencing_tables(table.oid).cloned().collect();
            for child in children {
                for fk in child.foreign_keys.iter().filter(|f| f.parent == table.oid).filter(looks_at) {
                    let acts = |a: FkAction| {
                        matches!(a, FkAction::Cascade | FkAction::SetNull | FkAction::SetDefault)
                    };
                    let target = if acts(fk.on_delete) || acts(fk.on_update) {
                        Some(self.target(&child, true, true)?)
                    } else {
                        self.lock_table(&child, TableLockMode::RowShare);
                        None
                    };
                    let (mut defaults, mut nulls, mut cascaded) = (Vec::new(), Vec::new(), Vec::new());
                    if fk.on_delete == FkAction::SetDefault || fk.on_update == FkAction::SetDefault {
                        for c in &fk.columns {
                            defaults.push(self.default_of(&child, *c)?);
                        }
                    }
                    if fk.on_delete == FkAction::SetNull || fk.on_update == FkAction::SetNull {
                        for c in &fk.columns {
                            nulls.push(self.named_value(Expr::null(), child.columns[*c].domain)?);
                        }
                    }
                    if fk.on_update == FkAction::Cascade {
                        for (c, p) in fk.columns.iter().zip(&fk.parent_columns) {
                            let from = &table.columns[*p];
                            let t = Typed { expr: Expr::Column(*p), ty: from.ty, typmod: from.typmod };
                            cascaded.push(self.assign_as(t, &child, *c, "expression")?);
                        }
                    }
                    let (fk, child) = (fk.clone(), child.clone());
                    referencing.push(Referencing { fk, child, target, defaults, nulls, cascaded });
                }
            }
        }
        let t = &mut self.targets[number];
        if as_child {
            (t.checks, t.foreign_keys) = (checks, foreign_keys);
        }
        if as_parent {
            t.referencing = referencing;
        }
        Ok(number)
    }
}
