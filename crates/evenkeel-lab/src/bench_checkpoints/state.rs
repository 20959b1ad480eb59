//! Finished runs in a file, so that a long series can be interrupted and taken up again.
//!
//! Invariants
//! 1. Runs count only if they were made under the same conditions; rows, rates and runs may be added.
//!
//! It must not know how a run is made.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::result::RunResult;
use super::rows::{Rate, Row};
use super::{Error, Options};
use crate::kept;

/// Changes whenever older files make no sense any more.
const FORMAT: u32 = 2;

/// What has to be the same for all runs of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    format: u32,
    load: String,
    clients: u32,
    jobs: u32,
    scale: u32,
    seconds: u32,
    warm_up_seconds: u32,
    limit_ms: f64,
    fresh: bool,
    share_of_first: bool,
    server_settings: Vec<(String, String)>,
    #[serde(default)]
    curve: Option<String>,
    #[serde(default)]
    events: Vec<String>,
}

impl Conditions {
    /// Those of a series.
    pub fn of(options: &Options) -> Conditions {
        Conditions {
            format: FORMAT,
            load: options.load.name().into(),
            clients: options.clients,
            jobs: options.jobs,
            scale: options.scale,
            seconds: options.seconds,
            warm_up_seconds: options.warm_up_seconds,
            limit_ms: options.limit_ms,
            fresh: options.fresh,
            share_of_first: options.share_of_first,
            server_settings: options.server_settings.clone(),
            curve: options.curve.as_ref().map(ToString::to_string),
            events: options.events.iter().map(|e| e.text.clone()).collect(),
        }
    }

    /// The first that differs, in words.
    fn difference(&self, other: &Conditions) -> Option<String> {
        let fields = |c: &Conditions| serde_json::to_value(c).unwrap_or_default();
        let (ours, theirs) = (fields(self), fields(other));
        let names = ours.as_object()?.iter();
        let different = |(name, value): (&String, &serde_json::Value)| {
            let there = &theirs[name.as_str()];
            (there != value).then(|| format!("{} was {there} and is {value}", name.replace('_', " ")))
        };
        names.filter_map(different).next()
    }
}

#[derive(Serialize, Deserialize)]
struct Content {
    conditions: Conditions,
    results: Vec<RunResult>,
}

/// The finished runs.
pub struct State {
    file: Option<PathBuf>,
    content: Content,
}

impl State {
    /// Takes up the file, if there is one; without a file nothing is kept.
    pub fn open(file: Option<&Path>, conditions: Conditions) -> Result<State, Error> {
        let mut state =
            State { file: file.map(Into::into), content: Content { conditions, results: Vec::new() } };
        let Some(path) = file else { return Ok(state) };
        let Some(found) = kept::take_up::<Content>(path)? else { return Ok(state) };
        if let Some(what) = state.content.conditions.difference(&found.conditions) {
            return Err(Error::Options(format!(
                "{} is of other measurements: {what}; name another file, or measure as then",
                path.display()
            )));
        }
        state.content = found;
        Ok(state)
    }

    /// All of them, in the order in which they were made.
    pub fn results(&self) -> &[RunResult] {
        &self.content.results
    }

    /// The run, if it is there.
    pub fn find(&self, row: &Row, rate: Rate, run: u32) -> Option<&RunResult> {
        self.content.results.iter().find(|r| r.row == *row && r.rate == rate && r.run == run)
    }

    /// Adds a run and writes the file.
    pub fn add(&mut self, result: RunResult) -> Result<(), Error> {
        self.content.results.push(result);
        self.file.as_ref().map_or(Ok(()), |file| kept::replace(file, &self.content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::tests::{options, result};

    #[test]
    fn finished_runs_are_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state.json");
        let conditions = || Conditions::of(&options());
        let mut state = State::open(Some(&file), conditions()).unwrap();
        let mut first = result("a", &[100, 90, 0]);
        first.seconds[2].p50_ms = None;
        first.trace.wal_bytes = vec![Some(0.1), None, Some(1e12)];
        first.activity.spans = vec![(0.25, 1.5)];
        state.add(first.clone()).unwrap();
        state.add(result("b", &[1])).unwrap();
        let again = State::open(Some(&file), conditions()).unwrap();
        assert_eq!(again.results(), state.results());
        assert_eq!(again.find(&first.row, Rate::Full, 0), Some(&first));
        assert_eq!(again.find(&first.row, Rate::Full, 1), None);
        assert_eq!(again.find(&first.row, Rate::PerSecond(5.0), 0), None);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn other_conditions_are_refused_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state.json");
        State::open(Some(&file), Conditions::of(&options())).unwrap().add(result("a", &[1])).unwrap();
        let other = Conditions { warm_up_seconds: 99, ..Conditions::of(&options()) };
        let e = State::open(Some(&file), other).err().unwrap().to_string();
        assert!(e.contains("warm up seconds was 1 and is 99"), "{e}");
        std::fs::write(&file, "{}").unwrap();
        assert!(State::open(Some(&file), Conditions::of(&options())).is_err());
    }

    #[test]
    fn without_a_file_nothing_is_kept() {
        let mut state = State::open(None, Conditions::of(&options())).unwrap();
        state.add(result("a", &[1])).unwrap();
        assert_eq!(state.results().len(), 1);
    }
}
