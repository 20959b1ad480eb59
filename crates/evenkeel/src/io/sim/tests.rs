//! The rules of the simulated disk, by their numbers in the module's README.

use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Arc, Mutex};

use super::super::{Access, Disk, File, OpenMode, SECTOR, write_all_at};
use super::*;
use crate::base::is_out_of_space;

/// Enough seeds to see every outcome of a handful of coins.
const SEEDS: std::ops::Range<u64> = 0..300;

/// A disk without intermediate versions, so that a sector is either old or new.
fn disk() -> SimDisk {
    SimDisk::new(SimOptions { seed: 1, versions_max: 0, ..SimOptions::default() })
}

/// A new file whose name is durable.
fn create(disk: &SimDisk, path: &str, access: Access) -> Arc<dyn File> {
    let file = disk.open(path, OpenMode::CreateNew, access).unwrap();
    disk.sync_dir("").unwrap();
    file
}

/// Writes sectors of one letter each.
fn put(file: &dyn File, sector: u64, letters: &str) {
    let bytes: Vec<u8> = letters.bytes().flat_map(|letter| [letter; SECTOR]).collect();
    write_all_at(file, &mut [IoSlice::new(&bytes)], sector * SECTOR as u64).unwrap();
}

/// A file's sectors as letters; a dot for zeros.
fn letters(disk: &SimDisk, path: &str) -> String {
    let letter = |sector: &[u8]| {
        assert!(sector.iter().all(|byte| *byte == sector[0]), "a sector is torn");
        if sector[0] == 0 { '.' } else { char::from(sector[0]) }
    };
    match disk.contents(path) {
        Ok(bytes) => bytes.chunks(SECTOR).map(letter).collect(),
        Err(error) => error.kind().to_string(),
    }
}

/// What a file may be after a power cut now, sorted.
fn outcomes(disk: &SimDisk, path: &str) -> Vec<String> {
    let mut all: Vec<String> = SEEDS.map(|seed| letters(&disk.crash_copy(seed), path)).collect();
    all.sort();
    all.dedup();
    all
}

/// The file after a power cut that loses all it can.
fn worst(disk: &SimDisk, path: &str) -> String {
    letters(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 0), path)
}

fn best(disk: &SimDisk, path: &str) -> String {
    letters(&disk.crash_copy_with(CrashPolicy::KeepAll, 0), path)
}

const GONE: &str = "entity not found";

mod durability {
    use super::*;

