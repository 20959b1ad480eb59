//! Lists that transactions append to, on a primary, and snapshots of all of them, taken there and on its standby while it replays (decision 013, 1 to 3).
//!
//! Checked, of every snapshot wherever it was taken:
//! 1. Each list is a prefix of what it is in the end, and nothing is in a list twice.
//! 2. Of a transaction all appends are there, or none.
//! 3. Any two snapshots are comparable: one has all that the other has. There is one order of commits, the same on both servers: no long fork.
//! 4. What one session sees never goes back.
//! 5. What was told as committed before a snapshot was taken is in it: on the primary always, on the standby once the log up to there is replayed.
//!
//! `EVENKEEL_STANDBY_SEEDS` tries more seeds.

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby, pump, seeds};
use evenkeel::{
    Database, Durability, Error, Isolation, LockMode, Lsn, Standby, TreeId, TxnOptions, WaitPolicy,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LISTS: usize = 7;
const WRITERS: u32 = 3;
const READERS: u64 = 2;
/// How long they are at work, of each seed.
const WHILE: Duration = Duration::from_millis(1500);
/// Snapshots that have to be there of each server.
const SNAPSHOTS_MIN: usize = 40;

const REPEATABLE: TxnOptions =
    TxnOptions { isolation: Isolation::RepeatableRead, read_only: false, durability: Durability::Sync };

/// One of them: in which tree, under which key.
#[derive(Clone, Copy)]
struct List(TreeId, [u8; 1]);

/// What a transaction appended to.
struct Append {
    id: u32,
    lists: Vec<usize>,
}

/// What somebody saw: of each list the length, and a checksum.
#[derive(Clone)]
struct Snapshot {
    lists: Vec<(usize, u32)>,
    /// So many appends had been told before.
    told: usize,
}

/// Appends that were told, in the order of being told, and how far the log was durable then.
type Told = Mutex<Vec<(Append, Lsn)>>;

fn append(
    db: &Database,
    lists: &[List],
    id: u32,
    rng: &mut fastrand::Rng,
) -> evenkeel::Result<(Append, Lsn)> {
    let mut t = db.begin(TxnOptions::default());
    let mut to: Vec<usize> = (0..rng.usize(1..=3)).map(|_| rng.usize(..LISTS)).collect();
    to.sort_unstable(); // nobody deadlocks
    to.dedup();
    for n in &to {
        let List(tree, key) = lists[*n];
        let locked = t.lock(tree, &key, LockMode::NoKeyUpdate, WaitPolicy::Block)?;
        let (evenkeel::Locked::Current(mut list) | evenkeel::Locked::Changed(mut list)) = locked else {
            panic!("a list is gone")
        };
        list.extend_from_slice(&id.to_le_bytes());
        t.begin_statement();
        _ = t.update(tree, &key, &list, LockMode::NoKeyUpdate)?;
        // So that pages split, and are emptied, beside them.
        let other = [key[0], rng.u8(..), rng.u8(..8)];
        if rng.bool() {
            t.put(tree, &other, &vec![0; rng.usize(..400)])?;
        } else {
            _ = t.delete(tree, &other)?;
        }
    }
    let at = t.commit()?;
    Ok((Append { id, lists: to }, at))
}

/// All lists as of one moment; `None`: the snapshot was too old.
fn look(db: &Database, lists: &[List], told: usize) -> evenkeel::Result<Option<Snapshot>> {
    let mut t = db.begin(REPEATABLE);
    let mut seen = Vec::new();
    for List(tree, key) in lists {
        match t.get(*tree, key) {
            Ok(list) => {
                let list = list.expect("lists stay");
                seen.push((list.len() / 4, crc32c::crc32c(&list)));
            }
            Err(Error::SnapshotTooOld) => return Ok(None),
            Err(e) => return Err(e),
        }
    }
    Ok(Some(Snapshot { lists: seen, told }))
}

/// Reads until it is over.
fn read(
    db: &Database,
    standby: Option<&Standby>,
    lists: &[List],
    told: &Told,
    over: &AtomicBool,
    seed: u64,
) -> Vec<Snapshot> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut all: Vec<Snapshot> = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let n = match standby {
            None => told.lock().unwrap().len(),
            // Now and then, for it takes until the log has come.
            Some(standby) if rng.u8(..4) == 0 => {
                let (n, at) = {
                    let told = told.lock().unwrap();
                    (told.len(), told.iter().map(|(_, at)| *at).max().unwrap_or(Lsn::ZERO))
                };
                if standby.wait_replayed(at, Duration::from_millis(50)).unwrap() { n } else { 0 }
            }
            Some(_) => 0,
        };
        if let Some(seen) = look(db, lists, n).unwrap_or_else(|e| panic!("seed {seed}: {e}")) {
            if let Some(before) = all.last() {
                assert!(has_all(&seen, before), "seed {seed}: it went back");
            }
            all.push(seen);
        }
    }
    all
}

