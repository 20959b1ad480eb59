//! The persistent catalog and its committed version in memory.
//!
//! Each database has a [`Part`]: its catalog. What belongs to all databases (roles, databases) stands in each.
//!
//! Invariants:
//! 1. A catalog version is published after its transaction has committed in the engine and before its table locks are released.
//! 2. OIDs and sequence values are reserved by transactions of their own: rolled-back users leave gaps, never duplicates. Who tells a value waits
//!    until its reservation is safe.
//! 3. On a standby nothing is published here: definitions come with the log. A version is then the number of commits that changed definitions, plus one, and the catalog of
//!    a version is read in a snapshot that has that number.
//! 4. The parts differ in nothing that belongs to all databases, but while a change is published.
//!
//! Must not know: sessions, SQL text.

use super::*;
use crate::catalog::statistics::TableStatistics;
use crate::served::Served;
use std::collections::HashSet;

use evenkeel::{Basis, Direction, Durability, KeyRange, Transaction, TxnOptions};
use parking_lot::{Mutex, RwLock};

/// The tree that holds the catalog.
pub const CATALOG_TREE: TreeId = TreeId(16);
/// OIDs reserved by one write.
const OID_BATCH: u32 = 32;
/// Sequence values reserved by one write.
const SEQUENCE_BATCH: i64 = 32;

struct Oids {
    next: u32,
    reserved_to: u32,
}

/// The committed catalog of a database.
pub struct Part {
    database: u32,
    current: RwLock<Arc<Catalog>>,
    version: AtomicU64,
}

impl Part {
    fn new(catalog: Catalog) -> Arc<Part> {
        let (database, version) = (catalog.database, AtomicU64::new(catalog.version));
        Arc::new(Part { database, version, current: RwLock::new(Arc::new(catalog)) })
    }

    /// Its database.
    pub fn database(&self) -> u32 {
        self.database
    }

    /// The committed catalog.
    pub fn current(&self) -> Arc<Catalog> {
        self.current.read().clone()
    }

    fn set(&self, catalog: Catalog) {
        let version = catalog.version;
        *self.current.write() = Arc::new(catalog);
        self.version.store(version, Ordering::Release);
    }
}

/// The committed catalogs of all databases.
pub struct CatalogStore {
    served: Arc<Served>,
    parts: RwLock<BTreeMap<u32, Arc<Part>>>,
    /// One publishes at a time.
    publishing: Mutex<()>,
    /// One makes a tree for large objects at a time.
    making: Mutex<()>,
    next_version: AtomicU64,
    oids: Mutex<Oids>,
}

/// Sequence values in memory.
#[derive(Clone, Copy, Debug)]
pub struct Reserved {
    last: i64,
    is_called: bool,
    /// Values that may be handed out before the next write,
    left: i64,
    /// if they are so far apart.
    step: i64,
    /// What must be safe before they are told.
    basis: Basis,
}

impl Reserved {
    /// From its row, which rests on `basis`.
    fn decode(row: &[u8], basis: Basis) -> Result<Reserved, SqlError> {
        let bad = || SqlError::internal("sequence row");
        let (called, last) = row.split_first().ok_or_else(bad)?;
        let last = i64::from_le_bytes(last.try_into().map_err(|_| bad())?);
        Ok(Reserved { last, is_called: *called != 0, left: 0, step: 0, basis })
    }
}

/// Whether a row of the catalog's tree is a definition, or what is shown beside one: for `Options::with_definitions`.
pub fn is_definition(key: &[u8]) -> bool {
    matches!(codec::read_key(key), Some((_, 1..=3 | 5.., _)))
}

/// What lies in the catalog's tree.
struct Stored {
    /// Databases, as they were stored.
    databases: Vec<Change>,
    /// The rest, by database; what belongs to all is among the first's.
    objects: BTreeMap<u32, Vec<Change>>,
    values: HashMap<u32, Reserved>,
    statistics: Vec<(u32, u32, Vec<u8>)>,
    next_oid: u32,
    basis: Basis,
}

/// A transaction of the store's own. Nobody is told anything by it: what it meets is for whoever tells to wait for, and its commits ask no standby, since whoever builds on them
/// commits behind them.
fn begin(db: &Database) -> Transaction {
    let mut txn = db.begin(TxnOptions { durability: Durability::Local, ..TxnOptions::default() });
    txn.defer_durability();
    txn
}

