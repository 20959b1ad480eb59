//! How rounds write, sync and wait, as the disk sees it, on a clock of the test's own.

mod common;

use common::{disk, new_tree, small};
use evenkeel::checkpoint::{Order, RoundOptions, Speed, SyncPolicy, Urgency, Waits};
use evenkeel::io::{Fault, SimCallKind, SimDisk};
use evenkeel::{Database, TreeId, TxnOptions};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a round did to a data file, and when on the test's clock.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    at: Duration,
    file: String,
    /// `None`: a sync.
    bytes: Option<u64>,
}

/// A clock that only pauses move.
struct Clock {
    now: Arc<Mutex<Duration>>,
    pauses: RefCell<Vec<Duration>>,
    urgency: Cell<Urgency>,
}

impl Waits for Clock {
    fn urgency(&self) -> Urgency {
        self.urgency.get()
    }
    fn pause(&self, time: Duration) {
        assert!(!time.is_zero(), "a pause takes time");
        *self.now.lock().unwrap() += time;
        self.pauses.borrow_mut().push(time);
    }
    fn now(&self) -> Duration {
        *self.now.lock().unwrap()
    }
}

const INTERVAL: Duration = Duration::from_secs(100);

fn paced(target: f64) -> RoundOptions {
    let speed = Speed::Paced { interval: INTERVAL, log_bytes: u64::MAX, target };
    RoundOptions { speed, ..RoundOptions::AT_ONCE }
}

struct Rig {
    disk: SimDisk,
    db: Database,
    trees: Vec<TreeId>,
}

/// A database of one partition with `trees` trees of about `pages` leaves each.
fn rig(seed: u64, trees: usize) -> Rig {
    let disk = disk(seed);
    let options = small(seed)
        .with("checkpoint_partitions", "1")
        .and_then(|o| o.with("shared_buffers", "8MB"))
        .expect("valid settings");
    let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
    let trees: Vec<TreeId> = (0..trees).map(|_| new_tree(&db)).collect();
    for tree in &trees {
        change(&db, *tree, 0..60);
    }
    db.checkpoint().unwrap();
    Rig { disk, db, trees }
}

/// Some rows of a tree, about four a page.
fn change(db: &Database, tree: TreeId, keys: std::ops::Range<u32>) {
    let mut t = db.begin(TxnOptions::default());
    for k in keys {
        t.put(tree, &k.to_be_bytes(), &[fastrand::u8(..); 1800]).unwrap();
    }
    t.commit().unwrap();
}

impl Rig {
    /// Runs a round and gives what the data files saw.
    fn round(&self, options: &RoundOptions, urgency: Urgency) -> (Vec<Seen>, Clock) {
        let now: Arc<Mutex<Duration>> = Arc::default();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (sink, clock) = (seen.clone(), now.clone());
        self.disk.set_fault(Some(Box::new(move |call| {
            let bytes = match call.kind {
                SimCallKind::Write => Some(call.len),
                SimCallKind::Sync => None,
                _ => return Fault::None,
            };
            if let Some(file) = call.path.strip_prefix("data/") {
                let at = *clock.lock().unwrap();
                sink.lock().unwrap().push(Seen { at, file: file.into(), bytes });
            }
            Fault::None
        })));
        let clock = Clock { now, pauses: RefCell::default(), urgency: Cell::new(urgency) };
        self.db.step_round_with(options, &clock).unwrap();
        self.disk.set_fault(None);
        let seen = seen.lock().unwrap().clone();
        (seen, clock)
    }

    fn touch_all(&self) {
        self.trees.iter().for_each(|t| change(&self.db, *t, 0..60));
    }

    fn file(&self, tree: usize) -> String {
        self.trees[tree].0.to_string()
    }
}

fn syncs(seen: &[Seen]) -> Vec<&Seen> {
    seen.iter().filter(|s| s.bytes.is_none()).collect()
}

fn last_write(seen: &[Seen], file: &str) -> Duration {
    seen.iter().rev().find(|s| s.file == file && s.bytes.is_some()).expect("it was written").at
}

#[test]
fn sorted_neighbours_go_home_in_one_write_and_files_in_order() {
    let rig = rig(1, 2);
    rig.touch_all();
    let (seen, _) = rig.round(&RoundOptions::AT_ONCE, Urgency::AtOnce);
    let writes: Vec<&Seen> = seen.iter().filter(|s| s.bytes.is_some()).collect();
    let pages: u64 = writes.iter().map(|s| s.bytes.unwrap() / 8192).sum();
    assert!(pages > 30 && (writes.len() as u64) < pages / 4, "{pages} pages in {} writes", writes.len());
    assert!(writes.windows(2).all(|w| w[0].file.parse::<u64>().unwrap() <= w[1].file.parse().unwrap()));
}

