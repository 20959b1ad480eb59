//! How many rows a condition lets pass: from what ANALYZE found of the values, as PostgreSQL does it (its selectivity functions), or, where
//! nothing is known, from its constants.
//!
//! Invariants
//! 1. A share lies between 0 and 1; what is unknown is never taken for impossible.
//!
//! Must not know: access paths, joins.

use super::beginning::Beginning;
use super::expr::{CmpOp, Expr};
use super::fold;
use crate::catalog::Table;
use crate::catalog::statistics::{ColumnStatistics, TableStatistics};
use evenkeel_types::{CastContext, Datum, EvalCtx, ScalarFn, Type, compare};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Distinct values of a column of which nothing is known.
const UNKNOWN_DISTINCT: f64 = 200.0;
/// Share of an equality of which nothing is known.
const UNKNOWN_EQUAL: f64 = 0.005;
/// Share of an inequality of which nothing is known.
const UNKNOWN_LESS: f64 = 1.0 / 3.0;
/// Share of a range of which nothing is known.
const UNKNOWN_RANGE: f64 = 0.005;
/// Share of the texts with the right beginning that satisfy the rest of a pattern.
const PATTERN_REST: f64 = 0.2;
/// Elements of an array of which nothing is known.
const UNKNOWN_ELEMENTS: f64 = 10.0;

/// A relation of the level, for estimates.
pub struct Known {
    /// Its places in the row.
    pub at: Range<usize>,
    /// Rows that it has.
    pub rows: f64,
    /// The table that it is.
    pub table: Option<Arc<Table>>,
    /// What ANALYZE found of it.
    pub statistics: Option<Arc<TableStatistics>>,
    /// Places whose values are certainly distinct.
    pub unique: Vec<usize>,
}

impl Known {
    /// A table.
    pub fn of_table(table: &Arc<Table>, at: usize) -> Known {
        let alone = |i: &Arc<crate::catalog::Index>| {
            (i.unique && i.is_valid() && i.is_plain() && i.columns.len() == 1)
                .then(|| at + i.columns[0].column)
        };
        Known {
            at: at..at + table.columns.len() + 1,
            rows: table.estimated_rows(),
            statistics: table.shared.statistics(),
            unique: table.indexes.iter().filter_map(alone).collect(),
            table: Some(table.clone()),
        }
    }

    fn column(&self, place: usize) -> Option<&ColumnStatistics> {
        self.statistics.as_ref()?.columns.get(place - self.at.start)?.as_ref()
    }

    /// Distinct values at a place.
    fn distinct(&self, place: usize) -> f64 {
        if self.unique.contains(&place) {
            return self.rows.max(1.0);
        }
        match self.column(place) {
            Some(c) => c.distinct_of(self.rows).min(self.rows.max(1.0)),
            None if self.is_bool(place) => 2.0,
            None => UNKNOWN_DISTINCT.min(self.rows.max(1.0)),
        }
    }

    fn is_bool(&self, place: usize) -> bool {
        let table = self.table.as_ref();
        table.is_some_and(|t| t.types.get(place - self.at.start) == Some(&Type::Bool))
    }
}

/// The relations of a level.
pub struct Estimator<'a> {
    /// By number.
    pub relations: Vec<Known>,
    /// For what values are now.
    pub eval: Option<&'a EvalCtx<'a>>,
}

/// A comparison of a day or a moment with one of another type of these, which the executor compares as what they are.
pub fn of_two_times(e: &Expr) -> Option<(CmpOp, &Expr, &Expr)> {
    let is_time = |ty: &Type| matches!(ty, Type::Date | Type::Timestamp | Type::Timestamptz);
    match e {
        Expr::Call(f, args) if f.args.len() == 2 && f.args.iter().all(is_time) => {
            Some((CmpOp::from_name(f.name)?, args.first()?, args.get(1)?))
        }
        _ => None,
    }
}

/// A comparison of two values.
fn comparison(e: &Expr) -> Option<(CmpOp, &Expr, &Expr)> {
    match e {
        Expr::Cmp(op, pair) => Some((*op, &pair.0, &pair.1)),
        e => of_two_times(e),
    }
}

