//! A small binder and evaluator of constant expressions, enough to run the golden files through the public interface of the types.

use evenkeel_types::{
    CastContext, Datum, EvalCtx, FormatOptions, NoEnv, ResolveError, SqlError, SqlState, Type, cast,
    common_type, function_error, input_text, lookup_aggregates, lookup_functions, lookup_operators,
    operator_error, resolve, resolve_aggregate, resolve_operator, to_text, typmod_from_args,
};
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    SelectItem, SetExpr, Statement, TableFactor, TrimWhereField, UnaryOperator, Value,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

/// A value with its type and modifier.
#[derive(Clone, Debug)]
pub struct Typed {
    pub value: Datum,
    pub ty: Type,
    pub typmod: i32,
}

impl Typed {
    fn new(value: Datum, ty: Type) -> Typed {
        Typed { value, ty, typmod: -1 }
    }
}

type Eval = Result<Typed, SqlError>;

fn unsupported(what: impl std::fmt::Debug) -> SqlError {
    SqlError::unsupported(format!("the test evaluator does not know {what:?}"))
}

/// Evaluates an SQL expression and gives its text form (`NULL` for NULL) or `ERROR: code: message`.
pub fn run(sql: &str, o: &FormatOptions) -> String {
    match evaluate(sql, o) {
        Ok(v) if v.value.is_null() => "NULL".into(),
        Ok(v) => to_text(&v.value, v.ty, v.typmod, o).unwrap(),
        Err(e) => format!("ERROR: {}: {}", e.code, e.message),
    }
}

/// Evaluates an SQL expression.
pub fn evaluate(sql: &str, o: &FormatOptions) -> Eval {
    let syntax = |e: sqlparser::parser::ParserError| SqlError::new(SqlState::SYNTAX_ERROR, e.to_string());
    let statements = Parser::parse_sql(&PostgreSqlDialect {}, &format!("SELECT {sql}")).map_err(syntax)?;
    let [Statement::Query(q)] = &statements[..] else { return Err(unsupported(sql)) };
    let SetExpr::Select(s) = &*q.body else { return Err(unsupported(sql)) };
    let [SelectItem::UnnamedExpr(e)] = &s.projection[..] else { return Err(unsupported(sql)) };
    let ctx = EvalCtx {
        format: o,
        txn_timestamp: o.now_us.unwrap_or(0),
        stmt_timestamp: o.now_us.unwrap_or(0),
        max_value_bytes: 64 << 20,
        env: &NoEnv,
    };
    let v = expr(e, &ctx)?;
    if v.ty == Type::Unknown {
        return convert(v, Type::Text, -1, CastContext::Explicit, &ctx);
    }
    Ok(v)
}

fn convert(v: Typed, ty: Type, typmod: i32, context: CastContext, ctx: &EvalCtx<'_>) -> Eval {
    Ok(Typed { value: cast(v.value, v.ty, ty, typmod, context, ctx.format)?, ty, typmod })
}

fn call(
    f: &'static evenkeel_types::ScalarFn,
    args: Vec<Typed>,
    types: &[Type],
    ret: Type,
    ctx: &EvalCtx<'_>,
) -> Eval {
    let mut values = Vec::new();
    for (a, ty) in args.into_iter().zip(types) {
        values.push(convert(a, *ty, -1, CastContext::Explicit, ctx)?.value);
    }
    if f.strict && values.iter().any(Datum::is_null) {
        return Ok(Typed::new(Datum::Null, ret));
    }
    Ok(Typed::new((f.call)(&values, ctx)?, ret))
}

fn function(name: &str, args: Vec<Typed>, ctx: &EvalCtx<'_>) -> Eval {
    let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
    match resolve(lookup_functions(name.strip_prefix("pg_catalog.").unwrap_or(name)), &types) {
        Ok(r) => call(r.f, args, &r.args, r.ret, ctx),
        // The function notation of a cast.
        Err(ResolveError::NotFound) if args.len() == 1 && Type::from_name(name).is_some() => {
            let ty = Type::from_name(name).unwrap();
            convert(args.into_iter().next().unwrap(), ty, -1, CastContext::Explicit, ctx)
        }
        Err(e) => Err(function_error(name, &types, e)),
    }
}