/// Commits one of these, durably here. Blocks for the disk.
fn commit(db: &Database, txn: Transaction) -> Result<(), SqlError> {
    let basis = txn.commit_visible()?;
    Ok(db.wait_durable(basis.local)?)
}

/// Kinds of rows that are objects.
const OBJECTS: [Kind; 15] = [
    Kind::Schema,
    Kind::Table,
    Kind::Sequence,
    Kind::Comments,
    Kind::View,
    Kind::Type,
    Kind::Collation,
    Kind::Extension,
    Kind::LargeObjects,
    Kind::Role,
    Kind::Membership,
    Kind::RoleSettings,
    Kind::Access,
    Kind::DefaultAcl,
    Kind::Database,
];

impl Stored {
    fn read(txn: &mut Transaction) -> Result<Stored, SqlError> {
        let mut cursor = txn.cursor(CATALOG_TREE, KeyRange::all(), Direction::Forward)?;
        let mut all = Stored {
            databases: Vec::new(),
            objects: BTreeMap::new(),
            values: HashMap::new(),
            statistics: Vec::new(),
            next_oid: FIRST_USER_OID,
            basis: Basis::NONE,
        };
        while let Some((key, value)) = cursor.next(txn)? {
            let Some((database, kind, oid)) = codec::read_key(key) else { continue };
            match kind {
                0 => all.next_oid = value.try_into().map(u32::from_le_bytes).unwrap_or(all.next_oid),
                4 => _ = all.values.insert(oid, Reserved::decode(value, Basis::NONE)?),
                5 => all.statistics.push((database, oid, value.to_vec())),
                kind => {
                    let Some(kind) = OBJECTS.into_iter().find(|k| *k as u8 == kind) else { continue };
                    let change = Change::Put(codec::decode(kind, oid, value)?);
                    match kind {
                        Kind::Database => all.databases.push(change),
                        _ => all.objects.entry(database).or_default().push(change),
                    }
                }
            }
        }
        all.basis = txn.observed();
        all.values.values_mut().for_each(|v| v.basis = all.basis);
        Ok(all)
    }

    /// The catalog of a database in what was read; None: there is no such database. Locks and figures of tables that `before` has go on.
    fn catalog(&self, database: u32, version: u64, before: Option<&Catalog>) -> Option<Catalog> {
        let mut catalog = Catalog::of_database(database);
        let first = DatabaseRow::first_ones().map(|d| Change::Put(Object::Database(Arc::new(d))));
        // Folders of older versions have one database, and say nothing of it.
        catalog =
            catalog.with_changes(if self.databases.is_empty() { &first } else { &self.databases }, version);
        catalog.database_row(database)?;
        let system = [(PG_CATALOG_OID, "pg_catalog"), (INFORMATION_SCHEMA_OID, "information_schema")];
        let system = system
            .map(|(oid, name)| Change::Put(Object::Schema(Arc::new(Schema { oid, name: name.into() }))));
        catalog = catalog.with_changes(&system, version);
        let of_first = self.objects.get(&DATABASE_OID).into_iter().flatten();
        let shared = of_first.filter(|c| database != DATABASE_OID && c.is_shared(&catalog)).cloned();
        let mut changes: Vec<Change> = shared.collect();
        match self.objects.get(&database) {
            Some(own) => changes.extend(own.iter().cloned()),
            None if database == DATABASE_OID || self.databases.is_empty() => {
                changes.push(Change::Put(public()))
            }
            None => {}
        }
        for change in &mut changes {
            if let Change::Put(Object::Table(t)) = change
                && let Some(known) = before.and_then(|b| b.table(t.oid))
            {
                Arc::make_mut(t).shared = known.shared.clone();
            }
        }
        catalog = catalog.with_changes(&changes, version);
        catalog.basis = self.basis;
        for (_, oid, stored) in self.statistics.iter().filter(|(d, ..)| *d == database) {
            // Estimates go without what cannot be read.
            if let Some(t) = catalog.table(*oid)
                && let Ok(statistics) = TableStatistics::decode(stored, &t.types)
            {
                t.shared.set_statistics(statistics);
            }
        }
        for s in catalog.sequences() {
            *s.shared.reserved.lock() = self.values.get(&s.values).copied();
        }
        Some(catalog)
    }

