//! ALTER TABLE … ALTER COLUMN, of what is not a type, a default or NOT NULL: identity columns.
//!
//! Must not know: how sequences count.

use super::default;
use crate::catalog::{Change, Identity, Kind, Sequence, Table};
use crate::parse::{ColumnAction, SequenceOptions};
use crate::session::Session;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

fn wrong_state(table: &Table, column: usize, what: &str) -> SqlError {
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
                    let message = e.message + ", skipping";
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                    return Ok(());
                }
                table.columns[n].identity = None;
                table.columns[n].default = None;
                let sequence = self.identity_sequence(table, n);
                self.put_table(table.clone())?;
                if let Some(s) = sequence {
                    self.record(Change::Remove(Kind::Sequence, s.oid))?;
                }
                return Ok(());
            }
            _ => return Err(SqlError::unsupported("this kind of ALTER COLUMN is not supported")),
        }
        self.put_table(table.clone()).map(|_| ())
    }

    fn identity_sequence(&self, table: &Table, n: usize) -> Option<Arc<Sequence>> {
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
        let name = self.new_sequence_name(table, n)?;
        let owner = Some((table.oid, n, true));
        let sequence = self.new_sequence(table.schema, name, table.columns[n].ty, options, owner)?;
        table.columns[n].identity = Some(identity(always));
        table.columns[n].default = Some(default::of_sequence("nextval", sequence));
        Ok(())
    }
}
