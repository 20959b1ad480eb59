//! A workload that remembers the committed state at each of its moments, in an archived database; and restores of it.

use super::{Rows, archived, assert_sound, rows, small};
use evenkeel::archive::{ArchiveStore, LogMap, histories, lineage};
use evenkeel::archive::{MemoryStore, fill, unpack};
use evenkeel::io::{Disk, SimDisk};
use evenkeel::recovery::Target;
use evenkeel::restore::{RestoreOptions, Restored, restore_on};
use evenkeel::wal::files::SegmentSet;
use evenkeel::wal::reader::LogReader;
use evenkeel::wal::segment::Geometry;
use evenkeel::{
    BackupOptions, BackupProgress, Database, Lsn, Options, Result, Transaction, TreeId, TxnOptions,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub const GEOMETRY: Geometry = Geometry { segment_bytes: 64 * 1024 };

/// Committed contents: rows of each tree.
pub type State = BTreeMap<TreeId, Rows>;

/// A moment: behind a commit, or a restore point.
#[derive(Clone)]
pub struct Point {
    pub lsn: Lsn,
    pub txid: Option<u64>,
    pub name: Option<String>,
    pub state: Arc<State>,
}

/// A database at work.
pub struct Load {
    pub db: Database,
    rng: fastrand::Rng,
    pub state: State,
    pub points: Vec<Point>,
    /// A transaction that stays open for long, in the first tree, with keys of its own.
    long: Option<(Transaction, Rows)>,
    now: u64,
    names: u32,
    /// Its archive is at work.
    pub archives: bool,
}

impl std::fmt::Debug for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Load").field("points", &self.points.len()).finish_non_exhaustive()
    }
}

impl Load {
    /// Opens or creates a database in `place`, with the committed state that it is known to have.
    pub fn open(disk: &SimDisk, store: &MemoryStore, seed: u64, place: &str, state: State) -> Load {
        let options = archived(seed, store).with_archive_place(place);
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        let (rng, now) = (fastrand::Rng::with_seed(seed), 0);
        let mut load = Load { db, rng, state, points: Vec::new(), long: None, now, names: 0, archives: true };
        if load.state.is_empty() {
            load.create();
        }
        load
    }

    fn begin(&self) -> Transaction {
        self.db.begin(TxnOptions::default())
    }

    fn committed(&mut self, t: Transaction) {
        let txid = t.id();
        let lsn = t.commit().unwrap();
        self.points.push(Point { lsn, txid, name: None, state: Arc::new(self.state.clone()) });
    }

    fn create(&mut self) {
        let mut t = self.begin();
        let tree = t.create_tree().unwrap();
        self.state.insert(tree, Rows::new());
        self.committed(t);
    }

    fn any_tree(&mut self) -> TreeId {
        let n = self.rng.usize(..self.state.len());
        *self.state.keys().nth(n).unwrap()
    }

    fn key(&mut self) -> Vec<u8> {
        let mut key = self.rng.u16(..600).to_be_bytes().to_vec();
        key.resize(2 + self.rng.usize(..30), b'k');
        key
    }

    fn value(&mut self) -> Vec<u8> {
        let len = match self.rng.u32(..20) {
            0 => self.rng.usize(8_000..40_000),
            _ => self.rng.usize(..400),
        };
        let fill = self.rng.u8(..);
        (0..len).map(|i| fill.wrapping_add(i as u8)).collect()
    }

    /// A transaction, or something that goes on beside them.
    pub fn step(&mut self) {
        match self.rng.u32(..40) {
            0 if self.state.len() < 6 => self.create(),
            1 if self.state.len() > 2 => self.drop_last(),
            2 => self.rolled_back(),
            3 => self.delete_many(),
            4 => {
                let tree = self.any_tree();
                let _ = self.db.vacuum(tree).unwrap();
            }
            5..=9 => self.db.step_round().unwrap(),
            10 | 11 => drop(self.db.step_clean().unwrap()),
            12..=14 => drop(self.db.step_purge().unwrap()),
            15..=18 if self.archives => self.archive(),
            19 => self.mark(),
            20 | 21 => self.long_one(),
            _ => self.change(),
        }
    }

    fn change(&mut self) {
        let mut t = self.begin();
        for _ in 0..self.rng.usize(1..6) {
            let (tree, key, value) = (self.any_tree(), self.key(), self.value());
            t.put(tree, &key, &value).unwrap();
            self.state.get_mut(&tree).unwrap().insert(key, value);
        }
        self.committed(t);
    }

    fn delete_many(&mut self) {
        let tree = self.any_tree();
        let mut t = self.begin();
        let own = |k: &Vec<u8>| k[0] == 0xFF;
        let keys: Vec<_> = self.state[&tree].keys().filter(|k| !own(k)).cloned().collect();
        for key in keys.iter().filter(|_| self.rng.u32(..4) > 0) {
            _ = t.delete(tree, key).unwrap();
            self.state.get_mut(&tree).unwrap().remove(key);
        }
        if t.id().is_some() {
            self.committed(t);
        }
    }

    fn drop_last(&mut self) {
        let tree = *self.state.keys().last().unwrap();
        let mut t = self.begin();
        t.drop_tree(tree).unwrap();
        self.state.remove(&tree);
        self.committed(t);
    }

