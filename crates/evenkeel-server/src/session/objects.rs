//! The prepared statements and portals that a client has named.
//!
//! Duty: keep them by name, within the session's bounds, with PostgreSQL's errors.
//!
//! Invariant J1: `bytes` is the sum of what the kept objects were counted with.
//!
//! It must not know how they are executed.

use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

use evenkeel_sql::{SqlError, SqlState};

use crate::errors::error;
use crate::service::SqlSession;
use crate::wire::frontend::Target;
use crate::wire::output::{OutputShape, ResultFormats};

/// Counted for each object beside its text or parameters, bytes.
const OBJECT_BYTES: usize = 1024;

/// Bounds for one session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectLimits {
    pub statements: usize,
    pub portals: usize,
    pub bytes: usize,
}

/// A prepared statement.
pub(crate) struct StatementEntry<Q: SqlSession> {
    pub statement: Q::Statement,
    /// None when it returns no rows.
    pub shape: Option<Arc<OutputShape>>,
    /// Size of its text.
    pub bytes: usize,
}

/// A portal.
pub(crate) struct PortalEntry<Q: SqlSession> {
    pub portal: Q::Portal,
    /// None when it returns no rows.
    pub shape: Option<Arc<OutputShape>>,
    pub formats: ResultFormats,
    /// Size of its parameters.
    pub bytes: usize,
}

/// Everything a session has named, and the unnamed ones.
pub(crate) struct Objects<Q: SqlSession> {
    limits: ObjectLimits,
    portals: HashMap<Box<str>, PortalEntry<Q>, RandomState>,
    unnamed_portal: Option<PortalEntry<Q>>,
    statements: HashMap<Box<str>, StatementEntry<Q>, RandomState>,
    unnamed_statement: Option<StatementEntry<Q>>,
    /// J1; unnamed ones are bounded by the message that made them.
    bytes: usize,
}

impl<Q: SqlSession> Objects<Q> {
    pub fn new(limits: ObjectLimits) -> Objects<Q> {
        Objects {
            limits,
            portals: HashMap::default(),
            unnamed_portal: None,
            statements: HashMap::default(),
            unnamed_statement: None,
            bytes: 0,
        }
    }

    /// Another one comes in its place.
    pub fn drop_unnamed_statement(&mut self) {
        self.unnamed_statement = None;
    }

    /// Whether a statement of this name and size may be made.
    pub fn admit_statement(&self, name: &str, bytes: usize) -> Result<(), SqlError> {
        if name.is_empty() {
            return Ok(());
        }
        if self.statements.contains_key(name) {
            let message = format!("prepared statement \"{name}\" already exists");
            return Err(error(SqlState::DUPLICATE_PREPARED_STATEMENT, message));
        }
        if self.statements.len() >= self.limits.statements {
            return Err(error(
                SqlState::CONFIGURATION_LIMIT_EXCEEDED,
                "too many prepared statements in this session",
            )
            .with_hint(format!("max_prepared_statements is {}.", self.limits.statements)));
        }
        self.admit_bytes(bytes)
    }

    pub fn add_statement(&mut self, name: &str, entry: StatementEntry<Q>) {
        if name.is_empty() {
            self.unnamed_statement = Some(entry);
        } else {
            self.bytes += entry.bytes + OBJECT_BYTES;
            if let Some(old) = self.statements.insert(name.into(), entry) {
                self.bytes -= old.bytes + OBJECT_BYTES;
            }
        }
    }

    pub fn statement(&mut self, name: &str) -> Result<&mut StatementEntry<Q>, SqlError> {
        if name.is_empty() {
            self.unnamed_statement.as_mut().ok_or_else(|| {
                error(SqlState::INVALID_SQL_STATEMENT_NAME, "unnamed prepared statement does not exist")
            })
        } else {
            self.statements.get_mut(name).ok_or_else(|| {
                let message = format!("prepared statement \"{name}\" does not exist");
                error(SqlState::INVALID_SQL_STATEMENT_NAME, message)
            })
        }
    }

    /// Whether a portal of this name and size may be made. The unnamed one, which it would replace, goes now.
    pub fn admit_portal(&mut self, name: &str, bytes: usize) -> Result<(), SqlError> {
        if name.is_empty() {
            self.unnamed_portal = None;
            return Ok(());
        }
        if self.portals.contains_key(name) {
            return Err(error(SqlState::DUPLICATE_CURSOR, format!("cursor \"{name}\" already exists")));
        }
        if self.portals.len() >= self.limits.portals {
            return Err(error(
                SqlState::CONFIGURATION_LIMIT_EXCEEDED,
                "too many open portals in this session",
            )
            .with_hint(format!("max_portals is {}.", self.limits.portals)));
        }
        self.admit_bytes(bytes)
    }

