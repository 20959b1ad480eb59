//! Where a command reads log from: a database's folder, or segment files.

use std::path::{Path, PathBuf};

use evenkeel::archive::{fill, is_packed, unpack};
use evenkeel::control::Control;
use evenkeel::io::{Disk, OsDisk, OsOptions};
use evenkeel::wal::files::SegmentSet;
use evenkeel::wal::segment::{Geometry, HEADER_BYTES, Header};
use evenkeel::{Error, Lsn};

use crate::folder::must_hold_database;
use crate::{CliError, io_error};

/// Segments to read.
pub(crate) struct Source {
    pub disk: Box<dyn Disk>,
    pub geometry: Geometry,
    /// Where a database says that its log is needed from.
    pub needed: Option<Lsn>,
}

/// A database's log. Nothing is written, and what a running server has in the system's cache is seen.
pub(crate) fn database(data: &Path) -> Result<Source, CliError> {
    must_hold_database(data)?;
    let options = OsOptions { direct: false, fsync: false, ..OsOptions::default() };
    let disk = OsDisk::new(data, options).map_err(io_error(data.display().to_string()))?;
    let (_, control) = Control::open(&disk)?;
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    Ok(Source { disk: Box::new(disk), geometry, needed: Some(control.log_needed) })
}

/// What the paths name: one database, or segments.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Source, CliError> {
    if let [one] = paths
        && (one.join("control").exists() || !one.exists())
    {
        return database(one);
    }
    segments(&segment_files(paths)?)
}

/// The files that paths name: files themselves, and in folders those whose names segments have.
pub(crate) fn segment_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(io_error(path.display().to_string()))?;
        let before = files.len();
        for entry in entries {
            let entry = entry.map_err(io_error(path.display().to_string()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let digits = name.split('.').next().unwrap_or_default();
            if digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit()) && entry.path().is_file() {
                files.push(entry.path());
            }
        }
        if files.len() == before {
            return Err(CliError::Folder(format!("there are no log segments in {}", path.display())));
        }
        files[before..].sort();
    }
    Ok(files)
}

fn segments(files: &[PathBuf]) -> Result<Source, CliError> {
    let mut set = SegmentSet::new();
    let mut found: Option<Header> = None;
    for file in files {
        let header = header(file)?;
        if let Some(first) = &found
            && (first.database_id, first.segment_bytes) != (header.database_id, header.segment_bytes)
        {
            return Err(CliError::Folder(format!(
                "{} belongs to another database's log than the files before it",
                file.display()
            )));
        }
        found.get_or_insert(header);
        let path = file.clone();
        let load = move || {
            let bytes =
                std::fs::read(&path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
            if is_packed(&bytes) { Ok(fill(&unpack(&bytes)?.0)) } else { Ok(bytes) }
        };
        if !set.add(header.segment, Box::new(load)) {
            return Err(CliError::Folder(format!(
                "{}: segment {:x} is given twice",
                file.display(),
                header.segment
            )));
        }
    }
    let header = found.ok_or_else(|| CliError::Folder("no log segments were named".into()))?;
    let geometry = Geometry { segment_bytes: header.segment_bytes };
    Ok(Source { disk: Box::new(set), geometry, needed: None })
}

/// The header of the segment in a file, packed or not.
pub(crate) fn header(file: &Path) -> Result<Header, CliError> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let mut open = std::fs::File::open(file).map_err(io_error(file.display().to_string()))?;
    let mut read = |n: u64| open.by_ref().take(n).read_to_end(&mut bytes);
    read(HEADER_BYTES as u64).map_err(io_error(file.display().to_string()))?;
    let header = if is_packed(&bytes) {
        open.read_to_end(&mut bytes).map_err(io_error(file.display().to_string()))?;
        unpack(&bytes).map_err(|e| named(file, &e))?.0.header
    } else {
        Header::decode(&bytes)
            .ok_or_else(|| CliError::Folder(format!("{} is no log segment", file.display())))?
    };
    Ok(header)
}

/// An error with the file that it is about.
pub(crate) fn named(file: &Path, e: &Error) -> CliError {
    CliError::Folder(format!("{}: {e}", file.display()))
}
