//! The folder: is there a database, whose is it, is there room?

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use evenkeel::{FolderState, folder_state};

use super::Findings;
use crate::backup::size;
use crate::config::Config;
use crate::folder::{Content, content};

/// Room without which little goes on.
const FREE_BYTES_LEAST: u64 = 256 << 20;

/// Whether there is a database.
pub(super) fn look(data: &Path, config: &Config, f: &mut Findings<'_>) -> bool {
    let shown = data.display();
    match content(data) {
        Ok(Content::Database) => {}
        Ok(Content::Nothing) => {
            f.wrong(
                format!("there is no database in {shown}"),
                format!("name its folder by --data; evenkeel serve --data {shown} makes one"),
            );
            return false;
        }
        Ok(Content::Other(name)) => {
            f.wrong(
                format!("{shown} holds other files than a database, such as \"{name}\""),
                "name the database's folder by --data",
            );
            return false;
        }
        Err(e) => {
            f.wrong(e.to_string(), "run this command as the owner of the folder");
            return false;
        }
    }
    if let Ok(mark) = std::fs::read_to_string(data.join("restoring")) {
        let what =
            mark.lines().next().unwrap_or("A restore or a copy into this folder did not get to its end");
        f.wrong(
            format!("the folder holds part of a database: {what}"),
            "run the same command again: evenkeel restore, evenkeel standby create or evenkeel rejoin",
        );
    } else if !data.join("control").is_file() {
        f.wrong(
            "the control file is missing",
            "restore from a backup: evenkeel restore; or make a standby of a server that is whole",
        );
    }
    match std::fs::metadata(data) {
        Ok(m) => access(m.mode(), m.uid(), rustix::process::geteuid().as_raw(), data, f),
        Err(e) => f.wrong(format!("{shown}: {e}"), "run this command as the owner of the folder"),
    }
    match rustix::fs::statvfs(data) {
        Ok(s) => {
            let log_bytes = config.bytes("max_wal_size").unwrap_or(1 << 30);
            room(s.f_bavail * s.f_frsize, s.f_blocks * s.f_frsize, log_bytes, f);
            // Some file systems have no such limit, and say so by none at all.
            if s.f_files > 0 && s.f_favail < 1000 {
                f.wrong(
                    format!("the file system has room for {} more files only", s.f_favail),
                    "remove files, or make the file system with more inodes",
                );
            }
        }
        Err(e) => f.note(format!("how much room there is cannot be found out: {e}")),
    }
    true
}

/// Whether what a start needs first of all is there. `is_running`: a server has it, and has no need of it.
pub(super) fn start(
    data: &Path,
    config: &Config,
    is_running: bool,
    f: &mut Findings<'_>,
) -> Option<FolderState> {
    if data.join("restoring").exists() || !data.join("control").is_file() {
        return None;
    }
    match folder_state(data, &config.engine, is_running) {
        Ok(state) => {
            for what in &state.wrong_files {
                f.wrong(
                    format!("{what}: a start tells so, and nothing of it is read; one that every database has keeps a server from starting"),
                    "with the server stopped, put the file back that belongs there, or restore from a backup (evenkeel restore)",
                );
            }
            Some(state)
        }
        Err(evenkeel::Error::Corrupt(why)) => {
            let helps = "bring back what is missing, if it is on another disk or in a copy; else restore from a backup (evenkeel restore), or make a standby of a server that is whole";
            f.wrong(
                format!("no server can start here: data corrupted: {}", why.what),
                why.advice.unwrap_or_else(|| helps.into()),
            );
            None
        }
        Err(e) => {
            f.warn(format!("the folder cannot be read: {e}"), "run this command as the owner of the folder");
            None
        }
    }
}

fn access(mode: u32, owner: u32, me: u32, data: &Path, f: &mut Findings<'_>) {
    let shown = data.display();
    if mode & 0o077 != 0 {
        f.warn(
            format!("others may look into {shown} (mode {:04o})", mode & 0o7777),
            format!("chmod 0700 {shown}"),
        );
    }
    if owner == me {
        f.good(format!("{shown} holds a database, and is yours"));
    } else {
        f.note(format!("{shown} holds a database of user {owner}; you are user {me}"));
    }
}

fn room(free: u64, all: u64, log_bytes: u64, f: &mut Findings<'_>) {
    let share = free as f64 / all.max(1) as f64;
    let told = format!("{} of {} are free ({:.0} %)", size(free), size(all), share * 100.0);
    let remedy = "make room, or move the database to a larger disk: a full one refuses every change";
    if free < FREE_BYTES_LEAST {
        f.wrong(told, remedy);
    } else if free < log_bytes {
        f.warn(format!("{told}: less than the log may take (max_wal_size = {})", size(log_bytes)), remedy);
    } else if share < 0.05 {
        f.warn(told, remedy);
    } else {
        f.good(told);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn room_is_held_against_what_the_log_may_take() {
        let level = |free, all| found(|f| room(free, all, 1 << 30, f))[0].0;
        assert_eq!(level(100 << 20, 1 << 40), Level::Wrong);
        assert_eq!(level(900 << 20, 2 << 30), Level::Warning);
        assert_eq!(level(10 << 30, 1 << 40), Level::Warning, "a hundredth");
        assert_eq!(level(100 << 30, 1 << 40), Level::Good);
    }

    #[test]
    fn who_else_may_look_in_is_told() {
        let levels = |mode, owner| {
            let all = found(|f| access(mode, owner, 7, Path::new("/d"), f));
            all.into_iter().map(|(level, _)| level).collect::<Vec<_>>()
        };
        assert_eq!(levels(0o40700, 7), [Level::Good]);
        assert_eq!(levels(0o40750, 7), [Level::Warning, Level::Good]);
        assert_eq!(levels(0o40700, 8), [Level::Note]);
    }
}
