//! Expressions as PostgreSQL writes those that it keeps: every operator in parentheses, names of types in full, LIKE and BETWEEN by what they are made of.
//!
//! What it does not know it leaves as sqlparser writes it: the meaning is always the same.
//!
//! Must not know: types of columns; so casts that PostgreSQL adds are not there.

use evenkeel_types::{Type, format_type};
use sqlparser::ast::{self, BinaryOperator as B, DataType, Expr, UnaryOperator as U, Value};

/// The text of an expression.
pub fn deparse(e: &Expr) -> String {
    match e {
        Expr::Nested(e) => deparse(e),
        Expr::BinaryOp { left, op: op @ (B::And | B::Or), right } => {
            let mut links = Vec::new();
            exprs(left, op, &mut links);
            exprs(right, op, &mut links);
            let parts: Vec<String> = links.into_iter().map(deparse).collect();
            format!("({})", parts.join(&format!(" {op} ")))
        }
        Expr::BinaryOp { left, op, right } => {
            format!("({} {} {})", deparse(left), operator(op), deparse(right))
        }
        Expr::UnaryOp { op: U::Not, expr } => format!("(NOT {})", deparse(expr)),
        Expr::UnaryOp { op: U::Minus, expr } => match &**expr {
            Expr::Value(v) if matches!(v.value, Value::Number(..)) => {
                format!("'-{v}'::{}", number_type(&v.value))
            }
            other => format!("(- {})", deparse(other)),
        },
        Expr::IsNull(e) => format!("({} IS NULL)", deparse(e)),
        Expr::IsNotNull(e) => format!("({} IS NOT NULL)", deparse(e)),
        Expr::IsTrue(e) => format!("({} IS TRUE)", deparse(e)),
        Expr::IsNotTrue(e) => format!("({} IS NOT TRUE)", deparse(e)),
        Expr::IsFalse(e) => format!("({} IS FALSE)", deparse(e)),
        Expr::IsNotFalse(e) => format!("({} IS NOT FALSE)", deparse(e)),
        Expr::IsDistinctFrom(a, b) => format!("({} IS DISTINCT FROM {})", deparse(a), deparse(b)),
        Expr::IsNotDistinctFrom(a, b) => format!("({} IS NOT DISTINCT FROM {})", deparse(a), deparse(b)),
        Expr::Between { expr, negated, low, high } if without_symmetric(low).is_some() => {
            let low = Box::new(without_symmetric(low).unwrap_or(Expr::Value(Value::Null.into())));
            let one = |low: &Expr, high: &Expr| {
                let (expr, low, high) = (expr.clone(), Box::new(low.clone()), Box::new(high.clone()));
                deparse(&Expr::Between { expr, negated: *negated, low, high })
            };
            let word = if *negated { "AND" } else { "OR" };
            format!("({} {word} {})", one(&low, high), one(high, &low))
        }
        Expr::Between { expr, negated, low, high } => {
            let e = deparse(expr);
            let (low, high) = (deparse(low), deparse(high));
            match negated {
                false => format!("(({e} >= {low}) AND ({e} <= {high}))"),
                true => format!("(({e} < {low}) OR ({e} > {high}))"),
            }
        }
        Expr::InList { expr, list, negated } => {
            let list: Vec<String> = list.iter().map(deparse).collect();
            // PostgreSQL has `= ANY (ARRAY[…])`, with a cast of each literal to the type of what it is compared with, which is not known here.
            let op = if *negated { "NOT IN" } else { "IN" };
            format!("({} {op} ({}))", deparse(expr), list.join(", "))
        }
        Expr::Like { negated, any: false, expr, pattern, escape_char: None } => {
            format!("({} {} {})", deparse(expr), if *negated { "!~~" } else { "~~" }, deparse(pattern))
        }
        Expr::ILike { negated, any: false, expr, pattern, escape_char: None } => {
            format!("({} {} {})", deparse(expr), if *negated { "!~~*" } else { "~~*" }, deparse(pattern))
        }
        Expr::AnyOp { left, compare_op, right, .. } => {
            format!("({} {} ANY ({}))", deparse(left), operator(compare_op), deparse(right))
        }
        Expr::AllOp { left, compare_op, right } => {
            format!("({} {} ALL ({}))", deparse(left), operator(compare_op), deparse(right))
        }
        Expr::Cast {
            kind: ast::CastKind::Cast | ast::CastKind::DoubleColon,
            expr,
            data_type,
            format: None,
            ..
        } => {
            let inner = deparse(expr);
            let ty = type_text(data_type);
            if matches!(bare(expr), Expr::Value(_)) {
                format!("{inner}::{ty}")
            } else {
                format!("({inner})::{ty}")
            }
        }
        Expr::Function(f) => function(f, deparse).unwrap_or_else(|| e.to_string()),
        Expr::Array(a) => {
            let list: Vec<String> = a.elem.iter().map(deparse).collect();
            format!("ARRAY[{}]", list.join(", "))
        }
        Expr::Case { operand: None, conditions, else_result, .. } => {
            let mut out = String::from("CASE");
            for c in conditions {
                out.push_str(&format!(" WHEN {} THEN {}", deparse(&c.condition), deparse(&c.result)));
            }
            if let Some(e) = else_result {
                out.push_str(&format!(" ELSE {}", deparse(e)));
            }
            out + " END"
        }
        other => other.to_string(),
    }
}

