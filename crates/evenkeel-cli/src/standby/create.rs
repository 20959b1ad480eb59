//! `evenkeel standby create`: a copy of a running server's files.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenkeel::{Error, Lsn, Options, Position, StandbyCopy};
use evenkeel_client::{ConnString, Connection, WireError, server_error};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{CreateArgs, from_archive};
use crate::config::FILE_NAME;
use crate::config_file;
use crate::way_in::{refused, unreached};
use crate::{CliError, io_error};

pub(super) const PROGRAM: &str = "evenkeel standby create";
/// How long the server may take to begin.
const SILENCE_MAX: Duration = Duration::from_secs(10 * 365 * 86_400);
/// How often it is looked for a signal.
const LOOK: Duration = Duration::from_millis(200);
/// Longest name of a slot.
const SLOT_BYTES_MAX: usize = 63;

pub(super) fn create(args: &CreateArgs) -> Result<ExitCode, CliError> {
    if from_archive::is_archive(&args.from) {
        return from_archive::create(args);
    }
    if args.follow.is_some() {
        return Err(CliError::Folder(
            "--follow goes with an archive's URL: a server that is copied is followed".into(),
        ));
    }
    let primary: ConnString = args.from.parse().map_err(CliError::Folder)?;
    let options = Options::default();
    StandbyCopy::check(&args.folder, &options)?;
    let slot = args.slot.clone().unwrap_or_else(|| slot_name(&args.folder));
    let stop = stop_by_signals()?;
    let mut server = Connection::open_for_replication(&primary, PROGRAM).map_err(unreached(&primary))?;
    create_slot(&mut server, &slot)?;
    let bar = progress();
    let copied = StandbyCopy::fill(&args.folder, &options, |disk| {
        // Before the folder is a standby: whoever starts it then finds whom to follow.
        let keep = |name, value: &str| config_file::keep(&args.folder.join(FILE_NAME), name, value);
        let command = base_backup(&slot, args.rate, args.level, args.fast, "");
        let mut begin =
            |label: &[u8], bytes: u64| Ok(StandbyCopy::begin(disk.clone(), label, bytes, &args.from)?);
        let mut copying = Copying { server: &mut server, stop: &stop, bar: &bar };
        Ok(copying.run(&command, &mut begin, &|| {
            keep("primary_conninfo", &args.from)
                .and_then(|()| keep("primary_slot_name", &slot))
                .map_err(|e| Error::InvalidArgument(e.to_string()))
        }))
    });
    bar.finish_and_clear();
    let bytes = match copied.map_err(CliError::from).and_then(|copied| copied) {
        Ok(bytes) => bytes,
        Err(e) => {
            drop(server);
            drop_slot(&primary, &slot);
            return Err(e);
        }
    };
    let folder = args.folder.display();
    writeln!(
        stdout(),
        "{folder} is a standby of {primary}, with {} of files; its replication slot there is \"{slot}\".\n\nStart it with: evenkeel serve --data {folder} --listen 127.0.0.1:5434",
        crate::backup::size(bytes)
    )
    .map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

/// The folder's name, as far as a slot may be called that.
pub(crate) fn slot_name(folder: &Path) -> String {
    let full = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = full.file_name().map_or_else(String::new, |n| n.to_string_lossy().to_lowercase());
    let fitting = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' };
    let name: String = name.chars().map(fitting).take(SLOT_BYTES_MAX).collect();
    if name.is_empty() { "standby".into() } else { name }
}

/// Creates the slot, which keeps log from now on.
pub(super) fn create_slot(server: &mut Connection, slot: &str) -> Result<(), CliError> {
    let create = format!("CREATE_REPLICATION_SLOT \"{slot}\" PHYSICAL (RESERVE_WAL)");
    server.query(&create).map(drop).map_err(|e| explain_slot(e, slot))
}

/// Nobody follows by it: what it keeps would be kept in vain.
pub(super) fn drop_slot(primary: &ConnString, slot: &str) {
    if let Ok(mut again) = Connection::open_for_replication(primary, PROGRAM) {
        let _ = again.query(&format!("DROP_REPLICATION_SLOT \"{slot}\""));
    }
}

fn explain_slot(e: WireError, slot: &str) -> CliError {
    match e {
        WireError::Server { code, .. } if code == "42710" => CliError::Folder(format!(
            "the server has a replication slot \"{slot}\" already: choose another name with --slot, or, if nobody uses that one any more, SELECT pg_drop_replication_slot('{slot}') there"
        )),
        e => not_taken(e),
    }
}

/// What the server said of a command that only an evenkeel knows.
fn not_taken(e: WireError) -> CliError {
    match e {
        WireError::Server { code, message } if code == "42601" || code == "0A000" => {
            CliError::Folder(format!(
                "the server does not take this command ({message}): is it an evenkeel, and not older than this program?"
            ))
        }
        e => refused(e),
    }
}

/// Takes the label of a copy, and about how many bytes will come.
pub(super) type Begin<'a> = dyn FnMut(&[u8], u64) -> Result<StandbyCopy, CliError> + 'a;

/// How to copy.
pub(super) struct Copying<'a> {
    pub server: &'a mut Connection,
    pub stop: &'a AtomicBool,
    pub bar: &'a ProgressBar,
}

