//! `evenkeel doctor`: what is wrong with a database's surroundings, or will be, each with what to do about it.
//!
//! Duty: has each part look, and tells what they found. Nothing is changed but for a small file that measures the disk and is removed at once; a server that runs is asked by
//! its socket in the folder.
//!
//! Invariants:
//! 1. What cannot be found out is a finding, never a reason to stop: the other parts look all the same.
//! 2. Whatever is wrong says what to do.
//!
//! It must not know: what is in the database (`evenkeel check`), whether backups are whole (`evenkeel backup verify`).

mod archive;
mod certificates;
mod disk;
mod folder;
mod server;
mod settings;
mod system;

use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use evenkeel::FolderState;

use crate::config::Config;
use crate::way_in::connect;
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str = "Looks at the folder, the disk under it, the machine's limits, the settings, the archive and its backups, certificates, and the
server if one runs: connections, long transactions, the archive's progress, standbys and their slots. It changes nothing.

Examples:
  evenkeel doctor --data /srv/db
  evenkeel doctor --data /srv/db --config /etc/evenkeel.toml --problems
  evenkeel doctor --data /srv/db --json

Exit code: 0 when nothing is wrong; 1 when something may become a problem; 2 when something is wrong now.
What is in the database is verified by evenkeel check, backups by evenkeel backup verify.";

/// Of which database, and how it is served.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Configuration file [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A setting that the server is given on its command line
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Tell only what is wrong
    #[arg(long)]
    pub problems: bool,
    /// Print JSON: an object for each finding
    #[arg(long)]
    pub json: bool,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// It may become a problem.
    Warning,
    /// It is one.
    Wrong,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Good => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Wrong => "wrong",
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    level: Level,
    area: &'static str,
    what: String,
    /// What to do about it. (2)
    remedy: Option<String>,
}

/// Takes findings of a part.
pub(crate) struct Findings<'a> {
    area: &'static str,
    all: &'a mut Vec<Finding>,
}

impl Findings<'_> {
    fn add(&mut self, level: Level, what: impl Into<String>, remedy: Option<String>) {
        self.all.push(Finding { level, area: self.area, what: what.into(), remedy });
    }

    pub fn good(&mut self, what: impl Into<String>) {
        self.add(Level::Good, what, None);
    }

    pub fn note(&mut self, what: impl Into<String>) {
        self.add(Level::Note, what, None);
    }

    pub fn warn(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        self.add(Level::Warning, what, Some(remedy.into()));
    }

    pub fn wrong(&mut self, what: impl Into<String>, remedy: impl Into<String>) {
        self.add(Level::Wrong, what, Some(remedy.into()));
    }
}

/// Looks, and tells.
pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, CliError> {
    let all = look(args);
    let told: Vec<&Finding> = all.iter().filter(|f| !args.problems || f.level >= Level::Warning).collect();
    let mut out = stdout().lock();
    let written = if args.json {
        told.iter().try_for_each(|f| writeln!(out, "{}", object(f)))
    } else {
        let colors = stdout().is_terminal();
        told.iter()
            .try_for_each(|f| out.write_all(line(f, colors).as_bytes()))
            .and_then(|()| writeln!(out, "{}", summary(&all)))
    };
    written.map_err(io_error("standard output"))?;
    Ok(match all.iter().map(|f| f.level).max() {
        Some(Level::Wrong) => ExitCode::from(2),
        Some(Level::Warning) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

fn look(args: &DoctorArgs) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut of = |area: &'static str, look: &mut dyn FnMut(&mut Findings<'_>)| {
        look(&mut Findings { area, all: &mut all });
    };
    let loaded = Config::load(args.config.as_deref(), &args.data, None, &args.set);
    let (config, why) = match loaded {
        Ok(config) => (config, None),
        Err(e) => (Config::default(), Some(e.to_string())),
    };
    let mut is_there = false;
    of("folder", &mut |f| is_there = folder::look(&args.data, &config, f));
    of("disk", &mut |f| disk::look(&args.data, config.shown("direct_io").as_deref() == Some("on"), f));
    of("machine", &mut |f| system::look(&config, f));
    of("settings", &mut |f| settings::look(why.as_deref(), &config, &args.data, f));
    let mut server = connect(&args.data, "evenkeel doctor");
    let running = matches!(server, Ok(Some(_)));
    let archives_to = server.as_mut().ok().and_then(Option::as_mut).and_then(server::begin);
    let mut state = None;
    if is_there {
        of("folder", &mut |f| state = folder::start(&args.data, &config, running, f));
    }
    if why.is_none() {
        let database_id = state.as_ref().map(|s: &FolderState| s.database_id);
        of("archive", &mut |f| {
            archive::look(&args.data, config.engine.archive_url(), archives_to.as_deref(), database_id, f);
        });
        of("certificates", &mut |f| certificates::look(&args.data, &config, f));
    }
    of("server", &mut |f| match &mut server {
        Ok(Some(connection)) => server::look(connection, f),
        Ok(None) if is_there => f.note("no server runs on this folder"),
        Ok(None) => {}
        Err(e) => f.warn(
            format!("the server cannot be asked: {e}"),
            "run this command as the owner of the folder, with the server's version",
        ),
    });
    all
}

fn line(f: &Finding, colors: bool) -> String {
    let color = match f.level {
        _ if !colors => "",
        Level::Good => "\x1b[32m",
        Level::Note => "",
        Level::Warning => "\x1b[33m",
        Level::Wrong => "\x1b[31m",
    };
    let end = if color.is_empty() { "" } else { "\x1b[0m" };
    let mut line = format!("{color}{:<8}{end} {:<13} {}\n", f.level.name(), f.area, f.what);
    if let Some(remedy) = &f.remedy {
        line.push_str(&format!("{:22} → {remedy}\n", ""));
    }
    line
}

fn summary(all: &[Finding]) -> String {
    let count = |level| all.iter().filter(|f| f.level == level).count();
    let of = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    match (count(Level::Wrong), count(Level::Warning)) {
        (0, 0) => "Nothing is wrong.".into(),
        (0, n) => format!("{}.", of(n, "warning", "warnings")),
        (wrong, 0) => format!("{} wrong.", of(wrong, "thing is", "things are")),
        (wrong, n) => {
            format!("{} wrong, {}.", of(wrong, "thing is", "things are"), of(n, "warning", "warnings"))
        }
    }
}

fn object(f: &Finding) -> serde_json::Value {
    serde_json::json!({ "level": f.level.name(), "area": f.area, "what": f.what, "remedy": f.remedy })
}

/// Findings of a part, for its tests.
#[cfg(test)]
fn found(look: impl FnOnce(&mut Findings<'_>)) -> Vec<(Level, String)> {
    let mut all = Vec::new();
    look(&mut Findings { area: "test", all: &mut all });
    let untreated = all.iter().find(|f| f.level >= Level::Warning && f.remedy.is_none());
    assert_eq!(untreated, None, "invariant 2");
    all.into_iter().map(|f| (f.level, f.what)).collect()
}