#[test]
fn in_buffer_order_each_page_is_a_write() {
    let rig = rig(2, 2);
    rig.touch_all();
    let options = RoundOptions { order: Order::Buffer, ..RoundOptions::AT_ONCE };
    let (seen, _) = rig.round(&options, Urgency::AtOnce);
    assert!(seen.iter().filter_map(|s| s.bytes).all(|b| b == 8192));
}

#[test]
fn no_policy_syncs_a_file_twice_or_forgets_one_or_syncs_before_its_last_write() {
    for sync in SyncPolicy::ALL {
        for order in Order::ALL {
            let rig = rig(3, 5);
            rig.touch_all();
            let options = RoundOptions { sync, order, file_batches: 3, ..paced(0.9) };
            let (seen, _) = rig.round(&options, Urgency::Calm);
            for tree in 0..5 {
                let file = rig.file(tree);
                let own: Vec<&Seen> = seen.iter().filter(|s| s.file == file).collect();
                let n = syncs(&seen).iter().filter(|s| s.file == file).count();
                assert_eq!(n, 1, "{sync:?} {order:?}: syncs of a file");
                assert!(own.last().unwrap().bytes.is_none(), "{sync:?} {order:?}: the sync comes last");
            }
        }
    }
}

#[test]
fn at_the_end_all_syncs_follow_the_last_write_at_once() {
    let rig = rig(4, 4);
    rig.touch_all();
    let (seen, clock) = rig.round(&paced(0.5), Urgency::Calm);
    let first_sync = seen.iter().position(|s| s.bytes.is_none()).unwrap();
    assert!(seen[first_sync..].iter().all(|s| s.bytes.is_none() && s.at == clock.now()));
    assert!((40..60).contains(&clock.now().as_secs()), "about half the interval: {:?}", clock.now());
}

#[test]
fn per_file_syncs_come_some_time_after_the_files_last_write() {
    let rig = rig(5, 4);
    rig.touch_all();
    let sync_delay = Duration::from_secs(5);
    let options = RoundOptions { sync: SyncPolicy::PerFile, sync_delay, ..paced(0.9) };
    let (seen, _) = rig.round(&options, Urgency::Calm);
    for tree in 0..4 {
        let file = rig.file(tree);
        let synced = syncs(&seen).into_iter().find(|s| s.file == file).unwrap().at;
        let delay = synced - last_write(&seen, &file);
        assert!((sync_delay..sync_delay + Duration::from_secs(2)).contains(&delay), "{file}: {delay:?}");
    }
    let last = seen.iter().rev().find(|s| s.bytes.is_some()).unwrap().at;
    assert!(syncs(&seen)[0].at < last, "the first sync stands among the writes");
}

#[test]
fn batches_of_files_are_synced_together() {
    let rig = rig(6, 4);
    rig.touch_all();
    let options =
        RoundOptions { sync: SyncPolicy::PerFile, sync_delay: Duration::ZERO, file_batches: 2, ..paced(0.9) };
    let (seen, _) = rig.round(&options, Urgency::Calm);
    let of_trees: Vec<Duration> =
        (0..4).map(|t| syncs(&seen).into_iter().find(|s| s.file == rig.file(t)).unwrap().at).collect();
    assert_eq!(of_trees[0], of_trees[1], "the first batch");
    assert_eq!(of_trees[2], of_trees[3], "the second");
    assert!(of_trees[1] < of_trees[2]);
}

#[test]
fn phases_write_in_the_first_half_and_spread_syncs_over_the_second() {
    let rig = rig(7, 6);
    rig.touch_all();
    let options = RoundOptions { sync: SyncPolicy::Phases, ..paced(1.0) };
    let (seen, clock) = rig.round(&options, Urgency::Calm);
    let last = seen.iter().rev().find(|s| s.bytes.is_some()).unwrap().at;
    assert!((40..55).contains(&last.as_secs()), "{last:?}");
    let times: Vec<u64> = syncs(&seen).iter().map(|s| s.at.as_secs()).collect();
    assert!(times.windows(2).all(|w| (3..15).contains(&(w[1] - w[0]))), "evenly: {times:?}");
    assert!((90..105).contains(&clock.now().as_secs()), "{:?}", clock.now());
}

