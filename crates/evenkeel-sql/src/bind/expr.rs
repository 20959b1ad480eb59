//! Expressions.
//!
//! Must not know: FROM clauses, statements.

use super::dml::is_default;
use super::qualifier::Qualifier;
use super::types::as_text;
use super::{Binder, Typed, ident, limit_entries};
use crate::catalog::{NamedType, row_type_of};
use crate::parse::deparse::without_symmetric;
use crate::parse::in_list::listed;
use crate::parse::spellings::is_local;
use crate::plan::expr::{Case, CmpOp, Expr};
use crate::plan::fold;
use evenkeel_types::collation::is_collatable;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;
use evenkeel_types::{
    CastContext, Collation, Datum, Resolved, ScalarFn, Type, Volatility, can_cast, common_type,
    is_named_by_type, lookup_functions, operator_error, resolve_operator, spelled,
};
use sqlparser::ast::{self, BinaryOperator, Expr as Ast, UnaryOperator, Value};
use sqlparser::tokenizer::Location;

/// Stack that one level of binding may need, and what is added when less is left.
pub(super) const STACK_LEFT_BYTES: usize = 256 << 10;
pub(super) const STACK_PIECE_BYTES: usize = 2 << 20;

/// Nodes of an expression that is used more than once: used so again and again, it would double each time.
const COPIED_NODES_MAX: usize = 10_000;

/// The same of an operand of CASE.
const COPIED_OPERAND_MAX: usize = 8;

/// Whether the operand of CASE is computed once for all of its conditions: what may give something else each time, and what costs something. Of texts the conditions are to
/// know the collation, of rows the fields. For who writes the expression again, any is (`is_written`).
fn is_computed_once(operand: &Typed, is_written: bool) -> bool {
    let is_known = operand.ty != Type::Unknown && !matches!(operand.ty, Type::Record | Type::Composite(_));
    let mut nodes = 0;
    operand.expr.walk(&mut |_| nodes += 1);
    let has_subquery = || operand.expr.any(|e| matches!(e, Expr::Subquery(..)));
    let is_costly = !is_collatable(operand.ty) && (nodes > COPIED_OPERAND_MAX || has_subquery());
    is_known && (is_written || operand.expr.calls_volatile() || is_costly)
}

/// Another of an expression that is needed twice.
pub(super) fn copy(t: &Typed) -> Result<Typed, SqlError> {
    let mut nodes = 0;
    t.expr.walk(&mut |_| nodes += 1);
    if nodes > COPIED_NODES_MAX { Err(guard::too_deep()) } else { Ok(t.clone()) }
}

pub(super) fn is_int(t: Type) -> bool {
    matches!(t, Type::Int2 | Type::Int4 | Type::Int8)
}

/// PostgreSQL's name of a binary operator; None for AND, OR and those that do not exist there.
/// `*`, as the last part of what stands for a row.
pub(super) fn is_star(i: &ast::Ident) -> bool {
    i.quote_style.is_none() && i.value == "*"
}

pub(super) fn operator_name(op: &BinaryOperator) -> Option<String> {
    use BinaryOperator as B;
    Some(match op {
        B::NotEq => "<>".into(),
        B::PGBitwiseXor => "#".into(),
        B::BitwiseXor | B::PGExp => "^".into(),
        B::PGLikeMatch => "~~".into(),
        B::PGILikeMatch => "~~*".into(),
        B::PGNotLikeMatch => "!~~".into(),
        B::PGNotILikeMatch => "!~~*".into(),
        B::PGCustomBinaryOperator(parts) => parts.last()?.clone(),
        B::Custom(s) => s.clone(),
        B::And | B::Or | B::Xor => return None,
        other => other.to_string(),
    })
}

/// A number with the other sign: signs before literals are part of them, through parentheses too.
fn negated_number(e: &Ast) -> Option<String> {
    match e {
        Ast::Value(ast::ValueWithSpan { value: Value::Number(n, _), .. }) => Some(format!("-{n}")),
        Ast::Nested(inner) => negated_number(inner),
        Ast::UnaryOp { op: UnaryOperator::Minus, expr } => {
            let n = negated_number(expr)?;
            Some(n.strip_prefix('-').map_or_else(|| format!("-{n}"), str::to_string))
        }
        _ => None,
    }
}

/// Whether a name without parentheses is a call.
fn is_word_call(name: &str) -> bool {
    ["current_schema", "current_catalog", "current_role", "session_user", "user", "current_user"]
        .contains(&name)
}

