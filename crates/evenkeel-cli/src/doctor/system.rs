//! The machine: memory, limits, clock.

use std::fs::read_to_string;

use evenkeel::io::{descriptor_limit, raise_descriptor_limit};
use evenkeel_server::settings::Id;
use evenkeel_types::guard::memory;

use super::Findings;
use crate::backup::size;
use crate::config::Config;

pub(super) fn look(config: &Config, f: &mut Findings<'_>) {
    let buffers = config.bytes("shared_buffers").unwrap_or(0);
    let limit = config.server.memory_limit_bytes().unwrap_or(usize::MAX) as u64;
    match memory::machine_bytes() {
        Some(all) => memories(all as u64, limit, buffers, f),
        None => f.note("how much memory there is cannot be found out"),
    }
    let descriptors = raise_descriptor_limit().unwrap_or_else(|_| descriptor_limit()) as u64;
    files(descriptors, config.server.number(Id::MaxConnections), f);
    if let Ok(clock) = read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource") {
        clocks(clock.trim(), f);
    }
    if let Ok(text) = read_to_string("/proc/sys/vm/overcommit_memory")
        && text.trim() == "2"
    {
        f.note("vm.overcommit_memory is 2: allocations fail before memory is used up, which statements get as 53200");
    }
    if let Ok(swaps) = read_to_string("/proc/swaps")
        && swaps.lines().count() > 1
        && read_to_string("/proc/sys/vm/swappiness")
            .is_ok_and(|s| s.trim().parse().is_ok_and(|s: u32| s > 30))
    {
        f.warn(
            "the kernel swaps early (vm.swappiness): a page of buffers that was swapped out costs a read to be evicted",
            "sysctl vm.swappiness=1",
        );
    }
}

fn memories(all: u64, limit: u64, buffers: u64, f: &mut Findings<'_>) {
    let told = format!("{} of memory, of which the server takes {} at most", size(all), size(limit.min(all)));
    if limit > all {
        f.wrong(
            format!("memory_limit ({}) is more than the {} there are", size(limit), size(all)),
            "lower memory_limit, or leave it at 0: three quarters of what there is",
        );
    } else if buffers > limit / 10 * 8 {
        f.warn(
            format!("{told}; shared_buffers ({}) leaves little of it for statements", size(buffers)),
            "lower shared_buffers to half of memory_limit, or give the server more",
        );
    } else {
        f.good(told);
    }
}

fn files(limit: u64, connections: u64, f: &mut Findings<'_>) {
    // As the server has it: half of them are the data files' at most.
    if limit / 2 < connections + 64 {
        f.wrong(
            format!("a process may have {limit} open files: too few for max_connections = {connections}"),
            "raise the limit (ulimit -n, LimitNOFILE= of the service), or lower max_connections",
        );
    } else {
        f.good(format!("{limit} open files, max_connections = {connections}"));
    }
}

fn clocks(name: &str, f: &mut Findings<'_>) {
    if matches!(name, "hpet" | "acpi_pm" | "jiffies" | "pit" | "refined-jiffies") {
        f.warn(
            format!("the clock is read from a device ({name}): every measurement of time is a slow system call"),
            "boot with tsc=reliable if the processor's counter can be trusted, or ask whoever runs the virtual machine",
        );
    } else {
        f.good(format!("clock {name}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn limits_are_held_against_what_the_settings_want() {
        let memory = |limit, buffers| found(|f| memories(16 << 30, limit, buffers, f))[0].0;
        assert_eq!(memory(12 << 30, 4 << 30), Level::Good);
        assert_eq!(memory(12 << 30, 11 << 30), Level::Warning);
        assert_eq!(memory(32 << 30, 1 << 30), Level::Wrong);
        let open = |limit| found(|f| files(limit, 200, f))[0].0;
        assert_eq!((open(256), open(1024)), (Level::Wrong, Level::Good));
        let clock = |name| found(|f| clocks(name, f))[0].0;
        assert_eq!((clock("tsc"), clock("hpet")), (Level::Good, Level::Warning));
    }
}
