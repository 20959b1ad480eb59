//! What a statement changes rows of: a table, or a view that they are rows of a table through.
//!
//! A view's columns are expressions over the row of its base table, which is what is visited and written; its condition is one more of the statement's.
//!
//! Invariants:
//! 1. Expressions of a surface are over the row of the base table alone, from its first place.
//! 2. Whoever runs the statement needs privileges on the view; its owner needs the same on what the view is of, unless the view says otherwise.
//!
//! Must not know: how rows are written.

use super::from::Standing;
use super::updatable::{NO_COLUMNS, simple};
use super::{Binder, ColInfo, Typed};
use crate::catalog::security::acl;
use crate::catalog::{Relation, Table, View};
use crate::plan::ViewCheck;
use crate::plan::bound::{FromTree, Source, SourceKind};
use crate::plan::expr::{Case, Expr};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum};
use sqlparser::ast::ObjectName;
use std::sync::Arc;

/// What is done with rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Insert,
    Update,
    Delete,
    MergeInsert,
    MergeUpdate,
    MergeDelete,
}

/// A view on the way to the base table.
struct Through {
    view: u32,
    /// Whose privileges on it are needed.
    by: Option<u32>,
    /// The relation that it is of, and whose privileges on that are.
    next: (u32, Option<u32>),
    /// Columns of that which it reads.
    used: Vec<i16>,
    /// Its columns there.
    to: Vec<Option<i16>>,
}

/// A column of a view.
struct Face {
    name: String,
    value: Typed,
    /// The base table's column that it is, or the view where it is none and why.
    at: Result<usize, (String, &'static str)>,
}

/// What a statement changes rows of.
pub(super) struct Surface {
    /// The base table.
    pub table: Arc<Table>,
    /// The relation that the statement names: its OID and name.
    oid: u32,
    pub name: String,
    /// Views, the statement's first; none: it names the table.
    through: Vec<Through>,
    columns: Vec<Face>,
    /// What rows must satisfy to be seen through the views.
    pub conditions: Vec<Expr>,
    /// What written rows must satisfy.
    pub checks: Vec<ViewCheck>,
    /// Defaults that views give to columns of the base table, as text.
    defaults: Vec<(usize, String)>,
    /// What the last view calls the base table.
    base_alias: String,
}

fn not_updatable(verb: Verb, view: &str, why: &str) -> SqlError {
    let (what, kind) = match verb {
        Verb::Insert | Verb::MergeInsert => ("insert into", "INSERT"),
        Verb::Update | Verb::MergeUpdate => ("update", "UPDATE"),
        Verb::Delete | Verb::MergeDelete => ("delete from", "DELETE"),
    };
    let enabling = match verb {
        Verb::Insert | Verb::MergeInsert => "inserting into",
        Verb::Update | Verb::MergeUpdate => "updating",
        Verb::Delete | Verb::MergeDelete => "deleting from",
    };
    let hint = match verb {
        Verb::Insert | Verb::Update | Verb::Delete => format!(
            "To enable {enabling} the view, provide an INSTEAD OF {kind} trigger or an unconditional ON {kind} DO INSTEAD rule."
        ),
        _ => format!("To enable {enabling} the view using MERGE, provide an INSTEAD OF {kind} trigger."),
    };
    let why_not =
        SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, format!("cannot {what} view \"{view}\""));
    why_not.with_detail(why).with_hint(hint)
}

impl Surface {
    fn of_table(table: Arc<Table>) -> Surface {
        Surface {
            oid: table.oid,
            name: table.name.clone(),
            through: Vec::new(),
            columns: Vec::new(),
            conditions: Vec::new(),
            checks: Vec::new(),
            defaults: Vec::new(),
            base_alias: table.name.clone(),
            table,
        }
    }

    pub fn is_view(&self) -> bool {
        !self.through.is_empty()
    }

    /// OID of the relation that the statement names.
    pub fn oid(&self) -> u32 {
        self.oid
    }

    /// Position of a column that the statement names.
    pub fn find_column(&self, name: &str) -> Result<usize, SqlError> {
        self.position(name).ok_or_else(|| {
            SqlError::new(
                SqlState::UNDEFINED_COLUMN,
                format!("column \"{name}\" of relation \"{}\" does not exist", self.name),
            )
        })
    }

