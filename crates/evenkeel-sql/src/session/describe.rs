//! Objects by the catalog that they are in and their OID, in words: `pg_describe_object`.
//!
//! Must not know: the session.

use super::reg::reg_name;
use crate::catalog::views::{self, class_oid, classes, opclass, stored};
use crate::catalog::{Catalog, Relation, noun_of};
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};

/// What has objects that there are none of here.
const EMPTY: [u32; 20] = [
    826, 1213, 1261, 1417, 1418, 2328, 2602, 2603, 2607, 2620, 3256, 3381, 3466, 3576, 3600, 3601, 3602,
    3764, 6100, 6104,
];
pub(super) const PROC: u32 = 1255;
pub(super) const AM: u32 = 2601;
pub(super) const CAST: u32 = 2605;
pub(super) const LANGUAGE: u32 = 2612;
const LARGE_OBJECT: u32 = 2613;
const OPCLASS: u32 = 2616;
pub(super) const OPERATOR: u32 = 2617;
const OPFAMILY: u32 = 2753;

/// An object, or one of its columns; None: it is not there.
pub(super) fn describe(
    catalog: &Catalog,
    path: &[u32],
    (class, oid, part): (u32, u32, i32),
) -> Result<Option<String>, SqlError> {
    let named = |noun: &str, ty: Type| reg_name(catalog, path, ty, oid).map(|name| format!("{noun} {name}"));
    let column = |of: &str, name: &str| format!("column {name} of {of}");
    Ok(match class {
        class_oid::RELATION => {
            let of = relation(catalog, path, oid);
            match (of, usize::try_from(part - 1)) {
                (of, _) if part == 0 => of.map(|of| of.0),
                (Some((of, columns)), Ok(n)) => columns.get(n).map(|name| column(&of, name)),
                _ => None,
            }
        }
        class_oid::TYPE => named("type", Type::Regtype),
        PROC => named("function", Type::Regprocedure),
        OPERATOR => named("operator", Type::Regoperator),
        class_oid::NAMESPACE => catalog.schema(oid).map(|s| format!("schema {}", s.name)),
        class_oid::ROLE => catalog.security().role(oid).map(|r| format!("role {}", r.name)),
        class_oid::DATABASE => {
            catalog.databases().find(|d| d.oid == oid).map(|d| format!("database {}", d.name))
        }
        class_oid::EXTENSION => {
            let own = catalog.extensions().find(|e| e.oid == oid).map(|e| e.name.as_str());
            let built_in = (oid == views::extensions::PLPGSQL_OID).then_some("plpgsql");
            own.or(built_in).map(|name| format!("extension {name}"))
        }
        class_oid::ATTRDEF => catalog.tables().find_map(|t| {
            let is_it = |n: &usize| classes::attrdef_oid(t.oid, *n) == oid;
            let n = t.live_columns().filter(|(_, c)| c.default.is_some()).map(|(n, _)| n).find(is_it)?;
            let of = relation(catalog, path, t.oid)?.0;
            Some(format!("default value for {}", column(&of, &t.columns[n].name)))
        }),
        class_oid::CONSTRAINT => constraint(catalog, path, oid),
        class_oid::REWRITE => {
            relation(catalog, path, stored::rule_oid(oid)).map(|(of, _)| format!("rule _RETURN on {of}"))
        }
        OPCLASS | OPFAMILY => opclass::named(class == OPFAMILY, oid).map(|(name, method)| {
            let noun = if class == OPFAMILY { "operator family" } else { "operator class" };
            format!("{noun} {name} for access method {method}")
        }),
        class_oid::COLLATION => named("collation", Type::Regcollation),
        AM => opclass::method_named(oid).map(|name| format!("access method {name}")),
        LANGUAGE => views::types::language_named(oid).map(|name| format!("language {name}")),
        CAST => views::casts::between(oid).and_then(|(from, to)| {
            let name = |ty| reg_name(catalog, path, Type::Regtype, ty);
            Some(format!("cast from {} to {}", name(from)?, name(to)?))
        }),
        LARGE_OBJECT => Some(format!("large object {oid}")),
        class if EMPTY.contains(&class) => None,
        class => {
            let message = format!("unsupported object class: {class}");
            return Err(SqlError::new(SqlState::INTERNAL_ERROR, message));
        }
    })
}

/// A relation and the names of its columns; those that were dropped have none.
fn relation(catalog: &Catalog, path: &[u32], oid: u32) -> Option<(String, Vec<String>)> {
    if let Some(t) = catalog.composite_of_class(oid) {
        let columns = t.attributes.iter().flat_map(|l| l.iter()).map(|a| a.name.clone()).collect();
        return Some((format!("composite type {}", catalog.type_name(t.oid, path)?), columns));
    }
    let r = catalog.relation(oid)?;
    let columns = match &r {
        Relation::Table(t) => t.columns.iter().map(|c| c.name.clone()).collect(),
        Relation::View(v) => v.columns.iter().map(|c| c.name.clone()).collect(),
        Relation::Virtual(v) => v.columns.iter().map(|c| c.0.to_owned()).collect(),
        Relation::Index(..) | Relation::Sequence(_) => Vec::new(),
    };
    Some((format!("{} {}", noun_of(&r), catalog.qualified_name(&r, path)), columns))
}

/// A constraint of a table: the table's OID, and the name.
pub(super) fn constraint_of_table(catalog: &Catalog, oid: u32) -> Option<(u32, &String)> {
    catalog.tables().find_map(|t| {
        let index = t.indexes.iter().find(|i| i.constraint == Some(oid)).map(|i| &i.name);
        let check = || t.checks.iter().find(|c| c.oid == oid).map(|c| &c.name);
        let key = || t.foreign_keys.iter().find(|f| f.oid == oid).map(|f| &f.name);
        let not_null = || t.not_nulls.iter().find(|n| n.oid == oid).map(|n| &n.name);
        Some((t.oid, index.or_else(check).or_else(key).or_else(not_null)?))
    })
}

fn constraint(catalog: &Catalog, path: &[u32], oid: u32) -> Option<String> {
    if let Some((table, name)) = constraint_of_table(catalog, oid) {
        return Some(format!("constraint {name} on {}", relation(catalog, path, table)?.0));
    }
    let of_domain = |t: &crate::catalog::UserType| {
        let d = t.domain.as_ref()?;
        d.checks.iter().find(|c| c.oid == oid).map(|c| format!("constraint {}", c.name))
    };
    catalog.types().find_map(|t| of_domain(t))
}
