//! Putting the pages of a base backup into their files: the one that stands alone first, then what was laid upon it.
//!
//! Invariants
//! 1. A layer is written when the one below is complete: the newest copy of a page stays.
//! 2. Every file is as long as the restored backup says, and durable at the end.
//!
//! Must not know: how objects are named or checked.

use super::fetch::Fetch;
use crate::archive::{BlockState, Chunk, Layers, Piece};
use crate::base::sync::{self, AtomicUsize, Mutex, Ordering};
use crate::base::{Error, FileId, PAGE_BYTES, PageId, Result};
use crate::io::{AlignedBuf, File, write_all_at};
use crate::pool::Files;
use std::collections::HashMap;
use std::io::IoSlice;

/// Pages written in one call: 1 MiB.
const RUN_PAGES: usize = 128;

/// Does it. `done` is told of each object's bytes, from whichever thread.
pub(super) fn lay_down(
    files: &Files,
    fetch: &Fetch,
    layers: &Layers,
    workers: usize,
    done: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    let mut blocks = HashMap::new();
    for f in layers.files() {
        let file = FileId(f.file);
        let handle = files
            .create(file)?
            .ok_or_else(|| Error::corrupt(format!("the folder has a data file {} already", f.file)))?;
        // Space first: a disk that is too small is found out before hours of work.
        handle
            .allocate(0, u64::from(f.blocks) * PAGE_BYTES as u64)
            .map_err(|e| Error::io(format!("obtaining space for data file {}", f.file), e))?;
        blocks.insert(file, f.blocks);
    }
    for layer in 0..layers.manifests().len() {
        let pieces = layers.pieces(layer);
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        let work = || {
            while failure.lock().is_none()
                && let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed))
            {
                match lay_piece(files, fetch, layers, piece, blocks[&piece.file]) {
                    Ok(()) => done(piece.chunk.bytes),
                    Err(e) => _ = failure.lock().get_or_insert(e),
                }
            }
        };
        sync::scope(|scope| {
            for _ in 1..workers.min(pieces.len()) {
                scope.spawn(work);
            }
            work();
        });
        if let Some(e) = failure.into_inner() {
            return Err(e);
        }
    }
    for file in blocks.keys() {
        files.sync_created(*file)?;
    }
    Ok(())
}

fn lay_piece(files: &Files, fetch: &Fetch, layers: &Layers, piece: &Piece, blocks: u32) -> Result<()> {
    let Some(bytes) = fetch.get(&piece.name)? else {
        return Err(Error::corrupt(format!("the backup is damaged: \"{}\" is missing", piece.name)));
    };
    let chunk = layers.decode(piece, &bytes)?;
    drop(bytes);
    let handle = files.must_get(piece.file)?;
    write_chunk(&*handle, &chunk, blocks, piece.layer > 0)
        .map_err(|e| Error::io(format!("writing data file {}", piece.file.0), e))
}

/// Writes a chunk's blocks below `blocks`; zeros only over what may be there already.
pub fn write_chunk(file: &dyn File, chunk: &Chunk, blocks: u32, over: bool) -> std::io::Result<()> {
    let mut run = AlignedBuf::new(RUN_PAGES * PAGE_BYTES);
    let (mut first, mut len) = (0, 0);
    let flush = |run: &AlignedBuf, first: u32, len: usize| {
        if len == 0 {
            return Ok(());
        }
        let at = PageId::new(chunk.file(), first).offset();
        write_all_at(file, &mut [IoSlice::new(&run[..len * PAGE_BYTES])], at)
    };
    for (block, state) in chunk.iter().take_while(|(block, _)| *block < blocks) {
        let bytes = match state {
            BlockState::Page(bytes) => Some(bytes),
            BlockState::Zeros if over => None,
            BlockState::Zeros | BlockState::Same => continue,
        };
        if len == RUN_PAGES || (len > 0 && first + len as u32 != block) {
            flush(&run, first, len)?;
            len = 0;
        }
        if len == 0 {
            first = block;
        }
        let place = &mut run[len * PAGE_BYTES..(len + 1) * PAGE_BYTES];
        match bytes {
            Some(bytes) => place.copy_from_slice(bytes),
            None => place.fill(0),
        }
        len += 1;
    }
    flush(&run, first, len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Access, Disk, OpenMode, SimDisk, SimOptions, read_exact_at};

    /// First bytes of the pages of a file that had so many pages of sevens, after a chunk was laid upon it.
    fn laid(pages: usize, blocks: u32, over: bool, states: &[Option<u8>]) -> Vec<u8> {
        let disk = SimDisk::new(SimOptions::default());
        let file = disk.open("file", OpenMode::CreateNew, Access::Buffered).unwrap();
        write_all_at(&*file, &mut [IoSlice::new(&vec![7; pages * PAGE_BYTES])], 0).unwrap();
        let mut chunk = Chunk::new(FileId(1), 1);
        for state in states {
            match state {
                Some(0) => chunk.push(BlockState::Zeros),
                Some(n) => chunk.push(BlockState::Page(&[*n; PAGE_BYTES])),
                None => chunk.push(BlockState::Same),
            }
        }
        write_chunk(&*file, &chunk, blocks, over).unwrap();
        let mut all = vec![0; file.len().unwrap() as usize];
        read_exact_at(&*file, &mut all, 0).unwrap();
        all.chunks_exact(PAGE_BYTES)
            .map(|page| {
                assert!(page.iter().all(|b| *b == page[0]), "whole pages");
                page[0]
            })
            .collect()
    }

    #[test]
    fn a_layer_replaces_what_it_has_and_leaves_what_is_the_same() {
        let states = [Some(1), None, Some(0), Some(2), Some(3)];
        assert_eq!(
            laid(7, 7, true, &states),
            [7, 1, 7, 0, 2, 3, 7],
            "no page of the parent shows through zeros"
        );
        let long: Vec<_> = (0..300).map(|n| Some((n % 5 + 1) as u8)).collect();
        let expected: Vec<u8> = [7].into_iter().chain(long.iter().flatten().copied()).collect();
        assert_eq!(laid(301, 301, true, &long), expected, "longer than a write");
    }

    #[test]
    fn what_lies_behind_the_end_of_the_restored_file_is_not_written() {
        assert_eq!(laid(3, 3, false, &[Some(1), Some(2), Some(3), Some(0)]), [7, 1, 2]);
    }
}
