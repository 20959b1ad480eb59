//! The run on targets that make their figures up, and on the real engine without a look at its timing.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenkeel::Database;

use super::*;

type Log = Rc<RefCell<Vec<String>>>;

/// Commits so many a second, or what it is asked for; notes what is done to it.
struct Made {
    name: String,
    settings: Vec<(String, String)>,
    per_s: f64,
    log: Log,
    fails: bool,
}

impl Made {
    fn new(name: &str, per_s: f64, log: &Log) -> Made {
        let settings = vec![("fsync".into(), "on".into())];
        Made { name: name.into(), settings, per_s, log: Rc::clone(log), fails: false }
    }

    fn note(&self, what: &str) {
        self.log.borrow_mut().push(format!("{} {what}", self.name));
    }
}

impl Target for Made {
    fn name(&self) -> &str {
        &self.name
    }
    fn settings(&self) -> &[(String, String)] {
        &self.settings
    }
    fn place(&self) -> String {
        "a test".into()
    }
    fn prepare(&mut self, clients: u32) -> Result<(), Error> {
        self.note(&format!("prepare {clients}"));
        Ok(())
    }
    fn load(&mut self, load: &Load<'_>) -> Result<Sample, Error> {
        self.note(&format!("load {}", load.clients));
        if self.fails {
            return Err(Error::Internal("broken".into()));
        }
        let per_s = load.per_s.map_or(self.per_s, |asked| asked.min(self.per_s));
        let mut latencies = Latencies::new();
        latencies.record(1_000_000);
        let commits = (per_s * load.seconds) as u64;
        Ok(Sample {
            commits,
            elapsed_ns: (load.seconds * 1e9) as u64,
            latencies,
            unfinished: 0,
            own: None,
            all_commits: commits,
            flushes: Some(commits / 2),
            log_bytes: None,
            generator_share: None,
        })
    }
    fn clean_up(&mut self) -> Result<(), Error> {
        self.note("clean");
        Ok(())
    }
}

struct Silent;

impl Progress for Silent {
    fn step(&mut self, share: f64, _what: &str) {
        assert!((0.0..1.0).contains(&share));
    }
}

fn options(clients: &[u32], rate: Option<Rate>) -> Options {
    Options { clients: clients.to_vec(), seconds: 0.1, runs: 2, rate, bytes: 50 }
}

fn plan() -> Plan {
    Plan { command: "evenkeel bench commits".into(), folder: None, raw: false, alone: true }
}

fn go(options: &Options, targets: Vec<Box<dyn Target>>) -> Result<Report, Error> {
    run(&plan(), options, targets, &AtomicBool::new(false), &mut Silent)
}

#[test]
fn targets_alternate_and_are_cleaned_up() {
    let log = Log::default();
    let targets: Vec<Box<dyn Target>> =
        vec![Box::new(Made::new("a", 3000.0, &log)), Box::new(Made::new("b", 1000.0, &log))];
    let report = go(&options(&[1, 8], None), targets).unwrap();
    let expected = "a prepare 8, b prepare 8, a load 1, b load 1, a load 8, b load 8, \
        b load 1, a load 1, b load 8, a load 8, a clean, b clean";
    assert_eq!(log.borrow().join(", "), expected);
    let ratios: Vec<Option<f64>> = report.points.iter().map(|p| p.ratio).collect();
    assert_eq!(ratios, [None, Some(3.0), None, Some(3.0)]);
    assert_eq!(report.points[0].median.commits_per_flush, Some(2.0));
}

#[test]
fn tables_are_removed_after_an_error() {
    let log = Log::default();
    let mut broken = Made::new("a", 1.0, &log);
    broken.fails = true;
    let error = go(&options(&[1], None), vec![Box::new(broken)]).unwrap_err();
    assert_eq!(error.to_string(), "broken");
    assert_eq!(log.borrow().last().unwrap(), "a clean");
}

#[test]
fn a_share_is_of_what_the_first_target_can_do() {
    let log = Log::default();
    let targets: Vec<Box<dyn Target>> =
        vec![Box::new(Made::new("a", 3000.0, &log)), Box::new(Made::new("b", 1000.0, &log))];
    let report = go(&options(&[8], Some(Rate::Share(0.5))), targets).unwrap();
    assert_eq!(report.points[0].rate_per_s, Some(1500.0));
    assert_eq!(report.points[0].median.commits_per_s, 1500.0);
    assert!(
        report.warnings.iter().any(|w| w.starts_with("b, 8 clients: 1500 commits/s")),
        "{:?}",
        report.warnings
    );
}

#[test]
fn what_is_not_durable_or_not_alike_is_told() {
    let log = Log::default();
    let mut lax = Made::new("b", 1000.0, &log);
    lax.settings = vec![("fsync".into(), "off".into())];
    let report =
        go(&options(&[1], None), vec![Box::new(Made::new("a", 1.0e4, &log)), Box::new(lax)]).unwrap();
    assert_eq!(report.warnings[0], "b: commits are not durable (fsync = off)");
    assert_eq!(report.warnings[1], "fsync differs: a has on, b has off");
}

#[test]
fn rates_are_read() {
    assert_eq!("5000".parse(), Ok(Rate::PerSecond(5000.0)));
    assert_eq!("50%".parse(), Ok(Rate::Share(0.5)));
    for bad in ["", "0", "-1", "x", "nan", "5000%"] {
        assert!(bad.parse::<Rate>().is_err(), "{bad}");
    }
}

#[test]
fn the_embedded_engine_commits_and_counts_its_flushes_and_the_raw_disk_stands_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut engine = evenkeel::Options::default();
    engine.set("shared_buffers", "8MB").unwrap();
    let database = Database::open(&data, engine).unwrap();
    let embedded: Vec<Box<dyn Target>> = vec![Box::new(Embedded::new(database.clone()))];
    let plan = Plan { folder: Some(dir.path().to_path_buf()), raw: true, ..plan() };
    let report = run(&plan, &options(&[1, 3], None), embedded, &AtomicBool::new(false), &mut Silent).unwrap();
    assert_eq!(report.points.len(), 3, "the raw disk only with one client");
    for p in &report.points {
        assert!(p.median.commits > 0 && p.median.commits_per_flush.unwrap() > 0.5, "{p:?}");
        assert!(p.median.log_bytes_per_commit.unwrap() > 50.0, "{p:?}");
    }
    assert!(report.targets[1].name.starts_with("raw, ") && report.points[1].ratio.is_some());
    assert!(report.machine.contains("disk: "));
    database.close().unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "the raw disk's file is gone");
}

#[test]
fn the_user_can_stop_it() {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::open(dir.path(), evenkeel::Options::default()).unwrap();
    let stop = AtomicBool::new(false);
    struct Stop<'a>(&'a AtomicBool);
    impl Progress for Stop<'_> {
        fn step(&mut self, _share: f64, what: &str) {
            self.0.store(what.starts_with("run"), Ordering::Relaxed);
        }
    }
    let targets: Vec<Box<dyn Target>> = vec![Box::new(Embedded::new(database))];
    let long = Options { seconds: 3600.0, ..options(&[2], None) };
    assert!(matches!(run(&plan(), &long, targets, &stop, &mut Stop(&stop)), Err(Error::Interrupted)));
}
