//! `evenkeel backup create`: by way of the server that has the folder, or in this process.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenkeel::archive;
use evenkeel::{BackupOptions, BackupProgress, Which};
use evenkeel_client::{Connection, WireError};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{CreateArgs, size, store};
use crate::config::Config;
use crate::way_in::{connect, literal, open, refused};
use crate::{CliError, io_error};

/// How fast pages are read unless it is said otherwise.
pub(super) const RATE: &str = "20MB";
const PROGRAM: &str = "evenkeel backup";
/// How often the server is asked how far it is.
const ASK: Duration = Duration::from_millis(300);
/// A backup may be silent for so long.
const SILENCE_MAX: Duration = Duration::from_secs(10 * 365 * 86_400);

/// Makes one, and prints its name.
pub(super) fn create(args: &CreateArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone()).map_err(io_error("signals"))?;
    }
    let show = Show::new();
    let made = match connect(&args.data, PROGRAM)? {
        Some(server) => by_server(args, server, &stop, &show),
        None => by_oneself(args, &stop, &show),
    };
    show.bar.finish_and_clear();
    let (id, archive_url) = made.map_err(|e| match e {
        CliError::Engine(evenkeel::Error::Canceled) => CliError::Folder(
            "interrupted: what was stored stays, evenkeel backup create --resume goes on with it".into(),
        ),
        e => e,
    })?;
    let out = if args.json {
        archive::manifest(&*evenkeel_archive::open(&archive_url)?, &id)?.encode()
    } else {
        format!("{id}\n").into_bytes()
    };
    stdout().write_all(&out).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

/// A bar on a terminal.
struct Show {
    bar: ProgressBar,
}

impl Show {
    fn new() -> Show {
        let bar = if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        Show { bar }
    }

    /// A bar while pages are copied; the phases before and after have no measure.
    fn progress(&self, phase: &str, total: u64, copied: u64) {
        let copying = copied > 0 && copied < total;
        let template = if copying { "{bar:20} {percent:>3} %  {wide_msg}" } else { "{spinner} {wide_msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(total);
        self.bar.set_position(copied.min(total));
        self.bar.set_message(if copying {
            let left = self.bar.eta().as_secs();
            format!(
                "{} of {}, {} a second, {left} s left",
                size(copied),
                size(total),
                size(self.bar.per_sec() as u64)
            )
        } else {
            phase.to_owned()
        });
        self.bar.tick();
    }
}

/// The archive given must be the database's own.
fn check_archive(args: &CreateArgs, own: &str) -> Result<(), CliError> {
    let Some(given) = &args.archive else { return Ok(()) };
    let place = |url: &str| store(url).map(|s| s.describe().trim_end_matches('/').to_owned());
    if own.is_empty() {
        return Err(CliError::Folder(
            "the database archives its log nowhere, and a backup is of no use without it: set archive_url, and restart".into(),
        ));
    }
    if place(given)? != place(own)? {
        return Err(CliError::Folder(format!(
            "backups go into the database's own archive, {own}: {given} is another place"
        )));
    }
    Ok(())
}

/// Gives name and archive.
fn by_server(
    args: &CreateArgs,
    mut server: Connection,
    stop: &AtomicBool,
    show: &Show,
) -> Result<(String, String), CliError> {
    let archive_url = server.value("SHOW archive_url").map_err(refused)?.unwrap_or_default();
    check_archive(args, &archive_url)?;
    let pid = server.value("SELECT pg_backend_pid()").map_err(refused)?.unwrap_or_default();
    let Some(mut watch) = connect(&args.data, PROGRAM)? else {
        return Err(CliError::Folder("the server in the folder has gone".into()));
    };
    let mut options = vec![
        format!("rate={}", args.rate),
        format!("level={}", args.level),
        format!("checkpoint={}", if args.fast { "fast" } else { "spread" }),
    ];
    options.extend(args.incremental.iter().map(|id| format!("incremental={id}")));
    options.extend(args.resume.iter().map(|id| format!("resume={id}")));
    let sql = format!("SELECT evenkeel_backup({}, {})", literal(&args.label), literal(&options.join(", ")));
    server.set_silence_max(SILENCE_MAX).map_err(io_error("the connection"))?;
    let made = std::thread::scope(|s| {
        let making = s.spawn(move || server.value(&sql));
        let mut cancelled = false;
        while !making.is_finished() {
            if stop.load(Ordering::Relaxed) && !cancelled {
                cancelled = true;
                let _ = watch.query(&format!("SELECT pg_cancel_backend({pid})"));
            }
            // The backup does not depend on who watches it.
            let rows =
                watch.query("SELECT phase, backup_total, backup_streamed FROM pg_stat_progress_basebackup");
            if let Some([Some(phase), Some(total), Some(copied)]) =
                rows.ok().and_then(|mut r| r.pop()).as_deref()
            {
                show.progress(phase, total.parse().unwrap_or(0), copied.parse().unwrap_or(0));
            }
            std::thread::sleep(ASK);
        }
        making.join().unwrap_or_else(|_| Err(WireError::Protocol("the connection's thread panicked".into())))
    });
    match made {
        Ok(id) => Ok((id.unwrap_or_default(), archive_url)),
        Err(WireError::Server { code, .. }) if code == "57014" => Err(evenkeel::Error::Canceled.into()),
        Err(e) => Err(refused(e)),
    }
}

fn by_oneself(args: &CreateArgs, stop: &AtomicBool, show: &Show) -> Result<(String, String), CliError> {
    let mut set = Vec::new();
    let config = Config::load(args.config.as_deref(), &args.data, None, &set)?;
    let mut archive_url = config.engine.archive_url().to_owned();
    let config = match &args.archive {
        // Nobody else has the database: it may as well archive there from now on.
        Some(given) if archive_url.is_empty() => {
            archive_url = store(given)?.describe();
            set.push(format!("archive_url={archive_url}"));
            Config::load(args.config.as_deref(), &args.data, None, &set)?
        }
        _ => config,
    };
    check_archive(args, &archive_url)?;
    let which = |id: &String| if id == "latest" { Which::Latest } else { Which::Id(id.clone()) };
    let options = BackupOptions {
        label: args.label.clone(),
        rate_bytes_per_s: args.rate,
        incremental: args.incremental.as_ref().map(which),
        resume: args.resume.as_ref().map(which),
        level: args.level,
        fast_checkpoint: args.fast,
        ..BackupOptions::default()
    };
    let database = open(&args.data, config)?;
    let made = database.backup(&options, &mut |p: &BackupProgress| {
        show.progress(p.phase.name(), p.total_bytes, p.copied_bytes);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let closed = database.close();
    let id = made?.id;
    closed?;
    Ok((id, archive_url))
}
