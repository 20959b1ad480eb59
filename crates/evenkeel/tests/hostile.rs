//! Damaged and foreign files: a clear error, or a report by the verifier; never a panic, an endless walk, or somebody else's data taken for ours.

mod common;

use common::*;
use evenkeel::base::PageId;
use evenkeel::io::{Access, Disk, OpenMode, SimDisk, write_all_at};
use evenkeel::{Database, Error, TreeId, TxnOptions, page};
use std::io::IoSlice;

const PAGE: usize = evenkeel::base::PAGE_BYTES;

fn filled(seed: u64) -> (SimDisk, TreeId) {
    let (disk, db) = fresh(seed);
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0..200u32 {
        t.put(tree, &i.to_be_bytes(), &vec![7; if i % 50 == 0 { 30_000 } else { 300 }]).unwrap();
    }
    t.commit().unwrap();
    db.close().unwrap();
    (disk, tree)
}

fn pages(disk: &SimDisk, tree: TreeId) -> Vec<Vec<u8>> {
    disk.contents(&format!("data/{}", tree.0)).unwrap().chunks(PAGE).map(<[u8]>::to_vec).collect()
}

/// Replaces a page by one whose checksum is good.
fn forge(disk: &SimDisk, tree: TreeId, block: usize, change: impl FnOnce(&mut [u8])) {
    let mut bytes = pages(disk, tree)[block].clone();
    change(&mut bytes);
    page::seal(&mut bytes, PageId::new(tree.file(), block as u32));
    disk.damage(&format!("data/{}", tree.0), (block * PAGE) as u64, &bytes).unwrap();
}

fn blocks_of_kind(disk: &SimDisk, tree: TreeId, kind: page::Kind) -> Vec<usize> {
    let all = pages(disk, tree);
    (0..all.len()).filter(|i| page::Page(&all[*i]).kind() == Some(kind)).collect()
}

fn problems(disk: &SimDisk) -> Vec<String> {
    let db = open(disk, 1).unwrap();
    let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
    db.abandon();
    report.problems
}

fn set_right(bytes: &mut [u8], block: usize) {
    bytes[16..20].copy_from_slice(&(block as u32).to_le_bytes());
}

