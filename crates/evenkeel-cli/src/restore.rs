//! `evenkeel restore`: a database from an archive, as it was at a moment.
//!
//! It must not know how that is done.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use evenkeel::Lsn;
use evenkeel::base::TxnId;
use evenkeel::recovery::Target;
use evenkeel::restore::{self, Moment, PlanSummary, RestoreOptions, RestoreProgress, Restored};
use indicatif::{ProgressBar, ProgressStyle};

use crate::backup;
use crate::config::Config;
use crate::interrupt::say_when_interrupted;
use crate::time::{local, time_ms};
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str =
    "Fetches the newest base backup that ended before the moment, puts its pages into DIR, and replays the
archived log up to the moment; what had not committed by then is rolled back. Without --to... everything
that is in the archive is restored. DIR must be empty or missing. A restore that was cut short leaves a
file `restoring` in DIR; the same command begins anew there.

The archive is only read. The restored database writes its own log to a new timeline, when it is served
with the same archive_url; what is there is never overwritten, and other moments can still be restored.
Where two databases wrote to one archive side by side, as a restored one does that is tried out with the
archive_url, a moment behind the place where they parted is restored with --timeline only.

A time includes the commits of that very millisecond. It must lie before the last commit in the archive:
otherwise nobody knows whether more would have followed. Credentials for object stores come from the
environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT, ...).

Examples:
  evenkeel restore /backup/archive ./restored
  evenkeel restore s3://bucket/archive ./restored --to '2026-11-21 16:00:00'
  evenkeel restore s3://bucket/archive ./restored --to '2026-11-21 16:00:00+01' --dry-run
  evenkeel restore /backup/archive ./restored --to-name before-the-move
  evenkeel restore /backup/archive ./restored --to-txid 81234
  evenkeel restore /backup/archive ./restored --to-lsn 0/2A31F40 --timeline 1
  evenkeel restore /backup/archive ./restored --set shared_buffers=4GB

Exit code: 0 when the moment was restored, or could be (--dry-run); 1 otherwise. Where log is missing
or damaged, the message names the object and the last moment that can be reached.";

/// What to restore, and where to.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Folder for the database: empty or missing
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Restore what had committed by this time; local time where it names no zone
    #[arg(long, value_name = "TIMESTAMP", value_parser = time_ms, group = "target")]
    pub to: Option<u64>,
    /// Restore up to this position of the log
    #[arg(long, value_name = "LSN", group = "target")]
    pub to_lsn: Option<Lsn>,
    /// Restore up to this transaction's commit
    #[arg(long, value_name = "ID", group = "target")]
    pub to_txid: Option<u64>,
    /// Restore up to the restore point of this name, the first behind the backup
    #[arg(long, value_name = "NAME", group = "target")]
    pub to_name: Option<String>,
    /// Begin with this backup [default: the newest that ended before the moment]
    #[arg(long, value_name = "ID")]
    pub backup: Option<String>,
    /// Follow this timeline; latest is the newest that has log, refused where another one goes on beside it
    #[arg(long, value_name = "N|latest", default_value = "latest", value_parser = timeline)]
    pub timeline: Timeline,
    /// Say what would be done, and whether all objects that it takes are there, without reading them; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Objects fetched at a time
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
    /// Set a setting for the time of the restore, such as shared_buffers; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// Which timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Timeline(Option<u32>);

fn timeline(text: &str) -> Result<Timeline, String> {
    match text {
        "latest" => Ok(Timeline(None)),
        n => n
            .parse()
            .ok()
            .filter(|n| *n > 0)
            .map(|n| Timeline(Some(n)))
            .ok_or_else(|| "expected a number from 1 on, or latest".into()),
    }
}

