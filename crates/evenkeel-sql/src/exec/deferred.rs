//! Checks that are put off: DEFERRABLE constraints, until the transaction ends or SET CONSTRAINTS asks for them, or until the statement ends.
//!
//! What is kept of a change is which constraint it concerns and what to look at: the row id of a row that refers to another, the key that a referenced
//! row had, a key that is to be unique. What is decided is whether the constraint holds *then*: a row that is gone refers to nothing. So looking twice
//! does no harm.
//!
//! Invariants:
//! 1. Events are numbered in their order. Of each constraint those from `Waiting::from` up to `Waiting::to` are still to be looked at.
//! 2. Going back to a savepoint forgets the events since, and brings back what had been looked at since.
//! 3. In memory are at most `TAIL_BYTES` (or work_mem) of events; the others are in temporary files, whose sizes double, so that there are few.
//!
//! Must not know: SQL syntax, savepoints' names.

use super::foreign::{check_parent, check_unreferenced, has_parent_to_check, key_is_taken};
use super::spill::{Budget, TempFile, TempReader};
use super::{Cx, unique};
use crate::catalog::{Table, Timing};
use crate::plan::FkCheck;
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type, decode_row};
use std::collections::HashMap;
use std::sync::Arc;

/// Most bytes of events in memory.
const TAIL_BYTES: usize = 4 << 20;
/// What an event takes beside what it is about.
const EVENT_BYTES: usize = 48;

/// What is to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum What {
    /// A row that refers to another: its row id.
    Child = 0,
    /// A key to which rows may refer: the values of the referenced columns.
    Parent = 1,
    /// A key that is to be unique, as it stands in the index.
    Unique = 2,
}

/// One check that is put off.
#[derive(Debug)]
pub struct Event {
    /// The constraint's OID.
    pub constraint: u32,
    /// What is looked at.
    pub what: What,
    /// Which.
    pub about: Box<[u8]>,
}

/// Events in their order (invariant 3).
#[derive(Default)]
pub struct EventLog {
    files: Vec<Arc<TempFile>>,
    /// Events in the files.
    in_files: u64,
    tail: Vec<Event>,
    tail_bytes: usize,
    /// Events in files that are forgotten.
    forgotten: Vec<(u64, u64)>,
}

impl EventLog {
    /// The number of the next event.
    fn len(&self) -> u64 {
        self.in_files + self.tail.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event, budget: &Budget) -> Result<(), SqlError> {
        self.tail_bytes += EVENT_BYTES + event.about.len();
        self.tail.push(event);
        if self.tail_bytes >= TAIL_BYTES.min(budget.work_mem_bytes) { self.spill(budget) } else { Ok(()) }
    }

    fn spill(&mut self, budget: &Budget) -> Result<(), SqlError> {
        let mut file = TempFile::create(budget)?;
        let mut rows = self.tail.len() as u64;
        // Files that are no larger are taken in.
        let mut from = self.files.len();
        while from > 0 && self.files[from - 1].rows() <= rows {
            from -= 1;
            rows += self.files[from].rows();
        }
        let mut row = Vec::new();
        for old in &self.files[from..] {
            let mut reader = TempReader::new(old.clone());
            while reader.next(&mut row)? {
                file.push(&row, &[])?;
            }
        }
        for e in &self.tail {
            let about = Datum::Bytes(e.about[..].into());
            file.push(&[Datum::Int4(e.what as i32), Datum::Int8(i64::from(e.constraint)), about], &[])?;
        }
        let file = file.finish()?;
        self.files.truncate(from);
        self.files.push(file);
        self.in_files += self.tail.len() as u64;
        (self.tail, self.tail_bytes) = (Vec::new(), 0);
        Ok(())
    }

    /// Forgets the events from a number on.
    fn forget_from(&mut self, from: u64) {
        if let Some(keep) = from.checked_sub(self.in_files) {
            self.tail.truncate(keep as usize);
        } else {
            self.tail.clear();
            self.forgotten.retain(|(begin, _)| *begin < from);
            self.forgotten.push((from, self.in_files));
        }
        self.tail_bytes = self.tail.iter().map(|e| EVENT_BYTES + e.about.len()).sum();
    }

    /// Gives each event with its number.
    pub fn for_each(&self, f: &mut dyn FnMut(u64, &Event) -> Result<(), SqlError>) -> Result<(), SqlError> {
        let mut number = 0;
        let mut row = Vec::new();
        for file in &self.files {
            let mut reader = TempReader::new(file.clone());
            while reader.next(&mut row)? {
                let is_forgotten = self.forgotten.iter().any(|(from, to)| (*from..*to).contains(&number));
                if let ([what, constraint, Datum::Bytes(about)], false) = (&row[..], is_forgotten) {
                    let what = match what.as_i64() {
                        Some(0) => What::Child,
                        Some(1) => What::Parent,
                        _ => What::Unique,
                    };
                    let constraint = constraint.as_i64().unwrap_or(0) as u32;
                    f(number, &Event { constraint, what, about: about[..].into() })?;
                }
                number += 1;
            }
        }
        for event in &self.tail {
            f(number, event)?;
            number += 1;
        }
        Ok(())
    }
}

/// The events of one constraint that are to be looked at (invariant 1).
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The table whose change it was.
    table: u32,
    from: u64,
    to: u64,
}

