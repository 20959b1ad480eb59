//! The archive against a real S3 server, and against one whose connections are cut, delayed and answered with errors: nothing is lost, and errors say what is wrong.
//!
//! Without a server (see `common`) these tests say so, and do nothing.

mod common;

use common::{Proxy, Spoiled, bucket, request, server, store};
use evenkeel::archive::{
    ArchiveStore, Keep, StoreError, Unwanted, object_name, plan_removal, remove, verify,
};
use evenkeel::io::{SimDisk, SimOptions};
use evenkeel::recovery::Target;
use evenkeel::restore::{RestoreOptions, restore_on};
use evenkeel::{BackupOptions, Database, Direction, KeyRange, Options, TreeId, TxnOptions};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

fn options(seed: u64) -> Options {
    Options::default()
        .without_threads()
        .with_seed(seed)
        .with("shared_buffers", "512kB")
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("wal_buffers", "256kB"))
        .and_then(|o| o.with("max_wal_size", "256kB"))
        .and_then(|o| o.with("archive_timeout", "0"))
        .unwrap()
}

fn disk(seed: u64) -> SimDisk {
    SimDisk::new(SimOptions { seed, ..SimOptions::default() })
}

struct Load {
    db: Database,
    tree: TreeId,
    rows: BTreeMap<Vec<u8>, Vec<u8>>,
    now: u64,
}

impl Load {
    fn new(disk: &SimDisk, store: Arc<dyn ArchiveStore>, seed: u64) -> Load {
        let options = options(seed).with_archive_store(store).with_archive_place("here");
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        let mut t = db.begin(TxnOptions::default());
        let tree = t.create_tree().unwrap();
        t.commit().unwrap();
        Load { db, tree, rows: BTreeMap::new(), now: 0 }
    }

    fn write(&mut self, transactions: u64) {
        for _ in 0..transactions {
            let mut t = self.db.begin(TxnOptions::default());
            for _ in 0..8 {
                let n = self.rows.len() as u64;
                let key = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes().to_vec();
                let value = vec![n as u8; 300];
                t.put(self.tree, &key, &value).unwrap();
                self.rows.insert(key, value);
            }
            t.commit().unwrap();
        }
    }

    fn attempt(&mut self) -> evenkeel::Result<usize> {
        self.now += 1000;
        self.db.step_archive(Duration::from_secs(self.now))
    }

    /// Archives until nothing is left to do, however often that fails; gives the number of failures.
    fn archive(&mut self) -> u64 {
        let mut failures = 0;
        loop {
            match self.attempt() {
                Ok(0) => return failures,
                Ok(_) => {}
                Err(e) => {
                    failures += 1;
                    assert!(failures < 1000, "{e}");
                }
            }
        }
    }

    /// A backup, begun anew as often as it takes.
    fn backup(&mut self) -> String {
        for _ in 0..20 {
            match self.db.backup(&BackupOptions::default(), &mut |_| ControlFlow::Continue(())) {
                Ok(manifest) => return manifest.id,
                Err(e) => println!("a backup failed: {e}"),
            }
        }
        panic!("no backup succeeds");
    }
}

fn assert_whole(store: &dyn ArchiveStore, segments: u64) {
    let report = verify(store).unwrap();
    assert!(report.problems.is_empty(), "{:#?}", report.problems);
    assert_eq!(report.stretches.len(), 1, "{report:?}");
    assert!(report.segments >= segments, "{report:?}");
}

fn assert_restores(store: Arc<dyn ArchiveStore>, load: &Load, what: &str) {
    let disk = disk(99);
    let options =
        RestoreOptions { target: Target::Latest, settings: options(99), ..RestoreOptions::default() };
    restore_on(store, Arc::new(disk.clone()), &options, &|_| {}).unwrap_or_else(|e| panic!("{what}: {e}"));
    let db = Database::open_on(Arc::new(disk), self::options(98)).unwrap();
    let mut t = db.begin(TxnOptions::default());
    let mut cursor = t.cursor(load.tree, KeyRange::all(), Direction::Forward).unwrap();
    let mut rows = BTreeMap::new();
    while let Some((k, v)) = cursor.next(&mut t).unwrap() {
        rows.insert(k.to_vec(), v.to_vec());
    }
    assert!(rows == load.rows, "{what}: {} rows, {} expected", rows.len(), load.rows.len());
}