    #[test]
    fn rule_1_a_sync_makes_writes_and_length_durable() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "abc");
        assert_eq!((worst(&disk, "file"), best(&disk, "file")), ("".into(), "abc".into()));
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["abc"]);
        assert_eq!(disk.dirty_sectors(), 0);
    }

    #[test]
    fn rule_1_a_sync_of_one_handle_covers_writes_through_another() {
        let disk = disk();
        let first = create(&disk, "file", Access::Data);
        let second = disk.open("file", OpenMode::Existing, Access::Buffered).unwrap();
        put(&*first, 0, "a");
        second.sync().unwrap();
        assert_eq!(worst(&disk, "file"), "a");
    }

    #[test]
    fn rule_1_what_is_written_while_a_sync_runs_is_not_covered_but_what_was_before_is() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "aaaa");
        let again = disk.open("file", OpenMode::Existing, Access::Data).unwrap();
        on_sync(&disk, move || put(&*again, 1, "b"));
        file.sync().unwrap();
        assert_eq!(letters(&disk, "file"), "abaa");
        assert_eq!(outcomes(&disk, "file"), ["aaaa", "abaa"]);
    }

    #[test]
    fn rule_1_a_truncation_while_a_sync_runs_is_not_covered() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "aaaa");
        let again = disk.open("file", OpenMode::Existing, Access::Data).unwrap();
        on_sync(&disk, move || again.truncate(512).unwrap());
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a", "aaaa"]);
    }

    #[test]
    fn rule_1_an_older_sync_that_ends_later_takes_nothing_back() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "a");
        let log = disk.open("file", OpenMode::Existing, Access::Log).unwrap();
        on_sync(&disk, move || {
            put(&*log, 0, "b");
            put(&*log, 1, "c");
        });
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["bc"]);
    }

    /// Does something once, in the middle of the next sync.
    fn on_sync(disk: &SimDisk, action: impl FnOnce() + Send + 'static) {
        let mut action = Some(action);
        disk.set_hook(Some(Box::new(move |call, _| {
            if call.kind == SimCallKind::Sync {
                action.take().expect("one sync")();
            }
        })));
    }

    #[test]
    fn rule_2_a_log_write_is_durable_when_it_returns_and_no_other() {
        let disk = disk();
        let log = create(&disk, "log", Access::Log);
        log.allocate(0, 4 * 512).unwrap();
        log.sync().unwrap();
        let data = disk.open("log", OpenMode::Existing, Access::Data).unwrap();
        put(&*data, 0, "x");
        put(&*log, 1, "ab");
        assert_eq!(outcomes(&disk, "log"), [".ab.", "xab."]);
    }

    #[test]
    fn rule_2_a_log_write_behind_the_end_makes_the_length_durable() {
        let disk = disk();
        let log = create(&disk, "log", Access::Log);
        put(&*log, 1, "ab");
        assert_eq!(outcomes(&disk, "log"), [".ab"]);
    }

    #[test]
    fn rule_2_a_log_write_before_the_end_leaves_a_change_of_length_volatile() {
        let disk = disk();
        let log = create(&disk, "log", Access::Log);
        put(&*log, 0, "aa");
        log.truncate(4096).unwrap();
        put(&*log, 0, "b");
        assert_eq!(worst(&disk, "log"), "ba");
    }

    #[test]
    fn rule_2_a_log_write_behind_a_truncation_makes_it_durable() {
        let disk = disk();
        let log = create(&disk, "log", Access::Log);
        put(&*log, 0, "aaaaaaaaaaaa");
        log.truncate(512).unwrap();
        log.truncate(12 * 512).unwrap();
        put(&*log, 3, "b");
        assert_eq!(outcomes(&disk, "log"), ["a..b........"]);
        assert_eq!(disk.dirty_sectors(), 0);
    }

    #[test]
    fn rule_14_log_writes_in_flight_become_durable_one_by_one_in_any_order() {
        let disk = disk();
        let log = create(&disk, "log", Access::Log);
        log.allocate(0, 3 * 512).unwrap();
        log.sync().unwrap();
        disk.defer_log_writes(true);
        put(&*log, 0, "a");
        put(&*log, 1, "b");
        disk.defer_log_writes(false);
        put(&*log, 2, "c");
        assert_eq!(outcomes(&disk, "log"), ["..c", ".bc", "a.c", "abc"]);
        let [first, second] = disk.deferred_log_writes()[..] else { panic!("two are in flight") };
        disk.complete_log_write(second);
        assert_eq!(outcomes(&disk, "log"), [".bc", "abc"]);
        disk.complete_log_write(first);
        assert_eq!(worst(&disk, "log"), "abc");
    }

    #[test]
    fn rule_15_where_log_writes_need_a_sync_they_are_durable_after_it() {
        let options = SimOptions { versions_max: 0, log_needs_sync: true, ..SimOptions::default() };
        let disk = SimDisk::new(options);
        let log = create(&disk, "log", Access::Log);
        put(&*log, 0, "aa");
        log.sync().unwrap();
        put(&*log, 0, "b");
        assert!(log.log_needs_sync());
        assert_eq!(outcomes(&disk, "log"), ["aa", "ba"]);
        log.sync().unwrap();
        assert_eq!(worst(&disk, "log"), "ba");
        assert!(!disk.open("log", OpenMode::Existing, Access::Data).unwrap().log_needs_sync());
    }

    #[test]
    fn rule_3_a_synced_file_without_a_synced_name_may_be_lost() {
        let disk = disk();
        let file = disk.open("file", OpenMode::CreateNew, Access::Data).unwrap();
        put(&*file, 0, "a");
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a", GONE]);
        disk.sync_dir("").unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a"]);
    }

    #[test]
    fn rule_3_names_that_change_while_a_directory_sync_runs_are_not_covered() {
        let disk = disk();
        disk.open("first", OpenMode::CreateNew, Access::Log).unwrap();
        disk.set_hook(Some(Box::new(|_, disk| {
            disk.rename("first", "second").unwrap();
        })));
        disk.sync_dir("").unwrap();
        assert_eq!((worst(&disk, "first"), worst(&disk, "second")), ("".into(), GONE.into()));
        assert_eq!((best(&disk, "first"), best(&disk, "second")), (GONE.into(), "".into()));
    }

    #[test]
    fn rule_3_a_directory_sync_covers_that_directory_alone() {
        let disk = disk();
        disk.create_dir("wal").unwrap();
        disk.open("wal/a", OpenMode::CreateNew, Access::Log).unwrap();
        disk.open("top", OpenMode::CreateNew, Access::Log).unwrap();
        disk.sync_dir("wal").unwrap();
        assert_eq!((worst(&disk, "wal/a"), worst(&disk, "top")), (GONE.into(), GONE.into()));
        disk.sync_dir("").unwrap();
        assert_eq!((worst(&disk, "wal/a"), worst(&disk, "top")), ("".into(), "".into()));
    }
}

