//! `evenkeel standby` and `evenkeel promote`: servers that follow another one (S25).
//!
//! It must not know how a log is followed.

mod create;
mod from_archive;
pub(crate) mod promote;
pub(crate) mod rejoin;
pub(crate) mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::CliError;
pub(crate) use create::slot_name;

const CREATE_EXAMPLES: &str = "Copies the files of a running server, which goes on meanwhile, into an empty or missing folder. A server that is started in it receives
and replays the other one's log from then on. A replication slot there keeps the log that it still needs, at most
max_slot_wal_keep_size of it.

The server may be a standby itself: it hands on what it receives then. With an archive's URL the files come from the newest base
backup there, and the log since then from the server, which takes from its archive what it has not any more.

Examples:
  evenkeel standby create ./b --from 'host=127.0.0.1 port=5433 user=postgres'
  evenkeel standby create ./b --from s3://bucket/archive --follow 'host=127.0.0.1 port=5433 user=postgres'
  evenkeel serve --data ./b --listen 127.0.0.1:5434
  evenkeel promote --data ./b";

/// How fast pages are read unless it is said otherwise.
const RATE: &str = "100MB";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum StandbyCommand {
    /// Make a standby of a running server
    #[command(after_help = CREATE_EXAMPLES)]
    Create(CreateArgs),
}

/// What to copy, and how.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Folder of the standby: empty or missing
    pub folder: PathBuf,
    /// The server to copy, as a connection string; it is followed then, and kept in the folder's evenkeel.toml as primary_conninfo. Or the URL of an archive
    #[arg(long, value_name = "CONNINFO|URL")]
    pub from: String,
    /// With an archive: the server to follow
    #[arg(long, value_name = "CONNINFO")]
    pub follow: Option<String>,
    /// Name of the replication slot that is created there [default: the folder's name]
    #[arg(long, value_name = "NAME")]
    pub slot: Option<String>,
    /// Read the pages of a server at most so fast, bytes a second; 0: as fast as it goes
    #[arg(long, value_name = "BYTES", default_value = RATE, value_parser = evenkeel::settings::bytes)]
    pub rate: u64,
    /// Level of zstd compression on the way; 0: nearly none
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=19))]
    pub level: u64,
    /// Have the server that is copied checkpoint first, as fast as it may: there is less log to replay
    #[arg(long)]
    pub fast: bool,
}

/// Does it.
pub(crate) fn run(command: &StandbyCommand) -> Result<ExitCode, CliError> {
    match command {
        StandbyCommand::Create(args) => create::create(args),
    }
}
