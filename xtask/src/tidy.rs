//! House checks: every source file opens with `//!`; none is over 900 lines; modules of the engine, of SQL and of the server import only from layers below
//! their own (`LAYERS`); modules of the engine take locks, atomics, threads and the clock from `base/sync.rs`; `unsafe` stays in named files; multi-file modules have a README; no unfinished marks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Modules of a crate, lowest first: a module may import those before it. Modules of one place may import one another: such a circle is a natural one, and
/// is named here.
struct Layers {
    src: &'static str,
    modules: &'static [&'static [&'static str]],
}

const LAYERS: [Layers; 3] = [
    Layers {
        src: "crates/evenkeel/src/",
        modules: &[
            &["settings"],
            &["base"],
            &["io"],
            &["page"],
            &["control"],
            &["wal"],
            &["pool"],
            &["mtr"],
            &["space"],
            &["btree"],
            &["txn"],
            &["store"],
            &["checkpoint"],
            &["recovery"],
            &["archive"],
            &["engine"],
        ],
    },
    Layers {
        src: "crates/evenkeel-sql/src/",
        modules: &[
            &["served"],
            &["status"],
            &["counted", "tally", "progress", "of_database", "of_engine"],
            &["catalog"],
            &["parse"],
            &["plan"],
            &["bind"],
            &["exec"],
            &["spans", "kept_rows", "exported"],
            // An instance begins sessions, and a session belongs to an instance.
            &["session", "instance"],
            &["observed", "kept"],
            &["ddl"],
            &["check", "diverged"],
        ],
    },
    Layers {
        src: "crates/evenkeel-server/src/",
        modules: &[
            &["stream", "idle", "http"],
            // The log goes by settings, of which it says whether they are any good.
            &["errors", "settings", "log"],
            &["wire", "backend"],
            &["timer", "tls"],
            &["auth", "service", "hba"],
            &["listener"],
            &["otlp"],
            &["startup"],
            &["admission"],
            &["session"],
            &["workers", "replication"],
            // The server starts connections, the analyzer and the monitor, which use what it shares.
            &["connection", "analyzer", "monitor", "server"],
        ],
    },
];

impl Layers {
    fn place(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|together| together.contains(&module))
    }

    /// The layers of a file's crate, and the file's own place.
    fn of(name: &str) -> Option<(&'static Layers, &str, Option<usize>)> {
        let layers = LAYERS.iter().find(|l| name.starts_with(l.src))?;
        let module = name.strip_prefix(layers.src)?.split('/').next()?.trim_end_matches(".rs");
        Some((layers, module, layers.place(module)))
    }
}

/// Crates, lowest first: a crate may depend on those before it.
const CRATES: [&str; 8] = [
    "evenkeel",
    "evenkeel-archive",
    "evenkeel-client",
    "evenkeel-lab",
    "evenkeel-types",
    "evenkeel-sql",
    "evenkeel-server",
    "evenkeel-cli",
];
/// Where `unsafe` may stand (path prefixes), each block with its reason.
const UNSAFE: [&str; 9] = [
    "crates/evenkeel/src/base/sync/controlled/locks.rs",
    "crates/evenkeel/src/io/",
    "crates/evenkeel/src/pool/",
    "crates/evenkeel/src/wal/insert.rs",
    "crates/evenkeel-lab/src/logdisk/uring.rs",
    "crates/evenkeel-server/src/",
    "crates/evenkeel-types/src/guard/build.rs",
    "crates/evenkeel-types/src/guard/memory.rs",
    "crates/evenkeel-cli/src/",
];
/// What the engine takes from `base/sync.rs` instead, so that the controlled scheduler has it in hand.
const UNCONTROLLED: [&str; 6] = [
    "parking_lot",
    "std::sync::atomic",
    "std::thread::",
    "std::thread;",
    "std::time::Instant",
    "Duration, Instant",
];
/// Uses of these that are no matter of scheduling.
const NO_SCHEDULING: [&str; 2] = ["std::thread::panicking", "std::thread::available_parallelism"];
/// Longest file.
const MAX_LINES: usize = 900;

