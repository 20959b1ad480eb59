//! ALTER TABLE.
//!
//! Must not know: how constraints are built (`create`).

use super::alter_object::check_of_materialized;
use super::constraint::{Rows, check_types};
use super::create::refuse_system_column;
use super::marks::no_trigger;
use super::typed_table::check_keeps_type;
use super::{default, depends, exists, generated, name_of, parameters};
use crate::bind::types::{check_pseudo, declared_dimensions, of_pseudo};
use crate::bind::{Binder, ident};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{Generated, Heap, NamedType, Relation, Sequence, Table, Timing};
use crate::exec::build;
use crate::exec::fill::Filler;
use crate::parse::rewrite::COLLATED;
use crate::parse::{AlterTableStmt, ColumnAction, SequenceOptions, TableAction};
use crate::plan::expr::Expr;
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum, Type, can_cast, encode_rowid};
use sqlparser::ast::{self, AlterColumnOperation, AlterTableOperation as Op};
use std::sync::Arc;

impl Session {
    pub(crate) fn alter_table(&mut self, a: &AlterTableStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        if a.if_exists
            && self.catalog.resolve(a.name.schema.as_deref(), &a.name.name, self.search_path())?.is_none()
        {
            self.skipped(&format!("relation \"{}\" does not exist", a.name.name));
            return Ok(());
        }
        if let Ok(Some(Relation::View(v))) =
            self.catalog.resolve(a.name.schema.as_deref(), &a.name.name, self.search_path())
        {
            return self.alter_table_of_view(a, &v.name);
        }
        let mode = a.actions.iter().map(lock_of).max().unwrap_or(TableLockMode::AccessExclusive);
        let table = self.lock_own_table(&a.name, mode)?;
        check_of_materialized(&table, &a.actions)?;
        // Parents are locked before the snapshot is taken, too.
        for o in &a.actions {
            if let TableAction::Sql(o) = o
                && let Op::AddConstraint { constraint: ast::TableConstraint::ForeignKey(f), .. } = &**o
            {
                self.lock_table(&name_of(&f.foreign_table)?, TableLockMode::ShareRowExclusive)?;
            }
        }
        let renames = |a: &TableAction| matches!(a, TableAction::Sql(o) if matches!(**o, Op::RenameColumn { .. } | Op::RenameConstraint { .. }));
        if !a.actions.iter().all(renames) {
            self.refuse_in_use(&table, "ALTER TABLE")?;
        }
        self.begin_definition()?;
        self.check_types_given(&table, &a.actions)?;
        let mut table = (*table).clone();
        let mut actions: Vec<&TableAction> = a.actions.iter().collect();
        actions.sort_by_key(|a| pass(a));
        for action in actions {
            self.table_action(&mut table, action)?;
            // Later operations build on what earlier ones made.
            if let Some(now) = self.catalog.table(table.oid) {
                table = (**now).clone();
            }
            self.begin_definition()?;
        }
        Ok(())
    }

