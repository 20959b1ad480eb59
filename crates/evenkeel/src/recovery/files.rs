//! Which files and blocks there are, in log order (invariant 3 of the README).
//!
//! Must not know: what is in pages.

use super::follow::Tail;
use crate::base::{Corruption, Error, FileId, PAGE_BYTES, PageId, Place, Result};
use crate::control::ControlData;
use crate::io::File;
use crate::pool::{PageIdHasher, Pool, data_path};
use crate::space;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasherDefault;

/// Changes that met no page: to be explained by a later truncation or drop.
#[derive(Default)]
pub(super) struct Missing(HashMap<FileId, BTreeSet<u32>>);

impl Missing {
    pub fn add(&mut self, id: PageId) {
        self.0.entry(id.file).or_default().insert(id.block.0);
    }

    /// All of the page has been said since.
    pub fn made(&mut self, id: PageId) {
        if !self.0.is_empty()
            && let Some(blocks) = self.0.get_mut(&id.file)
        {
            blocks.remove(&id.block.0);
        }
    }

    /// The file was cut to `from` blocks.
    pub fn explain(&mut self, file: FileId, from: u32) {
        if let Some(blocks) = self.0.get_mut(&file) {
            blocks.split_off(&from);
        }
    }

    /// One that nothing has explained.
    pub fn first(&self) -> Option<PageId> {
        let pages = self.0.iter().filter_map(|(f, b)| Some(PageId::new(*f, *b.first()?)));
        pages.min()
    }
}

/// What redo knows of the data files.
pub(super) struct FileTable<'p> {
    pool: &'p Pool,
    /// Of a replay that goes on for ever: it waits for space. A redo ends without.
    pub tail: Option<&'p dyn Tail>,
    /// Length of the files met, in blocks; `None` = not there.
    lengths: HashMap<FileId, Option<u64>, BuildHasherDefault<PageIdHasher>>,
    /// Where the replay began, if what was durable then is there.
    began: Option<&'p ControlData>,
    /// Lengths, in blocks, as the files were when they were met.
    found: HashMap<FileId, u64, BuildHasherDefault<PageIdHasher>>,
    /// Lengths that files had when the replay began, at least, where the log changes or explains them.
    had: HashMap<FileId, u64, BuildHasherDefault<PageIdHasher>>,
    pub missing: Missing,
    /// Files whose first map page was met: their length may not have become durable. And those that were made longer for what the log says of a page.
    mapped: BTreeSet<FileId>,
    /// Files whose drop was met: a change logged after it came too late to matter (ids are never reused). The latest of them: whoever changed one was at work
    /// when it was dropped.
    dropped: HashSet<FileId>,
    in_order: VecDeque<FileId>,
}

/// A replay that goes on for ever remembers no more drops than these.
const DROPPED_MAX: usize = 1 << 16;

fn length(handle: &dyn File, file: FileId) -> Result<u64> {
    let bytes = handle.len().map_err(|e| Error::io(format!("data file {}", file.0), e))?;
    Ok(bytes / PAGE_BYTES as u64)
}

