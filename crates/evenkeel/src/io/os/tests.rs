//! The operating system's disk, in a temporary folder.

use std::io::{ErrorKind, IoSlice};
use std::os::unix::fs::PermissionsExt;

use super::super::{SECTOR, read_exact_at};
use super::*;
use crate::io::LOCK_FILE;

const fn options(direct: bool, fsync: bool) -> OsOptions {
    OsOptions { direct, fsync, log_sync: LogSync::Direct, data_files_max: DATA_FILES_MAX }
}

const ALL_OPTIONS: [OsOptions; 4] =
    [options(true, true), options(true, false), options(false, true), options(false, false)];
const ALL_ACCESS: [Access; 4] = [Access::Data, Access::Pages, Access::Log, Access::Buffered];

fn disk() -> (tempfile::TempDir, OsDisk) {
    let folder = tempfile::tempdir().unwrap();
    let disk = OsDisk::new(&folder.path().join("db"), OsOptions::default()).unwrap();
    (folder, disk)
}

fn pattern(len: usize) -> AlignedBuf {
    let mut buf = AlignedBuf::new(len);
    buf.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
    buf
}

/// A log file as it is before the file system has refused anything.
fn open_unbuffered(disk: &OsDisk) -> Arc<OsFile> {
    let shared = Arc::clone(&disk.shared);
    let flags = OFlags::RDWR | OFlags::CREATE | DSYNC;
    let open = |flags| rustix::fs::openat(&shared.root, "file", flags, FILE_MODE);
    let fd = open(flags | OFlags::DIRECT).or_else(|_| open(flags)).unwrap();
    OsFile::new(fd, None, Access::Log, true, &shared)
}

fn kind<T>(result: io::Result<T>) -> ErrorKind {
    result.err().expect("an error").kind()
}

#[test]
fn a_missing_folder_is_created_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("deep/er");
    let disk = OsDisk::new(&root, OsOptions::default()).unwrap();
    assert_eq!(disk.root(), root);
    assert_eq!(std::fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
    OsDisk::new(&root, OsOptions::default()).unwrap();
}

#[test]
fn a_folder_that_is_a_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("file");
    std::fs::write(&root, "").unwrap();
    let why = |at: &Path| OsDisk::new(at, OsOptions::default()).map(drop).unwrap_err().to_string();
    assert!(why(&root).ends_with("is there, and no folder"));
    assert!(why(&root.join("below")).ends_with("file is there, and no folder"));
    // A disk that is not mounted, behind a link: no database is begun elsewhere.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("mount/data"), &link).unwrap();
    assert!(why(&link).contains("is its disk mounted?"), "{}", why(&link));
    assert!(!folder.path().join("mount").exists());
}

#[test]
fn what_is_written_is_read_back_however_the_file_is_open() {
    let folder = tempfile::tempdir().unwrap();
    for options in ALL_OPTIONS {
        let disk = OsDisk::new(folder.path(), options).unwrap();
        for access in ALL_ACCESS {
            let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
            let bytes = pattern(64 * 1024);
            let (head, tail) = bytes.split_at(8192);
            write_all_at(&*file, &mut [IoSlice::new(head), IoSlice::new(tail)], 4096).unwrap();
            file.sync().unwrap();
            let mut back = AlignedBuf::new(bytes.len());
            read_exact_at(&*file, &mut back, 4096).unwrap();
            assert_eq!(back[..], bytes[..]);
            assert_eq!(file.len().unwrap(), 4096 + bytes.len() as u64);
            drop(file);
            disk.remove("file").unwrap();
        }
    }
}

#[test]
fn unaligned_memory_is_no_concern_of_the_caller() {
    let (_folder, disk) = disk();
    for access in ALL_ACCESS {
        let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
        let bytes = pattern(3 * 4096 + 1);
        let mut bufs = [IoSlice::new(&bytes[1..101]), IoSlice::new(&bytes[101..])];
        write_all_at(&*file, &mut bufs, 512).unwrap();
        let mut back = AlignedBuf::new(bytes.len() + 2);
        read_exact_at(&*file, &mut back[3..3 + 3 * 4096], 512).unwrap();
        assert_eq!(back[3..3 + 3 * 4096], bytes[1..]);
        assert_eq!(back[..3], [0; 3], "bytes before the buffer are left alone");
    }
}

