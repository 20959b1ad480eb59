//! Space inside a tree's file: which blocks are in use, growing and cutting the file.
//!
//! Block 0 and every block that is a multiple of [`MAP_BLOCKS`] is a map page: a bit a block. The map page of block 0 also holds the file's
//! length in blocks. Map page: magic u32 at 32, length in blocks u32 at 36 (block 0 only), bitmap from byte 64.
//!
//! Must not know: what is stored in the blocks.
//!
//! Invariants
//! 1. A file has its space, up to the new length, before a record names the new blocks: using them never runs out of space. The length itself is
//!    durable with the next sync of the file, which a round makes before the map page with the new length is behind a redo point; redo
//!    restores it until then. So growing waits for no device: on a rotating disk its sync cost every commit beside it revolutions.
//! 2. A block is handed out once: its bit is clear on a page that is a map, and it is neither promised to another caller nor in quarantine.
//! 3. A freed block is reused only after every descent that began before the free has ended (quarantine by epochs).
//! 4. A file is cut only from a free tail: first the length in the map, then the record, flushed, then the file.
//! 5. A file is dropped only after everybody has left its tree; whoever comes later gets `NoSuchTree`. So none of its pages can become dirty, or
//!    be loaded, again. Whoever touches a page of a tree is inside a descent or a visit.
//! 6. A tree whose root is a page of another file has a file of its own from when it needs a second block. The record that initialises the file's map
//!    sets `HAS_FILE` on the root: without that flag whatever bears the file's name is the rest of a creation that was cut short.

mod descents;
mod grow;

pub use descents::{Descent, Descents, Visit};
pub use grow::total_before;

use crate::base::codec::{put_varint, u32_at};
use crate::base::sync::Mutex;
use crate::base::sync::counter::{AtomicU64, Ordering};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result, TxnId};
use crate::io::File;
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page, flag};
use crate::pool::{PageRead, PageWrite, RUN_PAGES};
use crate::wal::record;
use std::collections::{HashSet, VecDeque};

/// Blocks that one map page covers: 256 MiB.
pub const MAP_BLOCKS: u32 = 32_768;
/// The root of the tree in a file; it never moves.
pub const ROOT_BLOCK: u32 = 1;
const BITMAP_AT: usize = 64;
const MAGIC: u32 = 0x4D41_5031;
const MAGIC_AT: usize = 32;
const TOTAL_AT: usize = 36;
/// Smallest and largest step by which a file grows, in blocks.
const GROW_MIN: u32 = 8;
const GROW_MAX: u32 = 1024;

/// Space of one file.
pub struct FileSpace {
    file: FileId,
    /// The tree's root, if it is a page of another file (invariant 6).
    root: Option<PageId>,
    /// Held while maps are searched and while the file grows or is cut: before any page latch.
    turn: Mutex<()>,
    /// Held for moments only, also under page latches.
    state: Mutex<State>,
    descents: Descents,
}

#[derive(Default)]
struct State {
    /// Length in blocks; 0 = not read yet.
    total: u32,
    /// Below this there is no free block.
    hint: u32,
    promised: HashSet<u32>,
    /// Freed blocks with the epoch of their free, oldest first, and the same as a set.
    quarantine: VecDeque<(u64, u32)>,
    quarantined: HashSet<u32>,
}

/// Blocks set aside for a caller; those not taken by a mini-transaction are given back on drop.
pub struct Blocks<'s> {
    space: &'s FileSpace,
    /// The numbers.
    pub blocks: Vec<u32>,
}

impl Blocks<'_> {
    /// Leaves them set aside, for whoever knows their numbers: see [`FileSpace::kept`].
    pub fn keep(mut self) -> Vec<u32> {
        std::mem::take(&mut self.blocks)
    }
}

impl Drop for Blocks<'_> {
    fn drop(&mut self) {
        let mut s = self.space.state.lock();
        for b in &self.blocks {
            s.promised.remove(b);
            s.hint = s.hint.min(*b);
        }
    }
}

/// How often the end of some file was cut off: what was remembered of a block there is no longer so, as its dead page was forgotten unwritten, and what lies at home
/// may be older. Or how often a tree began to be filled from below: a leaf that nobody can reach is written where another one was.
static CUTS: AtomicU64 = AtomicU64::new(0);

/// See [`CUTS`]. Whoever looks at a page of a remembered block reads it again behind the page's latch.
pub fn cuts() -> u64 {
    CUTS.load(Ordering::SeqCst)
}

