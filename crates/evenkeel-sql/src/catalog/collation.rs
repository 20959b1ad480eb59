//! The collations of columns, and what collations are called.
//!
//! Must not know: how texts are compared.

use super::{Catalog, ColumnDef};
use evenkeel_types::collation::{C_OID, predefined_name, predefined_oid};
use evenkeel_types::{Collation, Type, quote_ident};

/// A collation's name as it is written.
pub fn collation_text(c: Collation) -> String {
    match predefined_name(c.oid) {
        Some(name) => quote_ident(name),
        None => format!("\"@\".\"c{}\"", c.oid),
    }
}

impl Catalog {
    /// Whether there is a collation with an OID.
    pub fn has_collation(&self, oid: u32) -> bool {
        predefined_name(oid).is_some()
    }

    /// A collation's name as it is shown.
    pub fn shown_collation(&self, oid: u32, _path: &[u32]) -> String {
        predefined_name(oid).map_or_else(|| oid.to_string(), quote_ident)
    }

    /// The collation that a column's values are compared in.
    pub fn column_collation(&self, c: &ColumnDef) -> Collation {
        match c.settings.collation {
            0 if c.ty == Type::Name => Collation::bytewise(C_OID),
            0 => self.default_collation,
            oid => self.collation(oid).unwrap_or_default(),
        }
    }

    /// A collation by its name.
    pub fn collation_named(&self, schema: Option<&str>, name: &str, _path: &[u32]) -> Option<Collation> {
        match schema {
            None | Some("pg_catalog") => self.collation(predefined_oid(name)?),
            Some(_) => None,
        }
    }

    /// A collation by its OID.
    pub fn collation(&self, oid: u32) -> Option<Collation> {
        match oid {
            evenkeel_types::collation::DEFAULT_OID => Some(self.default_collation),
            oid => Collation::predefined(oid),
        }
    }
}
