//! `evenkeel logdisk`: measures, shows, and puts settings into a configuration file.
//!
//! It must not know how anything is measured or chosen.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenkeel_lab::logdisk::{self, Objective, Phase, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::config_file::ConfigFile;
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
            eprintln!("{}: not changed, as the figures are not reliable", config.path().display());
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
