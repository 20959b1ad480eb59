//! Rows that a statement does not keep in memory: temporary files without a name, so that nothing is left of them after a crash.
//!
//! A file is a sequence of records: their length (4 bytes), then values that say what they are. It is written once, from front to back, and may then
//! be read from the front as often as is wanted.
//!
//! Invariants
//! 1. What the files of a session take together does not pass `temp_file_limit`.
//! 2. A full disk fails the statement with 53100; nothing else is harmed by it.
//!
//! Must not know: what the rows are for.

use super::Row;
use crate::plan::explain::Did;
use evenkeel::base::is_out_of_space;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::tagged::{read_tagged, write_tagged};
use evenkeel_types::{Datum, guard};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Files that rows are divided among, by hash.
pub const PARTITIONS: usize = 32;
/// Bits of a hash that one division takes.
const PARTITION_BITS: u32 = PARTITIONS.trailing_zeros();
/// Where they begin: hash tables go by the lowest and the highest ones.
const FIRST_BIT: u32 = 24;
/// How often rows are divided anew before it is given up: they are alike.
pub const LEVELS_MAX: u32 = 5;

/// Files of that size and more are told of when they go (`log_temp_files`).
pub struct LargeFiles {
    /// In bytes.
    pub from_bytes: u64,
    /// Tells of one, by its size.
    pub tell: Box<dyn Fn(u64) + Send + Sync>,
}

impl std::fmt::Debug for LargeFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.from_bytes.fmt(f)
    }
}

/// Where a session's temporary files go, and how much.
#[derive(Debug)]
pub struct TempSpace {
    /// The folder.
    pub folder: PathBuf,
    /// `temp_file_limit`; None: any size.
    pub limit_bytes: Option<u64>,
    /// Those that are logged; None: none.
    pub large: Option<LargeFiles>,
    /// What all files have now.
    pub used_bytes: AtomicU64,
    /// What was written to them until now.
    pub written_bytes: AtomicU64,
    /// And read.
    pub read_bytes: AtomicU64,
    /// Files that were made and are not counted yet.
    pub files: AtomicU64,
}

impl TempSpace {
    /// Without files yet.
    pub fn new(folder: PathBuf, limit_bytes: Option<u64>, large: Option<LargeFiles>) -> TempSpace {
        let zero = || AtomicU64::new(0);
        TempSpace {
            folder,
            limit_bytes,
            large,
            used_bytes: zero(),
            written_bytes: zero(),
            read_bytes: zero(),
            files: zero(),
        }
    }
}

/// What a statement may take.
#[derive(Clone, Debug)]
pub struct Budget {
    /// In memory, all together.
    pub statement_bytes: usize,
    /// In memory, for one sort, before it goes to files.
    pub work_mem_bytes: usize,
    /// The same for one hash table.
    pub hash_mem_bytes: usize,
    /// The same for making an index.
    pub maintenance_bytes: usize,
    /// In files.
    pub temp: Arc<TempSpace>,
}

impl Budget {
    /// Of what a function of the system needs that sorts nothing.
    pub fn of_memory(statement_bytes: usize) -> Budget {
        let temp = TempSpace::new(std::env::temp_dir(), None, None);
        let work_mem_bytes = statement_bytes / 4;
        Budget {
            statement_bytes,
            work_mem_bytes,
            hash_mem_bytes: work_mem_bytes,
            maintenance_bytes: work_mem_bytes,
            temp: Arc::new(temp),
        }
    }

    /// The same for making an index.
    pub fn of_maintenance(&self) -> Budget {
        Budget { work_mem_bytes: self.maintenance_bytes, ..self.clone() }
    }

    fn buffer_bytes(&self) -> usize {
        (self.work_mem_bytes / 64).clamp(4 << 10, 256 << 10)
    }

    /// Files that are merged at a time: their buffers are a part of what may be taken.
    pub fn merged_at_once(&self) -> usize {
        (self.work_mem_bytes / 2 / self.buffer_bytes()).clamp(4, 512)
    }
}

