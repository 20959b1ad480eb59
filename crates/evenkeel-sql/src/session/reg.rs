//! Names of objects and their OIDs: what the types of OIDs are read from and shown as.
//!
//! Must not know: the session.

use crate::catalog::Catalog;
use crate::catalog::security::acl::{self, Class};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::user::Attributes;
use evenkeel_types::{RegNames, Type, quote_ident, split_qualified};
use parking_lot::Mutex;
use std::sync::Arc;

/// Names of objects, shared with the format options.
pub(super) struct Names {
    /// With the search path, and who looks names up.
    pub catalog: Mutex<(Arc<Catalog>, Vec<u32>, u32)>,
}

impl RegNames for Names {
    fn name(&self, ty: Type, oid: u32) -> Option<String> {
        let guard = self.catalog.lock();
        reg_name(&guard.0, &guard.1, ty, oid)
    }

    fn oid(&self, ty: Type, name: &str) -> Result<u32, SqlError> {
        let guard = self.catalog.lock();
        reg_oid(&guard.0, &guard.1, guard.2, ty, name)?.ok_or_else(|| missing(ty, name))
    }

    fn enum_label(&self, oid: u32, value: u64) -> Option<String> {
        let guard = self.catalog.lock();
        guard.0.user_type(oid)?.labels.iter().find(|l| l.0 == value).map(|l| l.1.clone())
    }

    fn enum_values(&self, oid: u32) -> Vec<u64> {
        let guard = self.catalog.lock();
        guard.0.user_type(oid).map(|t| t.labels.iter().map(|l| l.0).collect()).unwrap_or_default()
    }

    fn attributes(&self, oid: u32) -> Option<Attributes> {
        self.catalog.lock().0.user_type(oid)?.attributes.clone()
    }

    fn enum_value(&self, oid: u32, label: &str) -> Option<u64> {
        self.catalog.lock().0.user_type(oid)?.value(label)
    }
}

pub(super) fn missing(ty: Type, name: &str) -> SqlError {
    match ty {
        Type::Regclass => {
            SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
        }
        Type::Regnamespace => {
            SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"))
        }
        Type::Regproc => {
            SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("function \"{name}\" does not exist"))
        }
        Type::Regrole => SqlError::new(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist")),
        _ => SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist")),
    }
}

pub(super) fn reg_oid(
    catalog: &Catalog,
    path: &[u32],
    role: u32,
    ty: Type,
    name: &str,
) -> Result<Option<u32>, SqlError> {
    if let Ok(oid) = name.trim().parse::<u32>() {
        return Ok(Some(oid));
    }
    if name.trim() == "-" {
        return Ok(Some(0));
    }
    let mut names = split_qualified(name)
        .or_else(|| (ty == Type::Regtype).then(|| vec![name.trim().to_lowercase()]))
        .ok_or_else(|| SqlError::new(SqlState::INVALID_NAME, "invalid name syntax"))?;
    let last = names.pop().unwrap_or_default();
    let schema = names.pop();
    if ty == Type::Regclass
        && let Some(s) = schema.as_ref().and_then(|s| catalog.schema_named(s))
        && catalog.security().mask(role, s.oid, Class::Schema, acl::USAGE) == 0
    {
        return Err(acl::denied("schema", &s.name));
    }
    Ok(match ty {
        Type::Regclass => catalog.resolve(schema.as_deref(), &last, path)?.map(|r| r.oid()),
        Type::Regnamespace => catalog.schema_named(&last).map(|s| s.oid),
        Type::Regrole => catalog.security().role_named(&last).map(|r| r.oid),
        Type::Regproc => crate::catalog::views::types::function_oid(&last),
        Type::Regtype => {
            let own = || {
                let (base, is_array) = match last.strip_suffix("[]") {
                    Some(base) => (base, true),
                    None => (&*last, false),
                };
                let found = catalog.type_named(schema.as_deref(), base, path)?;
                if is_array { Some(found.ty.array_of()?.oid()) } else { Some(found.oid()) }
            };
            let builtin = Type::from_name(&name.trim().to_lowercase()).or_else(|| Type::from_name(&last));
            builtin.map(Type::oid).or_else(own)
        }
        _ => None,
    })
}

pub(super) fn reg_name(catalog: &Catalog, path: &[u32], ty: Type, oid: u32) -> Option<String> {
    match ty {
        Type::Regclass => catalog.relation(oid).map(|r| catalog.qualified_name(&r, path)),
        Type::Regnamespace => catalog.schema(oid).map(|s| quote_ident(&s.name)),
        Type::Regproc => crate::catalog::views::types::function_name(oid).map(str::to_owned),
        Type::Regrole => catalog.security().role(oid).map(|r| quote_ident(&r.name)),
        Type::Regtype => match Type::from_oid(oid) {
            Some(t) if t.is_of_extension() => {
                let name = catalog.type_name(t.kept_oid()?, path)?;
                Some(if t.is_array() { format!("{name}[]") } else { name })
            }
            Some(t) => Some(t.sql_name().into_owned()),
            None => match Type::from_stored_oid(oid)? {
                Type::EnumArray(oid) | Type::CompositeArray(oid) => {
                    Some(format!("{}[]", catalog.type_name(oid, path)?))
                }
                _ => catalog.type_name(oid, path),
            },
        },
        _ => None,
    }
}
