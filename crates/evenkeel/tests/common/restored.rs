//! The simplest restore there is: the pages of a backup in memory, and the archived log applied to them, record by record.

use evenkeel::archive::{
    self, ArchiveStore, BlockState, Chunk, Manifest, MemoryStore, chunk_name, fill, unpack,
};
use evenkeel::base::{FileId, PageId, PartitionCount};
use evenkeel::io::{Access, Disk, OpenMode, SimDisk, read_exact_at};
use evenkeel::wal::files::SegmentSet;
use evenkeel::wal::reader::LogReader;
use evenkeel::wal::record::{Kind, Record};
use evenkeel::wal::segment::Geometry;
use evenkeel::{Lsn, PAGE_BYTES, page};
use std::collections::{BTreeMap, BTreeSet};

/// Pages by number; what was never written is not there.
pub type Pages = BTreeMap<PageId, Vec<u8>>;

/// Pages of a backup, those of its parents beneath. Asserts what every backup keeps: whole pages, none newer than its end.
pub fn pages_of(store: &MemoryStore, m: &Manifest) -> Pages {
    let mut below = match &m.parent {
        Some(parent) => pages_of(store, &archive::manifest(store, parent).unwrap()),
        None => Pages::new(),
    };
    let mut pages = Pages::new();
    for f in &m.files {
        for c in &f.chunks {
            let take_below = |below: &mut Pages, pages: &mut Pages, id| {
                if let Some(page) = below.remove(&id) {
                    assert!(page::lsn(&page) <= m.end.into(), "{id}");
                    pages.insert(id, page);
                }
            };
            if c.bytes == 0 {
                assert!(m.parent.is_some() && c.pages == 0);
                (c.first..c.first + c.blocks)
                    .for_each(|b| take_below(&mut below, &mut pages, PageId::new(FileId(f.file), b)));
                continue;
            }
            let (bytes, _) =
                store.get(&chunk_name(&m.id, f.file, c.first)).unwrap().expect("its chunk is there");
            assert_eq!((bytes.len() as u64, crc32c::crc32c(&bytes)), (c.bytes, c.crc32c));
            let chunk = Chunk::decode(&bytes).expect("every page has its checksum");
            assert_eq!((chunk.file().0, chunk.first()), (f.file, c.first));
            assert_eq!((chunk.blocks(), chunk.pages()), (c.blocks, c.pages));
            for (block, state) in chunk.iter() {
                let id = PageId::new(chunk.file(), block);
                match state {
                    BlockState::Same => {
                        assert!(m.parent.is_some());
                        take_below(&mut below, &mut pages, id);
                    }
                    BlockState::Zeros => {}
                    BlockState::Page(bytes) => {
                        let lsn = page::lsn(bytes);
                        assert!(lsn <= m.end.into(), "{id} is of {lsn}, behind the backup's end");
                        pages.insert(id, bytes.to_vec());
                    }
                }
            }
        }
    }
    pages
}

/// The archived log.
pub fn log_of(store: &MemoryStore, timeline: u32) -> SegmentSet {
    let mut set = SegmentSet::new();
    let mut names = store.list(&archive::folder(timeline)).unwrap();
    // The finished form of a segment before its longest part.
    names.sort_by_key(|n| (n.ends_with(".partial"), std::cmp::Reverse(n.clone())));
    for name in names {
        let (cut, _) = unpack(&store.get(&name).unwrap().unwrap().0).unwrap();
        set.add(cut.header.segment, Box::new(move || Ok(fill(&cut))));
    }
    set
}

