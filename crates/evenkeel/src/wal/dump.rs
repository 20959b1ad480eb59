//! `evenkeel wal dump`: the log in a form that people read.

use super::reader::LogReader;
use super::record::{Kind, Record};
use super::segment::{self, Geometry};
use crate::base::codec::Reader;
use crate::base::{Lsn, Result};
use crate::io::Disk;
use crate::page::Op;

/// Prints every record from `from` (default: the oldest segment that begins a life or that `start` names) to `to`, one line a record,
/// through `print`. Gives the position where the log ended.
pub fn dump(
    disk: &dyn Disk,
    geometry: Geometry,
    from: Lsn,
    to: Lsn,
    print: &mut dyn FnMut(&str) -> std::io::Result<()>,
) -> Result<Lsn> {
    let mut reader = LogReader::open(disk, geometry, from)?;
    loop {
        let before = reader.position();
        if before >= to {
            return Ok(before);
        }
        let Some(record) = reader.next()? else { return Ok(reader.position()) };
        if print(&line(&record)).is_err() {
            return Ok(record.end); // the reader of our output went away
        }
    }
}

/// The first position of the oldest segment that begins a life of the log, where reading can start without knowing more.
pub fn oldest_start(disk: &dyn Disk, geometry: Geometry) -> Result<Option<Lsn>> {
    for n in segment::list(disk)? {
        if let Some((_, h)) = segment::open(disk, n)?
            && (h.prev_incarnation != 0 || n == 1)
        {
            return Ok(Some(geometry.start_of(n)));
        }
    }
    Ok(None)
}

fn line(r: &Record<'_>) -> String {
    use std::fmt::Write;
    let mut s = format!("{} len {:>5} {:?}", r.lsn, r.end.0 - r.lsn.0, r.kind);
    if let Some(t) = r.txn {
        let _ = write!(s, " tx {}", t.id.0);
        if t.prev > 0 {
            let _ = write!(s, " prev first+{}", t.prev - 1);
        }
        if let Some(next) = t.undo_next {
            let _ = write!(s, " undo-next {next}");
        }
    }
    if !r.undo.is_empty() {
        let _ = write!(s, " undo {} bytes", r.undo.len());
    }
    for b in &r.blocks {
        let _ = write!(s, "; {}/{}", b.page.file.0, b.page.block.0);
        if b.init {
            s.push_str(" init");
        }
        if let Some(i) = &b.image {
            let _ = write!(s, " image {}", i.stored_bytes());
        }
        let mut ops = Reader::new(b.ops, "page operation");
        while !ops.is_empty() {
            match Op::decode(&mut ops) {
                Ok(op) => {
                    let _ = write!(s, " {}", op_name(&op));
                }
                Err(e) => {
                    let _ = write!(s, " <{e}>");
                    break;
                }
            }
        }
    }
    if r.kind == Kind::DropFile || r.kind == Kind::Truncate {
        let mut p = Reader::new(r.payload, "payload");
        while let Ok(v) = p.varint() {
            let _ = write!(s, " {v}");
        }
    }
    s
}

fn op_name(op: &Op<'_>) -> String {
    match op {
        Op::Init { kind, level, .. } => format!("init({kind:?} level {level})"),
        Op::Insert { slot, item } => format!("insert(slot {slot}, {} bytes)", item.len()),
        Op::InsertSparse { slot, len, bytes, .. } => {
            format!("insert(slot {slot}, {len} bytes, {} of them not zero)", bytes.len())
        }
        Op::InsertMany { slot, items } => format!("insert-many(slot {slot}, {} bytes)", items.len()),
        Op::Remove { from, to } => format!("remove({from}..{to})"),
        Op::Patch { slot, len: None, ranges } => format!("patch(slot {slot}, {} bytes)", ranges.len()),
        Op::Patch { slot, len: Some(len), ranges } => {
            format!("patch(slot {slot}, len {len}, {} bytes)", ranges.len())
        }
        Op::Right(b) => format!("right({b})"),
        Op::Flags(f) => format!("flags({f})"),
        Op::High(Some(k)) => format!("high({} bytes)", k.len()),
        Op::High(None) => "high(none)".into(),
        Op::Bytes { at, bytes } => format!("bytes({at}, {} bytes)", bytes.len()),
        Op::Bits { on, first, count, .. } => {
            format!("bits({} {first}+{count})", if *on { "set" } else { "clear" })
        }
    }
}
