//! INSERT, UPDATE and DELETE.
//!
//! Must not know: how rows and index entries are written.

use super::generated::{changed_columns, drawn, is_generated};
use super::index::Inference;
use super::insert_list::InsertList;
use super::keys_only::{lock_for, reads_keys_only, succeeds_by_keys};
use super::place::Shown;
use super::returning::mark_returned;
use super::surface::{Surface, Verb};
use super::{Binder, Hint, Typed, first_location, foreign, ident, split_name};
use crate::catalog::security::acl;
use crate::catalog::{Identity, Index, NamedType, Table};
use crate::parse::rewrite::CURRENT_OF;
use crate::parse::{inference_texts, parse_expression};
use crate::plan::bound::{BoundQuery, BoundStatement, FromTree, Level, Visited};
use crate::plan::expr::Expr;
use crate::plan::{
    Column, ConflictUpdate, DeletePlan, InsertPlan, InsertSource, JoinKind, OnConflict, UpdatePlan,
};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Type, can_cast};
use sqlparser::ast::{self, AssignmentTarget, Expr as Ast, SetExpr, TableFactor};
use std::sync::Arc;

pub(super) type Bound = (BoundStatement, Option<Vec<Column>>);

pub(super) fn is_default(e: &Ast) -> bool {
    matches!(e, Ast::Identifier(i) if i.quote_style.is_none() && i.value.eq_ignore_ascii_case("default"))
}

