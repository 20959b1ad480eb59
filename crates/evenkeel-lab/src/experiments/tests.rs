//! Made-up outcomes, and what is said of them.

use super::outcome::{Kept, Outcome};
use super::*;
use crate::bench_checkpoints::events::Happened;
use crate::bench_checkpoints::rows::HELD_BACK;
use crate::bench_checkpoints::tests::{report as checkpoints, result};
use crate::bench_checkpoints::{Rate, Row, result::lines};
use crate::bench_commits::report::{Figures, Point, TargetFacts, tests::sample};
use crate::disturbance::Disturbance;
use crate::{bench_commits, bench_recovery, bench_tpcc};

fn report(experiment: Experiment, outcomes: Vec<Outcome>) -> Report {
    Report {
        experiment,
        quick: false,
        command: "evenkeel lab x <y>".into(),
        machine: "2 processors".into(),
        circumstances: "so and so".into(),
        outcomes,
        seconds: 1.0,
    }
}

/// Rows with a p99.9, under one kind of load.
fn of_rows(rows: &[(&str, f64)], clients: u32) -> Outcome {
    let results: Vec<_> = rows
        .iter()
        .map(|(label, p999)| {
            let mut r = result(label, &[100; 10]);
            r.overall.p999_ms = *p999;
            r.overall.buckets = vec![(1000, 990), ((p999 * 1e3) as u64, 10)];
            r.activity.cycles = 3.0;
            r.disturbance = Some(Disturbance { seconds: 10.0, ..Disturbance::default() });
            r
        })
        .collect();
    let of: Vec<Row> = results.iter().map(|r| r.row.clone()).collect();
    let base = checkpoints();
    Outcome::Checkpoints(bench_checkpoints::Report {
        clients,
        lines: lines(&results, &[Rate::Full], &of),
        results,
        warnings: Vec::new(),
        ..base
    })
}

fn commits(points: &[(u32, &str, u64)]) -> Outcome {
    let mut targets: Vec<TargetFacts> = Vec::new();
    let mut of = Vec::new();
    for (clients, name, commits) in points {
        let target = targets.iter().position(|t| t.name == *name).unwrap_or_else(|| {
            targets.push(TargetFacts { name: name.to_string(), place: "there".into(), settings: Vec::new() });
            targets.len() - 1
        });
        let median = Figures::of(&sample(*commits, 100)).unwrap();
        of.push(Point {
            clients: *clients,
            rate_per_s: None,
            target,
            runs: vec![median],
            median,
            ratio: None,
        });
    }
    Outcome::Commits(bench_commits::Report {
        command: String::new(),
        machine: String::new(),
        bytes: 100,
        seconds_per_point: 1.0,
        runs: 1,
        targets,
        points: of,
        warnings: Vec::new(),
        seconds: 1.0,
    })
}

fn tpcc(label: &str, run: u32, notpm: f64, max_ms: f64, cycles: f64) -> Outcome {
    let orders = bench_tpcc::Figures {
        kind: "New-Order".into(),
        count: 100,
        mean_ms: 1.0,
        deviation_ms: 1.0,
        p50_ms: 1.0,
        p90_ms: 2.0,
        p99_ms: 3.0,
        max_ms,
        buckets: vec![(1_000_000, 80), (2_000_000, 19), ((max_ms * 1e6) as u64, 1)],
    };
    let server = bench_tpcc::Server {
        name: label.into(),
        settings: Vec::new(),
        load_seconds: None,
        new_orders_per_minute: vec![notpm],
        kinds: vec![orders],
        unfinished: 0,
        run_again: 0,
        consistent: true,
        events: Vec::new(),
        checkpoints: vec![bench_tpcc::Checkpoints { cycles, write_s: Some(30.0), sync_s: Some(10.0) }],
        disturbance: None,
    };
    let report = bench_tpcc::Report {
        command: String::new(),
        machine: String::new(),
        warehouses: 1,
        terminals: 1,
        think: false,
        curve: None,
        batches: true,
        seconds: 60,
        servers: vec![server],
        warnings: Vec::new(),
    };
    Outcome::Tpcc { label: label.into(), run, report }
}

fn recovery() -> Outcome {
    let line = |label: &str, prefetch, seconds, archive_bytes| {
        let median = bench_recovery::Trial { seconds, redo_s: Some(seconds), ..Default::default() };
        bench_recovery::Line {
            label: label.into(),
            prefetch: Some(prefetch),
            load: 0,
            archive_bytes,
            trials: vec![median],
            median,
        }
    };
    Outcome::Recovery(bench_recovery::Report {
        command: String::new(),
        machine: String::new(),
        load: String::new(),
        loads: vec![bench_recovery::Loaded {
            label: "evenkeel".into(),
            transactions: 1000,
            tps: 100.0,
            log_bytes: None,
            images: None,
        }],
        lines: vec![
            line("archive, copied, images", false, 8.0, Some(10_000_000)),
            line("archive, copied, images", true, 2.0, Some(10_000_000)),
            line("archive, stripped, images", false, 20.0, Some(1_000_000)),
            line("archive, stripped, images", true, 21.0, Some(1_000_000)),
        ],
        warnings: Vec::new(),
    })
}

