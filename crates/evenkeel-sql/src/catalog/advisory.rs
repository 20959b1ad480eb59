//! Advisory locks: table locks on numbers. A session holds them as often as it asked, a transaction until it ends.
//!
//! Invariants:
//! 1. The lock table grants an owner what its session and its transaction hold together; it is told of less only when neither holds a mode any longer.
//! 2. The map holds a lock as long as somebody holds it or waits for it: references are counted under the map's mutex, and come from there only.
//!
//! Must not know: statements.

use super::locks::{LockManager, ObjectLock, OwnerId, TableLockMode, Wait};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{AdvisoryKey, AdvisoryMode};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Keys that are locked at the same time, by all sessions together: some tens of megabytes.
const KEYS_MAX: usize = 1 << 18;

/// All keys that are locked or waited for.
#[derive(Default)]
pub(crate) struct AdvisoryTable(Mutex<HashMap<AdvisoryKey, Arc<ObjectLock>>>);

impl AdvisoryTable {
    fn lock(&self, key: AdvisoryKey) -> Result<Arc<ObjectLock>, SqlError> {
        let mut all = self.0.lock();
        if all.len() >= KEYS_MAX && !all.contains_key(&key) {
            // A deadlock search may have held the last reference for a moment.
            all.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        if all.len() >= KEYS_MAX && !all.contains_key(&key) {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of shared memory")
                .with_detail(format!("{KEYS_MAX} advisory locks are held.")));
        }
        Ok(all.entry(key).or_default().clone())
    }

    /// Gives a reference back.
    fn put_back(&self, key: AdvisoryKey, lock: Arc<ObjectLock>) {
        let mut all = self.0.lock();
        drop(lock);
        if all.get(&key).is_some_and(|l| Arc::strong_count(l) == 1) {
            all.remove(&key); // invariant 2
        }
    }

    /// Who holds what, for `pg_locks`: modes as bits.
    pub fn holders(&self) -> Vec<(AdvisoryKey, OwnerId, u8)> {
        let all = self.0.lock();
        let holders = |(k, l): (&AdvisoryKey, &Arc<ObjectLock>)| {
            let key = *k;
            l.holders().into_iter().map(move |(owner, mask)| (key, owner, mask))
        };
        all.iter().flat_map(holders).collect()
    }
}

/// `ShareLock` or `ExclusiveLock`.
pub(crate) fn mode_of(shared: bool) -> TableLockMode {
    if shared { TableLockMode::Share } else { TableLockMode::Exclusive }
}

struct Held {
    lock: Arc<ObjectLock>,
    /// How often the session holds it: exclusively, shared.
    session: [u64; 2],
    /// Whether its transaction does.
    txn: [bool; 2],
}

impl Held {
    fn mask(&self) -> u8 {
        let holds = |n: usize| self.session[n] > 0 || self.txn[n];
        [false, true].into_iter().filter(|s| holds(usize::from(*s))).fold(0, |m, s| m | mode_of(s).bit())
    }
}

/// What one session holds. Given up when dropped.
pub(crate) struct AdvisoryLocks {
    owner: OwnerId,
    manager: Arc<LockManager>,
    held: HashMap<AdvisoryKey, Held>,
    /// What the transaction took, in this order.
    of_txn: Vec<(AdvisoryKey, bool)>,
}

impl AdvisoryLocks {
    pub fn new(owner: OwnerId, manager: Arc<LockManager>) -> AdvisoryLocks {
        AdvisoryLocks { owner, manager, held: HashMap::new(), of_txn: Vec::new() }
    }

    /// Takes a lock, once more if it is held already; false: it is another's and is not waited for. Blocks if there is a way to wait.
    pub fn take(
        &mut self,
        key: AdvisoryKey,
        mode: AdvisoryMode,
        wait: Option<&Wait<'_>>,
    ) -> Result<bool, SqlError> {
        let n = usize::from(mode.shared);
        if self.held.get(&key).is_none_or(|h| h.mask() & mode_of(mode.shared).bit() == 0) {
            let lock = self.manager.advisory.lock(key)?;
            let taken = match wait {
                Some(wait) => {
                    self.manager.acquire(&lock, self.owner, mode_of(mode.shared), wait).map(|()| true)
                }
                None => Ok(lock.try_take(self.owner, mode_of(mode.shared))),
            };
            if !matches!(taken, Ok(true)) || self.held.contains_key(&key) {
                self.manager.advisory.put_back(key, lock);
                if !matches!(taken, Ok(true)) {
                    return taken;
                }
            } else {
                self.held.insert(key, Held { lock, session: [0; 2], txn: [false; 2] });
            }
        }
        if let Some(held) = self.held.get_mut(&key) {
            if !mode.of_transaction {
                held.session[n] += 1;
            } else if !held.txn[n] {
                held.txn[n] = true;
                self.of_txn.push((key, mode.shared));
            }
        }
        Ok(true)
    }

    /// Tells the lock table what is left of a key.
    fn settle(&mut self, key: AdvisoryKey) {
        let Some(held) = self.held.get(&key) else { return };
        let mask = held.mask();
        held.lock.reduce(self.owner, mask); // invariant 1
        if mask == 0
            && let Some(held) = self.held.remove(&key)
        {
            self.manager.advisory.put_back(key, held.lock);
        }
    }

    /// Gives up what the session took once; false: it has none.
    pub fn give_up(&mut self, key: AdvisoryKey, shared: bool) -> bool {
        let Some(count) = self.held.get_mut(&key).map(|h| &mut h.session[usize::from(shared)]) else {
            return false;
        };
        if *count == 0 {
            return false;
        }
        *count -= 1;
        if *count == 0 {
            self.settle(key);
        }
        true
    }

    /// Gives up all that the session took.
    pub fn give_up_session(&mut self) {
        let keys: Vec<AdvisoryKey> =
            self.held.iter().filter(|(_, h)| h.session != [0; 2]).map(|(k, _)| *k).collect();
        for key in keys {
            if let Some(held) = self.held.get_mut(&key) {
                held.session = [0; 2];
            }
            self.settle(key);
        }
    }

    /// How much the transaction has taken: a place to go back to.
    pub fn mark(&self) -> usize {
        self.of_txn.len()
    }

    /// Gives up what the transaction took since then.
    pub fn release_since(&mut self, mark: usize) {
        while self.of_txn.len() > mark {
            let Some((key, shared)) = self.of_txn.pop() else { return };
            if let Some(held) = self.held.get_mut(&key) {
                held.txn[usize::from(shared)] = false;
            }
            self.settle(key);
        }
    }
}

impl Drop for AdvisoryLocks {
    fn drop(&mut self) {
        self.release_since(0);
        self.give_up_session();
    }
}
