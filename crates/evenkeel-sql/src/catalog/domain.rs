//! Domains: types with a default and with constraints, over other types.
//!
//! A value of a domain is a value of its base type, in rows, expressions and messages to clients; what is of the domain's type, a column or a cast, says so beside that.
//!
//! Invariants:
//! 1. `ty` is never a domain: of a domain over a domain it is what that is over.
//! 2. The constraints of the domains below come before a domain's own.
//!
//! Must not know: how constraints are checked.

use super::{Catalog, UserType};
use evenkeel_types::Type;
use std::sync::Arc;

/// What makes a type a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The type that its values are of.
    pub ty: Type,
    /// Its modifier, -1 for none.
    pub typmod: i32,
    /// The domain that it is over.
    pub over: Option<u32>,
    /// Its own NOT NULL constraint: OID and name.
    pub not_null: Option<(u32, String)>,
    /// DEFAULT, as SQL text: its own, or what the domain that it is over had when it was made.
    pub default: Option<String>,
    /// Its own CHECK constraints.
    pub checks: Vec<DomainCheck>,
    /// OID of the collation of COLLATE, or of the domain's that it is over; 0: the type's.
    pub collation: u32,
}

/// A CHECK constraint of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainCheck {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// Over `VALUE`, as SQL text.
    pub expr: String,
    /// All values that there are satisfy it, as far as is known.
    pub validated: bool,
}

/// A type as it is named: of a domain, with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedType {
    /// The type of its values.
    pub ty: Type,
    /// The modifier that a domain gives it, -1 for none.
    pub typmod: i32,
    /// The domain, or, with an odd OID, the array of one.
    pub domain: Option<u32>,
}

/// The domain whose OID, or whose array's, one is.
pub fn domain_itself(oid: u32) -> u32 {
    oid & !1
}

/// Whether an OID is that of a domain's array.
pub fn is_domain_array(oid: u32) -> bool {
    oid % 2 == 1
}

impl NamedType {
    /// OID of the type that was named.
    pub fn oid(&self) -> u32 {
        self.domain.unwrap_or(self.ty.oid())
    }
}

impl Domain {
    /// Whether it has a constraint of a name.
    pub fn has_constraint(&self, name: &str) -> bool {
        self.checks.iter().any(|c| c.name == name) || self.not_null.as_ref().is_some_and(|n| n.1 == name)
    }
}

impl UserType {
    /// The array of a domain, as it is named; those over arrays have none.
    pub fn named_array(&self) -> Option<NamedType> {
        let d = self.domain.as_ref()?;
        Some(NamedType { ty: d.ty.array_of()?, typmod: d.typmod, domain: Some(self.oid + 1) })
    }

    /// As it is named.
    pub fn named(&self) -> NamedType {
        match &self.domain {
            Some(d) => NamedType { ty: d.ty, typmod: d.typmod, domain: Some(self.oid) },
            None => NamedType { ty: self.ty(), typmod: -1, domain: None },
        }
    }
}

impl Catalog {
    /// The domain of a column of a table or of a view, by its number.
    pub fn domain_of_column(&self, relation: u32, number: i16) -> Option<u32> {
        let n = usize::try_from(number.checked_sub(1)?).ok()?;
        match self.view(relation) {
            Some(v) => v.columns.get(n)?.domain,
            None => self.table(relation)?.columns.get(n)?.domain,
        }
    }

    /// A domain by OID.
    pub fn domain(&self, oid: u32) -> Option<(&Arc<UserType>, &Domain)> {
        let t = self.user_type(oid)?;
        Some((t, t.domain.as_deref()?))
    }

    /// A domain and those that it is over, itself first.
    pub fn domain_chain(&self, oid: u32) -> impl Iterator<Item = (&Arc<UserType>, &Domain)> {
        let mut next = self.domain(oid);
        std::iter::from_fn(move || {
            let found = next?;
            next = found.1.over.and_then(|o| self.domain(o));
            Some(found)
        })
    }

    /// What a column of a domain gets when nothing is said.
    pub fn domain_default(&self, oid: u32) -> Option<&str> {
        self.domain(oid)?.1.default.as_deref()
    }

    /// OID of the collation that values of a domain, or of an array of one, have; 0: the type's.
    pub fn domain_collation(&self, domain: Option<u32>) -> u32 {
        domain.and_then(|d| self.domain(domain_itself(d))).map_or(0, |(_, d)| d.collation)
    }

    /// Whether a domain or one that it is over has any constraint.
    pub fn is_constrained(&self, oid: u32) -> bool {
        self.domain_chain(oid).any(|(_, d)| d.not_null.is_some() || !d.checks.is_empty())
    }

    /// Whether a domain is another, or over it.
    pub fn is_over(&self, oid: u32, other: u32) -> bool {
        self.domain_chain(oid).any(|(t, _)| t.oid == other)
    }

    /// The domains that have a constraint of an OID.
    pub fn domain_of_constraint(&self, oid: u32) -> Option<(&Arc<UserType>, &Domain)> {
        self.types().find_map(|t| {
            let d = t.domain.as_deref()?;
            let has =
                d.checks.iter().any(|c| c.oid == oid) || d.not_null.as_ref().is_some_and(|n| n.0 == oid);
            has.then_some((t, d))
        })
    }
}
