//! What a round writes, in which order, and when each file has had its last write.
//!
//! Invariants
//! 1. Every page handed in is in exactly one piece.
//! 2. A file is finished only behind the piece that holds its last page.
//!
//! Must not know: time, disks.

use super::options::Order;
use crate::base::{FileId, PageId};

/// The pages of a round in writing order.
#[derive(Debug)]
pub struct Plan {
    pages: Vec<PageId>,
    neighbours_together: bool,
    /// (number of pages after which it may be synced, file), ascending.
    finished: Vec<(usize, FileId)>,
}

impl Plan {
    /// Orders `pages`. In buffer order every file is finished at the end. Sorted, files are grouped into `batches` of about equal size, in order;
    /// a file is finished with its batch, or, with one batch, by itself.
    pub fn new(mut pages: Vec<PageId>, order: Order, batches: usize) -> Plan {
        let total = pages.len();
        let mut finished = Vec::new();
        if order == Order::Sorted {
            pages.sort_unstable();
        }
        if order == Order::Sorted {
            let mut done = 0;
            let mut open = 0; // files of the batch that is not full yet begin here
            for of_file in pages.chunk_by(|a, b| a.file == b.file) {
                done += of_file.len();
                finished.push((done, of_file[0].file));
                // The batch is full once its share of all pages is reached.
                let full = batches <= 1 || done * batches / total > batch_of(&finished, open, batches, total);
                if full || done == total {
                    finished[open..].iter_mut().for_each(|f| f.0 = done);
                    open = finished.len();
                }
            }
        } else {
            let mut files: Vec<FileId> = pages.iter().map(|p| p.file).collect();
            files.sort_unstable();
            files.dedup();
            finished.extend(files.into_iter().map(|f| (total, f)));
        }
        Plan { pages, neighbours_together: order == Order::Sorted, finished }
    }

    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// The next piece behind the first `done` pages: neighbours, at most `max`; with `across`, whatever comes next in order, as long as it is
    /// sorted. Empty at the end.
    pub fn piece(&self, done: usize, max: usize, across: bool) -> &[PageId] {
        let rest = &self.pages[done..];
        let mut n = rest.len().min(1);
        while n < rest.len().min(max)
            && self.neighbours_together
            && (across || neighbours(rest[n - 1], rest[n]))
        {
            n += 1;
        }
        &rest[..n]
    }

    /// Files that are finished once `done` pages are written, beginning behind the first `known` ones.
    pub fn finished(&self, known: usize, done: usize) -> &[(usize, FileId)] {
        let n = self.finished[known..].iter().take_while(|(at, _)| *at <= done).count();
        &self.finished[known..known + n]
    }
}

/// Which batch the open one is, from 0, by where it begins.
fn batch_of(finished: &[(usize, FileId)], open: usize, batches: usize, total: usize) -> usize {
    let begins = if open == 0 { 0 } else { finished[open - 1].0 };
    begins * batches / total
}

/// Whether `b` is the block after `a`.
pub fn neighbours(a: PageId, b: PageId) -> bool {
    a.file == b.file && a.block.0.checked_add(1) == Some(b.block.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::BlockNo;

    fn page(file: u64, block: u32) -> PageId {
        PageId { file: FileId(file), block: BlockNo(block) }
    }

    fn pieces(plan: &Plan, max: usize, across: bool) -> Vec<Vec<u32>> {
        let (mut done, mut out) = (0, Vec::new());
        loop {
            let piece = plan.piece(done, max, across);
            if piece.is_empty() {
                assert_eq!(done, plan.pages());
                return out;
            }
            done += piece.len();
            out.push(piece.iter().map(|p| p.block.0).collect());
        }
    }

    #[test]
    fn sorted_pages_go_in_runs_of_neighbours_within_a_file() {
        let pages = vec![page(2, 5), page(1, 4), page(1, 9), page(1, 3), page(1, 5), page(1, 10)];
        let plan = Plan::new(pages, Order::Sorted, 1);
        assert_eq!(pieces(&plan, 128, false), [vec![3, 4, 5], vec![9, 10], vec![5]]);
        assert_eq!(pieces(&plan, 2, false), [vec![3, 4], vec![5], vec![9, 10], vec![5]]);
        assert_eq!(pieces(&plan, 4, true), [vec![3, 4, 5, 9], vec![10, 5]]);
    }

    #[test]
    fn in_buffer_order_each_page_goes_by_itself_and_files_finish_at_the_end() {
        let plan = Plan::new(vec![page(2, 5), page(1, 4), page(1, 5)], Order::Buffer, 4);
        assert_eq!(pieces(&plan, 128, true), [vec![5], vec![4], vec![5]]);
        assert!(plan.finished(0, 2).is_empty());
        assert_eq!(plan.finished(0, 3), [(3, FileId(1)), (3, FileId(2))]);
    }

    #[test]
    fn a_file_is_finished_with_its_last_page_or_with_its_batch() {
        let pages: Vec<PageId> = [(1, 4), (2, 4), (3, 1), (4, 7)]
            .iter()
            .flat_map(|&(f, n)| (0..n).map(move |b| page(f, b)))
            .collect();
        let ends = |batches| Plan::new(pages.clone(), Order::Sorted, batches).finished.clone();
        let f = FileId;
        assert_eq!(ends(1), [(4, f(1)), (8, f(2)), (9, f(3)), (16, f(4))]);
        assert_eq!(ends(2), [(8, f(1)), (8, f(2)), (16, f(3)), (16, f(4))]);
        assert_eq!(ends(100), [(4, f(1)), (8, f(2)), (9, f(3)), (16, f(4))]);
        let plan = Plan::new(pages.clone(), Order::Sorted, 2);
        assert_eq!(plan.finished(0, 8).len(), 2);
        assert_eq!(plan.finished(2, 15).len(), 0);
    }

    #[test]
    fn nothing_to_write_is_an_empty_plan() {
        for order in Order::ALL {
            let plan = Plan::new(Vec::new(), order, 3);
            assert!(plan.piece(0, 128, true).is_empty() && plan.finished(0, 0).is_empty());
        }
    }
}
