//! What the tests share: a database in a temporary folder, sessions on it, and results as psql prints them.

#![allow(dead_code)] // Each test file uses a part.

pub mod pair;
pub mod started;

use evenkeel::{Database, Interrupt, Options};
use evenkeel_sql::{Column, Datum, Instance, Progress, RowSink, Session, SessionParams, SqlError, Type};
use evenkeel_types::output_text;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// A database that goes with the test.
pub struct TestDb {
    pub instance: Arc<Instance>,
    db: Database,
    folder: tempfile::TempDir,
}

impl TestDb {
    pub fn new() -> TestDb {
        TestDb::with(&[])
    }

    /// With settings of the engine.
    pub fn with(settings: &[(&str, &str)]) -> TestDb {
        TestDb::open(tempfile::tempdir().expect("temporary folder"), settings)
    }

    fn open(folder: tempfile::TempDir, settings: &[(&str, &str)]) -> TestDb {
        let mut options = Options::default();
        for (name, value) in [("fsync", "off")].iter().chain(settings) {
            options.set(name, value).expect("it is a setting");
        }
        let db = Database::open(folder.path().join("data"), options).expect("database opens");
        TestDb { instance: Instance::open(db.clone()).expect("catalog opens"), db, folder }
    }

    /// Closes it and opens it again; its sessions must be gone.
    pub fn reopen(self) -> TestDb {
        let TestDb { instance, db, folder } = self;
        drop(instance);
        db.close().expect("database closes");
        drop(db);
        TestDb::open(folder, &[])
    }

    /// Another database, as this one would be found after a crash of the process. Nobody may be writing.
    pub fn after_crash(&self) -> TestDb {
        loop {
            let folder = tempfile::tempdir().expect("temporary folder");
            // The engine may take a file of the log away meanwhile: then all of it is copied again.
            match copy_folder(&self.folder.path().join("data"), &folder.path().join("data")) {
                Ok(()) => return TestDb::open(folder, &[]),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => panic!("the folder is not copied: {e}"),
            }
        }
    }

    /// Panics with whatever is wrong with pages, or between rows and indexes.
    pub fn check(&self) {
        let pages = evenkeel::check::check_open_database(&self.db, &mut |_| {}).expect("check runs");
        assert!(pages.problems.is_empty(), "{:#?}", pages.problems);
        self.check_rows();
    }

    /// The same of rows and indexes alone, which others may be writing.
    pub fn check_rows(&self) {
        let mut told = Vec::new();
        evenkeel_sql::check::check_indexes(&self.db, &mut |p| told.push(p.to_string())).expect("check runs");
        assert!(told.is_empty(), "{told:#?}");
    }

    /// The engine below.
    pub fn engine(&self) -> &Database {
        &self.db
    }

    /// Waits until what a session was told cannot be lost any more, as whoever sends its replies does.
    pub fn send(&self, c: &Client) {
        self.db.wait_durable(c.session.reply().local()).expect("the log is written");
    }

    /// How many transactions wait for a row.
    pub fn waiters(&self) -> usize {
        self.db.lock_waiters()
    }

    pub fn session(&self) -> Client {
        self.session_with(&[])
    }

    pub fn session_with(&self, settings: &[(&str, &str)]) -> Client {
        Client::new(&self.instance, settings)
    }
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else if kind.is_file() && entry.file_name() != "lock" {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// A session that is used as psql uses it.
pub struct Client {
    pub session: Session,
    pub interrupt: Arc<Interrupt>,
}

/// What one statement gave.
#[derive(Default)]
pub struct Output {
    /// None: it returns no rows.
    pub shape: Option<usize>,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Datum>>,
    pub copied: String,
    pub tag: String,
}

impl Output {
    /// For what a portal gives.
    pub fn of(portal: &evenkeel_sql::Portal) -> Output {
        let columns = portal.columns();
        Output {
            shape: columns.map(<[Column]>::len),
            columns: columns.unwrap_or(&[]).to_vec(),
            ..Output::default()
        }
    }
}

impl RowSink for Output {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        self.rows.push(row.to_vec());
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_data(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.copied.push_str(std::str::from_utf8(bytes).expect("COPY gives UTF-8"));
        Ok(())
    }
}

/// Names the first database as clients expect it: `b`.
pub fn name_database(instance: &Arc<Instance>) {
    if instance.is_standby() || instance.databases().expect("databases").iter().any(|d| d == "b") {
        return;
    }
    let mut session = instance
        .session(SessionParams {
            user: String::new(),
            database: "template1".into(),
            application_name: String::new(),
            client_addr: None,
            client_port: None,
            server_addr: None,
            system_user: None,
            configured: Default::default(),
            settings: Vec::new(),
            backend_pid: 0,
            interrupt: Interrupt::new(),
            statement_memory_bytes: 8 << 20,
            as_owner: true,
            log_origin: Default::default(),
        })
        .expect("session begins");
    for statement in session.parse_script("alter database postgres rename to b").expect("it parses") {
        let mut portal = session.bind(&statement, Vec::new()).expect("it binds");
        // Somebody else may have done so meanwhile.
        let _ = session.run(&mut portal, 0, &mut Nothing);
    }
    let _ = session.sync();
}

struct Nothing;

impl RowSink for Nothing {
    fn row(&mut self, _: &[evenkeel_types::Datum]) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize, _: bool) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }
}

