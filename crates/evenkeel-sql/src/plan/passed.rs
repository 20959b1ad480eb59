//! Values passed on to subqueries in FROM: of a column that is equal to another, which is equal to a value, that value is asked, too, so that the subquery reads no
//! more than the rows that have it. (Tables have it from `equal`, when they are joined.)
//!
//! Invariants
//! 1. What is added follows of every row that WHERE lets pass.
//!
//! Must not know: access paths, join methods.

use super::JoinKind;
use super::bound::{FromTree, Level, Source, SourceKind};
use super::expr::{CmpOp, Expr};
use super::pull::{equal, is_movable, not_nullable};

/// Asks of the columns of subqueries what their equals are.
pub(super) fn pass_values(level: &mut Level) {
    let Level { tree: Some(tree), conjuncts, sources, .. } = level else { return };
    let is_query = |s: &Source| matches!(s.kind, SourceKind::Query(..));
    if sources.len() < 2 || !sources.iter().any(is_query) {
        return;
    }
    let mut reachable = Vec::new();
    not_nullable(tree, &mut reachable);
    let mut of_queries = Vec::new();
    take_conditions_of_queries(tree, sources, &mut of_queries);
    conjuncts.extend(of_queries);
    let mut said: Vec<&Expr> = conjuncts.iter().collect();
    conditions_of_all(tree, &mut said);
    let known = Known::of(&said);
    let mut found = Vec::new();
    for (column, value) in &known.values {
        let is_its = |n: &usize| is_query(&sources[*n]) && places(&sources[*n]).contains(column);
        if reachable.iter().any(is_its) && !known.is_said(*column, value) {
            found.push(equal(Expr::Column(*column), value.clone()));
        }
    }
    pass_right(tree, sources, &known);
    conjuncts.extend(found);
}

fn places(source: &Source) -> std::ops::Range<usize> {
    source.at..source.at + source.width
}

/// The sides of an equality of two columns.
fn columns(e: &Expr) -> Option<(usize, usize)> {
    match e {
        Expr::Cmp(CmpOp::Eq, p) => match &**p {
            (Expr::Column(a), Expr::Column(b)) => Some((*a, *b)),
            _ => None,
        },
        _ => None,
    }
}

/// The columns of which a value is known.
struct Known {
    values: Vec<(usize, Expr)>,
    said: usize,
}

impl Known {
    fn of(conditions: &[&Expr]) -> Known {
        let value_of = |e: &&Expr| match e {
            Expr::Cmp(CmpOp::Eq, p) => match &**p {
                (Expr::Column(c), v) | (v, Expr::Column(c)) if v.is_row_independent() && is_movable(v) => {
                    Some((*c, v.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let mut values: Vec<(usize, Expr)> = conditions.iter().filter_map(value_of).collect();
        let said = values.len();
        let pairs: Vec<(usize, usize)> = conditions.iter().filter_map(|e| columns(e)).collect();
        loop {
            let before = values.len();
            for (a, b) in &pairs {
                for (of, to) in [(a, b), (b, a)] {
                    let value = values.iter().find(|v| v.0 == *of).map(|v| v.1.clone());
                    if let Some(value) = value
                        && !values.iter().any(|v| v.0 == *to)
                    {
                        values.push((*to, value));
                    }
                }
            }
            if values.len() == before {
                return Known { values, said };
            }
        }
    }

    fn value(&self, column: usize) -> Option<&Expr> {
        self.values.iter().find(|v| v.0 == column).map(|v| &v.1)
    }

    fn is_said(&self, column: usize, value: &Expr) -> bool {
        self.values[..self.said].iter().any(|(c, v)| *c == column && v == value)
    }
}

/// Conditions of inner joins, of which WHERE might be as well.
fn conditions_of_all<'t>(tree: &'t FromTree, into: &mut Vec<&'t Expr>) {
    match tree {
        FromTree::Join { kind: JoinKind::Inner, left, right, on } => {
            conditions_of_all(left, into);
            conditions_of_all(right, into);
            into.extend(on);
        }
        FromTree::Join { kind: JoinKind::Left | JoinKind::Semi | JoinKind::Anti, left, .. } => {
            conditions_of_all(left, into);
        }
        _ => {}
    }
}

/// Takes out of ON of inner joins what reads a subquery alone: it may move there as if WHERE said it.
fn take_conditions_of_queries(tree: &mut FromTree, sources: &[Source], into: &mut Vec<Expr>) {
    let FromTree::Join { kind, left, right, on } = tree else { return };
    match kind {
        JoinKind::Full => return,
        JoinKind::Inner => take_conditions_of_queries(right, sources, into),
        JoinKind::Left | JoinKind::Semi | JoinKind::Anti => {}
    }
    take_conditions_of_queries(left, sources, into);
    if *kind == JoinKind::Inner {
        let reads_one_alone = |e: &Expr| {
            let mut read = Vec::new();
            e.columns(&mut read);
            let is_it = |s: &Source| {
                matches!(s.kind, SourceKind::Query(..)) && read.iter().all(|c| places(s).contains(c))
            };
            !read.is_empty() && is_movable(e) && sources.iter().any(is_it)
        };
        into.extend(on.extract_if(.., |e| reads_one_alone(e)));
    }
}

/// What stands right of an outer join, or of one that only selects, and is equal to something whose value is known, has that value where it matches.
fn pass_right(tree: &mut FromTree, sources: &[Source], known: &Known) {
    let FromTree::Join { kind, left, right, on } = tree else { return };
    pass_right(left, sources, known);
    pass_right(right, sources, known);
    let (JoinKind::Left | JoinKind::Semi | JoinKind::Anti, FromTree::Source(n)) = (*kind, &**right) else {
        return;
    };
    if !matches!(sources[*n].kind, SourceKind::Query(..)) {
        return;
    }
    let own = places(&sources[*n]);
    let passed = |e: &Expr| {
        let (a, b) = columns(e)?;
        let (left, right) = if own.contains(&a) { (b, a) } else { (a, b) };
        let is_across = own.contains(&right) && !own.contains(&left);
        let value = known.value(left).filter(|_| is_across)?;
        Some(equal(Expr::Column(right), value.clone()))
    };
    let found: Vec<Expr> = on.iter().filter_map(passed).collect();
    for condition in found {
        if !on.contains(&condition) {
            on.push(condition);
        }
    }
}
