//! How one table is read: which index serves the conditions, and the order that it gives.
//!
//! Conditions of the form `column op value`, where the value reads no column of the table itself, are matched against the leading
//! columns of each index: equalities and lists (IN) first, then bounds of the columns that follow, which a comparison of rows may give
//! several of: a text's beginning gives bounds, too. What an index answers exactly is taken out of the conditions; the rest is checked on each row. What an OR
//! asks is in `any_of.rs`.
//!
//! Costs are in units of ten microseconds or so, of data in memory.
//!
//! Invariants:
//! 1. A condition is taken out only if every row that the index yields satisfies it. Bounds stay in the filter: an index range may
//!    include NULLs. So does an OR.
//! 2. Key values may read columns of relations joined earlier: they stand in the same row buffer.
//!
//! Must not know: joins, the executor's cursors.

use super::beginning::Beginning;
use super::bound::{Source, SourceKind};
use super::estimate::{Estimator, of_two_times};
use super::expr::{CmpOp, Expr, SubqueryUse};
use super::form::IndexForm;
use super::implied::follows;
use super::sort::sort_cost;
use super::{Access, Bound, Bounds, FromKey, KeyColumn, KeyList, KeyPart, Method, Ranges, Sample, SortKey};
use crate::catalog::{EXPRESSION, Index, IndexMethod, Table};
use evenkeel_types::{Collation, Datum, Type, key_has, key_passes};
use std::borrow::Cow;
use std::sync::Arc;

/// Reading a row of a table in its order, and what one adds that conditions let pass.
const ROW_COST: f64 = 0.01;
const PASSED_COST: f64 = 0.01;
/// Going down a tree.
pub(super) const DESCENT_COST: f64 = 0.1;
/// Reading an entry of an index that has all that is asked for, what each of its columns adds, and what one adds that conditions let pass: a little less than of the table, of which more is read.
const ENTRY_COST: f64 = 0.006;
const ENTRY_COLUMN_COST: f64 = 0.001;
pub(super) const ENTRY_PASSED_COST: f64 = 0.006;
/// Rows from which on fetching them in the table's order pays.
const BATCHED_FROM_ROWS: f64 = 500.0;

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
    /// Rows are fetched in the order of the table, many at a time.
    pub batched: bool,
}

/// What it costs to read on until one in so many rows was found.
pub fn first_of(cost: f64, rows: f64) -> f64 {
    DESCENT_COST + (cost - DESCENT_COST).max(0.0) / rows.max(1.0)
}

/// What the indexes of a table compute, over the row of a level. Each expression has a number, behind those of the table's columns: conditions and
/// orders name columns of indexes by these.
#[derive(Default)]
pub struct Indexed {
    /// The expressions, and their types.
    expressions: Vec<(Expr, Type)>,
    /// For each index the numbers of its columns; empty: they are all columns of the table.
    columns: Vec<Box<[usize]>>,
    /// The same by which values are ordered: of columns whose order is not bytewise, numbers of their own.
    ordered: Vec<Box<[usize]>>,
    /// What these stand for: columns and expressions in an order.
    collated: Vec<(usize, Collation)>,
    /// The predicates of indexes.
    predicates: Vec<Option<Expr>>,
    /// WHERE CURRENT OF this cursor.
    current_of: Option<Arc<str>>,
    /// TABLESAMPLE.
    sample: Option<Box<Sample>>,
}

impl Indexed {
    /// Of a relation.
    pub fn of(source: &Source) -> Indexed {
        match &source.kind {
            SourceKind::Table(t, _) => {
                let (current_of, sample) = (source.current_of.clone(), source.sample.clone());
                Indexed { current_of, sample, ..Indexed::new(t, &source.forms, source.at) }
            }
            _ => Indexed::default(),
        }
    }

    /// Of a table whose columns begin at a place.
    fn new(table: &Table, forms: &[IndexForm], at: usize) -> Indexed {
        let mut all = Indexed::with_expressions(table, forms, at);
        let is_bytewise = |i: &Arc<Index>| i.columns.iter().all(|c| c.collation.is_bytewise());
        if table.indexes.iter().all(is_bytewise) {
            return all;
        }
        let base = table.columns.len() + 1 + all.expressions.len();
        for (place, index) in table.indexes.iter().enumerate() {
            let mut numbers = Vec::with_capacity(index.columns.len());
            for (n, c) in index.columns.iter().enumerate() {
                let plain = all.columns.get(place).map_or(c.column, |numbers| numbers[n]);
                if c.collation.is_bytewise() {
                    numbers.push(plain);
                    continue;
                }
                let is_it = |(of, by): &(usize, Collation)| *of == plain && by.has_order_of(&c.collation);
                let known = all.collated.iter().position(is_it);
                numbers.push(base + known.unwrap_or(all.collated.len()));
                if known.is_none() {
                    all.collated.push((plain, c.collation));
                }
            }
            all.ordered.push(numbers.into());
        }
        all
    }

