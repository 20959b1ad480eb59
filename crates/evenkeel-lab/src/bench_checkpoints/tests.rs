//! Made-up results that other tests use, and the whole on the embedded engine.

use std::sync::atomic::AtomicBool;

use super::digest::{Overall, Second, piece_s};
use super::result::{RunResult, lines};
use super::*;

/// A run with so many transactions in each second.
pub fn result(label: &str, tps: &[u64]) -> RunResult {
    let second = |n: &u64| Second {
        transactions: *n,
        p50_ms: Some(1.0),
        p99_ms: Some(2.0),
        p999_ms: Some(3.0),
        max_ms: Some(4.0),
        ..Second::default()
    };
    let overall = Overall { transactions: tps.iter().sum(), p999_ms: 3.0, max_ms: 4.0, ..Overall::default() };
    RunResult {
        row: Row {
            label: label.into(),
            system: System::Own { preset: None, settings: Vec::new(), held_back: false },
        },
        rate: Rate::Full,
        rate_per_s: None,
        run: 0,
        product: "evenkeel".into(),
        settings: vec![("fsync".into(), "on".into())],
        seconds: tps.iter().map(second).collect(),
        minutes: tps.chunks(piece_s(tps.len())).map(|of| second(&of.iter().sum())).collect(),
        overall,
        trace: Default::default(),
        activity: Default::default(),
        partitions: Vec::new(),
        notes: Vec::new(),
        disturbance: None,
        asked: Vec::new(),
        events: Vec::new(),
    }
}

/// Two rows at two rates.
pub fn report() -> Report {
    let mut results = Vec::new();
    for rate in [Rate::Full, Rate::PerSecond(4000.0)] {
        for label in ["ours", "theirs <18>"] {
            results.push(RunResult { rate, ..result(label, &[100; 30]) });
        }
    }
    let rows: Vec<Row> = results[..2].iter().map(|r| r.row.clone()).collect();
    let options = options();
    Report {
        command: options.command,
        machine: "2 processors".into(),
        load: "pgbench".into(),
        clients: 8,
        scale: 1,
        seconds: 30,
        warm_up_seconds: 1,
        limit_ms: 100.0,
        lines: lines(&results, &[Rate::Full, Rate::PerSecond(4000.0)], &rows),
        results,
        warnings: vec!["beware of <this>".into()],
    }
}

/// Two seconds of two embedded clients.
pub fn options() -> Options {
    Options {
        rows: Vec::new(),
        servers: Vec::new(),
        load: LoadKind::Embedded,
        clients: 2,
        jobs: 1,
        scale: 1,
        rates: vec![Rate::Full],
        curve: None,
        events: Vec::new(),
        share_of_first: false,
        limit_ms: 100.0,
        seconds: 2,
        warm_up_seconds: 1,
        runs: 1,
        server_settings: Vec::new(),
        fresh: false,
        data: None,
        keep_data: false,
        keep_folder: false,
        before_running: None,
        log_dir: None,
        program: "/no/such/program".into(),
        resume: None,
        command: "evenkeel bench checkpoints".into(),
    }
}

struct Silent;

impl Progress for Silent {
    fn at(&mut self, done_s: f64, total_s: f64, _what: &str) {
        assert!(done_s <= total_s);
    }
}

#[test]
fn a_program_that_cannot_be_asked_ends_it_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let rows = vec![result("a", &[]).row];
    let options = Options { rows, data: Some(dir.path().into()), ..options() };
    let e = run(&options, &AtomicBool::new(false), &mut Silent).unwrap_err();
    assert!(e.to_string().contains("/no/such/program"), "{e}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_control_row_gives_every_row_of_its_rate_a_ratio() {
    let mut held = result("held", &[100; 3]);
    held.row.system = System::Own { preset: None, settings: Vec::new(), held_back: true };
    held.overall.p999_ms = 1.5;
    let results = [result("a", &[100; 3]), held];
    let rows: Vec<Row> = results.iter().map(|r| r.row.clone()).collect();
    let made = lines(&results, &[Rate::Full], &rows);
    let ratios: Vec<Option<f64>> = made.iter().map(|l| l.p999_to_held_back).collect();
    assert_eq!(ratios, [Some(2.0), Some(1.0)]);

    // Of several runs the ratio in the middle, not that of the figures in the middle.
    let mut all = Vec::new();
    for (run, own, control) in [(0, 2.0, 1.0), (1, 30.0, 30.0), (2, 90.0, 10.0)] {
        for (r, ms) in results.iter().zip([own, control]) {
            let mut r = r.clone();
            (r.run, r.overall.p999_ms) = (run, ms);
            all.push(r);
        }
    }
    let ratios: Vec<Option<f64>> =
        lines(&all, &[Rate::Full], &rows).iter().map(|l| l.p999_to_held_back).collect();
    assert_eq!(ratios, [Some(2.0), Some(1.0)]);
}

#[test]
fn clients_use_sockets_if_those_of_all_other_servers_do() {
    let with = |places: &[&str]| {
        let servers = places.iter().map(|p| p.parse().unwrap()).collect();
        Options { servers, ..options() }.over_sockets()
    };
    assert!(with(&["host=/run/postgresql"]));
    assert!(!with(&[]) && !with(&["host=/run/postgresql", "host=127.0.0.1"]));
}
