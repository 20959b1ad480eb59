//! Plans of statements that take long, for the log: `auto_explain.*`, by the names of PostgreSQL's module. It need not be loaded.
//!
//! Invariants:
//! 1. Whether a statement is looked at is decided when it begins (`auto_explain.sample_rate`): one that is not costs nothing for it.
//!
//! Must not know: how plans are printed (`plan::explain`), where the log goes.

use super::explain_markup::{xml, yaml};
use super::logged::logged_text;
use super::settings::Settings;
use super::{Portal, Session};
use crate::exec::RunState;
use crate::parse::ExplainFormat;
use crate::plan::explain::{CHANGE, Measured, Measurements, Shown, json, lines};
use crate::plan::{Plan, PlanKind};
use evenkeel_types::guard::stack::Deep;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What of which statements is logged, read from the settings when they change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AutoExplain {
    /// `None`: of none.
    from: Option<Duration>,
    sample_rate: f64,
    analyze: bool,
    buffers: bool,
    wal: bool,
    timing: bool,
    verbose: bool,
    settings: bool,
    format: ExplainFormat,
    severity: &'static str,
    parameters_bytes: Option<usize>,
}

impl AutoExplain {
    pub(super) fn read(s: &Settings) -> AutoExplain {
        let from = u64::try_from(s.number("auto_explain.log_min_duration")).ok();
        AutoExplain {
            from: from.map(Duration::from_micros),
            sample_rate: s.number("auto_explain.sample_rate") as f64 / 100.0,
            analyze: s.is_on("auto_explain.log_analyze"),
            buffers: s.is_on("auto_explain.log_buffers"),
            wal: s.is_on("auto_explain.log_wal"),
            timing: s.is_on("auto_explain.log_timing"),
            verbose: s.is_on("auto_explain.log_verbose"),
            settings: s.is_on("auto_explain.log_settings"),
            format: match s.get("auto_explain.log_format") {
                Some("json") => ExplainFormat::Json,
                Some("yaml") => ExplainFormat::Yaml,
                Some("xml") => ExplainFormat::Xml,
                _ => ExplainFormat::Text,
            },
            severity: match s.get("auto_explain.log_level") {
                Some("info") => "INFO",
                Some("notice") => "NOTICE",
                Some("warning") => "WARNING",
                Some(level) if level.starts_with("debug") => "DEBUG",
                _ => "LOG",
            },
            parameters_bytes: usize::try_from(s.bytes("auto_explain.log_parameter_max_length")).ok(),
        }
    }

    /// Statements are timed for it.
    pub(super) fn is_on(&self) -> bool {
        self.from.is_some()
    }
}

/// A statement that is looked at.
#[derive(Default)]
pub(super) struct Explained {
    is_wanted: bool,
    since: Option<Instant>,
    /// What it did, with the plan that it ran by.
    ran: Option<(Arc<Deep<Plan>>, Box<Measurements>)>,
}

impl Explained {
    /// It is at its end, and has given so many rows.
    pub(super) fn ran(&mut self, plan: &Arc<Deep<Plan>>, run: &mut RunState, rows: u64) {
        let Some(mut measured) = run.measured.take() else { return };
        if !matches!(plan.kind, PlanKind::Query(_)) {
            let nanos = self.since.map_or(0, |since| since.elapsed().as_nanos() as u64);
            let m = measured.of(CHANGE);
            *m = Measured { rows, loops: 1, nanos, did: m.did, ..Measured::default() };
        }
        self.ran = Some((plan.clone(), measured));
    }
}

impl Session {
    /// A statement begins. (1)
    pub(super) fn begin_run(&self, plan: &Plan, explained: &mut Explained) -> RunState {
        let mut run = RunState::new(plan, &self.budget);
        let a = &self.auto_explain;
        if a.is_on() {
            let is_wanted = a.sample_rate >= 1.0 || fastrand::f64() < a.sample_rate;
            *explained = Explained { is_wanted, since: a.analyze.then(Instant::now), ran: None };
            if is_wanted && a.analyze {
                run.measured = Some(Box::default());
            }
        }
        run
    }

    /// After a statement that took so long.
    pub(super) fn log_plan(&self, portal: &Portal, time: Duration) {
        let a = &self.auto_explain;
        let Explained { is_wanted, ran, .. } = &portal.explained;
        if !is_wanted || a.from.is_none_or(|from| time < from) {
            return;
        }
        let (plan, measured) = match (ran, &portal.plan) {
            (Some((plan, measured)), _) => (plan, Some(&**measured)),
            (None, Some(plan)) => (plan, None),
            (None, None) => return,
        };
        let is_measured = measured.is_some();
        let shown = Shown {
            costs: true,
            measured,
            timing: a.timing,
            buffers: a.buffers && is_measured,
            wal: a.wal && is_measured,
            verbose: a.verbose.then_some(&*self.catalog),
        };
        let text = logged_text(&portal.stmt.text);
        let parameters = self.logged_parameters(&portal.stmt, &portal.params, a.parameters_bytes);
        let settings = if a.settings { self.planner_settings() } else { Vec::new() };
        let told = match a.format {
            ExplainFormat::Text => {
                let mut out = vec![format!("Query Text: {text}")];
                out.extend(parameters.map(|p| format!("Query Parameters: {p}")));
                out.extend(lines(plan, &shown, &self.format));
                if !settings.is_empty() {
                    let list: Vec<_> = settings.iter().map(|(n, v)| format!("{n} = '{v}'")).collect();
                    out.push(format!("Settings: {}", list.join(", ")));
                }
                out.join("\n")
            }
            format => {
                let mut whole = Map::new();
                whole.insert("Query Text".into(), text.into());
                if let Some(p) = parameters {
                    whole.insert("Query Parameters".into(), p.into());
                }
                whole.insert("Plan".into(), json(plan, &shown, &self.format));
                if !settings.is_empty() {
                    let settings = settings.into_iter().map(|(name, value)| (name, Value::String(value)));
                    whole.insert("Settings".into(), Value::Object(settings.collect()));
                }
                let whole = Value::Object(whole);
                match format {
                    ExplainFormat::Yaml => yaml(&whole),
                    ExplainFormat::Xml => xml(&whole),
                    _ => serde_json::to_string_pretty(&whole).unwrap_or_default(),
                }
            }
        };
        let ms = time.as_secs_f64() * 1000.0;
        self.log_as(a.severity, &format!("duration: {ms:.3} ms  plan:\n{told}"), None);
    }
}
