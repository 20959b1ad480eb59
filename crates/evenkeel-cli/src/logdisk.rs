//! `evenkeel logdisk`: measures, shows, and puts settings into a configuration file.
//!
//! It must not know how anything is measured or chosen.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenkeel_lab::logdisk::{self, Advice, Objective, Phase, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use toml_edit::{DocumentMut, value};

use crate::config::ConfigError;
use crate::{CliError, Goal, LogdiskArgs, io_error};

/// Steps of the progress bar.
const BAR_STEPS: u64 = 1000;
const QUICK_SECONDS: f64 = 10.0;

/// Measures the disk and prints what was found.
pub(crate) fn run(args: &LogdiskArgs) -> Result<ExitCode, CliError> {
    // Before a minute is spent: a file that could not be written in the end.
    let config = args.write.as_deref().map(ConfigFile::read).transpose()?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let options = logdisk::Options {
        seconds: args.seconds.unwrap_or(if args.quick { QUICK_SECONDS } else { logdisk::DEFAULT_SECONDS }),
        objective: match args.goal {
            Goal::Latency => Objective::Latency,
            Goal::Throughput => Objective::Throughput,
            Goal::Space => Objective::Space,
        },
    };
    let mut progress = Shown::new();
    let report = logdisk::run(&args.dir, &options, &stop, &mut progress);
    progress.end();
    let report = report?;
    let mut out = stdout().lock();
    let written = if args.json {
        writeln!(out, "{}", report.to_json())
    } else {
        logdisk::write_text(&report, &mut out)
    };
    written.and_then(|()| out.flush()).map_err(io_error("standard output"))?;
    match config {
        Some(config) if !report.reliable => {
            eprintln!("{}: not changed, as the figures are not reliable", config.path.display());
            return Ok(ExitCode::FAILURE);
        }
        Some(config) => {
            let known = evenkeel::Options::default();
            let said =
                config.write(&report.settings, |name, value| known.clone().set(name, value).is_ok())?;
            eprintln!("{said}");
        }
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Progress on standard error: a bar on a terminal, a line for each phase otherwise.
struct Shown {
    bar: Option<ProgressBar>,
}

impl Shown {
    fn new() -> Shown {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {prefix}: {msg}");
        let bar = style.ok().filter(|_| stderr().is_terminal()).map(|style| {
            let bar = ProgressBar::new(BAR_STEPS).with_style(style).with_prefix("preparing the test file");
            bar.tick();
            bar
        });
        Shown { bar }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Shown {
    fn phase(&mut self, n: usize, phase: Phase) {
        match &self.bar {
            Some(bar) => bar.set_prefix(phase.title()),
            // Nobody may be reading.
            None => drop(writeln!(stderr(), "{} of {}: {}", n + 1, Phase::ALL.len(), phase.title())),
        }
    }

    fn step(&mut self, share: f64, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_string());
            bar.set_position((share * BAR_STEPS as f64) as u64);
        }
    }
}

/// A configuration file that is changed in place.
struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads it; one that does not exist is empty.
    fn read(path: &Path) -> Result<ConfigFile, CliError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(ConfigError::Read { file: path.to_path_buf(), source }.into()),
        };
        let document = text.parse().map_err(|e: toml_edit::TomlError| {
            io_error(path.display().to_string())(std::io::Error::other(e))
        })?;
        Ok(ConfigFile { path: path.to_path_buf(), document })
    }

    /// Puts in what `known` takes and replaces the file in one step. Says what was done.
    fn write(mut self, settings: &[Advice], known: impl Fn(&str, &str) -> bool) -> Result<String, CliError> {
        let (taken, left): (Vec<&Advice>, Vec<&Advice>) =
            settings.iter().partition(|s| known(&s.setting, &s.value));
        let names = |list: &[&Advice]| {
            list.iter().map(|s| format!("{} = {}", s.setting, s.value)).collect::<Vec<_>>().join(", ")
        };
        for setting in &taken {
            let new = match setting.value.parse::<i64>() {
                Ok(number) => value(number),
                Err(_) => value(&setting.value),
            };
            self.document[&setting.setting] = new;
        }
        let file = self.path.display();
        let mut said = match taken.is_empty() {
            true => format!("{file}: not changed"),
            false => format!("{file}: now has {}", names(&taken)),
        };
        if !left.is_empty() {
            said += &format!("; left out, as this version has no such settings: {}", names(&left));
        }
        if !taken.is_empty() {
            self.replace()?;
        }
        Ok(said)
    }

    /// Writes beside it and renames, so that the file is whole at any time; keeps its permissions.
    fn replace(&self) -> Result<(), CliError> {
        let wrong = |e| io_error(self.path.display().to_string())(e);
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        let written = std::fs::write(&new, self.document.to_string())
            .and_then(|()| match std::fs::metadata(&path) {
                Ok(old) => std::fs::set_permissions(&new, old.permissions()),
                Err(_) => Ok(()),
            })
            .and_then(|()| std::fs::File::open(&new)?.sync_all())
            .and_then(|()| std::fs::rename(&new, &path));
        written.map_err(|e| {
            let _ = std::fs::remove_file(&new);
            wrong(e)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(setting: &str, value: &str) -> Advice {
        Advice { setting: setting.into(), value: value.into(), reason: String::new() }
    }

    #[test]
    fn known_settings_go_into_the_file_and_everything_else_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        let before = "# mine\nport = 6000 # odd\nwal_flush_depth = 4\n\n[users]\nann = \"x\"\n";
        std::fs::write(&path, before).unwrap();
        let settings =
            [advice("wal_flush_depth", "1"), advice("wal_sync_method", "direct"), advice("new", "1")];
        let said = ConfigFile::read(&path).unwrap().write(&settings, |name, _| name != "new").unwrap();
        let after = "# mine\nport = 6000 # odd\nwal_flush_depth = 1\nwal_sync_method = \"direct\"\n\n[users]\nann = \"x\"\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        assert!(said.contains("left out") && said.ends_with("new = 1"), "{said}");
    }

    #[test]
    fn a_file_that_is_not_there_is_made_only_if_there_is_something_to_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        let settings = [advice("wal_flush_depth", "1")];
        ConfigFile::read(&path).unwrap().write(&settings, |_, _| false).unwrap();
        assert!(!path.exists());
        ConfigFile::read(&path).unwrap().write(&settings, |_, _| true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "wal_flush_depth = 1\n");
    }

    #[test]
    fn a_broken_file_is_named_before_anything_is_measured() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        std::fs::write(&path, "port = ").unwrap();
        let error = ConfigFile::read(&path).err().unwrap().to_string();
        assert!(error.contains("evenkeel.toml"), "{error}");
    }
}
