//! `evenkeel rejoin`: a server that was a primary follows the one that took over.
//!
//! Invariants
//! 1. What only this server has committed is in a file before anything of it is overwritten.
//!
//! It must not know what a fork is, nor which pages have changed.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use evenkeel::{Database, Error, Lsn, Options, Rejoining, Standby};
use evenkeel_client::{ConnString, Connection};
use evenkeel_sql::diverged;

use super::RATE;
use super::create::{Copying, base_backup, identify, progress, slot_name, stop_by_signals};
use crate::config::{Config, FILE_NAME};
use crate::folder::{explain, must_hold_database};
use crate::way_in::{literal, refused, unreached};
use crate::{CliError, config_file, io_error};

const PROGRAM: &str = "evenkeel rejoin";

pub(crate) const EXAMPLES: &str = "The folder is that of a server that was a primary, or another standby of it, and is stopped, however it ended. It is recovered; transactions that only it has, because the other server took over
without them, are written to a file; then all pages that either has touched since are fetched, and what is left is a standby of the other server. Cut short, it
is run again: meanwhile the folder is no database.

Examples:
  evenkeel rejoin ./a --to 'host=127.0.0.1 port=5434 user=postgres'
  evenkeel serve --data ./a";

/// Which server, and whom it is to follow.
#[derive(Debug, Args)]
pub(crate) struct RejoinArgs {
    /// Folder of the server that was a primary, or followed it
    pub folder: PathBuf,
    /// The server to follow, as a connection string; it is kept in the folder's evenkeel.toml as primary_conninfo
    #[arg(long, value_name = "CONNINFO")]
    pub to: String,
    /// Name of the replication slot that is created there, in place of an unused one of that name [default: the folder's name]
    #[arg(long, value_name = "NAME")]
    pub slot: Option<String>,
    /// File for transactions that only this server has [default: beside the folder, FOLDER.diverged-LSN.txt]
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Go on also where it cannot be told any more what only this server has committed
    #[arg(long)]
    pub discard: bool,
    /// Read the pages there at most so fast, bytes a second; 0: as fast as it goes
    #[arg(long, value_name = "BYTES", default_value = RATE, value_parser = evenkeel::settings::bytes)]
    pub rate: u64,
    /// Level of zstd compression on the way; 0: nearly none
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=19))]
    pub level: u64,
}

