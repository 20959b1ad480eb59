//! `evenkeel passwd`: a password's verifier for the configuration file.

use std::io::{IsTerminal, stderr, stdin};
use std::process::ExitCode;

use evenkeel_server::make_verifier;

use crate::{CliError, io_error};

/// Reads the password from standard input and prints the line for `[users]`.
pub(crate) fn run(user: &str) -> Result<ExitCode, CliError> {
    if stdin().is_terminal() && stderr().is_terminal() {
        eprint!("Password for user {user} (it will be seen): ");
    }
    let mut line = String::new();
    stdin().read_line(&mut line).map_err(io_error("standard input"))?;
    let password = line.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(CliError::Folder("the password must not be empty".into()));
    }
    let verifier = make_verifier(password).map_err(io_error("random generator"))?;
    println!("{} = \"{verifier}\"", toml_key(user));
    Ok(ExitCode::SUCCESS)
}

/// A bare key when it may be one, a quoted one otherwise.
fn toml_key(user: &str) -> String {
    if !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        user.to_string()
    } else {
        toml::Value::String(user.to_string()).to_string()
    }
}
