//! The servers, their network, and what is checked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::time::Duration;

use evenkeel::Lsn;
use evenkeel::wal::{Quorum, Synchronous};
use evenkeel_cluster::{Action, Config, Event, Leader, Member, MemberId, Role, Standing, View, Write};

use super::store::Store;

const TTL: Duration = Duration::from_secs(3);
/// How much a server's clock may be off, and what it takes off its lease for that.
const DRIFT: f64 = 0.005;
const MARGIN: f64 = 0.9;
const TROUBLE: Duration = Duration::from_secs(30);
const QUIET: Duration = Duration::from_secs(30);
const STORE: usize = usize::MAX;

/// A record: the start of an epoch's log (0), or a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    epoch: u64,
    fact: u64,
}

#[derive(Clone, Debug)]
enum Message {
    // To the store, and back.
    Look,
    View(View, u64),
    Write(Write, u64),
    /// It has not reached the leader of this epoch for a while, or has; what it has promised; under which lease it says so.
    Says(Option<u64>, u64, u64),
    Grant {
        asked: Duration,
        session: u64,
    },
    Granted {
        lease: u64,
        asked: Duration,
        session: u64,
    },
    KeepAlive {
        lease: u64,
        asked: Duration,
    },
    Kept {
        lease: u64,
        asked: Duration,
        is_there: bool,
    },
    // From a follower to the one that it follows, and back. With the number of the connection.
    Hello {
        connection: u64,
        log: Vec<Entry>,
    },
    Log {
        connection: u64,
        epoch: u64,
        from: usize,
        entries: Vec<Entry>,
    },
    /// The logs parted: what the follower is to have.
    Copy {
        connection: u64,
        epoch: u64,
        fork: usize,
        log: Vec<Entry>,
    },
    Has {
        connection: u64,
        at: usize,
    },
}

#[derive(Clone, Debug)]
enum What {
    Arrives {
        from: usize,
        message: Message,
    },
    Tick,
    Client,
    /// Something that takes a while is done, if the server was not started again meanwhile.
    Done {
        start: u64,
        done: Done,
    },
    Trouble,
    Start,
    Thaw,
}

#[derive(Clone, Debug)]
enum Done {
    Promise(u64),
    TakeOver { epoch: u64, synchronous: String },
    StepDown,
    Follow,
    Copied { connection: u64, log: Vec<Entry> },
}

/// As whom a server serves.
struct Primary {
    epoch: u64,
    quorum: Quorum,
    /// Nothing is told before this is.
    floor: usize,
    told: usize,
    until: Duration,
    /// Its followers: node, number in the quorum, sent, by connection.
    followers: BTreeMap<u64, (usize, u64, usize)>,
    asked: Option<(String, usize)>,
}

struct Node {
    id: MemberId,
    name: String,
    // Durable.
    promised: u64,
    log: Vec<Entry>,
    is_whole: bool,
    /// The latest leader that it has followed, or been.
    followed_leader: Option<Leader>,
    // Until it crashes.
    member: Option<Member>,
    session: u64,
    lease: u64,
    primary: Option<Primary>,
    /// Whom it follows, by which connection, and the epoch that one has said to write under.
    following: Option<(usize, u64)>,
    to_follow: Option<Leader>,
    heard: Duration,
    /// When anything last came from the leader that it is to follow, or it began to.
    heard_leader: Duration,
    /// How often the store was set back, as far as it has seen.
    restored: u64,
    /// A promise that is in force although it may not be durable yet.
    fence: u64,
    frozen: bool,
    waiting: Vec<What>,
    clock: f64,
}

#[derive(Default)]
pub struct Outcome {
    /// A fact was lost, or told by two.
    pub wrong: Option<String>,
    /// It did not come to an end as it should.
    pub stuck: Option<String>,
    pub leaders: usize,
    pub told: usize,
}

