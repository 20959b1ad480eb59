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

use super::nondeterministic::is_like;
use super::types::check_collation;
use super::{Binder, Typed};
use crate::catalog::{Catalog, ColumnDef, Table};
use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::{AggCall, Column, SetFunction};
use evenkeel_types::casing::{Casing, has_letters_of_its_own};
use evenkeel_types::collation::{C_OID, DEFAULT_OID, Letters, is_collatable};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Collation, Datum, ScalarFn, Type};
use sqlparser::ast;

/// What is known of an expression's collation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Derived {
    /// It has none.
    None,
    /// Its columns have it.
    Implicit(Collation),
    /// It is a column of a subquery's, which has none as others met there: whatever is beside it has its own.
    Lost,
    /// Its columns have several, two of which meet here.
    Open(Collation, Collation),
    /// COLLATE says so.
    Explicit(Collation),
}

impl Derived {
    fn strength(self) -> u8 {
        match self {
            Derived::None => 0,
            Derived::Lost => 1,
            Derived::Implicit(_) => 2,
            Derived::Open(..) => 3,
            Derived::Explicit(_) => 4,
        }
    }

    /// Of what is made of it, a text: the type's where nothing is known.
    fn or(self, own: Collation) -> Derived {
        if matches!(self, Derived::None | Derived::Lost) { Derived::Implicit(own) } else { self }
    }

