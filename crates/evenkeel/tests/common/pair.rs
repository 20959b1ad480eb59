//! A primary, and the standby that gets its log by hand.

use super::{Rows, committed, disk, open_with, small};
use evenkeel::io::SimDisk;
use evenkeel::wal::sending::Piece;
use evenkeel::{Database, Durability, Lsn, Options, Standby, Transaction, TreeId, TxnOptions, Upstream};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The standby's slot.
pub const SLOT: &str = "b";
/// Long enough for anything that ends at all.
pub const LONG: Duration = Duration::from_secs(60);

pub fn primary_options(seed: u64) -> Options {
    small(seed).with("max_wal_size", "256kB").expect("valid")
}

pub fn standby_options(seed: u64) -> Options {
    Options::default()
        .with_seed(seed ^ 0x57a)
        .with("shared_buffers", "512kB")
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("wal_buffers", "256kB"))
        .and_then(|o| o.with("recovery_workers", ["1", "2", "4"][(seed % 3) as usize]))
        .and_then(|o| o.with("recovery_prefetch_threads", "2"))
        .and_then(|o| o.with("recovery_look_ahead", ["64kB", "8MB"][(seed / 3 % 2) as usize]))
        .and_then(|o| o.with("double_write_size", "128kB"))
        .and_then(|o| o.with("checkpoint_timeout", "30s"))
        .expect("valid settings")
}

/// A primary that goes on from a clean stop, and the copy of its folder that was made there.
pub struct Pair {
    pub rng: fastrand::Rng,
    pub db: Database,
    pub trees: Vec<TreeId>,
    /// Those that are open, each with keys of its own.
    pub open: Vec<(u8, Transaction)>,
    /// The primary's disk.
    pub home: SimDisk,
    /// The standby's.
    pub copy: SimDisk,
    pub seed: u64,
}

impl Pair {
    pub fn new(seed: u64) -> Pair {
        Pair::on(disk(seed), seed)
    }

    pub fn on(disk: SimDisk, seed: u64) -> Pair {
        let mut rng = fastrand::Rng::with_seed(seed);
        let db = open_with(&disk, primary_options(seed));
        let (home, copy) = (disk.clone(), disk.clone());
        let mut pair = Pair { rng: rng.fork(), db, trees: Vec::new(), open: Vec::new(), home, copy, seed };
        (0..rng.usize(1..60)).for_each(|_| pair.step());
        pair.open.clear();
        pair.db.close().expect("close");
        pair.copy = disk.kill_copy();
        Standby::adopt(&pair.copy).expect("a clean copy is adopted");
        pair.seed += 1000;
        pair.db = open_with(&disk, primary_options(pair.seed));
        pair.db.upstream().create_slot(SLOT, true).expect("a slot");
        pair
    }

    pub fn restart(&mut self) {
        self.open.clear();
        self.db.close().expect("close");
        self.seed += 1000; // lives of a log have different numbers
        self.db = open_with(&self.home, primary_options(self.seed));
    }

    /// Sends what the primary has and the standby does not. With `advance` it may let go of that.
    pub fn pump(&mut self, standby: &Standby, advance: bool) {
        let mut rng = self.rng.fork();
        pump(&self.db, standby, &mut rng, advance);
    }

    /// Something that a primary does.
    pub fn step(&mut self) {
        let db = self.db.clone();
        match self.rng.u8(0..100) {
            0..=5 => db.step_round().expect("round"),
            6..=7 => drop(db.step_clean().expect("clean")),
            8..=15 => drop(db.step_purge().expect("purge")),
            16..=20 => {
                let mut t = db.begin(TxnOptions::default());
                self.trees.push(t.create_tree().expect("a tree"));
                t.commit().expect("commit");
            }
            21..=22 if !self.trees.is_empty() => {
                let tree = self.trees.swap_remove(self.rng.usize(..self.trees.len()));
                // Whoever holds it goes first.
                self.open.clear();
                let mut t = db.begin(TxnOptions::default());
                t.drop_tree(tree).expect("dropped");
                t.commit().expect("commit");
            }
            23..=25 if !self.trees.is_empty() => {
                let tree = self.trees[self.rng.usize(..self.trees.len())];
                db.vacuum(tree).expect("vacuum");
            }
            26..=35 if self.open.len() < 3 && !self.trees.is_empty() => {
                let mut t = db.begin(TxnOptions::default());
                let slot =
                    (7..).find(|n| self.open.iter().all(|(slot, _)| slot != n)).expect("three at most");
                // An id may be older than its first record.
                if self.rng.bool() {
                    t.assign_id().expect("an id");
                } else {
                    self.write(&mut t, slot);
                }
                self.open.push((slot, t));
            }
            36..=40 if !self.open.is_empty() => {
                let (slot, mut t) = self.open.swap_remove(self.rng.usize(..self.open.len()));
                match self.rng.u8(..4) {
                    0 => {}
                    1 => drop(t.commit().expect("commit")),
                    _ if self.trees.is_empty() => {}
                    more => {
                        let sp = t.savepoint();
                        self.write(&mut t, slot);
                        if more == 2 {
                            t.rollback_to(sp).expect("rolled back");
                            self.write(&mut t, slot);
                        }
                        self.open.push((slot, t));
                    }
                }
            }
            41..=42 => self.restart(),
            43..=45 => db.step_log_writer().expect("log writer"),
            46 => db.checkpoint().expect("checkpoint"),
            _ if self.trees.is_empty() => {}
            _ => {
                let durability = if self.rng.u8(..4) == 0 { Durability::Async } else { Durability::Sync };
                let mut t = db.begin(TxnOptions { durability, ..TxnOptions::default() });
                self.write(&mut t, 0);
                if self.rng.u8(..8) > 0 {
                    t.commit().expect("commit");
                }
            }
        }
    }

