//! `evenkeel wal dump`: the log in a form that people read.

use super::reader::LogReader;
use super::record::{Kind, Record};
use super::segment::{self, Geometry};
use crate::base::codec::Reader;
use crate::base::{FileId, Lsn, PageId, Result, TxnId};
use crate::io::Disk;
use crate::page::Op;
use std::collections::HashSet;

/// Which records are wanted. The default is all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this transaction.
    pub txn: Option<TxnId>,
    /// Of these transactions: those that committed within a time, say ([`committed_between`]).
    pub txns: Option<HashSet<TxnId>>,
    /// That change this file.
    pub file: Option<FileId>,
    /// That change this page.
    pub page: Option<PageId>,
}

impl Filter {
    /// Whether a record is wanted.
    pub fn wants(&self, r: &Record<'_>) -> bool {
        let id = r.txn.map(|t| t.id);
        self.txn.is_none_or(|t| id == Some(t))
            && self.txns.as_ref().is_none_or(|set| id.is_some_and(|id| set.contains(&id)))
            && self.file.is_none_or(|f| {
                r.blocks.iter().any(|b| b.page.file == f) || operated_file(r).is_some_and(|(g, _)| g == f)
            })
            && self.page.is_none_or(|p| {
                let cut = |(f, left): (FileId, u64)| f == p.file && left <= u64::from(p.block.0);
                r.blocks.iter().any(|b| b.page == p) || operated_file(r).is_some_and(cut)
            })
    }
}

/// The file that a drop or truncation is about, and how many blocks it leaves.
fn operated_file(r: &Record<'_>) -> Option<(FileId, u64)> {
    let mut p = Reader::new(r.payload, "payload");
    match r.kind {
        Kind::DropFile => Some((FileId(p.varint().ok()?), 0)),
        Kind::Truncate => Some((FileId(p.varint().ok()?), p.varint().ok()?)),
        _ => None,
    }
}

