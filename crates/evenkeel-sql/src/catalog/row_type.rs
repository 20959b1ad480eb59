//! The row types of tables, views and materialized views: each relation has one, of its name, and an array of it, as `pg_class.reltype` and `pg_type` tell.
//!
//! Invariants
//! 1. A row type's OID says which relation it is of: nothing is kept of it. They lie above those of composite types, even ones for types and odd ones for arrays, as theirs.
//!
//! 2. Nothing that is kept is of a row type: who keeps a type (`Session::share_type_oid`), a column or a text refuses it, as a table's columns may change.
//!
//! Must not know: how rows are read.

use super::{Catalog, NamedType, Relation, UserType};
use evenkeel_types::error::SqlError;
use evenkeel_types::user::Attribute;
use evenkeel_types::{Type, quote_ident};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The first OID of row types.
const FIRST_OID: u32 = 1 << 31;

/// OID of a relation's row type; its array's follows it. (1)
pub fn row_type_of(relation: u32) -> u32 {
    FIRST_OID | relation.wrapping_mul(2)
}

/// The relation that a type is the row type of, or of whose rows it is the array.
pub fn relation_of_row_type(oid: u32) -> Option<u32> {
    oid.checked_sub(FIRST_OID).map(|n| n / 2)
}

/// Refuses what is to be kept if it is of a row type, or the array of one. (2)
pub fn check_kept(oid: u32, catalog: &Catalog) -> Result<(), SqlError> {
    match relation_of_row_type(oid).and_then(|relation| catalog.relation(relation)) {
        Some(r) => {
            let why = format!(
                "columns and stored expressions of the row type of \"{}\" are not supported",
                r.name()
            );
            Err(SqlError::unsupported(why))
        }
        None => Ok(()),
    }
}

/// The row types of a version of the catalog as types, once somebody asked for one.
#[derive(Clone, Default)]
pub(super) struct RowTypes(OnceLock<Arc<HashMap<u32, Arc<UserType>>>>);

impl Catalog {
    /// A row type as a type, of a table or a view that users made.
    pub(super) fn row_type(&self, oid: u32) -> Option<&Arc<UserType>> {
        relation_of_row_type(oid)?;
        self.row_types.0.get_or_init(|| Arc::new(self.all_row_types())).get(&oid)
    }

    fn all_row_types(&self) -> HashMap<u32, Arc<UserType>> {
        let made = |relation: u32, schema: u32, name: &str, attributes: Vec<Attribute>| {
            let (oid, attributes) = (row_type_of(relation), Some(attributes.into()));
            let name = name.to_owned();
            (oid, Arc::new(UserType { oid, schema, name, labels: Vec::new(), domain: None, attributes }))
        };
        let attribute =
            |name: &String, ty, typmod, domain| Attribute { name: name.clone(), ty, typmod, domain };
        let tables = self.tables().map(|t| {
            let columns =
                t.live_columns().map(|(_, c)| attribute(&c.name, c.ty, c.typmod, c.domain)).collect();
            made(t.oid, t.schema, &t.name, columns)
        });
        let views = self.views().map(|v| {
            let columns = v.columns.iter().map(|c| attribute(&c.name, c.ty, c.typmod, c.domain)).collect();
            made(v.oid, v.schema, &v.name, columns)
        });
        tables.chain(views).collect()
    }

    /// The row type, or the array of one, of a relation of users in a schema.
    pub(super) fn row_type_in(&self, schema: u32, name: &str) -> Option<NamedType> {
        let of = |name: &str| match self.relation_in(schema, name)? {
            r @ (Relation::Table(_) | Relation::View(_)) => Some(Type::Composite(row_type_of(r.oid()))),
            _ => None,
        };
        let array = || of(name.strip_prefix('_')?)?.array_of();
        of(name).or_else(array).map(|ty| NamedType { ty, typmod: -1, domain: None })
    }

    /// A relation that has a row type: no index and no sequence.
    fn has_rows(&self, oid: u32) -> Option<Relation> {
        self.relation(oid).filter(|r| !matches!(r, Relation::Index(..) | Relation::Sequence(_)))
    }

    /// How texts show a row type or the array of one.
    pub fn row_type_name(&self, oid: u32, path: &[u32]) -> Option<String> {
        let relation = self.has_rows(relation_of_row_type(oid)?)?;
        let brackets = if oid.is_multiple_of(2) { "" } else { "[]" };
        // A type of the name that users made is found first.
        let name = match self.type_named(None, relation.name(), path) {
            None => self.qualified_name(&relation, path),
            Some(found) if found.oid() == oid & !1 => self.qualified_name(&relation, path),
            Some(_) => {
                let schema = self.schema(relation.schema()).map_or("?", |s| &s.name);
                format!("{}.{}", quote_ident(schema), quote_ident(relation.name()))
            }
        };
        Some(name + brackets)
    }

    /// Whether a row type, or the array of one, is found by its name alone.
    pub fn row_type_is_visible(&self, oid: u32, path: &[u32]) -> Option<bool> {
        let relation = self.has_rows(relation_of_row_type(oid)?)?;
        let found = self.resolve(None, relation.name(), path).ok().flatten();
        Some(found.is_some_and(|f| f.oid() == relation.oid()))
    }

    /// OID of the row type of a name, or of the array of one: `t`, `t[]` and `_t`.
    pub fn row_type_named(&self, schema: Option<&str>, name: &str, path: &[u32]) -> Option<u32> {
        let of = |name: &str| {
            let relation = self.resolve(schema, name, path).ok().flatten()?;
            self.has_rows(relation.oid()).map(|r| row_type_of(r.oid()))
        };
        let array = || name.strip_suffix("[]").or_else(|| name.strip_prefix('_'));
        of(name).or_else(|| of(array()?).map(|oid| oid + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oid_says_the_relation() {
        for relation in [16384, 16385, (1 << 30) - 1] {
            let oid = row_type_of(relation);
            assert_eq!(
                (relation_of_row_type(oid), relation_of_row_type(oid + 1)),
                (Some(relation), Some(relation))
            );
        }
        assert_eq!(relation_of_row_type(evenkeel_types::ty::FIRST_COMPOSITE_OID + 16384), None);
    }
}
