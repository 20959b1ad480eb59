//! Columns of domains where operators and functions take them: as values of what the domain is over, which PostgreSQL writes as a cast.
//!
//! Must not know: how other values are written.

use super::expr::Writer;
use crate::catalog::{Relation, is_domain_array};
use crate::plan::expr::Expr;
use evenkeel_types::{Datum, Type};

impl Writer<'_, '_> {
    /// The text of an operand or an argument that is wanted as this type.
    pub(super) fn based(&self, e: &Expr, want: Type, indent: usize) -> Option<String> {
        let text = self.text(e, want, indent)?;
        match self.domain_of(e) {
            Some((_, ty)) => Some(self.cast_text(&text, &self.type_name(ty, -1)?, false)),
            None => Some(text),
        }
    }

    /// The texts of values among which one is chosen. If all are of one domain, the choice is, too.
    pub(super) fn choices(&self, list: &[&Expr], want: Type, indent: usize) -> Option<Vec<String>> {
        let domains: Vec<Option<u32>> = list.iter().map(|e| self.domain_of(e).map(|d| d.0)).collect();
        let is_one = domains.first().is_some_and(|first| domains.iter().all(|d| d == first));
        let text = |e: &&Expr| if is_one { self.text(e, want, indent) } else { self.based(e, want, indent) };
        list.iter().map(text).collect()
    }

    /// The same as a list.
    pub(super) fn choice_list(&self, list: &[Expr], want: Type, indent: usize) -> Option<String> {
        Some(self.choices(&list.iter().collect::<Vec<_>>(), want, indent)?.join(", "))
    }

    /// The domain that a column is of, and what it is over.
    fn domain_of(&self, e: &Expr) -> Option<(u32, Type)> {
        if let Expr::Outer(slot) = e {
            let (outer, e) = self.slot(*slot)?;
            return outer.domain_of(e);
        }
        // One that is written as a cast: which it is, nobody asks.
        if let Expr::Domain(d) = e
            && d.checks.place.1.is_empty()
        {
            let is_text = matches!(d.expr, Expr::Const(Datum::Text(_)));
            return Some((0, if is_text { Type::Text } else { self.type_of(&d.expr)? }));
        }
        let Expr::Column(_) = e else { return None };
        let (_, c) = self.column(e)?;
        let n = usize::try_from(c.attnum).ok()?.checked_sub(1)?;
        let domain = match self.binder.catalog.relation(c.table_oid)? {
            Relation::Table(t) => t.columns.get(n)?.domain,
            Relation::View(v) => v.columns.get(n)?.domain,
            _ => None,
        };
        domain.filter(|d| !is_domain_array(*d)).map(|d| (d, c.ty))
    }
}