fn operator(name: &str, args: Vec<Typed>, ctx: &EvalCtx<'_>) -> Eval {
    let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
    match resolve_operator(lookup_operators(name), &types) {
        Ok(r) => call(r.f, args, &r.args, r.ret, ctx),
        Err(e) => {
            let left = (types.len() == 2).then(|| types[0]);
            Err(operator_error(name, left, *types.last().unwrap(), e))
        }
    }
}

fn text(s: &str) -> Typed {
    Typed::new(Datum::text(s), Type::Unknown)
}

fn number(s: &str, ctx: &EvalCtx<'_>) -> Eval {
    for ty in [Type::Int4, Type::Int8] {
        if let Ok(v) = input_text(s, ty, -1, ctx.format) {
            return Ok(Typed::new(v, ty));
        }
    }
    Ok(Typed::new(input_text(s, Type::Numeric, -1, ctx.format)?, Type::Numeric))
}

fn literal(v: &Value, ctx: &EvalCtx<'_>) -> Eval {
    match v {
        Value::Number(n, _) => number(n, ctx),
        Value::SingleQuotedString(s) | Value::EscapedStringLiteral(s) => Ok(text(s)),
        Value::DollarQuotedString(s) => Ok(text(&s.value)),
        Value::Boolean(b) => Ok(Typed::new(Datum::Bool(*b), Type::Bool)),
        Value::Null => Ok(Typed::new(Datum::Null, Type::Unknown)),
        other => Err(unsupported(other)),
    }
}

/// A type name by its SQL spelling.
fn data_type(t: &DataType) -> Result<(Type, i32), SqlError> {
    if let DataType::Array(inner) = t {
        use sqlparser::ast::ArrayElemTypeDef as A;
        if let A::SquareBracket(element, _) = inner {
            let (ty, typmod) = data_type(element)?;
            if ty.is_array() {
                return Ok((ty, typmod));
            }
            return Ok((ty.array_of().ok_or_else(|| unsupported(t))?, typmod));
        }
    }
    let spelled = t.to_string();
    let (base, rest) = match spelled.split_once('(') {
        Some((base, rest)) => (base.trim().to_string(), Some(rest)),
        None => (spelled.clone(), None),
    };
    let (mut args, mut suffix) = (Vec::new(), String::new());
    if let Some(rest) = rest {
        let (list, tail) = rest.split_once(')').ok_or_else(|| unsupported(t))?;
        args = list.split(',').map(|a| a.trim().parse().unwrap_or(0)).collect();
        suffix = tail.to_string();
    }
    let name = format!("{base}{suffix}");
    let ty = Type::from_name(&name).ok_or_else(|| {
        SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{}\" does not exist", name.to_lowercase()))
    })?;
    if ty == Type::Bpchar && args.is_empty() && !name.eq_ignore_ascii_case("bpchar") {
        args.push(1);
    }
    Ok((ty, typmod_from_args(ty, &args)?))
}

fn unit(f: &DateTimeField) -> String {
    match f {
        DateTimeField::Custom(i) => i.value.clone(),
        f => f.to_string().to_lowercase(),
    }
}

fn args_of(f: &FunctionArguments, ctx: &EvalCtx<'_>) -> Result<Vec<Typed>, SqlError> {
    match f {
        FunctionArguments::None => Ok(Vec::new()),
        FunctionArguments::List(l) => l
            .args
            .iter()
            .map(|a| match a {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => expr(e, ctx),
                other => Err(unsupported(other)),
            })
            .collect(),
        other => Err(unsupported(other)),
    }
}

fn array(elements: &[Expr], ctx: &EvalCtx<'_>) -> Eval {
    let values: Result<Vec<Typed>, SqlError> = elements.iter().map(|e| expr(e, ctx)).collect();
    let values = values?;
    let types: Vec<Type> = values.iter().map(|v| v.ty).collect();
    let ty = common_type(&types).map_err(|(a, b)| {
        SqlError::new(SqlState::DATATYPE_MISMATCH, format!("ARRAY types {a} and {b} cannot be matched"))
    })?;
    if let Some(element) = ty.element() {
        // Rows of a two-dimensional array.
        let mut all = Vec::new();
        let mut width = 0;
        for v in &values {
            let a = v.value.as_array().ok_or_else(|| unsupported("a mixed array"))?;
            width = a.values.len();
            all.extend(a.values.iter().cloned());
        }
        let dim = |len: usize| evenkeel_types::Dim { len: len as i32, lower: 1 };
        let dims = vec![dim(values.len()), dim(width)];
        let a = evenkeel_types::ArrayDatum { element, dims, values: all.into() };
        return Ok(Typed::new(Datum::Array(std::sync::Arc::new(a)), ty));
    }
    let elements: Result<Vec<Datum>, SqlError> =
        values.into_iter().map(|v| Ok(convert(v, ty, -1, CastContext::Explicit, ctx)?.value)).collect();
    Ok(Typed::new(Datum::array(ty, elements?), ty.array_of().unwrap()))
}

