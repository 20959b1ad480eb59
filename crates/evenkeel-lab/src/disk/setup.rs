//! Makes a modelled disk at a folder, cuts its power, and takes it away.
//!
//! Beside the folder `DIR` stands `DIR.disk`: the contents, where FUSE is mounted, and a note of what there is.
//!
//! Invariants
//! 1. What is missing is found out before anything is changed; what was made by a creation that fails goes again.
//! 2. What is to be removed is noted before it is made, or found by its names: a removal finds everything whatever was killed when, and can be repeated.
//! 3. A removal that fails leaves the note, for another one.
//!
//! It must not know how long anything takes on the disk.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::kinds::{Kind, Named};
use super::platter::Cut;
use super::system::{loops_on, missing, mounted_at, run};

/// Why there is no disk, or still one.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// A disk as it is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which.
    pub kind: &'static Kind,
    /// Bytes.
    pub size: u64,
    /// Where its file system is to be.
    pub dir: PathBuf,
    /// The file with the contents. None: beside `dir`.
    pub contents: Option<PathBuf>,
    /// This program.
    pub program: PathBuf,
    /// The disk goes when this process ends, however it does.
    pub is_bound: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    kind: String,
    size: u64,
    contents: PathBuf,
    /// The folder was not there before.
    is_dir_ours: bool,
    server: Option<u32>,
}

const SHORT: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(10);
const SIZE_MIN: u64 = 64 << 20;
/// Bytes for each inode: databases have few files, and inode tables are written in whole.
const BYTES_PER_INODE: &str = "262144";

struct Places {
    dir: PathBuf,
    beside: PathBuf,
    fuse: PathBuf,
    disk: PathBuf,
    control: PathBuf,
    note: PathBuf,
}

impl Places {
    fn of(dir: &Path) -> Result<Places, Error> {
        let shown = dir.display();
        // The folder itself may be a dead file system, or not be there: it is not looked into.
        let parent = match dir.parent() {
            Some(p) if p.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return Err(Error(format!("{shown}: a disk cannot be there"))),
        };
        let name =
            dir.file_name().ok_or_else(|| Error(format!("{shown}: a folder with a name is needed")))?;
        let parent = parent.canonicalize().map_err(|e| Error(format!("{}: {e}", parent.display())))?;
        let dir = parent.join(name);
        let mut beside = name.to_os_string();
        beside.push(".disk");
        let beside = parent.join(beside);
        let fuse = beside.join("fuse");
        Ok(Places {
            dir,
            disk: fuse.join("disk"),
            control: fuse.join("control"),
            note: beside.join("note.json"),
            fuse,
            beside,
        })
    }

    fn read_note(&self) -> Option<Note> {
        serde_json::from_str(&fs::read_to_string(&self.note).ok()?).ok()
    }

    fn write_note(&self, note: &Note) -> Result<(), Error> {
        let text = serde_json::to_string(note).map_err(|e| Error(e.to_string()))?;
        fs::write(&self.note, text).map_err(failed(&self.note))
    }

    fn order(&self, text: &str) -> io::Result<()> {
        fs::File::options().write(true).open(&self.control)?.write_all(text.as_bytes())
    }

    fn attach(&self) -> Result<(), Error> {
        let args = ["--find", "--show", "--direct-io=on"].map(PathBuf::from);
        let args: Vec<PathBuf> = args.into_iter().chain([self.disk.clone()]).collect();
        let device = run("losetup", &args).map_err(Error)?;
        let args = ["-t", "ext4", "-o", "noatime", &device].map(PathBuf::from);
        let args: Vec<PathBuf> = args.into_iter().chain([self.dir.clone()]).collect();
        run("mount", &args).map_err(Error).map(drop)
    }