#[test]
fn the_joint_schedule_leaves_syncs_their_share_of_the_time() {
    let rig = rig(8, 6);
    rig.touch_all();
    let options = RoundOptions { sync: SyncPolicy::Joint, ..paced(1.0) };
    let (seen, clock) = rig.round(&options, Urgency::Calm);
    let last = seen.iter().rev().find(|s| s.bytes.is_some()).unwrap().at;
    assert!((60..80).contains(&last.as_secs()), "{last:?}");
    assert!((90..105).contains(&clock.now().as_secs()), "{:?}", clock.now());
}

#[test]
fn after_a_slow_sync_the_paced_policy_pauses_and_after_a_quick_one_not() {
    for (threshold, slow) in [(Duration::ZERO, true), (Duration::from_secs(3600), false)] {
        let rig = rig(9, 3);
        rig.touch_all();
        let options = RoundOptions {
            sync: SyncPolicy::Paced,
            fsync_delay_ratio: 2.0,
            fsync_delay_threshold: threshold,
            ..paced(0.5)
        };
        let (seen, _) = rig.round(&options, Urgency::Calm);
        let times: Vec<Duration> = syncs(&seen).iter().map(|s| s.at).collect();
        assert_eq!(times.windows(2).all(|w| w[0] < w[1]), slow, "{times:?}");
    }
}

#[test]
fn a_forced_checkpoint_keeps_below_its_rate() {
    let rig = rig(10, 3);
    rig.touch_all();
    let options = RoundOptions { speed: Speed::Rate(8192 * 10), ..RoundOptions::AT_ONCE };
    let (seen, clock) = rig.round(&options, Urgency::Hurry);
    let pages: u64 = seen.iter().filter_map(|s| s.bytes).sum::<u64>() / 8192;
    let seconds = clock.now().as_secs_f64();
    assert!(pages > 30 && (seconds - pages as f64 / 10.0).abs() < 1.0, "{pages} pages in {seconds} s");
}

#[test]
fn a_round_in_a_hurry_does_not_keep_to_its_schedule() {
    let rig = rig(11, 3);
    rig.touch_all();
    let options = RoundOptions { sync: SyncPolicy::PerFile, sync_delay: INTERVAL, ..paced(0.9) };
    let (_, clock) = rig.round(&options, Urgency::Hurry);
    assert_eq!(clock.now(), Duration::ZERO);
}

#[test]
fn while_nobody_commits_a_capped_round_goes_on_and_syncs_before_much_gathers() {
    let rig = rig(12, 2);
    let mut t = rig.db.begin(TxnOptions::default());
    for k in 0..2600u32 {
        t.put(rig.trees[0], &k.to_be_bytes(), &[1; 1800]).unwrap();
    }
    t.commit().unwrap();
    let options = RoundOptions { flush_slowdown: 4.0, speed: Speed::Rate(0), ..RoundOptions::AT_ONCE };
    let (seen, _) = rig.round(&options, Urgency::Hurry);
    let pages: u64 = seen.iter().filter_map(|s| s.bytes).sum::<u64>() / 8192;
    let among_writes =
        seen.iter().rev().skip_while(|s| s.bytes.is_none()).filter(|s| s.bytes.is_none()).count();
    assert!(pages > 600, "{pages}");
    assert!((1..=20).contains(&among_writes), "{among_writes} syncs for {pages} pages");
}

#[test]
fn every_image_counts_for_its_partition_until_the_floor_rises_again() {
    let rig = rig(13, 2);
    rig.touch_all();
    let images = || rig.db.checkpoint_partitions().iter().map(|p| p.images_written).sum::<u64>();
    let first = images();
    assert!(first > 10, "{first}");
    rig.touch_all();
    assert_eq!(images(), first, "pages changed again need none");
    rig.db.step_round().unwrap();
    assert_eq!(images(), 0);
    let p = rig.db.checkpoint_partitions()[0];
    assert!(p.dirty_pages == 0 && p.unsynced_files == 0 && p.pages_written > 10 && p.redo == p.image_floor);
}

#[test]
fn a_round_waits_for_no_sync_beyond_its_time() {
    let rig = rig(14, 3);
    rig.touch_all();
    let options = RoundOptions { sync: SyncPolicy::PerFile, sync_delay: INTERVAL * 10, ..paced(0.5) };
    let (seen, clock) = rig.round(&options, Urgency::Calm);
    assert!(clock.now() <= INTERVAL + Duration::from_secs(1), "{:?}", clock.now());
    assert!(syncs(&seen).len() >= 3);
}

/// A clock whose every pause is used by somebody else for a commit.
struct Busy<'a> {
    rig: &'a Rig,
    now: Cell<Duration>,
}

