//! Which pages were in the buffers when the server ended, to have them there again after the next start (`pg_prewarm.autoprewarm`): data files are read past the
//! system's cache, so that otherwise each page's first use after a restart would wait for the disk.
//!
//! Invariants
//! 1. What is kept is a hint: of a file that is damaged, or of pages that are gone, nothing follows but that they are not loaded.
//! 2. Nothing is evicted for it: once no buffer is free, loading ends. It takes the disk half of the time at most.
//! 3. A list that was not loaded to its end is not replaced by a shorter one.
//!
//! It must not know what the pages hold.

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel::{Database, TreeId};
use evenkeel_server::ServerSettings;
use evenkeel_server::settings::Id;
use tracing::{info, warn};

const FILE: &str = "pg_prewarm.blocks";
const HEAD: &str = "evenkeel buffers 1";
/// Blocks of one read.
const RUN_BLOCKS: u32 = 128;

type Run = (TreeId, Range<u32>);

/// Loads and keeps, until it ends.
pub(crate) struct Prewarming {
    ends: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Prewarming {
    /// Begins, if the settings want it.
    pub(crate) fn start(database: &Database, folder: &Path, settings: &ServerSettings) -> Option<Prewarming> {
        if settings.number(Id::Autoprewarm) == 0 {
            return None;
        }
        let interval = settings.time(Id::AutoprewarmInterval);
        let ends = Arc::new((Mutex::new(false), Condvar::new()));
        let (file, database, told) = (folder.join(FILE), database.clone(), ends.clone());
        let work = move || run(&database, &file, interval, &told);
        match std::thread::Builder::new().name("prewarm".into()).spawn(work) {
            Ok(thread) => Some(Prewarming { ends, thread: Some(thread) }),
            Err(e) => {
                warn!(error = %e, "the buffers are not prewarmed");
                None
            }
        }
    }

    /// Without a last word: the engine has stopped, and the disk may hang.
    pub(crate) fn abandon(mut self) {
        self.thread = None;
    }
}

/// Keeps what is there now. Blocks for a read and a write.
impl Drop for Prewarming {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        *self.ends.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ends.1.notify_all();
        if thread.join().is_err() {
            warn!("the list of buffers is not kept");
        }
    }
}

/// Waits so long, or until the end: then it is true.
fn has_ended(ends: &(Mutex<bool>, Condvar), wait: Duration) -> bool {
    let ended = ends.0.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = ends.1.wait_timeout_while(ended, wait, |ended| !*ended);
    *waited.unwrap_or_else(PoisonError::into_inner).0
}

fn run(database: &Database, file: &Path, interval: Duration, ends: &(Mutex<bool>, Condvar)) {
    match read(file) {
        Ok(runs) => {
            if !load(database, &runs, ends) {
                return; // (3)
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => warn!("{} is not used: {e}", file.display()),
    }
    // Without an interval once, at the end.
    let wait = if interval.is_zero() { Duration::from_secs(24 * 3600) } else { interval };
    loop {
        let ended = has_ended(ends, wait);
        if (ended || !interval.is_zero())
            && let Err(e) = write(file, &database.resident())
        {
            warn!(error = %e, "the list of buffers is not kept in {}", file.display());
        }
        if ended {
            return;
        }
    }
}

/// False: it was ended before.
fn load(database: &Database, runs: &[Run], ends: &(Mutex<bool>, Condvar)) -> bool {
    let began = Instant::now();
    let listed: u64 = runs.iter().map(|(_, blocks)| u64::from(blocks.end - blocks.start)).sum();
    let mut loaded = 0;
    'all: for (tree, blocks) in runs {
        let mut from = blocks.start;
        while from < blocks.end {
            if database.unused_buffers() < RUN_BLOCKS as usize {
                break 'all; // (2)
            }
            let piece = from..blocks.end.min(from.saturating_add(RUN_BLOCKS));
            let wanted = piece.end - piece.start;
            from = piece.end;
            let before = Instant::now();
            // (1)
            let Ok(there) = database.prewarm(*tree, piece) else { break };
            loaded += u64::from(there);
            if has_ended(ends, before.elapsed()) {
                return false;
            }
            if there < wanted {
                break;
            }
        }
    }
    info!("autoprewarm loaded {loaded} of {listed} blocks in {:.1} s", began.elapsed().as_secs_f64());
    true
}

fn invalid(line: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("\"{line:.40}\" is no run of blocks"))
}

fn read(file: &Path) -> io::Result<Vec<Run>> {
    let mut lines = BufReader::new(fs::File::open(file)?).lines();
    match lines.next().transpose()? {
        Some(head) if head == HEAD => {}
        other => return Err(invalid(&other.unwrap_or_default())),
    }
    let mut runs = Vec::new();
    for line in lines {
        let line = line?;
        let mut numbers = line.split(' ');
        let mut number = || numbers.next()?.parse::<u64>().ok();
        let (tree, from, to) = (number(), number(), number());
        let (Some(tree), Some(Ok(from)), Some(Ok(to))) =
            (tree, from.map(u32::try_from), to.map(u32::try_from))
        else {
            return Err(invalid(&line));
        };
        if from >= to {
            return Err(invalid(&line));
        }
        runs.push((TreeId(tree), from..to));
    }
    Ok(runs)
}

/// Beside the old list first, which it replaces then. Not synced: (1).
fn write(file: &Path, runs: &[Run]) -> io::Result<()> {
    let new: PathBuf = file.with_extension("new");
    let mut out = BufWriter::new(fs::File::create(&new)?);
    writeln!(out, "{HEAD}")?;
    for (tree, blocks) in runs {
        writeln!(out, "{} {} {}", tree.0, blocks.start, blocks.end)?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?;
    fs::rename(new, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written_and_a_damaged_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let runs = vec![(TreeId(7), 0..3), (TreeId(7), 5..6), (TreeId(1 << 40), 1..u32::MAX)];
        write(&file, &runs).unwrap();
        assert_eq!(read(&file).unwrap(), runs);
        write(&file, &runs[..1]).unwrap();
        assert_eq!(read(&file).unwrap(), runs[..1]);
        for wrong in [
            "",
            "something else\n",
            "evenkeel buffers 1\n7 3\n",
            "evenkeel buffers 1\n7 3 3\n",
            "evenkeel buffers 1\n7 0 4294967296\n",
            "evenkeel buffers 1\nx 0 1\n",
        ] {
            fs::write(&file, wrong).unwrap();
            assert_eq!(read(&file).unwrap_err().kind(), io::ErrorKind::InvalidData, "{wrong}");
        }
    }
}
