//! Three nodes of a real etcd.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::group::Group;
use crate::clients::{apt, there};

pub(super) const NODES: usize = 3;

/// Installs etcd where Debian's package can do it.
pub(super) fn ensure() -> Result<(), String> {
    if there("etcd") {
        return Ok(());
    }
    println!("installing etcd (Debian package etcd-server)");
    let hint = "this test needs etcd on the PATH: install it (Debian: apt-get install etcd-server)";
    apt(&["update", "-qq"])
        .and_then(|()| apt(&["install", "-y", "-qq", "--no-install-recommends", "etcd-server"]))
        .map_err(|e| format!("{hint}\n{e}"))?;
    if there("etcd") { Ok(()) } else { Err(hint.into()) }
}

/// Where a node listens: to clients, and to the others.
#[derive(Clone)]
pub(super) struct At {
    pub clients: String,
    pub peers: String,
}

pub(super) struct Store {
    folder: PathBuf,
    pub at: [At; NODES],
    nodes: [Option<Group>; NODES],
}

impl Store {
    /// Its data is on a memory disk, where there is one: this is about our disk and not about etcd's.
    pub fn new(folder: &Path, at: [At; NODES]) -> Store {
        let name = folder.file_name().unwrap_or_default();
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.join(name) } else { folder.join("etcd") };
        Store { folder, at, nodes: [None, None, None] }
    }

    /// Starts a node; the command is `etcd`, wherever it is to run.
    pub fn start(&mut self, n: usize, mut command: Command) -> Result<(), String> {
        std::fs::create_dir_all(&self.folder).map_err(|e| e.to_string())?;
        let (clients, peers) =
            (format!("http://{}", self.at[n].clients), format!("http://{}", self.at[n].peers));
        let all: Vec<String> =
            self.at.iter().enumerate().map(|(n, at)| format!("e{n}=http://{}", at.peers)).collect();
        command.args(["--name", &format!("e{n}"), "--initial-cluster", &all.join(",")]);
        command.args(["--data-dir", &self.folder.join(format!("e{n}")).display().to_string()]);
        command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
        command.args(["--listen-peer-urls", &peers, "--initial-advertise-peer-urls", &peers]);
        self.nodes[n] = Some(Group::start(&mut command, &self.folder.join(format!("e{n}.log")))?);
        Ok(())
    }

    /// kill -9.
    pub fn kill(&mut self, n: usize) {
        self.nodes[n] = None;
    }

    /// As the members name it.
    pub fn url(&self) -> String {
        let all: Vec<&str> = self.at.iter().map(|at| &*at.clients).collect();
        format!("etcd://{}/test", all.join(","))
    }

    /// Which node leads.
    pub fn leader(&self) -> Option<usize> {
        (0..NODES).find(|n| self.leads(*n).unwrap_or(false))
    }

    fn leads(&self, n: usize) -> Option<bool> {
        let at: SocketAddr = self.at[n].clients.parse().ok()?;
        let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(1)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
        let request = format!(
            "POST /v3/maintenance/status HTTP/1.1\r\nhost: {at}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (from, to) = (answer.find('{')?, answer.rfind('}')?);
        let value: serde_json::Value = serde_json::from_str(answer.get(from..=to)?).ok()?;
        Some(value["leader"].as_str()? == value["header"]["member_id"].as_str()?)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.nodes = [None, None, None];
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
