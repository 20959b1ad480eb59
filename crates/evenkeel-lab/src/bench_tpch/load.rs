//! Filling the tables, by COPY.
//!
//! It must not know which server it is.

use std::fmt::{Display, Write};

use super::schema::{self, SCHEMA, TABLES};
use crate::bench_checkpoints::prepare::{CONTROL_NAME, Tick, patiently};
use crate::bench_checkpoints::{Error, server_error};
use evenkeel_client::{ConnString, Connection, Message, WireError};
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

/// Rows are sent when there are so many bytes of them.
const MESSAGE_BYTES: usize = 64 << 10;
/// Bytes of all rows at scale 1, about.
const SCALE_BYTES: f64 = 1.0e9;

/// Whether tables of this scale are there, with all that belongs to them.
pub fn is_there(control: &mut Connection, scale: f64) -> bool {
    let mut value = |sql: &str| control.value(sql).ok().flatten();
    let last =
        format!("SELECT count(*) FROM pg_indexes WHERE schemaname = '{SCHEMA}' AND tablename = 'lineitem'");
    let orders = format!("SELECT count(*) FROM {SCHEMA}.orders");
    // A key, and three more.
    value(&last).is_some_and(|n| n == "4")
        && value(&orders).and_then(|n| n.parse::<f64>().ok()).is_some_and(|n| n == (1.5e6 * scale).floor())
}

/// Removes the tables.
pub fn remove(control: &mut Connection) -> Result<(), WireError> {
    // What does not exist is not worth a notice.
    control.query("SET client_min_messages = warning")?;
    for table in &TABLES {
        control.query(&format!("DROP TABLE IF EXISTS {SCHEMA}.{}", table.name))?;
    }
    control.query(&format!("DROP SCHEMA IF EXISTS {SCHEMA}")).map(drop)
}

/// Creates and fills the tables, in the place of older ones, makes their indexes and ANALYZEs them. Blocks; `tick` is told how much is done, and may end it.
pub fn load(to: &ConnString, name: &str, scale: f64, tick: Tick<'_>) -> Result<(), Error> {
    let mut control = Connection::open(to, CONTROL_NAME).map_err(server_error(name))?;
    remove(&mut control).map_err(server_error(name))?;
    patiently(&mut control, name, &format!("CREATE SCHEMA {SCHEMA}"), tick)?;
    for table in &TABLES {
        let sql = format!("CREATE TABLE {SCHEMA}.{} ({})", table.name, table.columns);
        patiently(&mut control, name, &sql, tick)?;
    }
    let mut copy = Copy { connection: control, name, bytes: Vec::new(), sent: 0, scale, tick };
    copy.table("region", RegionGenerator::new(scale, 1, 1).iter())?;
    copy.table("nation", NationGenerator::new(scale, 1, 1).iter())?;
    copy.table("supplier", SupplierGenerator::new(scale, 1, 1).iter())?;
    copy.table("part", PartGenerator::new(scale, 1, 1).iter())?;
    copy.table("partsupp", PartSuppGenerator::new(scale, 1, 1).iter())?;
    copy.table("customer", CustomerGenerator::new(scale, 1, 1).iter())?;
    copy.table("orders", OrderGenerator::new(scale, 1, 1).iter())?;
    copy.table("lineitem", LineItemGenerator::new(scale, 1, 1).iter())?;
    let Copy { connection: mut control, tick, .. } = copy;
    let analyze = TABLES.iter().map(|t| format!("ANALYZE {SCHEMA}.{}", t.name));
    for sql in schema::indexes().into_iter().chain(analyze).chain(["CHECKPOINT".into()]) {
        patiently(&mut control, name, &sql, tick)?;
    }
    tick(Some(1.0))
}

struct Copy<'a> {
    connection: Connection,
    name: &'a str,
    /// Rows that are not sent yet.
    bytes: Vec<u8>,
    sent: usize,
    scale: f64,
    tick: Tick<'a>,
}

impl Copy<'_> {
    fn table<R: Display>(&mut self, table: &str, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        let sql = format!("COPY {SCHEMA}.{table} FROM STDIN (DELIMITER '|')");
        self.connection.begin_copy(&sql).map_err(server_error(self.name))?;
        let mut line = String::new();
        for row in rows {
            line.clear();
            let _ = write!(line, "{row}"); // a string takes everything
            // Each value ends with a bar, also the last.
            self.bytes.extend_from_slice(line.trim_end_matches('|').as_bytes());
            self.bytes.push(b'\n');
            if self.bytes.len() >= MESSAGE_BYTES {
                self.send()?;
            }
        }
        self.send()?;
        let end = self.connection.write(&Message::new(b'c').end()).map_err(WireError::from);
        end.and_then(|()| self.connection.until_ready()).map(drop).map_err(server_error(self.name))
    }

    fn send(&mut self) -> Result<(), Error> {
        let mut message = Message::new(b'd');
        message.bytes(&self.bytes);
        self.connection.write(&message.end()).map_err(|e| server_error(self.name)(e.into()))?;
        self.sent += self.bytes.len();
        self.bytes.clear();
        // Indexes take about as long.
        (self.tick)(Some((self.sent as f64 / (2.0 * SCALE_BYTES * self.scale)).min(0.9)))
    }
}
