//! The catalog: schemas, tables, indexes, constraints and sequences.
//!
//! A [`Catalog`] is immutable and shared; its version changes with every committed definition statement. A transaction that changes
//! definitions keeps its changes ([`Change`]) and sees them merged over the committed catalog; others see them after it has committed.
//! The persistent form is one row for each object in a tree of the engine (`store`).
//!
//! Invariants:
//! 1. A `Table`'s `shared` (lock and statistics) stays the same object through all versions of the table.
//! 2. A `Heap` belongs to one tree: TRUNCATE makes a new one.
//! 3. Column positions never change; dropped columns stay as holes, so stored rows stay readable.
//!
//! Must not know: sessions, plans, the wire.
//!
#![doc = include_str!("README.md")]

pub(crate) mod advisory;
pub mod codec;
pub mod collation;
mod constraint;
mod database;
mod domain;
mod extended;
pub mod extension;
mod index;
pub mod large_objects;
pub mod locks;
mod marks;
mod narrowed;
mod op_class;
mod row_type;
pub mod security;
mod shared_map;
pub mod statistics;
pub mod store;
mod table;
mod table_shared;
mod user_type;
pub mod uses;
mod view;
pub mod views;
pub mod wait_events;

pub use collation::UserCollation;
pub use constraint::{Check, FkAction, ForeignKey, NotNull, Standing, Timing};
pub use database::{DATABASE_OID, DatabaseLocale, DatabaseRow, TEMPLATE1_OID};
pub use domain::{Domain, DomainCheck, NamedType, domain_itself, is_domain_array};
use evenkeel::{Basis, Database, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use evenkeel_types::{Collation, Type};
pub use extended::{ALL_KINDS, ExtendedStatistics, KINDS};
pub use index::{EXPRESSION, Index, IndexColumn, IndexExpression, IndexExtra, IndexMethod, IndexState};
pub use marks::{Marks, ReplicaIdentity};
pub use op_class::OpClass;
pub use row_type::{check_kept, relation_of_row_type, row_type_of};
use shared_map::{NameMap, OidMap};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
pub use table::{ColumnDef, ColumnSettings, Generated, Heap, Identity, Table};
pub use table_shared::{Changed, TableShared};
pub use user_type::{UserType, numbered, order_of};
pub use view::{CheckOption, Materialized, READ_MARK, Read, StoredQuery, View, ViewColumn};

/// OID of `pg_catalog`.
pub const PG_CATALOG_OID: u32 = 11;
/// OID of `public`.
pub const PUBLIC_OID: u32 = 2200;
/// OID of `information_schema`.
pub const INFORMATION_SCHEMA_OID: u32 = 13000;
/// OID of the role that owns what nobody else does.
pub const OWNER_OID: u32 = security::roles::BOOTSTRAP_OID;
/// First OID of user objects.
pub const FIRST_USER_OID: u32 = 16384;

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
}

impl Schema {
    /// Whether it has the temporary objects of a session.
    pub fn is_temporary(&self) -> bool {
        self.name.starts_with("pg_temp_")
    }
}

/// What all versions of a sequence share: the values reserved in memory.
#[derive(Default)]
pub struct SequenceShared {
    /// Values reserved by the last write to disk.
    pub reserved: parking_lot::Mutex<Option<store::Reserved>>,
}

/// A sequence.
#[derive(Clone)]
pub struct Sequence {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// smallint, integer or bigint.
    pub ty: Type,
    /// First value.
    pub start: i64,
    /// Step.
    pub increment: i64,
    /// Least value.
    pub min: i64,
    /// Largest value.
    pub max: i64,
    /// Begins again at the end.
    pub cycle: bool,
    /// Reported only.
    pub cache: i64,
    /// The column that it belongs to: (table, column position, identity).
    pub owned_by: Option<(u32, usize, bool)>,
    /// The number of the row that holds its values: its OID, or a later one since TRUNCATE … RESTART IDENTITY, which a rollback must undo.
    pub values: u32,
    /// Values in memory.
    pub shared: Arc<SequenceShared>,
    /// Who draws values holds it against those who change the sequence.
    pub lock: Arc<locks::ObjectLock>,
}

