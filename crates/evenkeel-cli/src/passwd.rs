//! `evenkeel passwd`: a password's verifier for the configuration file.

use std::io::stdin;
use std::process::ExitCode;

use console::Term;
use evenkeel_server::make_verifier;

use crate::{CliError, io_error};

/// Asks for the password, or reads it from standard input, and prints the line for `[users]`.
pub(crate) fn run(user: &str) -> Result<ExitCode, CliError> {
    let password = password(user)?;
    if password.is_empty() {
        return Err(CliError::Folder("the password must not be empty".into()));
    }
    let verifier = make_verifier(&password).map_err(io_error("random generator"))?;
    println!("{} = \"{verifier}\"", toml_key(user));
    Ok(ExitCode::SUCCESS)
}

/// On a terminal it is not shown, and asked for twice.
fn password(user: &str) -> Result<String, CliError> {
    let input = io_error("standard input");
    if !std::io::IsTerminal::is_terminal(&stdin()) {
        let mut line = String::new();
        stdin().read_line(&mut line).map_err(input)?;
        return Ok(line.trim_end_matches(['\n', '\r']).to_owned());
    }
    let terminal = Term::stderr();
    let ask = |prompt: &str| {
        eprint!("{prompt}");
        terminal.read_secure_line()
    };
    let first = ask(&format!("Password for user {user}: ")).map_err(io_error("the terminal"))?;
    let again = ask("The same again: ").map_err(io_error("the terminal"))?;
    if first != again {
        return Err(CliError::Folder("these were two different passwords".into()));
    }
    Ok(first)
}

/// A bare key when it may be one, a quoted one otherwise.
fn toml_key(user: &str) -> String {
    if !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        user.to_string()
    } else {
        toml::Value::String(user.to_string()).to_string()
    }
}