fn like(
    name: &str,
    negated: bool,
    l: &Expr,
    r: &Expr,
    escape: &Option<Box<Expr>>,
    ctx: &EvalCtx<'_>,
) -> Eval {
    let mut pattern = expr(r, ctx)?;
    if let Some(e) = escape {
        pattern = function("like_escape", vec![pattern, expr(e, ctx)?], ctx)?;
    }
    let name = format!("{}{name}", if negated { "!" } else { "" });
    operator(&name, vec![expr(l, ctx)?, pattern], ctx)
}

fn expr(e: &Expr, ctx: &EvalCtx<'_>) -> Eval {
    match e {
        Expr::Value(v) => literal(&v.value, ctx),
        Expr::Nested(e) => expr(e, ctx),
        Expr::Identifier(i) => function(&i.value.to_lowercase(), Vec::new(), ctx),
        Expr::TypedString(t) => {
            let (ty, typmod) = data_type(&t.data_type)?;
            convert(literal(&t.value.value, ctx)?, ty, typmod, CastContext::Explicit, ctx)
        }
        Expr::Interval(i) => {
            let v = expr(&i.value, ctx)?;
            convert(v, Type::Interval, -1, CastContext::Explicit, ctx)
        }
        Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr: e, data_type: t, .. } => {
            let (ty, typmod) = data_type(t)?;
            convert(expr(e, ctx)?, ty, typmod, CastContext::Explicit, ctx)
        }
        Expr::UnaryOp { op, expr: inner } => {
            let name = match op {
                UnaryOperator::Plus => "+",
                UnaryOperator::Minus => "-",
                UnaryOperator::BitwiseNot => "~",
                UnaryOperator::PGSquareRoot => "|/",
                UnaryOperator::PGCubeRoot => "||/",
                UnaryOperator::PGAbs => "@",
                UnaryOperator::Not => {
                    let v = expr(inner, ctx)?.value.as_bool().map(|b| !b);
                    return Ok(Typed::new(Datum::from(v), Type::Bool));
                }
                other => return Err(unsupported(other)),
            };
            // A sign before a number is part of it.
            if let (UnaryOperator::Minus, Expr::Value(v)) = (op, &**inner)
                && let Value::Number(n, _) = &v.value
            {
                return number(&format!("-{n}"), ctx);
            }
            operator(name, vec![expr(inner, ctx)?], ctx)
        }
        Expr::BinaryOp { left, op, right } => {
            let name = match op {
                BinaryOperator::PGRegexMatch => "~".to_string(),
                BinaryOperator::PGRegexIMatch => "~*".to_string(),
                BinaryOperator::PGRegexNotMatch => "!~".to_string(),
                BinaryOperator::PGRegexNotIMatch => "!~*".to_string(),
                BinaryOperator::BitwiseXor | BinaryOperator::PGBitwiseXor => "#".to_string(),
                BinaryOperator::PGExp => "^".to_string(),
                op => op.to_string(),
            };
            operator(&name, vec![expr(left, ctx)?, expr(right, ctx)?], ctx)
        }
        Expr::Like { negated, expr: l, pattern, escape_char, .. } => {
            like("~~", *negated, l, pattern, escape_char, ctx)
        }
        Expr::ILike { negated, expr: l, pattern, escape_char, .. } => {
            like("~~*", *negated, l, pattern, escape_char, ctx)
        }
        Expr::SimilarTo { negated, expr: l, pattern, escape_char } => {
            let mut args = vec![expr(pattern, ctx)?];
            if let Some(e) = escape_char {
                args.push(expr(e, ctx)?);
            }
            let pattern = function("similar_to_escape", args, ctx)?;
            operator(if *negated { "!~" } else { "~" }, vec![expr(l, ctx)?, pattern], ctx)
        }
        Expr::IsNull(e) => Ok(Typed::new(Datum::Bool(expr(e, ctx)?.value.is_null()), Type::Bool)),
        Expr::IsNotNull(e) => Ok(Typed::new(Datum::Bool(!expr(e, ctx)?.value.is_null()), Type::Bool)),
        Expr::AtTimeZone { timestamp, time_zone } => {
            function("timezone", vec![expr(time_zone, ctx)?, expr(timestamp, ctx)?], ctx)
        }
        Expr::Extract { field, expr: e, .. } => {
            function("pg_catalog.extract", vec![text(&unit(field)), expr(e, ctx)?], ctx)
        }
        Expr::Ceil { expr: e, .. } => function("ceil", vec![expr(e, ctx)?], ctx),
        Expr::Floor { expr: e, .. } => function("floor", vec![expr(e, ctx)?], ctx),
        Expr::Position { expr: part, r#in } => {
            function("position", vec![expr(r#in, ctx)?, expr(part, ctx)?], ctx)
        }
        Expr::Substring { expr: e, substring_from, substring_for, shorthand, .. } => {
            let mut args = vec![expr(e, ctx)?];
            for part in [substring_from, substring_for].into_iter().flatten() {
                args.push(expr(part, ctx)?);
            }
            function(if *shorthand { "substr" } else { "substring" }, args, ctx)
        }
        Expr::Overlay { expr: e, overlay_what, overlay_from, overlay_for } => {
            let mut args = vec![expr(e, ctx)?, expr(overlay_what, ctx)?, expr(overlay_from, ctx)?];
            if let Some(n) = overlay_for {
                args.push(expr(n, ctx)?);
            }
            function("overlay", args, ctx)
        }
        Expr::Trim { expr: e, trim_where, trim_what, .. } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
                _ => "btrim",
            };
            let mut args = vec![expr(e, ctx)?];
            if let Some(what) = trim_what {
                args.push(expr(what, ctx)?);
            }
            function(name, args, ctx)
        }
        Expr::Array(a) => array(&a.elem, ctx),
        Expr::Subquery(q) => subquery(q, ctx),
        Expr::Function(f) => function(&f.name.to_string().to_lowercase(), args_of(&f.args, ctx)?, ctx),
        other => Err(unsupported(other)),
    }
}

