//! A member of a cluster: what it makes of what it sees, without I/O, clock or threads (S25; decision 013, 18 and 19). Events in, actions out; the same code runs in a simulated network.
//!
//! What keeps a leader that was replaced from telling anything is the quorum. Whatever is told is durable on a majority. Whoever votes has promised before, durably, to take nothing more
//! from leaders of earlier epochs, and says how far its log is; the winner has heard enough votes to meet every majority, and has the longest log under the latest epoch among them: so it has all
//! that was told. Leases only keep a leader that was replaced from showing what is no longer so.
//!
//! Invariants
//! 1. A vote is told only after its promise is durable, and says of its log what was read after that.
//! 2. Who claims an election has heard votes of as many whole members as meet every quorum, its own included, and none of them is better; or it has led, and as many have
//!    promised, whole or not, who have followed nobody later, and have no more of its epoch's log: nobody else has told anything since, and it had everything then. If one has more, its disk was set back. The store sees to it that it is won once, and not while somebody leads. Before it
//!    leads they follow it, as their votes may be of long ago.
//! 3. Who leads ends when its lease does, by its own clock, which began to count before the store's; or when the store says that it leads no more. It leads again only by another election, after its
//!    server was started again: so each epoch has one writer, and one life of its log at a time.
//! 4. Of each epoch a member follows, or is, one leader, and it follows none of an earlier epoch than before: in a store that was set back the same election may be won again, by votes of long ago.
//! 5. Who leads, and hears from the store that as many members as could elect do not reach it, gives way to them for a while. If one has promised a later epoch, as happens when the store was set back,
//!    it has itself elected again.
//! 6. While members change, and before the store has it, whatever was told is on a majority of both sets.
//!
//! Must not know: stores, servers, files; how long anything takes.

use std::time::Duration;

use evenkeel::Lsn;

use crate::view::{Config, Leader, MemberId, View, Vote, Write};

/// How long it is waited for more votes than are necessary: who is a little farther may be about to say so.
const GATHER: Duration = Duration::from_millis(200);
/// An election that comes to nothing is followed by another one after so long, and up to twice as long.
const STALE: Duration = Duration::from_millis(1500);
/// Who leads and is not reached lets the others elect for so long: two elections that come to nothing, and one that does not.
const GIVE_WAY: Duration = Duration::from_secs(8);

/// What a member's log is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Under which epoch it was written.
    pub log_epoch: u64,
    /// How far it is durable.
    pub lsn: Lsn,
    /// It could take over.
    pub is_whole: bool,
}

/// What happens to a member. Times are of any clock that goes on while the machine sleeps.
#[derive(Clone, Debug)]
pub enum Event {
    /// The store, as it was when it answered.
    Saw(View),
    /// The store is older than it was: somebody has set it back, and what follows is not late.
    StoreSetBack,
    /// The promise that was asked for is durable, and this is how the log is now.
    Promised(u64, Standing),
    /// The store has granted or prolonged the lease: it holds until then. It was asked before, and what was added to that is less than the store's own time.
    Leased(Duration),
    /// There is no lease any more, or another one.
    LeaseLost,
    /// It has taken over, as it was told to, under this epoch; or could not.
    TookOver(u64, bool),
    /// As leader: everything that was told is where these standbys' confirmations say, and so will be all that is told from now on.
    Asked(String),
    /// Somebody else is this member: its folder was copied, or is served twice.
    Replaced,
    /// Its server writes and tells nothing any more.
    SteppedDown,
    /// The server that leads, or is to, has ended by itself.
    ServerEnded,
    /// Time has passed.
    Tick,
}

/// What is to be done. Promises and writes are told again and again until they are seen to be done; the others once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Promise to take nothing from leaders of epochs before this one; durably, and then say so.
    Promise(u64),
    /// Put this into the store. What comes of it is seen there.
    Write(Write),
    /// Take over under this epoch, once it is durable that this member leads it, asking these before anything is told, and tell until the lease is over.
    TakeOver {
        /// Under which epoch.
        epoch: u64,
        /// As `synchronous_standby_names`.
        synchronous: String,
    },
    /// As leader, ask these from now on; and once they have all that is in the log at that moment, say so.
    Ask(String),
    /// As leader, tell until then.
    TellUntil(Duration),
    /// Follow this leader, once it is durable that this one is followed; `None`: nobody.
    Follow(Option<Leader>),
    /// Tell nothing any more, and stop the server that leads.
    StepDown,
}