/// Does it, or says what would be done.
pub(crate) fn run(args: &RestoreArgs) -> Result<ExitCode, CliError> {
    let store = backup::store(&args.archive)?;
    let place = store.describe();
    let settings = Config::load(None, &args.dir, None, &args.set)?.engine;
    let options = RestoreOptions {
        target: target(args),
        backup: args.backup.clone(),
        timeline: args.timeline.0,
        workers: usize::from(args.jobs),
        window: usize::from(args.jobs).clamp(8, 16),
        settings,
        ..RestoreOptions::default()
    };
    let text = if args.dry_run {
        planned(&restore::plan(store, &options)?)
    } else {
        let unfinished =
            format!("{} is no database yet; the same command begins anew there", args.dir.display());
        say_when_interrupted(unfinished)?;
        if let Target::Txn(_) | Target::Name(_) = options.target {
            eprintln!("looking for that moment in {place}");
        }
        let shown = Shown::new();
        let done = restore::restore(store, &args.dir, &options, &|p| shown.show(p));
        shown.end();
        restored(&done?, &place, args)
    };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn target(args: &RestoreArgs) -> Target {
    if let Some(ms) = args.to {
        Target::TimeMs(ms)
    } else if let Some(lsn) = args.to_lsn {
        Target::Lsn(lsn)
    } else if let Some(id) = args.to_txid {
        Target::Txn(TxnId(id))
    } else if let Some(name) = &args.to_name {
        Target::Name(name.clone())
    } else {
        Target::Latest
    }
}

fn mb(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn moment(m: &Moment) -> String {
    match m.commit_ms {
        Some(ms) => format!("{}, last commit at {}", m.lsn, local(ms)),
        None => m.lsn.to_string(),
    }
}

/// Names in a row.
fn chain(plan: &PlanSummary) -> String {
    let named = if plan.label.is_empty() { String::new() } else { format!(" \"{}\"", plan.label) };
    match plan.chain.split_last() {
        Some((top, below)) if !below.is_empty() => format!("{top}{named}, upon {}", below.join(", ")),
        _ => format!("{}{named}", plan.backup),
    }
}

/// Whose log is replayed.
fn timelines(plan: &PlanSummary) -> String {
    let timelines: Vec<String> = plan.timelines.iter().map(u32::to_string).collect();
    timelines.join(", ")
}

fn planned(plan: &PlanSummary) -> String {
    let to = match &plan.target {
        Target::Lsn(to) => format!("up to {to}"),
        Target::TimeMs(ms) => format!("up to {}", local(*ms)),
        _ => "up to its end".into(),
    };
    let broken = plan.broken.as_ref().map_or(String::new(), |why| format!("  not beyond       {why}\n"));
    format!(
        "would restore\n  backup           {}\n  ended            {} at {}\n  pages            {} in {} files, {} to fetch in {} objects\n  log              from {} {to}: {} segments of timeline {}, {} to fetch\n  the log reaches  {}\n{broken}All that it takes is there; what is in it was not read (evenkeel backup verify, evenkeel wal verify). Nothing was written.\n",
        chain(plan),
        plan.backup_end,
        local(plan.backup_ended_ms),
        mb(plan.data_bytes),
        plan.files,
        mb(plan.chunk_bytes),
        plan.chunks,
        plan.log_from,
        plan.segments,
        timelines(plan),
        mb(plan.segment_bytes),
        moment(&plan.end),
    )
}

fn restored(done: &Restored, place: &str, args: &RestoreArgs) -> String {
    let dir = args.dir.display();
    let log_seconds = done.redo.time_us as f64 / 1e6;
    let rate = done.redo.records as f64 / log_seconds.max(1e-6);
    let undone = match done.undone {
        0 => String::new(),
        n => format!("  rolled back  {n} transactions that had not committed\n"),
    };
    format!(
        "restored backup {} and the log of timeline {} up to {}\n{undone}  pages        {} in {} files, {}\n  log          {} records, {} in {log_seconds:.1} s: {rate:.0} records/s\n  fetched      {} in {}\n\nNext:\n  evenkeel check {dir}\nTo look at it, or to take from it what was lost; it archives nothing:\n  evenkeel serve --data {dir}\nTo go on from here, in the place of the database that was restored:\n  evenkeel serve --data {dir} --set archive_url={}\nIts log then goes to a new timeline of the archive, which later restores follow; make a base backup of it soon.\n",
        done.plan.backup,
        timelines(&done.plan),
        moment(&done.reached),
        mb(done.plan.data_bytes),
        done.plan.files,
        seconds(done.pages_time),
        done.redo.records,
        mb(done.redo.log_bytes),
        mb(done.fetched_bytes),
        seconds(done.time),
        place,
    )
}

/// Progress on standard error: bars on a terminal, a line for each stage otherwise.
pub(crate) struct Shown(Mutex<Bars>);

#[derive(Default)]
struct Bars {
    bar: Option<ProgressBar>,
    stage: &'static str,
}

impl Shown {
    pub fn new() -> Shown {
        Shown(Mutex::default())
    }

    pub fn show(&self, p: &RestoreProgress) {
        let mut bars = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match p {
            RestoreProgress::Planned(plan) => bars.stage("plan", 0, || {
                format!("backup {}, and {} log segments behind it", chain(plan), plan.segments)
            }),
            RestoreProgress::Pages { done_bytes, total_bytes } => {
                bars.stage("pages", *total_bytes, || format!("fetching pages: {}", mb(*total_bytes)));
                bars.at(*done_bytes, || mb(*done_bytes));
            }
            RestoreProgress::Log { segments, segments_total, redo } => {
                bars.stage("log", *segments_total, || format!("replaying {segments_total} log segments"));
                let rate = redo.records as f64 / redo.elapsed.as_secs_f64().max(1e-3);
                bars.at(*segments, || format!("{}, {} records, {rate:.0} records/s", redo.at, redo.records));
            }
            RestoreProgress::Finishing => {
                bars.stage("end", 0, || "rolling back what had not committed, making all durable".into());
            }
        }
    }

    pub fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Bars {
    /// A new stage, of so many steps; 0: nobody knows how many.
    fn stage(&mut self, stage: &'static str, steps: u64, what: impl FnOnce() -> String) {
        if self.stage == stage {
            return;
        }
        self.clear();
        self.stage = stage;
        eprintln!("{}", what());
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {wide_msg}");
        if let Some(style) = style.ok().filter(|_| steps > 0 && stderr().is_terminal()) {
            self.bar = Some(ProgressBar::new(steps).with_style(style));
        }
    }

    fn at(&self, step: u64, what: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(what());
            bar.set_position(step);
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_is_a_number_or_the_latest() {
        assert_eq!(timeline("latest"), Ok(Timeline(None)));
        assert_eq!(timeline("3"), Ok(Timeline(Some(3))));
        assert!(timeline("0").is_err() && timeline("newest").is_err());
    }
}
