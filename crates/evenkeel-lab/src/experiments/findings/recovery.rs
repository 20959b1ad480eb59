//! Thread E: how soon a database is back (W6), with and without prefetching (S21), from the archive with page images and without (S22).
//!
//! It must not know how anything was measured.

use super::super::outcome::{Outcome, Report};
use super::verdict::{Value, differ};
use super::{Findings, Table, bars, table};
use crate::bench_recovery::{HEADINGS, Line, Report as Bench, cells_of};
use crate::disturbance::warning;
use crate::logdisk::words::three;

pub fn findings(report: &Report) -> Findings {
    let mut found = Findings { then: Some(then()), ..Findings::default() };
    let bench = report.outcomes.iter().find_map(|o| match o {
        Outcome::Recovery(bench) => Some(bench),
        _ => None,
    });
    let Some(bench) = bench else { return found };
    let loads = bench.loads.iter().map(|l| {
        let mb = |x: Option<u64>| x.map(|b| three(b as f64 / 1e6)).unwrap_or_default();
        vec![
            l.label.clone(),
            l.transactions.to_string(),
            format!("{:.0}", l.tps),
            mb(l.log_bytes),
            l.images.map(|n| n.to_string()).unwrap_or_default(),
        ]
    });
    found.tables.push(table(
        "The load before the kill",
        "",
        &["load", "transactions", "a second", "log MB", "page images"],
        loads.collect(),
    ));
    found.tables.push(table(
        "In the thread's form",
        "ready: until the database could be used; redo: the part of it that replays; tx: transactions of the load by redo time; x run rate: against the load's own; \
         stalls and stolen: what this machine, and others on its hardware, did meanwhile; !: they spoilt the row",
        &HEADINGS,
        bench.lines.iter().map(|l| cells_of(bench, l).to_vec()).collect(),
    ));
    let ready: Vec<Value> = bench.lines.iter().map(value).collect();
    found.pictures = vec![bars("Seconds until the database can be used", " s", &ready)];
    found.meaning = [prefetching(bench), archives(bench), standby(bench)].into_iter().flatten().collect();
    found
        .meaning
        .push("Everything that the load was told is committed was there after every recovery.".into());
    found.advice = advice(bench);
    let lines = bench.lines.iter().filter_map(|l| warning(&l.name(), l.median.disturbance));
    found.warnings = lines.chain(bench.warnings.iter().cloned()).collect();
    found.rows = vec![
        ("crash".into(), "the folder as a kill left it".into()),
        ("archive, copied".into(), "S24: a base backup from before the load, and the log archive as it was written".into()),
        ("archive, stripped".into(), "S22: the same, but the archive's log has no page images (lesslog)".into()),
        ("images, no images".into(), "whether the log was written with page images (torn_page_protection = full_page_writes or double_write)".into()),
        ("prefetch".into(), "S21: pages that redo will need are read ahead of it (recovery_prefetch)".into()),
    ];
    found
}

fn value(line: &Line) -> Value {
    let runs: Vec<f64> = line.trials.iter().map(|t| t.seconds).collect();
    let spoilt = line.median.disturbance.is_some_and(|d| d.spoils().is_some());
    Value::of(&line.name(), line.median.seconds, &runs, spoilt)
}

/// Pairs of lines that differ in prefetching alone: without it, with it.
fn pairs(bench: &Bench) -> impl Iterator<Item = (&Line, &Line)> {
    bench.lines.iter().filter(|l| l.prefetch == Some(false)).filter_map(|off| {
        let on = bench.lines.iter().find(|l| l.label == off.label && l.prefetch == Some(true))?;
        Some((off, on))
    })
}

fn prefetching(bench: &Bench) -> Option<String> {
    let said: Vec<String> = pairs(bench)
        .map(|(off, on)| {
            let (a, b) = (value(off), value(on));
            let times = a.value / b.value.max(1e-9);
            match differ(&a, &b) {
                false => format!("{}: no difference that one can rely on", off.label),
                true => format!(
                    "{}: {} times {}",
                    off.label,
                    three(times.max(1.0 / times)),
                    if times > 1.0 { "as fast" } else { "as slow" }
                ),
            }
        })
        .collect();
    (!said.is_empty()).then(|| format!("With prefetching, {}.", said.join("; ")))
}

fn archives(bench: &Bench) -> Option<String> {
    let bytes = |part: &str| {
        let of = |l: &&Line| l.label.starts_with(part) && l.label.ends_with(", images");
        bench.lines.iter().find(of).and_then(|l| Some((l, l.archive_bytes? as f64)))
    };
    let ((copied, a), (stripped, b)) = (bytes("archive, copied")?, bytes("archive, stripped")?);
    let read = |l: &Line| l.median.read_bytes.map(|b| format!("{} MB", three(b as f64 / 1e6)));
    let read = read(copied)
        .zip(read(stripped))
        .map(|(a, b)| format!(" Recovery reads {b} from the disk instead of {a}."))
        .unwrap_or_default();
    Some(format!(
        "Without page images the archive has {} MB instead of {} MB: {:.1} % of it.{read}",
        three(b / 1e6),
        three(a / 1e6),
        b * 100.0 / a.max(1.0)
    ))
}

/// A replay that is slower than the run never catches up.
fn standby(bench: &Bench) -> Option<String> {
    let rates = bench.lines.iter().map(|l| {
        let load = &bench.loads[l.load];
        let seconds = l.median.redo_s.filter(|s| *s > 0.0).unwrap_or(l.median.seconds).max(1e-9);
        (l, load.transactions as f64 / seconds / load.tps.max(1e-9))
    });
    let (slowest, rate) = rates.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(if rate < 1.0 {
        format!(
            "{} replays {} of the load's rate: a standby that did so would never catch up.",
            slowest.name(),
            three(rate)
        )
    } else {
        format!(
            "Even the slowest replay, {}, runs at {} times the load's rate: a standby keeps up.",
            slowest.name(),
            three(rate)
        )
    })
}

fn advice(bench: &Bench) -> String {
    let wins = pairs(bench)
        .filter(|(off, on)| differ(&value(off), &value(on)) && value(on).value < value(off).value)
        .count();
    let loses = pairs(bench)
        .filter(|(off, on)| differ(&value(off), &value(on)) && value(on).value > value(off).value)
        .count();
    match (wins, loses) {
        (_, 0) => "Prefetching makes nothing slower here; it is on by default: nothing has to be set.".into(),
        (w, l) if w >= l => "Prefetching helps more kinds of recovery here than it harms; it is on by default: nothing has to be set.".into(),
        _ => "Prefetching makes more kinds of recovery slower than faster here: recovery_prefetch = \"off\" is worth a second look with more --runs.".into(),
    }
}

fn then() -> Table {
    let row = |cells: [&str; 6]| cells.map(String::from).to_vec();
    table(
        "What the thread measured",
        "2008, DBT-2, 20 GB, 2 GB of memory, 8 disks as RAID0, a run of an hour at 682 TPM with page images, 739 without",
        &["archive", "prefetch", "images", "recovery s", "MB read", "replay tx/min"],
        vec![
            row(["copied", "no", "off", "6611", "5435", "402"]),
            row(["copied", "no", "on", "1683", "801", "1458"]),
            row(["lesslog", "no", "on", "6644", "5090", "369"]),
            row(["copied", "yes", "off", "1161", "5543", "2290"]),
            row(["copied", "yes", "on", "1415", "2157", "1733"]),
            row(["lesslog", "yes", "on", "1196", "5369", "2051"]),
        ],
    )
}
