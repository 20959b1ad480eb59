//! In which collations the fields of rows are compared: each in its own, as PostgreSQL compares records.
//!
//! Invariants:
//! 1. A row whose fields all have the database's collation has that one and no more: `None`.
//!
//! Must not know: how values are compared.

use super::Binder;
use super::collation::{Derived, OPEN, holds_rows, may_hold_text, open};
use super::row::parts;
use crate::plan::expr::{Expr, SubqueryUse};
use evenkeel_types::collation::DEFAULT_OID;
use evenkeel_types::collation_rows::Fields;
use evenkeel_types::error::SqlError;
use evenkeel_types::funcs::NAMED_RECORD;
use evenkeel_types::{Collation, Type};

impl Binder<'_> {
    /// That of an expression whose value is a row, or an array of such, at a level as `derive` has them.
    pub(super) fn row_collation(
        &self,
        e: &Expr,
        ty: Type,
        level: usize,
    ) -> Result<Option<Collation>, SqlError> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.row_collation_here(e, ty, level))
    }

    fn row_collation_here(&self, e: &Expr, ty: Type, level: usize) -> Result<Option<Collation>, SqlError> {
        let of_fields = |c: Option<&Collation>| c.copied().filter(|c| c.fields().is_some());
        let frame = level.checked_sub(1).and_then(|n| self.frames.get(n));
        let first = |list: &mut dyn Iterator<Item = &Expr>| {
            for e in list {
                if let Some(found) = self.row_collation(e, ty, level)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        };
        if let Some((types, values)) = parts(e) {
            return self.fields_collation(types, values, level);
        }
        match e {
            Expr::Column(at) => Ok(of_fields(frame.and_then(|f| f.collations.get(at)))),
            Expr::Outer(slot) => match frame.and_then(|f| f.outer_refs.iter().find(|(s, _)| s == slot)) {
                Some((_, e)) => self.row_collation(e, ty, level - 1),
                None => Ok(None),
            },
            Expr::Call(f, args) if std::ptr::eq(*f, &NAMED_RECORD) => first(&mut args.iter().take(1)),
            Expr::Case(c) => first(&mut c.branches.iter().map(|b| &b.1).chain([&c.otherwise])),
            Expr::Coalesce(list) | Expr::Extreme(_, list) | Expr::Array(_, list) => first(&mut list.iter()),
            Expr::CollationKey(e, ..) | Expr::Subscript(e, _) | Expr::Slice(e, _) => {
                self.row_collation(e, ty, level)
            }
            Expr::NullIf(pair, _) => self.row_collation(&pair.0, ty, level),
            Expr::Field(field) => {
                let row = self.row_collation(&field.of, Type::Record, level)?;
                Ok(of_fields(row.and_then(|c| c.fields()).and_then(|f| f.list.get(field.at))))
            }
            Expr::Subquery(n, usage, _) => match &**usage {
                SubqueryUse::Scalar | SubqueryUse::Array(_) => Ok(of_fields(self.subplan_collations.get(*n))),
                _ => Ok(None),
            },
            Expr::Aggregate(n) => match frame.and_then(|f| f.aggs.get(*n)) {
                Some(call) => first(&mut call.args.iter()),
                None => Ok(None),
            },
            Expr::Window(n) => match frame.and_then(|f| f.windows.calls.get(*n)) {
                Some(call) => first(&mut call.args.iter()),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// That of a row that is written out.
    fn fields_collation(
        &self,
        types: &[Type],
        values: &[Expr],
        level: usize,
    ) -> Result<Option<Collation>, SqlError> {
        let default = self.catalog.default_collation;
        let mut list = Vec::with_capacity(values.len());
        for (ty, e) in types.iter().zip(values) {
            list.push(match *ty {
                ty if holds_rows(ty) => self.row_collation(e, ty, level)?.unwrap_or(default),
                ty if !may_hold_text(ty) => default,
                ty => match self.derive_typed(e, ty, level)? {
                    Derived::None => default,
                    Derived::Lost | Derived::Open(..) => OPEN,
                    Derived::Implicit(c) | Derived::Explicit(c) => c,
                },
            });
        }
        if list.iter().all(|c| c.oid == DEFAULT_OID && c.fields().is_none()) {
            return Ok(None);
        }
        Ok(Some(default.with_fields(Fields::of(list)?)))
    }

    /// In which rows of several expressions are compared with each other.
    pub(super) fn common_row_collation(&self, of: &[(&Expr, Type)]) -> Result<Collation, SqlError> {
        let level = self.frames.len();
        let all = of.iter().map(|(e, ty)| self.row_collation(e, *ty, level));
        self.same_row_collation(all.collect::<Result<Vec<_>, _>>()?)
    }

    /// The same of those of the expressions.
    pub(super) fn same_row_collation(
        &self,
        all: impl IntoIterator<Item = Option<Collation>>,
    ) -> Result<Collation, SqlError> {
        let default = self.catalog.default_collation;
        let mut all = all.into_iter().map(|c| c.unwrap_or(default));
        let first = all.next().unwrap_or(default);
        let found = all.try_fold(first, |c, next| same(c, next, default))?;
        if is_open(&found) { Err(open()) } else { Ok(found) }
    }
}

/// What fields of two rows have in common; those that differ have none.
fn same(a: Collation, b: Collation, default: Collation) -> Result<Collation, SqlError> {
    if a == b {
        return Ok(a);
    }
    let list = |c: Collation| c.fields().map_or(&[][..], |f| &f.list);
    if a.fields().is_none() && b.fields().is_none() {
        return Ok(if a.oid == b.oid { a } else { OPEN });
    }
    let of = |c: Collation, n: usize| list(c).get(n).copied().unwrap_or(default);
    let count = list(a).len().max(list(b).len());
    let fields = (0..count).map(|n| same(of(a, n), of(b, n), default)).collect::<Result<Vec<_>, _>>()?;
    Ok(default.with_fields(Fields::of(fields)?))
}

/// Whether that of some field is not known.
fn is_open(c: &Collation) -> bool {
    *c == OPEN || c.fields().is_some_and(|f| f.list.iter().any(is_open))
}