fn failed(e: &io::Error, what: &str) -> SqlError {
    let code = if is_out_of_space(e) { SqlState::DISK_FULL } else { SqlState::IO_ERROR };
    SqlError::new(code, format!("could not {what} a temporary file: {e}"))
}

/// A temporary file.
#[derive(Debug)]
pub struct TempFile {
    file: File,
    budget: Budget,
    bytes: u64,
    rows: u64,
    buffer: Vec<u8>,
}

impl TempFile {
    /// An empty one.
    pub fn create(budget: &Budget) -> Result<TempFile, SqlError> {
        let file = tempfile::tempfile_in(&budget.temp.folder).map_err(|e| failed(&e, "create"))?;
        budget.temp.files.fetch_add(1, Ordering::Relaxed);
        Ok(TempFile { file, budget: budget.clone(), bytes: 0, rows: 0, buffer: Vec::new() })
    }

    /// Appends a row: the values of one list, then those of another.
    pub fn push(&mut self, first: &[Datum], then: &[Datum]) -> Result<(), SqlError> {
        let at = self.buffer.len();
        self.buffer.extend_from_slice(&[0; 4]);
        first.iter().chain(then).for_each(|d| write_tagged(d, &mut self.buffer));
        let len = (self.buffer.len() - at - 4) as u32;
        self.buffer[at..at + 4].copy_from_slice(&len.to_le_bytes());
        self.rows += 1;
        if self.buffer.len() >= self.budget.buffer_bytes() {
            self.flush()?;
        }
        Ok(())
    }

    /// Where the next row will stand.
    pub fn end(&self) -> u64 {
        self.bytes + self.buffer.len() as u64
    }

    /// The rows between two places; all of them are written.
    pub fn read_between(&self, from: u64, to: u64) -> Result<Vec<Row>, SqlError> {
        guard::check()?;
        let mut bytes = vec![0; (to - from) as usize];
        self.file.read_exact_at(&mut bytes, from).map_err(|e| failed(&e, "read from"))?;
        self.budget.temp.read_bytes.fetch_add(to - from, Ordering::Relaxed);
        let (mut left, mut rows) = (&bytes[..], Vec::new());
        while let Some((head, rest)) = left.split_first_chunk::<4>() {
            let early = || SqlError::new(SqlState::DATA_CORRUPTED, "a temporary file ends early");
            let (mut record, after) =
                rest.split_at_checked(u32::from_le_bytes(*head) as usize).ok_or_else(early)?;
            let mut row = Vec::new();
            while !record.is_empty() {
                row.push(read_tagged(&mut record)?);
            }
            rows.push(row.into());
            left = after;
        }
        Ok(rows)
    }

    /// Writes what was appended.
    pub fn flush(&mut self) -> Result<(), SqlError> {
        guard::check()?;
        let (space, len) = (&self.budget.temp, self.buffer.len() as u64);
        let used = space.used_bytes.fetch_add(len, Ordering::Relaxed) + len;
        if let Some(limit) = space.limit_bytes.filter(|l| used > *l) {
            space.used_bytes.fetch_sub(len, Ordering::Relaxed);
            let message = format!("temporary file size exceeds \"temp_file_limit\" ({}kB)", limit >> 10);
            return Err(SqlError::new(SqlState::CONFIGURATION_LIMIT_EXCEEDED, message)); // invariant 1
        }
        // So that it is given back, whatever becomes of the write.
        let at = self.bytes;
        self.bytes += len;
        self.file.write_all_at(&self.buffer, at).map_err(|e| failed(&e, "write to"))?;
        space.written_bytes.fetch_add(len, Ordering::Relaxed);
        self.buffer.clear();
        Ok(())
    }

    /// Nothing more is appended.
    pub fn finish(mut self) -> Result<Arc<TempFile>, SqlError> {
        self.flush()?;
        self.buffer = Vec::new();
        Ok(Arc::new(self))
    }

    /// What is written takes so much.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        self.budget.temp.used_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        if let Some(large) = self.budget.temp.large.as_ref().filter(|l| self.bytes >= l.from_bytes) {
            (large.tell)(self.bytes);
        }
    }
}