/// Hands every wanted record of `from..to` to `each`, in order, until that fails. Gives the position where reading ended.
pub fn scan(
    disk: &dyn Disk,
    geometry: Geometry,
    from: Lsn,
    to: Lsn,
    filter: &Filter,
    each: &mut dyn FnMut(&Record<'_>) -> std::io::Result<()>,
) -> Result<Lsn> {
    let mut reader = LogReader::open(&disk, geometry, from)?;
    loop {
        let before = reader.position();
        if before >= to {
            return Ok(before);
        }
        let Some(record) = reader.next()? else { return Ok(reader.position()) };
        if filter.wants(&record) && each(&record).is_err() {
            return Ok(record.end); // the reader of our output went away
        }
    }
}

/// The transactions whose commit in `from..to` carries a time in `since..=until`, in milliseconds since the Unix epoch.
pub fn committed_between(
    disk: &dyn Disk,
    geometry: Geometry,
    (from, to): (Lsn, Lsn),
    (since, until): (u64, u64),
) -> Result<HashSet<TxnId>> {
    let mut found = HashSet::new();
    scan(disk, geometry, from, to, &Filter::default(), &mut |r| {
        if let (Some(t), Some(at)) = (r.txn, r.commit_time_ms())
            && (since..=until).contains(&at)
        {
            found.insert(t.id);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Prints every record from `from` to `to`, one line a record, through `print`. Gives the position where the log ended.
pub fn dump(
    disk: &dyn Disk,
    geometry: Geometry,
    from: Lsn,
    to: Lsn,
    print: &mut dyn FnMut(&str) -> std::io::Result<()>,
) -> Result<Lsn> {
    scan(disk, geometry, from, to, &Filter::default(), &mut |r| print(&line(r)))
}

/// The first position of the oldest segment that begins a life of the log, where reading can start without knowing more.
pub fn oldest_start(disk: &dyn Disk, geometry: Geometry) -> Result<Option<Lsn>> {
    for n in segment::list(disk)? {
        if let Some((_, h)) = segment::open(disk, n)?
            && h.begins_life()
        {
            return Ok(Some(geometry.start_of(n)));
        }
    }
    Ok(None)
}

/// A record as a JSON object, on one line.
pub fn json(r: &Record<'_>) -> String {
    use std::fmt::Write;
    let mut s = format!("{{\"lsn\":\"{}\",\"end\":\"{}\",\"kind\":\"{:?}\"", r.lsn, r.end, r.kind);
    if let Some(t) = r.txn {
        let _ = write!(s, ",\"txid\":{}", t.id.0);
        if t.prev > 0 {
            let _ = write!(s, ",\"prev_from_first\":{}", t.prev - 1);
        }
        if let Some(next) = t.undo_next {
            let _ = write!(s, ",\"undo_next\":\"{next}\"");
        }
    }
    if let Some(at) = r.commit_time_ms() {
        let _ = write!(s, ",\"time_ms\":{at}");
    }
    if !r.undo.is_empty() {
        let _ = write!(s, ",\"undo_bytes\":{}", r.undo.len());
    }
    if let Some((file, left)) = operated_file(r) {
        let _ = write!(s, ",\"file\":{},\"blocks_left\":{left}", file.0);
    }
    if !r.blocks.is_empty() {
        s.push_str(",\"blocks\":[");
        for (i, b) in r.blocks.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let _ = write!(s, "{comma}{{\"file\":{},\"block\":{}", b.page.file.0, b.page.block.0);
            if b.init {
                s.push_str(",\"init\":true");
            }
            if let Some(image) = &b.image {
                let _ = write!(s, ",\"image_bytes\":{}", image.stored_bytes());
            }
            if let Some(bytes) = b.stripped_bytes {
                let _ = write!(s, ",\"stripped_bytes\":{bytes}");
            }
            s.push_str(",\"ops\":[");
            for (j, op) in op_names(b.ops).iter().enumerate() {
                let _ = write!(s, "{}\"{op}\"", if j > 0 { "," } else { "" });
            }
            s.push_str("]}");
        }
        s.push(']');
    }
    s.push('}');
    s
}

/// A record as a line for people.
pub fn line(r: &Record<'_>) -> String {
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
        if let Some(bytes) = b.stripped_bytes {
            let _ = write!(s, " image-stripped {bytes}");
        }
        for op in op_names(b.ops) {
            let _ = write!(s, " {op}");
        }
    }
    if let Some(at) = r.commit_time_ms() {
        let _ = write!(s, " at {at} ms");
    }
    if r.kind == Kind::DropFile || r.kind == Kind::Truncate {
        let mut p = Reader::new(r.payload, "payload");
        while let Ok(v) = p.varint() {
            let _ = write!(s, " {v}");
        }
    }
    s
}

/// The names of a block's operations, the last one an error if they cannot be read.
fn op_names(ops: &[u8]) -> Vec<String> {
    let mut ops = Reader::new(ops, "page operation");
    let mut names = Vec::new();
    while !ops.is_empty() {
        match Op::decode(&mut ops) {
            Ok(op) => names.push(op_name(&op)),
            Err(e) => {
                names.push(format!("<{e}>"));
                break;
            }
        }
    }
    names
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::codec::put_varint;
    use crate::wal::record::{TxnLink, put_change_head, put_head};

    #[test]
    fn what_cuts_or_drops_a_file_is_wanted_with_it_and_with_the_pages_that_go() {
        let mut body = Vec::new();
        put_head(&mut body, Kind::Truncate, None, &[]);
        put_varint(&mut body, 17);
        put_varint(&mut body, 5);
        let record = Record::decode(&body, Lsn(100), Lsn(120)).unwrap();
        let of_file = |n| Filter { file: Some(FileId(n)), ..Filter::default() }.wants(&record);
        assert_eq!((of_file(17), of_file(18)), (true, false));
        let of_page = |file, block| {
            let page = Some(PageId::new(FileId(file), block));
            Filter { page, ..Filter::default() }.wants(&record)
        };
        assert_eq!((of_page(17, 4), of_page(17, 5), of_page(18, 5)), (false, true, false));
    }

    #[test]
    fn a_link_is_shown_where_there_is_one() {
        let shown = |prev| {
            let mut body = Vec::new();
            put_change_head(&mut body, Some(TxnLink { id: TxnId(7), prev, undo_next: None }), b"", 0);
            let record = Record::decode(&body, Lsn(100), Lsn(120)).unwrap();
            (line(&record).contains("prev"), json(&record).contains("prev"), line(&record))
        };
        assert!(matches!(shown(0), (false, false, _)), "{:?}", shown(0));
        let (in_line, in_json, text) = shown(31);
        assert!(in_line && in_json && text.contains("prev first+30"), "{text}");
    }
}