#[test]
fn reads_take_any_range_and_writes_whole_sectors() {
    let (_folder, disk) = disk();
    let file = disk.open("file", OpenMode::CreateNew, Access::Data).unwrap();
    let bytes = pattern(8192);
    write_all_at(&*file, &mut [IoSlice::new(&bytes)], 0).unwrap();
    let mut back = [0; 1000];
    read_exact_at(&*file, &mut back, 4000).unwrap();
    assert_eq!(back, bytes[4000..5000]);
    for (offset, len) in [(1, SECTOR), (0, SECTOR - 1)] {
        assert_eq!(kind(file.write_at(&[IoSlice::new(&bytes[..len])], offset)), ErrorKind::InvalidInput);
    }
}

#[test]
fn a_read_ends_at_the_end_of_the_file() {
    let (_folder, disk) = disk();
    let odd = disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
    write_all_at(&*odd, &mut [IoSlice::new(&pattern(700))], 0).unwrap();
    odd.sync().unwrap();
    for access in ALL_ACCESS {
        let file = disk.open("file", OpenMode::Existing, access).unwrap();
        let mut buf = AlignedBuf::new(4096);
        assert_eq!(file.read_at(&mut buf, 0).unwrap(), 700);
        assert_eq!(file.read_at(&mut buf, 4096).unwrap(), 0);
        assert_eq!(kind(read_exact_at(&*file, &mut buf, 0)), ErrorKind::UnexpectedEof);
        assert_eq!(buf[..700], pattern(700)[..]);
    }
}

#[test]
fn a_file_system_that_refuses_unbuffered_transfers_gets_buffered_ones() {
    let (_folder, disk) = disk();
    let file = open_unbuffered(&disk);
    let mut refusals = 1;
    let count = file.transfer(&file.fd().unwrap(), || {
        if refusals == 0 {
            return Ok(7);
        }
        refusals -= 1;
        Err(Errno::INVAL)
    });
    assert_eq!(count.unwrap(), 7);
    let flags = rustix::fs::fcntl_getfl(&*file.fd().unwrap()).unwrap();
    assert!(!flags.contains(OFlags::DIRECT) && flags.contains(DSYNC), "{flags:?}");
    assert!(disk.shared.warned.load(Ordering::Relaxed));
    // Buffered from here on: an error is an error.
    assert_eq!(kind(file.transfer(&file.fd().unwrap(), || Err(Errno::INVAL))), ErrorKind::InvalidInput);
}

#[test]
fn open_modes_decide_about_existing_and_missing_files() {
    let (_folder, disk) = disk();
    for access in ALL_ACCESS {
        assert_eq!(kind(disk.open("file", OpenMode::Existing, access)), ErrorKind::NotFound);
        disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
        assert_eq!(kind(disk.open("file", OpenMode::CreateNew, access)), ErrorKind::AlreadyExists);
        disk.open("file", OpenMode::Existing, access).unwrap();
        disk.remove("file").unwrap();
        disk.open("file", OpenMode::CreateNew, access).unwrap();
        disk.remove("file").unwrap();
    }
}

