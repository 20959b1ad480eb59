//! `evenkeel check`: every page's checksum, every tree's order and links, all space accounted for; the log (`check_log`).

use super::check_log::check_log;
pub use super::check_standby::check_standby;
use super::database::Database;
use crate::base::sync;
use crate::base::{Error, PAGE_BYTES, PageId, Result, TreeId};
use crate::btree::entry::flag;
use crate::mtr::Env;
use crate::page::{Kind, Page};
use crate::space::{self, MAP_BLOCKS};
use crate::store::{Store, TREES};
use std::collections::BTreeSet;
use std::time::Duration;

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// Trees checked.
    pub trees: usize,
    /// Pages read.
    pub pages: u64,
    /// Entries in leaves.
    pub entries: u64,
    /// Records of log read.
    pub log_records: u64,
    /// Their bytes.
    pub log_bytes: u64,
    /// What is wrong; empty = nothing.
    pub problems: Vec<String>,
    /// What is not wrong, but worth knowing.
    pub notes: Vec<String>,
}

/// How far the check is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Trees done.
    pub trees_done: usize,
    /// Trees in all.
    pub trees: usize,
    /// Pages read.
    pub pages: u64,
}

/// How long rollbacks that nobody waits for are waited for.
const ROLLBACK_WAIT: Duration = Duration::from_secs(60);

/// Checks an open database in which nobody writes; rollbacks that are under way are waited for. Of a standby's ([`check_standby`]) not the log.
pub fn check_open_database(db: &Database, progress: &mut dyn FnMut(Progress)) -> Result<Report> {
    let _at_work = db.core().enter_reading()?;
    let _still = db.core().purging.lock();
    // Rollbacks may go on beside those whose transactions they were.
    let store = db.store();
    let deadline = sync::Instant::now() + ROLLBACK_WAIT;
    while db.core().has_threads && store.is_rolling_back() && sync::Instant::now() < deadline {
        sync::sleep(Duration::from_millis(1));
    }
    // What lies in the pool is checked in the pool; the rest comes from disk, checksums included.
    let known = store.known_trees()?;
    let mut trees: Vec<TreeId> = known.keys().copied().collect();
    trees.sort_unstable();
    let roots: BTreeSet<u32> = known.values().flatten().copied().collect();
    let chains = store.pending_chains()?;
    let mut report = Report::default();
    for (i, id) in trees.iter().enumerate() {
        progress(Progress { trees_done: i, trees: trees.len(), pages: report.pages });
        if let Err(e) = check_tree(store, *id, &roots, &chains, &mut report) {
            report.problems.push(format!("tree {}: {e}", id.0));
        }
    }
    report.trees = trees.len();
    for file in store.env.pool.files().list()? {
        if !known.contains_key(&file.tree()) {
            report.problems.push(format!("data file {} belongs to no tree", file.0));
        }
    }
    if db.core().primary.is_some() {
        check_log(db, &mut report)?;
    }
    progress(Progress { trees_done: trees.len(), trees: trees.len(), pages: report.pages });
    Ok(report)
}

/// A tree that is known cannot be opened: unless its drop has been committed and its purge begun, it ought to be there.
fn missing(store: &Store, id: TreeId, report: &mut Report) -> Result<()> {
    if store.live_trees()?.contains_key(&id) {
        report.problems.push(format!("tree {}: it is missing", id.0));
    }
    Ok(())
}

