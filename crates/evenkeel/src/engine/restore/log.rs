//! The archived log as a source for the reader: segments are fetched and unpacked ahead of it, a bounded number at a time.
//!
//! Invariants
//! 1. At most `window` segments ahead of the reader, and [`BEHIND`] behind it, are in memory.
//! 2. Reading forwards ends before a segment that is missing or damaged, and `trouble` says so: what was redone up to there is good. Going back, for undo, such a segment is
//!    an error.
//! 3. A store that fails is an error, never an end.
//! 4. The archive may be written meanwhile: a part of a segment gives way to a longer one, and to the whole. What was fetched of such a segment first stays
//!    what it is for this reader.
//!
//! Must not know: records.

use super::fetch::Fetch;
use crate::archive::{Cut, Located, LogMap};
use crate::base::sync::{self, Condvar, Mutex};
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::Header;
use crate::wal::source::{LogSource, SegmentBytes};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Segments behind the reader that are kept: undo goes back a little.
const BEHIND: u64 = 4;
/// Times that a part of a segment is looked for anew (invariant 4).
const MOVES: u32 = 5;

type Loaded = Result<(SegmentBytes, Header)>;

#[derive(Default)]
struct State {
    /// The reader is here.
    at: Option<u64>,
    ready: BTreeMap<u64, Loaded>,
    busy: BTreeSet<u64>,
    closed: bool,
    workers: usize,
    /// The first segment that could not be read.
    trouble: Option<(u64, Error)>,
    /// Undo reads: see invariant 2.
    backwards: bool,
    /// Segments handed out.
    highest: Option<u64>,
}

/// See the file's head.
pub(in crate::engine) struct ArchivedLog<'a> {
    fetch: &'a Fetch,
    map: &'a LogMap,
    /// The last segment that belongs to the log without a gap.
    last: u64,
    window: u64,
    state: Mutex<State>,
    changed: Condvar,
    /// Segments that were not finished when they were listed (invariant 4): one for each timeline at most.
    parts: Mutex<BTreeMap<u64, Arc<Vec<u8>>>>,
}

