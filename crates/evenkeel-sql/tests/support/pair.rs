//! A primary and a standby that follows it, both on simulated disks, with a thread between them that carries the log and what the standby's readers want.

use super::{Client, name_database};
use evenkeel::io::{SimDisk, SimOptions};
use evenkeel::wal::sending::Piece;
use evenkeel::{Database, Options, Standby};
use evenkeel_sql::Instance;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const SLOT: &str = "b";
const LONG: Duration = Duration::from_secs(120);

/// Both.
pub struct Pair {
    pub primary: Arc<Instance>,
    db: Database,
    copy: SimDisk,
    standby: Option<Arc<Standby>>,
    carrier: Option<Carrier>,
    /// The standby's SQL layer.
    pub readers: Arc<Instance>,
}

/// The thread between them.
struct Carrier {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

fn options() -> Options {
    Options::default().with("shared_buffers", "16MB").expect("valid settings")
}

fn open_standby(disk: &SimDisk) -> (Arc<Standby>, Arc<Instance>) {
    let options = options().with_definitions(Instance::definitions());
    let standby = Arc::new(Standby::open_on(Arc::new(disk.clone()), options).expect("a standby opens"));
    let readers = loop {
        // Whatever is purged meanwhile.
        if let Some(Ok(instance)) = standby.database().map(Instance::open) {
            break instance;
        }
        thread::sleep(Duration::from_millis(1));
    };
    (standby, readers)
}

/// Carries what there is, once.
fn carry(db: &Database, standby: &Standby, feedback: &evenkeel::Feedback) {
    let up = db.upstream();
    feedback.sample();
    db.wait_durable(db.insert_lsn()).expect("the log is written");
    up.with_log_stream(standby.received(), false, |stream| {
        while let Some(piece) = stream.next(1 << 16)? {
            match piece {
                Piece::Life(header) => standby.begin_life(&header)?,
                Piece::Log(at, records) => standby.receive(at, records)?,
            }
        }
        Ok(())
    })
    .expect("the log is sent and received");
    if standby.durable() != standby.received() {
        standby.sync().expect("sync");
    }
    let news = up.news();
    standby.may_tell(news.told, news.is_asked).expect("it is noted");
    if let Some(wanted) = standby.feedback() {
        feedback.heard(wanted);
    }
}

impl Carrier {
    fn start(db: &Database, standby: &Arc<Standby>) -> Carrier {
        let stop = Arc::new(AtomicBool::new(false));
        let (db, standby, stopped) = (db.clone(), standby.clone(), stop.clone());
        let thread = thread::spawn(move || {
            let user = db.upstream().use_slot(SLOT).expect("nobody uses it");
            let feedback = db.upstream().feedback();
            while !stopped.load(Ordering::Relaxed) {
                // Nothing is let go of: the standby may begin anew from a copy of before.
                carry(&db, &standby, &feedback);
                thread::sleep(Duration::from_millis(1));
            }
            user.leave(feedback.into_hold());
        });
        Carrier { stop, thread }
    }

    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the carrier goes on to the end");
    }
}

impl Pair {
    /// Both, with what some statements made.
    pub fn new(before: &str) -> Pair {
        let home = SimDisk::new(SimOptions { atomic_unit_max_bytes: 16384, ..SimOptions::default() });
        let open = || Database::open_on(Arc::new(home.clone()), options()).expect("database opens");
        let db = open();
        let instance = Instance::open(db.clone()).expect("catalog opens");
        name_database(&instance);
        Client::new(&instance, &[]).ok(before);
        drop(instance);
        db.close().expect("database closes");
        drop(db);
        let copy = home.kill_copy();
        Standby::adopt(&copy).expect("a clean copy is adopted");
        let db = open();
        db.upstream().create_slot(SLOT, true).expect("a slot");
        let primary = Instance::open(db.clone()).expect("catalog opens");
        let (standby, readers) = open_standby(&copy);
        let carrier = Some(Carrier::start(&db, &standby));
        Pair { primary, db, copy, standby: Some(standby), carrier, readers }
    }

    /// A session of the primary.
    pub fn session(&self) -> Client {
        Client::new(&self.primary, &[])
    }

    /// A session of the standby.
    pub fn reader(&self) -> Client {
        Client::new(&self.readers, &[])
    }

    /// Waits until the standby has replayed all that the primary has.
    pub fn catch_up(&self) {
        self.db.wait_durable(self.db.insert_lsn()).expect("the log is written");
        let end = self.db.durable_lsn();
        let standby = self.standby.as_ref().expect("it follows");
        assert!(standby.wait_replayed(end, LONG).expect("it replays"), "the standby does not catch up");
    }

    /// Ends the standby at this very moment and starts it again from what its disk has. Its sessions end.
    pub fn crash_standby(&mut self) {
        let copy = self.copy.kill_copy();
        self.carrier.take().expect("it follows").stop();
        drop(self.standby.take());
        self.copy = copy;
        let (standby, readers) = open_standby(&self.copy);
        self.carrier = Some(Carrier::start(&self.db, &standby));
        (self.standby, self.readers) = (Some(standby), readers);
    }

    /// Makes a primary of the standby. The other one goes on, and nobody hears of it.
    pub fn promote(&mut self) -> Database {
        self.carrier.take().expect("it follows").stop();
        let standby =
            Arc::try_unwrap(self.standby.take().expect("it follows")).ok().expect("nobody else has it");
        let db = standby.promote().expect("promoted");
        self.readers.promote(db.clone()).expect("it is served");
        db
    }

    /// What is wrong with rows and indexes of a database: nothing.
    pub fn check(db: &Database) {
        let mut told = Vec::new();
        evenkeel_sql::check::check_indexes(db, &mut |p| told.push(p.to_string())).expect("check runs");
        assert!(told.is_empty(), "{told:#?}");
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        if let Some(carrier) = self.carrier.take() {
            carrier.stop.store(true, Ordering::Relaxed);
            let _ = carrier.thread.join();
        }
    }
}
