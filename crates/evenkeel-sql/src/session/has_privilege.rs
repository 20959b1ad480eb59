//! `has_table_privilege`, `pg_has_role` and the like.
//!
//! Must not know: statements.

use super::reg::{missing, reg_oid, relation_oid};
use crate::catalog::security::Security;
use crate::catalog::security::acl::{self, Acl, Class, PUBLIC, Privileges};
use crate::catalog::{Catalog, Relation};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{PrivilegeColumn, PrivilegeTarget, Type};

/// What the functions look at.
pub(super) struct Asked<'a> {
    pub catalog: &'a Catalog,
    pub path: &'a [u32],
    /// The current role.
    pub current: u32,
}

fn undefined(code: SqlState, message: String) -> SqlError {
    SqlError::new(code, message)
}

impl Asked<'_> {
    fn security(&self) -> &Security {
        self.catalog.security()
    }

    fn role(&self, name: &str) -> Result<u32, SqlError> {
        if name == "public" {
            return Ok(PUBLIC);
        }
        let found = self.security().role_named(name).map(|r| r.oid);
        found.ok_or_else(|| undefined(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist")))
    }

    /// Whether a role, or the current one, has one of the privileges of a list; None: there is no such object.
    pub(super) fn has(
        &self,
        role: Option<&str>,
        target: &PrivilegeTarget,
        privileges: &str,
    ) -> Result<Option<bool>, SqlError> {
        let role = role.map_or(Ok(self.current), |name| self.role(name))?;
        if let PrivilegeTarget::Name("role", _) | PrivilegeTarget::Oid("role", _) = target {
            return self.has_role(role, target, privileges);
        }
        // Nothing is granted on settings: superusers may set them all.
        if let PrivilegeTarget::Name("parameter", _) = target {
            return Ok(Some(self.security().is_superuser(role)));
        }
        let (kind, Some(oid)) = self.object(target)? else { return Ok(None) };
        let wanted = wanted(privileges);
        let s = self.security();
        if kind != "column" {
            let Some(class) = self.class(kind, oid)? else { return Ok(None) };
            return Ok(Some(s.mask(role, oid, class, wanted) != 0));
        }
        let Some(relation) = self.catalog.relation(oid) else { return Ok(None) };
        let class = class_of(&relation);
        let column = match target {
            PrivilegeTarget::Column(_, column) => match self.column(&relation, column)? {
                Some(column) => Some(column),
                None => return Ok(None),
            },
            _ => None,
        };
        if s.mask(role, oid, class, wanted) != 0 {
            return Ok(Some(true));
        }
        let Some(access) = s.access(oid) else { return Ok(Some(false)) };
        let has = |acl: &Acl| acl.mask(s, role, access.owner, wanted) != 0;
        Ok(Some(match column {
            Some(column) => access.columns.get(&column).is_some_and(has),
            None => access.columns.values().any(has),
        }))
    }

    fn has_role(
        &self,
        role: u32,
        target: &PrivilegeTarget,
        privileges: &str,
    ) -> Result<Option<bool>, SqlError> {
        let s = self.security();
        let other = match target {
            PrivilegeTarget::Name(_, name) => self.role(name)?,
            PrivilegeTarget::Oid(_, oid) if s.role(*oid).is_some() => *oid,
            _ => return Ok(Some(false)),
        };
        let has = |one: &str| {
            let one = one.trim().to_ascii_uppercase();
            if one.ends_with("OPTION") {
                return s.is_admin(role, other);
            }
            match &*one {
                "USAGE" => s.has_privileges_of(role, other),
                "SET" => s.can_set(role, other),
                _ => s.is_member(role, other),
            }
        };
        Ok(Some(privileges.split(',').any(has)))
    }

    /// The kind of an object and its OID, if there is one of that name.
    fn object<'t>(&self, target: &'t PrivilegeTarget) -> Result<(&'t str, Option<u32>), SqlError> {
        Ok(match target {
            PrivilegeTarget::Column(of, _) => ("column", self.object(of)?.1),
            PrivilegeTarget::Oid(kind, oid) => (kind, Some(*oid)),
            PrivilegeTarget::Name(kind, name) => (kind, Some(self.named(kind, name)?)),
        })
    }

    fn named(&self, kind: &str, name: &str) -> Result<u32, SqlError> {
        let reg = |ty, name: &str| -> Result<u32, SqlError> {
            reg_oid(self.catalog, self.path, self.current, ty, name)?.ok_or_else(|| missing(ty, name))
        };
        let relation = |name: &str| relation_oid(self.catalog, self.path, self.current, name);
        let none =
            |what: &str| undefined(SqlState::UNDEFINED_OBJECT, format!("{what} \"{name}\" does not exist"));
        match kind {
            "table" | "column" | "sequence" => relation(name),
            "schema" => self.catalog.schema_named(name).map(|s| s.oid).ok_or_else(|| {
                undefined(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"))
            }),
            "database" => self.catalog.database_named(name).map(|d| d.oid).ok_or_else(|| {
                let message = format!("database \"{name}\" does not exist");
                undefined(SqlState::INVALID_CATALOG_NAME, message)
            }),
            "function" => {
                let plain = name.split('(').next().unwrap_or(name);
                let of = |ty, name| reg_oid(self.catalog, self.path, self.current, ty, name);
                // Privileges are those of all functions of the name.
                match of(Type::Regprocedure, name)?.and(of(Type::Regproc, plain)?) {
                    Some(oid) => Ok(oid),
                    None => {
                        let message = format!("function \"{name}\" does not exist");
                        Err(undefined(SqlState::UNDEFINED_FUNCTION, message))
                    }
                }
            }
            "type" => reg(Type::Regtype, name),
            "language" => match name {
                "internal" => Ok(12),
                "c" => Ok(13),
                "sql" => Ok(14),
                _ => Err(none("language")),
            },
            "server" | "foreign-data wrapper" => Err(none(kind)),
            _ => match name {
                "pg_default" => Ok(1663),
                "pg_global" => Ok(1664),
                _ => Err(none("tablespace")),
            },
        }
    }

    /// The kind of object as lists know it; None: there is none with this OID.
    fn class(&self, kind: &str, oid: u32) -> Result<Option<Class>, SqlError> {
        let there = |yes: bool, class| Ok(yes.then_some(class));
        match kind {
            "table" => Ok(self.catalog.relation(oid).map(|r| class_of(&r))),
            "sequence" => match self.catalog.relation(oid) {
                Some(Relation::Sequence(_)) => Ok(Some(Class::Sequence)),
                Some(r) => {
                    let message = format!("\"{}\" is not a sequence", r.name());
                    Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message))
                }
                None => Ok(None),
            },
            "schema" => there(self.catalog.schema(oid).is_some(), Class::Schema),
            "database" => there(self.catalog.database_row(oid).is_some(), Class::Database),
            "function" => there(crate::catalog::views::types::function_name(oid).is_some(), Class::Function),
            "type" => there(
                Type::from_stored_oid(oid)
                    .is_some_and(|t| t.user_oid().is_none_or(|oid| self.catalog.user_type(oid).is_some())),
                Class::Type,
            ),
            "language" => there((12..=14).contains(&oid), Class::Language),
            "server" | "foreign-data wrapper" => Ok(None),
            _ => there(matches!(oid, 1663 | 1664), Class::Tablespace),
        }
    }

    fn column(&self, relation: &Relation, column: &PrivilegeColumn) -> Result<Option<i16>, SqlError> {
        let names: Vec<(i16, &str)> = match relation {
            Relation::Table(t) => t.live_columns().map(|(n, c)| (n as i16 + 1, &*c.name)).collect(),
            Relation::View(v) => {
                v.columns.iter().enumerate().map(|(n, c)| (n as i16 + 1, &*c.name)).collect()
            }
            Relation::Virtual(v) => v.columns.iter().enumerate().map(|(n, c)| (n as i16 + 1, c.0)).collect(),
            _ => Vec::new(),
        };
        match column {
            PrivilegeColumn::Number(n) => Ok(names.iter().any(|c| c.0 == *n).then_some(*n)),
            PrivilegeColumn::Name(name) => {
                let found = names.iter().find(|c| c.1 == name).map(|c| Some(c.0));
                found.ok_or_else(|| {
                    let relation = relation.name();
                    let message = format!("column \"{name}\" of relation \"{relation}\" does not exist");
                    undefined(SqlState::UNDEFINED_COLUMN, message)
                })
            }
        }
    }
}

fn class_of(relation: &Relation) -> Class {
    match relation {
        Relation::Sequence(_) => Class::Sequence,
        _ => Class::Table,
    }
}

/// The privileges of a list, any of which will do.
fn wanted(list: &str) -> Privileges {
    let mut all = 0;
    for one in list.split(',') {
        let one = one.trim().to_ascii_uppercase();
        all |= match one.strip_suffix(" WITH GRANT OPTION") {
            Some(name) => acl::options_for(acl::privilege_named(name.trim()).unwrap_or(0)),
            None => acl::privilege_named(&one).unwrap_or(0),
        };
    }
    all
}
