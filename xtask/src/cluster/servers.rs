//! The members and their etcd: how they are started, what they say of themselves, and whether all is well in the end.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Options;
use super::disk::Disk;
use super::group::Group;
use super::load::{PATIENCE, Told, leading};
use super::net::Network;
use super::store::{At, NODES, Store};
use super::troubles::Trouble;
use crate::pairs::wire::{Client, Place};

pub(super) const NAMES: [&str; 3] = ["a", "b", "c"];
pub(super) const MEMBERS: usize = NAMES.len();
/// Whatever takes longer has failed.
pub(super) const LONG: Duration = Duration::from_secs(90);
/// How members log in to each other where that takes a password: on addresses of a network.
const LOGIN: &str = "user=member password=anchor";

pub(super) struct Cluster<'o> {
    pub o: &'o Options,
    program: PathBuf,
    pub folder: PathBuf,
    /// Clients come by sockets, which links that are cut do not concern.
    pub places: [Place; 3],
    listen: [String; 3],
    pub servers: [Option<Group>; 3],
    pub store: Store,
    pub told: Arc<Told>,
    disks: Vec<Disk>,
    /// Members are its first machines, then come the nodes of etcd.
    pub network: Option<Network>,
    pub cuts_done: usize,
    pub powers_done: u32,
}

fn free_address() -> Result<String, String> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    free.map(|a| a.to_string()).map_err(|e| e.to_string())
}

/// What takes root, if it is there.
fn if_possible<T>(is_asked: bool, what: &str, make: impl FnOnce() -> Result<T, String>) -> Option<T> {
    let made = is_asked.then(make)?;
    made.inspect_err(|e| println!("cluster: {what} (that takes root, and Linux): {e}")).ok()
}

