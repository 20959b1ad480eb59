//! Clients of the cluster that write facts and read them, and note what they were told, by whomever.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::pairs::wire::{Client, Place};

const WRITERS: usize = 4;
const READERS: usize = 2;
/// Whoever does not answer for so long is left.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// When writers were told something, since [`Told::watch`].
struct Writes {
    last: Instant,
    longest: Duration,
    of_new_sessions: u64,
    all: u64,
}

/// What clients were told, by anybody.
pub(super) struct Told {
    facts: Mutex<HashSet<u64>>,
    writes: Mutex<Writes>,
    /// Sessions are numbered; from this one on they are new.
    new_from: AtomicU64,
    sessions: AtomicU64,
    next: AtomicU64,
    stop: AtomicBool,
}

impl Told {
    pub fn new() -> Told {
        let writes = Writes { last: Instant::now(), longest: Duration::ZERO, of_new_sessions: 0, all: 0 };
        Told {
            facts: Mutex::default(),
            writes: Mutex::new(writes),
            new_from: AtomicU64::new(0),
            sessions: AtomicU64::new(0),
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    fn writes(&self) -> MutexGuard<'_, Writes> {
        self.writes.lock().expect("nobody panics")
    }

    /// Something is about to happen: sessions from now on are new ones, and pauses count from here.
    pub fn watch(&self) {
        self.new_from.store(self.sessions.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
        *self.writes() = Writes { last: Instant::now(), longest: Duration::ZERO, of_new_sessions: 0, all: 0 };
    }

    /// How many facts writers were told since then: all of them, and those that new sessions were.
    pub fn counts(&self) -> (u64, u64) {
        let writes = self.writes();
        (writes.all, writes.of_new_sessions)
    }

    /// The longest time since then in which no writer was told anything.
    pub fn pause(&self) -> Duration {
        let writes = self.writes();
        writes.longest.max(writes.last.elapsed())
    }

    pub fn facts(&self) -> Vec<u64> {
        self.facts.lock().expect("nobody panics").iter().copied().collect()
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    fn note(&self, facts: impl Iterator<Item = u64>, session: u64, writes: bool) {
        self.facts.lock().expect("nobody panics").extend(facts);
        if writes {
            let mut writes = self.writes();
            writes.longest = writes.longest.max(writes.last.elapsed());
            writes.last = Instant::now();
            writes.all += 1;
            writes.of_new_sessions += u64::from(session >= self.new_from.load(Ordering::SeqCst));
        }
    }
}

/// Starts them.
pub(super) fn start(places: &[Place; 3], told: &Arc<Told>) -> Vec<JoinHandle<()>> {
    let one = |(n, writes)| {
        let (places, told) = (places.clone(), told.clone());
        std::thread::spawn(move || client(&places, &told, n, writes))
    };
    (0..WRITERS).map(|n| (n, true)).chain((0..READERS).map(|n| (n, false))).map(one).collect()
}

/// A session of this server, if it leads.
pub(super) fn leading(place: &Place) -> Option<Client> {
    let mut c = Client::connect_within(place, PATIENCE).ok()?;
    c.start("SELECT pg_is_in_recovery()").ok()?;
    let answer = c.poll(PATIENCE).ok()??;
    (answer.rows == ["f"]).then_some(c)
}

/// Writes facts, or reads them, wherever it is let, until it is to stop.
fn client(places: &[Place; 3], told: &Told, n: usize, writes: bool) {
    let mut at = n;
    while !told.stop.load(Ordering::SeqCst) {
        at += 1;
        let place = &places[at % places.len()];
        let number = told.sessions.fetch_add(1, Ordering::SeqCst) + 1;
        let session = match writes {
            true => leading(place),
            false => Client::connect_within(place, PATIENCE).ok(),
        };
        let Some(mut c) = session else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        // Readers go around.
        for _ in 0..if writes { usize::MAX } else { 50 } {
            if told.stop.load(Ordering::SeqCst) {
                return;
            }
            let id = told.next.fetch_add(1, Ordering::SeqCst) + 1;
            let sql = match writes {
                true => format!("INSERT INTO f VALUES ({id}, repeat('x', 50)) RETURNING id"),
                false => "SELECT id FROM f ORDER BY id DESC LIMIT 10".into(),
            };
            let answer = c.start(&sql).and_then(|()| c.poll(PATIENCE));
            let Ok(Some(answer)) = answer else { break };
            if answer.error.is_some() {
                break;
            }
            told.note(answer.rows.iter().filter_map(|r| r.parse().ok()), number, writes);
            if !writes {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
