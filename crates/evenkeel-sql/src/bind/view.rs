//! Views in FROM, and what a query that is to be kept reads.
//!
//! A view's query is bound where the view stands, as a subquery would be; the planner takes it apart like any other.
//!
//! Invariants:
//! 1. A stored query sees nothing of the statement that reads it: no relation, no name of a WITH clause, no parameter.
//! 2. What it reads is read by the view's owner, unless the view says otherwise.
//!
//! Must not know: how views are made.

use super::place::{Literal, Shown};
use super::qualifier::Qualifier;
use super::types::{named_type, place_of};
use super::{Binder, ColInfo, Hint, split_name};
use crate::catalog::collation::collation_text;
use crate::catalog::{
    Catalog, NamedType, READ_MARK, Read, Relation, StoredQuery, View, domain_itself, is_domain_array,
};
use crate::parse::view::{edited, parse_query};
use crate::plan::Column;
use crate::plan::bound::BoundQuery;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{ArrayDatum, Collation, Datum, FormatOptions, Type, input_text, quote_ident, to_text};
use sqlparser::ast::{self, ObjectName, ObjectNamePart};
use sqlparser::tokenizer::{Location, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Views within views.
const MAX_VIEW_DEPTH: usize = 200;

/// What becomes of the text of a query that is to be kept, gathered while it is bound.
#[derive(Default)]
pub(crate) struct Capture {
    /// The constraints whose keys it relies on.
    keys: BTreeSet<u32>,
    reads: Vec<Read>,
    edits: Vec<(Span, String)>,
    /// Of a query, its text: names that are made up are not in it.
    text: String,
    /// The names that are made up, by where their relations are named.
    aliases: Vec<(Location, String)>,
}

/// The columns of a relation that a query may name: position, name.
fn columns_of(relation: &Relation) -> Vec<(usize, String)> {
    match relation {
        Relation::Table(t) => t.live_columns().map(|(n, c)| (n, c.name.clone())).collect(),
        Relation::View(v) => v.columns.iter().enumerate().map(|(n, c)| (n, c.name.clone())).collect(),
        Relation::Virtual(v) => v.columns.iter().enumerate().map(|(n, c)| (n, c.0.to_owned())).collect(),
        Relation::Sequence(_) | Relation::Index(..) => Vec::new(),
    }
}

fn is_known(at: Location) -> bool {
    at.line != 0
}

/// Where a name stands.
fn span_of(name: &ObjectName) -> Option<Span> {
    let of = |p: &ObjectNamePart| match p {
        ObjectNamePart::Identifier(i) => Some(i.span),
        ObjectNamePart::Function(_) => None,
    };
    let (first, last) = (name.0.first().and_then(of)?, name.0.last().and_then(of)?);
    is_known(first.start).then_some(Span { start: first.start, end: last.end })
}

impl Binder<'_> {
    /// A relation in FROM, and, in a stored query, what that knows of it.
    pub(super) fn read_relation(&mut self, name: &ObjectName) -> Result<(Relation, Option<Read>), SqlError> {
        if let Some(stored) = &self.stored
            && let (Some(schema), number) = split_name(name)?
            && schema == READ_MARK
        {
            let read = number.parse::<usize>().ok().and_then(|n| stored.reads.get(n)).cloned();
            let read =
                read.ok_or_else(|| SqlError::internal("a stored query reads what it does not list"))?;
            let relation = self.catalog.relation(read.oid).ok_or_else(|| {
                SqlError::new(
                    SqlState::UNDEFINED_TABLE,
                    format!("could not open relation with OID {}", read.oid),
                )
            })?;
            return Ok((relation, Some(read)));
        }
        let relation = self.relation(name)?;
        if let Some(capture) = &mut self.capture
            && let Some(span) = span_of(name)
            && !capture.edits.iter().any(|(s, _)| s.start == span.start)
        {
            let read = Read {
                oid: relation.oid(),
                name: relation.name().to_owned(),
                columns: columns_of(&relation),
                used: BTreeSet::new(),
            };
            let number = capture.reads.iter().position(|r| *r == read).unwrap_or_else(|| {
                capture.reads.push(read);
                capture.reads.len() - 1
            });
            capture.edits.push((span, format!("\"{READ_MARK}\".\"{number}\"")));
        }
        Ok((relation, None))
    }

    /// What a relation is called in what is kept, if its name means another there: schemas, which may be renamed, tell tables of one name apart in what is written alone.
    pub(super) fn kept_alias(&mut self, alias: &str, oid: u32, name: &ObjectName) -> Option<String> {
        let capture = self.capture.as_mut().filter(|_| self.stored.is_none())?;
        let mut rels = self.frames.iter().flat_map(|f| &f.rels);
        rels.find(|r| r.alias == alias && r.relation.is_some_and(|other| other != oid))?;
        let start = span_of(name)?.start;
        if let Some((_, kept)) = capture.aliases.iter().find(|(at, _)| *at == start) {
            return Some(kept.clone()); // it is bound again
        }
        let (text, aliases) = (&capture.text, &capture.aliases);
        let is_free = |n: &String| !text.contains(n.as_str()) && aliases.iter().all(|(_, a)| a != n);
        let kept = (1..).map(|n| format!("{alias}_{n}")).find(is_free)?;
        let (_, edit) = capture.edits.iter_mut().find(|(s, _)| s.start == start)?;
        edit.push_str(&format!(" AS {}", quote_ident(&kept)));
        capture.aliases.push((start, kept.clone()));
        Some(kept)
    }

    /// The name of a relation in front of a column, or as its row, in what is to be kept.
    pub(super) fn capture_qualifier(&mut self, of: Qualifier<'_>, span: Span) -> Result<(), SqlError> {
        if self.capture.is_none() || self.stored.is_some() || !is_known(span.start) {
            return Ok(());
        }
        let Some((_, rel)) = self.relation_meant(of, span.start)? else { return Ok(()) };
        let (number, kept) = (rel.number, rel.kept_as.clone());
        let mut named = self.frames.iter().rev().flat_map(|f| &f.rels);
        match (kept, named.find(|r| r.alias == of.name && r.kept_as.is_none())) {
            (Some(kept), _) => {
                let edit = (span, quote_ident(&kept));
                self.capture.iter_mut().for_each(|c| c.edits.push(edit.clone()));
                Ok(())
            }
            (None, Some(meant)) if meant.number != number => {
                let why = format!(
                    "a table \"{}\" that another one hides is not supported in a query that is stored",
                    of.name
                );
                Err(SqlError::unsupported(why).with_hint("Give one of them another alias."))
            }
            _ => Ok(()),
        }
    }

    /// From here on what is bound is to be kept: `kept` gives its text.
    pub fn begin_capture(&mut self) {
        self.capture = Some(Capture::default());
    }

    /// Binds what is kept already while something else is captured, whose text has nothing of it.
    pub(super) fn uncaptured<T>(&mut self, bind: impl FnOnce(&mut Self) -> T) -> T {
        let capture = self.capture.take();
        let result = bind(self);
        self.capture = capture;
        result
    }

    /// The text of what was bound, as it is kept.
    pub fn kept(&mut self, text: &str) -> String {
        let capture = self.capture.take().unwrap_or_default();
        if capture.edits.is_empty() { text.to_owned() } else { edited(text, &capture.edits) }
    }

    /// Where a literal of what is to be kept stands, in case that it is kept in another way.
    fn captured(&self, s: &Arc<str>) -> Option<Span> {
        self.capture.as_ref()?;
        let is_it = |l: &&Literal| l.is_captured && Arc::ptr_eq(&l.text, s);
        self.noted.iter().find(is_it).map(|l| l.span).filter(|_| self.stored.is_none())
    }

    /// The value of an enum that a literal stands for, and, in what is to be kept, its number in place of its label: that may change.
    pub(super) fn enum_literal(&mut self, s: &Arc<str>, oid: u32) -> Result<Datum, SqlError> {
        if let Some(value) = Catalog::kept_label(s, oid).filter(|_| self.is_stored || self.stored.is_some()) {
            return Ok(Datum::Enum(oid, value));
        }
        let value = input_text(s, Type::Enum(oid), -1, self.ctx.format).map_err(|e| self.at_literal(e, s))?;
        if let (Some(span), Datum::Enum(_, number)) = (self.captured(s), &value)
            && let Some(capture) = &mut self.capture
        {
            capture.edits.push((span, Catalog::kept_literal(oid, *number)));
        }
        Ok(value)
    }

    /// The same of an array of them.
    pub(super) fn enum_array_literal(&mut self, s: &Arc<str>, oid: u32) -> Result<Datum, SqlError> {
        let ty = Type::Enum(oid).array_of().ok_or_else(|| SqlError::internal("an enum without arrays"))?;
        if (self.is_stored || self.stored.is_some()) && s.contains('\u{1}') {
            return input_text(&self.catalog.array_of_labels(s, false), ty, -1, self.ctx.format);
        }
        let value = input_text(s, ty, -1, self.ctx.format).map_err(|e| self.at_literal(e, s))?;
        if let (Some(span), Datum::Array(a)) = (self.captured(s), &value)
            && let Some(capture) = &mut self.capture
        {
            let kept = |d: &Datum| match d {
                Datum::Enum(_, number) => Datum::text(Catalog::kept_element(oid, *number)),
                other => other.clone(),
            };
            let values: Vec<Datum> = a.values.iter().map(kept).collect();
            let texts = ArrayDatum { element: Type::Text, dims: a.dims.clone(), values: values.into() };
            let text = to_text(&Datum::Array(Arc::new(texts)), Type::TextArray, -1, self.ctx.format)?;
            capture.edits.push((span, format!("'{text}'")));
        }
        Ok(value)
    }

    /// A date or time in what is to be kept is what it means now, in this session: `now` is no other time later, an hour is not one of another zone, and a sign not one of
    /// another style of intervals. `typmod`: the fields of an interval.
    pub(super) fn capture_time(&mut self, s: &Arc<str>, ty: Type, typmod: i32) -> Result<(), SqlError> {
        let one = ty.element().unwrap_or(ty);
        if self.capture.is_none() || !(one.category() == b'D' || one == Type::Interval) {
            return Ok(());
        }
        if let Some(span) = self.captured(s) {
            let value = input_text(s, ty, typmod, self.ctx.format);
            let value = value.map_err(|e| self.at_literal(e, s))?;
            let text = to_text(&value, ty, -1, &FormatOptions::default())?;
            self.capture.iter_mut().for_each(|c| c.edits.push((span, format!("'{text}'"))));
        }
        Ok(())
    }

    /// The relation that a literal names: in what is to be kept by its OID, so that it may be renamed and moved, and is not dropped unnoticed.
    pub(super) fn regclass_literal(&mut self, s: &Arc<str>) -> Result<Datum, SqlError> {
        let value = input_text(s, Type::Regclass, -1, self.ctx.format).map_err(|e| self.at_literal(e, s))?;
        if let (Some(span), Datum::Oid(oid)) = (self.captured(s), &value)
            && let Some(capture) = &mut self.capture
            && let Some(relation) = self.catalog.relation(*oid)
            && !matches!(relation, Relation::Virtual(_))
            // It may be written by its OID already.
            && **s != *oid.to_string()
        {
            capture.edits.push((span, Catalog::kept_relation(*oid)));
            let (name, columns) = (relation.name().to_owned(), columns_of(&relation));
            let read = Read { oid: *oid, name, columns, used: BTreeSet::new() };
            if !capture.reads.contains(&read) {
                capture.reads.push(read);
            }
        }
        Ok(value)
    }

    /// The type that a name denotes; in something that is to be kept it is called by its OID.
    pub(super) fn data_type(&mut self, t: &ast::DataType) -> Result<NamedType, SqlError> {
        let found = named_type(t, Some((self.catalog, self.search_path)));
        let mut named = t;
        while let ast::DataType::Array(
            ast::ArrayElemTypeDef::SquareBracket(inner, _) | ast::ArrayElemTypeDef::Qualified(inner, _),
        ) = named
        {
            named = inner;
        }
        let found = found.map_err(|e| match place_of(t) {
            Some(at) if e.code != SqlState::FEATURE_NOT_SUPPORTED => self.at(e, at),
            _ => e,
        })?;
        self.needs.names_objects |= found.domain.or(found.ty.kept_oid()).is_some();
        if let (Some(oid), ast::DataType::Custom(name, _)) = (found.domain.or(found.ty.kept_oid()), named)
            && self.stored.is_none()
            && let Some(capture) = &mut self.capture
            && let Some(span) = span_of(name)
        {
            crate::catalog::check_kept(oid, self.catalog)?;
            let is_one = found.domain.is_some_and(|d| !is_domain_array(d)) || !found.ty.is_array();
            let array = if matches!(t, ast::DataType::Array(_)) || is_one { "" } else { "[]" };
            let oid = found.domain.map_or(oid, domain_itself);
            capture.edits.push((span, format!("{}{array}", Catalog::kept_type_name(oid))));
        }
        Ok(found)
    }

    /// A collation that a user made is called by its OID in something that is to be kept.
    pub(super) fn capture_collation(&mut self, c: Collation, name: &ObjectName) {
        if self.catalog.user_collation(c.oid).is_some()
            && self.stored.is_none()
            && let (Some(capture), Some(span)) = (&mut self.capture, span_of(name))
        {
            capture.edits.push((span, collation_text(c)));
        }
    }

    /// A query that is to be kept relies on a key.
    pub(super) fn capture_key(&mut self, constraint: Option<u32>) {
        if let (Some(capture), None, Some(oid)) = (&mut self.capture, &self.stored, constraint) {
            capture.keys.insert(oid);
        }
    }

    /// `*` in a query that is to be kept is what it means today.
    pub(super) fn capture_columns(
        &mut self,
        qualifier: Option<&ObjectName>,
        options: &ast::WildcardAdditionalOptions,
        columns: &[ColInfo],
    ) -> Result<(), SqlError> {
        if self.capture.is_none() || self.stored.is_some() {
            return Ok(());
        }
        let token = options.wildcard_token.0.span;
        let start = qualifier.and_then(span_of).map_or(token.start, |s| s.start);
        if !is_known(start) || columns.is_empty() {
            return Ok(());
        }
        let rels = &self.frame()?.rels;
        let spelled = |c: &ColInfo| {
            let is = |o: &ColInfo| o.name == c.name && o.expr == c.expr;
            match rels.iter().find(|r| !r.alias.is_empty() && r.columns.iter().any(is)) {
                Some(r) => {
                    let alias = r.kept_as.as_ref().unwrap_or(&r.alias);
                    format!("{}.{}", quote_ident(alias), quote_ident(&c.name))
                }
                None => quote_ident(&c.name),
            }
        };
        let list: Vec<String> = columns.iter().map(spelled).collect();
        // Columns of one name can be said by `*` alone. What they are of is kept as well, so that it has no others later.
        if list.iter().collect::<BTreeSet<_>>().len() < list.len() {
            return Ok(());
        }
        let list = list.join(", ");
        // `TABLE t`: the word stands where `*` would.
        let is_word = token.end.column > token.start.column + 1;
        let list = if is_word { format!("SELECT {list} FROM") } else { list };
        if let Some(capture) = &mut self.capture {
            capture.edits.push((Span { start, end: token.end }, list));
        }
        Ok(())
    }

    /// Binds a query that is to be kept; gives its columns, and how it is kept.
    pub fn query_to_keep(&mut self, text: &str) -> Result<(StoredQuery, Vec<Column>), SqlError> {
        let query = parse_query(text)?;
        self.capture = Some(Capture { text: text.to_owned(), ..Capture::default() });
        let ((_, columns), _) = self.nested(|b| b.query(&query, Hint::None))?;
        if !self.params.is_empty() {
            let why = "there is no parameter $1";
            return Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, why));
        }
        let Capture { mut reads, keys, edits, aliases, .. } = self.capture.take().unwrap_or_default();
        for read in &mut reads {
            let needs = self.needs.relations.iter().filter(|n| n.relation == read.oid && n.by.is_none());
            read.used = needs.flat_map(|n| &n.selected).map(|n| *n as usize - 1).collect();
        }
        let kept = edited(text, &edits);
        // Behind some words, as ONLY, no alias can be put.
        if !aliases.is_empty() && parse_query(&kept).is_err() {
            let why = "such tables of one name in a query that is stored are not supported";
            return Err(SqlError::unsupported(why).with_hint("Give one of them an alias."));
        }
        Ok((StoredQuery { text: kept, reads, keys }, columns))
    }

    /// From which columns of relations those of a kept query come, as OID and number: zeros where one is computed.
    pub fn origins(mut self, kept: &Arc<StoredQuery>, of: u32) -> Result<Vec<(u32, i16)>, SqlError> {
        let query = parse_query(&kept.text)?;
        let ((_, columns), _) =
            self.in_stored(kept, None, of, |b| b.nested(|b| b.query(&query, Hint::None)))?;
        Ok(columns.into_iter().map(|c| (c.table_oid, c.attnum)).collect())
    }

    /// Refuses a view within itself, and too many within each other.
    pub(super) fn check_view_depth(&self, view: &View) -> Result<(), SqlError> {
        if self.within_views.contains(&view.oid) {
            return Err(SqlError::new(
                SqlState::INVALID_OBJECT_DEFINITION,
                format!("infinite recursion detected in rules for relation \"{}\"", view.name),
            ));
        }
        if self.within_views.len() >= MAX_VIEW_DEPTH {
            return Err(SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, "views are nested too deeply"));
        }
        Ok(())
    }

    /// Binds the query of a view; `locks`: FOR UPDATE and the like that reach into it.
    pub(super) fn view_query(
        &mut self,
        view: &Arc<View>,
        locks: Vec<ast::LockClause>,
    ) -> Result<(BoundQuery, Vec<Column>), SqlError> {
        self.check_view_depth(view)?;
        let mut query = parse_query(&view.query.text)?;
        self.stored_depth = self.stored_depth.max(query.depth());
        query.locks.extend(locks);
        let by =
            if view.is_invoker() { self.invoker() } else { Some(self.catalog.security().owner(view.oid)) };
        let (query, mut columns) = self.in_stored(&view.query, by, view.oid, |b| {
            b.nested(|b| b.query(&query, Hint::None)).map(|(bound, _)| bound)
        })?;
        if columns.len() < view.columns.len() {
            return Err(SqlError::internal("a view's query lost columns"));
        }
        columns.truncate(view.columns.len());
        for (n, (column, of_view)) in columns.iter_mut().zip(&view.columns).enumerate() {
            if column.ty != of_view.ty {
                return Err(SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("column \"{}\" of view \"{}\" has changed its type", of_view.name, view.name),
                ));
            }
            *column = Column {
                name: of_view.name.clone(),
                ty: of_view.ty,
                typmod: of_view.typmod,
                table_oid: view.oid,
                attnum: n as i16 + 1,
                collation: column.collation,
            };
        }
        Ok((query, columns))
    }

    /// Whose privileges a view with security_invoker needs, however many others it is read through: those of whoever runs the statement, which of a materialized view is its owner.
    pub(super) fn invoker(&self) -> Option<u32> {
        let filled = self.within_views.first().and_then(|of| self.catalog.table(*of));
        filled.map(|t| self.catalog.security().owner(t.oid))
    }

    /// Binds something of a stored query (invariants 1 and 2).
    pub(super) fn in_stored<T>(
        &mut self,
        stored: &Arc<StoredQuery>,
        by: Option<u32>,
        view: u32,
        bind: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let frames = std::mem::take(&mut self.frames);
        let ctes = std::mem::take(&mut self.ctes);
        let params = std::mem::take(&mut self.params);
        let by = std::mem::replace(&mut self.by, by);
        let before = self.stored.replace(stored.clone());
        // It stands in no text that anybody sent.
        let shown = std::mem::replace(&mut self.shown, Shown::Nothing);
        self.within_views.push(view);
        let result = bind(self);
        self.within_views.pop();
        self.shown = shown;
        (self.frames, self.ctes, self.params) = (frames, ctes, params);
        (self.by, self.stored) = (by, before);
        result
    }
}
