//! A standby whose disk is full, or fails where nothing of the log is in doubt, goes on once it can: nobody who reads it is cut off, and nothing that it confirmed is lost.

mod common;

use common::assert_sound;
use common::pair::{LONG, Pair, SLOT, durable_end, open_standby, rows_of, seeds};
use evenkeel::io::{Access, CrashPolicy, Fault, SimCall, SimCallKind};
use evenkeel::wal::sending::Piece;
use evenkeel::{Error, Result, Standby};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// As a connection that ends with the first error does it.
fn send(pair: &mut Pair, standby: &Standby) -> Result<()> {
    let mut rng = pair.rng.fork();
    let up = pair.db.upstream();
    let _user = up.use_slot(SLOT).expect("nobody uses it");
    up.with_log_stream(standby.received(), false, |stream| {
        while let Some(piece) = stream.next(rng.usize(1..30_000))? {
            match piece {
                Piece::Life(header) => standby.begin_life(&header)?,
                Piece::Log(at, records) => standby.receive(at, records)?,
            }
            if rng.bool() {
                standby.sync()?;
            }
        }
        Ok(())
    })?;
    standby.sync()?;
    let news = up.news();
    standby.may_tell(news.told, news.is_asked)
}

fn has_all_of(pair: &mut Pair, standby: Standby, what: &str) {
    let end = durable_end(&pair.db);
    pair.pump(&standby, true);
    assert!(standby.wait_replayed(end, LONG).unwrap(), "{what}");
    let expected = pair.rows();
    let db = standby.promote().unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(rows_of(&db, &pair.trees), expected, "{what}");
    while db.rollback_changes_left() > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_sound(&db, what);
    db.close().expect("close");
}

#[test]
fn a_standby_with_a_full_disk_goes_on_once_there_is_space() {
    let mut refused = 0;
    for seed in 0..seeds(12) {
        let mut pair = Pair::new(seed ^ 0xf011);
        let standby = open_standby(&pair.copy, seed);
        pair.pump(&standby, false);
        for _ in 0..3 {
            pair.copy.set_capacity(pair.copy.used_bytes() + pair.rng.u64(..100_000));
            for _ in 0..3 {
                (0..30).for_each(|_| pair.step());
                match send(&mut pair, &standby) {
                    Ok(()) => {}
                    Err(Error::OutOfSpace { .. }) => refused += 1,
                    Err(e) => panic!("seed {seed}: {e}"),
                }
                assert!(standby.poisoned().is_none(), "seed {seed}: {:?}", standby.poisoned());
            }
            pair.copy.set_capacity(u64::MAX);
        }
        has_all_of(&mut pair, standby, &format!("seed {seed}"));
    }
    assert!(refused > 0);
}

