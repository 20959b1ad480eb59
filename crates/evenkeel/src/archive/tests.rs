//! Strip, pack, unpack, fill: what goes in comes out at the same addresses, and hostile bytes give errors.

use super::*;
use crate::base::{FileId, Lsn, PAGE_BYTES, PageId, TxnId};
use crate::io::Disk;
use crate::wal::files::SegmentSet;
use crate::wal::reader::LogReader;
use crate::wal::record::{self, Kind, TxnLink, frame_head, put_block, put_change_head, put_head};
use crate::wal::segment::{Geometry, Header};

const SEGMENT: u64 = 64 * 1024;
const GEOMETRY: Geometry = Geometry { segment_bytes: SEGMENT };
const INCARNATION: u64 = 0xABCD_EF01_2345_6789;

/// Bodies of records, some with images, from a seed.
fn bodies(seed: u64, count: usize) -> Vec<Vec<u8>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let body = |rng: &mut fastrand::Rng| {
        let mut body = Vec::new();
        let link = TxnLink { id: TxnId(rng.u64(1..500)), prev: 0, undo_next: None };
        match rng.u32(..8) {
            0 => {
                put_head(&mut body, Kind::Commit, Some(link), &[]);
                body.push(7);
            }
            1 => put_head(&mut body, Kind::Pad, None, &[]),
            n => {
                let blocks = if n < 5 { 1 } else { 2 };
                put_change_head(&mut body, Some(link), b"undo", blocks);
                for i in 0..blocks {
                    let mut page = vec![0u8; PAGE_BYTES];
                    // Some compress, some do not.
                    let noisy = rng.usize(100..PAGE_BYTES - 100);
                    page[..noisy].iter_mut().for_each(|b| *b = if n == 2 { rng.u8(..) } else { 42 });
                    let image = rng.bool().then_some((&page[..], noisy..PAGE_BYTES));
                    let id = PageId::new(FileId(17), rng.u32(..1000));
                    put_block(&mut body, id, blocks == 1, i > 0, false, image, &[0x82, 3, b'a', b'b']);
                }
            }
        }
        body
    };
    (0..count).map(|_| body(&mut rng)).collect()
}

/// Segment files from number 5 on that hold these records, and where the log ends.
fn log(bodies: &[Vec<u8>]) -> (Vec<Vec<u8>>, Lsn) {
    let start = GEOMETRY.start_of(5);
    let mut stream = Vec::new();
    for body in bodies {
        let (head, n) = frame_head(body, Lsn(start.0 + stream.len() as u64), INCARNATION);
        stream.extend_from_slice(&head[..n]);
        stream.extend_from_slice(body);
    }
    let end = Lsn(start.0 + stream.len() as u64);
    let files = stream.chunks(GEOMETRY.usable() as usize).enumerate().map(|(i, part)| {
        let header = Header {
            segment_bytes: SEGMENT,
            database_id: 9,
            segment: 5 + i as u64,
            incarnation: INCARNATION,
            prev_end: if i == 0 { Lsn(start.0 - 100) } else { Lsn::ZERO },
            prev_incarnation: if i == 0 { 77 } else { 0 },
            stripped: false,
            epoch: 0,
        };
        let mut file = header.encode().to_vec();
        file.extend_from_slice(part);
        file.resize(SEGMENT as usize, 0);
        file
    });
    (files.collect(), end)
}

/// What a reader makes of segment files: position, end, kind, transaction, pages and ops of each record.
fn read(files: &[Vec<u8>]) -> Vec<String> {
    let mut set = SegmentSet::new();
    for file in files {
        let (file, header) = (file.clone(), Header::decode(file).unwrap());
        set.add(header.segment, Box::new(move || Ok(file.clone())));
    }
    let disk: &dyn Disk = &set;
    let mut reader = LogReader::open(&disk, GEOMETRY, GEOMETRY.start_of(5)).unwrap();
    let mut out = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        let blocks: Vec<_> = r.blocks.iter().map(|b| (b.page, b.init, b.ops)).collect();
        out.push(format!(
            "{} {} {:?} {:?} {:?} {blocks:?} {:?}",
            r.lsn, r.end, r.kind, r.txn, r.undo, r.payload
        ));
    }
    out
}

