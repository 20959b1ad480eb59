//! Chunks: the pages of a base backup, up to 16 MiB of a file in one object.
//!
//! One zstd frame (a level of 0 compresses hardly, and is a frame as well) of
//!
//! | width | field (little-endian) |
//! | --- | --- |
//! | 8 | magic `EVKLPAG1` |
//! | 8 | file number |
//! | 4 | first block |
//! | 4 | number of blocks, `n` |
//! | n | for each block a byte: 0 = as in the parent, 1 = zeros, 2 = a page |
//! | 8192 each | the pages, in order |
//!
//! Invariants
//! 1. Every page has its checksum, of its own number; reading refuses any other.
//! 2. Reading is total, its memory bounded by [`CHUNK_BLOCKS`].
//!
//! Must not know: where chunks are kept.

use super::manifest::CHUNK_BLOCKS;
use super::pack::LEVEL_MAX;
use crate::base::codec::{u32_at, u64_at};
use crate::base::{Error, FileId, MAX_FILE_ID, PAGE_BYTES, PageId, Result};
use crate::page;
use std::io::{Read, Write};

const MAGIC: &[u8; 8] = b"EVKLPAG1";
const HEAD: usize = 24;
const SAME: u8 = 0;
const ZEROS: u8 = 1;
const PAGE: u8 = 2;
/// Compressed in one go.
const STEP_BYTES: usize = 16 * PAGE_BYTES;

/// What a chunk says of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState<'a> {
    /// It is as in the parent.
    Same,
    /// It was never written.
    Zeros,
    /// It is this page.
    Page(&'a [u8]),
}

/// A chunk in the making, and one that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    file: FileId,
    first: u32,
    states: Vec<u8>,
    pages: Vec<u8>,
}

impl Chunk {
    /// An empty one for blocks from `first` on.
    pub fn new(file: FileId, first: u32) -> Chunk {
        Chunk { file, first, states: Vec::new(), pages: Vec::new() }
    }

    /// Adds the next block. A page must have its checksum.
    pub fn push(&mut self, state: BlockState<'_>) {
        assert!(self.states.len() < CHUNK_BLOCKS as usize, "a chunk is full (invariant 2)");
        self.states.push(match state {
            BlockState::Same => SAME,
            BlockState::Zeros => ZEROS,
            BlockState::Page(bytes) => {
                assert_eq!(bytes.len(), PAGE_BYTES);
                self.pages.extend_from_slice(bytes);
                PAGE
            }
        });
    }

    /// Its file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Its first block.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Number of its blocks.
    pub fn blocks(&self) -> u32 {
        self.states.len() as u32
    }

    /// Number of its pages.
    pub fn pages(&self) -> u32 {
        (self.pages.len() / PAGE_BYTES) as u32
    }

    /// Whether it says nothing that the parent does not say.
    pub fn is_same(&self) -> bool {
        self.states.iter().all(|s| *s == SAME)
    }

