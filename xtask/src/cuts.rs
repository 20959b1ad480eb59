//! Power cuts under load. The server's data lies on a disk that shell commands of the caller's cut and restore: a FUSE or device-mapper disk, a virtual
//! machine's. After each cut the sums agree, every transaction that a client was told of is there, and the verifier finds nothing.
//!
//! It must not know how the disk works.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::clients::{Cut, Load, Server, check, history, pgbench, sums, told_are_there};

/// Loads at `scale`, then cuts again and again.
pub(crate) fn run(o: &Cut, scale: u32, binary: &Path) -> Result<(), String> {
    let mut server = Server::start(binary, &o.data)?;
    pgbench(&["-i", "-q", "-s", &scale.to_string()])?;
    println!("pgbench -i -s {scale}: done");
    for seed in 1..=o.cuts {
        let before = history()?;
        let load = Load::start("tpcb-like")?;
        // A different moment each time, without a clock in the result.
        std::thread::sleep(Duration::from_millis(1000 + u64::from(seed * 7919 % 2000)));
        let cut = shell(&o.cut, seed);
        // What the process still holds must not reach the disk when that is back. It ends whether or not the cut worked.
        server.kill();
        cut?;
        let told = load.told()?;
        shell(&o.restore, seed)?;
        server = Server::start(binary, &o.data)?;
        let place = |e: String| format!("cut {seed}: {e}");
        sums(true).map_err(place)?;
        let found = told_are_there(before, told).map_err(place)?;
        server.stop()?;
        check(binary, &o.data).map_err(place)?;
        println!("cut {seed}: {told} commits told, {found} found, sums agree, check is clean");
        server = Server::start(binary, &o.data)?;
    }
    server.stop()
}

/// Runs one; `{seed}` in it is the cut's number.
pub(crate) fn shell(command: &str, seed: u32) -> Result<(), String> {
    let command = command.replace("{seed}", &seed.to_string());
    crate::run(Command::new("sh").args(["-c", &command]).stdin(Stdio::null()).stdout(Stdio::null()))
}
