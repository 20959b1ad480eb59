//! Elements and slices of arrays, parts of JSON: `x[1][2]`, `x[1:2]`, `x['a']`.
//!
//! Must not know: assignments.

use super::{Binder, Typed, ident};
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum, MAX_DIMS, Type};
use sqlparser::ast::{self, AccessExpr, Expr as Ast, Subscript};

/// Whether a subscript or a field can be taken of something only if there are parentheses around it.
fn needs_parentheses(root: &Ast) -> bool {
    match root {
        Ast::Value(v) => !matches!(v.value, ast::Value::Placeholder(_)),
        Ast::Cast { kind, .. } => *kind == ast::CastKind::Cast,
        Ast::Function(_) | Ast::Case { .. } | Ast::Array(_) | Ast::TypedString(_) | Ast::Interval(_) => true,
        Ast::Extract { .. } | Ast::Substring { .. } | Ast::Trim { .. } | Ast::Overlay { .. } => true,
        Ast::Position { .. } | Ast::Exists { .. } | Ast::Ceil { .. } | Ast::Floor { .. } => true,
        _ => false,
    }
}

impl Binder<'_> {
    pub(super) fn subscript(&mut self, root: &Ast, chain: &[AccessExpr]) -> Result<Typed, SqlError> {
        if needs_parentheses(root) {
            return Err(self.at_access(&chain[0]));
        }
        // a.b[1] may arrive as root a with accesses .b and [1].
        let dots = chain.iter().take_while(|a| matches!(a, AccessExpr::Dot(Ast::Identifier(_)))).count();
        let name_parts = match root {
            Ast::Identifier(i) => Some(vec![i.clone()]),
            Ast::CompoundIdentifier(p) => Some(p.clone()),
            _ => None,
        };
        let (mut t, mut rest) = match name_parts {
            Some(mut parts) if dots > 0 => {
                for a in &chain[..dots] {
                    if let AccessExpr::Dot(Ast::Identifier(i)) = a {
                        parts.push(i.clone());
                    }
                }
                (self.compound(&parts)?, &chain[dots..])
            }
            _ => (self.expr(root)?, chain),
        };
        while let Some(first) = rest.first() {
            if let AccessExpr::Dot(Ast::Identifier(i)) = first {
                t = self.field(root, t, &ident(i))?;
                rest = &rest[1..];
                continue;
            }
            let count = rest.iter().take_while(|a| matches!(a, AccessExpr::Subscript(_))).count();
            if count == 0 {
                return Err(SqlError::unsupported("field selection is not supported"));
            }
            t = self.subscripts(t, &rest[..count])?;
            rest = &rest[count..];
        }
        Ok(t)
    }

    /// A place in an array.
    pub(super) fn place(&mut self, index: &Ast) -> Result<Expr, SqlError> {
        let place = self.expr(index)?;
        self.coerce(place, Type::Int4, -1, CastContext::Assignment).map_err(|e| match e.code {
            SqlState::CANNOT_COERCE => {
                SqlError::new(SqlState::DATATYPE_MISMATCH, "array subscript must have type integer")
            }
            _ => e,
        })
    }

    /// `x[1][2]`, `x[1:2]`.
    fn subscripts(&mut self, mut t: Typed, chain: &[AccessExpr]) -> Result<Typed, SqlError> {
        if t.ty == Type::Jsonb {
            return self.json_subscript(t, chain);
        }
        if t.ty == Type::Hstore {
            let key = self.hstore_key(chain)?;
            return self.operator("->", Some(t), Typed::new(key, Type::Text));
        }
        // PostgreSQL's names are arrays of "char" too, counted from 0; pg_dump looks at the first.
        if let (Type::Name, [AccessExpr::Subscript(Subscript::Index { index })]) = (t.ty, chain) {
            let at = self.expr(index)?;
            let at = self.coerce(at, Type::Int4, -1, CastContext::Assignment)?;
            let one = || Typed::new(Expr::Const(Datum::Int4(1)), Type::Int4);
            let place = self.operator("+", Some(Typed::new(at, Type::Int4)), one())?;
            let text = Typed::new(self.coerce(t, Type::Text, -1, CastContext::Explicit)?, Type::Text);
            let letter = self.call("substr", vec![text, place, one()])?;
            return Ok(Typed::new(self.coerce(letter, Type::Char, -1, CastContext::Explicit)?, Type::Char));
        }
        let Some(element) = t.ty.element() else {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("cannot subscript type {} because it does not support subscripting", t.ty.sql_name()),
            ));
        };
        if chain.len() > MAX_DIMS {
            let n = chain.len();
            let why = format!("number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})");
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        let (mut bounds, mut is_slice) = (Vec::new(), false);
        for a in chain {
            match a {
                AccessExpr::Subscript(Subscript::Index { index }) => {
                    bounds.push((None, Some(self.place(index)?)))
                }
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride: None }) => {
                    let low = lower_bound.as_ref().map(|b| self.place(b)).transpose()?;
                    bounds.push((low, upper_bound.as_ref().map(|b| self.place(b)).transpose()?));
                    is_slice = true;
                }
                _ => return Err(SqlError::unsupported("field selection is not supported")),
            }
        }
        if bounds.is_empty() {
            return Ok(t);
        }
        if is_slice {
            // An index among slices is an upper bound; the lower one is 1 then.
            let indexes = chain.iter().map(|a| matches!(a, AccessExpr::Subscript(Subscript::Index { .. })));
            for (b, _) in bounds.iter_mut().zip(indexes).filter(|(_, is_index)| *is_index) {
                b.0 = Some(Expr::Const(Datum::Int4(1)));
            }
            t.expr = Expr::Slice(Box::new(t.expr), bounds.into());
            return Ok(t);
        }
        let indexes = bounds.into_iter().filter_map(|b| b.1).collect();
        let typmod = self.of_elements((t.ty, t.typmod), element);
        Ok(Typed { expr: Expr::Subscript(Box::new(t.expr), indexes), ty: element, typmod })
    }
}

