//! Thread C: durable commits by clients (W3), and how they share flushes.
//!
//! It must not know how anything was measured.

use super::super::outcome::{Outcome, Report};
use super::super::plot::{Line as Curve, lines};
use super::verdict::{Value, Wanted, differ, sentence};
use super::{Findings, Table, advise, clients_words, table};
use crate::bench_commits::report::{Figures, Point};
use crate::logdisk::words::three;

const DEFAULT: &str = "one write at a time";
const PIPELINED: &str = "four in flight";
const NOT_DURABLE: &str = "fsync off";

pub fn findings(report: &Report) -> Findings {
    let mut found = Findings { then: Some(then()), ..Findings::default() };
    let bench = report.outcomes.iter().find_map(|o| match o {
        Outcome::Commits(bench) => Some(bench),
        _ => None,
    });
    let Some(bench) = bench else { return found };
    let labels: Vec<&str> = bench.targets.iter().map(|t| t.name.as_str()).collect();
    let mut clients: Vec<u32> = bench.points.iter().map(|p| p.clients).collect();
    clients.sort_unstable();
    clients.dedup();
    let point = |target: usize, clients: u32| {
        bench.points.iter().find(|p| p.target == target && p.clients == clients)
    };
    let by_clients = |title: &str, note: &str, cell: &dyn Fn(&Point) -> String| -> Table {
        let headings = std::iter::once("row".into()).chain(clients.iter().map(clients_words));
        let rows = labels.iter().enumerate().map(|(t, label)| {
            let cells = clients.iter().map(|c| point(t, *c).map(cell).unwrap_or_default());
            std::iter::once(label.to_string()).chain(cells).collect()
        });
        Table { title: title.into(), note: note.into(), headings: headings.collect(), rows: rows.collect() }
    };
    let mark = |p: &Point| if spoilt(&p.median) { " !" } else { "" };
    let some = |x: Option<f64>, f: &dyn Fn(f64) -> String| x.map(f).unwrap_or_default();
    found.tables = vec![
        by_clients("Commits a second", "medians of the runs; !: the machine spoilt it", &|p| {
            format!("{:.0}{}", p.median.commits_per_s, mark(p))
        }),
        by_clients(
            "Commits a flush",
            "how many shared a flush of the device, by the server's own count",
            &|p| some(p.median.commits_per_flush, &three),
        ),
        by_clients("Flushes a second", "", &|p| some(p.median.flushes_per_s, &|x| format!("{x:.0}"))),
        by_clients("99th percentile of a commit, ms", "", &|p| three(p.median.p99_ms)),
        by_clients(
            "Stalls of this machine, and processor time stolen",
            "times over 25 ms, % of the processors",
            &|p| {
                let stolen = |d: crate::disturbance::Disturbance| {
                    d.stolen_percent.map(|s| format!(", {s:.1} %")).unwrap_or_default()
                };
                p.median.disturbance.map(|d| format!("{}{}", d.stalls, stolen(d))).unwrap_or_default()
            },
        ),
    ];
    let names: Vec<String> = clients.iter().map(ToString::to_string).collect();
    for (title, f) in [
        ("Commits a second", (|f: &Figures| Some(f.commits_per_s)) as fn(&Figures) -> Option<f64>),
        ("Commits a flush", |f| f.commits_per_flush),
    ] {
        let curves: Vec<Curve> = labels
            .iter()
            .enumerate()
            .map(|(t, label)| Curve {
                label,
                values: clients.iter().map(|c| point(t, *c).and_then(|p| f(&p.median))).collect(),
            })
            .collect();
        found.pictures.push(lines(&format!("{title}, by clients"), &names, &curves));
    }
    let value = |t: usize, clients: u32| {
        let p = point(t, clients)?;
        let runs: Vec<f64> = p.runs.iter().map(|f| f.commits_per_s).collect();
        Some(Value::of(labels[t], p.median.commits_per_s, &runs, spoilt(&p.median)))
    };
    let place = |label: &str| labels.iter().position(|l| *l == label);
    if let Some(t) = place(DEFAULT) {
        found.meaning.extend(sharing(
            point(t, *clients.first().unwrap_or(&1)),
            clients.iter().filter_map(|c| point(t, *c)).max_by_key(|p| p.clients),
        ));
        let foreign = labels.iter().copied().filter(|l| super::lines_of(report, l).is_none());
        for other in [PIPELINED, "commit_delay 1 ms"].into_iter().chain(foreign) {
            let Some(o) = place(other) else { continue };
            found.meaning.extend(against(other, &clients, &|c| value(o, c).zip(value(t, c))));
        }
        let most = clients.last().copied().unwrap_or(1);
        if let Some((on, off)) = value(t, most).zip(place(NOT_DURABLE).and_then(|o| value(o, most))) {
            found.meaning.push(format!(
                "With {most} clients, durable commits reach {:.0} % of what is possible when nothing is flushed: the rest is what this disk costs.",
                on.value * 100.0 / off.value.max(1e-9)
            ));
        }
    }
    let most = clients.last().copied().unwrap_or(1);
    let durable: Vec<Value> =
        (0..labels.len()).filter(|t| labels[*t] != NOT_DURABLE).filter_map(|t| value(t, most)).collect();
    found.meaning.extend(sentence(
        &format!("Durable commits a second with {most} clients"),
        "",
        &durable,
        DEFAULT,
        Wanted::High,
    ));
    advise(
        report,
        &mut found,
        &format!("durable commits a second with {most} clients"),
        &durable,
        DEFAULT,
        Wanted::High,
    );
    found.meaning.push("Whether this drive confirms only what it has written is not shown by these figures: evenkeel logdisk finds that out.".into());
    // That a row is not durable is its very point.
    found.warnings = bench
        .warnings
        .iter()
        .filter(|w| !w.starts_with(NOT_DURABLE) && !w.contains(&format!("{NOT_DURABLE} has")))
        .cloned()
        .collect();
    let foreign = bench.targets.iter().filter(|t| super::lines_of(report, &t.name).is_none());
    found.rows.extend(foreign.map(|t| (t.name.clone(), t.place.clone())));
    found
}