/// Reads a temporary file from its front.
#[derive(Debug)]
pub struct TempReader {
    file: Arc<TempFile>,
    /// What of the file is in the buffer already ends here.
    read_to: u64,
    buffer: Vec<u8>,
    at: usize,
}

impl TempReader {
    /// At the front.
    pub fn new(file: Arc<TempFile>) -> TempReader {
        TempReader { file, read_to: 0, buffer: Vec::new(), at: 0 }
    }

    /// Back to the front.
    pub fn rewind(&mut self) {
        (self.read_to, self.at) = (0, 0);
        self.buffer.clear();
    }

    /// The next row's values, in place of what `row` had; false at the end.
    pub fn next(&mut self, row: &mut Vec<Datum>) -> Result<bool, SqlError> {
        row.clear();
        if !self.has(4)? {
            return Ok(false);
        }
        let head: [u8; 4] = self.buffer[self.at..self.at + 4].try_into().unwrap_or_default();
        let len = u32::from_le_bytes(head) as usize;
        self.at += 4;
        if !self.has(len)? {
            return Err(SqlError::new(SqlState::DATA_CORRUPTED, "a temporary file ends early"));
        }
        let mut record = &self.buffer[self.at..self.at + len];
        while !record.is_empty() {
            row.push(read_tagged(&mut record)?);
        }
        self.at += len;
        Ok(true)
    }

    /// Has so many bytes in the buffer, unless the file ends before.
    fn has(&mut self, bytes: usize) -> Result<bool, SqlError> {
        if self.buffer.len() - self.at >= bytes {
            return Ok(true);
        }
        guard::check()?;
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        let left = (self.file.bytes - self.read_to) as usize;
        let more = self.file.budget.buffer_bytes().max(bytes - kept).min(left);
        self.buffer.resize(kept + more, 0);
        self.file
            .file
            .read_exact_at(&mut self.buffer[kept..], self.read_to)
            .map_err(|e| failed(&e, "read from"))?;
        self.read_to += more as u64;
        self.file.budget.temp.read_bytes.fetch_add(more as u64, Ordering::Relaxed);
        Ok(self.buffer.len() >= bytes)
    }
}

/// Rows divided by their hashes.
pub struct Partitions {
    files: Vec<Option<TempFile>>,
    level: u32,
}

impl Partitions {
    /// None yet; `level`: how often their rows were divided before.
    pub fn new(level: u32) -> Partitions {
        Partitions { files: (0..PARTITIONS).map(|_| None).collect(), level }
    }

    /// Which one rows of a hash belong to.
    pub fn of(&self, hash: u64) -> usize {
        (hash >> (FIRST_BIT + self.level * PARTITION_BITS) & (PARTITIONS as u64 - 1)) as usize
    }

    /// Puts a row into its file.
    pub fn push(
        &mut self,
        hash: u64,
        first: &[Datum],
        then: &[Datum],
        budget: &Budget,
    ) -> Result<(), SqlError> {
        let place = self.of(hash);
        let file = match &mut self.files[place] {
            Some(file) => file,
            None => self.files[place].insert(TempFile::create(budget)?),
        };
        file.push(first, then)
    }

    /// The files, in order; None: nothing is in it.
    pub fn finish(self) -> Result<Vec<Option<Arc<TempFile>>>, SqlError> {
        self.files.into_iter().map(|f| f.map(TempFile::finish).transpose()).collect()
    }
}

/// Rows that are kept to be read again, in memory as long as they fit.
#[derive(Default)]
pub struct RowStore {
    rows: evenkeel_types::guard::discard::Large<Vec<Row>>,
    bytes: usize,
    file: Option<TempFile>,
    finished: Option<Arc<TempFile>>,
}

impl RowStore {
    /// Appends a row.
    pub fn push(&mut self, row: &[Datum], cx: &mut super::Cx<'_>) -> Result<(), SqlError> {
        if let Some(file) = &mut self.file {
            return file.push(row, &[]);
        }
        let bytes = super::row_bytes(row) + 16;
        if self.bytes + bytes > cx.run.budget.work_mem_bytes {
            let mut file = TempFile::create(&cx.run.budget)?;
            for kept in self.rows.iter() {
                file.push(kept, &[])?;
            }
            file.push(row, &[])?;
            self.file = Some(file);
            self.clear_memory(cx);
            return Ok(());
        }
        cx.run.memory.grow(bytes)?;
        self.bytes += bytes;
        evenkeel_types::guard::build::make_room(&mut self.rows, 1)?;
        self.rows.push(row.into());
        Ok(())
    }

