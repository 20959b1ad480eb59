//! Backups laid upon each other: what may be relied on before and while their pages are put back.
//!
//! Invariants
//! 1. Every block of a backup is in it, or is said to be as in its parent, which has it then.
//! 2. No page is newer than the end of its backup.
//!
//! Must not know: where pages go.

use super::chunk::{BlockState, Chunk};
use super::manifest::{BackupChunk, BackupFile, Manifest, chunk_name};
use crate::base::{Error, FileId, Lsn, Result};
use crate::page;
use std::collections::HashMap;

/// A chunk of a layer that has an object.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Number of its layer: 0 stands alone, each of the others is laid upon the one before.
    pub layer: usize,
    /// Its file.
    pub file: FileId,
    /// What the manifest says of it.
    pub chunk: BackupChunk,
    /// Its object.
    pub name: String,
}

/// A chain of backups, the one that stands alone first.
#[derive(Debug)]
pub struct Layers {
    manifests: Vec<Manifest>,
    blocks: Vec<HashMap<u64, u32>>,
}

impl Layers {
    /// `Corrupt`: a part that has no object has no parent either (invariant 1).
    pub fn new(manifests: Vec<Manifest>) -> Result<Layers> {
        let blocks = manifests.iter().map(|m| m.files.iter().map(|f| (f.file, f.blocks)).collect()).collect();
        let layers = Layers { manifests, blocks };
        for (i, m) in layers.manifests.iter().enumerate() {
            for f in &m.files {
                for c in f.chunks.iter().filter(|c| c.bytes == 0) {
                    if layers.in_parent(i, f.file) < c.first + c.blocks {
                        return Err(Error::Corrupt(format!(
                            "backup \"{}\" has blocks {} to {} of file {} neither itself nor from its parent",
                            m.id,
                            c.first,
                            c.first + c.blocks - 1,
                            f.file
                        )));
                    }
                }
            }
        }
        Ok(layers)
    }

    /// Blocks that a layer's parent has of a file.
    fn in_parent(&self, layer: usize, file: u64) -> u32 {
        let parent = layer.checked_sub(1).map(|p| &self.blocks[p]);
        parent.and_then(|b| b.get(&file)).copied().unwrap_or(0)
    }

    /// The last: the backup that is restored.
    pub fn top(&self) -> &Manifest {
        self.manifests.last().expect("a chain has a backup")
    }

    /// All, the one that stands alone first.
    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// Files of the backup that is restored.
    pub fn files(&self) -> &[BackupFile] {
        &self.top().files
    }

    /// What has to be fetched of a layer: nothing of files, or behind the ends of files, that are no longer there.
    pub fn pieces(&self, layer: usize) -> Vec<Piece> {
        let m = &self.manifests[layer];
        let top = self.blocks.last().expect("a chain has a backup");
        let wanted = |f: &BackupFile| top.get(&f.file).copied().unwrap_or(0);
        m.files
            .iter()
            .flat_map(|f| {
                f.chunks.iter().filter(move |c| c.bytes > 0 && c.first < wanted(f)).map(move |c| (f, c))
            })
            .map(|(f, c)| Piece {
                layer,
                file: FileId(f.file),
                chunk: c.clone(),
                name: chunk_name(&m.id, f.file, c.first),
            })
            .collect()
    }

    /// Reads a piece's object, and checks it against the manifest (invariants 1 and 2).
    pub fn decode(&self, piece: &Piece, bytes: &[u8]) -> Result<Chunk> {
        let bad = |why: String| Error::Corrupt(format!("\"{}\": {why}", piece.name));
        let (m, c) = (&self.manifests[piece.layer], &piece.chunk);
        if bytes.len() as u64 != c.bytes || crc32c::crc32c(bytes) != c.crc32c {
            return Err(bad("it is not what the backup's manifest says".into()));
        }
        let chunk = Chunk::decode(bytes).map_err(|e| bad(e.to_string()))?;
        let is = (chunk.file(), chunk.first(), chunk.blocks(), chunk.pages());
        if is != (piece.file, c.first, c.blocks, c.pages) {
            return Err(bad("it holds other blocks than the backup's manifest says".into()));
        }
        let (parent, end) = (self.in_parent(piece.layer, piece.file.0), Lsn::from(m.end));
        for (block, state) in chunk.iter() {
            match state {
                BlockState::Same if block >= parent => {
                    return Err(bad(format!("block {block} is said to be as in a parent that has none")));
                }
                BlockState::Page(bytes) if page::lsn(bytes) > end => {
                    return Err(bad(format!(
                        "block {block} is of {}, behind the backup's end {end}",
                        page::lsn(bytes)
                    )));
                }
                _ => {}
            }
        }
        Ok(chunk)
    }
}
