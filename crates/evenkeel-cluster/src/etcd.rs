//! The store of a cluster in etcd: looks at it again and again, keeps a lease, writes what it is told to. A thread of its own; what it sees it hands on as events.
//!
//! Keys are below `/evenkeel/NAME/`; see `view.rs`.
//!
//! Invariants
//! 1. Views are read in one go, at one revision.
//! 2. A lease is prolonged only for a member that goes on: whoever hangs, on its disk say, keeps nobody from leading.
//! 3. Whoever is there as a member stays: another start of it, of its folder or of a copy, comes only when that one's lease has ended.
//! 4. A lease is taken to hold for less than it was granted for, from before it was asked for, by a clock that goes on while the machine sleeps.
//!
//! Must not know: what anybody makes of what is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use evenkeel::base::clock::boot_us;
use serde::de::DeserializeOwned;

use crate::gateway::{ClusterUrl, Found, Gateway, If, StoreError, Then, to_json};
use crate::member::Event;
use crate::view::{Contact, Election, Kept, MemberId, View, Write};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// Another one that is this member for so long, without an end of its lease, is another server.
const WAIT_FOR_OTHER: Duration = Duration::from_secs(60);
/// So much of a lease is counted on: clocks do not go alike.
const COUNTED_ON: f64 = 0.9;

/// Now, by the clock that leases are counted by.
pub fn now() -> Duration {
    Duration::from_micros(boot_us())
}

enum Command {
    Write(Write),
    Contact(Contact),
}

/// A member's way to the store. Dropped, it ends, and the lease with it.
pub struct Etcd {
    commands: Sender<Command>,
    thread: JoinHandle<()>,
    goes_on_us: Arc<AtomicU64>,
}

impl Etcd {
    /// Begins to look, for this member, which says again and again that it goes on (2), and whose lease the store keeps for so long when it does not come, a second at least. `tell` hears of everything, on another thread, and now and then that time passes.
    pub fn start(
        url: ClusterUrl,
        member: MemberId,
        session: u64,
        lease: Duration,
        tell: impl Fn(Event) + Send + 'static,
    ) -> std::io::Result<Etcd> {
        let (commands, queue) = channel();
        let goes_on_us = Arc::new(AtomicU64::new(boot_us()));
        let member_us = goes_on_us.clone();
        let run = move || {
            let driver = Driver {
                prefix: prefix(&url),
                url,
                member,
                session,
                revision: 0,
                seconds: lease.as_secs().max(1),
                tell: Box::new(tell),
                contact: None,
                is_put: false,
                put_before: None,
                other_since: None,
                lease: None,
                told: String::new(),
                goes_on_us: member_us,
            };
            driver.run(&queue);
        };
        let thread = std::thread::Builder::new().name("etcd".into()).spawn(run)?;
        Ok(Etcd { commands, thread, goes_on_us })
    }

    /// The member goes on (2).
    pub fn goes_on(&self) {
        self.goes_on_us.store(boot_us(), Ordering::Relaxed);
    }

    /// Gives the lease up, and everything that hangs on it. Blocks for the store, as long as a call may take.
    pub fn close(self) {
        drop(self.commands);
        let _ = self.thread.join();
    }

    /// Writes; what comes of it is seen.
    pub fn write(&self, write: Write) {
        let _ = self.commands.send(Command::Write(write));
    }

    /// Says from now on how this member is reached, and how it is.
    pub fn say(&self, contact: Contact) {
        let _ = self.commands.send(Command::Contact(contact));
    }
}

struct Lease {
    id: String,
    /// When it is to be prolonged.
    next: Duration,
}

struct Driver {
    url: ClusterUrl,
    prefix: String,
    member: MemberId,
    seconds: u64,
    tell: Box<dyn Fn(Event) + Send>,
    session: u64,
    contact: Option<Contact>,
    /// The store has the contact, under this lease.
    is_put: bool,
    /// What it had put under it before.
    put_before: Option<Vec<u8>>,
    /// There has been another one in its place since.
    other_since: Option<Duration>,
    /// The newest revision that it has seen.
    revision: u64,
    lease: Option<Lease>,
    /// What was last said of failures.
    told: String,
    /// When the member last went on.
    goes_on_us: Arc<AtomicU64>,
}

