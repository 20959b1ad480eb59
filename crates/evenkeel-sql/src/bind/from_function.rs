//! Functions in FROM: their columns, those that a list of definitions gives to records, and ROWS FROM.
//!
//! Must not know: how rows are made.

use super::deparse::Calls;
use super::func::Returned;
use super::label::column_name;
use super::{Binder, Typed, ident};
use crate::parse::cursor::position_of;
use crate::parse::from_expression::EXPRESSION;
use crate::parse::json_table::JSON_TABLE;
use crate::parse::rows_from::{DEFINED, NO_ALIAS, ROWS_FROM};
use crate::plan::bound::{FromTree, Source, SourceKind};
use crate::plan::expr::{DomainChecks, Expr};
use crate::plan::{Column, SetFunction};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::user::Attribute;
use evenkeel_types::{CastContext, ResolveError, Type, function_error, user};
use sqlparser::ast::{self, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, TableAlias};
use std::sync::Arc;

/// Functions that return records of whatever columns they are asked for.
const OF_RECORDS: [&str; 8] = [
    "json_to_record",
    "jsonb_to_record",
    "json_to_recordset",
    "jsonb_to_recordset",
    "json_populate_record",
    "jsonb_populate_record",
    "json_populate_recordset",
    "jsonb_populate_recordset",
];

/// Whether nothing but a list of column definitions tells what a function returns.
pub(super) fn needs_definitions(name: &str) -> bool {
    OF_RECORDS[..4].contains(&name)
}

fn syntax(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

/// A function in FROM that was bound.
pub(super) struct Made {
    pub function: SetFunction,
    pub columns: Vec<Column>,
    /// Its rows are values.
    pub is_value: bool,
    /// How it is written, where that is noted.
    pub written: Option<Calls>,
}

/// What column definitions say.
struct Defined {
    fields: user::Attributes,
    /// Those of domains: what their values must satisfy.
    domains: Vec<(usize, Arc<DomainChecks>)>,
    /// And what the domains are called.
    called: Vec<(usize, String)>,
    /// How the types are written, where that is noted.
    written: Vec<String>,
}

/// A column definition: its name and type.
type Definition<'a> = (String, &'a ast::DataType);

fn column(name: String, ty: Type, typmod: i32) -> Column {
    Column::of(name, ty, typmod)
}

/// The column definitions behind an alias.
fn defined(alias: Option<&TableAlias>) -> Result<Vec<Definition<'_>>, SqlError> {
    let columns = alias.map_or(&[][..], |a| &a.columns);
    let typed: Vec<_> =
        columns.iter().filter_map(|c| Some((ident(&c.name), c.data_type.as_ref()?))).collect();
    match typed.len() == columns.len() || typed.is_empty() {
        true => Ok(typed),
        false => Err(syntax("syntax error in a column definition list")),
    }
}

/// A call in ROWS FROM, and the definitions behind it.
fn call_of(arg: &FunctionArg) -> Result<(&ast::Function, Vec<Definition<'_>>), SqlError> {
    let wrong = || syntax("only functions may stand in ROWS FROM");
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Function(call))) = arg else { return Err(wrong()) };
    let is_defined = call.name.0.last().and_then(|p| p.as_ident()).is_some_and(|i| i.value == DEFINED);
    if !is_defined {
        return Ok((call, Vec::new()));
    }
    let FunctionArguments::List(list) = &call.args else { return Err(wrong()) };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Function(call))), definitions @ ..] = &list.args[..]
    else {
        return Err(wrong());
    };
    let pair = |pair: &'_ [FunctionArg]| match pair {
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Value(name))),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Cast { .. })),
        ] => name.value.clone().into_string(),
        _ => None,
    };
    let mut found = Vec::with_capacity(definitions.len() / 2);
    for two in definitions.chunks(2) {
        let (Some(name), Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Cast { data_type, .. })))) =
            (pair(two), two.get(1))
        else {
            return Err(wrong());
        };
        found.push((name, data_type));
    }
    Ok((call, found))
}