#[test]
fn objects_are_made_once_and_replaced_by_who_read_them_last() {
    let Some(server) = server() else { return };
    let s = store(server, &bucket(server));
    assert!(s.get("x").unwrap().is_none() && s.list("").unwrap().is_empty());
    s.create("wal/1/x", b"one").unwrap();
    assert!(matches!(s.create("wal/1/x", b"two"), Err(StoreError::Exists(_))));
    let (bytes, version) = s.get("wal/1/x").unwrap().unwrap();
    assert_eq!(bytes, b"one");
    s.replace("wal/1/x", b"two", &version).unwrap();
    assert!(matches!(s.replace("wal/1/x", b"three", &version), Err(StoreError::Changed(_))));
    assert_eq!(s.list_sizes("wal/").unwrap(), [("wal/1/x".to_owned(), 3)]);
    assert_eq!(s.len_bytes("wal/1/x").unwrap(), Some(3));
    s.delete("wal/1/x").unwrap();
    s.delete("wal/1/x").unwrap();
    assert!(s.list("").unwrap().is_empty());
}

#[test]
fn an_archive_a_backup_and_a_restore() {
    let Some(server) = server() else { return };
    let s: Arc<dyn ArchiveStore> = Arc::new(store(server, &bucket(server)));
    let mut load = Load::new(&disk(1), s.clone(), 1);
    load.write(60);
    load.backup();
    load.write(60);
    load.archive();
    load.db.set_setting("archive_timeout", "1s").unwrap();
    load.attempt().unwrap();
    assert_whole(&*s, 4);
    assert_restores(s, &load, "over S3");
}

#[test]
fn old_backups_and_their_log_are_removed() {
    let Some(server) = server() else { return };
    let s: Arc<dyn ArchiveStore> = Arc::new(store(server, &bucket(server)));
    let mut load = Load::new(&disk(2), s.clone(), 2);
    let mut ids = Vec::new();
    for _ in 0..3 {
        load.write(60);
        load.db.checkpoint().unwrap();
        ids.push(load.backup());
    }
    load.write(20);
    load.archive();
    let keep = Unwanted::AllBut(Keep { last: 1, for_ms: None });
    let removal = plan_removal(&*s, &keep, u64::MAX / 2).unwrap();
    assert_eq!(removal.kept, [ids[2].clone()]);
    remove(&*s, &removal, &mut |_| {}).unwrap();
    assert!(s.list(&format!("backups/{}/", ids[0])).unwrap().is_empty());
    assert!(s.get(&object_name(1, 1)).unwrap().is_none(), "log that nobody needs is gone");
    load.db.set_setting("archive_timeout", "1s").unwrap();
    load.attempt().unwrap();
    assert_whole(&*s, 1);
    assert_restores(s, &load, "from the backup that was kept");
}

/// Archives, backs up and restores over connections that are spoiled one way or the other.
fn survives(seed: u64, what: &str, mut spoiled: impl FnMut(&mut fastrand::Rng) -> Spoiled + Send + 'static) {
    let Some(server) = server() else { return };
    let bucket = bucket(server);
    let mut rng = fastrand::Rng::with_seed(seed);
    let proxy = Proxy::new(server, Box::new(move || spoiled(&mut rng)));
    let s: Arc<dyn ArchiveStore> = Arc::new(store(proxy.address, &bucket));
    let mut load = Load::new(&disk(seed), s.clone(), seed);
    load.write(50);
    let failures = load.archive();
    load.backup();
    load.write(50);
    let failures = failures + load.archive();
    load.db.set_setting("archive_timeout", "1s").unwrap();
    while load.attempt().is_err() {}
    println!(
        "{what}: {failures} steps of the archiver failed, {} connections",
        proxy.connections.load(std::sync::atomic::Ordering::Relaxed)
    );
    let direct = store(server, &bucket);
    assert_whole(&direct, 4);
    assert_eq!(load.db.archive_stats().unwrap().gaps, 0, "{what}");
    assert_restores(s, &load, what);
}

