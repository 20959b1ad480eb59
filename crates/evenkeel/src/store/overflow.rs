//! Large values: chains of overflow pages. A leaf item then holds the length (varint) and the first block (u32).
//!
//! Overflow page: header with kind `Overflow` and the next block as right link; data length u32 at 32; data from 36.
//!
//! Invariants
//! 1. The first page is logged with the transaction's undo; later pages hang on it from the moment they are allocated. So a chain that is not
//!    finished is found and freed by undo. But of a tree that is being filled: its chains go with the tree, as its pages do, and no rollback to a savepoint takes them from it.
//! 2. The first page is freed last, in the same record as whatever named the chain.

use super::handle::Txn;
use super::reserve::{CHAIN_BYTES, IMAGE_BYTES, PIECE_BYTES};
use super::undo_entry::EntryRef;
use super::{Store, log_undo};
use crate::base::codec::{Reader, put_varint, u32_at};
use crate::base::{Error, PAGE_BYTES, PageId, Result, TreeId, TxnId};
use crate::btree::Tree;
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page};
use crate::space::FileSpace;
use crate::txn::Shared;

const LEN_AT: usize = 32;
const DATA_AT: usize = 36;
const DATA_BYTES: usize = PAGE_BYTES - DATA_AT;
/// Pages freed in one record.
const FREE_BATCH: usize = 64;

/// Encodes a reference to a chain.
pub(super) fn reference(len: usize, head: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(9);
    put_varint(&mut out, len as u64);
    out.extend_from_slice(&head.to_le_bytes());
    out
}

/// The first block that a reference names.
pub(super) fn head_of(reference: &[u8]) -> Result<(usize, u32)> {
    let mut r = Reader::new(reference, "reference to a large value");
    let len = r.varint_max(super::MAX_VALUE_BYTES)?;
    Ok((len, r.u32()?))
}

/// Reads the value that a reference names. May be stopped at each piece: some hundred megabytes take seconds from the disk.
pub(super) fn read(store: &Store, t: &Txn, tree: TreeId, reference: &[u8]) -> Result<Vec<u8>> {
    let (len, mut block) = head_of(reference)?;
    let mut out = Vec::with_capacity(len.min(1 << 20));
    while out.len() < len {
        t.check_interrupt()?;
        let id = PageId::new(tree.file(), block);
        block = store.between_waves(|env| {
            let page = env.read(id)?;
            let n = u32_at(&page, LEN_AT) as usize;
            if Page(&page).kind() != Some(Kind::Overflow) || n == 0 || n > DATA_BYTES || n > len - out.len() {
                return Err(Error::of_page(id, "not the expected piece of a large value"));
            }
            out.extend_from_slice(&page[DATA_AT..DATA_AT + n]);
            Ok(Page(&page).right())
        })?;
    }
    Ok(out)
}

/// Calls `f` for each block of a chain until it says to stop; for the verifier. What is not a chain of the right length is `Corrupt`.
pub(crate) fn blocks(
    env: &Env,
    tree: TreeId,
    reference: &[u8],
    f: &mut dyn FnMut(u32) -> bool,
) -> Result<()> {
    let (len, head) = head_of(reference)?;
    if len == 0 {
        return Err(Error::in_file(tree.file(), "a large value of no bytes"));
    }
    let (mut left, mut stopped) = (len.div_ceil(DATA_BYTES), false);
    blocks_from(env, tree, head, &mut |block| {
        left -= 1;
        stopped = !f(block);
        !stopped && left > 0
    })?;
    if left > 0 && !stopped {
        return Err(Error::in_file(tree.file(), format!("a large value lacks {left} pieces")));
    }
    Ok(())
}

/// Calls `f` for each block from the first to the end of a chain, until it says to stop.
pub(crate) fn blocks_from(env: &Env, tree: TreeId, head: u32, f: &mut dyn FnMut(u32) -> bool) -> Result<()> {
    let mut block = head;
    while block != 0 {
        let id = PageId::new(tree.file(), block);
        let page = env.pool.read(id)?;
        if Page(&page).kind() != Some(Kind::Overflow) {
            return Err(Error::of_page(id, "not a piece of a large value"));
        }
        if !f(block) {
            return Ok(());
        }
        block = Page(&page).right();
    }
    Ok(())
}

