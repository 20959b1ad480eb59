//! Replay of a log that goes on (S25): a redo that waits where the log ends.
//!
//! Invariants
//! 1. What [`Tail::applied`] says: all that the log has of pages before that place is in the pool, or is at home, and the files are as long as their maps say. Of a copy it
//!    says nothing before that is whole: until then maps and files are of different moments.
//! 2. Nothing is read behind what [`Tail::wait`] gave.
//! 3. Readers are let in once all is applied that may be at home already: before, pages are of different moments.
//! 4. So nothing is waited for where there is no such log: the control file names no round record, so nobody was at work where the replay begins, and that is where the log ends that is here and at or
//!    behind the place where all is of one moment. All is at home then, whether the segment there was begun or is yet to come, as of a primary that nobody writes.
//!
//! Must not know: where the log comes from, what is made of what was applied.

use super::crew::{Crew, with_crew};
use super::harden::LifeEnd;
use super::options::{RedoOptions, RedoStats};
use super::run::{Recovered, Redo, Start, begin, unexplained};
use crate::base::sync::Instant;
use crate::base::{Error, Lsn, Result};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::pool::Pool;
use crate::txn::ActiveTxn;
use crate::wal::reader::LogReader;
use crate::wal::record::{Kind, Record};
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;

/// How far a replay has come (invariant 1).
#[derive(Clone, Debug)]
pub struct Applied {
    /// All before this.
    pub at: Lsn,
    /// The newest round record before, and where it stands.
    pub round: Option<(Lsn, RoundRecord)>,
    /// Next unused transaction id, as far as the log says.
    pub next_txn: u64,
    /// Next unused tree id.
    pub next_tree: u64,
    /// When the last commit before happened, milliseconds since the Unix epoch; 0: none was met.
    pub last_commit_ms: u64,
}

/// Who gets the log, and wants to know what became of it.
pub trait Tail: Sync {
    /// Blocks until the log is durable beyond `at`; gives how far. `None`: the replay is to end here.
    fn wait(&self, at: Lsn) -> Option<Lsn>;

    /// Whether neither a commit that happened at `ms`, milliseconds since the Unix epoch, was ever replayed here, nor anything behind it. False where that is not known.
    fn is_new(&self, ms: u64) -> bool;

    /// Such a commit is next; `may_be_home`: pages at home may have of it, or of what lies behind. Whether it is to be replayed later, if at all: then all before it is applied, and
    /// [`Tail::delay`] called.
    fn is_early(&self, ms: u64, may_be_home: bool) -> bool;

    /// Blocks until that commit may be replayed; false: the replay is to end before it.
    fn delay(&self, ms: u64) -> bool;

    /// There is no space for what is next, `again` after it was said before. Blocks for a while; whether to try again.
    fn lacks(&self, what: &str, again: bool) -> bool;

    /// Somebody waits for [`Tail::applied`] although there is more to replay.
    fn is_waited_for(&self) -> bool;

    /// All was applied up to here.
    fn applied(&self, applied: Applied);
}

/// Who reads meanwhile.
pub trait Readers: Sync {
    /// These were at work where the replay begins, or began before; all that had ended before have ids below `next_txn`.
    fn begin(&self, active: &[ActiveTxn], next_txn: u64);

