//! The ring of the double-write file by itself.

use super::{Copies, DOUBLE_WRITE_FILE, DoubleWrite, Files, Stats};
use crate::base::{FileId, PAGE_BYTES, PageId, Poison};
use crate::io::{CrashPolicy, Disk, SimCallKind, SimDisk, SimOptions};
use std::sync::Arc;

const SIZE: u64 = 128 << 10;
const FILE: FileId = FileId(17);

struct Rig {
    disk: Arc<SimDisk>,
    files: Files,
    double: DoubleWrite,
    poison: Poison,
    stats: Stats,
}

impl Rig {
    fn new() -> Rig {
        Rig::on(Arc::new(SimDisk::new(SimOptions::default())))
    }

    fn on(disk: Arc<SimDisk>) -> Rig {
        disk.create_dir("data").unwrap();
        let files = Files::new(disk.clone());
        files.create(FILE).unwrap().unwrap();
        let double = DoubleWrite::open(&*disk, SIZE, 1, 1).unwrap();
        Rig { disk, files, double, poison: Poison::default(), stats: Stats::default() }
    }

    /// A batch of so many pages from a block on, home and synced: its place is free again.
    fn batch(&self, first: u32, pages: u32) {
        let ids: Vec<PageId> = (first..first + pages).map(|b| PageId::new(FILE, b)).collect();
        let copies = vec![0; ids.len() * PAGE_BYTES];
        let n = self.double.write(&ids, &copies, &self.files, &self.poison, &self.stats).unwrap();
        self.double.is_home(n, vec![(FILE, self.files.mark_unsynced(FILE, 1))]);
        self.files.sync_file(FILE).unwrap();
    }

    /// Sequence numbers of the batches that are said to hold a copy of a block.
    fn copies(&self, block: u32) -> Vec<u64> {
        let copies = Copies::scan(&*self.disk, 1, 1).unwrap().unwrap();
        let of_block = copies.list.iter().filter(|c| c.id.block.0 == block);
        of_block.map(|c| c.sequence).collect()
    }
}

#[test]
fn the_space_of_the_file_is_there_for_good_once_it_is_open() {
    for log_needs_sync in [false, true] {
        let disk = SimDisk::new(SimOptions { log_needs_sync, ..SimOptions::default() });
        for size in [SIZE, SIZE / 2] {
            DoubleWrite::open(&disk, size, 1, 1).unwrap();
            let left = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
            assert_eq!(left.contents(DOUBLE_WRITE_FILE).unwrap().len() as u64, size);
        }
    }
}

/// Else a page that is repaired, and torn again by the next power cut, has no copy any more.
#[test]
fn a_copy_that_is_believed_is_durable() {
    let disk = Arc::new(SimDisk::new(SimOptions { log_needs_sync: true, ..SimOptions::default() }));
    let rig = Rig::on(disk);
    let killed = Arc::new(std::sync::Mutex::new(None));
    let seen = killed.clone();
    rig.disk.set_hook(Some(Box::new(move |call, disk| {
        if call.kind == SimCallKind::Sync {
            *seen.lock().unwrap() = Some(disk.kill_copy());
        }
    })));
    rig.double.write(&[PageId::new(FILE, 5)], &[0; PAGE_BYTES], &rig.files, &rig.poison, &rig.stats).unwrap();
    rig.disk.set_hook(None);
    let killed = killed.lock().unwrap().take().expect("it is synced");
    let of_5 = |disk: &SimDisk| Copies::scan(disk, 1, 1).unwrap().unwrap().list.len();
    assert_eq!(of_5(&killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1)), 0);
    assert_eq!(of_5(&killed), 1);
    assert_eq!(of_5(&killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1)), 1);
}

#[test]
fn an_older_copy_does_not_outlive_a_newer_one_behind_the_rings_end() {
    // 32 blocks of 4 KiB; a batch takes 1 + 2 × pages.
    let rig = Rig::new();
    rig.batch(100, 6);
    rig.batch(100, 6);
    rig.batch(7, 1); // blocks 26..29
    assert_eq!(rig.copies(7), [3]);
    rig.batch(7, 2); // does not fit behind it: blocks 0..5
    assert_eq!(rig.copies(7), [4, 3]);
    rig.batch(100, 7); // 5..20
    rig.batch(100, 7); // does not fit: 0..15, over the newer copy, while blocks 20..32 stay as they are
    assert!(rig.copies(7).is_empty(), "the newer copy is gone, so the older one must not count");
}

#[test]
fn what_was_written_since_the_ring_came_round_is_found() {
    let rig = Rig::new();
    for i in 0..40 {
        rig.batch(i, 1);
        assert_eq!(rig.copies(i).first(), Some(&u64::from(i + 1)));
        if i >= 4 {
            assert_eq!(rig.copies(i - 4), [u64::from(i - 3)], "five batches back");
        }
    }
}
