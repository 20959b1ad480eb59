//! What statements have taken, by their normal text: `pg_stat_statements`.
//!
//! A session keeps the entry of a statement beside its plan, so that counting an execution is one lock that nobody else wants at the time, and a few additions.
//!
//! Invariants:
//! 1. Entries are bounded by `pg_stat_statements.max`: beyond it the least used twentieth goes, as in PostgreSQL, and `dealloc` counts how often.
//! 2. What has gone counts no more: who still has the entry is told, and looks it up anew.
//!
//! Must not know: sessions, how texts become normal.

use evenkeel::Usage;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

/// `pg_stat_statements.max`
pub const MAX_DEFAULT: usize = 5000;
/// What an entry's use is multiplied by when others go.
const USAGE_DECREASE: f64 = 0.99;
/// So many percent of the entries go at a time, and ten at least.
const FREED_PERCENT: usize = 5;
const FREED_MIN: usize = 10;

/// What is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Who ran it, by its OID.
    pub role: u32,
    /// Where, by its OID.
    pub database: u32,
    /// The statement's number.
    pub statement: i64,
}

/// Times, in milliseconds, as PostgreSQL sums them up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// How many.
    pub count: i64,
    /// Their sum.
    pub total_ms: f64,
    /// The shortest since it was reset,
    pub min_ms: f64,
    /// and the longest.
    pub max_ms: f64,
    /// The mean of all.
    pub mean_ms: f64,
    /// The sum of the squares of the differences from it.
    pub squares: f64,
    /// Extremes are to begin anew.
    is_reset: bool,
}

impl Times {
    fn add(&mut self, ms: f64) {
        self.count += 1;
        self.total_ms += ms;
        if self.count == 1 || self.is_reset {
            (self.min_ms, self.max_ms, self.is_reset) = (ms, ms, false);
        } else {
            (self.min_ms, self.max_ms) = (self.min_ms.min(ms), self.max_ms.max(ms));
        }
        // Welford's.
        let before = self.mean_ms;
        self.mean_ms += (ms - before) / self.count as f64;
        self.squares += (ms - before) * (ms - self.mean_ms);
    }

    fn reset_extremes(&mut self) {
        (self.min_ms, self.max_ms, self.is_reset) = (0.0, 0.0, true);
    }

    /// The standard deviation.
    pub fn deviation_ms(&self) -> f64 {
        if self.count > 1 { (self.squares / self.count as f64).sqrt() } else { 0.0 }
    }
}

/// What an execution took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Its time.
    pub ms: f64,
    /// Rows given or changed.
    pub rows: u64,
    /// Pages and log.
    pub engine: Usage,
    /// Read from temporary files.
    pub temp_read_bytes: u64,
    /// Written to them.
    pub temp_written_bytes: u64,
}

/// What a statement's executions took together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Planning, if that is counted.
    pub plans: Times,
    /// Execution.
    pub calls: Times,
    /// Rows given or changed.
    pub rows: u64,
    /// Pages and log.
    pub engine: Usage,
    /// Read from temporary files.
    pub temp_read_bytes: u64,
    /// Written to them.
    pub temp_written_bytes: u64,
    /// Since when it is counted, microseconds since 2000-01-01 UTC.
    pub since_us: i64,
    /// Since when the shortest and longest times are.
    pub extremes_since_us: i64,
    /// How much it is used: the more, the longer it stays.
    usage: f64,
    has_gone: bool,
}

/// A statement's counts.
#[derive(Debug)]
pub struct Entry {
    /// What it is of.
    pub key: Key,
    /// The normal text.
    pub text: Arc<str>,
    counts: Mutex<Counts>,
}

impl Entry {
    /// Counts an execution; false: the entry has gone. (2)
    pub fn add(&self, taken: &Taken) -> bool {
        let mut c = self.counts.lock();
        if c.has_gone {
            return false;
        }
        c.calls.add(taken.ms);
        c.rows += taken.rows;
        c.engine += taken.engine;
        c.temp_read_bytes += taken.temp_read_bytes;
        c.temp_written_bytes += taken.temp_written_bytes;
        c.usage += 1.0;
        true
    }

    /// Counts the making of a plan; false: the entry has gone.
    pub fn add_plan(&self, ms: f64) -> bool {
        let mut c = self.counts.lock();
        if !c.has_gone {
            c.plans.add(ms);
        }
        !c.has_gone
    }

    /// The counts as they are now.
    pub fn counts(&self) -> Counts {
        *self.counts.lock()
    }
}

/// What is reset: 0 stands for all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Which {
    /// A role's.
    pub role: u32,
    /// A database's.
    pub database: u32,
    /// A statement's.
    pub statement: i64,
}

impl Which {
    fn has(&self, key: &Key) -> bool {
        (self.role == 0 || self.role == key.role)
            && (self.database == 0 || self.database == key.database)
            && (self.statement == 0 || self.statement == key.statement)
    }