#[test]
fn connections_cut_in_the_middle_of_uploads() {
    survives(11, "cut uploads", |rng| match rng.u32(..3) {
        0 => Spoiled::CutRequest(rng.u64(1..6000)),
        _ => Spoiled::Not,
    });
}

#[test]
fn answers_that_are_lost() {
    survives(12, "lost answers", |rng| match rng.u32(..3) {
        0 => Spoiled::CutAnswer(rng.u64(0..300)),
        _ => Spoiled::Not,
    });
}

#[test]
fn a_server_that_answers_with_errors() {
    survives(13, "errors", |rng| match rng.u32(..4) {
        0 => Spoiled::Answer(500, "<Error><Code>InternalError</Code></Error>"),
        1 => Spoiled::Answer(503, "<Error><Code>SlowDown</Code></Error>"),
        _ => Spoiled::Not,
    });
}

#[test]
fn a_server_that_is_slow() {
    survives(14, "slow", |rng| match rng.u32(..2) {
        0 => Spoiled::Slow(Duration::from_millis(3)),
        _ => Spoiled::Not,
    });
}

#[test]
fn a_second_archiver_is_refused() {
    let Some(server) = server() else { return };
    let s: Arc<dyn ArchiveStore> = Arc::new(store(server, &bucket(server)));
    let mut one = Load::new(&disk(21), s.clone(), 21);
    one.write(40);
    one.archive();
    let mut two = Load::new(&disk(22), s.clone(), 22);
    two.write(40);
    let e = two.attempt().unwrap_err().to_string();
    assert!(e.contains("another database") && e.contains("s3://"), "{e}");
    one.write(40);
    one.archive();
    assert_whole(&*s, 2);
}

#[test]
fn a_bucket_that_vanishes_and_comes_back() {
    let Some(server) = server() else { return };
    let bucket = bucket(server);
    let gone = "<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>";
    let proxy = Proxy::new(server, Box::new(|| Spoiled::Not));
    let s: Arc<dyn ArchiveStore> = Arc::new(store(proxy.address, &bucket));
    let mut load = Load::new(&disk(31), s.clone(), 31);
    load.write(50);
    load.archive();
    let archived = load.db.archive_stats().unwrap().archived;
    // Connections that are kept open go on: a store of its own sees the change at once.
    proxy.set(Box::new(move || Spoiled::Answer(404, gone)));
    let fresh: Arc<dyn ArchiveStore> = Arc::new(store(proxy.address, &bucket));
    assert!(fresh.create("probe", b"").is_err());
    let e = restore_on(
        fresh,
        Arc::new(disk(32)),
        &RestoreOptions { attempts: 1, ..RestoreOptions::default() },
        &|_| {},
    )
    .unwrap_err()
    .to_string();
    assert!(e.contains("archive"), "{e}");
    load.write(80);
    proxy.set(Box::new(|| Spoiled::Not));
    load.archive();
    let stats = load.db.archive_stats().unwrap();
    assert!(stats.archived > archived && stats.gaps == 0, "{stats:?}");
    assert_whole(&store(server, &bucket), 3);
}

#[test]
fn a_bucket_that_is_not_there_yet() {
    let Some(server) = server() else { return };
    let bucket = bucket(server);
    assert_eq!(request(server, "DELETE", &format!("/{bucket}")), 204);
    let s: Arc<dyn ArchiveStore> = Arc::new(store(server, &bucket));
    let mut load = Load::new(&disk(33), s.clone(), 33);
    load.write(60);
    let e = load.attempt().unwrap_err().to_string();
    assert!(e.contains(&bucket) || e.contains("NoSuchBucket") || e.contains("owner"), "{e}");
    println!("{e}");
    load.write(60);
    assert_eq!(request(server, "PUT", &format!("/{bucket}")), 200);
    load.archive();
    assert!(s.get(&object_name(1, 1)).unwrap().is_some(), "from the first segment on");
    assert_whole(&*s, 3);
}
