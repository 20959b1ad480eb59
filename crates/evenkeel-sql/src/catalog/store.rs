//! The persistent catalog and its committed version in memory.
//!
//! Invariants:
//! 1. A catalog version is published after its transaction has committed in the engine and before its table locks are released.
//! 2. OIDs and sequence values are reserved by transactions of their own: rolled-back users leave gaps, never duplicates. Who tells a value waits
//!    until its reservation is durable.
//!
//! Must not know: sessions, SQL text.

use super::*;
use std::collections::HashSet;

use evenkeel::{Direction, KeyRange, Lsn, Transaction, TxnOptions};
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
pub struct CatalogStore {
    db: Database,
    current: RwLock<Arc<Catalog>>,
    current_version: AtomicU64,
    next_version: AtomicU64,
    oids: Mutex<Oids>,
}

/// Sequence values in memory.
#[derive(Clone, Copy, Debug)]
pub struct Reserved {
    last: i64,
    is_called: bool,
    /// Values that may be handed out before the next write.
    left: i64,
    /// What must be durable before they are told.
    lsn: Lsn,
}

impl Reserved {
    /// From its row, which is durable.
    fn decode(row: &[u8]) -> Result<Reserved, SqlError> {
        let bad = || SqlError::internal("sequence row");
        let (called, last) = row.split_first().ok_or_else(bad)?;
        let last = i64::from_le_bytes(last.try_into().map_err(|_| bad())?);
        Ok(Reserved { last, is_called: *called != 0, left: 0, lsn: Lsn(0) })
    }
}

impl CatalogStore {
    /// Reads the catalog; makes one in an empty database.
    pub fn open(db: &Database) -> Result<CatalogStore, SqlError> {
        let mut txn = db.begin(TxnOptions::default());
        txn.begin_statement();
        let mut cursor = txn.cursor(CATALOG_TREE, KeyRange::all(), Direction::Forward)?;
        let mut changes = Vec::new();
        let (mut counts, mut values) = (Vec::new(), Vec::new());
        let mut next_oid = FIRST_USER_OID;
        while let Some((key, value)) = cursor.next(&mut txn)? {
            let Some((kind, oid)) = codec::read_key(key) else { continue };
            match kind {
                0 => next_oid = value.try_into().map(u32::from_le_bytes).unwrap_or(next_oid),
                1 => changes.push(Change::Put(codec::decode(Kind::Schema, oid, value)?)),
                2 => changes.push(Change::Put(codec::decode(Kind::Table, oid, value)?)),
                3 => changes.push(Change::Put(codec::decode(Kind::Sequence, oid, value)?)),
                4 => values.push((oid, Reserved::decode(value)?)),
                5 => {
                    if let Ok(bytes) = value.try_into() {
                        counts.push((oid, i64::from_le_bytes(bytes)));
                    }
                }
                _ => {}
            }
        }
        drop(cursor);
        let system = [
            (PG_CATALOG_OID, "pg_catalog"),
            (PUBLIC_OID, "public"),
            (INFORMATION_SCHEMA_OID, "information_schema"),
        ];
        if changes.is_empty() {
            let public = Object::Schema(Arc::new(Schema { oid: PUBLIC_OID, name: "public".into() }));
            txn.put(CATALOG_TREE, &codec::key(Kind::Schema, PUBLIC_OID), &codec::encode(&public))?;
            txn.commit()?;
            changes.push(Change::Put(public));
        }
        for (oid, name) in system {
            if oid != PUBLIC_OID {
                changes.push(Change::Put(Object::Schema(Arc::new(Schema { oid, name: name.into() }))));
            }
        }
        let catalog = Catalog::default().with_changes(&changes, 1);
        for (oid, count) in counts {
            if let Some(t) = catalog.table(oid) {
                t.shared.row_count.store(count, Ordering::Relaxed);
            }
        }
        let values: HashMap<u32, Reserved> = values.into_iter().collect();
        for s in catalog.sequences() {
            *s.shared.reserved.lock() = values.get(&s.values).copied();
        }
        Ok(CatalogStore {
            db: db.clone(),
            current: RwLock::new(Arc::new(catalog)),
            current_version: AtomicU64::new(1),
            next_version: AtomicU64::new(2),
            oids: Mutex::new(Oids { next: next_oid, reserved_to: next_oid }),
        })
    }

    /// Removes the values of sequences that began again, and of those whose new beginning was undone: whoever restarts one leaves them
    /// where they are, so that nobody has to wait. Only before the first session.
    pub fn remove_left_values(&self) -> Result<(), SqlError> {
        let used: HashSet<u32> = self.current().sequences().map(|s| s.values).collect();
        let mut txn = self.db.begin(TxnOptions::default());
        txn.begin_statement();
        let all = KeyRange::prefix(&[Kind::SequenceValue as u8]);
        let mut cursor = txn.cursor(CATALOG_TREE, all, Direction::Forward)?;
        let mut left = Vec::new();
        while let Some((key, _)) = cursor.next(&mut txn)? {
            left.extend(
                codec::read_key(key).map(|(_, values)| values).filter(|values| !used.contains(values)),
            );
        }
        drop(cursor);
        for values in &left {
            txn.delete(CATALOG_TREE, &codec::key(Kind::SequenceValue, *values))?;
        }
        if !left.is_empty() {
            txn.commit()?;
        }
        Ok(())
    }

