//! Runs the scripts in `waits/`: statements of several sessions, what each gives, and who waits for whom. Lines are `session: statement`; indented ones behind
//! it are what was expected: rows, tags, `ERROR:  SQLSTATE: message`, or `waits`; and, under the name of another session, what that was told of its statement once it
//! went on.
//!
//! All files begin in a database of their own. `EVENKEEL_BLESS=1 cargo test --test waits` writes what was found into the scripts.

mod support;

use evenkeel_sql::{Progress, SqlError, is_reshaped};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use support::{Client, Output, TestDb};

/// A session on a thread of its own.
struct Worker {
    pid: i32,
    statements: Sender<String>,
    answers: Receiver<Vec<String>>,
    is_open: bool,
}

impl Worker {
    fn new(db: &TestDb) -> Worker {
        let mut client = db.session();
        let pid = client.value("select pg_backend_pid()").parse().expect("a number");
        let ((statements, todo), (done, answers)) = (channel::<String>(), channel());
        thread::spawn(move || {
            for sql in todo {
                if done.send(answer(&mut client, &sql)).is_err() {
                    return;
                }
            }
        });
        Worker { pid, statements, answers, is_open: false }
    }

    /// What a statement gave, or nothing if it waits for others.
    fn settle(&mut self, observer: &mut Client) -> Option<Vec<String>> {
        let blockers = format!("select cardinality(pg_blocking_pids({}))", self.pid);
        loop {
            if let Ok(lines) = self.answers.recv_timeout(Duration::from_millis(5)) {
                self.is_open = false;
                return Some(lines);
            }
            if observer.value(&blockers) != "0" {
                return None;
            }
        }
    }
}

/// Runs statements as the server does: one that is alone waits for row locks outside of the call, and is bound again when it goes on.
fn results(client: &mut Client, sql: &str) -> Result<Vec<Output>, SqlError> {
    let statements = client.session.parse_script(sql)?;
    client.session.set_may_wait_outside(statements.len() == 1);
    let mut outputs = Vec::new();
    for statement in statements {
        let mut is_rebound = false;
        let (tag, mut out) = loop {
            let mut portal = client.session.bind(&statement, Vec::new())?;
            let mut out = Output::of(&portal);
            match client.session.run(&mut portal, 0, &mut out) {
                Ok(Progress::Done(tag)) => break (tag.to_string(), out),
                Ok(Progress::Waits) => thread::sleep(Duration::from_millis(2)),
                Err(e) if is_reshaped(&e) && !is_rebound => is_rebound = true,
                Err(e) => return Err(e),
                _ => panic!("{sql} is no statement for this test"),
            }
        };
        out.tag = tag;
        outputs.push(out);
    }
    Ok(outputs)
}

fn answer(client: &mut Client, sql: &str) -> Vec<String> {
    let result = results(client, sql);
    if result.is_err() {
        client.session.fail();
    }
    let synced = client.session.sync();
    match result.and_then(|outputs| synced.map(|()| outputs)) {
        Ok(outputs) => {
            let mut lines = Vec::new();
            for out in outputs {
                lines.extend(out.rows.iter().map(|r| client.texts(r, &out.columns).join("|")));
                lines.extend(out.copied.lines().map(str::to_owned));
                // As psql has it.
                let is_change =
                    ["INSERT", "UPDATE", "DELETE", "MERGE"].iter().any(|w| out.tag.starts_with(w));
                if out.copied.is_empty() && (out.shape.is_none() || is_change) {
                    lines.push(out.tag);
                }
            }
            lines
        }
        Err(e) => vec![format!("ERROR:  {}: {}", e.code.as_str(), e.message)],
    }
}

fn run(text: &str) -> String {
    let db = TestDb::new();
    let mut observer = db.session();
    let mut workers = BTreeMap::<String, Worker>::new();
    let mut found = String::new();
    for line in text.lines().filter(|l| !l.starts_with("  ")) {
        found += line;
        found.push('\n');
        let Some((name, sql)) = line.split_once(": ").filter(|_| !line.starts_with('#')) else { continue };
        if !workers.contains_key(name) {
            workers.insert(name.to_owned(), Worker::new(&db));
        }
        let worker = workers.get_mut(name).expect("just made");
        assert!(!worker.is_open, "{name} waits, and can do nothing else: {line}");
        worker.statements.send(sql.to_owned()).expect("the session is there");
        worker.is_open = true;
        let lines = worker.settle(&mut observer).unwrap_or_else(|| vec!["waits".into()]);
        lines.iter().for_each(|l| found += &format!("  {l}\n"));
        for (other, worker) in workers.iter_mut().filter(|(n, w)| *n != name && w.is_open) {
            let lines = worker.settle(&mut observer).unwrap_or_default();
            lines.iter().for_each(|l| found += &format!("  {other}: {l}\n"));
        }
    }
    for (name, worker) in &workers {
        assert!(!worker.is_open, "{name} waits in the end:\n{found}");
    }
    found
}

#[test]
fn sessions_wait_and_go_on_as_the_scripts_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/waits");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("folder").flatten().map(|f| f.path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let found = run(&text);
        if found == text {
            continue;
        }
        if std::env::var_os("EVENKEEL_BLESS").is_some() {
            std::fs::write(&file, &found).expect("writable");
            continue;
        }
        let differs = text.lines().zip(found.lines()).position(|(a, b)| a != b);
        let at = differs.unwrap_or_else(|| text.lines().count().min(found.lines().count()));
        let near = |s: &str| s.lines().skip(at.saturating_sub(2)).take(4).collect::<Vec<_>>().join("\n");
        wrong.push(format!("{}, line {}:\n{}\nis\n{}", file.display(), at + 1, near(&text), near(&found)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
