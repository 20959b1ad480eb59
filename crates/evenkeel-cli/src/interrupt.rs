//! What Ctrl-C says in commands that have nothing to finish.
//!
//! It must not know what they do.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{CliError, io_error};

/// From now on a signal ends the process, which says `what` that leaves behind. Exit code: 128 and the signal's number, as in a shell.
pub(crate) fn say_when_interrupted(what: impl Into<String>) -> Result<(), CliError> {
    let what = what.into();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(io_error("signals"))?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            // Behind whatever a progress bar has left in the line.
            eprintln!("\nevenkeel: interrupted: {what}");
            std::process::exit(128 + signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(io_error("signals"))?;
    Ok(())
}
