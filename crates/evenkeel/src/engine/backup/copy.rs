//! Copying the files of a backup, chunk by chunk, what an earlier attempt has stored left out.
//!
//! Must not know: how a backup begins and ends.

use super::super::core::Core;
use super::watch::{Watch, again, pause, put};
use super::{BackupOptions, BackupPhase};
use crate::archive::{
    self, ArchiveStore, BackupChunk, BackupFile, CHUNK_BLOCKS, Chunk, Copier, Manifest, Parent, Uploader,
    WORKERS, alive_name, backup_folder, chunk_name,
};
use crate::base::clock;
use crate::base::sync::{self, AtomicBool, Instant, Ordering};
use crate::base::{Error, FileId, PAGE_BYTES, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How often a backup says that it is still being made: retention leaves it alone for longer than that.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3600);

/// Stage 2: the files.
pub fn copy(
    core: &Core,
    store: &dyn ArchiveStore,
    label: &Manifest,
    resumed: bool,
    options: &BackupOptions,
    watch: &mut Watch<'_>,
) -> Result<Vec<BackupFile>> {
    let parent = match &label.parent {
        Some(id) => Some(Parent::new(&archive::manifest(store, id)?)),
        None => None,
    };
    let stopped = AtomicBool::new(false);
    let pause = |time| pause(core, &stopped, time);
    let rate = if core.has_threads { options.rate_bytes_per_s } else { 0 };
    let uploader = Uploader::new(store, &label.id, options.level, rate, &pause);
    let mut copying = Copying {
        core,
        store,
        label,
        parent,
        uploader: &uploader,
        copier: Copier::new(&core.env.pool, || core.env.wal.next_lsn()),
        there: BTreeSet::new(),
        files: BTreeMap::new(),
        watch,
    };
    if resumed {
        copying.there = again(core, || store.list(&backup_folder(&label.id)))?.into_iter().collect();
        copying.sign_of_life()?;
    }
    let done = if core.has_threads {
        sync::scope(|s| {
            for n in 0..WORKERS {
                let spawned =
                    sync::Builder::new().name(format!("backup-{n}")).spawn_scoped(s, || uploader.work());
                if let Err(e) = spawned {
                    uploader.close();
                    return Err(Error::io("starting a thread", e));
                }
            }
            let done = copying.run();
            stopped.store(true, Ordering::Relaxed);
            uploader.close();
            done
        })
    } else {
        copying.run()
    };
    done?;
    for (file, chunk) in uploader.take_done() {
        copying.files.entry(file).or_default().push(chunk);
    }
    Ok(assemble(copying.files))
}

struct Copying<'a, 'w> {
    core: &'a Core,
    store: &'a dyn ArchiveStore,
    label: &'a Manifest,
    parent: Option<Parent>,
    uploader: &'a Uploader<'a>,
    copier: Copier<'a>,
    /// Objects of an earlier attempt.
    there: BTreeSet<String>,
    files: BTreeMap<FileId, Vec<BackupChunk>>,
    watch: &'a mut Watch<'w>,
}

