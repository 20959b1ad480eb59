//! What a server has that was a primary and is to follow another one now (S25; decision 013, 17): where its log left the other's, what it has done since, which pages it need not be
//! given again.
//!
//! The other server copies its files as for a new standby, and leaves out the pages that neither has touched since the fork: their LSNs say so. So nothing depends on log that may be gone.
//!
//! Invariants
//! 1. A page is left out only if both have it with an LSN of the log that they share, whole: then it is the same. But not behind a place where its file was cut since: what was changed in
//!    memory before was forgotten there, and what the file still has is older.
//! 2. From the first page that is overwritten until everything is durable the folder is no database (`unfinished.rs`). Cut short, it is begun again, and asks again for every page that has an LSN
//!    from behind the fork, whoever's.
//! 3. What only this server committed is known (`diverged_since`) before anything of it is overwritten.
//!
//! Must not know: how servers speak.

use super::database::Database;
use super::lives::Lives;
use super::opening::not_ours;
use super::options::Options;
use super::standby_copy::StandbyCopy;
use super::unfinished;
use crate::archive::Manifest;
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result, TreeId, TxnId};
use crate::control::{Control, ControlData, Role};
use crate::io::{AlignedBuf, Disk, OsDisk, read_exact_at};
use crate::page;
use crate::pool::Files;
use crate::store::changed_row;
use crate::wal::Wal;
use crate::wal::end::stream_of;
use crate::wal::find::first_record;
use crate::wal::reader::LogReader;
use crate::wal::record::Kind;
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Blocks read at a time: 1 MiB.
const PIECE_BLOCKS: usize = 128;

/// The folder of a server that was a primary, and is stopped.
pub struct Rejoining {
    disk: Arc<dyn Disk>,
    data: ControlData,
    lives: Lives,
    /// An attempt that was cut short has brought pages from behind this, whoever's.
    fork_max: Lsn,
    _locks: Box<dyn Send + Sync>,
}

/// A transaction that only this server has committed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diverged {
    /// Its id.
    pub id: u64,
    /// Where its commit stands in the log.
    pub commit: Lsn,
    /// When it committed, milliseconds since the Unix epoch.
    pub time_ms: u64,
    /// Rows that it changed, in order, by tree and key.
    pub rows: Vec<(TreeId, Vec<u8>)>,
}

/// Which pages a server has that another one need not give to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Have {
    /// The logs are the same up to here.
    fork: Lsn,
    files: BTreeMap<FileId, Had>,
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Had {
    blocks: u32,
    /// First and last of those that have to be given, ascending.
    touched: Vec<(u32, u32)>,
}

impl Have {
    /// Whether it has what a page is with this LSN (1).
    pub(crate) fn has(&self, id: PageId, lsn: Lsn) -> bool {
        let Some(file) = self.files.get(&id.file).filter(|_| lsn <= self.fork) else { return false };
        let block = id.block.0;
        let before = file.touched.partition_point(|(first, _)| *first <= block);
        block < file.blocks && (before == 0 || file.touched[before - 1].1 < block)
    }

    /// As text, for a command.
    pub fn encode(&self) -> String {
        let mut text = self.fork.0.to_string();
        for (file, had) in &self.files {
            text += &format!(";{}:{}:", file.0, had.blocks);
            let runs: Vec<String> = had.touched.iter().map(|(a, b)| format!("{a}-{b}")).collect();
            text += &runs.join(",");
        }
        text
    }

    /// From such text; `None`: it is none.
    pub fn decode(text: &str) -> Option<Have> {
        let mut parts = text.split(';');
        let fork = Lsn(parts.next()?.parse().ok()?);
        let run = |run: &str| {
            let (first, last) = run.split_once('-')?;
            Some((first.parse().ok()?, last.parse().ok()?))
        };
        let file = |part: &str| {
            let mut fields = part.split(':');
            let id = FileId(fields.next()?.parse().ok()?);
            let blocks = fields.next()?.parse().ok()?;
            let runs = fields.next()?.split(',').filter(|r| !r.is_empty()).map(run);
            let touched: Vec<(u32, u32)> = runs.collect::<Option<_>>()?;
            let ascend = touched.iter().all(|(a, b)| a <= b) && touched.windows(2).all(|w| w[0].1 < w[1].0);
            (ascend && fields.next().is_none()).then_some((id, Had { blocks, touched }))
        };
        Some(Have { fork, files: parts.map(file).collect::<Option<_>>()? })
    }
}