fn all() -> Vec<Report> {
    let rows = [("classic", 40.0), ("16 partitions", 30.0), ("evenkeel", 5.0)];
    vec![
        report(Experiment::PartitionedCheckpoints, vec![of_rows(&rows, 4)]),
        report(
            Experiment::Bgwriter,
            vec![
                of_rows(&[("full scan", 9.0), ("dirty chain", 8.0)], 8),
                of_rows(&[("full scan", 9.0), ("dirty chain", 8.0)], 1),
            ],
        ),
        report(
            Experiment::GangedLog,
            vec![commits(&[
                (1, "one write at a time", 100),
                (1, "four in flight", 105),
                (8, "one write at a time", 400),
                (8, "four in flight", 600),
            ])],
        ),
        report(
            Experiment::CheckpointSchedule,
            vec![tpcc("off-0.7", 0, 1000.0, 90.0, 2.0), tpcc("evenkeel", 0, 1100.0, 20.0, 2.0)],
        ),
        report(Experiment::Recovery, vec![recovery()]),
    ]
}

#[test]
fn what_is_compared_from_outside_stands_in_what_it_means() {
    let rows = [
        (1, "one write at a time", 100),
        (1, "PostgreSQL 18.4", 101),
        (8, "one write at a time", 800),
        (8, "PostgreSQL 18.4", 400),
    ];
    let meaning = findings(&report(Experiment::GangedLog, vec![commits(&rows)])).meaning;
    let said = |start: &str| meaning.iter().any(|m| m.starts_with(start));
    assert!(
        said("Against one write at a time, by clients, PostgreSQL 18.4 makes fewer at 8 (-50 %)"),
        "{meaning:?}"
    );
}

#[test]
fn every_page_needs_nothing_from_elsewhere_and_is_closed() {
    for report in all() {
        let page = html(&report);
        for sign in
            ["http:", "https:", "//", "url(", "@import", "<link", "<script", "src=", "href=", "NaN", "<y>"]
        {
            assert!(!page.contains(sign), "{sign} in {}", report.experiment.name());
        }
        for element in [
            "section", "table", "tr", "td", "th", "div", "svg", "text", "details", "dl", "p", "ul", "li",
            "figure", "span",
        ] {
            let opened =
                page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
            assert_eq!(
                opened,
                page.matches(&format!("</{element}>")).count(),
                "{element} in {}",
                report.experiment.name()
            );
        }
        assert!(page.contains("What it means for this machine") && page.contains("What the thread measured"));
        let mut text = Vec::new();
        write_text(&report, &mut text).unwrap();
        assert!(String::from_utf8(text).unwrap().contains(report.experiment.question()));
    }
}

#[test]
fn conclusions_follow_from_the_figures() {
    let said = |n: usize| {
        let found = findings(&all()[n]);
        (found.meaning.join("\n"), found.advice, found.settings)
    };
    let (means, advice, settings) = said(0);
    assert!(
        means.contains("p99.9 at full speed: lowest with evenkeel (5.00 ms); classic has 8.00 times as much"),
        "{means}"
    );
    assert!(advice.contains("nothing has to be set") && settings.is_empty(), "{advice}");
    let (means, advice, _) = said(1);
    assert!(means.contains("p99.9 with 8 clients: no difference that one can rely on"), "{means}");
    assert!(advice.contains("nothing has to be set"), "{advice}");
    let (means, advice, settings) = said(2);
    assert!(
        means.contains("8 clients make 4.00 times the commits of 1")
            && means.contains("50 % of the 8.00 times"),
        "{means}"
    );
    assert!(means.contains("more commits at 8 (+50 %); no difference that one can rely on at 1"), "{means}");
    assert!(advice.contains("four in flight is the best of ours"), "{advice}");
    assert_eq!(settings, ["wal_flush_depth = \"4\""]);
    let (means, _, _) = said(3);
    assert!(
        means.contains("Slowest new order: lowest with evenkeel (20.0 ms); off-0.7 has 4.50 times as much"),
        "{means}"
    );
    assert!(means.contains("25 % of its time is syncs"), "{means}");
    let (means, _, _) = said(4);
    assert!(
        means.contains(
            "archive, copied, images: 4.00 times as fast; archive, stripped, images: no difference"
        ),
        "{means}"
    );
    assert!(means.contains("10.0 % of it") && means.contains("would never catch up"), "{means}");
}

