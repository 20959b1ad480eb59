//! CREATE, ALTER and DROP STATISTICS.
//!
//! Must not know: how they are stored, and that nothing is gathered.

use super::choose_name;
use crate::bind::system_column::is_system_column;
use crate::catalog::locks::TableLockMode;
use crate::catalog::views::class_oid;
use crate::catalog::{ALL_KINDS, ExtendedStatistics, Generated, KINDS, Relation, Table};
use crate::parse::{CreateStatistics, Name, StatisticsAction, StatisticsStmt, too_many_columns};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use std::collections::HashMap;
use std::sync::Arc;

/// How many columns one may have.
const COLUMNS_MAX: usize = 8;
/// The largest target.
const TARGET_MAX: i64 = 10_000;

fn exists(name: &str, within: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_OBJECT, format!("statistics object \"{name}\" already exists{within}"))
}

/// What can have no statistics, in its plural.
fn no_table(relation: &Relation) -> Option<&'static str> {
    match relation {
        Relation::Table(_) | Relation::Virtual(_) => None,
        Relation::View(_) => Some("views"),
        Relation::Sequence(_) => Some("sequences"),
        Relation::Index(..) => Some("indexes"),
    }
}

/// The kinds that are named, as bits.
fn kinds_of(words: &[String]) -> Result<u8, SqlError> {
    let mut kinds = 0;
    for word in words {
        let n = KINDS.iter().position(|(kind, _)| kind == word).ok_or_else(|| {
            SqlError::new(SqlState::SYNTAX_ERROR, format!("unrecognized statistics kind \"{word}\""))
        })?;
        kinds |= 1 << n;
    }
    Ok(if kinds == 0 { ALL_KINDS } else { kinds })
}

/// A column that statistics may be of.
fn column_of(table: &Table, name: &str) -> Result<usize, SqlError> {
    if is_system_column(name) {
        return Err(SqlError::unsupported("statistics creation on system columns is not supported"));
    }
    let n = table.column(name).ok_or_else(|| {
        SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist"))
    })?;
    let column = &table.columns[n];
    if column.generated == Some(Generated::Virtual) {
        let why = "statistics creation on virtual generated columns is not supported";
        return Err(SqlError::unsupported(why));
    }
    if !column.ty.is_ordered() {
        return Err(SqlError::unsupported(format!(
            "column \"{name}\" cannot be used in statistics because its type {} has no default btree operator class",
            column.ty.sql_name()
        )));
    }
    Ok(n)
}

impl Session {
    pub(crate) fn statistics_statement(&mut self, s: &StatisticsStmt) -> Result<(), SqlError> {
        match s {
            StatisticsStmt::Create(c) => self.create_statistics(c),
            StatisticsStmt::Alter { if_exists, name, action } => match self.find_statistics(name) {
                Err(e) if *if_exists && e.code == SqlState::UNDEFINED_OBJECT => {
                    let why = format!("statistics object \"{}\" does not exist", name.name);
                    self.skipped(&why);
                    Ok(())
                }
                Err(e) => Err(e),
                Ok((table, s)) => self.alter_statistics(&table, &s, action),
            },
        }
    }

    /// One that a statement names, and its table.
    pub(super) fn find_statistics(&self, name: &Name) -> Result<(Arc<Table>, ExtendedStatistics), SqlError> {
        let found =
            self.catalog.extended_statistics_named(name.schema.as_deref(), &name.name, self.search_path());
        match found {
            Some((table, s)) => Ok((table.clone(), s.clone())),
            None => Err(self.missing_schema(name).unwrap_or_else(|| {
                let why = format!("statistics object \"{name}\" does not exist");
                SqlError::new(SqlState::UNDEFINED_OBJECT, why)
            })),
        }
    }

