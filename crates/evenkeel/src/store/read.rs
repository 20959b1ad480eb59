//! Reading: visibility, gets, cursors.

use super::handle::{Moment, Txn};
use super::undo_entry::Entry;
use super::undo_space::Near;
use super::{Store, overflow};
use crate::base::{Error, Result, TreeId, TxnId};
use crate::btree::Tree;
use crate::btree::entry::{self, Head, flag};
use crate::mtr::Env;
use crate::page::Page;
use crate::txn::{Snapshot, TxnManager};
use std::ops::Bound;
use std::sync::Arc;

/// A range of keys, compared bytewise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRange {
    /// Lower end.
    pub start: Bound<Vec<u8>>,
    /// Upper end.
    pub end: Bound<Vec<u8>>,
}

impl KeyRange {
    /// Every key.
    pub fn all() -> KeyRange {
        KeyRange { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// Every key that begins with `p`.
    pub fn prefix(p: &[u8]) -> KeyRange {
        let mut end = p.to_vec();
        while let Some(last) = end.pop() {
            if last < 0xFF {
                end.push(last + 1);
                return KeyRange { start: Bound::Included(p.to_vec()), end: Bound::Excluded(end) };
            }
        }
        KeyRange { start: Bound::Included(p.to_vec()), end: Bound::Unbounded }
    }

    /// Every key from `start` on, itself included.
    pub fn starting_at(start: &[u8]) -> KeyRange {
        KeyRange { start: Bound::Included(start.to_vec()), end: Bound::Unbounded }
    }

    /// Keys from `start`, itself included, to before `end`.
    pub fn between(start: &[u8], end: &[u8]) -> KeyRange {
        KeyRange { start: Bound::Included(start.to_vec()), end: Bound::Excluded(end.to_vec()) }
    }

    fn after_start(&self, key: &[u8]) -> bool {
        match &self.start {
            Bound::Included(s) => key >= &s[..],
            Bound::Excluded(s) => key > &s[..],
            Bound::Unbounded => true,
        }
    }

    fn before_end(&self, key: &[u8]) -> bool {
        match &self.end {
            Bound::Included(e) => key <= &e[..],
            Bound::Excluded(e) => key < &e[..],
            Bound::Unbounded => true,
        }
    }
}

/// Which way a cursor goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// What a reader takes: its snapshot and how much of its own transaction it sees.
#[derive(Clone)]
pub(super) struct View {
    snapshot: Arc<Snapshot>,
    own: u64,
    own_seq: u32,
}

impl View {
    /// Fails once the snapshot has expired. Asked after reading (README, invariant 9).
    fn check_age(&self) -> Result<()> {
        if self.snapshot.is_too_old() { Err(Error::SnapshotTooOld) } else { Ok(()) }
    }

    pub(super) fn sees(&self, head: Head) -> bool {
        if head.txn.0 == self.own && self.own != 0 {
            head.seq < self.own_seq
        } else {
            self.snapshot.sees(head.txn)
        }
    }
}

/// A version found: stored value and flags.
struct Version {
    head: Head,
    value: Vec<u8>,
}

enum Found {
    Version(Version),
    Absent,
    /// The row changed while its history was read.
    Again,
}

impl Store {
    pub(super) fn view(&self, t: &mut Txn) -> Result<View> {
        t.check_not_taken()?;
        let snapshot = self.snapshot(t)?;
        Ok(View { snapshot, own: t.id().map_or(0, |i| i.0), own_seq: t.statement_seq })
    }

    /// What undoes a version that somebody's snapshot does not see; `None` if the row has changed meanwhile. May read the scratch file.
    pub(super) fn undo_of(&self, head: Head, near: &mut Near) -> Result<Option<Entry>> {
        let entry = match self.txns.get(head.txn) {
            Some(writer) => Txn::undo_log(&writer).get(head.seq, near)?,
            None if head.txn.0 >= self.txns.next_id() => {
                return Err(Error::corrupt(format!(
                    "a row names transaction {}, which never was",
                    head.txn.0
                )));
            }
            None => self.history.get(head.txn, head.seq, near)?,
        };
        Ok(entry.map(|e| e.entry))
    }

    /// Follows a row's history to the version that the view sees.
    fn resolve(
        &self,
        t: &mut Txn,
        view: &View,
        near: &mut Near,
        mut head: Head,
        mut value: Vec<u8>,
    ) -> Result<Found> {
        loop {
            if view.sees(head) {
                if head.txn.0 == view.own {
                    t.observe_own();
                } else if let Some(writer) = self.txns.get(head.txn) {
                    t.observe(&writer, head);
                }
                return Ok(if head.has(flag::DELETED) {
                    Found::Absent
                } else {
                    Found::Version(Version { head, value })
                });
            }
            if head.has(flag::INSERTED) {
                return Ok(Found::Absent);
            }
            match self.undo_of(head, near)? {
                Some(Entry::Change { head: h, old, .. }) => (head, value) = (h, old.before(&value)?),
                Some(_) => return Ok(Found::Absent),
                None => return Ok(Found::Again),
            }
        }
    }

    /// The value that the current statement sees.
    pub fn get(&self, t: &mut Txn, tree: TreeId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let view = self.view(t)?;
        let value = self.get_at(t, &view, tree, key);
        t.check_not_taken()?; // first: an error may come of the rollback under way
        view.check_age()?;
        value
    }

    /// The transaction that wrote the version which the current statement sees; `is_newest`, and of a row that it does not see: the newest version.
    pub fn writer_of(&self, t: &mut Txn, tree: TreeId, key: &[u8], is_newest: bool) -> Result<Option<TxnId>> {
        let view = self.view(t)?;
        let seen = if is_newest { Ok(None) } else { self.version_at(t, &view, tree, key) };
        t.check_not_taken()?; // as in `get`
        view.check_age()?;
        Ok(match seen? {
            Some(v) => Some(v.head.txn),
            None => self.newest_head(tree, key)?.map(|head| head.txn),
        })
    }

    fn newest_head(&self, tree: TreeId, key: &[u8]) -> Result<Option<Head>> {
        let tree = self.tree(tree)?;
        self.between_waves(|env| {
            let _descent = tree.space.descend()?;
            let leaf = tree.leaf_from(env, key)?;
            let p = Page(&leaf.page);
            if leaf.from >= p.slot_count() {
                return Ok(None);
            }
            let item = entry::parse(p.item(leaf.from))?;
            Ok((item.key == key).then_some(item.head))
        })
    }

    fn get_at(&self, t: &mut Txn, view: &View, tree_id: TreeId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let seen = self.version_at(t, view, tree_id, key)?;
        seen.map(|v| self.whole_value(t, tree_id, v)).transpose()
    }

    fn version_at(&self, t: &mut Txn, view: &View, tree_id: TreeId, key: &[u8]) -> Result<Option<Version>> {
        let tree = self.tree(tree_id)?;
        loop {
            let newest = self.between_waves(|env| {
                let _descent = tree.space.descend()?;
                let leaf = tree.leaf_from(env, key)?;
                let p = Page(&leaf.page);
                if leaf.from >= p.slot_count() {
                    return Ok(None);
                }
                let item = entry::parse(p.item(leaf.from))?;
                Ok((item.key == key).then(|| (item.head, item.value.to_vec())))
            })?;
            let Some((head, value)) = newest else { return Ok(None) };
            match self.resolve(t, view, &mut Near::default(), head, value)? {
                Found::Version(v) => return Ok(Some(v)),
                Found::Absent => return Ok(None),
                Found::Again => {
                    view.check_age()?;
                    t.check_interrupt()?;
                }
            }
        }
    }

    fn whole_value(&self, t: &Txn, tree: TreeId, v: Version) -> Result<Vec<u8>> {
        if !v.head.has(flag::OVERFLOW) {
            return Ok(v.value);
        }
        let tree = self.tree(tree)?;
        let _visit = tree.space.visit()?;
        overflow::read(self, t, tree.tree_id(), &v.value)
    }

    /// The stored value in full, of a version that the transaction's snapshot keeps, if nothing else.
    pub(super) fn value_of(&self, t: &mut Txn, tree: TreeId, head: Head, value: Vec<u8>) -> Result<Vec<u8>> {
        let value = self.whole_value(t, tree, Version { head, value });
        self.check_age(t)?;
        value
    }

    /// Fails once the snapshot has expired: what was not found may have been purged since.
    pub(super) fn check_age(&self, t: &mut Txn) -> Result<()> {
        self.snapshot(t).map(drop)
    }

    /// A cursor over a range, with the current statement's view.
    pub fn cursor(&self, t: &mut Txn, tree: TreeId, range: KeyRange, direction: Direction) -> Result<Cursor> {
        let view = self.view(t)?;
        let there = self.tree(tree);
        view.check_age()?;
        there?;
        Ok(Cursor {
            tree,
            view,
            at: match direction {
                Direction::Forward => range.start.clone(),
                Direction::Backward => range.end.clone(),
            },
            range,
            direction,
            rows: Vec::new(),
            bytes: Vec::new(),
            next: 0,
            batch: 8,
            done: false,
            large: None,
            near: Near::default(),
            ahead: Ahead::default(),
            passed_over: 0,
        })
    }

    /// Keys of rows from `at` to `end` whose newest versions an earlier moment does not see: made, changed or taken away since, or about to be. Some `max` of
    /// them; `at` goes on to where to look next, and is `None` at the end. What the moment needs is kept as long as it is: a row that has gone since is found, too.
    pub fn changed_since(
        &self,
        t: &mut Txn,
        tree: TreeId,
        moment: &Moment,
        (at, end): (&mut Option<Bound<Vec<u8>>>, &[u8]),
        max: usize,
    ) -> Result<Vec<Vec<u8>>> {
        let there = self.tree(tree)?;
        let mut found = Vec::new();
        while found.len() < max
            && let Some(from) = at.take()
        {
            t.check_interrupt()?;
            let (keys, high) = self.between_waves(|env| {
                let _descent = there.space.descend()?;
                let key: &[u8] = match &from {
                    Bound::Included(k) | Bound::Excluded(k) => k,
                    Bound::Unbounded => &[],
                };
                let leaf = there.leaf_from(env, key)?;
                let p = Page(&leaf.page);
                let mut keys = Vec::new();
                for slot in leaf.from..p.slot_count() {
                    let item = entry::parse(p.item(slot))?;
                    if item.key <= end && !moment.sees(item.head.txn) {
                        keys.push(item.key.to_vec());
                    }
                }
                Ok((keys, p.high().filter(|high| *high <= end).map(<[u8]>::to_vec)))
            })?;
            moment.check_age()?; // invariant 9
            found.extend(keys);
            *at = high.map(Bound::Included);
        }
        Ok(found)
    }

    /// The largest key physically present, whatever its state.
    pub fn max_key(&self, tree: TreeId) -> Result<Option<Vec<u8>>> {
        let tree = self.tree(tree)?;
        self.between_waves(|env| {
            let _descent = tree.space.descend()?;
            let mut bound: Option<Vec<u8>> = None;
            loop {
                let leaf = tree.leaf_before(env, bound.as_deref())?;
                if let Some(last) = leaf.to.checked_sub(1) {
                    return Ok(Some(entry::leaf_key(Page(&leaf.page).item(last)).to_vec()));
                }
                if leaf.low.is_empty() {
                    return Ok(None);
                }
                bound = Some(leaf.low);
            }
        })
    }
}

/// Most rows and bytes that a cursor copies at a time.
const BATCH_ROWS: usize = 512;

struct Row {
    head: Head,
    key: (u32, u32),
    value: (u32, u32),
    /// The newest version is the one to show: no history needed.
    newest: bool,
}

/// Leaves that have to follow one another in the file before others are read ahead.
const IN_ORDER: u32 = 2;
/// Blocks between two leaves that still follow one another: pages of other levels, and maps, lie between.
const GAP_BLOCKS: u32 = 8;
/// Pages that are read ahead first, and at most.
const AHEAD_FIRST: u32 = 8;
const AHEAD_MAX: u32 = 64;

/// What a forward scan reads ahead: leaves that were filled in the order of keys lie one after the other.
#[derive(Default)]
struct Ahead {
    block: u32,
    in_order: u32,
    /// The leaf that comes next; 0: unknown.
    next: u32,
    /// Blocks before this one were read.
    to: u32,
    window: u32,
}

impl Ahead {
    /// The scan is at a leaf; `next` follows it.
    fn at(&mut self, block: u32, next: u32) {
        if block != self.block {
            let follows = block > self.block && block - self.block <= GAP_BLOCKS;
            self.in_order = if follows { self.in_order + 1 } else { 0 };
            self.block = block;
        }
        self.next = next;
        if self.in_order == 0 {
            (self.to, self.window) = (0, 0);
        }
    }

    /// Before the scan goes on to the next leaf.
    fn read(&mut self, tree: &Tree, env: &Env) {
        if self.in_order < IN_ORDER || self.next < self.to || self.next == 0 || env.is_between_waves {
            return;
        }
        let most = (env.pool.frame_count() as u32 / 16).min(AHEAD_MAX);
        self.window = (self.window * 2).max(AHEAD_FIRST).min(most);
        self.to = self.next + self.window;
        tree.space.read_ahead(env, self.next..self.to);
    }
}

/// A position in a tree. Holds its statement's snapshot; no latch and no pin between calls.
pub struct Cursor {
    tree: TreeId,
    view: View,
    range: KeyRange,
    direction: Direction,
    /// Where the next batch begins.
    at: Bound<Vec<u8>>,
    rows: Vec<Row>,
    bytes: Vec<u8>,
    next: usize,
    batch: usize,
    done: bool,
    /// The value of the row that it stands on, if that did not come from `bytes`.
    large: Option<Vec<u8>>,
    near: Near,
    ahead: Ahead,
    /// Rows that a test has passed over since that was asked.
    passed_over: u64,
}

/// Whether a stored value may be one that is asked for. It is asked under the latch of a page: it has to be quick, must not fail, wait, or read anything of the engine.
pub type MayPass<'a> = &'a dyn Fn(&[u8]) -> bool;

impl Cursor {
    /// The transaction whose own changes it sees.
    pub fn own(&self) -> Option<TxnId> {
        Some(TxnId(self.view.own)).filter(|own| own.0 > 0)
    }

    /// The next visible row; key and value are valid until the next call. Blocks for the disk only. After an error it is where it was.
    pub fn next(&mut self, store: &Store, t: &mut Txn) -> Result<Option<(&[u8], &[u8])>> {
        Ok(self.advance(store, t, None)?.then(|| self.row()))
    }

    /// How many rows tests have passed over since this was asked last.
    pub fn take_passed_over(&mut self) -> u64 {
        std::mem::take(&mut self.passed_over)
    }

    /// The row that it went to last, if there is one.
    pub fn current(&self) -> Option<(&[u8], &[u8])> {
        (1..=self.rows.len()).contains(&self.next).then(|| self.row())
    }

    /// The row that it went to last.
    pub fn row(&self) -> (&[u8], &[u8]) {
        let row = &self.rows[self.next - 1];
        (self.slice(row.key), self.large.as_deref().unwrap_or_else(|| self.slice(row.value)))
    }

    /// That row is the next one once more.
    pub fn step_back(&mut self) {
        self.next -= 1;
    }

    /// Goes to the next visible row, if there is one.
    pub fn advance(&mut self, store: &Store, t: &mut Txn, test: Option<MayPass<'_>>) -> Result<bool> {
        self.large = None;
        loop {
            if self.next == self.rows.len() {
                if self.done {
                    return Ok(false);
                }
                t.check_interrupt()?;
                self.view.check_age()?;
                let filled = self.fill(store, test);
                t.check_not_taken()?; // first, as in `get`
                self.view.check_age()?;
                filled?;
                continue;
            }
            let i = self.next;
            let (head, newest) = (self.rows[i].head, self.rows[i].newest);
            if newest && !head.has(flag::OVERFLOW) {
                if head.txn.0 == self.view.own {
                    t.observe_own();
                } else if let Some(writer) = store.txns.get(head.txn) {
                    t.observe(&writer, head);
                }
                self.next += 1;
                if head.has(flag::DELETED) {
                    continue;
                }
                return Ok(true);
            }
            let stored = self.slice(self.rows[i].value).to_vec();
            let found = self.value_at(store, t, i, head, stored);
            t.check_not_taken()?;
            self.view.check_age()?;
            self.large = found?;
            self.next += 1;
            if self.large.is_some() {
                return Ok(true);
            }
        }
    }

    /// The value of a row that was copied as `stored`, by its history.
    fn value_at(
        &mut self,
        store: &Store,
        t: &mut Txn,
        i: usize,
        head: Head,
        stored: Vec<u8>,
    ) -> Result<Option<Vec<u8>>> {
        match store.resolve(t, &self.view, &mut self.near, head, stored)? {
            Found::Version(v) => store.whole_value(t, self.tree, v).map(Some),
            Found::Absent => Ok(None),
            Found::Again => store.get_at(t, &self.view, self.tree, self.slice(self.rows[i].key)),
        }
    }

    fn slice(&self, (at, len): (u32, u32)) -> &[u8] {
        &self.bytes[at as usize..(at + len) as usize]
    }

    /// Copies the next items in range from one leaf.
    fn fill(&mut self, store: &Store, test: Option<MayPass<'_>>) -> Result<()> {
        self.rows.clear();
        self.bytes.clear();
        self.next = 0;
        let tree = store.tree(self.tree)?;
        let test = test.map(|test| (&*store.txns, test));
        store.between_waves(|env| self.copy(&tree, env, test))?;
        self.batch = (self.batch * 4).min(BATCH_ROWS);
        Ok(())
    }

    /// See `fill`. Nothing has changed on an error of the way down.
    fn copy(&mut self, tree: &Tree, env: &Env, test: Option<(&TxnManager, MayPass<'_>)>) -> Result<()> {
        let _descent = tree.space.descend()?;
        match self.direction {
            Direction::Forward => {
                let key: &[u8] = match &self.at {
                    Bound::Included(k) | Bound::Excluded(k) => k,
                    Bound::Unbounded => &[],
                };
                self.ahead.read(tree, env);
                let leaf = tree.next_leaf_from(env, key)?;
                let p = Page(&leaf.page);
                let mut last = None;
                for slot in leaf.from..p.slot_count() {
                    let item = entry::parse(p.item(slot))?;
                    if matches!(&self.at, Bound::Excluded(k) if item.key == &k[..]) {
                        continue;
                    }
                    if !self.range.before_end(item.key) {
                        self.done = true;
                        break;
                    }
                    self.take(item, test);
                    if self.rows.len() >= self.batch && slot + 1 < p.slot_count() {
                        last = Some(item.key.to_vec());
                        break;
                    }
                }
                let next = if last.is_none() { p.right() } else { 0 };
                self.ahead.at(leaf.page.id().block.0, next);
                self.at = match (last, p.high()) {
                    (Some(key), _) => Bound::Excluded(key),
                    (None, Some(high)) => {
                        self.done |= !self.range.before_end(high);
                        Bound::Included(high.to_vec())
                    }
                    (None, None) => {
                        self.done = true;
                        Bound::Unbounded
                    }
                };
            }
            Direction::Backward => {
                let bound = match &self.at {
                    Bound::Included(k) => {
                        // Just above `k`: nothing sorts between `k` and `k` with a zero byte.
                        let mut above = k.clone();
                        above.push(0);
                        Some(above)
                    }
                    Bound::Excluded(k) => Some(k.clone()),
                    Bound::Unbounded => None,
                };
                let leaf = tree.leaf_before(env, bound.as_deref())?;
                let p = Page(&leaf.page);
                let mut last = None;
                for slot in (0..leaf.to).rev() {
                    let item = entry::parse(p.item(slot))?;
                    if !self.range.after_start(item.key) {
                        self.done = true;
                        break;
                    }
                    self.take(item, test);
                    if self.rows.len() >= self.batch && slot > 0 {
                        last = Some(item.key.to_vec());
                        break;
                    }
                }
                self.at = match last {
                    Some(key) => Bound::Excluded(key),
                    None => {
                        self.done |= leaf.low.is_empty();
                        Bound::Excluded(leaf.low)
                    }
                };
            }
        }
        Ok(())
    }

    fn take(&mut self, item: entry::LeafItem<'_>, test: Option<(&TxnManager, MayPass<'_>)>) {
        let newest = self.view.sees(item.head);
        if !newest && item.head.has(flag::INSERTED) {
            return; // made by somebody it does not see, out of nothing
        }
        // What is not asked for is not copied. Not of writers whose end may still be untold: that nothing was found is an answer, too, and depends on them.
        if let Some((txns, may_pass)) = test
            && newest
            && !item.head.has(flag::DELETED | flag::OVERFLOW)
            && txns.is_settled(item.head.txn)
            && !may_pass(item.value)
        {
            self.passed_over += 1;
            return;
        }
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(item.key);
        let value_at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(item.value);
        self.rows.push(Row {
            head: item.head,
            key: (at, item.key.len() as u32),
            value: (value_at, item.value.len() as u32),
            newest,
        });
    }
}