pub struct World {
    rng: fastrand::Rng,
    /// For what was thought of later: a seed is otherwise the run that it was.
    more: fastrand::Rng,
    /// A leader's disk was set back: members change no more, as nobody counts on it.
    rolled_back: bool,
    now: Duration,
    queue: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    events: BTreeMap<u64, What>,
    next: u64,
    store: Store,
    /// The store as it was at some time, and how often it was set back to that.
    backup: Option<Store>,
    traced: bool,
    store_is_back: Duration,
    restored: u64,
    nodes: Vec<Node>,
    /// Links that are cut, one way.
    cut: Vec<(usize, usize)>,
    /// When the last message of a link arrives: they do not pass each other.
    last: BTreeMap<(usize, usize), Duration>,
    lossy: bool,
    /// How long a copy may take.
    copies_ms: u64,
    mistakes: &'static [&'static str],
    facts: u64,
    // What is checked.
    told: Vec<u64>,
    newest_teller: u64,
    /// What was in its log when it first told anything.
    newest_has: HashSet<u64>,
    outcome: Outcome,
}

impl World {
    pub fn new(seed: u64, mistakes: &'static [&'static str]) -> World {
        let mut rng = fastrand::Rng::with_seed(seed);
        let n = [3, 3, 3, 5, 4, 2][rng.usize(..6)];
        // A cluster that has members to gain, or to lose.
        let nodes: Vec<Node> = (0..n)
            .map(|i| Node {
                id: MemberId(100 + i as u64),
                name: format!("n{i}"),
                promised: 0,
                log: Vec::new(),
                is_whole: true,
                followed_leader: None,
                restored: 0,
                member: None,
                session: 0,
                lease: 0,
                primary: None,
                following: None,
                to_follow: None,
                heard: Duration::ZERO,
                heard_leader: Duration::ZERO,
                fence: 0,
                frozen: false,
                waiting: Vec::new(),
                clock: 1.0 + DRIFT * (2.0 * rng.f64() - 1.0),
            })
            .collect();
        let founders = if rng.bool() { n } else { rng.usize(1..=n) };
        let members = nodes.iter().take(founders).map(|n| (n.id, n.name.clone())).collect();
        let mut store = Store::default();
        store.write(nodes[0].id, 0, Write::Found(Config { database_id: 1, members }));
        let copies_ms = [200, 1500, 10_000][rng.usize(..3)];
        let mut world = World {
            copies_ms,
            rng,
            more: fastrand::Rng::with_seed(!seed),
            rolled_back: false,
            now: Duration::ZERO,
            queue: BinaryHeap::new(),
            events: BTreeMap::new(),
            next: 0,
            store,
            backup: None,
            traced: std::env::var_os("EVENKEEL_CLUSTER_TRACE").is_some(),
            store_is_back: Duration::ZERO,
            restored: 0,
            nodes,
            cut: Vec::new(),
            last: BTreeMap::new(),
            lossy: false,
            mistakes,
            facts: 0,
            told: Vec::new(),
            newest_teller: 0,
            newest_has: HashSet::new(),
            outcome: Outcome::default(),
        };
        for i in 0..n {
            world.at(world.now, i, What::Start);
        }
        world.at(Duration::from_millis(500), 0, What::Trouble);
        world.at(Duration::from_millis(10), 0, What::Client);
        world
    }

    fn planted(&self, mistake: &str) -> bool {
        self.mistakes.contains(&mistake)
    }

    fn at(&mut self, time: Duration, node: usize, what: What) {
        self.next += 1;
        self.queue.push(Reverse((time, self.next, node)));
        self.events.insert(self.next, what);
    }

    fn after(&mut self, ms: std::ops::Range<u64>, node: usize, what: What) {
        let time = self.now + Duration::from_micros(self.rng.u64(ms.start * 1000..ms.end * 1000));
        self.at(time, node, what);
    }

    /// What a server's clock shows.
    fn clock(&self, node: usize) -> Duration {
        self.now.mul_f64(self.nodes[node].clock)
    }

    fn send(&mut self, from: usize, to: usize, message: Message) {
        let is_log = matches!(
            message,
            Message::Log { .. } | Message::Copy { .. } | Message::Has { .. } | Message::Hello { .. }
        );
        if self.cut.contains(&(from, to)) || (self.lossy && !is_log && self.rng.u8(..20) == 0) {
            return;
        }
        let slow = if self.lossy && self.rng.u8(..20) == 0 { 400 } else { 10 };
        let mut time = self.now + Duration::from_micros(self.rng.u64(200..slow * 1000));
        if is_log {
            let last = self.last.entry((from, to)).or_default();
            time = time.max(*last + Duration::from_nanos(1));
            *last = time;
        } else if self.lossy && self.rng.u8(..20) == 0 {
            let again = time + Duration::from_micros(self.rng.u64(..300_000));
            self.at(again, to, What::Arrives { from, message: message.clone() });
        }
        self.at(time, to, What::Arrives { from, message });
    }

    pub fn run(mut self) -> Outcome {
        while let Some(Reverse((time, number, node))) = self.queue.pop() {
            if time > TROUBLE + QUIET || self.outcome.wrong.is_some() {
                break;
            }
            self.now = time;
            let what = self.events.remove(&number).expect("each is queued once");
            self.happens(node, what);
        }
        if self.outcome.wrong.is_none() {
            self.judge_the_end();
        }
        self.outcome.told = self.told.len();
        self.outcome
    }

    /// For whoever looks into a seed: EVENKEEL_CLUSTER_TRACE=1.
    fn trace(&self, node: usize, what: impl Fn() -> String) {
        if self.traced {
            println!("{:>12?} {node}: {}", self.now, what());
        }
    }

    fn wrong(&mut self, why: String) {
        self.outcome.wrong.get_or_insert(format!("at {:?}: {why}", self.now));
    }

    fn happens(&mut self, node: usize, what: What) {
        match what {
            What::Trouble => return self.trouble(),
            What::Client => return self.client(),
            What::Start => return self.start(node),
            What::Thaw => {
                self.nodes[node].frozen = false;
                for what in std::mem::take(&mut self.nodes[node].waiting) {
                    self.happens(node, what);
                }
                return;
            }
            _ => {}
        }
        if node == STORE {
            if self.now < self.store_is_back {
                return;
            }
            let What::Arrives { from, message } = what else { unreachable!("the store has no duties") };
            return self.asked(from, message);
        }
        if self.nodes[node].frozen {
            return self.nodes[node].waiting.push(what);
        }
        if self.nodes[node].member.is_none() {
            return;
        }
        match what {
            What::Tick => self.tick(node),
            What::Done { start, done } if start == self.nodes[node].session => self.done(node, done),
            What::Arrives { from, message } => self.hears(node, from, message),
            _ => {}
        }
    }

    fn start(&mut self, node: usize) {
        self.trace(node, || "starts".into());
        let session = self.rng.u64(1..);
        let forgets = self.planted("a promise is forgotten");
        let n = &mut self.nodes[node];
        if n.member.is_some() {
            return;
        }
        if forgets {
            (n.promised, n.followed_leader) = (0, None);
        }
        (n.session, n.lease, n.primary, n.following, n.fence) = (session, 0, None, None, n.promised);
        n.to_follow = None;
        n.waiting.clear();
        n.member =
            Some(Member::new(n.id, session, n.promised, n.followed_leader).with_mistakes(self.mistakes));
        self.after(1..300, node, What::Tick);
        self.connect(node);
    }

    fn crash(&mut self, node: usize) {
        self.trace(node, || "crashes".into());
        let n = &mut self.nodes[node];
        (n.member, n.primary, n.following, n.frozen) = (None, None, None, false);
        n.waiting.clear();
        for other in &mut self.nodes {
            if let Some(p) = &mut other.primary {
                let gone: Vec<u64> =
                    p.followers.iter().filter(|(_, f)| f.0 == node).map(|(c, _)| *c).collect();
                for c in gone {
                    let (_, number, _) = p.followers.remove(&c).expect("it was there");
                    p.quorum.leave(number);
                }
            }
        }
    }

    /// Something goes wrong, or gets better.
    fn trouble(&mut self) {
        if self.now > TROUBLE {
            self.cut.clear();
            self.lossy = false;
            for i in 0..self.nodes.len() {
                if self.nodes[i].frozen {
                    self.after(0..10, i, What::Thaw);
                }
                self.after(10..20, i, What::Start);
            }
            return;
        }
        let i = self.rng.usize(..self.nodes.len());
        let other = [STORE, self.rng.usize(..self.nodes.len())][self.rng.usize(..2)];
        match self.rng.u8(..13) {
            0..=1 => {
                self.crash(i);
                self.after(10..8000, i, What::Start);
            }
            2 => {
                // A leader, if there is one.
                if let Some(i) = self.nodes.iter().position(|n| n.primary.is_some()) {
                    self.crash(i);
                    self.after(10..8000, i, What::Start);
                }
            }
            3 if !self.nodes[i].frozen => {
                self.nodes[i].frozen = true;
                self.after(10..8000, i, What::Thaw);
            }
            4 => self.cut.push((i, other)),
            5 => self.cut.push((other, i)),
            6 => self.cut.extend([(i, other), (other, i)]),
            7..=8 => self.cut.clear(),
            9 => self.lossy = !self.lossy,
            10 => self.backup = Some(self.store.clone()),
            11 => self.set_back(),
            _ => self.change_members(),
        }
        if self.more.u8(..40) == 0 {
            self.roll_back();
        }
        self.after(50..3000, 0, What::Trouble);
    }

    /// A leader's disk goes back to an earlier moment of its epoch, as that of a machine that is restored from a snapshot. That can cost nothing as long as all others have what was told.
    fn roll_back(&mut self) {
        let members = self.store.view().config.value.members;
        let Some(i) = self.nodes.iter().position(|n| n.primary.is_some() && n.member.is_some()) else {
            return;
        };
        let (log, p) = (&self.nodes[i].log, self.nodes[i].primary.as_ref().expect("it leads"));
        let has_all = |n: &Node| n.is_whole && n.log.len() >= p.told && log.starts_with(&n.log);
        let begins = log.iter().position(|e| e.epoch == p.epoch).map_or(log.len(), |at| at + 1);
        if members.len() < 3 || members.len() != self.nodes.len() || self.rolled_back || begins >= log.len() {
            return;
        }
        if self.nodes.iter().enumerate().all(|(other, n)| other == i || has_all(n)) {
            let to = self.more.usize(begins..log.len());
            self.trace(i, || format!("goes back to {to}"));
            self.rolled_back = true;
            self.crash(i);
            self.nodes[i].log.truncate(to);
            let back = self.now + Duration::from_millis(self.more.u64(10..8000));
            self.at(back, i, What::Start);
        }
    }

    /// Somebody stops the store for longer than a lease and restores its backup: unless members have changed since, which nobody could know of.
    fn set_back(&mut self) {
        let Some(backup) = self.backup.clone() else { return };
        if backup.is_of_same_members(&self.store) {
            self.restored += 1;
            self.trace(STORE, || format!("is set back, to {:?}", backup.view().election));
            let back = self.now + TTL.mul_f64(1.2);
            self.store = backup.restored(back, TTL, &self.store);
            self.store_is_back = back;
        }
    }

    fn change_members(&mut self) {
        let Some(leader) = self.nodes.iter().position(|n| n.primary.is_some() && !n.frozen) else { return };
        if self.rolled_back {
            return;
        }
        let i = self.rng.usize(..self.nodes.len());
        let (id, name) = (self.nodes[i].id, self.nodes[i].name.clone());
        let Some(member) = &mut self.nodes[leader].member else { return };
        let mut config = member.view().config.value.clone();
        if config.members.remove(&id).is_none() {
            config.members.insert(id, name);
        }
        member.want(config);
    }

    /// Clients write and read wherever somebody believes to lead.
    fn client(&mut self) {
        for i in 0..self.nodes.len() {
            let clock = self.clock(i);
            let n = &mut self.nodes[i];
            if n.frozen {
                continue;
            }
            let Some(p) = &mut n.primary else { continue };
            // A read rests on the lease alone.
            let leads = clock < p.until || self.mistakes.contains(&"a lease does not end");
            if leads && p.told >= p.floor && p.epoch < self.newest_teller {
                let why = format!(
                    "epoch {} shows what it has after epoch {} has told",
                    p.epoch, self.newest_teller
                );
                self.wrong(why);
                return;
            }
            self.facts += 1;
            n.log.push(Entry { epoch: p.epoch, fact: self.facts });
            self.tell(i);
            self.feed(i);
        }
        self.after(5..40, 0, What::Client);
    }

    /// Who leads tells what may be told: that a commit happened even behind its lease, as an answer may be on its way when that ends.
    fn tell(&mut self, node: usize) {
        let early = self.planted("told before the quorum");
        let n = &mut self.nodes[node];
        let Some(p) = &mut n.primary else { return };
        let confirmed = p.quorum.confirmed()[1].0 as usize;
        let durable = if p.quorum.is_asked() && !early { confirmed.min(n.log.len()) } else { n.log.len() };
        if durable < p.floor || durable <= p.told {
            return;
        }
        let facts: Vec<u64> = n.log[..durable].iter().map(|e| e.fact).filter(|f| *f > 0).collect();
        p.told = durable;
        let epoch = p.epoch;
        if epoch < self.newest_teller {
            // Somebody else leads: he must have it all, too.
            if facts.iter().any(|f| !self.newest_has.contains(f)) {
                let newest = self.newest_teller;
                self.wrong(format!("epoch {epoch} tells what epoch {newest}, which has told, does not have"));
            }
            return;
        }
        if !facts.starts_with(&self.told) {
            let at = facts.iter().zip(&self.told).take_while(|(a, b)| a == b).count();
            let of = self.told.len();
            self.wrong(format!("epoch {epoch} lacks what was told: {at} of {of} facts are there"));
            return;
        }
        if epoch > self.newest_teller {
            self.newest_teller = epoch;
            self.newest_has = n.log.iter().map(|e| e.fact).collect();
        }
        self.told = facts;
    }

    /// Sends followers what they lack.
    fn feed(&mut self, node: usize) {
        let n = &mut self.nodes[node];
        let Some(p) = &mut n.primary else { return };
        let mut messages = Vec::new();
        for (connection, (to, _, sent)) in &mut p.followers {
            if *sent < n.log.len() {
                let entries = n.log[*sent..].to_vec();
                messages.push((
                    *to,
                    Message::Log { connection: *connection, epoch: p.epoch, from: *sent, entries },
                ));
                *sent = n.log.len();
            }
        }
        for (to, message) in messages {
            self.send(node, to, message);
        }
    }

    fn tick(&mut self, node: usize) {
        let asked = self.clock(node);
        let n = &self.nodes[node];
        let lease = match n.lease {
            0 => Message::Grant { asked, session: n.session },
            lease => Message::KeepAlive { lease, asked },
        };
        self.send(node, STORE, lease);
        self.send(node, STORE, Message::Look);
        let misses = misses(&self.nodes[node], self.now);
        let (promised, lease) = (self.nodes[node].promised, self.nodes[node].lease);
        self.send(node, STORE, Message::Says(misses, promised, lease));
        self.event(node, Event::Tick);
        self.tell(node);
        self.feed(node);
        self.is_asked(node);
        // A connection on which nothing comes is begun anew.
        if self.nodes[node].following.is_some()
            && self.now.saturating_sub(self.nodes[node].heard) > Duration::from_millis(700)
        {
            self.connect(node);
        }
        self.after(50..150, node, What::Tick);
    }

    fn connect(&mut self, node: usize) {
        let connection = self.rng.u64(1..);
        let n = &mut self.nodes[node];
        let Some((to, of)) = &mut n.following else { return };
        (*of, n.heard) = (connection, self.now);
        let (to, log) = (*to, n.log.clone());
        self.send(node, to, Message::Hello { connection, log });
    }

    fn asked(&mut self, from: usize, message: Message) {
        self.store.advance(self.now);
        let answer = match message {
            Message::Look => Message::View(self.store.view(), self.restored),
            Message::Write(write, lease) => {
                self.trace(from, || format!("writes {write:?}"));
                self.store.write(self.nodes[from].id, lease, write);
                Message::View(self.store.view(), self.restored)
            }
            Message::Says(misses, promised, lease) => {
                self.store.say(self.nodes[from].id, lease, (misses, promised));
                return;
            }
            Message::Grant { asked, session } => {
                Message::Granted { lease: self.store.grant(self.now, TTL), asked, session }
            }
            Message::KeepAlive { lease, asked } => {
                let is_there = self.store.keep_alive(lease, self.now, TTL);
                Message::Kept { lease, asked, is_there }
            }
            _ => unreachable!("nobody sends the store log"),
        };
        self.send(STORE, from, answer);
    }

    fn hears(&mut self, node: usize, from: usize, message: Message) {
        let n = &mut self.nodes[node];
        match message {
            // Late ones of before; one that is not, and is older than what was seen, is known by that alone.
            Message::View(_, restored) if restored < n.restored => {}
            Message::View(view, restored) => {
                let seen = n.member.as_ref().map_or(0, |m| m.view().revision);
                let is_older = restored > n.restored && view.revision < seen;
                n.restored = restored;
                if is_older {
                    self.event(node, Event::StoreSetBack);
                }
                self.event(node, Event::Saw(view));
            }
            Message::Granted { lease, asked, session } if n.lease == 0 && n.session == session => {
                n.lease = lease;
                self.event(node, Event::Leased(asked + TTL.mul_f64(MARGIN)));
            }
            Message::Kept { lease, asked, is_there: true } if lease == n.lease => {
                self.event(node, Event::Leased(asked + TTL.mul_f64(MARGIN)));
            }
            Message::Kept { lease, is_there: false, .. } if lease == n.lease => {
                n.lease = 0;
                self.event(node, Event::LeaseLost);
            }
            Message::Hello { connection, log } => self.hello(node, from, connection, &log),
            Message::Has { connection, at } => {
                let Some(p) = &mut n.primary else { return };
                let Some((_, number, _)) = p.followers.get(&connection) else { return };
                let at = Lsn(at as u64);
                p.quorum.confirm(*number, at, at, at);
                self.is_asked(node);
                self.tell(node);
            }
            Message::Log { connection, epoch, from: at, entries } => {
                let is_current = n.following == Some((from, connection));
                if !is_current || epoch < n.fence || at != n.log.len() {
                    return; // the promise: nothing of earlier epochs
                }
                (n.heard, n.heard_leader) = (self.now, self.now);
                n.log.extend(entries);
                let at = if n.is_whole { n.log.len() } else { 0 };
                self.send(node, from, Message::Has { connection, at });
            }
            Message::Copy { connection, epoch, fork, log } => {
                if n.following != Some((from, connection)) || epoch < n.fence {
                    return;
                }
                n.heard = self.now + Duration::from_millis(self.copies_ms);
                n.heard_leader = n.heard;
                n.is_whole = false;
                n.log.truncate(fork);
                let start = n.session;
                let longest = self.copies_ms;
                self.after(50..longest, node, What::Done { start, done: Done::Copied { connection, log } });
            }
            _ => {}
        }
    }

    /// Somebody wants to follow.
    fn hello(&mut self, node: usize, from: usize, connection: u64, log: &[Entry]) {
        let name = Config::slot(self.nodes[from].id, &self.nodes[from].name);
        let whole = self.nodes[from].is_whole;
        let is_gone = self.now < TROUBLE && self.rng.u8(..10) == 0; // the log from there on
        let n = &mut self.nodes[node];
        let Some(p) = &mut n.primary else { return };
        let fork = n.log.iter().zip(log).take_while(|(a, b)| a == b).count();
        if fork < log.len() || !whole || is_gone {
            let message = Message::Copy { connection, epoch: p.epoch, fork, log: n.log.clone() };
            return self.send(node, from, message);
        }
        let number = p.quorum.enter(&name);
        let entries = n.log[fork..].to_vec();
        p.followers.insert(connection, (from, number, n.log.len()));
        let message = Message::Log { connection, epoch: p.epoch, from: fork, entries };
        self.send(node, from, message);
    }

    fn event(&mut self, node: usize, event: Event) {
        let clock = self.clock(node);
        let Some(member) = &mut self.nodes[node].member else { return };
        let actions = member.step(event, clock);
        for action in actions {
            self.act(node, action);
        }
    }

    fn act(&mut self, node: usize, action: Action) {
        let early = self.planted("a vote without a promise");
        let n = &mut self.nodes[node];
        let start = n.session;
        match action {
            Action::Promise(epoch) => {
                if !early {
                    n.fence = n.fence.max(epoch);
                }
                self.after(1..30, node, What::Done { start, done: Done::Promise(epoch) });
            }
            Action::Write(write) => {
                let lease = n.lease;
                self.send(node, STORE, Message::Write(write, lease));
            }
            Action::TakeOver { epoch, synchronous } => {
                n.following = None;
                n.followed_leader = Some(Leader { member: n.id, session: n.session, epoch });
                let done = Done::TakeOver { epoch, synchronous };
                self.after(10..500, node, What::Done { start, done });
            }
            Action::Ask(synchronous) => {
                let Some(p) = &mut n.primary else { return };
                let told = if p.quorum.is_asked() { p.told } else { n.log.len() };
                p.quorum.ask(Synchronous::parse(&synchronous).expect("a list"), Lsn(told as u64));
                self.facts += 1;
                n.log.push(Entry { epoch: p.epoch, fact: self.facts });
                p.asked = Some((synchronous, n.log.len()));
                self.feed(node);
                self.is_asked(node);
            }
            Action::TellUntil(until) => {
                if let Some(p) = &mut n.primary {
                    p.until = until;
                }
            }
            // It takes a while to end a connection: what is on its way may still be taken.
            Action::Follow(leader) => {
                n.followed_leader = leader.or(n.followed_leader);
                (n.to_follow, n.heard_leader) = (leader, self.now);
                self.after(0..300, node, What::Done { start, done: Done::Follow });
            }
            Action::StepDown => {
                if let Some(p) = &mut n.primary {
                    p.until = if self.mistakes.contains(&"a lease does not end") {
                        p.until
                    } else {
                        Duration::ZERO
                    };
                }
                self.after(10..300, node, What::Done { start, done: Done::StepDown });
            }
        }
    }

    fn follow(&mut self, node: usize, leader: Option<Leader>) {
        let to = leader.and_then(|l| self.nodes.iter().position(|n| n.id == l.member));
        let n = &mut self.nodes[node];
        n.following = to.map(|to| (to, 0));
        self.connect(node);
    }

    /// Whether those that a leader asks have all that was there when it began to.
    fn is_asked(&mut self, node: usize) {
        let n = &mut self.nodes[node];
        let Some(p) = &mut n.primary else { return };
        let has = p.quorum.confirmed()[1].0 as usize;
        if let Some((whom, _)) = p.asked.take_if(|(_, at)| !p.quorum.is_asked() || has >= *at) {
            self.event(node, Event::Asked(whom));
        }
    }

    fn done(&mut self, node: usize, done: Done) {
        let n = &mut self.nodes[node];
        match done {
            Done::Promise(epoch) => {
                n.promised = n.promised.max(epoch);
                let (log_epoch, at) = match n.is_whole {
                    true => (n.log.last().map_or(0, |e| e.epoch), n.log.len()),
                    false => (0, 0), // nothing that could be used
                };
                let standing = Standing { log_epoch, lsn: Lsn(at as u64), is_whole: n.is_whole };
                self.trace(node, || format!("promised {epoch}: {standing:?}"));
                self.event(node, Event::Promised(epoch, standing));
            }
            Done::TakeOver { epoch, synchronous } => {
                let still = n.member.as_ref().is_some_and(|m| m.role() == Role::TakingOver(epoch));
                if still {
                    self.trace(node, || format!("takes over under {epoch}, asking {synchronous}"));
                    let n = &mut self.nodes[node];
                    n.log.push(Entry { epoch, fact: 0 });
                    let mut quorum = Quorum::default();
                    quorum.ask(Synchronous::parse(&synchronous).expect("a list"), Lsn::ZERO);
                    let until = Duration::ZERO;
                    let (floor, followers) = (n.log.len(), BTreeMap::new());
                    n.primary =
                        Some(Primary { epoch, quorum, floor, told: 0, until, followers, asked: None });
                    self.outcome.leaders += 1;
                }
                self.event(node, Event::TookOver(epoch, true));
            }
            Done::StepDown => {
                self.trace(node, || "stepped down".into());
                let n = &mut self.nodes[node];
                n.primary = None;
                self.event(node, Event::SteppedDown);
            }
            Done::Follow => {
                let leader = n.to_follow;
                self.follow(node, leader);
            }
            Done::Copied { connection, log } => {
                if n.following.is_some_and(|(_, c)| c == connection) {
                    (n.log, n.is_whole) = (log, true);
                    self.connect(node);
                }
            }
        }
    }

    fn stuck(&mut self, why: String) {
        if self.traced {
            println!("{:?}", self.store.view());
            for n in &self.nodes {
                let member = n.member.as_ref().map(|m| (m.role(), m.view().revision));
                println!(
                    "{}: promised {}, log {} to {:?}, whole {}, told {:?}, follows {:?} by {:?}, {member:?}",
                    n.name,
                    n.promised,
                    n.log.len(),
                    n.log.last(),
                    n.is_whole,
                    n.primary.as_ref().map(|p| (p.told, p.floor, p.quorum.is_asked())),
                    n.to_follow,
                    n.following,
                );
            }
        }
        self.outcome.stuck.get_or_insert(why);
    }

    /// With all troubles over, somebody leads, tells, and has everything; the others have the same.
    fn judge_the_end(&mut self) {
        let leaders: Vec<usize> =
            (0..self.nodes.len()).filter(|i| self.nodes[*i].primary.is_some()).collect();
        let [leader] = leaders[..] else {
            return self.stuck(format!("{} lead in the end", leaders.len()));
        };
        let log = &self.nodes[leader].log;
        let last = self.nodes[leader].primary.as_ref().map_or(0, |p| p.told);
        if last + 200 < log.len() || last == 0 {
            return self.stuck(format!("the last leader has told {last} of {}", log.len()));
        }
        let members = self.store.view().config.value.members;
        for n in self.nodes.iter().filter(|n| members.contains_key(&n.id)) {
            if !log.starts_with(&n.log) || n.log.len() + 200 < log.len() {
                return self.stuck(format!("{} does not follow", n.name));
            }
        }
    }
}

/// The leader that this server has been trying to follow in vain for a while, though it could.
fn misses(n: &Node, now: Duration) -> Option<u64> {
    let leader = n.to_follow.filter(|_| n.is_whole && n.following.is_some())?;
    (now.saturating_sub(n.heard_leader) > TTL).then_some(leader.epoch)
}
