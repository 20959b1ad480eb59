//! The standard's constructors of JSON, with clauses of their own: JSON, JSON_OBJECT, JSON_ARRAY, JSON_SCALAR, JSON_SERIALIZE, and the aggregates JSON_OBJECTAGG
//! and JSON_ARRAYAGG; IS JSON.
//!
//! `json_object` of arrays of text is a function like others.
//!
//! Must not know: statements, how JSON is written.

use super::{Binder, Typed};
use crate::catalog::NamedType;
use crate::parse::json_constructor::{format_of, plain};
use crate::parse::json_table::JSON_TABLE;
use crate::plan::expr::Expr;
use crate::plan::json_query::JsonQueryKind;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{
    FORMAT_JSON, IS_JSON, JSON_PARSE, JSON_SCALAR, JSON_SERIALIZE, JSON_UNIQUE, JsonConstructor,
};
use evenkeel_types::{CastContext, Datum, ScalarFn, Type};
use sqlparser::ast::{
    self, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause as Clause,
    FunctionArguments, JsonNullClause,
};

/// What a call says behind its arguments.
#[derive(Clone, Copy)]
struct Said {
    /// Of values that are NULL.
    absent: Option<bool>,
    /// Of keys.
    unique: bool,
    returning: Option<NamedType>,
}

impl Said {
    /// Whether `jsonb` is made: that is returned, or it is among what it is made of, if nothing is said.
    fn is_binary(&self, values: &[Typed]) -> bool {
        match self.returning {
            Some(named) => named.ty == Type::Jsonb,
            None => values.iter().any(|v| v.ty == Type::Jsonb),
        }
    }
}

/// The one encoding.
const UTF8: &str = "utf8";

/// Refuses what is no encoding of JSON.
fn check_encoding(name: &str) -> Result<(), SqlError> {
    if ["utf8", "utf16", "utf32"].contains(&name) {
        return Ok(());
    }
    Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("unrecognized JSON encoding: {name}")))
}

fn mismatch(why: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::DATATYPE_MISMATCH, why)
}

/// Refuses FORMAT JSON of what is returned, if its encoding does not go with the type.
fn check_format(encoding: Option<&str>, ty: Type) -> Result<(), SqlError> {
    let Some(name) = encoding else { return Ok(()) };
    check_encoding(name)?;
    if ty != Type::Bytea {
        return Err(SqlError::unsupported("cannot set JSON encoding for non-bytea output types"));
    }
    match name {
        UTF8 => Ok(()),
        _ => Err(SqlError::unsupported("unsupported JSON encoding")
            .with_hint("Only UTF8 JSON encoding is supported.")),
    }
}

/// Whether to bind an expression a second time has no effects.
fn is_plain(e: &Ast) -> bool {
    match e {
        Ast::Identifier(_) | Ast::CompoundIdentifier(_) | Ast::Value(_) | Ast::TypedString(_) => true,
        Ast::Cast { expr, .. } | Ast::Nested(expr) => is_plain(expr),
        _ => false,
    }
}

/// A value, and whether FORMAT JSON stands behind it, perhaps with an encoding.
fn with_format(e: &Ast) -> (&Ast, Option<Option<&str>>) {
    if let Ast::Function(f) = e
        && let [ast::ObjectNamePart::Identifier(name)] = &f.name.0[..]
        && let Some(encoding) = format_of(&name.value)
        && let FunctionArguments::List(list) = &f.args
        && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] = &list.args[..]
    {
        return (inner, Some(encoding));
    }
    (e, None)
}

/// An argument of JSON_OBJECT and its like: its key, if it has one, and its value.
fn pair(arg: &FunctionArg) -> Result<(Option<&Ast>, &Ast), SqlError> {
    let (key, value) = match arg {
        FunctionArg::ExprNamed {
            name,
            arg,
            operator: FunctionArgOperator::Value | FunctionArgOperator::Colon,
        } => (Some(name), arg),
        FunctionArg::Unnamed(value) => (None, value),
        other => return Err(syntax(&other.to_string())),
    };
    match value {
        FunctionArgExpr::Expr(e) => Ok((key, e)),
        other => Err(syntax(&other.to_string())),
    }
}

