//! What members of a cluster know of each other: keys in a store that all of them see in one order, and the conditional writes that change them.
//!
//! | key | value | lives |
//! | --- | --- | --- |
//! | `config` | [`Config`]: the members, whose majority holds whatever is told | for good |
//! | `epoch` | [`Election`]: the latest election, and who won it | for good |
//! | `leader` | [`Leader`] | as long as the leader's lease |
//! | `vote/ID` | [`Vote`]: the latest one of a member | for good |
//! | `follows/ID` | [`Leader`]: whom a member follows, and nobody else of that epoch | for good |
//! | `member/ID` | [`Contact`]: how it is reached, and how it is | as long as its lease |
//! | `remove/ID` | somebody wants that this member goes | for good: numbers are not used again |
//!
//! Invariants
//! 1. A view is the state of all keys at one revision of the store: nobody acts on half of what somebody else has done.
//! 2. What must not be done twice, or late, is written on condition that the keys are those that were seen.
//!
//! Must not know: which store, how it is reached; what anybody makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use evenkeel::Lsn;
use serde::{Deserialize, Serialize};

/// Who: a number drawn when a folder joins a cluster. Whoever comes back with another folder is somebody else, as he has forgotten what he had promised and confirmed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct MemberId(pub u64);

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for MemberId {
    type Err = String;

    fn from_str(text: &str) -> Result<MemberId, String> {
        u64::from_str_radix(text, 16).map(MemberId).map_err(|_| format!("\"{text}\" is no member's number"))
    }
}

impl From<MemberId> for String {
    fn from(id: MemberId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for MemberId {
    type Error = String;

    fn try_from(text: String) -> Result<MemberId, String> {
        text.parse()
    }
}

/// Who belongs to the cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Config {
    /// Which database it is about.
    pub database_id: u64,
    /// Their names.
    pub members: BTreeMap<MemberId, String>,
}

impl Config {
    /// So many members have whatever was told, the leader included: a majority.
    pub fn quorum(&self) -> usize {
        self.members.len() / 2 + 1
    }

    /// So many have to be heard to meet every quorum (rule 15).
    pub fn heard(&self) -> usize {
        self.members.len() + 1 - self.quorum()
    }

    /// What a member's replication slot is called. Its number is in it: whoever has the same name is not the same.
    pub fn slot(member: MemberId, name: &str) -> String {
        format!("{name}_{member}")
    }

    /// What `synchronous_standby_names` says of that, for a leader.
    pub fn synchronous(&self, leader: MemberId) -> String {
        let others: Vec<String> = self
            .members
            .iter()
            .filter(|(id, _)| **id != leader)
            .map(|(id, name)| format!("\"{}\"", Config::slot(*id, name).replace('"', "\"\"")))
            .collect();
        match self.quorum() - 1 {
            0 => String::new(),
            n => format!("ANY {n} ({})", others.join(", ")),
        }
    }
}

/// The latest election.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Election {
    /// Its number: the epoch of whoever wins it.
    pub epoch: u64,
    /// Who has won it.
    pub winner: Option<MemberId>,
    /// Who has won the latest one that was won.
    pub last_winner: Option<MemberId>,
    /// Under which epoch.
    #[serde(default)]
    pub last_epoch: u64,
}

impl Election {
    /// The next one, with this number.
    pub fn next(&self, epoch: u64) -> Election {
        Election { epoch, winner: None, ..*self }
    }

    /// As it is once it is won.
    pub fn won(leader: &Leader) -> Election {
        let Leader { member, epoch, .. } = *leader;
        Election { epoch, winner: Some(member), last_winner: Some(member), last_epoch: epoch }
    }
}

/// Who leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Leader {
    /// Who.
    pub member: MemberId,
    /// Since which start of his: after another one he has forgotten that he leads.
    pub session: u64,
    /// Under which epoch.
    pub epoch: u64,
}

/// How far a member's log is, after it has promised to take nothing more from leaders of earlier epochs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// In which election.
    pub epoch: u64,
    /// Under which epoch its log was written.
    pub log_epoch: u64,
    /// How far it is durable.
    #[serde(with = "lsn_text")]
    pub lsn: Lsn,
    /// It could take over: what it has is a whole database.
    pub is_whole: bool,
}

/// How a member is reached, and how it is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Contact {
    /// Its name.
    pub name: String,
    /// Its database; 0: none yet.
    pub database_id: u64,
    /// Where its server listens: host and port, as in a connection string.
    pub address: String,
    /// What it is doing, for people.
    pub state: String,
    /// How far its log is.
    #[serde(with = "lsn_text")]
    pub lsn: Lsn,
    /// It could follow the leader of this epoch, and has not reached it for as long as a lease.
    #[serde(default)]
    pub misses: Option<u64>,
    /// What it has promised: nobody of an earlier epoch can be followed by it.
    #[serde(default)]
    pub promised: u64,
    /// Which start of the member says so.
    #[serde(default)]
    pub session: u64,
}

/// A value, and the revision at which it came to be what it is; 0: there is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kept<T> {
    /// The value.
    pub value: T,
    /// The store's revision of its last change.
    pub revision: u64,
}

/// All keys at one revision (invariant 1).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The store's revision.
    pub revision: u64,
    /// Members.
    pub config: Kept<Config>,
    /// The latest election.
    pub election: Kept<Election>,
    /// Who leads.
    pub leader: Option<Leader>,
    /// Votes, of whatever election.
    pub votes: BTreeMap<MemberId, Vote>,
    /// Whom members follow, durably, and nobody else of that epoch.
    pub follows: BTreeMap<MemberId, Leader>,
    /// Those that are there.
    pub contacts: BTreeMap<MemberId, Contact>,
    /// Those that are to go.
    pub removals: BTreeSet<MemberId>,
}

/// A write that is done wholly or not at all (invariant 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Write {
    /// The cluster's first member: where nothing is there.
    Found(Config),
    /// Begins an election: where nobody leads, and the latest one is that of this revision.
    Elect {
        /// It.
        election: Election,
        /// The one before.
        after: u64,
    },
    /// A vote, in place of an earlier one.
    Vote(Vote),
    /// Whom this member follows.
    Follows(Leader),
    /// This member leads, as long as its lease: where nobody does, and the latest election is that of this revision.
    Lead {
        /// Under which epoch.
        leader: Leader,
        /// The election.
        election: u64,
    },
    /// Nobody leads any more: where this one does.
    Resign(Leader),
    /// The members are these: where this one leads, and they were those of this revision.
    Configure {
        /// The members.
        config: Config,
        /// Who says so.
        leader: Leader,
        /// What they were.
        before: u64,
    },
}

/// Positions as people read them.
mod lsn_text {
    use evenkeel::Lsn;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(lsn: &Lsn, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(lsn)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Lsn, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}
