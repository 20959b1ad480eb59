//! Timelines: each restore begins a new one, and so does each standby that takes over, so that the log after it never mixes with the log that was there.
//!
//! `timelines/NUMBER.json` says where a timeline left another; timeline 1 has none. A restored database writes it, under the first number that is free, before its first
//! segment. Until then the document lies in its own folder, as the file `timeline`, without a number.
//!
//! Invariants
//! 1. A parent's number is below its child's: following parents ends.
//! 2. The object is created, never replaced: of two restores that want a number, one takes the next. Whoever finds an object with its
//!    own `incarnation` has made it itself, and the answer was lost.
//! 3. Log of the parent behind `switch` is no part of the child's history.
//!
//! Must not know: how a restore is done.

use super::document;
use super::manifest::{Position, hex};
use super::owner::{OWNER, Owner, failed};
use super::store::{ArchiveStore, StoreError};
use crate::base::{Error, Lsn, Result};
use crate::io::{Disk, read_whole, replace_whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the document that is written; others are refused.
const VERSION: u32 = 1;
/// Folder of the objects.
const FOLDER: &str = "timelines/";
/// The document in a restored database's folder.
const FILE: &str = "timeline";
const FILE_NEW: &str = "timeline.new";
/// Longest document that is read.
const BYTES_MAX: u64 = 64 * 1024;
/// Numbers that are tried one after the other.
const ATTEMPTS: u32 = 100;

/// Where a timeline comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// 1.
    pub version: u32,
    /// Which database.
    #[serde(with = "hex")]
    pub database_id: u64,
    /// Its number; 0: it has none yet.
    pub timeline: u32,
    /// The timeline that it left.
    pub parent: u32,
    /// Where.
    pub switch: Position,
    /// The parent's incarnation there.
    #[serde(with = "hex")]
    pub parent_incarnation: u64,
    /// What tells it from others that left at the same place: a restored database's first incarnation, of whoever took over any number.
    #[serde(with = "hex")]
    pub incarnation: u64,
    /// What the restore was asked for; or that a standby took over.
    pub why: String,
    /// When, milliseconds since the Unix epoch.
    pub restored_ms: u64,
}

/// A stretch of a timeline that belongs to a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leg {
    /// The timeline.
    pub timeline: u32,
    /// Where the next one left it; `None`: it is the last.
    pub until: Option<Lsn>,
}

fn object(timeline: u32) -> String {
    format!("{FOLDER}{timeline:08x}.json")
}

impl History {
    /// A document without a number.
    pub fn new(
        database_id: u64,
        parent: u32,
        switch: Lsn,
        parent_incarnation: u64,
        incarnation: u64,
        why: String,
        restored_ms: u64,
    ) -> History {
        let switch = switch.into();
        History {
            version: VERSION,
            database_id,
            timeline: 0,
            parent,
            switch,
            parent_incarnation,
            incarnation,
            why,
            restored_ms,
        }
    }

    fn encode(&self) -> Vec<u8> {
        document::encode(self)
    }

    fn decode(bytes: &[u8], name: &str) -> Result<History> {
        let bad = |why: &str| Error::corrupt(format!("\"{name}\", where a timeline comes from: {why}"));
        let h: History = document::decode(bytes).map_err(|e| bad(&e.to_string()))?;
        if h.version != VERSION {
            return Err(bad(&format!("version {} is not {VERSION}", h.version)));
        }
        if h.parent == 0 || (h.timeline != 0 && h.parent >= h.timeline) || h.incarnation == 0 {
            return Err(bad("it does not fit together"));
        }
        Ok(h)
    }

    fn is_ours(&self, ours: &History) -> bool {
        (self.database_id, self.incarnation) == (ours.database_id, ours.incarnation)
    }

    /// Reads a restored database's own document.
    pub fn read_file(disk: &dyn Disk) -> Result<Option<History>> {
        let ctx = |e| Error::io("reading the file \"timeline\"", e);
        let Some(bytes) = read_whole(disk, FILE, BYTES_MAX).map_err(ctx)? else { return Ok(None) };
        History::decode(&bytes, FILE).map(Some)
    }

    /// Puts it into a database's folder, durably.
    pub fn write_file(&self, disk: &dyn Disk) -> Result<()> {
        let ctx = |e| Error::io("writing the file \"timeline\"", e);
        replace_whole(disk, FILE, &self.encode()).map_err(ctx)
    }
}

/// Names of the files that a restored database's document takes in its folder.
pub const FILES: [&str; 2] = [FILE, FILE_NEW];