fn syntax(near: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{near}\""))
}

impl Binder<'_> {
    /// A constructor, if the call is one; `None`: it is an ordinary function's.
    pub(super) fn json_constructor(
        &mut self,
        name: &str,
        f: &ast::Function,
    ) -> Result<Option<Typed>, SqlError> {
        if format_of(name).is_some() {
            let call = Ast::Function(f.clone());
            return match with_format(&call) {
                (_, Some(_)) => self.json_value(&call, Type::Text).map(Some),
                (_, None) => Err(syntax("FORMAT")),
            };
        }
        let (name, in_name) = plain(name);
        let FunctionArguments::List(list) = &f.args else { return Ok(None) };
        let has_keys = list.args.iter().any(|a| !matches!(a, FunctionArg::Unnamed(_)));
        let query = match name {
            // It is no expression.
            JSON_TABLE => return Err(syntax("(")),
            "json_exists" => Some(JsonQueryKind::Exists),
            "json_value" => Some(JsonQueryKind::Value),
            "json_query" => Some(JsonQueryKind::Query),
            _ => None,
        };
        if let Some(kind) = query {
            return self.json_query(kind, &list.args).map(Some);
        }
        match name {
            "json_object" if list.args.is_empty() || has_keys => {}
            "json" | "json_array" | "json_objectagg" | "json_arrayagg" | "json_scalar" | "json_serialize" => {
            }
            _ => return Ok(None),
        }
        let unique = in_name.unique == Some(true);
        let mut said = Said { absent: None, unique, returning: None };
        let mut others = Vec::new();
        for clause in &list.clauses {
            match clause {
                Clause::JsonNullClause(n) => said.absent = Some(*n == JsonNullClause::AbsentOnNull),
                Clause::JsonReturningClause(r) => said.returning = Some(self.data_type(&r.data_type)?),
                other => others.push(other.clone()),
            }
        }
        if let (Some(other), false) = (others.first(), name.ends_with("agg")) {
            return Err(syntax(&other.to_string()));
        }
        if let (Some(encoding), Some(named)) = (&in_name.format, said.returning) {
            check_format(encoding.as_deref(), named.ty)?;
        }
        let made = match name {
            "json_object" => self.json_object(&list.args, said)?,
            "json_array" => self.json_array(&list.args, said)?,
            "json" | "json_scalar" | "json_serialize" => {
                let [arg] = &list.args[..] else { return Err(syntax(")")) };
                let (None, e) = pair(arg)? else { return Err(syntax("value")) };
                match name {
                    "json" => self.json_parsed(e, unique)?,
                    "json_scalar" => {
                        let arg = self.json_value(e, Type::Text)?;
                        self.apply(&JSON_SCALAR, &[arg.ty], Type::Json, vec![arg])?
                    }
                    _ => return self.json_serialized(e, said).map(Some),
                }
            }
            aggregate => return self.json_aggregate(aggregate, f, list, said, others).map(Some),
        };
        self.json_returned(made, said).map(Some)
    }

    /// A value of which JSON is made; a string that has no type yet gets one.
    fn json_value(&mut self, e: &Ast, untyped: Type) -> Result<Typed, SqlError> {
        let (e, format) = with_format(e);
        let mut t = self.expr(e)?;
        if t.ty == Type::Unknown {
            let ty = if format.is_some() { Type::Text } else { untyped };
            t = Typed::new(self.coerce(t, ty, -1, CastContext::Implicit)?, ty);
        }
        let Some(encoding) = format else { return Ok(t) };
        if let Some(name) = encoding {
            check_encoding(name)?;
            if t.ty != Type::Bytea {
                return Err(mismatch("JSON ENCODING clause is only allowed for bytea input type"));
            }
        }
        match t.ty {
            Type::Json | Type::Jsonb => return Ok(t),
            Type::Bytea => t = self.json_decoded(t, encoding.unwrap_or(UTF8))?,
            ty if ty.category() != b'S' => {
                return Err(mismatch("cannot use non-string types with explicit FORMAT JSON clause"));
            }
            _ => {}
        }
        let text = Typed::new(self.coerce(t, Type::Text, -1, CastContext::Implicit)?, Type::Text);
        self.apply(&FORMAT_JSON, &[Type::Text], Type::Json, vec![text])
    }

    fn json_decoded(&mut self, bytes: Typed, encoding: &str) -> Result<Typed, SqlError> {
        let name = Typed::new(Expr::Const(Datum::text(encoding.to_uppercase())), Type::Unknown);
        self.call("convert_from", vec![bytes, name])
    }

    /// JSON (…)
    fn json_parsed(&mut self, e: &Ast, unique: bool) -> Result<Typed, SqlError> {
        let json = NamedType { ty: Type::Json, typmod: -1, domain: None };
        let (inner, format) = with_format(e);
        if !unique {
            let t = self.json_value(e, Type::Text)?;
            let t = if t.ty == Type::Bytea { self.json_decoded(t, UTF8)? } else { t };
            return match t.ty {
                Type::Text => self.apply(&JSON_PARSE, &[Type::Text], Type::Json, vec![t]),
                _ => self.json_as(t, json),
            };
        }
        let t = if format.is_some() { self.expr(inner)? } else { self.json_value(inner, Type::Text)? };
        let t = if t.ty == Type::Bytea { self.json_decoded(t, UTF8)? } else { t };
        if t.ty != Type::Unknown && t.ty.category() != b'S' {
            return Err(mismatch("cannot use non-string types with WITH UNIQUE KEYS clause"));
        }
        let text = Typed::new(self.coerce(t, Type::Text, -1, CastContext::Implicit)?, Type::Text);
        self.apply(&JSON_UNIQUE, &[Type::Text], Type::Json, vec![text])
    }

    fn json_serialized(&mut self, e: &Ast, said: Said) -> Result<Typed, SqlError> {
        let text = NamedType { ty: Type::Text, typmod: -1, domain: None };
        let to = said.returning.unwrap_or(text);
        if to.ty.category() != b'S' && to.ty != Type::Bytea {
            let ty = to.ty.sql_name();
            let why = format!("cannot use type {ty} in RETURNING clause of JSON_SERIALIZE()");
            return Err(mismatch(why).with_hint("Try returning a string type or bytea."));
        }
        let mut arg = self.json_value(e, Type::Json)?;
        if arg.ty == Type::Bytea {
            arg = self.json_decoded(arg, UTF8)?;
        }
        if !matches!(arg.ty, Type::Json | Type::Jsonb) {
            arg = self.json_as(arg, NamedType { ty: Type::Json, typmod: -1, domain: None })?;
        }
        let made = match arg.ty {
            Type::Json => self.apply(&JSON_SERIALIZE, &[Type::Json], Type::Text, vec![arg])?,
            _ => arg,
        };
        self.json_as(made, to)
    }

    fn json_object(&mut self, args: &[FunctionArg], said: Said) -> Result<Typed, SqlError> {
        let mut values = Vec::with_capacity(2 * args.len());
        for arg in args {
            let (Some(key), value) = pair(arg)? else { return Err(syntax(&arg.to_string())) };
            values.push(self.json_value(key, Type::Text)?);
            values.push(self.json_value(value, Type::Text)?);
        }
        self.json_made(said, true, said.absent.unwrap_or(false), values)
    }

    fn json_array(&mut self, args: &[FunctionArg], said: Said) -> Result<Typed, SqlError> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let (None, value) = pair(arg)? else { return Err(syntax(&arg.to_string())) };
            values.push(self.json_value(value, Type::Text)?);
        }
        self.json_made(said, false, said.absent.unwrap_or(true), values)
    }

    fn json_made(
        &mut self,
        said: Said,
        is_object: bool,
        absent: bool,
        values: Vec<Typed>,
    ) -> Result<Typed, SqlError> {
        let binary = said.is_binary(&values);
        let kind = JsonConstructor { is_object, absent, unique: is_object && said.unique, binary };
        let f: &'static ScalarFn =
            kind.function().ok_or_else(|| SqlError::internal("no such constructor"))?;
        let types: Vec<Type> = values.iter().map(|v| v.ty).collect();
        self.apply(f, &types, f.ret, values)
    }

    /// IS JSON, perhaps of a shape.
    pub(super) fn is_json(&mut self, e: &Ast) -> Result<Typed, SqlError> {
        let Ast::IsJson { expr, kind, unique_keys, negated } = e else {
            return Err(SqlError::internal("IS JSON was expected"));
        };
        let mut t = self.expr(expr)?;
        if t.ty == Type::Unknown || t.ty.category() == b'S' {
            t = Typed::new(self.coerce(t, Type::Text, -1, CastContext::Implicit)?, Type::Text);
        }
        if !matches!(t.ty, Type::Text | Type::Json | Type::Jsonb | Type::Bytea) {
            return Err(mismatch(format!("cannot use type {} in IS JSON predicate", t.ty.sql_name())));
        }
        let mut shape = match kind {
            None | Some(ast::JsonPredicateType::Value) => String::new(),
            Some(kind) => kind.to_string(),
        };
        if *unique_keys == Some(ast::JsonKeyUniqueness::WithUniqueKeys) {
            shape = format!("{shape} UNIQUE").trim_start().to_owned();
        }
        let ty = t.ty;
        let shape = Typed::new(Expr::Const(Datum::text(&shape)), Type::Text);
        let made = self.apply(&IS_JSON, &[ty, Type::Text], Type::Bool, vec![t, shape])?;
        Ok(if *negated { Typed::new(Expr::Not(Box::new(made.expr)), Type::Bool) } else { made })
    }

    /// The aggregates are those that PostgreSQL has besides, by another name.
    fn json_aggregate(
        &mut self,
        name: &str,
        f: &ast::Function,
        list: &ast::FunctionArgumentList,
        said: Said,
        others: Vec<Clause>,
    ) -> Result<Typed, SqlError> {
        let [arg] = &list.args[..] else { return Err(syntax(")")) };
        let is_object = name == "json_objectagg";
        let args = match pair(arg)? {
            (Some(key), value) if is_object => vec![key, value],
            (None, value) if !is_object => vec![value],
            _ => return Err(syntax(&arg.to_string())),
        };
        // What it is made of tells whether it is binary, if nobody says so.
        let binary = match said.returning {
            Some(named) => named.ty == Type::Jsonb,
            None if !args.iter().all(|e| is_plain(e)) => false,
            None => {
                let types = args.iter().map(|e| self.json_value(e, Type::Text).map(|t| t.ty));
                types.collect::<Result<Vec<_>, _>>()?.contains(&Type::Jsonb)
            }
        };
        let strict = if said.absent.unwrap_or(!is_object) { "_strict" } else { "" };
        let stem = if binary { "jsonb" } else { "json" };
        let kind = if is_object { "_object" } else { "" };
        let unique = if said.unique { "_unique" } else { "" };
        let mut call = f.clone();
        call.name = ast::ObjectName::from(vec![ast::Ident::new(format!("{stem}{kind}_agg{unique}{strict}"))]);
        call.args = FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: list.duplicate_treatment,
            args: args.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e.clone()))).collect(),
            clauses: others,
        });
        let made = self.function(&call)?;
        self.json_returned(made, said)
    }

    fn json_returned(&mut self, made: Typed, said: Said) -> Result<Typed, SqlError> {
        match said.returning {
            Some(named) if named.ty != made.ty || named.domain.is_some() => self.json_as(made, named),
            _ => Ok(made),
        }
    }

    fn json_as(&mut self, made: Typed, named: NamedType) -> Result<Typed, SqlError> {
        let NamedType { ty, typmod, domain } = named;
        if ty == Type::Bytea && made.ty != Type::Bytea {
            let text = Typed::new(self.coerce(made, Type::Text, -1, CastContext::Explicit)?, Type::Text);
            let name = Typed::new(Expr::Const(Datum::text("UTF8")), Type::Unknown);
            return self.call("convert_to", vec![text, name]);
        }
        let expr = self.coerce(made, ty, -1, CastContext::Explicit)?;
        let expr = match typmod {
            -1 => expr,
            // What is too long is not cut.
            typmod => self.coerce(Typed::new(expr, ty), ty, typmod, CastContext::Assignment)?,
        };
        let expr = self.named_value(expr, domain)?;
        Ok(Typed { expr, ty, typmod })
    }
}