impl Client {
    pub fn new(instance: &Arc<Instance>, settings: &[(&str, &str)]) -> Client {
        name_database(instance);
        Client::within(instance, "b", settings).expect("session begins")
    }

    /// In a database.
    pub fn within(
        instance: &Arc<Instance>,
        database: &str,
        settings: &[(&str, &str)],
    ) -> Result<Client, SqlError> {
        let mut client = Client::that_waits(instance, database, settings)?;
        client.session.defer_durability(); // as the server does
        Ok(client)
    }

    /// What its calls tell is durable when they return.
    pub fn that_waits(
        instance: &Arc<Instance>,
        database: &str,
        settings: &[(&str, &str)],
    ) -> Result<Client, SqlError> {
        static PID: AtomicI32 = AtomicI32::new(1000);
        let interrupt = Interrupt::new();
        let session = instance.session(SessionParams {
            user: "postgres".into(),
            database: database.into(),
            application_name: "test".into(),
            client_addr: None,
            client_port: None,
            server_addr: None,
            system_user: None,
            configured: Default::default(),
            settings: settings.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            backend_pid: PID.fetch_add(1, Ordering::Relaxed),
            interrupt: interrupt.clone(),
            statement_memory_bytes: 32 << 20,
            as_owner: false,
            log_origin: Default::default(),
        })?;
        Ok(Client { session, interrupt })
    }

    /// Runs a query string as the simple protocol does; `copy` is the data of a COPY FROM STDIN.
    pub fn simple(&mut self, sql: &str, copy: &str) -> Result<Vec<Output>, SqlError> {
        let result = self.simple_inner(sql, copy);
        if result.is_err() {
            self.session.fail();
        }
        let synced = self.session.sync();
        let outputs = result?;
        synced?;
        Ok(outputs)
    }

    fn simple_inner(&mut self, sql: &str, copy: &str) -> Result<Vec<Output>, SqlError> {
        let mut outputs = Vec::new();
        for stmt in self.session.parse_script(sql)? {
            let mut portal = self.session.bind(&stmt, Vec::new())?;
            let mut out = Output::of(&portal);
            out.tag = match self.session.run(&mut portal, 0, &mut out)? {
                Progress::Done(tag) => tag.to_string(),
                Progress::CopyIn(mut c) => {
                    // In small pieces: lines may be cut anywhere.
                    for piece in copy.as_bytes().chunks(7) {
                        self.session.copy_in_data(&mut c, piece)?;
                    }
                    self.session.copy_in_finish(c)?.to_string()
                }
                Progress::Empty => String::new(),
                Progress::Suspended => panic!("suspended without a row limit"),
                Progress::Waits => panic!("waits outside without being allowed to"),
            };
            outputs.push(out);
        }
        Ok(outputs)
    }

    /// Runs a statement that must succeed; its last result.
    pub fn ok(&mut self, sql: &str) -> Output {
        match self.simple(sql, "") {
            Ok(mut outputs) => outputs.pop().expect("at least one result"),
            Err(e) => panic!("{sql}\n{e:?}"),
        }
    }

    /// Runs a statement that must fail; its SQLSTATE.
    pub fn err(&mut self, sql: &str) -> String {
        match self.simple(sql, "") {
            Ok(_) => panic!("should have failed: {sql}"),
            Err(e) => e.code.as_str().to_owned(),
        }
    }

    /// The rows of a query as text, `|` between columns.
    pub fn rows(&mut self, sql: &str) -> Vec<String> {
        let out = self.ok(sql);
        out.rows.iter().map(|r| self.texts(r, &out.columns).join("|")).collect()
    }

