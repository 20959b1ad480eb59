//! Runs the scripts in `golden/`: SQL with the expected output behind each statement, in lines that begin with `--| `.
//!
//! Output is what psql prints. Errors are `ERROR:  42P01: message`, with DETAIL and HINT lines. A line `-- session name` changes to
//! another session. The data of a COPY FROM STDIN stands in lines that begin with `--< `.
//! `EVENKEEL_BLESS=1 cargo test --test golden` writes the output found into the scripts.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use support::{Client, TestDb};

/// A statement with what stands around it.
struct Step {
    /// Comments and blank lines before it.
    before: Vec<String>,
    session: Option<String>,
    sql: Vec<String>,
    copy: Vec<String>,
    expected: Vec<String>,
}

fn parse(text: &str) -> (Vec<Step>, Vec<String>) {
    let mut steps: Vec<Step> = Vec::new();
    let mut before = Vec::new();
    let mut session = None;
    let mut sql: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(data) = line.strip_prefix("--< ").or_else(|| (line == "--<").then_some("")) {
            steps.last_mut().expect("data follows a statement").copy.push(data.to_owned());
        } else if let Some(out) = line.strip_prefix("--| ").or_else(|| (line == "--|").then_some("")) {
            steps.last_mut().expect("output follows a statement").expected.push(out.to_owned());
        } else if sql.is_empty() && (line.trim().is_empty() || line.starts_with("--")) {
            if let Some(name) = line.strip_prefix("-- session ") {
                session = Some(name.trim().to_owned());
            }
            before.push(line.to_owned());
        } else {
            sql.push(line.to_owned());
            if line.trim_end().ends_with(';') {
                steps.push(Step {
                    before: std::mem::take(&mut before),
                    session: session.take(),
                    sql: std::mem::take(&mut sql),
                    copy: Vec::new(),
                    expected: Vec::new(),
                });
            }
        }
    }
    assert!(sql.is_empty(), "statement without an end: {sql:?}");
    (steps, before)
}

fn run(client: &mut Client, step: &Step) -> Vec<String> {
    let sql = step.sql.join("\n");
    let mut copy = step.copy.join("\n");
    if !copy.is_empty() {
        copy.push('\n');
    }
    let mut lines = Vec::new();
    let result = client.simple(&sql, &copy);
    for n in client.session.take_notices() {
        lines.push(format!("{}:  {}", n.severity, n.message));
        if let Some(detail) = &n.detail {
            lines.extend(format!("DETAIL:  {detail}").lines().map(str::to_owned));
        }
    }
    match result {
        Ok(outputs) => outputs.iter().for_each(|o| client.print(o, &mut lines)),
        Err(e) => {
            lines.push(format!("ERROR:  {}: {}", e.code, e.message));
            for (label, text) in [("DETAIL", &e.detail), ("HINT", &e.hint), ("CONTEXT", &e.context)] {
                if let Some(t) = text {
                    lines.extend(format!("{label}:  {t}").lines().map(str::to_owned));
                }
            }
        }
    }
    lines
}

fn write(steps: &[(Step, Vec<String>)], after: &[String]) -> String {
    let mut text = String::new();
    for (s, found) in steps {
        for l in s.before.iter().chain(&s.sql) {
            writeln!(text, "{l}").expect("to a string");
        }
        for l in &s.copy {
            writeln!(text, "--< {l}").expect("to a string");
        }
        for l in found {
            writeln!(text, "{}", format!("--| {l}").trim_end()).expect("to a string");
        }
    }
    for l in after {
        writeln!(text, "{l}").expect("to a string");
    }
    text
}

fn script(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (steps, after) = parse(&text);
    let db = TestDb::new();
    let mut sessions: BTreeMap<String, Client> = BTreeMap::new();
    let mut current = "main".to_owned();
    let mut done = Vec::new();
    for step in steps {
        if let Some(name) = &step.session {
            current = name.clone();
        }
        let client = sessions.entry(current.clone()).or_insert_with(|| db.session());
        let found: Vec<String> = run(client, &step).iter().map(|l| l.trim_end().to_owned()).collect();
        done.push((step, found));
    }
    if std::env::var_os("EVENKEEL_BLESS").is_some() {
        return std::fs::write(path, write(&done, &after)).map_err(|e| e.to_string());
    }
    let mut report = String::new();
    for (s, found) in &done {
        if s.expected != *found {
            let _ = writeln!(report, "{}:\n{}", path.display(), s.sql.join("\n"));
            for l in &s.expected {
                let _ = writeln!(report, "  - {l}");
            }
            for l in found {
                let _ = writeln!(report, "  + {l}");
            }
        }
    }
    if report.is_empty() { Ok(()) } else { Err(report) }
}

#[test]
fn scripts_give_the_expected_output() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("golden folder").map(|e| e.expect("entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "sql"));
    paths.sort();
    let only = std::env::var("EVENKEEL_GOLDEN").ok();
    let failures: Vec<String> = paths
        .iter()
        .filter(|p| only.as_ref().is_none_or(|o| p.to_string_lossy().contains(o.as_str())))
        .filter_map(|p| script(p).err())
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
