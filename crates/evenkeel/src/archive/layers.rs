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
                        return Err(Error::corrupt(format!(
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
        let bad = |why: String| Error::corrupt(format!("\"{}\": {why}", piece.name));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Position;
    use crate::base::{PAGE_BYTES, PageId};

    const END: Lsn = Lsn(20_000);

    /// A page, as of a position.
    fn page_of(block: u32, lsn: u64) -> Vec<u8> {
        let mut bytes = vec![1; PAGE_BYTES];
        page::set_lsn(&mut bytes, Lsn(lsn));
        page::seal(&mut bytes, PageId::new(FileId(17), block));
        bytes
    }

    /// The object of a chunk of file 17 from block 0 on: a page of each position, or what the parent has.
    fn object(states: &[Option<u64>]) -> Vec<u8> {
        let mut chunk = Chunk::new(FileId(17), 0);
        for (block, state) in (0..).zip(states) {
            match state {
                Some(lsn) => chunk.push(BlockState::Page(&page_of(block, *lsn))),
                None => chunk.push(BlockState::Same),
            }
        }
        chunk.encode(1, &mut |_| Ok(())).unwrap()
    }

    /// A backup of file 17, one chunk; no bytes: without an object.
    fn backup(id: &str, parent: Option<&str>, blocks: u32, pages: u32, bytes: &[u8]) -> Manifest {
        let (len, crc32c) = (bytes.len() as u64, crc32c::crc32c(bytes));
        let chunk = BackupChunk { first: 0, blocks, pages, bytes: len, crc32c };
        Manifest {
            version: 1,
            id: id.into(),
            label: String::new(),
            database_id: 7,
            timeline: 1,
            parent: parent.map(String::from),
            begun_ms: 1,
            ended_ms: 2,
            segment_bytes: 1 << 16,
            partitions: 1,
            redo: vec![Position(10_000)],
            round: Position(0),
            log_needed: Position(10_000),
            next_file: 18,
            next_txn: 1,
            start: Position(11_000),
            end: END.into(),
            end_incarnation: 3,
            protection: "off".into(),
            files: vec![BackupFile { file: 17, blocks, chunks: vec![chunk] }],
        }
    }

    fn why<T: std::fmt::Debug>(result: Result<T>) -> String {
        match result {
            Err(Error::Corrupt(why)) => why.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_object_is_what_the_manifest_says_and_nothing_of_the_same_shape() {
        let bytes = object(&[Some(100), Some(200)]);
        // As long, too.
        let mut others = (201..500).map(|lsn| object(&[Some(100), Some(lsn)]));
        let other = others.find(|other| other.len() == bytes.len()).expect("they compress alike");
        let layers = Layers::new(vec![backup("a", None, 2, 2, &bytes)]).unwrap();
        let piece = layers.pieces(0).remove(0);
        assert_eq!(layers.decode(&piece, &bytes).unwrap().blocks(), 2);
        assert!(why(layers.decode(&piece, &other)).contains(&piece.name));
        let shorter = object(&[Some(100)]);
        let layers = Layers::new(vec![backup("a", None, 2, 2, &shorter)]).unwrap();
        assert!(why(layers.decode(&piece_of(&layers), &shorter)).contains("other blocks"));
    }

    fn piece_of(layers: &Layers) -> Piece {
        layers.pieces(layers.manifests().len() - 1).remove(0)
    }

    /// Invariant 2: replay ends at or behind the backup's end, so it could not bring such a page to the moment.
    #[test]
    fn a_page_behind_the_end_of_its_backup_is_refused() {
        for (lsn, good) in [(END.0, true), (END.0 + 1, false)] {
            let bytes = object(&[Some(lsn)]);
            let layers = Layers::new(vec![backup("a", None, 1, 1, &bytes)]).unwrap();
            assert_eq!(layers.decode(&piece_of(&layers), &bytes).is_ok(), good, "{lsn}");
        }
    }

    /// Invariant 1.
    #[test]
    fn a_block_that_is_as_in_the_parent_is_in_the_parent() {
        let first = object(&[Some(100), Some(100)]);
        let parent = || backup("a", None, 2, 2, &first);
        for (states, good) in [(vec![Some(200), None], true), (vec![Some(200), Some(200), None], false)] {
            let bytes = object(&states);
            let pages = states.iter().flatten().count() as u32;
            let child = backup("b", Some("a"), states.len() as u32, pages, &bytes);
            let layers = Layers::new(vec![parent(), child]).unwrap();
            assert_eq!(layers.decode(&piece_of(&layers), &bytes).is_ok(), good, "{states:?}");
        }
        // A chunk without an object is as in the parent throughout.
        assert!(Layers::new(vec![parent(), backup("b", Some("a"), 2, 0, &[])]).is_ok());
        assert!(why(Layers::new(vec![parent(), backup("b", Some("a"), 3, 0, &[])])).contains("neither"));
        assert!(why(Layers::new(vec![backup("a", None, 2, 0, &[])])).contains("neither"));
    }

    #[test]
    fn of_a_file_that_is_gone_or_shorter_nothing_is_fetched_in_vain() {
        let first = object(&[Some(100), Some(100)]);
        let mut child = backup("b", Some("a"), 2, 0, &[]);
        let layers = Layers::new(vec![backup("a", None, 2, 2, &first), child.clone()]).unwrap();
        assert_eq!((layers.pieces(0).len(), layers.pieces(1).len()), (1, 0));
        child.files.clear();
        let layers = Layers::new(vec![backup("a", None, 2, 2, &first), child]).unwrap();
        assert!(layers.pieces(0).is_empty());
    }
}
