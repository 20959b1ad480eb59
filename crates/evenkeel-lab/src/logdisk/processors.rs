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

/// What programs have used of the processors, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Programs {
    /// Time passed, of all processors.
    total: u64,
    /// Used by all programs, and by the kernel for them. Not by interrupts, which are those of whoever is at work.
    all: u64,
    /// Of this: by this process and those that it has started.
    own: u64,
}

impl Programs {
    /// The counters now; None where the kernel does not tell.
    pub fn now() -> Option<Programs> {
        let mut processes = Vec::new();
        for entry in std::fs::read_dir("/proc").ok()?.flatten() {
            if let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok())
                // It may have ended meanwhile.
                && let Ok(stat) = read_to_string(entry.path().join("stat"))
            {
                processes.extend(process(pid, &stat));
            }
        }
        programs(&read_to_string("/proc/stat").ok()?, &processes, std::process::id())
    }

    /// Share of all processors' time that others used since then.
    pub fn others_since(&self, earlier: &Programs) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        let all = self.all.saturating_sub(earlier.all);
        let own = self.own.saturating_sub(earlier.own);
        if total == 0 { 0.0 } else { all.saturating_sub(own) as f64 / total as f64 }
    }
}

struct Process {
    pid: u32,
    parent: u32,
    /// By it and by those that it has waited for.
    used: u64,
}

fn process(pid: u32, stat: &str) -> Option<Process> {
    let after = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let used = fields.get(11..15)?.iter().map_while(|n| n.parse::<u64>().ok()).sum();
    Some(Process { pid, parent, used })
}

fn programs(stat: &str, processes: &[Process], own: u32) -> Option<Programs> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let times: Vec<u64> = line.split_whitespace().take(8).map_while(|n| n.parse().ok()).collect();
    let mut ours = vec![own];
    let mut next = 0;
    while let Some(parent) = ours.get(next).copied() {
        ours.extend(processes.iter().filter(|p| p.parent == parent && p.pid != parent).map(|p| p.pid));
        next += 1;
    }
    let own = processes.iter().filter(|p| ours.contains(&p.pid)).map(|p| p.used).sum();
    Some(Programs { total: times.iter().sum(), all: times.get(..3)?.iter().sum(), own })
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

    #[test]
    fn programs_that_were_started_are_our_own() {
        let stat = |pid: u32, parent: u32, used: u64| {
            process(pid, &format!("{pid} (a (b) c) S {parent} 2 3 4 5 6 7 8 9 10 {used} 1 2 3 0 0")).unwrap()
        };
        let at = |ticks: u64, used: [u64; 4]| {
            let cpu = format!("cpu  {} 0 {ticks} 700 50 20 30 50 0 0", 2 * ticks);
            // A server's worker is its, and another program is not.
            let all = [
                stat(1, 0, 0),
                stat(7, 1, used[0]),
                stat(8, 7, used[1]),
                stat(9, 8, used[2]),
                stat(10, 1, used[3]),
            ];
            programs(&cpu, &all, 7).unwrap()
        };
        let (before, after) = (at(100, [0; 4]), at(200, [50, 60, 70, 100]));
        assert_eq!(after.others_since(&before), (300.0 - 180.0) / 300.0);
    }
}
