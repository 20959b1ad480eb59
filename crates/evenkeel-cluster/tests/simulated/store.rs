//! The store of a simulated cluster: what etcd promises. One order of everything, conditional writes, leases by a clock of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_cluster::{Config, Contact, Election, Kept, Leader, MemberId, View, Vote, Write};

#[derive(Clone, Default)]
pub struct Store {
    revision: u64,
    config: Kept<Config>,
    election: Kept<Election>,
    leader: Option<(Leader, u64)>,
    votes: BTreeMap<MemberId, Vote>,
    follows: BTreeMap<MemberId, Leader>,
    /// When each lease ends.
    leases: BTreeMap<u64, Duration>,
    /// What members say of themselves, under which lease.
    said: BTreeMap<MemberId, ((Option<u64>, u64), u64)>,
    next_lease: u64,
    was_restored: bool,
}

impl Store {
    /// Leases that are over take with them what hangs on them.
    pub fn advance(&mut self, now: Duration) {
        self.leases.retain(|_, until| *until > now);
        self.said.retain(|_, (_, lease)| self.leases.contains_key(lease));
        if self.leader.is_some_and(|(_, lease)| !self.leases.contains_key(&lease)) {
            self.leader = None;
            self.revision += 1;
        }
    }

    pub fn grant(&mut self, now: Duration, ttl: Duration) -> u64 {
        self.next_lease += 1;
        self.leases.insert(self.next_lease, now + ttl);
        self.next_lease
    }

    /// False: there is no such lease any more.
    pub fn keep_alive(&mut self, lease: u64, now: Duration, ttl: Duration) -> bool {
        self.leases.get_mut(&lease).map(|until| *until = now + ttl).is_some()
    }

    fn contact(&self, member: MemberId) -> Contact {
        let (misses, promised) = self.said.get(&member).map_or((None, 0), |(said, _)| *said);
        Contact { misses, promised, ..Contact::default() }
    }

    /// A member says which leader it does not reach, and what it has promised.
    pub fn say(&mut self, member: MemberId, lease: u64, said: (Option<u64>, u64)) {
        if self.leases.contains_key(&lease) && self.said.insert(member, (said, lease)) != Some((said, lease))
        {
            self.revision += 1;
        }
    }

    pub fn is_of_same_members(&self, other: &Store) -> bool {
        self.config == other.config
    }

    /// This backup, as it is when it takes another one's place: its leases begin anew, and none is called as one of that.
    pub fn restored(mut self, now: Duration, ttl: Duration, other: &Store) -> Store {
        self.leases.values_mut().for_each(|until| *until = now + ttl);
        (self.next_lease, self.was_restored) = (other.next_lease, true);
        self
    }

    pub fn view(&self) -> View {
        View {
            revision: self.revision,
            config: self.config.clone(),
            election: self.election.clone(),
            leader: self.leader.map(|(leader, _)| leader),
            votes: self.votes.clone(),
            follows: self.follows.clone(),
            contacts: (0..9).map(|i| (MemberId(100 + i), self.contact(MemberId(100 + i)))).collect(),
            ..View::default()
        }
    }

    pub fn write(&mut self, from: MemberId, lease: u64, write: Write) {
        let next = self.revision + 1;
        let leads = |leader: &Leader| self.leader.is_some_and(|(l, _)| l == *leader);
        match write {
            Write::Found(config) if self.config.revision == 0 => {
                self.config = Kept { value: config, revision: next }
            }
            Write::Elect { election, after } if self.leader.is_none() && self.election.revision == after => {
                // Revisions come again in one that was set back.
                assert!(election.epoch > self.election.value.epoch || self.was_restored, "epochs rise");
                self.election = Kept { value: election, revision: next };
            }
            Write::Vote(vote) => _ = self.votes.insert(from, vote),
            Write::Follows(leader) => _ = self.follows.insert(from, leader),
            Write::Lead { leader, election }
                if self.leader.is_none()
                    && self.election.revision == election
                    && self.leases.contains_key(&lease) =>
            {
                let value = Election::won(&leader);
                (self.leader, self.election) = (Some((leader, lease)), Kept { value, revision: next });
            }
            Write::Resign(leader) if leads(&leader) => self.leader = None,
            Write::Configure { config, leader, before }
                if leads(&leader) && self.config.revision == before =>
            {
                self.config = Kept { value: config, revision: next };
            }
            _ => return,
        }
        self.revision = next;
    }
}
