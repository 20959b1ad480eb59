//! Applying changes to pages: what a worker does.
//!
//! Invariants
//! 1. A worker has all changes of its pages, in log order within a page. Redo of one page never looks at another, so the order between pages does not
//!    matter, and all changes of a page that wait together are applied at one go.
//!
//! Must not know: the log, files, which worker it is.

use super::files::Missing;
use super::wave::Item;
use crate::base::{Error, Lsn, PageId, Result};
use crate::page;
use crate::pool::{PageWrite, Pool};

/// What a worker has done so far.
#[derive(Default)]
pub(super) struct Worker {
    /// Changes of blocks that were cut off and have come again since, and are nothing yet.
    pub missing: Missing,
    /// Changes applied.
    pub blocks: u64,
    /// Pages that have their changes already are written home again, too: they may have come from a cache that holds what the disk does not
    /// (README, "Pages from a cache").
    pub rewrite: bool,
    /// The newest change that was met on a page, and on which.
    pub newest: Option<(Lsn, PageId)>,
}

impl Worker {
    /// Applies a batch, sorted by page. `bytes` is what its items point into.
    pub fn apply(&mut self, pool: &Pool, batch: &[Item], bytes: &[u8]) -> Result<()> {
        batch.chunk_by(|a, b| a.page == b.page).try_for_each(|group| self.apply_to_page(pool, group, bytes))
    }

    fn apply_to_page(&mut self, pool: &Pool, group: &[Item], bytes: &[u8]) -> Result<()> {
        // Whatever comes before all of the page is said does not matter.
        let from = group.iter().rposition(Item::is_whole).unwrap_or(0);
        let id = group[from].page;
        let wrap = |item: &Item| {
            let end = item.end;
            move |e| match e {
                Error::Corrupt(why) => {
                    Error::Corrupt(why.within(format_args!("redo of the log record that ends at {end}")))
                }
                other => other,
            }
        };
        let mut page = if group[from].is_whole() {
            self.missing.made(id);
            pool.fresh(id)
        } else {
            pool.write(id)
        }
        .map_err(wrap(&group[from]))?;
        for item in &group[from..] {
            self.apply_item(&mut page, id, item, bytes).map_err(wrap(item))?;
        }
        Ok(())
    }

    fn apply_item(&mut self, page: &mut PageWrite<'_>, id: PageId, item: &Item, bytes: &[u8]) -> Result<()> {
        if item.is_whole() {
            if let Some(image) = item.image(bytes) {
                image.restore(page.bytes_mut())?;
                page::check(page)?;
            }
        } else if page.lsn() == Lsn::ZERO && page::Page(page).kind() == Some(page::Kind::Unused) {
            // Cut off and grown again since: only an initialisation makes it a page again, or a truncation explains it.
            self.missing.add(id);
            return Ok(());
        } else if page.lsn() >= item.end {
            self.newest = self.newest.max(Some((page.lsn(), id)));
            if self.rewrite {
                page.mark_dirty();
            }
            return Ok(()); // invariant 2 of the README
        }
        page.mark_dirty();
        page::apply(page.bytes_mut(), item.ops(bytes)).map_err(|e| Error::of_page(id, e))?;
        page::set_lsn(page.bytes_mut(), item.end);
        self.blocks += 1;
        Ok(())
    }
}