#[test]
fn a_stripped_log_reads_as_the_same_records_at_the_same_addresses() {
    for seed in 0..30 {
        let (files, end) = log(&bodies(seed, 120));
        let before = read(&files);
        assert_eq!(before.len(), 120, "seed {seed}");
        let (mut filled, mut packed_bytes, mut images) = (Vec::new(), 0, 0);
        for file in &files {
            let mut cut = Cut::from_file(file, EndOfLog::Unknown).unwrap();
            assert_eq!(cut.end, end.min(GEOMETRY.start_of(cut.header.segment + 1)), "seed {seed}");
            images += strip(&mut cut).unwrap().images;
            let packed = pack(&cut, 3, seed % 4).unwrap();
            packed_bytes += packed.len();
            let (again, timeline) = unpack(&packed).unwrap();
            assert_eq!((&again, timeline), (&cut, 3), "seed {seed}");
            filled.push(fill(&again));
        }
        assert_eq!(read(&filled), before, "seed {seed}");
        assert!(images > 20, "seed {seed}");
        assert!(packed_bytes < files.len() * SEGMENT as usize / 2, "seed {seed}: {packed_bytes}");
        assert!(filled.iter().all(|f| Header::decode(f).unwrap().stripped));
    }
}

#[test]
fn a_kept_segment_comes_back_byte_for_byte() {
    let (files, _) = log(&bodies(1, 60));
    for file in &files {
        let cut = Cut::from_file(file, EndOfLog::Unknown).unwrap();
        for level in [0, 1, 19] {
            assert_eq!(&fill(&unpack(&pack(&cut, 1, level).unwrap()).unwrap().0), file);
        }
    }
}

#[test]
fn stripping_again_changes_nothing() {
    let (files, _) = log(&bodies(2, 100));
    for file in &files {
        let mut once = Cut::from_file(file, EndOfLog::Unknown).unwrap();
        let stripped = strip(&mut once).unwrap();
        let packed = pack(&once, 1, 0).unwrap();
        // From the packed form, and from the filled file.
        for bytes in [packed.clone(), fill(&once)] {
            let mut twice = read_segment(bytes, EndOfLog::Unknown).unwrap();
            assert_eq!(strip(&mut twice).unwrap(), stripped);
            assert_eq!(pack(&twice, 1, 0).unwrap(), packed);
        }
    }
}

#[test]
fn a_life_that_ends_within_a_segment_ends_the_cut() {
    let (files, end) = log(&bodies(3, 10));
    let mut file = files[0].clone();
    let cut = Cut::from_file(&file, EndOfLog::Unknown).unwrap();
    assert!(!cut.is_full() && cut.end == end);
    // What a recycled file holds behind it does not matter where the end is known.
    let at = 4096 + (end.0 - GEOMETRY.start_of(5).0) as usize;
    file[at..].fill(0xA5);
    let same = Cut::from_file(&file, EndOfLog::At(end)).unwrap();
    assert_eq!(same, cut);
    assert_eq!(fill(&same), files[0]);
    assert!(Cut::from_file(&file, EndOfLog::At(Lsn(GEOMETRY.start_of(5).0 - 1))).is_err());
}

#[test]
fn an_empty_life_is_an_empty_cut() {
    let (files, _) = log(&bodies(3, 10));
    let mut file = files[0].clone();
    file[4096..].fill(0);
    let mut cut = Cut::from_file(&file, EndOfLog::Unknown).unwrap();
    assert_eq!((cut.end, cut.stream.len()), (GEOMETRY.start_of(5), 0));
    assert_eq!(strip(&mut cut).unwrap(), Stripped::default());
    let (back, _) = unpack(&pack(&cut, 1, 3).unwrap()).unwrap();
    assert_eq!(back, cut);
}

#[test]
fn a_segment_damaged_in_the_middle_is_refused() {
    let (files, end) = log(&bodies(4, 400));
    let mut cut = Cut::from_file(&files[1], EndOfLog::Unknown).unwrap();
    let first = (cut.first.unwrap().0 - cut.start().0) as usize;
    let mut file = files[1].clone();
    file[4096 + first + 6] ^= 1;
    let e = Cut::from_file(&file, EndOfLog::Unknown);
    // Another first record is found behind the damaged one: nothing is lost, as all before it is kept as it is.
    if let Ok(cut) = &e {
        assert_eq!(&fill(cut)[4096..], &file[4096..]);
    }
    let second = cut.frames().unwrap()[1].at;
    let mut file = files[1].clone();
    file[4096 + second + 6] ^= 1;
    assert!(Cut::from_file(&file, EndOfLog::Unknown).unwrap_err().to_string().contains("damaged"));
    let mut known = Cut::from_file(&file, EndOfLog::At(end)).unwrap();
    assert!(strip(&mut known).unwrap_err().to_string().contains("no intact record"));
    cut.stream[second + 6] ^= 1;
    assert!(strip(&mut cut).is_err());
}

#[test]
fn a_record_that_is_not_understood_is_refused() {
    let mut bodies = bodies(5, 10);
    let mut odd = Vec::new();
    put_change_head(&mut odd, None, b"", 1);
    odd.extend([64, 17, 5]);
    bodies.push(odd);
    let (files, _) = log(&bodies);
    let mut cut = Cut::from_file(&files[0], EndOfLog::Unknown).unwrap();
    let before = cut.clone();
    let e = strip(&mut cut).unwrap_err().to_string();
    assert!(e.contains("not understood"), "{e}");
    assert_eq!(cut, before, "a refusal changes nothing");
}

