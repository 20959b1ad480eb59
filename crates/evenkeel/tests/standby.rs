//! A standby that receives a primary's log: what it has after a promotion is what the primary had, whatever was cut short on the way.

mod common;

use common::pair::{
    LONG, Pair, SLOT, durable_end, open_standby, primary_options, pump, pump_up_to, rows_of, seeds,
    standby_options,
};
use common::{archived, assert_sound, disk, new_tree, open_with, write};
use evenkeel::archive::{BlockState, Chunk, Manifest, MemoryStore};
use evenkeel::io::{CrashPolicy, Fault, SimCall, SimCallKind, SimDisk, SimOptions};
use evenkeel::wal::sending::Piece;
use evenkeel::{CopyOptions, CopyPiece, Database, Lsn, Standby, StandbyCopy, TxnOptions};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn a_promoted_standby_has_what_the_primary_had() {
    for seed in 0..seeds(24) {
        let mut pair = Pair::new(seed);
        let standby = open_standby(&pair.copy, seed);
        for _ in 0..200 {
            pair.step();
            if pair.rng.u8(..10) == 0 {
                pair.pump(&standby, true);
            }
        }
        let end = durable_end(&pair.db);
        pair.pump(&standby, true);
        assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
        let expected = pair.rows();
        let db = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(rows_of(&db, &pair.trees), expected, "seed {seed}");
        while db.rollback_changes_left() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_sound(&db, &format!("seed {seed}"));
        db.close().expect("close");
    }
}

/// Whenever its power fails it goes on where it was, and comes to the same.
#[test]
fn a_standby_goes_on_after_a_crash_at_any_write() {
    for seed in 0..seeds(6) {
        let mut pair = Pair::new(seed ^ 0xc4a5);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut disk = pair.copy.clone();
        for _ in 0..8 {
            (0..30).for_each(|_| pair.step());
            let end = durable_end(&pair.db);
            // A copy of the disk at one of its calls, whichever.
            let taken: Arc<Mutex<Option<SimDisk>>> = Arc::default();
            let (at, into, salt) = (disk.calls() + rng.u64(1..120), taken.clone(), rng.u64(..));
            disk.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
                if call.index == at {
                    *into.lock().unwrap() = Some(disk.crash_copy(salt));
                }
            })));
            let standby = open_standby(&disk, seed);
            pair.pump(&standby, false); // the crash goes back behind what it confirms
            assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
            standby.close().expect("close");
            disk.set_hook(None);
            if let Some(copy) = taken.lock().unwrap().take() {
                disk = copy;
            }
        }
        let standby = open_standby(&disk, seed);
        pair.pump(&standby, false); // the crash goes back behind what it confirms
        let (end, expected) = (durable_end(&pair.db), pair.rows());
        assert!(standby.wait_replayed(end, LONG).unwrap());
        let db = standby.promote().unwrap();
        assert_eq!(rows_of(&db, &pair.trees), expected, "seed {seed}");
        while db.rollback_changes_left() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_sound(&db, &format!("seed {seed}"));
    }
}

const AT_ONCE: CopyOptions = CopyOptions { rate_bytes_per_s: 0, level: 1, fast_checkpoint: false };

/// How far the log has to be durable before a piece is given.
fn newest_of(piece: &CopyPiece<'_>) -> Lsn {
    match piece {
        CopyPiece::Label(label, _) => Lsn::from(Manifest::decode(label).expect("a label").start),
        CopyPiece::Pages(packed, _) => {
            let chunk = Chunk::decode(packed).expect("pages");
            let lsn = |state| {
                if let BlockState::Page(page) = state { evenkeel::page::lsn(page) } else { Lsn::ZERO }
            };
            chunk.iter().map(|(_, state)| lsn(state)).max().unwrap_or(Lsn::ZERO)
        }
        CopyPiece::Lives(_) => Lsn::ZERO,
        CopyPiece::End(at) => at.lsn,
    }
}