impl Estimator<'_> {
    /// The relation that has a place.
    pub fn relation(&self, place: usize) -> Option<&Known> {
        self.relations.iter().find(|r| r.at.contains(&place))
    }

    /// The place that an expression is, but for casts that keep values apart.
    fn place(e: &Expr) -> Option<usize> {
        match e {
            Expr::Column(c) => Some(*c),
            Expr::Cast(c) => Self::place(&c.expr),
            _ => None,
        }
    }

    /// Distinct values of an expression.
    pub fn distinct(&self, e: &Expr) -> f64 {
        match Self::place(e).and_then(|p| Some((p, self.relation(p)?))) {
            Some((place, r)) => r.distinct(place),
            None => {
                let mut columns = Vec::new();
                e.columns(&mut columns);
                let of = |c: &usize| self.relation(*c).map_or(1.0, |r| r.distinct(*c));
                columns.iter().map(of).fold(1.0, f64::max)
            }
        }
    }

    /// Groups that rows fall into.
    pub fn groups(&self, keys: &[Expr], rows: f64) -> f64 {
        let all = keys.iter().map(|k| self.distinct(k)).product::<f64>();
        all.min(rows).max(1.0)
    }

    /// The share of rows that satisfy all conditions.
    pub fn all<'e>(&self, conditions: impl IntoIterator<Item = &'e Expr>) -> f64 {
        let mut share = 1.0;
        // Two bounds of one column are a range.
        let mut ranges: Vec<(usize, Option<f64>, Option<f64>)> = Vec::new();
        for e in conditions {
            if let Some((place, is_low, bound)) = self.bound(e) {
                let n = ranges.iter().position(|r| r.0 == place).unwrap_or_else(|| {
                    ranges.push((place, None, None));
                    ranges.len() - 1
                });
                let (_, low, high) = &mut ranges[n];
                let side = if is_low { low } else { high };
                *side = Some(side.map_or(bound, |b| b.min(bound)));
                continue;
            }
            share *= self.one(e);
        }
        for (place, low, high) in ranges {
            share *= match (low, high) {
                (Some(l), Some(h)) if l == UNKNOWN_LESS && h == UNKNOWN_LESS => UNKNOWN_RANGE,
                (Some(l), Some(h)) => {
                    let nulls = self.null_fraction(place);
                    (l + h + nulls - 1.0).max(1.0 / self.relation(place).map_or(1.0, |r| r.rows.max(1.0)))
                }
                (one, other) => one.or(other).unwrap_or(1.0),
            };
        }
        share.clamp(0.0, 1.0)
    }

    fn null_fraction(&self, place: usize) -> f64 {
        self.relation(place).and_then(|r| r.column(place)).map_or(0.0, |c| c.null_fraction)
    }

    /// An inequality of a column: its place, whether it is a lower bound, and the share that satisfies it.
    fn bound(&self, e: &Expr) -> Option<(usize, bool, f64)> {
        let (op, a, b) = comparison(e)?;
        let (place, op, value) = match (a, b) {
            (Expr::Column(p), v) if !reads_columns(v) => (*p, op, v),
            (v, Expr::Column(p)) if !reads_columns(v) => (*p, op.flipped(), v),
            _ => return None,
        };
        let is_low = match op {
            CmpOp::Gt | CmpOp::Ge => true,
            CmpOp::Lt | CmpOp::Le => false,
            CmpOp::Eq | CmpOp::Ne => return None,
        };
        Some((place, is_low, self.compared(place, op, value)))
    }

    /// The share of rows that satisfy one condition.
    pub fn one(&self, e: &Expr) -> f64 {
        let share = match e {
            Expr::Const(Datum::Bool(true)) => 1.0,
            Expr::Const(_) => 0.0,
            Expr::Cmp(op, pair) => self.comparison(*op, &pair.0, &pair.1),
            Expr::And(list) => self.all(list.iter()),
            Expr::Or(list) => list.iter().fold(0.0, |s, e| {
                let one = self.one(e);
                s + one - s * one
            }),
            Expr::Not(e) => 1.0 - self.one(e),
            Expr::IsNull(e, negated) => {
                let nulls = match Self::place(e).and_then(|p| Some((p, self.relation(p)?))) {
                    Some((place, r)) => r.column(place).map_or(UNKNOWN_EQUAL, |c| c.null_fraction),
                    None => UNKNOWN_EQUAL,
                };
                if *negated { 1.0 - nulls } else { nulls }
            }
            Expr::IsBool(e, value, negated) => {
                let of_true = self.one(e);
                let share = if *value { of_true } else { 1.0 - of_true };
                if *negated { 1.0 - share } else { share }
            }
            Expr::Column(place) => match self.relation(*place).and_then(|r| r.column(*place)) {
                Some(c) => share_of(c, &Datum::Bool(true), 2.0),
                None => 0.5,
            },
            Expr::InList(e, list, negated) => {
                let found = list.iter().map(|v| self.comparison(CmpOp::Eq, e, v)).sum::<f64>().min(1.0);
                if *negated { 1.0 - found } else { found }
            }
            Expr::AnyArray(CmpOp::Eq, pair, true) => match &pair.1 {
                Expr::Const(Datum::Array(a)) => {
                    let one = |v: &Datum| self.comparison(CmpOp::Eq, &pair.0, &Expr::Const(v.clone()));
                    a.values.iter().take(1000).map(one).sum::<f64>().min(1.0)
                }
                Expr::Array(_, list) => {
                    let one = |v: &Expr| self.comparison(CmpOp::Eq, &pair.0, v);
                    list.iter().take(1000).map(one).sum::<f64>().min(1.0)
                }
                _ => (UNKNOWN_ELEMENTS * self.comparison(CmpOp::Eq, &pair.0, &Expr::Param(0))).min(1.0),
            },
            Expr::Distinct(pair, negated) => {
                let same = self.comparison(CmpOp::Eq, &pair.0, &pair.1);
                if *negated { same } else { 1.0 - same }
            }
            e if let Some((op, a, b)) = of_two_times(e) => self.comparison(op, a, b),
            Expr::Call(f, args) if let Some(share) = self.beginning(f, args) => share,
            Expr::Call(f, args) if matches!(f.name, "~~" | "~~*" | "~" | "~*" | "^@") => match args.get(1) {
                // A pattern that begins with a wildcard finds more than one that does not.
                Some(Expr::Const(Datum::Text(p))) if p.starts_with('%') => 0.05,
                _ => 0.01,
            },
            Expr::Call(f, args) if matches!(f.name, "!~~" | "!~~*" | "!~" | "!~*") => match args.get(1) {
                Some(Expr::Const(Datum::Text(p))) if p.starts_with('%') => 0.95,
                _ => 0.99,
            },
            Expr::Call(f, _) if matches!(f.name, "@>" | "<@" | "&&" | "?" | "?|" | "?&" | "@?" | "@@") => {
                UNKNOWN_EQUAL
            }
            Expr::Subquery(..) => 0.5,
            _ => UNKNOWN_LESS,
        };
        share.clamp(0.0, 1.0)
    }

    /// The share of texts that begin with what they must to satisfy a pattern, if anything is known of the column.
    fn beginning(&self, f: &ScalarFn, args: &[Expr]) -> Option<f64> {
        let (text, beginning) = Beginning::of(f, args)?;
        let place = Self::place(text)?;
        let relation = self.relation(place)?;
        relation.column(place)?;
        let compared =
            |op: CmpOp, s: &Arc<str>| self.compared(place, op, &Expr::Const(Datum::Text(s.clone())));
        let share = match &beginning.high {
            Some((all, true)) => return Some(compared(CmpOp::Eq, all)),
            Some((high, false)) => {
                let (from, to) = (compared(CmpOp::Ge, &beginning.low), compared(CmpOp::Lt, high));
                from + to + self.null_fraction(place) - 1.0
            }
            None => compared(CmpOp::Ge, &beginning.low),
        };
        // What a pattern goes on with is satisfied by some of them.
        let is_all = match args.get(1) {
            // `abc%`, `^abc`
            Some(Expr::Const(Datum::Text(p))) if f.name != "^@" => p.len() == beginning.low.len() + 1,
            _ => true,
        };
        let least = 1.0 / relation.rows.max(1.0);
        Some(if is_all { share.max(least) } else { (share * PATTERN_REST).max(least) })
    }

    fn comparison(&self, op: CmpOp, a: &Expr, b: &Expr) -> f64 {
        match (Self::place(a), Self::place(b)) {
            (Some(p), Some(q)) if self.relation(p).is_some() && self.relation(q).is_some() => {
                let equal = 1.0 / self.distinct(a).max(self.distinct(b)).max(1.0);
                let there = (1.0 - self.null_fraction(p)) * (1.0 - self.null_fraction(q));
                match op {
                    CmpOp::Eq => equal * there,
                    CmpOp::Ne => (1.0 - equal) * there,
                    _ => UNKNOWN_LESS,
                }
            }
            (Some(p), _) if !reads_columns(b) => self.compared(p, op, b),
            (_, Some(p)) if !reads_columns(a) => self.compared(p, op.flipped(), a),
            // A column's values are known of, and what is computed of others says nothing of how many of them it meets.
            (Some(p), None) | (None, Some(p)) if op == CmpOp::Eq && self.relation(p).is_some() => {
                let computed = if Self::place(a).is_some() { b } else { a };
                let values = self.distinct(computed).min(UNKNOWN_DISTINCT);
                (1.0 - self.null_fraction(p)) / self.distinct(&Expr::Column(p)).max(values).max(1.0)
            }
            _ => match op {
                CmpOp::Eq if reads_columns(a) || reads_columns(b) => {
                    1.0 / self.distinct(a).max(self.distinct(b)).max(1.0)
                }
                CmpOp::Eq => UNKNOWN_EQUAL,
                CmpOp::Ne => 1.0 - UNKNOWN_EQUAL,
                _ => UNKNOWN_LESS,
            },
        }
    }

    /// A column compared with a value, which may be known.
    fn compared(&self, place: usize, op: CmpOp, value: &Expr) -> f64 {
        let Some(r) = self.relation(place) else { return UNKNOWN_EQUAL };
        let distinct = r.distinct(place);
        let Some(c) = r.column(place) else {
            return match op {
                CmpOp::Eq => 1.0 / distinct,
                CmpOp::Ne => 1.0 - 1.0 / distinct,
                _ => UNKNOWN_LESS,
            };
        };
        let there = 1.0 - c.null_fraction;
        let sample = c.common.first().map(|(v, _)| v).or(c.histogram.first());
        let known = match value {
            Expr::Const(d) => Some(d.clone()),
            value => self.eval.and_then(|cx| fold::estimated(value, cx)),
        };
        let known = known.and_then(|d| match sample {
            Some(s) if !d.is_null() && order(s, &d).is_none() => self.as_time(d, s.natural_type()),
            _ => Some(d),
        });
        if known.as_ref().is_some_and(Datum::is_null) {
            return 0.0;
        }
        match (op, known.as_ref()) {
            (CmpOp::Eq, None) => there / distinct,
            (CmpOp::Ne, None) => there * (1.0 - 1.0 / distinct),
            (CmpOp::Eq, Some(d)) => share_of(c, d, distinct),
            (CmpOp::Ne, Some(d)) => there - share_of(c, d, distinct),
            (_, None) => UNKNOWN_LESS * there,
            (_, Some(d)) => {
                let common: f64 = c
                    .common
                    .iter()
                    .filter(|(v, _)| order(v, d).is_some_and(|o| op.holds(o)))
                    .map(|(_, s)| s)
                    .sum();
                let in_common: f64 = c.common.iter().map(|(_, s)| s).sum();
                let rest = (there - in_common).max(0.0);
                let below = if c.histogram.len() > 1 { below(&c.histogram, d) } else { 0.5 };
                let part = if matches!(op, CmpOp::Lt | CmpOp::Le) { below } else { 1.0 - below };
                common + rest * part
            }
        }
    }
}

