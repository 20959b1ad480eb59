//! Which columns of a scan are decoded when: those that decide whether a row is taken first, the others of rows that are.
//!
//! Invariants:
//! 1. Whoever has a scan leave columns to him completes each row before anything reads them, and is the only one who reads the scan.
//!
//! Must not know: how rows are stored.

use super::expr::Expr;
use super::{Access, Node, Op, Scan};

impl Scan {
    /// Has what the condition reads decoded first.
    pub(super) fn test_first(&mut self) {
        let mut read = vec![false; self.table.columns.len()];
        self.filter.iter().for_each(|f| self.mark(f, &mut read));
        let (tested, wanted): (Vec<usize>, Vec<usize>) = self.wanted.iter().copied().partition(|c| read[*c]);
        (self.tested, self.wanted) = (tested.into(), wanted.into());
    }

    /// What of the table's columns an expression reads.
    fn mark(&self, e: &Expr, read: &mut [bool]) {
        e.walk(&mut |e| {
            if let Expr::Column(c) = e
                && let Some(read) = c.checked_sub(self.at).and_then(|c| read.get_mut(c))
            {
                *read = true;
            }
        });
    }
}

impl Node {
    /// Has a scan of a whole table decode only what these expressions read: whoever reads its rows takes few of them, and completes those.
    pub(super) fn defer<'a>(&mut self, read_of_all: impl Iterator<Item = &'a Expr>) {
        let Op::Scan(s) = &mut self.op else { return };
        if !matches!(s.access, Access::All) || s.from_key.is_some() {
            return;
        }
        let mut read = vec![false; s.table.columns.len()];
        read_of_all.for_each(|e| s.mark(e, &mut read));
        let (more, late): (Vec<usize>, Vec<usize>) = s.wanted.iter().copied().partition(|c| read[*c]);
        let mut tested = [&s.tested[..], &more].concat();
        tested.sort_unstable();
        (s.is_late, s.tested, s.wanted) = (!late.is_empty(), tested.into(), late.into());
    }
}
