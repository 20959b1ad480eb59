//! What the protocol's tests share: a toy service whose statements do as they say, and a client that speaks bytes.
//!
//! The toy understands `begin`, `commit`, `rollback`, `rows N` (N rows of one int4 and one text), `echo` (one row of its text
//! parameters), `affect N`, `fail`, `fatal`, `panic`, `block` (until canceled), `write` (its reply may not leave before the test
//! calls [`Toy::make_durable`]), `notice`, `set NAME VALUE`, `limit NAME MS`, `fail at commit`, `copy in`, `copy out N`, and the
//! empty statement.

#![allow(dead_code)] // Each test binary uses its part.

pub mod authority;
pub mod open_metrics;
pub mod sql;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use evenkeel::{Basis, Interrupt, Level, Lsn};
use evenkeel_server::{Outcome, Server, ServerSettings, Service, SqlSession, Timeouts, Users};
use evenkeel_sql::{Column, CommandTag, Notice, RowSink, SessionParams, SqlError, SqlState};
use evenkeel_types::{Datum, FormatOptions, Type};
use parking_lot::{Condvar, Mutex};

#[global_allocator]
static ALLOCATOR: evenkeel_types::guard::memory::Counting = evenkeel_types::guard::memory::Counting;

/// User, database and settings of a session.
type Started = (String, String, Vec<(String, String)>);

/// The toy's shared part.
#[derive(Default)]
pub struct Toy {
    last_lsn: AtomicU64,
    durable: Mutex<u64>,
    durable_moved: Condvar,
    /// wait_durable fails from now on.
    broken: Mutex<bool>,
    /// Number of statements that are blocked now.
    blocked: Mutex<usize>,
    blocked_moved: Condvar,
    /// Parameters of the sessions that were started.
    pub started: Mutex<Vec<Started>>,
    /// As whom their clients were authenticated.
    pub system_users: Mutex<Vec<Option<String>>>,
}

impl Toy {
    pub fn make_durable(&self, lsn: u64) {
        *self.durable.lock() = lsn;
        self.durable_moved.notify_all();
    }

    pub fn break_log(&self) {
        *self.broken.lock() = true;
        self.durable_moved.notify_all();
    }

    /// Waits until `n` statements are blocked.
    pub fn wait_blocked(&self, n: usize) {
        let mut blocked = self.blocked.lock();
        while *blocked != n {
            self.blocked_moved.wait(&mut blocked);
        }
    }

    fn add_blocked(&self, n: isize) {
        let mut blocked = self.blocked.lock();
        *blocked = blocked.wrapping_add_signed(n);
        self.blocked_moved.notify_all();
    }
}

pub struct ToySession {
    toy: Arc<Toy>,
    interrupt: Arc<Interrupt>,
    status: u8,
    implicit: bool,
    fail_at_commit: bool,
    reply_lsn: u64,
    limits: Timeouts,
    changes: Vec<(String, String)>,
    notices: Vec<Notice>,
}

#[derive(Clone)]
pub struct Statement(Arc<(String, Vec<Type>, Option<Vec<Column>>)>);

pub struct Portal {
    statement: Statement,
    params: Vec<Datum>,
    next: u64,
}

pub struct CopyIn(Vec<u8>);

pub struct ToyService(pub Arc<Toy>);

impl Service for ToyService {
    type Session = ToySession;

    fn session(&self, p: SessionParams) -> Result<ToySession, SqlError> {
        if let Some((name, _)) = p.settings.iter().find(|(name, _)| name == "nonsense") {
            let message = format!("unrecognized configuration parameter \"{name}\"");
            return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, message));
        }
        self.0.system_users.lock().push(p.system_user);
        self.0.started.lock().push((p.user, p.database, p.settings));
        Ok(ToySession {
            toy: self.0.clone(),
            interrupt: p.interrupt,
            status: b'I',
            implicit: false,
            fail_at_commit: false,
            reply_lsn: 0,
            limits: Timeouts::default(),
            changes: Vec::new(),
            notices: Vec::new(),
        })
    }

    fn wait_durable(&self, lsn: Lsn) -> Result<(), SqlError> {
        let mut durable = self.0.durable.lock();
        while *durable < lsn.0 {
            if *self.0.broken.lock() {
                return Err(SqlError::internal("the log is broken"));
            }
            self.0.durable_moved.wait(&mut durable);
        }
        Ok(())
    }

    fn durable_lsn(&self) -> Lsn {
        Lsn(*self.0.durable.lock())
    }

    fn newest(&self) -> Basis {
        Basis::all(Lsn(self.0.last_lsn.load(Ordering::SeqCst)))
    }
}

