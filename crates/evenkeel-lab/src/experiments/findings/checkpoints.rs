//! Thread A: latency under checkpoints, at full speed (W1) and throttled (W2).
//!
//! It must not know how anything was measured.

use super::super::outcome::Report;
use super::super::plan::is_control;
use super::verdict::{Value, Wanted, differ, sentence};
use super::{Findings, advise, bars, checkpoint_reports, table, too_short, worse_controls, worst_minutes};
use crate::bench_checkpoints::rows::HELD_BACK;
use crate::bench_checkpoints::{Rate, column_meanings, html_traces, result::Line, text_tables};
use crate::logdisk::words::three;

const BASELINE: &str = "classic";
const DEFAULT: &str = "evenkeel";

pub fn findings(report: &Report) -> Findings {
    let mut found = Findings { then: Some(then()), ..Findings::default() };
    let Some(bench) = checkpoint_reports(report).into_iter().next() else { return found };
    let mut rates: Vec<Rate> = Vec::new();
    for line in &bench.lines {
        if !rates.contains(&line.rate) {
            rates.push(line.rate);
        }
    }
    let mut over_rates: Vec<Value> = Vec::new();
    for rate in rates {
        let lines: Vec<&Line> = bench.lines.iter().filter(|l| l.rate == rate).collect();
        let at = rate.to_string();
        let rows: Vec<&Line> = lines.iter().copied().filter(|l| l.label != HELD_BACK).collect();
        let p999: Vec<Value> = rows.iter().map(|l| p999(l)).collect();
        found.meaning.extend(sentence(&format!("p99.9 at {at}"), " ms", &p999, BASELINE, Wanted::Low));
        if rate == Rate::Full {
            let low: Vec<Value> = rows.iter().map(|l| of(l, |f| f.lowest_to_median)).collect();
            let what = "Lowest second against the median one";
            found.meaning.extend(sentence(what, "", &low, BASELINE, Wanted::High));
        } else {
            let late: Vec<Value> = rows.iter().map(|l| of(l, |f| f.late_percent)).collect();
            let what = format!("Late or skipped at {at}");
            found.meaning.extend(match late.iter().all(|v| v.value < 0.05) {
                true => Some(format!(
                    "{what}: hardly any transaction in any row; this rate does not trouble this disk."
                )),
                false => sentence(&what, " %", &late, BASELINE, Wanted::Low),
            });
        }
        if let Some(held_back) = lines.iter().find(|l| l.label == HELD_BACK && l.pooled.p999_ms > 0.0) {
            let control = held_back.pooled.p999_ms;
            let but = if spoilt(held_back) { ", but the machine spoilt that row" } else { "" };
            let ratios: Vec<String> = rows
                .iter()
                .map(|l| format!("{} {}", l.marked(), three(l.pooled.p999_ms / control)))
                .collect();
            found.meaning.push(format!(
                "Without any checkpoint p99.9 at {at} is {} ms{but}; with them it is so many times that: {}.",
                three(control),
                ratios.join(", ")
            ));
        }
        let all: Vec<Value> = lines.iter().map(|l| self::p999(l)).collect();
        found.meaning.extend(worse_controls(report, &format!("p99.9 at {at}"), " ms", &all, Wanted::Low));
        let is_worse = |v: &Value| v.label == HELD_BACK && !v.spoilt;
        if all.iter().filter(|v| is_worse(v)).any(|c| rows_are_better(&p999, c)) {
            found.meaning.push(format!(
                "At {at} a row with checkpoints does better than {HELD_BACK}, which has none: there it is something else than checkpoints that tells, and times of the control mean little."
            ));
        }
        found.pictures.push(bars(&format!("p99.9 latency at {at}, ms"), " ms", &all));
        add_up(&mut over_rates, &p999);
    }
    for (title, headings, rows) in text_tables(bench) {
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        found.tables.push(table(title, "", &headings, rows));
    }
    found.columns = column_meanings(bench);
    advise(report, &mut found, "p99.9 over all rates", &over_rates, DEFAULT, Wanted::Low);
    if bench.lines.iter().any(|l| l.label != HELD_BACK && l.median.cycles < 1.0) {
        too_short(&mut found);
    }
    found.warnings.clone_from(&bench.warnings);
    found.tables.extend(worst_minutes(bench));
    found.traces = html_traces(bench);
    if bench.results.iter().any(|r| is_control(&r.row)) {
        found.rows.push((
            HELD_BACK.into(),
            "classic with no checkpoint in the counted time: what is left is the load itself".into(),
        ));
    }
    found
}

/// Some row is better than the control, beyond doubt.
fn rows_are_better(rows: &[Value], control: &Value) -> bool {
    rows.iter().any(|v| !v.spoilt && v.value < control.value && differ(v, control))
}

fn p999(line: &Line) -> Value {
    let runs: Vec<f64> = line.runs.iter().map(|f| f.p999_ms).collect();
    Value::of(&line.label, line.pooled.p999_ms, &runs, spoilt(line)).tail()
}

fn of(line: &Line, f: fn(&crate::bench_checkpoints::figures::Figures) -> f64) -> Value {
    let runs: Vec<f64> = line.runs.iter().map(f).collect();
    Value::of(&line.label, f(&line.median), &runs, spoilt(line))
}

pub fn spoilt(line: &Line) -> bool {
    line.disturbance.is_some_and(|d| d.spoils().is_some())
}

/// Products over the rates: each rate counts alike.
fn add_up(all: &mut Vec<Value>, more: &[Value]) {
    for v in more {
        match all.iter_mut().find(|a| a.label == v.label) {
            None => all.push(v.clone()),
            Some(a) => {
                a.value *= v.value;
                a.range = a.range.zip(v.range).map(|(a, b)| (a.0 * b.0, a.1 * b.1));
                a.spoilt |= v.spoilt;
                a.chance *= v.chance;
            }
        }
    }
}

/// Its second machine, small: 16 GB, RAID1 of hard disks.
fn then() -> super::Table {
    let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
    table(
        "What the thread measured",
        "2015, 8 cores, 16 GB, RAID1 of hard disks; pgbench -M prepared -N -j 2 -c 4, 2 GB buffers, 300 s timeout, scale 120, 4000 s",
        &["row", "tps ± stddev (% of seconds under 10)", "late % at 100/s", "late % at 200/s"],
        vec![
            row(["sort + flush", "751 ± 415 (0.2)", "1.0", "1.9"]),
            row(["neither", "188 ± 508 (83.6)", "31.5", "49.8"]),
            row(["1 partition", "183 ± 518 (85.6)", "32.3", "49.0"]),
            row(["16 partitions", "179 ± 462 (81.1)", "32.9", "48.0"]),
        ],
    )
}
