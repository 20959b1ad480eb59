//! Tries schedules: which thread goes on at each point, drawn by a seed each; counts the different ones.
//!
//! Invariants
//! 1. A seed alone decides a schedule: `EVENKEEL_MODEL_SEED=N EVENKEEL_MODEL_RUNS=1` runs one again.
//!
//! Must not know: what the threads do.

use evenkeel_model::base::sync;
use fastrand::Rng;
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Points of a schedule among which changes of priority are drawn.
const POINTS: u64 = 8192;
const STACK_BYTES: usize = 512 * 1024;

/// How the next thread is chosen.
enum Policy {
    /// Each time by chance, in one of so many points another one than the last.
    Chance(u64),
    /// The one that comes first in an order by chance; at a few points, and when it yields, the one that goes on becomes the last.
    Priorities { order: BTreeMap<usize, u64>, changes: Vec<u64>, last: u64 },
}

/// What the schedules so far have been.
#[derive(Default)]
struct Seen {
    seed: u64,
    runs: u64,
    points: u64,
    different: HashSet<u64>,
}

struct Explorer {
    seeds: std::ops::Range<u64>,
    rng: Rng,
    policy: Policy,
    choices: DefaultHasher,
    points: u64,
    seen: Arc<Mutex<Seen>>,
}

impl Explorer {
    fn new(seeds: std::ops::Range<u64>, seen: Arc<Mutex<Seen>>) -> Explorer {
        let rng = Rng::with_seed(0);
        Explorer { seeds, rng, policy: Policy::Chance(1), choices: DefaultHasher::new(), points: 0, seen }
    }

    /// The schedule that has ended, if there was one, counts.
    fn count(&mut self) {
        if self.points > 0 {
            let mut seen = self.seen.lock().unwrap();
            seen.runs += 1;
            seen.points += self.points;
            seen.different.insert(self.choices.finish());
        }
    }

    fn choose(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> TaskId {
        let point = self.points;
        match &mut self.policy {
            Policy::Chance(one_in) => {
                let stays = current.filter(|c| !yields && runnable.iter().any(|t| t.id() == *c));
                match stays.filter(|_| self.rng.u64(..*one_in) > 0) {
                    Some(current) => current,
                    None => runnable[self.rng.usize(..runnable.len())].id(),
                }
            }
            Policy::Priorities { order, changes, last } => {
                for task in runnable {
                    let rng = &mut self.rng;
                    order.entry(task.id().into()).or_insert_with(|| rng.u64(1 << 32..));
                }
                if let Some(current) = current.filter(|_| yields || changes.contains(&point)) {
                    *last -= 1;
                    order.insert(current.into(), *last);
                }
                runnable.iter().max_by_key(|t| order[&t.id().into()]).expect("somebody goes on").id()
            }
        }
    }
}

impl Scheduler for Explorer {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.count();
        let seed = self.seeds.next()?;
        self.seen.lock().unwrap().seed = seed;
        self.rng = Rng::with_seed(seed);
        self.policy = match self.rng.u8(..6) {
            0 => Policy::Chance(1),
            1 => Policy::Chance(8),
            2 => Policy::Chance(64),
            few => Policy::Priorities {
                order: BTreeMap::new(),
                changes: (0..few).map(|_| self.rng.u64(..POINTS)).collect(),
                last: 1 << 32,
            },
        };
        self.choices = DefaultHasher::new();
        self.points = 0;
        Some(Schedule::new(seed))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        if runnable.len() == 1 {
            return Some(runnable[0].id());
        }
        self.points += 1;
        let chosen = self.choose(runnable, current, yields);
        usize::from(chosen).hash(&mut self.choices);
        Some(chosen)
    }

    fn next_u64(&mut self) -> u64 {
        self.rng.u64(..)
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"))
}

fn run(seeds: std::ops::Range<u64>, planted: &'static str, model: fn()) -> (Seen, std::thread::Result<()>) {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::None;
    config.silence_warnings = true;
    config.ungraceful_shutdown_config.immediately_return_on_panic = true;
    let runner = Runner::new(Explorer::new(seeds, seen.clone()), config);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            sync::begin_run(planted);
            model();
        });
    }));
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (seen, ended)
}

/// Runs the model under `runs` schedules, or as many as `EVENKEEL_MODEL_RUNS` says.
pub fn explore(runs: u64, model: fn()) {
    let first = number("EVENKEEL_MODEL_SEED", 1);
    let began = Instant::now();
    let (seen, ended) = run(first..first + number("EVENKEEL_MODEL_RUNS", runs), "", model);
    println!(
        "{} schedules, {} of them different, {} points each, in {:.1?}",
        seen.runs,
        seen.different.len(),
        seen.points / seen.runs.max(1),
        began.elapsed()
    );
    if let Err(panic) = ended {
        println!(
            "seed {}: run it again with EVENKEEL_MODEL_SEED={} EVENKEEL_MODEL_RUNS=1",
            seen.seed, seen.seed
        );
        resume_unwind(panic);
    }
}

/// Runs it with a mistake planted, at most `runs` times: it has to be found.
pub fn finds(planted: &'static str, runs: u64, model: fn()) {
    let first = number("EVENKEEL_MODEL_SEED", 1);
    let (seen, ended) = run(first..first + runs, planted, model);
    assert!(ended.is_err(), "{planted:?} was not found in {runs} schedules");
    println!("{planted:?} was found after {} schedules", seen.runs + 1);
}

/// Runs so many schedules twice: they are the same.
pub fn repeats(runs: u64, model: fn()) {
    let different = || {
        let (seen, ended) = run(1..1 + runs, "", model);
        ended.expect("the model holds");
        (seen.points, seen.different)
    };
    assert_eq!(different(), different());
}

/// Runs something that needs the engine outside of any schedule that is looked at.
pub fn aside(work: impl Fn() + Send + Sync + 'static) {
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.silence_warnings = true;
    Runner::new(Explorer::new(0..1, Arc::default()), config).run(move || {
        sync::begin_run("");
        sync::quietly(&work);
    });
}
