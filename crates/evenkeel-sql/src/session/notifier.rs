//! LISTEN and NOTIFY between sessions: who listens, and what waits for them.
//!
//! Invariants:
//! 1. Notifications come in the order of their commits: whoever commits some holds [`Notifier::begin`]'s guard from before its commit until they are delivered.
//! 2. What waits for listeners is bounded; past it commits that notify fail, as PostgreSQL's do.
//! 3. A notification says what its commit rests on: nothing of it is told before that is durable.
//!
//! Must not know: statements, the wire protocol.

use evenkeel::{Basis, Interrupt};
use evenkeel_types::error::{SqlError, SqlState};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// What may wait for all listeners together, in bytes.
const QUEUE_BYTES: usize = 64 << 20;
/// Counted for each notification and listener beside the text.
const ENTRY_BYTES: usize = 96;

/// A channel, and what it is told.
pub(crate) type Note = (Arc<str>, Arc<str>);

/// What a listener is told.
#[derive(Clone, Debug)]
pub struct Notification {
    /// The number of the session that sent it.
    pub pid: i32,
    /// Its channel.
    pub channel: Arc<str>,
    /// What it says.
    pub payload: Arc<str>,
    /// What it rests on.
    pub(crate) basis: Basis,
}

impl Notification {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.channel.len() + self.payload.len()
    }
}

/// What a transaction does when it commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListenAction {
    Listen(String),
    Unlisten(String),
    UnlistenAll,
}

struct Listener {
    /// Only what is sent within it is heard.
    database: u32,
    interrupt: Arc<Interrupt>,
    channels: BTreeSet<String>,
    queue: VecDeque<Notification>,
}

#[derive(Default)]
struct State {
    listeners: HashMap<u64, Listener>,
    bytes: usize,
}

impl State {
    fn forget(&mut self, owner: u64) {
        if let Some(gone) = self.listeners.remove(&owner) {
            self.bytes -= gone.queue.iter().map(Notification::bytes).sum::<usize>();
        }
    }

    /// What it would take to tell its listeners.
    fn wanted_bytes(&self, database: u32, channel: &str, payload: &str) -> usize {
        let hears = |l: &&Listener| l.database == database && l.channels.contains(channel);
        let listeners = self.listeners.values().filter(hears).count();
        listeners * (ENTRY_BYTES + channel.len() + payload.len())
    }
}

/// All of an instance's.
#[derive(Default)]
pub(crate) struct Notifier {
    /// Invariant 1. It is taken before the state.
    order: Mutex<()>,
    state: Mutex<State>,
}