/// The comments on the objects that have one OID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// The OID.
    pub oid: u32,
    /// By catalog table (`pg_class` …) and column number, 0 for the object itself.
    pub texts: BTreeMap<(u32, i32), String>,
}

/// An object as stored and as changed by definition statements.
#[derive(Clone)]
pub enum Object {
    /// A schema.
    Schema(Arc<Schema>),
    /// A table with its indexes and constraints.
    Table(Arc<Table>),
    /// A sequence.
    Sequence(Arc<Sequence>),
    /// A view.
    View(Arc<View>),
    /// A type.
    Type(Arc<UserType>),
    /// A collation.
    Collation(Arc<UserCollation>),
    /// An extension.
    Extension(Arc<extension::Extension>),
    /// What is said of an object.
    Comments(Arc<Comments>),
    /// A database.
    Database(Arc<DatabaseRow>),
    /// The tree that has a database's large objects.
    LargeObjects(TreeId),
    /// A role, or who may do what with an object.
    Security(security::Stored),
}

impl Object {
    /// Its kind and OID: together its key.
    pub fn key(&self) -> (Kind, u32) {
        match self {
            Object::Schema(s) => (Kind::Schema, s.oid),
            Object::Table(t) => (Kind::Table, t.oid),
            Object::Sequence(s) => (Kind::Sequence, s.oid),
            Object::View(v) => (Kind::View, v.oid),
            Object::Type(t) => (Kind::Type, t.oid),
            Object::Collation(c) => (Kind::Collation, c.oid),
            Object::Extension(e) => (Kind::Extension, e.oid),
            Object::Comments(c) => (Kind::Comments, c.oid),
            Object::Database(d) => (Kind::Database, d.oid),
            Object::LargeObjects(_) => (Kind::LargeObjects, large_objects::CLASS_OID),
            Object::Security(s) => s.key(),
        }
    }
}

/// Kinds of objects, as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    Counter = 0,
    Schema = 1,
    Table = 2,
    Sequence = 3,
    SequenceValue = 4,
    Statistics = 5,
    Comments = 6,
    View = 7,
    Type = 8,
    Extension = 9,
    LargeObjects = 10,
    Collation = 11,
    Role = 32,
    Membership = 33,
    RoleSettings = 34,
    Access = 35,
    DefaultAcl = 36,
    Database = 37,
}

/// One change of a definition statement.
#[derive(Clone)]
pub enum Change {
    /// Created or altered.
    Put(Object),
    /// Dropped.
    Remove(Kind, u32),
}

/// What a relation's name may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameRef {
    Table(u32),
    Index(u32, u32),
    Sequence(u32),
    View(u32),
}

/// A relation found by name or OID.
#[derive(Clone)]
pub enum Relation {
    /// A table.
    Table(Arc<Table>),
    /// An index of a table.
    Index(Arc<Table>, Arc<Index>),
    /// A sequence.
    Sequence(Arc<Sequence>),
    /// A view.
    View(Arc<View>),
    /// A system view.
    Virtual(&'static views::VirtualTable),
}

impl Relation {
    /// The table that a statement on tables named.
    pub fn into_table(self) -> Result<Arc<Table>, SqlError> {
        match self {
            Relation::Table(t) => Ok(t),
            Relation::Virtual(v) => Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", v.name),
            )),
            other => Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a table", other.name()),
            )),
        }
    }

    /// Its OID.
    pub fn oid(&self) -> u32 {
        match self {
            Relation::Table(t) => t.oid,
            Relation::Index(_, i) => i.oid,
            Relation::Sequence(s) => s.oid,
            Relation::View(v) => v.oid,
            Relation::Virtual(v) => v.oid,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Relation::Table(t) => &t.name,
            Relation::Index(_, i) => &i.name,
            Relation::Sequence(s) => &s.name,
            Relation::View(v) => &v.name,
            Relation::Virtual(v) => v.name,
        }
    }

    /// Its schema.
    pub fn schema(&self) -> u32 {
        match self {
            Relation::Table(t) | Relation::Index(t, _) => t.schema,
            Relation::Sequence(s) => s.schema,
            Relation::View(v) => v.schema,
            Relation::Virtual(v) => v.schema,
        }
    }
}

