//! `evenkeel settings`: every setting with its value under a configuration.
//!
//! It must not know what settings mean.

use std::io::stdout;
use std::process::ExitCode;

use evenkeel_sql::SettingRow;
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
    for r in config.server.rows(None) {
        let change = if r.context == "postmaster" { "restart" } else { "reload" };
        rows.push(row(r, change));
    }
    for s in config.engine.settings() {
        let change = if s.changeable_at_run_time { "reload" } else { "restart" };
        rows.push([s.name, s.value, s.default, s.unit, change.into(), s.description]);
    }
    let mut session = Settings::new("", "");
    for (name, value) in &config.session_defaults {
        session.set_default(name, value).map_err(|e| config.error(name, &e.message))?;
    }
    rows.extend(session.rows().into_iter().filter(|r| r.context != "internal").map(|r| row(r, "SET")));
    rows.sort_by(|a, b| a[0].to_lowercase().cmp(&b[0].to_lowercase()));

    let table = Table {
        headings: ["setting", "value", "default", "unit", "change by", "description"]
            .map(String::from)
            .to_vec(),
        right: vec![false; 6],
        rows: rows.into_iter().map(|r| r.map(Some).to_vec()).collect(),
    };
    let mut out = stdout().lock();
    let written =
        if args.csv { table.write_csv(&mut out, false) } else { table.write_aligned(&mut out, false) };
    written.map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn row(r: SettingRow, change: &str) -> [String; 6] {
    [r.name, r.value, r.default, r.unit.unwrap_or_default(), change.into(), r.description]
}