    /// Refuses to make a table logged, or not to be, whose foreign keys would not be kept as long as what they refer to.
    fn check_logged_with(&self, table: &Table, unlogged: bool) -> Result<(), SqlError> {
        let others: Vec<Arc<Table>> = match unlogged {
            true => self.catalog.referencing_tables(table.oid).cloned().collect(),
            false => {
                table.foreign_keys.iter().filter_map(|f| self.catalog.table(f.parent).cloned()).collect()
            }
        };
        let Some(other) = others.iter().find(|o| o.oid != table.oid && o.unlogged != unlogged) else {
            return Ok(());
        };
        let (to, from) = if unlogged { ("unlogged", "logged") } else { ("logged", "unlogged") };
        let why = format!(
            "could not change table \"{}\" to {to} because it references {from} table \"{}\"",
            table.name, other.name
        );
        Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why))
    }

    fn table_action(&mut self, table: &mut Table, action: &TableAction) -> Result<(), SqlError> {
        match action {
            TableAction::Sql(o) => self.alter(table, o),
            TableAction::Constraint { name, deferrable, initially_deferred, enforced, inherit } => {
                if let Some(inherit) = inherit {
                    return self.alter_inheritance(table, name, *inherit);
                }
                let deferred = *initially_deferred == Some(true);
                let timing = (deferrable.is_some() || initially_deferred.is_some()).then_some(Timing {
                    deferrable: deferred || *deferrable == Some(true),
                    initially_deferred: deferred,
                });
                self.alter_constraint(table, name, timing, *enforced)
            }
            TableAction::AddNotNull { name, column, no_inherit, not_valid } => {
                let n = table.find_column(column)?;
                self.add_not_null(table, n, name.as_deref(), *no_inherit, !*not_valid)
            }
            TableAction::Column(column, action) => {
                if !matches!(action, ColumnAction::Statistics(_)) {
                    refuse_system_column("alter", column)?;
                }
                let n = table.find_column(column)?;
                self.column_action(table, n, action)
            }
            TableAction::Set(parameters) => {
                parameters::each_once(parameters.iter().map(|(name, _)| name.as_str()))?;
                for (name, value) in parameters {
                    let value = value.as_deref().unwrap_or("true");
                    parameters::check(name, value)?;
                    table.options.retain(|x| !x.starts_with(&format!("{name}=")));
                    table.options.push(format!("{name}={value}"));
                }
                self.put_table(table.clone()).map(|_| ())
            }
            TableAction::Reset(names) => {
                for name in names {
                    table.options.retain(|x| !x.starts_with(&format!("{name}=")));
                }
                self.put_table(table.clone()).map(|_| ())
            }
            TableAction::ClusterOn(index) => self.cluster_on(table, index.as_deref()),
            TableAction::Nothing => Ok(()),
            TableAction::Unsupported(what) => {
                Err(SqlError::unsupported(format!("ALTER TABLE ... {what} is not supported")))
            }
        }
    }

    fn alter(&mut self, table: &mut Table, o: &Op) -> Result<(), SqlError> {
        check_keeps_type(table, o)?;
        match o {
            Op::AddConstraint { constraint, not_valid } => {
                let rows = if *not_valid { Rows::Unchecked } else { Rows::Checked };
                self.add_constraint(table, constraint, rows)
            }
            Op::AddColumn { if_not_exists, column_def, .. } => {
                let name = ident(&column_def.name);
                if *if_not_exists && table.column(&name).is_some() {
                    self.notice(
                        "NOTICE",
                        SqlState::DUPLICATE_COLUMN,
                        format!("column \"{name}\" of relation \"{}\" already exists, skipping", table.name),
                    );
                    return Ok(());
                }
                self.add_column(table, column_def).map(|_| ())
            }
            Op::DropConstraint { if_exists, name, drop_behavior } => {
                let cascade = matches!(drop_behavior, Some(ast::DropBehavior::Cascade));
                self.drop_constraint(table, &ident(name), *if_exists, cascade)
            }
            Op::DropColumn { column_names, if_exists, drop_behavior, .. } => {
                let cascade = matches!(drop_behavior, Some(ast::DropBehavior::Cascade));
                for n in column_names {
                    refuse_system_column("drop", &ident(n))?;
                    self.drop_column(table, &ident(n), *if_exists, cascade)?;
                }
                Ok(())
            }
            Op::RenameColumn { old_column_name, new_column_name } => {
                let (old, new) = (ident(old_column_name), ident(new_column_name));
                refuse_system_column("rename", &old)?;
                let n = table.column(&old).ok_or_else(|| {
                    SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist"))
                })?;
                super::create::refuse_system_name(&new)?;
                if table.column(&new).is_some() {
                    return Err(SqlError::new(
                        SqlState::DUPLICATE_COLUMN,
                        format!("column \"{new}\" of relation \"{}\" already exists", table.name),
                    ));
                }
                self.rename_in_expressions(table, n, &new)?;
                table.columns[n].name = new;
                self.put_table(table.clone()).map(|_| ())
            }
            Op::RenameConstraint { old_name, new_name } => {
                let (old, new) = (ident(old_name), ident(new_name));
                if crate::catalog::Catalog::constraint_exists(table, &new) {
                    return Err(SqlError::new(
                        SqlState::DUPLICATE_OBJECT,
                        format!("constraint \"{new}\" for relation \"{}\" already exists", table.name),
                    ));
                }
                if let Some(c) = table.checks.iter_mut().find(|c| c.name == old) {
                    c.name = new;
                } else if let Some(f) = table.foreign_keys.iter_mut().find(|f| f.name == old) {
                    f.name = new;
                } else if let Some(n) = table.not_nulls.iter_mut().find(|n| n.name == old) {
                    n.name = new;
                } else if let Some(i) =
                    table.indexes.iter_mut().find(|i| i.constraint.is_some() && i.name == old)
                {
                    self.lock_name(table.schema, &new)?;
                    if self.catalog.relation_in(table.schema, &new).is_some() {
                        return Err(exists(&new));
                    }
                    Arc::make_mut(i).name = new;
                } else {
                    let why = format!("constraint \"{old}\" for table \"{}\" does not exist", table.name);
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
                }
                self.put_table(table.clone()).map(|_| ())
            }
            Op::AlterColumn { column_name, op } => {
                refuse_system_column("alter", &ident(column_name))?;
                let n = table.find_column(&ident(column_name))?;
                self.alter_column(table, n, op)
            }
            Op::OwnerTo { new_owner } => self.give_table_to(table, new_owner),
            Op::SetLogged | Op::SetUnlogged => {
                if self.catalog.is_temporary(table.schema) {
                    let name = &table.name;
                    let why =
                        format!("cannot change logged status of table \"{name}\" because it is temporary");
                    return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
                }
                self.check_logged_with(table, matches!(o, Op::SetUnlogged))?;
                table.unlogged = matches!(o, Op::SetUnlogged);
                self.put_table(table.clone()).map(|_| ())
            }
            Op::DisableTrigger { name } => self.switch_triggers(table, name, true),
            Op::EnableTrigger { name } => self.switch_triggers(table, name, false),
            Op::EnableReplicaTrigger { name } | Op::EnableAlwaysTrigger { name } => {
                Err(no_trigger(table, name))
            }
            Op::ReplicaIdentity { identity } => self.replica_identity(table, identity),
            Op::ValidateConstraint { name } => self.validate_constraint(table, &ident(name)),
            row @ (Op::EnableRowLevelSecurity
            | Op::DisableRowLevelSecurity
            | Op::ForceRowLevelSecurity
            | Op::NoForceRowLevelSecurity) => {
                Err(SqlError::unsupported(format!("ALTER TABLE {row} is not supported")))
            }
            other => {
                let text = other.to_string();
                let words: Vec<&str> = text.split_whitespace().take(3).collect();
                Err(SqlError::unsupported(format!("ALTER TABLE {} is not supported", words.join(" "))))
            }
        }
    }

    fn drop_constraint(
        &mut self,
        table: &mut Table,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<(), SqlError> {
        if let Some(n) = table.not_nulls.iter().find(|n| n.name == name).map(|n| n.column) {
            self.drop_not_null(table, n)?;
            return self.put_table(table.clone()).map(|_| ());
        }
        let before = table.checks.len() + table.foreign_keys.len();
        table.checks.retain(|c| c.name != name);
        table.foreign_keys.retain(|f| f.name != name);
        if table.checks.len() + table.foreign_keys.len() < before {
            return self.put_table(table.clone()).map(|_| ());
        }
        if let Some(i) = table.indexes.iter().find(|i| i.constraint.is_some() && i.name == name) {
            let index = i.clone();
            self.drop_readers_of_key(table, &index, cascade)?;
            return self.remove_index(table, index.oid, cascade).map(|_| ());
        }
        if if_exists {
            self.notice(
                "NOTICE",
                SqlState::SUCCESSFUL_COMPLETION,
                format!("constraint \"{name}\" of relation \"{}\" does not exist, skipping", table.name),
            );
            return Ok(());
        }
        Err(no_constraint(name, table))
    }

    pub(super) fn drop_column(
        &mut self,
        table: &mut Table,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<(), SqlError> {
        if if_exists && table.column(name).is_none() {
            self.notice(
                "NOTICE",
                SqlState::SUCCESSFUL_COMPLETION,
                format!("column \"{name}\" of relation \"{}\" does not exist, skipping", table.name),
            );
            return Ok(());
        }
        let n = table.find_column(name)?;
        self.drop_computed(table, n, cascade)?;
        // What rests on the column goes with it; what others built on that needs CASCADE.
        let indexes: Vec<u32> =
            table.indexes.iter().filter(|i| i.reads_any(|c| c == n)).map(|i| i.oid).collect();
        for oid in indexes {
            let used: Vec<String> = self
                .catalog
                .referencing_tables(table.oid)
                .filter(|c| c.oid != table.oid)
                .flat_map(|c| {
                    c.foreign_keys
                        .iter()
                        .filter(|f| f.parent_index == oid)
                        .map(|f| format!("constraint {} on {}", f.name, self.table_told(c)))
                })
                .collect();
            if !used.is_empty() && !cascade {
                let what = format!("{name} of {}", self.table_told(table));
                return Err(depends("column", &what, &used));
            }
            *table = (*self.remove_index(table, oid, true)?).clone();
        }
        table.foreign_keys.retain(|f| !f.columns.contains(&n));
        table.statistics.retain(|s| !s.columns.contains(&n));
        let mut cascaded = Vec::new();
        self.drop_readers_of_column(table, n, cascade, &mut cascaded)?;
        self.tell_cascades(&cascaded);
        let shared = Arc::new(table.clone());
        let mut keep = Vec::new();
        for c in &table.checks {
            let eval = self.eval_ctx();
            let cx = self.definition_context(&eval);
            let read = Binder::new(&cx, &[]).columns_named(&c.expr, &shared)?;
            if !read.contains(&n) {
                keep.push(c.clone());
            }
        }
        table.checks = keep;
        let of_column = |s: &Arc<Sequence>| s.owned_by.is_some_and(|(_, c, _)| c == n);
        let owned: Vec<Arc<Sequence>> = self.sequences_of(table.oid).into_iter().filter(of_column).collect();
        let of = self.told(&Relation::Table(Arc::new(table.clone())));
        let what = format!("column {name} of {of}");
        let mut cascaded = Vec::new();
        self.release_sequences(&owned, &[(table.oid, Some(n))], &what, cascade, &mut cascaded)?;
        self.tell_cascades(&cascaded);
        if let Some(now) = self.catalog.table(table.oid).filter(|_| !cascaded.is_empty()) {
            for (c, _) in table.columns.iter_mut().zip(&now.columns).filter(|(_, now)| now.default.is_none())
            {
                c.default = None;
            }
        }
        table.missing.set(n, Datum::Null);
        let column = &mut table.columns[n];
        column.dropped = true;
        column.not_null = false;
        column.default = None;
        column.identity = None;
        column.generated = None;
        self.put_table(table.clone())?;
        for s in owned {
            self.remove_sequence(&s)?;
        }
        Ok(())
    }

    fn alter_column(
        &mut self,
        table: &mut Table,
        n: usize,
        op: &AlterColumnOperation,
    ) -> Result<(), SqlError> {
        match op {
            AlterColumnOperation::SetNotNull => return self.add_not_null(table, n, None, false, true),
            AlterColumnOperation::DropNotNull => self.drop_not_null(table, n)?,
            AlterColumnOperation::SetDefault { value } => {
                refuse_identity(table, n)?;
                generated::refuse_default(table, n, true)?;
                table.columns[n].default = Some(self.stored_default(value)?);
                self.check_default(table, n)?;
            }
            AlterColumnOperation::DropDefault => {
                refuse_identity(table, n).map_err(|e| {
                    e.with_hint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
                })?;
                generated::refuse_default(table, n, false)?;
                table.columns[n].default = None;
            }
            AlterColumnOperation::SetDataType { data_type: t, using, .. } => {
                let (collation, using) = collated(using.as_ref())?;
                let collation = collation.map(|c| self.column_collation_oid(&c)).transpose()?;
                return self.change_type(table, n, t, collation, using);
            }
            AlterColumnOperation::AddGenerated { .. } => {
                return Err(SqlError::unsupported("ALTER COLUMN ... ADD GENERATED is not supported"));
            }
        }
        self.put_table(table.clone()).map(|_| ())
    }

    /// Rewrites the table into a new tree with the column converted, and builds its indexes anew.
    fn change_type(
        &mut self,
        table: &mut Table,
        n: usize,
        t: &ast::DataType,
        collation: Option<u32>,
        using: Option<&ast::Expr>,
    ) -> Result<(), SqlError> {
        let column = &table.columns[n].name;
        let named = self.said_type(t).map_err(|e| of_pseudo(e, column, t))?;
        let NamedType { ty, typmod, domain } = named;
        check_pseudo(column, ty)?;
        if collation.is_some() && crate::catalog::views::classes::collation(ty) == 0 {
            let why = format!("collations are not supported by type {}", ty.sql_name());
            let e = SqlError::new(SqlState::DATATYPE_MISMATCH, why);
            return Err(self.at_last_word(e, "collate"));
        }
        self.share_named(named)?;
        let from = table.types[n];
        let name = table.columns[n].name.clone();
        if let Some(reader) = self.readers_of_column(table.oid, n).first() {
            let told = format!("rule _RETURN on {} depends on column \"{name}\"", self.told(reader));
            return Err(SqlError::unsupported("cannot alter type of a column used by a view or rule")
                .with_detail(told));
        }
        if from != ty {
            self.refuse_type_of_key(table, n, named, using.is_some())?;
        }
        if table.columns[n].identity.is_some() && !matches!(ty, Type::Int2 | Type::Int4 | Type::Int8) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                "identity column type must be smallint, integer, or bigint",
            ));
        }
        self.refuse_type(table, n, using.is_some())?;
        let weakest = can_cast(from, ty);
        if using.is_none()
            && from != ty
            && !matches!(weakest, Some(CastContext::Implicit | CastContext::Assignment))
        {
            let why = format!("column \"{name}\" cannot be cast automatically to type {}", ty.sql_name());
            let e = SqlError::new(SqlState::DATATYPE_MISMATCH, why);
            if table.columns[n].generated.is_some() {
                return Err(e);
            }
            return Err(e.with_hint(format!(
                "You might need to specify \"USING {name}::{}\".",
                evenkeel_types::format_type(ty, typmod)
            )));
        }
        let old = Arc::new(table.clone());
        if table.columns[n].generated.is_some() {
            (table.columns[n].ty, table.columns[n].typmod) = (ty, typmod);
            table.columns[n].settings.collation =
                collation.unwrap_or_else(|| self.catalog.domain_collation(domain));
            table.columns[n].settings.dimensions = declared_dimensions(t);
            table.columns[n].domain = domain;
            table.types[n] = ty;
            let value = self.generation(table, n)?;
            self.rewrite_column(&old, table, n, &value)?;
            return self.check_computed(table, n);
        }
        let text = using.map_or_else(|| evenkeel_types::quote_ident(&name), ToString::to_string);
        // As if the old values were assigned: what is too long for the new type is refused.
        let value = self.bind_to_compute(|b| b.row_value(&text, &old, named, CastContext::Assignment))?;
        // USING says nothing of the default.
        let is_kept = from == ty || matches!(weakest, Some(CastContext::Implicit | CastContext::Assignment));
        if table.columns[n].default.is_some() && !is_kept {
            let why = format!(
                "default for column \"{name}\" cannot be cast automatically to type {}",
                evenkeel_types::format_type(ty, typmod)
            );
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        if from != ty {
            table.columns[n].default = table.columns[n].default.take().map(|d| default::of_former(d, from));
        }
        table.types[n] = ty;
        (table.columns[n].ty, table.columns[n].typmod) = (ty, typmod);
        table.columns[n].settings.collation =
            collation.unwrap_or_else(|| self.catalog.domain_collation(domain));
        table.columns[n].settings.dimensions = declared_dimensions(t);
        table.columns[n].domain = domain;
        let is_itself = using.is_none_or(|u| is_column_itself(u, &name, t));
        if is_itself && self.keeps_values(&old, table, n) {
            self.check_default(table, n)?;
            self.put_table(table.clone())?;
        } else {
            self.rewrite_column(&old, table, n, &value)?;
        }
        if from != ty || using.is_some() {
            self.check_computed(table, n)?;
            self.check_referencing(table, n)?;
        }
        if let Some(s) = self.identity_sequence(table, n).filter(|s| s.ty != ty) {
            let options =
                SequenceOptions { data_type: Some(ty.sql_name().into_owned()), ..SequenceOptions::default() };
            self.alter_sequence(&s, &options)?;
        }
        Ok(())
    }

    /// The types of several columns are changed one after the other: what one of them is computed from must not be another, which is changed by then.
    fn check_types_given(&mut self, table: &Arc<Table>, actions: &[TableAction]) -> Result<(), SqlError> {
        let mut given = Vec::new();
        for action in actions {
            if let TableAction::Sql(o) = action
                && let Op::AlterColumn {
                    column_name,
                    op: AlterColumnOperation::SetDataType { data_type, using, .. },
                } = &**o
                && let Some(n) = table.column(&ident(column_name))
            {
                given.push((n, data_type, collated(using.as_ref())?.1));
            }
        }
        for (at, (n, data_type, using)) in given.iter().enumerate() {
            if given[..at].iter().any(|(m, ..)| m == n) {
                let name = &table.columns[*n].name;
                return Err(SqlError::unsupported(format!("cannot alter type of column \"{name}\" twice")));
            }
            let (true, Some(using)) = (given.len() > 1, using) else { continue };
            let named = self.said_type(data_type)?;
            let text = using.to_string();
            let value =
                self.bind_to_compute(|b| b.row_value(&text, table, named, CastContext::Assignment))?;
            let mut read = Vec::new();
            value.columns(&mut read);
            if let Some((m, ..)) = given.iter().find(|(m, ..)| m != n && read.contains(m)) {
                let (name, other) = (&table.columns[*n].name, &table.columns[*m].name);
                return Err(SqlError::unsupported(format!(
                    "USING for column \"{name}\" reads column \"{other}\", whose type the same statement changes: this is not supported"
                ))
                .with_hint("Change the types in statements of their own."));
            }
        }
        Ok(())
    }

    /// Looks at the foreign keys that refer to a column whose values have all been computed anew.
    fn check_referencing(&mut self, table: &Table, n: usize) -> Result<(), SqlError> {
        let children: Vec<Arc<Table>> = self.catalog.referencing_tables(table.oid).cloned().collect();
        for child in children {
            for (k, f) in child.foreign_keys.iter().enumerate() {
                let is_checked = f.standing.validated && f.standing.enforced;
                if f.parent == table.oid && f.parent_columns.contains(&n) && is_checked {
                    self.lock_object(
                        &child.shared.lock,
                        TableLockMode::ShareRowExclusive,
                        &child.name,
                        false,
                    )?;
                    self.check_rows_of_key(&child, k, TableLockMode::AccessExclusive)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses another type of a column that a foreign key has, on either side, if its keys would not be found any more.
    fn refuse_type_of_key(
        &self,
        table: &Table,
        n: usize,
        to: NamedType,
        has_using: bool,
    ) -> Result<(), SqlError> {
        // The types that both columns of a key will have, and their names.
        let mut pairs = Vec::new();
        for f in table.foreign_keys.iter().filter(|f| f.columns.contains(&n)) {
            let parent = self.catalog.table(f.parent).filter(|p| p.oid != table.oid).map_or(table, |p| p);
            for (c, p) in f.columns.iter().zip(&f.parent_columns).filter(|(c, _)| **c == n) {
                let (child, parent) = (&table.columns[*c], &parent.columns[*p]);
                pairs.push((f, (&child.name, to.ty), (&parent.name, parent.ty)));
            }
        }
        for child in self.catalog.referencing_tables(table.oid) {
            for f in child.foreign_keys.iter().filter(|f| f.parent == table.oid) {
                for (c, _) in f.columns.iter().zip(&f.parent_columns).filter(|(_, p)| **p == n) {
                    let child = &child.columns[*c];
                    pairs.push((f, (&child.name, child.ty), (&table.columns[n].name, to.ty)));
                }
            }
        }
        let is_int = |t: Type| matches!(t, Type::Int2 | Type::Int4 | Type::Int8);
        let is_text = |t: Type| matches!(t, Type::Text | Type::Varchar);
        for (f, (child, a), (parent, b)) in pairs {
            check_types(&f.name, (child, a), (parent, b))?;
            // What is cut to a length, or computed, may be another key.
            let from = table.types[n];
            let is_same = is_int(from) && is_int(to.ty) || is_text(from) && is_text(to.ty) && to.typmod == -1;
            if !is_same || has_using {
                return Err(SqlError::unsupported(
                    "changing the type of a column of a foreign key is not supported",
                ));
            }
        }
        Ok(())
    }

    /// Whether the rows and indexes of a table are right as they are when a column is of the other type.
    fn keeps_values(&self, old: &Table, new: &Table, n: usize) -> bool {
        let (was, is) = (&old.columns[n], &new.columns[n]);
        let reads_more = |i: &Arc<crate::catalog::Index>| !i.is_plain() && i.reads_any(|c| c == n);
        is_stored_alike((was.ty, was.typmod), (is.ty, is.typmod))
            && was.settings.collation == is.settings.collation
            && !is.domain.is_some_and(|d| was.domain != is.domain && self.catalog.is_constrained(d))
            && !old.indexes.iter().any(reads_more)
    }

    /// Writes the rows into a new tree with another value of a column, made from the row as it was, and builds the indexes anew.
    pub(super) fn rewrite_column(
        &mut self,
        old: &Table,
        table: &mut Table,
        n: usize,
        value: &Expr,
    ) -> Result<(), SqlError> {
        let is_virtual = table.columns[n].generated == Some(Generated::Virtual);
        let heap = Heap::new(self.engine()?.create_tree()?);
        let types: Vec<Type> = table.types.clone();
        self.with_bare_cx(|cx| {
            let mut key = Vec::new();
            let mut filler = Filler::of_tree(heap.tree);
            build::for_each_row(old, cx, &mut |row, cx| {
                let new = match is_virtual {
                    true => Datum::Null,
                    false => crate::exec::eval::eval(value, row, cx)?,
                };
                let id = row.pop().and_then(|d: Datum| d.as_i64()).unwrap_or(0) as u64;
                row[n] = new;
                key.clear();
                encode_rowid(id, &mut key);
                filler.push_row(&key, row, &types, cx)
            })?;
            filler.finish(cx)
        })?;
        self.engine()?.drop_tree(old.heap.tree)?;
        table.heap = heap;
        table.missing.clear();
        self.begin_definition()?;
        for i in 0..table.indexes.len() {
            let index = (*table.indexes[i]).clone();
            let tree = index.tree;
            let index = if index.is_plain() { index } else { self.index_again(table, index)? };
            table.indexes[i] = Arc::new(self.build_index(table, index)?);
            self.engine()?.drop_tree(tree)?;
        }
        self.check_default(table, n)?;
        self.put_table(table.clone()).map(|_| ())
    }

    /// Has checks, generated columns and indexes call a column otherwise.
    pub(super) fn rename_in_expressions(
        &self,
        table: &mut Table,
        column: usize,
        to: &str,
    ) -> Result<(), SqlError> {
        let before = Arc::new(table.clone());
        self.reword_expressions(table, &|b, text| b.renamed(text, &before, (column, to)))
    }

    /// Has checks, generated columns and indexes call columns without the table's name, which is to be another; whole rows are called by the new one.
    pub(super) fn unqualify_expressions(&self, table: &mut Table, to: &str) -> Result<(), SqlError> {
        let before = Arc::new(table.clone());
        self.reword_expressions(table, &|b, text| b.of_renamed(text, &before, to))
    }

    fn reword_expressions(
        &self,
        table: &mut Table,
        reworded: &dyn Fn(&mut Binder<'_>, &str) -> Result<String, SqlError>,
    ) -> Result<(), SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        let mut rename = |text: &mut String| -> Result<(), SqlError> {
            *text = reworded(&mut Binder::new(&cx, &[]), text)?;
            Ok(())
        };
        table.checks.iter_mut().try_for_each(|c| rename(&mut c.expr))?;
        let generated = table.columns.iter_mut().filter(|c| c.generated.is_some());
        generated.filter_map(|c| c.default.as_mut()).try_for_each(&mut rename)?;
        for index in table.indexes.iter_mut().filter(|i| !i.is_plain()) {
            let extra = &mut Arc::make_mut(index).extra;
            let expressions = extra.expressions.iter_mut().map(|e| &mut e.text);
            expressions.chain(&mut extra.predicate).try_for_each(&mut rename)?;
        }
        Ok(())
    }
}

/// What an action locks its table against.
fn lock_of(action: &TableAction) -> TableLockMode {
    match action {
        TableAction::Sql(o) => match &**o {
            Op::ValidateConstraint { .. } => TableLockMode::ShareUpdateExclusive,
            Op::AddConstraint { constraint: ast::TableConstraint::ForeignKey(_), .. }
            | Op::DisableTrigger { .. }
            | Op::EnableTrigger { .. } => TableLockMode::ShareRowExclusive,
            _ => TableLockMode::AccessExclusive,
        },
        TableAction::Set(_)
        | TableAction::Reset(_)
        | TableAction::ClusterOn(_)
        | TableAction::Column(_, ColumnAction::Statistics(_) | ColumnAction::Options(_)) => {
            TableLockMode::ShareUpdateExclusive
        }
        _ => TableLockMode::AccessExclusive,
    }
}

/// The collation behind a column's new type, and what stands behind USING.
fn collated(using: Option<&ast::Expr>) -> Result<(Option<ast::ObjectName>, Option<&ast::Expr>), SqlError> {
    let Some(ast::Expr::Function(f)) = using else { return Ok((None, using)) };
    if !matches!(&f.name.0[..], [part] if part.as_ident().is_some_and(|i| i.value == COLLATED)) {
        return Ok((None, using));
    }
    let ast::FunctionArguments::List(list) = &f.args else { return Ok((None, using)) };
    let expr = |n: usize| match list.args.get(n) {
        Some(ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(e))) => Some(e),
        _ => None,
    };
    let name = match expr(0) {
        Some(ast::Expr::Identifier(name)) => ast::ObjectName::from(vec![name.clone()]),
        Some(ast::Expr::CompoundIdentifier(names)) => ast::ObjectName::from(names.clone()),
        _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "a collation's name is missing")),
    };
    Ok((Some(name), expr(1)))
}