    fn rolled_back(&mut self) {
        let mut t = self.begin();
        for _ in 0..4 {
            let (tree, key, value) = (self.any_tree(), self.key(), self.value());
            t.put(tree, &key, &value).unwrap();
        }
        t.rollback().unwrap();
    }

    fn long_one(&mut self) {
        let tree = *self.state.keys().next().unwrap();
        match self.long.take() {
            Some((t, rows)) if self.rng.u32(..4) == 0 => {
                self.state.get_mut(&tree).unwrap().extend(rows);
                self.committed(t);
            }
            Some((t, _)) if self.rng.u32(..6) == 0 => t.rollback().unwrap(),
            open => {
                let (mut t, mut rows) = open.unwrap_or_else(|| (self.begin(), Rows::new()));
                let mut key = vec![0xFF];
                key.extend(self.key());
                let value = self.value();
                t.put(tree, &key, &value).unwrap();
                rows.insert(key, value);
                self.long = Some((t, rows));
            }
        }
    }

    pub fn mark(&mut self) {
        self.names += 1;
        let name = format!("point {}", self.names);
        let lsn = self.db.mark(&name).unwrap();
        self.points.push(Point { lsn, txid: None, name: Some(name), state: Arc::new(self.state.clone()) });
    }

    /// One step of the archiver.
    pub fn archive(&mut self) {
        self.now += 1000;
        self.db.step_archive(Duration::from_secs(self.now)).unwrap();
    }

    pub fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }

    /// A base backup, with transactions at each of its steps.
    pub fn backup(&mut self, options: &BackupOptions) -> evenkeel::archive::Manifest {
        let db = self.db.clone();
        let mut on = |_: &BackupProgress| {
            self.step();
            ControlFlow::Continue(())
        };
        db.backup(options, &mut on).unwrap()
    }

    /// Shuts down, with the end of the log archived; or leaves it as a crash does.
    pub fn end(mut self, cleanly: bool) -> Vec<Point> {
        if cleanly {
            if let Some((t, _)) = self.long.take() {
                t.rollback().unwrap();
            }
            self.db.set_setting("archive_timeout", "1s").unwrap();
            self.archive();
            self.db.close().unwrap();
        } else {
            std::mem::forget(self.long.take());
            self.db.abandon();
        }
        self.points
    }
}

/// Ends and times of the commits on a timeline, in order.
pub fn commits(store: &MemoryStore, timeline: u32) -> Vec<(Lsn, u64)> {
    let legs = lineage(&histories(store).unwrap(), timeline, &|_| Ok(true)).unwrap();
    let map = LogMap::read(store, GEOMETRY, 0, legs).unwrap();
    let mut set = SegmentSet::new();
    let mut first = None;
    for (n, at) in map.range(0, u64::MAX) {
        let (bytes, _) = store.get(&at.name).unwrap().unwrap();
        first.get_or_insert(n);
        set.add(n, Box::new(move || Ok(fill(&unpack(&bytes)?.0))));
    }
    let disk: &dyn Disk = &set;
    let mut reader = LogReader::open(&disk, GEOMETRY, GEOMETRY.start_of(first.unwrap())).unwrap();
    let mut found = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        if let Some(ms) = r.commit_time_ms() {
            found.push((r.end, ms));
        }
    }
    found
}

pub fn to(target: Target) -> RestoreOptions {
    // Each restore draws numbers of its own.
    static NEXT: AtomicU64 = AtomicU64::new(1 << 32);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let settings = match n % 3 {
        0 => small(n),
        // With threads that redo and read ahead.
        _ => Options::default()
            .with_seed(n)
            .with("shared_buffers", "1MB")
            .and_then(|o| o.with("recovery_workers", "3"))
            .unwrap(),
    };
    RestoreOptions { target, attempts: 1, workers: 2, window: 3, settings, ..RestoreOptions::default() }
}

/// Restores to a disk of its own.
pub fn restore(store: &MemoryStore, options: &RestoreOptions) -> Result<(SimDisk, Restored)> {
    let disk = super::disk(4711);
    let done = restore_on(Arc::new(store.clone()), Arc::new(disk.clone()), options, &|_| {})?;
    Ok((disk, done))
}

/// Opens what was restored and compares it.
pub fn assert_is(disk: &SimDisk, state: &State, what: &str) {
    let options = small(78).with("shared_buffers", "2MB").unwrap();
    let db = Database::open_on(Arc::new(disk.kill_copy()), options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let mut t = db.begin(TxnOptions::default());
    for (tree, expected) in state {
        let found = rows(&mut t, *tree).unwrap_or_else(|e| panic!("{what}: tree {}: {e}", tree.0));
        let missing = expected.keys().filter(|k| !found.contains_key(*k)).count();
        let more = found.keys().filter(|k| !expected.contains_key(*k)).count();
        assert!(
            found == *expected,
            "{what}: tree {}: {} rows, {} expected, {missing} missing, {more} too many",
            tree.0,
            found.len(),
            expected.len()
        );
    }
    drop(t);
    assert_sound(&db, what);
    let mut t = db.begin(TxnOptions::default());
    let first = *state.keys().next().unwrap();
    t.put(first, b"written afterwards", b"").unwrap();
    t.commit().unwrap();
}
