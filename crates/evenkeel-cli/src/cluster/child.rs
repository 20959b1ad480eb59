//! The server as the agent's child, and what is run beside it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::agent::{Heard, Task};
use crate::control::{Order, Word};
use crate::{CliError, ServeArgs, io_error};

/// A clean end that takes longer is cut short.
pub(super) const STOP_MAX: Duration = Duration::from_secs(120);

/// How long a killed one is waited for.
const KILL_MAX: Duration = Duration::from_secs(1);

/// A server. Dropped, it is killed.
pub(super) struct Server {
    child: Child,
    orders: ChildStdin,
    /// Which one: words of earlier ones are late.
    pub number: u64,
    /// It was begun as one that leads, or was told to take over.
    pub leads: bool,
}

fn itself() -> Result<Command, CliError> {
    Ok(Command::new(std::env::current_exe().map_err(io_error("this program"))?))
}

/// The agent's own arguments, but for what makes it one.
fn arguments(args: &ServeArgs) -> Vec<String> {
    let mut list: Vec<String> = vec!["serve".into(), "--data".into(), args.data.display().to_string()];
    for listen in &args.listen {
        list.extend(["--listen".into(), listen.clone()]);
    }
    if let Some(address) = &args.metrics_listen {
        list.extend(["--metrics-listen".into(), address.clone()]);
    }
    if let Some(config) = &args.config {
        list.extend(["--config".into(), config.display().to_string()]);
    }
    if let Some(preset) = &args.preset {
        list.extend(["--preset".into(), preset.clone()]);
    }
    for set in &args.set {
        list.extend(["--set".into(), set.clone()]);
    }
    let level = format!("{:?}", args.log_level).to_lowercase();
    list.extend(["--log-level".into(), level, "--member".into()]);
    list
}

impl Server {
    /// Starts a server, as a standby that has promised this epoch, or `as_leader` of an epoch, asking these. `heard` is told its words, and its end.
    pub fn start(
        args: &ServeArgs,
        number: u64,
        promised: u64,
        as_leader: Option<(u64, &str)>,
        heard: &Sender<Heard>,
    ) -> Result<Server, CliError> {
        let mut command = itself()?;
        command.args(arguments(args)).args(["--promised", &promised.to_string()]);
        if let Some((epoch, synchronous)) = as_leader {
            command.args(["--epoch", &epoch.to_string(), "--synchronous", synchronous]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(io_error("starting the server"))?;
        let orders = child.stdin.take().expect("it is a pipe");
        let words = child.stdout.take().expect("it is a pipe");
        let heard = heard.clone();
        let listen = move || {
            for line in BufReader::new(words).lines().map_while(Result::ok) {
                match serde_json::from_str::<Word>(&line) {
                    Ok(word) => _ = heard.send(Heard::Word(number, word)),
                    Err(_) => println!("{line}"),
                }
            }
            let _ = heard.send(Heard::ServerEnded(number));
        };
        std::thread::Builder::new().name("words".into()).spawn(listen).map_err(io_error("a thread"))?;
        Ok(Server { child, orders, number, leads: as_leader.is_some() })
    }

    /// Gives an order. One that does not reach it is of no use to it any more.
    pub fn order(&mut self, order: &Order) {
        let line = serde_json::to_string(order).expect("numbers and strings");
        let _ = writeln!(self.orders, "{line}").and_then(|()| self.orders.flush());
    }

    /// Asks it to end, with all that is due.
    pub fn ask_to_end(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }

    /// Whether it has.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// The same signal that the agent got.
    pub fn reload(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::HUP);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let until = Instant::now() + KILL_MAX;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= until {
                // It is within a disk that does not answer. It comes back from there no more, and tells nobody anything: others may lead meanwhile.
                let pid = Pid::from_child(&self.child);
                let reap = move || _ = waitpid(Some(pid), WaitOptions::empty());
                let _ = std::thread::Builder::new().name("reaper".into()).spawn(reap);
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Runs this program with other arguments, beside; `heard` is told what it came to.
pub(super) fn run_beside(task: Task, arguments: Vec<String>, heard: &Sender<Heard>) -> Result<Pid, CliError> {
    let mut command = itself()?;
    let child = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().map_err(io_error("starting a command"))?;
    let pid = Pid::from_child(&child);
    let heard = heard.clone();
    let wait = move || {
        let done = child.wait_with_output();
        let result = match done {
            Ok(output) if ExitStatus::success(&output.status) => {
                Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
            }
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(e) => Err(e.to_string()),
        };
        let _ = heard.send(Heard::Done(task, result));
    };
    std::thread::Builder::new().name("task".into()).spawn(wait).map_err(io_error("a thread"))?;
    Ok(pid)
}
