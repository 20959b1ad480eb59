//! Where a command reads log from: a database's folder, or segment files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use evenkeel::archive::{fill, is_packed, unpack};
use evenkeel::control::Control;
use evenkeel::io::{Disk, OsDisk, OsOptions};
use evenkeel::wal::files::SegmentSet;
use evenkeel::wal::segment::{DIR, Geometry, HEADER_BYTES, Header};
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

/// The files that paths name: files themselves, and in folders those whose names segments have. A database's folder stands for its log, an archive's for
/// that of its newest timeline.
pub(crate) fn segment_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let folder = folder_of_segments(path)?;
        // Of several forms of a segment the finished one counts, else the longest: it is the last by name.
        let mut found: BTreeMap<u64, PathBuf> = BTreeMap::new();
        for name in names(&folder)? {
            if let Some(segment) = segment_of(&name) {
                found.insert(segment, folder.join(name));
            }
        }
        if found.is_empty() {
            return Err(CliError::Folder(format!("there are no log segments in {}", path.display())));
        }
        files.extend(found.into_values());
    }
    Ok(files)
}

/// Sorted.
fn names(folder: &Path) -> Result<Vec<String>, CliError> {
    let shown = || folder.display().to_string();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io_error(shown()))? {
        names.push(entry.map_err(io_error(shown()))?.file_name().to_string_lossy().into_owned());
    }
    // A dash sorts before a dot: `….seg` comes behind `…-….partial`.
    names.sort();
    Ok(names)
}

fn folder_of_segments(path: &Path) -> Result<PathBuf, CliError> {
    let log = path.join(DIR);
    if !log.is_dir() {
        return Ok(path.to_owned());
    }
    let is_timeline = |n: &String| n.len() == 8 && n.bytes().all(|b| b.is_ascii_hexdigit());
    let newest = names(&log)?.into_iter().rfind(is_timeline);
    Ok(newest.map_or(log.clone(), |n| log.join(n)))
}

/// `0000000000000004`, `….seg`, or `0000000000000004-END.partial`.
fn segment_of(name: &str) -> Option<u64> {
    let (digits, rest) = name.split_at_checked(16)?;
    let is_form = rest.is_empty() || rest == ".seg" || rest.starts_with('-') && rest.ends_with(".partial");
    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
    (is_form && plain).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_newest_log() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        let found = |path: &str| -> Vec<String> {
            let files = segment_files(&[root.path().join(path)]).unwrap();
            files.iter().map(|f| f.strip_prefix(root.path()).unwrap().display().to_string()).collect()
        };
        for name in ["0000000000000002", "0000000000000003", "0000000000000003.new", "other"] {
            put(&format!("db/wal/{name}"));
        }
        let own = ["db/wal/0000000000000002", "db/wal/0000000000000003"];
        assert_eq!(
            (found("db"), found("db/wal")),
            (own.map(String::from).to_vec(), own.map(String::from).to_vec())
        );
        put("archive/wal/00000001/0000000000000009.seg");
        for name in [
            "2.seg",
            "2-0000000000000100.partial",
            "3-0000000000000200.partial",
            "3-00000000000002f0.partial",
        ] {
            put(&format!("archive/wal/00000002/000000000000000{name}"));
        }
        let newest = ["2.seg", "3-00000000000002f0.partial"]
            .map(|n| format!("archive/wal/00000002/000000000000000{n}"));
        assert_eq!(found("archive"), newest);
        assert!(segment_files(&[root.path().join("archive/wal/00000001"), root.path().to_owned()]).is_err());
    }
}
