//! What the steps gave, and the file in which finished ones are kept.
//!
//! It must not know how steps are done or shown.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Experiment;
use crate::bench_checkpoints::Error;
use crate::kept;
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
        let none = Content { format: FORMAT, done: Vec::new() };
        let Some(path) = file else { return Ok(Kept { file: None, content: none }) };
        let content = kept::take_up::<Content>(path)?.unwrap_or(none);
        if content.format != FORMAT {
            return Err(kept::no_state(path, "its format is another version's"));
        }
        Ok(Kept { file: Some(path.into()), content })
    }

    /// The outcome, if it is there.
    pub fn find(&self, key: &str) -> Option<&Outcome> {
        self.content.done.iter().find(|(k, _)| k == key).map(|(_, outcome)| outcome)
    }

    /// Adds one and writes the file.
    pub fn add(&mut self, key: &str, outcome: Outcome) -> Result<(), Error> {
        self.content.done.push((key.into(), outcome));
        self.file.as_ref().map_or(Ok(()), |file| kept::replace(file, &self.content))
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

/// The files that something of a run is in that is kept in `file`: that one, and those of steps that were interrupted.
pub fn kept_files(file: &Path) -> Vec<PathBuf> {
    let (Some(name), folder) = (file.file_name(), file.parent()) else { return Vec::new() };
    let folder = folder.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!("{}.", name.to_string_lossy());
    let is_step = |name: &str| {
        let hash = name.strip_prefix(&prefix).unwrap_or_default();
        hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name());
    let mut steps: Vec<PathBuf> =
        names.filter(|n| n.to_str().is_some_and(is_step)).map(|n| file.with_file_name(n)).collect();
    steps.sort();
    let has_content = |f: &&Path| f.metadata().is_ok_and(|m| m.len() > 0);
    Some(file).filter(has_content).map(Path::to_path_buf).into_iter().chain(steps).collect()
}