/// What it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It follows whoever leads, if anybody does.
    Follower,
    /// It takes over.
    TakingOver(u64),
    /// It leads.
    Leader(u64),
    /// It did, and stops.
    SteppingDown,
}

/// See the file's head.
pub struct Member {
    id: MemberId,
    session: u64,
    rng: fastrand::Rng,
    /// What it has promised, durably.
    promised: u64,
    /// The latest leader that it has followed, or been, durably.
    followed: Option<Leader>,
    role: Role,
    view: View,
    lease_until: Option<Duration>,
    following: Option<Leader>,
    /// The latest epoch that it took over under: it does so once.
    taken: u64,
    /// The vote that it has, if it is of the latest election.
    vote: Option<Vote>,
    /// Since when an election is under way, and since when it could be won.
    since: Option<(u64, Duration)>,
    enough_since: Option<Duration>,
    /// Since when the store says that it has won, and what it had won before, if that was the last one that was won.
    won_at: Option<Duration>,
    last_won: Option<u64>,
    stale: Duration,
    /// As leader, whom it asks, and whether they have all that was told.
    asking: String,
    is_asked: bool,
    /// It has led, was not reached, and lets others elect until then.
    gives_way_until: Duration,
    /// As leader, the members that it wants.
    wanted: Option<Config>,
    mistakes: &'static [&'static str],
}

impl Member {
    /// One that has just started. `promised` is what it has promised before, durably, and `followed` the latest leader that it has followed, or been.
    pub fn new(id: MemberId, session: u64, promised: u64, followed: Option<Leader>) -> Member {
        Member {
            id,
            session,
            rng: fastrand::Rng::with_seed(session ^ id.0),
            promised,
            followed,
            role: Role::Follower,
            view: View::default(),
            lease_until: None,
            following: None,
            taken: 0,
            vote: None,
            since: None,
            enough_since: None,
            won_at: None,
            last_won: None,
            stale: STALE,
            asking: String::new(),
            is_asked: false,
            gives_way_until: Duration::ZERO,
            wanted: None,
            mistakes: &[],
        }
    }

