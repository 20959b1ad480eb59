//! `evenkeel wal strip` and `wal fill`: segments in files, without their images and back.
//!
//! Every output is written under another name, synced, and given its name: what stands there is whole. A file of that name with other content is
//! never replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write, stdout};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evenkeel::archive::{self, Cut, EndOfLog, is_packed, pack, unpack};
use evenkeel::wal::segment::Header;
use evenkeel::{Error, Lsn};

use super::source::{header, named, segment_files};
use super::{FillArgs, StripArgs};
use crate::{CliError, io_error};

/// Strips each segment.
pub(crate) fn strip(args: &StripArgs) -> Result<ExitCode, CliError> {
    let files = segment_files(&args.paths)?;
    let headers = headers(&files)?;
    let mut over = Over::default();
    let (mut segments, mut before, mut after) = (0, 0, 0);
    for file in &files {
        let bytes = read(file)?;
        let (mut cut, timeline) = cut(&bytes, &headers).map_err(|e| named(file, &e))?;
        if over.is_behind(&cut) {
            continue;
        }
        segments += 1;
        before += bytes.len();
        let stripped = archive::strip(&mut cut).map_err(|e| named(file, &e))?;
        let packed = pack(&cut, timeline, args.level)?;
        after += packed.len();
        let target = args.out.join(format!("{:016x}.seg", cut.header.segment));
        put(&args.out, &target, &packed)?;
        say(&format!(
            "{}: {} records, {} images of {} bytes taken out, {} bytes\n",
            target.display(),
            stripped.records,
            stripped.images,
            stripped.image_bytes,
            packed.len()
        ))?;
    }
    say(&format!("{segments} segments: {before} bytes before, {after} after\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Fills each segment.
pub(crate) fn fill(args: &FillArgs) -> Result<ExitCode, CliError> {
    let files = segment_files(&args.paths)?;
    let headers = headers(&files)?;
    let mut over = Over::default();
    for file in &files {
        let (cut, _) = cut(&read(file)?, &headers).map_err(|e| named(file, &e))?;
        if over.is_behind(&cut) {
            continue;
        }
        let target = args.out.join(format!("{:016x}", cut.header.segment));
        put(&args.out, &target, &archive::fill(&cut))?;
        say(&format!("{}: the log up to {}\n", target.display(), cut.end))?;
    }
    Ok(ExitCode::SUCCESS)
}

type Headers = BTreeMap<u64, (Header, PathBuf)>;

fn headers(files: &[PathBuf]) -> Result<Headers, CliError> {
    let mut headers = BTreeMap::new();
    for file in files {
        let header = header(file)?;
        if headers.insert(header.segment, (header, file.clone())).is_some() {
            return Err(CliError::Folder(format!(
                "{}: segment {:x} is given twice",
                file.display(),
                header.segment
            )));
        }
    }
    Ok(headers)
}

/// A file's cut. Where the log ends in it is for the segment behind it to say, if that one is there and begun.
fn cut(bytes: &[u8], headers: &Headers) -> Result<(Cut, u32), Error> {
    if is_packed(bytes) {
        return unpack(bytes);
    }
    let next = Header::decode(bytes).and_then(|h| headers.get(&(h.segment + 1)).map(|next| (h, next)));
    let end = match next {
        Some((h, (next, _))) if next.incarnation == h.incarnation => EndOfLog::At(Lsn::MAX),
        Some((h, (next, _))) if next.prev_incarnation == h.incarnation => EndOfLog::At(next.prev_end),
        _ => EndOfLog::Unknown,
    };
    let cut = Cut::from_file(bytes, end)?;
    match (cut.records(&mut |_| {}), end, next) {
        // The segment behind may have been made ready only: then the log ends in this one.
        (Err(_), EndOfLog::At(Lsn::MAX), Some((_, (_, path)))) if !has_log(path)? => {
            Ok((Cut::from_file(bytes, EndOfLog::Unknown)?, 1))
        }
        (Err(e), ..) => Err(e),
        (Ok(()), ..) => Ok((cut, 1)),
    }
}

/// Whether a segment holds any log.
fn has_log(path: &Path) -> Result<bool, Error> {
    let bytes = fs::read(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
    if is_packed(&bytes) {
        return Ok(true);
    }
    // A segment in the middle of one long record has no first one either, but then the segment before it ends in that record.
    Ok(Cut::from_file(&bytes, EndOfLog::Unknown)?.first.is_some())
}

/// Where log was found to end, segment by segment.
#[derive(Default)]
struct Over(Option<u64>);

impl Over {
    /// Whether this segment lies behind the end of its life's log: it was made ready, and is not begun.
    fn is_behind(&mut self, cut: &Cut) -> bool {
        if self.0 == Some(cut.header.incarnation) && cut.first.is_none() {
            return true;
        }
        self.0 = (!cut.is_full()).then_some(cut.header.incarnation);
        false
    }
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(file).map_err(io_error(file.display().to_string()))
}

fn put(folder: &Path, target: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let what = || target.display().to_string();
    match fs::read(target) {
        Ok(there) if there == bytes => return Ok(()),
        Ok(_) => {
            return Err(CliError::Folder(format!(
                "{} exists with other content; it is left as it is",
                what()
            )));
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(io_error(what())(e)),
    }
    let temporary = target.with_extension("new");
    let write = || {
        fs::create_dir_all(folder)?;
        // Log holds rows: its owner's alone.
        let mut file = fs::OpenOptions::new();
        let mut file = file.write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, target)?;
        fs::File::open(folder)?.sync_all()
    };
    write().map_err(io_error(what()))
}

fn say(text: &str) -> Result<(), CliError> {
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))
}