    /// Position of a column by name.
    pub fn position(&self, name: &str) -> Option<usize> {
        match self.is_view() {
            true => self.columns.iter().position(|c| c.name == name),
            false => self.table.column(name),
        }
    }

    /// Positions of all columns.
    pub fn positions(&self) -> Vec<usize> {
        match self.is_view() {
            true => (0..self.columns.len()).collect(),
            false => self.table.live_columns().map(|(n, _)| n).collect(),
        }
    }

    /// The name of a column.
    pub fn column_name(&self, column: usize) -> &str {
        match self.columns.get(column) {
            Some(c) if self.is_view() => &c.name,
            _ => self.table.columns.get(column).map_or("?", |c| &c.name),
        }
    }

    /// The base table's column that a column is; None: it is none.
    pub fn base_of(&self, column: usize) -> Option<usize> {
        match self.is_view() {
            true => self.columns.get(column)?.at.as_ref().ok().copied(),
            false => Some(column),
        }
    }

    /// The base table's column that a column is, which is to be given a value.
    pub fn base(&self, column: usize, verb: Verb) -> Result<usize, SqlError> {
        if !self.is_view() {
            return Ok(column);
        }
        let Some(face) = self.columns.get(column) else { return Err(SqlError::internal("no such column")) };
        match &face.at {
            Ok(n) => Ok(*n),
            Err((view, why)) => {
                let what = match verb {
                    Verb::Insert => "insert into",
                    Verb::Update | Verb::Delete => "update",
                    _ => "merge into",
                };
                let why_not = format!("cannot {what} column \"{}\" of view \"{view}\"", face.name);
                Err(SqlError::unsupported(why_not).with_detail(*why))
            }
        }
    }
}

