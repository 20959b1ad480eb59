//! `evenkeel settings`: every setting with its value under a configuration.
//!
//! On a terminal each takes two lines or more, as wide as it is; elsewhere they are a table.
//!
//! It must not know what settings mean.

use std::collections::HashMap;
use std::io::{IsTerminal, Write, stdout};
use std::process::ExitCode;

use console::Term;
use evenkeel::settings::{Context, Shown};
use evenkeel_sql::Configured;
use evenkeel_sql::session::settings::Settings;

use crate::config::Config;
use crate::table::Table;
use crate::{CliError, SettingsArgs, io_error};

/// Prints the server's, the engine's and the sessions' settings.
pub(crate) fn run(args: &SettingsArgs) -> Result<ExitCode, CliError> {
    let config = Config::load(args.config.as_deref(), &args.data, args.preset.as_deref(), &args.set)?;
    if let Some(preset) = config.preset
        && !args.csv
    {
        println!("Preset {}: {}", preset.name, preset.description);
        for (name, value) in preset.settings {
            println!("  {name} = {value}");
        }
        println!();
    }
    let mut rows: Vec<[String; 6]> = Vec::new();
    rows.extend(config.server.rows(None).into_iter().chain(config.engine.settings()).map(row));
    let session = Settings::over("", Configured::new(config.session_defaults.clone()));
    // The configuration's value is a session's default; what is told here is the one without it.
    let own: HashMap<String, String> =
        Settings::new("").rows().into_iter().map(|r| (r.name, r.default)).collect();
    let session = session.rows().into_iter().filter(|r| r.context != Context::Internal).map(|r| {
        let default = own.get(&r.name).cloned().unwrap_or_default();
        Shown { default, ..r }
    });
    rows.extend(session.map(row));
    rows.sort_by(|a, b| a[0].to_lowercase().cmp(&b[0].to_lowercase()));
    let asked = |name: &str| {
        args.names.is_empty() || args.names.iter().any(|part| name.contains(&part.to_lowercase()))
    };
    rows.retain(|r| asked(&r[0].to_lowercase()));
    if rows.is_empty() {
        return Err(CliError::Folder(format!(
            "no setting has \"{}\" in its name",
            args.names.join("\", \"")
        )));
    }

    let mut out = stdout().lock();
    if stdout().is_terminal() && !args.csv {
        let columns = usize::from(Term::stdout().size().1);
        return rows
            .iter()
            .try_for_each(|r| out.write_all(entry(r, columns).as_bytes()))
            .map_err(io_error("standard output"))
            .map(|()| ExitCode::SUCCESS);
    }
    let table = Table {
        headings: ["setting", "value", "default", "unit", "change by", "description"]
            .map(String::from)
            .to_vec(),
        right: vec![false; 6],
        rows: rows.into_iter().map(|r| r.map(Some).to_vec()).collect(),
    };
    let written =
        if args.csv { table.write_csv(&mut out, false) } else { table.write_aligned(&mut out, false) };
    written.map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn row(r: Shown) -> [String; 6] {
    let change = match r.context {
        Context::Internal => "",
        Context::Postmaster => "restart",
        Context::Sighup => "reload",
        Context::Superuser => "SET, as a superuser",
        Context::User => "SET",
    };
    [r.name, r.value, r.default, r.unit.unwrap_or_default().into(), change.into(), r.description]
}

const INDENT: usize = 4;

/// A setting, for a terminal of so many columns.
fn entry([name, value, default, unit, change, description]: &[String; 6], columns: usize) -> String {
    let mut notes = Vec::new();
    if value != default {
        notes.push(format!("default {}", shown(default)));
    }
    if !unit.is_empty() {
        notes.push(format!("unit {unit}"));
    }
    notes.push(format!("by {change}"));
    let mut text = format!("{name} = {}  ({})\n", shown(value), notes.join(", "));
    for line in wrapped(description, columns.clamp(40, 100) - INDENT) {
        text.push_str(&format!("{:INDENT$}{line}\n", ""));
    }
    text
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "''" } else { value }
}

/// Lines of at most so many columns, but for longer words.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("one was begun");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_as_wide_as_the_terminal() {
        let of = |value: &str| {
            let description = "Words enough to need more than a single line of the terminal.";
            ["name", value, "3", "ms", "reload", description].map(String::from)
        };
        let expected = "name = 4  (default 3, unit ms, by reload)\n    Words enough to need more than a\n    single line of the terminal.\n";
        assert_eq!(entry(&of("4"), 40), expected);
        assert!(entry(&of("3"), 80).starts_with("name = 3  (unit ms, by reload)\n"));
        assert!(entry(&of(""), 80).starts_with("name = ''  (default 3"));
    }
}
