//! What sessions did, by databases: `pg_stat_database`.
//!
//! Each session counts for itself, in memory that only it writes; what it has counted is added to its database's when it ends. So counting shares nothing.
//!
//! Invariants:
//! 1. A session is either among those that there are or in its database's sum: the sum's mutex is held while it leaves and while all are added up.
//!
//! Must not know: statements, views.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counts {
    ($($name:ident $what:literal,)*) => {
        /// What one session counts: only it adds, whoever wants reads.
        #[derive(Debug, Default)]
        pub(crate) struct Counts { $(#[doc = $what] pub $name: AtomicU64,)* }

        /// A sum.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct Totals { $(#[doc = $what] pub $name: u64,)* }

        impl Counts {
            /// As they are now.
            pub fn totals(&self) -> Totals {
                Totals { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }

        impl Totals {
            /// Adds others.
            pub fn add(&mut self, other: &Totals) {
                $(self.$name += other.$name;)*
            }

            /// Each with its name.
            pub fn each(&mut self, mut f: impl FnMut(&'static str, &mut u64)) {
                $(f(stringify!($name), &mut self.$name);)*
            }

            fn less(&self, other: &Totals) -> Totals {
                Totals { $($name: self.$name.saturating_sub(other.$name),)* }
            }
        }
    };
}

counts! {
    commits "Transactions that committed.",
    rollbacks "Such as were rolled back.",
    blocks_read "Pages read from files.",
    blocks_hit "Pages found in the pool.",
    returned "Rows of tables and entries of indexes that were read.",
    fetched "Rows fetched for entries.",
    inserted "Rows inserted.",
    updated "Rows updated.",
    deleted "Rows deleted.",
    temp_files "Temporary files made.",
    temp_bytes "Bytes written to them.",
    deadlocks "Statements that ended as the victim of a deadlock.",
    active_us "Time in statements.",
    idle_in_transaction_us "Time between the statements of transactions.",
    session_us "Time of sessions; of those that go on it is added by who asks.",
    sessions "Sessions.",
    fatal "Such as ended with a fatal error.",
    killed "Such as somebody ended.",
    abandoned "Such as their clients left without a word.",
    damaged "Errors of damaged pages.",
}

/// Adds to what only the caller adds to.
pub(crate) fn bump(count: &AtomicU64, n: u64) {
    if n > 0 {
        count.store(count.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }
}

/// Rows that a statement has met, until its session counts them.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCounts {
    /// Rows of tables and entries of indexes that were read.
    pub returned: u64,
    /// Rows fetched for entries.
    pub fetched: u64,
    /// Rows inserted,
    pub inserted: u64,
    /// updated,
    pub updated: u64,
    /// and deleted.
    pub deleted: u64,
}

impl Counts {
    /// Adds what a statement has met.
    pub fn add_rows(&self, rows: RowCounts) {
        bump(&self.returned, rows.returned);
        bump(&self.fetched, rows.fetched);
        bump(&self.inserted, rows.inserted);
        bump(&self.updated, rows.updated);
        bump(&self.deleted, rows.deleted);
    }
}

/// Of a database: what sessions that have ended did, and where counting began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfDatabase {
    pub gone: Totals,
    begin: Totals,
    pub reset_us: Option<i64>,
}

impl OfDatabase {
    /// What was counted before the start.
    pub fn of_before(gone: Totals, reset_us: Option<i64>) -> OfDatabase {
        OfDatabase { gone, begin: Totals::default(), reset_us }
    }

    /// What counts, of all that was ever counted.
    pub fn since_reset(&self, all: &Totals) -> Totals {
        all.less(&self.begin)
    }

    /// Counts from here on.
    pub fn reset(&mut self, all: Totals, now_us: i64) {
        (self.begin, self.reset_us) = (all, Some(now_us));
    }
}

/// By the OIDs of databases.
pub(crate) type Databases = BTreeMap<u32, OfDatabase>;
