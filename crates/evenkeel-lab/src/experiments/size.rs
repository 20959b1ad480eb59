//! How large and how long an experiment is.
//!
//! It must not know what is compared.

use super::Experiment;
use crate::bench_checkpoints::Rate;

/// Chosen by the experiment, and changed by the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// A few minutes, for a first look: fewer rows, shorter runs.
    pub quick: bool,
    /// pgbench's scale, or warehouses.
    pub scale: u32,
    /// Clients at the same time; several: each measured apart.
    pub clients: Vec<u32>,
    /// Transactions a second.
    pub rates: Vec<Rate>,
    /// Counted seconds of a run.
    pub seconds: f64,
    /// Seconds of load before them.
    pub warm_up_seconds: u32,
    /// Runs of each row.
    pub runs: u32,
    /// Of all rows.
    pub checkpoint_timeout: String,
    /// Of our rows.
    pub shared_buffers: String,
}

impl Size {
    /// What suits the experiment.
    pub fn of(experiment: Experiment, quick: bool) -> Size {
        let base = Size {
            quick,
            scale: 20,
            clients: vec![4],
            rates: vec![Rate::Full],
            seconds: 90.0,
            warm_up_seconds: 10,
            runs: 1,
            checkpoint_timeout: "30s".into(),
            shared_buffers: "512MB".into(),
        };
        let brief = Size {
            scale: 5,
            seconds: 20.0,
            warm_up_seconds: 3,
            checkpoint_timeout: "10s".into(),
            shared_buffers: "128MB".into(),
            ..base.clone()
        };
        let any = if quick { brief } else { base };
        match experiment {
            Experiment::PartitionedCheckpoints if quick => {
                Size { rates: vec![Rate::Full, Rate::Share(0.7)], ..any }
            }
            // W2 at the thread's rates, which were much for its disks, and at one that is much for this one.
            Experiment::PartitionedCheckpoints => Size {
                rates: vec![Rate::Full, Rate::PerSecond(100.0), Rate::PerSecond(200.0), Rate::Share(0.7)],
                ..any
            },
            // A pool of a tenth of the tables, as 10,000 buffers were of scale 200.
            Experiment::Bgwriter if quick => Size {
                clients: vec![1, 4, 8],
                seconds: 6.0,
                warm_up_seconds: 2,
                shared_buffers: "16MB".into(),
                ..any
            },
            Experiment::Bgwriter => Size {
                scale: 50,
                clients: vec![1, 2, 4, 8, 16],
                seconds: 30.0,
                warm_up_seconds: 5,
                shared_buffers: "80MB".into(),
                ..any
            },
            Experiment::GangedLog => Size {
                clients: if quick { vec![1, 5, 10, 50] } else { vec![1, 5, 10, 50, 100] },
                seconds: if quick { 1.0 } else { 3.0 },
                runs: if quick { 1 } else { 3 },
                ..any
            },
            Experiment::CheckpointSchedule => Size {
                scale: if quick { 1 } else { 4 },
                clients: vec![8],
                seconds: if quick { 20.0 } else { 180.0 },
                checkpoint_timeout: if quick { "10s".into() } else { "60s".into() },
                ..any
            },
            Experiment::Recovery => Size {
                scale: if quick { 2 } else { 20 },
                clients: vec![8],
                seconds: if quick { 5.0 } else { 30.0 },
                ..any
            },
        }
    }

    /// Seconds of a run that are counted, whole.
    pub fn whole_seconds(&self) -> u32 {
        self.seconds.ceil().max(1.0) as u32
    }
}