/// Before the pages behind a cut are forgotten, or the first page of a filling is written.
pub fn note_cut() {
    CUTS.fetch_add(1, Ordering::SeqCst);
}

/// The map page of a block.
pub fn map_of(block: u32) -> u32 {
    block / MAP_BLOCKS * MAP_BLOCKS
}

/// The op that marks a block used or free on its map page.
pub fn bit_op(block: u32, used: bool) -> Op<'static> {
    Op::Bits { on: used, base: BITMAP_AT, first: (block % MAP_BLOCKS) as usize, count: 1 }
}

/// Whether a block's bit is set on its map page.
pub fn bit(map: &[u8], block: u32) -> bool {
    let bit = (block % MAP_BLOCKS) as usize;
    map[BITMAP_AT + bit / 8] & (1 << (bit % 8)) != 0
}

/// The file's length in blocks by its first map page.
pub fn total_blocks(map0: &[u8]) -> Result<u32> {
    if Page(map0).kind() != Some(Kind::Map) || u32_at(map0, MAGIC_AT) != MAGIC {
        return Err(Error::corrupt("block 0 is not a map page"));
    }
    let total = u32_at(map0, TOTAL_AT);
    if total < GROW_MIN {
        return Err(Error::corrupt(format!("the map says that the file has {total} blocks")));
    }
    Ok(total)
}

/// A map that is lost reads as zeros, as if nothing were in use: nothing is handed out by it.
fn expect_map(page: &[u8], id: PageId) -> Result<()> {
    match Page(page).kind() {
        Some(Kind::Map) => Ok(()),
        other => Err(Error::of_page(id, format!("expected a map page, found {other:?}"))),
    }
}

/// Removes files that were dropped, the last of them by a record that ends at `end`: flush first, then removal, so that no redo meets changes of a file that is not there and was not dropped.
pub fn remove_dropped(env: &Env, files: &[FileId], end: Lsn) -> Result<()> {
    env.wal.flush(end)?;
    files.iter().for_each(|file| env.pool.discard(*file, 0));
    env.pool.files().remove_all(files)
}

impl FileSpace {
    /// The space of an existing file.
    pub fn new(file: FileId) -> FileSpace {
        FileSpace {
            file,
            root: None,
            turn: Mutex::default(),
            state: Mutex::default(),
            descents: Descents::default(),
        }
    }

    /// The space of a file that is made when the tree outgrows its root, a page of another file.
    pub fn with_root(file: FileId, root: PageId) -> FileSpace {
        FileSpace { root: Some(root), ..FileSpace::new(file) }
    }