    /// Has indexes that somebody was about to fill, or to take away, when the database ended constrain nobody (`ddl/concurrently`, invariant 4).
    fn end_builds(&mut self) {
        for change in self.objects.values_mut().flatten() {
            let Change::Put(Object::Table(t)) = change else { continue };
            let is_open = |i: &Arc<Index>| matches!(i.state, IndexState::Partial | IndexState::Deletes);
            if t.indexes.iter().any(is_open) {
                for index in Arc::make_mut(t).indexes.iter_mut().filter(|i| is_open(i)) {
                    Arc::make_mut(index).state = IndexState::Unused;
                }
            }
        }
    }

    /// Writes down what a folder begins with.
    fn begin_with(&mut self, databases: [DatabaseRow; 3], txn: &mut Transaction) -> Result<(), SqlError> {
        for row in databases {
            let public = public();
            if row.oid != DATABASE_OID || !self.objects.contains_key(&DATABASE_OID) {
                let key = codec::key_in(row.oid, Kind::Schema, PUBLIC_OID);
                txn.put(CATALOG_TREE, &key, &codec::encode(&public))?;
                self.objects.entry(row.oid).or_default().push(Change::Put(public));
            }
            let row = Object::Database(Arc::new(row));
            txn.put(CATALOG_TREE, &codec::key(Kind::Database, row.key().1), &codec::encode(&row))?;
            self.databases.push(Change::Put(row));
        }
        Ok(())
    }

    /// The databases that were stored, or that every folder begins with.
    fn database_oids(&self) -> Vec<u32> {
        if self.databases.is_empty() {
            return DatabaseRow::first_ones().iter().map(|d| d.oid).collect();
        }
        self.databases
            .iter()
            .filter_map(|c| if let Change::Put(o) = c { Some(o.key().1) } else { None })
            .collect()
    }
}

fn public() -> Object {
    Object::Schema(Arc::new(Schema { oid: PUBLIC_OID, name: "public".into() }))
}

impl CatalogStore {
    /// Reads the catalog; makes one in an empty database.
    pub fn open(db: &Database) -> Result<CatalogStore, SqlError> {
        CatalogStore::of_served(Arc::new(Served::new(db.clone())))
    }

    pub(crate) fn of_served(served: Arc<Served>) -> Result<CatalogStore, SqlError> {
        let db = served.get();
        let mut txn = begin(db);
        txn.begin_statement();
        let version = txn.definitions().unwrap_or(0) + 1;
        let mut stored = Stored::read(&mut txn)?;
        if stored.databases.is_empty() && !served.is_standby() {
            stored.begin_with(DatabaseRow::first_ones(), &mut txn)?;
            commit(db, txn)?;
        }
        if !served.is_standby() {
            stored.end_builds();
        }
        let oids = stored.database_oids();
        let parts = oids.into_iter().filter_map(|d| Some((d, Part::new(stored.catalog(d, version, None)?))));
        let parts = parts.collect();
        let next_oid = stored.next_oid;
        Ok(CatalogStore {
            served,
            parts: RwLock::new(parts),
            publishing: Mutex::default(),
            making: Mutex::default(),
            next_version: AtomicU64::new(version + 1),
            oids: Mutex::new(Oids { next: next_oid, reserved_to: next_oid }),
        })
    }

    fn db(&self) -> &Database {
        self.served.get()
    }

    /// The part of a database.
    pub fn part(&self, database: u32) -> Option<Arc<Part>> {
        self.parts.read().get(&database).cloned()
    }

    /// The part of the first database (its invariant 1).
    pub fn first(&self) -> Arc<Part> {
        self.parts.read()[&DATABASE_OID].clone()
    }

    /// All parts.
    pub fn parts(&self) -> Vec<Arc<Part>> {
        self.parts.read().values().cloned().collect()
    }

    /// The committed catalog, also on a standby.
    pub fn of_today(&self, part: &Part) -> Result<Arc<Catalog>, SqlError> {
        if self.served.is_standby() { self.of_now(part) } else { Ok(part.current()) }
    }

