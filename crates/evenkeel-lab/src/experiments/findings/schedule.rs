//! Thread D: new orders a minute and their response times (W4), beside what checkpoints took (W7).
//!
//! Response times are pooled over the runs; the ranges are of single runs.
//!
//! It must not know how anything was measured.

use super::super::outcome::{Outcome, Report};
use super::verdict::{Value, Wanted, sentence};
use super::{Findings, Table, advise, bars, table, too_short, worse_controls};
use crate::bench_checkpoints::events::{Happened, SUMMARY, summary};
use crate::bench_tpcc::{Checkpoints, Report as Tpcc};
use crate::disturbance::Disturbance;
use crate::logdisk::words::three;
use crate::median::{median, quantile_of};

const BASELINE: &str = "off-0.7";
const DEFAULT: &str = "evenkeel";

/// A row over its runs.
struct Row {
    label: String,
    notpm: Vec<f64>,
    /// New-Order's response times of all runs, nanoseconds.
    buckets: Vec<(u64, u64)>,
    /// Of each run, milliseconds.
    p90_ms: Vec<f64>,
    max_ms: Vec<f64>,
    checkpoints: Vec<Checkpoints>,
    /// What happened beside it.
    events: Vec<Happened>,
    disturbance: Option<Disturbance>,
}

pub fn findings(report: &Report) -> Findings {
    let mut found = Findings { then: Some(then()), ..Findings::default() };
    let mut rows: Vec<Row> = Vec::new();
    for outcome in &report.outcomes {
        let Outcome::Tpcc { label, report, .. } = outcome else { continue };
        add(&mut rows, label, report);
        for warning in &report.warnings {
            if !found.warnings.contains(warning) {
                found.warnings.push(warning.clone());
            }
        }
    }
    if rows.is_empty() {
        return found;
    }
    found.tables.push(table(
        "In the thread's form",
        "NOTPM: new orders a minute, median and range of the runs; their response times in seconds, of all runs together; checkpoints' seconds. stalls: times that \
         this machine stood still for over 25 ms; stolen: what other machines on this hardware had of the processors; !: they spoilt the row",
        &["row", "NOTPM", "90 %", "avg", "stddev", "max", "write", "sync", "total", "stalls", "stolen %"],
        rows.iter().map(Row::cells).collect(),
    ));
    found.tables.extend(beside(&rows));
    let of = |f: &dyn Fn(&Row) -> (f64, Vec<f64>)| -> Vec<Value> {
        let value = |r: &Row| {
            let (value, runs) = f(r);
            Value::of(&r.label, value, &runs, r.spoilt())
        };
        rows.iter().map(value).collect()
    };
    let notpm = of(&|r| (median(&r.notpm).unwrap_or_default(), r.notpm.clone()));
    let p90 = of(&|r| (quantile_of(&r.buckets, 0.9) as f64 / 1e6, r.p90_ms.clone()));
    let max = of(&|r| (r.max_ms.iter().copied().fold(0.0, f64::max), r.max_ms.clone()));
    let max: Vec<Value> = max.into_iter().map(Value::slowest).collect();
    found.meaning.extend(sentence("New orders a minute", "", &notpm, BASELINE, Wanted::High));
    found.meaning.extend(sentence("90 % of new orders answered within", " ms", &p90, BASELINE, Wanted::Low));
    found.meaning.extend(sentence("Slowest new order", " ms", &max, BASELINE, Wanted::Low));
    for (what, unit, values, wanted) in [
        ("New orders a minute", "", &notpm, Wanted::High),
        ("90 % of new orders answered within", " ms", &p90, Wanted::Low),
        ("Slowest new order", " ms", &max, Wanted::Low),
    ] {
        found.meaning.extend(worse_controls(report, what, unit, values, wanted));
    }
    found.meaning.extend(syncs(&rows));
    found.meaning.push("All twelve consistency conditions of TPC-C held after every run.".into());
    found.pictures = vec![
        bars("New orders a minute", "", &notpm),
        bars("90 % answered within, ms", " ms", &p90),
        bars("Slowest new order, ms", " ms", &max),
    ];
    advise(report, &mut found, "the slowest new order", &max, DEFAULT, Wanted::Low);
    for row in &rows {
        let why = row.disturbance.and_then(|d| d.spoils());
        found.warnings.extend(why.map(|why| format!("{}: {why}; measure it again", row.label)));
        if row.checkpoints.iter().all(|c| c.cycles < 1.0) {
            too_short(&mut found);
            found.warnings.push(format!("{}: no checkpoint cycle ended in the counted time", row.label));
        }
    }
    found
}

/// Events, if there were any.
fn beside(rows: &[Row]) -> Option<Table> {
    let headings: Vec<&str> = std::iter::once("row").chain(SUMMARY).collect();
    let cells = |r: &Row| -> Vec<Vec<String>> {
        let of = summary(&r.events).into_iter();
        of.map(|cells| std::iter::once(r.label.clone()).chain(cells).collect()).collect()
    };
    let cells: Vec<Vec<String>> = rows.iter().flat_map(cells).collect();
    let note = "of all runs; took: the median";
    (!cells.is_empty()).then(|| table("What happened beside the terminals", note, &headings, cells))
}