    fn with_expressions(table: &Table, forms: &[IndexForm], at: usize) -> Indexed {
        let mut all = Indexed::default();
        let here = |e: &Expr| {
            e.clone().map(&mut |e| match e {
                Expr::Column(c) => Expr::Column(c + at),
                other => other,
            })
        };
        for (index, form) in table.indexes.iter().zip(forms) {
            let mut expressions = form.expressions.iter();
            let mut numbers = Vec::with_capacity(index.columns.len());
            for (n, c) in index.columns.iter().enumerate() {
                numbers.push(match expressions.next_if(c.column == EXPRESSION) {
                    None => c.column,
                    Some(e) => all.number(here(e), index.key_type(&table.types, n), table),
                });
            }
            all.columns.push(numbers.into());
            all.predicates.push(form.predicate.as_ref().map(here));
        }
        all
    }

    fn number(&mut self, e: Expr, ty: Type, table: &Table) -> usize {
        let known = self.expressions.iter().position(|(known, _)| *known == e);
        let n = known.unwrap_or_else(|| {
            self.expressions.push((e, ty));
            self.expressions.len() - 1
        });
        table.columns.len() + 1 + n
    }
}

/// An iterator that is asked for its next item under a condition.
trait NextIf: Iterator {
    fn next_if(&mut self, condition: bool) -> Option<Self::Item> {
        if condition { self.next() } else { None }
    }
}

impl<I: Iterator> NextIf for I {}

/// What is asked of a table.
pub struct Request<'a> {
    /// The table.
    pub table: &'a Arc<Table>,
    /// What its indexes compute.
    pub indexed: &'a Indexed,
    /// Where its columns begin in the buffer.
    pub at: usize,
    /// Conditions that can be checked while it is read.
    pub quals: &'a [Expr],
    /// The wanted order.
    pub desired: &'a [SortKey],
    /// Only so many rows of that order will be read.
    pub limit_rows: Option<f64>,
    /// How many rows conditions let pass.
    pub estimator: &'a Estimator<'a>,
    /// Indexes of later catalog versions must not be read.
    pub snapshot_version: u64,
    /// Which places of the buffer are read.
    pub used: &'a [bool],
    /// The rows themselves are asked for.
    pub row_id: bool,
}

