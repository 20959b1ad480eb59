//! What tells of keys alone: which changes need the lock of a key, and whose count need not wait for other columns.
//!
//! Must not know: how rows are locked.

use crate::catalog::Table;
use crate::plan::Target;
use crate::plan::expr::Expr;
use evenkeel::LockMode;
use evenkeel_types::Type;

/// A column of a unique index: a foreign key may refer to it.
fn is_key(table: &Table, column: usize) -> bool {
    table.indexes.iter().any(|i| i.is_key() && i.key_columns().any(|c| c == column))
}

/// Changing a key column needs the strongest row lock.
pub(super) fn lock_for(table: &Table, changed: &[usize]) -> LockMode {
    let key = changed.iter().any(|column| is_key(table, *column));
    if key { LockMode::Update } else { LockMode::NoKeyUpdate }
}

/// Whether an expression over one table depends on its key columns alone.
pub(super) fn reads_keys_only(e: &Expr, table: &Table) -> bool {
    !e.any(|e| match e {
        Expr::Column(c) => !is_key(table, *c),
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_) | Expr::Subquery(..) => true,
        Expr::Call(f, _) => f.volatile == evenkeel_types::Volatility::Volatile,
        _ => false,
    })
}

/// Whether the success of an update tells nothing of columns that are not keys: no constraint and no function that refuses values gets to see what
/// is computed from them. (Sums and products are let pass: that one overflows would tell that values lie near a type's bound. The error itself waits.)
pub(super) fn succeeds_by_keys(set: &[(usize, Expr)], target: &Target) -> bool {
    let table = &*target.table;
    let sets = |c: &usize| set.iter().any(|(s, _)| s == c);
    let told = |c: &usize| match set.iter().find(|(s, _)| s == c) {
        Some((_, e)) => reads_keys_only(e, table),
        None => is_key(table, *c),
    };
    let is_nullable = |c: &usize| !table.has_no_null(*c);
    let computes = |(c, e): &(usize, Expr)| {
        let reads_null = e.any(|e| matches!(e, Expr::Column(c) if is_nullable(c)));
        told(c) || is_sum(e, table) && (!reads_null || is_nullable(c))
    };
    // A constraint over columns that stay as they are is satisfied already.
    let checked = |e: &Expr| {
        let mut columns = Vec::new();
        e.walk(&mut |e| {
            if let Expr::Column(c) = e {
                columns.push(*c);
            }
        });
        !columns.iter().any(sets) || columns.iter().all(told)
    };
    set.iter().all(computes)
        && target.checks.iter().all(|(_, e)| checked(e))
        && target.foreign_keys.iter().all(|f| !f.fk.columns.iter().any(sets) || f.fk.columns.iter().all(told))
        && !target.referencing.iter().any(|r| r.fk.parent_columns.iter().any(sets))
        && table.indexes.iter().all(|i| {
            let mut columns = i.read_columns();
            !columns.clone().any(|c| sets(&c)) || columns.all(|c| told(&c))
        })
}

/// Whether a conversion takes every value: a narrower one would tell that the value fits.
fn widens(from: Type, to: Type) -> bool {
    use Type::{Float4, Float8, Int2, Int4, Int8, Numeric};
    match from {
        Int2 => matches!(to, Int4 | Int8 | Numeric | Float4 | Float8),
        Int4 => matches!(to, Int8 | Numeric | Float4 | Float8),
        Int8 => matches!(to, Numeric | Float4 | Float8),
        Float4 => to == Float8,
        _ => false,
    }
}

/// Sums and products, of numbers and times: NULL only if an operand is, refused only if it overflows its own type. Operands that depend on key columns
/// alone may be anything.
fn is_sum(e: &Expr, table: &Table) -> bool {
    match e {
        Expr::Column(_) => true,
        Expr::Call(f, args)
            if matches!(f.name, "+" | "-" | "*") && matches!(f.ret.category(), b'N' | b'D' | b'T') =>
        {
            args.iter().all(|e| is_sum(e, table))
        }
        Expr::Cast(c) if c.typmod == -1 && widens(c.from, c.to) => is_sum(&c.expr, table),
        other => reads_keys_only(other, table),
    }
}
