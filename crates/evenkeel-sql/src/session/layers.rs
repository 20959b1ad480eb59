//! What the settings of a session are where it has set nothing itself: what the configuration says, and over it what the session's database, role and client have asked for.
//!
//! Invariants:
//! 1. What the configuration says is one for all sessions, and has a number: a session that has seen the number has what was said with it, or later.
//! 2. Values are in their canonical form.
//!
//! Must not know: what settings there are.

use evenkeel::settings::Line;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value that a session begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// In its canonical form.
    pub value: String,
    /// Who gives it: PostgreSQL's words.
    pub source: &'static str,
    /// Where it stands, if that is a file.
    pub line: Option<Line>,
}

impl Given {
    /// One that stands in no file.
    pub fn by(source: &'static str, value: String) -> Given {
        Given { value, source, line: None }
    }
}

type Values = BTreeMap<String, Given>;

/// What the configuration says to all sessions.
#[derive(Debug, Default)]
pub struct Configured {
    number: AtomicU64,
    values: Mutex<Arc<Values>>,
}

impl Configured {
    /// With these values, which a session has found good.
    pub fn new(values: Vec<(String, Given)>) -> Arc<Configured> {
        let configured = Arc::new(Configured::default());
        configured.set(values);
        configured
    }

    /// Has all sessions take over these values, each before its next message.
    pub fn set(&self, values: Vec<(String, Given)>) {
        *self.values.lock() = Arc::new(values.into_iter().collect());
        // After it: who sees the number finds the values. (1)
        self.number.fetch_add(1, Ordering::Release);
    }

    /// The value of one of them.
    pub fn value(&self, name: &str) -> Option<String> {
        self.values.lock().get(name).map(|given| given.value.clone())
    }
}

/// One session's.
pub(super) struct Layers {
    shared: Arc<Configured>,
    /// As of which number `configured` is.
    number: u64,
    configured: Arc<Values>,
    own: Values,
}

impl Layers {
    pub(super) fn over(shared: Arc<Configured>) -> Layers {
        let mut layers = Layers { shared, number: 0, configured: Arc::default(), own: Values::new() };
        layers.take();
        layers
    }

    pub(super) fn get(&self, name: &str) -> Option<&Given> {
        self.own.get(name).or_else(|| self.configured.get(name))
    }

    /// Over what the configuration says.
    pub(super) fn put(&mut self, name: &str, given: Given) {
        self.own.insert(name.to_owned(), given);
    }

    /// Whether the configuration says something else by now.
    pub(super) fn is_stale(&self) -> bool {
        self.shared.number.load(Ordering::Relaxed) != self.number
    }

    /// Takes over what it says.
    pub(super) fn take(&mut self) {
        self.number = self.shared.number.load(Ordering::Acquire);
        self.configured = self.shared.values.lock().clone();
    }

    /// All names that have a value.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.own.keys().chain(self.configured.keys().filter(|name| !self.own.contains_key(*name)))
    }
}