impl Binder<'_> {
    /// Binds an expression. Nesting is bounded by the parser; the stack grows with it.
    pub(crate) fn expr(&mut self, e: &Ast) -> Result<Typed, SqlError> {
        guard::check_text()?;
        let bind =
            |b: &mut Self| stacker::maybe_grow(STACK_LEFT_BYTES, STACK_PIECE_BYTES, || b.bound_expr(e));
        let bound = if self.notes.is_some() { self.noted_expr(e, bind) } else { bind(self) };
        bound.map_err(|error| self.at_fault(error, e))
    }

    fn bound_expr(&mut self, e: &Ast) -> Result<Typed, SqlError> {
        match e {
            Ast::Identifier(i) => {
                let name = ident(i);
                if i.quote_style.is_none() && is_word_call(&name) {
                    let name =
                        if matches!(name.as_str(), "user" | "current_role") { "current_user" } else { &name };
                    return self.call(name, Vec::new());
                }
                if is_default(e) {
                    let why = "DEFAULT is not allowed in this context";
                    return Err(self.at(SqlError::new(SqlState::SYNTAX_ERROR, why), i.span.start));
                }
                let bound = self.column(None, &name, i.span.start)?;
                if bound.ty == Type::Record {
                    self.capture_qualifier(Qualifier::bare(&name), i.span)?;
                }
                Ok(bound)
            }
            Ast::CompoundIdentifier(parts) => self.compound(parts),
            Ast::Nested(inner) => self.expr(inner),
            Ast::Value(v) => {
                let bound = self.literal(&v.value, v.span.start)?;
                self.note_literal(&bound, v.span);
                Ok(bound)
            }
            Ast::BinaryOp { left, op, right } => self.binary(left, op, right),
            Ast::UnaryOp { op, expr } => self.unary(op, expr),
            // An operator that sqlparser does not know as a prefix one (`parse/dialect.rs`).
            Ast::Prefixed { prefix, value } => {
                let (schema, name) = match prefix.value.rsplit_once('.') {
                    Some((schema, name)) => (Some(schema), name),
                    None => (None, &*prefix.value),
                };
                if let Some(e) = self.catalog.missing_schema(schema, self.search_path) {
                    return Err(self.at(e, prefix.span.start));
                }
                let operand = self.expr(value)?;
                self.operator(name, None, operand)
            }
            Ast::IsNull(x) => self.is_null(x, false),
            Ast::IsNotNull(x) => self.is_null(x, true),
            Ast::IsJson { .. } => self.is_json(e),
            Ast::IsNormalized { expr, form, negated } => {
                let mut args = vec![self.expr(expr)?];
                args.extend(form.map(|f| Typed::new(Expr::Const(Datum::from(f.to_string())), Type::Text)));
                let is = self.call("is_normalized", args)?;
                Ok(if *negated { Typed::bool(Expr::Not(Box::new(is.expr))) } else { is })
            }
            Ast::IsTrue(x) => self.is_bool(x, true, false),
            Ast::IsNotTrue(x) => self.is_bool(x, true, true),
            Ast::IsFalse(x) => self.is_bool(x, false, false),
            Ast::IsNotFalse(x) => self.is_bool(x, false, true),
            Ast::IsUnknown(x) => self.is_unknown(x, false),
            Ast::IsNotUnknown(x) => self.is_unknown(x, true),
            Ast::IsDistinctFrom(a, b) => self.distinct_from(a, b, false),
            Ast::IsNotDistinctFrom(a, b) => self.distinct_from(a, b, true),
            Ast::InList { expr, list, negated } => self.in_list(expr, list, *negated),
            Ast::Between { expr, negated, low, high } => {
                let x = self.expr(expr)?;
                let symmetric = without_symmetric(low);
                let (low, high) = (self.expr(symmetric.as_ref().unwrap_or(low))?, self.expr(high)?);
                if symmetric.is_some() {
                    let within = self.between(&x, copy(&low)?, copy(&high)?, false)?;
                    let turned = self.between(&x, high, low, false)?;
                    let either = Expr::Or([within, turned].into());
                    return Ok(Typed::bool(if *negated { Expr::Not(Box::new(either)) } else { either }));
                }
                self.between(&x, low, high, *negated).map(Typed::bool)
            }
            Ast::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(if *negated { "!~~" } else { "~~" }, expr, pattern, escape_char.as_deref())
            }
            Ast::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(if *negated { "!~~*" } else { "~~*" }, expr, pattern, escape_char.as_deref())
            }
            Ast::Like { negated, any: true, expr, pattern, escape_char: None } => {
                self.quantified_op(expr, if *negated { "!~~" } else { "~~" }, pattern, true)
            }
            Ast::ILike { negated, any: true, expr, pattern, escape_char: None } => {
                self.quantified_op(expr, if *negated { "!~~*" } else { "~~*" }, pattern, true)
            }
            Ast::SimilarTo { negated, expr, pattern, escape_char } => {
                let x = self.expr(expr)?;
                let mut args = vec![self.expr(pattern)?];
                if let Some(escape) = escape_char {
                    args.push(self.expr(escape)?);
                }
                let pattern = self.call("similar_to_escape", args)?;
                self.operator(if *negated { "!~" } else { "~" }, Some(x), pattern)
            }
            Ast::Cast {
                kind: ast::CastKind::Cast | ast::CastKind::DoubleColon, expr, data_type: t, ..
            } => self.cast_to(expr, t),
            Ast::TypedString(t) => self.typed_literal(t),
            Ast::Interval(i) => self.interval(i),
            Ast::AtTimeZone { timestamp, time_zone } => {
                let mut args = if is_local(time_zone) { Vec::new() } else { vec![self.expr(time_zone)?] };
                args.push(self.expr(timestamp)?);
                self.spelled_call("timezone", args)
            }
            Ast::Extract { field, expr, .. } => {
                let field = Typed::new(
                    Expr::Const(Datum::text(field.to_string().to_lowercase().trim_matches(['\'', '"']))),
                    Type::Text,
                );
                let x = self.expr(expr)?;
                self.call("extract", vec![field, x])
            }
            Ast::Ceil { expr, field } => self.rounded("ceil", expr, field),
            Ast::Floor { expr, field } => self.rounded("floor", expr, field),
            Ast::Position { expr, r#in } => {
                let args = vec![self.expr(r#in)?, self.expr(expr)?];
                self.spelled_call("position", args)
            }
            Ast::Substring { expr, substring_from, substring_for, special, shorthand } => {
                let mut args = vec![self.expr(expr)?];
                match (substring_from, substring_for) {
                    (Some(f), None) => args.push(self.expr(f)?),
                    (from, Some(n)) => {
                        args.push(match from {
                            Some(f) => self.expr(f)?,
                            None => Typed::new(Expr::Const(Datum::Int4(1)), Type::Int4),
                        });
                        args.push(self.expr(n)?);
                    }
                    (None, None) => {}
                }
                match (shorthand, special, args.get(2).map(|a| a.ty)) {
                    (true, ..) => self.call("substr", args),
                    // What SIMILAR and ESCAPE stood before has commas, too.
                    (_, true, Some(Type::Text | Type::Unknown)) | (_, false, _) => {
                        self.spelled_call("substring", args)
                    }
                    _ => self.call("substring", args),
                }
            }
            Ast::Trim { expr, trim_where, trim_what, trim_characters } => {
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    _ => "btrim",
                };
                let mut args = vec![self.expr(expr)?];
                if let Some(w) = trim_what {
                    args.push(self.expr(w)?);
                }
                for c in trim_characters.iter().flatten() {
                    args.push(self.expr(c)?);
                }
                self.spelled_call(name, args)
            }
            Ast::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let mut args = vec![self.expr(expr)?, self.expr(overlay_what)?, self.expr(overlay_from)?];
                if let Some(n) = overlay_for {
                    args.push(self.expr(n)?);
                }
                self.spelled_call("overlay", args)
            }
            Ast::Collate { expr, collation } => self.collate(expr, collation),
            Ast::Function(f)
                if matches!(f.args, ast::FunctionArguments::Subquery(_))
                    && f.name.to_string().eq_ignore_ascii_case("array") =>
            {
                self.with_subquery(e)
            }
            Ast::Function(f) => match listed(e) {
                item if std::ptr::eq(item, e) => self.function(f),
                item => self.expr(item),
            },
            Ast::Case { operand, conditions, else_result, .. } => {
                self.without_sets("CASE", |b| b.case(operand.as_deref(), conditions, else_result.as_deref()))
            }
            Ast::Exists { .. }
            | Ast::Subquery(_)
            | Ast::InSubquery { .. }
            | Ast::AnyOp { .. }
            | Ast::AllOp { .. } => self.with_subquery(e),
            Ast::Tuple(items) => {
                limit_entries(items.len(), "ROW expressions")?;
                let items = self.row_values(items.iter())?;
                self.row(items)
            }
            Ast::Array(a) => self.array(&a.elem),
            Ast::CompoundFieldAccess { root, access_chain } => self.subscript(root, access_chain),
            // As a value, the row.
            Ast::QualifiedWildcard(name, _) => {
                let names = name.0.iter().filter_map(|p| p.as_ident().cloned());
                let parts: Vec<ast::Ident> = names.chain([ast::Ident::new("*")]).collect();
                self.compound(&parts)
            }
            other => Err(SqlError::unsupported(format!("expression is not supported: {other}"))),
        }
    }

    pub(super) fn literal(&mut self, v: &Value, at: Location) -> Result<Typed, SqlError> {
        Ok(match v {
            Value::Number(n, _) => number_literal(n, self.ctx.format)?,
            Value::SingleQuotedString(s)
            | Value::EscapedStringLiteral(s)
            | Value::UnicodeStringLiteral(s)
            | Value::NationalStringLiteral(s) => {
                if s.contains('\0') {
                    return Err(SqlError::new(
                        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
                        "invalid byte sequence for encoding \"UTF8\": 0x00",
                    ));
                }
                Typed::new(Expr::Const(Datum::text(s)), Type::Unknown)
            }
            Value::SingleQuotedByteStringLiteral(s) => bit_literal("b", s)?,
            Value::HexStringLiteral(s) => bit_literal("x", s)?,
            Value::DollarQuotedString(s) => Typed::new(Expr::Const(Datum::text(&s.value)), Type::Unknown),
            Value::Boolean(b) => Typed::bool(Expr::Const(Datum::Bool(*b))),
            Value::Null => Typed::new(Expr::null(), Type::Unknown),
            Value::Placeholder(p) => {
                let n = p
                    .strip_prefix('$')
                    .and_then(|n| n.parse::<usize>().ok())
                    .filter(|n| (1..=65535).contains(n));
                let Some(n) = n else {
                    let e =
                        SqlError::new(SqlState::UNDEFINED_PARAMETER, format!("there is no parameter {p}"));
                    return Err(self.at(e, at));
                };
                if self.params.len() < n {
                    self.params.resize(n, None);
                }
                self.note_param(n - 1, at);
                self.row_texts.retain(|at| *at != n - 1);
                match (self.params[n - 1], self.values.and_then(|v| v.get(n - 1))) {
                    (Some(ty), Some(value)) => Typed::new(Expr::Const(value.clone()), ty),
                    (ty, _) => Typed::new(Expr::Param(n - 1), ty.unwrap_or(Type::Unknown)),
                }
            }
            other => return Err(SqlError::unsupported(format!("literal is not supported: {other}"))),
        })
    }

    fn binary(&mut self, left: &Ast, op: &BinaryOperator, right: &Ast) -> Result<Typed, SqlError> {
        if let BinaryOperator::PGCustomBinaryOperator(parts) = op
            && let [.., schema, _] = &parts[..]
            && let Some(e) = self.catalog.missing_schema(Some(schema), self.search_path)
        {
            return Err(self.at_word(e, "operator", right));
        }
        match op {
            BinaryOperator::And | BinaryOperator::Or => {
                // A chain leans left: walk it without recursion.
                let (mut parts, mut at) = (vec![right], left);
                while let Ast::BinaryOp { left, op: o, right } = at
                    && o == op
                {
                    parts.push(right);
                    at = left;
                }
                parts.push(at);
                let and = *op == BinaryOperator::And;
                let bound = parts
                    .into_iter()
                    .rev()
                    .map(|p| self.condition(p, if and { "AND" } else { "OR" }))
                    .collect::<Result<Box<[Expr]>, _>>()?;
                return Ok(Typed::bool(if and { Expr::And(bound) } else { Expr::Or(bound) }));
            }
            BinaryOperator::Overlaps => return self.overlaps(left, right),
            _ => {}
        }
        let name = operator_name(op)
            .ok_or_else(|| SqlError::unsupported(format!("operator {op} is not supported")))?;
        if let (Some(l), Some(r)) = (row_items(left), row_items(right)) {
            return match CmpOp::from_name(&name) {
                Some(cmp) => self.compare_rows(cmp, &l, &r),
                None => self.rows_by_operator(&name, &l, &r),
            };
        }
        if let (Some(cmp), Some(_)) = (CmpOp::from_name(&name), row_items(left)) {
            let mut inner = right;
            while let Ast::Nested(n) = inner {
                inner = n;
            }
            if let Ast::Subquery(q) = inner {
                return self.compare_row_with_query(cmp, left, q);
            }
        }
        // The left spine of a chain of operators is bound without deep recursion of this function's large frame.
        let l = self.expr(left)?;
        let r = self.expr(right)?;
        if let (Some(op), true) = (CmpOp::from_name(&name), is_row(left) && is_row(right)) {
            return self.as_rows(op, l, r).map(Typed::bool);
        }
        self.operator(&name, Some(l), r)
    }

    fn unary(&mut self, op: &UnaryOperator, e: &Ast) -> Result<Typed, SqlError> {
        let name = match op {
            UnaryOperator::Not => {
                let c = self.condition(e, "NOT")?;
                return Ok(Typed::bool(Expr::Not(Box::new(c))));
            }
            UnaryOperator::Minus => {
                // -2147483648 and -9223372036854775808 are literals of the narrow types.
                if let Some(n) = negated_number(e) {
                    return number_literal(&n, self.ctx.format);
                }
                "-"
            }
            UnaryOperator::Plus => "+",
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::PGAbs => "@",
            UnaryOperator::PGSquareRoot => "|/",
            UnaryOperator::PGCubeRoot => "||/",
            other => return Err(SqlError::unsupported(format!("operator {other} is not supported"))),
        };
        let x = self.expr(e)?;
        self.operator(name, None, x)
    }

    /// Any operator on bound operands.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        left: Option<Typed>,
        right: Typed,
    ) -> Result<Typed, SqlError> {
        let left = match (CmpOp::from_name(name), left) {
            (Some(op), Some(l)) => return self.compare(op, l, right).map(Typed::bool),
            (_, l) => l,
        };
        let mut types: Vec<Type> = left.iter().map(|l| l.ty).collect();
        types.push(right.ty);
        if name == "#="
            && let (Some(row), true) = (&left, self.has_hstore())
            && matches!(right.ty, Type::Hstore | Type::Unknown)
        {
            return self.populated_record(vec![row.clone(), right]);
        }
        let resolved = resolve_operator(self.operators(name), &types)
            .map_err(|e| operator_error(name, left.as_ref().map(|l| l.ty), right.ty, e))?;
        self.check_extension(resolved.f, &types)?;
        let mut operands: Vec<Typed> = left.into_iter().collect();
        operands.push(right);
        self.check_input(resolved.f, &operands)?;
        if let Some(collation) = self.language_of_call(resolved.f, &operands)? {
            return self.call_by_collation(&resolved, operands, collation);
        }
        self.apply(resolved.f, &resolved.args, resolved.ret, operands)
    }

    /// A call that follows a collation. It is not folded: what constants give depends on the collation, too.
    fn call_by_collation(
        &mut self,
        resolved: &Resolved,
        args: Vec<Typed>,
        collation: Collation,
    ) -> Result<Typed, SqlError> {
        let args = args.into_iter().zip(resolved.args.iter().copied());
        let args = args.map(|(a, ty)| self.coerce(a, ty, -1, CastContext::Implicit));
        let args = args.collect::<Result<Box<[Expr]>, _>>()?;
        let of: Vec<(&Expr, Type)> = args.iter().zip(&resolved.args).map(|(e, ty)| (e, *ty)).collect();
        self.check_searches(resolved.f, &of)?;
        let call = Expr::Call(resolved.f, args);
        Ok(Typed::new(Expr::ByCollation(Box::new(call), collation), resolved.ret))
    }

    /// Calls a function with arguments converted to its types; folds it if everything is constant.
    pub(crate) fn apply(
        &mut self,
        f: &'static ScalarFn,
        types: &[Type],
        ret: Type,
        args: Vec<Typed>,
    ) -> Result<Typed, SqlError> {
        let mut exprs = Vec::with_capacity(args.len());
        let is_written = f.writes_values();
        for (n, (arg, ty)) in args.into_iter().zip(types).enumerate() {
            exprs.push(match ty {
                _ if is_written && is_named_by_type(arg.ty) => as_text(arg),
                _ if f.takes_any(n) && self.takes_any(&arg) => arg.expr,
                Type::Any if arg.ty == Type::Unknown => {
                    self.coerce(arg, Type::Text, -1, CastContext::Explicit)?
                }
                Type::Any => arg.expr,
                ty => self.coerce(arg, *ty, -1, CastContext::Explicit)?,
            });
        }
        let of: Vec<(&Expr, Type)> = exprs.iter().zip(types).map(|(e, ty)| (e, *ty)).collect();
        self.check_searches(f, &of)?;
        // What is to be written again stays as it is, but for a number's sign.
        let is_kept = self.notes.is_some() && !(f.name == "-" && exprs.len() == 1);
        // Whatever it does, it is not called then.
        if f.strict
            && !is_kept
            && exprs.iter().any(|e| matches!(e, Expr::Const(Datum::Null)))
            && !exprs.iter().any(|e| fold::fails(e, self.ctx))
        {
            return Ok(Typed::new(Expr::null(), ret));
        }
        if !is_kept
            && f.volatile == Volatility::Immutable
            && exprs.iter().all(|e| matches!(e, Expr::Const(_)))
        {
            let values: Vec<Datum> =
                exprs.iter().map(|e| if let Expr::Const(d) = e { d.clone() } else { Datum::Null }).collect();
            let value = if f.strict && values.iter().any(Datum::is_null) {
                Datum::Null
            } else {
                match (f.call)(&values, self.ctx) {
                    Ok(v) => v,
                    // The error belongs to the execution, if it comes to that (CASE may avoid it).
                    Err(_) => return Ok(Typed::new(Expr::Call(f, exprs.into()), ret)),
                }
            };
            return Ok(Typed::new(Expr::Const(value), ret));
        }
        Ok(Typed::new(Expr::Call(f, exprs.into()), ret))
    }

    pub(super) fn named_call(&mut self, name: &str, args: &[&Ast]) -> Result<Typed, SqlError> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
        self.call(name, args)
    }

    /// Calls a scalar function that was written in the grammar's spelling.
    fn spelled_call(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed, SqlError> {
        let t = self.call(name, args).map_err(|mut e| {
            if e.code == SqlState::UNDEFINED_FUNCTION {
                e.message = e.message.replacen("function ", "function pg_catalog.", 1);
            }
            e
        })?;
        let expr = match t.expr {
            Expr::Call(f, args) => Expr::Call(spelled(f), args),
            Expr::ByCollation(e, c) => match *e {
                Expr::Call(f, args) => Expr::ByCollation(Box::new(Expr::Call(spelled(f), args)), c),
                e => Expr::ByCollation(Box::new(e), c),
            },
            e => e,
        };
        Ok(Typed { expr, ..t })
    }

    /// Calls a scalar function by name.
    pub(crate) fn call(&mut self, name: &str, mut args: Vec<Typed>) -> Result<Typed, SqlError> {
        // JDBC's driver declares what it wants back as a parameter of type void.
        args.retain(|a| a.ty != Type::Void || !matches!(a.expr, Expr::Param(_) | Expr::Const(Datum::Null)));
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        if let ("pg_typeof", [ty]) = (name, &types[..])
            && (*ty != Type::Unknown || matches!(args[0].expr, Expr::Const(_)))
        {
            // Several types share a representation, so values do not tell.
            let relation = self.record_known(args[0].typmod).and_then(|known| known.1);
            let oid = match (relation, ty) {
                (Some(relation), Type::Record) => row_type_of(relation),
                (Some(relation), Type::RecordArray) => row_type_of(relation) + 1,
                _ => self.domain_of_value(&args[0].expr).unwrap_or_else(|| ty.oid()),
            };
            let of_type = Expr::Const(Datum::Oid(oid));
            let Some(arg) = args.pop().filter(|a| a.expr.any(|e| matches!(e, Expr::Set(_)))) else {
                return Ok(Typed::new(of_type, Type::Regtype));
            };
            // There are as many rows as there are values.
            let branches = vec![(Expr::IsNull(Box::new(arg.expr), false), of_type.clone())];
            let case = Case { operand: None, branches, otherwise: of_type };
            return Ok(Typed::new(Expr::Case(Box::new(case)), Type::Regtype));
        }
        // They take all that has a text.
        if let ("quote_literal" | "quote_nullable", [ty]) = (name, &types[..])
            && ty.is_array()
            && let Some(arg) = args.pop()
        {
            let text = self.coerce(arg, Type::Text, -1, CastContext::Explicit)?;
            return self.call(name, vec![Typed::new(text, Type::Text)]);
        }
        // The name of a type is that of the cast to it: of a text without a type always, of others where no function of the name fits.
        let to = Type::from_name(name).filter(|to| !to.is_array());
        if let ([Type::Unknown], Some(to)) = (&types[..], to) {
            return self.cast_by_name(name, args, to);
        }
        let resolved = match evenkeel_types::resolve(lookup_functions(name), &types) {
            Ok(resolved) => resolved,
            Err(e) => {
                let is_row = matches!(types[..], [Type::Record | Type::Composite(_)]);
                let known = args.first().and_then(|a| self.record_known(a.typmod)?.1).filter(|_| is_row);
                let row = known.and_then(|of| self.catalog.row_type_name(row_type_of(of), self.search_path));
                if let ([from], Some(to)) = (&types[..], to)
                    && !(is_row && to.category() == b'S')
                    && can_cast(*from, to).is_some()
                    && let Some(arg) = args.into_iter().next()
                {
                    return Ok(Typed::new(self.coerce(arg, to, -1, CastContext::Explicit)?, to));
                }
                let lacking = evenkeel_types::extension_lacking(name);
                if let Some(extension) = lacking.filter(|x| self.has_extension(x)) {
                    let why = format!("function {name}() of extension {extension} is not supported");
                    return Err(SqlError::unsupported(why));
                }
                let mut error = evenkeel_types::function_error(name, &types, e);
                if let Some(row) = row {
                    error.message = error.message.replacen("(record)", &format!("({row})"), 1);
                }
                return Err(error);
            }
        };
        self.check_extension(resolved.f, &types)?;
        // A superuser may call them all.
        if self.role.is_some() {
            self.needs.functions.insert(resolved.f.name);
        }
        self.check_input(resolved.f, &args)?;
        if let Some(collation) = self.language_of_call(resolved.f, &args)? {
            return self.call_by_collation(&resolved, args, collation);
        }
        self.apply(resolved.f, &resolved.args, resolved.ret, args)
    }

    fn is_null(&mut self, e: &Ast, negated: bool) -> Result<Typed, SqlError> {
        let x = self.expr(e)?;
        let expr = if x.ty == Type::Unknown && !self.takes_any(&x) {
            self.coerce(x, Type::Text, -1, CastContext::Implicit)?
        } else {
            x.expr
        };
        Ok(Typed::bool(Expr::IsNull(Box::new(expr), negated)))
    }

    fn is_bool(&mut self, e: &Ast, value: bool, negated: bool) -> Result<Typed, SqlError> {
        let place = match (value, negated) {
            (true, false) => "IS TRUE",
            (true, true) => "IS NOT TRUE",
            (false, false) => "IS FALSE",
            (false, true) => "IS NOT FALSE",
        };
        let x = self.condition(e, place)?;
        Ok(Typed::bool(Expr::IsBool(Box::new(x), value, negated)))
    }

    fn is_unknown(&mut self, e: &Ast, negated: bool) -> Result<Typed, SqlError> {
        self.condition(e, if negated { "IS NOT UNKNOWN" } else { "IS UNKNOWN" })?;
        self.is_null(e, negated)
    }

    fn like(&mut self, op: &str, e: &Ast, pattern: &Ast, escape: Option<&Ast>) -> Result<Typed, SqlError> {
        // The parser takes ALL (…) for a call.
        if let (Ast::Function(f), None) = (pattern, escape)
            && let [ast::ObjectNamePart::Identifier(name)] = &f.name.0[..]
            && name.quote_style.is_none()
            && name.value.eq_ignore_ascii_case("all")
            && let Some(list) = only_argument(f)
        {
            return self.quantified_op(e, op, list, false);
        }
        let x = self.expr(e)?;
        let mut p = self.expr(pattern)?;
        if let Some(escape) = escape {
            let escape = self.expr(escape)?;
            p = self.call("like_escape", vec![p, escape])?;
        }
        self.operator(op, Some(x), p)
    }

    fn cast_to(&mut self, e: &Ast, t: &ast::DataType) -> Result<Typed, SqlError> {
        let NamedType { ty, typmod, domain } = self.data_type(t)?;
        // An empty or untyped array takes the cast's type; in parentheses, too, as it is written where it is kept, one that has no other type or would lose labels by their numbers.
        let mut bare = e;
        while let Ast::Nested(inner) = bare {
            bare = inner;
        }
        let of_labels = matches!(ty.element(), Some(Type::Enum(_)));
        let is_untyped = |a: &ast::Array| a.elem.is_empty() || of_labels && a.elem.iter().all(is_string);
        let e = if matches!(bare, Ast::Array(a) if is_untyped(a)) { bare } else { e };
        if let (Ast::Array(a), Some(element)) = (e, ty.element()) {
            let mut expr = self.array_of(&a.elem, (ty, element), typmod)?;
            if ty.is_vector()
                && let Some(array) = element.array_of()
            {
                // Its subscripts begin at 0, so that it equals those of the catalogs.
                expr = self.coerce(Typed::new(expr, array), ty, typmod, CastContext::Explicit)?;
            }
            let expr = self.cast_value(expr, domain)?;
            return Ok(Typed { expr, ty, typmod });
        }
        let x = self.expr(e)?;
        self.check_param_cast(&x, ty)?;
        self.note_param_domain(&x, domain);
        let expr = self.coerce(x, ty, typmod, CastContext::Explicit)?;
        let expr = self.cast_value(expr, domain)?;
        Ok(Typed { expr, ty, typmod })
    }

    /// Brings values to one type.
    pub(crate) fn unify(
        &mut self,
        items: Vec<Typed>,
        place: &str,
    ) -> Result<(Vec<Expr>, Type, i32), SqlError> {
        let items = self.rows_of_one_type(items)?;
        let types: Vec<Type> = items.iter().map(|i| i.ty).collect();
        let ty = common_type(&types).map_err(|two| self.no_common_type(&items, place, two))?;
        let ty = if ty == Type::Unknown { Type::Text } else { ty };
        let typmod = match items.first() {
            Some(first) if items.iter().all(|i| i.ty == ty && i.typmod == first.typmod) => first.typmod,
            // NULL is of any record's type.
            _ if ty == Type::Record => {
                let mut records = items.iter().filter(|i| i.ty == ty).map(|i| i.typmod);
                records.next().filter(|first| records.all(|m| m == *first)).unwrap_or(-1)
            }
            _ => -1,
        };
        let mut exprs = Vec::with_capacity(items.len());
        for i in items {
            exprs.push(self.coerce(i, ty, -1, CastContext::Implicit)?);
        }
        Ok((exprs, ty, typmod))
    }

    fn case(
        &mut self,
        operand: Option<&Ast>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&Ast>,
    ) -> Result<Typed, SqlError> {
        let mut operand = operand.map(|o| self.expr(o)).transpose()?;
        if let Some(o) = operand.take_if(|o| o.ty == Type::Unknown) {
            operand = Some(Typed::new(self.coerce(o, Type::Text, -1, CastContext::Implicit)?, Type::Text));
        }
        let is_written = self.notes.is_some();
        let once = operand.as_mut().filter(|o| is_computed_once(o, is_written));
        let once = once.map(|o| std::mem::replace(&mut o.expr, Expr::Operand(o.ty)));
        let (mut tests, mut results) = (Vec::new(), Vec::new());
        for when in conditions {
            tests.push(match &operand {
                Some(o) => {
                    let value = self.expr(&when.condition)?;
                    self.compare(CmpOp::Eq, copy(o)?, value)?
                }
                None => self.condition(&when.condition, "CASE/WHEN")?,
            });
            results.push(self.expr(&when.result)?);
        }
        results.push(match otherwise {
            Some(e) => self.expr(e)?,
            None => Typed::new(Expr::null(), Type::Unknown),
        });
        // As to PostgreSQL: of several types that would do, that of ELSE comes first.
        results.rotate_right(1);
        let types: Vec<Type> = results.iter().map(|r| r.ty).collect();
        let (mut exprs, ty, typmod) = self.unify(results, "CASE").map_err(|e| {
            let without_else = usize::from(otherwise.is_none());
            let written = otherwise.into_iter().chain(conditions.iter().map(|c| &c.result));
            self.at_unlike(e, &types[without_else..], written)
        })?;
        let otherwise = exprs.remove(0);
        let case = Case { operand: once, branches: tests.into_iter().zip(exprs).collect(), otherwise };
        Ok(Typed { expr: Expr::Case(Box::new(case)), ty, typmod })
    }

    /// ARRAY[…] of a type that a cast tells: arrays in it are of the same type, and others its elements.
    fn array_of(
        &mut self,
        items: &[Ast],
        (ty, element): (Type, Type),
        typmod: i32,
    ) -> Result<Expr, SqlError> {
        let mut found = Vec::with_capacity(items.len());
        let mut nested = false;
        for i in items {
            let x = match i {
                Ast::Array(a) => Typed { expr: self.array_of(&a.elem, (ty, element), typmod)?, ty, typmod },
                other => self.expr(other)?,
            };
            nested |= x.ty.element().is_some();
            found.push(x);
        }
        let each = if nested { ty } else { element };
        let found = found.into_iter().map(|x| self.coerce(x, each, typmod, CastContext::Explicit));
        Ok(Expr::Array(each, found.collect::<Result<_, _>>()?))
    }

    fn array(&mut self, items: &[Ast]) -> Result<Typed, SqlError> {
        if items.is_empty() {
            return Err(SqlError::new(
                SqlState::INDETERMINATE_DATATYPE,
                "cannot determine type of empty array",
            )
            .with_hint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."));
        }
        let bound = items.iter().map(|i| self.expr(i)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<Type> = bound.iter().map(|i| i.ty).collect();
        let (exprs, ty, typmod) = self.unify(bound, "ARRAY").map_err(|e| self.at_unlike(e, &types, items))?;
        let (element, array) = match ty.element() {
            Some(_) => (ty, ty),
            None => (
                ty,
                ty.array_of().ok_or_else(|| {
                    SqlError::new(
                        SqlState::UNDEFINED_OBJECT,
                        format!("could not find array type for data type {}", ty.sql_name()),
                    )
                })?,
            ),
        };
        let typmod = self.of_elements((ty, typmod), array);
        Ok(Typed { expr: Expr::Array(element, exprs.into()), ty: array, typmod })
    }
}

/// Whether it is a string without a type of its own, or NULL.
fn is_string(e: &Ast) -> bool {
    matches!(e, Ast::Value(v) if matches!(v.value, Value::SingleQuotedString(_) | Value::Null))
}

pub(super) fn one_column() -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "subquery must return only one column")
}

