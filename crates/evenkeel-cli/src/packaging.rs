//! What packages and service managers want of a program: completions for shells, manual pages, and whether a server is ready.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::way_in::{connect, refused};
use crate::{Cli, CliError, io_error};

pub(crate) const COMPLETIONS_EXAMPLES: &str = "Examples:
  evenkeel completions bash > /etc/bash_completion.d/evenkeel
  evenkeel completions zsh > ~/.zfunc/_evenkeel
  evenkeel completions fish > ~/.config/fish/completions/evenkeel.fish";

pub(crate) const MAN_EXAMPLES: &str = "Examples:
  evenkeel man /usr/local/share/man/man1
  man evenkeel-serve";

pub(crate) const READY_EXAMPLES: &str = "Asks the server by its socket in the database's folder, as the folder's owner, whatever addresses it listens on.

Examples:
  evenkeel ready --data /srv/db
  until evenkeel ready --data /srv/db --quiet; do sleep 1; done

Exit code, as of pg_isready: 0 when it answers; 1 when it refuses, as a standby that cannot be read yet; 2 when nobody answers.";

/// For which shell.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Where to.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for the pages, which is made if it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Whose server.
#[derive(Debug, Args)]
pub(crate) struct ReadyArgs {
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// Prints a script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "evenkeel", &mut script);
    stdout().write_all(&script).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a page for each command.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    std::fs::create_dir_all(&args.folder).map_err(io_error(args.folder.display().to_string()))?;
    clap_mangen::generate_to(Cli::command(), &args.folder)
        .map_err(io_error(args.folder.display().to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks the server.
pub(crate) fn ready(args: &ReadyArgs) -> Result<ExitCode, CliError> {
    let answer = connect(&args.data, "evenkeel ready").and_then(|server| match server {
        Some(mut server) => server.value("SELECT 1").map_err(refused).map(|_| true),
        None => Ok(false),
    });
    let (code, told) = match answer {
        Ok(true) => (0, "it answers".to_owned()),
        Ok(false) => (2, "nobody answers".to_owned()),
        Err(e) => (1, e.to_string()),
    };
    if !args.quiet {
        writeln!(stdout(), "{}: {told}", args.data.display()).map_err(io_error("standard output"))?;
    }
    Ok(ExitCode::from(code))
}