    /// On a standby: the part of a database that `catalog`, the newest of another, has.
    pub(crate) fn part_of_standby(&self, database: u32) -> Arc<Part> {
        let new = || Part::new(Catalog::of_database(database));
        self.parts.write().entry(database).or_insert_with(new).clone()
    }

    /// On a standby: the catalog of now (invariant 3).
    pub fn of_now(&self, part: &Part) -> Result<Arc<Catalog>, SqlError> {
        let current = part.current();
        if current.version == self.version(part) {
            return Ok(current);
        }
        let mut txn = begin(self.db());
        txn.begin_statement();
        self.of_snapshot(part, &mut txn)
    }

    /// On a standby: the catalog of the transaction's snapshot, which it must have (invariant 3).
    pub fn of_snapshot(&self, part: &Part, txn: &mut Transaction) -> Result<Arc<Catalog>, SqlError> {
        let version = txn.definitions().ok_or_else(|| SqlError::internal("there is no snapshot"))? + 1;
        let before = part.current();
        if before.version == version {
            return Ok(before);
        }
        let catalog = Stored::read(txn)?.catalog(part.database, version, Some(&before));
        let catalog = Arc::new(catalog.ok_or_else(|| gone(&before))?);
        let mut current = part.current.write();
        if version > current.version {
            current.clone_from(&catalog);
            part.version.store(version, Ordering::Release);
        }
        Ok(catalog)
    }

    /// The standby has taken over: this is what is served now. Sessions may go on.
    pub(crate) fn promote(&self, db: Database) -> Result<(), SqlError> {
        let mut txn = begin(&db);
        txn.begin_statement();
        let mut stored = Stored::read(&mut txn)?;
        if stored.databases.is_empty() {
            stored.begin_with(DatabaseRow::first_ones(), &mut txn)?;
            commit(&db, txn)?;
        } else {
            drop(txn);
        }
        stored.end_builds();
        // Behind all versions that the standby may have come to.
        let newest = self.parts().iter().map(|p| p.current().version).max().unwrap_or(0);
        let version = newest.max(db.definitions() + 1) + (1 << 32);
        let mut oids = self.oids.lock();
        *oids = Oids { next: stored.next_oid, reserved_to: stored.next_oid };
        let mut parts = self.parts.write();
        let there = stored.database_oids();
        parts.retain(|database, _| there.contains(database));
        for database in there {
            let before = parts.get(&database).map(|p| p.current());
            let Some(catalog) = stored.catalog(database, version, before.as_deref()) else { continue };
            match parts.get(&database) {
                Some(part) => part.set(catalog),
                None => _ = parts.insert(database, Part::new(catalog)),
            }
        }
        self.next_version.store(version + 1, Ordering::Relaxed);
        drop(parts);
        self.served.promote(db);
        Ok(())
    }

    /// Removes the values of sequences that began again, and of those whose new beginning was undone: whoever restarts one leaves them
    /// where they are, so that nobody has to wait. Only before the first session.
    pub fn remove_left_values(&self) -> Result<(), SqlError> {
        let mut used = HashSet::new();
        self.parts().iter().for_each(|p| used.extend(p.current().sequences().map(|s| s.values)));
        let mut txn = begin(self.db());
        txn.begin_statement();
        let all = KeyRange::prefix(&[Kind::SequenceValue as u8]);
        let mut cursor = txn.cursor(CATALOG_TREE, all, Direction::Forward)?;
        let mut left = Vec::new();
        while let Some((key, _)) = cursor.next(&mut txn)? {
            left.extend(
                codec::read_key(key).map(|(.., values)| values).filter(|values| !used.contains(values)),
            );
        }
        drop(cursor);
        for values in &left {
            txn.remove(CATALOG_TREE, &codec::key(Kind::SequenceValue, *values))?;
        }
        if !left.is_empty() {
            commit(self.db(), txn)?;
        }
        Ok(())
    }

    /// The committed version's number: one atomic load.
    pub fn version(&self, part: &Part) -> u64 {
        if self.served.is_standby() {
            return self.db().definitions() + 1; // invariant 3
        }
        part.version.load(Ordering::Acquire)
    }

