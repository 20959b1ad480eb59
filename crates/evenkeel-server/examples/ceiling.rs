//! The protocol's ceiling: this server's session loop with nothing behind it.
//!
//! Duty: answer what pgbench's built-in scripts send with plausible constants, so that `pgbench -n -S` and `-N` measure sockets,
//! threads and the protocol alone. For measurements only; it stores nothing.
//!
//! ```text
//! cargo run --release -p evenkeel-server --example ceiling -- 5499
//! pgbench -h 127.0.0.1 -p 5499 -n -S -M prepared -c 8 -j 2 -T 10 x
//! ```

use std::sync::Arc;

use evenkeel::{Basis, Lsn};
use evenkeel_server::{Outcome, Server, ServerSettings, Service, SqlSession, Timeouts, Users};
use evenkeel_sql::{Column, CommandTag, Notice, Reply, RowSink, SessionParams, SqlError};
use evenkeel_types::{Datum, FormatOptions, Type};

struct Ceiling;

struct CeilingSession {
    in_transaction: bool,
}

#[derive(Clone)]
struct Statement(Arc<Answer>);

struct Answer {
    parameters: Vec<Type>,
    columns: Option<Vec<Column>>,
    row: Option<Vec<Datum>>,
    tag: &'static str,
    transaction: Option<bool>,
}

fn answer(sql: &str) -> Answer {
    let sql = sql.trim().to_ascii_lowercase();
    let parameters = (1..).take_while(|i| sql.contains(&format!("${i}"))).map(|_| Type::Int4).collect();
    let int4 = |v| (Type::Int4, Datum::Int4(v));
    let int8 = |v| (Type::Int8, Datum::Int8(v));
    let (row, tag, transaction) = match sql.split([' ', ';']).next().unwrap_or("") {
        "begin" => (None, "BEGIN", Some(true)),
        "end" | "commit" => (None, "COMMIT", Some(false)),
        "rollback" => (None, "ROLLBACK", Some(false)),
        "update" => (None, "UPDATE 1", None),
        "insert" => (None, "INSERT 0 1", None),
        "vacuum" => (None, "VACUUM", None),
        "truncate" => (None, "TRUNCATE TABLE", None),
        "select" if sql.contains("count(*)") => (Some(vec![int8(10)]), "SELECT 1", None),
        "select" if sql.contains("partstrat") => {
            (Some(vec![int8(1), (Type::Text, Datum::Null), int8(0)]), "SELECT 1", None)
        }
        _ => (Some(vec![int4(42)]), "SELECT 1", None),
    };
    let columns = row.as_ref().map(|row| {
        let column = |(ty, _): &(Type, Datum)| Column::of("abalance".into(), *ty, -1);
        row.iter().map(column).collect()
    });
    let row = row.map(|row| row.into_iter().map(|(_, value)| value).collect());
    Answer { parameters, columns, row, tag, transaction }
}

impl Service for Ceiling {
    type Session = CeilingSession;

    fn session(&self, _: SessionParams) -> Result<CeilingSession, SqlError> {
        Ok(CeilingSession { in_transaction: false })
    }

    fn wait_durable(&self, _: Lsn) -> Result<(), SqlError> {
        Ok(())
    }

    fn durable_lsn(&self) -> Lsn {
        Lsn(0)
    }

    fn newest(&self) -> Basis {
        Basis::NONE
    }
}

impl SqlSession for CeilingSession {
    type Statement = Statement;
    type Portal = Statement;
    type CopyIn = ();

    fn parse_script(&mut self, sql: &str) -> Result<Vec<Statement>, SqlError> {
        Ok(sql.split(';').filter(|s| !s.trim().is_empty()).map(|s| Statement(Arc::new(answer(s)))).collect())
    }

    fn prepare(&mut self, sql: &str, _: &[u32]) -> Result<Statement, SqlError> {
        Ok(Statement(Arc::new(answer(sql))))
    }

    fn parameter_types(statement: &Statement) -> &[Type] {
        &statement.0.parameters
    }

    fn parameter_oids(statement: &Statement) -> Vec<u32> {
        statement.0.parameters.iter().map(|t| t.oid()).collect()
    }

    fn columns(statement: &Statement) -> Option<&[Column]> {
        statement.0.columns.as_deref()
    }

    fn bind(&mut self, statement: &Statement, _: Vec<Datum>) -> Result<Statement, SqlError> {
        Ok(statement.clone())
    }

    fn portal_columns(portal: &Statement) -> Option<&[Column]> {
        portal.0.columns.as_deref()
    }

    fn run(
        &mut self,
        portal: &mut Statement,
        _: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Outcome<()>, SqlError> {
        if let Some(row) = &portal.0.row {
            sink.row(row)?;
        }
        self.in_transaction = portal.0.transaction.unwrap_or(self.in_transaction);
        Ok(Outcome::Done(CommandTag::from(portal.0.tag.to_string())))
    }

    fn copy_in_shape(_: &()) -> (usize, bool) {
        (0, false)
    }

    fn copy_in_data(&mut self, _: &mut (), _: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }

    fn copy_in_finish(&mut self, _: ()) -> Result<CommandTag, SqlError> {
        Ok(CommandTag::of("COPY 0"))
    }

    fn fail(&mut self) {}

    fn sync(&mut self) -> Result<(), SqlError> {
        Ok(())
    }

    fn transaction_status(&self) -> u8 {
        if self.in_transaction { b'T' } else { b'I' }
    }

    fn reply(&self) -> Reply {
        Reply::default()
    }

    fn take_parameter_changes(&mut self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }

    fn initial_parameters(&mut self) -> Vec<(String, String)> {
        let pairs =
            [("server_version", "18.0"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on")];
        pairs.map(|(n, v)| (n.to_string(), v.to_string())).to_vec()
    }

    fn format_options(&self) -> FormatOptions {
        FormatOptions::default()
    }

    fn timeouts(&self) -> Timeouts {
        Timeouts::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut settings = ServerSettings::default();
    settings.set("port", &std::env::args().nth(1).unwrap_or_else(|| "5499".into()))?;
    let server = Server::start(Arc::new(Ceiling), settings, Users::new(), Vec::new())?;
    println!("listening on {:?} and {:?} until killed", server.addresses(), server.unix_sockets());
    loop {
        std::thread::park();
    }
}
