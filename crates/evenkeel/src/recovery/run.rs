//! Analysis and redo, from top to bottom. Invariants are in the module's README.

use super::analysis::Analysis;
use super::crew::{Crew, with_crew};
use super::files::FileTable;
use super::follow::Readers;
use super::harden::{LifeEnd, harden_log, harden_received};
use super::options::{RecoveryProgress, RedoOptions, RedoStats};
use super::target::{Target, Verdict};
use crate::base::codec::Reader;
use crate::base::sync::{self, Instant};
use crate::base::{Corruption, Error, FileId, Lsn, PageId, Result};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::io::{Access, Disk, OpenMode};
use crate::pool::Pool;
use crate::txn::ActiveTxn;
use crate::wal::end::{Ahead, Behind, Damage, Proof, look_ahead};
use crate::wal::reader::LogReader;
use crate::wal::record::{Block, Kind, Record};
use crate::wal::segment::{self, Geometry};
use crate::wal::source::LogSource;

/// What the log said.
#[derive(Debug)]
pub struct Recovered {
    /// Where the log ended.
    pub end: Lsn,
    /// In which incarnation.
    pub incarnation: u64,
    /// Transactions to undo, the youngest first.
    pub losers: Vec<ActiveTxn>,
    /// Next unused transaction id.
    pub next_txn: u64,
    /// Next unused tree id, as far as the log knows.
    pub next_tree: u64,
    /// Redo vector that was used.
    pub redo: Vec<Lsn>,
    /// What the redo did.
    pub stats: RedoStats,
    /// When the last commit redone happened, milliseconds since the Unix epoch; 0 = none was met.
    pub last_commit_ms: u64,
    /// The target was met. Always true of `Latest`.
    pub reached: bool,
    /// Segments behind the end that are known to have no log in them.
    pub bare: Vec<u64>,
}

/// What a redo came to.
#[derive(Debug)]
pub enum Redone {
    /// It is done.
    Done(Box<Recovered>),
    /// Log that was durable cannot be read. What lies before it may have been redone, in the pool and at home, where the next redo finds it.
    Damaged(Box<Damage>),
}

/// Makes everything durable that a killed process may have left in a cache: the first step after an unclean stop. Syncs, and writes the end of the log
/// once more, as a sync alone proves nothing after one that failed (`harden`).
/// Gives where the log ends, for [`RedoOptions::life_end`].
pub fn sync_all(disk: &dyn Disk, pool: &Pool, control: &ControlData) -> Result<Option<LifeEnd>> {
    sync_folder(disk, pool)?;
    harden_log(disk, Geometry { segment_bytes: control.segment_bytes }, control.round)
}

/// As [`sync_all`], of a standby. Gives where the log that it received ends.
pub fn sync_received(disk: &dyn Disk, pool: &Pool, control: &ControlData) -> Result<LifeEnd> {
    sync_folder(disk, pool)?;
    harden_received(disk, Geometry { segment_bytes: control.segment_bytes }, control.received)
}

fn sync_folder(disk: &dyn Disk, pool: &Pool) -> Result<()> {
    // A life without fsync says nothing of how far its log was durable: all of it, also what lies before the doubtful end, is durable only by this.
    for s in segment::list(disk)? {
        let name = segment::path(s);
        let ctx = |e| Error::io(format!("syncing log segment {name}"), e);
        disk.open(&name, OpenMode::Existing, Access::Log).map_err(ctx)?.sync().map_err(ctx)?;
    }
    for dir in [segment::DIR, ""] {
        disk.sync_dir(dir).map_err(|e| Error::io("syncing the database folder", e))?;
    }
    pool.files().sync_everything()
}

/// What the reader tells the caller of the log's end.
struct Read {
    end: Lsn,
    incarnation: u64,
    last_commit_ms: u64,
    reached: bool,
}

/// The caller's side of a redo: reads the log, and hands changes to the crew.
pub(super) struct Redo<'p> {
    pool: &'p Pool,
    redo: &'p [Lsn],
    pub files: FileTable<'p>,
    pub analysis: Analysis,
    pub records: u64,
    pub skip_new: u64,
    /// Of a standby.
    pub readers: Option<&'p dyn Readers>,
}