#[test]
fn allocation_grows_with_zeros_and_keeps_what_is_there() {
    let (_folder, disk) = disk();
    for access in ALL_ACCESS {
        let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
        file.truncate(0).unwrap();
        write_all_at(&*file, &mut [IoSlice::new(&pattern(4096))], 0).unwrap();
        file.allocate(0, 1 << 20).unwrap();
        file.allocate(0, 4096).unwrap();
        file.allocate(1 << 30, 0).unwrap();
        assert_eq!(file.len().unwrap(), 1 << 20);
        let mut back = AlignedBuf::new(1 << 20);
        read_exact_at(&*file, &mut back, 0).unwrap();
        assert_eq!(back[..4096], pattern(4096)[..]);
        assert!(back[4096..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn allocation_without_the_system_call_writes_zeros_behind_the_end() {
    let (_folder, disk) = disk();
    let file = open_unbuffered(&disk);
    write_all_at(&*file, &mut [IoSlice::new(&pattern(4096))], 0).unwrap();
    file.allocate_by_zeros(0, (2 << 20) + 4096).unwrap();
    file.allocate_by_zeros(0, 4096).unwrap();
    assert_eq!(file.len().unwrap(), (2 << 20) + 4096);
    let mut back = AlignedBuf::new(8192);
    read_exact_at(&*file, &mut back, 0).unwrap();
    assert_eq!((&back[..4096], &back[4096..]), (&pattern(4096)[..], &[0; 4096][..]));
}

#[test]
fn lengths_beyond_any_file_are_out_of_space() {
    let (_folder, disk) = disk();
    let file = disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
    assert!(crate::base::is_out_of_space(&file.allocate(u64::MAX, 1).unwrap_err()));
    assert!(crate::base::is_out_of_space(&file.truncate(u64::MAX).unwrap_err()));
}

#[test]
fn truncation_cuts_and_extends_with_zeros() {
    let (_folder, disk) = disk();
    let file = disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
    write_all_at(&*file, &mut [IoSlice::new(&pattern(1000))], 0).unwrap();
    file.truncate(10).unwrap();
    file.truncate(20).unwrap();
    let mut back = [9; 20];
    read_exact_at(&*file, &mut back, 0).unwrap();
    assert_eq!((&back[..10], &back[10..]), (&pattern(10)[..], &[0; 10][..]));
}

#[test]
fn names_are_created_listed_renamed_and_removed() {
    let (_folder, disk) = disk();
    disk.create_dir("wal").unwrap();
    disk.create_dir("wal").unwrap();
    disk.create_dir("wal/sub").unwrap();
    for path in ["wal/b", "wal/a", "wal/sub/c", "top"] {
        disk.open(path, OpenMode::CreateNew, Access::Buffered).unwrap();
    }
    assert_eq!(disk.list("wal").unwrap(), ["a", "b"]);
    assert_eq!(disk.list("").unwrap(), ["top"]);
    disk.rename("wal/a", "wal/b").unwrap();
    assert_eq!(disk.list("wal").unwrap(), ["b"]);
    assert!(disk.exists("wal/b").unwrap() && disk.exists("wal/sub").unwrap());
    assert!(!disk.exists("wal/a").unwrap() && !disk.exists("top/x").unwrap());
    disk.remove("wal/b").unwrap();
    assert_eq!(kind(disk.remove("wal/b")), ErrorKind::NotFound);
    disk.sync_dir("wal").unwrap();
    disk.sync_dir("").unwrap();
}

#[test]
fn wrong_names_are_errors() {
    let (_folder, disk) = disk();
    disk.create_dir("wal").unwrap();
    disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
    assert_eq!(kind(disk.open("../file", OpenMode::Existing, Access::Data)), ErrorKind::InvalidInput);
    assert_eq!(kind(disk.rename("file", "wal/file")), ErrorKind::InvalidInput);
    assert_eq!(kind(disk.list("gone")), ErrorKind::NotFound);
    assert_eq!(kind(disk.sync_dir("gone")), ErrorKind::NotFound);
    assert_eq!(kind(disk.create_dir("gone/dir")), ErrorKind::NotFound);
    assert_eq!(kind(disk.create_dir("file")), ErrorKind::NotADirectory);
    assert_eq!(kind(disk.open("wal", OpenMode::Existing, Access::Buffered)), ErrorKind::IsADirectory);
}

#[test]
fn a_folder_has_one_owner_at_a_time() {
    let (_folder, disk) = disk();
    let second = OsDisk::new(disk.root(), OsOptions::default()).unwrap();
    let guard = disk.lock().unwrap();
    for other in [&disk, &second] {
        assert_eq!(other.lock().err().unwrap().kind(), ErrorKind::ResourceBusy);
    }
    drop(guard);
    let _guard = second.lock().unwrap();
    let holder = std::fs::read_to_string(disk.root().join(LOCK_FILE)).unwrap();
    assert_eq!(holder.trim(), std::process::id().to_string());
}

/// As earlier versions hold a folder: by the file alone.
#[test]
fn an_owner_who_knows_the_lock_file_only_is_respected() {
    let (_folder, disk) = disk();
    let file = std::fs::File::create(disk.root().join(LOCK_FILE)).unwrap();
    std::fs::write(disk.root().join(LOCK_FILE), "4711\n").unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let refused = disk.lock().err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    assert!(refused.to_string().contains("process 4711"), "{refused}");
    drop(file);
    let _guard = disk.lock().unwrap(); // the attempt has left nothing
    let theirs = std::fs::File::open(disk.root().join(LOCK_FILE)).unwrap();
    let refused = rustix::fs::flock(&theirs, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    assert_eq!(refused, Err(Errno::WOULDBLOCK), "they are kept out, too");
}

#[test]
fn what_becomes_of_the_lock_file_frees_no_folder() {
    let (folder, disk) = disk();
    let file = disk.root().join(LOCK_FILE);
    let elsewhere = folder.path().join("elsewhere");
    std::fs::write(&elsewhere, "theirs").unwrap();
    let guard = disk.lock().unwrap();
    let meddle: [&dyn Fn(); 5] = [
        &|| {},
        &|| std::fs::write(&file, "9999999\n").unwrap(),
        &|| std::os::unix::fs::symlink(&elsewhere, &file).unwrap(),
        &|| std::os::unix::fs::symlink("nowhere", &file).unwrap(),
        &|| std::fs::create_dir(&file).unwrap(),
    ];
    for (i, meddle) in meddle.iter().enumerate() {
        let _ = std::fs::remove_file(&file);
        meddle();
        let second = OsDisk::new(disk.root(), OsOptions::default()).unwrap();
        assert_eq!(second.lock().err().unwrap().kind(), ErrorKind::ResourceBusy, "{i}");
    }
    let moved = folder.path().join("moved");
    std::fs::rename(disk.root(), &moved).unwrap();
    let second = OsDisk::new(&moved, OsOptions::default()).unwrap();
    assert_eq!(second.lock().err().unwrap().kind(), ErrorKind::ResourceBusy);
    drop(guard);
    // Free now, but what lies at the lock's name is not ours.
    let file = moved.join(LOCK_FILE);
    assert!(second.lock().err().unwrap().to_string().contains("no regular file"));
    std::fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert!(second.lock().err().unwrap().to_string().contains("symbolic link"));
    std::fs::remove_file(&file).unwrap();
    drop(second.lock().unwrap());
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "theirs");
}

#[test]
fn a_file_is_taken_by_whatever_name_it_is_reached() {
    let (folder, disk) = disk();
    disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
    let _guard = disk.lock_file("file").unwrap();
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::hard_link(disk.root().join("file"), other.join("file")).unwrap();
    std::fs::copy(disk.root().join("file"), other.join("copy")).unwrap();
    let second = OsDisk::new(&other, OsOptions::default()).unwrap();
    let _folder = second.lock().unwrap();
    assert_eq!(second.lock_file("file").err().unwrap().kind(), ErrorKind::ResourceBusy);
    let _copy = second.lock_file("copy").unwrap();
}

#[test]
fn an_open_folder_may_be_moved() {
    let (folder, disk) = disk();
    std::fs::rename(folder.path().join("db"), folder.path().join("moved")).unwrap();
    disk.open("file", OpenMode::CreateNew, Access::Data).unwrap();
    assert!(folder.path().join("moved/file").exists());
}

#[test]
fn log_writes_are_made_durable_without_their_times() {
    let (_folder, disk) = disk();
    let file = open_unbuffered(&disk);
    let flags = rustix::fs::fcntl_getfl(&*file.fd().unwrap()).unwrap().bits() as i32;
    assert_eq!(flags & libc::O_SYNC, libc::O_DSYNC, "{flags:o}");
}

#[test]
fn each_method_opens_log_files_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let flags_of = |log_sync, fsync, access| {
        let disk = OsDisk::new(folder.path(), OsOptions { log_sync, fsync, ..OsOptions::default() }).unwrap();
        let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
        write_all_at(&*file, &mut [IoSlice::new(&pattern(4096))], 0).unwrap();
        file.sync().unwrap();
        (open_flags(folder.path().join("file").as_path()), file.log_needs_sync())
    };
    let (sync, data_sync) = (libc::O_SYNC, libc::O_DSYNC);
    for (method, flags, needs_sync) in [
        (LogSync::Fdatasync, 0, true),
        (LogSync::Fsync, 0, true),
        (LogSync::OpenDatasync, data_sync, false),
        (LogSync::OpenSync, sync, false),
        (LogSync::Direct, data_sync, false),
        (LogSync::IoUring, 0, false),
    ] {
        if method == LogSync::IoUring && Rings::new().is_err() {
            continue; // some containers permit none
        }
        let (found, needs) = flags_of(method, true, Access::Log);
        assert_eq!((found & sync, needs), (flags, needs_sync), "{method:?}");
        // A file system may refuse O_DIRECT; no other method asks for it.
        let past_the_cache = matches!(method, LogSync::Direct | LogSync::IoUring);
        assert!(past_the_cache || found & libc::O_DIRECT == 0, "{method:?}");
        assert_eq!(flags_of(method, false, Access::Log).0 & sync, 0, "{method:?} without fsync");
        assert!(!flags_of(method, false, Access::Log).1, "{method:?} without fsync");
        let (data, needs) = flags_of(method, true, Access::Data);
        assert!(data & sync == 0 && !needs, "{method:?}: data files are synced by checkpoints");
    }
}

/// The flags of this process's descriptor of a file, by the kernel's account.
fn open_flags(path: &Path) -> i32 {
    let path = path.canonicalize().unwrap();
    for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
        let fd = entry.unwrap();
        if std::fs::read_link(fd.path()).is_ok_and(|target| target == path) {
            let info = Path::new("/proc/self/fdinfo").join(fd.file_name());
            let text = std::fs::read_to_string(info).unwrap();
            let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
            return i32::from_str_radix(flags.trim(), 8).unwrap();
        }
    }
    panic!("no descriptor of {}", path.display());
}

#[test]
fn atomic_writes_are_offered_within_their_limits_or_refused_without_effect() {
    let (_folder, disk) = disk();
    let limits = disk.atomic_writes("").unwrap();
    assert!(limits.unit_min_bytes <= limits.unit_max_bytes);
    let file = disk.open("file", OpenMode::CreateNew, Access::Data).unwrap();
    let old = pattern(16384);
    write_all_at(&*file, &mut [IoSlice::new(&old)], 0).unwrap();
    file.sync().unwrap();
    let new = AlignedBuf::new(8192);
    let mut back = AlignedBuf::new(16384);
    let done = file.write_atomic_at(&new, 8192);
    read_exact_at(&*file, &mut back, 0).unwrap();
    if limits.covers(8192) {
        done.unwrap();
        assert!(back[..8192] == old[..8192] && back[8192..] == new[..]);
    } else {
        done.unwrap_err();
        assert_eq!(back[..], old[..]);
    }
    let cached = OsOptions { direct: false, ..OsOptions::default() };
    let cached = OsDisk::new(disk.root(), cached).unwrap();
    assert_eq!(cached.atomic_writes("").unwrap(), AtomicWrites::NONE);
    let file = cached.open("file", OpenMode::Existing, Access::Data).unwrap();
    assert_eq!(kind(file.write_atomic_at(&new, 0)), ErrorKind::Unsupported);
}

#[test]
fn a_piece_that_could_not_be_written_out_fails_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("object");
    let bytes = vec![7; 2 * GENTLE_BYTES + 10];
    let write = |answer: fn(u64) -> Result<(), Errno>| {
        let mut pieces = Vec::new();
        let mut file = std::fs::File::create(&path).unwrap();
        let written = write_in_pieces(&mut file, &bytes, |_, offset, len| {
            pieces.push((offset, len));
            answer(offset)
        });
        (written, pieces)
    };
    let piece = GENTLE_BYTES as u64;
    let (written, pieces) = write(|_| Ok(()));
    written.unwrap();
    assert_eq!(pieces, [(0, piece), (piece, piece), (2 * piece, 10)]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    // The sync at the end would find nothing wrong.
    let (written, pieces) = write(|offset| if offset > 0 { Err(Errno::IO) } else { Ok(()) });
    assert_eq!(written.unwrap_err().raw_os_error(), Some(libc::EIO));
    assert_eq!(pieces.len(), 2);
    let (written, _) = write(|_| Err(Errno::NOSYS));
    written.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

/// Several times more files than may have a descriptor, used in turns, by several threads.
#[test]
fn of_many_data_files_only_so_many_have_a_descriptor() {
    for direct in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let disk =
            OsDisk::new(folder.path(), OsOptions { data_files_max: 3, ..options(direct, true) }).unwrap();
        let files: Vec<_> = (0..20)
            .map(|i| disk.open(&format!("file{i}"), OpenMode::CreateNew, Access::Pages).unwrap())
            .collect();
        assert_eq!(disk.shared.descriptors.open(), 3);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let files = &files;
                scope.spawn(move || {
                    for turn in 0..200u64 {
                        let n = (turn * 7 + thread * 3) % 20;
                        let bytes = AlignedBuf::copy_of(&[n as u8; SECTOR]);
                        let at = thread * SECTOR as u64;
                        write_all_at(&*files[n as usize], &mut [IoSlice::new(&bytes)], at).unwrap();
                        if turn % 3 == 0 {
                            files[n as usize].sync().unwrap();
                        }
                        let mut back = AlignedBuf::new(SECTOR);
                        read_exact_at(&*files[n as usize], &mut back, at).unwrap();
                        assert_eq!(back[..], bytes[..]);
                    }
                });
            }
        });
        // Those in use when somebody looked for one to close may have stayed; the next that is opened makes up for it.
        files.iter().for_each(|file| file.truncate(SECTOR as u64).unwrap());
        assert_eq!(disk.shared.descriptors.open(), 3);
        assert!(files.iter().all(|file| file.len().unwrap() == SECTOR as u64));
    }
}

