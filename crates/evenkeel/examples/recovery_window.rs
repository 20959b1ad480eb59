//! How much log recovery would have to read, and how much of it to apply, at every moment of an hour: an embedded load on a clock of its own.
//!
//!     cargo run --release -p evenkeel --example recovery_window [MINUTES [TRANSACTIONS_A_SECOND]]
//!
//! Five minutes are a checkpoint cycle. Each second some transactions update random rows; rounds run at their time, paced by the same clock.
//! *To read* is the log from the oldest redo point to its end, *to apply* the mean over partitions of the log from their own redo points, both
//! as multiples of the log of one cycle. The classic checkpoint is one partition.

use evenkeel::checkpoint::{RoundOptions, Speed, Urgency, Waits};
use evenkeel::{Database, Options, TreeId, TxnOptions};
use std::cell::RefCell;
use std::time::Duration;

const CYCLE: Duration = Duration::from_secs(300);
const ROWS: u64 = 2_000_000;
/// Share of a round's time that its writes take.
const TARGET: f64 = 0.9;

/// The load and the clock. A pause passes simulated time, in which transactions run.
struct Load<'a> {
    db: &'a Database,
    tree: TreeId,
    a_second: u64,
    state: RefCell<State>,
}

struct State {
    now: Duration,
    owed: f64,
    rng: fastrand::Rng,
    seen: Seen,
    /// Log end at each moment of a cycle ago: the log of one cycle.
    measured_from: Duration,
    log_at_start: u64,
}

/// Bytes, sampled once a simulated second.
#[derive(Default)]
struct Seen {
    to_read: Vec<u64>,
    to_apply: Vec<f64>,
    images: Vec<u64>,
    images_before: u64,
    sampled: Duration,
}

impl Waits for Load<'_> {
    fn urgency(&self) -> Urgency {
        Urgency::Calm
    }

    fn now(&self) -> Duration {
        self.state.borrow().now
    }

    fn pause(&self, time: Duration) {
        let mut s = self.state.borrow_mut();
        s.owed += time.as_secs_f64() * self.a_second as f64;
        while s.owed >= 1.0 {
            s.owed -= 1.0;
            let key = s.rng.u64(..ROWS);
            let mut t = self.db.begin(TxnOptions::default());
            let value = s.rng.u64(..).to_be_bytes().repeat(8);
            t.put(self.tree, &key.to_be_bytes(), &value).expect("an update");
            t.commit_visible().expect("a commit");
        }
        s.now += time;
        if s.now - s.seen.sampled >= Duration::from_secs(1) && s.now >= s.measured_from {
            if s.log_at_start == 0 {
                s.log_at_start = self.db.stats().wal_lsn;
                s.seen.images_before = self.db.stats().wal_fpi;
            }
            s.seen.sampled = s.now;
            self.sample(&mut s.seen);
        }
    }
}

impl Load<'_> {
    fn sample(&self, seen: &mut Seen) {
        let stats = self.db.stats();
        let open: Vec<u64> =
            self.db.checkpoint_partitions().iter().map(|p| stats.wal_lsn.saturating_sub(p.redo.0)).collect();
        seen.to_read.push(open.iter().copied().max().unwrap_or(0));
        seen.to_apply.push(open.iter().sum::<u64>() as f64 / open.len() as f64);
        seen.images.push(stats.wal_fpi - seen.images_before);
        seen.images_before = stats.wal_fpi;
    }
}

/// The peak of `window`-second means over the mean.
fn peak_to_mean(per_second: &[u64], window: usize) -> f64 {
    let mean = per_second.iter().sum::<u64>() as f64 / per_second.len().max(1) as f64;
    let peak = per_second.windows(window).map(|w| w.iter().sum::<u64>()).max().unwrap_or(0);
    peak as f64 / window as f64 / mean.max(1e-9)
}

fn run(partitions: u32, minutes: u64, a_second: u64) -> Result<String, Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let options = Options::default()
        .without_threads()
        .with_seed(1)
        .with("fsync", "off")?
        .with("max_wal_size", "100GB")?
        .with("shared_buffers", "512MB")?
        .with("checkpoint_partitions", &partitions.to_string())?;
    let db = Database::open(dir.path(), options)?;
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree()?;
    t.commit()?;
    for first in (0..ROWS).step_by(10_000) {
        let mut t = db.begin(TxnOptions::default());
        for key in first..first + 10_000 {
            t.put(tree, &key.to_be_bytes(), &[0; 64])?;
        }
        t.commit_visible()?;
        while db.step_purge()? > 0 {}
    }
    db.checkpoint()?;
    let measured_from = CYCLE * 2; // the steady state
    let state = State {
        now: Duration::ZERO,
        owed: 0.0,
        rng: fastrand::Rng::with_seed(7),
        seen: Seen::default(),
        measured_from,
        log_at_start: 0,
    };
    let load = Load { db: &db, tree, a_second, state: RefCell::new(state) };
    let interval = CYCLE / partitions;
    let speed = Speed::Paced { interval, log_bytes: u64::MAX, target: TARGET };
    let options = RoundOptions { speed, ..RoundOptions::AT_ONCE };
    let end = measured_from + Duration::from_secs(60 * minutes);
    let mut due = interval;
    while load.now() < end {
        while load.now() < due {
            load.pause(Duration::from_millis(100));
        }
        due = load.now() + interval;
        db.step_round_with(&options, &load)?;
        db.step_log_writer()?;
        while db.step_purge()? > 0 {}
    }
    let s = load.state.into_inner();
    let cycle_bytes = (db.stats().wal_lsn - s.log_at_start) as f64 * CYCLE.as_secs_f64()
        / (s.now - measured_from).as_secs_f64();
    let worst = *s.seen.to_read.iter().max().expect("samples") as f64 / cycle_bytes;
    let mean_read = s.seen.to_read.iter().sum::<u64>() as f64 / s.seen.to_read.len() as f64 / cycle_bytes;
    let mean_apply = s.seen.to_apply.iter().sum::<f64>() / s.seen.to_apply.len() as f64 / cycle_bytes;
    let row = format!(
        "{partitions:>10}  {worst:>13.2}  {mean_read:>12.2}  {mean_apply:>13.2}  {:>14.1}  {:>18.2}",
        cycle_bytes / 1e6,
        peak_to_mean(&s.seen.images, 10)
    );
    db.abandon();
    Ok(row)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let minutes = args.next().map_or(Ok(60), |a| a.parse())?;
    let a_second = args.next().map_or(Ok(200), |a| a.parse())?;
    println!(
        "Log that recovery needs, in cycles; {minutes} simulated minutes, {a_second} transactions a second"
    );
    println!("partitions  to read worst  to read mean  to apply mean  MB log a cycle  images peak/mean");
    for partitions in [1, 4, 16, 64] {
        println!("{}", run(partitions, minutes, a_second)?);
    }
    Ok(())
}
