//! `evenkeel backup …`: the arguments, and which file does what they ask for.

mod create;
mod delete;
mod show;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use evenkeel::ArchiveStore;
use evenkeel::archive::LEVEL_MAX;

use crate::folder::is_database;
use crate::{CliError, io_error};

/// What to do with backups.
#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Make a base backup of a database, in use or not, into its log archive
    #[command(after_help = CREATE_EXAMPLES)]
    Create(CreateArgs),
    /// List the backups of an archive
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Show one backup: what it needs, its files
    Show(ShowArgs),
    /// Verify backups: every object, every page, the log they need
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Remove backups, and log that none needs
    #[command(after_help = DELETE_EXAMPLES)]
    Delete(DeleteArgs),
}

const CREATE_EXAMPLES: &str = "A running server makes the backup, found by a socket in the database's folder; without one this command opens
the folder itself. The backup goes into the archive that archive_url names, as it is of no use without the log
there; a URL given here must name the same place. Prints the backup's name.

Interrupted or failed, it can go on: --resume keeps what was stored.

Examples:
  evenkeel backup create --data /srv/db
  evenkeel backup create --data /srv/db --label 'before 2.0' --fast
  evenkeel backup create --data /srv/db --incremental
  evenkeel backup create --data /srv/db --resume --rate 0

In SQL: SELECT evenkeel_backup('label', 'incremental=latest, rate=50000000'); pg_stat_progress_basebackup tells
how far it is.";

const LIST_EXAMPLES: &str = "Examples:
  evenkeel backup list /backup/archive
  evenkeel backup list s3://bucket/db --json";

const VERIFY_EXAMPLES: &str = "Reads all objects of the backup, of those that it is laid upon, and the log from where its replay begins to its
end. Without a name, of every complete backup.

Examples:
  evenkeel backup verify /backup/archive
  evenkeel backup verify s3://bucket/db 20261121T200000Z-0a1b2c3d

Exit code: 0 when nothing is wrong; 1 otherwise, with one line for each problem.";

const DELETE_EXAMPLES: &str = "With --keep, backups that ended within that time are kept, and the latest one before: any moment of that time can
be restored. With both rules, what one of them keeps is kept. Never removed: what a kept backup is laid upon, and
a backup that may be in the making (it showed a sign of life within a day). Then log goes that no kept backup needs.

Examples:
  evenkeel backup delete /backup/archive --keep 7d --dry-run
  evenkeel backup delete s3://bucket/db --keep 28d --keep-last 5
  evenkeel backup delete /backup/archive 20261121T200000Z-0a1b2c3d";

/// What to back up, and how.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The database's archive [default: its archive_url]
    #[arg(value_name = "DIR|URL")]
    pub archive: Option<String>,
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Configuration file, if no server runs [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What to call it
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub label: String,
    /// Leave out what has not changed since that backup [default: the latest]
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "latest")]
    pub incremental: Option<String>,
    /// Go on with that backup, which was not completed [default: the latest]
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "latest", conflicts_with_all = ["incremental", "label"])]
    pub resume: Option<String>,
    /// Read at most so many bytes a second; 0: as fast as it goes
    #[arg(long, value_name = "SIZE", default_value = create::RATE, value_parser = evenkeel::settings::bytes)]
    pub rate: u64,
    /// Checkpoint first, so that a restore has less log to replay
    #[arg(long)]
    pub fast: bool,
    /// Level of zstd compression; 0 is nearly none
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=LEVEL_MAX))]
    pub level: u64,
    /// Print the backup's manifest instead of its name
    #[arg(long)]
    pub json: bool,
}

/// Which archive.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Print JSON: an object for each backup
    #[arg(long)]
    pub json: bool,
}

/// Which backup.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Its name
    pub id: String,
    /// Print its manifest as it is
    #[arg(long)]
    pub json: bool,
}

/// Which backups.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Its name [default: every complete one]
    pub id: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which backups.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Folder or URL of the archive
    #[arg(value_name = "DIR|URL")]
    pub archive: String,
    /// Names of backups
    #[arg(value_name = "ID", required_unless_present_any = ["keep", "keep_last"], conflicts_with_all = ["keep", "keep_last"])]
    pub ids: Vec<String>,
    /// Remove all but what is needed to restore any moment of this last time: 12h, 7d, 28d
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub keep: Option<u64>,
    /// Remove all but the latest so many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_last: Option<u32>,
    /// Remove even a named backup that may still be in the making
    #[arg(long, requires = "ids")]
    pub force: bool,
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Does it.
pub(crate) fn run(command: BackupCommand) -> Result<ExitCode, CliError> {
    match command {
        BackupCommand::Create(args) => create::create(&args),
        BackupCommand::List(args) => show::list(&args),
        BackupCommand::Show(args) => show::show(&args),
        BackupCommand::Verify(args) => verify::verify(&args),
        BackupCommand::Delete(args) => delete::delete(&args),
    }
}

/// The archive that a URL or a path names.
pub(crate) fn store(archive: &str) -> Result<Arc<dyn ArchiveStore>, CliError> {
    if archive.contains("://") {
        return Ok(evenkeel_archive::open(archive)?);
    }
    let path = Path::new(archive).canonicalize().map_err(io_error(archive.to_owned()))?;
    if is_database(&path) {
        return Err(CliError::Folder(format!(
            "{archive} holds a database, not an archive: name the place that its archive_url names"
        )));
    }
    Ok(evenkeel_archive::open(&format!("file://{}", path.display()))?)
}

/// A time with a unit, in milliseconds.
fn time_ms(text: &str) -> Result<u64, String> {
    evenkeel::settings::time_us(text).map(|us| us / 1000)
}

/// So many bytes, for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 || value >= 100.0 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// A moment, in local time.
fn moment(ms: u64) -> String {
    match jiff::Timestamp::from_millisecond(ms as i64) {
        Ok(at) if ms > 0 => {
            at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(time_ms("7d"), Ok(7 * 86_400_000));
        assert_eq!(time_ms("30min"), Ok(1_800_000));
        assert!(time_ms("7").is_err() && time_ms("d").is_err());
        assert_eq!((size(0), size(1536), size(200 << 20)), ("0 B".into(), "1.5 kB".into(), "200 MB".into()));
    }
}
