//! A standby's side: follows its primary's log, for as long as it is told to (S25).
//!
//! Invariants
//! 1. Nothing is confirmed before it is durable here.
//! 2. Whatever goes wrong with the primary or on the way, it is tried again; what went wrong here ends the standby, by its poison.
//!
//! It must not know what is in the log.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel::wal::bare;
use evenkeel::wal::segment::Header;
use evenkeel::{Lsn, News, Position, Standby};
use evenkeel_client::{ConnString, Connection, Message, WireError, server_error};
use evenkeel_sql::WalReceiver;
use evenkeel_types::datetime::wall_clock_us;
use parking_lot::{Condvar, Mutex};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use super::wire::{self, About, FromServer, Status, Unpacker};

/// How often it is looked for the end while nothing comes.
const LOOK: Duration = Duration::from_millis(250);
/// Time between two words on what readers want, at least.
const FEEDBACK: Duration = Duration::from_millis(50);
/// Log that is taken before it is made durable, at most, while more is at hand: what is confirmed late holds up whoever waits for it.
const UNSYNCED_BYTES_MAX: u64 = 4 << 20;

/// How to follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Following {
    /// The primary.
    pub primary: ConnString,
    /// The slot there, if one keeps the log.
    pub slot: Option<String>,
    /// What this standby calls itself.
    pub name: String,
    /// A primary that says nothing for so long is given up; zero: never.
    pub timeout: Duration,
    /// It is told so often at least how far this one is.
    pub status_interval: Duration,
    /// Time between attempts.
    pub retry: Duration,
}

/// What is shown of a connection to a primary, through all attempts.
#[derive(Clone, Default)]
pub struct ReceiverShown(Arc<Mutex<Option<WalReceiver>>>, Arc<AtomicBool>);

impl ReceiverShown {
    /// The connection, if there is one.
    pub fn get(&self) -> Option<WalReceiver> {
        self.0.lock().clone()
    }

    /// The last attempt failed because the log that is here is not a part of the primary's, or is not there any more.
    pub fn is_parted(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

/// Follows, until it is dropped.
pub struct Receiver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    stopping: AtomicBool,
    /// It waits for a server that may not answer, and has nothing of the standby.
    connecting: AtomicBool,
    /// Pauses between attempts are cut short by it.
    pause: Mutex<()>,
    ended: Condvar,
    shown: ReceiverShown,
    wakes: Arc<Wakes>,
}

/// What wakes the thread beside its primary.
struct Wakes {
    event: OwnedFd,
    /// The primary is to hear at once of what is applied.
    when_applied: AtomicBool,
}

impl Wakes {
    fn new() -> std::io::Result<Wakes> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Wakes { event, when_applied: AtomicBool::new(false) })
    }

    fn has_applied(&self) {
        if self.when_applied.load(Ordering::Relaxed) {
            // It fails only when it is raised already, by as much as it can be.
            let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
        }
    }

    /// Waits for the primary, for a bounded time; whether something has come of it.
    fn wait(&self, primary: &impl AsFd) -> std::io::Result<bool> {
        let mut fds = [PollFd::new(primary, PollFlags::IN), PollFd::new(&self.event, PollFlags::IN)];
        let limit = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as i64 };
        match poll(&mut fds, Some(&limit)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        if !fds[1].revents().is_empty() {
            let _ = rustix::io::read(&self.event, &mut [0; 8]);
        }
        Ok(!fds[0].revents().is_empty())
    }
}

impl Receiver {
    /// Begins to follow.
    pub fn start(standby: Arc<Standby>, how: Following, shown: ReceiverShown) -> std::io::Result<Receiver> {
        let wakes = Arc::new(Wakes::new()?);
        let woken = wakes.clone();
        standby.on_applied(Arc::new(move || woken.has_applied()));
        let shared = Arc::new(Shared {
            wakes,
            stopping: AtomicBool::new(false),
            connecting: AtomicBool::new(false),
            pause: Mutex::new(()),
            ended: Condvar::new(),
            shown,
        });
        let (own, standby) = (shared.clone(), Arc::downgrade(&standby));
        let run = move || own.follow_for_ever(&standby, &how);
        let thread = std::thread::Builder::new().name("walreceiver".into()).spawn(run)?;
        Ok(Receiver { shared, thread: Some(thread) })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        drop(self.shared.pause.lock()); // whoever is about to pause has looked by now, or will see it
        self.shared.ended.notify_all();
        // Whoever waits for a server that does not answer ends by himself, and does nothing any more.
        if !self.shared.connecting.load(Ordering::SeqCst)
            && let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that received the log panicked");
        }
    }
}