impl Binder<'_> {
    /// An expression stored in the catalog as text, over a row of the table (or over nothing).
    pub(super) fn stored(&mut self, text: &str, table: Option<&Arc<Table>>) -> Result<Typed, SqlError> {
        let place = if table.is_some() { "check constraints" } else { "DEFAULT expressions" };
        self.stored_in(text, table, place)
    }

    /// The same, where errors call its place so.
    pub(super) fn stored_in(
        &mut self,
        text: &str,
        table: Option<&Arc<Table>>,
        place: &'static str,
    ) -> Result<Typed, SqlError> {
        self.stored_with(text, place, |b| match table {
            Some(t) => {
                b.add_target(t, &t.name, &mut Vec::new())?;
                // What is checked or computed of a row does not know its place, which it may not have yet.
                b.frame()?.rels.iter_mut().for_each(|r| r.row_id = None);
                Ok(())
            }
            None => Ok(()),
        })
    }

    /// The same over what a statement changes.
    pub(super) fn stored_over(
        &mut self,
        text: &str,
        surface: &Surface,
        alias: &str,
        place: &'static str,
    ) -> Result<Typed, SqlError> {
        self.stored_with(text, place, |b| b.add_surface(surface, alias, &mut Vec::new()).map(|_| ()))
    }

    pub(super) fn stored_with(
        &mut self,
        text: &str,
        place: &'static str,
        frame: impl FnOnce(&mut Self) -> Result<(), SqlError>,
    ) -> Result<Typed, SqlError> {
        let e = parse_expression(text)?;
        self.stored_depth = self.stored_depth.max(e.depth());
        let frames = std::mem::take(&mut self.frames);
        let is_stored = std::mem::replace(&mut self.is_stored, true);
        let shown = std::mem::replace(&mut self.shown, Shown::Part(text.into()));
        let result = self.nested(|b| {
            b.frame()?.place = place;
            frame(b)?;
            b.expr(&e)
        });
        (self.frames, self.is_stored, self.shown) = (frames, is_stored, shown);
        result.map(|(t, _)| t)
    }

    /// What a column gets when nothing is given.
    pub(super) fn default_of(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        let c = &table.columns[column];
        let of_domain = c.domain.filter(|_| !c.dropped && c.identity.is_none() && c.generated.is_none());
        let of_domain = of_domain.and_then(|d| self.catalog.domain_default(d));
        match c.default.as_deref().or(of_domain) {
            // What a generated column gets is computed later, from the others.
            Some(text) if !c.dropped && c.generated.is_none() => {
                let t = self.stored(text, None).map_err(|e| {
                    if e.code == SqlState::UNDEFINED_COLUMN {
                        let why = "cannot use column reference in DEFAULT expression";
                        e.position.into_iter().fold(SqlError::unsupported(why), SqlError::with_position)
                    } else {
                        e
                    }
                })?;
                let is_stored = std::mem::replace(&mut self.is_stored, true);
                let value = self.assign_as(drawn(t, c), table, column, "default expression");
                self.is_stored = is_stored;
                value
            }
            _ if c.dropped || c.generated.is_some() => Ok(Expr::null()),
            _ => self.named_value(Expr::null(), c.domain),
        }
    }

    /// Converts a value to a column's type as assignments do; errors call the value so.
    pub(super) fn assign_as(
        &mut self,
        t: Typed,
        table: &Arc<Table>,
        column: usize,
        what: &str,
    ) -> Result<Expr, SqlError> {
        let table = table.clone();
        self.assign_named(t, &table, column, &table.columns[column].name, what)
    }

    /// The same of a column that the statement calls by another name.
    pub(super) fn assign_named(
        &mut self,
        t: Typed,
        table: &Arc<Table>,
        column: usize,
        name: &str,
        what: &str,
    ) -> Result<Expr, SqlError> {
        let c = &table.columns[column];
        let fits = t.ty == c.ty
            || t.ty == Type::Unknown
            || super::row::is_row_as_another(t.ty, c.ty)
            || can_cast(t.ty, c.ty)
                .is_some_and(|w| matches!(w, CastContext::Implicit | CastContext::Assignment));
        if !fits {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "column \"{name}\" is of type {} but {what} is of type {}",
                    c.domain
                        .and_then(|d| self.catalog.type_name(d, self.search_path))
                        .unwrap_or_else(|| c.ty.sql_name().into_owned()),
                    t.ty.sql_name()
                ),
            )
            .with_hint("You will need to rewrite or cast the expression."));
        }
        let domain = c.domain;
        self.note_param_domain(&t, domain);
        let value = self.coerce(t, c.ty, c.typmod, CastContext::Assignment)?;
        self.named_value(value, domain)
    }

    pub(super) fn insert(&mut self, i: &ast::Insert) -> Result<Bound, SqlError> {
        foreign::of_insert(i)?;
        let ast::TableObject::TableName(name) = &i.table else {
            return Err(SqlError::unsupported("INSERT into something other than a table is not supported"));
        };
        // As `parse::rewrite` marks it.
        let overriding = match (&i.or, i.overwrite) {
            (None, false) => Overriding::Nothing,
            (None, true) => Overriding::System,
            (Some(ast::SqliteOnConflict::Abort), true) => Overriding::User,
            _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in INSERT")),
        };
        let surface = self.surface(name, Verb::Insert)?;
        let table = surface.table.clone();
        let alias = i.table_alias.as_ref().map_or_else(|| surface.name.clone(), |a| ident(&a.alias));
        let target = self.target(&table, true, false)?;
        let list = self.insert_list(&i.columns, &surface)?;
        // Without a list of columns, so many as there are values.
        let given = if list.is_explicit { list.columns.len() } else { 0 };
        self.inserts(surface.oid(), list.columns.iter().take(given));
        let source = match i.source.as_deref() {
            None => InsertSource::Rows(vec![self.defaults(&surface, &list, overriding, |_| false)?.into()]),
            Some(q) => {
                self.inner += 1;
                let source = self.insert_source(q, &surface, &list, overriding);
                self.inner -= 1;
                source?
            }
        };
        let conflict = match &i.on {
            None => None,
            Some(ast::OnInsert::OnConflict(c)) => Some(self.on_conflict(c, &surface, &alias)?),
            Some(_) => return Err(foreign::too_many("duplicate")),
        };
        let (mut out, mut returning) = (None, None);
        if let Some(items) = &i.returning {
            let (bound, _) = self.nested(|b| {
                b.add_surface(&surface, &alias, &mut Vec::new())?;
                b.frame()?.inserts = true;
                if conflict.as_ref().is_some_and(|c| c.update.is_some()) {
                    b.hide_excluded()?;
                }
                b.returning(items, &table)
            })?;
            (returning, out) = (Some(bound.0), Some(bound.1));
        }
        self.need_through(&surface);
        let view_checks = surface.checks.into();
        Ok((BoundStatement::Insert(InsertPlan { target, source, conflict, view_checks, returning }), out))
    }

    /// Notes that columns are given values by INSERT or COPY.
    pub(crate) fn inserts<'c>(&mut self, table: u32, columns: impl Iterator<Item = &'c usize>) {
        let need = self.needs.of(table, self.by, acl::INSERT);
        self.needs.relations[need].inserted.extend(columns.map(|c| *c as i16 + 1));
    }

    /// What columns get that are given nothing; of the others the default is not computed, nor asked for. `is_given`: whether every row has a value for this one of the list.
    fn defaults(
        &mut self,
        surface: &Surface,
        list: &InsertList,
        overriding: Overriding,
        is_given: impl Fn(usize) -> bool,
    ) -> Result<Vec<Expr>, SqlError> {
        let table = &surface.table;
        let mut is_needed = vec![true; table.columns.len()];
        for (n, column) in list.columns.iter().enumerate() {
            if let Ok(base) = surface.base(*column, Verb::Insert) {
                is_needed[base] &= !is_given(n) || keeps_default(table, base, overriding);
            }
        }
        let default = |(n, is_needed): (usize, bool)| match is_needed {
            true => self.default_through(surface, n),
            false => Ok(Expr::null()),
        };
        is_needed.into_iter().enumerate().map(default).collect()
    }

    fn insert_source(
        &mut self,
        q: &ast::Query,
        surface: &Surface,
        list: &InsertList,
        overriding: Overriding,
    ) -> Result<InsertSource<BoundQuery>, SqlError> {
        let columns = &list.columns[..];
        let table = &surface.table;
        // Where a value goes.
        let place = |column: usize| {
            let base = surface.base(column, Verb::Insert)?;
            may_insert(table, base, overriding).map(|()| base)
        };
        let plain = q.order_by.is_none() && q.limit_clause.is_none() && q.fetch.is_none() && q.with.is_none();
        if let (SetExpr::Values(v), true) = (&*q.body, plain) {
            foreign::of_query(q).and_then(|()| foreign::of_values(v))?;
            let is_given = |n: usize| v.rows.iter().all(|r| r.get(n).is_some_and(|e| !is_default(e)));
            let defaults = self.defaults(surface, list, overriding, is_given)?;
            let ((mut rows, set_calls), _) = self.nested(|b| {
                (b.frame()?.place, b.frame()?.sets_allowed) = ("VALUES", v.rows.len() == 1);
                let mut rows: Vec<Box<[Expr]>> = Vec::with_capacity(v.rows.len());
                // One row is a select list, whose expressions are counted; of more the lists are compared, first of all.
                let width = v.rows.first().map_or(0, |r| r.len());
                if let Some(other) = v.rows.iter().find(|r| r.len() != width) {
                    return Err(b.unequal_lists(other));
                }
                b.check_count(q, width, list)?;
                for r in &v.rows {
                    let mut row = defaults.clone();
                    for (n, (e, column)) in r.iter().zip(columns).enumerate() {
                        if is_default(e) {
                            b.no_default_of_part(list, n)?;
                            surface.base(*column, Verb::Insert)?;
                            continue;
                        }
                        let base = place(*column)?;
                        let t = b.expr(e)?;
                        let default = row[base].clone();
                        let put = b.insert_value(t, surface, list, n, &mut row, base);
                        put.map_err(|error| b.at_start(error, e))?;
                        if keeps_default(table, base, overriding) {
                            row[base] = default;
                        }
                    }
                    rows.push(row.into());
                }
                Ok((rows, std::mem::take(&mut b.frame()?.set_calls)))
            })?;
            self.inserts(surface.oid(), columns.iter().take(v.rows.first().map_or(0, |r| r.len())));
            return Ok(match (&set_calls[..], rows.pop()) {
                // One row of VALUES is a select list.
                ([_, ..], Some(row)) => {
                    let columns = (0..row.len()).map(Expr::Column).collect();
                    InsertSource::Query(BoundQuery::list(row.into_vec(), set_calls), columns)
                }
                (_, last) => {
                    rows.extend(last);
                    InsertSource::Rows(rows)
                }
            });
        }
        let bases = columns.iter().map(|c| surface.base(*c, Verb::Insert)).collect::<Vec<_>>();
        let types: Vec<Type> =
            bases.iter().map(|b| b.as_ref().map_or(Type::Text, |b| table.columns[*b].ty)).collect();
        let ((query, found), _) = self.nested(|b| b.query(q, Hint::Types(&types)))?;
        self.check_count(q, found.len(), list)?;
        self.inserts(surface.oid(), columns.iter().take(found.len()));
        let mut exprs = self.defaults(surface, list, overriding, |n| n < found.len())?;
        for (n, (c, column)) in found.iter().zip(columns).enumerate() {
            let t = Typed { expr: Expr::Column(n), ty: c.ty, typmod: c.typmod };
            let base = place(*column)?;
            let default = exprs[base].clone();
            let put = self.insert_value(t, surface, list, n, &mut exprs, base);
            put.map_err(|e| self.at_output(e, &q.body, n))?;
            if keeps_default(table, base, overriding) {
                exprs[base] = default;
            }
        }
        Ok(InsertSource::Query(query, exprs.into()))
    }

    fn on_conflict(
        &mut self,
        c: &ast::OnConflict,
        surface: &Surface,
        alias: &str,
    ) -> Result<OnConflict, SqlError> {
        let table = &surface.table;
        let no_match = || {
            SqlError::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                "there is no unique or exclusion constraint matching the ON CONFLICT specification",
            )
        };
        let arbiters = match &c.conflict_target {
            None => Vec::new(),
            Some(ast::ConflictTarget::Columns(names)) => {
                let mut wanted = Inference::default();
                for n in names {
                    let name = ident(n);
                    let column = surface
                        .position(&name)
                        .ok_or_else(|| self.at(self.missing_column(None, &name), n.span.start))?;
                    let need = self.needs.of(surface.oid(), self.by, 0);
                    self.needs.relations[need].selected.insert(column as i16 + 1);
                    wanted.columns.push(surface.base_of(column).ok_or_else(no_match)?);
                }
                self.inferred(wanted, table)?.ok_or_else(no_match)?
            }
            Some(ast::ConflictTarget::OnConstraint(name)) if inference_texts(name).is_some() => {
                let (items, condition) = inference_texts(name).unwrap_or_default();
                super::index::refuse_order(&items)?;
                let wanted = self.inference(&items, condition.as_deref(), surface, alias)?;
                self.inferred(wanted, table)?.ok_or_else(no_match)?
            }
            Some(ast::ConflictTarget::OnConstraint(name)) => {
                let (_, name) = split_name(name)?;
                let is_it =
                    |i: &Arc<Index>| surface.oid() == table.oid && i.constraint.is_some() && i.name == name;
                let found = table.indexes.iter().find(|i| is_it(i)).ok_or_else(|| {
                    SqlError::new(
                        SqlState::UNDEFINED_OBJECT,
                        format!("constraint \"{name}\" for table \"{}\" does not exist", surface.name),
                    )
                })?;
                // As where it is inferred: also the one that REINDEX CONCURRENTLY has beside it.
                let decides = |i: &Arc<Index>| i.oid == found.oid || i.stands_beside(found);
                (0..table.indexes.len()).filter(|n| decides(&table.indexes[*n])).collect()
            }
        };
        let may_decide = |n: usize| arbiters.is_empty() || arbiters.contains(&n);
        if table.indexes.iter().enumerate().any(|(n, i)| i.timing.deferrable && may_decide(n)) {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters",
            ));
        }
        let is_update = matches!(c.action, ast::OnConflictAction::DoUpdate(_));
        if is_update && arbiters.iter().any(|n| table.indexes[*n].exclusion) {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                "ON CONFLICT DO UPDATE not supported with exclusion constraints",
            ));
        }
        if surface.oid() == table.oid {
            let need = self.needs.of(table.oid, self.by, 0);
            let read = arbiters.iter().flat_map(|n| table.indexes[*n].key_columns().map(|c| c as i16 + 1));
            self.needs.relations[need].selected.extend(read);
        }
        let update = match &c.action {
            ast::OnConflictAction::DoNothing => None,
            ast::OnConflictAction::DoUpdate(u) => {
                if arbiters.is_empty() {
                    let why = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
                    let e = SqlError::new(SqlState::SYNTAX_ERROR, why)
                        .with_hint("For example, ON CONFLICT (column_name).");
                    return Err(match u.assignments.first() {
                        Some(a) => self.at_conflict(e, &a.value),
                        None => e,
                    });
                }
                let number = self.target(table, true, false)?;
                let mut touches_referred = false;
                let (update, _) = self.nested(|b| {
                    b.add_surface(surface, alias, &mut Vec::new())?;
                    // A table may be called so: then the name is that of both, and says neither.
                    let frame = b.frame()?;
                    let from = std::mem::replace(&mut frame.distinct_from, frame.rels.len());
                    b.add_surface(surface, "excluded", &mut Vec::new())?;
                    let frame = b.frame()?;
                    frame.distinct_from = from;
                    if alias == "excluded" {
                        frame.rels.iter_mut().for_each(|r| r.relation = Some(table.oid));
                    }
                    let set = b.assignments(&u.assignments, surface, Verb::Insert)?;
                    let condition = u.selection.as_ref().map(|w| b.condition(w, "WHERE")).transpose()?;
                    let changed = changed_columns(&set, &b.targets[number]);
                    let lock = lock_for(table, &changed);
                    touches_referred = b.touches_referred(table, &changed);
                    Ok(ConflictUpdate { set: set.into(), condition, lock })
                })?;
                if touches_referred {
                    self.target(table, true, true)?;
                }
                Some(update)
            }
        };
        Ok(OnConflict { arbiters, update })
    }

    pub(super) fn assignments(
        &mut self,
        list: &[ast::Assignment],
        surface: &Surface,
        verb: Verb,
    ) -> Result<Vec<(usize, Expr)>, SqlError> {
        self.frame()?.place = "UPDATE";
        let table = &surface.table;
        let mut set: Vec<(usize, Expr)> = Vec::new();
        let (mut named, mut parts) = (Vec::new(), Vec::new());
        for a in list {
            if let AssignmentTarget::Tuple(names) = &a.target
                && let Some(values) = self.values_of(&a.value, names.len())?
            {
                for (name, value) in names.iter().zip(values) {
                    if let [column, path @ ..] = &super::row::path(name)[..]
                        && !path.is_empty()
                    {
                        let (_, column) = self.assign_part(surface, verb, (column, path), value, &mut set)?;
                        if !parts.contains(&column) {
                            self.new_target(&first_of(name), surface, verb, &mut named)?;
                            parts.push(column);
                        }
                        continue;
                    }
                    let (own, column) = self.new_target(name, surface, verb, &mut named)?;
                    set.push((column, self.assign_to(value, surface, own, column)?));
                }
                continue;
            }
            let pairs: Vec<(&ast::ObjectName, &Ast)> = match (&a.target, &a.value) {
                (AssignmentTarget::ColumnName(name), value) => vec![(name, value)],
                (AssignmentTarget::Tuple(names), value) => match super::expr::row_items(value) {
                    Some(values) if values.len() == names.len() => names.iter().zip(values).collect(),
                    Some(_) => {
                        let why = "number of columns does not match number of values";
                        return Err(self.at_start(SqlError::new(SqlState::SYNTAX_ERROR, why), value));
                    }
                    None => {
                        let why = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
                        return Err(self.at_start(SqlError::unsupported(why), value));
                    }
                },
            };
            for (name, value) in pairs {
                if let [column, path @ ..] = &super::row::path(name)[..]
                    && !path.is_empty()
                {
                    let (own, column) = self
                        .assign_field(surface, verb, (column, path), value, &mut set)
                        .map_err(|e| self.at_name(e, name))?;
                    // A column may be named more than once by its parts alone.
                    if !parts.contains(&column) {
                        self.new_target(&first_of(name), surface, verb, &mut named)?;
                        parts.push(column);
                    }
                    debug_assert!(named.contains(&(own, column)), "what is changed is asked for");
                    continue;
                }
                let target = self.new_target(name, surface, verb, &mut named);
                if target.is_err() && !is_default(value) {
                    // What is wrong with the value is told first.
                    self.expr(value)?;
                }
                let (own, column) = target?;
                let e = if is_default(value) {
                    self.default_in_update(surface, column)?
                } else {
                    may_update(table, column)?;
                    let t = self.expr(value)?;
                    self.assign_to(t, surface, own, column).map_err(|e| self.at_start(e, value))?
                };
                set.push((column, e));
            }
        }
        let need = self.needs.of(surface.oid(), self.by, acl::UPDATE);
        self.needs.relations[need].updated.extend(named.iter().map(|(own, _)| *own as i16 + 1));
        Ok(set)
    }

    /// The rows that an UPDATE or DELETE visits: the target first, then what it is joined with.
    fn visited(
        &mut self,
        surface: &Surface,
        alias: &str,
        others: &[ast::TableWithJoins],
        selection: Option<&Ast>,
    ) -> Result<Level, SqlError> {
        let mut sources = Vec::new();
        let tree = self.add_surface(surface, alias, &mut sources)?;
        let conjuncts = surface.conditions.clone();
        let mut bound = Level { sources, tree: Some(tree), conjuncts, ..Level::default() };
        let frame = self.frame()?;
        (frame.place, frame.not_lateral) = ("FROM", frame.rels.len());
        for item in others {
            let right = self.table_with_joins(item, &mut bound.sources)?;
            if let Some(left) = bound.tree.take() {
                let join = FromTree::Join {
                    kind: JoinKind::Inner,
                    left: Box::new(left),
                    right: Box::new(right),
                    on: Vec::new(),
                };
                bound.tree = Some(join);
            }
        }
        self.frame()?.not_lateral = 0;
        if let Some(cursor) = selection.and_then(cursor_of) {
            if surface.oid() != surface.table.oid {
                return Err(SqlError::unsupported("WHERE CURRENT OF on a view is not implemented"));
            }
            bound.sources[0].current_of = Some(cursor.into());
        } else if let Some(w) = selection {
            self.frame()?.place = "WHERE";
            self.ask_of(surface, w, &mut bound.conjuncts)?;
        }
        bound.width = self.frame()?.width;
        Ok(bound)
    }

    pub(super) fn update(&mut self, u: &ast::Update) -> Result<Bound, SqlError> {
        foreign::of_update(u)?;
        let (surface, alias) = self.dml_surface(&u.table, Verb::Update)?;
        let table = surface.table.clone();
        let target = self.target(&table, true, false)?;
        let mut touches_referred = false;
        let others: &[ast::TableWithJoins] = match &u.from {
            None => &[],
            Some(ast::UpdateTableFromKind::AfterSet(f)) => f,
            Some(_) => return Err(foreign::too_many("from")),
        };
        let (mut out, mut returning) = (None, None);
        let (plan, _) = self.nested(|b| {
            let level = b.visited(&surface, &alias, others, u.selection.as_ref())?;
            let set = b.assignments(&u.assignments, &surface, Verb::Update)?;
            if let Some(items) = &u.returning {
                let bound = b.returning(items, &table)?;
                (returning, out) = (Some(bound.0), Some(bound.1));
            }
            let mut used = vec![false; level.width];
            used[..table.columns.len()].fill(true);
            mark_used(set.iter().map(|(_, e)| e), &mut used);
            mark_returned(returning.as_ref(), &table, &mut used);
            let changed = changed_columns(&set, &b.targets[target]);
            touches_referred = b.touches_referred(&table, &changed);
            let counts_keys_only = u.returning.is_none()
                && !touches_referred
                && others.is_empty()
                && surface.checks.is_empty()
                && b.targets[target].generated.is_empty()
                && level.conjuncts.iter().all(|e| reads_keys_only(e, &table))
                && succeeds_by_keys(&set, &b.targets[target]);
            let indexes = (0..table.indexes.len())
                .filter(|n| table.indexes[*n].reads_any(|c| changed.contains(&c)))
                .collect();
            let lock = lock_for(&table, &changed);
            Ok(UpdatePlan {
                target,
                rows: Visited { level, used },
                at: 0,
                set: set.into(),
                indexes,
                lock,
                counts_keys_only,
                view_checks: Box::default(),
                returning: None,
            })
        })?;
        if touches_referred {
            // Only then are those who refer to rows looked at, and their tables locked.
            self.target(&table, true, true)?;
        }
        self.need_through(&surface);
        let plan = UpdatePlan { returning, view_checks: surface.checks.into(), ..plan };
        Ok((BoundStatement::Update(plan), out))
    }

    pub(super) fn delete(&mut self, d: &ast::Delete) -> Result<Bound, SqlError> {
        foreign::of_delete(d)?;
        let from = match &d.from {
            ast::FromTable::WithFromKeyword(f) | ast::FromTable::WithoutKeyword(f) => f,
        };
        let [item] = &from[..] else {
            return Err(foreign::too_many(","));
        };
        let (surface, alias) = self.dml_surface(item, Verb::Delete)?;
        let table = surface.table.clone();
        let target = self.target(&table, false, true)?;
        self.needs.of(surface.oid(), self.by, acl::DELETE);
        let others = d.using.as_deref().unwrap_or(&[]);
        let (mut out, mut returning) = (None, None);
        let (plan, _) = self.nested(|b| {
            let level = b.visited(&surface, &alias, others, d.selection.as_ref())?;
            if let Some(items) = &d.returning {
                let bound = b.returning(items, &table)?;
                (returning, out) = (Some(bound.0), Some(bound.1));
            }
            let mut used = vec![false; level.width];
            for c in table.indexes.iter().flat_map(|i| i.read_columns()) {
                used[c] = true;
            }
            mark_returned(returning.as_ref(), &table, &mut used);
            level.own_exprs(&mut |e| mark_used([e], &mut used));
            let wanted = (0..table.columns.len()).filter(|c| used[*c]).collect();
            Ok(DeletePlan { target, rows: Visited { level, used }, at: 0, wanted, returning: None })
        })?;
        self.need_through(&surface);
        let plan = DeletePlan { returning, ..plan };
        Ok((BoundStatement::Delete(plan), out))
    }

    /// What a statement changes, and what it calls it.
    pub(super) fn dml_surface(
        &mut self,
        t: &ast::TableWithJoins,
        verb: Verb,
    ) -> Result<(Surface, String), SqlError> {
        if !t.joins.is_empty() {
            return Err(foreign::too_many("join"));
        }
        foreign::of_table(&t.relation)?;
        match &t.relation {
            TableFactor::Table { alias: Some(a), args: None, .. } if !a.columns.is_empty() => {
                Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"(\""))
            }
            TableFactor::Table { with_hints, .. } if !with_hints.is_empty() => {
                Err(self.misplaced_sample(with_hints))
            }
            TableFactor::Table { name, alias, args: None, .. } => {
                let surface = self.surface(name, verb)?;
                let alias = alias.as_ref().map_or_else(|| surface.name.clone(), |a| ident(&a.name));
                Ok((surface, alias))
            }
            _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, "only tables can be changed")),
        }
    }

    /// The columns of domains among some, as values of these, over a row of the table.
    pub fn domains_of(&mut self, table: &Table, columns: &[usize]) -> Result<Vec<(usize, Expr)>, SqlError> {
        let mut values = Vec::new();
        for n in columns.iter().copied() {
            let c = &table.columns[n];
            let value = match c.domain {
                Some(domain) => self.domain_value(Expr::Column(n), domain)?,
                None => self.value_of(Expr::Column(n), c.ty)?,
            };
            if matches!(value, Expr::Domain(_)) {
                values.push((n, value));
            }
        }
        Ok(values)
    }

    /// The target of COPY FROM: its number, and for each of its columns the value that it gets when it is not copied: NULL for those that always are.
    pub fn copy_target(
        &mut self,
        table: &Arc<Table>,
        copied: &[usize],
    ) -> Result<(usize, Vec<Expr>), SqlError> {
        let target = self.target(table, true, false)?;
        let default = |n: usize| match copied.contains(&n) {
            true => Ok(Expr::null()),
            false => self.default_of(table, n),
        };
        Ok((target, (0..table.columns.len()).map(default).collect::<Result<_, _>>()?))
    }

    /// Binds a stored condition over a row of a table, for ALTER TABLE and CREATE TABLE.
    pub fn check_condition(&mut self, text: &str, table: &Arc<Table>) -> Result<Expr, SqlError> {
        let t = self.stored(text, Some(table))?;
        if t.ty != Type::Bool && t.ty != Type::Unknown {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("argument of CHECK must be type boolean, not type {}", t.ty.sql_name()),
            ));
        }
        self.coerce(t, Type::Bool, -1, CastContext::Implicit)
    }

    /// Binds the condition of COPY FROM … WHERE.
    pub fn copy_condition(&mut self, text: &str, table: &Arc<Table>) -> Result<Expr, SqlError> {
        let was = std::mem::replace(&mut self.is_generation, true);
        let t = self.stored_in(text, Some(table), "COPY FROM WHERE conditions");
        self.is_generation = was;
        let t = t?;
        if t.expr.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in COPY FROM WHERE condition"));
        }
        // Rows are looked at before anything is computed from them.
        let mut read = Vec::new();
        t.expr.columns(&mut read);
        let generated =
            table.columns.iter().enumerate().find(|(n, c)| c.generated.is_some() && read.contains(n));
        if let Some((_, c)) = generated {
            let why = "generated columns are not supported in COPY FROM WHERE conditions";
            return Err(is_generated(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why), &c.name));
        }
        if t.ty != Type::Bool && t.ty != Type::Unknown {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("argument of WHERE must be type boolean, not type {}", t.ty.sql_name()),
            ));
        }
        self.coerce(t, Type::Bool, -1, CastContext::Implicit)
    }

    /// Binds a column's default, for ALTER TABLE and CREATE TABLE.
    pub fn check_default(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        if table.columns[column].generated.is_some() {
            return self.check_generation(table, column);
        }
        let value = self.default_of(table, column)?;
        if value.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in DEFAULT expression"));
        }
        Ok(value)
    }
}