/// How errors on privileges call a relation.
pub fn noun_of(relation: &Relation) -> &'static str {
    match relation {
        Relation::Index(..) => "index",
        Relation::Sequence(_) => "sequence",
        Relation::View(_) => "view",
        Relation::Table(t) if t.materialized.is_some() => "materialized view",
        Relation::Virtual(v) if v.is_view => "view",
        _ => "table",
    }
}

/// An immutable version of the catalog.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Unique among all versions, transactions' own ones included.
    pub version: u64,
    /// What must be safe before anything is told that is known from it.
    pub basis: Basis,
    /// The database whose it is.
    pub database: u32,
    databases: OidMap<Arc<DatabaseRow>>,
    tables: OidMap<Arc<Table>>,
    sequences: OidMap<Arc<Sequence>>,
    views: OidMap<Arc<View>>,
    types: OidMap<Arc<UserType>>,
    collations: OidMap<Arc<UserCollation>>,
    row_types: row_type::RowTypes,
    extensions: OidMap<Arc<extension::Extension>>,
    schemas: OidMap<Arc<Schema>>,
    names: NameMap<(u32, String), NameRef>,
    /// The table of an index.
    indexes: OidMap<u32>,
    /// The table of a constraint.
    constraints: OidMap<u32>,
    /// The only relations that are listed, in order, with the tables of those that are indexes; None: all are.
    only: Option<Arc<[u32]>>,
    /// The tables with foreign keys to a table.
    referencing: OidMap<Vec<u32>>,
    comments: OidMap<Arc<Comments>>,
    large_objects: Option<TreeId>,
    security: security::Security,
    /// The collation that texts have if nothing else is said.
    pub default_collation: Collation,
}

impl Catalog {
    /// The same with changes applied, under a new version number.
    pub fn with_changes(&self, changes: &[Change], version: u64) -> Catalog {
        let mut next = self.clone();
        next.version = version;
        changes.iter().for_each(|change| next.apply(change));
        next
    }

    /// The same with those of the changes that concern all databases; None: there are none.
    pub fn with_shared_changes(&self, changes: &[Change], version: u64) -> Option<Catalog> {
        let mut next = None;
        for change in changes {
            if change.is_shared(next.as_ref().unwrap_or(self)) {
                next.get_or_insert_with(|| Catalog { version, ..self.clone() }).apply(change);
            }
        }
        next
    }

