//! What was counted, over a clean stop: one file, written when the database is closed, read and removed by the next start.
//!
//! Invariants:
//! 1. What is taken up was counted until the moment at which this life of the log begins: the file names the life that its writer closed, and who follows no life that was
//!    closed takes nothing. So neither a crash nor a file that comes back after a power cut (its removal is not synced) brings counts of long ago.
//! 2. All of a file is taken, or nothing of it.
//! 3. It is worth a try only: nothing is synced, and no failure here is one of the start or of the stop.
//!
//! Must not know: who stops, where the file is.

use crate::catalog::Table;
use crate::catalog::uses::{Pages, Used};
use crate::instance::Instance;
use crate::of_database::{OfDatabase, Totals};
use crate::of_engine::{EngineTotals, Group};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

/// How a file begins; its version, and the checksum of the second line, are behind it.
const HEAD: &str = "evenkeel counts 1 ";
/// No file of ours is larger.
const BYTES_MAX: u64 = 1 << 30;

/// Counts, to be written once the database is closed.
pub struct KeptCounts(String);

impl KeptCounts {
    /// Writes them, for the server alone: there are statements among them.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let new = file.with_extension("new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&new)?.write_all(self.0.as_bytes())?;
        std::fs::rename(new, file)
    }
}

fn framed(counts: &Value) -> String {
    let text = counts.to_string();
    format!("{HEAD}{:08x}\n{text}", crc32c::crc32c(text.as_bytes()))
}

fn unframed(file: &[u8]) -> Option<Value> {
    let rest = file.strip_prefix(HEAD.as_bytes())?;
    let (sum, text) = (rest.get(..8)?, rest.get(8..)?.strip_prefix(b"\n")?);
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    if sum != crc32c::crc32c(text) {
        return None;
    }
    serde_json::from_slice(text).ok()
}

fn used_to_keep(used: &Used) -> [i64; 6] {
    let n = |n: u64| n.min(i64::MAX as u64) as i64;
    [n(used.scans), n(used.read), n(used.fetched), used.last_us, n(used.pages.hits), n(used.pages.reads)]
}

fn used_of(v: &Value) -> Option<Used> {
    let n = |at: usize| v.get(at)?.as_u64();
    let pages = Pages { hits: n(4)?, reads: n(5)? };
    Some(Used { scans: n(0)?, read: n(1)?, fetched: n(2)?, last_us: v.get(3)?.as_i64()?, pages })
}

/// A table's counts, as read.
struct OfTable {
    changes: Vec<i64>,
    whole: Used,
    indexes: Vec<(u32, Used)>,
}

fn oid(v: &Value) -> Option<u32> {
    u32::try_from(v.as_u64()?).ok()
}

fn table_to_keep(database: u32, t: &Table) -> Value {
    let uses = &t.shared.uses;
    let indexes: Vec<Value> =
        uses.of_indexes().iter().map(|(oid, used)| json!([oid, used_to_keep(used)])).collect();
    json!([database, t.oid, t.shared.to_keep(), used_to_keep(&uses.of_table()), indexes])
}

fn table_of(v: &Value) -> Option<((u32, u32), OfTable)> {
    let index = |v: &Value| Some((oid(v.get(0)?)?, used_of(v.get(1)?)?));
    let of = OfTable {
        changes: v.get(2)?.as_array()?.iter().map(Value::as_i64).collect::<Option<_>>()?,
        whole: used_of(v.get(3)?)?,
        indexes: v.get(4)?.as_array()?.iter().map(index).collect::<Option<_>>()?,
    };
    Some(((oid(v.get(0)?)?, oid(v.get(1)?)?), of))
}

fn database_to_keep(oid: u32, mut totals: Totals, reset_us: Option<i64>) -> Value {
    let mut all = Map::new();
    totals.each(|name, n| _ = all.insert(name.to_owned(), json!(*n)));
    json!([oid, all, reset_us])
}

fn database_of(v: &Value) -> Option<(u32, OfDatabase)> {
    let (all, mut totals) = (v.get(1)?.as_object()?, Totals::default());
    totals.each(|name, n| *n = all.get(name).and_then(Value::as_u64).unwrap_or(0));
    let reset = v.get(2)?;
    let reset_us = if reset.is_null() { None } else { Some(reset.as_i64()?) };
    Some((oid(v.get(0)?)?, OfDatabase::of_before(totals, reset_us)))
}

fn engine_to_keep(mut totals: EngineTotals) -> Value {
    let mut all = Map::new();
    totals.figures.each(|name, _, n| _ = all.insert(name.to_owned(), json!(*n)));
    let since: Map<String, Value> =
        Group::ALL.iter().map(|g| (g.name().to_owned(), json!(totals.since(*g)))).collect();
    json!({ "counts": all, "since": since, "archived": totals.last.done, "failed": totals.last.failed })
}

