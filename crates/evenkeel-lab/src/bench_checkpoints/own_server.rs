//! Our own server as a process of its own: the very program that users run.
//!
//! Invariants
//! 1. It ends cleanly before its folder is used with other settings; if it does not, that is an error.
//!
//! It must not know what is measured.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::rows::{OUTSIDE_SYNC, Row, System};
use super::temporary::Process;
use super::{Error, io_error};
use evenkeel_client::ConnString;

const NAME: &str = "evenkeel serve";
/// Recovery and opening may take as long.
const START_MAX: Duration = Duration::from_secs(600);
/// The checkpoint at the end may take as long, on a slow disk.
const STOP_MAX: Duration = Duration::from_secs(600);
const WAIT_STEP: Duration = Duration::from_millis(20);
/// Connections besides the clients: monitor, control, and some to spare.
const CONNECTIONS_SPARE: u32 = 20;
/// What a server says at its start is not more.
const BANNER_BYTES_MAX: u64 = 1 << 20;
/// The line of the banner that says how to connect.
const BANNER: &str = "psql -h 127.0.0.1 -p ";

/// A running server.
pub struct OwnServer {
    process: Process,
    to: ConnString,
}

impl OwnServer {
    /// Starts it on this folder and waits until it accepts connections: over a Unix socket in the folder `socket`, or over TCP.
    /// `words` takes what it says.
    pub fn start(
        program: &Path,
        data: &Path,
        row: &Row,
        clients: u32,
        socket: Option<&Path>,
        words: PathBuf,
        stop: &AtomicBool,
    ) -> Result<OwnServer, Error> {
        let mut command = Command::new(program);
        command.args(["serve", "--bound", "--data"]).arg(data);
        let connections = format!("max_connections={}", (clients + CONNECTIONS_SPARE).max(100));
        command.args(["--set", &connections]);
        command.args(row_arguments(row));
        let socket = socket.map_or(String::new(), |folder| folder.display().to_string());
        for setting in ["listen_addresses=127.0.0.1", "port=0", &format!("unix_socket_directories={socket}")]
        {
            command.args(["--set", setting]);
        }
        let mut process = Process::start(command, NAME, words.clone())?;
        let begin = Instant::now();
        let port = loop {
            if let Some(port) = port_of(&beginning(&words)?) {
                break port;
            }
            if let Some(status) = process.ended()? {
                return Err(process.error(format!("did not start, {status}")));
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if begin.elapsed() > START_MAX {
                return Err(process.error("did not start in time"));
            }
            std::thread::sleep(WAIT_STEP);
        };
        let host = if socket.is_empty() { "127.0.0.1".into() } else { socket };
        let to = "port=0 user=postgres dbname=postgres".parse::<ConnString>().map_err(Error::Options)?;
        Ok(OwnServer { process, to: ConnString { host, port, ..to } })
    }

    /// How to connect.
    pub fn to(&self) -> &ConnString {
        &self.to
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends it cleanly (invariant 1).
    pub fn stop(mut self) -> Result<(), Error> {
        if !self.process.end(Signal::TERM, STOP_MAX)? {
            return Err(self.process.error("did not end in time"));
        }
        match self.process.ended()? {
            Some(status) if !status.success() => Err(self.process.error(format!("ended with {status}"))),
            _ => Ok(()),
        }
    }

    /// An error with its last words, if it has died; else the given one.
    pub fn explain(&mut self, error: Error) -> Error {
        match self.process.ended() {
            Ok(Some(status)) => self.process.error(format!("died, {status}")),
            _ => error,
        }
    }
}

/// Preset and settings of a row as arguments.
fn row_arguments(row: &Row) -> Vec<String> {
    let System::Own { preset, settings, .. } = &row.system else { return Vec::new() };
    let preset = preset.iter().flat_map(|p| ["--preset".to_string(), p.clone()]);
    let settings = settings
        .iter()
        .filter(|(n, _)| n != OUTSIDE_SYNC)
        .flat_map(|(n, v)| ["--set".to_string(), format!("{n}={v}")]);
    preset.chain(settings).collect()
}

fn beginning(words: &Path) -> Result<String, Error> {
    let shown = words.display().to_string();
    let file = std::fs::File::open(words).map_err(io_error(&shown))?;
    let mut bytes = Vec::new();
    file.take(BANNER_BYTES_MAX).read_to_end(&mut bytes).map_err(io_error(&shown))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A line that is not complete yet may lack digits.
fn port_of(said: &str) -> Option<u16> {
    let (_, rest) = said.split_once(BANNER)?;
    rest.split_once(' ')?.0.parse().ok()
}

/// All settings that a row runs with, as the program lists them: names, values, defaults. An error tells what it does not accept.
pub fn settings_of(program: &Path, row: &Row) -> Result<Vec<(String, String, String)>, Error> {
    let nowhere = std::env::temp_dir().join(format!("evenkeel-no-database-{}", std::process::id()));
    let mut command = Command::new(program);
    command.args(["settings", "--csv", "--data"]).arg(nowhere).args(row_arguments(row));
    let output = command.output().map_err(io_error(program.display().to_string()))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        let first = why.lines().find(|l| !l.trim().is_empty()).unwrap_or("it failed without a word");
        let lead = ["evenkeel: ", "error: ", "command line: "];
        let first = lead.iter().fold(first, |text, lead| text.trim_start_matches(lead));
        return Err(Error::Options(format!("row \"{}\": {first}", row.label)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let of = |line: &str| {
        let mut fields = csv_fields(line).into_iter();
        Some((fields.next()?, fields.next()?, fields.next()?))
    };
    Ok(text.lines().skip(1).filter_map(of).collect())
}

/// The engine's options for a row without a server.
pub fn engine_options(program: &Path, row: &Row) -> Result<evenkeel::Options, Error> {
    let mut options = evenkeel::Options::default();
    let known: Vec<String> = options.settings().into_iter().map(|s| s.name).collect();
    for (name, value, default) in settings_of(program, row)? {
        if value != default && known.contains(&name) {
            options.set(&name, &value)?;
        }
    }
    Ok(options)
}

/// One line; quotes are doubled within quotes.
fn csv_fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_tells_the_port_once_its_line_is_there() {
        assert_eq!(port_of("evenkeel 0.1 serves x\n\n  psql -h 127.0.0.1 -p 40123 postgres\n"), Some(40123));
        assert_eq!(port_of("  psql -h 127.0.0.1 -p 401"), None);
    }

    #[test]
    fn a_row_becomes_arguments_preset_first() {
        let all = [("a", "1"), (OUTSIDE_SYNC, "5-10"), ("b", "2 x")];
        let settings = all.map(|(n, v)| (n.to_string(), v.to_string())).into();
        let system = System::Own { preset: Some("classic".into()), settings, held_back: false };
        let row = Row { label: "l".into(), system };
        assert_eq!(row.outside_sync(), Some((5.0, 10.0)));
        assert_eq!(row_arguments(&row), ["--preset", "classic", "--set", "a=1", "--set", "b=2 x"]);
    }

    #[test]
    fn listed_settings_are_read() {
        assert_eq!(csv_fields("a,\"1,\"\"2\",,x"), ["a", "1,\"2", "", "x"]);
    }
}
