//! How busy other programs keep the processors.
//!
//! It must not know why that matters.

use std::fs::read_to_string;

/// Counters of the kernel, in its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// Of all processors: time passed.
    total: u64,
    /// Of this: idle, or waiting for a disk.
    idle: u64,
    /// Used by this process.
    own: u64,
}

impl Processors {
    /// The counters now; None where the kernel does not tell.
    pub fn now() -> Option<Processors> {
        parsed(&read_to_string("/proc/stat").ok()?, &read_to_string("/proc/self/stat").ok()?)
    }

    /// Share of all processors' time that others used since then.
    pub fn others_since(&self, earlier: &Processors) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        let idle = self.idle.saturating_sub(earlier.idle);
        let own = self.own.saturating_sub(earlier.own);
        if total == 0 { 0.0 } else { total.saturating_sub(idle + own) as f64 / total as f64 }
    }
}

fn parsed(stat: &str, own_stat: &str) -> Option<Processors> {
    // user nice system idle iowait irq softirq steal; what guests use is part of user and nice.
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let times: Vec<u64> = line.split_whitespace().take(8).map_while(|n| n.parse().ok()).collect();
    let idle = times.get(3)? + times.get(4)?;
    // The command's name, in parentheses, may hold anything.
    let after = own_stat.rsplit_once(')')?.1;
    let own = after.split_whitespace().skip(11).take(2).map_while(|n| n.parse::<u64>().ok()).sum();
    Some(Processors { total: times.iter().sum(), idle, own })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_and_our_own_are_not_others() {
        let own = |user: u64| format!("42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 {user} 5 0 0");
        let before = parsed("cpu  100 0 100 700 50 0 0 50 0 0\ncpu0 1", &own(10)).unwrap();
        let after = parsed("cpu  150 0 120 860 70 0 0 50 0 0\ncpu0 1", &own(30)).unwrap();
        assert_eq!(after.others_since(&before), 50.0 / 250.0);
        assert_eq!(before.others_since(&before), 0.0);
    }
}
