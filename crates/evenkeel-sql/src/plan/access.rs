//! How one table is read: which index serves the conditions, and the order that it gives.
//!
//! Conditions of the form `column op value`, where the value reads no column of the table itself, are matched against the leading
//! columns of each index: equalities first, then one list (IN), then bounds of the next column. What an index answers exactly is taken
//! out of the conditions; the rest is checked on each row.
//!
//! Invariants:
//! 1. A condition is taken out only if every row that the index yields satisfies it. Bounds stay in the filter: an index range may
//!    include NULLs.
//! 2. Key values may read columns of relations joined earlier: they stand in the same row buffer.
//!
//! Must not know: joins, the executor's cursors.

use super::expr::{CmpOp, Expr};
use super::{Access, Bounds, KeyList, KeyPart, SortKey};
use crate::catalog::{Index, Table};
use evenkeel_types::Type;
use std::sync::Arc;

/// A way to read a table.
pub struct Path {
    /// Which rows are visited.
    pub access: Access,
    /// Conditions (by position) that the access answers.
    pub consumed: Vec<bool>,
    /// Rows expected after all conditions.
    pub rows: f64,
    /// What one run costs.
    pub cost: f64,
    /// The wanted order comes for free.
    pub ordered: bool,
    /// Last to first.
    pub backward: bool,
}

/// What is asked of a table.
pub struct Request<'a> {
    /// The table.
    pub table: &'a Arc<Table>,
    /// Where its columns begin in the buffer.
    pub at: usize,
    /// Conditions that can be checked while it is read.
    pub quals: &'a [Expr],
    /// The wanted order.
    pub desired: &'a [SortKey],
    /// Only some rows of that order will be read.
    pub limited: bool,
    /// Indexes of later catalog versions must not be read.
    pub snapshot_version: u64,
}