mod power_cut {
    use super::*;

    #[test]
    fn rule_4_unsynced_sectors_are_kept_or_lost_one_by_one() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "aaa");
        file.sync().unwrap();
        put(&*file, 0, "bb");
        assert_eq!(outcomes(&disk, "file"), ["aaa", "aba", "baa", "bba"]);
        assert_eq!(disk.dirty_sectors(), 2);
    }

    #[test]
    fn rule_4_whole_and_lost_writes_are_frequent() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        file.allocate(0, 64 * 512).unwrap();
        file.sync().unwrap();
        put(&*file, 0, &"a".repeat(64));
        let all = outcomes(&disk, "file");
        assert!(all.contains(&"a".repeat(64)) && all.contains(&".".repeat(64)) && all.len() > 50);
    }

    #[test]
    fn rule_5_an_overwritten_version_may_be_what_is_left() {
        let disk = SimDisk::new(SimOptions::default());
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "a");
        file.sync().unwrap();
        for version in ["b", "c", "d"] {
            put(&*file, 0, version);
        }
        assert_eq!(outcomes(&disk, "file"), ["a", "b", "c", "d"]);
        assert_eq!((worst(&disk, "file"), best(&disk, "file")), ("a".into(), "d".into()));
        file.sync().unwrap();
        put(&*file, 0, "e");
        assert_eq!(outcomes(&disk, "file"), ["d", "e"]);
    }

    #[test]
    fn rule_6_unsynced_growth_is_kept_in_part_and_reads_as_zeros() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "a");
        file.sync().unwrap();
        file.allocate(0, 17 * 512).unwrap();
        let expected = ["a".to_owned(), "a".to_owned() + &".".repeat(7), "a".to_owned() + &".".repeat(15)];
        let mut expected = expected.to_vec();
        expected.push("a".to_owned() + &".".repeat(16));
        expected.sort();
        assert_eq!(outcomes(&disk, "file"), expected);
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a................"]);
    }

    #[test]
    fn rule_6_a_truncation_survives_or_not() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "aaa");
        file.sync().unwrap();
        file.truncate(512).unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a", "aaa"]);
        file.sync().unwrap();
        assert_eq!(outcomes(&disk, "file"), ["a"]);
    }

    #[test]
    fn rule_6_what_a_surviving_truncation_cut_off_does_not_come_back() {
        let disk = SimDisk::new(SimOptions::default());
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "aaa");
        file.sync().unwrap();
        put(&*file, 1, "b");
        file.truncate(512).unwrap();
        put(&*file, 1, "cc");
        // All of it, the truncation alone, or nothing of it; the growth to 3 sectors is within one chunk.
        let lost = ["aaa", "aba"];
        let kept = ["a", "a..", "a.c", "ac.", "acc"];
        let mut expected = [&lost[..], &kept[..]].concat();
        expected.sort();
        assert_eq!(outcomes(&disk, "file"), expected);
    }

    #[test]
    fn rule_7_operations_on_one_name_survive_in_order() {
        let disk = disk();
        let create = || disk.open("file", OpenMode::CreateNew, Access::Log).unwrap();
        put(&*create(), 0, "a");
        disk.remove("file").unwrap();
        put(&*create(), 0, "b");
        // Not "a" followed by the second creation alone.
        assert_eq!(outcomes(&disk, "file"), ["a", "b", GONE]);
        disk.sync_dir("").unwrap();
        disk.remove("file").unwrap();
        assert_eq!(outcomes(&disk, "file"), ["b", GONE]);
    }

    #[test]
    fn rule_7_a_rename_replaces_whole_or_not_at_all() {
        let disk = disk();
        put(&*create(&disk, "old", Access::Log), 0, "a");
        put(&*create(&disk, "new", Access::Log), 0, "b");
        disk.rename("new", "old").unwrap();
        let both = |disk: &SimDisk| (letters(disk, "old"), letters(disk, "new"));
        assert_eq!(both(&disk), ("b".into(), GONE.into()));
        for seed in SEEDS {
            let after = both(&disk.crash_copy(seed));
            assert!(after == ("a".into(), "b".into()) || after == ("b".into(), GONE.into()), "{after:?}");
        }
        disk.sync_dir("").unwrap();
        assert_eq!(outcomes(&disk, "old"), ["b"]);
    }

    #[test]
    fn rule_7_renaming_a_file_that_was_not_synced_may_leave_it_empty() {
        let disk = disk();
        put(&*create(&disk, "old", Access::Log), 0, "a");
        let new = disk.open("new", OpenMode::CreateNew, Access::Data).unwrap();
        put(&*new, 0, "b");
        disk.rename("new", "old").unwrap();
        disk.sync_dir("").unwrap();
        assert_eq!(worst(&disk, "old"), "");
    }

    #[test]
    fn rule_7_a_lost_directory_takes_its_files_along() {
        let disk = disk();
        disk.create_dir("a").unwrap();
        disk.create_dir("a/b").unwrap();
        disk.open("a/b/file", OpenMode::CreateNew, Access::Log).unwrap();
        for dir in ["a", "a/b"] {
            disk.sync_dir(dir).unwrap();
        }
        let lost = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 0);
        assert!(!lost.exists("a").unwrap() && !lost.exists("a/b").unwrap());
        assert_eq!(outcomes(&disk, "a/b/file"), ["", GONE]);
    }

    #[test]
    fn rule_8_a_copy_after_a_power_cut_is_durable_and_independent() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "abcd");
        let copy = disk.crash_copy_with(CrashPolicy::KeepAll, 3);
        put(&*copy.open("file", OpenMode::Existing, Access::Log).unwrap(), 1, "x");
        put(&*file, 2, "y");
        assert_eq!((letters(&disk, "file"), letters(&copy, "file")), ("abyd".into(), "axcd".into()));
        assert_eq!(worst(&copy, "file"), "axcd");
    }

    #[test]
    fn the_same_seed_leaves_the_same_disk() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, &"a".repeat(50));
        for seed in SEEDS {
            assert_eq!(letters(&disk.crash_copy(seed), "file"), letters(&disk.crash_copy(seed), "file"));
        }
    }

    #[test]
    fn an_open_file_that_was_removed_lives_until_it_is_closed() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        disk.remove("file").unwrap();
        put(&*file, 0, "a");
        assert_eq!(file.len().unwrap(), 512);
        disk.sync_dir("").unwrap();
        assert_eq!(disk.shared.state.lock().files.len(), 1);
        drop(file);
        assert_eq!(disk.shared.state.lock().files.len(), 0);
    }
}