/// What SET CONSTRAINTS has said, and which events wait.
#[derive(Clone, Default)]
struct State {
    /// SET CONSTRAINTS ALL.
    all: Option<bool>,
    /// SET CONSTRAINTS, by name.
    of: HashMap<u32, bool>,
    waiting: HashMap<(u32, What), Waiting>,
}

/// A place to go back to (invariant 2).
pub struct DeferredMark {
    state: State,
    events: u64,
}

/// The checks of a transaction that are put off.
#[derive(Default)]
pub struct Deferred {
    state: State,
    log: EventLog,
}

impl Deferred {
    /// Whether a constraint is checked later than at the end of the statement.
    pub fn is_put_off(&self, constraint: u32, timing: Timing) -> bool {
        let said = || self.state.of.get(&constraint).copied().or(self.state.all);
        timing.deferrable && said().unwrap_or(timing.initially_deferred)
    }

    /// SET CONSTRAINTS ALL.
    pub fn set_all(&mut self, deferred: bool) {
        self.state.all = Some(deferred);
        self.state.of.clear();
    }

    /// SET CONSTRAINTS of one.
    pub fn set(&mut self, constraint: u32, deferred: bool) {
        self.state.of.insert(constraint, deferred);
    }

    /// Puts a check off, of a change of a table.
    pub fn add(&mut self, table: u32, event: Event, budget: &Budget) -> Result<(), SqlError> {
        let number = self.log.len();
        let waiting = Waiting { table, from: number, to: number };
        self.state.waiting.entry((event.constraint, event.what)).or_insert(waiting).to = number + 1;
        self.log.push(event, budget)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.state.waiting.is_empty()
    }

    /// Whether a check waits that a change of this table has asked for.
    pub fn concerns(&self, table: u32) -> bool {
        self.state.waiting.values().any(|w| w.table == table)
    }

    /// Where it stands.
    pub fn mark(&self) -> DeferredMark {
        DeferredMark { state: self.state.clone(), events: self.log.len() }
    }

    /// Goes back (invariant 2).
    pub fn go_back(&mut self, to: &DeferredMark) {
        self.state = to.state.clone();
        self.log.forget_from(to.events);
    }

    /// Nobody will go back before now: what was looked at is forgotten.
    pub fn forget_done(&mut self) {
        if self.is_empty() {
            self.log = EventLog::default();
        }
    }

    /// Looks at what waits, of the constraints that are wanted; fails if one does not hold.
    pub fn check(&mut self, wanted: &dyn Fn(u32) -> bool, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let Deferred { state, log } = self;
        if !state.waiting.keys().any(|(c, _)| wanted(*c)) {
            return Ok(());
        }
        cx.txn.begin_statement();
        let mut checker = Checker::default();
        log.for_each(&mut |number, event| {
            let waiting = state.waiting.get(&(event.constraint, event.what));
            match waiting.filter(|w| (w.from..w.to).contains(&number) && wanted(event.constraint)) {
                Some(w) => checker.check(w.table, event, cx),
                None => Ok(()),
            }
        })?;
        state.waiting.retain(|(c, _), _| !wanted(*c));
        Ok(())
    }
}

/// Looks at events; knows the constraints that it has met.
#[derive(Default)]
pub struct Checker {
    /// By constraint: the table that has the foreign key, and the key.
    keys: HashMap<u32, Option<(Arc<Table>, FkCheck)>>,
    row: Vec<Datum>,
}

impl Checker {
    /// Fails if the constraint does not hold.
    pub fn check(&mut self, table: u32, event: &Event, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        cx.check_interrupt()?;
        if event.what == What::Unique {
            let Some(table) = cx.catalog.table(table).cloned() else { return Ok(()) };
            let Some(index) = table.indexes.iter().find(|i| i.constraint == Some(event.constraint)) else {
                return Ok(());
            };
            return unique::check_key(&table, index, &event.about, cx);
        }
        let found = self.keys.entry(event.constraint).or_insert_with(|| {
            let of = |t: &&Arc<Table>| t.foreign_keys.iter().any(|f| f.oid == event.constraint);
            let child = match event.what {
                What::Child => cx.catalog.table(table).filter(of),
                _ => cx.catalog.referencing_tables(table).find(of),
            }?;
            let fk = child.foreign_keys.iter().find(|f| f.oid == event.constraint)?;
            let parent = cx.catalog.table(fk.parent)?.clone();
            let index = parent.indexes.iter().find(|i| i.oid == fk.parent_index)?.clone();
            Some((child.clone(), FkCheck { fk: fk.clone(), parent, index }))
        });
        let Some((child, fk)) = found else { return Ok(()) };
        self.row.clear();
        if event.what == What::Child {
            let Some(stored) = cx.txn.get(child.heap.tree, &event.about)? else { return Ok(()) };
            child.decode_row(&stored, &mut self.row)?;
            if has_parent_to_check(fk, child, &self.row, cx)? {
                check_parent(fk, child, &self.row, cx)?;
            }
            return Ok(());
        }
        let types: Vec<Type> = fk.fk.parent_columns.iter().map(|c| fk.parent.types[*c]).collect();
        decode_row(&event.about, &types, &mut self.row)?;
        if key_is_taken(&fk.parent, &fk.fk, &self.row, cx)? {
            return Ok(());
        }
        check_unreferenced(&fk.parent, child, &fk.fk, &self.row, false, cx)
    }
}
