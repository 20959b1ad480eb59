//! The archive, and the backups in it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use evenkeel::archive::{self, Found};

use super::Findings;
use crate::backup::store;

const DAY_MS: u64 = 86_400_000;
/// A restore from an older one has much log to replay.
const OLD_DAYS: u64 = 7;

/// `configured`: as a server would be started here; `running`: what the one that runs says; `database_id`: whose folder it is.
pub(super) fn look(
    data: &Path,
    configured: &str,
    running: Option<&str>,
    database_id: Option<u64>,
    f: &mut Findings<'_>,
) {
    let url = running.unwrap_or(configured);
    if url.is_empty() && !configured.is_empty() {
        f.warn(
            format!("the server that runs archives nothing, although archive_url is set ({configured})"),
            "start it again, with that setting",
        );
        return;
    }
    if url.is_empty() {
        f.warn(
            "there is no archive: what happens to this disk, or to its tables by mistake, cannot be undone",
            "archive_url = \"file:///another/disk\" or \"s3://bucket/name\", then evenkeel backup create; a standby protects from the first only",
        );
        return;
    }
    if let Some(path) = url.strip_prefix("file://")
        && let (Ok(there), Ok(here)) = (std::fs::metadata(path), std::fs::metadata(data))
        && there.dev() == here.dev()
    {
        f.warn(
            format!("the archive ({url}) is on the database's own disk, and goes with it"),
            "archive to another disk, or to an object store",
        );
    }
    let found = store(url).and_then(|store| Ok((archive::backups(&*store)?, archive::database_of(&*store)?)));
    match found {
        Ok((_, Some(owner))) if database_id.is_some_and(|id| id != owner) => f.wrong(
            format!("the archive ({url}) is another database's, {owner:016x}: this one's log will not be taken"),
            "choose another archive_url, then evenkeel backup create",
        ),
        Ok((found, _)) => {
            let now_ms = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
            backups(&found, url, now_ms, f);
        }
        Err(e) => f.wrong(
            format!("the archive ({url}) cannot be read: {e}"),
            "credentials of object stores come from the environment; until it can be reached the log is kept here, and takes room",
        ),
    }
}

fn backups(found: &[Found], url: &str, now_ms: u64, f: &mut Findings<'_>) {
    for one in found {
        if let Found::Damaged { id, why } = one {
            f.warn(format!("backup {id} is damaged: {why}"), format!("evenkeel backup delete {url} {id}"));
        }
    }
    let complete = found.iter().filter_map(|one| match one {
        Found::Complete(m) => Some(m),
        _ => None,
    });
    let (count, newest) = (complete.clone().count(), complete.map(|m| m.ended_ms).max());
    let Some(newest) = newest else {
        f.wrong(
            format!("the archive ({url}) has no base backup: its log alone cannot be restored"),
            "evenkeel backup create",
        );
        return;
    };
    let days = now_ms.saturating_sub(newest) / DAY_MS;
    let told = format!("{count} base backups in {url}, the newest {days} days old");
    if days > OLD_DAYS {
        f.warn(
            format!("{told}: a restore replays the log of all that time"),
            "evenkeel backup create, by a timer every day or week (--incremental is quick)",
        );
    } else {
        f.good(told);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn an_archive_without_a_backup_is_told() {
        assert_eq!(found(|f| backups(&[], "u", 0, f))[0].0, Level::Wrong);
        let damaged = [Found::Damaged { id: "x".into(), why: "no label".into() }];
        let levels: Vec<_> = found(|f| backups(&damaged, "u", 0, f)).iter().map(|(l, _)| *l).collect();
        assert_eq!(levels, [Level::Warning, Level::Wrong]);
    }
}