/// A condition, as indexes know it.
pub(super) enum Qual<'a> {
    Cmp(usize, CmpOp, &'a Expr),
    /// IS NULL
    Null(usize),
    /// IS NOT NULL
    NotNull(usize),
    /// A text begins with something, in an order of bytes.
    Begins(usize, Beginning),
    List(usize, Cow<'a, [Expr]>),
    Array(usize, &'a Expr),
    /// A comparison of rows: columns and values, whether it is a lower bound, whether it includes equality.
    Row(Vec<(usize, &'a Expr)>, bool, bool),
}

/// What an index does with conditions.
pub(super) struct Match {
    pub keys: Vec<KeyPart>,
    consumed: Vec<bool>,
    /// Conditions that narrow the range, taken out or not.
    pub used: Vec<bool>,
    pub lists: Vec<(usize, KeyList)>,
    pub bounds: Option<Bounds>,
    /// How many values all lists have with one another.
    combinations: f64,
    /// Going down the tree: for each of them, to find it and what has it.
    pub descents: f64,
}

/// Combinations of the values of several lists: more are not looked up one by one.
const COMBINATIONS_MAX: f64 = 10_000.0;
/// Different values that a column is taken to have at most, of which each is looked for.
const EACH_MAX: f64 = 100.0;

/// Values that a list is taken to have, of which nobody knows how many it has.
const UNKNOWN_LEN: f64 = 10.0;

impl Match {
    /// Has a list for the next column, unless that makes too many combinations. The first may be of any length.
    fn add_list(&mut self, list: KeyList, len: f64, ty: Type) -> bool {
        let product = self.combinations * len;
        if !self.lists.is_empty() && product > COMBINATIONS_MAX {
            return false;
        }
        let of_each = if matches!(list, KeyList::Each(_)) { 2.0 } else { 1.0 };
        self.descents *= of_each * len;
        self.combinations = product;
        self.lists.push((self.keys.len(), list));
        self.keys.push(KeyPart { expr: Expr::null(), ty, is_null: false });
        true
    }

    /// Columns whose values would be looked for, and behind which nothing is asked, are not; whether there are others.
    fn skips_some(&mut self) -> bool {
        while let Some((at, KeyList::Each(_))) = self.lists.last()
            && *at + 1 == self.keys.len()
            && self.bounds.is_none()
        {
            let Some((_, KeyList::Each(bounds))) = self.lists.pop() else { break };
            self.keys.pop();
            self.bounds = bounds;
        }
        self.lists.iter().any(|(_, list)| matches!(list, KeyList::Each(_)))
    }
}

/// Whether an index's column of this type is bounded by a value as it is: values of other types, which it may be compared with, are bounds from nearby only.
fn is_exact(ty: Type, value: &Expr) -> bool {
    match ty {
        // Whatever integer it is.
        Type::Int2 | Type::Int4 | Type::Int8 => true,
        Type::Text | Type::Varchar | Type::Name | Type::Numeric | Type::Uuid | Type::Bool | Type::Oid => true,
        ty => matches!(value, Expr::Const(d) if d.natural_type() == ty),
    }
}

static TRUE: Expr = Expr::Const(Datum::Bool(true));
static FALSE: Expr = Expr::Const(Datum::Bool(false));

impl<'a> Request<'a> {
    /// The table's column or the index's expression that an expression is, if the index can answer comparisons of it.
    pub(super) fn own_column(&self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Cast(c)
                if c.typmod == -1 && c.to == Type::Text && matches!(c.from, Type::Varchar | Type::Name) =>
            {
                self.own_column(&c.expr).or_else(|| self.number(e))
            }
            _ => self.number(e),
        }
    }

    /// The table's column or the index's expression that an expression is.
    pub(super) fn number(&self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Column(c) => return c.checked_sub(self.at).filter(|c| *c < self.table.columns.len()),
            Expr::Collate(e, _) => return self.own_column(e),
            Expr::CollationKey(e, by, _) => {
                let of = self.own_column(e)?;
                let mut known = self.indexed.collated.iter();
                let n = known.position(|(own, order)| *own == of && order.has_order_of(by))?;
                return Some(self.table.columns.len() + 1 + self.indexed.expressions.len() + n);
            }
            _ => {}
        }
        let n = self.indexed.expressions.iter().position(|(own, _)| own == e)?;
        Some(self.table.columns.len() + 1 + n)
    }

    /// What a column of an index is, by the index's place in the table.
    pub(super) fn column_of(&self, place: usize, n: usize) -> usize {
        let numbers = self.indexed.columns.get(place);
        numbers.map_or_else(|| self.table.indexes[place].columns[n].column, |numbers| numbers[n])
    }

    /// By what a column of an index orders.
    pub(super) fn order_number(&self, place: usize, n: usize) -> usize {
        self.indexed.ordered.get(place).map_or_else(|| self.column_of(place, n), |numbers| numbers[n])
    }

    /// What is ordered, of what stands for it in an order.
    fn plain(&self, column: usize) -> usize {
        let base = self.table.columns.len() + 1 + self.indexed.expressions.len();
        let collated = column.checked_sub(base).and_then(|n| self.indexed.collated.get(n));
        collated.map_or(column, |(of, _)| *of)
    }

    fn type_of(&self, column: usize) -> Type {
        let column = self.plain(column);
        match self.table.types.get(column) {
            Some(ty) => *ty,
            None => self.indexed.expressions[column - self.table.columns.len() - 1].1,
        }
    }

    fn predicate(&self, place: usize) -> Option<&'a Expr> {
        self.indexed.predicates.get(place)?.as_ref()
    }

    pub(super) fn is_value(&self, e: &Expr) -> bool {
        let own = self.at..self.at + self.table.columns.len() + 1;
        !e.any(|e| match e {
            Expr::Column(c) => own.contains(c),
            Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_) => true,
            Expr::Subquery(_, usage, _) => !matches!(**usage, SubqueryUse::Scalar | SubqueryUse::Array(_)),
            Expr::Call(f, _) => f.volatile == evenkeel_types::Volatility::Volatile,
            _ => false,
        })
    }

    pub(super) fn analyse(&self, q: &'a Expr) -> Option<Qual<'a>> {
        match q {
            Expr::Cmp(op, pair) => self.compared(*op, pair),
            Expr::InList(e, list, false) => {
                let c = self.own_column(e)?;
                list.iter().all(|x| self.is_value(x)).then_some(Qual::List(c, Cow::Borrowed(list)))
            }
            Expr::AnyArray(CmpOp::Eq, pair, true) => {
                let c = self.own_column(&pair.0)?;
                self.is_value(&pair.1).then_some(Qual::Array(c, &pair.1))
            }
            Expr::Or(list) => self.row_comparison(q).or_else(|| self.one_of(list)),
            Expr::IsNull(e, negated) => {
                let c = self.own_column(e)?;
                // Of a row it asks for the fields.
                let is_row = matches!(self.type_of(c), Type::Composite(_) | Type::Record);
                (!is_row).then_some(if *negated { Qual::NotNull(c) } else { Qual::Null(c) })
            }
            Expr::Not(e) => match &**e {
                Expr::Cmp(op, pair) => self.compared(op.negated(), pair),
                e => Some(Qual::Cmp(self.own_column(e)?, CmpOp::Eq, &FALSE)),
            },
            Expr::IsBool(e, value, false) => {
                Some(Qual::Cmp(self.own_column(e)?, CmpOp::Eq, if *value { &TRUE } else { &FALSE }))
            }
            Expr::Call(f, args) => {
                if let Some((op, a, b)) = of_two_times(q) {
                    return self
                        .beside_time((op, f.args), a, b)
                        .or_else(|| self.beside_time((op.flipped(), &[f.args[1], f.args[0]]), b, a));
                }
                if let Some((text, beginning)) = Beginning::of(f, args) {
                    let c = self.own_column(text)?;
                    let is_text = matches!(self.type_of(c), Type::Text | Type::Varchar);
                    return is_text.then_some(Qual::Begins(c, beginning));
                }
                Some(Qual::Cmp(self.own_column(q)?, CmpOp::Eq, &TRUE))
            }
            q => Some(Qual::Cmp(self.own_column(q)?, CmpOp::Eq, &TRUE)),
        }
    }

    /// `a = x OR a = y`, as a list.
    fn one_of(&self, branches: &'a [Expr]) -> Option<Qual<'a>> {
        let (mut column, mut values) = (None, Vec::new());
        for branch in branches {
            let found = match self.analyse(branch)? {
                Qual::Cmp(c, CmpOp::Eq, value) if matches!(branch, Expr::Cmp(..)) => {
                    values.push(value.clone());
                    c
                }
                Qual::List(c, list) => {
                    values.extend_from_slice(&list);
                    c
                }
                _ => return None,
            };
            if *column.get_or_insert(found) != found {
                return None;
            }
        }
        Some(Qual::List(column?, Cow::Owned(values)))
    }

    fn compared(&self, op: CmpOp, pair: &'a (Expr, Expr)) -> Option<Qual<'a>> {
        if let Some(c) = self.own_column(&pair.0)
            && self.is_value(&pair.1)
        {
            return Some(Qual::Cmp(c, op, &pair.1));
        }
        let c = self.own_column(&pair.1)?;
        self.is_value(&pair.0).then_some(Qual::Cmp(c, op.flipped(), &pair.0))
    }

    /// A column beside a day or a moment that is not of its type. Where the zone decides what a local time is, no key is equal to a moment.
    fn beside_time(
        &self,
        (op, types): (CmpOp, &[Type]),
        column: &'a Expr,
        value: &'a Expr,
    ) -> Option<Qual<'a>> {
        let c = self.own_column(column)?;
        let has_key = op != CmpOp::Eq || types[1] != Type::Timestamptz;
        (has_key && self.is_value(value)).then_some(Qual::Cmp(c, op, value))
    }

    /// `a < x OR (a = x AND b < y)`: what `(a, b) < (x, y)` is bound as.
    fn row_comparison(&self, q: &'a Expr) -> Option<Qual<'a>> {
        let (mut pairs, mut rest, mut first) = (Vec::new(), q, None);
        loop {
            match rest {
                Expr::Or(either) => {
                    let [less, Expr::And(both)] = &either[..] else { return None };
                    let [same, next] = &both[..] else { return None };
                    let (Some(Qual::Cmp(c, op, v)), Some(Qual::Cmp(d, CmpOp::Eq, w))) =
                        (self.analyse(less), self.analyse(same))
                    else {
                        return None;
                    };
                    let is_same = v == w || matches!(v, Expr::CollationKey(v, ..) if **v == *w);
                    if self.plain(c) != d
                        || !is_same
                        || !matches!(op, CmpOp::Lt | CmpOp::Gt)
                        || first.is_some_and(|f| f != op)
                    {
                        return None;
                    }
                    first = Some(op);
                    pairs.push((c, v));
                    rest = next;
                }
                last => {
                    let Some(Qual::Cmp(c, op, v)) = self.analyse(last) else { return None };
                    let is_low = first? == CmpOp::Gt;
                    let inclusive = match (op, is_low) {
                        (CmpOp::Gt, true) | (CmpOp::Lt, false) => false,
                        (CmpOp::Ge, true) | (CmpOp::Le, false) => true,
                        _ => return None,
                    };
                    pairs.push((c, v));
                    return Some(Qual::Row(pairs, is_low, inclusive));
                }
            }
        }
    }

    fn wants(&self, column: usize) -> bool {
        self.used[self.at + column]
    }

    /// What is read of an index instead of the rows, if it has all that is asked for.
    pub fn instead_of_rows(&self, index: &Index) -> Option<FromKey> {
        if self.row_id || index.extra.method != IndexMethod::Btree {
            return None;
        }
        // A column that the index has twice is read once.
        let first = |n: usize| index.columns[..n].iter().all(|c| c.column != index.columns[n].column);
        let is_wanted = |c: usize| c != EXPRESSION && self.wants(c);
        let wanted = |n: &usize| is_wanted(index.columns[*n].column) && first(*n);
        let is_key = |c: &usize| index.columns.iter().any(|k| k.column == *c);
        let rest: Vec<usize> =
            (0..self.table.columns.len()).filter(|c| self.wants(*c) && !is_key(c)).collect();
        let include = &index.extra.include;
        let place = |c: &usize| include.iter().position(|i| i == c).map(|n| (n, *c));
        let to = rest.iter().map(place).collect::<Option<Box<[(usize, usize)]>>>()?;
        let len = (0..index.columns.len()).rev().find(wanted).map_or(0, |n| n + 1);
        let column = |n: usize| {
            let (c, to) = (&index.columns[n], wanted(&n).then_some(index.columns[n].column));
            let ty = index.key_type(&self.table.types, n);
            let is_there = if to.is_some() { key_has(ty) } else { key_passes(ty) };
            let is_sort_key = !c.collation.is_bytewise();
            // Of a collation that is not deterministic the key has no text.
            let is_there = is_there && (to.is_none() || c.collation.is_deterministic());
            is_there.then_some(KeyColumn { ty, desc: c.desc, is_sort_key, to })
        };
        let columns = (0..len).map(column).collect::<Option<Box<[KeyColumn]>>>()?;
        let included = if to.is_empty() {
            Box::default()
        } else {
            include.iter().map(|c| self.table.types[*c]).collect()
        };
        Some(FromKey { columns, included, to })
    }

    /// The cheapest way.
    pub fn choose(&self) -> Path {
        if let Some(cursor) = &self.indexed.current_of {
            return Path {
                access: Access::Current(cursor.clone()),
                consumed: vec![false; self.quals.len()],
                rows: 1.0,
                cost: 1.0,
                ordered: true,
                backward: false,
                batched: false,
            };
        }
        let total = self.table.estimated_rows();
        if let Some(sample) = &self.indexed.sample {
            let share = sample.share();
            let read = if sample.method == Method::System { total * share } else { total };
            return Path {
                access: Access::Sample(sample.clone()),
                consumed: vec![false; self.quals.len()],
                rows: (total * share * self.estimator.all(self.quals)).max(1.0),
                cost: 1.0 + read * (ROW_COST + PASSED_COST),
                ordered: self.desired.is_empty(),
                backward: false,
                batched: false,
            };
        }
        let quals: Vec<Option<Qual<'a>>> = self.quals.iter().map(|q| self.analyse(q)).collect();
        let rows = (total * self.estimator.all(self.quals)).max(1.0);
        let sort_cost = |rows: f64| if self.desired.is_empty() { 0.0 } else { sort_cost(rows) };
        let mut best = Path {
            access: Access::All,
            consumed: vec![false; quals.len()],
            rows,
            cost: 1.0 + total * ROW_COST + rows * PASSED_COST,
            ordered: self.desired.is_empty(),
            backward: false,
            batched: false,
        };
        let mut best_total = best.cost + sort_cost(best.rows);
        let mut consider = |path: Path| {
            let cost = match self.limit_rows {
                _ if !path.ordered => path.cost + sort_cost(path.rows),
                Some(limit) if !self.desired.is_empty() => first_of(path.cost, path.rows / limit.max(1.0)),
                _ => path.cost,
            };
            if cost < best_total {
                (best_total, best) = (cost, path);
            }
        };
        for (place, index) in self.indexes(&[]) {
            for skips in [false, true] {
                self.through(place, index, &quals, total, rows, skips).into_iter().for_each(&mut consider);
            }
        }
        self.inverted(total, rows).into_iter().for_each(&mut consider);
        self.any_of(total, rows).into_iter().for_each(consider);
        best
    }

    /// The indexes that have an entry of every row that is asked for, with `more` conditions, and their places in the table.
    pub(super) fn indexes(&self, more: &[Expr]) -> impl Iterator<Item = (usize, &'a Arc<Index>)> {
        self.indexes_of(false, more)
    }

    /// The same of those that are inverted, or of the others.
    pub(super) fn indexes_of(
        &self,
        inverted: bool,
        more: &[Expr],
    ) -> impl Iterator<Item = (usize, &'a Arc<Index>)> {
        let version = self.snapshot_version;
        let is_there = |n: &usize| {
            let index = &self.table.indexes[*n];
            index.is_valid()
                && index.since_version <= version
                && index.extra.method.is_inverted() == inverted
                && self
                    .predicate(*n)
                    .is_none_or(|p| self.is_implied(p, self.quals) || self.is_implied(p, more))
        };
        let found: Vec<usize> = (0..self.table.indexes.len()).filter(is_there).collect();
        let table = self.table;
        found.into_iter().map(|n| (n, &table.indexes[n]))
    }

    /// Reading an entry of an index, and the row, if that has more of what is asked for.
    pub(super) fn entry_cost(&self, index: &Index) -> f64 {
        match self.instead_of_rows(index) {
            Some(_) => ENTRY_COST + ENTRY_COLUMN_COST * index.columns.len() as f64,
            None => self.places(Some(index)).fetch_cost(),
        }
    }

    /// What an index does with conditions, if it can be read with them; `skips`: where it has to skip columns.
    pub(super) fn narrowed(
        &self,
        place: usize,
        index: &Index,
        quals: &[Option<Qual<'a>>],
        skips: bool,
    ) -> Option<Match> {
        let mut m = self.matched(place, index, quals, skips);
        let lacks_keys = index.extra.method == IndexMethod::Hash && m.keys.len() < index.columns.len();
        (!lacks_keys && (!skips || m.skips_some())).then_some(m)
    }

    /// Which conditions an index answers; `skips`: one of its columns may have whatever value it has.
    fn matched(&self, place: usize, index: &Index, quals: &[Option<Qual<'a>>], skips: bool) -> Match {
        let mut m = Match {
            keys: Vec::new(),
            consumed: vec![false; quals.len()],
            used: vec![false; quals.len()],
            lists: Vec::new(),
            bounds: None,
            combinations: 1.0,
            descents: 1.0,
        };
        for at in 0..index.columns.len() {
            // What is equal in a collation that is not deterministic is not what has the same bytes.
            let own = match index.columns[at].collation.is_deterministic() {
                true => self.column_of(place, at),
                false => self.order_number(place, at),
            };
            let ty = self.type_of(own);
            let equal = quals.iter().enumerate().find_map(|(n, q)| match q {
                Some(Qual::Cmp(column, CmpOp::Eq, value)) if *column == own && !m.used[n] => {
                    Some((n, *value))
                }
                _ => None,
            });
            if let Some((n, value)) = equal {
                (m.consumed[n], m.used[n]) = (true, true);
                m.keys.push(KeyPart { expr: value.clone(), ty, is_null: false });
                continue;
            }
            let is_hash = index.extra.method == IndexMethod::Hash;
            let plain = self.column_of(place, at);
            let is_null = |q: &Option<Qual<'a>>| matches!(q, Some(Qual::Null(column)) if *column == plain);
            if let Some(n) = quals.iter().position(is_null).filter(|n| !is_hash && !m.used[*n]) {
                (m.consumed[n], m.used[n]) = (true, true);
                m.keys.push(KeyPart { expr: Expr::null(), ty, is_null: true });
                continue;
            }
            let found = quals.iter().enumerate().find_map(|(n, q)| match q {
                Some(Qual::List(column, items)) if *column == own && !m.used[n] => {
                    Some((n, KeyList::Exprs(items[..].into())))
                }
                Some(Qual::Array(column, array)) if *column == own && !m.used[n] => {
                    Some((n, KeyList::Array((*array).clone())))
                }
                _ => None,
            });
            if let Some((n, items)) = found {
                let len = items.known_len().map_or(UNKNOWN_LEN, |n| n as f64);
                if m.add_list(items, len, ty) {
                    (m.consumed[n], m.used[n]) = (true, true);
                    continue;
                }
            }
            if is_hash {
                break;
            }
            let bounds = self.bounds(place, at, quals, &mut m);
            if skips && at + 1 < index.columns.len() && self.may_skip(place, at) {
                let values = self.different(self.column_of(place, at));
                if m.add_list(KeyList::Each(bounds.clone()), values, ty) {
                    continue;
                }
            }
            m.bounds = bounds;
            break;
        }
        m
    }

    /// Whether a column of an index has few values, which can be told from its entries.
    fn may_skip(&self, place: usize, at: usize) -> bool {
        let index = &self.table.indexes[place];
        let column = self.column_of(place, at);
        index.extra.method == IndexMethod::Btree
            && index.columns[at].collation.is_bytewise()
            && self.table.types.get(column).is_some_and(|ty| key_passes(*ty))
            && self.different(column) <= EACH_MAX
    }

    /// How many different values a column of the table has.
    fn different(&self, column: usize) -> f64 {
        self.estimator.distinct(&Expr::Column(self.at + column)).max(1.0)
    }

    /// Bounds of the columns of an index from `at` on.
    fn bounds(&self, place: usize, at: usize, quals: &[Option<Qual<'a>>], m: &mut Match) -> Option<Bounds> {
        let mut b = Bounds::default();
        let columns = &self.table.indexes[place].columns;
        let (plain, is_bytewise) = (self.column_of(place, at), columns[at].collation.is_bytewise());
        let mut is_bounded = false;
        for (n, q) in quals.iter().enumerate() {
            let (pairs, is_low, inclusive) = match q {
                Some(Qual::Cmp(column, op, value)) => {
                    let (is_low, inclusive) = match op {
                        CmpOp::Gt => (true, false),
                        CmpOp::Ge => (true, true),
                        CmpOp::Lt => (false, false),
                        CmpOp::Le => (false, true),
                        CmpOp::Eq | CmpOp::Ne => continue,
                    };
                    (vec![(*column, *value)], is_low, inclusive)
                }
                Some(Qual::Row(pairs, is_low, inclusive)) => (pairs.clone(), *is_low, *inclusive),
                Some(Qual::NotNull(column)) if *column == plain => {
                    (m.consumed[n], m.used[n], is_bounded) = (true, true, true);
                    continue;
                }
                Some(Qual::Begins(column, beginning)) if *column == plain && is_bytewise => {
                    (m.used[n], is_bounded) = (true, true);
                    let bound = |value: &Arc<str>, inclusive| {
                        let expr = Expr::Const(Datum::Text(value.clone()));
                        let part = KeyPart { expr, ty: self.type_of(plain), is_null: false };
                        Bound { parts: [part].into(), inclusive }
                    };
                    b.low.push(bound(&beginning.low, true));
                    b.high.extend(beginning.high.as_ref().map(|(high, is_it)| bound(high, *is_it)));
                    continue;
                }
                _ => continue,
            };
            // Columns that the index has in the same order, and all in the same direction.
            let same = pairs
                .iter()
                .zip(at..columns.len())
                .take_while(|((c, _), n)| {
                    *c == self.order_number(place, *n) && columns[*n].desc == columns[at].desc
                })
                .count();
            if same == 0 {
                continue;
            }
            (m.used[n], is_bounded) = (true, true);
            // A range that is exact needs no other look at what lies within.
            m.consumed[n] = is_bytewise
                && matches!(q, Some(Qual::Cmp(column, _, value)) if *column == plain && is_exact(self.type_of(plain), value));
            let part = |(c, v): &(usize, &Expr)| KeyPart {
                expr: (*v).clone(),
                ty: self.type_of(*c),
                is_null: false,
            };
            let parts = pairs[..same].iter().map(part).collect();
            let bound = Bound { parts, inclusive: inclusive || same < pairs.len() };
            if is_low { b.low.push(bound) } else { b.high.push(bound) }
        }
        is_bounded.then_some(b)
    }

    fn through(
        &self,
        place: usize,
        index: &Arc<Index>,
        quals: &[Option<Qual<'a>>],
        total: f64,
        rows: f64,
        skips: bool,
    ) -> Option<Path> {
        let mut m = self.narrowed(place, index, quals, skips)?;
        let full = m.keys.len() == index.columns.len();
        // Several rows of a unique index may have NULL.
        let may_repeat = !index.nulls_not_distinct && m.keys.iter().any(|k| k.is_null);
        let point = full && index.unique && !may_repeat && !skips;
        let gives_order = index.extra.method == IndexMethod::Btree;
        let (ordered, backward) = match gives_order {
            true => {
                let fixed = m.lists.first().map_or(m.keys.len(), |(at, _)| *at);
                self.order_of(place, fixed, quals, &m.consumed)
            }
            false => (self.desired.is_empty(), false),
        };
        let is_whole = self.instead_of_rows(index).is_some();
        let predicate = self.predicate(place);
        let useful = is_whole
            || !m.keys.is_empty()
            || m.bounds.is_some()
            || predicate.is_some()
            || (ordered && !self.desired.is_empty());
        if !useful {
            return None;
        }
        if let Some(p) = predicate {
            let of_all = std::slice::from_ref(p);
            for (n, q) in self.quals.iter().enumerate() {
                m.consumed[n] |= !m.used[n] && self.is_implied(q, of_all);
            }
        }
        let narrowing: Vec<&Expr> =
            self.quals.iter().zip(&m.used).filter(|(_, used)| **used).map(|(q, _)| q).collect();
        let parts = match predicate {
            Some(Expr::And(parts)) => parts,
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        let more = parts.iter().filter(|p| !narrowing.contains(p));
        let narrowing: Vec<&Expr> = narrowing.iter().copied().chain(more).collect();
        let narrowing = narrowing.into_iter();
        let found = (total * self.estimator.all(narrowing)).max(1.0);
        let descents = m.descents;
        let found = if point { descents.min(total.max(1.0)) } else { found };
        let rows = if point { rows.min(descents) } else { rows.min(found) };
        let is_wanted = self.desired.is_empty() && self.limit_rows.is_none();
        let batched = is_wanted && !is_whole && found > BATCHED_FROM_ROWS && m.lists.is_empty() && !point;
        let entry_cost = match batched {
            true => self.places(Some(index)).in_order_cost(found),
            false => self.entry_cost(index),
        };
        // Without conditions it is read from end to end, as the table would be.
        let begin_cost = if m.keys.is_empty() && m.bounds.is_none() { 1.0 } else { DESCENT_COST * descents };
        let passed_cost = if is_whole { rows * ENTRY_PASSED_COST } else { 0.0 };
        let cost = begin_cost + found * entry_cost + passed_cost;
        let keys = m.keys.into_boxed_slice();
        let (index, lists, bounds) = (index.clone(), m.lists.into_boxed_slice(), m.bounds);
        let access = match lists.is_empty() {
            false => Access::Multi { ranges: Ranges { index, keys, lists, bounds }, point },
            true if point => Access::Point { index, keys },
            true => Access::Range { index, keys, bounds },
        };
        let ordered = ordered || point && descents <= 1.0 && self.wants_own(0);
        Some(Path { access, consumed: m.consumed, rows, cost, ordered, backward, batched })
    }

    /// Whether a condition is true of all rows that others let pass. Of a row IS NOT NULL asks for its fields, which nothing else does.
    fn is_implied(&self, condition: &Expr, by: &[Expr]) -> bool {
        let is_composite = |e: &Expr| {
            let is_row = |ty: Type| matches!(ty, Type::Composite(_) | Type::Record);
            match e {
                Expr::Call(f, _) => is_row(f.ret) || f.ret.is_polymorphic(),
                Expr::Cast(c) => is_row(c.to),
                Expr::Row(..) | Expr::Field(_) | Expr::Subscript(..) => true,
                e => self.number(e).and_then(|c| self.table.columns.get(c)).is_some_and(|c| is_row(c.ty)),
            }
        };
        let of_fields = |e: &Expr| matches!(e, Expr::IsNull(e, _) if is_composite(e));
        by.contains(condition) || !condition.any(of_fields) && follows(condition, by)
    }
}
