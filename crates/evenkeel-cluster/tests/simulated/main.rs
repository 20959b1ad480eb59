//! Clusters in a simulated network that delays, drops and repeats, cuts links one way and both, freezes and crashes servers: whatever was told is there under whoever leads next, and of two that lead one
//! at most tells anything. The members and the quorum are the code that runs in production (decision 013, 19); logs are lists, and the store keeps etcd's promises.
//!
//! `EVENKEEL_CLUSTER_SEEDS=10000 cargo test -p evenkeel-cluster --release --test simulated`

mod store;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use world::World;

fn seeds(usual: u64) -> u64 {
    std::env::var("EVENKEEL_CLUSTER_SEEDS").map_or(usual, |n| n.parse().expect("a number"))
}

/// Runs seeds on two threads; gives the first that is wrong.
fn first_wrong(seeds: std::ops::Range<u64>, mistakes: &'static [&'static str]) -> Option<(u64, String)> {
    let next = AtomicU64::new(seeds.start);
    let wrong = Mutex::new(None::<(u64, String)>);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                while wrong.lock().unwrap().is_none() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let outcome = World::new(seed, mistakes).run();
                    // A mistake has to be found by what it does, and not by runs that come to nothing.
                    let stuck = outcome.stuck.filter(|_| mistakes.is_empty());
                    if let Some(why) = outcome.wrong.or(stuck) {
                        *wrong.lock().unwrap() = Some((seed, why));
                    }
                    LEADERS.fetch_add(outcome.leaders, Ordering::Relaxed);
                    TOLD.fetch_add(outcome.told, Ordering::Relaxed);
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}

static LEADERS: AtomicUsize = AtomicUsize::new(0);
static TOLD: AtomicUsize = AtomicUsize::new(0);

#[test]
fn nothing_that_was_told_is_lost_and_one_at_most_tells() {
    let first = std::env::var("EVENKEEL_CLUSTER_FIRST").map_or(0, |n| n.parse().expect("a number"));
    if let Some((seed, why)) = first_wrong(first..first + seeds(300), &[]) {
        panic!("seed {seed} (EVENKEEL_CLUSTER_FIRST={seed} EVENKEEL_CLUSTER_SEEDS=1): {why}");
    }
    let leaders = LEADERS.load(Ordering::Relaxed);
    println!("{leaders} leaders, {} facts told", TOLD.load(Ordering::Relaxed));
}

/// Each of these is found, or the test above would find nothing. With each, where it is found soon.
#[test]
fn mistakes_are_found() {
    for (mistake, near) in [
        ("a vote without a promise", 771),
        ("a promise is forgotten", 117),
        ("told before the quorum", 11),
        ("positions are compared without epochs", 2458),
        ("one vote less is enough", 0),
        ("a copy that is not whole counts", 14672),
        ("a lease does not end", 29),
        ("who led last is believed", 86),
        // Votes of long ago, in a store that was set back: who led the epoch that another one led again is taken for the last by them.
        ("a winner waits for nobody and who led last is believed", 4837),
        ("members change before all that was told is on them", 0),
    ] {
        let mistakes: &'static [&'static str] = Vec::leak(mistake.split(" and ").collect());
        let found = first_wrong(near..near + 100, mistakes).or_else(|| first_wrong(0..20_000, mistakes));
        let (seed, why) = found.unwrap_or_else(|| panic!("{mistake}: not found"));
        println!("{mistake}: seed {seed}: {why}");
    }
}
