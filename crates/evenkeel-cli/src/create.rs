//! What a new database is created with: the log method that suits its disk (S18).
//!
//! It must not know how that is measured.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use evenkeel::io::LogSync;
use evenkeel_lab::logdisk;
use tracing::{info, warn};

use crate::config::{Config, FILE_NAME};
use crate::folder::{Content, content};
use crate::{CliError, config_file};

const SETTING: &str = "wal_sync_method";

/// Before a database is created in `folder`: measures which `wal_sync_method` is clearly quickest there, unless one is set, and uses it. If it is not the
/// default it is kept in the folder's configuration file; `own_file`: the user has another, which is left alone. Blocks for about a
/// second, on a slow disk for a few. What cannot be measured is left as it is.
pub(crate) fn choose_log_method(folder: &Path, own_file: bool, config: &mut Config) -> Result<(), CliError> {
    // Of a first start that was killed while it measured: the folder would count as somebody else's. What cannot be removed is told by whoever opens it.
    let _ = logdisk::remove_left_over(folder);
    if let Ok(Content::Other(name)) = content(folder)
        && logdisk::is_temporary(&name)
    {
        return Err(CliError::Folder(format!(
            "in {} another process measures the disk (\"{name}\"), perhaps to create a database there: wait until it is done",
            folder.display()
        )));
    }
    if config.has(SETTING) || config.has("fsync") || !matches!(content(folder), Ok(Content::Nothing)) {
        return Ok(());
    }
    let offered = |name: &str| LogSync::NAMES.contains(&name);
    let usual = LogSync::default().name();
    let found =
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|e| e.to_string()).and_then(
            |()| {
                logdisk::quickest_method(folder, usual, offered, &AtomicBool::new(false))
                    .map_err(|e| e.to_string())
            },
        );
    let found = match found {
        Ok(found) => found,
        Err(e) => {
            warn!(error = %e, "which wal_sync_method suits this disk was not measured");
            return Ok(());
        }
    };
    info!(
        wal_sync_method = found.name(),
        write_us = found.median_us.round(),
        "new database: for its log here"
    );
    if found.name() != usual {
        config.set("measured at creation", SETTING, found.name())?;
        match own_file {
            true => warn!("put {SETTING} = '{}' into the configuration file to keep it", found.name()),
            false => config_file::keep(&folder.join(FILE_NAME), SETTING, found.name())?,
        }
    }
    Ok(())
}
