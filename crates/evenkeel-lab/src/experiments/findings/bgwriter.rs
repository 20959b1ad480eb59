//! Thread B: tps and latency by clients, and who wrote the pages, under each policy of the background writer.
//!
//! It must not know how anything was measured.

use super::super::outcome::Report;
use super::super::plot::{Line as Curve, lines};
use super::checkpoints::spoilt;
use super::verdict::{Value, Wanted, sentence};
use super::{
    Findings, Table, advise, bars, checkpoint_reports, clients_words, table, worse_controls, worst_minutes,
};
use crate::bench_checkpoints::figures::Figures;
use crate::bench_checkpoints::html_traces;
use crate::bench_checkpoints::result::Line;
use crate::logdisk::words::three;

const BASELINE: &str = "full scan";
const DEFAULT: &str = "dirty chain";

pub fn findings(report: &Report) -> Findings {
    let mut found = Findings { then: Some(then()), ..Findings::default() };
    let mut benches = checkpoint_reports(report);
    benches.sort_by_key(|b| b.clients);
    let Some(last) = benches.last().copied() else { return found };
    let labels: Vec<&str> = last.lines.iter().map(|l| l.label.as_str()).collect();
    let clients: Vec<String> = benches.iter().map(|b| b.clients.to_string()).collect();
    let line = |n: usize, label: &str| benches[n].lines.iter().find(|l| l.label == label);
    let by_clients = |title: &str, note: &str, cell: &dyn Fn(&Line) -> String| -> Table {
        let headings: Vec<String> =
            std::iter::once("row".into()).chain(clients.iter().map(clients_words)).collect();
        let rows = labels.iter().map(|label| {
            let cells = (0..benches.len()).map(|n| line(n, label).map(cell).unwrap_or_default());
            std::iter::once(label.to_string()).chain(cells).collect()
        });
        Table { title: title.into(), note: note.into(), headings, rows: rows.collect() }
    };
    let mark = |l: &Line| if spoilt(l) { " !" } else { "" };
    found
        .tables
        .push(by_clients("Transactions a second", "", &|l| format!("{:.0}{}", l.median.tps, mark(l))));
    found
        .tables
        .push(by_clients("p99.9 latency, ms", "over all runs together", &|l| three(l.pooled.p999_ms)));
    found.tables.push(by_clients("Slowest transaction, ms", "", &|l| three(l.median.max_ms)));
    found.tables.push(writers(&last.lines, last.clients));
    for (title, f) in [
        ("Transactions a second", (|l: &Line| l.median.tps) as fn(&Line) -> f64),
        ("p99.9 latency, ms", |l| l.pooled.p999_ms),
    ] {
        let curves: Vec<Curve> = labels
            .iter()
            .map(|label| Curve { label, values: (0..benches.len()).map(|n| line(n, label).map(f)).collect() })
            .collect();
        if benches.len() > 1 {
            found.pictures.push(lines(&format!("{title}, by clients"), &clients, &curves));
        }
    }
    let at = clients_words(last.clients);
    let values = |f: fn(&Figures) -> f64| -> Vec<Value> {
        let of = |l: &Line| {
            Value::of(&l.label, f(&l.median), &l.runs.iter().map(f).collect::<Vec<_>>(), spoilt(l))
        };
        last.lines.iter().map(of).collect()
    };
    let p999: Vec<Value> = values(|f| f.p999_ms).into_iter().map(Value::tail).collect();
    found.meaning.extend(sentence(
        &format!("Transactions a second with {at}"),
        "",
        &values(|f| f.tps),
        BASELINE,
        Wanted::High,
    ));
    found.meaning.extend(sentence(&format!("p99.9 with {at}"), " ms", &p999, BASELINE, Wanted::Low));
    let what = format!("Transactions a second with {at}");
    found.meaning.extend(worse_controls(report, &what, "", &values(|f| f.tps), Wanted::High));
    found.meaning.extend(worse_controls(report, &format!("p99.9 with {at}"), " ms", &p999, Wanted::Low));
    let by_clients = values(|f| f.by_backends.unwrap_or(0.0) / (f.tps * SECONDS).max(1e-9) * 1e3);
    found.meaning.push(who_frees(&by_clients));
    let pages = values(|f| written(f) / (f.tps * SECONDS).max(1e-9) * 1e3);
    found.meaning.extend(amplification(&pages, f64::from(last.seconds)));
    found.pictures.push(bars(&format!("Slowest transaction with {at}, ms"), " ms", &values(|f| f.max_ms)));
    advise(report, &mut found, &format!("p99.9 with {at}"), &p999, DEFAULT, Wanted::Low);
    for bench in &benches {
        let of = |w: &String| format!("{}: {w}", clients_words(bench.clients));
        found.warnings.extend(bench.warnings.iter().map(of));
    }
    found.tables.extend(worst_minutes(last));
    found.traces = html_traces(last);
    found
}

