//! `evenkeel mark`: a named restore point.

use std::io::{Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::config::Config;
use crate::way_in::{connect, literal, open, refused};
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str = "Puts a named record into the log and prints the position behind it, once it is durable. With an archive_url the
log up to there is archived at once, so that a restore can go there from now on. A running server does both, or
this command opens the folder itself. Names need not be unique; a restore takes the first.

Examples:
  evenkeel mark before-the-migration --data /srv/db
  evenkeel restore s3://bucket/db /srv/restored --to-name before-the-migration

In SQL: SELECT pg_create_restore_point('before-the-migration'); and SELECT pg_switch_wal() archives the log.";

/// What to name, and where.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// Its name, at most 128 bytes
    pub name: String,
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Configuration file, if no server runs [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Does it.
pub(crate) fn run(args: &MarkArgs) -> Result<ExitCode, CliError> {
    let at = match connect(&args.data, "evenkeel mark")? {
        Some(mut server) => {
            let sql = format!("SELECT pg_create_restore_point({})", literal(&args.name));
            let at = server.value(&sql).map_err(refused)?.unwrap_or_default();
            if let Err(e) = server.value("SELECT pg_switch_wal()").map_err(refused) {
                let waits = "the restore point is set, but its log is not in the archive yet; the server goes on trying";
                writeln!(stderr(), "evenkeel mark: {waits}: {e}").map_err(io_error("standard error"))?;
            }
            at
        }
        None => {
            let config = Config::load(args.config.as_deref(), &args.data, None, &[])?;
            let database = open(&args.data, config)?;
            let marked = database.mark(&args.name);
            database.close()?;
            marked?.to_string()
        }
    };
    writeln!(stdout(), "{at}").map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}
