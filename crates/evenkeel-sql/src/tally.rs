//! How many statements and transactions there were, by kind, and how long statements took: for whoever watches the server as a whole.
//!
//! Invariants:
//! 1. A statement costs three relaxed additions on lines of memory that no other thread has just written, unless there are more threads than parts.
//! 2. Adding never waits and never loses a count; a sum taken meanwhile may lack the latest ones.
//! 3. Buckets are a quarter of a power of two wide: what is read off them is at most a quarter too large.
//!
//! Must not know: sessions, how it is shown.

use evenkeel_types::error::SqlState;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum StatementKind {
    Select,
    Insert,
    Update,
    Delete,
    Merge,
    Copy,
    /// BEGIN, COMMIT and their like.
    Transaction,
    /// What changes definitions.
    Definition,
    Other,
}

impl StatementKind {
    /// All of them, in their order.
    pub const ALL: [StatementKind; 9] = [
        StatementKind::Select,
        StatementKind::Insert,
        StatementKind::Update,
        StatementKind::Delete,
        StatementKind::Merge,
        StatementKind::Copy,
        StatementKind::Transaction,
        StatementKind::Definition,
        StatementKind::Other,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            StatementKind::Select => "select",
            StatementKind::Insert => "insert",
            StatementKind::Update => "update",
            StatementKind::Delete => "delete",
            StatementKind::Merge => "merge",
            StatementKind::Copy => "copy",
            StatementKind::Transaction => "transaction",
            StatementKind::Definition => "definition",
            StatementKind::Other => "other",
        }
    }
}

/// How transactions end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransactionEnd {
    /// Committed, and changed something.
    Written,
    /// Committed, and changed nothing.
    Read,
    /// Rolled back.
    RolledBack,
}

impl TransactionEnd {
    /// All of them, in their order.
    pub const ALL: [TransactionEnd; 3] =
        [TransactionEnd::Written, TransactionEnd::Read, TransactionEnd::RolledBack];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TransactionEnd::Written => "written",
            TransactionEnd::Read => "read",
            TransactionEnd::RolledBack => "rolled_back",
        }
    }
}

/// Classes of errors that are counted apart, with PostgreSQL's names of them: the first two characters of the code, or all of it. What is none of these is the last.
pub const ERROR_CLASSES: [(&str, &str); 13] = [
    ("40001", "serialization_failure"),
    ("40P01", "deadlock_detected"),
    ("57014", "query_canceled"),
    ("08", "connection_exception"),
    ("0A", "feature_not_supported"),
    ("22", "data_exception"),
    ("23", "integrity_constraint_violation"),
    ("25", "invalid_transaction_state"),
    ("28", "invalid_authorization_specification"),
    ("42", "syntax_error_or_access_rule_violation"),
    ("53", "insufficient_resources"),
    ("XX", "internal_error"),
    ("", "other"),
];

/// Buckets of a [`Latency`]: the last begins at some eighteen minutes.
pub const BUCKETS: usize = 120;
const KINDS: usize = StatementKind::ALL.len();
/// Lines that threads are spread over.
pub(crate) const PARTS: usize = 8;

/// Times of statements of one kind, by buckets.
#[derive(Clone, Copy, Debug)]
pub struct Latency {
    /// How many took what a bucket stands for ([`bucket_start_us`]).
    pub buckets: [u64; BUCKETS],
    /// All together, microseconds.
    pub sum_us: u64,
    /// Rows that they gave or changed.
    pub rows: u64,
}

