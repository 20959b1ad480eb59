//! The series: a load for each kind of log, a kill, and every line's recoveries of what is left.
//!
//! Invariants
//! 1. Every recovery of a load begins with the very same bytes: a copy of the folder as the kill left it, or the archive as it was then.
//! 2. Lines take turns: all lines recover once before any does so again.
//! 3. Processes end and folders go, whatever happens.
//!
//! It must not know how results are shown.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evenkeel::Lsn;

use crate::bench_checkpoints::own_server::{OwnServer, settings_of};
use crate::bench_checkpoints::temporary::TemporaryDir;
use crate::bench_checkpoints::{Error, Progress, server_error};
use crate::disturbance::{Disturbance, Probe};
use crate::machine::{in_memory, machine};
use crate::median::median;
use evenkeel_client::Connection;

use super::load::Done;
use super::postgres::{self, Postgres};
use super::{Line, Loaded, NAME, Options, Report, Row, Source, Trial, crash, files, from_archive, load};

const WAIT_STEP: Duration = Duration::from_millis(200);
/// What is written last reaches the archive well within this.
const ARCHIVE_MAX: Duration = Duration::from_secs(300);
/// No round of checkpoints until the kill.
const HELD_BACK: [(&str, &str); 2] = [("checkpoint_timeout", "1d"), ("max_wal_size", "1TB")];
/// The end of the log is archived so soon.
const ARCHIVE_TIMEOUT: &str = "10s";
/// Compression of the stripped archive: the engine's default.
const LEVEL: u64 = 3;

/// Steps of one kind. Nobody knows at first how long they take: those that are done tell of those to come.
struct Steps {
    left: usize,
    done: usize,
    /// Seconds of one.
    each_s: f64,
}

impl Steps {
    fn new(left: usize, guess_s: f64) -> Steps {
        Steps { left, done: 0, each_s: guess_s }
    }

    fn one_took(&mut self, seconds: f64) {
        self.each_s = (self.each_s * self.done as f64 + seconds) / (self.done + 1) as f64;
        self.done += 1;
        self.left = self.left.saturating_sub(1);
    }

    fn left_s(&self) -> f64 {
        self.left as f64 * self.each_s
    }
}

/// How far the series is.
pub struct Clock<'a> {
    begin: Instant,
    /// When the step began that is under way, in seconds.
    step_s: f64,
    loads: Steps,
    recoveries: Steps,
    what: String,
    stop: &'a AtomicBool,
}

impl Clock<'_> {
    fn step_ended(&mut self, steps: fn(&mut Self) -> &mut Steps) {
        let now_s = self.begin.elapsed().as_secs_f64();
        let took_s = now_s - self.step_s;
        steps(self).one_took(took_s);
        self.step_s = now_s;
    }

    /// Tells how far it is; error if the user wants to stop.
    pub fn tick(&mut self, progress: &mut dyn Progress) -> Result<(), Error> {
        let done_s = self.begin.elapsed().as_secs_f64();
        let total_s = self.step_s + self.loads.left_s() + self.recoveries.left_s();
        progress.at(done_s, total_s.max(done_s), &self.what);
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    pub fn now(&mut self, what: String, progress: &mut dyn Progress) -> Result<(), Error> {
        self.what = what;
        self.tick(progress)
    }
}

