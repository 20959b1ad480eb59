//! INSERT, UPDATE and DELETE.
//!
//! Must not know: how rows and index entries are written.

use super::generated::{changed_columns, is_generated};
use super::index::Inference;
use super::{Binder, Hint, Typed, ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl;
use crate::catalog::{FkAction, Generated, Identity, Table};
use crate::parse::{inference_texts, parse_expression};
use crate::plan::bound::{BoundQuery, BoundStatement, FromTree, Level, Visited};
use crate::plan::expr::{Expr, SubqueryUse};
use crate::plan::{
    Column, ConflictUpdate, DeletePlan, FkCheck, InsertPlan, InsertSource, JoinKind, OnConflict, Referencing,
    Returning, Target, UpdatePlan,
};
use evenkeel::LockMode;
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
        let e = parse_expression(text)?;
        self.stored_depth = self.stored_depth.max(e.depth());
        let frames = std::mem::take(&mut self.frames);
        let is_stored = std::mem::replace(&mut self.is_stored, true);
        let result = self.nested(|b| {
            b.frame()?.place = place;
            if let Some(t) = table {
                b.add_target(t, &t.name, &mut Vec::new())?;
            }
            b.expr(&e)
        });
        self.frames = frames;
        self.is_stored = is_stored;
        result.map(|(t, _)| t)
    }

    /// What a column gets when nothing is given.
    pub(super) fn default_of(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        let c = &table.columns[column];
        match &c.default {
            // What a generated column gets is computed later, from the others.
            Some(text) if !c.dropped && c.generated.is_none() => {
                let t = self.stored(text, None).map_err(|e| {
                    if e.code == SqlState::UNDEFINED_COLUMN {
                        SqlError::unsupported("cannot use column reference in DEFAULT expression")
                    } else {
                        e
                    }
                })?;
                let is_stored = std::mem::replace(&mut self.is_stored, true);
                let value = self.assign_as(t, table, column, "default expression");
                self.is_stored = is_stored;
                value
            }
            _ => Ok(Expr::null()),
        }
    }

    /// Converts a value to a column's type as assignments do.
    pub(super) fn assign(&mut self, t: Typed, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        self.assign_as(t, table, column, "expression")
    }

    /// The same, where errors call the value so.
    pub(super) fn assign_as(
        &mut self,
        t: Typed,
        table: &Arc<Table>,
        column: usize,
        what: &str,
    ) -> Result<Expr, SqlError> {
        let c = &table.columns[column];
        let fits = t.ty == c.ty
            || t.ty == Type::Unknown
            || can_cast(t.ty, c.ty)
                .is_some_and(|w| matches!(w, CastContext::Implicit | CastContext::Assignment));
        if !fits {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "column \"{}\" is of type {} but {what} is of type {}",
                    c.name,
                    c.ty.sql_name(),
                    t.ty.sql_name()
                ),
            )
            .with_hint("You will need to rewrite or cast the expression."));
        }
        self.coerce(t, c.ty, c.typmod, CastContext::Assignment)
    }

    /// What changes of a table must know: its number among the statement's targets.
    pub(super) fn target(
        &mut self,
        table: &Arc<Table>,
        as_child: bool,
        as_parent: bool,
    ) -> Result<usize, SqlError> {
        // Two parts of a statement may want different things of one table.
        let known = self.targets.iter().position(|t| t.table.oid == table.oid);
        let number = known.unwrap_or(self.targets.len());
        let was = self.target_sides.get(number).copied().unwrap_or_default();
        let (as_child, as_parent) = (as_child && !was.0, as_parent && !was.1);
        if known.is_some() {
            if !as_child && !as_parent {
                return Ok(number);
            }
            self.target_sides[number] = (was.0 || as_child, was.1 || as_parent);
            return self.fill_target(number, table, as_child, as_parent);
        }
        self.lock_table(table, TableLockMode::RowExclusive);
        let forms = self.forms(table)?;
        self.target_sides.push((as_child, as_parent));
        self.targets.push(Target {
            table: table.clone(),
            forms,
            checks: Vec::new(),
            generated: Vec::new(),
            not_null: Vec::new(),
            foreign_keys: Vec::new(),
            referencing: Vec::new(),
        });
        self.fill_target(number, table, as_child, as_parent)
    }

    fn fill_target(
        &mut self,
        number: usize,
        table: &Arc<Table>,
        as_child: bool,
        as_parent: bool,
    ) -> Result<usize, SqlError> {
        let (mut checks, mut foreign_keys, mut referencing) = (Vec::new(), Vec::new(), Vec::new());
        if as_child {
            self.targets[number].generated = self.generated_columns(table, Generated::Stored, |_| true)?;
            self.targets[number].not_null =
                self.generated_columns(table, Generated::Virtual, |c| c.not_null)?;
            for c in table.checks.iter().filter(|c| c.standing.enforced) {
                let t = self.stored(&c.expr, Some(table))?;
                checks.push((c.name.clone(), self.coerce(t, Type::Bool, -1, CastContext::Implicit)?));
            }
            for fk in table.foreign_keys.iter().filter(|f| f.standing.enforced) {
                let Some(parent) = self.catalog.table(fk.parent).cloned() else { continue };
                let Some(index) = parent.indexes.iter().find(|i| i.oid == fk.parent_index).cloned() else {
                    continue;
                };
                self.lock_table(&parent, TableLockMode::RowShare);
                foreign_keys.push(FkCheck { fk: fk.clone(), parent, index });
            }
        }
        if as_parent {
            let children: Vec<Arc<Table>> = self.catalog.referencing_tables(table.oid).cloned().collect();
            for child in children {
                for fk in child.foreign_keys.iter().filter(|f| f.parent == table.oid && f.standing.enforced) {
                    let acts = |a: FkAction| {
                        matches!(a, FkAction::Cascade | FkAction::SetNull | FkAction::SetDefault)
                    };
                    let target = if acts(fk.on_delete) || acts(fk.on_update) {
                        Some(self.target(&child, true, true)?)
                    } else {
                        self.lock_table(&child, TableLockMode::RowShare);
                        None
                    };
                    let mut defaults = Vec::new();
                    if fk.on_delete == FkAction::SetDefault || fk.on_update == FkAction::SetDefault {
                        for c in &fk.columns {
                            defaults.push(self.default_of(&child, *c)?);
                        }
                    }
                    referencing.push(Referencing { fk: fk.clone(), child: child.clone(), target, defaults });
                }
            }
        }
        let t = &mut self.targets[number];
        if as_child {
            (t.checks, t.foreign_keys) = (checks, foreign_keys);
        }
        if as_parent {
            t.referencing = referencing;
        }
        Ok(number)
    }

    pub(super) fn insert(&mut self, i: &ast::Insert) -> Result<Bound, SqlError> {
        let ast::TableObject::TableName(name) = &i.table else {
            return Err(SqlError::unsupported("INSERT into something other than a table is not supported"));
        };
        if i.or.is_some() || i.replace_into {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in INSERT"));
        }
        let table = self.table(name)?;
        let alias = i.table_alias.as_ref().map_or_else(|| table.name.clone(), |a| ident(&a.alias));
        let target = self.target(&table, true, false)?;
        let mut columns = Vec::new();
        for c in &i.columns {
            let column = table.find_column(&split_name(c)?.1)?;
            if columns.contains(&column) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{}\" specified more than once", table.columns[column].name),
                ));
            }
            columns.push(column);
        }
        let explicit = !columns.is_empty();
        if !explicit {
            columns = table.live_columns().map(|(n, _)| n).collect();
        }
        let mut defaults = Vec::with_capacity(table.columns.len());
        for n in 0..table.columns.len() {
            defaults.push(self.default_of(&table, n)?);
        }
        // Without a list of columns, so many as there are values.
        let given = if explicit { columns.len() } else { 0 };
        self.inserts(table.oid, columns.iter().take(given));
        let source = match i.source.as_deref() {
            None => InsertSource::Rows(vec![defaults.into()]),
            Some(q) => {
                self.inner += 1;
                let source = self.insert_source(q, &table, &columns, explicit, i.overwrite, defaults);
                self.inner -= 1;
                source?
            }
        };
        let conflict = match &i.on {
            None => None,
            Some(ast::OnInsert::OnConflict(c)) => Some(self.on_conflict(c, &table, &alias)?),
            Some(_) => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"ON\"")),
        };
        let (returning, out) = self.returning_of(i.returning.as_deref(), |b| {
            b.add_target(&table, &alias, &mut Vec::new()).map(|_| ())
        })?;
        Ok((BoundStatement::Insert(InsertPlan { target, source, conflict, returning }), out))
    }

    /// Notes that columns are given values by INSERT or COPY.
    pub(crate) fn inserts<'c>(&mut self, table: u32, columns: impl Iterator<Item = &'c usize>) {
        let need = self.needs.of(table, self.by, acl::INSERT);
        self.needs.relations[need].inserted.extend(columns.map(|c| *c as i16 + 1));
    }

    /// Notes that columns are given values by UPDATE.
    pub(super) fn updates(&mut self, table: u32, set: &[(usize, Expr)]) {
        let need = self.needs.of(table, self.by, acl::UPDATE);
        self.needs.relations[need].updated.extend(set.iter().map(|(c, _)| *c as i16 + 1));
    }

    #[allow(clippy::type_complexity)]
    fn returning_of(
        &mut self,
        items: Option<&[ast::SelectItem]>,
        frame: impl FnOnce(&mut Self) -> Result<(), SqlError>,
    ) -> Result<(Option<Returning>, Option<Vec<Column>>), SqlError> {
        let Some(items) = items else { return Ok((None, None)) };
        let ((exprs, columns), _) = self.nested(|b| {
            frame(b)?;
            b.returning(items)
        })?;
        Ok((Some(Returning { exprs: exprs.into() }), Some(columns)))
    }

    fn insert_source(
        &mut self,
        q: &ast::Query,
        table: &Arc<Table>,
        columns: &[usize],
        explicit: bool,
        overriding: bool,
        defaults: Vec<Expr>,
    ) -> Result<InsertSource<BoundQuery>, SqlError> {
        let check_count = |n: usize| {
            if n > columns.len() {
                return Err(SqlError::new(
                    SqlState::SYNTAX_ERROR,
                    "INSERT has more expressions than target columns",
                ));
            }
            if n < columns.len() && explicit {
                return Err(SqlError::new(
                    SqlState::SYNTAX_ERROR,
                    "INSERT has more target columns than expressions",
                ));
            }
            Ok(())
        };
        let check_identity = |column: usize| may_insert(table, column, overriding);
        let plain = q.order_by.is_none() && q.limit_clause.is_none() && q.fetch.is_none() && q.with.is_none();
        if let (SetExpr::Values(v), true) = (&*q.body, plain) {
            let (rows, _) = self.nested(|b| {
                b.frame()?.place = "VALUES";
                let mut rows = Vec::with_capacity(v.rows.len());
                for r in &v.rows {
                    check_count(r.len())?;
                    let mut row = defaults.clone();
                    for (e, column) in r.iter().zip(columns) {
                        if is_default(e) {
                            continue;
                        }
                        check_identity(*column)?;
                        let t = b.expr(e)?;
                        row[*column] = b.assign(t, table, *column)?;
                    }
                    rows.push(row.into());
                }
                Ok(rows)
            })?;
            self.inserts(table.oid, columns.iter().take(v.rows.first().map_or(0, |r| r.len())));
            return Ok(InsertSource::Rows(rows));
        }
        let types: Vec<Type> = columns.iter().map(|c| table.columns[*c].ty).collect();
        let ((query, found), _) = self.nested(|b| b.query(q, Hint::Types(&types)))?;
        check_count(found.len())?;
        self.inserts(table.oid, columns.iter().take(found.len()));
        let mut exprs = defaults;
        for (n, (c, column)) in found.iter().zip(columns).enumerate() {
            let t = Typed { expr: Expr::Column(n), ty: c.ty, typmod: c.typmod };
            check_identity(*column)?;
            exprs[*column] = self.assign(t, table, *column)?;
        }
        Ok(InsertSource::Query(query, exprs.into()))
    }

    fn on_conflict(
        &mut self,
        c: &ast::OnConflict,
        table: &Arc<Table>,
        alias: &str,
    ) -> Result<OnConflict, SqlError> {
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
                    wanted.columns.push(table.column(&name).ok_or_else(|| {
                        let e = SqlError::new(
                            SqlState::UNDEFINED_COLUMN,
                            format!("column \"{name}\" does not exist"),
                        );
                        self.at(e, n.span.start)
                    })?);
                }
                self.inferred(wanted, table)?.ok_or_else(no_match)?
            }
            Some(ast::ConflictTarget::OnConstraint(name)) if inference_texts(name).is_some() => {
                let (items, condition) = inference_texts(name).unwrap_or_default();
                let wanted = self.inference(&items, condition.as_deref(), table)?;
                self.inferred(wanted, table)?.ok_or_else(no_match)?
            }
            Some(ast::ConflictTarget::OnConstraint(name)) => {
                let (_, name) = split_name(name)?;
                let found = table.indexes.iter().position(|i| i.constraint.is_some() && i.name == name);
                vec![found.ok_or_else(|| {
                    SqlError::new(
                        SqlState::UNDEFINED_OBJECT,
                        format!("constraint \"{name}\" for table \"{}\" does not exist", table.name),
                    )
                })?]
            }
        };
        let may_decide = |n: usize| arbiters.is_empty() || arbiters.contains(&n);
        if table.indexes.iter().enumerate().any(|(n, i)| i.timing.deferrable && may_decide(n)) {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters",
            ));
        }
        let need = self.needs.of(table.oid, self.by, 0);
        let read = arbiters.iter().flat_map(|n| table.indexes[*n].key_columns().map(|c| c as i16 + 1));
        self.needs.relations[need].selected.extend(read);
        let update = match &c.action {
            ast::OnConflictAction::DoNothing => None,
            ast::OnConflictAction::DoUpdate(u) => {
                if arbiters.is_empty() {
                    return Err(SqlError::new(
                        SqlState::SYNTAX_ERROR,
                        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    )
                    .with_hint("For example, ON CONFLICT (column_name)."));
                }
                let number = self.target(table, true, false)?;
                let (update, _) = self.nested(|b| {
                    b.add_target(table, alias, &mut Vec::new())?;
                    // Unqualified names are the target's.
                    let names = b.frame()?.names.len();
                    b.add_target(table, "excluded", &mut Vec::new())?;
                    b.frame()?.names.truncate(names);
                    let set = b.assignments(&u.assignments, table)?;
                    b.updates(table.oid, &set);
                    let condition = u.selection.as_ref().map(|w| b.condition(w, "WHERE")).transpose()?;
                    let lock = lock_for(table, &changed_columns(&set, &b.targets[number]));
                    Ok(ConflictUpdate { set: set.into(), condition, lock })
                })?;
                Some(update)
            }
        };
        Ok(OnConflict { arbiters, update })
    }

    /// The columns of the one row of a subquery.
    fn columns_of(&mut self, query: &ast::Query, count: usize) -> Result<Vec<Typed>, SqlError> {
        let (number, args, columns) = self.subquery(query)?;
        if columns.len() != count {
            return Err(SqlError::new(
                SqlState::SYNTAX_ERROR,
                "number of columns does not match number of values",
            ));
        }
        // It is computed for each column.
        if count > 1 && self.subplans[number].is_volatile() {
            return Err(SqlError::unsupported(
                "a multiple-column UPDATE from a sub-SELECT with volatile functions is not supported",
            ));
        }
        let types: std::sync::Arc<[Type]> = columns.iter().map(|c| c.ty).collect();
        let row = Expr::Row(types, (0..count).map(Expr::Column).collect());
        super::compare::with_output(&mut self.subplans[number], [row].into());
        let row = Expr::Subquery(number, Box::new(SubqueryUse::Scalar), args);
        let field = |(n, c): (usize, &Column)| Typed {
            expr: Expr::Field(Box::new(row.clone()), n),
            ty: c.ty,
            typmod: c.typmod,
        };
        Ok(columns.iter().enumerate().map(field).collect())
    }

    pub(super) fn assignments(
        &mut self,
        list: &[ast::Assignment],
        table: &Arc<Table>,
    ) -> Result<Vec<(usize, Expr)>, SqlError> {
        self.frame()?.place = "UPDATE";
        let mut set: Vec<(usize, Expr)> = Vec::new();
        for a in list {
            if let (AssignmentTarget::Tuple(names), Some(query)) = (&a.target, subquery_of(&a.value)) {
                for (name, value) in names.iter().zip(self.columns_of(query, names.len())?) {
                    let column = new_target(name, table, &set)?;
                    set.push((column, self.assign(value, table, column)?));
                }
                continue;
            }
            let pairs: Vec<(&ast::ObjectName, &Ast)> = match (&a.target, &a.value) {
                (AssignmentTarget::ColumnName(name), value) => vec![(name, value)],
                (AssignmentTarget::Tuple(names), Ast::Tuple(values)) if names.len() == values.len() => {
                    names.iter().zip(values).collect()
                }
                (AssignmentTarget::Tuple(names), Ast::Nested(value)) if names.len() == 1 => {
                    vec![(&names[0], value)]
                }
                (AssignmentTarget::Tuple(names), value) => match super::expr::row_items(value) {
                    Some(values) if values.len() == names.len() => names.iter().zip(values).collect(),
                    Some(_) => {
                        return Err(SqlError::new(
                            SqlState::SYNTAX_ERROR,
                            "number of columns does not match number of values",
                        ));
                    }
                    None => {
                        return Err(SqlError::unsupported(
                            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                        ));
                    }
                },
            };
            for (name, value) in pairs {
                let column = new_target(name, table, &set)?;
                let column_name = &table.columns[column].name;
                let e = if is_default(value) {
                    self.default_of(table, column)?
                } else if table.columns[column].generated.is_some() {
                    let why = format!("column \"{column_name}\" can only be updated to DEFAULT");
                    return Err(is_generated(SqlError::new(SqlState::GENERATED_ALWAYS, why), column_name));
                } else if table.columns[column].identity == Some(Identity::Always) {
                    return Err(SqlError::new(
                        SqlState::GENERATED_ALWAYS,
                        format!("column \"{column_name}\" can only be updated to DEFAULT"),
                    )
                    .with_detail(format!(
                        "Column \"{column_name}\" is an identity column defined as GENERATED ALWAYS."
                    )));
                } else {
                    let t = self.expr(value)?;
                    self.assign(t, table, column)?
                };
                set.push((column, e));
            }
        }
        Ok(set)
    }

    /// The rows that an UPDATE or DELETE visits: the target first, then what it is joined with.
    fn visited(
        &mut self,
        table: &Arc<Table>,
        alias: &str,
        others: &[ast::TableWithJoins],
        selection: Option<&Ast>,
    ) -> Result<Level, SqlError> {
        let mut sources = Vec::new();
        let tree = self.add_target(table, alias, &mut sources)?;
        let mut bound = Level { sources, tree: Some(tree), ..Level::default() };
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
        if let Some(w) = selection {
            self.frame()?.place = "WHERE";
            self.condition(w, "WHERE")?.split_and(&mut bound.conjuncts);
        }
        bound.width = self.frame()?.width;
        Ok(bound)
    }

    pub(super) fn update(&mut self, u: &ast::Update) -> Result<Bound, SqlError> {
        let (table, alias) = self.dml_table(&u.table)?;
        let target = self.target(&table, true, true)?;
        let others: &[ast::TableWithJoins] = match &u.from {
            None => &[],
            Some(ast::UpdateTableFromKind::AfterSet(f)) => f,
            Some(_) => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"FROM\"")),
        };
        let (mut out, mut returning) = (None, None);
        let (plan, _) = self.nested(|b| {
            let level = b.visited(&table, &alias, others, u.selection.as_ref())?;
            let set = b.assignments(&u.assignments, &table)?;
            b.updates(table.oid, &set);
            if let Some(items) = &u.returning {
                let (exprs, columns) = b.returning(items)?;
                returning = Some(Returning { exprs: exprs.into() });
                out = Some(columns);
            }
            let mut used = vec![false; level.width];
            used[..table.columns.len()].fill(true);
            let exprs = set.iter().map(|(_, e)| e).chain(returning.iter().flat_map(|r| r.exprs.iter()));
            mark_used(exprs, &mut used);
            let counts_keys_only = u.returning.is_none()
                && others.is_empty()
                && b.targets[target].generated.is_empty()
                && level.conjuncts.iter().all(|e| reads_keys_only(e, &table))
                && succeeds_by_keys(&set, &b.targets[target]);
            let changed = changed_columns(&set, &b.targets[target]);
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
                returning: None,
            })
        })?;
        let plan = UpdatePlan { returning, ..plan };
        Ok((BoundStatement::Update(plan), out))
    }

    pub(super) fn delete(&mut self, d: &ast::Delete) -> Result<Bound, SqlError> {
        let from = match &d.from {
            ast::FromTable::WithFromKeyword(f) | ast::FromTable::WithoutKeyword(f) => f,
        };
        let [item] = &from[..] else {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "DELETE needs exactly one table"));
        };
        let (table, alias) = self.dml_table(item)?;
        let target = self.target(&table, false, true)?;
        self.needs.of(table.oid, self.by, acl::DELETE);
        let others = d.using.as_deref().unwrap_or(&[]);
        let (mut out, mut returning) = (None, None);
        let (plan, _) = self.nested(|b| {
            let level = b.visited(&table, &alias, others, d.selection.as_ref())?;
            if let Some(items) = &d.returning {
                let (exprs, columns) = b.returning(items)?;
                returning = Some(Returning { exprs: exprs.into() });
                out = Some(columns);
            }
            let mut used = vec![false; level.width];
            for c in table.indexes.iter().flat_map(|i| i.read_columns()) {
                used[c] = true;
            }
            mark_used(returning.iter().flat_map(|r| r.exprs.iter()), &mut used);
            level.own_exprs(&mut |e| mark_used([e], &mut used));
            let wanted = (0..table.columns.len()).filter(|c| used[*c]).collect();
            Ok(DeletePlan { target, rows: Visited { level, used }, at: 0, wanted, returning: None })
        })?;
        let plan = DeletePlan { returning, ..plan };
        Ok((BoundStatement::Delete(plan), out))
    }

    pub(super) fn dml_table(&mut self, t: &ast::TableWithJoins) -> Result<(Arc<Table>, String), SqlError> {
        if !t.joins.is_empty() {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"JOIN\""));
        }
        match &t.relation {
            TableFactor::Table { name, alias, args: None, .. } => {
                let table = self.table(name)?;
                let alias = alias.as_ref().map_or_else(|| table.name.clone(), |a| ident(&a.name));
                Ok((table, alias))
            }
            _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, "only tables can be changed")),
        }
    }

    /// The target of COPY FROM: its number, and for each of its columns the value that it gets when it is not copied.
    pub fn copy_target(&mut self, table: &Arc<Table>) -> Result<(usize, Vec<Expr>), SqlError> {
        let target = self.target(table, true, false)?;
        let mut defaults = Vec::new();
        for n in 0..table.columns.len() {
            defaults.push(self.default_of(table, n)?);
        }
        Ok((target, defaults))
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
        let t = t.map_err(|mut e| {
            // It is of the condition's own text.
            e.position = None;
            e
        })?;
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

/// Whether INSERT may give a column a value.
pub(super) fn may_insert(table: &Table, column: usize, overriding: bool) -> Result<(), SqlError> {
    let c = &table.columns[column];
    if c.generated.is_some() {
        let why = format!("cannot insert a non-DEFAULT value into column \"{}\"", c.name);
        return Err(is_generated(SqlError::new(SqlState::GENERATED_ALWAYS, why), &c.name));
    }
    if c.identity != Some(Identity::Always) || overriding {
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

/// A column of a unique index: a foreign key may refer to it.
fn is_key(table: &Table, column: usize) -> bool {
    table.indexes.iter().any(|i| i.unique && i.is_plain() && i.key_columns().any(|c| c == column))
}

/// Changing a key column needs the strongest row lock.
pub(super) fn lock_for(table: &Table, changed: &[usize]) -> LockMode {
    let key = changed.iter().any(|column| is_key(table, *column));
    if key { LockMode::Update } else { LockMode::NoKeyUpdate }
}

/// Whether an expression over one table depends on its key columns alone.
fn reads_keys_only(e: &Expr, table: &Table) -> bool {
    !e.any(|e| match e {
        Expr::Column(c) => !is_key(table, *c),
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Subquery(..) => true,
        Expr::Call(f, _) => f.volatile == evenkeel_types::Volatility::Volatile,
        _ => false,
    })
}

/// Whether the success of an update tells nothing of columns that are not keys: no constraint and no function that refuses values gets to see what
/// is computed from them. (Sums and products are let pass: that one overflows would tell that values lie near a type's bound. The error itself waits.)
fn succeeds_by_keys(set: &[(usize, Expr)], target: &Target) -> bool {
    let table = &*target.table;
    let sets = |c: &usize| set.iter().any(|(s, _)| s == c);
    let told = |c: &usize| match set.iter().find(|(s, _)| s == c) {
        Some((_, e)) => reads_keys_only(e, table),
        None => is_key(table, *c),
    };
    let is_nullable = |c: &usize| table.columns.get(*c).is_none_or(|c| !c.not_null);
    let computes = |(c, e): &(usize, Expr)| {
        let reads_null = e.any(|e| matches!(e, Expr::Column(c) if is_nullable(c)));
        told(c) || is_sum(e, table) && (!reads_null || is_nullable(c))
    };
    // A constraint over columns that stay as they are is satisfied already.
    let checked = |e: &Expr| {
        let mut columns = Vec::new();
        e.walk(&mut |e| {
            if let Expr::Column(c) = e {
                columns.push(*c);
            }
        });
        !columns.iter().any(sets) || columns.iter().all(told)
    };
    set.iter().all(computes)
        && target.checks.iter().all(|(_, e)| checked(e))
        && target.foreign_keys.iter().all(|f| !f.fk.columns.iter().any(sets) || f.fk.columns.iter().all(told))
        && !target.referencing.iter().any(|r| r.fk.parent_columns.iter().any(sets))
        && table.indexes.iter().all(|i| {
            let mut columns = i.read_columns();
            !columns.clone().any(|c| sets(&c)) || columns.all(|c| told(&c))
        })
}

/// Whether a conversion takes every value: a narrower one would tell that the value fits.
fn widens(from: Type, to: Type) -> bool {
    use Type::{Float4, Float8, Int2, Int4, Int8, Numeric};
    match from {
        Int2 => matches!(to, Int4 | Int8 | Numeric | Float4 | Float8),
        Int4 => matches!(to, Int8 | Numeric | Float4 | Float8),
        Int8 => matches!(to, Numeric | Float4 | Float8),
        Float4 => to == Float8,
        _ => false,
    }
}

/// Sums and products, of numbers and times: NULL only if an operand is, refused only if it overflows its own type. Operands that depend on key columns
/// alone may be anything.
fn is_sum(e: &Expr, table: &Table) -> bool {
    match e {
        Expr::Column(_) => true,
        Expr::Call(f, args)
            if matches!(f.name, "+" | "-" | "*") && matches!(f.ret.category(), b'N' | b'D' | b'T') =>
        {
            args.iter().all(|e| is_sum(e, table))
        }
        Expr::Cast(c) if c.typmod == -1 && widens(c.from, c.to) => is_sum(&c.expr, table),
        other => reads_keys_only(other, table),
    }
}

impl Binder<'_> {
    /// Binds an expression over a row of a table and converts it.
    pub fn row_value(
        &mut self,
        text: &str,
        table: &Arc<Table>,
        ty: Type,
        typmod: i32,
        context: CastContext,
    ) -> Result<Expr, SqlError> {
        let t = self.stored(text, Some(table))?;
        self.coerce(t, ty, typmod, context)
    }
}

/// A column that nothing is assigned to yet.
fn new_target(name: &ast::ObjectName, table: &Table, set: &[(usize, Expr)]) -> Result<usize, SqlError> {
    let (_, name) = split_name(name)?;
    let column = table.find_column(&name)?;
    if set.iter().any(|(c, _)| *c == column) {
        return Err(SqlError::new(
            SqlState::SYNTAX_ERROR,
            format!("multiple assignments to same column \"{name}\""),
        ));
    }
    Ok(column)
}

fn subquery_of(e: &Ast) -> Option<&ast::Query> {
    match e {
        Ast::Subquery(q) => Some(q),
        Ast::Nested(e) => subquery_of(e),
        _ => None,
    }
}