/// What a redo begins with.
pub(super) struct Start<'s, 'p> {
    /// Where the log is read from.
    pub from: Lsn,
    pub redo: Redo<'p>,
    pub reader: LogReader<'s>,
    /// By the round record that the control file names: who was at work.
    pub active: Vec<ActiveTxn>,
}

/// Gets ready to redo from where the control file says. The inner error: where the log cannot be read that it needs.
pub(super) fn begin<'s, 'p>(
    source: &'s dyn LogSource,
    pool: &'p Pool,
    control: &'p ControlData,
    options: &RedoOptions,
) -> Result<std::result::Result<Start<'s, 'p>, Lsn>> {
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let mut from = control.redo.iter().copied().min().unwrap_or(control.log_needed);
    let mut round = None;
    if control.round != Lsn::ZERO {
        let Some(record) = read_round(source, geometry, control.round)? else {
            return Ok(Err(control.round));
        };
        from = from.min(record.begin);
        round = Some(record);
    }
    if source.open(geometry.segment_of(from))?.is_none() {
        return Ok(Err(from));
    }
    let active = round.as_ref().map_or_else(Vec::new, |r| r.active.clone());
    let redo = Redo {
        pool,
        redo: &control.redo,
        files: FileTable::new(pool, (options.lengths_hold && !options.may_lag).then_some(control)),
        analysis: Analysis::new(control, round),
        records: 0,
        skip_new: 0,
        readers: None,
    };
    let reader = LogReader::open_sequential(source, geometry, from)?;
    Ok(Ok(Start { from, redo, reader, active }))
}

/// Changes that met no page, which nothing has explained by the end.
pub(super) fn unexplained(redo: &Redo<'_>, missing: Option<PageId>) -> Result<()> {
    match redo.files.missing.first().or(missing) {
        None => Ok(()),
        Some(id) => {
            let what = format!(
                "the log changes block {} of data file {}, which does not exist and was not dropped",
                id.block.0, id.file.0
            );
            Err(Error::Corrupt(Corruption::of_file(id.file, what)))
        }
    }
}

/// Redoes the log into the pool, after [`sync_all`] and the repair of torn pages. The pool must be new and have no log connected: every record is
/// durable already. `progress` is called now and then, and at the end. A target before the position up to which the control file says that the log counts
/// is `InvalidArgument`. Blocks.
pub fn redo_log(
    source: &dyn LogSource,
    pool: &Pool,
    control: &ControlData,
    target: &Target,
    options: &RedoOptions,
    progress: &mut dyn FnMut(&RecoveryProgress),
) -> Result<Redone> {
    let began = Instant::now();
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let started = begin(source, pool, control, options)?;
    if let Target::Lsn(to) = target
        && *to <= control.round
    {
        return Err(too_early(control.round));
    }
    let Start { from, redo: mut r, mut reader, .. } = match started {
        Ok(start) => start,
        Err(at) => return Ok(unreadable(geometry, at, control)),
    };
    if options.threads {
        reader.read_ahead();
    }
    let mut report = |at, records, finished| {
        let end_estimate = options.end_estimate.filter(|end| *end >= at);
        progress(&RecoveryProgress { from, at, end_estimate, records, elapsed: began.elapsed(), finished });
    };
    let (redone, ahead) = meanwhile(options, source, geometry, || {
        with_crew(pool, options, None, |crew| {
            r.read(&mut reader, target, crew, &mut |at, n| report(at, n, false))
        })
    });
    let (read, done) = redone?;
    report(read.end, r.records, true);
    let mut bare = Vec::new();
    if read.reached && *target != Target::Latest {
        if control.round != Lsn::ZERO && read.end <= control.round {
            return Err(too_early(control.round));
        }
    } else {
        let end = LifeEnd { at: read.end, incarnation: read.incarnation };
        let ahead = match ahead.filter(|_| options.life_end == Some(end)) {
            Some(ahead) => ahead?,
            None => reader.look_ahead()?,
        };
        if let Some(damage) = ahead.damage {
            return Ok(Redone::Damaged(damage.into()));
        }
        if control.round != Lsn::ZERO && read.end <= control.round {
            // Whatever a round record's position says was durable: a log that ends before it is damaged, not short.
            return Ok(unreadable(geometry, read.end, control));
        }
        // Log before data: what a page has was durable in the log before.
        if let Some((lsn, page)) = done.newest.filter(|(lsn, _)| *lsn > read.end && !options.may_lag) {
            let proof = Proof::Page { file: page.file.0, block: page.block.0, lsn };
            return Ok(damaged(geometry, read.end, read.incarnation, proof));
        }
        bare = ahead.bare;
    }
    unexplained(&r, done.missing)?;
    r.files.restore_lengths()?;
    let stats = RedoStats {
        records: r.records,
        skip_new: r.skip_new,
        log_bytes: read.end.0.saturating_sub(from.0),
        time_us: began.elapsed().as_micros() as u64,
        ..done.stats
    };
    let (next_txn, next_tree) = (r.analysis.next_txn, r.analysis.next_tree);
    Ok(Redone::Done(Box::new(Recovered {
        end: read.end,
        incarnation: read.incarnation,
        losers: r.analysis.losers()?,
        next_txn,
        next_tree,
        redo: control.redo.clone(),
        stats,
        last_commit_ms: read.last_commit_ms,
        reached: read.reached,
        bare,
    })))
}