mod kill {
    use super::*;

    #[test]
    fn rule_9_a_kill_keeps_everything_but_makes_nothing_durable() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        put(&*file, 0, "a");
        file.sync().unwrap();
        put(&*file, 0, "b");
        disk.open("new", OpenMode::CreateNew, Access::Data).unwrap();
        let next = disk.kill_copy();
        assert_eq!((letters(&next, "file"), letters(&next, "new")), ("b".into(), "".into()));
        assert_eq!((worst(&next, "file"), worst(&next, "new")), ("a".into(), GONE.into()));
        next.open("file", OpenMode::Existing, Access::Data).unwrap().sync().unwrap();
        next.sync_dir("").unwrap();
        assert_eq!((worst(&next, "file"), worst(&next, "new")), ("b".into(), "".into()));
        assert_eq!(worst(&disk, "file"), "a");
    }

    #[test]
    fn copies_start_unlocked_and_uncounted() {
        let disk = disk();
        let guard = disk.lock().unwrap();
        assert_eq!(disk.clone().lock().err().unwrap().kind(), ErrorKind::ResourceBusy);
        create(&disk, "file", Access::Log);
        for copy in [disk.kill_copy(), disk.crash_copy(0)] {
            copy.lock().unwrap();
            assert_eq!(copy.counters(), SimCounters::default());
        }
        drop(guard);
        disk.lock().unwrap();
    }
}

