//! A server to attack: `evenkeel serve` on a folder of its own, which ends and vanishes when it is dropped.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long it may take until it listens.
const START_LIMIT: Duration = Duration::from_secs(30);

/// A server that runs.
pub struct Served {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    folder: PathBuf,
}

impl Served {
    /// Starts a program on a new folder.
    pub fn start(binary: &Path, settings: &[String]) -> Result<Served, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("evenkeel-hostile-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let folder = std::env::temp_dir().join(name);
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let log = std::fs::File::create(folder.join("log")).map_err(failed)?;
        let mut command = Command::new(binary);
        command.arg("serve").arg("--data").arg(folder.join("data"));
        let ours = ["port=0", "unix_socket_directories=", "fsync=off"];
        for s in ours.into_iter().chain(settings.iter().map(String::as_str)) {
            command.args(["--set", s]);
        }
        let out = log.try_clone().map_err(failed)?;
        let child = command.stdin(Stdio::null()).stdout(out).stderr(log).spawn().map_err(failed)?;
        let mut served = Served { child, address: SocketAddr::from(([127, 0, 0, 1], 0)), folder };
        let end = Instant::now() + START_LIMIT;
        while Instant::now() < end && served.is_alive() {
            if let Some(address) = served.listening() {
                served.address = address;
                return Ok(served);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("the server does not listen: {}", served.log()))
    }

    fn listening(&self) -> Option<SocketAddr> {
        // The banner comes when the server accepts.
        let port = self.log().lines().find_map(|line| {
            line.trim().strip_prefix("psql -h 127.0.0.1 -p ")?.split(' ').next()?.parse::<u16>().ok()
        })?;
        Some(SocketAddr::from(([127, 0, 0, 1], port)))
    }

    /// What it said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Whether it runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The most memory that was resident at any time.
    pub fn resident_bytes_max(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    /// Memory that is resident now.
    pub fn resident_bytes(&self) -> u64 {
        self.status_bytes("VmRSS:")
    }

    /// What its threads have computed so far. (A thread that has ended is no longer counted.)
    pub fn computed(&self) -> Duration {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let ns = |thread: std::fs::DirEntry| -> Option<u64> {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse().ok()
        };
        Duration::from_nanos(threads.into_iter().flatten().flatten().filter_map(ns).sum())
    }

    fn status_bytes(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|l| l.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) << 10
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