#[test]
fn nothing_is_advised_without_a_checkpoint_or_by_a_spoilt_row() {
    let short = report(
        Experiment::CheckpointSchedule,
        vec![tpcc("off-0.7", 0, 9000.0, 1.0, 0.2), tpcc("evenkeel", 0, 1.0, 99.0, 0.2)],
    );
    let found = findings(&short);
    assert!(found.advice.contains("measure longer") && found.settings.is_empty(), "{}", found.advice);

    let Outcome::Checkpoints(mut bench) =
        of_rows(&[("classic", 40.0), ("sort + flush", 2.0), ("evenkeel", 30.0)], 4)
    else {
        unreachable!()
    };
    bench.lines[1].disturbance =
        Some(Disturbance { seconds: 10.0, stalls: 9, stalled_ms: 5000.0, ..Default::default() });
    let found = findings(&report(Experiment::PartitionedCheckpoints, vec![Outcome::Checkpoints(bench)]));
    assert!(found.advice.contains("nothing has to be set"), "{}", found.advice);
    assert!(found.tables[0].rows.iter().any(|r| r[0] == "sort + flush !"), "{:?}", found.tables[0].rows);
}

#[test]
fn runs_of_a_row_are_pooled() {
    let runs = vec![tpcc("off-0.7", 0, 1000.0, 50.0, 1.0), tpcc("off-0.7", 1, 1200.0, 70.0, 1.0)];
    let row = &findings(&report(Experiment::CheckpointSchedule, runs)).tables[0].rows[0];
    assert_eq!(row[..3], ["off-0.7", "1100 (1000 to 1200)", "0.002"]);
    assert_eq!(row[5], "0.070");
}

#[test]
fn finished_steps_are_found_again_by_what_they_depend_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lab.json");
    let mut kept = Kept::open(Some(&file)).unwrap();
    for report in all() {
        for outcome in report.outcomes {
            kept.add(report.experiment.name(), outcome).unwrap();
        }
    }
    let again = Kept::open(Some(&file)).unwrap();
    assert!(matches!(again.find("recovery"), Some(Outcome::Recovery(r)) if r.lines.len() == 4));
    assert!(again.find("other").is_none());
    assert_ne!(again.beside("a"), again.beside("b"));
    std::fs::write(&file, "{}").unwrap();
    assert!(Kept::open(Some(&file)).is_err());
}

#[test]
fn who_is_interrupted_is_told_the_files_that_are_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lab.json");
    assert!(kept_files(&file).is_empty());
    let mut kept = Kept::open(Some(&file)).unwrap();
    let first = kept.beside("first").unwrap();
    std::fs::write(&first, "{}").unwrap();
    std::fs::write(dir.path().join("lab.json.new"), "{}").unwrap();
    assert_eq!(kept_files(&file), std::slice::from_ref(&first), "in the midst of the very first step");
    kept.add("recovery", recovery()).unwrap();
    assert_eq!(kept_files(&file), [file, first]);
}

#[test]
fn a_control_that_is_worse_than_rows_is_named() {
    let rows = [("classic", 40.0), ("evenkeel", 5.0), (HELD_BACK, 90.0), ("PostgreSQL 18.4", 30.0)];
    let meaning = findings(&report(Experiment::PartitionedCheckpoints, vec![of_rows(&rows, 4)])).meaning;
    let said = |text: &str| assert!(meaning.iter().any(|m| m.contains(text)), "{text}: {meaning:?}");
    said(&format!("the control {HELD_BACK} (90.0 ms) is worse than classic (40.0 ms), evenkeel (5.00 ms)."));
    said("the control PostgreSQL 18.4 (30.0 ms) is worse than evenkeel (5.00 ms).");
    said("it is something else than checkpoints that tells");
    let fine = [("classic", 40.0), ("evenkeel", 5.0), (HELD_BACK, 4.5)];
    let meaning = findings(&report(Experiment::PartitionedCheckpoints, vec![of_rows(&fine, 4)])).meaning;
    assert!(!meaning.iter().any(|m| m.contains("is worse than")), "{meaning:?}");
}

#[test]
fn what_happened_beside_the_terminals_is_shown() {
    let Outcome::Tpcc { label, run, mut report } = tpcc("off-0.7", 0, 1000.0, 90.0, 2.0) else {
        unreachable!()
    };
    let what = "archive@1h".to_string();
    report.servers[0].events = vec![Happened { what, from_s: 5.0, to_s: 7.5, error: None }];
    let of = self::report(Experiment::CheckpointSchedule, vec![Outcome::Tpcc { label, run, report }]);
    let found = findings(&of);
    assert!(
        found.tables.iter().any(|t| t.rows == [["off-0.7", "archive@1h", "1", "2.50", "2.50", ""]]),
        "{:?}",
        found.tables
    );
}
