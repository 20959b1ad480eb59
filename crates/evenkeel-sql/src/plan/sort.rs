//! Sorting: by what, and of which rows.
//!
//! Must not know: how rows are sorted.

use super::Node;
use super::expr::Expr;
use evenkeel_types::Collation;
use std::borrow::Cow;

/// What sorting so many rows costs.
pub(super) fn sort_cost(rows: f64) -> f64 {
    rows * rows.max(2.0).log2() * 0.005
}

/// One ORDER BY key.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// The value.
    pub expr: Expr,
    /// DESC.
    pub desc: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
    /// Of texts, in which order they are.
    pub collation: Collation,
}

impl SortKey {
    /// What is compared.
    pub fn compared(&self) -> Cow<'_, Expr> {
        match self.collation.is_bytewise() {
            true => Cow::Borrowed(&self.expr),
            false => Cow::Owned(self.expr.clone().in_order_of(self.collation)),
        }
    }
}

/// A sort.
#[derive(Debug)]
pub struct Sort {
    /// The rows.
    pub input: Node,
    /// Width of the buffer.
    pub width: usize,
    /// The order.
    pub keys: Box<[SortKey]>,
    /// Places that must be kept; None: all.
    pub live: Option<Box<[usize]>>,
    /// Only that many rows are needed: LIMIT and OFFSET.
    pub top: Option<(Option<Expr>, Option<Expr>)>,
    /// By so many keys the rows come sorted already: those that are alike in these are sorted at a time.
    pub presorted: usize,
}