fn column(name: &str, ty: Type) -> Column {
    Column::of(name.into(), ty, -1)
}

impl SqlSession for ToySession {
    type Statement = Statement;
    type Portal = Portal;
    type CopyIn = CopyIn;

    fn parse_script(&mut self, sql: &str) -> Result<Vec<Statement>, SqlError> {
        sql.split(';').map(str::trim).filter(|s| !s.is_empty()).map(|s| self.prepare(s, &[])).collect()
    }

    fn prepare(&mut self, sql: &str, types: &[u32]) -> Result<Statement, SqlError> {
        let mut columns = None;
        let mut params = Vec::new();
        match sql.split(' ').next().unwrap_or("") {
            "rows" => columns = Some(vec![column("n", Type::Int4), column("t", Type::Text)]),
            "echo" => {
                params = types.iter().map(|&t| Type::from_oid(t).unwrap_or(Type::Text)).collect();
                columns = Some(params.iter().map(|&ty| column("e", ty)).collect());
            }
            "" | "begin" | "commit" | "rollback" | "affect" | "fail" | "fatal" | "panic" | "block"
            | "write" | "notice" | "set" | "limit" | "copy" | "deallocate" => {}
            other => {
                let message = format!("syntax error at or near \"{other}\"");
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, message).with_position(1));
            }
        }
        Ok(Statement(Arc::new((sql.to_string(), params, columns))))
    }

    fn parameter_types(statement: &Statement) -> &[Type] {
        &statement.0.1
    }

    fn parameter_oids(statement: &Statement) -> Vec<u32> {
        statement.0.1.iter().map(|t| t.oid()).collect()
    }

    fn columns(statement: &Statement) -> Option<&[Column]> {
        statement.0.2.as_deref()
    }

    fn bind(&mut self, statement: &Statement, params: Vec<Datum>) -> Result<Portal, SqlError> {
        Ok(Portal { statement: statement.clone(), params, next: 0 })
    }

    fn portal_columns(portal: &Portal) -> Option<&[Column]> {
        portal.statement.0.2.as_deref()
    }

    fn run(
        &mut self,
        portal: &mut Portal,
        max: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Outcome<CopyIn>, SqlError> {
        let done = |tag: &str| Ok(Outcome::Done(CommandTag::from(tag.to_string())));
        let sql = portal.statement.0.0.as_str();
        let words: Vec<&str> = sql.split(' ').collect();
        let word = |i: usize| words.get(i).copied().unwrap_or("");
        let number = |i: usize| words.get(i).and_then(|w| w.parse::<u64>().ok()).unwrap_or(0);
        if self.status == b'E' && !matches!(words[0], "commit" | "rollback") {
            let message = "current transaction is aborted, commands ignored until end of transaction block";
            return Err(SqlError::new(SqlState::IN_FAILED_SQL_TRANSACTION, message));
        }
        self.implicit = true;
        match words[0] {
            "" => Ok(Outcome::Empty),
            "begin" => {
                self.status = b'T';
                done("BEGIN")
            }
            "commit" => {
                let failed = self.status == b'E';
                self.status = b'I';
                done(if failed { "ROLLBACK" } else { "COMMIT" })
            }
            "rollback" => {
                self.status = b'I';
                done("ROLLBACK")
            }
            "rows" => {
                let from = portal.next;
                let all = number(1).min(1_000_000);
                let to = if max == 0 { all } else { all.min(from + max) };
                while portal.next < to {
                    let i = portal.next;
                    portal.next += 1;
                    let filler = "x".repeat(number(2).min(10_000) as usize);
                    sink.row(&[Datum::Int4(i as i32), Datum::Text(format!("{filler}{i}").as_str().into())])?;
                }
                if max > 0 && to - from == max {
                    return Ok(Outcome::Suspended);
                }
                done(&format!("SELECT {}", to - from))
            }
            "echo" => {
                sink.row(&portal.params)?;
                done("SELECT 1")
            }
            "affect" => done(&format!("UPDATE {}", number(1))),
            "fail" if words.len() > 1 => {
                self.fail_at_commit = true;
                done("INSERT 0 1")
            }
            "fail" => Err(SqlError::new(SqlState::DIVISION_BY_ZERO, "division by zero").with_hint("do not")),
            "fatal" => Err(SqlError::internal("all is lost").fatal()),
            "panic" => panic!("the toy was told to"),
            "block" => {
                self.toy.add_blocked(1);
                while !self.interrupt.is_canceled() {
                    std::thread::yield_now();
                }
                self.toy.add_blocked(-1);
                Err(evenkeel::Error::Canceled.into())
            }
            "write" => {
                self.reply_lsn = self.toy.last_lsn.fetch_add(1, Ordering::SeqCst) + 1;
                done("INSERT 0 1")
            }
            "notice" => {
                self.notices.push(Notice {
                    severity: "NOTICE",
                    code: SqlState::SUCCESSFUL_COMPLETION,
                    message: "look".into(),
                    detail: None,
                    hint: None,
                });
                done("DO")
            }
            "set" => {
                self.changes.push((word(1).into(), word(2).into()));
                done("SET")
            }
            "deallocate" => done("DEALLOCATE ALL"),
            "limit" => {
                let limit = Some(Duration::from_millis(number(2))).filter(|d| !d.is_zero());
                match word(1) {
                    "statement" => self.limits.statement = limit,
                    "idle_in_transaction" => self.limits.idle_in_transaction = limit,
                    _ => self.limits.idle = limit,
                }
                done("SET")
            }
            _ if word(1) == "in" => Ok(Outcome::CopyIn(CopyIn(Vec::new()))),
            _ => {
                sink.copy_out_begin(2, false)?;
                for i in 0..number(2).min(1_000_000) {
                    sink.copy_data(format!("{i}\tx\n").as_bytes())?;
                }
                done(&format!("COPY {}", number(2)))
            }
        }
    }

    fn copy_in_shape(_: &CopyIn) -> (usize, bool) {
        (3, false)
    }

    fn copy_in_data(&mut self, copy: &mut CopyIn, data: &[u8]) -> Result<(), SqlError> {
        if data.starts_with(b"bad") {
            return Err(SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, "missing data for column")
                .with_context("line 1"));
        }
        copy.0.extend_from_slice(data);
        Ok(())
    }

    fn copy_in_finish(&mut self, copy: CopyIn) -> Result<CommandTag, SqlError> {
        let lines = copy.0.iter().filter(|&&b| b == b'\n').count();
        Ok(CommandTag::counted("COPY", lines as u64))
    }

    fn fail(&mut self) {
        self.fail_at_commit = false;
        self.implicit = false;
        if self.status == b'T' {
            self.status = b'E';
        }
    }

    fn sync(&mut self) -> Result<(), SqlError> {
        self.implicit = false;
        if std::mem::take(&mut self.fail_at_commit) {
            return Err(SqlError::new(SqlState::DISK_FULL, "no space for the commit"));
        }
        Ok(())
    }

    fn transaction_status(&self) -> u8 {
        self.status
    }

    fn reply(&self) -> evenkeel_sql::Reply {
        let mut reply = evenkeel_sql::Reply::default();
        reply.raise(Basis::all(Lsn(self.reply_lsn)), Level::default());
        reply
    }

    fn take_parameter_changes(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.changes)
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    fn initial_parameters(&mut self) -> Vec<(String, String)> {
        vec![("server_version".into(), "18.0".into())]
    }

    fn format_options(&self) -> FormatOptions {
        FormatOptions::default()
    }

    fn timeouts(&self) -> Timeouts {
        self.limits
    }
}