impl Waits for Busy<'_> {
    fn urgency(&self) -> Urgency {
        Urgency::Calm
    }
    fn pause(&self, time: Duration) {
        self.now.set(self.now.get() + time);
        change(&self.rig.db, self.rig.trees[1], 0..1);
    }
    fn now(&self) -> Duration {
        self.now.get()
    }
}

#[test]
fn regard_for_commits_ends_where_the_log_grows_beyond_its_measure() {
    let rig = rig(15, 2);
    change(&rig.db, rig.trees[0], 0..2600);
    // A disk on which any burst is too slow for commits: pages go one by one, each with two flushes of the log behind it.
    let log_bytes = 16 << 10;
    let speed = Speed::Paced { interval: INTERVAL, log_bytes, target: 0.9 };
    let options = RoundOptions { speed, flush_slowdown: 1e-6, ..RoundOptions::AT_ONCE };
    let before = rig.db.stats().wal_lsn;
    let waits = Busy { rig: &rig, now: Cell::default() };
    let stats = rig.db.step_round_with(&options, &waits).unwrap();
    let logged = rig.db.stats().wal_lsn - before;
    assert!(stats.written > 600, "{}", stats.written);
    assert!(logged < 6 * log_bytes, "{} kB of log in a round that may have 16", logged / 1024);
}

/// Log segments in the folder.
fn segments(disk: &SimDisk) -> usize {
    evenkeel::io::Disk::list(disk, "wal").unwrap().len()
}

#[test]
fn log_is_given_back_although_most_partitions_have_nothing_to_do() {
    let disk = disk(16);
    let options = small(16).with("max_wal_size", "128kB").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
    let tree = new_tree(&db);
    let mut most = 0;
    for _ in 0..24 {
        // Two segments of log a round, all of it about one page.
        let from = db.stats().wal_lsn;
        while db.stats().wal_lsn < from + (120 << 10) {
            change(&db, tree, 0..1);
        }
        db.step_round().unwrap();
        most = most.max(segments(&disk));
    }
    // Four partitions: the oldest redo point is four rounds back, and behind it lies what is open, spare and begun.
    assert!(most <= 4 * 2 + 4, "{most} segments");
    for _ in 0..4 {
        db.step_round().unwrap();
    }
    assert!(segments(&disk) <= 4, "{} segments after a cycle without a change", segments(&disk));
}

#[test]
fn a_round_that_failed_runs_no_more() {
    let rig = rig(17, 1);
    rig.touch_all();
    rig.disk.set_fault(Some(Box::new(|call| {
        let home = call.kind == SimCallKind::Write && call.path.starts_with("data/");
        if home { Fault::Eio } else { Fault::None }
    })));
    assert!(rig.db.step_round().is_err());
    assert_eq!(rig.db.checkpoint_running(), None);
    rig.disk.set_fault(None);
}

#[test]
fn a_hurried_round_writes_no_more_at_a_time_than_a_log_flush_should_wait_for() {
    let rig = rig(30, 1);
    let largest = |options: &RoundOptions, urgency| {
        change(&rig.db, rig.trees[0], 0..400);
        let (seen, _) = rig.round(options, urgency);
        seen.iter().filter_map(|s| s.bytes).max().unwrap() / 8192
    };
    let careful = RoundOptions { flush_slowdown: 4.0, ..paced(1.0) };
    // Nothing is known of this disk yet: a burst begins with sixteen pages.
    let first = largest(&careful, Urgency::Hurry);
    assert!((2..=16).contains(&first), "{first}");
    assert!(largest(&careful, Urgency::AtOnce) > 32);
    assert!(largest(&RoundOptions { flush_slowdown: 0.0, ..careful }, Urgency::Hurry) > 32);
}

#[test]
fn the_log_that_an_open_transaction_needs_is_kept() {
    let disk = disk(31);
    let options = || {
        let with = |o: evenkeel::Options, n, v| o.with(n, v).expect("valid settings");
        with(with(small(31), "checkpoint_partitions", "1"), "max_wal_size", "16MB")
    };
    let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
    let (tree, other) = (new_tree(&db), new_tree(&db));
    let mut open = db.begin(TxnOptions::default());
    open.put(tree, b"key", b"never committed").unwrap();
    for _ in 0..10 {
        change(&db, other, 0..60);
        db.checkpoint().unwrap();
    }
    assert!(db.stats().wal_bytes > 500_000, "several segments");
    let db = Database::open_on(Arc::new(disk.crash_copy(31)), options()).unwrap();
    assert_eq!(db.begin(TxnOptions::default()).get(tree, b"key").unwrap(), None);
}
