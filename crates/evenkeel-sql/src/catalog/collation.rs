//! Collations that users make, the collations of columns, and what collations are called.
//!
//! In kept texts a collation that a user made stands as `"@"."c16384"`, by its OID, as types do.
//!
//! Must not know: how texts are compared.

use super::{Catalog, ColumnDef, PG_CATALOG_OID};
use evenkeel_types::collation::{
    C_OID, DEFAULT_OID, Letters, locale_of_libc, predefined_name, predefined_oid,
};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Collation, Type, quote_ident};
use std::sync::Arc;

/// What stands before a collation's OID in kept texts.
pub(super) const MARK: &str = "\"@\".\"c";

/// A collation that a user made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCollation {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// Whose rules it has, as in `pg_collation`: `c` the C library's, `i` ICU's, `b` none.
    pub provider: char,
    /// Its locale; of the C library's `LC_COLLATE`.
    pub locale: String,
    /// Of the C library's: `LC_CTYPE`.
    pub ctype: String,
    /// Texts are equal only if their bytes are.
    pub is_deterministic: bool,
    /// The version of the rules that it was made with, or refreshed.
    pub version: Option<String>,
}

impl UserCollation {
    /// How it orders texts.
    ///
    /// # Errors
    /// 22023, 42809, 0A000: there are no such rules.
    pub fn collation(&self) -> Result<Collation, SqlError> {
        let locale = match self.provider {
            'i' => Some(self.locale.clone()),
            'c' => locale_of_libc(&self.locale)?,
            _ => None,
        };
        match locale {
            Some(l) if !self.is_deterministic => Collation::nondeterministic(self.oid, &l),
            Some(l) => Collation::of_locale(self.oid, &l),
            None => {
                let name = if self.provider == 'c' { &self.ctype } else { &self.locale };
                Ok(Collation::with_letters(self.oid, Letters::of_locale(name)))
            }
        }
    }
}

/// A collation's name as it is written in texts that are kept.
pub fn collation_text(c: Collation) -> String {
    match predefined_name(c.oid) {
        Some(name) => quote_ident(name),
        None => format!("{MARK}{}\"", c.oid),
    }
}

impl Catalog {
    /// Collations that users made.
    pub fn collations(&self) -> impl Iterator<Item = &Arc<UserCollation>> {
        self.collations.values()
    }

    /// One by its OID.
    pub fn user_collation(&self, oid: u32) -> Option<&Arc<UserCollation>> {
        self.collations.get(oid)
    }

    /// One by schema and name.
    pub fn collation_in(&self, schema: u32, name: &str) -> Option<&Arc<UserCollation>> {
        self.collations.values().find(|c| c.schema == schema && c.name == name)
    }

    /// Whether there is a collation with an OID.
    pub fn has_collation(&self, oid: u32) -> bool {
        predefined_name(oid).is_some() || self.user_collation(oid).is_some()
    }

    /// A collation's own name.
    pub fn collation_name(&self, oid: u32) -> String {
        match (predefined_name(oid), self.user_collation(oid)) {
            (Some(name), _) => name.to_owned(),
            (None, Some(c)) => c.name.clone(),
            (None, None) => oid.to_string(),
        }
    }

    /// A collation's name as it is shown: with its schema if the path does not find it.
    pub fn shown_collation(&self, oid: u32, path: &[u32]) -> String {
        let name = quote_ident(&self.collation_name(oid));
        let Some(c) = self.user_collation(oid) else { return name };
        if self.collation_oid(None, &c.name, path) == Some(oid) {
            return name;
        }
        let schema = self.schema(c.schema).map_or("?", |s| &s.name);
        format!("{}.{name}", quote_ident(schema))
    }

    /// Whether a kept text names a collation.
    pub fn text_has_collation(text: &str, oid: u32) -> bool {
        text.contains(&format!("{MARK}{oid}\""))
    }

    /// The collation that a column's values are compared in.
    pub fn column_collation(&self, c: &ColumnDef) -> Collation {
        match c.settings.collation {
            0 if c.ty == Type::Name => Collation::bytewise(C_OID),
            0 => self.default_collation,
            oid => self.collation(oid).unwrap_or_default(),
        }
    }

    /// OID of a collation by its name.
    pub fn collation_oid(&self, schema: Option<&str>, name: &str, path: &[u32]) -> Option<u32> {
        let within = |schema: u32| match schema {
            PG_CATALOG_OID => predefined_oid(name),
            schema => self.collation_in(schema, name).map(|c| c.oid),
        };
        match schema {
            None => path.iter().copied().find_map(within),
            Some("@") => name.strip_prefix('c')?.parse().ok().filter(|oid| self.has_collation(*oid)),
            Some(s) => within(self.schema_named(s)?.oid),
        }
    }

    /// A collation by its name.
    pub fn collation_named(&self, schema: Option<&str>, name: &str, path: &[u32]) -> Option<Collation> {
        self.collation(self.collation_oid(schema, name, path)?)
    }

    /// A collation by its OID.
    pub fn collation(&self, oid: u32) -> Option<Collation> {
        match oid {
            DEFAULT_OID => Some(self.default_collation),
            oid => match self.user_collation(oid) {
                Some(c) => c.collation().ok(),
                None => Collation::predefined(oid),
            },
        }
    }
}