/// The timelines of an archive, but the first, by number. Objects that cannot be read are errors in their place.
pub fn histories(store: &dyn ArchiveStore) -> Result<BTreeMap<u32, Result<History>>> {
    let mut found = BTreeMap::new();
    for name in store.list(FOLDER).map_err(failed)? {
        let number = name[FOLDER.len()..].strip_suffix(".json").filter(|n| n.len() == 8);
        let Some(number) = number.and_then(|n| u32::from_str_radix(n, 16).ok()).filter(|n| *n > 1) else {
            continue;
        };
        let Some((bytes, _)) = store.get(&name).map_err(failed)? else { continue };
        let one = History::decode(&bytes, &name).and_then(|h| {
            let named = h.timeline == number;
            named.then_some(h).ok_or_else(|| Error::corrupt(format!("\"{name}\" is about another timeline")))
        });
        found.insert(number, one);
    }
    Ok(found)
}

/// The numbers of the timelines that have log in the archive, ascending.
pub fn with_log(store: &dyn ArchiveStore) -> Result<Vec<u32>> {
    let mut numbers: Vec<u32> = Vec::new();
    for name in store.list("wal/").map_err(failed)? {
        let number = name.strip_prefix("wal/").and_then(|n| n.split('/').next());
        if let Some(n) = number.and_then(|n| u32::from_str_radix(n, 16).ok()) {
            numbers.push(n);
        }
    }
    numbers.dedup();
    Ok(numbers)
}

/// Whether a timeline has log in the archive.
pub fn has_log(store: &dyn ArchiveStore, timeline: u32) -> Result<bool> {
    Ok(with_log(store)?.contains(&timeline))
}

/// The history of a timeline: itself and those it comes from, the first one first. It begins with one that the archive knows nothing of, neither whence it
/// comes nor any log (`has_log`): the database came to this archive later.
pub fn lineage(
    histories: &BTreeMap<u32, Result<History>>,
    timeline: u32,
    has_log: &dyn Fn(u32) -> Result<bool>,
) -> Result<Vec<Leg>> {
    let mut legs = vec![Leg { timeline, until: None }];
    let mut at = timeline;
    while at > 1 {
        let h = match histories.get(&at) {
            Some(h) => h.clone()?,
            None if at != timeline && !has_log(at)? => break,
            None => {
                return Err(Error::corrupt(format!(
                    "the archive does not say where timeline {at} comes from: \"{}\" is missing",
                    object(at)
                )));
            }
        };
        at = h.parent; // invariant 1
        // A timeline that was left and left again belongs to the history only up to the earlier place.
        let until = legs.iter().filter_map(|l| l.until).fold(Lsn::from(h.switch), Lsn::min);
        legs.push(Leg { timeline: at, until: Some(until) });
    }
    legs.reverse();
    Ok(legs)
}

/// Gives a restored database its number in an archive, or finds that it has it. `InvalidArgument`: the archive belongs to another database, or the number to another restore.
pub fn claim(store: &dyn ArchiveStore, ours: &History) -> Result<u32> {
    let refused = |why: String| {
        Err(Error::InvalidArgument(format!(
            "the archive {} {why}: choose another archive_url",
            store.describe()
        )))
    };
    if let Some((bytes, _)) = store.get(OWNER).map_err(failed)?
        && Owner::decode(&bytes).is_some_and(|o| o.database_id != ours.database_id)
    {
        return refused("is another database's".into());
    }
    let known = histories(store)?;
    for (number, h) in &known {
        match h {
            Ok(h) if h.database_id != ours.database_id => {
                return refused("is another database's".into());
            }
            Ok(h) if h.is_ours(ours) => return Ok(*number), // invariant 2
            _ if *number == ours.timeline => {
                return refused(format!("has a timeline {number} that is not this database's"));
            }
            _ => {}
        }
    }
    if ours.timeline != 0 {
        // An archive that does not know it yet.
        return create(store, ours).map(|_| ours.timeline);
    }
    let highest = known.keys().copied().chain(with_log(store)?).fold(ours.parent.max(1), u32::max);
    for number in (highest + 1..).take(ATTEMPTS as usize) {
        if create(store, &History { timeline: number, ..ours.clone() })? {
            return Ok(number);
        }
    }
    refused("has no free timeline".into())
}

