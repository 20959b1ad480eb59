//! Which files and blocks there are, in log order (invariant 3 of the README).
//!
//! Must not know: what is in pages.

use super::follow::Tail;
use crate::base::{Corruption, Error, FileId, Lsn, PAGE_BYTES, PageId, Place, Result};
use crate::control::ControlData;
use crate::io::{AlignedBuf, File};
use crate::page;
use crate::pool::{PageIdHasher, Pool, data_path};
use crate::space;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
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
    /// Files that have fewer blocks than their maps say. What is yet to come in the log may explain it: that they grew since the redo point, unsynced, or were truncated.
    cut: BTreeMap<FileId, Cut>,
    pub missing: Missing,
    /// Files whose first map page was met: their length may not have become durable.
    mapped: BTreeSet<FileId>,
    /// Files whose drop was met: a change logged after it came too late to matter (ids are never reused). The latest of them: whoever changed one was at work
    /// when it was dropped.
    dropped: HashSet<FileId>,
    in_order: VecDeque<FileId>,
}

/// A file that is shorter than its map at home says.
struct Cut {
    /// Its blocks, and those that it had when the replay began, for all that is known.
    blocks: u64,
    total: u64,
    /// From here on in the log that is so: whatever has changed the map came before.
    valid_from: Lsn,
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
            cut: BTreeMap::new(),
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
                found.map_or(Ok(()), |blocks| self.look_at_length(file, blocks))?;
                self.lengths.insert(file, found);
                found
            }
        };
        let Some(blocks) = known else { return Ok(false) };
        let wanted = u64::from(id.block.0) + 1;
        if blocks < wanted && whole {
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

    /// A file is met that has so many blocks. What its map gave it before the redo point was synced with it (`space`, invariant 1): where there is less, somebody has cut it, and redo would fill
    /// it up with pages of zeros. A map that cannot be read says nothing; one of a copy that was not whole then may be of another time than the rest.
    fn look_at_length(&mut self, file: FileId, blocks: u64) -> Result<()> {
        let Some(began) = self.began else { return Ok(()) };
        let map = PageId::new(file, 0);
        let redo = began.redo[self.pool.partitions().of(map)];
        let mut copy = AlignedBuf::new(PAGE_BYTES);
        if redo < began.whole_at || self.pool.read_page(map, &mut copy).is_err() {
            return Ok(());
        }
        let Ok(total) = space::total_blocks(&copy) else { return Ok(()) };
        if blocks < u64::from(total) {
            self.cut.insert(file, Cut { blocks, total: total.into(), valid_from: page::lsn(&copy) });
        }
        if self.tail.is_some() { self.refuse_cut(redo) } else { Ok(()) }
    }

    /// The log changes a file's first map page, which was met. The first time that this is about the length, it says how long the file was when the replay began.
    pub fn map_changes(&mut self, file: FileId, ops: &[u8]) -> Result<()> {
        let Some(cut) = self.cut.get_mut(&file) else { return Ok(()) };
        let Some(total) = space::total_before(ops)? else { return Ok(()) };
        // Later changes say nothing of that any more.
        (cut.total, cut.valid_from) = (cut.total.min(total.into()), Lsn::ZERO);
        if cut.blocks >= cut.total {
            self.cut.remove(&file);
        }
        if self.tail.is_some() { self.refuse_cut(Lsn::ZERO) } else { Ok(()) }
    }

    /// Fails if a file is shorter than it was when the replay began, as far as the log up to `at` says so, and no truncation in it has explained that. A standby's replay shortens no file.
    pub fn refuse_cut(&self, at: Lsn) -> Result<()> {
        let Some((&file, cut)) = self.cut.iter().find(|(_, cut)| cut.valid_from <= at) else {
            return Ok(());
        };
        let bytes = |blocks: u64| blocks * PAGE_BYTES as u64;
        let (there, wanted, path) = (bytes(cut.blocks), bytes(cut.total), data_path(file));
        let what = format!("data file {path} has {there} bytes, and had at least {wanted} before");
        Err(Error::Corrupt(Corruption::of_file(file, what)))
    }

    /// The file was cut to so many blocks.
    pub fn explain(&mut self, file: FileId, blocks: u32) {
        self.missing.explain(file, blocks);
        if self.cut.get(&file).is_some_and(|cut| cut.blocks >= u64::from(blocks)) {
            self.cut.remove(&file);
        }
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
        }
        self.pool.files().remove(file)
    }

    /// Gives every file the space that its map says it has. All before `at` was redone.
    pub fn restore_lengths(&mut self, at: Lsn) -> Result<()> {
        self.refuse_cut(at)?;
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
