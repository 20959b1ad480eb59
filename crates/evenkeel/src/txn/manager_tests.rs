//! Tests of the manager by itself.

use super::{
    Finished, LockMode, LockTable, Purpose, RowKey, Shared, SnapshotIds, Status, TxnManager, WaitPolicy,
};
use crate::base::{Basis, Lsn, TreeId};
use std::sync::Arc;

fn register(manager: &TxnManager) -> Arc<Shared> {
    manager.register(Box::new(()), || Lsn(1))
}

/// Invariant 7: who replays the log may have told of it by now.
#[test]
fn a_snapshot_sees_every_commit_whose_record_has_its_place() {
    let manager = TxnManager::new(1);
    let (first, second, third) = (register(&manager), register(&manager), register(&manager));
    // Their threads have lost their cores behind their records.
    manager.commit_logged(&second, Lsn(100), Basis::all(Lsn(150)));
    manager.commit_logged(&first, Lsn(150), Basis::all(Lsn(200)));
    let snapshot = manager.snapshot(Lsn(200));
    assert!(snapshot.sees(second.id) && snapshot.sees(first.id) && !snapshot.sees(third.id));
    assert_eq!((second.commit_number(), first.commit_number()), (1, 2), "in the order of the log");
    assert_eq!(first.commit_basis(), Basis::all(Lsn(200)));
    for (t, wait_for) in [(&first, Basis::all(Lsn(200))), (&second, Basis::all(Lsn(150)))] {
        manager.finish(t, Finished::Committed { wait_for }, Basis::NONE, Lsn(200));
    }
    assert_eq!((second.commit_number(), first.commit_number(), manager.commits()), (1, 2, 2), "once");
    manager.finish(&third, Finished::RolledBack, Basis::NONE, Lsn(200));
    assert!(!snapshot.sees(third.id), "a snapshot stays as it was");
}

/// Its end is not the log's yet: whoever told of it would ask the log to become durable up to where there is none.
#[test]
fn nobody_sees_a_commit_that_is_still_inside_its_reservation() {
    let manager = TxnManager::new(1);
    let (first, second) = (register(&manager), register(&manager));
    manager.commit_logged(&first, Lsn(100), Basis::all(Lsn(150)));
    manager.commit_logged(&second, Lsn(150), Basis::all(Lsn(200)));
    assert!(!manager.snapshot(Lsn(100)).sees(first.id));
    let snapshot = manager.snapshot(Lsn(150));
    assert!(snapshot.sees(first.id) && !snapshot.sees(second.id));
    manager.finish(&first, Finished::Committed { wait_for: Basis::all(Lsn(150)) }, Basis::NONE, Lsn(150));
    assert!(!manager.snapshot(Lsn(150)).sees(second.id), "nor because somebody else has finished");
    manager.finish(&second, Finished::Committed { wait_for: Basis::all(Lsn(200)) }, Basis::NONE, Lsn(200));
    assert!(manager.snapshot(Lsn(200)).sees(second.id));
}

/// An id that left nothing in the log is given out again after a crash: it must not count as seen by who kept what a snapshot saw.
#[test]
fn what_a_snapshot_sees_can_be_kept() {
    let manager = TxnManager::new(7);
    assert_eq!(manager.snapshot(Lsn(1)).ids(), SnapshotIds { end: 7, active: vec![] });
    let [a, b, c, d] = [(); 4].map(|()| register(&manager));
    let commit = |t: &Arc<Shared>| {
        manager.finish(t, Finished::Committed { wait_for: Basis::NONE }, Basis::NONE, Lsn(200));
    };
    commit(&d); // it logged nothing
    assert_eq!(manager.snapshot(Lsn(1)).ids(), SnapshotIds { end: 7, active: vec![] });
    c.set_last_lsn(Lsn(100));
    commit(&c);
    let snapshot = manager.snapshot(Lsn(200));
    let ids = snapshot.ids();
    assert_eq!(ids, SnapshotIds { end: 10, active: vec![7, 8] });
    assert_eq!(ids.oldest(), 7);
    assert_eq!([6, 7, 8, 9, 10].map(|id| ids.sees(id)), [true, false, false, true, false]);
    a.set_last_lsn(Lsn(110));
    manager.finish(&a, Finished::RolledBack, Basis::NONE, Lsn(200));
    commit(&b);
    assert_eq!(snapshot.ids(), ids, "a snapshot stays as it was");
    let now = manager.snapshot(Lsn(200)).ids();
    assert_eq!((now.oldest(), now.end), (10, 10));
    let statuses = [6, 7, 8, 9, 10, 11].map(|id| manager.status(id));
    let (gone, back, done) = (None, Some(Status::RolledBack), Some(Status::Committed));
    assert_eq!(statuses, [gone, back, done, done, done, Some(Status::NotYet)]);
    assert_eq!(manager.status(register(&manager).id.0), Some(Status::Active));
}