/// When an action has its turn, whatever the order in which they are written: what goes first, what is made of it last.
fn pass(action: &TableAction) -> u8 {
    use ast::TableConstraint as C;
    match action {
        TableAction::Sql(o) => match &**o {
            Op::DropColumn { .. } | Op::DropConstraint { .. } => 0,
            Op::AlterColumn { op, .. } => match op {
                AlterColumnOperation::DropNotNull | AlterColumnOperation::DropDefault => 0,
                AlterColumnOperation::SetDataType { .. } => 1,
                AlterColumnOperation::SetNotNull => 3,
                _ => 5,
            },
            Op::AddColumn { .. } => 2,
            Op::AddConstraint { constraint, .. } => match constraint {
                C::PrimaryKey(_) | C::Unique(_) | C::PrimaryKeyUsingIndex(_) | C::UniqueUsingIndex(_) => 4,
                C::ForeignKey(_) => 6,
                _ => 5,
            },
            _ => 7,
        },
        TableAction::Column(_, ColumnAction::DropIdentity { .. } | ColumnAction::DropExpression { .. }) => 0,
        TableAction::Column(..) | TableAction::AddNotNull { .. } => 3,
        _ => 7,
    }
}

pub(super) fn no_constraint(name: &str, table: &Table) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_OBJECT,
        format!("constraint \"{name}\" of relation \"{}\" does not exist", table.name),
    )
}