/// A server on the toy, at a free port of 127.0.0.1.
pub struct Fixture {
    pub toy: Arc<Toy>,
    pub server: Server<ToyService>,
}

/// Settings for a test: only a free TCP port, and what the test adds.
pub fn settings(pairs: &[(&str, &str)]) -> ServerSettings {
    let mut s = ServerSettings::default();
    for (name, value) in [("port", "0"), ("unix_socket_directories", "")].iter().chain(pairs) {
        s.set(name, value).unwrap();
    }
    s
}

impl Fixture {
    pub fn new() -> Fixture {
        Fixture::with(&[], Users::new())
    }

    pub fn with(pairs: &[(&str, &str)], users: Users) -> Fixture {
        let toy = Arc::new(Toy::default());
        let server =
            Server::start(Arc::new(ToyService(toy.clone())), settings(pairs), users, Vec::new()).unwrap();
        Fixture { toy, server }
    }

    /// A connection that has sent nothing yet.
    pub fn connect(&self) -> Client {
        Client::new(TcpStream::connect(self.server.addresses()[0]).unwrap())
    }

    /// A started session.
    pub fn session(&self) -> Client {
        let mut c = self.connect();
        c.start(&[("user", "tester")]);
        c
    }
}

/// A message from the server.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    pub kind: char,
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.kind, String::from_utf8_lossy(&self.body))
    }
}

