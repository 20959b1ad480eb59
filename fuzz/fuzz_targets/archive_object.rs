//! Any bytes as what an archive holds: a manifest, the pages of a backup, a packed segment, a timeline's beginning. What is read is written and read again.
#![no_main]

use evenkeel::Lsn;
use evenkeel::archive::{Chunk, Manifest, MemoryStore, fill, histories, pack, strip, unpack};
use evenkeel::base::{FileId, PageId};
use evenkeel::wal::segment::Header;
use libfuzzer_sys::fuzz_target;

const HEAD: usize = 120;
const PAGE: usize = 8192;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 5 {
        0 => manifest(data),
        1 => _ = Chunk::decode(data).map(|c| chunk(&c)),
        2 => _ = Chunk::decode(&zstd::bulk::compress(&with_checksums(data), 1).unwrap()).map(|c| chunk(&c)),
        3 => segment(data),
        _ => {
            let store = MemoryStore::new();
            store.overwrite("timelines/00000002.json", data.to_vec());
            let _ = histories(&store);
        }
    }
});

fn manifest(data: &[u8]) {
    if let Ok(m) = Manifest::decode(data) {
        assert_eq!(Manifest::decode(&m.encode()).unwrap(), m);
    }
}

fn chunk(c: &Chunk) {
    assert_eq!(Chunk::decode(&c.encode(0, &mut |_| Ok(())).unwrap()).unwrap(), *c);
}

/// A plain chunk whose pages have their checksums.
fn with_checksums(data: &[u8]) -> Vec<u8> {
    let mut plain = data.to_vec();
    let Some(head) = data.get(..24) else { return plain };
    plain[..8].copy_from_slice(b"EVKLPAG1");
    let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
    let file = u64::from_le_bytes(head[8..16].try_into().unwrap());
    let (first, blocks) = (number(16), number(20) as usize);
    let states: Vec<u8> = data.iter().skip(24).take(blocks).copied().collect();
    let mut at = 24 + states.len();
    for (i, _) in states.iter().enumerate().filter(|(_, s)| **s == 2) {
        let Some(page) = plain.get_mut(at..at + PAGE) else { break };
        evenkeel::page::seal(page, PageId::new(FileId(file), first.wrapping_add(i as u32)));
        at += PAGE;
    }
    plain
}

/// A packed segment with a header that fits and with its checksum, the rest as it comes.
fn segment(data: &[u8]) {
    let _ = unpack(data);
    let mut bytes = data.to_vec();
    if bytes.len() < HEAD {
        return;
    }
    let stripped = bytes[0] & 1 == 1;
    let header = Header {
        segment_bytes: 64 << 10,
        database_id: 9,
        segment: 5,
        incarnation: 7,
        prev_end: Lsn::ZERO,
        prev_incarnation: 0,
        stripped,
    };
    bytes[..8].copy_from_slice(b"EVKLSEG1");
    bytes[12..16].copy_from_slice(&1u32.to_le_bytes());
    bytes[16..88].copy_from_slice(&header.encode()[..72]);
    let follow = (bytes.len() - HEAD) as u64;
    bytes[112..120].copy_from_slice(&follow.to_le_bytes());
    let sum = crc32c::crc32c(&bytes[12..]);
    bytes[8..12].copy_from_slice(&sum.to_le_bytes());
    let Ok((mut cut, timeline)) = unpack(&bytes) else { return };
    let again = unpack(&pack(&cut, timeline, 0).unwrap()).unwrap();
    assert_eq!((fill(&again.0), again.1), (fill(&cut), timeline));
    let _ = cut.records(&mut |_| {});
    if strip(&mut cut).is_ok() {
        let stripped = unpack(&pack(&cut, timeline, 1).unwrap()).unwrap().0;
        assert_eq!(fill(&stripped), fill(&cut));
    }
}
