//! `evenkeel lab`: every experiment in small, on servers of its own.

mod common;

use std::path::Path;

use common::{evenkeel, run, stderr, stdout};

/// Runs an experiment in this folder; gives what it said and its page, after a look that nothing else is left.
fn lab(dir: &Path, args: &[&str]) -> (String, String) {
    let output = evenkeel(&["lab"]).args(args).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let page = std::fs::read_to_string(dir.join(format!("lab-{}.html", args[0]))).unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".html") || name.ends_with(".json"), "{name} is left");
    }
    (stdout(&output), page)
}

fn has_pgbench() -> bool {
    std::process::Command::new("pgbench").arg("--version").output().is_ok_and(|o| o.status.success())
}

#[test]
fn the_list_tells_what_each_asks_and_how_long_it_takes() {
    let text = stdout(&run(&["lab"]));
    for name in ["partitioned-checkpoints", "bgwriter", "ganged-log", "checkpoint-schedule", "recovery"] {
        assert!(text.contains(&format!("\n{name}  (thread ")), "{text}");
    }
    assert!(text.contains("takes about") && text.contains("with --quick"), "{text}");
    assert!(stdout(&run(&["lab", "--help"])).contains("Examples:"));
    assert_eq!(run(&["lab", "no-such-thing"]).status.code(), Some(2));
    let dir = tempfile::tempdir().unwrap();
    let output =
        evenkeel(&["lab", "ganged-log", "--only", "nothing"]).current_dir(dir.path()).output().unwrap();
    assert!(stderr(&output).contains("there are one write at a time, four in flight"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Nobody is to find out after an hour that an option was none of the experiment's.
#[test]
fn options_of_other_experiments_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (args, why) in [
        (
            &["ganged-log", "--rate", "5"][..],
            "ganged-log has nothing to do with --rate: it is of partitioned",
        ),
        (&["ganged-log", "--scale", "5"], "--scale"),
        (&["recovery", "--only", "crash"], "recovery has nothing to do with --only"),
        (&["checkpoint-schedule", "--rate", "100"], "--rate"),
        (&["checkpoint-schedule", "--clients", "1,8"], "one number of --clients"),
        (&["partitioned-checkpoints", "--think"], "it is of checkpoint-schedule"),
    ] {
        let output = evenkeel(&["lab"]).args(args).current_dir(dir.path()).output().unwrap();
        assert!(!output.status.success() && stderr(&output).contains(why), "{args:?}: {}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_log_and_what_is_kept_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "ganged-log",
        "--quick",
        "--clients",
        "1,3",
        "--seconds",
        "0.1",
        "--only",
        "write",
        "--only",
        "flight",
        "--set",
        "shared_buffers=16MB",
        "--resume",
        "kept.json",
        "--json",
        "all.json",
    ];
    let (said, page) = lab(dir.path(), &args);
    for part in ["Commits a second", "four in flight", "3 clients make", "report: lab-ganged-log.html"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(page.contains("<svg") && page.contains("What it means for this machine"));
    let json = std::fs::read_to_string(dir.path().join("all.json")).unwrap();
    assert!(json.contains("\"experiment\":\"ganged-log\"") && json.contains("stalled_ms"), "{json}");
    // Nothing is measured again: the very same figures.
    let (again, _) = lab(dir.path(), &args);
    assert_eq!(said, again);
}

#[test]
fn checkpoints_and_the_background_writer() {
    let dir = tempfile::tempdir().unwrap();
    let small =
        ["--quick", "--scale", "1", "--seconds", "1", "--warmup-seconds", "0", "--shared-buffers", "16MB"];
    let with = |more: &[&str]| {
        let args: Vec<&str> = more.iter().chain(&small).copied().collect();
        lab(dir.path(), &args)
    };
    let (said, page) = with(&[
        "partitioned-checkpoints",
        "--only",
        "evenkeel",
        "--rate",
        "0",
        "--clients",
        "2",
        "--resume",
        "a.json",
    ]);
    assert!(said.contains("\nrounds held back") && said.contains("measure longer"), "{said}");
    assert!(page.contains("Second by second") && page.contains("S1 and S2 together"), "a page");
    let kept: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!kept.iter().any(|n| n.to_string_lossy().starts_with("a.json.")), "{kept:?}");
    // Along a curve (W5), with something beside it.
    let changing =
        ["--curve", "steps:300@500ms,100@500ms", "--event", "archive=100@400ms", "--event", "sh=exit 3@1s"];
    let (said, page) =
        with(&[&["bgwriter", "--clients", "2", "--only", "chain", "--only", "sync"], &changing[..]].concat());
    assert!(said.contains("Who wrote pages, with 2 clients") && said.contains("\noutside sync "), "{said}");
    assert!(
        said.contains("along the curve: the worst 10 seconds") && said.contains("archive=100@400ms ("),
        "{said}"
    );
    assert!(said.contains("sh=exit 3@1s failed: exit 3: exit status: 3"), "{said}");
    assert!(page.contains("S13: no background writer"), "a page");
}

/// The driver of TPC-C, too: its tables, its five transactions, its checks.
#[test]
fn the_schedule_under_tpcc() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "checkpoint-schedule",
        "--quick",
        "--seconds",
        "1",
        "--warmup-seconds",
        "0",
        "--clients",
        "3",
        "--only",
        "v4-0.9",
        "--set",
        "fsync=off",
        "--json",
        "all.json",
    ];
    let (said, page) = lab(dir.path(), &args);
    assert!(said.contains("NOTPM") && said.contains("\nv4-0.9"), "{said}");
    assert!(page.contains("All twelve consistency conditions"), "a page");
    let all: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("all.json")).unwrap()).unwrap();
    let server = &all["outcomes"][0]["Tpcc"]["report"]["servers"][0];
    assert!(server["new_orders_per_minute"][0].as_f64().unwrap() > 0.0, "{server}");
    assert!(
        server["kinds"][1]["count"].as_u64().unwrap() > 0 && server["load_seconds"].as_f64().unwrap() > 0.0
    );
    assert_eq!(
        (server["consistent"].as_bool(), server["checkpoints"].as_array().unwrap().len()),
        (Some(true), 1)
    );
}

#[test]
fn recoveries() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["recovery", "--quick", "--scale", "1", "--seconds", "1", "--clients", "2"];
    if !has_pgbench() {
        let output = evenkeel(&["lab"]).args(args).current_dir(dir.path()).output().unwrap();
        assert!(stderr(&output).contains("needs pgbench"), "{}", stderr(&output));
        return;
    }
    let (said, page) = lab(dir.path(), &args);
    assert!(said.contains("x run rate") && said.contains("archive, stripped, images"), "{said}");
    assert!(page.contains("Seconds until the database can be used"), "a page");
}
