//! `evenkeel settings`: every setting with its default.

use std::io::stdout;
use std::process::ExitCode;

use evenkeel_server::settings::TABLE;
use evenkeel_sql::session::settings::Settings;

use crate::table::Table;
use crate::{CliError, io_error};

/// Prints the server's settings and the sessions'.
pub(crate) fn run() -> Result<ExitCode, CliError> {
    let mut table = Table {
        headings: ["setting", "default", "when changed", "description"].map(String::from).to_vec(),
        right: vec![false; 4],
        rows: Vec::new(),
    };
    let when = |run_time: bool| if run_time { "reload" } else { "restart" };
    for d in TABLE {
        let row = [d.name, d.default, when(d.changeable_at_run_time), d.description];
        table.rows.push(row.map(|s| Some(s.to_string())).to_vec());
    }
    for row in Settings::new("", "").rows().into_iter().filter(|r| r.context != "internal") {
        let row = [row.name, row.default, "SET".to_string(), row.description];
        table.rows.push(row.map(Some).to_vec());
    }
    table.write_aligned(&mut stdout().lock(), false).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}