    /// Begins a descent into the tree: until it ends no freed block is reused and the file stays. `NoSuchTree` once it is being dropped.
    pub fn descend(&self) -> Result<Descent<'_>> {
        self.descents.begin().ok_or(Error::NoSuchTree(self.file.tree()))
    }

    /// Begins a use of the file that follows no tree links: until it ends the file stays. `NoSuchTree` once it is being dropped.
    pub fn visit(&self) -> Result<Visit<'_>> {
        self.descents.visit().ok_or(Error::NoSuchTree(self.file.tree()))
    }

    /// The file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Creates the file and its map, and the tree's empty root if it lives in it, all of it logged. Waits for no device: the name is durable with the
    /// next sync of the file, as its length is (invariant 1). `Ok(false)`: the number is taken on disk.
    pub fn create(&self, env: &Env) -> Result<bool> {
        let _promise = env.wal.promise(record_bound(2, 256))?;
        let files = env.pool.files();
        let Some(handle) = files.create(self.file)? else { return Ok(false) };
        match self.furnish(env, &*handle) {
            Ok(()) => Ok(true),
            Err(e @ Error::Poisoned(_)) => Err(e),
            Err(e) => {
                env.pool.discard(self.file, 0);
                files.remove(self.file)?;
                Err(e)
            }
        }
    }

    fn furnish(&self, env: &Env, handle: &dyn File) -> Result<()> {
        handle
            .allocate(0, u64::from(GROW_MIN) * PAGE_BYTES as u64)
            .map_err(|e| Error::io(format!("creating data file {}", self.file.0), e))?;
        let mut map = env.pool.fresh(PageId::new(self.file, 0))?;
        let mut root = match self.root {
            Some(root) => env.pool.write(root)?,
            None => env.pool.fresh(PageId::new(self.file, ROOT_BLOCK))?,
        };
        let flags = Page(&root).flags();
        let mut head = [0u8; 8];
        head[..4].copy_from_slice(&MAGIC.to_le_bytes());
        head[4..].copy_from_slice(&GROW_MIN.to_le_bytes());
        let mut m = Mtr::new();
        // Block 1 is the root's name in any case.
        m.page(&mut map)
            .op(Op::Init { kind: Kind::Map, level: 0, flags: 0, right: 0 })
            .op(Op::Bytes { at: MAGIC_AT, bytes: &head })
            .op(Op::Bits { on: true, base: BITMAP_AT, first: 0, count: 2 });
        m.page(&mut root).op(match self.root {
            Some(_) => Op::Flags(flags | flag::HAS_FILE),
            None => Op::Init { kind: Kind::Tree, level: 0, flags: 0, right: 0 },
        });
        env.commit(m).map(drop)
    }

    /// Makes the file of a tree that outgrows its root (invariant 6). Under `turn`.
    fn begin_file(&self, env: &Env) -> Result<()> {
        if !self.create(env)? {
            env.pool.discard(self.file, 0);
            env.pool.files().remove(self.file)?;
            if !self.create(env)? {
                return Err(Error::corrupt(format!(
                    "data file {} cannot be made: there is one",
                    self.file.0
                )));
            }
        }
        self.load(env).map(drop)
    }

    /// Logs that the file goes, if there is one: waits until everybody has left (invariant 5). It is the caller's to remove it, by [`remove_dropped`]. May be called again after an error.
    /// Redo removes it again if need be. A root elsewhere is the caller's to free. `dropper`: who does not see that transaction may still want the file; 0: nobody does.
    /// Log space for the record must have been obtained; gives its bytes, and where it ends.
    pub fn drop_file(&self, env: &Env, dropper: TxnId) -> Result<Option<(u64, Lsn)>> {
        self.descents.close();
        if self.root.is_some() && !env.pool.files().is_there(self.file)? {
            return Ok(None);
        }
        let mut body = Vec::new();
        record::put_head(&mut body, record::Kind::DropFile, None, &[]);
        put_varint(&mut body, self.file.0);
        put_varint(&mut body, dropper.0);
        let (start, end) = env.log(&body, &|_| {})?;
        Ok(Some((end.0 - start.0, end)))
    }

    /// Sets `n` free blocks aside, growing the file if need be. Fails with `OutOfSpace`, harming nobody.
    pub fn obtain(&self, env: &Env, n: usize) -> Result<Blocks<'_>> {
        let _turn = self.turn.lock();
        if !self.load(env)? {
            self.begin_file(env)?;
        }
        self.release_quarantine();
        let mut got = Blocks { space: self, blocks: Vec::with_capacity(n) };
        loop {
            self.search(env, n - got.blocks.len(), &mut got.blocks)?;
            if got.blocks.len() == n {
                return Ok(got);
            }
            self.grow(env)?;
        }
    }

    /// Blocks that were left set aside by [`Blocks::keep`].
    pub fn kept(&self, blocks: Vec<u32>) -> Blocks<'_> {
        Blocks { space: self, blocks }
    }

    /// Declares that a committed mini-transaction has set the bits of these blocks.
    pub fn taken(&self, got: &mut Blocks<'_>, used: usize) {
        let mut s = self.state.lock();
        for b in got.blocks.drain(..used) {
            s.promised.remove(&b);
        }
    }

    /// Must be called before the mini-transaction that clears the block's bit: from then on the block looks free.
    pub fn quarantine(&self, block: u32) {
        let mut s = self.state.lock();
        let epoch = self.descents.now();
        s.quarantine.push_back((epoch, block));
        s.quarantined.insert(block);
        s.hint = s.hint.min(block);
    }

    /// Latches the map pages of `blocks` for changing, each once, in ascending order: the last latches of a mini-transaction.
    pub fn latch_maps<'p>(&self, env: &'p Env, blocks: &[u32]) -> Result<Vec<PageWrite<'p>>> {
        let mut maps: Vec<u32> = blocks.iter().map(|b| map_of(*b)).collect();
        maps.sort_unstable();
        maps.dedup();
        let latch = |m: u32| {
            let id = PageId::new(self.file, m);
            let map = env.pool.write(id)?;
            expect_map(&map, id).map(|()| map)
        };
        maps.into_iter().map(latch).collect()
    }

    /// The map page of a block, for reading.
    fn map<'p>(&self, env: &'p Env, block: u32) -> Result<PageRead<'p>> {
        let id = PageId::new(self.file, map_of(block));
        let map = env.pool.read(id)?;
        expect_map(&map, id).map(|()| map)
    }

    /// Adds the map changes of `blocks` to a mini-transaction.
    pub fn mark<'g, 'p>(m: &mut Mtr<'g, 'p>, maps: &'g mut [PageWrite<'p>], blocks: &[u32], used: bool) {
        for map in maps {
            let at = map.id().block.0;
            m.page(map);
            for b in blocks.iter().filter(|b| map_of(**b) == at) {
                m.op(bit_op(*b, used));
            }
        }
    }

    /// The length in bytes of the file and of a root elsewhere.
    pub fn bytes(&self, env: &Env) -> Result<u64> {
        let _visit = self.visit()?;
        // Not what is remembered: on a standby others' log makes files grow.
        let blocks = self.length(env)?.unwrap_or(0) + u32::from(self.root.is_some());
        Ok(u64::from(blocks) * PAGE_BYTES as u64)
    }

    /// Loads blocks that will be read next, as far as the file has them. Inside a descent. Blocks for the disk; what goes wrong is met by whoever reads them.
    pub fn read_ahead(&self, env: &Env, blocks: std::ops::Range<u32>) {
        if let Ok(Some(total)) = self.length(env) {
            env.pool.read_ahead(self.file, blocks.start..blocks.end.min(total));
        }
    }

    /// Loads blocks of the file that somebody will want, as far as it has them; gives how many of them it has. Blocks for the disk. A visit of its own for
    /// each read: who drops the file waits for one. `trim` waits for none: a block that it cuts off meanwhile was free, and its page, clean, may stay in the pool until it is
    /// evicted or the block is taken again, whose user does not look at what it held (`Pool::fresh`).
    pub fn prewarm(&self, env: &Env, blocks: std::ops::Range<u32>) -> Result<u32> {
        let mut from = blocks.start;
        while from < blocks.end {
            let _visit = self.visit()?;
            let total = self.length(env)?.unwrap_or(0).min(blocks.end);
            if from >= total {
                break;
            }
            let to = total.min(from.saturating_add(RUN_PAGES as u32));
            env.pool.read_ahead(self.file, from..to);
            from = to;
        }
        Ok(from - blocks.start)
    }

    /// Whether the tree has a file (invariant 6). Inside a visit.
    pub fn has_file(&self, env: &Env) -> Result<bool> {
        self.load(env)
    }

    /// The file's length in blocks, by its map; none if there is no file yet.
    fn length(&self, env: &Env) -> Result<Option<u32>> {
        if let Some(root) = self.root
            && !Page(&env.read(root)?).has(flag::HAS_FILE)
        {
            return Ok(None);
        }
        total_blocks(&env.read(PageId::new(self.file, 0))?).map(Some)
    }

    /// Reads the file's length from its map, once; false if there is no file yet.
    fn load(&self, env: &Env) -> Result<bool> {
        if self.state.lock().total == 0 {
            let Some(total) = self.length(env)? else { return Ok(false) };
            let mut s = self.state.lock();
            if s.total == 0 {
                s.total = total;
                s.hint = ROOT_BLOCK + 1;
            }
        }
        Ok(true)
    }

    fn release_quarantine(&self) {
        let mut s = self.state.lock();
        while let Some(&(epoch, block)) = s.quarantine.front() {
            if !self.descents.all_ended_before(epoch) {
                return;
            }
            s.quarantine.pop_front();
            s.quarantined.remove(&block);
            s.hint = s.hint.min(block);
        }
    }

    /// Collects up to `n` free blocks from the maps. Under `turn`.
    fn search(&self, env: &Env, n: usize, out: &mut Vec<u32>) -> Result<()> {
        let (mut block, total) = {
            let s = self.state.lock();
            (s.hint, s.total)
        };
        let mut left = n;
        while left > 0 && block < total {
            let map = self.map(env, block)?;
            let end = total.min(map_of(block) + MAP_BLOCKS);
            let mut s = self.state.lock();
            while left > 0 && block < end {
                let free = !bit(&map, block) && !block.is_multiple_of(MAP_BLOCKS);
                if free && !s.quarantined.contains(&block) && s.promised.insert(block) {
                    out.push(block);
                    left -= 1;
                }
                block += 1;
            }
            // Quarantined and promised blocks that were passed over lower the hint again when they come back; so does a block freed
            // behind us, which enters the quarantine before its bit is cleared.
            s.hint = block;
        }
        Ok(())
    }
}
