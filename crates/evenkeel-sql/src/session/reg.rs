//! Names of objects and their OIDs: what the types of OIDs are read from and shown as.
//!
//! Must not know: the session.

use crate::bind::types::named_type;
use crate::catalog::security::acl::{self, Class};
use crate::catalog::views::{self, signatures, type_io};
use crate::catalog::{Catalog, NamedType, is_domain_array, relation_of_row_type};
use crate::parse::cursor::{Of, of_another_database};
use crate::parse::parse_type;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::user::{Attributes, is_database};
use evenkeel_types::{ObjectKind, RegNames, Type, quote_ident, split_qualified};
use parking_lot::Mutex;
use std::sync::Arc;

/// Names of objects, shared with the format options.
pub(super) struct Names {
    /// With the search path, and who looks names up.
    pub catalog: Mutex<(Arc<Catalog>, Vec<u32>, u32)>,
    /// What the transaction's definitions came to, if it has made any.
    pub committed: Mutex<Option<Arc<Catalog>>>,
    /// The name of the database, which nobody changes while somebody is in it.
    pub database: String,
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

    fn named_type(&self, name: &str) -> Result<(Type, i32, Option<u32>), SqlError> {
        let guard = self.catalog.lock();
        let NamedType { ty, typmod, domain } = type_of(&guard.0, &guard.1, name)?;
        Ok((ty, typmod, domain))
    }

    fn is_database(&self, name: &str) -> bool {
        name == self.database
    }

    fn enum_label(&self, oid: u32, value: u64) -> Option<String> {
        let guard = self.catalog.lock();
        guard.0.user_type(oid)?.labels.iter().find(|l| l.0 == value).map(|l| l.1.clone())
    }

    fn enum_values(&self, oid: u32) -> Vec<u64> {
        let guard = self.catalog.lock();
        guard.0.user_type(oid).map(|t| t.labels.iter().map(|l| l.0).collect()).unwrap_or_default()
    }

    fn base_of_domain(&self, oid: u32) -> Option<u32> {
        Some(self.catalog.lock().0.domain(oid)?.1.ty.oid())
    }

    fn attributes(&self, oid: u32) -> Option<Attributes> {
        self.catalog.lock().0.user_type(oid)?.attributes.clone()
    }

    fn is_new_value(&self, oid: u32, value: u64) -> bool {
        let committed = self.committed.lock();
        let known = committed.as_ref().and_then(|c| c.user_type(oid));
        known.is_some_and(|t| !t.labels.iter().any(|l| l.0 == value))
    }

    fn enum_value(&self, oid: u32, label: &str) -> Option<u64> {
        self.catalog.lock().0.user_type(oid)?.value(label)
    }
}