/// `B'101'` and `X'1F'`.
fn bit_literal(prefix: &str, digits: &str) -> Result<Typed, SqlError> {
    Ok(Typed::new(Expr::Const(evenkeel_types::bits::parse(&format!("{prefix}{digits}"))?), Type::Bit))
}

/// Integers are of the narrowest type that holds them, as in PostgreSQL; everything else is numeric.
fn number_literal(n: &str, format: &evenkeel_types::FormatOptions) -> Result<Typed, SqlError> {
    if let Ok(v) = n.parse::<i64>() {
        return Ok(match i32::try_from(v) {
            Ok(v) => Typed::new(Expr::Const(Datum::Int4(v)), Type::Int4),
            Err(_) => Typed::new(Expr::Const(Datum::Int8(v)), Type::Int8),
        });
    }
    // Digits of another base, too.
    Ok(Typed::new(Expr::Const(evenkeel_types::input_text(n, Type::Numeric, -1, format)?), Type::Numeric))
}

/// Whether it is written as a row, be it with stars in it.
fn is_row(e: &Ast) -> bool {
    match e {
        Ast::Tuple(_) => true,
        Ast::Function(f) => match &f.name.0[..] {
            [ast::ObjectNamePart::Identifier(i)] => {
                i.quote_style.is_none() && i.value.eq_ignore_ascii_case("row")
            }
            _ => false,
        },
        _ => false,
    }
}

/// The parts of `(a, b)` and `ROW(a, b)`.
pub(super) fn row_items(e: &Ast) -> Option<Vec<&Ast>> {
    match e {
        Ast::Tuple(items) => Some(items.iter().collect()),
        Ast::Function(f) => match (&f.name.0[..], &f.args) {
            ([ast::ObjectNamePart::Identifier(i)], ast::FunctionArguments::List(list))
                if i.quote_style.is_none() && i.value.eq_ignore_ascii_case("row") =>
            {
                super::func::plain_args(&list.args).ok()
            }
            _ => None,
        },
        _ => None,
    }
}

/// The one argument of a call that has nothing else.
fn only_argument(f: &ast::Function) -> Option<&Ast> {
    match &f.args {
        ast::FunctionArguments::List(l) if l.clauses.is_empty() => match &l.args[..] {
            [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(e))] => Some(e),
            _ => None,
        },
        _ => None,
    }
}
