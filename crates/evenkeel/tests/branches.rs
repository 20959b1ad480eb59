//! Servers whose logs parted: who has left the branch that is sent hears so, a copy becomes whole on its own branch alone, and a page that was cut away is not taken for the same.

mod common;

use common::pair::{LONG, Pair, SLOT, durable_end, open_standby, pump_up_to, rows_of};
use common::{assert_sound, disk, new_tree};
use evenkeel::io::SimDisk;
use evenkeel::wal::sending::Piece;
use evenkeel::{
    CopyOptions, CopyPiece, Database, Error, Lsn, Position, Rejoining, Result, Standby, StandbyCopy, TreeId,
    TxnOptions, Upstream,
};
use std::sync::Arc;

const AT_ONCE: CopyOptions = CopyOptions { rate_bytes_per_s: 0, level: 1, fast_checkpoint: false };

fn put(db: &Database, tree: TreeId, keys: std::ops::Range<u32>, value: u8) {
    let mut t = db.begin(TxnOptions::default());
    for n in keys {
        t.put(tree, &n.to_be_bytes(), &[value; 400]).unwrap();
    }
    t.commit().unwrap();
    durable_end(db);
}

/// A primary with two standbys that have all of its log so far.
struct Three {
    pair: Pair,
    tree: TreeId,
    b: Standby,
    c: Standby,
    c_disk: SimDisk,
    rng: fastrand::Rng,
}

impl Three {
    fn new(seed: u64) -> Three {
        let pair = Pair::new(seed);
        let c_disk = pair.copy.kill_copy();
        for slot in ["c", "d"] {
            pair.db.upstream().create_slot(slot, true).unwrap();
        }
        let (b, c) = (open_standby(&pair.copy, seed), open_standby(&c_disk, seed + 1));
        let tree = new_tree(&pair.db);
        let mut three = Three { pair, tree, b, c, c_disk, rng: fastrand::Rng::with_seed(seed) };
        put(&three.pair.db, tree, 0..10, 1);
        three.send_b();
        three.send_c();
        three
    }

    fn send_b(&mut self) {
        pump_up_to(self.pair.db.upstream(), SLOT, &self.b, &mut self.rng, false, Lsn::MAX);
    }

    fn send_c(&mut self) {
        pump_up_to(self.pair.db.upstream(), "c", &self.c, &mut self.rng, false, Lsn::MAX);
    }
}

/// What a server that has come to `from` gets of the log: an error, or whether there is something.
fn asked(up: Upstream<'_>, from: Position) -> Result<bool> {
    up.with_log_stream(from, false, |stream| Ok(stream.next(1000)?.is_some()))
}

#[test]
fn who_has_more_of_a_life_than_the_new_primary_is_told_that_it_has_left() {
    let mut all = Three::new(11);
    let forked_at = all.b.received();
    put(&all.pair.db, all.tree, 10..12, 2);
    all.send_c();
    let ahead = all.c.received();
    // Otherwise the segments' lives alone tell them apart.
    let segment = |p: Position| p.lsn.0 >> 16;
    assert!(ahead.life == forked_at.life && segment(ahead) == segment(forked_at), "{ahead:?} {forked_at:?}");
    let db = all.b.promote().unwrap();
    put(&db, all.tree, 20..60, 3);
    assert!(db.durable_lsn() > ahead.lsn);
    let refused = asked(db.upstream(), ahead);
    assert!(
        matches!(&refused, Err(Error::InvalidArgument(why)) if why.contains("has left this one")),
        "{refused:?}"
    );
    // Who came just as far goes on.
    assert!(asked(db.upstream(), forked_at).unwrap());
}

fn copy(up: Upstream<'_>, slot: &str, into: &SimDisk) -> Position {
    let (mut copy, mut whole) = (None, None);
    let given = up.copy_base(slot, &AT_ONCE, None, &mut |piece| {
        match piece {
            CopyPiece::Label(label, bytes) => {
                copy = Some(StandbyCopy::begin(Arc::new(into.clone()), label, bytes, "the primary")?);
            }
            CopyPiece::Lives(text) => copy.as_mut().unwrap().lives(text)?,
            CopyPiece::Pages(packed, _) => copy.as_mut().unwrap().pages(packed)?,
            CopyPiece::End(at) => whole = Some(at),
        }
        Ok(())
    });
    given.unwrap();
    copy.unwrap().finish(whole.unwrap()).unwrap();
    whole.unwrap()
}

#[test]
fn a_copy_does_not_become_whole_by_the_log_of_another_branch() {
    let mut all = Three::new(12);
    let forked_at = all.b.received();
    // The copy has what the one that takes over never saw.
    put(&all.pair.db, all.tree, 0..200, 2);
    let fresh = disk(120);
    let whole = copy(all.pair.db.upstream(), "d", &fresh);
    assert!(whole.lsn > forked_at.lsn && whole.life == forked_at.life);
    let late = fresh.kill_copy();
    // It follows the one that it was copied from as ever.
    let d = open_standby(&fresh, 121);
    pump_up_to(all.pair.db.upstream(), "d", &d, &mut all.rng, false, Lsn::MAX);
    assert!(d.wait_replayed(whole.lsn, LONG).unwrap() && d.is_whole());
    drop(d);
    // The other has the log from the same place on, and goes on by itself before the copy's end.
    let d = open_standby(&late, 122);
    let db = all.b.promote().unwrap();
    put(&db, all.tree, 300..500, 3);
    let followed = db.upstream().with_log_stream(d.received(), false, |stream| {
        while let Some(piece) = stream.next(10_000)? {
            match piece {
                Piece::Life(header) => d.begin_life(&header)?,
                Piece::Log(at, records) => d.receive(at, records)?,
            }
        }
        Ok(())
    });
    assert!(
        matches!(&followed, Err(Error::InvalidArgument(why)) if why.contains("Make another copy")),
        "{followed:?}"
    );
    d.sync().unwrap();
    assert!(!d.is_whole() && d.promote().is_err());
}