impl<'o> Cluster<'o> {
    pub fn new(o: &'o Options, program: PathBuf, folder: PathBuf) -> Result<Cluster<'o>, String> {
        let network =
            if_possible(o.times(Trouble::Cut) > 0, "no links are cut", || Network::new(MEMBERS + NODES));
        let disks = if_possible(
            o.times(Trouble::Full) + o.times(Trouble::Hang) > 0,
            "no disk is filled or hangs",
            || NAMES.iter().map(|name| Disk::new(&folder, name)).collect::<Result<Vec<_>, _>>(),
        );
        let address = |machine: usize, port: u16| match &network {
            Some(network) => Ok(format!("{}:{port}", network.address(machine))),
            None => free_address(),
        };
        let mut at = Vec::new();
        for n in MEMBERS..MEMBERS + NODES {
            at.push(At { clients: address(n, 2379)?, peers: address(n, 2380)? });
        }
        let listen = [address(0, 5433)?, address(1, 5433)?, address(2, 5433)?];
        let place = |n: usize| {
            let port = listen[n].rsplit(':').next().and_then(|p| p.parse().ok()).unwrap_or(0);
            let host = folder.join(format!("{}.socket", NAMES[n])).display().to_string();
            Place { host, port, user: "postgres".into(), database: "postgres".into() }
        };
        Ok(Cluster {
            o,
            program,
            places: [place(0), place(1), place(2)],
            listen,
            servers: [None, None, None],
            store: Store::new(&folder, at.try_into().map_err(|_| "three nodes")?),
            told: Arc::new(Told::new()),
            disks: disks.unwrap_or_default(),
            network,
            folder,
            cuts_done: 0,
            powers_done: 0,
        })
    }

    /// Whether that can be done here.
    pub fn can(&self, what: Trouble) -> bool {
        match what {
            Trouble::Cut => self.network.is_some(),
            Trouble::Full | Trouble::Hang => !self.disks.is_empty(),
            _ => true,
        }
    }

    pub fn disk(&self, n: usize) -> &Disk {
        &self.disks[n]
    }

    fn data(&self, n: usize) -> PathBuf {
        let power = &self.o.power.data;
        let on = if power.as_os_str().is_empty() { &self.folder } else { power };
        self.disks.get(n).map_or(on, |disk| &disk.at).join(NAMES[n])
    }

    fn command(&self, machine: usize, program: &str) -> Command {
        match &self.network {
            Some(network) => network.command(machine, program),
            None => Command::new(program),
        }
    }

    pub fn start_store(&mut self, n: usize) -> Result<(), String> {
        let command = self.command(MEMBERS + n, "etcd");
        self.store.start(n, command)
    }

    pub fn log(&self, n: usize) -> PathBuf {
        self.folder.join(format!("{}.log", NAMES[n]))
    }

    pub fn start(&mut self, n: usize) -> Result<(), String> {
        let mut command = self.command(n, &self.program.display().to_string());
        command.args(["serve", "--data", &self.data(n).display().to_string(), "--name", NAMES[n]]);
        command.args(["--config", &self.folder.join("cluster.toml").display().to_string()]);
        command.args(["--listen", &self.listen[n], "--member-login", LOGIN]);
        command.args(["--cluster", &self.store.url(), "--lease", &self.o.lease.to_string()]);
        let sockets = format!("unix_socket_directories={}", self.places[n].host);
        command.args(["--set", "shared_buffers=32MB", "--set", &sockets]);
        command.args(["--set", "max_wal_size=128MB", "--set", "max_slot_wal_keep_size=256MB"]); // disks are small
        self.servers[n] = Some(Group::start(&mut command, &self.log(n))?);
        Ok(())
    }

    /// The users' verifiers, as an operator makes them.
    fn configure(&self) -> Result<(), String> {
        let mut passwd = Command::new(&self.program);
        passwd.args(["passwd", "member"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = passwd.spawn().map_err(|e| e.to_string())?;
        let mut stdin = child.stdin.take().ok_or("a pipe")?;
        stdin.write_all(b"anchor\n").map_err(|e| e.to_string())?;
        drop(stdin);
        let done = child.wait_with_output().map_err(|e| e.to_string())?;
        let text = format!("[users]\n{}", String::from_utf8_lossy(&done.stdout));
        std::fs::write(self.folder.join("cluster.toml"), text).map_err(|e| e.to_string())?;
        for place in &self.places {
            std::fs::create_dir_all(&place.host).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// From nothing to three that follow each other, and a table for facts.
    pub fn found(&mut self) -> Result<(), String> {
        self.configure()?;
        for n in 0..NODES {
            self.start_store(n)?;
        }
        self.start(0)?;
        let first = self.leader()?;
        for n in 1..MEMBERS {
            self.start(n)?;
        }
        self.all_follow()?;
        let place = &self.places[first];
        let mut c = self.wait("a session", || Client::connect_within(place, PATIENCE).ok())?;
        let made = c.query("CREATE TABLE f (id bigint PRIMARY KEY, v text); CREATE TABLE big (v text)")?;
        made.error.map_or(Ok(()), |(_, e)| Err(e))
    }

    /// Each member's role and state; nothing if the store does not answer.
    fn status(&self) -> Vec<(usize, String, String)> {
        let url = self.store.url();
        let done = Command::new(&self.program).args(["cluster", "status", &url, "--json"]).output();
        let text = done.map(|d| String::from_utf8_lossy(&d.stdout).into_owned()).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let text = |v: &serde_json::Value, key: &str| v[key].as_str().unwrap_or_default().to_owned();
        let members = value["members"].as_array().cloned().unwrap_or_default();
        let of = |v: &serde_json::Value| {
            let n = NAMES.iter().position(|name| *name == text(v, "name"))?;
            Some((n, text(v, "role"), text(v, "state")))
        };
        members.iter().filter_map(of).collect()
    }

    pub fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> Result<T, String> {
        let began = Instant::now();
        loop {
            if let Some(found) = look() {
                return Ok(found);
            }
            if began.elapsed() > LONG {
                return Err(format!("{what}: not within {} s; {:?}", LONG.as_secs(), self.status()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Who leads.
    pub fn leader(&self) -> Result<usize, String> {
        let leads = |s: &(usize, String, String)| s.1 == "leader" && s.2 == "leads";
        self.wait("a leader", || self.status().into_iter().find(leads).map(|s| s.0))
    }

    /// Whether this one follows the leader.
    pub fn follows(&self, n: usize) -> bool {
        self.status().iter().any(|s| s.0 == n && s.1 == "standby" && s.2.starts_with("follows"))
    }

    /// Waits until all but the leader do.
    pub fn all_follow(&self) -> Result<(), String> {
        self.wait("two that follow", || {
            let follows = |s: &&(usize, String, String)| s.1 == "standby" && s.2.starts_with("follows");
            (self.status().iter().filter(follows).count() == MEMBERS - 1).then_some(())
        })
    }

    /// All that was told is there. Gives how many facts that are.
    pub fn check(&self) -> Result<usize, String> {
        let told = self.told.facts();
        let rows = self.wait("a leader that can be read", || {
            self.places.iter().find_map(|place| {
                let answer = leading(place)?.query("SELECT id FROM f").ok()?;
                answer.error.is_none().then_some(answer.rows)
            })
        })?;
        let there: HashSet<u64> = rows.iter().filter_map(|r| r.parse().ok()).collect();
        let lost: Vec<&u64> = told.iter().filter(|id| !there.contains(id)).take(10).collect();
        if lost.is_empty() { Ok(told.len()) } else { Err(format!("told, and lost: {lost:?} …")) }
    }

    /// All have the same, and the verifier finds nothing.
    pub fn judge(&mut self) -> Result<(), String> {
        self.all_follow()?;
        self.check()?;
        let sum = |place: &Place| {
            let mut c = Client::connect_within(place, PATIENCE).ok()?;
            c.query("SELECT count(*), sum(id) FROM f").ok().map(|a| a.rows)
        };
        self.wait("the same on all", || {
            let sums: Vec<_> = self.places.iter().map(sum).collect();
            (sums[0].is_some() && sums.iter().all(|s| *s == sums[0])).then_some(())
        })?;
        // One after the other: as long as two are there, one of them leads.
        for server in &mut self.servers {
            server.take().ok_or("it runs")?.stop()?;
        }
        for (n, name) in NAMES.iter().enumerate() {
            let data = self.data(n);
            let _ = std::fs::remove_file(data.join("cluster"));
            let of = |words: &[&str]| {
                let mut command = Command::new(&self.program);
                command.args(words).arg(&data).output().map_err(|e| e.to_string())
            };
            of(&["promote", "--data"])?;
            let checked = of(&["check"])?;
            if !checked.status.success() {
                return Err(format!("check of {name}: {}", String::from_utf8_lossy(&checked.stdout)));
            }
        }
        Ok(())
    }
}
