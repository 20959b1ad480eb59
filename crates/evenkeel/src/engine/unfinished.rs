//! Folders that are being filled with a database from elsewhere: by a restore, or by a copy for a standby.
//!
//! Invariants
//! 1. While the file `restoring` is there, the folder is no database: nobody opens it, and whoever fills it begins anew. It goes last, when everything
//!    else is durable. So nothing that is written before needs protection against a crash.
//! 2. The folder held nothing before, but for what says how the database is to be served ([`may_lie_beside`]), which stays.
//!
//! Must not know: where the database comes from.

use crate::archive::TIMELINE_FILES;
use crate::base::{Error, Lsn, Result};
use crate::io::{Disk, LOCK_FILE, OsDisk, OsOptions, read_whole, write_whole};
use crate::pool::DOUBLE_WRITE_FILE;
use crate::wal::segment;
use std::path::Path;
use std::sync::Arc;

/// While it is there, the folder is no database (invariant 1). Its text says what is at work.
const MARKER: &str = "restoring";
/// What a folder may hold in which a database is made.
const ALLOWED: [&str; 9] = [
    LOCK_FILE,
    "evenkeel.toml",
    "evenkeel.toml.new",
    "evenkeel.auto.toml",
    "evenkeel.auto.toml.new",
    "cluster",
    "pg_hba.conf",
    "pg_ident.conf",
    "lost+found",
];
/// And what names may end with: certificates, keys, secrets.
const ALLOWED_ENDS: [&str; 5] = [".crt", ".key", ".crl", ".pem", ".token"];
/// What is made, besides what is in the folders of data and log.
const OWN: [&str; 11] = [
    "control",
    "control.new",
    "archive",
    "archive.new",
    "lives",
    "lives.new",
    "files",
    "files.new",
    "undo.scratch",
    DOUBLE_WRITE_FILE,
    MARKER,
];
/// Data files' folder.
const DATA: &str = "data";

/// Whether a file of this name may be in a folder before there is a database in it: it says how one is to be served, or is a file system's.
pub fn may_lie_beside(name: &str) -> bool {
    ALLOWED.contains(&name) || ALLOWED_ENDS.iter().any(|end| name.ends_with(end))
}

/// Has `f` fill an empty or missing folder. Where it refuses to, the folder is as it was.
pub(super) fn fill<R>(dir: &Path, os: OsOptions, f: impl FnOnce(Arc<dyn Disk>) -> Result<R>) -> Result<R> {
    let ctx = |e| Error::io(format!("the folder {}", dir.display()), e);
    if dir.exists() && !dir.join(MARKER).exists() {
        for entry in dir.read_dir().map_err(ctx)? {
            let name = entry.map_err(ctx)?.file_name();
            let name = name.to_string_lossy();
            if !may_lie_beside(&name) {
                return Err(not_empty(&name));
            }
        }
    }
    let (made, locked_before) = (!dir.exists(), dir.join(LOCK_FILE).exists());
    let disk = OsDisk::new(dir, os).map_err(ctx)?;
    let done = disk.sync_path().map_err(ctx).and_then(|()| f(Arc::new(disk)));
    if done.is_err() && !locked_before {
        leave_as_it_was(dir, made);
    }
    done
}

/// What was refused before it had put anything into the folder leaves nothing there: a lock alone would look like a folder for a new database.
fn leave_as_it_was(dir: &Path, made: bool) {
    let Ok(entries) = dir.read_dir() else { return };
    if entries.flatten().all(|e| may_lie_beside(&e.file_name().to_string_lossy())) {
        let _ = std::fs::remove_file(dir.join(LOCK_FILE));
        if made {
            let _ = std::fs::remove_dir(dir);
        }
    }
}

fn not_empty(name: &str) -> Error {
    Error::InvalidArgument(format!(
        "the folder is not empty (\"{name}\" …): an empty or missing one is wanted"
    ))
}

/// Whether the folder is being filled, or that was cut short.
pub(super) fn is_marked(disk: &dyn Disk) -> Result<bool> {
    disk.exists(MARKER).map_err(|e| Error::io("looking for the file \"restoring\"", e))
}

