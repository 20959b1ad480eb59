//! Lists of constants that a value is looked for in, row after row: IN, = ANY, NOT IN and <> ALL.
//!
//! The second time that a statement looks into a list of more than a few items, it is brought into order, and searched by halves from then on.
//!
//! Invariants
//! 1. What is found is what comparing one item after the other finds: they are in the order by which they are compared, and a list of which that is no
//!    order of all items is left as it is.
//! 2. A list is known by where it lies in memory, so it is held as long as it is known.
//!
//! Must not know: expressions that hold lists.

use super::Cx;
use super::eval::order;
use crate::plan::expr::Expr;
use evenkeel_types::error::SqlError;
use evenkeel_types::{ArrayDatum, Datum};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::BuildHasherDefault;
use std::mem::discriminant;
use std::sync::Arc;

/// Items from which on it pays, as in PostgreSQL.
const ITEMS_MIN: usize = 9;

/// The lists of a statement, by where they lie.
pub type Lists = HashMap<usize, Known, BuildHasherDefault<DefaultHasher>>;

/// A list.
pub(super) enum List {
    /// As it is written.
    Items(Arc<[Expr]>),
    /// An array.
    Array(Arc<ArrayDatum>),
}

/// What is known of a list.
pub struct Known {
    list: List,
    /// Its items in order, by number, once it has been looked into twice; none: they have no order.
    order: Option<Option<Box<[u32]>>>,
    has_null: bool,
}

impl List {
    fn len(&self) -> usize {
        match self {
            List::Items(items) => items.len(),
            List::Array(array) => array.values.len(),
        }
    }

    fn place(&self) -> usize {
        match self {
            List::Items(items) => Arc::as_ptr(items).cast::<Expr>() as usize,
            List::Array(array) => Arc::as_ptr(array) as usize,
        }
    }

    /// An item; None: it is no constant.
    fn item(&self, n: usize) -> Option<&Datum> {
        match self {
            List::Items(items) => match &items[n] {
                Expr::Const(d) | Expr::CollationKey(_, _, Some(d)) => Some(d),
                _ => None,
            },
            List::Array(array) => array.values.get(n),
        }
    }

    /// Its items but NULLs in the order by which they are compared, and whether there are NULLs. None: that is no order of all.
    fn ordered(&self) -> Option<(Box<[u32]>, bool)> {
        let mut order_of = Vec::with_capacity(self.len());
        for n in 0..self.len() {
            if !self.item(n)?.is_null() {
                order_of.push(u32::try_from(n).ok()?);
            }
        }
        let has_null = order_of.len() < self.len();
        let first = self.item(*order_of.first()? as usize)?;
        for n in &order_of {
            if !are_alike(first, self.item(*n as usize)?) {
                return None;
            }
        }
        order_of.sort_unstable_by(|a, b| match (self.item(*a as usize), self.item(*b as usize)) {
            (Some(a), Some(b)) => order(a, b),
            _ => Ordering::Equal,
        });
        Some((order_of.into(), has_null))
    }
}

/// Whether two values are of one type, or both integers, and have an order.
fn are_alike(a: &Datum, b: &Datum) -> bool {
    let is_int = |d: &Datum| matches!(d, Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_));
    let is_whole = !matches!(a, Datum::Record(_) | Datum::Array(_));
    is_whole && discriminant(a) == discriminant(b) || is_int(a) && is_int(b)
}

/// Whether a value that is not NULL is in a list: None is NULL. Nothing: the items are to be compared one after the other.
#[inline]
pub(super) fn find(
    list: impl FnOnce() -> List,
    len: usize,
    x: &Datum,
    cx: &mut Cx<'_>,
) -> Result<Option<Option<bool>>, SqlError> {
    if len < ITEMS_MIN { Ok(None) } else { find_in_long(list(), x, cx) }
}

fn find_in_long(list: List, x: &Datum, cx: &mut Cx<'_>) -> Result<Option<Option<bool>>, SqlError> {
    let known = match cx.run.lists.entry(list.place()) {
        Entry::Vacant(none) => {
            none.insert(Known { list, order: None, has_null: false });
            return Ok(None);
        }
        Entry::Occupied(known) => known.into_mut(),
    };
    let Known { list, order: found, has_null } = known;
    if found.is_none() {
        cx.run.memory.grow(list.len() * size_of::<u32>())?;
        let ordered = list.ordered();
        *has_null = ordered.as_ref().is_some_and(|(_, has_null)| *has_null);
        *found = Some(ordered.map(|(items, _)| items));
    }
    let Some(Some(items)) = found else { return Ok(None) };
    let item = |n: &u32| list.item(*n as usize);
    if !items.first().and_then(item).is_some_and(|first| are_alike(first, x)) {
        return Ok(None);
    }
    let is_there = items.binary_search_by(|n| item(n).map_or(Ordering::Less, |d| order(d, x))).is_ok();
    Ok(Some(if is_there { Some(true) } else { (!*has_null).then_some(false) }))
}