/// Why it does not go on.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("{0}")]
    Wire(#[from] WireError),
    #[error("{0}")]
    Engine(#[from] evenkeel::Error),
    #[error("{0}")]
    Foreign(String),
    #[error("it said nothing for {} s", .0.as_secs())]
    Silent(Duration),
}

impl Broken {
    /// Whether no further attempt will do.
    fn is_parted(&self) -> bool {
        match self {
            Broken::Wire(WireError::Server { code, .. }) => code == "22023",
            Broken::Engine(evenkeel::Error::InvalidArgument(_)) => true,
            _ => false,
        }
    }
}

/// What was said of its not going on.
#[derive(Default)]
struct Told {
    text: String,
    /// Where its own disk, or whatever else is here, stopped it: a connection alone is no news then.
    stuck_at: Option<Position>,
}

impl From<std::io::Error> for Broken {
    fn from(e: std::io::Error) -> Broken {
        Broken::Wire(e.into())
    }
}

impl Shared {
    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn follow_for_ever(&self, standby: &Weak<Standby>, how: &Following) {
        let mut told = Told::default();
        let goes_on = || standby.upgrade().is_some_and(|standby| standby.poisoned().is_none());
        while !self.is_stopping() && goes_on() {
            match self.follow(standby, how, &mut told) {
                Ok(()) => {}
                Err(e) => {
                    // Once, however long it lasts.
                    *self.shown.0.lock() = None;
                    self.shown.1.store(e.is_parted(), Ordering::Relaxed);
                    let text = e.to_string();
                    if text != told.text {
                        tracing::warn!("the primary {} cannot be followed: {text}", how.primary);
                        told.text = text;
                    }
                    let is_own = matches!(e, Broken::Engine(_));
                    told.stuck_at = standby.upgrade().filter(|_| is_own).map(|standby| standby.received());
                }
            }
            let mut pause = self.pause.lock();
            if !self.is_stopping() {
                self.ended.wait_for(&mut pause, how.retry);
            }
        }
    }

    /// A connection to the primary; `None`: it is to stop.
    fn connect(&self, how: &Following) -> Result<Option<Connection>, Broken> {
        self.connecting.store(true, Ordering::SeqCst);
        // Either this sees that it is to stop, or whoever stops it sees that it connects.
        if self.is_stopping() {
            return Ok(None);
        }
        let connection = Connection::open_for_replication(&how.primary, &how.name);
        if self.is_stopping() {
            return Ok(None); // nobody waits for this thread: it stays as it is
        }
        self.connecting.store(false, Ordering::SeqCst);
        Ok(Some(connection?))
    }

    /// Follows until it is stopped, or something breaks.
    fn follow(&self, standby: &Weak<Standby>, how: &Following, told: &mut Told) -> Result<(), Broken> {
        let Some(mut connection) = self.connect(how)? else { return Ok(()) };
        let Some(standby) = standby.upgrade() else { return Ok(()) };
        let standby = &*standby;
        identify(standby, &mut connection)?;
        let place = standby.received();
        let slot = how.slot.as_ref().map_or(String::new(), |name| format!("SLOT \"{name}\" "));
        let start =
            format!("START_REPLICATION {slot}PHYSICAL {} TIMELINE 1 (life '{:016x}')", place.lsn, place.life);
        connection.begin_copy(&start)?;
        connection.set_silence_max(LOOK)?;
        self.wakes.when_applied.store(false, Ordering::SeqCst);
        if told.stuck_at.take() != Some(place) {
            tracing::info!("follows {} from {} on", how.primary, place.lsn);
            told.text.clear();
        }
        self.shown.1.store(false, Ordering::Relaxed);
        *self.shown.0.lock() = Some(WalReceiver {
            status: "streaming",
            started: place.lsn,
            heard_us: wall_clock_us(),
            slot: how.slot.clone(),
            host: how.primary.host.clone(),
            port: how.primary.port,
            conninfo: format!(
                "host={} port={} user={} dbname={}",
                how.primary.host, how.primary.port, how.primary.user, how.primary.database
            ),
        });
        let _ = standby.hear(0); // it has yet to say
        let began = Instant::now();
        let mut stream = Stream {
            standby,
            unpacker: Unpacker::new()?,
            bare: Vec::new(),
            records: Vec::new(),
            heard: began,
            said: Instant::now(),
            asked: began,
            status: Status::default(),
            answer: true,
            news: None,
            wakes: &self.wakes,
            feedback: None,
            fed_back: None,
        };
        while !self.is_stopping() {
            if let Some(e) = standby.poisoned() {
                return Err(e.into());
            }
            let heard = stream.heard;
            stream.take_all(&mut connection)?;
            if stream.heard != heard
                && let Some(shown) = &mut *self.shown.0.lock()
            {
                shown.heard_us = wall_clock_us();
            }
            stream.confirm(&mut connection, how)?;
            stream.feed_back(&mut connection)?;
            let has_more = self.wakes.wait(&connection)? && connection.fill()?;
            if !has_more && !how.timeout.is_zero() {
                let silent = stream.heard.elapsed();
                if silent >= how.timeout {
                    return Err(Broken::Silent(how.timeout));
                }
                // A primary that has nothing to say is asked whether it is there.
                if silent >= how.timeout / 2 && stream.asked <= stream.heard {
                    stream.ask(&mut connection)?;
                }
            }
        }
        connection.write(&Message::new(b'c').end())?;
        Ok(())
    }
}

/// Whether the primary is this standby's.
fn identify(standby: &Standby, connection: &mut Connection) -> Result<(), Broken> {
    let rows = connection.query("IDENTIFY_SYSTEM")?;
    let field = |i: usize| rows.first().and_then(|row| row.get(i)).and_then(Option::as_deref);
    let foreign = |what: String| Err(Broken::Foreign(what));
    match field(5) {
        Some(wire::STREAM_VERSION) => {}
        Some(other) => {
            return foreign(format!(
                "its log is of version {other}, this program reads {}: use the same version of evenkeel on both sides",
                wire::STREAM_VERSION
            ));
        }
        None => return foreign("it is no evenkeel".into()),
    }
    let own = standby.database_id().to_string();
    match field(0) {
        Some(id) if id == own => Ok(()),
        id => foreign(format!(
            "it serves another database, {}, than the one that this standby was made of, {own}: follow that one's server, or make another copy",
            id.unwrap_or("none")
        )),
    }
}

/// What comes of one connection.
struct Stream<'s> {
    standby: &'s Standby,
    unpacker: Unpacker,
    bare: Vec<u8>,
    records: Vec<u8>,
    heard: Instant,
    said: Instant,
    /// When the primary was last asked to say something.
    asked: Instant,
    /// What the primary was told last.
    status: Status,
    /// It wants to hear something.
    answer: bool,
    /// What the primary has said besides the log.
    news: Option<News>,
    wakes: &'s Wakes,
    /// What it was told last that readers want, and when.
    feedback: Option<Lsn>,
    fed_back: Option<Instant>,
}