/// `roots`: blocks of the tree of trees' file that are roots of other trees.
fn check_tree(
    store: &Store,
    id: TreeId,
    roots: &BTreeSet<u32>,
    pending: &[(TreeId, u32)],
    report: &mut Report,
) -> Result<()> {
    let tree = match store.tree(id) {
        Err(Error::NoSuchTree(_)) => return missing(store, id, report),
        tree => tree?,
    };
    let _visit = match tree.space.visit() {
        Err(Error::NoSuchTree(_)) => return missing(store, id, report),
        visit => visit?,
    };
    // Of a standby, whose replay holds still: what is not in memory is loaded.
    let env = &Env { is_between_waves: false, ..store.env.clone() };
    let has_file = tree.space.has_file(env)?;
    let (mut said, mut total) = (0, 0);
    if has_file {
        said = space::total_blocks(&env.pool.read(PageId::new(id.file(), 0))?)?;
        // The map is not believed further than the file reaches.
        let bytes =
            env.pool.files().must_get(id.file())?.len().map_err(|e| Error::io("asking for a length", e))?;
        let there = u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        if said > there {
            report.problems.push(format!("tree {}: the map says {said} blocks, the file has {there}", id.0));
        }
        total = said.min(there);
    }
    let mut problems = Problems { tree: id, list: Vec::new() };
    // Every page, used or not: a checksum that does not match is found now rather than later.
    for block in 0..total {
        report.pages += 1;
        if let Err(e) = env.pool.read(PageId::new(id.file(), block)) {
            problems.add(e.to_string());
        }
    }
    let mut chains: Vec<Vec<u8>> = Vec::new();
    let tree_report = tree.check(env, |item| {
        if item.head.has(flag::OVERFLOW) && !item.head.has(flag::DELETED) {
            chains.push(item.value.to_vec());
        }
        Ok(())
    });
    let tree_report = match tree_report {
        Ok(r) => r,
        Err(e) => {
            report.problems.append(&mut problems.list);
            return Err(e);
        }
    };
    report.entries += tree_report.items;
    tree_report.problems.into_iter().for_each(|p| problems.add(p));
    let mut used: BTreeSet<u32> = tree_report.blocks;
    if id == TREES {
        for root in roots {
            if !used.insert(*root) {
                problems.add(format!("tree {}: block {root} is also another tree's root", id.0));
            }
        }
    }
    // A block that is met twice ends its chain: links may run in a circle.
    let mut add = |block: u32, problems: &mut Problems| {
        let new = used.insert(block);
        if !new {
            problems.add(format!("tree {}: block {block} is used twice", id.0));
        }
        new
    };
    let waiting = pending.iter().filter(|(t, _)| *t == id).map(|(_, head)| *head);
    for chain in &chains {
        if let Err(e) = store.chain_blocks(id, chain, &mut |b| add(b, &mut problems)) {
            problems.add(e.to_string());
        }
    }
    for head in waiting {
        if let Err(e) = store.chain_blocks_from(id, head, &mut |b| add(b, &mut problems)) {
            problems.add(e.to_string());
        }
    }
    for block in 0..total {
        let map = match env.pool.read(PageId::new(id.file(), space::map_of(block))) {
            Ok(map) if Page(&map).kind() == Some(Kind::Map) => map,
            Ok(map) => {
                problems.add(format!("{}: not a map page", map.id()));
                break;
            }
            Err(_) => break, // reported above
        };
        let marked = space::bit(&map, block);
        let wanted = block.is_multiple_of(MAP_BLOCKS) || used.contains(&block);
        if marked && !wanted {
            problems.add(format!("tree {}: block {block} is marked used, but nothing refers to it", id.0));
        } else if !marked && wanted {
            problems.add(format!("tree {}: block {block} is in use, but marked free", id.0));
        }
    }
    // A root elsewhere goes by the name of block 1.
    if let Some(outside) = used.iter().find(|b| **b >= said && (has_file || **b != space::ROOT_BLOCK)) {
        problems.add(format!("tree {}: block {outside} lies behind the end", id.0));
    }
    report.problems.append(&mut problems.list);
    Ok(())
}

/// Most problems listed for a tree: one damaged page shows up many times.
const MAX_PROBLEMS: usize = 100;

struct Problems {
    tree: TreeId,
    list: Vec<String>,
}

impl Problems {
    fn add(&mut self, what: String) {
        match self.list.len() {
            0..MAX_PROBLEMS => self.list.push(what),
            MAX_PROBLEMS => self.list.push(format!("tree {}: … and more", self.tree.0)),
            _ => {}
        }
    }
}