/// Who gives a chain back that nothing will name.
pub(super) enum GivenBack<'a> {
    /// The undo of the transaction.
    ByUndo(&'a Shared),
    /// Whoever fills the tree: the first block of each is noted.
    ByFilling(&'a mut Vec<u32>),
}

impl Store {
    /// Writes a chain and gives its reference. On error the part that was written is undone with the operation.
    pub(super) fn write_chain(
        &self,
        t: &mut Txn,
        mut given_back: GivenBack<'_>,
        tree: &Tree,
        value: &[u8],
    ) -> Result<Vec<u8>> {
        let _visit = tree.space.visit()?;
        let mut previous: Option<u32> = None;
        let mut head = 0;
        for piece in value.chunks(DATA_BYTES) {
            t.check_interrupt()?;
            let promise = self.env.wal.promise(record_bound(3, PAGE_BYTES + 256))?;
            // For freeing it: its bit, and with the first piece the last two records and an image of the piece itself.
            let first = if previous.is_none() { CHAIN_BYTES } else { 0 };
            let rollback = match given_back {
                GivenBack::ByUndo(_) => Some(self.env.wal.promise(PIECE_BYTES + IMAGE_BYTES + first)?),
                GivenBack::ByFilling(_) => None,
            };
            let mut got = tree.space.obtain(&self.env, 1)?;
            let block = got.blocks[0];
            if let (None, GivenBack::ByUndo(shared)) = (previous, &given_back) {
                Txn::undo_log(shared).prepare()?;
            }
            let mut page = self.env.pool.fresh(PageId::new(tree.space.file(), block))?;
            let mut before = match previous {
                Some(b) => Some(self.env.pool.write(PageId::new(tree.space.file(), b))?),
                None => None,
            };
            let mut maps = tree.space.latch_maps(&self.env, &[block])?;
            let mut m = Mtr::new();
            m.page(&mut page)
                .op(Op::Init { kind: Kind::Overflow, level: 0, flags: 0, right: 0 })
                .op(Op::Bytes { at: LEN_AT, bytes: &(piece.len() as u32).to_le_bytes() })
                .op(Op::Bytes { at: DATA_AT, bytes: piece });
            if let Some(before) = &mut before {
                m.page(before).op(Op::Right(block));
            }
            FileSpace::mark(&mut m, &mut maps, &[block], true);
            match (previous, &mut given_back) {
                (None, GivenBack::ByUndo(shared)) => {
                    let mut payload = Vec::new();
                    log_undo::chain(block, &mut payload);
                    let undo = Txn::undo_log(shared);
                    let seq = undo.push(tree.tree_id(), shared.last_lsn(), &EntryRef::Chain(block));
                    if let Err(e) = self.commit_change(shared, m, &payload) {
                        undo.pop(seq);
                        return Err(e);
                    }
                    t.logged = true;
                }
                (None, GivenBack::ByFilling(heads)) => {
                    self.env.commit(m)?;
                    heads.push(block);
                }
                (Some(_), _) => _ = self.env.commit(m)?,
            }
            if previous.is_none() {
                head = block;
            }
            drop((page, before, maps, promise));
            if let (GivenBack::ByUndo(shared), Some(rollback)) = (&given_back, rollback) {
                let map = PageId::new(tree.space.file(), crate::space::map_of(block));
                self.set_aside(shared, map, PIECE_BYTES + first, rollback);
            }
            tree.space.taken(&mut got, 1);
            previous = Some(block);
        }
        Ok(reference(value.len(), head))
    }

    /// Frees chains of a tree that was to be filled, and that nothing names.
    pub(super) fn free_chains_of_filling(&self, tree: &Tree, heads: &[u32]) -> Result<()> {
        for head in heads {
            self.free_chain_rest(tree, *head, TxnId(0), None)?;
            let _promise = self.env.wal.promise(record_bound(1, 128))?;
            let mut maps = tree.space.latch_maps(&self.env, &[*head])?;
            let mut m = Mtr::new();
            FileSpace::mark(&mut m, &mut maps, &[*head], false);
            tree.space.quarantine(*head);
            self.env.commit(m)?;
        }
        Ok(())
    }

    /// Frees all of a chain but its first page, in records of up to `FREE_BATCH` pages. May be cut short anywhere and begun again. With a `roller`,
    /// the log space is that of its rollback. Nobody wants it who sees the transaction `after`; 0: nobody wants it. Gives the number of pages freed.
    pub(super) fn free_chain_rest(
        &self,
        tree: &Tree,
        head: u32,
        after: TxnId,
        roller: Option<&Shared>,
    ) -> Result<u64> {
        let file = tree.space.file();
        let mut count = 0;
        loop {
            let mut freed: Vec<u32> = Vec::new();
            let mut maps_touched = std::collections::BTreeSet::new();
            let link = |block: u32| -> Result<u32> {
                let page = self.env.pool.read(PageId::new(file, block))?;
                match Page(&page).kind() {
                    Some(Kind::Overflow) => Ok(Page(&page).right()),
                    _ => Err(Error::of_page(PageId::new(file, block), "not a piece of a large value")),
                }
            };
            let mut next = link(head)?;
            // Two map pages at most, so that the promise below is enough.
            while next != 0 && freed.len() < FREE_BATCH && maps_touched.len() <= 2 {
                maps_touched.insert(crate::space::map_of(next));
                if maps_touched.len() > 2 {
                    break;
                }
                if next == head || freed.contains(&next) {
                    return Err(Error::in_file(file, "a large value runs in a circle"));
                }
                let after = link(next)?;
                freed.push(next);
                next = after;
            }
            if freed.is_empty() {
                return Ok(count);
            }
            count += freed.len() as u64;
            let room = self.room(roller, record_bound(4, 4096))?;
            let mut first = self.env.pool.write(PageId::new(file, head))?;
            let mut maps = tree.space.latch_maps(&self.env, &freed)?;
            let mut m = Mtr::new();
            m.page(&mut first).op(Op::Right(next));
            FileSpace::mark(&mut m, &mut maps, &freed, false);
            freed.iter().for_each(|b| tree.space.quarantine(*b));
            let mut note = Vec::new();
            if after.0 != 0 {
                log_undo::gone(after, &mut note);
            }
            let (start, end) = self.env.commit_with(m, None, &note, &|_| {})?;
            self.spent(roller, &room, end.0 - start.0);
        }
    }
}