impl<'a> ArchivedLog<'a> {
    /// The log up to a segment.
    pub fn new(fetch: &'a Fetch, map: &'a LogMap, last: u64, window: usize) -> ArchivedLog<'a> {
        ArchivedLog {
            fetch,
            map,
            last,
            window: window.max(1) as u64,
            state: Mutex::default(),
            changed: Condvar::new(),
            parts: Mutex::default(),
        }
    }

    /// Runs `body` while `workers` threads fetch ahead; with none of them it fetches for itself.
    pub fn with_workers<R>(&self, workers: usize, body: impl FnOnce(&Self) -> R) -> R {
        /// Ends the workers, also when the body panics.
        struct Close<'l, 'a>(&'l ArchivedLog<'a>);
        impl Drop for Close<'_, '_> {
            fn drop(&mut self) {
                self.0.state.lock().closed = true;
                self.0.changed.notify_all();
            }
        }
        sync::scope(|scope| {
            let _close = Close(self);
            for i in 0..workers {
                let spawned =
                    sync::Builder::new().name(format!("restore-log-{i}")).spawn_scoped(scope, || self.work());
                match spawned {
                    Ok(_) => self.state.lock().workers += 1,
                    Err(e) => tracing::warn!("a thread that fetches log could not be started: {e}"),
                }
            }
            body(self)
        })
    }

    /// The first segment that was damaged, and why.
    pub fn trouble(&self) -> Option<(u64, Error)> {
        self.state.lock().trouble.clone()
    }

    /// From here on segments are asked for by undo.
    pub fn go_back(&self) {
        self.state.lock().backwards = true;
    }

    /// The last segment that can be read.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Segments handed out so far: how many there are up to the furthest.
    pub fn handed_out(&self, from: u64) -> u64 {
        self.state.lock().highest.map_or(0, |h| (h + 1).saturating_sub(from))
    }

    /// A whole segment, fetched now.
    pub fn cut(&self, segment: u64) -> Result<Cut> {
        let name = self.map.name_of(segment);
        let missing = || Error::corrupt(format!("\"{name}\" is missing"));
        if !self.map.get(segment).is_some_and(Located::is_part) {
            let bytes = self.fetch.get(&name)?.ok_or_else(missing)?;
            return self.map.decode(segment, &bytes);
        }
        let mut parts = self.parts.lock();
        if let Some(bytes) = parts.get(&segment) {
            return self.map.decode(segment, bytes);
        }
        let bytes = match self.fetch.get(&name)? {
            Some(bytes) => bytes,
            None => self.what_came_of(segment)?.ok_or_else(missing)?,
        };
        let cut = self.map.decode(segment, &bytes)?;
        parts.insert(segment, Arc::new(bytes));
        Ok(cut)
    }

    /// The newest form of a segment of which a part was listed that is no longer there.
    fn what_came_of(&self, segment: u64) -> Result<Option<Vec<u8>>> {
        for _ in 0..MOVES {
            for name in self.fetch.again(|s| self.map.forms(s, segment))? {
                if let Some(bytes) = self.fetch.get(&name)? {
                    return Ok(Some(bytes));
                }
            }
        }
        Ok(None)
    }

    fn load(&self, segment: u64) -> Loaded {
        let cut = self.cut(segment)?;
        let mut bytes = Vec::with_capacity(cut.stream.len() + crate::wal::segment::LOG_BLOCK as usize);
        bytes.extend_from_slice(&cut.header.encode());
        bytes.extend_from_slice(&cut.stream);
        Ok((SegmentBytes::Memory(Arc::from(bytes)), cut.header))
    }

    fn work(&self) {
        let mut state = self.state.lock();
        while !state.closed {
            let Some(n) = self.next_wanted(&state) else {
                self.changed.wait(&mut state);
                continue;
            };
            state.busy.insert(n);
            drop(state);
            // The reader waits for this segment: it must hear of it whatever happens.
            let loaded = catch_unwind(AssertUnwindSafe(|| self.load(n))).unwrap_or_else(|_| {
                Err(Error::corrupt(format!("\"{}\": reading it failed badly", self.map.name_of(n))))
            });
            state = self.state.lock();
            state.busy.remove(&n);
            state.ready.insert(n, loaded);
            self.changed.notify_all();
        }
    }

    fn next_wanted(&self, state: &State) -> Option<u64> {
        let at = state.at.filter(|_| !state.backwards)?;
        let to = at.saturating_add(self.window - 1).min(self.last);
        let mut wanted = self.map.range(at, to).map(|(n, _)| n).take_while(|n| *n <= to);
        wanted.find(|n| !state.ready.contains_key(n) && !state.busy.contains(n))
    }

    /// Waits for a segment that somebody fetches, or fetches it.
    fn obtain(&self, segment: u64) -> Loaded {
        let mut state = self.state.lock();
        if state.at != Some(segment) {
            state.at = Some(segment);
            let keep = segment.saturating_sub(BEHIND)..segment.saturating_add(self.window); // invariant 1
            state.ready.retain(|n, _| keep.contains(n));
            self.changed.notify_all();
        }
        loop {
            if let Some(loaded) = state.ready.get(&segment) {
                return loaded.clone();
            }
            let comes = state.busy.contains(&segment) || (state.workers > 0 && !state.backwards);
            if !comes {
                state.busy.insert(segment);
                drop(state);
                let loaded = self.load(segment);
                state = self.state.lock();
                state.busy.remove(&segment);
                state.ready.insert(segment, loaded);
                self.changed.notify_all();
                continue;
            }
            self.changed.wait(&mut state);
        }
    }

    /// The position behind the last segment: an upper bound of the log's end.
    pub fn end_bound(&self) -> Lsn {
        self.map.geometry.start_of(self.last + 1)
    }
}

impl LogSource for ArchivedLog<'_> {
    fn open(&self, segment: u64) -> Result<Option<(SegmentBytes, Header)>> {
        if segment > self.last || self.map.get(segment).is_none() {
            return Ok(None);
        }
        match self.obtain(segment) {
            Ok(loaded) => {
                let mut state = self.state.lock();
                state.highest = state.highest.max(Some(segment));
                Ok(Some(loaded))
            }
            Err(e @ Error::Corrupt(_)) => {
                let mut state = self.state.lock();
                if state.backwards {
                    return Err(e);
                }
                state.trouble.get_or_insert((segment, e));
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }
}