impl Rejoining {
    /// Takes the folder. `InvalidArgument`: it holds no database, one that was not stopped cleanly, or a standby, unless an attempt was cut short.
    pub fn open(dir: impl AsRef<Path>, options: &Options) -> Result<Rejoining> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        Rejoining::open_on(Arc::new(disk))
    }

    /// As `open`, on any disk.
    pub fn open_on(disk: Arc<dyn Disk>) -> Result<Rejoining> {
        let refused = |why: &str| Err(Error::InvalidArgument(format!("the folder cannot rejoin: {why}")));
        if !Control::exists(&*disk)? {
            return refused("it holds no database. A standby is made by evenkeel standby create");
        }
        let lock = disk.lock().map_err(not_ours)?;
        let file_lock = Control::lock(&*disk).map_err(not_ours)?;
        let (_, data) = Control::open(&*disk)?;
        let again = unfinished::is_marked(&*disk)?;
        if !again && data.role == Role::Standby {
            return refused("it is a standby: have it follow the new primary by primary_conninfo");
        }
        if !again && !data.clean {
            return refused("its database was not stopped cleanly");
        }
        let lives = Lives::read(&*disk)?;
        let fork_max = if again { unfinished::marked_fork(&*disk)? } else { Lsn::MAX };
        Ok(Rejoining { disk, data, lives, fork_max, _locks: Box::new((lock, file_lock)) })
    }

    /// Whether an attempt was cut short: then the folder is no database.
    pub fn is_cut_short(dir: impl AsRef<Path>, options: &Options) -> Result<bool> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        Ok(unfinished::is_marked(&disk)? && Control::exists(&disk)?)
    }

    /// Which database a folder holds, whatever its state: before anything of it is changed. `InvalidArgument`: none, or it is in use.
    pub fn database_of(dir: impl AsRef<Path>, options: &Options) -> Result<u64> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        let _lock = Control::lock(&disk).map_err(not_ours)?;
        Ok(Control::open(&disk)?.1.database_id)
    }

    /// Which database it is.
    pub fn database_id(&self) -> u64 {
        self.data.database_id
    }

    /// The lives of its log and where each ended, youngest first: what `Database::fork` is asked with.
    pub fn lives(&self) -> Vec<(u64, Lsn)> {
        self.lives.back_from(self.data.end_incarnation, self.data.end)
    }

    /// Which pages it has that are of the shared log (1). Reads all of them.
    pub fn have(&self, fork: Lsn) -> Result<Have> {
        let fork = fork.min(self.fork_max);
        let files = Files::new(self.disk.clone());
        let mut have = Have { fork, files: BTreeMap::new() };
        let mut pages = AlignedBuf::new(PIECE_BLOCKS * PAGE_BYTES);
        let cuts = self.cuts(fork)?;
        for id in files.list()? {
            let mut cut = match &cuts {
                Some(cuts) => cuts.get(&id).copied().unwrap_or(u32::MAX),
                // What has come from the other server says nothing of what was done here.
                None if self.fork_max < Lsn::MAX => 0,
                None => u32::MAX,
            };
            let file = files.must_get(id)?;
            let ctx = |e| Error::io(format!("reading data file {}", id.0), e);
            let blocks = (file.len().map_err(ctx)? / PAGE_BYTES as u64) as u32;
            let mut had = Had { blocks, touched: Vec::new() };
            for first in (0..blocks).step_by(PIECE_BLOCKS) {
                let there = PIECE_BLOCKS.min((blocks - first) as usize);
                let bytes = &mut pages[..there * PAGE_BYTES];
                read_exact_at(&*file, bytes, PageId::new(id, first).offset()).map_err(ctx)?;
                for (block, bytes) in (first..).zip(bytes.chunks_exact(PAGE_BYTES)) {
                    // A page that was being overwritten is of nobody (2). One of zeros may be a place where a file was cut, or has not been filled yet.
                    let lsn = page::lsn(bytes);
                    let is_shared =
                        page::verify(bytes, PageId::new(id, block)) && lsn > Lsn::ZERO && lsn <= fork;
                    // Where the file ends is told in its first block.
                    if block == 0 && !is_shared && cuts.is_none() {
                        cut = 0;
                    }
                    if is_shared && block < cut {
                        continue;
                    }
                    match had.touched.last_mut() {
                        Some((_, last)) if *last + 1 == block => *last = block,
                        _ => had.touched.push((block, block)),
                    }
                }
            }
            have.files.insert(id, had);
        }
        Ok(have)
    }

    /// Files that were cut behind the fork, and to how many blocks at least; `None`: the log does not say, for want of a part of it. Reads the log from the fork on.
    fn cuts(&self, fork: Lsn) -> Result<Option<BTreeMap<FileId, u32>>> {
        let geometry = Geometry { segment_bytes: self.data.segment_bytes };
        let disk = self.disk.clone();
        let source: &dyn LogSource = &&*disk;
        let mut reader = match LogReader::open_sequential(source, geometry, fork) {
            Ok(reader) => reader,
            Err(Error::Corrupt(_)) => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut cuts = BTreeMap::new();
        while let Some(rec) = reader.next()? {
            if let Some((file, blocks)) = rec.truncation()? {
                let least = cuts.entry(file).or_insert(blocks);
                *least = blocks.min(*least);
            }
        }
        Ok((reader.position() >= self.data.end).then_some(cuts))
    }

    /// Takes the pieces of a copy from now on, over what is there, which is shared up to `fork`. `from` is who gives them, for people.
    pub fn begin(self, label: &[u8], fork: Lsn, from: &str) -> Result<StandbyCopy> {
        let label = Manifest::decode(label)?;
        if label.database_id != self.data.database_id {
            return Err(Error::InvalidArgument("the other server has another database".into()));
        }
        unfinished::mark(
            &*self.disk,
            &format!(
                "What has changed since is fetched from {from}, or that was cut short: this is no database. Run evenkeel rejoin again.\nfork {}\n",
                fork.min(self.fork_max)
            ),
        )?;
        // Another attempt asks from where this one does.
        let before = (self.data.end, self.data.end_incarnation);
        StandbyCopy::over(self.disk, label, self.lives, before, self._locks)
    }
}

