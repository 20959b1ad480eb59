//! What indexes compute: their expressions and predicates, as the catalog has them and as CREATE INDEX gives them.
//!
//! Invariants:
//! 1. What an index computes depends on the row alone: no function or conversion that reads a setting, the time or a table.
//!
//! Must not know: how entries are written.

use super::surface::Surface;
use super::{Binder, Typed};
use crate::catalog::{Index, Table};
use crate::parse::parse_expression;
use crate::plan::explain::sql_text;
use crate::plan::expr::{Cast, CmpOp, Expr};
use crate::plan::form::{Forms, IndexForm};
use crate::plan::implied::follows;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Collation, Datum, FormatOptions, Type, Volatility};
use std::sync::Arc;

/// An expression or a predicate of CREATE INDEX.
pub struct IndexPart {
    /// Its type.
    pub ty: Type,
    /// As it is kept.
    pub text: String,
    /// The columns that it reads, in the order of the table.
    pub reads: Vec<usize>,
    /// The collation of its values.
    pub collation: Collation,
}

/// Whether an expression gives the same in every session, at any time.
pub(super) fn is_immutable(e: &Expr) -> bool {
    !e.any(|e| match e {
        Expr::Call(f, _) | Expr::AnyCall(f, ..) => f.volatile != Volatility::Immutable,
        Expr::Cast(c) => !is_immutable_cast(c),
        Expr::NullIf(_, Some((_, Type::Timestamptz))) => true,
        Expr::JsonQuery(q) => q.depends_on_settings(),
        _ => false,
    })
}

fn is_immutable_cast(c: &Cast) -> bool {
    use Type as T;
    let is_moment = |t: Type| matches!(t, T::Date | T::Timestamp | T::Timestamptz);
    let is_time = |t: Type| is_moment(t) || matches!(t, T::Time | T::Timetz);
    let by_name = |t: Type| t.is_reg() || t.element().is_some() || t.user_oid().is_some();
    let is_text = |t: Type| t.category() == b'S';
    if c.depends_on_settings() && c.from != c.to {
        return false;
    }
    if (c.from, c.to) == (T::Time, T::Timetz) {
        return false;
    }
    // Times of day look the same in every style.
    let shows = is_text(c.to) && (is_moment(c.from) || c.from == T::Interval || by_name(c.from));
    let reads = is_text(c.from) && (is_time(c.to) || c.to == T::Interval || by_name(c.to));
    !shows && !reads
}

/// The same condition, where there are several forms of one.
fn normal(e: Expr) -> Expr {
    e.map(&mut |e| match e {
        Expr::InList(x, list, false) => {
            Expr::AnyArray(CmpOp::Eq, Box::new((*x, constant_array(&list))), true)
        }
        Expr::Array(_, list) => constant_array(&list),
        other => other,
    })
}

/// An array of constants as a constant of its own type.
fn constant_array(list: &[Expr]) -> Expr {
    let constant = |e: &Expr| match e {
        Expr::Const(d) => Some(d.clone()),
        _ => None,
    };
    let ty = list.iter().filter_map(constant).find(|d| !d.is_null()).map_or(Type::Text, |d| d.natural_type());
    match list.iter().map(constant).collect() {
        Some(values) => Expr::Const(Datum::array(ty, values)),
        None => Expr::Array(ty, list.into()),
    }
}