mod calls {
    use super::*;

    /// The calls the hook sees, with what a power cut in it would leave of the file.
    fn record(disk: &SimDisk, path: &'static str) -> Arc<Mutex<Vec<(SimCall, String, String)>>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        disk.set_hook(Some(Box::new(move |call, disk| {
            log.lock().unwrap().push((call.clone(), best(disk, path), worst(disk, path)));
        })));
        seen
    }

    #[test]
    fn rule_10_the_hook_runs_between_the_effect_of_a_call_and_its_durability() {
        let disk = disk();
        let seen = record(&disk, "file");
        let log = disk.open("file", OpenMode::CreateNew, Access::Log).unwrap();
        disk.sync_dir("").unwrap();
        put(&*log, 1, "ab");
        log.truncate(512).unwrap();
        log.sync().unwrap();
        log.read_at(&mut [0; 512], 0).unwrap();
        log.allocate(0, 1024).unwrap();
        disk.rename("file", "other").unwrap();
        disk.remove("other").unwrap();

        use SimCallKind::*;
        let seen = seen.lock().unwrap();
        let expected = [
            (0, Create, "", GONE),
            (1, SyncDir, "", GONE),
            (2, Write, ".ab", ""),
            (3, Truncate, ".", ".ab"),
            (4, Sync, ".", ".ab"),
            (6, Allocate, "..", "."),
            (7, Rename, GONE, "."),
            (8, Remove, GONE, "."),
        ];
        let got: Vec<_> =
            seen.iter().map(|(call, best, worst)| (call.index, call.kind, &best[..], &worst[..])).collect();
        assert_eq!(got, expected);
        let write = &seen[2].0;
        assert_eq!((&*write.path, write.offset, write.len), ("file", 512, 1024));
        assert_eq!((write.access, write.to.clone()), (Some(Access::Log), None));
        assert_eq!(seen[6].0.to.as_deref(), Some("other"));
        assert_eq!(disk.calls(), 9);
    }

    #[test]
    fn rule_10_calls_inside_the_hook_do_not_call_it_and_it_may_take_itself_away() {
        let disk = disk();
        disk.set_hook(Some(Box::new(|_, disk| {
            disk.open("second", OpenMode::CreateNew, Access::Data).unwrap();
            disk.set_hook(None);
        })));
        disk.open("first", OpenMode::CreateNew, Access::Data).unwrap();
        disk.open("third", OpenMode::CreateNew, Access::Data).unwrap();
        assert_eq!(disk.list("").unwrap(), ["first", "second", "third"]);
    }

    #[test]
    fn rule_10_no_hook_for_calls_without_effect() {
        let disk = disk();
        let seen = record(&disk, "file");
        disk.open("file", OpenMode::Existing, Access::Data).unwrap_err();
        disk.remove("file").unwrap_err();
        disk.open("gone/file", OpenMode::CreateNew, Access::Data).unwrap_err();
        fail(&disk, Fault::Enospc);
        disk.open("file", OpenMode::CreateNew, Access::Data).unwrap_err();
        assert!(seen.lock().unwrap().is_empty());
        assert_eq!(disk.calls(), 4);
    }

    #[test]
    fn rule_10_threads_may_write_while_the_hook_crashes_the_disk() {
        let disk = disk();
        disk.set_hook(Some(Box::new(|call, disk| {
            let copy = disk.crash_copy(call.index);
            if let Ok(file) = copy.open(&call.path, OpenMode::Existing, Access::Data) {
                put(&*file, 0, "x");
            }
            drop(disk.kill_copy());
        })));
        std::thread::scope(|scope| {
            for path in ["a", "b", "c", "d"] {
                let disk = &disk;
                scope.spawn(move || {
                    let log = disk.open(path, OpenMode::CreateNew, Access::Log).unwrap();
                    (0..100).for_each(|sector| put(&*log, sector, path));
                });
            }
        });
        disk.set_hook(None);
        for path in ["a", "b", "c", "d"] {
            assert_eq!(letters(&disk, path), path.repeat(100));
        }
        assert_eq!((disk.calls(), disk.dirty_sectors()), (404, 0));
    }

    /// The next call fails so.
    fn fail(disk: &SimDisk, fault: Fault) {
        let mut next = Some(fault);
        disk.set_fault(Some(Box::new(move |_| next.take().unwrap_or(Fault::None))));
    }

    #[test]
    fn rule_11_a_failed_write_leaves_some_sectors_and_none_durable() {
        let mut partial = 0;
        for seed in 0..20 {
            let disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
            let log = create(&disk, "file", Access::Log);
            put(&*log, 0, "aaaa");
            fail(&disk, Fault::Eio);
            let error = log.write_at(&[IoSlice::new(&[b'b'; 2048])], 0).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EIO));
            let left = letters(&disk, "file");
            assert!(left.chars().all(|letter| letter == 'a' || letter == 'b'));
            partial += u32::from(left.contains('a') && left.contains('b'));
            assert_eq!(worst(&disk, "file"), "aaaa");
        }
        assert!(partial > 5);
    }

    #[test]
    fn rule_11_a_failed_sync_makes_some_of_it_durable() {
        let mut left = Vec::new();
        for seed in 0..20 {
            let disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
            let file = create(&disk, "file", Access::Data);
            file.allocate(0, 8192).unwrap();
            file.sync().unwrap();
            put(&*file, 0, "a");
            put(&*file, 8, "b");
            fail(&disk, Fault::Eio);
            file.sync().unwrap_err();
            assert_eq!(letters(&disk, "file"), "a.......b.......");
            left.push(worst(&disk, "file"));
        }
        left.sort();
        left.dedup();
        assert_eq!(left, ["................", "........b.......", "a...............", "a.......b......."]);
    }

    #[test]
    fn rule_17_what_a_failed_sync_dropped_is_read_and_never_written_until_it_is_written_again() {
        let mut left = Vec::new();
        for seed in 0..20 {
            let disk = SimDisk::new(SimOptions { seed, versions_max: 0, ..SimOptions::default() });
            let file = create(&disk, "file", Access::Data);
            file.allocate(0, 8192).unwrap();
            file.sync().unwrap();
            put(&*file, 0, "a");
            put(&*file, 8, "b");
            fail(&disk, Fault::EioDropped);
            file.sync().unwrap_err();
            disk.set_fault(None);
            // Later syncs succeed, those of the next process too, and prove nothing.
            file.sync().unwrap();
            let next = disk.kill_copy();
            let again = next.open("file", OpenMode::Existing, Access::Data).unwrap();
            again.sync().unwrap();
            assert_eq!(letters(&next, "file"), "a.......b.......");
            let after = outcomes(&next, "file");
            assert_eq!(after.len(), 1, "nothing is left to chance: {after:?}");
            left.extend(after);
            // The other sectors of the block do not take it along; writing it again does.
            put(&*again, 1, "c");
            again.sync().unwrap();
            assert_eq!(&worst(&next, "file")[1..2], "c");
            put(&*again, 0, "a");
            put(&*again, 8, "b");
            again.sync().unwrap();
            assert_eq!(worst(&next, "file"), "ac......b.......");
        }
        left.sort();
        left.dedup();
        assert_eq!(left, ["................", "........b.......", "a...............", "a.......b......."]);
    }

    #[test]
    fn rule_18_lost_and_misdirected_writes_and_lost_syncs_are_confirmed() {
        let disk = disk();
        let file = create(&disk, "file", Access::Log);
        file.allocate(0, 8192).unwrap();
        put(&*file, 0, "abc");
        fail(&disk, Fault::Lost);
        put(&*file, 0, "x");
        fail(&disk, Fault::Misdirected(2 * SECTOR as u64));
        put(&*file, 1, "y");
        disk.set_fault(None);
        assert_eq!(worst(&disk, "file"), "aby.............");
        let cached = create(&disk, "cached", Access::Buffered);
        put(&*cached, 0, "abc");
        fail(&disk, Fault::Lost);
        cached.sync().unwrap();
        disk.set_fault(None);
        assert_eq!(worst(&disk, "cached"), "", "the sync has not happened");
        cached.sync().unwrap();
        assert_eq!(worst(&disk, "cached"), "abc");
    }

    #[test]
    fn rule_11_other_faults_have_no_effect_and_short_transfers_end_early() {
        let disk = disk();
        let file = create(&disk, "file", Access::Buffered);
        let write = || file.write_at(&[IoSlice::new(b"ab"), IoSlice::new(b"cd")], 0);
        fail(&disk, Fault::Enospc);
        assert!(is_out_of_space(&write().unwrap_err()));
        assert_eq!(disk.contents("file").unwrap(), b"");
        fail(&disk, Fault::Short(3));
        assert_eq!(write().unwrap(), 3);
        assert_eq!(disk.contents("file").unwrap(), b"abc");
        let mut buf = [0; 8];
        fail(&disk, Fault::Short(2));
        assert_eq!(file.read_at(&mut buf, 0).unwrap(), 2);
        assert_eq!(file.read_at(&mut buf, 0).unwrap(), 3);
        fail(&disk, Fault::Eio);
        assert_eq!(file.read_at(&mut buf, 0).unwrap_err().raw_os_error(), Some(libc::EIO));
        fail(&disk, Fault::Eio);
        disk.remove("file").unwrap_err();
        assert!(disk.exists("file").unwrap());
    }

    #[test]
    fn rule_12_unbuffered_access_takes_whole_sectors() {
        let disk = disk();
        for (path, access) in [("data", Access::Data), ("log", Access::Log)] {
            let file = create(&disk, path, access);
            let kinds = [
                file.write_at(&[IoSlice::new(&[0; 512])], 1).unwrap_err().kind(),
                file.write_at(&[IoSlice::new(&[0; 511])], 0).unwrap_err().kind(),
                file.read_at(&mut [0; 511], 0).unwrap_err().kind(),
                file.read_at(&mut [0; 512], 8).unwrap_err().kind(),
            ];
            assert_eq!(kinds, [ErrorKind::InvalidInput; 4]);
            assert_eq!(file.write_at(&[IoSlice::new(&[0; 12]), IoSlice::new(&[0; 500])], 0).unwrap(), 512);
        }
    }

    #[test]
    fn rule_13_a_full_disk_refuses_growth_and_nothing_else() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        disk.set_capacity(4096);
        assert!(is_out_of_space(&file.allocate(0, 4097).unwrap_err()));
        assert_eq!(file.len().unwrap(), 0);
        file.allocate(0, 3072).unwrap();
        assert_eq!(file.write_at(&[IoSlice::new(&[1; 4096])], 2048).unwrap(), 2048);
        assert!(is_out_of_space(&file.write_at(&[IoSlice::new(&[1; 512])], 4096).unwrap_err()));
        put(&*file, 0, "aaaaaaaa");
        file.sync().unwrap();
        assert_eq!(disk.used_bytes(), 4096);
        file.truncate(1024).unwrap();
        disk.remove("file").unwrap();
        assert_eq!(disk.used_bytes(), 0);
        create(&disk, "other", Access::Data).allocate(0, 4096).unwrap();
        assert_eq!(disk.crash_copy_with(CrashPolicy::KeepAll, 0).used_bytes(), 4096);
    }

    #[test]
    fn ranges_beyond_any_file_are_out_of_space() {
        let disk = disk();
        let file = create(&disk, "file", Access::Data);
        let far = u64::MAX - 511;
        assert!(is_out_of_space(&file.write_at(&[IoSlice::new(&[1; 512])], far).unwrap_err()));
        assert!(is_out_of_space(&file.allocate(far, 512).unwrap_err()));
        assert!(is_out_of_space(&file.truncate(u64::MAX).unwrap_err()));
        assert_eq!(file.read_at(&mut [0; 512], far).unwrap(), 0);
    }

    #[test]
    fn calls_and_bytes_are_counted() {
        let disk = disk();
        let file = create(&disk, "file", Access::Log);
        put(&*file, 0, "abc");
        file.sync().unwrap();
        file.read_at(&mut [0; 1024], 0).unwrap();
        let expected =
            SimCounters { calls: 5, reads: 1, writes: 1, syncs: 2, bytes_read: 1024, bytes_written: 1536 };
        assert_eq!(disk.counters(), expected);
    }

    #[test]
    fn damage_is_durable_at_once() {
        let disk = disk();
        let file = create(&disk, "file", Access::Log);
        put(&*file, 0, "aa");
        disk.damage("file", 512, &[b'x'; 4096]).unwrap();
        assert_eq!(outcomes(&disk, "file"), ["ax"]);
        assert_eq!(disk.damage("gone", 0, b"x").unwrap_err().kind(), ErrorKind::NotFound);
    }
}

