//! Three servers that elect who leads, with a real etcd, under load: leaders and standbys are killed, leaders freeze and wake up, etcd goes and comes back. Whatever any client was told, by whomever, is
//! there afterwards; nobody who was replaced shows what is no longer so; in the end all three have the same.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::args;
use crate::clients::{apt, build, there};
use crate::pairs::wire::{Client, Place};

const NAMES: [&str; 3] = ["a", "b", "c"];
const WRITERS: usize = 4;
/// Whoever does not answer for so long is left.
const PATIENCE: Duration = Duration::from_secs(2);
/// Whatever takes longer has failed.
const LONG: Duration = Duration::from_secs(90);

/// What to do to them.
pub struct Options {
    kills: u32,
    standbys: u32,
    freezes: u32,
    stores: u32,
    lease: u32,
    seed: u64,
    release: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { kills: 3, standbys: 1, freezes: 1, stores: 1, lease: 3, seed: 1, release: false }
    }
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--kills" => o.kills = value.number()?,
                "--standbys" => o.standbys = value.number()?,
                "--freezes" => o.freezes = value.number()?,
                "--stores" => o.stores = value.number()?,
                "--lease" => o.lease = value.number()?,
                "--seed" => o.seed = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

#[derive(Clone, Copy, Debug)]
enum Trouble {
    Kill,
    Standby,
    Freeze,
    Store,
}

/// A process with its children, in a group of their own; killed when dropped.
struct Group(Child);

impl Group {
    fn start(command: &mut Command, log: &Path) -> Result<Group, String> {
        use std::os::unix::process::CommandExt;
        let file = File::options().create(true).append(true).open(log).map_err(|e| e.to_string())?;
        let again = file.try_clone().map_err(|e| e.to_string())?;
        command.stdin(Stdio::null()).stdout(file).stderr(again).process_group(0);
        command.spawn().map(Group).map_err(|e| format!("{command:?}: {e}"))
    }

    fn signal(&self, name: &str) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args([&format!("-{name}"), "--", &group]).stderr(Stdio::null()).status();
    }

    fn kill(&mut self) {
        self.signal("KILL");
        let _ = self.0.wait();
    }

    /// SIGTERM to the agent alone, and wait for a clean end.
    fn stop(mut self) -> Result<(), String> {
        crate::run(Command::new("kill").args(["-TERM", &self.0.id().to_string()]))?;
        let status = self.0.wait().map_err(|e| e.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What clients were told, by anybody.
#[derive(Default)]
struct Told {
    facts: Mutex<HashSet<u64>>,
    /// Facts that were told on connections begun since this was last set to zero.
    since: AtomicU64,
    /// When connections count for that: they have a number of their own.
    from: AtomicU64,
    connections: AtomicU64,
    next: AtomicU64,
    stop: AtomicBool,
}

struct Cluster<'o> {
    o: &'o Options,
    program: PathBuf,
    folder: PathBuf,
    ports: [u16; 3],
    store_port: u16,
    store: Option<Group>,
    servers: [Option<Group>; 3],
    told: Arc<Told>,
}

fn free_port() -> Result<u16, String> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    free.map(|a| a.port()).map_err(|e| e.to_string())
}