impl Binder<'_> {
    /// `j['a'][1]`: a path into a `jsonb`.
    fn json_subscript(&mut self, t: Typed, chain: &[AccessExpr]) -> Result<Typed, SqlError> {
        let steps = self.json_steps(chain)?;
        if steps.is_empty() {
            return Ok(t);
        }
        let steps = steps.into_iter().map(|(e, _)| e).collect();
        let path = Typed::new(Expr::Array(Type::Text, steps), Type::TextArray);
        self.operator("#>", Some(t), path)
    }

    /// The one subscript of an `hstore`.
    pub(super) fn hstore_key(&mut self, chain: &[AccessExpr]) -> Result<Expr, SqlError> {
        let [AccessExpr::Subscript(Subscript::Index { index })] = chain else {
            return Err(SqlError::unsupported("hstore allows only one subscript"));
        };
        let key = self.expr(index)?;
        self.coerce(key, Type::Text, -1, CastContext::Assignment).map_err(|e| match e.code {
            SqlState::CANNOT_COERCE => {
                SqlError::new(SqlState::DATATYPE_MISMATCH, "hstore subscript must have type text")
            }
            _ => e,
        })
    }

    /// The subscripts of a `jsonb` as texts, and whether each is a number or a text.
    pub(super) fn json_steps(&mut self, chain: &[AccessExpr]) -> Result<Vec<(Expr, Type)>, SqlError> {
        let mut steps = Vec::new();
        for a in chain {
            let AccessExpr::Subscript(Subscript::Index { index }) = a else {
                let e = SqlError::new(SqlState::DATATYPE_MISMATCH, "jsonb subscript does not support slices");
                return Err(e);
            };
            let step = self.expr(index)?;
            let known = match step.ty {
                Type::Int2 | Type::Int4 | Type::Int8 => Type::Int4,
                Type::Text | Type::Varchar | Type::Bpchar | Type::Name | Type::Unknown => Type::Text,
                other => {
                    let why = format!("subscript type {} is not supported", other.sql_name());
                    return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why)
                        .with_hint("jsonb subscript must be coercible to either integer or text."));
                }
            };
            let step = self.coerce(step, known, -1, CastContext::Assignment)?;
            let step = Typed::new(step, known);
            steps.push((self.coerce(step, Type::Text, -1, CastContext::Assignment)?, known));
        }
        Ok(steps)
    }
}
