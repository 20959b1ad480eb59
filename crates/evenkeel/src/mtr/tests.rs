//! What happens between the building of a record and its reservation.

use super::*;
use crate::base::{FileId, PAGE_BYTES, PageId, Poison};
use crate::io::{Disk, SimCallKind, SimDisk, SimOptions};
use crate::page::Kind;
use crate::pool::Files;
use crate::wal::segment::{DIR, LOG_BLOCK};
use crate::wal::{Horizon, testing};

const FILE: FileId = FileId(17);
const RING_BYTES: u64 = 4 * LOG_BLOCK;

fn env(disk: &SimDisk) -> Env {
    disk.create_dir("data").unwrap();
    let (poison, partitions) = (Arc::new(Poison::default()), PartitionCount::new(1).unwrap());
    let files = Arc::new(Files::new(Arc::new(disk.clone())));
    files.create(FILE).unwrap().unwrap().allocate(0, 4 * PAGE_BYTES as u64).unwrap();
    let pool = Arc::new(Pool::new(64, partitions, files, poison.clone()));
    let wal = Arc::new(testing::start(disk, RING_BYTES, poison));
    pool.set_wal(wal.clone());
    let floors = Arc::new(Floors::new(partitions, wal.next_lsn(), true));
    let horizon = Horizon::new(wal.clone());
    Env { last_change: Arc::default(), wal, horizon, pool, floors, is_between_waves: false }
}

fn change(env: &Env, id: PageId, byte: u8) {
    let mut page = env.pool.write(id).unwrap();
    let mut m = Mtr::new();
    m.page(&mut page).op(Op::Bytes { at: 4000, bytes: &[byte; 8] });
    env.commit(m).unwrap();
}

/// Invariant 3. The record is built, finds no room in the log's ring, and writes: meanwhile a round begins.
#[test]
fn a_record_that_was_built_before_its_floor_rose_is_built_again() {
    let disk = SimDisk::new(SimOptions::default());
    let env = env(&disk);
    let _promise = env.wal.promise(100 << 10).unwrap();
    let id = PageId::new(FILE, 1);
    {
        let mut page = env.pool.fresh(id).unwrap();
        let mut m = Mtr::new();
        m.page(&mut page).op(Op::Init { kind: Kind::Map, level: 0, flags: 0, right: 0 });
        env.commit(m).unwrap();
    }
    let images = || env.wal.stats.images.load(Ordering::Relaxed);
    change(&env, id, 1);
    assert_eq!(images(), 0, "it was initialised behind the floor");
    env.wal.flush_completed().unwrap();
    // Less room than the next record takes.
    let free = || RING_BYTES - (env.wal.next_lsn().0 - (env.wal.flushed().0 & !(LOG_BLOCK - 1)));
    while free() > 20 {
        let len = if free() > 400 { 300 } else { 1 };
        env.wal.insert(&vec![0; len], |_| true).unwrap();
    }
    let (floors, wal, mut began) = (env.floors.clone(), env.wal.clone(), false);
    disk.set_hook(Some(Box::new(move |call, _| {
        if call.kind == SimCallKind::Write
            && call.path.starts_with(DIR)
            && !std::mem::replace(&mut began, true)
        {
            floors.raise(0, &wal).unwrap();
        }
    })));
    change(&env, id, 2);
    disk.set_hook(None); // it holds the log
    assert_eq!(images(), 1, "the first change behind the new floor carries an image");
    change(&env, id, 3);
    assert_eq!(images(), 1);
}
