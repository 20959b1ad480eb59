//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::{KINDS, Report, Server};
use crate::aligned::aligned;
use crate::logdisk::words::three;
use crate::median::median;

const HEADINGS: [&str; 10] =
    ["server", "transaction", "a minute", "average ms", "deviation", "50 %", "90 %", "99 %", "maximum", ""];
/// These columns stand to the left.
const LEFT: usize = 2;

impl Report {
    /// All of it.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Writes the table, and what has to be known to read it.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", report.command)?;
    writeln!(out, "{}", report.machine)?;
    let runs = report.servers.first().map_or(0, |s| s.new_orders_per_minute.len());
    writeln!(
        out,
        "TPC-C, {} warehouse{}, {} terminals {}, {}, {} of {} s each server, in turns\n",
        report.warehouses,
        if report.warehouses == 1 { "" } else { "s" },
        report.terminals,
        if report.think { "that key and think" } else { "without keying and thinking" },
        if report.batches { "the lines of an order in batches" } else { "a round trip each statement" },
        if runs == 1 { "one run".into() } else { format!("{runs} runs") },
        report.seconds
    )?;
    for server in &report.servers {
        let settings: Vec<String> = server.settings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let load =
            server.load_seconds.map_or(String::new(), |s| format!("; tables filled in {} s", three(s)));
        writeln!(out, "  {}: {}{load}", server.name, settings.join(", "))?;
    }
    writeln!(out)?;
    let mut rows = vec![Vec::from(HEADINGS.map(String::from))];
    for server in &report.servers {
        rows.extend(rows_of(report, server));
    }
    for line in aligned(&rows, |c| c < LEFT) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for server in &report.servers {
        let again = match server.run_again {
            0 => String::new(),
            n => format!("; {n} transactions were run again"),
        };
        writeln!(
            out,
            "  {}: {} new orders a minute{}{again}; all 12 consistency conditions hold",
            server.name,
            spread(&server.new_orders_per_minute),
            if runs > 1 { ", median and range" } else { "" }
        )?;
    }
    if let Some((first, others)) = report.servers.split_first() {
        for other in others {
            let pairs = first.new_orders_per_minute.iter().zip(&other.new_orders_per_minute);
            let ratios: Vec<f64> = pairs.map(|(a, b)| a / b.max(1e-9)).collect();
            writeln!(
                out,
                "  {} makes {} times the new orders of {}",
                first.name,
                spread(&ratios),
                other.name
            )?;
        }
    }
    Ok(())
}

/// The median, and between what they lie.
fn spread(values: &[f64]) -> String {
    let all = |f: fn(f64, f64) -> f64| values.iter().copied().reduce(f).unwrap_or_default();
    let middle = three(median(values).unwrap_or_default());
    if values.len() < 2 {
        return middle;
    }
    format!("{middle} ({} to {})", three(all(f64::min)), three(all(f64::max)))
}

fn rows_of(report: &Report, server: &Server) -> Vec<Vec<String>> {
    let minutes = server.new_orders_per_minute.len() as f64 * f64::from(report.seconds) / 60.0;
    let row = |(n, figures): (usize, &super::Figures)| {
        let late = figures.p90_ms / 1e3 > KINDS[n].response_seconds_max();
        vec![
            if n == 0 { server.name.clone() } else { String::new() },
            figures.kind.into(),
            three(figures.count as f64 / minutes.max(1e-9)),
            three(figures.mean_ms),
            three(figures.deviation_ms),
            three(figures.p50_ms),
            three(figures.p90_ms),
            three(figures.p99_ms),
            three(figures.max_ms),
            if late { "too slow for the specification".into() } else { String::new() },
        ]
    };
    server.kinds.iter().enumerate().map(row).collect()
}