/// An identity column's default and NOT NULL are its identity's.
pub(super) fn refuse_identity(table: &Table, column: usize) -> Result<(), SqlError> {
    let c = &table.columns[column];
    if c.identity.is_none() {
        return Ok(());
    }
    Err(SqlError::new(
        SqlState::SYNTAX_ERROR,
        format!("column \"{}\" of relation \"{}\" is an identity column", c.name, table.name),
    ))
}

/// Whether USING says only the column's name, or that cast to the new type.
fn is_column_itself(using: &ast::Expr, name: &str, to: &ast::DataType) -> bool {
    match using {
        ast::Expr::Identifier(i) => evenkeel_types::quote_ident(name) == i.to_string(),
        ast::Expr::Nested(e) => is_column_itself(e, name, to),
        ast::Expr::Cast { expr, data_type, .. } => data_type == to && is_column_itself(expr, name, to),
        _ => false,
    }
}

/// Whether every value of the first type is one of the second, with the same bytes in rows and keys.
fn is_stored_alike((from, from_mod): (Type, i32), (to, to_mod): (Type, i32)) -> bool {
    let is_wider = to_mod < 0 || from == to && (0..=to_mod).contains(&from_mod);
    match to {
        Type::Text | Type::Varchar => matches!(from, Type::Text | Type::Varchar) && is_wider,
        Type::Varbit | Type::Timestamp | Type::Timestamptz | Type::Time | Type::Timetz => {
            from == to && is_wider
        }
        Type::Numeric => {
            // The scale in the lower half, the precision in the upper one.
            let scale = |m: i32| (m - 4) & 0xffff;
            from == to && is_wider && (to_mod < 0 || scale(from_mod) == scale(to_mod))
        }
        _ => from == to && from_mod == to_mod,
    }
}
