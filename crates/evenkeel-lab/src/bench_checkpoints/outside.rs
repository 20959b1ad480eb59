//! What is done to a system from outside while or before it is measured: sync() now and then (S13), and a command of the user's before a foreign row.
//!
//! It must not know what is measured.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Error, io_error};

/// The end is noticed within this.
const SLEEP_MAX: Duration = Duration::from_millis(50);

/// Calls sync() until `ended` is set, so many seconds apart, at least and at most. Gives what it did, in words.
pub fn sync_now_and_then(between: (f64, f64), ended: &AtomicBool) -> String {
    let mut rng = fastrand::Rng::new();
    let mut pause = || Duration::from_secs_f64(between.0 + rng.f64() * (between.1 - between.0));
    let (mut next, mut times, mut longest) = (Instant::now() + pause(), 0_u64, Duration::ZERO);
    while !ended.load(Ordering::Relaxed) {
        let now = Instant::now();
        if now < next {
            std::thread::sleep((next - now).min(SLEEP_MAX));
            continue;
        }
        rustix::fs::sync();
        times += 1;
        longest = longest.max(now.elapsed());
        next = Instant::now() + pause();
    }
    format!("called {times} times from outside, {:.0} ms at most", longest.as_secs_f64() * 1e3)
}

/// Runs a shell command; an error tells the end of what it said. Blocks.
pub fn shell(command: &str) -> Result<(), Error> {
    let mut sh = Command::new("sh");
    let output = sh.args(["-c", command]).stdin(Stdio::null()).output().map_err(io_error("sh"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it said nothing");
    Err(Error::Child { program: command.into(), why: format!("{}: {last}", output.status) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_told_with_its_last_words() {
        assert!(shell("true").is_ok());
        let e = shell("echo begun; echo no such server >&2; exit 3").unwrap_err().to_string();
        assert!(e.contains("exit status: 3: no such server"), "{e}");
    }

    #[test]
    fn sync_is_called_until_the_end() {
        let ended = AtomicBool::new(false);
        let said = std::thread::scope(|scope| {
            let syncs = scope.spawn(|| sync_now_and_then((60.0, 60.0), &ended));
            std::thread::sleep(Duration::from_millis(10));
            ended.store(true, Ordering::Relaxed);
            syncs.join().unwrap()
        });
        assert!(said.starts_with("called 0 times"), "{said}");
    }
}
