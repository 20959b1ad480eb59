//! The agent: has its server do what the member decides. One thread that hears everything and does it, one thing after the other.
//!
//! Invariants
//! 1. A promise is durable (`identity.rs`), and in force in the server, before the member hears that it is made.
//! 2. At most one server, or one command that works on the folder, at a time.
//! 3. Whoever steps down is killed: it tells nothing more, whatever it was doing; what it had is recovered when it is looked at next.
//!
//! It must not know who may lead.

use std::collections::VecDeque;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use evenkeel::{Database, LogEnd, Lsn, Options, Rejoining, Standby, log_end};
use evenkeel_client::{ConnString, Connection};
use evenkeel_cluster::{
    Action, ClusterUrl, Config as Members, Contact, Etcd, Event, Leader, Member, Role, Standing, View, Write,
    now,
};
use evenkeel_server::settings::Id;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing::{error, info, warn};

use super::child::{STOP_MAX, Server, run_beside};
use super::health::{Health, Is};
use super::identity::Identity;
use crate::config::Config;
use crate::control::{Order, State, Word};
use crate::standby::slot_name;
use crate::{CliError, ServeArgs, io_error, serve};

const PROGRAM: &str = "evenkeel cluster";
/// Between attempts at what failed.
const AGAIN: Duration = Duration::from_secs(1);
/// Between attempts to follow a leader.
const SOON: Duration = Duration::from_millis(50);
/// A log that is no part of the leader's for so long is not going to be one.
const PARTED: Duration = Duration::from_millis(500);
/// Whoever is not connected for so long asks for its slot again.
const APART: Duration = Duration::from_secs(3);
/// Between two words on how far the log is.
const SAY: Duration = Duration::from_millis(500);
/// A leader that does not answer a question for so long is asked again later.
const PATIENCE: Duration = Duration::from_secs(2);
/// A leader whose disk takes no write of the log for so many leases is as one that is not there. A slow disk may well take more than one.
const FLUSH_LEASES: u32 = 3;
/// Whoever lacks more of the log than this is not made a member yet: everybody would wait for it.
const LAG_MAX: u64 = 16 << 20;

/// What is done beside, on a folder that no server has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    Create,
    Rejoin,
    /// How the log of a stopped primary is.
    Look(u64),
}

pub(super) enum Heard {
    Store(Event),
    Word(u64, Word),
    ServerEnded(u64),
    Done(Task, Result<String, String>),
    /// Where a primary's log ends, for this promise.
    Measured(u64, Result<LogEnd, String>),
    /// It was opened after that and closed again, or not.
    Looked(u64, Result<(Standing, u64), String>),
    Signal(i32),
}

/// What is in the folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Folder {
    Empty,
    Primary,
    Standby,
    /// A rejoin was cut short.
    Half,
}

struct Agent {
    args: ServeArgs,
    url: ClusterUrl,
    config: Config,
    name: String,
    address: String,
    identity: Identity,
    member: Member,
    etcd: Etcd,
    send: Sender<Heard>,
    health: Health,
    server: Option<Server>,
    /// What it said before it ended by itself.
    why_ended: Option<String>,
    started: u64,
    state: State,
    /// When the server last said how it is.
    state_at: Duration,
    /// Its log has been under way to the disk since, by one and the same flush.
    flushing_since: Option<Duration>,
    /// Its log is no part of the leader's since.
    parted_since: Option<Duration>,
    leader: Option<Leader>,
    /// Whom the server was told to follow.
    follows: Option<Leader>,
    task: Option<Task>,
    /// The command that does it, and for which leader.
    beside: Option<(rustix::process::Pid, Leader)>,
    /// How the log of a stopped primary is, as long as nobody opens it: each look begins a life of it.
    looked: Option<Standing>,
    /// The server is not connected to the leader since.
    apart_since: Option<Duration>,
    /// Not before, after something failed.
    not_before: Duration,
    /// The leader has not been reached since, although it could be followed.
    misses_since: Option<Duration>,
    /// Which start of the member this is.
    session: u64,
    epoch: u64,
    said: Contact,
    said_at: Duration,
    what: String,
}

