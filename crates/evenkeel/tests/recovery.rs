//! Redo by workers that read ahead leaves what redo by one leaves; recovery may be cut short anywhere; a start writes nothing home that it need not.

mod common;

use common::*;
use evenkeel::archive::{EndOfLog, fill, read_segment, strip};
use evenkeel::base::codec::{Reader, put_varint};
use evenkeel::base::{FileId, PAGE_BYTES, PageId, Poison};
use evenkeel::control::{Control, ControlData};
use evenkeel::io::{Access, CrashPolicy, Disk, OpenMode, SimCall, SimCallKind, SimDisk, write_all_at};
use evenkeel::pool::{Files, Pool};
use evenkeel::recovery::{self, Recovered, RedoOptions, RedoStats, Target, redo_log};
use evenkeel::space;
use evenkeel::store::Store;
use evenkeel::wal::record::{Kind, put_block, put_change_head, put_head};
use evenkeel::wal::segment::{self, Geometry, Header};
use evenkeel::wal::source::{LogSource, SegmentBytes};
use evenkeel::{Database, Error, Lsn, Options, RecoveryProgress, TreeId, TxnOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::io::IoSlice;
use std::sync::{Arc, Mutex};

/// What a crash left, and what is to be found in it.
struct Crashed {
    disk: SimDisk,
    /// As a killed process would leave it: no page is torn.
    killed: SimDisk,
    trees: BTreeMap<TreeId, Rows>,
    seed: u64,
}

fn put(db: &Database, tree: TreeId, key: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &key.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

/// Trees that grow, shrink, are cut and dropped, between rounds; in the end a transaction that never ends.
fn load(seed: u64, options: &Options) -> Crashed {
    let disk = disk(seed);
    let db = Database::open_on(Arc::new(disk.clone()), options.clone()).unwrap();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut trees: BTreeMap<TreeId, Rows> = BTreeMap::new();
    for _ in 0..3 {
        trees.insert(new_tree(&db), Rows::new());
    }
    for step in 0..60 {
        let ids: Vec<TreeId> = trees.keys().copied().collect();
        let tree = ids[rng.usize(..ids.len())];
        let rows = trees.get_mut(&tree).unwrap();
        match rng.u32(0..20) {
            0..=10 => {
                let mut t = db.begin(TxnOptions::default());
                for _ in 0..rng.u32(1..60) {
                    let key = rng.u32(0..600).to_be_bytes();
                    let value = vec![rng.u8(..); rng.usize(1..900)];
                    t.put(tree, &key, &value).unwrap();
                    rows.insert(key.to_vec(), value);
                }
                t.commit().unwrap();
            }
            11..=13 => {
                // Its tail becomes free, and the file is cut.
                let from = rng.u32(0..400).to_be_bytes();
                let mut t = db.begin(TxnOptions::default());
                for key in rows.split_off(&from[..]).into_keys() {
                    _ = t.delete(tree, &key).unwrap();
                }
                t.commit().unwrap();
                while db.step_purge().unwrap() > 0 {}
                db.vacuum(tree).unwrap();
            }
            14 if ids.len() > 2 => {
                let mut t = db.begin(TxnOptions::default());
                t.drop_tree(tree).unwrap();
                t.commit().unwrap();
                while db.step_purge().unwrap() > 0 {}
                trees.remove(&tree);
            }
            15 if ids.len() < 6 => _ = trees.insert(new_tree(&db), Rows::new()),
            16..=17 => db.step_round().unwrap(),
            18 => drop(db.step_clean().unwrap()),
            _ if step % 2 == 0 => put(&db, tree, 7, b"seven"),
            _ => continue,
        }
        if step % 2 == 0 && rng.u32(0..20) == 19 {
            db.step_round().unwrap();
        }
        if let Some(rows) = trees.get_mut(&tree)
            && let Some(seven) = db.begin(TxnOptions::default()).get(tree, &7u32.to_be_bytes()).unwrap()
        {
            rows.insert(7u32.to_be_bytes().to_vec(), seven.to_vec());
        }
    }
    let mut loser = db.begin(TxnOptions::default());
    for tree in trees.keys() {
        for key in 0..20u32 {
            loser.put(*tree, &key.to_be_bytes(), b"never committed").unwrap();
        }
    }
    let flushed = db.log();
    flushed.flush(flushed.completed()).unwrap();
    let crashed = Crashed { disk: disk.crash_copy(seed), killed: disk.kill_copy(), trees, seed };
    std::mem::forget(loser);
    db.abandon();
    crashed
}

impl Crashed {
    fn assert_recovers(&self, disk: &SimDisk, options: Options, what: &str) {
        let what = &format!("seed {}, {what}", self.seed);
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap_or_else(|e| panic!("{what}: {e}"));
        self.assert_contents(&db, what);
        assert_sound(&db, what);
        db.abandon();
    }

    fn assert_contents(&self, db: &Database, what: &str) {
        for (tree, rows) in &self.trees {
            let found = committed(db, *tree).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(found == *rows, "{what}: tree {} differs", tree.0);
        }
    }
}

/// Redo alone: pool and outcome.
struct Redone {
    pool: Pool,
    recovered: Recovered,
}

fn control_of(disk: &SimDisk) -> ControlData {
    Control::open(disk).unwrap().1
}

fn redo(disk: &SimDisk, frames: usize, target: &Target, options: &RedoOptions) -> evenkeel::Result<Redone> {
    redo_from(&(disk as &dyn Disk), disk, &control_of(disk), frames, target, options)
}

fn redo_from(
    source: &dyn LogSource,
    disk: &SimDisk,
    control: &ControlData,
    frames: usize,
    target: &Target,
    options: &RedoOptions,
) -> evenkeel::Result<Redone> {
    let files = Arc::new(Files::new(Arc::new(disk.clone())));
    let pool = Pool::new(frames, control.partitions, files, Arc::new(Poison::default()));
    recovery::repair_torn_pages(disk, pool.files(), control)?;
    match redo_log(source, &pool, control, target, options, &mut |_| {})? {
        recovery::Redone::Done(recovered) => Ok(Redone { pool, recovered: *recovered }),
        recovery::Redone::Damaged(damage) => Err(Error::corrupt(damage.to_string())),
    }
}

/// Every page in use, by the files' maps. What is in others, or behind a file's end, depends on what went home before it was freed or cut off.
fn pages(redone: &Redone) -> BTreeMap<PageId, Vec<u8>> {
    let mut all = BTreeMap::new();
    let read = |id| redone.pool.read(id).unwrap_or_else(|e| panic!("{id}: {e}"));
    for file in redone.pool.files().list().unwrap() {
        let handle = redone.pool.files().must_get(file).unwrap();
        if handle.is_empty().unwrap() {
            continue;
        }
        let map = read(PageId::new(file, 0)).to_vec();
        // A file that was created, and nothing else.
        let Ok(total) = space::total_blocks(&map) else { continue };
        assert!(total < space::MAP_BLOCKS);
        assert!(handle.len().unwrap() >= u64::from(total) * PAGE_BYTES as u64, "{file:?}");
        for block in (0..total).filter(|b| space::bit(&map, *b)) {
            let id = PageId::new(file, block);
            let mut bytes = read(id).to_vec();
            // The checksum is made when a page goes home, and what is in the hole of a page does not count.
            bytes[..4].fill(0);
            let hole = evenkeel::page::hole(&bytes);
            bytes[hole].fill(0);
            all.insert(id, bytes);
        }
    }
    all
}

fn one_by_one() -> RedoOptions {
    RedoOptions { workers: 1, threads: false, prefetch: false, ..RedoOptions::default() }
}

fn by_many(look_ahead_bytes: u64) -> RedoOptions {
    RedoOptions { workers: 4, threads: true, prefetch_threads: 3, look_ahead_bytes, ..RedoOptions::default() }
}

/// However few pages the log is about: what waits is bounded by the look-ahead.
#[test]
fn what_waits_for_its_turn_is_bounded_by_the_look_ahead() {
    let disk = disk(3);
    let options = small(3).with("torn_page_protection", "double_write");
    let db = open_with(&disk, options.and_then(|o| o.with("max_wal_size", "1GB")).unwrap());
    let tree = new_tree(&db);
    (0..3000).for_each(|n| put(&db, tree, n % 20, &[n as u8; 100]));
    let distance = |look_ahead| {
        let redone = redo(&disk.kill_copy(), 4096, &Target::Latest, &by_many(look_ahead)).unwrap();
        redone.recovered.stats.wal_distance_max
    };
    let (all, few) = (distance(1 << 30), distance(32 << 10));
    assert!(all > 300_000 && few < 100_000, "{all}, {few}");
}

#[test]
fn a_loser_is_small_by_its_changes() {
    let crashed = load(1, &small(1));
    let redone = redo(&crashed.disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
    let geometry = Geometry { segment_bytes: control_of(&crashed.disk).segment_bytes };
    let (disk, loser): (&dyn Disk, _) = (&crashed.disk, &redone.recovered.losers[0]);
    let is_small = |max| Store::is_small_loser(&disk, geometry, loser, max).unwrap();
    assert!(!is_small(0) && is_small(10_000));
}

#[test]
fn workers_that_read_ahead_leave_the_same_pages_as_one_that_does_not() {
    let mut seen = RedoStats::default();
    for seed in 0..200 {
        // How much log there is to replay is a matter of when rounds ran: some runs take a few more loads until one had enough.
        if seed >= 40 && seen.block_distance_max > 60 {
            break;
        }
        let protection = ["full_page_writes", "double_write"][seed as usize % 2];
        let crashed = load(seed, &small(seed).with("torn_page_protection", protection).unwrap());
        // With 64 frames pages go home and come back all the time.
        let frames = if seed % 4 == 0 { 64 } else { 4096 };
        let plain = redo(&crashed.disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
        let many = redo(&crashed.disk.kill_copy(), frames, &Target::Latest, &by_many(1 << (12 + seed % 12)))
            .unwrap();
        let (a, b) = (&plain.recovered, &many.recovered);
        assert_eq!((a.end, a.next_txn, a.next_tree), (b.end, b.next_txn, b.next_tree), "seed {seed}");
        assert_eq!(a.losers, b.losers, "seed {seed}");
        assert!(!a.losers.is_empty());
        assert_eq!(a.stats.records, b.stats.records, "seed {seed}");
        let (a, b) = (pages(&plain), pages(&many));
        assert!(a.len() > 10 && a.keys().eq(b.keys()), "seed {seed}");
        for (id, page) in &a {
            assert!(b[id] == *page, "seed {seed}: {id} differs");
        }
        let s = many.recovered.stats;
        seen.prefetch += s.prefetch;
        seen.skip_fpw += s.skip_fpw;
        seen.skip_init += s.skip_init;
        seen.skip_rep += s.skip_rep;
        seen.skip_new += s.skip_new;
        seen.hit += s.hit;
        seen.io_depth_max = seen.io_depth_max.max(s.io_depth_max);
        seen.block_distance_max = seen.block_distance_max.max(s.block_distance_max);
    }
    let RedoStats { prefetch, skip_fpw, skip_init, skip_rep, skip_new, hit, io_depth_max, .. } = seen;
    assert!(seen.block_distance_max > 60, "a wave looks at many records at once: {seen:?}");
    assert!(
        prefetch > 100 && skip_fpw > 100 && skip_init > 100 && skip_rep > 100 && skip_new > 0 && hit > 0,
        "{seen:?}"
    );
    assert!(io_depth_max <= 3, "{seen:?}");
}

#[test]
fn a_database_recovers_to_the_same_contents_however_many_work_at_it() {
    for seed in 100..115 {
        let crashed = load(seed, &small(seed));
        for (workers, prefetch, threads) in
            [("1", "off", false), ("3", "on", false), ("1", "on", true), ("4", "on", true)]
        {
            let options = small(seed)
                .with("recovery_workers", workers)
                .and_then(|o| o.with("recovery_prefetch", prefetch))
                .and_then(|o| o.with("recovery_look_ahead", "64kB"))
                .unwrap();
            let what = format!("{workers} workers, prefetch {prefetch}, threads {threads}");
            let disk = crashed.disk.kill_copy();
            if threads {
                let options = with_threads(&options);
                let db = Database::open_on(Arc::new(disk), options).unwrap();
                crashed.assert_contents(&db, &what);
                let stats = db.redo_stats();
                assert!(stats.records > 0 && stats.blocks > 0 && stats.workers.to_string() == workers);
                db.abandon();
            } else {
                crashed.assert_recovers(&disk, options, &what);
            }
        }
    }
}

/// The same settings, with background threads.
fn with_threads(options: &Options) -> Options {
    let mut threaded = Options::default();
    for s in options.settings() {
        if !matches!(s.name.as_str(), "full_page_writes" | "archive_url") {
            threaded.set(&s.name, &s.value).unwrap();
        }
    }
    threaded
}

/// A crash at one of the calls of a recovery and the beginning of the life after it, each as likely as the others.
fn cut_short(disk: &SimDisk, options: Options, seed: u64) -> SimDisk {
    let chosen: Arc<Mutex<Option<SimDisk>>> = Arc::default();
    let sink = chosen.clone();
    let (mut rng, mut n) = (fastrand::Rng::with_seed(seed), 0);
    disk.set_hook(Some(Box::new(move |_: &SimCall, disk: &SimDisk| {
        n += 1;
        if rng.u64(..n) == 0 {
            *sink.lock().unwrap() = Some(disk.crash_copy(rng.u64(..)));
        }
    })));
    let db =
        Database::open_on(Arc::new(disk.clone()), options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    // Now and then it is the life after the recovery that is cut short, before or in its rounds.
    if seed.is_multiple_of(2) {
        db.step_round().unwrap();
        db.step_clean().unwrap();
    }
    disk.set_hook(None);
    db.abandon();
    chosen.lock().unwrap().take().expect("a start changes the disk")
}

#[test]
fn a_recovery_cut_short_two_hundred_times_comes_to_the_same_end() {
    for seed in 200..204 {
        let crashed = load(seed, &small(seed));
        let mut disk = crashed.disk.kill_copy();
        let mut rng = fastrand::Rng::with_seed(seed);
        for n in 0..200 {
            let options = small(rng.u64(..))
                .with("recovery_workers", ["1", "2", "4"][rng.usize(..3)])
                .and_then(|o| o.with("recovery_look_ahead", ["64kB", "8MB"][rng.usize(..2)]))
                .unwrap();
            let options = if rng.u32(0..4) == 0 { with_threads(&options) } else { options };
            disk = cut_short(&disk, options, rng.u64(..));
            if n % 20 == 19 {
                let many = by_many(64 << 10);
                let redone = redo(&disk.kill_copy(), 256, &Target::Latest, &many);
                assert!(redone.is_ok(), "seed {seed}, {n}: {:?}", redone.err());
                crashed.assert_recovers(&disk.kill_copy(), small(seed), &format!("cut short {n} times"));
            }
        }
        crashed.assert_recovers(&disk, small(seed), "in the end");
    }
}

#[test]
fn a_start_writes_no_page_home_for_its_own_sake_and_leaves_the_pool_warm() {
    let roomy = || small(1).with("shared_buffers", "64MB").unwrap();
    let crashed = load(300, &roomy());
    let written: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = written.clone();
    crashed.disk.set_hook(Some(Box::new(move |call: &SimCall, _: &SimDisk| {
        if call.kind == SimCallKind::Write && call.path.starts_with("data/") {
            sink.lock().unwrap().push(call.path.to_string());
        }
    })));
    let db = Database::open_on(Arc::new(crashed.disk.clone()), roomy()).unwrap();
    crashed.disk.set_hook(None);
    assert!(written.lock().unwrap().is_empty(), "{:?}", written.lock().unwrap());
    let reads = db.stats().buffer_reads;
    let before = control_of(&crashed.disk);
    assert!(!before.clean && before.redo.iter().all(|l| *l < db.durable_lsn()));
    // What was redone is there; only what nobody has changed since its round must be read.
    let changed = db.stats().buffers_dirty;
    assert!(changed > 10 && db.stats().buffers_checkpoint == 0);
    crashed.assert_contents(&db, "warm");
    let missed = db.stats().buffer_reads - reads;
    assert!(missed < changed / 4, "{missed} pages read, {changed} dirty");
    // Rounds bring the redo points into this life one after the other, and the log of the last one goes.
    for _ in 0..before.redo.len() {
        db.step_round().unwrap();
    }
    let after = control_of(&crashed.disk);
    assert!(after.redo.iter().zip(&before.redo).all(|(a, b)| a > b), "{after:?}");
    assert!(after.log_needed > before.log_needed);
    crashed.assert_recovers(&crashed.disk.kill_copy(), roomy(), "after its rounds");
    db.abandon();
}

#[test]
fn lives_that_end_before_their_first_round_add_up() {
    let crashed = load(301, &small(1));
    let mut disk = crashed.disk.kill_copy();
    let first = control_of(&disk);
    let mut trees = crashed.trees.clone();
    for life in 0..6u32 {
        let options = small(u64::from(life)).with("recovery_workers", ["1", "4"][life as usize % 2]).unwrap();
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        for (tree, rows) in &mut trees {
            let (key, value) = (10_000 + life, [life as u8; 300]);
            put(&db, *tree, key, &value);
            rows.insert(key.to_be_bytes().to_vec(), value.to_vec());
        }
        let next = disk.crash_copy(u64::from(life));
        db.abandon();
        disk = next;
        assert_eq!(control_of(&disk).redo, first.redo, "no round has ended");
    }
    let all = Crashed { disk: disk.clone(), killed: disk.kill_copy(), trees, seed: 301 };
    all.assert_recovers(&disk, small(9), "after six lives");
}

#[test]
fn a_file_that_came_after_the_copy_is_made_by_redo() {
    let mut made = 0;
    for seed in 400..420 {
        let crashed = load(seed, &small(seed));
        let source = crashed.disk.kill_copy();
        let control = control_of(&source);
        let whole = redo(&source.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
        // Files whose first block the log initialises, at or past its redo point.
        let new: Vec<FileId> = created_by_the_log(&source, &control)
            .into_iter()
            .filter(|f| whole.pool.files().get(*f).unwrap().is_some())
            .collect();
        let copy = source.kill_copy();
        for file in &new {
            let path = format!("data/{}", file.0);
            // Some names were not durable at the crash.
            if copy.exists(&path).unwrap() {
                copy.remove(&path).unwrap();
            }
            made += 1;
        }
        for options in [one_by_one(), by_many(16 << 10)] {
            let redone = redo(&copy.kill_copy(), 4096, &Target::Latest, &options).unwrap();
            let (a, b) = (pages(&whole), pages(&redone));
            assert!(a == b, "seed {seed}: {:?} and others", a.keys().find(|id| a.get(id) != b.get(id)));
        }
        crashed.assert_recovers(&copy, small(seed), "without the new files");
    }
    assert!(made > 5, "{made}");
}

fn created_by_the_log(disk: &SimDisk, control: &ControlData) -> Vec<FileId> {
    let mut found = Vec::new();
    each_record(disk, control, &mut |rec| {
        for b in rec.blocks.iter().filter(|b| b.init && b.page.block.0 == 0) {
            if rec.lsn >= control.redo[control.partitions.of(b.page)] {
                found.push(b.page.file);
            }
        }
    });
    found
}

fn each_record(disk: &SimDisk, control: &ControlData, f: &mut dyn FnMut(&evenkeel::wal::record::Record<'_>)) {
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let from = *control.redo.iter().min().unwrap();
    let source = disk as &dyn Disk;
    let mut reader = evenkeel::wal::reader::LogReader::open(&source, geometry, from).unwrap();
    while let Some(rec) = reader.next().unwrap() {
        f(&rec);
    }
}

#[test]
fn the_loads_of_these_tests_cut_and_drop_files() {
    let (mut cuts, mut drops) = (0, 0);
    for seed in 0..40 {
        let crashed = load(seed, &small(seed));
        each_record(&crashed.disk, &control_of(&crashed.disk), &mut |rec| {
            cuts += u32::from(rec.kind == Kind::Truncate);
            drops += u32::from(rec.kind == Kind::DropFile);
        });
    }
    assert!(cuts > 10 && drops > 3, "{cuts} cuts, {drops} drops");
}

/// The log of a folder, without images, as an archive has it.
struct Stripped(SimDisk);

impl LogSource for Stripped {
    fn open(&self, number: u64) -> evenkeel::Result<Option<(SegmentBytes, Header)>> {
        if segment::open(&self.0, number)?.is_none() {
            return Ok(None);
        }
        let bytes = self.0.contents(&segment::path(number)).unwrap();
        let mut cut = read_segment(bytes, EndOfLog::Unknown)?;
        strip(&mut cut)?;
        let header = cut.header;
        Ok(Some((SegmentBytes::Memory(fill(&cut).into()), header)))
    }
}

#[test]
fn a_log_without_images_is_redone_onto_whole_pages() {
    let mut images = 0;
    for seed in 500..510 {
        let crashed = load(seed, &small(seed));
        let disk = crashed.killed.kill_copy();
        let control = control_of(&disk);
        each_record(&disk, &control, &mut |rec| {
            images += rec.blocks.iter().filter(|b| b.image.is_some()).count();
        });
        let source = Stripped(disk.kill_copy());
        let whole = redo(&disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
        for options in [one_by_one(), by_many(64 << 10)] {
            match redo_from(&source, &disk.kill_copy(), &control, 4096, &Target::Latest, &options) {
                Ok(redone) => {
                    let s = redone.recovered.stats;
                    assert!(pages(&whole) == pages(&redone), "seed {seed}");
                    assert!(s.skip_fpw < whole.recovered.stats.skip_fpw.max(1), "seed {seed}: {s:?}");
                }
                Err(e) => panic!("seed {seed}: {e}"),
            }
        }
    }
    assert!(images > 50, "{images}");
}

#[test]
fn a_target_that_the_files_are_past_already_is_refused() {
    let crashed = load(302, &small(302));
    let control = control_of(&crashed.disk);
    assert!(control.round > Lsn(4096));
    for (target, options) in
        [(Target::Lsn(control.round), one_by_one()), (Target::TimeMs(1), by_many(64 << 10))]
    {
        let disk = crashed.disk.kill_copy();
        match redo(&disk, 256, &target, &options).map(|r| r.recovered) {
            Err(Error::InvalidArgument(why)) => assert!(why.contains("older backup"), "{why}"),
            // Commits before the first that is later than the target may all lie behind the round.
            other => panic!("{target:?}: {other:?}"),
        }
    }
}

#[test]
fn a_damaged_page_is_named_by_workers_as_well() {
    let crashed = load(303, &small(303).with("torn_page_protection", "double_write").unwrap());
    let whole = redo(&crashed.disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
    let mut named = 0;
    for id in pages(&whole).into_keys() {
        let disk = crashed.disk.crash_copy_with(CrashPolicy::KeepAll, 1);
        let path = format!("data/{}", id.file.0);
        if disk.contents(&path).unwrap().len() as u64 <= id.offset() {
            continue;
        }
        disk.remove("double_write").unwrap(); // or it would be repaired from there
        disk.damage(&path, id.offset() + 100, &[0xA5; 64]).unwrap();
        match redo(&disk, 4096, &Target::Latest, &by_many(16 << 10)) {
            Err(Error::Corrupt(why)) => {
                assert!(
                    why.what.contains(&id.to_string()) && why.what.contains("checksum does not match"),
                    "{why}"
                );
                named += 1;
            }
            Err(e) => panic!("{id}: {e}"),
            Ok(_) => {} // nobody had to read it, or all of it was said
        }
    }
    assert!(named > 3, "{named}");
}

/// Pages whose first change that is due does not say all of them, each with whether its block was cut off later.
fn changed_pages(disk: &SimDisk, control: &ControlData) -> BTreeMap<PageId, bool> {
    let (mut pages, mut made) = (BTreeMap::new(), BTreeSet::new());
    each_record(disk, control, &mut |rec| {
        for b in rec.blocks.iter().filter(|b| rec.lsn >= control.redo[control.partitions.of(b.page)]) {
            if b.init || b.image.is_some() {
                made.insert(b.page);
            } else if !made.contains(&b.page) {
                pages.entry(b.page).or_insert(false);
            }
        }
        if rec.kind == Kind::Truncate {
            let mut p = Reader::new(rec.payload, "a truncation");
            let (file, blocks) = (p.varint().unwrap(), p.varint().unwrap());
            pages
                .iter_mut()
                .filter(|(id, _)| id.file.0 == file && u64::from(id.block.0) >= blocks)
                .for_each(|(_, cut)| *cut = true);
        }
    });
    pages
}

/// Zeros in place of a page, behind the end of its file as well: the file was cut there and has grown again.
fn lay_zeros(disk: &SimDisk, id: PageId) {
    let file =
        disk.open(&format!("data/{}", id.file.0), OpenMode::Existing, Access::Buffered).expect("a data file");
    let end = id.offset() + PAGE_BYTES as u64;
    if file.len().unwrap() < end {
        file.truncate(end).unwrap();
    }
    write_all_at(&*file, &mut [IoSlice::new(&[0; PAGE_BYTES])], id.offset()).unwrap();
    file.sync().unwrap();
}

/// A file was cut, and has grown again before the crash: changes from before find zeros where their pages were, and need none.
#[test]
fn changes_of_blocks_that_are_cut_off_later_do_not_need_their_pages() {
    let mut zeroed = 0;
    for seed in 0..40 {
        let crashed = load(seed, &small(seed).with("torn_page_protection", "double_write").unwrap());
        let control = control_of(&crashed.disk);
        let whole = redo(&crashed.disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
        let copy = crashed.disk.kill_copy();
        for (id, _) in changed_pages(&copy, &control).into_iter().filter(|(_, cut)| *cut) {
            if whole.pool.files().get(id.file).unwrap().is_some() {
                lay_zeros(&copy, id);
                zeroed += 1;
            }
        }
        for options in [one_by_one(), by_many(16 << 10)] {
            let redone = redo(&copy.kill_copy(), 4096, &Target::Latest, &options)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert!(pages(&whole) == pages(&redone), "seed {seed}");
        }
        crashed.assert_recovers(&copy, small(seed), "with zeros behind the cut");
    }
    assert!(zeroed > 10, "{zeroed}");
}

/// Zeros where the log has changes of a page, and nothing in the log that explains them: a write home was lost.
#[test]
fn a_page_that_is_zeros_without_a_reason_in_the_log_is_named() {
    let crashed = load(305, &small(305).with("torn_page_protection", "double_write").unwrap());
    let changed = changed_pages(&crashed.disk, &control_of(&crashed.disk));
    let whole = redo(&crashed.disk.kill_copy(), 4096, &Target::Latest, &one_by_one()).unwrap();
    let there = pages(&whole);
    let mut named = 0;
    for (id, _) in changed.into_iter().filter(|(id, cut)| !cut && there.contains_key(id)) {
        let disk = crashed.disk.kill_copy();
        disk.remove("double_write").unwrap();
        lay_zeros(&disk, id);
        for options in [one_by_one(), by_many(16 << 10)] {
            match redo(&disk.kill_copy(), 4096, &Target::Latest, &options).map(|r| r.recovered) {
                Err(Error::Corrupt(why)) => {
                    let block = format!("changes block {} of data file {},", id.block.0, id.file.0);
                    assert!(why.what.contains(&block), "{id}: {why}");
                    named += 1;
                }
                other => panic!("{id}: {other:?}"),
            }
        }
    }
    assert!(named > 6, "{named}");
}

/// Whoever held a page of a file while it was dropped may have logged a change of it behind the drop: it needs no page, and brings no file back.
#[test]
fn changes_that_are_logged_behind_the_drop_of_their_file_do_nothing() {
    let (disk, db) = fresh(306);
    let (gone, kept) = (tree_with_file(&db), new_tree(&db));
    put(&db, gone, 1, b"one");
    put(&db, kept, 1, b"one");
    let path = format!("data/{}", gone.0);
    let mut t = db.begin(TxnOptions::default());
    t.drop_tree(gone).unwrap();
    t.commit().unwrap();
    while db.step_purge().unwrap() > 0 {}
    assert!(!disk.exists(&path).unwrap(), "dropped");
    for (block, init) in [(2, false), (2, true), (0, true)] {
        let mut body = Vec::new();
        put_change_head(&mut body, None, &[], 1);
        put_block(&mut body, PageId::new(FileId(gone.0), block), true, false, init, None, b"");
        db.log().insert(&body, |_| true).unwrap().unwrap();
    }
    put(&db, kept, 2, b"two");
    let crashed = disk.crash_copy(1);
    db.abandon();
    for options in [one_by_one(), by_many(16 << 10)] {
        let redone = redo(&crashed.kill_copy(), 256, &Target::Latest, &options).unwrap();
        assert!(redone.pool.files().get(FileId(gone.0)).unwrap().is_none());
    }
    let db = open(&crashed, 307).unwrap();
    assert_eq!(committed(&db, kept).unwrap().len(), 2);
    assert!(!crashed.exists(&path).unwrap());
    assert_sound(&db, "after the drop");
    db.abandon();
}

/// What the log may say of a block.
#[derive(Clone, Copy, Debug)]
enum Said {
    /// A change of what is there.
    Changed,
    /// All of it.
    Made,
    /// The file is cut to so many blocks.
    Cut(u64),
}

/// A block that is changed and is not there, or is zeros, must be explained by what comes behind: it is cut off, or said as a whole.
#[test]
fn a_change_without_its_page_is_explained_by_what_the_log_says_later() {
    const BLOCK: u32 = 200;
    let cases: [(&[Said], bool); 6] = [
        (&[Said::Changed], false),
        (&[Said::Changed, Said::Cut(100)], true),
        (&[Said::Changed, Said::Cut(u64::from(BLOCK))], true),
        (&[Said::Changed, Said::Cut(u64::from(BLOCK) + 1)], false),
        (&[Said::Cut(100), Said::Changed], false),
        (&[Said::Changed, Said::Made], true),
    ];
    for (said, good) in cases {
        let (disk, db) = fresh(308);
        let tree = tree_with_file(&db);
        let id = PageId::new(FileId(tree.0), BLOCK);
        for one in said {
            let mut body = Vec::new();
            match one {
                Said::Cut(blocks) => {
                    put_head(&mut body, Kind::Truncate, None, &[]);
                    put_varint(&mut body, tree.0);
                    put_varint(&mut body, *blocks);
                }
                Said::Changed | Said::Made => {
                    put_change_head(&mut body, None, &[], 1);
                    put_block(&mut body, id, true, false, matches!(one, Said::Made), None, b"");
                }
            }
            db.log().insert(&body, |_| true).unwrap().unwrap();
        }
        put(&db, tree, 1, b"flushes the log");
        let crashed = disk.crash_copy(1);
        db.abandon();
        for zeros in [false, true] {
            if zeros {
                lay_zeros(&crashed, id);
            }
            // Each record by itself, and all at one go.
            for options in [RedoOptions { look_ahead_bytes: 1, ..one_by_one() }, by_many(1), one_by_one()] {
                let what = format!("{said:?}, zeros {zeros}, {options:?}");
                match redo(&crashed.kill_copy(), 256, &Target::Latest, &options).map(|r| r.recovered) {
                    Ok(_) => assert!(good, "{what}"),
                    Err(Error::Corrupt(why)) => {
                        assert!(
                            !good && why.what.contains(&format!("changes block {BLOCK} of")),
                            "{what}: {why}"
                        );
                    }
                    Err(e) => panic!("{what}: {e}"),
                }
            }
        }
    }
}

#[test]
fn an_estimate_of_the_end_that_is_exact_holds_to_the_last() {
    let crashed = load(305, &small(305));
    let disk = crashed.disk.kill_copy();
    let end = redo(&disk, 4096, &Target::Latest, &one_by_one()).unwrap().recovered.end;
    let disk = crashed.disk.kill_copy();
    let control = control_of(&disk);
    let pool =
        Pool::new(4096, control.partitions, Arc::new(Files::new(Arc::new(disk.clone()))), Arc::default());
    let options = RedoOptions { end_estimate: Some(end), ..one_by_one() };
    let mut last = None;
    let source: &dyn LogSource = &(&disk as &dyn Disk);
    redo_log(source, &pool, &control, &Target::Latest, &options, &mut |p| last = Some(p.share())).unwrap();
    assert_eq!(last, Some(Some(1.0)));
}

#[test]
fn progress_goes_forward_and_ends_once() {
    let crashed = load(304, &small(304));
    let told: Arc<Mutex<Vec<RecoveryProgress>>> = Arc::default();
    let sink = told.clone();
    let options =
        small(304).on_recovery_progress(Arc::new(move |p: RecoveryProgress| sink.lock().unwrap().push(p)));
    let db = Database::open_on(Arc::new(crashed.disk.clone()), options.clone()).unwrap();
    let told_first = std::mem::take(&mut *told.lock().unwrap());
    assert!(told_first.is_sorted_by(|a, b| a.at <= b.at && a.elapsed <= b.elapsed));
    let last = told_first.last().expect("told at the end");
    assert_eq!(told_first.iter().filter(|p| p.finished).count(), 1);
    assert!(last.finished && last.records == db.redo_stats().records && last.records > 100);
    assert!(last.end_estimate.is_some_and(|end| end >= last.at) && last.share().unwrap() > 0.5);
    db.close().unwrap();
    drop(db);
    Database::open_on(Arc::new(crashed.disk.clone()), options).unwrap().abandon();
    assert!(told.lock().unwrap().is_empty(), "nothing to recover after a clean shutdown");
}

/// A process that was killed between a rename and the sync of the folder leaves a name that is only in a cache. The next one goes by it.
#[test]
fn names_that_a_killed_process_left_are_durable_after_the_start() {
    let (disk, db) = fresh(71);
    let tree = new_tree(&db);
    put(&db, tree, 1, b"value");
    let killed = disk.kill_copy();
    db.abandon();
    let names = ["left", "wal/left", "data/left"];
    for name in names {
        killed.open(name, OpenMode::CreateNew, Access::Buffered).unwrap().sync().unwrap();
    }
    let durable = |name: &&str| killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1).contents(name).is_ok();
    assert!(!names.iter().any(durable));
    let db = open(&killed, 72).unwrap();
    assert!(names.iter().all(durable));
    drop(db);
}