fn engine_of(v: &Value) -> Option<EngineTotals> {
    let (counts, since) = (v.get("counts")?.as_object()?, v.get("since")?);
    let mut totals = EngineTotals::default();
    totals.figures.each(|name, _, n| *n = counts.get(name).and_then(Value::as_u64).unwrap_or(0));
    for g in Group::ALL {
        totals.since_us[g as usize] = since.get(g.name())?.as_i64()?;
    }
    let named = |name: &str| {
        let v = v.get(name)?;
        Some((v.get(0)?.as_str()?.to_owned(), v.get(1)?.as_u64()?))
    };
    (totals.last.done, totals.last.failed) = (named("archived"), named("failed"));
    Some(totals)
}

/// All of a file. (2)
struct Read {
    life: u64,
    engine: EngineTotals,
    databases: Vec<(u32, OfDatabase)>,
    tables: HashMap<(u32, u32), OfTable>,
    statements: Value,
}

fn read(v: &Value) -> Option<Read> {
    Some(Read {
        life: v.get("life")?.as_u64()?,
        engine: engine_of(v.get("engine")?)?,
        databases: v.get("databases")?.as_array()?.iter().map(database_of).collect::<Option<_>>()?,
        tables: v.get("tables")?.as_array()?.iter().map(table_of).collect::<Option<_>>()?,
        statements: v.get("statements")?.clone(),
    })
}

impl Instance {
    /// What was counted, to be written once the database is closed; `with_statements`: also of statements.
    pub fn counts_to_keep(&self, with_statements: bool) -> KeptCounts {
        let parts: BTreeMap<u32, Arc<_>> =
            self.store.parts().iter().map(|p| (p.database(), p.current())).collect();
        let databases: Vec<Value> = parts
            .keys()
            .map(|oid| {
                let (totals, reset_us) = self.database_totals(*oid);
                database_to_keep(*oid, totals, reset_us)
            })
            .collect();
        let tables = parts.iter().flat_map(|(oid, c)| c.tables().map(move |t| table_to_keep(*oid, t)));
        let tables: Vec<Value> = tables.collect();
        let statements = with_statements.then(|| self.counts.save());
        KeptCounts(framed(&json!({
            "life": self.database().life(),
            "engine": engine_to_keep(self.of_engine.totals(self.database())),
            "databases": databases,
            "tables": tables,
            "statements": statements,
        })))
    }

    /// Takes up what such a file says, and removes it; before sessions begin. An error says why it counts anew.
    pub fn take_up_counts(&self, file: &Path, with_statements: bool) -> Result<(), String> {
        let bytes = match std::fs::metadata(file) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Ok(m) if m.len() <= BYTES_MAX => std::fs::read(file),
            Ok(_) => Ok(Vec::new()),
            Err(e) => Err(e),
        };
        std::fs::remove_file(file).map_err(|e| format!("it cannot be removed: {e}"))?;
        let bytes = bytes.map_err(|e| e.to_string())?;
        let of_file =
            unframed(&bytes).and_then(|v| read(&v)).ok_or("it is damaged, or of another version")?;
        // (1)
        match self.database().life_before() {
            Some(life) if life == of_file.life => {}
            Some(_) => return Err("it is of another time of the database, or of another database".to_owned()),
            None => return Err("the database was not shut down cleanly".to_owned()),
        }
        if with_statements && !of_file.statements.is_null() && !self.counts.load(&of_file.statements) {
            return Err("its counts of statements cannot be understood".to_owned());
        }
        self.of_engine.take_up(of_file.engine);
        for (oid, before) in of_file.databases {
            self.take_up_database(oid, before);
        }
        for part in self.store.parts() {
            for t in part.current().tables() {
                let Some(of) = of_file.tables.get(&(part.database(), t.oid)) else { continue };
                if !t.shared.take_up(&of.changes) {
                    continue;
                }
                if of.whole != Used::default() {
                    t.shared.uses.table().add(of.whole);
                }
                of.indexes.iter().for_each(|(oid, used)| t.shared.uses.index(*oid).add(*used));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_is_noticed() {
        let counts = json!({ "life": 7, "databases": [[5, { "commits": 3 }, null]] });
        let file = framed(&counts);
        assert_eq!(unframed(file.as_bytes()), Some(counts));
        for at in 0..file.len() {
            let mut bad = file.clone().into_bytes();
            bad[at] ^= 0x10;
            assert_eq!(unframed(&bad), None, "byte {at}");
            assert_eq!(unframed(&bad[..at]), None, "cut at {at}");
        }
        assert_eq!(unframed(b""), None);
    }
}