impl Database {
    /// The lives of its log and where each ended, youngest first; of this one, how far it is.
    pub fn lives(&self) -> Result<Vec<(u64, Lsn)>> {
        let wal = &self.core().env.wal;
        let own = Lives::read(&**self.core().env.pool.files().disk())?;
        Ok(own.back_from(wal.incarnation(), wal.flushed()))
    }

    /// The transactions whose commits stand behind `fork`, which changed rows, in their order. `InvalidArgument`: the log from there on is not here any more; a start after a clean stop keeps it only
    /// if it is told to ([`Options::keeping_log`]).
    pub fn diverged_since(&self, fork: Lsn) -> Result<Vec<Diverged>> {
        let core = self.core();
        let wal = &core.env.wal;
        let end = wal.completed();
        wal.flush(end)?;
        if fork < wal.oldest_lsn() {
            return Err(Error::InvalidArgument(format!(
                "the log from {fork} on is not here any more, only from {} on",
                wal.oldest_lsn()
            )));
        }
        let disk = core.env.pool.files().disk().clone();
        let source: &dyn LogSource = &&*disk;
        // Of a transaction that began before, all rows are to be known that the log still has.
        let mut reader =
            LogReader::open_sequential(source, wal.geometry(), first_record_of(source, wal, fork)?)?;
        let mut open: HashMap<TxnId, Vec<(TreeId, Vec<u8>)>> = HashMap::new();
        let mut diverged = Vec::new();
        while let Some(rec) = reader.next()? {
            let Some(link) = rec.txn else { continue };
            match rec.kind {
                Kind::Commit => {
                    if let Some(rows) = open.remove(&link.id).filter(|rows| !rows.is_empty()) {
                        let time_ms = rec.commit_time_ms().unwrap_or(0);
                        if rec.lsn < fork {
                            continue;
                        }
                        diverged.push(Diverged { id: link.id.0, commit: rec.lsn, time_ms, rows });
                    }
                }
                Kind::Abort => _ = open.remove(&link.id),
                Kind::Change if !rec.undo.is_empty() => {
                    if let Some(row) = changed_row(&rec)? {
                        open.entry(link.id).or_default().push(row);
                    }
                }
                _ => {}
            }
        }
        Ok(diverged)
    }
}

/// The first record that is still in the log; `otherwise`, where that cannot be told.
fn first_record_of(source: &dyn LogSource, wal: &Wal, otherwise: Lsn) -> Result<Lsn> {
    let geometry = wal.geometry();
    let n = geometry.segment_of(wal.oldest_lsn());
    let Some((bytes, header)) = source.open(n)? else { return Ok(otherwise) };
    if header.begins_life() {
        return Ok(geometry.start_of(n).min(otherwise));
    }
    Ok(first_record(&header, &stream_of(&bytes, &header)?)?.map_or(otherwise, |at| at.min(otherwise)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_has_travels_as_text() {
        let had = |blocks, touched: &[(u32, u32)]| Had { blocks, touched: touched.to_vec() };
        let have = Have {
            fork: Lsn(1000),
            files: [(FileId(0), had(10, &[])), (FileId(17), had(20, &[(3, 4), (7, 7)]))].into(),
        };
        assert_eq!(have.encode(), "1000;0:10:;17:20:3-4,7-7");
        assert_eq!(Have::decode(&have.encode()), Some(have.clone()));
        for bad in ["", "x", "1;2", "1;2:3", "1;2:3:4", "1;2:3:4-3", "1;2:3:1-4,4-5", "1;2:3::", "1;2:x:"] {
            assert_eq!(Have::decode(bad), None, "{bad}");
        }
        let has = |file, block, lsn| have.has(PageId::new(FileId(file), block), Lsn(lsn));
        let all: Vec<u32> = (0..22).filter(|b| has(17, *b, 1000)).collect();
        assert_eq!(all, [0, 1, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
        assert!(has(0, 0, 0) && !has(0, 0, 1001) && !has(1, 0, 0));
    }
}
