//! `jsonb_populate_record` and its like: rows that become others, with the values of a document in them.
//!
//! Must not know: how values are read.

use super::func::Returned;
use super::{Binder, Typed};
use crate::plan::SetFunction;
use crate::plan::expr::{Case, DomainChecks, DomainValue, Expr};
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{HSTORE_INTO_FIELDS, populate};
use evenkeel_types::user::Attribute;
use evenkeel_types::{CastContext, Datum, RecordDatum, ScalarFn, SetFn, Type, function_error};
use std::sync::Arc;

impl Binder<'_> {
    /// `populate_record(row, hstore)`
    pub(super) fn populated_record(&mut self, items: Vec<Typed>) -> Result<Typed, SqlError> {
        if let [row, from] = &items[..]
            && row.ty == Type::Record
            && matches!(from.ty, Type::Hstore | Type::Unknown)
            && let Some((fields, _)) = self.record_known(row.typmod).cloned()
        {
            let list = |ty: Type, of: fn(&Attribute) -> Datum| {
                Expr::Const(Datum::array(ty, fields.iter().map(of).collect()))
            };
            let args = [
                row.expr.clone(),
                self.coerce(from.clone(), Type::Hstore, -1, CastContext::Implicit)?,
                list(Type::Text, |a| Datum::text(&a.name)),
                list(Type::Oid, |a| Datum::Oid(a.ty.oid())),
                list(Type::Int4, |a| Datum::Int4(a.typmod)),
            ];
            let expr = Expr::Call(&HSTORE_INTO_FIELDS, args.into());
            return Ok(Typed { expr, ..row.clone() });
        }
        let f = populate("populate_record").ok_or_else(|| SqlError::internal("populate_record"))?;
        self.populated_row(f, items)
    }

    /// A row that a function fills, as one of its type: what was a domain's stays one of that.
    pub(super) fn populated_row(
        &mut self,
        f: &'static ScalarFn,
        items: Vec<Typed>,
    ) -> Result<Typed, SqlError> {
        let of_domain = of_domain(&items);
        let typmod = items.first().map_or(-1, |row| row.typmod);
        let (args, ty) = self.populated(f.name, items, f.args[1])?;
        let expr = self.value_of(Expr::Call(f, args.into()), ty)?;
        let expr = match of_domain {
            Some(checks) => Expr::Domain(Box::new(DomainValue { expr, checks })),
            None => expr,
        };
        Ok(Typed { expr, ty, typmod })
    }

    /// The same of functions that return sets.
    pub(super) fn populated_rows(
        &mut self,
        f: &'static SetFn,
        items: Vec<Typed>,
    ) -> Result<(SetFunction, Vec<Returned>), SqlError> {
        let typmod = items.first().map_or(-1, |row| row.typmod);
        let of_domain = of_domain(&items);
        let (args, ty) = self.populated(f.name, items, f.args[1])?;
        let checks = match of_domain {
            Some(checks) => Some(checks),
            None => self.checks_within(ty)?,
        };
        Ok((SetFunction::Rows { f, args: args.into(), checks }, vec![(f.name.to_owned(), ty, typmod)]))
    }

    /// `jsonb_populate_record_valid`: whether a document makes a row.
    pub(super) fn populated_is_valid(&mut self, items: Vec<Typed>) -> Result<Typed, SqlError> {
        let checks = of_domain(&items);
        let before = items.first().map_or_else(Expr::null, |t| t.expr.clone());
        let (args, ty) = self.populated("jsonb_populate_record_valid", items, Type::Jsonb)?;
        let checks = match checks {
            Some(checks) => Some(checks),
            None => self.checks_within(ty)?,
        };
        let Some(context) = args.into_iter().nth(1).filter(|_| ty != Type::Record) else {
            let why = "jsonb_populate_record_valid of a row of no composite type is not supported";
            return Err(SqlError::unsupported(why));
        };
        let path = Typed::new(Expr::Const(Datum::text("$")), Type::Unknown);
        let query = JsonQuery {
            kind: JsonQueryKind::Query,
            context: context.clone(),
            path: self.coerce(path, Type::Jsonpath, -1, CastContext::Explicit)?,
            passing: Vec::new(),
            column: None,
            ty,
            typmod: -1,
            domain: None,
            checks,
            wrapper: Wrapper::Without,
            keeps_quotes: true,
            on_empty: Behavior::Null,
            on_error: Behavior::Null,
        };
        // Of no document the row is what it was before.
        let is_made = Expr::Distinct(Box::new((Expr::JsonQuery(Box::new(query)), Expr::null())), false);
        let before = Expr::Distinct(Box::new((before, Expr::null())), true);
        let is_given = Expr::IsNull(Box::new(context), true);
        let case = Case {
            operand: None,
            branches: vec![(is_given, is_made), (before, Expr::null())],
            otherwise: Expr::Const(Datum::Bool(true)),
        };
        Ok(Typed::new(Expr::Case(Box::new(case)), Type::Bool))
    }

    /// The arguments of a function that makes rows of JSON, and the type of the rows.
    fn populated(
        &mut self,
        name: &str,
        bound: Vec<Typed>,
        json: Type,
    ) -> Result<(Vec<Expr>, Type), SqlError> {
        let mut bound = bound.into_iter();
        let (Some(row), Some(from)) = (bound.next(), bound.next()) else {
            return Err(SqlError::internal(name));
        };
        let types = [row.ty, from.ty];
        let wrong = |why: String| Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        let of = match row.ty {
            Type::Composite(oid) => Datum::Oid(oid),
            Type::Record if name != "populate_record" => match self.fields(&row)? {
                Some(fields) => {
                    let types = fields.iter().map(|f| if f.ty == Type::Unknown { Type::Text } else { f.ty });
                    let (types, values) = (types.collect(), vec![Datum::Null; fields.len()]);
                    let names = Some(fields.iter().map(|f| f.name.clone()).collect());
                    Datum::Record(Arc::new(RecordDatum { types, values, names, of: 0 }))
                }
                None => Datum::Null,
            },
            ty => {
                return match ty {
                    Type::Unknown => wrong(
                        "could not determine polymorphic type because input has type unknown".to_owned(),
                    ),
                    Type::Record => {
                        let why = format!("{name} of a row of no composite type is not supported");
                        Err(SqlError::unsupported(why))
                    }
                    _ if name == "populate_record" => wrong("first argument must be a rowtype".to_owned()),
                    _ => wrong(format!("first argument of {name} must be a row type")),
                };
            }
        };
        if from.ty != json && from.ty != Type::Unknown {
            return Err(function_error(name, &types, evenkeel_types::ResolveError::NotFound));
        }
        let from = self.coerce(from, json, -1, CastContext::Implicit)?;
        Ok((vec![row.expr, from, Expr::Const(of)], row.ty))
    }
}

/// What values of the domain must satisfy that the first argument is of.
fn of_domain(args: &[Typed]) -> Option<Arc<DomainChecks>> {
    match &args.first()?.expr {
        Expr::Domain(d) if !d.checks.name.is_empty() => Some(d.checks.clone()),
        _ => None,
    }
}
