//! `evenkeel promote`: a standby takes over.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use evenkeel::Standby;

use crate::config::Config;
use crate::folder::{explain, must_hold_database};
use crate::way_in::{connect_for_replication, refused};
use crate::{CliError, io_error};

const PROGRAM: &str = "evenkeel promote";
/// A replay may take so long.
const SILENCE_MAX: Duration = Duration::from_secs(10 * 365 * 86_400);

pub(crate) const EXAMPLES: &str = "A standby stops to follow, replays what it has received, and becomes a primary, which takes writes. A running server does so at once and lets
clients in when it is done, or this command opens the folder itself. Make sure that the old primary is stopped, and stays so:
nothing here keeps two servers from going on on their own.

Examples:
  evenkeel promote --data ./b";

/// Which standby.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// Folder of the standby
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Configuration file, if no server runs [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Does it.
pub(crate) fn run(args: &PromoteArgs) -> Result<ExitCode, CliError> {
    must_hold_database(&args.data)?;
    crate::cluster::refuse_member(&args.data)?;
    match connect_for_replication(&args.data, PROGRAM)? {
        Some(mut server) => {
            server.set_silence_max(SILENCE_MAX).map_err(io_error("the connection"))?;
            server.query("PROMOTE").map_err(refused)?;
        }
        None => {
            let config = Config::load(args.config.as_deref(), &args.data, None, &[])?;
            let standby = Standby::open(&args.data, config.engine).map_err(|e| explain(e, &args.data))?;
            standby.promote()?.close()?;
        }
    }
    writeln!(stdout(), "{} is a primary now", args.data.display()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}
