//! Memory beside eight hostile clients, at several limits, and what a benchmark beside them has of the machine.

use super::client::Client;
use super::known::known;
use super::server::Served;
use super::{CLIENTS, OVERSHOOT};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The limits, bytes.
const LIMITS: [u64; 3] = [256 << 20, 512 << 20, 1 << 30];
/// How long a client lets a statement go on.
const PATIENCE: &str = "5s";

/// What the hostile clients saw.
#[derive(Default)]
struct Counts {
    statements: AtomicU64,
    refused: AtomicU64,
    cut_off: AtomicU64,
    done: AtomicBool,
}

/// Runs all limits and prints the table.
pub fn run(binary: &Path, seconds: u64) -> Result<(), String> {
    println!("{CLIENTS} hostile clients for {seconds} s beside pgbench -S -c 2");
    println!(
        "memory_limit | resident max | of it | statements | 53200 | cut off | pgbench alone | beside | its latency alone | beside"
    );
    let mut failed = Ok(());
    for limit in LIMITS {
        if let Err(why) = at_limit(binary, limit, seconds) {
            println!("{why}");
            failed = Err(why);
        }
    }
    failed
}

fn at_limit(binary: &Path, limit: u64, seconds: u64) -> Result<(), String> {
    let mut served = Served::start(
        binary,
        &[format!("memory_limit={limit}B"), "shared_buffers=64MB".into(), "max_message_size=128MB".into()],
    )?;
    let address = served.address;
    pgbench(address, &["-i", "-q", "-s", "1"])?;
    let alone = pgbench(address, &["-S", "-n", "-c", "2", "-T", &(seconds / 6).max(2).to_string()])?;
    let mut c = Client::connect(address).map_err(|e| e.to_string())?;
    c.ask("create table t (a int, b text); insert into t values (1, 'a'), (2, 'b')")
        .map_err(|e| e.to_string())?;
    let (known, counts) = (known(), Counts::default());
    let beside = std::thread::scope(|s| {
        for n in 0..CLIENTS as usize {
            let (known, counts) = (&known, &counts);
            s.spawn(move || hostile(address, known, n, counts));
        }
        let beside = pgbench(address, &["-S", "-n", "-c", "2", "-T", &seconds.to_string()]);
        counts.done.store(true, Relaxed);
        beside
    });
    if !served.is_alive() {
        return Err(format!("the server has ended: {}", served.log()));
    }
    let (beside, failed) = match beside {
        Ok(text) => (text, None),
        Err(text) => (text.clone(), Some(text)),
    };
    let resident = served.resident_bytes_max();
    println!(
        "{} MB | {} MB | {:.0} % | {} | {} | {} | {:.0} | {:.0} | {} ms | {} ms; at the end {} MB",
        limit >> 20,
        resident >> 20,
        resident as f64 / limit as f64 * 100.0,
        counts.statements.load(Relaxed),
        counts.refused.load(Relaxed),
        counts.cut_off.load(Relaxed),
        reported(&alone, "tps = "),
        reported(&beside, "tps = "),
        reported(&alone, "latency average = "),
        reported(&beside, "latency average = "),
        served.resident_bytes() >> 20,
    );
    if let Some(why) = failed {
        return Err(why);
    }
    if resident as f64 > limit as f64 * OVERSHOOT {
        return Err(format!(
            "resident memory of {} MB passed memory_limit of {} MB",
            resident >> 20,
            limit >> 20
        ));
    }
    Ok(())
}

/// One client: all statements again and again, on a new connection where the old one was cut off.
fn hostile(address: SocketAddr, known: &[String], n: usize, counts: &Counts) {
    let mut client = None;
    for turn in 0.. {
        if counts.done.load(Relaxed) {
            return;
        }
        let c = match client.take() {
            Some(c) => c,
            None => Client::connect(address).and_then(|mut c| {
                c.ask(&format!("set statement_timeout = '{PATIENCE}'"))?;
                Ok(c)
            }),
        };
        let sql = &known[(n * 7 + turn * 5) % known.len()];
        let answer = c.and_then(|mut c| {
            let answer = c.ask(sql)?;
            client = Some(Ok(c));
            Ok(answer)
        });
        counts.statements.fetch_add(1, Relaxed);
        match answer {
            Ok(Some((code, _))) if code == "53200" => counts.refused.fetch_add(1, Relaxed),
            Ok(_) => 0,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(10));
                counts.cut_off.fetch_add(1, Relaxed)
            }
        };
    }
}

fn pgbench(address: SocketAddr, args: &[&str]) -> Result<String, String> {
    let out = Command::new("pgbench")
        .args(["-h", "127.0.0.1", "-p", &address.port().to_string(), "-U", "postgres"])
        .args(args)
        .arg("postgres")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("pgbench: {e}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.success() { Ok(text) } else { Err(format!("pgbench {}: {text}", args.join(" "))) }
}

/// A number in pgbench's report.
fn reported(text: &str, label: &str) -> f64 {
    let line = text.lines().find_map(|l| l.strip_prefix(label)).unwrap_or_default();
    line.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN)
}