pub(super) fn missing(ty: Type, name: &str) -> SqlError {
    // Names of relations, types, schemas and roles are told as they were understood, others as they were spelled.
    let understood = match ty {
        Type::Regclass | Type::Regtype | Type::Regnamespace | Type::Regrole => {
            split_qualified(name).map(|parts| parts.join("."))
        }
        _ => None,
    };
    let name = understood.as_deref().unwrap_or(name);
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
        Type::Regprocedure => {
            SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("function \"{name}\" does not exist"))
        }
        Type::Regoper | Type::Regoperator => {
            SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("operator does not exist: {name}"))
        }
        Type::Regcollation => {
            let why = format!("collation \"{name}\" for encoding \"UTF8\" does not exist");
            SqlError::new(SqlState::UNDEFINED_OBJECT, why)
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
    if let Some(Ok(oid)) = name.starts_with(|c: char| c.is_ascii_digit()).then(|| name.parse::<u32>()) {
        return Ok(Some(oid));
    }
    if name.trim() == "-" {
        return Ok(Some(0));
    }
    if matches!(ty, Type::Regprocedure | Type::Regoperator) {
        return with_types(name, |n| reg_oid(catalog, path, role, Type::Regtype, n), ty);
    }
    if ty == Type::Regoper {
        let found = signatures::operators(operator_name(name));
        return match found[..] {
            [] => Ok(None),
            [oid] => Ok(Some(oid)),
            _ => {
                let why = format!("more than one operator named {name}");
                Err(SqlError::new(SqlState::AMBIGUOUS_FUNCTION, why))
            }
        };
    }
    let (name, brackets) = match name.trim_end().strip_suffix("[]") {
        Some(element) if ty == Type::Regtype => (element, "[]"),
        _ => (name, ""),
    };
    let mut names = split_qualified(name)
        .or_else(|| (ty == Type::Regtype).then(|| vec![name.trim().to_lowercase()]))
        .ok_or_else(|| SqlError::new(SqlState::INVALID_NAME, "invalid name syntax"))?;
    let last = names.pop().unwrap_or_default() + brackets;
    let schema = names.pop();
    if matches!(ty, Type::Regnamespace | Type::Regrole) && schema.is_some() {
        return Err(SqlError::new(SqlState::INVALID_NAME, "invalid name syntax"));
    }
    if ty == Type::Regclass && names.len() > 1 {
        let why = format!("improper relation name (too many dotted names): {name}");
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
    }
    if let ([database], Some(schema)) = (&names[..], &schema)
        && !is_database(database)
    {
        let of = if ty == Type::Regclass { Of::Relation } else { Of::Other };
        return Err(of_another_database(&format!("{database}.{schema}.{last}"), of));
    }
    if ty == Type::Regclass
        && let Some(s) = schema.as_ref().and_then(|s| catalog.schema_named(s))
        && catalog.security().mask(role, s.oid, Class::Schema, acl::USAGE) == 0
    {
        return Err(acl::denied("schema", &s.name));
    }
    Ok(match ty {
        Type::Regclass => match catalog.resolve(schema.as_deref(), &last, path)? {
            Some(relation) => Some(relation.oid()),
            None => {
                let of_type = catalog.type_named(schema.as_deref(), &last, path);
                of_type.and_then(|t| catalog.user_type(t.ty.user_oid()?)?.class_oid())
            }
        },
        Type::Regnamespace => catalog.schema_named(&last).map(|s| s.oid),
        Type::Regrole => catalog.security().role_named(&last).map(|r| r.oid),
        Type::Regproc => views::types::function_oid(&last),
        Type::Regcollation => catalog.collation_oid(schema.as_deref(), &last, path),
        Type::Regtype => {
            let own = || {
                let (base, is_array) = match last.strip_suffix("[]") {
                    Some(base) => (base, true),
                    None => (&*last, false),
                };
                let found = catalog.type_named(schema.as_deref(), base, path)?;
                match found.domain.filter(|d| is_array && !is_domain_array(*d)) {
                    Some(domain) => Some(domain + 1),
                    None if is_array => Some(found.ty.array_of()?.oid()),
                    None => Some(found.oid()),
                }
            };
            // What is in another schema is none of PostgreSQL's own.
            let is_of_system = schema.as_deref().is_none_or(|s| s == "pg_catalog");
            let builtin = Type::from_name(&format!("{}{brackets}", name.trim().to_lowercase()))
                .or_else(|| Type::from_name(&last))
                .filter(|_| is_of_system);
            let alone = || type_io::oid_of_name_alone(&last);
            let row = || catalog.row_type_named(schema.as_deref(), &last, path);
            match builtin.map(Type::oid).or_else(alone).or_else(own).or_else(row) {
                None if is_more_than_a_name(name) => {
                    let NamedType { ty, domain, .. } = type_of(catalog, path, &format!("{name}{brackets}"))?;
                    Some(domain.unwrap_or_else(|| ty.oid()))
                }
                None => match catalog.missing_schema(schema.as_deref(), path) {
                    Some(e) => return Err(e),
                    None => None,
                },
                found => found,
            }
        }
        _ => None,
    })
}

/// The OID of a relation that has to be there.
pub(super) fn relation_oid(catalog: &Catalog, path: &[u32], role: u32, name: &str) -> Result<u32, SqlError> {
    if let Some(oid) = reg_oid(catalog, path, role, Type::Regclass, name)? {
        return Ok(oid);
    }
    let parts = split_qualified(name).unwrap_or_default();
    let schema = parts.len().checked_sub(2).and_then(|n| parts.get(n));
    let no_schema = catalog.missing_schema(schema.map(String::as_str), path);
    Err(no_schema.unwrap_or_else(|| missing(Type::Regclass, name)))
}

/// Whether a type's name can be one in SQL only, with a modifier or words behind it.
fn is_more_than_a_name(name: &str) -> bool {
    let name = name.trim();
    name.is_empty()
        || name.contains(['(', '['])
        || (name.contains(char::is_whitespace) && !name.contains('"'))
}

/// A type by its name as SQL has it, and the modifier that the name has.
fn type_of(catalog: &Catalog, path: &[u32], name: &str) -> Result<NamedType, SqlError> {
    if name.trim().is_empty() {
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("invalid type name \"{name}\"")));
    }
    named_type(&parse_type(name)?, Some((catalog, path)))
}

