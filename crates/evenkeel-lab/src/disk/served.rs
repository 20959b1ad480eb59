//! Serves a modelled disk as a file, over FUSE: `disk`, and `control`, which shows what it did and takes orders.
//!
//! Invariants
//! 1. A request is answered when the model says so, and not before; unless the disk was told to hurry, when it is at once.
//! 2. Whoever opened the file before a power cut gets errors from then on.
//! 3. The locks of time and of contents are never held together.
//!
//! It must not know of loop devices, of file systems on the disk, or of who asks.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen,
    ReplyWrite, Session, TimeOrNow, WriteFlags,
};
use serde::{Deserialize, Serialize};

use super::kinds::Kind;
use super::model::{Model, Nanos, Op, Request};
use super::platter::{Cut, Platter};

/// The file that is the disk.
pub(super) const DISK: &str = "disk";
/// The file that takes orders.
pub(super) const CONTROL: &str = "control";

const DISK_NODE: u64 = 2;
const CONTROL_NODE: u64 = 3;
const KEPT: Duration = Duration::from_secs(3600);
const THREADS: usize = 2;
/// Requests of the kernel that are on their way at the same time.
const UNDER_WAY: u16 = 64;

/// What it did so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Requests.
    pub reads: u64,
    /// Requests.
    pub writes: u64,
    /// Requests.
    pub flushes: u64,
    /// Bytes.
    pub bytes_read: u64,
    /// Bytes.
    pub bytes_written: u64,
    /// All of a kind together took so long.
    pub read_ms: f64,
    /// Likewise.
    pub write_ms: f64,
    /// Likewise.
    pub flush_ms: f64,
    /// The last power cut.
    pub cut: Option<Cut>,
}

enum Answer {
    Read(ReplyData, Vec<u8>),
    Write(ReplyWrite, u32),
    /// Writes up to this number are safe then.
    Flush(ReplyEmpty, u64),
}

impl Answer {
    fn fail(self) {
        match self {
            Answer::Read(reply, _) => reply.error(Errno::EIO),
            Answer::Write(reply, _) => reply.error(Errno::EIO),
            Answer::Flush(reply, _) => reply.error(Errno::EIO),
        }
    }
}

struct Time {
    model: Model,
    under_way: HashMap<u64, (Answer, Nanos)>,
    id: u64,
    is_hurrying: bool,
    /// As the contents have it.
    cuts: u64,
    counts: Counts,
}

struct Shared {
    kind: &'static Kind,
    size: u64,
    begin: Instant,
    time: Mutex<Time>,
    wake: Condvar,
    platter: Mutex<Platter>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn now(&self) -> Nanos {
        self.begin.elapsed().as_nanos() as Nanos
    }

    fn ask(&self, handle: FileHandle, op: Op, at: u64, len: u64, answer: Answer) {
        let mut time = lock(&self.time);
        if time.cuts != handle.0 {
            drop(time);
            return answer.fail(); // cut since it was begun
        }
        let now = self.now();
        let counts = &mut time.counts;
        match op {
            Op::Read => (counts.reads, counts.bytes_read) = (counts.reads + 1, counts.bytes_read + len),
            Op::Write => {
                (counts.writes, counts.bytes_written) = (counts.writes + 1, counts.bytes_written + len)
            }
            Op::Flush => counts.flushes += 1,
        }
        if time.is_hurrying {
            drop(time);
            return self.give(answer);
        }
        time.id += 1;
        let id = time.id;
        time.under_way.insert(id, (answer, now));
        time.model.ask(now, Request { id, op, at, len });
        drop(time);
        self.wake.notify_one();
    }

    fn give(&self, answer: Answer) {
        match answer {
            Answer::Read(reply, data) => reply.data(&data),
            Answer::Write(reply, len) => reply.written(len),
            Answer::Flush(reply, number) => {
                lock(&self.platter).flushed(number);
                reply.ok();
            }
        }
    }

    /// Answers what is done, for ever.
    fn keep_time(&self) {
        let mut done = Vec::new();
        let mut time = lock(&self.time);
        loop {
            let now = self.now();
            time.model.advance(now, &mut done);
            if done.is_empty() {
                time = match time.model.next() {
                    Some(at) => {
                        let wait = Duration::from_nanos(at.saturating_sub(now).max(1));
                        self.wake.wait_timeout(time, wait).unwrap_or_else(PoisonError::into_inner).0
                    }
                    None => self.wake.wait(time).unwrap_or_else(PoisonError::into_inner),
                };
                continue;
            }
            let mut answers = Vec::new();
            for d in done.drain(..) {
                let Some((answer, since)) = time.under_way.remove(&d.id) else { continue };
                let took = d.at.saturating_sub(since) as f64 / 1e6;
                match &answer {
                    Answer::Read(..) => time.counts.read_ms += took,
                    Answer::Write(..) => time.counts.write_ms += took,
                    Answer::Flush(..) => time.counts.flush_ms += took,
                }
                answers.push(answer);
            }
            drop(time); // invariant 3
            answers.into_iter().for_each(|answer| self.give(answer));
            time = lock(&self.time);
        }
    }

    /// Forgets what is under way; gives it.
    fn stop_all(&self, time: &mut Time) -> Vec<Answer> {
        time.model = Model::new(self.kind, self.size);
        time.under_way.drain().map(|(_, (answer, _))| answer).collect()
    }