/// Runs the series. Blocks; ends soon after `stop` is set.
pub fn run(options: &Options, stop: &AtomicBool, progress: &mut dyn Progress) -> Result<Report, Error> {
    settings_of(&options.program, &crash::row(&options.settings))?;
    if let Some(given) = &options.postgres {
        postgres::look_for(given)?;
    }
    // Absolute: it becomes a part of URLs.
    let parent = options.data.clone().unwrap_or_else(|| ".".into());
    let parent = std::path::absolute(&parent)
        .map_err(crate::bench_checkpoints::io_error(parent.display().to_string()))?;
    std::fs::create_dir_all(&parent)
        .map_err(crate::bench_checkpoints::io_error(parent.display().to_string()))?;
    let folder = TemporaryDir::new(&parent, "evenkeel-bench-recovery")?;
    let loads = [true, false].into_iter().filter(|i| options.rows.iter().any(|r| r.images == *i)).count()
        + usize::from(options.postgres.is_some());
    let recoveries =
        options.runs as usize * (options.rows.len() + 2 * usize::from(options.postgres.is_some()));
    let seconds = f64::from(options.seconds);
    let clock = Clock {
        begin: Instant::now(),
        step_s: 0.0,
        loads: Steps::new(loads, seconds * 1.5),
        recoveries: Steps::new(recoveries, seconds / 3.0),
        what: String::new(),
        stop,
    };
    let mut series = Series { options, folder, clock, progress, loads: Vec::new(), lines: Vec::new() };
    for images in [true, false] {
        let rows: Vec<Row> = options.rows.iter().copied().filter(|r| r.images == images).collect();
        if !rows.is_empty() {
            series.own(images, &rows)?;
        }
    }
    if options.postgres.is_some() {
        series.postgres()?;
    }
    Ok(Report {
        command: options.command.clone(),
        machine: machine(Some(&parent)),
        load: format!(
            "{} by pgbench -M prepared -c {}, scale {}, {} s, checkpoints held back, then a kill",
            options.mix.name(),
            options.clients,
            options.scale,
            options.seconds
        ),
        loads: series.loads,
        lines: series.lines,
        warnings: in_memory(&parent).into_iter().collect(),
    })
}

struct Series<'a> {
    options: &'a Options,
    folder: TemporaryDir,
    clock: Clock<'a>,
    progress: &'a mut dyn Progress,
    loads: Vec<Loaded>,
    lines: Vec<Line>,
}

