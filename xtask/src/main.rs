//! House checks and the test command: `cargo xtask help`.

mod answers;
mod apps;
mod cargo;
mod clients;
mod cluster;
mod cuts;
mod deb;
mod dumps;
mod faults;
mod flips;
mod grants;
mod isolation;
mod mutants;
mod pairs;
mod plans;
mod programs;
mod regress;
mod s3;
mod schemas;

mod tidy;

use std::process::{Command, ExitCode};
use xtask::args;
use xtask::hostile::{self, Options};

const HELP: &str = "usage: cargo xtask <command>

  test      everything: formatting, house checks, lints, all Rust tests, then real clients, pg_dump, drivers in Python, a cluster with a real etcd, and a real S3 server
  tidy      the house checks alone
  clients   real clients (psql, pgbench) against a real server; options:
              --seconds N   seconds for each pgbench run (default 2)
              --scale N     pgbench scale (default 1)
              --kills N     kill -9 under load so many times (default 3)
              --release     use the release build
            power cuts instead, where the data lies on a disk that commands can cut and restore:
              --cut-data DIR       the server's data, on that disk
              --cut 'COMMAND'      cuts its power; {seed} is the cut's number, from 1
              --restore 'COMMAND'  brings it back, with what a power cut leaves
              --cuts N             so many times (default 5)
  apps      drivers and frameworks as they are against a real server, check by check; options:
              --languages A,B   of these, or all (default python):
                  python  psycopg 2 and 3, asyncpg, pg8000, SQLAlchemy, Alembic, Django
                  node    node-postgres with pg-cursor and pg-copy-streams, postgres.js, Knex, Kysely, Sequelize, TypeORM, Drizzle, PostGraphile
                  go      pgx, lib/pq, GORM, bun, ent, xorm, goose, golang-migrate
                  java    pgjdbc, HikariCP, Flyway, Liquibase, Hibernate, jOOQ, Quartz, db-scheduler, Spring Batch, Flowable
                  rust    tokio-postgres, sqlx
                  ruby    ruby-pg, ActiveRecord, Sequel, as far as their gems are installed
                  php     PDO and pgsql
                  tools   dbt, pgcli
              --postgres 'host=… port=… user=… dbname=…'   against this server; nothing is built
              --suites A,B  their own test suites, too: sqlalchemy, asyncpg, psycopg2, pgx, pq (some minutes), django (half an hour); what may fail is listed with what it lacks
              --resume      suites go on where the last run broke off
              --release     use the release build
  dumps     a database with every kind of object, dumped by pg_dump, restored by psql and dumped again: the same text; options:
              FILE.sql …    other scripts
              --postgres 'host=… port=… user=…'   restores the dump there too, and dumps it there
              --programs DIR                      where pg_dump 18 and psql are; else they come from PyPI
              --release     use the release build
  deb       a package for Debian, from a release build, by cargo-deb
  schemas   DIR|FILE.sql …: schemas of applications, loaded here and into PostgreSQL: what is refused here only, by cause; options:
              --postgres 'host=… port=… user=…'   where they are loaded, too; given twice, one that takes a statement is enough
              --every       each statement that is refused here only, with its line
              --release     use the release build
  cluster   three servers that elect who leads, with a real etcd, under load: whatever any client was told is there afterwards, and never do two tell; options:
              --kills N          kill -9 of the leader so many times (default 3)
              --standbys N       of a standby (default 1)
              --freezes N        the leader is frozen beyond its lease, and wakes up (default 1)
              --stores N         etcd is killed, and comes back when all leases are over (default 1)
              --store-leaders N  etcd's leader is killed (default 1)
              --both N           etcd's leader and ours at a time (default 1)
              --cuts N           links are cut, one way or both; nine kinds in turn; as root (default 3)
              --full N           a standby's disk is full; as root (default 1)
              --hangs N          the leader's disk takes no write any more; as root (default 1)
              --powers N         the power of the disk that all are on is cut (default 0), which takes:
              --power-data DIR, --power-cut 'COMMAND', --power-restore 'COMMAND'   as of clients
              --lease N          seconds (default 3)
              --seed N           in which order (default 1)
              --release          use the release build
  faults    system calls that fail, of a running server and of a start after a kill, by strace (Linux, as root): what was acknowledged is there after a kill; options:
              --only NAME   only calls with this in them      --seconds N   load for each (default 4)      --release
  flips     single bits turned over in all kinds of files of a killed database: none loses an acknowledged row in silence; options:
              --flips N     how many (default 300)
              --seed N      which (default 1)
              --release     use the release build
  mutants   changes of the engine for the worse, each tried against the tests that reach it; goes on where a run ended; options:
              --named       every sync, every wait for durability and every ordering left out in turn, instead of changes by chance
              --seed N      which changes (default 1)
              --count N     how many that compile (default 100)
              --jobs N      tests at a time (default 2)
  hostile   statements that nest, chain and swell whatever can be, against a real server: it never aborts, ends them when they are canceled, and keeps
            within memory_limit; options:
              --seed N         which (default 1)
              --statements N   how many of the grammar (default 5000)
              --seconds N      of eight clients beside pgbench, at each of several limits (default 60)
              --only PART      stops (the time to end each of a list), rich (those of windows, recursion, MERGE and the like alone), values (those of rows, sets in
                               select lists, JSON paths and bit strings alone), known (what has hurt before), grammar, or memory
              --release        use the release build
              --program FILE   attack this one; nothing is built
  s3        the archive against a real S3 server, moto's, which is installed below the target folder; options:
              --kills N     kill -9 of our server while it archives, so many times (default 3)
  answers   random statements over random tables, of every function, operator and cast that there is, compared with PostgreSQL 18; options:
              --postgres 'host=… port=… user=… dbname=…'   a server that lets the user in without a password, and a database of encoding UTF8 and locale C
              --evenkeel 'host=… port=… …'                 a server that runs; else one is started
              --seed N          where to begin: each statement has a number of its own (default from the clock)
              --statements N    how many (default 5000)
              --differences N   after so many the run ends (default 20)
              --rich            only windows, recursion, MERGE, enums, JSON and the like
              --composites      only composite types and set-returning functions
              --views           queries as pg_get_viewdef writes them: the same rows, and PostgreSQL given that text writes the same
              --release         use the release build
  plans     random conditions over indexes of several columns, compared with PostgreSQL 18 and timed beside it: what takes over five times as long is shown; options:
              --postgres 'host=… port=… user=… dbname=…'   a server that lets the user in without a password
              --evenkeel 'host=… port=… …'                 a server that runs; else one is started
              --seed N      where to begin: each query has a number of its own (default from the clock)
              --queries N   how many (default 400)
              --runs N      of each, of which the fastest counts (default 3)
              --keep        the tables are there from a run before
              --release     use the release build, which times are told of
  pairs     random statements in two sessions, one waiting for the other, compared with PostgreSQL 18; options:
              --postgres 'host=… port=… user=… dbname=…'   a server that lets the user in without a password
              --evenkeel 'host=… port=… …'                 a server that runs; else one is started
              --seed N      where to begin: each pair has a number of its own (default from the clock)
              --pairs N     how many (default 500)
              --objects     only pairs on definitions, views, indexes and locks
              --release     use the release build
  grants    random histories of roles, GRANT, REVOKE, SET ROLE and statements that need privileges, compared with PostgreSQL 18; options:
              --postgres 'host=… port=… user=… dbname=…'   a server that lets the superuser in without a password
              --evenkeel 'host=… port=… …'                 a server that runs; else one is started
              --seed N         where to begin: each history has a number of its own (default from the clock)
              --histories N    how many (default 100)
              --release        use the release build
  isolation DIR|FILE.spec …: PostgreSQL's own isolation specs (src/test/isolation/specs of its source), here and in PostgreSQL 18; options:
              --postgres 'host=… port=… user=… dbname=…'   a server that lets the superuser in without a password
              --evenkeel 'host=… port=… …'                 a server that runs; else one is started
              --every          show permutations that lack something, too
              --release        use the release build
  regress   DIR [NAME …]: PostgreSQL's own regression scripts (DIR is src/test/regress of its source), here and in PostgreSQL 18, statement by statement; options:
              --postgres 'host=… port=… user=…'   a server that lets the superuser in without a password; roles and a database are made there
              --evenkeel 'host=… port=… …'        a server that runs; else one is started
              --out DIR        where outputs and differences go (default: below the target folder)
              --release        use the release build";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let asks = args.iter().skip(1).any(|a| a == "--help" || a == "-h");
    let result = match args.first().map(String::as_str).filter(|_| !asks) {
        Some("test") => test(),
        Some("tidy") => tidy::tidy(),
        Some("clients") => clients::Options::parse(&args[1..]).and_then(|o| clients::run(&o)),
        Some("apps") => match apps::Options::parse(&args[1..]) {
            Ok(o) => apps::run(&o),
            Err(e) => Err(e),
        },
        Some("dumps") => dumps::Options::parse(&args[1..]).and_then(dumps::run),
        Some("schemas") => schemas::Options::parse(&args[1..]).and_then(|o| schemas::run(&o)),
        Some("cluster") => cluster::Options::parse(&args[1..]).and_then(|o| cluster::run(&o)),
        Some("deb") => deb::run(),
        Some("faults") => faults::Options::parse(&args[1..]).and_then(|o| faults::run(&o)),
        Some("flips") => flips::Options::parse(&args[1..]).and_then(|o| flips::run(&o)),
        Some("mutants") => mutants::Options::parse(&args[1..]).and_then(|o| mutants::run(&o)),
        Some("hostile") => hostile(&args[1..]),
        Some("s3") => s3::kills(&args[1..]).and_then(s3::run),
        Some("answers") => answers::Options::parse(&args[1..]).and_then(|o| answers::run(&o)),
        Some("grants") => grants::Options::parse(&args[1..]).and_then(|o| grants::run(&o)),
        Some("isolation") => isolation::Options::parse(&args[1..]).and_then(|o| isolation::run(&o)),
        Some("regress") => regress::Options::parse(&args[1..]).and_then(|o| regress::run(&o)),
        Some("plans") => plans::Options::parse(&args[1..]).and_then(|o| plans::run(&o)),
        Some("pairs") => pairs::Options::parse(&args[1..]).and_then(|o| pairs::run(&o)),
        Some("help" | "--help" | "-h") | None if asks || !args.is_empty() => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(HELP.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn hostile(args: &[String]) -> Result<(), String> {
    let options = Options::parse(args)?;
    clients::ensure_clients()?;
    let program = options.program.clone().map_or_else(|| clients::build(options.release), Ok)?;
    hostile::run(&options, &program)
}

/// What is built only for those who want it.
const OTLP: &str = "evenkeel-cli/otlp";

fn test() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"])?;
    tidy::tidy()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--features", OTLP, "--", "-D", "warnings"])?;
    programs::run()?;
    cargo(&["test", "--workspace", "--doc"])?;
    clients::is_built_by_tests();
    clients::run(&clients::Options::default())?;
    dumps::run(dumps::Options::default())?;
    apps::run(&apps::Options::default())?;
    cluster::run(&cluster::Options::default())?;
    s3::run(s3::KILLS)?;
    // Last, as the program is another one then.
    cargo(&["test", "-p", "evenkeel-cli", "--features", OTLP, "--test", "otlp"])
}

fn cargo(args: &[&str]) -> Result<(), String> {
    println!("+ cargo {}", args.join(" "));
    run(cargo::command().args(args))
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed: {status}")),
        Err(e) => Err(format!("{command:?} cannot be run: {e}")),
    }
}