impl Estimator<'_> {
    /// A day or a moment as one of another type of these.
    fn as_time(&self, d: Datum, to: Type) -> Option<Datum> {
        let is_time = |ty: Type| matches!(ty, Type::Date | Type::Timestamp | Type::Timestamptz);
        let (from, cx) = (d.natural_type(), self.eval?);
        if !is_time(from) || !is_time(to) {
            return None;
        }
        evenkeel_types::cast(d, from, to, -1, CastContext::Explicit, cx.format).ok()
    }
}

fn reads_columns(e: &Expr) -> bool {
    e.any(|e| matches!(e, Expr::Column(_) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_)))
}

/// The share of rows that have a value.
fn share_of(c: &ColumnStatistics, value: &Datum, distinct: f64) -> f64 {
    if let Some((_, share)) = c.common.iter().find(|(v, _)| order(v, value) == Some(Ordering::Equal)) {
        return *share;
    }
    let in_common: f64 = c.common.iter().map(|(_, s)| s).sum();
    let rest = (1.0 - c.null_fraction - in_common).max(0.0);
    let share = rest / (distinct - c.common.len() as f64).max(1.0);
    // No rarer value is more common than the rarest of the common ones.
    c.common.last().map_or(share, |(_, least)| share.min(*least))
}

/// The share of a histogram's values that lie below one.
fn below(histogram: &[Datum], value: &Datum) -> f64 {
    let parts = (histogram.len() - 1) as f64;
    let at = histogram.partition_point(|v| order(v, value) == Some(Ordering::Less));
    if at == 0 {
        return 0.0;
    }
    let Some(high) = histogram.get(at) else { return 1.0 };
    let within = match (number(&histogram[at - 1]), number(high), number(value)) {
        (Some(l), Some(h), Some(v)) if h > l => ((v - l) / (h - l)).clamp(0.0, 1.0),
        _ => 0.5,
    };
    ((at - 1) as f64 + within) / parts
}