    fn create_statistics(&mut self, c: &CreateStatistics) -> Result<(), SqlError> {
        self.refresh_catalog();
        let relation = self.find_relation(&c.table)?;
        if let Some(what) = no_table(&relation) {
            let why = format!("cannot define statistics for relation \"{}\"", relation.name());
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
                .with_detail(format!("This operation is not supported for {what}.")));
        }
        let table = self.lock_own_table(&c.table, TableLockMode::ShareUpdateExclusive)?;
        if let Some(name) = &c.name {
            self.check_home(&table, name)?;
            self.lock_statistics_name(table.schema, &name.name)?;
            if self.catalog.extended_statistics_in(table.schema, &name.name).is_some() {
                let e = exists(&name.name, "");
                if c.if_not_exists {
                    self.notice("NOTICE", SqlState::DUPLICATE_OBJECT, format!("{}, skipping", e.message));
                    return Ok(());
                }
                return Err(e);
            }
        }
        let Some(names) = c.columns.as_ref().filter(|_| c.count <= COLUMNS_MAX) else {
            let why = "extended statistics of expressions are not supported";
            return Err(if c.count > COLUMNS_MAX { too_many_columns() } else { SqlError::unsupported(why) });
        };
        let mut columns = names.iter().map(|n| column_of(&table, n)).collect::<Result<Vec<_>, _>>()?;
        let kinds = kinds_of(&c.kinds)?;
        if columns.len() < 2 {
            let why = "extended statistics require at least 2 columns";
            return Err(SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why));
        }
        columns.sort_unstable();
        if columns.windows(2).any(|pair| pair[0] == pair[1]) {
            let why = "duplicate column name in statistics definition";
            return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
        }
        let name = match &c.name {
            Some(name) => name.name.clone(),
            None => self.free_statistics_name(&table, &names.join("_"))?,
        };
        let oid = self.instance.store.new_oid()?;
        self.put_statistics(table.oid, |all| {
            all.push(ExtendedStatistics { oid, name, kinds, columns, target: None });
        })
    }

    /// Refuses a schema that is not that of the table.
    fn check_home(&self, table: &Table, name: &Name) -> Result<(), SqlError> {
        let Some(schema) = &name.schema else { return Ok(()) };
        match self.catalog.schema_named(schema) {
            Some(s) if s.oid == table.schema => Ok(()),
            Some(_) => Err(SqlError::unsupported(
                "a statistics object in another schema than its table is not supported",
            )),
            None => {
                let why = format!("schema \"{schema}\" does not exist");
                Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, why))
            }
        }
    }

    fn lock_statistics_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.lock_name(schema, &format!("statistics object {name}"))
    }

    /// Locks a name that one is to have, which none may have.
    pub(super) fn take_statistics_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.lock_statistics_name(schema, name)?;
        if self.catalog.extended_statistics_in(schema, name).is_none() {
            return Ok(());
        }
        let schema = self.catalog.schema(schema).map_or("", |s| &s.name);
        Err(exists(name, &format!(" in schema \"{schema}\"")))
    }

    /// A name that is free, by the table and what stands in for its columns.
    fn free_statistics_name(&mut self, table: &Table, columns: &str) -> Result<String, SqlError> {
        loop {
            let taken = |n: &str| self.catalog.extended_statistics_in(table.schema, n).is_some();
            let name = choose_name(&table.name, columns, "stat", &taken);
            self.lock_statistics_name(table.schema, &name)?;
            if self.catalog.extended_statistics_in(table.schema, &name).is_none() {
                return Ok(name);
            }
        }
    }

    /// Changes those of a table, which is locked.
    fn put_statistics(
        &mut self,
        table: u32,
        change: impl FnOnce(&mut Vec<ExtendedStatistics>),
    ) -> Result<(), SqlError> {
        self.begin_definition()?;
        let Some(table) = self.catalog.table(table) else { return Ok(()) };
        let mut table = (**table).clone();
        change(&mut table.statistics);
        self.put_table(table).map(|_| ())
    }

    /// Locks the table of one that may be changed.
    fn own_statistics(&mut self, table: &Arc<Table>, s: &ExtendedStatistics) -> Result<(), SqlError> {
        self.check_owns(table.oid, "statistics object", &s.name)?;
        self.ensure_txn()?;
        let mode = TableLockMode::ShareUpdateExclusive;
        self.lock_object(&table.shared.lock, mode, &table.name, false)?;
        self.refresh_catalog();
        match self.catalog.extended_statistics_of(s.oid) {
            Some((_, now)) if now.name == s.name => Ok(()),
            _ => {
                let why = format!("statistics object \"{}\" does not exist", s.name);
                Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why))
            }
        }
    }

    fn alter_statistics(
        &mut self,
        table: &Arc<Table>,
        s: &ExtendedStatistics,
        action: &StatisticsAction,
    ) -> Result<(), SqlError> {
        self.own_statistics(table, s)?;
        let mut changed = s.clone();
        match action {
            StatisticsAction::Rename(to) => {
                self.take_statistics_name(table.schema, to)?;
                changed.name.clone_from(to);
            }
            StatisticsAction::SetSchema(to) => {
                self.check_home(table, &Name { schema: Some(to.clone()), name: s.name.clone() })?;
            }
            StatisticsAction::Target(target) => {
                let target = target.filter(|t| *t != -1);
                if let Some(low) = target.filter(|t| *t < 0) {
                    let why = format!("statistics target {low} is too low");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
                }
                if target.is_some_and(|t| t > TARGET_MAX) {
                    let why = format!("lowering statistics target to {TARGET_MAX}");
                    self.notice("WARNING", SqlState::INVALID_PARAMETER_VALUE, why);
                }
                changed.target = target.map(|t| t.min(TARGET_MAX) as u16);
            }
        }
        self.put_statistics(table.oid, |all| {
            all.iter_mut().filter(|s| s.oid == changed.oid).for_each(|s| s.clone_from(&changed));
        })
    }

    /// Drops one, if there is one of that name.
    pub(super) fn drop_statistics(&mut self, name: &Name) -> Result<bool, SqlError> {
        let Ok((table, s)) = self.find_statistics(name) else { return Ok(false) };
        if !self.owns(table.schema) {
            self.check_owns(table.oid, "statistics object", &s.name)?;
        }
        self.ensure_txn()?;
        let mode = TableLockMode::ShareUpdateExclusive;
        self.lock_object(&table.shared.lock, mode, &table.name, false)?;
        self.refresh_catalog();
        if self.catalog.extended_statistics_of(s.oid).is_none() {
            return Ok(false);
        }
        self.put_statistics(table.oid, |all| all.retain(|x| x.oid != s.oid))?;
        Ok(true)
    }

    /// INCLUDING STATISTICS: those of another table whose columns are at these places.
    pub(super) fn like_statistics(
        &mut self,
        table: &mut Table,
        source: &Table,
        places: &HashMap<usize, usize>,
        with_comments: bool,
    ) -> Result<(), SqlError> {
        for s in &source.statistics {
            let Some(mut columns) =
                s.columns.iter().map(|n| places.get(n).copied()).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            columns.sort_unstable();
            let names: Vec<&str> = columns.iter().map(|n| &*table.columns[*n].name).collect();
            let name = self.free_statistics_name(table, &names.join("_"))?;
            let oid = self.instance.store.new_oid()?;
            table.statistics.push(ExtendedStatistics { oid, name, columns, target: None, ..s.clone() });
            self.put_table(table.clone())?;
            if with_comments {
                self.copy_comment(s.oid, oid, class_oid::STATISTICS, (0, 0))?;
            }
        }
        Ok(())
    }
}