/// Installs etcd where Debian's package can do it.
fn ensure_etcd() -> Result<(), String> {
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

/// Runs everything.
pub fn run(o: &Options) -> Result<(), String> {
    ensure_etcd()?;
    let program = build(o.release)?;
    let folder = std::env::temp_dir().join(format!("evenkeel-cluster-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let ports = [free_port()?, free_port()?, free_port()?];
    let mut cluster = Cluster {
        o,
        program,
        folder: folder.clone(),
        ports,
        store_port: free_port()?,
        store: None,
        servers: [None, None, None],
        told: Arc::default(),
    };
    let done = cluster.run();
    cluster.told.stop.store(true, Ordering::SeqCst);
    drop(cluster);
    match &done {
        Ok(()) => _ = std::fs::remove_dir_all(&folder),
        Err(_) => println!("what they said is in {}", folder.display()),
    }
    done
}

impl Cluster<'_> {
    fn url(&self) -> String {
        format!("etcd://127.0.0.1:{}/test", self.store_port)
    }

    fn start_store(&mut self) -> Result<(), String> {
        let (url, peer) = (format!("http://127.0.0.1:{}", self.store_port), "http://127.0.0.1:0");
        let mut command = Command::new("etcd");
        command.args(["--data-dir", &self.folder.join("etcd").display().to_string()]);
        command.args([
            "--listen-client-urls",
            &url,
            "--advertise-client-urls",
            &url,
            "--listen-peer-urls",
            peer,
        ]);
        self.store = Some(Group::start(&mut command, &self.folder.join("etcd.log"))?);
        Ok(())
    }

    fn start(&mut self, n: usize) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        let listen = format!("127.0.0.1:{}", self.ports[n]);
        command.args(["serve", "--data", &self.folder.join(NAMES[n]).display().to_string()]);
        command.args(["--listen", &listen, "--cluster", &self.url(), "--lease", &self.o.lease.to_string()]);
        command.args(["--set", "shared_buffers=32MB", "--set", "unix_socket_directories="]);
        let log = self.folder.join(format!("{}.log", NAMES[n]));
        self.servers[n] = Some(Group::start(&mut command, &log)?);
        Ok(())
    }

    /// Each member's role and state; nothing if the store does not answer.
    fn status(&self) -> Vec<(usize, String, String)> {
        let done = Command::new(&self.program).args(["cluster", "status", &self.url(), "--json"]).output();
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

    fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> Result<T, String> {
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

    fn leader(&self) -> Result<usize, String> {
        self.wait("a leader", || {
            self.status()
                .into_iter()
                .find(|(_, role, state)| role == "leader" && state == "leads")
                .map(|s| s.0)
        })
    }

    fn all_follow(&self) -> Result<(), String> {
        self.wait("two that follow", || {
            let follows = |s: &&(usize, String, String)| s.1 == "standby" && s.2.starts_with("follows");
            (self.status().iter().filter(follows).count() == 2).then_some(())
        })
    }

    fn place(&self, n: usize) -> Place {
        place(self.ports[n])
    }

    fn run(&mut self) -> Result<(), String> {
        self.start_store()?;
        self.start(0)?;
        let first = self.leader()?;
        for n in 1..NAMES.len() {
            self.start(n)?;
        }
        self.all_follow()?;
        let mut c = self.wait("a session", || Client::connect_within(&self.place(first), PATIENCE).ok())?;
        let made = c.query("CREATE TABLE f (id bigint PRIMARY KEY, v text)")?;
        if let Some((_, e)) = made.error {
            return Err(e);
        }
        let threads: Vec<_> = (0..WRITERS)
            .map(|n| (n, true))
            .chain((0..2).map(|n| (n, false)))
            .map(|(n, writes)| {
                let (ports, told) = (self.ports, self.told.clone());
                std::thread::spawn(move || client(&ports, &told, n, writes))
            })
            .collect();
        let done = self.troubles();
        self.told.stop.store(true, Ordering::SeqCst);
        threads.into_iter().for_each(|t| drop(t.join()));
        done?;
        self.judge()
    }

    fn troubles(&mut self) -> Result<(), String> {
        let o = self.o;
        let mut list = Vec::new();
        for (n, what) in [
            (o.kills, Trouble::Kill),
            (o.standbys, Trouble::Standby),
            (o.freezes, Trouble::Freeze),
            (o.stores, Trouble::Store),
        ] {
            list.extend((0..n).map(|_| what));
        }
        let mut random = crate::pairs::statements::Random::new(o.seed);
        for n in (1..list.len()).rev() {
            list.swap(n, random.below(n as u64 + 1) as usize);
        }
        let mut took: Vec<Duration> = Vec::new();
        for (n, what) in list.iter().enumerate() {
            self.all_follow()?;
            std::thread::sleep(Duration::from_millis(200 + random.below(1000)));
            let leader = self.leader()?;
            let waited = match what {
                Trouble::Kill => Some(self.kill(leader)?),
                Trouble::Standby => {
                    let standby = (leader + 1 + random.below(2) as usize) % NAMES.len();
                    self.kill_standby(standby)?;
                    None
                }
                Trouble::Freeze => Some(self.freeze(leader)?),
                Trouble::Store => {
                    self.lose_store()?;
                    None
                }
            };
            let facts = self.check()?;
            took.extend(waited.filter(|_| matches!(what, Trouble::Kill)));
            println!(
                "cluster: {} of {}: {what:?} of {}: {facts} facts told, all there{}",
                n + 1,
                list.len(),
                NAMES[leader],
                waited.map_or(String::new(), |w| format!("; first write after {:.2} s", w.as_secs_f64()))
            );
        }
        took.sort();
        if let (Some(middle), Some(last)) = (took.get(took.len() / 2), took.last()) {
            let p99 = took[(took.len() * 99).div_ceil(100) - 1];
            println!(
                "cluster: kill to first write, lease {} s: {:.2} s (p50), {:.2} s (p99), {:.2} s (longest) of {}",
                o.lease,
                middle.as_secs_f64(),
                p99.as_secs_f64(),
                last.as_secs_f64(),
                took.len()
            );
        }
        Ok(())
    }

    /// Until something is told on a connection that is begun from now on.
    fn next_fact(&self) -> Result<(), String> {
        let told = &self.told;
        told.from.store(told.connections.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
        told.since.store(0, Ordering::SeqCst);
        self.wait("a write", || (told.since.load(Ordering::SeqCst) > 0).then_some(()))
    }

    fn kill(&mut self, leader: usize) -> Result<Duration, String> {
        let began = Instant::now();
        self.servers[leader].take().ok_or("it runs")?.kill();
        self.next_fact()?;
        let took = began.elapsed();
        self.start(leader)?;
        Ok(took)
    }

    fn kill_standby(&mut self, n: usize) -> Result<(), String> {
        self.servers[n].take().ok_or("it runs")?.kill();
        let before = self.told.since.load(Ordering::SeqCst);
        self.wait("a write", || (self.told.since.load(Ordering::SeqCst) > before + 10).then_some(()))?;
        self.start(n)
    }

    /// Who wakes up must not show what is no longer so.
    fn freeze(&mut self, leader: usize) -> Result<Duration, String> {
        let mut old = Client::connect_within(&self.place(leader), PATIENCE)?;
        old.query("SELECT count(*) FROM f")?;
        let began = Instant::now();
        self.servers[leader].as_ref().ok_or("it runs")?.signal("STOP");
        self.next_fact()?;
        let took = began.elapsed();
        // A question that is older than the answer of somebody else who leads by now.
        let newest = *self.told.facts.lock().expect("nobody panics").iter().max().unwrap_or(&0);
        old.start(&format!("SELECT count(*) FROM f WHERE id = {newest}"))?;
        self.servers[leader].as_ref().ok_or("it runs")?.signal("CONT");
        match old.poll(Duration::from_secs(10)) {
            Ok(Some(answer)) if answer.rows == ["0"] => {
                return Err(format!("{} woke up and told that {newest} is not there", NAMES[leader]));
            }
            _ => {}
        }
        Ok(took)
    }

    fn lose_store(&mut self) -> Result<(), String> {
        self.store.take().ok_or("it runs")?.kill();
        std::thread::sleep(Duration::from_secs(u64::from(self.o.lease) * 2));
        self.start_store()?;
        self.next_fact()
    }

    /// All that was told is there. Gives how many facts that are.
    fn check(&self) -> Result<usize, String> {
        let told: Vec<u64> = self.told.facts.lock().expect("nobody panics").iter().copied().collect();
        let rows = self.wait("a leader that can be read", || {
            self.ports.iter().find_map(|port| {
                let mut c = leading(*port)?;
                let answer = c.query("SELECT id FROM f").ok()?;
                answer.error.is_none().then_some(answer.rows)
            })
        })?;
        let there: HashSet<u64> = rows.iter().filter_map(|r| r.parse().ok()).collect();
        let lost: Vec<&u64> = told.iter().filter(|id| !there.contains(id)).take(10).collect();
        if lost.is_empty() { Ok(told.len()) } else { Err(format!("told, and lost: {lost:?} …")) }
    }

    /// All have the same, and the verifier finds nothing.
    fn judge(&mut self) -> Result<(), String> {
        self.all_follow()?;
        self.check()?;
        let sum = |n: usize| {
            let mut c = Client::connect_within(&self.place(n), PATIENCE).ok()?;
            c.query("SELECT count(*), sum(id) FROM f").ok().map(|a| a.rows)
        };
        self.wait("the same on all", || {
            let sums: Vec<_> = (0..NAMES.len()).map(sum).collect();
            (sums[0].is_some() && sums.iter().all(|s| *s == sums[0])).then_some(())
        })?;
        // One after the other: as long as two are there, one of them leads.
        for n in 0..NAMES.len() {
            self.servers[n].take().ok_or("it runs")?.stop()?;
        }
        for name in NAMES {
            let folder = self.folder.join(name).display().to_string();
            let _ = std::fs::remove_file(self.folder.join(name).join("cluster"));
            let promoted = Command::new(&self.program).args(["promote", "--data", &folder]).output();
            promoted.map_err(|e| e.to_string())?;
            let out =
                Command::new(&self.program).args(["check", &folder]).output().map_err(|e| e.to_string())?;
            if !out.status.success() {
                return Err(format!("check of {name}: {}", String::from_utf8_lossy(&out.stdout)));
            }
        }
        Ok(())
    }
}

fn place(port: u16) -> Place {
    Place { host: "127.0.0.1".into(), port, user: "postgres".into(), database: "postgres".into() }
}

/// A session of this server, if it leads.
fn leading(port: u16) -> Option<Client> {
    let mut c = Client::connect_within(&place(port), PATIENCE).ok()?;
    c.start("SELECT pg_is_in_recovery()").ok()?;
    let answer = c.poll(PATIENCE).ok()??;
    (answer.rows == ["f"]).then_some(c)
}

/// Writes facts, or reads them, wherever it is let, until it is to stop. What it is told is noted.
fn client(ports: &[u16; 3], told: &Told, n: usize, writes: bool) {
    let mut at = n;
    while !told.stop.load(Ordering::SeqCst) {
        at += 1;
        let port = ports[at % ports.len()];
        let number = told.connections.fetch_add(1, Ordering::SeqCst) + 1;
        let session = match writes {
            true => leading(port),
            false => Client::connect_within(&place(port), PATIENCE).ok(),
        };
        let Some(mut c) = session else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        // Readers go around.
        for _ in 0..if writes { usize::MAX } else { 50 } {
            if told.stop.load(Ordering::SeqCst) {
                return;
            }
            let id = told.next.fetch_add(1, Ordering::SeqCst) + 1;
            let sql = match writes {
                true => format!("INSERT INTO f VALUES ({id}, repeat('x', 50)) RETURNING id"),
                false => "SELECT id FROM f ORDER BY id DESC LIMIT 10".into(),
            };
            let answer = c.start(&sql).and_then(|()| c.poll(PATIENCE));
            let Ok(Some(answer)) = answer else { break };
            if answer.error.is_some() {
                break;
            }
            let facts = answer.rows.iter().filter_map(|r| r.parse::<u64>().ok());
            told.facts.lock().expect("nobody panics").extend(facts);
            if writes && number >= told.from.load(Ordering::SeqCst) {
                told.since.fetch_add(1, Ordering::SeqCst);
            }
            if !writes {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