    fn detach(&self) {
        for device in loops_on(&self.disk) {
            let _ = run("losetup", &["-d", &device]);
        }
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    let shown = path.display().to_string();
    move |e| Error(format!("{shown}: {e}"))
}

/// Makes it. Gives the process that serves it, if that is bound to this one.
pub fn create(wanted: &Wanted) -> Result<Option<Child>, Error> {
    if let Some(sentence) = missing() {
        return Err(Error(sentence));
    }
    let places = Places::of(&wanted.dir)?;
    let shown = places.dir.display();
    if mounted_at(&places.dir).is_some() || places.beside.exists() {
        return Err(Error(format!("{shown} has a disk already: `evenkeel lab disk remove` takes it away")));
    }
    if wanted.size < SIZE_MIN {
        return Err(Error("a disk has at least 64 MB".into()));
    }
    let is_dir_ours = !places.dir.exists();
    if !is_dir_ours && fs::read_dir(&places.dir).map_err(failed(&places.dir))?.next().is_some() {
        return Err(Error(format!("{shown} is not empty")));
    }
    let contents = match &wanted.contents {
        Some(file) if file.exists() => return Err(Error(format!("{} is there already", file.display()))),
        Some(file) => std::path::absolute(file).map_err(failed(file))?,
        None => places.beside.join("contents"),
    };
    let made = make(wanted, &places, contents, is_dir_ours);
    made.map_err(|e| match remove(&wanted.dir, true) {
        Ok(()) => e, // invariant 1
        Err(left) => Error(format!("{e}; and it was not taken away: {left}")),
    })
}

fn make(
    wanted: &Wanted,
    places: &Places,
    contents: PathBuf,
    is_dir_ours: bool,
) -> Result<Option<Child>, Error> {
    fs::create_dir(&places.beside).map_err(failed(&places.beside))?;
    let mut note = Note {
        kind: wanted.kind.name.into(),
        size: wanted.size,
        contents: contents.clone(),
        is_dir_ours,
        server: None,
    };
    places.write_note(&note)?; // invariant 2
    fs::create_dir(&places.fuse).map_err(failed(&places.fuse))?;
    if is_dir_ours {
        fs::create_dir(&places.dir).map_err(failed(&places.dir))?;
    }
    let file = fs::File::create_new(&contents).map_err(failed(&contents))?;
    file.set_len(wanted.size).map_err(failed(&contents))?;
    // Before anything is modelled, so that it takes no time; with nothing left to be initialized beside what is measured.
    let quiet = ["-q", "-F", "-m", "0", "-i", BYTES_PER_INODE, "-E"];
    let options = ["nodiscard,lazy_itable_init=0,lazy_journal_init=0"];
    let args: Vec<PathBuf> =
        quiet.iter().chain(&options).map(PathBuf::from).chain([contents.clone()]).collect();
    run("mkfs.ext4", &args).map_err(Error)?;

    let mut command = Command::new(&wanted.program);
    command.args(["lab", "disk", "serve", "--kind", wanted.kind.name]).arg(&places.dir);
    command.stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    if wanted.is_bound {
        command.arg("--bound").stdin(Stdio::piped());
    } else {
        command.stdin(Stdio::null());
    }
    let mut child = command.spawn().map_err(failed(&wanted.program))?;
    note.server = Some(child.id());
    places.write_note(&note)?;
    let begin = Instant::now();
    while !places.disk.exists() {
        let ended = child.try_wait().map_err(failed(&wanted.program))?;
        if let Some(status) = ended {
            return Err(Error(format!(
                "FUSE could not be mounted: what serves the disk ended with {status}"
            )));
        }
        if begin.elapsed() > PATIENCE {
            return Err(Error("FUSE could not be mounted: what serves the disk does not answer".into()));
        }
        std::thread::sleep(SHORT);
    }
    places.attach()?;
    Ok(wanted.is_bound.then_some(child))
}

/// Of a disk that is there: what serves it needs its kind, its contents, and where to be mounted.
pub fn parts(dir: &Path) -> Result<(&'static Kind, PathBuf, PathBuf), Error> {
    let places = Places::of(dir)?;
    let note = places.read_note().ok_or_else(|| none(&places))?;
    let Named(kind) = note.kind.parse().map_err(Error)?;
    Ok((kind, note.contents, places.fuse))
}

fn none(places: &Places) -> Error {
    Error(format!("{} has no modelled disk", places.dir.display()))
}

/// What it did so far, as JSON.
pub fn show(dir: &Path) -> Result<String, Error> {
    let places = Places::of(dir)?;
    places.read_note().ok_or_else(|| none(&places))?;
    fs::read_to_string(&places.control).map_err(failed(&places.control))
}

/// Cuts its power, and mounts what that leaves. Programs that have files open there get errors from then on.
pub fn cut(dir: &Path, seed: u64) -> Result<Cut, Error> {
    let places = Places::of(dir)?;
    places.read_note().ok_or_else(|| none(&places))?;
    places.order(&format!("cut {seed}")).map_err(failed(&places.control))?;
    let text = fs::read_to_string(&places.control).map_err(failed(&places.control))?;
    let counts: serde_json::Value = serde_json::from_str(&text).map_err(|e| Error(e.to_string()))?;
    let cut = serde_json::from_value(counts["cut"].clone()).map_err(|e| Error(e.to_string()))?;
    if mounted_at(&places.dir).is_some() {
        run("umount", &[Path::new("-l"), &places.dir]).map_err(Error)?;
    }
    places.detach();
    places.attach()?;
    Ok(cut)
}

/// Takes it away. By force: programs that have files open there get errors; else it is refused while there are any.
pub fn remove(dir: &Path, by_force: bool) -> Result<(), Error> {
    let places = Places::of(dir)?;
    let note = places.read_note();
    if note.is_none() && !places.beside.exists() {
        return Err(none(&places));
    }
    // What is not yet written is written at once, not in modelled time. Nobody may be there to be told.
    let is_served = places.order("hurry").is_ok();
    if mounted_at(&places.dir).is_some() {
        unmount(&places, by_force, is_served)?;
    }
    places.detach();
    let begin = Instant::now();
    while !loops_on(&places.disk).is_empty() && begin.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(SHORT);
        places.detach();
    }
    if mounted_at(&places.fuse).is_some() {
        run("umount", &[Path::new("-l"), &places.fuse]).map_err(Error)?;
    }
    if let Some(pid) = note.as_ref().and_then(|n| n.server).filter(|pid| *pid != std::process::id()) {
        end_server(pid, &places);
    }
    if let Some(note) = &note {
        is_gone(fs::remove_file(&note.contents)).map_err(failed(&note.contents))?;
        if note.is_dir_ours {
            is_gone(fs::remove_dir(&places.dir)).map_err(failed(&places.dir))?;
        }
    }
    is_gone(fs::remove_dir(&places.fuse)).map_err(failed(&places.fuse))?;
    is_gone(fs::remove_dir_all(&places.beside)).map_err(failed(&places.beside))
}

fn is_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn unmount(places: &Places, by_force: bool, is_served: bool) -> Result<(), Error> {
    let begin = Instant::now();
    let patience = if by_force { Duration::from_millis(500) } else { Duration::from_secs(3) };
    while is_served && begin.elapsed() < patience {
        if run("umount", &[&places.dir]).is_ok() {
            return Ok(());
        }
        std::thread::sleep(SHORT * 5);
    }
    if is_served && !by_force {
        return Err(Error(format!(
            "{} is in use: end the programs that have files open there, or remove it with --force",
            places.dir.display()
        )));
    }
    // Whoever is still there shall notice.
    let _ = places.order("cut 0");
    run("umount", &[Path::new("-l"), &places.dir]).map_err(Error).map(drop)
}

/// Waits for it; kills it if it is still there, and still what it was.
fn end_server(pid: u32, places: &Places) {
    let is_there = || {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains("\0disk\0serve\0") && line.contains(&*places.dir.to_string_lossy())
    };
    let begin = Instant::now();
    while is_there() && begin.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(SHORT);
    }
    if is_there()
        && let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw)
    {
        let _ = kill_process(pid, Signal::KILL);
    }
}