    fn is_all(&self) -> bool {
        self.role == 0 && self.database == 0 && self.statement == 0
    }
}

/// The counts of all statements.
pub struct StatementCounts {
    entries: Mutex<HashMap<Key, Arc<Entry>>>,
    max: AtomicUsize,
    dealloc: AtomicU64,
    reset_us: AtomicI64,
}

impl StatementCounts {
    /// None yet.
    pub fn new(now_us: i64) -> StatementCounts {
        StatementCounts {
            entries: Mutex::default(),
            max: MAX_DEFAULT.into(),
            dealloc: AtomicU64::new(0),
            reset_us: now_us.into(),
        }
    }

    /// Changes how many there may be.
    pub fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
        self.make_room(&mut self.entries.lock(), 0);
    }

    /// The entry of a statement, made if there is none.
    pub fn entry(&self, key: Key, now_us: i64, text: impl FnOnce() -> String) -> Arc<Entry> {
        let mut entries = self.entries.lock();
        if let Some(entry) = entries.get(&key) {
            return entry.clone();
        }
        self.make_room(&mut entries, 1);
        let counts = Counts { since_us: now_us, extremes_since_us: now_us, usage: 1.0, ..Counts::default() };
        let entry = Arc::new(Entry { key, text: text().into(), counts: Mutex::new(counts) });
        entries.insert(key, entry.clone());
        entry
    }

    fn make_room(&self, entries: &mut HashMap<Key, Arc<Entry>>, more: usize) {
        while entries.len() + more > self.max.load(Ordering::Relaxed).max(1) {
            let mut by_use = Vec::with_capacity(entries.len());
            for (key, entry) in entries.iter() {
                let mut c = entry.counts.lock();
                c.usage *= USAGE_DECREASE;
                by_use.push((c.usage, *key));
            }
            by_use.sort_by(|a, b| a.0.total_cmp(&b.0));
            let freed = (by_use.len() * FREED_PERCENT / 100).max(FREED_MIN);
            for (_, key) in by_use.into_iter().take(freed) {
                remove(entries, &key);
            }
            self.dealloc.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Forgets counts, or with `extremes_only` the shortest and longest times.
    pub fn reset(&self, which: Which, extremes_only: bool, now_us: i64) {
        let mut entries = self.entries.lock();
        let keys: Vec<Key> = entries.keys().filter(|k| which.has(k)).copied().collect();
        for key in &keys {
            match entries.get(key) {
                Some(entry) if extremes_only => {
                    let mut c = entry.counts.lock();
                    c.plans.reset_extremes();
                    c.calls.reset_extremes();
                    c.extremes_since_us = now_us;
                }
                _ => remove(&mut entries, key),
            }
        }
        if which.is_all() && !extremes_only {
            self.reset_us.store(now_us, Ordering::Relaxed);
            self.dealloc.store(0, Ordering::Relaxed);
        }
    }

    /// All entries.
    pub fn all(&self) -> Vec<Arc<Entry>> {
        self.entries.lock().values().cloned().collect()
    }

    /// How often entries had to go, and when all were reset.
    pub fn info(&self) -> (u64, i64) {
        (self.dealloc.load(Ordering::Relaxed), self.reset_us.load(Ordering::Relaxed))
    }

    /// All of it, for the next start.
    pub fn save(&self) -> Value {
        let of = |e: Arc<Entry>| {
            let c = e.counts();
            let times = |t: &Times| json!([t.count, t.total_ms, t.min_ms, t.max_ms, t.mean_ms, t.squares]);
            let u = c.engine;
            let used = [u.hits, u.reads, u.dirtied, u.written, u.records, u.images, u.log_bytes];
            json!({
                "key": [i64::from(e.key.role), i64::from(e.key.database), e.key.statement],
                "text": &*e.text, "plans": times(&c.plans), "calls": times(&c.calls), "rows": c.rows, "used": used,
                "temp": [c.temp_read_bytes, c.temp_written_bytes], "since": [c.since_us, c.extremes_since_us],
                "usage": c.usage,
            })
        };
        let (dealloc, reset_us) = self.info();
        let entries: Vec<Value> = self.all().into_iter().map(of).collect();
        json!({ "dealloc": dealloc, "reset_us": reset_us, "entries": entries })
    }

    /// Takes up what was saved; false: it cannot be read, and nothing was taken.
    pub fn load(&self, saved: &Value) -> bool {
        let Some((info, read)) = loaded(saved) else { return false };
        let mut entries = self.entries.lock();
        for entry in read {
            entries.insert(entry.key, Arc::new(entry));
        }
        self.make_room(&mut entries, 0);
        self.dealloc.store(info.0, Ordering::Relaxed);
        self.reset_us.store(info.1, Ordering::Relaxed);
        true
    }
}

fn remove(entries: &mut HashMap<Key, Arc<Entry>>, key: &Key) {
    if let Some(entry) = entries.remove(key) {
        entry.counts.lock().has_gone = true;
    }
}

fn loaded(v: &Value) -> Option<((u64, i64), Vec<Entry>)> {
    let times = |v: &Value| {
        let f = |n: usize| v.get(n)?.as_f64();
        let count = v.get(0)?.as_i64()?;
        Some(Times {
            count,
            total_ms: f(1)?,
            min_ms: f(2)?,
            max_ms: f(3)?,
            mean_ms: f(4)?,
            squares: f(5)?,
            is_reset: false,
        })
    };
    let entry = |v: &Value| {
        let key = v.get("key")?;
        let key = Key {
            role: u32::try_from(key.get(0)?.as_u64()?).ok()?,
            database: u32::try_from(key.get(1)?.as_u64()?).ok()?,
            statement: key.get(2)?.as_i64()?,
        };
        let used = |n: usize| v.get("used")?.get(n)?.as_u64();
        let engine = Usage {
            hits: used(0)?,
            reads: used(1)?,
            dirtied: used(2)?,
            written: used(3)?,
            records: used(4)?,
            images: used(5)?,
            log_bytes: used(6)?,
        };
        let counts = Counts {
            plans: times(v.get("plans")?)?,
            calls: times(v.get("calls")?)?,
            rows: v.get("rows")?.as_u64()?,
            engine,
            temp_read_bytes: v.get("temp")?.get(0)?.as_u64()?,
            temp_written_bytes: v.get("temp")?.get(1)?.as_u64()?,
            since_us: v.get("since")?.get(0)?.as_i64()?,
            extremes_since_us: v.get("since")?.get(1)?.as_i64()?,
            usage: v.get("usage")?.as_f64()?,
            has_gone: false,
        };
        Some(Entry { key, text: v.get("text")?.as_str()?.into(), counts: Mutex::new(counts) })
    };
    let info = (v.get("dealloc")?.as_u64()?, v.get("reset_us")?.as_i64()?);
    Some((info, v.get("entries")?.as_array()?.iter().map(entry).collect::<Option<Vec<Entry>>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(statement: i64) -> Key {
        Key { role: 10, database: 5, statement }
    }

    fn taken(ms: f64) -> Taken {
        Taken { ms, rows: 2, ..Taken::default() }
    }

    #[test]
    fn times_have_their_mean_and_deviation() {
        let all = StatementCounts::new(0);
        let e = all.entry(key(1), 7, || "x".into());
        for ms in [1.0, 2.0, 3.0, 6.0] {
            assert!(e.add(&taken(ms)));
        }
        let c = e.counts();
        assert_eq!((c.calls.count, c.calls.total_ms, c.calls.min_ms, c.calls.max_ms), (4, 12.0, 1.0, 6.0));
        assert_eq!((c.calls.mean_ms, c.rows, c.since_us), (3.0, 8, 7));
        assert!((c.calls.deviation_ms() - 3.5f64.sqrt()).abs() < 1e-9, "{}", c.calls.deviation_ms());
        all.reset(Which::default(), true, 9);
        assert!(e.add(&taken(4.0)));
        let c = e.counts();
        assert_eq!((c.calls.min_ms, c.calls.max_ms, c.calls.count, c.extremes_since_us), (4.0, 4.0, 5, 9));
    }

    #[test]
    fn the_least_used_go_first_and_count_no_more() {
        let all = StatementCounts::new(0);
        all.set_max(100);
        let entries: Vec<_> = (1..=100).map(|n| all.entry(key(n), 0, String::new)).collect();
        for e in &entries[10..] {
            assert!(e.add(&taken(1.0)));
        }
        all.entry(key(101), 0, String::new);
        assert_eq!((all.all().len(), all.info().0), (91, 1));
        assert!(entries[..10].iter().all(|e| !e.add(&taken(1.0))), "those that were never run");
        assert!(entries[10..].iter().all(|e| e.add(&taken(1.0))));
    }

    #[test]
    fn what_is_saved_comes_back() {
        let all = StatementCounts::new(3);
        all.entry(key(-5), 1, || "select $1".into()).add(&taken(1.5));
        let saved = all.save();
        let again = StatementCounts::new(8);
        assert!(again.load(&saved));
        let [e] = &again.all()[..] else { panic!("one entry") };
        assert_eq!((e.key, &*e.text, e.counts().rows, again.info()), (key(-5), "select $1", 2, (0, 3)));
        assert_eq!(again.save(), saved);
        for bad in [json!(null), json!({}), json!({ "dealloc": 1, "reset_us": 2, "entries": [5] })] {
            assert!(!again.load(&bad), "{bad}");
        }
        again.reset(Which { role: 11, ..Which::default() }, false, 0);
        assert_eq!(again.all().len(), 1);
        again.reset(Which { statement: -5, ..Which::default() }, false, 0);
        assert!(again.all().is_empty());
    }
}
