//! Composite types: CREATE TYPE … AS (…), and what ALTER TYPE does with attributes.
//!
//! A row that is stored has the types of its fields with it, but not which attribute each was of. So the attributes of a type whose rows may be stored stay as they are.
//!
//! Invariants:
//! 1. No composite type has itself among its attributes, however deep.
//! 2. What becomes a row of a type is checked by whoever binds that (`bind::domain`), where attributes are of domains: the types' own input does not.
//!
//! Must not know: how rows are stored.

use crate::bind::types::{named_type, of_pseudo};
use crate::catalog::{Catalog, NamedType, UserType, domain_itself, is_domain_array};
use crate::parse::{AttributeChange, Name};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::ty::FIRST_COMPOSITE_OID;
use evenkeel_types::user::Attribute;
use sqlparser::ast::DataType;
use std::sync::Arc;

/// Most attributes that a type has.
const ATTRIBUTES_MAX: usize = 1600;

impl Session {
    pub(super) fn create_composite(
        &mut self,
        name: &Name,
        list: &[(String, DataType)],
    ) -> Result<(), SqlError> {
        let (schema, name) = self.new_name(name)?;
        self.take_type_name(schema, &name)?;
        if self.catalog.relation_in(schema, &name).is_some() {
            let why = format!("relation \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_TABLE, why));
        }
        let mut attributes = Vec::with_capacity(list.len());
        for (attribute, ty) in list {
            self.add_attribute(&mut attributes, attribute, ty)?;
        }
        self.begin_definition()?;
        let oid = self.instance.store.new_type_oid()? + FIRST_COMPOSITE_OID;
        self.put_type(UserType {
            oid,
            schema,
            name,
            labels: Vec::new(),
            domain: None,
            attributes: Some(attributes.into()),
        })
    }

    fn add_attribute(&mut self, to: &mut Vec<Attribute>, name: &str, ty: &DataType) -> Result<(), SqlError> {
        let named = self.attribute_type(name, ty)?;
        if to.iter().any(|a| a.name == name) {
            let why = format!("column \"{name}\" specified more than once");
            return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
        }
        if to.len() == ATTRIBUTES_MAX {
            let why = format!("tables can have at most {ATTRIBUTES_MAX} columns");
            return Err(SqlError::new(SqlState::TOO_MANY_COLUMNS, why));
        }
        let NamedType { ty, typmod, domain } = named;
        to.push(Attribute { name: name.to_owned(), ty, typmod, domain });
        Ok(())
    }

    fn attribute_type(&mut self, name: &str, ty: &DataType) -> Result<NamedType, SqlError> {
        let named = named_type(ty, Some((&self.catalog, self.search_path())));
        let named = named.map_err(|e| of_pseudo(e, name, ty))?;
        if named.ty.is_pseudo() {
            let why = format!("column \"{name}\" has pseudo-type {}", named.ty.sql_name());
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        self.share_named(named)?;
        Ok(named)
    }

    /// What ALTER TYPE makes of a composite type's attributes.
    pub(super) fn change_attributes(
        &mut self,
        t: &mut UserType,
        changes: &[AttributeChange],
    ) -> Result<(), SqlError> {
        let Some(attributes) = &t.attributes else {
            let why = format!("\"{}\" is not a composite type", t.name);
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        };
        if self.catalog.tables().any(|table| table.marks.of_type == t.oid) {
            let why = format!("cannot alter type \"{}\" because it is the type of a typed table", t.name);
            return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why)
                .with_hint("Use ALTER ... CASCADE to alter the typed tables too."));
        }
        if self.is_stored(t) {
            let why =
                format!("ALTER TYPE of attributes of type \"{}\", which columns or views have,", t.name);
            return Err(SqlError::unsupported(why + " is not supported")
                .with_hint("Make a new type, and change the columns' type with ALTER TABLE ... ALTER COLUMN ... TYPE ... USING."));
        }
        let mut list: Vec<Attribute> = attributes.to_vec();
        let missing = |name: &str| {
            let why = format!("column \"{name}\" of relation \"{}\" does not exist", t.name);
            SqlError::new(SqlState::UNDEFINED_COLUMN, why)
        };
        let place = |list: &[Attribute], name: &str| list.iter().position(|a| a.name == name);
        for change in changes {
            match change {
                AttributeChange::Add(name, ty) => {
                    if place(&list, name).is_some() {
                        let why = format!("column \"{name}\" of relation \"{}\" already exists", t.name);
                        return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
                    }
                    self.add_attribute(&mut list, name, ty)?;
                }
                AttributeChange::Drop { name, if_exists } => match place(&list, name) {
                    Some(at) => drop(list.remove(at)),
                    None if *if_exists => {
                        let why =
                            format!("column \"{name}\" of relation \"{}\" does not exist, skipping", t.name);
                        self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, why);
                    }
                    None => return Err(missing(name)),
                },
                AttributeChange::Type(name, ty) => {
                    let at = place(&list, name).ok_or_else(|| missing(name))?;
                    let named = self.attribute_type(name, ty)?;
                    (list[at].ty, list[at].typmod, list[at].domain) = (named.ty, named.typmod, named.domain);
                }
                AttributeChange::Rename(from, to) => {
                    let at = place(&list, from).ok_or_else(|| missing(from))?;
                    if place(&list, to).is_some() {
                        let why = format!("column \"{to}\" of relation \"{}\" already exists", t.name);
                        return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
                    }
                    list[at].name.clone_from(to);
                }
            }
        }
        let within = |a: &Attribute| {
            let of = a.ty.user_oid().and_then(|o| self.catalog.user_type(o));
            of.is_some_and(|o| o.has_within(t.oid, &self.catalog))
        };
        if list.iter().any(within) {
            let why = format!("composite type {} cannot be made a member of itself", t.name);
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        t.attributes = Some(list.into());
        Ok(())
    }

    /// Whether rows of a type may be stored, or a stored query may read its attributes.
    pub(super) fn is_stored(&self, t: &UserType) -> bool {
        let catalog = &self.catalog;
        let has_it = |u: &Arc<UserType>| u.has_within(t.oid, catalog);
        catalog.types().filter(|u| has_it(u)).any(|u| {
            !self.users_of_type(u).is_empty()
                || catalog.stored_queries().any(|(_, q)| Catalog::text_has_type(&q.text, u.oid))
        })
    }

    /// Attributes of a type: of which, their names, and whether they are arrays.
    pub(super) fn attributes_of_type(&self, t: &UserType) -> Vec<(Arc<UserType>, String, bool)> {
        let mut found = Vec::new();
        for of in self.catalog.types() {
            let list = of.attributes.iter().flat_map(|l| l.iter());
            let is_it = |a: &&Attribute| match a.domain {
                Some(domain) => domain_itself(domain) == t.oid,
                None => a.ty.user_oid() == Some(t.oid),
            };
            for a in list.filter(is_it) {
                found.push((of.clone(), a.name.clone(), a.domain.map_or(a.ty.is_array(), is_domain_array)));
            }
        }
        found
    }
}
