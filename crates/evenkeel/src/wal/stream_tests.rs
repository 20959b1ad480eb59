//! A log that is sent and received: what arrives is what was logged, wherever the receiver's power fails.

use super::reader::LogReader;
use super::receiving::Receiver;
use super::record::{Kind, put_block, put_change_head, put_head};
use super::segment::{DIR, Geometry, Header};
use super::sending::{Piece, Sender};
use super::source::LogSource;
use super::{Wal, testing};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId};
use crate::io::{Disk, SimDisk, SimOptions};
use std::sync::Arc;

const AT: Geometry = Geometry { segment_bytes: 64 << 10 };

/// Logs changes, some with images, and commits.
fn log(wal: &Wal, rng: &mut fastrand::Rng, count: usize) {
    let page: Vec<u8> = (0..PAGE_BYTES).map(|_| rng.u8(..)).collect();
    for _ in 0..count {
        let mut body = Vec::new();
        if rng.u8(..4) == 0 {
            put_head(&mut body, Kind::Commit, None, &[]);
            body.extend([7]);
        } else {
            let blocks = rng.usize(1..4);
            put_change_head(&mut body, None, &[], blocks);
            for n in 0..blocks {
                let image = (rng.u8(..3) == 0).then_some((&page[..], 10..20));
                let id = PageId::new(FileId(17), n as u32);
                put_block(&mut body, id, blocks == 1, false, false, image, &[0x82, 3, rng.u8(..)]);
            }
        }
        let _promise = wal.promise(Wal::record_bytes(body.len())).unwrap();
        wal.insert(&body, |_| true).unwrap().unwrap();
    }
}

/// The next life of a log.
fn next_life(disk: &SimDisk, before: &Wal, incarnation: u64) -> Wal {
    let header = Header {
        segment_bytes: AT.segment_bytes,
        database_id: 1,
        segment: AT.segment_of(before.completed()) + 1,
        incarnation,
        prev_end: before.completed(),
        prev_incarnation: before.incarnation(),
        stripped: false,
        epoch: 0,
    };
    let older: Vec<u64> = (1..header.segment).collect();
    super::segment::clear_from(disk, header.segment, &[]).unwrap();
    Wal::start(Arc::new(disk.clone()), AT, header, older, 1, 256 << 10, Arc::default()).unwrap()
}

/// What a log says: position, kind, operations and images of each record; and where it ends.
fn read(disk: &SimDisk, from: Lsn) -> (Vec<String>, Lsn) {
    let source: &dyn Disk = disk;
    let source: &dyn LogSource = &source;
    let mut reader = LogReader::open(source, AT, from).unwrap();
    let mut out = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        let blocks: Vec<_> = r.blocks.iter().map(|b| (b.page, b.ops.to_vec(), b.image.is_some())).collect();
        let goes_on = AT.segment_of(r.lsn) != AT.segment_of(Lsn(r.end.0 - 1));
        let where_to = if goes_on { "into the next segment" } else { "" };
        out.push(format!("{} {:?} {:?} {:?} {where_to}", r.lsn, r.kind, blocks, r.payload));
    }
    (out, reader.position())
}

/// Sending invariant 3.
fn without_images(records: &[String]) -> Vec<String> {
    let without =
        |r: &String| if r.contains("next segment") { r.clone() } else { r.replace("true", "false") };
    records.iter().map(without).collect()
}

/// A log of three lives on a disk, and where it begins and ends.
fn primary(rng: &mut fastrand::Rng) -> (SimDisk, Lsn, Lsn) {
    let disk = SimDisk::new(SimOptions::default());
    let mut wal = testing::start(&disk, 256 << 10, Arc::default());
    for life in 2..5 {
        log(&wal, rng, 30);
        wal.flush_completed().unwrap();
        if life < 4 {
            wal = next_life(&disk, &wal, life);
        }
    }
    (disk, AT.start_of(1), wal.flushed())
}

fn follower(disk: &SimDisk, at: Lsn) -> Receiver {
    Receiver::resume(Arc::new(disk.clone()), AT, 1, at, true).unwrap()
}

fn take(receiver: &mut Receiver, piece: Piece<'_>) {
    match piece {
        Piece::Life(header) => receiver.begin_life(&Header { stripped: true, ..header }).unwrap(),
        Piece::Log(from, bytes) => receiver.write(from, bytes).unwrap(),
    }
}

#[test]
fn what_is_received_is_what_was_sent() {
    for (seed, strip) in [(1, true), (2, false), (3, true), (4, false)] {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (disk, start, end) = primary(&mut rng);
        let source: &dyn Disk = &disk;
        let source: &dyn LogSource = &source;
        let mut sender = Sender::new(source, AT, start, strip).unwrap();
        let copy = SimDisk::new(SimOptions::default());
        copy.create_dir(DIR).unwrap();
        let mut receiver = follower(&copy, start);
        let mut lives = 0;
        while let Some(piece) = sender.next(end, rng.usize(1..100_000)).unwrap() {
            lives += usize::from(matches!(piece, Piece::Life(_)));
            take(&mut receiver, piece);
        }
        assert_eq!((lives, receiver.sync().unwrap(), sender.position()), (3, end, end));
        let (sent, got) = (read(&disk, start), read(&copy, start));
        assert!(sent.0.iter().any(|r| r.contains("true")), "there were images");
        assert_eq!((if strip { without_images(&sent.0) } else { sent.0 }, sent.1), got, "seed {seed}");
    }
}