fn bare(e: &Expr) -> &Expr {
    match e {
        Expr::Nested(e) => bare(e),
        other => other,
    }
}

/// In the place of the end of a line until the whole text is there, as what is within CASE is moved to the right.
const LINE: char = '\u{1}';

/// The same for people: without the parentheses that precedence makes needless, as far as PostgreSQL counts on it, and CASE over several lines.
pub fn pretty(e: &Expr) -> String {
    let text = flowing(e);
    if !text.contains(LINE) {
        return text;
    }
    // No blank stays before the end of a line.
    let mut lines = text.split(LINE);
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| format!("{}\n{line}", all.trim_end_matches(' ')))
}

/// CASE over several lines.
fn case(operand: Option<&Expr>, conditions: &[ast::CaseWhen], otherwise: Option<&Expr>) -> String {
    let inner = |e: &Expr| flowing(e).replace(LINE, &format!("{LINE}    "));
    let mut out = format!("{LINE}CASE");
    if let Some(e) = operand {
        out.push_str(&format!(" {}", inner(e)));
    }
    for c in conditions {
        out.push_str(&format!("{LINE}    WHEN {} THEN {}", inner(&c.condition), inner(&c.result)));
    }
    if let Some(e) = otherwise {
        out.push_str(&format!("{LINE}    ELSE {}", inner(e)));
    }
    format!("{out}{LINE}END")
}

fn flowing(e: &Expr) -> String {
    let tests = |e: &Expr, test: &str| format!("{} {test}", operand(e));
    match bare(e) {
        Expr::BinaryOp { left, op: op @ (B::And | B::Or), right } => {
            let mut links = Vec::new();
            exprs(left, op, &mut links);
            exprs(right, op, &mut links);
            let link = |e: &&Expr| match e {
                Expr::BinaryOp { op: B::Or, .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => {
                    format!("({})", flowing(e))
                }
                // AND binds more tightly than OR.
                _ => flowing(e),
            };
            links.iter().map(link).collect::<Vec<_>>().join(&format!(" {op} "))
        }
        Expr::BinaryOp { left, op, right } => {
            let side = |e: &Expr, is_left: bool| match bare(e) {
                Expr::BinaryOp { op: own, .. } if goes_first(own, op, is_left) => flowing(e),
                _ => operand(e),
            };
            format!("{} {} {}", side(left, true), operator(op), side(right, false))
        }
        Expr::UnaryOp { op: U::Not, expr } => match bare(expr) {
            Expr::BinaryOp { op: B::And | B::Or, .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => {
                format!("NOT ({})", flowing(expr))
            }
            other => format!("NOT {}", flowing(other)),
        },
        Expr::IsNull(e) => tests(e, "IS NULL"),
        Expr::IsNotNull(e) => tests(e, "IS NOT NULL"),
        Expr::IsTrue(e) => tests(e, "IS TRUE"),
        Expr::IsNotTrue(e) => tests(e, "IS NOT TRUE"),
        Expr::IsFalse(e) => tests(e, "IS FALSE"),
        Expr::IsNotFalse(e) => tests(e, "IS NOT FALSE"),
        Expr::IsUnknown(e) => tests(e, "IS UNKNOWN"),
        Expr::IsNotUnknown(e) => tests(e, "IS NOT UNKNOWN"),
        Expr::IsDistinctFrom(a, b) => format!("{} IS DISTINCT FROM {}", operand(a), operand(b)),
        Expr::Case { operand, conditions, else_result, .. } => {
            case(operand.as_deref(), conditions, else_result.as_deref())
        }
        Expr::AnyOp { left, compare_op, right, .. } => {
            format!("{} {} ANY ({})", operand(left), operator(compare_op), flowing(right))
        }
        Expr::AllOp { left, compare_op, right } => {
            format!("{} {} ALL ({})", operand(left), operator(compare_op), flowing(right))
        }
        Expr::Cast {
            kind: ast::CastKind::Cast | ast::CastKind::DoubleColon,
            expr,
            data_type,
            format: None,
            ..
        } => format!("{}::{}", operand(expr), type_text(data_type)),
        Expr::Function(f) => function(f, flowing).unwrap_or_else(|| e.to_string()),
        Expr::Array(a) => format!("ARRAY[{}]", a.elem.iter().map(flowing).collect::<Vec<_>>().join(", ")),
        other => {
            let text = deparse(other);
            match other {
                Expr::Value(_) => text,
                _ => match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
                    Some(inner) => inner.to_owned(),
                    None => text,
                },
            }
        }
    }
}

/// What an operator, a test or a cast is of: in parentheses unless it is one thing by itself.
fn operand(e: &Expr) -> String {
    match bare(e) {
        e @ (Expr::Value(_)
        | Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::Function(_)
        | Expr::Cast { .. }
        | Expr::Array(_)
        | Expr::Case { .. }) => flowing(e),
        // A negative number is a literal with its type.
        e @ Expr::UnaryOp { op: U::Minus, .. } => deparse(e),
        e @ (Expr::CompoundFieldAccess { .. } | Expr::TypedString { .. } | Expr::Tuple(_)) => deparse(e),
        e => format!("({})", flowing(e)),
    }
}

/// Whether an operator of arithmetic within another needs no parentheses.
fn goes_first(own: &B, outer: &B, is_left: bool) -> bool {
    let rank = |op: &B| match op {
        B::Plus | B::Minus => Some(1),
        B::Multiply | B::Divide | B::Modulo => Some(2),
        _ => None,
    };
    match (rank(own), rank(outer)) {
        (Some(own), Some(outer)) => own > outer || own == outer && is_left,
        _ => false,
    }
}

/// The links of a chain of AND, or of OR.
fn exprs<'e>(e: &'e Expr, op: &B, links: &mut Vec<&'e Expr>) {
    match bare(e) {
        Expr::BinaryOp { left, op: own, right } if own == op => {
            exprs(left, op, links);
            exprs(right, op, links);
        }
        other => links.push(other),
    }
}

