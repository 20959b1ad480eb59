//! `evenkeel wal …`: the arguments, and which file does what they ask for.

mod convert;
mod dump;
mod give_up;
mod source;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use evenkeel::Lsn;
use evenkeel::archive::LEVEL_MAX;
use evenkeel::base::{FileId, PageId};

use crate::CliError;
use crate::time::time_ms;

/// What to do with the log.
#[derive(Debug, Subcommand)]
pub(crate) enum WalCommand {
    /// Print the log's records, one to a line, or what they add up to
    #[command(after_help = DUMP_EXAMPLES)]
    Dump(DumpArgs),
    /// Take the page images out of log segments
    #[command(after_help = STRIP_EXAMPLES)]
    Strip(StripArgs),
    /// Make segments that the engine reads from stripped or packed ones
    #[command(after_help = FILL_EXAMPLES)]
    Fill(FillArgs),
    /// Verify a log archive: gaps, damaged segments, wrong timelines
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Go on without the log behind a damaged place; its commits are lost
    #[command(name = "give-up", after_help = GIVE_UP_EXAMPLES)]
    GiveUp(GiveUpArgs),
}

const GIVE_UP_EXAMPLES: &str =
    "For a database whose start says that its log is damaged, if neither a copy of the segment nor an archive
(archive_url) nor a backup (evenkeel restore) can help. Takes the very place that the start names, prints what
is lost, and keeps the files of the log under other names. Where pages are newer than the place the database
opens for reading only afterwards.

Example:
  evenkeel wal give-up ./evenkeel-data --from 0/3C5D6";

/// What to give up.
#[derive(Debug, Args)]
pub(crate) struct GiveUpArgs {
    /// Folder of the database; no server may have it
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// The damaged place, as the start names it
    #[arg(long, value_name = "LSN")]
    pub from: Lsn,
    /// Set a setting; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

const VERIFY_EXAMPLES: &str =
    "Reads every segment of every timeline. Credentials for object stores come from the environment
(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT, ...).

Examples:
  evenkeel wal verify /backup/archive
  evenkeel wal verify s3://bucket/archive

Exit code: 0 when nothing is wrong; 1 otherwise, with one line for each problem.";

/// Which archive.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const STRIP_EXAMPLES: &str = "Writes OUT/NUMBER.seg for each segment: without page images, packed and compressed. Every record keeps
its address. A segment that is damaged, or holds something unknown, is refused; stripping what is stripped changes
nothing. Replaying a stripped log needs the pages whole: torn_page_protection = double_write.

Examples:
  evenkeel wal strip ./evenkeel-data -o /backup/log
  evenkeel wal strip 0000000000000004 0000000000000005 -o . --level 0";

/// What to strip, and where to put it.
#[derive(Debug, Args)]
pub(crate) struct StripArgs {
    /// Log segments, or folders: of segments, of a database, of an archive
    #[arg(value_name = "FILE|DIR", required = true)]
    pub paths: Vec<PathBuf>,
    /// Folder for the stripped segments; made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Level of zstd compression; 0 is none
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=LEVEL_MAX))]
    pub level: u64,
}

const FILL_EXAMPLES: &str =
    "Writes OUT/NUMBER for each segment, of full length; zeros stand where images were.

Example:
  evenkeel wal fill /backup/log -o ./evenkeel-data/wal";

/// What to fill, and where to put it.
#[derive(Debug, Args)]
pub(crate) struct FillArgs {
    /// Stripped or packed segments, or folders: of segments, of an archive
    #[arg(value_name = "FILE|DIR", required = true)]
    pub paths: Vec<PathBuf>,
    /// Folder for the segments; made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

const DUMP_EXAMPLES: &str =
    "Reads the files only: a server may be running. Times are local where they name no zone.

Examples:
  evenkeel wal dump ./evenkeel-data
  evenkeel wal dump ./evenkeel-data --from 0/2000000 --to 0/2100000
  evenkeel wal dump ./evenkeel-data --stats
  evenkeel wal dump ./evenkeel-data --page 17/5 --json
  evenkeel wal dump 0000000000000004 0000000000000005 --txid 812
  evenkeel wal dump ./evenkeel-data --since '2026-11-21 16:00:00' --until '2026-11-21 16:05:00'";

/// Which part of the log, and how to print it.
#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// Folder of a database or an archive, or files or folders of log segments
    #[arg(value_name = "DIR|FILE", required_unless_present = "data")]
    pub paths: Vec<PathBuf>,
    /// Folder of a database
    #[arg(long, value_name = "DIR", conflicts_with = "paths")]
    pub data: Option<PathBuf>,
    /// Begin at this record [default: the oldest that can be read]
    #[arg(long, value_name = "LSN")]
    pub from: Option<Lsn>,
    /// End before this position [default: the log's end]
    #[arg(long, value_name = "LSN")]
    pub to: Option<Lsn>,
    /// Records of this transaction only
    #[arg(long, value_name = "ID")]
    pub txid: Option<u64>,
    /// Records about this data file only
    #[arg(long, value_name = "NUMBER")]
    pub file: Option<u64>,
    /// Records about this page only
    #[arg(long, value_name = "FILE/BLOCK", value_parser = page)]
    pub page: Option<PageId>,
    /// Records of transactions that committed at this time or later
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub since: Option<u64>,
    /// Records of transactions that committed at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub until: Option<u64>,
    /// Count records, bytes and bytes of images by kind instead of printing records
    #[arg(long)]
    pub stats: bool,
    /// Print JSON: an object for each record, or one of sums
    #[arg(long)]
    pub json: bool,
}

/// Does it.
pub(crate) fn run(command: WalCommand) -> Result<ExitCode, CliError> {
    match command {
        WalCommand::Dump(args) => dump::dump(&args),
        WalCommand::Strip(args) => convert::strip(&args),
        WalCommand::Fill(args) => convert::fill(&args),
        WalCommand::GiveUp(args) => give_up::give_up(&args),
        WalCommand::Verify(args) => verify::verify(&args),
    }
}

fn page(text: &str) -> Result<PageId, String> {
    let parsed = text.split_once('/').and_then(|(f, b)| Some((f.parse().ok()?, b.parse().ok()?)));
    parsed
        .map(|(file, block)| PageId::new(FileId(file), block))
        .ok_or_else(|| "expected FILE/BLOCK, two numbers".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_two_numbers() {
        assert_eq!(page("17/5"), Ok(PageId::new(FileId(17), 5)));
        assert!(page("17").is_err() && page("17/5/3").is_err() && page("17/-1").is_err());
    }
}
