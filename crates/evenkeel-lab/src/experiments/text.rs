//! The report, and the list of experiments, as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::findings::findings;
use super::outcome::Report;
use super::plan::compared;
use super::{Experiment, Options, estimate_s};
use crate::aligned::aligned;

/// Writes the answer, then the tables.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let found = findings(report);
    writeln!(out, "{}\n{}\n{}", report.command, report.machine, report.circumstances)?;
    for table in &found.tables {
        writeln!(out, "\n{}", table.title)?;
        let rows: Vec<&Vec<String>> = std::iter::once(&table.headings).chain(&table.rows).collect();
        let rows: Vec<Vec<String>> = rows.into_iter().cloned().collect();
        for line in aligned(&rows, |c| c == 0) {
            writeln!(out, "{line}")?;
        }
        if !table.note.is_empty() {
            writeln!(out, "  {}", table.note)?;
        }
    }
    writeln!(out, "\n{}", report.experiment.question())?;
    for sentence in &found.meaning {
        writeln!(out, "* {sentence}")?;
    }
    writeln!(out, "\n{}", found.advice)?;
    for line in &found.settings {
        writeln!(out, "    {line}")?;
    }
    for warning in &found.warnings {
        writeln!(out, "WARNING  {warning}")?;
    }
    Ok(())
}

/// Writes what there is to be asked. `of` gives an experiment's options as the user would run it.
pub fn write_list(out: &mut impl Write, of: &dyn Fn(Experiment, bool) -> Options) -> io::Result<()> {
    writeln!(out, "Experiments, each run by: evenkeel lab NAME\n")?;
    for experiment in Experiment::ALL {
        let minutes = |quick| minutes(estimate_s(&of(experiment, quick)));
        let rows = compared(experiment, false).into_iter().map(|r| r.label).collect::<Vec<_>>().join(", ");
        let rows = match experiment {
            Experiment::Recovery => {
                "after a kill, and from an archive with page images and without; with prefetching and without"
                    .into()
            }
            _ => rows,
        };
        writeln!(out, "{}  ({})", experiment.name(), experiment.thread())?;
        writeln!(out, "    {}", experiment.question())?;
        writeln!(out, "    compares: {rows}")?;
        writeln!(out, "    takes about {}; {} with --quick\n", minutes(false), minutes(true))?;
    }
    writeln!(out, "evenkeel lab NAME --help tells what can be chosen.")
}

/// `1 minute`, `42 minutes`.
fn minutes(seconds: f64) -> String {
    match (seconds / 60.0).ceil() as u64 {
        0 | 1 => "1 minute".into(),
        n => format!("{n} minutes"),
    }
}
