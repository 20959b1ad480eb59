//! What the steps gave, and the file in which finished ones are kept.
//!
//! Invariants
//! 1. The file is replaced as a whole: it is always complete.
//!
//! It must not know how steps are done or shown.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Experiment;
use crate::bench_checkpoints::{Error, io_error};
use crate::{bench_checkpoints, bench_commits, bench_recovery, bench_tpcc};

/// Changes whenever older files make no sense any more.
const FORMAT: u32 = 1;

/// What one step gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Of one number of clients.
    Checkpoints(bench_checkpoints::Report),
    /// Of all.
    Commits(bench_commits::Report),
    /// Of a row, once.
    Tpcc {
        /// The row's.
        label: String,
        /// Which of its runs, from 0.
        run: u32,
        /// One server, one run.
        report: bench_tpcc::Report,
    },
    /// Of all.
    Recovery(bench_recovery::Report),
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Which experiment.
    pub experiment: Experiment,
    /// With fewer rows and shorter runs.
    pub quick: bool,
    /// The command line, without passwords.
    pub command: String,
    /// Processors, system, disk.
    pub machine: String,
    /// What was measured, in words.
    pub circumstances: String,
    /// In the steps' order.
    pub outcomes: Vec<Outcome>,
    /// How long it took, without what was there already.
    pub seconds: f64,
}

impl Report {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain values with text keys")
    }
}

#[derive(Serialize, Deserialize)]
struct Content {
    format: u32,
    done: Vec<(String, Outcome)>,
}

/// Finished steps by their keys.
pub struct Kept {
    file: Option<PathBuf>,
    content: Content,
}

impl Kept {
    /// Takes up the file, if there is one; without a file nothing is kept.
    pub fn open(file: Option<&Path>) -> Result<Kept, Error> {
        let mut kept =
            Kept { file: file.map(Into::into), content: Content { format: FORMAT, done: Vec::new() } };
        let Some(path) = file.filter(|p| p.metadata().is_ok_and(|m| m.len() > 0)) else { return Ok(kept) };
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(io_error(&shown))?;
        let found = serde_json::from_str::<Content>(&text).ok().filter(|c| c.format == FORMAT);
        kept.content = found.ok_or_else(|| {
            Error::Options(format!("{shown} is no state of this command; name another file"))
        })?;
        Ok(kept)
    }

    /// The outcome, if it is there.
    pub fn find(&self, key: &str) -> Option<&Outcome> {
        self.content.done.iter().find(|(k, _)| k == key).map(|(_, outcome)| outcome)
    }

    /// Adds one and writes the file (invariant 1).
    pub fn add(&mut self, key: &str, outcome: Outcome) -> Result<(), Error> {
        self.content.done.push((key.into(), outcome));
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_string(&self.content).expect("plain values with text keys");
        let mut new = file.clone().into_os_string();
        new.push(".new");
        std::fs::write(&new, text)
            .and_then(|()| std::fs::rename(&new, file))
            .map_err(io_error(file.display().to_string()))
    }

    /// Where a step that is under way keeps its own runs.
    pub fn beside(&self, key: &str) -> Option<PathBuf> {
        // FNV: the same in every run.
        let hash = key
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let mut name = self.file.clone()?.into_os_string();
        name.push(format!(".{hash:016x}"));
        Some(name.into())
    }
}
