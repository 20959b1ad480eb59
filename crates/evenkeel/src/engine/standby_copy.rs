//! Making a standby of another server's files as they come (S25).
//!
//! Invariants
//! 1. As of `unfinished.rs`: until everything is durable the folder is no database.
//! 2. Of what came the control file says from where on the log is needed, and up to where, before pages are true of one moment.
//!
//! Must not know: how pieces travel.

use super::lives::{self, Lives};
use super::opening::not_ours;
use super::options::Options;
use super::restore::write_chunk;
use super::standby::Position;
use super::unfinished;
use crate::archive::{BlockState, Chunk, Manifest};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PartitionCount, Result};
use crate::control::{Control, ControlData, Role, TornPageProtection};
use crate::io::{Disk, OsDisk};
use crate::pool::{DOUBLE_WRITE_FILE, Files};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A folder that is being filled.
pub struct StandbyCopy {
    disk: Arc<dyn Disk>,
    files: Files,
    label: Manifest,
    /// Blocks of the files that have come so far.
    blocks: BTreeMap<FileId, u32>,
    lives: Lives,
    /// Where the log ended that is left, and in which life.
    before: (Lsn, u64),
    /// It goes over what a server has that comes back.
    is_over: bool,
    _lock: Box<dyn Send + Sync>,
}

impl StandbyCopy {
    /// Fills the empty or missing folder `dir`: `f` gets what takes the pieces. Where it refuses before the first of them, the folder is as it was.
    pub fn fill<R>(
        dir: impl AsRef<Path>,
        options: &Options,
        f: impl FnOnce(Arc<dyn Disk>) -> Result<R>,
    ) -> Result<R> {
        unfinished::fill(dir.as_ref(), options.os_options(), f)
    }

    /// Looks whether a folder may be filled, before anything is asked of anybody. `InvalidArgument`: it is not empty.
    pub fn check(dir: impl AsRef<Path>, options: &Options) -> Result<()> {
        let dir = dir.as_ref();
        if !dir.exists() {
            return Ok(());
        }
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        unfinished::refuse_non_empty(&disk)
    }

    /// Begins with the label that a copy has; `from` is who gives it, for people. `pages_bytes`: about so much will come. `InvalidArgument`: the folder is not empty.
    pub fn begin(disk: Arc<dyn Disk>, label: &[u8], pages_bytes: u64, from: &str) -> Result<StandbyCopy> {
        let lock = disk.lock().map_err(not_ours)?;
        unfinished::refuse_non_empty(&*disk)?;
        let label = Manifest::decode(label)?;
        let needed = pages_bytes + 2 * label.segment_bytes;
        let free = disk.free_bytes().map_err(|e| Error::io("asking for free space", e))?;
        if let Some(free) = free.filter(|free| *free < needed)
            && !unfinished::is_marked(&*disk)?
        {
            return Err(Error::OutOfSpace {
                what: format!("the copy: it needs {needed} bytes, the disk has {free}"),
            });
        }
        unfinished::mark(
            &*disk,
            &format!("A copy of {from} is being made here, or was cut short: this is no database yet.\n"),
        )?;
        unfinished::clear(&*disk)?;
        let files = Files::new(disk.clone());
        let (blocks, lives) = (BTreeMap::new(), Lives::default());
        Ok(StandbyCopy {
            files,
            disk,
            label,
            blocks,
            lives,
            before: (Lsn::ZERO, 0),
            is_over: false,
            _lock: lock,
        })
    }

    /// Over what is in a folder (`rejoining.rs`), marked by now, whose log had these lives and ended at `before`.
    pub(super) fn over(
        disk: Arc<dyn Disk>,
        label: Manifest,
        lives: Lives,
        before: (Lsn, u64),
        lock: Box<dyn Send + Sync>,
    ) -> Result<StandbyCopy> {
        // Whatever was on its way home is of the branch that is left.
        if disk.exists(DOUBLE_WRITE_FILE).map_err(|e| Error::io("looking for the double-write file", e))? {
            disk.remove(DOUBLE_WRITE_FILE).map_err(|e| Error::io("removing the double-write file", e))?;
        }
        let files = Files::new(disk.clone());
        Ok(StandbyCopy {
            files,
            disk,
            label,
            blocks: BTreeMap::new(),
            lives,
            before,
            is_over: true,
            _lock: lock,
        })
    }

