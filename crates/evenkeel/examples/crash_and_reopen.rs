//! A process that is killed in the middle of its work, and the next one that finds every acknowledged commit.
//!
//! `cargo run --example crash_and_reopen`

use evenkeel::{Database, Direction, KeyRange, Options, TreeId, TxnOptions};
use std::io::{BufRead, BufReader, Error, Result};
use std::process::{Command, Stdio};

fn main() -> Result<()> {
    match std::env::args().nth(1) {
        Some(dir) => write_until_killed(&dir),
        None => kill_and_look(),
    }
}

/// The child: commits numbers for ever and prints each one *after* its commit is durable.
fn write_until_killed(dir: &str) -> Result<()> {
    let db = Database::open(dir, Options::default()).map_err(Error::other)?;
    let mut txn = db.begin(TxnOptions::default());
    let tree = txn.create_tree().map_err(Error::other)?;
    txn.commit().map_err(Error::other)?;
    println!("{}", tree.0);
    for n in 0u32.. {
        let mut txn = db.begin(TxnOptions::default());
        txn.insert(tree, &n.to_be_bytes(), b"committed").map_err(Error::other)?;
        txn.commit().map_err(Error::other)?;
        println!("{n}");
    }
    Ok(())
}

/// The parent: kills the child after some commits and opens what it left.
fn kill_and_look() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let mut child = Command::new(std::env::current_exe()?).arg(dir.path()).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().transpose()?.ok_or_else(|| Error::other("the child ended by itself"));
    let tree = TreeId(next()?.parse().map_err(Error::other)?);
    let mut told = 0u32;
    while told < 1000 {
        told = next()?.parse().map_err(Error::other)?;
    }
    child.kill()?; // SIGKILL: no destructor, no flush
    child.wait()?;
    println!("killed the writer after it had told of commit {told}");

    let db = Database::open(dir.path(), Options::default()).map_err(Error::other)?;
    let mut txn = db.begin(TxnOptions::default());
    let mut cursor = txn.cursor(tree, KeyRange::all(), Direction::Backward).map_err(Error::other)?;
    let last = cursor.next(&mut txn).map_err(Error::other)?.map(|(key, _)| key.to_vec());
    let last = last.and_then(|k| Some(u32::from_be_bytes(k.try_into().ok()?)));
    println!("after recovery the newest commit is {last:?}: nothing that was told is lost");
    assert!(last >= Some(told));
    drop(txn);
    db.close().map_err(Error::other)
}