/// Does it.
pub(crate) fn run(args: &RejoinArgs) -> Result<ExitCode, CliError> {
    must_hold_database(&args.folder)?;
    let primary: ConnString = args.to.parse().map_err(CliError::Folder)?;
    let stop = stop_by_signals()?;
    let mut server = Connection::open_for_replication(&primary, PROGRAM).map_err(unreached(&primary))?;
    let database = identify(&mut server)?;
    let said = match Rejoining::is_cut_short(&args.folder, &Options::default())? {
        true => String::new(),
        false => export(args, &mut server, database)?,
    };
    let rejoining =
        Rejoining::open(&args.folder, &Options::default()).map_err(|e| explain(e, &args.folder))?;
    if rejoining.database_id() != database {
        return Err(another_database());
    }
    let fork = find_fork(&mut server, &rejoining.lives())?;
    let have = rejoining.have(fork)?;
    let slot = args.slot.clone().unwrap_or_else(|| slot_name(&args.folder));
    // One of an earlier attempt, or of an earlier time.
    let known = server.query(&format!("READ_REPLICATION_SLOT \"{slot}\"")).map_err(refused)?;
    if known.first().is_some_and(|row| row.first().is_some_and(Option::is_some)) {
        server.query(&format!("DROP_REPLICATION_SLOT \"{slot}\"")).map_err(refused)?;
    }
    let create = format!("CREATE_REPLICATION_SLOT \"{slot}\" PHYSICAL (RESERVE_WAL)");
    server.query(&create).map_err(refused)?;
    let command =
        base_backup(&slot, args.rate, args.level, true, &format!(", HAVE {}", literal(&have.encode())));
    let bar = progress();
    let mut rejoining = Some(rejoining);
    let mut begin = |label: &[u8], _: u64| match rejoining.take() {
        Some(rejoining) => Ok(rejoining.begin(label, fork, &args.to)?),
        None => Err(CliError::Folder("the server began its copy twice".into())),
    };
    let mut copying = Copying { server: &mut server, stop: &stop, bar: &bar };
    let keep = |name, value: &str| config_file::keep(&args.folder.join(FILE_NAME), name, value);
    copying.run(&command, &mut begin, &|| {
        keep("primary_conninfo", &args.to)
            .and_then(|()| keep("primary_slot_name", &slot))
            .map_err(|e| Error::InvalidArgument(e.to_string()))
    })?;
    bar.finish_and_clear();
    let folder = args.folder.display();
    writeln!(
        stdout(),
        "{said}{folder} is a standby of {primary}; their logs were the same up to {fork}; its replication slot there is \"{slot}\".\n\nStart it with: evenkeel serve --data {folder}"
    )
    .map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn another_database() -> CliError {
    CliError::Folder(
        "the server has another database: only one that took over from this one can be followed".into(),
    )
}

fn find_fork(server: &mut Connection, lives: &[(u64, Lsn)]) -> Result<Lsn, CliError> {
    fork(server, lives)?.ok_or_else(|| {
        CliError::Folder(
            "it is not known where the two logs parted: make a new copy in an empty folder with evenkeel standby create".into(),
        )
    })
}

/// Up to where the server's log is the same as one with these lives, youngest first; `None`: nowhere, as far as it knows.
pub(super) fn fork(server: &mut Connection, lives: &[(u64, Lsn)]) -> Result<Option<Lsn>, CliError> {
    let text: Vec<String> = lives.iter().map(|(life, end)| format!("{life:016x}:{end}")).collect();
    let rows = server.query(&format!("FORK '{}'", text.join(","))).map_err(refused)?;
    let fork = rows.first().and_then(|row| row.first()).and_then(Option::as_deref);
    Ok(fork.and_then(|lsn| lsn.parse().ok()))
}

/// Recovers the database, and writes down what only it has (1). Gives what to say of that.
fn export(args: &RejoinArgs, server: &mut Connection, database: u64) -> Result<String, CliError> {
    // A standby is none any more once it has been looked at.
    if Rejoining::database_of(&args.folder, &Options::default())? != database {
        return Err(another_database());
    }
    // It must not go on with an archive that the other one has by now.
    let config = Config::load(None, &args.folder, None, &[])?;
    let options = config.engine.without_archive().with_synchronous(None).without_threads().keeping_log();
    // What is logged to look at it belongs to no epoch: in a cluster it must not be taken for a leader's.
    let options = options.with_epoch(0);
    // Another one than the standby that took over: what it has received, that one need not have.
    let is_standby = Standby::is_one(&args.folder)?;
    let db = match is_standby {
        true => Standby::open(&args.folder, options).and_then(Standby::promote),
        false => Database::open(&args.folder, options),
    };
    let db = db.map_err(|e| explain(e, &args.folder))?;
    look_at(args, server, &db).map_err(|e| match is_standby {
        true => CliError::Folder(format!(
            "{e}\nThe folder is no standby any more, and must not be served beside its primary: run evenkeel rejoin again"
        )),
        false => e,
    })
}

/// Writes down what only this database has (1), and closes it.
fn look_at(args: &RejoinArgs, server: &mut Connection, db: &Database) -> Result<String, CliError> {
    let fork = find_fork(server, &db.lives()?)?;
    let said = match db.diverged_since(fork) {
        Ok(only_here) if only_here.is_empty() => String::new(),
        Ok(only_here) => {
            let path = args.export.clone().unwrap_or_else(|| beside(&args.folder, fork));
            let ctx = || io_error(path.display().to_string());
            let mut file = std::fs::File::create(&path).map_err(|e| ctx()(e))?;
            let rows = diverged::export(db, &only_here, &mut file)?;
            file.sync_all().map_err(|e| ctx()(e))?;
            let parent = std::path::absolute(&path).ok().and_then(|p| p.parent().map(Path::to_path_buf));
            if let Some(parent) = parent {
                std::fs::File::open(parent).and_then(|dir| dir.sync_all()).map_err(|e| ctx()(e))?;
            }
            format!(
                "{} transactions that only this server had, with {rows} rows, are in {}.\n",
                only_here.len(),
                path.display()
            )
        }
        Err(e) if args.discard => format!("What only this server had committed cannot be named: {e}.\n"),
        Err(e) => {
            db.close()?;
            return Err(CliError::Folder(format!(
                "what only this server has committed cannot be named: {e}. Nothing was overwritten; with --discard it is lost unseen"
            )));
        }
    };
    db.close()?;
    Ok(said)
}

fn beside(folder: &Path, fork: Lsn) -> PathBuf {
    let full = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut name = full.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".diverged-{}.txt", fork.to_string().replace('/', "-")));
    full.with_file_name(name)
}
