//! Packed segments: the files of an archive. One cut each, its holes left out.
//!
//! | offset | width | field (little-endian) |
//! | --- | --- | --- |
//! | 0 | 8 | magic `EVKLSEG1` |
//! | 8 | 4 | CRC32C of all bytes from 12 on |
//! | 12 | 4 | version, 1 |
//! | 16 | 72 | the segment's header (`wal/FORMAT.md`); its flags say whether images were stripped |
//! | 88 | 8 | LSN where the log ends in the segment |
//! | 96 | 8 | LSN of the first record that begins and ends in it; 0 = there is none |
//! | 104 | 4 | CRC32C of the stream's bytes as filled |
//! | 108 | 4 | timeline |
//! | 112 | 8 | bytes that follow |
//! | 120 | … | pieces: a varint `n`, `n` bytes of the stream, a varint `z`, which stands for `z` zeros; again and again up to the end of the log |
//!
//! The whole may be one zstd frame.
//!
//! Invariants
//! 1. Unpacking is total: any bytes give a cut or an error, with memory bounded by the segment size that the header says, at most 1 GiB.
//! 2. Packing is a function of cut, timeline and level.

use super::cut::{Cut, check_size};
use crate::base::codec::{Reader, put_varint, u32_at, u64_at};
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::{HEADER_BYTES, Header};
use std::io::Read;

const MAGIC: &[u8; 8] = b"EVKLSEG1";
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const VERSION: u32 = 1;
const HEAD: usize = 120;
/// Highest compression level; 0 is none.
pub const LEVEL_MAX: u64 = 19;

/// Whether bytes are a packed segment's, to judge by how they begin.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(&ZSTD_MAGIC)
}

/// The file of a cut, compressed unless `level` is 0.
pub fn pack(cut: &Cut, timeline: u32, level: u64) -> Result<Vec<u8>> {
    let mut out = vec![0; HEAD];
    let mut done = 0;
    for hole in &cut.holes {
        put_piece(&mut out, &cut.stream[done..hole.start], hole.len());
        done = hole.end;
    }
    if done < cut.stream.len() {
        put_piece(&mut out, &cut.stream[done..], 0);
    }
    let pieces = (out.len() - HEAD) as u64;
    out[..8].copy_from_slice(MAGIC);
    out[12..16].copy_from_slice(&VERSION.to_le_bytes());
    out[16..88].copy_from_slice(&cut.header.encode()[..HEADER_BYTES]);
    out[88..96].copy_from_slice(&cut.end.0.to_le_bytes());
    out[96..104].copy_from_slice(&cut.first.unwrap_or(Lsn::ZERO).0.to_le_bytes());
    out[104..108].copy_from_slice(&crc32c::crc32c(&cut.stream).to_le_bytes());
    out[108..112].copy_from_slice(&timeline.to_le_bytes());
    out[112..120].copy_from_slice(&pieces.to_le_bytes());
    let crc = crc32c::crc32c(&out[12..]);
    out[8..12].copy_from_slice(&crc.to_le_bytes());
    if level == 0 {
        return Ok(out);
    }
    zstd::bulk::compress(&out, level.min(LEVEL_MAX) as i32)
        .map_err(|e| Error::io("compressing a log segment", e))
}

fn put_piece(out: &mut Vec<u8>, bytes: &[u8], zeros: usize) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
    put_varint(out, zeros as u64);
}

/// Reads a packed segment: the cut and its timeline.
pub fn unpack(bytes: &[u8]) -> Result<(Cut, u32)> {
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return unpack_plain(bytes);
    }
    let ctx = |e| Error::corrupt(format!("packed log segment: {e}"));
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(ctx)?.single_frame();
    let mut plain = vec![0; HEAD];
    decoder.read_exact(&mut plain).map_err(ctx)?;
    let header = read_header(&plain)?;
    // The pieces hold the stream's bytes and two lengths each: far less than as much again.
    let limit = 2 * header.segment_bytes;
    decoder.by_ref().take(limit).read_to_end(&mut plain).map_err(ctx)?;
    if !decoder.finish().is_empty() {
        return Err(bad("bytes follow it"));
    }
    unpack_plain(&plain)
}

fn bad(why: &str) -> Error {
    Error::corrupt(format!("packed log segment: {why}"))
}

fn read_header(head: &[u8]) -> Result<Header> {
    if head.len() < HEAD || &head[..8] != MAGIC {
        return Err(bad("not one"));
    }
    if u32_at(head, 12) != VERSION {
        return Err(bad(&format!("version {} is not {VERSION}", u32_at(head, 12))));
    }
    let header = Header::decode(&head[16..88]).ok_or_else(|| bad("the segment's header is damaged"))?;
    check_size(&header)?;
    Ok(header)
}

fn unpack_plain(bytes: &[u8]) -> Result<(Cut, u32)> {
    let header = read_header(bytes)?;
    if u32_at(bytes, 8) != crc32c::crc32c(&bytes[12..]) || u64_at(bytes, 112) != (bytes.len() - HEAD) as u64 {
        return Err(bad("damaged"));
    }
    let mut cut =
        Cut { header, first: None, end: Lsn(u64_at(bytes, 88)), stream: Vec::new(), holes: Vec::new() };
    let (start, last) = (cut.start(), cut.geometry().start_of(header.segment + 1));
    let first = Lsn(u64_at(bytes, 96));
    if cut.end < start || cut.end > last {
        return Err(bad("the log's end lies outside"));
    }
    if first != Lsn::ZERO {
        if first < start || first > cut.end {
            return Err(bad("the first record lies outside"));
        }
        cut.first = Some(first);
    }
    let len = (cut.end.0 - start.0) as usize;
    let mut r = Reader::new(&bytes[HEAD..], "packed log segment");
    while cut.stream.len() < len {
        let n = r.varint_max(len - cut.stream.len())?;
        cut.stream.extend_from_slice(r.take(n)?);
        let zeros = r.varint_max(len - cut.stream.len())?;
        if n + zeros == 0 {
            return Err(bad("an empty piece"));
        }
        if zeros > 0 {
            cut.holes.push(cut.stream.len()..cut.stream.len() + zeros);
            cut.stream.resize(cut.stream.len() + zeros, 0);
        }
    }
    if !r.is_empty() {
        return Err(bad("pieces follow the end"));
    }
    if crc32c::crc32c(&cut.stream) != u32_at(bytes, 104) {
        return Err(bad("its stream does not have its checksum"));
    }
    if !header.stripped && !cut.holes.is_empty() {
        return Err(bad("holes in a segment that was not stripped"));
    }
    Ok((cut, u32_at(bytes, 108)))
}