/// Runs all house checks.
pub fn tidy() -> Result<(), String> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf();
    let mut files = Vec::new();
    for dir in ["crates", "xtask", "fuzz"] {
        collect(&root.join(dir), &mut files);
    }
    files.sort();
    let mut problems = String::new();
    for path in &files {
        let name = path.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
        match std::fs::read_to_string(path) {
            Ok(text) => check_file(&name, &text, &mut problems),
            Err(e) => {
                let _ = writeln!(problems, "{name}: {e}");
            }
        }
    }
    check_readmes(&root.join("crates/evenkeel/src"), &mut problems);
    check_crates(&root, &mut problems);
    if problems.is_empty() {
        println!("tidy: {} files, nothing to complain about", files.len());
        Ok(())
    } else {
        Err(problems)
    }
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn check_file(name: &str, text: &str, problems: &mut String) {
    let mut bad = |line: usize, why: &str| {
        let _ = writeln!(problems, "{name}:{line}: {why}");
    };
    let first = text.lines().next().unwrap_or("");
    let included = first.starts_with("#![doc = include_str!");
    if !first.starts_with("//!") && !included && !name.starts_with("fuzz/") {
        bad(1, "a file opens with //! (its duty, its invariants, what it must not know)");
    }
    let lines = text.lines().count();
    if lines > MAX_LINES {
        bad(lines, &format!("{lines} lines: split it (at most {MAX_LINES})"));
    }
    let layers = Layers::of(name);
    if let Some((layers, module, None)) = layers
        && !matches!(module, "lib" | "main")
    {
        bad(1, &format!("{module} has no place among the layers of {}", layers.src));
    }
    let engine_module = layers.filter(|(l, ..)| l.src == LAYERS[0].src).map(|(_, module, _)| module);
    let mut tests = false;
    for (i, line) in text.lines().enumerate() {
        tests |= line.trim_start().starts_with("#[cfg(test)]");
        let code = line.split("//").next().unwrap_or("");
        if name != "xtask/src/tidy.rs" {
            for mark in ["TODO", "FIXME", "todo!(", "unimplemented!("] {
                if line.contains(mark) {
                    bad(i + 1, &format!("unfinished mark {mark}"));
                }
            }
            let unsafe_here =
                code.contains("unsafe {") || code.contains("unsafe impl") || code.contains("unsafe fn");
            if unsafe_here && !UNSAFE.iter().any(|p| name.starts_with(p)) {
                bad(i + 1, "unsafe outside the named hot paths");
            }
        }
        let is_controlled = engine_module.is_some_and(|m| !matches!(m, "io" | "lib"))
            && !name.contains("/base/sync")
            && !name.ends_with("tests.rs")
            && !name.ends_with("testing.rs")
            && !tests;
        if is_controlled
            && UNCONTROLLED.iter().any(|u| code.contains(u))
            && !NO_SCHEDULING.iter().any(|u| code.contains(u))
        {
            bad(i + 1, "locks, atomics, threads and the clock come from base/sync.rs");
        }
        let is_ours = name.starts_with("crates/") && !name.starts_with("crates/evenkeel-lab/");
        if is_ours
            && !tests
            && code.contains("SystemTime::now")
            && name != "crates/evenkeel/src/base/clock.rs"
        {
            bad(i + 1, "the wall clock is read in base/clock.rs");
        }
        if let (Some((layers, module, Some(place))), false) = (layers, tests) {
            for part in code.split("crate::").skip(1) {
                let target: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if layers.place(&target).is_some_and(|t| t > place) {
                    bad(i + 1, &format!("{module} must not import {target}: layers go one way"));
                }
            }
        }
    }
}

fn check_readmes(src: &Path, problems: &mut String) {
    let Ok(entries) = std::fs::read_dir(src) else { return };
    for dir in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
        let files = std::fs::read_dir(&dir)
            .map(|d| d.flatten().filter(|e| e.path().extension().is_some_and(|x| x == "rs")).count());
        let single = matches!(files, Ok(n) if n <= 1);
        let pure = dir.ends_with("base") || dir.ends_with("page") || dir.ends_with("space"); // described in their mod.rs
        if !single && !pure && !dir.join("README.md").exists() {
            let _ = writeln!(problems, "{}: a module of several files has a README.md", dir.display());
        }
    }
}

/// Path dependencies of the crates go one way.
fn check_crates(root: &Path, problems: &mut String) {
    for (i, name) in CRATES.iter().enumerate() {
        let manifest = root.join("crates").join(name).join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
        let dependencies = text.split("[dev-dependencies]").next().unwrap_or("");
        for later in &CRATES[i + 1..] {
            let names = |l: &str| l.starts_with(&format!("{later}.")) || l.starts_with(&format!("{later} "));
            if dependencies.lines().any(names) {
                let _ = writeln!(problems, "{name} must not depend on {later}");
            }
        }
    }
}
