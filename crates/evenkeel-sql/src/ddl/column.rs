//! ALTER TABLE … ALTER COLUMN, of what is not a type, a default or NOT NULL: identity, and settings.
//!
//! Must not know: how sequences count.

use super::default;
use crate::catalog::locks::TableLockMode;
use crate::catalog::views::classes::align_and_storage;
use crate::catalog::{Change, Identity, Kind, Sequence, Table};
use crate::parse::{ColumnAction, SequenceOptions};
use crate::session::Session;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

pub(super) fn wrong_state(table: &Table, column: usize, what: &str) -> SqlError {
    SqlError::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        format!("column \"{}\" of relation \"{}\" {what}", table.columns[column].name, table.name),
    )
}

fn identity(always: bool) -> Identity {
    if always { Identity::Always } else { Identity::ByDefault }
}

impl Session {
    pub(super) fn column_action(
        &mut self,
        table: &mut Table,
        n: usize,
        action: &ColumnAction,
    ) -> Result<(), SqlError> {
        match action {
            ColumnAction::AddIdentity { always, options } => self.add_identity(table, n, *always, options)?,
            ColumnAction::SetIdentity { always, options } => {
                if table.columns[n].identity.is_none() {
                    return Err(wrong_state(table, n, "is not an identity column"));
                }
                if let Some(always) = always {
                    table.columns[n].identity = Some(identity(*always));
                }
                if let Some(s) = self.identity_sequence(table, n) {
                    self.alter_sequence(&s, options)?;
                }
            }
            ColumnAction::DropIdentity { if_exists } => {
                if table.columns[n].identity.is_none() {
                    let e = wrong_state(table, n, "is not an identity column");
                    if !if_exists {
                        return Err(e);
                    }
                    let message = format!("{}, skipping", e.message);
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                    return Ok(());
                }
                table.columns[n].identity = None;
                table.columns[n].default = None;
                let sequence = self.identity_sequence(table, n);
                self.put_table(table.clone())?;
                if let Some(s) = sequence {
                    self.lock_sequence(&s, TableLockMode::AccessExclusive)?;
                    self.record(Change::Remove(Kind::Sequence, s.oid))?;
                }
                return Ok(());
            }
            ColumnAction::Statistics(target) => self.set_statistics(table, n, *target)?,
            ColumnAction::Storage(name) => set_storage(table, n, name)?,
            ColumnAction::Compression(name) => set_compression(table, n, name)?,
            ColumnAction::Options(list) => set_options(table, n, list)?,
            ColumnAction::DropExpression { if_exists } => return self.drop_expression(table, n, *if_exists),
            ColumnAction::SetExpression(e) => return self.set_expression(table, n, e),
        }
        self.put_table(table.clone()).map(|_| ())
    }

    fn set_statistics(&mut self, table: &mut Table, n: usize, target: Option<i64>) -> Result<(), SqlError> {
        table.columns[n].settings.statistics = self.statistics_target(target)?;
        Ok(())
    }

    /// A statistics target as it is kept.
    pub(super) fn statistics_target(&mut self, target: Option<i64>) -> Result<Option<u16>, SqlError> {
        let target = target.filter(|t| *t != -1);
        if let Some(low) = target.filter(|t| *t < 0) {
            return Err(invalid(format!("statistics target {low} is too low")));
        }
        if target.is_some_and(|t| t > STATISTICS_MAX) {
            let message = format!("lowering statistics target to {STATISTICS_MAX}");
            self.notice("WARNING", SqlState::INVALID_PARAMETER_VALUE, message);
        }
        Ok(target.map(|t| t.min(STATISTICS_MAX) as u16))
    }

    pub(super) fn identity_sequence(&self, table: &Table, n: usize) -> Option<Arc<Sequence>> {
        self.catalog.sequences().find(|s| s.owned_by == Some((table.oid, n, true))).cloned()
    }

    fn add_identity(
        &mut self,
        table: &mut Table,
        n: usize,
        always: bool,
        options: &SequenceOptions,
    ) -> Result<(), SqlError> {
        let c = &table.columns[n];
        if !matches!(c.ty, Type::Int2 | Type::Int4 | Type::Int8) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                "identity column type must be smallint, integer, or bigint",
            ));
        }
        if !c.not_null {
            return Err(wrong_state(table, n, "must be declared NOT NULL before identity can be added"));
        }
        if c.identity.is_some() {
            return Err(wrong_state(table, n, "is already an identity column"));
        }
        if c.default.is_some() {
            return Err(wrong_state(table, n, "already has a default value"));
        }
        let sequence = self.new_column_sequence(table, (n, true), table.columns[n].ty, options)?;
        table.columns[n].identity = Some(identity(always));
        table.columns[n].default = Some(default::of_sequence("nextval", sequence));
        Ok(())
    }
}

/// The largest target of statistics.
const STATISTICS_MAX: i64 = 10_000;

fn invalid(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

pub(super) fn set_storage(table: &mut Table, n: usize, name: &str) -> Result<(), SqlError> {
    let c = &mut table.columns[n];
    let own = align_and_storage(c.ty).1;
    let letter = match name.to_ascii_lowercase().as_str() {
        "plain" => "p",
        "external" => "e",
        "extended" => "x",
        "main" => "m",
        "default" => own,
        _ => return Err(invalid(format!("invalid storage type \"{name}\""))),
    };
    if own == "p" && letter != "p" {
        let why = format!("column data type {} can only have storage PLAIN", c.ty.sql_name());
        return Err(SqlError::unsupported(why));
    }
    c.settings.storage = if letter == own { 0 } else { letter.as_bytes()[0] };
    Ok(())
}

pub(super) fn set_compression(table: &mut Table, n: usize, name: &str) -> Result<(), SqlError> {
    let c = &mut table.columns[n];
    if align_and_storage(c.ty).1 == "p" {
        let why = format!("column data type {} does not support compression", c.ty.sql_name());
        return Err(SqlError::unsupported(why));
    }
    c.settings.compression = match name.to_ascii_lowercase().as_str() {
        "default" => 0,
        "pglz" => b'p',
        "lz4" => b'l',
        _ => return Err(invalid(format!("invalid compression method \"{name}\""))),
    };
    Ok(())
}

/// SET and RESET: a parameter without a value is one that goes.
fn set_options(table: &mut Table, n: usize, list: &[(String, Option<String>)]) -> Result<(), SqlError> {
    let options = &mut table.columns[n].settings.options;
    for (name, value) in list {
        if !["n_distinct", "n_distinct_inherited"].contains(&name.as_str()) {
            return Err(invalid(format!("unrecognized parameter \"{name}\"")));
        }
        options.retain(|o| !o.starts_with(&format!("{name}=")));
        options.extend(value.as_ref().map(|v| format!("{name}={v}")));
    }
    Ok(())
}
