//! Bank transfers from many threads: concurrent durable writers, row locks, deadlocks retried, one gang of commits a disk write.
//!
//! `cargo run --release --example bank`

use evenkeel::{
    Database, Direction, Error, KeyRange, LockMode, Options, Transaction, TreeId, TxnOptions, Write,
};
use std::sync::atomic::{AtomicU64, Ordering};

const ACCOUNTS: u32 = 1000;
const THREADS: u64 = 8;
const TRANSFERS: u32 = 2000;

fn number(value: &[u8]) -> i64 {
    i64::from_le_bytes(value.try_into().expect("eight bytes"))
}

/// Adds to an account: reads, writes, and re-evaluates if somebody else committed in between.
fn add(txn: &mut Transaction, accounts: TreeId, key: &[u8], amount: i64) -> evenkeel::Result<()> {
    txn.begin_statement();
    let mut balance = number(&txn.get(accounts, key)?.ok_or(Error::NoSuchTree(accounts))?);
    loop {
        match txn.update(accounts, key, &(balance + amount).to_le_bytes(), LockMode::NoKeyUpdate)? {
            Write::Changed(newest) => balance = number(&newest),
            _ => return Ok(()),
        }
    }
}

fn main() -> evenkeel::Result<()> {
    let dir = tempfile::tempdir().map_err(|e| Error::InvalidArgument(e.to_string()))?;
    let db = Database::open(dir.path(), Options::default())?;
    let mut txn = db.begin(TxnOptions::default());
    let accounts = txn.create_tree()?;
    for i in 0..ACCOUNTS {
        txn.insert(accounts, &i.to_be_bytes(), &100i64.to_le_bytes())?;
    }
    txn.commit()?;

    let retries = AtomicU64::new(0);
    let (before, started) = (db.stats(), std::time::Instant::now());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (db, retries) = (&db, &retries);
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(thread);
                for _ in 0..TRANSFERS {
                    let (from, to) = (rng.u32(0..ACCOUNTS), rng.u32(0..ACCOUNTS));
                    while let Err(e) = transfer(db, accounts, from, to) {
                        assert!(matches!(e, Error::Deadlock(_)), "{e}");
                        retries.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (after, seconds) = (db.stats(), started.elapsed().as_secs_f64());
    let commits = after.commits - before.commits;
    let writes = after.wal_writes - before.wal_writes;
    println!(
        "{commits} durable commits from {THREADS} threads in {seconds:.2} s: {:.0} a second",
        commits as f64 / seconds
    );
    println!("{writes} log writes, {:.1} commits a write", commits as f64 / writes as f64);
    println!("{} deadlocks retried", retries.load(Ordering::Relaxed));

    let mut txn = db.begin(TxnOptions::default());
    let mut cursor = txn.cursor(accounts, KeyRange::all(), Direction::Forward)?;
    let mut sum = 0;
    while let Some((_, balance)) = cursor.next(&mut txn)? {
        sum += number(balance);
    }
    println!("sum of all balances: {sum} (it was {})", 100 * i64::from(ACCOUNTS));
    drop(txn);
    db.close()
}

fn transfer(db: &Database, accounts: TreeId, from: u32, to: u32) -> evenkeel::Result<()> {
    let mut txn = db.begin(TxnOptions::default());
    add(&mut txn, accounts, &from.to_be_bytes(), -1)?;
    add(&mut txn, accounts, &to.to_be_bytes(), 1)?;
    txn.commit()?;
    Ok(())
}