/// False: the number is taken.
fn create(store: &dyn ArchiveStore, h: &History) -> Result<bool> {
    match store.create(&object(h.timeline), &h.encode()) {
        Ok(()) => Ok(true),
        Err(StoreError::Exists(_)) => Ok(false),
        Err(e) => Err(failed(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::{MemoryStore, StoreFault};
    use super::*;

    fn history(incarnation: u64) -> History {
        History::new(7, 1, Lsn(1000), 3, incarnation, "to the end".into(), 5)
    }

    #[test]
    fn each_restore_gets_the_next_number_and_keeps_it() {
        let store = MemoryStore::new();
        assert_eq!(claim(&store, &history(10)).unwrap(), 2);
        assert_eq!(claim(&store, &history(11)).unwrap(), 3);
        assert_eq!(claim(&store, &history(10)).unwrap(), 2, "its own object is recognised");
        let numbered = History { timeline: 3, ..history(11) };
        assert_eq!(claim(&store, &numbered).unwrap(), 3);
        let other = History { timeline: 3, ..history(12) };
        assert!(claim(&store, &other).is_err());
        assert!(claim(&store, &History { database_id: 8, ..history(13) }).is_err());
    }

    /// Somebody removed the document, and not the log.
    #[test]
    fn a_number_under_which_there_is_log_is_not_given_again() {
        let store = MemoryStore::new();
        store.create("wal/00000005/0000000000000001.seg", b"log").unwrap();
        assert_eq!(claim(&store, &history(10)).unwrap(), 6);
    }

    #[test]
    fn an_answer_that_was_lost_does_not_cost_a_number() {
        let store = MemoryStore::new();
        store.set_faults(Some(Box::new(|what, _| {
            if what == "creating" { StoreFault::LoseAnswer } else { StoreFault::None }
        })));
        assert!(claim(&store, &history(10)).is_err());
        store.set_faults(None);
        assert_eq!(claim(&store, &history(10)).unwrap(), 2);
    }

    #[test]
    fn of_two_that_want_a_number_one_takes_the_next() {
        let store = MemoryStore::new();
        let other = store.clone();
        let mut raced = false;
        store.set_faults(Some(Box::new(move |what, name| {
            if what == "creating" && !raced {
                raced = true;
                other.overwrite(name, History { timeline: 2, ..history(99) }.encode());
            }
            StoreFault::None
        })));
        assert_eq!(claim(&store, &history(10)).unwrap(), 3);
    }

    #[test]
    fn a_history_leads_back_to_the_first_timeline() {
        let mut known = BTreeMap::new();
        let h = |timeline, parent, at| Ok(History { timeline, parent, switch: Position(at), ..history(9) });
        known.insert(2, h(2, 1, 500));
        known.insert(3, h(3, 2, 900));
        known.insert(4, h(4, 2, 300));
        let legs = lineage(&known, 3, &|_| Ok(true)).unwrap();
        let shown: Vec<_> = legs.iter().map(|l| (l.timeline, l.until.map(|u| u.0))).collect();
        assert_eq!(shown, [(1, Some(500)), (2, Some(900)), (3, None)]);
        // In an archive that the database came to later it begins with what is known there.
        known.remove(&2);
        assert!(lineage(&known, 3, &|_| Ok(true)).is_err(), "its log is there");
        let legs = lineage(&known, 3, &|_| Ok(false)).unwrap();
        let shown: Vec<_> = legs.iter().map(|l| (l.timeline, l.until.map(|u| u.0))).collect();
        assert_eq!(shown, [(2, Some(900)), (3, None)]);
        known.insert(2, h(2, 1, 500));
        // Timeline 2 was left at a place before its own beginning: nothing of it counts, nor of what it came from behind there.
        assert_eq!(lineage(&known, 4, &|_| Ok(true)).unwrap()[0].until, Some(Lsn(300)));
        assert!(lineage(&known, 5, &|_| Ok(true)).is_err());
        assert!(lineage(&known, 5, &|_| Ok(false)).is_err(), "its own");
    }

    #[test]
    fn documents_that_do_not_fit_together_are_refused() {
        for (name, change) in [
            ("version", Box::new(|h: &mut History| h.version = 2) as Box<dyn Fn(&mut History)>),
            ("parent", Box::new(|h: &mut History| (h.timeline, h.parent) = (2, 2))),
            ("no parent", Box::new(|h: &mut History| h.parent = 0)),
        ] {
            let mut h = history(4);
            change(&mut h);
            assert!(History::decode(&h.encode(), "x").is_err(), "{name}");
        }
        assert!(History::decode(b"{}", "x").is_err());
        assert_eq!(History::decode(&history(4).encode(), "x").unwrap(), history(4));
    }
}
