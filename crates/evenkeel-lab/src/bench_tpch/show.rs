//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::{Report, Server};
use crate::aligned::aligned;
use crate::disturbance::{marked, spoilt, warning};
use crate::logdisk::words::three;
use crate::median::median;

impl Report {
    /// All of it.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

fn middle(server: &Server, n: usize) -> f64 {
    server.seconds.get(n).and_then(|s| median(s)).unwrap_or_default()
}

/// Writes the table, and what has to be known to read it.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", report.command)?;
    writeln!(out, "{}", report.machine)?;
    let runs = report.servers.first().and_then(|s| s.seconds.first()).map_or(0, Vec::len);
    let what = if runs == 1 { "one run".into() } else { format!("the median of {runs} runs") };
    writeln!(out, "TPC-H, scale {}, {what} after one that does not count, in turns\n", report.scale)?;
    for server in &report.servers {
        let settings: Vec<String> = server.settings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let load =
            server.load_seconds.map_or(String::new(), |s| format!("; tables filled in {} s", three(s)));
        writeln!(out, "  {}: {}{load}", server.name, settings.join(", "))?;
    }
    writeln!(out)?;
    let Some((first, others)) = report.servers.split_first() else { return Ok(()) };
    let mut heads =
        vec!["query".to_owned(), "rows".into(), format!("{} ms", marked(&first.name, first.disturbance))];
    for other in others {
        heads.extend([
            format!("{} ms", marked(&other.name, other.disturbance)),
            "times".into(),
            String::new(),
        ]);
    }
    let mut rows = vec![heads];
    if !report.statements.is_empty() {
        rows[0].push("statement".into());
    }
    for (n, query) in report.queries.iter().enumerate() {
        let own = middle(first, n);
        let mut row = vec![query.to_string(), first.rows[n].to_string(), three(own * 1e3)];
        for other in others {
            let theirs = middle(other, n);
            let differs = if other.differ.contains(query) { "other rows" } else { "" };
            row.extend([three(theirs * 1e3), three(own / theirs.max(1e-9)), differs.into()]);
        }
        row.extend(report.statements.get(n).cloned());
        rows.push(row);
    }
    let last = rows[0].len() - 1;
    for line in aligned(&rows, |column| !report.statements.is_empty() && column == last) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for server in &report.servers {
        let Some(d) = server.disturbance else { continue };
        let stolen =
            d.stolen_percent.map_or(String::new(), |p| format!(", {p:.1} % of the processors stolen"));
        writeln!(out, "  beside {}: {} stalls of this machine over 25 ms{stolen}", server.name, d.stalls)?;
        if let Some(warning) = warning(&server.name, server.disturbance) {
            writeln!(out, "WARNING  {warning}")?;
        }
    }
    for other in others {
        let ratios: Vec<f64> =
            (0..report.queries.len()).map(|n| middle(first, n) / middle(other, n).max(1e-9)).collect();
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let same = match other.differ.len() {
            0 => "all rows are the same".to_owned(),
            n => format!("{n} queries give other rows"),
        };
        let few = ratios.iter().filter(|r| **r < 3.0).count();
        let same = match report.statements.is_empty() {
            true => same,
            false => format!("{few} of {} less than 3 times; {same}", ratios.len()),
        };
        writeln!(
            out,
            "  {} takes {} times as long as {} (geometric mean), at most {}; {same}{}",
            first.name,
            three(mean),
            other.name,
            three(most),
            spoilt([first.disturbance, other.disturbance])
        )?;
    }
    report.warnings.iter().try_for_each(|warning| writeln!(out, "WARNING  {warning}"))
}
