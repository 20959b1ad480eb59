//! Which collation a comparison has, and what then is compared.
//!
//! A collation is derived as in PostgreSQL: COLLATE says it explicitly; a column brings its own, a constant the database's. Explicit ones win, then those that
//! are not the database's; two that differ leave it open, which only matters to what asks for an order.
//!
//! Equality needs none, but of the few that are not deterministic (`nondeterministic`). What is ordered in one that is not bytewise is compared by sort keys
//! (`Expr::CollationKey`).
//!
//! Invariants:
//! 1. Where neither the database's order, a column nor COLLATE is anything but bytewise, expressions stay as they are.
//!
//! Must not know: how sort keys are made.

use super::types::check_collation;
use super::{Binder, Typed};
use crate::catalog::collation::collation_text;
use crate::catalog::{ColumnDef, Table};
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::{AggCall, Column};
use evenkeel_types::casing::Casing;
use evenkeel_types::collation::{C_OID, DEFAULT_OID, is_collatable};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Collation, Datum, ScalarFn, Type};
use sqlparser::ast;

/// What is known of an expression's collation.
#[derive(Clone, Copy, Debug)]
enum Derived {
    /// It has none.
    None,
    /// Its columns have it.
    Implicit(Collation),
    /// Its columns have several: two of them, if it is here that they meet.
    Open(Option<(Collation, Collation)>),
    /// COLLATE says so.
    Explicit(Collation),
}

impl Derived {
    fn strength(self) -> u8 {
        match self {
            Derived::None => 0,
            Derived::Implicit(_) => 1,
            Derived::Open(_) => 2,
            Derived::Explicit(_) => 3,
        }
    }

    fn with(self, other: Derived) -> Result<Derived, SqlError> {
        Ok(match (self, other) {
            (Derived::Implicit(a), Derived::Implicit(b)) if a.oid != b.oid => match (a.oid, b.oid) {
                (_, DEFAULT_OID) => self,
                (DEFAULT_OID, _) => other,
                _ => Derived::Open(Some((a, b))),
            },
            (Derived::Explicit(a), Derived::Explicit(b)) if a.oid != b.oid => {
                let quoted = |c| format!("\"{}\"", collation_text(c).trim_matches('"'));
                let why =
                    format!("collation mismatch between explicit collations {} and {}", quoted(a), quoted(b));
                return Err(SqlError::new(SqlState::COLLATION_MISMATCH, why));
            }
            (a, b) if b.strength() > a.strength() => b,
            (a, _) => a,
        })
    }
}

/// Functions that compare texts for their order.
const ORDERING_FUNCTIONS: [&str; 8] =
    ["width_bucket", "text_lt", "text_le", "text_gt", "text_ge", "bttextcmp", "text_larger", "text_smaller"];

/// The collation of a result column of which several say different ones.
const OPEN: Collation = Collation::bytewise(0);

/// The error of columns that bring different collations.
fn mismatch(a: Collation, b: Collation) -> SqlError {
    let quoted = |c| format!("\"{}\"", collation_text(c).trim_matches('"'));
    let why = format!("collation mismatch between implicit collations {} and {}", quoted(a), quoted(b));
    SqlError::new(SqlState::COLLATION_MISMATCH, why)
        .with_hint("You can choose the collation by applying the COLLATE clause to one or both expressions.")
}

/// The error of an order that nothing decides.
fn open() -> SqlError {
    let why = "could not determine which collation to use for string comparison";
    SqlError::new(SqlState::INDETERMINATE_COLLATION, why)
        .with_hint("Use the COLLATE clause to set the collation explicitly.")
}

/// The error of what looks for an extreme value of a type in an order that is not by bytes.
pub(super) fn unsupported_order(what: &str, ty: Type) -> SqlError {
    SqlError::unsupported(format!(
        "{what} of type {} in an order that is not by bytes is not supported",
        ty.sql_name()
    ))
    .with_hint("Cast to text, or choose COLLATE \"C\".")
}