impl Reply {
    /// A field of an error or notice.
    pub fn field(&self, code: u8) -> Option<String> {
        let fields = self.body.split(|&b| b == 0);
        fields
            .filter(|f| f.first() == Some(&code))
            .map(|f| String::from_utf8_lossy(&f[1..]).into_owned())
            .next()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).trim_end_matches('\0').to_string()
    }
}

/// A client that speaks bytes.
pub struct Client {
    pub stream: TcpStream,
    pub pid: i32,
    pub secret: Vec<u8>,
}

/// A message with its type and length.
pub fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![kind];
    out.extend_from_slice(&(body.len() as i32 + 4).to_be_bytes());
    out.extend_from_slice(body);
    out
}

pub fn startup_packet(version: u32, params: &[(&str, &str)]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    for (name, value) in params {
        body.extend_from_slice(format!("{name}\0{value}\0").as_bytes());
    }
    body.push(0);
    let mut out = (body.len() as i32 + 4).to_be_bytes().to_vec();
    out.extend_from_slice(&body);
    out
}

pub fn query(sql: &str) -> Vec<u8> {
    frame(b'Q', format!("{sql}\0").as_bytes())
}

pub fn parse(name: &str, sql: &str, types: &[u32]) -> Vec<u8> {
    let mut body = format!("{name}\0{sql}\0").into_bytes();
    body.extend_from_slice(&(types.len() as u16).to_be_bytes());
    types.iter().for_each(|t| body.extend_from_slice(&t.to_be_bytes()));
    frame(b'P', &body)
}

pub fn bind(
    portal: &str,
    statement: &str,
    formats: &[i16],
    params: &[Option<&[u8]>],
    results: &[i16],
) -> Vec<u8> {
    let mut body = format!("{portal}\0{statement}\0").into_bytes();
    let codes = |body: &mut Vec<u8>, codes: &[i16]| {
        body.extend_from_slice(&(codes.len() as u16).to_be_bytes());
        codes.iter().for_each(|c| body.extend_from_slice(&c.to_be_bytes()));
    };
    codes(&mut body, formats);
    body.extend_from_slice(&(params.len() as u16).to_be_bytes());
    for p in params {
        body.extend_from_slice(&p.map_or(-1, |p| p.len() as i32).to_be_bytes());
        body.extend_from_slice(p.unwrap_or_default());
    }
    codes(&mut body, results);
    frame(b'B', &body)
}

pub fn execute(portal: &str, max_rows: i32) -> Vec<u8> {
    let mut body = format!("{portal}\0").into_bytes();
    body.extend_from_slice(&max_rows.to_be_bytes());
    frame(b'E', &body)
}

pub fn describe(kind: char, name: &str) -> Vec<u8> {
    frame(b'D', format!("{kind}{name}\0").as_bytes())
}

pub fn close(kind: char, name: &str) -> Vec<u8> {
    frame(b'C', format!("{kind}{name}\0").as_bytes())
}

