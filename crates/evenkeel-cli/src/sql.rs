//! `evenkeel sql`: statements on a database that no server holds.
//!
//! It must not know the wire protocol.

use std::io::{self, Read, Write, stdin, stdout};
use std::process::ExitCode;

use evenkeel::{Database, Interrupt};
use evenkeel_sql::{
    Column, Configured, Given, Instance, Progress, RowSink, Session, SessionParams, SqlError, SqlState,
};
use evenkeel_types::{Datum, FormatOptions, Type, output_text};

use crate::cluster::refuse_member;
use crate::config::Config;
use crate::folder::{explain, must_hold_database};
use crate::interrupt::say_when_interrupted;
use crate::recovery_bar::show_recovery;
use crate::table::Table;
use crate::{CliError, SqlArgs, io_error};

/// Bound for the sorts and row sets of one statement, bytes.
const STATEMENT_MEMORY_BYTES: usize = 1 << 30;
/// Read from standard input at a time, bytes.
const COPY_CHUNK_BYTES: usize = 64 << 10;

/// Runs the statements of the arguments in turn.
pub(crate) fn run(args: SqlArgs) -> Result<ExitCode, CliError> {
    let config = Config::load(None, &args.data, None, &args.set)?;
    if !args.create {
        must_hold_database(&args.data)?;
    }
    // What it wrote would be on no quorum.
    refuse_member(&args.data)?;
    say_when_interrupted("what had not committed is rolled back when the database is opened next")?;
    let options = show_recovery(config.engine.clone());
    let database = Database::open(&args.data, options).map_err(|e| explain(e, &args.data))?;
    let outcome = Instance::open(database.clone()).map_err(CliError::from).and_then(|instance| {
        instance.set_temp_folder(args.data.clone());
        let mut runner = Runner {
            session: instance.session(session_params(config.session_defaults.clone()))?,
            args: &args,
            stdin_is_script: args.statements.iter().any(|s| s == "-"),
        };
        runner.run_all()
    });
    let closed = database.close();
    let good = outcome?;
    closed?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a session without a client starts with.
pub(crate) fn session_params(defaults: Vec<(String, Given)>) -> SessionParams {
    SessionParams {
        user: "postgres".into(),
        database: "postgres".into(),
        application_name: "evenkeel sql".into(),
        client_addr: None,
        server_addr: None,
        client_port: None,
        system_user: None,
        configured: Configured::new(defaults),
        settings: Vec::new(),
        backend_pid: std::process::id() as i32,
        interrupt: Interrupt::new(),
        statement_memory_bytes: STATEMENT_MEMORY_BYTES,
        as_owner: true,
        log_origin: Default::default(),
    }
}

/// How running a script ended early.
enum Failed {
    Statement(SqlError),
    Output(io::Error),
}

impl From<SqlError> for Failed {
    fn from(e: SqlError) -> Failed {
        Failed::Statement(e)
    }
}

impl From<io::Error> for Failed {
    fn from(e: io::Error) -> Failed {
        Failed::Output(e)
    }
}

struct Runner<'a> {
    session: Session,
    args: &'a SqlArgs,
    stdin_is_script: bool,
}

