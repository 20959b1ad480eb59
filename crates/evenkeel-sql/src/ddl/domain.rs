//! Domains: CREATE DOMAIN, ALTER DOMAIN, and looking at what tables have of them.
//!
//! Must not know: how values of a domain are checked.

use super::choose_name;
use crate::bind::Binder;
use crate::bind::types::named_type;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{self, Class};
use crate::catalog::views::classes;
use crate::catalog::{Domain, DomainCheck, NamedType, Table, UserType, domain_itself, is_domain_array};
use crate::exec::{build, eval};
use crate::parse::{DomainAction, DomainConstraint, DomainRule, DomainStmt, Name, NewDomain};
use crate::plan::Column;
use crate::plan::expr::Expr;
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use std::sync::Arc;

fn no_constraint(name: &str, domain: &str) -> SqlError {
    let why = format!("constraint \"{name}\" of domain \"{domain}\" does not exist");
    SqlError::new(SqlState::UNDEFINED_OBJECT, why)
}

/// What all values of a domain must be.
enum Rule<'a> {
    NotNull,
    Check(&'a Expr),
}

impl Session {
    pub(crate) fn domain_statement(&mut self, s: &DomainStmt) -> Result<&'static str, SqlError> {
        self.refresh_catalog();
        match &s.action {
            DomainAction::Create(said) => {
                self.create_domain(&s.name, said)?;
                Ok("CREATE DOMAIN")
            }
            action => self.alter_domain(&s.name, action).map(|()| "ALTER DOMAIN"),
        }
    }

    fn create_domain(&mut self, name: &Name, said: &NewDomain) -> Result<(), SqlError> {
        let constraints = &said.constraints[..];
        let over = named_type(&said.ty, Some((&self.catalog, self.search_path())))?;
        if over.ty.is_pseudo() {
            let why = format!("\"{}\" is not a valid base type for a domain", over.ty.sql_name());
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        let (schema, name) = self.new_name(name)?;
        self.take_type_name(schema, &name)?;
        self.share_named(over)?;
        let NamedType { ty, typmod, domain: over } = over;
        let (default, checks) = (None, Vec::new());
        let mut made = Domain { ty, typmod, over, not_null: None, default, checks, collation: 0 };
        if let Some(below) = over.and_then(|o| self.catalog.domain(o)) {
            made.default.clone_from(&below.1.default);
            made.collation = below.1.collation;
        }
        if let Some(collation) = &said.collation {
            made.collation = self.shared_collation(collation)?;
            if classes::collation(ty) == 0 {
                let why = format!("collations are not supported by type {}", ty.sql_name());
                let e = SqlError::new(SqlState::DATATYPE_MISMATCH, why);
                return Err(self.at_behind_word(e, "as"));
            }
        }
        if let Some(text) = &said.default {
            made.default = self.kept_default(text, &name, &made)?;
        }
        let says_null = constraints.iter().any(|c| matches!(c.what, DomainRule::Null));
        if says_null && constraints.iter().any(|c| matches!(c.what, DomainRule::NotNull)) {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "conflicting NULL/NOT NULL constraints"));
        }
        if constraints.iter().filter(|c| matches!(c.what, DomainRule::NotNull)).count() > 1 {
            let why = "redundant NOT NULL constraint definition";
            return Err(SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why));
        }
        for c in constraints {
            self.add_rule(&name, &mut made, c)?;
        }
        self.begin_definition()?;
        let oid = self.instance.store.new_type_oid()?;
        self.put_type(UserType {
            oid,
            schema,
            name,
            labels: Vec::new(),
            domain: Some(Box::new(made)),
            attributes: None,
        })
    }

    /// A default as it is kept; NULL is none.
    fn kept_default(&mut self, text: &str, name: &str, d: &Domain) -> Result<Option<String>, SqlError> {
        let e = crate::parse::parse_expression(text)?;
        let text = self.stored_default(&e)?;
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        let mut b = Binder::new(&cx, &[]);
        b.begin_capture();
        let value = b.domain_default(&text, name, d.ty, d.typmod)?;
        let is_none = d.typmod == -1 && matches!(value, Expr::Const(Datum::Null));
        Ok((!is_none).then(|| super::default::typed(b.kept(&text), d.ty)))
    }

    /// Gives a domain a constraint.
    fn add_rule(&mut self, name: &str, d: &mut Domain, c: &DomainConstraint) -> Result<(), SqlError> {
        if let Some(given) = &c.name
            && d.has_constraint(given)
        {
            let why = format!("constraint \"{given}\" for domain \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
        }
        let chosen = |d: &Domain, what: &str| match &c.name {
            Some(given) => given.clone(),
            None => choose_name(name, "", what, &|n| d.has_constraint(n)),
        };
        match &c.what {
            DomainRule::Null => {}
            DomainRule::NotNull if d.not_null.is_some() => {}
            DomainRule::NotNull => d.not_null = Some((self.instance.store.new_oid()?, chosen(d, "not_null"))),
            DomainRule::Check(text) => {
                let expr = self.kept_condition(text, d)?;
                let (oid, name) = (self.instance.store.new_oid()?, chosen(d, "check"));
                d.checks.push(DomainCheck { oid, name, expr, validated: !c.not_valid });
            }
        }
        Ok(())
    }

    fn kept_condition(&mut self, text: &str, d: &Domain) -> Result<String, SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        let mut b = Binder::new(&cx, &[]);
        b.begin_capture();
        b.domain_condition(text, d.ty, d.typmod)?;
        Ok(b.kept(text))
    }

    fn alter_domain(&mut self, name: &Name, action: &DomainAction) -> Result<(), SqlError> {
        let t = self.find_type(name)?;
        let not_one = || SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("{} is not a domain", t.name));
        if t.domain.is_none() {
            return Err(not_one());
        }
        self.check_owns(t.oid, "type", &t.name)?;
        self.lock_type_name(t.schema, &t.name, TableLockMode::AccessExclusive)?;
        let mut t = (*self.find_type(name)?).clone();
        let Some(mut d) = t.domain.take() else { return Err(not_one()) };
        match action {
            DomainAction::Create { .. } => return Err(SqlError::internal("CREATE DOMAIN")),
            DomainAction::Default(text) => {
                d.default = match text {
                    Some(text) => self.kept_default(text, &t.name, &d)?,
                    None => None,
                }
            }
            DomainAction::NotNull(false) => d.not_null = None,
            DomainAction::NotNull(true) => {
                let c = DomainConstraint { name: None, what: DomainRule::NotNull, not_valid: false };
                self.alter_add(&t, &mut d, &c)?;
            }
            DomainAction::Add(c) => self.alter_add(&t, &mut d, c)?,
            DomainAction::Drop { constraint, if_exists } => {
                if !d.has_constraint(constraint) {
                    let e = no_constraint(constraint, &t.name);
                    if *if_exists {
                        let message = format!("{}, skipping", e.message);
                        self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                        return Ok(());
                    }
                    return Err(e);
                }
                d.checks.retain(|c| c.name != *constraint);
                d.not_null = d.not_null.take().filter(|n| n.1 != *constraint);
            }
            DomainAction::RenameConstraint(from, to) => {
                if !d.has_constraint(from) {
                    let why = format!("constraint \"{from}\" for domain {} does not exist", t.name);
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
                }
                if d.has_constraint(to) {
                    let why = format!("constraint \"{to}\" for domain {} already exists", t.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
                }
                let own = d.not_null.iter_mut().map(|n| &mut n.1);
                d.checks
                    .iter_mut()
                    .map(|c| &mut c.name)
                    .chain(own)
                    .filter(|n| *n == from)
                    .for_each(|n| n.clone_from(to));
            }
            DomainAction::Validate(name) => {
                let Some(n) = d.checks.iter().position(|c| c.name == *name) else {
                    if d.has_constraint(name) {
                        let why = format!(
                            "constraint \"{name}\" of domain \"{}\" is not a check constraint",
                            t.name
                        );
                        return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
                    }
                    return Err(no_constraint(name, &t.name));
                };
                if !d.checks[n].validated {
                    let text = d.checks[n].expr.clone();
                    self.check_values(&t, &d, Some(&text))?;
                    d.checks[n].validated = true;
                }
            }
        }
        self.begin_definition()?;
        t.domain = Some(d);
        self.put_type(t)
    }

    /// ADD, and SET NOT NULL: values that there are must satisfy it.
    fn alter_add(&mut self, t: &UserType, d: &mut Domain, c: &DomainConstraint) -> Result<(), SqlError> {
        let had = d.not_null.is_some();
        self.add_rule(&t.name, d, c)?;
        match &c.what {
            DomainRule::NotNull if !had => self.check_values(t, d, None),
            DomainRule::Check(_) if !c.not_valid => {
                let text = d.checks.last().map(|c| c.expr.clone());
                self.check_values(t, d, text.as_deref())
            }
            _ => Ok(()),
        }
    }

    /// Columns of a domain, and of those over it.
    fn columns_of_domain(&self, oid: u32) -> Vec<(Arc<Table>, usize)> {
        let of = |d: Option<u32>| d.is_some_and(|d| self.catalog.is_over(d, oid));
        let tables = self.catalog.tables();
        tables
            .flat_map(|t| {
                let columns = t.live_columns().filter(|(_, c)| of(c.domain)).map(|(n, _)| n);
                columns.map(|n| (t.clone(), n)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Refuses what would need a look at fields of rows in columns.
    fn must_not_be_within(&self, t: &UserType) -> Result<(), SqlError> {
        for table in self.catalog.tables() {
            let is_within = |ty: Type| {
                let of = ty.user_oid().and_then(|oid| self.catalog.user_type(oid));
                of.is_some_and(|of| of.attributes.is_some() && of.has_within(t.oid, &self.catalog))
            };
            let is_array =
                |domain: u32| is_domain_array(domain) && self.catalog.is_over(domain_itself(domain), t.oid);
            let is_of_array = |domain: Option<u32>| {
                let over =
                    domain.into_iter().flat_map(|d| self.catalog.domain_chain(d)).filter_map(|(_, d)| d.over);
                domain.into_iter().chain(over).any(is_array)
            };
            let mut columns = table.live_columns();
            if let Some((_, c)) = columns.find(|(_, c)| is_within(c.ty) || is_of_array(c.domain)) {
                let (name, column) = (&t.name, &c.name);
                let why = format!(
                    "cannot alter type \"{name}\" because column \"{}.{column}\" uses it",
                    table.name
                );
                return Err(SqlError::unsupported(why));
            }
        }
        Ok(())
    }

    /// Looks at all values of a domain that there are: whether a condition holds, or, without one, that none is NULL.
    fn check_values(&mut self, t: &UserType, d: &Domain, condition: Option<&str>) -> Result<(), SqlError> {
        self.must_not_be_within(t)?;
        for (table, _) in self.columns_of_domain(t.oid) {
            self.lock_object(&table.shared.lock, TableLockMode::Share, &table.name, false)?;
        }
        self.refresh_catalog();
        let condition = match condition {
            None => None,
            Some(text) => {
                let eval = self.eval_ctx();
                let cx = self.definition_context(&eval);
                Some(Binder::new(&cx, &[]).domain_condition(text, d.ty, d.typmod)?)
            }
        };
        self.begin_definition()?;
        let rule = condition.as_ref().map_or(Rule::NotNull, Rule::Check);
        for (table, n) in self.columns_of_domain(t.oid) {
            let (column, name) = (table.columns[n].name.clone(), table.name.clone());
            self.with_bare_cx(|cx| {
                build::for_each_row(&table, cx, &mut |row, cx| match rule {
                    Rule::NotNull if row[n].is_null() => {
                        let why = format!("column \"{column}\" of table \"{name}\" contains null values");
                        Err(SqlError::new(SqlState::NOT_NULL_VIOLATION, why))
                    }
                    Rule::NotNull => Ok(()),
                    Rule::Check(e) => {
                        if matches!(eval::eval(e, &row[n..=n], cx)?, Datum::Bool(false)) {
                            let why = format!(
                                "column \"{column}\" of table \"{name}\" contains values that violate the new constraint"
                            );
                            return Err(SqlError::new(SqlState::CHECK_VIOLATION, why));
                        }
                        Ok(())
                    }
                })
            })?;
        }
        Ok(())
    }

    /// Keeps the type that a new column is named to have, until the end of the transaction.
    pub(super) fn share_named(&mut self, named: NamedType) -> Result<(), SqlError> {
        match named.domain {
            Some(oid) => self.share_type_oid(oid)?,
            None => self.share_type(named.ty)?,
        }
        self.check_type_usage(named.ty, named.domain)
    }

    /// Refuses a type or a domain that the current role may not use for a column.
    pub(super) fn check_type_usage(&self, ty: Type, domain: Option<u32>) -> Result<(), SqlError> {
        match domain.map(domain_itself).or(ty.user_oid()).and_then(|oid| self.catalog.user_type(oid)) {
            Some(t) => self.check_may(t.oid, Class::Type, &t.name, acl::USAGE),
            None => Ok(()),
        }
    }

    /// The domain of the column that a column of a query comes from.
    pub(super) fn domain_behind(&self, column: &Column) -> Option<u32> {
        self.catalog.domain_of_column(column.table_oid, column.attnum)
    }
}