impl<'p> FileTable<'p> {
    /// `began`: from where, if what was durable then is to be there.
    pub fn new(pool: &'p Pool, began: Option<&'p ControlData>) -> FileTable<'p> {
        FileTable {
            pool,
            tail: None,
            began,
            found: HashMap::default(),
            had: HashMap::default(),
            lengths: HashMap::default(),
            missing: Missing::default(),
            mapped: BTreeSet::new(),
            dropped: HashSet::new(),
            in_order: VecDeque::new(),
        }
    }

    /// Whether the log was seen to drop the file.
    pub fn is_dropped(&self, file: FileId) -> bool {
        self.dropped.contains(&file)
    }

    /// Whether a block of the file was met.
    pub fn is_met(&self, file: FileId) -> bool {
        self.lengths.contains_key(&file)
    }

    /// Does what needs space, and may be done again.
    fn obtain<T>(&self, what: impl Fn() -> Result<T>) -> Result<T> {
        let mut again = false;
        loop {
            match (what(), self.tail) {
                (Err(Error::OutOfSpace { what }), Some(tail)) if tail.lacks(&what, again) => again = true,
                (done, _) => return done,
            }
        }
    }

    /// Whether a change of the page has something to go to; else it is remembered. `whole`: the change says all of the page, so the file may be made
    /// longer for it. By a hole: the space is obtained when it is known how long the file was. But a replay that can wait for space obtains it now, as pages that go home cannot wait.
    pub fn place(&mut self, id: PageId, whole: bool) -> Result<bool> {
        if id.block.0 == 0 {
            self.mapped.insert(id.file);
        }
        let exists = self.exists(id, whole)?;
        match (exists, whole) {
            (false, _) => self.missing.add(id),
            (true, true) => self.missing.made(id),
            (true, false) => {}
        }
        Ok(exists)
    }

    fn exists(&mut self, id: PageId, whole: bool) -> Result<bool> {
        let file = id.file;
        let known = match self.lengths.get(&file) {
            Some(l) => *l,
            None => {
                let found = self.pool.files().get(file)?;
                let found = found.map(|f| length(&*f, file)).transpose()?;
                if let (Some(blocks), Some(_)) = (found, self.began) {
                    self.found.insert(file, blocks);
                }
                self.lengths.insert(file, found);
                found
            }
        };
        let Some(blocks) = known else { return Ok(false) };
        let wanted = u64::from(id.block.0) + 1;
        if blocks < wanted && whole {
            self.mapped.insert(file);
            let handle = self.pool.files().must_get(file)?;
            let (from, to) = (blocks * PAGE_BYTES as u64, wanted * PAGE_BYTES as u64);
            let ctx = |e| Error::io(format!("extending data file {}", file.0), e);
            match self.tail {
                None => handle.truncate(to).map_err(ctx)?,
                // All that its map says, mostly: `restore_lengths` was there.
                Some(_) if length(&*handle, file)? >= wanted => {}
                Some(_) => self.obtain(|| handle.allocate(from, to - from).map_err(ctx))?,
            }
            self.lengths.insert(file, Some(wanted));
            return Ok(true);
        }
        Ok(blocks >= wanted)
    }

    /// The log changes a file's first map page. The first time that this is about the length, it says how long the file was when the replay began; later ones say nothing of that any more.
    pub fn map_changes(&mut self, file: FileId, ops: &[u8]) -> Result<()> {
        if self.began.is_some()
            && !self.had.contains_key(&file)
            && let Some(total) = space::total_before(ops)?
        {
            self.had.insert(file, total.into());
        }
        Ok(())
    }

    /// The file was cut to so many blocks.
    pub fn explain(&mut self, file: FileId, blocks: u32) {
        self.missing.explain(file, blocks);
        let had = self.had.entry(file).or_insert(u64::MAX);
        *had = u64::from(blocks).min(*had);
    }

    /// What a file's map gave it before the redo point was synced with it (`space`, invariant 1): where there was less when the replay began, somebody has cut it, and redo has filled it up with
    /// zeros, or is about to. `total`: by its map as it is now. Of a copy that was not whole then the map may be of another time than the rest.
    fn refuse_cut(&self, file: FileId, total: u32) -> Result<()> {
        let (Some(began), Some(there)) = (self.began, self.found.get(&file)) else { return Ok(()) };
        if began.redo[self.pool.partitions().of(PageId::new(file, 0))] < began.whole_at {
            return Ok(());
        }
        let had = self.had.get(&file).map_or(total.into(), |had| *had.min(&total.into()));
        if *there >= had {
            return Ok(());
        }
        let bytes = |blocks: u64| blocks * PAGE_BYTES as u64;
        let (there, had, path) = (bytes(*there), bytes(had), data_path(file));
        let what = format!("data file {path} has {there} bytes, and had at least {had} before");
        Err(Error::Corrupt(Corruption::of_file(file, what)))
    }

    /// The log initialises the file's first block: it was created here. If it is not there, it was created after the files were copied, or it is dropped
    /// later on.
    pub fn created(&mut self, file: FileId) -> Result<()> {
        if self.is_dropped(file) || matches!(self.lengths.get(&file), Some(Some(_))) {
            return Ok(());
        }
        let handle = match self.pool.files().get(file)? {
            Some(there) => there,
            None => match self.obtain(|| self.pool.files().create(file))? {
                Some(new) => new,
                None => self.pool.files().must_get(file)?,
            },
        };
        self.lengths.insert(file, Some(length(&*handle, file)?));
        Ok(())
    }

    /// The file was dropped. Its pages must have left the pool.
    pub fn drop_file(&mut self, file: FileId) -> Result<()> {
        self.explain(file, 0);
        self.lengths.insert(file, None);
        if self.dropped.insert(file) {
            self.in_order.push_back(file);
        }
        if self.in_order.len() > DROPPED_MAX
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.dropped.remove(&oldest);
            self.lengths.remove(&oldest);
            self.found.remove(&oldest);
            self.had.remove(&oldest);
        }
        self.pool.files().remove(file)
    }

    /// Gives every file the space that its map says it has.
    pub fn restore_lengths(&mut self) -> Result<()> {
        for file in std::mem::take(&mut self.mapped) {
            if self.is_dropped(file) {
                continue;
            }
            if self.pool.files().get(file)?.is_none() {
                self.mapped.insert(file); // removed before a crash: its drop is yet to come in the log, or it is among the missing
                continue;
            }
            let total = space::total_blocks(&self.pool.read(PageId::new(file, 0))?).map_err(|e| match e {
                Error::Corrupt(what) => Error::Corrupt(
                    what.within(format_args!("data file {}", data_path(file))).at(Place::In(file)),
                ),
                e => e,
            })?;
            self.refuse_cut(file, total)?;
            let handle = self.pool.files().must_get(file)?;
            let ctx = |e| Error::io(format!("extending data file {}", file.0), e);
            self.obtain(|| handle.allocate(0, u64::from(total) * PAGE_BYTES as u64).map_err(ctx))?;
            // Durable before the redo point of its map passes: the page itself may be at home already, so that no round would sync the file for it. Not
            // here: there may be many files.
            self.pool.files().owe_sync(file, self.pool.partitions().of(PageId::new(file, 0)));
        }
        Ok(())
    }
}
