//! The disk under the folder: a file system that can hold a database, and syncs that are what they say.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use evenkeel_lab::logdisk::{Facts, facts};

use super::Findings;

/// The file that measures; it is removed as soon as it is open.
const PROBE: &str = "doctor.probe";
const SYNCS: usize = 16;
const BLOCK_BYTES: usize = 4096;
/// No disk is as fast as that: what is faster keeps what it was given in memory.
const FASTEST: Duration = Duration::from_micros(8);
/// A commit that takes as long as this is felt.
const SLOW: Duration = Duration::from_millis(20);

pub(super) fn look(data: &Path, is_direct: bool, f: &mut Findings<'_>) {
    let Ok(m) = std::fs::metadata(data) else { return };
    let seen = facts(data, Some(m.dev()));
    kind(&seen, f);
    arm(&seen, is_direct, f);
    match syncs(data) {
        Ok(times) => speed(times, seen.volatile_cache, f),
        Err(e) => f.note(format!("how fast it syncs was not measured: {e}")),
    }
}

fn kind(seen: &Facts, f: &mut Findings<'_>) {
    let name = seen.filesystem.as_deref().unwrap_or("unknown");
    let device = seen.device.as_ref().map_or(String::new(), |d| format!(" on {d}"));
    match name {
        "tmpfs" | "ramfs" => f.wrong(
            format!("the folder is in memory ({name}): all of it goes with the machine's next start"),
            "move the database to a disk",
        ),
        "overlay" => f.warn(
            "the folder is in a container's own layer (overlay): it goes with the container",
            "put the database on a volume",
        ),
        "nfs" | "nfs4" | "cifs" | "smb3" | "9p" | "vboxsf" => f.warn(
            format!("the folder is on another machine ({name}): its syncs are as good as that one's, and two machines may open one database"),
            "a disk of this machine is safer, and faster",
        ),
        _ => f.good(format!("{name}{device}")),
    }
    let options = seen.options.as_deref().unwrap_or("");
    let bad = options.split(',').find(|o| matches!(*o, "nobarrier" | "barrier=0" | "nobarriers"));
    if let Some(option) = bad {
        f.wrong(
            format!("the file system does not flush the disk's cache (mount option {option}): a power cut loses commits and tears files"),
            format!("mount it without {option}"),
        );
    }
    if options.split(',').any(|o| o == "ro") {
        f.wrong(
            "the file system is mounted read-only",
            "look at the kernel's log for errors of the disk, and mount it for writing",
        );
    }
}

/// What a rotating disk has of `direct_io` (docs/measurements/lab.md: A, B and D on a disk of 7200 turns a minute).
fn arm(seen: &Facts, is_direct: bool, f: &mut Findings<'_>) {
    if seen.rotational != Some(true) || seen.virtual_device || !is_direct {
        return;
    }
    f.note(
        "a rotating disk, read and written past the system's cache (direct_io = on): at a rate that it can do that has the shortest tail; \
         with direct_io = off, and memory that nobody else needs, it does more at full speed, and several times as much where tables are larger than shared_buffers",
    );
}

/// How long syncs of a block take.
fn syncs(data: &Path) -> io::Result<Vec<Duration>> {
    let path = data.join(PROBE);
    let file: File = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    let block = [0x5a; BLOCK_BYTES];
    // What follows changes nothing but the contents.
    file.write_all_at(&block, 0)?;
    file.sync_all()?;
    let sync = |_| {
        let began = Instant::now();
        file.write_all_at(&block, 0)?;
        file.sync_data()?;
        Ok(began.elapsed())
    };
    (0..SYNCS).map(sync).collect()
}

fn speed(mut times: Vec<Duration>, volatile_cache: Option<bool>, f: &mut Findings<'_>) {
    times.sort();
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    let ms = |t: Duration| format!("{:.2} ms", t.as_secs_f64() * 1000.0);
    let told = format!("a sync takes {}, the slowest of {} {}", ms(median), times.len(), ms(slowest));
    if median < FASTEST {
        f.warn(
            format!("{told}: faster than any disk, so it is not one that a power cut would leave as it was"),
            "find out who answers before the disk has it: a virtual machine's cache (cache=unsafe), eatmydata, a file system without barriers",
        );
    } else if median > SLOW {
        f.warn(
            format!("{told}: each commit waits for one"),
            "evenkeel logdisk finds the settings that suit this disk; many clients share a sync; an SSD with power-loss protection takes 0.1 ms",
        );
    } else {
        f.good(told);
    }
    if volatile_cache == Some(true) {
        f.note("the disk says that it has a volatile cache, which syncs flush");
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn file_systems_that_lose_what_they_have_are_told() {
        let of = |name: &str, options: &str| {
            let seen =
                Facts { filesystem: Some(name.into()), options: Some(options.into()), ..Facts::default() };
            found(|f| kind(&seen, f)).iter().map(|(level, _)| *level).max()
        };
        assert_eq!(of("ext4", "rw,relatime"), Some(Level::Good));
        assert_eq!(of("tmpfs", "rw"), Some(Level::Wrong));
        assert_eq!(of("overlay", "rw"), Some(Level::Warning));
        assert_eq!(of("ext4", "rw,nobarrier"), Some(Level::Wrong));
        assert_eq!(of("xfs", "ro"), Some(Level::Wrong));
    }

    #[test]
    fn a_rotating_disk_is_told_what_direct_io_costs() {
        let of = |rotational, virtual_device, is_direct| {
            let seen = Facts { rotational, virtual_device, ..Facts::default() };
            found(|f| arm(&seen, is_direct, f)).len()
        };
        assert_eq!(of(Some(true), false, true), 1);
        for quiet in [
            of(Some(true), false, false),
            of(Some(true), true, true),
            of(Some(false), false, true),
            of(None, false, true),
        ] {
            assert_eq!(quiet, 0);
        }
    }

    #[test]
    fn syncs_that_are_too_fast_or_slow_are_told() {
        let of = |us| found(|f| speed(vec![Duration::from_micros(us); SYNCS], None, f))[0].0;
        assert_eq!(of(2), Level::Warning);
        assert_eq!(of(200), Level::Good);
        assert_eq!(of(50_000), Level::Warning);
    }

    #[test]
    fn the_probe_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(syncs(dir.path()).unwrap().len(), SYNCS);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