    fn order(&self, text: &str) -> Result<(), Errno> {
        let mut words = text.split_whitespace();
        match (words.next(), words.next().map(str::parse)) {
            (Some("cut"), Some(Ok(seed))) => {
                let cut = lock(&self.platter).cut(seed).map_err(|_| Errno::EIO)?;
                let mut time = lock(&self.time);
                time.counts.cut = Some(cut);
                time.cuts += 1;
                let answers = self.stop_all(&mut time);
                drop(time);
                answers.into_iter().for_each(Answer::fail);
                Ok(())
            }
            (Some("hurry"), None) => {
                let mut time = lock(&self.time);
                time.is_hurrying = true;
                let answers = self.stop_all(&mut time);
                drop(time);
                answers.into_iter().for_each(|answer| self.give(answer));
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        }
    }
}

struct Served(Arc<Shared>);

impl Served {
    fn attributes(&self, node: u64) -> Option<FileAttr> {
        let (kind, size, perm) = match node {
            1 => (FileType::Directory, 0, 0o700),
            DISK_NODE => (FileType::RegularFile, self.0.size, 0o600),
            CONTROL_NODE => (FileType::RegularFile, 0, 0o600),
            _ => return None,
        };
        Some(FileAttr {
            ino: INodeNo(node),
            size,
            blocks: size / 512,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }
}

impl Filesystem for Served {
    fn init(&mut self, _: &fuser::Request, config: &mut KernelConfig) -> io::Result<()> {
        // Requests beside one another, where the kernel can.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.set_max_background(UNDER_WAY);
        Ok(())
    }

    fn lookup(&self, _: &fuser::Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let node = match name.to_str() {
            Some(DISK) => DISK_NODE,
            Some(CONTROL) => CONTROL_NODE,
            _ => return reply.error(Errno::ENOENT),
        };
        match self.attributes(node) {
            Some(attributes) => reply.entry(&KEPT, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &fuser::Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(node.0) {
            Some(attributes) => reply.attr(&KEPT, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        request: &fuser::Request,
        node: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<std::time::SystemTime>,
        handle: Option<FileHandle>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.getattr(request, node, handle, reply); // a disk stays as it is
    }

    fn open(&self, _: &fuser::Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(lock(&self.0.platter).cuts), flags);
    }

    fn flush(&self, _: &fuser::Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn read(
        &self,
        _: &fuser::Request,
        node: INodeNo,
        handle: FileHandle,
        at: u64,
        len: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if node.0 == CONTROL_NODE {
            let counts = lock(&self.0.time).counts.clone();
            let text = serde_json::to_vec(&counts).unwrap_or_default();
            let from = text.len().min(at as usize);
            return reply.data(&text[from..text.len().min(from + len as usize)]);
        }
        let platter = lock(&self.0.platter);
        let data = if platter.cuts == handle.0 { platter.read(at, len.into()).ok() } else { None };
        drop(platter);
        match data {
            Some(data) => self.0.ask(handle, Op::Read, at, data.len() as u64, Answer::Read(reply, data)),
            None => reply.error(Errno::EIO),
        }
    }

    fn write(
        &self,
        _: &fuser::Request,
        node: INodeNo,
        handle: FileHandle,
        at: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let len = data.len() as u32;
        if node.0 == CONTROL_NODE {
            return match self.0.order(&String::from_utf8_lossy(data)) {
                Ok(()) => reply.written(len),
                Err(e) => reply.error(e),
            };
        }
        let mut platter = lock(&self.0.platter);
        let is_written = platter.cuts == handle.0 && platter.write(at, data).is_ok();
        drop(platter);
        if is_written {
            self.0.ask(handle, Op::Write, at, len.into(), Answer::Write(reply, len));
        } else {
            reply.error(Errno::EIO);
        }
    }

    fn fsync(&self, _: &fuser::Request, node: INodeNo, handle: FileHandle, _: bool, reply: ReplyEmpty) {
        if node.0 == CONTROL_NODE {
            return reply.ok();
        }
        let platter = lock(&self.0.platter);
        let (is_alive, number) = (platter.cuts == handle.0, platter.written());
        drop(platter);
        if is_alive {
            self.0.ask(handle, Op::Flush, 0, 0, Answer::Flush(reply, number));
        } else {
            reply.error(Errno::EIO);
        }
    }

    fn fallocate(
        &self,
        _: &fuser::Request,
        _: INodeNo,
        _: FileHandle,
        _: u64,
        _: u64,
        _: i32,
        reply: ReplyEmpty,
    ) {
        reply.error(Errno::EOPNOTSUPP);
    }
}

/// Serves the contents of `file` as a disk of that kind under `at`, until that is unmounted.
pub fn serve(kind: &'static Kind, file: &Path, at: &Path) -> io::Result<()> {
    // Memory that the kernel needs to write to this disk does not wait for this disk. It may be forbidden; then it is only slower.
    let _ = rustix::process::configure_io_flusher_behavior(true);
    let file = File::options().read(true).write(true).open(file)?;
    let platter = Platter::new(file, kind.volatile_bytes)?;
    let size = platter.size();
    let time = Time {
        model: Model::new(kind, size),
        under_way: HashMap::new(),
        id: 0,
        is_hurrying: false,
        cuts: 0,
        counts: Counts::default(),
    };
    let shared = Arc::new(Shared {
        kind,
        size,
        begin: Instant::now(),
        time: Mutex::new(time),
        wake: Condvar::new(),
        platter: Mutex::new(platter),
    });
    let timer = Arc::clone(&shared);
    std::thread::Builder::new().name("disk-time".into()).spawn(move || timer.keep_time())?;
    let mut config = Config::default();
    config.mount_options =
        vec![MountOption::FSName(format!("evenkeel-{}", kind.name)), MountOption::NoDev, MountOption::NoSuid];
    config.n_threads = Some(THREADS);
    Session::new(Served(shared), at, &config)?.run()
}