impl Binder<'_> {
    /// What a table's indexes compute.
    pub(crate) fn forms(&mut self, table: &Arc<Table>) -> Result<Forms, SqlError> {
        if table.indexes.iter().all(|i| i.is_plain()) {
            return Ok(Forms::default());
        }
        if let Some(known) = self.forms.get(&table.oid) {
            return Ok(known.clone());
        }
        self.uncaptured(|b| b.new_forms(table))
    }

    fn new_forms(&mut self, table: &Arc<Table>) -> Result<Forms, SqlError> {
        let mut forms = Vec::with_capacity(table.indexes.len());
        for index in &table.indexes {
            let mut form = IndexForm::default();
            let mut expressions = Vec::with_capacity(index.extra.expressions.len());
            for e in &index.extra.expressions {
                let t = self.stored_in(&e.text, Some(table), "index expressions")?;
                expressions.push(self.coerce(t, e.ty, -1, CastContext::Implicit)?);
            }
            form.expressions = expressions.into();
            if let Some(text) = &index.extra.predicate {
                let t = self.stored_in(text, Some(table), "index predicates")?;
                form.predicate = Some(self.coerce(t, Type::Bool, -1, CastContext::Implicit)?);
            }
            forms.push(form);
        }
        let forms: Forms = forms.into();
        self.forms.insert(table.oid, forms.clone());
        Ok(forms)
    }

    /// The collation of an expression over a table's row.
    fn collation_over_row(&mut self, e: &Expr, ty: Type, table: &Arc<Table>) -> Result<Collation, SqlError> {
        let was = std::mem::replace(&mut self.is_stored, true);
        let found = self.nested(|b| {
            b.add_target(table, &table.name, &mut Vec::new())?;
            b.output_collation(e, ty)
        });
        self.is_stored = was;
        found.map(|(collation, _)| collation)
    }

    /// Binds an expression (or, if `is_predicate`, the WHERE) of CREATE INDEX.
    pub fn index_part(
        &mut self,
        text: &str,
        table: &Arc<Table>,
        is_predicate: bool,
    ) -> Result<IndexPart, SqlError> {
        let (place, one) = match is_predicate {
            true => ("index predicates", "index predicate"),
            false => ("index expressions", "index expression"),
        };
        // A virtual column is to be seen as what it is: no index may read it.
        let was = std::mem::replace(&mut self.is_generation, true);
        let t = self.stored_in(text, Some(table), place);
        self.is_generation = was;
        let t = t?;
        let ty = t.ty;
        if t.expr.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported(format!("cannot use subquery in {one}")));
        }
        if t.expr.any(|e| matches!(e, Expr::Param(_))) {
            return Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, "there is no parameter $1"));
        }
        if is_predicate && ty != Type::Bool && ty != Type::Unknown {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("argument of WHERE must be type boolean, not type {}", ty.sql_name()),
            ));
        }
        let ty = match (is_predicate, ty) {
            (true, _) => Type::Bool,
            (false, Type::Unknown) => Type::Text,
            (false, ty) => ty,
        };
        let expr = self.coerce(t, ty, -1, CastContext::Implicit)?;
        if !is_immutable(&expr) {
            let what = format!("functions in {one} must be marked IMMUTABLE");
            return Err(SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, what));
        }
        let collation = self.collation_over_row(&expr, ty, table)?;
        let mut reads = Vec::new();
        expr.columns(&mut reads);
        reads.sort_unstable();
        reads.dedup();
        let names: Vec<String> = table.columns.iter().map(|c| evenkeel_types::quote_ident(&c.name)).collect();
        // As PostgreSQL prints it, if that says the same; otherwise as it was written.
        // By no session's settings: it is read under others.
        let shown = sql_text(&expr, &names, &FormatOptions::default());
        let same = self.stored_in(&shown, Some(table), place).ok().is_some_and(|t| {
            self.coerce(t, ty, -1, CastContext::Implicit)
                .is_ok_and(|again| normal(again) == normal(expr.clone()))
        });
        let text = match same {
            true => shown,
            false => {
                // Types, and values of enums, by their numbers.
                let text = written(text)?;
                self.begin_capture();
                let again = self.stored_in(&text, Some(table), place);
                let kept = self.kept(&text);
                again?;
                self.unqualified(&kept, table)?
            }
        };
        Ok(IndexPart { ty, text, reads, collation })
    }
}

/// What ON CONFLICT says of an index.
#[derive(Default)]
pub(super) struct Inference {
    /// Columns of the table.
    pub columns: Vec<usize>,
    /// Expressions over its row.
    expressions: Vec<Expr>,
    /// WHERE: what a partial index's predicate must follow from.
    conditions: Vec<Expr>,
    /// COLLATE of columns and expressions.
    collations: Vec<(Expr, u32)>,
}