    fn with(self, other: Derived, catalog: &Catalog) -> Result<Derived, SqlError> {
        Ok(match (self, other) {
            (Derived::Implicit(a), Derived::Implicit(b)) if a.oid != b.oid => match (a.oid, b.oid) {
                (_, DEFAULT_OID) => self,
                (DEFAULT_OID, _) => other,
                _ => Derived::Open(a, b),
            },
            (Derived::Explicit(a), Derived::Explicit(b)) if a.oid != b.oid => {
                let (a, b) = (quoted(a, catalog), quoted(b, catalog));
                let why = format!("collation mismatch between explicit collations {a} and {b}");
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

/// What a function or an operator that tells texts apart is called where nobody knows in which collation.
fn told_apart_for(name: &str) -> Option<&str> {
    Some(match name {
        "lower" | "casefold" => "lower() function",
        "upper" => "upper() function",
        "initcap" => "initcap() function",
        "~~" | "!~~" => "LIKE",
        "~~*" | "!~~*" => "ILIKE",
        "~" | "!~" | "~*" | "!~*" => "regular expression",
        _ if name.starts_with("regexp_") => "regular expression",
        "strpos" | "position" | "replace" | "split_part" | "starts_with" | "^@" | "string_to_array"
        | "array_position" | "array_positions" | "array_remove" | "array_replace" | "@>" | "<@" | "&&" => {
            "string comparison"
        }
        _ => return None,
    })
}

/// The collation of a result column of which several say different ones.
pub(super) const OPEN: Collation = Collation::bytewise(0);

/// A collation as messages call it.
fn quoted(c: Collation, catalog: &Catalog) -> String {
    format!("\"{}\"", catalog.collation_name(c.oid))
}

/// The error of columns that bring different collations.
fn mismatch(a: Collation, b: Collation, catalog: &Catalog) -> SqlError {
    let (a, b) = (quoted(a, catalog), quoted(b, catalog));
    let why = format!("collation mismatch between implicit collations {a} and {b}");
    SqlError::new(SqlState::COLLATION_MISMATCH, why)
        .with_hint("You can choose the collation by applying the COLLATE clause to one or both expressions.")
}

/// The error of an order that nothing decides.
pub(super) fn open() -> SqlError {
    open_for("string comparison")
}

/// The same of what something is done for.
fn open_for(what: &str) -> SqlError {
    let why = format!("could not determine which collation to use for {what}");
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
            Type::Unknown if !matches!(t.expr.bare(), Expr::Const(_)) => {
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
        let special: Vec<_> =
            places.into_iter().filter(|(_, c)| c.oid != DEFAULT_OID || c.fields().is_some()).collect();
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
    pub(super) fn asks(&self, ty: Type) -> bool {
        let own = self.catalog.default_collation;
        (self.has_collations || !own.is_bytewise() || own.letters() != Letters::Simple) && may_hold_text(ty)
    }

    /// In which collation values of an expression are ordered.
    pub(super) fn ordering_collation(&self, e: &Expr, ty: Type) -> Result<Collation, SqlError> {
        if self.asks(ty)
            && let Derived::Open(a, b) = self.derive(e, self.frames.len())?
        {
            return Err(mismatch(a, b, self.catalog));
        }
        self.common_collation(&[(e, ty)])
    }

    /// Fails for values of which nobody knows in which collation they are told apart, though all are told apart by their bytes.
    pub(super) fn check_told_apart(&self, of: &[(&Expr, Type)]) -> Result<(), SqlError> {
        self.common_collation(of).map(|_| ())
    }

    /// The same of keys of GROUP BY, DISTINCT and PARTITION BY.
    pub(super) fn check_grouped(&self, e: &Expr, ty: Type) -> Result<(), SqlError> {
        self.ordering_collation(e, ty).map(|_| ())
    }

    /// The same of a result column.
    pub(super) fn column_order(&self, c: &Column) -> Result<Collation, SqlError> {
        if c.collation == OPEN && is_collatable(c.ty) { Err(open()) } else { Ok(c.collation) }
    }

    /// In which collation values of several are compared for their order.
    pub(super) fn common_collation(&self, of: &[(&Expr, Type)]) -> Result<Collation, SqlError> {
        let asked = || of.iter().filter(|(_, ty)| self.asks(*ty));
        let Some((_, ty)) = asked().next() else { return Ok(Collation::default()) };
        if holds_rows(*ty) {
            return self.common_row_collation(of);
        }
        let mut all = Derived::None;
        for (e, ty) in of {
            all = all.with(self.derive_typed(e, *ty, self.frames.len())?, self.catalog)?;
        }
        match all {
            Derived::None => Ok(self.catalog.default_collation),
            Derived::Implicit(c) | Derived::Explicit(c) => Ok(c),
            Derived::Lost | Derived::Open(..) => Err(open()),
        }
    }

    /// The collation of a result column.
    pub(super) fn output_collation(&self, e: &Expr, ty: Type) -> Result<Collation, SqlError> {
        if holds_rows(ty) && self.asks(ty) {
            let found = self.row_collation(e, ty, self.frames.len())?;
            return Ok(found.unwrap_or(self.catalog.default_collation));
        }
        let is_name = ty.element().unwrap_or(ty) == Type::Name;
        if !(self.asks(ty) || is_name) || !is_collatable(ty) {
            return Ok(self.catalog.default_collation);
        }
        Ok(match self.derive_typed(e, ty, self.frames.len())? {
            Derived::None => self.catalog.default_collation,
            Derived::Implicit(c) | Derived::Explicit(c) => c,
            Derived::Lost | Derived::Open(..) => OPEN,
        })
    }

    /// That of a column of what a function in FROM returns.
    pub(super) fn function_collation(
        &self,
        f: &SetFunction,
        n: usize,
        ty: Type,
    ) -> Result<Collation, SqlError> {
        if !self.asks(ty) || !is_collatable(ty) {
            return Ok(self.catalog.default_collation);
        }
        let level = self.frames.len();
        let derived = match f {
            SetFunction::Unnest(arrays) if n < arrays.len() => self.derive(&arrays[n], level)?,
            f => self.derive_set(f, level)?,
        };
        Ok(match derived {
            Derived::Implicit(c) | Derived::Explicit(c) => c,
            _ => OPEN,
        })
    }

    /// Whether COLLATE says the collation of a result column.
    pub(super) fn is_explicit(&self, e: &Expr, ty: Type) -> Result<bool, SqlError> {
        Ok(self.asks(ty) && matches!(self.derive(e, self.frames.len())?, Derived::Explicit(_)))
    }

    /// That of columns of which one comes from each side of a set operation; whether COLLATE says theirs.
    pub(super) fn merged_collation(
        &self,
        l: &Column,
        r: &Column,
        ty: Type,
        is_compared: bool,
        explicit: (bool, bool),
    ) -> Result<Collation, SqlError> {
        if !is_collatable(ty) {
            let is_same = l.collation == r.collation;
            return Ok(if is_same { l.collation } else { Collation::default() });
        }
        // A constant that has no type yet is of the database's.
        let of = |c: &Column, is_explicit: bool| match is_collatable(c.ty) {
            true if is_explicit => Derived::Explicit(c.collation),
            true => implicit(c.collation),
            false => Derived::None,
        };
        match of(l, explicit.0).with(of(r, explicit.1), self.catalog)? {
            Derived::Implicit(c) | Derived::Explicit(c) => Ok(c),
            Derived::Open(a, b) if is_compared => Err(mismatch(a, b, self.catalog)),
            Derived::Lost if is_compared => Err(open()),
            Derived::None => Ok(self.catalog.default_collation),
            _ => Ok(OPEN),
        }
    }

    /// `COLLATION FOR (x)`: the name of the collation of a value.
    pub(super) fn collation_for(&mut self, t: Typed) -> Result<Typed, SqlError> {
        let is_untyped = t.ty == Type::Unknown;
        let t = super::types::collatable(t)?;
        let name = match self.derive_typed(&t.expr, t.ty, self.frames.len())? {
            Derived::Implicit(_) | Derived::None if is_untyped => Datum::Null,
            Derived::Implicit(c) | Derived::Explicit(c) => {
                Datum::text(self.catalog.shown_collation(c.oid, self.search_path))
            }
            Derived::None => Datum::text("\"default\""),
            Derived::Lost | Derived::Open(..) => Datum::Null,
        };
        Ok(Typed::new(Expr::Const(name), Type::Text))
    }

    /// The same of a value that is compared with a subquery's column.
    pub(super) fn collation_beside(&self, op: CmpOp, e: &Expr, c: &Column) -> Result<Collation, SqlError> {
        let is_equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        if !self.asks(c.ty) {
            return Ok(Collation::default());
        }
        if holds_rows(c.ty) {
            let own = self.row_collation(e, c.ty, self.frames.len())?;
            let both = self.same_row_collation([own, Some(c.collation)])?;
            return Ok(if is_equality { Collation::default() } else { both });
        }
        match self.derive_typed(e, c.ty, self.frames.len())?.with(implicit(c.collation), self.catalog)? {
            Derived::Implicit(c) | Derived::Explicit(c) if is_equality && c.is_deterministic() => {
                Ok(Collation::default())
            }
            Derived::Implicit(c) | Derived::Explicit(c) => Ok(c),
            _ => Err(open()),
        }
    }

    /// Fails for values that cannot be had back from what they are ordered by.
    pub(super) fn check_found_by_key(&self, what: &str, ty: Type) -> Result<(), SqlError> {
        if is_found_by_key(ty) { Ok(()) } else { Err(unsupported_order(what, ty)) }
    }

    /// Fails for arguments of a function that tells texts apart if nobody knows in which collation.
    pub(super) fn check_input(&self, f: &ScalarFn, args: &[Typed]) -> Result<(), SqlError> {
        let Some(what) = told_apart_for(f.name).filter(|_| args.iter().any(|a| self.asks(a.ty))) else {
            return Ok(());
        };
        let level = self.frames.len();
        let texts = args.iter().filter(|a| may_hold_text(a.ty) && !holds_rows(a.ty));
        let mut all = Derived::None;
        for a in texts {
            all = all.with(self.derive_typed(&a.expr, a.ty, level)?, self.catalog)?;
        }
        if matches!(all, Derived::Lost | Derived::Open(..)) { Err(open_for(what)) } else { Ok(()) }
    }

    /// By the rules of which collation a function or an operator changes letters; None: by none, or it does not.
    ///
    /// # Errors
    /// 0A000 of what depends on an order in a way that only knows bytes.
    pub(super) fn language_of_call(
        &self,
        f: &ScalarFn,
        args: &[Typed],
    ) -> Result<Option<Collation>, SqlError> {
        let changes_letters = Casing::named(f.name).is_some() && f.args == [Type::Text];
        let ignores_case = matches!(f.name, "~~*" | "!~~*") && f.args == [Type::Text; 2];
        let sorts = f.name == "array_sort";
        let all = || args.iter().map(|a| (&a.expr, a.ty)).collect::<Vec<(&Expr, Type)>>();
        if is_like(f) {
            return self.equality_collation(&all());
        }
        if !changes_letters && !ignores_case && !sorts && !ORDERING_FUNCTIONS.contains(&f.name) {
            return Ok(None);
        }
        if changes_letters
            && let Some(a) = args.first()
            && let Derived::Implicit(c) | Derived::Explicit(c) =
                self.derive_typed(&a.expr, a.ty, self.frames.len())?
            && c.is_bytewise()
            && c.letters() != Letters::Simple
        {
            return Ok(Some(c));
        }
        let collation = self.common_collation(&all())?;
        match collation.letters() {
            Letters::Ascii if changes_letters || ignores_case => return Ok(Some(collation)),
            Letters::Full if changes_letters => return Ok(Some(collation)),
            _ => {}
        }
        if ignores_case {
            // The letters of most languages go together as those of all do.
            return Ok(Some(collation).filter(|c| c.locale().is_some_and(has_letters_of_its_own)));
        }
        if collation.is_bytewise() || changes_letters {
            return Ok(Some(collation).filter(|c| !c.is_bytewise()));
        }
        let ty = args.first().map_or(Type::Text, |a| a.ty);
        if !sorts {
            return Err(unsupported_order(&format!("{}()", f.name), ty));
        }
        self.check_found_by_key("array_sort()", ty)?;
        Ok(Some(collation))
    }

    /// An argument of an aggregate as it is given to it: to `min` and `max` what they compare. They give the text of the sort key; what is not to be had from
    /// that they are given, too.
    pub(super) fn aggregated(
        &self,
        name: &str,
        e: Expr,
        ty: Type,
        args: &mut Vec<Expr>,
    ) -> Result<(), SqlError> {
        let collation = match name {
            "min" | "max" => self.common_collation(&[(&e, ty)])?,
            _ => Collation::default(),
        };
        let is_apart = !collation.is_bytewise() && !is_found_by_key(ty);
        args.push(e.clone().in_order_of(collation.telling()));
        args.extend(is_apart.then_some(e));
        Ok(())
    }

    /// Both sides of a comparison as they are compared.
    pub(super) fn collated(
        &self,
        op: CmpOp,
        (l, lt): (Expr, Type),
        (r, rt): (Expr, Type),
    ) -> Result<(Expr, Expr), SqlError> {
        if !(self.asks(lt) || self.asks(rt)) {
            return Ok((l, r));
        }
        let collation = self.common_collation(&[(&l, lt), (&r, rt)])?;
        if matches!(op, CmpOp::Eq | CmpOp::Ne) && collation.is_deterministic() {
            return Ok((l, r));
        }
        Ok((l.in_order_of(collation), r.in_order_of(collation)))
    }

    pub(super) fn derive_all<'e>(
        &self,
        list: impl IntoIterator<Item = &'e Expr>,
        level: usize,
    ) -> Result<Derived, SqlError> {
        list.into_iter().try_fold(Derived::None, |d, e| d.with(self.derive(e, level)?, self.catalog))
    }

    /// Of an expression of a type: what a constant is, is not seen from it.
    pub(super) fn derive_typed(&self, e: &Expr, ty: Type, level: usize) -> Result<Derived, SqlError> {
        match (e, ty) {
            (Expr::Const(_), Type::Name) => Ok(Derived::Implicit(Collation::bytewise(C_OID))),
            _ => self.derive(e, level),
        }
    }

    /// Of an expression of the level below the first `level` frames' end.
    pub(super) fn derive(&self, e: &Expr, level: usize) -> Result<Derived, SqlError> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.derive_here(e, level))
    }

    fn derive_here(&self, e: &Expr, level: usize) -> Result<Derived, SqlError> {
        let own = self.catalog.default_collation;
        let default = Derived::Implicit(own);
        // What is made of texts without one has its type's; what holds none at all asks nobody.
        let made = |d: Derived| if matches!(d, Derived::Lost) { default } else { d };
        let frame = level.checked_sub(1).and_then(|n| self.frames.get(n));
        Ok(match e {
            Expr::Const(Datum::Text(_) | Datum::Bpchar(_) | Datum::Citext(_)) => default,
            Expr::Param(_) | Expr::JsonQuery(_) => default,
            Expr::Const(_) => Derived::None,
            Expr::Column(at) => frame.and_then(|f| f.collations.get(at)).map_or(default, |c| implicit(*c)),
            Expr::Outer(slot) => {
                let value = frame.and_then(|f| f.outer_refs.iter().find(|(s, _)| s == slot));
                match value {
                    Some((_, e)) => self.derive(e, level - 1)?,
                    None => default,
                }
            }
            Expr::Operand(ty) if is_collatable(*ty) => default,
            Expr::Collate(_, c) => Derived::Explicit(*c),
            Expr::Call(f, args) => match is_collatable(f.ret) || f.ret.is_polymorphic() {
                true if f.ret == Type::Name => self.derive_all(args, level)?.or(Collation::bytewise(C_OID)),
                true => self.derive_all(args, level)?.or(own),
                false => Derived::None,
            },
            Expr::Cast(c) if c.to == Type::Name => {
                self.derive_typed(&c.expr, c.to, level)?.or(Collation::bytewise(C_OID))
            }
            Expr::Cast(c) if may_hold_text(c.to) => self.derive_typed(&c.expr, c.from, level)?.or(own),
            Expr::Domain(d) => match d.checks.collation {
                Some(c) => Derived::Implicit(c),
                None => self.derive(&d.expr, level)?,
            },
            Expr::Case(c) => {
                let results = c.branches.iter().map(|b| &b.1).chain([&c.otherwise]);
                made(self.derive_all(results, level)?)
            }
            Expr::Coalesce(list) | Expr::Extreme(_, list) | Expr::Array(_, list) => {
                made(self.derive_all(list, level)?)
            }
            Expr::ByCollation(e, _) | Expr::CollationKey(e, ..) => self.derive(e, level)?,
            Expr::Subscript(e, _) | Expr::Slice(e, _) => made(self.derive(e, level)?),
            Expr::NullIf(pair, _) => made(self.derive_all([&pair.0, &pair.1], level)?),
            Expr::Field(field) => match self.row_collation(&field.of, Type::Record, level)? {
                Some(row) => {
                    row.fields().and_then(|f| f.list.get(field.at)).map_or(default, |c| implicit(*c))
                }
                None => default,
            },
            Expr::Subquery(n, usage, _) => match &**usage {
                SubqueryUse::Scalar | SubqueryUse::Array(_) => {
                    self.subplan_collations.get(*n).map_or(default, |c| implicit(*c))
                }
                _ => Derived::None,
            },
            Expr::Aggregate(n) => {
                let call = frame.and_then(|f| f.aggs.get(*n));
                call.map_or(Ok(default), |c| self.derive_call(c, level))?.or(own)
            }
            Expr::Window(n) => {
                let call = frame.and_then(|f| f.windows.calls.get(*n));
                call.map_or(Ok(default), |c| self.derive_all(c.args.iter(), level))?.or(own)
            }
            Expr::Set(n) => {
                let call = frame.and_then(|f| f.set_calls.get(*n));
                call.map_or(Ok(default), |c| self.derive_set(&c.function, level))?
            }
            _ => Derived::None,
        })
    }

    fn derive_call(&self, call: &AggCall, level: usize) -> Result<Derived, SqlError> {
        let ordered = call.order.iter().filter(|_| call.within.is_some()).map(|k| &k.expr);
        self.derive_all(call.args.iter().chain(ordered), level)
    }

    /// Of what a set-returning function returns.
    fn derive_set(&self, f: &SetFunction, level: usize) -> Result<Derived, SqlError> {
        Ok(self.derive_all(f.exprs(), level)?.or(self.catalog.default_collation))
    }
}

/// Whether values of a type can be had back from what they are ordered by.
fn is_found_by_key(ty: Type) -> bool {
    matches!(ty.element().unwrap_or(ty), Type::Text | Type::Varchar | Type::Name)
}

/// What a column of a relation brings.
pub(super) fn implicit(c: Collation) -> Derived {
    if c.oid == OPEN.oid { Derived::Lost } else { Derived::Implicit(c) }
}

/// Whether texts are, or may be in, values of a type.
pub(super) fn may_hold_text(ty: Type) -> bool {
    let ty = ty.element().unwrap_or(ty);
    is_collatable(ty)
        || matches!(ty, Type::Unknown | Type::Record | Type::Composite(_))
        || ty.is_polymorphic()
}

/// Whether values of a type are rows, or hold some.
pub(super) fn holds_rows(ty: Type) -> bool {
    matches!(ty.element().unwrap_or(ty), Type::Record | Type::Composite(_))
}
