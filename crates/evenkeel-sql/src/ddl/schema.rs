//! CREATE SCHEMA, and what it makes in the schema.
//!
//! Must not know: how a schema is stored.

use super::{check_schema_name, name_of};
use crate::bind::{foreign, ident, split_name};
use crate::catalog::security::acl::CREATE;
use crate::catalog::{Catalog, Change, Object, Schema};
use crate::parse::{CreateSchemaStmt, Stmt};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use sqlparser::ast::{SchemaName, Statement};
use std::sync::Arc;

/// The name of a schema that is made.
fn name_in(s: &SchemaName) -> Result<String, SqlError> {
    Ok(match s {
        SchemaName::Simple(n) | SchemaName::NamedAuthorization(n, _) => split_name(n)?.1,
        SchemaName::UnnamedAuthorization(i) => ident(i),
    })
}

/// When it is made among what is made with it, and the schema that it names. None: it is nothing that can be.
fn place_of(element: &Stmt) -> Result<Option<(u8, Option<String>)>, SqlError> {
    Ok(Some(match element {
        Stmt::CreateSequence(s) => (0, s.name.schema.clone()),
        Stmt::CreateView(v) if !v.materialized => (2, v.name.schema.clone()),
        Stmt::Authority(_) => (4, None),
        Stmt::Sql(s) => match &**s {
            Statement::CreateTable(c) if c.query.is_none() => (1, name_of(&c.name)?.schema),
            Statement::CreateIndex(c) => (3, name_of(&c.table_name)?.schema),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

impl Session {
    /// CREATE SCHEMA with something in it, which is made as if the schema were first in the path.
    pub(crate) fn create_schema_with(&mut self, c: &CreateSchemaStmt) -> Result<(), SqlError> {
        foreign::of_create_schema(&c.schema)?;
        let Statement::CreateSchema { schema_name, .. } = &*c.schema else {
            return Err(SqlError::internal("no schema"));
        };
        let name = name_in(schema_name)?;
        let mut elements = Vec::with_capacity(c.elements.len());
        for e in &c.elements {
            let Some((place, schema)) = place_of(e)? else {
                return Err(SqlError::unsupported("CREATE SCHEMA with this in it is not supported"));
            };
            if let Some(other) = schema.filter(|s| *s != name) {
                let why = format!(
                    "CREATE specifies a schema ({other}) different from the one being created ({name})"
                );
                return Err(SqlError::new(SqlState::INVALID_SCHEMA_DEFINITION, why));
            }
            elements.push((place, e));
        }
        if !matches!(schema_name, SchemaName::Simple(_)) {
            return Err(SqlError::unsupported(
                "CREATE SCHEMA AUTHORIZATION with something in it is not supported",
            ));
        }
        elements.sort_by_key(|e| e.0);
        self.create_schema(schema_name, false)?;
        let before = self.settings.get("search_path").unwrap_or_default().to_owned();
        let path = match before.is_empty() {
            true => quote_ident(&name),
            false => format!("{}, {before}", quote_ident(&name)),
        };
        // What fails is undone with the transaction, this too.
        let mark = self.settings.mark();
        self.settings.set("search_path", Some(&path), true)?;
        self.settings_changed();
        for (_, e) in elements {
            match e {
                Stmt::CreateSequence(s) => self.create_sequence(s)?,
                Stmt::CreateView(v) => drop(self.create_view(v)?),
                Stmt::Authority(a) => drop(self.authority_statement(a)?),
                Stmt::Sql(s) => drop(self.definition(s, (&[], &[]))?),
                _ => {}
            }
        }
        self.settings.rollback_to(mark);
        self.settings_changed();
        Ok(())
    }

    pub(super) fn create_schema(
        &mut self,
        name_and_owner: &SchemaName,
        if_not_exists: bool,
    ) -> Result<(), SqlError> {
        let name = name_in(name_and_owner)?;
        let owner = match name_and_owner {
            SchemaName::Simple(_) => self.current_role(),
            SchemaName::NamedAuthorization(_, i) | SchemaName::UnnamedAuthorization(i) => {
                self.schema_owner(i)?
            }
        };
        self.refresh_catalog();
        self.check_may_in_database(CREATE)?;
        let is_there = |c: &Catalog| c.schema_named(&name).is_some();
        if !self.lock_new_name(0, &name, if_not_exists, &is_there)? {
            if if_not_exists {
                self.notice(
                    "NOTICE",
                    SqlState::DUPLICATE_SCHEMA,
                    format!("schema \"{name}\" already exists, skipping"),
                );
                return Ok(());
            }
            return Err(SqlError::new(
                SqlState::DUPLICATE_SCHEMA,
                format!("schema \"{name}\" already exists"),
            ));
        }
        check_schema_name(&name)?;
        self.begin_definition()?;
        let oid = self.instance.store.new_oid()?;
        self.record(Change::Put(Object::Schema(Arc::new(Schema { oid, name }))))?;
        self.give_to(oid, owner)
    }
}
