//! The store of a simulated cluster: what etcd promises. One order of everything, conditional writes, leases by a clock of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_cluster::{Config, Contact, Election, Kept, Leader, MemberId, View, Vote, Write};

#[derive(Default)]
pub struct Store {
    revision: u64,
    config: Kept<Config>,
    election: Kept<Election>,
    leader: Option<(Leader, u64)>,
    votes: BTreeMap<MemberId, Vote>,
    /// When each lease ends.
    leases: BTreeMap<u64, Duration>,
    next_lease: u64,
}

impl Store {
    /// Leases that are over take with them what hangs on them.
    pub fn advance(&mut self, now: Duration) {
        self.leases.retain(|_, until| *until > now);
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

    pub fn view(&self) -> View {
        View {
            revision: self.revision,
            config: self.config.clone(),
            election: self.election.clone(),
            leader: self.leader.map(|(leader, _)| leader),
            votes: self.votes.clone(),
            contacts: (0..9).map(|i| (MemberId(100 + i), Contact::default())).collect(),
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
                assert!(election.epoch > self.election.value.epoch, "epochs rise");
                self.election = Kept { value: election, revision: next };
            }
            Write::Vote(vote) => _ = self.votes.insert(from, vote),
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