    /// A version number never used before.
    pub fn new_version(&self) -> u64 {
        self.next_version.fetch_add(1, Ordering::Relaxed)
    }

    /// The tree of a database's large objects, made if there is none.
    pub fn large_objects(&self, part: &Part) -> Result<TreeId, SqlError> {
        let _one = self.making.lock();
        let catalog = part.current();
        if let Some(tree) = catalog.large_objects() {
            return Ok(tree);
        }
        let mut txn = begin(self.db());
        let tree = txn.create_tree()?;
        let change = Change::Put(Object::LargeObjects(tree));
        write_change(&mut txn, &catalog, &change)?;
        let basis = txn.commit_visible()?;
        self.db().wait_durable(basis.local)?;
        self.publish(part, &[change], basis);
        Ok(tree)
    }

    /// Makes a committed transaction's changes in a database visible to all (invariant 1). `basis`: of its commit, durable here.
    pub fn publish(&self, part: &Part, changes: &[Change], basis: Basis) {
        let _guard = self.publishing.lock();
        let others = self.parts();
        for other in others.iter().filter(|p| p.database != part.database) {
            let current = other.current();
            // Its number is drawn only if there is something.
            let Some(mut next) = current.with_shared_changes(changes, 0) else { continue };
            next.version = self.new_version();
            next.basis = next.basis.max(basis);
            other.set(next);
        }
        let current = part.current();
        let mut next = current.with_changes(changes, self.new_version());
        next.basis = next.basis.max(basis);
        part.set(next);
    }

    /// A database has been made, or is gone: by a commit that rests on `basis`, which is durable here and published.
    pub(crate) fn follow_databases(&self, basis: Basis) -> Result<(), SqlError> {
        let _guard = self.publishing.lock();
        let mut txn = begin(self.db());
        txn.begin_statement();
        let stored = Stored::read(&mut txn)?;
        let mut parts = self.parts.write();
        let there = stored.database_oids();
        parts.retain(|database, _| there.contains(database));
        for database in there {
            if !parts.contains_key(&database)
                && let Some(mut catalog) = stored.catalog(database, self.new_version(), None)
            {
                catalog.basis = catalog.basis.max(basis);
                parts.insert(database, Part::new(catalog));
            }
        }
        Ok(())
    }