#[test]
fn other_versions_and_foreign_files_are_refused() {
    for bytes in [&b""[..], b"EVKLSEG1", b"\x28\xB5\x2F\xFD", b"PK\x03\x04 something else entirely"] {
        assert!(read_segment(bytes.to_vec(), EndOfLog::Unknown).is_err());
    }
    let (files, _) = log(&bodies(6, 10));
    let cut = Cut::from_file(&files[0], EndOfLog::Unknown).unwrap();
    let mut packed = pack(&cut, 1, 0).unwrap();
    packed[12] = 2;
    let crc = crc32c::crc32c(&packed[12..]);
    packed[8..12].copy_from_slice(&crc.to_le_bytes());
    assert!(unpack(&packed).unwrap_err().to_string().contains("version 2"));
    // A header with a flag that this version does not know.
    let mut file = files[0].clone();
    file[56] = 2;
    let crc = crc32c::crc32c(&file[12..72]);
    file[8..12].copy_from_slice(&crc.to_le_bytes());
    assert!(Cut::from_file(&file, EndOfLog::Unknown).is_err());
}

#[test]
fn damaged_packed_segments_never_panic_nor_pass() {
    let (files, _) = log(&bodies(7, 40));
    let mut cut = Cut::from_file(&files[0], EndOfLog::Unknown).unwrap();
    strip(&mut cut).unwrap();
    let forms = [pack(&cut, 1, 0).unwrap(), pack(&cut, 1, 3).unwrap()];
    for seed in 0..6000u64 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bytes = forms[(seed % 2) as usize].clone();
        for _ in 0..rng.usize(1..4) {
            let at = if rng.bool() { rng.usize(..bytes.len().min(160)) } else { rng.usize(..bytes.len()) };
            bytes[at] = rng.u8(..);
        }
        if rng.u8(..4) == 0 {
            bytes.truncate(rng.usize(..bytes.len()));
        }
        // With the outer checksum made good, the inner checks have to hold.
        if seed % 4 == 0 && bytes.len() > 120 {
            let crc = crc32c::crc32c(&bytes[12..]);
            bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        }
        if let Ok((mut got, _)) = unpack(&bytes) {
            assert_eq!(got.stream, cut.stream, "seed {seed}");
            let _ = strip(&mut got);
            let _ = fill(&got);
        }
    }
}

#[test]
fn damaged_segment_files_never_panic() {
    let (files, _) = log(&bodies(8, 400));
    for seed in 0..1500u64 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut file = files[(seed % 2) as usize].clone();
        for _ in 0..rng.usize(1..6) {
            let at = 72 + rng.usize(..file.len() - 72);
            file[at] = rng.u8(..);
        }
        if let Ok(mut cut) = Cut::from_file(&file, EndOfLog::Unknown) {
            let _ = strip(&mut cut);
            let _ = unpack(&pack(&cut, 1, 0).unwrap());
        }
    }
}

#[test]
fn a_record_longer_than_a_segment_is_kept_whole() {
    let mut bodies = bodies(9, 5);
    let mut long = Vec::new();
    put_head(&mut long, Kind::Pad, None, &[]);
    long.resize(150_000, 3);
    bodies.push(long);
    bodies.extend(self::bodies(10, 5));
    let (files, _) = log(&bodies);
    let filled: Vec<_> = files
        .iter()
        .map(|f| {
            let mut cut = Cut::from_file(f, EndOfLog::Unknown).unwrap();
            strip(&mut cut).unwrap();
            fill(&unpack(&pack(&cut, 1, 3).unwrap()).unwrap().0)
        })
        .collect();
    assert_eq!(read(&filled), read(&files));
    assert_eq!(read(&files).len(), 11);
    assert!(record::framed_len(150_000) > 2 * SEGMENT as usize);
}

/// As stores do while an attempt that was given up is still under way.
#[test]
fn a_name_that_is_refused_although_nothing_has_it_is_tried_again() {
    let store = MemoryStore::default();
    let mut left = 2;
    store.set_faults(Some(Box::new(move |what, _| {
        let is_busy = what == "creating" && left > 0;
        left -= u32::from(is_busy);
        if is_busy { StoreFault::Busy } else { StoreFault::None }
    })));
    put(&store, "a", b"bytes", &|_| Ok(())).unwrap();
    assert_eq!(store.get("a").unwrap().unwrap().0, b"bytes");
    let other = put(&store, "a", b"others", &|_| Ok(()));
    assert!(matches!(other, Err(crate::Error::Corrupt(_))), "{other:?}");
}
