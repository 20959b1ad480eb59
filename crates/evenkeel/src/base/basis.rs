//! What a fact rests on: log that has to be safe before the fact is told to anybody.
//!
//! Invariants
//! 1. It only grows together: the basis of two facts is safe when both are.
//!
//! Must not know: when log is safe (that is `wal/horizon.rs`).

use super::Lsn;

/// Log that has to be safe before something is told. Two places, as a commit may ask for less than standbys (`synchronous_commit = local`): its record has to be durable here
/// alone, what it rests on may ask for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Basis {
    /// Durable on this server's disk up to here.
    pub local: Lsn,
    /// Confirmed by those standbys that are asked, if any are, up to here.
    pub quorum: Lsn,
}

impl Basis {
    /// Nothing.
    pub const NONE: Basis = Basis { local: Lsn::ZERO, quorum: Lsn::ZERO };

    /// All log before `lsn`, here and wherever it is asked for.
    pub const fn all(lsn: Lsn) -> Basis {
        Basis { local: lsn, quorum: lsn }
    }

    /// Of both (1).
    #[must_use]
    pub fn max(self, other: Basis) -> Basis {
        Basis { local: self.local.max(other.local), quorum: self.quorum.max(other.quorum) }
    }

    /// Whether it is safe where so much is.
    pub fn is_within(self, safe: Basis) -> bool {
        self.local <= safe.local && self.quorum <= safe.quorum
    }

    /// The farther of the two places.
    pub fn newest(self) -> Lsn {
        self.local.max(self.quorum)
    }
}
