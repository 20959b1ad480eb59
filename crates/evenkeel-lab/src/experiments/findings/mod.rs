//! What the figures say: tables in the threads' form, pictures, what it means for this machine, and settings to copy.
//!
//! Invariants
//! 1. Every sentence follows from the figures; none is written down here as a conclusion.
//!
//! It must not know how anything was measured, or whether it becomes a page or text.

mod bgwriter;
mod checkpoints;
mod log;
mod recovery;
mod schedule;
pub mod verdict;

use super::outcome::{Outcome, Report};
use super::plan::{Compared, compared};
use super::{Experiment, plot};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Above it.
    pub title: String,
    /// What has to be known to read it.
    pub note: String,
    /// Of the columns.
    pub headings: Vec<String>,
    /// The first cell is the row's name.
    pub rows: Vec<Vec<String>>,
}

/// All that is shown beside command and machine.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What it means, sentence by sentence.
    pub meaning: Vec<String>,
    /// What the settings are for.
    pub advice: String,
    /// Lines of a configuration file; none: nothing has to be set.
    pub settings: Vec<String>,
    /// In the threads' form.
    pub tables: Vec<Table>,
    /// As HTML.
    pub pictures: Vec<String>,
    /// Second by second, as HTML.
    pub traces: String,
    /// Why figures may mislead.
    pub warnings: Vec<String>,
    /// Each row, what it is, and its settings.
    pub rows: Vec<(String, String)>,
    /// Columns of the tables, and what each means.
    pub columns: Vec<(&'static str, &'static str)>,
    /// What the thread measured on its machine.
    pub then: Option<Table>,
}

/// Out of the figures.
pub fn findings(report: &Report) -> Findings {
    let mut found = match report.experiment {
        Experiment::PartitionedCheckpoints => checkpoints::findings(report),
        Experiment::Bgwriter => bgwriter::findings(report),
        Experiment::GangedLog => log::findings(report),
        Experiment::CheckpointSchedule => schedule::findings(report),
        Experiment::Recovery => recovery::findings(report),
    };
    let mut rows: Vec<(String, String)> =
        compared(report.experiment, report.quick).into_iter().map(described).collect();
    // Only those that were measured.
    let cell = |r: &Vec<String>| r.first().map(|c| c.trim_end_matches(" !").to_string());
    let shown: Vec<String> = found.tables.iter().flat_map(|t| &t.rows).filter_map(cell).collect();
    rows.retain(|(label, _)| shown.contains(label));
    rows.append(&mut found.rows);
    found.rows = rows;
    found.warnings.dedup();
    found
}

fn described(row: &Compared) -> (String, String) {
    let preset = row.preset.map(|p| format!("preset {p}"));
    let settings = row.settings.iter().map(|(name, value)| format!("{name} = {value}"));
    let settings: Vec<String> = preset.into_iter().chain(settings).collect();
    let settings = if settings.is_empty() { "the defaults".into() } else { settings.join(", ") };
    (row.label.into(), format!("{} ({settings})", row.meaning))
}

/// The lines that make a row of ours in a configuration file; None: it is somebody else's.
fn lines_of(report: &Report, label: &str) -> Option<Vec<String>> {
    let row = compared(report.experiment, false).into_iter().find(|row| row.label == label)?;
    let preset = row.preset.map(|p| format!("preset = \"{p}\""));
    let settings = row.settings.iter().map(|(name, value)| format!("{name} = \"{value}\""));
    Some(preset.into_iter().chain(settings).collect())
}

/// Controls that are worse than rows of ours (`verdict::worse_controls`): whatever is no row of this experiment, such as another server, or a row that is held back.
fn worse_controls(
    report: &Report,
    what: &str,
    unit: &str,
    values: &[verdict::Value],
    wanted: verdict::Wanted,
) -> Vec<String> {
    let is_control = |label: &str| lines_of(report, label).is_none();
    verdict::worse_controls(what, unit, values, &is_control, wanted)
}

/// Advice: the best row's settings, if it is better than the defaults beyond doubt; else the defaults.
fn advise(
    report: &Report,
    found: &mut Findings,
    what: &str,
    values: &[verdict::Value],
    default: &str,
    wanted: verdict::Wanted,
) {
    let own: Vec<verdict::Value> =
        values.iter().filter(|v| lines_of(report, &v.label).is_some()).cloned().collect();
    let (Some(best), base) = (verdict::best(&own, wanted), own.iter().find(|v| v.label == default)) else {
        found.advice = "No row of ours can be trusted: measure it again.".into();
        return;
    };
    match base {
        Some(base) if base.spoilt => {
            found.advice = format!(
                "The row of the defaults, {default}, was spoilt by the machine: measure it again before anything is set."
            );
        }
        Some(base) if best.label == base.label || !verdict::differ(best, base) => {
            found.advice = format!(
                "By {what}, no row of ours is better than the defaults ({default}) beyond doubt: nothing has to be set."
            );
        }
        _ => {
            found.advice = format!("By {what}, {} is the best of ours here:", best.label);
            found.settings = lines_of(report, &best.label).unwrap_or_default();
        }
    }
}

/// Of loads that change (W5).
fn worst_minutes(bench: &crate::bench_checkpoints::Report) -> Vec<Table> {
    use crate::bench_checkpoints::{minutes, worst_tables};
    let note = "late: late or skipped; first the worst";
    let over_runs = minutes::of_all_runs(bench);
    let over_runs = (!over_runs.is_empty()).then(|| {
        let rows = over_runs.into_iter().map(Vec::from).collect();
        table("By minutes, of all runs", minutes::OVER_RUNS_MEANS, &minutes::OVER_RUNS, rows)
    });
    let worst = worst_tables(bench);
    let worst = worst.into_iter().map(|(title, rows)| table(title, note, &minutes::HEADINGS, rows));
    over_runs.into_iter().chain(worst).collect()
}

/// Without a checkpoint in the counted time there is nothing to go by.
fn too_short(found: &mut Findings) {
    found.advice = "In some rows no checkpoint ended in the counted time: measure longer (--seconds, or a shorter --checkpoint-timeout) before anything is set.".into();
    found.settings.clear();
}

/// `1 client`, `8 clients`.
fn clients_words(n: impl std::fmt::Display) -> String {
    let n = n.to_string();
    format!("{n} client{}", if n == "1" { "" } else { "s" })
}

/// The reports of checkpoint benches.
fn checkpoint_reports(report: &Report) -> Vec<&crate::bench_checkpoints::Report> {
    let all = report.outcomes.iter();
    all.filter_map(|outcome| match outcome {
        Outcome::Checkpoints(bench) => Some(bench),
        _ => None,
    })
    .collect()
}

fn table(
    title: impl Into<String>,
    note: impl Into<String>,
    headings: &[&str],
    rows: Vec<Vec<String>>,
) -> Table {
    let headings = headings.iter().map(ToString::to_string).collect();
    Table { title: title.into(), note: note.into(), headings, rows }
}

/// A picture of a value of each row.
fn bars(title: &str, unit: &str, values: &[verdict::Value]) -> String {
    let bars = values.iter().map(|v| plot::Bar { label: &v.label, value: v.value, dim: v.spoilt });
    plot::bars(title, unit, &bars.collect::<Vec<_>>())
}
