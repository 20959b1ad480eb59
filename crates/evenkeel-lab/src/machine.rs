//! What the figures were measured on.
//!
//! Everything may be missing; nothing here fails.

use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::logdisk::{facts, show};

/// Processors, system, and the folder's disk, in one line.
pub fn machine(folder: Option<&Path>) -> String {
    let mut parts = Vec::new();
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let model = read_to_string("/proc/cpuinfo").ok().and_then(|text| model_of(&text));
    let plural = if processors == 1 { "" } else { "s" };
    parts.push(match model {
        Some(model) => format!("{processors} processor{plural} ({model})"),
        None => format!("{processors} processor{plural}"),
    });
    if let Ok(release) = read_to_string("/proc/sys/kernel/osrelease") {
        parts.push(format!("Linux {}", release.trim()));
    }
    if let Some(folder) = folder {
        let device = std::fs::metadata(folder).ok().map(|m| m.dev());
        parts.push(format!("disk: {}", show::facts_line(&facts::facts(folder, device), None, 0)));
    }
    parts.join("; ")
}

/// Says so where a folder lies in memory: what is measured there is no disk.
pub fn in_memory(folder: &Path) -> Option<String> {
    let facts = facts::facts(folder, None);
    let name = facts.filesystem.filter(|f| facts::is_memory(f))?;
    Some(format!("{} is {name}: it is memory, and no disk is measured; name another --data", facts.folder))
}

/// How far this process makes way for others; 0 is as others.
pub fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap_or(0)
}

fn model_of(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_processors_system_and_disk() {
        let dir = tempfile::tempdir().unwrap();
        let line = machine(Some(dir.path()));
        assert!(line.contains("processor") && line.contains("disk: "), "{line}");
        assert_eq!(model_of("processor: 0\nmodel name\t: Some CPU\n").as_deref(), Some("Some CPU"));
        assert_eq!(model_of(""), None);
    }

    #[test]
    fn a_folder_in_memory_is_told_from_a_disk_s() {
        // A file system that is neither a disk's nor memory's.
        assert_eq!(in_memory(Path::new("/proc")), None);
        let memory = Path::new("/dev/shm");
        let is = facts::facts(memory, None).filesystem.as_deref() == Some("tmpfs");
        assert_eq!(in_memory(memory).is_some_and(|said| said.contains(" is tmpfs: it is memory")), is);
    }
}