#[test]
fn a_file_that_is_written_through_the_page_cache_is_synced_before_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let disk = OsDisk::new(folder.path(), OsOptions { data_files_max: 1, ..options(false, true) }).unwrap();
    let open = |name| disk.open_file(name, OpenMode::CreateNew, Access::Pages).unwrap();
    let a = open("a");
    write_all_at(&*a, &mut [IoSlice::new(&[1; SECTOR])], 0).unwrap();
    assert!(a.owes_sync());
    let b = open("b");
    assert!(!a.owes_sync() && !a.has_descriptor() && b.has_descriptor());
    a.sync().unwrap();
    // The sync at closing failed: nobody else will be told by the kernel.
    a.set_sync_error(Errno::IO);
    drop(b);
    assert_eq!(a.sync().unwrap_err().raw_os_error(), Some(libc::EIO));
    assert_eq!(a.sync().unwrap_err().raw_os_error(), Some(libc::EIO), "for good");
}

/// What the kernel tells once of pages written before must not be spent on whoever lets the file grow, or has the write-out begun.
#[test]
fn an_error_that_is_told_once_is_kept_for_the_sync_that_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = OsDisk::new(folder.path(), options(false, true)).unwrap();
    let open = |name| {
        let file = disk.open_file(name, OpenMode::CreateNew, Access::Pages).unwrap();
        write_all_at(&*file, &mut [IoSlice::new(&[1; SECTOR])], 0).unwrap();
        let fd = std::fs::OpenOptions::new().write(true).open(folder.path().join(name)).unwrap();
        (file, OwnedFd::from(fd))
    };
    let (file, fd) = open("lack");
    file.sync().unwrap();
    file.allocate_by_zeros(SECTOR as u64, 4 * SECTOR as u64).unwrap();
    let told = file.growth_failed(&fd, Errno::NOSPC, false, SECTOR as u64);
    assert_eq!(told.raw_os_error(), Some(libc::ENOSPC));
    file.sync().expect("nobody's page is in doubt");
    assert_eq!(file.len().unwrap(), SECTOR as u64, "nobody takes it for room that he has");
    for (name, error, was_unsynced) in
        [("a", Errno::NOSPC, true), ("b", Errno::IO, false), ("c", Errno::IO, true)]
    {
        let (file, fd) = open(name);
        file.growth_failed(&fd, error, was_unsynced, SECTOR as u64);
        assert_eq!(file.sync().unwrap_err().raw_os_error(), Some(error.raw_os_error()), "{name}");
    }
    let (file, _) = open("d");
    file.write_out_failed(Errno::NOSYS);
    file.sync().expect("a hint that was not taken");
    file.write_out_failed(Errno::IO);
    assert_eq!(file.sync().unwrap_err().raw_os_error(), Some(libc::EIO));
}