pub(super) fn reg_name(catalog: &Catalog, path: &[u32], ty: Type, oid: u32) -> Option<String> {
    match ty {
        Type::Regclass => match catalog.relation(oid) {
            Some(relation) => Some(catalog.qualified_name(&relation, path)),
            None => catalog.type_name(catalog.composite_of_class(oid)?.oid, path),
        },
        Type::Regnamespace => catalog.schema(oid).map(|s| quote_ident(&s.name)),
        Type::Regproc => views::types::function_name(oid).map(str::to_owned),
        Type::Regprocedure => signatures::shown_function(oid),
        Type::Regoper => signatures::shown_name(oid),
        Type::Regoperator => signatures::shown_operator(oid),
        Type::Regcollation => catalog.has_collation(oid).then(|| catalog.shown_collation(oid, path)),
        Type::Regrole => catalog.security().role(oid).map(|r| quote_ident(&r.name)),
        Type::Regtype => match Type::from_oid(oid) {
            Some(t) if t.is_of_extension() => {
                let name = catalog.type_name(t.kept_oid()?, path)?;
                Some(if t.is_array() { format!("{name}[]") } else { name })
            }
            Some(t) => Some(t.sql_name().into_owned()),
            None => type_io::name_alone(oid).or_else(|| catalog.row_type_name(oid, path)).or_else(|| {
                match Type::from_stored_oid(oid)? {
                    Type::EnumArray(oid) | Type::CompositeArray(oid) => {
                        Some(format!("{}[]", catalog.type_name(oid, path)?))
                    }
                    _ => catalog.type_name(oid, path),
                }
            }),
        },
        _ => None,
    }
}

/// An operator's name without its schema.
fn operator_name(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix("pg_catalog.").unwrap_or(name)
}

/// What a name with types in parentheses denotes, as `lower(text)` and `-(NONE,integer)`.
fn with_types(
    name: &str,
    oid_of_type: impl Fn(&str) -> Result<Option<u32>, SqlError>,
    ty: Type,
) -> Result<Option<u32>, SqlError> {
    let (bare, list) =
        match name.split_once('(').and_then(|(n, l)| Some((n, l.trim_end().strip_suffix(')')?))) {
            Some(parts) => parts,
            None => {
                let why = "expected a left parenthesis";
                return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why));
            }
        };
    let mut types = Vec::new();
    for text in list.split(',').map(str::trim).filter(|t| !t.is_empty()) {
        types.push(match text {
            none if ty == Type::Regoperator && none.eq_ignore_ascii_case("none") => 0,
            _ => oid_of_type(text)?.ok_or_else(|| missing(Type::Regtype, text))?,
        });
    }
    if ty == Type::Regoperator {
        return match types[..] {
            [left, right] => Ok(signatures::operator(operator_name(bare), [left, right])),
            [_] => Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, "missing argument")
                .with_hint("Use NONE to denote the missing argument of a unary operator.")),
            _ => Err(SqlError::new(SqlState::TOO_MANY_ARGUMENTS, "too many arguments")
                .with_hint("Provide two argument types for operator.")),
        };
    }
    let mut names =
        split_qualified(bare).ok_or_else(|| SqlError::new(SqlState::INVALID_NAME, "invalid name syntax"))?;
    Ok(signatures::function(&names.pop().unwrap_or_default(), &types))
}

/// Whether an object is found by its name alone; None: there is none.
pub(super) fn is_visible(catalog: &Catalog, path: &[u32], kind: ObjectKind, oid: u32) -> Option<bool> {
    match kind {
        ObjectKind::Table => {
            if let Some(t) = catalog.composite_of_class(oid) {
                return is_visible(catalog, path, ObjectKind::Type, t.oid);
            }
            let r = catalog.relation(oid)?;
            let found = catalog.resolve(None, r.name(), path).ok().flatten();
            Some(found.is_some_and(|f| f.oid() == oid))
        }
        ObjectKind::Statistics => {
            let (_, s) = catalog.extended_statistics_of(oid)?;
            let found = catalog.extended_statistics_named(None, &s.name, path);
            Some(found.is_some_and(|(_, f)| f.oid == oid))
        }
        ObjectKind::Type => match Type::from_oid(oid) {
            Some(ty) if ty.is_of_extension() => {
                Some(catalog.type_named(None, &ty.pg_name(), path).is_some_and(|n| n.oid() == oid))
            }
            Some(_) => Some(true),
            None if views::type_io::name_alone(oid).is_some() => Some(true),
            None if relation_of_row_type(oid).is_some() => catalog.row_type_is_visible(oid, path),
            None => {
                let of = Type::from_stored_oid(oid)?;
                let t = catalog.user_type(of.user_oid()?)?;
                Some(catalog.is_found_alone(t.oid, &t.name, path))
            }
        },
        ObjectKind::Collation => {
            let found = catalog.collation_oid(None, &catalog.collation_name(oid), path);
            catalog.has_collation(oid).then_some(found == Some(oid))
        }
        ObjectKind::Function => views::types::function_name(oid).map(|_| true),
        _ => Some(true),
    }
}
