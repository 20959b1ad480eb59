//! Functions on files of the server: those of its folders, and for superusers any.
//!
//! Invariants
//! 1. Whoever is no superuser gets at nothing outside of the data folder and the folder of the log.
//!
//! Must not know: what the files are for.

use super::{Eval, volatile};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::admit;
use crate::sets::Rows;
use crate::ty::Type as T;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Of the Unix epoch, from 2000-01-01 UTC.
const UNIX_EPOCH_S: i64 = -946_684_800;

/// The data folder and that of the log.
fn folders(ctx: &EvalCtx<'_>) -> Result<(PathBuf, PathBuf), SqlError> {
    let data = ctx.env.setting("data_directory").filter(|d| !d.is_empty());
    let data = PathBuf::from(data.ok_or_else(|| SqlError::unsupported("there is no data folder"))?);
    let log = data.join(ctx.env.setting("log_directory").unwrap_or_default());
    Ok((data, log))
}

/// Where a file is that was asked for (invariant 1).
fn place(name: &str, ctx: &EvalCtx<'_>) -> Result<PathBuf, SqlError> {
    let (data, log) = folders(ctx)?;
    let path = data.join(name);
    if ctx.env.setting("is_superuser").as_deref() == Some("on") {
        return Ok(path);
    }
    let refused = |why: &str| Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why));
    let climbs = path.components().any(|c| c == Component::ParentDir);
    match (path.starts_with(&data) || path.starts_with(&log), Path::new(name).is_absolute()) {
        (true, _) if !climbs => Ok(path),
        (_, true) => refused("absolute path not allowed"),
        (_, false) => refused("path must be in or below the data directory"),
    }
}

fn failed(what: &str, name: &str, why: &str, e: &io::Error) -> SqlError {
    let code = match e.kind() {
        ErrorKind::NotFound => SqlState::UNDEFINED_FILE,
        ErrorKind::PermissionDenied => SqlState::INSUFFICIENT_PRIVILEGE,
        ErrorKind::NotADirectory | ErrorKind::IsADirectory => SqlState::WRONG_OBJECT_TYPE,
        _ => SqlState::IO_ERROR,
    };
    let text = e.to_string();
    // As the system has it, without the number.
    let text = text.split(" (os error").next().unwrap_or(&text);
    SqlError::new(code, format!("could not {what} \"{name}\"{why}: {text}"))
}

/// `None`: there is no such thing, and that is right.
fn or_missing<V>(found: io::Result<V>, missing_ok: bool) -> io::Result<Option<V>> {
    match found {
        Err(e) if missing_ok && e.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// A file, or the part that is asked for: `(name, missing_ok)` or `(name, offset, length, missing_ok)`.
fn read(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<Option<Vec<u8>>, SqlError> {
    let name = a[0].as_str().unwrap_or_default();
    let missing_ok = matches!(a.last(), Some(Datum::Bool(true)));
    let part = a.get(1).and_then(Datum::as_i64).zip(a.get(2).and_then(Datum::as_i64));
    if part.is_some_and(|(_, length)| length < 0) {
        let why = "requested length cannot be negative";
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    }
    let path = place(name, ctx)?;
    let error = |e: &io::Error| failed("open file", name, " for reading", e);
    let Some(of) = or_missing(std::fs::metadata(&path), missing_ok).map_err(|e| error(&e))? else {
        return Ok(None);
    };
    // Nobody knows when a pipe has something, and how much.
    if !of.is_file() && !of.is_dir() {
        return Err(SqlError::unsupported(format!("\"{name}\" is neither a file nor a folder")));
    }
    let mut file = File::open(path).map_err(|e| error(&e))?;
    let most = ctx.max_value_bytes.min(crate::MAX_VALUE_BYTES) as u64;
    let wanted = part.map_or(u64::MAX, |(_, length)| length as u64);
    let too_large = || SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "file length too large");
    if of.len().min(wanted) > most {
        return Err(too_large());
    }
    admit(of.len().min(wanted) as usize)?;
    let read = |file: &mut File| -> io::Result<Option<Vec<u8>>> {
        if let Some((offset, _)) = part {
            let end = file.metadata()?.len();
            file.seek(match u64::try_from(offset) {
                Ok(offset) => SeekFrom::Start(offset),
                Err(_) => SeekFrom::Start(end.saturating_sub(offset.unsigned_abs())),
            })?;
        }
        let mut bytes = Vec::new();
        file.take(wanted.min(most + 1)).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    };
    match read(&mut file).map_err(|e| failed("read file", name, "", &e))? {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(too_large()),
    }
}

fn read_text(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Some(bytes) = read(a, ctx)? else { return Ok(Datum::Null) };
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Datum::text(text)),
        Ok(_) => Err(not_text(0)),
        Err(e) => {
            let bytes = e.as_bytes();
            Err(not_text(bytes.get(e.utf8_error().valid_up_to()).copied().unwrap_or(0)))
        }
    }
}

