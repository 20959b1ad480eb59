//! The whole run on models of disks, and on the real one without a look at its timing.

mod models;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use models::{FakeRig, Memory, Network, Platter, Rotating, Ssd};

use super::plan;
use super::report::{Outcome, Report};
use super::rig::{Done, Extent, Lane};
use super::spec::{Method, Spec, Start, Tail, Way};
use super::stream::{Limit, measure};
use super::{Error, Objective, Options, Phase, Progress, run, write_text};

/// Enough for the fastest model to show its figures; the clock is the model's.
const SECONDS: f64 = 12.0;

#[derive(Default)]
struct Heard {
    phases: Vec<Phase>,
    last_share: f64,
}

impl Progress for Heard {
    fn phase(&mut self, _n: usize, phase: Phase) {
        self.phases.push(phase);
    }
    fn step(&mut self, share: f64, _what: &str) {
        assert!((self.last_share..1.0).contains(&share), "progress goes forward");
        self.last_share = share;
    }
}

fn try_run(rig: &mut FakeRig, objective: Objective) -> Result<Report, Error> {
    let options = Options { seconds: SECONDS, objective };
    plan::run(rig, &options, &AtomicBool::new(false), &mut Heard::default())
}

fn report(mut rig: FakeRig, objective: Objective) -> Report {
    try_run(&mut rig, objective).unwrap()
}