impl Binder<'_> {
    /// `x COLLATE c`
    pub(super) fn collate(&mut self, e: &ast::Expr, name: &ast::ObjectName) -> Result<Typed, SqlError> {
        let collation = check_collation(self.catalog, self.search_path, name)?;
        self.capture_collation(collation, name);
        let t = self.expr(e).and_then(super::types::collatable)?;
        self.has_collations = true;
        self.note_collation(Some(collation));
        let t = match t.ty {
            Type::Unknown => {
                let expr = self.coerce(t, Type::Text, -1, evenkeel_types::CastContext::Implicit)?;
                Typed::new(expr, Type::Text)
            }
            _ => t,
        };
        Ok(Typed { expr: Expr::Collate(Box::new(t.expr), collation), ..t })
    }

    /// The collation of a table's column.
    pub(super) fn column_collation(&self, c: &ColumnDef) -> Collation {
        self.catalog.column_collation(c)
    }

    /// Some value has a collation.
    pub(super) fn note_collation(&mut self, c: Option<Collation>) {
        self.has_collations |= c.is_some_and(|c| !c.is_bytewise());
        self.has_nondeterministic |= c.is_some_and(|c| !c.is_deterministic());
    }

    /// Columns of the level in these places have collations.
    pub(super) fn note_collations(&mut self, places: Vec<(usize, Collation)>) -> Result<(), SqlError> {
        let special: Vec<_> = places.into_iter().filter(|(_, c)| c.oid != DEFAULT_OID).collect();
        special.iter().for_each(|(_, c)| self.note_collation(Some(*c)));
        self.frame()?.collations.extend(special);
        Ok(())
    }

    /// The same of a table's columns, which begin at a place.
    pub(super) fn note_table_collations(&mut self, t: &Table, at: usize) -> Result<(), SqlError> {
        let of = t.columns.iter().enumerate().map(|(n, c)| (at + n, self.column_collation(c))).collect();
        self.note_collations(of)
    }

    /// Invariant 1.
    fn asks(&self, ty: Type) -> bool {
        (self.has_collations || !self.catalog.default_collation.is_bytewise()) && may_hold_text(ty)
    }

    /// In which collation values of an expression are ordered.
    pub(super) fn ordering_collation(&self, e: &Expr, ty: Type) -> Result<Collation, SqlError> {
        if self.asks(ty)
            && let Derived::Open(Some((a, b))) = self.derive(e, self.frames.len())?
        {
            return Err(mismatch(a, b));
        }
        self.common_collation(&[(e, ty)])
    }

    /// The same of a result column.
    pub(super) fn column_order(&self, c: &Column) -> Result<Collation, SqlError> {
        if c.collation == OPEN && is_collatable(c.ty) { Err(open()) } else { Ok(c.collation) }
    }

    /// In which collation values of several are compared for their order.
    pub(super) fn common_collation(&self, of: &[(&Expr, Type)]) -> Result<Collation, SqlError> {
        if !of.iter().any(|(_, ty)| self.asks(*ty)) {
            return Ok(Collation::default());
        }
        let mut all = Derived::None;
        for (e, _) in of {
            all = all.with(self.derive(e, self.frames.len())?)?;
        }
        match all {
            Derived::None => Ok(self.catalog.default_collation),
            Derived::Implicit(c) | Derived::Explicit(c) => Ok(c),
            Derived::Open(_) => Err(open()),
        }
    }

    /// The collation of a result column.
    pub(super) fn output_collation(&self, e: &Expr, ty: Type) -> Result<Collation, SqlError> {
        if !self.asks(ty) || !is_collatable(ty) {
            return Ok(self.catalog.default_collation);
        }
        Ok(match self.derive(e, self.frames.len())? {
            Derived::None => self.catalog.default_collation,
            Derived::Implicit(c) | Derived::Explicit(c) => c,
            Derived::Open(_) => OPEN,
        })
    }

    /// That of columns of which one comes from each side of a set operation.
    pub(super) fn merged_collation(
        &self,
        l: &Column,
        r: &Column,
        ty: Type,
        is_compared: bool,
    ) -> Result<Collation, SqlError> {
        if !is_collatable(ty) {
            return Ok(Collation::default());
        }
        // A constant that has no type yet is of the database's.
        let of = |c: &Column| if is_collatable(c.ty) { implicit(c.collation) } else { Derived::None };
        match of(l).with(of(r))? {
            Derived::Implicit(c) => Ok(c),
            Derived::Open(Some((a, b))) if is_compared => Err(mismatch(a, b)),
            Derived::None => Ok(self.catalog.default_collation),
            _ => Ok(OPEN),
        }
    }

    /// `COLLATION FOR (x)`: the name of the collation of a value.
    pub(super) fn collation_for(&mut self, t: Typed) -> Result<Typed, SqlError> {
        let t = super::types::collatable(t)?;
        let name = match self.derive(&t.expr, self.frames.len())? {
            Derived::Implicit(c) | Derived::Explicit(c) => {
                Datum::text(self.catalog.shown_collation(c.oid, self.search_path))
            }
            Derived::None => Datum::text("\"default\""),
            Derived::Open(_) => Datum::Null,
        };
        Ok(Typed::new(Expr::Const(name), Type::Text))
    }

    /// The same of a value that is compared with a subquery's column.
    pub(super) fn collation_beside(&self, op: CmpOp, e: &Expr, c: &Column) -> Result<Collation, SqlError> {
        let is_equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        if !self.asks(c.ty) || (is_equality && !self.has_nondeterministic) {
            return Ok(Collation::default());
        }
        match self.derive(e, self.frames.len())?.with(implicit(c.collation))? {
            Derived::Implicit(c) | Derived::Explicit(c) if is_equality && c.is_deterministic() => {
                Ok(Collation::default())
            }
            Derived::Implicit(c) | Derived::Explicit(c) => Ok(c),
            _ => Err(open()),
        }
    }

    /// Fails for values that cannot be had back from what they are ordered by.
    pub(super) fn check_found_by_key(&self, what: &str, ty: Type) -> Result<(), SqlError> {
        let is_text = matches!(ty.element().unwrap_or(ty), Type::Text | Type::Varchar) || ty == Type::Bpchar;
        if is_text { Ok(()) } else { Err(unsupported_order(what, ty)) }
    }

    /// By the rules of which collation a function changes letters; None: by none, or it does not.
    ///
    /// # Errors
    /// 0A000 of what depends on an order in a way that only knows bytes.
    pub(super) fn language_of_call(
        &self,
        f: &ScalarFn,
        args: &[Typed],
    ) -> Result<Option<Collation>, SqlError> {
        let casing = Casing::named(f.name).filter(|_| args.len() == 1 && f.args == [Type::Text]);
        let sorts = f.name == "array_sort";
        if casing.is_none() && !sorts && !ORDERING_FUNCTIONS.contains(&f.name) {
            return Ok(None);
        }
        let of: Vec<(&Expr, Type)> = args.iter().map(|a| (&a.expr, a.ty)).collect();
        let collation = self.common_collation(&of)?;
        match (casing, collation.locale()) {
            (_, None) => Ok(None),
            (Some(casing), Some(locale)) => casing.check(locale).map(|()| Some(collation)),
            (None, Some(_)) => {
                let ty = args.first().map_or(Type::Text, |a| a.ty);
                if !sorts {
                    return Err(unsupported_order(&format!("{}()", f.name), ty));
                }
                self.check_found_by_key("array_sort()", ty)?;
                Ok(Some(collation))
            }
        }
    }

    /// An argument of an aggregate as it is given to it: to `min` and `max` what they compare. They give the text of the sort key.
    pub(super) fn aggregated(&self, name: &str, e: Expr, ty: Type) -> Result<Expr, SqlError> {
        if !matches!(name, "min" | "max") {
            return Ok(e);
        }
        let collation = self.ordering_collation(&e, ty)?;
        if collation.is_bytewise() {
            return Ok(e);
        }
        self.check_found_by_key(name, ty)?;
        Ok(e.in_order_of(collation.telling()))
    }

    /// Both sides of a comparison as they are compared.
    pub(super) fn collated(
        &self,
        op: CmpOp,
        (l, lt): (Expr, Type),
        (r, rt): (Expr, Type),
    ) -> Result<(Expr, Expr), SqlError> {
        if matches!(op, CmpOp::Eq | CmpOp::Ne) {
            return self.equal_pair((l, lt), (r, rt));
        }
        if !(self.asks(lt) || self.asks(rt)) {
            return Ok((l, r));
        }
        let collation = self.common_collation(&[(&l, lt), (&r, rt)])?;
        Ok((l.in_order_of(collation), r.in_order_of(collation)))
    }

    fn derive_all<'e>(
        &self,
        list: impl IntoIterator<Item = &'e Expr>,
        level: usize,
    ) -> Result<Derived, SqlError> {
        list.into_iter().try_fold(Derived::None, |d, e| d.with(self.derive(e, level)?))
    }

    /// Of an expression of the level below the first `level` frames' end.
    fn derive(&self, e: &Expr, level: usize) -> Result<Derived, SqlError> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.derive_here(e, level))
    }

    fn derive_here(&self, e: &Expr, level: usize) -> Result<Derived, SqlError> {
        let default = Derived::Implicit(self.catalog.default_collation);
        let or_default = |d: Derived| if matches!(d, Derived::None) { default } else { d };
        let frame = level.checked_sub(1).and_then(|n| self.frames.get(n));
        Ok(match e {
            Expr::Const(Datum::Text(_) | Datum::Bpchar(_)) | Expr::Param(_) | Expr::JsonQuery(_) => default,
            Expr::Const(_) => Derived::None,
            Expr::Column(at) => frame.and_then(|f| f.collations.get(at)).map_or(default, |c| implicit(*c)),
            Expr::Outer(slot) => {
                let value = frame.and_then(|f| f.outer_refs.iter().find(|(s, _)| s == slot));
                match value {
                    Some((_, e)) => self.derive(e, level - 1)?,
                    None => default,
                }
            }
            Expr::Collate(_, c) => Derived::Explicit(*c),
            Expr::Call(f, args) => match is_collatable(f.ret) || f.ret.is_polymorphic() {
                true => or_default(self.derive_all(args, level)?),
                false => Derived::None,
            },
            Expr::Cast(c) if c.to == Type::Name => Derived::Implicit(Collation::bytewise(C_OID)),
            Expr::Cast(c) if may_hold_text(c.to) => or_default(self.derive(&c.expr, level)?),
            Expr::Domain(d) => match d.checks.collation {
                Some(c) => Derived::Implicit(c),
                None => self.derive(&d.expr, level)?,
            },
            Expr::Case(c) => {
                let results = c.branches.iter().map(|b| &b.1).chain([&c.otherwise]);
                self.derive_all(results, level)?
            }
            Expr::Coalesce(list) | Expr::Extreme(_, list) | Expr::Array(_, list) => {
                self.derive_all(list, level)?
            }
            Expr::ByCollation(e, _)
            | Expr::CollationKey(e, ..)
            | Expr::Subscript(e, _)
            | Expr::Slice(e, _) => self.derive(e, level)?,
            Expr::NullIf(pair, _) => self.derive_all([&pair.0, &pair.1], level)?,
            Expr::Field(_) => default,
            Expr::Subquery(n, usage, _) => match &**usage {
                SubqueryUse::Scalar | SubqueryUse::Array(_) => {
                    self.subplan_collations.get(*n).map_or(default, |c| implicit(*c))
                }
                _ => Derived::None,
            },
            Expr::Aggregate(n) => {
                let call = frame.and_then(|f| f.aggs.get(*n));
                call.map_or(Ok(default), |c| self.derive_call(c, level)).map(or_default)?
            }
            Expr::Window(n) => {
                let call = frame.and_then(|f| f.windows.calls.get(*n));
                call.map_or(Ok(default), |c| self.derive_all(c.args.iter(), level)).map(or_default)?
            }
            Expr::Set(_) => default,
            _ => Derived::None,
        })
    }

    fn derive_call(&self, call: &AggCall, level: usize) -> Result<Derived, SqlError> {
        let ordered = call.order.iter().filter(|_| call.within.is_some()).map(|k| &k.expr);
        self.derive_all(call.args.iter().chain(ordered), level)
    }
}

fn implicit(c: Collation) -> Derived {
    if c.oid == OPEN.oid { Derived::Open(None) } else { Derived::Implicit(c) }
}

/// Whether texts are, or may be in, values of a type.
fn may_hold_text(ty: Type) -> bool {
    let ty = ty.element().unwrap_or(ty);
    is_collatable(ty)
        || matches!(ty, Type::Unknown | Type::Record | Type::Composite(_))
        || ty.is_polymorphic()
}
