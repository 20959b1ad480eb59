//! The workload in this process: each client is a thread with a tree of its own.
//!
//! It must not know how a commit is made durable.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evenkeel::{Database, TreeId, TxnOptions};

use super::schedule::Schedule;
use super::window::{Tally, Window};
use super::{Error, Load, Sample, Target};

/// A thread that waits for its next commit looks so often whether the user wants to stop.
const SLEEP_MAX: Duration = Duration::from_millis(100);

/// An open database.
pub struct Embedded {
    database: Database,
    name: String,
    settings: Vec<(String, String)>,
    /// Each client's tree, and the key of its next row.
    trees: Vec<(TreeId, u64)>,
}

impl Embedded {
    /// Takes a database that nobody else uses meanwhile.
    pub fn new(database: Database) -> Embedded {
        let all = database.settings();
        let shown = all.iter().filter(|s| {
            s.value != s.default
                || s.name == "fsync"
                || s.name == "full_page_writes"
                || s.name == "wal_sync_method"
        });
        let settings = shown.map(|s| (s.name.clone(), s.value.clone())).collect();
        let name = format!("evenkeel {}, embedded", env!("CARGO_PKG_VERSION"));
        Embedded { database, name, settings, trees: Vec::new() }
    }
}

impl Target for Embedded {
    fn name(&self) -> &str {
        &self.name
    }

    fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    fn place(&self) -> String {
        "this process".into()
    }

    fn prepare(&mut self, clients: u32) -> Result<(), Error> {
        for _ in 0..clients {
            let mut txn = self.database.begin(TxnOptions::default());
            let tree = txn.create_tree()?;
            txn.commit()?;
            self.trees.push((tree, 0));
        }
        Ok(())
    }

    fn load(&mut self, load: &Load<'_>) -> Result<Sample, Error> {
        let before = self.database.stats();
        let (database, clients) = (&self.database, load.clients as usize);
        let (ready, failed) = (Barrier::new(clients), AtomicBool::new(false));
        let (ready, failed) = (&ready, &failed);
        let ended: Vec<Result<Client, Error>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self.trees[..clients]
                .iter()
                .enumerate()
                .map(|(n, &(tree, number))| {
                    scope.spawn(move || {
                        let mut client = Client::new(load, n as u32, tree, number);
                        ready.wait();
                        let result = client.run(database, load, failed);
                        failed.fetch_or(result.is_err(), Ordering::Relaxed);
                        result.map(|()| client)
                    })
                })
                .collect();
            let panicked = |_| Error::Internal("a client's thread panicked".into());
            threads.into_iter().map(|t| t.join().unwrap_or_else(|p| Err(panicked(p)))).collect()
        });
        let mut all = Tally::new(Window::of(load));
        for (ended, tree) in ended.into_iter().zip(&mut self.trees) {
            let client = ended?;
            all.add(&client.tally);
            tree.1 = client.number;
        }
        if load.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let after = self.database.stats();
        Ok(Sample {
            commits: all.commits,
            elapsed_ns: all.window.ns(),
            latencies: all.latencies,
            unfinished: all.unfinished,
            own: load.per_s.map(|_| all.own),
            all_commits: all.all_commits,
            flushes: Some(after.wal_writes - before.wal_writes),
            log_bytes: Some(after.wal_bytes - before.wal_bytes),
            generator_share: None,
        })
    }

    fn clean_up(&mut self) -> Result<(), Error> {
        for (tree, _) in std::mem::take(&mut self.trees) {
            let mut txn = self.database.begin(TxnOptions::default());
            txn.drop_tree(tree)?;
            txn.commit()?;
        }
        Ok(())
    }
}

struct Client {
    schedule: Schedule,
    tree: TreeId,
    number: u64,
    value: Vec<u8>,
    tally: Tally,
}

impl Client {
    fn new(load: &Load<'_>, n: u32, tree: TreeId, number: u64) -> Client {
        Client {
            schedule: Schedule::new(load, n),
            tree,
            number,
            value: vec![b'v'; load.bytes as usize],
            tally: Tally::new(Window::of(load)),
        }
    }

    fn run(&mut self, database: &Database, load: &Load<'_>, failed: &AtomicBool) -> Result<(), Error> {
        let begin = Instant::now();
        let now_ns = || begin.elapsed().as_nanos() as u64;
        let ends = || load.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
        while !ends() {
            let now = now_ns();
            let at = self.schedule.next_ns(now);
            if self.tally.window.is_over_at(at) {
                break;
            }
            if self.tally.window.is_given_up_at(now) {
                self.tally.given_up(at, now);
                continue;
            }
            loop {
                let left = Duration::from_nanos(at.saturating_sub(now_ns()));
                if left.is_zero() || ends() {
                    break;
                }
                std::thread::sleep(left.min(SLEEP_MAX));
            }
            let start = now_ns();
            let mut txn = database.begin(TxnOptions::default());
            txn.insert(self.tree, &self.number.to_be_bytes(), &self.value)?;
            txn.commit()?;
            self.number += 1;
            self.tally.ended(at, start, now_ns());
        }
        Ok(())
    }
}
