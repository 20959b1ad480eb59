//! `evenkeel bench commits`: opens what is to be measured, measures, shows.
//!
//! Invariants
//! 1. A folder that was made for the measurement goes with it, also after an error or a signal.
//!
//! It must not know how anything is measured.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenkeel::Database;
use evenkeel_client::ConnString;
use evenkeel_lab::bench_commits::{self, Embedded, Options, Plan, Progress, Report, Target, Wire};
use evenkeel_server::{Server, SqlService};
use evenkeel_sql::Instance;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::config::Config;
use crate::folder::explain;
use crate::output::Outputs;
use crate::{CliError, CommitsArgs, io_error};

/// Steps of the progress bar.
const BAR_STEPS: u64 = 1000;
/// Connections that the measurement needs besides its clients.
const CONNECTIONS_SPARE: u32 = 10;

/// Measures and prints.
pub(crate) fn commits(args: &CommitsArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let options = Options {
        clients: args.clients.clone(),
        seconds: args.seconds,
        runs: args.runs,
        rate: args.rate,
        bytes: args.bytes,
    };
    let _outputs = Outputs::try_out(args.json.as_deref())?;
    // Before anything is made: rivals that cannot be reached.
    let mut others: Vec<Box<dyn Target>> = Vec::new();
    for other in &args.against {
        others.push(Box::new(Wire::connect(other)?));
    }
    let mut progress = Shown::new();
    let report = match &args.url {
        Some(url) => {
            let mut targets: Vec<Box<dyn Target>> = vec![Box::new(Wire::connect(url)?)];
            targets.append(&mut others);
            bench_commits::run(&plan(args, None), &options, targets, &stop, &mut progress)?
        }
        None => {
            let folder = Folder::new(args.data.as_deref())?;
            with_database(args, &folder.path, others, |targets| {
                let plan = plan(args, Some(folder.path.clone()));
                Ok(bench_commits::run(&plan, &options, targets, &stop, &mut progress)?)
            })?
        }
    };
    progress.end();
    show(args, &report)
}

fn plan(args: &CommitsArgs, folder: Option<PathBuf>) -> Plan {
    Plan {
        command: command_line(std::env::args().skip(1)),
        folder,
        raw: args.raw,
        alone: args.url.is_none() && args.against.is_empty(),
    }
}

/// The arguments as they may be shown, and given again.
pub(crate) fn command_line(args: impl Iterator<Item = String>) -> String {
    let mut line = String::from("evenkeel");
    for arg in args {
        let arg = evenkeel_client::redacted(&arg);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/%@+[]*".contains(c);
        let _ = if !arg.is_empty() && arg.chars().all(plain) {
            write!(line, " {arg}")
        } else {
            write!(line, " '{}'", arg.replace('\'', "'\\''"))
        };
    }
    line
}

/// Opens the database, embedded or with a server of its own in this process, measures, and closes it.
fn with_database(
    args: &CommitsArgs,
    folder: &Path,
    mut others: Vec<Box<dyn Target>>,
    measure: impl FnOnce(Vec<Box<dyn Target>>) -> Result<Report, CliError>,
) -> Result<Report, CliError> {
    // A configuration file in the folder counts, as it does for the server; but nobody else is to come in.
    let mut config = Config::default();
    let clients = args.clients.iter().max().copied().unwrap_or(1);
    config.set("bench", "max_connections", &(clients + CONNECTIONS_SPARE).to_string())?;
    config.add(None, folder, &args.set)?;
    for (name, value) in [("listen_addresses", "127.0.0.1"), ("port", "0"), ("unix_socket_directories", "")] {
        config.set("bench", name, value)?;
    }
    let database = Database::open(folder, config.engine.clone()).map_err(|e| explain(e, folder))?;
    let measured = if args.embedded {
        measure(vec![Box::new(Embedded::new(database.clone()))])
    } else {
        let instance = Instance::open(database.clone())?;
        instance.set_temp_folder(folder.to_path_buf());
        let service = Arc::new(SqlService::new(instance));
        let server = Server::start(service, config.server, config.users, config.session_defaults)?;
        let port = server.addresses().first().map_or(0, std::net::SocketAddr::port);
        let to: ConnString = format!("host=127.0.0.1 port={port} user=postgres dbname=postgres")
            .parse()
            .map_err(CliError::Folder)?;
        let mut targets: Vec<Box<dyn Target>> = vec![Box::new(Wire::connect(&to)?)];
        targets.append(&mut others);
        let measured = measure(targets);
        server.shutdown();
        measured
    };
    let closed = database.close();
    let report = measured?;
    closed?;
    Ok(report)
}

fn show(args: &CommitsArgs, report: &Report) -> Result<ExitCode, CliError> {
    let mut out = stdout().lock();
    bench_commits::write_text(report, &mut out)
        .and_then(|()| out.flush())
        .map_err(io_error("standard output"))?;
    if let Some(file) = &args.json {
        let text = report.to_json() + "\n";
        std::fs::write(file, text).map_err(io_error(file.display().to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The database's folder; one of our own is removed (invariant 1).
struct Folder {
    path: PathBuf,
    own: bool,
}

impl Folder {
    /// The given one, or a new one where the user stands.
    fn new(given: Option<&Path>) -> Result<Folder, CliError> {
        if let Some(path) = given {
            return Ok(Folder { path: path.to_path_buf(), own: false });
        }
        let path = PathBuf::from(format!("./evenkeel-bench-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(io_error(path.display().to_string()))?;
        Ok(Folder { path, own: true })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.own
            && let Err(e) = std::fs::remove_dir_all(&self.path)
        {
            eprintln!("evenkeel: {} is left: {e}", self.path.display());
        }
    }
}

/// Progress on standard error: a bar on a terminal, a line for each measurement otherwise.
struct Shown {
    bar: Option<ProgressBar>,
}

impl Shown {
    fn new() -> Shown {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {wide_msg}");
        let bar = style.ok().filter(|_| stderr().is_terminal());
        Shown { bar: bar.map(|style| ProgressBar::new(BAR_STEPS).with_style(style)) }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.end();
    }
}

impl Progress for Shown {
    fn step(&mut self, share: f64, what: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(what.to_string());
                bar.set_position((share * BAR_STEPS as f64) as u64);
            }
            // Nobody may be reading.
            None => drop(writeln!(stderr(), "{:3.0} %  {what}", share * 100.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_given_again_but_for_passwords() {
        let args = ["bench", "commits", "--url", "host=h password=x", "--rate", "50%", ""];
        let line = command_line(args.into_iter().map(String::from));
        assert_eq!(line, "evenkeel bench commits --url 'host=h password=***' --rate 50% ''");
    }

    #[test]
    fn a_folder_of_our_own_goes_and_the_users_stays() {
        let dir = tempfile::tempdir().unwrap();
        drop(Folder::new(Some(dir.path())).unwrap());
        assert!(dir.path().exists());
        let path = dir.path().join("own");
        std::fs::create_dir(&path).unwrap();
        drop(Folder { path: path.clone(), own: true });
        assert!(!path.exists());
    }
}