    fn apply(&mut self, change: &Change) {
        let (version, next) = (self.version, self);
        next.row_types = row_type::RowTypes::default();
        match change {
            Change::Put(Object::Schema(s)) => {
                next.schemas.insert(s.oid, s.clone());
            }
            Change::Put(Object::Sequence(s)) => {
                next.remove_sequence(s.oid);
                next.names.insert((s.schema, s.name.clone()), NameRef::Sequence(s.oid));
                next.sequences.insert(s.oid, s.clone());
            }
            Change::Put(Object::Table(t)) => {
                let mut table = t.clone();
                let is_new = t.indexes.iter().any(|i| i.since_version == u64::MAX)
                    || t.columns.iter().any(|c| c.since_version == u64::MAX);
                if is_new {
                    let mut changed = (**t).clone();
                    for column in changed.columns.iter_mut().filter(|c| c.since_version == u64::MAX) {
                        column.since_version = version;
                    }
                    for index in &mut changed.indexes {
                        if index.since_version == u64::MAX {
                            Arc::make_mut(index).since_version = version;
                        }
                    }
                    table = Arc::new(changed);
                }
                next.put_table(table);
            }
            Change::Put(Object::View(v)) => {
                next.remove_view(v.oid);
                next.names.insert((v.schema, v.name.clone()), NameRef::View(v.oid));
                next.views.insert(v.oid, v.clone());
            }
            Change::Put(Object::Extension(e)) => {
                next.extensions.insert(e.oid, e.clone());
            }
            Change::Put(Object::Type(t)) => {
                next.types.insert(t.oid, t.clone());
            }
            Change::Put(Object::Collation(c)) => {
                next.collations.insert(c.oid, c.clone());
            }
            Change::Put(Object::Comments(c)) => {
                next.comments.insert(c.oid, c.clone());
            }
            Change::Put(Object::Database(d)) => {
                if d.oid == next.database {
                    // A locale that this server has no rules for any more leaves equality; its indexes say so (`Index::check_collations`).
                    next.default_collation = d.locale.collation().unwrap_or_default();
                }
                next.databases.insert(d.oid, d.clone());
            }
            Change::Put(Object::LargeObjects(tree)) => next.large_objects = Some(*tree),
            Change::Put(Object::Security(stored)) => next.security.put(stored.clone()),
            Change::Remove(Kind::Schema, oid) => {
                next.schemas.remove(*oid);
            }
            Change::Remove(Kind::Database, oid) => {
                next.databases.remove(*oid);
            }
            Change::Remove(Kind::LargeObjects, _) => next.large_objects = None,
            Change::Remove(Kind::Comments, oid) => {
                next.comments.remove(*oid);
            }
            Change::Remove(Kind::Sequence, oid) => next.remove_sequence(*oid),
            Change::Remove(Kind::Table, oid) => next.remove_table(*oid),
            Change::Remove(Kind::View, oid) => next.remove_view(*oid),
            Change::Remove(Kind::Extension, oid) => {
                next.extensions.remove(*oid);
            }
            Change::Remove(Kind::Type, oid) => {
                next.types.remove(*oid);
            }
            Change::Remove(Kind::Collation, oid) => {
                next.collations.remove(*oid);
            }
            Change::Remove(kind, oid) => next.security.remove(*kind, *oid),
        }
    }

    fn put_table(&mut self, t: Arc<Table>) {
        self.remove_table(t.oid);
        self.names.insert((t.schema, t.name.clone()), NameRef::Table(t.oid));
        for i in &t.indexes {
            self.names.insert((t.schema, i.name.clone()), NameRef::Index(t.oid, i.oid));
            self.indexes.insert(i.oid, t.oid);
        }
        for constraint in t.constraint_oids() {
            self.constraints.insert(constraint, t.oid);
        }
        for fk in &t.foreign_keys {
            let children = self.referencing.entry(fk.parent, Vec::new);
            if !children.contains(&t.oid) {
                children.push(t.oid);
            }
        }
        self.tables.insert(t.oid, t);
    }

    fn remove_table(&mut self, oid: u32) {
        let Some(t) = self.tables.remove(oid) else { return };
        // A name may be somebody else's by now.
        self.names.remove_if(&(t.schema, t.name.clone()), |n| *n == NameRef::Table(oid));
        for i in &t.indexes {
            self.names.remove_if(&(t.schema, i.name.clone()), |n| *n == NameRef::Index(oid, i.oid));
            self.indexes.remove(i.oid);
        }
        for constraint in t.constraint_oids() {
            self.constraints.remove(constraint);
        }
        for fk in &t.foreign_keys {
            let children = self.referencing.entry(fk.parent, Vec::new);
            children.retain(|child| *child != oid);
            if children.is_empty() {
                self.referencing.remove(fk.parent);
            }
        }
    }