impl Binder<'_> {
    /// What a statement changes by the name that it says.
    pub(super) fn surface(&mut self, name: &ObjectName, verb: Verb) -> Result<Surface, SqlError> {
        match self.relation(name)? {
            Relation::View(v) => self.through_view(&v, verb, false),
            other => Ok(Surface::of_table(changeable(other)?)),
        }
    }

    /// `cascaded`: a view above checks rows against the conditions of all below.
    fn through_view(&mut self, v: &Arc<View>, verb: Verb, cascaded: bool) -> Result<Surface, SqlError> {
        let parsed = match simple(v) {
            Ok(s) if !matches!(verb, Verb::Delete | Verb::MergeDelete) && !s.has_columns() => Err(NO_COLUMNS),
            found => found,
        };
        let parsed = parsed.map_err(|why| not_updatable(verb, &v.name, why))?;
        self.check_view_depth(v)?;
        self.stored_depth = self.stored_depth.max(parsed.depth());
        let Some(read) = v.query.reads.get(parsed.read) else {
            return Err(SqlError::internal("a view of nothing"));
        };
        let gone = || SqlError::internal("a view of what is not there");
        let relation = self.catalog.relation(read.oid).ok_or_else(gone)?;
        let outer = self.by;
        let by = if v.is_invoker() { self.invoker() } else { Some(self.catalog.security().owner(v.oid)) };
        use crate::catalog::CheckOption::Cascaded;
        let checks_below = cascaded || v.check_option() == Some(Cascaded);
        let (mut below, faces, own) = self.in_stored(&v.query, by, v.oid, |b| {
            let below = match relation {
                Relation::View(w) => b.through_view(&w, verb, checks_below)?,
                Relation::Table(t) if t.materialized.is_none() => Surface::of_table(t),
                Relation::Virtual(t) if !t.is_view => {
                    changeable(Relation::Virtual(t))?;
                    return Err(gone());
                }
                _ => {
                    let why =
                        "Views that do not select from a single table or view are not automatically updatable.";
                    return Err(not_updatable(verb, &v.name, why));
                }
            };
            let ((faces, own), _) = b.nested(|b| {
                let columns = b.named_columns(&below, &parsed.names)?;
                b.add_row(&below, parsed.alias.clone(), columns, &mut Vec::new())?;
                b.frame()?.place = "WHERE";
                let mut own = Vec::new();
                if let Some(w) = parsed.selection() {
                    b.condition(w, "WHERE")?.split_and(&mut own);
                }
                let mut faces = Vec::with_capacity(v.columns.len());
                for (c, item) in v.columns.iter().zip(parsed.items()) {
                    let t = b.expr(item)?;
                    let expr = b.coerce(t, c.ty, -1, CastContext::Assignment)?;
                    let at = match parsed.origin(item) {
                        Err(why) => Err((v.name.clone(), why)),
                        Ok(n) if below.is_view() => {
                            below.columns.get(n).map_or(Err((v.name.clone(), "")), |c| c.at.clone())
                        }
                        Ok(n) => Ok(n),
                    };
                    let value = Typed { expr, ty: c.ty, typmod: c.typmod };
                    faces.push(Face { name: c.name.clone(), value, at });
                }
                Ok((faces, own))
            })?;
            Ok((below, faces, own))
        })?;
        if !below.is_view() {
            below.base_alias.clone_from(&parsed.alias);
        }
        if (cascaded || v.check_option().is_some())
            && let Some(condition) = Expr::all(own.clone())
        {
            below.checks.push(ViewCheck { view: v.name.clone(), condition });
        }
        below.conditions.extend(own);
        for (c, face) in v.columns.iter().zip(&faces) {
            if let (Some(text), Ok(n)) = (&c.default, &face.at) {
                below.defaults.retain(|d| d.0 != *n);
                below.defaults.push((*n, text.clone()));
            }
        }
        let to = parsed.items().map(|e| parsed.origin(e).ok().map(|n| n as i16 + 1)).collect();
        let used = read.used.iter().map(|n| *n as i16 + 1).collect();
        below.through.insert(0, Through { view: v.oid, by: outer, next: (read.oid, by), used, to });
        (below.oid, below.columns) = (v.oid, faces);
        below.name.clone_from(&v.name);
        Ok(below)
    }

    /// The columns of a surface under the names that a view knows, with no need of privileges: those come with the statement's.
    fn named_columns(&mut self, s: &Surface, names: &[(usize, String)]) -> Result<Vec<ColInfo>, SqlError> {
        let computed = if s.is_view() { Vec::new() } else { self.virtual_columns(&s.table)? };
        let columns = names.iter().filter_map(|(n, name)| {
            let value = if s.is_view() {
                s.columns.get(*n)?.value.clone()
            } else {
                let c = s.table.columns.get(*n).filter(|c| !c.dropped)?;
                let expr = computed.iter().find(|v| v.0 == *n).map_or(Expr::Column(*n), |v| v.1.clone());
                Typed { expr, ty: c.ty, typmod: c.typmod }
            };
            Some(ColInfo {
                name: name.clone(),
                ty: value.ty,
                typmod: value.typmod,
                table_oid: s.oid,
                attnum: *n as i16 + 1,
                need: None,
                expr: value.expr,
                row: None,
                is_hidden: false,
            })
        });
        Ok(columns.collect())
    }

    /// Adds the row of a surface to the frame.
    pub(super) fn add_surface(
        &mut self,
        s: &Surface,
        alias: &str,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        if !s.is_view() {
            return self.add_target(&s.table, alias, sources);
        }
        let names: Vec<(usize, String)> =
            s.columns.iter().enumerate().map(|(n, c)| (n, c.name.clone())).collect();
        let mut columns = self.named_columns(s, &names)?;
        let need = self.needs.of(s.oid, self.by, 0);
        columns.iter_mut().for_each(|c| c.need = Some(need));
        self.add_row(s, alias.to_owned(), columns, sources)
    }

    /// Adds a row of the base table to the frame, under some names.
    fn add_row(
        &mut self,
        s: &Surface,
        alias: String,
        mut columns: Vec<ColInfo>,
        sources: &mut Vec<Source>,
    ) -> Result<FromTree, SqlError> {
        let mut source = Source::new(SourceKind::Table(s.table.clone(), s.base_alias.clone()), Vec::new());
        source.forms = self.forms(&s.table)?;
        let width = s.table.columns.len() + 1;
        let frame = self.frame()?;
        let at = frame.width;
        frame.width += width;
        (source.at, source.width) = (at, width);
        for c in &mut columns {
            let expr = std::mem::replace(&mut c.expr, Expr::null());
            c.expr = expr.map(&mut |e| match e {
                Expr::Column(n) => Expr::Column(at + n),
                e => e,
            });
            c.row = (!matches!(c.expr, Expr::Column(_))).then_some(at + width - 1);
        }
        frame.names.extend_from_slice(&columns);
        self.note_table_collations(&s.table, at)?;
        let relation = (alias == s.name).then_some(s.oid);
        self.add_name(Standing { alias, relation }, s.name.clone(), columns)?;
        sources.push(source);
        Ok(FromTree::Source(sources.len() - 1))
    }

    /// What a column of the base table gets when the statement gives it nothing.
    pub(super) fn default_through(&mut self, s: &Surface, column: usize) -> Result<Expr, SqlError> {
        match s.defaults.iter().find(|d| d.0 == column) {
            None => self.default_of(&s.table, column),
            Some((_, text)) => {
                let t = self.stored(&text.clone(), None)?;
                self.assign_as(t, &s.table, column, "default expression")
            }
        }
    }

    /// What it gets by SET … = DEFAULT: through a view the view's default, or NULL.
    pub(super) fn default_in_update(&mut self, s: &Surface, column: usize) -> Result<Expr, SqlError> {
        let is_through_view = s.oid() != s.table.oid && !s.defaults.iter().any(|d| d.0 == column);
        if is_through_view { Ok(Expr::null()) } else { self.default_through(s, column) }
    }

    /// Converts a value to what a column takes.
    pub(super) fn assign_to(
        &mut self,
        t: Typed,
        s: &Surface,
        column: usize,
        base: usize,
    ) -> Result<Expr, SqlError> {
        self.assign_named(t, &s.table, base, s.column_name(column), "expression")
    }

    /// Adds what WHERE asks to a view's conditions. Of a view with security_barrier nothing that might tell of a row is asked of one that it does not show.
    pub(super) fn ask_of(
        &mut self,
        s: &Surface,
        asked: &sqlparser::ast::Expr,
        conjuncts: &mut Vec<Expr>,
    ) -> Result<(), SqlError> {
        let asked = self.condition(asked, "WHERE")?;
        let is_barrier = |t: &Through| self.catalog.view(t.view).is_some_and(|v| v.is_barrier());
        let mut own = Vec::new();
        asked.split_and(&mut own);
        let shown = Expr::all(s.conditions.clone()).filter(|_| s.through.iter().any(is_barrier));
        conjuncts.extend(own.into_iter().map(|e| match &shown {
            Some(shown) if !e.is_leakproof() => {
                let otherwise = Expr::Const(Datum::Bool(false));
                Expr::Case(Box::new(Case { operand: None, branches: vec![(shown.clone(), e)], otherwise }))
            }
            _ => e,
        }));
        Ok(())
    }

    /// Has the owners of views need what the statement needs of them (invariant 2).
    pub(super) fn need_through(&mut self, s: &Surface) {
        for t in &s.through {
            let above = self.needs.of(t.view, t.by, 0);
            let above = self.needs.relations[above].clone();
            let rights = above.privileges & (acl::INSERT | acl::UPDATE | acl::DELETE);
            let below = self.needs.of(t.next.0, t.next.1, rights);
            let below = &mut self.needs.relations[below];
            let mapped = |n: &i16| t.to.get(*n as usize - 1).copied().flatten();
            below.inserted.extend(above.inserted.iter().filter_map(mapped));
            below.updated.extend(above.updated.iter().filter_map(mapped));
            if !above.selected.is_empty() {
                below.selected.extend(&t.used);
            }
        }
    }
}

/// A table that can be changed.
fn changeable(relation: Relation) -> Result<Arc<Table>, SqlError> {
    let table = relation.into_table()?;
    if table.materialized.is_some() {
        let why = format!("cannot change materialized view \"{}\"", table.name);
        return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
    }
    Ok(table)
}