impl Latency {
    const NONE: Latency = Latency { buckets: [0; BUCKETS], sum_us: 0, rows: 0 };

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

/// All that was counted, at one moment.
#[derive(Clone, Debug)]
pub struct Tallied {
    /// By kinds, as [`StatementKind::ALL`] has them.
    pub statements: [Latency; KINDS],
    /// By ends, as [`TransactionEnd::ALL`] has them.
    pub transactions: [u64; 3],
    /// As [`ERROR_CLASSES`] has them.
    pub errors: [u64; ERROR_CLASSES.len()],
    /// How long replies that tell of commits waited for the log and for standbys; those that need not are not among them.
    pub commit_waits: Latency,
}

/// The bucket of a time. (3)
fn bucket_of(us: u64) -> usize {
    if us < 4 {
        return us as usize;
    }
    let exponent = 63 - us.leading_zeros() as usize;
    let quarter = (us >> (exponent - 2)) as usize & 3;
    ((exponent - 1) * 4 + quarter).min(BUCKETS - 1)
}

/// The shortest time of a bucket, microseconds; the bucket ends where the next begins.
pub fn bucket_start_us(bucket: usize) -> u64 {
    match bucket {
        0..4 => bucket as u64,
        n => (4 + n as u64 % 4) << (n / 4 - 1),
    }
}

#[repr(align(128))]
struct Part {
    buckets: [[AtomicU64; BUCKETS]; KINDS],
    sums_us: [AtomicU64; KINDS],
    rows: [AtomicU64; KINDS],
    transactions: [AtomicU64; 3],
    commit_waits: [AtomicU64; BUCKETS],
    commit_waits_us: AtomicU64,
}

/// See above.
pub(crate) struct Tally {
    parts: Box<[Part]>,
    errors: [AtomicU64; ERROR_CLASSES.len()],
}

static THREADS: AtomicUsize = AtomicUsize::new(0);
std::thread_local! {
    static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
}

/// The calling thread's.
pub(crate) fn part_of_thread() -> usize {
    PART.with(|p| *p)
}

impl Tally {
    pub fn new() -> Tally {
        let part = || Part {
            buckets: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            sums_us: std::array::from_fn(|_| AtomicU64::new(0)),
            rows: std::array::from_fn(|_| AtomicU64::new(0)),
            transactions: std::array::from_fn(|_| AtomicU64::new(0)),
            commit_waits: std::array::from_fn(|_| AtomicU64::new(0)),
            commit_waits_us: AtomicU64::new(0),
        };
        Tally {
            parts: (0..PARTS).map(|_| part()).collect(),
            errors: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    fn part(&self) -> &Part {
        &self.parts[part_of_thread()]
    }

    /// A statement is done. (1)
    pub fn statement(&self, kind: StatementKind, time: Duration, rows: u64) {
        let (part, us) = (self.part(), time.as_micros() as u64);
        part.buckets[kind as usize][bucket_of(us)].fetch_add(1, Ordering::Relaxed);
        part.sums_us[kind as usize].fetch_add(us, Ordering::Relaxed);
        if rows > 0 {
            part.rows[kind as usize].fetch_add(rows, Ordering::Relaxed);
        }
    }

    /// The reply to a commit has waited so long.
    pub fn commit_wait(&self, time: Duration) {
        let (part, us) = (self.part(), time.as_micros() as u64);
        part.commit_waits[bucket_of(us)].fetch_add(1, Ordering::Relaxed);
        part.commit_waits_us.fetch_add(us, Ordering::Relaxed);
    }

    /// A transaction has ended.
    pub fn transaction(&self, end: TransactionEnd) {
        self.part().transactions[end as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// A client was told of an error.
    pub fn error(&self, code: &SqlState) {
        let code = code.as_str();
        let is = |(class, _): &(&str, &str)| code.starts_with(class);
        let class = ERROR_CLASSES.iter().position(is).unwrap_or(ERROR_CLASSES.len() - 1);
        self.errors[class].fetch_add(1, Ordering::Relaxed);
    }

    /// All of it, together.
    pub fn sum(&self) -> Tallied {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let mut all = Tallied {
            statements: [Latency::NONE; KINDS],
            transactions: [0; 3],
            errors: std::array::from_fn(|i| n(&self.errors[i])),
            commit_waits: Latency::NONE,
        };
        for part in &self.parts {
            for (kind, sum) in all.statements.iter_mut().enumerate() {
                sum.buckets.iter_mut().zip(&part.buckets[kind]).for_each(|(s, p)| *s += n(p));
                sum.sum_us += n(&part.sums_us[kind]);
                sum.rows += n(&part.rows[kind]);
            }
            all.commit_waits.buckets.iter_mut().zip(&part.commit_waits).for_each(|(s, p)| *s += n(p));
            all.commit_waits.sum_us += n(&part.commit_waits_us);
            all.transactions.iter_mut().zip(&part.transactions).for_each(|(s, p)| *s += n(p));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_lies_in_its_bucket() {
        for us in (0..5000).chain([1 << 20, (1 << 20) + 1, (1 << 30) - 1]) {
            let bucket = bucket_of(us);
            assert!(bucket_start_us(bucket) <= us && us < bucket_start_us(bucket + 1), "{us}: {bucket}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        for bucket in 4..BUCKETS {
            let (from, to) = (bucket_start_us(bucket), bucket_start_us(bucket + 1));
            assert!(from < to && (to - from) * 4 <= from, "{bucket}");
        }
    }

    #[test]
    fn what_threads_add_is_summed() {
        let tally = Tally::new();
        std::thread::scope(|s| {
            for _ in 0..20 {
                s.spawn(|| {
                    tally.statement(StatementKind::Insert, Duration::from_micros(100), 3);
                    tally.transaction(TransactionEnd::Written);
                    tally.error(&SqlState::QUERY_CANCELED);
                });
            }
        });
        let sum = tally.sum();
        let inserts = &sum.statements[StatementKind::Insert as usize];
        assert_eq!((inserts.count(), inserts.sum_us, inserts.rows), (20, 2000, 60));
        assert_eq!((sum.transactions, sum.errors[2], sum.errors.iter().sum::<u64>()), ([20, 0, 0], 20, 20));
        assert!(StatementKind::ALL.iter().enumerate().all(|(n, kind)| *kind as usize == n));
        assert!(TransactionEnd::ALL.iter().enumerate().all(|(n, end)| *end as usize == n));
    }
}