/// Runs a member until a signal ends it.
pub(crate) fn run(mut args: ServeArgs) -> Result<ExitCode, CliError> {
    serve::start_logging(args.log_level)?;
    let url = args.cluster.clone().expect("it is asked for");
    let config = serve::load(&args)?;
    // A connection that is gone keeps its slot until then. A follower is in the midst of a sync for long on a slow disk.
    let sender_timeout = Duration::from_secs(args.membership.lease.saturating_mul(3));
    let given = config.server.time(Id::WalSenderTimeout);
    if given.is_zero() || given > sender_timeout {
        args.set.push(format!("wal_sender_timeout={}s", sender_timeout.as_secs()));
    }
    let name = args.membership.name.clone().unwrap_or_else(|| slot_name(&args.data));
    if name.len() > 40 || slot_name(Path::new(&name)) != name {
        return Err(CliError::Folder(format!(
            "the name \"{name}\" does not do: lower-case letters, digits and \"_\", at most 40, as in a replication slot's"
        )));
    }
    let address = match &args.membership.advertise {
        Some(address) => address.clone(),
        None => advertised(&config),
    };
    let health = Health::new();
    let health_address = args.membership.health.as_ref();
    let _answers = health_address.map(|address| health.listen(address)).transpose()?;
    let identity = Identity::of(&args.data, &url.name)?;
    let (send, heard) = channel();
    let store = send.clone();
    let lease = Duration::from_secs(args.membership.lease);
    let session = fastrand::u64(1..);
    let etcd = Etcd::start(url.clone(), identity.member(), session, lease, move |event| {
        let _ = store.send(Heard::Store(event));
    })
    .map_err(io_error("a thread"))?;
    watch_signals(send.clone())?;
    info!(member = %name, cluster = %url, "waits for the cluster's store");
    let member = Member::new(identity.member(), session, identity.promised(), identity.followed());
    let agent = Agent {
        args,
        url,
        config,
        name,
        address,
        identity,
        member,
        etcd,
        send,
        health,
        server: None,
        why_ended: None,
        started: 0,
        state: State::default(),
        state_at: Duration::ZERO,
        flushing_since: None,
        parted_since: None,
        leader: None,
        follows: None,
        task: None,
        beside: None,
        looked: None,
        apart_since: None,
        not_before: Duration::ZERO,
        misses_since: None,
        session,
        epoch: 0,
        said: Contact::default(),
        said_at: Duration::ZERO,
        what: "starts".into(),
    };
    agent.run(&heard)
}

/// Where others reach it, if nobody says.
fn advertised(config: &Config) -> String {
    let hosts = config.server.show(Id::ListenAddresses);
    let first = hosts.split(',').next().unwrap_or_default().trim().to_owned();
    let port = config.server.show(Id::Port);
    let (host, port) = match first.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host.to_owned(), port.to_owned()),
        _ => (first, port),
    };
    let host = match &host[..] {
        "" | "*" | "0.0.0.0" | "::" | "localhost" => "127.0.0.1".into(),
        _ => host,
    };
    format!("{host}:{port}")
}

