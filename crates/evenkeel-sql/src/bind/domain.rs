//! Values that become a domain's: its constraints, in the order in which they are looked at.
//!
//! Must not know: how they are checked.

use super::{Binder, ColInfo, Typed};
use crate::catalog::{Domain, domain_itself, is_domain_array};
use crate::plan::expr::{DomainChecks, DomainValue, Expr, PartChecks};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Type};
use sqlparser::ast::{DataType, Expr as Ast};
use std::sync::Arc;

/// How errors call the place.
const PLACE: &str = "check constraints";

impl Binder<'_> {
    /// The domain that a value is of, as far as it is a column's or a conversion's.
    pub(super) fn domain_of_value(&self, e: &Expr) -> Option<u32> {
        match e {
            Expr::Domain(d) => {
                let (schema, name) = &d.checks.place;
                self.catalog.type_named(Some(schema), name, &[]).map(|t| t.oid())
            }
            Expr::Column(at) => {
                let columns = self.frames.last()?.rels.iter().flat_map(|r| &r.columns);
                let found = columns.into_iter().find(|c| c.at() == Some(*at))?;
                self.catalog.domain_of_column(found.table_oid, found.attnum)
            }
            _ => None,
        }
    }

    /// A value of a domain's base type as one of the domain.
    pub(crate) fn domain_value(&mut self, expr: Expr, oid: u32) -> Result<Expr, SqlError> {
        match self.domain_checks(oid)? {
            Some(checks) => {
                self.note_collation(checks.collation);
                Ok(Expr::Domain(Box::new(DomainValue { expr, checks })))
            }
            None => Ok(expr),
        }
    }

    /// The same where it is written as a cast. Whoever writes the expression again has the domain's name, and no place: that a value becomes one elsewhere is not written.
    pub(super) fn cast_value(&mut self, expr: Expr, domain: Option<u32>) -> Result<Expr, SqlError> {
        let Some(oid) = domain.filter(|_| self.notes.is_some()) else {
            // A value that is of the domain stays what it is: the NULL that an outer join has for it, too.
            let is_of_it = domain.is_some() && self.domain_of_value(&expr) == domain;
            return if is_of_it { Ok(expr) } else { self.named_value(expr, domain) };
        };
        let name = self.catalog.type_name(oid, self.search_path).unwrap_or_default();
        let checks = Arc::new(DomainChecks { name, ..of_parts(PartChecks::None) });
        Ok(Expr::Domain(Box::new(DomainValue { expr, checks })))
    }

    /// The same of a type that may be a domain.
    pub(crate) fn named_value(&mut self, expr: Expr, domain: Option<u32>) -> Result<Expr, SqlError> {
        match domain {
            Some(oid) => self.domain_value(expr, oid),
            None => Ok(expr),
        }
    }

    /// What values of a domain must satisfy; None: nothing.
    pub(crate) fn domain_checks(&mut self, oid: u32) -> Result<Option<Arc<DomainChecks>>, SqlError> {
        if let Some(known) = self.domains.get(&oid) {
            return Ok(Some(known.clone()));
        }
        if is_domain_array(oid) {
            let Some(of) = self.domain_checks(domain_itself(oid))? else { return Ok(None) };
            let made = Arc::new(of_parts(PartChecks::Elements(of)));
            self.domains.insert(oid, made.clone());
            return Ok(Some(made));
        }
        let Some((_, domain)) = self.catalog.domain(oid) else { return Ok(None) };
        // Those of the domains below come with the chain, those of what it is an array of do not.
        let below =
            match self.catalog.domain_chain(oid).find_map(|(_, d)| d.over.filter(|o| is_domain_array(*o))) {
                Some(array) => self.domain_checks(array)?,
                None => self.checks_within(domain.ty)?,
            };
        let collation = self.catalog.domain_collation(Some(oid));
        let collation = self.catalog.collation(collation).filter(|_| collation != 0);
        if below.is_none() && collation.is_none() && !self.catalog.is_constrained(oid) {
            return Ok(None);
        }
        let chain: Vec<(String, Domain)> =
            self.catalog.domain_chain(oid).map(|(t, d)| (t.name.clone(), d.clone())).collect();
        let name = self.catalog.type_name(oid, self.search_path).unwrap_or_default();
        let place = match self.catalog.user_type(oid) {
            Some(t) => {
                (self.catalog.schema(t.schema).map_or_else(String::new, |s| s.name.clone()), t.name.clone())
            }
            None => Default::default(),
        };
        let mut checks = Vec::new();
        let not_null = chain.iter().any(|(_, d)| d.not_null.is_some());
        for (_, d) in chain.iter().rev() {
            let mut own: Vec<_> = d.checks.iter().collect();
            own.sort_by(|a, b| a.name.cmp(&b.name));
            for c in own {
                let condition = self.uncaptured(|b| b.domain_condition(&c.expr, d.ty, d.typmod))?;
                checks.push((c.name.clone(), condition));
            }
        }
        let within = below.map_or(PartChecks::None, |b| b.within.clone());
        let made = Arc::new(DomainChecks { name, place, not_null, checks, within, collation });
        self.domains.insert(oid, made.clone());
        Ok(Some(made))
    }

    /// What values of a type must satisfy because parts of them are of domains; None: nothing.
    pub(crate) fn checks_within(&mut self, ty: Type) -> Result<Option<Arc<DomainChecks>>, SqlError> {
        let (Type::Composite(oid) | Type::CompositeArray(oid)) = ty else { return Ok(None) };
        if let Some(known) = self.domains.get(&ty.oid()) {
            return Ok(Some(known.clone()));
        }
        let within = if ty.is_array() {
            match self.checks_within(Type::Composite(oid))? {
                Some(of) => PartChecks::Elements(of),
                None => return Ok(None),
            }
        } else {
            let mut fields = Vec::new();
            for (n, a) in self.attributes(oid)?.iter().enumerate() {
                let checks = match a.domain {
                    Some(domain) => self.domain_checks(domain)?,
                    None => self.checks_within(a.ty)?,
                };
                fields.extend(checks.map(|c| (n, c)));
            }
            if fields.is_empty() {
                return Ok(None);
            }
            PartChecks::Fields(fields)
        };
        let made = Arc::new(of_parts(within));
        self.domains.insert(ty.oid(), made.clone());
        Ok(Some(made))
    }

    /// A value that has become one of a type, with what parts of it must satisfy.
    pub(super) fn value_of(&mut self, expr: Expr, ty: Type) -> Result<Expr, SqlError> {
        // Who writes an expression again does not compute it.
        if self.notes.is_some() || expr == Expr::null() {
            return Ok(expr);
        }
        match self.checks_within(ty)? {
            Some(checks) => Ok(Expr::Domain(Box::new(DomainValue { expr, checks }))),
            None => Ok(expr),
        }
    }

    /// VALUE, as the one column of the frame's row.
    pub(super) fn add_domain_value(&mut self, ty: Type, typmod: i32) -> Result<(), SqlError> {
        let value = ColInfo {
            name: "value".into(),
            ty,
            typmod,
            table_oid: 0,
            attnum: 0,
            need: None,
            expr: Expr::Column(0),
            row: None,
            is_hidden: false,
        };
        let frame = self.frame()?;
        frame.width = 1;
        frame.names.push(value);
        Ok(())
    }

    /// Binds a CHECK of a domain: its value is the one column of the row.
    pub fn domain_condition(&mut self, text: &str, ty: Type, typmod: i32) -> Result<Expr, SqlError> {
        let t = self.stored_with(text, PLACE, |b| b.add_domain_value(ty, typmod))?;
        if t.expr.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in check constraint"));
        }
        if t.ty != Type::Bool && t.ty != Type::Unknown {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("argument of CHECK must be type boolean, not type {}", t.ty.sql_name()),
            ));
        }
        self.coerce(t, Type::Bool, -1, CastContext::Implicit)
    }

    /// Binds the default of a domain.
    pub fn domain_default(
        &mut self,
        text: &str,
        name: &str,
        ty: Type,
        typmod: i32,
    ) -> Result<Expr, SqlError> {
        let t = self.stored(text, None).map_err(|e| match e.code {
            SqlState::UNDEFINED_COLUMN => {
                SqlError::unsupported("cannot use column reference in DEFAULT expression")
            }
            _ => e,
        })?;
        if t.expr.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in DEFAULT expression"));
        }
        let fits = t.ty == ty
            || t.ty == Type::Unknown
            || super::row::may_become(&t, ty)
            || evenkeel_types::can_cast(t.ty, ty)
                .is_some_and(|w| matches!(w, CastContext::Implicit | CastContext::Assignment));
        if !fits {
            let why = format!(
                "column \"{name}\" is of type {} but default expression is of type {}",
                ty.sql_name(),
                t.ty.sql_name()
            );
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why)
                .with_hint("You will need to rewrite or cast the expression."));
        }
        let was = std::mem::replace(&mut self.is_stored, true);
        let value = self.coerce(Typed { ..t }, ty, typmod, CastContext::Assignment);
        self.is_stored = was;
        value
    }
}

/// What a value must satisfy of which only parts are of domains.
fn of_parts(within: PartChecks) -> DomainChecks {
    let (name, place) = Default::default();
    DomainChecks { name, place, not_null: false, checks: Vec::new(), within, collation: None }
}

/// Whether an expression is written as a cast to a type of the grammar, which is no domain.
pub(super) fn is_cast(e: &Ast) -> bool {
    match e {
        Ast::Nested(e) => is_cast(e),
        Ast::Cast { data_type, .. } => !matches!(data_type, DataType::Custom(..)),
        _ => false,
    }
}