/// Does the work, and meanwhile, where the settings allow for it, looks behind the expected end of the log.
fn meanwhile<R>(
    options: &RedoOptions,
    source: &dyn LogSource,
    geometry: Geometry,
    work: impl FnOnce() -> R,
) -> (R, Option<Result<Ahead>>) {
    let Some(end) = options.life_end.filter(|_| options.threads) else { return (work(), None) };
    sync::scope(|scope| {
        let look = || look_ahead(source, geometry, end.at, end.incarnation);
        // Without a thread it is done afterwards.
        let ahead = sync::Builder::new().name("evenkeel-ahead".into()).spawn_scoped(scope, look);
        let done = work();
        let ahead = ahead.ok().map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        (done, ahead)
    })
}

/// The log cannot be read at a place that the control file needs.
fn unreadable(geometry: Geometry, at: Lsn, control: &ControlData) -> Redone {
    damaged(geometry, at, 0, Proof::Control(control.round.max(control.log_needed)))
}

fn damaged(geometry: Geometry, at: Lsn, incarnation: u64, proof: Proof) -> Redone {
    let (segment, offset) = (geometry.segment_of(at), geometry.offset_of(at));
    Redone::Damaged(Box::new(Damage { at, segment, offset, incarnation, proof, behind: Behind::default() }))
}

fn too_early(round: Lsn) -> Error {
    Error::InvalidArgument(format!(
        "the target lies at or before {round}, up to which the data files may have changes already: it can only be reached from an older backup"
    ))
}

/// The round record that the control file names; `None` if it is not there.
fn read_round(source: &dyn LogSource, geometry: Geometry, at: Lsn) -> Result<Option<RoundRecord>> {
    if source.open(geometry.segment_of(at))?.is_none() {
        return Ok(None);
    }
    let mut reader = LogReader::open(source, geometry, at)?;
    match reader.next()? {
        Some(rec) if rec.kind == Kind::Round && rec.lsn == at => RoundRecord::decode(rec.payload).map(Some),
        _ => Ok(None),
    }
}