fn has_all(a: &Snapshot, of: &Snapshot) -> bool {
    a.lists.iter().zip(&of.lists).all(|((a, _), (b, _))| a >= b)
}

/// The five rules, but for the fourth.
fn judge(mut snapshots: Vec<Snapshot>, told: &[(Append, Lsn)], last: &[Vec<u32>], context: &str) {
    let mut places = std::collections::HashMap::new();
    let mut sums = Vec::new();
    for (n, list) in last.iter().enumerate() {
        let mut crcs = vec![crc32c::crc32c(&[])];
        for (place, id) in list.iter().enumerate() {
            assert!(places.insert((n, *id), place).is_none(), "{context}: {id} is twice in list {n}");
            crcs.push(crc32c::crc32c_append(crcs[place], &id.to_le_bytes()));
        }
        sums.push(crcs);
    }
    for (append, _) in told {
        for n in &append.lists {
            assert!(places.contains_key(&(*n, append.id)), "{context}: {} is lost from list {n}", append.id);
        }
    }
    // Of those that saw the same, the one that had been told most says it all.
    snapshots.sort_by_key(|s| (s.lists.iter().map(|(len, _)| *len).sum::<usize>(), s.told));
    snapshots.dedup_by(|later, before| {
        let same = later.lists == before.lists;
        if same {
            before.told = later.told;
        }
        same
    });
    for pair in snapshots.windows(2) {
        assert!(has_all(&pair[1], &pair[0]), "{context}: two snapshots disagree on the order of commits");
    }
    for s in snapshots.iter() {
        for (n, (len, crc)) in s.lists.iter().enumerate() {
            assert!(sums[n].get(*len) == Some(crc), "{context}: list {n} was another one");
        }
        for (i, (append, _)) in told.iter().enumerate() {
            let there = append.lists.iter().filter(|n| places[&(**n, append.id)] < s.lists[**n].0).count();
            assert!(there == 0 || there == append.lists.len(), "{context}: half of {} was seen", append.id);
            assert!(there > 0 || i >= s.told, "{context}: {} was told, and not there", append.id);
        }
    }
}

