#![doc = include_str!("README.md")]

mod findings;
mod outcome;
mod page;
mod plan;
mod plot;
mod run;
mod size;
#[cfg(test)]
mod tests;
mod text;

use std::path::PathBuf;

use crate::bench_checkpoints::Event;
use crate::curve::Curve;
use evenkeel_client::ConnString;
use serde::{Deserialize, Serialize};

pub use findings::{Findings, findings};
pub use outcome::{Report, kept_files};
pub use page::html;
pub use plan::compared;
pub use run::{estimate_s, run};
pub use size::Size;
pub use text::{write_list, write_text};

use crate::{bench_checkpoints, bench_commits};

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// Thread A.
    PartitionedCheckpoints,
    /// Thread B.
    Bgwriter,
    /// Thread C.
    GangedLog,
    /// Thread D.
    CheckpointSchedule,
    /// Thread E.
    Recovery,
}

impl Experiment {
    /// All, in the threads' order.
    pub const ALL: [Experiment; 5] = [
        Experiment::PartitionedCheckpoints,
        Experiment::Bgwriter,
        Experiment::GangedLog,
        Experiment::CheckpointSchedule,
        Experiment::Recovery,
    ];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::PartitionedCheckpoints => "partitioned-checkpoints",
            Experiment::Bgwriter => "bgwriter",
            Experiment::GangedLog => "ganged-log",
            Experiment::CheckpointSchedule => "checkpoint-schedule",
            Experiment::Recovery => "recovery",
        }
    }

    /// Whose question it is.
    pub fn thread(self) -> &'static str {
        match self {
            Experiment::PartitionedCheckpoints => "thread A, partitioned checkpointing, 2015",
            Experiment::Bgwriter => "thread B, the background writer, 2004",
            Experiment::GangedLog => "thread C, ganged log writes, 2002",
            Experiment::CheckpointSchedule => "thread D, the schedule of a checkpoint's I/O, 2013",
            Experiment::Recovery => "thread E, recovery and the log archive, 2008",
        }
    }

    /// What it asks of this machine.
    pub fn question(self) -> &'static str {
        match self {
            Experiment::PartitionedCheckpoints => {
                "Do checkpoints make this disk's transactions slow, and what helps: partitions, sorted writes, or both?"
            }
            Experiment::Bgwriter => {
                "Which pages should the background writer write ahead, when the tables do not fit in memory?"
            }
            Experiment::GangedLog => {
                "How many durable commits does this disk take, and do they share its flushes?"
            }
            Experiment::CheckpointSchedule => {
                "Does it help order takers if a checkpoint pauses between its syncs, or spreads writes and syncs over one schedule?"
            }
            Experiment::Recovery => {
                "How soon is a database back after a crash, and from an archive with and without page images?"
            }
        }
    }
}

impl std::str::FromStr for Experiment {
    type Err = String;

    fn from_str(text: &str) -> Result<Experiment, String> {
        Experiment::ALL.into_iter().find(|e| e.name() == text).ok_or_else(|| {
            let names = Experiment::ALL.map(Experiment::name).join(", ");
            format!("there is no such experiment; there are {names}")
        })
    }
}

/// What is measured, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which.
    pub experiment: Experiment,
    /// How large, how long.
    pub size: Size,
    /// Settings of all rows of ours.
    pub settings: Vec<(String, String)>,
    /// Rows whose label has none of these in it are left out; all stay if there are none.
    pub only: Vec<String>,
    /// The rate of the loads on checkpoints, the background writer and of TPC-C follows it (W5).
    pub curve: Option<Curve>,
    /// What happens beside those loads.
    pub events: Vec<Event>,
    /// Running servers beside ours.
    pub against: Vec<ConnString>,
    /// Their settings while they are measured.
    pub against_settings: Vec<(String, String)>,
    /// A shell command before each row of theirs.
    pub before_against: Option<String>,
    /// A PostgreSQL that is made, killed and started again (recovery): the folder with its programs.
    pub postgres_bin: Option<PathBuf>,
    /// Terminals key and think (TPC-C).
    pub think: bool,
    /// pgbench; None: clients of our own.
    pub pgbench: Option<PathBuf>,
    /// Folders are made in this one. None: the current folder.
    pub data: Option<PathBuf>,
    /// The modelled disk that `data` lies on.
    pub disk: Option<&'static crate::disk::Kind>,
    /// The program that serves.
    pub program: PathBuf,
    /// Finished steps are kept in this file, and taken from it.
    pub resume: Option<PathBuf>,
    /// The command line as it may be shown.
    pub command: String,
}

impl Options {
    /// Where folders are made.
    fn parent(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| ".".into())
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Of checkpoints, recovery, TPC-C.
    #[error(transparent)]
    Bench(#[from] bench_checkpoints::Error),
    /// Of commits.
    #[error(transparent)]
    Commits(#[from] bench_commits::Error),
}

impl Error {
    /// The user stopped it.
    pub fn is_interrupt(&self) -> bool {
        matches!(
            self,
            Error::Bench(bench_checkpoints::Error::Interrupted)
                | Error::Commits(bench_commits::Error::Interrupted)
        )
    }
}