/// `(select agg(x, …) from unnest(array) as u(x))`: an aggregate over the elements of an array.
fn subquery(q: &sqlparser::ast::Query, ctx: &EvalCtx<'_>) -> Eval {
    let SetExpr::Select(s) = &*q.body else { return Err(unsupported(q)) };
    let [SelectItem::UnnamedExpr(Expr::Function(f))] = &s.projection[..] else { return Err(unsupported(q)) };
    let rows = match &s.from[0].relation {
        TableFactor::UNNEST { array_exprs, .. } => expr(&array_exprs[0], ctx)?,
        other => return Err(unsupported(other)),
    };
    let element = rows.ty.element().ok_or_else(|| unsupported(q))?;
    let mut args = Vec::new();
    if let FunctionArguments::List(l) = &f.args {
        for a in &l.args {
            args.push(match a {
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => continue,
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(_))) => None,
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some(expr(e, ctx)?),
                other => return Err(unsupported(other)),
            });
        }
    }
    let types: Vec<Type> = args.iter().map(|a| a.as_ref().map_or(element, |a| a.ty)).collect();
    let name = f.name.to_string().to_lowercase();
    let r =
        resolve_aggregate(lookup_aggregates(&name), &types).map_err(|e| function_error(&name, &types, e))?;
    let mut state = (r.f.new)(&r.args);
    for value in &rows.value.as_array().ok_or_else(|| unsupported(q))?.values {
        let mut row = Vec::new();
        for (a, ty) in args.iter().zip(&r.args) {
            let v = a.clone().unwrap_or_else(|| Typed::new(value.clone(), element));
            row.push(convert(v, *ty, -1, CastContext::Explicit, ctx)?.value);
        }
        state.update(&row, ctx)?;
    }
    Ok(Typed::new(state.finish()?, r.ret))
}