impl Notifier {
    /// Before a commit that notifies.
    pub fn begin(&self, database: u32, notes: &[Note]) -> Result<MutexGuard<'_, ()>, SqlError> {
        let guard = self.order.lock();
        let state = self.state.lock();
        let wanted: usize = notes.iter().map(|(c, p)| state.wanted_bytes(database, c, p)).sum();
        if wanted > 0 && state.bytes + wanted > QUEUE_BYTES {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "too many notifications in the NOTIFY queue",
            ));
        }
        Ok(guard)
    }

    /// Carries out LISTEN and UNLISTEN of a session; whether it listens to anything now.
    pub fn apply(
        &self,
        (owner, database): (u64, u32),
        interrupt: &Arc<Interrupt>,
        actions: &[ListenAction],
    ) -> bool {
        let mut state = self.state.lock();
        for action in actions {
            match action {
                ListenAction::Listen(channel) => {
                    let new = || Listener {
                        database,
                        interrupt: interrupt.clone(),
                        channels: BTreeSet::new(),
                        queue: VecDeque::new(),
                    };
                    state.listeners.entry(owner).or_insert_with(new).channels.insert(channel.clone());
                }
                ListenAction::Unlisten(channel) => {
                    let Some(l) = state.listeners.get_mut(&owner) else { continue };
                    l.channels.remove(channel);
                    let mut given_up = 0;
                    l.queue.retain(|n| {
                        let keep = *n.channel != **channel;
                        given_up += if keep { 0 } else { n.bytes() };
                        keep
                    });
                    let is_done = l.channels.is_empty();
                    state.bytes -= given_up;
                    if is_done {
                        state.forget(owner);
                    }
                }
                ListenAction::UnlistenAll => state.forget(owner),
            }
        }
        state.listeners.contains_key(&owner)
    }

    /// Gives what has been committed to its listeners, and wakes them.
    pub fn deliver(&self, database: u32, notes: &[Note], pid: i32, basis: Basis) {
        let mut woken = Vec::new();
        let mut state = self.state.lock();
        let State { listeners, bytes } = &mut *state;
        for l in listeners.values_mut().filter(|l| l.database == database) {
            let before = l.queue.len();
            for (channel, payload) in notes.iter().filter(|(c, _)| l.channels.contains(&**c)) {
                let note = Notification { pid, channel: channel.clone(), payload: payload.clone(), basis };
                *bytes += note.bytes();
                l.queue.push_back(note);
            }
            if before == 0 && !l.queue.is_empty() {
                woken.push(l.interrupt.clone());
            }
        }
        drop(state);
        woken.iter().for_each(|i| i.nudge());
    }

    /// What waits for a session.
    pub fn take(&self, owner: u64) -> Vec<Notification> {
        let mut state = self.state.lock();
        let Some(l) = state.listeners.get_mut(&owner) else { return Vec::new() };
        let taken: Vec<Notification> = std::mem::take(&mut l.queue).into();
        state.bytes -= taken.iter().map(Notification::bytes).sum::<usize>();
        taken
    }

    /// Channels that a session listens to.
    pub fn channels(&self, owner: u64) -> Vec<String> {
        let state = self.state.lock();
        state.listeners.get(&owner).map_or_else(Vec::new, |l| l.channels.iter().cloned().collect())
    }

    /// How full it is, from 0 to 1.
    pub fn usage(&self) -> f64 {
        self.state.lock().bytes as f64 / QUEUE_BYTES as f64
    }

    /// A session has ended.
    pub fn leave(&self, owner: u64) {
        self.state.lock().forget(owner);
    }
}

/// What a transaction is to notify of, and to listen to, once it commits.
#[derive(Default)]
pub(crate) struct PendingNotify {
    notes: Vec<Note>,
    known: HashSet<Note>,
    actions: Vec<ListenAction>,
    bytes: usize,
}

impl PendingNotify {
    /// Adds a notification, unless there is the same already.
    pub fn notify(&mut self, channel: &str, payload: &str, limit_bytes: usize) -> Result<(), SqlError> {
        let bytes = 2 * (ENTRY_BYTES + channel.len() + payload.len());
        if self.bytes + bytes > limit_bytes {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory")
                .with_detail("The transaction's notifications take more than the memory of a statement."));
        }
        let note: Note = (channel.into(), payload.into());
        if self.known.insert(note.clone()) {
            self.notes.push(note);
            self.bytes += bytes;
        }
        Ok(())
    }

    pub fn act(&mut self, action: ListenAction) {
        if self.actions.last() != Some(&action) {
            self.actions.push(action);
        }
    }

    /// A place to go back to.
    pub fn mark(&self) -> (usize, usize) {
        (self.notes.len(), self.actions.len())
    }

    pub fn go_back(&mut self, (notes, actions): (usize, usize)) {
        for note in self.notes.drain(notes.min(self.notes.len())..) {
            self.bytes -= 2 * (ENTRY_BYTES + note.0.len() + note.1.len());
            self.known.remove(&note);
        }
        self.actions.truncate(actions);
    }

    /// Notifications and actions.
    pub fn take(&mut self) -> (Vec<Note>, Vec<ListenAction>) {
        let PendingNotify { notes, actions, .. } = std::mem::take(self);
        (notes, actions)
    }
}