/// Pauses after syncs can only matter where syncs take long.
fn syncs(rows: &[Row]) -> Option<String> {
    let base = rows.iter().find(|r| r.label == BASELINE)?;
    let sync = base.of(|c| c.sync_s)?;
    let write = base.of(|c| c.write_s)?;
    Some(format!(
        "A checkpoint of {BASELINE} writes for {} s and syncs for {} s: {:.0} % of its time is syncs, which is what the thread's pauses spread out.",
        three(write),
        three(sync),
        sync * 100.0 / (write + sync).max(1e-9)
    ))
}

fn add(rows: &mut Vec<Row>, label: &str, report: &Tpcc) {
    let Some(server) = report.servers.first() else { return };
    let n = rows.iter().position(|r| r.label == label).unwrap_or_else(|| {
        rows.push(Row {
            label: label.into(),
            notpm: Vec::new(),
            buckets: Vec::new(),
            p90_ms: Vec::new(),
            max_ms: Vec::new(),
            checkpoints: Vec::new(),
            events: Vec::new(),
            disturbance: None,
        });
        rows.len() - 1
    });
    let row = &mut rows[n];
    row.notpm.extend(&server.new_orders_per_minute);
    row.checkpoints.extend(&server.checkpoints);
    row.events.extend(server.events.iter().cloned());
    row.disturbance = Disturbance::all(row.disturbance.into_iter().chain(server.disturbance));
    if let Some(orders) = server.kinds.first() {
        row.buckets.extend(&orders.buckets);
        row.buckets.sort_unstable();
        row.p90_ms.push(orders.p90_ms);
        row.max_ms.push(orders.max_ms);
    }
}

impl Row {
    fn spoilt(&self) -> bool {
        self.disturbance.is_some_and(|d| d.spoils().is_some())
    }

    fn of(&self, f: fn(&Checkpoints) -> Option<f64>) -> Option<f64> {
        median(&self.checkpoints.iter().filter_map(f).collect::<Vec<_>>())
    }

    fn cells(&self) -> Vec<String> {
        let total: u64 = self.buckets.iter().map(|(_, n)| n).sum();
        let sum = |f: &dyn Fn(f64) -> f64| {
            self.buckets.iter().map(|(ns, n)| f(*ns as f64) * *n as f64).sum::<f64>()
        };
        let mean = sum(&|ns| ns) / (total as f64).max(1.0);
        let deviation = (sum(&|ns| (ns - mean).powi(2)) / (total as f64).max(1.0)).sqrt();
        let s = |ns: f64| format!("{:.3}", ns / 1e9);
        let some = |x: Option<f64>| x.map(|x| format!("{x:.1}")).unwrap_or_default();
        let (write, sync) = (self.of(|c| c.write_s), self.of(|c| c.sync_s));
        let (low, high) = (
            self.notpm.iter().copied().fold(f64::MAX, f64::min),
            self.notpm.iter().copied().fold(0.0, f64::max),
        );
        let notpm = format!("{:.0}", median(&self.notpm).unwrap_or_default());
        let notpm = if self.notpm.len() > 1 { format!("{notpm} ({low:.0} to {high:.0})") } else { notpm };
        vec![
            format!("{}{}", self.label, if self.spoilt() { " !" } else { "" }),
            notpm,
            s(quantile_of(&self.buckets, 0.9) as f64),
            s(mean),
            s(deviation),
            s(self.max_ms.iter().copied().fold(0.0, f64::max) * 1e6),
            some(write),
            some(sync),
            some(write.zip(sync).map(|(w, s)| w + s)),
            self.disturbance.map(|d| d.stalls.to_string()).unwrap_or_default(),
            some(self.disturbance.and_then(|d| d.stolen_percent)),
        ]
    }
}

fn then() -> Table {
    let row = |cells: [&str; 9]| cells.map(String::from).to_vec();
    table(
        "What the thread measured",
        "2013, DBT-2, whose terminals key and think; response times in seconds",
        &["row", "NOTPM", "90 %", "avg", "stddev", "max", "write", "sync", "total"],
        vec![
            row(["v3-0.7", "3649.02", "9.703", "4.226", "3.853", "21.754", "296.6", "251.9", "548.5"]),
            row(["v3-0.9", "3694.41", "9.897", "3.874", "4.016", "20.774", "292.1", "276.5", "568.5"]),
            row(["off-0.7", "3583.28", "10.966", "4.684", "4.866", "31.545", "303.6", "155.6", "459.2"]),
            row(["v4-0.7", "3546.38", "12.734", "5.062", "4.798", "24.468", "273.8", "355.6", "629.5"]),
            row(["v4-0.9", "3670.81", "9.864", "4.130", "3.665", "19.236", "329.1", "231.8", "560.8"]),
        ],
    )
}
