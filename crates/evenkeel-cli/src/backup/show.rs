//! `evenkeel backup list` and `show`.

use std::io::{Write, stdout};
use std::process::ExitCode;

use evenkeel::Lsn;
use evenkeel::archive::{self, Found, Manifest};

use super::{ListArgs, ShowArgs, moment, size, store};
use crate::table::Table;
use crate::{CliError, io_error};

fn stored_bytes(m: &Manifest) -> u64 {
    m.files.iter().flat_map(|f| &f.chunks).map(|c| c.bytes).sum()
}

fn file_bytes(m: &Manifest) -> u64 {
    m.files.iter().map(|f| u64::from(f.blocks)).sum::<u64>() * evenkeel::PAGE_BYTES as u64
}

/// One line, or one object, for each backup.
pub(super) fn list(args: &ListArgs) -> Result<ExitCode, CliError> {
    let store = store(&args.archive)?;
    let found = archive::backups(&*store)?;
    if found.is_empty() {
        if archive::with_log(&*store)?.is_empty() {
            return Err(CliError::Folder(format!("there is no archive at {}", args.archive)));
        }
        eprintln!(
            "the archive {} has log, and no backup yet: evenkeel backup create makes one",
            args.archive
        );
    }
    let mut out = stdout().lock();
    let written = if args.json {
        found.iter().try_for_each(|f| writeln!(out, "{}", object(f)))
    } else {
        table(&found).write_aligned(&mut out, false)
    };
    written.map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn object(found: &Found) -> serde_json::Value {
    let (state, m) = match found {
        Found::Complete(m) => ("complete", m),
        Found::Unfinished(m) => ("unfinished", m),
        Found::Damaged { id, why } => {
            return serde_json::json!({ "id": id, "state": "damaged", "why": why });
        }
    };
    serde_json::json!({
        "id": m.id,
        "state": state,
        "label": m.label,
        "database_id": format!("{:016x}", m.database_id),
        "timeline": m.timeline,
        "parent": m.parent,
        "begun_ms": m.begun_ms,
        "ended_ms": m.ended_ms,
        "log_needed": Lsn::from(m.log_needed).to_string(),
        "end": Lsn::from(m.end).to_string(),
        "file_bytes": file_bytes(m),
        "stored_bytes": stored_bytes(m),
    })
}

fn table(found: &[Found]) -> Table {
    let headings = ["id", "begun", "took", "state", "timeline", "size", "stored", "laid upon", "label"];
    let row = |f: &Found| -> Vec<Option<String>> {
        let state = match f {
            Found::Complete(_) => "complete",
            Found::Unfinished(_) => "unfinished",
            Found::Damaged { .. } => "damaged",
        };
        let Some(m) = f.manifest() else {
            let mut row = vec![Some(f.id().to_owned()), None, None, Some(state.to_owned())];
            row.resize(headings.len(), None);
            return row;
        };
        let complete = m.ended_ms > 0;
        vec![
            Some(m.id.clone()),
            Some(moment(m.begun_ms)),
            complete.then(|| format!("{} s", m.ended_ms.saturating_sub(m.begun_ms).div_ceil(1000))),
            Some(state.to_owned()),
            Some(m.timeline.to_string()),
            complete.then(|| size(file_bytes(m))),
            complete.then(|| size(stored_bytes(m))),
            m.parent.clone(),
            Some(m.label.clone()),
        ]
    };
    Table {
        headings: headings.iter().map(|h| (*h).to_owned()).collect(),
        right: vec![false, false, true, false, true, true, true, false, false],
        rows: found.iter().map(row).collect(),
    }
}

/// One backup.
pub(super) fn show(args: &ShowArgs) -> Result<ExitCode, CliError> {
    let store = store(&args.archive)?;
    let found = archive::backups(&*store)?.into_iter().find(|f| f.id() == args.id);
    let m = match found {
        Some(Found::Complete(m) | Found::Unfinished(m)) => m,
        Some(Found::Damaged { why, .. }) => return Err(CliError::Folder(why)),
        None => {
            return Err(CliError::Folder(format!(
                "the archive {} has no backup \"{}\"",
                args.archive, args.id
            )));
        }
    };
    let text = if args.json { String::from_utf8_lossy(&m.encode()).into_owned() } else { text(&m) };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn text(m: &Manifest) -> String {
    let lsn = |p| Lsn::from(p).to_string();
    let complete = m.ended_ms > 0;
    let none = || "–".to_owned();
    let chunks = m.files.iter().flat_map(|f| &f.chunks);
    let pages: u64 = chunks.clone().map(|c| u64::from(c.pages)).sum();
    let objects = chunks.filter(|c| c.bytes > 0).count();
    let lines = [
        ("id", m.id.clone()),
        ("label", m.label.clone()),
        ("state", if complete { "complete" } else { "unfinished" }.to_owned()),
        ("database", format!("{:016x}", m.database_id)),
        ("timeline", m.timeline.to_string()),
        ("laid upon", m.parent.clone().unwrap_or_else(none)),
        ("begun", moment(m.begun_ms)),
        ("ended", if complete { moment(m.ended_ms) } else { none() }),
        ("log needed from", lsn(m.log_needed)),
        ("log at its begin", lsn(m.start)),
        ("restorable from", if complete { lsn(m.end) } else { none() }),
        ("torn-page protection", m.protection.clone()),
        ("files", m.files.len().to_string()),
        ("size", size(file_bytes(m))),
        ("pages in it", pages.to_string()),
        ("objects", objects.to_string()),
        ("stored", size(stored_bytes(m))),
    ];
    lines.iter().map(|(name, value)| format!("{name:<22}{value}\n")).collect()
}
