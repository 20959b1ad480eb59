//! What the system says of the disk under a folder: file system, device, rotation, cache.
//!
//! Everything here may be missing or wrong; nothing here fails.
//!
//! It must not know what is concluded from it.

use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::rig::Facts;

/// Device names of virtual machines, networks and files.
const VIRTUAL_NAMES: [&str; 6] = ["vd", "xvd", "nbd", "rbd", "loop", "zd"];
/// Models that virtual machines give their disks.
const VIRTUAL_MODELS: [&str; 6] = ["QEMU", "VBOX", "VMware", "Virtual", "PersistentDisk", "Elastic Block"];

/// Gathers the facts; `device` is the device number that the folder's files report.
pub fn facts(folder: &Path, device: Option<u64>) -> Facts {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mounts = read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mount_of(&mounts, &folder);
    let block = device.and_then(block_device).or_else(|| {
        let source = std::fs::metadata(&mount.as_ref()?.source).ok()?;
        block_device(source.rdev())
    });
    let mut facts = Facts {
        folder: folder.display().to_string(),
        options: mount.as_ref().map(|m| m.options.clone()),
        filesystem: mount.map(|m| m.filesystem),
        ..Facts::default()
    };
    if let Some(block) = block {
        let word = |file: &str| read_to_string(block.join(file)).ok().map(|s| s.trim().to_string());
        let name = block.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let model = word("device/model").filter(|m| !m.is_empty());
        facts.virtual_device = VIRTUAL_NAMES.iter().any(|p| name.starts_with(p))
            || model.as_ref().is_some_and(|m| VIRTUAL_MODELS.iter().any(|v| m.contains(v)));
        facts.rotational = word("queue/rotational").map(|w| w == "1");
        facts.volatile_cache = word("queue/write_cache").map(|w| w == "write back");
        facts.device = Some(match model {
            Some(model) => format!("{name} ({model})"),
            None => name,
        });
    }
    facts
}

/// Whether a file system of this name is memory.
pub fn is_memory(filesystem: &str) -> bool {
    matches!(filesystem, "tmpfs" | "ramfs")
}

/// The folder of a block device in /sys; for a partition, that of the whole disk.
fn block_device(number: u64) -> Option<PathBuf> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let path = Path::new("/sys/dev/block").join(format!("{major}:{minor}")).canonicalize().ok()?;
    if path.join("partition").exists() { path.parent().map(Path::to_path_buf) } else { Some(path) }
}

#[derive(Debug, PartialEq)]
struct Mount {
    filesystem: String,
    source: String,
    options: String,
}

/// The mount that a folder lies in: of those with the longest fitting path the last, which covers the others.
fn mount_of(mountinfo: &str, folder: &Path) -> Option<Mount> {
    let mut best: Option<(usize, Mount)> = None;
    for line in mountinfo.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let (Some(point), mut right) = (left.split(' ').nth(4), right.split(' ')) else { continue };
        let point = unescaped(point);
        let of_mount = left.split(' ').nth(5).unwrap_or_default();
        let (Some(filesystem), Some(source)) = (right.next(), right.next()) else { continue };
        if folder.starts_with(&point) && best.as_ref().is_none_or(|(len, _)| point.len() >= *len) {
            let of_all = right.next().unwrap_or_default();
            let options = format!("{of_mount},{of_all}");
            let mount = Mount { filesystem: filesystem.into(), source: unescaped(source), options };
            best = Some((point.len(), mount));
        }
    }
    best.map(|(_, mount)| mount)
}

/// Spaces and the like are written as \040 there.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        match after.get(..3).and_then(|d| u8::from_str_radix(d, 8).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[3..];
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        30 22 0:25 / /tmp rw - tmpfs tmpfs rw\n\
        31 22 8:1 / /srv/my\\040disk rw shared:1 - xfs /dev/sda1 rw\n";

    #[test]
    fn a_folder_lies_in_the_deepest_mount() {
        let of = |folder: &str| mount_of(MOUNTS, Path::new(folder)).unwrap().filesystem;
        assert_eq!(of("/home/ann"), "ext4");
        assert_eq!(of("/tmp/x"), "tmpfs");
        assert_eq!(of("/tmpfiles"), "ext4");
        assert_eq!(of("/srv/my disk/db"), "xfs");
        assert_eq!(mount_of(MOUNTS, Path::new("/tmp")).unwrap().options, "rw,rw");
        assert_eq!(mount_of("", Path::new("/")), None);
    }
}
