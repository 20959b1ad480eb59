//! SET TRANSACTION SNAPSHOT: a transaction begins with what another one has exported.
//!
//! Must not know: who exports, and how long that is kept.

use super::Session;
use crate::parse::IsolationLevel;
use evenkeel_types::error::{SqlError, SqlState};

impl Session {
    /// Has the transaction see what an exported snapshot sees, in PostgreSQL's order of refusals.
    pub(super) fn import_snapshot(&mut self, name: &str) -> Result<(), SqlError> {
        let (isolation, read_only, deferrable) = match &self.txn {
            Some(t) => (t.isolation, t.read_only, t.deferrable),
            None => (self.defaults.isolation, self.defaults.read_only, self.defaults.deferrable),
        };
        if self.txn.as_ref().is_some_and(|t| t.used || t.is_in_subtransaction()) {
            return Err(SqlError::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION SNAPSHOT must be called before any query",
            ));
        }
        let is_serializable = isolation == IsolationLevel::Serializable;
        if !is_serializable && isolation != IsolationLevel::RepeatableRead {
            return Err(SqlError::unsupported(
                "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ",
            ));
        }
        let is_of_a_name = |c: char| matches!(c, '0'..='9' | 'A'..='F' | '-');
        if name.is_empty() || !name.chars().all(is_of_a_name) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("invalid snapshot identifier: \"{name}\""),
            ));
        }
        let Some(exported) = self.instance.exported.get(name) else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("snapshot \"{name}\" does not exist"),
            ));
        };
        if is_serializable && exported.isolation != IsolationLevel::Serializable {
            return Err(SqlError::unsupported(
                "a serializable transaction cannot import a snapshot from a non-serializable transaction",
            ));
        }
        if is_serializable && exported.read_only && !read_only {
            return Err(SqlError::unsupported(
                "a non-read-only serializable transaction cannot import a snapshot from a read-only transaction",
            ));
        }
        if exported.database != self.info.database_oid {
            return Err(SqlError::unsupported("cannot import a snapshot from a different database"));
        }
        if is_serializable && read_only && deferrable {
            return Err(SqlError::unsupported(
                "a snapshot-importing transaction must not be READ ONLY DEFERRABLE",
            ));
        }
        let of_standby = self.txn.as_ref().map_or(self.instance.is_standby(), |t| t.of_standby);
        let Some(moment) = exported.moment.filter(|_| exported.of_standby == of_standby) else {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "could not import the requested snapshot",
            )
            .with_detail(format!("The source process with PID {} is not running anymore.", exported.pid)));
        };
        // Without a transaction block it is over with this statement.
        if let Some(t) = &mut self.txn {
            t.used = true;
            t.snapshot_version = Some(exported.version);
            if let Some(engine) = &mut t.engine {
                engine.begin_statement_at(&moment);
            }
        }
        Ok(())
    }
}