/// What OVERRIDING says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overriding {
    /// It is not there.
    Nothing,
    /// SYSTEM VALUE: identity columns get what is given.
    System,
    /// USER VALUE: they do not.
    User,
}

/// Whether a column gets its default, though a value is given.
pub(super) fn keeps_default(table: &Table, column: usize, overriding: Overriding) -> bool {
    overriding == Overriding::User && table.columns[column].identity.is_some()
}

/// Whether INSERT may give a column a value.
pub(super) fn may_insert(table: &Table, column: usize, overriding: Overriding) -> Result<(), SqlError> {
    let c = &table.columns[column];
    if c.generated.is_some() {
        let why = format!("cannot insert a non-DEFAULT value into column \"{}\"", c.name);
        return Err(is_generated(SqlError::new(SqlState::GENERATED_ALWAYS, why), &c.name));
    }
    if c.identity != Some(Identity::Always) || overriding != Overriding::Nothing {
        return Ok(());
    }
    Err(SqlError::new(
        SqlState::GENERATED_ALWAYS,
        format!("cannot insert a non-DEFAULT value into column \"{}\"", c.name),
    )
    .with_detail(format!("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", c.name))
    .with_hint("Use OVERRIDING SYSTEM VALUE to override."))
}

pub(super) fn mark_used<'e>(exprs: impl IntoIterator<Item = &'e Expr>, used: &mut [bool]) {
    let mut read = Vec::new();
    exprs.into_iter().for_each(|e| e.columns(&mut read));
    for place in read {
        used[place] = true;
    }
}