impl Copying<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let files = self.core.env.pool.files().list()?;
        let mut lengths = Vec::with_capacity(files.len());
        for file in files {
            // Dropped meanwhile: the log says so.
            if let Some(blocks) = Copier::blocks(self.core.env.pool.files(), file)? {
                lengths.push((file, blocks));
            }
        }
        let shown = &mut self.watch.shown;
        shown.files = lengths.len() as u64;
        shown.total_bytes = lengths.iter().map(|(_, blocks)| bytes_of(*blocks)).sum();
        self.watch.enter(BackupPhase::Copying)?;
        for (file, blocks) in lengths {
            self.files.entry(file).or_default();
            self.file(file, blocks)?;
            self.watch.shown.files_copied += 1;
        }
        let (uploader, watch) = (self.uploader, &mut *self.watch);
        uploader.finish(&mut || told(uploader, watch))
    }

    fn file(&mut self, file: FileId, blocks: u32) -> Result<()> {
        let mut first = 0;
        while first < blocks {
            if self.watch.sign_of_life.elapsed() > SIGN_OF_LIFE {
                self.sign_of_life()?;
            }
            if let Some(kept) = self.kept(file, first)? {
                let (bytes, whole) = (bytes_of(kept.blocks), kept.blocks == CHUNK_BLOCKS);
                first += kept.blocks;
                self.files.entry(file).or_default().push(kept);
                self.watch.shown.kept_bytes += bytes;
                self.watch.shown.copied_bytes += bytes;
                self.watch.look()?;
                if !whole {
                    return Ok(()); // the file ended here at that time; what came later is in the log
                }
                continue;
            }
            let wanted = CHUNK_BLOCKS.min(blocks - first);
            let (uploader, watch) = (self.uploader, &mut *self.watch);
            let mut pace = |bytes| {
                watch.shown.stored_bytes = uploader.stored_bytes.load(Ordering::Relaxed);
                watch.pace(bytes)
            };
            let has = self.parent.as_ref().map(|parent| |id, lsn| parent.has(id, lsn));
            let has = has.as_ref().map(|has| has as &dyn Fn(crate::base::PageId, crate::base::Lsn) -> bool);
            let copied = self.copier.chunk(file, first, wanted, has, &mut pace)?;
            first += copied.chunk.blocks();
            if copied.chunk.blocks() > 0 {
                self.core.env.wal.flush(copied.lsn)?; // invariant 2
                self.store(copied.chunk)?;
            }
            if copied.cut_short {
                break;
            }
        }
        Ok(())
    }

    fn store(&mut self, chunk: Chunk) -> Result<()> {
        let (uploader, watch) = (self.uploader, &mut *self.watch);
        if self.core.has_threads {
            return uploader.hand_over(chunk, &mut || told(uploader, watch));
        }
        let done = uploader.store_now(&chunk)?;
        self.files.entry(chunk.file()).or_default().push(done);
        told(uploader, watch)
    }

    /// The chunk that an earlier attempt has stored, if it is good. One that is not is removed.
    fn kept(&mut self, file: FileId, first: u32) -> Result<Option<BackupChunk>> {
        let name = chunk_name(&self.label.id, file.0, first);
        if !self.there.contains(&name) {
            return Ok(None);
        }
        let Some((bytes, _)) = again(self.core, || self.store.get(&name))? else { return Ok(None) };
        match Chunk::decode(&bytes) {
            Ok(chunk) if (chunk.file(), chunk.first()) == (file, first) => Ok(Some(BackupChunk {
                first,
                blocks: chunk.blocks(),
                pages: chunk.pages(),
                bytes: bytes.len() as u64,
                crc32c: crc32c::crc32c(&bytes),
            })),
            _ => {
                tracing::warn!("\"{name}\" is damaged: it is made anew");
                again(self.core, || self.store.delete(&name))?;
                Ok(None)
            }
        }
    }

    /// Says that this backup is being made: retention leaves it alone.
    fn sign_of_life(&mut self) -> Result<()> {
        self.watch.sign_of_life = Instant::now();
        put(self.core, self.store, &alive_name(&self.label.id, clock::wall_ms()), b"alive\n")
    }
}

fn told(uploader: &Uploader<'_>, watch: &mut Watch<'_>) -> Result<()> {
    watch.shown.stored_bytes = uploader.stored_bytes.load(Ordering::Relaxed);
    watch.look()
}

/// Files of chunks that came in any order.
fn assemble(files: BTreeMap<FileId, Vec<BackupChunk>>) -> Vec<BackupFile> {
    let one = |(file, mut chunks): (FileId, Vec<BackupChunk>)| {
        chunks.sort_unstable_by_key(|c| c.first);
        let blocks = chunks.last().map_or(0, |c| c.first + c.blocks);
        BackupFile { file: file.0, blocks, chunks }
    };
    files.into_iter().map(one).collect()
}

fn bytes_of(blocks: u32) -> u64 {
    u64::from(blocks) * PAGE_BYTES as u64
}