/// A copy of the primary's files, while it goes on. Gives from where on it is whole.
fn copy_at_work(pair: &mut Pair, into: &SimDisk, slot: &str) -> Lsn {
    let db = pair.db.clone();
    db.upstream().create_slot(slot, true).expect("a slot");
    let (mut copy, mut whole) = (None, None);
    pair.leave_in_memory();
    db.upstream()
        .copy_base(slot, &AT_ONCE, None, &mut |piece| {
            // Before anything else makes it so: what is given belongs to this history.
            assert!(newest_of(&piece) <= db.durable_lsn(), "{piece:?} is ahead of the durable log");
            match piece {
                CopyPiece::Label(label, bytes) => {
                    copy = Some(StandbyCopy::begin(Arc::new(into.clone()), label, bytes, "the primary")?);
                }
                CopyPiece::Lives(text) => copy.as_mut().expect("a label came first").lives(text)?,
                CopyPiece::Pages(packed, _) => copy.as_mut().expect("a label came first").pages(packed)?,
                CopyPiece::End(at) => whole = Some(at),
            }
            (0..pair.rng.usize(..12)).for_each(|_| pair.step_while_copied());
            // And for the next one, on pages that are still to be copied.
            pair.leave_in_memory();
            Ok(())
        })
        .expect("a copy");
    let whole = whole.expect("it ended");
    copy.expect("a label came").finish(whole).expect("a standby");
    whole.lsn
}

#[test]
fn a_copy_of_a_primary_at_work_becomes_a_standby() {
    for seed in 0..seeds(24) {
        let mut pair = Pair::new(seed ^ 0xc0b1);
        let mut rng = fastrand::Rng::with_seed(seed);
        (0..80).for_each(|_| pair.step());
        let mut disk = disk(seed ^ 0x99);
        let whole_at = copy_at_work(&mut pair, &disk, "c");
        (0..rng.usize(..20)).for_each(|_| pair.step());
        // It may lose power wherever it is, and has part of the log then.
        for _ in 0..rng.usize(..4) {
            let taken: Arc<Mutex<Option<SimDisk>>> = Arc::default();
            let (at, into, salt) = (disk.calls() + rng.u64(1..60), taken.clone(), rng.u64(..));
            disk.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
                if call.index == at {
                    *into.lock().unwrap() = Some(disk.crash_copy(salt));
                }
            })));
            let standby = open_standby(&disk, seed);
            pump_up_to(pair.db.upstream(), "c", &standby, &mut rng, false, Lsn(whole_at.0 - 1));
            if standby.received().lsn < whole_at {
                let refused = standby.promote().map(drop).unwrap_err().to_string();
                assert!(refused.contains("not whole"), "seed {seed}: {refused}");
            } else {
                standby.close().expect("close");
            }
            disk.set_hook(None);
            if let Some(copy) = taken.lock().unwrap().take() {
                disk = copy;
            }
        }
        let standby = open_standby(&disk, seed);
        let end = durable_end(&pair.db);
        pump_up_to(pair.db.upstream(), "c", &standby, &mut rng, true, Lsn::MAX);
        assert!(standby.wait_replayed(end, LONG).unwrap() && standby.is_whole(), "seed {seed}");
        let expected = pair.rows();
        let db = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(rows_of(&db, &pair.trees), expected, "seed {seed}");
        while db.rollback_changes_left() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_sound(&db, &format!("seed {seed}"));
        db.close().expect("close");
    }
}

#[test]
fn a_copy_that_was_cut_short_is_no_database_and_begins_anew() {
    let mut pair = Pair::new(5);
    (0..80).for_each(|_| pair.step());
    let target = disk(3);
    pair.db.upstream().create_slot("c", true).expect("a slot");
    let mut n = 0;
    let mut copy = None;
    let ended = pair.db.upstream().copy_base("c", &AT_ONCE, None, &mut |piece| {
        match piece {
            CopyPiece::Label(label, bytes) => {
                copy = Some(StandbyCopy::begin(Arc::new(target.clone()), label, bytes, "the primary")?);
            }
            CopyPiece::Pages(packed, _) => copy.as_mut().expect("a label came first").pages(packed)?,
            CopyPiece::Lives(text) => copy.as_mut().expect("a label came first").lives(text)?,
            CopyPiece::End(_) => unreachable!("it ended before"),
        }
        n += 1;
        if n == 3 { Err(evenkeel::Error::Canceled) } else { Ok(()) }
    });
    assert!(matches!(ended, Err(evenkeel::Error::Canceled)), "{ended:?}");
    drop(copy);
    for refused in [
        Standby::open_on(Arc::new(target.clone()), standby_options(1)).map(drop),
        Database::open_on(Arc::new(target.clone()), primary_options(1)).map(drop),
    ] {
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("part of a database") && why.contains("standby create"), "{why}");
    }
    pair.db.drop_slot("c").expect("dropped");
    let whole_at = copy_at_work(&mut pair, &target, "c");
    let standby = open_standby(&target, 1);
    let mut rng = fastrand::Rng::with_seed(1);
    pump_up_to(pair.db.upstream(), "c", &standby, &mut rng, true, Lsn::MAX);
    assert!(standby.wait_replayed(whole_at, LONG).unwrap());
    drop(standby);
    // Nor into a folder that holds something.
    pair.db.upstream().create_slot("d", true).expect("a slot");
    let label_only = pair.db.upstream().copy_base("d", &AT_ONCE, None, &mut |piece| match piece {
        CopyPiece::Label(label, bytes) => {
            StandbyCopy::begin(Arc::new(target.clone()), label, bytes, "the primary").map(drop)
        }
        _ => unreachable!("refused before"),
    });
    let why = label_only.unwrap_err().to_string();
    assert!(why.contains("not empty"), "{why}");
    // Nor by a slot whose log has gone, or that is none.
    for slot in ["c", "none"] {
        let why =
            pair.db.upstream().copy_base(slot, &AT_ONCE, None, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(why.contains("slot"), "{why}");
    }
}