impl Binder<'_> {
    /// Refuses column definitions behind the alias of what is no function.
    pub(super) fn names_alone(&self, alias: Option<&TableAlias>) -> Result<(), SqlError> {
        let Some(a) = alias else { return Ok(()) };
        let Some(c) = a.columns.iter().find(|c| c.data_type.is_some()) else { return Ok(()) };
        let source = || {
            let at = position_of(self.source, c.name.span.end)?;
            let rest: String = self.source.chars().skip(at - 1).collect();
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            Some(rest[..end].to_owned())
        };
        let near = if a.name.value == NO_ALIAS { Some("(".to_owned()) } else { source() };
        Err(syntax(format!("syntax error at or near \"{}\"", near.unwrap_or_default())))
    }

    pub(super) fn function_source(
        &mut self,
        name: &str,
        args: &[FunctionArg],
        ordinality: bool,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        if name == ROWS_FROM {
            return self.rows_from(args, ordinality, alias, sources);
        }
        if name == JSON_TABLE {
            return self.json_table(args, alias, sources);
        }
        let args = self.ordered(name, args)?;
        let args: Vec<&Ast> = args.iter().map(|a| &**a).collect();
        self.bound_function(name, &args, ordinality, alias, sources)
    }

    pub(super) fn bound_function(
        &mut self,
        name: &str,
        args: &[&Ast],
        ordinality: bool,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let definitions = defined(alias)?;
        if ordinality && !definitions.is_empty() {
            let why = "WITH ORDINALITY cannot be used with a column definition list";
            let hint = "Put the column definition list inside ROWS FROM().";
            return Err(syntax(why).with_hint(hint));
        }
        if name == "unnest" && args.len() > 1 && !definitions.is_empty() {
            let why = "UNNEST() with multiple arguments cannot have a column definition list";
            let hint = "Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.";
            return Err(syntax(why).with_hint(hint));
        }
        // Functions in FROM see the items before them without the word LATERAL.
        let (made, set) = self.nested(|b| {
            b.frame()?.place = "functions in FROM";
            b.made_of(name, args, &definitions)
        })?;
        self.add_function(&shown_name(name, args), made, (ordinality, set), alias, sources)
    }

    /// Several functions side by side.
    fn rows_from(
        &mut self,
        items: &[FunctionArg],
        ordinality: bool,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        if !defined(alias)?.is_empty() {
            let why = "ROWS FROM() with multiple functions cannot have a column definition list";
            let hint = "Put a separate column definition list for each function inside ROWS FROM().";
            return Err(syntax(why).with_hint(hint));
        }
        let (mut first, mut all) = (None, Vec::new());
        let ((), set) = self.nested(|b| {
            b.frame()?.place = "functions in FROM";
            for item in items {
                let (call, definitions) = call_of(item)?;
                let given = match &call.args {
                    FunctionArguments::List(list) => &list.args[..],
                    _ => &[],
                };
                let name = b.function_in(&call.name, given)?;
                let args = match &call.args {
                    FunctionArguments::List(list) => b.ordered(&name, &list.args)?,
                    _ => Vec::new(),
                };
                let args: Vec<&Ast> = args.iter().map(|a| &**a).collect();
                all.push(b.made_of(&name, &args, &definitions)?);
                first.get_or_insert(shown_name(&name, &args));
            }
            Ok(())
        })?;
        let name = first.ok_or_else(|| syntax("syntax error at or near \")\""))?;
        let made = match all.len() {
            1 => all.remove(0),
            _ => {
                let (mut columns, mut functions) = (Vec::new(), Vec::new());
                let mut written = Some(Calls::default());
                for made in all {
                    functions.push((made.function, made.columns.len()));
                    columns.extend(made.columns);
                    written = written.zip(made.written).map(|(calls, more)| calls.and(more));
                }
                let function = SetFunction::Together(functions.into());
                Made { function, columns, is_value: false, written }
            }
        };
        self.add_function(&name, made, (ordinality, set), alias, sources)
    }

    pub(super) fn add_function(
        &mut self,
        name: &str,
        made: Made,
        (ordinality, set): (bool, Vec<(usize, Expr)>),
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let Made { function, mut columns, is_value, written } = made;
        let named = alias.map(|a| ident(&a.name)).filter(|a| a != NO_ALIAS);
        let is_named = named.is_some();
        let shown = named.unwrap_or_else(|| name.to_owned());
        if is_value
            && is_named
            && alias.is_some_and(|a| a.columns.is_empty())
            && let [one] = &mut columns[..]
            && one.name == name
        {
            one.name.clone_from(&shown);
        }
        if ordinality {
            columns.push(column("ordinality".to_owned(), Type::Int8, -1));
        }
        let width = columns.len();
        let source = Source::new(SourceKind::Function { function, ordinality }, set);
        let tree = self.add(shown, columns, alias, width, source, sources)?;
        if let Some(relation) = self.frame()?.rels.last_mut() {
            relation.is_value = is_value && width == 1;
            relation.written = written;
        }
        Ok(tree)
    }

    /// Binds one function.
    fn made_of(
        &mut self,
        name: &str,
        args: &[&Ast],
        definitions: &[Definition<'_>],
    ) -> Result<Made, SqlError> {
        if !definitions.is_empty() {
            return self.records(name, args, definitions);
        }
        if needs_definitions(name) && args.len() == 1 {
            let why = "a column definition list is required for functions returning \"record\"";
            return Err(syntax(why));
        }
        let (function, returned) = self.function_or_expression(name, args)?;
        let (mut fields, mut columns) = (Vec::with_capacity(returned.len()), Vec::new());
        for (n, (name, ty, typmod)) in returned.into_iter().enumerate() {
            let attributes = match ty {
                Type::Composite(oid) => self.attributes(oid)?,
                Type::Record => self.table_row(typmod).cloned().ok_or_else(|| {
                    syntax("a column definition list is required for functions returning \"record\"")
                })?,
                ty => {
                    let collation = self.function_collation(&function, n, ty)?;
                    columns.push(Column { collation, ..column(name, ty, -1) });
                    fields.push(None);
                    continue;
                }
            };
            columns.extend(attributes.iter().map(|a| column(a.name.clone(), a.ty, a.typmod)));
            fields.push(Some(attributes.len()));
        }
        let is_spread = fields.iter().any(Option::is_some);
        let is_value = columns.len() == 1 && !is_spread;
        let function =
            if is_spread { SetFunction::Spread(Box::new(function), fields.into()) } else { function };
        Ok(Made { function, columns, is_value, written: self.noted_function() })
    }

    /// A function whose records have the columns that are defined.
    fn records(
        &mut self,
        name: &str,
        args: &[&Ast],
        definitions: &[Definition<'_>],
    ) -> Result<Made, SqlError> {
        let known = OF_RECORDS.iter().find(|n| **n == name).copied();
        let Some(name) = known.filter(|n| args.len() == if needs_definitions(n) { 1 } else { 2 }) else {
            let (function, columns) = self.function_or_expression(name, args)?;
            if let [(_, Type::Record, _)] = &columns[..] {
                return self.defined_records(function, definitions);
            }
            return Err(syntax(match &columns[..] {
                [(_, Type::Composite(_), _)] => {
                    "a column definition list is redundant for a function returning a named composite type"
                }
                [_] => "a column definition list is only allowed for functions returning \"record\"",
                _ => "a column definition list is redundant for a function with OUT parameters",
            }));
        };
        let mut bound = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<Typed>, _>>()?;
        let types: Vec<Type> = bound.iter().map(|b| b.ty).collect();
        let json = if name.starts_with("jsonb") { Type::Jsonb } else { Type::Json };
        let Some(from) = bound.pop() else { return Err(SqlError::internal("no arguments")) };
        if from.ty != json && from.ty != Type::Unknown {
            return Err(function_error(name, &types, ResolveError::NotFound));
        }
        let mut exprs = vec![self.coerce(from, json, -1, CastContext::Implicit)?];
        if let Some(before) = bound.pop() {
            let wrong = |why: String| Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
            match before.ty {
                Type::Record => exprs.push(before.expr),
                Type::Composite(_) => {
                    return Err(syntax(
                        "a column definition list is redundant for a function returning a named composite type",
                    ));
                }
                Type::Unknown => {
                    let why = "could not determine polymorphic type because input has type unknown";
                    return wrong(why.to_owned());
                }
                _ => {
                    return Err(syntax(
                        "a column definition list is only allowed for functions returning \"record\"",
                    ));
                }
            }
        }
        let Defined { fields, domains, called, written } = self.definitions(definitions)?;
        if let Some(f) = fields.iter().find(|f| matches!(f.ty, Type::Record | Type::RecordArray)) {
            let (name, ty) = (&f.name, f.ty.sql_name());
            let why = format!("column \"{name}\" of a column definition list is of type {ty}: not supported");
            return Err(SqlError::unsupported(why));
        }
        let columns = fields.iter().map(|f| column(f.name.clone(), f.ty, f.typmod)).collect();
        let (args, domains, called) = (exprs.into(), domains.into(), called.into());
        let function = SetFunction::Records { name, args, fields, domains, called };
        self.note_function(name, &function);
        let calls = self.calls_with(definitions, written);
        Ok(Made { function, columns, is_value: false, written: calls })
    }

    /// Another function's records as the columns that are defined.
    fn defined_records(
        &mut self,
        function: SetFunction,
        definitions: &[Definition<'_>],
    ) -> Result<Made, SqlError> {
        let Defined { fields, called, written, .. } = self.definitions(definitions)?;
        let columns = fields.iter().map(|f| column(f.name.clone(), f.ty, f.typmod)).collect();
        let function = SetFunction::Defined { of: Box::new(function), fields, called: called.into() };
        let written = self.calls_with(definitions, written);
        Ok(Made { function, columns, is_value: false, written })
    }

    /// The function that was noted last, with the columns that are defined for it.
    fn calls_with(&mut self, definitions: &[Definition<'_>], types: Vec<String>) -> Option<Calls> {
        let mut calls = self.noted_function()?;
        calls.define(definitions.iter().map(|d| d.0.clone()).zip(types).collect());
        Some(calls)
    }

    fn definitions(&mut self, definitions: &[Definition<'_>]) -> Result<Defined, SqlError> {
        let mut fields: Vec<Attribute> = Vec::with_capacity(definitions.len());
        let (mut domains, mut called, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for (name, ty) in definitions {
            if fields.iter().any(|f| f.name == *name) {
                let why = format!("column name \"{name}\" specified more than once");
                return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
            }
            let found = self.data_type(ty)?;
            if matches!(found.ty, Type::Any | Type::Unknown | Type::AnyElement | Type::AnyArray) {
                let why = format!("column \"{name}\" has pseudo-type {}", found.ty.sql_name());
                return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
            }
            if let Some(oid) = found.domain {
                let shown = self.catalog.type_name(oid, self.search_path);
                called.push((fields.len(), shown.unwrap_or_else(|| found.ty.sql_name().into_owned())));
            }
            let checks = match found.domain {
                Some(oid) => self.domain_checks(oid)?,
                None => self.checks_within(found.ty)?,
            };
            domains.extend(checks.map(|checks| (fields.len(), checks)));
            written.extend(self.written_type(&found));
            let (ty, typmod, domain) = (found.ty, found.typmod, None);
            fields.push(Attribute { name: name.clone(), ty, typmod, domain });
        }
        Ok(Defined { fields: user::Attributes::from(fields), domains, called, written })
    }

    /// A function, or an expression that looks like one.
    fn function_or_expression(
        &mut self,
        name: &str,
        args: &[&Ast],
    ) -> Result<(SetFunction, Vec<Returned>), SqlError> {
        let (EXPRESSION, [e]) = (name, args) else { return self.set_function(name, args) };
        let t = self.expr(e)?;
        let ty = if t.ty == Type::Unknown { Type::Text } else { t.ty };
        let typmod = t.typmod;
        let expr = self.coerce(t, ty, -1, CastContext::Implicit)?;
        self.note_expression(&Typed { expr: expr.clone(), ty, typmod });
        Ok((SetFunction::Scalar(expr), vec![(column_name(e), ty, typmod)]))
    }
}

/// What an item of FROM is called without an alias.
fn shown_name(name: &str, args: &[&Ast]) -> String {
    match (name, args) {
        (EXPRESSION, [e]) => column_name(e),
        (name, _) => name.to_owned(),
    }
}
