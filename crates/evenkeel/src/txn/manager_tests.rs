//! Tests of the manager by itself.

use super::{Finished, Shared, TxnManager};
use crate::base::{Basis, Lsn};
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