impl Binder<'_> {
    /// Binds `ON CONFLICT (items) WHERE condition`.
    pub(super) fn inference(
        &mut self,
        items: &[String],
        condition: Option<&str>,
        surface: &Surface,
        alias: &str,
    ) -> Result<Inference, SqlError> {
        let mut wanted = Inference::default();
        for text in items {
            let t = self.stored_over(text, surface, alias, "ON CONFLICT clauses")?;
            let t = match t.expr {
                Expr::Collate(e, c) => {
                    wanted.collations.push(((*e).clone(), c.oid));
                    Typed { expr: *e, ..t }
                }
                expr => Typed { expr, ..t },
            };
            match t.expr {
                Expr::Column(c) => wanted.columns.push(c),
                _ if t.ty == Type::Unknown => {
                    wanted.expressions.push(self.coerce(t, Type::Text, -1, CastContext::Implicit)?);
                }
                e => wanted.expressions.push(e),
            }
        }
        if let Some(text) = condition {
            let t = self.stored_over(text, surface, alias, "WHERE")?;
            // From what is no condition nothing follows.
            if matches!(t.ty, Type::Bool | Type::Unknown) {
                self.coerce(t, Type::Bool, -1, CastContext::Implicit)?.split_and(&mut wanted.conditions);
            }
        }
        Ok(wanted)
    }

    /// The unique indexes that ON CONFLICT means, by their places; None: there is none. At least one is valid. Those that are being filled, or about to go, count too if their
    /// entries are written: REINDEX CONCURRENTLY exchanges two while statements are under way that know either of them, and a duplicate is met in the one that comes first.
    pub(super) fn inferred(
        &mut self,
        mut wanted: Inference,
        table: &Arc<Table>,
    ) -> Result<Option<Vec<usize>>, SqlError> {
        let forms = self.forms(table)?;
        wanted.columns.sort_unstable();
        wanted.columns.dedup();
        let fits = |n: &usize| {
            let (index, form) = (&table.indexes[*n], forms.get(*n));
            let mut own: Vec<usize> = index.key_columns().collect();
            own.sort_unstable();
            own.dedup();
            let expressions = form.map_or(&[][..], |f| &f.expressions);
            index.is_declared_unique()
                && index.takes_entries()
                && own == wanted.columns
                && wanted.expressions.iter().all(|e| expressions.contains(e))
                && expressions.iter().all(|e| wanted.expressions.contains(e))
                && form.and_then(|f| f.predicate.as_ref()).is_none_or(|p| follows(p, &wanted.conditions))
                && wanted.collations.iter().all(|(e, oid)| has_collated(index, table, expressions, e, *oid))
        };
        let found: Vec<usize> = (0..table.indexes.len()).filter(fits).collect();
        Ok(found.iter().any(|n| table.indexes[*n].is_valid()).then_some(found))
    }
}

/// Whether an index has a column or an expression in a collation.
fn has_collated(index: &Index, table: &Table, expressions: &[Expr], e: &Expr, collation: u32) -> bool {
    let is_it = |n: usize| match (e, index.expression_at(n)) {
        (Expr::Column(c), None) => index.columns[n].column == *c,
        (e, Some(own)) => expressions.get(own) == Some(e),
        _ => false,
    };
    (0..index.columns.len()).any(|n| is_it(n) && index.collation_oid(table, n) == collation)
}

/// An expression as it was written, in one form of spaces, without parentheses around it all.
fn written(text: &str) -> Result<String, SqlError> {
    let parsed = parse_expression(text)?;
    let mut e: &sqlparser::ast::Expr = &parsed;
    while let sqlparser::ast::Expr::Nested(inner) = e {
        e = inner;
    }
    use sqlparser::ast::Expr as E;
    let is_closed = matches!(
        e,
        E::Identifier(_) | E::Function(_) | E::Value(_) | E::Cast { .. } | E::Case { .. } | E::Extract { .. }
    );
    Ok(if is_closed { e.to_string() } else { format!("({e})") })
}

/// An index is told by its columns alone, not by their order.
pub(super) fn refuse_order(items: &[String]) -> Result<(), SqlError> {
    for item in items {
        let item = item.to_ascii_lowercase();
        let ends = |words: &[&str]| words.iter().any(|w| item.ends_with(w));
        let what = match () {
            () if ends(&[" nulls first", " nulls last"]) => "NULLS FIRST/LAST",
            () if ends(&[" asc", " desc"]) => "ASC/DESC",
            () => continue,
        };
        let why = format!("{what} is not allowed in ON CONFLICT clause");
        return Err(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why));
    }
    Ok(())
}