fn spoilt(f: &Figures) -> bool {
    f.disturbance.is_some_and(|d| d.spoils().is_some())
}

/// One client against many: n times as many commits, were all flushes shared.
fn sharing(one: Option<&Point>, many: Option<&Point>) -> Option<String> {
    let (one, many) = (one?, many?);
    if one.clients >= many.clients {
        return None;
    }
    let times = many.median.commits_per_s / one.median.commits_per_s.max(1e-9);
    let factor = f64::from(many.clients) / f64::from(one.clients);
    let gang = many
        .median
        .commits_per_flush
        .map(|g| format!("; a flush then carries {} commits", three(g)))
        .unwrap_or_default();
    Some(format!(
        "{} clients make {} times the commits of {} ({:.0} a second against {:.0}), {:.0} % of the {} times that would be ideal{gang}.",
        many.clients,
        three(times),
        one.clients,
        many.median.commits_per_s,
        one.median.commits_per_s,
        times * 100.0 / factor,
        three(factor)
    ))
}

/// A row against the default, by clients.
fn against(label: &str, clients: &[u32], pair: &dyn Fn(u32) -> Option<(Value, Value)>) -> Option<String> {
    let (mut more, mut less, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for c in clients {
        let Some((a, b)) = pair(*c).filter(|(a, b)| !a.spoilt && !b.spoilt) else { continue };
        let said = format!("{c} ({:+.0} %)", (a.value / b.value.max(1e-9) - 1.0) * 100.0);
        match differ(&a, &b) {
            false => same.push(c.to_string()),
            true if a.value > b.value => more.push(said),
            true => less.push(said),
        }
    }
    let part = |what: &str, of: &[String]| (!of.is_empty()).then(|| format!("{what} at {}", of.join(", ")));
    let parts: Vec<String> = [
        part("more commits", &more),
        part("fewer", &less),
        part("no difference that one can rely on", &same),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| format!("Against {DEFAULT}, by clients, {label} makes {}.", parts.join("; ")))
}

fn then() -> Table {
    let row = |cells: [&str; 6]| cells.map(String::from).to_vec();
    table(
        "What the thread measured",
        "2002, a disk of 7200 revolutions a minute: 120 a second; transactions a second",
        &["row", "1 client", "5 clients", "10 clients", "50 clients", "100 clients"],
        vec![
            row(["before", "115", "118", "115", "118", "115"]),
            row(["ganged (S14)", "117", "283", "447", "437", "405"]),
            row(["fsync off", "640", "640", "615", "", "450"]),
        ],
    )
}