#[test]
fn who_is_in_a_call_is_at_work_and_is_not_taken() {
    let manager = TxnManager::new(1);
    let t = register(&manager);
    assert!(!t.is_at_work());
    let call = t.begin_call().expect("nobody has taken it");
    let inner = t.begin_call().expect("calls nest");
    assert!(t.is_at_work() && !t.take());
    drop(call);
    assert!(t.is_at_work() && !t.take());
    drop(inner);
    assert!(!t.is_at_work() && t.take() && t.is_taken());
    assert!(t.begin_call().is_none() && !t.is_at_work());
}

/// Invariant 3: a commit that waits for standbys which are away keeps nothing of those who wait for nobody.
#[test]
fn a_commit_that_may_not_be_told_keeps_no_others() {
    let manager = TxnManager::new(1);
    let here = |lsn| Basis { local: Lsn(lsn), quorum: Lsn::ZERO };
    let safe = here(1 << 40);
    let commit = |wait_for: Basis, n: u64| {
        let t = register(&manager);
        manager.commit_logged(&t, Lsn(100 * n), wait_for);
        manager.finish(&t, Finished::Committed { wait_for }, safe, Lsn(100 * n + 50))
    };
    let ended = commit(Basis::all(Lsn(150)), 1);
    assert!(ended.gone.is_empty() && ended.old.is_empty());
    let gone: usize = (2..2002).map(|n| commit(here(100 * n + 50), n).gone.len()).sum();
    assert!(gone > 1800, "{gone} of 2000");
    // Those that an old snapshot needs are handed out.
    let snapshot = manager.snapshot(Lsn(1 << 40));
    let ended: Vec<_> = (2002..4002).map(|n| commit(here(100 * n + 50), n)).collect();
    let old: usize = ended.iter().map(|e| e.old.len()).sum();
    assert!(old > 1500, "{old} of 2000");
    drop(snapshot);
    // The one that waited is let go when it may be told.
    let all = manager.let_go(Basis::all(Lsn(1 << 40)));
    assert!(all.gone.iter().any(|t| t.commit_basis() == Basis::all(Lsn(150))));
}

/// Whoever asked may be late in saying it to the history: what it was told stays true of snapshots that were taken meanwhile.
#[test]
fn what_every_snapshot_sees_is_nothing_that_is_still_to_come() {
    let manager = TxnManager::new(1);
    let commit = || {
        let t = register(&manager);
        manager.finish(&t, Finished::Committed { wait_for: Basis::NONE }, Basis::NONE, Lsn(200));
    };
    (0..3).for_each(|_| commit());
    let seen = manager.seen_by_all();
    let snapshot = manager.snapshot(Lsn(200));
    commit();
    assert!(seen <= manager.seen_by_all(), "{seen} was seen by all, {} is", manager.seen_by_all());
    // Where there is no snapshot, none is given up: not the next one either.
    drop(snapshot);
    manager.expire_before(0);
    assert!(!manager.expired(manager.commits()));
}

#[test]
fn who_gave_all_its_locks_back_leaves_nothing_in_the_lock_table() {
    let (manager, locks) = (TxnManager::new(1), LockTable::new(100));
    let row = |n: u8| RowKey { tree: TreeId(7), key: Box::new([n]) };
    for _ in 0..100 {
        let (t, other) = (register(&manager), register(&manager));
        locks
            .request(&t, row(1), (LockMode::Update, Purpose::Hold), None, WaitPolicy::NoWait)
            .expect("it is free");
        locks.release_since(t.id, 0);
        // What others entered for it, which it has undone.
        let writer = Some((&*t, LockMode::Update));
        assert!(
            locks
                .request(&other, row(2), (LockMode::Update, Purpose::Hold), writer, WaitPolicy::NoWait)
                .is_err()
        );
        locks.put_back(t.id, &row(2), None);
        for t in [t, other] {
            manager.finish(&t, Finished::RolledBack, Basis::NONE, Lsn(200));
            locks.release_all(t.id);
        }
    }
    assert_eq!((locks.entries(), locks.holders()), (0, 0));
}