fn watch_signals(send: Sender<Heard>) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(io_error("signals"))?;
    let watch = move || {
        for signal in signals.forever() {
            let _ = send.send(Heard::Signal(signal));
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(watch).map_err(io_error("signals"))?;
    Ok(())
}

fn folder_is(folder: &Path) -> Result<Folder, CliError> {
    if Rejoining::is_cut_short(folder, &Options::default())? {
        return Ok(Folder::Half);
    }
    Ok(match (folder.join(evenkeel::control::CONTROL_FILE).exists(), Standby::is_one(folder)?) {
        (false, _) => Folder::Empty,
        (true, true) => Folder::Standby,
        (true, false) => Folder::Primary,
    })
}

impl Agent {
    fn run(mut self, heard_from: &Receiver<Heard>) -> Result<ExitCode, CliError> {
        let mut batch = VecDeque::new();
        loop {
            // Whoever was held up acts on what there is now.
            batch.extend(heard_from.try_iter());
            let is_view = |h: &Heard| matches!(h, Heard::Store(Event::Saw(_)));
            if let Some(last) = batch.iter().rposition(is_view) {
                let mut at = 0;
                batch.retain(|h| {
                    at += 1;
                    at > last || !is_view(h)
                });
            }
            let heard = match batch.pop_front() {
                Some(heard) => heard,
                None => match heard_from.recv() {
                    Ok(heard) => heard,
                    Err(_) => break,
                },
            };
            self.etcd.goes_on();
            match heard {
                Heard::Signal(SIGHUP) => {
                    if let Some(server) = &self.server {
                        server.reload();
                    }
                }
                Heard::Signal(_) => {
                    info!("shutting down");
                    self.health.set(Is::Away);
                    self.end_beside();
                    if let Some(server) = self.server.take() {
                        self.stop(server, heard_from);
                    }
                    self.etcd.close();
                    return Ok(ExitCode::SUCCESS);
                }
                Heard::Store(Event::Replaced) => {
                    self.end_beside();
                    drop(self.server.take());
                    return Err(CliError::Folder(format!(
                        "another server is the member {} of {}: {} was copied, or is served twice. A copy is another member once the file \"cluster\" is removed from it",
                        self.identity.member(),
                        self.url,
                        self.args.data.display(),
                    )));
                }
                Heard::Store(event) => {
                    let is_view = matches!(event, Event::Saw(_));
                    self.tell(event)?;
                    if is_view {
                        self.reconcile()?;
                    }
                }
                Heard::Word(number, word) if self.server.as_ref().is_some_and(|s| s.number == number) => {
                    self.word(word)?;
                }
                Heard::Word(..) => {}
                Heard::ServerEnded(number) if self.server.as_ref().is_some_and(|s| s.number == number) => {
                    let leads = self.server.take().is_some_and(|s| s.leads);
                    let why = self.why_ended.take();
                    warn!("the server has ended");
                    // Until the next one follows somebody: `cluster status` must not say that this one does.
                    self.what = match why {
                        Some(why) => format!("its server has ended: {why}"),
                        None => "its server has ended".into(),
                    };
                    self.health.set(Is::Away);
                    (self.state, self.follows) = (State::default(), None);
                    self.not_before = now() + AGAIN;
                    if leads {
                        self.tell(Event::ServerEnded)?;
                    }
                }
                Heard::ServerEnded(_) => {}
                Heard::Done(task, result) => self.done(task, result),
                Heard::Measured(epoch, result) => match result {
                    Ok(end) => {
                        self.identity.end(Some((end.epoch, end.lsn)))?;
                        self.look(epoch)?;
                    }
                    Err(e) => {
                        self.task = None;
                        self.failed("looking at the log", &e);
                    }
                },
                Heard::Looked(epoch, result) => {
                    self.task = None;
                    match result {
                        Ok((standing, database_id)) => {
                            self.state.database_id = database_id;
                            self.state.lsn = standing.lsn.0;
                            self.looked = Some(standing);
                            self.identity.promise(epoch)?;
                            self.tell(Event::Promised(epoch, standing))?;
                        }
                        Err(e) => self.failed("looking at the log", &e),
                    }
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Ends its server, with all that is due, within a bounded time. Others lead as soon as it has sent its followers all that was told; what it writes after that is of no use to anybody else. One that does
    /// not get that far keeps the lease from them no longer than one that hangs.
    fn stop(&self, mut server: Server, heard: &Receiver<Heard>) {
        server.ask_to_end();
        let until = now() + STOP_MAX;
        while !server.has_ended() && now() < until {
            if let Ok(Heard::Word(number, Word::Drained)) = heard.recv_timeout(Duration::from_millis(10))
                && number == server.number
                && let Some(leader) = self.view().leader
                && (leader.member, leader.session) == (self.identity.member(), self.session)
            {
                self.etcd.write(Write::Resign(leader));
            }
        }
    }

    /// Its slot's name, by which its confirmations count.
    fn slot(&self) -> String {
        Members::slot(self.identity.member(), &self.name)
    }

    fn view(&self) -> &View {
        self.member.view()
    }

    fn failed(&mut self, what: &str, e: &str) {
        error!("{what}: {e}");
        self.what = format!("{what}: {}", e.lines().next().unwrap_or_default());
        self.not_before = now() + AGAIN;
    }

    fn tell(&mut self, event: Event) -> Result<(), CliError> {
        for action in self.member.step(event, now()) {
            self.act(action)?;
        }
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<(), CliError> {
        match action {
            Action::Promise(epoch) => self.promise(epoch)?,
            Action::Write(write) => self.etcd.write(write),
            Action::TakeOver { epoch, synchronous } => {
                info!(epoch, "takes over");
                self.identity.follow(Leader {
                    member: self.identity.member(),
                    session: self.session,
                    epoch,
                })?;
                self.epoch = epoch;
                self.what = "takes over".into();
                match &mut self.server {
                    Some(server) => {
                        server.leads = true;
                        server.order(&Order::TakeOver { epoch, synchronous });
                    }
                    None => {
                        if self.task.is_some() || folder_is(&self.args.data)? != Folder::Primary {
                            return self.tell(Event::TookOver(epoch, false));
                        }
                        self.start(Some((epoch, &synchronous)))?;
                    }
                }
            }
            Action::Ask(names) => self.order(&Order::Ask(names)),
            Action::TellUntil(until) => self.order(&Order::Lease(until.as_micros() as u64)),
            Action::Follow(leader) => {
                if let Some(leader) = leader {
                    self.identity.follow(leader)?;
                }
                (self.leader, self.misses_since) = (leader, None);
            }
            Action::StepDown => {
                warn!("leads no more");
                self.health.set(Is::Away);
                self.what = "led until now".into();
                drop(self.server.take()); // (3)
                (self.state, self.follows) = (State::default(), None);
                self.tell(Event::SteppedDown)?;
            }
        }
        Ok(())
    }

    fn order(&mut self, order: &Order) {
        if let Some(server) = self.server.as_mut().filter(|s| s.leads) {
            server.order(order);
        }
    }

    /// (1)
    fn promise(&mut self, epoch: u64) -> Result<(), CliError> {
        if let Some(server) = &mut self.server {
            server.order(&Order::Promise(epoch));
            return Ok(());
        }
        if self.task.is_some() || now() < self.not_before {
            return Ok(());
        }
        match folder_is(&self.args.data)? {
            // Opened and closed: then its log ends somewhere, and nobody writes it.
            Folder::Primary if self.looked.is_some() => {
                let standing = self.looked.expect("it was looked at");
                self.identity.promise(epoch)?;
                self.tell(Event::Promised(epoch, standing))?;
            }
            Folder::Primary => self.look(epoch)?,
            Folder::Half => {
                self.identity.promise(epoch)?;
                let standing = Standing { log_epoch: 0, lsn: Lsn::ZERO, is_whole: false };
                self.tell(Event::Promised(epoch, standing))?;
            }
            Folder::Empty | Folder::Standby => {}
        }
        Ok(())
    }

    /// Looks at the log of a stopped primary: where it ends, and once that is kept, whether it can be opened.
    fn look(&mut self, epoch: u64) -> Result<(), CliError> {
        self.task = Some(Task::Look(epoch));
        let (folder, options) = (self.args.data.clone(), self.config.engine.clone());
        let (send, ended) = (self.send.clone(), self.identity.ended());
        let is_new = self.view().election.value.last_winner.is_none();
        let look = move || {
            let heard = match ended {
                None => Heard::Measured(epoch, log_end(&folder, &options).map_err(|e| e.to_string())),
                Some((log_epoch, lsn)) => {
                    let standing = Standing { log_epoch, lsn, is_whole: is_new || log_epoch > 0 };
                    let opened = open_and_close(&folder, options).map_err(|e| e.to_string());
                    Heard::Looked(epoch, opened.map(|database_id| (standing, database_id)))
                }
            };
            let _ = send.send(heard);
        };
        std::thread::Builder::new().name("look".into()).spawn(look).map_err(io_error("a thread"))?;
        Ok(())
    }

    fn word(&mut self, word: Word) -> Result<(), CliError> {
        match word {
            Word::Promised { epoch, log_epoch, lsn, is_whole } => {
                self.identity.promise(epoch)?;
                let standing = Standing { log_epoch, lsn: Lsn(lsn), is_whole };
                self.tell(Event::Promised(epoch, standing))?;
            }
            Word::TookOver { epoch, error } => {
                self.state_at = now();
                if let Some(e) = &error {
                    self.failed("taking over", e);
                }
                self.tell(Event::TookOver(epoch, error.is_none()))?;
            }
            Word::Asked(names) => self.tell(Event::Asked(names))?,
            Word::Ends(why) => self.why_ended = Some(why),
            Word::Drained => {}
            Word::State(state) => {
                // A leader that was started as one says so by leading.
                if state.is_primary && self.member.role() == Role::TakingOver(self.epoch) {
                    self.tell(Event::TookOver(self.epoch, true))?;
                }
                self.parted_since = match state.is_parted && !state.is_following {
                    true => self.parted_since.or(Some(now())),
                    false => None,
                };
                let is_same = state.flushing.is_some() && state.flushing == self.state.flushing;
                self.flushing_since = is_same.then(|| self.flushing_since.unwrap_or(self.state_at));
                (self.state, self.state_at) = (state, now());
            }
        }
        Ok(())
    }

    fn start(&mut self, as_leader: Option<(u64, &str)>) -> Result<(), CliError> {
        self.identity.end(None)?;
        self.started += 1;
        let promised = self.identity.promised();
        let server = Server::start(&self.args, self.started, promised, as_leader, &self.send)?;
        (self.server, self.follows, self.parted_since) = (Some(server), None, None);
        self.flushing_since = None;
        (self.looked, self.why_ended) = (None, None);
        Ok(())
    }

    fn done(&mut self, task: Task, result: Result<String, String>) {
        (self.task, self.beside, self.looked) = (None, None, None);
        match result {
            Ok(said) => info!("{said}"),
            Err(e) => self.failed(if task == Task::Create { "making a copy" } else { "rejoining" }, &e),
        }
    }

    /// Brings the server, and what is known of it, to where it should be.
    fn reconcile(&mut self) -> Result<(), CliError> {
        if self.beside.is_some_and(|(_, leader)| self.view().leader != Some(leader)) {
            self.end_beside();
        }
        self.watch()?;
        self.admit();
        self.say();
        let leads = self.server.as_ref().is_some_and(|s| s.leads);
        self.health.set(match (self.member.role(), &self.server) {
            (Role::Leader(_), Some(_)) => Is::Primary,
            (Role::Follower, Some(_)) if self.state.is_following && self.state.is_whole => Is::Replica,
            _ => Is::Away,
        });
        if self.task.is_some() || leads || self.member.role() != Role::Follower || now() < self.not_before {
            return Ok(());
        }
        match (self.view().config.revision > 0, self.identity.has_joined()) {
            (false, false) => return self.found(),
            (false, true) => {
                let why = format!(
                    "{} does not know the cluster any more: restore etcd's data; or, if that is lost, remove the file \"cluster\" from the folder of the member that is to found it anew, the one that led last, and empty the others'",
                    self.url
                );
                if self.what != why {
                    error!("{why}");
                    self.what = why;
                }
                return Ok(());
            }
            (true, _) => self.identity.join()?,
        }
        let at = self.leader.and_then(|l| Some((l, self.login(l)?)));
        match (folder_is(&self.args.data)?, at) {
            (Folder::Empty, None) if self.is_founder() => {
                info!("founds the cluster with a new database");
                self.look_for_database()
            }
            (Folder::Standby, at) => self.follow(at),
            (Folder::Empty, Some((_, login))) => self.create(&login),
            (Folder::Primary | Folder::Half, Some((_, login))) => self.rejoin(&login),
            (_, None) => {
                self.what = "waits for a leader".into();
                Ok(())
            }
        }
    }

    /// A server that leads and does nothing any more would keep everybody from being led.
    fn watch(&mut self) -> Result<(), CliError> {
        if !matches!(self.member.role(), Role::Leader(_)) {
            return Ok(());
        }
        let lease = Duration::from_secs(self.args.membership.lease);
        let is_long = |since: Duration, max: Duration| now().saturating_sub(since) > max;
        let why = if is_long(self.state_at, lease) {
            format!("the server has not been heard of for {} s", lease.as_secs())
        } else if self.flushing_since.is_some_and(|since| is_long(since, lease * FLUSH_LEASES)) {
            format!("its disk has not taken a write of the log for {} s", (lease * FLUSH_LEASES).as_secs())
        } else {
            return Ok(());
        };
        if self.server.take().is_some() {
            error!("{why}: the server is ended");
            (self.state, self.follows, self.flushing_since) = (State::default(), None, None);
            self.not_before = now() + AGAIN;
            self.tell(Event::ServerEnded)?;
        }
        Ok(())
    }

    /// How a leader is reached.
    fn login(&self, leader: Leader) -> Option<String> {
        let contact = self.view().contacts.get(&leader.member)?;
        let (host, port) = contact.address.rsplit_once(':')?;
        Some(format!(
            "host={host} port={port} dbname=postgres connect_timeout=2 {}",
            self.args.membership.member_login
        ))
    }

    /// The first member: of those that are started at a time with empty folders one founds the cluster, and only that one makes a database.
    fn found(&mut self) -> Result<(), CliError> {
        match folder_is(&self.args.data)? {
            Folder::Empty => {}
            Folder::Primary => self.look_for_database()?,
            Folder::Standby | Folder::Half => {
                self.what =
                    "waits for somebody to found the cluster, with a primary's folder or an empty one".into();
                return Ok(());
            }
        }
        let members = [(self.identity.member(), self.name.clone())].into();
        self.etcd.write(Write::Found(Members { database_id: self.state.database_id, members }));
        Ok(())
    }

    /// Whether it has founded the cluster, and nobody has led it yet.
    fn is_founder(&self) -> bool {
        let view = self.view();
        let members = &view.config.value.members;
        members.len() == 1
            && members.contains_key(&self.identity.member())
            && view.election.value.last_winner.is_none()
    }

    /// Makes the database, if there is none, and looks which one it is.
    fn look_for_database(&mut self) -> Result<(), CliError> {
        let opened = open_and_close(&self.args.data, self.config.engine.clone());
        self.state.database_id = opened.map_err(|e| crate::folder::explain(e, &self.args.data))?;
        Ok(())
    }

    fn follow(&mut self, at: Option<(Leader, String)>) -> Result<(), CliError> {
        if self.server.is_none() {
            return self.start(None);
        }
        if self.parted_since.is_some_and(|since| now() - since >= PARTED)
            && let Some((_, login)) = &at
        {
            info!("its log is no part of the leader's");
            drop(self.server.take());
            (self.state, self.follows, self.parted_since) = (State::default(), None, None);
            return self.rejoin(&login.clone());
        }
        let wanted = at.as_ref().map(|(leader, _)| *leader);
        if wanted == self.follows {
            // Its slot may be gone.
            self.apart_since = match wanted.is_some() && !self.state.is_following {
                true => self.apart_since.or(Some(now())),
                false => None,
            };
            if self.apart_since.is_none_or(|since| now() - since < APART) {
                return Ok(());
            }
        }
        self.apart_since = None;
        match at {
            None => {
                self.what = "waits for a leader".into();
                if let Some(server) = &mut self.server {
                    server.order(&Order::Unfollow);
                }
            }
            Some((leader, login)) => {
                // It has no slot for this one yet, as slots are each server's own.
                if let Err(e) = self.with_slot(&login, false) {
                    // It may be taking over: everybody waits for whoever follows it.
                    self.what = format!("waits for the leader: {e}");
                    self.not_before = now() + SOON;
                    return Ok(());
                }
                self.what = format!("follows {}", self.name_of(leader));
                // As fast as others are elected.
                let silence_max_ms = self.args.membership.lease.saturating_mul(1000);
                let order = Order::Follow { conninfo: login, slot: self.slot(), silence_max_ms };
                if let Some(server) = &mut self.server {
                    server.order(&order);
                }
            }
        }
        self.follows = wanted;
        Ok(())
    }

    fn name_of(&self, leader: Leader) -> String {
        let view = self.view();
        let name = view.config.value.members.get(&leader.member);
        name.or(view.contacts.get(&leader.member).map(|c| &c.name)).cloned().unwrap_or_default()
    }

    /// Sees to it that the leader keeps log for this member; `anew`: that it keeps none.
    fn with_slot(&self, login: &str, anew: bool) -> Result<(), String> {
        let to: ConnString = login.parse()?;
        let mut leader = Connection::open_for_replication(&to, PROGRAM).map_err(|e| e.to_string())?;
        leader.set_silence_max(PATIENCE).map_err(|e| e.to_string())?;
        let known =
            leader.query(&format!("READ_REPLICATION_SLOT \"{}\"", self.slot())).map_err(|e| e.to_string())?;
        let is_there = known.first().is_some_and(|row| row.first().is_some_and(Option::is_some));
        let command = match (is_there, anew) {
            (true, true) => format!("DROP_REPLICATION_SLOT \"{}\"", self.slot()),
            (false, false) => format!("CREATE_REPLICATION_SLOT \"{}\" PHYSICAL (RESERVE_WAL)", self.slot()),
            _ => return Ok(()),
        };
        leader.query(&command).map(drop).map_err(|e| e.to_string())
    }

    fn create(&mut self, login: &str) -> Result<(), CliError> {
        if let Err(e) = self.with_slot(login, true) {
            self.failed("asking the leader", &e);
            return Ok(());
        }
        info!("copies the leader's database");
        self.what = "copies the leader's database".into();
        self.task = Some(Task::Create);
        let folder = self.args.data.display().to_string();
        let arguments =
            ["standby", "create", &folder, "--from", login, "--slot", &self.slot()].map(str::to_owned);
        self.run_beside(Task::Create, arguments.into())
    }

    fn rejoin(&mut self, login: &str) -> Result<(), CliError> {
        info!("rejoins the leader");
        self.what = "rejoins the leader".into();
        self.task = Some(Task::Rejoin);
        let folder = self.args.data.display().to_string();
        let arguments = ["rejoin", &folder, "--to", login, "--slot", &self.slot()].map(str::to_owned);
        self.run_beside(Task::Rejoin, arguments.into())
    }

    fn run_beside(&mut self, task: Task, arguments: Vec<String>) -> Result<(), CliError> {
        let pid = run_beside(task, arguments, &self.send)?;
        self.beside = self.leader.map(|leader| (pid, leader));
        Ok(())
    }

    /// Ends the command that works on the folder: whom it works for leads no more, or this one ends.
    fn end_beside(&mut self) {
        if let Some((pid, _)) = self.beside.take() {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    /// As leader: whoever follows becomes a member; whoever is to go, goes.
    fn admit(&mut self) {
        if !matches!(self.member.role(), Role::Leader(_)) {
            return;
        }
        let (view, own, lsn) = (self.view(), self.state.database_id, self.state.lsn);
        let mut config = view.config.value.clone();
        let me = self.identity.member();
        let gone = config.members.keys().find(|id| **id != me && view.removals.contains(id)).copied();
        let taken = |name: &str| config.members.values().any(|n| n.eq_ignore_ascii_case(name));
        let new = view.contacts.iter().find(|(id, c)| {
            c.database_id == own
                && c.lsn.0.saturating_add(LAG_MAX) >= lsn
                && c.state.starts_with("follows")
                && !config.members.contains_key(id)
                && !view.removals.contains(id)
                && !taken(&c.name)
        });
        let new = new.map(|(id, c)| (*id, c.name.clone()));
        match (gone, new) {
            (Some(id), _) => _ = config.members.remove(&id),
            (None, Some((id, name))) => _ = config.members.insert(id, name),
            (None, None) => return,
        }
        if self.member.want(config) {
            info!("the members of the cluster change");
        }
    }

    /// Says how it is, where that is news.
    fn say(&mut self) {
        let view = self.member.view();
        let is_member = view.config.value.members.contains_key(&self.identity.member());
        let taken = view.config.value.members.values().any(|n| n.eq_ignore_ascii_case(&self.name));
        let state = match self.member.role() {
            Role::Leader(_) => "leads".into(),
            // A member that is admitted has to be there at once, or everybody waits for it.
            Role::Follower if self.state.is_following && !self.state.is_whole => {
                "its copy is not whole yet".into()
            }
            Role::Follower if self.follows.is_some() && self.server.is_some() && !self.state.is_following => {
                "connects".into()
            }
            Role::Follower if !is_member && taken && view.config.revision > 0 => format!(
                "there is another member of this name: choose another --name, or evenkeel cluster remove {} {}",
                self.url, self.name
            ),
            _ => self.what.clone(),
        };
        let could = self.server.is_some() && self.state.is_whole && !self.state.is_following;
        let leader = self.leader.filter(|_| could && self.member.role() == Role::Follower);
        self.misses_since = leader.map(|_| self.misses_since.unwrap_or_else(now));
        let is_long = |since: Duration| now() - since >= Duration::from_secs(self.args.membership.lease);
        let contact = Contact {
            misses: leader.filter(|_| self.misses_since.is_some_and(is_long)).map(|l| l.epoch),
            promised: self.identity.promised(),
            session: self.session,
            name: self.name.clone(),
            database_id: self.state.database_id,
            address: self.address.clone(),
            state,
            lsn: Lsn(self.state.lsn),
        };
        let is_same = Contact { lsn: self.said.lsn, ..contact.clone() } == self.said;
        if !is_same || (contact != self.said && now() - self.said_at >= SAY) {
            (self.said, self.said_at) = (contact.clone(), now());
            self.etcd.say(contact);
        }
    }
}

/// Opens a primary's folder and closes it again: then its log ends somewhere, nobody writes it, and who takes over has nothing left to recover. Gives which database it is.
/// A member is whole, unless a rejoin has looked at it before, whose log belongs to no epoch: what it has confirmed cannot be told from that any more.
fn open_and_close(folder: &Path, options: Options) -> evenkeel::Result<u64> {
    let options = options.without_archive().with_synchronous(None).without_threads().keeping_log();
    let database = Database::open(folder, options)?;
    let database_id = database.database_id();
    database.close()?;
    Ok(database_id)
}
