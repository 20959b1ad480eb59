//! Rows as values: their fields, and rows that become those of a composite type.
//!
//! Must not know: how rows are stored.

use super::dml::{is_default, may_update};
use super::expr::is_star;
use super::func::row_name;
use super::generated::where_true;
use super::qualifier::Qualifier;
use super::select::ends_with_star;
use super::surface::{Surface, Verb};
use super::{Binder, ColInfo, RelInfo, Typed, ident, limit_entries};
use crate::catalog::row_type_of;
use crate::parse::subscript_text;
use crate::plan::expr::Expr;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::{COMPOSITE_ROW, PART_ASSIGN};
use evenkeel_types::user::{Attribute, Attributes};
use evenkeel_types::{CastContext, Datum, MAX_DIMS, RecordDatum, Type, lookup_functions};
use sqlparser::ast::{self, AccessExpr, Expr as Ast, Subscript};
use sqlparser::tokenizer::Location;
use std::sync::Arc;

impl Binder<'_> {
    /// Rows that are written out beside an operator that compares nothing: it would be one of their fields.
    pub(super) fn rows_by_operator(&mut self, name: &str, l: &[&Ast], r: &[&Ast]) -> Result<Typed, SqlError> {
        let (Some(a), Some(b)) = (l.first(), r.first()) else {
            return Err(SqlError::unsupported("cannot compare rows of zero length"));
        };
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let made = self.operator(name, Some(a), b)?;
        if made.ty != Type::Bool {
            let why =
                format!("row comparison operator must yield type boolean, not type {}", made.ty.sql_name());
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        if l.len() == 1 && r.len() == 1 {
            return Ok(made);
        }
        let why = format!("could not determine interpretation of row comparison operator {name}");
        Err(SqlError::unsupported(why)
            .with_hint("Row comparison operators must be associated with btree operator families."))
    }

    /// A field of a row, `(x).name`, or what a function of that name makes of it.
    pub(super) fn field(&mut self, root: &Ast, t: Typed, name: &str) -> Result<Typed, SqlError> {
        let of = if lookup_functions(name).is_empty() { None } else { Some(t.clone()) };
        match (self.own_field(root, t, name), of) {
            (Err(e), Some(of)) => self.called_on(of, name).map_err(|_| e),
            (field, _) => field,
        }
    }

    /// A function's value of one argument that stands before its name.
    pub(super) fn called_on(&mut self, t: Typed, name: &str) -> Result<Typed, SqlError> {
        let arg = if super::named::names_fields(name) { self.with_names(t) } else { t };
        self.call(name, vec![arg])
    }

    /// A field of a row.
    pub(super) fn own_field(&mut self, root: &Ast, t: Typed, name: &str) -> Result<Typed, SqlError> {
        let t = self.as_it_is(root, t);
        let parts = parts(&t.expr);
        let whole = parts.and_then(|(types, _)| self.relation_row(root, types.len()));
        if let (Some(names), Some((types, values))) = (&whole, parts)
            && let Some(n) = names.iter().position(|c| c.0 == *name)
        {
            return Ok(Typed { expr: values[n].clone(), ty: types[n], typmod: names[n].1 });
        }
        let missing = |why: String| Err(SqlError::new(SqlState::UNDEFINED_COLUMN, why));
        match self.fields(&t)? {
            Some(fields) => match fields.iter().position(|f| f.name == name) {
                Some(n) => Ok(Typed {
                    expr: Expr::field(t.expr, n, name),
                    ty: fields[n].ty,
                    typmod: fields[n].typmod,
                }),
                None if t.ty == Type::Record => {
                    missing(format!("could not identify column \"{name}\" in record data type"))
                }
                None => missing(format!("column \"{name}\" not found in data type {}", t.ty.sql_name())),
            },
            None if t.ty == Type::Record => {
                missing(format!("could not identify column \"{name}\" in record data type"))
            }
            None => {
                let ty = t.ty.sql_name();
                let why =
                    format!("column notation .{name} applied to type {ty}, which is not a composite type");
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why))
            }
        }
    }

    /// All fields of a row: `(x).*`.
    pub(super) fn all_fields(&mut self, root: &Ast, t: Typed) -> Result<Vec<(String, Typed)>, SqlError> {
        let t = self.as_it_is(root, t);
        let names = parts(&t.expr).and_then(|(types, _)| self.relation_row(root, types.len()));
        let known = if names.is_some() || matches!(t.expr, Expr::Row(..)) { parts(&t.expr) } else { None };
        if let Some((types, values)) = known {
            let name = |n: usize| match &names {
                Some(names) => (names[n].0.clone(), names[n].1),
                None => (format!("f{}", n + 1), -1),
            };
            let field = |(n, (expr, ty)): (usize, (&Expr, &Type))| {
                let (name, typmod) = name(n);
                (name, Typed { expr: expr.clone(), ty: *ty, typmod })
            };
            return Ok(values.iter().zip(types.iter()).enumerate().map(field).collect());
        }
        let Some(fields) = self.fields(&t)? else {
            return Err(match t.ty {
                Type::Record => {
                    SqlError::new(SqlState::WRONG_OBJECT_TYPE, "record type has not been registered")
                }
                ty => SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("type {} is not composite", ty.sql_name()),
                ),
            });
        };
        let field = |(n, f): (usize, &Attribute)| {
            let expr = Expr::field(t.expr.clone(), n, &f.name);
            (f.name.clone(), Typed { expr, ty: f.ty, typmod: f.typmod })
        };
        Ok(fields.iter().enumerate().map(field).collect())
    }

    /// Names and modifiers of the columns of the relation whose row an expression is.
    fn relation_row(&self, e: &Ast, columns: usize) -> Option<Vec<(String, i32)>> {
        let (_, found) = self.row_relation(e)?;
        (found.columns.len() == columns)
            .then(|| found.columns.iter().map(|c| (c.name.clone(), c.typmod)).collect())
    }

    /// The relation whose row an expression is by its name, and its level.
    fn row_relation(&self, mut e: &Ast) -> Option<(usize, &RelInfo)> {
        while let Ast::Nested(inner) = e {
            e = inner;
        }
        let name = row_name(e)?;
        let mut levels = self.frames.iter().enumerate().rev();
        levels.find_map(|(n, f)| Some((n, f.rels.iter().find(|r| r.alias == name)?)))
    }

    /// The row of which fields are read: of a version that RETURNING names they are those of the row as it is, `(old).a` is `a`, in PostgreSQL 18.
    fn as_it_is(&mut self, root: &Ast, t: Typed) -> Typed {
        let Some((depth, named)) = self.row_relation(root) else { return t };
        // All columns of a version, `old.*`, are its own.
        if named.version.is_none() || t.ty != Type::Record || matches!(root, Ast::CompoundIdentifier(_)) {
            return t;
        }
        let Some(target) = self.frames[depth].rels.first().cloned() else { return t };
        let types = target.columns.iter().map(|c| c.ty).collect();
        let values = target.columns.into_iter().map(|c| self.outer_reference(depth, c.expr)).collect();
        Typed { expr: Expr::Row(types, values), ..t }
    }

    /// The fields of a row, as far as that is known before it is computed.
    pub(super) fn fields(&mut self, t: &Typed) -> Result<Option<Attributes>, SqlError> {
        if let Type::Composite(oid) = t.ty {
            return self.attributes(oid).map(Some);
        }
        if t.ty == Type::Record
            && let Some((known, _)) = self.record_known(t.typmod)
        {
            return Ok(Some(known.clone()));
        }
        let field = |(name, ty): (String, Type)| Attribute { name, ty, typmod: -1, domain: None };
        Ok(match &t.expr {
            Expr::Set(n) => {
                let record = self.frame()?.set_calls.get(*n).and_then(|c| c.record.clone());
                record.map(|(names, types)| {
                    names.iter().cloned().zip(types.iter().copied()).map(field).collect()
                })
            }
            Expr::Row(types, _) => {
                let named = types.iter().enumerate().map(|(n, ty)| (format!("f{}", n + 1), *ty));
                Some(named.map(field).collect())
            }
            _ => None,
        })
    }

    /// The modifier of the type of records with these fields, by which whoever reads them as a column knows them again; `of`: the table or view whose rows they are.
    pub(super) fn record_of(&mut self, fields: Attributes, of: Option<u32>) -> i32 {
        let record = (fields, of);
        let known = self.records.iter().position(|r| *r == record);
        let n = known.unwrap_or_else(|| {
            self.records.push(record);
            self.records.len() - 1
        });
        i32::try_from(n).unwrap_or(-1)
    }

    /// The fields of records whose type has a modifier, and the table or view whose rows they are.
    pub(super) fn record_known(&self, typmod: i32) -> Option<&(Attributes, Option<u32>)> {
        usize::try_from(typmod).ok().and_then(|n| self.records.get(n))
    }

    /// The fields of a table's rows whose type has a modifier: PostgreSQL knows them by the table's own type.
    pub(super) fn table_row(&self, typmod: i32) -> Option<&Attributes> {
        self.record_known(typmod).filter(|known| known.1.is_some()).map(|known| &known.0)
    }

    /// The modifier of what is computed of a value, such as an array of it or an element: rows of a table stay that.
    pub(super) fn kept_record(&self, (from, typmod): (Type, i32), to: Type) -> i32 {
        let is_record = |ty| matches!(ty, Type::Record | Type::RecordArray);
        if is_record(from) && is_record(to) && self.table_row(typmod).is_some() { typmod } else { -1 }
    }

    /// The modifier of an array made of values, or of an element of an array: it is the same.
    pub(super) fn of_elements(&self, (from, typmod): (Type, i32), to: Type) -> i32 {
        let is_record = |ty| matches!(ty, Type::Record | Type::RecordArray);
        if is_record(from) || is_record(to) { self.kept_record((from, typmod), to) } else { typmod }
    }

    /// Rows of a table beside values of its own type, all as that.
    pub(super) fn rows_of_one_type(&mut self, mut items: Vec<Typed>) -> Result<Vec<Typed>, SqlError> {
        let of = |i: &Typed| if let Type::Composite(oid) = i.ty { Some(oid) } else { None };
        let Some(oid) = items.iter().find_map(of) else { return Ok(items) };
        for i in &mut items {
            if i.ty == Type::Record && self.is_row_of(i.typmod, oid)? {
                let row = match &i.expr {
                    Expr::Row(types, values) => {
                        self.composite(types, values.clone(), oid, CastContext::Implicit)?
                    }
                    // A row that may be missing.
                    Expr::Case(c) => match &c.branches[..] {
                        [(is_there, Expr::Row(types, values))] => where_true(
                            is_there.clone(),
                            self.composite(types, values.clone(), oid, CastContext::Implicit)?,
                        ),
                        _ => row_as(i.expr.clone(), oid),
                    },
                    e => row_as(e.clone(), oid),
                };
                *i = Typed::new(row, Type::Composite(oid));
            }
        }
        Ok(items)
    }

    /// Whether records whose type has a modifier are rows of the table or view whose type is the composite one of an OID.
    pub(super) fn is_row_of(&self, typmod: i32, oid: u32) -> Result<bool, SqlError> {
        let Some(fields) = self.table_row(typmod) else { return Ok(false) };
        let attributes = self.attributes(oid)?;
        let is_alike = |(f, a): (&Attribute, &Attribute)| f.name == a.name && f.ty == a.ty;
        Ok(fields.len() == attributes.len() && fields.iter().zip(attributes.iter()).all(is_alike))
    }

    /// The name of the type of a table's row.
    pub(super) fn row_of_table(&self, t: &Typed) -> Option<String> {
        let (_, of) = self.record_known(t.typmod).filter(|_| t.ty == Type::Record)?;
        self.catalog.row_type_name(row_type_of((*of)?), self.search_path)
    }

    /// Values of two types have none that both are.
    pub(super) fn no_common_type(&self, items: &[Typed], place: &str, (a, b): (Type, Type)) -> SqlError {
        let told = |ty: Type| {
            let row = items.iter().find(|i| i.ty == ty).and_then(|i| self.row_of_table(i));
            row.map_or((ty.category(), ty.sql_name()), |n| (b'C', n.into()))
        };
        let ((of_common, common), (of_other, other)) = (told(a), told(b));
        if of_common != of_other {
            let why = format!("{place} types {common} and {other} cannot be matched");
            return SqlError::new(SqlState::DATATYPE_MISMATCH, why);
        }
        // They are of a kind, and yet there is no way from the one to the other.
        let place = match place {
            "CASE" if items.first().is_some_and(|i| i.ty == b) => "CASE/ELSE",
            "CASE" => "CASE/WHEN",
            place => place,
        };
        SqlError::new(SqlState::CANNOT_COERCE, format!("{place} could not convert type {other} to {common}"))
    }

    /// A value with the modifier of its type, if it is a record whose fields are known.
    pub(super) fn known_record(&mut self, mut t: Typed) -> Result<Typed, SqlError> {
        if t.ty == Type::Record
            && t.typmod < 0
            && let Some(fields) = self.fields(&t)?
        {
            let known = |a: &Attribute| match a.ty {
                Type::Unknown => Attribute { ty: Type::Text, ..a.clone() },
                _ => a.clone(),
            };
            t.typmod = self.record_of(fields.iter().map(known).collect(), None);
        }
        Ok(t)
    }

    pub(super) fn attributes(&self, oid: u32) -> Result<Attributes, SqlError> {
        let found = self.catalog.user_type(oid).and_then(|t| t.attributes.clone());
        found.ok_or_else(|| {
            SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type with OID {oid} does not exist"))
        })
    }

    /// ROW(…) as a row of a composite type.
    pub(super) fn composite(
        &mut self,
        types: &[Type],
        values: Box<[Expr]>,
        oid: u32,
        context: CastContext,
    ) -> Result<Expr, SqlError> {
        let attributes = self.attributes(oid)?;
        let refused = |detail: String| {
            let why = format!("cannot cast type record to {}", Type::Composite(oid).sql_name());
            SqlError::new(SqlState::CANNOT_COERCE, why).with_detail(detail)
        };
        if values.len() != attributes.len() {
            let how = if values.len() < attributes.len() { "few" } else { "many" };
            return Err(refused(format!("Input has too {how} columns.")));
        }
        let mut fields = Vec::with_capacity(values.len());
        for (n, (value, a)) in values.into_vec().into_iter().zip(attributes.iter()).enumerate() {
            let mut from = types[n];
            if let Expr::Param(at) = value
                && let Some(said) = self.row_texts.iter().position(|t| *t == at)
            {
                self.row_texts.remove(said);
                self.params[at] = None;
                from = Type::Unknown;
            }
            let value = Typed::new(value, from);
            fields.push(self.coerce(value, a.ty, a.typmod, context).map_err(|e| match e.code {
                SqlState::CANNOT_COERCE => {
                    let (from, to) = (from.sql_name(), a.ty.sql_name());
                    refused(format!("Cannot cast type {from} to {to} in column {}.", n + 1))
                }
                _ => e,
            })?);
        }
        let types: Vec<Type> = attributes.iter().map(|a| a.ty).collect();
        // Constants are one constant, but for who writes the expression again.
        if self.notes.is_none() {
            let constant = |e: &Expr| if let Expr::Const(d) = e { Some(d.clone()) } else { None };
            if let Some(values) = fields.iter().map(constant).collect::<Option<Vec<Datum>>>() {
                let row = RecordDatum { types, values, names: None, of: oid };
                return Ok(Expr::Const(Datum::Record(Arc::new(row))));
            }
        }
        Ok(row_as(Expr::Row(types.into(), fields.into()), oid))
    }

    /// The values of ROW(…): `a.*` and `(x).*` in it are several.
    pub(super) fn row_values<'e>(
        &mut self,
        list: impl Iterator<Item = &'e Ast>,
    ) -> Result<Vec<Typed>, SqlError> {
        let mut items = Vec::new();
        for e in list {
            let (root, t) = match e {
                Ast::CompoundIdentifier(parts) if parts.last().is_some_and(is_star) => (e, self.expr(e)?),
                Ast::CompoundFieldAccess { root, access_chain } if ends_with_star(access_chain) => {
                    let chain = &access_chain[..access_chain.len() - 1];
                    (&**root, if chain.is_empty() { self.expr(root)? } else { self.subscript(root, chain)? })
                }
                e => {
                    items.push(self.expr(e)?);
                    continue;
                }
            };
            items.extend(self.all_fields(root, t)?.into_iter().map(|(_, t)| t));
            limit_entries(items.len(), "ROW expressions")?;
        }
        Ok(items)
    }

    /// ROW(…): what is written without a type keeps none, for the composite type that it may become; a parameter is a text until then.
    pub(super) fn row(&mut self, items: Vec<Typed>) -> Result<Typed, SqlError> {
        let (mut types, mut exprs) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
        for i in items {
            let is_literal = i.ty == Type::Unknown && matches!(i.expr, Expr::Const(_));
            if let (Type::Unknown, Expr::Param(n)) = (i.ty, &i.expr) {
                self.row_texts.push(*n);
            }
            let ty = if i.ty == Type::Unknown && !is_literal { Type::Text } else { i.ty };
            exprs.push(if is_literal { i.expr } else { self.coerce(i, ty, -1, CastContext::Implicit)? });
            types.push(ty);
        }
        Ok(Typed::new(Expr::Row(types.into(), exprs.into()), Type::Record))
    }
}

