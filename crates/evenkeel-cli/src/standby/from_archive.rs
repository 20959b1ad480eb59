//! `evenkeel standby create --from` an archive: a base backup's files, and a server to follow from there on.
//!
//! It must not know what is in an archive.

use std::io::{Write, stdout};
use std::process::ExitCode;

use evenkeel::Error;
use evenkeel::restore::{self, BackupOf, RestoreOptions};
use evenkeel_client::{ConnString, Connection};

use super::create::{PROGRAM, create_slot, drop_slot, identify};
use super::{CreateArgs, rejoin, slot_name};
use crate::config::FILE_NAME;
use crate::config_file;
use crate::interrupt::say_when_interrupted;
use crate::restore::Shown;
use crate::way_in::unreached;
use crate::{CliError, backup, io_error};

/// Whether it is an archive and no server that is named.
pub(super) fn is_archive(from: &str) -> bool {
    from.split_once("://").is_some_and(|(scheme, _)| !scheme.starts_with("postgres"))
}

pub(super) fn create(args: &CreateArgs) -> Result<ExitCode, CliError> {
    let Some(follow) = &args.follow else {
        return Err(CliError::Folder(
            "an archive's files alone follow nobody: name the server to follow with --follow 'host=… port=… user=postgres'".into(),
        ));
    };
    let primary: ConnString = follow.parse().map_err(CliError::Folder)?;
    let store = backup::store(&args.from)?;
    let folder = args.folder.display();
    let slot = args.slot.clone().unwrap_or_else(|| slot_name(&args.folder));
    let mut server = Connection::open_for_replication(&primary, PROGRAM).map_err(unreached(&primary))?;
    let database = identify(&mut server)?;
    say_when_interrupted(format!("{folder} is no database yet; the same command begins anew there"))?;
    let shown = Shown::new();
    let keep = |name, value: &str| config_file::keep(&args.folder.join(FILE_NAME), name, value);
    let mut has_slot = false;
    let mut agree = |of: &BackupOf| {
        if of.database_id != database {
            return Err(Error::InvalidArgument(
                "the archive is of another database than the server has that is to be followed".into(),
            ));
        }
        let told = |e: CliError| Error::InvalidArgument(e.to_string());
        let fork = rejoin::fork(&mut server, &[(of.end.life, of.end.lsn)]).map_err(told)?;
        if fork != Some(of.end.lsn) {
            let parted = fork.map_or_else(
                || "it does not know the log of that time".to_owned(),
                |at| format!("its log left that one at {at}"),
            );
            return Err(Error::InvalidArgument(format!(
                "the server did not come from backup \"{}\", which ends at {}: {parted}. Make a base backup of the server, or copy it: --from its connection string",
                of.id, of.end.lsn
            )));
        }
        create_slot(&mut server, &slot).map_err(told)?;
        has_slot = true;
        // Before the folder is a standby: whoever starts it then finds whom to follow.
        keep("primary_conninfo", follow).and_then(|()| keep("primary_slot_name", &slot)).map_err(told)
    };
    let options = RestoreOptions::default();
    let made = restore::standby(store, &args.folder, &options, &mut agree, &|p| shown.show(p));
    shown.end();
    if made.is_err() && has_slot {
        drop_slot(&primary, &slot);
    }
    let of = made?;
    writeln!(
        stdout(),
        "{folder} is a standby of {primary}, from backup {} with {} of files; it needs the log from {} on, and its replication slot there is \"{slot}\".\n\nStart it with: evenkeel serve --data {folder} --listen 127.0.0.1:5434",
        of.id,
        backup::size(of.bytes),
        of.needs
    )
    .map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_archives_are_told_apart() {
        assert!(is_archive("s3://bucket/x") && is_archive("file:///backup"));
        assert!(
            !is_archive("postgresql://h/db") && !is_archive("postgres://h") && !is_archive("host=x port=1")
        );
    }
}
