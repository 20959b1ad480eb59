//! A standby that loses its power at each of its disk's calls, while it replays a log with records of every kind and is read.
//!
//! `EVENKEEL_STANDBY_SEEDS=20 cargo test -p evenkeel --release --test standby_crashes`

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby, pump, seeds, send_up_to, standby_options};
use common::{Rows, assert_sound, rows};
use evenkeel::io::{Disk, SimCall, SimDisk, SimOptions};
use evenkeel::wal::reader::LogReader;
use evenkeel::wal::record::Kind;
use evenkeel::wal::segment::Geometry;
use evenkeel::{Database, Error, Isolation, Lsn, Standby, TreeId, TxnOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What replays beside the one that is crashed.
const OTHER: &str = "c";

/// What is in all trees. A tree is there as soon as somebody creates it; that it is there without rows says nothing.
type State = BTreeMap<TreeId, Rows>;

fn state(db: &Database, trees: &BTreeSet<TreeId>) -> Option<State> {
    let mut t = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    let mut state = State::new();
    for tree in trees {
        match rows(&mut t, *tree) {
            Ok(rows) if !rows.is_empty() => drop(state.insert(*tree, rows)),
            Ok(_) | Err(Error::NoSuchTree(_)) => {}
            Err(Error::SnapshotTooOld) => return None,
            Err(e) => panic!("tree {}: {e}", tree.0),
        }
    }
    Some(state)
}

/// Says how a state differs from those that there were.
fn assert_shown(shown: &[State], now: &State, context: &str) {
    if shown.contains(now) {
        return;
    }
    let differs = |then: &State| -> Vec<String> {
        let trees: BTreeSet<&TreeId> = then.keys().chain(now.keys()).collect();
        let of = |tree: &&TreeId| then.get(tree) != now.get(tree);
        let rows = |state: &State, tree: &TreeId| state.get(tree).map(BTreeMap::len);
        let say =
            |t: &TreeId| format!("tree {}: {:?} rows, and {:?} were shown", t.0, rows(now, t), rows(then, t));
        trees.into_iter().filter(of).map(say).collect()
    };
    let nearest = shown.iter().map(differs).min_by_key(Vec::len);
    panic!("{context}: it shows what the primary never has: {nearest:?}");
}

/// The primary, and all that it has ever shown.
struct Life {
    pair: Pair,
    trees: BTreeSet<TreeId>,
    shown: Vec<State>,
    /// What it has logged: kinds of records.
    kinds: BTreeSet<u8>,
    from: Lsn,
}

impl Life {
    fn new(seed: u64) -> Life {
        // Pages may be torn.
        let disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
        let pair = Pair::on(disk, seed);
        pair.db.upstream().create_slot(OTHER, true).expect("a slot");
        let from = pair.db.insert_lsn();
        let mut life = Life { pair, trees: BTreeSet::new(), shown: Vec::new(), kinds: BTreeSet::new(), from };
        life.note();
        life
    }

    /// What it shows now. Trees that were dropped are there until they are purged, on each side for itself: they are left out.
    fn note(&mut self) {
        self.trees = self.pair.trees.iter().copied().collect();
        self.shown.iter_mut().for_each(|state| state.retain(|tree, _| self.trees.contains(tree)));
        let now = state(&self.pair.db, &self.trees).expect("nothing else is at work");
        if self.shown.last() != Some(&now) {
            self.shown.push(now);
        }
    }

    /// A tree that is large enough for files of its own, and goes.
    fn large_tree(&mut self) {
        self.pair.open.clear();
        let db = self.pair.db.clone();
        let mut t = db.begin(TxnOptions::default());
        let tree = t.create_tree().expect("a tree");
        (0..200_u16).for_each(|n| t.put(tree, &n.to_be_bytes(), &[7; 1500]).expect("put"));
        t.commit().expect("commit");
        self.pair.trees.push(tree);
        self.note();
        let mut t = db.begin(TxnOptions::default());
        (10..200_u16).for_each(|n| drop(t.delete(tree, &n.to_be_bytes()).expect("delete")));
        t.commit().expect("commit");
        self.note();
        while db.step_purge().expect("purge") > 0 {}
        db.vacuum(tree).expect("vacuum");
        db.mark("before the drop").expect("mark");
        let mut t = db.begin(TxnOptions::default());
        t.drop_tree(tree).expect("drop");
        t.commit().expect("commit");
        self.pair.trees.retain(|t| *t != tree);
        self.note();
    }

    fn note_kinds(&mut self) {
        let disk: &dyn Disk = &self.pair.home;
        let mut reader =
            LogReader::open(&disk, Geometry { segment_bytes: 64 << 10 }, self.from).expect("a log");
        while let Some(r) = reader.next().expect("readable") {
            self.kinds.insert(r.kind as u8);
        }
    }
}

/// What a crash left goes on, shows only what was so at some moment, and comes to what the primary has.
fn goes_on(life: &Life, disk: &SimDisk, seed: u64, has_heard: bool, context: &str) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let standby = open_standby(disk, seed);
    let shows = |standby: &Standby, at: &str| {
        if let Some(now) = standby.database().and_then(|db| state(&db, &life.trees)) {
            assert_shown(&life.shown, &now, &format!("{context}, {at}"));
        }
    };
    // Before the first word of its primary it tells nothing, and whoever reads waits.
    if has_heard {
        shows(&standby, "as it starts");
    }
    let end = durable_end(&life.pair.db);
    send_up_to(life.pair.db.upstream(), OTHER, &standby, &mut rng, false, Lsn::MAX);
    let news = life.pair.db.upstream().news();
    standby.may_tell(news.told, news.is_asked).expect("it is noted");
    shows(&standby, "as it replays");
    assert!(standby.wait_replayed(end, LONG).expect(context), "{context}");
    let db = standby.database().unwrap_or_else(|| panic!("{context}: it can be read"));
    let last = life.shown.last().expect("one at least");
    assert_shown(
        std::slice::from_ref(last),
        &state(&db, &life.trees).expect("nobody takes it away"),
        context,
    );
    drop(db);
    if rng.u8(..8) == 0 {
        let db = standby.promote().expect(context);
        let now = state(&db, &life.trees).expect("nobody takes it away");
        assert_shown(std::slice::from_ref(last), &now, &format!("{context}, promoted"));
        while db.rollback_changes_left() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_sound(&db, context);
        db.close().expect(context);
    }
}