#[test]
fn snapshots_of_primary_and_standby_agree_on_one_order_of_commits() {
    for seed in 0..seeds(4) {
        let pair = Pair::new(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut t = pair.db.begin(TxnOptions::default());
        let trees = [t.create_tree().unwrap(), t.create_tree().unwrap()];
        let lists: Vec<List> = (0..LISTS).map(|n| List(trees[n % 2], [n as u8])).collect();
        for List(tree, key) in &lists {
            t.put(*tree, key, &[]).unwrap();
        }
        t.commit().unwrap();
        let standby = open_standby(&pair.copy, seed);
        let end = durable_end(&pair.db);
        pump(&pair.db, &standby, &mut rng, true);
        assert!(standby.wait_replayed(end, LONG).unwrap());
        let (told, over) = (Told::default(), AtomicBool::new(false));
        let (db, lists, told, over, standby) = (&pair.db, &lists, &told, &over, &standby);
        let (mut here, there) = std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                scope.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed << 8 | u64::from(writer));
                    let mut id = writer;
                    while !over.load(Ordering::Relaxed) {
                        id += WRITERS;
                        let done = append(db, lists, id, &mut rng).unwrap();
                        told.lock().unwrap().push(done);
                    }
                });
            }
            let readers = |on: Database, follows: bool| -> Vec<_> {
                let reader = |n| {
                    let (on, seed) = (on.clone(), seed << 8 | 16 | n);
                    let of = follows.then_some(standby);
                    scope.spawn(move || read(&on, of, lists, told, over, seed))
                };
                (0..READERS).map(reader).collect()
            };
            let here = readers(db.clone(), false);
            let there = readers(standby.database().expect("it can be read"), true);
            let began = Instant::now();
            while began.elapsed() < WHILE {
                if rng.u8(..8) == 0 {
                    while rng.u8(..4) > 0 && db.step_purge().unwrap() > 0 {}
                    db.step_round().unwrap();
                    db.vacuum(trees[rng.usize(..2)]).unwrap();
                }
                durable_end(db);
                pump(db, standby, &mut rng, true);
            }
            over.store(true, Ordering::Relaxed);
            let all = |readers: Vec<std::thread::ScopedJoinHandle<'_, Vec<Snapshot>>>| -> Vec<Snapshot> {
                readers.into_iter().flat_map(|r| r.join().expect("a reader")).collect()
            };
            (all(here), all(there))
        });
        let last: Vec<Vec<u32>> = {
            let mut t = db.begin(REPEATABLE);
            let list = |List(tree, key): &List| t.get(*tree, key).unwrap().expect("lists stay");
            let ids =
                |bytes: Vec<u8>| bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
            lists.iter().map(list).map(ids).collect()
        };
        let told = told.lock().unwrap();
        eprintln!("seed {seed}: {} appends, {} + {} snapshots", told.len(), here.len(), there.len());
        let enough = here.len().min(there.len()) >= SNAPSHOTS_MIN;
        assert!(enough && told.len() > 50, "seed {seed}: there was nothing to see");
        here.extend(there);
        judge(here, &told, &last, &format!("seed {seed}"));
    }
}

/// Histories that are wrong in one way each, and one that is not.
#[test]
fn the_judge_finds_what_is_wrong() {
    const LAST: [&[u32]; 2] = [&[1, 3], &[2, 3]];
    let seen = |lists: [&[u32]; 2], told| {
        let crc = |ids: &[u32]| ids.iter().fold(0, |c, id| crc32c::crc32c_append(c, &id.to_le_bytes()));
        Snapshot { lists: lists.iter().map(|ids| (ids.len(), crc(ids))).collect(), told }
    };
    let told: Vec<(Append, Lsn)> = [(1, vec![0]), (2, vec![1]), (3, vec![0, 1])]
        .map(|(id, lists)| (Append { id, lists }, Lsn(u64::from(id))))
        .into();
    let wrong = |snapshots: Vec<Snapshot>, last: [&[u32]; 2]| {
        let last = last.map(<[u32]>::to_vec);
        let done = std::panic::catch_unwind(|| judge(snapshots, &told, &last, "planted"));
        done.err().map_or(String::new(), |why| why.downcast_ref::<String>().expect("a text").clone())
    };
    let all = || seen(LAST, 3);
    assert_eq!(wrong(vec![seen([&[], &[]], 0), seen([&[1], &[]], 1), all()], LAST), "");
    let fork = vec![seen([&[1], &[]], 0), seen([&[], &[2]], 0), all()];
    assert!(wrong(fork, LAST).contains("disagree on the order"));
    assert!(wrong(vec![seen([&[1, 3], &[2]], 0)], LAST).contains("half of 3"));
    assert!(wrong(vec![seen([&[1], &[]], 2)], LAST).contains("2 was told, and not there"));
    assert!(wrong(vec![seen([&[2], &[]], 0)], LAST).contains("was another one"));
    assert!(wrong(vec![], [&[1, 3], &[3]]).contains("2 is lost"));
    assert!(wrong(vec![], [&[1, 3, 1], &[2, 3]]).contains("1 is twice"));
}