/// The lower bound of BETWEEN SYMMETRIC without its mark (see `rules`).
pub(crate) fn without_symmetric(low: &Expr) -> Option<Expr> {
    match low {
        Expr::UnaryOp { op: U::QuestionDash, expr } => Some((**expr).clone()),
        Expr::BinaryOp { left, op, right } => without_symmetric(left).map(|left| Expr::BinaryOp {
            left: Box::new(left),
            op: op.clone(),
            right: right.clone(),
        }),
        _ => None,
    }
}

fn operator(op: &B) -> String {
    match op {
        B::PGLikeMatch => "~~".into(),
        B::PGNotLikeMatch => "!~~".into(),
        other => other.to_string(),
    }
}

fn number_type(v: &Value) -> &'static str {
    match v {
        Value::Number(n, _) if n.parse::<i32>().is_ok() => "integer",
        Value::Number(n, _) if n.parse::<i64>().is_ok() => "bigint",
        _ => "numeric",
    }
}

/// A type's name in full.
fn type_text(t: &DataType) -> String {
    if let DataType::Array(
        ast::ArrayElemTypeDef::SquareBracket(inner, _) | ast::ArrayElemTypeDef::Qualified(inner, _),
    ) = t
    {
        return format!("{}[]", type_text(inner).trim_end_matches("[]"));
    }
    let text = t.to_string();
    let named = if text.contains('(') { None } else { Type::from_name(&text.to_lowercase()) };
    match named {
        Some(ty) => format_type(ty, -1),
        None if matches!(t, DataType::Custom(..)) => text,
        None => text.to_lowercase().replace("varchar(", "character varying(").replace("decimal(", "numeric("),
    }
}

fn function(f: &ast::Function, written: fn(&Expr) -> String) -> Option<String> {
    let plain =
        f.over.is_none() && f.filter.is_none() && f.within_group.is_empty() && f.null_treatment.is_none();
    if !plain {
        return None;
    }
    let ast::FunctionArguments::List(list) = &f.args else { return None };
    if list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return None;
    }
    let mut args = Vec::with_capacity(list.args.len());
    for a in &list.args {
        let ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(e)) = a else { return None };
        args.push(written(e));
    }
    let name = f.name.to_string();
    let upper = ["coalesce", "greatest", "least", "nullif"];
    let folded = name.to_lowercase();
    let name = match () {
        () if upper.contains(&&*folded) => folded.to_uppercase(),
        () if name.contains('"') => name,
        () => folded,
    };
    Some(format!("{name}({})", args.join(", ")))
}
