//! An OR of many equalities of one thing, as a list that it is in: `a = 1 OR a = 2 OR …` is looked for in an index, or in the list, once for each row,
//! where each branch would be asked of each row that some branch found.
//!
//! Invariants:
//! 1. What stands for the branches is true, false or NULL where their OR is.
//! 2. Few branches stay as they are written: they cost little, and are shown as they are.
//!
//! Must not know: indexes, how lists are searched.

use super::expr::{CmpOp, Expr};
use super::pull::is_movable;
use evenkeel_types::Datum;

/// Branches from which on a list is made: so many items are searched by halves (`exec/lists.rs`).
const BRANCHES_MIN: usize = 9;
/// Different things that are compared in one OR: with more, looking for those that are alike would take long.
const COMPARED_MAX: usize = 16;

/// What is compared, with what, in which branches.
struct Group {
    compared: Expr,
    values: Vec<Expr>,
    branches: Vec<usize>,
}

/// An OR with lists for its equalities; anything else as it is.
pub(super) fn one_of(e: Expr) -> Expr {
    match e {
        Expr::Or(branches) if branches.len() >= BRANCHES_MIN => with_lists(branches),
        other => other,
    }
}

fn with_lists(branches: Box<[Expr]>) -> Expr {
    let mut groups: Vec<Group> = Vec::new();
    for (n, branch) in branches.iter().enumerate() {
        let Some((compared, value)) = equality(branch) else { continue };
        let place = match groups.iter().position(|g| g.compared == *compared) {
            Some(place) => place,
            None if groups.len() == COMPARED_MAX => return Expr::Or(branches),
            None => {
                groups.push(Group { compared: compared.clone(), values: Vec::new(), branches: Vec::new() });
                groups.len() - 1
            }
        };
        groups[place].values.push(value.clone());
        groups[place].branches.push(n);
    }
    groups.retain(|g| g.values.len() >= BRANCHES_MIN && is_movable(&g.compared));
    if groups.is_empty() {
        return Expr::Or(branches);
    }
    let mut left: Vec<Option<Expr>> = branches.into_iter().map(Some).collect();
    for Group { compared, values, branches } in groups {
        // In the place of the first.
        branches.iter().for_each(|n| left[*n] = None);
        left[branches[0]] = Some(Expr::InList(Box::new(compared), values.into(), false));
    }
    let mut left: Vec<Expr> = left.into_iter().flatten().collect();
    if left.len() == 1 { left.remove(0) } else { Expr::Or(left.into()) }
}

/// What is compared with a constant. Rows and arrays are left alone: some of their elements may not be comparable, which comparing them says.
fn equality(branch: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Cmp(CmpOp::Eq, pair) = branch else { return None };
    let is_plain = |e: &Expr| matches!(e, Expr::Const(d) if !matches!(d, Datum::Record(_) | Datum::Array(_)));
    match &**pair {
        (compared, value) if is_plain(value) && !matches!(compared, Expr::Const(_)) => {
            Some((compared, value))
        }
        (value, compared) if is_plain(value) && !matches!(compared, Expr::Const(_)) => {
            Some((compared, value))
        }
        _ => None,
    }
}