    fn remove_sequence(&mut self, oid: u32) {
        if let Some(s) = self.sequences.remove(oid) {
            self.names.remove_if(&(s.schema, s.name.clone()), |n| *n == NameRef::Sequence(oid));
        }
    }

    fn remove_view(&mut self, oid: u32) {
        if let Some(v) = self.views.remove(oid) {
            self.names.remove_if(&(v.schema, v.name.clone()), |n| *n == NameRef::View(oid));
        }
    }

    /// Roles, owners and privileges.
    pub fn security(&self) -> &security::Security {
        &self.security
    }

    /// User tables in the order of their OIDs.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.listed(&self.tables)
    }

    /// User sequences.
    pub fn sequences(&self) -> impl Iterator<Item = &Arc<Sequence>> {
        self.listed(&self.sequences)
    }

    /// Users' views.
    pub fn views(&self) -> impl Iterator<Item = &Arc<View>> {
        self.listed(&self.views)
    }

    /// Extensions that somebody asked for.
    pub fn extensions(&self) -> impl Iterator<Item = &Arc<extension::Extension>> {
        self.extensions.values()
    }

    /// One by name.
    pub fn extension_named(&self, name: &str) -> Option<&Arc<extension::Extension>> {
        self.extensions.values().find(|e| e.name == name)
    }

    /// A view by OID.
    pub fn view(&self, oid: u32) -> Option<&Arc<View>> {
        self.views.get(oid)
    }

    /// The queries that are kept, with the views and materialized views whose they are.
    pub fn stored_queries(&self) -> impl Iterator<Item = (Relation, &Arc<StoredQuery>)> {
        let views = self.views.values().map(|v| (Relation::View(v.clone()), &v.query));
        let tables = self.tables.values();
        views
            .chain(tables.filter_map(|t| Some((Relation::Table(t.clone()), &t.materialized.as_ref()?.query))))
    }

    /// Schemas, system ones included.
    pub fn schemas(&self) -> impl Iterator<Item = &Arc<Schema>> {
        self.schemas.values()
    }

    /// A table by OID.
    pub fn table(&self, oid: u32) -> Option<&Arc<Table>> {
        self.tables.get(oid)
    }

    /// A sequence by OID.
    pub fn sequence(&self, oid: u32) -> Option<&Arc<Sequence>> {
        self.sequences.get(oid)
    }

    /// A schema by OID.
    pub fn schema(&self, oid: u32) -> Option<&Arc<Schema>> {
        self.schemas.get(oid)
    }

    /// A schema by name.
    pub fn schema_named(&self, name: &str) -> Option<&Arc<Schema>> {
        self.schemas.values().find(|s| s.name == name)
    }

    /// The refusal of a name that says a schema which is not there. A session's own is there once it has made something.
    pub fn missing_schema(&self, schema: Option<&str>, search_path: &[u32]) -> Option<SqlError> {
        let name = schema?;
        let is_there = match name {
            "pg_temp" => search_path.iter().any(|s| self.is_temporary(*s)),
            name => self.schema_named(name).is_some(),
        };
        let why = format!("schema \"{name}\" does not exist");
        (!is_there).then(|| SqlError::new(SqlState::INVALID_SCHEMA_NAME, why))
    }

    /// Whether a schema has the temporary objects of a session.
    pub fn is_temporary(&self, schema: u32) -> bool {
        self.schema(schema).is_some_and(|s| s.is_temporary())
    }

    /// How long a table's rows last, as `pg_class.relpersistence`.
    pub fn persistence(&self, table: &Table) -> &'static str {
        match () {
            () if self.is_temporary(table.schema) => "t",
            () if table.unlogged => "u",
            () => "p",
        }
    }

    /// The comments on what has an OID.
    pub fn comments_on(&self, oid: u32) -> Option<&Arc<Comments>> {
        self.comments.get(oid)
    }

    /// All comments.
    pub fn comments(&self) -> impl Iterator<Item = &Arc<Comments>> {
        self.comments.values()
    }

    /// Tables with foreign keys to a table.
    pub fn referencing_tables(&self, parent: u32) -> impl Iterator<Item = &Arc<Table>> {
        self.referencing.get(parent).into_iter().flatten().filter_map(|oid| self.tables.get(*oid))
    }

    /// A relation by OID.
    pub fn relation(&self, oid: u32) -> Option<Relation> {
        if let Some(t) = self.tables.get(oid) {
            return Some(Relation::Table(t.clone()));
        }
        if let Some(t) = self.indexes.get(oid).and_then(|t| self.tables.get(*t)) {
            let index = t.indexes.iter().find(|i| i.oid == oid)?;
            return Some(Relation::Index(t.clone(), index.clone()));
        }
        if let Some(s) = self.sequences.get(oid) {
            return Some(Relation::Sequence(s.clone()));
        }
        if let Some(v) = self.views.get(oid) {
            return Some(Relation::View(v.clone()));
        }
        views::by_oid(oid).map(Relation::Virtual)
    }

    /// A relation by schema and name.
    pub fn relation_in(&self, schema: u32, name: &str) -> Option<Relation> {
        match self.names.get(&(schema, name.to_owned())) {
            Some(NameRef::Table(oid)) => self.tables.get(*oid).cloned().map(Relation::Table),
            Some(NameRef::Index(_, oid) | NameRef::Sequence(oid) | NameRef::View(oid)) => self.relation(*oid),
            None => views::by_name(schema, name).map(Relation::Virtual),
        }
    }

    /// Resolves a name along a search path (`pg_catalog` is searched first, as in PostgreSQL, unless the path names it).
    pub fn resolve(
        &self,
        schema: Option<&str>,
        name: &str,
        search_path: &[u32],
    ) -> Result<Option<Relation>, SqlError> {
        if let Some(schema) = schema {
            let oid = match schema {
                // Nobody has a session's own on the path but the session.
                "pg_temp" => search_path.iter().copied().find(|s| self.is_temporary(*s)),
                name => self.schema_named(name).map(|s| s.oid),
            };
            return Ok(oid.and_then(|s| self.relation_in(s, name)));
        }
        Ok(search_path.iter().find_map(|s| self.relation_in(*s, name)))
    }

    /// `schema.name`, or just the name if the search path finds it.
    pub fn qualified_name(&self, relation: &Relation, search_path: &[u32]) -> String {
        let visible = matches!(self.resolve(None, relation.name(), search_path), Ok(Some(r)) if r.oid() == relation.oid());
        if visible {
            quote_ident(relation.name())
        } else {
            let schema = self.schema(relation.schema()).map_or("?", |s| &s.name);
            format!("{}.{}", quote_ident(schema), quote_ident(relation.name()))
        }
    }

    /// A stored default as it is shown: sequences by their names.
    pub fn shown_default(&self, stored: &str, search_path: &[u32]) -> String {
        match default_sequence(stored).and_then(|(function, oid)| Some((function, self.relation(oid)?))) {
            Some((function, sequence)) => {
                let name = self.qualified_name(&sequence, search_path);
                format!("{function}('{}'::regclass)", name.replace('\'', "''"))
            }
            None => self.shown_types(stored, search_path),
        }
    }

    /// A constraint's name is taken among those of the table.
    pub fn constraint_exists(table: &Table, name: &str) -> bool {
        table.checks.iter().any(|c| c.name == name)
            || table.foreign_keys.iter().any(|c| c.name == name)
            || table.not_nulls.iter().any(|c| c.name == name)
            || table.indexes.iter().any(|i| i.constraint.is_some() && i.name == name)
    }
}

/// The function and the sequence of a stored default like `nextval('16400'::regclass)`.
pub fn default_sequence(stored: &str) -> Option<(&str, u32)> {
    let (function, rest) = stored.split_once("('")?;
    let oid = rest.strip_suffix("'::regclass)")?;
    Some((function, oid.parse().ok()?))
}