impl Redo<'_> {
    /// Reads up to the target or the log's end. `report` is told where it is, and the number of records, after each wave.
    fn read(
        &mut self,
        reader: &mut LogReader<'_>,
        target: &Target,
        crew: &mut Crew<'_, '_>,
        report: &mut dyn FnMut(Lsn, u64),
    ) -> Result<Read> {
        let (mut last_commit_ms, mut stop) = (0, None);
        let mut reached = *target == Target::Latest;
        let to_the_end = reached;
        while let Some(rec) = reader.next()? {
            let verdict = target.verdict(&rec);
            if verdict == Verdict::Stop {
                reached = true;
                break;
            }
            self.records += 1;
            last_commit_ms = rec.commit_time_ms().unwrap_or(last_commit_ms);
            self.record(&rec, crew)?;
            let end = rec.end;
            if crew.is_full() {
                crew.submit()?;
                report(end, self.records);
            }
            if !to_the_end {
                stop = Some((end, reader.incarnation()));
            }
            if verdict == Verdict::Last {
                reached = true;
                break;
            }
        }
        let at_end = (reader.position(), reader.incarnation());
        let (end, incarnation) = if reached && !to_the_end { stop.unwrap_or(at_end) } else { at_end };
        Ok(Read { end, incarnation, last_commit_ms, reached })
    }

    /// Hands a record's changes to the crew.
    pub fn record(&mut self, rec: &Record<'_>, crew: &mut Crew<'_, '_>) -> Result<()> {
        self.take(rec, crew).map_err(|e| match e {
            Error::Corrupt(why) => {
                Error::Corrupt(why.within(format_args!("redo of the log record at {}", rec.lsn)))
            }
            other => other,
        })
    }

    fn take(&mut self, rec: &Record<'_>, crew: &mut Crew<'_, '_>) -> Result<()> {
        self.analysis.record(rec)?;
        if let Some(readers) = self.readers {
            if readers.wants_all_before(rec) {
                crew.drain()?;
            }
            readers.record(rec);
        }
        match rec.kind {
            Kind::Change => {
                // First of all: the record may name other blocks of the file before its first.
                for block in rec.blocks.iter().filter(|b| b.init && b.page.block.0 == 0) {
                    if self.is_due(rec, block.page) {
                        self.files.created(block.page.file)?;
                    }
                }
                rec.blocks.iter().try_for_each(|block| self.block(rec, block, crew))
            }
            Kind::DropFile => {
                let file = FileId(Reader::new(rec.payload, "drop record").varint()?);
                self.cut(file, 0, crew)?;
                self.files.drop_file(file)
            }
            Kind::Truncate => {
                let Some((file, blocks)) = rec.truncation()? else { return Ok(()) };
                // The file itself stays as it is: longer does no harm, and it may have grown again since. Who compares its pages with another server's has to
                // know of the cut, though (`engine/rejoining.rs`).
                self.cut(file, blocks, crew)
            }
            Kind::Commit | Kind::Abort | Kind::Round | Kind::Pad | Kind::Mark | Kind::Flushed => Ok(()),
        }
    }

    /// The file's blocks from `blocks` on went: what the log said of them before is forgotten. A barrier, if anything was said, or anybody reads: behind it no reader
    /// wants them, but for those that have expired, who are told nothing of what they find or miss. So what takes its time holds up nobody.
    fn cut(&mut self, file: FileId, blocks: u32, crew: &mut Crew<'_, '_>) -> Result<()> {
        let is_met = self.files.is_met(file);
        if is_met || crew.has_readers() {
            crew.drain()?;
        }
        crate::space::note_cut();
        if is_met || crew.has_readers() {
            self.pool.discard(file, blocks);
        }
        if is_met {
            self.files.explain(file, blocks);
            crew.explain(file, blocks);
        }
        Ok(())
    }

    /// Whether the record is at or past the page's redo point (invariant 1).
    fn is_due(&self, rec: &Record<'_>, page: PageId) -> bool {
        rec.lsn >= self.redo[self.pool.partitions().of(page)]
    }

    fn block(&mut self, rec: &Record<'_>, block: &Block<'_>, crew: &mut Crew<'_, '_>) -> Result<()> {
        let partition = self.pool.partitions().of(block.page);
        if rec.lsn < self.redo[partition] || self.files.is_dropped(block.page.file) {
            return Ok(()); // invariant 1
        }
        let is_there = self.files.place(block.page, block.init || block.image.is_some())?;
        if block.page.block.0 == 0 {
            self.files.map_changes(block.page.file, block.ops)?;
        }
        if is_there {
            crew.add(partition, rec.lsn, rec.end, block);
        } else {
            self.skip_new += 1;
        }
        Ok(())
    }
}