impl Stream<'_> {
    /// Takes what has arrived, up to a bound.
    fn take_all(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        let from = self.standby.received().lsn;
        while self.standby.received().lsn.0 - from.0 < UNSYNCED_BYTES_MAX {
            let Some((kind, body)) = connection.message()? else { break };
            self.heard = Instant::now();
            match kind {
                b'd' => match FromServer::decode(body) {
                    Some(FromServer::Data { start, end, payload }) => {
                        self.data(start, payload)?;
                        if let Some(news) = &mut self.news {
                            news.told = end;
                        }
                    }
                    Some(FromServer::Packed { ahead, sum, records }) => {
                        let end = self.packed(sum, records)?;
                        if let Some(news) = &mut self.news {
                            news.told = Lsn(end.0.saturating_add_signed(ahead));
                        }
                    }
                    Some(FromServer::Keepalive { about: About { news, epoch, archived }, answer }) => {
                        self.answer |= answer;
                        self.news = Some(news);
                        self.standby.hear(epoch)?;
                        self.standby.may_tell(news.told, news.is_asked)?;
                        self.standby.primary_has_archived(archived)?;
                        self.wakes.when_applied.store(news.wants_applied, Ordering::SeqCst);
                    }
                    None => return Err(Broken::Foreign("it sent what is no log".into())),
                },
                b'E' => return Err(server_error(body).into()),
                b'c' | b'C' | b'Z' => return Err(Broken::Foreign("it sends no more log".into())),
                _ => {}
            }
        }
        // Until it has said whether standbys are asked, it is as it was.
        self.news.map_or(Ok(()), |news| Ok(self.standby.may_tell(news.told, news.is_asked)?))
    }

    fn data(&mut self, start: Lsn, payload: &[u8]) -> Result<(), Broken> {
        match payload.split_first() {
            Some((&wire::LIFE, header)) => match Header::decode(header) {
                Some(header) => Ok(self.standby.begin_life(&header)?),
                None => Err(Broken::Foreign("it sent a damaged header of log".into())),
            },
            Some((&wire::RECORDS, records)) => Ok(self.standby.receive(start, records)?),
            _ => Err(Broken::Foreign("it sent what is no log".into())),
        }
    }

    /// Takes packed records; gives where they end.
    fn packed(&mut self, sum: u32, packed: &[u8]) -> Result<Lsn, Broken> {
        self.unpacker.unpack(packed, &mut self.bare)?;
        let Position { life, lsn } = self.standby.received();
        bare::put_together(&self.bare, lsn, life, sum, wire::RECORDS_BYTES_MAX, &mut self.records)?;
        self.standby.receive(lsn, &self.records)?;
        Ok(Lsn(lsn.0 + self.records.len() as u64))
    }

    /// Says what readers want, where that is news.
    fn feed_back(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        if self.fed_back.is_some_and(|at| at.elapsed() < FEEDBACK) {
            return Ok(());
        }
        let wanted = self.standby.feedback();
        if wanted == self.feedback {
            return Ok(());
        }
        let mut message = Vec::new();
        wire::put_feedback(&mut message, wanted);
        let mut data = Message::new(b'd');
        data.bytes(&message);
        connection.write(&data.end())?;
        (self.feedback, self.fed_back) = (wanted, Some(Instant::now()));
        Ok(())
    }

    /// Makes durable what came, and says so (invariant 1); or how far the replay is, where that is news. Before, if somebody waits for that, that it is written.
    fn confirm(&mut self, connection: &mut Connection, how: &Following) -> Result<(), Broken> {
        let received = self.standby.received();
        let mut durable = self.standby.durable();
        if durable != received {
            if self.news.is_some_and(|news| news.wants_written) {
                self.say(
                    connection,
                    how,
                    Status { written: self.standby.promotable(received.lsn), ..self.status },
                )?;
            }
            durable = self.standby.sync()?;
        }
        let status = Status {
            written: self.standby.promotable(received.lsn),
            durable: self.standby.promotable(durable.lsn),
            applied: self.standby.replayed(),
        };
        self.say(connection, how, status)
    }

    fn say(&mut self, connection: &mut Connection, how: &Following, status: Status) -> Result<(), Broken> {
        if !self.answer && status == self.status && self.said.elapsed() < how.status_interval {
            return Ok(());
        }
        self.send(connection, status, false)
    }

    fn ask(&mut self, connection: &mut Connection) -> Result<(), Broken> {
        self.asked = Instant::now();
        self.send(connection, self.status, true)
    }

    fn send(&mut self, connection: &mut Connection, status: Status, asks: bool) -> Result<(), Broken> {
        let mut message = Vec::new();
        status.put(&mut message, asks);
        let mut data = Message::new(b'd');
        data.bytes(&message);
        connection.write(&data.end())?;
        (self.status, self.answer, self.said) = (status, false, Instant::now());
        Ok(())
    }
}