/// Sending invariant 2, at every limit: also in the middle of a record, and of a block.
#[test]
fn nothing_is_sent_that_is_not_durable_and_what_becomes_so_follows() {
    let mut rng = fastrand::Rng::with_seed(5);
    let disk = SimDisk::new(SimOptions::default());
    let wal = testing::start(&disk, 256 << 10, Arc::default());
    let source: &dyn Disk = &disk;
    let source: &dyn LogSource = &source;
    let mut sender = Sender::new(source, AT, wal.flushed(), false).unwrap();
    let (mut sent, mut durable) = (wal.flushed(), wal.flushed());
    for _ in 0..200 {
        log(&wal, &mut rng, 3);
        wal.flush_completed().unwrap();
        while durable < wal.flushed() {
            durable = Lsn(durable.0 + rng.u64(1..20_000)).min(wal.flushed());
            while let Some(piece) = sender.next(durable, 5000).unwrap() {
                if let Piece::Log(from, bytes) = piece {
                    assert_eq!(from, sent);
                    sent = Lsn(sent.0 + bytes.len() as u64);
                    assert!(sent <= durable);
                }
            }
        }
        assert_eq!(sent, wal.flushed());
    }
}

/// Receiving invariant 3: whenever the power fails, what was durable is there, and it goes on behind it.
#[test]
fn a_receiver_whose_power_fails_has_what_was_durable_and_goes_on() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (disk, start, end) = primary(&mut rng);
        let source: &dyn Disk = &disk;
        let source: &dyn LogSource = &source;
        let sent = without_images(&read(&disk, start).0);
        let mut copy = SimDisk::new(SimOptions::default());
        copy.create_dir(DIR).unwrap();
        copy.sync_dir("").unwrap();
        let mut receiver = follower(&copy, start);
        let mut sender = Sender::new(source, AT, start, true).unwrap();
        let mut crashes = 0;
        while let Some(piece) = sender.next(end, rng.usize(1..20_000)).unwrap() {
            take(&mut receiver, piece);
            if rng.u8(..3) == 0 {
                receiver.sync().unwrap();
            }
            if rng.u8(..6) == 0 && receiver.durable() > start {
                crashes += 1;
                copy = copy.crash_copy(rng.u64(..));
                let (got, at) = read(&copy, start);
                assert!(at >= receiver.durable(), "seed {seed}: {at} is left of {}", receiver.durable());
                assert_eq!(got, sent[..got.len()], "seed {seed}");
                receiver = follower(&copy, at);
                sender = Sender::new(source, AT, at, true).unwrap();
            }
        }
        receiver.sync().unwrap();
        assert_eq!(read(&copy, start), (sent, end), "seed {seed}");
        assert!(crashes > 0, "seed {seed}");
    }
}

#[test]
fn what_does_not_follow_or_is_damaged_is_refused_and_changes_nothing() {
    let mut rng = fastrand::Rng::with_seed(6);
    let (disk, start, end) = primary(&mut rng);
    let source: &dyn Disk = &disk;
    let source: &dyn LogSource = &source;
    let mut sender = Sender::new(source, AT, start, true).unwrap();
    let copy = SimDisk::new(SimOptions::default());
    copy.create_dir(DIR).unwrap();
    let mut receiver = follower(&copy, start);
    let refused = |done: crate::base::Result<()>, why: &str| match done {
        Err(Error::InvalidArgument(e)) => assert!(e.contains(why), "{e}"),
        other => panic!("{other:?}, not {why}"),
    };
    assert!(matches!(sender.next(end, 1).unwrap(), Some(Piece::Life(_))));
    let Some(Piece::Log(from, bytes)) = sender.next(end, 9000).unwrap() else { panic!("log comes next") };
    refused(receiver.write(from, bytes), "of which life");
    let (_, header) = source.open(1).unwrap().unwrap();
    refused(receiver.begin_life(&Header { database_id: 2, ..header }), "is of database");
    refused(receiver.begin_life(&Header { segment_bytes: 128 << 10, ..header }), "has segments of");
    refused(receiver.begin_life(&Header { segment: 2, ..header }), "begins at");
    receiver.begin_life(&header).unwrap();
    refused(receiver.write(Lsn(from.0 + 1), bytes), "goes on at");
    for _ in 0..100 {
        let mut damaged = bytes.to_vec();
        damaged[rng.usize(..bytes.len())] ^= 1 << rng.u8(..8);
        refused(receiver.write(from, &damaged), "no intact record");
    }
    refused(receiver.write(from, &bytes[..bytes.len() - 1]), "no intact record");
    assert_eq!(receiver.position(), from);
    receiver.write(from, bytes).unwrap();
    let other = Header { incarnation: 99, segment: 2, prev_end: from, prev_incarnation: 1, ..header };
    refused(receiver.begin_life(&other), "here it has come to");
    let at = receiver.position();
    receiver.begin_life(&Header { prev_end: at, ..other }).unwrap();
    assert_eq!((receiver.durable(), receiver.life()), (AT.start_of(2), 99), "receiving invariant 2");
}