mod names {
    use super::*;

    fn kind<T>(result: io::Result<T>) -> ErrorKind {
        result.err().expect("an error").kind()
    }

    #[test]
    fn names_behave_as_the_operating_systems_do() {
        let disk = disk();
        disk.create_dir("wal").unwrap();
        disk.create_dir("wal").unwrap();
        disk.create_dir("wal/sub").unwrap();
        for path in ["wal/b", "wal/a", "wal/sub/c", "top"] {
            disk.open(path, OpenMode::CreateNew, Access::Data).unwrap();
        }
        assert_eq!(disk.list("wal").unwrap(), ["a", "b"]);
        assert_eq!(disk.list("").unwrap(), ["top"]);
        disk.rename("wal/a", "wal/b").unwrap();
        disk.rename("wal/b", "wal/b").unwrap();
        assert_eq!(disk.list("wal").unwrap(), ["b"]);
        assert!(disk.exists("wal/sub").unwrap() && !disk.exists("wal/a").unwrap());

        assert_eq!(kind(disk.open("wal/b", OpenMode::CreateNew, Access::Data)), ErrorKind::AlreadyExists);
        assert_eq!(kind(disk.open("wal", OpenMode::Existing, Access::Data)), ErrorKind::IsADirectory);
        assert_eq!(kind(disk.open("../x", OpenMode::Existing, Access::Data)), ErrorKind::InvalidInput);
        assert_eq!(kind(disk.open("gone/x", OpenMode::CreateNew, Access::Data)), ErrorKind::NotFound);
        assert_eq!(kind(disk.rename("top", "wal/top")), ErrorKind::InvalidInput);
        assert_eq!(kind(disk.rename("gone", "top")), ErrorKind::NotFound);
        assert_eq!(kind(disk.create_dir("top")), ErrorKind::NotADirectory);
        assert_eq!(kind(disk.create_dir("gone/dir")), ErrorKind::NotFound);
        assert_eq!(kind(disk.list("gone")), ErrorKind::NotFound);
        assert_eq!(kind(disk.sync_dir("gone")), ErrorKind::NotFound);
    }
}