/// Whatever fails while a segment is made ready, a used one or a new one.
#[test]
fn a_segment_that_cannot_be_made_ready_is_made_again() {
    let (mut failed, mut in_lives) = (0, 0);
    for seed in 0..seeds(24) {
        let mut pair = Pair::new(seed ^ 0x5e9);
        let mut standby = open_standby(&pair.copy, seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        for round in 0..8 {
            (0..20).for_each(|_| pair.step());
            if rng.u8(..3) == 0 {
                pair.restart();
            }
            let mut faults = rng.fork();
            pair.copy.set_fault(Some(Box::new(move |call: &SimCall| {
                let is_made = match call.kind {
                    SimCallKind::Rename => call.to.as_ref().is_some_and(|to| to.starts_with("wal/")),
                    SimCallKind::SyncDir => &*call.path == "wal",
                    _ => call.path.starts_with("wal/new-"),
                };
                // One that was used is opened for that.
                let is_used = call.kind == SimCallKind::Open && call.access == Some(Access::Log);
                let is_there = call.path.starts_with("wal/0");
                if (is_made || (is_used && is_there)) && faults.u8(..4) == 0 {
                    Fault::Eio
                } else {
                    Fault::None
                }
            })));
            for _ in 0..6 {
                let (at, end) = (standby.received(), pair.db.upstream().position());
                match send(&mut pair, &standby) {
                    // Reading it here needs nothing of what fails.
                    Ok(()) => break,
                    Err(Error::Io { .. }) => failed += 1,
                    Err(e) => panic!("seed {seed}, round {round}: {e}"),
                }
                in_lives += u32::from(at.life != end.life);
                assert!(standby.poisoned().is_none(), "seed {seed}: {:?}", standby.poisoned());
            }
            pair.copy.set_fault(None);
            // What is there in vain by then must not count after a crash.
            if rng.bool() {
                let at = standby.durable();
                let policy =
                    [CrashPolicy::Mixed, CrashPolicy::KeepAll, CrashPolicy::LoseUnsynced][rng.usize(..3)];
                let copy = pair.copy.crash_copy_with(policy, seed);
                drop(standby);
                pair.copy = copy;
                standby = open_standby(&pair.copy, seed);
                assert!(standby.received().lsn >= at.lsn, "seed {seed}, round {round}");
            }
        }
        has_all_of(&mut pair, standby, &format!("seed {seed}"));
    }
    assert!(failed > 20 && in_lives > 5, "{failed} failures, {in_lives} of them where a life begins");
}

/// One that was begun in vain is not taken for the end of the life before, which has gone on.
#[test]
fn a_life_that_could_not_begin_ends_nothing() {
    let mut pair = Pair::new(77);
    let standby = open_standby(&pair.copy, 77);
    (0..40).for_each(|_| pair.step());
    pair.pump(&standby, false);
    // Its primary before goes on, while another one begins a life.
    let elsewhere = pair.home.kill_copy();
    let before = pair.db.clone();
    pair.open.clear();
    let other = common::open_with(&elsewhere, common::pair::primary_options(4711));
    other.upstream().create_slot("c", true).expect("a slot");
    pair.copy.set_fault(Some(Box::new(|call: &SimCall| {
        if call.kind == SimCallKind::SyncDir { Fault::Eio } else { Fault::None }
    })));
    let began = other.upstream().with_log_stream(standby.received(), false, |stream| {
        while let Some(piece) = stream.next(10_000)? {
            match piece {
                Piece::Life(header) => standby.begin_life(&header)?,
                Piece::Log(at, records) => standby.receive(at, records)?,
            }
        }
        Ok(())
    });
    assert!(matches!(began, Err(Error::Io { .. })), "{began:?}");
    pair.copy.set_fault(None);
    drop(other);
    pair.db = before;
    (0..10).for_each(|_| pair.step());
    send(&mut pair, &standby).expect("goes on in the life before");
    let at = standby.durable();
    pair.copy = pair.copy.crash_copy_with(CrashPolicy::KeepAll, 1);
    drop(standby);
    let standby = open_standby(&pair.copy, 78);
    assert_eq!(standby.received(), at);
    has_all_of(&mut pair, standby, "the life before");
}

/// Where there is no space for what is replayed, the replay waits for it, and stops if it is to.
#[test]
fn a_replay_without_space_waits() {
    for seed in 0..seeds(6) {
        let mut pair = Pair::new(seed ^ 0x4e9);
        let mut standby = open_standby(&pair.copy, seed);
        for round in 0..2 {
            let refused = Arc::new(AtomicU64::new(0));
            let counted = refused.clone();
            pair.copy.set_fault(Some(Box::new(move |call: &SimCall| {
                let needs_space = matches!(call.kind, SimCallKind::Create | SimCallKind::Allocate);
                if !needs_space || !call.path.starts_with("data/") {
                    return Fault::None;
                }
                counted.fetch_add(1, Ordering::SeqCst);
                Fault::Enospc
            })));
            let mut end = durable_end(&pair.db);
            while refused.load(Ordering::SeqCst) == 0 {
                (0..20).for_each(|_| pair.step());
                end = durable_end(&pair.db);
                send(&mut pair, &standby).expect("the log has its space");
                let _ = standby.wait_replayed(end, Duration::from_millis(20)).unwrap();
            }
            assert!(!standby.wait_replayed(end, Duration::from_millis(1200)).unwrap(), "seed {seed}");
            assert!(refused.load(Ordering::SeqCst) > 1, "seed {seed}: it tries again");
            if round == 0 {
                standby.close().expect("it stops");
                standby = open_standby(&pair.copy, seed);
                send(&mut pair, &standby).expect("received");
            }
            pair.copy.set_fault(None);
            assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
        }
        has_all_of(&mut pair, standby, &format!("seed {seed}"));
    }
}