fn not_text(byte: u8) -> SqlError {
    let why = format!("invalid byte sequence for encoding \"UTF8\": 0x{byte:02x}");
    SqlError::new(SqlState::CHARACTER_NOT_IN_REPERTOIRE, why)
}

fn read_binary(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(read(a, ctx)?.map_or(Datum::Null, |bytes| Datum::Bytes(bytes.into())))
}

/// What a folder has: names, and of each what it is.
fn listed(
    path: &Path,
    name: &str,
    missing_ok: bool,
    each: &mut dyn FnMut(&str, &Path) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let error = |e: &io::Error| failed("open directory", name, "", e);
    let Some(entries) = or_missing(std::fs::read_dir(path), missing_ok).map_err(|e| error(&e))? else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry.map_err(|e| error(&e))?;
        each(&entry.file_name().to_string_lossy(), &entry.path())?;
    }
    Ok(())
}

/// `pg_ls_dir(name, missing_ok, include_dot_dirs)`
pub(crate) fn list(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let name = a[0].as_str().unwrap_or_default();
    let is_on = |n: usize| matches!(a.get(n), Some(Datum::Bool(true)));
    let path = place(name, ctx)?;
    let mut found = Vec::new();
    listed(&path, name, is_on(1), &mut |name, _| {
        found.push(name.to_owned());
        Ok(())
    })?;
    if is_on(2) && path.is_dir() {
        found.extend([".".to_owned(), "..".to_owned()]);
    }
    found.into_iter().try_for_each(|name| out.push([Datum::from(name)]))
}

fn at(seconds: i64, nanos: i64) -> Datum {
    Datum::Timestamptz((seconds + UNIX_EPOCH_S) * 1_000_000 + nanos / 1000)
}

/// `pg_ls_logdir()`
pub(crate) fn list_log(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let log = folders(ctx)?.1;
    listed(&log, &log.to_string_lossy(), false, &mut |name, path| {
        // One that goes while the folder is read is not there.
        let Ok(Some(of)) = or_missing(std::fs::symlink_metadata(path), true) else { return Ok(()) };
        if name.starts_with('.') || !of.is_file() {
            return Ok(());
        }
        out.push([Datum::text(name), Datum::Int8(of.len() as i64), at(of.mtime(), of.mtime_nsec())])
    })
}

/// `pg_stat_file(name, missing_ok)`
pub(crate) fn stat(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let name = a[0].as_str().unwrap_or_default();
    let missing_ok = matches!(a.get(1), Some(Datum::Bool(true)));
    let found: Option<Metadata> = or_missing(std::fs::metadata(place(name, ctx)?), missing_ok)
        .map_err(|e| failed("stat file", name, "", &e))?;
    let Some(of) = found else { return out.push([const { Datum::Null }; 6]) };
    out.push([
        Datum::Int8(of.len() as i64),
        at(of.atime(), 0),
        at(of.mtime(), 0),
        at(of.ctime(), 0),
        Datum::Null,
        Datum::Bool(of.is_dir()),
    ])
}

const PART: &[T] = &[T::Text, T::Int8, T::Int8];
const PART_OR_NOT: &[T] = &[T::Text, T::Int8, T::Int8, T::Bool];

pub(super) const TABLE: &[ScalarFn] = &[
    volatile("pg_read_file", &[T::Text], T::Text, read_text),
    volatile("pg_read_file", &[T::Text, T::Bool], T::Text, read_text),
    volatile("pg_read_file", PART, T::Text, read_text),
    volatile("pg_read_file", PART_OR_NOT, T::Text, read_text),
    volatile("pg_read_binary_file", &[T::Text], T::Bytea, read_binary),
    volatile("pg_read_binary_file", &[T::Text, T::Bool], T::Bytea, read_binary),
    volatile("pg_read_binary_file", PART, T::Bytea, read_binary),
    volatile("pg_read_binary_file", PART_OR_NOT, T::Bytea, read_binary),
];
