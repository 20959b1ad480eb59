//! A copy of the source with all changes of a run in it, each behind a switch that an environment variable turns, built once.
//!
//! Invariants
//! 1. The copy has its own target folder and shares nothing with the source.
//! 2. Every change that is left compiles; one that does not is struck off, by the lines that the compiler complains of.

use super::sites::{Site, with_switches};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The switch: which change is on, or, while one finds out which tests reach which changes, a file that gets the number of each that is reached.
const SWITCH: &str = r#"//! The switch of the changes under test.
#![allow(missing_docs)]
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const UNKNOWN: u32 = u32::MAX;
const SHOWING: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;
static WHICH: AtomicU32 = AtomicU32::new(UNKNOWN);
static SEEN: [AtomicBool; 8192] = [const { AtomicBool::new(false) }; 8192];

#[inline]
pub fn on(n: u32) -> bool {
    let which = WHICH.load(Relaxed);
    which == n || (which >= SHOWING && slow(n))
}

#[cold]
fn slow(n: u32) -> bool {
    if WHICH.load(Relaxed) == UNKNOWN {
        let which = match std::env::var("MUTANT") {
            Ok(n) => n.parse().expect("a number"),
            Err(_) if std::env::var_os("MUTANTS_REACHED").is_some() => SHOWING,
            Err(_) => NONE,
        };
        WHICH.store(which, Relaxed);
    }
    if WHICH.load(Relaxed) == SHOWING && !SEEN[n as usize].swap(true, Relaxed) {
        let path = std::env::var_os("MUTANTS_REACHED").expect("set");
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        // A test may have used up the descriptors.
        let written = file.and_then(|mut file| file.write_all(format!("{n}\n").as_bytes()));
        SEEN[n as usize].store(written.is_ok(), Relaxed);
    }
    WHICH.load(Relaxed) == n
}
"#;

/// Packages whose tests look at the engine.
const PACKAGES: [&str; 4] = ["evenkeel", "evenkeel-model", "evenkeel-archive", "evenkeel-cli"];

/// Copies what git knows of the source, and removes what it no longer knows.
pub fn copy(root: &Path, to: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("git cannot be run: {e}"))?;
    let names = String::from_utf8_lossy(&listed.stdout);
    let known = |name: &str| root.join(name).is_file();
    remove_others(to, to, &names.split('\0').filter(|n| known(n)).collect())?;
    for name in names.split('\0').filter(|n| !n.is_empty() && known(n)) {
        let (from, to) = (root.join(name), to.join(name));
        std::fs::create_dir_all(to.parent().expect("below the folder")).map_err(|e| e.to_string())?;
        let bytes = std::fs::read(from).map_err(|e| e.to_string())?;
        write_if_new(&to, &bytes)?;
    }
    Ok(())
}

fn remove_others(tree: &Path, folder: &Path, known: &BTreeSet<&str>) -> Result<(), String> {
    for entry in std::fs::read_dir(folder).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let name = path.strip_prefix(tree).expect("below the tree").to_string_lossy();
        if path.is_dir() {
            if name != "target" {
                remove_others(tree, &path, known)?;
            }
        } else if !known.contains(&*name) {
            std::fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// What is as it was keeps its time, so that nothing is built anew for it.
fn write_if_new(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Puts the changes that are left into the copy, and builds it; strikes off those that do not compile. Gives the test programs.
pub fn build(
    root: &Path,
    tree: &Path,
    sites: &[Site],
    left: &mut BTreeSet<u32>,
) -> Result<Vec<PathBuf>, String> {
    let engine = tree.join("crates/evenkeel");
    write_if_new(&engine.join("src/mutant_switch.rs"), SWITCH.as_bytes())?;
    let read = |name: &str| std::fs::read_to_string(root.join(name)).map_err(|e| format!("{name}: {e}"));
    let lib = read("crates/evenkeel/src/lib.rs")?;
    let lib = lib.replacen(
        "pub mod archive;",
        "extern crate self as evenkeel; pub mod mutant_switch; pub mod archive;",
        1,
    );
    write_if_new(&engine.join("src/lib.rs"), lib.as_bytes())?;
    loop {
        let mut by_file = BTreeMap::<&str, Vec<(u32, &Site)>>::new();
        for n in 0..sites.len() as u32 {
            let site = &sites[n as usize];
            let of_file = by_file.entry(&site.file).or_default();
            if left.contains(&n) {
                of_file.push((n, site));
            }
        }
        for (file, sites) in &by_file {
            write_if_new(&tree.join(file), with_switches(&read(file)?, sites).as_bytes())?;
        }
        let (programs, places) = compile(tree)?;
        if places.is_empty() {
            return Ok(programs);
        }
        let bad = |site: &Site| {
            places
                .iter()
                .any(|(file, from, to)| *file == site.file && *from <= site.lines.1 && site.lines.0 <= *to)
        };
        let struck: Vec<u32> = left.iter().copied().filter(|n| bad(&sites[*n as usize])).collect();
        if struck.is_empty() {
            return Err(format!(
                "the copy in {} does not compile for another reason than a change: {places:?}",
                tree.display()
            ));
        }
        for n in struck {
            println!("does not compile: {}", sites[n as usize].key());
            left.remove(&n);
        }
    }
}

/// The test programs; or the lines that the compiler complains of.
#[allow(clippy::type_complexity)]
fn compile(tree: &Path) -> Result<(Vec<PathBuf>, BTreeSet<(String, usize, usize)>), String> {
    let mut command = Command::new("cargo");
    command.args(["build", "--tests", "--message-format", "json", "--keep-going"]);
    for package in PACKAGES {
        command.args(["-p", package]);
    }
    command.current_dir(tree).env("CARGO_TARGET_DIR", tree.join("target")).env("CARGO_INCREMENTAL", "1");
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo cannot be run: {e}"))?;
    let (mut programs, mut places) = (Vec::new(), BTreeSet::new());
    let mut first = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        if message["reason"] == "compiler-artifact" && message["profile"]["test"] == true {
            programs.extend(message["executable"].as_str().map(PathBuf::from));
        }
        let text = &message["message"];
        if message["reason"] != "compiler-message" || text["level"] != "error" {
            continue;
        }
        first = first.or_else(|| text["rendered"].as_str().map(str::to_owned));
        let children =
            text["children"].as_array().into_iter().flatten().filter_map(|c| c["spans"].as_array());
        for span in text["spans"].as_array().into_iter().chain(children).flatten() {
            let number = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
            let file = span["file_name"].as_str().unwrap_or_default().to_owned();
            places.insert((file, number("line_start"), number("line_end")));
        }
    }
    if !output.status.success() && places.is_empty() {
        return Err(format!(
            "the copy in {} does not compile: {}",
            tree.display(),
            first.unwrap_or_default()
        ));
    }
    Ok((programs, places))
}