    /// The committed version's number: one atomic load.
    pub fn version(&self) -> u64 {
        self.current_version.load(Ordering::Acquire)
    }

    /// The committed catalog.
    pub fn current(&self) -> Arc<Catalog> {
        self.current.read().clone()
    }

    /// A version number never used before.
    pub fn new_version(&self) -> u64 {
        self.next_version.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a committed transaction's changes visible to all (invariant 1).
    pub fn publish(&self, changes: &[Change]) {
        let mut current = self.current.write();
        let version = self.new_version();
        *current = Arc::new(current.with_changes(changes, version));
        self.current_version.store(version, Ordering::Release);
    }

    /// A new OID (invariant 2).
    pub fn new_oid(&self) -> Result<u32, SqlError> {
        let mut oids = self.oids.lock();
        if oids.next == oids.reserved_to {
            let reserve = oids.next.checked_add(OID_BATCH).ok_or_else(|| {
                SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "out of object identifiers")
            })?;
            let mut txn = self.db.begin(TxnOptions::default());
            txn.put(CATALOG_TREE, &codec::key(Kind::Counter, 0), &reserve.to_le_bytes())?;
            txn.commit()?;
            oids.reserved_to = reserve;
        }
        oids.next += 1;
        Ok(oids.next - 1)
    }

    /// The next value of a sequence, and what must be durable before it is told (invariant 2).
    pub fn sequence_next(&self, s: &Sequence) -> Result<(i64, Lsn), SqlError> {
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
        state = Reserved { last: value, is_called: true, left: state.left - 1, lsn: state.lsn };
        if state.left < 0 {
            let mut ahead = value;
            for _ in 0..SEQUENCE_BATCH {
                match ahead.checked_add(s.increment).filter(|v| (s.min..=s.max).contains(v)) {
                    Some(v) => ahead = v,
                    None => break,
                }
            }
            state.lsn = self.write_sequence(s, ahead, true)?;
            state.left = SEQUENCE_BATCH;
        }
        *reserved = Some(state);
        Ok((value, state.lsn))
    }

    /// The last value of a sequence and whether it was handed out, and what must be durable before they are told (invariant 2).
    pub fn sequence_state(&self, s: &Sequence) -> Result<(i64, bool, Lsn), SqlError> {
        let mut reserved = s.shared.reserved.lock();
        let state = match *reserved {
            Some(r) => r,
            None => *reserved.insert(self.read_sequence(s)?),
        };
        Ok((state.last, state.is_called, state.lsn))
    }

    /// `setval`; gives what must be durable before it is told.
    pub fn sequence_set(&self, s: &Sequence, value: i64, is_called: bool) -> Result<Lsn, SqlError> {
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
        let lsn = self.write_sequence(s, value, is_called)?;
        *reserved = Some(Reserved { last: value, is_called, left: 0, lsn });
        Ok(lsn)
    }

    fn read_sequence(&self, s: &Sequence) -> Result<Reserved, SqlError> {
        let mut txn = self.db.begin(TxnOptions::default());
        txn.begin_statement();
        let row = txn.get(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values))?;
        match row {
            Some(row) => Reserved::decode(&row),
            None => Ok(Reserved { last: s.start, is_called: false, left: 0, lsn: Lsn(0) }),
        }
    }

    fn write_sequence(&self, s: &Sequence, last: i64, is_called: bool) -> Result<Lsn, SqlError> {
        let mut txn = self.db.begin(TxnOptions::default());
        txn.defer_durability();
        let mut row = vec![u8::from(is_called)];
        row.extend(last.to_le_bytes());
        txn.put(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values), &row)?;
        // Not awaited: whoever uses the value commits later in the log, and who tells it waits.
        Ok(txn.commit_visible()?)
    }
}

/// Writes a definition change into the transaction that makes it.
pub fn write_change(txn: &mut Transaction, change: &Change) -> Result<(), SqlError> {
    match change {
        Change::Put(object) => {
            let (kind, oid) = match object {
                Object::Schema(s) => (Kind::Schema, s.oid),
                Object::Table(t) => (Kind::Table, t.oid),
                Object::Sequence(s) => (Kind::Sequence, s.oid),
            };
            txn.put(CATALOG_TREE, &codec::key(kind, oid), &codec::encode(object))?;
        }
        Change::Remove(kind, oid) => {
            txn.delete(CATALOG_TREE, &codec::key(*kind, *oid))?;
        }
    }
    Ok(())
}
