//! Rule 16 of the simulated disk: atomic writes.

use std::collections::BTreeSet;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

use super::super::{Access, AtomicWrites, Disk, File, OpenMode, write_all_at};
use super::*;

const PIECE: usize = 8192;

fn disk(versions_max: usize) -> (SimDisk, Arc<dyn File>) {
    let disk = SimDisk::new(SimOptions {
        seed: 1,
        versions_max,
        atomic_unit_max_bytes: 16384,
        ..SimOptions::default()
    });
    let file = disk.open("file", OpenMode::CreateNew, Access::Data).unwrap();
    write_all_at(&*file, &mut [IoSlice::new(&[b'a'; 4 * PIECE])], 0).unwrap();
    file.sync().unwrap();
    disk.sync_dir("").unwrap();
    (disk, file)
}

/// The pieces of the file after many power cuts: a letter each, `#` for a torn one.
fn outcomes(disk: &SimDisk) -> BTreeSet<String> {
    let letter = |piece: &[u8]| if piece.iter().all(|b| *b == piece[0]) { char::from(piece[0]) } else { '#' };
    let after = |seed| disk.crash_copy(seed).contents("file").unwrap().chunks(PIECE).map(letter).collect();
    (0..500).map(after).collect()
}

#[test]
fn rule_16_a_piece_is_kept_or_lost_as_a_whole_whatever_was_written_to_it_before() {
    let (disk, file) = disk(2);
    file.write_atomic_at(&[b'b'; PIECE], PIECE as u64).unwrap();
    assert_eq!(outcomes(&disk), ["aaaa", "abaa"].map(String::from).into());
    file.write_atomic_at(&[b'c'; PIECE], PIECE as u64).unwrap();
    assert_eq!(outcomes(&disk), ["aaaa", "abaa", "acaa"].map(String::from).into());
    file.write_atomic_at(&[b'd'; 2 * PIECE], 0).unwrap();
    let found = outcomes(&disk);
    assert!(found.contains("ddaa") && found.contains("dcaa") && found.contains("aaaa"), "{found:?}");
    assert!(found.iter().all(|o| !o.contains('#')), "{found:?}");
    file.sync().unwrap();
    assert_eq!(outcomes(&disk), [String::from("ddaa")].into());
}

#[test]
fn rule_16_an_ordinary_write_tears_and_so_does_an_atomic_one_over_it() {
    let (disk, file) = disk(0);
    write_all_at(&*file, &mut [IoSlice::new(&[b'b'; PIECE])], 0).unwrap();
    assert!(outcomes(&disk).contains("#aaa"));
    file.write_atomic_at(&[b'c'; PIECE], 0).unwrap();
    assert!(outcomes(&disk).contains("#aaa"));
    file.sync().unwrap();
    file.write_atomic_at(&[b'd'; PIECE], 0).unwrap();
    assert_eq!(outcomes(&disk), ["caaa", "daaa"].map(String::from).into());
}

#[test]
fn rule_16_writes_outside_of_the_limits_are_refused() {
    let (with, file) = disk(0);
    assert_eq!(with.atomic_writes("").unwrap(), AtomicWrites { unit_min_bytes: 8192, unit_max_bytes: 16384 });
    for (len, offset) in [(4096, 0), (24576, 0), (32768, 0), (PIECE, 4096), (2 * PIECE, PIECE as u64)] {
        let refused = file.write_atomic_at(&vec![b'x'; len], offset).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{len} bytes at {offset}");
    }
    let without = SimDisk::new(SimOptions::default());
    assert_eq!(without.atomic_writes("").unwrap(), AtomicWrites::NONE);
    let file = without.open("file", OpenMode::CreateNew, Access::Data).unwrap();
    assert_eq!(file.write_atomic_at(&[0; PIECE], 0).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(with.contents("file").unwrap(), vec![b'a'; 4 * PIECE]);
}

#[test]
fn rule_16_a_failed_atomic_write_or_sync_tears_nothing() {
    let mut kept = BTreeSet::new();
    for seed in 0..40 {
        let (disk, _) = disk(0);
        let disk = disk.crash_copy(seed);
        let file = disk.open("file", OpenMode::Existing, Access::Data).unwrap();
        disk.set_fault(Some(Box::new(|call| match call.kind {
            SimCallKind::Write => Fault::Eio,
            _ => Fault::None,
        })));
        file.write_atomic_at(&[b'b'; PIECE], 0).unwrap_err();
        disk.set_fault(Some(Box::new(|call| match call.kind {
            SimCallKind::Sync => Fault::Eio,
            _ => Fault::Short(512),
        })));
        for piece in 1..4 {
            file.write_atomic_at(&[b'c'; PIECE], piece * PIECE as u64).unwrap();
        }
        file.sync().unwrap_err();
        disk.set_fault(None);
        let found = outcomes(&disk);
        assert!(found.iter().all(|o| !o.contains('#')), "{found:?}");
        kept.extend(found);
    }
    assert!(kept.iter().any(|o| o.starts_with('b')) && kept.iter().any(|o| o.starts_with('a')), "{kept:?}");
}