impl Binder<'_> {
    /// Binds an expression over a row of a table and converts it.
    pub fn row_value(
        &mut self,
        text: &str,
        table: &Arc<Table>,
        to: NamedType,
        context: CastContext,
    ) -> Result<Expr, SqlError> {
        let t = self.stored(text, Some(table))?;
        let value = self.coerce(t, to.ty, to.typmod, context)?;
        self.named_value(value, to.domain)
    }

    /// A column that nothing is assigned to yet, and where its value goes; those that something is assigned to are noted.
    fn new_target(
        &self,
        name: &ast::ObjectName,
        surface: &Surface,
        verb: Verb,
        named: &mut Vec<(usize, usize)>,
    ) -> Result<(usize, usize), SqlError> {
        let place = first_location(name);
        let (_, name) = split_name(name)?;
        let own = surface.find_column(&name).map_err(|e| {
            let is_system = super::system_column::is_system_column(&name);
            let why = format!("cannot assign to system column \"{name}\"");
            self.at(if is_system { SqlError::unsupported(why) } else { e }, place)
        })?;
        let base = surface.base(own, verb)?;
        if named.iter().any(|n| n.1 == base) {
            let shown =
                if surface.oid() == surface.table.oid { &name } else { &surface.table.columns[base].name };
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                format!("multiple assignments to same column \"{shown}\""),
            ));
        }
        named.push((own, base));
        Ok((own, base))
    }
}

/// The column of a name that goes on with a part of it.
fn first_of(name: &ast::ObjectName) -> ast::ObjectName {
    ast::ObjectName(name.0[..1].to_vec())
}

/// Refuses a value for a column that makes its own.
pub(super) fn may_update(table: &Table, column: usize) -> Result<(), SqlError> {
    let c = &table.columns[column];
    let why = || {
        let why = format!("column \"{}\" can only be updated to DEFAULT", c.name);
        SqlError::new(SqlState::GENERATED_ALWAYS, why)
    };
    if c.generated.is_some() {
        return Err(is_generated(why(), &c.name));
    }
    if c.identity == Some(Identity::Always) {
        let detail = format!("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", c.name);
        return Err(why().with_detail(detail));
    }
    Ok(())
}

/// The cursor of WHERE CURRENT OF.
fn cursor_of(e: &Ast) -> Option<String> {
    match e {
        Ast::CompoundIdentifier(parts) => match &parts[..] {
            [mark, name] if mark.quote_style.is_some() && mark.value == CURRENT_OF => Some(ident(name)),
            _ => None,
        },
        _ => None,
    }
}
