//! What is said of a table that changes nothing of its rows: most of it is kept to be shown, and dumped.
//!
//! Must not know: how it is stored.

use super::Table;

/// What of old rows a logical subscriber would be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplicaIdentity {
    /// The primary key.
    #[default]
    Default,
    /// NOTHING
    Nothing,
    /// FULL
    Full,
    /// USING INDEX: its OID.
    Index(u32),
}

impl ReplicaIdentity {
    /// As in `pg_class.relreplident`.
    pub fn letter(self) -> &'static str {
        match self {
            ReplicaIdentity::Default => "d",
            ReplicaIdentity::Nothing => "n",
            ReplicaIdentity::Full => "f",
            ReplicaIdentity::Index(_) => "i",
        }
    }

    /// Of a letter and, for `i`, an index.
    pub(super) fn of(letter: u8, index: u32) -> Option<ReplicaIdentity> {
        match letter {
            b'd' => Some(ReplicaIdentity::Default),
            b'n' => Some(ReplicaIdentity::Nothing),
            b'f' => Some(ReplicaIdentity::Full),
            b'i' => Some(ReplicaIdentity::Index(index)),
            _ => None,
        }
    }
}

/// See above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// CLUSTER ON: an index's OID.
    pub clustered_on: Option<u32>,
    /// REPLICA IDENTITY.
    pub replica_identity: ReplicaIdentity,
    /// OF: the composite type whose attributes its columns are; 0: none.
    pub of_type: u32,
    /// DISABLE TRIGGER ALL: neither its foreign keys are looked at, nor those that refer to it.
    pub triggers_off: bool,
}

impl Table {
    /// The primary key, or columns that ALTER TABLE has said, tell rows apart; whether an index is that.
    pub fn is_replica_identity(&self, index: u32) -> bool {
        self.marks.replica_identity == ReplicaIdentity::Index(index)
    }
}