impl Runner<'_> {
    /// Runs every argument; false at the first error, which was printed.
    fn run_all(&mut self) -> Result<bool, CliError> {
        for argument in &self.args.statements {
            let from_stdin;
            let script = if argument == "-" {
                from_stdin = io::read_to_string(stdin()).map_err(io_error("standard input"))?;
                &from_stdin
            } else {
                argument
            };
            match self.run_script(script) {
                Ok(()) => {}
                Err(Failed::Statement(e)) => {
                    self.session.fail();
                    self.print_notices();
                    print_error(&e, script);
                    return Ok(false);
                }
                // The reader of a pipe had enough.
                Err(Failed::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(true),
                Err(Failed::Output(e)) => return Err(io_error("standard output")(e)),
            }
        }
        Ok(true)
    }

    fn run_script(&mut self, script: &str) -> Result<(), Failed> {
        let statements = self.session.parse_script(script)?;
        let count = statements.len();
        for (i, statement) in statements.iter().enumerate() {
            let mut portal = self.session.bind(statement, Vec::new())?;
            let mut sink = Collector::new(portal.columns(), self.session.format_options());
            let progress = self.session.run(&mut portal, 0, &mut sink)?;
            let tag = match progress {
                Progress::Done(tag) => Some(tag),
                Progress::CopyIn(mut copy) => {
                    if self.stdin_is_script {
                        let message = "COPY from standard input, which is where the statements came from";
                        return Err(SqlError::unsupported(message).into());
                    }
                    let mut buf = vec![0; COPY_CHUNK_BYTES];
                    loop {
                        let n = stdin().read(&mut buf)?;
                        if n == 0 {
                            break;
                        }
                        self.session.copy_in_data(&mut copy, &buf[..n])?;
                    }
                    Some(self.session.copy_in_finish(copy)?)
                }
                Progress::Suspended | Progress::Empty | Progress::Waits => None,
            };
            drop(portal);
            if i + 1 == count {
                self.session.sync()?;
            }
            self.print_notices();
            self.print_result(sink, tag.as_ref().map(ToString::to_string).as_deref())?;
        }
        self.session.sync()?;
        Ok(())
    }

    fn print_result(&self, sink: Collector, tag: Option<&str>) -> io::Result<()> {
        let mut out = stdout().lock();
        match (sink.table, tag) {
            (Some(table), _) if self.args.csv => table.write_csv(&mut out, self.args.tuples_only)?,
            (Some(table), _) => table.write_aligned(&mut out, self.args.tuples_only)?,
            (None, Some(tag)) if !sink.copied_out && !self.args.tuples_only && !self.args.csv => {
                writeln!(out, "{tag}")?
            }
            _ => {}
        }
        out.flush()
    }

    fn print_notices(&mut self) {
        for notice in self.session.take_notices() {
            eprintln!("{}:  {}", notice.severity, notice.message);
        }
    }
}

/// As psql prints errors.
fn print_error(e: &SqlError, script: &str) {
    eprintln!("ERROR:  {}", e.message);
    if let Some(position) = e.position {
        let before: String = script.chars().take(position.saturating_sub(1)).collect();
        let line_number = before.matches('\n').count() + 1;
        let line = script.lines().nth(line_number - 1).unwrap_or("");
        let column = before.chars().rev().take_while(|&c| c != '\n').count();
        let prefix = format!("LINE {line_number}: ");
        eprintln!("{prefix}{line}");
        eprintln!("{}^", " ".repeat(prefix.len() + column));
    }
    for (name, text) in [("DETAIL", &e.detail), ("HINT", &e.hint), ("CONTEXT", &e.context)] {
        if let Some(text) = text {
            eprintln!("{name}:  {text}");
        }
    }
}

/// Keeps a result as text; COPY data goes out as it comes.
struct Collector {
    table: Option<Table>,
    types: Vec<(Type, i32)>,
    options: FormatOptions,
    copied_out: bool,
}

impl Collector {
    fn new(columns: Option<&[Column]>, options: FormatOptions) -> Collector {
        let table = columns.map(|columns| Table {
            headings: columns.iter().map(|c| c.name.clone()).collect(),
            right: columns.iter().map(|c| is_number(c.ty)).collect(),
            rows: Vec::new(),
        });
        let types = columns.unwrap_or_default().iter().map(|c| (c.ty, c.typmod)).collect();
        Collector { table, types, options, copied_out: false }
    }
}

/// psql aligns these to the right.
fn is_number(ty: Type) -> bool {
    matches!(ty.oid(), 20 | 21 | 23 | 26 | 28 | 700 | 701 | 790 | 1700)
}

impl RowSink for Collector {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        let mut texts = Vec::with_capacity(row.len());
        for (value, &(ty, typmod)) in row.iter().zip(&self.types) {
            texts.push(match value {
                Datum::Null => None,
                value => {
                    let mut bytes = Vec::new();
                    output_text(value, ty, typmod, &self.options, &mut bytes)?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
            });
        }
        if let Some(table) = &mut self.table {
            table.rows.push(texts);
        }
        Ok(())
    }

    fn copy_out_begin(&mut self, _columns: usize, _binary: bool) -> Result<(), SqlError> {
        self.copied_out = true;
        Ok(())
    }

    fn copy_data(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        let written = stdout().lock().write_all(bytes);
        written.map_err(|e| {
            SqlError::new(SqlState::IO_ERROR, format!("could not write to standard output: {e}"))
        })
    }
}
