//! Rows of relations as values: `t.*`, also where an outer join may leave the relation without one.
//!
//! Must not know: how other expressions are written.

use super::super::{ColInfo, RelInfo};
use super::expr::Writer;
use super::marks;
use crate::plan::expr::Expr;
use evenkeel_types::user::Attribute;
use evenkeel_types::{Datum, Type, quote_literal};

impl Writer<'_, '_> {
    /// A row of a composite type.
    pub(super) fn row_of_type(&self, args: &[Expr], indent: usize) -> Option<String> {
        let (values, oid) = match args {
            [Expr::Row(_, values), Expr::Const(Datum::Oid(oid))] => (values, oid),
            // A row of a table is shown as what it is made of.
            [row, Expr::Const(Datum::Oid(oid))] => return self.text(row, Type::Composite(*oid), indent),
            _ => return None,
        };
        let attributes = self.binder.catalog.user_type(*oid)?.attributes.clone()?;
        let field = |(e, a): (&Expr, &Attribute)| match e {
            Expr::Const(Datum::Null) => Some(format!("NULL::{}", self.type_name(a.ty, a.typmod)?)),
            Expr::Const(Datum::Text(s)) => {
                Some(format!("{}::{}", quote_literal(s), self.type_name(a.ty, a.typmod)?))
            }
            Expr::Const(_) if a.typmod >= 0 => None,
            e => self.text(e, a.ty, indent),
        };
        let fields: Vec<String> = values.iter().zip(attributes.iter()).map(field).collect::<Option<_>>()?;
        Some(format!("ROW({})::{}", fields.join(", "), self.type_name(Type::Composite(*oid), -1)?))
    }

    /// A row that is all of a relation's.
    pub(super) fn whole_row(&self, l: &[Expr]) -> Option<String> {
        self.relation_of(l).map(|(_, rel)| marks::row(rel.number))
    }

    /// The same of one that may be missing: it is NULL then.
    pub(super) fn whole_row_if_there(&self, e: &Expr) -> Option<String> {
        let Expr::Case(c) = e else { return None };
        let [(is_there, Expr::Row(_, l))] = &c.branches[..] else { return None };
        let (writer, rel) = self.relation_of(l)?;
        let is_own = |e: &Expr| matches!(e, Expr::Column(n) if Some(*n) == rel.row_id);
        let is_id = |e: &Expr| match e {
            Expr::Outer(slot) => self.slot(*slot).is_some_and(|(_, e)| is_own(e)),
            e => writer.depth == self.depth && is_own(e),
        };
        let is_known = match is_there {
            Expr::IsNull(id, true) => is_id(id),
            Expr::Or(any) => {
                let is_field = |(e, v): (&Expr, &Expr)| matches!(e, Expr::IsNull(e, true) if **e == *v);
                any.len() == l.len() && any.iter().zip(l).all(is_field)
            }
            _ => false,
        };
        (rel.may_lack && is_known && c.otherwise == Expr::Const(Datum::Null)).then(|| marks::row(rel.number))
    }

    /// The relation that a row's values are all columns of, and its level.
    fn relation_of(&self, l: &[Expr]) -> Option<(Self, &RelInfo)> {
        let (writer, first) = match l.first()? {
            Expr::Outer(slot) => self.slot(*slot)?,
            e => (Writer { binder: self.binder, depth: self.depth }, e),
        };
        let (number, _) = writer.column(first)?;
        let rel = self.binder.frames.get(writer.depth)?.rels.iter().find(|r| r.number == number)?;
        let same = |(e, c): (&Expr, &ColInfo)| match e {
            Expr::Outer(slot) => self.slot(*slot).is_some_and(|(_, e)| *e == c.expr),
            e => *e == c.expr,
        };
        let is_all = rel.columns.len() == l.len() && l.iter().zip(&rel.columns).all(same);
        is_all.then_some((writer, rel))
    }
}
