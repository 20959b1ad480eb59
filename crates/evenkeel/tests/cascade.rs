//! A standby of a standby: whoever is last has what the primary had, whatever crashes in between, and whoever takes over.

mod common;

use common::pair::{LONG, Pair, SLOT, durable_end, open_standby, pump_up_to, rows_of, seeds};
use common::{assert_sound, disk};
use evenkeel::io::{SimCall, SimDisk};
use evenkeel::{CopyOptions, CopyPiece, Database, Lsn, Standby, StandbyCopy};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The last one's slot at the one in the middle.
const LAST: &str = "c";

/// The one in the middle follows the primary, and so on.
struct Chain {
    pair: Pair,
    rng: fastrand::Rng,
    seed: u64,
    middle_disk: SimDisk,
    last_disk: SimDisk,
    middle: Option<Standby>,
    last: Option<Standby>,
}

impl Chain {
    fn new(seed: u64) -> Chain {
        let pair = Pair::new(seed ^ 0xca5c);
        let middle_disk = pair.copy.clone();
        let middle = Some(open_standby(&middle_disk, seed));
        let mut chain = Chain {
            pair,
            rng: fastrand::Rng::with_seed(seed),
            seed,
            middle_disk,
            last_disk: disk(seed ^ 0x1a57),
            middle,
            last: None,
        };
        (0..40).for_each(|_| chain.pair.step());
        chain.send_middle(true);
        let end = chain.middle().durable().lsn;
        assert!(chain.middle().wait_replayed(end, LONG).unwrap(), "seed {seed}");
        chain.copy();
        chain.last = Some(open_standby(&chain.last_disk, seed ^ 7));
        chain
    }

    fn middle(&self) -> &Standby {
        self.middle.as_ref().expect("it is open")
    }

    fn last(&self) -> &Standby {
        self.last.as_ref().expect("it is open")
    }

    fn send_middle(&mut self, advance: bool) {
        self.pair.pump(self.middle.as_ref().expect("it is open"), advance);
    }

    fn send_last(&mut self) {
        let (middle, last) = (self.middle.as_ref().expect("open"), self.last.as_ref().expect("open"));
        pump_up_to(middle.upstream(), LAST, last, &mut self.rng, true, Lsn::MAX);
    }

    /// A copy of the one in the middle, while it goes on.
    fn copy(&mut self) {
        let middle = self.middle.take().expect("it is open");
        middle.upstream().create_slot(LAST, true).expect("a slot");
        let options = CopyOptions { rate_bytes_per_s: 0, level: 1, fast_checkpoint: self.rng.bool() };
        let (mut copy, mut whole) = (None, None);
        middle
            .upstream()
            .copy_base(LAST, &options, None, &mut |piece| {
                match piece {
                    CopyPiece::Label(label, bytes) => {
                        let disk = Arc::new(self.last_disk.clone());
                        copy = Some(StandbyCopy::begin(disk, label, bytes, "the one in the middle")?);
                    }
                    CopyPiece::Lives(text) => copy.as_mut().expect("a label came first").lives(text)?,
                    CopyPiece::Pages(packed, _) => {
                        copy.as_mut().expect("a label came first").pages(packed)?;
                    }
                    CopyPiece::End(at) => whole = Some(at),
                }
                (0..self.rng.usize(..12)).for_each(|_| self.pair.step_while_copied());
                self.pair.pump(&middle, true);
                Ok(())
            })
            .expect("a copy");
        copy.expect("a label came").finish(whole.expect("it ended")).expect("a standby");
        self.middle = Some(middle);
    }

    /// The middle one crashes at one of its disk's calls while it is sent log, or just now.
    fn crash_middle(&mut self) {
        let taken: Arc<Mutex<Option<SimDisk>>> = Arc::default();
        let (at, salt) = (self.middle_disk.calls() + self.rng.u64(1..40), self.rng.u64(..));
        let into = taken.clone();
        self.middle_disk.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
            if call.index == at {
                *into.lock().unwrap() = Some(disk.crash_copy(salt));
            }
        })));
        self.send_middle(false);
        drop(self.middle.take());
        self.middle_disk.set_hook(None);
        let at_a_call = taken.lock().unwrap().take();
        self.middle_disk = at_a_call.unwrap_or_else(|| self.middle_disk.crash_copy(salt));
        self.middle = Some(open_standby(&self.middle_disk, self.seed));
        let (theirs, ours) = (self.last().received().lsn, self.middle().durable().lsn);
        assert!(theirs <= ours, "seed {}: {theirs} was sent, {ours} is durable", self.seed);
    }

    fn crash_last(&mut self) {
        drop(self.last.take());
        self.last_disk = self.last_disk.crash_copy(self.rng.u64(..));
        self.last = Some(open_standby(&self.last_disk, self.seed ^ 7));
    }

    fn step(&mut self) {
        match self.rng.u8(..20) {
            0 => self.crash_middle(),
            1 => self.crash_last(),
            2..=5 => self.send_middle(true),
            6..=9 => self.send_last(),
            _ => (0..5).for_each(|_| self.pair.step()),
        }
    }

    /// Everybody has everything.
    fn settle(&mut self) -> Lsn {
        let end = durable_end(&self.pair.db);
        self.send_middle(true);
        self.send_last();
        for (who, standby) in [("middle", self.middle()), ("last", self.last())] {
            let replayed = standby.wait_replayed(end, LONG);
            assert!(matches!(replayed, Ok(true)), "seed {}, the {who}: {replayed:?}", self.seed);
        }
        end
    }
}

