//! Versioned rows on trees: visibility, undo, purge of dead versions. See `README.md`.
//!
//! Must not know: SQL, columns, checkpoints.

#![doc = include_str!("README.md")]

mod files_there;
pub mod gate;
mod handle;
mod history;
mod lock;
mod log_undo;
mod losers;
mod overflow;
mod purge;
mod read;
pub mod replayed;
mod reserve;
mod rollback;
mod room;
mod trees;
mod undo;
mod undo_entry;
mod undo_space;
mod write;

pub(crate) use handle::Outer;
pub use handle::{Durability, Isolation, Moment, Savepoint, Sight, Txn, TxnOptions};
pub use lock::Locked;
pub(crate) use log_undo::changed_row;
pub use log_undo::created as created_tree;
pub use purge::VacuumStats;
pub use read::{Cursor, Direction, KeyRange, MayPass};
pub use rollback::undo_losers;
pub use trees::{Filling, NextEntry};
pub use undo_space::{FILE as UNDO_FILE, UndoSpace};
pub use write::Write;

use crate::base::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, RwLock};
use crate::base::{Error, FileId, Lsn, Result, TreeId};
use crate::btree::Tree;
use crate::mtr::Env;
use crate::txn::{LockTable, Shared, TxnManager};
use foldhash::fast::RandomState;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// The tree of trees: key = id (8 bytes, big-endian); value = the root's block in this tree's own file, varint, or nothing, if the root is in the file of
/// the tree itself.
pub const TREES: TreeId = TreeId(1);
/// What is to be freed: see `purge.rs`.
pub const PENDING: TreeId = TreeId(2);
/// Created empty with every database, for the layer above.
pub const FIRST_USER_TREE: TreeId = TreeId(16);
/// Trees that every database has.
pub const SYSTEM_TREES: [TreeId; 3] = [TREES, PENDING, FIRST_USER_TREE];

/// Pages that a reader of a standby loads outside, at most, before it waits for the disk inside: in a small pool they may be gone again.
const LOADS_OUTSIDE: usize = 32;

/// Longest value.
pub const MAX_VALUE_BYTES: usize = 1 << 30;

/// The rows of an open database.
pub struct Store {
    /// Log, pool, floors.
    pub env: Env,
    /// Transactions.
    pub txns: Arc<TxnManager>,
    /// Row locks.
    pub locks: LockTable,
    undo: Arc<UndoSpace>,
    trees: RwLock<HashMap<TreeId, Arc<Tree>, RandomState>>,
    next_tree: AtomicU64,
    /// What committed transactions have replaced that old snapshots need.
    history: history::History,
    /// What there is to purge, and nobody needs any more.
    to_purge: Mutex<VecDeque<purge::Owed>>,
    /// Trees whose files are to be removed.
    dropped: Mutex<Vec<purge::Dropped>>,
    /// Files of trees whose creation was undone, each with the end of the record that it goes.
    undone_files: Mutex<Vec<(FileId, Lsn)>>,
    /// What could not be purged when it was its turn.
    aside: Mutex<Vec<purge::Owed>>,
    /// Committed transactions after which there is something to purge, now or later.
    owing: AtomicUsize,
    splits: reserve::SplitReserve,
    /// Nobody may write, for this reason.
    pub writes_refused: OnceLock<String>,
    /// What is being rolled back stays as it is: the database is closed, and the next start goes on with it.
    rollbacks_stopped: AtomicBool,
    sweeps: Mutex<purge::Sweeps>,
    /// What transactions before this one have deleted is kept: readers of standbys may want it, and nothing else says so. 0: nothing is.
    wanted_below: AtomicU64,
    /// Transactions that a crash cut short and that are being rolled back, the youngest first; and those of this start that could not be.
    losers: Mutex<VecDeque<Arc<Shared>>>,
    /// Of a standby.
    gate: Option<Arc<gate::Gate>>,
}

impl Store {
    /// Wires the layer.
    pub fn new(
        env: Env,
        txns: Arc<TxnManager>,
        max_locks: usize,
        undo: Arc<UndoSpace>,
        next_tree: u64,
    ) -> Store {
        Store {
            env,
            txns,
            locks: LockTable::new(max_locks),
            trees: RwLock::default(),
            next_tree: AtomicU64::new(next_tree),
            history: history::History::new(undo.clone()),
            undo,
            to_purge: Mutex::default(),
            dropped: Mutex::default(),
            undone_files: Mutex::default(),
            aside: Mutex::default(),
            owing: AtomicUsize::new(0),
            splits: reserve::SplitReserve::default(),
            writes_refused: OnceLock::new(),
            rollbacks_stopped: AtomicBool::new(false),
            sweeps: Mutex::default(),
            wanted_below: AtomicU64::new(0),
            losers: Mutex::default(),
            gate: None,
        }
    }

    /// As a standby's: read between the waves that are replayed, and not written.
    pub fn with_gate(self, gate: Arc<gate::Gate>) -> Store {
        let _ = self.writes_refused.set("it is a standby".into());
        self.history.keep_commits();
        Store { gate: Some(gate), ..self }
    }

    /// Reads pages; on a standby no wave of a replay changes them meanwhile. `f` may be called again where a page was not in memory: it is loaded outside then, where
    /// that holds up nobody.
    #[inline]
    fn between_waves<R>(&self, mut f: impl FnMut(&Env) -> Result<R>) -> Result<R> {
        match &self.gate {
            None => f(&self.env),
            Some(gate) => self.through(gate, &mut f),
        }
    }

    // Apart, so that a primary's reads are compiled into who asks for them.
    #[inline(never)]
    fn through<R>(&self, gate: &gate::Gate, f: &mut dyn FnMut(&Env) -> Result<R>) -> Result<R> {
        for _ in 0..LOADS_OUTSIDE {
            let inside = gate.enter()?;
            match f(&self.env) {
                Err(Error::NotResident(id)) => {
                    drop(inside);
                    // What fails is tried again inside, if it is still wanted.
                    let _ = self.env.pool.read(id);
                }
                done => return done,
            }
        }
        let _inside = gate.enter()?;
        f(&Env { is_between_waves: false, ..self.env.clone() })
    }

    /// Undo in memory and in the scratch file.
    pub fn undo_space(&self) -> &UndoSpace {
        &self.undo
    }

    /// A tree by id.
    pub fn tree(&self, id: TreeId) -> Result<Arc<Tree>> {
        if let Some(t) = self.trees.read().get(&id) {
            return Ok(t.clone());
        }
        self.open_tree(id)
    }
}
