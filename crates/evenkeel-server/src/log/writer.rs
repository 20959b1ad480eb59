//! The thread that writes the log, and the queue before it.
//!
//! Invariants:
//! 1. Whoever has something to tell never waits for the log: what finds no room in the queue is lost, counted, and the count is told as soon as there is room. So neither a full
//!    disk nor a pipe that nobody reads delays a commit.
//! 2. The queue takes at most [`QUEUE_BYTES`].
//! 3. What the log itself has to say of its files goes to standard error, once until they can be written again.
//!
//! It must not know: formats, names of files.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::{Condvar, Mutex};

use super::file::LogFile;
use super::format::{Style, csv, json, text};
use super::record::{Process, Record};
use super::{Plan, Target};

/// Memory for messages that wait to be written.
pub(super) const QUEUE_BYTES: usize = 4 << 20;

#[derive(Default)]
struct Queue {
    records: VecDeque<Record>,
    bytes: usize,
    /// Messages that found no room and were not told of yet.
    lost: u64,
    ever_lost: u64,
    is_writing: bool,
    /// How things are to be from now on.
    plan: Option<Plan>,
    rotates: bool,
    paths: Vec<(&'static str, String)>,
}

/// Where messages are handed over.
pub(super) struct Writer {
    queue: Mutex<Queue>,
    news: Condvar,
    done: Condvar,
    process: Process,
}

impl Writer {
    /// Starts the thread.
    pub fn start(plan: Plan) -> io::Result<Arc<Writer>> {
        let process = Process { id: std::process::id(), started: Timestamp::now() };
        let writer =
            Arc::new(Writer { queue: Mutex::default(), news: Condvar::new(), done: Condvar::new(), process });
        let of_thread = writer.clone();
        std::thread::Builder::new().name("logger".into()).spawn(move || of_thread.run(plan))?;
        Ok(writer)
    }

    /// Hands a message over. (1, 2)
    pub fn push(&self, record: Record) {
        let bytes = record.bytes();
        let mut q = self.queue.lock();
        if q.bytes + bytes > QUEUE_BYTES {
            q.lost += 1;
            q.ever_lost += 1;
            return;
        }
        q.bytes += bytes;
        q.records.push_back(record);
        drop(q);
        self.news.notify_one();
    }

    /// Messages lost since the start.
    pub fn lost_ever(&self) -> u64 {
        self.queue.lock().ever_lost
    }

    /// From now on.
    pub fn set_plan(&self, plan: Plan) {
        self.queue.lock().plan = Some(plan);
        self.news.notify_one();
    }

    /// The next messages begin new files.
    pub fn rotate(&self) {
        self.queue.lock().rotates = true;
        self.news.notify_one();
    }

    /// The files that are written: `stderr`, `csvlog` or `jsonlog`, and the path.
    pub fn paths(&self) -> Vec<(&'static str, String)> {
        self.queue.lock().paths.clone()
    }

    /// Blocks until what was handed over is written, no longer than that.
    pub fn flush(&self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut q = self.queue.lock();
        while !q.records.is_empty() || q.is_writing || q.lost > 0 || q.plan.is_some() {
            if self.done.wait_until(&mut q, until).timed_out() {
                return;
            }
        }
    }

    fn run(&self, mut plan: Plan) {
        let mut out = Outputs::default();
        out.adopt(&plan);
        loop {
            let mut q = self.queue.lock();
            while q.records.is_empty() && q.lost == 0 && q.plan.is_none() && !q.rotates {
                self.news.wait(&mut q);
            }
            q.is_writing = true;
            let records = std::mem::take(&mut q.records);
            let lost = std::mem::take(&mut q.lost);
            let (new, rotates) = (q.plan.take(), std::mem::take(&mut q.rotates));
            drop(q);
            // A new plan holds for what is told after it, which may be among these: nobody needs it to the message.
            if let Some(new) = new {
                plan = new;
                out.adopt(&plan);
            }
            if rotates {
                out.files.iter_mut().for_each(|(_, file)| file.rotate());
            }
            // What is lost was told after these.
            let lost = (lost > 0).then(|| {
                let text =
                    format!("{lost} messages are lost: they came faster than the log could be written");
                Record::own("WARNING", text)
            });
            let bytes: usize = records.iter().map(Record::bytes).sum();
            for record in records.iter().chain(&lost) {
                out.write(record, &self.process, &plan.style);
            }
            out.send();
            let mut q = self.queue.lock();
            q.is_writing = false;
            q.bytes -= bytes;
            q.paths = out.paths();
            drop(q);
            self.done.notify_all();
        }
    }
}

/// Lines that are written at once.
const BATCH_BYTES: usize = 64 << 10;

/// Where lines go.
#[derive(Default)]
struct Outputs {
    files: Vec<(Target, LogFile)>,
    /// What goes to standard error, if anything does.
    standard: Option<Target>,
    lines: Vec<(Target, String)>,
    /// Files cannot be written, and that was told.
    complained: bool,
}

impl Outputs {
    fn adopt(&mut self, plan: &Plan) {
        self.standard = plan.standard;
        let mut before = std::mem::take(&mut self.files);
        self.files = plan
            .files
            .iter()
            .flat_map(|(targets, naming)| targets.iter().map(move |t| (*t, naming)))
            .map(|(target, naming)| match before.iter().position(|(t, _)| *t == target) {
                Some(n) => {
                    let (_, mut file) = before.swap_remove(n);
                    file.rename(naming.clone());
                    (target, file)
                }
                None => (target, LogFile::new(naming.clone(), target.suffix())),
            })
            .collect();
        let mut targets: Vec<Target> = self.files.iter().map(|(t, _)| *t).chain(self.standard).collect();
        targets.dedup();
        self.lines = targets.into_iter().map(|t| (t, String::new())).collect();
    }

    fn write(&mut self, record: &Record, process: &Process, style: &Style) {
        for (target, lines) in &mut self.lines {
            match target {
                Target::Text => text(record, process, style, lines),
                Target::Csv => csv(record, process, style, lines),
                Target::Json => json(record, process, style, lines),
            }
        }
        if self.lines.iter().any(|(_, lines)| lines.len() >= BATCH_BYTES) {
            self.send();
        }
    }

    fn send(&mut self) {
        let now = Timestamp::now();
        let mut failed = None;
        for (target, file) in &mut self.files {
            let Some((_, lines)) = self.lines.iter().find(|(t, _)| t == target) else { continue };
            if lines.is_empty() {
                continue;
            }
            if let Err(e) = file.write(lines.as_bytes(), now) {
                failed = Some(e);
                // Better there than nowhere.
                if self.standard != Some(*target) {
                    _ = io::stderr().write_all(lines.as_bytes());
                }
            }
        }
        if let Some(standard) = self.standard
            && let Some((_, lines)) = self.lines.iter().find(|(t, _)| *t == standard)
            && !lines.is_empty()
        {
            _ = io::stderr().write_all(lines.as_bytes());
        }
        // (3)
        match failed {
            Some(e) if !self.complained => {
                self.complained = true;
                eprintln!(
                    "evenkeel: the log file cannot be written ({e}): messages go to standard error until it can"
                );
            }
            Some(_) => {}
            None => self.complained = false,
        }
        self.lines.iter_mut().for_each(|(_, lines)| lines.clear());
    }

    fn paths(&self) -> Vec<(&'static str, String)> {
        let path = |(target, file): &(Target, LogFile)| {
            file.path().map(|p| (target.name(), p.display().to_string()))
        };
        self.files.iter().filter_map(path).collect()
    }
}