enum Qual<'a> {
    Cmp(usize, CmpOp, &'a Expr),
    List(usize, &'a [Expr]),
    Array(usize, &'a Expr),
}

impl<'a> Request<'a> {
    /// The table's column that an expression is, if the index can answer comparisons of it.
    fn own_column(&self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Column(c) => c.checked_sub(self.at).filter(|c| *c < self.table.columns.len()),
            Expr::Cast(c)
                if c.typmod == -1 && c.to == Type::Text && matches!(c.from, Type::Varchar | Type::Name) =>
            {
                self.own_column(&c.expr)
            }
            _ => None,
        }
    }

    fn is_value(&self, e: &Expr) -> bool {
        let own = self.at..self.at + self.table.columns.len() + 1;
        !e.any(|e| match e {
            Expr::Column(c) => own.contains(c),
            Expr::Aggregate(_) | Expr::Subquery(..) => true,
            Expr::Call(f, _) => f.volatile == evenkeel_types::Volatility::Volatile,
            _ => false,
        })
    }

    fn analyse(&self, q: &'a Expr) -> Option<Qual<'a>> {
        match q {
            Expr::Cmp(op, pair) => {
                if let Some(c) = self.own_column(&pair.0)
                    && self.is_value(&pair.1)
                {
                    return Some(Qual::Cmp(c, *op, &pair.1));
                }
                let c = self.own_column(&pair.1)?;
                self.is_value(&pair.0).then_some(Qual::Cmp(c, op.flipped(), &pair.0))
            }
            Expr::InList(e, list, false) => {
                let c = self.own_column(e)?;
                list.iter().all(|x| self.is_value(x)).then_some(Qual::List(c, list))
            }
            Expr::AnyArray(CmpOp::Eq, pair, true) => {
                let c = self.own_column(&pair.0)?;
                self.is_value(&pair.1).then_some(Qual::Array(c, &pair.1))
            }
            _ => None,
        }
    }

    /// The cheapest way.
    pub fn choose(&self) -> Path {
        let total = self.table.estimated_rows();
        let quals: Vec<Option<Qual<'a>>> = self.quals.iter().map(|q| self.analyse(q)).collect();
        let filtered = self.quals.iter().fold(total, |rows, _| rows * 0.33).max(1.0);
        let mut best = Path {
            access: Access::All,
            consumed: vec![false; quals.len()],
            rows: filtered,
            cost: 1.0 + total * 0.02,
            ordered: self.desired.is_empty(),
            backward: false,
        };
        let sort_cost =
            |rows: f64| if self.desired.is_empty() { 0.0 } else { rows * rows.max(2.0).log2() * 0.005 };
        let mut best_total = best.cost + sort_cost(best.rows);
        for index in &self.table.indexes {
            if index.since_version > self.snapshot_version {
                continue;
            }
            let Some(path) = self.through(index, &quals, total) else { continue };
            let mut cost = path.cost;
            if path.ordered && !self.desired.is_empty() {
                if self.limited {
                    cost *= 0.1;
                }
            } else {
                cost += sort_cost(path.rows);
            }
            if cost < best_total {
                best_total = cost;
                best = path;
            }
        }
        best
    }

    fn through(&self, index: &Arc<Index>, quals: &[Option<Qual<'a>>], total: f64) -> Option<Path> {
        let mut consumed = vec![false; quals.len()];
        let mut keys: Vec<KeyPart> = Vec::new();
        let mut list: Option<(usize, KeyList, f64)> = None;
        let mut bounds: Option<Bounds> = None;
        let mut selectivity = 1.0;
        for c in &index.columns {
            let ty = self.table.types[c.column];
            let equal = quals.iter().enumerate().find_map(|(n, q)| match q {
                Some(Qual::Cmp(column, CmpOp::Eq, value)) if *column == c.column && !consumed[n] => {
                    Some((n, *value))
                }
                _ => None,
            });
            if let Some((n, value)) = equal {
                consumed[n] = true;
                keys.push(KeyPart { expr: value.clone(), ty });
                selectivity *= 0.01;
                continue;
            }
            if list.is_none() {
                let found = quals.iter().enumerate().find_map(|(n, q)| match q {
                    Some(Qual::List(column, items)) if *column == c.column => {
                        Some((n, KeyList::Exprs((*items).into()), items.len() as f64))
                    }
                    Some(Qual::Array(column, array)) if *column == c.column => {
                        Some((n, KeyList::Array((*array).clone()), 10.0))
                    }
                    _ => None,
                });
                if let Some((n, items, count)) = found {
                    consumed[n] = true;
                    list = Some((keys.len(), items, count));
                    keys.push(KeyPart { expr: Expr::null(), ty });
                    selectivity *= (0.01 * count).min(1.0);
                    continue;
                }
            }
            let mut b = Bounds { ty, low: None, high: None };
            for q in quals.iter().flatten() {
                let Qual::Cmp(column, op, value) = q else { continue };
                if *column != c.column {
                    continue;
                }
                let value = (*value).clone();
                match op {
                    CmpOp::Gt if b.low.is_none() => b.low = Some((value, false)),
                    CmpOp::Ge if b.low.is_none() => b.low = Some((value, true)),
                    CmpOp::Lt if b.high.is_none() => b.high = Some((value, false)),
                    CmpOp::Le if b.high.is_none() => b.high = Some((value, true)),
                    _ => {}
                }
            }
            if b.low.is_some() || b.high.is_some() {
                selectivity *= if b.low.is_some() && b.high.is_some() { 0.05 } else { 0.33 };
                bounds = Some(b);
            }
            break;
        }
        let full = keys.len() == index.columns.len();
        let point = full && index.unique;
        let (ordered, backward) = if list.is_some() {
            (self.desired.is_empty(), false)
        } else {
            self.order_of(index, keys.len(), quals, &consumed)
        };
        let useful = !keys.is_empty() || bounds.is_some() || (ordered && !self.desired.is_empty());
        if !useful {
            return None;
        }
        let found = if point { list.as_ref().map_or(1.0, |l| l.2) } else { (total * selectivity).max(1.0) };
        let left = consumed.iter().filter(|c| !**c).count() as i32;
        let rows = (found * 0.33f64.powi(left)).max(if point { found.min(1.0) } else { 1.0 });
        let cost = 0.5 + found * 0.08;
        let keys = keys.into_boxed_slice();
        let access = match list {
            Some((list_at, list, _)) => Access::Multi { index: index.clone(), keys, list_at, list, point },
            None if point => Access::Point { index: index.clone(), keys },
            None => Access::Range { index: index.clone(), keys, bounds },
        };
        Some(Path { access, consumed, rows, cost, ordered: ordered || point && rows <= 1.0, backward })
    }

    /// Whether an index whose first `fixed` columns have one value gives the wanted order, and in which direction.
    fn order_of(
        &self,
        index: &Index,
        fixed: usize,
        quals: &[Option<Qual<'a>>],
        consumed: &[bool],
    ) -> (bool, bool) {
        if self.desired.is_empty() {
            return (true, false);
        }
        let constant = |column: usize| {
            quals
                .iter()
                .zip(consumed)
                .any(|(q, used)| *used && matches!(q, Some(Qual::Cmp(c, CmpOp::Eq, _)) if *c == column))
        };
        let mut columns = index.columns[fixed..].iter();
        let mut direction: Option<bool> = None;
        for key in self.desired {
            let Expr::Column(c) = key.expr else { return (false, false) };
            let Some(column) = c.checked_sub(self.at).filter(|c| *c < self.table.columns.len()) else {
                return (false, false);
            };
            if constant(column) {
                continue;
            }
            let Some(next) = columns.next() else {
                // Past the end of a unique index there are no ties left to order.
                return (index.unique && direction.is_some(), direction == Some(true));
            };
            if next.column != column {
                return (false, false);
            }
            let backward = next.desc != key.desc;
            let nulls_agree = (next.nulls_first != key.nulls_first) == backward;
            if !nulls_agree && !self.table.columns[column].not_null {
                return (false, false);
            }
            if direction.is_some_and(|d| d != backward) {
                return (false, false);
            }
            direction = Some(backward);
        }
        (true, direction == Some(true))
    }
}
