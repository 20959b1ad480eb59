//! The server's log.
//!
//! Duty: take what any part of the process tells (`tracing`), and have it written as the settings say: as text to standard error, or as text, CSV or JSON to files
//! (`log_destination`, `logging_collector` and their like, by PostgreSQL's names). Without `logging_collector` a `log_destination` of `jsonlog` or `csvlog` is what
//! standard error gets, which PostgreSQL does not have: whoever collects a container's output wants it.
//!
//! Invariants: those of `writer.rs`.
//!
//! It must not know: who tells what.

mod file;
mod format;
mod record;
mod writer;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id as SpanId, Record as SpanRecord};
use tracing::{Event, Metadata, Subscriber};

use crate::settings::{Id, ServerSettings};
use file::Naming;
use format::Style;
use record::Record;
use writer::Writer;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Text,
    Csv,
    Json,
}

impl Target {
    /// As `log_destination` calls it.
    fn of(name: &str) -> Option<Target> {
        [Target::Text, Target::Csv, Target::Json].into_iter().find(|t| t.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Target::Text => "stderr",
            Target::Csv => "csvlog",
            Target::Json => "jsonlog",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Target::Text => ".log",
            Target::Csv => ".csv",
            Target::Json => ".json",
        }
    }
}

/// Formats that a text names, separated by commas.
fn targets(text: &str) -> Option<Vec<Target>> {
    let mut all = Vec::new();
    for name in text.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        let target = Target::of(&name.to_ascii_lowercase())?;
        if !all.contains(&target) {
            all.push(target);
        }
    }
    Some(all)
}

/// Says why the text of a setting is no good.
pub(crate) fn check_setting(id: Id, text: &str) -> Result<(), String> {
    match id {
        Id::LogDestination => match targets(text) {
            Some(_) => Ok(()),
            None => Err("It is a list of stderr, csvlog and jsonlog.".into()),
        },
        Id::LogTimezone if zone(text).is_none() => Err(format!("There is no time zone \"{text}\".")),
        Id::LogFilename if text.contains('/') => Err("It is the name of a file, without a folder.".into()),
        Id::LogFilename => {
            let now = jiff::Zoned::now();
            jiff::fmt::strtime::format(text, &now).map(|_| ()).map_err(|e| format!("{e}."))
        }
        _ => Ok(()),
    }
}

/// A zone by its name; empty: that of the machine.
fn zone(name: &str) -> Option<TimeZone> {
    match name {
        "" => Some(TimeZone::system()),
        name if name.eq_ignore_ascii_case("gmt") || name.eq_ignore_ascii_case("utc") => Some(TimeZone::UTC),
        name => TimeZone::get(name).ok(),
    }
}

/// Where messages go, and how they look.
pub(crate) struct Plan {
    style: Style,
    /// What standard error gets.
    standard: Option<Target>,
    files: Option<(Vec<Target>, Naming)>,
}

impl Plan {
    fn of(settings: &ServerSettings, data: &Path) -> Plan {
        let zone = zone(settings.text(Id::LogTimezone)).unwrap_or(TimeZone::UTC);
        let named = targets(settings.text(Id::LogDestination)).unwrap_or_default();
        let collects = settings.number(Id::LoggingCollector) == 1;
        let time = |id: Id| Some(settings.time(id)).filter(|t| !t.is_zero());
        let naming = Naming {
            directory: data.join(settings.text(Id::LogDirectory)),
            filename: settings.text(Id::LogFilename).to_owned(),
            mode: settings.number(Id::LogFileMode) as u32,
            age: time(Id::LogRotationAge),
            size_bytes: Some(settings.number(Id::LogRotationSize)).filter(|size| *size > 0),
            truncates: settings.number(Id::LogTruncateOnRotation) == 1,
            zone: zone.clone(),
        };
        let has_colors = std::io::IsTerminal::is_terminal(&std::io::stderr()) && !collects;
        Plan {
            style: Style { prefix: settings.text(Id::LogLinePrefix).to_owned(), zone, has_colors },
            standard: (!collects).then(|| named.first().copied()).flatten(),
            files: collects.then_some((named, naming)),
        }
    }
}

static WRITER: OnceLock<Arc<Writer>> = OnceLock::new();

/// What the process tells from here on is the log's: up to `level`, to standard error until [`configure`] says otherwise. Once for a process.
///
/// # Errors
/// There is no thread to be had.
pub fn start(level: LevelFilter) -> std::io::Result<()> {
    let plan = Plan::of(&ServerSettings::default(), Path::new(""));
    let writer = Writer::start(plan)?;
    if WRITER.set(writer.clone()).is_ok() {
        // Whoever embeds a server may have set his own: his it is.
        let _ = tracing::subscriber::set_global_default(Log { writer, level });
    }
    Ok(())
}

/// From now on the log goes by these settings; relative names are below `data`.
pub fn configure(settings: &ServerSettings, data: &Path) {
    if let Some(writer) = WRITER.get() {
        writer.set_plan(Plan::of(settings, data));
    }
}

/// Blocks until what was told is written, no longer than that.
pub fn flush(limit: Duration) {
    if let Some(writer) = WRITER.get() {
        writer.flush(limit);
    }
}

/// The files that are written, by the names of their formats.
pub fn paths() -> Vec<(&'static str, String)> {
    WRITER.get().map(|w| w.paths()).unwrap_or_default()
}

/// Has the next messages begin new files; false if there are none.
pub fn rotate() -> bool {
    let has_files = !paths().is_empty();
    if let Some(writer) = WRITER.get().filter(|_| has_files) {
        writer.rotate();
    }
    has_files
}

/// Messages that were lost since the start.
pub fn lost() -> u64 {
    WRITER.get().map_or(0, |w| w.lost_ever())
}

/// Takes events to the writer. There are no spans.
struct Log {
    writer: Arc<Writer>,
    level: LevelFilter,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _: &Attributes<'_>) -> SpanId {
        SpanId::from_u64(1)
    }

    fn record(&self, _: &SpanId, _: &SpanRecord<'_>) {}

    fn record_follows_from(&self, _: &SpanId, _: &SpanId) {}

    fn event(&self, event: &Event<'_>) {
        self.writer.push(Record::of(event));
    }

    fn enter(&self, _: &SpanId) {}

    fn exit(&self, _: &SpanId) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_setting_is_told() {
        for (id, good, bad) in [
            (Id::LogDestination, "stderr, jsonlog", "syslog"),
            (Id::LogTimezone, "Europe/Berlin", "Europe/Nowhere"),
            (Id::LogFilename, "e-%Y-%m-%d.log", "../e.log"),
        ] {
            assert_eq!(check_setting(id, good), Ok(()));
            assert!(check_setting(id, bad).is_err(), "{bad}");
        }
        assert_eq!(targets("jsonlog,stderr,JSONLOG"), Some(vec![Target::Json, Target::Text]));
    }
}