impl Copying<'_> {
    /// Sends BASE_BACKUP and takes what comes. `ready` is called when only the last step is left. Gives the bytes of the pages that came.
    pub fn run(
        &mut self,
        command: &str,
        begin: &mut Begin<'_>,
        ready: &dyn Fn() -> evenkeel::Result<()>,
    ) -> Result<u64, CliError> {
        let Copying { server, stop, bar } = self;
        // It may checkpoint first.
        server.set_silence_max(SILENCE_MAX).map_err(io_error("the connection"))?;
        server.begin_copy(command).map_err(not_taken)?;
        server.set_silence_max(LOOK).map_err(io_error("the connection"))?;
        let style = ProgressStyle::with_template(
            "{bar:20} {percent:>3} %  {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        let mut copying: Option<StandbyCopy> = None;
        let mut whole = None;
        let mut bytes = 0;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(CliError::Folder("interrupted: run it again, it begins anew".into()));
            }
            let Some((kind, body)) = server.message().map_err(refused)? else {
                server.fill().map_err(|e| refused(e.into()))?;
                continue;
            };
            match kind {
                b'd' => {}
                b'E' => return Err(refused(server_error(body))),
                b'Z' => break,
                _ => continue,
            }
            let nonsense = || CliError::Folder("the server sent what is no copy of its files".into());
            let (head, rest) = body.split_at_checked(9).ok_or_else(nonsense)?;
            let number = u64::from_be_bytes(head[1..].try_into().map_err(|_| nonsense())?);
            match (head[0], &mut copying) {
                (b'l', None) => {
                    bar.set_length(number);
                    copying = Some(begin(rest, number)?);
                }
                (b'v', Some(copying)) => copying.lives(&String::from_utf8_lossy(rest))?,
                (b'p', Some(copying)) => {
                    copying.pages(rest)?;
                    bytes += number;
                    bar.set_position(bytes);
                }
                (b'e', Some(_)) => {
                    let life = u64::from_be_bytes(rest.try_into().map_err(|_| nonsense())?);
                    whole = Some(Position { life, lsn: Lsn(number) });
                }
                _ => return Err(nonsense()),
            }
        }
        match (copying, whole) {
            (Some(copying), Some(whole)) => {
                ready()?;
                copying.finish(whole)?;
                Ok(bytes)
            }
            _ => Err(CliError::Folder("the server ended the copy before it was complete".into())),
        }
    }
}

/// Which database the server has.
pub(super) fn identify(server: &mut Connection) -> Result<u64, CliError> {
    let rows = server.query("IDENTIFY_SYSTEM").map_err(refused)?;
    let id = rows.first().and_then(|row| row.first()).and_then(Option::as_deref);
    id.and_then(|id| id.parse().ok()).ok_or_else(|| CliError::Folder("the server is no evenkeel".into()))
}

/// The command that fetches files.
pub(super) fn base_backup(slot: &str, rate: u64, level: u64, fast: bool, more: &str) -> String {
    let checkpoint = if fast { "fast" } else { "spread" };
    format!(
        "BASE_BACKUP (SLOT '{slot}', MAX_RATE {}, LEVEL {level}, CHECKPOINT '{checkpoint}'{more})",
        rate.div_ceil(1024)
    )
}

/// Signals that end it.
pub(super) fn stop_by_signals() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone()).map_err(io_error("signals"))?;
    }
    Ok(stop)
}

/// Shows how far it is, if somebody looks.
pub(super) fn progress() -> ProgressBar {
    if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_called_as_the_folder_if_that_is_a_name() {
        for (folder, name) in [("./b", "b"), ("/srv/DB-2", "db_2"), ("/", "standby"), ("x/ü", "_")] {
            assert_eq!(slot_name(Path::new(folder)), name);
        }
    }
}