#[test]
fn a_life_of_the_log_without_records_is_replayed_to_its_begin() {
    let mut pair = Pair::new(11);
    let standby = open_standby(&pair.copy, 11);
    (0..30).for_each(|_| pair.step());
    pair.pump(&standby, true);
    pair.restart();
    let end = durable_end(&pair.db);
    pair.pump(&standby, true);
    assert_eq!(standby.received().lsn, end);
    assert!(standby.wait_replayed(end, Duration::from_secs(10)).unwrap(), "the replay stands before {end}");
}

/// What it has confirmed, its primary may let go of.
#[test]
fn what_was_confirmed_survives_a_crash() {
    for seed in 0..seeds(16) {
        let options = SimOptions { seed, log_needs_sync: seed % 2 == 1, ..SimOptions::default() };
        let mut pair = Pair::on(SimDisk::new(options), seed ^ 0xacc);
        let standby = open_standby(&pair.copy, seed);
        let (confirmed, taken) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(None)));
        let (at, into, told) = (pair.copy.calls() + pair.rng.u64(1..80), taken.clone(), confirmed.clone());
        pair.copy.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
            if call.index == at {
                let copy = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
                *into.lock().unwrap() = Some((copy, told.load(Ordering::SeqCst)));
            }
        })));
        for _ in 0..10 {
            (0..5).for_each(|_| pair.step());
            let (db, mut rng) = (pair.db.clone(), pair.rng.fork());
            db.upstream()
                .with_log_stream(standby.received(), false, |stream| {
                    while let Some(piece) = stream.next(rng.usize(1..5_000))? {
                        match piece {
                            Piece::Life(header) => standby.begin_life(&header)?,
                            Piece::Log(at, records) => standby.receive(at, records)?,
                        }
                        if rng.bool() {
                            confirmed.store(standby.sync()?.lsn.0, Ordering::SeqCst);
                        }
                    }
                    Ok(())
                })
                .expect("sent and received");
        }
        pair.copy.set_hook(None);
        drop(standby);
        let Some((copy, confirmed)) = taken.lock().unwrap().take() else { continue };
        let standby = open_standby(&copy, seed);
        assert!(
            standby.received().lsn.0 >= confirmed,
            "seed {seed}: {:?} < {confirmed:x}",
            standby.received()
        );
    }
}

/// A crash in the midst of it leaves a standby that can go on, or a primary with everything.
#[test]
fn a_promotion_that_is_cut_short_leaves_one_or_the_other() {
    let (mut standbys, mut primaries) = (0, 0);
    for seed in 0..seeds(4) {
        let mut pair = Pair::new(seed ^ 0x9909);
        let standby = open_standby(&pair.copy, seed);
        (0..60).for_each(|_| pair.step());
        pair.open.clear();
        let end = durable_end(&pair.db);
        pair.pump(&standby, false);
        assert!(standby.wait_replayed(end, LONG).unwrap());
        let expected = pair.rows();
        let copies: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
        let into = copies.clone();
        pair.copy.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
            into.lock().unwrap().push(disk.crash_copy(call.index));
        })));
        let db = standby.promote().expect("promoted");
        pair.copy.set_hook(None);
        assert_eq!(rows_of(&db, &pair.trees), expected, "seed {seed}");
        for (n, copy) in copies.lock().unwrap().drain(..).enumerate() {
            let db = match Database::open_on(Arc::new(copy.clone()), primary_options(seed ^ 0x77)) {
                Ok(db) => {
                    primaries += 1;
                    db
                }
                Err(e) => {
                    assert!(e.to_string().contains("standby's"), "seed {seed}, call {n}: {e}");
                    standbys += 1;
                    let standby = open_standby(&copy, seed);
                    pair.pump(&standby, false);
                    assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}, call {n}");
                    standby.promote().unwrap_or_else(|e| panic!("seed {seed}, call {n}: {e}"))
                }
            };
            assert_eq!(rows_of(&db, &pair.trees), expected, "seed {seed}, call {n}");
        }
    }
    assert!(standbys > 0 && primaries > 0, "{standbys} standbys, {primaries} primaries");
}