/// The order of two values, if they are of one type.
fn order(a: &Datum, b: &Datum) -> Option<Ordering> {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ if std::mem::discriminant(a) == std::mem::discriminant(b) && !a.is_null() => Some(compare(a, b)),
        _ => None,
    }
}

/// A value on a scale.
fn number(d: &Datum) -> Option<f64> {
    match d {
        Datum::Float4(f) => Some(f64::from(*f)),
        Datum::Float8(f) => Some(*f),
        Datum::Numeric(n) => Some(n.to_f64_lossy()),
        Datum::Date(days) => Some(f64::from(*days)),
        Datum::Timestamp(us) | Datum::Timestamptz(us) => Some(*us as f64),
        d => d.as_i64().map(|n| n as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(common: Vec<(Datum, f64)>, histogram: Vec<Datum>, distinct: f64) -> ColumnStatistics {
        ColumnStatistics {
            null_fraction: 0.1,
            width_bytes: 4.0,
            distinct,
            common,
            histogram,
            correlation: 0.0,
        }
    }

    fn estimator(c: ColumnStatistics) -> Estimator<'static> {
        let statistics = TableStatistics { rows: 1000.0, columns: vec![Some(c)] };
        let known = Known {
            at: 0..2,
            rows: 1000.0,
            table: None,
            statistics: Some(Arc::new(statistics)),
            unique: Vec::new(),
        };
        Estimator { relations: vec![known], eval: None }
    }

    fn cmp(op: CmpOp, n: i32) -> Expr {
        Expr::Cmp(op, Box::new((Expr::Column(0), Expr::Const(Datum::Int4(n)))))
    }

    #[test]
    fn shares_come_from_common_values_and_the_histogram() {
        let histogram = (0..=10).map(|n| Datum::Int4(n * 100)).collect();
        let e = estimator(column(vec![(Datum::Int4(7), 0.4)], histogram, 501.0));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        near(e.one(&cmp(CmpOp::Eq, 7)), 0.4);
        near(e.one(&cmp(CmpOp::Eq, 8)), 0.5 / 500.0);
        near(e.one(&cmp(CmpOp::Lt, 250)), 0.4 + 0.5 * 0.25);
        near(e.one(&cmp(CmpOp::Gt, 250)), 0.5 * 0.75);
        near(e.one(&cmp(CmpOp::Lt, -5)), 0.0);
        near(e.one(&cmp(CmpOp::Ge, 5000)), 0.0);
        near(e.all([&cmp(CmpOp::Ge, 200), &cmp(CmpOp::Lt, 300)]), 0.5 * 0.8 + 0.4 + 0.5 * 0.3 - 0.9);
        near(e.one(&Expr::IsNull(Box::new(Expr::Column(0)), false)), 0.1);
        near(e.one(&cmp(CmpOp::Ne, 7)), 0.5);
    }

    #[test]
    fn what_is_computed_meets_a_column_by_the_columns_values() {
        let mut e = estimator(column(Vec::new(), Vec::new(), 501.0));
        let (table, statistics) = (None, None);
        e.relations.push(Known { at: 2..4, rows: 100_000.0, table, statistics, unique: vec![2] });
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        let computed = || Expr::Coalesce([Expr::Column(2), Expr::Const(Datum::Int4(0))].into());
        // Not as many values as the column has that it is computed of.
        near(e.one(&Expr::Cmp(CmpOp::Eq, Box::new((Expr::Column(0), computed())))), 0.9 / 501.0);
        near(e.one(&Expr::Cmp(CmpOp::Eq, Box::new((computed(), Expr::Column(0))))), 0.9 / 501.0);
    }

    /// Invariant 1.
    #[test]
    fn a_share_is_a_share() {
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..2000 {
            let mut values: Vec<i32> = (0..rng.usize(0..20)).map(|_| rng.i32(-50..50)).collect();
            values.sort_unstable();
            let common = (0..rng.usize(0..4)).map(|n| (Datum::Int4(n as i32), rng.f64() * 0.2)).collect();
            let distinct = if rng.bool() { -rng.f64() } else { f64::from(rng.u32(0..2000)) };
            let e = estimator(column(common, values.into_iter().map(Datum::Int4).collect(), distinct));
            let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
            let conditions: Vec<Expr> =
                (0..rng.usize(1..4)).map(|_| cmp(ops[rng.usize(0..6)], rng.i32(-60..60))).collect();
            let share = e.all(&conditions);
            assert!((0.0..=1.0).contains(&share), "{share} of {conditions:?}");
            assert!((0.0..=1.0).contains(&e.one(&Expr::Or(conditions.into()))));
        }
    }
}