fn way(method: Method, depth: u32, tail: Tail) -> Way {
    Way { method, depth, tail, start: Start::AtOnce }
}

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    write_text(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn setting(report: &Report, name: &str) -> String {
    report.settings.iter().find(|s| s.setting == name).map(|s| s.value.clone()).unwrap_or_default()
}

#[test]
fn on_an_ssd_one_direct_write_at_a_time_that_rewrites_is_best_and_nothing_is_suspicious() {
    for objective in [Objective::Latency, Objective::Throughput, Objective::Space] {
        let r = report(FakeRig::new(Ssd::new()), objective);
        assert_eq!(r.way, way(Method::Direct, 1, Tail::Rewrite), "{}", text(&r));
        assert_eq!(r.warnings, Vec::<String>::new());
        assert_eq!(r.measured_rpm, None);
        assert_eq!(r.free_hold_us, 0);
        assert_eq!(setting(&r, "commit_delay"), "0");
        assert!(r.rows.iter().all(|row| row.phase != Phase::Hold), "there is nothing to hold back");
    }
}

#[test]
fn on_a_disk_that_turns_gangs_are_held_until_just_before_it_comes_round() {
    for objective in [Objective::Latency, Objective::Throughput, Objective::Space] {
        let r = report(FakeRig::new(Platter(0)), objective);
        assert!((r.measured_rpm.unwrap() - 7200.0).abs() < 30.0, "{:?}", r.measured_rpm);
        let revolution_us = (models::REVOLUTION_NS / 1000) as u32;
        assert!((revolution_us / 2..revolution_us).contains(&r.free_hold_us), "{}", r.free_hold_us);
        assert_eq!(r.way.start, Start::Held { us: r.free_hold_us }, "{}", text(&r));
        assert_eq!(setting(&r, "wal_flush_depth"), "1");
        assert_eq!(setting(&r, "commit_delay"), "0", "the flusher holds gangs by itself");
        let delay = r.settings.iter().find(|s| s.setting == "commit_delay").unwrap();
        assert!(delay.reason.contains("ends no later"), "{}", delay.reason);
        assert_eq!(r.warnings, Vec::<String>::new());
    }
}

#[test]
fn a_held_gang_carries_all_clients_and_one_that_starts_at_once_half_of_them() {
    let r = report(FakeRig::new(Platter(0)), Objective::Latency);
    let gang = |start| {
        let way = Way { start, ..way(Method::Direct, 1, Tail::Rewrite) };
        let spec = Spec::stream(way, 4096, 8, plan::SMALL_BYTES);
        let row = r.rows.iter().find(|r| r.phase == Phase::Tail && r.spec == spec).unwrap();
        row.figures().unwrap().commits_per_write
    };
    assert!(gang(Start::Held { us: r.free_hold_us }) > 7.8, "{}", text(&r));
    assert!(gang(Start::AtOnce) < 5.0, "{}", text(&r));
}

#[test]
fn the_alternate_end_block_is_told_where_it_wins_but_not_recommended_as_the_engine_has_none() {
    let r = report(FakeRig::new(Rotating::new()), Objective::Latency);
    assert!(r.findings.iter().any(|f| f.contains("wins at depth 1")), "{:?}", r.findings);
    assert_ne!(r.way.tail, Tail::Alternate);
}

#[test]
fn only_settings_that_the_engine_has_are_recommended() {
    let known = ["wal_sync_method", "wal_flush_depth", "commit_delay", "commit_siblings"];
    for rig in
        [FakeRig::new(Ssd::new()), FakeRig::new(Rotating::new()), FakeRig::new(Network), FakeRig::new(Memory)]
    {
        let r = report(rig, Objective::Throughput);
        assert!(r.settings.iter().all(|s| known.contains(&s.setting.as_str())), "{:?}", r.settings);
    }
}

#[test]
fn on_a_network_volume_writes_overlap() {
    let r = report(FakeRig::new(Network), Objective::Latency);
    assert!(r.way.depth > 1, "{}", text(&r));
    assert_eq!(r.way.method, Method::Direct, "io_uring gains nothing there, and threads are simpler");
    assert_eq!(setting(&r, "wal_flush_depth"), r.way.depth.to_string());
    let depth = r.settings.iter().find(|s| s.setting == "wal_flush_depth").unwrap();
    assert!(depth.reason.contains("overlap"), "{}", depth.reason);
    // What saves space never pads, however many writes overlap.
    assert_ne!(report(FakeRig::new(Network), Objective::Space).way.tail, Tail::Pad);
}

#[test]
fn three_disks_get_three_recommendations_for_reasons_that_have_figures() {
    let reports = [
        report(FakeRig::new(Ssd::new()), Objective::Throughput),
        report(FakeRig::new(Rotating::new()), Objective::Latency),
        report(FakeRig::new(Network), Objective::Throughput),
    ];
    for (i, a) in reports.iter().enumerate() {
        for s in &a.settings {
            assert!(s.reason.contains(|c: char| c.is_ascii_digit()), "{s:?}");
        }
        assert!(reports[i + 1..].iter().all(|b| a.way != b.way));
    }
}

#[test]
fn blocks_that_the_device_must_read_first_are_told() {
    let mut ssd = Ssd::new();
    ssd.page_bytes = 16 << 10;
    let r = report(FakeRig::new(ssd), Objective::Latency);
    assert!(r.findings.iter().any(|f| f.contains("slower here than 16kB")), "{:?}", r.findings);
}

#[test]
fn a_rotating_drive_that_confirms_before_it_writes_is_found_out() {
    let mut drive = Rotating::new();
    drive.lies = true;
    let mut rig = FakeRig::new(drive);
    rig.facts.rotational = Some(true);
    let r = report(rig, Objective::Latency);
    assert!(
        r.warnings.iter().any(|w| w.contains("rotates") && w.contains("before it writes")),
        "{:?}",
        r.warnings
    );
    assert!(r.warnings.iter().any(|w| w.contains("flushing the drive's cache costs nothing")));
    assert!(text(&r).contains("WARNING"));
}

#[test]
fn a_virtual_disk_that_says_it_rotates_is_not_believed() {
    let mut rig = FakeRig::new(Ssd::new());
    rig.facts.rotational = Some(true);
    rig.facts.virtual_device = true;
    assert_eq!(report(rig, Objective::Latency).warnings, Vec::<String>::new());
}

#[test]
fn a_flush_that_costs_nothing_is_told_according_to_what_the_drive_says_of_itself() {
    let warnings = |volatile_cache, virtual_device| {
        let mut ssd = Ssd::new();
        ssd.free_flush = true;
        let mut rig = FakeRig::new(ssd);
        rig.facts.volatile_cache = volatile_cache;
        rig.facts.virtual_device = virtual_device;
        report(rig, Objective::Latency).warnings.join("\n")
    };
    assert!(warnings(Some(true), false).contains("confirms before it writes"));
    assert!(warnings(Some(false), false).contains("says that it has no cache"));
    assert!(warnings(Some(true), true).contains("virtual disk"));
}

#[test]
fn a_durable_write_faster_than_any_medium_is_found_out() {
    let mut rig = FakeRig::new(Memory);
    rig.facts.filesystem = Some("tmpfs".into());
    let warnings = report(rig, Objective::Latency).warnings;
    for part in ["it is memory", "no medium", "fdatasync costs nothing"] {
        assert!(warnings.iter().any(|w| w.contains(part)), "{part}: {warnings:?}");
    }
}

#[test]
fn busy_processors_are_told() {
    let mut rig = FakeRig::new(Ssd::new());
    rig.others_busy = Some(0.6);
    let r = report(rig, Objective::Latency);
    assert!(r.warnings[0].contains("60 % of the processors"));
    assert!(!r.reliable && text(&r).contains("not reliable"));
    assert!(report(FakeRig::new(Ssd::new()), Objective::Latency).reliable);
}

#[test]
fn a_refused_method_is_marked_with_its_reason_and_the_rest_goes_on() {
    let mut rig = FakeRig::new(Ssd::new());
    rig.refused = vec![Method::Direct, Method::IoUring, Method::Unflushed];
    let r = report(rig, Objective::Latency);
    assert_eq!(r.way, way(Method::OpenDatasync, 1, Tail::Rewrite));
    let refused = r.rows.iter().filter(|row| matches!(row.outcome, Outcome::Unavailable(_)));
    assert_eq!(refused.count(), 3, "a refused method is not tried again");
    assert!(text(&r).contains("not available: refused by the test"));
    assert!(r.findings[0].contains("io_uring is not available"), "{:?}", r.findings);
}

#[test]
fn without_any_method_there_is_no_recommendation() {
    let mut rig = FakeRig::new(Ssd::new());
    rig.refused = Method::DURABLE.to_vec();
    let error = try_run(&mut rig, Objective::Latency).unwrap_err().to_string();
    assert!(error.contains("direct: refused by the test"), "{error}");
}

#[test]
fn a_failing_disk_ends_the_run_and_says_where() {
    let mut rig = FakeRig::new(Ssd::new());
    rig.fails = Some(Method::Fsync);
    let error = try_run(&mut rig, Objective::Latency).unwrap_err();
    assert!(matches!(error, Error::Io { .. }) && error.to_string().starts_with("fsync"), "{error}");
}

#[test]
fn the_run_takes_the_given_time_on_any_disk() {
    for rig in
        [FakeRig::new(Ssd::new()), FakeRig::new(Rotating::new()), FakeRig::new(Network), FakeRig::new(Memory)]
    {
        let seconds = report(rig, Objective::Latency).seconds;
        assert!((0.9 * SECONDS..1.1 * SECONDS).contains(&seconds), "{seconds}");
    }
}

#[test]
fn progress_names_every_phase_once_in_order() {
    let mut heard = Heard::default();
    let options = Options { seconds: SECONDS, objective: Objective::Latency };
    let mut rig = FakeRig::new(Network);
    plan::run(&mut rig, &options, &AtomicBool::new(false), &mut heard).unwrap();
    assert_eq!(heard.phases, Phase::ALL);
}

#[test]
fn the_text_and_the_json_hold_everything() {
    let r = report(FakeRig::new(Ssd::new()), Objective::Throughput);
    let text = text(&r);
    for method in Method::DURABLE {
        assert!(text.contains(method.name()), "{text}");
    }
    for part in [
        "p50",
        "p99",
        "commits/s",
        "MB/s",
        "wasted",
        "start",
        "Recommended for throughput",
        "wal_flush_depth = 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 110), "{text}");
    let json: serde_json::Value = serde_json::from_str(&r.to_json()).unwrap();
    assert_eq!(json["way"]["method"], "direct");
    assert_eq!(json["objective"], "throughput");
    assert_eq!(json["settings"][0]["setting"], "wal_sync_method");
    assert!(json["rows"][0]["figures"]["write_us_p50"].as_f64().unwrap() > 0.0);
}

/// Ends its writes in pairs, the second one first; or only reports them so.
struct Backwards {
    only_reports: bool,
    now_ns: u64,
    in_flight: Vec<u64>,
    ended: Vec<u64>,
}

impl Lane for Backwards {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }
    fn start(&mut self, token: u64, _extent: Extent) -> std::io::Result<()> {
        self.in_flight.push(token);
        Ok(())
    }
    fn wait(&mut self, _until_ns: Option<u64>) -> std::io::Result<Option<Done>> {
        self.now_ns += 1_000_000;
        let token = self.in_flight.pop();
        self.ended.extend(token);
        let early_ns = if self.only_reports && token.is_some_and(|t| t % 2 == 0) { 1_500_000 } else { 0 };
        Ok(token.map(|token| Done { token, at_ns: self.now_ns - early_ns }))
    }
    fn rewind(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_commit_is_released_only_when_everything_before_it_is_durable() {
    let mut lane = Backwards { only_reports: false, now_ns: 0, in_flight: Vec::new(), ended: Vec::new() };
    let spec = Spec::raw(Method::Direct, 4096, 2);
    let sample =
        measure(&mut lane, &spec, Limit { box_ns: 10_000_000, writes: u64::MAX }, &AtomicBool::new(false), 1)
            .unwrap();
    assert_eq!(lane.ended[..4], [1, 0, 3, 2]);
    // The odd ones end after one millisecond and wait for the even ones, which end after two.
    let figures = sample.figures().unwrap();
    assert!(figures.commit_us_p50 > 1990.0 && figures.commit_us_p99 < 2010.0, "{figures:?}");
    assert!(figures.write_us_p50 < 1010.0, "{figures:?}");
}

#[test]
fn writes_that_are_reported_out_of_order_count_when_they_ended() {
    let mut lane = Backwards { only_reports: true, now_ns: 0, in_flight: Vec::new(), ended: Vec::new() };
    let spec = Spec::raw(Method::Direct, 4096, 2);
    let limit = Limit { box_ns: 10_000_000, writes: 2 };
    let figures = measure(&mut lane, &spec, limit, &AtomicBool::new(false), 1).unwrap().figures().unwrap();
    // The first after half a millisecond; the second after one, although it was released after two.
    assert!(figures.commit_us_p50 < 510.0, "{figures:?}");
    assert!((990.0..1010.0).contains(&figures.commit_us_p99), "{figures:?}");
}

#[test]
fn the_gang_takes_everybody_who_waits() {
    let rig = report(FakeRig::new(Network), Objective::Latency);
    let spec = Spec::stream(way(Method::Direct, 1, Tail::Rewrite), 4096, 64, plan::SMALL_BYTES);
    let row = rig.rows.iter().find(|r| r.phase == Phase::Streams && r.spec == spec).unwrap();
    // Those who come while a write is under way go with the next: half of all, as each write releases the other half.
    let gang = row.figures().unwrap().commits_per_write;
    assert!((30.0..=64.0).contains(&gang), "{gang}");
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect()
}

#[test]
fn the_real_disk_is_measured_and_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = Options { seconds: 2.0, objective: Objective::Latency };
    let report = loop {
        match run(dir.path(), &options, &AtomicBool::new(false), &mut Heard::default()) {
            // A machine with much else to do.
            Err(Error::TooShort(_)) if options.seconds < 60.0 => options.seconds *= 3.0,
            done => break done.unwrap(),
        }
    };
    assert!(report.rows.iter().any(|r| r.figures().is_some()));
    assert!(report.settings.len() >= 3);
    assert_eq!(names(dir.path()), Vec::<std::ffi::OsString>::new());
}

#[test]
fn an_interrupted_run_leaves_no_files() {
    struct Interrupt<'a>(&'a AtomicBool);
    impl Progress for Interrupt<'_> {
        fn phase(&mut self, n: usize, _phase: Phase) {
            self.0.store(n > 0, std::sync::atomic::Ordering::Relaxed);
        }
        fn step(&mut self, _share: f64, _what: &str) {}
    }
    let dir = tempfile::tempdir().unwrap();
    let options = Options { seconds: 2.0, objective: Objective::Latency };
    let stop = AtomicBool::new(false);
    let result = run(dir.path(), &options, &stop, &mut Interrupt(&stop));
    assert!(matches!(result, Err(Error::Interrupted)));
    assert_eq!(names(dir.path()), Vec::<std::ffi::OsString>::new());
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let result = run(
        Path::new("/nonexistent/folder"),
        &Options::default(),
        &AtomicBool::new(false),
        &mut Heard::default(),
    );
    assert!(result.unwrap_err().to_string().contains("/nonexistent/folder"));
}