    pub fn add_portal(&mut self, name: &str, entry: PortalEntry<Q>) {
        if name.is_empty() {
            self.unnamed_portal = Some(entry);
        } else {
            self.bytes += entry.bytes + OBJECT_BYTES;
            if let Some(old) = self.portals.insert(name.into(), entry) {
                self.bytes -= old.bytes + OBJECT_BYTES;
            }
        }
    }

    pub fn portal(&mut self, name: &str) -> Result<&mut PortalEntry<Q>, SqlError> {
        let found = if name.is_empty() { self.unnamed_portal.as_mut() } else { self.portals.get_mut(name) };
        found.ok_or_else(|| error(SqlState::INVALID_CURSOR_NAME, format!("portal \"{name}\" does not exist")))
    }

    /// Closing what does not exist is no error.
    pub fn close(&mut self, target: Target<'_>) {
        match target {
            Target::Statement("") => self.unnamed_statement = None,
            Target::Portal("") => self.unnamed_portal = None,
            Target::Statement(name) => {
                if let Some(old) = self.statements.remove(name) {
                    self.bytes -= old.bytes + OBJECT_BYTES;
                }
            }
            Target::Portal(name) => {
                if let Some(old) = self.portals.remove(name) {
                    self.bytes -= old.bytes + OBJECT_BYTES;
                }
            }
        }
    }

    /// Whether the protocol has a portal of this name.
    pub fn has_portal(&self, name: &str) -> bool {
        name.is_empty() || self.portals.contains_key(name)
    }

    /// Whether a portal is there, the unnamed one among them.
    pub fn is_portal_there(&self, name: &str) -> bool {
        if name.is_empty() { self.unnamed_portal.is_some() } else { self.portals.contains_key(name) }
    }

    /// After CLOSE, DISCARD and ROLLBACK TO: portals that SQL has closed go.
    pub fn retain_open_portals(&mut self) {
        self.retain_portals(|_, p| Q::is_portal_open(p));
    }

    /// After an error: portals go, but some.
    pub fn drop_portals_but(&mut self, keep: impl FnMut(&str, &Q::Portal) -> bool) {
        self.unnamed_portal = None;
        self.retain_portals(keep);
    }

    fn retain_portals(&mut self, mut keep: impl FnMut(&str, &Q::Portal) -> bool) {
        let bytes = &mut self.bytes;
        self.portals.retain(|name, p| {
            let keep = keep(name, &p.portal);
            if !keep {
                *bytes -= p.bytes + OBJECT_BYTES;
            }
            keep
        });
    }

    /// At the end of a transaction.
    pub fn drop_portals(&mut self) {
        self.unnamed_portal = None;
        if !self.portals.is_empty() {
            self.bytes -= self.portals.values().map(|p| p.bytes + OBJECT_BYTES).sum::<usize>();
            self.portals.clear();
        }
    }

    /// A simple query takes the place of the unnamed ones.
    pub fn drop_unnamed(&mut self) {
        self.unnamed_portal = None;
        self.unnamed_statement = None;
    }

    /// Whether this name can be looked up with [`Objects::statement`].
    pub fn has_statement(&self, name: &str) -> bool {
        name.is_empty() || self.statements.contains_key(name)
    }

    /// After DEALLOCATE and DISCARD: what SQL no longer knows goes.
    pub fn retain_statements(&mut self, is_known: impl Fn(&str) -> bool) {
        let bytes = &mut self.bytes;
        self.statements.retain(|name, s| {
            let keep = is_known(name);
            if !keep {
                *bytes -= s.bytes + OBJECT_BYTES;
            }
            keep
        });
    }

    fn admit_bytes(&self, bytes: usize) -> Result<(), SqlError> {
        if self.bytes.saturating_add(bytes).saturating_add(OBJECT_BYTES) > self.limits.bytes {
            return Err(error(
                SqlState::OUT_OF_MEMORY,
                "prepared statements and portals of this session take too much memory",
            )
            .with_hint(format!("session_statement_memory is {} bytes.", self.limits.bytes)));
        }
        Ok(())
    }
}
