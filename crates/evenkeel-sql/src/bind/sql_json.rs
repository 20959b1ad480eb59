//! The standard's constructors of JSON, with clauses of their own: JSON_OBJECT, JSON_ARRAY, JSON_SCALAR, JSON_SERIALIZE, and the aggregates JSON_OBJECTAGG
//! and JSON_ARRAYAGG.
//!
//! `json_object` of arrays of text is a function like others.
//!
//! Must not know: statements, how JSON is written.

use super::{Binder, Typed};
use crate::catalog::NamedType;
use crate::parse::json_table::JSON_TABLE;
use crate::plan::json_query::JsonQueryKind;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{ARRAY_ABSENT, ARRAY_ABSENT_B, OBJECT_ABSENT, OBJECT_ABSENT_B};
use evenkeel_types::{CastContext, ScalarFn, Type};
use sqlparser::ast::{
    self, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause as Clause,
    FunctionArguments, JsonNullClause,
};

/// What a call says behind its arguments.
#[derive(Clone, Copy)]
struct Said {
    /// Of values that are NULL.
    absent: Option<bool>,
    returning: Option<NamedType>,
}

impl Said {
    fn is_binary(&self) -> bool {
        matches!(self.returning, Some(NamedType { ty: Type::Jsonb, .. }))
    }
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
        let list = match &f.args {
            FunctionArguments::List(list) => list,
            FunctionArguments::Subquery(_) if name == "json_array" => {
                return Err(SqlError::unsupported("JSON_ARRAY of a query is not supported"));
            }
            _ => return Ok(None),
        };
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
            "json_array" | "json_objectagg" | "json_arrayagg" | "json_scalar" | "json_serialize" => {}
            _ => return Ok(None),
        }
        let mut said = Said { absent: None, returning: None };
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
        let binary = said.is_binary();
        let made = match name {
            "json_object" => self.json_object(&list.args, said, binary)?,
            "json_array" => self.json_array(&list.args, said, binary)?,
            "json_scalar" | "json_serialize" => {
                let [arg] = &list.args[..] else { return Err(syntax(")")) };
                let (None, e) = pair(arg)? else { return Err(syntax("value")) };
                let is_scalar = name == "json_scalar";
                let arg = self.json_value(e, if is_scalar { Type::Text } else { Type::Json })?;
                if is_scalar {
                    self.call("to_json", vec![arg])?
                } else {
                    let text = NamedType { ty: Type::Text, typmod: -1, domain: None };
                    return self.json_as(arg, said.returning.unwrap_or(text)).map(Some);
                }
            }
            aggregate => return self.json_aggregate(aggregate, f, list, said, others).map(Some),
        };
        self.json_returned(made, said).map(Some)
    }

    /// A value of which JSON is made; a string that has no type yet gets one.
    fn json_value(&mut self, e: &Ast, untyped: Type) -> Result<Typed, SqlError> {
        let t = self.expr(e)?;
        if t.ty != Type::Unknown {
            return Ok(t);
        }
        Ok(Typed::new(self.coerce(t, untyped, -1, CastContext::Implicit)?, untyped))
    }

    fn json_object(&mut self, args: &[FunctionArg], said: Said, binary: bool) -> Result<Typed, SqlError> {
        let mut values = Vec::with_capacity(2 * args.len());
        for arg in args {
            let (Some(key), value) = pair(arg)? else { return Err(syntax(&arg.to_string())) };
            values.push(self.json_value(key, Type::Text)?);
            values.push(self.json_value(value, Type::Text)?);
        }
        match (said.absent.unwrap_or(false), binary) {
            (true, true) => self.json_made(&OBJECT_ABSENT_B, values),
            (true, false) => self.json_made(&OBJECT_ABSENT, values),
            (false, true) => self.call("jsonb_build_object", values),
            (false, false) => self.call("json_build_object", values),
        }
    }

    fn json_array(&mut self, args: &[FunctionArg], said: Said, binary: bool) -> Result<Typed, SqlError> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let (None, value) = pair(arg)? else { return Err(syntax(&arg.to_string())) };
            values.push(self.json_value(value, Type::Text)?);
        }
        match (said.absent.unwrap_or(true), binary) {
            (true, true) => self.json_made(&ARRAY_ABSENT_B, values),
            (true, false) => self.json_made(&ARRAY_ABSENT, values),
            (false, true) => self.call("jsonb_build_array", values),
            (false, false) => self.call("json_build_array", values),
        }
    }

    fn json_made(&mut self, f: &'static ScalarFn, values: Vec<Typed>) -> Result<Typed, SqlError> {
        let types: Vec<Type> = values.iter().map(|v| v.ty).collect();
        self.apply(f, &types, f.ret, values)
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
        let binary = said.is_binary();
        let [arg] = &list.args[..] else { return Err(syntax(")")) };
        let is_object = name == "json_objectagg";
        let args = match pair(arg)? {
            (Some(key), value) if is_object => vec![key, value],
            (None, value) if !is_object => vec![value],
            _ => return Err(syntax(&arg.to_string())),
        };
        let strict = if said.absent.unwrap_or(!is_object) { "_strict" } else { "" };
        let stem = if binary { "jsonb" } else { "json" };
        let kind = if is_object { "_object" } else { "" };
        let mut call = f.clone();
        call.name = ast::ObjectName::from(vec![ast::Ident::new(format!("{stem}{kind}_agg{strict}"))]);
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
        let expr = self.coerce(made, ty, typmod, CastContext::Explicit)?;
        let expr = self.named_value(expr, domain)?;
        Ok(Typed { expr, ty, typmod })
    }
}
