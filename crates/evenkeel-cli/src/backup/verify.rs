//! `evenkeel backup verify`.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use evenkeel::archive::{self, Found, Inspection, Manifest};

use super::{VerifyArgs, size, store};
use crate::interrupt::say_when_interrupted;
use crate::{CliError, io_error};

/// Lists what is wrong; exit code 1 if anything is.
pub(super) fn verify(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    let store = store(&args.archive)?;
    let mut problems = 0;
    let backups: Vec<Manifest> = match &args.id {
        Some(id) => archive::chain(&*store, archive::manifest(&*store, id)?)?,
        None => {
            let mut complete = Vec::new();
            for f in archive::backups(&*store)? {
                match f {
                    Found::Complete(m) => complete.push(m),
                    Found::Unfinished(_) => {}
                    Found::Damaged { id, why } => {
                        problems += 1;
                        tell(args, &id, &Inspection { problems: vec![why], ..Inspection::default() })?;
                    }
                }
            }
            complete
        }
    };
    if backups.is_empty() && problems == 0 {
        return Err(CliError::Folder(format!("there is no complete backup in {}", args.archive)));
    }
    say_when_interrupted("not everything was read")?;
    let progress = stderr().is_terminal();
    for m in &backups {
        let mut read = 0;
        let found = archive::inspect(&*store, m, &mut |bytes| {
            read += bytes;
            if progress {
                eprint!("\r{}: {} read ", m.id, size(read));
            }
        })?;
        if progress {
            eprint!("\r\x1b[K");
        }
        problems += found.problems.len();
        tell(args, &m.id, &found)?;
    }
    Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(args: &VerifyArgs, id: &str, found: &Inspection) -> Result<(), CliError> {
    let text = if args.json {
        let object = serde_json::json!({
            "id": id,
            "chunks": found.chunks,
            "pages": found.pages,
            "segments": found.segments,
            "stored_bytes": found.stored_bytes,
            "problems": found.problems,
        });
        format!("{object}\n")
    } else {
        let mut text: String = found.problems.iter().map(|p| format!("{id}: {p}\n")).collect();
        let outcome = match found.problems.len() {
            0 => "no problems found".to_owned(),
            n => format!("{n} problems found"),
        };
        text.push_str(&format!(
            "{id}: {} chunks, {} pages, {} log segments, {}: {outcome}\n",
            found.chunks,
            found.pages,
            found.segments,
            size(found.stored_bytes)
        ));
        text
    };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))
}
