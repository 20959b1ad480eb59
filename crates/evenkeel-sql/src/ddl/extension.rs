//! CREATE and DROP EXTENSION: what is built in may be asked for, anything else is refused by its name.
//!
//! Must not know: what an extension has.

use crate::catalog::extension::{Extension, available};
use crate::catalog::security::acl::CREATE;
use crate::catalog::{Change, Kind, Object};
use crate::parse::{CreateExtensionStmt, DropStmt, Name};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

impl Session {
    pub(crate) fn create_extension(&mut self, s: &CreateExtensionStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let name = &s.name;
        if self.catalog.extension_named(name).is_some() || name == "plpgsql" {
            let why = format!("extension \"{name}\" already exists");
            if s.if_not_exists {
                self.notice("NOTICE", SqlState::DUPLICATE_OBJECT, format!("{why}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
        }
        if available(name).is_none() {
            return Err(SqlError::unsupported(format!("extension \"{name}\" is not available"))
                .with_detail("Only what is built in can be asked for: see pg_available_extensions."));
        }
        self.check_may_in_database(CREATE)?;
        let schema = match &s.schema {
            Some(schema) => self.new_name(&Name { schema: Some(schema.clone()), name: name.clone() })?.0,
            None => self.creation_schema()?,
        };
        self.lock_name(0, &format!("extension {name}"))?;
        if self.catalog.extension_named(name).is_some() {
            return self.create_extension(s);
        }
        self.begin_statement()?;
        let oid = self.instance.store.new_oid()?;
        let made = Extension { oid, name: name.clone(), schema };
        self.record(Change::Put(Object::Extension(Arc::new(made))))
    }

    pub(super) fn drop_extensions(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        for name in &d.names {
            self.refresh_catalog();
            let Some(e) = self.catalog.extension_named(&name.name).cloned() else {
                if d.if_exists {
                    let message = format!("extension \"{}\" does not exist, skipping", name.name);
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                    continue;
                }
                let why = format!("extension \"{}\" does not exist", name.name);
                return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
            };
            self.lock_name(0, &format!("extension {}", e.name))?;
            self.begin_statement()?;
            self.record(Change::Remove(Kind::Extension, e.oid))?;
        }
        Ok(())
    }
}
