//! Mutation: does a test fail when the engine is changed for the worse? All changes of a run are built into one copy of the source, each behind a
//! switch, and each is run against the tests that reach it, the quickest first, until one fails.
//!
//! Invariants
//! 1. A change counts as found only by a test that passes without it, before and after.
//! 2. A verdict is written down when it is reached; a run with the same source and options goes on behind the last one.

mod orderings;
mod sites;
mod tests;
mod tree;

use crate::args;
use orderings::ORDERINGS;
use sites::{Site, sites};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tests::{Outcome, Test};

/// Folders and files of the engine from which changes are drawn.
const DRAWN_FROM: [&str; 7] = ["wal", "pool", "checkpoint", "recovery", "store", "txn", "archive/ship.rs"];
/// Where syncs and waits are left out one by one.
const NAMED_IN: [&str; 11] =
    ["wal", "pool", "checkpoint", "recovery", "store", "archive", "engine", "control", "mtr", "space", "io"];
/// Names in file paths of what is no part of the engine at work.
const NOT_IN: [&str; 6] = ["tests", "testing", "model", "/sim/", "simulate", "latency"];

/// What to change.
pub struct Options {
    seed: u64,
    count: usize,
    named: bool,
    jobs: usize,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options { seed: 1, count: 100, named: false, jobs: 2 };
        args::each(args, &["--named"], |name, value| {
            match name {
                "--named" => o.named = true,
                "--seed" => o.seed = value.number()?,
                "--count" => o.count = value.number()?,
                "--jobs" => o.jobs = value.number::<usize>()?.max(1),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

/// Makes the changes, tries them, and says which no test found.
pub fn run(o: &Options) -> Result<(), String> {
    let root = std::env::current_dir().map_err(|e| e.to_string())?;
    let what = if o.named { "named".to_owned() } else { format!("seed-{}", o.seed) };
    let place = root.join("target/mutants").join(&what);
    let tree = root.join("target/mutants/tree");
    std::fs::create_dir_all(&tree).map_err(|e| e.to_string())?;
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    tree::copy(&root, &tree)?;
    let (all, drawn) = choose(&root, o)?;
    // More than are wanted, for some will not compile.
    let spare = if o.named { drawn.len() } else { (o.count * 3 / 2).min(drawn.len()) };
    let sites: Vec<Site> = drawn.into_iter().take(spare).collect();
    println!("{all} places for a change, {spare} taken; the copy is in {}", tree.display());
    let mut left: BTreeSet<u32> = (0..sites.len() as u32).collect();
    let programs = tree::build(&root, &tree, &sites, &mut left)?;
    let tried: Vec<u32> = left.iter().copied().take(if o.named { usize::MAX } else { o.count }).collect();
    let tests = tests::look(&programs, &tree, &place, o.jobs)?;
    let verdicts = Verdicts::open(place.join("verdicts.tsv"), &sites, &tried)?;
    try_all(o, &tests, &sites, &tried, &verdicts);
    verdicts.report(&sites, &tried)
}

/// How many places there are, and those to take, in order.
fn choose(root: &Path, o: &Options) -> Result<(usize, Vec<Site>), String> {
    let src = root.join("crates/evenkeel/src");
    let mut files = Vec::new();
    for part in if o.named { &NAMED_IN[..] } else { &DRAWN_FROM[..] } {
        collect(&src.join(part), &mut files);
    }
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if NOT_IN.iter().any(|n| name.contains(n)) {
            continue;
        }
        let source = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        found.extend(sites(&name, &source, o.named)?);
    }
    if o.named {
        found.extend(choose_by_text(root)?);
        return Ok((found.len(), found));
    }
    let all = found.len();
    let mut rng = o.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut drawn = Vec::new();
    while !found.is_empty() && drawn.len() < o.count * 2 {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        drawn.push(found.swap_remove((rng >> 11) as usize % found.len()));
    }
    Ok((all, drawn))
}

/// The orderings, where they are in the source.
fn choose_by_text(root: &Path) -> Result<Vec<Site>, String> {
    let site = |(what, file, find, instead): &(&str, &str, &str, &str)| {
        let source = std::fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"))?;
        Site::by_text(file, &source, find, instead, what)
    };
    ORDERINGS.iter().map(site).collect()
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_file() {
        out.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() || path.extension().is_some_and(|e| e == "rs") {
            collect(&path, out);
        }
    }
}

/// Each change against the tests that reach it.
fn try_all(o: &Options, tests: &[Test], sites: &[Site], tried: &[u32], verdicts: &Verdicts) {
    let (next, began) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|s| {
        for _ in 0..o.jobs {
            s.spawn(|| {
                while let Some(&n) = tried.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let key = sites[n as usize].key();
                    if verdicts.has(&key) {
                        continue;
                    }
                    let verdict = verdict(n, tests);
                    println!("[{:>4} s] {verdict}: {key}", began.elapsed().as_secs());
                    verdicts.add(&key, &verdict);
                }
            });
        }
    });
}

const MISSED: &str = "MISSED";

fn verdict(n: u32, tests: &[Test]) -> String {
    let mut reached = 0;
    for test in tests.iter().filter(|t| t.reaches.contains(&n)) {
        reached += 1;
        let how = match test.run(Some(n)) {
            Outcome::Passed => continue,
            Outcome::Failed => "found by",
            Outcome::Hung => "found, for it never ended, by",
        };
        if test.run(None) == Outcome::Passed {
            return format!("{how} {}", test.shown());
        }
    }
    match reached {
        0 => format!("{MISSED}, no test reaches it"),
        n => format!("{MISSED} by {n} tests"),
    }
}

/// What is known of each change, by its key.
struct Verdicts {
    file: Mutex<std::fs::File>,
    known: Mutex<BTreeMap<String, String>>,
}

impl Verdicts {
    /// Goes on with what the file has of these changes. What was missed is tried again: there may be a test for it now.
    fn open(path: PathBuf, sites: &[Site], tried: &[u32]) -> Result<Verdicts, String> {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let keys: BTreeSet<String> = tried.iter().map(|n| sites[*n as usize].key()).collect();
        let known: BTreeMap<String, String> = text
            .lines()
            .filter_map(|l| l.split_once('\t'))
            .filter(|(key, verdict)| keys.contains(*key) && !verdict.starts_with(MISSED))
            .map(|(key, verdict)| (key.to_owned(), verdict.to_owned()))
            .collect();
        if !known.is_empty() {
            println!("{} verdicts are known from {}", known.len(), path.display());
        }
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
        let file = file.map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Verdicts { file: Mutex::new(file), known: Mutex::new(known) })
    }

    fn has(&self, key: &str) -> bool {
        self.known.lock().expect("unpoisoned").contains_key(key)
    }

    fn add(&self, key: &str, verdict: &str) {
        let line = format!("{key}\t{verdict}\n");
        if let Err(e) = self.file.lock().expect("unpoisoned").write_all(line.as_bytes()) {
            println!("a verdict cannot be written down: {e}");
        }
        self.known.lock().expect("unpoisoned").insert(key.to_owned(), verdict.to_owned());
    }

    fn report(&self, sites: &[Site], tried: &[u32]) -> Result<(), String> {
        let known = self.known.lock().expect("unpoisoned");
        let missed: Vec<(String, &String)> = tried
            .iter()
            .map(|n| sites[*n as usize].key())
            .filter_map(|key| known.get(&key).filter(|v| v.starts_with(MISSED)).map(|v| (key, v)))
            .collect();
        println!("\n{} changes, {} found, {} missed", tried.len(), tried.len() - missed.len(), missed.len());
        for (key, verdict) in &missed {
            println!("{verdict}: {key}");
        }
        Ok(())
    }
}
