//! Random histories of roles, GRANT, REVOKE, SET ROLE and statements that need privileges, against evenkeel and PostgreSQL at once: each statement must succeed
//! or fail with the same SQLSTATE, and the lists, owners and memberships at the end must be the same.
//!
//! Each history is made from a number of its own, so a run is resumed, and a history run again, by `--seed`.

pub mod statements;

use crate::args;
use crate::clients;
use crate::pairs::statements::Random;
use crate::pairs::wire::{Client, Place};
use std::time::SystemTime;

/// Differences that are shown before the run is given up.
const MAX_DIFFERENCES: u32 = 10;
/// Statements of a history.
const STATEMENTS: u64 = 120;

/// What to run.
pub struct Options {
    postgres: Place,
    evenkeel: Option<Place>,
    seed: u64,
    histories: u64,
    release: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let (mut postgres, mut evenkeel, mut release) = (None, None, false);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (mut seed, mut histories) = (now.as_secs() * 1_000_000, 100);
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => release = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                "--seed" => seed = value.number()?,
                "--histories" => histories = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=… dbname=…' names the server to compare with")?;
        Ok(Options { postgres, evenkeel, seed, histories, release })
    }
}

/// Runs the histories; fails if any differs.
pub fn run(o: &Options) -> Result<(), String> {
    clients::with_server(o.evenkeel.as_ref(), o.release, "grants", |place| compare(o, place))
}

/// What a statement gave: its SQLSTATE, or its rows if they are looked at.
fn outcome(client: &mut Client, sql: &str, with_rows: bool) -> Result<String, String> {
    let answer = client.query(sql)?;
    if sql.starts_with("begin") && answer.error.is_some() {
        client.query("rollback")?;
    }
    Ok(match answer.error {
        Some((code, _)) => code,
        None if with_rows => answer.rows.join("\n"),
        None => "ok".into(),
    })
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    let mut theirs = Client::connect(&o.postgres)?;
    let mut ours = Client::connect(place)?;
    println!("seed {}, {} histories of {STATEMENTS} statements", o.seed, o.histories);
    let (mut differences, mut refused) = (0, 0);
    for client in [&mut theirs, &mut ours] {
        client.query("set client_min_messages = error")?;
    }
    for n in 0..o.histories {
        let seed = o.seed.wrapping_add(n);
        let mut r = Random::new(seed);
        for sql in statements::CLEAN.iter().chain(statements::MAKE) {
            // Of the history before, not all is there.
            let cleans = statements::CLEAN.contains(sql);
            for (who, client) in [("PostgreSQL", &mut theirs), ("evenkeel", &mut ours)] {
                let gave = outcome(client, sql, false)?;
                if gave != "ok" && !cleans {
                    return Err(format!("seed {seed}, {who}: {sql}: {gave}"));
                }
            }
        }
        let mut history = Vec::new();
        let mut steps: Vec<(String, bool)> =
            (0..STATEMENTS).map(|_| (statements::statement(&mut r), false)).collect();
        steps.extend(statements::LOOK.iter().map(|sql| ((*sql).to_owned(), true)));
        for (sql, with_rows) in steps {
            let (a, b) = (outcome(&mut theirs, &sql, with_rows)?, outcome(&mut ours, &sql, with_rows)?);
            refused += u64::from(a == "42501");
            if a != b {
                differences += 1;
                println!("--seed {seed} --histories 1 differs");
                history.iter().for_each(|line| println!("  {line}"));
                println!("  {sql}\n    PostgreSQL: {a}\n    evenkeel:   {b}");
                break;
            }
            history.push(format!("{sql}  -- {}", if with_rows { "the same" } else { &a }));
        }
        if differences == MAX_DIFFERENCES {
            break;
        }
    }
    println!("{} histories, {refused} statements refused, {differences} differ", o.histories);
    if differences == 0 { Ok(()) } else { Err(format!("{differences} histories differ")) }
}