    /// The one value of a query as text.
    pub fn value(&mut self, sql: &str) -> String {
        self.rows(sql).pop().unwrap_or_else(|| panic!("no row: {sql}"))
    }

    /// Prepares, binds text parameters, and runs, as the extended protocol does up to Sync.
    pub fn extended(&mut self, sql: &str, params: &[Option<&str>]) -> Result<Output, SqlError> {
        let result = self.extended_inner(sql, params);
        if result.is_err() {
            self.session.fail();
        }
        let synced = self.session.sync();
        let out = result?;
        synced?;
        Ok(out)
    }

    fn extended_inner(&mut self, sql: &str, params: &[Option<&str>]) -> Result<Output, SqlError> {
        let stmt = self.session.prepare(sql, &[])?;
        let format = self.session.format_options();
        let mut values = Vec::new();
        for (p, ty) in params.iter().zip(stmt.param_types()) {
            values.push(match p {
                None => Datum::Null,
                Some(text) => evenkeel_types::input_text(text, *ty, -1, &format)?,
            });
        }
        let mut portal = self.session.bind(&stmt, values)?;
        let mut out = Output::of(&portal);
        if let Progress::Done(tag) = self.session.run(&mut portal, 0, &mut out)? {
            out.tag = tag.to_string();
        }
        Ok(out)
    }

    pub fn texts(&self, row: &[Datum], columns: &[Column]) -> Vec<String> {
        let format = self.session.format_options();
        row.iter()
            .zip(columns)
            .map(|(d, c)| {
                let mut text = Vec::new();
                if !d.is_null() {
                    output_text(d, c.ty, c.typmod, &format, &mut text).unwrap();
                }
                String::from_utf8(text).expect("text output is UTF-8")
            })
            .collect()
    }

    /// A result as psql's aligned format prints it.
    pub fn print(&self, out: &Output, lines: &mut Vec<String>) {
        if out.shape.is_none() {
            lines.extend(out.copied.lines().map(str::to_owned));
            // psql prints no tag after COPY TO.
            if out.copied.is_empty() && !out.tag.is_empty() {
                lines.push(out.tag.clone());
            }
            return;
        }
        let cells: Vec<Vec<String>> = out.rows.iter().map(|r| self.texts(r, &out.columns)).collect();
        let width = |s: &str| s.split('\n').map(|l| l.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = out
            .columns
            .iter()
            .enumerate()
            .map(|(n, c)| cells.iter().map(|r| width(&r[n])).chain([width(&c.name)]).max().unwrap_or(0))
            .collect();
        let header: Vec<String> = out
            .columns
            .iter()
            .zip(&widths)
            .map(|(c, w)| {
                let room = w - c.name.chars().count();
                format!(" {}{}{} ", " ".repeat(room / 2), c.name, " ".repeat(room - room / 2))
            })
            .collect();
        lines.push(header.join("|").trim_end().to_owned());
        lines.push(widths.iter().map(|w| "-".repeat(w + 2)).collect::<Vec<_>>().join("+"));
        for row in &cells {
            let parts: Vec<Vec<&str>> = row.iter().map(|c| c.split('\n').collect()).collect();
            let height = parts.iter().map(Vec::len).max().unwrap_or(1);
            for h in 0..height {
                let line: Vec<String> = parts
                    .iter()
                    .zip(&widths)
                    .zip(&out.columns)
                    .map(|((p, w), c)| {
                        let text = p.get(h).copied().unwrap_or("");
                        let pad = " ".repeat(w - text.chars().count());
                        let more = if h + 1 < p.len() { "+" } else { " " };
                        if is_number(c.ty) {
                            format!(" {pad}{text}{more}")
                        } else {
                            format!(" {text}{pad}{more}")
                        }
                    })
                    .collect();
                lines.push(line.join("|").trim_end().to_owned());
            }
        }
        lines.push(if cells.len() == 1 { "(1 row)".into() } else { format!("({} rows)", cells.len()) });
        if out.tag.starts_with("INSERT") || out.tag.starts_with("UPDATE") || out.tag.starts_with("DELETE") {
            lines.push(out.tag.clone());
        }
    }
}

fn is_number(ty: Type) -> bool {
    matches!(
        ty,
        Type::Int2
            | Type::Int4
            | Type::Int8
            | Type::Float4
            | Type::Float8
            | Type::Numeric
            | Type::Oid
            | Type::Xid
            | Type::Xid8
            | Type::Money
    )
}