#[test]
fn a_standby_that_is_read_goes_on_after_a_crash_at_each_call() {
    let mut crashes = 0;
    for seed in 0..seeds(2) {
        let mut life = Life::new(seed ^ 0x5bc4);
        let disk = life.pair.copy.clone();
        // Its own rounds come after little log.
        let options = standby_options(seed).with("max_wal_size", "256kB").expect("valid");
        let standby = Standby::open_on(Arc::new(disk.clone()), options).expect("a standby opens");
        for round in 0..8 {
            for _ in 0..12 {
                life.pair.step();
                life.note();
            }
            if round == 3 {
                life.large_tree();
            }
            let end = durable_end(&life.pair.db);
            let taken: Arc<Mutex<Vec<(u64, SimDisk)>>> = Arc::default();
            let into = taken.clone();
            disk.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
                into.lock().unwrap().push((call.index, disk.crash_copy(call.index ^ seed)));
            })));
            // Somebody reads while it is replayed, and keeps a snapshot from before.
            let stop = AtomicBool::new(false);
            std::thread::scope(|s| {
                let reader = s.spawn(|| {
                    while !stop.load(Ordering::SeqCst) {
                        if let Some(now) = standby.database().and_then(|db| state(&db, &life.trees)) {
                            assert_shown(&life.shown, &now, &format!("seed {seed}, round {round}"));
                        }
                    }
                });
                pump(&life.pair.db, &standby, &mut fastrand::Rng::with_seed(seed ^ round), false);
                assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
                // Rounds look ten times a second whether one is due.
                std::thread::sleep(Duration::from_millis(250));
                stop.store(true, Ordering::SeqCst);
                reader.join().expect("a reader");
            });
            disk.set_hook(None);
            let taken = std::mem::take(&mut *taken.lock().unwrap());
            crashes += taken.len();
            for (call, copy) in taken {
                goes_on(
                    &life,
                    &copy,
                    call ^ seed,
                    round > 0,
                    &format!("seed {seed}, round {round}, call {call}"),
                );
            }
        }
        life.note_kinds();
        let asked = [Kind::Change, Kind::Commit, Kind::Abort, Kind::Round, Kind::DropFile, Kind::Truncate];
        for kind in asked.into_iter().chain([Kind::Mark, Kind::Flushed]) {
            assert!(life.kinds.contains(&(kind as u8)), "seed {seed}: the log has no {kind:?}");
        }
    }
    println!("{crashes} crashes");
}
