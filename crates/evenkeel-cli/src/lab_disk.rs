//! `evenkeel lab disk`: modelled disks by hand, and one under an experiment.
//!
//! Invariants
//! 1. A disk under an experiment goes with it: when it ends, by its guard; when it is killed, by the process that serves the disk, which notices.
//!
//! It must not know how a disk is modelled or made.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};

use clap::Subcommand;
use evenkeel_lab::disk::{self, Kind, Named, Wanted};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{CliError, io_error};

const EXAMPLES: &str =
    "Contents lie in DIR.disk beside DIR, sparse, unless --contents names a file. Needs Linux and root.

Examples:
  evenkeel lab disk kinds
  evenkeel lab disk create --kind 7200rpm --size 8GB /srv/slow
  evenkeel lab disk cut /srv/slow
  evenkeel lab disk remove /srv/slow
  evenkeel lab ganged-log --disk 7200rpm";

/// What is done beside experiments.
#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// A disk of another kind, modelled: a real file system that takes its time, and whose power can be cut
    #[command(after_help = EXAMPLES)]
    Disk {
        #[command(subcommand)]
        command: DiskCommand,
    },
}

/// What to do with it.
#[derive(Debug, Subcommand)]
pub(crate) enum DiskCommand {
    /// List the kinds with their numbers, and where these come from
    Kinds,
    /// Make a disk, with ext4 on it mounted at DIR
    Create {
        /// Which: 7200rpm, 15000rpm, ssd, nvme, cloud
        #[arg(long)]
        kind: Named,
        /// How large; contents are kept sparse
        #[arg(long, default_value = "8GB", value_parser = size)]
        size: u64,
        /// Keep the contents in this file [default: in DIR.disk]
        #[arg(long, value_name = "FILE")]
        contents: Option<PathBuf>,
        /// Made if it is missing; else it must be empty
        dir: PathBuf,
    },
    /// Cut its power: what was written and not flushed is lost, some of it or all; then mount it again
    Cut {
        /// Decides what is lost [default: by chance; it is printed]
        #[arg(long)]
        seed: Option<u64>,
        /// Where it is mounted
        dir: PathBuf,
    },
    /// Print what it did so far, as JSON
    Show {
        /// Where it is mounted
        dir: PathBuf,
    },
    /// Take it away with all that is on it; also what is left of one whose processes were killed
    Remove {
        /// Even if programs have files open there: they get errors
        #[arg(long)]
        force: bool,
        /// Where it is mounted
        dir: PathBuf,
    },
    /// Serve it
    #[command(hide = true)]
    Serve {
        #[arg(long)]
        kind: Named,
        /// Take it away at the end of standard input
        #[arg(long)]
        bound: bool,
        dir: PathBuf,
    },
}

/// `8GB`, `512MB`: units of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size from 64MB to 16TB, such as 8GB".to_string();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let shift = match unit {
        "MB" => 20,
        "GB" => 30,
        "TB" => 40,
        _ => return Err(wrong()),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.filter(|b| (64 << 20..=16 << 40).contains(b)).ok_or_else(wrong)
}

fn failed(e: disk::Error) -> CliError {
    CliError::Folder(e.to_string())
}

/// Does it.
pub(crate) fn run(command: &DiskCommand) -> Result<ExitCode, CliError> {
    match command {
        DiskCommand::Kinds => {
            for kind in &disk::KINDS {
                print!("{}", kind.description());
            }
        }
        DiskCommand::Create { kind: Named(kind), size, contents, dir } => {
            let program = std::env::current_exe().map_err(io_error("this program"))?;
            let (dir, contents) = (dir.clone(), contents.clone());
            disk::create(&Wanted { kind, size: *size, dir, contents, program, is_bound: false })
                .map_err(failed)?;
            println!("{}", kind.line());
        }
        DiskCommand::Cut { seed, dir } => {
            let seed = seed.unwrap_or_else(|| fastrand::u64(0..1 << 32));
            let cut = disk::cut(dir, seed).map_err(failed)?;
            println!(
                "cut with seed {seed}: of {} sectors that were not flushed {} are lost; mounted again",
                cut.sectors, cut.lost
            );
        }
        DiskCommand::Show { dir } => println!("{}", disk::show(dir).map_err(failed)?),
        DiskCommand::Remove { force, dir } => disk::remove(dir, *force).map_err(failed)?,
        DiskCommand::Serve { kind: Named(kind), bound, dir } => serve(kind, *bound, dir)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(target_os = "linux")]
fn serve(kind: &'static Kind, is_bound: bool, dir: &Path) -> Result<(), CliError> {
    // Ctrl-C is for whoever made the disk.
    let _ = rustix::process::setsid();
    let (_, contents, fuse) = disk::parts(dir).map_err(failed)?;
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(io_error("signals"))?;
    let here = dir.to_owned();
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end(&here);
        }
    });
    if is_bound {
        let here = dir.to_owned();
        std::thread::spawn(move || {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            end(&here);
        });
    }
    let served = disk::serve(kind, &contents, &fuse).map_err(io_error("FUSE"));
    // It is served no longer once it is unmounted: whoever takes it away from here is not done then, and ends this process.
    let _nobody = ENDING.lock();
    served
}

#[cfg(not(target_os = "linux"))]
fn serve(_: &'static Kind, _: bool, _: &Path) -> Result<(), CliError> {
    Err(CliError::Folder("a modelled disk needs Linux".into()))
}

/// Held by whoever takes the disk away from within its server.
#[cfg(target_os = "linux")]
static ENDING: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(target_os = "linux")]
fn end(dir: &Path) {
    let _held = ENDING.lock();
    let removed = disk::remove(dir, true);
    std::process::exit(i32::from(removed.is_err()));
}

/// A disk under an experiment (invariant 1).
pub(crate) struct Under {
    dir: PathBuf,
    server: Option<Child>,
}

impl Under {
    /// Makes it in this folder.
    pub(crate) fn create(kind: &'static Kind, size: u64, parent: &Path) -> Result<Under, CliError> {
        let program = std::env::current_exe().map_err(io_error("this program"))?;
        let dir = parent.join(format!("evenkeel-disk-{}", std::process::id()));
        let wanted = Wanted { kind, size, dir: dir.clone(), contents: None, program, is_bound: true };
        Ok(Under { server: disk::create(&wanted).map_err(failed)?, dir })
    }

    /// Where it is mounted.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Under {
    fn drop(&mut self) {
        if let Err(e) = disk::remove(&self.dir, true) {
            eprintln!(
                "evenkeel: the modelled disk is left: {e}; `evenkeel lab disk remove --force {}` takes it away",
                self.dir.display()
            );
        }
        if let Some(server) = &mut self.server {
            let _ = server.wait();
        }
    }
}