#[test]
fn a_header_of_the_life_that_is_received_changes_nothing_that_may_be_told() {
    let mut all = Three::new(13);
    let db = all.b.promote().unwrap();
    put(&db, all.tree, 20..40, 3);
    db.upstream().create_slot("c", true).unwrap();
    pump_up_to(db.upstream(), "c", &all.c, &mut all.rng, false, Lsn::MAX);
    let reader = all.c.database().unwrap();
    let told = reader.durable_lsn();
    // Each connection begins with the life's header.
    let mut said = 0;
    db.upstream()
        .with_log_stream(all.c.received(), false, |stream| {
            put(&db, all.tree, 40..41, 3);
            while let Some(piece) = stream.next(1000)? {
                if let Piece::Life(header) = piece {
                    assert!(header.begins_life());
                    all.c.begin_life(&header)?;
                    said += 1;
                }
            }
            Ok(())
        })
        .unwrap();
    assert!(said > 0 && reader.durable_lsn() >= told, "{} before, {} now", told, reader.durable_lsn());
}

/// Brings all pages of a standby home.
fn checkpoint(standby: &Standby, slot: &str) {
    standby.upstream().create_slot(slot, true).unwrap();
    let options = CopyOptions { fast_checkpoint: true, ..AT_ONCE };
    standby.upstream().copy_base(slot, &options, None, &mut |_| Ok(())).unwrap();
    standby.upstream().drop_slot(slot).unwrap();
}

#[test]
fn a_page_that_was_cut_away_after_the_fork_is_fetched_again() {
    let mut all = Three::new(14);
    let rows = 600;
    put(&all.pair.db, all.tree, 0..rows, 1);
    all.send_b();
    all.send_c();
    assert!(all.c.wait_replayed(all.c.received().lsn, LONG).unwrap());
    checkpoint(&all.c, "home");
    // Changed in memory alone, in log that both have.
    put(&all.pair.db, all.tree, rows / 2..rows, 2);
    all.send_b();
    all.send_c();
    // The one that is left behind sees them go, and their place with them.
    let mut t = all.pair.db.begin(TxnOptions::default());
    (2..rows).for_each(|n| drop(t.delete(all.tree, &n.to_be_bytes()).unwrap()));
    t.commit().unwrap();
    let mut cut = 0;
    for _ in 0..20 {
        while all.pair.db.step_purge().unwrap() > 0 {}
        cut += all.pair.db.vacuum(all.tree).unwrap().blocks_cut;
    }
    assert!(cut > 0, "the file was not cut");
    durable_end(&all.pair.db);
    all.send_c();
    assert!(all.c.wait_replayed(all.c.received().lsn, LONG).unwrap());
    let db = all.b.promote().unwrap();
    put(&db, all.tree, 0..2, 4);
    all.c.promote().unwrap().close().unwrap();
    // The folder rejoins.
    let rejoining = Rejoining::open_on(Arc::new(all.c_disk.clone())).unwrap();
    let fork = db.upstream().fork(&rejoining.lives()).unwrap().unwrap();
    let have = rejoining.have(fork).unwrap();
    db.upstream().create_slot("again", true).unwrap();
    let (mut rejoining, mut copy, mut whole) = (Some(rejoining), None::<StandbyCopy>, None);
    // What was changed before is at home there: no log says it again.
    let options = CopyOptions { fast_checkpoint: true, ..AT_ONCE };
    let given = db.upstream().copy_base("again", &options, Some(&have), &mut |piece| {
        match piece {
            CopyPiece::Label(label, _) => copy = Some(rejoining.take().unwrap().begin(label, fork, "b")?),
            CopyPiece::Lives(text) => copy.as_mut().unwrap().lives(text)?,
            CopyPiece::Pages(packed, _) => copy.as_mut().unwrap().pages(packed)?,
            CopyPiece::End(at) => whole = Some(at),
        }
        Ok(())
    });
    given.unwrap();
    copy.unwrap().finish(whole.unwrap()).unwrap();
    let again = open_standby(&all.c_disk, 140);
    let end = durable_end(&db);
    pump_up_to(db.upstream(), "again", &again, &mut all.rng, true, Lsn::MAX);
    assert!(again.wait_replayed(end, LONG).unwrap());
    let expected = rows_of(&db, &[all.tree]);
    let again = again.promote().unwrap();
    assert_eq!(rows_of(&again, &[all.tree]), expected);
    assert_sound(&again, "rejoined");
}