/// A row of a table as one of its own type, whose fields it has.
pub(super) fn row_as(row: Expr, oid: u32) -> Expr {
    Expr::Call(&COMPOSITE_ROW, [row, Expr::Const(Datum::Oid(oid))].into())
}

/// The types and values of a row that is written out, be it of a version that may be missing: these are NULL then.
pub(super) fn parts(e: &Expr) -> Option<(&[Type], &[Expr])> {
    match e {
        Expr::Row(types, values) => Some((types, values)),
        Expr::Case(c) => match &c.branches[..] {
            [(Expr::IsNull(_, true) | Expr::Or(_), Expr::Row(types, values))]
                if c.otherwise == Expr::null() =>
            {
                Some((types, values))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether an item of a row stands for all fields of another one.
pub(super) fn is_all_fields(e: &Ast) -> bool {
    match e {
        Ast::CompoundIdentifier(parts) => parts.last().is_some_and(is_star),
        Ast::CompoundFieldAccess { access_chain, .. } => ends_with_star(access_chain),
        _ => false,
    }
}

/// A row whose type is not known may be of a composite type: that it is not is another error than a wrong type.
pub(super) fn is_row_as_another(from: Type, to: Type) -> bool {
    from == Type::Record && matches!(to, Type::Composite(_))
}

/// Whether a row that is written as one may become one of a composite type.
pub(super) fn may_become(t: &Typed, to: Type) -> bool {
    matches!((to, &t.expr), (Type::Composite(_), Expr::Row(..))) && t.ty == Type::Record
}

/// Names of the columns that are assigned to within a row: `a.b.c` is field c of field b of column a.
pub(super) fn path(name: &ast::ObjectName) -> Vec<String> {
    name.0.iter().filter_map(|p| p.as_ident()).map(ident).collect()
}

impl Binder<'_> {
    /// SET column.field = value: the row as it is, but for that field. Of several assignments to one column each goes on from what the last made.
    pub(super) fn assign_field(
        &mut self,
        surface: &Surface,
        verb: Verb,
        (column, path): (&str, &[String]),
        value: &Ast,
        set: &mut Vec<(usize, Expr)>,
    ) -> Result<(usize, usize), SqlError> {
        let is_element = path.first().is_some_and(|p| subscript_text(p).is_some());
        let hint = "SET target columns cannot be qualified with the relation name.";
        let own = surface.find_column(column).map_err(|e| if is_element { e } else { e.with_hint(hint) })?;
        surface.base(own, verb)?;
        if is_default(value) {
            let what = if is_element { "an array element" } else { "a subfield" };
            return Err(SqlError::unsupported(format!("cannot set {what} to DEFAULT")));
        }
        let value = self.expr(value)?;
        self.assign_part(surface, verb, (column, path), value, set)
    }

    /// The same of a value that is there.
    pub(super) fn assign_part(
        &mut self,
        surface: &Surface,
        verb: Verb,
        (column, path): (&str, &[String]),
        value: Typed,
        set: &mut Vec<(usize, Expr)>,
    ) -> Result<(usize, usize), SqlError> {
        let own = surface.find_column(column)?;
        let base = surface.base(own, verb)?;
        let c = &surface.table.columns[base];
        let (ty, typmod, domain) = (c.ty, c.typmod, c.domain);
        let before = match set.iter().position(|(c, _)| *c == base) {
            Some(n) => set.remove(n).1,
            None => {
                let target = self.frame()?.rels.first();
                let found = target.and_then(|r| r.columns.iter().find(|c| c.name == column).cloned());
                let found = found.ok_or_else(|| SqlError::internal("the target's column"))?;
                self.reads(std::slice::from_ref(&found));
                found.expr
            }
        };
        set.push((base, self.with_part(before, (ty, typmod, domain), column, path, value)?));
        may_update(&surface.table, base)?;
        Ok((own, base))
    }

    /// A value in which a part is another; the value is computed once.
    pub(super) fn with_part(
        &mut self,
        before: Expr,
        (ty, typmod, domain): (Type, i32, Option<u32>),
        column: &str,
        path: &[String],
        value: Typed,
    ) -> Result<Expr, SqlError> {
        let mut steps = Vec::new();
        // Subscripts are read from their texts.
        let part = self.unshown(|b| b.part((ty, typmod), column, path, value, &mut steps))?;
        let own = [part, Expr::Const(Datum::Int4(steps.len() as i32))].into_iter().chain(steps);
        // What the last assignment made of the column is no value of it yet.
        let before = match before {
            Expr::Domain(d) if matches!(&d.expr, Expr::Call(f, _) if std::ptr::eq(*f, &PART_ASSIGN)) => {
                d.expr
            }
            before => before,
        };
        let args: Vec<Expr> = match before {
            // One more of the same column.
            Expr::Call(f, args) if std::ptr::eq(f, &PART_ASSIGN) => {
                args.into_vec().into_iter().chain(own).collect()
            }
            before => [before].into_iter().chain(own).collect(),
        };
        let made = Expr::Call(&PART_ASSIGN, args.into());
        match domain {
            Some(domain) => self.domain_value(made, domain),
            // The part that is assigned is checked already, what it is within is not.
            None if path.len() > 1 => self.value_of(made, ty),
            None => Ok(made),
        }
    }

    /// The way to a part of a column of a type, as [`PART_ASSIGN`] has it, and what the part becomes.
    fn part(
        &mut self,
        (ty, typmod): (Type, i32),
        column: &str,
        path: &[String],
        value: Typed,
        steps: &mut Vec<Expr>,
    ) -> Result<Expr, SqlError> {
        let [name, deeper @ ..] = path else {
            return self.coerce(value, ty, typmod, CastContext::Assignment);
        };
        if subscript_text(name).is_some() {
            return self.element_part((ty, typmod), column, path, value, steps);
        }
        let cannot = |code, why: String| {
            Err(SqlError::new(
                code,
                format!("cannot assign to field \"{name}\" of column \"{column}\" because {why}"),
            ))
        };
        let Type::Composite(oid) = ty else {
            let why = format!("its type {} is not a composite type", ty.sql_name());
            return cannot(SqlState::DATATYPE_MISMATCH, why);
        };
        let attributes = self.attributes(oid)?;
        let Some(at) = attributes.iter().position(|a| a.name == *name) else {
            let why = format!("there is no such column in data type {}", ty.sql_name());
            return cannot(SqlState::UNDEFINED_COLUMN, why);
        };
        let types: Vec<Type> = attributes.iter().map(|a| a.ty).collect();
        let values = vec![Datum::Null; types.len()];
        let empty = RecordDatum { types, values, names: None, of: oid };
        steps.push(Expr::Const(Datum::Record(Arc::new(empty))));
        steps.push(Expr::Const(Datum::Int4(at as i32)));
        let a = &attributes[at];
        match deeper {
            [] => self.assigned_field(value, a),
            deeper => self.part((a.ty, a.typmod), name, deeper, value, steps),
        }
    }

    /// The same from a subscript on: SET column[1] = value.
    fn element_part(
        &mut self,
        (ty, typmod): (Type, i32),
        column: &str,
        path: &[String],
        value: Typed,
        steps: &mut Vec<Expr>,
    ) -> Result<Expr, SqlError> {
        let texts: Vec<&str> = path.iter().map_while(|p| subscript_text(p)).collect();
        let deeper = &path[texts.len()..];
        let subscripts = texts.iter().map(|text| subscript(text)).collect::<Result<Vec<_>, _>>()?;
        if ty == Type::Jsonb {
            return self.json_part(column, &subscripts, deeper, value, steps);
        }
        if ty == Type::Hstore {
            steps.push(self.hstore_key(&subscripts)?);
            return match deeper {
                [] => self.assigned_element(value, (Type::Text, -1), column),
                deeper => self.part((Type::Text, -1), column, deeper, value, steps),
            };
        }
        let Some(element) = ty.element().filter(|_| !ty.is_vector()) else {
            let ty = ty.sql_name();
            let why = format!("cannot subscript type {ty} because it does not support subscripting");
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        };
        if subscripts.len() > MAX_DIMS {
            let n = subscripts.len();
            let why = format!("number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})");
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        steps.push(Expr::Const(Datum::Oid(element.oid())));
        if subscripts.iter().any(|s| !matches!(s, AccessExpr::Subscript(Subscript::Index { .. }))) {
            self.slice_bounds(&subscripts, steps)?;
            return match deeper {
                [] => self.assigned_element(value, (ty, typmod), column),
                deeper => self.part((ty, typmod), column, deeper, value, steps),
            };
        }
        let mut places = Vec::with_capacity(texts.len());
        for subscript in &subscripts {
            let AccessExpr::Subscript(Subscript::Index { index }) = subscript else { continue };
            places.push(self.place(index)?);
        }
        steps.push(Expr::Array(Type::Int4, places.into()));
        match deeper {
            [] => self.assigned_element(value, (element, typmod), column),
            deeper => self.part((element, typmod), column, deeper, value, steps),
        }
    }

    /// SET column[1:2][3] = value: a subscript among slices is the upper bound of one from 1 on.
    fn slice_bounds(&mut self, subscripts: &[AccessExpr], steps: &mut Vec<Expr>) -> Result<(), SqlError> {
        let (mut lower, mut upper, mut given) = (Vec::new(), Vec::new(), 0);
        for (n, subscript) in subscripts.iter().enumerate() {
            let (low, high) = match subscript {
                AccessExpr::Subscript(Subscript::Index { index }) => {
                    (Some(Expr::Const(Datum::Int4(1))), Some(self.place(index)?))
                }
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride: None }) => {
                    let low = lower_bound.as_ref().map(|b| self.place(b)).transpose()?;
                    (low, upper_bound.as_ref().map(|b| self.place(b)).transpose()?)
                }
                _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in a subscript")),
            };
            given |= i32::from(low.is_some()) << (2 * n) | i32::from(high.is_some()) << (2 * n + 1);
            lower.push(low.unwrap_or_else(Expr::null));
            upper.push(high.unwrap_or_else(Expr::null));
        }
        steps.push(Expr::Array(Type::Int4, lower.into()));
        steps.push(Expr::Array(Type::Int4, upper.into()));
        steps.push(Expr::Const(Datum::Int4(given)));
        Ok(())
    }

    /// SET column['a'][1] = value, of a `jsonb`.
    fn json_part(
        &mut self,
        column: &str,
        subscripts: &[AccessExpr],
        deeper: &[String],
        value: Typed,
        steps: &mut Vec<Expr>,
    ) -> Result<Expr, SqlError> {
        if let Some(name) = deeper.first() {
            let why = format!(
                "cannot assign to field \"{name}\" of column \"{column}\" because its type jsonb is not a composite type"
            );
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
        }
        let path = self.json_steps(subscripts)?;
        let is_array = path.first().is_some_and(|(_, ty)| *ty == Type::Int4);
        steps.push(Expr::Const(Datum::Bool(is_array)));
        steps.push(Expr::Array(Type::Text, path.into_iter().map(|(e, _)| e).collect()));
        self.assigned_element(value, (Type::Jsonb, -1), column)
    }

    fn assigned_element(
        &mut self,
        value: Typed,
        (ty, typmod): (Type, i32),
        column: &str,
    ) -> Result<Expr, SqlError> {
        let from = value.ty;
        self.coerce(value, ty, typmod, CastContext::Assignment).map_err(|e| match e.code {
            SqlState::CANNOT_COERCE if !is_row_as_another(from, ty) => SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "subscripted assignment to \"{column}\" requires type {} but expression is of type {}",
                    ty.sql_name(),
                    from.sql_name()
                ),
            )
            .with_hint("You will need to rewrite or cast the expression."),
            _ => e,
        })
    }

    fn assigned_field(&mut self, value: Typed, a: &Attribute) -> Result<Expr, SqlError> {
        let from = value.ty;
        self.note_param_domain(&value, a.domain);
        let made = self.coerce(value, a.ty, a.typmod, CastContext::Assignment).map_err(|e| match e.code {
            SqlState::CANNOT_COERCE if !is_row_as_another(from, a.ty) => SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "subfield \"{}\" is of type {} but expression is of type {}",
                    a.name,
                    a.ty.sql_name(),
                    from.sql_name()
                ),
            )
            .with_hint("You will need to rewrite or cast the expression."),
            _ => e,
        })?;
        self.named_value(made, a.domain)
    }
}