#[test]
fn a_log_segment_of_another_database_is_refused() {
    let ((ours, _), (theirs, _)) = (filled(1), filled(2));
    let name = format!("wal/{}", theirs.list("wal").unwrap().last().unwrap());
    let bytes = theirs.contents(&name).unwrap();
    let file = ours.open(&name, OpenMode::CreateIfMissing, Access::Buffered).unwrap();
    write_all_at(&*file, &mut [IoSlice::new(&bytes)], 0).unwrap();
    match open(&ours, 1) {
        Err(Error::Corrupt(why)) => assert!(why.what.contains("belongs to database"), "{why}"),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn a_page_from_behind_the_end_of_the_log_is_refused() {
    let (disk, tree) = filled(3);
    for block in blocks_of_kind(&disk, tree, page::Kind::Tree) {
        let disk = disk.kill_copy();
        forge(&disk, tree, block, |p| page::set_lsn(p, evenkeel::Lsn(1 << 40)));
        let db = open(&disk, 3).unwrap();
        match committed(&db, tree) {
            // Of the newest page of its file the start knows already that it was another.
            Err(Error::Corrupt(why)) => assert!(
                why.what.contains("behind the end of the log")
                    || why.what.contains("another one than the one that was closed"),
                "{why}"
            ),
            other => panic!("block {block}: {:?}", other.map(|r| r.len())),
        }
        assert!(db.poisoned().is_none());
        db.abandon();
    }
}

/// It reads as zeros, which are a page that was never used: as if nothing in the file were in use.
#[test]
fn a_map_that_is_lost_hands_out_no_block() {
    let (disk, db) = fresh(8);
    let (tree, other) = (new_tree(&db), new_tree(&db));
    let large = |tree, n: u32| {
        let mut t = db.begin(Default::default());
        t.put(tree, &n.to_be_bytes(), &vec![n as u8; 30_000])?;
        t.commit().map(drop)
    };
    (0..10).for_each(|n| large(tree, n).unwrap());
    db.checkpoint().unwrap();
    // The map leaves the pool.
    (0..100).for_each(|n| large(other, n).unwrap());
    db.checkpoint().unwrap();
    (0..100u32).for_each(|n| {
        assert!(db.begin(Default::default()).get(other, &n.to_be_bytes()).unwrap().is_some());
    });
    disk.damage(&format!("data/{}", tree.0), 0, &[0; PAGE]).unwrap();
    match large(tree, 50) {
        Err(Error::Corrupt(why)) => assert!(why.what.contains("expected a map page"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(db.poisoned().is_none());
    (0..10u32).for_each(|n| {
        let there = db.begin(Default::default()).get(tree, &n.to_be_bytes()).unwrap();
        assert!(there.is_some_and(|v| v == vec![n as u8; 30_000]), "{n}");
    });
    db.abandon();
}

#[test]
fn the_verifier_believes_no_map_beyond_the_file() {
    let (disk, tree) = filled(4);
    forge(&disk, tree, 0, |p| p[36..40].copy_from_slice(&u32::MAX.to_le_bytes()));
    let found = problems(&disk);
    assert!(found.iter().any(|p| p.contains("the map says 4294967295 blocks")), "{found:?}");
}

#[test]
fn the_verifier_ends_on_chains_that_run_in_circles_or_leave_their_kind() {
    let (disk, tree) = filled(5);
    let overflow = blocks_of_kind(&disk, tree, page::Kind::Overflow);
    let leaf = *blocks_of_kind(&disk, tree, page::Kind::Tree).last().unwrap();
    assert!(overflow.len() > 8);
    for &block in &overflow {
        for to in [block, overflow[0], leaf, 0, 1_000_000] {
            let disk = disk.kill_copy();
            if page::Page(&pages(&disk, tree)[block]).right() as usize == to {
                continue;
            }
            let last = page::Page(&pages(&disk, tree)[block]).right() == 0;
            forge(&disk, tree, block, |p| set_right(p, to));
            // What follows a value's last piece is not looked at.
            assert!(last || !problems(&disk).is_empty(), "block {block} to {to}");
        }
    }
}

/// Whoever reads a large value takes no page for a piece of it that is none, and none of an impossible length.
#[test]
fn a_reader_refuses_what_is_no_piece_of_its_value() {
    const LEN_AT: usize = 32;
    let (disk, tree) = filled(5);
    let overflow = blocks_of_kind(&disk, tree, page::Kind::Overflow);
    let reads = |what: &str, block: usize, forgery: &dyn Fn(&mut [u8])| {
        let disk = disk.kill_copy();
        forge(&disk, tree, block, |p| forgery(p));
        let db = open(&disk, 5).unwrap();
        match committed(&db, tree) {
            Err(Error::Corrupt(why)) => assert!(why.what.contains("piece of a large value"), "{what}: {why}"),
            other => panic!("{what}, block {block}: {:?}", other.map(|rows| rows.len())),
        }
        assert!(db.poisoned().is_none());
        db.abandon();
    };
    for &block in &overflow {
        for len in [0u32, 1 << 20, u32::MAX] {
            let set = |p: &mut [u8]| p[LEN_AT..LEN_AT + 4].copy_from_slice(&len.to_le_bytes());
            reads("its length", block, &set);
        }
        // One more than the value has left.
        let longer = |p: &mut [u8]| {
            let n = u32::from_le_bytes(p[LEN_AT..LEN_AT + 4].try_into().unwrap());
            p[LEN_AT..LEN_AT + 4].copy_from_slice(&(n + 1).to_le_bytes());
        };
        let last = page::Page(&pages(&disk, tree)[block]).right() == 0;
        if last {
            reads("one more", block, &longer);
        }
        reads("its kind", block, &|p| p[4] = page::Kind::Tree as u8);
    }
}

#[test]
fn the_verifier_ends_on_tree_links_that_lead_astray() {
    let (disk, tree) = filled(6);
    let overflow = blocks_of_kind(&disk, tree, page::Kind::Overflow)[0];
    let leaves = blocks_of_kind(&disk, tree, page::Kind::Tree);
    for &block in &leaves {
        for to in [block, leaves[0], overflow, 0, 1_000_000] {
            for flags in [0u16, page::flag::SPLIT_UNFINISHED, page::flag::DEAD] {
                let disk = disk.kill_copy();
                let p = pages(&disk, tree)[block].clone();
                if page::Page(&p).right() as usize == to && flags == 0 {
                    continue;
                }
                forge(&disk, tree, block, |p| {
                    set_right(p, to);
                    p[6..8].copy_from_slice(&flags.to_le_bytes());
                });
                assert!(!problems(&disk).is_empty(), "block {block} to {to} with flags {flags}");
            }
        }
    }
}

#[test]
fn a_segment_whose_making_was_cut_short_is_removed_at_the_start() {
    let (disk, tree) = filled(7);
    let file = disk.open("wal/new-0000000000000009", OpenMode::CreateNew, Access::Buffered).unwrap();
    write_all_at(&*file, &mut [IoSlice::new(&[1; 5000])], 0).unwrap();
    drop(file);
    let db = open(&disk, 7).unwrap();
    assert!(disk.list("wal").unwrap().iter().all(|n| !n.starts_with("new-")));
    assert_eq!(committed(&db, tree).unwrap().len(), 200);
}

fn on_a_full_disk(disk: &SimDisk) -> evenkeel::Result<Database> {
    disk.set_capacity(0); // whatever is freed, somebody else takes it
    open(disk, 9)
}

#[test]
fn a_database_starts_on_a_full_disk_with_log_that_it_no_longer_needs() {
    // After a clean shutdown no log is needed.
    let (disk, tree) = filled(8);
    let db = on_a_full_disk(&disk).unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 200);
    db.abandon();
    // After a crash, that from before the oldest redo point; a transaction is rolled back in it.
    let (disk, db) = fresh(9);
    let tree = new_tree(&db);
    for i in 0..200u32 {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &(i % 20).to_be_bytes(), &[i as u8; 1000]).unwrap();
        t.commit().unwrap();
    }
    db.checkpoint().unwrap();
    let mut open_one = db.begin(TxnOptions::default());
    for i in 0..20u32 {
        open_one.put(tree, &i.to_be_bytes(), &[0; 30]).unwrap();
    }
    db.step_log_writer().unwrap();
    let crashed = disk.crash_copy(1);
    drop(open_one);
    db.abandon();
    let db = on_a_full_disk(&crashed).unwrap();
    assert!(committed(&db, tree).unwrap().values().all(|v| v.len() == 1000));
    assert_sound(&db, "started on a full disk");
    db.abandon();
}

#[test]
fn a_start_that_finds_no_space_says_how_much_it_needs() {
    let (disk, db) = fresh(10);
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    let crashed = disk.crash_copy(1);
    db.abandon();
    match on_a_full_disk(&crashed) {
        Err(Error::OutOfSpace { what }) => assert!(what.contains("needs 65536 bytes"), "{what}"),
        other => panic!("{:?}", other.map(|_| ())),
    }
    crashed.set_capacity(u64::MAX);
    assert_eq!(committed(&open(&crashed, 10).unwrap(), tree).unwrap().len(), 1);
}