pub fn sync() -> Vec<u8> {
    frame(b'S', b"")
}

pub fn flush() -> Vec<u8> {
    frame(b'H', b"")
}

impl Client {
    pub fn new(stream: TcpStream) -> Client {
        // A test that would hang fails instead.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, pid: 0, secret: Vec::new() }
    }

    /// Sends to a server that may have closed its side.
    pub fn try_send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    pub fn send(&mut self, parts: &[Vec<u8>]) {
        self.stream.write_all(&parts.concat()).unwrap();
    }

    /// The next message; None at the end of the stream.
    pub fn try_receive(&mut self) -> Option<Reply> {
        let mut header = [0; 5];
        match self.stream.read_exact(&mut header) {
            Ok(()) => {}
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => panic!("the server does not answer"),
            Err(_) => return None,
        }
        let length = i32::from_be_bytes(header[1..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        self.stream.read_exact(&mut body).ok()?;
        Some(Reply { kind: header[0] as char, body })
    }

    pub fn receive(&mut self) -> Reply {
        self.try_receive().expect("the server closed the connection")
    }

    /// Sends a start-up packet and takes everything up to ReadyForQuery.
    pub fn start(&mut self, params: &[(&str, &str)]) -> Vec<Reply> {
        self.start_version(3 << 16, params)
    }

    pub fn start_version(&mut self, version: u32, params: &[(&str, &str)]) -> Vec<Reply> {
        self.send(&[startup_packet(version, params)]);
        let replies = self.until_ready();
        let key = replies.iter().find(|r| r.kind == 'K').expect("BackendKeyData");
        self.pid = i32::from_be_bytes(key.body[..4].try_into().unwrap());
        self.secret = key.body[4..].to_vec();
        replies
    }

    /// All messages up to and with ReadyForQuery.
    pub fn until_ready(&mut self) -> Vec<Reply> {
        let mut replies = Vec::new();
        loop {
            let r = self.receive();
            let ready = r.kind == 'Z';
            replies.push(r);
            if ready {
                return replies;
            }
        }
    }

    /// Sends, and gives the types of the answers up to ReadyForQuery with its status.
    pub fn ask(&mut self, parts: &[Vec<u8>]) -> String {
        self.send(parts);
        kinds(&self.until_ready())
    }

    /// Sends, and gives the SQLSTATE of the one error that comes back before ReadyForQuery.
    pub fn error(&mut self, parts: &[Vec<u8>]) -> Reply {
        self.send(parts);
        let replies = self.until_ready();
        let mut errors = replies.iter().filter(|r| r.kind == 'E');
        let e = errors.next().unwrap_or_else(|| panic!("no error in {replies:?}")).clone();
        assert!(errors.next().is_none(), "{replies:?}");
        e
    }

    /// The last message before the server closes the connection.
    pub fn last_words(&mut self) -> Reply {
        let mut last = self.receive();
        while let Some(r) = self.try_receive() {
            last = r;
        }
        last
    }

    /// Whether nothing has arrived that was not read. Only for what must not have been sent before a later event.
    pub fn has_input(&mut self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let n = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).unwrap();
        matches!(n, Ok(n) if n > 0)
    }
}

/// The types of messages as one string, ReadyForQuery with its status.
pub fn kinds(replies: &[Reply]) -> String {
    let mut s = String::new();
    for r in replies {
        s.push(r.kind);
        if r.kind == 'Z' {
            s.push(r.body[0].to_ascii_lowercase() as char);
        }
    }
    s
}

/// The text values of a DataRow.
pub fn values(row: &Reply) -> Vec<Option<String>> {
    assert_eq!(row.kind, 'D');
    let mut rest = &row.body[2..];
    let mut out = Vec::new();
    while !rest.is_empty() {
        let n = i32::from_be_bytes(rest[..4].try_into().unwrap());
        rest = &rest[4..];
        if n < 0 {
            out.push(None);
        } else {
            let (v, r) = rest.split_at(n as usize);
            out.push(Some(String::from_utf8_lossy(v).into_owned()));
            rest = r;
        }
    }
    out
}
