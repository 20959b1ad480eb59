//! Modes of transactions: isolation, READ ONLY, DEFERRABLE; of the one that is open, and of those that follow.
//!
//! Must not know: how transactions begin and end.

use super::Session;
use crate::parse::{IsolationLevel, TxnModes};
use evenkeel_types::error::{SqlError, SqlState};

/// Whether a setting is one of the transaction's, which is over with it.
pub(crate) fn is_mode(name: &str) -> bool {
    matches!(name, "transaction_isolation" | "transaction_read_only" | "transaction_deferrable")
}

impl Session {
    /// A standby's transactions are READ ONLY.
    pub(super) fn refuse_to_write_standby(&self, modes: TxnModes) -> Result<(), SqlError> {
        if modes.read_only == Some(false) && self.instance.is_standby() {
            return Err(SqlError::unsupported("cannot set transaction read-write mode during recovery"));
        }
        Ok(())
    }

    /// SET TRANSACTION, and what BEGIN says: refused where it comes too late.
    pub(super) fn apply_modes(&mut self, modes: TxnModes) -> Result<(), SqlError> {
        let Some(txn) = &mut self.txn else { return Ok(()) };
        let (used, in_subtransaction) = (txn.used, txn.is_in_subtransaction());
        let refuse = |why: &str| Err(SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, why));
        if let Some(level) = modes.isolation
            && level != txn.isolation
        {
            if used {
                return refuse("SET TRANSACTION ISOLATION LEVEL must be called before any query");
            }
            if in_subtransaction {
                return refuse("SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
            }
            txn.isolation = level;
            txn.engine = None;
            let engine = self.begin_engine(level);
            if let Some(t) = &mut self.txn {
                t.engine = Some(engine);
            }
        }
        self.refuse_to_write_standby(modes)?;
        if let (Some(read_only), Some(txn)) = (modes.read_only, &mut self.txn) {
            if !read_only && txn.read_only && in_subtransaction {
                return refuse("cannot set transaction read-write mode inside a read-only transaction");
            }
            if !read_only && txn.read_only && used {
                return refuse("transaction read-write mode must be set before any query");
            }
            txn.read_only = read_only;
        }
        if let (Some(deferrable), Some(txn)) = (modes.deferrable, &mut self.txn) {
            if in_subtransaction {
                return refuse("SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction");
            }
            if used {
                return refuse("SET TRANSACTION [NOT] DEFERRABLE must be called before any query");
            }
            txn.deferrable = deferrable;
        }
        if let Some(t) = &self.txn {
            self.env.set_transaction(t.isolation, t.read_only, t.deferrable);
        }
        Ok(())
    }

    /// SET transaction_isolation, transaction_read_only and transaction_deferrable.
    pub(crate) fn set_mode(&mut self, name: &str, value: &str) -> Result<bool, SqlError> {
        let mut modes = TxnModes::default();
        match name {
            "transaction_isolation" => {
                let level = IsolationLevel::from_name(value).ok_or_else(|| {
                    SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("invalid value for parameter \"transaction_isolation\": \"{value}\""),
                    )
                    .with_hint(
                        "Available values: serializable, repeatable read, read committed, read uncommitted.",
                    )
                })?;
                modes.isolation = Some(level);
            }
            "transaction_read_only" => {
                modes.read_only = Some(self.settings.check_value(name, value)? == "on")
            }
            "transaction_deferrable" => {
                modes.deferrable = Some(self.settings.check_value(name, value)? == "on")
            }
            _ => return Ok(false),
        }
        self.apply_modes(modes)?;
        Ok(true)
    }

    /// SET SESSION CHARACTERISTICS.
    pub(super) fn set_characteristics(&mut self, modes: TxnModes) -> Result<&'static str, SqlError> {
        self.ensure_txn()?; // it is of those to come
        if let Some(level) = modes.isolation {
            self.settings.set("default_transaction_isolation", Some(level.name()), false)?;
        }
        if let Some(read_only) = modes.read_only {
            let value = if read_only { "on" } else { "off" };
            self.settings.set("default_transaction_read_only", Some(value), false)?;
        }
        if let Some(deferrable) = modes.deferrable {
            let value = if deferrable { "on" } else { "off" };
            self.settings.set("default_transaction_deferrable", Some(value), false)?;
        }
        self.settings_changed();
        Ok("SET")
    }

    /// What AND CHAIN goes on with.
    pub(super) fn chained_modes(&self) -> TxnModes {
        match &self.txn {
            Some(t) => TxnModes {
                isolation: Some(t.isolation),
                read_only: Some(t.read_only),
                deferrable: Some(t.deferrable),
            },
            None => TxnModes::default(),
        }
    }
}

/// Whether a setting says what transactions begin with.
pub(super) fn is_of_transactions(name: &str) -> bool {
    ["default_transaction_isolation", "default_transaction_read_only", "default_transaction_deferrable"]
        .contains(&name)
}
