//! Inserters that have to wait for others' copies, and what a flush leaves behind the end.

use super::insert::SLOTS;
use super::segment::{LOG_BLOCK, path};
use super::{Wal, record, testing};
use crate::base::Lsn;
use crate::base::sync::Ordering;
use crate::io::{SimDisk, SimOptions};
use std::sync::Arc;

fn log(disk: &SimDisk) -> Wal {
    testing::start(disk, 64 << 10, Arc::default())
}

#[test]
fn an_insert_beyond_the_copies_that_may_be_under_way_sleeps_until_one_ends() {
    let wal = log(&SimDisk::new(SimOptions::default()));
    let _promise = wal.promise(32 << 10).unwrap();
    let body = [7; 20];
    // A copy that has begun and does not end.
    let (start, ticket) = {
        let mut next = wal.inserter.next.lock();
        let got = (next.lsn, next.ticket);
        next.lsn += record::framed_len(body.len()) as u64;
        next.ticket += 1;
        wal.inserter.next_lsn.store(next.lsn, Ordering::SeqCst);
        got
    };
    for _ in 1..SLOTS {
        wal.insert(&body, |_| true).unwrap();
    }
    assert_eq!(wal.completed(), Lsn(start));
    std::thread::scope(|s| {
        let one_more = s.spawn(|| wal.insert(&body, |_| true).unwrap().unwrap());
        while wal.inserter.published.waiting() == 0 {
            std::thread::yield_now();
        }
        assert!(!one_more.is_finished());
        wal.copy_in(start, ticket, &body);
        let (_, end) = one_more.join().unwrap();
        assert_eq!(wal.completed(), end);
    });
}

/// Of what was written before, the end of a block is clean: what lies there is no log.
#[test]
fn behind_the_end_in_a_block_there_is_nothing() {
    let disk = SimDisk::new(SimOptions::default());
    let wal = log(&disk);
    let _promise = wal.promise(32 << 10).unwrap();
    for len in [4000, 2000, 3000, 10] {
        wal.insert(&vec![0xFF; len], |_| true).unwrap();
        wal.flush_completed().unwrap();
        let end = wal.geometry().offset_of(wal.flushed()) as usize;
        let segment = disk.contents(&path(1)).unwrap();
        let rest = &segment[end..end.next_multiple_of(LOG_BLOCK as usize)];
        assert!(segment[end - 1] != 0 && rest.iter().all(|b| *b == 0), "{len}");
    }
}

/// The block that a flush left open is written again from the ring: what tells how far the log is durable must not go where that begins.
#[test]
fn in_a_full_ring_nothing_is_told_of_what_is_durable() {
    let wal = log(&SimDisk::new(SimOptions::default()));
    wal.tuning.set_tells_flushed(true);
    let promise = wal.promise(200 << 10).unwrap();
    // An open block at an even place, with much in it.
    while wal.flushed().0 / LOG_BLOCK % 2 == 1 || wal.flushed().0 % LOG_BLOCK < LOG_BLOCK / 2 {
        wal.insert(&[1; 100], |_| true).unwrap();
        wal.flush_completed().unwrap();
    }
    let end_of_ring = (wal.flushed().0 & !(LOG_BLOCK - 1)) + wal.ring_bytes();
    loop {
        let room = (end_of_ring - wal.next_lsn().0).min(1000) as usize;
        let Some(len) = (1..=room).rev().find(|len| record::framed_len(*len) <= room) else { break };
        wal.insert(&vec![2; len], |_| true).unwrap();
    }
    drop(promise); // what is promised to others is not for this
    let next = wal.next_lsn();
    wal.tell_flushed();
    assert_eq!(wal.next_lsn(), next, "no room");
    wal.flush_completed().unwrap();
    wal.tell_flushed();
    assert!(wal.next_lsn() > next);
}

/// With more log kept than there is to be – for a slot, an archive, an old transaction – each round looks whether the last segments can go. Whoever was promised space has it meanwhile, too.
#[test]
fn what_was_promised_is_there_while_it_is_looked_whether_space_can_go() {
    let wal = log(&SimDisk::new(SimOptions::default()));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|s| {
        s.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                wal.recycle(Lsn::ZERO, 1);
            }
        });
        let inserting = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for n in 0..30_000 {
                let _promise = wal.promise(200).unwrap();
                wal.insert(&[n as u8; 20], |_| true).unwrap();
            }
        }));
        is_over.store(true, Ordering::SeqCst);
        inserting.unwrap_or_else(|why| std::panic::resume_unwind(why));
    });
    assert_eq!(wal.promised_bytes(), 0);
}

/// The log writer makes whole blocks durable, and the last record in them may go on in the next. A power cut may take that next block and leave what was written with it: if it were
/// told that the record's beginning is durable, a start would take its loss for damage, and refuse.
#[test]
fn of_a_record_of_which_only_the_beginning_is_durable_nothing_is_told() {
    let disk = SimDisk::new(SimOptions::default());
    let wal = log(&disk);
    wal.tuning.set_tells_flushed(true);
    let _promise = wal.promise(32 << 10).unwrap();
    wal.insert(&[1; 100], |_| true).unwrap();
    wal.flush_completed().unwrap();
    let before = wal.next_lsn();
    wal.insert(&vec![2; 2 * LOG_BLOCK as usize], |_| true).unwrap();
    wal.gang.flush_whole_blocks(&wal).unwrap();
    assert!(before < wal.flushed() && wal.flushed() < wal.next_lsn(), "a block ends within the record");
    wal.insert(&[3; 100], |_| true).unwrap();
    wal.flush_completed().unwrap();
    let segment = disk.contents(&path(1)).unwrap();
    let told: Vec<_> =
        super::end::told(&segment[LOG_BLOCK as usize..], wal.geometry().start_of(1), wal.incarnation())
            .collect();
    assert!(!told.is_empty());
    assert!(told.iter().all(|(_, flushed)| *flushed <= before), "{told:?}, {before}");
    wal.flush_completed().unwrap();
    wal.tell_flushed();
    assert_eq!(wal.gang.flushed_records(), wal.flushed());
}
