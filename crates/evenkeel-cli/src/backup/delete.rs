//! `evenkeel backup delete`: retention, or by name.

use std::io::{Write, stdout};
use std::process::ExitCode;

use evenkeel::archive::{self, Keep, Removal, Unwanted};

use super::{DeleteArgs, store};
use crate::{CliError, io_error};

/// Removes, or says what would go.
pub(super) fn delete(args: &DeleteArgs) -> Result<ExitCode, CliError> {
    let store = store(&args.archive)?;
    let unwanted = if args.ids.is_empty() {
        Unwanted::AllBut(Keep { last: args.keep_last.unwrap_or(0) as usize, for_ms: args.keep })
    } else {
        Unwanted::Ids { ids: args.ids.clone(), force: args.force }
    };
    let removal = archive::plan_removal(&*store, &unwanted, evenkeel::base::clock::wall_ms())?;
    if !args.dry_run {
        archive::remove(&*store, &removal, &mut |_| {})?;
    }
    let text = if args.json { json(args, &removal) } else { text(args, &removal) };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn text(args: &DeleteArgs, removal: &Removal) -> String {
    let verb = if args.dry_run { "would be removed" } else { "removed" };
    let mut out = String::new();
    for id in &removal.backups {
        out.push_str(&format!("{id}: {verb}\n"));
    }
    for id in &removal.kept {
        out.push_str(&format!("{id}: kept\n"));
    }
    out.push_str(&format!(
        "{} backups and {} objects of log {verb}, {} backups kept\n",
        removal.backups.len(),
        removal.log.len(),
        removal.kept.len()
    ));
    out
}

fn json(args: &DeleteArgs, removal: &Removal) -> String {
    let object = serde_json::json!({
        "dry_run": args.dry_run,
        "removed": removal.backups,
        "kept": removal.kept,
        "log_objects_removed": removal.log,
    });
    format!("{object}\n")
}
