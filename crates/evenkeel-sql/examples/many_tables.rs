//! What many tables cost: created, each in a transaction of its own and all in one; killed directly afterwards, and started; stopped cleanly, and started.
//!
//! `cargo run --release -p evenkeel-sql --example many_tables [tables] [setting=value …]` works in a new folder below the present one, which it removes.
//! Each table has a primary key and a unique column.

use evenkeel::{Database, Interrupt, Options};
use evenkeel_sql::{Datum, Instance, RowSink, Session, SessionParams, SqlError};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

struct Nothing;

impl RowSink for Nothing {
    fn row(&mut self, _: &[Datum]) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }
}

fn options(settings: &[String]) -> Options {
    settings.iter().fold(Options::default(), |options, setting| {
        let (name, value) = setting.split_once('=').expect("name=value");
        options.with(name, value).expect("a setting")
    })
}

fn session(db: &Database) -> Session {
    let instance = Instance::open(db.clone()).expect("the catalog");
    let params = SessionParams {
        user: "postgres".into(),
        database: "postgres".into(),
        application_name: "many_tables".into(),
        client_addr: None,
        client_port: None,
        server_addr: None,
        system_user: None,
        configured: Default::default(),
        settings: Vec::new(),
        backend_pid: 1,
        interrupt: Interrupt::new(),
        statement_memory_bytes: 1 << 30,
        as_owner: true,
        log_origin: Default::default(),
    };
    instance.session(params).expect("a session")
}

/// As a server would: the next statement comes when this one is durable.
fn run(db: &Database, session: &mut Session, script: &str) {
    for statement in session.parse_script(script).expect("it parses") {
        let mut portal = session.bind(&statement, Vec::new()).expect("it binds");
        session.run(&mut portal, 0, &mut Nothing).expect("it runs");
        drop(portal);
        session.sync().expect("it commits");
        db.wait_durable(session.reply().local()).expect("it is durable");
    }
}

/// The child: creates the tables, and kills itself.
fn create(folder: &Path, tables: usize, at_once: bool, settings: &[String]) -> ! {
    let db = Database::open(folder, options(settings)).expect("it opens");
    let mut session = session(&db);
    let began = Instant::now();
    if at_once {
        run(&db, &mut session, "begin");
    }
    for i in 0..tables {
        let statement = format!("create table t{i} (id int primary key, name text unique, note text)");
        run(&db, &mut session, &statement);
    }
    if at_once {
        run(&db, &mut session, "commit");
    }
    let took = began.elapsed().as_secs_f64();
    println!("  created in {took:.2} s: {:.0} tables a second", tables as f64 / took);
    std::process::abort();
}

fn start(folder: &Path, settings: &[String]) -> (Database, Session) {
    let db = Database::open(folder, options(settings)).expect("it opens");
    let session = session(&db);
    (db, session)
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|a| a == "--child") {
        create(Path::new(&args[1]), args[2].parse().expect("a number"), args[3] == "once", &args[4..]);
    }
    let tables = match args.first().and_then(|a| a.parse().ok()) {
        Some(tables) => {
            args.remove(0);
            tables
        }
        None => 10_000usize,
    };
    for how in ["each", "once"] {
        println!(
            "{tables} tables with two indexes each, {}",
            match how {
                "each" => "each in a transaction of its own",
                _ => "all in one transaction",
            }
        );
        let folder =
            std::env::current_dir().expect("a folder").join(format!("many-tables-{}", std::process::id()));
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.arg("--child").arg(&folder).arg(tables.to_string()).arg(how).args(&args);
        child.status().expect("the child runs");

        let began = Instant::now();
        let (db, mut session) = start(&folder, &args);
        println!("  killed; start in {:.2} s", began.elapsed().as_secs_f64());
        run(&db, &mut session, &format!("insert into t{} values (1, 'a', 'b')", tables - 1));
        drop(session);
        let began = Instant::now();
        db.close().expect("it closes");
        drop(db);
        println!("  clean stop in {:.2} s", began.elapsed().as_secs_f64());
        let began = Instant::now();
        let (db, session) = start(&folder, &args);
        println!("  start in {:.2} s", began.elapsed().as_secs_f64());
        drop(session);
        let began = Instant::now();
        db.close().expect("it closes");
        drop(db);
        println!("  clean stop in {:.2} s", began.elapsed().as_secs_f64());
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