    /// A record of before.
    fn earlier(&self, rec: &Record<'_>);

    /// Whether all before this record is to be applied before it is recorded.
    fn wants_all_before(&self, rec: &Record<'_>) -> bool;

    /// A record that is going to be applied.
    fn record(&self, rec: &Record<'_>);

    /// A round record, which is going to be recorded.
    fn round(&self, round: &RoundRecord);

    /// Whether they are let in.
    fn are_in(&self) -> bool;

    /// Calls `f` once, while nobody reads; then all that was recorded is applied.
    fn apply(&self, f: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Lets them in: all before `at` is applied.
    fn open(&self, at: Lsn);
}

/// Replays from where the control file says, until the tail ends it; then everything that it gave was applied. The log that is there now ends at `end`. The pool must be
/// new and have no log connected. Blocks.
pub fn follow_log(
    source: &dyn LogSource,
    pool: &Pool,
    control: &ControlData,
    end: LifeEnd,
    options: &RedoOptions,
    tail: &dyn Tail,
    readers: Option<&dyn Readers>,
) -> Result<Recovered> {
    let began = Instant::now();
    let places = Places { whole_at: control.whole_at, readable_at: control.whole_at.max(end.at) };
    let (mut was_there, mut is_over) = (false, false);
    let Start { from, mut redo, mut reader, active } = loop {
        match begin(source, pool, control, options)? {
            Ok(start) => break start,
            Err(_) if is_over => return Ok(nothing(control, end)),
            // Not received yet.
            Err(at) if at >= end.at && !was_there => {
                if at <= places.readable_at && end.at >= places.whole_at && control.round == Lsn::ZERO {
                    nothing_to_apply(control, end, tail, readers);
                }
                match tail.wait(at) {
                    Some(durable) => was_there = durable > at,
                    // The segment may have come, without a record: it says of which life the end is.
                    None => is_over = true,
                }
            }
            Err(at) => {
                let why = format!("the log at {at}, which the control file names, cannot be read");
                return Err(Error::corrupt(why));
            }
        }
    };
    redo.files.tail = Some(tail);
    if let Some(readers) = readers {
        // Of nobody, where that was told before.
        readers.begin(&active, redo.analysis.next_txn);
        tell_earlier(readers, source, control, &active, from)?;
        redo.readers = Some(readers);
    }
    let mut round = None;
    let ((), done) = with_crew(pool, options, readers, |crew| {
        replay(&mut redo, &mut reader, crew, tail, places, &mut round)
    })?;
    let reached = reader.position() >= control.whole_at;
    if reached {
        unexplained(&redo, done.missing)?;
    }
    let stats = RedoStats {
        records: redo.records,
        skip_new: redo.skip_new,
        log_bytes: reader.position().0.saturating_sub(from.0),
        time_us: began.elapsed().as_micros() as u64,
        ..done.stats
    };
    let (next_txn, next_tree) = (redo.analysis.next_txn, redo.analysis.next_tree);
    Ok(Recovered {
        end: reader.position(),
        incarnation: reader.incarnation(),
        losers: redo.analysis.losers()?,
        next_txn,
        next_tree,
        redo: control.redo.clone(),
        stats,
        last_commit_ms: 0,
        reached,
        bare: Vec::new(),
    })
}

/// Tells of what transactions did that were at work, before the place where the replay begins.
fn tell_earlier(
    readers: &dyn Readers,
    source: &dyn LogSource,
    control: &ControlData,
    active: &[ActiveTxn],
    to: Lsn,
) -> Result<()> {
    let Some(from) = active.iter().map(|t| t.first).min().filter(|first| *first < to) else { return Ok(()) };
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let mut reader = LogReader::open_sequential(source, geometry, from)?;
    while let Some(rec) = reader.next()? {
        if rec.lsn >= to {
            return Ok(());
        }
        readers.earlier(&rec);
    }
    let at = reader.position();
    Err(Error::corrupt(format!("the log cannot be read at {at}, where transactions were at work")))
}

/// From where on things hold.
#[derive(Clone, Copy)]
struct Places {
    /// All is of one moment.
    whole_at: Lsn,
    /// And may be read.
    readable_at: Lsn,
}

/// All is applied before the first record has come (invariant 4).
fn nothing_to_apply(control: &ControlData, end: LifeEnd, tail: &dyn Tail, readers: Option<&dyn Readers>) {
    let (next_txn, next_tree) = (control.next_txn, control.next_file);
    if let Some(readers) = readers.filter(|r| !r.are_in()) {
        readers.begin(&[], next_txn);
        readers.open(end.at); // invariant 3
    }
    tail.applied(Applied { at: end.at, round: None, next_txn, next_tree, last_commit_ms: 0 });
}

/// What a replay came to that had nothing to do.
fn nothing(control: &ControlData, end: LifeEnd) -> Recovered {
    Recovered {
        end: end.at,
        incarnation: end.incarnation,
        losers: Vec::new(),
        next_txn: control.next_txn,
        next_tree: control.next_file,
        redo: control.redo.clone(),
        stats: RedoStats::default(),
        last_commit_ms: 0,
        reached: end.at >= control.whole_at,
        bare: Vec::new(),
    }
}

/// All before `at` was applied.
fn all_applied(
    redo: &mut Redo<'_>,
    at: Lsn,
    tail: &dyn Tail,
    places: Places,
    round: Option<&(Lsn, RoundRecord)>,
    last_commit_ms: u64,
) -> Result<()> {
    if at < places.whole_at {
        return Ok(()); // a copy
    }
    redo.files.restore_lengths()?;
    if let Some(readers) = redo.readers
        && at >= places.readable_at
        && !readers.are_in()
    {
        readers.open(at); // invariant 3
    }
    let (next_txn, next_tree) = (redo.analysis.next_txn, redo.analysis.next_tree);
    tail.applied(Applied { at, round: round.cloned(), next_txn, next_tree, last_commit_ms });
    Ok(())
}

fn replay<'p>(
    redo: &mut Redo<'p>,
    reader: &mut LogReader<'_>,
    crew: &mut Crew<'_, 'p>,
    tail: &dyn Tail,
    mut places: Places,
    round: &mut Option<(Lsn, RoundRecord)>,
) -> Result<()> {
    let mut last_commit_ms = 0;
    loop {
        // First of all: what lies before the redo points is at home.
        all_applied(redo, reader.position(), tail, places, round.as_ref(), last_commit_ms)?;
        let Some(durable) = tail.wait(reader.position()) else { return Ok(()) };
        reader.follow(durable);
        let mut cut_short = false;
        while let Some(rec) = reader.next()? {
            if rec.kind == Kind::Round {
                let decoded = RoundRecord::decode(rec.payload)?;
                if let Some(readers) = redo.readers {
                    readers.round(&decoded);
                }
                *round = Some((rec.lsn, decoded));
            }
            if let Some(ms) = rec.commit_time_ms() {
                if (places.whole_at..places.readable_at).contains(&rec.lsn) && tail.is_new(ms) {
                    places.readable_at = rec.lsn; // invariant 3
                }
                // A copy becomes whole as soon as it can: before, nobody can read it, nor can it take over.
                if rec.lsn >= places.whole_at && tail.is_early(ms, rec.lsn < places.readable_at) {
                    crew.drain()?;
                    all_applied(redo, rec.lsn, tail, places, round.as_ref(), last_commit_ms)?;
                    if !tail.delay(ms) {
                        return Ok(());
                    }
                }
                last_commit_ms = ms;
            }
            redo.record(&rec, crew)?;
            let end = rec.end;
            if crew.is_full() {
                crew.submit()?;
                if crew.has_readers() {
                    // They see it.
                    all_applied(redo, end, tail, places, round.as_ref(), last_commit_ms)?;
                }
                if tail.is_waited_for() {
                    cut_short = true;
                    break;
                }
            }
        }
        if !cut_short && reader.position() < durable {
            let at = reader.position();
            return Err(Error::corrupt(format!(
                "the log is durable up to {durable}, but cannot be read at {at}"
            )));
        }
        crew.drain()?;
    }
}