/// Applies the log to a backup's pages, to its end; gives that.
pub fn redo(m: &Manifest, pages: &mut Pages, log: &SegmentSet) -> Lsn {
    let geometry = Geometry { segment_bytes: m.segment_bytes };
    let partitions = PartitionCount::new(m.partitions).unwrap();
    let disk: &dyn Disk = log;
    let mut reader = LogReader::open(&disk, geometry, m.log_needed.into()).unwrap();
    let mut dropped = Vec::new();
    let mut missing = BTreeSet::new();
    while let Some(r) = reader.next().unwrap() {
        match r.kind {
            Kind::Change => change(m, partitions, pages, &r, &dropped, &mut missing),
            Kind::DropFile => {
                let file = FileId(varint(r.payload).0);
                pages.retain(|id, _| id.file != file);
                missing.retain(|id: &PageId| id.file != file);
                dropped.push(file);
            }
            Kind::Truncate => {
                let (file, rest) = varint(r.payload);
                let (blocks, _) = varint(rest);
                // A page may have been copied after the file had grown again.
                let stays = |id: &PageId| id.file != FileId(file) || u64::from(id.block.0) < blocks;
                pages.retain(|id, page| stays(id) || page::lsn(page) > r.end);
                missing.retain(stays);
            }
            _ => {}
        }
    }
    assert!(missing.is_empty(), "changes of pages that are neither there nor were dropped: {missing:?}");
    reader.position()
}

fn change(
    m: &Manifest,
    partitions: PartitionCount,
    pages: &mut Pages,
    r: &Record<'_>,
    dropped: &[FileId],
    missing: &mut BTreeSet<PageId>,
) {
    for b in &r.blocks {
        if r.lsn < m.redo[partitions.of(b.page)].into() || dropped.contains(&b.page.file) {
            continue;
        }
        if b.init || b.image.is_some() {
            let mut page = vec![0; PAGE_BYTES];
            if let Some(image) = &b.image {
                image.restore(&mut page).unwrap();
            }
            page::apply(&mut page, b.ops).unwrap();
            page::set_lsn(&mut page, r.end);
            pages.insert(b.page, page);
            missing.remove(&b.page);
        } else if let Some(page) = pages.get_mut(&b.page) {
            if page::lsn(page) < r.end {
                page::apply(page, b.ops).unwrap_or_else(|e| panic!("{} at {}: {e}", b.page, r.lsn));
                page::set_lsn(page, r.end);
            }
        } else {
            missing.insert(b.page);
        }
    }
}

fn varint(bytes: &[u8]) -> (u64, &[u8]) {
    let mut n = 0;
    for (i, b) in bytes.iter().enumerate() {
        n |= u64::from(b & 0x7f) << (7 * i);
        if b & 0x80 == 0 {
            return (n, &bytes[i + 1..]);
        }
    }
    panic!("a varint without end");
}

/// Pages of a database that was shut down cleanly.
pub fn pages_at_home(disk: &SimDisk) -> Pages {
    let mut pages = Pages::new();
    for name in disk.list("data").unwrap() {
        let file = FileId(name.parse().unwrap());
        let handle = disk.open(&format!("data/{name}"), OpenMode::Existing, Access::Data).unwrap();
        for block in 0..(handle.len().unwrap() / PAGE_BYTES as u64) as u32 {
            let id = PageId::new(file, block);
            let mut bytes = vec![0; PAGE_BYTES];
            read_exact_at(&*handle, &mut bytes, id.offset()).unwrap();
            assert!(page::verify(&bytes, id), "{id}");
            if bytes.iter().any(|b| *b != 0) {
                pages.insert(id, bytes);
            }
        }
    }
    pages
}

/// A restored database must have every page that the real one has, the same but for what has no meaning.
pub fn assert_same(restored: &Pages, real: &Pages, context: &str) {
    let plain = |page: &[u8]| {
        let mut page = page.to_vec();
        let hole = page::hole(&page);
        page[hole].fill(0);
        page[..4].fill(0); // the checksum
        page
    };
    for (id, page) in real {
        let Some(mine) = restored.get(id) else {
            panic!("{context}: {id} of {} is missing", page::lsn(page));
        };
        assert_eq!(page::lsn(mine), page::lsn(page), "{context}: {id}");
        assert!(plain(mine) == plain(page), "{context}: {id} is another page");
    }
}