    /// Its blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, BlockState<'_>)> {
        let mut pages = self.pages.chunks_exact(PAGE_BYTES);
        (self.first..).zip(&self.states).map(move |(block, state)| {
            let state = match *state {
                SAME => BlockState::Same,
                ZEROS => BlockState::Zeros,
                _ => BlockState::Page(pages.next().expect("a page for each such state")),
            };
            (block, state)
        })
    }

    /// As it stands in its object. `between` hears of the bytes of each step that took about half a millisecond, and may rest, or end it all.
    pub fn encode(&self, level: u64, between: &mut dyn FnMut(usize) -> Result<()>) -> Result<Vec<u8>> {
        let ctx = |e| Error::io("compressing pages", e);
        let mut head = Vec::with_capacity(HEAD + self.states.len());
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&self.file.0.to_le_bytes());
        head.extend_from_slice(&self.first.to_le_bytes());
        head.extend_from_slice(&self.blocks().to_le_bytes());
        head.extend_from_slice(&self.states);
        // Level 0 is zstd's name for its default.
        let level = if level == 0 { -5 } else { level.min(LEVEL_MAX) as i32 };
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level).map_err(ctx)?;
        encoder.set_pledged_src_size(Some((head.len() + self.pages.len()) as u64)).map_err(ctx)?;
        encoder.write_all(&head).map_err(ctx)?;
        for step in self.pages.chunks(STEP_BYTES) {
            encoder.write_all(step).map_err(ctx)?;
            between(step.len())?;
        }
        encoder.finish().map_err(ctx)
    }

    /// Reads one (invariants 1 and 2).
    pub fn decode(bytes: &[u8]) -> Result<Chunk> {
        let bad = |why: &str| Error::corrupt(format!("a chunk of a backup: {why}"));
        let ctx = |e: std::io::Error| bad(&e.to_string());
        let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(ctx)?.single_frame();
        let mut head = [0; HEAD];
        decoder.read_exact(&mut head).map_err(ctx)?;
        let (file, first, blocks) = (FileId(u64_at(&head, 8)), u32_at(&head, 16), u32_at(&head, 20));
        if &head[..8] != MAGIC
            || blocks == 0
            || blocks > CHUNK_BLOCKS
            || first > u32::MAX - blocks
            || !(1..MAX_FILE_ID).contains(&file.0)
        {
            return Err(bad("not one, or of another version"));
        }
        let mut states = vec![0; blocks as usize];
        decoder.read_exact(&mut states).map_err(ctx)?;
        if states.iter().any(|s| *s > PAGE) {
            return Err(bad("a block of an unknown kind"));
        }
        let wanted = states.iter().filter(|s| **s == PAGE).count() * PAGE_BYTES;
        let mut pages = Vec::with_capacity(wanted);
        decoder.by_ref().take(wanted as u64 + 1).read_to_end(&mut pages).map_err(ctx)?;
        if pages.len() != wanted || !decoder.finish().is_empty() {
            return Err(bad("its length is not what its blocks need"));
        }
        let chunk = Chunk { file, first, states, pages };
        for (block, state) in chunk.iter() {
            if let BlockState::Page(bytes) = state
                && !page::verify(bytes, PageId::new(file, block))
            {
                return Err(bad(&format!("block {block} of file {} has a wrong checksum", file.0)));
            }
        }
        Ok(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(block: u32, fill: u8) -> Vec<u8> {
        let mut bytes = vec![fill; PAGE_BYTES];
        page::seal(&mut bytes, PageId::new(FileId(20), block));
        bytes
    }

    fn chunk() -> Chunk {
        let mut c = Chunk::new(FileId(20), 100);
        for state in [BlockState::Same, BlockState::Page(&page(101, 7)), BlockState::Zeros] {
            c.push(state);
        }
        c.push(BlockState::Page(&page(103, 9)));
        c
    }

    #[test]
    fn what_goes_in_comes_out() {
        for level in [0, 1, 19] {
            let c = chunk();
            assert_eq!(Chunk::decode(&c.encode(level, &mut |_| Ok(())).unwrap()).unwrap(), c);
        }
        let states: Vec<_> = chunk().iter().map(|(b, s)| (b, s == BlockState::Same)).collect();
        assert_eq!(states, [(100, true), (101, false), (102, false), (103, false)]);
        assert_eq!((chunk().blocks(), chunk().pages(), chunk().is_same()), (4, 2, false));
    }

    #[test]
    fn damaged_bytes_are_errors() {
        let good = chunk().encode(0, &mut |_| Ok(())).unwrap();
        assert!(Chunk::decode(&[]).is_err() && Chunk::decode(&good[..good.len() - 1]).is_err());
        let plain = zstd::bulk::decompress(&good, 1 << 20).unwrap();
        for at in 0..plain.len() {
            let mut plain = plain.clone();
            plain[at] ^= 0x55;
            let read = Chunk::decode(&zstd::bulk::compress(&plain, -5).unwrap());
            assert!(read.is_err(), "byte {at}");
        }
    }
}