    /// As `step`, without what needs nobody else at work.
    pub fn step_while_copied(&mut self) {
        let restarts = self.rng.clone().u8(0..100);
        if (41..=42).contains(&restarts) {
            self.rng.u8(..);
        } else {
            self.step();
        }
    }

    /// Commits what nothing makes durable for now.
    pub fn leave_in_memory(&mut self) {
        if self.trees.is_empty() {
            return;
        }
        let mut t = self.db.begin(TxnOptions { durability: Durability::Async, ..TxnOptions::default() });
        self.write(&mut t, 0);
        t.commit().expect("commit");
    }

    /// Changes some rows. `slot` keeps apart who is open at the same time.
    pub fn write(&mut self, t: &mut Transaction, slot: u8) {
        for _ in 0..self.rng.usize(1..20) {
            let tree = self.trees[self.rng.usize(..self.trees.len())];
            let few = if self.rng.bool() { 8 } else { u8::MAX };
            let key = [slot, self.rng.u8(..few), self.rng.u8(..4)];
            let long = if self.rng.u8(..20) == 0 { 20_000 } else { 300 };
            match self.rng.u8(..4) {
                0 => drop(t.delete(tree, &key).expect("delete")),
                _ => t.put(tree, &key, &vec![self.rng.u8(..); self.rng.usize(..long)]).expect("put"),
            }
        }
    }

    pub fn rows(&self) -> BTreeMap<TreeId, Rows> {
        rows_of(&self.db, &self.trees)
    }
}

pub fn rows_of(db: &Database, trees: &[TreeId]) -> BTreeMap<TreeId, Rows> {
    trees.iter().map(|tree| (*tree, committed(db, *tree).expect("readable"))).collect()
}

pub fn pump(db: &Database, standby: &Standby, rng: &mut fastrand::Rng, advance: bool) {
    pump_up_to(db.upstream(), SLOT, standby, rng, advance, Lsn::MAX);
}

/// As far as what begins before `until`.
pub fn pump_up_to(
    up: Upstream<'_>,
    slot: &str,
    standby: &Standby,
    rng: &mut fastrand::Rng,
    advance: bool,
    until: Lsn,
) {
    send_up_to(up, slot, standby, rng, advance, until);
    let news = up.news();
    standby.may_tell(news.told, news.is_asked).expect("it is noted");
}

/// The log, without a word on what of it may be told.
pub fn send_up_to(
    up: Upstream<'_>,
    slot: &str,
    standby: &Standby,
    rng: &mut fastrand::Rng,
    advance: bool,
    until: Lsn,
) {
    try_send_up_to(up, slot, standby, rng, advance, until).expect("the log is sent and received");
}

/// As `send_up_to`, to a standby that may stop.
pub fn try_send_up_to(
    up: Upstream<'_>,
    slot: &str,
    standby: &Standby,
    rng: &mut fastrand::Rng,
    advance: bool,
    until: Lsn,
) -> evenkeel::Result<()> {
    let user = up.use_slot(slot).expect("nobody uses it");
    let from = standby.received();
    up.with_log_stream(from, false, |stream| {
        while stream.position() < until
            && let Some(piece) = stream.next(rng.usize(1..30_000))?
        {
            match piece {
                // A life that begins is nothing to sync.
                Piece::Life(header) => {
                    standby.begin_life(&header)?;
                    continue;
                }
                Piece::Log(at, records) => standby.receive(at, records)?,
            }
            if rng.bool() {
                standby.sync()?;
            }
        }
        Ok(())
    })?;
    // As a receiver does it.
    if standby.durable() != standby.received() {
        standby.sync()?;
    }
    if advance {
        user.confirm(standby.durable().lsn);
    }
    Ok(())
}

pub fn open_standby(disk: &SimDisk, seed: u64) -> Standby {
    Standby::open_on(Arc::new(disk.clone()), standby_options(seed)).expect("a standby opens")
}

pub fn durable_end(db: &Database) -> Lsn {
    db.wait_durable(db.insert_lsn()).expect("durable");
    db.durable_lsn()
}

/// How many seeds are tried: more with `EVENKEEL_STANDBY_SEEDS`.
pub fn seeds(usual: u64) -> u64 {
    std::env::var("EVENKEEL_STANDBY_SEEDS").map_or(usual, |n| n.parse().expect("a number"))
}
