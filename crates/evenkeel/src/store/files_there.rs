//! Looking whether the trees' files are there, and as long as their maps say: after a start that nothing tells how they were. A tree that nobody uses would not be missed for years.
//!
//! It is done beside others' work, a few trees at a time, and past the pool, which keeps what it has for those who work. So what it sees of a page may be old: where that looks wrong, it looks again as a
//! user of the tree does.
//!
//! Must not know: who is told.

use super::{FIRST_USER_TREE, Store, TREES, Txn, TxnOptions};
use crate::base::{Corruption, Error, Lsn, PAGE_BYTES, PageId, Result, TreeId};
use crate::io::AlignedBuf;
use crate::page::{self, Kind, Page, flag};
use crate::pool::data_path;
use crate::space;

impl Store {
    /// What is wrong with the file of a tree whose root is in the block `root` of the tree of trees' file, or in its own. `None`: nothing, or there is no such tree any more.
    pub fn file_lacks(&self, id: TreeId, root: Option<u32>) -> Result<Option<Corruption>> {
        let mut copy = AlignedBuf::new(PAGE_BYTES);
        let looks_right = self.has_all(id, root, &mut copy).unwrap_or(false);
        if looks_right {
            return Ok(None);
        }
        match self.file_lacks_now(id) {
            Err(Error::NoSuchTree(_)) => Ok(None),
            Err(Error::Corrupt(why)) => Ok(Some(why)),
            done => done,
        }
    }

    /// The same on a standby, whose pages in memory may be ahead of its files for moments: by what is at home. `redo`: where its replay began. What that has changed since, it has looked at itself
    /// (`recovery/files.rs`).
    pub fn file_lacks_at_home(
        &self,
        id: TreeId,
        root: Option<u32>,
        redo: &[Lsn],
    ) -> Result<Option<Corruption>> {
        let (pool, file, mut copy) = (&self.env.pool, id.file(), AlignedBuf::new(PAGE_BYTES));
        if let Some(root) = root {
            let root = PageId::new(TREES.file(), root);
            if !pool.copy_resident(root, &mut copy) {
                pool.read_page(root, &mut copy)?;
            }
            if !Page(&copy).has(flag::HAS_FILE) {
                return Ok(None);
            }
        }
        let what = match pool.files().bytes(file)? {
            None => format!("data file {} is missing", data_path(file)),
            Some(there) => {
                let map = PageId::new(file, 0);
                // One that is just being written may be torn: it is newer than that anyway.
                let mut read = there >= PAGE_BYTES as u64 && pool.read_page(map, &mut copy).is_ok();
                if read && Page(&copy).kind() != Some(Kind::Map) {
                    // Other pages of a file that replay has made went home before its map, which is in memory, or has followed meanwhile.
                    read = pool.copy_resident(map, &mut copy) || pool.read_page(map, &mut copy).is_ok();
                }
                let is_old = read && page::lsn(&copy) <= redo[pool.partitions().of(map)];
                let wanted =
                    if is_old { u64::from(space::total_blocks(&copy)?) } else { 1 } * PAGE_BYTES as u64;
                if there >= wanted {
                    return Ok(None);
                }
                format!("data file {} has {there} bytes, and its map says {wanted}", data_path(file))
            }
        };
        Ok(self.is_live(id)?.then(|| Corruption::of_file(file, what)))
    }

    /// Whether there is such a tree, by what is committed now.
    fn is_live(&self, id: TreeId) -> Result<bool> {
        if id <= FIRST_USER_TREE {
            return Ok(true);
        }
        let mut txn = Txn::new(TxnOptions::default());
        self.begin_statement(&mut txn);
        let row = self.get(&mut txn, TREES, &id.0.to_be_bytes());
        self.rollback(&mut txn)?;
        Ok(row?.is_some())
    }

    /// By what is on the disk, or in memory.
    fn has_all(&self, id: TreeId, root: Option<u32>, copy: &mut [u8]) -> Result<bool> {
        let look_at = |page: PageId, copy: &mut [u8]| {
            if self.env.pool.copy_resident(page, copy) { Ok(()) } else { self.env.pool.read_page(page, copy) }
        };
        if let Some(root) = root {
            look_at(PageId::new(TREES.file(), root), copy)?;
            if !Page(copy).has(flag::HAS_FILE) {
                return Ok(true); // or it has one that is not at home yet
            }
        }
        look_at(PageId::new(id.file(), 0), copy)?;
        let total = space::total_blocks(copy)?;
        let bytes = self.env.pool.files().bytes(id.file())?.unwrap_or(0);
        Ok(bytes >= u64::from(total) * PAGE_BYTES as u64)
    }

    /// By what a user of the tree sees.
    fn file_lacks_now(&self, id: TreeId) -> Result<Option<Corruption>> {
        let tree = self.tree(id)?;
        let _visit = tree.space.visit()?;
        if !tree.space.has_file(&self.env)? {
            return Ok(None);
        }
        let total = space::total_blocks(&self.env.pool.read(PageId::new(id.file(), 0))?)?;
        let (wanted, files) = (u64::from(total) * PAGE_BYTES as u64, self.env.pool.files());
        let there = files.must_get(id.file())?.len().map_err(|e| Error::io("asking for a length", e))?;
        Ok((there < wanted).then(|| {
            let what =
                format!("data file {} has {there} bytes, and its map says {wanted}", data_path(id.file()));
            Corruption::of_file(id.file(), what)
        }))
    }
}