/// Refuses a folder whose filling was cut short, or goes on: part of a database, that is (invariant 1).
pub(super) fn refuse(disk: &dyn Disk) -> Result<()> {
    if is_marked(disk)? {
        return Err(Error::InvalidArgument(
            "the folder holds part of a database: a restore or a copy into it was cut short, or is still at work. Run evenkeel restore, evenkeel standby create or evenkeel rejoin again, whichever it was"
                .into(),
        ));
    }
    Ok(())
}

/// Invariant 2.
pub(super) fn refuse_non_empty(disk: &dyn Disk) -> Result<()> {
    let ctx = |e| Error::io("looking into the folder", e);
    let marked = is_marked(disk)?;
    let own = |n: &str| may_lie_beside(n) || marked && (OWN.contains(&n) || TIMELINE_FILES.contains(&n));
    if let Some(name) = disk.list("").map_err(ctx)?.iter().find(|n| !own(n)) {
        return Err(not_empty(name));
    }
    for dir in [DATA, segment::DIR] {
        if !marked
            && disk.exists(dir).map_err(ctx)?
            && let Some(name) = disk.list(dir).map_err(ctx)?.first()
        {
            return Err(not_empty(&format!("{dir}/{name}")));
        }
    }
    Ok(())
}

/// From here on the folder is no database; `text` says to people what is at work.
pub(super) fn mark(disk: &dyn Disk, text: &str) -> Result<()> {
    write_whole(disk, MARKER, text.as_bytes()).map_err(|e| Error::io("writing the file \"restoring\"", e))
}

/// The line `fork` of the mark: an attempt has laid pages over what was there behind that; before everything, if it does not say.
pub(super) fn marked_fork(disk: &dyn Disk) -> Result<Lsn> {
    let text = read_whole(disk, MARKER, 4096).map_err(|e| Error::io("reading the file \"restoring\"", e))?;
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let fork = text.lines().find_map(|line| line.strip_prefix("fork ")?.parse().ok());
    Ok(fork.unwrap_or(Lsn::ZERO))
}

/// It is one. Everything in it must be durable.
pub(super) fn unmark(disk: &dyn Disk) -> Result<()> {
    let ctx = |e| Error::io("removing the file \"restoring\"", e);
    disk.remove(MARKER).map_err(ctx)?;
    disk.sync_dir("").map_err(ctx)
}

/// Removes what a server had beside its data files that another's copy has of its own, once the folder is marked: its log, what it knew of archives and slots, pages on their way home.
/// `kept`: names that stay besides. What is none of ours stays.
pub(super) fn clear_beside_data(disk: &dyn Disk, kept: &[&str]) -> Result<()> {
    let ctx = |e| Error::io("removing what the folder's server had", e);
    let own = |n: &str| OWN.contains(&n) || TIMELINE_FILES.contains(&n) || n.starts_with("slots");
    let goes = |n: &str| own(n) && n != MARKER && !kept.contains(&n);
    for name in disk.list("").map_err(ctx)?.iter().filter(|n| goes(n)) {
        disk.remove(name).map_err(ctx)?;
    }
    for name in disk.list(segment::DIR).map_err(ctx)? {
        disk.remove(&format!("{}/{name}", segment::DIR)).map_err(ctx)?;
    }
    disk.sync_dir(segment::DIR).and_then(|()| disk.sync_dir("")).map_err(ctx)
}

/// Removes what an earlier attempt left, and makes the folders. Names are made durable with the files that come; until then the folder is
/// marked.
pub(super) fn clear(disk: &dyn Disk) -> Result<()> {
    let ctx = |e| Error::io("emptying the folder", e);
    for name in disk.list("").map_err(ctx)?.iter().filter(|n| *n != MARKER && !may_lie_beside(n)) {
        disk.remove(name).map_err(ctx)?;
    }
    for dir in [DATA, segment::DIR] {
        disk.create_dir(dir).map_err(ctx)?;
        for name in disk.list(dir).map_err(ctx)? {
            disk.remove(&format!("{dir}/{name}")).map_err(ctx)?;
        }
    }
    Ok(())
}