fn rolled_back(db: &Database) {
    while db.rollback_changes_left() > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn whoever_is_last_has_what_the_primary_had() {
    for seed in 0..seeds(24) {
        let mut chain = Chain::new(seed);
        (0..60).for_each(|_| chain.step());
        chain.settle();
        let expected = chain.pair.rows();
        if let Some(db) = chain.last().database() {
            assert_eq!(rows_of(&db, &chain.pair.trees), expected, "seed {seed}, read on the last one");
        }
        let db = chain.last.take().unwrap().promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(rows_of(&db, &chain.pair.trees), expected, "seed {seed}");
        rolled_back(&db);
        assert_sound(&db, &format!("seed {seed}"));
    }
}

/// The one in the middle takes over: the last one goes on with it, without a copy.
#[test]
fn who_follows_a_standby_follows_it_when_that_takes_over() {
    for seed in 0..seeds(16) {
        let mut chain = Chain::new(seed ^ 0x0e);
        (0..30).for_each(|_| chain.step());
        durable_end(&chain.pair.db);
        chain.send_middle(true);
        if chain.rng.bool() {
            chain.send_last();
        }
        let middle = chain.middle.take().unwrap();
        assert!(middle.wait_replayed(middle.durable().lsn, LONG).unwrap());
        let db = middle.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(db.slots().iter().any(|slot| slot.name == LAST), "its slots are there");
        rolled_back(&db);
        chain.pair.open.clear();
        let before = std::mem::replace(&mut chain.pair.db, db.clone());
        drop(before);
        for _ in 0..30 {
            chain.pair.step_while_copied();
        }
        chain.pair.open.clear();
        let (last, end) = (chain.last.take().unwrap(), durable_end(&db));
        pump_up_to(db.upstream(), LAST, &last, &mut chain.rng, true, Lsn::MAX);
        assert!(last.wait_replayed(end, LONG).unwrap(), "seed {seed}");
        let expected = chain.pair.rows();
        let promoted = last.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(rows_of(&promoted, &chain.pair.trees), expected, "seed {seed}");
    }
}

/// What readers at the end of the chain want reaches the primary through the middle, and is known there after a crash.
#[test]
fn what_readers_want_is_handed_on() {
    let mut chain = Chain::new(3);
    chain.settle();
    let own = chain.middle().feedback().expect("the one in the middle can be read");
    let user = chain.middle().upstream().use_slot(LAST).unwrap();
    user.wants(Some(Lsn(own.0 - 1))).unwrap();
    assert_eq!(chain.middle().feedback(), Some(Lsn(own.0 - 1)));
    user.leave(None);
    drop(user);
    drop(chain.middle.take());
    chain.middle_disk = chain.middle_disk.crash_copy(5);
    chain.middle = Some(open_standby(&chain.middle_disk, chain.seed));
    assert_eq!(chain.middle().feedback(), Some(Lsn(own.0 - 1)), "while the last one is away");
    // Without a slot: as long as it is there.
    let up = chain.middle().upstream();
    let feedback = up.feedback();
    feedback.heard(Lsn(7));
    assert_eq!(chain.middle().feedback(), Some(Lsn(7)));
    drop(feedback);
    assert_eq!(chain.middle().feedback(), Some(Lsn(own.0 - 1)));
    let user = up.use_slot(LAST).unwrap();
    user.wants(None).unwrap();
    assert!(chain.middle().feedback().is_none_or(|at| at >= own));
}

/// Log that a slot of the standby needs stays there; without one, and without log, it is told.
#[test]
fn a_standby_keeps_log_for_its_slots() {
    let mut chain = Chain::new(5);
    chain.settle();
    let from = chain.last().received();
    let fill = |chain: &mut Chain| {
        for _ in 0..400 {
            chain.pair.step_while_copied();
        }
        chain.send_middle(true);
        let at = chain.middle().durable().lsn;
        assert!(chain.middle().wait_replayed(at, LONG).unwrap());
        chain.middle.take().unwrap().close().unwrap();
        chain.middle = Some(open_standby(&chain.middle_disk, chain.seed));
        let at = chain.middle().durable().lsn;
        assert!(chain.middle().wait_replayed(at, LONG).unwrap());
    };
    (0..4).for_each(|_| fill(&mut chain));
    chain.settle();
    chain.middle().upstream().drop_slot(LAST).unwrap();
    (0..4).for_each(|_| fill(&mut chain));
    let up = chain.middle().upstream();
    let gone = up.with_log_stream(from, false, |stream| stream.next(100).map(|_| ())).unwrap_err();
    assert!(gone.to_string().contains("not here any more"), "{gone}");
    assert!(chain.middle().durable().lsn.0 - from.lsn.0 > 512 << 10, "it was more than is kept anyway");
    // Who is sent away hears so.
    chain.middle().send_away();
    assert!(chain.middle().upstream().use_slot(SLOT).is_err());
}