impl Series<'_> {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn now(&mut self, what: impl Into<String>) -> Result<(), Error> {
        self.clock.now(what.into(), self.progress)
    }

    fn settings(&self, more: &[(&str, &str)]) -> Vec<(String, String)> {
        let more = more.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        self.options.settings.iter().cloned().chain(more).collect()
    }

    /// Loads with or without page images, and recovers from what is left.
    fn own(&mut self, images: bool, rows: &[Row]) -> Result<(), Error> {
        let label = if images { "evenkeel, full_page_writes" } else { "evenkeel, double_write" };
        let protection = if images { "full_page_writes" } else { "double_write" };
        let (killed, archive) = (self.at("killed"), self.at("archive"));
        let archived = rows.iter().any(|r| r.source != Source::Crash);
        files::remove(&killed)?;
        files::remove(&archive)?;
        let url = format!("file://{}", archive.display());
        let mut settings = self.settings(&HELD_BACK);
        settings.push(("torn_page_protection".into(), protection.into()));
        self.now(format!("{label}: loading scale {}", self.options.scale))?;
        self.load_tables(&settings)?;
        if archived {
            let of_archive = [
                ("archive_url", url.as_str()),
                ("archive_page_images", "keep"),
                ("archive_timeout", ARCHIVE_TIMEOUT),
            ];
            settings.extend(of_archive.map(|(name, value)| (name.into(), value.into())));
            self.now(format!("{label}: base backup"))?;
            from_archive::back_up(&self.options.program, &killed, &settings)?;
        }
        self.now(format!("{label}: load"))?;
        let done = self.load(label, &settings, archived.then_some(&archive))?;
        let stripped = self.at("stripped");
        if rows.iter().any(|r| r.source == Source::Stripped) {
            self.now(format!("{label}: stripping the archive"))?;
            files::remove(&stripped)?;
            from_archive::strip(&archive, &stripped, LEVEL)?;
        }
        self.clock.step_ended(|c| &mut c.loads);
        self.recover(rows, protection, &done)
    }

    /// Our server on the folder in which it will be killed.
    fn start(&self, settings: &[(String, String)]) -> Result<OwnServer, Error> {
        let (options, row, words) = (self.options, crash::row(settings), self.at("server.log"));
        let data = self.at("killed");
        OwnServer::start(&options.program, &data, &row, options.clients, None, words, self.clock.stop)
    }

    /// pgbench's tables in the folder, which is shut down cleanly then.
    fn load_tables(&mut self, settings: &[(String, String)]) -> Result<(), Error> {
        let options = self.options;
        let mut server = self.start(settings)?;
        let words = self.at("pgbench.log");
        let loaded =
            load::tables(options, server.to(), NAME, &words, &mut |_| self.clock.tick(self.progress));
        loaded.map_err(|e| server.explain(e))?;
        server.stop()
    }

    /// Runs the load and kills the server.
    fn load(
        &mut self,
        label: &str,
        settings: &[(String, String)],
        archive: Option<&PathBuf>,
    ) -> Result<Done, Error> {
        let options = self.options;
        let mut server = self.start(settings)?;
        let to = server.to().clone();
        let wrong = server_error(label);
        let mut control = Connection::open(&to, NAME).map_err(&wrong)?;
        load::before_run(options, &mut control, label, &mut |_| self.clock.tick(self.progress))
            .map_err(|e| server.explain(e))?;
        let counters = |control: &mut Connection| -> Result<Option<(u64, u64)>, Error> {
            let rows = control.query("SELECT wal_bytes, wal_fpi FROM pg_stat_wal").map_err(&wrong)?;
            let number = |at: usize| rows.first()?.get(at)?.as_ref()?.parse::<u64>().ok();
            Ok(number(0).zip(number(1)))
        };
        let before = counters(&mut control)?;
        let done = load::run(options, &to, self.folder.path(), &mut self.clock, self.progress)
            .map_err(|e| server.explain(e))?;
        let after = counters(&mut control)?;
        if let Some(archive) = archive {
            let end = control.value("SELECT pg_current_wal_flush_lsn()").map_err(&wrong)?;
            let end: Lsn = end.unwrap_or_default().parse().map_err(Error::Options)?;
            let since = Instant::now();
            while !from_archive::reaches(archive, end)? {
                if since.elapsed() > ARCHIVE_MAX {
                    return Err(Error::Options(format!(
                        "the archive has not got the log up to {end} in time"
                    )));
                }
                self.clock.tick(self.progress)?;
                std::thread::sleep(WAIT_STEP);
            }
        }
        drop(server); // the kill
        let grown = |f: fn((u64, u64)) -> u64| Some(f(after?).saturating_sub(f(before?)));
        self.loads.push(Loaded {
            label: label.into(),
            transactions: done.transactions,
            tps: done.tps,
            log_bytes: grown(|c| c.0),
            images: grown(|c| c.1),
        });
        Ok(done)
    }

    fn recover(&mut self, rows: &[Row], protection: &str, done: &Done) -> Result<(), Error> {
        let mut trials = vec![Vec::new(); rows.len()];
        for run in 0..self.options.runs {
            for (row, trials) in rows.iter().zip(&mut trials) {
                let prefetch = if row.prefetch { "on" } else { "off" };
                let label = row.source.name();
                self.now(format!(
                    "recovery {} of {}: {label}, prefetch {prefetch}",
                    run + 1,
                    self.options.runs
                ))?;
                let probe = Probe::start(true);
                let trial = self.recover_once(row, protection, prefetch, done)?;
                trials.push(Trial { disturbance: probe.end(), ..trial });
                self.clock.step_ended(|c| &mut c.recoveries);
            }
        }
        for (row, trials) in rows.iter().zip(trials) {
            let archive_bytes = match row.source {
                Source::Crash => None,
                Source::Copied => Some(from_archive::log_bytes(&self.at("archive"))?),
                Source::Stripped => Some(from_archive::log_bytes(&self.at("stripped"))?),
            };
            let images = if row.images { "images" } else { "no images" };
            self.lines.push(Line {
                label: format!("{}, {images}", row.source.name()),
                prefetch: Some(row.prefetch),
                load: self.loads.len() - 1,
                archive_bytes,
                median: middle(&trials),
                trials,
            });
        }
        Ok(())
    }

    /// Invariant 1.
    fn recover_once(&self, row: &Row, protection: &str, prefetch: &str, done: &Done) -> Result<Trial, Error> {
        let (trial, program) = (self.at("trial"), &self.options.program);
        let mut settings = self.settings(&HELD_BACK);
        settings.push(("recovery_prefetch".into(), prefetch.into()));
        let outcome = match row.source {
            Source::Crash => {
                settings.push(("torn_page_protection".into(), protection.into()));
                files::copy(&self.at("killed"), &trial)?;
                let words = self.at("server.log");
                let look = |to: &_| load::look(self.options, to, "evenkeel", done);
                crash::recover(program, &trial, &settings, &words, self.clock.stop, look)
            }
            kind => {
                let archive = self.at(if kind == Source::Copied { "archive" } else { "stripped" });
                let outcome = from_archive::recover(program, &archive, &trial, &settings)?;
                let words = self.at("server.log");
                // It is whole: all that was confirmed is there.
                let mut server = OwnServer::start(
                    program,
                    &trial,
                    &crash::row(&settings),
                    1,
                    None,
                    words,
                    self.clock.stop,
                )?;
                let to = server.to().clone();
                load::look(self.options, &to, kind.name(), done).map_err(|e| server.explain(e))?;
                Ok(outcome)
            }
        };
        files::remove(&trial)?;
        outcome
    }

    fn postgres(&mut self) -> Result<(), Error> {
        let options = self.options;
        let Some(given) = &options.postgres else { return Ok(()) };
        let killed = self.at("postgres");
        self.now("PostgreSQL: loading")?;
        let postgres = Postgres::create(given, &killed, self.clock.stop)?;
        let name = postgres.name().to_owned();
        let words = self.at("pgbench.log");
        let tick = &mut |_| self.clock.tick(self.progress);
        load::tables(options, postgres.to(), &name, &words, tick)?;
        let wrong = server_error(&name);
        let mut control = Connection::open(postgres.to(), NAME).map_err(&wrong)?;
        load::before_run(options, &mut control, &name, tick)?;
        self.now(format!("{name}: load"))?;
        const LOG: &str = "SELECT wal_bytes, wal_fpi FROM pg_stat_wal";
        control.query("SELECT pg_stat_reset_shared('wal')").map_err(&wrong)?;
        let done = load::run(options, postgres.to(), self.folder.path(), &mut self.clock, self.progress)?;
        let log = control.query(LOG).map_err(&wrong)?;
        let number = |at: usize| log.first()?.get(at)?.as_ref()?.parse::<u64>().ok();
        postgres.kill()?;
        self.clock.step_ended(|c| &mut c.loads);
        self.loads.push(Loaded {
            label: name.clone(),
            transactions: done.transactions,
            tps: done.tps,
            log_bytes: number(0),
            images: number(1),
        });
        let mut trials = [Vec::new(), Vec::new()];
        for run in 0..options.runs {
            for (prefetch, trials) in ["off", "try"].into_iter().zip(&mut trials) {
                self.now(format!("recovery {} of {}: {name}, prefetch {prefetch}", run + 1, options.runs))?;
                let trial = self.at("trial");
                files::copy(&killed, &trial)?;
                let look = |to: &_, name: &str| load::look(options, to, name, &done);
                let probe = Probe::start(true);
                let recovered = Postgres::recover(given, &trial, prefetch, self.clock.stop, look)?;
                trials.push(Trial { disturbance: probe.end(), ..recovered });
                files::remove(&trial)?;
                self.clock.step_ended(|c| &mut c.recoveries);
            }
        }
        for (prefetch, trials) in [false, true].into_iter().zip(trials) {
            self.lines.push(Line {
                label: format!("{name}, crash"),
                prefetch: Some(prefetch),
                load: self.loads.len() - 1,
                archive_bytes: None,
                median: middle(&trials),
                trials,
            });
        }
        Ok(())
    }
}

/// Figure by figure.
fn middle(trials: &[Trial]) -> Trial {
    let of = |f: &dyn Fn(&Trial) -> Option<f64>| median(&trials.iter().filter_map(f).collect::<Vec<_>>());
    Trial {
        seconds: of(&|t| Some(t.seconds)).unwrap_or(0.0),
        redo_s: of(&|t| t.redo_s),
        read_bytes: of(&|t| t.read_bytes.map(|b| b as f64)).map(|b| b as u64),
        disturbance: Disturbance::all(trials.iter().filter_map(|t| t.disturbance)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_done_tell_of_those_to_come() {
        let mut steps = Steps::new(4, 100.0);
        assert_eq!(steps.left_s(), 400.0);
        steps.one_took(10.0);
        assert_eq!(steps.left_s(), 30.0, "the guess is forgotten");
        steps.one_took(20.0);
        assert_eq!(steps.left_s(), 30.0);
        steps.one_took(3.0);
        steps.one_took(3.0);
        steps.one_took(3.0);
        assert_eq!(steps.left_s(), 0.0);
    }
}
