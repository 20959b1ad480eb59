//! Databases: all in one engine, with one log and one set of rounds. Each has a catalog of its own (a part of the store); roles and databases belong to all.
//!
//! An object of the first database lies under its kind and OID, as does what belongs to all; one of another database under a mark, the database's OID, its kind and its OID
//! (`codec::key_in`). So OIDs repeat from one database to the next, as in PostgreSQL: each has its `public`, and a copy has what its template has.
//!
//! Invariants:
//! 1. The first database is always there: what the server does by itself runs in it.
//!
//! Must not know: sessions, statements.

use super::{Catalog, Change, Kind, Object, security};
use evenkeel_types::Collation;
use evenkeel_types::collation::{DEFAULT_OID, Letters, locale_of_libc};
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// OID of the first database.
pub const DATABASE_OID: u32 = 5;
/// OID of the database that new ones are copies of.
pub const TEMPLATE1_OID: u32 = 1;
/// OID of the one that stays as it was.
const TEMPLATE0_OID: u32 = 4;
/// `pg_database` and `pg_authid`, as comments name them.
const SHARED_CLASSES: [u32; 2] = [1262, 1260];

/// A database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRow {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// ALLOW_CONNECTIONS
    pub allow_connections: bool,
    /// IS_TEMPLATE
    pub is_template: bool,
    /// CONNECTION LIMIT, -1 for none.
    pub connection_limit: i32,
    /// Its locale.
    pub locale: DatabaseLocale,
}

/// The locale of a database, as it was said. If nothing is, texts are ordered by their bytes and letters are those of Unicode, each with its simple
/// large or small form: what PostgreSQL's builtin provider calls `C.UTF-8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseLocale {
    /// Whose it is, as `pg_database.datlocprovider`.
    pub provider: char,
    /// LC_COLLATE: the order of texts, if the C library is the provider.
    pub collate: String,
    /// LC_CTYPE.
    pub ctype: String,
    /// ICU_LOCALE or BUILTIN_LOCALE.
    pub locale: Option<String>,
}

impl Default for DatabaseLocale {
    fn default() -> DatabaseLocale {
        DatabaseLocale {
            provider: 'b',
            collate: "C".into(),
            ctype: "C".into(),
            locale: Some("C.UTF-8".into()),
        }
    }
}

impl DatabaseLocale {
    /// Names of locales in which texts are ordered by their bytes.
    pub fn is_bytewise_name(locale: &str) -> bool {
        let plain = locale.to_ascii_lowercase().replace('-', "");
        matches!(plain.as_str(), "c" | "posix" | "c.utf8" | "pg_c_utf8" | "pg_unicode_fast" | "default")
    }

    /// Which letters it knows, if texts are ordered by their bytes.
    fn letters(&self) -> Letters {
        match self.provider {
            'b' => self.locale.as_deref().map_or(Letters::Simple, Letters::of_locale),
            _ => Letters::of_locale(&self.ctype),
        }
    }

    /// The order of texts of which nothing else is said.
    ///
    /// # Errors
    /// 22023 if there is no such locale.
    pub fn collation(&self) -> Result<Collation, SqlError> {
        let locale = match self.provider {
            'i' => self.locale.clone(),
            'b' => None,
            _ if DatabaseLocale::is_bytewise_name(&self.collate) => None,
            _ => locale_of_libc(&self.collate)?,
        };
        match locale {
            Some(l) => Collation::of_locale(DEFAULT_OID, &l),
            None => Ok(Collation::with_letters(DEFAULT_OID, self.letters())),
        }
    }
}

impl DatabaseRow {
    /// As CREATE DATABASE makes it if nothing is said.
    pub fn new(oid: u32, name: &str) -> DatabaseRow {
        let name = name.to_owned();
        DatabaseRow {
            oid,
            name,
            allow_connections: true,
            is_template: false,
            connection_limit: -1,
            locale: DatabaseLocale::default(),
        }
    }

    /// What every folder begins with.
    pub fn first_ones() -> [DatabaseRow; 3] {
        let template = |oid, name| DatabaseRow { is_template: true, ..DatabaseRow::new(oid, name) };
        [
            template(TEMPLATE1_OID, "template1"),
            DatabaseRow { allow_connections: false, ..template(TEMPLATE0_OID, "template0") },
            DatabaseRow::new(DATABASE_OID, "postgres"),
        ]
    }
}

impl Change {
    /// Whether what is changed belongs to all databases; `catalog` is as it was before.
    pub fn is_shared(&self, catalog: &Catalog) -> bool {
        let of_database = |oid: u32| catalog.database_row(oid).is_some();
        let class_is_shared =
            |c: &super::Comments| c.texts.keys().any(|(class, _)| SHARED_CLASSES.contains(class));
        match self {
            Change::Put(Object::Database(_)) => true,
            Change::Put(Object::Security(security::Stored::Access(a))) => of_database(a.oid),
            Change::Put(Object::Security(security::Stored::DefaultAcl(_))) => false,
            Change::Put(Object::Security(_)) => true,
            Change::Put(Object::Comments(c)) => class_is_shared(c),
            Change::Put(_) => false,
            Change::Remove(Kind::Access, oid) => of_database(*oid),
            Change::Remove(Kind::Comments, oid) => {
                catalog.comments_on(*oid).is_some_and(|c| class_is_shared(c))
            }
            Change::Remove(kind, _) => {
                matches!(kind, Kind::Database | Kind::Role | Kind::Membership | Kind::RoleSettings)
            }
        }
    }
}

impl Catalog {
    /// An empty one of a database.
    pub fn of_database(database: u32) -> Catalog {
        let mut catalog = Catalog { database, ..Catalog::default() };
        catalog.security.set_database(database);
        catalog
    }

    /// All databases, in the order of their OIDs.
    pub fn databases(&self) -> impl Iterator<Item = &Arc<DatabaseRow>> {
        self.databases.values()
    }

    /// One by OID.
    pub fn database_row(&self, oid: u32) -> Option<&Arc<DatabaseRow>> {
        self.databases.get(oid)
    }

    /// One by name.
    pub fn database_named(&self, name: &str) -> Option<&Arc<DatabaseRow>> {
        self.databases.values().find(|d| d.name == name)
    }

    /// The name of this one.
    pub fn database_name(&self) -> &str {
        self.database_row(self.database).map_or("", |d| &d.name)
    }
}