    /// A new OID (invariant 2).
    pub fn new_oid(&self) -> Result<u32, SqlError> {
        let mut oids = self.oids.lock();
        if oids.next == oids.reserved_to {
            let reserve = oids.next.checked_add(OID_BATCH).ok_or_else(|| {
                SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "out of object identifiers")
            })?;
            let mut txn = begin(self.db());
            txn.put(CATALOG_TREE, &codec::key(Kind::Counter, 0), &reserve.to_le_bytes())?;
            commit(self.db(), txn)?;
            oids.reserved_to = reserve;
        }
        oids.next += 1;
        Ok(oids.next - 1)
    }

    /// Two new OIDs, the first of them even: a type's and its array's.
    pub fn new_type_oid(&self) -> Result<u32, SqlError> {
        loop {
            let oid = self.new_oid()?;
            if oid.is_multiple_of(2) && self.new_oid()? == oid + 1 {
                return Ok(oid);
            }
        }
    }

    /// The next value of a sequence, and what must be durable before it is told (invariant 2).
    pub fn sequence_next(&self, s: &Sequence) -> Result<(i64, Basis), SqlError> {
        let mut reserved = s.shared.reserved.lock();
        let mut state = match *reserved {
            Some(r) => r,
            None => self.read_sequence(s)?,
        };
        let value = if state.is_called {
            match state.last.checked_add(s.increment).filter(|v| (s.min..=s.max).contains(v)) {
                Some(v) => v,
                None if s.cycle => {
                    if s.increment > 0 {
                        s.min
                    } else {
                        s.max
                    }
                }
                None => {
                    let (word, bound) = if s.increment > 0 { ("maximum", s.max) } else { ("minimum", s.min) };
                    return Err(SqlError::new(
                        SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
                        format!("nextval: reached {word} value of sequence \"{}\" ({bound})", s.name),
                    ));
                }
            }
        } else {
            state.last
        };
        let left = if state.step == s.increment { state.left - 1 } else { -1 };
        state = Reserved { last: value, is_called: true, left, step: s.increment, basis: state.basis };
        if state.left < 0 {
            let (mut ahead, mut steps) = (value, 0);
            while steps < SEQUENCE_BATCH
                && let Some(v) = ahead.checked_add(s.increment).filter(|v| (s.min..=s.max).contains(v))
            {
                (ahead, steps) = (v, steps + 1);
            }
            state.basis = self.write_sequence(s, ahead, true)?;
            // Where it begins again behind its end, that is written, too.
            state.left = steps;
        }
        *reserved = Some(state);
        Ok((value, state.basis))
    }

    /// The last value of a sequence and whether it was handed out, and what must be durable before they are told (invariant 2).
    pub fn sequence_state(&self, s: &Sequence) -> Result<(i64, bool, Basis), SqlError> {
        if self.served.is_standby() {
            let state = self.read_sequence(s)?; // it goes on elsewhere
            return Ok((state.last, state.is_called, state.basis));
        }
        let mut reserved = s.shared.reserved.lock();
        let state = match *reserved {
            Some(r) => r,
            None => *reserved.insert(self.read_sequence(s)?),
        };
        Ok((state.last, state.is_called, state.basis))
    }

    /// `setval`; gives what must be durable before it is told.
    pub fn sequence_set(&self, s: &Sequence, value: i64, is_called: bool) -> Result<Basis, SqlError> {
        if !(s.min..=s.max).contains(&value) {
            return Err(SqlError::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                format!(
                    "setval: value {value} is out of bounds for sequence \"{}\" ({}..{})",
                    s.name, s.min, s.max
                ),
            ));
        }
        let mut reserved = s.shared.reserved.lock();
        let basis = self.write_sequence(s, value, is_called)?;
        *reserved = Some(Reserved { last: value, is_called, left: 0, step: 0, basis });
        Ok(basis)
    }

    fn read_sequence(&self, s: &Sequence) -> Result<Reserved, SqlError> {
        let mut txn = begin(self.db());
        txn.begin_statement();
        let row = txn.get(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values))?;
        match row {
            Some(row) => Reserved::decode(&row, txn.observed()),
            None => Ok(Reserved { last: s.start, is_called: false, left: 0, step: 0, basis: txn.observed() }),
        }
    }

    /// Writes its values, in a transaction of its own.
    pub fn write_sequence(&self, s: &Sequence, last: i64, is_called: bool) -> Result<Basis, SqlError> {
        let mut txn = self.db().begin(TxnOptions::default());
        txn.defer_durability();
        put_value(&mut txn, s, last, is_called)?;
        // Not awaited: whoever uses the value commits later in the log, and who tells it waits.
        Ok(txn.commit_visible()?)
    }
}

/// Who looks for a database that is gone.
fn gone(catalog: &Catalog) -> SqlError {
    let message = format!("database \"{}\" does not exist", catalog.database_name());
    SqlError::new(SqlState::INVALID_CATALOG_NAME, message)
        .with_detail("It seems to have just been dropped or renamed.")
}

/// Writes a definition change into the transaction that makes it; `catalog` is as it was before.
pub fn write_change(txn: &mut Transaction, catalog: &Catalog, change: &Change) -> Result<(), SqlError> {
    let database = if change.is_shared(catalog) { DATABASE_OID } else { catalog.database };
    match change {
        Change::Put(object) => {
            let (kind, oid) = object.key();
            txn.put(CATALOG_TREE, &codec::key_in(database, kind, oid), &codec::encode(object))?;
        }
        Change::Remove(kind, oid) => {
            txn.remove(CATALOG_TREE, &codec::key_in(database, *kind, *oid))?;
        }
    }
    Ok(())
}

fn put_value(txn: &mut Transaction, s: &Sequence, last: i64, is_called: bool) -> Result<(), SqlError> {
    let mut row = vec![u8::from(is_called)];
    row.extend(last.to_le_bytes());
    txn.put(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values), &row)?;
    Ok(())
}

/// The values of a sequence that go on from where another's are.
pub fn copy_value(
    txn: &mut Transaction,
    s: &Sequence,
    (last, is_called, _): (i64, bool, Basis),
) -> Result<(), SqlError> {
    put_value(txn, s, last, is_called)
}