    /// With mistakes, for tests that have to find them.
    #[doc(hidden)]
    pub fn with_mistakes(mut self, mistakes: &'static [&'static str]) -> Member {
        self.mistakes = mistakes;
        self
    }

    fn planted(&self, mistake: &str) -> bool {
        self.mistakes.contains(&mistake)
    }

    /// What it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What the store last said.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What it has promised.
    pub fn promised(&self) -> u64 {
        self.promised
    }

    /// The members that there are to be, one more or one less; as long as it leads. False: it does not, or has another change under way, or leads no such cluster.
    pub fn want(&mut self, config: Config) -> bool {
        let now = &self.view.config.value;
        let has = |a: &Config, b: &Config| a.members.keys().filter(|id| !b.members.contains_key(id)).count();
        let is_one = has(&config, now) + has(now, &config) == 1 && config.members.contains_key(&self.id);
        let can = is_one && self.wanted.is_none() && matches!(self.role, Role::Leader(_));
        if can {
            self.wanted = Some(config);
        }
        can
    }

    /// What an event makes it do.
    pub fn step(&mut self, event: Event, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            Event::Saw(view) if view.revision < self.view.revision => return actions, // an answer that was late
            Event::Saw(view) => self.view = view,
            Event::StoreSetBack => {
                self.view = View::default();
                (self.vote, self.since, self.enough_since) = (None, None, None);
                self.step_down(&mut actions);
            }
            Event::Promised(epoch, standing) => self.has_promised(epoch, standing),
            Event::Leased(until) => {
                self.lease_until = self.lease_until.max(Some(until));
                if matches!(self.role, Role::Leader(_) | Role::TakingOver(_)) {
                    actions.extend(self.lease_until.map(Action::TellUntil));
                }
            }
            Event::LeaseLost => {
                self.lease_until = None;
                self.step_down(&mut actions);
            }
            Event::TookOver(epoch, true) if self.role == Role::TakingOver(epoch) => {
                self.role = Role::Leader(epoch);
            }
            Event::TookOver(epoch, false) if self.role == Role::TakingOver(epoch) => {
                self.step_down(&mut actions)
            }
            Event::TookOver(..) => {}
            Event::Asked(whom) => self.is_asked |= whom == self.asking,
            Event::SteppedDown => {
                if self.role == Role::SteppingDown {
                    self.role = Role::Follower;
                }
            }
            Event::ServerEnded => {
                self.step_down(&mut actions);
                actions.retain(|a| *a != Action::StepDown);
                if self.role == Role::SteppingDown {
                    self.role = Role::Follower;
                }
            }
            Event::Replaced => {
                self.lease_until = None;
                self.step_down(&mut actions);
            }
            Event::Tick => {}
        }
        self.act(now, &mut actions);
        actions
    }

    fn has_promised(&mut self, epoch: u64, standing: Standing) {
        self.promised = self.promised.max(epoch);
        let Standing { mut log_epoch, lsn, is_whole } = standing;
        if !is_whole {
            log_epoch = log_epoch.max(self.followed.map_or(0, |f| f.epoch)); // what it has confirmed is gone, and was told perhaps
        }
        self.vote = Some(Vote { epoch, log_epoch, lsn, is_whole }); // invariant 1
    }

    fn step_down(&mut self, actions: &mut Vec<Action>) {
        if matches!(self.role, Role::Leader(_) | Role::TakingOver(_)) {
            self.role = Role::SteppingDown;
            self.wanted = None;
            actions.push(Action::StepDown);
            if let Some(leader) = self.view.leader.filter(|l| self.is_me(l)) {
                actions.push(Action::Write(Write::Resign(leader))); // sooner than its lease ends
            }
        }
    }

    fn is_me(&self, leader: &Leader) -> bool {
        (leader.member, leader.session) == (self.id, self.session)
    }

    fn act(&mut self, now: Duration, actions: &mut Vec<Action>) {
        if self.lease_until.is_some_and(|until| until <= now) && !self.planted("a lease does not end") {
            self.lease_until = None;
            self.step_down(actions);
        }
        match (self.role, self.view.leader) {
            (Role::SteppingDown, _) => {}
            (Role::Leader(epoch) | Role::TakingOver(epoch), leader) => {
                if leader.is_some_and(|l| self.is_me(&l) && l.epoch == epoch) {
                    self.lead(epoch, now, actions);
                } else {
                    self.step_down(actions); // invariant 3
                }
            }
            (Role::Follower, Some(leader)) => {
                (self.since, self.enough_since) = (None, None);
                self.won_at = self.won_at.filter(|_| self.is_me(&leader));
                if self.is_me(&leader) {
                    self.has_won(leader, now, actions);
                } else if leader.member == self.id {
                    // Of an earlier start: nobody leads until its lease ends.
                    self.follow(None, actions);
                } else if self.followed.is_some_and(|f| f.epoch >= leader.epoch && f != leader) {
                    // (4) Of a store that was set back. Others have what that one's successor told, or another one of the same epoch: there has to be a later one.
                    self.follow(None, actions);
                    let next = self.followed.map_or(0, |f| f.epoch).max(leader.epoch + 1);
                    actions.extend((self.promised < next).then_some(Action::Promise(next)));
                } else {
                    self.vote = None; // its log grows from now on
                    self.follow(Some(leader), actions);
                    if self.promised >= leader.epoch && self.view.follows.get(&self.id) != Some(&leader) {
                        actions.push(Action::Write(Write::Follows(leader)));
                    }
                }
            }
            (Role::Follower, None) => self.elect(now, actions),
        }
    }

    fn follow(&mut self, leader: Option<Leader>, actions: &mut Vec<Action>) {
        if self.following != leader {
            self.following = leader;
            self.followed = leader.or(self.followed);
            actions.push(Action::Follow(leader));
        }
    }

    /// The store says that this start of this member leads.
    fn has_won(&mut self, leader: Leader, now: Duration, actions: &mut Vec<Action>) {
        // One that it has given up already, and whose end the store has not heard of; or without time left.
        let own = self.vote.filter(|v| v.epoch == leader.epoch && v.epoch == self.promised);
        let is_new = leader.epoch > self.taken && self.followed.is_none_or(|f| f.epoch < leader.epoch);
        let has_lease = self.lease_until.is_some_and(|until| until > now);
        let won_at = *self.won_at.get_or_insert(now);
        let Some(own) = own.filter(|_| is_new && has_lease && now.saturating_sub(won_at) < STALE) else {
            actions.push(Action::Write(Write::Resign(leader)));
            return;
        };
        // A vote may be of long ago, if the store was set back: who gave it says that it is still so.
        let still = |id: &MemberId| *id == self.id || self.view.follows.get(id) == Some(&leader);
        if !self.wins(own, still) && !self.planted("a winner waits for nobody") {
            return;
        }
        self.follow(None, actions);
        self.vote = None;
        self.followed = Some(leader);
        self.role = Role::TakingOver(leader.epoch);
        self.taken = leader.epoch;
        (self.asking, self.is_asked) = (self.view.config.value.synchronous(self.id), true);
        actions.push(Action::TakeOver { epoch: leader.epoch, synchronous: self.asking.clone() });
        actions.extend(self.lease_until.map(Action::TellUntil));
    }

    /// Who leads keeps the store and its server at the same members (6).
    fn lead(&mut self, epoch: u64, now: Duration, actions: &mut Vec<Action>) {
        if self.is_missed(epoch) {
            self.gives_way_until = now + GIVE_WAY; // (5)
            return self.step_down(actions);
        }
        let counts = |id| self.view.config.value.members.contains_key(id) || self.is_wanted(id);
        if self.view.contacts.iter().any(|(id, c)| *id != self.id && c.promised > epoch && counts(id)) {
            return self.step_down(actions); // (5)
        }
        let now = &self.view.config.value;
        // Nobody waits for one who is about to be a member, and has gone; unless the store may have it already.
        let is_there = |id: &MemberId| now.members.contains_key(id) || self.view.contacts.contains_key(id);
        let has_gone = |w: &Config| !w.members.keys().all(is_there) && !self.is_asked;
        if self.wanted.as_ref().is_some_and(|w| w == now || has_gone(w)) {
            self.wanted = None;
        }
        let Some(wanted) = &self.wanted else {
            return self.ask(self.view.config.value.synchronous(self.id), actions);
        };
        // One more or one less: a larger majority meets the smaller one, and of equally large ones that of fewer members meets the other.
        let is_stricter = (wanted.quorum(), now.members.len()) > (now.quorum(), wanted.members.len());
        let stricter = if is_stricter { wanted } else { now }.synchronous(self.id);
        let write = Write::Configure {
            config: wanted.clone(),
            leader: Leader { member: self.id, session: self.session, epoch },
            before: self.view.config.revision,
        };
        self.ask(stricter, actions);
        if self.is_asked || self.planted("members change before all that was told is on them") {
            actions.push(Action::Write(write));
        }
    }

    fn is_wanted(&self, id: &MemberId) -> bool {
        self.wanted.as_ref().is_some_and(|w| w.members.contains_key(id))
    }

    /// Whether as many members as could elect another one could follow this one, but do not reach it.
    fn is_missed(&self, epoch: u64) -> bool {
        let config = &self.view.config.value;
        let misses = |id: &&MemberId| self.view.contacts.get(id).is_some_and(|c| c.misses == Some(epoch));
        let others = config.members.keys().filter(|id| **id != self.id);
        config.members.len() > 1 && others.filter(misses).count() >= config.heard()
    }

    fn ask(&mut self, whom: String, actions: &mut Vec<Action>) {
        if self.asking != whom {
            (self.asking, self.is_asked) = (whom, false);
            actions.push(Action::Ask(self.asking.clone()));
        }
    }

    /// Nobody leads.
    fn elect(&mut self, now: Duration, actions: &mut Vec<Action>) {
        self.won_at = None;
        self.follow(None, actions);
        let config = &self.view.config.value;
        if !config.members.contains_key(&self.id) || now < self.gives_way_until {
            return;
        }
        let election = self.view.election.value;
        if self.since.is_none_or(|(epoch, _)| epoch != election.epoch) {
            self.since = Some((election.epoch, now));
            self.enough_since = None;
            self.stale = STALE + STALE.mul_f64(self.rng.f64());
        }
        let began = self.since.map_or(now, |(_, began)| began);
        let is_stale = now.saturating_sub(began) >= self.stale;
        if election.epoch == 0 || election.winner.is_some() || is_stale {
            self.since = self.since.map(|(epoch, _)| (epoch, now)); // the store may not hear of it
            let next = election.next(election.epoch.max(self.promised).saturating_add(1));
            actions.push(Action::Write(Write::Elect { election: next, after: self.view.election.revision }));
            return;
        }
        // Promised by an earlier start: what was said of the log then may not be so any more, but for more of it.
        let Some(vote) = self.vote.filter(|v| v.epoch == election.epoch) else {
            actions.extend((self.promised <= election.epoch).then_some(Action::Promise(election.epoch)));
            return;
        };
        if !vote.is_whole {
            actions.push(Action::Promise(election.epoch)); // it may be by now
        }
        if self.view.votes.get(&self.id) != Some(&vote) {
            actions.push(Action::Write(Write::Vote(vote)));
            return;
        }
        self.count(vote, now, actions);
    }

    /// Whether it has won.
    fn count(&mut self, own: Vote, now: Duration, actions: &mut Vec<Action>) {
        let election = self.view.election.value;
        let is_last = election.winner.is_none() && election.last_winner == Some(self.id);
        self.last_won = is_last.then_some(election.last_epoch);
        if !self.wins(own, |_| true) {
            self.enough_since = None;
            return;
        }
        let since = *self.enough_since.get_or_insert(now);
        let has_lease = self.lease_until.is_some_and(|until| until > now);
        let members = &self.view.config.value.members;
        let has_cast = |id| self.view.votes.get(id).is_some_and(|v: &Vote| v.epoch == own.epoch);
        if has_lease && (members.keys().all(has_cast) || now.saturating_sub(since) >= GATHER) {
            let leader = Leader { member: self.id, session: self.session, epoch: own.epoch };
            actions.push(Action::Write(Write::Lead { leader, election: self.view.election.revision }));
        }
    }

    /// Whether the votes of those that count make it the winner (2).
    fn wins(&self, own: Vote, counts: impl Fn(&MemberId) -> bool) -> bool {
        let config = &self.view.config.value;
        let cast = |id| self.view.votes.get(id).filter(|v| v.epoch == own.epoch && counts(id));
        let all: Vec<(&MemberId, &Vote)> =
            config.members.keys().filter_map(|id| Some((id, cast(id)?))).collect();
        let whole = |v: &Vote| v.is_whole || self.planted("a copy that is not whole counts");
        let heard = all.iter().filter(|(_, v)| whole(v));
        let needed =
            if self.planted("one vote less is enough") { config.heard() - 1 } else { config.heard() };
        let rank = |(id, v): &(&MemberId, &Vote)| {
            let epoch = if self.planted("positions are compared without epochs") { 0 } else { v.log_epoch };
            (epoch, v.lsn, **id)
        };
        let best = heard.clone().max_by_key(|v| rank(v)).map(|(id, _)| **id);
        let is_best = heard.count() >= needed.max(1) && best == Some(self.id);
        // It was the last one that led, by what it knows itself or what the store does, which may have been set back: as many as meet every quorum have promised, whole or not, and followed nobody later.
        let led = self.followed.filter(|f| f.member == self.id).map(|f| f.epoch).max(self.last_won);
        let is_behind = |led: u64, v: &Vote| {
            v.log_epoch < led
                || v.log_epoch == led && (v.lsn <= own.lsn || self.planted("who led last is believed"))
        };
        let told_last =
            led.is_some_and(|led| all.len() >= config.heard() && all.iter().all(|(_, v)| is_behind(led, v)));
        own.is_whole && (is_best || told_last)
    }
}