    /// Nothing more is appended.
    pub fn finish(&mut self) -> Result<(), SqlError> {
        self.finished = self.file.take().map(TempFile::finish).transpose()?;
        Ok(())
    }

    /// For EXPLAIN ANALYZE: what it takes.
    pub fn tell(&self, did: &mut Did) {
        did.holds(self.bytes);
        did.disk_bytes = did.disk_bytes.max(self.finished.as_ref().map_or(0, |f| f.bytes()));
    }

    fn clear_memory(&mut self, cx: &mut super::Cx<'_>) {
        cx.run.memory.shrink(std::mem::take(&mut self.bytes));
        self.rows = Default::default();
    }

    /// Gives all up.
    pub fn clear(&mut self, cx: &mut super::Cx<'_>) {
        self.clear_memory(cx);
        (self.file, self.finished) = (None, None);
    }
}

/// Where somebody stands in a row store.
#[derive(Default)]
pub struct StoreReader {
    at: usize,
    file: Option<TempReader>,
    row: Vec<Datum>,
}

impl StoreReader {
    /// Back to the front.
    pub fn rewind(&mut self) {
        self.at = 0;
        if let Some(file) = &mut self.file {
            file.rewind();
        }
    }

    /// The next row, into its places; false at the end.
    pub fn next(&mut self, store: &RowStore, into: &mut [Datum]) -> Result<bool, SqlError> {
        let Some(finished) = &store.finished else {
            let Some(row) = store.rows.get(self.at) else { return Ok(false) };
            self.at += 1;
            into[..row.len()].clone_from_slice(row);
            return Ok(true);
        };
        let file = self.file.get_or_insert_with(|| TempReader::new(finished.clone()));
        if !file.next(&mut self.row)? {
            return Ok(false);
        }
        for (place, value) in into.iter_mut().zip(self.row.drain(..)) {
            *place = value;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Invariant 2, by the device on which every write finds the disk full.
    #[test]
    fn a_full_disk_is_told_and_takes_nothing() {
        let budget = Budget::of_memory(1 << 20);
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut full = TempFile { file, budget: budget.clone(), bytes: 0, rows: 0, buffer: Vec::new() };
        full.push(&[Datum::Int4(1)], &[Datum::text("x")]).unwrap();
        assert_eq!(full.finish().unwrap_err().code, SqlState::DISK_FULL);
        assert_eq!(budget.temp.used_bytes.load(Ordering::Relaxed), 0);
        let folder = PathBuf::from("/nonexistent");
        let temp = TempSpace::new(folder, None, None);
        let nowhere = Budget { temp: Arc::new(temp), ..budget };
        assert_eq!(TempFile::create(&nowhere).unwrap_err().code, SqlState::IO_ERROR);
    }

    #[test]
    fn rows_of_any_size_are_read_again_from_the_front() {
        let budget = Budget::of_memory(1 << 18);
        let mut file = TempFile::create(&budget).unwrap();
        let row = |n: usize| [Datum::Int8(n as i64), Datum::text("x".repeat(n * 37 % 20_000))];
        (0..300).for_each(|n| file.push(&row(n)[..1], &row(n)[1..]).unwrap());
        let file = file.finish().unwrap();
        assert_eq!((file.rows(), file.bytes), (300, budget.temp.used_bytes.load(Ordering::Relaxed)));
        let (mut reader, mut read) = (TempReader::new(file), Vec::new());
        for _ in 0..2 {
            for n in 0..300 {
                assert!(reader.next(&mut read).unwrap());
                assert_eq!(format!("{read:?}"), format!("{:?}", row(n)));
            }
            assert!(!reader.next(&mut read).unwrap());
            reader.rewind();
        }
        drop(reader);
        assert_eq!(budget.temp.used_bytes.load(Ordering::Relaxed), 0);
    }
}
