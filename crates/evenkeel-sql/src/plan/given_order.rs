//! Whether an index gives the order that is wanted.
//!
//! Must not know: what it costs.

use super::access::{Qual, Request};
use super::expr::{CmpOp, Expr};

impl<'a> Request<'a> {
    /// Whether an index whose first `fixed` columns have one value gives the wanted order, and in which direction.
    pub(super) fn order_of(
        &self,
        place: usize,
        fixed: usize,
        quals: &[Option<Qual<'a>>],
        consumed: &[bool],
    ) -> (bool, bool) {
        if self.desired.is_empty() {
            return (true, false);
        }
        let constant = |column: usize| {
            let is_one = |q: &Option<Qual<'a>>| match q {
                Some(Qual::Cmp(c, CmpOp::Eq, _) | Qual::Null(c)) => *c == column,
                _ => false,
            };
            quals.iter().zip(consumed).any(|(q, used)| *used && is_one(q))
        };
        let index = &self.table.indexes[place];
        // Behind a list there are columns that have one value; what begins with one value of the list comes before what begins with the next.
        let columns = fixed..index.columns.len();
        let mut columns = columns
            .filter(|n| !constant(self.column_of(place, *n)))
            .map(|n| (self.order_number(place, n), &index.columns[n]));
        let mut direction: Option<bool> = None;
        // Rows of a unique index may be alike where they have NULL.
        let mut may_be_null = false;
        for (at, key) in self.desired.iter().enumerate() {
            let Some(column) = self.number(&key.expr) else { return (false, false) };
            if constant(column) {
                continue;
            }
            let Some(ordered) = self.number(&key.compared()) else { return (false, false) };
            let Some((own, next)) = columns.next() else {
                // Past the end of a unique index there are no ties left to order, but for what rows that this one is joined with differ in.
                let is_ordered = index.unique && !may_be_null && self.wants_own(at) && direction.is_some();
                return (is_ordered, direction == Some(true));
            };
            if own != ordered {
                return (false, false);
            }
            let backward = next.desc != key.desc;
            let nulls_agree = (next.nulls_first != key.nulls_first) == backward;
            let is_not_null = self.table.has_no_null(column) || self.refuses_null(column);
            if !nulls_agree && !is_not_null {
                return (false, false);
            }
            may_be_null |= !is_not_null && !index.nulls_not_distinct;
            if direction.is_some_and(|d| d != backward) {
                return (false, false);
            }
            direction = Some(backward);
        }
        (true, direction == Some(true))
    }

    /// Whether what is ordered by, from some key on, are this table's columns alone.
    pub(super) fn wants_own(&self, from: usize) -> bool {
        self.desired[from..].iter().all(|k| self.number(&k.expr).is_some())
    }

    /// Whether a condition lets no row pass that has NULL in a column.
    fn refuses_null(&self, column: usize) -> bool {
        let is_it = |e: &Expr| match e {
            Expr::CollationKey(e, ..) => self.own_column(e) == Some(column),
            e => self.own_column(e) == Some(column),
        };
        self.quals.iter().any(|q| match q {
            Expr::Cmp(_, pair) => is_it(&pair.0) || is_it(&pair.1),
            Expr::IsNull(e, true) => is_it(e),
            Expr::InList(e, _, false) => is_it(e),
            _ => false,
        })
    }
}
