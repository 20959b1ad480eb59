//! The transfer helpers, against a disk that answers in part.

use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

use super::*;
use crate::base::is_out_of_space;

fn sim() -> SimDisk {
    SimDisk::new(SimOptions::default())
}

fn create(disk: &SimDisk, access: Access) -> Arc<dyn File> {
    disk.open("file", OpenMode::CreateNew, access).unwrap()
}

/// Bytes of which no two sectors are equal.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8 ^ (at / SECTOR) as u8).collect()
}

/// Every transfer of one kind ends after at most so many bytes.
fn limit(disk: &SimDisk, kind: SimCallKind, bytes: usize) {
    disk.set_fault(Some(Box::new(
        move |call| {
            if call.kind == kind { Fault::Short(bytes) } else { Fault::None }
        },
    )));
}

#[test]
fn a_short_write_is_continued_from_the_sector_boundary_below() {
    for access in [Access::Data, Access::Log, Access::Buffered] {
        let disk = sim();
        let file = create(&disk, access);
        let bytes = pattern(16 * SECTOR);
        limit(&disk, SimCallKind::Write, 3 * SECTOR + 100);
        let mut bufs = [IoSlice::new(&bytes[..SECTOR]), IoSlice::new(&bytes[SECTOR..])];
        write_all_at(&*file, &mut bufs, 1024).unwrap();
        assert_eq!(disk.contents("file").unwrap()[1024..], bytes);
    }
}

#[test]
fn more_slices_than_one_call_takes_are_written_in_aligned_pieces() {
    let bytes = pattern(100 * IOV_MAX);
    for slice_len in [7, 100] {
        let disk = sim();
        let file = create(&disk, Access::Buffered);
        limit(&disk, SimCallKind::Write, 40 * SECTOR);
        let mut bufs: Vec<IoSlice<'_>> = bytes.chunks(slice_len).map(IoSlice::new).collect();
        assert!(bufs.len() >= IOV_MAX);
        write_all_at(&*file, &mut bufs, 0).unwrap();
        assert_eq!(disk.contents("file").unwrap(), bytes);
    }
}

#[test]
fn pieces_of_a_long_list_end_on_sector_boundaries() {
    let bytes = pattern(3 * IOV_MAX * 200);
    let bufs: Vec<IoSlice<'_>> = bytes.chunks(200).map(IoSlice::new).collect();
    let mut from = 0;
    while from < bytes.len() {
        let piece = slices_from(&bufs, from, 512);
        assert!(piece.len() <= IOV_MAX);
        let joined: Vec<u8> = piece.iter().flat_map(|part| part.to_vec()).collect();
        assert_eq!(joined, bytes[from..from + joined.len()]);
        from += joined.len();
        assert!(from == bytes.len() || from.is_multiple_of(SECTOR));
    }
}

#[test]
fn a_file_that_takes_no_bytes_ends_the_write() {
    let disk = sim();
    let file = create(&disk, Access::Data);
    for bytes_taken in [0, 100] {
        limit(&disk, SimCallKind::Write, bytes_taken);
        let error = write_all_at(&*file, &mut [IoSlice::new(&[1; 1024])], 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WriteZero);
    }
}

#[test]
fn a_short_read_is_continued_until_the_buffer_is_full() {
    for access in [Access::Data, Access::Log, Access::Buffered] {
        let disk = sim();
        let file = create(&disk, access);
        let bytes = pattern(8 * SECTOR);
        write_all_at(&*file, &mut [IoSlice::new(&bytes)], 0).unwrap();
        limit(&disk, SimCallKind::Read, 700);
        let mut back = vec![0; 6 * SECTOR];
        read_exact_at(&*file, &mut back, 1024).unwrap();
        assert_eq!(back, bytes[1024..]);
    }
}

#[test]
fn a_read_past_the_end_is_unexpected_eof() {
    let disk = sim();
    create(&disk, Access::Buffered).write_at(&[IoSlice::new(&[1; 700])], 0).unwrap();
    for access in [Access::Data, Access::Buffered] {
        let file = disk.open("file", OpenMode::Existing, access).unwrap();
        for offset in [0, 512, 1024] {
            let error = read_exact_at(&*file, &mut [0; 1024], offset).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        }
    }
}

#[test]
fn a_device_that_never_gets_further_ends_the_read() {
    let disk = sim();
    let file = create(&disk, Access::Data);
    file.truncate(4096).unwrap();
    limit(&disk, SimCallKind::Read, 100);
    let error = read_exact_at(&*file, &mut [0; 1024], 0).unwrap_err();
    assert_ne!(error.kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn errors_of_the_device_come_through() {
    let disk = sim();
    let file = create(&disk, Access::Data);
    disk.set_fault(Some(Box::new(|_| Fault::Eio)));
    let written = write_all_at(&*file, &mut [IoSlice::new(&[1; 512])], 0).unwrap_err();
    let read = read_exact_at(&*file, &mut [0; 512], 0).unwrap_err();
    assert_eq!((written.raw_os_error(), read.raw_os_error()), (Some(libc::EIO), Some(libc::EIO)));
}

#[test]
fn out_of_space_is_recognised_by_code_and_by_kind() {
    for code in [libc::ENOSPC, libc::EDQUOT, libc::EFBIG] {
        assert!(is_out_of_space(&io::Error::from_raw_os_error(code)));
    }
    assert!(is_out_of_space(&ErrorKind::StorageFull.into()));
    assert!(!is_out_of_space(&io::Error::from_raw_os_error(libc::EIO)));
    assert!(!is_out_of_space(&ErrorKind::UnexpectedEof.into()));
}

#[test]
fn paths_stay_inside_the_folder() {
    for good in ["control", "wal/000000010000.seg", "a/b/c", "..."] {
        check_path(good).unwrap();
    }
    for bad in ["", "/etc", "a//b", "a/", ".", "a/../b", "..", "a\0b"] {
        assert_eq!(check_path(bad).unwrap_err().kind(), ErrorKind::InvalidInput, "{bad:?}");
    }
}