/// The last sync of a clean stop failed: the newest slot of the control file may be in a cache only, and must not be built upon.
#[test]
fn an_adoption_begins_with_a_control_file_that_is_durable() {
    for seed in 1..8 {
        // Closes a database whose n-th sync of the control file fails; gives how many there were.
        let stopped = |fails: u64| {
            let sim = SimOptions { seed, log_needs_sync: true, data_cached: true, ..SimOptions::default() };
            let disk = SimDisk::new(sim);
            let db = open_with(&disk, primary_options(seed));
            let mut t = db.begin(TxnOptions::default());
            let tree = t.create_tree().unwrap();
            t.put(tree, b"k", b"v").unwrap();
            t.commit().unwrap();
            let n = Arc::new(AtomicU64::new(0));
            let counted = n.clone();
            disk.set_fault(Some(Box::new(move |c| {
                let is_control = c.kind == SimCallKind::Sync && &*c.path == "control";
                let is_it = is_control && counted.fetch_add(1, Ordering::SeqCst) + 1 == fails;
                if is_it { Fault::EioDropped } else { Fault::None }
            })));
            let closed = db.close();
            disk.set_fault(None);
            assert_eq!(closed.is_err(), fails > 0, "seed {seed}");
            let copy = disk.kill_copy();
            db.abandon();
            (copy, n.load(Ordering::SeqCst))
        };
        let (_, syncs) = stopped(0);
        let (copy, _) = stopped(syncs);
        let crashes: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
        let (into, mut n) = (crashes.clone(), 0);
        copy.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
            if &*call.path == "control" && call.kind == SimCallKind::Write {
                n += 1;
                let torn = disk.crash_copy_with(CrashPolicy::LoseUnsynced, n);
                torn.damage("control", call.offset + 512, &[0xAA; 512]).unwrap();
                into.lock().unwrap().push(torn);
            }
        })));
        let adopted = Standby::adopt(&copy);
        copy.set_hook(None);
        adopted.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(!crashes.lock().unwrap().is_empty());
        for crash in crashes.lock().unwrap().drain(..) {
            // Whichever it is now, it is one.
            let again = Standby::adopt(&crash);
            let is_one =
                again.is_ok() || again.as_ref().is_err_and(|e| e.to_string().contains("one already"));
            assert!(is_one, "seed {seed}: {again:?}");
        }
    }
}

/// A standby that was away for so long that its log is not kept here any more gets it from the primary's archive, and its slot counts again.
#[test]
fn what_is_not_kept_any_more_comes_from_the_archive() {
    let store = MemoryStore::default();
    let disk = disk(3);
    let options = |seed| archived(seed, &store).with("max_slot_wal_keep_size", "64kB").expect("valid");
    let db = open_with(&disk, options(1));
    let tree = new_tree(&db);
    db.close().expect("close");
    let copy = disk.kill_copy();
    Standby::adopt(&copy).expect("adopted");
    let db = open_with(&disk, options(2));
    db.upstream().create_slot(SLOT, true).expect("a slot");
    let mut rng = fastrand::Rng::with_seed(1);
    let standby = open_standby(&copy, 1);
    for n in 0..3000 {
        write(&db, tree, n).unwrap();
        if n % 50 == 0 {
            db.step_round().unwrap();
            db.step_archive(Duration::from_secs(n)).unwrap();
        }
    }
    while db.step_archive(Duration::from_secs(10_000)).unwrap() > 0 {}
    (0..12).for_each(|_| db.step_round().unwrap());
    assert!(db.slots()[0].is_lost, "the log was not kept");
    let end = durable_end(&db);
    pump(&db, &standby, &mut rng, true);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    let trees = [tree];
    assert_eq!(rows_of(&standby.database().expect("readable"), &trees), rows_of(&db, &trees));
    write(&db, tree, 1).unwrap();
    (0..12).for_each(|_| db.step_round().unwrap());
    assert!(!db.slots()[0].is_lost, "its follower has got on");
}