impl Driver {
    fn run(mut self, queue: &Receiver<Command>) {
        let mut gateway = match Gateway::new(self.url.clone()) {
            Ok(gateway) => gateway,
            Err(e) => return tracing::error!("{}: {e}", self.url),
        };
        let mut look = now();
        loop {
            let command = match queue.recv_timeout(look.saturating_sub(now())) {
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if command.is_none() {
                look = now() + LOOK;
            }
            match self.step(&mut gateway, command) {
                Ok(view) => {
                    if !self.told.is_empty() {
                        tracing::info!("{} answers again", self.url);
                        self.told.clear();
                    }
                    // Whoever is held up would only have more to pass over.
                    if !self.is_held_up() {
                        self.saw(view);
                    }
                }
                Err(e) => {
                    let text = e.to_string();
                    if text != self.told {
                        tracing::warn!("{}: {text}", self.url);
                        self.told = text;
                    }
                }
            }
            (self.tell)(Event::Tick);
        }
        if let Some(lease) = self.lease {
            let _ = gateway.revoke(&lease.id); // it ends by itself, too
        }
    }

    /// The member has not gone on for half a lease. It is told of time all the while, and goes on when it hears of that.
    fn is_held_up(&self) -> bool {
        let idle = boot_us().saturating_sub(self.goes_on_us.load(Ordering::Relaxed));
        Duration::from_micros(idle) > Duration::from_secs(self.seconds) / 2
    }

    fn saw(&mut self, view: View) {
        // Calls do not pass each other: it can only be older if it is another one.
        if view.revision < self.revision {
            tracing::warn!("{} is older than it was: it was set back", self.url);
            self.is_put = false;
            (self.tell)(Event::StoreSetBack);
        }
        self.revision = view.revision;
        match view.contacts.get(&self.member) {
            // It may have been put although the answer was lost.
            Some(own) if own.session == self.session => {
                self.other_since = None;
                if !self.is_put {
                    self.put_before = Some(to_json(own));
                }
            }
            Some(_) if self.is_put => (self.tell)(Event::Replaced),
            Some(_) => {
                if self.other_since.is_none() {
                    tracing::info!("an earlier start of this member is known still: its lease has to end");
                }
                let since = *self.other_since.get_or_insert_with(now);
                if now().saturating_sub(since) > WAIT_FOR_OTHER.max(3 * Duration::from_secs(self.seconds)) {
                    (self.tell)(Event::Replaced);
                }
            }
            None => {
                self.other_since = None;
                if !self.is_put {
                    self.put_before = None;
                }
            }
        }
        (self.tell)(Event::Saw(view));
    }

    fn step(&mut self, etcd: &mut Gateway, command: Option<Command>) -> Result<View, StoreError> {
        let command = match command {
            Some(Command::Contact(contact)) => {
                (self.contact, self.is_put) = (Some(contact), false);
                None
            }
            Some(Command::Write(write)) => Some(write),
            None => None,
        };
        if !self.is_held_up() {
            self.keep_lease(etcd)?;
        }
        if !self.is_put {
            self.put_contact(etcd)?;
        }
        if let Some(write) = command {
            self.write(etcd, write)?;
        }
        look(etcd, &self.prefix)
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    fn keep_lease(&mut self, etcd: &mut Gateway) -> Result<(), StoreError> {
        let asked = now();
        let counted = |seconds: u64| Event::Leased(asked + Duration::from_secs(seconds).mul_f64(COUNTED_ON));
        let next = asked + Duration::from_secs(self.seconds) / 5;
        match &mut self.lease {
            Some(lease) if lease.next > asked => return Ok(()),
            Some(lease) => {
                let left = etcd.keep_alive(&lease.id)?;
                if left > 0 {
                    lease.next = next;
                    (self.tell)(counted(left));
                    return Ok(());
                }
                self.lease = None;
                (self.tell)(Event::LeaseLost);
            }
            None => {}
        }
        let (id, seconds) = etcd.grant(self.seconds)?;
        (self.lease, self.is_put, self.put_before) = (Some(Lease { id, next }), false, None);
        (self.tell)(counted(seconds));
        Ok(())
    }

    fn put_contact(&mut self, etcd: &mut Gateway) -> Result<(), StoreError> {
        let (Some(contact), Some(lease)) = (&self.contact, &self.lease) else { return Ok(()) };
        let key = self.key(&format!("member/{}", self.member));
        let put = [Then::Put(&key, to_json(contact), Some(&lease.id))];
        let condition = match &self.put_before {
            Some(before) => If::Is(&key, before.clone()),
            None => If::Absent(&key), // (3)
        };
        if etcd.write(&[condition], &put)? {
            (self.is_put, self.put_before) = (true, Some(to_json(contact)));
        }
        Ok(())
    }

    fn write(&self, etcd: &mut Gateway, write: Write) -> Result<(), StoreError> {
        let (config, epoch, leads) = (self.key("config"), self.key("epoch"), self.key("leader"));
        let done = match write {
            Write::Found(value) => {
                etcd.write(&[If::Absent(&config)], &[Then::Put(&config, to_json(&value), None)])
            }
            Write::Elect { election, after } => etcd.write(
                &[If::Absent(&leads), If::Unchanged(&epoch, after)],
                &[Then::Put(&epoch, to_json(&election), None)],
            ),
            Write::Vote(vote) => {
                let key = self.key(&format!("vote/{}", self.member));
                etcd.write(&[], &[Then::Put(&key, to_json(&vote), None)])
            }
            Write::Follows(leader) => {
                let key = self.key(&format!("follows/{}", self.member));
                etcd.write(&[], &[Then::Put(&key, to_json(&leader), None)])
            }
            Write::Lead { leader, election } => {
                let Some(lease) = &self.lease else { return Ok(()) };
                let won = Election::won(&leader);
                etcd.write(
                    &[If::Absent(&leads), If::Unchanged(&epoch, election)],
                    &[
                        Then::Put(&leads, to_json(&leader), Some(&lease.id)),
                        Then::Put(&epoch, to_json(&won), None),
                    ],
                )
            }
            Write::Resign(leader) => etcd.write(&[If::Is(&leads, to_json(&leader))], &[Then::Delete(&leads)]),
            Write::Configure { config: value, leader, before } => etcd.write(
                &[If::Is(&leads, to_json(&leader)), If::Unchanged(&config, before)],
                &[Then::Put(&config, to_json(&value), None)],
            ),
        };
        done.map(drop)
    }
}

fn prefix(url: &ClusterUrl) -> String {
    format!("/evenkeel/{}/", url.name)
}

/// All that is there, at once (1).
fn look(etcd: &mut Gateway, prefix: &str) -> Result<View, StoreError> {
    let (revision, found) = etcd.all(prefix)?;
    let mut view = View { revision, ..View::default() };
    for kv in &found {
        let key = kv.key.strip_prefix(prefix).unwrap_or_default();
        match key.split_once('/').map(|(kind, id)| (kind, id.parse::<MemberId>())) {
            None if key == "config" => view.config = kept(kv)?,
            None if key == "epoch" => view.election = kept(kv)?,
            None if key == "leader" => view.leader = Some(value(kv)?),
            // One that says what is not understood is as one that says nothing.
            Some(("vote", Ok(id))) => view.votes.extend(value(kv).ok().map(|v| (id, v))),
            Some(("follows", Ok(id))) => view.follows.extend(value(kv).ok().map(|v| (id, v))),
            Some(("member", Ok(id))) => view.contacts.extend(value(kv).ok().map(|v| (id, v))),
            Some(("remove", Ok(id))) => _ = view.removals.insert(id),
            _ => {}
        }
    }
    Ok(view)
}

fn value<T: DeserializeOwned>(kv: &Found) -> Result<T, StoreError> {
    serde_json::from_slice(&kv.value).map_err(|e| {
        StoreError::Nonsense(format!(
            "the key \"{}\" is not understood ({e}): is another program's, or version's, cluster of this name there?",
            kv.key
        ))
    })
}

fn kept<T: DeserializeOwned>(kv: &Found) -> Result<Kept<T>, StoreError> {
    Ok(Kept { value: value(kv)?, revision: kv.revision })
}

/// Looks once, for a command. Blocks.
pub fn look_once(url: &ClusterUrl) -> Result<View, StoreError> {
    look(&mut Gateway::new(url.clone())?, &prefix(url))
}

/// Has the leader remove a member as soon as it can. Blocks.
pub fn ask_to_remove(url: &ClusterUrl, member: MemberId) -> Result<(), StoreError> {
    let key = format!("{}remove/{member}", prefix(url));
    Gateway::new(url.clone())?.write(&[], &[Then::Put(&key, Vec::new(), None)]).map(drop)
}