/// Figures are compared among rows of the same seconds: of which it does not matter how many.
const SECONDS: f64 = 1.0;

fn written(f: &Figures) -> f64 {
    f.by_checkpointer.unwrap_or(0.0) + f.by_cleaner.unwrap_or(0.0) + f.by_backends.unwrap_or(0.0)
}

/// Rows in which clients wrote least themselves.
fn who_frees(values: &[Value]) -> String {
    let (free, busy): (Vec<&Value>, Vec<&Value>) = values.iter().partition(|v| v.value < 1e-9);
    let names = |of: &[&Value]| of.iter().map(|v| v.label.as_str()).collect::<Vec<_>>().join(", ");
    match (free.is_empty(), busy.is_empty()) {
        (_, true) => {
            "Clients wrote no pages themselves in any row: the pool did not have to give up dirty ones."
                .into()
        }
        (true, false) => "In every row clients had to write pages themselves to get a free buffer.".into(),
        (false, false) => format!(
            "Clients never had to write a page themselves with {}; they had to with {}.",
            names(&free),
            names(&busy)
        ),
    }
}

/// Cleaning everything turns the pool into a write-through cache: pages written for a transaction tell.
fn amplification(pages: &[Value], seconds: f64) -> Option<String> {
    let by = |a: &&Value, b: &&Value| a.value.total_cmp(&b.value);
    let some = || pages.iter().filter(|v| v.value > 0.0);
    let (least, most) = (some().min_by(by)?, some().max_by(by)?);
    let each = |v: &Value| three(v.value / seconds);
    if least.label == most.label || most.value < least.value * 1.05 {
        return Some(format!("All rows write about as many pages: {} for 1000 transactions.", each(most)));
    }
    Some(format!(
        "Pages written for 1000 transactions, by whomever: fewest with {} ({}), most with {} ({}).",
        least.label,
        each(least),
        most.label,
        each(most)
    ))
}

fn writers(lines: &[Line], clients: u32) -> Table {
    let whole = |x: Option<f64>| x.map(|x| format!("{x:.0}")).unwrap_or_default();
    let row = |l: &Line| {
        let f = &l.median;
        vec![
            l.marked(),
            whole(f.by_backends),
            whole(f.by_cleaner),
            whole(f.by_checkpointer),
            whole(f.extended),
            whole(f.cpu_s),
            l.disturbance.map(|d| d.stalls.to_string()).unwrap_or_default(),
            l.disturbance.and_then(|d| d.stolen_percent).map(|p| format!("{p:.1}")).unwrap_or_default(),
        ]
    };
    table(
        format!("Who wrote pages, with {}", clients_words(clients)),
        "stalls: times that the machine stood still for over 25 ms; stolen: what other machines on this hardware had of the processors; !: they spoilt the row",
        &[
            "row",
            "clients",
            "background writer",
            "checkpointer",
            "extending files",
            "server's cpu s",
            "stalls",
            "stolen %",
        ],
        lines.iter().map(row).collect(),
    )
}

fn then() -> Table {
    let row = |cells: [&str; 5]| cells.map(String::from).to_vec();
    table(
        "What the thread measured",
        "2004, one IDE disk, 1 GB of memory, 10,000 buffers; pgbench, scale 200, transactions a second",
        &["row", "1 client", "2 clients", "4 clients", "8 clients"],
        vec![
            row(["7.4.6", "65.1", "72.5", "69.2", "48.3"]),
            row(["8.0.0RC1", "55.8", "68.3", "38.4", "29.4"]),
            row(["RC1 with S8", "70.9", "77.9", "62.8", "38.1"]),
        ],
    )
}
