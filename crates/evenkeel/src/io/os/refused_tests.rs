//! What is made durable is: with the kernel refusing every sync of a thread, whatever promises durability must fail. A sync that is left out cannot be
//! seen in any other way without cutting the power.

use super::refusing::without_syncs;
use super::*;
use crate::io::SECTOR;
use std::io::IoSlice;

fn disk_in(folder: &Path, log_sync: LogSync, direct: bool) -> OsDisk {
    let options = OsOptions { direct, fsync: true, log_sync, data_files_max: 1 };
    OsDisk::new(folder, options).unwrap()
}

fn is_refused<T>(done: io::Result<T>) -> bool {
    done.is_err_and(|e| e.raw_os_error() == Some(libc::EIO))
}

#[test]
fn a_sync_of_a_file_or_a_folder_reaches_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    for log_sync in [LogSync::Fdatasync, LogSync::Fsync, LogSync::OpenDatasync, LogSync::Direct] {
        for direct in [true, false] {
            let disk = disk_in(folder.path(), log_sync, direct);
            for access in [Access::Log, Access::Pages, Access::Data, Access::Buffered] {
                let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
                write_all_at(&*file, &mut [IoSlice::new(&AlignedBuf::new(SECTOR))], 0).unwrap();
                assert!(without_syncs(|| is_refused(file.sync())), "{log_sync:?} {access:?} {direct}");
                file.sync().unwrap();
            }
            assert!(without_syncs(|| is_refused(disk.sync_dir(""))));
            disk.sync_dir("").unwrap();
        }
    }
}

/// Whoever made it.
#[test]
fn the_path_of_a_new_database_is_synced() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("new/db");
    std::fs::create_dir_all(&root).unwrap();
    let disk = disk_in(&root, LogSync::Direct, false);
    assert!(without_syncs(|| is_refused(disk.sync_path())));
    disk.sync_path().unwrap();
    let open = |root: &Path| crate::Database::open(root, crate::Options::default().without_threads());
    assert!(without_syncs(|| open(&root).is_err()));
    assert!(std::fs::read_dir(&root).unwrap().next().is_none(), "before anything is made in it");
    open(&root).unwrap().close().unwrap();
}

#[test]
fn a_folder_that_is_created_is_synced_into_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("new/db");
    assert!(without_syncs(|| is_refused(OsDisk::new(&root, OsOptions::default()))));
    let root = folder.path().join("other/db");
    OsDisk::new(&root, OsOptions { fsync: false, ..OsOptions::default() }).unwrap();
    without_syncs(|| OsDisk::new(&root, OsOptions::default()).unwrap());
}

#[test]
fn what_is_written_gently_is_synced_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = std::fs::File::create(folder.path().join("object")).unwrap();
    assert!(without_syncs(|| is_refused(write_gently(&mut file, b"bytes"))));
    write_gently(&mut file, b"bytes").unwrap();
}

#[test]
fn space_that_was_obtained_by_zeros_is_synced() {
    let folder = tempfile::tempdir().unwrap();
    let disk = disk_in(folder.path(), LogSync::Direct, false);
    let file = disk.open_file("file", OpenMode::CreateNew, Access::Pages).unwrap();
    assert!(without_syncs(|| is_refused(file.allocate_by_zeros(0, 3 * SECTOR as u64))));
}

#[test]
fn a_sync_that_fails_when_a_file_is_closed_fails_the_file_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let disk = disk_in(folder.path(), LogSync::Direct, false);
    let open = |name| disk.open_file(name, OpenMode::CreateNew, Access::Pages).unwrap();
    let a = open("a");
    write_all_at(&*a, &mut [IoSlice::new(&[1; SECTOR])], 0).unwrap();
    assert!(a.owes_sync());
    without_syncs(|| drop(open("b")));
    assert!(!a.has_descriptor(), "there may be one descriptor");
    for _ in 0..2 {
        assert!(is_refused(a.sync()));
    }
}
