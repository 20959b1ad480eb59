//! What the system tells of this process, under the names that all exporters give it.
//!
//! It must not know anything else.

use std::fs;

/// Times in seconds; None: the system does not tell.
#[derive(Debug, Default)]
pub(super) struct Process {
    pub cpu_seconds: Option<f64>,
    pub resident_bytes: Option<f64>,
    pub virtual_bytes: Option<f64>,
    pub threads: Option<f64>,
    pub open_fds: Option<f64>,
    pub max_fds: Option<f64>,
}

impl Process {
    /// As it is now.
    pub fn now() -> Process {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let ticks_a_second = rustix::param::clock_ticks_per_second() as f64;
        let page_bytes = rustix::param::page_size() as f64;
        // Behind the name, which may have anything in it.
        let fields: Vec<&str> =
            stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
        let field = |n: usize| fields.get(n)?.parse::<f64>().ok();
        Process {
            cpu_seconds: field(11).zip(field(12)).map(|(user, system)| (user + system) / ticks_a_second),
            threads: field(17),
            virtual_bytes: field(20),
            resident_bytes: field(21).map(|pages| pages * page_bytes),
            open_fds: fs::read_dir("/proc/self/fd").ok().map(|d| d.count().saturating_sub(1) as f64),
            max_fds: Some(evenkeel::io::descriptor_limit() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_threads_memory_and_files() {
        let now = Process::now();
        assert!(now.threads >= Some(1.0) && now.resident_bytes > Some(0.0) && now.open_fds > Some(0.0));
        assert!(now.virtual_bytes >= now.resident_bytes && now.cpu_seconds >= Some(0.0), "{now:?}");
    }
}