/// A subscript as the parser reads it.
fn subscript(text: &str) -> Result<AccessExpr, SqlError> {
    match &*crate::parse::parse_expression(&format!("x{text}"))? {
        Ast::CompoundFieldAccess { access_chain, .. } if access_chain.len() == 1 => {
            Ok(access_chain[0].clone())
        }
        _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in a subscript")),
    }
}

impl Binder<'_> {
    /// The whole row of a relation.
    pub(super) fn row_of(&mut self, depth: usize, rel: RelInfo) -> Typed {
        let RelInfo { columns, version, row_id, may_lack, rows_of, .. } = rel;
        self.reads(&columns);
        let types = columns.iter().map(|c| c.ty).collect();
        let field =
            |c: &ColInfo| Attribute { name: c.name.clone(), ty: c.ty, typmod: c.typmod, domain: None };
        let of_table = columns.first().map(|c| c.table_oid).filter(|_| row_id.is_some() || version.is_some());
        let typmod = self.record_of(columns.iter().map(field).collect(), rows_of.or(of_table));
        let values: Box<[Expr]> = columns.into_iter().map(|c| self.outer_reference(depth, c.expr)).collect();
        let id = version.or(row_id.filter(|_| may_lack));
        if id.is_none() && may_lack && !values.is_empty() {
            // What has no ids: a row that is there and of nothing but NULLs is taken for one that is not.
            let there = values.iter().map(|v| Expr::IsNull(Box::new(v.clone()), true)).collect();
            let expr = where_true(Expr::Or(there), Expr::Row(types, values));
            return Typed { expr, ty: Type::Record, typmod };
        }
        let expr = self.of_version(depth, id, Expr::Row(types, values));
        Typed { expr, ty: Type::Record, typmod }
    }

    /// The row of a relation by its name: `a.*` as a value.
    pub(crate) fn whole_row(&mut self, of: Qualifier<'_>, at: Location) -> Result<Typed, SqlError> {
        match self.relation_meant(of, at)?.map(|(n, r)| (n, r.clone())) {
            Some((depth, rel)) => {
                self.note_row(at);
                Ok(self.row_of(depth, rel))
            }
            None => Err(self.at(self.no_alias(of.name), at)),
        }
    }
}