    /// The lives of the log that the copy is of. `Corrupt`: they are damaged.
    pub fn lives(&mut self, text: &str) -> Result<()> {
        let theirs = Lives::decode(text)
            .ok_or_else(|| Error::corrupt("the lives of the log that were sent are damaged"))?;
        self.lives.add_all(&theirs);
        Ok(())
    }

    /// Puts pages into their file. `Corrupt`: they are damaged, or none that belong here.
    pub fn pages(&mut self, packed: &[u8]) -> Result<()> {
        let chunk = Chunk::decode(packed)?;
        let (file, first, blocks) = (chunk.file(), chunk.first(), chunk.blocks());
        let there = self.blocks.get(&file).copied().unwrap_or(0);
        if first != there || (!self.is_over && chunk.iter().any(|(_, state)| state == BlockState::Same)) {
            return Err(Error::corrupt(format!(
                "the copy has block {first} of file {} where block {there} was to come",
                file.0
            )));
        }
        let handle = match there {
            0 => match self.files.create(file)? {
                Some(created) => created,
                None if self.is_over => self.files.must_get(file)?,
                None => return Err(Error::corrupt(format!("the folder has a data file {} already", file.0))),
            },
            _ => self.files.must_get(file)?,
        };
        let bytes = |blocks: u32| u64::from(blocks) * PAGE_BYTES as u64;
        handle
            .allocate(bytes(first), bytes(blocks))
            .map_err(|e| Error::io(format!("obtaining space for data file {}", file.0), e))?;
        write_chunk(&*handle, &chunk, first + blocks, self.is_over)
            .map_err(|e| Error::io(format!("writing data file {}", file.0), e))?;
        self.blocks.insert(file, first + blocks);
        Ok(())
    }

    /// Makes a standby of what came: the log up to there, of that life, makes it whole. Blocks for the disk.
    pub fn finish(self, whole: Position) -> Result<()> {
        let whole_at = whole.lsn;
        let m = &self.label;
        let partitions = PartitionCount::new(m.partitions).expect("checked as the label was read");
        if whole_at < Lsn::from(m.start) {
            return Err(Error::corrupt(format!("the copy ended at {whole_at}, before it began")));
        }
        for (file, blocks) in &self.blocks {
            if self.is_over {
                self.cut(*file, *blocks)?;
            }
            self.files.sync_created(*file)?;
        }
        if self.is_over {
            // What the other one does not have, or only in log that is to come.
            for file in self.files.list()?.into_iter().filter(|f| !self.blocks.contains_key(f)) {
                self.files.remove(file)?;
            }
            unfinished::clear_beside_data(&*self.disk, &["control", lives::FILE])?;
        }
        self.lives.write(&*self.disk)?;
        let log_needed = Lsn::from(m.log_needed);
        let data = ControlData {
            database_id: m.database_id,
            segment_bytes: m.segment_bytes,
            partitions,
            clean: false,
            complete: true,
            role: Role::Standby,
            received: log_needed,
            whole_at,
            whole_life: whole.life,
            told: Lsn(1), // who is followed may ask others before it tells anything: it says so
            replayed_to_ms: 0,
            // All is durable, and nothing of it torn: no page needs the log's images.
            protection: TornPageProtection::DoubleWrite,
            double_write_life: 0,
            round: m.round.into(),
            log_needed,
            next_file: m.next_file,
            next_txn: m.next_txn,
            // Of a standby they say nothing; a rejoining that is cut short just behind this begins again with them.
            end: self.before.0,
            end_incarnation: self.before.1,
            epoch: 0,
            redo: m.redo.iter().map(|p| Lsn::from(*p)).collect(),
        };
        Control::create(&*self.disk, &data)?;
        unfinished::unmark(&*self.disk)
    }

    fn cut(&self, file: FileId, blocks: u32) -> Result<()> {
        let ctx = |e| Error::io(format!("cutting data file {}", file.0), e);
        let (handle, bytes) = (self.files.must_get(file)?, u64::from(blocks) * PAGE_BYTES as u64);
        if handle.len().map_err(ctx)? > bytes {
            handle.truncate(bytes).map_err(ctx)?;
        }
        handle.sync().map_err(ctx)
    }
}
